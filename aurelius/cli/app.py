"""The typer app of the declared commands: what a command line says, its help, and what is wrong
with it.

plain.py reads the plainest lines without it. The commands are built one by one, when they are
named: all of them take as long as a search.
"""

from __future__ import annotations

import inspect
from contextlib import nullcontext, redirect_stdout
from functools import cache
from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints

import typer
import typer.core

from aurelius.daemon.client import named_command
from indexer.errors import AureliusError, UsageError
from indexer.record import NamedTuple

from . import options, topics
from .declarations import (
    ASKS_HELP,
    COMMANDS,
    EVERY_COMMAND,
    FIRST_COMMANDS,
    GLOBAL_DEFAULTS,
    NO_COMMAND,
    Command,
)
from .run import STOPPED, ignore_closed_pipe, report_bug, report_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .run import Context

    Run = Callable[[Command, SimpleNamespace, Context], int | None]

APP_HELP = (
    "Aurelius: a second brain of plain Markdown files, with search that is always as fresh as they"
    " are."
)
_FIRST_LINES = (
    "aurelius init ~/notes                     # a new vault with a few example notes",
    (
        "aurelius init --adopt ~/my-notes          # or: notes you have; adds .aurelius/ and"
        " changes nothing"
    ),
    'aurelius search "what do I know of ..."   # in the vault, or with --vault DIR',
)
"""What somebody types who has typed nothing yet."""
_FIRST_OPTIONS = (
    ("--vault DIR", "The folder of the vault to use (default: the one you are in)."),
    ("--version", "Print the version."),
    ("-h, --help", "Show this text; behind a command, what that takes."),
)
_MORE = (
    ("aurelius COMMAND --help", "what a command takes, with examples"),
    ("aurelius help --all", f"all {len(COMMANDS)} commands, by what they are for, and all topics"),
    ("aurelius help TOPIC", "search, facts, vault, agents, programs, settings, privacy and others"),
)
_FOR_EVERY_COMMAND = (
    "\nEvery command also takes --vault DIR, --session ID, --agent NAME, --ids, --no-pager\n"
    "(`aurelius help --all`).\n"
)
_OTHER_WORDS = {
    "delete": "aurelius rm NOTE",
    "due": "aurelius tasks --due today",
    "edit": "aurelius open NOTE",
    "extract": "aurelius review --since DATE",
    "find": "aurelius search WORDS",
    "grep": "aurelius search WORDS --mode keyword",
    "remember": "aurelius note TEXT",
    "rename": "aurelius move NOTE DEST",
    "settings": "aurelius config",
    "tidy": "aurelius doctor --tidy",
    "tiers": "aurelius status --tiers",
    "todo": "aurelius tasks --open",
    "todos": "aurelius tasks --open",
}
"""Words that people type for a command, and the line that does what they mean."""
_WIDTH = max(map(len, COMMANDS))
"""Columns of the longest command."""
_COLUMNS = 100
"""Columns of a help text, at most, and where nobody looks at a terminal."""
_WORD_MARK = "\0"
"""Put before a word that begins with a dash and is no option, while typer reads the line."""
_TAB = "\t"
_NAMING = ("NOTE", "ID", "ID|NOTE")
"""Arguments that name something, so that they cannot be empty."""


class _Asked(NamedTuple):
    """What a line is read for: where it runs and by what, and the options before its command."""

    context: Context
    run: Run
    before: dict[str, Any]


def run_typer(argv: Sequence[str], context: Context, run: Run) -> int | None:
    """Read a command line and `run` its command, or print its help or what is wrong; the exit code,
    or what `run` returned."""
    begun = False

    def begin(command: Command, args: SimpleNamespace, context: Context) -> int | None:
        nonlocal begun
        begun = True
        return run(command, args, context)

    code = _answer(argv, _Asked(context, begin, {}))
    if begun:
        return code
    if code == STOPPED:  # Ctrl-C while the line was read
        context.tell("stopped")
    return code or 0


def _answer(argv: Sequence[str], asked: _Asked) -> int | None:
    """What typer returns for a line, or the exit code of what is wrong, once that is told."""
    name = named_command(argv)
    sizes = {"max_content_width": _COLUMNS}
    if not asked.context.tty:
        sizes["terminal_width"] = _COLUMNS
    aside = nullcontext() if name in COMMANDS else redirect_stdout(asked.context.out)
    try:
        with aside:  # typer prints its scripts for shells on stdout
            code: int | None = _command(name).main(
                list(argv), prog_name="aurelius", standalone_mode=False, obj=asked, **sizes
            )
            return code
    except typer.Abort:  # an older typer, where a newer one returns 130
        return STOPPED
    except AureliusError as error:
        return report_error(error, asked.context)
    except BrokenPipeError:
        return ignore_closed_pipe(asked.context)
    except Exception as error:  # noqa: BLE001 typer's exceptions have moved between its versions
        if not hasattr(error, "format_message"):
            return report_bug(error, asked.context)
        piped = not asked.context.stdin.isatty()
        return report_error(_usage(error, argv, piped=piped), asked.context)


