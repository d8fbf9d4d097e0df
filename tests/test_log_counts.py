"""Every event of the usage log counts exactly once, whatever clocks, copies, compaction and git merges do to it.

The oracle adds up single events, the slow and plain way; it knows nothing of snaps, files or the index.
"""

from __future__ import annotations

import datetime
import json
import random
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.ageing import usage_log
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.usage.log_line import read_lines
from indexer.usage.log_reader import USAGE_LOG, get_usage
from indexer.usage.tally import (
    Tally,
    Usage,
    Uses,
    add_up_uses,
    current_names,
    decisions,
    is_note,
    pack_days,
)
from tests.daily import daily

Said = dict[str, Any]
Copy = dict[str, bytes]
"""The files of a log: `device/2026-02.jsonl` → its bytes."""
MARKS = {"alias": "to", "summary": "hash", "accept": "", "dismiss": "", "restore": ""}
OPS = [
    "use",
    "use",
    "use",
    "reinforce",
    "demote",
    "update",
    "alias",
    "summary",
    "accept",
    "dismiss",
    "restore",
]
REFS = ("k3v9qa", "h0123456789a", "hfedcba98765", "people/zoë b.md")


# The oracle


def expected(events: list[Said]) -> Usage:
    """What single events add up to; of the summaries of a note, the last one of each device and month."""
    marks: dict[tuple[str, str, str], int] = {}
    summaries: dict[tuple[str, str, str], tuple[int, str]] = {}
    for said in events:
        if said["op"] in MARKS:
            mark, at = (
                (said["op"], said["ref"], said.get(MARKS[said["op"]], "")),
                seconds(said["t"]),
            )
            marks[mark] = max(at, marks.get(mark, at))
            if said["op"] == "summary":
                home = said["ref"], said["e"].rpartition("-")[0], said["t"][:7]
                summaries[home] = max((at, said["hash"]), summaries.get(home, (at, "")))
    aliases = current_names(marks)
    of: dict[str, list[Said]] = {}
    for said in events:
        if said["op"] not in MARKS:
            ref: str = said["ref"]
            of.setdefault(aliases.get(ref, ref), []).append(said)
    uses = {name: used(theirs) for name, theirs in of.items()}
    hashes: dict[str, frozenset[str]] = {}
    for (path, _, _), (_, value) in summaries.items():
        hashes[aliases.get(path, path)] = hashes.get(aliases.get(path, path), frozenset()) | {value}
    return Usage(
        {ref: each for ref, each in uses.items() if not is_note(ref)},
        {ref: each for ref, each in uses.items() if is_note(ref)},
        aliases,
        hashes,
        {ref: at for (op, ref, _), at in marks.items() if op == "accept"},
        decisions(
            ((op, ref, at) for (op, ref, _), at in marks.items() if op in {"dismiss", "restore"}),
            aliases,
        ),
        {},
    )


