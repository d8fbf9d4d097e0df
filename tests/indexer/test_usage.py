"""The usage log added up: order-free, idempotent, the same however devices were merged (design §3.2, A10, K24, R11)."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.logline import read_lines
from indexer.usage import LateError, Row, Tally, Usage, Uses, fold, fold_device

Log = dict[str, list[bytes]]
"""The lines of each file."""

DEVICES, MONTHS, REFS = ("lap7", "desk-1"), ("2026-01", "2026-02"), ("k3v9qa", "h0123456789a", "people/joe.md", "zz9")


def unix(text: str) -> float:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC).timestamp()


def event(number: int, time: str, op: str, ref: str, device: str = "lap7", **more: Any) -> bytes:
    said = {"e": f"{device}-{number:016x}", "t": f"{time}Z", "op": op, "ref": ref, **more}
    return json.dumps(said).encode() + b"\n"


def of(lines: Iterable[bytes], path: str = "lap7/2026-02.jsonl") -> Usage:
    return fold([(path, b"".join(lines))])


def folded(log: Log) -> Usage:
    return fold((path, b"".join(lines)) for path, lines in log.items())


def test_a_day_counts_once_for_a_fact_and_device() -> None:
    """One use a fact, day and device: looking at it all day makes it no more used (§3.2)."""
    log = [
        ("lap7/2026-02.jsonl", event(1, "2026-02-10T09:00:00", "use", "k3v9qa")
         + event(2, "2026-02-10T23:59:59", "use", "k3v9qa") + event(3, "2026-02-11T00:00:00", "use", "k3v9qa")),
        ("desk/2026-02.jsonl", event(1, "2026-02-10T08:00:00", "use", "k3v9qa", "desk")),
    ]  # fmt: skip
    assert fold(log).of("k3v9qa") == Uses(3, unix("2026-02-11T00:00:00"), 0, None)


def test_only_reinforce_and_demote_move_the_score() -> None:
    """K22, K33, R11: the sum is not clamped here; a use moves no score, and demoting resets no clock."""
    used = of([
        event(1, "2026-02-10T09:00:00", "use", "a"),
        event(2, "2026-02-11T09:00:00", "reinforce", "a", by=3),
        event(3, "2026-02-12T09:00:00", "demote", "a", by=1),
        *(event(9 + n, "2026-02-13T09:00:00", "reinforce", "a", by=3) for n in range(5)),
        event(4, "2026-02-14T09:00:00", "demote", "b", by=8),
        event(5, "2026-02-15T09:00:00", "update", "c"),
    ])  # fmt: skip
    assert used.facts == {
        "a": Uses(1, unix("2026-02-10T09:00:00"), 17, unix("2026-02-13T09:00:00")),
        "b": Uses(0, None, -8, None),
        "c": Uses(0, None, 0, unix("2026-02-15T09:00:00")),
    }


def test_notes_are_apart_from_facts() -> None:
    used = of([event(1, "2026-02-10T09:00:00", "use", "people/joe.md")])
    assert used.facts == {}
    assert used.notes == {"people/joe.md": Uses(1, unix("2026-02-10T09:00:00"))}
    assert used.of("people/joe.md").count == 1
    assert used.of("nobody") == Uses()


def test_a_new_name_takes_over_all_that_is_known() -> None:
    """A bare fact that gets an id keeps its history; so does a note that moves (R5)."""
    used = of([
        event(1, "2026-02-10T09:00:00", "use", "h1"),
        event(2, "2026-02-11T09:00:00", "alias", "h1", to="h2"),
        event(3, "2026-02-12T09:00:00", "alias", "h2", to="k3v9qa"),
        event(4, "2026-02-13T09:00:00", "use", "k3v9qa"),
        event(5, "2026-02-13T09:00:00", "summary", "a.md", hash="x"),
        event(6, "2026-02-13T09:00:00", "alias", "a.md", to="b.md"),
    ])  # fmt: skip
    assert used.facts == {"k3v9qa": Uses(2, unix("2026-02-13T09:00:00"))}
    assert used.aliases == {"h1": "k3v9qa", "h2": "k3v9qa", "a.md": "b.md"}
    assert used.summaries == {"b.md": {"x"}}


def test_names_that_lead_in_a_circle_end_somewhere() -> None:
    """Requirements §12.14: nothing loops; all of a circle is its least name, the latest of two names counts."""
    used = of([
        event(1, "2026-02-10T09:00:00", "alias", "b", to="a"), event(2, "2026-02-10T09:00:00", "alias", "a", to="b"),
        event(3, "2026-02-10T09:00:00", "alias", "c", to="b"), event(4, "2026-02-10T09:00:00", "alias", "c", to="c"),
        event(5, "2026-02-10T09:00:00", "alias", "d", to="x"), event(6, "2026-02-09T09:00:00", "alias", "d", to="y"),
    ])  # fmt: skip
    assert used.aliases == {"b": "a", "c": "a", "d": "x"}


def test_what_was_accepted_and_dismissed() -> None:
    used = of([event(1, "2026-02-10T09:00:00", "accept", "p1"), event(2, "2026-02-10T09:00:00", "dismiss", "p2")])
    assert used.accepted == {"p1"}
    assert used.dismissed == {"p2"}


def test_a_compacted_file_counts_its_snaps_alone() -> None:
    """A merge brings the raw lines back that one side compacted: they count no second time (requirements §9)."""
    raw = [event(n, f"2026-02-{n:02}T09:00:00", "use", "k3v9qa") for n in range(1, 6)]
    snap = event(99, "2026-05-01T00:00:00", "snap", "k3v9qa", uses=5, last="2026-02-05T09:00:00Z")
    assert of([snap]) == of([*raw, snap]) == of([snap, *raw, snap]) == of(raw)


def test_lines_that_cannot_be_read_are_told_of() -> None:
    used = fold([
        ("lap7/2026-02.jsonl", event(1, "2026-02-10T09:00:00", "use", "a") + b'{"e":"lap7-'),
        ("desk/2026-02.jsonl", b"<<<<<<< HEAD\n\n=======\n"),
        ("notes.txt", b"nothing of ours\n"),
    ])  # fmt: skip
    assert used.torn == {"lap7/2026-02.jsonl": 1, "desk/2026-02.jsonl": 2}
    assert set(used.facts) == {"a"}


# Properties


@st.composite
def events(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file and a line of it."""
    device, month = draw(st.sampled_from(DEVICES)), draw(st.sampled_from(MONTHS))
    time = f"{month}-{draw(st.integers(1, 4)):02}T{draw(st.sampled_from(['00:00:00', '12:00:00', '23:59:59']))}"
    op = draw(st.sampled_from(["use", "use", "reinforce", "demote", "update", "alias", "summary", "accept", "dismiss"]))
    more: dict[str, Any] = {"alias": {"to": draw(st.sampled_from(REFS))}, "summary": {"hash": "ab"}}.get(op, {})
    if op in {"reinforce", "demote"}:
        more = {"by": draw(st.integers(0, 3))}
    number = draw(st.integers(0, 6))  # few, so that events meet again
    return f"{device}/{month}.jsonl", event(number, time, op, draw(st.sampled_from(REFS)), device, **more)


