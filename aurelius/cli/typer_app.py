"""The typer app, built from the tables of options.py: help, error text, and what installs
completion.

run.py reads every well-formed command line without it; what arrives here asks for help, has a
mistake in it, or asks for the script that a shell completes with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from indexer.errors import AureliusError, UsageError

from . import options
from .options import COMMAND_BY_NAME, COMMANDS, FIRST_COMMANDS
from .run import command_in, execute, ignore_closed_pipe, load_command, report_bug, report_error
from .shared_options import TEXT_ARGUMENT
from .typed_words import GLOBAL, Argument, Command, Option, parse_arguments

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Sequence

    import typer

    from .run import Context

QUOTES = "'?"
_LEAST_LIKENESS = 0.7
"""How alike two options are spelled, from 0 to 1, when one may be meant by the other."""
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
    ("aurelius help TOPIC", "search, facts, vault, adopting, agents, settings, privacy and others"),
)
_FOR_EVERY_COMMAND = "\nEvery command also takes {}\n(`aurelius help --all`).\n".format(
    ", ".join(f"{each.flags[0]} {each.value}".rstrip() for each in GLOBAL if not each.hidden)
)
_OTHER_WORDS = {
    "delete": "aurelius rm NOTE",
    "due": "aurelius tasks --due today",
    "edit": "aurelius open NOTE",
    "find": "aurelius search WORDS",
    "grep": "aurelius search WORDS --mode keyword",
    "remember": "aurelius note TEXT",
    "rename": "aurelius move NOTE DEST",
    "settings": "aurelius config",
    "todo": "aurelius tasks --open",
    "todos": "aurelius tasks --open",
}
"""Words that people type for a command, and the line that does what they mean."""
_WIDTH = max(len(command.name) for command in COMMANDS)
"""Columns of the longest command."""
APP_HELP = (
    "Aurelius: a second brain of plain Markdown files, with search that is always as fresh as they"
    " are."
)


def run_typer(
    argv: Sequence[str],
    context: Context,
    *,
    whole: bool = False,
) -> int:
    """Run a command line through typer; its exit code. Whatever typer prints goes to the context's
    streams. `whole`: help without a command lists them all."""
    from contextlib import redirect_stderr, redirect_stdout

    from typer.main import get_command

    try:
        with redirect_stdout(context.out), redirect_stderr(context.err):
            code = get_command(app(context, whole=whole)).main(
                args=list(argv), prog_name="aurelius", standalone_mode=False
            )
            context.out.flush()
    except AureliusError as error:
        return report_error(error, context)
    except BrokenPipeError:
        return ignore_closed_pipe(context)
    except Exception as error:  # noqa: BLE001 typer's exceptions have moved between its versions
        message = getattr(error, "format_message", None)
        if message is None:
            return report_bug(error, context)
        return report_error(
            _usage(error, message(), argv, piped=not context.stdin.isatty()), context
        )
    if isinstance(code, int):
        return code
    return 0


def app(
    context: Context,
    *,
    whole: bool = False,
) -> typer.Typer:
    """The typer app of every command; they run in `context`. `whole`: its help lists them all."""
    import typer

    settings = {"help_option_names": ["--help", "-h"], "max_content_width": 100}
    if not context.tty:
        settings["terminal_width"] = 100
    made = typer.Typer(
        help=APP_HELP,
        rich_markup_mode=None,
        context_settings=settings,
        cls=_every_command() if whole else _first_commands(),
        add_completion=True,
    )
    before: dict[str, list[str]] = {}
    made.callback(invoke_without_command=True)(_entrance(context, before))
    for command in COMMANDS:
        register = made.command(
            command.name, cls=_told(command), help=command.help, context_settings=settings
        )
        register(_function(command, context, before))
    return made


def _entrance(context: Context, before: dict[str, list[str]]) -> Callable[..., None]:
    """What typer calls before any command: the global options, `--version`, and help where no
    command is named."""
    import typer

    def entrance(ctx: typer.Context, version: bool, **values: Any) -> None:
        if version:
            from aurelius import __version__

            context.put(f"aurelius {__version__}")
            raise typer.Exit
        before.update(_raw(GLOBAL, values))
        if ctx.invoked_subcommand is None:
            context.put(ctx.get_help())

    version = Annotated[
        bool, typer.Option("--version", help="Print the version.", show_default=False)
    ]
    first = [_parameter("ctx", typer.Context), _parameter("version", version, default=False)]
    _sign(entrance, [*first, *map(_option, GLOBAL)])
    return entrance


def _function(
    command: Command, context: Context, before: dict[str, list[str]]
) -> Callable[..., int]:
    """The function typer calls for a command; its signature is generated."""

    def call(**values: Any) -> int:
        words: list[str] = []
        for argument in command.arguments:
            typed = values[argument.name]
            if argument.many:
                words += typed or []
            elif typed is None:
                words += []
            else:
                words += [typed]
        args = parse_arguments(command, before | _raw(command.every_option, values), words)
        return execute(load_command(command.run), args, context)

    _sign(call, [*map(_argument, command.arguments), *map(_option, command.every_option)])
    return call


def _sign(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    import inspect

    # what inspect reads
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {}


def _parameter(name: str, annotation: Any, **default: Any) -> inspect.Parameter:
    import inspect

    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, **default)


def _argument(argument: Argument) -> inspect.Parameter:
    import typer

    made = typer.Argument(metavar=argument.value, show_default=False)
    kind: Any = list[str] if argument.many else str
    if argument.default is not None:
        kind = kind | None
    if argument.default is None:
        default = {}
    else:
        default = {"default": None}
    return _parameter(argument.name, Annotated[kind, made], **default)


def _option(option: Option) -> inspect.Parameter:
    import typer

    made = typer.Option(
        *option.flags,
        help=option.help,
        hidden=option.hidden,
        metavar=option.value or None,
        show_default=False,
    )
    kind: Any = list[str] if option.many else str | None
    default = None
    if option.kind == "flag":
        kind = bool
        default = False
    return _parameter(option.name, Annotated[kind, made], default=default)


def _raw(options: Sequence[Option], values: dict[str, Any]) -> dict[str, list[str]]:
    """What typer parsed, as run.py gathers it: every option that was given with the texts typed for
    it."""
    raw: dict[str, list[str]] = {}
    for option in options:
        value = values[option.name]
        if value or value == "":
            if value is True:
                raw[option.name] = [""]
            elif option.many:
                raw[option.name] = list(value)
            else:
                raw[option.name] = [value]
    return raw


def _usage(
    error: Exception,
    message: str,
    argv: Sequence[str],
    *,
    piped: bool = False,
) -> UsageError:
    """What typer complained of in this line, in our words where it tells enough, and where help is.

    Where a text is missing and stdin is `piped`, the hint is the line that reads it from there.
    """
    command = command_in(argv)
    option = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    if option:
        text, near = _of_option(error, option, message)
    elif parameter is not None:
        text = f"missing argument: {parameter.metavar}"
        near = ""
        words = _words(command, parameter.metavar)
        if words:
            near = f"one of: {', '.join(words)}; "
        elif piped and parameter.metavar == TEXT_ARGUMENT.value:
            near = _reads_stdin(argv)
    else:
        text, near = _of_words(message)
    path = f"aurelius {command.name}" if command else "aurelius"
    extra = text.removeprefix(TOO_MANY)
    if path == "aurelius undo" and extra.isdigit():
        return UsageError(text, f"did you mean `aurelius undo --number {extra}`?")
    if not text[:2].isupper():
        text = text[:1].lower() + text[1:]
    if "such command" in text:
        path = "aurelius help --all"
    else:
        path += " --help"
    return UsageError(text, f"{near}{path} shows what there is")


TOO_MANY = "too many words: "


def _of_option(error: Exception, option: str, message: str) -> tuple[str, str]:
    """What is wrong with an option, and which one may be meant."""
    if hasattr(error, "possibilities"):
        return f"no such option: {option}", _meant(_near(option, error.possibilities or ()))
    if "does not take" in message:
        return f"{option} takes no value", ""
    return f"{option} needs a value", ""


def _of_words(message: str) -> tuple[str, str]:
    """What is wrong with the words of a line, and which may be meant."""
    text, _, names = message.strip().partition(" Did you mean ")
    text = text.rstrip(".")
    if "extra argument" in text:
        text = TOO_MANY + text.rpartition("(")[2].rstrip(")")
    elsewhere = _elsewhere(text.rpartition(" ")[2].strip("'."))
    if "such command" in text and elsewhere:
        return text, f"that is `{elsewhere}`; "
    return text, _meant(names.strip(QUOTES).split("', '"))


def _elsewhere(word: str) -> str:
    """The command line that does what a word means that is no command, "" where none is known."""
    from indexer.reading.path_meaning import kind_of_word
    from indexer.reading.type_words import type_meaning

    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    if kind_of_word(word) or type_meaning(word):
        return f"aurelius list {word}"
    return ""


def _meant(names: Sequence[str]) -> str:
    if any(names):
        return f"did you mean {' or '.join(names)}?  "
    return ""


def _near(option: str, possible: Sequence[str]) -> list[str]:
    """The option that a mistyped one is spelled like, dashes aside; none where there is only a
    faint likeness."""
    from difflib import get_close_matches

    names = {name.lstrip("-"): name for name in possible}
    return [
        names[name] for name in get_close_matches(option.lstrip("-"), names, 1, _LEAST_LIKENESS)
    ]


def _reads_stdin(argv: Sequence[str]) -> str:
    """How to write a line so that the text it lacks is read from stdin."""
    from aurelius.settings.places import shell_word

    return f"to read it from stdin: {' '.join(map(shell_word, ('aurelius', *argv, '-')))}; "


def _words(command: Command | None, value: str) -> list[str]:
    """The words that the argument shown as `value` can be."""
    words: list[str] = []
    for argument in command.arguments if command else ():
        if argument.value == value:
            words += [word for word, _ in argument.choices]
    return words


def _told(command: Command) -> type[typer.core.TyperCommand]:
    """A typer command whose help is written from our tables, so that it reads the same with any
    typer."""
    import typer.core

    class Shown(typer.core.TyperCommand):
        def format_usage(
            self,
            ctx: Any,
            formatter: Any,
        ) -> None:
            words = [_usage_of(each) for each in command.arguments]
            formatter.write_usage(ctx.command_path, " ".join([*words, "[OPTIONS]"]))

        def format_options(
            self,
            ctx: Any,  # noqa: ARG002 as typer calls it
            formatter: Any,
        ) -> None:
            for heading, rows in _sections(command).items():
                with formatter.section(heading):
                    formatter.write_dl(rows)
            formatter.write(_FOR_EVERY_COMMAND)
            if command.examples:
                with formatter.section("Examples"):
                    formatter.write("".join(f"  {line}\n" for line in command.examples))
            if command.name in options.TOPICS:
                formatter.write(f"\nMore about it: aurelius help {command.name}\n")

    return Shown


def _sections(command: Command) -> dict[str, list[tuple[str, str]]]:
    """The arguments and the options of a command by the headings of its help, in two columns."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for argument in command.arguments:
        rows = sections.setdefault("Arguments", [])
        rows.append((argument.value, argument.help))
        rows += [(f"  {word}", text) for word, text in argument.choices]
    last = []
    for option in command.options:
        if option.hidden:
            continue
        if option.group:
            sections.setdefault(option.group, []).append(_help(option))
        else:
            last.append(_help(option))
    sections["Options"] = [*last, ("-h, --help", "Show this text.")]
    return sections


