"""What ranking asks of every chunk, in memory: by it most candidates are passed over before their rows are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from . import rank
from .matrix import Numbers, grown

if TYPE_CHECKING:
    import apsw

    from .rank import Judged, Leads

SUPERSEDED, PRIVATE, ARCHIVED = 1, 2, 4
MARGIN = 1e-6
"""Far more than rounding can make of a score."""


class Traits:
    """Note, day, importance and marks by chunk id; what is said of a chunk that is gone means nothing."""

    def __init__(self) -> None:
        self.notes = np.empty(0, np.int32)
        self._days = np.empty(0, np.int32)
        """Ordinal of the date; 0 for none."""
        self._importance = np.empty(0, np.float32)
        """Not a number where there is none."""
        self._marks = np.empty(0, np.uint8)

    def read(self, db: apsw.Connection, size: int, where: str) -> None:
        """Read the chunks of a condition; no id is as high as `size`."""
        self.notes, self._days = grown(self.notes, size, 0), grown(self._days, size, 0)
        self._importance, self._marks = grown(self._importance, size, 0), grown(self._marks, size, 0)
        sql = (
            f"SELECT chunk.id, note, chunk.date, importance, (status = 'superseded') * {SUPERSEDED} + "  # noqa: S608  # of our own
            f"(private != 0) * {PRIVATE} + (kind = 'archive') * {ARCHIVED} "
            f"FROM chunk JOIN note ON note.id = chunk.note WHERE {where}"
        )
        rows: Iterable[Any] = db.execute(sql)
        for number, note, day, importance, marks in rows:
            self.notes[number] = note
            self._days[number] = date.fromisoformat(day).toordinal() if day else 0
            self._importance[number] = np.nan if importance is None else importance
            self._marks[number] = marks

    def foremost(
        self, ids: Sequence[int], leads: Leads, limit: int, *, private: bool, superseded: bool, floor: float,
        trust: float, today: date,
    ) -> list[int]:  # fmt: skip
        """Those of the chunks that may be among the first `limit` of the default fusion, and those that only
        `private` or `superseded` would let through.

        What holds no word, is not named and has a cosine below `floor` is no hit at all.
        """
        barred = (0 if private else PRIVATE) | (0 if superseded else SUPERSEDED)
        at = np.array(ids, np.int32)
        bm25 = np.array([leads.bm25.get(number, 0.0) for number in ids])
        cosine = np.array([leads.cosine.get(number, 0.0) for number in ids])
        note = np.array([leads.note.get(number, 0.0) for number in self.notes[at].tolist()])
        named = np.isin(at, list(leads.named)) if leads.named else np.zeros(len(at), np.bool_)
        score = (named + rank.roughly(bm25, note, cosine, trust)) * self._priors(at, today, leads.judged)
        open_ = (self._marks[at] & barred) == 0
        hits = named | (bm25 > 0) | (cosine >= floor)
        scores = score[hits & open_]
        if len(scores) > limit:
            score[~open_] = np.inf
            hits &= score >= np.partition(scores, len(scores) - limit)[len(scores) - limit] - MARGIN
        found: list[int] = at[hits].tolist()
        return found

    def _priors(self, at: Numbers, today: date, judged: Mapping[int, Judged]) -> Numbers:
        days = self._days[at]
        said = [(place, judged[number]) for place, number in enumerate(at.tolist()) if number in judged]
        for place, each in said:
            days[place] = each.day.toordinal() if each.day is not None else days[place]
        recency = 1 / (1 + 0.01 * np.maximum(today.toordinal() - days, 0))
        importance = self._importance[at]
        factors: Numbers = 0.85 + 0.15 * np.where(days == 0, rank.UNDATED_RECENCY, recency)
        factors *= np.where(np.isnan(importance), 1.0, 0.95 + 0.1 * np.clip(importance, 0, 1))
        factors *= np.where(self._marks[at] & ARCHIVED, rank.ARCHIVE, 1.0)
        for place, each in said:
            factors[place] *= rank.weight(each.score)
        return factors