def log_of(pairs: Iterable[tuple[str, bytes]]) -> Log:
    log: Log = {}
    for path, line in pairs:
        log.setdefault(path, []).append(line)
    return log


@given(st.lists(events(), max_size=40), st.integers(0, 9))
def test_the_order_means_nothing_and_twice_is_once(pairs: list[tuple[str, bytes]], seed: int) -> None:
    chance = random.Random(seed)
    again = pairs + chance.choices(pairs, k=len(pairs)) if pairs else []
    chance.shuffle(again)
    assert folded(log_of(again)) == folded(log_of(pairs))


@given(st.lists(events(), max_size=30), st.lists(events(), max_size=30))
def test_devices_may_be_merged_in_either_order(ours: list[tuple[str, bytes]], theirs: list[tuple[str, bytes]]) -> None:
    assert folded(log_of([*ours, *theirs])) == folded(log_of([*theirs, *ours, *theirs]))


@given(st.lists(events(), max_size=40), st.lists(st.integers(0, 200), max_size=6))
def test_torn_lines_between_change_nothing_but_their_count(pairs: list[tuple[str, bytes]], where: list[int]) -> None:
    log = log_of(pairs)
    torn = 0
    for at in where:
        for lines in log.values():
            lines.insert(at % (len(lines) + 1), b'{"e":"lap7-00\n')
            torn += 1
    got = folded(log)
    assert got._replace(torn={}) == folded(log_of(pairs))
    assert sum(got.torn.values()) == torn


@settings(max_examples=300)
@given(st.lists(events(), max_size=40), st.integers(0, 40))
def test_adding_what_is_new_is_adding_it_all_or_is_refused(pairs: list[tuple[str, bytes]], cut: int) -> None:
    """What a pass does with the new lines of a file (§3.2): exact, or it is told to begin anew."""
    before, after = log_of(pairs[:cut]), log_of(pairs[cut:])
    for device in DEVICES:
        theirs = sorted(path for path in {**before, **after} if path.startswith(device + "/"))
        whole, _ = fold_device((path, b"".join(before.get(path, []) + after.get(path, []))) for path in theirs)
        tally, _ = fold_device((path, b"".join(before.get(path, []))) for path in theirs)
        try:
            for path in theirs:
                tally.add(read_lines(path, b"".join(after.get(path, []))).events)
        except LateError:
            continue
        assert state(tally) == state(whole)


def state(tally: Tally) -> Any:
    rows = {ref: [getattr(row, name) for name in Row.__slots__] for ref, row in tally.rows.items()}
    return rows, tally.marks


def test_what_comes_late_is_refused() -> None:
    tally, _ = fold_device([("lap7/2026-02.jsonl", event(1, "2026-02-10T09:00:00", "use", "a"))])
    with pytest.raises(LateError):
        tally.add(read_lines("lap7/2026-02.jsonl", event(2, "2026-02-09T09:00:00", "use", "a")).events)
