from __future__ import annotations

from pathlib import Path

from aurelius.importing.imported import ImportedFact, LeftOut
from aurelius.importing.koshi import KOSHI
from tests.aurelius.importing.reading import CASES, database, of_kind, read_damaged, read_with

SCRIPT = (CASES / "koshi" / "koshi.sql").read_text("utf-8")


def test_memories_keep_their_day_score_and_last_use(tmp_path: Path) -> None:
    found = read_with(KOSHI, database(SCRIPT, tmp_path / "k.db"))
    facts = of_kind(found, ImportedFact)
    assert [(each.id, each.created[:10], each.score, each.used[:10]) for each in facts] == [
        ("1", "2026-01-04", 9, "2026-02-01"),
        ("2", "2026-01-05", 0, ""),
        ("3", "2024-06-01", -4, ""),
        ("5", "", 0, ""),
        ("6", "2026-01-07", 3, ""),
    ]
    assert of_kind(found, LeftOut) == [LeftOut("4", "it is empty")]
    assert facts[-1].text == "First line # second line"


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    data = database(SCRIPT, tmp_path / "k.db").read_bytes()
    read_damaged(KOSHI, data, tmp_path / "broken.db", 150)
