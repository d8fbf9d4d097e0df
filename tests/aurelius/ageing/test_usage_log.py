"""The usage log as it is written: whole lines, one device a file, compacted without loss."""

from __future__ import annotations

import datetime
import json
import multiprocessing
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.ageing import usage_log
from aurelius.settings.places import WAITING_USES_FILE, vault_state
from aurelius.vault import Vault
from indexer.errors import ConflictError
from indexer.search.hit import Hit, NewerOf
from indexer.usage.log_reader import get_usage
from indexer.usage.tally import Usage

NOW = datetime.datetime(2026, 2, 10, 9, 14, 2)
UTC = datetime.UTC


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.fixture
def vault(tmp_path: Path, env: dict[str, str]) -> Iterator[Vault]:
    (tmp_path / "vault" / ".aurelius").mkdir(parents=True)
    (tmp_path / "vault" / "joe.md").write_text("# Joe\n\n## Facts\n- Likes tea ^k3v9qa\n")
    found = opened(tmp_path, env)
    yield found
    found.close()


def opened(tmp_path: Path, env: dict[str, str], now: datetime.datetime = NOW) -> Vault:
    return Vault.find(str(tmp_path / "vault"), env, str(tmp_path), now=now, zone=UTC)


def log(vault: Vault) -> dict[str, bytes]:
    top = Path(vault.root, ".aurelius", "log")
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file()
    }


def waiting(vault: Vault) -> bytes:
    """The uses that wait on this device."""
    path = Path(vault_state(vault.root, vault.env), WAITING_USES_FILE)
    return path.read_bytes() if path.exists() else b""


def folded(vault: Vault) -> Usage:
    """What counts now."""
    vault.refresh()
    return get_usage(vault.index().db)


def test_the_name_of_a_new_log_file_is_on_the_disk(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.append(os.fstat(handle).st_ino))
    usage_log.append_uses(vault, [{"op": "reinforce", "ref": "hmac01", "by": 3}])
    ((path, _),) = log(vault).items()
    file = Path(vault.root, ".aurelius", "log", path)
    assert flushed == [file.stat().st_ino, file.parent.stat().st_ino]


