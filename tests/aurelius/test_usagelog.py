"""The usage log as it is written: whole lines, one device a file, compacted without loss (design §3.2)."""

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
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius import usagelog
from aurelius.vault import Vault
from indexer.errors import ConflictError
from indexer.logbook import get_usage
from indexer.search import Hit
from indexer.usage import Usage, fold

NOW = datetime.datetime(2026, 2, 10, 9, 14, 2)
UTC = datetime.UTC


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


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
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def folded(vault: Vault) -> Usage:
    return fold(log(vault).items())


def test_an_event_is_a_line_of_its_device_and_month(vault: Vault) -> None:
    usagelog.append(vault, [{"op": "reinforce", "ref": "hmac01", "by": 3}])
    device = usagelog.device(vault.env)
    ((path, data),) = log(vault).items()
    assert path == f"{device}/2026-02.jsonl"
    said = json.loads(data)
    assert said.pop("e").removeprefix(device + "-").isalnum()
    assert said == {"t": "2026-02-10T09:14:02Z", "op": "reinforce", "ref": "hmac01", "by": 3}
    usagelog.append_summaries(vault, [('people/zoë "x".md', "ab")])
    used = folded(vault)
    assert used.of("hmac01").score == 3
    assert used.summaries == {'people/zoë "x".md': {"ab"}}


def test_the_device_has_a_name_of_its_own_outside_the_vault(vault: Vault, env: dict[str, str]) -> None:
    """A clone must not inherit it, or two machines would write one file."""
    name = usagelog.device(env)
    assert name == usagelog.device(env) == Path(env["XDG_STATE_HOME"], "aurelius", "device").read_text().strip()
    assert name == name.lower()
    assert len(name) <= 40
    assert usagelog.device({**env, "XDG_STATE_HOME": env["HOME"] + "/other"}) != name
    Path(env["XDG_STATE_HOME"], "aurelius", "device").write_text("../../x\n")
    assert "/" not in usagelog.device(env)


def test_times_are_utc_and_the_person_may_be_elsewhere(vault: Vault) -> None:
    vault.zone = datetime.timezone(datetime.timedelta(hours=-10))
    usagelog.append(vault, [{"op": "update", "ref": "a"}])
    assert b'"t":"2026-02-10T19:14:02Z"' in next(iter(log(vault).values()))


def test_a_use_is_written_once_a_day(vault: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    usagelog.use(vault, ["k3v9qa", "joe.md", "k3v9qa"], "show")
    used = folded(vault)
    assert (used.of("k3v9qa").count, used.of("joe.md").count) == (1, 1)
    assert next(iter(log(vault).values())).count(b"\n") == 2
    before = log(vault)
    vault.close()
    later = opened(tmp_path, env)
    usagelog.use(later, ["k3v9qa"], "get")
    assert log(later) == before, "the index knows of it"
    later.close()
    tomorrow = opened(tmp_path, env, NOW + datetime.timedelta(1))
    usagelog.use(tomorrow, ["k3v9qa"], "get")
    assert folded(tomorrow).of("k3v9qa").count == 2
    tomorrow.close()


def test_a_use_that_cannot_be_written_is_no_error(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    usagelog.use(vault, ["\udcff.md"], "search")
    Path(vault.root, ".aurelius", "log").write_text("in the way")
    usagelog.use(vault, ["k3v9qa"], "search")
    with pytest.raises(ConflictError, match="the usage log cannot be written"):
        usagelog.append(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])


def test_a_log_that_is_a_link_is_not_followed(vault: Vault, tmp_path: Path) -> None:
    """F1: nothing is written outside the vault."""
    (tmp_path / "outside").mkdir()
    os.symlink(tmp_path / "outside", os.path.join(vault.root, ".aurelius", "log"))
    usagelog.use(vault, ["k3v9qa"], "show")
    with pytest.raises(ConflictError, match="its folder is a link"):
        usagelog.append(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_vault_that_was_moved_away_is_not_made_anew(vault: Vault, tmp_path: Path) -> None:
    """A6: an empty folder in its place would keep it from coming back."""
    os.rename(vault.root, tmp_path / "away")
    with pytest.raises(ConflictError, match="cannot be written"):
        usagelog.append(vault, [{"op": "reinforce", "ref": "k3v9qa", "by": 3}])
    assert not os.path.exists(vault.root)


def test_no_use_is_left_where_nobody_wants_one(vault: Vault) -> None:
    vault.env = {**vault.env, "AURELIUS_NO_USE": "1"}
    usagelog.use(vault, ["k3v9qa"], "search")
    assert log(vault) == {}


def test_a_folder_that_is_no_vault_stays_as_it_is(tmp_path: Path, env: dict[str, str]) -> None:
    """P1: searching a folder of notes by --vault does not make it a vault."""
    (tmp_path / "vault").mkdir()
    vault = opened(tmp_path, env)
    usagelog.use(vault, ["k3v9qa"], "search")
    assert os.listdir(vault.root) == []
    vault.close()


def test_a_line_that_was_cut_off_spoils_no_other(vault: Vault) -> None:
    usagelog.append(vault, [{"op": "update", "ref": "a"}])
    (path,) = log(vault)
    with Path(vault.root, ".aurelius", "log", path).open("ab") as file:
        file.write(b'{"e":"cut')
    usagelog.append(vault, [{"op": "update", "ref": "b"}])
    used = folded(vault)
    assert set(used.facts) == {"a", "b"}
    assert used.torn == {path: 1}


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
    ],
)
def test_only_leading_hits_count(hits: list[Hit], refs: list[str]) -> None:
    """Design §3.2: the first and those within 80 % of it, three at most: a long list does not heat all it shows."""
    assert usagelog.leading(hits) == refs


