"""The person's own language model: one question, and what it answers as it comes.

Off until the person's own settings name an endpoint or a program. Nothing here decides what is sent
or what is believed. Only what a person does comes here, never a search or a hook.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from contextlib import closing, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from aurelius.language.secret_text import find_secret

from .connection import Model, Stop, UnansweredError, posted, told_late
from .request import ToolCall, anthropic_body, openai_body, prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from subprocess import Popen

    from aurelius.settings.config import Config

    from .request import ModelRequest

MOST_REPLY_BYTES = 256 << 10
"""Bytes that an answer may have."""
MOST_STREAM_BYTES = 16 << 20
"""Bytes that may come for it, where each word is wrapped in its own event."""


class ModelText(NamedTuple):
    """The next words of an answer."""

    text: str


class Spent(NamedTuple):
    """Tokens that a question and its answer took, and the cost in the server's currency, if it says
    so."""

    tokens_in: int
    tokens_out: int
    cost: float | None


class Ended(NamedTuple):
    """The end of an answer, and why: `done`, `length`, `refused` or `stopped`."""

    reason: str


ModelEvent = ModelText | ToolCall | Spent | Ended
"""What comes of a question, in this order: words, calls of tools, what was spent, the end."""


class Endpoint(Protocol):
    """What can be asked."""

    def stream(
        self,
        request: ModelRequest,
        stop: Stop,
    ) -> Iterator[ModelEvent]:
        """What comes of a question, as it comes; the last is `Ended`. UnansweredError where
        there is no whole answer in time, also after some of it came."""
        ...

    def sent(self, request: ModelRequest) -> str:
        """Exactly what would leave."""
        ...


def model_of(config: Config, env: Mapping[str, str]) -> Model:
    """The model of the settings; UnansweredError where they name none that can be asked."""
    if wrong := _why_unusable(config):
        raise UnansweredError(wrong)
    key = env.get(config.llm_key_name, "").strip()
    if not key.isascii() or not key.isprintable():
        raise UnansweredError(
            f"the key in {config.llm_key_name} holds what no key can hold; set it again"
        )
    return Model(
        endpoint=config.llm_endpoint,
        name=config.llm_model,
        command=config.llm_command,
        key=key,
        timeout=float(config.llm_timeout),
        where=question_target(config),
        api=config.llm_api,
    )


def question_target(config: Config) -> str:
    """Where questions go, in words."""
    if config.llm_command:
        return f"the program {config.llm_command}"
    return f"{config.llm_model} at {config.llm_endpoint}"


def _why_unusable(config: Config) -> str:
    """What is wrong with the settings of a model, and what to do; "" for nothing."""
    endpoint = config.llm_endpoint
    command = config.llm_command
    if endpoint and command:
        return (
            "both llm.endpoint and llm.command are set; unset one: aurelius config unset"
            " llm.command"
        )
    if not endpoint and not command:
        return "no model is set: aurelius config set llm.endpoint URL, or llm.command PROGRAM"
    if endpoint and not config.llm_model:
        return "the model has no name: aurelius config set llm.model NAME"
    values = {"endpoint": endpoint, "model": config.llm_model, "command": command}
    for name, value in values.items():
        if find_secret(value):
            return f"llm.{name} holds a key; put it into {config.llm_key_name} and remove it there"
    return ""


def endpoint_of(model: Model, env: Mapping[str, str]) -> Endpoint:
    """What answers for a model; `env` is what a program is started with."""
    if model.command:
        return ProgramEndpoint(model, env)
    if model.api == "anthropic":
        return AnthropicEndpoint(model)
    return OpenAIEndpoint(model)


def ask_model(
    model: Model,
    request: ModelRequest,
    env: Mapping[str, str],
) -> str:
    """The whole answer to one question; UnansweredError where there is none in time, or none of a
    bearable length."""
    return whole_answer(endpoint_of(model, env), request, Stop())


def whole_answer(endpoint: Endpoint, request: ModelRequest, stop: Stop) -> str:
    """The whole answer of an endpoint; UnansweredError as above, or where it was stopped."""
    said: list[str] = []
    reason = ""
    for event in endpoint.stream(request, stop):
        if isinstance(event, ModelText):
            said.append(event.text)
        elif isinstance(event, Ended):
            reason = event.reason
    text = "".join(said)
    if reason == "stopped":
        raise UnansweredError("the model did not answer in time")
    if reason == "length":
        raise UnansweredError("the model broke off its answer")
    if reason == "refused" or not text.strip():
        raise UnansweredError("the model refused to answer")
    return text


class OpenAIEndpoint:
    """A server that speaks OpenAI's chat completions."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def stream(self, request: ModelRequest, stop: Stop) -> Iterator[ModelEvent]:
        """What comes of a question, as it comes; see Endpoint."""
        headers = {}
        if self._model.key:
            headers["Authorization"] = " ".join(("Bearer", self._model.key))
        reading = _OpenAIReading(request)
        path = "/chat/completions"
        return _asked(self._model, stop, reading, path, self.sent(request), headers)

    def sent(self, request: ModelRequest) -> str:
        """The body of the question."""
        return openai_body(self._model.name, request)


