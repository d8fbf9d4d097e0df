"""A command line → one call → an exit code: read, run in a Context, errors told.

A command is `run(args, context) -> exit code`.  It reads nothing of the process: working directory,
environment, streams and clock come in as the Context, so a shell and a test run the same code.

"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.errors import AureliusError, UsageError
from indexer.record import NamedTuple

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping
    from types import SimpleNamespace
    from typing import TextIO

    from aurelius.show.terminal import Paint
    from indexer.live.live_index import Live

    Run = Callable[[SimpleNamespace, "Context"], int]

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""

BUG = 70
"""Exit code of a bug: EX_SOFTWARE of sysexits.h."""

UNWRITTEN = 74
"""Exit code when the answer cannot be written, to a full disk for one: EX_IOERR of sysexits.h."""

COMPLETE = "_AURELIUS_COMPLETE"
"""What a shell sets when it asks for completions."""


class Context(NamedTuple):
    """Everything a command may know about the process it runs in.

    `tty` says whether a person looks at `out`; `now` is the clock of `--now` or AURELIUS_NOW in
    local time, or None for the real one. `zone` is the person's, where it need not be this
    process's; `live` is the index that a daemon keeps, in a daemon; `columns` are those of the
    terminal, 0 where none is known. `person` is false where an agent asks through a door: what only
    the person may allow is refused then.
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
    columns: int = 0
    person: bool = True
    ids: bool = False

    @property
    def width(self) -> int:
        """The columns that a person sees of `out`: COLUMNS, else the terminal's; 0 where nobody
        looks at one."""
        if self.tty:
            return self._columns()
        return 0

    @property
    def colour(self) -> bool:
        """True if `out` may carry colour: a terminal that knows it, and NO_COLOR is not set.

        The old console of Windows shows the codes themselves; Windows Terminal and Unix-like shells
        say what they are.
        """
        knows = os.name != "nt" or "WT_SESSION" in self.env or "TERM" in self.env
        return (
            self.tty and knows and not self.env.get("NO_COLOR") and self.env.get("TERM") != "dumb"
        )

    def paint(self, root: str = "") -> Paint:
        """What answers are painted with; the paths in them are links below `root`, where the
        terminal shows links, and ids and tiers are left out there unless they are asked for."""
        from aurelius.show.terminal import Paint, shows_links

        linked = root if self.tty and shows_links(self.env) else ""
        return Paint(self.colour, linked, brief=self.tty and not self.ids)

    def clock(self) -> datetime.datetime:
        """The time this command runs at."""
        if self.now is not None:
            return self.now
        import datetime

        return datetime.datetime.now(self.zone).replace(
            tzinfo=None
        )  # a person's days are local days

    def _columns(self) -> int:
        told = self.env.get("COLUMNS", "")
        if told.isdecimal() and len(told) < 6:
            return int(told)
        return self.columns

    def put(self, text: str, *, indent: int | None = None) -> None:
        """Write data to `out`, with a final newline unless there is nothing to say.

        With an `indent`, lines too long for a terminal are broken between words and go on so deep,
        or as deep as they began.
        """
        if indent is not None and self.width:
            from aurelius.show.terminal import wrapped

            text = wrapped(text, self.width, indent)
        if text:
            self.out.write(text if text.endswith("\n") else text + "\n")

    def says_yes(self, question: str) -> bool:
        """Ask a yes-or-no question on `err`; True only for yes, not for any other answer or
        none."""
        from aurelius.show.terminal import one_line

        self.err.write(f"aurelius: {one_line(question)} [y/N] ")
        self.err.flush()
        answer = self.stdin.readline()
        if not answer.endswith("\n"):
            self.err.write("\n")
        return answer.strip().casefold() in {"y", "yes"}

    def tell(self, *lines: str) -> None:
        """Say something beside the answer: one line each on `err`."""
        from aurelius.show.terminal import one_line

        for line in lines:
            self._say(f"aurelius: {one_line(line)}")

    def hint(self, text: str) -> None:
        """Say on `err` what to do about an error; below its first line is what to copy, never
        wrapped."""
        from aurelius.show.terminal import escape_controls

        self._say(f"hint: {escape_controls(text)}")

    def _say(self, text: str) -> None:
        if self.err.isatty() and self._columns():
            from aurelius.show.terminal import wrapped

            head, end, to_copy = text.partition("\n")
            text = wrapped(head, self._columns(), 2) + end + to_copy
        self.err.write(f"{text}\n")


def execute(run: Run, args: SimpleNamespace, context: Context) -> int:
    """Run a command; errors become `aurelius: message` and a hint on `err`, and their exit code
    comes back."""
    try:
        code = run(args, with_clock(args.now, context)._replace(ids=args.ids))
        context.out.flush()
    # A person must never meet a bare traceback.
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001
        return report_failure(error, context)
    return code