def test_no_more_uses_wait_than_are_read(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    usage_log.record_uses(vault, ["hmac01"], "show")
    held = waiting(vault)
    assert held
    monkeypatch.setattr(usage_log, "MOST_LOG_FILE_BYTES", len(held) + 10)
    usage_log.record_uses(vault, ["hmac02"], "show")
    assert waiting(vault) == held


def test_an_event_is_a_line_of_its_device_and_month(vault: Vault) -> None:
    usage_log.append_uses(vault, [{"op": "reinforce", "ref": "hmac01", "by": 3}])
    device = usage_log.device_name(vault.env)
    ((path, data),) = log(vault).items()
    assert path == f"{device}/2026-02.jsonl"
    said = json.loads(data)
    assert said.pop("e").removeprefix(device + "-").isalnum()
    assert said == {"t": "2026-02-10T09:14:02Z", "op": "reinforce", "ref": "hmac01", "by": 3}
    usage_log.append_summaries(vault, [('people/zoë "x".md', "ab")])
    used = folded(vault)
    assert used.of("hmac01").score == 3
    assert used.summaries == {'people/zoë "x".md': {"ab"}}


def test_the_device_has_a_name_of_its_own_outside_the_vault(
    vault: Vault, env: dict[str, str]
) -> None:
    """A clone must not inherit it, or two machines would write one file."""
    name = usage_log.device_name(env)
    assert (
        name
        == usage_log.device_name(env)
        == Path(env["XDG_STATE_HOME"], "aurelius", "device").read_text().strip()
    )
    assert name == name.lower()
    assert len(name) <= 40
    assert usage_log.device_name({**env, "XDG_STATE_HOME": env["HOME"] + "/other"}) != name
    Path(env["XDG_STATE_HOME"], "aurelius", "device").write_text("../../x\n")
    assert "/" not in usage_log.device_name(env)


def test_times_are_utc_and_the_person_may_be_elsewhere(vault: Vault) -> None:
    vault.zone = datetime.timezone(datetime.timedelta(hours=-10))
    usage_log.append_uses(vault, [{"op": "update", "ref": "a"}])
    assert b'"t":"2026-02-10T19:14:02Z"' in next(iter(log(vault).values()))


def test_a_use_is_kept_once_a_day(vault: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    usage_log.record_uses(vault, ["k3v9qa", "joe.md", "k3v9qa"], "show")
    used = folded(vault)
    assert (used.of("k3v9qa").count, used.of("joe.md").count) == (1, 1)
    assert log(vault) == {}, "reading leaves a git tree clean"
    assert waiting(vault).count(b"\n") == 2
    before = waiting(vault)
    vault.close()
    later = opened(tmp_path, env)
    usage_log.record_uses(later, ["k3v9qa"], "get")
    assert waiting(later) == before, "the index knows of it"
    later.close()
    tomorrow = opened(tmp_path, env, NOW + datetime.timedelta(1))
    usage_log.record_uses(tomorrow, ["k3v9qa"], "get")
    assert folded(tomorrow).of("k3v9qa").count == 2
    tomorrow.close()


def test_a_use_that_cannot_be_written_is_no_error(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage_log.record_uses(vault, ["\udcff.md"], "search")
    Path(vault.root, ".aurelius", "log").write_text("in the way")
    usage_log.record_uses(vault, ["k3v9qa"], "search")
    with pytest.raises(ConflictError, match="which is not a folder"):
        usage_log.append_uses(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])


def test_a_log_folder_that_is_a_link_is_not_written_through(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    os.symlink(tmp_path / "outside", os.path.join(vault.root, ".aurelius", "log"))
    usage_log.record_uses(vault, ["k3v9qa"], "show")
    with pytest.raises(
        ConflictError, match=r"\.aurelius/log/.*leads through the symbolic link log"
    ):
        usage_log.append_uses(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])
    assert list((tmp_path / "outside").iterdir()) == []
    assert folded(vault).of("k3v9qa").count == 1
    assert usage_log.unlogged(vault).startswith("recorded on this device only: ")


def test_a_vault_whose_dot_aurelius_is_a_link_is_not_written_through_it(
    vault: Vault, tmp_path: Path
) -> None:
    """git carries such links: a vault of somebody else made a log in another folder of the person."""
    os.rmdir(os.path.join(vault.root, ".aurelius"))
    (tmp_path / "outside").mkdir()
    os.symlink(tmp_path / "outside", os.path.join(vault.root, ".aurelius"))
    usage_log.record_uses(vault, ["k3v9qa"], "show")
    usage_log.move_waiting_uses(vault)
    with pytest.raises(ConflictError, match=r"leads through the symbolic link \.aurelius"):
        usage_log.append_uses(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])
    assert list((tmp_path / "outside").iterdir()) == []
    assert folded(vault).of("k3v9qa").count == 1
    assert "is a symbolic link" in usage_log.unlogged(vault)
    assert [each.code for each in vault.check() if each.path == ".aurelius"] == ["log-link"]


def test_the_next_word_of_a_person_moves_the_uses_that_wait(
    vault: Vault, tmp_path: Path, env: dict[str, str]
) -> None:
    january = opened(tmp_path, env, datetime.datetime(2026, 1, 30))
    usage_log.record_uses(january, ["k3v9qa"], "get")
    january.close()
    usage_log.record_uses(vault, ["k3v9qa"], "get")
    usage_log.append_uses(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])
    months = {
        path.partition("/")[2]: [json.loads(each)["op"] for each in data.splitlines()]
        for path, data in log(vault).items()
    }
    assert months == {"2026-01.jsonl": ["use"], "2026-02.jsonl": ["use", "reinforce"]}
    assert waiting(vault) == b""
    assert folded(vault).of("k3v9qa")[:3:2] == (2, 3)


