"""The note a person means by a name, or why there is none."""

from __future__ import annotations

import datetime
import os
import re
from typing import TYPE_CHECKING

import apsw

from aurelius.writing.safe_folder import is_same, path_below, path_parts, read_inside
from indexer.catalog.filters import Filters, Linked
from indexer.catalog.graph import LinkedNotes, get_names, linked_as
from indexer.catalog.lists import get_daily, get_fact_notes, get_key
from indexer.catalog.names import clean_name, name_key, without_ending
from indexer.catalog.visibility import clean_folder, is_hidden_from, viewer
from indexer.disk.gitignore import deciding_line
from indexer.disk.walk import (
    RULE_FILES,
    IgnoreRules,
    change_key,
    may_be_note,
    may_be_walked,
    rules_obstacle,
    text_of_rules,
)
from indexer.errors import (
    AmbiguousNameError,
    AureliusError,
    Hint,
    NoteNotFoundError,
    PrivateNoteError,
)
from indexer.reading.path_meaning import agent_of, day_of_path, day_path
from indexer.spelling import compositions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.answers.asked_vault import AskedVault
    from aurelius.answers.excerpts import Excerpt
    from aurelius.settings.config import Config
    from aurelius.writing.safe_folder import Content
    from indexer.catalog.names import NoteNames
    from indexer.catalog.visibility import Who

TOLD_PRIVATE = "it is private: --private shows it"
"""What a person is told of a name that a private note has."""
MOST_NAMED_NOTES = 3
"""Notes that a refusal names."""
_PLACE = re.compile(r"([^#:]*)(.*)", re.DOTALL)
"""A name, and the place in its note."""


def resolve(
    db: apsw.Connection,
    config: Config,
    name: str,
    *,
    private: bool,
    today: datetime.date,
    person: bool = True,
    whole: bool = False,
) -> str:
    """The path of the visible note that `name` means, with `whole` by its whole name alone, as what
    changes a note needs it. NoteNotFoundError, AmbiguousNameError.

    A path means the note at that path and never another that is called alike. The name of a private
    note means no other note; where no `person` asks, it is answered as one that no note has.
    """
    root = config.root
    name = path_below(root, name) + "/" * (name.endswith("/") and os.path.isabs(name))
    names = get_names(db, private=private)
    wanted = clean_name(name)
    # of a path in the folder of another agent, or of that folder, nothing is told
    unseen = is_hidden_from(clean_folder(wanted).lower() + "/", viewer(db))
    if unseen:
        root = ""
    try:
        path = _visible(names, root, name, today)
    except PrivateNoteError as error:
        raise PrivateNoteError(error.message, TOLD_PRIVATE if person else error.hint) from None
    except NoteNotFoundError as error:
        path = _first_daily(db, wanted, private=private)
        if not path:
            raise _no_note(name, error, "" if unseen else why_not(config, wanted)) from None
        return path
    if whole:
        _check_whole(names, name, path)
    return path


def _visible(names: NoteNames, root: str, name: str, today: datetime.date) -> str:
    """The path of the note that a name means; the path of what is no such note means none."""
    wanted = clean_name(name)
    if not names.is_private(wanted) and _is_taken(names, root, wanted):
        raise NoteNotFoundError(f"no note is called {name!r}")
    return names.resolve(name, today=today, path_only=_is_path(names, root, wanted))


def _first_daily(db: apsw.Connection, name: str, *, private: bool) -> str:
    """The first daily note of the day that a name is the date of, "" for none."""
    day = _day(name)
    found = get_daily(db, day.isoformat(), private=private) if day else []
    return found[0] if found else ""


def _no_note(name: str, error: NoteNotFoundError, hint: str) -> NoteNotFoundError:
    """Why no note is meant, with this hint where there is one."""
    if name.startswith("^"):
        return NoteNotFoundError(
            f"no fact has the id {name}",
            Hint(
                "`aurelius search` shows the id of each fact", "`search` shows the id of each fact"
            ),
        )
    return NoteNotFoundError(error.message, hint or error.hint)


def _check_whole(names: NoteNames, name: str, path: str) -> None:
    """AmbiguousNameError where a note was found by part of its name: which ones it may be."""
    from aurelius.settings.places import shell_word

    wanted = clean_name(name)
    if path in names.exactly(wanted):
        return
    near = tuple(dict.fromkeys((path, *names.having(wanted))))[:MOST_NAMED_NOTES]
    raise AmbiguousNameError(
        f"nothing was changed: {name!r} is not the whole name of a note",
        f"did you mean {' or '.join(map(shell_word, near))}?",
        near,
    )


