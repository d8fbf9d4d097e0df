"""Wordings that a person judged: how many good ones the gate lets through, and how many bad ones it stops.

`python tests/test_wording_cases.py FILE…` prints both rates for other files of the same form.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from aurelius.model.request import SentLine
from aurelius.model.sentence_check import sentence_fault

CASES, MORE = (
    Path(__file__).parent / "cases" / name for name in ("wording.toml", "wording_2.toml")
)
DAY = re.compile(r"(\d{4}-\d\d-\d\d): ")


def cases(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))["case"]
    return found


def judged(case: dict[str, Any]) -> str:
    """What the gate makes of a case."""
    lines = []
    for at in case.get("uses") or range(len(case["sources"])):
        text = case["sources"][at]
        day = DAY.match(text)
        said = text[day.end() :] if day else text
        lines.append(SentLine(f"L{at}", said, day[1] if day else "", about=case["about"]))
    return "refuse" if sentence_fault(case["answer"], lines, whole=True) else "accept"


def rates(found: list[dict[str, Any]]) -> dict[str, float]:
    """The share of each verdict that the gate reaches too."""
    right = Counter(case["verdict"] for case in found if judged(case) == case["verdict"])
    of = Counter(case["verdict"] for case in found)
    return {verdict: right[verdict] / of[verdict] for verdict in of}


@pytest.mark.parametrize(
    ("file", "accepted", "refused"),
    [(CASES, 0.5, 1), (MORE, 0.3, 1)],
    ids=["first", "second"],
)
def test_every_bad_wording_is_stopped_and_those_that_keep_the_words_pass(
    file: Path, accepted: float, refused: float
) -> None:
    found = rates(cases(file))
    assert found["accept"] >= accepted
    assert found["refuse"] >= refused


@pytest.mark.parametrize(
    ("name", "accepted", "refused"), [("wording", 0.24, 1), ("wording_3", 0.43, 1)]
)
def test_of_cases_kept_apart_every_bad_one_is_stopped_too(
    name: str, accepted: float, refused: float
) -> None:
    found = rates(cases(CASES.parent / f"held/{name}.toml"))
    assert found["accept"] >= accepted
    assert found["refuse"] >= refused


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(CASES)]:
        every = cases(Path(name))
        for each in every:
            if judged(each) != each["verdict"]:
                print(f"{each['verdict']} was meant: {each['answer']!r} ({each['why']})")  # noqa: T201  for whoever scores another file
        told = ", ".join(
            f"{verdict} {share:.1%}" for verdict, share in sorted(rates(every).items())
        )
        print(f"{name}: {len(every)} cases: {told}")  # noqa: T201  for whoever scores another file
