"""`verify` finds whatever differs, and nothing that does not."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from indexer.errors import IndexUnavailableError
from indexer.note import Settings
from indexer.refresh import verify as module
from indexer.refresh.damage import OWNED, Mismatch
from indexer.refresh.refresh import rebuild, refresh
from indexer.refresh.verify import Verification, verify
from indexer.refresh.write_notes import Commit
from indexer.rows import schema
from indexer.tokens import embed
from indexer.tokens.embed import CHECKSUMS, DIMENSIONS, MODEL_FOLDER, SHIPPED

ROOT = Path(__file__).resolve().parents[3]
LATER = 100.0
"""Seconds after which no file is racy any more: before, a refresh looks into it, and heals much."""
JOE = """---
aliases: [J]
tags: [friend]
---
# Joe

Knows everything about tea.

## Facts
- Lives in Los Angeles (2026-02-01) ^k3v9qa
- Likes [[tea]] #green

## Tasks
- [ ] Call him
"""


class Vault:
    """A vault whose index was made by several refreshes, so that its rows have other numbers than a rebuild's."""

    def __init__(self, top: Path) -> None:
        self.root = top / "vault"
        self.root.mkdir()
        self.settings = Settings(str(self.root), str(top / "index"))
        self.write("people/joe.md", "# Joe\n\nnothing yet\n")
        self.write("tea.md", "# Tea\n\nGreen, white and black.\n\nOolong too.\n")
        self.write("old.md", "gone soon")
        self.refresh()
        self.write("people/joe.md", JOE)
        self.write("memory/2026-02-10.md", "- [[people/joe]] called 東京\n")
        self.write("secret.md", "---\nprivate: true\n---\n# Secret\n\nhidden words\n")
        self.write("drafts/x.md", "ignored")
        self.write(".aureliusignore", "drafts/\n")
        (self.root / "old.md").unlink()
        self.refresh()
        self.refresh()  # the keys prove something by now

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8")

    def refresh(self, **asked: Any) -> None:
        index, _ = refresh(self.settings, now=time.time() + LATER, **asked)
        index.close()

    def rebuild(self) -> None:
        index, _ = rebuild(self.settings, now=time.time() + LATER)
        index.close()

    @property
    def database(self) -> str:
        path = schema.current_file(self.settings.folder)
        assert path is not None
        return path

    def damage(self, *statements: str) -> None:
        """Change rows of the index behind its back."""
        db = apsw.Connection(self.database)
        try:
            for sql in statements:
                db.execute(sql).fetchall()
        finally:
            db.close()

    def verify(self) -> Verification:
        return verify(self.settings, now=time.time() + LATER)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def vault(tmp_path: Path, room: Path) -> Vault:
    return Vault(tmp_path)


def differences_of(found: Verification) -> set[str]:
    return {f"{each.path}: {each.part}: {each.what}" for each in found.differences}


def test_a_sound_index_is_equal(vault: Vault, room: Path) -> None:
    before = Path(vault.database).read_bytes()
    found = vault.verify()
    assert found.differences == found.repaired == ()
    assert (found.failed, found.held, found.unsettled, found.unproved) == ((), (), (), ())
    assert found.private == {"secret.md"}
    counts = dict(found.compared)
    assert counts["notes"] == 4
    assert counts["chunks"] == counts["vectors"] > 4
    assert (counts["facts"], counts["links"], counts["tags"], counts["tasks"]) == (3, 2, 2, 1)
    assert found.seconds > 0
    assert list(room.iterdir()) == []
    assert Path(vault.database).read_bytes() == before, "looking changes nothing"


def test_what_changed_since_the_last_search_is_no_difference(vault: Vault) -> None:
    """It is refreshed first, as a search does."""
    vault.write("new.md", "# New\n")
    vault.write("tea.md", "# Tea\n\nNone left.\n")
    (vault.root / "memory/2026-02-10.md").unlink()
    assert vault.verify().differences == ()


