from __future__ import annotations

import importlib
import inspect
import re

import pytest

from aurelius.cli.commands import daemon
from aurelius.cli.options import COMMAND_BY_NAME, COMMANDS, TENDING, WRITING_GROUP
from aurelius.cli.shared_options import DAEMON_ACTIONS
from aurelius.cli.typed_words import GLOBAL, Command, Option, convert
from aurelius.settings.keys import FUSIONS, MODES
from indexer.catalog.lists import SORTS

OPTIONS = [(command, option) for command in COMMANDS for option in command.options + GLOBAL]


def option(command: str, name: str) -> Option:
    return next(each for each in COMMAND_BY_NAME[command].options if each.name == name)


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
    names = [each.name for each in command.arguments] + [
        each.name for each in command.options + GLOBAL
    ]
    flags = [name for each in command.options + GLOBAL for name in each.flags]
    assert len(names) == len(set(names))
    assert len(flags) == len(set(flags))
    assert not {"--help", "-h", "--version"} & set(flags)
    assert command.help.endswith(".")
    assert all(
        each.help.endswith(".") and each.value.isupper()
        for each in command.arguments
        if ":" not in each.value
    )
    assert all(not each.many for each in command.arguments[:-1]), (
        "only the last argument takes all words"
    )
    assert all(
        text.endswith(".") and word.islower()
        for each in command.arguments
        for word, text in each.choices
    )
    run = importlib.import_module(f"aurelius.cli.commands.{command.run.partition(':')[0]}")
    function = getattr(run, command.run.partition(":")[2])
    assert list(inspect.signature(function).parameters) == ["args", "context"]
    assert (function.__doc__ or "").strip()


def test_every_command_that_changes_notes_shows_first_what_it_would_do() -> None:
    changing = [command for command in COMMANDS if command.group in {WRITING_GROUP, TENDING}]
    assert len(changing) > 12
    for command in changing:
        assert "--dry-run" in {flag for option in command.options for flag in option.flags}, (
            command.name
        )


def test_commands_have_names_of_their_own() -> None:
    names = [command.name for command in COMMANDS]
    assert len(names) == len(set(names))
    assert COMMAND_BY_NAME["search"] is COMMANDS[0]


def test_choices_are_those_of_the_code_that_obeys_them() -> None:
    assert option("search", "mode").choices == MODES
    assert option("search", "fusion").choices == FUSIONS
    assert option("search", "status").choices == ("active", "superseded", "proposed", "all")
    assert option("list", "sort").choices == SORTS
    assert tuple(word for word, _ in DAEMON_ACTIONS) == tuple(daemon.ACTION_FUNCTIONS)


def test_the_same_option_means_the_same_everywhere() -> None:
    by_name: dict[str, set[tuple[object, ...]]] = {}
    for _, each in OPTIONS:
        by_name.setdefault(each.name, set()).add((each.flags, each.kind))
    assert {name: shapes for name, shapes in by_name.items() if len(shapes) > 1} == {}
