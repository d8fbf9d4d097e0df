"""Ten thousand malformed and hostile inputs at the doors of agents, and what was wrong with what
came of them.

The inputs are those of tests/storms/hostile, of which a test says four hundred.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

Tables = list[tuple[str, list[tuple[str, ...]]]]
SHOWN = 20


def measure(seed: int, count: int) -> tuple[Tables, int]:
    """Say so many inputs of a seed; a table of the doors, one of what was wrong, and how much that
    was."""
    from tests.storms.hostile_doors import storm

    with tempfile.TemporaryDirectory(prefix="storm-") as top:
        found = storm(Path(top), seed, count)
    doors = [("door", "inputs", "wrong")]
    for door, asked in found.asked.items():
        doors.append(
            (door, str(asked), str(sum(line.startswith(f"{door}: ") for line in found.wrong)))
        )
    tables: Tables = [(f"Hostile inputs, seed {seed}", doors)]
    if found.wrong:
        tables.append(("What was wrong", [("",), *((line,) for line in found.wrong[:SHOWN])]))
    return tables, len(found.wrong)
