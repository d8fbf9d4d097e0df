"""Everything that is wrong, where, and the fix.  Looks, never touches."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is wrong: where (`line` 0 = the whole file; `path` "" = the vault), a stable code,
    what it is, and what to do."""

    path: str
    line: int
    code: str
    message: str
    fix: str
