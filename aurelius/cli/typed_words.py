"""What an argument, an option and a command are, and how the words typed for them become values.

`convert` is the one place that judges a value. The commands themselves stand in options.py. Nothing
here imports anything heavy: this is on the path of every search.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from indexer.errors import UsageError
from indexer.note import TYPES
from indexer.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Argument(NamedTuple):
    """A word after the command's name.

    `many` takes all that are left, at least one unless there is a `default`; one without is
    required; `offers` says what a shell may offer: the path of a `note` as the first word, or of
    `notes` as any, `facts`, `tags`, `folders`, `settings`, `topics`, or several of these; `choices`
    are the words it can be, each with its help.
    """

    name: str
    value: str
    help: str
    many: bool = False
    default: str | None = None
    offers: str = ""
    choices: tuple[tuple[str, str], ...] = ()


class Option(NamedTuple):
    """A named choice.  `name` is where the value is found in args, `kind` is flag, text or number.

    `many` may be given several times; `default` is what args hold without it; `offers` is as in an
    Argument; `group` is the heading in `--help` that it stands under, "" for none but Options.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = "text"
    value: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    least: int | None = None
    hidden: bool = False
    fallback: str | None = None
    offers: str = ""
    group: str = ""

    @property
    def default(self) -> Any:
        """What args hold when the option is not given."""
        if self.kind == "flag":
            return False
        if self.many:
            return ()
        return self.fallback


class Command(NamedTuple):
    """A command: `run` is `module:function`, `group` its place in the help, `examples` are lines
    that work."""

    name: str
    run: str
    group: str
    help: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def every_option(self) -> tuple[Option, ...]:
        """Its own options, and those of every command."""
        return self.options + GLOBAL


def by_flag(options: Sequence[Option]) -> dict[str, Option]:
    """Options by each of their flags."""
    found: dict[str, Option] = {}
    for option in options:
        found |= dict.fromkeys(option.flags, option)
    return found


def options_in_group(group: str, *options: Option) -> tuple[Option, ...]:
    """These options under one heading in `--help`."""
    return tuple(each._replace(group=group) for each in options)


def flag(name: str, text: str) -> Option:
    """An option that is there or not, `--name`."""
    return Option(name, _flags(name), text, kind="flag")


def _flags(name: str) -> tuple[str]:
    return ("--" + name.replace("_", "-"),)


def valued(name: str, text: str, value: str, **more: Any) -> Option:
    """An option that takes a value, `--name VALUE`; `more` are fields of it."""
    return Option(name, help=text, value=value, **{"flags": _flags(name), **more})


def number(name: str, text: str, value: str = "N", least: int = 1, **more: Any) -> Option:
    """An option that takes a whole number, at least so much."""
    return valued(name, text, value, kind="number", least=least, **more)


_VAULT_OPTION = valued("vault", "The folder of the vault to use.", "DIR")
_NOW_OPTION = valued("now", "Work as if it were this ISO date or time.", "DATE", hidden=True)
_FOLDER_NAMES = {"vault", "directory", "project"}
"""What names a folder of the system, whose bytes may be no text."""

_NAMING_REMEDIES = {
    "NOTE": "name a note",
    "ID": "name a fact by its ^id",
    "ID|NOTE": "name a fact by its ^id, or a note",
}
"""Arguments that name a note or fact, and what to do where one is empty."""

NO_PAGER = flag("no_pager", "Never show the answer in a pager.")
_SESSION_OPTION = valued(
    "session",
    "The conversation that this belongs to: what is used in one is related.",
    "ID",
)
SESSION_RULE = "a session is named by letters, digits, - and _, 64 at most"
_AGENT_OPTION = valued(
    "agent",
    "Work as this agent: with the shared notes and its own in agents/NAME.",
    "NAME",
)
_IDS_OPTION = flag("ids", "Show ids and tiers at a terminal too, as programs are shown them.")
GLOBAL = (_VAULT_OPTION, _NOW_OPTION, _SESSION_OPTION, _AGENT_OPTION, _IDS_OPTION, NO_PAGER)
"""May stand before the command and after it."""


