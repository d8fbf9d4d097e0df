"""SearchQuery → two candidate lists → SearchResult.

BM25 over the chunks and cosine over their vectors each name `POOL` candidates, and a fact's id
names its fact; every candidate gets its cosine, and its BM25 if it is among the `candidates.DEPTH`
best. Equals share a place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.catalog.filters import Filters, of_chunks
from indexer.catalog.supersession import replaced_chunks
from indexer.reading.path_meaning import CONVERSATIONS, is_archived, is_conversation
from indexer.rows.rows import Index
from indexer.tokens.maxsim import maxsim, maxsim_of_bags, unpack_bag
from indexer.usage.tier import Age, Clock, age_of, uses_of

from . import candidates, rank
from .candidates import HEADED, PLAIN, Lists, Memory, Scope, all_seen
from .leading import answer_first
from .named import (
    Named,
    bare_rows,
    linked,
    living,
    named_facts,
    named_notes,
    openings,
    standing_for,
)
from .query import (
    AskedDays,
    SearchQuery,
    Terms,
    clean,
    may_be_said,
    may_name_a_day,
    may_name_a_person,
)
from .rank import (
    COSINE_FLOOR,
    PIECE,
    WEAK_MOST,
    Candidate,
    FactScore,
    Generated,
    Legs,
    Ranked,
    holds_word,
    near_enough,
)
from .shown import children, generated, holding, newer_first

if TYPE_CHECKING:
    from indexer.catalog.newer import Newer
    from indexer.tokens.embed import Encoder

    from .leading import IsExample

AGE = (
    "(SELECT subtype FROM fact WHERE fact.note = chunk.note AND fact.key = chunk.fact), "
    "(SELECT lasts FROM fact WHERE fact.note = chunk.note AND fact.key = chunk.fact), "
    "usage.count, usage.last, usage.days"
)
"""Of the fact that a hit is: what is narrower than its type, whether it lasts, how often it was
used, and when last."""
POOL = 100
VERB_POOL = 1000
TOKENS = 64
"""Candidates of each list, lines of the days of a question that says a verb alone, tokens of a
query embedded."""


class Hit(NamedTuple):
    """One search answer: a chunk with its true line span.

    `id` is the fact's key ("" for a section), `lines` first and last, `score` comparable across
    queries in the default fusion, `text` the lines as they stand in the file, `age` that of the
    fact, `subtype` what is narrower than its type, `milestone` too; `explain`, where asked for, the
    raw values, the weighted legs and the priors; `newer` a later line of its matter.
    """

    id: str
    path: str
    lines: tuple[int, int]
    heading: tuple[str, ...]
    title: str
    kind: str
    type: str
    date: str | None
    status: str
    score: float
    text: str
    explain: Mapping[str, Mapping[str, float]] | None = None
    age: Age = Age()
    subtype: str = ""
    newer: Newer | None = None
    grain: str = ""


class SearchResult(NamedTuple):
    """The answer to a query: `mode` is the one really used, `filtered` counts what was left out by
    status among the candidates, `truncated` the candidates beyond the limit, `hint` says what to
    try. `weak`: none of them holds a word of the question, so the nearest in meaning are hits, or
    no line carries the days that alone are asked for, and `hint` says that. `asked` is what was
    searched for: the question without its days.

    Of private notes nothing is told, not even that one matches.
    """

    query: SearchQuery
    mode: str
    fusion: str
    hits: tuple[Hit, ...]
    filtered: Mapping[str, int]
    truncated: int
    hint: str | None
    notices: tuple[str, ...]
    weak: bool = False
    asked: str = ""


class _Row(NamedTuple):
    """A chunk with what ranking needs of it and its note."""

    id: int
    ordinal: int
    grain: str
    first: int
    last: int
    status: str
    type: str
    date: str | None
    fact: str
    importance: float | None
    path: str
    kind: str
    private: int
    note: int


def search(
    index: Index,
    query: SearchQuery,
    encoder: Encoder | None,
    now: datetime,
    clock: Clock | None = None,
    memory: Memory | None = None,
    is_example: IsExample | None = None,
) -> SearchResult:
    """Answer a query from the rows of the index as they are at one moment; reads only.

    Without `encoder` the mode is keyword, and whoever could not load one says why; with an index
    that has no vectors it is keyword too, and a notice says so. `memory` is what a long-running
    process keeps of this index; `is_example` says of a path and a text whether it came with the
    vault and is as it came, so that it leads no answer.
    """
    with index.db:
        result = _search(index, query, encoder, clock or Clock(now.date()), memory, is_example)
    # by its types a connection may swallow an error, and then nothing would come back
    return result  # noqa: RET504


def _search(
    index: Index,
    query: SearchQuery,
    encoder: Encoder | None,
    clock: Clock,
    memory: Memory | None,
    is_example: IsExample | None,
) -> SearchResult:
    notices: list[str] = []
    mode = query.mode
    if mode != "keyword" and (encoder is None or not index.get_meta("model")):
        mode = "keyword"
        if encoder is not None:
            notices += ["the index has no vectors: searching by words only"]
        else:
            notices += []
    terms = clean(query.text, stop=mode != "keyword")
    notices += terms.notes
    state = _Search(
        index, query, mode, terms, encoder if mode != "keyword" else None, clock, notices, memory
    )
    rows, found, filtered = state.candidates()
    if count := filtered.get(CONVERSATIONS):
        notices.append(
            f"left out: {count} in {CONVERSATIONS}/; `--in {CONVERSATIONS}` searches there"
        )
    kept = state.opened(rank.fold(state.rank(rows, found)), rows)
    paths = {one.candidate.id: one.candidate.path for one in kept}
    made = generated(index.db, paths, state.replaced, query.filters, terms.words)
    kept = living(index.db, rank.fold_generated(kept, made, filtered))
    weak = state.is_weak(holding(found, rows, made))
    if weak:
        kept = kept[:WEAK_MOST]
    move = state.default and not state.listed
    kept = newer_first(index.db, kept, rows, state.words, move=move, day=bool(state.days))
    if move:
        kept = answer_first(index.db, kept, state.words, is_example)
    shown = rank.group(kept, query.limit)
    hits = _hits(index, rows, shown, clock, made, state.replaced, explain=query.explain)
    hint = None
    if weak or not hits:
        from .weakness import why

        hint = why(index, query, state.terms, filtered, state.missed, hits=bool(hits))
    if (left := len(kept) - len(shown)) and state.tells_days and state.days:
        notices.append(f"more, day by day: `aurelius days {'..'.join(dict.fromkeys(state.days))}`")
    return SearchResult(
        query, mode, query.fusion, hits, filtered, left, hint, tuple(notices), weak, state.asked
    )


class _Search:
    """State of one search."""

    def __init__(
        self,
        index: Index,
        query: SearchQuery,
        mode: str,
        terms: Terms,
        encoder: Encoder | None,
        clock: Clock,
        notices: list[str],
        memory: Memory | None,
    ) -> None:
        self.db = index.db
        self.query = query
        self.mode = mode
        if mode == "keyword":
            columns = PLAIN
        else:
            columns = HEADED
        self.encoder = encoder
        self.tokens: list[int] = []
        self.weights: list[float] = []
        self.vector = b""
        self.trust = 1.0
        self.readable = self.plain = True
        self.clock = clock
        self.today = date.fromisoformat(query.filters.as_of or clock.today.isoformat())
        past = self.db.execute(
            "SELECT 1 FROM fact INDEXED BY fact_updates WHERE updates IS NOT NULL LIMIT 1"
        ).get
        if past:
            self.replaced = replaced_chunks(self.db, private=query.filters.private)
        else:
            self.replaced = frozenset()
        self.default = mode == "hybrid" and query.fusion == "default"
        if memory is not None and self.default:
            self.read = memory.known(index)
        else:
            self.read = None
        if self.default:
            asked = _asked(query, clock)
        else:
            asked = AskedDays(None, query.text)
        self.days = asked.days
        self.listed: dict[int, float] = {}
        if (asked.all_of_it or asked.verb) and asked.days:
            within = of_chunks(self.db, query.filters, clock, self.replaced, strict=True)
            if asked.verb:
                most = VERB_POOL
            else:
                most = POOL
            shown = query.limit
            by = asked.rest == query.text
            self.listed = candidates.of_days(
                self.db, asked.days, within, by_change=by, most=most, shown=shown
            )
        if asked.all_of_it and not self.listed:
            self.missed = asked.days
        else:
            self.missed = None
        if self.listed:
            self.asked = ""
        elif self.missed:
            self.asked = query.text
        else:
            self.asked = asked.rest
        if self.listed:
            text = asked.verb
        else:
            text = self.asked
        self.tells_days = bool(self.listed or asked.one)
        if text != query.text:
            terms = clean(text)
        self.terms = terms
        self.words = terms.words
        if terms.words:
            told = terms._replace(phrases=(*terms.phrases, *asked.written))
        else:
            told = terms
        self.lists = Lists(index, text, told, POOL, columns, notices, memory)
        if encoder is not None:
            self._embed(encoder, terms)

    def candidates(self) -> tuple[dict[int, _Row], dict[int, Legs], dict[str, int]]:
        """Every chunk either list names, with its exact legs; what status and privacy forbid is
        left out.

        Only filters that ask for more are put to SQL, unless the forbidden took most of the lists
        or any is private.
        """
        filters = self.query.filters
        self.plain = filters._replace(private=False) in {Filters(), Filters(status="all")}
        rows, found = self._look(all_seen(self.db) if self.plain else self._scope(strict=False))
        if not filters.private and any(row.private for row in rows.values()):
            rows, found = self._look(self._scope(strict=False))
        barred = {number: why for number in found if (why := self._barred(rows[number]))}
        counts: dict[str, int] = {}
        for number, why in barred.items():
            legs = found.pop(number)
            if legs.bm25 > 0 or legs.cosine >= rank.COSINE_TOLD:
                counts[why] = counts.get(why, 0) + 1
        if len(barred) > POOL // 2:
            rows, found = self._look(self._scope(strict=True))
        return rows, found, counts

    def rank(self, rows: Mapping[int, _Row], found: Mapping[int, Legs]) -> list[Ranked]:
        """Fuse, rerank and weigh the candidates, best first."""
        best = max((legs.bm25 for legs in found.values()), default=0.0)

        def scored(one: Candidate, near: float = 0.0) -> Ranked:
            legs = rank.fuse(
                one.legs,
                mode=self.mode,
                fusion=self.query.fusion,
                best_bm25=best,
                maxsim=near,
                trust=self.trust,
            )
            return rank.score(
                one, legs, {} if self.listed else rank.priors(one, mode=self.mode, score=one.score)
            )

        alone = (
            self.default
            and len(self.words) == len(self.query.text.split()) == 1
            and not self.is_weak(found)
        )
        all_of = (
            _candidate(rows[at], legs, self.today, self.judged.get(at), alone=alone)
            for at, legs in found.items()
        )
        if not self.default or self.encoder is None or self.listed:
            return rank.order(map(scored, all_of), properties_last=not self.default)
        top = rank.foremost(all_of, max(rank.RERANK, self.query.limit), trust=self.trust)
        bags, texts = candidates.bags(self.db, [one.id for one in top])
        notes = {one.id: rows[one.id].note for one in top}
        private = self.query.filters.private
        top = linked(self.db, self._heard(top, texts), notes, private=private, known=self.read)
        if self.lists.memory is not None:
            values = maxsim_of_bags(self.tokens, self.weights, self.encoder.near, bags)
        else:
            values = maxsim(
                self.tokens, self.weights, self.encoder.near, list(map(unpack_bag, bags))
            )
        return rank.order(map(scored, top, values))

    def opened(self, kept: list[Ranked], rows: dict[int, _Row]) -> list[Ranked]:
        """The hits, in the default order with what says something instead of bare ones."""
        own = [one.candidate.id for one in kept[: rank.RERANK] if one.candidate.grain != "fact"]
        if own and self.default and (bare := bare_rows(self.db, own, self.words)):
            if self.plain:
                scope = Scope("")
            else:
                scope = self._scope(strict=True)
            rows |= (
                first := self._rows(
                    openings(self.db, {rows[number].note for number in bare}, scope)
                )
            )
            held = [row for row in first.values() if not self._barred(row)]
            texts = {
                row.path: _candidate(row, Legs(), self.today, None, alone=False) for row in held
            }
            return rank.fold_bare(kept, bare, texts)
        return kept

    def is_weak(self, found: Mapping[int, Legs]) -> bool:
        """Whether no candidate holds a word of the query or is of its day; by vectors alone,
        whether none is near."""
        if self.mode == "vector":
            return all(legs.cosine < COSINE_FLOOR for legs in found.values())
        return bool(
            self.missed
            or (self.words and not self.noted and not any(map(holds_word, found.values())))
        )

    def _look(self, scope: Scope) -> tuple[dict[int, _Row], dict[int, Legs]]:
        if self.mode != "vector":
            bm25, words = self.lists.by_words(scope)
        else:
            bm25 = {}
            words = []
        if self.vector:
            near = self.lists.by_vectors(self.vector, scope)
        else:
            near = []
        if self.default:
            named = named_facts(self.db, self.words, scope)
        else:
            named = set()
        self.noted = [*self.listed] or self.lists.of_day(self.days, scope)
        ids: Sequence[int] = list(
            dict.fromkeys(self.noted if self.listed else [*named, *words, *near, *self.noted])
        )
        rows = self._rows(ids)
        if self.default and not (self.listed and self.words):
            meant = self._meant()
        else:
            meant = Named({}, {})
        if more := (wanted := meant.notes) - {
            row.note for row in rows.values() if row.note in wanted and not self._barred(row)
        }:
            rows |= self._rows(standing_for(self.db, more, scope))
            ids = list(rows)
        if self.vector and ids:
            cosine = self.lists.cosines(self.vector, ids)
        else:
            cosine = {}
        ranked = self.query.fusion == "rrf"
        if ranked:
            word_rank = rank.places(words, bm25)
            vector_rank = rank.places(near, cosine)
        else:
            word_rank = {}
            vector_rank = {}
        if self.default:
            notes = self.lists.by_notes()
        else:
            notes = {}
        self.judged = {
            at: FactScore(how, self.clock.day_of(when))
            for at, how, when in candidates.judged(self.db, ids)
        }
        days = self.listed or self.lists.carried(self.days, ids)
        found = {}
        for number, row in rows.items():
            found[number] = Legs(
                bm25.get(number, 0.0),
                cosine.get(number, 0.0),
                notes.get(row.note, 0.0),
                word_rank.get(number, 0),
                vector_rank.get(number, 0),
                float(number in named),
                0.0,
                meant.near.get(row.note, 0.0),
                days.get(number, 0.0),
            )
        for note, share in meant.whole.items() if not named else ():
            if theirs := [
                at for at in found if rows[at].note == note and not self._barred(rows[at])
            ]:
                at = max(
                    theirs,
                    key=lambda at: (rank.without_maxsim(found[at], self.trust), -rows[at].ordinal),
                )
                found[at] = found[at]._replace(exact=share)
        of_day = {number: found[number] for number in self.noted}
        return rows, near_enough(found, readable=self.readable, cut=self.default) | of_day

    def _heard(self, top: list[Candidate], texts: Sequence[str]) -> list[Candidate]:
        """The candidates, each with its speaker leg where the question names who says its lines."""
        asks = may_name_a_person(self.query.text)
        if asks:
            labelled = {at for at, text in enumerate(texts) if may_be_said(text, self.words)}
        else:
            labelled = set()
        if not labelled:
            return top
        from .asked import said_by

        return [
            (
                one._replace(legs=one.legs._replace(speaker=said_by(texts[at], self.query.text)))
                if at in labelled
                else one
            )
            for at, one in enumerate(top)
        ]

    def _meant(self) -> Named:
        """The notes that the query names; a word is worth what its rarest token is."""
        known = dict(zip(self.tokens, self.weights, strict=True))

        def worth(word: str) -> float:
            if self.encoder:
                tokens = self.encoder.ids(word)
            else:
                tokens = []
            return max((known.get(token, 0.0) for token in tokens), default=0.0)

        private = self.query.filters.private
        return named_notes(
            self.db, self.query.text, self.lists.phrases, worth, private=private, known=self.read
        )

    def _embed(self, encoder: Encoder, terms: Terms) -> None:
        text = " ".join((*terms.words, *terms.phrases))
        tokens = encoder.ids(text)
        self.trust = encoder.reads(text)
        self.readable = not text.isascii() or sum(map(str.isalnum, text)) >= PIECE * len(tokens)
        self.tokens = list(dict.fromkeys(tokens))[:TOKENS]
        told = candidates.weights(self.db, self.tokens, self.lists.vectors())
        self.weights = [told[token] for token in self.tokens]
        vector = encoder.vector(self.tokens, self.weights)
        unread = self.trust == 0 and self.default
        if any(vector) and not unread:
            self.vector = vector
        else:
            self.vector = b""

    def _scope(self, *, strict: bool) -> Scope:
        """The chunks that the filters allow; with `strict` by status too, which `_barred` counts
        else."""
        return Scope(
            *of_chunks(self.db, self.query.filters, self.clock, self.replaced, strict=strict)
        )

    def _barred(self, row: _Row) -> str:
        """Why a candidate that is not private may not be shown: "conversations", "superseded", or
        ""."""
        if is_conversation(row.path) and not self.query.filters.with_conversations:
            return CONVERSATIONS
        if row.status == "superseded" and self.query.filters.hides_past:
            return "superseded"
        return ""

    def _rows(self, ids: Sequence[int]) -> dict[int, _Row]:
        sql = (
            "SELECT chunk.id, ordinal, grain, first, last, status, type, chunk.date, fact,"
            " importance, path, kind, private, note FROM chunk JOIN visible_note AS note ON"
            " note.id = chunk.note"
            " WHERE chunk.id IN (SELECT value FROM json_each(?))"
        )
        rows = {row.id: row for row in map(_Row._make, self.db.execute(sql, (str([*ids]),)))}
        for at in self.replaced and self.replaced & rows.keys():
            rows[at] = rows[at]._replace(status="superseded")
        return rows


def _asked(query: SearchQuery, clock: Clock) -> AskedDays:
    """What a question asks of days: its own, or those of the filters where it names none."""
    if not query.days and not may_name_a_day(query.text):
        return AskedDays(None, query.text)
    from .asked import asked

    return asked(query.text, clock.today.isoformat(), query.days)


def _candidate(
    row: _Row, legs: Legs, today: date, judged: FactScore | None, *, alone: bool
) -> Candidate:
    number, ordinal, grain, first, last, _, _, text, _, importance, path, _, _, _ = row
    day = (
        judged.day
        if judged is not None and judged.day is not None
        else text and date.fromisoformat(text)
    )
    if day:
        days = (today - day).days
    else:
        days = None
    score = judged.score if judged is not None else 0.0
    archived = is_archived(path)
    wordless = alone and not holds_word(legs)
    return Candidate(
        number, path, ordinal, grain, first, last, days, archived, importance, legs, score, wordless
    )


def _hits(
    index: Index,
    rows: Mapping[int, _Row],
    shown: Sequence[Ranked],
    clock: Clock,
    made: Mapping[int, Generated],
    past: Collection[int],
    *,
    explain: bool,
) -> tuple[Hit, ...]:
    ids = ",".join([str(one.candidate.id) for one in shown])
    sql = (
        f"SELECT chunk.id, heading, text, title, {AGE} FROM chunk JOIN visible_note AS note ON"
        " note.id = chunk.note"
        f" LEFT JOIN usage ON usage.ref = chunk.fact WHERE chunk.id IN ({ids})"
    )
    found = {row[0]: row[1:] for row in index.db.execute(sql)}
    told = {
        at: (rows[at].last, made[at].text if at in made else text)
        for at, (_, text, *_) in found.items()
    }
    facts = [
        (at, rows[at].note, rows[at].first, text)
        for at, (_, text) in told.items()
        if rows[at].grain == "fact"
    ]
    told |= children(index.db, facts, past)
    return tuple(
        _hit(rows[at], one, clock, told, *found[at], explain=explain)
        for one in shown
        for at in (one[0].id,)
    )


def _hit(
    row: _Row,
    ranked: Ranked,
    clock: Clock,
    told: Mapping[int, tuple[int, str]],
    heading: str,
    _: str,
    title: str,
    subtype: str | None,
    lasts: int | None,
    *used: Any,
    explain: bool,
) -> Hit:
    if row.fact:
        age = age_of(row.type, row.date, uses_of(*used), clock, lasts=bool(lasts))
    else:
        age = Age()
    legs = ranked.candidate.legs
    last, text = told[row.id]
    raw = {"bm25": legs.bm25, "cosine": legs.cosine, "note": legs.note}
    return Hit(
        id=row.fact,
        path=row.path,
        lines=(row.first, last),
        heading=tuple(filter(None, heading.split("\n"))),
        title=title,
        kind=row.kind,
        type=row.type,
        date=row.date,
        status=row.status,
        score=ranked.score,
        text=text,
        explain={"raw": raw, "legs": ranked.legs, "priors": ranked.priors} if explain else None,
        age=age,
        subtype=subtype or "",
        newer=ranked.newer,
        grain=row.grain,
    )
