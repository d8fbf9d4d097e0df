"""What search and `review` make of facts that change, and of lines that hold side by side, in other people's words.

Each set is written into vaults in several ways (ageing_written.py) and asked through the public API: on the day after
its last line, and about what was so as of a day between two lines.  Yardsticks are the same ten hits in another order.
"""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from benches.ageing_written import WAYS, Place, Written, ways, write
from benches.retrieval_report import between, load, met
from benches.retrieval_sets import spread

from aurelius.memory.review import open_matters
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from aurelius.writing.edit import place_of
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_facts
from indexer.catalog.newer import newer_facts
from indexer.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benches.ageing_sets import Line, Matter, Matters

    from indexer.search.search import Hit

DEEP = 10
"""Hits that are looked at."""
OFTEN = 30
"""Days between two uses of a line while it is the last word, for the yardstick of what was used most."""
CARELESS = ("page", "day", "link")
"""The ways without marks that a goal is set for."""
CURRENT, EACH, STALE, HELD_WRONG = 0.90, 0.75, 0.03, 0.05
"""The goals: the line that holds first, over all sets and on each (or EQUAL of what stands among ten); an older one
first; and of lines that hold side by side how many may be called older, or be asked about."""
EQUAL = 0.95

SEARCH: tuple[str, ...] = (
    "set", "way", "n", "current@1", "95 %", "stale@1", "95 %", "as-of@1", "95 %", "stale ", "in 10", "newest first",
    "most used first", "newest of its note", "goal",
)  # fmt: skip
PROPOSED: tuple[str, ...] = (
    "set", "way", "changes", "supersede right", "wrong", "ask right", "wrong ", "merge wrong", "precision", "95 %",
    "recall", "95 % ", "called older",
)  # fmt: skip
SIDE: tuple[str, ...] = (
    "set", "way", "lines", "called older", "95 %", "asked about", "95 % ", "merged", "questions",
    "own line@1", "95 %  ", "goal",
)  # fmt: skip
AGAINST: tuple[str, ...] = ("set", "way", "n", "current@1", "95 %", "stale@1", "95 % ", "as-of@1", "95 %  ")

Row = tuple[str, ...]
Table = tuple[str, list[Row]]


class Judged(NamedTuple):
    """An answer: the wanted line is the first hit, an older or newer line of its matter is, it is among ten; and it is
    first when the same hits are ordered by their dates, or by how often they were used, or when of those of the first
    hit's note and of days that name it the newest comes first."""

    right: bool
    stale: bool
    among: bool
    newest: bool
    used: bool
    near: bool


class Asked(NamedTuple):
    """What came of a set written in one way: by question what is so and what was so; how many proposals of each sort
    are right and wrong, and which pairs of lines they name; and the lines that are called older."""

    now: dict[str, Judged]
    past: dict[str, Judged]
    right: Counter[str]
    wrong: Counter[str]
    pairs: list[tuple[Place, Place]]
    older: set[Place]


class Wish(NamedTuple):
    """What to measure: at most so many questions of lines that hold, a file to keep results in and one to compare with,
    whether to print what came first instead of the wanted line."""

    sample: int = 0
    save: Path | None = None
    against: Path | None = None
    misses: bool = False


class _Written(NamedTuple):
    """A vault of ours: its matters, where each line stands, the vault itself."""

    matters: Sequence[Matter]
    written: Written
    vault: Vault
    misses: bool = False


