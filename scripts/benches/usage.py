"""What the usage log costs: a vault of many facts that were used for two years.

A vault and a log are made, the first pass over the log is timed, then passes after a few and after
many new events, then what people ask of it.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.usage import log_reader

if TYPE_CHECKING:
    from collections.abc import Callable

PER_NOTE = 50
MONTHS = [f"{year}-{month:02}" for year in (2024, 2025) for month in range(1, 13)]
HEADS = ("usage", "seconds", "aim")
Tables = list[tuple[str, list[tuple[str, ...]]]]


def measure(facts: int = 100_000, events: int = 1_000_000, runs: int = 5) -> Tables:
    """The table of one run in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="usage-") as top:
        root = Path(top, "vault")
        make_notes(root, facts)
        settings = Settings(str(root), str(Path(top, "index")), vectors=False)
        index, _ = refresh(settings, now=time.time())
        make_log(root, facts, events)

        def fold() -> None:
            notices = log_reader.follow(settings, index, 5.0)
            assert notices == ()

        with closing(index):
            rows = [
                HEADS,
                (f"first fold of {events:,} events on {facts:,} facts", f"{timed(fold):.2f}", ""),
            ]
            rows += [
                (f"fold of {new:,} more", later(root, facts, new, runs, fold), "< 1")
                for new in (1, 1000, 10_000)
            ]
            rows.append(
                ("nothing new", f"{statistics.median(timed(fold) for _ in range(runs)):.4f}", "")
            )
        return [("Usage", rows + asked(root, settings, runs))]


def later(root: Path, facts: int, new: int, runs: int, fold: Callable[[], None]) -> str:
    """The median of folds, each after so many new events."""
    spent = []
    for _ in range(runs):
        append(root, facts, new)
        spent.append(timed(fold))
    return f"{statistics.median(spent):.3f}"


def asked(root: Path, settings: Settings, runs: int) -> list[tuple[str, ...]]:
    """What people ask of it, on an index that is open."""
    import datetime

    from aurelius.ageing import tiers
    from aurelius.settings import config
    from aurelius.vault import Vault

    now = datetime.datetime.fromisoformat("2026-01-02")
    with closing(
        Vault(config.load_config(str(root), {"HOME": str(root)}), settings.folder, now)
    ) as vault:
        vault._asked.index, vault.report = refresh(settings, now=time.time())  # noqa: SLF001  # its own would have vectors
        one = [
            timed(lambda: tiers.tiers_of_note(vault, "people/p7.md", private=False))
            for _ in range(runs)
        ]
        whole = timed(lambda: tiers.tiers_of_vault(vault, private=False))
    return [
        (f"tiers of one note of {PER_NOTE} facts", f"{statistics.median(one):.4f}", "< 0.05"),
        ("tiers of the whole vault", f"{whole:.3f}", ""),
    ]


def make_notes(root: Path, facts: int) -> None:
    """Notes of PER_NOTE facts, each with an id."""
    (root / "people").mkdir(parents=True)
    for note in range(facts // PER_NOTE):
        numbers = range(note * PER_NOTE, (note + 1) * PER_NOTE)
        lines = [f"- Fact {number} of many (2024-01-05) ^{key(number)}" for number in numbers]
        (root / "people" / f"p{note}.md").write_text(
            f"# Person {note}\n\n## Facts\n" + "\n".join(lines) + "\n"
        )


def key(number: int) -> str:
    """The id of a fact."""
    return f"f{number:05x}"


def make_log(root: Path, facts: int, events: int) -> None:
    """Two years of one device, some facts used far more than others."""
    chance = random.Random(7)
    for month in MONTHS:
        lines = []
        for at in range(events // len(MONTHS)):
            second = at * 27 * 86400 // (events // len(MONTHS))
            lines.append(event(chance, facts, f"{month}-{second // 86400 + 1:02}T{clock(second)}"))
        path = root / log_reader.USAGE_LOG / "lap7" / f"{month}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines))


def event(chance: random.Random, facts: int, when: str) -> str:
    """One line: mostly uses."""
    ref = key(int(facts * chance.random() ** 2))
    said: dict[str, object] = {
        "e": f"lap7-{chance.getrandbits(64):016x}",
        "t": when,
        "op": "use",
        "ref": ref,
        "via": "get",
    }
    if chance.random() < 0.05:
        said |= {"op": "reinforce", "by": 3}
    return json.dumps(said, separators=(",", ":")) + "\n"


LATER = [0]


def append(root: Path, facts: int, count: int) -> None:
    """More events of the last month, after all others."""
    chance = random.Random(LATER[0])
    with (root / log_reader.USAGE_LOG / "lap7" / f"{MONTHS[-1]}.jsonl").open("a") as file:
        for _ in range(count):
            LATER[0] += 1
            at = min(LATER[0], 86399)
            file.write(event(chance, facts, f"{MONTHS[-1]}-29T{clock(at)}"))


def clock(second: int) -> str:
    """A time of day as the log writes it."""
    return f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def timed(act: Callable[[], object]) -> float:
    """Wall-clock seconds."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began
