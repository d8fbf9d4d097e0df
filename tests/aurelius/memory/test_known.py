"""Proposals that a process keeps: told at once, without what changed, until they are found anew."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aurelius.api import plan_desk
from aurelius.memory import known, review
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from indexer.live.live_index import Live

NOW = datetime.datetime(2026, 2, 10, 12)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    for name, home in (("ann", "Rome"), ("joe", "Oslo")):
        (root / "people" / f"{name}.md").write_text(
            f"# {name.title()}\n\n## Facts\n\n- Lives in {home} (2025-01-05)\n"
            f"- Lives in Porto now (2026-01-05)\n"
        )
    return root


@pytest.fixture
def live(root: Path, tmp_path: Path) -> Iterator[Live]:
    env = _env(tmp_path)
    made = Live(Vault.find(str(root), env, str(root), now=NOW).settings, lambda: None)
    yield made
    made.close()


def _env(home: Path) -> dict[str, str]:
    return {f"XDG_{each}_HOME": str(home / each) for each in ("CONFIG", "CACHE", "STATE")}


@contextmanager
def asked(root: Path, live: Live | None, now: datetime.datetime = NOW) -> Iterator[Desk]:
    """A desk of a new answer of the process."""
    env = _env(root.parent)
    with Vault.find(str(root), env, str(root), now=now, live=live) as vault:
        yield plan_desk(vault)


def _names(found: known.Known) -> list[str]:
    return [each.page for each in found.matters]


def test_what_is_kept_is_what_is_found(root: Path, live: Live) -> None:
    with asked(root, live) as desk:
        found = known.known_matters(desk, wait=30)
        assert found.is_all
        assert found.matters == review.open_matters(desk)
        assert _names(found) == ["people/ann.md", "people/joe.md"]
    with asked(root, None) as desk:
        assert _names(known.known_matters(desk)) == ["people/ann.md", "people/joe.md"]


def test_it_is_found_once_for_each_state_of_the_notes_and_each_day(
    root: Path, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    count: list[int] = []
    whole = review.all_matters

    def counted(desk: Desk) -> list[review.Matter]:
        count.append(1)
        return whole(desk)

    monkeypatch.setattr(review, "all_matters", counted)
    for now, times in ((NOW, 1), (NOW, 1), (NOW + datetime.timedelta(days=1), 2)):
        with asked(root, live, now) as desk:
            known.known_matters(desk, wait=30)
        _settle(live)
        assert len(count) == times


def _settle(live: Live) -> None:
    """Wait until nobody looks any more."""
    looking = known._KEEPERS[live]._looking
    if looking:
        looking.join(30)


def test_while_it_is_found_anew_the_rest_is_told_at_once(
    root: Path, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asked(root, live) as desk:
        known.known_matters(desk, wait=30)
    may_go = threading.Event()
    whole = review.all_matters
    monkeypatch.setattr(review, "all_matters", lambda desk: may_go.wait(30) and whole(desk))
    note = root / "people" / "ann.md"
    note.write_text(note.read_text().replace("Rome", "Bari"))
    (root / "other.md").write_text("# Other\n")
    with asked(root, live) as desk:
        found = known.known_matters(desk)
        assert (_names(found), found.is_all) == (["people/joe.md"], False)
    may_go.set()
    _settle(live)
    with asked(root, live) as desk:
        found = known.known_matters(desk)
        assert (_names(found), found.is_all) == (["people/ann.md", "people/joe.md"], True)


def test_who_asks_first_does_not_wait_for_long(
    root: Path, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go = threading.Event()
    whole = review.all_matters
    monkeypatch.setattr(review, "all_matters", lambda desk: may_go.wait(30) and whole(desk))
    with asked(root, live) as desk:
        assert known.known_matters(desk, wait=0.01) == ((), False, "")
        may_go.set()
        _settle(live)
        assert known.known_matters(desk).is_all


def test_what_is_dismissed_is_at_once_among_the_dismissed(root: Path, live: Live) -> None:
    from aurelius.plans.plan import carry_out

    with asked(root, live) as desk:
        first = known.known_matters(desk, wait=30).matters[0]
        carry_out(desk, review.dismiss(desk, first))
    with asked(root, live) as desk:
        assert _names(known.known_matters(desk)) == ["people/joe.md"]
        assert _names(known.known_matters(desk, dismissed=True)) == ["people/ann.md"]


def test_who_does_not_wait_lets_it_rest(
    root: Path, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asked(root, live) as desk:
        known.known_matters(desk, wait=30)
    known._KEEPERS[live].rests_until += 1000
    (root / "other.md").write_text("# Other\n")
    with asked(root, live) as desk:
        assert not known.known_matters(desk, wait=0.0).is_all
        _settle(live)
        assert not known.known_matters(desk, wait=0.0).is_all
        known.known_matters(desk)
        _settle(live)
        assert known.known_matters(desk, wait=0.0).is_all