def used(events: list[Said]) -> Uses:
    """One use a day on whatever device, and each judgment once by its id."""
    days: dict[int, int] = {}
    for said in events:
        if said["op"] == "use":
            at = seconds(said["t"])
            days[at // 86400] = max(at, days.get(at // 86400, 0))
    signs = {"reinforce": 1, "demote": -1}
    judged = {
        (said["e"], said["ref"], signs[said["op"]] * said["by"])
        for said in events
        if said["op"] in signs
    }
    ranked = [seconds(said["t"]) for said in events if said["op"] in {"reinforce", "update"}]
    last = max(days.values(), default=None)
    return Uses(
        len(days), last, sum(by for _, _, by in judged), max(ranked, default=None), pack_days(days)
    )


def seconds(moment: str) -> int:
    return int(datetime.datetime.fromisoformat(moment).timestamp())


def check(found: Usage, events: list[Said]) -> None:
    """That every event counts once; a summary that was packed away may still be known from another copy."""
    wanted = expected(events)
    assert found._replace(summaries={}, torn={}) == wanted._replace(summaries={}, torn={})
    assert found.torn == {}, "doctor has nothing to tell"
    for path, hashes in wanted.summaries.items():
        assert hashes <= found.summaries[path]


# What is done to the log


def event(chance: random.Random, device: str, day: int, refs: tuple[str, ...] = REFS) -> Said:
    """Something that happens on a device on a day since 2026-01-01, by its clock."""
    op = chance.choice(OPS)
    moment = datetime.datetime(2026, 1, 1) + datetime.timedelta(
        days=day, hours=chance.choice([0, 9, 23])
    )
    said: Said = {
        "e": f"{device}-{chance.getrandbits(64):016x}",
        "t": f"{moment.isoformat()}Z",
        "op": op,
    }
    said["ref"] = chance.choice(refs)
    if op in {"reinforce", "demote"}:
        said["by"] = chance.randint(0, 3)
    elif MARKS.get(op):
        said[MARKS[op]] = chance.choice(refs) if op == "alias" else f"hash{chance.randint(0, 5)}"
    return said


def append(copy: Copy, said: Said) -> None:
    path = f"{said['e'].rpartition('-')[0]}/{said['t'][:7]}.jsonl"
    copy[path] = copy.get(path, b"") + json.dumps(said, ensure_ascii=False).encode() + b"\n"


def compact(copy: Copy, device: str) -> None:
    """Pack every file of a device, however new."""
    for path, data in copy.items():
        if path.startswith(device + "/"):
            copy[path] = usage_log.compacted(path, data) or data


def union(ours: Copy, theirs: Copy, chance: random.Random) -> Copy:
    """What `merge=union` may make of two copies: the lines of both, some of them twice, in some order."""
    merged = {}
    for path in ours.keys() | theirs.keys():
        lines = ours.get(path, b"").splitlines(keepends=True) + theirs.get(path, b"").splitlines(
            keepends=True
        )
        lines += chance.choices(lines, k=len(lines) // 3)
        chance.shuffle(lines)
        merged[path] = b"".join(lines)
    return merged


def read(copy: Copy) -> Usage:
    """A log added up without an index."""
    tallies: dict[str, Tally] = {}
    torn = {}
    for path, data in copy.items():
        lines = read_lines(path, data)
        tallies.setdefault(path.partition("/")[0], Tally()).add(lines.events)
        torn.update({path: lines.torn} if lines.torn or lines.cut else {})
    marks: dict[tuple[str, str, str], int] = {}
    for tally in tallies.values():
        for key, at in tally.marks.items():
            marks[key] = max(at, marks.get(key, at))
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


@settings(max_examples=daily(60, 150))
@given(st.integers(0, 1 << 30), st.integers(1, 40))
def test_copies_of_a_log_compacted_and_merged_in_any_order_count_every_event_once(
    seed: int, steps: int
) -> None:
    """Two devices, one of them with two copies of the vault, clocks ahead and behind."""
    chance = random.Random(seed)
    copies: list[tuple[str, Copy]] = [("lap7", {}), ("lap7", {}), ("desk", {})]
    happened: list[Said] = []
    for step in range(steps):
        at = chance.randrange(3)
        device, copy = copies[at]
        what = chance.random()
        if what < 0.6:
            said = event(chance, device, max(0, step + chance.choice([0, 0, 0, 0, -40, 95, 400])))
            happened.append(said)
            append(copy, said)
        elif what < 0.8:
            compact(copy, device)
        else:
            copies[at] = device, union(copy, copies[chance.randrange(3)][1], chance)
    merged: Copy = {}
    for _, copy in chance.sample(copies, 3):
        merged = union(merged, copy, chance)
        if chance.random() < 0.5:
            compact(merged, "lap7")
    check(read(merged), happened)
    compact(merged, "lap7")
    compact(merged, "desk")
    check(read(merged), happened)


def test_packing_again_changes_nothing_and_the_same_events_give_the_same_lines() -> None:
    chance = random.Random(5)
    one: Copy = {}
    for day in range(25):
        for _ in range(40):
            append(one, event(chance, "lap7", day, tuple(f"f{n:05}" for n in range(30))))
    (path,) = one
    packed_once = usage_log.compacted(path, one[path])
    assert packed_once is not None
    other = b"".join(chance.sample(lines := one[path].splitlines(keepends=True), len(lines)))
    assert usage_log.compacted(path, other) == packed_once, "two copies need no merge"
    assert usage_log.compacted(path, packed_once) is None
    assert len(packed_once) < len(one[path]) / 2
    assert max(map(len, packed_once.splitlines())) < 1 << 16


# Through git and the index


class Repository:
    """A vault in git, copied for each device, each with an index of its own."""

    def __init__(self, top: Path, names: tuple[str, ...]) -> None:
        self.top = top
        first = top / names[0]
        first.mkdir()
        (first / ".gitattributes").write_text(".aurelius/log/**/*.jsonl merge=union\n")
        (first / "joe.md").write_text("# Joe\n\n## Facts\n- Likes tea ^k3v9qa\n")
        self.git(names[0], "init", "-q", "-b", "main")
        self.commit(names[0])
        for name in names[1:]:
            subprocess.run(
                ["git", "clone", "-q", str(first), str(top / name)], check=True, timeout=60
            )

    def git(self, name: str, *argv: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", *who, *argv], cwd=self.top / name, check=True, timeout=60, capture_output=True
        )

    def commit(self, name: str) -> None:
        self.git(name, "add", "-A")
        self.git(name, "commit", "-q", "--allow-empty", "-m", "x")

    def merge(self, name: str, other: str) -> None:
        self.commit(name)
        self.commit(other)
        self.git(name, "fetch", "-q", str(self.top / other), "main")
        self.git(name, "merge", "-q", "--no-edit", "FETCH_HEAD")

    def files(self, name: str) -> Copy:
        log = self.top / name / USAGE_LOG
        return {
            path.relative_to(log).as_posix(): path.read_bytes()
            for path in sorted(log.rglob("*.jsonl"))
        }

    def put(self, name: str, copy: Copy) -> None:
        for path, data in copy.items():
            file = self.top / name / USAGE_LOG / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists() or file.read_bytes() != data:
                file.write_bytes(data)

    def usage(self, name: str) -> Usage:
        made = Settings(str(self.top / name), str(self.top / f"{name}-index"), vectors=False)
        index, _ = refresh(made, now=time.time())
        with closing(index):
            return get_usage(index.db)


@pytest.mark.parametrize("seed", range(daily(3, 6)))
def test_real_git_merges_of_two_copies_on_one_device_count_every_event_once(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    devices = {"one": "lap7", "two": "lap7", "three": "desk"}
    there = Repository(tmp_path, tuple(devices))
    happened: list[Said] = []
    for step in range(14):
        name = chance.choice(list(devices))
        copy = there.files(name)
        for _ in range(chance.randint(1, 4)):
            said = event(
                chance, devices[name], max(0, 9 * step + chance.choice([0, 0, 0, -40, 95]))
            )
            happened.append(said)
            append(copy, said)
        if chance.random() < 0.5:
            compact(copy, devices[name])
        there.put(name, copy)
        if chance.random() < 0.3:
            there.merge(name, chance.choice([other for other in devices if other != name]))
        if chance.random() < 0.3:
            there.usage(name)  # so that the index follows by what is new, too
    for name, other in (("one", "two"), ("one", "three"), ("two", "one"), ("three", "two")):
        there.merge(name, other)
    for name in devices:
        check(there.usage(name), happened)


# One command with a clock that is ahead


def test_a_command_with_the_clock_three_months_ahead_loses_no_use(
    aurelius: Callable[..., Any], tmp_path: Path
) -> None:
    """Reproduction: uses before and after it were counted no more, and a dismissed proposal came back."""
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Likes tea (2024-01-01) ^k3v9qa\n")

    def run(*argv: str, day: str) -> str:
        done = aurelius(*argv, cwd=root, now=datetime.datetime.fromisoformat(f"{day}T12:00"))
        assert done.code in {0, 1}, done.err
        out: str = done.out + done.err
        return out

    def state(day: str) -> Any:
        (fact,) = json.loads(run("status", "--tiers", "joe", "--json", day=day))["facts"]
        return fact["accessCount"], fact["score"], fact["tier"]

    for day in range(1, 5):
        run("get", "^k3v9qa", day=f"2026-01-0{day}")
    run("reinforce", "k3v9qa", day="2026-01-05")
    run("get", "^k3v9qa", day="2026-04-20")
    run("reinforce", "k3v9qa", day="2026-04-21")
    for day in range(6, 10):
        run("get", "^k3v9qa", day=f"2026-01-0{day}")
    run("reinforce", "k3v9qa", day="2026-01-10")
    assert state("2026-01-10") == (12, 9, "hot")
    run("note", "Something else", day="2026-05-01")
    assert state("2026-01-10") == (12, 9, "hot")
    found = json.loads(run("doctor", "--json", day="2026-01-10").partition("\naurelius:")[0])[
        "findings"
    ]
    ahead = [each for each in found if each["code"] == "log-ahead"]
    assert "in the future" in ahead[0]["message"]
    assert [each["path"].rpartition("/")[2] for each in ahead] == ["2026-04.jsonl"]
    assert state("2026-02-20")[2] == "warm", (
        "ten uses in the last year; a use to come keeps nothing hot"
    )
