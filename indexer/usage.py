"""The usage log added up: what was used when, and what was said of it (design §3.2).  Values in, values out.

The order of files and lines means nothing, and the same event twice is one.  A file that holds `snap`
lines was compacted: they stand for all of its other lines, which a merge may bring back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .logline import DAY, MARKS, Event, Lines, Snap, home_of, read_lines


class Uses(NamedTuple):
    """How a fact or note was used: on how many days, all devices together, and when last; `score` is what was
    said of it, `ranked` when it was last reinforced or updated.  Times are unix seconds.
    """

    count: int = 0  # type: ignore[assignment]  # nobody counts values in it, which is what a tuple's own is for
    last: float | None = None
    score: int = 0
    ranked: float | None = None


class Usage(NamedTuple):
    """The whole log added up.

    Facts by `^id` or hash key, notes by path, both under the newest name that an alias gives them;
    `aliases` leads from each older name straight to it.  `summaries` are the hashes of what was written
    into each note, `accepted` and `dismissed` the keys of proposals, `torn` the lines of each file
    (`device/2026-02.jsonl`) that could not be read.
    """

    facts: Mapping[str, Uses]
    notes: Mapping[str, Uses]
    aliases: Mapping[str, str]
    summaries: Mapping[str, frozenset[str]]
    accepted: frozenset[str]
    dismissed: frozenset[str]
    torn: Mapping[str, int]

    def of(self, ref: str) -> Uses:
        """The uses of a fact or note by its present name."""
        return (self.notes if is_note(ref) else self.facts).get(ref, Uses())


class Row:
    """What the events of one device add up to for one `ref`.

    `scored` is the time of the last event that moved the score, and `seen` are those at that very time.
    """

    __slots__ = ("count", "last", "ranked", "score", "scored", "seen")

    def __init__(
        self, count: int = 0, last: int | None = None, score: int = 0, ranked: int | None = None,
        scored: int | None = None, seen: str = "",
    ) -> None:  # fmt: skip
        self.count = count
        self.last = last
        self.score = score
        self.ranked = ranked
        self.scored = scored
        self.seen = seen


class LateError(Exception):
    """An event is older than what was added before it: its device has to be added up anew."""


class Tally:
    """What the events of one device add up to.

    Events come in the order of their times: one use counts for a day, and the same event twice is one.
    """

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.marks: dict[tuple[str, str, str], int] = {}
        """(operation, ref, value) → when it was said last."""

    def add(self, events: Iterable[Event]) -> None:
        """Add events, all of them later than those before or of the same time.  LateError."""
        rows = self.rows
        for event in sorted(events):
            at, op, ref, number, by, value = event
            if op in MARKS:
                self._mark(op, ref, value, at)
                continue
            row = rows.get(ref)
            if row is None:
                row = rows[ref] = Row()
            if op == "use":
                self._use(row, at)
            elif op == "update":
                row.ranked = max(at, row.ranked or at)
            else:
                self._score(row, at, op, number, by)

    def add_file(self, lines: Lines) -> None:
        """Add a whole file, whose month is not before that of any other.  LateError."""
        if lines.snaps:
            self.add_snaps(lines.snaps)
        else:
            self.add(lines.events)

    def add_snaps(self, snaps: Iterable[Snap]) -> None:
        """Add a compacted file; of two snaps of the same thing the later counts."""
        latest: dict[tuple[str, str], Snap] = {}
        for snap in snaps:
            key = (snap.of, snap.ref)
            latest[key] = max(snap, latest.get(key, snap), key=_sortable)
        for snap in latest.values():
            for value, at in snap.values:
                self._mark(snap.of, snap.ref, value, at)
            if snap.of == "use":
                row = self.rows.setdefault(snap.ref, Row())
                row.count += snap.uses
                row.last = _later(row.last, snap.last)
                row.score += snap.score
                row.ranked = _later(row.ranked, snap.ranked)

    def _mark(self, op: str, ref: str, value: str, at: int) -> None:
        key = (op, ref, value)
        self.marks[key] = max(at, self.marks.get(key, at))

    @staticmethod
    def _use(row: Row, at: int) -> None:
        if row.last is None or at // DAY > row.last // DAY:
            row.count += 1
        elif at // DAY < row.last // DAY:
            raise LateError
        row.last = max(at, row.last or at)

    @staticmethod
    def _score(row: Row, at: int, op: str, number: str, by: int) -> None:
        name = f"{number}{op[0]}{by}"
        if row.scored is not None and at < row.scored:
            raise LateError
        if row.scored == at:
            if name in row.seen.split():
                return
            name = " ".join(sorted([*row.seen.split(), name]))
        row.scored, row.seen = at, name
        row.score += by if op == "reinforce" else -by
        if op == "reinforce":
            row.ranked = _later(row.ranked, at)


def fold(files: Iterable[tuple[str, bytes]]) -> Usage:
    """The log added up: pairs of `device/2026-02.jsonl` and what that file holds.

    A path that is no log file's name is left out.
    """
    of_device: dict[str, list[tuple[str, bytes]]] = {}
    torn: dict[str, int] = {}
    for path, data in files:
        home = home_of(path)
        if home is not None:
            of_device.setdefault(home[0], []).append((path, data))
    tallies = {}
    for device, theirs in of_device.items():
        tallies[device], broken = fold_device(theirs)
        torn.update(broken)
    return total(tallies.values(), torn)


def fold_device(files: Iterable[tuple[str, bytes]]) -> tuple[Tally, dict[str, int]]:
    """All files of one device added up, and how many lines of each were torn."""
    tally = Tally()
    torn = {}
    for path, data in sorted(files):
        lines = read_lines(path, data)
        tally.add_file(lines)
        if lines.torn or lines.cut:
            torn[path] = lines.torn + lines.cut
    return tally, torn


def is_note(ref: str) -> bool:
    """Whether a `ref` is a note's path; no fact's id or key has a dot."""
    return "." in ref


def total(tallies: Iterable[Tally], torn: Mapping[str, int]) -> Usage:
    """All devices together."""
    tallies = list(tallies)
    marks: dict[tuple[str, str, str], int] = {}
    for tally in tallies:
        for key, at in tally.marks.items():
            marks[key] = max(at, marks.get(key, at))
    aliases = leads(marks)
    uses: dict[str, Uses] = {}
    for tally in tallies:
        for ref, row in tally.rows.items():
            name = aliases.get(ref, ref)
            was = uses.get(name, Uses())
            uses[name] = Uses(
                was.count + row.count, _later(was.last, row.last), was.score + row.score, _later(was.ranked, row.ranked)
            )
    summaries: dict[str, set[str]] = {}
    for op, ref, value in marks:
        if op == "summary":
            summaries.setdefault(aliases.get(ref, ref), set()).add(value)
    return Usage(
        {ref: each for ref, each in uses.items() if not is_note(ref)},
        {ref: each for ref, each in uses.items() if is_note(ref)},
        aliases,
        {path: frozenset(hashes) for path, hashes in summaries.items()},
        frozenset(ref for op, ref, _ in marks if op == "accept"),
        frozenset(ref for op, ref, _ in marks if op == "dismiss"),
        dict(torn),
    )


def leads(marks: Mapping[tuple[str, str, str], int]) -> dict[str, str]:
    """Each old name → the name it has now, from the aliases among the marks: the latest one counts.

    Where names lead in a circle, all of them lead to its least.
    """
    latest: dict[str, tuple[int, str]] = {}
    for (op, ref, to), at in marks.items():
        if op == "alias" and to != ref:
            latest[ref] = max((at, to), latest.get(ref, (at, to)))
    found: dict[str, str] = {}
    for ref in latest:
        way = [ref]
        while way[-1] in latest and way[-1] not in found:
            following = latest[way[-1]][1]
            if following in way:
                circle = way[way.index(following) :]
                found.update(dict.fromkeys(circle, min(circle)))
                break
            way.append(following)
        last = found.get(way[-1], way[-1])
        found.update((name, last) for name in way)
    return {ref: name for ref, name in found.items() if ref != name}


def _later(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _sortable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((value is not None, value) for value in values)
