"""How a storm is let loose: in a place of its own, in the world it needs, and with a proof at the end.

A case is a function that does things to a `Place`.  `run` gives it one, and afterwards proves that the
index has every last save though nobody asked, that `verify` finds no difference, that no byte of a note
changed but by the storm itself, and that the reader was never refused and never told that there is nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.storms.place import ROOT, Place


class Row(NamedTuple):
    """What came of a case.  `said` is why it could not run, or what else there is to tell.

    `passes` are the commits that changed rows; `lost` the notes that the index had not as they were
    last saved, `failed` the searches that ended in an error or found nothing.
    """

    case: str
    files: int = 0
    passes: int = 0
    differences: tuple[str, ...] = ()
    seconds: float = 0.0
    lost: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    searches: int = 0
    said: str = ""
    ran: bool = True

    @property
    def right(self) -> bool:
        """Whether nothing was wrong."""
        return not (self.differences or self.lost or self.failed)


class Case(NamedTuple):
    """A storm.  `world` is where it has to happen.

    "" is anywhere, "posix" where processes can be stopped, "root" with mounts of its own, "plain" without rights.
    """

    act: Callable[[Place], None]
    world: str = ""
    seconds: float = 60.0
    """How long it may take in a test."""
    settle: float = 20.0


Cases = Mapping[str, Case]


def run(name: str, case: Case, top: Path, *, full: bool) -> Row:
    """Let a storm loose in a folder, here, and prove what came of it."""
    began = time.monotonic()
    place = Place(top, full=full)
    lost: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    passes = 0
    try:
        try:
            case.act(place)
            lost, differences = place.prove(case.settle)
            passes = place.rows()[1]
        except Exception:  # noqa: BLE001  # whatever it is, it is wrong, and the next case wants its turn
            differences = (
                *place.wrong,
                traceback.format_exc(),
                *place.daemon_output().splitlines()[-5:],
            )
    finally:
        place.close()
    failed = tuple(line for reader in place.readers for line in reader.failed)
    searches = sum(reader.searches for reader in place.readers)
    seconds = time.monotonic() - began
    return Row(
        name,
        place.touched,
        passes,
        differences,
        seconds,
        lost,
        failed,
        searches,
        "; ".join(place.said),
    )


WORLDS = {"root": ["-Urm"], "plain": ["-U", "--map-user=65534", "--map-group=65534"]}
"""Options of `unshare`: with mounts and limits of its own, and without a superuser's rights."""


def obstacle(world: str) -> str:
    """Why a case cannot run in such a world here; "" where it can."""
    if world == "posix" and os.name != "posix":
        return "no signals here that stop a process"
    if world not in WORLDS or (world == "plain" and os.name == "posix" and os.getuid() != 0):
        return ""
    try:
        probe = "mount -t tmpfs none /mnt" if world == "root" else ":"
        done = subprocess.run(
            ["unshare", *WORLDS[world], "sh", "-c", probe],
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no namespaces here: {error}"
    return "" if done.returncode == 0 else f"no namespaces here: {done.stderr.strip()}"


def storm(module: str, name: str, case: Case, top: Path, *, full: bool = False) -> Row:
    """A case in the world it needs; a row that says why where there is no such world."""
    why = obstacle(case.world)
    if why:
        return Row(name, said=f"could not run: {why}", ran=False)
    if case.world not in WORLDS or (case.world == "plain" and os.getuid() != 0):
        return run(name, case, top, full=full)
    words = [
        "unshare",
        *WORLDS[case.world],
        sys.executable,
        "-m",
        "tests.storms.inside",
        module,
        name,
        str(top),
    ]
    process = subprocess.Popen(
        [*words, *(["full"] if full else [])],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out = err = ""
    try:
        out, err = process.communicate(timeout=case.seconds * (20 if full else 1))
        told = json.loads(out.splitlines()[-1])
        return Row(*(tuple(each) if isinstance(each, list) else each for each in told))  # type: ignore[arg-type]  # JSON
    except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # the group that this call began
        process.wait()
        return Row(
            name, differences=(f"{type(error).__name__}: {error} {out[-500:]} {err[-2000:]}",)
        )
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
