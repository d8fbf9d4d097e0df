"""What upkeep proposes: how many pairs of lines that it calls duplicates are, of how many that it
finds, on lines of other people which somebody labelled."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

from indexer.matter.duplicate import say_the_same

from .chat import CASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    Table = tuple[str, list[tuple[str, ...]]]

FILES = (CASES / "upkeep" / "pairs.tsv", CASES / "held" / "upkeep" / "pairs.tsv")
LEAST_RIGHT = 0.99


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
