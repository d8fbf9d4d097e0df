"""The process of one hook: an event answered in time, by the vault's daemon or here.

What a prompt gets is made in two steps where no daemon runs: the cards of what it names, from the
index as it is, are offered first, and given where the deadline comes before the rest. An index that
is missing, or behind the files, is made equal to them once the client has its answer.
"""

from __future__ import annotations

from aurelius.daemon.client import ask_daemon, find_root, split_line
from indexer.record import NamedTuple

from .deadline import READING_EVENTS, behind, run_in_time
from .hook_answer import HookAnswer, read_hook_answer, write_hook_answer
from .session import (
    SessionLock,
    count,
    keep_answer,
    may_refresh,
    name_in,
    note_late,
    session_in,
    set_by_person,
    state_of,
)

TYPE_CHECKING = False  # as type checkers know it; this is on the path of every prompt
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import NoReturn

    from .deadline import Deadline
    from .hooks import Hook

    Run = Callable[[Sequence[str]], str]

_SECONDS_TO_WRITE = 0.2
"""Seconds for the rest once the person's model has answered; without so many more it is not
asked."""
_PLAIN = {"--vault", "--deadline"}
"""Options with values of a hook whose command line needs no parser."""
_FIXED = ("AURELIUS_NOW", "AURELIUS_AGENT")
"""Variables that say what the command line might."""


def answer_hook(
    argv: Sequence[str],
    event: str,
    stdin: Callable[[], bytes],
    run: Run,
    env: Mapping[str, str],
    cwd: str,
) -> NoReturn:
    """Answer an event of a client program: in time or not at all, and always with exit code 0.

    `run` runs a command line in this process and returns what it printed.
    """
    process = HookProcess(argv=argv, event=event, stdin=stdin, run=run, env=env, cwd=cwd)
    run_in_time(
        process.work, argv, stdin, writes=event not in READING_EVENTS, late=process.ended_late
    )


class HookProcess(NamedTuple):
    """What the process of a hook knows."""

    argv: Sequence[str]
    event: str
    stdin: Callable[[], bytes]
    run: Run
    env: Mapping[str, str]
    cwd: str

    def work(self, deadline: Deadline) -> None:
        """Do what the event asks for."""
        import gc

        gc.disable()  # it is over before there is any garbage
        if self.event in READING_EVENTS:
            self._answer_event(deadline)
        else:
            self.run(self.argv)

    def _answer_event(self, deadline: Deadline) -> None:
        """Answer an event that only reads; what its session was shown is kept once it was shown in
        time."""
        root = find_root(self.argv, self.env, self.cwd)
        state = state_of(root, self.env)
        milliseconds, tracing, chooses = set_by_person(root or "", self.env)
        deadline.adopt(self.argv, milliseconds)
        data = self.stdin()
        deadline.name(session_in(data))
        with SessionLock(state, name_in(data), deadline.left()):
            answer = self.answer(deadline, traced=tracing or "--trace" in self.argv)
            if chooses and self.event == "prompt" and answer.session:
                answer = self._chosen(deadline, answer)
            text = f"{answer.text}\n".encode("utf-8", "replace")
            if (not answer.text or deadline.answer(text)) and state:
                keep_answer(state, answer)
                count(state, self.event)
        if answer.outdated and root:
            self._refresh(root, here=deadline.let_go())

    def answer(self, deadline: Deadline, *, traced: bool) -> HookAnswer:
        """What the daemon says to the event, or this process does."""
        data = self.stdin()
        argv = [*self.argv, "--part", "answer"]
        answer = ask_daemon(argv, self.env, self.cwd, stdin=self.stdin)
        if answer is not None:
            return read_hook_answer(answer.out.decode())
        from .hooks import respond

        def offer(first: HookAnswer) -> None:
            first.outdated = True
            deadline.offer(write_hook_answer(first).encode("utf-8", "replace"))

        offer(HookAnswer())
        _, values = split_line(self.argv)
        if values.keys() - _PLAIN or any(self.env.get(name) for name in _FIXED):
            return read_hook_answer(self.run(argv))
        asked = self._hook(self.event, data, values.get("--vault"))
        return respond(asked._replace(trace=traced, offer=offer))

    def _chosen(self, deadline: Deadline, first: HookAnswer) -> HookAnswer:
        """The answer with the lines that the person's model chooses, where it does so in time; the
        `first` one is given where it does not."""
        deadline.offer(write_hook_answer(first).encode("utf-8", "replace"))
        seconds = deadline.left() - _SECONDS_TO_WRITE
        if seconds < _SECONDS_TO_WRITE:
            return first
        made = read_hook_answer(self.run([*self.argv, "--part", f"answer:{seconds:.3f}"]))
        return made if made.session else first

    def _hook(self, event: str, data: bytes, vault: str | None) -> Hook:
        import datetime

        from .hooks import Hook

        return Hook(
            event=event,
            data=data,
            vault=vault,
            env=self.env,
            cwd=self.cwd,
            now=datetime.datetime.now(),
            zone=None,
            live=None,
            trace=False,
            later=True,
        )

    def _refresh(self, root: str, *, here: bool) -> None:
        """Make the index equal to the files, unless somebody is at it: here, or in a process of its
        own."""
        if not may_refresh(state_of(root, self.env)):
            return
        if not here:
            behind(["--vault", root, "hook", "refresh"])
            return
        from .hooks import REFRESH, respond

        respond(self._hook(REFRESH, b"", root))

    def ended_late(self, session: str, seconds: float, first: bytes) -> None:
        """Keep what was given where the deadline came first, or count the event as too late."""
        answer = read_hook_answer(first.decode("utf-8", "replace"))
        root = find_root(self.argv, self.env, self.cwd)
        state = state_of(root, self.env)
        if answer.text and state:
            keep_answer(state, answer)
            count(state, self.event)
        else:
            note_late(self.argv, self.env, self.cwd, self.event, session, seconds)
        if answer.outdated and root:
            self._refresh(root, here=False)
