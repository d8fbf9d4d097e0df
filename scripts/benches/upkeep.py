"""What upkeep proposes: how many pairs of lines that it calls duplicates are, of how many that it
finds, on lines of other people which somebody labelled; and what a year of it makes of a vault."""

from __future__ import annotations

import csv
import datetime
import os
import re
import shutil
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from aurelius.memory.decisions import decide
from aurelius.memory.review import UPKEEP
from aurelius.memory.upkeep import maintained
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from aurelius.writing.edit import place_of_config
from indexer.matter.duplicate import say_the_same
from indexer.spelling import group_pairs

from .chat import CASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Table = tuple[str, list[tuple[str, ...]]]

FILES = (CASES / "upkeep" / "pairs.tsv", CASES / "held" / "upkeep" / "pairs.tsv")
LEAST_RIGHT = 0.99
BEGAN = datetime.datetime(2026, 2, 10, 12)  # noqa: DTZ001  the clock of the person
_TAIL = re.compile(r"(?: \([^()]*\))?(?: \^[A-Za-z0-9-]+)?$")
"""What follows the words of a fact."""


class Judged(NamedTuple):
    """How many pairs were called duplicates and are, are none, and are ones that were not found."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of the proposals that are right."""
        return self.right / (self.right + self.wrong or 1)

    @property
    def recall(self) -> float:
        """The share of the duplicates that are proposed."""
        return self.right / (self.right + self.missed or 1)


def read_pairs(file: Path) -> Iterator[tuple[bool, str, str]]:
    """Whether two lines say the same, and the two."""
    with file.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row["label"] == "same", row["line_a"], row["line_b"]


def judge(file: Path) -> Judged:
    """What the rule says of the pairs of a file."""
    found = [(same, say_the_same(one, other)) for same, one, other in read_pairs(file)]
    return Judged(
        found.count((True, True)),
        found.count((False, True)),
        found.count((True, False)),
    )


def measure(files: Sequence[Path] = FILES) -> list[Table]:
    """The table of the files of pairs, those that are kept apart last."""
    rows: list[tuple[str, ...]] = [("pairs", "proposed", "right", "precision", "recall")]
    for file in files:
        made = judge(file)
        counts = (f"{made.right + made.wrong}", f"{made.right}")
        name = file.parent.relative_to(CASES).as_posix()
        rows.append((name, *counts, f"{made.precision:.3f}", f"{made.recall:.3f}"))
    return [("duplicates", rows)]


# -- a year --------------------------------------------------------------------------------


class Year(NamedTuple):
    """A year of upkeep: what was proposed at most at a time, accepted and dismissed, the seconds of
    the slowest look, what was proposed again although it was dismissed, and the lines that are
    gone."""

    most: int
    accepted: int
    dismissed: int
    slowest: float
    again: list[str]
    lost: list[str]


def play_year(
    root: Path,
    env: dict[str, str],
    *,
    weeks: int = 52,
    seed: int = 7,
    write: Callable[[Random, datetime.datetime], None] | None = None,
    began: datetime.datetime = BEGAN,
) -> Year:
    """What a year of weekly upkeep makes of a vault, of which a person accepts and dismisses some
    proposals by chance; `write` adds what is noted in a week. No note may lose a line."""
    random = Random(seed)
    texts = set[str]()
    gone = set[str]()
    again: list[str] = []
    counts = Counter[str]()
    most = 0
    slowest = 0.0
    for week in range(weeks):
        now = began + datetime.timedelta(weeks=week)
        if write:
            write(random, now)
        texts |= set(_said(root))
        with closing(Vault.find(str(root), env, str(root), now=now)) as vault:
            vault.refresh()
            at = Desk(vault, place_of_config(vault.config, env), now)
            start = time.monotonic()
            found = maintained(at).matters
            slowest = max(slowest, time.monotonic() - start)
            most = max(most, sum(each.what in UPKEEP for each in found))
            again += [each.key for each in found if each.key in gone]
            chosen = group_pairs((random.choice(("accept", "dismiss", "")), each) for each in found)
            for action in ("dismiss", "accept"):
                for each, done in decide(at, chosen.get(action, ()), action):
                    counts[action] += done is not None
                    if action == "dismiss":
                        gone.add(each.key)
    left = "\n".join(_said(root))
    lost = sorted(text for text in texts if text not in left)
    return Year(most, counts["accept"], counts["dismiss"], slowest, again, lost)


def _said(root: Path) -> Iterator[str]:
    """What each line of the notes says, without its tail and marks."""
    for file in sorted(root.rglob("*.md")):
        if ".aurelius" in file.relative_to(root).parts:
            continue
        for line in file.read_text("utf-8", "replace").splitlines():
            bare = _TAIL.sub("", line.strip().lstrip("-*+ ")).replace("~~", "").strip()
            if bare:
                yield bare


def measure_year(vault: Path) -> list[Table]:
    """The table of a year in a copy of a vault."""
    with tempfile.TemporaryDirectory(prefix="upkeep-") as top:
        root = Path(top, "vault")
        shutil.copytree(vault, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        (root / ".aurelius").mkdir(exist_ok=True)
        home = Path(top, "home")
        (home / ".config" / "aurelius").mkdir(parents=True)
        settings = home / ".config" / "aurelius" / "config.toml"
        settings.write_text('[jobs]\nmaintain = "daily"\n')
        env = {"HOME": str(home), "PATH": os.environ.get("PATH", "")}
        year = play_year(root, env)
    heads = ("most at a time", "accepted", "dismissed", "slowest s", "proposed again", "lines lost")
    row = (
        f"{year.most}",
        f"{year.accepted}",
        f"{year.dismissed}",
        f"{year.slowest:.2f}",
        f"{len(year.again)}",
        f"{len(year.lost)}",
    )
    return [("a year", [heads, row])]