def report_failure(error: Exception | KeyboardInterrupt, context: Context) -> int:
    """Say why a command did not come to its end; the exit code.

    A closed pipe is the reader's right and no error.  An exception outside the tree of
    indexer/errors.py is a bug: one line names it, and AURELIUS_DEBUG=1 shows the traceback.
    """
    if isinstance(error, AureliusError):
        return report_error(error, context)
    if isinstance(error, BrokenPipeError):
        return ignore_closed_pipe(context)
    if isinstance(error, KeyboardInterrupt):
        context.tell("stopped")
        return STOPPED
    return report_bug(error, context)


def load_command(name: str) -> Run:
    """The run function `module:function` of `cli.commands`; its module, and no other, is imported
    when it is called."""

    def run(args: SimpleNamespace, context: Context) -> int:
        module, _, function = name.partition(":")
        found: Run = getattr(
            __import__(f"aurelius.cli.commands.{module}", fromlist=[function]), function
        )
        return found(args, context)

    return run


def report_error(error: AureliusError, context: Context) -> int:
    """Say what went wrong and what to do about it; the error's exit code."""
    context.tell(error.message)
    if error.hint:
        context.hint(error.hint)
    return error.exit_code


def with_clock(now: str | None, context: Context) -> Context:
    """The context with the clock set by `--now`, else by AURELIUS_NOW; UsageError for what is
    none."""
    text = now or context.env.get("AURELIUS_NOW", "")
    if not text:
        return context
    import datetime

    where = "AURELIUS_NOW"
    if now:
        where = "--now"
    try:
        moment = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{where} is not a date: {text!r}", "write it like 2026-02-10 or 2026-02-10T09:00"
        ) from None
    if (
        moment.tzinfo is not None and 1 < moment.year < 9999
    ):  # the first and the last may have no local time
        moment = moment.astimezone().replace(tzinfo=None)
    if not 1971 <= moment.year < 3000:  # what every system's clock and every fact's date can hold
        raise UsageError(f"{where} {text!r} is out of range", "the year must be from 1971 to 2999")
    return context._replace(now=moment)


def ignore_closed_pipe(context: Context) -> int:
    """Leave quietly after the reader of a pipe has gone; without this the interpreter's last flush
    complains."""
    from contextlib import suppress

    with suppress(OSError, ValueError):  # a stream that is no file has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), context.out.fileno())
    return 0


def report_bug(error: Exception, context: Context) -> int:
    """Name a bug in one line, or what keeps the answer from being written; the exit code."""
    import traceback

    if context.env.get("AURELIUS_DEBUG"):
        context.err.write("".join(traceback.format_exception(error)))
        return BUG
    if isinstance(error, OSError) and error.filename is None and error.strerror:
        context.tell(f"the answer cannot be written: {error.strerror}")
        ignore_closed_pipe(context)
        return UNWRITTEN
    known = bug_error(error, context)
    context.tell(known.message)
    context.hint(known.hint)
    return BUG


def bug_error(error: Exception, context: Context) -> AureliusError:
    """A bug as an error that names it in one line, and where its traceback is kept."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = (
        f"{os.path.basename(os.path.dirname(last.filename))}/{os.path.basename(last.filename)}:"
        f"{last.lineno}"
    )
    kept = _keep_traceback(error, context)
    traced = "AURELIUS_DEBUG=1 shows the traceback"
    if kept:
        traced = f"the traceback for a report is in {kept}"
    known = AureliusError(
        f"this is a bug in Aurelius: {type(error).__name__}: {' '.join(str(error).split())}"
        f" ({where})",
        "no note is lost; `aurelius undo --list` tells whether one was changed before this;"
        f" {traced}",
    )
    known.exit_code = BUG
    return known


def _keep_traceback(error: Exception, context: Context) -> str:
    """Keep what happened, which may never happen again, in a file of this user's; its path, ""
    where it cannot be."""
    import sys
    import traceback

    from aurelius import __version__
    from aurelius.settings.places import LAST_BUG, user_folder
    from aurelius.writing.own_files import keep_in_state

    if not (context.env.get("HOME") or context.env.get("USERPROFILE")):
        return ""
    told = f"Aurelius {__version__}, Python {sys.version}, {sys.platform}\n\n"
    data = (told + "".join(traceback.format_exception(error))).encode("utf-8", "backslashreplace")
    try:
        folder = user_folder("state", context.env)
        keep_in_state(folder, LAST_BUG, data)
    except Exception:  # noqa: BLE001  a bug is told in any case
        return ""
    return os.path.join(folder, LAST_BUG)
