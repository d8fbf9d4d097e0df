"""What a hook says goes from one process to another and is the same there."""

from __future__ import annotations

import json

import pytest

from aurelius.agents.hook_answer import HookAnswer, read_hook_answer, write_hook_answer

LINE = json.dumps({"additionalContext": "a\nb\r\u2028\x85\0 end"}, ensure_ascii=False)


@pytest.mark.parametrize(
    "answer",
    [
        HookAnswer(),
        HookAnswer(LINE, "5a.json", '{"shown":["k3v9qa"]}', '{"event":"prompt"}'),
        HookAnswer("", "5a.json", "", LINE),
        HookAnswer(LINE, outdated=True),
    ],
)
def test_an_answer_is_read_as_it_was_written(answer: HookAnswer) -> None:
    again = read_hook_answer(write_hook_answer(answer))
    assert [getattr(again, name) for name in HookAnswer.__slots__] == [
        getattr(answer, name) for name in HookAnswer.__slots__
    ]


def test_nothing_is_an_answer_that_says_nothing() -> None:
    assert read_hook_answer("").text == ""


@pytest.mark.parametrize("text", ["half", "a\nb\nc\nd", "a\nb\nc\nd\n\nf"])
def test_what_is_cut_off_is_no_answer(text: str) -> None:
    with pytest.raises(ValueError, match="unpack"):
        read_hook_answer(text)
