"""How much the daily run takes of what could be drawn, saved or repeated without end.

`AURELIUS_WHOLE=1 scripts/test` takes all of it, as before a release.
"""

from __future__ import annotations

import os

WHOLE = bool(os.environ.get("AURELIUS_WHOLE"))


def daily(count: int, whole: int) -> int:
    """How many: each day, and where the whole is asked for."""
    return whole if WHOLE else count
