"""The time a hook may take: the work is done by a child, and this process, which does nothing else,
ends in time.

Whatever the work meets, the process ends with exit code 0 before the deadline, and the whole answer
was written, by one write, or nothing. What reads is killed then; what writes goes on for a while.
The clock starts when the process did, as far as the system tells. Where no process can be forked, a
thread of this one watches.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # as type checkers know it; this is on the path of every prompt
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from subprocess import Popen
    from typing import Any, NoReturn

    from indexer.disk.walk import IgnoreRules, Walk
    from indexer.note import Settings
    from indexer.refresh.refresh import RefreshReport
    from indexer.rows.rows import Index
    from indexer.search.hit import SearchResult
    from indexer.search.leading import IsExample
    from indexer.search.query import SearchQuery
    from indexer.tokens.embed import Encoder
    from indexer.usage.tier import Clock

    Work = Callable[["Deadline"], None]
    Late = Callable[[str, float], None] | None
    Note = Callable[[str], None] | None

EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
    "post-tool": "PostToolUse",
    "refresh": "",
}
"""The events of a client program by our names and by its own; the last one is our own."""

READING = ("session-start", "prompt")  # events that are answered; the others write

DEFAULT = 300
LEAST = 10
MOST = 60_000
"""Milliseconds of a deadline: where none is set, and the bounds of what can be set."""

# seconds before the deadline at which the work is given up: ending takes a moment as well
MARGIN = 0.006

LONGEST = 60  # seconds that work which writes may go on after its hook has ended

OLDEST = (
    3600.0  # seconds; a process that says it is older was started by no client for this one event
)

LOOK = 0.02
FEW = (
    4  # seconds that a look at the files may take, and how many notes that differ are read at once
)

ANSWER = b"="
LATER = b">"
WHO = b"@"
WRITTEN = b"!"
"""The child has an answer; it needs more or less time; it knows the session; the answer was
written."""


def age() -> float:
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
            if value.isdecimal() and len(value) < 8 and LEAST <= int(value) <= MOST:
                return int(value)
            return 0
    return 0


def allowed(words: Sequence[str], milliseconds: int = DEFAULT) -> int:
    """The milliseconds of an event: nobody waits at the start of a session yet, so that has three
    times as many."""
    if "session-start" in words:
        return max(1000, 3 * milliseconds)
    return milliseconds


def run(
    work: Work, argv: Sequence[str], stdin: Callable[[], bytes], *, writes: bool, late: Late = None
) -> NoReturn:
    """Do a hook's work and end this process in time, with exit code 0; `stdin` is asked for by who
    hands it on.

    What reads and was too late is told to `late`, in a process of its own: its session, if known,
    and its seconds.
    """
    if argv[-1:] == ["work"]:
        _threaded(work, time.monotonic() + LONGEST, None)
    began = time.monotonic() - age()
    until = began + (asked_for(argv) or allowed(argv)) / 1000
    note: Note = None
    if late is not None and not writes:

        def note(session: str) -> None:
            late(session, time.monotonic() - began)

    try:
        if time.monotonic() >= until - MARGIN and not writes:
            _apart(note, "")
        _forked(work, until, note, writes=writes)
    except (OSError, AttributeError):  # no more processes, or a system without fork
        _threaded((lambda _: _handed_on(argv, stdin)) if writes else work, until, note)


class Deadline:
    """The deadline as the work sees it: the time left, `answer`, which says whether it was written,
    and `name`, which tells whose session it is."""

    def __init__(
        self,
        until: float,
        put: Callable[[bytes], bool],
        move: Callable[[float], None],
        tell: Callable[[str], None],
    ) -> None:
        self.until = until
        self.answer = put
        self._move = move
        self.name = tell

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.until - time.monotonic()

    def set(self, milliseconds: int) -> None:
        """The deadline that the settings name, instead of the default."""
        self.until += (milliseconds - DEFAULT) / 1000
        self._move(self.until)


# -- with a child ----------------------------------------------------------------------


def _forked(work: Work, until: float, note: Note, *, writes: bool) -> NoReturn:
    """The work in a child, watched from here.  OSError where there is none."""
    said, tell = os.pipe()
    heard, hear = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(said)
            os.close(hear)
            _work(work, until, tell, heard, writes=writes)
        finally:
            os._exit(0)
    os.close(tell)
    os.close(heard)
    who: list[str] = []
    try:
        in_time = _watch(said, hear, until, who)
        if in_time:
            os.waitpid(child, 0)
        elif not writes:
            os.kill(child, 9)
            _apart(note, "".join(who))
    finally:
        os._exit(0)


def _apart(note: Note, session: str) -> NoReturn:
    """End this process, and have another one, which holds no stream, note that it was too late."""
    try:
        _let_go()
        if note is not None and not os.fork():
            __import__("signal").setitimer(0, LONGEST)
            note(session)
    finally:
        os._exit(0)


def _let_go() -> None:
    """Hold none of the streams that somebody may wait for."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _work(work: Work, until: float, tell: int, heard: int, *, writes: bool) -> None:
    """What the child does."""
    signals = sys.modules.get("_signal") or __import__("signal")  # `signal` itself imports others
    signals.setitimer(
        signals.ITIMER_REAL, LONGEST if writes else max(0.01, until - time.monotonic()) + 1
    )
    _let_go()
    if writes:
        os.setsid()  # who ends the hook's own group leaves this one alone

    def put(text: bytes) -> bool:
        _send(tell, ANSWER + len(text).to_bytes(8, "big") + text)
        return os.read(heard, 1) == WRITTEN

    def move(until: float) -> None:
        _send(tell, LATER + int(until * 1e6).to_bytes(8, "big"))

    def name(session: str) -> None:
        text = session.encode("utf-8", "replace")
        _send(tell, WHO + len(text).to_bytes(8, "big") + text)

    work(Deadline(until, put, move, name))