def measure(found: Sequence[Matters], place: Path, wish: Wish) -> list[Table]:
    """The tables of these sets; vaults and indexes go to `place`."""
    earlier = load(wish.against) if wish.against else {}
    search: list[Row] = [SEARCH]
    proposed: list[Row] = [PROPOSED]
    side: list[Row] = [SIDE]
    margins: list[Row] = [AGAINST]
    kept: dict[str, dict[str, Asked]] = {}
    for each in found:
        for way in ways(each.matters):
            began = time.perf_counter()
            got = ask(each.matters, place / each.name.replace(" ", "-") / way, way, wish)
            kept.setdefault(each.name, {})[way] = got
            if each.hold:
                side.append(side_row(each, way, got))
            else:
                search.append(search_row(each.name, way, list(got.now.values()), list(got.past.values()), EACH))
                proposed += [proposed_row(each, way, got)] if way != "marks" else []
            margins += against_row(each.name, way, got, earlier)
            last = side[-1] if each.hold else search[-1]
            print("  ".join((*last, f"{time.perf_counter() - began:.0f} s")), file=sys.stderr)
    changing = [kept[each.name] for each in found if not each.hold]
    search += [row for way in WAYS for row in total(changing, way)]
    if wish.save:
        told = {name: {way: figures(got) for way, got in each.items()} for name, each in kept.items()}
        wish.save.write_text(json.dumps(told, ensure_ascii=False, indent=0) + "\n", "utf-8")
    return [
        (title, rows)
        for title, rows in (
            ("Facts that change: which line is the first hit", search),
            ("Facts that change: what `review` proposes, and which older lines are called so", proposed),
            ("Lines that hold side by side", side),
            ("Beside an earlier run, paired", margins),
        )
        if len(rows) > 1
    ]


# -- asking --------------------------------------------------------------------------------------------


def ask(matters: Sequence[Matter], folder: Path, way: str, wish: Wish) -> Asked:
    """Write the matters into a vault, ask what they answer, and see what `review` proposes."""
    written = write(matters, folder / "vault", way)
    last = max(line.day for one in matters for line in one.lines)
    now = datetime.datetime.fromisoformat(f"{last}T12:00") + datetime.timedelta(days=1)
    env = {"HOME": str(folder), "AURELIUS_INDEX": str(folder / "index"), "AURELIUS_NO_USE": "1"}
    vault = Vault.find(str(folder / "vault"), env, "/", now=now)
    here = _Written(matters, written, vault, wish.misses)
    try:
        found = [
            {name: _answer(here, place, day) for name, place, day in questions(matters, wish.sample, past=past)}
            for past in (False, True)
            if not (past and way == "undated")  # nobody knows what held on a day
        ]
        right, wrong, pairs = proposals(here)
        return Asked(found[0], found[1] if len(found) > 1 else {}, right, wrong, pairs, called_older(here))
    finally:
        vault.close()


def questions(matters: Sequence[Matter], sample: int, *, past: bool) -> Iterator[tuple[str, Place, str]]:
    """(name, the line that is the answer, as of which day or "") of every question; of the past one a matter, of lines
    that hold side by side at most `sample`, spread over all."""
    if all(one.hold for one in matters):
        every = [
            (f"{one.id} {at}", Place(number, at, line.day), "")
            for number, one in enumerate(matters)
            for at, line in enumerate(one.lines)
            if line.ask
        ]
        yield from [] if past else spread(every, sample or len(every))
        return
    for number, one in enumerate(matters):
        at = len(one.lines) - (2 if past else 1)
        if at >= 0 and one.lines[at].ask:
            day = _halfway(one.lines[at], one.lines[at + 1]) if past else ""
            yield one.id, Place(number, at, one.lines[at].day), day


