"""Sentences that a hand judged which saw no code: which are shown, and which are not.

`python tests/test_sentence_cases.py FILE…` prints both rates for files of the same form.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from aurelius.model.request import SentLine
from aurelius.model.sentence_check import sentence_fault

CASES = Path(__file__).parent / "cases" / "chat"
LINE = re.compile(r"(\S+?): (?:- )?(.*?)(?: \(([^()]*\d{4}-\d\d-\d\d[^()]*)\))?$")


def sent(number: int, text: str) -> SentLine:
    """A line as it stands in a note, as a model would get it."""
    found = LINE.match(text)
    assert found
    path, said, told = found.groups("")
    name = Path(path).stem
    about = "" if name == "ME" or name[:4].isdigit() else name.replace("-", " ").title()
    days = [*re.findall(r"\d{4}-\d\d-\d\d", told), ""]
    until = days[1] if said.startswith("~~") else ""
    return SentLine(f"L{number}", said.strip("~"), days[0], path, about, until)


def fault(case: dict[str, Any]) -> str:
    lines = [sent(number, text) for number, text in enumerate(case["lines"], 1)]
    return sentence_fault(case["sentence"], lines, case["ask"])


def wrongly(file: Path) -> tuple[list[str], list[str], float]:
    """What is shown and should not be, what is not and should be, and its share of those."""
    cases = tomllib.loads(file.read_text("utf-8"))["sentence"]
    shown = [each["id"] for each in cases if not each["supported"] and not fault(each)]
    honest = [each for each in cases if each["supported"]]
    kept_back = [each["id"] for each in honest if fault(each)]
    return shown, kept_back, len(kept_back) / len(honest)


@pytest.mark.parametrize(
    ("name", "most"), [("sentences.toml", 0.82), ("second/sentences.toml", 0.92)]
)
def test_no_sentence_is_shown_that_the_lines_do_not_say(name: str, most: float) -> None:
    """Most honest ones are in words of their own, which are refused: their lines are shown."""
    shown, _, share = wrongly(CASES / name)
    assert shown == []
    assert share <= most


if __name__ == "__main__":
    for name in sys.argv[1:]:
        told = wrongly(Path(name))
        print(f"{name}: shown wrongly {len(told[0])}, honest ones refused {told[2]:.0%}")  # noqa: T201  for whoever scores a file
