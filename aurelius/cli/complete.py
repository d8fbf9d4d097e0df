"""Completion: what a shell may offer for the word being typed, told in the way that typer's scripts
want it.

The declared commands say what may stand where, and the index, as it lies there, which notes,
facts and tags there are: nothing is refreshed, no private note is offered, and nothing is ever said
on stderr. A name that steers a terminal, or that a shell would run a part of, is not offered.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.errors import AureliusError
from indexer.spelling import shorten, single_spaced

from .declarations import COMMANDS, EVERY_COMMAND, GLOBAL_DEFAULTS
from .run import COMPLETE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.catalog.visibility import Beginning
    from indexer.rows.rows import Index

    from .run import Context

MOST_OFFERS = 300
"""Notes and facts that are offered at once: of more, the folders that notes are in, and no
facts."""

_MOST_ABOUT_LETTERS = 60
"""Characters of the description of an offer."""

_RUNS = re.compile(r"[\\\"'$`!]|  ")
"""What a shell would not take for itself in a word that stands in quotes, or that it evaluates."""

_ODD = re.compile(r"[^-\w .,;()/@+=%&?]")
"""Characters removed from the description of an offer there."""


class Offer(NamedTuple):
    """A word that a shell may put in the place of what was typed, and what it is."""

    word: str
    about: str = ""


class Typed(NamedTuple):
    """The question of a shell: the words before, the word being typed, and whether it is in
    quotes."""

    words: list[str]
    begun: str
    quoted: bool = False


class Asking(NamedTuple):
    """What an offer is made for: the words before it, and where it is asked."""

    words: Sequence[str]
    context: Context


def answer_shell(context: Context) -> int | None:
    """Answer the shell that asks; None where it does not ask for words but for the script that
    will."""
    told = _TELL.get(context.env.get(COMPLETE, "").removeprefix("complete_"))
    if told is None:
        return None
    try:
        asked = _asked(context.env)
        found = [
            each for each in offers(asked.words, asked.begun, context) if each.word.isprintable()
        ]
    except Exception:  # noqa: BLE001 a shell would show it in the middle of the line that is typed
        return 1
    if context.env.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        if found:
            return 0
        return 1
    context.put(told(found, asked))
    return 0


def offers(
    words: Sequence[str],
    begun: str,
    context: Context,
) -> list[Offer]:
    """What may stand after these words of a command line in the place of the one that is
    `begun`."""
    from .app import typer_command

    name, place, pending, rest = _where(words)
    command = typer_command(name or "search")
    asked = Asking(words, context)
    if pending is not None:
        return _values(name, pending, begun, asked)
    if begun.startswith("-") and not rest:
        return _options(name, begun, asked)
    if not name:
        return _like([Offer(each.name, each.help) for each in COMMANDS.values()], begun)
    argument = _argument(command, place)
    return _values(name, argument, begun, asked) if argument else []


def _options(name: str, begun: str, asked: Asking) -> list[Offer]:
    """The options that begin so, or the values of the one that stands before a `=`."""
    options = _options_of(name)
    flag, equals, value = begun.partition("=")
    if equals:
        option = next((each for each in options if flag in each.opts), None)
        if option is None or option.is_flag:
            return []
        found = _values(name, option, value, asked)
        return [each._replace(word=f"{flag}={each.word}") for each in found]
    return _like([Offer(each.opts[0], each.help) for each in options if not each.hidden], begun)


def _where(words: Sequence[str]) -> tuple[str, int, Any, bool]:
    """Where the words lead: the command, how many words it has, the option that wants a value,
    whether `--` was met."""
    name = ""
    place = 0
    pending = None
    for number, word in enumerate(words):
        if pending is not None:
            if word != "=":  # bash parts `--mode=x` there
                pending = None
        elif word == "--":
            return name, place + len(words) - number - 1, None, True
        elif word.startswith("-") and len(word) > 1:
            known = (each for each in _options_of(name) if word in each.opts)
            pending = next((each for each in known if not each.is_flag), None)
        elif not name:
            name = word if word in COMMANDS else ""
        else:
            place += 1
    return name, place, pending, False


def _options_of(name: str) -> list[Any]:
    """The options of a command, as typer has them; those of every command where none is named."""
    from .app import typer_command

    options = [
        each for each in typer_command(name or "search").params if each.param_type_name == "option"
    ]
    if name:
        return options
    return [each for each in options if each.name in GLOBAL_DEFAULTS or each.name == "help"]


def _argument(command: Any, place: int) -> Any:
    """The argument whose word stands at that place, where something may be offered for it."""
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    if place < len(arguments):
        return arguments[place]
    last = arguments[-1] if arguments else None
    if last and last.nargs == -1 and not last.metavar.startswith("["):
        return last
    return None


def _values(name: str, wanted: Any, begun: str, asked: Asking) -> list[Offer]:
    """What an argument or an option of a command can be, as far as it is known."""
    from .app import signature_of

    declared = COMMANDS[name].declared if name in COMMANDS else ()
    given = signature_of(*declared, EVERY_COMMAND)
    annotation = getattr(given.get(wanted.name), "annotation", None)
    for info in getattr(annotation, "__metadata__", ()):
        known = partial(_offer_known, asked)
        found = info.autocompletion(known, begun) if info.autocompletion else []
        return [Offer(*pair) for pair in found]
    return []


def _offer_known(asked: Asking, kinds: Sequence[str], begun: str) -> list[tuple[str, str]]:
    """What is known of these kinds that begins so: settings, topics, or what the index has."""
    if "settings" in kinds:
        from aurelius.settings.keys import KEYS, VAULT_KEY

        found = [Offer(key.name, key.help) for key in (*KEYS, VAULT_KEY)]
    elif "topics" in kinds:
        from .topics import TOPICS

        commands = [
            Offer(each.name, each.help) for each in COMMANDS.values() if each.name not in TOPICS
        ]
        found = [*map(Offer, TOPICS), *commands]
    else:
        found = _known(kinds, begun, asked.context, asked.words)
        return [(each.word, each.about) for each in found]
    return [(each.word, each.about) for each in _like(found, begun)]


def _known(
    kinds: Sequence[str],
    begun: str,
    context: Context,
    words: Sequence[str],
) -> list[Offer]:
    """What the index knows of these kinds; nothing where there is no vault or no index."""
    from aurelius.settings.config import find_vault, index_folder, load_config
    from indexer.catalog import visibility
    from indexer.rows.rows import open_index

    try:
        root = find_vault(_named("--vault", words), context.env, context.cwd)
        config = load_config(root, context.env)
    except AureliusError:
        return []
    index = open_index(index_folder(config), write=False)
    if index is None:
        return []
    visibility.look_as(
        index.db, _named("--agent", words) or context.env.get("AURELIUS_AGENT") or None
    )
    try:
        if "tags" in kinds:
            return [Offer(each.text) for each in visibility.get_tags_like(index.db, begun)]
        if "facts" in kinds and (begun.startswith("^") or set(kinds) == {"facts"}):
            return _facts(begun, index, root)
        return _notes(kinds, begun, index, root)
    finally:
        index.close()


def _facts(begun: str, index: Index, root: str) -> list[Offer]:
    """The facts whose id begins so, with the `^` that was typed; none where there are too many."""
    from indexer.catalog.visibility import get_keys_like

    key = begun.removeprefix("^")
    found = get_keys_like(index.db, key, most=MOST_OFFERS + 1)
    if len(found) > MOST_OFFERS:
        return []
    caret = begun.removesuffix(key)
    return [Offer(caret + each.text, _short(each.about)) for each in _open(found, index, root)]


def _notes(
    kinds: Sequence[str],
    begun: str,
    index: Index,
    root: str,
) -> list[Offer]:
    """The notes and folders that begin so; where there are too many notes, the folders that they
    are in."""
    from indexer.catalog.visibility import get_paths_like

    found = get_paths_like(index.db, begun)
    offered = []
    if "folders" in kinds:
        offered = _folders(found, len(begun))
    if not {"note", "notes"} & set(kinds):
        return offered
    if not found and "/" not in begun:
        named = (
            each
            for each in get_paths_like(index.db, "")
            if each.path.rpartition("/")[2].startswith(begun)
        )
        found = list(islice(named, MOST_OFFERS))
    if len(found) > MOST_OFFERS:
        nearest = _nearest([each.path for each in found], len(begun))
        if len(nearest) > 1:
            return list(map(Offer, nearest))
    return offered + [Offer(each.path, _short(each.about)) for each in _open(found, index, root)]


def _folders(found: Sequence[Beginning], start: int) -> list[Offer]:
    """The folders that these notes are in, but for those whose path ends before `start`."""
    folders: dict[str, Offer] = {}
    for each in found:
        for at, character in enumerate(each.path):
            if character == "/" and at >= start:
                folders[each.path[: at + 1]] = Offer(each.path[: at + 1])
    return list(folders.values())


def _nearest(paths: Sequence[str], start: int) -> list[str]:
    """The paths up to their next slash, or the one after where all agree in it."""
    while True:
        ends = [path.find("/", start) for path in paths]
        cut = list(
            dict.fromkeys(
                path[: end + 1] if end >= 0 else path for path, end in zip(paths, ends, strict=True)
            )
        )
        if len(cut) > 1 or ends[0] < 0:
            return cut
        start = len(cut[0])


def _open(
    found: Sequence[Beginning],
    index: Index,
    root: str,
) -> list[Beginning]:
    """Those whose notes are there and are not private by now, where they were changed since they
    were indexed."""
    from indexer.refresh.difference import changed_paths

    paths = {each.path for each in found}
    hidden = {path for path in changed_paths(index, root, paths, ()) if not _is_open(root, path)}
    return [each for each in found if each.path not in hidden]


def _is_open(root: str, path: str) -> bool:
    """True if a note can be read and does not say that it is private."""
    from aurelius.writing.safe_folder import read_inside
    from indexer.reading.blocks import decode
    from indexer.reading.front_matter import is_top_private

    try:
        return not is_top_private(decode(read_inside(root, path).data)[0])
    except OSError:
        return False


def _named(flag: str, words: Sequence[str]) -> str | None:
    """What an option names among the words."""
    named = None
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word == flag:
            named = after or None
        elif word.startswith(f"{flag}="):
            named = word.removeprefix(f"{flag}=")
    return named


def _like(found: Iterable[Offer], begun: str) -> list[Offer]:
    return [each for each in found if each.word.startswith(begun)]


def _short(text: str) -> str:
    from aurelius.show.terminal import one_line

    text = one_line(single_spaced(text))
    return shorten(text, _MOST_ABOUT_LETTERS)


def _asked(env: Mapping[str, str]) -> Typed:
    """What the shell passes on: the line as it is typed, and for bash which word of it is
    completed."""
    if env[COMPLETE] == "complete_bash":
        words, quoted = _words(env["COMP_WORDS"])
        at = int(env["COMP_CWORD"])
        begun = ""
        if at < len(words):
            begun = words[at]
        return Typed(words[1:at], "" if begun == "=" else begun, quoted)
    line = env.get("_TYPER_COMPLETE_ARGS", "")
    words, quoted = _words(line)
    begun = ""
    if words[1:] and (quoted or not line.endswith(" ")):
        begun = words.pop()
    return Typed(words[1:], begun, quoted)


def _words(line: str) -> tuple[list[str], bool]:
    """The words of a command line, and whether the last one stands in quotes that are still
    open."""
    import shlex

    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            words.append(word)  # noqa: PERF402 what came before an open quote is kept
    except ValueError:
        return [*words, lexer.token], True
    return words, False


def _for_bash(found: Sequence[Offer], asked: Typed) -> str:
    """A word a line, as it would be typed."""
    if asked.quoted:
        return "\n".join(each.word for each in found if not _RUNS.search(each.word))
    return "\n".join(re.sub(r"([^\w@%+=,./^-])", r"\\\1", each.word) for each in found)


def _for_zsh(found: Sequence[Offer], asked: Typed) -> str:  # noqa: ARG001 as the others
    """A call of zsh's own that its script evaluates, so nothing that could be run is put into
    it."""
    pairs = []
    for each in found:
        if not _RUNS.search(each.word):
            about = _ODD.sub("", each.about)
            pairs.append('"' + each.word.replace(":", r"\\:") + '"' + f':"{about}"' * bool(about))
    if pairs:
        return f"_arguments '*: :(({chr(10).join(pairs)}))'"
    return "_files"


def _for_fish(found: Sequence[Offer], asked: Typed) -> str:  # noqa: ARG001 as the others
    """A word a line, and behind a tab what it is."""
    return "\n".join(each.word + f"\t{each.about}" * bool(each.about) for each in found)


def _for_powershell(found: Sequence[Offer], asked: Typed) -> str:  # noqa: ARG001 as the others
    """A word a line, and behind three colons what it is."""
    return "\n".join(f"{each.word}:::{each.about or ' '}" for each in found)


_TELL = {
    "bash": _for_bash,
    "zsh": _for_zsh,
    "fish": _for_fish,
    "powershell": _for_powershell,
    "pwsh": _for_powershell,
}
