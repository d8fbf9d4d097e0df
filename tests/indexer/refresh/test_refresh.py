"""One pass makes the index equal the files."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from indexer.disk.read_file import read_whole
from indexer.errors import ConfigError, IndexUnavailableError
from indexer.note import Settings
from indexer.reading.parse import parse
from indexer.refresh import difference, write_notes
from indexer.refresh import refresh as module
from indexer.refresh.refresh import RefreshReport, purge_note, rebuild, refresh
from indexer.rows import lock, schema
from indexer.rows.lock import BUILD, WRITE, hold
from indexer.rows.rows import Index

LATER = 100.0
"""Seconds after which no file is racy any more."""
START = time.time()


class Vault:
    """A vault in a folder of its own, and passes over it."""

    def __init__(self, top: Path) -> None:
        self.root = top / "vault"
        self.root.mkdir()
        self.settings = Settings(str(self.root), str(top / "index"), vectors=False)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def fill(self, count: int, folder: str = "notes") -> None:
        for number in range(count):
            self.write(
                f"{folder}/{number}.md", f"# {folder} {number}\n\nword{number} of {folder}\n"
            )

    def go(self, now: float | None = None, **asked: Any) -> RefreshReport:
        index, report = refresh(self.settings, now=time.time() if now is None else now, **asked)
        self.paths = sorted(index.get_keys())
        self.generation, self.path = index.generation, index.path
        self.meta = index.get_all_meta()
        index.close()
        return report

    def holds(self, word: bytes) -> list[str]:
        """The files of the index folder that hold a word."""
        return [
            path.name for path in Path(self.settings.folder).iterdir() if word in path.read_bytes()
        ]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def counts(report: RefreshReport) -> tuple[int, int, int, int, int]:
    return report.added, report.changed, report.removed, report.moved, report.unchanged


# -- what a pass does -------------------------------------------------------------------------------


def test_added_changed_removed_moved_unchanged(vault: Vault) -> None:
    assert counts(vault.go()) == (0, 0, 0, 0, 0)
    vault.fill(6)
    assert counts(vault.go()) == (6, 0, 0, 0, 0)
    assert counts(vault.go()) == (0, 0, 0, 0, 6)
    vault.write("notes/0.md", "changed")
    (vault.root / "notes/1.md").unlink()
    (vault.root / "notes/2.md").rename(vault.root / "moved.md")
    vault.write("new.md", "new")
    assert counts(vault.go()) == (1, 1, 1, 1, 3)
    assert vault.paths == [
        "moved.md",
        "new.md",
        "notes/0.md",
        "notes/3.md",
        "notes/4.md",
        "notes/5.md",
    ]


def test_no_change_writes_nothing_and_reads_next_to_nothing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass over an unchanged vault costs one stat a note and few rows."""
    vault.write(".gitignore", "skipped.md\n")
    vault.fill(5)
    vault.write("skipped.md", "no")
    vault.go(time.time() + LATER)
    vault.write("notes/0.md", "changed")
    vault.go(time.time() + LATER)
    before = {
        path: path.stat()
        for path in Path(vault.settings.folder).iterdir()
        if not path.name.endswith("-shm")
    }
    asked: list[str] = []
    for name in ("get_keys", "put", "put_meta"):
        monkeypatch.setattr(Index, name, lambda *_, name=name: asked.append(name))
    index, report = refresh(vault.settings, now=time.time() + LATER)
    index.close()
    assert counts(report) == (0, 0, 0, 0, 5)
    assert asked == []
    for path, stat in before.items():
        assert (path.stat().st_mtime_ns, path.stat().st_size) == (stat.st_mtime_ns, stat.st_size), (
            path
        )