def typer_command(name: str) -> Any:
    """The typer command that has the arguments and options of a declared one."""
    return _command(name).commands[name]


@cache
def _command(name: str) -> Any:
    """The app as typer's group: with the command of that name, with all of them where there is none
    such, with none where no name was typed."""
    declared = [COMMANDS[name]] if name in COMMANDS else []
    if name and not declared:
        declared = [*COMMANDS.values()]
    app = typer.Typer(
        help=APP_HELP,
        rich_markup_mode=None,
        context_settings={"help_option_names": []},
        cls=_FirstCommands,
        add_completion=not name,
    )
    app.callback(invoke_without_command=True)(_signed(_entrance, NO_COMMAND, EVERY_COMMAND))
    for command in declared:
        register = app.command(
            command.name,
            cls=_Shown,
            help=command.help,
            context_settings={"help_option_names": []},
        )
        register(_signed(_call(command), *command.declared, EVERY_COMMAND))
    return typer.main.get_command(app)


def _signed(function: Callable[..., Any], *declared: Callable[..., None]) -> Callable[..., Any]:
    """The function with the parameters of the declared ones as its own, for typer to read."""
    first = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    given = signature_of(*declared, ASKS_HELP)
    parameters = [first, *given.values()]
    # what inspect reads
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {}
    return function


def signature_of(*declared: Callable[..., None]) -> dict[str, inspect.Parameter]:
    """The declared parameters by their names, as options.py annotates them; of two of a name the
    last."""
    kind = inspect.Parameter.KEYWORD_ONLY
    found = {}
    for signature in declared:
        hints = get_type_hints(signature, vars(options), include_extras=True)
        parameters = inspect.signature(signature).parameters
        for name, each in parameters.items():
            found[name] = each.replace(kind=kind, annotation=hints[name])
    return found


def _entrance(ctx: Any, version: bool, **values: Any) -> None:
    """Take the options before the command; without one, print the version or the help."""
    asked: _Asked = ctx.obj
    asked.before.update(_read_values(ctx, values))
    if version:
        from aurelius import __version__

        asked.context.put(f"aurelius {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        asked.context.put(ctx.get_help())


def _call(command: Command) -> Callable[..., int | None]:
    """What typer calls for a command."""

    def call(ctx: Any, **values: Any) -> int | None:
        asked: _Asked = ctx.find_root().obj
        typed = _read_values(ctx, values)
        for name, value in asked.before.items():
            typed[name] = typed[name] or value
        return asked.run(command, SimpleNamespace(**typed), asked.context)

    return call


def _read_values(ctx: Any, values: dict[str, Any]) -> dict[str, Any]:
    """The values as args have them.  UsageError for one that is empty."""
    own = [each for each in ctx.command.params if each.name in values]
    return {
        each.name: _read_value(ctx, each, values[each.name])
        for each in own
        if each.name not in {"help", "version"}
    }


def _read_value(ctx: Any, parameter: Any, value: Any) -> Any:
    many = isinstance(value, list | tuple)
    texts = [_readable(parameter.name, text) for text in (value if many else [value])]
    if _is_empty(ctx, parameter, texts):
        shown = parameter.metavar
        if parameter.param_type_name == "option":
            shown = parameter.opts[0]
        raise UsageError(f"{shown} is empty", f"say what {parameter.metavar} is, or leave it out")
    if many:
        return tuple(texts)
    return texts[0]


def _is_empty(ctx: Any, parameter: Any, texts: Iterable[Any]) -> bool:
    """Whether a value was typed that is nothing: never as if it had not been given."""
    if parameter.name == "vault" or ctx.get_parameter_source(parameter.name).name == "DEFAULT":
        return False
    if parameter.param_type_name != "option" and parameter.metavar not in _NAMING:
        return False
    return any(isinstance(text, str) and not text.strip() for text in texts)


def _readable(name: str, value: Any) -> Any:
    """What was typed as text: bytes that are no UTF-8, which no note's name or text holds, become
    U+FFFD; those of a folder's name stay."""
    if not isinstance(value, str):
        return value
    text = value.removeprefix(_WORD_MARK)
    if name in {"vault", "directory", "project"} or text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Shown(typer.core.TyperCommand):
    """A command whose words may begin with a dash, and whose help has its examples."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a line; a word that leaves another out of a search is no option."""
        if any(each.nargs == -1 for each in self.params):
            args = _with_marks(self, args)
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Print how a line is typed."""
        words = [_usage_of(each) for each in self.params if each.param_type_name == "argument"]
        formatter.write_usage(ctx.command_path, " ".join([*words, "[OPTIONS]"]))

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 as typer calls it
        """Print the arguments and options by their headings, and the examples."""
        command = COMMANDS[str(self.name)]
        for heading, rows in _sections(self.params, command).items():
            with formatter.section(heading):
                formatter.write_dl(rows)
        formatter.write(_FOR_EVERY_COMMAND)
        if command.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in command.examples))
        if more := topics.more_about(command.name):
            formatter.write(f"\nMore about it: aurelius help {more}\n")


class _FirstCommands(typer.core.TyperGroup):
    """The app, whose help shows what a newcomer needs, and where the rest is."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 as typer calls it
        """Print the first screen."""
        with formatter.section("To begin"):
            formatter.write("".join(f"  {line}\n" for line in _FIRST_LINES))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name.ljust(_WIDTH), COMMANDS[name].help) for name in FIRST_COMMANDS]
            )
        with formatter.section("Options"):
            formatter.write_dl(_FIRST_OPTIONS)
        with formatter.section("More"):
            formatter.write_dl(_MORE)