def test_an_empty_vault_and_one_without_vectors(tmp_path: Path, room: Path) -> None:
    (tmp_path / "empty").mkdir()
    settings = Settings(str(tmp_path / "empty"), str(tmp_path / "index"))
    assert verify(settings, now=time.time()).differences == ()
    (tmp_path / "empty/a.md").write_text("some words")
    found = verify(settings._replace(vectors=False), now=time.time())
    assert found.differences == ()
    assert verify(settings._replace(folder=""), now=time.time()).differences == ()


JOES = "(SELECT id FROM note WHERE path = 'people/joe.md')"
CHUNK = (
    f"(SELECT id FROM chunk WHERE note = {JOES} AND text LIKE '%Los Angeles%' AND grain = 'fact')"
)
WORDS = "context, text, tags, grams"
OTHERS = f"note, ordinal, grain, heading, first, last, {WORDS}, status, type, date, fact, importance, hash, tokens"

DAMAGE = {
    "a note's row is missing": (
        "DELETE FROM note WHERE path = 'tea.md'",
        "tea.md: note: is not in the index",
    ),
    "a note is on no disk": (
        "INSERT INTO note(path, title) VALUES('no.md', 'No')",
        "no.md: note: is in the index, but not on disk",
    ),
    "a note that is left out": (
        "INSERT INTO note(path, title) VALUES('drafts/x.md', 'X')",
        "drafts/x.md: note: is in the index, but should be left out",
    ),
    "a stale hash": (
        "UPDATE note SET sha256 = zeroblob(32) WHERE path = 'tea.md'",
        "tea.md: note: sha256 differs",
    ),
    "a stale key": (
        "UPDATE note SET mtime_ns = mtime_ns - 1 WHERE path = 'tea.md'",
        "tea.md: note: mtime_ns differs",
    ),
    "two columns of a note": (
        "UPDATE note SET title = 'Coffee', kind = 'me' WHERE path = 'tea.md'",
        "tea.md: note: kind and title differ",
    ),
    "three columns of a note": (
        "UPDATE note SET title = 'x', kind = 'me', date = 'y' WHERE path = 'tea.md'",
        "tea.md: note: kind and title and date differ",
    ),
    "a note is not private": ("UPDATE note SET private = 0", "secret.md: note: private differs"),
    "front matter": (
        "UPDATE note SET front = replace(front, 'friend', 'fiend')",
        "people/joe.md: note: front differs",
    ),
    "a chunk is missing": (
        f"DELETE FROM chunk WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: is missing",
    ),
    "a chunk is there twice": (
        f"INSERT INTO chunk SELECT 999, {OTHERS} FROM chunk WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: should not be there",
    ),
    "a chunk's text": (
        f"UPDATE chunk SET text = replace(text, 'Los', 'Las') WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: text differs",
    ),
    "a chunk's text is bytes": (
        f"UPDATE chunk SET text = CAST(text AS BLOB) WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: text differs",
    ),
    "a chunk's text is no UTF-8": (
        f"UPDATE chunk SET text = CAST(x'ff' || text AS TEXT) WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: text differs",
    ),
    "a chunk's lines": (
        f"UPDATE chunk SET first = first + 1 WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: first differs",
    ),
    "a chunk's tokens": (
        f"UPDATE chunk SET tokens = x'02' WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: tokens differs",
    ),
    "a chunk's hash": (
        f"UPDATE chunk SET hash = zeroblob(16) WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: hash differs",
    ),
    "a chunk of no note": (
        "UPDATE chunk SET note = 77 WHERE id = " + CHUNK,
        ": chunk: rows without a note: 1",
    ),
    "a vector is missing": (
        f"DELETE FROM chunk_vec WHERE id = {CHUNK}",
        "people/joe.md: chunk 2: vector differs",
    ),
    "a vector of no chunk": (
        "INSERT INTO chunk_vec VALUES(999, zeroblob(256))",
        ": chunk_vec: rows without a chunk: 1",
    ),
    "a fact is missing": (
        f"DELETE FROM fact WHERE note = {JOES} AND ordinal = 0",
        "people/joe.md: fact 0: is missing",
    ),
    "a dangling fact": (
        "INSERT INTO fact(note, ordinal, key) VALUES(77, 0, 'x')",
        ": fact: rows without a note: 1",
    ),
    "a fact too many": (
        f"INSERT INTO fact(note, ordinal, key) VALUES({JOES}, 9, 'x')",
        "people/joe.md: fact 9: should not be there",
    ),
    "a fact's detail": (
        "UPDATE fact SET detail = replace(detail, 'Los', 'Las')",
        "people/joe.md: fact 0: detail differs",
    ),
    "a link's target": (
        "UPDATE link SET target = 'coffee' WHERE target = 'tea'",
        "people/joe.md: link 0: target differs",
    ),
    "a tag": (
        "UPDATE tag SET name = 'red' WHERE name = 'green'",
        "people/joe.md: tag 1: name differs",
    ),
    "a tag is bytes": (
        "UPDATE tag SET name = CAST(name AS BLOB) WHERE name = 'green'",
        "people/joe.md: tag 1: name differs",
    ),
    "a link is missing": (
        f"DELETE FROM link WHERE note = {JOES}",
        "people/joe.md: link 0: is missing",
    ),
    "a task": ("UPDATE task SET done = 1", "people/joe.md: task 0: done differs"),
    "a token is counted wrongly": (
        "UPDATE token_df SET chunks = 77 WHERE token = (SELECT max(token) FROM token_df)",
        ": token_df: wrong counts: 1",
    ),
    "tokens are not counted": ("DELETE FROM token_df", None),
    "a token of nothing": (
        "INSERT INTO token_df VALUES(0, 3)",
        ": token_df: wrong counts: 1",
    ),
    "a chunk's words are gone": (
        f"INSERT INTO chunk_fts(chunk_fts, rowid, {WORDS}) SELECT 'delete', id, {WORDS} FROM chunk WHERE id = {CHUNK}",
        "people/joe.md: words: of its chunks differ",
    ),
    "a chunk's words are others": (
        "INSERT INTO chunk_fts(rowid, text) VALUES((SELECT id FROM chunk WHERE text LIKE '%Oolong%'), 'assam')",
        "tea.md: words: of its chunks differ",
    ),
    "all chunks' words are gone": ("INSERT INTO chunk_fts(chunk_fts) VALUES('delete-all')", None),
    "words of no chunk": ("INSERT INTO chunk_fts(rowid, text) VALUES(999, 'assam')", None),
    "a note's words are gone": (
        f"DELETE FROM note_fts WHERE rowid = {JOES}",
        "people/joe.md: words: differ",
    ),
    "a note's words are others": (
        f"INSERT OR REPLACE INTO note_fts(rowid, title, text, grams) VALUES({JOES}, 'Joe', 'tea', '')",
        "people/joe.md: words: differ",
    ),
    "words of no note": (
        "INSERT INTO note_fts(rowid, text) VALUES(77, 'assam')",
        ": note_fts_docsize: rows without a note: 1",
    ),
    "a note's length": (
        f"UPDATE note_fts_docsize SET sz = x'010101' WHERE id = {JOES}",
        "people/joe.md: words: sz differs",
    ),
    "the totals of notes": (
        "UPDATE note_fts_data SET block = x'04010101' WHERE id = 1",
        ": note_fts: its totals do not match its rows",
    ),
    "a name": (
        "UPDATE name SET text = 'Jim', folded = 'jim' WHERE ordinal = 0 AND note = " + JOES,
        "people/joe.md: name 0: text and folded differ",
    ),
    "a dangling name": (
        "INSERT INTO name(note, ordinal) VALUES(77, 0)",
        ": name: rows without a note: 1",
    ),
    "a name's words are gone": (
        f"INSERT INTO name_fts(name_fts, rowid, text) SELECT 'delete', id, text FROM name_text WHERE id = {JOES} << 20",
        "people/joe.md: words: of its names differ",
    ),
    "words of no name": (
        "INSERT INTO name_fts(rowid, text) VALUES(77 << 20, 'assam')",
        ": name_fts_docsize: rows without a note: 1",
    ),
    "the words of notes are unreadable": (
        "UPDATE note_fts_data SET block = x'ffffffff' WHERE id > 10",
        None,
    ),
    "an ignored folder": (
        "UPDATE verdict SET ignored = 0",
        "drafts: verdict: is missing, though a rule ignores this path",
    ),
    "an index of a table": ("DROP INDEX chunk_note", ": index chunk_note: is missing"),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM chunk; END",
        ": trigger t: has another definition",
    ),
    "a table": ("DROP TABLE task", ": table task: is missing"),
    "what FTS5 is set to": (
        "INSERT INTO chunk_fts(chunk_fts, rank) VALUES('rank', 'bm25(9)')",
        ": chunk_fts: has other settings",
    ),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_found_and_a_rebuild_heals_it(kind: str, vault: Vault, room: Path) -> None:
    sql, line = DAMAGE[kind]
    assert line != ""
    vault.damage(sql or "")
    found = vault.verify()
    assert found.differences != (), kind
    if line is not None:
        assert line in differences_of(found)
    vault.rebuild()
    assert vault.verify().differences == ()
    assert list(room.iterdir()) == []