def _send(handle: int, data: bytes) -> None:
    """One write, and what is left of it where a stream takes only a part."""
    while data:
        data = data[os.write(handle, data) :]


def _watch(said: int, hear: int, until: float, who: list[str]) -> bool:
    """Pass on what the child answers, and learn who asks; whether it came to its end in time."""
    from select import select

    data = b""
    while True:
        left = until - MARGIN - time.monotonic()
        if left <= 0 or not select([said], [], [], left)[0]:
            return False
        more = os.read(said, 1 << 16)
        if not more:
            return True
        data += more
        while len(data) >= 9:
            number = int.from_bytes(data[1:9], "big")
            if data[:1] == LATER:
                until = number / 1e6
                data = data[9:]
            elif len(data) < 9 + number:
                break
            elif data[:1] == WHO:
                who[:], data = [data[9 : 9 + number].decode("utf-8", "replace")], data[9 + number :]
            elif not _write_by(until, data[9 : 9 + number]):
                return False
            else:
                _send(hear, WRITTEN)
                data = data[9 + number :]


def _write_by(until: float, text: bytes) -> bool:
    """Write the answer; whether a client that reads nothing, and whose pipe is full, let that be
    done in time."""
    from select import select

    def end(*_: object) -> None:
        raise TimeoutError

    if not select([], [1], [], max(0.0, until - MARGIN - time.monotonic()))[1]:
        return False
    signals = sys.modules.get("_signal") or __import__("signal")
    signals.signal(signals.SIGALRM, end)
    signals.setitimer(signals.ITIMER_REAL, max(0.001, until - MARGIN / 2 - time.monotonic()))
    try:
        _send(1, text)
    except TimeoutError:
        return False
    signals.setitimer(signals.ITIMER_REAL, 0)
    return True


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
    end = [until]
    who = [""]

    def watch() -> None:
        while (left := end[0] - MARGIN - time.monotonic()) > 0:
            time.sleep(left)
        try:
            if writing.acquire(timeout=MARGIN) and note is not None:
                note(who[0])
        finally:
            os._exit(0)

    def put(text: bytes) -> bool:
        with writing:
            if time.monotonic() >= end[0]:
                return False
            _send(1, text)
            return True

    def move(until: float) -> None:
        end[0] = until

    _thread.start_new_thread(watch, ())
    try:
        work(Deadline(until, put, move, lambda session: who.__setitem__(0, session)))
    finally:
        os._exit(0)


