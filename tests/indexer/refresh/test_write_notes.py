"""Whole notes written in batches: what a writer puts, what it does not believe, and who may write."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from indexer.disk.walk import IgnoreRules, Walk, walk, walk_digest
from indexer.note import Settings
from indexer.reading import parse as parse_module
from indexer.refresh import write_notes
from indexer.refresh.refresh import rebuild, refresh
from indexer.refresh.write_notes import BATCH_NOTES, Commit
from indexer.rows import schema
from indexer.rows.lock import WRITE, BusyError, UnwritableError, hold
from indexer.rows.rows import Index, create_index
from indexer.tokens.embed import FEW_TOKENS, Encoder, embed_text

LATER = 100.0


class Vault:
    """A vault with an index of no notes, and writers on it."""

    def __init__(self, top: Path) -> None:
        self.root = top / "vault"
        self.root.mkdir()
        self.settings = Settings(str(self.root), str(top / "index"), vectors=False)
        refresh(self.settings, now=time.time())[0].close()

    def write(self, path: str, text: str | bytes) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(text if isinstance(text, bytes) else text.encode())

    @property
    def live(self) -> str:
        path = schema.current_file(self.settings.folder)
        assert path is not None
        return path

    def writer(self, **given: Any) -> Commit:
        return Commit(self.settings, live=self.live, **given)

    def put(self, *paths: str, after: float = LATER) -> Commit:
        with self.writer() as writer:
            writer.read(paths, {}, None, time.time() + after)
        return writer

    def disk(self) -> Walk:
        return walk(self.settings.root, IgnoreRules(self.settings.root, (), {}))

    def all(self, sql: str) -> list[Any]:
        db = apsw.Connection(self.live)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def paths(self) -> list[str]:
        return [path for (path,) in self.all("SELECT path FROM note ORDER BY path")]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def test_notes_are_put_with_their_keys_and_progress_is_told(vault: Vault) -> None:
    for path in ("a.md", "people/joe.md", "empty.md"):
        vault.write(path, "" if path == "empty.md" else f"# {path}\n\nwords\n")
    told: list[tuple[int, int]] = []
    with vault.writer() as writer:
        writer.read(
            ["a.md", "empty.md", "people/joe.md"],
            {},
            lambda *each: told.append(each),
            time.time() + LATER,
        )
    assert vault.paths() == ["a.md", "empty.md", "people/joe.md"]
    assert writer.put == vault.disk().found
    assert (writer.failed, writer.unstable) == ({}, set())
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert vault.all("SELECT DISTINCT racy FROM note") == [(0,)]


def test_a_note_just_written_is_marked_as_proving_nothing(vault: Vault) -> None:
    vault.write("a.md", "words")
    vault.put("a.md", after=0.0)
    assert vault.all("SELECT racy FROM note") == [(1,)]
    with vault.writer() as writer:
        writer.touch(["a.md"], vault.disk(), time.time() + LATER)
        writer.touch([], vault.disk(), time.time())
    assert vault.all("SELECT racy FROM note") == [(0,)]


def test_every_batch_is_one_generation_and_says_that_the_walk_is_not_whole(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_notes, "BATCH_NOTES", 2)
    monkeypatch.setattr(write_notes, "BATCH_SECONDS", 1e9)
    assert BATCH_NOTES > 2
    for number in range(5):
        vault.write(f"{number}.md", "words")
    with vault.writer() as writer:
        before = writer.index.generation
        writer.read([f"{number}.md" for number in range(5)], {}, None, time.time())
        assert writer.index.generation == before + 3
        assert writer.index.get_meta("walk") is None
    assert len(vault.paths()) == 5


def test_a_note_that_no_database_can_hold_or_that_defeats_the_parser_fails_alone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("half.md", "half a surrogate pair")
    vault.write("half tag.md", "## Facts\n- Likes tea\n")
    vault.write("odd.md", "odd")
    vault.write("good.md", "good")
    parse = parse_module.parse

    def picky(path: str, data: bytes, **given: Any) -> Any:
        if path == "odd.md":
            raise RecursionError("too deep")
        note = parse(path, data, **given)
        if (
            path == "half tag.md"
        ):  # as of a memory that is a file of its own, whose keywords are the tags of its fact
            return note._replace(facts=(note.facts[0]._replace(tags=("\ud83d",)),))
        return note._replace(title="\ud83d") if path == "half.md" else note

    monkeypatch.setattr(write_notes, "parse", picky)
    writer = vault.put("half.md", "half tag.md", "odd.md", "good.md")
    assert vault.paths() == ["good.md"]
    assert "UnicodeEncodeError" in writer.failed["half tag.md"]
    assert writer.failed["odd.md"] == "it cannot be read as a note (RecursionError: too deep)"
    assert "UnicodeEncodeError" in writer.failed["half.md"]


def test_a_note_that_cannot_be_read_fails_and_one_that_vanished_is_looked_at_later(
    vault: Vault,
) -> None:
    (vault.root / "folder.md").mkdir()
    writer = vault.put("folder.md", "gone.md")
    assert set(writer.failed) == {"folder.md"}
    assert writer.unstable == {"gone.md"}
    assert vault.paths() == []


def test_an_older_view_of_a_note_does_not_overwrite_a_newer_one(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("a.md", "old")
    vault.write("b.md", "words")
    parse = parse_module.parse

    def late(path: str, data: bytes, **given: Any) -> Any:
        if path == "a.md":
            vault.write("a.md", "newer words")
        return parse(path, data, **given)

    monkeypatch.setattr(write_notes, "parse", late)
    writer = vault.put("a.md", "b.md")
    assert writer.unstable == {"a.md"}
    assert vault.paths() == ["b.md"]
    assert "a.md" not in writer.put


def test_only_what_is_not_on_the_disk_is_deleted(vault: Vault) -> None:
    for path in ("a.md", "b.md", "people/c.md"):
        vault.write(path, "words")
    vault.put("a.md", "b.md", "people/c.md")
    (vault.root / "a.md").unlink()
    with vault.writer() as writer:
        assert writer.remove(["a.md", "b.md"]) == 1
        assert writer.unstable == {"b.md"}, "it is there again"
    assert vault.paths() == ["b.md", "people/c.md"]
    vault.root.rename(vault.root.parent / "moved")
    with vault.writer() as writer:
        assert writer.remove(["b.md", "people/c.md"]) == 0
    assert vault.paths() == ["b.md", "people/c.md"], "a vault that was moved away loses no note"


def test_a_note_below_what_is_a_file_now_or_that_is_a_folder_now_is_gone(vault: Vault) -> None:
    vault.write("people/c.md", "words")
    vault.write("d.md", "words")
    vault.put("people/c.md", "d.md")
    (vault.root / "people/c.md").unlink()
    (vault.root / "people").rmdir()
    vault.write("people", "a file")
    (vault.root / "d.md").unlink()
    (vault.root / "d.md").mkdir()
    with vault.writer() as writer:
        assert writer.remove(["people/c.md", "d.md"]) == 2
    assert vault.paths() == []


def test_a_hidden_note_leaves_no_byte_once_it_was_purged(vault: Vault) -> None:
    vault.write("a.md", "# Canary\n\ncanaryword\n")
    vault.put("a.md")
    with vault.writer() as writer:
        assert writer.remove(["a.md"], hidden=True) == 1
        assert writer.index.get_meta("purge") == "rows"
        assert writer.purge()
    assert vault.paths() == []
    for file in Path(vault.settings.folder).iterdir():
        assert b"canary" not in file.read_bytes().lower(), file.name


def test_a_moved_note_keeps_its_rows(vault: Vault) -> None:
    vault.write("a.md", "words")
    vault.put("a.md")
    number = vault.all("SELECT id FROM note")
    with vault.writer() as writer:
        generation = writer.index.generation
        writer.move({"b.md": "a.md"})
        writer.move({})
        assert writer.index.generation == generation + 1, "nothing to move is no batch"
    assert vault.paths() == ["b.md"]
    assert vault.all("SELECT id FROM note") == number


def test_what_the_next_pass_compares_with_is_stored(vault: Vault) -> None:
    vault.write("a.md", "words")
    with vault.writer() as writer:
        writer.read(["a.md"], {}, None, time.time() + LATER)
        writer.failed["x.md"] = "permission denied"
        on_disk = vault.disk()
        writer.finish({"y.md": "odd"}, {"drafts": True}, on_disk, {"rules": "some"})
        assert writer.index.get_failed() == {"x.md": "permission denied", "y.md": "odd"}
        assert writer.index.get_meta("walk") == walk_digest(on_disk.found)
        assert writer.index.get_meta("rules") == "some"
        assert len(writer.index.get_verdicts()) == 1
        writer.unstable.add("a.md")
        writer.finish({}, {}, on_disk, {"rules": "some"})
        assert writer.index.get_meta("walk") is None, (
            "a note that would not hold still is looked at again"
        )


def test_a_held_lock_and_an_index_that_was_replaced_stop_a_writer(vault: Vault) -> None:
    vault.write("a.md", "words")
    with hold(vault.settings.folder, WRITE, 0.0), pytest.raises(BusyError), vault.writer():
        pass
    with vault.writer() as writer:
        rebuild(vault.settings, now=time.time())[0].close()
        with pytest.raises(BusyError, match="replaced"):
            writer.read(["a.md"], {}, None, time.time())


def test_the_lock_is_free_between_batches(vault: Vault) -> None:
    vault.write("a.md", "words")
    with vault.writer() as writer:
        with hold(vault.settings.folder, WRITE, 0.0):
            pass
        writer.read(["a.md"], {}, None, time.time())
        with hold(vault.settings.folder, WRITE, 0.0):
            pass


@pytest.mark.parametrize(
    "error", [apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError]
)
def test_a_file_system_that_refuses_is_told_as_such(
    error: type[apsw.Error], vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write("a.md", "words")

    def refuse(*_: Any) -> None:
        raise error("no room")

    with vault.writer() as writer:
        monkeypatch.setattr(Index, "put", refuse)
        with pytest.raises(UnwritableError, match="no room"):
            writer.read(["a.md"], {}, None, time.time())
    assert vault.paths() == []


def test_an_index_of_another_version_is_not_written_to(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_notes, "open_index", lambda *_given, **_named: None)
    with pytest.raises(apsw.NotADBError, match="another version"), vault.writer():
        pass


@pytest.fixture
def private() -> Iterator[Index]:
    made = create_index("", ":memory:")
    yield made
    made.close()


def test_an_index_that_nobody_else_knows_takes_no_lock_and_stays_open(
    vault: Vault, private: Index
) -> None:
    vault.write("a.md", "words")
    with (
        hold(vault.settings.folder, WRITE, 0.0),
        private.db,
        Commit(vault.settings, private=private) as writer,
    ):
        writer.read(["a.md"], {}, None, time.time())
    assert sorted(private.get_keys()) == ["a.md"]
    assert vault.paths() == []


@pytest.mark.parametrize(
    ("line", "by_itself"), [("tea in the garden", True), ("[" * 100_000, False)]
)
def test_numpy_is_imported_for_many_tokens_as_for_many_chunks(
    line: str, by_itself: bool, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it a single note with a picture pasted as letters is embedded for a quarter of a minute."""
    asked = list[int]()
    plain = Encoder.vector

    def vector(self: Encoder, ids: Sequence[int], weights: Sequence[float] | None = None) -> bytes:
        asked.append(len(ids))
        return plain(self, ids, weights)

    monkeypatch.setattr(Encoder, "vector", vector)
    monkeypatch.setattr(write_notes, "sys", SimpleNamespace(modules={}))
    vault.write("one.md", f"# One\n\n{line}\n")
    settings = vault.settings._replace(vectors=True, folder=vault.settings.folder + "-too")
    refresh(settings, now=time.time())[0].close()
    assert bool(asked) == by_itself
    assert sum(asked) < FEW_TOKENS


def test_vectors_are_the_same_one_by_one_and_in_bulk(vault: Vault) -> None:
    for number in range(6):
        vault.write(f"{number}.md", f"# Note {number}\n\ntea in the garden {number}\n")
    settings = vault.settings._replace(vectors=True, folder=vault.settings.folder + "-too")
    refresh(settings, now=time.time())[0].close()
    one = Commit(settings)
    with one:
        assert one._encoder is not None
    vectors = dict[str, bytes]()
    db = apsw.Connection(schema.current_file(settings.folder) or "")
    for context, text, vector in db.execute(
        "SELECT context, text, v FROM chunk JOIN chunk_vec USING(id)"
    ):
        vectors[text] = vector
        assert one._encoder.vector(one._encoder.ids(embed_text(context, text))) == vector
    assert len(vectors) == 6
    db.close()
