"""The usage log added up: order-free, idempotent, the same however devices were merged."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.usage.log_line import log_file_home, read_lines
from indexer.usage.tally import (
    RefTotals,
    Tally,
    Usage,
    Uses,
    add_up_uses,
    current_names,
    decisions,
    is_note,
    pack_days,
    unpack_days,
)
from tests.daily import daily

Log = dict[str, list[bytes]]
"""The lines of each file."""

DEVICES, MONTHS, REFS = (
    ("lap7", "desk-1"),
    ("2026-01", "2026-02"),
    ("k3v9qa", "h0123456789a", "people/joe.md", "zz9"),
)


def unix(text: str) -> float:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC).timestamp()


def event(number: int, time: str, op: str, ref: str, device: str = "lap7", **more: Any) -> bytes:
    said = {"e": f"{device}-{number:016x}", "t": f"{time}Z", "op": op, "ref": ref, **more}
    return json.dumps(said).encode() + b"\n"


def fold(files: Iterable[tuple[str, bytes]]) -> Usage:
    """A log added up without an index."""
    tallies: dict[str, Tally] = {}
    torn = {}
    for path, data in files:
        if log_file_home(path) is None:
            continue
        lines = read_lines(path, data)
        tallies.setdefault(path.partition("/")[0], Tally()).add(lines.events)
        torn.update({path: lines.torn + lines.cut} if lines.torn or lines.cut else {})
    marks: dict[tuple[str, str, str], int] = {}
    for tally in tallies.values():
        for mark, at in tally.marks.items():
            marks[mark] = max(at, marks.get(mark, at))
    aliases = current_names(marks)
    rows: dict[str, list[Any]] = {}
    for tally in tallies.values():
        for ref, row in tally.rows.items():
            count, last, score, ranked, _, days = row.stored()
            rows.setdefault(aliases.get(ref, ref), []).append((count, last, score, ranked, days))
    uses = {ref: add_up_uses(each) for ref, each in rows.items()}
    summaries: dict[str, frozenset[str]] = {}
    for op, ref, value in marks:
        if op == "summary":
            path = aliases.get(ref, ref)
            summaries[path] = summaries.get(path, frozenset()) | {value}
    return Usage(
        {ref: each for ref, each in uses.items() if not is_note(ref)},
        {ref: each for ref, each in uses.items() if is_note(ref)},
        aliases,
        summaries,
        {ref: at for (op, ref, _), at in marks.items() if op == "accept"},
        decisions(
            ((op, ref, at) for (op, ref, _), at in marks.items() if op in {"dismiss", "restore"}),
            aliases,
        ),
        torn,
    )


def uses(*days: str, score: int = 0, ranked: float | None = None) -> Uses:
    """Uses at these moments, a day each."""
    moments = {int(unix(each)) // 86400: int(unix(each)) for each in days}
    return Uses(len(days), max(moments.values(), default=None), score, ranked, pack_days(moments))


def of(lines: Iterable[bytes], path: str = "lap7/2026-02.jsonl") -> Usage:
    return fold([(path, b"".join(lines))])


def folded(log: Log) -> Usage:
    return fold((path, b"".join(lines)) for path, lines in log.items())


def test_a_day_counts_once_for_a_fact_whichever_device() -> None:
    """Looking at it all day, or on two devices, makes it no more used."""
    log = [
        (
            "lap7/2026-02.jsonl",
            event(1, "2026-02-10T09:00:00", "use", "k3v9qa")
            + event(2, "2026-02-10T23:59:59", "use", "k3v9qa")
            + event(3, "2026-02-11T00:00:00", "use", "k3v9qa"),
        ),
        ("desk/2026-02.jsonl", event(1, "2026-02-10T08:00:00", "use", "k3v9qa", "desk")),
    ]
    assert fold(log).of("k3v9qa") == uses("2026-02-10T23:59:59", "2026-02-11T00:00:00")


def test_only_reinforce_and_demote_move_the_score() -> None:
    """The sum is not clamped here; a use moves no score, and demoting resets no clock."""
    used = of(
        [
            event(1, "2026-02-10T09:00:00", "use", "a"),
            event(2, "2026-02-11T09:00:00", "reinforce", "a", by=3),
            event(3, "2026-02-12T09:00:00", "demote", "a", by=1),
            *(event(9 + n, "2026-02-13T09:00:00", "reinforce", "a", by=3) for n in range(5)),
            event(4, "2026-02-14T09:00:00", "demote", "b", by=8),
            event(5, "2026-02-15T09:00:00", "update", "c"),
        ]
    )
    assert used.facts == {
        "a": uses("2026-02-10T09:00:00", score=17, ranked=unix("2026-02-13T09:00:00")),
        "b": uses(score=-8),
        "c": uses(ranked=unix("2026-02-15T09:00:00")),
    }


def test_notes_are_apart_from_facts() -> None:
    used = of([event(1, "2026-02-10T09:00:00", "use", "people/joe.md")])
    assert used.facts == {}
    assert used.notes == {"people/joe.md": uses("2026-02-10T09:00:00")}
    assert used.of("people/joe.md").count == 1
    assert used.of("nobody") == Uses()


def test_a_new_name_takes_over_all_that_is_known() -> None:
    """A bare fact that gets an id keeps its history; so does a note that moves."""
    used = of(
        [
            event(1, "2026-02-10T09:00:00", "use", "h1"),
            event(2, "2026-02-11T09:00:00", "alias", "h1", to="h2"),
            event(3, "2026-02-12T09:00:00", "alias", "h2", to="k3v9qa"),
            event(4, "2026-02-13T09:00:00", "use", "k3v9qa"),
            event(5, "2026-02-13T09:00:00", "summary", "a.md", hash="x"),
            event(6, "2026-02-13T09:00:00", "alias", "a.md", to="b.md"),
        ]
    )
    assert used.facts == {"k3v9qa": uses("2026-02-10T09:00:00", "2026-02-13T09:00:00")}
    assert used.aliases == {"h1": "k3v9qa", "h2": "k3v9qa", "a.md": "b.md"}
    assert used.summaries == {"b.md": {"x"}}


def test_names_that_lead_in_a_circle_end_somewhere() -> None:
    """Nothing loops; all of a circle is its least name, the latest of two names counts."""
    used = of(
        [
            event(1, "2026-02-10T09:00:00", "alias", "b", to="a"),
            event(2, "2026-02-10T09:00:00", "alias", "a", to="b"),
            event(3, "2026-02-10T09:00:00", "alias", "c", to="b"),
            event(4, "2026-02-10T09:00:00", "alias", "c", to="c"),
            event(5, "2026-02-10T09:00:00", "alias", "d", to="x"),
            event(6, "2026-02-09T09:00:00", "alias", "d", to="y"),
        ]
    )
    assert used.aliases == {"b": "a", "c": "a", "d": "x"}


def test_what_was_accepted_and_dismissed() -> None:
    used = of(
        [
            event(1, "2026-02-10T09:00:00", "accept", "p1"),
            event(2, "2026-02-10T09:00:00", "dismiss", "p2"),
        ]
    )
    assert {*used.accepted} == {"p1"}
    assert used.dismissed == {"p2"}


@pytest.mark.parametrize("turned", [False, True], ids=["in order", "the other way round"])
def test_what_was_restored_is_no_longer_dismissed_in_whatever_order_it_is_read(
    turned: bool,
) -> None:
    lines = [
        event(1, "2026-02-10T09:00:00", "dismiss", "h1>h2"),
        event(2, "2026-02-10T09:00:01", "restore", "k3v9qa>h2"),
        event(3, "2026-02-10T09:00:00", "dismiss", "same"),
        event(4, "2026-02-10T09:00:00", "restore", "same"),
        event(5, "2026-02-10T09:00:00", "restore", "again"),
        event(6, "2026-02-10T09:00:02", "dismiss", "again"),
        event(7, "2026-02-10T09:00:00", "alias", "h1", to="k3v9qa"),
    ]
    assert of(lines[::-1] if turned else lines).dismissed == {"again"}


def test_lines_that_cannot_be_read_are_told_of() -> None:
    used = fold(
        [
            ("lap7/2026-02.jsonl", event(1, "2026-02-10T09:00:00", "use", "a") + b'{"e":"lap7-'),
            ("desk/2026-02.jsonl", b"<<<<<<< HEAD\n\n=======\n"),
            ("notes.txt", b"nothing of ours\n"),
        ]
    )
    assert used.torn == {"lap7/2026-02.jsonl": 1, "desk/2026-02.jsonl": 2}
    assert set(used.facts) == {"a"}


# Properties


@st.composite
def events(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file and a line of it."""
    device, month = draw(st.sampled_from(DEVICES)), draw(st.sampled_from(MONTHS))
    time = f"{month}-{draw(st.integers(1, 4)):02}T{draw(st.sampled_from(['00:00:00', '12:00:00', '23:59:59']))}"
    op = draw(
        st.sampled_from(
            ["use", "use", "reinforce", "demote", "update", "alias", "summary", "accept", "dismiss"]
        )
    )
    more: dict[str, Any] = {
        "alias": {"to": draw(st.sampled_from(REFS))},
        "summary": {"hash": "ab"},
    }.get(op, {})
    if op in {"reinforce", "demote"}:
        more = {"by": draw(st.integers(0, 3))}
    number = draw(st.integers(0, 6))  # few, so that events meet again
    return f"{device}/{month}.jsonl", event(
        number, time, op, draw(st.sampled_from(REFS)), device, **more
    )


