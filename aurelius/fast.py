"""The way in that costs nothing: parses a command line by the tables of options.py, without typer.

It is strict.  Whatever is not plainly one of the declared commands with declared options, `--help`,
a wrong flag, a missing argument, shell completion, goes to typer, which knows the words for it.  Both ways end
in the same run functions with the same args, which a test compares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.command import execute, load, refuse
from aurelius.options import GLOBAL, Command, Option, arguments, find_command
from indexer.errors import AureliusError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from aurelius.command import Context

COMPLETE = "_AURELIUS_COMPLETE"
"""What a shell sets when it asks for completions."""


def main(argv: Sequence[str], context: Context) -> int:
    """Run a command line; its exit code."""
    code = run(argv, context)
    if code is None:
        from aurelius.cli import main as typer_main

        return typer_main(argv, context)
    return code


def run(
    argv: Sequence[str], context: Context, *, only: Callable[[Command, SimpleNamespace], bool] | None = None
) -> int | None:
    """Run a plain command line, where `only` has nothing against it; its exit code, or None where it did not run."""
    try:
        parsed = None if COMPLETE in context.env else parse(argv)
    except AureliusError as error:
        return refuse(error, context)
    if parsed is None:
        return None
    command, args = parsed
    if only is not None and not only(command, args):
        return None
    return execute(load(command.run), args, context)


def parse(argv: Sequence[str]) -> tuple[Command, SimpleNamespace] | None:
    """The command and its args, or None where typer should have a look; UsageError for a bad value."""
    raw: dict[str, list[str]] = {}
    rest = _options(list(argv), GLOBAL, raw, first=True)
    command = find_command(rest[0]) if rest else None
    if rest is None or command is None:
        return None
    excludes = any(argument.many for argument in command.arguments)
    words = _options(rest[1:], command.options + GLOBAL, raw, excludes=excludes)
    if words is None or not _fits(command, words):
        return None
    return command, arguments(command, raw, words)


def _options(
    argv: list[str],
    options: Sequence[Option],
    raw: dict[str, list[str]],
    *,
    first: bool = False,
    excludes: bool = False,
) -> list[str] | None:
    """Take the options out of argv into raw; the words that are left, or None where one is not declared.

    `first` stops at the first word; `excludes` takes `-word` for a word of the query.
    """
    known = {name: option for option in options for name in option.flags}
    words: list[str] = []
    while argv:
        word = argv.pop(0)
        if word == "--":
            return words + argv
        name, equals, value = word.partition("=")
        if name not in known and not word.startswith("--") and word[:2] in known:
            name, equals, value = word[:2], "=", word[2:]  # -n5
        option = known.get(name)
        if option is None and (word[:1] != "-" or word == "-" or (excludes and _is_word(word))):
            if first:
                return [word, *argv]
            words.append(word)
        elif option is None or (option.kind == "flag" and equals) or not (equals or option.kind == "flag" or argv):
            return None
        else:
            raw.setdefault(option.name, []).append(value if equals else "" if option.kind == "flag" else argv.pop(0))
    return words


def _is_word(word: str) -> bool:
    """Whether `-word` leaves a word or phrase out of a search rather than being an option mistyped."""
    return len(word) > 2 and word[1] != "-"


def _fits(command: Command, words: Sequence[str]) -> bool:
    needed = sum(argument.default is None for argument in command.arguments)
    most = len(words) if any(argument.many for argument in command.arguments) else len(command.arguments)
    return needed <= len(words) <= most
