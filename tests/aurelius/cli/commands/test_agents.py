"""`aurelius context`: each form, its budget, what a hook would add, and the same bytes each time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.settings.keys import tokens

Aurelius = Callable[..., Any]
NOTES = {
    "ME.md": "# Me\n\n## Rules\n- Answers are short ^rule01\n",
    "people/joe.md": "# Joe\n\n## Facts\n- Paints boats (2026-02-01) ^boat01\n- Lives in Rome (2026-02-02) ^rome01\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".aurelius").mkdir()
    return root


def test_each_form_has_the_lines(aurelius: Aurelius, root: Path) -> None:
    for form in ("md", "memory", "json", "layer"):
        done = aurelius("context", "who paints boats", "--format", form, cwd=root)
        assert (done.code, done.err) == (0, "")
        assert "Paints boats" in done.out
        assert ("Answers are short" in done.out) == (form != "layer")
    assert json.loads(done_json(aurelius, root, "--json"))["parts"]
    assert aurelius("context", "--json", "--format", "layer", cwd=root).code == 2


def done_json(aurelius: Aurelius, root: Path, *argv: str) -> str:
    out: str = aurelius("context", *argv, cwd=root).out
    return out


def test_all_that_is_printed_fits_into_the_budget(aurelius: Aurelius, root: Path) -> None:
    many = "".join(f"- Painted boat number {at} in blue (2026-01-{at:02})\n" for at in range(1, 29))
    (root / "projects").mkdir()
    (root / "projects" / "boats.md").write_text(f"# Boats\n\n## Facts\n{many}")
    for form in ("md", "memory", "json", "layer"):
        for budget in (120, 150, 400):
            done = aurelius("context", "painted boat blue", "--format", form, "--budget", str(budget), cwd=root)
            assert tokens(done.out) <= budget, (form, budget, done.out)
            assert "blue" in done.out, (form, budget)


def test_the_setting_is_the_budget_where_none_is_named(aurelius: Aurelius, root: Path) -> None:
    (root / ".aurelius" / "config.toml").write_text("[context]\nbudget = 60\n")
    assert tokens(aurelius("context", "joe", cwd=root).out) <= 60


def test_a_hook_at_the_start_of_a_session_adds_what_it_opens_with(aurelius: Aurelius, root: Path) -> None:
    out = aurelius("context", "--hook", cwd=root).out
    assert out.startswith('<memory id="')
    assert "Answers are short" in out


def test_a_hook_before_a_prompt_adds_what_it_is_about(aurelius: Aurelius, root: Path) -> None:
    out = aurelius("context", "who paints boats", "--hook", cwd=root).out
    assert "Paints boats" in out
    assert aurelius("context", "quantum gravity", "--hook", cwd=root).out == ""


def test_nothing_to_tell_is_said(aurelius: Aurelius, tmp_path: Path) -> None:
    (tmp_path / "empty" / ".aurelius").mkdir(parents=True)
    done = aurelius("context", cwd=tmp_path / "empty")
    assert (done.code, done.out) == (0, "")
    assert "nothing to tell" in done.err


def test_the_secret_of_a_fence_is_nobody_elses(aurelius: Aurelius, root: Path, tmp_path: Path) -> None:
    first = aurelius("context", "--format", "memory", cwd=root).out
    assert aurelius("context", "--format", "memory", cwd=root).out == first
    (kept,) = tmp_path.rglob("secret")
    assert kept.stat().st_mode & 0o077 == 0
    kept.unlink()
    assert aurelius("context", "--format", "memory", cwd=root).out.splitlines()[0] != first.splitlines()[0]
