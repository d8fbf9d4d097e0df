"""A line that is read without typer is read as typer reads it."""

from __future__ import annotations

import io
import os
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.cli.app import run_typer
from aurelius.cli.declarations import COMMANDS, Command
from aurelius.cli.plain import plain_line
from aurelius.cli.run import Context
from tests.declared import flags_of

Read = tuple[str, SimpleNamespace]


def by_typer(argv: list[str]) -> Read | None:
    """The command and the args that typer makes of a line, None where it makes none."""
    seen: list[Read] = []

    def run(command: Command, args: SimpleNamespace, context: Context) -> int:
        seen.append((command.name, args))
        return 0

    out = io.StringIO()
    run_typer(argv, Context(os.sep, {}, False, io.StringIO(), out, out), run)
    return seen[0] if seen else None


@pytest.mark.parametrize(
    "line",
    [
        "search tea",
        "search tea with milk --json",
        "--vault x search tea",
        "search --vault y tea --explain --no-use",
        "get people/joe.md:3:2",
        "get ME.md --json --private",
        "hook prompt",
        "hook session-start --vault x --trace --part answer",
        "search Größe",
    ],
)
def test_a_plain_line_means_what_typer_means(line: str) -> None:
    plain = plain_line(line.split())
    assert plain is not None
    assert (plain[0].name, plain[1]) == by_typer(line.split())


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["--help"],
        ["search"],
        ["search", ""],
        ["search", "tea", "-milk"],
        ["search", "tea", "--help"],
        ["search", "tea", "--in", "people"],
        ["search", "tea", "--limit", "3"],
        ["search", "tea", "--vault", ""],
        ["search", "tea", "--vault"],
        ["search", "tea", "--json=yes"],
        ["search", "--", "tea"],
        ["search", "tea\udcff"],
        ["search", "tea", "--part", "x"],
        ["get"],
        ["get", "a", "b"],
        ["hook", "status"],
        ["hook", "nothing"],
        ["list"],
        ["tea"],
    ],
    ids=ascii,
)
def test_any_other_line_is_left_to_typer(argv: list[str]) -> None:
    assert plain_line(argv) is None


WORDS = sorted({"tea", "prompt", "x:3", "-milk", "--", "", "é", "answer"} | flags_of("search"))


@given(
    st.sampled_from(["search", "get", "hook", "list", "note", "--vault"]),
    st.lists(st.sampled_from([*WORDS, "--part", "--trace", "--private", "--deadline"]), max_size=5),
    st.integers(0, 3),
)
def test_generated_lines_are_read_the_same(name: str, words: list[str], place: int) -> None:
    argv = [*words[:place], name, *words[place:]]
    plain = plain_line(argv)
    if plain is not None:
        assert (plain[0].name, plain[1]) == by_typer(argv)


def test_every_command_can_be_read() -> None:
    """Each needs no more than its arguments."""
    for name, command in COMMANDS.items():
        if command.examples:
            import shlex

            for example in command.examples:
                read = by_typer(shlex.split(example)[1:])
                assert read is not None, example
                assert read[0] == name