def test_writers_at_once_tear_nothing(vault: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    usagelog.device(env)
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
        usagelog.append(vault, [{"op": "update", "ref": f"f{number}x{at}"}])


# Compaction

OLD = "lap7/2025-11.jsonl"
OPS = ["use", "use", "reinforce", "demote", "update", "alias", "summary", "accept", "dismiss"]


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    op = draw(st.sampled_from(OPS))
    more: dict[str, Any] = {"alias": {"to": draw(st.sampled_from("abc"))}, "summary": {"hash": "x"}}.get(op, {})
    if op in {"reinforce", "demote"}:
        more = {"by": draw(st.integers(0, 5))}
    time = f"2025-11-{draw(st.integers(1, 5)):02}T12:00:00Z"
    return usagelog.line("lap7", time, {"op": op, "ref": draw(st.sampled_from(["a", "b", "n.md"])), **more})


@settings(max_examples=150)
@given(st.lists(lines(), min_size=1, max_size=30), st.integers(0, 9))
def test_a_compacted_month_counts_as_before_merged_or_not(old: list[bytes], seed: int) -> None:
    """K24, R11: by git in either order, with rebase, with one side compacted: the same result every time."""
    raw = b"".join(old)
    new = usagelog.compacted(OLD, raw, "2026-02-10T00:00:00Z")
    assert new is not None
    before = fold([(OLD, raw)])
    assert fold([(OLD, new)]) == before
    merged = (raw + new).splitlines(keepends=True)
    random.Random(seed).shuffle(merged)
    assert fold([(OLD, b"".join(merged))]) == before
    again = usagelog.compacted(OLD, b"".join(merged), "2026-03-10T00:00:00Z")
    assert again is not None
    assert sorted(again.splitlines()) == sorted(new.splitlines())
    assert usagelog.compacted(OLD, new, "2026-03-10T00:00:00Z") is None


def test_what_cannot_be_read_is_not_compacted_away() -> None:
    """A later version may know what it means."""
    good = usagelog.line("lap7", "2025-11-02T00:00:00Z", {"op": "use", "ref": "a"})
    for odd in (b'{"torn\n', good.replace(b"use", b"praise"), good[:-1]):
        assert usagelog.compacted(OLD, good + odd, "2026-02-10T00:00:00Z") is None


def test_months_older_than_two_are_compacted_when_a_month_begins(
    vault: Vault, tmp_path: Path, env: dict[str, str]
) -> None:
    for month in (10, 11, 12):
        then = opened(tmp_path, env, datetime.datetime(2025, month, 5))
        for _ in range(3):
            usagelog.append(then, [{"op": "reinforce", "ref": "a", "by": 3}])
        then.close()
    other = Path(vault.root, ".aurelius", "log", "desk", "2025-01.jsonl")
    other.parent.mkdir()
    other.write_bytes(usagelog.line("desk", "2025-01-02T00:00:00Z", {"op": "reinforce", "ref": "a", "by": 3}) * 3)
    before = folded(vault)
    kept = other.read_bytes()
    usagelog.append(vault, [{"op": "update", "ref": "b"}])
    counts = {path.partition("/")[2]: data.count(b"\n") for path, data in log(vault).items()}
    assert counts == {
        "2025-01.jsonl": 3,
        "2025-10.jsonl": 1,
        "2025-11.jsonl": 1,
        "2025-12.jsonl": 3,
        "2026-02.jsonl": 1,
    }
    assert other.read_bytes() == kept, "another device's files are its own"
    assert folded(vault).of("a") == before.of("a")
    assert get_usage(vault.index().db) == folded(vault)
