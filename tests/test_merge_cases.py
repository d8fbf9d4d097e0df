"""Three versions of a note by another hand, what must stand in the merged one, and what must not.

The open cases and those that were kept apart while the rule was made are held to the same. A line
that says which other it contradicts is compared without those words, which the cases did not know.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from aurelius.compose.note_lines import NoteReader
from aurelius.sync.merge_note import merge_notes

CASES = Path(__file__).parent / "cases"
FILES = (CASES / "merge/open.toml", CASES / "held/merge/sealed.toml")
EVERY = [
    (f"{file.stem}: {case['name']}", case)
    for file in FILES
    for case in tomllib.loads(file.read_text("utf-8"))["case"]
]
CONTRADICTS = re.compile(r"(?:, | \()contradicts \^\w+(\)?)")


def bare(line: str) -> str:
    """A line without blanks around it, its id and what it contradicts."""
    without = re.sub(r"[ \t]+\^[A-Za-z0-9-]+$", "", line.strip())
    return CONTRADICTS.sub(lambda found: found[1] if found[0].startswith(",") else "", without)


def version(case: dict[str, Any], name: str) -> bytes:
    text: str = case[name]
    return text.removeprefix("\n").encode()


@pytest.mark.parametrize("case", [case for _, case in EVERY], ids=[name for name, _ in EVERY])
def test_the_merged_note_is_what_both_meant(case: dict[str, Any]) -> None:
    base, ours, theirs = (version(case, name) for name in ("base", "ours", "theirs"))
    read = NoteReader("memory")
    merged = merge_notes(base, ours, theirs, case["path"], read).data
    assert merge_notes(base, theirs, ours, case["path"], read).data == merged
    lines = list(map(bare, merged.decode().splitlines()))
    for kept in case["keep"]:
        assert lines.count(bare(kept)) == 1, kept
    for gone in case["gone"]:
        assert bare(gone) not in lines, gone
    assert not re.search(rb"(?m)^(?:<{7}|={7}|>{7})", merged)
    ids = re.findall(rb"(?m)[ \t]\^([A-Za-z0-9-]+)[ \t\r]*$", merged)
    assert len(ids) == len(set(ids))
