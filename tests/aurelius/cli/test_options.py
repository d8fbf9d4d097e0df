from __future__ import annotations

import importlib
import inspect
import re

import pytest

from aurelius.cli.commands import daemon
from aurelius.cli.options import ACTIONS, COMMANDS, GLOBAL, Command, Option, arguments, convert, find_command
from aurelius.settings.keys import FUSIONS, MODES
from indexer.catalog.lists import SORTS
from indexer.errors import UsageError

OPTIONS = [(command, option) for command in COMMANDS for option in command.options + GLOBAL]


def option(command: str, name: str) -> Option:
    found = find_command(command)
    assert found is not None
    return next(each for each in found.options if each.name == name)


def of(each: Command | Option) -> str:
    return each.name


@pytest.mark.parametrize(("command", "each"), OPTIONS, ids=of)
def test_every_option_is_well_formed(command: Command, each: Option) -> None:
    assert re.fullmatch(r"[a-z][a-z_]*", each.name)
    assert all(re.fullmatch(r"--[a-z]+(-[a-z]+)*|-[a-z]", name) for name in each.flags)
    assert each.flags[0].startswith("--")
    assert each.kind in {"flag", "text", "number"}
    assert (each.kind == "flag") != bool(each.value), "a flag has no value, anything else names it"
    assert each.help[:1].isupper()
    assert each.help.endswith(".")
    assert len(each.help) <= 90
    if each.fallback is not None:
        assert convert(each, each.fallback) is not None


@pytest.mark.parametrize("command", COMMANDS, ids=of)
def test_every_command_is_well_formed(command: Command) -> None:
    names = [each.name for each in command.arguments] + [each.name for each in command.options + GLOBAL]
    flags = [name for each in command.options + GLOBAL for name in each.flags]
    assert len(names) == len(set(names))
    assert len(flags) == len(set(flags))
    assert not {"--help", "-h", "--version"} & set(flags)
    assert command.help.endswith(".")
    assert all(each.help.endswith(".") and each.value.isupper() for each in command.arguments if ":" not in each.value)
    assert all(not each.many for each in command.arguments[:-1]), "only the last argument takes all words"
    assert all(text.endswith(".") and word.islower() for each in command.arguments for word, text in each.choices)
    run = importlib.import_module(f"aurelius.cli.commands.{command.run.partition(':')[0]}")
    function = getattr(run, command.run.partition(":")[2])
    assert list(inspect.signature(function).parameters) == ["args", "context"]
    assert (function.__doc__ or "").strip()


def test_commands_have_names_of_their_own() -> None:
    names = [command.name for command in COMMANDS]
    assert len(names) == len(set(names))
    assert find_command("search") is COMMANDS[0]
    assert find_command("serach") is None


def test_choices_are_those_of_the_code_that_obeys_them() -> None:
    assert option("search", "mode").choices == MODES
    assert option("search", "fusion").choices == FUSIONS
    assert option("search", "status").choices == ("active", "superseded", "proposed", "all")
    assert option("list", "sort").choices == SORTS
    assert tuple(word for word, _ in ACTIONS) == tuple(daemon.ACTIONS)


def test_the_same_option_means_the_same_everywhere() -> None:
    by_name: dict[str, set[tuple[object, ...]]] = {}
    for _, each in OPTIONS:
        by_name.setdefault(each.name, set()).add((each.flags, each.kind))
    assert {name: shapes for name, shapes in by_name.items() if len(shapes) > 1} == {}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("0", "--limit must be at least 1, not 0"),
        ("-3", "--limit must be at least 1, not -3"),
        ("ten", "--limit wants a whole number, not 'ten'"),
        ("1.5", "--limit wants a whole number, not '1.5'"),
        ("", "--limit wants a whole number, not ''"),
    ],
)
def test_a_number_that_is_none_is_refused(typed: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        convert(option("search", "limit"), typed)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(("command", "each"), [pair for pair in OPTIONS if pair[1].kind == "text"], ids=of)
@pytest.mark.parametrize("typed", ["", " "])
def test_an_empty_value_is_never_as_good_as_none(typed: str, command: Command, each: Option) -> None:
    if each.name == "vault":  # which says so itself, and how a vault is found
        assert convert(each, typed) == typed
        return
    with pytest.raises(UsageError) as caught:
        convert(each, typed)
    assert caught.value.message in {f"{each.flags[0]} is empty", f"{each.flags[0]} cannot be {typed!r}"}, command.name
    assert caught.value.hint


def test_a_choice_that_is_none_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        convert(option("search", "mode"), "keywrd")
    assert caught.value.message == "--mode cannot be 'keywrd'"
    assert caught.value.hint == "did you mean keyword?  one of: hybrid, keyword, vector"


def test_an_argument_that_is_none_of_its_words_names_the_nearest() -> None:
    command = find_command("daemon")
    assert command is not None
    assert arguments(command, {}, ["start"]).action == "start"
    with pytest.raises(UsageError) as caught:
        arguments(command, {}, ["strat"])
    assert caught.value.message == "ACTION cannot be 'strat'"
    assert caught.value.hint == "did you mean start?  one of: run, start, stop, status, install"


def test_values_come_out_as_what_they_are() -> None:
    assert convert(option("search", "limit"), "25") == 25
    assert convert(option("list", "offset"), "0") == 0
    assert convert(option("search", "folder"), "people") == "people"
