from __future__ import annotations

from pathlib import Path

from aurelius.importing.imported import ImportedFact, LeftOut
from aurelius.importing.mcp_memory import MCP_MEMORY
from tests.aurelius.importing.reading import CASES, of_kind, read_damaged, read_with


def test_each_observation_is_a_fact_once_and_a_relation_is_one_too() -> None:
    facts = of_kind(read_with(MCP_MEMORY, CASES / "mcp" / "memory.jsonl"), ImportedFact)
    assert [(each.subject, each.text, each.type) for each in facts] == [
        ("Tove_Lund", "Plays the accordion", ""),
        ("Tove_Lund", "Works at Fjordline", ""),
        ("Fjordline", "Runs ferries", ""),
        ("Tove_Lund", "works at Fjordline", "relationship"),
        ("Tove_Lund", "knows Nobody Here", "relationship"),
        ("../../outside", "Stays inside", ""),
    ]


def test_what_is_no_observation_is_told() -> None:
    left = of_kind(read_with(MCP_MEMORY, CASES / "mcp" / "memory.jsonl"), LeftOut)
    assert [each.why for each in left] == [
        "nothing is observed of it",
        "not JSON",
        "neither an entity nor a relation",
    ]


def test_one_document_with_other_keys_and_one_line_are_read() -> None:
    facts = of_kind(read_with(MCP_MEMORY, CASES / "mcp" / "variants.json"), ImportedFact)
    assert [each.created for each in facts] == ["2025-10-01T00:00:00Z", "", ""]
    assert len(read_with(MCP_MEMORY, CASES / "mcp" / "memory.json")) == 1


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    for name in ("memory.jsonl", "variants.json"):
        read_damaged(MCP_MEMORY, (CASES / "mcp" / name).read_bytes(), tmp_path / name, 100)
