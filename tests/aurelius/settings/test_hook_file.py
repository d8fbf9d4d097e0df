"""A file of hooks keeps every byte that is not ours: comments, order, indentation, line ends."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.settings import hook_file

LINE = "/programs/bin/aurelius hook"


def group(word: str, matcher: str = "") -> dict[str, Any]:
    handler = {"type": "command", "command": f"{LINE} {word}", "timeout": 10}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}


OURS = {"SessionStart": group("session-start", "startup|resume"), "Stop": group("stop")}
THEIRS = {"hooks": [{"type": "command", "command": "say done"}]}

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
handlers = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=9)})
groups = st.fixed_dictionaries({"hooks": st.lists(handlers, max_size=2)}, optional={"matcher": st.text(max_size=5)})
events = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "PreToolUse"]), st.lists(groups, max_size=3))


@st.composite
def files(draw: st.DrawFn) -> str:
    """Settings as programs and people write them: any indentation and line ends, other hooks, comments, commas."""
    tree = draw(st.dictionaries(st.text(min_size=1, max_size=8).filter(lambda key: key != "hooks"), values, max_size=3))
    if draw(st.booleans()):
        tree = {**tree, "hooks": draw(events)}
        tree = dict(draw(st.permutations(list(tree.items()))))
    ascii_ = draw(st.booleans())
    text = json.dumps(tree, indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=ascii_)
    if "\n" in text and draw(st.booleans()):
        text = text.replace("\n", "  // a note {[,\n", 1) if draw(st.booleans()) else f"/* mine: [ */\n{text}"
    if text.endswith("\n}") and draw(st.booleans()):
        text = text[:-2] + draw(st.sampled_from([",\n}", " /* last */\n}", " // last\n}", "\n\n}"]))
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(max_examples=400)
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
@given(files().filter(lambda text: "//" not in text and "{}" not in text and "[]" not in text))
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
