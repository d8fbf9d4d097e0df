"""Settings are read as tomllib reads them; a change reaches one value and leaves every other byte."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from aurelius.settings.keys import KEYS, SettingKey
from aurelius.settings.plain_toml import edit_toml, parse_toml, setting_line, toml_value
from indexer.errors import ConfigError
from tests.daily import daily

FILE = "config.toml"
OURS: dict[str, Any] = {"command": "/a/b c/aurelius", "args": ["mcp", "--vault", 'it\'s "mine"\\']}
SERVER = ("mcp_servers", "aurelius")
AS_INIT_WRITES = ["[jobs]", 'summarize = "weekly"', "[summary]", "new = false"]
ODD = [
    "# a",
    "#\tb",
    "# c \x85",
    "# \u2028[jobs]",
    "# \x01",
    "#\r[jobs]",
    "",
    " ",
    "\t",
    "[jobs] # d",
    ' summarize = "weekly"  # [x]',
    "new = false\r",
    'x = """',
    '"""',
    "x = 01",
    'summarize = "#"',
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from([*AS_INIT_WRITES, *ODD]), max_size=5))
@example(["# a", "", "[jobs]", 'summarize = "weekly"  # b'])
@example(["[summary]", " new = false#c", ""])
@example(["# \u2028[jobs]", 'summarize = "weekly"'])
@example(["#\r[jobs]", 'summarize = "weekly"'])
def test_it_reads_what_tomllib_reads(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        wanted = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(ConfigError, match=r"^config\.toml:\d+: not valid TOML"):
            parse_toml(FILE, text)
        return
    assert parse_toml(FILE, text) == wanted


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = 1\nb = \n", "config.toml:2: not valid TOML: Invalid value"),
        (
            f"a = 1\nb = {'9' * 5000}\n",
            "config.toml:2: not valid TOML: a number has too many digits",
        ),
        (f"a = {'[' * 5000}", "config.toml:1: not valid TOML: maximum recursion"),
        ("[a\n", "config.toml:1: not valid TOML"),
    ],
)
def test_what_is_no_toml_is_told_with_its_line(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_toml(FILE, text)
    assert raised.value.message.startswith(says)
    assert raised.value.hint


VALUES = (
    st.booleans()
    | st.integers(0, 99)
    | st.sampled_from(['a"b', "# no", "\x7f", "\x1f", "é", "", "a\\b", "[x]", "two\nlines"])
)


@given(VALUES | st.lists(VALUES, max_size=3))
def test_a_value_is_written_as_tomllib_reads_it(value: object) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}") == {"x": value}
    assert "\n" not in toml_value(value)


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("[a]\nb = 1\n", "a.b", 2),
        ("x = 1\n[ a ] # y\n\n'b' = 1\n", "a.b", 4),
        ("a.b = 1\n", "a.b", 1),
        ("x = 1\n[[a]]\nb = 1\n", "a.c", 2),
        ("x = 1\n", "a", 1),
        ('\t["a"]\nb=1', "a.b", 2),
        ("[vaults.'/a=b']\nx.y = 1\n", "vaults./a=b.x.y", 2),
    ],
)
def test_the_line_that_sets_a_name_is_told(text: str, name: str, line: int) -> None:
    assert setting_line(text, name) == line


# Changing a file

TABLES = sorted({key.name.partition(".")[0] for key in KEYS})
OLD_VALUES = [
    "1",
    "true",
    '"a # b"',
    "'c'",
    '"""d"""',
    "[]",
    '["e", "f"]',
    "[\n  'g',  # why\n\n  # another\n  'h',\n]",
    "'''\n# no comment\n[no.table]\n'''",
    "1979-05-27",
    "1_0",
]
NEW_VALUES = [True, 7, "hybrid", 'q"\\', ("drafts/", "*.tmp.md"), (), None, None]
LINES = st.one_of(
    st.sampled_from(
        [
            "",
            "  ",
            "# mine",
            "\t# more [x]",
            "# limit = 3",
            "[[hooks]]",
            "[a.b]",
            "x.y = 1",
            'z = {k = "v"}',
        ]
    ),
    st.builds("[{}]".format, st.sampled_from(TABLES)),
    st.builds(" [ '{}' ]  # t".format, st.sampled_from(TABLES)),
    st.builds("[vaults.{}]".format, st.sampled_from(["'/p q'", '"/p.q"', "'/é'"])),
    st.builds(
        "{}{}{}".format,
        st.sampled_from([key.name.partition(".")[2] for key in KEYS] + [key.name for key in KEYS]),
        st.sampled_from([" = ", "=", "  =\t"]),
        st.builds("{}{}".format, st.sampled_from(OLD_VALUES), st.sampled_from(["", "  # c", "#d"])),
    ),
)
TEXTS = st.builds(
    lambda lines, end, closed: ("\n".join(lines) + "\n" * closed).replace("\n", end),
    st.lists(LINES, max_size=10),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)


