"""Where the pieces of a merged note stand.

What moved on neither side keeps its place. Everything else stands behind the piece that it stood
behind on the side that put it there, wherever that piece went; what both sides put in one place
stands there in an order that the texts decide, and the lines of a day by their times.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from .merge_pieces import SECTIONS, NotePiece

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TIME = re.compile(r"\s*(?:[-*+]\s+)?(?:\[[^\]]\]\s+)?\W{0,2}(\d{1,2}):(\d{2})\b")
_LAST = 9


class Standing:
    """What becomes of one piece: its number in the base and in each of the two versions, -1 where
    it is not there, the pieces it is in the end, and the side (0 or 1) that put it where it is, 2
    for none.

    One that is `kept` because another needs it is in the end what it was.
    """

    def __init__(self, base: int, sides: tuple[int, int]) -> None:
        self.base = base
        self.sides = sides
        self.pieces: tuple[NotePiece, ...] = ()
        self.place = 2
        self.below: list[Standing] = []
        self.number = 0

    @property
    def side(self) -> int:
        """The side whose order tells where it stands."""
        return self.place % 2


class PieceOrder:
    """The order of the nodes of two versions."""

    def __init__(
        self,
        nodes: Sequence[Standing],
        versions: Sequence[Sequence[NotePiece]],
        *,
        by_time: bool = False,
    ) -> None:
        self.versions = versions
        self.by_time = by_time
        self.of: list[dict[int, Standing]] = [{}, {}]
        self._homes: dict[int, Standing] = {}
        self.adopt(nodes)

    def adopt(self, nodes: Sequence[Standing]) -> None:
        """Take these nodes, by the numbers of their pieces; the first of two that have one."""
        self.nodes = nodes
        for number, node in enumerate(nodes):
            node.number = number
            for side, at in enumerate(node.sides):
                if at >= 0:
                    self.of[side].setdefault(at, node)

    def piece(self, node: Standing) -> NotePiece:
        """The piece of a node as it is on the side that put it there."""
        return self.versions[node.side][node.sides[node.side]]

    def around(self, node: Standing) -> list[Standing]:
        """What a node cannot stand without: the list item around it, its heading and those
        above."""
        piece = self.piece(node)
        found: list[Standing] = []
        side = node.side
        if piece.owner >= 0:
            found.append(self.of[side][piece.owner])
        at = piece.section
        level = piece.level or _LAST
        while at > 0:
            head = self.versions[side][at]
            if head.level and head.level < level:
                found.append(self.of[side][at])
                level = head.level
            at = self.versions[side][at - 1].section
        return found

    def arranged(self) -> list[Standing]:
        """All nodes that have pieces, in order."""
        alive = [node for node in self.nodes if node.pieces]
        heads = [node for node in alive if self.piece(node).kind in SECTIONS]
        rest = [node for node in alive if self.piece(node).kind not in SECTIONS]
        below: dict[int, list[Standing]] = {}
        for node in rest:
            below.setdefault(self._home(node).number, []).append(node)
        found: list[Standing] = []
        for head in self._in_row(heads):
            found.append(head)
            found += self._in_row(below.get(head.number, []))
        return found

    def _home(self, node: Standing) -> Standing:
        """The node that begins the section in which a node ends up."""
        known = self._homes.get(node.number)
        if known is None:
            piece = self.piece(node)
            of = self.of[node.side]
            if piece.owner >= 0:
                known = self._home(of[piece.owner])
            else:
                known = of[piece.section]
            self._homes[node.number] = known
        return known

    def _in_row(self, nodes: Sequence[Standing]) -> list[Standing]:
        """The nodes of one section, or the headings, in order."""
        inside = {node.number for node in nodes}
        for node in nodes:
            node.below = []
        begin: list[Standing] = []
        still = [node for node in nodes if node.place == 2]
        still.sort(key=lambda node: node.sides[0])
        for node in nodes:
            if node.place != 2:
                before = self._before(node, inside)
                (before.below if before else begin).append(node)
        found: list[Standing] = []
        seen = set[int]()
        self._walk(begin, found, seen)
        for node in still:
            self._walk([node], found, seen)
        for node in nodes:  # two that stand behind each other
            self._walk([node], found, seen)
        return found

    def _before(self, node: Standing, inside: set[int]) -> Standing | None:
        """What a node stands behind, None for the beginning."""
        side = node.side
        for at in range(node.sides[side] - 1, -1, -1):
            other = self.of[side].get(at)
            if other and other.pieces and other.number in inside:
                return other
        return None

    def _walk(self, begin: Iterable[Standing], found: list[Standing], seen: set[int]) -> None:
        """Add these nodes, and behind each what stands below it."""
        waiting = [*self._sorted(begin)][::-1]
        while waiting:
            node = waiting.pop()
            if node.number in seen:
                continue
            seen.add(node.number)
            found.append(node)
            waiting += [*self._sorted(node.below)][::-1]

    def _sorted(self, nodes: Iterable[Standing]) -> list[Standing]:
        """Nodes that stand in one place: what is nested first, then by their texts."""
        listed = sorted(nodes, key=lambda node: (-self._depth(node), self.piece(node).rows))
        if self.by_time and len(listed) > 1:
            return self._timed(listed)
        return listed

    def _timed(self, listed: list[Standing]) -> list[Standing]:
        """Runs of lines that begin with their times as one, in the order of these."""
        runs = [_run(node) for node in listed]
        times = [[_time(self.piece(node)) for node in run] for run in runs]
        if any("" in each or each != sorted(each) for each in times):
            return listed
        timed = sorted(chain(*runs), key=lambda node: _time(self.piece(node)))
        for node in timed:
            node.below = []
        return timed

    def _depth(self, node: Standing) -> int:
        depth = 0
        piece = self.piece(node)
        while piece.owner >= 0:
            piece = self.versions[node.side][piece.owner]
            depth += 1
        return depth


def _run(node: Standing) -> list[Standing]:
    """A node and, one below the other, what stands behind it; as far as that is one row."""
    found = [node]
    while len(found[-1].below) == 1:
        found.append(found[-1].below[0])
    return found


def _time(piece: NotePiece) -> str:
    """The time of the day that a line begins with, "" for none."""
    said = _TIME.match(piece.rows[0][0]) if piece.rows else None
    return f"{int(said[1]):02}:{said[2]}" if said else ""
