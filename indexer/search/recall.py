"""Hits of a question → a few answers that differ, each with the lines that its links bring:
`recall`.

1. The hits of a search are the candidates.  An answer has to score at least `SHARE` of what the
   best one does.
2. One answer for each note, none that says the same as another, and of two equally good ones the
   one that says something else (maximal marginal relevance, Carbonell & Goldstein 1998).
3. What a line says of other lines by their ids (because, updates, contradicts) comes with it.  Over
   every other edge only a line is followed that holds what the answer lacks of the question.
4. The index decides all of it: no model is asked, and the same index gives the same answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.catalog.edges import Edges
from indexer.catalog.filters import Filters, condition
from indexer.catalog.lists import fact_of
from indexer.catalog.supersession import HELD, among, held_on, replaced_chunks
from indexer.reading.path_meaning import unaccented
from indexer.spelling import grouped
from indexer.tokens.terms import differ_in_ending, words
from indexer.usage.tally import is_note

from .candidates import weights
from .leading import memories
from .query import clean
from .shown import answerable, generated_among, unlinked
from .weakness import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from indexer.catalog.edges import Edge
    from indexer.rows.rows import Index
    from indexer.tokens.embed import Encoder

    from .search import Hit, SearchResult

    Place = tuple[str, tuple[int, int]]

CANDIDATES = 50
"""Hits that are looked at."""
MOST = 5
"""Answers at most."""
SHARE = 0.55
"""An answer has at least this share of the best one's score."""
RELEVANCE = 0.75
"""How much the score counts in the choice of the next answer; what it repeats of those chosen
counts the rest."""
GAIN = 0.12
"""The share of the question, by weight, that a line has to hold beyond what its answer holds."""
GAIN_BESIDE = 0.2
"""The same where the answer's note is linked, and not its line alone."""
NEAR = 0.5
"""A word of the question is held where a text has a word with this cosine or a higher one."""
FOLLOWED = 2
"""Lines that an answer gets over links, those that are named by their id apart."""
NAMED = 4
"""Lines named by their id that an answer gets, and words that are named because no note holds
them."""
LACKING = 0.5
"""Where words that no note holds weigh more than this share of a question, what answers the rest is
weak."""
NOTES = 40
"""Notes that are looked into for an answer."""

BY_ID = frozenset({"because", "led to", "updates", "superseded by", "contradicts"})
"""The edges by which one line names another: what they lead to comes with an answer, whatever the
question."""
RELATED = "related"
"""The edge between facts that were used together: followed last."""


class LinkedLine(NamedTuple):
    """A chunk that a link leads to; `says` is a fact without its date, id and mark, other text is
    `text` itself."""

    id: str
    path: str
    lines: tuple[int, int]
    text: str
    says: str
    status: str

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.path, self.lines


class Pulled(NamedTuple):
    """A line that comes with an answer; `reason` is the type of the edge that leads to it."""

    reason: str
    line: LinkedLine


class Recalled(NamedTuple):
    """A hit that was chosen, the words of the question that it holds by itself or by near ones, and
    what comes with it."""

    hit: Hit
    holds: tuple[str, ...]
    chain: tuple[Pulled, ...]


class Recall(NamedTuple):
    """The answers to a question; `found` is what they were chosen from, `lacks` are words that no
    note holds, nor an answer a near one."""

    found: SearchResult
    answers: tuple[Recalled, ...]
    lacks: tuple[str, ...] = ()

    @property
    def paths(self) -> set[str]:
        """The notes that stand in it."""
        return {answer.hit.path for answer in self.answers} | {
            each.line.path for answer in self.answers for each in answer.chain
        }

    def first(self, count: int) -> Recall:
        """Only so many lines of it: answers and what comes with them, in their order."""
        kept: list[Recalled] = []
        for answer in self.answers:
            if count > 0:
                kept.append(answer._replace(chain=answer.chain[: count - 1]))
            count -= 1 + len(answer.chain)
        return self._replace(answers=tuple(kept))

    @property
    def size(self) -> int:
        """How many lines it has."""
        return sum(1 + len(answer.chain) for answer in self.answers)

    def without(self, paths: Collection[str]) -> Recall:
        """The same without what stands in these notes."""
        kept = (answer for answer in self.answers if answer.hit.path not in paths)
        return self._replace(
            answers=tuple(
                answer._replace(
                    chain=tuple(each for each in answer.chain if each.line.path not in paths)
                )
                for answer in kept
            )
        )