@pytest.mark.parametrize("step", ["unlink", "fsync", "write"])
def test_a_crash_while_uses_are_moved_loses_none_and_counts_none_twice(
    vault: Vault, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage_log.record_uses(vault, ["k3v9qa", "joe.md"], "get")

    def crash(*_: object) -> None:
        raise OSError(5, "the power went")

    with monkeypatch.context() as patch:
        patch.setattr(f"aurelius.ageing.usage_log.os.{step}", crash)
        usage_log.move_waiting_uses(vault)
    assert waiting(vault).count(b"\n") == 2
    assert folded(vault).of("k3v9qa").count == 1
    usage_log.move_waiting_uses(vault)
    assert waiting(vault) == b""
    assert (folded(vault).of("k3v9qa").count, folded(vault).of("joe.md").count) == (1, 1)


def test_uses_that_waited_under_a_former_name_of_the_device_are_left_out(vault: Vault) -> None:
    """No other device's file is written, and no line of its own would be read there."""
    usage_log.record_uses(vault, ["k3v9qa"], "get")
    Path(vault.env["XDG_STATE_HOME"], "aurelius", "device").write_text("other-1234\n")
    usage_log.record_uses(vault, ["joe.md"], "get")
    usage_log.move_waiting_uses(vault)
    assert list(log(vault)) == ["other-1234/2026-02.jsonl"]
    assert waiting(vault) == b""
    assert (folded(vault).of("k3v9qa").count, folded(vault).of("joe.md").count) == (0, 1)
    assert folded(vault).torn == {}


def test_uses_that_wait_and_cannot_be_moved_wait_on(vault: Vault) -> None:
    usage_log.record_uses(vault, ["k3v9qa"], "get")
    Path(vault.root, ".aurelius", "log").write_text("in the way")
    before = waiting(vault)
    usage_log.move_waiting_uses(vault)
    assert waiting(vault) == before
    assert folded(vault).of("k3v9qa").count == 1
    assert "recorded on this device only" in usage_log.unlogged(vault)


def test_a_vault_that_was_moved_away_is_not_made_anew(vault: Vault, tmp_path: Path) -> None:
    """An empty folder in its place would keep it from coming back."""
    os.rename(vault.root, tmp_path / "away")
    with pytest.raises(ConflictError, match="cannot be written"):
        usage_log.append_uses(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])
    assert not os.path.exists(vault.root)


def test_no_use_is_left_where_nobody_wants_one(vault: Vault) -> None:
    vault.env = {**vault.env, "AURELIUS_NO_USE": "1"}
    usage_log.record_uses(vault, ["k3v9qa"], "search")
    assert (log(vault), waiting(vault)) == ({}, b"")


def test_a_folder_that_is_no_vault_stays_as_it_is(tmp_path: Path, env: dict[str, str]) -> None:
    """Searching a folder of notes by --vault does not make it a vault."""
    (tmp_path / "vault").mkdir()
    vault = opened(tmp_path, env)
    usage_log.record_uses(vault, ["k3v9qa"], "search")
    assert os.listdir(vault.root) == []
    vault.close()


def test_a_line_that_was_cut_off_spoils_no_other(vault: Vault) -> None:
    usage_log.append_uses(vault, [{"op": "update", "ref": "a"}])
    (path,) = log(vault)
    with Path(vault.root, ".aurelius", "log", path).open("ab") as file:
        file.write(b'{"e":"cut')
    usage_log.append_uses(vault, [{"op": "update", "ref": "b"}])
    used = folded(vault)
    assert set(used.facts) == {"a", "b"}
    assert used.torn == {path: 1}