class AnthropicEndpoint:
    """A server that speaks Anthropic's messages."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def stream(self, request: ModelRequest, stop: Stop) -> Iterator[ModelEvent]:
        """What comes of a question, as it comes; see Endpoint."""
        headers = {"anthropic-version": "2023-06-01"}
        if self._model.key:
            headers["x-api-key"] = self._model.key
        reading = _AnthropicReading(request)
        return _asked(self._model, stop, reading, "/messages", self.sent(request), headers)

    def sent(self, request: ModelRequest) -> str:
        """The body of the question."""
        return anthropic_body(self._model.name, request)


class ProgramEndpoint:
    """A program: the question on its stdin, the answer on its stdout; it knows no tools."""

    def __init__(self, model: Model, env: Mapping[str, str]) -> None:
        self._model = model
        self._env = env

    def stream(self, request: ModelRequest, stop: Stop) -> Iterator[ModelEvent]:
        """The whole answer at once; see Endpoint."""

        def read(own: Stop) -> Iterator[ModelEvent]:
            yield ModelText(_of_program(self._model.command, self.sent(request), self._env, own))
            yield Ended("done")

        return _in_time(self._model, stop, read)

    def sent(self, request: ModelRequest) -> str:
        """What the program reads."""
        return prompt(request)


def _in_time(
    model: Model, stop: Stop, read: Callable[[Stop], Iterator[ModelEvent]]
) -> Iterator[ModelEvent]:
    """What is read in a thread, because a slow drip of bytes outlasts every timeout of a client."""
    found: queue.SimpleQueue[ModelEvent | UnansweredError] = queue.SimpleQueue()
    own = Stop()

    def run() -> None:
        try:
            for event in read(own):
                found.put(event)
        except UnansweredError as error:
            found.put(error)
        # whatever a client does with an answer nobody foresaw
        except Exception as error:  # noqa: BLE001
            found.put(UnansweredError(f"{type(error).__name__} from {model.where}"))

    def end() -> None:
        found.put(Ended("stopped"))
        own.set()

    stop.when_set(end)
    until = monotonic() + model.timeout
    threading.Thread(target=run, daemon=True).start()
    try:
        while True:
            event = found.get(timeout=max(0.0, until - monotonic()))
            if isinstance(event, UnansweredError):
                raise event
            yield event
            if isinstance(event, Ended):
                return
    except queue.Empty:
        raise UnansweredError(told_late(model)) from None
    finally:
        own.set()


def _asked(
    model: Model,
    stop: Stop,
    reading: _Reading,
    path: str,
    body: str,
    headers: Mapping[str, str],
) -> Iterator[ModelEvent]:
    def read(own: Stop) -> Iterator[ModelEvent]:
        with closing(posted(model, path, body, headers, own)) as parts:
            for data in _data(parts):
                yield from reading.read(data)
        yield from reading.ended()

    return _in_time(model, stop, read)


_NO_ANSWER = "the server answered something else than a model's answer"


def _data(parts: Iterable[bytes]) -> Iterator[Any]:
    """The values of a stream of events, or the one value of an answer that came whole."""
    line = b""
    whole = b""
    total = 0
    for part in parts:
        total += len(part)
        *lines, line = (line + part).split(b"\n")
        for each in lines:
            if each.startswith(b"data:"):
                if each[5:].strip() != b"[DONE]":
                    yield _json(each[5:])
            elif not each.startswith((b"event:", b"id:", b"retry:", b":")):
                whole += each
        if total > MOST_STREAM_BYTES or len(whole) + len(line) > MOST_REPLY_BYTES:
            raise UnansweredError(_TOO_LONG)
    # half an event says nothing: what is cut has no end, and is told so
    if not line.startswith(b"data:") and (whole + line).strip():
        yield _json(whole + line)


_TOO_LONG = f"the answer is longer than {MOST_REPLY_BYTES >> 10} KiB"


def _json(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise UnansweredError(_NO_ANSWER) from None
    if not isinstance(found, dict):
        raise UnansweredError(_NO_ANSWER)
    if wrong := found.get("error"):
        raise UnansweredError(_server_error(wrong))
    return found


def _server_error(wrong: Any) -> str:
    """What a server says in the middle of an answer went wrong, on one line."""
    said = wrong.get("message") if isinstance(wrong, dict) else wrong
    line = " ".join(str(said).split())[:200]
    shown = "".join(each for each in line if each.isprintable())
    return f"the server broke off its answer: {shown}"


class _Reading:
    """Reads one answer event by event."""

    def __init__(self, request: ModelRequest) -> None:
        self._tools = {tool.name for tool in request.tools}
        self._calls: dict[Any, list[str]] = {}  # id, name and arguments as they come
        self._length = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost: float | None = None
        self.reason = ""

    def read(self, data: dict[str, Any]) -> Iterator[ModelEvent]:
        """What one event says; UnansweredError where it is none of this API."""
        try:
            yield from self.events(data)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise UnansweredError(_NO_ANSWER) from None

    def events(self, data: dict[str, Any]) -> Iterator[ModelEvent]:
        """What one event says."""
        raise NotImplementedError  # each API has its own

    def ended(self) -> Iterator[ModelEvent]:
        """The calls of tools, what was spent, and the end."""
        if not self.reason:
            raise UnansweredError("the server broke off its answer")
        if self.reason == "done":
            for call, name, arguments in self._calls.values():
                yield _call(call, name, arguments, self._tools)
        if self.tokens_in or self.tokens_out:
            yield Spent(self.tokens_in, self.tokens_out, self.cost)
        yield Ended(self.reason)

    def _text(self, text: Any) -> Iterator[ModelEvent]:
        if isinstance(text, str) and text:
            self._count(text)
            yield ModelText(text)

    def _call_part(self, at: Any, call: Any, name: Any, arguments: Any) -> None:
        made = self._calls.setdefault(at, ["", "", ""])
        for number, part in enumerate((call, name, arguments)):
            made[number] += part or ""
            self._count(part or "")

    def _count(self, text: str) -> None:
        self._length += len(text)
        if self._length > MOST_REPLY_BYTES:
            raise UnansweredError(_TOO_LONG)


def _call(call: str, name: str, text: str, tools: Collection[str]) -> ToolCall:
    """A call of a tool, with what is wrong with it."""
    if name not in tools:
        return ToolCall(call, name, {}, f"there is no tool {name[:60]!r}")
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return ToolCall(call, name, {}, "the arguments are not JSON")
    if not isinstance(arguments, dict):
        return ToolCall(call, name, {}, "the arguments are not a JSON object")
    return ToolCall(call, name, arguments)


class _OpenAIReading(_Reading):
    """Reads chunks of a chat completion, or a whole one from a server that does not stream."""

    def events(self, data: dict[str, Any]) -> Iterator[ModelEvent]:
        if usage := data.get("usage"):
            self.tokens_in = int(usage.get("prompt_tokens") or 0)
            self.tokens_out = int(usage.get("completion_tokens") or 0)
            if isinstance(cost := usage.get("cost"), int | float):
                self.cost = float(cost)
        if not data.keys() & {"choices", "usage"}:
            raise KeyError("choices")
        for choice in data.get("choices") or ():
            yield from self._choice(choice)

    def _choice(self, choice: dict[str, Any]) -> Iterator[ModelEvent]:
        said = choice.get("delta") or choice.get("message") or {}
        ended = choice.get("finish_reason")
        if "message" in choice and not ended:
            ended = "stop"
        if ended:
            self.reason = _OPENAI_ENDS.get(str(ended), "done")
        if said.get("refusal"):
            self.reason = "refused"
        yield from self._text(said.get("content"))
        for number, each in enumerate(said.get("tool_calls") or ()):
            made = each.get("function") or {}
            at = each.get("index", number)
            self._call_part(at, each.get("id"), made.get("name"), made.get("arguments"))


_OPENAI_ENDS = {"length": "length", "content_filter": "length"}


class _AnthropicReading(_Reading):
    """Reads the events of a message."""

    def events(self, data: dict[str, Any]) -> Iterator[ModelEvent]:
        kind = data["type"]
        if kind == "message_start":
            self._spent(data["message"].get("usage") or {})
        elif kind == "content_block_start":
            block = data["content_block"]
            if block["type"] == "tool_use":
                self._call_part(data["index"], block["id"], block["name"], "")
        elif kind == "content_block_delta":
            delta = data["delta"]
            yield from self._text(delta.get("text"))
            if "partial_json" in delta:
                self._call_part(data["index"], "", "", delta["partial_json"])
        elif kind == "message_delta":
            self._spent(data.get("usage") or {})
            if ended := data["delta"].get("stop_reason"):
                self.reason = _ANTHROPIC_ENDS.get(ended, "done")

    def _spent(self, usage: dict[str, Any]) -> None:
        self.tokens_in = int(usage.get("input_tokens") or self.tokens_in)
        self.tokens_out = int(usage.get("output_tokens") or self.tokens_out)


_ANTHROPIC_ENDS = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


def _of_program(
    command: str,
    asked: str,
    env: Mapping[str, str],
    stop: Stop,
) -> str:
    import shlex
    import subprocess

    words = shlex.split(command)
    words[0] = os.path.expanduser(words[0])
    try:
        made = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        raise UnansweredError(f"{words[0]} cannot be run: {error.strerror or error}") from None
    stop.when_set(lambda: _end(made))
    assert made.stdin is not None and made.stdout is not None  # noqa: PT018  they are pipes
    feed = threading.Thread(target=_feed, args=(made.stdin, asked), daemon=True)
    feed.start()
    try:
        pipe = made.stdout.fileno()
        data = _bounded(iter(lambda: os.read(pipe, 4096), b""))
        code = made.wait()
    finally:
        _end(made)
        feed.join()
        made.stdout.close()
    if code:
        raise UnansweredError(f"{words[0]} ended with exit code {code}")
    text = data.decode("utf-8", "replace")
    if not text.strip():
        raise UnansweredError(f"{words[0]} printed nothing")
    return text


def _bounded(parts: Iterable[bytes]) -> bytes:
    data = b""
    for part in parts:
        data += part
        if len(data) > MOST_REPLY_BYTES:
            raise UnansweredError(_TOO_LONG)
    return data


def _feed(pipe: Any, text: str) -> None:
    with suppress(OSError), pipe:
        pipe.write(text.encode())


def _end(made: Popen[bytes]) -> None:
    """End a program and what it started, if it still runs."""
    import signal

    if made.poll() is not None:
        return
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(made.pid, signal.SIGKILL)
        else:
            made.kill()
    made.wait()
