from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.cli.declarations import COMMANDS
from indexer.errors import UsageError
from tests.declared import options_of

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

CANARIES = ("zanzibar", "quetzal", "zanz01", "quet01")
PROBES = [
    ["search", "zanzibar quetzal"],
    ["search", "zanzibar quetzal", "--mode", "keyword", "--status", "all", "--explain"],
    ["search", "zanzibar quetzal", "--mode", "vector", "-n", "100"],
    ["search", "--in", "secret", "quetzal"],
    ["search", "--where", "title = Zanzibar", "zanzibar"],
    ["search", "--tag", "zanzibar", "zanzibar"],
    ["get", "diary.md"],
    ["get", "diary.md:8"],
    ["get", "diary#^zanz01"],
    ["get", "zanz01"],
    ["get", "./secret/notes.md"],
    ["get", "secret/../diary.md"],
    ["show", "diary"],
    ["show", "open"],
    ["show", "secret/notes"],
    ["list"],
    ["list", "--type", "fact", "--type", "event", "--type", "plan"],
    ["list", "--tag", "zanzibar"],
    ["today"],
    ["today", "--now", "2026-01-01"],
    ["days", "2000.."],
    ["tasks"],
    ["tags"],
    ["links", "open"],
    ["links", "diary"],
    ["links", "diary", "--mentions"],
    ["links", "open", "--mentions"],
    ["open", "diary"],
    ["open", "secret/notes.md"],
    ["status"],
    ["doctor"],
    ["index"],
    ["config"],
]


def forms(line: list[str]) -> list[list[str]]:
    """The line in every form its command knows."""
    options = COMMANDS[line[0]].defaults
    return [
        line,
        *(
            [*line, f"--{form}"]
            for form in ("json", "jsonl", "paths", "md", "facts")
            if form in options
        ),
    ]


@pytest.mark.parametrize("line", PROBES, ids=" ".join)
def test_what_is_private_or_ignored_comes_out_nowhere(
    line: list[str], aurelius: Aurelius, vault: Vaults, env: dict[str, str]
) -> None:
    """A canary in a private and one in an ignored note, through every reading command in every form."""
    there = vault("private")
    env["EDITOR"] = "true"
    typed = " ".join(line)
    for argv in forms(line):
        done = aurelius(*argv, cwd=there)
        answer = (done.out + done.err).lower().replace(typed.lower(), "")
        said = [word for word in CANARIES if word in answer and word not in typed]
        assert said == [], argv
        assert "sails" not in answer
        assert "nests here" not in answer