def convert(option: Option, text: str) -> Any:
    """The value of an option from what was typed; UsageError that says what would be one."""
    shown = option.flags[0]
    if option.choices == TYPES and text not in TYPES:
        return _type_word(shown, text)
    check_choice(shown, text, option.choices)
    # never as if it had not been given
    if option.kind == "text" and option is not _VAULT_OPTION and not text.strip():
        raise UsageError(
            f"{shown} is empty", f"give a value for {option.value}, or leave {shown} out"
        )
    if option is _SESSION_OPTION:
        _check_session(shown, text)
    if option is _AGENT_OPTION:
        from indexer.catalog.visibility import check_agent

        check_agent(shown, text)
    if option.kind == "number":
        return _whole_number(option, text)
    return text


def _whole_number(option: Option, text: str) -> int:
    shown = option.flags[0]
    example = int(option.fallback or 0) or 10
    if option.value == "TOKENS":
        example = 1000
    hint = f"for example {shown} {example}"
    try:
        number = int(text)
    except ValueError:
        raise UsageError(f"{shown} needs a whole number, not {text!r}", hint) from None
    if option.least is not None and number < option.least:
        raise UsageError(f"{shown} must be at least {option.least}, not {number}", hint)
    return number


def _check_session(shown: str, text: str) -> None:
    """UsageError for what cannot name a session."""
    from indexer.usage.log_line import is_session

    if not is_session(text):
        raise UsageError(f"{shown} cannot be {text!r}", SESSION_RULE)


def _type_word(shown: str, text: str) -> str:
    """Another word for a type of facts, as it was typed; UsageError with the nearest word where it
    is none."""
    from indexer.reading.type_words import nearest_type_word, type_meaning

    if type_meaning(text):
        return text.strip().lower()
    wish = nearest_type_word(text)
    raise UsageError(
        f"{shown} cannot be {text!r}",
        f"{f'did you mean {wish}?  ' if wish else ''}one of: {', '.join(TYPES)}; or another word"
        " for one, such as milestone, context, opinion, rule, goal; or one with a subtype, such as"
        " instruction/rule",
    )


def check_choice(shown: str, text: str, choices: Sequence[str]) -> None:
    """UsageError with the nearest choice where the text is none of them; without choices everything
    is one."""
    if choices and text not in choices:
        from difflib import get_close_matches

        near = get_close_matches(text, choices, 1)
        meant = ""
        if near:
            meant = f"did you mean {near[0]}?  "
        raise UsageError(f"{shown} cannot be {text!r}", f"{meant}one of: {', '.join(choices)}")


def parse_arguments(
    command: Command, raw: Mapping[str, Sequence[str]], words: Sequence[str]
) -> SimpleNamespace:
    """The args of a run function: defaults, then what was typed; UsageError for a value that means
    nothing."""
    values = {
        option.name: _value(option, raw.get(option.name, ())) for option in command.every_option
    }
    for place, argument in enumerate(command.arguments):
        values[argument.name] = _word(argument, words[place:])
    return SimpleNamespace(**values)


def _value(option: Option, texts: Sequence[str]) -> Any:
    """What args hold of an option from the texts that were typed for it."""
    typed = [_readable(option.name, text) for text in texts]
    if option.kind == "flag":
        return bool(typed)
    if option.many:
        return tuple(convert(option, text) for text in typed)
    text = typed[-1] if typed else option.fallback
    return text if text is None else convert(option, text)


def _word(argument: Argument, words: Sequence[str]) -> str | tuple[str, ...]:
    """What args hold of an argument, of the words that are left; UsageError for a note or fact that
    is named by nothing."""
    typed = [_readable(argument.name, word) for word in words]
    if not argument.many:
        typed = typed[:1]
    if argument.value in _NAMING_REMEDIES and not all(word.strip() for word in typed):
        raise UsageError(f"{argument.value} is empty", _NAMING_REMEDIES[argument.value])
    if argument.many:
        return tuple(typed)
    word = typed[0] if typed else argument.default or ""
    check_choice(argument.value, word, [each for each, _ in argument.choices])
    return word


def _readable(name: str, text: str) -> str:
    """What was typed as text: bytes that are no UTF-8, which no note's name or text holds, become
    U+FFFD."""
    if name in _FOLDER_NAMES or text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
