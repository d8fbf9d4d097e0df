"""What came of sets of facts that change: rows of tables, each share with its 95 % bootstrap
interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from benches.ageing_written import Place
from benches.retrieval_report import between, met

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from benches.ageing_sets import Matters

CARELESS = ("page", "day", "link")
"""The ways without marks that a goal is set for."""
CURRENT, EACH, STALE, HELD_WRONG = 0.90, 0.75, 0.03, 0.05
"""The goals: the line that holds first, over all sets and on each (or EQUAL of what stands among
ten); an older one first; and of lines that hold side by side how many may be called older, or be
asked about."""
EQUAL = 0.95

SEARCH: tuple[str, ...] = (
    "set",
    "way",
    "n",
    "current@1",
    "95 %",
    "stale@1",
    "95 %",
    "as-of@1",
    "95 %",
    "stale ",
    "in 10",
    "newest first",
    "most used first",
    "newest of its note",
    "goal",
)
PROPOSED: tuple[str, ...] = (
    "set",
    "way",
    "changes",
    "supersede right",
    "wrong",
    "ask right",
    "wrong ",
    "carry right",
    "wrong  ",
    "merge wrong",
    "precision",
    "95 %",
    "recall",
    "95 % ",
    "called older",
    "wrongly",
)
CARRIED: tuple[str, ...] = (
    "set",
    "way",
    "lines of days",
    "right page",
    "95 %",
    "wrong or new page",
    "page asked",
    "replaces rightly",
    "wrongly",
)
SIDE: tuple[str, ...] = (
    "set",
    "way",
    "lines",
    "called older",
    "95 %",
    "asked about",
    "95 % ",
    "merged",
    "questions",
    "own line@1",
    "95 %  ",
    "goal",
)
AGAINST: tuple[str, ...] = (
    "set",
    "way",
    "n",
    "current@1",
    "95 %",
    "stale@1",
    "95 % ",
    "as-of@1",
    "95 %  ",
)

Row = tuple[str, ...]


class Judged(NamedTuple):
    """An answer: the wanted line is the first hit, an older or newer line of its matter is, it is
    among ten; and it is first when the same hits are ordered by their dates, or by how often they
    were used, or when of those of the first hit's note and of days that name it the newest comes
    first."""

    right: bool
    stale: bool
    among: bool
    newest: bool
    used: bool
    near: bool


class Asked(NamedTuple):
    """What came of a set written in one way: by question what is so and what was so; how many
    proposals of each sort are right and wrong, and which pairs of lines they name; the lines that
    are called older, rightly or not; and how many lines of days would be carried where."""

    now: dict[str, Judged]
    past: dict[str, Judged]
    right: Counter[str]
    wrong: Counter[str]
    pairs: list[tuple[str, Place, Place]]
    older: dict[Place, bool]
    carried: Counter[str]


def search_row(
    name: str, way: str, now: Sequence[Judged], past: Sequence[Judged], least: float = EACH
) -> Row:
    """What is so and what was so, of a set in one way; a goal where nobody made marks."""
    told = np.array(now, dtype=float)
    current, stale, among, newest, used, near = told.mean(axis=0)
    goal = ""
    if way in CARELESS:
        goal = met(current >= min(least, EQUAL * among) and stale <= STALE)
    cells = (f"{current:.3f}", between(told[:, 0]), f"{stale:.3f}", between(told[:, 1]))
    before = np.array(past, dtype=float)
    was = (
        (f"{before[:, 0].mean():.3f}", between(before[:, 0]), f"{before[:, 1].mean():.3f}")
        if past
        else ("",) * 3
    )
    return (
        name,
        way,
        str(len(now)),
        *cells,
        *was,
        f"{among:.3f}",
        f"{newest:.3f}",
        f"{used:.3f}",
        f"{near:.3f}",
        goal,
    )


def total(kept: Sequence[dict[str, Asked]], way: str) -> Iterator[Row]:
    """All questions of all sets that were written in a way, where there are several sets."""
    some = [told[way] for told in kept if way in told]
    if len(some) > 1:
        now = [one for each in some for one in each.now.values()]
        yield search_row(
            "all", way, now, [one for each in some for one in each.past.values()], CURRENT
        )


def proposed_row(of: Matters, way: str, got: Asked) -> Row:
    """What is proposed of a set in one way: precision over everything, recall of either kind."""
    right, wrong = sum(got.right.values()), sum(got.wrong.values())
    made = np.array([1.0] * right + [0.0] * wrong)
    pairs = ((old, new) for what, old, new in got.pairs if what != "merge")
    matters = {old.matter for old, new in pairs if old.matter == new.matter and old.line < new.line}
    known = np.array([float(number in matters) for number in range(len(of.matters))])
    olds = sum(len(one.lines) - 1 for one in of.matters)
    older = sum(got.older.values())
    return (
        of.name,
        way,
        str(len(of.matters)),
        *(
            str(counted[what])
            for what in ("supersede", "ask", "carry")
            for counted in (got.right, got.wrong)
        ),
        str(got.wrong["merge"]),
        f"{made.mean():.3f}" if len(made) else "",
        between(made) if len(made) else "",
        f"{known.mean():.3f}",
        between(known),
        f"{older / olds:.3f}",
        str(len(got.older) - older),
    )


def carried_row(of: Matters, way: str, got: Asked) -> Row:
    """What `extract` makes of the lines in notes of days."""
    counted = got.carried
    right = np.array(
        [1.0] * counted["right page"] + [0.0] * (counted["lines"] - counted["right page"])
    )
    others = (
        str(counted[name])
        for name in ("wrong page", "asked", "replaces rightly", "replaces wrongly")
    )
    return (of.name, way, str(counted["lines"]), f"{right.mean():.3f}", between(right), *others)


def side_row(of: Matters, way: str, got: Asked) -> Row:
    """What becomes of lines none of which changes another."""
    places = [
        Place(number, at, line.day)
        for number, one in enumerate(of.matters)
        for at, line in enumerate(one.lines)
    ]
    older = np.array([float(place in got.older) for place in places])
    named = {place for _, *pair in got.pairs for place in pair}
    touched = np.array([float(place in named) for place in places])
    told = np.array(list(got.now.values()), dtype=float).reshape(-1, len(Judged._fields))
    own = (f"{told[:, 0].mean():.3f}", between(told[:, 0])) if len(told) else ("", "")
    goal = met(older.mean() <= HELD_WRONG and touched.mean() <= HELD_WRONG)
    return (
        of.name,
        way,
        str(len(places)),
        f"{older.mean():.3f}",
        between(older),
        f"{touched.mean():.3f}",
        between(touched),
        str(got.wrong.get("merge", 0)),
        str(len(told)),
        *own,
        goal,
    )


def against_row(
    name: str, way: str, got: Asked, earlier: dict[str, dict[str, dict[str, list[int]]]]
) -> list[Row]:
    """The difference to an earlier run, over the questions that both were asked."""
    then = earlier.get(name, {}).get(way, {})
    now = figures(got)
    both = [(now[key], then[key]) for key in now if key in then]
    if not both:
        return []
    less = np.array([one for one, _ in both], dtype=float) - np.array(
        [other for _, other in both], dtype=float
    )
    cells = [
        cell
        for at in range(3)
        for cell in (f"{less[:, at].mean():+.3f}", between(less[:, at], "+.3f"))
    ]
    return [(name, way, str(len(both)), *cells)]


def figures(got: Asked) -> dict[str, list[int]]:
    """By question: current first, stale first, what was so first."""
    nothing = Judged(*[False] * 6)
    return {
        key: [int(one.right), int(one.stale), int(got.past.get(key, nothing).right)]
        for key, one in got.now.items()
    }
