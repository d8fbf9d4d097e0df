"""What a hit must be besides matching."""

from __future__ import annotations

from typing import NamedTuple


class Filters(NamedTuple):
    """What a hit must be besides matching; empty means any.  Dates are inclusive ISO days.

    `archived` is "only" for what lies in the archive, "no" for what does not; `as_of` is a day on which
    facts have to have held, whatever became of them since.
    """

    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str = ""
    where: tuple[tuple[str, str, str], ...] = ()
    since: str | None = None
    until: str | None = None
    status: str = "active"
    private: bool = False
    tiers: tuple[str, ...] = ()
    archived: str = ""
    as_of: str | None = None
