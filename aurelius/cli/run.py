"""A command line → one call → an exit code: parsed by the tables of options.py, run in a Context,
errors told.

A command is `run(args, context) -> exit code`.  It reads nothing of the process: working directory,
environment, streams and clock come in as the Context, so a shell and a test run the same code.

Parsing is strict. Whatever is not plainly one of the declared commands with declared options,
`--help`, a wrong flag, a missing argument, shell completion, goes to typer, which takes long to
import and knows the words for it. Both ways end in the same run functions with the same args, which
a test compares.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.errors import AureliusError, UsageError
from indexer.record import NamedTuple

from .options import COMMAND_BY_NAME
from .typed_words import GLOBAL, Command, Option, by_flag, parse_arguments

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping, Sequence
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


def run_command_line(
    argv: Sequence[str],
    context: Context,
    *,
    only: Callable[[Command, SimpleNamespace], bool] | None = None,
) -> int | None:
    """Run a plain command line, where `only` has nothing against it; its exit code, or None where
    it did not run."""
    try:
        parsed = None if COMPLETE in context.env else parse_line(argv)
    except AureliusError as error:
        return report_error(error, context)
    if parsed is None:
        return None
    command, args = parsed
    if only is not None and not only(command, args):
        return None
    return execute(load_command(command.run), args, context)


def parse_line(argv: Sequence[str]) -> tuple[Command, SimpleNamespace] | None:
    """The command and its args, or None where typer should have a look; UsageError for a bad
    value."""
    _check_characters(argv)
    raw: dict[str, list[str]] = {}
    rest = _options(list(argv), GLOBAL, raw, first=True)
    command = COMMAND_BY_NAME.get(rest[0]) if rest else None
    if not rest or command is None:
        return None
    words = _options(rest[1:], command.every_option, raw, of=command)
    if words is None or not _fits(command, words):
        return None
    return command, parse_arguments(command, raw, words)


def command_in(argv: Sequence[str]) -> Command | None:
    """The command that a line names, whatever is wrong behind it."""
    rest = _options(list(argv), GLOBAL, {}, first=True)
    if rest:
        return COMMAND_BY_NAME.get(rest[0])
    return None


def _check_characters(argv: Sequence[str]) -> None:
    """UsageError for half of a character, which no file and no terminal can hold; an odd byte is
    let through."""
    for word in argv:
        try:
            word.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            half = f"U+{ord(word[error.start]):04X}"
            raise UsageError(
                f"{word!r} contains a broken character ({half})", "type that word again"
            ) from None


def _options(
    argv: list[str],
    options: Sequence[Option],
    raw: dict[str, list[str]],
    *,
    first: bool = False,
    of: Command | None = None,
) -> list[str] | None:
    """Take the options out of argv into raw; the words that are left, or None where one is not
    declared.

    `first` stops at the first word; `of` is the command whose words may begin with a dash.
    """
    known = by_flag(options)
    words: list[str] = []
    while argv:
        word = argv.pop(0)
        if word == "--":
            return words + argv
        option, value = _option_in(word, known)
        if option is None:
            if _is_undeclared(word, of):
                return None
            if first:
                return [word, *argv]
            words.append(word)
            continue
        if option.kind == "flag":
            if value is not None:
                return None
            value = ""
        elif value is None:
            if not argv:
                return None
            value = argv.pop(0)
        raw.setdefault(option.name, []).append(value)
    return words


def _option_in(word: str, known: Mapping[str, Option]) -> tuple[Option | None, str | None]:
    """The option that a word names, and its value where that is in the word: `--limit=5`, `-n5`."""
    name, equals, value = word.partition("=")
    if name in known:
        return known[name], value if equals else None
    if not word.startswith("--") and word[:2] in known:
        return known[word[:2]], word[2:]
    return None, None


def _is_undeclared(word: str, command: Command | None) -> bool:
    """Whether a word looks like an option, and is none of the words of the command."""
    return word[:1] == "-" and word != "-" and not (command and _is_word(word, command))


def _is_word(word: str, command: Command) -> bool:
    """True if a word with a dash is one of the command's own rather than an option mistyped.

    It is several words in quotes, leaves a word out of a search, is a number below zero, or is part
    of a section's name in `help`. `search tea -5` is more likely a limit mistyped than a word to
    leave out.
    """
    if not any(argument.many for argument in command.arguments):
        return False
    if any(map(str.isspace, word)):
        return True
    if word[1:2] == "-":
        return command.name == "help" and word != "--help"
    return len(word) > 2 or (command.name != "search" and word[1:].isdecimal())


def _fits(command: Command, words: Sequence[str]) -> bool:
    needed = sum(argument.default is None for argument in command.arguments)
    takes_more = any(argument.many for argument in command.arguments)
    return needed <= len(words) and (takes_more or len(words) <= len(command.arguments))


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
