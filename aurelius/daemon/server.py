"""Unix-socket server of the daemon: one command line per connection, its answer sent back.

client.py tells what is said. One thread takes connections and tells each every 50 ms that its
command still runs; each connection has a thread of its own, which runs it. Nobody but this user may
ask, and nothing that is sent, or not sent, stops the server.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings import places
from aurelius.settings.places import is_own_folder
from indexer.disk.walk import file_identity

from .client import (
    ANSWER_KIND,
    BEAT,
    HELLO,
    MOST_REQUEST_BYTES,
    NOT_MINE,
    PROTOCOL,
    SECONDS_TO_READ,
    STDIN,
    Answer,
    Incoming,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SECONDS_A_SIGN = 0.05
"""Seconds between two signs of life."""

SECONDS_TO_ASK = 2.0
"""Seconds that a client may take to say what it wants."""

MOST_STDIN = 64 << 20
"""Bytes of standard input that are taken in."""


class Request(NamedTuple):
    """Request of a client: `what` is "run", with all the rest, or a word for the daemon itself:
    "status", "stop", or "pages" with a port in `argv`.

    `cwd`, the terminal facts and `env` are the client's; `east` is its clock's seconds east of UTC;
    `stdin` fetches all that its standard input holds, or raises EOFError or OSError; `person` is
    false where an agent asks through a door.
    """

    what: str
    argv: tuple[str, ...]
    cwd: str
    out_tty: bool
    err_tty: bool
    in_tty: bool
    east: int
    env: Mapping[str, str]
    stdin: Callable[[], bytes]
    person: bool = True


class Server:
    """Listens at `path` from the first moment until close(), and answers with what `answer` makes
    of a request.

    `answer` is called in a thread of each connection, at most `most` at once; None means that the
    client has to do it itself. `loopback` listens on a port instead, which `path` then names. The
    caller holds the daemon's lock: what is at `path` is a dead daemon's, and is replaced. OSError
    where it cannot listen. `served` counts the requests that were understood.
    """

    def __init__(
        self,
        path: str,
        answer: Callable[[Request], Answer | None],
        *,
        most: int = 8,
        loopback: bool = not hasattr(socket, "AF_UNIX"),
    ) -> None:
        self.path = path
        self._answer = answer
        self._most = most
        self._secrets = _secret(), _secret()
        if loopback:
            self._listener = _bound_port(path, self._secrets)
        else:
            self._listener = _bound(path)
        self._loopback = loopback
        self.served = 0
        self._made = file_identity(path)
        self._lock = threading.Lock()
        self._connections: dict[_Connection, threading.Thread] = {}
        self._closing = False
        self._wake, self._woken = socket.socketpair()
        for each in (self._wake, self._woken, self._listener):
            each.setblocking(False)
        self._thread = threading.Thread(target=self._listen, name="socket", daemon=True)
        self._thread.start()

    def close(self, wait: float = 2.0) -> None:
        """Take no more, give the running answers `wait` seconds, remove the socket. A second close
        does nothing."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
        self._stir()
        self._thread.join()
        if self._made is not None and file_identity(self.path) == self._made:
            with suppress(OSError):
                os.unlink(self.path)
                if os.path.dirname(os.path.dirname(self.path)) == places.TEMPORARY:
                    os.rmdir(os.path.dirname(self.path))  # made for the socket alone
        deadline = time.monotonic() + wait
        threads = dict(self._connections)
        for thread in threads.values():
            thread.join(max(0.0, deadline - time.monotonic()))
        for connection, thread in threads.items():
            connection.disconnect()  # ends its waiting read; a command that hangs is not waited for
            thread.join(0.1)
        self._wake.close()
        self._woken.close()

    # -- the thread that listens -------------------------------------------------------

    def _listen(self) -> None:
        """Take connections while there is room, and give signs of life while commands run."""
        with selectors.DefaultSelector() as open_for, self._listener:
            open_for.register(self._woken, selectors.EVENT_READ)
            due = time.monotonic()
            while not self._closing:
                running = list(self._connections)
                self._admit(open_for, room=len(running) < self._most)
                events = open_for.select(due - time.monotonic() if running else None)
                ready = {key.fileobj for key, _ in events}
                if self._woken in ready:
                    with suppress(OSError):
                        self._woken.recv(1000)
                if self._listener in ready:
                    self._take()
                if time.monotonic() >= due:
                    due = time.monotonic() + _SECONDS_A_SIGN
                    for connection in running:
                        connection.beat()

    def _admit(self, open_for: selectors.BaseSelector, *, room: bool) -> None:
        """Look for further connections where there is room for one, and else let them wait."""
        listening = self._listener in open_for.get_map()
        if room and not listening:
            open_for.register(self._listener, selectors.EVENT_READ)
        elif listening and not room:
            open_for.unregister(self._listener)

    def _take(self) -> None:
        """Take one connection, unless it is another user's."""
        try:
            link, _ = self._listener.accept()
        except OSError:  # gone again, or no file is left to open: then one that runs gives one back
            time.sleep(0.01)
            return
        if not self._loopback and not _is_mine(link):
            link.close()
            return
        connection = _Connection(link)
        thread = threading.Thread(
            target=self._serve, args=(connection,), name="answer", daemon=True
        )
        with self._lock:
            self._connections[connection] = thread
        try:
            thread.start()
        except RuntimeError:  # no thread is left
            self._gone(connection)

    def _stir(self) -> None:
        with suppress(OSError):  # full of calls that were not looked at yet, which does as well
            self._wake.send(b".")

    # -- the thread of a connection ----------------------------------------------------

    def _serve(self, connection: _Connection) -> None:
        """One request and its answer. What the client does wrong, or not any more, ends it and
        nothing else."""
        try:
            with suppress(OSError, EOFError, ValueError, OverflowError, MemoryError):
                request = connection.receive(self._secrets if self._loopback else None)
                if request is not None:
                    connection.reply(self._made_of(request))
        finally:
            self._gone(connection)

    def _made_of(self, request: Request) -> Answer | None:
        with self._lock:
            self.served += 1
        try:
            return self._answer(request)
        # the client does it itself, and names the bug if there is one
        except Exception:  # noqa: BLE001
            return None

    def _gone(self, connection: _Connection) -> None:
        with self._lock:
            self._connections.pop(connection, None)
        connection.close()
        self._stir()  # there may be room for another one now


