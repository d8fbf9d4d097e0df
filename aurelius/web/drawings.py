"""Pictures as SVG text: a bar of tiers, a year of days, a row of bars, and the notes around a note.

Each has a twin in words, which the page shows beside it; a picture with links is nothing to a
screen reader or the keyboard, which find the same in the twin. Classes have their colours
from `static/drawings.css`; shape or size say the same as colour does.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from html import escape
from itertools import count, groupby
from typing import TYPE_CHECKING, NamedTuple

from indexer.note import NOTE_KINDS
from indexer.reading.path_meaning import MONTHS
from indexer.spelling import shorten, single_spaced
from indexer.usage.tier import TIERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from indexer.catalog.around import MapNode, NoteMap

    Address = Callable[[str], str]
    Point = tuple[int, int]
    Box = tuple[float, float, float, float]

_NO_TEXT = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_DAY = datetime.timedelta(days=1)
_BAR_WIDTH = 320
_BAR_HEIGHT = 14
_LEAST_SEGMENT = 3
"""Width of a tier that has anything."""
_CELL = 13
_CELL_SIZES = (3, 5, 7, 9, 11)
"""Sides of a day's square, by level."""
_LEFT = 28
_TOP = 16
"""Room for the names of weekdays, and of months."""
_HALF_GAP = 10
LEVELS = len(_CELL_SIZES) - 1
"""Levels of a day that has anything."""
_WEEKDAYS = {0: "Mon", 2: "Wed", 4: "Fri"}
_SPARK_BAR = 6
_SPARK_HEIGHT = 24
_MAP_WIDTH = 400
_MAP_HEIGHT = 330
_LEGEND_HEIGHT = 22
_MARGIN = 24
_ROUNDS = 70
"""Rounds in which notes on a map push and pull each other."""
_LABEL_LETTERS = 20
_LETTER_WIDTH = 6.7
_LETTER_HEIGHT = 12
_SHAPES = {
    "person": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "me": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "project": "m-5-5h10v10h-10z",
    "company": "m0-6l6 6l-6 6l-6-6z",
    "daily": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
}
"""The outline of a note on a map, by kind."""
_OTHER_SHAPE = "m0-5l5 9h-10z"


class MonthRow(NamedTuple):
    """A month such as 2026-02: its days that have anything, each as `3 February` with how much it
    has."""

    month: str
    days: Sequence[tuple[str, int]]
    total: int


class Neighbour(NamedTuple):
    """A note of a map in words: what it has to do with the one in the middle."""

    path: str
    title: str
    kind: str
    how: str


def _svg(
    title: str,
    size: Point,
    parts: Iterable[str],
    *,
    name: str,
    more: str = 'role="img"',
) -> str:
    """A picture as wide as its place: `name` is its class and the beginning of an id, `more` what
    else the element says."""
    own = f"{name}-title"
    wide, high = size
    return (
        f'<svg class="drawing {name}" viewBox="0 0 {wide} {high}" {more} aria-labelledby="{own}">'
        f'<title id="{own}">{_told(title)}</title>'
        f'<g aria-hidden="true">{"".join(parts)}</g></svg>'
    )


def _told(text: str) -> str:
    """Words of a person's as markup; what no text has is a space."""
    return escape(_NO_TEXT.sub(" ", text))


_LINKS = 'aria-hidden="true"'
"""What a picture with links is: as an image it would have none, as a group nothing in it."""


def draw_tiers(
    counts: Mapping[str, int],
    title: str,
) -> str:
    """One bar of hot, warm and cold; "" where there is nothing."""
    shown = [tier for tier in TIERS if counts.get(tier)]
    total = sum(counts[tier] for tier in shown)
    room = _BAR_WIDTH - _LEAST_SEGMENT * len(shown)
    parts = []
    left = 0.0
    for tier in shown:
        wide = _LEAST_SEGMENT + room * counts[tier] / total
        parts.append(
            f'<rect class="tier-{tier}" x="{left:.1f}" width="{wide - 1:.1f}"'
            f' height="{_BAR_HEIGHT}">'
            f"<title>{tier}: {counts[tier]:,}</title></rect>"
        )
        left += wide
    if not parts:
        return ""
    return _svg(
        title,
        (_BAR_WIDTH, _BAR_HEIGHT),
        parts,
        name="tiers",
        more='role="img" preserveAspectRatio="none"',
    )