def test_every_bit_of_a_vector_counts(vault: Vault) -> None:
    db = apsw.Connection(vault.database)
    number, vector = db.execute(f"SELECT id, v FROM chunk_vec WHERE id = {CHUNK}").get
    bits = int.from_bytes(vector, "big") ^ 1 << random.Random(1).randrange(DIMENSIONS * 8)
    db.execute(
        "UPDATE chunk_vec SET v = ? WHERE id = ?", (bits.to_bytes(DIMENSIONS, "big"), number)
    )
    db.close()
    assert "people/joe.md: chunk 2: vector differs" in differences_of(vault.verify())


@pytest.mark.parametrize("name", SHIPPED[:3])
def test_one_byte_of_the_weights_that_changed_is_a_difference(
    name: str, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the quick look at loading them skips it."""
    weights = tmp_path / "model"
    shutil.copytree(MODEL_FOLDER, weights)
    data = bytearray((weights / name).read_bytes())
    data[len(data) // 2 + 9000] ^= 1
    (weights / name).write_bytes(data)
    monkeypatch.setattr(embed, "MODEL_FOLDER", str(weights))
    monkeypatch.setattr(embed, "checksum", lambda data: CHECKSUMS[SHIPPED.index(name)])
    monkeypatch.setattr(embed, "CHECKSUMS", [CHECKSUMS[SHIPPED.index(name)]] * len(SHIPPED))
    line = ": model: the shipped weights are damaged: install Aurelius again"
    assert line in differences_of(vault.verify())
    alone = verify(vault.settings._replace(vectors=False), now=time.time() + LATER)
    assert line not in differences_of(alone), "words alone need no weights"


COUNTED = ("note", *OWNED, "chunk_vec", "token_df")


def contents(path: str) -> Any:
    """What an index says that an answer may depend on, as far as it can be read."""
    found: list[Any] = []
    db = apsw.Connection(path)
    try:
        columns = {
            table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for table in COUNTED
        }
        for table in (*COUNTED, "verdict", "note_fts_docsize"):
            names = ", ".join(name for name in columns.get(table, ()) if name != "racy") or "id, sz"
            found.append(
                db.execute(f"SELECT {'*' if table == 'verdict' else names} FROM {table}").fetchall()
            )
        for table in schema.FTS:
            places = schema.word_places(db, "main", table)
            found.append(sorted(db.execute(f"SELECT term, doc, col, offset FROM {places}")))
        found.append(db.execute("PRAGMA integrity_check").fetchall())
    except Exception as error:  # noqa: BLE001  # whatever damage does
        found.append(type(error).__name__)
    finally:
        db.close()
    return found


def test_bits_that_flip_are_found_or_healed(vault: Vault, tmp_path: Path) -> None:
    """Flips that no check of SQLite's sees are found, if they change anything an answer may show."""
    vault.rebuild()
    good, sound = Path(vault.database).read_bytes(), contents(vault.database)
    chance, harmful = random.Random(11), 0
    used = [at for at in range(100, len(good)) if good[at]]  # most of a small index is empty
    for at in chance.sample(used, 30):
        data = bytearray(good)
        data[at] ^= 1 << chance.randrange(8)
        folder = tmp_path / "flipped"
        shutil.copytree(vault.settings.folder, folder)
        path = folder / os.path.basename(vault.database)
        path.write_bytes(data)
        changed = contents(str(path)) != sound
        settings = vault.settings._replace(folder=str(folder))
        found = verify(settings, now=time.time() + LATER)
        now = schema.current_file(str(folder))
        assert now is not None
        noticed = bool(found.differences or found.notices)
        assert noticed or not changed or contents(now) == sound
        harmful += changed
        shutil.rmtree(folder)
    assert harmful > 6, "otherwise this test sees nothing"


def test_pages_that_cannot_be_read_are_a_difference(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise apsw.CorruptError("malformed")

    monkeypatch.setattr(schema, "attach_copy", broken)
    assert differences_of(vault.verify()) == {": pages: malformed"}


# -- what is no difference --------------------------------------------------------------------------


def between(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Does something after each refresh and before each rebuild."""
    copy, looks = schema.attach_copy, list[None]()

    def acting(*asked: Any) -> Any:
        made = copy(*asked)
        looks.append(None)
        act(len(looks))
        return made

    monkeypatch.setattr(schema, "attach_copy", acting)


def test_files_that_change_meanwhile_are_looked_at_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(look: int) -> None:
        if look == 1:
            vault.write("tea.md", "# Tea\n\nChanged while it was verified.\n")
            vault.write("new.md", "new")
            (vault.root / "secret.md").unlink()
            vault.write(".aureliusignore", "")

    between(monkeypatch, change)
    found = vault.verify()
    assert (found.differences, found.unsettled) == ((), ())


def test_a_file_that_never_rests_is_unsettled(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, lambda look: vault.write("tea.md", f"# Tea\n\n{'cups ' * look}\n"))
    found = vault.verify()
    assert (found.differences, found.unsettled) == ((), ("tea.md",))


def test_damage_is_found_while_another_file_never_rests(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.damage("UPDATE fact SET detail = '[]' WHERE key = 'k3v9qa'")
    between(monkeypatch, lambda look: vault.write("tea.md", f"# Tea\n\n{'cups ' * look}\n"))
    found = vault.verify()
    assert {each.path for each in found.differences} == {"people/joe.md"}
    assert found.unsettled == ("tea.md",)


def test_held_deletions_are_listed_apart(tmp_path: Path, room: Path) -> None:
    (tmp_path / "vault").mkdir()
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    for number in range(30):
        (tmp_path / "vault" / f"{number}.md").write_text(f"word{number}")
    refresh(settings, now=time.time())[0].close()
    gone = [f"{number}.md" for number in range(25)]
    for path in gone:
        (tmp_path / "vault" / path).unlink()
    found = verify(settings, now=time.time())
    assert (found.differences, found.held) == ((), tuple(sorted(gone)))
    assert any("--accept-deletions" in notice for notice in found.notices)


def test_failed_paths_are_listed_apart(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their rows are of an older file, and stay."""
    entry = Commit._entry

    def refused(self: Commit, path: str, source: Any, now: float) -> Any:
        if path != "tea.md":
            return entry(self, path, source, now)
        self.failed[path] = "it defeats the parser"
        return None

    monkeypatch.setattr(Commit, "_entry", refused)
    vault.write("tea.md", "# Tea\n\nchanged\n")
    found = vault.verify()
    assert (found.differences, found.failed) == ((), (("tea.md", "it defeats the parser"),))


def test_another_process_may_write(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """One moment of the index is judged; a rebuild that takes its place does not disturb."""
    between(monkeypatch, lambda look: vault.rebuild())
    assert vault.verify().differences == ()


# -- no room, and what is left behind --------------------------------------------------------------


def test_a_full_disk_is_one_message(
    vault: Vault, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(schema, "attach_copy", full)
    with pytest.raises(IndexUnavailableError, match="database or disk is full"):
        vault.verify()
    assert list(room.iterdir()) == []


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, room: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    for number in range(400):
        (root / f"{number}.md").write_text(f"# Note {number}\n\n" + "words of a note. " * 50)
    settings = Settings(str(root), str(tmp_path / "index"), vectors=False)
    refresh(settings, now=time.time())[0].close()
    before = {
        path.name: path.read_bytes()
        for path in Path(settings.folder).iterdir()
        if path.suffix == ".db"
    }
    code = (
        "import sys, time\nfrom indexer.note import Settings\nfrom indexer.refresh.verify import verify\n"
        "def tell(done, total):\n    if done == 100:\n        print('now', flush=True)\n        time.sleep(30)\n"
        "verify(Settings(sys.argv[1], sys.argv[2], vectors=False), now=time.time(), progress=tell)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, settings.root, settings.folder],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(room)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert list(room.iterdir()) == []
    assert {
        path.name: path.read_bytes()
        for path in Path(settings.folder).iterdir()
        if path.suffix == ".db"
    } == before


def test_differences_come_in_the_order_of_the_notes() -> None:
    rows = [
        Mismatch("b.md", "note", "x"),
        Mismatch("a.md", "chunk 10", "x"),
        Mismatch("a.md", "chunk 9", "x"),
        Mismatch("", "pages", "x"),
    ]
    assert sorted(rows, key=module._order) == [rows[3], rows[2], rows[1], rows[0]]


def test_in_doubt_a_note_is_private(vault: Vault) -> None:
    vault.damage("UPDATE note SET private = NULL WHERE path = 'tea.md'")
    assert vault.verify().private == {"secret.md", "tea.md"}


def test_rows_are_counted_as_far_as_they_can_be_read(vault: Vault) -> None:
    before = dict(vault.verify().compared)
    vault.damage("DROP TABLE task")
    assert dict(vault.verify().compared) == {**before, "tasks": 0}


def test_a_row_that_is_there_twice_does_not_make_the_right_one_look_wrong(vault: Vault) -> None:
    vault.damage(
        f"INSERT INTO chunk SELECT 900, {OTHERS} FROM chunk WHERE id = {CHUNK}",
        "UPDATE chunk SET text = 'other' WHERE id = 900",
    )
    found = differences_of(vault.verify())
    assert "people/joe.md: chunk 2: should not be there" in found
    assert not any("text" in line for line in found)


def words(db: apsw.Connection, *texts: str) -> None:
    """Put one note with such chunks, whose words are the chunks' together."""
    db.execute("INSERT INTO note(id, path, private) VALUES (1, 'tea.md', 0)")
    db.execute(
        "INSERT INTO note_fts(rowid, title, text, grams) VALUES (1, 'a', ?, '')", (" ".join(texts),)
    )
    for number, text in enumerate(texts, 3):
        db.execute("INSERT INTO chunk(id, note, ordinal) VALUES (?, 1, ?)", (number, number))
        db.execute("INSERT INTO chunk_fts(rowid, text) VALUES (?, ?)", (number, text))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("one two",), ("two one",)),
        (("one", "two"), ("two", "one")),
        (("tea k3v9qa", "tea k3v9qa"), ("tea k3v9qe", "tea k3v9qe")),
    ],
    ids=["another order", "chunks that changed places", "what FTS5's own sum cannot see"],
)
def test_other_words_are_told_of_the_note(ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    source = schema.create(":memory:")
    words(source, *ours)
    db = schema.attach_copy(source)
    words(db, *theirs)
    found = [f"{odd.part}: {odd.what}" for odd in module.compare_notes(db, {"tea.md"})]
    assert found == ["words: differ", "words: of its chunks differ"]
    db.close()
    source.close()