def with_paths(filters: Filters, vault: AskedVault) -> Filters:
    """The filters as a vault means them: a whole path of a folder as one in it, and the notes that
    are linked as they say.

    `link_to` may be a name that no note has yet and that notes link to. NoteNotFoundError,
    AmbiguousNameError for the name of a note.
    """
    from aurelius.settings.places import shell_word

    if os.path.isabs(filters.folder):
        filters = filters._replace(folder=path_below(vault.root, filters.folder))
    if filters.links == Linked():
        return filters
    db = vault.db

    def found(name: str, *, unwritten: bool = False) -> str:
        try:
            return vault.resolve(name, private=filters.private)
        except NoteNotFoundError as error:
            if error.hint == TOLD_PRIVATE or not LinkedNotes(db, private=filters.private).from_(
                name
            ):
                raise
            if unwritten:
                return name
            hint = f"notes link to that name: --link-to {shell_word(name)} lists them"
            raise NoteNotFoundError(
                f"the note {name!r} is not written yet, so it has no links", hint
            ) from None

    asked = filters.links
    links = asked._replace(
        linked_by=tuple(map(found, asked.linked_by)),
        link_to=tuple(found(each, unwritten=True) for each in asked.link_to),
        related=tuple(map(found, asked.related)),
    )
    linked = linked_as(
        db,
        links,
        private=filters.private,
    )
    return filters._replace(paths=tuple(sorted(linked)))


def _is_taken(names: NoteNames, root: str, name: str) -> bool:
    """True if a path of the vault is on disk and is no note that may be seen; a plain word is
    none."""
    if name in names.paths or not ("/" in name or without_ending(name) != name):
        return False
    there = _place(root, name)
    if not there or not os.path.lexists(there):
        return False
    alike = (
        *names.by_path.get(name_key(name), ()),
        *names.by_path.get(name_key(without_ending(name)), ()),
    )
    return name.endswith("/") or not any(is_same(there, _place(root, path)) for path in alike)


def _is_path(names: NoteNames, root: str, name: str) -> bool:
    """True if a name is a path: it ends as one, or something of that name is in the vault and no
    note is called so."""
    if name.endswith("/") or without_ending(name) != name:
        return True
    there = _place(root, name)
    return bool(there) and os.path.lexists(there) and not names.exactly(name)


def _place(root: str, path: str) -> str:
    """Where a path of the vault is on the disk, "" for one that leads out of it or that nobody here
    may know of."""
    try:
        if root:
            return os.path.join(root, *path_parts(path))
        return ""
    except AureliusError:
        return ""


def find_fact(db: apsw.Connection, key: str, *, private: bool) -> str:
    """The visible note that holds the fact of that key, "" for none. AmbiguousNameError where
    several do."""
    found = get_fact_notes(db, key, private=private)
    if len(found) > 1:
        told = f"the id ^{key} is used in {len(found)} notes: {', '.join(found)}"
        raise AmbiguousNameError(told, f"add the note, as in {found[0]}#^{key}", found)
    return "".join(found)


def content_of(root: str, path: str) -> Content:
    """A note as it is on disk.  NoteNotFoundError."""
    try:
        return read_inside(root, path)
    except OSError as error:
        raise NoteNotFoundError(
            f"{path} cannot be read: {error.strerror}", "`aurelius status` says more"
        ) from error


def note_bytes(vault: AskedVault, path: str, *, private: bool) -> bytes:
    """The bytes of a note as they are; a changed note is indexed first, so that one now private is
    not shown."""
    content = content_of(vault.root, path)
    if get_key(vault.db, path, private=private) != change_key(content.stat):
        from indexer.reading.parse import parse

        vault.again({path})
        vault.resolve(path, private=private)
        content = content_of(vault.root, path)
        if not private and parse(path, content.data, daily_folder=vault.config.daily).private:
            raise NoteNotFoundError(f"{path} is private", Hint("`--private` shows it"))
    return content.data


def daily_note(
    db: apsw.Connection,
    config: Config,
    day: str,
    *,
    private: bool = False,
) -> str:
    """The path of a day's daily note: the existing one, else the one it would have."""
    wanted = daily_path(day, config)
    found = [path for path in get_daily(db, day, private=private) if not agent_of(path)]
    if wanted in found or not found:
        return wanted
    return found[0]


def with_day(vault: AskedVault, reference: str, *, private: bool) -> str:
    """A reference that names a day in words, as `yesterday` or `last friday:3`, with the path of
    that day's note, which may still be unwritten; any other as it is. Where a note is called so,
    that note is meant.
    """
    if ".md" in reference:  # most are paths already
        return reference
    from indexer.search.dates import named_day

    # it fits every text
    name, rest = _PLACE.fullmatch(reference).groups()  # type: ignore[union-attr]
    name = clean_name(name)
    day = named_day(name, vault.clock.today.isoformat())
    if not day:
        return reference
    names = get_names(vault.db, private=private)
    if names.is_private(name) or names.exactly(name):
        return reference
    return daily_note(vault.db, vault.config, day, private=private) + rest


def daily_path(name: str, config: Config) -> str:
    """The path a daily note of that name has; a date alone is named as the settings say."""
    if day := _day(name):
        return day_path(config.daily, config.daily_format, day)
    path = name if name.lower().endswith(".md") else name + ".md"
    if "/" in path or config.daily == ".":
        return path
    return f"{config.daily}/{path}"


def _day(name: str) -> datetime.date | None:
    """The day that a name is the ISO date of."""
    try:
        day = datetime.date.fromisoformat(name.removesuffix(".md"))
    except ValueError:
        return None
    if name.removesuffix(".md") == day.isoformat():
        return day
    return None


