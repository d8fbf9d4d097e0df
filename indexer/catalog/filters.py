"""Filters of a search or list: what a hit must be besides matching, and the conditions in SQL that
they mean.

`condition` is of notes, `fact_conditions` of facts, `of_chunks` of chunks; `where` and
`where_holds` are of front matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, product
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any

from indexer.errors import UsageError
from indexer.reading.path_meaning import APART, is_archived
from indexer.record import NamedTuple
from indexer.spelling import caseless, is_below

from .supersession import HELD_CONDITION, among, held_on, replaced_facts
from .tiers import in_tiers, teach, tiers_stamp
from .visibility import OF_APART, clean_folder, visible_sql, within_tag

if TYPE_CHECKING:
    import apsw

    from indexer.usage.tier import Clock


class Linked(NamedTuple):
    """How a note must be linked: with each of these notes, or by none at all.

    `linked_by` are notes that link to it, `link_to` notes that it links to, over at most `most`
    links (0: any number); `related` are notes that it has no link with, but one note between; an
    `orphan` has no link from another note.
    """

    linked_by: tuple[str, ...] = ()
    link_to: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    orphan: bool = False
    most: int = 1


class Filters(NamedTuple):
    """What a hit must be besides matching; empty means any.  Dates are inclusive ISO days.

    `types` are types of facts, or with what is narrower behind a slash: `instruction/rule`,
    `fact/milestone`. `archived` is "only" for what lies in the archive, "no" for what does not;
    `as_of` is a day on which facts have to have held, whatever became of them since. `paths` are
    the only notes that may be hits: those linked as `links` says, once looked up. `apart`
    are folders that are left out of answers and asked for though nothing names them.
    """

    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str = ""
    where: tuple[tuple[str, str, str], ...] = ()
    since: str | None = None
    until: str | None = None
    status: str = "active"
    private: bool = False
    tiers: tuple[str, ...] = ()
    archived: str = ""
    as_of: str | None = None
    links: Linked = Linked()
    paths: tuple[str, ...] | None = None
    apart: tuple[str, ...] = ()

    def asks_for(self, apart: str) -> bool:
        """Whether notes in a folder that is left out of answers may be hits: only where something
        asks for them."""
        if apart in self.apart:
            return True
        for key, _, value in self.where:
            if key.casefold() == "path" and apart in value.casefold():
                return True
        folder = clean_folder(self.folder).lower()
        return f"/{apart}/" in f"/{folder}/"

    @property
    def hides_past(self) -> bool:
        """Whether facts that were replaced are left out."""
        return self.status == "active" and not self.as_of


def check_filters(filters: Filters) -> None:
    """UsageError for a filter that no note or fact can meet: a word that is none of those there
    are, no day."""
    from indexer.note import NOTE_KINDS, STATUSES, TYPES
    from indexer.usage.tier import TIERS

    mains = tuple(each.partition("/")[0] for each in filters.types)
    for name, words, known in (
        ("kinds", filters.kinds, NOTE_KINDS),
        ("types", mains, TYPES),
        ("tiers", filters.tiers, TIERS),
        ("status", (filters.status,), STATUSES),
        ("archived", (filters.archived,), ("", "only", "no")),
    ):
        if unknown := [each for each in words if each not in known]:
            raise UsageError(
                f"{name}: there is no {unknown[0]!r}",
                f"there are: {', '.join(filter(None, known))}",
            )
    for name in ("since", "until", "as_of"):
        check_day(name, getattr(filters, name))
    if odd := [
        each for each in filters.where if not each[0].strip() or each[1] not in (*_OPERATORS, "has")
    ]:
        raise UsageError(
            f"where: {odd[0]!r} is no (key, operator, value)",
            f"operators: {' '.join(_OPERATORS)} has",
        )


def check_day(name: str, day: str | None) -> None:
    """UsageError for a day that is none; "" and None are any."""
    from datetime import date

    try:
        is_day = not day or date.fromisoformat(day).isoformat() == day
    except ValueError:
        is_day = False
    if not is_day:
        raise UsageError(f"{name} is an ISO day, not {day!r}", "for example 2026-02-01")


def of_types(types: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The condition on table `fact` that it is of one of these types, and its values."""
    plain = tuple(each for each in types if "/" not in each)
    narrow = tuple(each for each in types if "/" in each)
    narrower = "fact.type || '/' || fact.subtype"
    sql = f"(fact.type IN ({_marks(plain)}) OR {narrower} IN ({_marks(narrow)}))"
    return sql, (*plain, *narrow)


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


