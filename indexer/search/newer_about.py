"""A later line about what the best hit is about: it stands directly under that, because it may have
changed it.

Whether it did, no rule can say: told in other words, "changed" and "also" look the same. So both
are shown, and the later one says what it is.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from itertools import chain
from operator import add
from typing import TYPE_CHECKING

from indexer.catalog.mentions import Subjects, mentions_of
from indexer.reading.path_meaning import name_words, unaccented
from indexer.spelling import link_names

from .by_vectors import weights
from .candidate import Ranked
from .evidence import text_likeness
from .fusion import RERANK, rescored
from .hit import LaterLine, NewerOf
from .question import Question, read_question
from .text_content import holds_a_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import date

    import apsw

    from indexer.catalog.mentions import MentionLine
    from indexer.tokens.embed import Encoder

    from .candidate import Candidate
    from .query import SearchQuery
    from .ranking import Ranking

    Place = tuple[str, int]

LEAST_LIKENESS = 0.2
"""How near a later line must be to the question and to the best hit, both together, names apart."""
MOST_OTHERS = 2
"""How many more later lines are told with the nearest one: which of them has to do with the
question is often not known, the right one is the nearest in a half of the cases, among the nearest
three in four fifths."""
MOST_MENTIONS = 10
"""The newest mentions that are looked at where no hit is later: to find all takes long for a name
that stands in thousands of lines. They count where they hold no word of the question, as in `He
moved`: a line that holds its words and is no hit has nothing to do with it."""


class LaterLines:
    """For lines that answer a question: the later line about the same thing that may have changed
    one.

    They are looked for among some `chunks`, and where none of these is later, among the newest
    mentions up to the day `until`, "" for any, None for no mentions. Of a mention that holds one
    of the `words`, a search for which gave the chunks, nothing is told: it would be one of them.
    """

    def __init__(
        self,
        db: apsw.Connection,
        question: Question,
        encoder: Encoder | None,
        chunks: Collection[int],
        *,
        private: bool,
        until: str | None,
        words: Sequence[str] = (),
    ) -> None:
        self.db = db
        self.question = question
        self.encoder = encoder
        self.chunks = chunks
        self.private = private
        self.until = until
        self.words = words
        self.subjects = Subjects(db, private=private)
        self._about: dict[str, dict[int, MentionLine]] = {}
        self._newest: dict[str, list[MentionLine]] = {}

    @cached_property
    def _asked(self) -> list[str]:
        """The pages that the question names."""
        return self.subjects.asked(self.question.query.text)

    def of(
        self,
        chunk: int,
    ) -> tuple[MentionLine, NewerOf] | None:
        """The later line that has most to do with the question and with one of the chunks, and what
        it is newer than; None where none has."""
        path = self._subject(chunk)
        if not path:
            return None
        if path not in self._about:
            self._about[path] = self.subjects.lines_about(path, self.chunks)
        about = self._about[path]
        first = about.get(chunk)
        if first is None:
            return None
        later = [line for line in about.values() if _is_later(line, first)]
        if not (later and self.words):
            later += [line for line in self._mentions(path) if _is_later(line, first)]
        names = _names(self.db, path)
        nearest = _nearest(self.db, self.question, first, later, self.encoder, names)
        if not nearest:
            return None
        sql = "SELECT title FROM visible_note WHERE path = ?"
        title = str(self.db.execute(sql, (path,)).get)
        others = [
            LaterLine(line.path, line.line, line.date, line.text)
            for line in nearest[1:]
            if line.chunk != nearest[0].chunk
        ]
        label = NewerOf(title, first.path, first.line, tuple(others[:MOST_OTHERS]))
        return nearest[0], label

    def _mentions(
        self,
        path: str,
    ) -> list[MentionLine]:
        """The newest mentions of a page that hold none of the words, if these are looked at."""
        if self.until is None:
            return []
        if path not in self._newest:
            newest = mentions_of(
                self.db, path, private=self.private, limit=MOST_MENTIONS, as_of=self.until
            )
            self._newest[path] = [
                line for line in newest if not holds_a_word(link_names(line.text), self.words)
            ]
        return self._newest[path]

    def _subject(
        self,
        chunk: int,
    ) -> str:
        """The page that a chunk is about: one that the question names, before others."""
        own = self.subjects.of_chunks([chunk]).get(chunk, ())
        named = [path for path in self._asked if path in own]
        return next(iter([*named, *self._asked, *own]), "")


def newer_lines(
    db: apsw.Connection,
    query: SearchQuery,
    encoder: Encoder | None,
    today: date,
    told: Sequence[Place],
    among: Iterable[Place],
) -> dict[Place, tuple[MentionLine, NewerOf]]:
    """For lines that are told of a question, by path and first line: the later line of each that
    has one, among others or its subject's newest mentions, and what that is newer than.

    Where no text is asked for, each line is asked for by itself.
    """
    question = Question(query, query.mode, read_question(query, query.mode, today), {})
    if query.text and not question.may_have_changed:
        return {}
    chunks = _chunks_at(db, {*told, *among})
    later = LaterLines(db, question, encoder, [*chunks.values()], private=False, until="")
    found = {}
    for place in told:
        newer = later.of(chunks[place]) if place in chunks else None
        if newer is not None and (newer[0].path, newer[0].line) != place:
            line, label = newer
            found[place] = line, label._replace(line=place[1])
    return found


def _chunks_at(
    db: apsw.Connection,
    places: Collection[Place],
) -> dict[Place, int]:
    """The chunks in which the lines at some places stand, a fact before other text."""
    at = ",".join(["(?,?)"] * len(places))
    sql = (
        f"WITH at(path, line) AS (VALUES {at}) SELECT at.path, at.line, chunk.id FROM at JOIN"
        " visible_note AS note ON note.path = at.path JOIN chunk ON chunk.note = note.id AND"
        " at.line BETWEEN chunk.first AND chunk.last WHERE grain != 'property'"
        " ORDER BY grain = 'fact', chunk.first"
    )
    rows = db.execute(sql, [*chain.from_iterable(places)]) if places else ()
    return {(path, line): number for path, line, number in rows}


def newer_about(
    ranking: Ranking,
    ranked: list[Ranked],
) -> list[Ranked]:
    """The hits, the second one labelled as newer than the first where it names the same thing.

    In the default order the later line that has most to do with the question takes the second
    place, or the only one that is asked for; in others it keeps its own.
    """
    view = ranking.view
    question = ranking.question
    later = LaterLines(
        view.db,
        question,
        ranking.embedded.encoder,
        [one.candidate.id for one in ranked[:RERANK] if one.candidate.grain != "property"],
        private=view.filters.private,
        until=(view.filters.as_of or "") if view.is_plain else None,
        words=question.words,
    )
    found = later.of(ranked[0].candidate.id)
    if found is None:
        return ranked
    line, label = found
    newest = ranking.of([line.chunk])[line.chunk]
    moves = question.is_default and question.query.limit > 1
    return _labelled(ranked, newest, line, label, move=moves)


def _is_later(
    line: MentionLine,
    first: MentionLine,
) -> bool:
    """Whether a line is of a later day, or stands further down in the note of the same day; what
    has no day is earlier than what has one."""
    if line.date == first.date:
        same_day = line.kind == "daily" and line.path == first.path
        return same_day and line.line > first.line
    return line.date > first.date


def _names(
    db: apsw.Connection,
    path: str,
) -> frozenset[str]:
    """The words of the names of a page."""
    sql = (
        "SELECT name.text FROM name JOIN visible_note AS note ON note.id = name.note WHERE path = ?"
        " AND source != 'link'"
    )
    return frozenset().union(*(name_words(name) for (name,) in db.execute(sql, (path,))))


def _nearest(
    db: apsw.Connection,
    question: Question,
    first: MentionLine,
    later: Sequence[MentionLine],
    encoder: Encoder | None,
    names: Collection[str],
) -> list[MentionLine]:
    """The later lines that are near to the question and to the first hit, the nearest first.

    Without an `encoder` they are those that hold a word of the question, the newest first.
    """
    asked = _without(question.text or first.text, names)
    if encoder is None:
        words = asked.split()
        found = [line for line in later if holds_a_word(_without(line.text, names), words)]
        return sorted(found, key=lambda line: line.date, reverse=True)
    texts = [_without(line.text, names) for line in (first, *later)]
    weigh = partial(weights, db)
    to_question = text_likeness(encoder, weigh, [asked, *texts[1:]])
    to_first = text_likeness(encoder, weigh, texts)
    likeness = list(map(add, to_question, to_first))
    near = [at for at in range(len(later)) if likeness[at] >= LEAST_LIKENESS]
    near.sort(key=lambda at: (likeness[at], later[at].date), reverse=True)
    return [later[at] for at in near]


def _without(
    text: str,
    names: Collection[str],
) -> str:
    """The words of a text that are no names of what it is about."""
    words = re.findall(r"\w+", unaccented(link_names(text)))
    return " ".join([word for word in words if word.lower() not in names])


def _labelled(
    ranked: Sequence[Ranked],
    newest: Candidate,
    line: MentionLine,
    label: NewerOf,
    *,
    move: bool,
) -> list[Ranked]:
    """The hits, with what is newer labelled, and below the first if it may `move`; with the score
    of that, by a leg of its own where no other found it. Of a text of several lines it is the line
    alone."""
    kept = list(ranked)
    part = line if newest.grain != "fact" and newest.first < newest.last else None
    at = next((at for at, one in enumerate(kept) if one.candidate.id == newest.id), None)
    if at is not None:
        kept[at] = kept[at]._replace(newer_of=label, part=part)
        if move and at > 1:
            score = kept[0].score
            kept.insert(1, rescored(kept.pop(at), score, "newer"))
    elif move:
        score = kept[0].score
        row = Ranked(newest, score, {"newer": score}, {}, newer_of=label, part=part)
        kept.insert(1, row)
    return kept
