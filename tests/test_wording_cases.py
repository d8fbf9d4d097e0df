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

from aurelius.agents.wording import CAPTURED, EXTRACTED, SUMMARY_WORDING, wording_fault

CASES, MORE = (
    Path(__file__).parent / "cases" / name for name in ("wording.toml", "wording_2.toml")
)
KINDS = {"summary": SUMMARY_WORDING, "extracted": EXTRACTED, "captured": CAPTURED}
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
        lines.append((day[1] if day else "", text[day.end() :] if day else text))
    return (
        "refuse"
        if wording_fault(KINDS[case["kind"]], case["about"], lines, case["answer"])
        else "accept"
    )


def rates(found: list[dict[str, Any]]) -> dict[str, float]:
    """The share of each verdict that the gate reaches too."""
    right = Counter(case["verdict"] for case in found if judged(case) == case["verdict"])
    of = Counter(case["verdict"] for case in found)
    return {verdict: right[verdict] / of[verdict] for verdict in of}


BAD = [each for file in (CASES, MORE) for each in cases(file) if each["verdict"] == "refuse"]


@pytest.mark.parametrize("case", BAD, ids=[each["why"] for each in BAD])
def test_a_wording_that_says_something_else_is_stopped(case: dict[str, Any]) -> None:
    assert judged(case) == "refuse"


@pytest.mark.parametrize(("file", "share"), [(CASES, 0.55), (MORE, 0.43)], ids=["first", "second"])
def test_most_good_wordings_pass(file: Path, share: float) -> None:
    assert rates(cases(file))["accept"] >= share


@pytest.mark.parametrize(
    ("name", "accepted", "refused"), [("wording", 0.3, 1.0), ("wording_3", 0.44, 1.0)]
)
def test_of_cases_kept_apart_as_many_are_judged_rightly_as_before(
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
