"""The usage log in the index: only what is new is read, and the rows are those of a rebuild."""

from __future__ import annotations

import json
import os
import random
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from indexer.live.live_index import Live
from indexer.note import Settings
from indexer.refresh.refresh import rebuild, refresh
from indexer.rows.lock import WRITE, hold
from indexer.rows.rows import Index
from indexer.usage import log_line, log_reader
from indexer.usage.log_line import LogLines, read_lines
from indexer.usage.log_reader import get_usage, get_uses, list_log_files
from indexer.usage.tally import Usage

TABLES = ("log_file", "log_use", "log_mark", "alias", "usage")
REFS = ("k3v9qa", "h0123456789a", "hfedcba98765", "people/joe.md")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "vault" / "people").mkdir(parents=True)
    (tmp_path / "vault" / "people" / "joe.md").write_text(
        "# Joe\n\n## Facts\n- Likes tea ^k3v9qa\n"
    )
    return Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)


def line(
    number: int,
    op: str = "use",
    ref: str = "k3v9qa",
    device: str = "lap7",
    day: int = 10,
    **more: Any,
) -> bytes:
    said = {
        "e": f"{device}-{number:016x}",
        "t": f"2026-02-{day:02}T09:00:00Z",
        "op": op,
        "ref": ref,
        **more,
    }
    return json.dumps(said).encode() + b"\n"


