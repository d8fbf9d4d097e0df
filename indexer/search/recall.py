"""Hits of a question → a few answers that differ, each with the lines that its links bring:
`recall`.

1. The hits of a search are the candidates.  An answer has to score at least `_LEAST_SHARE_OF_FIRST`
   of what the best one does.
2. One answer for each note, two where a decision and its reason are asked for, none that says the
   same as another, and of two equally good ones the one that says something else (maximal marginal
   relevance, Carbonell & Goldstein 1998).
3. What a line says of other lines by their ids (because, updates, contradicts) comes with it.  Over
   every other edge only a line is followed that holds what the answer lacks of the question.
4. The index decides all of it: no model is asked, and the same index gives the same answer."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.catalog.edges import Edges
from indexer.catalog.filters import Filters, condition
from indexer.catalog.lists import fact_of
from indexer.catalog.supersession import HELD_CONDITION, among, held_on, replaced_chunks
from indexer.errors import Hint
from indexer.spelling import group_pairs
from indexer.usage.tally import is_note

from .coverage import Coverage
from .generated import generated_kind
from .leading import answerable, memories
from .recalled import LinkedLine, Pulled, Recall, Recalled
from .text_content import unlinked
from .weakness import unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.catalog.edges import Edge
    from indexer.rows.rows import Index
    from indexer.tokens.embed import Encoder

    from .coverage import Held
    from .hit import Hit, NewerOf, SearchResult
    from .recalled import Place

    Said = frozenset[Any]


CANDIDATES = 50
"""Hits that are looked at."""
MOST_RECALLED = 5
"""Answers at most."""
_LEAST_SHARE_OF_FIRST = 0.55
"""An answer has at least this share of the best one's score."""
RELEVANCE = 0.75
"""How much the score counts in the choice of the next answer; what it repeats of those chosen
counts the rest."""
GAIN = 0.12
"""The share of the question, by weight, that a line has to hold beyond what its answer holds."""
GAIN_BESIDE = 0.2
"""The same where the answer's note is linked, and not its line alone."""
FOLLOWED = 2
"""Lines that an answer gets over links, those that are named by their id apart."""
_MOST_NAMED = 4
"""Lines named by their id that an answer gets, and words that are named because no note holds
them."""
LACKING = 0.5
"""Where words that no note holds weigh more than this share of a question, what answers the rest is
weak."""
_ASKS_WHY = r"(?i)\b(?:why|how come|reasons?|because|decisions?|decided?|cho(?:se|ice))\b"
_TELLS_WHY = r"(?i)\b(?:because|since|so that|due to|reasons?|decided|chose|therefore)\b"
_OF_MATTER = 0.2
"""The share of such a question, by weight, that a line holds which tells its decision or reason."""
_OF_ITS_MATTER = 0.6
"""The share of what the best line of its note holds that a line holds which is all they have."""
_MOST_NOTES = 40
"""Notes that are looked into for an answer."""

BY_ID = frozenset({"because", "led to", "updates", "superseded by", "contradicts"})
"""The edges by which one line names another: what they lead to comes with an answer, whatever the
question."""
RELATED = "related"
"""The edge between facts that were used together: followed last."""


