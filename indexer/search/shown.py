"""What an answer shows: of a fact those nested in it too, of a generated text what still holds;
which hits answer.

Generated texts are the summaries of notes, the listings of folders (`_index.md`) and `Now` of
MEMORY.md. They repeat facts, and are as old as their last writing.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.note import Fact
from indexer.reading.path_meaning import unaccented
from indexer.spelling import PAGE_LINK
from indexer.tokens.terms import differ_in_ending, english_stem, unicode_words

from .query import clean_query
from .rank import RERANK, Generated, held, repeated, rescored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import apsw

    from indexer.catalog.filters import Filters
    from indexer.catalog.newer import Newer
    from indexer.matter.timeline import Stated

    from .hit import ChunkRow, Hit
    from .query import SearchQuery
    from .rank import Legs, Ranked

    Told = tuple[int, Newer, Stated]

ALSO = 12
"""Among how many of the first lines a later one is looked for that answers as well as the first."""
_NEAR_SHARE = 0.6
"""The share of the first one's score that the later line needs."""
AS_WELL = 0.8
"""The share of what the first one holds of the question that the later line has to hold."""
CHILDREN = 2
"""Facts nested in one that its hit shows."""


_SUMMARIES = frozenset({"summary", "tl;dr", "tldr"})
_LINKS = re.compile(r"\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\(<?([^()<>\n]+)>?\)")
_HEADING = re.compile(r"\s*#{1,6}(?:\s[^\n]*)?")
_PLACEHOLDER = re.compile(
    r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*\)|\{\{[^\n]*?\}\}+|<%[^\n]*?%>"
)
_LINK = re.compile(PAGE_LINK)
_LABEL = re.compile(r"[^:：]{0,40}[:：]?[*_\s]*\0[\s\0]*$")


def children(
    db: apsw.Connection,
    shown: Sequence[tuple[int, int, int, str]],
    past: Collection[int],
) -> dict[int, tuple[int, str]]:
    """The text of each fact with the first that are nested in it, and the last line of them, where
    it has such.

    `shown` are the number, note, first line and text of all hits, which are told once; `past` were
    replaced.
    """
    taken = {(note, first) for _, note, first, _ in shown}
    sql = (
        "SELECT id, first, last, text, status FROM chunk WHERE note = ? AND ordinal > (SELECT"
        " ordinal FROM chunk WHERE id = ? AND status = 'active') AND grain = 'fact' ORDER BY"
        " ordinal LIMIT ?"
    )
    found: dict[int, tuple[int, str]] = {}
    for number, note, _, text in shown:
        told = text
        rows: list[Any] = db.execute(sql, (note, number, CHILDREN)).fetchall()
        for each, first, last, inner, status in rows:
            if (
                _indented(inner) <= _indented(text)
                or (note, first) in taken
                or status != "active"
                or each in past
            ):
                break
            told += "\n" + inner
            found[number] = last, told
    return found


class GeneratedText(NamedTuple):
    """A generated text as it stands: its chunk, its note, and whether it is a listing."""

    id: int
    text: str
    note: int
    is_listing: bool

    @property
    def parts(self) -> list[str]:
        """What of it repeats facts of its own: a line of a listing is of what it links to."""
        if self.is_listing:
            return self.text.split("\n")
        return [self.text]


def generated_among(db: apsw.Connection, chunks: Mapping[int, str]) -> list[GeneratedText]:
    """The summaries, listings and Nows among these chunks, given with their paths."""
    if not chunks:
        return []
    listings = [number for number, path in chunks.items() if path.endswith("_index.md")]
    sql = (
        "SELECT id, text, heading, note FROM chunk WHERE id IN (SELECT value FROM json_each(?))"
        f" AND grain = 'section' AND (id IN ({','.join(map(str, listings))}) OR heading LIKE"
        " '%summary' OR heading LIKE '%tl;dr' OR heading LIKE '%tldr' OR heading LIKE '%now')"
    )
    found = []
    for number, text, heading, note in db.execute(sql, (str([*chunks]),)):
        path = chunks[number]
        own = heading.rpartition("\n")[2].strip().casefold()
        is_listing = path.rpartition("/")[2] == "_index.md" or (
            own == "now" and path == "MEMORY.md"
        )
        if is_listing or own in _SUMMARIES:
            found.append(GeneratedText(number, text, note, is_listing))
    return found


