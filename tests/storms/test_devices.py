"""Three devices that edit one vault apart are one again when they met, and no line is lost; nor by a sync that dies."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.aurelius.sync.devices import Device, first_device, meeting_place
from tests.daily import daily
from tests.storms.apart import play


def test_devices_that_were_apart_are_one_again(tmp_path: Path, dice: random.Random) -> None:
    apart = play(tmp_path, dice, daily(120, 1_000))
    assert apart.check() == []


def _sync(device: Device) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "aurelius", "sync", "--yes"],
        cwd=device.vault,
        env=device.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed there")
def test_a_sync_that_is_killed_leaves_no_half_state(tmp_path: Path, dice: random.Random) -> None:
    remote = meeting_place(tmp_path)
    one = first_device(tmp_path, remote)
    two = Device(tmp_path, "two", remote)
    words = []
    seconds = 0.8
    for number in range(daily(12, 120)):
        for device in (one, two):
            words += [f"{device.name}{number}a", f"{device.name}{number}b"]
            device.write(f"n{number}-{device.name}.md", f"# N\n\n- Line {words[-2]}\n")
            common = device.read("both.md") if (device.vault / "both.md").exists() else "# Both\n\n"
            device.write("both.md", f"{common}- Line {words[-1]}\n")
        one.sync("--yes")
        began = time.monotonic()
        running = _sync(two)
        try:
            running.wait(dice.uniform(0.2, 1.1) * seconds)
            seconds = max(0.4, time.monotonic() - began)
        except subprocess.TimeoutExpired:
            running.kill()
        told = running.communicate()[0]
        assert b"Traceback" not in told, told.decode()
    two.sync("--yes")
    one.sync("--yes")
    two.sync("--yes")
    assert one.files() == two.files()
    everything = b"".join(one.files().values()).decode()
    assert [word for word in words if everything.count(f"{word}\n") != 1] == []
    assert not list(two.vault.rglob(".aurelius-*"))
    assert two.git("status", "--short") == ""
