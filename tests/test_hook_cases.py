"""What a session begins with and what its prompts get, over vaults and prompts of hands that saw no program code.

The gates stand a little below what is reached; `scripts/bench injection --cases tests/cases/hooks` prints the
figures themselves.
"""

from __future__ import annotations

import importlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aurelius.memory.context import for_opening

ROOT = Path(__file__).resolve().parents[1]


class Session(NamedTuple):
    """The cases of a vault, the places that a session begins with, and its tokens."""

    cases: Any
    begun: set[str]
    tokens: int


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        yield importlib.import_module("benches.injection")


@pytest.fixture(scope="module")
def asked(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Session], list[Any]]:
    """What sessions begin with, and what every prompt gets after that."""
    sessions = []
    given = []
    home = tmp_path_factory.mktemp("home")
    with ExitStack() as stack:
        for cases, vault in bench.opened_all(ROOT / "tests" / "cases" / "hooks", None, home, stack):
            begin = bench.opening(vault)
            begun = {place for line in begin for place in bench.places(line)}
            sessions.append(Session(cases, begun, for_opening(vault, 800).tokens))
            given += bench.asked(vault, cases.vault, cases.cases, begin=begin)
    assert len(given) == 240
    return sessions, given


def test_a_session_begins_with_identity_and_every_standing_rule(asked: Any) -> None:
    """In vaults of long paragraphs there is no room for every one."""
    wanted = sum(len(each.cases.opening) for each in asked[0])
    given = sum(len(each.cases.opening & each.begun) for each in asked[0])
    assert given / wanted >= 0.72
    assert all(each.tokens <= 800 for each in asked[0])


def test_no_session_begins_with_what_is_quoted_borrowed_past_or_changed(asked: Any) -> None:
    given = [place for each in asked[0] for place in each.cases.never_opening & each.begun]
    assert len(given) <= 3, given


def test_the_lines_that_prompts_need_are_given_in_the_session(asked: Any) -> None:
    need = sum(len(each.case.need) for each in asked[1])
    assert sum(each.met for each in asked[1]) / need >= 0.6


def test_a_prompt_that_needs_nothing_gets_nothing_off_its_subject(asked: Any) -> None:
    idle = [each for each in asked[1] if not each.case.need]
    assert sum(each.is_off for each in idle) / len(idle) <= 0.1


def test_the_lines_that_come_are_needed_or_about_what_was_named(asked: Any) -> None:
    lines = sum(len(each.lines) for each in asked[1])
    on_it = sum(sum(map(each.case.concerns, each.lines)) for each in asked[1])
    assert on_it / lines >= 0.54


def test_what_comes_to_a_prompt_is_short(asked: Any) -> None:
    sizes = sorted(each.tokens for each in asked[1] if each.lines)
    assert sizes[len(sizes) // 2] <= 120


def test_a_changed_value_comes_with_the_later_one(asked: Any) -> None:
    """A few come with another later line than the right one: of two that name a person, nobody
    knows which has to do with a value."""
    alone = [each.case.id for each in asked[1] if each.stale]
    assert len(alone) <= 6, alone
