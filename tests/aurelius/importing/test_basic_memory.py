from __future__ import annotations

from pathlib import Path

from aurelius.importing.basic_memory import BASIC_MEMORY
from aurelius.importing.imported import ImportedNote
from tests.aurelius.importing.reading import CASES, of_kind, read_damaged, read_with


def test_notes_keep_their_text_days_tags_and_their_old_name() -> None:
    found = of_kind(read_with(BASIC_MEMORY, CASES / "basic_memory"), ImportedNote)
    note = next(each for each in found if each.title == "River gauge")
    assert note.id == "tides/river-gauge"
    assert (note.created, note.updated) == ("2025-02-11T08:00:00Z", "2025-03-01T08:00:00Z")
    assert note.tags == ("river", "measuring")
    assert ("aliases", ["tides/river-gauge"]) in note.properties
    assert note.text.startswith("## Observations\n- [fact] The gauge at Ford Bridge")


def test_an_ordinary_note_is_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: A\npermalink: a\n---\n- [fact] b\n")
    assert read_with(BASIC_MEMORY, tmp_path) == []


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    data = (CASES / "basic_memory" / "tides" / "River gauge.md").read_bytes()
    read_damaged(BASIC_MEMORY, data, tmp_path / "x.md", 100)
