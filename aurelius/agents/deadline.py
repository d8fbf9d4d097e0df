"""The time a hook may take: the work is done by a child, and this process, which does nothing else,
ends in time.

Whatever the work meets, the process ends with exit code 0 before the deadline, and a whole answer
was written, by one write, or nothing: the one that the work offered first, where it has no better
one by then. What reads is killed then; what writes goes on for a while.
The clock starts when the process did, as far as the system tells. Where no process can be forked, a
thread of this one watches.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # as type checkers know it; this is on the path of every prompt
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from subprocess import Popen
    from typing import Any, NoReturn

    Work = Callable[["Deadline"], None]
    Late = Callable[[str, float, bytes], None]
    Note = Callable[[str, bytes], None]
    Say = Callable[[bytes, bytes], bool]

HOOK_EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
    "post-tool": "PostToolUse",
    "refresh": "",
}
"""The events of a client program by our names and by its own; the last one is our own."""

READING_EVENTS = ("session-start", "prompt")
"""Events that are answered; the others write."""

DEFAULT_MILLISECONDS = 300
_LEAST_MILLISECONDS = 10
_MOST_MILLISECONDS = 60_000
"""Milliseconds of a deadline: where none is set, and the bounds of what can be set."""

_SECONDS_TO_END = 0.012
"""Seconds before the deadline at which the work is given up: ending takes a moment as well, and on
a busy machine a longer one."""

LATE_WORK_SECONDS = 60
BUILD_SECONDS = 600
"""Seconds that work which writes may go on after its hook has ended, and what updates the index."""

OLDEST = 3600.0
"""Seconds; a process that seems to be older was started by no client for this one event."""

_ANSWER_BYTE = b"="
_FIRST = b"+"
UNTIL = b">"
WHO = b"@"
_DONE = b"."
"""What the work says to whoever watches it: an answer to be written, one that is offered in case
there is no better one in time, another end of its time, whose session it is, and that nobody has to
wait for it any more."""

CONFIRMED = b"!"
"""What it hears back once that was done."""


def process_age() -> float:
    """How many seconds ago this process started; 0 where the system does not tell."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read(4096).rpartition(b")")[2].split()[19])
        found = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        return 0.0
    if 0 < found < OLDEST:
        return found
    return 0.0


def asked_for(argv: Sequence[str]) -> int:
    """The milliseconds that `--deadline` of a command line names; 0 where there is no such
    number."""
    for at, word in enumerate(argv):
        name, equals, value = word.partition("=")
        if name == "--deadline":
            if not equals:
                value = "".join(argv[at + 1 : at + 2])
            if (
                value.isdecimal()
                and len(value) < 8
                and _LEAST_MILLISECONDS <= int(value) <= _MOST_MILLISECONDS
            ):
                return int(value)
            return 0
    return 0


def allowed(words: Sequence[str], milliseconds: int = DEFAULT_MILLISECONDS) -> int:
    """The milliseconds of an event: nobody waits at the start of a session yet, so that has three
    times as many."""
    if "session-start" in words:
        return max(1000, 3 * milliseconds)
    return milliseconds


def run_in_time(
    work: Work,
    argv: Sequence[str],
    stdin: Callable[[], bytes],
    *,
    writes: bool,
    late: Late = lambda *_: None,
) -> NoReturn:
    """Do a hook's work and end this process in time, with exit code 0; `stdin` is asked for by who
    hands it on.

    What reads and was too late is told to `late`, in a process of its own: its session, if known,
    its seconds, and what it offered first, which was written then; b"" for nothing.
    """
    if argv[-1:] == ["work"]:
        _threaded(work, time.monotonic() + LATE_WORK_SECONDS, lambda *_: None)
    began = time.monotonic() - process_age()
    until = began + (asked_for(argv) or allowed(argv)) / 1000

    def note(session: str, first: bytes) -> None:
        if not writes:
            late(session, time.monotonic() - began, first)

    try:
        if time.monotonic() >= until - _SECONDS_TO_END and not writes:
            _apart(note, "", b"")
        _forked(work, until, note, writes=writes)
    except (OSError, AttributeError):  # no more processes, or a system without fork
        _threaded((lambda _: _handed_on(argv, stdin)) if writes else work, until, note)


