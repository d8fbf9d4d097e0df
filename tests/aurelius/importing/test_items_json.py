from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aurelius.importing.imported import Imported, ImportedFact, LeftOut
from aurelius.importing.items_json import ITEMS_JSON
from tests.aurelius.importing.reading import of_kind, read_damaged, read_with

OLD = {
    "id": "acme-001",
    "fact": "Joined as engineer",
    "category": "milestone",
    "timestamp": "2024-01-10",
    "status": "superseded",
    "supersededBy": "acme-002",
    "lastAccessed": "2026-01-28",
    "accessCount": 12,
}
NEW = {"id": "acme-002", "fact": "Joined as head", "category": "status", "supersededBy": None}


def read(folder: Path, *items: Any) -> list[Imported]:
    (folder / "acme").mkdir()
    (folder / "acme" / "items.json").write_text(json.dumps(items))
    return read_with(ITEMS_JSON, folder)


def test_an_item_keeps_what_it_is_about_its_use_and_what_took_its_place(tmp_path: Path) -> None:
    old, new = of_kind(read(tmp_path, OLD, NEW), ImportedFact)
    assert (old.subject, old.type, old.is_past) == ("acme", "event", True)
    assert (old.used, old.uses, old.created) == ("2026-01-28", 12, "2024-01-10")
    assert (new.is_past, new.updates, old.id) == (False, "acme/acme-001", "acme/acme-001")


def test_an_item_without_text_is_told(tmp_path: Path) -> None:
    assert of_kind(read(tmp_path, OLD, {"id": "x"}, 7), LeftOut) == [
        LeftOut("acme/items.json", "it is empty"),
        LeftOut("acme/items.json", "it is empty"),
    ]


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    read_damaged(ITEMS_JSON, json.dumps([OLD, NEW]).encode(), tmp_path / "items.json", 100)
