"""The way in that costs nothing: parses a command line by the tables of options.py, without typer.

It is strict.  Whatever is not plainly one of the declared commands with declared options, `--help`,
a wrong flag, a missing argument, shell completion, goes to typer, which knows the words for it.  Both ways end
in the same run functions with the same args, which a test compares.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from aurelius.command import execute, refuse
from aurelius.options import GLOBAL, Command, Option, convert, find_command
from indexer.errors import AureliusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.command import Context, Run

COMPLETE = "_AURELIUS_COMPLETE"
"""What a shell sets when it asks for completions."""


def main(argv: Sequence[str], context: Context) -> int:
    """Run a command line; its exit code."""
    try:
        parsed = None if COMPLETE in context.env else parse(argv)
    except AureliusError as error:
        return refuse(error, context)
    if parsed is None:
        from aurelius.cli import main as typer_main

        return typer_main(argv, context)
    command, args = parsed
    return execute(load(command), args, context)


def load(command: Command) -> Run:
    """The run function of a command; only its own module is imported."""
    module, _, name = command.run.partition(":")
    run: Run = getattr(__import__(module, fromlist=[name]), name)
    return run


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


def arguments(command: Command, raw: dict[str, list[str]], words: Sequence[str]) -> SimpleNamespace:
    """The args of a run function: defaults, then what was typed; UsageError for a value that means nothing."""
    values: dict[str, Any] = {}
    for option in command.options + GLOBAL:
        typed = raw.get(option.name, [])
        if option.kind == "flag":
            values[option.name] = bool(typed)
        elif option.many:
            values[option.name] = tuple(convert(option, text) for text in typed)
        else:
            text = typed[-1] if typed else option.fallback
            values[option.name] = None if text is None else convert(option, text)
    for place, argument in enumerate(command.arguments):
        if argument.many:
            values[argument.name] = tuple(words[place:])
        else:
            values[argument.name] = words[place] if place < len(words) else argument.default
    return SimpleNamespace(**values)


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
