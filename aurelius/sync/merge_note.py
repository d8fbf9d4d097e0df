"""Three versions of a note → the one that both devices meant, fact by fact; pure.

What was changed on one side is taken. What was changed on both stands side by side, and where a
line can say so it says what it contradicts, so that a person is asked. No date decides, nothing is
left out, and no conflict mark is made. The two newer versions may be given in either order.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from aurelius.compose.fact_text import id_of_words
from indexer.errors import UsageError
from indexer.note import ONLY_TOLD
from indexer.reading.fact_line import split_item
from indexer.reading.outline import generated_lines
from indexer.spelling import shorten

from .merge_lines import merge_rows
from .merge_match import Pairs, match_pieces
from .merge_order import PieceOrder, Standing
from .merge_pieces import (
    BODY_TOP,
    FRONT,
    HEADING,
    LIST_ITEM,
    NOTE_END,
    PROPERTY_ENTRY,
    SECTIONS,
    WHOLE_BLOCK,
    NotePiece,
    Row,
    Side,
    cut_note,
    plain_words,
)
from .merge_properties import merge_property

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.compose.note_lines import NoteReader
    from indexer.note import Note
    from indexer.reading.fact_line import Raw

_Value = TypeVar("_Value")
_OPEN_MARKS = frozenset({"[ ]", "TODO", "LATER"})


class MergedNote(NamedTuple):
    """The bytes that a note has now, and what a person should be told of it, a line each."""

    data: bytes
    told: tuple[str, ...] = ()


def merge_notes(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    path: str,
    read: NoteReader,
) -> MergedNote:
    """The note that two devices made of `base`, b"" where it was not there.

    UsageError where nothing sound can be made of the two: then both have to be kept.
    """
    if theirs in {ours, base}:
        return MergedNote(ours)
    if ours == base:
        return MergedNote(theirs)
    ours, theirs = sorted((ours, theirs))
    if all(_is_generated(read(path, data)) for data in (ours, theirs)):
        return MergedNote(theirs)
    sides = [cut_note(read(path, data), data) for data in (base, ours, theirs)]
    merging = _Merging(sides[0], (sides[1], sides[2]))
    data = merging.merged()
    _check_sound(cut_note(read(path, data), data), sides)
    return MergedNote(data, tuple(merging.told))


def _is_generated(note: Note) -> bool:
    """Whether a whole note was written by Aurelius, so that it will be made anew."""
    shut = {*generated_lines("\n".join(note.lines), 1)}
    rest = [
        text
        for number, text in enumerate(note.lines, 1)
        if number not in shut and text.strip() and not text.startswith("# ")
    ]
    return bool(shut) and not rest


class _Merging:
    """One merge: nodes are made, decided about, and put in order."""

    def __init__(self, base: Side, sides: tuple[Side, Side]) -> None:
        self.base = base
        self.sides = sides
        self.told: list[str] = []
        self.pairs = [match_pieces(base.pieces, side.pieces) for side in sides]
        self.older = [{new: old for old, new in pairs.newer.items()} for pairs in self.pairs]
        self.new_words = [
            {
                (side.pieces[number].kind, side.pieces[number].words)
                for number in _added(side, pairs)
            }
            for side, pairs in zip(sides, self.pairs, strict=True)
        ]
        self.nodes = [*self._nodes_of_base(), *self._new_nodes()]
        self.order = PieceOrder(
            self.nodes,
            [side.pieces for side in sides],
            by_time=base.note.kind == "daily" or sides[0].note.kind == "daily",
        )
        self.rivals: dict[str, str] = {}
        """Ids of lines that say from now on which other they contradict."""

    def merged(self) -> bytes:
        """The bytes of the merged note."""
        for node in list(self.nodes):
            self._decide(node)
        self._keep_what_is_needed()
        self._follow_owners()
        return self._written(self.order.arranged())

    def _nodes_of_base(self) -> Iterable[Standing]:
        for number in range(len(self.base.pieces)):
            first, second = (pairs.newer.get(number, -1) for pairs in self.pairs)
            yield Standing(number, (first, second))

    def _new_nodes(self) -> list[Standing]:
        """A node for each piece that is new; one for two that are the same."""
        added = [_added(side, pairs) for side, pairs in zip(self.sides, self.pairs, strict=True)]
        there: dict[object, list[int]] = {}
        for number in reversed(added[1]):
            for key in self._same(1, number):
                there.setdefault(key, []).append(number)
        found: list[Standing] = []
        taken = set[int]()
        for number in added[0]:
            for key in self._same(0, number):
                left = [each for each in there.get(key, ()) if each not in taken]
                if left:
                    taken.add(left[-1])
                    found.append(Standing(-1, (number, left[-1])))
                    break
            else:
                found.append(Standing(-1, (number, -1)))
        found += [Standing(-1, (-1, number)) for number in added[1] if number not in taken]
        return found

    def _same(self, side: int, number: int) -> list[object]:
        """What a new piece is the same by as one of the other side: its id, or its words in its
        section."""
        pieces = self.sides[side].pieces
        piece = pieces[number]
        if piece.kind in {FRONT, BODY_TOP, NOTE_END}:
            return [piece.kind]
        found: list[object] = [("id", piece.id)] if piece.id else []
        place: object = piece.level
        if piece.kind != HEADING:
            place = self._known(side, piece.section)
        return [*found, (piece.kind, piece.words, self._known(side, piece.owner), place)]

    def _known(self, side: int, number: int) -> object:
        """What stands for a heading or list item on both sides: its number in the base, else its
        words."""
        if number < 0:
            return ""
        return self.older[side].get(number, self.sides[side].pieces[number].words)

    def _decide(self, node: Standing) -> None:
        """Say what becomes of a piece, and where it stands."""
        base = self.base.pieces[node.base] if node.base >= 0 else None
        one, other = (
            side.pieces[at] if at >= 0 else None
            for side, at in zip(self.sides, node.sides, strict=True)
        )
        if one is None or other is None:
            self._decide_alone(node, base, one or other)
            return
        moved = [node.base not in pairs.fixed for pairs in self.pairs]
        node.place = 2
        if any(moved):
            node.place = 0 if moved[0] else 1
        found = self._both(base, one, other)
        if len(found) > 1 and any(moved) and _is_struck(one) != _is_struck(other):
            self._part(node, found)
        else:
            node.pieces = tuple(found)

    def _decide_alone(
        self,
        node: Standing,
        base: NotePiece | None,
        left: NotePiece | None,
    ) -> None:
        """The same for a piece that only one side has, or none."""
        if left is None:
            return
        node.place = 0 if node.sides[0] >= 0 else 1
        if base is None:
            node.pieces = (left,)
        elif left.texts != base.texts:
            node.pieces = (left,)
            self._tell("changed on one device and deleted on the other, so it stays", left)

    def _part(self, node: Standing, found: Sequence[NotePiece]) -> None:
        """A line that one side made past and the other changed: each stands where its side put
        it."""
        sides = [side.pieces[at] for side, at in zip(self.sides, node.sides, strict=True)]
        past = 0 if _is_struck(sides[0]) else 1
        at = [-1, -1]
        at[1 - past] = node.sides[1 - past]
        new = Standing(-1, (at[0], at[1]))
        new.place = 1 - past
        node.place = past
        for piece in found:
            (node if _is_struck(piece) else new).pieces = (piece,)
        self.nodes.append(new)
        new.number = len(self.nodes) - 1

    def _both(
        self,
        base: NotePiece | None,
        one: NotePiece,
        other: NotePiece,
    ) -> list[NotePiece]:
        """What a piece is that both sides have: one, or both where nothing decides."""
        lead = _chosen(base and base.lead, one.lead, other.lead)
        if lead is None:
            lead = max(
                one.lead,
                other.lead,
                key=lambda rows: (len(rows), rows),
            )
        found = self._joined(base, one, other)
        return [found[0]._replace(lead=lead), *found[1:]]

    def _joined(
        self,
        base: NotePiece | None,
        one: NotePiece,
        other: NotePiece,
    ) -> list[NotePiece]:
        rows = _chosen(base and base.rows, one.rows, other.rows)
        if rows is not None:
            return [one if rows is one.rows else other]
        if one.texts == other.texts:
            return [max(one, other)]
        if one.kind in {FRONT, BODY_TOP}:
            return [max(one, other)]
        if one.kind == PROPERTY_ENTRY:
            found, aside = merge_property(base, one, other)
            if aside:
                self._tell("changed on both devices, so the other value is a comment", found)
            return [found]
        if one.kind == WHOLE_BLOCK and base:
            merged = merge_rows(base.rows, one.rows, other.rows)
            return [one._replace(rows=tuple(merged))]
        return self._by_parts(base, one, other)

    def _by_parts(
        self,
        base: NotePiece | None,
        one: NotePiece,
        other: NotePiece,
    ) -> list[NotePiece]:
        """A line of which box, id and words are looked at by themselves."""
        own = _chosen(base and base.id, one.id, other.id)
        if own is None:
            own = min(filter(None, (one.id, other.id)))
        mark = _mark(base, one, other)
        said = _chosen(
            base and base.said(),
            one.said(),
            other.said(),
        )
        if said is None and one.words == other.words and one.kind == LIST_ITEM:
            said = max(one.said(), other.said())
        if said is not None:
            chosen = one if said == one.said() else other
            return [_with(chosen, own, mark)]
        sides = ((one, other), (other, one))
        for (mine, theirs), words in zip(sides, self.new_words, strict=True):
            if (theirs.kind, theirs.words) in words:  # that side has both lines already
                return [_with(mine, own, mark)]
        return self._side_by_side(_with(one, own, mark), _with(other, own, mark))

    def _side_by_side(self, one: NotePiece, other: NotePiece) -> list[NotePiece]:
        """Both of two lines; the second of two with an id has one of its own, and contradicts the
        first."""
        first, second = sorted(
            (one, other),
            key=lambda each: (not _is_struck(each), each.said()),
        )
        if _is_struck(second):
            return [self._both_past(first, second)]
        self._tell("changed on both devices, so both stand there", first, second)
        if not (first.id or second.id) and self._are_dated_facts(first, second):
            own = id_of_words("", " ".join(first.said()))
            first = first.with_id(own)
            second = second.with_id(own)
        if second.id:
            rival = (_successor(first) if _is_struck(first) else "") or second.id
            own = id_of_words(second.id, " ".join(second.said()))
            second = second.with_id(own, rival)
        return [first, second._replace(lead=_lead_of(second))]

    def _are_dated_facts(self, *pieces: NotePiece) -> bool:
        """Whether each is a fact with a date, so that it can say what it contradicts once it has an
        id: a person is asked about these."""
        facts = set[str]()
        for side in self.sides:
            facts.update(plain_words(fact.text) for fact in side.note.facts)
        return all(
            split_item(piece.words).inner and split_item(piece.words).text in facts
            for piece in pieces
        )

    def _both_past(self, first: NotePiece, second: NotePiece) -> NotePiece:
        """One of two lines that are past on both sides; what replaced the other contradicts what
        replaced it."""
        one, other = sorted((first, second), key=_successor)
        if _successor(one) and _successor(one) != _successor(other):
            self.rivals[_successor(other)] = _successor(one)
            self._tell("replaced on both devices, so both lines stand there", one)
        return one

    def _tell(self, why: str, *pieces: NotePiece) -> None:
        texts = (" ".join(piece.said()) for piece in pieces)
        told = " / ".join(shorten(text.strip()) for text in texts)
        self.told.append(f"{why}: {told}")

    def _keep_what_is_needed(self) -> None:
        """Keep also the headings and list items that something stands in which is kept."""
        waiting = [node for node in self.nodes if node.pieces]
        self.order.adopt(self.nodes)
        while waiting:
            node = waiting.pop()
            for needed in self.order.around(node):
                if not needed.pieces:
                    needed.place = node.side
                    piece = self.sides[node.side].pieces[needed.sides[node.side]]
                    needed.pieces = (piece,)
                    self._tell("deleted on one device, and needed by a line of the other", piece)
                    waiting.append(needed)
        self._close_front()

    def _close_front(self) -> None:
        """Keep the lines around properties as long as there are any."""
        if not any(node.pieces and node.pieces[0].kind == PROPERTY_ENTRY for node in self.nodes):
            return
        for node in self.nodes:
            first = node.pieces[0] if node.pieces else None
            if first and first.kind in {FRONT, BODY_TOP} and not first.rows:
                places = zip(self.sides, node.sides, strict=True)
                pieces = (side.pieces[at] for side, at in places)
                node.pieces = tuple(piece for piece in pieces if piece.rows)[:1]

    def _follow_owners(self) -> None:
        """Have what is nested in a list item go where that goes."""
        for node in self.nodes:
            if node.place != 2 or not node.pieces:
                continue
            piece = self.sides[0].pieces[node.sides[0]]
            if piece.owner >= 0:
                node.place = self.order.of[0][piece.owner].place

    def _written(self, nodes: Sequence[Standing]) -> bytes:
        """The bytes of nodes in this order."""
        found = chain.from_iterable(node.pieces for node in nodes)
        pieces = self._named_once(found)
        rows: list[Row] = []
        before: NotePiece | None = None
        eol = _chosen(self.base.eol, self.sides[0].eol, self.sides[1].eol) or "\n"
        for piece in pieces:
            if before and _runs_on(before, piece):
                rows.append(("", eol))
            rows += piece.lead
            rows += piece.rows
            before = piece if piece.rows else before
        text = "".join(line + end for line, end in rows)
        one, other = self.sides
        is_open = _chosen(self.base.open, one.open, other.open)
        if is_open and rows:
            text = text[: -len(rows[-1][1])]
        mark = _chosen(self.base.mark, one.mark, other.mark) or b""
        return mark + text.encode()

    def _named_once(self, pieces: Iterable[NotePiece]) -> list[NotePiece]:
        """The pieces, no id twice that is not twice already on one side."""
        most = Counter[str]()
        for side in self.sides:
            most |= Counter(piece.id for piece in side.pieces)
        seen = Counter[str]()
        found: list[NotePiece] = []
        for piece in pieces:
            named = piece
            if piece.id in self.rivals:
                named = piece.with_id(piece.id, self.rivals[piece.id])
            seen[piece.id] += 1
            if piece.id and seen[piece.id] > max(1, most[piece.id]):
                own = id_of_words(piece.id, " ".join(piece.said()))
                named = piece.with_id(own)
            found.append(named)
        return found


def _added(side: Side, pairs: Pairs) -> list[int]:
    """The numbers of the pieces of a side that were not there before."""
    old = {*pairs.newer.values()}
    return [number for number in range(len(side.pieces)) if number not in old]


def _chosen(
    base: _Value | None,
    one: _Value,
    other: _Value,
) -> _Value | None:
    """The value that was changed, or both have; None where each has its own."""
    if other in (one, base):
        return one
    return other if one == base else None


def _is_struck(piece: NotePiece) -> bool:
    return piece.kind == LIST_ITEM and _item_of(piece).struck


def _successor(piece: NotePiece) -> str:
    """The id of the line that replaced a line, "" for none."""
    return _item_of(piece).tail.superseded_by


def _item_of(piece: NotePiece) -> Raw:
    text = " ".join(piece.texts)
    return split_item(text.lstrip(" \t-*+"))


def _mark(
    base: NotePiece | None,
    one: NotePiece,
    other: NotePiece,
) -> str:
    """The box of a task: that of the side which changed it; else the one that says more than
    open."""
    mark = _chosen(base.mark if base else None, one.mark, other.mark)
    if mark is None:
        marks = (one.mark, other.mark)
        mark = max(marks, key=lambda each: (bool(each), each not in _OPEN_MARKS, each))
    return mark


def _with(piece: NotePiece, own: str, mark: str) -> NotePiece:
    """A piece with that id and box."""
    if own != piece.id:
        piece = piece.with_id(own)
    return piece.with_mark(mark)


def _lead_of(piece: NotePiece) -> tuple[Row, ...]:
    """The blank lines above the second of two that stand side by side."""
    return piece.lead if piece.kind in SECTIONS else ()


def _runs_on(before: NotePiece, piece: NotePiece) -> bool:
    """Whether a line would go on with the list item before it, in which it does not stand."""
    if (
        piece.lead
        or not piece.rows
        or before.kind != LIST_ITEM
        or piece.kind in {LIST_ITEM, HEADING}
    ):
        return False
    return piece.owner < 0


def _check_sound(merged: Side, versions: Sequence[Side]) -> None:
    """UsageError where the merged note has problems that none of the three had, or its headings and
    list items are not those of the two."""
    note = merged.note
    known = {*ONLY_TOLD}
    for side in versions:
        known.update(problem.code for problem in side.note.problems)
    for problem in note.problems:
        if problem.code not in known:
            raise UsageError(f"{note.path}:{problem.line}: not merged: {problem.message}")
    before, mine, theirs, now = (_telling(side) for side in (*versions, merged))
    needed = (mine - before) | (theirs - before) | (mine & theirs)
    for text in sorted((needed - now) | (now - mine - theirs)):
        raise UsageError(f"{note.path}: not merged: a line would be lost or made: {text}")


def _telling(side: Side) -> set[str]:
    """The texts of the headings and list items of a note, without their tails."""
    return {
        split_item(piece.words).text for piece in side.pieces if piece.kind in {HEADING, LIST_ITEM}
    }
