"""How packed the code is: what breaks a rule of the house is listed, and the list only shrinks.

`scripts/bench density --ratchet` writes `tests/ratchet.json` anew, once something got better.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAMES = "public names defined twice"
DENSE = "files with more tokens a line than the whole may have"


@pytest.fixture(scope="module")
def density() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
        yield importlib.import_module("benches.density")


@pytest.fixture(scope="module")
def now(density: ModuleType) -> dict[str, Any]:
    found: dict[str, Any] = density.figures(density.product())
    return found


@pytest.fixture(scope="module")
def ratchet() -> dict[str, Any]:
    held: dict[str, Any] = json.loads((ROOT / "tests/ratchet.json").read_text("utf-8"))
    return held


def worse(now: Any, held: Any) -> list[str]:
    """What is more than the ratchet holds: a number, the numbers of files, or entries of a list."""
    if isinstance(held, int | float):
        return [f"{now}, at most {held}"] if now > held else []
    if isinstance(held, list):
        return sorted(set(now) - set(held))
    return [
        f"{path}: {now[path]}, at most {held.get(path, 0)}"
        for path in now
        if now[path] > held.get(path, 0)
    ]


@pytest.mark.parametrize(
    "name",
    [
        "tokens",
        "tokens a line",
        "conditional expressions a thousand lines",
        "functions with more than ten ways, in a hundred",
        DENSE,
        "nested comprehensions",
        "a, b = c, d",
        "statements with several conditional expressions",
        NAMES,
        "C901",
        "PLR0913",
    ],
)
def test_nothing_is_packed_more_than_it_was(
    now: dict[str, Any], ratchet: dict[str, Any], name: str
) -> None:
    assert worse(now[name], ratchet[name]) == []


def test_the_ratchet_holds_every_figure(now: dict[str, Any], ratchet: dict[str, Any]) -> None:
    assert now.keys() == ratchet.keys()


def test_what_is_packed_is_counted(density: ModuleType) -> None:
    source = density.measured(
        "LEFT, RIGHT = 1, 2\n"
        "NAME = 3\n"
        "_OWN = 4\n"
        "def asked(of):\n"
        "    return [x for x in [y for y in of]], 1 if of else 2, 3 if of else 4\n"
    )
    assert source.packed == 1
    assert source.names == ("NAME", "asked")
    assert source.nested == 1
    assert source.conditionals == 2
    assert source.crowded == 1
    assert source.tokens == 45


def test_the_ways_through_a_function_are_counted(density: ModuleType) -> None:
    branches = "".join(f"    if of == {number} or of:\n        pass\n" for number in range(5))
    source = density.measured(f"def asked(of):\n{branches}")
    assert source.ways == {"asked": 11}
    assert density.measured("def asked(of):\n    return of\n").ways == {}


def test_more_than_the_ratchet_holds_is_noticed() -> None:
    assert worse(7.7, 7.6) == ["7.7, at most 7.6"]
    assert worse(["a", "b"], ["b"]) == ["a"]
    assert worse({"x.py": 2, "y.py": 1}, {"x.py": 2}) == ["y.py: 1, at most 0"]
    assert worse({"x.py": 1}, {"x.py": 2}) == []
