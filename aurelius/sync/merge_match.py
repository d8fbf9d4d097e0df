"""Which piece of one version of a note is which of another.

Headings first, then what stands below them: a piece is the same by its id, else by its words and
those of the list item around it. What is left over is the same piece in another place where its
words are, and reworded where most of them are.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from .merge_pieces import (
    BODY_TOP,
    FRONT,
    HEADING,
    LIST_ITEM,
    NOTE_END,
    PLAIN_LINE,
    PROPERTY_ENTRY,
    SECTIONS,
    WHOLE_BLOCK,
    NotePiece,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    Key = tuple[object, ...]

ALIKE = 0.6
"""The share of its words that a line which was reworded still has."""
_LEAST_MOVED = 4
"""Letters of a line that is found again in another place."""
_WORD = re.compile(r"\w+")
_ONCE = frozenset({FRONT, BODY_TOP, NOTE_END})


class Pairs(NamedTuple):
    """For numbers of pieces of the older version those of the newer one, and which of them did not
    move."""

    newer: dict[int, int]
    fixed: set[int]


def match_pieces(old: Sequence[NotePiece], new: Sequence[NotePiece]) -> Pairs:
    """Which of the new pieces is which old one."""
    return _Matching(old, new).match()


class _Matching:
    def __init__(self, old: Sequence[NotePiece], new: Sequence[NotePiece]) -> None:
        self.old = old
        self.new = new
        shared = _once(old) & _once(new)
        self.old_keys = _keys(old, shared)
        self.new_keys = _keys(new, shared)
        self.pairs: dict[int, int] = {}
        self.fixed = set[int]()
        self.taken = set[int]()

    def match(self) -> Pairs:
        heads = [_numbers(each, SECTIONS) for each in (self.old, self.new)]
        self._in_order(*heads)
        self._renamed(*heads)
        self._moved({HEADING})
        below = [_by_section(each) for each in (self.old, self.new)]
        for old, new in list(self.pairs.items()):
            mine = below[0].get(old, [])
            theirs = below[1].get(new, [])
            self._in_order(mine, theirs)
        self._moved({LIST_ITEM, PLAIN_LINE, WHOLE_BLOCK, PROPERTY_ENTRY})
        for old, new in list(self.pairs.items()):
            if self.old[old].kind in SECTIONS:
                mine = below[0].get(old, [])
                theirs = below[1].get(new, [])
                self._reworded(mine, theirs)
        return Pairs(self.pairs, self.fixed)

    def _pair(
        self,
        old: int,
        new: int,
        *,
        fixed: bool,
    ) -> None:
        self.pairs[old] = new
        self.taken.add(new)
        if fixed:
            self.fixed.add(old)

    def _in_order(self, old: Sequence[int], new: Sequence[int]) -> None:
        """Pair what stands in the same order on both sides."""
        old = [each for each in old if each not in self.pairs]
        new = [each for each in new if each not in self.taken]
        keys = [self.old_keys[each] for each in old]
        others = [self.new_keys[each] for each in new]
        matcher = SequenceMatcher(
            None,
            keys,
            others,
            autojunk=False,
        )
        for block in matcher.get_matching_blocks():
            for at in range(block.size):
                one = old[block.a + at]
                other = new[block.b + at]
                self._pair(one, other, fixed=True)

    def _renamed(self, old: Sequence[int], new: Sequence[int]) -> None:
        """Pair the one heading that is gone between two with the one that came there."""
        places = {each: at for at, each in enumerate(new)}
        gone: list[int] = []
        begin = 0
        for each in old:
            if each not in self.pairs:
                gone.append(each)
                continue
            end = places[self.pairs[each]]
            came = [other for other in new[begin:end] if other not in self.taken]
            if len(gone) == len(came) == 1 and self._same_level(gone[0], came[0]):
                self._pair(gone[0], came[0], fixed=True)
            gone = []
            begin = max(begin, end)

    def _same_level(self, old: int, new: int) -> bool:
        return self.old[old].level == self.new[new].level

    def _moved(self, kinds: Collection[str]) -> None:
        """Pair what has the same words in another place."""
        left: dict[Key, list[int]] = {}
        for number in reversed(range(len(self.new))):
            if number not in self.taken:
                left.setdefault(_bare(self.new_keys[number]), []).append(number)
        for number, piece in enumerate(self.old):
            key = _bare(self.old_keys[number])
            if number in self.pairs or piece.kind not in kinds or not left.get(key):
                continue
            is_short = len(piece.words) < _LEAST_MOVED
            if piece.kind != HEADING and not piece.id and is_short:
                continue
            place = left[key].pop()
            self._pair(number, place, fixed=False)

    def _reworded(self, old: Sequence[int], new: Sequence[int]) -> None:
        """Pair list items and blocks of one section of which most words stayed, nearest first."""
        gone = [each for each in old if each not in self.pairs]
        gone = [each for each in gone if self.old[each].kind in _REWORDED]
        came = [each for each in new if each not in self.taken]
        came = [each for each in came if self.new[each].kind in _REWORDED]
        if not gone or not came or len(gone) * len(came) > _MOST_COMPARED:
            return
        words = {each: _words(self.new[each]) for each in came}
        found: list[tuple[float, int, int]] = []
        for one in gone:
            mine = _words(self.old[one])
            for other in came:
                theirs = words[other]
                share = len(mine & theirs) / max(1, len(mine | theirs))
                if share >= ALIKE and not self._are_two(one, other):
                    found.append((-share, one, other))
        for _, one, other in sorted(found):
            if one not in self.pairs and other not in self.taken:
                self._pair(one, other, fixed=False)

    def _are_two(self, old: int, new: int) -> bool:
        """Whether they are of two kinds, or each has an id of its own."""
        if self.old[old].kind != self.new[new].kind:
            return True
        one = self.old[old].id
        other = self.new[new].id
        return bool(one and other and one != other)


_REWORDED = frozenset({LIST_ITEM, WHOLE_BLOCK})
_MOST_COMPARED = 1_000_000
"""Pairs of lines of one section that are compared by their words."""


def _once(pieces: Iterable[NotePiece]) -> set[str]:
    """The ids that stand once among them."""
    seen = set[str]()
    twice = set[str]()
    for piece in pieces:
        (twice if piece.id in seen else seen).add(piece.id)
    return seen - twice - {""}


def _keys(
    pieces: Sequence[NotePiece],
    shared: Collection[str],
) -> list[Key]:
    """What each piece is found again by: its kind and words or id, and whose words it stands
    below."""
    found: list[Key] = []
    for piece in pieces:
        around = found[piece.owner][:2] if piece.owner >= 0 else ()
        if piece.id in shared:
            found.append(("id", piece.id, ()))
        elif piece.kind in _ONCE:
            found.append((piece.kind, "", ()))
        else:
            named = piece.words
            if piece.kind == HEADING:
                named = f"{piece.level} {named}"
            found.append((piece.kind, named, around))
    return found


def _bare(key: Key) -> Key:
    """A key without what the piece stands below."""
    return key[:2]


def _words(piece: NotePiece) -> set[str]:
    return set(_WORD.findall(piece.words))


def _numbers(
    pieces: Sequence[NotePiece],
    kinds: Collection[str],
) -> list[int]:
    return [number for number, piece in enumerate(pieces) if piece.kind in kinds]


def _by_section(pieces: Sequence[NotePiece]) -> dict[int, list[int]]:
    """The numbers of the pieces below each piece that begins a section."""
    found: dict[int, list[int]] = {}
    for number, piece in enumerate(pieces):
        if piece.kind not in SECTIONS:
            found.setdefault(piece.section, []).append(number)
    return found
