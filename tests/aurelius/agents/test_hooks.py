"""Events of a client program: what is none of them is met with silence, and never with an error."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from aurelius.__main__ import run_line
from aurelius.agents import hooks
from aurelius.agents.deadline import EVENTS
from aurelius.cli.run import Context
from aurelius.memory import context, relevance
from aurelius.show import context as show
from tests.conftest import TODAY


class Line(NamedTuple):
    key: str
    text: str
    path: str = "ME.md"


class Part(NamedTuple):
    title: str
    lines: tuple[Line, ...]


class Found(NamedTuple):
    parts: tuple[Part, ...]


def found(*keys: str) -> Found:
    return Found((Part("Facts", tuple(Line(key, f"text of {key}") for key in keys)),))


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A memory that has three lines to say to everything but thanks."""
    asked: list[Any] = []

    def for_prompt(vault: Any, prompt: str, *, seen: Any, before: Any, budget: int) -> Found:
        asked.append((prompt, tuple(before)))
        return found(*[key for key in ("a", "b", "c") if key not in seen])

    made = SimpleNamespace(
        asked=asked,
        asks=lambda prompt: bool(prompt) and prompt != "thanks",
        for_prompt=for_prompt,
        opening=lambda vault, budget: found("a", "me"),
        memory=lambda vault, given: "\n".join(line.text for part in given.parts for line in part.lines),
    )

    def stand_in(module: Any, name: str) -> None:
        def call(*given: Any, **more: Any) -> Any:
            return getattr(made, name)(*given, **more)

        monkeypatch.setattr(module, name, call)

    stand_in(relevance, "asks")
    stand_in(context, "for_prompt")
    stand_in(context, "opening")
    stand_in(show, "memory")
    return made


Ask = Callable[..., str]


@pytest.fixture
def ask(vault: Callable[[str], Path], env: dict[str, str], memory: SimpleNamespace) -> Ask:
    """Sends one event as a client does, and gives what the model would read."""
    root = vault("template")
    (root / "ME.md").write_text("# Me\n")
    assert run_line(["index"], Context(str(root), env, False, io.StringIO(), io.StringIO(), io.StringIO(), TODAY)) == 0

    def send(event: str, *options: str, data: bytes | None = None, **fields: Any) -> str:
        body = json.dumps({"session_id": "one", **fields}).encode() if data is None else data
        out, err = io.StringIO(), io.StringIO()
        here = Context(str(root), env, False, io.TextIOWrapper(io.BytesIO(body)), out, err, TODAY)
        assert run_line(["hook", event, *options], here) == 0
        assert err.getvalue() == ""
        if not out.getvalue():
            return ""
        answer = json.loads(out.getvalue())
        assert answer.keys() == {"hookSpecificOutput"}
        assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
        assert answer["hookSpecificOutput"]["hookEventName"] == EVENTS[event]
        return str(answer["hookSpecificOutput"]["additionalContext"])

    return send


def test_a_prompt_is_answered_once_in_a_session(ask: Ask) -> None:
    assert ask("prompt", prompt="Where?") == "text of a\ntext of b\ntext of c"
    assert ask("prompt", prompt="Where?") == ""
    assert ask("prompt", prompt="Where?", session_id="two") != ""


def test_a_prompt_that_asks_for_nothing_is_not_looked_up(ask: Ask, memory: SimpleNamespace) -> None:
    assert ask("prompt", prompt="thanks") == ""
    assert ask("prompt", prompt="  \n ") == ""
    assert memory.asked == []


def test_earlier_prompts_of_the_session_are_known(ask: Ask, memory: SimpleNamespace) -> None:
    for prompt in ("one", "two"):
        ask("prompt", prompt=prompt)
    assert memory.asked == [("one", ()), ("two", ("one",))]


@pytest.mark.parametrize(("source", "again"), [("compact", True), ("clear", True), ("resume", False)])
def test_what_the_client_dropped_is_shown_again_and_nothing_else(source: str, again: bool, ask: Ask) -> None:
    assert ask("session-start", source="startup") == "text of a\ntext of me"
    assert ask("prompt", prompt="Where?") == "text of b\ntext of c"
    assert ask("session-start", source=source) == ("text of a\ntext of me" if again else "")
    assert ask("prompt", prompt="And?") == ("text of b\ntext of c" if again else "")


def test_an_answer_too_long_for_the_client_is_not_given(ask: Ask, memory: SimpleNamespace) -> None:
    memory.memory = lambda vault, given: "x" * (hooks.MOST_TEXT + 1)
    assert ask("prompt", prompt="Where?") == ""
    memory.memory = lambda vault, given: "short"
    assert ask("prompt", prompt="Where?") == "short", "what was not given does not count as shown"


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "data",
    [
        b"", b" ", b"{", b"null", b"[]", b"5", b'"text"', b"{}", b"\xff\xfe\x00", b"\0" * 99, b"[" * 200_000,
        b'{"session_id": 5, "prompt": ["x"], "source": {}, "tool_input": 7, "transcript_path": 1e400}',
        b'{"session_id": null, "prompt": null, "transcript_path": "/nowhere/at/all.jsonl"}',
        b'{"session_id": "\\ud800", "prompt": "\\ud800 where \\u0000?", "cwd": "\\ud800"}',
        b'{"prompt": "' + b"x" * (hooks.LARGEST + 1) + b'"}',
    ],
    ids=range(15),
)  # fmt: skip
def test_what_is_no_event_is_met_with_silence(event: str, data: bytes, ask: Ask) -> None:
    ask(event, data=data)


def test_what_fails_is_nothing_to_say_and_stands_in_the_trace(
    ask: Ask, memory: SimpleNamespace, env: dict[str, str]
) -> None:
    def fail(*given: Any, **more: Any) -> None:
        raise KeyError("lost")

    memory.for_prompt = fail
    assert ask("prompt", "--trace", prompt="Where?") == ""
    (trace,) = Path(env["HOME"]).rglob("hooks.jsonl")
    line = json.loads(trace.read_text())
    assert (line["event"], line["asked"]) == ("prompt", "Where?")
    assert line["why"].startswith("KeyError in ")
    assert "lost" not in line["why"], "an error's words may be a note's"


def test_the_trace_tells_what_was_found_and_why_not(ask: Ask, env: dict[str, str]) -> None:
    for prompt in ("Where?", "Where?", "thanks"):
        ask("prompt", "--trace", prompt=prompt)
    ask("prompt", prompt="untraced")
    (trace,) = Path(env["HOME"]).rglob("hooks.jsonl")
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [(line["asked"], line["found"], bool(line["why"])) for line in lines] == [
        ("Where?", ["a", "b", "c"], False), ("Where?", [], True), ("thanks", [], True),
    ]  # fmt: skip


def test_hooks_that_are_switched_off_say_and_keep_nothing(ask: Ask, env: dict[str, str]) -> None:
    file = Path(env["HOME"]) / ".config" / "aurelius" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[hook]\nenabled = false\n")
    assert ask("prompt", prompt="Where?") == ""
    assert ask("session-start", source="startup") == ""
    assert list(Path(env["HOME"]).rglob("sessions")) == []
