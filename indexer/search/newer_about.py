"""A later line about what the best hit is about: it stands directly under that, because it may have
changed it.

Whether it did, no rule can say: told in other words, "changed" and "also" look the same. So both
are shown, and the later one says what it is.
"""

from __future__ import annotations

import re
from functools import partial
from operator import add
from typing import TYPE_CHECKING

from indexer.catalog.mentions import Subjects, has_subject, mentions_of
from indexer.reading.path_meaning import name_words, unaccented
from indexer.spelling import link_names

from .by_vectors import weights
from .candidate import Ranked, bare_candidate
from .evidence import text_likeness
from .fusion import RERANK, rescored
from .hit import LaterLine, NewerOf
from .text_content import holds_a_word

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import apsw

    from indexer.catalog.mentions import MentionLine
    from indexer.tokens.embed import Encoder

    from .candidate import ChunkRow
    from .question import Question
    from .view import View

    Rows = dict[int, ChunkRow]

LEAST_LIKENESS = 0.2
"""How near a later line must be to the question and to the best hit, both together, names apart."""
MOST_OTHERS = 2
"""How many more later lines are told with the nearest one: which of them has to do with the
question is often not known, the right one is the nearest in a half of the cases, among the nearest
three in four fifths."""
MOST_MENTIONS = 10
"""The newest mentions that are looked at where no hit is later: to find all takes long for a name
that stands in thousands of lines, and then some are hits."""


def newer_about(
    view: View,
    question: Question,
    ranked: list[Ranked],
    rows: Rows,
    encoder: Encoder | None,
) -> list[Ranked]:
    """The hits, the second one labelled as newer than the first where it names the same thing.

    In the default order the later line that has most to do with the question takes the second
    place, in others it keeps its own.
    """
    best = rows[ranked[0].candidate.id]
    private = view.filters.private
    subjects = Subjects(view.db, private=private)
    path = _subject(subjects, question, best)
    if not path:
        return ranked
    chunks = [one.candidate.id for one in ranked[:RERANK] if one.candidate.grain != "property"]
    about = subjects.lines_about(path, chunks)
    first = about.pop(best.id, None)
    if first is None:
        return ranked
    later = [line for line in about.values() if _is_later(line, first)]
    if not later and view.is_plain:
        day = view.filters.as_of or ""
        newest = mentions_of(view.db, path, private=private, limit=MOST_MENTIONS, as_of=day)
        later = [line for line in newest if _is_later(line, first)]
    nearest = _nearest(view.db, question, first, later, encoder, _names(view.db, path))
    if not nearest:
        return ranked
    chunk = nearest[0].chunk
    rows |= view.rows([chunk])
    title = str(view.db.execute("SELECT title FROM visible_note WHERE path = ?", (path,)).get)
    others = [
        LaterLine(line.path, line.line, line.date, line.text)
        for line in nearest[1:]
        if line.chunk != chunk
    ]
    label = NewerOf(title, first.path, first.line, tuple(others[:MOST_OTHERS]))
    return _labelled(ranked, rows[chunk], label, move=question.is_default)


def _subject(
    subjects: Subjects,
    question: Question,
    best: ChunkRow,
) -> str:
    """The page that the best hit is about: one that the question names, before others."""
    asked = subjects.asked(question.query.text)
    own = [best.path]
    if not has_subject(best.path, best.kind):
        own = list(subjects.of_chunks([best.id]).get(best.id, ()))
    named = [path for path in asked if path in own]
    return next(iter([*named, *asked, *own]), "")


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
    asked = _without(question.text, names)
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
    newest: ChunkRow,
    label: NewerOf,
    *,
    move: bool,
) -> list[Ranked]:
    """The hits, with what is newer labelled, and directly under the first if it may `move`; with
    its score, by a leg of its own where no other found it."""
    kept = list(ranked)
    at = next((at for at, one in enumerate(kept) if one.candidate.id == newest.id), None)
    if at is not None:
        kept[at] = kept[at]._replace(newer_of=label)
        if move and at > 1:
            kept.insert(1, rescored(kept.pop(at), kept[0].score, "newer"))
    elif move:
        score = kept[0].score
        kept.insert(1, Ranked(bare_candidate(newest), score, {"newer": score}, {}, newer_of=label))
    return kept
