"""Every storm at full size: real processes, real files, and whether anything was lost.

The cases are those of tests/storms, which runs each once and small.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.storms.harness import Case, Row

MODULES = ("test_savers", "test_reads", "test_folders", "test_root", "test_daemon_killed", "test_full")
HEADS = ("case", "files", "passes", "differences", "seconds", "lost", "failed", "searches", "")
Tables = list[tuple[str, list[tuple[str, ...]]]]


def cases(only: str) -> Iterator[tuple[str, str, Case]]:
    """Module, name and case of every storm whose name holds this."""
    for module in MODULES:
        path = f"tests.storms.{module}"
        for name, case in importlib.import_module(path).CASES.items():
            if only in name:
                yield path, name, case


def measure(only: str = "") -> tuple[Tables, int]:
    """Let every storm loose, one after the other; the table of what came of them, and how many went wrong."""
    from tests.storms.harness import storm

    rows = [HEADS]
    wrong = 0
    for module, name, case in cases(only):
        with tempfile.TemporaryDirectory(prefix="storm-") as top:
            row = storm(module, name, case, Path(top), full=True)
        wrong += not row.right
        rows.append(cells(row))
        tell(row)
    return [("Storms", rows)], wrong


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table; of a case that could not run only why."""
    if not row.ran:
        return (row.case, "", "", "", "", "", "", "", row.said)
    numbers = (row.files, row.passes, len(row.differences), f"{row.seconds:.1f}", len(row.lost), len(row.failed))
    return (row.case, *map(str, numbers), str(row.searches), row.said)


def tell(row: Row) -> None:
    """Say at once how a case went, and what was wrong with it."""
    state = "ok" if row.right else "WRONG"
    print(f"{state:5}  {row.case}  {row.seconds:.1f} s  {row.said}", file=sys.stderr, flush=True)
    for what, found in (("differs", row.differences), ("lost", row.lost), ("failed", row.failed)):
        for line in found[:5]:
            print(f"       {what}: {line[:2000]}", file=sys.stderr, flush=True)
