"""Prompts and needed lines of other hands, over several vaults: how much of what is needed comes, and how little else.

The gates stand a little below what is reached; `scripts/bench injection` prints the figures themselves.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from aurelius.memory.relevance import needed_lines
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases" / "injection"


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        yield importlib.import_module("benches.injection")


@pytest.fixture(scope="module")
def opened(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[Any, Any]]]:
    """The prompts about each of these vaults, and the vault with its index."""
    with ExitStack() as stack:
        yield list(bench.opened_all(CASES, None, tmp_path_factory.mktemp("home"), stack))


@pytest.fixture(scope="module")
def given(bench: Any, opened: list[tuple[Any, Any]]) -> list[Any]:
    """What every prompt about these vaults gets, after what its session began with."""
    found = []
    for cases, vault in opened:
        found += bench.asked(vault, cases.vault, cases.cases, begin=bench.opening(vault))
    assert len({each.vault for each in found}) > 3
    return found


def test_the_needed_lines_come(given: list[Any]) -> None:
    need = sum(len(each.case.need) for each in given)
    assert sum(each.met for each in given) / need >= 0.65


def test_a_prompt_that_needs_nothing_gets_nothing_off_its_subject(given: list[Any]) -> None:
    idle = [each for each in given if not each.case.need]
    assert sum(each.is_off for each in idle) / len(idle) <= 0.1


def test_many_of_the_lines_that_come_help_or_are_about_what_was_named(given: list[Any]) -> None:
    lines = sum(len(each.lines) for each in given)
    assert sum(sum(map(each.case.concerns, each.lines)) for each in given) / lines >= 0.53


def test_what_comes_is_short(given: list[Any]) -> None:
    sizes = sorted(each.tokens for each in given if each.lines)
    assert sizes[len(sizes) // 2] <= 250
    assert sizes[int(len(sizes) * 0.95)] <= 800


def test_no_line_comes_twice_in_a_session(given: list[Any]) -> None:
    assert sum(each.again for each in given) == 0


def test_what_is_only_told_and_has_nothing_to_do_with_the_vault_gets_lines_of_it(
    opened: list[tuple[Any, Any]],
) -> None:
    """Messages of people who had no part in these vaults, which say something and want nothing."""
    messages = [
        each
        for file in sorted((ROOT / "tests" / "cases" / "messages").glob("*.toml"))
        for each in tomllib.loads(file.read_text("utf-8"))["message"]
    ]
    told = [
        each["text"]
        for each in messages
        if len("".join(each.get("keep", ()))) >= 0.9 * len(each["text"])
    ]
    assert len(told) > 80
    drawn = told[:: daily(2, 1)]
    vaults = [vault for cases, vault in opened if cases.vault in {"house", "team"}]
    got = [bool(needed_lines(vault, text)) for vault in vaults for text in drawn]
    assert len(got) == 2 * len(drawn)
    assert sum(got) / len(got) <= 0.3


def test_thanks_commands_and_going_on_get_nothing(given: list[Any]) -> None:
    small = {
        "thx",
        "thanks, perfect",
        "/clear",
        "/compact",
        "continue",
        "yes go on",
        "ok do it",
        "lol ok",
        "good morning!",
    }
    told = [each for each in given if each.case.prompt in small]
    assert len(told) >= 6
    assert not [each.case.prompt for each in told if each.lines]


def test_nothing_private_imported_or_said_in_a_conversation_comes(
    bench: Any, tmp_path: Path
) -> None:
    lines = {
        "people/ann.md": "---\nprivate: true\n---\n# Ann\n\n## Facts\n- The zebra parade starts at 10:00\n",
        "conversations/2026-01-02.md": "# Talk\n\nThe zebra parade starts at 11:00.\n",
        "resources/import/mail.md": "# Mail\n\n## Facts\n- The zebra parade starts at 12:00\n",
        "projects/parade.md": "# Zebra parade\n\n## Facts\n- The zebra parade starts at 13:00\n",
    }
    for path, text in lines.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text, "utf-8")
    vault = bench.opened(tmp_path / "vault", "2026-05-18", tmp_path)
    found = needed_lines(vault, "when does our zebra parade start today, did we say?")
    assert {line.path for line in found} == {"projects/parade.md"}
