"""Mentions: the lines of other notes that name a page's subject, newest first; and the pages that a
line names.

Nothing of it is stored, because a new note can change what a name means: the words, links and names
of the index answer for one page at a time. A name that several notes have counts only as a link; a
person's first or last name where only one person has it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property, partial
from itertools import chain, groupby, islice, repeat, starmap, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.matter.naming import (
    MOST_NAME_WORDS,
    ORDINARY_WORDS,
    Naming,
    is_common,
    may_name,
    name_form,
    named_places,
    ordered,
    parts_of,
    tells_more,
)
from indexer.note import Fact
from indexer.reading.path_meaning import (
    agent_of,
    apart_of,
    file_stem,
    fold_name,
    is_agents_day,
    is_background,
    is_imported,
    is_template,
    name_words,
)
from indexer.spelling import LETTERS_AND_DIGITS, group_pairs, nfc, single_spaced
from indexer.tokens.terms import bigrams, runs

from .link_targets import folds_of, target_of, unquoted
from .names import folded_json, gives_way
from .supersession import replaced_facts
from .visibility import SET_APART, visible_sql

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import apsw

    from indexer.matter.naming import NameForm
    from indexer.note import Link

_NO_SUBJECTS = frozenset(("daily", "memory", "me"))
"""Kinds of notes that are about no one thing."""
_ENTITIES = frozenset(("person", "company", "project"))
"""Kinds of notes whose names are names of somebody or something, and no words of a title."""
_MOST_LINKS = 10_000
"""Links to a page whose lines are looked up, by path: SQLite takes so many values."""
_MOST_BY_LINE = 50
"""Links of one note to a page whose lines are looked up one by one."""
_MOST_CHUNKS = 4096
"""Chunks in which an ordinary word may stand to be looked for as a name."""
_SAMPLE = 200
"""Chunks that tell whether a word is an ordinary one."""
_TEXT = Fact._fields.index("text")
_FACT = (
    "(SELECT json_extract(detail, '$[{}]') FROM fact WHERE fact.key = chunk.fact AND fact.note ="
    " chunk.note)"
)
"""A field of the fact that a chunk is."""
_DATE = (
    "iif(chunk.date = note.updated AND note.kind != 'daily' AND"
    f" coalesce({_FACT.format(Fact._fields.index('dated'))}, '') != 'line', note.date, chunk.date)"
)
"""The date of a chunk; when its page was last changed is none."""
_SAME = "source NOT IN ('link', 'initials')"
_BULLET = re.compile(r"^[\s>]*(?:(?:[-*+]|\d{1,4}[.)])[ \t]+)?(?:\[[^\]]\][ \t]+)?(?:#{1,6} )?")
_ITEM = re.compile(r"\s*(?:[-*+>|#`~]|\d{1,4}[.)]\s)")
_SHORTEST_WRAPPED = 40
"""Letters of a line that is cut where it is full."""
_MOST_WRAPPED = 3
"""Lines before and behind one in which its sentence is looked for."""
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]{1,64}$")
_SUMMED_UP = frozenset(("summary", "tl;dr", "tldr"))
"""Headings of generated text, which repeats what other lines say."""


class MentionLine(NamedTuple):
    """A line that names a page's subject.

    `line` is where it stands; of a text that was cut from several lines it is the first that it
    may be, `last` the last. `date` is its own, else its day's or its note's, else ""; `key` is
    that of a fact, else ""; `chunk` is the row of the index that holds it, `kind` the kind of its
    note.
    """

    path: str
    line: int
    date: str
    text: str
    key: str
    chunk: int
    kind: str
    last: int


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
    by_links: bool = True,
) -> list[MentionLine]:
    """The lines of other notes that name the subject of a page, or do `by_links`, the newest first:
    by their dates, of one note the last line first.

    At most `limit`; lines after the day `as_of` do not count. None for a day, a guide, a template,
    or a private page, unless `private`.
    """
    page = _page(db, path, private=private)
    if page is None:
        return []
    found: list[MentionLine] = []
    naming = _Mentions(db, page, private=private, by_links=by_links)
    for _, lines in groupby(naming.lines(as_of), _date):
        found += sorted(lines, key=lambda each: (each.path, -each.line))
        if limit is not None and len(found) >= limit:
            break
    return found[:limit]


def _date(line: MentionLine | _Row) -> str:
    return line.date


def newest_day(
    db: apsw.Connection,
    path: str,
    *,
    private: bool,
    after: str,
    until: str,
) -> str:
    """The path of the last day's note that names the subject of a page, of the days behind `after`
    and up to `until`; "" for none. Another agent's days do not count."""
    page = _page(db, path, private=private)
    lines = _Mentions(db, page, private=private).lines(until) if page else ()
    for line in lines:
        if line.date <= after:
            break
        if line.kind == "daily" and agent_of(line.path) in {"", agent_of(path)}:
            return line.path
    return ""