def recall(
    index: Index,
    found: SearchResult,
    encoder: Encoder | None,
    *,
    most: int = MOST_RECALLED,
) -> Recall:
    """The answers among the hits of a search, `most` at most, with what comes with each; reads
    only."""
    if not found.hits:
        return Recall(found, ())
    with index.db:
        question = Coverage(index, found.asked, encoder)
        links = Links(index, found.query.filters)
        told = memories(found.hits, question.words)
        hits = answerable(
            index.db,
            told,
            links.replaced,
            found.query,
            _LEAST_SHARE_OF_FIRST,
        )
        reasons = _reasons(hits, question, found.asked)
        newer = _newer_among(hits, reasons)
        hits = [hit for hit in hits if hit not in newer]
        said = [question.bag(text).tokens for text in links.statements(hits)]
        lead = memories(found.hits[: found.about], question.words)[:most]
        taken = curate(hits, said, most=most, lead=lead, reasons=reasons)
        if not found.asked and len(taken) < most:  # only a day is asked for: more of its notes
            others = [hit for hit in hits if hit not in taken]
            taken = sorted([*taken, *others][:most], key=lambda hit: -hit.score)
        answers = _once([_answer(hit, question, links, taken) for hit in taken])
        answers = _with_newer(answers, newer)
        lacks = unknown(index.db, question.lacking(answers), private=found.query.filters.private)
    if not answers:
        found = found._replace(
            hint=Hint(
                "only summaries and listings match: `aurelius search` shows them",
                "only summaries and listings match: `search` shows them",
            )
        )
    if question.share(lacks) > LACKING:
        found = _weakened(found, lacks)
    return Recall(found, answers, lacks)


def _weakened(
    found: SearchResult,
    lacks: Sequence[str],
) -> SearchResult:
    """A result that says it is weak because no note holds these words."""
    if found.weak:
        return found
    named = " or ".join(map(repr, lacks[:_MOST_NAMED]))
    hint = f"no note holds {named}; what is near the rest of the question:"
    return found._replace(weak=True, hint=hint)


def curate(
    hits: Sequence[Hit],
    said: Sequence[Said],
    *,
    most: int = MOST_RECALLED,
    lead: Sequence[Hit] = (),
    reasons: Mapping[str, Sequence[Hit]] | None = None,
) -> list[Hit]:
    """The hits that answer: near the best one, one for each note, none that such a note says too;
    `said`, in tokens.

    `lead` stand first whatever they say, and their notes have no other; a note among `reasons` is
    told by those of its hits.
    """
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    only: dict[str, Sequence[Hit]] = {**(reasons or {}), **{hit.path: () for hit in lead}}
    waiting = [
        pair
        for pair in zip(hits, said, strict=True)
        if pair[0].score >= _LEAST_SHARE_OF_FIRST * best
        and pair[0] in only.get(pair[0].path, (pair[0],))
    ]
    taken: list[tuple[Hit, Said]] = []
    while waiting and len(taken) + len(lead) < most:
        worth = [_worth(hit.score / best, tokens, taken) for hit, tokens in waiting]
        hit, tokens = waiting[worth.index(max(worth))]
        taken.append((hit, tokens))
        there = {more for other, more in waiting if other.path == hit.path}
        if hit.path in only:
            there = {tokens}
        waiting = [pair for pair in waiting if pair[1] not in there]
    return [*lead, *sorted((hit for hit, _ in taken), key=lambda hit: -round(hit.score, 9))]


def _reasons(
    hits: Sequence[Hit],
    question: Coverage,
    asked: str,
) -> dict[str, list[Hit]]:
    """The two hits of a note, by its path, that tell what was decided and why, where a question
    asks that: two that tell a decision or a reason of its matter, or one and what that is the
    reason of."""
    if not re.search(_ASKS_WHY, asked):
        return {}
    told = {}
    for path, own in group_pairs((hit.path, hit) for hit in hits).items():
        shares = [question.weighed(question.held(question.bag(unlinked(hit.text)))) for hit in own]
        telling = [
            hit
            for hit, share in zip(own, shares, strict=True)
            if share >= _OF_MATTER and (hit.type == "decision" or re.search(_TELLS_WHY, hit.text))
        ]
        least = _OF_ITS_MATTER * max(shares)
        near = [hit for hit, share in zip(own, shares, strict=True) if share >= least]
        if telling:
            told[path] = [*telling, *(hit for hit in near if hit not in telling)][:2]
    return told


