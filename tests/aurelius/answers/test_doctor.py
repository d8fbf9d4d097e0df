"""Findings of `doctor`."""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.answers import doctor
from aurelius.answers.doctor import (
    checked_state,
    find_faults,
    find_notes_fault,
    of_index,
)
from aurelius.answers.findings import Finding
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.usage.tier import Clock

NOW = 1_900_000_000.0
CLOCK = Clock(datetime.date(2026, 2, 10))
NOTES = {
    "a.md": (
        "# A\n[[unwritten note]] and [[b]]\n[x](gone.md)\n[y](b.md#nowhere)\n[[b#^nope]]\n"
        "![[photo.png]] ![[lost.png]]\n[s](/windows/x) [[unwritten note]]\n"
    ),
    "b.md": "# B\n## Facts\n- one (2026-01-01, superseded by ^gone00) ^dup001\n\n[[a]]\n",
    "c.md": "# C\n## Facts\n- two (2026-01-01) ^dup001\n- three (2026-01-01, because ^none00 said so) ^fff001\n",
    "photo.png": "",
    "yaml.md": "---\na: [\n---\nx\n",
    "merge.md": "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
    "n.sync-conflict-20260101-101010-ABCDEF.md": "x\n",
    "private.md": "---\nprivate: true\n---\n[[canary note]] [[b#^canary]]\n",
    "hidden/x.md": "[[canary]]\n",
    ".aureliusignore": "hidden/\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "latin.md").write_bytes(b"caf\xe9\n")
    return root


@pytest.fixture
def settings(root: Path, tmp_path: Path) -> Settings:
    return Settings(str(root), str(tmp_path / "index"))


@pytest.fixture
def index(settings: Settings) -> Iterator[Index]:
    index, _ = refresh(settings, now=NOW)
    yield index
    index.close()


def brief(found: tuple[Finding, ...]) -> list[tuple[str, int, str]]:
    return [(each.path, each.line, each.code) for each in found]


def test_everything_that_is_wrong_and_nothing_else(index: Index, settings: Settings) -> None:
    assert brief(find_faults(index, settings, CLOCK, private=False)) == [
        ("a.md", 2, "unwritten"),
        ("a.md", 3, "broken-link"),
        ("a.md", 4, "broken-heading"),
        ("a.md", 5, "broken-block"),
        ("a.md", 6, "broken-attachment"),
        ("a.md", 7, "site-link"),
        ("b.md", 3, "dangling-id"),
        ("c.md", 3, "duplicate-id"),
        ("c.md", 4, "dangling-id"),
        ("latin.md", 1, "encoding"),
        ("merge.md", 1, "conflict"),
        ("n.sync-conflict-20260101-101010-ABCDEF.md", 0, "conflict-copy"),
        ("yaml.md", 3, "front-matter"),
    ]


def test_what_is_to_be_filled_in_a_template_is_no_fault(root: Path, settings: Settings) -> None:
    for path in ("Templates/day.md", "days/day.md"):
        (root / path).parent.mkdir()
        (root / path).write_text("---\ncreated: {{date}}\n---\n[[gone#x]]\n")
    index, _ = refresh(settings, now=NOW)
    found = brief(find_faults(index, settings, CLOCK, private=False))
    index.close()
    assert ("days/day.md", 2, "front-matter") in found
    assert ("Templates/day.md", 2, "front-matter") not in found


def test_every_finding_says_what_to_do(index: Index, settings: Settings) -> None:
    for found in find_faults(index, settings, CLOCK, private=True):
        assert found.message
        assert found.fix


def test_a_note_that_is_not_written_is_told_once_with_its_places(
    index: Index, settings: Settings
) -> None:
    found = next(
        each
        for each in find_faults(index, settings, CLOCK, private=False)
        if each.code == "unwritten"
    )
    assert "'unwritten note'" in found.message
    assert "a.md:7" in found.message


def test_private_notes_are_checked_where_they_may_be_seen(index: Index, settings: Settings) -> None:
    assert "canary" not in repr(find_faults(index, settings, CLOCK, private=False))
    assert ("private.md", 4, "broken-block") in brief(
        find_faults(index, settings, CLOCK, private=True)
    )
    assert "hidden" not in repr(find_faults(index, settings, CLOCK, private=True))


def test_it_changes_nothing(index: Index, settings: Settings, root: Path) -> None:
    def state() -> list[tuple[str, int, bytes]]:
        files = sorted(path for path in root.rglob("*") if path.is_file())
        return [(str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in files]

    before = state()
    find_faults(index, settings, CLOCK, private=True)
    assert state() == before


if sys.platform != "win32":

    def test_links_and_pipes_that_look_like_notes(
        settings: Settings, root: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "o.md").write_text("x")
        os.symlink(tmp_path / "outside" / "o.md", root / "link.md")
        os.symlink(tmp_path / "outside", root / "linked")
        os.symlink(tmp_path / "nowhere", root / "dangling.md")
        os.symlink(tmp_path / "outside", root / "hidden" / "linked")
        os.mkfifo(root / "pipe.md")
        found = {each.path: each for each in doctor.of_files(str(root), ())}
        assert set(found) == {"link.md", "linked", "dangling.md", "pipe.md"}
        assert {each.code for each in found.values()} == {"not-indexed"}
        assert "regular" in found["pipe.md"].message


def test_a_note_that_cannot_be_read(index: Index, settings: Settings) -> None:
    index.close()
    writer, _ = refresh(settings._replace(folder=""), now=NOW)
    with writer.db:
        writer.put_failed({"locked.md": "permission denied"})
    found = list(doctor.of_parsing(writer.db, private=False))
    assert ("locked.md", 0, "unreadable") in brief(tuple(found))
    assert any("permission denied" in each.message for each in found)
    writer.close()


def test_the_four_checks_of_the_index(
    settings: Settings, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = refresh(settings, now=NOW)
    assert list(of_index(index, settings)) == []
    (root / "new.md").write_text("x")
    assert [each.code for each in of_index(index, settings)] == ["index-behind"]
    with monkeypatch.context() as failing:
        failing.setattr(doctor, "get_failed", lambda *_, **__: [("new.md", "permission denied")])
        assert list(of_index(index, settings)) == [], "a note that cannot be read is told as such"
    (root / "new.md").unlink()
    index.close()
    memory, _ = refresh(settings._replace(folder=""), now=NOW)
    assert [each.code for each in of_index(memory, settings)] == ["index-memory"]
    memory.close()
    synced = (
        tmp_path / "Dropbox" / "cache",
        tmp_path / "OneDrive - Firm" / "x",
        tmp_path / "Nextcloud",
    )
    for folder in (root / ".aurelius" / "index", *synced):
        placed = settings._replace(folder=str(folder))
        index, _ = refresh(placed, now=NOW)
        assert [each.code for each in of_index(index, placed)] == ["index-place"]
        index.close()


def test_where_rules_leave_out_every_note_the_rule_is_named(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    (root / "sub").mkdir(parents=True)
    (root / "sub/a.md").write_text("x\n")
    (root / ".gitignore").write_text("# all\n*.md\n")
    settings = Settings(str(root), str(tmp_path / "index"))
    index, _ = refresh(settings, now=NOW)
    (found,) = find_notes_fault(index, settings)
    assert (found.code, found.message) == (
        "no-notes",
        "every note is left out by ignore rules, for example sub/a.md by .gitignore:2",
    )
    seen = dict(checked_state(index, settings, "named by --vault", [found]))
    assert seen["vault"] == f"{root} (named by --vault)"
    assert seen["notes"] == "0 found, 1 file or folder left out by ignore rules: see above"
    index.close()
    (root / ".gitignore").unlink()
    index, _ = refresh(settings, now=NOW)
    assert (
        list(find_notes_fault(index, settings)),
        dict(checked_state(index, settings, "", []))["notes"],
    ) == (
        [],
        "1 found",
    )
    index.close()


def test_what_was_checked_names_the_vault_the_notes_and_the_index(
    index: Index, settings: Settings, root: Path
) -> None:
    seen = dict(
        checked_state(
            index, settings, "this folder", find_faults(index, settings, CLOCK, private=False)
        )
    )
    assert seen["vault"] == f"{root} (this folder)"
    assert seen["notes"] == "8 found, 1 file or folder left out by ignore rules"
    assert seen["index"] == f"up to date: {index.path}"
    assert seen["search"] == "by words and meaning"
    (root / "new.md").write_text("x")
    seen = dict(
        checked_state(index, settings, "", find_faults(index, settings, CLOCK, private=False))
    )
    assert seen["index"].startswith("1 note differs")


def test_the_model_has_to_load(settings: Settings) -> None:
    assert list(doctor.of_model(settings)) == []
    found = list(doctor.of_model(settings._replace(model="/nowhere/model")))
    assert [each.code for each in found] == ["model"]
    assert "/nowhere/model" in found[0].message


def test_generated_texts_that_quote_what_was_replaced_by_hand_are_named(
    tmp_path: Path, aurelius: Callable[..., Any]
) -> None:
    facts = "- {} (2026-02-01)\n- Bakes bread (2026-02-01)\n"
    note = f"# Tom\n\n## Summary\n\nLives in Oslo. Bakes bread.\n\n## Facts\n\n{facts}"
    files = {
        "people/tom.md": note.format("~~Lives in Oslo~~"),
        "people/_index.md": "# People\n\n- [[people/ann]]\n- [[people/tom]] - Lives in Oslo.\n",
        "people/ann.md": "# Ann\n\n## Facts\n\n- Sings\n",
        "MEMORY.md": "# Memory\n\n## Now\n\nAs of 2026-02-01:\n\n[[people/tom]] - Bakes bread.\n",
    }
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "people").mkdir()
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    done = aurelius("doctor", "--kind", "stale-summary", "--json", cwd=tmp_path)
    told = [
        (each["path"], each["line"], each["message"]) for each in json.loads(done.out)["findings"]
    ]
    what = 'it still says "Lives in Oslo", which was replaced'
    assert told == [("people/_index.md", 4, what), ("people/tom.md", 5, what)]
    (tmp_path / "people" / "tom.md").write_text(note.format("Lives in Oslo"))
    assert "stale-summary" not in aurelius("doctor", cwd=tmp_path).out