def log_of(pairs: Iterable[tuple[str, bytes]]) -> Log:
    log: Log = {}
    for path, line in pairs:
        log.setdefault(path, []).append(line)
    return log


@given(st.lists(events(), max_size=40), st.integers(0, 9))
def test_the_order_means_nothing_and_twice_is_once(
    pairs: list[tuple[str, bytes]], seed: int
) -> None:
    chance = random.Random(seed)
    again = pairs + chance.choices(pairs, k=len(pairs)) if pairs else []
    chance.shuffle(again)
    assert folded(log_of(again)) == folded(log_of(pairs))


@given(st.lists(events(), max_size=30), st.lists(events(), max_size=30))
def test_devices_may_be_merged_in_either_order(
    ours: list[tuple[str, bytes]], theirs: list[tuple[str, bytes]]
) -> None:
    assert folded(log_of([*ours, *theirs])) == folded(log_of([*theirs, *ours, *theirs]))


@given(st.lists(events(), max_size=40), st.lists(st.integers(0, 200), max_size=6))
def test_torn_lines_between_change_nothing_but_their_count(
    pairs: list[tuple[str, bytes]], where: list[int]
) -> None:
    log = log_of(pairs)
    torn = 0
    for at in where:
        for lines in log.values():
            lines.insert(at % (len(lines) + 1), b'{"e":"lap7-00\n')
            torn += 1
    got = folded(log)
    assert got._replace(torn={}) == folded(log_of(pairs))
    assert sum(got.torn.values()) == torn


