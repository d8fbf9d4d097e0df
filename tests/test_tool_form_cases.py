"""The tools of three other memories as their documents describe them: cases by a hand that had seen only these."""

from __future__ import annotations

import io
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from tests.conftest import TODAY

FILE = tomllib.loads((Path(__file__).parent / "cases" / "tool_forms.toml").read_text("utf-8"))
CASES: list[dict[str, Any]] = FILE["case"]
EXCEPTIONS = {
    "search by meaning finds the JWT line": "search, in every door, leaves out what is only near in meaning where"
    " another note holds the word: here `authentication`, a keyword of the Tidepay note",
}
"""Cases that do not hold, and why."""


class Places:
    """The vaults of the cases: one of each for those that write nothing, a new one for each of the others."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.env = {
            "HOME": str(top / "home"),
            "AURELIUS_INDEX": str(top / "index"),
            "AURELIUS_NO_USE": "1",
        }
        (top / "home").mkdir()

    def of(self, case: dict[str, Any]) -> Path:
        shared = case.get("unchanged", False)
        root = self.top / (case["vault"] if shared else f"own/{len([*self.top.glob('own/*')])}")
        if not root.exists():
            for name, text in FILE["vault"][case["vault"]].items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text.lstrip("\n"), "utf-8")
            (root / ".aurelius").mkdir()
        return root

    def ask(self, root: Path, call: str) -> tuple[int, dict[str, Any]]:
        out, err = io.StringIO(), io.StringIO()
        code = run_line(
            ["tool", call], Context(str(root), self.env, False, io.StringIO(), out, err, TODAY)
        )
        assert err.getvalue() == ""
        assert out.getvalue().count("\n") == 1
        answer: dict[str, Any] = json.loads(out.getvalue())
        return code, answer


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return Places(tmp_path_factory.mktemp("forms"))


def notes(root: Path) -> dict[str, bytes]:
    return {str(each.relative_to(root)): each.read_bytes() for each in root.rglob("*.md")}


def first(answer: dict[str, Any]) -> str:
    """The first thing of the list that an answer is."""
    rows = next(value for value in answer.values() if isinstance(value, list))
    return json.dumps(rows[0], ensure_ascii=False) if rows else ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_call_is_answered_as_its_document_says(case: dict[str, Any], places: Places) -> None:
    root = places.of(case)
    before = notes(root)
    told = [(0, dict[str, Any]())]
    for call in case["calls"]:
        told.append(places.ask(root, call.replace("$ID", told[-1][1].get("id", ""))))
    assert all(code == 0 for code, _ in told[:-1]), told
    code, answer = told[-1]
    text = json.dumps(answer, ensure_ascii=False)
    assert (code != 0, bool(answer.get("error"))) == (case["error"], case["error"]), text
    wrong = [f"{each!r} is missing" for each in case["has"] if each not in text]
    wrong += [f"{each!r} is there" for each in case["lacks"] if each in text]
    wrong += [
        f"{case['first']!r} is not first"
        for _ in range("first" in case)
        if case["first"] not in first(answer)
    ]
    assert bool(wrong) == (case["name"] in EXCEPTIONS), (wrong, text)
    assert not case.get("unchanged") or notes(root) == before
    for name, lines in case.get("files", {}).items():
        assert [line for line in lines if line not in (root / name).read_text("utf-8")] == []


def test_every_exception_is_a_case() -> None:
    assert EXCEPTIONS.keys() <= {case["name"] for case in CASES}
