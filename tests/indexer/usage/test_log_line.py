"""The lines of the usage log: read as meant, or torn, and never an error."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.usage import log_line
from indexer.usage.log_line import MOST_LOG_LINE_BYTES, Event, log_file_home, read_lines, seconds

PATH = "lap7/2026-02.jsonl"
GOOD = {
    "e": "lap7-9f2c61d07be4a8c3",
    "t": "2026-02-10T09:14:02Z",
    "op": "use",
    "ref": "k3v9qa",
    "via": "show",
}
AT = int(datetime.datetime(2026, 2, 10, 9, 14, 2, tzinfo=datetime.UTC).timestamp())


def line(**changes: Any) -> bytes:
    return json.dumps({**GOOD, **changes}).encode() + b"\n"


def test_the_examples_of_the_design() -> None:
    data = line() + line(
        e="lap7-41be07a2d95c3f68", t="2026-02-10T09:14:05Z", op="reinforce", ref="hmac01", by=3
    )
    assert read_lines(PATH, data) == (
        [
            Event(AT, "use", "k3v9qa", GOOD["e"]),
            Event(AT + 3, "reinforce", "hmac01", "lap7-41be07a2d95c3f68", 3),
        ],
        0,
        0,
        len(data),
        False,
    )


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ({"op": "alias", "to": "k3v9qa"}, "k3v9qa"),
        ({"op": "summary", "hash": "ab12"}, "ab12"),
        ({"op": "accept"}, ""),
        ({"op": "dismiss"}, ""),
    ],
)
def test_what_is_said_once_and_for_all(said: dict[str, str], value: str) -> None:
    assert read_lines(PATH, line(**said)).events == [
        Event(AT, said["op"], "k3v9qa", GOOD["e"], 0, value)
    ]


def test_an_operation_of_a_later_version_is_no_torn_line() -> None:
    data = line(op="praise") + line(op="snap", of="praise")
    assert read_lines(PATH, data) == ([], 0, 2, len(data), False)


@pytest.mark.parametrize(
    "torn",
    [
        b"{\n",
        b"null\n",
        b"[]\n",
        b"\xff\xfe\n",
        b'{"e":1}\n',
        b"[" * 5000 + b"\n",
        b"x" * (MOST_LOG_LINE_BYTES + 1) + b"\n",
        b"<<<<<<< HEAD\n",
        line(t="2026-02-30T09:14:02Z"),
        line(t="2026-02-10T24:14:02Z"),
        line(t="2026-02-10 09:14:02"),
        line(t="2026-03-10T09:14:02Z"),
        line(t=5),
        line(e="desk-9f"),
        line(e="lap7"),
        line(e="lap7-a b"),
        line(ref=""),
        line(ref="\ud800"),
        line(ref="a\0b"),
        line(ref=["k"]),
        line(op="reinforce", by="3"),
        line(op="demote", by=-1),
        line(op="reinforce", by=True),
        line(op="reinforce", by=10**30),
        line(op="alias"),
        line(op="summary", hash=""),
        *(
            line(op="snap", events=[["use", "a", "10T091402"], bad])
            for bad in (
                "use",
                ["use"],
                ["use", "a", ""],
                ["use", "a", "31T091402"],
                ["use", "a", "10T251402"],
                ["use", "a", "10T0914"],
                ["use", "", "10T091402"],
                ["praise", "a", "10T091402"],
                ["reinforce", "a", "10T091402"],
                ["alias", "a", "10T091402"],
                ["use", 1, "10T091402"],
                ["reinforce", "a", "10T091402", "9f", -1],
                ["reinforce", "a", "10T091402", "a:b", 1],
            )
        ),
        line()[:-1],
    ],
)
def test_a_torn_line_is_counted_and_the_others_are_read(torn: bytes) -> None:
    found = read_lines(
        PATH,
        line(ref="a")
        + (torn if torn.endswith(b"\n") else b"")
        + line(ref="b")
        + (b"" if torn.endswith(b"\n") else torn),
    )
    assert [event.ref for event in found.events] == ["a", "b"]
    assert found.torn + found.cut == 1


@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([line(), line(op="snap"), b"\n", b"\r\n", b"{}\n"])
    )
)
def test_no_bytes_are_an_error(parts: list[bytes]) -> None:
    data = b"".join(parts)
    found = read_lines(PATH, data)
    assert found.end == data.rfind(b"\n") + 1
    assert len(found.events) + found.torn + found.cut <= data.count(b"\n") + 1


WORDS = [*GOOD, "events", "by", "to", "hash", "of", "uses", "last", "score", "ranked", "values"]
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from([*GOOD.values(), "snap"])
)


@given(
    st.dictionaries(
        st.sampled_from(WORDS), st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=3))
    )
)
def test_no_values_are_an_error(said: dict[str, Any]) -> None:
    found = read_lines(PATH, line(**said))
    assert len(found.events) + found.torn + found.later <= 1


@given(
    st.lists(
        st.sampled_from(
            [
                line(),
                line(ref="people/joe b.md"),
                line(ref="naïve.md"),
                line(t="2026-02-30T09:14:02Z"),
                line(op="update"),
                line(t="2026-02-28T23:59:59Z"),
                line(t="2026-02-10T24:00:00Z"),
                line(e="desk-9f2c61d07be4a8c3"),
                line(via="x y"),
                line(ref="a\\b"),
                line(ref="a\tb"),
                b"{}\n",
            ]
        )
    )
)
def test_a_long_file_is_read_as_a_short_one(lines: list[bytes]) -> None:
    data = b"".join(each.replace(b'": "', b'":"').replace(b'", "', b'","') for each in lines)
    short = read_lines(PATH, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_line, "FAST_READ_BYTES", 0)
        assert read_lines(PATH, data) == short


@pytest.mark.parametrize(
    "name",
    [
        "lap7.jsonl",
        "lap7/2026-2.jsonl",
        "lap7/2026-02.json",
        "x/lap7/2026-02.jsonl",
        "Lap 7/2026-02.jsonl",
        "lap7/2026-02 (conflict).jsonl",
        "",
    ],
)
def test_other_files_are_no_log(name: str) -> None:
    assert log_file_home(name) is None


@given(
    st.datetimes(min_value=datetime.datetime(1, 1, 1), max_value=datetime.datetime(9999, 12, 31))
)
def test_times_are_unix_seconds(moment: datetime.datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=datetime.UTC)
    assert seconds(f"{moment:%Y-%m-%dT%H:%M:%SZ}".rjust(20, "0"), {}) == int(moment.timestamp())


def test_a_snap_holds_events() -> None:
    said = line(
        op="snap",
        ref="",
        events=[
            ["use", "k3v9qa", "10T091402 11T000000"],
            ["update", "k3v9qa", "10T091402"],
            ["reinforce", "hmac01", "10T091402", "41be07a2d95c3f68", 3],
            ["demote", "hmac01", "10T091402", "9f", 1],
            ["alias", "h1", "10T091402", "k3v9qa"],
            ["dismiss", "p1", "10T091402"],
        ],
    )
    events = read_lines(PATH, said).events
    assert events == [
        Event(AT, "use", "k3v9qa", "lap7-"),
        Event(AT - AT % 86400 + 86400, "use", "k3v9qa", "lap7-"),
        Event(AT, "update", "k3v9qa", "lap7-"),
        Event(AT, "reinforce", "hmac01", "lap7-41be07a2d95c3f68", 3),
        Event(AT, "demote", "hmac01", "lap7-9f", 1),
        Event(AT, "alias", "h1", "lap7-", 0, "k3v9qa"),
        Event(AT, "dismiss", "p1", "lap7-"),
    ]
    assert read_lines(PATH, b"".join(log_line.pack_events(PATH, events))).events == [
        events[0],
        events[1],
        events[4],
        events[3],
        events[5],
        events[6],
        events[2],
    ]


def test_uses_that_wait_are_of_any_month_and_device_and_nothing_but_uses() -> None:
    data = (
        line()
        + line(e="desk-9f2c61d07be4a8c3", t="2025-01-10T09:14:02Z")
        + line(op="reinforce", by=3)
    )
    found = read_lines(log_line.WAITING, data)
    assert [event.id for event in found.events] == [GOOD["e"], "desk-9f2c61d07be4a8c3"]
    assert found.torn == 1


def test_a_file_of_nothing_but_line_ends_takes_no_memory_for_each() -> None:
    import tracemalloc

    data = b"a\n" * 200_000
    tracemalloc.start()
    found = read_lines(PATH, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.torn == 200_000
    assert peak < 3 * len(data)


def test_a_month_of_very_many_uses_is_packed_into_lines_that_can_be_read() -> None:
    start = 1_769_904_000  # 2026-02-01
    uses = [
        Event(start + day * 86400, "use", f"fact{ref:04}", "lap7-")
        for ref in range(900)
        for day in range(20)
    ]
    lines = log_line.pack_events(PATH, uses)
    assert len(lines) > 1
    assert max(map(len, lines)) <= MOST_LOG_LINE_BYTES
    assert sorted(read_lines(PATH, b"".join(lines)).events) == sorted(uses)


@pytest.mark.parametrize(
    ("named", "read"),
    [("s-1_A", "s-1_A"), ("", ""), ("x" * 65, ""), ("a b", ""), (7, ""), ("é", "")],
)
def test_the_session_of_a_use_is_read_and_an_odd_one_forgotten(named: object, read: str) -> None:
    alone = read_lines(PATH, line(via="show", s=named))
    assert (alone.torn, [each.value for each in alone.events]) == (0, [read])
    many = read_lines(
        PATH, line(via="show", s=named).replace(b", ", b",").replace(b": ", b":") * 2000
    )
    assert (many.torn, {each.value for each in many.events}) == (0, {read})