@settings(max_examples=daily(80, 200))
@given(st.lists(events(), max_size=40), st.integers(0, 40))
def test_adding_what_is_new_to_what_is_stored_is_adding_it_all(
    pairs: list[tuple[str, bytes]], cut: int
) -> None:
    """What a pass does with the new lines of a file, in whatever order they come."""
    whole, before = Tally(), Tally()
    for path, line in pairs:
        whole.add(read_lines(path, line).events)
    for path, line in pairs[:cut]:
        before.add(read_lines(path, line).events)
    after = Tally()
    after.rows.update({ref: RefTotals(*stored) for ref, (_, _, *stored) in state(before).items()})
    for path, line in pairs[cut:]:
        after.add(read_lines(path, line).events)
    assert state(after) == state(whole)


def state(tally: Tally) -> dict[str, Any]:
    return {ref: row.stored() for ref, row in tally.rows.items()}


def test_days_are_packed_in_order() -> None:
    assert list(unpack_days(pack_days({2: 200_000, 1: 90_000}))) == [90_000, 200_000]
    assert add_up_uses(
        [(1, 90_000, 1, None, pack_days({1: 90_000})), (1, 90_100, 2, 5.0, pack_days({1: 90_100}))]
    ) == Uses(1, 90_100, 3, 5.0, pack_days({1: 90_100}))


def test_a_name_that_leads_into_a_circle_is_none_of_it() -> None:
    marks = {("alias", "a1", "b1"): 1, ("alias", "b1", "c1"): 2, ("alias", "c1", "b1"): 3}
    assert current_names(marks) == {"a1": "b1", "c1": "b1"}
