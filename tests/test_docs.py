"""README and help tell the truth: their commands are run, and whatever exists is in them."""

from __future__ import annotations

import calendar
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aurelius
from aurelius.cli import run, topics
from aurelius.cli.declarations import COMMANDS, GLOBAL_DEFAULTS
from aurelius.settings import keys
from indexer import errors
from tests.conftest import TODAY
from tests.declared import flags_of, options_of

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
CONSOLE = [text for kind, text in BLOCKS if kind == "console"]
HELP = ROOT / "aurelius" / "help"
TOPICS = {file.stem: file.read_text("utf-8") for file in HELP.glob("*.md")}
EXAMPLES = [(command.name, line) for command in COMMANDS.values() for line in command.examples]

Run = Callable[..., Any]


def steps(block: str) -> list[tuple[list[str], list[str]]]:
    """Each command of a console block with the lines it is said to print."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return [
        (shlex.split(line), answer.splitlines())
        for line, answer in zip(parts[::2], parts[1::2], strict=True)
    ]


def agree(said: list[str], printed: list[str]) -> bool:
    """Whether the lines are those printed; a line of `...` stands for any number of them."""
    if not said or not printed:
        return said in ([], ["..."]) and not (printed and not said)
    if said[0] == "...":
        return agree(said[1:], printed) or agree(said, printed[1:])
    return said[0] == printed[0] and agree(said[1:], printed[1:])


def rows(heading: str, topic: str) -> dict[str, str]:
    """First cell -> second cell of the tables of a topic whose first column has that heading."""
    tables = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", TOPICS[topic], re.MULTILINE)
    assert tables, heading
    cells = [re.split(r"(?<!\\)\|", line) for table in tables for line in table.splitlines()]
    return {cell[1].strip(): cell[2].strip() for cell in cells}


def days() -> list[tuple[datetime.datetime, str]]:
    """Each console block of the README with the noon of the day that the heading above it names."""
    found, day = [], TODAY
    for part in re.split(r"^(?=### |```console)", README, flags=re.MULTILINE):
        if named := re.match(r"### \w+, (\d+) (\w+)", part):
            day = datetime.datetime(
                2026, list(calendar.month_name).index(named[2]), int(named[1]), 12
            )
        if block := re.match(r"```console\n(.*?)^```", part, re.MULTILINE | re.DOTALL):
            found.append((day, block[1]))
    return found


def same_ids(text: str) -> list[str]:
    """The lines with every id that a command may mint as the same one."""
    return re.sub(r"(\^|\[id:)[a-z0-9]{6}\b", r"\1------", text).splitlines()


def test_the_week_of_the_readme_goes_as_it_says(
    aurelius: Run, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From `init` on, each command on its day; where lines follow a command, they are what it prints."""
    monkeypatch.setenv("HOME", env["HOME"])  # what `~` is
    place = Path(env["HOME"])
    assert "".join(block for _, block in days()) == "".join(CONSOLE)
    for now, block in days():
        for words, said in steps(block):
            if words[0] == "cd":
                place = Path(words[1]).expanduser()
                continue
            assert words[0] == "aurelius"
            done = aurelius(*words[1:], cwd=place, now=now)
            assert done.code == 0, (words, done.err)
            told = same_ids("\n".join(said))
            assert not said or agree(told, same_ids(done.out)), f"{words} printed:\n{done.out}"