def shown_generated(
    db: apsw.Connection,
    chunks: Mapping[int, str],
    past: Collection[int],
    filters: Filters,
    asked: Sequence[str] = (),
) -> dict[int, Generated]:
    """The generated texts among these chunks, given with their paths: what of each is shown and
    what it repeats.

    With `--status all` that is all of it, otherwise what still holds; `past` are chunks that were
    replaced. Nothing is shown of a text where only what is left out holds words of the question,
    `asked`, nor of a bare heading beside others of its note. Nor of any where the facts of a day
    are asked for: when it was written is not known.
    """
    found = {}
    paths = [*chunks.values()]
    for one in generated_among(db, chunks):
        left: list[str] = []
        repeats: set[int] = set()
        of: set[str] = set()
        for part in one.parts:
            facts = _facts_of(db, one, part)
            kept, chunks_of_facts = held(part, facts, past, whole=not filters.hides_past)
            left.append(kept)
            repeats.update(chunks_of_facts)
            if one.is_listing:
                of.update(linked_paths(kept))
        text = "\n".join(left).strip()
        is_cut = text != one.text
        if filters.as_of:
            text = ""
        elif not is_cut:
            if _HEADING.fullmatch(text) and paths.count(chunks[one.id]) > 1:
                text = ""
        elif not _says(text, one.text, asked):
            text = ""
        found[one.id] = Generated(text, frozenset(repeats), is_cut, frozenset(of))
    return found


def _says(
    left: str,
    whole: str,
    asked: Sequence[str],
) -> bool:
    """Whether what is left of a generated text says something, and holds a word of the question if
    the whole does."""
    if not _LINKS.sub("", left).strip("-*#, \n\t"):
        return False
    return holds_a_word(left, asked) or not holds_a_word(whole, asked)


def stale(db: apsw.Connection, *, private: bool) -> Iterator[tuple[str, int, str]]:
    """Path and line of each summary, listing and Now that quotes a fact which was replaced, with
    that fact."""
    from indexer.catalog.supersession import replaced_chunks  # only doctor asks
    from indexer.catalog.visibility import visible_sql

    past = replaced_chunks(db, private=private)
    sql = (
        "SELECT chunk.id, path, first FROM chunk JOIN visible_note AS note ON note.id ="
        " chunk.note WHERE grain ="
        f" 'section' AND {visible_sql(private=private)} AND (path LIKE '%\\_index.md' ESCAPE '\\'"
        " OR heading LIKE '%summary' OR heading LIKE '%tl;dr' OR heading LIKE '%tldr' OR path ="
        " 'MEMORY.md')"
    )
    places = {number: (path, first) for number, path, first in db.execute(sql)}
    paths = {number: path for number, (path, _) in places.items()}
    for one in generated_among(db, paths):
        path, first = places[one.id]
        for by, part in enumerate(one.parts):
            facts = _facts_of(db, one, part)
            so_now = {text for chunk, text, gone in facts if not gone and chunk not in past}
            for text in sorted({text for _, text, _ in facts} - so_now):
                if repeated(part, text):
                    yield path, first + by, text


def holding(
    found: Mapping[int, Legs],
    rows: Mapping[int, ChunkRow],
    made: Mapping[int, Generated],
) -> dict[int, Legs]:
    """What the lists said of the candidates of which something is shown; a note with text that is
    hidden counts for nothing, as that text may be all that holds a word of the question."""
    hidden = {at for at, row in rows.items() if row.status == "superseded" and at not in found}
    hidden |= {at for at, one in made.items() if not one.text}
    notes = {rows[at].note for at in hidden}
    return {
        at: legs._replace(note=0.0) if rows[at].note in notes else legs
        for at, legs in found.items()
        if at not in hidden
    }