_LINK = r"\[\[([^\[\]]+)\]\]|\[([^\[\]]*)\]\(<?([^()<>]+)>?\)"
_DATE = r"\d{4}-\d\d(-\d\d([t ]\d\d:\d\d(:\d\d)?)?)?"
_TIME = r"\d{1,3}(?::[0-5]\d){1,2}"
_PLAIN_NUMBER = r"[+-]?(?:0|[1-9]\d*)(?:\.(?:0+|\d*[1-9]))?"
"""A number in which no zero is there for its looks, as those of 01234 and of version 1.10 are."""
_LISTS = frozenset({"tags", "tag", "aliases", "alias", "keywords"})
"""Keys of which text with commas is a list."""

_TRUTHS = (("false", "no", "off"), ("true", "yes", "on"))
"""How people write what is false, and what is true."""

_OPERATOR = r"([<>=!~]*[<>=~][<>=!~]*)"
_OPERATORS = ("=", "==", "!=", "<", "<=", ">", ">=", "~")
_MEANINGS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": eq,
    "==": eq,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
_MISTYPED = {
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "=!": "!=",
    "=~": "~",
    "~=": "~",
    "===": "=",
    "!==": "!=",
}


def parse_condition(text: str) -> tuple[str, str, str]:
    """A condition on front matter: `key op value` with op one of = != < <= > >= ~, or `key` alone →
    ("key", "has", "").

    `key` may be dotted (`author.name`); quotes around the value are taken off.  Raises UsageError
    for anything else.
    """
    key, *rest = re.split(_OPERATOR, text, maxsplit=1)
    key = key.strip()
    if not key or (rest and not rest[1].strip()):
        raise UsageError(
            f"--where {text[:60]!r} is not a condition on front matter",
            "write key, an operator (= != < <= > >= ~) and a value: status = active, rating >= 4,"
            " author.name ~ joe; or a key alone to ask that it is there",
        )
    if not rest:
        return key, "has", ""
    operator, value = rest
    if operator not in _OPERATORS:
        hint = f"the operators are {' '.join(_OPERATORS)}".replace(" ==", "")
        if operator in _MISTYPED:
            hint = f"did you mean {_MISTYPED[operator]}?  {hint}"
        raise UsageError(f"--where {text[:60]!r}: {operator} is no operator", hint)
    if operator == "==":
        operator = "="
    return key, operator, _without_quotes(value.strip())


