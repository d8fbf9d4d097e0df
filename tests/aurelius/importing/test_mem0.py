from __future__ import annotations

from pathlib import Path

from aurelius.importing.imported import ImportedFact, LeftOut
from aurelius.importing.mem0 import MEM0
from tests.aurelius.importing.reading import CASES, of_kind, read_damaged, read_with

PLUGIN = "mem0-export-lighthouse-2026-02-14.md"


def test_each_block_of_the_plugin_is_a_fact() -> None:
    facts = of_kind(read_with(MEM0, CASES / "mem0" / PLUGIN), ImportedFact)
    assert [(each.type, each.created[:10]) for each in facts] == [
        ("decision", "2026-01-20"),
        ("preference", "2026-01-20"),
        ("fact", ""),
    ]
    assert facts[1].text.endswith("--- A rule of three dashes within the text.")


def test_a_list_brings_each_text_once() -> None:
    found = read_with(MEM0, CASES / "mem0" / "list.json")
    assert len(of_kind(found, ImportedFact)) == 3
    assert [each.why for each in of_kind(found, LeftOut)] == [
        "it says the same as another",
        "it is empty",
    ]


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    for name in ("list.json", PLUGIN):
        read_damaged(MEM0, (CASES / "mem0" / name).read_bytes(), tmp_path / name, 100)