def _worth(
    score: float,
    said: Said,
    taken: Sequence[tuple[Hit, Said]],
) -> float:
    """What a hit adds to those that are taken: its score, less the share of tokens that it has in
    common with one."""
    shared = (len(said & other) / max(1, len(said | other)) for _, other in taken)
    return RELEVANCE * score - (1 - RELEVANCE) * max(shared, default=0.0)


def _answer(
    hit: Hit,
    question: Coverage,
    links: Links,
    taken: Sequence[Hit],
) -> Recalled:
    held = question.held(question.bag(unlinked(hit.text), hit.title, *hit.heading))
    lacked = question.gain((1.0,) * len(held), held)
    ways = links.of(hit, beside=lacked >= GAIN_BESIDE)
    chain = list(_named(ways, links))
    if lacked >= GAIN:
        others = {(each.path, each.lines) for each in taken}
        others.update(pulled.line.place for pulled in chain)
        chain += _followed(
            ways,
            links,
            question,
            held,
            others,
        )
    return Recalled(hit, question.told(held), tuple(chain))


def _named(
    ways: Sequence[_EdgeWay],
    links: Links,
) -> Iterator[Pulled]:
    """What the line of an answer names by its id, and what names it, in the order of its edges."""
    for edge in [way.edge for way in ways if way.named][:_MOST_NAMED]:
        for line in links.lines(edge, past=edge.type == "updates"):
            yield Pulled(edge.type, line)


def _followed(
    ways: Sequence[_EdgeWay],
    links: Links,
    question: Coverage,
    held: Held,
    others: set[Place],
) -> Iterator[Pulled]:
    """The lines at the end of other edges that hold what an answer lacks of the question, the best
    first."""
    found: dict[Place, tuple[_EdgeWay, LinkedLine]] = {}
    for way in [way for way in ways if not way.named][:_MOST_NOTES]:
        for line in links.lines(way.edge):
            if line.place not in others:
                found.setdefault(line.place, (way, line))
    for _ in range(FOLLOWED):
        gains = []
        for way, line in found.values():
            gain = round(question.gain(question.held_by(line), held), 9)
            if gain >= (GAIN if way.own else GAIN_BESIDE):
                gains.append((way.edge.type != RELATED, gain, way, line))
        if not gains:
            return
        _, _, way, line = max(gains, key=lambda each: each[:2])
        del found[line.place]
        held = tuple(map(max, held, question.held_by(line)))
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


def _newer_among(
    hits: Sequence[Hit],
    reasons: Mapping[str, list[Hit]],
) -> list[Hit]:
    """The hits that are newer than another one of these, and no reason for it."""
    places = {(hit.path, hit.lines[0]) for hit in hits}
    newer = [hit for hit in hits if hit.newer_of and hit.newer_of.place in places]
    return [hit for hit in newer if hit not in reasons.get(hit.path, ())]


def _with_newer(
    answers: Sequence[Recalled],
    newer: Sequence[Hit],
) -> tuple[Recalled, ...]:
    """The answers, the one that a hit is newer than with that line behind it."""
    found = list(answers)
    for hit in newer:
        line = LinkedLine(
            id=hit.id,
            path=hit.path,
            lines=hit.lines,
            text=hit.text,
            says=hit.text,
            status=hit.status,
        )
        for at, answer in enumerate(answers):
            if hit.newer_of and (answer.hit.path, answer.hit.lines[0]) == hit.newer_of.place:
                pulled = Pulled(
                    reason=hit.newer_of.label,
                    line=line,
                    is_newer=True,
                )
                first = [pulled, *_also_newer(hit.newer_of)]
                places = {each.line.place for each in first}
                chain = [each for each in answer.chain if each.line.place not in places]
                found[at] = answer._replace(chain=(*first, *chain))
    return tuple(found)


def _also_newer(label: NewerOf) -> list[Pulled]:
    """The other later lines about the same thing as they come with an answer."""
    return [
        Pulled(
            "also newer",
            LinkedLine(
                id="",
                path=line.path,
                lines=(line.line, line.line),
                text=line.text,
                says=line.text,
                status="active",
            ),
        )
        for line in label.others
    ]


