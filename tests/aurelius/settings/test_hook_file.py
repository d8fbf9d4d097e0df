"""A file of hooks keeps every byte that is not ours: order, indentation, line ends; one with comments is left alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.settings import hook_file
from indexer.errors import ConfigError
from tests.daily import daily

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
            st.lists(inner, min_size=least, max_size=3)
            | st.dictionaries(st.text(), inner, min_size=least, max_size=3)
        ),
    )
    groups = st.fixed_dictionaries(
        {"hooks": st.lists(handlers, min_size=least, max_size=2)},
        optional={"matcher": st.text(max_size=5)},
    )
    events = st.dictionaries(named, st.lists(groups, min_size=least, max_size=3), min_size=least)
    keys = st.text(min_size=1, max_size=8).filter(lambda key: key != "hooks")
    others = st.dictionaries(keys, values, min_size=least, max_size=3)
    return others | st.builds(lambda tree, hooks: {**tree, "hooks": hooks}, others, events)


TREES = {least: trees(least) for least in (0, 1)}


@st.composite
def files(draw: st.DrawFn, *, least: int = 0) -> str:
    """Settings as programs and people write them: any indentation and line ends, other hooks."""
    tree = draw(TREES[least])
    if "hooks" in tree:
        tree = dict(draw(st.permutations(list(tree.items()))))
    ascii_ = draw(st.booleans())
    text = json.dumps(tree, indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=ascii_)
    if text.endswith("\n}") and draw(st.booleans()):
        text = f"{text[:-2]}\n\n}}"
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def with_ours(text: str) -> str:
    return hook_file.change_hook_file(
        "f", text, lambda text: hook_file.with_groups("f", text, OURS)
    )


def without_ours(made: str, before: str) -> str:
    return hook_file.change_hook_file(
        "f", made, lambda made: hook_file.without_groups("f", made, before)
    )


def with_server(text: str, keys: Sequence[str], entry: dict[str, Any]) -> str:
    return hook_file.change_hook_file(
        "f", text, lambda text: hook_file.with_server("f", text, keys, entry)
    )


@settings(max_examples=daily(60, 150))
@given(files())
def test_what_was_put_in_is_taken_out_again_and_nothing_else_changes(text: str) -> None:
    before = json.loads(text)
    made = with_ours(text)
    now = json.loads(made)
    for event, ours in OURS.items():
        assert now["hooks"][event] == [*before.get("hooks", {}).get(event, []), ours]
    assert {**now, "hooks": None} == {**before, "hooks": None}
    assert with_ours(made) == made, "a second time changes nothing"
    left = without_ours(made, text)
    assert json.loads(left) == before
    assert "".join(left.split()) == "".join(text.split())


@settings(max_examples=daily(40, 100))
@given(files(least=1).filter(lambda text: "{}" not in text and "[]" not in text))
def test_the_same_bytes_are_left(text: str) -> None:
    made = with_ours(text)
    assert without_ours(made, text) == text


def test_every_line_ends_as_the_others_do() -> None:
    made = with_ours('{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t}\r\n}')
    assert made.count("\n") == made.count("\r\n") > 20
    assert all(line.startswith("\t") for line in made.split("\r\n")[1:-1])


def test_a_file_in_one_line_stays_in_one_line() -> None:
    made = with_ours('{"model": "opus", "hooks": {}}')
    assert "\n" not in made
    assert without_ours(made, '{"hooks": {}}') == '{"model": "opus", "hooks": {}}'


ENTRY = {"type": "stdio", "command": "/programs/bin/aurelius", "args": ["mcp", "--vault", "/notes"]}
KEYS = st.sampled_from([("mcpServers",), ("mcp", "servers"), ("hooks",), ("mcp",)])


@settings(max_examples=daily(40, 80))
@given(files(), KEYS, st.booleans())
def test_a_server_that_was_put_in_is_taken_out_again_and_nothing_else_changes(
    text: str, keys: tuple[str, ...], again: bool
) -> None:
    before = json.loads(text)
    try:
        made = with_server(text, keys, ENTRY)
    except ConfigError as error:
        assert "has to hold an object" in error.message  # noqa: PT017  # what stands there is something else
        return
    now = json.loads(made)
    assert {**now, keys[0]: None} == {**before, keys[0]: None}
    found = now
    for key in keys:
        found = found[key]
    assert found["aurelius"] == ENTRY
    if again:
        assert with_server(made, keys, ENTRY) == made, "a second time changes nothing"
        made = with_server(made, keys, {**ENTRY, "args": ["mcp"]})
    left = hook_file.without_value(made, (*keys, "aurelius"), text)
    assert json.loads(left) == before
    assert "".join(left.split()) == "".join(text.split())


def test_a_server_of_another_program_is_never_taken_for_ours() -> None:
    others = [
        {"command": "npx", "args": ["mcp"]},
        {"command": "aurelius"},
        {"command": "aurelius", "args": ["search"]},
        {"command": ["aurelius", "daemon"]},
        {"url": "aurelius"},
        {"command": 7, "args": ["mcp"]},
        "aurelius",
        None,
        {"command": {"aurelius": "mcp"}},
        {"command": "my-aurelius", "args": ["mcp"]},
    ]
    assert not any(map(hook_file.is_own_server, others))
    by_hand = {"command": "aurelius", "args": ["--vault", "/notes", "mcp"]}
    windows = {"command": "C:\\bin\\aurelius.exe", "args": ["mcp", "--vault", "D:\\notes"]}
    assert all(
        map(hook_file.is_own_server, [ENTRY, windows, by_hand, {"command": ["/a/aurelius", "mcp"]}])
    )


@pytest.mark.parametrize(
    "text", ['{"hooks": {"Stop": []}, "hooks": {}}', '{"a": 1, "mcp": {"b": 1, "b": 2}}']
)
def test_a_key_that_stands_twice_is_left_for_the_person(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^f:1: not plain JSON \(a key stands twice\)"):
        with_server(with_ours(text), ["mcp"], ENTRY)


ODD = [
    ('{\n  "a": 1, // mine\n  "b": 2\n}\n', 2),
    ('// mine\n{"a": 1}\n', 1),
    ('{\n  /* mine */\n  "a": 1\n}\n', 2),
    ('{\n  "a": [1, 2,]}\n', 2),
    ("{\n  'a': 1\n}\n", 2),
    ("{\n  a: 1\n}\n", 2),
    ('{\r\n  "a":\r\n  0x1F\r\n}\r\n', 3),
    ('{\n  "a": "b\\\nc"\n}\n', 2),
    ('{\n  "a": "\\x41"\n}\n', 2),
]
"""Settings that are no plain JSON, and the line that shows it."""


@pytest.mark.parametrize(("text", "line"), ODD)
def test_what_is_no_plain_json_is_named_with_what_to_put_in(text: str, line: int) -> None:
    for change in (with_ours, lambda text: with_server(text, ["mcp", "servers"], ENTRY)):
        with pytest.raises(ConfigError) as raised:
            change(text)
        assert raised.value.message.startswith(f"f:{line}: not plain JSON (")
        head, _, lines = raised.value.hint.partition("\n")
        assert head.startswith("with an editor, make that line plain JSON, or put this in")
        assert json.loads(lines) == json.loads(change(""))


@pytest.mark.parametrize(("text", "line"), ODD)
def test_what_is_no_plain_json_is_named_with_the_lines_to_take_out(text: str, line: int) -> None:
    text = text.replace("}", "  // runs /bin/aurelius\n}")
    with pytest.raises(ConfigError, match=f"^f:{line}: not plain JSON ") as raised:
        without_ours(text, text)
    last = text.count("\n", 0, text.index("aurelius")) + 1
    assert raised.value.hint.endswith(
        f"or take out what runs aurelius (line {last}); then run the command again"
    )


@pytest.mark.parametrize("text", ["{}", '{\n  "hooks": {}\n}'])
def test_what_was_put_in_by_hand_is_found_however_it_is_written(text: str) -> None:
    by_hand = f"// it's mine\n{with_ours(text)}"
    loose = re.sub(r'"(\w+)":', r"\1:", by_hand).replace("\n", "\n  ").replace("10", "10,")
    for now in (by_hand, loose):
        assert with_ours(now) == now
    served = f"// it's mine\n{with_server(text, ['mcp'], ENTRY)}"
    for now in (
        served,
        served.replace('"', "'"),
        served.replace("\n", "\r\n").replace('"]', '",\n]'),
    ):
        assert with_server(now, ["mcp"], ENTRY) == now


def test_what_was_put_in_by_hand_and_is_no_longer_wanted_is_told() -> None:
    by_hand = f"// mine\n{with_ours('')}"
    with pytest.raises(ConfigError, match="not plain JSON"):
        hook_file.change_hook_file(
            "f", by_hand, lambda text: hook_file.with_groups("f", text, {"Stop": OURS["Stop"]})
        )
    served = f"// mine\n{with_server('', ['mcp'], ENTRY)}"
    for words in (["mcp"], [*ENTRY["args"], "--agent=Kim"], ["mcp", "--vault", "/note"]):
        with pytest.raises(ConfigError, match="not plain JSON"):
            with_server(served, ["mcp"], {**ENTRY, "args": words})


def test_ours_at_the_front_goes_and_what_follows_keeps_its_place() -> None:
    ours = with_server("", ["mcpServers"], ENTRY)
    made = ours.replace("\n    }\n", '\n    },\n\n    "docs": {"command": "npx"}\n')
    left = hook_file.without_value(made, ("mcpServers", "aurelius"), "{}")
    assert left == '{\n  "mcpServers": {\n    "docs": {"command": "npx"}\n  }\n}\n'