def _usage_of(argument: Argument) -> str:
    if argument.default is None:
        word = argument.value
    else:
        word = f"[{argument.value}]"
    return word + "..." * argument.many


def _help(option: Option) -> tuple[str, str]:
    """An option and what it is for, in two columns, without its other name; its choices stand with
    the help."""
    short = [each for each in option.flags if not each.startswith("--")]
    names = ", ".join([*short, option.flags[0]]) + (f" {option.value}" if option.value else "")
    choices = ""
    if option.choices:
        choices = f"  One of: {', '.join(option.choices)}."
    return names, option.help + choices + ("  May be repeated." if option.many else "")


def _first_commands() -> type[typer.core.TyperGroup]:
    """A typer group whose help shows what a newcomer needs, and where the rest is."""
    import typer.core

    class First(typer.core.TyperGroup):
        def format_options(
            self,
            ctx: Any,  # noqa: ARG002 as typer calls it
            formatter: Any,
        ) -> None:
            with formatter.section("To begin"):
                formatter.write("".join(f"  {line}\n" for line in _FIRST_LINES))
            with formatter.section("Commands"):
                formatter.write_dl([_row(COMMAND_BY_NAME[name]) for name in FIRST_COMMANDS])
            with formatter.section("Options"):
                formatter.write_dl(_FIRST_OPTIONS)
            with formatter.section("More"):
                formatter.write_dl(_MORE)

    return First


def _every_command() -> type[typer.core.TyperGroup]:
    """A typer group whose help lists the commands by what they are for, and the topics."""
    import typer.core

    class Every(typer.core.TyperGroup):
        def format_commands(
            self,
            ctx: Any,  # noqa: ARG002 as typer calls it
            formatter: Any,
        ) -> None:
            for group in dict.fromkeys(command.group for command in COMMANDS):
                with formatter.section(group):
                    formatter.write_dl([_row(each) for each in COMMANDS if each.group == group])
            with formatter.section("Topics (aurelius help TOPIC)"):
                formatter.write_dl(
                    [(name.ljust(_WIDTH), options.topic_heading(name)) for name in options.TOPICS]
                )

    return Every


def _row(command: Command) -> tuple[str, str]:
    """A command and what it does, in two columns."""
    return command.name.ljust(_WIDTH), command.help
