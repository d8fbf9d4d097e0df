"""The time a hook may take: the work is done by a child, and this process, which does nothing else,
ends in time.

Whatever the work meets, the process ends with exit code 0 before the deadline, and a whole answer
was written, by one write, or nothing: the one that the work offered first, where it has no better
one by then. What reads is killed then; what writes goes on for a while.
The clock starts when the process did, as far as the system tells. Where no process can be forked, a
thread of this one watches.
"""

from __future__ import annotations

import _thread
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
"""Seconds that work which writes is waited for by who comes next, and that any work may go on after
its hook has ended: an index may have to be built."""

OLDEST = 3600.0
"""Seconds; a process that seems to be older was started by no client for this one event."""

_SECONDS_A_LOOK = 0.05
"""Seconds between two looks whether the end of the time was moved."""

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
    from aurelius.daemon.client import split_line

    value = split_line(argv)[1].get("--deadline", "")
    is_number = value.isdecimal() and len(value) < 8
    if is_number and _LEAST_MILLISECONDS <= int(value) <= _MOST_MILLISECONDS:
        return int(value)
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
            os._exit(0)
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

    def adopt(self, argv: Sequence[str], milliseconds: int) -> None:
        """Use the milliseconds of the settings, 0 for none, unless the command line names its
        own."""
        if milliseconds and not asked_for(argv):
            self.until += (allowed(argv, milliseconds) - allowed(argv)) / 1000
            self._say(UNTIL, str(self.until).encode())

    def name(self, session: str) -> None:
        """Tell whose session it is, for the case that the answer is too late."""
        self._say(WHO, session.encode("utf-8", "replace"))

    def offer(self, first: bytes) -> None:
        """Have this given at the deadline where nothing better came: its first line is written to
        the client, and `late` gets all of it."""
        self._say(_FIRST, first)

    def let_go(self) -> bool:
        """Let the client go on, while this process does what is left; whether that can be."""
        return self._say(_DONE, b"")

    def answer(self, text: bytes) -> bool:
        """Have the answer written; whether it was, in time."""
        return self._say(_ANSWER_BYTE, text)


class _Watch:
    """What ends this process in time, from a thread that does nothing else, whatever the work meets
    and whether the client reads: `child` is killed then, 0 for none."""

    def __init__(self, until: float, note: Note, end: Callable[[Note, str, bytes], None]) -> None:
        self.child = 0
        self._until = until
        self._note = note
        self._end = end
        self._session = ""
        self._first = b""
        self._taking = _thread.allocate_lock()
        _thread.start_new_thread(self._watch, ())

    def take(self, kind: bytes, body: bytes) -> bool:
        """Take what the work says; whether that was done, of an answer in time."""
        with self._taking:
            if kind == UNTIL:
                self._until = float(body)
            elif kind == WHO:
                self._session = body.decode("utf-8", "replace")
            elif kind == _FIRST:
                self._first = body
            elif kind == _ANSWER_BYTE:
                if time.monotonic() >= self._until:
                    return False
                self._first = b""
                _send(1, body)
        return kind != _DONE

    def wait(self) -> None:
        """Return unless the deadline has come: then the watch gives what was offered, and ends this
        process."""
        self._taking.acquire()

    def _watch(self) -> None:
        while (left := self._until - _SECONDS_TO_END - time.monotonic()) > 0:
            time.sleep(min(left, _SECONDS_A_LOOK))
        try:
            if self._taking.acquire(timeout=_SECONDS_TO_END):  # else an answer is being written
                if self.child:
                    os.kill(self.child, 9)
                _thread.start_new_thread(_end_after, (_SECONDS_TO_END,))  # whoever reads or not
                _send(1, _line_of(self._first))
                self._end(self._note, self._session, self._first)
        finally:
            os._exit(0)


def _end_after(seconds: float) -> None:
    """End this process then."""
    time.sleep(seconds)
    os._exit(0)


def _line_of(first: bytes) -> bytes:
    """What the client reads of an answer that was offered."""
    line = first.partition(b"\n")[0]
    return line and line + b"\n"


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
            watch = _Watch(until, note, _apart)
            watch.child = 0 if writes else child
            for kind, body in _messages(said):
                done = watch.take(kind, body)
                if kind == _DONE:
                    os._exit(0)
                if kind == _ANSWER_BYTE and done:
                    _send(hear, CONFIRMED)
            os.waitpid(child, 0)
            watch.wait()
        else:
            os.close(said)
            os.close(hear)
            _work(work, until, tell, heard)
    finally:
        os._exit(0)


def _work(work: Work, until: float, tell: int, heard: int) -> None:
    """What the child does; should nobody watch it any more, it ends by itself."""
    _thread.start_new_thread(_end_after, (BUILD_SECONDS,))
    _let_go()
    os.setsid()  # who ends the hook's group leaves this alone; Linux gives a session its own share

    def say(kind: bytes, body: bytes) -> bool:
        _send(tell, kind + len(body).to_bytes(8, "big") + body)
        return kind != _ANSWER_BYTE or os.read(heard, 1) == CONFIRMED

    work(Deadline(until, say))


def _apart(note: Note, session: str, first: bytes) -> None:
    """Have another process, which holds no stream, note that it was too late."""
    if not os.fork():
        try:
            _let_go()
            _thread.start_new_thread(_end_after, (LATE_WORK_SECONDS,))
            note(session, first)
        finally:
            os._exit(0)


def _let_go() -> None:
    """Hold none of the streams that somebody may wait for."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)


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


# -- without one ------------------------------------------------------------------------


def _threaded(work: Work, until: float, note: Note) -> NoReturn:
    """The work in this process."""
    watch = _Watch(until, note, lambda note, *told: note(*told))
    try:
        work(Deadline(until, watch.take))
    finally:
        os._exit(0)
