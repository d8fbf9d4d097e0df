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
    from collections.abc import Callable, Iterator

    from tests.storms.harness import Case, Row

MODULES = (
    "test_savers",
    "test_reads",
    "test_folders",
    "test_root",
    "test_daemon_killed",
    "test_full",
)
HEADS = ("case", "files", "passes", "differences", "seconds", "lost", "failed", "searches", "")
WRITERS, LONG = "sixteen writers", 600.0
"""The storm of writes, which needs no daemon, and its seconds."""
NOTED, TWELVE = "noting while a program saves: ", 12.0
"""The storms of a program that saves today's note while lines are noted, and the seconds of each
way of saving."""
EDITED = "edited by a person right after a line was noted"
"""The storm of sixty edits by hand, half of them beside a daemon."""
EACH, REST = 12.0, 0.4
"""Seconds that a program saves in one way against one command, and between two saves at most: a
note that was saved a moment ago is left alone, so that of many saves none would meet a change."""
Tables = list[tuple[str, list[tuple[str, ...]]]]


def cases(only: str) -> Iterator[tuple[str, str, Case]]:
    """Module, name and case of every storm whose name holds this."""
    for module in MODULES:
        path = f"tests.storms.{module}"
        for name, case in importlib.import_module(path).CASES.items():
            if only in name:
                yield path, name, case


def measure(only: str = "") -> tuple[Tables, int]:
    """Let every storm loose, one after the other; the table of what came of them, and how many went
    wrong."""
    from tests.storms.harness import storm

    rows = [HEADS]
    wrong = 0
    storms = [
        (name, partial(storm, module, name, case, full=True)) for module, name, case in cases(only)
    ]
    if only in WRITERS:
        storms.append((WRITERS, writers))
    storms += [(NOTED + way, partial(noted, way)) for way in noted_ways() if only in NOTED + way]
    if only in EDITED:
        storms.append((EDITED, edited))
    storms += [(name, case) for name, case in ways() if only in name]
    for _, let_loose in storms:
        with tempfile.TemporaryDirectory(prefix="storm-") as top:
            row = let_loose(Path(top))
        wrong += not row.right
        rows.append(cells(row))
        tell(row)
    return [("Storms", rows)], wrong


def writers(top: Path) -> Row:
    """Sixteen agents, an editor and git, for ten minutes: whether any acknowledged write is
    missing."""
    from tests.storms.harness import Row
    from tests.storms.test_writers import write_at_once

    began = time.monotonic()
    ledger, missing = write_at_once(top, LONG)
    lost = tuple(f"{path}: {line}" for path, line in missing)
    return Row(
        WRITERS,
        len(ledger),
        seconds=time.monotonic() - began,
        lost=lost,
        said="files are acknowledged writes",
    )


def noted_ways() -> tuple[str, ...]:
    """The ways of saving that noting is tried against."""
    from tests.storms.test_append_savers import WAYS

    return WAYS


def noted(way: str, top: Path) -> Row:
    """A program that saves today's note in one way while lines are noted: whether any line or save
    is missing."""
    from tests.storms.harness import Row
    from tests.storms.test_append_savers import save_and_note

    began = time.monotonic()
    found = save_and_note(top, way, TWELVE)
    said = f"{found.noted} lines noted, {found.saved} saves, {len(found.told)} lines told as gone"
    return Row(
        NOTED + way,
        differences=found.doubled,
        seconds=time.monotonic() - began,
        lost=found.lost,
        said=said,
    )


def edited(top: Path) -> Row:
    """Sixty times a line noted and the note edited at once: whether what the person left stands,
    and what was said."""
    from tests.storms.harness import Row
    from tests.storms.test_person_edits import edit_after_note, runs

    began = time.monotonic()
    wrong = []
    for number, run in enumerate(runs()):
        folder = top / str(number)
        folder.mkdir()
        wrong += [f"{run}: {each}" for each in edit_after_note(folder, run)]
    said = f"{number + 1} edits, {len(wrong)} wrong"
    return Row(
        EDITED, number + 1, differences=tuple(wrong), seconds=time.monotonic() - began, said=said
    )


def ways() -> Iterator[tuple[str, Callable[[Path], Row]]]:
    """Each of six ways of saving against each command that writes notes: whether a save or a change
    was lost."""
    from tests.storms.test_six_ways import COMMANDS, WAYS

    for command in ("apply", *COMMANDS):
        for way in WAYS:
            yield f"{way} against {command}", partial(one_way, way, command)


def one_way(way: str, command: str, top: Path) -> Row:
    """One of them, for 12 seconds."""
    from tests.storms.harness import Row
    from tests.storms.test_six_ways import loop

    began = time.monotonic()
    done = loop(top, way, command, EACH, REST)
    said = f"{done.saves} saves, {done.runs} commands, {done.changes} acknowledged changes"
    name = f"{way} against {command}"
    return Row(name, done.saves, seconds=time.monotonic() - began, lost=done.lost, said=said)


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table; of a case that could not run only why."""
    if not row.ran:
        return (row.case, "", "", "", "", "", "", "", row.said)
    numbers = (
        row.files,
        row.passes,
        len(row.differences),
        f"{row.seconds:.1f}",
        len(row.lost),
        len(row.failed),
    )
    return (row.case, *map(str, numbers), str(row.searches), row.said)


def tell(row: Row) -> None:
    """Say at once how a case went, and what was wrong with it."""
    state = "ok" if row.right else "WRONG"
    print(f"{state:5}  {row.case}  {row.seconds:.1f} s  {row.said}", file=sys.stderr, flush=True)
    for what, found in (("differs", row.differences), ("lost", row.lost), ("failed", row.failed)):
        for line in found[:5]:
            print(f"       {what}: {line[:2000]}", file=sys.stderr, flush=True)