class _Connection:
    """A client."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._incoming = _Prompt(link)
        self._lock = threading.Lock()  # around what is sent and how
        self._beating = False

    def receive(self, secrets: tuple[bytes, bytes] | None) -> Request | None:
        """The request of the client; None for a client of another version."""
        self._link.settimeout(SECONDS_TO_READ)
        if secrets is not None:
            theirs, mine = secrets
            if self._incoming.line() != theirs:
                return None
            self._link.sendall(mine)
        self._link.sendall(HELLO)
        hello = self._incoming.line()
        if not hello.startswith(PROTOCOL.encode() + b" "):
            return None
        size = self._incoming.number(4)
        if size > MOST_REQUEST_BYTES:
            return None
        request = _unpacked(self._incoming.take(size), self.fetch)
        if request.what == "run" and hello != HELLO:
            return None
        self._beat(on=True)
        return request

    def fetch(self) -> bytes:
        """The whole standard input of the client."""
        self._beat(on=False)
        self._link.settimeout(SECONDS_TO_READ)
        self._link.sendall(STDIN)
        self._incoming.until = None
        self._link.settimeout(None)  # as long as a person types
        size = self._incoming.number(8)
        if size > MOST_STDIN:
            raise EOFError
        data = self._incoming.take(size)
        self._beat(on=True)
        return data

    def reply(self, answer: Answer | None) -> None:
        """Send the answer."""
        self._beat(on=False)
        self._link.settimeout(SECONDS_TO_READ)
        if answer is None:
            self._link.sendall(NOT_MINE)
            return
        sizes = answer.code.to_bytes(4, "big")
        for text in (answer.out, answer.err):
            sizes += len(text).to_bytes(8, "big")
        self._link.sendall(ANSWER_KIND + sizes + answer.out + answer.err)

    def _beat(self, *, on: bool) -> None:
        with self._lock:
            self._beating = on
            if on:
                self._link.setblocking(False)

    def beat(self) -> None:
        """A sign of life, from another thread; never waits."""
        if self._lock.acquire(blocking=False):
            try:
                if self._beating:
                    self._link.send(BEAT)
            except OSError:  # the client is gone, or looks away
                pass
            finally:
                self._lock.release()

    def disconnect(self) -> None:
        """Wake whoever waits for the client."""
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let the client go."""
        with self._lock:
            self._beating = False
            self._link.close()