@pytest.mark.parametrize("cut", [1, 4095, 4096, 8192, 12288])
@pytest.mark.parametrize("where", ["log", "waiting"])
def test_a_line_longer_than_a_page_that_a_kill_cut_off_is_passed_over(
    where: str, cut: int, vault: Vault
) -> None:
    """A kill ends a large write at the border of a page; what was written before and after it counts."""
    refs = ["a", *(f"people/{letter * 2500}.md" for letter in "éèê")]
    if where == "log":
        usage_log.append_uses(vault, [{"op": "use", "ref": ref, "via": "get"} for ref in refs])
    else:
        usage_log.record_uses(vault, refs, "get")
    file = next(
        vault_file
        for vault_file in Path(vault.root).parent.rglob("*.jsonl")
        if vault_file.stat().st_size
    )
    whole = file.read_bytes()
    assert min(map(len, whole.splitlines()[1:])) > 4096
    file.write_bytes(whole[:cut])
    vault.refresh()  # the index reads up to the cut, and goes on from there
    kept = refs[: whole[:cut].count(b"\n")]
    if where == "waiting":
        usage_log.record_uses(vault, ["b"], "get")
    usage_log.append_uses(vault, [{"op": "use", "ref": "c", "via": "get"}])
    vault.refresh()
    late = ["b", "c"] if where == "waiting" else ["c"]
    used = get_usage(vault.index().db)
    assert {*used.facts, *used.notes} == {*kept, *late}
    used = folded(vault)
    assert {*used.facts, *used.notes} == {*kept, *late}


def hit(score: float, id_: str = "", path: str = "a.md") -> Hit:
    made = dict.fromkeys(Hit._fields, "")
    return Hit(**{**made, "id": id_, "path": path, "score": score})  # type: ignore[arg-type]  # the rest is not asked


@pytest.mark.parametrize(
    ("hits", "refs"),
    [
        ([], []),
        ([hit(1.0, "a"), hit(0.8, "b"), hit(0.79, "c")], ["a", "b"]),
        ([hit(1.0, "a"), hit(1.0, "b"), hit(0.9, "c"), hit(0.9, "d")], ["a", "b", "c"]),
        ([hit(2.0, "", "joe.md"), hit(1.0, "b")], ["joe.md"]),
        ([hit(1.0, "a"), hit(1.0, "b")._replace(newer_of=NewerOf("A", "a.md", 1))], ["a"]),
    ],
)
def test_only_leading_hits_count(hits: list[Hit], refs: list[str]) -> None:
    """The first and those within 80 % of it, three at most: a long list does not heat all it shows."""
    assert usage_log.used_by_search(hits) == refs


