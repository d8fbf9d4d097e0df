"""The person's own language model: one question and its answer, and what it has worded before.

Off until the person's own settings name an endpoint or a program, and what it may word. Nothing
here decides what is sent or what is believed: `wording` does. Only commands that a person runs come
here, never a search or a hook.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.agents import wording
from aurelius.agents.wording import Source
from aurelius.language.secret_text import find_secret
from aurelius.settings.places import LLM_FAILED, WORDINGS, install_line, vault_state
from indexer.spelling import compact_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from subprocess import Popen

    from aurelius.agents.wording import Sentence
    from aurelius.memory.extract import Carried
    from aurelius.settings.config import Config
    from indexer.note import Fact

    Messages = list[dict[str, str]]

MOST_REPLY_BYTES = 256 << 10
"""Bytes that an answer may have."""
MOST_QUESTIONS = 50
MOST_KEPT = 5000
"""Questions in one run, what is left keeps its own words until the next; wordings that are kept for
a vault."""


class UnansweredError(Exception):
    """Why there is no answer, in plain words."""


class Model(NamedTuple):
    """The model that the person has set: an endpoint and a name, or a program; the key, and the
    seconds to wait."""

    endpoint: str
    name: str
    command: str
    key: str
    timeout: float
    where: str


def _question_target(config: Config) -> str:
    """Where questions go, in words."""
    if config.llm_command:
        return f"the program {config.llm_command}"
    return f"{config.llm_model} at {config.llm_endpoint}"


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
        where=_question_target(config),
    )


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


def ask_model(model: Model, messages: Messages, env: Mapping[str, str]) -> str:
    """The answer to one question; UnansweredError where there is none in time, or none of a
    bearable length."""
    found: list[str] = []
    failed: list[UnansweredError] = []
    stop: list[Callable[[], object]] = []

    def run() -> None:
        try:
            if model.command:
                found.append(_of_program(model, messages, env, stop))
            else:
                found.append(_of_server(model, messages, stop))
        except UnansweredError as error:
            failed.append(error)
        # whatever a client does with an answer nobody foresaw
        except Exception as error:  # noqa: BLE001
            failed.append(UnansweredError(f"{type(error).__name__} from {model.where}"))

    # in a thread, because a slow drip of bytes outlasts every timeout of a client
    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    try:
        worker.join(model.timeout)
    finally:
        for each in stop if worker.is_alive() else ():
            with suppress(Exception):
                each()
    if failed:
        raise failed[0]
    if not found:
        raise UnansweredError(f"no answer from {model.where} within {model.timeout:.0f} s")
    return found[0]


def _of_server(model: Model, messages: Messages, stop: list[Callable[[], object]]) -> str:
    try:
        import openai
    except ImportError:
        raise UnansweredError(f"the extra is not installed; {install_line('llm')}") from None

    with _only_ours(model) as web:
        stop.append(web.close)
        try:
            client = openai.OpenAI(
                api_key=model.key or "none",
                base_url=model.endpoint,
                max_retries=1,
                timeout=model.timeout,
                http_client=web,
            )
            asked: Any = messages
            with client.chat.completions.with_streaming_response.create(
                model=model.name, messages=asked
            ) as answer:
                return _content(_bounded(answer.http_response.iter_raw(4096)))
        except openai.OpenAIError as error:
            raise UnansweredError(_of_error(model, error)) from None


def _of_error(model: Model, error: Exception) -> str:
    """What went wrong while a server was asked, in plain words."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return f"no answer from {model.where} within {model.timeout:.0f} s"
    if isinstance(error, openai.APIConnectionError):
        return f"no connection to {model.where}"
    status = getattr(error, "status_code", 0)
    if 300 <= status < 400:
        return f"{model.where} wants to send the question elsewhere, which is refused"
    if not status:
        return f"{type(error).__name__} from {model.where}"
    return _STATUS.get(status, f"{model.where} answered {status}")


