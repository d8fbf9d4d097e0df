"""Upkeep: what time brought, as proposals, and what was made of them this week.

Nothing is written: the proposals are those of `review`, where a person decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.spelling import plural

from . import review
from .known import known_matters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.plans.plan import Desk

    from .review import Matter

_KINDS = ("ask", *review.UPKEEP)


class Maintained(NamedTuple):
    """What upkeep proposes, and how many of its proposals were accepted and dismissed since Monday;
    `is_all` is False while it is still looked for."""

    matters: Sequence[Matter]
    accepted: int
    dismissed: int
    is_all: bool = True

    @property
    def told(self) -> str:
        """The week in plain words."""
        count = len(self.matters)
        wait = "waits" if count == 1 else "wait"
        left = "" if self.is_all else "; still looking for more"
        return (
            f"{count:,} {plural('proposal', count)} {wait} in `aurelius review`{left}; since"
            f" Monday {self.accepted:,} accepted, {self.dismissed:,} dismissed"
        )


def maintained(desk: Desk) -> Maintained:
    """What upkeep proposes: contradictions, duplicates, facts to archive, what came up on several
    days. A daemon looks for it in a thread of its own, and answers within a second."""
    found = known_matters(desk)
    counts = review.decided_lately(desk)
    matters = [each for each in found.matters if each.what in _KINDS]
    return Maintained(matters, counts["accept"], counts["dismiss"], found.is_all)
