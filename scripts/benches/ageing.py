"""What search, `review` and `extract` make of facts that change or hold side by side, in other
people's words.

Each set is written into vaults in several ways (ageing_written.py) and asked through the public
API: on the day after its last line, and about what was so as of a day between two lines. Yardsticks
are the same ten hits in another order.
"""

from __future__ import annotations

import datetime
import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from benches import ageing_report as report
from benches.ageing_report import Asked, Judged
from benches.ageing_written import WAYS, Place, Written, ways, write
from benches.retrieval_report import load
from benches.retrieval_sets import spread

from aurelius.memory import extract
from aurelius.memory.review import open_matters
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from aurelius.writing.edit import place_of_config
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_facts
from indexer.catalog.newer import newer_facts
from indexer.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benches.ageing_sets import Line, Matter, Matters

    from aurelius.memory.review import Matter as Proposal
    from indexer.catalog.newer import Newer
    from indexer.search.hit import Hit

DEEP = 10
"""Hits that are looked at."""
OFTEN = 30
"""Days between two uses of a line while it is the last word, for the yardstick of what was used
most."""
Table = tuple[str, list[report.Row]]


class Wish(NamedTuple):
    """What to measure: at most so many questions of lines that hold, a file to keep results in and
    one to compare with, whether to print what came first instead of the wanted line."""

    sample: int = 0
    save: Path | None = None
    against: Path | None = None
    misses: bool = False


class _Written(NamedTuple):
    """A vault of ours: its matters, where each line stands, the vault itself, whether misses are
    printed; and for each line that a hit called older the newer one."""

    matters: Sequence[Matter]
    written: Written
    vault: Vault
    misses: bool
    labels: dict[Place, Newer]


def measure(found: Sequence[Matters], place: Path, wish: Wish) -> list[Table]:
    """The tables of these sets; vaults and indexes go to `place`."""
    earlier = load(wish.against) if wish.against else {}
    tables: dict[str, list[report.Row]] = {
        "Facts that change: which line is the first hit": [report.SEARCH],
        "Facts that change: what `review` proposes, and which older lines are called so": [
            report.PROPOSED
        ],
        "Facts that change: what `extract` would carry from notes of days": [report.CARRIED],
        "Lines that hold side by side": [report.SIDE],
        "Beside an earlier run, paired": [report.AGAINST],
    }
    search, proposed, carried, side, margins = tables.values()
    kept: dict[str, dict[str, Asked]] = {}
    for each in found:
        for way in ways(each.matters):
            began = time.perf_counter()
            got = ask(each.matters, place / each.name.replace(" ", "-") / way, way, wish)
            kept.setdefault(each.name, {})[way] = got
            if each.hold:
                side.append(report.side_row(each, way, got))
            else:
                search.append(
                    report.search_row(
                        each.name, way, list(got.now.values()), list(got.past.values())
                    )
                )
                proposed += [report.proposed_row(each, way, got)] if way != "marks" else []
                carried += [report.carried_row(each, way, got)] if got.carried["lines"] else []
            margins += report.against_row(each.name, way, got, earlier)
            last = side[-1] if each.hold else search[-1]
            print("  ".join((*last, f"{time.perf_counter() - began:.0f} s")), file=sys.stderr)
    changing = [kept[each.name] for each in found if not each.hold]
    search += [row for way in WAYS for row in report.total(changing, way)]
    if wish.save:
        told = {
            name: {way: report.figures(got) for way, got in each.items()}
            for name, each in kept.items()
        }
        wish.save.write_text(json.dumps(told, ensure_ascii=False, indent=0) + "\n", "utf-8")
    return [(title, rows) for title, rows in tables.items() if len(rows) > 1]


# -- asking ----------------------------------------------------------------------------


def ask(matters: Sequence[Matter], folder: Path, way: str, wish: Wish) -> Asked:
    """Write the matters into a vault, ask what they answer, and see what `review` proposes."""
    written = write(matters, folder / "vault", way)
    last = max(line.day for one in matters for line in one.lines)
    now = datetime.datetime.fromisoformat(f"{last}T12:00") + datetime.timedelta(days=1)
    env = {"HOME": str(folder), "AURELIUS_INDEX": str(folder / "index"), "AURELIUS_NO_USE": "1"}
    vault = Vault.find(str(folder / "vault"), env, "/", now=now)
    here = _Written(matters, written, vault, wish.misses, {})
    try:
        found = [
            {
                name: _answer(here, place, day)
                for name, place, day in questions(matters, wish.sample, past=past)
            }
            for past in (False, True)
            if not (past and way == "undated")  # nobody knows what held on a day
        ]
        past = found[1] if len(found) > 1 else {}
        return Asked(found[0], past, *proposals(here), called_older(here), carried_lines(here))
    finally:
        vault.close()


