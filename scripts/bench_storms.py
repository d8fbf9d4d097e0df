"""Every storm at full size: real processes, real files, and whether anything was lost.

The cases are those of tests/storms, which runs each once and small.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.storms.harness import Case, Row

MODULES = ("test_savers", "test_reads", "test_folders", "test_root", "test_daemon_killed", "test_full")
HEADS = ("case", "files", "passes", "differences", "seconds", "lost", "failed", "searches", "")
WRITERS, LONG = "sixteen writers", 600.0
"""The storm of writes, which needs no daemon, and its seconds."""
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
    storms = [(name, partial(storm, module, name, case, full=True)) for module, name, case in cases(only)]
    if only in WRITERS:
        storms.append((WRITERS, writers))
    for _, let_loose in storms:
        with tempfile.TemporaryDirectory(prefix="storm-") as top:
            row = let_loose(Path(top))
        wrong += not row.right
        rows.append(cells(row))
        tell(row)
    return [("Storms", rows)], wrong


def writers(top: Path) -> Row:
    """Sixteen agents, an editor and git, for ten minutes: whether any acknowledged write is missing (D1)."""
    from tests.storms.harness import Row
    from tests.storms.test_writers import write_at_once

    began = time.monotonic()
    ledger, missing = write_at_once(top, LONG)
    lost = tuple(f"{path}: {line}" for path, line in missing)
    return Row(WRITERS, len(ledger), seconds=time.monotonic() - began, lost=lost, said="files are acknowledged writes")


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
