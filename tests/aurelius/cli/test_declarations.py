"""What the commands declare is well formed, and means the same everywhere."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter

import pytest

from aurelius.cli import options
from aurelius.cli.commands import daemon
from aurelius.cli.declarations import COMMANDS, TENDING, WRITING, Command
from aurelius.settings.keys import FUSIONS, MODES
from indexer.catalog.lists import SORTS
from tests.declared import Declared, arguments_of, declared, flags_of, options_of

OPTIONS = [(name, option) for name in COMMANDS for option in options_of(name)]


def of(each: str | Declared) -> str:
    return each if isinstance(each, str) else each.name


@pytest.mark.parametrize(("command", "each"), OPTIONS, ids=of)
def test_every_option_is_well_formed(command: str, each: Declared) -> None:
    assert re.fullmatch(r"[a-z][a-z_]*", each.name), command
    assert all(re.fullmatch(r"--[a-z]+(-[a-z]+)*|-[a-z]", name) for name in each.flags)
    assert (each.kind == "flag") != bool(each.value), "a flag has no value, anything else names it"
    assert each.help[:1].isupper()
    assert each.help.endswith(".")
    assert each.name == "type" or len(each.help.partition("  One of: ")[0]) <= 90


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_every_command_is_well_formed(command: Command) -> None:
    taken = declared(command.name)
    flags = [flag for each in taken for flag in each.flags]
    assert len(flags) == len(set(flags))
    assert command.help.endswith(".")
    for each in arguments_of(command.name):
        first, *words = each.help.split("\n")
        assert first.endswith(".")
        assert all(re.fullmatch(r"[a-z-]+\t[A-Z].*\.", line) for line in words)
    assert all(not each.many for each in arguments_of(command.name)[:-1]), (
        "only the last argument takes all words"
    )
    assert command.defaults.keys() == {each.name for each in options_of(command.name)}
    module, _, name = command.run.partition(":")
    function = getattr(importlib.import_module(f"aurelius.cli.commands.{module}"), name)
    assert list(inspect.signature(function).parameters) == ["args", "context"]
    assert (function.__doc__ or "").strip()


def test_every_command_that_changes_notes_shows_first_what_it_would_do() -> None:
    changing = [each for each in COMMANDS.values() if each.group in {WRITING, TENDING}]
    assert len(changing) > 10
    for command in changing:
        assert "--dry-run" in flags_of(command.name), command.name


def test_choices_are_those_of_the_code_that_obeys_them() -> None:
    assert _choices("search", "mode") == MODES
    assert _choices("search", "fusion") == FUSIONS
    assert _choices("search", "status") == ("active", "superseded", "proposed", "all")
    assert _choices("list", "sort") == SORTS
    assert tuple(options.DAEMON_ACTIONS) == tuple(daemon.ACTION_FUNCTIONS)


def _choices(command: str, name: str) -> tuple[str, ...]:
    told = next(each.help for each in options_of(command) if each.name == name)
    return tuple(told.partition("  One of: ")[2].rstrip(".").split(", "))


def test_the_same_option_means_the_same_everywhere() -> None:
    by_name: dict[str, set[tuple[object, ...]]] = {}
    for _, each in OPTIONS:
        by_name.setdefault(each.name, set()).add((each.flags, each.kind))
    assert {name: shapes for name, shapes in by_name.items() if len(shapes) > 1} == {}


def test_what_several_commands_share_is_shared() -> None:
    """One that a single command has stands with that command."""
    module = importlib.import_module("aurelius.cli.declarations")
    body = inspect.getsource(module).partition("COMMANDS: dict")[2]
    several = Counter(signature for command in COMMANDS.values() for signature in command.declared)
    for signature, count in several.items():
        body += inspect.getsource(signature) * (count - 1)
    shared = re.findall(r"^(\w+(?:Option|Argument)) = ", inspect.getsource(options), re.MULTILINE)
    assert len(shared) > 40
    once = {each for each in shared if len(re.findall(rf": {each}\b", body)) < 2}
    everywhere = {f"{name}Option" for name in ("Vault", "Now", "Session", "Agent", "Ids")}
    assert once <= everywhere | {"NoPagerOption", "HelpOption", "VersionOption"}
