"""SearchQuery → two candidate lists → SearchResult.

BM25 over the chunks and cosine over their vectors each name `SEARCH_POOL` candidates, and a fact's
id names its fact; every candidate gets its cosine, and its BM25 if it is among the
`candidates.DEPTH` best. Equals share a place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from indexer.catalog.filters import Filters, of_chunks
from indexer.catalog.supersession import replaced_chunks
from indexer.reading.path_meaning import CONVERSATIONS, is_archived, is_conversation
from indexer.rows.rows import Index
from indexer.tokens.maxsim import maxsim, unpack_bag
from indexer.usage.tier import Age, Clock, age_of, uses_of

from . import candidates, rank
from .candidates import HEADED, PLAIN_WEIGHTS, Lists, Memory, Scope, all_seen
from .hit import ChunkRow, Hit, SearchResult
from .leading import answer_first
from .named import (
    Named,
    bare_rows,
    link_counts,
    living,
    named_facts,
    named_notes,
    openings,
    standing_for,
)
from .query import (
    AskedDays,
    SearchQuery,
    clean_query,
    may_be_said,
    may_name_a_day,
    may_name_a_person,
)
from .rank import (
    COSINE_FLOOR,
    LEAST_TOKEN_LETTERS,
    WEAK_MOST,
    Candidate,
    Generated,
    Legs,
    Ranked,
    holds_word,
    near_enough,
)
from .shown import children, holding, newer_first, shown_generated

if TYPE_CHECKING:
    from indexer.tokens.embed import Encoder

    from .leading import IsExample

    Rows = dict[int, ChunkRow]

AGE = (
    "(SELECT subtype FROM fact WHERE fact.note = chunk.note AND fact.key = chunk.fact), "
    "(SELECT lasts FROM fact WHERE fact.note = chunk.note AND fact.key = chunk.fact), "
    "usage.count, usage.last, usage.days"
)
"""Of the fact that a hit is: what is narrower than its type, whether it lasts, how often it was
used, and when last."""
SEARCH_POOL = 100
"""Candidates of each list."""
VERB_POOL = 1000
"""Lines of the days of a question that says a verb alone."""
_MOST_QUERY_TOKENS = 64
"""Tokens of a query that are embedded."""


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
        state = _Search(
            index,
            query,
            encoder,
            clock or Clock(now.date()),
            memory,
        )
        result = _search(state, is_example)
    # by its types a connection may swallow an error, and then nothing would come back
    return result  # noqa: RET504


def _search(state: _Search, is_example: IsExample | None) -> SearchResult:
    db = state.db
    query = state.query
    notices = state.notices
    rows, found, filtered = state.candidates()
    if count := filtered.get(CONVERSATIONS):
        notices.append(
            f"left out: {count} in {CONVERSATIONS}/; `--in {CONVERSATIONS}` searches there"
        )
    kept = state.opened(rank.fold_hits(state.rank(rows, found)), rows)
    paths = {one.candidate.id: one.candidate.path for one in kept}
    made = shown_generated(db, paths, state.replaced, query.filters, state.typed.words)
    kept = living(db, rank.fold_generated(kept, made, filtered))
    weak = state.is_weak(holding(found, rows, made))
    if weak:
        kept = kept[:WEAK_MOST]
    move = state.default and not state.listed
    kept = newer_first(
        db,
        kept,
        rows,
        state.words,
        move=move,
        day=bool(state.days),
    )
    if move:
        kept = answer_first(db, kept, state.words, is_example)
    hits = state.hits(rank.group_by_note(kept, query.limit), rows, made)
    left = len(kept) - len(hits)
    hint = None
    if weak or not hits:
        from .weakness import why

        hint = why(
            db,
            query,
            state.terms,
            filtered,
            state.missed,
            hits=bool(hits),
        )
    if left and state.told_days:
        notices.append(f"more, day by day: `aurelius days {state.told_days}`")
    return SearchResult(
        query=query,
        mode=state.mode,
        fusion=query.fusion,
        hits=hits,
        filtered=filtered,
        truncated=left,
        hint=hint,
        notices=tuple(notices),
        weak=weak,
        asked=state.asked,
    )


class _Search:
    """State of one search."""

    def __init__(
        self,
        index: Index,
        query: SearchQuery,
        encoder: Encoder | None,
        clock: Clock,
        memory: Memory | None,
    ) -> None:
        self.index = index
        self.db = index.db
        self.query = query
        self.clock = clock
        self.memory = memory
        self.today = date.fromisoformat(query.filters.as_of or clock.today.isoformat())
        self.notices: list[str] = []
        self.encoder: Encoder | None = None
        if query.mode != "keyword" and encoder is not None:
            if index.get_meta("model"):
                self.encoder = encoder
            else:
                self.notices.append("the index has no vectors: searching by words only")
        self.mode = query.mode if self.encoder is not None else "keyword"
        self.default = self.mode == "hybrid" and query.fusion == "default"
        self.typed = clean_query(query.text, stop=self.mode != "keyword")
        self.notices += self.typed.notes
        self.replaced = replaced_chunks(self.db, private=query.filters.private)
        self._read_days()
        self._embed()

    def _read_days(self) -> None:
        """Take the days that the question asks about out of it, and make the lists for the rest."""
        text = self.query.text
        asked = AskedDays(None, text)
        if self.default and (self.query.days or may_name_a_day(text)):
            from .asked import days_asked

            asked = days_asked(text, self.clock.today.isoformat(), self.query.days)
        self.days = asked.days
        self.listed = self._of_days(asked)
        self.told_days = ""
        if asked.days and (self.listed or asked.one):
            self.told_days = "..".join(dict.fromkeys(asked.days))
        self.missed = None
        self.asked = asked.rest
        if self.listed:
            self.asked = ""
            text = asked.verb
        elif asked.all_of_it:
            self.missed = asked.days
            self.asked = text
        else:
            text = asked.rest
        self._make_lists(text, asked.written)

    def _make_lists(self, text: str, written: tuple[str, ...]) -> None:
        """Make the lists for a text, with what else may be written of it."""
        self.terms = clean_query(text) if text != self.query.text else self.typed
        self.words = self.terms.words
        terms = self.terms
        if terms.words:
            terms = terms._replace(phrases=(*terms.phrases, *written))
        columns = PLAIN_WEIGHTS if self.mode == "keyword" else HEADED
        make = Lists if self.memory is None else self.memory.lists
        self.lists = make(self.index, text, terms, SEARCH_POOL, columns, self.notices)

    def _of_days(self, asked: AskedDays) -> dict[int, float]:
        """The lines of some days, where the question asks for all that was then, or says no more
        than a verb."""
        if not asked.days or not (asked.all_of_it or asked.verb):
            return {}
        return candidates.chunks_of_days(
            self.db,
            asked.days,
            self._scope(strict=True),
            by_change=asked.rest == self.query.text,
            most=VERB_POOL if asked.verb else SEARCH_POOL,
            shown=self.query.limit,
        )

    def _embed(self) -> None:
        """Make the vector of the query, b"" for none; with it, what each of its tokens tells, and
        how much of the query the model can read."""
        self.tokens: list[int] = []
        self.weights: list[float] = []
        self.vector = b""
        self.trust = 1.0
        self.readable = True
        if self.encoder is None:
            return
        text = " ".join((*self.terms.words, *self.terms.phrases))
        tokens = self.encoder.ids(text)
        self.trust = self.encoder.reads(text)
        self.readable = not text.isascii() or sum(
            map(str.isalnum, text)
        ) >= LEAST_TOKEN_LETTERS * len(tokens)
        self.tokens = list(dict.fromkeys(tokens))[:_MOST_QUERY_TOKENS]
        told = candidates.weights(self.db, self.tokens, self.lists.vectors())
        self.weights = [told[token] for token in self.tokens]
        vector = self.encoder.vector(self.tokens, self.weights)
        if any(vector) and (self.trust or not self.default):
            self.vector = vector

    def candidates(self) -> tuple[Rows, dict[int, Legs], dict[str, int]]:
        """Every chunk either list names, with its exact legs; what status and privacy forbid is
        left out.

        Only filters that ask for more are put to SQL, unless the forbidden took most of the lists
        or any is private.
        """
        filters = self.query.filters
        self.plain = filters._replace(private=False) in {Filters(), Filters(status="all")}
        scope = all_seen(self.db) if self.plain else self._scope(strict=False)
        rows, found = self._look(scope)
        if not filters.private and any(row.private for row in rows.values()):
            rows, found = self._look(self._scope(strict=False))
        allowed: dict[int, Legs] = {}
        counts: dict[str, int] = {}
        for number, legs in found.items():
            why = self._barred(rows[number])
            if not why:
                allowed[number] = legs
            elif legs.bm25 > 0 or legs.cosine >= rank.COSINE_TOLD:
                counts[why] = counts.get(why, 0) + 1
        if len(found) - len(allowed) > SEARCH_POOL // 2:
            rows, allowed = self._look(self._scope(strict=True))
        return rows, allowed, counts

    def rank(
        self,
        rows: Rows,
        found: Mapping[int, Legs],
    ) -> list[Ranked]:
        """Fuse, rerank and weigh the candidates, best first."""
        alone = self._is_alone(found)
        every = (self._candidate(rows[at], legs, alone=alone) for at, legs in found.items())
        best = max((legs.bm25 for legs in found.values()), default=0.0)
        if not self.default or self.encoder is None or self.listed:
            ranked = (self._scored(one, best) for one in every)
            return rank.order_hits(ranked, properties_last=not self.default)
        top = rank.foremost(every, max(rank.RERANK, self.query.limit), trust=self.trust)
        bags, texts = candidates.bags(self.db, [one.id for one in top])
        notes = [rows[one.id].note for one in top]
        private = self.query.filters.private
        top = link_counts(self.db, self._heard(top, texts), notes, private=private)
        sets = list(map(unpack_bag, bags))
        nearness = maxsim(self.tokens, self.weights, self.encoder.near, sets)
        return rank.order_hits(
            self._scored(one, best, near) for one, near in zip(top, nearness, strict=True)
        )

    def _is_alone(self, found: Mapping[int, Legs]) -> bool:
        """Whether one word is asked for, and found well."""
        one_word = len(self.words) == len(self.query.text.split()) == 1
        return self.default and one_word and not self.is_weak(found)

    def _scored(
        self,
        one: Candidate,
        best: float,
        near: float = 0.0,
    ) -> Ranked:
        legs = rank.fuse(
            one.legs,
            mode=self.mode,
            fusion=self.query.fusion,
            best_bm25=best,
            maxsim=near,
            trust=self.trust,
        )
        priors = {} if self.listed else rank.priors(one, mode=self.mode)
        return rank.score(one, legs, priors)

    def _candidate(self, row: ChunkRow, legs: Legs, *, alone: bool = False) -> Candidate:
        """A chunk as a candidate; `alone` says that the question is one word, and some hold it."""
        score, day = self.judged.get(row.id, (0, None))
        if day is None and row.date:
            day = date.fromisoformat(row.date)
        return Candidate(
            id=row.id,
            path=row.path,
            ordinal=row.ordinal,
            grain=row.grain,
            first=row.first,
            last=row.last,
            days=(self.today - day).days if day else None,
            archived=is_archived(row.path),
            importance=row.importance,
            legs=legs,
            score=score,
            wordless=alone and not holds_word(legs),
        )

    def opened(
        self,
        kept: list[Ranked],
        rows: Rows,
    ) -> list[Ranked]:
        """The hits, in the default order with what says something instead of bare ones; its rows
        are added to `rows`."""
        own = [one.candidate.id for one in kept[: rank.RERANK] if one.candidate.grain != "fact"]
        bare = bare_rows(self.db, own, self.words) if own and self.default else ()
        if not bare:
            return kept
        scope = Scope("") if self.plain else self._scope(strict=True)
        notes = {rows[number].note for number in bare}
        first = self._rows(openings(self.db, notes, scope))
        rows |= first
        texts = {
            row.path: self._candidate(row, Legs())
            for row in first.values()
            if not self._barred(row)
        }
        return rank.fold_bare(kept, bare, texts)

    def is_weak(self, found: Mapping[int, Legs]) -> bool:
        """Whether no candidate holds a word of the query or is of its day; by vectors alone,
        whether none is near."""
        if self.mode == "vector":
            return all(legs.cosine < COSINE_FLOOR for legs in found.values())
        if self.missed:
            return True
        return bool(self.words) and not self.noted and not any(map(holds_word, found.values()))

    def _look(self, scope: Scope) -> tuple[Rows, dict[int, Legs]]:
        """The rows of every chunk that a list names, and the legs of those that may be hits."""
        bm25: dict[int, float] = {}
        words: list[int] = []
        if self.mode != "vector":
            bm25, words = self.lists.by_words(scope)
        near = self.lists.by_vectors(self.vector, scope) if self.vector else []
        facts = named_facts(self.db, self.words, scope) if self.default else set()
        self.noted = [*self.listed] or self.lists.of_day(self.days, scope)
        ids = self.noted if self.listed else [*facts, *words, *near, *self.noted]
        rows = self._rows(dict.fromkeys(ids))
        meant = self._meant()
        shown = {row.note for row in rows.values() if not self._barred(row)}
        rows |= self._rows(standing_for(self.db, {*meant.near, *meant.whole} - shown, scope))
        found = self._legs(rows, bm25, meant.near, facts)
        if self.query.fusion == "rrf":
            self._place(found, words, near)
        if not facts:
            self._point_out(found, rows, meant.whole)
        of_day = {number: found[number] for number in self.noted}
        return rows, near_enough(found, readable=self.readable, cut=self.default) | of_day

    def _legs(
        self,
        rows: Rows,
        bm25: Mapping[int, float],
        near: Mapping[int, float],
        facts: Collection[int],
    ) -> dict[int, Legs]:
        """What the lists say of each of these chunks; `near` says how near a name of each note is,
        `facts` are those the question names by their ids."""
        ids = list(rows)
        cosines = self.lists.cosines(self.vector, ids) if self.vector and ids else {}
        notes = self.lists.by_notes() if self.default else {}
        days = self.listed or self.lists.carried(self.days, ids)
        self.judged = {
            at: (how, self.clock.day_of(when))
            for at, how, when in candidates.judged_chunks(self.db, ids)
        }
        return {
            number: Legs(
                bm25=bm25.get(number, 0.0),
                cosine=cosines.get(number, 0.0),
                note=notes.get(row.note, 0.0),
                id=float(number in facts),
                name=near.get(row.note, 0.0),
                day=days.get(number, 0.0),
            )
            for number, row in rows.items()
        }

    def _place(
        self,
        found: dict[int, Legs],
        words: Sequence[int],
        near: Sequence[int],
    ) -> None:
        """Add to the legs their places in the two lists."""
        bm25 = {number: legs.bm25 for number, legs in found.items()}
        cosine = {number: legs.cosine for number, legs in found.items()}
        by_words = rank.places_by_value(words, bm25)
        by_vectors = rank.places_by_value(near, cosine)
        for number, legs in found.items():
            found[number] = legs._replace(
                bm25_rank=by_words.get(number, 0), vector_rank=by_vectors.get(number, 0)
            )

    def _point_out(
        self,
        found: dict[int, Legs],
        rows: Rows,
        whole: Mapping[int, float],
    ) -> None:
        """Add to the best chunk of each note whose whole name the question is what that counts."""

        def value(number: int) -> tuple[float, int]:
            likeness = sum(rank.always_weighed(found[number], 0.0, self.trust).values())
            return likeness, -rows[number].ordinal

        for note, share in whole.items():
            theirs = [at for at in found if rows[at].note == note and not self._barred(rows[at])]
            if theirs:
                best = max(theirs, key=value)
                found[best] = found[best]._replace(exact=share)

    def _heard(
        self,
        top: list[Candidate],
        texts: Sequence[str],
    ) -> list[Candidate]:
        """The candidates, each with its speaker leg where the question names who says its lines."""
        if not may_name_a_person(self.query.text):
            return top
        heard = []
        for one, text in zip(top, texts, strict=True):
            if may_be_said(text, self.words):
                from .speaker import said_by

                legs = one.legs._replace(speaker=said_by(text, self.query.text))
                heard.append(one._replace(legs=legs))
            else:
                heard.append(one)
        return heard

    def _meant(self) -> Named:
        """The notes that the query names; a word is worth what its rarest token is."""
        if not self.default or (self.listed and self.words):
            return Named({}, {})
        known = dict(zip(self.tokens, self.weights, strict=True))

        def worth(word: str) -> float:
            tokens = self.encoder.ids(word) if self.encoder else ()
            return max((known.get(token, 0.0) for token in tokens), default=0.0)

        return named_notes(
            self.db,
            self.query.text,
            self.lists.phrases,
            worth,
            private=self.query.filters.private,
        )

    def _scope(self, *, strict: bool) -> Scope:
        """The chunks that the filters allow; with `strict` by status too, which `_barred` counts
        else."""
        return Scope(
            *of_chunks(
                self.db,
                self.query.filters,
                self.clock,
                self.replaced,
                strict=strict,
            )
        )

    def _barred(self, row: ChunkRow) -> str:
        """Why a candidate that is not private may not be shown: "conversations", "superseded", or
        ""."""
        if is_conversation(row.path) and not self.query.filters.with_conversations:
            return CONVERSATIONS
        if row.status == "superseded" and self.query.filters.hides_past:
            return "superseded"
        return ""

    def _rows(self, ids: Iterable[int]) -> Rows:
        sql = (
            "SELECT chunk.id, ordinal, grain, first, last, status, type, chunk.date, fact,"
            " importance, path, kind, private, note FROM chunk JOIN visible_note AS note ON"
            " note.id = chunk.note"
            " WHERE chunk.id IN (SELECT value FROM json_each(?))"
        )
        found = map(ChunkRow._make, self.db.execute(sql, (str([*ids]),)))
        rows = {row.id: row for row in found}
        for at in self.replaced & rows.keys():
            rows[at] = rows[at]._replace(status="superseded")
        return rows

    def hits(
        self,
        shown: Sequence[Ranked],
        rows: Rows,
        made: Mapping[int, Generated],
    ) -> tuple[Hit, ...]:
        """What is shown of each hit; `made` is what still holds of generated texts."""
        ids = ",".join([str(one.candidate.id) for one in shown])
        sql = (
            f"SELECT chunk.id, heading, text, title, {AGE} FROM chunk"
            " JOIN visible_note AS note ON note.id = chunk.note"
            f" LEFT JOIN usage ON usage.ref = chunk.fact WHERE chunk.id IN ({ids})"
        )
        found = {row[0]: row[1:] for row in self.db.execute(sql)}
        facts = [
            (number, rows[number].note, rows[number].first, text)
            for number, (_, text, *_) in found.items()
            if rows[number].grain == "fact"
        ]
        nested = children(self.db, facts, self.replaced)
        hits = []
        for one in shown:
            row = rows[one.candidate.id]
            heading, text, title, subtype, lasts, *used = found[row.id]
            if row.id in made:
                text = made[row.id].text
            last, text = nested.get(row.id, (row.last, text))
            age = Age()
            if row.fact:
                age = age_of(row.type, row.date, uses_of(*used), self.clock, lasts=bool(lasts))
            explain = None
            if self.query.explain:
                raw = {
                    name: getattr(one.candidate.legs, name) for name in ("bm25", "cosine", "note")
                }
                explain = {"raw": raw, "legs": one.legs, "priors": one.priors}
            hits.append(
                Hit(
                    id=row.fact,
                    path=row.path,
                    lines=(row.first, last),
                    heading=tuple(filter(None, heading.split("\n"))),
                    title=title,
                    kind=row.kind,
                    type=row.type,
                    date=row.date,
                    status=row.status,
                    score=one.score,
                    text=text,
                    explain=explain,
                    age=age,
                    subtype=subtype or "",
                    newer=one.newer,
                    grain=row.grain,
                )
            )
        return tuple(hits)