class Bag(NamedTuple):
    """What a text holds: its tokens, and its words by their first two letters."""

    tokens: frozenset[Any]
    words: Mapping[str, list[str]]


class Coverage:
    """What texts hold of a question: its words, what each weighs, and how near a text comes to
    each.

    A text holds a word where it has it, whatever its ending, or by an embedding model one that
    means the same.
    """

    def __init__(self, index: Index, text: str, encoder: Encoder | None) -> None:
        self.words = tuple(dict.fromkeys(map(unaccented, clean(text).words)))
        self._ids: Callable[[str], Sequence[Any]] = words if encoder is None else encoder.ids
        self._near: Callable[[Any], Mapping[Any, float]] = (
            _itself if encoder is None else encoder.near
        )
        self._tokens: list[tuple[Any, ...]] = [
            tuple(dict.fromkeys(self._ids(word))) for word in self.words
        ]
        worth: dict[Any, float] = {}
        if encoder is not None:
            worth = weights(index.db, sum(self._tokens, ()))
        self._lines: dict[Place, tuple[float, ...]] = {}
        self.weights = [
            sum(worth.get(token, 1.0) for token in each) or 1.0 for each in self._tokens
        ]

    def bag(self, *texts: str) -> Bag:
        """What a text holds."""
        text = unaccented("\n".join(texts))
        return Bag(
            frozenset(self._ids(text)), grouped((word[:2], word) for word in set(words(text)))
        )

    def held(self, bag: Bag) -> tuple[float, ...]:
        """For each word of the question how near the nearest of a text comes, from 0 to 1."""
        return tuple(map(partial(self._held, bag), self.words, self._tokens))

    def held_by(self, line: LinkedLine) -> tuple[float, ...]:
        """The same of a line, each of which is read once."""
        if line.place not in self._lines:
            self._lines[line.place] = self.held(self.bag(unlinked(line.says)))
        return self._lines[line.place]

    def gain(self, held: Sequence[float], before: Sequence[float]) -> float:
        """The share of the question that a text holds beyond another one, by weight."""
        more = (
            max(0.0, a - b) * weight
            for a, b, weight in zip(held, before, self.weights, strict=True)
        )
        if self.weights:
            return sum(more) / sum(self.weights)
        return 0.0

    def lacking(self, answers: Sequence[Recalled]) -> list[str]:
        """The words of the question that no answer holds, nor what comes with one, by itself or by
        a near word."""
        lines = [each.line.says for answer in answers for each in answer.chain]
        held = {word for answer in answers for word in answer.holds} | set(
            self.told(self.held(self.bag(*lines)))
        )
        return [word for word in self.words if word not in held]

    def told(self, held: Sequence[float]) -> tuple[str, ...]:
        """The words of the question that are held, by themselves or by a near one."""
        return tuple(word for word, value in zip(self.words, held, strict=True) if value >= NEAR)

    def share(self, words: Collection[str]) -> float:
        """How much of the question some of its words are, by weight."""
        some = sum(
            weight for word, weight in zip(self.words, self.weights, strict=True) if word in words
        )
        if self.weights:
            return some / sum(self.weights)
        return 0.0

    def _held(self, bag: Bag, word: str, tokens: Sequence[Any]) -> float:
        if any(differ_in_ending(each, word) for each in bag.words.get(word[:2], ())):
            return 1.0
        if tokens:
            return sum(self._nearest(token, bag.tokens) for token in tokens) / len(tokens)
        return 0.0

    def _nearest(self, token: Any, bag: frozenset[Any]) -> float:
        if token in bag:
            return 1.0
        kin = self._near(token)
        best = max((kin[each] for each in kin.keys() & bag), default=0.0)
        if best >= NEAR:
            return best
        return 0.0


def recall(
    index: Index, found: SearchResult, encoder: Encoder | None, *, most: int = MOST
) -> Recall:
    """The answers among the hits of a search, `most` at most, with what comes with each; reads
    only."""
    if not found.hits:
        return Recall(found, ())
    with index.db:
        question = Coverage(index, found.asked, encoder)
        links = Links(index, found.query.filters)
        told = memories(found.hits, question.words)
        hits = answerable(index.db, told, links.replaced, found.query, SHARE)
        taken = curate(
            hits, [question.bag(text).tokens for text in links.statements(hits)], most=most
        )
        if (
            not found.asked and len(taken) < most
        ):  # only a day is asked for: more of what its note says
            taken = sorted(
                [*taken, *(hit for hit in hits if hit not in taken)][:most],
                key=lambda hit: -hit.score,
            )
        answers = _once([_answer(hit, question, links, taken) for hit in taken])
        lacks = unknown(index, question.lacking(answers), private=found.query.filters.private)
    if not answers:
        found = found._replace(
            hint="only summaries and listings match: `aurelius search` shows them"
        )
    if question.share(lacks) > LACKING and not found.weak:
        named = " or ".join(map(repr, lacks[:NAMED]))
        found = found._replace(
            weak=True, hint=f"no note holds {named}; what is near the rest of the question:"
        )
    return Recall(found, answers, lacks)


