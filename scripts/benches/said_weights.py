"""The weights by which a typed line is taken for a question, a statement, a correction or talk:
found again, and how well they do on files of cases that were left out of that.

A multinomial logistic regression over the signs of a line (`aurelius/chat/said.py`), held small.
Names of people and places are no signs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aurelius.chat import said

from .chat import CASES, ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Table = tuple[str, list[tuple[str, ...]]]

LINES = CASES / "chat" / "typed_lines.tsv"
FILES = (CASES / "chat" / "said.toml", CASES / "chat" / "second" / "said.toml")
WEIGHTS = ROOT / "aurelius" / "chat" / "said_weights.json"
KINDS = (
    said.SAID_QUESTION,
    said.SAID_STATEMENT,
    said.SAID_CORRECTION,
    said.SAID_NOTHING,
)
RIDGE = 1.5
STEPS = 250
RATE = 0.05
SCALE = 10
LEAST_SEEN = 4
"""Lines that have a sign which counts."""
LEAST_WORD_SEEN = 20
"""The same of a mere word."""
INVENTED = frozenset("dan erik ines jana karl mara nova paul rosa samir samira timo ute".split())
"""Names that many of the lines have, which are no signs."""
NEVER = -50.0
"""How unlikely a correction is where no line was cited."""


class TypedLine(NamedTuple):
    """A line with its signs, what it is, and how much it counts."""

    signs: frozenset[str]
    kind: str
    weight: float


def typed_line(text: str, cited: Sequence[str], kind: str, weight: float) -> TypedLine:
    """A line by its signs: of mere words those that no name is."""
    signs = said._line_signs(" ".join(text.split()), cited)  # noqa: SLF001  what is fitted here
    words = {each for each in signs if each.startswith(("word ", "first "))}
    names = {each for each in words if each.split()[1] in INVENTED or re.search(r" \d", each)}
    return TypedLine(frozenset(signs - names), kind, weight)


def training_lines() -> list[TypedLine]:
    """The lines of `typed_lines.tsv`."""
    found = []
    for row in LINES.read_text("utf-8").splitlines():
        if not row.startswith("#"):
            kind, weight, _, text, cited = row.split("\t")
            found.append(
                typed_line(text, cited.split(" // ") if cited else [], kind, float(weight))
            )
    return found


def case_lines(file: Path) -> list[TypedLine]:
    """The lines of a file of cases, but commands, which are known by rules."""
    found = []
    for case in tomllib.loads(file.read_text("utf-8"))["said"]:
        cited = [each.partition(": ")[2].removeprefix("- ") for each in case["cited"]]
        kind = case["what"]
        if kind == said.SAID_FOLLOW_UP:
            kind = said.SAID_QUESTION
        if kind in KINDS:
            found.append(typed_line(case["say"], cited, kind, 1.0))
    return found


class Fit:
    """The weights of signs, found over some lines."""

    def __init__(self, lines: Sequence[TypedLine]) -> None:
        seen = Counter(sign for line in lines for sign in line.signs)
        self.signs = sorted(sign for sign, count in seen.items() if count >= _least(sign))
        rows = self._rows(lines)
        told = np.eye(len(KINDS))[[KINDS.index(line.kind) for line in lines]]
        counts = np.array([[line.weight] for line in lines])
        self._never = NEVER * _uncited(lines)
        self.weights = np.zeros((rows.shape[1], len(KINDS)))
        self._descend(rows, told, counts)

    def _rows(self, lines: Sequence[TypedLine]) -> Any:
        places = {sign: at for at, sign in enumerate(self.signs, 1)}
        rows = np.zeros((len(lines), 1 + len(places)))
        rows[:, 0] = 1
        for at, line in enumerate(lines):
            rows[at, [places[sign] for sign in line.signs if sign in places]] = 1
        return rows

    def _descend(self, rows: Any, told: Any, counts: Any) -> None:
        """Steps down the gradient (Adam), smaller ones at the end."""
        mean = np.zeros_like(self.weights)
        square = np.zeros_like(self.weights)
        rate = RATE
        for step in range(1, STEPS + 1):
            slope = rows.T @ ((_likely(rows @ self.weights + self._never) - told) * counts)
            slope[1:] += RIDGE * self.weights[1:]
            mean = 0.9 * mean + 0.1 * slope
            square = 0.999 * square + 0.001 * slope**2
            length = np.sqrt(square / (1 - 0.999**step)) + 1e-8
            self.weights -= rate * (mean / (1 - 0.9**step)) / length
            if step in (STEPS * 3 // 5, STEPS * 17 // 20):
                rate /= 4

    def right(self, lines: Sequence[TypedLine]) -> int:
        """How many lines it takes for what they are."""
        odds = self._rows(lines) @ self.weights + NEVER * _uncited(lines)
        return sum(KINDS[row.argmax()] == line.kind for row, line in zip(odds, lines, strict=True))

    def write(self) -> int:
        """Write the weights down; how many signs have any."""
        even = self.weights - self.weights.mean(1, keepdims=True)
        whole = np.rint(even * SCALE).astype(int).tolist()
        rows = {sign: row for sign, row in zip(self.signs, whole[1:], strict=True) if _counts(row)}
        head = {"kinds": KINDS, "scale": SCALE, "bias": whole[0]}
        told = (f"  {json.dumps(each, ensure_ascii=False)}: {row}" for each, row in rows.items())
        body = ",\n".join(told)
        start = json.dumps(head)[:-1]
        WEIGHTS.write_text(f'{start},\n "weights": {{\n{body}\n }}}}\n', encoding="utf-8")
        return len(rows)


def _least(sign: str) -> int:
    if sign.startswith(("word ", "first ")):
        return LEAST_WORD_SEEN
    return LEAST_SEEN


def _counts(row: Sequence[int]) -> bool:
    return max(map(abs, row)) > 1


def _uncited(lines: Sequence[TypedLine]) -> Any:
    """1 for a correction where no line was cited, else 0."""
    found = np.zeros((len(lines), len(KINDS)))
    found[:, KINDS.index(said.SAID_CORRECTION)] = ["cited" not in line.signs for line in lines]
    return found


def _likely(odds: Any) -> Any:
    parts = np.exp(odds - odds.max(1, keepdims=True))
    return parts / parts.sum(1, keepdims=True)


def fit() -> list[Table]:
    """Fit the weights over all lines and write them down; the table says how many lines of each
    file of cases are right by the others."""
    training = training_lines()
    files = [case_lines(file) for file in FILES]
    rows: list[tuple[str, ...]] = [("left out", "right")]
    for left in files:
        others = [line for each in files if each is not left for line in each]
        right = Fit([*training, *others]).right(left)
        rows.append(
            (FILES[files.index(left)].relative_to(CASES).as_posix(), f"{right} of {len(left)}")
        )
    count = Fit([*training, *(line for each in files for line in each)]).write()
    return [(f"typed lines: {count} signs have weights", rows)]
