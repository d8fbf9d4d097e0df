"""The index of a daemon: no work where nothing happened, never stale, never closed."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from indexer.errors import IndexUnavailableError
from indexer.live import live_index as module
from indexer.live.live_index import Live
from indexer.note import Settings
from indexer.refresh.difference import HOLD_NOTES
from indexer.refresh.refresh import RefreshReport, rebuild, refresh
from indexer.rows.rows import Index
from indexer.rows.schema import current_file
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery
from indexer.tokens import embed
from indexer.usage.tier import Clock


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def found(index: Index, word: str) -> list[str]:
    rows = index.db.execute(
        "SELECT DISTINCT path FROM chunk_fts JOIN chunk ON chunk.id = chunk_fts.rowid "
        "JOIN note ON note.id = chunk.note WHERE chunk_fts MATCH ? ORDER BY path",
        (word,),
    )
    return [path for (path,) in rows]


class Asked:
    """A live index, asked as a request asks it."""

    def __init__(self, live: Live) -> None:
        self.live = live

    def refresh(self, settings: Settings | None = None) -> RefreshReport:
        index, report = self.live.refresh(settings or self.live.settings, now=time.time())
        index.close()
        return report

    def paths(self, word: str) -> list[str]:
        index, report = self.live.refresh(self.live.settings, now=time.time())
        assert report.fresh
        try:
            return found(index, word)
        finally:
            index.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in ("people/joe.md", "people/sam.md", "projects/garden.md"):
        write(tmp_path / "vault", path, f"# {path}\n\n- Likes tea\n")
    return tmp_path / "vault"


@pytest.fixture
def live(root: Path, tmp_path: Path) -> Iterator[Live]:
    made = Live(Settings(str(root), str(tmp_path / "index")), lambda: None)
    yield made
    made.close()


@pytest.fixture
def asked(live: Live) -> Asked:
    return Asked(live)


def test_where_nothing_happened_there_is_no_pass(live: Live, asked: Asked) -> None:
    assert asked.refresh().added == 3
    passes = live.passes
    for _ in range(5):
        report = asked.refresh()
        assert (report.fresh, report.added, report.unchanged) == (True, 0, 3)
    assert live.passes == passes
    assert not live.turn(time.time())


def test_what_was_just_saved_is_found(asked: Asked, root: Path) -> None:
    """Whatever way it was saved, by the next request."""
    asked.refresh()
    for number in range(12):
        word = f"zebra{number}"
        match number % 4:
            case 0:
                (root / "people/joe.md").write_text(f"# Joe\n\n{word}\n")
                expected = "people/joe.md"
            case 1:
                (root / "people/new").write_text(f"{word}\n")
                os.replace(root / "people/new", root / "people/joe.md")
                expected = "people/joe.md"
            case 2:
                with (root / "people/sam.md").open("a") as file:
                    file.write(f"- {word}\n")
                expected = "people/sam.md"
            case _:
                write(root, f"areas/{number}/deep/er/note.md", word)
                expected = f"areas/{number}/deep/er/note.md"
        assert asked.paths(word) == [expected]


def test_folders_that_come_go_and_change_places(asked: Asked, root: Path) -> None:
    asked.refresh()
    (root / "people").rename(root / "friends")
    write(root, "people/new.md", "tea\n")
    assert asked.paths("tea") == [
        "friends/joe.md",
        "friends/sam.md",
        "people/new.md",
        "projects/garden.md",
    ]
    write(root, "friends/joe.md", "coffee\n")
    assert asked.paths("coffee") == ["friends/joe.md"]
    shutil.rmtree(root / "friends")
    (root / "people").rename(root / "friends")
    assert asked.paths("tea") == ["friends/new.md", "projects/garden.md"]
    write(root, "friends/new.md", "coffee\n")
    assert asked.paths("coffee") == ["friends/new.md"]


def test_ignore_rules_hold_at_once(asked: Asked, root: Path) -> None:
    asked.refresh()
    write(root, ".aureliusignore", "people/\n")
    assert asked.paths("tea") == ["projects/garden.md"]
    write(root, "people/sam.md", "tea again\n")
    assert asked.paths("tea") == ["projects/garden.md"]
    (root / ".aureliusignore").unlink()
    assert asked.paths("again") == ["people/sam.md"]


def test_what_no_event_tells_of_is_looked_at_when_suspected(
    asked: Asked, root: Path, tmp_path: Path
) -> None:
    """An edit through a hard link outside; whoever sees that a hit's file differs says so."""
    asked.refresh()
    os.link(root / "people/joe.md", tmp_path / "outside.md")
    asked.refresh()
    (tmp_path / "outside.md").write_text("coffee\n")
    asked.live.suspect({"people/joe.md"})
    assert asked.paths("coffee") == ["people/joe.md"]