class _Prompt(Incoming):
    """Input of a connection, which may not trickle: all of it within SECONDS_TO_ASK seconds, unless
    `until` is None."""

    def __init__(self, link: socket.socket) -> None:
        super().__init__(link)
        self.until: float | None = time.monotonic() + SECONDS_TO_ASK

    def more(self) -> None:
        """Wait for what comes next."""
        if self.until is not None:
            self.link.settimeout(max(0.001, self.until - time.monotonic()))
        super().more()


def _secret() -> bytes:
    return os.urandom(16).hex().encode() + b"\n"


def _unpacked(body: bytes, stdin: Callable[[], bytes]) -> Request:
    """The request in a body; ValueError for what is none."""
    texts = []
    place = 0
    while place < len(body):
        start = place + 4
        place = start + int.from_bytes(body[place:start], "big")
        if place > len(body):
            raise ValueError("cut off")
        texts.append(body[start:place].decode("utf-8", "surrogatepass"))
    what, cwd, facts, east, count, *rest = texts
    words = int(count)
    argv = rest[:words]
    variables = rest[words:]
    if len(facts) != 4 or len(argv) != words or len(variables) % 2 or abs(int(east)) >= 86400:
        raise ValueError("not a request")
    env = dict(zip(variables[::2], variables[1::2], strict=True))
    out_tty, err_tty, in_tty, person = (fact == "1" for fact in facts)
    return Request(
        what=what,
        argv=tuple(argv),
        cwd=cwd,
        out_tty=out_tty,
        err_tty=err_tty,
        in_tty=in_tty,
        east=int(east),
        env=env,
        stdin=stdin,
        person=person,
    )


def _bound(path: str) -> socket.socket:
    """A socket that listens at `path`, in a folder that only this user may enter."""
    _make_private(os.path.dirname(path))
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
        os.chmod(path, 0o600)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _bound_port(path: str, secrets: tuple[bytes, bytes]) -> socket.socket:
    """A socket that listens on the loopback interface; its port and the secrets are in the file at
    `path`."""
    from aurelius.writing.own_files import replace_file

    _make_private(os.path.dirname(path))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        replace_file(path, f"{listener.getsockname()[1]}\n".encode() + b"".join(secrets))
    except OSError:
        listener.close()
        raise
    return listener


def _make_private(folder: str) -> None:
    """Make a folder that only this user may enter; PermissionError where somebody else has made
    it."""
    outer = os.path.dirname(folder)
    if not os.path.isdir(outer):
        os.makedirs(os.path.dirname(outer), exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(outer, 0o700)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    if not is_own_folder(folder) and not os.path.islink(folder):
        os.chmod(folder, 0o700)
    if not is_own_folder(folder):
        raise PermissionError(f"{folder} belongs to another user")


def _is_mine(link: socket.socket) -> bool:
    """Whether the process at the other end is this user's, as far as the system tells."""
    ask = getattr(socket, "SO_PEERCRED", None)
    if ask is None:
        return True  # the folder lets nobody else in
    try:
        ids = link.getsockopt(socket.SOL_SOCKET, ask, 12)
    except OSError:
        return False
    return int.from_bytes(ids[4:8], sys.byteorder) == os.getuid()