def test_writers_at_once_tear_nothing(vault: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    usage_log.device_name(env)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(tmp_path, env, n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    used = folded(vault)
    assert (len(used.facts), used.torn) == (3 * 60, {})


def write_many(tmp_path: Path, env: dict[str, str], number: int) -> None:
    vault = opened(tmp_path, env)
    for at in range(60):
        usage_log.append_uses(vault, [{"op": "update", "ref": f"f{number}x{at}"}])


# Compaction

OLD = "lap7/2025-11.jsonl"
OPS = ["use", "use", "reinforce", "demote", "update", "alias", "summary", "accept", "dismiss"]


def test_a_compacted_month_counts_as_before(vault: Vault) -> None:
    """tests/test_log_counts.py has the copies, clocks and merges."""
    chance = random.Random(3)
    raw = b""
    for _ in range(60):
        op = chance.choice(OPS)
        more: dict[str, Any] = {"alias": {"to": "c"}, "summary": {"hash": "x"}}.get(op, {})
        more |= {"by": chance.randint(0, 5)} if op in {"reinforce", "demote"} else {}
        time = f"2025-11-{chance.randint(1, 30):02}T12:00:00Z"
        raw += usage_log.usage_line(
            "lap7", time, {"op": op, "ref": chance.choice(["a", "b", "n.md"]), **more}
        )
    file = Path(vault.root, ".aurelius", "log", OLD)
    file.parent.mkdir(parents=True)
    file.write_bytes(raw)
    before = folded(vault)
    new = usage_log.compacted(OLD, raw)
    assert new is not None
    assert len(new) < len(raw)
    file.write_bytes(new)
    assert folded(vault) == before


def test_what_cannot_be_read_is_not_compacted_away() -> None:
    """A later version may know what it means."""
    good = b"".join(
        usage_log.usage_line("lap7", f"2025-11-0{day}T00:00:00Z", {"op": "use", "ref": "a"})
        for day in (1, 2, 3)
    )
    assert usage_log.compacted(OLD, good) is not None
    snap = usage_log.usage_line(
        "lap7", "2026-02-10T00:00:00Z", {"op": "snap", "ref": "a", "uses": 3}
    )
    for odd in (b'{"torn\n', good.replace(b"use", b"praise"), good[:-1], snap):
        assert usage_log.compacted(OLD, good + odd) is None


def test_months_older_than_two_are_compacted_by_the_device_that_wrote_them(
    vault: Vault, tmp_path: Path, env: dict[str, str]
) -> None:
    for year, month in ((2025, 9), (2025, 10), (2025, 11), (2025, 12), (2026, 1)):
        then = opened(tmp_path, env, datetime.datetime(year, month, 5))
        for _ in range(3):
            usage_log.append_uses(then, [{"op": "reinforce", "ref": "a", "by": 3}])
        then.close()
    other = Path(vault.root, ".aurelius", "log", "desk", "2025-01.jsonl")
    other.parent.mkdir()
    other.write_bytes(
        usage_log.usage_line(
            "desk", "2025-01-02T00:00:00Z", {"op": "reinforce", "ref": "a", "by": 3}
        )
        * 3
    )
    before = folded(vault)
    kept = other.read_bytes()
    usage_log.append_uses(vault, [{"op": "update", "ref": "b"}])
    counts = {path.partition("/")[2]: data.count(b"\n") for path, data in log(vault).items()}
    assert counts == {
        "2025-01.jsonl": 3,
        "2025-09.jsonl": 1,
        "2025-10.jsonl": 1,
        "2025-11.jsonl": 3,
        "2025-12.jsonl": 3,
        "2026-01.jsonl": 3,
        "2026-02.jsonl": 1,
    }
    assert other.read_bytes() == kept, "another device's files are its own"
    assert folded(vault).of("a") == before.of("a")


def test_a_clock_that_is_ahead_compacts_nothing_of_the_present(
    vault: Vault, tmp_path: Path, env: dict[str, str]
) -> None:
    for _ in range(3):
        usage_log.append_uses(vault, [{"op": "reinforce", "ref": "a", "by": 3}])
    ahead = opened(tmp_path, env, NOW + datetime.timedelta(100))
    usage_log.append_uses(ahead, [{"op": "reinforce", "ref": "a", "by": 3}])
    ahead.close()
    assert {path.partition("/")[2]: data.count(b"\n") for path, data in log(vault).items()} == {
        "2026-02.jsonl": 3,
        "2026-05.jsonl": 1,
    }
    assert folded(vault).of("a").score == 12


def test_a_use_is_kept_once_for_each_session_and_counts_once_a_day(vault: Vault) -> None:
    for session in ("", "s1", "s1", "s2", ""):
        usage_log.record_uses(vault, ["k3v9qa"], "show", session)
        vault.refresh()
    said = [json.loads(each) for each in waiting(vault).splitlines()]
    assert [each.get("s", "") for each in said] == ["", "s1", "s2"]
    assert folded(vault).facts["k3v9qa"].count == 1
    usage_log.move_waiting_uses(vault)
    assert [json.loads(each)["s"] for each in log(vault).popitem()[1].splitlines()[1:]] == [
        "s1",
        "s2",
    ]
    assert folded(vault).facts["k3v9qa"].count == 1


def test_the_uses_of_one_command_in_a_session_bear_its_number_and_another_command_has_another(
    vault: Vault,
) -> None:
    usage_log.record_uses(vault, ["a", "b"], "search", "s1")
    usage_log.record_uses(vault, ["c"], "get", "s1")
    usage_log.record_uses(vault, ["d"], "get")
    one, same, other, none = [json.loads(each).get("c") for each in waiting(vault).splitlines()]
    assert one == same != other
    assert none is None
    assert len(one) == len(other) == 5
