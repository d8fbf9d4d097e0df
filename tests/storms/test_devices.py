"""Three devices that edit one vault apart are one again when they met, and no line is lost."""

from __future__ import annotations

import random
from pathlib import Path

from tests.daily import daily
from tests.storms.apart import play


def test_devices_that_were_apart_are_one_again(tmp_path: Path, dice: random.Random) -> None:
    apart = play(tmp_path, dice, daily(120, 1_000))
    assert apart.check() == []
