"""Search: question → legs → candidates → ranking → what is shown.

BM25 over the chunks and cosine over their vectors each name `SEARCH_POOL` candidates, and a fact's
id names its fact; every candidate gets its cosine, and its BM25 if it is among the `by_words.DEPTH`
best. Equals share a place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.reading.path_meaning import APART
from indexer.spelling import nfc
from indexer.usage.tier import Clock

from .by_days import lines_of_days
from .by_vectors import embed_question
from .candidates import Gathering
from .folding import fold_hits, group_by_note
from .fusion import WEAK_MOST
from .generated import fold_generated, holding, shown_generated
from .hit import SearchResult
from .index_lists import IndexLists
from .leading import answer_first, asked_properties
from .newer_first import newer_first
from .question import Question, is_default, read_question
from .ranking import Ranking, is_weak
from .repeats import fold_repeats
from .shown import shown_hits
from .view import View

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from indexer.rows.rows import Index
    from indexer.tokens.embed import Encoder

    from .candidate import Candidate, Ranked
    from .generated import Generated
    from .index_lists import Memory
    from .leading import IsExample
    from .query import AskedFor, SearchQuery

_NO_TASK = "no open task or plan is as asked: `aurelius tasks --open` lists all tasks"


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
        lists = IndexLists(index) if memory is None else memory.lists(index)
        moment = clock or Clock(now.date())
        result = _answer(lists, query, encoder, moment, is_example)
        if result.weak and encoder is not None and is_default(query, result.mode):
            from .weakness import name_meant

            hint, meant = name_meant(index.db, query, lambda word: len(encoder.ids(word)) == 1)
            if meant:
                other = _answer(lists, query._replace(text=meant), encoder, moment, is_example)
                if other.hits and not other.weak:
                    result = other._replace(query=query, weak=True, hint=hint, corrected=meant)
    return result


def _answer(
    lists: IndexLists,
    query: SearchQuery,
    encoder: Encoder | None,
    clock: Clock,
    is_example: IsExample | None,
) -> SearchResult:
    query = query._replace(text=nfc(query.text))
    db = lists.index.db
    view = View(db, query.filters, clock)
    notices: list[str] = []
    if query.mode == "keyword":
        encoder = None
    elif encoder is not None and not lists.index.get_meta("model"):
        encoder = None
        notices.append("the index has no vectors: searching by words only")
    mode = query.mode if encoder is not None else "keyword"
    asked = read_question(query, mode, clock.today)
    due = _list_of_tasks(view, asked, query, mode, notices)
    if due:
        return due
    listed = lines_of_days(view, query, asked)
    question = Question(query, mode, asked, listed)
    notices += question.typed.notes
    embedded = embed_question(question, encoder, lists)
    pool = Gathering(view, lists, question, embedded, notices).pool()
    for folder in APART:
        if count := pool.filtered.get(folder):
            notices.append(f"left out: {count} in {folder}/; `--in {folder}` searches there")
    ranking = Ranking(view, question, embedded, pool)
    about = _about(view, question, ranking)
    arranged = _arranged(view, question, ranking, about)
    kept = _with_newer(view, question, arranged.hits, ranking, about, is_example)
    if arranged.weak:
        kept = kept[:WEAK_MOST]
    shown = group_by_note(kept, query.limit)
    hits = shown_hits(view, shown, arranged.generated, explain=query.explain)
    left = len(kept) - len(hits)
    if left and question.day_range:
        notices.append(f"more, day by day: `aurelius days {question.day_range}`")
    return SearchResult(
        query=query,
        mode=mode,
        fusion=query.fusion,
        hits=hits,
        filtered=pool.filtered,
        truncated=left,
        hint=_hint(view, question, pool.filtered, weak=arranged.weak, hits=bool(hits)),
        notices=tuple(notices),
        weak=arranged.weak,
        asked="" if listed else question.text,
        about=_last_of(kept, about),
    )


class _Arranged(NamedTuple):
    """The hits without those that others stand for, what still holds of generated texts, and
    whether the answer is weak."""

    hits: list[Ranked]
    generated: Mapping[int, Generated]
    weak: bool


def _arranged(
    view: View,
    question: Question,
    ranking: Ranking,
    about: Mapping[int, Candidate],
) -> _Arranged:
    """The ranked candidates, each text once; what a question about a page is answered by first."""
    db = view.db
    pool = ranking.pool
    kept = ranking.without_bare(fold_hits(ranking.ranked()))
    rows = {**about, **{one.candidate.id: one.candidate for one in kept}}
    words = question.typed.words
    generated = shown_generated(db, rows.values(), view.replaced, view.filters, words)
    kept = fold_generated(kept, generated, pool.filtered)
    if question.moves:
        kept = asked_properties(kept, question.words)
    kept = fold_repeats(db, kept, question.query.limit)
    weak = not about and is_weak(question, pool, holding(pool.legs, pool.rows | rows, generated))
    if about:
        from .subject import subject_first

        kept = subject_first(kept, about, kept[0].score if kept else 1.0)
    return _Arranged(kept, generated, weak)


def _with_newer(
    view: View,
    question: Question,
    kept: list[Ranked],
    ranking: Ranking,
    about: Mapping[int, Candidate],
    is_example: IsExample | None,
) -> list[Ranked]:
    """The hits, what may lead first, and what is newer beside what is older."""
    is_settled = bool(about or question.days)
    kept = newer_first(view.db, kept, question.words, move=question.moves, day=is_settled)
    if question.moves and not about:
        kept = answer_first(kept, question, is_example)
    is_dated = any(one.candidate.date for one in kept)
    if is_settled or not is_dated or not question.may_have_changed:
        return kept
    from .newer_about import newer_about  # nothing is newer where nothing has a day

    return newer_about(ranking, kept)


def _list_of_tasks(
    view: View,
    asked: AskedFor,
    query: SearchQuery,
    mode: str,
    notices: list[str],
) -> SearchResult | None:
    """The tasks and plans that a question asks for, None where it asks for no list of them or there
    are none, which is told."""
    if not asked.tasks:
        return None
    from .by_tasks import due_hits, due_lines

    due = due_lines(view, asked.tasks)
    if not due:
        notices.append(_NO_TASK)
        return None
    hits = due_hits(view, due[: query.limit])
    if not query.explain:
        hits = tuple(hit._replace(explain=None) for hit in hits)
    left = len(due) - len(hits)
    return SearchResult(
        query=query,
        mode=mode,
        fusion=query.fusion,
        hits=hits,
        filtered={},
        truncated=left,
        hint=None,
        notices=("more of them: `aurelius tasks --open`",) * bool(left),
    )


def _about(
    view: View,
    question: Question,
    ranking: Ranking,
) -> dict[int, Candidate]:
    """What answers a question about a page as a whole, by number, in its order; else nothing."""
    if not question.may_be_about:
        return {}
    from .subject import subject_chunks

    return ranking.of(subject_chunks(view, question))


def _last_of(
    kept: Sequence[Ranked],
    chunks: Collection[int],
) -> int:
    """How many hits there are up to the last that is one of these chunks."""
    return max((at for at, one in enumerate(kept, 1) if one.candidate.id in chunks), default=0)


def _hint(
    view: View,
    question: Question,
    filtered: dict[str, int],
    *,
    weak: bool,
    hits: bool,
) -> str | None:
    """Why an answer is weak or empty, and what to try."""
    if hits and not weak:
        return None
    from .weakness import why

    return why(view.db, question.query, question.terms, filtered, question.missed, hits=hits)
