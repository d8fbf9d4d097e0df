"""A file of hooks keeps every byte that is not ours: comments, order, indentation, line ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.settings import hook_file
from indexer.errors import ConfigError

LINE = "/programs/bin/aurelius hook"


def group(word: str, matcher: str = "") -> dict[str, Any]:
    handler = {"type": "command", "command": f"{LINE} {word}", "timeout": 10}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}


OURS = {"SessionStart": group("session-start", "startup|resume"), "Stop": group("stop")}
THEIRS = {"hooks": [{"type": "command", "command": "say done"}]}

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
handlers = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=9)})
named = st.sampled_from(["SessionStart", "Stop", "PreToolUse"])


def trees(least: int) -> st.SearchStrategy[dict[str, Any]]:
    """Settings whose lists and tables have at least so many entries."""
    values = st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, min_size=least, max_size=3) | st.dictionaries(st.text(), inner, min_size=least, max_size=3)
        ),
    )
    groups = st.fixed_dictionaries(
        {"hooks": st.lists(handlers, min_size=least, max_size=2)}, optional={"matcher": st.text(max_size=5)}
    )
    events = st.dictionaries(named, st.lists(groups, min_size=least, max_size=3), min_size=least)
    keys = st.text(min_size=1, max_size=8).filter(lambda key: key != "hooks")
    others = st.dictionaries(keys, values, min_size=least, max_size=3)
    return others | st.builds(lambda tree, hooks: {**tree, "hooks": hooks}, others, events)


TREES = {least: trees(least) for least in (0, 1)}


@st.composite
def files(draw: st.DrawFn, *, remarks: bool = True, least: int = 0) -> str:
    """Settings as programs and people write them: any indentation and line ends, other hooks, comments, commas."""
    tree = draw(TREES[least])
    if "hooks" in tree:
        tree = dict(draw(st.permutations(list(tree.items()))))
    ascii_ = draw(st.booleans())
    text = json.dumps(tree, indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=ascii_)
    if remarks and "\n" in text and draw(st.booleans()):
        text = text.replace("\n", "  // a note {[,\n", 1) if draw(st.booleans()) else f"/* mine: [ */\n{text}"
    if text.endswith("\n}") and draw(st.booleans()):
        ends = [",\n}", "\n\n}", *([" /* last */\n}", " // last\n}"] if remarks else [])]
        text = text[:-2] + draw(st.sampled_from(ends))
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(max_examples=150)
@given(files())
def test_what_was_put_in_is_taken_out_again_and_nothing_else_changes(text: str) -> None:
    before = hook_file.parse("f", text).value
    made = hook_file.checked("f", text, lambda text: hook_file.with_groups(text, OURS))
    now = hook_file.parse("f", made).value
    for event, ours in OURS.items():
        assert now["hooks"][event] == [*before.get("hooks", {}).get(event, []), ours]
    assert {**now, "hooks": None} == {**before, "hooks": None}
    assert hook_file.with_groups(made, OURS) == made, "a second time changes nothing"
    left = hook_file.checked("f", made, lambda made: hook_file.without_groups(made, text))
    assert hook_file.parse("f", left).value == before
    assert "".join(left.split()) == "".join(text.split())


@settings(max_examples=100)
@given(files(remarks=False, least=1).filter(lambda text: "//" not in text and "{}" not in text and "[]" not in text))
def test_the_same_bytes_are_left(text: str) -> None:
    made = hook_file.with_groups(text, OURS)
    assert hook_file.without_groups(made, text) == text


def test_a_remark_stays_on_its_line() -> None:
    made = hook_file.with_groups('{\n  "model": "opus" // mine\n}\n', OURS)
    assert made.startswith('{\n  "model": "opus", // mine\n  "hooks": {\n')
    made = hook_file.with_groups('{\n  "hooks": {\n    "Stop": [], /* none yet */\n  }\n}\n', {"Stop": OURS["Stop"]})
    assert "/* none yet */" in made.splitlines()[-3]


def test_every_line_ends_as_the_others_do() -> None:
    made = hook_file.with_groups('{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t}\r\n}', OURS)
    assert made.count("\n") == made.count("\r\n") > 20
    assert all(line.startswith("\t") for line in made.split("\r\n")[1:-1])


def test_a_file_in_one_line_stays_in_one_line() -> None:
    made = hook_file.with_groups('{"model": "opus", "hooks": {}}', OURS)
    assert "\n" not in made
    assert hook_file.without_groups(made, '{"hooks": {}}') == '{"model": "opus", "hooks": {}}'


ENTRY = {"type": "stdio", "command": "/programs/bin/aurelius", "args": ["mcp", "--vault", "/notes"]}
KEYS = st.sampled_from([("mcpServers",), ("mcp", "servers"), ("hooks",), ("mcp",)])


@settings(max_examples=80)
@given(files(), KEYS, st.booleans())
def test_a_server_that_was_put_in_is_taken_out_again_and_nothing_else_changes(
    text: str, keys: tuple[str, ...], again: bool
) -> None:
    before = hook_file.parse("f", text).value
    try:
        made = hook_file.with_server("f", text, keys, ENTRY)
    except ConfigError as error:
        assert "has to hold an object" in error.message  # noqa: PT017  # what stands there is something else
        return
    now = hook_file.parse("f", made).value
    assert {**now, keys[0]: None} == {**before, keys[0]: None}
    found = now
    for key in keys:
        found = found[key]
    assert found["aurelius"] == ENTRY
    if again:
        assert hook_file.with_server("f", made, keys, ENTRY) == made, "a second time changes nothing"
        made = hook_file.with_server("f", made, keys, {**ENTRY, "args": ["mcp"]})
    left = hook_file.without_server(made, keys, text)
    assert hook_file.parse("f", left).value == before
    assert "".join(left.split()) == "".join(text.split())


def test_a_server_of_another_program_is_never_taken_for_ours() -> None:
    others = [
        {"command": "npx", "args": ["mcp"]}, {"command": "aurelius"}, {"command": "aurelius", "args": ["search"]},
        {"command": ["aurelius", "daemon"]}, {"url": "aurelius"}, {"command": 7, "args": ["mcp"]}, "aurelius", None,
        {"command": {"aurelius": "mcp"}}, {"command": "my-aurelius", "args": ["mcp"]},
    ]  # fmt: skip
    assert not any(map(hook_file.is_own_server, others))
    by_hand = {"command": "aurelius", "args": ["--vault", "/notes", "mcp"]}
    windows = {"command": "C:\\bin\\aurelius.exe", "args": ["mcp", "--vault", "D:\\notes"]}
    assert all(map(hook_file.is_own_server, [ENTRY, windows, by_hand, {"command": ["/a/aurelius", "mcp"]}]))


def test_behind_an_address_or_a_comment_no_line_of_blanks_stays() -> None:
    for line in ('"other": {"url": "https://example.org"}', '"other": 1 // mine', '"other": 1, // mine'):
        text = f'{{\n  "mcpServers": {{\n    {line}\n  }}\n}}\n'
        made = hook_file.with_server("mcp.json", text, ["mcpServers"], {"command": "aurelius", "args": ["mcp"]})
        assert hook_file.without_server(made, ["mcpServers"], text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("{a: 1, $b_2: 2, ünder: 3}", {"a": 1, "$b_2": 2, "ünder": 3}), ("{'a b': 'it\\'s \"x\"'}", {"a b": 'it\'s "x"'}),
     ("[0x1F, -0xa, +4, .5, 5., 1e3]", [31, -10, 4, 0.5, 5, 1000]), ("['\\x41\\u00e4\\n', 'a\\\nb']", ["Aä\n", "ab"]),
     ('["\\q\\/", "{,}//"]', ["q/", "{,}//"]), ("['// no /* remark', ]", ["// no /* remark"])],
)  # fmt: skip
def test_what_json5_says_is_read_as_it_is_meant(text: str, value: Any) -> None:
    assert hook_file.parse("f", text).value == value


@pytest.mark.parametrize(
    "text", ["{a b: 1}", "{1a: 1}", "{a: b}", "{a: 'b}", "{a: 1 b: 2}", "['a'b]", "{'a'}", "{a: 0x}"]
)
def test_what_is_no_json5_either_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^f:1: not valid JSON: "):
        hook_file.parse("f", text)
