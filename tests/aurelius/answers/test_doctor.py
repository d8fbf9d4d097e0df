"""doctor tells what is wrong, where, and only that."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.answers import doctor
from aurelius.answers.doctor import Finding, check, of_facts, of_index, of_names
from indexer.catalog.graph import Broken
from indexer.catalog.names import Called
from indexer.reading.parse import parse
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.settings import Settings
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
    assert brief(check(index, settings, CLOCK, private=False)) == [
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


def test_every_finding_says_what_to_do(index: Index, settings: Settings) -> None:
    for found in check(index, settings, CLOCK, private=True):
        assert found.message
        assert found.fix


def test_a_note_that_is_not_written_is_told_once_with_its_places(index: Index, settings: Settings) -> None:
    found = next(each for each in check(index, settings, CLOCK, private=False) if each.code == "unwritten")
    assert "'unwritten note'" in found.message
    assert "a.md:7" in found.message


def test_of_many_links_to_a_note_that_is_not_written_the_first_four_are_named() -> None:
    links = [Broken(f"{number}.md", 1, "unwritten", "gone", "no such note") for number in range(1, 7)]
    places = "2.md:1, 3.md:1, 4.md:1"
    assert doctor._of_many("gone", links[:4]).message == f"there is no note 'gone'; the same at {places}"
    assert doctor._of_many("gone", links).message.endswith(f"; the same at {places} and 2 more places")


def test_private_notes_are_checked_where_they_may_be_seen(index: Index, settings: Settings) -> None:
    assert "canary" not in repr(check(index, settings, CLOCK, private=False))
    assert ("private.md", 4, "broken-block") in brief(check(index, settings, CLOCK, private=True))
    assert "hidden" not in repr(check(index, settings, CLOCK, private=True))


def test_it_changes_nothing(index: Index, settings: Settings, root: Path) -> None:
    def state() -> list[tuple[str, int, bytes]]:
        files = sorted(path for path in root.rglob("*") if path.is_file())
        return [(str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in files]

    before = state()
    check(index, settings, CLOCK, private=True)
    assert state() == before


if sys.platform != "win32":

    def test_links_and_pipes_that_look_like_notes(settings: Settings, root: Path, tmp_path: Path) -> None:
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

    def test_names_that_differ_in_case_alone(tmp_path: Path) -> None:
        called = [Called(path, title, (), "note", None) for path, title in (("Joe.md", "1"), ("joe.md", "2"))]
        assert [(each.path, each.code) for each in of_names(called)] == [("joe.md", "case-clash")]


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
        failing.setattr(Index, "get_failed", lambda _: {"new.md": "permission denied"})
        assert list(of_index(index, settings)) == [], "a note that cannot be read is told as such"
    (root / "new.md").unlink()
    index.close()
    memory, _ = refresh(settings._replace(folder=""), now=NOW)
    assert [each.code for each in of_index(memory, settings)] == ["index-memory"]
    memory.close()
    synced = (tmp_path / "Dropbox" / "cache", tmp_path / "OneDrive - Firm" / "x", tmp_path / "Nextcloud")
    for folder in (root / ".aurelius" / "index", *synced):
        placed = settings._replace(folder=str(folder))
        index, _ = refresh(placed, now=NOW)
        assert [each.code for each in of_index(index, placed)] == ["index-place"]
        index.close()


def test_the_model_has_to_load(settings: Settings) -> None:
    assert list(doctor.of_model(settings)) == []
    found = list(doctor.of_model(settings._replace(model="/nowhere/model")))
    assert [each.code for each in found] == ["model"]
    assert "/nowhere/model" in found[0].message


def facts_of(**notes: str) -> list[tuple[str, object]]:
    return [
        (note.path, fact)
        for name, text in notes.items()
        for note in [parse(f"{name}.md", f"# N\n## Facts\n{text}".encode())]
        for fact in note.facts
    ]


def findings_of(facts: list[tuple[str, object]]) -> list[tuple[str, str]]:
    found = of_facts(facts, {path for path, _ in facts})  # type: ignore[arg-type]  # facts of a made-up note
    return [(each.path, each.code) for each in found]


def test_facts_that_supersede_each_other_in_a_circle() -> None:
    one, two = "- a (2026-01-01, superseded by ^bbb222) ^aaa111\n", "- b (2026-01-02, superseded by ^aaa111) ^bbb222\n"
    assert findings_of(facts_of(x=one, y=two)) == [("x.md", "cycle")]
    assert findings_of(facts_of(x="- a (2026-01-01, superseded by ^aaa111) ^aaa111\n")) == [("x.md", "cycle")]
    assert findings_of(facts_of(x=one, y="- b ^bbb222\n")) == []
    one, two = "- a (2026-01-01, updates ^bbb222) ^aaa111\n", "- b (2026-01-02, updates ^aaa111) ^bbb222\n"
    assert findings_of(facts_of(x=one, y=two)) == [("x.md", "cycle")]
    assert findings_of(facts_of(x=one, y="- b ^bbb222\n")) == []


def test_a_chain_into_a_circle_ends() -> None:
    chain = (
        "- z (2026-01-01, superseded by ^aaa111) ^zzz000\n- a (2026-01-01, superseded by ^bbb222) ^aaa111\n"
        "- b (2026-01-01, superseded by ^aaa111) ^bbb222\n"
    )
    assert findings_of(facts_of(x=chain)) == [("x.md", "cycle")]


@pytest.mark.parametrize("word", ["superseded by", "updates", "contradicts", "because"])
def test_ids_that_nothing_has(word: str) -> None:
    assert findings_of(facts_of(x=f"- a (2026-01-01, {word} ^nope00) ^aaa111\n")) == [("x.md", "dangling-id")]
    assert findings_of(facts_of(x=f"- a (2026-01-01, {word} ^bbb222) ^aaa111\n", y="- b ^bbb222\n")) == []


def test_only_ids_of_ours_or_pointed_at_have_to_be_unlike() -> None:
    assert findings_of(facts_of(x="- a ^quote\n", y="- b ^quote\n")) == []
    assert findings_of(
        facts_of(x="- a ^quote\n", y="- b ^quote\n", z="- c (2026-01-01, updates ^quote) ^ccc333\n")
    ) == [("y.md", "duplicate-id")]
    assert findings_of(facts_of(x="- a ^abc123\n", y="- b ^abc123\n")) == [("y.md", "duplicate-id")]
    assert findings_of(facts_of(x="- a ^abc123\n- b ^abc123\n")) == []  # in one note, parsing tells


def test_names_that_two_notes_answer_to() -> None:
    def names(*called: Called) -> list[str]:
        return [each.path for each in of_names(list(called)) if each.code == "ambiguous-name"]

    joe = Called("people/joe.md", "Joe", ("Boss",), "person", None)
    assert names(joe, Called("people/j2.md", "Joe", (), "person", None)) == ["people/j2.md"]
    assert names(joe, Called("people/ann.md", "Ann", ("boss",), "person", None)) == ["people/ann.md"]
    assert names(joe, Called("notes/boss.md", "X", (), "note", None)) == ["notes/boss.md"]
    assert names(joe, Called("archives/joe.md", "Joe", ("Boss",), "archive", None)) == []
    readme = [Called(f"{each}/index.md", "Index", (), "note", None) for each in "abc"]
    assert names(*readme) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_what_stands_in_for_a_part_of_the_usage_log_is_told(root: Path, settings: Settings, tmp_path: Path) -> None:
    """Nothing is read from it or written to it, and nothing else would say so."""
    log = root / ".aurelius/log"
    (log / "good-1").mkdir(parents=True)
    (log / "good-1/2026-01.jsonl").touch()
    (log / "good-1/notes.txt").symlink_to(tmp_path)  # no file of the log
    (log / "read.me").touch()
    (log / "good-1/2026-02.jsonl").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(log / "good-1/2026-03.jsonl")
    (log / "good-1/2026-04.jsonl").mkdir()
    (log / "linked-1").symlink_to(tmp_path)
    os.mkfifo(log / "piped-1")
    index, _ = refresh(settings, now=NOW)
    found = {
        each.path.removeprefix(".aurelius/log/"): (each.code, each.fix)
        for each in check(index, settings, CLOCK, private=False)
        if each.path.startswith(".aurelius")
    }
    index.close()
    assert found == {
        "good-1/2026-02.jsonl": ("log-link", "put the file itself there"),
        "good-1/2026-03.jsonl": ("log-file", "remove it"),
        "good-1/2026-04.jsonl": ("log-file", "remove it"),
        "linked-1": ("log-link", "put the folder itself there"),
        "piped-1": ("log-file", "remove it"),
    }


def test_a_missing_note_is_told_once_however_it_is_linked_to(root: Path, settings: Settings) -> None:
    (root / "a.md").write_text(
        "# A\n[x](Nowhere.md) [[nowhere]] [[Nowhere]]\n[[Nowhere]] [y](nowhere.md)\n[z](gone.md)\n"
    )
    index, _ = refresh(settings, now=NOW)
    found = [(each.line, each.code, each.message) for each in check(index, settings, CLOCK, private=False)]
    index.close()
    assert [each for each in found if each[1] in {"unwritten", "broken-link"}] == [
        (2, "unwritten", "there is no note 'nowhere'; the same at a.md:3"),
        (4, "broken-link", "the link to 'gone.md' leads nowhere: no such note"),
    ]
