"""What an answer shows: of a fact those nested in it too, of a generated text what still holds;
which hits answer.

Generated texts are the summaries of notes, the listings of folders (`_index.md`) and `Now` of
MEMORY.md. They repeat facts, and are as old as their last writing.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING, Any

from indexer.note import Fact
from indexer.reading.path_meaning import unaccented
from indexer.spelling import ISO_DAY, PAGE_LINK
from indexer.tokens.english import any_of, matters
from indexer.tokens.terms import differ_in_ending, words

from .query import clean
from .rank import RERANK, Generated, held, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import date

    import apsw

    from indexer.catalog.filters import Filters
    from indexer.catalog.newer import Stated
    from indexer.tokens.embed import Encoder

    from .query import SearchQuery
    from .rank import Legs, Ranked
    from .recall import Coverage
    from .search import Hit, _Row

ALSO = 12
"""Among how many of the first lines a later one is looked for that answers as well as the first."""
NEAR = 0.6
AS_WELL = 0.8
"""The share of the first one's score that the later line needs, and of the words of the question
that it holds."""
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


_TIMES = (
    r"\d{4}-\d\d|\d\d?:\d\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february"
    r"|march|april|may|june"
    r"|july|august|september|october|november|december|days?|weeks?|months?|hours?|morning|evening"
    r"|night|before|after"
    r"|until|by the|daily|weekly)\b"
)
_SUMS = (
    r"[$€£]\s?\d|\d\s?(?:euros?|eur|usd|dollars?|pounds?|gbp|percent|%|k\b)|\bfree\b"
    r"|half the price|\bprice\b"
)
_WHEN = (
    "when whens what_day which_day what_time what_date how_long by_when until_when deadline due"
    " latest how_late how_early how_soon too_late"
)


_LIMITS = (
    "never no not only must cannot can't may until except unless without allergic away leave closed"
    " at_least at_most before instead always need needs want wants prefer prefers hate hates love"
    " loves"
)
TOKENS = 24
SOON = 35
"""Tokens of a text whose vectors are added up, and days from now on that are soon."""
KIN = 0.6
"""How much a line holds of a word where it only speaks of the same matter of everyday life."""
_RELATION = re.compile(r"\s*(?:[-*] )?\[\[[^\]]*\]\]\s*[-–—]")
_TOLD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@cache
def _wants() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """What a question may ask for, and what an answer holds then: a time, a sum, a phone number, a
    link, a number."""
    asked = (
        (_WHEN, _TIMES),
        (
            "how_much cost costs price pay paid charge budget fee earn earns salary comes_to rate",
            _SUMS,
        ),
        ("birthday bday born", r"birthday|born|\d{4}-\d\d"),
        ("password login code pin passcode", r"code|password|login|\bpin\b|key|\d{3,}"),
        ("who whom", r"(?-i:(?<=[a-z,;:] )[A-Z][a-z]+)|\[\["),
        ("mail_address email_address e-mail_address", "@"),
        ("postcode eircode zip_code", r"(?-i:\b[A-Z]{1,2}\d)|\b\d{4,5}\b"),
        ("phone number mobile call ring reach text", r"\+?\d[\d -]{6,}\d"),
        ("link url site website page where_was", r"https?://|www\."),
        (
            (
                "how_many how_big how_fast how_old how_tall how_hot size weight what_temperature"
                " hex number work_out"
            ),
            r"\d",
        ),
    )
    return tuple((any_of(words), re.compile(held, re.IGNORECASE)) for words, held in asked)


def children(
    db: apsw.Connection, shown: Sequence[tuple[int, int, int, str]], past: Collection[int]
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


def generated_among(
    db: apsw.Connection, chunks: Mapping[int, str]
) -> list[tuple[int, str, int, bool]]:
    """The number, text and note of each summary, listing and Now among these chunks, and whether it
    is a listing."""
    listings = ",".join(
        [str(number) for number, path in chunks.items() if path.endswith("_index.md")]
    )
    sql = (
        "SELECT id, text, heading, note FROM chunk WHERE id IN (SELECT value FROM json_each(?))"
        f" AND grain = 'section' AND (id IN ({listings}) OR heading LIKE '%summary' OR heading LIKE"
        " '%tl;dr' OR heading LIKE '%tldr' OR heading LIKE '%now')"
    )
    ids = ",".join(map(str, chunks))
    rows: list[Any] = db.execute(sql, (f"[{ids}]",)).fetchall() if ids else []
    found = []
    for number, text, heading, note in rows:
        path = chunks[number]
        own = heading.rpartition("\n")[2].strip().casefold()
        listing = path.rpartition("/")[2] == "_index.md" or (own == "now" and path == "MEMORY.md")
        if listing or own in _SUMMARIES:
            found.append((number, text, note, listing))
    return found


def generated(
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
    whole = not filters.hides_past
    for number, text, note, listing in generated_among(
        db, chunks
    ):  # a line of a listing is of what it links to
        parts = [
            held(part, _facts_of(db, part if listing else "", note), past, whole=whole)
            for part in (text.split("\n") if listing else [text])
        ]
        left = "\n".join([part for part, _ in parts]).strip()
        if left == text:
            nothing = (
                _HEADING.fullmatch(left)
                and sum(path == chunks[number] for path in chunks.values()) > 1
            )
        else:
            nothing = not _LINKS.sub("", left).strip("-*#, \n\t") or (
                holds_a_word(text, asked) and not holds_a_word(left, asked)
            )
        repeats = frozenset(each for _, each_ in parts for each in each_)
        if listing:
            of = frozenset(name for part in parts for name in linked(part[0]))
        else:
            of = frozenset()
        if filters.as_of or nothing:
            told = ""
        else:
            told = left
        found[number] = Generated(told, repeats, left != text, of)
    return found


def stale(db: apsw.Connection, *, private: bool) -> Iterator[tuple[str, int, str]]:
    """Path and line of each summary, listing and Now that quotes a fact which was replaced, with
    that fact."""
    from indexer.catalog.supersession import replaced_chunks  # only doctor asks
    from indexer.catalog.visibility import visible

    past = replaced_chunks(db, private=private)
    sql = (
        "SELECT chunk.id, path, first FROM chunk JOIN visible_note AS note ON note.id ="
        " chunk.note WHERE grain ="
        f" 'section' AND {visible(private=private)} AND (path LIKE '%\\_index.md' ESCAPE '\\' OR"
        " heading LIKE '%summary' OR heading LIKE '%tl;dr' OR heading LIKE '%tldr' OR path ="
        " 'MEMORY.md')"
    )
    places: dict[int, tuple[str, int]] = {at: (path, first) for at, path, first in db.execute(sql)}
    for number, text, note, listing in generated_among(
        db, {at: path for at, (path, _) in places.items()}
    ):
        path, first = places[number]
        for by, part in enumerate(text.split("\n") if listing else [text]):
            facts = _facts_of(db, part if listing else "", note)
            so_now = {fact for each, fact, gone in facts if not gone and each not in past}
            for fact in sorted({fact for _, fact, _ in facts} - so_now):
                if repeated(part, fact):
                    yield path, first + by, fact


def holding(
    found: Mapping[int, Legs], rows: Mapping[int, _Row], made: Mapping[int, Generated]
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
    rows: Mapping[int, _Row],
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
    among = [
        one.candidate.id
        for one in ranked[:RERANK]
        if one.candidate.grain == "fact" and rows[one[0].id].date
    ]
    if len({rows[at].date for at in among}) < 2:
        return ranked
    from indexer.catalog.newer import outdated, stated

    told = stated(db, [at for at in among if rows[at].status == "active"])
    lines = [line for _, _, line in told]
    found = {told[old][0]: told[new] for old, new in outdated(lines).items()}
    kept = [
        one._replace(newer=found[one[0].id][1]) if one[0].id in found else one for one in ranked
    ]
    if not move:
        return kept
    moves = [(old, new[0]) for old, new in found.items()]
    if not day and lines and (old := told[0][0]) not in found:
        scores = {one.candidate.id: one.score for one in ranked}
        later = [told[new][0] for new in _answering(lines[:ALSO], asked)]
        moves += [
            (old, new) for new in later if new not in found and scores[new] >= NEAR * scores[old]
        ][:1]
    for old, new in moves:
        places = {one.candidate.id: at for at, one in enumerate(kept)}
        if places[new] > places[old]:
            kept.insert(places[old], _raised(kept.pop(places[new]), kept[places[old]].score))
    return kept


def _answering(lines: Sequence[Stated], asked: Sequence[str]) -> list[int]:
    """The later lines that hold as much of what is asked as the first of these, which is about a
    note, by its words without the names of that note; the newest first. They are about the same
    note, or of a day and about no other.

    None where the question holds all that the first line says: then that is what is asked for.
    """
    from indexer.tokens import english

    first = lines[0]
    names = lines[0].names
    question = english.told(" ".join(asked))
    told = [english.told(line.text) for line in lines]
    held = [{*map(english.stem, words)} for words in told]
    wanted = held[0] & {*map(english.stem, english.named(question, names))}
    said = {english.stem(word) for word in english.named(told[0], names) if english.tells(word)}
    if (
        not names
        or not wanted
        or not any(len(word) > 1 for word in said - {*map(english.stem, question)})
    ):
        return []
    others = {line.names for line in lines if line.names} - {names}

    def may_answer(new: int) -> bool:
        line = lines[new]
        if line.date <= first.date or len(wanted & held[new]) < AS_WELL * len(wanted):
            return False
        if line.names or english.NAME in english.named(told[new], names):
            return line.names in {names, frozenset()}
        return wanted <= held[new] and not any(
            english.NAME in english.named(told[new], each) for each in others
        )

    return sorted(
        filter(may_answer, range(len(lines))), key=lambda new: lines[new].date, reverse=True
    )


def _raised(one: Ranked, score: float) -> Ranked:
    """A hit with this score, told by a factor of its own."""
    if one.score:
        return one._replace(score=score, priors={**one.priors, "newer": score / one.score})
    return one


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
    marks = ",".join("?" * len(notes := list({hit.path for hit in hits if not hit.id})))
    sql = (
        "SELECT chunk.id, path, first FROM chunk JOIN visible_note AS note ON note.id = chunk.note "
        f"WHERE grain = 'section' AND path IN ({marks})"
    )
    places: dict[int, tuple[str, int]] = {
        at: (path, first) for at, path, first in db.execute(sql, notes)
    }
    paths = {at: path for at, (path, _) in places.items()}
    made = {places[at]: one for at, one in generated(db, paths, past, query.filters).items()}
    own = [made.get((hit.path, hit.lines[0])) if not hit.id else None for hit in hits]
    kept = [
        (hit, one)
        for hit, one in zip(hits, own, strict=True)
        if one is None or not (one.cut or one.repeats)
    ]
    least = share * max((hit.score for hit, _ in kept), default=0.0)
    answered = {hit.path for hit, one in kept if one is None and hit.score >= least}
    left = [hit for hit, one in kept if one is None or not ({hit.path} | one.of) & answered]
    saying = [hit for hit in left if says_something(hit.text)]
    asked = clean(query.text).words
    if any(hit.score >= least or holds_a_word(hit.text, asked) for hit in saying):
        return saying
    return left


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


class Holds:
    """How much texts hold of a question's words: by themselves, by near ones, or by what they speak
    of."""

    def __init__(self, question: Coverage) -> None:
        self.question = question
        self.matters = [matters(word) for word in question.words]
        self.whole = sum(question.weights) or 1.0

    def share(self, text: str) -> float:
        """The share of the question that a text holds, by weight."""
        said = frozenset().union(*map(matters, set(_TOLD.findall(unaccented(text).lower()))))
        held = self.question.held(self.question.bag(text))
        rows = zip(held, self.matters, self.question.weights, strict=True)
        return (
            sum(max(value, KIN if own & said else 0.0) * weight for value, own, weight in rows)
            / self.whole
        )


def alike(
    encoder: Encoder | None,
    weigh: Callable[[Collection[int]], Mapping[int, float]],
    texts: Sequence[str],
) -> list[float]:
    """How near each text but the first comes to that in meaning: the cosine of their words, the
    rarer the more."""
    if encoder is None:
        return [0.0] * (len(texts) - 1)
    from indexer.tokens.embed import LENGTH

    every = [encoder.ids(text)[:TOKENS] for text in texts]
    told = weigh({*chain(*every)})
    first, *others = (
        memoryview(encoder.vector(ids, [told[each] for each in ids])).cast("b") for ids in every
    )
    return [sum(map(mul, first, other)) / LENGTH**2 for other in others]


def is_relation(text: str) -> bool:
    """Whether a line says who somebody is to another: `[[companies/acme]] - Employer`."""
    return _RELATION.match(text) is not None


def limits(text: str) -> float:
    """1 where a line sets limits to whoever does something for somebody, or with something, else
    0."""
    return float(any_of(_LIMITS).search(text) is not None)


def soon(text: str, today: date) -> float:
    """1 where a day or a span of days that a text names is not over and begins within `SOON` days,
    else 0."""
    days = re.findall(rf"\b{ISO_DAY}\b", text)
    ahead = (today + timedelta(SOON)).isoformat()
    return float(bool(days) and max(days) >= today.isoformat() and min(days) <= ahead)


def wanted(question: str) -> tuple[re.Pattern[str], ...]:
    """What an answer to a question has to hold, any of these: a time, a sum, a phone number, a
    link, a number."""
    return tuple(held for asked, held in _wants() if asked.search(question))


def answers(wants: Sequence[re.Pattern[str]], text: str) -> float:
    """1 where a text holds what is wanted, -1 where it does not, 0 where nothing such is wanted."""
    if wants:
        if any(held.search(text) for held in wants):
            return 1.0
        return -1.0
    return 0.0


def unlinked(text: str) -> str:
    """A text with the names of what it links to, without their folders."""
    return _LINK.sub(lambda found: found[2] or found[1].rpartition("/")[2], text)


def linked(text: str) -> list[str]:
    """The paths that the links of a text may mean."""
    return [
        name
        for match in _LINKS.finditer(text)
        for path in (match[1] or match[2],)
        for name in (path, path + ".md")
    ]


def _indented(text: str) -> int:
    """The columns before the first word or mark of a text."""
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())


def holds_a_word(text: str, asked: Sequence[str]) -> bool:
    """Whether a text holds one of these words, whatever its ending."""
    plain = unaccented(text)
    there = words(plain)
    return any(
        any(differ_in_ending(each, word) for each in there)
        or (not word.isascii() and word in plain)
        for word in map(unaccented, asked)
    )


def _facts_of(db: apsw.Connection, text: str, note: int = 0) -> list[tuple[int, str, bool]]:
    """The chunk and text of each fact of a note, or of all that a text links to, and whether it is
    superseded."""
    names = linked(text)
    rows: list[Any] = db.execute(
        f"SELECT chunk.id, json_extract(fact.detail, '$[{Fact._fields.index('text')}]'),"
        " chunk.status = 'superseded' FROM fact JOIN chunk ON chunk.note = fact.note AND"
        " chunk.fact = fact.key WHERE fact.note = ? OR fact.note IN (SELECT id FROM visible_note"
        " WHERE"
        f" path IN ({','.join('?' * len(names))}))",
        (note, *names),
    ).fetchall()
    return rows