def _only_ours(model: Model) -> Any:
    """A client of HTTP that sends the question and nothing else: no header that it makes of the
    environment or the machine."""
    import httpx2
    import openai

    class OnlyOurs(httpx2.HTTPTransport):
        """Sends only the headers that are ours."""

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            headers = {name: request.headers[name] for name in _HEADERS if name in request.headers}
            headers |= _OWN
            if model.key:
                headers["Authorization"] = " ".join(("Bearer", model.key))
            bare = httpx2.Request(
                request.method, request.url, headers=headers, stream=request.stream
            )
            bare.extensions = request.extensions
            answer = super().handle_request(bare)
            if answer.status_code < 300:
                return answer
            answer.close()  # the client would read all that an error says, however long
            return httpx2.Response(answer.status_code)

    return openai.DefaultHttpxClient(
        trust_env=False,
        follow_redirects=False,
        timeout=model.timeout,
        transport=OnlyOurs(trust_env=False),
    )


_HEADERS = ("Host", "Content-Type", "Content-Length", "Transfer-Encoding")
_OWN = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "aurelius"}
_STATUS = {
    401: "the server does not accept the key (401)",
    404: "the server does not know this address or model (404)",
    429: "the server takes no more questions now (429)",
}


def _bounded(parts: Any) -> bytes:
    data = b""
    for part in parts:
        data += part
        if len(data) > MOST_REPLY_BYTES:
            raise UnansweredError(f"the answer is longer than {MOST_REPLY_BYTES >> 10} KiB")
    return data


