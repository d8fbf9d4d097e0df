"""What is due: the open tasks that a question asks for, and the plans of its days."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.catalog.lists import fact_of, get_tasks
from indexer.reading.path_meaning import unaccented

from .asked import days_asked
from .hit import Hit
from .query import LAST_DAY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .query import AskedTasks
    from .view import View

_MOST_PLANS = 400
"""Plans that are read for their days, the latest of them."""
_LEAST_SCORE = 0.6
"""What the scores of a list go down to, from 1."""
_LINE = (
    "SELECT title, kind, heading, text, first, last, fact, type, chunk.date, grain FROM chunk JOIN"
    " visible_note AS note ON note.id = chunk.note WHERE path = ? AND first <= ? AND last >= ?"
    " AND grain != 'property' ORDER BY grain = 'fact' DESC, first DESC LIMIT 1"
)
"""The smallest chunk of a note that holds a line."""


class DueLine(NamedTuple):
    """A line that is due on a day ("" for none), and what it says if it is a task."""

    day: str
    path: str
    line: int
    task: str = ""

    def goes_on(
        self,
        text: str,
    ) -> bool:
        """Whether a later line of its note is a part of this task."""
        said = text.strip()
        return said != "" and said in self.task


_NO_VALUES = {"bm25": 0.0, "cosine": 0.0, "note": 0.0}
"""What the lists by words and by meaning say of a task: they were not asked."""


def due_lines(
    view: View,
    asked: AskedTasks,
) -> list[DueLine]:
    """The open tasks that a question asks for and the plans of its days, soonest first, those
    without a day last."""
    lines = [*_tasks(view, asked)]
    if asked.plans:
        lines += _plans(view, asked)
    return sorted(lines, key=lambda line: (line.day or LAST_DAY, line.path, line.line))


def due_hits(
    view: View,
    lines: Sequence[DueLine],
) -> tuple[Hit, ...]:
    """Each of these lines as a hit, by itself, the first with the highest score."""
    hits = []
    score = 1.0
    step = (1 - _LEAST_SCORE) / max(1, len(lines))
    for line in lines:
        row = view.db.execute(_LINE, (line.path, line.line, line.line)).fetchone()
        if row:
            hits.append(_hit(line, row, score))
        score -= step
    return tuple(hits)


def _hit(
    line: DueLine,
    row: Sequence[Any],
    score: float,
) -> Hit:
    """A line as a hit; its date is the day on which it is due."""
    title, kind, heading, text, first, last, fact, type_, date, grain = row
    if line.task:
        told, *more = text.split("\n")[line.line - first :] or [line.task]
        more = list(takewhile(line.goes_on, more))
        text = "\n".join([told, *more])
        last = line.line + len(more)
        fact = ""
    return Hit(
        id=fact,
        path=line.path,
        lines=(line.line, last),
        heading=tuple(filter(None, heading.split("\n"))),
        title=title,
        kind=kind,
        type=type_,
        date=line.day or date,
        status="active",
        score=round(score, 6),
        text=text,
        explain={"raw": _NO_VALUES, "legs": {"day": score}, "priors": {}},
        grain=grain,
    )


def _tasks(
    view: View,
    asked: AskedTasks,
) -> Iterator[DueLine]:
    """The open tasks that are due on the days and hold the words, in their note's path too."""
    filters = view.filters._replace(since=None, until=None)
    due = None
    if asked.last:
        due = (asked.first, asked.last)
    words = [unaccented(word).removesuffix("s") for word in asked.about]
    for task in get_tasks(view.db, filters, open_only=True, due=due):
        told = unaccented(f"{task.text} {task.path}")
        if all(word in told for word in words):
            yield DueLine(
                day=task.due or "",
                path=task.path,
                line=task.line,
                task=task.text,
            )


def _plans(
    view: View,
    asked: AskedTasks,
) -> Iterator[DueLine]:
    """The plans whose day is among the days: the one that their text names, else that on which it
    was written."""
    scope = view.scope(strict=True)
    sql = (
        "SELECT path, chunk.first, chunk.date, detail FROM chunk JOIN visible_note AS note ON"
        " note.id = chunk.note JOIN fact ON fact.note = note.id AND fact.key = chunk.fact WHERE"
        f" chunk.type = 'plan' AND chunk.date IS NOT NULL{scope.also_on('chunk.id')}"
        f" ORDER BY chunk.date DESC, chunk.id LIMIT {_MOST_PLANS}"
    )
    for path, line, date, detail in view.db.execute(sql, scope.values):
        told = days_asked(f"planned: {fact_of(detail).text}", date).days
        begin, end = told or (date, date)
        if begin <= asked.last and asked.first <= end:
            yield DueLine(
                day=max(begin, asked.first),
                path=path,
                line=line,
            )
