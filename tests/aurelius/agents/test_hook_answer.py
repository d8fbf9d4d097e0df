"""What a hook says goes from one process to another and is the same there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aurelius.agents.hook_answer import HookAnswer, read_hook_answer, write_hook_answer

LINE = json.dumps({"additionalContext": "a\nb\r\u2028\x85\0 end"}, ensure_ascii=False)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"text": LINE, "session_file": "5a.json", "session": "{}", "traced": LINE},
        {"session_file": "5a.json", "traced": LINE},
        {"text": LINE, "outdated": True},
    ],
)
def test_an_answer_is_read_as_it_was_written(fields: dict[str, Any]) -> None:
    answer = HookAnswer()
    for name, value in fields.items():
        setattr(answer, name, value)
    again = read_hook_answer(write_hook_answer(answer))
    for name in ("text", "session_file", "session", "traced", "outdated"):
        assert getattr(again, name) == getattr(answer, name), name


def test_nothing_is_an_answer_that_says_nothing() -> None:
    assert read_hook_answer("").text == ""


@pytest.mark.parametrize("text", ["half", "a\nb\nc\nd", "a\nb\nc\nd\n\nf"])
def test_what_is_cut_off_is_no_answer(text: str) -> None:
    with pytest.raises(ValueError, match="unpack"):
        read_hook_answer(text)