def has_subject(
    path: str,
    kind: str,
) -> bool:
    """Whether a note is about one thing that lines can name: no day, memory, listing, guide or
    template."""
    return kind not in _NO_SUBJECTS and _may_mention(path) and not path.endswith("_index.md")


class Subjects:
    """The pages that questions and chunks are about; what names each page is found out once."""

    def __init__(
        self,
        db: apsw.Connection,
        *,
        private: bool,
    ) -> None:
        self.db = db
        self.private = private
        self._naming: dict[str, _Mentions | None] = {}
        self._persons: dict[str, list[str]] = {}

    def of_chunks(
        self,
        chunks: Collection[int],
    ) -> dict[int, tuple[str, ...]]:
        """The pages that each of these chunks is about: the one it stands on, else those that it
        names, in their order; a chunk without any is left out."""
        found: dict[int, tuple[str, ...]] = {}
        for row in self._rows(chunks):
            if has_subject(row.path, row.kind):
                found[row.id] = (row.path,)
            elif named := self._named_in(row):
                found[row.id] = tuple(named)
        return found

    def asked(
        self,
        question: str,
    ) -> list[str]:
        """The pages that a question names; one in small letters may name them in small letters."""
        if question.islower():
            question = ", ".join([question, *question.title().split()])
        row = _Row(
            id=0,
            note=0,
            path="",
            kind="",
            grain="section",
            first=0,
            last=0,
            heading="",
            text=question,
            date="",
            key="",
            stated="",
        )
        return self._named_in(row)

    def lines_about(
        self,
        path: str,
        chunks: Collection[int],
    ) -> dict[int, MentionLine]:
        """Those of these chunks that stand on a page or name its subject, by their numbers; of one
        of another note the line that does."""
        naming = self._names(path)
        found: dict[int, MentionLine] = {}
        if naming is None:
            return found
        for row in self._rows(chunks):
            if row.note == naming.page.note:
                said = (row.first, row.last), row.told
            elif naming.place(row) is not None:
                said = naming.first_of(row)
            else:
                continue
            (line, last), text = said
            found[row.id] = MentionLine(
                path=row.path,
                line=line,
                last=last,
                date=row.date,
                text=text,
                key=row.key,
                chunk=row.id,
                kind=row.kind,
            )
        return found

    def _rows(
        self,
        chunks: Collection[int],
    ) -> Iterator[_Row]:
        ids = ",".join(map(str, chunks))
        return _rows(self.db, f"chunk.id IN ({ids})", (), private=self.private)

    def _names(
        self,
        path: str,
    ) -> _Mentions | None:
        """What names a page, None where it has no subject or is hidden."""
        if path not in self._naming:
            page = _page(self.db, path, private=self.private)
            self._naming[path] = _Mentions(self.db, page, private=self.private) if page else None
        return self._naming[path]

    def _named_in(
        self,
        row: _Row,
    ) -> list[str]:
        """The pages that a chunk names, in their order."""
        found = {}
        for path in self._possible(row):
            naming = self._names(path)
            place = naming.place(row) if naming else None
            if place is not None:
                found[path] = place
        return sorted(found, key=lambda path: (found[path], path))

    def _possible(
        self,
        row: _Row,
    ) -> set[str]:
        """The notes that a chunk may name: what a link leads to or some of its words spell, and the
        persons of whom a capitalised word may be the first or last name."""
        words = LETTERS_AND_DIGITS.findall(f"{row.heading}\n{row.told}")
        spelt = [fold_name(word) for word in words]
        keys = set()
        for first in range(len(spelt)):
            for end in range(first + 1, min(len(spelt), first + MOST_NAME_WORDS) + 1):
                keys.add("".join(spelt[first:end]))
        sql = (
            "SELECT path FROM visible_note AS note WHERE id IN (SELECT name.note FROM name"
            f" WHERE {_SAME} AND folded IN (SELECT value FROM json_each(?) UNION SELECT folded FROM"
            " link WHERE link.note = ? AND line BETWEEN ? AND ?))"
        )
        rows = self.db.execute(sql, (folded_json(keys), row.note, row.first, row.last))
        found = {path for (path,) in rows}
        capitals = (word for word in dict.fromkeys(words) if word[0].isupper() and len(word) > 2)
        return found.union(*map(self._persons_called, capitals))

    def _persons_called(
        self,
        word: str,
    ) -> list[str]:
        """The one person whose name holds a word, none where several do: two are enough to know it,
        of a word that stands in a thousand names."""
        if word not in self._persons:
            front: dict[str, bool] = {}
            back: dict[str, bool] = {}
            own = fold_name(word)
            for _, path, name, _ in _names_holding(self.db, f'"{word}"', "kind = 'person'"):
                if own in name_words(name):
                    (back if _stands_back(path) else front)[path] = True
                if len(front) > 1:
                    break
            called = [*(front or back)]
            self._persons[word] = called if len(called) == 1 else []
        return self._persons[word]


