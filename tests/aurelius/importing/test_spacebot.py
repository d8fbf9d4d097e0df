from __future__ import annotations

from pathlib import Path

from aurelius.importing.imported import ImportedFact, LeftOut
from aurelius.importing.spacebot import SPACEBOT
from tests.aurelius.importing.reading import CASES, database, of_kind, read_damaged, read_with

SCRIPT = (CASES / "spacebot" / "spacebot.sql").read_text("utf-8")


def test_memories_keep_their_type_and_which_one_took_their_place(tmp_path: Path) -> None:
    found = read_with(SPACEBOT, database(SCRIPT, tmp_path / "s.db"))
    facts = {each.id: each for each in of_kind(found, ImportedFact)}
    assert {key: each.type for key, each in facts.items()} == {
        "m1": "identity",
        "m2": "fact",
        "m4": "observation",
        "m6": "fact",
        "m6-2": "fact",
        "m7": "plan",
        "m3": "fact",
    }
    assert facts["m3"].updates == "m2"
    assert facts["m2"].is_past
    assert facts["m4"].inferred
    assert (facts["m1"].uses, facts["m1"].importance) == (7, 1.0)


def test_what_was_forgotten_and_what_the_program_wrote_is_left_out(tmp_path: Path) -> None:
    found = read_with(SPACEBOT, database(SCRIPT, tmp_path / "s.db"))
    assert of_kind(found, LeftOut) == [
        LeftOut("m5", "it was forgotten there"),
        LeftOut("2026-01-03", "a summary that the program wrote of a day"),
    ]


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    data = database(SCRIPT, tmp_path / "s.db").read_bytes()
    read_damaged(SPACEBOT, data, tmp_path / "broken.db", 150)