def unwritten_daily_note(
    root: str,
    name: str,
    config: Config,
    who: Who = None,
    db: apsw.Connection | None = None,
) -> str:
    """The path of the daily note of that name where nobody has written it yet, "" for any other
    name.

    `db` is given where no person asks: a private note is then as if nobody had.
    """
    path = daily_path(name, config)
    if day_of_path(path, config.daily) is None or is_hidden_from(path, who):
        return ""
    is_there = os.path.lexists(os.path.join(root, *path_parts(path)))
    if is_there and db is not None:  # a private note, however its path is composed, is not told of
        is_there = not any(
            get_key(db, each, private=True) is not None and get_key(db, each, private=False) is None
            for each in compositions(path)
        )
    return "" if is_there else path


def why_no_lines(root: str, excerpt: Excerpt) -> str:
    """What a note is of which there is no line to print."""
    if not excerpt.exists:
        return "not written yet"
    try:
        size = os.path.getsize(os.path.join(root, excerpt.path))
    except OSError:  # gone in this moment
        size = 0
    if size:
        return "not text, so there are no lines to print"
    return "empty"


def why_ignored(config: Config, path: str, *, there: bool = True) -> str:
    """A hint where a path is there, or with `there` False may come to be, and a rule leaves it out;
    else ""."""
    try:
        rule = deciding_rule(config.root, config.exclude, "/".join(path_parts(path)), there=there)
    except AureliusError:
        return ""
    path = path.rstrip("/")
    if rule == EXCLUDE:
        at = path_below(config.root, config.sources["index.exclude"])
        return f"{path} is left out by index.exclude ({at}), so it is neither searched nor shown"
    if rule:
        return f"{path} is ignored ({rule}), so it is neither searched nor shown"
    return ""


def why_not(config: Config, name: str) -> str:
    """A hint where a note of exactly that path is there and yet not to be had; "" where none is."""
    if not name:
        return ""
    spellings = [name] if may_be_note(name.rpartition("/")[2]) else [f"{name}.md", name]
    if told := next(filter(None, (why_ignored(config, path) for path in spellings)), ""):
        return told
    return next(filter(None, (_on_disk(config.root, path) for path in spellings)), "")


def _on_disk(root: str, path: str) -> str:
    try:
        file = os.path.join(root, *path_parts(path))
    except AureliusError as error:
        return error.message
    other = "a file, but not a note (a note ends in .md and is not in a hidden folder)"
    for is_so, what in (
        (os.path.islink, "a link, and links are not followed"),
        (os.path.isdir, "a folder: name a note in it"),
        (
            os.path.isfile,
            (
                "there, and could not be read: `aurelius status` says why"
                if may_be_walked(path)
                else other
            ),
        ),
        (os.path.lexists, "not a regular file, so it is not read"),
    ):
        if is_so(file):
            return f"{path.rstrip('/')} is {what}"
    return ""


EXCLUDE = "[index] exclude"
"""What stands for a pattern of the settings, whose file and line only they know."""


def deciding_rule(root: str, exclude: Sequence[str], path: str, *, there: bool = True) -> str:
    """Where the rule stands that leaves out what is on disk at a path, or a folder above it:
    `.gitignore:3`.

    "" where no rule leaves it out, or nothing is there (with `there` False a note may come to be).
    In a folder that is left out every path is, there or not, so that nobody learns which; a rule's
    own words may be names: none is given.
    """
    steps = path.split("/")
    rules = IgnoreRules(root, exclude)
    for depth in range(1, len(steps) + 1):
        above = "/".join(steps[: depth - 1])
        found = ("/".join(filter(None, (above, name))) for name in RULE_FILES)
        rules.files.update(each for each in found if os.path.lexists(os.path.join(root, each)))
        here = steps[:depth]
        folder = depth < len(steps) or os.path.isdir(os.path.join(root, *here))
        if there and not os.path.lexists(os.path.join(root, *here)):
            return ""
        if rules.is_ignored("/".join(here), folder=folder):
            return _decided(root, exclude, rules, here, folder=folder)
    return ""


def _decided(
    root: str, exclude: Sequence[str], rules: IgnoreRules, steps: Sequence[str], *, folder: bool
) -> str:
    """The last line that speaks of a path, of the configuration or of the deepest file that has
    one: it decides."""
    number = deciding_line(list(exclude), steps, folder=folder)
    if number and not exclude[number - 1].startswith("!"):
        return EXCLUDE
    for family in RULE_FILES:
        for depth in reversed(range(len(steps))):
            file = "/".join((*steps[:depth], family))
            if file not in rules.files:
                continue
            if why := rules_obstacle(root, file):
                return why
            lines = text_of_rules(root, file).split("\n")
            number = deciding_line(lines, steps[depth:], folder=folder)
            if number and not lines[number - 1].startswith("!"):
                return f"{file}:{number}"
            if number:
                break  # the rules of this family let it in; another one leaves it out
    return "a rule"