def _halfway(one: Line, other: Line) -> str:
    first, last = (datetime.date.fromisoformat(line.day) for line in (one, other))
    return (first + (last - first) // 2).isoformat()


def _answer(here: _Written, wanted: Place, day: str) -> Judged:
    """What search says to the question whose answer a line is."""
    question = here.matters[wanted.matter].lines[wanted.line].ask
    hits = here.vault.search(SearchQuery(question, filters=Filters(as_of=day or None), limit=DEEP)).hits
    places = [_place(here.written, hit) for hit in hits]
    newest = sorted(range(len(hits)), key=lambda at: hits[at].date or "", reverse=True)
    used = sorted(range(len(hits)), key=lambda at: _uses(here, places[at]), reverse=True)
    good = [place is not None and _same(here, place, wanted) for place in places]
    near = sorted((at for at in range(len(hits)) if _near(here, hits, places, at)), key=newest.index)
    first = [good[order[0]] if order else False for order in (newest, used, near)]
    stale = bool(places) and places[0] is not None and not good[0] and places[0].matter == wanted.matter
    if here.misses and good and not good[0]:
        right = here.matters[wanted.matter].lines[wanted.line].text
        told = "an older line" if stale else "another matter"
        print(f"{question!r} {day}: {told}: {hits[0].path} {hits[0].text.strip()!r}, not {right!r}")
    return Judged(bool(good) and good[0], stale, any(good), *first)


def _place(written: Written, hit: Hit) -> Place | None:
    """The one line of ours that a hit shows; None for another, or for several at once."""
    inside = [written.get((hit.path, number)) for number in range(hit.lines[0], hit.lines[1] + 1)]
    known = [place for place in inside if place]
    return known[0] if len(known) == 1 else None


def _near(here: _Written, hits: Sequence[Hit], places: Sequence[Place | None], at: int) -> bool:
    """Whether a hit is of the note that the first hit is about: it stands there, or names it."""
    top = places[0]
    if at == 0 or top is None:
        return at == 0
    one = here.matters[top.matter]
    names = (one.title, *one.aliases) if one.path != "ME.md" else ()
    return hits[at].path in {one.path, hits[0].path} or any(name.lower() in hits[at].text.lower() for name in names)


def _same(here: _Written, one: Place, other: Place) -> bool:
    """Whether two lines say the same to the letter: a value may come back, and one thing be told twice."""
    first, second = (here.matters[place.matter].lines[place.line].text for place in (one, other))
    return one == other or first == second


def _uses(here: _Written, place: Place | None) -> int:
    """How often a line was used, were it asked for every month from the day on which it was written to the next one."""
    if place is None:
        return 0
    lines = here.matters[place.matter].lines
    held = here.matters[place.matter].hold or place.line + 1 == len(lines)
    end = here.vault.now.date() if held else datetime.date.fromisoformat(lines[place.line + 1].day)
    return (end - datetime.date.fromisoformat(place.day)).days // OFTEN


# -- what is proposed ----------------------------------------------------------------------------------


def called_older(here: _Written) -> set[Place]:
    """The lines of which it is said that a newer one says the same with another value."""
    db = here.vault.index().db
    keys = newer_facts(db, private=True)
    facts = get_facts(db, private=True)
    found = (here.written.get((path, fact.first)) for path, fact in facts if (path, fact.key) in keys)
    return {place for place in found if place}


def proposals(here: _Written) -> tuple[Counter[str], Counter[str], list[tuple[Place, Place]]]:
    """How many pairs of lines `review` proposes rightly and wrongly, by what it proposes, and which those are.

    Right is a pair of an older and a newer line of one matter that changed.  To strike one of two that say the same
    to the letter is neither.
    """
    desk = Desk(here.vault, place_of(here.vault.config, here.vault.env, now=here.vault.now), here.vault.now)
    right, wrong, pairs = Counter[str](), Counter[str](), []
    for each in open_matters(desk):
        old = here.written.get((each.path, each.fact.first))
        new = here.written.get((each.by[0], each.by[1].first)) if each.by else None
        if old and new and not _same(here, old, new):
            changed = old.matter == new.matter and old.line < new.line and not here.matters[old.matter].hold
            (right if changed and each.what != "merge" else wrong)[each.what] += 1
            pairs.append((old, new))
    return right, wrong, pairs


# -- telling -------------------------------------------------------------------------------------------


def search_row(name: str, way: str, now: Sequence[Judged], past: Sequence[Judged], least: float) -> Row:
    """What is so and what was so, of a set in one way; a goal where nobody made marks."""
    told = np.array(now, dtype=float)
    current, stale, among, newest, used, near = told.mean(axis=0)
    goal = ""
    if way in CARELESS:
        goal = met(current >= min(least, EQUAL * among) and stale <= STALE)
    cells = (f"{current:.3f}", between(told[:, 0]), f"{stale:.3f}", between(told[:, 1]))
    before = np.array(past, dtype=float)
    was = (f"{before[:, 0].mean():.3f}", between(before[:, 0]), f"{before[:, 1].mean():.3f}") if past else ("",) * 3
    return (name, way, str(len(now)), *cells, *was, f"{among:.3f}", f"{newest:.3f}", f"{used:.3f}", f"{near:.3f}", goal)


def total(kept: Sequence[dict[str, Asked]], way: str) -> Iterator[Row]:
    """All questions of all sets that were written in a way, where there are several sets."""
    some = [told[way] for told in kept if way in told]
    if len(some) > 1:
        now = [one for each in some for one in each.now.values()]
        yield search_row("all", way, now, [one for each in some for one in each.past.values()], CURRENT)


def proposed_row(of: Matters, way: str, got: Asked) -> Row:
    """What is proposed of a set in one way: precision over everything, recall of either kind."""
    right, wrong = sum(got.right.values()), sum(got.wrong.values())
    made = np.array([1.0] * right + [0.0] * wrong)
    matters = {old.matter for old, new in got.pairs if old.matter == new.matter and old.line < new.line}
    known = np.array([float(number in matters) for number in range(len(of.matters))])
    olds = sum(len(one.lines) - 1 for one in of.matters)
    older = sum(place.line + 1 < len(of.matters[place.matter].lines) for place in got.older)
    return (
        of.name, way, str(len(of.matters)),
        str(got.right.get("supersede", 0)), str(got.wrong.get("supersede", 0)),
        str(got.right.get("ask", 0)), str(got.wrong.get("ask", 0)), str(got.wrong.get("merge", 0)),
        f"{made.mean():.3f}" if len(made) else "", between(made) if len(made) else "",
        f"{known.mean():.3f}", between(known), f"{older / olds:.3f}",
    )  # fmt: skip


def side_row(of: Matters, way: str, got: Asked) -> Row:
    """What becomes of lines none of which changes another."""
    places = [Place(number, at, line.day) for number, one in enumerate(of.matters) for at, line in enumerate(one.lines)]
    older = np.array([float(place in got.older) for place in places])
    named = {place for pair in got.pairs for place in pair}
    touched = np.array([float(place in named) for place in places])
    told = np.array(list(got.now.values()), dtype=float).reshape(-1, len(Judged._fields))
    own = (f"{told[:, 0].mean():.3f}", between(told[:, 0])) if len(told) else ("", "")
    goal = met(older.mean() <= HELD_WRONG and touched.mean() <= HELD_WRONG)
    return (
        of.name, way, str(len(places)), f"{older.mean():.3f}", between(older), f"{touched.mean():.3f}",
        between(touched), str(got.wrong.get("merge", 0)), str(len(told)), *own, goal,
    )  # fmt: skip


def against_row(name: str, way: str, got: Asked, earlier: dict[str, dict[str, dict[str, list[int]]]]) -> list[Row]:
    """The difference to an earlier run, over the questions that both were asked."""
    then = earlier.get(name, {}).get(way, {})
    now = figures(got)
    both = [(now[key], then[key]) for key in now if key in then]
    if not both:
        return []
    less = np.array([one for one, _ in both], dtype=float) - np.array([other for _, other in both], dtype=float)
    cells = [cell for at in range(3) for cell in (f"{less[:, at].mean():+.3f}", between(less[:, at], "+.3f"))]
    return [(name, way, str(len(both)), *cells)]


def figures(got: Asked) -> dict[str, list[int]]:
    """By question: current first, stale first, what was so first."""
    nothing = Judged(*[False] * 6)
    return {
        key: [int(one.right), int(one.stale), int(got.past.get(key, nothing).right)] for key, one in got.now.items()
    }
