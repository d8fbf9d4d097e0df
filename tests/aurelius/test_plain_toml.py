"""Plain settings are read as tomllib reads them, or left to it (design §3.4)."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.plain_toml import plain

TEXT = r"""[a]
 [ b ] # x
[a.b]
[[a]]
[]
[a
[a]]
["a"]
x = 1
x=01
y = -1
y = 1_0
z = 1.5
w = "word"
w = "wo#rd" # c
w = 'word'
w = "a\u0041"
v = "a" b
v = true#c
v = True
u =
= 1
u
# c
a = 1
a.b = 1
"a" = 1
é = 1
e = "é"
t = [1]
t = {}
n = 1979-05-27
q = 0x1
l = 12345678901234567890
o = +1
k = ²
[ｃ]
"""
ODD = TEXT.splitlines()
LINES = st.sampled_from(
    [
        *ODD,
        'w = """a"""',
        "\t",
        "\r",
        "x = 1\r",
        'w = "a\tb"',
        "# \x01",
        "# \u200b",
        "# \x85",
        'w = "\u2028"',
        "x =\u00a01",
        "x\u3000= 1",
    ]
)


@given(st.lists(LINES | st.text(max_size=12), max_size=6))
def test_it_reads_what_tomllib_reads_or_nothing(lines: list[str]) -> None:
    text = "\n".join(lines)
    read = plain(text)
    if read is None:
        return
    assert typed(read) == typed(tomllib.loads(text))


def typed(tree: dict[str, Any]) -> Any:
    """Values with their types: true is not 1."""
    return {key: typed(value) if isinstance(value, dict) else (type(value), value) for key, value in tree.items()}


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", {}),
        ("# only this\n\n", {}),
        ('vault = "~/notes"  # mine\n', {"vault": "~/notes"}),
        ('[jobs]\r\nsummarize = "weekly"\r\n', {"jobs": {"summarize": "weekly"}}),
        ("[git]\ncommit = true\n", {"git": {"commit": True}}),
        ("[search]\n\tlimit = 5\n", {"search": {"limit": 5}}),
    ],
)
def test_settings_as_people_write_them_need_no_tomllib(text: str, tree: dict[str, Any]) -> None:
    assert typed(plain(text) or {}) == typed(tree)
    assert plain(text) is not None
