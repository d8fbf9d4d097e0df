"""What only a person at a terminal gets: lines of its width, marked words, links; a pipe gets none of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.show.terminal import columns_of, without_colours

Aurelius = Callable[..., Any]
LINES = [
    ["search", "wood for the boat"],
    ["search", "boat", "--explain"],
    ["show", "tomas-reyes", "--facts"],
    ["tasks"],
    ["list", "--type", "fact"],
    ["links", "tomas-reyes"],
    ["status", "--tiers", "tomas-reyes"],
    ["doctor"],
]


@pytest.fixture
def there(vault: Callable[[str], Path]) -> Path:
    there = vault("sample")
    with (there / "people/tomas-reyes.md").open("a", encoding="utf-8") as note:
        note.write("\n- See [[nowhere]] 漢字 " + "and the long way home " * 9 + "\n")
    return there


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_pipe_gets_the_same_bytes_whatever_the_terminal_could(
    line: list[str], aurelius: Aurelius, there: Path, env: dict[str, str]
) -> None:
    line = [*line, "--no-use"] if line[0] in {"search", "show"} else line
    bare = aurelius(*line, cwd=there)
    env |= {
        "COLUMNS": "40",
        "AURELIUS_LINKS": "1",
        "KITTY_WINDOW_ID": "1",
        "TERM": "xterm",
        "PAGER": "more",
    }
    assert aurelius(*line, cwd=there)[:2] == bare[:2]
    for more in ({"NO_COLOR": "1", "COLUMNS": ""}, {"TERM": "dumb", "COLUMNS": "15"}):
        env |= {"AURELIUS_LINKS": "", **more}
        assert aurelius(*line, "--ids", cwd=there, tty=True)[:2] == bare[:2]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_lines_are_as_wide_as_the_terminal(
    line: list[str], aurelius: Aurelius, there: Path, env: dict[str, str]
) -> None:
    line = [*line, "--no-use"] if line[0] in {"search", "show"} else line
    bare = aurelius(*line, cwd=there).out
    env |= {"COLUMNS": "40", "AURELIUS_LINKS": "1"}
    seen = aurelius(*line, "--ids", cwd=there, tty=True).out
    wide = [text for text in without_colours(seen).splitlines() if columns_of(text) > 40]
    assert [text for text in wide if len(text.split()) > 1] == []
    assert "".join(without_colours(seen).split()) == "".join(bare.split()), "nothing is lost"
    carried = [text for text in without_colours(seen).splitlines() if text.startswith("  ")]
    assert carried, "what is carried over is indented"


@pytest.mark.parametrize(
    "line",
    [
        ["search", "boat", "--no-use"],
        ["show", "tomas-reyes", "--facts", "--no-use"],
        ["list", "--type", "fact"],
        ["history", "tomas-reyes"],
    ],
    ids=" ".join,
)
def test_a_person_is_shown_ids_only_where_they_ask_for_them(
    line: list[str], aurelius: Aurelius, there: Path
) -> None:
    assert "[id:" in aurelius(*line, cwd=there).out, "programs are shown them"
    assert "[id:" in aurelius(*line, "--ids", cwd=there, tty=True).out
    seen = without_colours(aurelius(*line, cwd=there, tty=True).out)
    assert seen
    assert "[id:" not in seen
    assert not re.search(r" \^[a-z0-9]{6}$", seen, re.MULTILINE)


def test_the_words_asked_for_are_marked(aurelius: Aurelius, there: Path) -> None:
    seen = aurelius("search", "wooden boats", "--mode", "keyword", cwd=there, tty=True).out
    texts = [line for line in seen.splitlines() if line.startswith("  ")]
    assert {
        word.lower() for line in texts for word in re.findall(r"\x1b\[1m(.*?)\x1b\[0m", line)
    } >= {"boat"}


def test_paths_are_links_where_the_terminal_shows_them(
    aurelius: Aurelius, there: Path, env: dict[str, str]
) -> None:
    env["KITTY_WINDOW_ID"] = "1"
    for line in (
        ["search", "boat"],
        ["list"],
        ["tasks"],
        ["show", "tomas-reyes"],
        ["links", "tomas-reyes"],
        ["status", "--tiers", "tomas-reyes"],
    ):
        assert f"\x1b]8;;file://{there}/" in aurelius(*line, cwd=there, tty=True).out, line


def test_exact_text_and_paths_are_never_broken(
    aurelius: Aurelius, there: Path, env: dict[str, str]
) -> None:
    for line in (
        ["get", "tomas-reyes"],
        ["list", "--paths"],
        ["search", "boat", "--json"],
        ["search", "boat", "--md"],
    ):
        bare = aurelius(*line, "--no-use" if line[0] != "list" else "--paths", cwd=there).out
        env["COLUMNS"] = "30"
        seen = aurelius(
            *line, "--no-use" if line[0] != "list" else "--paths", cwd=there, tty=True
        ).out
        del env["COLUMNS"]
        assert re.sub(r'"took_ms":[\d.]+', "", seen) == re.sub(r'"took_ms":[\d.]+', "", bare), line


def test_a_budget_counts_what_a_terminal_adds_as_nothing(
    aurelius: Aurelius, there: Path, env: dict[str, str]
) -> None:
    line = ["search", "boat", "--budget", "300", "--no-use"]
    bare = aurelius(*line, cwd=there).out
    env["AURELIUS_LINKS"] = "1"
    assert without_colours(aurelius(*line, "--ids", cwd=there, tty=True).out) == bare


def test_messages_are_as_wide_as_the_terminal_too(
    terminal: Callable[..., Any], there: Path
) -> None:
    seen = terminal("move", "tomas-reyes", "../elsewhere/on/the/disk", cwd=there, columns=40).seen
    assert max(map(len, seen.splitlines())) <= 40
    assert "not written, because it leads out of" in " ".join(seen.split())