def leaves(tree: dict[str, Any], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every value of a tree with its type, since true is not 1, by its names."""
    found: dict[tuple[str, ...], Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found |= leaves(value, (*above, name))
        else:
            found[(*above, name)] = (type(value), value)
    return found


def cut_out(whole: str, left: str) -> str:
    """The lines of a whole without which it is what is left."""
    lines = whole.split("\n")
    kept = left.split("\n")
    at = 0
    while at < min(len(lines), len(kept)) and lines[at] == kept[at]:
        at += 1
    end = at + len(lines) - len(kept)
    assert lines[:at] + lines[end:] == kept, "more than one piece is gone"
    return "\n".join(lines[at:end]).replace("\r", "")


def is_value(piece: str, value: Any) -> bool:
    """Whether a piece of a file is that value, and no comment behind it."""
    try:
        return bool(tomllib.loads(f"x = [{piece}]") == {"x": [value]} and piece == piece.strip())
    except tomllib.TOMLDecodeError:
        return False


def old_values(before: str, after: str, new: str) -> list[str]:
    """What may have stood in the place of a new value, all around it being as it was."""
    found = []
    at = after.find(new)
    while at >= 0:
        tail = after[at + len(new) :]
        if (
            before.startswith(after[:at])
            and before.endswith(tail)
            and at + len(tail) <= len(before)
        ):
            found.append(before[at : len(before) - len(tail)])
        at = after.find(new, at + 1)
    return found


PLACES = [(), ("vaults", "/p q"), ("vaults", "/new")]


@settings(
    max_examples=daily(160, 400),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(
    TEXTS,
    st.sampled_from(PLACES),
    st.sampled_from([key.name for key in KEYS]),
    st.sampled_from(NEW_VALUES),
    st.data(),
)
def test_one_key_changes_and_every_other_byte_stays(
    text: str, place: tuple[str, ...], name: str, value: Any, data: st.DataObject
) -> None:
    try:
        before = leaves(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return
    set_there = [
        each for each in before if each[-2:] in {tuple(key.name.split(".")) for key in KEYS}
    ]
    names = data.draw(st.sampled_from([(*place, *name.split(".")), *set_there]))
    try:
        after = edit_toml(FILE, text, {names: value})
    except ConfigError:
        return
    wanted = {each: old for each, old in before.items() if each != names}
    if value is not None:
        wanted[names] = (list, list(value)) if isinstance(value, tuple) else (type(value), value)
    assert leaves(tomllib.loads(after)) == wanted
    if "\r\n" in text and text.count("\n") == text.count("\r\n"):
        assert after.count("\n") == after.count("\r\n"), "every line ends as the others do"
    if value is None and names in before:
        is_last = not text.endswith("\n") and after[-1:] in {"", "\n"}
        gone = tomllib.loads(cut_out(text + "\n" * is_last, after))
        assert list(leaves(gone).values()) == [before[names]]
    elif value is None:
        assert after == text
    elif names in before:
        assert any(
            is_value(old, before[names][1]) for old in old_values(text, after, toml_value(value))
        )
    else:
        is_closed = bool(text) and after.endswith("\n") and not text.endswith("\n")
        end = "\r\n" if after.endswith("\r\n") else "\n"
        added = tomllib.loads(cut_out(after, text + end * is_closed))
        assert list(leaves(added).values()) == [wanted[names]]


CHANGES = st.tuples(st.sampled_from(PLACES), st.sampled_from(KEYS), st.sampled_from(NEW_VALUES))
STARTS = [
    "",
    "# mine",
    "search.mode = 'vector'\n\nsearch.fusion = 'rrf'\n# below",
    "# a\r\n[search]\r\n# limit = 3\r\n",
]


@settings(max_examples=daily(60, 150), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(STARTS), st.lists(CHANGES, max_size=12))
@example("", [(("vaults", "/p q"), key, 7) for key in KEYS if key.name.startswith("llm.")])
@example(STARTS[2], [((), key, 7) for key in KEYS if key.name.startswith("search.")])
def test_keys_are_set_and_unset_one_after_the_other_and_none_is_refused(
    text: str, changes: list[tuple[tuple[str, ...], SettingKey, Any]]
) -> None:
    comments = [line for line in text.splitlines() if line.startswith("#")]
    wanted = leaves(tomllib.loads(text))
    for place, key, value in changes:
        names = (*place, *key.name.split("."))
        text = edit_toml(FILE, text, {names: value})
        wanted[names] = (list, list(value)) if isinstance(value, tuple) else (type(value), value)
        if value is None:
            del wanted[names]
        assert leaves(tomllib.loads(text)) == wanted
        assert [line for line in text.splitlines() if line.startswith("#")] == comments


SERVER_LINES = st.sampled_from(
    [
        "# a note [x]",
        "",
        'model = "big"  # mine',
        "[other]",
        "[[list]]",
        "[mcp_servers.docs]",
        "deep = [",
        "  [1, 2],",
        "]",
        "[mcp_servers.docs.env]",
        "A = 'b'",
        'b.c = "d"',
        '[mcp_servers."two words"]',
        "n = 1_000",
    ]
)


@settings(max_examples=daily(60, 150))
@given(
    st.lists(SERVER_LINES, max_size=9),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_a_table_that_was_put_in_is_taken_out_again_and_nothing_else_changes(
    lines: list[str], end: str, closed: bool, more: bool
) -> None:
    text = end.join(lines) + (end if closed else "")
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    entry: dict[tuple[str, ...], Any] = {(*SERVER, key): value for key, value in OURS.items()}
    made = edit_toml(FILE, text, entry)
    assert tomllib.loads(made)["mcp_servers"]["aurelius"] == OURS
    assert edit_toml(FILE, made, entry) == made, "a second time changes nothing"
    assert made.startswith(text)
    assert end not in text or made.count("\n") == made.count(end), (
        "every line ends as the others do"
    )
    below = f"{end}# of the next{end}[next]{end}x = 1{end}" if more and end in made else ""
    try:
        left = edit_toml(FILE, made + below, {SERVER: None})
    except (
        ConfigError
    ):  # tomlkit would move a list of tables that stands between two tables of servers
        assert "[[list]]" in text
        return
    below = below.lstrip()
    assert left.endswith(below)
    assert tomllib.loads(left.removesuffix(below)) == before
    assert left.removesuffix(below).rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[m.a]\nx = 1\n[m.a.env]\ny = 2\n", ""),
        ("k = 1\n\n[m.a]\nx = [\n  1,\n]\n\n# of b\n[b]\n", "k = 1\n\n# of b\n[b]\n"),
        ("k = 1\n\n[m.a]\nx = 1\n\n# the end", "k = 1\n\n# the end"),
        ("[m.a]\nx = 1\n\n[m.b]\nx = 1\n[m.a.env]\ny = 2\n", "[m.b]\nx = 1\n"),
        ("[m]\na = {x = 1}\n", ""),
        ("[n]\nx = 1\n", "[n]\nx = 1\n"),
    ],
)
def test_a_table_goes_whole_with_those_in_it_and_the_comments_below_stay(
    text: str, left: str
) -> None:
    assert edit_toml(FILE, text, {("m", "a"): None}) == left


def test_a_new_key_stands_behind_the_last_of_its_table() -> None:
    text = '[search]\nlimit = 5  # few\nmode = "hybrid"\n\n[daily]\nfolder = "d"\n'
    after = text.replace('"hybrid"\n', '"hybrid"\nfusion = "rrf"\n')
    assert edit_toml(FILE, text, {("search", "fusion"): "rrf"}) == after
