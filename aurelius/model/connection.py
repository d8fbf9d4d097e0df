"""One guarded question over HTTP: the bytes that come back, as they come.

Only the headers that are ours are sent, no redirect and no proxy is followed, what a refusal says
is never read, and a question that is stopped closes its connection at once.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.settings.places import install_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

LONGEST_PAUSE = 5.0
"""Seconds that a server may ask for before the one further try; for more there is none."""


class UnansweredError(Exception):
    """Why there is no answer, in plain words."""


class Model(NamedTuple):
    """The model that the person has set: an endpoint and a name, or a program; the key, the seconds
    to wait, where it is in words, and whose API it speaks."""

    endpoint: str
    name: str
    command: str
    key: str
    timeout: float
    where: str
    api: str = "openai"


class Stop:
    """Ends a question from any thread: what is open for it is closed at once."""

    def __init__(self) -> None:
        self.is_set = False
        self._lock = threading.Lock()
        self._closers: list[Callable[[], object]] = []

    def when_set(self, close: Callable[[], object]) -> None:
        """Call this once the question is stopped, now if it is already."""
        with self._lock:
            if not self.is_set:
                self._closers.append(close)
                return
        _quietly(close)

    def set(self) -> None:
        """Stop it."""
        with self._lock:
            self.is_set = True
            closers = self._closers
            self._closers = []
        for close in reversed(closers):  # what was opened last is closed first
            _quietly(close)


def _quietly(close: Callable[[], object]) -> None:
    with suppress(Exception):  # whatever is closed while another thread reads it
        close()


def posted(
    model: Model, path: str, body: str, headers: Mapping[str, str], stop: Stop
) -> Generator[bytes]:
    """The bytes that a model's server answers; UnansweredError where it does not.

    `headers` hold the key. A server that is busy, broken or away is asked once more before the
    first byte of its answer, never after it.
    """
    try:
        import openai
    except ImportError:
        raise UnansweredError(f"the extra is not installed; {install_line('llm')}") from None
    import httpx2

    with _only_ours(model, headers, stop) as web:
        stop.when_set(web.close)
        client = openai.OpenAI(
            api_key="none",
            base_url=model.endpoint,
            max_retries=1,
            timeout=model.timeout,
            http_client=web,
        )
        try:
            answer = client.post(
                path,
                cast_to=object,
                content=body.encode(),
                options={"headers": {"Content-Type": "application/json"}},
                stream=True,
                stream_cls=openai.Stream[object],
            )
            yield from answer.response.iter_raw()
        except openai.OpenAIError as error:
            raise UnansweredError(_of_error(model, error)) from None
        except httpx2.TimeoutException:
            raise UnansweredError(told_late(model)) from None
        except httpx2.HTTPError:
            raise UnansweredError("the server broke off its answer") from None


def told_late(model: Model) -> str:
    """What is told where there is no answer in time."""
    return f"no answer from {model.where} within {model.timeout:.0f} s"


def _of_error(model: Model, error: Exception) -> str:
    """What went wrong while a server was asked, in plain words."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return told_late(model)
    if isinstance(error, openai.APIConnectionError):
        return f"no connection to {model.where}"
    status = getattr(error, "status_code", 0)
    if 300 <= status < 400:
        return f"{model.where} wants to send the question elsewhere, which is refused"
    if not status:
        return f"{type(error).__name__} from {model.where}"
    return _STATUS.get(status, f"{model.where} answered {status}")


def _only_ours(model: Model, headers: Mapping[str, str], stop: Stop) -> Any:
    """A client of HTTP that sends the question and nothing else: no header that it makes of the
    environment or the machine."""
    import httpx2
    import openai

    def noticed(name: str, told: Mapping[str, Any]) -> None:
        if name in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            opened = told["return_value"].get_extra_info("socket")
            # closing alone would leave a thread that waits for a silent server waiting
            stop.when_set(lambda: opened.shutdown(socket.SHUT_RDWR))

    class OnlyOurs(httpx2.HTTPTransport):
        """Sends only the headers that are ours."""

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            kept = {name: request.headers[name] for name in _HEADERS if name in request.headers}
            bare = httpx2.Request(
                request.method,
                request.url,
                headers={**kept, **_OWN, **headers},
                stream=request.stream,
            )
            bare.extensions = {**request.extensions, "trace": noticed}
            answer = super().handle_request(bare)
            if answer.status_code < 300:
                return answer
            answer.close()  # the client would read all that an error says, however long
            return httpx2.Response(answer.status_code, headers=_pause(answer.headers))

    return openai.DefaultHttpxClient(
        trust_env=False,
        follow_redirects=False,
        timeout=model.timeout,
        transport=OnlyOurs(trust_env=False),
    )


def _pause(headers: Mapping[str, str]) -> dict[str, str]:
    """What the client is told of a refusal: how long to wait, if that is short."""
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        return {"x-should-retry": "false"} if asked else {}
    if seconds > LONGEST_PAUSE:
        return {"x-should-retry": "false"}
    return {"retry-after": asked}


_HEADERS = ("Host", "Content-Type", "Content-Length", "Transfer-Encoding")
_OWN = {
    "Accept": "application/json, text/event-stream",
    "Accept-Encoding": "identity",
    "User-Agent": "aurelius",
}
_STATUS = {
    401: "the server does not accept the key (401)",
    403: "the server does not accept the key (403)",
    404: "the server does not know this address or model (404)",
    429: "the server takes no more questions now (429)",
}
