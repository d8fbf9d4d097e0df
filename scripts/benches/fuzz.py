"""Whatever reads words, given inputs of its grammar and broken ones; what was wrong with what came
of them.

The inputs and the readers are those of tests/storms/fuzz, of which a test gives each four hundred.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

LONGEST = 1.0
"""Seconds of the processor that one input may take here; a test allows more, for its machine may be
any."""
Tables = list[tuple[str, list[tuple[str, ...]]]]


def measure(seed: int, inputs: int, only: str) -> tuple[Tables, int]:
    """Give each reader, or one, so many inputs of a seed; a table of the readers, one of what was
    wrong, how much."""
    from tests.storms import fuzz
    from tests.storms.fuzz import Found, Place, parsers, storm

    fuzz.LONGEST = LONGEST
    names = [only] if only else list(parsers())
    if only and only not in parsers():
        raise SystemExit(f"there is no parser {only!r}: one of {', '.join(parsers())}")
    rows = [("parser", "inputs", "wrong", "seconds")]
    wrong: list[Found] = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as top:
            began = time.process_time()
            found = storm(Place(Path(top)), name, seed, inputs)
        wrong += found
        rows.append(
            (
                name,
                f"{inputs:,}",
                str(sum(each.times for each in found)),
                f"{time.process_time() - began:.0f}",
            )
        )
    tables: Tables = [(f"Parsers of words, seed {seed}", rows)]
    if wrong:
        told = [
            (f"{each.parser}, {each.times} times: {each.error}: {each.input}",) for each in wrong
        ]
        tables.append(("What was wrong", [("",), *told]))
    return tables, sum(each.times for each in wrong)