def newer_first(
    db: apsw.Connection,
    ranked: list[Ranked],
    rows: Mapping[int, ChunkRow],
    asked: Sequence[str],
    *,
    move: bool,
    day: bool = False,
) -> list[Ranked]:
    """The hits, each that is older than another line of its matter with that one, which stands
    before it if it may `move`, and then with its score.

    Where no `day` is asked for, the first line gives its place to a later one about the same note,
    too, that holds as much of what is asked and is near in score.
    """
    told = _dated(db, ranked, rows)
    if not told:
        return ranked
    from indexer.matter.timeline import outdated_lines

    places = outdated_lines([line for _, _, line in told])
    newer = {told[old][0]: told[new] for old, new in places.items()}
    kept = [
        one._replace(newer=newer[one.candidate.id][1]) if one.candidate.id in newer else one
        for one in ranked
    ]
    if move:
        for old, new in newer.items():
            _move_up(kept, old, new[0])
        if not day:
            for later in _also_answering(told, asked, newer, ranked)[:1]:
                _move_up(kept, told[0][0], later)
    return kept


def _dated(
    db: apsw.Connection,
    ranked: Sequence[Ranked],
    rows: Mapping[int, ChunkRow],
) -> list[Told]:
    """The dated facts among the first hits that hold, where the hits are of several days."""
    among = [rows[one.candidate.id] for one in ranked[:RERANK] if one.candidate.grain == "fact"]
    among = [row for row in among if row.date]
    if len({row.date for row in among}) < 2:
        return []
    from indexer.catalog.newer import stated

    return stated(db, [row.id for row in among if row.status == "active"])


def _also_answering(
    told: Sequence[Told], asked: Sequence[str], newer: Collection[int], ranked: Sequence[Ranked]
) -> list[int]:
    """The later lines that answer as well as the first, near in score and with none newer."""
    scores = {one.candidate.id: one.score for one in ranked}
    least = _NEAR_SHARE * scores[told[0][0]]
    places = _answering([line for _, _, line in told[:ALSO]], asked)
    found = [told[place][0] for place in places]
    if told[0][0] in newer:
        return []
    return [later for later in found if later not in newer and scores[later] >= least]


def _move_up(
    kept: list[Ranked],
    old: int,
    new: int,
) -> None:
    """Put one hit before another that is older, with its score, if it is behind it."""
    places = {one.candidate.id: at for at, one in enumerate(kept)}
    if places[new] > places[old]:
        score = kept[places[old]].score
        kept.insert(places[old], rescored(kept.pop(places[new]), score, "newer"))


def _answering(lines: Sequence[Stated], asked: Sequence[str]) -> list[int]:
    """The later lines that hold as much of what is asked as the first of these, which is about a
    note, by its words without the names of that note; the newest first. They are about the same
    note, or of a day and about no other."""
    from indexer.matter.timeline import NAME_MARK, compared_words, mark_names

    first = lines[0]
    wanted = _wanted(first, asked)
    others = {line.names for line in lines} - {first.names, frozenset()}
    found = []
    for place, line in enumerate(lines):
        told = compared_words(line.text)
        held = wanted & set(map(english_stem, told))
        if line.date <= first.date or len(held) < max(AS_WELL * len(wanted), 1):
            continue
        if line.names or NAME_MARK in mark_names(told, first.names):
            answers = line.names in {first.names, frozenset()}
        else:
            marked = chain.from_iterable(mark_names(told, names) for names in others)
            answers = held == wanted and NAME_MARK not in marked
        if answers:
            found.append(place)
    return sorted(found, key=lambda place: lines[place].date, reverse=True)


def _wanted(first: Stated, asked: Sequence[str]) -> set[str]:
    """The stems of what is asked that a line about a note holds, without the names of that note.

    None where the question holds all that the line says: then that is what is asked for.
    """
    from indexer.matter.timeline import compared_words, mark_names, tells

    question = compared_words(" ".join(asked))
    told = compared_words(first.text)
    said = {english_stem(word) for word in mark_names(told, first.names) if tells(word)}
    more = said - set(map(english_stem, question))
    if not first.names or all(len(word) < 2 for word in more):
        return set()
    return {*map(english_stem, told)}.intersection(
        map(english_stem, mark_names(question, first.names))
    )


