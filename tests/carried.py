"""What the daemon's job writes by itself from daily notes, where the settings let it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

from aurelius.daemon.jobs import carry_daily_lines
from aurelius.vault import Vault


def carry_now(root: Path, env: Mapping[str, str], now: datetime.datetime) -> str:
    """Do it once; what it tells."""
    vault = Vault.find(str(root), env, str(root), now=now)
    try:
        vault.refresh()
        return carry_daily_lines(vault)
    finally:
        vault.close()
