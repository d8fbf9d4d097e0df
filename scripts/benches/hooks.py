"""Whether prompts get their answer in time: hooks on a busy machine, with a daemon and without.

Every prompt is one process of the installed script, as a client program starts it, beside a script
that does nothing. What a prompt would get with all the time it wants is asked first, on the quiet
machine.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .daemon import Bench

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Table = tuple[str, list[tuple[str, ...]]]
    Series = tuple[list["Asked"], list[float]]

DEADLINE = 0.3
"""Seconds that a hook has."""

QUESTIONS = (
    "what do I know about {}?",
    "help me with {} today",
    "write a short summary of {}",
    "how did we do {} last time?",
    "can you fix {} for me",
    "which decision did I make about {}",
)
"""Prompts about a title of the vault's own."""

_BUSY = "while True: pass"


class Asked(NamedTuple):
    """What came of one prompt: wall seconds of its process, whether an answer was counted in time,
    and the answer."""

    seconds: float
    in_time: bool
    text: str


def measure(source: Path, *, count: int, busy: int) -> list[Table]:
    """A table of how many prompts were answered in time, and how long that took."""
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        bench = Bench(source, Path(place))
        bench.run("index")
        prompts = _prompts(bench, count)
        bench.env["AURELIUS_NO_DAEMON"] = "1"
        whole = [_ask(bench, prompt, "--deadline", "60000").text for prompt in prompts]
        rows: list[tuple[str, ...]] = [("where", *_COLUMNS)]
        rows.append(_row("no daemon, quiet", _series(bench, prompts), whole))
        with _load(busy):
            rows.append(_row(f"no daemon, {busy} busy", _series(bench, prompts), whole))
        del bench.env["AURELIUS_NO_DAEMON"]
        with bench.daemon():
            rows.append(_row("daemon, quiet", _series(bench, prompts), whole))
            with _load(busy):
                rows.append(_row(f"daemon, {busy} busy", _series(bench, prompts), whole))
    return [(f"hooks: {len(bench.notes)} notes, {len(prompts)} prompts", rows)]


_COLUMNS = (
    "in time",
    "whole",
    "said something",
    "p50 ms",
    "p95 ms",
    "empty p50",
    "empty p95",
    "p95 ×",
)


def _series(bench: Bench, prompts: Sequence[str]) -> Series:
    """Each prompt once, in turn with the script that does nothing."""
    asked = []
    empty = []
    for prompt in prompts:
        empty.append(bench.run_empty())
        asked.append(_ask(bench, prompt))
    return asked, empty


def _row(where: str, found: Series, whole: Sequence[str]) -> tuple[str, ...]:
    """A series as a row of the table."""
    asked, empty = found
    seconds = [each.seconds for each in asked]
    same = [each.text == text for each, text in zip(asked, whole, strict=True)]
    return (
        where,
        _share(each.in_time and each.seconds <= DEADLINE for each in asked),
        _share(same),
        _share(each.text != "" for each in asked),
        f"{statistics.median(seconds) * 1000:.0f}",
        f"{_p95(seconds):.0f}",
        f"{statistics.median(empty) * 1000:.0f}",
        f"{_p95(empty):.0f}",
        f"{_p95(seconds) / _p95(empty):.2f}",
    )


def _share(flags: Iterable[bool]) -> str:
    every = list(flags)
    return f"{sum(every)} of {len(every)}"


def _p95(seconds: Sequence[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.95)] * 1000


def _ask(bench: Bench, prompt: str, *words: str) -> Asked:
    """One prompt of a session of its own."""
    session = f"{random.getrandbits(64):x}"
    event = json.dumps({"session_id": session, "prompt": prompt, "cwd": "/"})
    for file in _counted(bench):
        file.unlink(missing_ok=True)
    began = time.perf_counter()
    done = subprocess.run(
        [bench.script, "hook", "prompt", *words],
        env=bench.env,
        input=event,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - began
    in_time = any(file.exists() and "?" not in file.read_text() for file in _counted(bench))
    return Asked(seconds, in_time, done.stdout)


def _counted(bench: Bench) -> list[Path]:
    """The file in which hooks count the prompts that they answered, where it is there."""
    return list(Path(bench.env["HOME"]).rglob("hooks-answered"))


def _prompts(bench: Bench, count: int) -> list[str]:
    """Prompts that name notes of the vault."""
    dice = random.Random(11)
    titles = [re.sub(r"[-_]+", " ", path.stem) for path in bench.notes]
    some = [title for title in dict.fromkeys(titles) if re.search(r"[^\W\d_]{3}", title)]
    dice.shuffle(some)
    made = [QUESTIONS[at % len(QUESTIONS)].format(title) for at, title in enumerate(some * count)]
    return made[:count]


@contextlib.contextmanager
def _load(busy: int) -> Iterator[None]:
    """So many processes that never rest."""
    running = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(busy)]
    time.sleep(1)
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()