def draw_uses(
    counts: Sequence[int],
    title: str,
) -> str:
    """Bars side by side, the oldest first, such as the uses of each week; "" where all are 0."""
    most = max(counts, default=0)
    if not most:
        return ""
    bars = []
    for at, amount in enumerate(counts):
        left = at * _SPARK_BAR
        high = 1
        if amount:
            high = max(3, round(_SPARK_HEIGHT * amount / most))
        bars.append(f"M{left},{_SPARK_HEIGHT}v-{high}h{_SPARK_BAR - 2}v{high}z")
    return _svg(
        title,
        (len(counts) * _SPARK_BAR, _SPARK_HEIGHT),
        ['<path class="spark" d="', *bars, '"/>'],
        name="uses",
    )


def uses_by_week(
    days: Iterable[datetime.date],
    today: datetime.date,
    weeks: int,
) -> list[int]:
    """On how many of these days something was used in each of the last weeks, this one last."""
    ago = Counter((today - day).days // 7 for day in days)
    return [ago[week] for week in reversed(range(weeks))]


# -- a year of days ------------------------------------------------------------------------------


def draw_days(
    counts: Mapping[str, int],
    span: tuple[datetime.date, datetime.date],
    title: str,
    address: Address,
) -> str:
    """The days of a span, a week a column from Monday down, in two halves one below the other; a
    day that has anything leads to its address."""
    first, last = span
    grid = _grid(first, last)
    levels = day_levels(counts)
    squares = []
    cells: list[list[str]] = [[] for _ in _CELL_SIZES]
    for number in range(first.weekday(), (last - grid.start).days + 1):
        day = (grid.start + number * _DAY).isoformat()
        level = levels.get(day, 0)
        square = _square(grid.corner(number), level)
        if not level:
            squares.append(square)
            continue
        cells[level].append(
            f'<a href="{escape(address(day))}" tabindex="-1">'
            f"<title>{day}: {counts[day]:,}</title>"
            f'<path d="{square}"/></a>'
        )
    labels = [
        *_month_labels(grid, last),
        *_weekday_labels(grid),
    ]
    cells[0].append(f'<path d="{"".join(squares)}"/>')
    _, high = grid.corner(7 * grid.columns)
    return _svg(
        title,
        (_LEFT + grid.columns * _CELL, high + 7 * _CELL),
        [*labels, *map(_level, count(), cells)],
        name="days",
        more=_LINKS,
    )


def _level(level: int, cells: Iterable[str]) -> str:
    return f'<g class="level-{level}">{"".join(cells)}</g>'


class _Grid(NamedTuple):
    """Where the days of a span stand, from a Monday on, so many weeks in each half."""

    start: datetime.date
    columns: int

    def corner(self, number: int) -> Point:
        """The upper left corner of the cell of a day, by its number from the first Monday."""
        week, weekday = divmod(number, 7)
        half, column = divmod(week, self.columns)
        top = _TOP + half * (_TOP + 7 * _CELL + _HALF_GAP)
        return _LEFT + column * _CELL, top + weekday * _CELL


def _grid(first: datetime.date, last: datetime.date) -> _Grid:
    start = first - first.weekday() * _DAY
    weeks = (last - start).days // 7 + 1
    return _Grid(start, (weeks + 1) // 2)


def _square(corner: Point, level: int) -> str:
    """The square of a day in the middle of its cell."""
    side = _CELL_SIZES[level]
    edge = (_CELL - side) // 2
    left, top = corner
    return f"M{left + edge},{top + edge}h{side}v{side}h-{side}z"


def day_levels(counts: Mapping[str, int]) -> dict[str, int]:
    """The level from 1 to 4 of each day that has anything, by how many days have less."""
    amounts = sorted(amount for amount in counts.values() if amount > 0)
    return {
        day: 1 + LEVELS * bisect_left(amounts, amount) // len(amounts)
        for day, amount in counts.items()
        if amount > 0
    }


def _month_labels(grid: _Grid, last: datetime.date) -> Iterator[str]:
    """The name of each month over the week that holds its first day."""
    for number in range((last - grid.start).days + 1):
        day = grid.start + number * _DAY
        left, top = grid.corner(number - day.weekday())
        if day.day == 1 and left + 2 * _CELL <= _LEFT + grid.columns * _CELL:
            name = MONTHS[day.month - 1][:3].title()
            if day.month == 1:
                name = str(day.year)
            yield f'<text x="{left}" y="{top - 5}">{name}</text>'


def _weekday_labels(grid: _Grid) -> Iterator[str]:
    for half in (0, 1):
        for weekday, name in _WEEKDAYS.items():
            _, top = grid.corner(7 * half * grid.columns + weekday)
            yield f'<text x="0" y="{top + _CELL - 3}">{name}</text>'


def month_rows(counts: Mapping[str, int]) -> list[MonthRow]:
    """The twin of a year of days: its months, the newest first."""
    rows = []
    for month, days in groupby(sorted(counts), key=lambda day: day[:7]):
        name = MONTHS[int(month[5:]) - 1].title()
        own = [(f"{int(day[8:])} {name}", counts[day]) for day in days]
        rows.append(MonthRow(month, own, sum(amount for _, amount in own)))
    return rows[::-1]


# -- the notes around a note -----------------------------------------------------------------------


def draw_map(
    found: NoteMap,
    title: str,
    address: Address,
) -> str:
    """The notes around the one in the middle, each a link to its address; "" where it has none.

    A note whose name finds no room is not drawn.
    """
    if len(found.nodes) < 2:
        return ""
    places = place_nodes(len(found.nodes), found.edges)
    labels = _place_labels(found.nodes, places)
    near = list[str]()
    far = list[str]()
    drawn = [number for number, label in enumerate(labels) if label]
    for one, other in found.edges:
        if not (labels[one] and labels[other]):
            continue
        left, top = places[one]
        right, low = places[other]
        lines = far
        if 0 in {one, other}:
            lines = near
        lines.append(f"M{left},{top}L{right},{low}")
    nodes = [_node(found.nodes[at], places[at], labels[at], address) for at in drawn]
    return _svg(
        title,
        (_MAP_WIDTH, _MAP_HEIGHT + _LEGEND_HEIGHT),
        [
            f'<path class="edge" d="{"".join(far)}"/>',
            f'<path class="edge near" d="{"".join(near)}"/>',
            *reversed(nodes),  # the one in the middle lies above all
            *_legend({found.nodes[at].kind for at in drawn}),
        ],
        name="map",
        more=_LINKS,
    )


def _node(
    node: MapNode,
    place: Point,
    label: str,
    address: Address,
) -> str:
    kind = _kind(node.kind)
    title = _told(f"{node.title} ({kind})")
    left, top = place
    return (
        f'<a class="node step-{node.steps} kind-{kind}" tabindex="-1"'
        f' href="{escape(address(node.path))}">'
        f"<title>{title}</title>"
        f'<path d="M{left},{top}{_SHAPES.get(kind, _OTHER_SHAPE)}"/>{label}</a>'
    )


def _kind(kind: str) -> str:
    if kind in NOTE_KINDS:
        return kind
    return "note"


def _legend(kinds: set[str]) -> Iterator[str]:
    """What the shapes mean, of those that are there, where there are several."""
    named = [kind for kind in _SHAPES if kind in kinds and kind != "me"]
    if kinds - _SHAPES.keys():
        named.append("other")
    if len(named) < 2:
        return
    top = _MAP_HEIGHT + 10
    for at, kind in enumerate(named):
        left = 10 + at * 76
        shape = _SHAPES.get(kind, _OTHER_SHAPE)
        yield f'<path class="sign" d="M{left},{top}{shape}"/>'
        yield f'<text x="{left + 10}" y="{top + 4}">{kind}</text>'


def place_nodes(amount: int, edges: Sequence[tuple[int, int]]) -> list[Point]:
    """Where notes stand: they push each other away, links pull, the first stays in the middle. The
    same notes and links stand in the same places."""
    import numpy as np

    number = np.arange(amount)
    turn = number * 2.399963  # the golden angle, by which no two stand in one direction
    radius = np.sqrt(number / amount)
    at = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    links = np.zeros((amount, amount))
    for one, other in edges:
        links[one, other] = links[other, one] = 1
    # who has many links pulls with each of them the less, so that a hub is no knot
    many = np.maximum(np.sqrt(links.sum(axis=0)), 1)
    links /= np.minimum(many[:, None], many[None])
    room = 1.6 / np.sqrt(amount)
    for step in range(_ROUNDS):
        gap = at[:, None] - at[None]
        far = np.sqrt((gap**2).sum(axis=2)) + 1e-6
        force = room**2 / far**2 - links * far / room * 0.7
        move = (gap * force[:, :, None]).sum(axis=1) - at * 0.12
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-9
        most = 0.15 * (1 - step / _ROUNDS)
        at += move / length * np.minimum(length, most)
        at[0] = 0
    return _fitted(at)


def _fitted(at: np.ndarray) -> list[Point]:
    """Places as points of the picture, the first in the middle of it."""
    import numpy as np

    half = np.array([_MAP_WIDTH / 2, _MAP_HEIGHT / 2])
    reach = np.abs(at).max(axis=0) + 1e-9
    points = half + at / reach * (half - _MARGIN)
    return [(round(x), round(y)) for x, y in points.tolist()]


class _Label(NamedTuple):
    """Where a label may stand: its box, and what of it stands at which point."""

    box: Box
    anchor: str
    point: Point


def _place_labels(
    nodes: Sequence[MapNode],
    places: Sequence[Point],
) -> list[str]:
    """The label of each note, beside, below or above it where nothing else is, else ""; the first
    has one in any case."""
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    labels = []
    for number, (node, place) in enumerate(zip(nodes, places, strict=True)):
        text = shorten(single_spaced(node.title), _LABEL_LETTERS)
        choices = list(_label_choices(text, place))
        others = taken[:number] + taken[number + 1 :]
        chosen = next((each for each in choices if _is_free(each.box, others)), None)
        if number == 0:
            chosen = chosen or choices[0]
        if chosen is None:
            labels.append("")
            continue
        taken.append(chosen.box)
        x, y = chosen.point
        labels.append(
            f'<text x="{x}" y="{y}" text-anchor="{chosen.anchor}">{_told(text)}</text>',
        )
    return labels


def _label_choices(text: str, place: Point) -> Iterator[_Label]:
    x, y = place
    wide = sum(_LETTER_WIDTH * (1 + (letter > "\u2e80")) for letter in text)
    for anchor, left, point in (
        ("start", x + 8, (x + 8, y + 4)),
        ("end", x - 8 - wide, (x - 8, y + 4)),
        ("middle", x - wide / 2, (x, y + 17)),
        ("middle", x - wide / 2, (x, y - 9)),
        ("start", x - 4, (x - 4, y + 17)),
        ("end", x + 4 - wide, (x + 4, y + 17)),
    ):
        low = point[1] + 2
        box = (left, low - _LETTER_HEIGHT, left + wide, low)
        yield _Label(box, anchor, point)


def _is_free(box: Box, taken: Iterable[Box]) -> bool:
    left, top, right, low = box
    if min(left, top, _MAP_WIDTH - right, _MAP_HEIGHT - low) < 0:
        return False
    return not any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < low
        for other in taken
    )


def neighbour_rows(found: NoteMap) -> list[Neighbour]:
    """The twin of a map: the notes on it without the one in the middle, and how each is linked."""
    ways = defaultdict[int, list[str]](list)
    over = defaultdict[int, set[str]](set)
    for one, other in found.edges:
        if one == 0:
            ways[other].append("linked from here")
        elif other == 0:
            ways[one].append("links here")
        else:
            over[one].add(found.nodes[other].title)
            over[other].add(found.nodes[one].title)
    rows = []
    for at, node in enumerate(found.nodes[1:], 1):
        how = ways[at]
        if node.steps == 2:
            how = [f"by way of {', '.join(sorted(over[at]))}"]
        rows.append(
            Neighbour(
                node.path,
                node.title,
                node.kind,
                " and ".join(how),
            )
        )
    return rows