def _with_marks(command: Any, args: Sequence[str]) -> list[str]:
    """The words of a line, those marked that begin with a dash and are the command's own.

    Such a word is several words in quotes, leaves a word out of a search, is a number below zero,
    or is part of a section's name in `help`. `search tea -5` is more likely a limit mistyped than a
    word to leave out.
    """
    known = set(chain.from_iterable(each.opts for each in command.params))
    marked: list[str] = []
    for place, word in enumerate(args):
        if word == "--":
            return [*marked, *args[place:]]
        named = word.partition("=")[0] in known or word[:2] in known
        own = word[:1] == "-" and not named and _is_word(word, command.name)
        marked.append(_WORD_MARK * own + word)
    return marked


def _is_word(word: str, command: str) -> bool:
    """True for a word with a dash that is no option mistyped."""
    if any(map(str.isspace, word)):
        return True
    if word[1:2] == "-":
        return command == "help" and len(word) > 2
    return len(word) > 2 or (command != "search" and word[1:].isdecimal())


def _usage_of(argument: Any) -> str:
    more = "..." * (argument.nargs == -1)
    return f"{argument.metavar}{more}" if argument.required else f"[{argument.metavar}]{more}"


def _sections(parameters: Iterable[Any], command: Command) -> dict[str, list[tuple[str, str]]]:
    """The arguments and the options of a command by the headings of its help, in two columns."""
    sections: dict[str, list[tuple[str, str]]] = {}
    last = []
    for each in sorted(parameters, key=lambda each: each.param_type_name):  # arguments first
        if each.param_type_name == "argument":
            text, *words = each.help.split("\n")
            rows = sections.setdefault("Arguments", [])
            rows.append((each.metavar, text))
            rows += [(f"  {word.partition(_TAB)[0]}", word.partition(_TAB)[2]) for word in words]
        elif each.rich_help_panel:
            sections.setdefault(each.rich_help_panel, []).append(_help(each))
        elif not each.hidden and each.name in command.defaults.keys() - GLOBAL_DEFAULTS:
            last.append(_help(each))
    sections["Options"] = [*last, ("-h, --help", "Show this text.")]
    return sections


def _help(option: Any) -> tuple[str, str]:
    """An option and what it is for, in two columns, without its other name."""
    short = [each for each in option.opts if not each.startswith("--")]
    long = [each for each in option.opts if each.startswith("--")]
    names = ", ".join([*short, "/".join([long[0], *option.secondary_opts])])
    if not option.is_flag:
        names = f"{names} {option.metavar}"
    return names, option.help + "  May be repeated." * option.multiple


def _usage(error: Any, argv: Sequence[str], *, piped: bool) -> UsageError:
    """What typer complained of in this line, and where help is.

    Where a text is missing and stdin is `piped`, the hint is the line that reads it from there.
    """
    name = named_command(argv)
    text = error.format_message().rstrip(".")
    text = text[:1].lower() + text[1:]
    if name and name not in COMMANDS:
        other = _elsewhere(name)
        near = f"that is `{other}`; " if other else ""
        return UsageError(text, f"{near}aurelius help --all shows what there is")
    near = ""
    if name == "undo" and argv[-1].isdecimal():
        near = f"did you mean `aurelius undo --number {argv[-1]}`?  "
    missing = getattr(getattr(error, "param", None), "metavar", "")
    if piped and missing == "TEXT" and text.startswith("missing"):
        from aurelius.settings.places import shell_word

        line = " ".join(map(shell_word, ("aurelius", *argv, "-")))
        near = f"to read it from stdin: {line}; "
    return UsageError(text, f"{near}{f'aurelius {name}'.rstrip()} --help shows what there is")


def _elsewhere(word: str) -> str:
    """The command line that does what a word means that is no command, "" where none is known."""
    from indexer.reading.path_meaning import kind_of_word
    from indexer.reading.type_words import type_meaning

    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    if kind_of_word(word) or type_meaning(word):
        return f"aurelius list {word}"
    return ""
