"""Front matter as YAML 1.2 reads it: values, tags and aliases of cases written by somebody who had not seen the reader.

`AURELIUS_FRONT_MATTER_CASES` names another file of cases to run instead.
"""

from __future__ import annotations

import os
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from indexer.note import Note
from indexer.reading.parse import parse

HERE = Path(__file__).parent / "cases" / "front_matter.toml"
CASES: list[dict[str, Any]] = tomllib.loads(
    Path(os.environ.get("AURELIUS_FRONT_MATTER_CASES") or HERE).read_text("utf-8")
)["case"]


def note_of(yaml: str) -> Note:
    return parse("a.md", f"---\n{yaml}---\nbody\n".encode())


def composed(value: object) -> object:
    if isinstance(value, list | tuple):
        return [composed(each) for each in value]
    return unicodedata.normalize("NFC", str(value))


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(1, len(CASES) + 1)])
def test_front_matter_is_what_was_typed(case: dict[str, Any]) -> None:
    note = note_of(case["yaml"])
    values = {
        unicodedata.normalize("NFC", key): composed(value)
        for key, value in note.front_matter.items()
    }
    wanted = {
        unicodedata.normalize("NFC", key): composed(value) for key, value in case["values"].items()
    }
    assert {key: values.get(key) for key in wanted} == wanted
    assert composed([tag.name for tag in note.tags]) == composed(case["tags"])
    assert composed(note.aliases) == composed(case["aliases"])
