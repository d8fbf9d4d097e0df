"""Patterns as git reads them, which git itself is asked about."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from indexer.disk.gitignore import opinion, parse_pattern, parse_patterns

ATOMS = (
    "a",
    "b",
    "foo",
    "*",
    "?",
    "a*",
    "*b",
    "**",
    "[ab]",
    "[!a]",
    "[a-c]",
    "foo.md",
    "*.md",
    "\\*",
    "a\\b",
    "b.md",
    " a",
    "a ",
    "\\#x",
    "[[:alpha:]]",
    "[]a]",
    "[^b].md",
    "{a,b}",
    "a[",
    "***",
    "[a",
    "\\",
    "\\!b",
    "[a-",
    "[b-a]",
    "[[:no:]]",
    "[[a]",
    "[\\]a]",
    "x[!/]y",
    "[+--]",
    "é",
    "\\é.md",
    "-",
    "[a\\-c]*",
)
FOLDERS = ("a", "b", "foo", "c", "ab")
NAMES = (
    "foo.md",
    "a.md",
    "b.md",
    "x.md",
    "#x",
    "!b",
    "a ",
    " a",
    "*",
    "é.md",
    "-",
    "]",
    "[a",
    "ab.md",
)


def line(dice: random.Random) -> str:
    text = "/".join(dice.choice(ATOMS) for _ in range(dice.choice([1, 1, 1, 2, 2, 3])))
    for chance, change in (
        (0.2, "/{}"),
        (0.2, "{}/"),
        (0.25, "!{}"),
        (0.05, "{}  "),
        (0.03, "#{}"),
        (0.03, "{}\r"),
        (0.03, "{}\\ "),
    ):
        if dice.random() < chance:
            text = change.format(text)
    return text


def said(text: str, steps: list[str], *, folder: bool) -> bool | None:
    return opinion(parse_patterns(text), steps, folder=folder)


def ignored(rules: dict[str, str], path: str) -> bool:
    """Folder by folder, as git goes: what is in an ignored one is not looked at."""
    steps = path.split("/")
    for depth in range(1, len(steps) + 1):
        verdict = False
        for above in range(depth):
            text = rules.get("/".join(steps[:above]))
            if text is not None:
                here = said(text, steps[above:depth], folder=depth < len(steps))
                verdict = verdict if here is None else here
        if verdict:
            return True
    return False


@pytest.mark.parametrize("seed", range(50))
def test_git_says_the_same(tmp_path: Path, seed: int, dice: random.Random) -> None:
    assert shutil.which("git"), "git is needed to ask"
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    paths = set()
    for _ in range(20):
        folder = "/".join(dice.choice(FOLDERS) for _ in range(dice.choice([0, 1, 1, 2, 3])))
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        paths.add(f"{folder}/{dice.choice(NAMES)}".removeprefix("/"))
    rules = {}
    for folder in sorted({path.rpartition("/")[0] for path in paths} | {""}):
        if not folder or dice.random() < 0.3:
            rules[folder] = "".join(line(dice) + "\n" for _ in range(dice.choice([1, 2, 3, 4])))
            (tmp_path / folder / ".gitignore").write_bytes(rules[folder].encode())
    for path in paths:
        (tmp_path / path).touch()
    told = subprocess.run(
        [
            "git",
            "-C",
            str(tmp_path),
            "-c",
            "core.quotePath=false",
            "check-ignore",
            "--no-index",
            "--stdin",
            "-z",
        ],
        input="\0".join(sorted(paths)).encode() + b"\0",
        capture_output=True,
    ).stdout.decode()
    theirs = set(filter(None, told.split("\0")))
    if any(sign in text for sign in "?[" for text in rules.values()):
        # Git takes a letter beyond ASCII for two, and we for one: see the test below.
        paths = {path for path in paths if path.isascii()}
    assert {path for path in paths if ignored(rules, path)} == theirs & paths, rules


@pytest.mark.parametrize("text", ["", "   ", "# a", "!", "a\\", "[a", "x[[:no:]]"])
def test_lines_that_match_nothing(text: str) -> None:
    one = parse_pattern(text)
    assert one is None or opinion([one], ["a"], folder=True) is None


def test_a_character_is_a_character() -> None:
    """Where git counts bytes."""
    assert said("?.md\n", ["é.md"], folder=False)
    assert said("[é].md\n", ["é.md"], folder=False)


def test_stars_cost_no_time() -> None:
    """A pattern from somebody else's repository is bounded."""
    text = "*a" * 200 + "b\n" + "**/" * 200 + "b\n" + "[a-" * 200 + "\n"
    assert said(text, ["a" * 255] * 50, folder=False) is None


def test_the_last_word_counts() -> None:
    assert [said("*.md\n!a.md\n", [name], folder=False) for name in ("a.md", "b.md", "c.txt")] == [
        False,
        True,
        None,
    ]


def test_what_lies_below_a_folder_is_not_the_folder() -> None:
    assert said("a/**", ["a"], folder=True) is None
    assert said("a/**", ["a", "b"], folder=True) is True


def test_of_very_many_lines_few_are_compiled() -> None:
    """A file from somebody else's repository: compiling each line took ten seconds."""
    kinds = (
        "name{}",
        "!name{}",
        "folder{}/below",
        "*.end{}",
        "begin{}*",
        "/top{}",
        "any{}/*",
        "folder{}/",
    )
    text = "\n".join(kind.format(number) for number in range(1000) for kind in kinds)
    found = parse_patterns(text)
    assert len(found) == 8000
    for path, verdict in (
        ("a/name7", False),
        ("x.end8", True),
        ("folder9/below", True),
        ("any5/x", True),
        ("begin6.md", True),
        ("x", None),
    ):
        steps = path.split("/")
        assert sum(one.held in path for one in found) <= 2
        assert opinion(found, steps, folder=False) is verdict
