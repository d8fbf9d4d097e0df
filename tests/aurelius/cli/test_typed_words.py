from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.cli.options import COMMAND_BY_NAME, COMMANDS
from aurelius.cli.typed_words import GLOBAL, Command, Option, convert, parse_arguments
from indexer.errors import UsageError
from tests.conftest import Aurelius

OPTIONS = [(command, option) for command in COMMANDS for option in command.options + GLOBAL]


def option(command: str, name: str) -> Option:
    return next(each for each in COMMAND_BY_NAME[command].options if each.name == name)


def of(each: Command | Option) -> str:
    return each.name


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("0", "--limit must be at least 1, not 0"),
        ("-3", "--limit must be at least 1, not -3"),
        ("ten", "--limit needs a whole number, not 'ten'"),
        ("1.5", "--limit needs a whole number, not '1.5'"),
        ("", "--limit needs a whole number, not ''"),
    ],
)
def test_a_number_that_is_none_is_refused(typed: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        convert(option("search", "limit"), typed)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("command", "each"), [pair for pair in OPTIONS if pair[1].kind == "text"], ids=of
)
@pytest.mark.parametrize("typed", ["", " "])
def test_an_empty_value_is_never_as_good_as_none(
    typed: str, command: Command, each: Option
) -> None:
    if each.name == "vault":  # which says so itself, and how a vault is found
        assert convert(each, typed) == typed
        return
    with pytest.raises(UsageError) as caught:
        convert(each, typed)
    assert caught.value.message in {
        f"{each.flags[0]} is empty",
        f"{each.flags[0]} cannot be {typed!r}",
    }, command.name
    assert caught.value.hint


def test_a_choice_that_is_none_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        convert(option("search", "mode"), "keywrd")
    assert caught.value.message == "--mode cannot be 'keywrd'"
    assert caught.value.hint == "did you mean keyword?  one of: hybrid, keyword, vector"


def test_an_argument_that_is_none_of_its_words_names_the_nearest() -> None:
    command = COMMAND_BY_NAME["daemon"]
    assert parse_arguments(command, {}, ["start"]).action == "start"
    with pytest.raises(UsageError) as caught:
        parse_arguments(command, {}, ["strat"])
    assert caught.value.message == "ACTION cannot be 'strat'"
    assert caught.value.hint == "did you mean start?  one of: run, start, stop, status, install"


def test_values_come_out_as_what_they_are() -> None:
    assert convert(option("search", "limit"), "25") == 25
    assert convert(option("list", "offset"), "0") == 0
    assert convert(option("search", "folder"), "people") == "people"


@pytest.mark.parametrize(
    ("words", "told", "hint"),
    [
        (["graph", ""], "ID|NOTE is empty", "name a fact by its ^id, or a note"),
        (["reinforce", " "], "ID is empty", "name a fact by its ^id"),
        (["links", ""], "NOTE is empty", "name a note"),
        (["tidy", "joe", ""], "NOTE is empty", "name a note"),
        (
            ["graph", "joe", "--depth", "0"],
            "--depth must be at least 1, not 0",
            "for example --depth 1",
        ),
        (
            ["supersede", "k3v9qa", ""],
            "the text of the fact is missing",
            'give it in quotes, like "Plays the cello"',
        ),
    ],
)
def test_what_was_left_empty_is_named_with_what_belongs_there(
    words: list[str], told: str, hint: str, aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    root = vault("empty")
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Works at A (2026-01-01) ^k3v9qa\n")
    done = aurelius(*words, cwd=root)
    assert (done.code, done.err) == (2, f"aurelius: {told}\nhint: {hint}\n")
