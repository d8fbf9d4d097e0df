"""What a model is asked: a question as data, what of the notes goes with it, and what never does.

Pure. A request is one canonical JSON, whose SHA-256 names recorded answers; the body that leaves is
made of it for OpenAI's chat completions, for Anthropic's messages, or as the text a program reads.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.language.secret_text import find_secret
from indexer.reading.markdown import spelled
from indexer.reading.path_meaning import agent_of, is_conversation, is_imported
from indexer.spelling import compact_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_ANTHROPIC_MOST = 4096
"""Tokens that Anthropic's server is told where a request names none."""
_STEERING = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that steer a terminal or a reader, or that no text has, and say nothing."""


class Source(NamedTuple):
    """A line of the notes: the name of what it is about, its words, its day or "", and the note it
    stands in."""

    about: str
    text: str
    day: str
    path: str


class SentLine(NamedTuple):
    """A line as a model gets it: a short id (`L1`), its words, its day or "", where it stands, what
    it is about, and the day since which it holds no more, or ""."""

    id: str
    text: str
    day: str = ""
    place: str = ""
    about: str = ""
    until: str = ""


class ToolCall(NamedTuple):
    """A tool that the model wants used; `fault` says why it cannot be, "" for nothing."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    fault: str = ""


class ModelTurn(NamedTuple):
    """What `user`, `assistant` or `tool` said: with the lines that go with it, the tools it calls,
    or the id of the call that it answers."""

    who: str
    text: str
    lines: tuple[SentLine, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""


class Tool(NamedTuple):
    """A tool that the model may call: its name, what it does, and the JSON schema of its
    arguments."""

    name: str
    about: str
    parameters: Mapping[str, Any]


class ModelRequest(NamedTuple):
    """One question to a model. `lines` go with the last turn of the person; `most_tokens` bounds
    the answer, 0 leaves it to the model."""

    system: str
    turns: tuple[ModelTurn, ...]
    lines: tuple[SentLine, ...] = ()
    tools: tuple[Tool, ...] = ()
    most_tokens: int = 0

    def given(self) -> dict[str, SentLine]:
        """All lines of the request by their ids: an answer may rest on these."""
        found = {line.id: line for line in self.lines}
        for turn in self.turns:
            found |= {line.id: line for line in turn.lines}
        return found


def withheld(source: Source, hidden: Collection[str]) -> str:
    """Why a line is never sent, "" where it may be; `hidden` are the paths of private notes."""
    if source.path in hidden:
        return "a private note"
    # what lies in agents/ itself is nobody's, and an agent's all the same
    if agent_of(f"{source.path}/"):
        return "a note in agents/"
    if is_conversation(source.path):
        return "a note in conversations/"
    if is_imported(source.path):
        return "an imported note"
    if any(find_secret(each) for each in (source.text, source.about, source.path)):
        return "a line that looks like a secret"
    return ""


def sendable(
    sources: Sequence[Source], hidden: Collection[str], after: int = 0
) -> dict[int, SentLine]:
    """The lines that may be sent by their places among these, with ids behind `L{after}`."""
    found: dict[int, SentLine] = {}
    for at, each in enumerate(sources):
        if not withheld(each, hidden):
            number = after + len(found) + 1
            text = unsteered(spelled(each.text))
            about = unsteered(each.about)
            found[at] = SentLine(f"L{number}", text, each.day, about=about)
    return found


def unsteered(text: str) -> str:
    """A text without the characters that steer whoever reads it."""
    return _STEERING.sub("", text)


def canonical(request: ModelRequest) -> str:
    """A request as one JSON text: the same for the same request, whatever model is asked."""
    return json.dumps(_plain(request), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def request_hash(request: ModelRequest) -> str:
    """The name of a request: the SHA-256 of its canonical JSON, in hex."""
    return sha256(canonical(request).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """A value as JSON has it: named tuples are objects."""
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def fenced(lines: Iterable[SentLine]) -> str:
    """Lines as data that cannot end their own fence."""
    rows = [{name: said for name, said in line._asdict().items() if said} for line in lines]
    told = json.dumps(rows, ensure_ascii=False).replace("<", "\\u003c")
    return f"<notes>\n{unsteered(told)}\n</notes>"


def _said(request: ModelRequest) -> list[tuple[ModelTurn, str]]:
    """The turns, each with all that it says."""
    asked = [at for at, turn in enumerate(request.turns) if turn.who == "user"]
    told = []
    for at, turn in enumerate(request.turns):
        lines = turn.lines
        if asked and at == asked[-1]:
            lines += request.lines
        parts = [unsteered(turn.text)]
        if lines:
            parts.append(fenced(lines))
        told.append((turn, "\n\n".join(filter(None, parts))))
    return told


def openai_body(model: str, request: ModelRequest) -> str:
    """What goes to OpenAI's chat completions."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}]
    for turn, text in _said(request):
        message: dict[str, Any] = {"role": turn.who, "content": text}
        if turn.calls:
            message["tool_calls"] = [_openai_call(each) for each in turn.calls]
        if turn.answers:
            message["tool_call_id"] = turn.answers
        messages.append(message)
    body: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.about,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if request.most_tokens:
        body["max_completion_tokens"] = request.most_tokens
    return compact_json(body)


def _openai_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": compact_json(dict(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}


def anthropic_body(model: str, request: ModelRequest) -> str:
    """What goes to Anthropic's messages."""
    messages: list[dict[str, Any]] = []
    for turn, text in _said(request):
        who = "assistant" if turn.who == "assistant" else "user"
        parts = _anthropic_parts(turn, text)
        if messages and messages[-1]["role"] == who:  # what several tools found is one turn there
            messages[-1]["content"] += parts
        else:
            messages.append({"role": who, "content": parts})
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.most_tokens or _ANTHROPIC_MOST,
        "system": request.system,
        "messages": messages,
        "stream": True,
    }
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.about, "input_schema": tool.parameters}
            for tool in request.tools
        ]
    return compact_json(body)


def _anthropic_parts(turn: ModelTurn, text: str) -> list[dict[str, Any]]:
    if turn.answers:
        return [{"type": "tool_result", "tool_use_id": turn.answers, "content": text}]
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    return parts + [
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": dict(call.arguments),
        }
        for call in turn.calls
    ]


def prompt(request: ModelRequest) -> str:
    """A request as a program reads it on stdin."""
    told = [request.system, *(text for _, text in _said(request))]
    return "".join(f"{each}\n\n" for each in told)