def curate(hits: Sequence[Hit], said: Sequence[frozenset[Any]], *, most: int = MOST) -> list[Hit]:
    """The hits that answer: near the best one, one for each note, none that such a note says too;
    `said`, in tokens."""
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    waiting = [pair for pair in zip(hits, said, strict=True) if pair[0].score >= SHARE * best]
    taken: list[tuple[Hit, frozenset[Any]]] = []
    while waiting and len(taken) < most:
        worth = [_worth(hit.score / best, tokens, taken) for hit, tokens in waiting]
        hit, tokens = waiting.pop(worth.index(max(worth)))
        there = {tokens, *(more for other, more in waiting if other.path == hit.path)}
        waiting = [each for each in waiting if each[0].path != hit.path and each[1] not in there]
        taken.append((hit, tokens))
    return sorted((hit for hit, _ in taken), key=lambda hit: -round(hit.score, 9))


def _worth(
    score: float, said: frozenset[Any], taken: Sequence[tuple[Hit, frozenset[Any]]]
) -> float:
    """What a hit adds to those that are taken: its score, less the share of tokens that it has in
    common with one."""
    repeats = max(
        (len(said & other) / max(1, len(said | other)) for _, other in taken), default=0.0
    )
    return RELEVANCE * score - (1 - RELEVANCE) * repeats


def _answer(hit: Hit, question: Coverage, links: Links, taken: Sequence[Hit]) -> Recalled:
    held = question.held(question.bag(unlinked(hit.text), hit.title, *hit.heading))
    lacked = question.gain([1.0] * len(held), held)
    ways = links.of(hit, beside=lacked >= GAIN_BESIDE)
    chain = list(_named(ways, links))
    others = {(each.path, each.lines) for each in taken} | {each.line.place for each in chain}
    if lacked >= GAIN:
        chain += _followed(ways, links, question, held, others)
    else:
        chain += ()
    return Recalled(hit, question.told(held), tuple(chain))


def _named(ways: Sequence[Way], links: Links) -> Iterator[Pulled]:
    """What the line of an answer names by its id, and what names it, in the order of its edges."""
    named = [way.edge for way in ways if way.named][:NAMED]
    for edge in named:
        yield from (
            Pulled(edge.type, line) for line in links.lines(edge, past=edge.type == "updates")
        )


def _followed(
    ways: Sequence[Way],
    links: Links,
    question: Coverage,
    held: tuple[float, ...],
    others: set[Place],
) -> Iterator[Pulled]:
    """The lines at the end of other edges that hold what an answer lacks of the question, the best
    first."""
    found: dict[Place, tuple[Way, LinkedLine, tuple[float, ...]]] = {}
    for way in [way for way in ways if not way.named][:NOTES]:
        for line in links.lines(way.edge):
            if line.place not in others:
                found.setdefault(line.place, (way, line, question.held_by(line)))
    for _ in range(FOLLOWED):
        gains = {place: round(question.gain(each[2], held), 9) for place, each in found.items()}
        near = [
            place
            for place, gain in gains.items()
            if gain >= (GAIN if found[place][0].own else GAIN_BESIDE)
        ]
        if not near:
            return
        way, line, more = found.pop(
            max(near, key=lambda place: (found[place][0].edge.type != RELATED, gains[place]))
        )
        held = tuple(map(max, held, more))
        yield Pulled(way.edge.type, line)