def answerable(
    db: apsw.Connection,
    hits: Sequence[Hit],
    past: Collection[int],
    query: SearchQuery,
    share: float,
) -> list[Hit]:
    """The hits that may be answers: no generated text that repeats a fact, nor one of a note that
    has another answer; bare embeds and placeholders only where nothing else has this share of the
    best score or a word of the query."""
    own = _generated_in(db, hits, past, query.filters)
    kept = [(hit, one) for hit, one in own if not (one and (one.cut or one.repeats))]
    least = share * max((hit.score for hit, _ in kept), default=0.0)
    left = _without_answered(kept, least)
    saying = [hit for hit in left if says_something(hit.text)]
    asked = clean_query(query.text).words
    if any(hit.score >= least or holds_a_word(hit.text, asked) for hit in saying):
        return saying
    return left


def _without_answered(hits: Sequence[tuple[Hit, Generated | None]], least: float) -> list[Hit]:
    """The hits without generated texts of notes that have another answer with this score."""
    answered = {hit.path for hit, one in hits if one is None and hit.score >= least}
    return [hit for hit, one in hits if one is None or answered.isdisjoint((hit.path, *one.of))]


def _generated_in(
    db: apsw.Connection,
    hits: Sequence[Hit],
    past: Collection[int],
    filters: Filters,
) -> list[tuple[Hit, Generated | None]]:
    """Some hits, each with the generated text that it is."""
    notes = {hit.path for hit in hits if not hit.id}
    sql = (
        "SELECT chunk.id, path, first FROM chunk JOIN visible_note AS note ON note.id = chunk.note"
        f" WHERE grain = 'section' AND path IN ({','.join('?' * len(notes))})"
    )
    places = {number: (path, first) for number, path, first in db.execute(sql, tuple(notes))}
    paths = {number: path for number, (path, _) in places.items()}
    made = shown_generated(db, paths, past, filters)
    found = {places[number]: one for number, one in made.items()}
    return [(hit, None if hit.id else found.get((hit.path, hit.lines[0]))) for hit in hits]


def says_something(text: str) -> bool:
    """Whether a text has a word outside headings, embeds, queries and the placeholders of
    templates."""
    text = _PLACEHOLDER.sub("\0", text)
    return any(
        any(map(str.isalnum, line))
        and not ("\0" in line and _LABEL.match(line))
        and not _HEADING.fullmatch(line)
        for line in text.split("\n")
    )


def unlinked(text: str) -> str:
    """A text with the names of what it links to, without their folders."""
    return _LINK.sub(lambda found: found[2] or found[1].rpartition("/")[2], text)


def linked_paths(text: str) -> list[str]:
    """The paths that the links of a text may mean."""
    names: list[str] = []
    for match in _LINKS.finditer(text):
        path = match[1] or match[2]
        names += [path, path + ".md"]
    return names


def _indented(text: str) -> int:
    """The columns before the first word or mark of a text."""
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())


def holds_a_word(text: str, asked: Sequence[str]) -> bool:
    """Whether a text holds one of these words, whatever its ending."""
    plain = unaccented(text)
    there = unicode_words(plain)
    for word in map(unaccented, asked):
        if any(differ_in_ending(each, word) for each in there):
            return True
        if not word.isascii() and word in plain:
            return True
    return False


def _facts_of(
    db: apsw.Connection,
    one: GeneratedText,
    part: str,
) -> list[tuple[int, str, bool]]:
    """The chunk and text of each fact of the note of a generated text, and of all that a part of a
    listing links to; and whether it is superseded."""
    names = linked_paths(part) if one.is_listing else []
    rows: list[Any] = db.execute(
        f"SELECT chunk.id, json_extract(fact.detail, '$[{Fact._fields.index('text')}]'),"
        " chunk.status = 'superseded' FROM fact JOIN chunk ON chunk.note = fact.note AND"
        " chunk.fact = fact.key WHERE fact.note = ? OR fact.note IN (SELECT id FROM visible_note"
        " WHERE"
        f" path IN ({','.join('?' * len(names))}))",
        (one.note, *names),
    ).fetchall()
    return rows
