"""Plain settings are read as tomllib reads them, or left to it; a key is set by changing one line."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurelius.settings.plain_toml import assigned, line_of, plain, with_table, without_table, written

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
[v."/p"]
[v.'/p']
[v."/p".git]
[ v . b ] # y
[a."b]"]
[v."/\\p"]
a.b.c = 1
b.a = true
"a".b = 2
"/p" = 3
"" = 4
a . c = 5
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


@settings(suppress_health_check=[HealthCheck.too_slow])
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
        ('[vaults."/home/joe/notes"]\ngit.commit = true\n', {"vaults": {"/home/joe/notes": {"git": {"commit": True}}}}),
        ("search.limit = 5\n", {"search": {"limit": 5}}),
    ],
)
def test_settings_as_people_write_them_need_no_tomllib(text: str, tree: dict[str, Any]) -> None:
    assert typed(plain(text) or {}) == typed(tree)
    assert plain(text) is not None


NAMES = st.sampled_from(["a", "b", "x", "/p", "é"])
VALUES = st.booleans() | st.integers(0, 99) | st.sampled_from(['a"b', "# no", "\x7f", "\x1f", "é", ""])


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.lists(LINES, max_size=6), st.lists(NAMES, min_size=2, max_size=4), VALUES)
def test_setting_a_key_changes_that_key_alone_and_one_line(lines: list[str], target: list[str], value: object) -> None:
    text = "\n".join(lines)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    after = assigned(text, tuple(target), value)
    if after is None:
        return
    inner = wanted = before
    for name in target[:-1]:
        inner = inner.setdefault(name, {})
    inner[target[-1]] = value
    assert typed(tomllib.loads(after)) == typed(wanted)
    kept = [line for line in text.split("\n") if line.strip()]
    now = after.split("\n")
    assert sum(line not in now for line in kept) <= 1


@given(VALUES | st.lists(VALUES, max_size=3))
def test_a_value_is_written_as_tomllib_reads_it(value: object) -> None:
    assert tomllib.loads(f"x = {written(value)}") == {"x": value}


@pytest.mark.parametrize(("text", "name", "line"), [
    ("[a]\nb = 1\n", "a.b", 2), ("x = 1\n[ a ] # y\n\n'b' = 1\n", "a.b", 4), ("a.b = 1\n", "a.b", 1),
    ("x = 1\n[[a]]\nb = 1\n", "a.c", 2), ("x = 1\n", "a", 1), ('\t["a"]\nb=1', "a.b", 2),
])  # fmt: skip
def test_the_line_that_sets_a_name_is_told(text: str, name: str, line: int) -> None:
    assert line_of(text, name) == line


@pytest.mark.parametrize("text", ["x = 01", "x = 00", "[a]\nx = 010"])
def test_a_number_that_begins_with_nought_is_left_to_tomllib_which_refuses_it(text: str) -> None:
    assert plain(text) is None
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(text)


def test_a_new_key_stands_behind_the_last_of_its_table() -> None:
    text = '[search]\nlimit = 5  # few\nmode = "hybrid"\n\n[daily]\nfolder = "d"\n'
    after = text.replace('"hybrid"\n', '"hybrid"\nfusion = "rrf"\n')
    assert assigned(text, ("search", "fusion"), "rrf") == after


LINES = st.sampled_from([
    "# a note [x]", "", 'model = "big"  # mine', "[other]", "[[list]]", "[mcp_servers.docs]", "deep = [", "  [1, 2],",
    "]", "[mcp_servers.docs.env]", "A = 'b'", 'b.c = "d"', '[mcp_servers."two words"]', "n = 1_000",
])  # fmt: skip
OURS = {"command": "/a/b c/aurelius", "args": ["mcp", "--vault", 'it\'s "mine"\\']}


@settings(max_examples=150)
@given(st.lists(LINES, max_size=9), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_table_that_was_put_in_is_taken_out_again_and_nothing_else_changes(
    lines: list[str], end: str, closed: bool
) -> None:
    text = end.join(lines) + (end if closed else "")
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    names = ("mcp_servers", "aurelius")
    made = with_table(text, names, OURS)
    assert made is not None
    assert tomllib.loads(made)["mcp_servers"]["aurelius"] == OURS
    assert with_table(made, names, OURS) == made, "a second time changes nothing"
    assert made.startswith(text)
    assert end not in text or made.count("\n") == made.count(end), "every line ends as the others do"
    left = without_table(made, names)
    assert left is not None
    assert tomllib.loads(left) == before
    assert left.rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[m.a]\nx = 1\n[m.a.env]\ny = 2\n", ""),
        ("k = 1\n\n[m.a]\nx = [\n  1,\n]\n\n# of b\n[b]\n", "k = 1\n\n\n# of b\n[b]\n"),
        ("[m.a]\nx = 1\n\n[m.b]\nx = 1\n[m.a.env]\ny = 2\n", "[m.b]\nx = 1\n"),
        ("[m]\na = {x = 1}\n", None),
        ("[n]\nx = 1\n", "[n]\nx = 1\n"),
    ],
)
def test_a_table_goes_whole_with_those_in_it(text: str, left: str | None) -> None:
    assert without_table(text, ("m", "a")) == left