def _may_mention(path: str) -> bool:
    """Whether the lines of a note tell something of others: no guide, template or conversation."""
    is_memory = not (is_template(path) or is_background(path))
    return is_memory and not (apart_of(path) or is_imported(path))


def _page(
    db: apsw.Connection,
    path: str,
    *,
    private: bool,
) -> _Page | None:
    row: Any = db.execute(
        "SELECT id, kind, title, (SELECT group_concat(value, char(10)) FROM json_each(aliases))"
        " FROM visible_note AS note WHERE path = ? AND"
        f" {visible_sql(private=private)}",
        (path,),
    ).get
    if row is None or not has_subject(path, row[1]):
        return None
    note, kind, title, aliases = row
    others = aliases.split("\n") if aliases else ()
    return _Page(note, path, kind, (title, *others, file_stem(path)))


def _rows(
    db: apsw.Connection,
    where: str,
    values: Sequence[Any],
    *,
    private: bool,
) -> Iterator[_Row]:
    """The chunks of visible notes for which a condition holds, but for what is superseded,
    properties, and what is generated."""
    sql = (
        "SELECT chunk.id, chunk.note, note.path, note.kind, grain, chunk.first, chunk.last,"
        f" heading, chunk.text, coalesce({_DATE}, ''), chunk.fact,"
        f" coalesce({_FACT.format(_TEXT)}, '') FROM chunk JOIN visible_note AS note ON note.id ="
        f" chunk.note WHERE {visible_sql(private=private)} AND grain != 'property' AND"
        " chunk.status != 'superseded'"
        f" AND path NOT LIKE '%\\_index.md' ESCAPE '\\' AND NOT {SET_APART} AND {where} ORDER"
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

    def __init__(
        self,
        db: apsw.Connection,
        page: _Page,
        *,
        private: bool,
        by_links: bool = True,
    ) -> None:
        self.db = db
        self.page = page
        self.private = private
        self.by_links = by_links

    @cached_property
    def naming(self) -> Naming:
        """The forms of the page's name that no other note has, and the longer names of others."""
        of_entity = self.page.kind in _ENTITIES
        whole = [name_form(name, of_entity=of_entity) for name in self.page.names]
        parts: list[NameForm | None] = []
        if self.page.kind == "person":
            for name in self.page.names:
                parts += [name_form(word, of_entity=True, part=at) for word, at in parts_of(name)]
        forms = ordered(filter(None, (*whole, *parts)))
        near = [*self._names_with([form for form in forms if not form.part])]
        kept = []
        longer: set[tuple[str, ...]] = set()
        for form in forms:
            others = self._longer(form, near)
            if others is not None and self._is_rare(form):
                kept.append(form)
                longer |= others
        longer.difference_update(form.bare for form in kept)
        return Naming(tuple(kept), frozenset(longer), self._is_ordinary)

    def _names_with(
        self,
        forms: Sequence[NameForm],
    ) -> Iterator[tuple[str, bool]]:
        """The names of other notes that may hold these words, each with whether a person has it;
        but for those of archived notes, copies and agents' days, which give way."""
        own = _stands_back(self.page.path)
        for note, path, name, kind in _names_holding(self.db, _any_of(forms), "kind != 'daily'"):
            if note != self.page.note and (own or not _stands_back(path)):
                yield name, kind == "person"

    def _longer(
        self,
        form: NameForm,
        near: Iterable[tuple[str, bool]],
    ) -> set[tuple[str, ...]] | None:
        """The names of other notes that hold a form; None where another note has it for a name, or
        another person the word of a first or last one. Those `near` hold a whole name."""
        found = set()
        others = self._names_with([form]) if form.part else ()
        for name, is_person in chain(near, others):
            words = name_words(name)
            if words == form.bare or (form.part and is_person and form.bare[0] in words):
                return None  # before a thousand more are read
            found.add(words)
        return found

    def _is_rare(
        self,
        form: NameForm,
    ) -> bool:
        """Whether a name is no ordinary word that stands in too many chunks to be looked for."""
        if len(form.words) > 1 or form.words[0] not in ORDINARY_WORDS:
            return True
        sql = "SELECT count(*) FROM (SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH ? LIMIT ?)"
        return int(self.db.execute(sql, (_asked(form), _MOST_CHUNKS + 1)).get) <= _MOST_CHUNKS

    @cached_property
    def _ordinary(self) -> dict[str, bool]:
        return {}

    def _is_ordinary(
        self,
        word: str,
    ) -> bool:
        """Whether the notes write a word as an ordinary word, as some of the chunks that hold it
        tell: the same ones however the index came about. The name of a person
        is one only where it is a word of English."""
        if word in ORDINARY_WORDS or self.page.kind == "person":
            return word in ORDINARY_WORDS
        if word not in self._ordinary:
            rows = self.db.execute(
                "SELECT chunk.text FROM chunk JOIN visible_note AS note ON note.id = chunk.note"
                " WHERE chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?) AND"
                f" {visible_sql(private=self.private)} ORDER BY hash, path, ordinal LIMIT ?",
                (f'text : "{word}"', _SAMPLE),
            )
            self._ordinary[word] = is_common(word, (text for (text,) in rows))
        return self._ordinary[word]

    @cached_property
    def _links(self) -> list[tuple[str, Link]]:
        """The links that lead here, each with the path of its note; those of a line that are alike
        once."""
        if not self.by_links:
            return []
        from .graph import get_links, get_namesakes  # few searches come to a line with a link

        folds = folds_of(self.db, self.page.path)
        names = get_namesakes(self.db, folds)
        return [
            (source, link)
            for source, link in dict.fromkeys(
                get_links(self.db, folded=folds, private=self.private)
            )
            if not link.embed and target_of(names, source, link) == self.page.path
        ]

    @cached_property
    def _linked(self) -> dict[str, list[Link]]:
        """The same by the path of their note, in order of lines."""
        return {path: sorted(links, key=_line) for path, links in group_pairs(self._links).items()}

    def lines(
        self,
        as_of: str,
    ) -> Iterator[MentionLine]:
        """The lines that name the page, each text of a note once, by their dates, the newest
        first."""
        seen: set[tuple[int, str]] = set()
        rows = self._candidates()
        pairs = group_pairs((row.note, row.text) for row in rows if row.grain == "fact")
        facts = {
            note: {*chain.from_iterable(map(str.split, texts, repeat("\n")))}
            for note, texts in pairs.items()
        }
        past = replaced_facts(self.db, private=self.private)
        holding = (row for row in rows if (row.note, row.key) not in past)
        for row in sorted(holding, key=_date, reverse=True):
            if as_of and row.date > as_of:
                continue
            text = _own_text(row, facts.get(row.note, set()))
            for (line, last), told in self._of(row, text):
                if told and (row.note, told) not in seen:
                    seen.add((row.note, told))
                    yield MentionLine(
                        path=row.path,
                        line=line,
                        date=row.date,
                        text=told,
                        key=row.key,
                        chunk=row.id,
                        kind=row.kind,
                        last=last,
                    )

    def _candidates(self) -> list[_Row]:
        """The chunks that hold the words of a name, or a line with a link, but for the page's own
        and those of what stands for it in the archive."""
        spans = [*chain.from_iterable(starmap(_spans, self._linked.items()))][:_MOST_LINKS]
        linked = chain.from_iterable(spans)
        places = ",".join(["(?,?,?)"] * len(spans)) or "(NULL,0,0)"
        forms = filter(partial(may_name, is_ordinary=self._is_ordinary), self.naming.forms)
        where = (
            "chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? UNION SELECT there.id"
            f" FROM (VALUES {places}) AS at JOIN visible_note AS source ON source.path = at.column1"
            " JOIN chunk AS there ON there.note = source.id AND there.first <= at.column3 AND"
            " there.last >= at.column2)"
        )
        values = (_any_of(forms), *linked)
        rows = _rows(self.db, where, values, private=self.private)
        return [row for row in rows if row.note not in self._own]

    @cached_property
    def _own(self) -> set[int]:
        """The page, and what stands for it in the archive or beside it."""
        rows = self.db.execute(
            "SELECT note, path FROM name JOIN visible_note AS note ON note.id = name.note WHERE"
            " source = 'file' AND folded = ?",
            (fold_name(file_stem(self.page.path)),),
        )
        return {self.page.note, *(note for note, path in rows if _stands_back(path))}

    def first_of(
        self,
        row: _Row,
    ) -> tuple[tuple[int, int], str]:
        """The first line of a chunk that names the page, or all of it where none says more than
        that."""
        whole = (row.first, row.last), row.told
        if row.grain == "fact":
            return whole
        return next((each for each in self._of(row, row.told) if each[1]), whole)

    def _of(
        self,
        row: _Row,
        text: str,
    ) -> Iterator[tuple[tuple[int, int], str]]:
        """The lines of a chunk's text that name the page and say more than that, or stand right
        below a heading or an item that is its name, each with the first and the last line that it
        may be."""
        lines = text.split("\n")
        for link in self._links_in(row):
            held = next((each for each in lines if _holds(each, link)), "")
            yield (link.line, link.line), self._told(row, held)
        is_sure = row.grain == "fact" or row.last - row.first + 1 == len(lines)
        for at in self._named_lines(row, text, lines):
            first, joined = _wrapped(lines, at)
            line = min(row.first + first, row.last)
            last = line if is_sure else row.last
            yield (line, last), self._told(row, joined)

    def _named_lines(
        self,
        row: _Row,
        text: str,
        lines: Sequence[str],
    ) -> list[int]:
        """The places of the lines of a chunk that name the page, or stand below its name."""
        places = {text.count("\n", 0, letter) for letter in named_places(text, self.naming)}
        if self._is_headed(row):
            places.update(at for at, line in enumerate(lines) if _is_sentence(row, line))
        return sorted(places)

    def _told(
        self,
        row: _Row,
        line: str,
    ) -> str:
        """What a line says, "" where that is the name alone."""
        told = line if row.grain == "fact" else _bare_line(line)
        if tells_more(told, self.naming):
            return told
        return ""

    def _is_headed(
        self,
        row: _Row,
    ) -> bool:
        """Whether a chunk stands right below a heading or an item that is the name of a person, a
        company or a project."""
        if self.page.kind not in _ENTITIES:
            return False
        heading = row.heading.rpartition("\n")[2]
        words = name_words(heading)
        return words in self._bare and (len(words) > 1 or heading[:1].isupper())

    @cached_property
    def _bare(self) -> set[tuple[str, ...]]:
        return {form.bare for form in self.naming.forms}

    def place(
        self,
        row: _Row,
    ) -> int | None:
        """Where in a chunk the page is named first, None where it is not."""
        text = row.told
        if self._is_headed(row):
            return -1
        places = named_places(text, self.naming)
        links = (link for link in self._links_in(row) if _holds(text, link))
        places += [max(text.find(link.label or link.target), 0) for link in links]
        return min(places, default=None)

    def _links_in(
        self,
        row: _Row,
    ) -> list[Link]:
        """The links of a chunk that lead to the page."""
        text = row.text.casefold().replace("%20", " ")
        if "[" not in text or not any(name.casefold() in text for name in self.page.names):
            return []  # before the links of the vault are looked at
        links = self._linked.get(row.path, ())
        first = bisect_left(links, row.first, key=_line)
        return list(takewhile(lambda link: link.line <= row.last, islice(links, first, None)))


def _line(link: Link) -> int:
    return link.line


def _spans(path: str, links: Sequence[Link]) -> Iterator[tuple[str, int, int]]:
    """The lines of a note in which links stand, as first and last lines; of many links one span,
    because each is looked up among all pieces of the note."""
    if len(links) > _MOST_BY_LINE:
        yield path, links[0].line, links[-1].line
        return
    for link in links:
        yield path, link.line, link.line


def _own_text(
    row: _Row,
    facts: set[str],
) -> str:
    """What a chunk says, of a section without the lines that are facts, which are left blank."""
    if row.grain == "fact" or not facts:
        return row.told
    return "\n".join("" if line in facts else line for line in row.told.split("\n"))


def _is_sentence(
    row: _Row,
    line: str,
) -> bool:
    """Whether a line is an item or a sentence, and no code or table."""
    if row.grain == "fact" or _BULLET.sub("", line, count=1) != line.strip():
        return True
    return line[:1].isupper() and line.rstrip().endswith((".", "!", "?"))


def _wrapped(
    lines: Sequence[str],
    at: int,
) -> tuple[int, str]:
    """The line of a text together with those before and behind it that a sentence goes on in, and
    the place of the first of them."""
    first = last = at
    while first and at - first < _MOST_WRAPPED and _goes_on(lines[first - 1], lines[first]):
        first -= 1
    while last + 1 < len(lines) and last - at < _MOST_WRAPPED:
        if not _goes_on(lines[last], lines[last + 1]):
            break
        last += 1
    return first, " ".join(map(str.strip, lines[first : last + 1]))


def _goes_on(
    line: str,
    following: str,
) -> bool:
    """Whether a sentence may go on from one line to the next."""
    is_cut = len(line) >= _SHORTEST_WRAPPED and not line.rstrip('*_)"”').endswith((*".!?:|",))
    return is_cut and bool(following) and not _ITEM.match(following)


def _stands_back(path: str) -> bool:
    """Whether another note of the same name is meant rather than this one."""
    return gives_way(path) or is_agents_day(path)


def _names_holding(
    db: apsw.Connection,
    words: str,
    kinds: str,
) -> Iterator[tuple[int, str, str, str]]:
    """The names that FTS5 finds for words, of the notes of some kinds that have a subject, each
    with the number and the path of its note before it and the kind behind; read as they are asked
    for."""
    rows = db.execute(
        "SELECT note.id, path, name.text, kind FROM name_fts JOIN name ON name.note ="
        " name_fts.rowid >> 20 AND name.ordinal = name_fts.rowid & 1048575 JOIN visible_note AS"
        f" note ON note.id = name.note WHERE name_fts MATCH ? AND {_SAME} AND {kinds}",
        (words,),
    )
    for row in rows:
        if has_subject(row[1], row[3]):
            yield row


def _any_of(forms: Iterable[NameForm]) -> str:
    """What FTS5 is asked for names, nothing for none."""
    return " OR ".join(map(_asked, forms)) or '""'


def _asked(form: NameForm) -> str:
    """The words of a name as FTS5 is asked for them."""
    text = " ".join(form.words)
    parts = runs(text)
    if len(parts) == 1:
        return f'"{text}"'
    pairs = bigrams(parts[1])
    return f'"{" ".join(pairs[:-1] or pairs)}"'


def _holds(
    text: str,
    link: Link,
) -> bool:
    """Whether a link stands in a text."""
    if link.label not in text:
        return False
    if link.style == "wiki":
        return bool(re.search(rf"\[\[\s*{re.escape(link.target)}\s*[\]|#^]", text))
    name = link.target.rpartition("/")[2]
    return f"[{link.label}](" in text and (name in text or name in unquoted(text))


def _bare_line(text: str) -> str:
    """A line without its bullet, its box and its id."""
    text = single_spaced(text)
    return _BLOCK_ID.sub("", _BULLET.sub("", text, count=1))