def _content(data: bytes) -> str:
    try:
        choice = json.loads(data)["choices"][0]
        said = choice["message"]
        text = said["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise UnansweredError("the server answered something else than a chat completion") from None
    if said.get("refusal") or not isinstance(text, str) or not text.strip():
        raise UnansweredError("the model refused to answer")
    if choice.get("finish_reason") in ("length", "content_filter"):
        raise UnansweredError("the model broke off its answer")
    return text


def _of_program(
    model: Model,
    messages: Messages,
    env: Mapping[str, str],
    stop: list[Callable[[], object]],
) -> str:
    import shlex
    import subprocess

    words = shlex.split(model.command)
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
    stop.append(lambda: _end(made))
    assert made.stdin is not None and made.stdout is not None  # noqa: PT018  they are pipes
    feed = threading.Thread(target=_feed, args=(made.stdin, prompt(messages)), daemon=True)
    feed.start()
    try:
        pipe = made.stdout.fileno()
        data = _bounded(iter(lambda: os.read(pipe, 4096), b""))
        code = made.wait()
    finally:
        if made.poll() is None:
            _end(made)
        feed.join()
        made.stdout.close()
    if code:
        raise UnansweredError(f"{words[0]} ended with exit code {code}")
    text = data.decode("utf-8", "replace")
    if not text.strip():
        raise UnansweredError(f"{words[0]} printed nothing")
    return text


def _feed(pipe: Any, text: str) -> None:
    with suppress(OSError), pipe:
        pipe.write(text.encode())


def _end(made: Popen[bytes]) -> None:
    """End a program and what it started."""
    import signal

    with suppress(OSError):
        if os.name == "posix":
            os.killpg(made.pid, signal.SIGKILL)
        else:
            made.kill()
    made.wait()


def sent(config: Config, messages: Messages) -> str:
    """What a question is when it is sent: the body of the request, or what the program reads."""
    if config.llm_command:
        return prompt(messages)
    return compact_json({"model": config.llm_model, "messages": messages})


def prompt(messages: Messages) -> str:
    """A question as a program reads it on stdin."""
    return "".join(f"{each['content']}\n\n" for each in messages)


class Worder:
    """One run of a command that may have lines worded: what it asks, what it believes, and what
    there is to tell; `hidden` are private notes, `titles` the names of all by path; `dry` collects
    questions in `would`, and asks none.
    """

    def __init__(
        self,
        config: Config,
        env: Mapping[str, str],
        hidden: Collection[str],
        titles: Mapping[str, str],
        now: str,
        *,
        dry: bool = False,
    ) -> None:
        self.use = config.llm_use
        self.where = _question_target(config)
        self.hidden = hidden
        self.titles = titles
        self.would: list[str] = []
        self._config = config
        self._env = env
        self._now = now
        self._dry = dry
        self._known: dict[str, Any] = _read(config.state)
        self._fresh: dict[str, Any] = {}
        self._why = ""
        self._asked = 0
        self._failed = 0
        self._left = 0

    def summary(
        self,
        path: str,
        title: str,
        facts: Sequence[Fact],
    ) -> list[str] | None:
        """The facts of one note as sentences, in the order in which they came; None without an
        answer."""
        sources = [Source(title, fact.text, fact.date or "", path) for fact in facts]
        open_ = self._open(sources)[: wording.MOST_FACTS]
        worded: list[Sentence] | None = []
        if open_:
            worded = self._worded(wording.SUMMARY_WORDING, [sources[at] for at in open_])
        if worded is None:
            return None
        kept = [each._replace(uses=tuple(open_[at] for at in each.uses)) for each in worded]
        return [text for text, _ in wording.join_wordings(sources, kept)]

    def _open(self, sources: Sequence[Source]) -> list[int]:
        """The numbers of the lines that may be sent."""
        return [
            number for number, each in enumerate(sources) if not wording.withheld(each, self.hidden)
        ]

    def carried(self, found: Sequence[Carried]) -> list[Carried]:
        """Lines of daily notes, each with the words for its page."""
        from aurelius.memory.capture import overlap
        from aurelius.memory.extract import SAME_LINE_SHARE

        sources = []
        for each in found:
            path = each.page if each.page in self.hidden else each.path
            about = self.titles.get(each.page) or each.new_page
            sources.append(Source(about, each.text, each.day, path))
        carried = []
        for each, text in zip(found, self.lines(wording.EXTRACTED, sources), strict=True):
            near = text != each.text and overlap(text, each.text) >= SAME_LINE_SHARE
            carried.append(each._replace(worded=text if near else ""))
        return carried

    def captured(self, found: Sequence[tuple[str, Fact, str]]) -> list[str]:
        """The words for captured lines, given with their notes and the page of each; "" where they
        stay."""
        from aurelius.plans.tidy import unlabelled

        sources = [
            Source(
                self.titles.get(home, ""),
                unlabelled(fact.text),
                fact.date or "",
                home if home in self.hidden else path,
            )
            for path, fact, home in found
        ]
        told = self.lines(wording.CAPTURED, sources)
        return [text if text != each.text else "" for text, each in zip(told, sources, strict=True)]

    def lines(self, kind: str, sources: Sequence[Source]) -> list[str]:
        """Lines about different notes, each worded by itself, or as it was."""
        open_ = self._open(sources)
        unknown = [at for at in open_ if self._key(kind, [sources[at]]) not in self._known]
        for start in range(0, len(unknown), wording.MOST_FACTS):
            self._ask_about(
                kind, [sources[at] for at in unknown[start : start + wording.MOST_FACTS]]
            )
        texts = [each.text for each in sources]
        for at in open_:
            for sentence in self._passing(kind, [sources[at]]):
                texts[at] = sentence.text
        return texts

    def _ask_about(self, kind: str, sources: Sequence[Source]) -> None:
        """Ask for the words of lines, and keep those of each by themselves."""
        answer = self._answer(wording.messages(kind, sources), len(sources))
        if answer is None:
            return
        for number, source in enumerate(sources):
            own = [each._replace(uses=(0,)) for each in answer if each.uses == (number,)]
            self._keep(kind, [source], own[:1])

    def _worded(self, kind: str, sources: Sequence[Source]) -> list[Sentence] | None:
        if self._key(kind, sources) not in self._known:
            answer = self._answer(wording.messages(kind, sources), len(sources))
            if answer is None:
                return None
            self._keep(kind, sources, answer)
        return self._passing(kind, sources)

    def _key(self, kind: str, sources: Sequence[Source]) -> str:
        """What a wording is kept by: the model, the prompt and the lines that it words."""
        config = self._config
        about = [wording.PROMPT_VERSION, config.llm_endpoint, config.llm_model, config.llm_command]
        said = [*about, *wording.messages(kind, sources)]
        return sha256(json.dumps(said).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def _answer(self, messages: Messages, count: int) -> list[Sentence] | None:
        if self._dry:
            self.would.append(sent(self._config, messages))
            return None
        if (
            self._why or self._asked >= MOST_QUESTIONS
        ):  # one that failed is not asked again in this run
            self._left += 1
            return None
        self._asked += 1
        try:
            return wording.read_answer(
                ask_model(model_of(self._config, self._env), messages, self._env), count
            )
        except (UnansweredError, ValueError) as error:
            self._why = str(error)
            return None

    def _keep(
        self,
        kind: str,
        sources: Sequence[Source],
        answer: Sequence[Sentence],
    ) -> None:
        key = self._key(kind, sources)
        kept, failed = wording.passing_sentences(kind, sources, answer)
        self._failed += failed
        if kind != wording.SUMMARY_WORDING and not answer:
            self._failed += 1
        self._known[key] = self._fresh[key] = [[list(each.uses), each.text] for each in kept]

    def _passing(self, kind: str, sources: Sequence[Source]) -> list[Sentence]:
        """What is kept of these lines, judged again: a file that somebody changed is believed no
        more than a model."""
        known = self._known.get(self._key(kind, sources), ())
        with suppress(ValueError):
            rows = [{"uses": uses, "text": text} for uses, text in known]
            answer = wording.read_answer(json.dumps({"sentences": rows}), len(sources))
            return wording.passing_sentences(kind, sources, answer)[0]
        return []

    def told(self) -> list[str]:
        """Keep what is new, and say once what came of it."""
        from aurelius.writing.own_files import keep_in_state

        state = vault_state(self._config.root, self._env)
        found = []  # the first change gave it a name
        with suppress(OSError):
            if self._fresh:
                rows = [*_read(state).items(), *self._fresh.items()][-MOST_KEPT:]
                keep_in_state(state, WORDINGS, json.dumps(dict(rows)).encode())
            if self._why:
                keep_in_state(state, LLM_FAILED, f"{self._now} {self._why}\n".encode())
        if self._why:
            found.append(f"the model did not answer, so nothing new is worded: {self._why}")
        elif self._left:
            found.append(f"{self._left:,} more would be worded; run the command again")
        if self._failed:
            count = f"{self._failed:,} sentence{'s' * (self._failed > 1)}"
            found.append(
                f"{count} of the model said something else than the notes, whose own words are used"
                " instead"
            )
        return found


def _read(state: str) -> dict[str, Any]:
    with (
        suppress(OSError, ValueError, RecursionError),
        open(os.path.join(state, WORDINGS), "rb") as file,
    ):
        known = json.loads(file.read(64 << 20))
        if isinstance(known, dict):
            return known
    return {}


def described(config: Config) -> str:
    """The model that is set, what it may word, and when it last failed; "" for none."""
    if not (config.llm_endpoint or config.llm_command):
        return ""
    failed = ""
    with (
        suppress(OSError),
        open(os.path.join(config.state, LLM_FAILED), encoding="utf-8", errors="replace") as file,
    ):
        failed = f"; last failed {' '.join(file.read(500).split())}"
    if config.llm_use:
        use = f"words {', '.join(config.llm_use)}"
    else:
        use = "asked nothing, because llm.use is empty"
    return f"{_question_target(config)}, {use}{failed}"
