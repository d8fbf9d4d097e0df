"""What every command is made of: the Context it runs in, and execute(), which turns errors into exit codes.

A command is `run(args, context) -> exit code`.  It reads nothing of the process: working directory,
environment, streams and clock come in as the Context, so a shell and a test run the same code.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import AureliusError, UsageError

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping
    from types import SimpleNamespace
    from typing import TextIO

    from indexer.live import Live

    Run = Callable[[SimpleNamespace, "Context"], int]

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""

BUG = 70
"""Exit code of a bug: EX_SOFTWARE of sysexits.h."""

UNWRITTEN = 74
"""Exit code when the answer cannot be written, to a full disk for one: EX_IOERR of sysexits.h."""


class Context(NamedTuple):
    """Everything a command may know about the process it runs in.

    `tty` says whether a person looks at `out`; `now` is the clock of `--now` or AURELIUS_NOW in
    local time, or None for the real one.  `zone` is the person's, where it need not be this process's;
    `live` is the index that a daemon keeps, in a daemon.
    """

    cwd: str
    env: Mapping[str, str]
    tty: bool
    stdin: TextIO
    out: TextIO
    err: TextIO
    now: datetime.datetime | None = None
    zone: datetime.tzinfo | None = None
    live: Live | None = None

    @property
    def colour(self) -> bool:
        """Whether `out` may carry colour: a terminal that knows it, and NO_COLOR is not set.

        The old console of Windows shows the codes themselves; Windows Terminal and Unix-like shells say what they are.
        """
        knows = os.name != "nt" or "WT_SESSION" in self.env or "TERM" in self.env
        return self.tty and knows and not self.env.get("NO_COLOR") and self.env.get("TERM") != "dumb"

    def clock(self) -> datetime.datetime:
        """The time this command runs at."""
        if self.now is not None:
            return self.now
        import datetime

        return datetime.datetime.now(self.zone).replace(tzinfo=None)  # a person's days are local days

    def put(self, text: str) -> None:
        """Write data to `out`, with a final newline unless there is nothing to say."""
        if text:
            self.out.write(text if text.endswith("\n") else text + "\n")

    def tell(self, *lines: str) -> None:
        """Say something beside the answer: one line each on `err`."""
        from aurelius.visible import one_line

        for line in lines:
            self.err.write(f"aurelius: {one_line(line)}\n")


def execute(run: Run, args: SimpleNamespace, context: Context) -> int:
    """Run a command; errors become `aurelius: message` and a hint on `err`, and their exit code comes back."""
    try:
        code = run(args, with_clock(args.now, context))
        context.out.flush()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 a person must never meet a bare traceback
        return give_up(error, context)
    return code


def give_up(error: Exception | KeyboardInterrupt, context: Context) -> int:
    """Say why a command did not come to its end; the exit code.

    A closed pipe is the reader's right and no error.  An exception outside the tree of
    indexer/errors.py is a bug: one line names it, and AURELIUS_DEBUG=1 shows the traceback.
    """
    if isinstance(error, AureliusError):
        return refuse(error, context)
    if isinstance(error, BrokenPipeError):
        return hang_up(context)
    if isinstance(error, KeyboardInterrupt):
        context.tell("stopped")
        return STOPPED
    return confess(error, context)


def load(name: str) -> Run:
    """The run function `module:function`; its module, and no other command's, is imported when it is called."""

    def run(args: SimpleNamespace, context: Context) -> int:
        module, _, function = name.partition(":")
        found: Run = getattr(__import__(module, fromlist=[function]), function)
        return found(args, context)

    return run


def refuse(error: AureliusError, context: Context) -> int:
    """Say what went wrong and what to do about it; the error's exit code."""
    context.tell(error.message)
    if error.hint:
        from aurelius.visible import visible

        context.err.write(f"hint: {visible(error.hint)}\n")
    return error.exit_code


def with_clock(now: str | None, context: Context) -> Context:
    """The context with the clock set by `--now`, else by AURELIUS_NOW; UsageError for what is none."""
    text = now or context.env.get("AURELIUS_NOW", "")
    if not text:
        return context
    import datetime

    try:
        moment = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        where = "--now" if now else "AURELIUS_NOW"
        raise UsageError(
            f"{where} is no date: {text!r}", "an ISO date or time is, like 2026-02-10 or 2026-02-10T09:00"
        ) from None
    if moment.tzinfo is not None:
        moment = moment.astimezone().replace(tzinfo=None)
    if not 1971 <= moment.year < 3000:  # what every system's clock and every fact's date can hold
        raise UsageError(f"{text!r} is no time to work at", "a year from 1971 to 2999 is")
    return context._replace(now=moment)


def hang_up(context: Context) -> int:
    """Leave quietly after the reader of a pipe has gone; without this the interpreter's last flush complains."""
    from contextlib import suppress

    with suppress(OSError, ValueError):  # a stream that is no file has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), context.out.fileno())
    return 0


def confess(error: Exception, context: Context) -> int:
    """Name a bug in one line, or what keeps the answer from being written; the exit code."""
    import traceback

    if context.env.get("AURELIUS_DEBUG"):
        context.err.write("".join(traceback.format_exception(error)))
        return BUG
    if isinstance(error, OSError) and error.filename is None and error.strerror:
        context.tell(f"the answer cannot be written: {error.strerror}")
        hang_up(context)
        return UNWRITTEN
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(os.path.dirname(last.filename))}/{os.path.basename(last.filename)}:{last.lineno}"
    context.tell(f"this is a bug in Aurelius: {type(error).__name__}: {' '.join(str(error).split())} ({where})")
    context.err.write("hint: your notes are untouched; run it again with AURELIUS_DEBUG=1 for the traceback\n")
    return BUG