class Deadline:
    """The deadline as the work sees it; `say` tells the one who watches something, and returns
    whether that was done."""

    def __init__(self, until: float, say: Say) -> None:
        self.until = until
        self._say = say

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.until - time.monotonic()

    def set(self, milliseconds: int) -> None:
        """Use the deadline that the settings name instead of the default."""
        self.until += (milliseconds - DEFAULT_MILLISECONDS) / 1000
        self._say(UNTIL, str(self.until).encode())

    def adopt(self, argv: Sequence[str], milliseconds: int) -> None:
        """Use the milliseconds of the settings, 0 for none, unless the command line names its
        own."""
        if milliseconds and not asked_for(argv):
            self.set(allowed(argv, milliseconds) - allowed(argv) + DEFAULT_MILLISECONDS)

    def name(self, session: str) -> None:
        """Tell whose session it is, for the case that the answer is too late."""
        self._say(WHO, session.encode("utf-8", "replace"))

    def offer(self, first: bytes) -> None:
        """Have this given at the deadline where nothing better came: its first line is written, and
        all of it is told to who notes that."""
        self._say(_FIRST, first)

    def let_go(self) -> bool:
        """Let the client go on, while this process does what is left; whether that can be."""
        return self._say(_DONE, b"")

    def answer(self, text: bytes) -> bool:
        """Have the answer written; whether it was, in time."""
        return self._say(_ANSWER_BYTE, text)


# -- with a child ----------------------------------------------------------------------


def _forked(work: Work, until: float, note: Note, *, writes: bool) -> NoReturn:
    """The work in a child, watched from here.  OSError where there is none."""
    said, tell = os.pipe()
    heard, hear = os.pipe()
    child = os.fork()
    try:
        if child:
            os.close(tell)
            os.close(heard)
            _watch(child, said, hear, until, note, writes=writes)
        else:
            os.close(said)
            os.close(hear)
            _work(work, until, tell, heard, writes=writes)
    finally:
        os._exit(0)


def _watch(child: int, said: int, hear: int, until: float, note: Note, *, writes: bool) -> None:
    """Do what the child says until it ends. A signal ends this process in time, whatever the child
    does, and also where a client does not read the answer and its pipe is full."""
    session = ""
    first = b""

    def give_up(*_: object) -> None:
        try:
            if not writes:
                os.kill(child, 9)
                # should nobody read what is written
                _alarm(time.monotonic() + _SECONDS_TO_END, lambda *_: os._exit(0))
                _send(1, _line_of(first))
                _apart(note, session, first)
        finally:
            os._exit(0)

    _alarm(until - _SECONDS_TO_END, give_up)
    for kind, body in _messages(said):
        if kind == _ANSWER_BYTE:
            first = b""
            _send(1, body)
            _send(hear, CONFIRMED)
        elif kind == _FIRST:
            first = body
        elif kind == UNTIL:
            _alarm(float(body) - _SECONDS_TO_END, give_up)
        elif kind == WHO:
            session = body.decode("utf-8", "replace")
        else:
            return
    os.waitpid(child, 0)


def _work(work: Work, until: float, tell: int, heard: int, *, writes: bool) -> None:
    """What the child does; should nobody watch it any more, a signal ends it."""
    _alarm(time.monotonic() + LATE_WORK_SECONDS if writes else until + 1)
    _let_go()
    os.setsid()  # who ends the hook's group leaves this alone; Linux gives a session its own share

    def say(kind: bytes, body: bytes) -> bool:
        if kind == UNTIL:
            _alarm(float(body) + 1)
        elif kind == _DONE:
            _alarm(time.monotonic() + BUILD_SECONDS)
        _send(tell, kind + len(body).to_bytes(8, "big") + body)
        return kind != _ANSWER_BYTE or os.read(heard, 1) == CONFIRMED

    work(Deadline(until, say))