# -- the index, in a hurry -------------------------------------------------------------


class Hurried:
    """The index as it is, in the place of one that a daemon keeps: compared with the files for a
    moment, never built.

    Where that moment is too short, or more than a few notes differ, the report is not fresh.
    """

    def refresh(
        self,
        settings: Settings,
        *,
        now: float,
        progress: object = None,
        accept_deletions: bool = False,
        distrust: str | None = None,
    ) -> tuple[Index, RefreshReport]:
        """As `indexer.refresh.refresh.refresh`. IndexUnavailableError where there is none, or it is
        unsound."""
        from indexer.refresh.difference import compare
        from indexer.refresh.refresh import RefreshReport, refresh

        del progress, accept_deletions
        index = _opened(settings, distrust)
        try:
            found = compare(settings, index, now, _looked)
            held = found.held(now, accept=False)
            few = (
                len(found.new)
                + len(found.changed)
                + len(found.gone)
                + len(found.hidden)
                + len(found.touched)
                <= FEW
            )
            if not found.is_work(held):
                return index, RefreshReport(fresh=not held)
        except TimeoutError:
            few = False
        if not few:
            return index, RefreshReport(fresh=False)
        index.close()
        return refresh(settings, now=now, wait=0.0)

    def search(
        self,
        index: Index,
        query: SearchQuery,
        encoder: Encoder | None,
        now: datetime,
        clock: Clock,
        is_example: IsExample | None = None,
    ) -> SearchResult:
        """As `search.search`."""
        from indexer.search.search import search

        return search(index, query, encoder, now, clock, is_example=is_example)

    def encoder(self, model: str | None) -> Encoder:
        """The embedding model.  ConfigError where there is none."""
        from indexer.tokens.embed import load

        return load(model)

    def suspect(self, paths: set[str]) -> None:
        """A pass looks at every folder anyway."""


def _opened(settings: Settings, distrust: str | None) -> Index:
    """The index that is there, made with these settings. IndexUnavailableError where there is
    none."""
    from indexer.errors import IndexUnavailableError
    from indexer.refresh.refresh import model_id
    from indexer.rows.rows import open_index

    if settings.folder and distrust is None:
        index = open_index(settings.folder, write=False, mapped=True)
    else:
        index = None
    if index is not None:
        meta = index.get_all_meta()
        if (meta.get("model"), meta.get("daily")) == (model_id(settings), settings.daily_folder):
            return index
        index.close()
    raise IndexUnavailableError("there is no index yet", "make it: `aurelius index`")


def _looked(rules: IgnoreRules) -> Walk:
    """What is on disk. TimeoutError where that is not known within LOOK seconds: a disk may be
    slow, or hang."""
    import _thread

    from indexer.disk.beneath import Descent
    from indexer.disk.walk import Walk, list_folder

    found = Walk({}, {}, {})
    done = _thread.allocate_lock()
    done.acquire()
    until = time.monotonic() + LOOK

    def walk() -> None:
        pending = [""]
        try:
            with Descent(rules.root) as descent:
                while pending and time.monotonic() < until:
                    pending += list_folder(descent, pending.pop(), rules, found)
        except Exception:  # noqa: BLE001 as if it hung
            return
        if not pending:
            done.release()

    _thread.start_new_thread(walk, ())
    if not done.acquire(timeout=LOOK):
        raise TimeoutError
    return found