def python_blocks(text: str) -> str:
    """The Python of a text, block after block, as one program."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("text", [README, TOPICS["python"]], ids=["README", "python"])
def test_the_python_that_is_shown_runs(
    text: str,
    vault: Callable[[str], Path],
    env: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    place = vault("template")
    for name, value in (
        env | {"HOME": str(place.parent), "USERPROFILE": str(place.parent)}
    ).items():
        monkeypatch.setenv(name, value)
    place.rename(place.parent / "notes")
    exec(compile(python_blocks(text), "shown", "exec"), {})
    said = capsys.readouterr().out
    assert "people/joe-bloggs.md" in said
    assert "Los Angeles" in said


def test_every_name_of_the_python_api_is_told() -> None:
    assert [
        name for name in aurelius.__all__ if not re.search(rf"`{name}\b", TOPICS["python"])
    ] == []


def test_there_is_something_to_run() -> None:
    shown = [words for block in CONSOLE for words, said in steps(block) if said]
    assert len(shown) >= 8
    assert len({now for now, _ in days()}) >= 7


def test_the_readme_is_read_in_seven_minutes_and_its_week_in_three() -> None:
    assert len(README.split()) <= 1400
    week = README.partition("\n## Your first week\n")[2].partition("\n## What it promises\n")[0]
    assert 300 < len(week.split()) <= 600


def test_the_first_screen_of_the_readme_says_how_to_begin() -> None:
    screen = "\n".join(README.splitlines()[:25])
    begun = ("git clone ", "scripts/demo", "scripts/test", "pipx install .", "aurelius search ")
    assert [words for words in begun if words not in screen] == []


def test_a_block_that_lies_would_fail() -> None:
    assert agree(["a", "...", "d"], ["a", "b", "c", "d"])
    assert agree(["a", "..."], ["a"])
    assert not agree(["a"], ["a", "b"])
    assert not agree(["a", "b"], ["a"])
    assert not agree([], ["a"])


def test_every_command_of_a_shell_block_exists() -> None:
    shell = "".join(text for kind, text in BLOCKS if kind == "sh")
    for script in re.findall(r"scripts/\w+", README):
        assert os.access(ROOT / script, os.X_OK), script
    named = set(re.findall(r"(?:^|&& )aurelius ([a-z]+)", shell, re.MULTILINE))
    assert named
    assert named <= COMMANDS.keys()


def test_every_command_has_a_row() -> None:
    told = {words.split()[1].strip("`,") for words in rows("command", "commands")}
    assert told == COMMANDS.keys()


@pytest.mark.parametrize("text", [README, *TOPICS.values()], ids=["README", *TOPICS])
def test_every_option_and_command_named_exists(text: str) -> None:
    known = {flag for name in COMMANDS for flag in flags_of(name)}
    text = re.sub(r"`?scripts/\w+[^`\n]*", "", text)
    assert set(re.findall(r"(?<!-)--[a-z][a-z-]+", text)) - known <= {
        "--help",
        "--install-completion",
    }
    assert (
        set(re.findall(r"(?:^ {4}|`)aurelius ([a-z][a-z-]*)\b(?!/)", text, re.MULTILINE))
        <= COMMANDS.keys()
    )


def test_every_filter_of_search_is_named() -> None:
    for option in options_of("search"):
        if option.name in GLOBAL_DEFAULTS:
            continue
        assert any(flag in TOPICS["search"] for flag in option.flags), option.flags


def test_every_command_but_a_few_speaks_json() -> None:
    silent = {name for name, command in COMMANDS.items() if "json" not in command.defaults}
    assert silent == {"open", "help", "mcp", "memory-tool", "lsp", "tool", "merge-file"}
    assert (
        "Every command but `open`, `help`, `mcp`, `memory-tool`, `lsp`, `tool` and `merge-file` takes"
        " `--json`" in TOPICS["json"]
    )


def test_the_json_of_every_command_is_found_by_its_name(aurelius: Run) -> None:
    for command in COMMANDS.values():
        if "json" in command.defaults:
            told = aurelius("help", "json", command.name)
            assert told.code == 0, command.name
            assert re.match(rf"## {command.name}\b", told.out)


def test_every_setting_has_a_row_with_its_default() -> None:
    told = rows("key", "settings")
    assert set(told) == {f"`{key.name}`" for key in (*keys.KEYS, keys.VAULT_KEY)}
    for key in keys.KEYS:
        default = [] if key.default == () else key.default
        assert told[f"`{key.name}`"] == f"`{json.dumps(default)}`"


def test_every_exit_code_has_a_row() -> None:
    classes = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, Exception)
    ]
    codes = {each.exit_code for each in classes if issubclass(each, errors.AureliusError)}
    told = {int(code) for code in rows("exit code", "commands")}
    assert told == codes | {0, run.BUG, run.UNWRITTEN, run.STOPPED}


def test_help_has_every_topic_and_section_that_is_pointed_to(aurelius: Run) -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "aurelius").rglob("*.py")]
    everything = "\n".join([README, *TOPICS.values(), *sources])
    pointed = set(re.findall(r"`aurelius help ([a-z][a-z -]*)`", everything))
    assert {"facts hot", "programs mcp"} <= pointed
    for words in sorted(pointed):
        assert aurelius("help", *words.split()).code == 0, words


def test_every_topic_is_a_file_and_every_file_a_topic(aurelius: Run) -> None:
    assert sorted(topics.TOPICS) == sorted(TOPICS)
    listed = aurelius("help", "--all").out
    for topic, text in TOPICS.items():
        assert re.fullmatch(r"# .{8,75}", text.partition("\n")[0]), topic
        assert re.search(
            rf"^  {topic} +{re.escape(topics.topic_heading(topic))}$", listed, re.MULTILINE
        )
        assert aurelius("help", topic, "--all").out.endswith(text)


LONGER = {
    "commands": 1480,
    "search": 1500,
    "facts": 1550,
    "vault": 1400,
    "privacy": 1100,
    "settings": 1050,
    "model": 1000,
    "architecture": 1860,
    "devices": 1000,
    "contributing": 1500,
}
"""Words that a topic may have which nobody reads from end to end, or only who changes the code."""


@pytest.mark.parametrize("topic", sorted(TOPICS.keys() - {"json", "programs"}))
def test_a_topic_is_read_in_three_minutes(topic: str) -> None:
    assert len(TOPICS[topic].split()) <= LONGER.get(topic, 900)


@pytest.mark.parametrize(
    "topic", sorted(TOPICS.keys() - {"daemon", "serve", "architecture", "contributing"})
)
def test_the_commands_of_a_topic_work(
    topic: str, aurelius: Run, vault: Callable[[str], Path]
) -> None:
    place = vault("template")
    if topic == "devices":
        subprocess.run(["git", "init", "-q", str(place)], check=True)
    for line in re.findall(r"^ {4}(aurelius .*)", TOPICS[topic], re.MULTILINE):
        done = aurelius(*shlex.split(line, comments=True)[1:], cwd=place)
        assert done.code == 0, (line, done.err)


@pytest.mark.parametrize(
    "file", [ROOT / "README.md", *HELP.glob("*.md")], ids=lambda file: file.stem
)
def test_a_link_to_a_file_of_the_repository_leads_somewhere(file: Path) -> None:
    for target in re.findall(
        r"(?<!\])\]\(([^)#]+)", re.sub(r"`[^`\n]*`", "", file.read_text("utf-8"))
    ):
        assert "://" in target or (file.parent / target).exists(), target


@pytest.mark.parametrize(("command", "line"), EXAMPLES)
def test_an_example_of_the_help_works(
    command: str, line: str, aurelius: Run, vault: Callable[[str], Path]
) -> None:
    place = vault("template")
    words = shlex.split(line)
    assert words[:2] == ["aurelius", command]
    if command == "undo":
        assert aurelius("note", "Something to undo", cwd=place).code == 0
    observed = [
        {"type": "entity", "name": "Joe", "entityType": "person", "observations": ["Sails"]}
    ]
    (place / "export.json").write_text("\n".join(map(json.dumps, observed)) + "\n", "utf-8")
    (place / "questions.tsv").write_text("where does joe live\tpeople/joe-bloggs.md\n", "utf-8")
    done = aurelius(*words[1:], cwd=place)
    found = command in {"review", "tidy"} and done.code in {0, 1}
    assert done.code == 0 or found, done.err
    assert done.out + done.err, "an example shows something"


def test_the_commonest_commands_have_examples() -> None:
    common = {
        "search",
        "get",
        "show",
        "list",
        "add",
        "note",
        "supersede",
        "new",
        "move",
        "summarize",
        "review",
        "undo",
    }
    assert common <= {command for command, _ in EXAMPLES}


def shape(value: Any) -> Any:
    """A JSON value with every number and string replaced by its type."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value[:1]]
    return type(value).__name__