def test_a_full_scan_finds_what_no_event_told(asked: Asked, root: Path, tmp_path: Path) -> None:
    asked.refresh()
    os.link(root / "people/joe.md", tmp_path / "outside.md")
    asked.refresh()
    (tmp_path / "outside.md").write_text("coffee\n")
    asked.live._next = 0.0  # the period is over
    assert asked.paths("coffee") == ["people/joe.md"]
    assert asked.live._next > time.monotonic()


def test_after_a_gap_in_time_everything_is_looked_at(
    live: Live, asked: Asked, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suspend, and the clock set back by a day: neither hides a change."""
    asked.refresh()
    os.link(root / "people/joe.md", tmp_path / "outside.md")
    asked.refresh()
    (tmp_path / "outside.md").write_text("coffee\n")
    assert not live.turn(time.time())
    wall = time.time
    monkeypatch.setattr("indexer.live.live_index.time.time", lambda: wall() - 86400)
    assert live.turn(wall())
    assert asked.paths("coffee") == ["people/joe.md"]


def test_folders_that_are_not_watched_are_looked_at_for_every_request(
    live: Live, asked: Asked, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slower, as right; `status` says why."""
    asked.refresh()
    live._watch.close()  # nothing more is heard

    class Deaf:
        exact, why = True, "too many folders to watch"
        unwatched = frozenset({"people"})

        def __getattr__(self, name: str) -> object:
            return getattr(live_watch, name)

        def ensure(self, _: object) -> set[str]:
            return set()

        def close(self) -> None:
            return

    live_watch = live._watch
    monkeypatch.setattr(live, "_watch", Deaf())
    write(root, "people/joe.md", "coffee\n")
    assert asked.paths("coffee") == ["people/joe.md"]
    state = live.state()
    assert (state.watching, state.unwatched) == ("scanning", 1)


def test_a_vault_that_goes_and_comes_back(live: Live, asked: Asked, root: Path) -> None:
    """No row goes while it is away."""
    asked.refresh()
    away = root.with_name("away")
    root.rename(away)
    with pytest.raises(IndexUnavailableError):
        asked.refresh()
    with pytest.raises(IndexUnavailableError):
        live.turn(time.time())
    index = live._borrow()
    assert len(found(index, "tea")) == 3
    index.close()
    away.rename(root)
    write(root, "people/joe.md", "coffee\n")
    assert asked.paths("coffee") == ["people/joe.md"]


def test_an_empty_folder_in_its_place_deletes_nothing(live: Live, asked: Asked, root: Path) -> None:
    """Where a disk was mounted, there is an empty folder; the notice comes with every answer."""
    for number in range(HOLD_NOTES + 5):
        write(root, f"many/{number}.md", "tea\n")
    asked.refresh()
    root.rename(root.with_name("away"))
    root.mkdir()
    for _ in range(3):
        report = asked.refresh()
        assert report.held == HOLD_NOTES + 8
        assert "accept-deletions" in report.notices[-1]
    passes = live.passes
    asked.refresh()
    assert live.passes == passes, "what waits is looked at again when its time has come"
    live._polled -= 60  # much later
    assert asked.refresh().held == HOLD_NOTES + 8
    root.rmdir()
    root.with_name("away").rename(root)
    live.turn(time.time())
    assert len(asked.paths("tea")) == HOLD_NOTES + 8


def test_a_lent_index_comes_back(live: Live) -> None:
    index, _ = live.refresh(live.settings, now=time.time())
    connection = index.db
    index.close()
    index.close()
    again, _ = live.refresh(live.settings, now=time.time())
    other, _ = live.refresh(live.settings, now=time.time())
    assert again.db is connection
    assert other.db is not connection
    for each in (again, other):
        each.close()


def test_no_more_connections_are_kept_than_a_few(live: Live) -> None:
    lent = [live.refresh(live.settings, now=time.time())[0] for _ in range(module.MOST_READERS + 2)]
    for each in lent:
        each.close()
    assert len(live._readers) == module.MOST_READERS


def test_an_index_that_was_deleted_is_there_again(live: Live, asked: Asked) -> None:
    """At any moment, though nothing happened in the vault; and with the next turn where nobody asks."""
    assert asked.paths("tea") == ["people/joe.md", "people/sam.md", "projects/garden.md"]
    shutil.rmtree(live.settings.folder)
    assert asked.paths("tea") == ["people/joe.md", "people/sam.md", "projects/garden.md"]
    os.remove(current_file(live.settings.folder) or "")
    assert live.turn(time.time())
    assert asked.paths("tea") == ["people/joe.md", "people/sam.md", "projects/garden.md"]


def test_a_rebuild_by_another_process_is_taken_over(live: Live, asked: Asked) -> None:
    asked.refresh()
    rebuild(live.settings, now=time.time())[0].close()
    index, _ = live.refresh(live.settings, now=time.time())
    assert index.path == current_file(live.settings.folder)
    index.close()


def test_other_settings_are_followed_by_the_index_in_memory(
    live: Live, asked: Asked, root: Path, tmp_path: Path
) -> None:
    asked.refresh()
    assert len(asked.paths("tea")) == 3
    asked.refresh(live.settings._replace(exclude=("people/",)))
    assert asked.paths("tea") == ["projects/garden.md"]
    live.adopt(live.settings._replace(exclude=()))
    assert len(asked.paths("tea")) == 3
    elsewhere = live.settings._replace(folder=str(tmp_path / "other"))
    assert asked.refresh(elsewhere).added == 3
    assert current_file(elsewhere.folder)


def test_while_another_pass_goes_on_the_old_rows_answer(
    live: Live, asked: Asked, root: Path
) -> None:
    """A reader waits for a while, never for ever, and says that it may be stale."""
    asked.refresh()
    write(root, "people/joe.md", "coffee\n")
    with live._one:
        index, report = live.refresh(live.settings, now=time.time(), wait=0.05)
        assert not report.fresh
        assert report.notices
        assert len(found(index, "tea")) == 3
        index.close()
    assert asked.paths("coffee") == ["people/joe.md"]


def test_at_rest_the_index_is_put_in_order_once(
    live: Live, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys that prove nothing yet are looked at once more, then the log is emptied, then nothing is written."""
    asked.refresh()
    monkeypatch.setattr(module, "SECONDS_TO_SETTLE", 0.0)
    monkeypatch.setattr("indexer.disk.walk.RACY_NS", 0)
    for _ in range(3):
        live.turn(time.time())
    path = current_file(live.settings.folder)
    assert path is not None
    assert not os.path.exists(path + "-wal") or not os.path.getsize(path + "-wal")
    index = live._borrow()
    assert not index.get_racy()
    generation = index.generation
    index.close()
    assert not live.turn(time.time())
    report = refresh(live.settings, now=time.time())
    assert report[1].fresh
    assert report[0].generation == generation
    report[0].close()


def test_many_requests_at_once(live: Live, asked: Asked, root: Path) -> None:
    """Each sees what it saved itself."""
    asked.refresh()
    wrong: list[object] = []

    def work(name: str) -> None:
        try:
            for number in range(15):
                write(root, f"{name}/{number}.md", f"{name}{number}\n")
                index, report = live.refresh(live.settings, now=time.time(), wait=30)
                if not report.fresh or found(index, f"{name}{number}") != [f"{name}/{number}.md"]:
                    wrong.append((name, number, report))
                index.close()
        except Exception as error:  # noqa: BLE001  whatever it is, it is wrong
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("ann", "bob", "cid")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_question_is_answered_from_what_is_there_now(
    live: Live, asked: Asked, root: Path
) -> None:
    clock, encoder = Clock(date(2026, 2, 10)), embed.load_model()

    def answer() -> SearchResult:
        index, _ = live.refresh(live.settings, now=time.time())
        try:
            return live.search(index, SearchQuery("tea"), encoder, datetime(2026, 2, 10), clock)
        finally:
            index.close()

    assert not any("Drinks no tea" in hit.text for hit in answer().hits)
    write(root, "people/joe.md", "# Joe\n\n- Drinks no tea\n")
    assert any("Drinks no tea" in hit.text for hit in answer().hits)