def _line_of(first: bytes) -> bytes:
    """What the client reads of an answer that was offered."""
    line = first.partition(b"\n")[0]
    return line and line + b"\n"


def _apart(note: Note, session: str, first: bytes) -> NoReturn:
    """End this process, and have another one, which holds no stream, note that it was too late."""
    try:
        _let_go()
        if not os.fork():
            _alarm(time.monotonic() + BUILD_SECONDS)
            note(session, first)
    finally:
        os._exit(0)


def _let_go() -> None:
    """Hold none of the streams that somebody may wait for."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _alarm(at: float, act: Callable[..., None] | None = None) -> None:
    """Have `act` done at a time of the monotonic clock, or without one this process ended; even
    where the signal for it was blocked by whoever started the process."""
    signals = sys.modules.get("_signal") or __import__("signal")  # `signal` itself imports others
    signals.signal(signals.SIGALRM, act or signals.SIG_DFL)
    signals.pthread_sigmask(signals.SIG_UNBLOCK, [signals.SIGALRM])
    signals.setitimer(signals.ITIMER_REAL, max(0.001, at - time.monotonic()))


def _send(handle: int, data: bytes) -> None:
    """One write, and what is left of it where a stream takes only a part."""
    while data:
        data = data[os.write(handle, data) :]


def _messages(said: int) -> Iterator[tuple[bytes, bytes]]:
    """What the child says, each its kind and its text, until it ends; what is cut off is left
    out."""
    with open(said, "rb") as stream:
        while len(head := stream.read(9)) == 9:
            size = int.from_bytes(head[1:], "big")
            body = stream.read(size)
            if len(body) < size:
                return
            yield head[:1], body


def behind(argv: Sequence[str]) -> None:
    """Begin a hook that writes, and go on without waiting for it."""
    _spawned(argv).stdin.close()  # type: ignore[union-attr]  # it is a pipe


def _handed_on(argv: Sequence[str], stdin: Callable[[], bytes]) -> None:
    """Have a process of its own do what a hook writes."""
    data = stdin()
    _spawned([*argv, "--part", "work"]).communicate(data)


def _spawned(argv: Sequence[str]) -> Popen[bytes]:
    """A process of its own for a hook that writes."""
    from subprocess import DEVNULL, PIPE, Popen

    code = "from aurelius.__main__ import main; main()"
    apart: dict[str, Any] = (
        {"start_new_session": True} if os.name != "nt" else {"creationflags": 0x00000208}
    )
    return Popen(
        [sys.executable, "-c", code, *argv], stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, **apart
    )


# -- with a thread ---------------------------------------------------------------------


def _threaded(work: Work, until: float, note: Note) -> NoReturn:
    """The work in this process, which a thread ends at the deadline, unless the answer is being
    written."""
    import _thread

    writing = _thread.allocate_lock()
    session = ""
    first = b""

    def watch() -> None:
        while (left := until - _SECONDS_TO_END - time.monotonic()) > 0:
            time.sleep(left)
        try:
            if writing.acquire(timeout=_SECONDS_TO_END):
                _send(1, _line_of(first))
                note(session, first)
        finally:
            os._exit(0)

    def say(kind: bytes, body: bytes) -> bool:
        nonlocal until, session, first
        if kind == UNTIL:
            until = float(body)
        elif kind == WHO:
            session = body.decode("utf-8", "replace")
        elif kind == _FIRST:
            first = body
        elif kind == _ANSWER_BYTE:
            with writing:
                if time.monotonic() >= until:
                    return False
                first = b""
                _send(1, body)
        return kind != _DONE

    _thread.start_new_thread(watch, ())
    try:
        work(Deadline(until, say))
    finally:
        os._exit(0)