def test_racy_notes_are_hashed_until_they_no_longer_are(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A save of the same size within the same tick of the clock, where size and time are all there is to see."""
    monkeypatch.setattr("indexer.disk.walk._WINDOWS", True)
    now = START + 1000
    for at, text, changed in (
        (0.0, "one", 0),
        (0.1, "two", 1),
        (1.0, "two", 0),
        (1.5, "six", 1),
        (3.0, "ten", 1),
    ):
        vault.write("a.md", text)
        os.utime(vault.root / "a.md", (now, now))
        assert vault.go(now + at).changed == changed, at
    assert vault.go(now + 4).changed == 0
    index, _ = refresh(vault.settings, now=now + 5)
    assert index.get_racy() == {}, "by now the key proves something"
    index.close()


def test_each_commit_counts_and_a_rebuild_goes_on_counting(vault: Vault) -> None:
    """Caches key on the generation."""
    vault.fill(1)
    seen = []
    for step in range(3):
        vault.go()
        seen.append(vault.generation)
        if step == 1:
            index, _ = rebuild(vault.settings, now=time.time())
            seen.append(index.generation)
            index.close()
        vault.write("a.md", f"step {step}")
    assert seen == sorted(set(seen))


def test_a_note_that_defeats_the_parser_is_failed_alone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its last good rows, is named with a reason, and is tried again."""
    vault.fill(3)
    vault.go()

    def fragile(path: str, data: bytes, **asked: Any) -> Any:
        if b"poison" in data:
            raise RecursionError("too deep")
        return parse(path, data, **asked)

    monkeypatch.setattr(write_notes, "parse", fragile)
    vault.write("notes/0.md", "poison")
    vault.write("new.md", "poison")
    vault.write("good.md", "good")
    report = vault.go()
    why = "it cannot be read as a note (RecursionError: too deep)"
    assert report.failed == (("new.md", why), ("notes/0.md", why))
    assert vault.paths == ["good.md", "notes/0.md", "notes/1.md", "notes/2.md"]
    assert vault.go().failed == report.failed
    monkeypatch.setattr(write_notes, "parse", parse)
    assert vault.go().failed == ()
    assert vault.paths == ["good.md", "new.md", "notes/0.md", "notes/1.md", "notes/2.md"]


def test_yaml_can_spell_what_no_utf_8_can(vault: Vault) -> None:
    vault.write(
        "a.md",
        '---\ntitle: "\\ud83d"\ntags: ["\\ud83d"]\naliases: ["\\udc00"]\nx: "\\ud83d"\n---\n# A\n',
    )
    vault.write("b.md", "# B\n")
    report = vault.go()
    assert "b.md" in vault.paths
    assert vault.go().failed == report.failed


def test_a_note_that_will_not_hold_still_is_told_and_comes_later(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.fill(2)
    vault.go()
    monkeypatch.setattr(
        write_notes,
        "read_whole",
        lambda root, path, **asked: None if path == "a.md" else read_whole(root, path, **asked),
    )
    vault.write("a.md", "busy")
    vault.write("b.md", "calm")
    assert not vault.go().fresh
    assert vault.paths == ["b.md", "notes/0.md", "notes/1.md"]
    monkeypatch.setattr(write_notes, "read_whole", read_whole)
    assert vault.go().fresh
    assert "a.md" in vault.paths


def test_an_older_view_does_not_overwrite_a_newer_one(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two passes at once: what the slow one read before the other's save is not put."""
    vault.fill(1)
    vault.go()
    saves = iter(["newer"])

    def overtaken(root: str, path: str, **asked: Any) -> Any:
        source = read_whole(root, path, **asked)
        for text in saves:
            vault.write("a.md", text)
            other, _ = refresh(vault.settings, now=time.time())
            other.close()
        return source

    monkeypatch.setattr(write_notes, "read_whole", overtaken)
    vault.write("a.md", "older")
    index, report = refresh(vault.settings, now=time.time())
    assert report.fresh
    assert index.db.execute(
        "SELECT text FROM chunk JOIN note ON note.id = note WHERE path='a.md'"
    ).fetchall() == [("newer",)]
    index.close()


def test_a_note_that_is_back_before_the_commit_is_not_deleted(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A delete is confirmed on disk at commit, never from an earlier look."""
    vault.fill(2)
    vault.go()
    (vault.root / "notes/0.md").unlink()
    apply = module._apply

    def back(*asked: Any) -> RefreshReport:
        vault.write("notes/0.md", "back")
        return apply(*asked)

    monkeypatch.setattr(module, "_apply", back)
    assert vault.go().fresh
    assert vault.paths == ["notes/0.md", "notes/1.md"]


def test_a_pass_that_was_cut_off_is_not_taken_for_whole(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a key has neither ctime nor inode, files put back as they were look like the last whole pass."""
    monkeypatch.setattr("indexer.disk.walk._WINDOWS", True)
    vault.write("a.md", "one")
    os.utime(vault.root / "a.md", (START, START))
    vault.go(START + LATER)
    vault.write("a.md", "other")

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(write_notes.Commit, "finish", cut)
        with pytest.raises(KeyboardInterrupt):
            vault.go(START + LATER)
    vault.write("a.md", "one")
    os.utime(vault.root / "a.md", (START, START))
    assert vault.go(START + LATER).changed == 1


def test_nor_is_one_that_saw_a_note_change(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was gone at the walk, back at the commit and gone again looks like the last walk, and is not."""
    vault.fill(2)
    vault.go(START + LATER)
    (vault.root / "notes/0.md").unlink()
    is_gone = write_notes.Commit._is_gone

    def back(self: write_notes.Commit, path: str) -> bool:
        vault.write(path, "back")
        found = is_gone(self, path)
        (vault.root / path).unlink()
        return found

    monkeypatch.setattr(write_notes.Commit, "_is_gone", back)
    assert not vault.go(START + LATER).fresh
    monkeypatch.setattr(write_notes.Commit, "_is_gone", is_gone)
    vault.go(START + LATER)
    assert vault.paths == ["notes/1.md"]


if os.name == "posix" and os.uname().sysname == "Linux":

    def test_names_that_cannot_be_stored_stay_named(vault: Vault) -> None:
        vault.fill(1)
        vault.go(START + LATER)
        with open(os.fsencode(vault.root) + b"/\xff.md", "wb"):
            pass
        for _ in range(3):
            assert vault.go(START + LATER).failed == (
                ("\\xff.md", "its name is not UTF-8: rename it"),
            )
        os.remove(os.fsencode(vault.root) + b"/\xff.md")
        assert vault.go(START + LATER).failed == ()


def test_the_old_file_goes_with_the_rebuild_that_takes_its_place(vault: Vault) -> None:
    vault.fill(2)
    vault.go()
    old = vault.path
    index, _ = rebuild(vault.settings, now=time.time())
    index.close()
    assert index.path != old
    assert not [
        name for name in os.listdir(vault.settings.folder) if name.startswith(os.path.basename(old))
    ]


def test_leftovers_of_a_killed_rebuild_are_swept_though_nothing_changed(vault: Vault) -> None:
    vault.fill(1)
    vault.go(START + LATER)
    for name in ("index-00000000.db", "current.77"):
        Path(vault.settings.folder, name).touch()
    with hold(vault.settings.folder, BUILD, 0.0):
        vault.go(START + LATER)
    assert len(schema.strays(vault.settings.folder)) == 2, (
        "they may be of a build that is under way"
    )
    vault.go(START + LATER)
    assert schema.strays(vault.settings.folder) == []


# -- deletions that wait -------------------------------------------------------------------------------


def test_mass_deletions_wait_for_a_second_pass(vault: Vault) -> None:
    """More than half and more than 20 notes; at least 30 s later it is believed."""
    vault.fill(40)
    vault.go(START + 1000.0)
    for number in range(25):
        (vault.root / f"notes/{number}.md").unlink()
    report = vault.go(START + 1001.0)
    assert (report.held, report.removed, report.fresh, len(vault.paths)) == (25, 0, False, 40)
    assert "25 notes (more than half of the vault) are missing from the folder" in report.notices[0]
    held = vault.generation
    assert (vault.go(START + 1030.9).held, vault.generation) == (25, held), "waiting writes nothing"
    report = vault.go(START + 1031.1)
    assert (report.held, report.removed, report.fresh, len(vault.paths)) == (0, 25, True, 15)
    assert "held_since" not in vault.meta


def test_what_else_changed_is_not_kept_waiting(vault: Vault) -> None:
    vault.fill(40)
    vault.go(START + 1000.0)
    shutil.rmtree(vault.root / "notes")
    vault.write("new.md", "new")
    report = vault.go(START + 1001.0)
    assert (report.held, report.added, len(vault.paths)) == (40, 1, 41)


def test_they_may_come_back(vault: Vault) -> None:
    vault.fill(40)
    vault.go(START + 1000.0)
    (vault.root / "notes").rename(vault.root.parent / "elsewhere")
    vault.go(START + 1001.0)
    (vault.root.parent / "elsewhere").rename(vault.root / "notes")
    report = vault.go(START + 1100.0)
    assert (report.held, report.fresh, len(vault.paths)) == (0, True, 40)
    assert "held_since" not in vault.meta
    shutil.rmtree(vault.root / "notes")
    assert vault.go(START + 1101.0).held == 40, "the clock starts again"


def test_deletions_can_be_accepted(vault: Vault) -> None:
    vault.fill(40)
    vault.go(START + 1000.0)
    shutil.rmtree(vault.root / "notes")
    report = vault.go(START + 1001.0, accept_deletions=True)
    assert (report.held, report.removed, vault.paths) == (0, 40, [])


@pytest.mark.parametrize(("notes", "gone"), [(20, 20), (60, 30)])
def test_few_deletions_do_not_wait(vault: Vault, notes: int, gone: int) -> None:
    vault.fill(notes)
    vault.go(START + 1000.0)
    for number in range(gone):
        (vault.root / f"notes/{number}.md").unlink()
    assert (vault.go(START + 1001.0).removed, len(vault.paths)) == (gone, notes - gone)


def test_a_folder_that_moves_is_no_deletion(vault: Vault) -> None:
    vault.fill(40)
    vault.go(START + 1000.0)
    (vault.root / "notes").rename(vault.root / "archives")
    report = vault.go(START + 1001.0)
    assert (report.held, report.moved, report.removed, report.added, report.fresh) == (
        0,
        40,
        0,
        0,
        True,
    )


def test_renamed_notes_that_are_too_many_to_recognise_are_told_and_indexed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "He plays the cello in the orchestra of the town each Sunday"
    vault.write("a/x.md", words)
    vault.write("b/y.md", "Something else is said here")
    vault.go()
    (vault.root / "a/x.md").unlink()
    vault.write("b/z.md", f"{words}\n\nand more")
    monkeypatch.setattr(difference, "MOST_RENAMED", 0)
    report = vault.go()
    assert report.renamed == ()
    assert report.notices[0].startswith("1 notes are gone from where they were and 1 are new")
    assert report.fresh
    assert vault.paths == ["b/y.md", "b/z.md"]
    assert vault.go().notices == ()


def test_other_notes_in_their_place_do_not_make_it_less_of_one(vault: Vault) -> None:
    """Another vault mounted over this one."""
    vault.fill(40)
    vault.go(START + 1000.0)
    shutil.rmtree(vault.root / "notes")
    vault.fill(100, "others")
    report = vault.go(START + 1001.0)
    assert (report.held, report.added, len(vault.paths)) == (40, 100, 140)


def test_a_vanished_root_pauses(vault: Vault) -> None:
    """No row is deleted while it is missing; right when it is back."""
    vault.fill(3)
    vault.go()
    vault.root.rename(vault.root.with_name("away"))
    for _ in range(2):
        with pytest.raises(IndexUnavailableError):
            vault.go()
    vault.root.with_name("away").rename(vault.root)
    assert counts(vault.go()) == (0, 0, 0, 0, 3)


def test_ignoring_half_the_vault_is_meant(vault: Vault) -> None:
    vault.fill(40)
    vault.go(START + 1000.0)
    vault.write(".gitignore", "notes\n")
    report = vault.go(START + 1001.0)
    assert (report.held, report.removed, vault.paths) == (0, 40, [])


# -- ignored and forgotten -----------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [".gitignore", ".aureliusignore", "exclude"])
@pytest.mark.parametrize("vectors", [False, True])
def test_a_note_that_is_ignored_now_leaves_no_byte(vault: Vault, rules: str, vectors: bool) -> None:
    """At once, in index, WAL and what was set aside."""
    vault.settings = vault.settings._replace(vectors=vectors)
    vault.fill(30)
    vault.write(
        "notes/secret.md",
        "# Secret\n\n- canaryword is a fact #canarytag [[canarylink]]\n- [ ] canarytask\n",
    )
    vault.go()
    assert vault.holds(b"canary")
    Path(vault.settings.folder, "corrupt-1.db").write_bytes(b"canary")
    if rules == "exclude":
        vault.settings = vault.settings._replace(exclude=("secret.md",))
    else:
        vault.write(rules, "secret.md\n")
    report = vault.go()
    assert (report.removed, report.fresh, len(vault.paths)) == (1, True, 30)
    assert vault.holds(b"canary") == []
    assert "purge" not in vault.meta
    vault.settings = vault.settings._replace(exclude=())
    for name in (".gitignore", ".aureliusignore"):
        (vault.root / name).unlink(missing_ok=True)
    assert vault.go().added == 1, "a rule taken back takes effect at once too"


def test_a_rule_changed_within_one_tick_takes_effect(vault: Vault) -> None:
    vault.fill(3)
    now = 2_000_000_000.0
    for text, left in (("0.md\n", ["1", "2"]), ("1.md\n", ["0", "2"]), ("2.md\n", ["0", "1"])):
        vault.write(".gitignore", text)
        os.utime(vault.root / ".gitignore", (now, now))
        vault.go(now)
        assert vault.paths == [f"notes/{name}.md" for name in left]


def test_bytes_go_as_soon_as_the_last_reader_does(vault: Vault) -> None:
    vault.fill(30)
    vault.write("secret.md", "canary")
    vault.go()
    reader = schema.connect(vault.path, write=False)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM note").fetchall()
    vault.write(".gitignore", "secret.md\n")
    assert vault.go().removed == 1
    assert vault.meta["purge"] == "log"
    reader.close()
    vault.go()
    assert "purge" not in vault.meta
    assert vault.holds(b"canary") == []


def test_bytes_go_though_the_pass_was_cut_off(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.fill(30)
    vault.write("secret.md", "canary")
    vault.go()
    vault.write(".gitignore", "secret.md\n")

    def cut(_: Index) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Index, "purge", cut)
        with pytest.raises(KeyboardInterrupt):
            vault.go()
    vault.go()
    assert vault.holds(b"canary") == []


def test_forget_leaves_no_byte(vault: Vault) -> None:
    """Of a note that is gone, in every file of the folder, in the temporary one too."""
    vault.fill(30)
    front = "---\naliases: [canary bird]\nstatus: canary\n---\n"
    vault.write("secret.md", front + "# Canary\n\n- canary one\n- canary [[bird|canary cage]]\n")
    vault.go()
    (vault.root / "secret.md").unlink()
    for name in ("corrupt-1.db", "index-00000000.db", "index-00000000.db-wal"):
        Path(vault.settings.folder, name).write_bytes(b"canary")
    assert purge_note(vault.settings, "secret.md") > 0
    assert vault.holds(b"anary") == []
    assert purge_note(vault.settings, "secret.md") == 0
    vault.go()
    assert len(vault.paths) == 30


@pytest.mark.parametrize("key", ["schema", "parser"])
def test_an_index_of_another_version_is_built_anew_and_does_not_stay_beside_it(
    vault: Vault, key: str
) -> None:
    vault.fill(3)
    vault.go()
    old = vault.path
    writer = schema.connect(old, write=True)
    writer.execute("UPDATE meta SET value = 0 WHERE key = ?", (key,))
    writer.close()
    report = vault.go()
    assert (report.added, report.fresh, len(vault.paths), vault.path != old) == (3, True, 3, True)
    assert report.notices == (
        "the index was made by another version of Aurelius, so it was rebuilt",
    )
    assert [name for name in os.listdir(vault.settings.folder) if name.endswith(".db")] == [
        os.path.basename(vault.path)
    ]
    assert vault.go().notices == ()


def test_the_database_of_another_program_is_set_aside_and_not_deleted(vault: Vault) -> None:
    vault.fill(3)
    vault.go()
    os.remove(vault.path)
    db = apsw.Connection(vault.path)
    db.execute("CREATE TABLE bookmarks(id)")
    db.close()
    report = vault.go()
    assert (report.added, len(vault.paths)) == (3, 3)
    (aside,) = Path(vault.settings.folder).glob("corrupt-*")
    assert report.notices[0].endswith(f"so it was rebuilt; the old file is {aside}")


def test_forget_goes_by_bytes_where_the_index_is_unsound(vault: Vault) -> None:
    vault.write("secret.md", "canary")
    vault.go()
    data = Path(vault.path).read_bytes()
    Path(vault.path).write_bytes(b"garbage " * 64 + data[512:])
    assert purge_note(vault.settings, "secret.md") == 0
    assert vault.holds(b"canary") == []
    assert purge_note(vault.settings._replace(folder=vault.settings.folder + "-none"), "a.md") == 0


def test_forget_says_when_it_cannot(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("secret.md", "canary")
    vault.go()
    monkeypatch.setattr(module, "SECONDS_FOR_BUILD", 0.1)
    with (
        hold(vault.settings.folder, WRITE, 0.0),
        pytest.raises(IndexUnavailableError, match=r"secret\.md is not fully removed from"),
    ):
        purge_note(vault.settings, "secret.md")
    reader = schema.connect(vault.path, write=False)
    reader.execute("BEGIN; SELECT * FROM note").fetchall()
    with pytest.raises(IndexUnavailableError, match="is still reading the old index"):
        purge_note(vault.settings, "secret.md")
    reader.close()


# -- cut off, locked, refused ------------------------------------------------------------------------


def test_an_index_folder_deleted_right_after_a_build(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any moment; the answer is made elsewhere, and told."""
    monkeypatch.setattr("tempfile.tempdir", str(vault.root.parent))
    reopen = module._reopen

    def deleted(settings: Settings) -> Index:
        monkeypatch.setattr(module, "_reopen", reopen)
        index = reopen(settings)
        shutil.rmtree(settings.folder)
        vault.write("meanwhile.md", "# Meanwhile\n")
        return index

    vault.write("tea.md", "# Tea\n")
    monkeypatch.setattr(module, "_reopen", deleted)
    monkeypatch.setattr(module, "LONG_BUILD_SECONDS", -1.0)
    index, report = refresh(vault.settings, now=time.time())
    assert index.folder != vault.settings.folder
    assert (report.fresh, len(report.notices)) == (True, 1)
    assert sorted(index.get_keys()) == ["meanwhile.md", "tea.md"]
    index.close()


def test_interrupted_anywhere_a_good_index_remains(
    vault: Vault, dice: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C leaves a good index and the next pass goes on."""
    monkeypatch.setattr(write_notes, "BATCH_NOTES", 4)
    interrupted = 0
    for trial in range(24):
        vault.fill(30, f"trial{trial % 3}")
        shutil.rmtree(vault.root / f"trial{(trial + 1) % 3}", ignore_errors=True)
        left = dice.randint(1, 30)

        def stop(done: int, total: int, at: int = left) -> None:
            if done >= at:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            put = Index.put
            if trial % 2:
                calls = iter(range(left // 5))

                def late(
                    self: Index, *asked: Any, calls: Iterator[int] = calls, put: Any = put
                ) -> None:
                    put(self, *asked)
                    if next(calls, None) is None:
                        raise KeyboardInterrupt

                patched.setattr(Index, "put", late)
            act = rebuild if trial % 4 > 1 else refresh
            try:
                act(vault.settings, now=time.time(), progress=None if trial % 2 else stop)[
                    0
                ].close()
            except KeyboardInterrupt:
                interrupted += 1
        report = vault.go(accept_deletions=True)
        assert report.fresh
        assert schema.strays(vault.settings.folder) == []
        on_disk = sorted(
            path.relative_to(vault.root).as_posix() for path in vault.root.rglob("*.md")
        )
        assert vault.paths == on_disk
        db = apsw.Connection(vault.path)
        assert db.execute("PRAGMA integrity_check").get == "ok"
        db.execute("INSERT INTO chunk_fts(chunk_fts, rank) VALUES('integrity-check', 1)")
        db.close()
    assert interrupted > 15


def test_a_held_lock_runs_the_wait_out(vault: Vault) -> None:
    vault.fill(3)
    vault.go()
    vault.write("a.md", "new")
    with hold(vault.settings.folder, WRITE, 0.0):
        report = vault.go(wait=0.05)
        assert (report.fresh, report.notices) == (
            False,
            ("another process is updating the index; results may lack the latest edits",),
        )
        assert len(vault.paths) == 3
    assert vault.go(wait=0.05).fresh
    assert len(vault.paths) == 4


def test_a_lock_does_not_matter_where_nothing_changed(vault: Vault) -> None:
    vault.fill(3)
    vault.go(time.time() + LATER)
    vault.go(time.time() + LATER)
    with hold(vault.settings.folder, WRITE, 0.0), hold(vault.settings.folder, BUILD, 0.0):
        assert vault.go(time.time() + LATER).fresh


def test_a_build_that_takes_too_long_is_not_waited_for(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS_FOR_BUILD", 0.05)
    monkeypatch.setattr(lock, "temporary", lambda _: os.devnull + "/none")
    vault.fill(3)
    os.makedirs(vault.settings.folder)
    with hold(vault.settings.folder, BUILD, 0.0):
        report = vault.go(wait=0.0)
    assert (vault.path, report.fresh, len(vault.paths)) == (":memory:", True, 3)
    assert len(report.notices) == 1
    assert "memory" in report.notices[0]


def test_an_index_swapped_meanwhile_is_looked_at_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written to an index that was replaced meanwhile would be lost, so the pass looks again."""
    vault.fill(3)
    vault.go()
    vault.write("a.md", "new")
    swaps = iter([1])

    def swapped(root: str, path: str, **asked: Any) -> Any:
        for _ in swaps:
            (vault.root / "a.md").rename(vault.root.parent / "a.md")
            rebuild(vault.settings, now=time.time())[0].close()
            (vault.root.parent / "a.md").rename(vault.root / "a.md")
        return read_whole(root, path, **asked)

    monkeypatch.setattr(write_notes, "read_whole", swapped)
    report = vault.go()
    assert (report.fresh, report.notices, len(vault.paths)) == (True, (), 4)


def test_no_locks_and_no_index_in_the_vault(vault: Vault) -> None:
    """0 bytes of ours among the notes."""
    vault.fill(3)
    vault.write("secret.md", "x")
    vault.go()
    vault.write(".gitignore", "secret.md\n")
    vault.go()
    rebuild(vault.settings, now=time.time())[0].close()
    assert sorted(path.name for path in vault.root.iterdir()) == [
        ".gitignore",
        "notes",
        "secret.md",
    ]


@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError, apsw.CantOpenError])
def test_a_full_disk_still_answers(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error]
) -> None:
    """The answer comes from somewhere else, and says so once."""
    vault.fill(3)
    vault.go()
    vault.write("a.md", "new")
    monkeypatch.setattr(lock, "temporary", lambda _: os.devnull + "/none")

    def full(*_: object) -> None:
        raise error("disk full")

    with monkeypatch.context() as patched:
        advance = Index.advance
        patched.setattr(Index, "advance", lambda index: full() if index.folder else advance(index))
        report = vault.go()
        assert (vault.path, report.fresh, len(vault.paths), len(report.notices)) == (
            ":memory:",
            True,
            4,
            1,
        )
    assert vault.go().notices == ()
    assert len(vault.paths) == 4


def test_a_full_disk_during_a_build_still_answers(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.fill(3)
    monkeypatch.setattr(lock, "temporary", lambda _: os.devnull + "/none")
    point_to = schema.point_to

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(schema, "point_to", full)
    report = vault.go()
    assert (vault.path, len(vault.paths)) == (":memory:", 3)
    assert "No space left on device" in report.notices[0]
    assert [name for name in os.listdir(vault.settings.folder) if name.endswith(".db")] == []
    monkeypatch.setattr(schema, "point_to", point_to)
    assert vault.go().notices == ()


# -- settings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"daily_folder": "2026"}, True),
        ({"vectors": True}, True),
        ({"kinds": (("tags: friend", "person"),)}, True),
        ({"exclude": ("notes/0.md",)}, False),
    ],
)
def test_other_settings_another_index(vault: Vault, change: dict[str, Any], told: bool) -> None:
    vault.fill(3)
    vault.go()
    vault.settings = vault.settings._replace(**change)
    assert bool(vault.go().notices) == told
    assert vault.go().notices == ()


def test_a_model_that_is_none_is_said_and_breaks_nothing(vault: Vault) -> None:
    vault.fill(3)
    vault.go()
    with pytest.raises(ConfigError):
        refresh(vault.settings._replace(model=str(vault.root), vectors=True), now=time.time())
    assert counts(vault.go()) == (0, 0, 0, 0, 3)


def test_what_changed_during_a_long_build_is_in_it(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.fill(3)
    monkeypatch.setattr(module, "LONG_BUILD_SECONDS", -1.0)

    def progress(done: int, total: int) -> None:
        if (done, total) == (3, 3):
            vault.write("meanwhile.md", "saved")

    report = vault.go(progress=progress)
    assert (report.added, report.fresh, len(vault.paths)) == (4, True, 4)


def test_progress_counts_notes(vault: Vault) -> None:
    vault.fill(3)
    seen: list[tuple[int, int]] = []
    vault.go(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_rebuild_drops_what_is_gone_and_tells_what_cannot_be_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.fill(4)
    vault.go()
    (vault.root / "notes/0.md").unlink()

    def refuse(root: str, path: str, **asked: Any) -> Any:
        if path == "notes/1.md":
            raise PermissionError(13, "Permission denied")
        return read_whole(root, path, **asked)

    monkeypatch.setattr(write_notes, "read_whole", refuse)
    index, report = rebuild(vault.settings, now=time.time())
    assert report.failed == (("notes/1.md", "permission denied"),)
    assert sorted(index.get_keys()) == ["notes/2.md", "notes/3.md"]
    index.close()
