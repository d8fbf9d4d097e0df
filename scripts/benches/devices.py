"""Three devices that edit one vault apart from each other for weeks, by real git: what they did,
and what is wrong once all have met.

The edits are those of tests/storms/apart, of which a test makes some hundred.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

Tables = list[tuple[str, list[tuple[str, ...]]]]


def measure(seed: str, edits: int) -> tuple[Tables, int]:
    """Let devices make so many edits; a table of what they did, one of what is wrong, and how much
    that is."""
    from tests.storms.apart import play

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="devices-") as top:
        apart = play(
            Path(top),
            random.Random(seed),
            edits,
            say=lambda line: print(line, file=sys.stderr, flush=True),
        )
        wrong = apart.check()
    rows = [
        ("what", "how often"),
        *((name, str(count)) for name, count in sorted(apart.told.items())),
    ]
    rows.append(("seconds", f"{time.monotonic() - began:.0f}"))
    tables: Tables = [(f"{edits:,} edits on three devices, seed {seed}", rows)]
    if wrong:
        tables.append(("What was wrong", [("",), *((line,) for line in wrong)]))
    return tables, len(wrong)