def test_the_envelope_is_the_one_printed(aurelius: Run, vault: Callable[[str], Path]) -> None:
    said = json.loads(
        re.findall(r"^```json\n(.*?)^```", TOPICS["json"], re.MULTILINE | re.DOTALL)[0]
    )
    printed = json.loads(
        aurelius("search", said["query"], "-n", "1", "--json", cwd=vault("template")).out
    )
    assert shape(said) == shape(printed)
    assert list(said) == list(printed)
    assert list(said["hits"][0]) == list(printed["hits"][0])
    assert said["hits"][0] | {"score": 0} == printed["hits"][0] | {"score": 0}


def test_every_environment_variable_is_named() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "aurelius").rglob("*.py"))
    assert "AURELIUS_VAULT" in sources
    hidden = {"AURELIUS_NOW", "AURELIUS_DEBUG"}  # a clock for tests, tracebacks for us
    assert set(re.findall(r"\bAURELIUS_[A-Z]+", sources)) - hidden <= set(
        re.findall(r"AURELIUS_[A-Z]+", TOPICS["settings"])
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="the demo is written for bash")
def test_the_demo_leaves_nothing_outside_its_folder(tmp_path: Path) -> None:
    """As its first lines say; what sets up `.venv` is left out here."""
    home, scripts, temporary = tmp_path / "home", tmp_path / "checkout/scripts", tmp_path / "tmp"
    for folder in (home, scripts, temporary):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "scripts/demo", scripts)
    (scripts / "setup").write_text(f"#!/bin/sh\necho {shlex.quote(sys.executable)}\n")
    (scripts / "setup").chmod(0o755)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}
    done = subprocess.run(["bash", str(scripts / "demo")], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("*")) == []
    assert len(list(temporary.iterdir())) == 1


def test_the_help_of_json_lists_its_sections_and_prints_them_all_only_when_asked(
    aurelius: Run,
) -> None:
    short, whole = aurelius("help", "json"), aurelius("help", "json", "--all")
    assert whole.out == TOPICS["json"]
    assert len(short.out) < 4_000
    for line in whole.out.splitlines():
        assert not line.startswith("## ") or line[3:] in short.out
    assert "`aurelius help json SECTION` prints one of them" in short.out
