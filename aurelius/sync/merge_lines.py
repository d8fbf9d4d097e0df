"""Lines of a text that two sides changed: what one of them changed is taken, and where both did,
both stand one after the other, without a mark."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .merge_pieces import Row


def merge_rows(
    base: Sequence[Row],
    one: Sequence[Row],
    other: Sequence[Row],
) -> list[Row]:
    """The lines of both sides."""
    places = [_kept(base, side) for side in (one, other)]
    found: list[Row] = []
    at = -1
    begins = [0, 0]
    for number in range(len(base) + 1):
        ends = [place.get(number) for place in places]
        if number == len(base):
            ends = [len(one), len(other)]
        if ends[0] is None or ends[1] is None:
            continue
        before = base[at + 1 : number]
        mine = one[begins[0] : ends[0]]
        theirs = other[begins[1] : ends[1]]
        found += _chosen_rows(before, mine, theirs)
        found += base[number : number + 1]
        begins = [ends[0] + 1, ends[1] + 1]
        at = number
    return found


def _kept(base: Sequence[Row], side: Sequence[Row]) -> dict[int, int]:
    """For the numbers of lines of the base that a side still has, their numbers there."""
    before, after = ([text for text, _ in rows] for rows in (base, side))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_matching_blocks()
    found: dict[int, int] = {}
    for block in blocks:
        for at in range(block.size):
            found[block.a + at] = block.b + at
    return found


def _chosen_rows(
    before: Sequence[Row],
    mine: Sequence[Row],
    theirs: Sequence[Row],
) -> list[Row]:
    if mine in (theirs, before):
        return [*theirs]
    if theirs == before:
        return [*mine]
    return [*mine, *(row for row in theirs if row not in mine)]