class _EdgeWay(NamedTuple):
    """An edge of an answer: `named` where one line names the other by its id, `own` where it is one
    of its line."""

    edge: Edge
    named: bool
    own: bool


class Links:
    """What answers are linked to, as far as a question with these filters may see it."""

    def __init__(
        self,
        index: Index,
        filters: Filters,
    ) -> None:
        self.db = index.db
        self.filters = filters
        self.edges = Edges(index.db, private=filters.private)
        self.replaced = replaced_chunks(index.db, private=filters.private)
        self._lines: dict[str, list[LinkedLine]] = {}

    def of(
        self,
        hit: Hit,
        *,
        beside: bool,
    ) -> list[_EdgeWay]:
        """What a hit is linked to: over its own line, then with `beside` over its note, each target
        once."""
        own = self.edges.of(hit.id, hit.path) if hit.id else ()
        ways = [
            _EdgeWay(edge, edge.type in BY_ID and not is_note(edge.target), own=True)
            for edge in own
        ]
        if beside:
            ways += [_EdgeWay(edge, named=False, own=False) for edge in self.edges.of(hit.path)]
        once: dict[tuple[str, int], _EdgeWay] = {}
        for way in ways:
            target = way.edge.target
            if self._leads_on(way.edge, hit.path):
                once.setdefault((target, 0 if is_note(target) else way.edge.line), way)
        return sorted(once.values(), key=lambda way: way.edge.type == RELATED)

    def _leads_on(
        self,
        edge: Edge,
        path: str,
    ) -> bool:
        """Whether an edge is one to follow: not to the note itself, nor to an older version, which
        `history` has."""
        older = edge.type == "updates" and not edge.forward
        return bool(edge.target) and edge.target != path and not older

    def statements(
        self,
        hits: Sequence[Hit],
    ) -> list[str]:
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

    def lines(
        self,
        edge: Edge,
        *,
        past: bool = False,
    ) -> list[LinkedLine]:
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

    def of_note(
        self,
        path: str,
    ) -> list[LinkedLine]:
        """The lines of a note that may be seen: its facts, and the sections that hold none and are
        not generated."""
        if path not in self._lines:
            every = self._rows(path)
            facts = sorted(row[1] for row in every if row[0])
            lines = self._lines[path] = []
            for key, first, last, text, status, detail, heading in every:
                holds_facts = bisect_left(facts, first) < bisect_right(facts, last)
                if key or not (holds_facts or generated_kind(path, heading)):
                    says = fact_of(detail).text if detail else text
                    lines.append(
                        LinkedLine(
                            id=key,
                            path=path,
                            lines=(first, last),
                            text=text,
                            says=says,
                            status=status,
                        )
                    )
        return self._lines[path]

    def _rows(
        self,
        path: str,
    ) -> list[Any]:
        day = self.filters.as_of
        seen = condition(self.db, Filters(private=self.filters.private))
        held = ""
        values: tuple[str, ...] = ()
        if day:
            held = f" AND {HELD_CONDITION}"
            values = held_on(self.db, day, private=self.filters.private)
            past = "'active'"
        else:
            past = f"CASE WHEN {among(self.replaced)} THEN 'superseded' ELSE chunk.status END"
        sql = (
            f"SELECT chunk.fact, chunk.first, chunk.last, chunk.text, {past}, fact.detail, heading"
            " FROM chunk JOIN visible_note AS note ON note.id = chunk.note LEFT JOIN fact ON"
            " fact.note ="
            f" chunk.note AND fact.key = chunk.fact WHERE note.path = ? AND {seen.sql}{held} ORDER"
            " BY chunk.ordinal"
        )
        return self.db.execute(sql, (path, *seen.values, *values)).fetchall()
