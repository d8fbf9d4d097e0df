"""Errors and notices as pages say them: never with a command where something can be done on the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from aurelius.web.page_words import SHELL_WORDS, TO_DO, notice_on_page, words_on_page
from indexer import errors
from indexer.errors import AureliusError, Hint, NoteNotFoundError, UsageError, VaultNotFoundError
from tests.conftest import ROOT

ROOMS = ("plans", "writing", "compose", "memory", "answers/references.py", "answers/lookup.py")
"""Where what an action of a page does can fail."""
NOT_HERE = ("init.py", "forget.py", "git.py", "new_note.py")
"""What no page does."""
KINDS = (
    errors.UsageError,
    errors.ConflictError,
    errors.NoteNotFoundError,
    errors.AmbiguousNameError,
)


def texts(node: ast.AST) -> str:
    """The words of a message in a source, its values left out."""
    parts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return "x".join(each for each in parts if isinstance(each, str))


def raised() -> Iterator[AureliusError]:
    """Every error that a source raises with its message there, as it would be told."""
    known = {each.__name__: each for each in KINDS}
    for room in ROOMS:
        place = ROOT / "aurelius" / room
        for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
            if file.name in NOT_HERE:
                continue
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                    continue
                if kind := known.get(node.func.id):
                    what, hint = [*(texts(each) for each in node.args[:2]), "", ""][:2]
                    yield kind(what, hint)


def test_no_error_that_an_action_can_raise_is_told_with_a_command() -> None:
    found = list(raised())
    assert len(found) > 80
    assert sum(bool(SHELL_WORDS.search(each.hint)) for each in found) > 12
    mine = (each for each in found if "--when-over" not in each.message)  # no page offers that
    told = {(each.message, words_on_page(each)) for each in mine}
    assert [each for each in told if SHELL_WORDS.search(" ".join(each[1]))] == []
    silent = [each for each in found if each.hint and not words_on_page(each)[1]]
    assert silent == []


@pytest.mark.parametrize("part", TO_DO)
def test_what_is_said_of_an_error_is_of_one_that_there_is(part: str) -> None:
    sources = (*(ROOT / "aurelius").rglob("*.py"),)
    assert any(part in each.read_text("utf-8") for each in sources if each.name != "page_words.py")


def test_of_a_hint_the_parts_stay_that_are_not_for_a_shell() -> None:
    error = UsageError("it looks like a key", Hint("keep it elsewhere; `--force` writes it anyway"))
    assert words_on_page(error) == ("It looks like a key", "Keep it elsewhere")
    lost = NoteNotFoundError("no note", "`aurelius list` shows every note")
    assert "the search above" in words_on_page(lost)[1]
    assert words_on_page(UsageError("people/a.md: not written"))[0] == "people/a.md: not written"
    only = VaultNotFoundError("no vault", "to make it one: aurelius init --adopt x")
    assert words_on_page(only)[1] == "To make it one: aurelius init --adopt x"


def test_a_notice_leads_to_what_the_page_offers() -> None:
    notice = (
        'this changes a number; if the old text was true once, use `aurelius supersede ^a "..."`'
    )
    assert notice_on_page(notice).startswith("This changes a number; choose “It changed”")
    assert notice_on_page("links in x stay") == "Links in x stay"