def _once(answers: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """The answers without those that an earlier one brings by their id, and each line that comes
    along once."""
    seen: set[Place] = set()
    kept: list[Recalled] = []
    for answer in answers:
        place = answer.hit.path, answer.hit.lines
        if place not in seen:
            seen.add(place)
            chain = tuple(each for each in answer.chain if each.line.place not in seen)
            seen.update(each.line.place for each in chain)
            kept.append(answer._replace(chain=chain))
    return tuple(kept)


class Way(NamedTuple):
    """An edge of an answer: `named` where one line names the other by its id, `own` where it is one
    of its line."""

    edge: Edge
    named: bool
    own: bool


class Links:
    """What answers are linked to, as far as a question with these filters may see it."""

    def __init__(self, index: Index, filters: Filters) -> None:
        self.db = index.db
        self.filters = filters
        self.edges = Edges(index.db, private=filters.private)
        self.replaced = replaced_chunks(index.db, private=filters.private)
        self._lines: dict[str, list[LinkedLine]] = {}

    def of(self, hit: Hit, *, beside: bool) -> list[Way]:
        """What a hit is linked to: over its own line, then with `beside` over its note, each target
        once."""
        if hit.id:
            own = self.edges.of(hit.id, hit.path)
        else:
            own = ()
        ways = [
            Way(edge, edge.type in BY_ID and not is_note(edge.target), own=True) for edge in own
        ]
        if beside:
            ways += [Way(edge, named=False, own=False) for edge in self.edges.of(hit.path)]
        else:
            ways += []
        once: dict[tuple[str, int], Way] = {}
        for way in ways:
            if self._leads_on(way.edge, hit.path):
                once.setdefault(
                    (way.edge.target, 0 if is_note(way.edge.target) else way.edge.line), way
                )
        return sorted(once.values(), key=lambda way: way.edge.type == RELATED)

    def _leads_on(self, edge: Edge, path: str) -> bool:
        """Whether an edge is one to follow: not to the note itself, nor to an older version, which
        `history` has."""
        older = edge.type == "updates" and not edge.forward
        return bool(edge.target) and edge.target != path and not older

    def statements(self, hits: Sequence[Hit]) -> list[str]:
        """What each hit says: a fact without date, id and mark, other text as it stands."""
        keys = [hit.id for hit in hits if hit.id]
        rows = self.db.execute(
            "SELECT note.path, fact.key, fact.detail FROM fact JOIN visible_note AS note ON"
            " note.id = fact.note "
            f"WHERE fact.key IN ({','.join('?' * len(keys))})",
            keys,
        )
        said = {(path, key): fact_of(detail).text for path, key, detail in rows}
        return [said.get((hit.path, hit.id), hit.text) for hit in hits]

    def lines(self, edge: Edge, *, past: bool = False) -> list[LinkedLine]:
        """The lines that an edge leads to: the fact, the line of the link, or every line of the
        note.

        What was replaced is none, but where `past` lines are asked for.
        """
        every = self.of_note(edge.path or edge.target)
        if not is_note(edge.target):
            found = [line for line in every if line.id == edge.target]
        elif edge.line:
            found = [line for line in every if line.lines[0] <= edge.line <= line.lines[1]][:1]
        else:
            found = every
        return [
            line
            for line in found
            if line.status == "active" or (past and line.status == "superseded")
        ]

    def of_note(self, path: str) -> list[LinkedLine]:
        """The lines of a note that may be seen: its facts, and the sections that hold none and are
        not generated."""
        if path not in self._lines:
            every = self._rows(path)
            made = {
                at
                for at, *_ in generated_among(
                    self.db, {row[-1]: path for row in every if not row[0]}
                )
            }
            rows = [row[:-1] for row in every if row[-1] not in made]
            facts = sorted(row[1] for row in rows if row[0])
            self._lines[path] = [
                LinkedLine(
                    key, path, (first, last), text, fact_of(detail).text if detail else text, status
                )
                for key, first, last, text, status, detail in rows
                if key or bisect_left(facts, first) == bisect_right(facts, last)
            ]
        return self._lines[path]

    def _rows(self, path: str) -> list[Any]:
        day = self.filters.as_of
        seen = condition(self.db, Filters(private=self.filters.private))
        held = ""
        values: tuple[str, ...] = ()
        if day:
            held = f" AND {HELD}"
            values = held_on(self.db, day, private=self.filters.private)
            past = "'active'"
        else:
            past = f"CASE WHEN {among(self.replaced)} THEN 'superseded' ELSE chunk.status END"
        sql = (
            f"SELECT chunk.fact, chunk.first, chunk.last, chunk.text, {past}, fact.detail, chunk.id"
            " FROM chunk JOIN visible_note AS note ON note.id = chunk.note LEFT JOIN fact ON"
            " fact.note ="
            f" chunk.note AND fact.key = chunk.fact WHERE note.path = ? AND {seen.sql}{held} ORDER"
            " BY chunk.ordinal"
        )
        return self.db.execute(sql, (path, *seen.values, *values)).fetchall()


def _itself(word: str) -> dict[str, float]:
    return {word: 1.0}
