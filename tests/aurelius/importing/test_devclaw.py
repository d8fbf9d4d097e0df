from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aurelius.importing.devclaw import DEVCLAW
from aurelius.importing.imported import ImportedFact, ImportedNote, LeftOut
from tests.aurelius.importing.reading import CASES, database, of_kind, read_damaged, read_with


@pytest.fixture
def export(tmp_path: Path) -> Path:
    shutil.copytree(CASES / "devclaw" / "memory", tmp_path / "e" / "memory")
    database((CASES / "devclaw" / "memory.sql").read_text("utf-8"), tmp_path / "e" / "m.db")
    return tmp_path / "e"


def test_a_file_is_a_fact_and_the_table_adds_what_no_file_holds(export: Path) -> None:
    facts = of_kind(read_with(DEVCLAW, export), ImportedFact)
    assert [(each.id, each.type, each.created[:10]) for each in facts] == [
        ("event/2025-05-20-repair.md", "event", "2025-05-20"),
        ("fact/2025-05-15-press.md", "fact", "2025-05-15"),
        ("fact/bad-header.md", "fact", ""),
        ("fact/no-header.md", "fact", ""),
        ("preference/2025-05-10-units.md", "preference", "2025-05-10"),
        ("a2", "fact", "2025-05-16"),
    ]


def test_a_summary_is_a_note_and_a_broken_header_is_told(export: Path) -> None:
    found = read_with(DEVCLAW, export)
    assert [each.text for each in of_kind(found, ImportedNote)] == ["A week about the press."]
    assert of_kind(found, LeftOut) == [
        LeftOut("memory/fact/bad-header.md", "its header cannot be read")
    ]


def test_damaged_files_are_read_as_far_as_they_go(export: Path, tmp_path: Path) -> None:
    data = (export / "memory/fact/2025-05-15-press.md").read_bytes()
    read_damaged(DEVCLAW, data, tmp_path / "x.md", 80)
    read_damaged(DEVCLAW, (export / "m.db").read_bytes(), tmp_path / "x.db", 80)