def _without_quotes(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def where_holds(
    front_matter: Mapping[str, Any],
    condition: tuple[str, str, str],
    own: Mapping[str, Any] | None = None,
) -> bool:
    """Whether front matter meets a condition of `where`; what it does not hold may be a note's
    `own`.

    Numbers compare as numbers where both sides are, but 01234 and 1.10 equal only what is typed so;
    times of day as times; ISO dates at the precision typed (`2026-02` is the whole month); all else
    as text without regard to case. `~` is "contains". Of a list any element will do. `!=` is the
    opposite of `=`: a note without the key meets it. A link, `[[people/Joe|J.]]`, is compared as
    written, by its target, by the name in it and by its label.
    """
    key, operator, value = condition
    every = [*values_of(front_matter, key)] or [*values_of(own or {}, key)]
    if caseless(key) in _LISTS:
        every += _words_of(every)
    found = [item for item in every if item not in (None, "")]
    if operator == "has":
        return bool(found)
    if operator == "!=":
        return not any(_compares(item, "=", value) for item in found)
    return any(_compares(item, operator, value) for item in found)


def _words_of(items: Iterable[Any]) -> list[str]:
    from indexer.reading.front_matter import split_words  # few conditions have use for it

    words = chain.from_iterable(map(split_words, items))
    return [word.removeprefix("#") for word in words]


def values_of(node: Any, key: str) -> Iterator[Any]:
    """What stands under a key, which may hold dots itself or name a path; lists give their
    elements."""
    if isinstance(node, list | tuple):
        for item in node:
            yield from values_of(item, key)
        if not key and _is_bare_link(node):
            yield f"[[{', '.join(node[0])}]]"
    elif not key:
        yield node
    elif isinstance(node, Mapping):
        for name, item in node.items():
            outer = caseless(str(name))
            if outer == caseless(key):
                yield from values_of(item, "")
            elif caseless(key).startswith(f"{outer}."):
                yield from values_of(item, caseless(key)[len(outer) + 1 :])


def _is_bare_link(node: Sequence[Any]) -> bool:
    """Whether a list is a link without quotes, which YAML takes for a list in a list."""
    if len(node) != 1 or not isinstance(node[0], list):
        return False
    return all(isinstance(each, str) for each in node[0])


def _compares(
    item: Any,
    operator: str,
    value: str,
) -> bool:
    if isinstance(item, bool):
        return operator == "=" and value.casefold() in _TRUTHS[item]
    wanted = caseless(value)
    rights = dict.fromkeys((wanted, *_targets(wanted)[:1]))
    held = caseless(str(item))
    lefts = dict.fromkeys((held, *_targets(held)))
    return any(_stand(left, operator, right) for left, right in product(lefts, rights))


def _targets(text: str) -> list[str]:
    """What a text that is one link names: its target first, then the name in that, and its
    label."""
    found = re.fullmatch(_LINK, text.strip())
    if found is None:
        return []
    from urllib.parse import unquote  # as below, and a value is seldom a link

    from .names import without_ending

    if found[1]:
        written, *label = found[1].split("|")
    else:
        written = unquote(found[3])
        label = [found[2]]
    target = without_ending(written.partition("#")[0].strip())
    return [each for each in (target, target.rpartition("/")[2], *map(str.strip, label)) if each]


def _stand(
    left: str,
    operator: str,
    right: str,
) -> bool:
    """Whether two texts without case stand to each other as the operator says."""
    if operator == "~":
        return right in left
    one, other = _comparable(left, operator, right)
    return bool(_MEANINGS[operator](one, other))


def _comparable(
    left: str,
    operator: str,
    right: str,
) -> tuple[Any, Any]:
    """The two as numbers, times or days where both can be that, else as they are."""
    if _number(left) and _number(right):
        is_plain = re.fullmatch(_PLAIN_NUMBER, left) and re.fullmatch(_PLAIN_NUMBER, right)
        if operator == "=" and not is_plain:
            return left, right
        return float(left), float(right)
    if re.fullmatch(_TIME, left) and re.fullmatch(_TIME, right):
        return _seconds(left), _seconds(right)
    if re.match(_DATE, left) and re.fullmatch(_DATE, right):
        left = left.replace("t", " ")
        right = right.replace("t", " ")
        return left[: len(right)], right
    return left, right


def _seconds(time: str) -> list[int]:
    """The hours, minutes and seconds of a time."""
    return [*map(int, time.split(":")), 0][:3]


def _number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d{1,300}(\.\d{0,300})?", text) is not None


class Condition(NamedTuple):
    """A piece of SQL with the values of its parameters."""

    sql: str
    values: tuple[Any, ...]


def condition(db: apsw.Connection, filters: Filters) -> Condition:
    """Which notes a search or list may look at: visible, and of the kinds, tags, folder and front
    matter named.

    What is said of facts and dates (types, tiers, status, since, until) is left to the caller.
    """
    wishes = [Condition(visible_sql(private=filters.private), ())]
    if filters.kinds:
        kinds = f"note.kind IN ({_marks(filters.kinds)})"
        wishes.append(Condition(kinds, filters.kinds))
    if filters.archived:
        no = "NOT " * (filters.archived != "only")
        wishes.append(Condition(f"{no}is_archived(note.path)", ()))
    wishes += [Condition(_TAGGED, (tag,)) for tag in filters.tags]
    folder = clean_folder(filters.folder)
    wishes += _in_folder(folder)
    for wish in filters.where:
        own = NOTE_COLUMNS.get(wish[0].casefold(), "NULL")
        wishes.append(Condition(f"front_holds(note.front, {own}, ?, ?, ?)", wish))
    wishes += _among_paths(filters)
    for apart, is_there in OF_APART.items():
        if filters.asks_for(apart):
            continue
        wishes.append(Condition(f"NOT {is_there}", ()))
    if filters.tags or filters.where or filters.archived or not folder.isascii():
        _teach(db)
    return _all_of(wishes)


def _all_of(wishes: Sequence[Condition]) -> Condition:
    """The condition that all of these hold."""
    values = chain.from_iterable(wish.values for wish in wishes)
    return Condition(" AND ".join(wish.sql for wish in wishes), tuple(values))


_TAGGED = "EXISTS (SELECT 1 FROM tag WHERE tag.note = note.id AND within_tag(tag.name, ?))"


def _in_folder(folder: str) -> list[Condition]:
    """That a note lies in a folder, or is the note of that name; SQL itself knows ASCII alone."""
    if not folder:
        return []
    if not folder.isascii():
        return [Condition("is_below(note.path, ?)", (folder,))]
    sql = "(note.path IN (?, ?) OR substr(note.path, 1, ?) = ?)"
    note = folder + ".md"
    below = folder + "/"
    return [Condition(sql, (folder, note, len(below), below))]


def _among_paths(filters: Filters) -> list[Condition]:
    """That a note is one of those linked as wished; UsageError where these were not looked up."""
    if filters.paths is None:
        if filters.links == Linked():
            return []
        raise UsageError(
            "links: no notes were looked up",
            "give them as `paths`: Vault.links(name) tells them",
        )
    from json import dumps

    paths = dumps(filters.paths)
    return [Condition("note.path IN (SELECT value FROM json_each(?))", (paths,))]


def _teach(db: apsw.Connection) -> None:
    """Give a connection the functions that conditions use."""
    import apsw

    functions: tuple[tuple[Any, int], ...] = (
        (within_tag, 2),
        (is_below, 2),
        (is_archived, 1),
        (front_holds, 5),
    )
    with suppress(apsw.BusyError):  # a query that is still being read uses them, so they are there
        for function, count in functions:
            db.create_scalar_function(function.__name__, function, count)


NOTE_COLUMNS = {
    "path": "json_quote(note.path)",
    "title": "json_quote(note.title)",
    "kind": "json_quote(note.kind)",
    "date": "json_quote(note.date)",
    "updated": "json_quote(note.updated)",
    "tags": "(SELECT json_group_array(name) FROM tag WHERE tag.note = note.id)",
}
"""What is known of a note besides its front matter, as JSON: `where` knows it by these names."""


def front_holds(front: str, own: str | None, *wish: Any) -> bool:
    """`where_holds` as SQL asks it, with what the note has of its own under the key."""
    import json  # only a search by front matter has use for it

    known = {wish[0]: json.loads(own)} if own else {}
    return where_holds(json.loads(front), (wish[0], wish[1], wish[2]), known)


def fact_conditions(
    filters: Filters,
    past: Collection[tuple[int, str]],
) -> Condition:
    """Type, tier and status as conditions on table `fact`; active is whatever is not superseded, as
    in search.

    `past` are the facts that others update, by note and key.
    """
    parts = ["1"]
    if past:
        pairs = f"(fact.note, fact.key) IN (VALUES {','.join(['(?, ?)'] * len(past))})"
    else:
        pairs = "0"
    flat: tuple[Any, ...] = tuple(chain.from_iterable(past))
    types: tuple[str, ...] = ()
    if filters.types:
        wish, types = of_types(filters.types)
        parts.append(wish)
    status: tuple[Any, ...] = ()
    if filters.status == "active":
        parts.append(f"fact.status != 'superseded' AND NOT {pairs}")
        status = flat
    elif filters.status == "superseded":
        parts.append(f"(fact.status = 'superseded' OR {pairs})")
        status = flat
    elif filters.status != "all":
        parts.append("fact.status = ?")
        status = (filters.status,)
    if filters.tiers:
        parts.append(in_tiers(filters.tiers))
    return Condition(" AND ".join(parts), (*types, *status, *filters.tiers))


def with_facts(db: apsw.Connection, filters: Filters) -> Condition:
    """Which notes a list holds: as `condition`, and with facts and dates as the filters say, tiers
    aside."""
    where, values = condition(db, filters)
    if filters.types or filters.status in {"superseded", "proposed"}:
        wish, more = fact_conditions(
            filters._replace(tiers=()), replaced_facts(db, private=filters.private)
        )
        where += f" AND EXISTS (SELECT 1 FROM fact WHERE fact.note = note.id AND {wish})"
        values += more
    if filters.since or filters.until:
        span = (filters.since or "0000", filters.until or "9999-12-31")
        own = "SELECT 1 FROM fact WHERE fact.note = note.id AND fact.date BETWEEN ? AND ?"
        where += (
            f" AND (note.date BETWEEN ? AND ? OR note.updated BETWEEN ? AND ? OR EXISTS ({own}))"
        )
        values += (*span, *span, *span)
    return Condition(where, values)


def of_chunks(
    db: apsw.Connection,
    filters: Filters,
    clock: Clock,
    past: Collection[int],
    *,
    strict: bool,
) -> Condition:
    """A SELECT of the chunks that the filters allow; with `strict` by status and folders
    set apart too, which else the caller looks at and counts.

    `past` are the chunks of facts that others update.
    """
    wishes = _of_chunk_types(filters.types)
    wishes += _of_chunk_status(filters, past, strict=strict)
    if filters.as_of:
        days = held_on(db, filters.as_of, private=filters.private)
        wishes.append(Condition(HELD_CONDITION, tuple(days)))
    if filters.since or filters.until:
        wishes.append(on_days(filters.since or "0000", filters.until or "9999-12-31"))
    if filters.tiers:  # the stamp is for whoever keeps what a condition allows
        teach(db, clock)
        sql = _of_its_fact(in_tiers(filters.tiers))
        values = (*filters.tiers, tiers_stamp(db, clock))
        wishes.append(Condition(f"{sql} AND ? != ''", values))
    if not strict:
        filters = filters._replace(apart=APART)
    wishes.append(condition(db, filters))
    every = _all_of(wishes)
    chunks = "chunk JOIN visible_note AS note ON note.id = chunk.note"
    sql = f"SELECT chunk.id FROM {chunks} WHERE {every.sql}"
    return Condition(sql, every.values)


def _of_chunk_types(types: Collection[str]) -> list[Condition]:
    """That a chunk is of one of these types, and where one is narrow, that its fact is."""
    if not types:
        return []
    mains = sorted({each.partition("/")[0] for each in types})
    wishes = [Condition(f"chunk.type IN ({_marks(mains)})", tuple(mains))]
    if any("/" in each for each in types):
        wish, values = of_types(types)
        wishes.append(Condition(_of_its_fact(wish), values))
    return wishes


def _of_chunk_status(
    filters: Filters,
    past: Collection[int],
    *,
    strict: bool,
) -> list[Condition]:
    """That a chunk has the status asked for; `past` are those of facts that others update."""
    if filters.status in {"superseded", "proposed"}:
        also = ""
        if past and filters.status == "superseded":
            also = f" OR {among(past)}"
        return [Condition(f"(chunk.status = ?{also})", (filters.status,))]
    if strict and filters.hides_past:
        return [Condition(f"chunk.status != 'superseded' AND NOT {among(past)}", ())]
    return []


def on_days(since: str, until: str) -> Condition:
    """Which chunks carry a day of a span: all of the daily note of such a day, a fact by its own
    date, and text by its note's, unless there are facts in it and none of them is of such a day."""
    inside = (
        "SELECT 1 FROM fact WHERE fact.note = chunk.note AND fact.first BETWEEN chunk.first AND"
        " chunk.last"
    )
    sql = (
        "((note.kind = 'daily' AND note.date BETWEEN ? AND ?) OR (chunk.date BETWEEN ? AND ? AND"
        f" (chunk.grain = 'fact' OR NOT EXISTS ({inside}) OR EXISTS ({inside} AND fact.date BETWEEN"
        " ? AND ?))))"
    )
    return Condition(sql, (since, until) * 3)


def _of_its_fact(wish: str) -> str:
    """A condition on table `fact` as one on the chunk of a fact."""
    own = f"fact.note = chunk.note AND fact.key = chunk.fact AND {wish}"
    return f"EXISTS (SELECT 1 FROM fact WHERE {own})"