def file_of(settings: Settings, device: str = "lap7", month: str = "2026-02") -> Path:
    path = Path(settings.root, log_reader.USAGE_LOG, device, f"{month}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def append(settings: Settings, *lines: bytes, device: str = "lap7") -> None:
    with file_of(settings, device).open("ab") as file:
        file.write(b"".join(lines))


def usage(settings: Settings) -> Usage:
    index, report = refresh(settings, now=time.time())
    with closing(index):
        assert report.fresh
        return get_usage(index.db)


def of_files(settings: Settings) -> Usage:
    """What an index says that read all of the log just now."""
    index, _ = refresh(settings._replace(folder=""), now=time.time())
    with closing(index):
        return get_usage(index.db)


def rows(index: Index) -> dict[str, list[Any]]:
    return {table: sorted(index.db.execute(f"SELECT * FROM {table}"), key=str) for table in TABLES}


def test_the_index_knows_the_log(settings: Settings) -> None:
    assert usage(settings).facts == {}
    append(settings, line(1), line(2, "reinforce", by=3))
    append(settings, line(1, device="desk", day=11), device="desk")
    used = usage(settings)
    assert used == of_files(settings)
    assert (used.of("k3v9qa").count, used.of("k3v9qa").score) == (2, 3)


def test_a_few_are_looked_up(settings: Settings) -> None:
    append(settings, line(1), line(2, ref="people/joe.md"))
    index, _ = refresh(settings, now=time.time())
    with closing(index):
        found = get_uses(index.db, ["k3v9qa", "people/joe.md", "nobody"])
    assert set(found) == {"k3v9qa", "people/joe.md"}
    assert found["k3v9qa"].count == 1


def test_nothing_is_written_where_nothing_happened(settings: Settings) -> None:
    append(settings, line(1))
    usage(settings)
    index, _ = refresh(settings, now=time.time())
    with closing(index):
        before = index.db.execute("PRAGMA data_version").get
        assert log_reader.follow(settings, index, 0.0) == ()
        assert index.db.execute("PRAGMA data_version").get == before
        append(settings, line(2, ref="a"))
        assert log_reader.follow(settings, index, 0.0) == ()
        assert index.db.execute("PRAGMA data_version").get != before


def test_only_the_new_lines_are_read(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    append(settings, *(line(n, ref=f"a{n}") for n in range(50)))
    usage(settings)
    read: list[int] = []

    def reading(path: str, data: bytes) -> LogLines:
        read.append(len(data))
        return read_lines(path, data)

    monkeypatch.setattr(log_reader, "read_lines", reading)
    append(settings, line(99))
    found = usage(settings)
    assert read == [len(line(99))]
    assert found == of_files(settings)


def test_a_line_that_was_cut_off_is_read_when_it_is_whole(settings: Settings) -> None:
    """A torn last line is passed over and told of; nothing is lost when it is finished."""
    append(settings, line(1), line(2, ref="b")[:-9])
    assert usage(settings).torn == {"lap7/2026-02.jsonl": 1}
    append(settings, line(2, ref="b")[-9:])
    used = usage(settings)
    assert (used.torn, used.of("b").count) == ({}, 1)
    append(settings, line(3)[:20], b"\n", line(4, ref="c"))
    assert usage(settings).torn == {"lap7/2026-02.jsonl": 1}
    append(settings, line(5, ref="d"))
    assert usage(settings) == of_files(settings)
    assert usage(settings).torn == {"lap7/2026-02.jsonl": 1}


def test_a_snap_among_new_lines_is_added(settings: Settings) -> None:
    lines = [line(day, day=day) for day in range(1, 5)] + [line(9, "reinforce", day=4, by=3)]
    append(settings, *lines[:3])
    usage(settings)
    append(
        settings,
        *log_line.pack_events(
            "lap7/2026-02.jsonl", read_lines("lap7/2026-02.jsonl", b"".join(lines)).events
        ),
    )
    assert usage(settings).of("k3v9qa")[:3:2] == (4, 3)
    assert usage(settings) == of_files(settings)


def test_uses_that_wait_on_this_device_count_and_count_once_when_they_are_moved(
    settings: Settings,
) -> None:
    waiting = Path(settings.root).parent / "uses.jsonl"
    settings = settings._replace(uses=str(waiting))
    waiting.write_bytes(line(1) + line(2, day=11) + line(3, "reinforce", by=3))
    assert usage(settings).of("k3v9qa")[:3:2] == (2, 0), "nothing but uses waits"
    append(settings, line(1), line(2, day=11))
    assert usage(settings).of("k3v9qa").count == 2, "a crash may leave them in both places"
    waiting.unlink()
    assert usage(settings).of("k3v9qa").count == 2
    waiting.write_bytes(line(5, day=12)[:-9])
    assert usage(settings).torn == {}
    assert usage(settings) == of_files(settings)


def test_a_huge_log_file_is_read_in_part_and_told(settings: Settings) -> None:
    """A sparse file of 3 GB was read as a whole, by every search."""
    import tracemalloc

    append(settings, line(1))
    with file_of(settings).open("r+b") as file:
        file.truncate(3 << 30)
    tracemalloc.start()
    index, report = refresh(settings, now=time.time())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with closing(index):
        assert report.fresh
        assert get_usage(index.db).of("k3v9qa").count == 1
        assert log_reader.get_troubles(index.db) == [("lap7/2026-02.jsonl", 0, True)]
    assert peak < 64 << 20


def test_a_log_that_is_gone_costs_uses_and_nothing_else(settings: Settings) -> None:
    append(settings, line(1))
    assert usage(settings).of("k3v9qa").count == 1
    file_of(settings).unlink()
    assert usage(settings).facts == {}


def test_what_is_no_log_is_left_alone(settings: Settings) -> None:
    log = Path(settings.root, log_reader.USAGE_LOG)
    append(settings, line(1))
    (log / "README.md").write_text("x")
    (log / "lap7" / "2026-02.jsonl.orig").write_bytes(line(2, ref="b"))
    (log / "lap7" / "2026-03.jsonl").mkdir()
    (log / "desk").symlink_to(log / "lap7")
    (log / "lap7" / "2026-01.jsonl").symlink_to(file_of(settings))
    assert set(list_log_files(settings.root)) == {"lap7/2026-02.jsonl"}
    assert set(usage(settings).facts) == {"k3v9qa"}


def test_where_the_index_is_being_written_uses_wait(settings: Settings) -> None:
    usage(settings)
    append(settings, line(1))
    with hold(settings.folder, WRITE, 1.0):
        index, report = refresh(settings, now=time.time(), wait=0.0)
        with closing(index):
            assert report.fresh, "the notes are as they are"
            assert report.notices[0].startswith("recent uses are not counted yet: ")
            assert get_usage(index.db).facts == {}
    assert usage(settings).of("k3v9qa").count == 1


def test_a_daemon_follows_the_log(settings: Settings) -> None:
    """The watch does not see dot-folders: each request looks at the few files of the log itself."""
    live = Live(settings, lambda: None)
    try:
        live.refresh(settings, now=time.time())[0].close()
        append(settings, line(1))
        passes = live.passes
        index, report = live.refresh(settings, now=time.time())
        with closing(index):
            assert get_usage(index.db) == of_files(settings)
        assert (live.passes, report.fresh) == (passes, True)
    finally:
        live.close()


# refresh ≡ rebuild


class Log:
    """A log that devices, editors and git do things to."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self.settings, self.random, self.number = settings, random.Random(seed), 0
        self.day = 1

    def files(self) -> list[Path]:
        return sorted(Path(self.settings.root, log_reader.USAGE_LOG).rglob("*.jsonl"))

    def event(self, device: str) -> bytes:
        r = self.random
        self.number += 1
        op = r.choice(
            ["use"] * 5 + ["reinforce", "demote", "update", "alias", "summary", "accept", "dismiss"]
        )
        more: dict[str, Any] = {
            "alias": {"to": r.choice(REFS)},
            "summary": {"hash": f"{r.randint(0, 3)}"},
        }.get(op, {})
        more |= {"by": r.randint(0, 3)} if op in {"reinforce", "demote"} else {}
        return line(self.number, op, r.choice(REFS), device, min(28, self.day), **more)

    def append(self) -> None:
        device = self.random.choice(["lap7", "desk"])
        self.day += self.random.randint(0, 1)
        append(
            self.settings,
            *(self.event(device) for _ in range(self.random.randint(1, 4))),
            device=device,
        )

    def append_late(self) -> None:
        now, self.day = self.day, self.random.randint(1, self.day)
        self.append()
        self.day = now

    def tear(self) -> None:
        append(self.settings, self.event("lap7")[: self.random.randint(1, 40)])

    def mend(self) -> None:
        append(self.settings, b"\n")

    def merge(self) -> None:
        """What `merge=union` makes of a file: lines twice, and in another order."""
        for path in self.files()[:1]:
            lines = path.read_bytes().splitlines(keepends=True)
            lines += self.random.choices(lines, k=len(lines))
            self.random.shuffle(lines)
            temporary = path.with_suffix(".merged")
            temporary.write_bytes(b"".join(lines))
            temporary.replace(path)

    def compact(self) -> None:
        append(
            self.settings,
            line(
                self.number + 5000, "snap", uses=3, last="2026-02-05T00:00:00Z", score=self.number
            ),
        )

    def lose(self) -> None:
        for path in self.random.sample(self.files(), min(1, len(self.files()))):
            path.unlink()

    def touch(self) -> None:
        for path in self.files():
            os.utime(path)

    def anything(self) -> None:
        moves = [self.append] * 6 + [self.append_late, self.tear, self.mend, self.merge, self.touch]
        self.random.choice(
            moves + ([self.compact, self.lose] if self.random.random() < 0.2 else [])
        )()


@pytest.fixture(params=range(8))
def log(request: pytest.FixtureRequest, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Log:
    if request.param % 2:
        monkeypatch.setattr(log_reader, "MANY_NAMES", 0)  # as where very many names are new
    return Log(settings, request.param)


def test_refresh_is_rebuild_with_the_log_too(log: Log, tmp_path: Path) -> None:
    """Whatever was done to the log, row for row."""
    for _ in range(12):
        for _ in range(log.random.randint(1, 3)):
            log.anything()
        index, _ = refresh(log.settings, now=time.time())
        other, _ = rebuild(log.settings._replace(folder=str(tmp_path / "other")), now=time.time())
        with closing(index), closing(other):
            assert rows(index) == rows(other)
            assert get_usage(index.db) == of_files(log.settings)


def test_uses_of_one_session_belong_together_on_whatever_device_and_day(settings: Settings) -> None:
    append(settings, timed("aaaaaa", "10T09:00:00", s="s1"), timed("bbbbbb", "12T18:00:00", s="s1"))
    append(settings, timed("cccccc", "11T07:00:00", device="desk1", s="s1"), device="desk1")
    append(settings, timed("dddddd", "10T09:05:00", s="s2"), timed("eeeeee", "10T09:06:00"))
    assert related(settings, "aaaaaa") == {"bbbbbb": 0.3, "cccccc": 0.3}, (
        "not another session's, nor one of none"
    )
    assert related(settings, "dddddd") == related(settings, "eeeeee") == {}


def test_without_a_session_uses_of_one_device_within_half_an_hour_belong_together(
    settings: Settings,
) -> None:
    append(
        settings,
        timed("aaaaaa", "10T09:00:00"),
        timed("bbbbbb", "10T09:30:00"),
        timed("cccccc", "10T09:30:01"),
    )
    append(settings, timed("dddddd", "10T09:10:00", device="desk1"), device="desk1")
    append(settings, timed("aaaaaa", "20T23:50:00"), timed("bbbbbb", "21T00:10:00"))
    assert related(settings, "aaaaaa") == {"bbbbbb": pytest.approx(0.446, abs=0.002)}, (
        "twice, over midnight too"
    )
    assert related(settings, "cccccc") == {"bbbbbb": 0.3}


def test_two_hits_of_one_search_are_not_related(settings: Settings) -> None:
    append(
        settings,
        timed("aaaaaa", "10T09:00:00"),
        timed("bbbbbb", "10T09:00:00"),
        timed("cccccc", "10T09:01:00"),
    )
    append(settings, timed("aaaaaa", "11T09:00:00", s="s1"), timed("bbbbbb", "11T09:00:00", s="s1"))
    assert list(related(settings, "aaaaaa")) == ["cccccc"]


def test_two_commands_of_one_session_in_one_second_are_related_and_two_hits_of_one_command_are_not(
    settings: Settings,
) -> None:
    def use(ref: str, command: str, device: str = "lap7") -> bytes:
        return timed(ref, "10T09:00:00", device=device, s="s1", c=command)

    append(settings, use("aaaaaa", "00001"), use("bbbbbb", "00001"), use("cccccc", "fffff"))
    append(
        settings,
        timed("dddddd", "10T09:00:00", s="s1"),
        timed("eeeeee", "10T09:00:00", s="s1", c="no"),
    )
    assert list(related(settings, "aaaaaa")) == ["cccccc", "dddddd", "eeeeee"]
    assert list(related(settings, "dddddd")) == ["aaaaaa", "bbbbbb", "cccccc"], (
        "two older lines of one second are of one command"
    )


def test_two_facts_used_together_in_ten_sessions_are_near_though_the_clock_stands_still(
    settings: Settings,
) -> None:
    for day in range(10, 20):
        for command, ref in (("00001", "aaaaaa"), ("00002", "bbbbbb")):
            append(settings, timed(ref, f"{day}T00:00:00", s=f"s{day}", c=command))
    assert related(settings, "aaaaaa") == {"bbbbbb": pytest.approx(0.75, abs=0.01)}


def test_what_was_used_together_long_before_the_last_use_counts_less(settings: Settings) -> None:
    append(settings, timed("aaaaaa", "01T09:00:00"), timed("bbbbbb", "01T09:01:00"))
    assert related(settings, "aaaaaa") == {"bbbbbb": 0.3}
    late = [timed("aaaaaa", "01T09:00:00").replace(b"2026-02", b"2026-12")]
    file_of(settings, month="2026-12").write_bytes(b"".join(late))
    assert 0 < related(settings, "aaaaaa")["bbbbbb"] < 0.15


def test_an_older_name_counts_for_the_present_one(settings: Settings) -> None:
    append(settings, timed("h0123456789a", "10T09:00:00"), timed("hfedcba98765", "10T09:01:00"))
    append(
        settings,
        line(7, "alias", "h0123456789a", to="aaaaaa"),
        line(8, "alias", "hfedcba98765", to="bbbbbb"),
    )
    assert related(settings, "aaaaaa") == {"bbbbbb": 0.3}
    assert related(settings, "bbbbbb") == {"aaaaaa": 0.3}


def test_sessions_are_the_same_in_any_order_read_at_once_or_bit_by_bit(
    settings: Settings, tmp_path: Path
) -> None:
    log = random.Random(5)
    said = [
        timed(
            log.choice(("aaaaaa", "bbbbbb", "cccccc", "people/joe.md")),
            f"{log.randint(1, 28):02}T09:{minute:02}:00",
            **(
                {"s": log.choice(("s1", "s2")), "c": log.choice(("00001", "00002"))}
                if minute % 3
                else {}
            ),
        )
        for minute in [*range(60), *[1] * 20]
    ]
    for at in range(0, len(said), 7):
        append(settings, *said[at : at + 7])
        usage(settings)
    index, _ = refresh(settings, now=time.time())
    with closing(index):
        step_by_step = (
            rows(index)["log_mark"],
            [log_reader.get_related(index.db, ref) for ref in ("aaaaaa", "bbbbbb")],
        )
    file_of(settings).write_bytes(
        b"".join(sorted(set(said) | {said[3]}, key=lambda _: log.random()))
    )
    index, _ = rebuild(settings._replace(folder=str(tmp_path / "other")), now=time.time())
    with closing(index):
        assert rows(index)["log_mark"], "there are sessions"
        assert step_by_step == (
            rows(index)["log_mark"],
            [log_reader.get_related(index.db, ref) for ref in ("aaaaaa", "bbbbbb")],
        )


def test_a_packed_month_forgets_sessions_and_keeps_times(settings: Settings) -> None:
    append(settings, timed("aaaaaa", "10T09:00:00", s="s1"), timed("bbbbbb", "12T18:00:00", s="s1"))
    append(settings, timed("cccccc", "10T09:01:00"))
    assert related(settings, "aaaaaa") == {"bbbbbb": 0.3}
    home = "lap7/2026-02.jsonl"
    packed = log_line.pack_events(home, read_lines(home, file_of(settings).read_bytes()).events)
    file_of(settings).write_bytes(b"".join(packed))
    assert related(settings, "aaaaaa") == {"cccccc": 0.3}


def timed(ref: str, at: str, device: str = "lap7", **more: Any) -> bytes:
    said = {
        "e": f"{device}-{abs(hash((ref, at, device))):016x}"[:40],
        "t": f"2026-02-{at}Z",
        "op": "use",
        "ref": ref,
    }
    return json.dumps({**said, "via": "show", **more}, separators=(",", ":")).encode() + b"\n"


def related(settings: Settings, ref: str) -> dict[str, float]:
    index, report = refresh(settings, now=time.time())
    with closing(index):
        assert report.fresh
        return {other: round(weight, 6) for other, weight in log_reader.get_related(index.db, ref)}