def questions(
    matters: Sequence[Matter], sample: int, *, past: bool
) -> Iterator[tuple[str, Place, str]]:
    """(name, the line that is the answer, as of which day or "") of every question; of the past one
    a matter, of lines that hold side by side at most `sample`, spread over all."""
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
    hits = here.vault.search(
        SearchQuery(question, filters=Filters(as_of=day or None), limit=DEEP)
    ).hits
    places = [_place(here.written, hit) for hit in hits]
    here.labels.update(
        (place, hit.newer) for place, hit in zip(places, hits, strict=True) if place and hit.newer
    )
    newest = sorted(range(len(hits)), key=lambda at: hits[at].date or "", reverse=True)
    used = sorted(range(len(hits)), key=lambda at: _uses(here, places[at]), reverse=True)
    good = [place is not None and _same(here, place, wanted) for place in places]
    near = sorted(
        (at for at in range(len(hits)) if _near(here, hits, places, at)), key=newest.index
    )
    first = [good[order[0]] if order else False for order in (newest, used, near)]
    stale = (
        bool(places) and places[0] is not None and not good[0] and places[0].matter == wanted.matter
    )
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
    return hits[at].path in {one.path, hits[0].path} or any(
        name.lower() in hits[at].text.lower() for name in names
    )


def _same(here: _Written, one: Place, other: Place) -> bool:
    """Whether two lines say the same to the letter: a value may come back, and one thing be told
    twice."""
    first, second = (here.matters[place.matter].lines[place.line].text for place in (one, other))
    return one == other or first == second


def _uses(here: _Written, place: Place | None) -> int:
    """How often a line was used, were it asked for every month from the day on which it was written
    to the next one."""
    if place is None:
        return 0
    lines = here.matters[place.matter].lines
    held = here.matters[place.matter].hold or place.line + 1 == len(lines)
    end = here.vault.now.date() if held else datetime.date.fromisoformat(lines[place.line + 1].day)
    return (end - datetime.date.fromisoformat(place.day)).days // OFTEN


# -- what is proposed ------------------------------------------------------------------


def called_older(here: _Written) -> dict[Place, bool]:
    """The lines of which the index or a hit says that a newer one says the same with another value;
    whether it does."""
    db = here.vault.index().db
    known = newer_facts(db, private=True)
    facts = (
        (here.written.get((path, fact.first)), known.get((path, fact.key)))
        for path, fact in get_facts(db, private=True)
    )
    called = {place: by for place, by in facts if place and by} | here.labels
    found = {}
    for old, by in called.items():
        new = here.written.get((by.path, by.line))
        found[old] = new is not None and _changed(here, old, new)
    return found


def _changed(here: _Written, old: Place, new: Place) -> bool:
    """Whether a line takes the place of another: of one matter, which changed, and later."""
    return old.matter == new.matter and old.line < new.line and not here.matters[old.matter].hold


def proposals(here: _Written) -> tuple[Counter[str], Counter[str], list[tuple[str, Place, Place]]]:
    """How many pairs of lines `review` proposes rightly and wrongly, by what it proposes, and which
    those are.

    Right is a pair of an older and a newer line of one matter that changed. To strike one of two
    that say the same to the letter is neither.
    """
    right, wrong, pairs = Counter[str](), Counter[str](), []
    for each in open_matters(_desk(here)):
        for old, new in _pairs(here, each):
            if not _same(here, old, new):
                (right if _changed(here, old, new) and each.what != "merge" else wrong)[
                    each.what
                ] += 1
                pairs.append((each.what, old, new))
    return right, wrong, pairs


def _pairs(here: _Written, matter: Proposal) -> Iterator[tuple[Place, Place]]:
    """The older and newer lines that a proposal is about; one that only adds a line to a page is
    about none."""
    own = [
        here.written.get((path, fact.first))
        for path, fact in ((matter.path, matter.fact), *matter.more)
    ]
    by = here.written.get((matter.by[0], matter.by[1].first)) if matter.by else None
    if matter.what in {"carry", "captured"}:  # the line that would be written replaces the other
        new = own[0]
        by = by or (_carried(here, new, matter.by[1].text) if matter.by and new else None)
        yield from [(by, new)] if by and new else []
    else:
        yield from [(old, by) for old in own if old and by]


def carried_lines(here: _Written) -> Counter[str]:
    """Of the lines in notes of days: how many `extract` would carry, to which page, and in the
    place of which line."""
    days = {at for at in here.written if at[0].startswith("memory/")}
    counted = Counter({"lines": len(days)})
    for each in extract.find_carried(_desk(here)) if days else ():
        new = here.written.get((each.path, each.line_no))
        if new is None:
            continue
        page = here.matters[new.matter].path
        counted["asked" if each.ask else "right page" if each.page == page else "wrong page"] += 1
        if each.replaces:
            path, fact = each.replaces
            old = here.written.get((path, fact.first)) or _carried(here, new, fact.text)
            counted[
                "replaces rightly" if old and _changed(here, old, new) else "replaces wrongly"
            ] += 1
    return counted


def _carried(here: _Written, new: Place, text: str) -> Place | None:
    """The earlier line of a matter that would be carried before it in these words, without the name
    of its page."""
    lines = here.matters[new.matter].lines[: new.line]
    found = [at for at, line in enumerate(lines) if line.text.lower().endswith(text.lower())]
    return Place(new.matter, found[-1], lines[found[-1]].day) if found else None


def _desk(here: _Written) -> Desk:
    return Desk(here.vault, place_of_config(here.vault.config, here.vault.env), here.vault.now)
