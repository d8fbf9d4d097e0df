"""Mentions: the lines of other notes that name a page's subject, newest first; and the pages that a
line names.

What a line names hangs on the names of all notes, so nothing of it is stored: the words, links and
names of the index answer for one page at a time, and never go stale. A name that several notes have
counts only as a link; a person's first or last name where only one person has it.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.matter.naming import (
    MOST_NAME_WORDS,
    Naming,
    name_form,
    is_common,
    named_places,
    ordered,
    parts_of,
    tells_more,
)
from indexer.note import Fact
from indexer.reading.path_meaning import (
    file_stem,
    fold_name,
    is_agents_day,
    is_archived,
    is_background,
    is_conversation,
    name_words,
)
from indexer.spelling import LETTERS_AND_DIGITS, group_pairs, nfc, single_spaced
from indexer.tokens.terms import bigrams, runs

from .graph import get_links, get_namesakes
from .link_targets import as_meant, folds_of, unquoted
from .names import is_conflict_copy, without_ending
from .supersession import replaced_facts
from .visibility import OF_CONVERSATION, visible_sql

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import apsw

    from indexer.matter.naming import NameForm
    from indexer.note import Link

_NO_SUBJECTS = frozenset(("daily", "memory", "me"))
"""Kinds of notes that are about no one thing."""
_ANY_CASE_KINDS = frozenset(("person", "company", "project"))
"""Kinds of notes whose names of several words count in small letters too."""
_MOST_CHUNKS = 4096
"""Chunks in which a word may stand to be a name: what more of them hold is an ordinary word."""
_TEXT = Fact._fields.index("text")
_SAME = "source NOT IN ('link', 'initials')"
_BULLET = re.compile(r"^[\s>]*(?:(?:[-*+]|\d{1,4}[.)])[ \t]+)?(?:\[[^\]]\][ \t]+)?(?:#{1,6} )?")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]{1,64}$")
_SUMMED_UP = frozenset(("summary", "tl;dr", "tldr"))
"""Headings of generated text, which repeats what other lines say."""


class MentionLine(NamedTuple):
    """A line that names a page's subject.

    `line` is where it stands, of a paragraph that is cut from several the first that it may be;
    `date` its own, else its day's or its note's, else ""; `key` is that of a fact, else ""; `chunk`
    is the row of the index that holds it, `kind` the kind of its note.
    """

    path: str
    line: int
    date: str
    text: str
    key: str
    chunk: int
    kind: str


class _Page(NamedTuple):
    """A note as a subject: its number, its path and kind, and its names as they are spelled."""

    note: int
    path: str
    kind: str
    names: tuple[str, ...]


class _Row(NamedTuple):
    """A chunk in which a page may be named."""

    id: int
    note: int
    path: str
    kind: str
    grain: str
    first: int
    last: int
    heading: str
    text: str
    date: str
    key: str
    stated: str

    @property
    def told(self) -> str:
        """What it says, its letters composed: of a fact what it states, on one line."""
        if self.grain == "fact":
            return nfc(single_spaced(self.stated))
        return nfc(self.text)


def mentions_of(
    db: apsw.Connection,
    path: str,
    *,
    private: bool,
    limit: int | None = None,
    as_of: str = "",
) -> list[MentionLine]:
    """The lines of other notes that name the subject of a page, the newest first: by their dates,
    of one note the last line first.

    At most `limit`; lines after the day `as_of` do not count. None for a day, a guide, a template,
    or a private page, unless `private`.
    """
    page = _page(db, path, private=private)
    if page is None:
        return []
    found = [*_Mentions(db, page, private=private).lines(as_of)]
    found.sort(key=lambda each: (each.path, -each.line))
    found.sort(key=lambda each: each.date, reverse=True)
    return found[:limit]


def mention_count(db: apsw.Connection, path: str, *, private: bool) -> int:
    """How many lines of other notes name the subject of a page."""
    return len(mentions_of(db, path, private=private))


def has_subject(path: str, kind: str) -> bool:
    """Whether a note is about one thing that lines can name: no day, memory, listing, guide or
    template."""
    return kind not in _NO_SUBJECTS and _may_mention(path) and not path.endswith("_index.md")


def subjects_of(
    db: apsw.Connection, chunks: Collection[int], *, private: bool
) -> dict[int, tuple[str, ...]]:
    """The pages that each of these chunks is about: the one it stands on, else those that it names,
    in their order; a chunk without any is left out."""
    ids = ",".join(map(str, chunks))
    found: dict[int, tuple[str, ...]] = {}
    for row in _rows(db, f"chunk.id IN ({ids})", (), private=private):
        if has_subject(row.path, row.kind):
            found[row.id] = (row.path,)
        elif named := _named_in(db, row, private=private):
            found[row.id] = tuple(named)
    return found


def _may_mention(path: str) -> bool:
    """Whether the lines of a note tell something of others: no guide, template or conversation."""
    folders = path.lower().split("/")[:-1]
    if any(folder.strip("_- ") in {"template", "templates"} for folder in folders):
        return False
    return not (is_background(path) or is_conversation(path))


def _page(db: apsw.Connection, path: str, *, private: bool) -> _Page | None:
    row: Any = db.execute(
        "SELECT id, kind, title, aliases FROM visible_note AS note WHERE path = ? AND"
        f" {visible_sql(private=private)}",
        (path,),
    ).get
    if row is None or not has_subject(path, row[1]):
        return None
    note, kind, title, aliases = row
    return _Page(note, path, kind, (title, *map(str, json.loads(aliases)), file_stem(path)))


def _rows(
    db: apsw.Connection, where: str, values: Sequence[Any], *, private: bool
) -> Iterator[_Row]:
    """The chunks of visible notes for which a condition holds, but for what is superseded,
    properties, and what is generated."""
    sql = (
        "SELECT chunk.id, chunk.note, note.path, note.kind, grain, chunk.first, chunk.last,"
        " heading, chunk.text, coalesce(chunk.date, ''), chunk.fact, coalesce((SELECT"
        f" json_extract(detail, '$[{_TEXT}]') FROM fact WHERE fact.key = chunk.fact AND fact.note ="
        " chunk.note), '') FROM chunk JOIN visible_note AS note ON note.id = chunk.note WHERE"
        f" {visible_sql(private=private)} AND grain != 'property' AND chunk.status != 'superseded'"
        f" AND path NOT LIKE '%\\_index.md' ESCAPE '\\' AND NOT {OF_CONVERSATION} AND {where} ORDER"
        " BY path, grain, ordinal"
    )
    for row in map(_Row._make, db.execute(sql, values)):
        if _may_mention(row.path) and not _is_generated(row):
            yield row


def _is_generated(row: _Row) -> bool:
    own = row.heading.rpartition("\n")[2].strip().casefold()
    if own in _SUMMED_UP:
        return row.grain == "section"
    return own == "now" and row.path == "MEMORY.md"


class _Mentions:
    """What names one page, and the lines that do."""

    def __init__(self, db: apsw.Connection, page: _Page, *, private: bool) -> None:
        self.db = db
        self.page = page
        self.private = private

    @cached_property
    def naming(self) -> Naming:
        """The forms of the page's name that no other note has, and the longer names of others."""
        own: list[NameForm] = []
        any_case = self.page.kind in _ANY_CASE_KINDS
        for name in self.page.names:
            form = name_form(name, any_case=any_case)
            if form and not self._others(fold_name(name)) and self._is_name(form):
                own.append(form)
        if self.page.kind == "person":
            own += self._parts()
        forms = ordered(form for form in own if self._is_rare(form))
        return Naming(forms, self._longer(forms), self._is_ordinary)

    def _is_name(self, form: NameForm) -> bool:
        """Whether a name tells its page: an ordinary word does so for a person, company or project
        alone, others are named like that by links."""
        if len(form.words) > 1 or form.exact or self.page.kind in _ANY_CASE_KINDS:
            return True
        return not self._is_ordinary(form.words[0])

    def _others(self, folded: str) -> bool:
        """Whether another note has this name too, archived ones, copies and agents' days apart."""
        rows = self.db.execute(
            "SELECT DISTINCT path FROM name JOIN visible_note AS note ON note.id = name.note WHERE"
            f" folded = ? AND note != ? AND {_SAME}",
            (folded, self.page.note),
        )
        own = _stands_back(self.page.path)
        rivals = (path for (path,) in rows if _may_mention(path) and not path.endswith("_index.md"))
        return any(own or not _stands_back(path) for path in rivals)

    def _parts(self) -> Iterator[NameForm]:
        """The first and the last name of a person, where nobody and nothing else has them."""
        for name in self.page.names:
            for word, part in parts_of(name):
                form = name_form(word, any_case=True, part=part)
                if form and not self._others(fold_name(word)) and not self._namesakes(form):
                    yield form

    def _namesakes(self, form: NameForm) -> bool:
        """Whether another person has a word in one of their names."""
        rows = self._holding(form, "kind = 'person'")
        return any(form.words[0] in name_words(name) for name in rows)

    def _holding(self, form: NameForm, where: str) -> list[str]:
        """The names of other notes that may hold these words."""
        rows = self.db.execute(
            "SELECT name.text, path FROM name_fts JOIN name ON name.note = name_fts.rowid >> 20 AND"
            " name.ordinal = name_fts.rowid & 1048575 JOIN visible_note AS note ON note.id ="
            f" name.note WHERE name_fts MATCH ? AND note.id != ? AND {_SAME} AND {where}",
            (_asked(form), self.page.note),
        )
        return [name for name, path in rows if not _stands_back(path)]

    def _longer(self, forms: Iterable[NameForm]) -> frozenset[tuple[str, ...]]:
        """The names of other notes that hold one of these."""
        found: set[tuple[str, ...]] = set()
        for form in forms:
            found.update(map(name_words, self._holding(form, "kind != 'daily'")))
        return frozenset(found).difference(form.words for form in forms)

    def _is_rare(self, form: NameForm) -> bool:
        """Whether a name stands in few enough chunks to be looked for in them."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH ? LIMIT ?)"
        return int(self.db.execute(sql, (_asked(form), _MOST_CHUNKS + 1)).get) <= _MOST_CHUNKS

    @cached_property
    def _ordinary(self) -> dict[str, bool]:
        return {}

    def _is_ordinary(self, word: str) -> bool:
        """Whether the notes write a word as an ordinary word."""
        if word not in self._ordinary:
            sql = (
                "SELECT chunk.text FROM chunk JOIN visible_note AS note ON note.id ="
                " chunk.note WHERE chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH"
                f" ?) AND {visible_sql(private=self.private)}"
            )
            asked = f'text : "{word}"'
            self._ordinary[word] = is_common(
                word, [text for (text,) in self.db.execute(sql, (asked,))]
            )
        return self._ordinary[word]

    @cached_property
    def _links(self) -> list[tuple[str, Link]]:
        """The links that lead here, each with the path of its note."""
        folds = folds_of(self.db, self.page.path)
        names = get_namesakes(self.db, folds)
        found: list[tuple[str, Link]] = []
        for source, link in get_links(self.db, folded=folds, private=self.private):
            if not link.embed and as_meant(names, source, link)[1] == self.page.path:
                found.append((source, link))
        return found

    @cached_property
    def _linked(self) -> dict[str, list[Link]]:
        """The same by the path of their note."""
        return group_pairs(self._links)

    def lines(self, as_of: str) -> Iterator[MentionLine]:
        """The lines that name the page, each text of a note once."""
        seen: set[tuple[int, str]] = set()
        past = replaced_facts(self.db, private=self.private)
        for row in self._candidates():
            is_out = (row.note, row.key) in past or bool(as_of and row.date > as_of)
            for line, text in () if is_out else self.of(row):
                told = _told(text)
                if (row.note, told) not in seen and tells_more(told, self.naming):
                    seen.add((row.note, told))
                    yield MentionLine(
                        path=row.path,
                        line=line,
                        date=row.date,
                        text=told,
                        key=row.key,
                        chunk=row.id,
                        kind=row.kind,
                    )
            if row.grain == "fact":  # a section may hold its lines as well
                seen.update((row.note, _told(line)) for line in row.text.split("\n"))

    def _candidates(self) -> list[_Row]:
        """The chunks that hold the words of a name, or a line with a link, but for the page's own
        and those of what stands for it in the archive."""
        asked = " OR ".join(map(_asked, self.naming.forms)) or '""'
        linked = [(path, link.line) for path, link in self._links]
        where = (
            "chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? UNION SELECT there.id"
            " FROM json_each(?) AS at JOIN visible_note AS source ON source.path = at.value ->> 0"
            " JOIN chunk AS there ON there.note = source.id AND there.first <= at.value ->> 1 AND"
            " there.last >= at.value ->> 1)"
        )
        rows = _rows(self.db, where, (asked, json.dumps(linked)), private=self.private)
        return [row for row in rows if not self._is_own(row)]

    def _is_own(self, row: _Row) -> bool:
        if row.note == self.page.note:
            return True
        name = fold_name(without_ending(row.path).rpartition("/")[2])
        own = fold_name(without_ending(self.page.path).rpartition("/")[2])
        return name == own and _stands_back(row.path)

    def of(self, row: _Row) -> Iterator[tuple[int, str]]:
        """The lines of a chunk that name the page, with their numbers: by links, then by names."""
        texts = row.told.split("\n")
        for link in self._links_in(row):
            text = next((text for text in texts if _holds(text, link)), "")
            if text:
                yield link.line, text
        for first in named_places(row.told, self.naming):
            at = row.told.count("\n", 0, first)
            yield min(row.first + at, row.last), texts[at]

    def place(self, row: _Row) -> int | None:
        """Where in a chunk the page is named first, None where it is not."""
        places = named_places(row.told, self.naming)
        links = (link for link in self._links_in(row) if _holds(row.told, link))
        places += [max(row.told.find(link.label or link.target), 0) for link in links]
        return min(places, default=None)

    def _links_in(self, row: _Row) -> list[Link]:
        """The links of a chunk that lead to the page."""
        links = self._linked.get(row.path, ())
        return [link for link in links if row.first <= link.line <= row.last]


def _stands_back(path: str) -> bool:
    """Whether another note of the same name is meant rather than this one."""
    return is_archived(path) or is_conflict_copy(path) or is_agents_day(path)


def _asked(form: NameForm) -> str:
    """The words of a name as FTS5 is asked for them."""
    text = " ".join(form.words)
    parts = runs(text)
    if len(parts) == 1:
        return f'"{text}"'
    pairs = bigrams(parts[1])
    return f'"{" ".join(pairs[:-1] or pairs)}"'


def _holds(text: str, link: Link) -> bool:
    """Whether a link stands in a text."""
    if "[" not in text:
        return False
    name = link.target.rpartition("/")[2]
    return name in text or name in unquoted(text) or bool(link.label and link.label in text)


def _told(text: str) -> str:
    """A line without its bullet, its box and its id."""
    text = single_spaced(text)
    return _BLOCK_ID.sub("", _BULLET.sub("", text, count=1))


def _named_in(db: apsw.Connection, row: _Row, *, private: bool) -> list[str]:
    """The pages that a chunk names, in their order."""
    found = {}
    for path in _possible(db, row):
        page = _page(db, path, private=private)
        place = _Mentions(db, page, private=private).place(row) if page else None
        if place is not None:
            found[path] = place
    return sorted(found, key=lambda path: (found[path], path))


def _possible(db: apsw.Connection, row: _Row) -> list[str]:
    """The notes that a chunk may name: what a link leads to or some of its words spell, and the
    persons whose names hold one of its capitalised words."""
    words = LETTERS_AND_DIGITS.findall(row.told)
    spelt = [fold_name(word) for word in words]
    keys = set()
    for first in range(len(spelt)):
        for end in range(first + 1, min(len(spelt), first + MOST_NAME_WORDS) + 1):
            keys.add("".join(spelt[first:end]))
    capitals = [f'"{word}"' for word in dict.fromkeys(words) if word[0].isupper() and len(word) > 2]
    sql = (
        "SELECT DISTINCT path FROM visible_note AS note WHERE id IN (SELECT name.note FROM name"
        f" WHERE {_SAME} AND folded IN (SELECT value FROM json_each(?) UNION SELECT folded FROM"
        " link WHERE link.note = ? AND line BETWEEN ? AND ?)) OR (kind = 'person' AND id IN (SELECT"
        " rowid >> 20 FROM name_fts WHERE name_fts MATCH ?)) ORDER BY path"
    )
    values = (json.dumps([*keys]), row.note, row.first, row.last, " OR ".join(capitals) or '""')
    return [path for (path,) in db.execute(sql, values)]
