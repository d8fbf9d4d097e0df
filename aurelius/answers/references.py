"""References as people type them → the fact, note or day meant, and what belongs to it: later
versions, facts like it, the exact text there.

They are `PATH`, `PATH:LINE`, `PATH:LINE:COUNT`, `PATH:FIRST-LAST`, `PATH#heading`, `PATH#^id`, and
`^id`, as any command prints them.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import shell_word
from indexer.catalog.edges import relations
from indexer.catalog.graph import get_called, get_secret
from indexer.catalog.lists import (
    chained_keys,
    get_fact_notes,
    get_facts,
    get_key,
    get_keyed,
)
from indexer.catalog.names import NoteNames, clean_name, shows_facts
from indexer.catalog.supersession import Chains, settled_all
from indexer.errors import (
    Hint,
    NoteNotFoundError,
    PrivateNoteError,
    UnwrittenDayError,
    UsageError,
)

from .excerpts import Excerpt, LineRange, take
from .lookup import find_fact, note_bytes, unwritten_daily_note, with_day

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from indexer.catalog.edges import Branch, Edge, Relation
    from indexer.catalog.supersession import Step
    from indexer.note import Fact
    from indexer.search.hit import Hit

    from .asked_vault import AskedVault

COSINE = 0.55
"""How near a fact has to be in meaning to be worth showing before another is written."""

MOST_EARLIER_FACTS = 3
"""How many facts are shown before another is written."""


def resolve_fact(
    vault: AskedVault,
    reference: str,
    *,
    private: bool,
    whole: bool = False,
) -> tuple[str, str]:
    """Path and key of the fact that `^id`, a key, `NOTE#^id` or `NOTE:LINE` means, with `whole`
    NOTE by its whole name alone.

    NoteNotFoundError, AmbiguousNameError.
    """
    from indexer.usage.log_reader import newer_name

    db = vault.db
    name, mark, key = reference.rpartition("#^")
    if mark and name:
        path = vault.resolve(name, private=private, whole=whole)
        if any(each.key == key for _, each in get_facts(db, path, private=private)):
            return path, key
        raise NoteNotFoundError(f"{path} has no fact ^{key}", shows_facts(path))
    key = reference.removeprefix("^")
    path = find_fact(db, key, private=private)
    if not path:
        key = newer_name(db, key) or key  # it may have been given another name since
        path = find_fact(db, key, private=private)
    if path:
        return path, key
    if _LINES.fullmatch(reference):
        return _fact_at(vault, reference, private=private, whole=whole)
    raise NoteNotFoundError(
        f"no fact has the id ^{key}",
        Hint(
            "name it by where it stands, as in people/joe-bloggs.md:13; `aurelius search` shows"
            " that",
            "name it by where it stands, as in people/joe-bloggs.md:13; `search` shows that",
        ),
    )


def _fact_at(
    vault: AskedVault,
    reference: str,
    *,
    private: bool,
    whole: bool,
) -> tuple[str, str]:
    """Path and key of the fact that stands at `NOTE:LINE`.

    NoteNotFoundError, AmbiguousNameError.
    """
    name, place = split_reference(reference)[-1]
    path = vault.resolve(name, private=private, whole=whole)
    for _, fact in get_facts(vault.db, path, private=private):
        if fact.first <= place.line <= fact.last:
            return path, fact.key
    raise NoteNotFoundError(f"{path}:{place.line} is no fact", shows_facts(path))


def is_fact(
    vault: AskedVault,
    reference: str,
    *,
    private: bool,
) -> bool:
    """True if a reference means a fact rather than a note."""
    if reference.startswith("^") or "#^" in reference:
        return True
    if get_fact_notes(vault.db, reference, private=private):
        return True
    return (
        bool(_LINES.fullmatch(reference)) and get_key(vault.db, reference, private=private) is None
    )


def resolve_day(text: str, today: str) -> str:
    """The ISO day that `--date` means.  UsageError."""
    from indexer.search.dates import dates

    try:
        first, last = dates(text, today)
    except UsageError as error:
        raise UsageError(f"date: {error.message}", error.hint) from None
    if first != last:
        raise UsageError(
            f"date needs a single day; {text!r} covers several", "for example 2026-02-01"
        )
    if not "1000" <= first[:4] < "3000":  # what a fact's line reads as a date
        raise UsageError(
            f"date {text!r} is out of range", "the year of a fact must be from 1000 to 2999"
        )
    return first


def resolve_reason(vault: AskedVault, text: str, *, private: bool) -> str:
    """`--because` as a tail says it: `^id` where it names a fact, else the words. NoteNotFoundError
    for an `^id` that no fact has."""
    key = text.removeprefix("^")
    if get_fact_notes(vault.db, key, private=private):
        return f"^{key}"
    if len(text.split()) == 1 and text.startswith("^"):
        return (  # by an older name, or not at all
            f"^{resolve_fact(vault, text.strip(), private=private)[1]}"
        )
    return text


class History(NamedTuple):
    """Chains of facts, each from the oldest to the newest, and what each fact has to do with others
    besides, by its key."""

    chains: Sequence[Sequence[Step]]
    relations: Mapping[str, Sequence[Relation]]


def fact_history(vault: AskedVault, reference: str, *, private: bool) -> History:
    """The chain of a fact, or every chain of a note.

    NoteNotFoundError, AmbiguousNameError.
    """
    db = vault.db
    if is_fact(vault, reference, private=private):
        path, key = resolve_fact(vault, reference, private=private)
        found = [_chains(db, {key}, private=private).chain(path, key)]
    else:
        path = vault.resolve(reference, private=private)
        keys = {fact.key for _, fact in get_facts(db, path, private=private, as_written=True)}
        found = _chains(db, keys, private=private).chains(path)
    every = [step.fact for step in chain.from_iterable(found)]
    return History(found, relations(db, every, private=private))


def _chains(db: apsw.Connection, keys: Iterable[str], *, private: bool) -> Chains:
    """The chains that go through facts of these keys."""
    every = chained_keys(db, keys)
    seen = {path for path, _ in get_keyed(db, every, private=private)}
    return Chains(get_keyed(db, every, private=True), seen)


class Neighbourhood(NamedTuple):
    """A fact or note, and what it has to do with others, each followed by what these have to do
    with others still."""

    start: Edge
    branches: list[Branch]


def fact_neighbourhood(
    vault: AskedVault,
    reference: str,
    depth: int,
    types: Sequence[str],
    *,
    private: bool,
    most: int,
) -> Neighbourhood:
    """The edges of a fact or note, of all types or of these, `depth` steps far, `most` at most.

    NoteNotFoundError, AmbiguousNameError.
    """
    from indexer.catalog.edges import Edges, walk_edges

    if is_fact(vault, reference, private=private):
        path, ref = resolve_fact(vault, reference, private=private)
    else:
        path = ref = vault.resolve(reference, private=private)
    db = vault.db
    start = Edges(db, private=private).end(ref, path)
    assert start is not None  # it was just found
    return Neighbourhood(
        start, walk_edges(db, ref, depth, private=private, path=path, types=types, most=most)
    )


def newest(
    vault: AskedVault,
    path: str,
    key: str,
    *,
    private: bool,
) -> tuple[str, str]:
    """The fact that holds today in the chain of this one: itself, or where it is past the newest
    that took its place.

    A chain in which none holds ends with the fact itself.
    """
    db = vault.db
    own = [each for _, each in get_facts(db, path, private=private) if each.key == key]
    if not own or settled_all(db, path, own, private=private)[0].status == "active":
        return path, key
    every = chained_keys(db, [key])
    steps = Chains(get_keyed(db, every, private=private)).chain(path, key)
    holding = [step for step in steps if step.status == "active"]
    if not holding:
        return path, key
    last = max(holding, key=lambda step: step.fact.date or "")
    return last.path, last.fact.key


def facts_like(vault: AskedVault, text: str, *, private: bool) -> tuple[Hit, ...]:
    """The facts most like a text, best first; none where there is none alike."""
    from indexer.catalog.filters import Filters
    from indexer.reading.fact_line import parse_fact  # who asks for lines alone has no use for it
    from indexer.reading.path_meaning import APART
    from indexer.search.query import SearchQuery

    words = parse_fact(text).text
    query = SearchQuery(
        words,
        filters=Filters(private=private, apart=APART),
        limit=4 * MOST_EARLIER_FACTS,
        explain=True,
    )
    hits = vault.search(query).hits
    return tuple(
        hit for hit in hits if hit.id and hit.explain and hit.explain["raw"]["cosine"] >= COSINE
    )[:MOST_EARLIER_FACTS]


def facts_made_old(
    vault: AskedVault,
    path: str,
    text: str,
    day: str,
    *,
    private: bool,
) -> list[Fact]:
    """The facts of a note that a new line is about to make old, or to contradict, nearest first;
    none where the new line can hold beside them."""
    db = vault.db
    facts = [fact for _, fact in get_facts(db, path, private=private) if fact.status == "active"]
    note = next((each for each in get_called(db, private=private) if each.path == path), None)
    if not facts or note is None:
        return []
    from indexer.matter.timeline import Stated, names_of_note, outdated_lines

    names = names_of_note(note.title, path, note.aliases)
    is_daily = note.kind == "daily"
    lines = [Stated(fact.text, fact.date or "", names, is_daily, fact.type) for fact in facts]
    there = len(lines)
    gone = outdated_lines([*lines, Stated(text, day, names, is_daily)], there)
    found = [fact for at, fact in enumerate(facts) if gone.get(at) == there]
    if not (found or is_daily):
        return _called_old(facts, text, day)
    return found[::-1]


def _called_old(facts: Sequence[Fact], text: str, day: str) -> list[Fact]:
    """The fact that a new line proposes to replace."""
    from indexer.matter.proposals import propose

    new = facts[0]._replace(key="", id="", text=text, date=day, updates="", contradicts="")
    hit = propose(facts, new)
    return [hit.old] if hit else []


_LINES = re.compile(r"(.*?):(\d{1,9})(?::(\d{1,9})|-(\d{1,9}))?", re.DOTALL)
_BEFORE_PLACE = re.compile(r"(?:newer:|[→←]|[-*])\s+")
"""What commands print before a place."""
_AROUND = (("[[", "]]"), ("[", "]"), ("(", ")"), ("<", ">"), ("`", "`"), ('"', '"'), ("'", "'"))
"""What stands around a place that is copied out of a text."""


def split_reference(reference: str) -> list[tuple[str, LineRange]]:
    """The ways to read a reference that names a place: name of a note and place in it, the
    likeliest first.

    A line alone means that line.  `#` may belong to the name (`C# notes#Setup`), so each is tried.
    UsageError for line or count 0.
    """
    ways = [
        (reference[:at], LineRange(anchor=reference[at + 1 :].strip()))
        for at, char in enumerate(reference)
        if char == "#" and at and reference[at + 1 :].strip("# ")
    ]
    match = _LINES.fullmatch(reference)
    if match:
        line = int(match[2])
        count = int(match[3] or 1)
        last = int(match[4] or line + count - 1)
        if not line or not count:
            raise UsageError(
                f"{reference}: line numbers and counts start at 1", "as in people/joe.md:12:5"
            )
        if last < line:
            raise UsageError(
                f"{reference}: the last line is before the first", "as in people/joe.md:12-16"
            )
        ways.append((match[1], LineRange(line, last - line + 1)))
    return ways


def copied(reference: str) -> str:
    """A reference without what stands around it where commands print it, or in a text:
    `[id:k3v9qa]` is `^k3v9qa`, `[[people/joe#Facts|Joe]]` is `people/joe#Facts`, `newer:
    people/joe.md:12,` is `people/joe.md:12`."""
    text = reference
    before = ""
    while text != before:
        before = text
        text = _BEFORE_PLACE.sub("", text.strip(), count=1).removeprefix("!").rstrip(".,:;")
        for begin, end in _AROUND:
            if text.startswith(begin) and text.endswith(end) and len(text) > len(begin + end):
                text = text[len(begin) : -len(end)]
                if begin == "[[":
                    text = text.partition("|")[0]
    if text.startswith("id:"):
        return "^" + text.removeprefix("id:")
    return text


def read_reference(
    vault: AskedVault,
    reference: str,
    *,
    private: bool,
    whole: bool = False,
) -> Excerpt:
    """The text of what a reference means, as `Vault.read` answers; with `whole`, the note is named
    by its whole name.

    NoteNotFoundError, AmbiguousNameError.
    """
    reference = with_day(vault, reference, private=private)
    try:
        return _read(vault, reference, private=private, whole=whole)
    except NoteNotFoundError as error:
        bare = copied(reference)
        if bare in {reference, ""} or isinstance(error, PrivateNoteError):
            raise
        return _read(vault, bare, private=private, whole=whole)


def _read(
    vault: AskedVault,
    reference: str,
    *,
    private: bool,
    whole: bool,
) -> Excerpt:
    """The same of a reference without anything around it."""
    places = _places(vault, reference, private=private)
    missing: list[NoteNotFoundError] = []
    for name, meant in [*places, (reference, LineRange())]:
        place = meant
        try:
            path = vault.resolve(name, private=private, whole=whole)
        except PrivateNoteError:
            raise
        except NoteNotFoundError as error:
            is_bare = name is not reference or not places  # with its lines it is the name of no day
            seen = None if vault.person else vault.db
            path = unwritten_daily_note(vault.root, name, vault.config, vault.who, seen)
            if is_bare and path:
                return Excerpt(path, 1, 0, (), exists=False)
            missing.append(error)
            key = ""
            if name is reference:
                key = reference.removeprefix("^")
            path = find_fact(vault.db, key, private=private)
            place = LineRange(anchor=f"^{key}")
        if path:
            return take(path, note_bytes(vault, path, private=private), place, vault.config.daily)
    raise missing[0]  # of what was tried first


def _places(vault: AskedVault, reference: str, *, private: bool) -> list[tuple[str, LineRange]]:
    """The places that a reference may name; none where it is the path of a note, or the name of a
    private one in which the sign of a place stands."""
    if get_key(vault.db, reference, private=private):
        return []
    places = split_reference(reference)
    if places and NoteNames((), get_secret(vault.db, private=private)).is_private(
        clean_name(reference)
    ):
        return []
    return places


def resolve_note_lines(
    vault: AskedVault, reference: str, *, private: bool
) -> tuple[str, tuple[int, int] | None]:
    """The note that a name means, or that a place of it is named of, and the lines of that
    place."""
    meant = with_day(vault, reference, private=private)
    for name in dict.fromkeys((meant, copied(meant) or meant)):
        try:
            return vault.resolve(name, private=private), None
        except PrivateNoteError:
            raise
        except NoteNotFoundError:
            continue
    place = read_reference(vault, meant, private=private)
    if not place.exists:
        hint = f"`aurelius open {shell_word(reference)}` opens it to be written"
        raise UnwrittenDayError(f"{place.path} is not written yet", Hint(hint), place.path)
    return place.path, (place.first, place.last)