def test_the_canaries_are_there_to_be_found(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("private")
    assert "sails to zanzibar" in aurelius("search", "zanzibar", "--private", cwd=there).out.lower()
    (there / ".aureliusignore").unlink()
    assert "nests here" in aurelius("search", "quetzal", cwd=there).out


def test_data_goes_to_stdout_and_talk_to_stderr(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    empty = aurelius("search", "qqqxyz", "--mode", "keyword", cwd=there)
    assert empty.out == ""
    assert empty.err.startswith("aurelius: nothing found in 14 notes")
    clamped = aurelius("search", "joe", "-n", "500", "--jsonl", cwd=there)
    assert all(json.loads(line) for line in clamped.out.splitlines())
    assert clamped.err == "aurelius: showing at most 100 hits, not 500\n"


def test_no_colour_unless_a_terminal_wants_it(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str]
) -> None:
    there = vault("template")
    lines = [
        ["search", "joe"],
        ["show", "joe"],
        ["list"],
        ["links", "joe"],
        ["tasks"],
        ["list", "--type", "decision"],
    ]
    for line in lines:
        assert "\x1b[" not in aurelius(*line, cwd=there).out
        assert "\x1b[" in aurelius(*line, cwd=there, tty=True).out
    env["NO_COLOR"] = "1"
    for line in lines:
        assert "\x1b[" not in aurelius(*line, cwd=there, tty=True).out


def test_a_name_that_is_not_utf8_crashes_nothing(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    try:
        with open(os.fsencode(there) + b"/caf\xe9.md", "wb") as file:
            file.write(b"# Cafe\n\nEspresso here.\n")
    except OSError:  # a file system that takes only UTF-8 cannot have such a name
        return
    for line in PROBES:
        for argv in forms(line):
            done = aurelius(*argv, cwd=there)
            assert done.code in {0, 1, 5}, (argv, done.err)
            done.out.encode("utf-8")
            done.err.encode("utf-8")
    assert "caf\\xe9.md" in aurelius("status", cwd=there).out


def test_a_hostile_note_reaches_the_terminal_tamed(aurelius: Aurelius, vault: Vaults) -> None:
    """No command prints a control character but newline and tab."""
    there = vault("template")
    evil = "\x1b]0;owned\x07\x9b31m\u202e\x7f"
    (there / f"people/e{evil}.md").write_text(
        f"---\ntags: ['t{evil}']\naliases: ['x{evil}']\n---\n# T{evil}\n\n## Facts\n- Fact{evil} (2026-01-01)\n"
        f"- [ ] Task{evil}\n\n[[no{evil}|label{evil}]] [[sarah]]\n",
        "utf-8",
    )
    lines = [
        ["search", "fact task owned"],
        ["show", f"people/e{evil}.md", "--facts"],
        ["list"],
        ["tasks"],
        ["tags"],
        ["list", "--type", "fact"],
        ["links", "sarah"],
        ["links", f"people/e{evil}.md"],
        ["doctor"],
        ["status"],
        ["get", f"people/e{evil}.md"],
        ["get", f"no{evil}"],
    ]
    for line in lines:
        for argv in forms(line):
            done = aurelius(*argv, cwd=there)
            assert done.out or done.err
            bad = {char for char in done.out + done.err if char in "\x1b\x07\x9b\u202e\x7f"}
            assert bad == set(), argv


def test_open_takes_a_line_and_a_name(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str], tmp_path: Path
) -> None:
    there = vault("links")
    seen = tmp_path / "seen"
    editor = tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "$@" > "{seen}"\n', "utf-8")
    editor.chmod(0o755)
    env["EDITOR"] = str(editor)
    for name, words in (
        ("Countess:7", "+7 {}/people/ada.md"),
        ("^not3s1", "+8 {}/people/ada.md"),
        ("ada", "{}/people/ada.md"),
        ("engine#Parts", "+3 {}/projects/engine.md"),
        ("2026-02-11", "{}/memory/2026-02-11.md"),
    ):
        assert aurelius("open", name, cwd=there).code == 0
        assert seen.read_text("utf-8") == words.format(there) + "\n"
    assert aurelius("open", "nobody", cwd=there).code == 5


def test_exclusive_forms_are_refused(aurelius: Aurelius, vault: Vaults) -> None:
    done = aurelius("search", "joe", "--md", "--jsonl", cwd=vault("template"))
    assert (done.code, done.out) == (UsageError.exit_code, "")
    assert done.err.startswith("aurelius: --jsonl and --md cannot go together")


def test_a_note_that_is_no_text_is_not_called_empty(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    root = vault("sample")
    (root / "photo.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (root / "nothing.md").write_bytes(b"")
    assert (
        aurelius("get", "photo.md", cwd=root).err
        == "aurelius: photo.md is not text, so there are no lines to print\n"
    )
    assert aurelius("get", "nothing.md", cwd=root).err == "aurelius: nothing.md is empty\n"


@pytest.mark.parametrize("option", ["--on", "--since", "--until", "--as-of", "--in"])
def test_an_empty_filter_is_refused_and_not_left_out(
    option: str, aurelius: Aurelius, vault: Vaults
) -> None:
    done = aurelius("search", "tea", option, "", cwd=vault("sample"))
    assert (done.code, done.out) == (UsageError.exit_code, "")
    assert done.err.startswith(f"aurelius: {option} is empty\nhint: ")
    assert aurelius("tasks", "--due", "", cwd=vault("tasks")).code == UsageError.exit_code


def test_no_number_that_can_be_typed_is_taken_for_a_damaged_index(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("sample")
    numbers = [
        (each, option)
        for each in COMMANDS.values()
        for option in options_of(each.name)
        if option.kind == "number"
    ]
    assert {each.name for each, _ in numbers} >= {"search", "list", "review", "undo"}
    for command, option in numbers:
        words = ["tea"] if command.name == "search" else []
        done = aurelius(command.name, *words, option.flags[0], str(2**63), cwd=root)
        assert (done.code in {0, 2, 5, 6}, "unsound" in done.err) == (True, False), (
            command.name,
            done,
        )
    assert "unsound" not in aurelius("list", "--type", "fact", "--limit", str(10**30), cwd=root).err


class TestDaysInWords:
    """`yesterday` in the place of a note: asked on Tuesday, 2026-02-10."""

    @pytest.fixture
    def there(self, tmp_path: Path) -> Path:
        root = tmp_path / "vault"
        for path, text in {
            "memory/2026-02-09.md": "# 2026-02-09\n- called the plumber\n- bought seeds\n",
            "memory/2026-02-06-trip.md": "- rowed to the island\n",
            "memory/2026-02-05.md": "---\nprivate: true\n---\n- saw the zanzibar doctor\n",
            "Friday.md": "A film about [[2026-02-08]].\n",
            "Cyber Monday.md": "Discounts.\n",
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        (root / ".aurelius").mkdir()
        return root

    @pytest.mark.parametrize(
        ("reference", "text"),
        [
            ("yesterday", "# 2026-02-09\n- called the plumber\n- bought seeds\n"),
            ("Yesterday:2", "- called the plumber\n"),
            ("monday", "# 2026-02-09\n- called the plumber\n- bought seeds\n"),
            ("last friday", "- rowed to the island\n"),
            ("6 feb", "- rowed to the island\n"),
            ("four days ago:1:5", "- rowed to the island\n"),
            ("friday", "A film about [[2026-02-08]].\n"),
        ],
    )
    def test_get_prints_the_note_of_the_day_unless_a_note_is_called_so(
        self, reference: str, text: str, aurelius: Aurelius, there: Path
    ) -> None:
        assert aurelius("get", reference, cwd=there).out == text

    def test_a_day_without_a_note_is_said_and_can_be_opened(
        self, aurelius: Aurelius, there: Path, env: dict[str, str]
    ) -> None:
        assert (
            aurelius("get", "today", cwd=there).err
            == "aurelius: memory/2026-02-10.md is not written yet\n"
        )
        shown = aurelius("show", "last sunday", cwd=there)
        assert (shown.code, shown.out) == (5, "")
        assert "memory/2026-02-08.md is not written yet" in shown.err
        assert "aurelius open 'last sunday'" in shown.err
        env["EDITOR"] = "true"
        assert aurelius("open", "tomorrow", cwd=there).code == 0
        assert "Friday.md" in aurelius("links", "last sunday", cwd=there).out

    def test_a_private_day_comes_only_where_it_is_asked_for(
        self, aurelius: Aurelius, there: Path
    ) -> None:
        for command in ("get", "show", "links", "open"):
            done = aurelius(command, "last thursday", cwd=there)
            assert "zanzibar" not in done.out + done.err
        assert "zanzibar" in aurelius("get", "last thursday", "--private", cwd=there).out

    @pytest.mark.parametrize(
        "word", ["sun", "the 14th", "halloween", "2026-02-31", "last week", "february", "2026"]
    )
    def test_what_may_be_a_name_or_is_no_single_day_is_taken_as_a_name(
        self, word: str, aurelius: Aurelius, there: Path
    ) -> None:
        done = aurelius("get", word, cwd=there)
        assert done.code == 5
        assert "no note is called" in done.err

    def test_what_is_added_goes_to_no_day_that_a_sentence_begins_with(
        self, aurelius: Aurelius, there: Path
    ) -> None:
        before = (there / "memory/2026-02-09.md").read_text("utf-8")
        aurelius("add", "Monday was a holiday", cwd=there)
        aurelius("add", "Yesterday", "we stayed in", cwd=there)
        assert (there / "memory/2026-02-09.md").read_text("utf-8") == before
