"""How the seconds of each command grow with the vault: the same commands on vaults of 1, 10 and 100
times the size.

A vault of size k has k times as many notes, of people, of projects and of days, and four notes that
are k times as long: one of facts, one of a day, and two of prose. Its notes are those of a folder,
where one is named, else made here. Each command is a process of its own with an index that is
there, and what is shown is its CPU time.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES = (1, 10, 100)
NOTES = 90
"""Notes of the smallest vault, beside a ninth as many days."""
FACTS = 100
"""Facts of the longest note of the smallest vault."""
MOST_SECONDS = 400.0
"""A command that takes longer is ended."""
CHANGED = 0.2
"""The share of longer words that differ in the copy of a note."""
_LONG = re.compile(r"[a-z]{5,}")
SHOWN = 0.5
"""Seconds from which on a growth is shown: below, it is that of starting."""
TODAY = "2026-02-10"
PROMPT = {
    "session_id": "s",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "who runs the harbour project of Joe",
}
COMMANDS = """
index
index
search harbour lantern
search what does person 7 do on mondays
search "person 7"
recall what does person 7 do on mondays
context
context what does person 7 do on mondays
hook prompt
get areas/log.md:20:5
show areas/log
show areas/log --facts
show people/person-7
show people/persn-7x
list
list --type fact
today
days
tasks
links people/person-7
links areas/log
tags
history areas/log
graph people/person-7
tiers
maintain
maintain --all
status
note Met person 7 at the harbour
add people/person-7 Plays the cello on Sundays
add areas/log Person 7 prefers the harbour on Mondays
add areas/log Person 7 works at company 12 as a clerk
update ^fact01 Person 7 likes the quiet harbour
supersede ^fact01 Person 7 likes the loud harbour
reinforce ^fact02
new person "Walter Nemo"
move people/person-7 people/person-seven
move areas/log areas/logbook --dry-run
archive ^fact02
rm people/person-8 --dry-run
archive --when-over 1KB --dry-run
undo --list
undo
review
review --limit 1000
extract --dry-run
summarize --dry-run
summarize --new --yes --dry-run
tidy --dry-run
tidy --stamp --dry-run
tidy --stamp
tidy --check
doctor
doctor --verify
export --json
export --md
agents
forget resources/prose-1.md
rename
rename and edit
"""
Tables = list[tuple[str, list[tuple[str, ...]]]]


class Words:
    """Words, names and lines, as many as are asked for; few words are often said and many seldom,
    as in a language."""

    def __init__(self, seed: int, notes: Sequence[str]) -> None:
        self.dice = random.Random(seed)
        parts = (
            "ba",
            "lo",
            "mi",
            "ter",
            "ran",
            "sel",
            "ku",
            "vo",
            "den",
            "ash",
            "pin",
            "gor",
            "el",
            "wim",
            "tra",
        )
        self.words = [
            "".join(self.dice.choices(parts, k=self.dice.randint(1, 4))) for _ in range(4000)
        ]
        self.words += ["harbour", "lantern", "orchard"]
        self.weights = [1 / (at + 8) for at in range(len(self.words))]
        self.notes = notes

    def line(self, least: int = 6, most: int = 16) -> str:
        """A line of words."""
        words = self.dice.choices(self.words, self.weights, k=self.dice.randint(least, most))
        return " ".join(words).capitalize()

    def day(self) -> str:
        """An ISO day of the last two years."""
        return (
            f"{self.dice.choice((2024, 2025))}-{self.dice.randint(1, 12):02}-"
            f"{self.dice.randint(1, 28):02}"
        )

    def fact(self, people: int) -> str:
        """What somebody says of a person: a thing that changes, or one that holds beside others."""
        person = f"Person {self.dice.randrange(people)}"
        said = self.dice.choice(
            (
                f"lives in {self.dice.choice(self.words).title()}",
                f"works at company {self.dice.randrange(people)} as {self.dice.choice(self.words)}",
                f"likes {self.line(1, 3).lower()}",
                f"paid {self.dice.randrange(10, 900)} euros for {self.line(2, 5).lower()}",
                (
                    f"is the {self.dice.choice(self.words)} of"
                    f" [[people/person-{self.dice.randrange(people)}]]"
                ),
                self.line(5, 12).lower(),
            )
        )
        return f"{person} {said}"

    def prose(self, at: int, paragraphs: int = 6) -> str:
        """A note's text: one of the folder, else of words under headings."""
        if self.notes:
            return (
                self.other(self.notes[at % len(self.notes)])
                if at >= len(self.notes)
                else self.notes[at]
            )
        parts = [f"# Note {at}"]
        for number in range(paragraphs):
            if number % 3 == 2:
                parts.append(f"## {self.line(2, 4)}")
            parts.append(". ".join(self.line() for _ in range(self.dice.randint(2, 6))) + ".")
        return "\n\n".join(parts) + "\n"

    def other(self, text: str) -> str:
        """A text with a fifth of its longer words changed, so that the copy of a note is a note of
        its own."""
        return _LONG.sub(
            lambda word: self.dice.choice(self.words) if self.dice.random() < CHANGED else word[0],
            text,
        )


def make_vault(root: Path, size: int, notes: Sequence[str], seed: int = 5) -> None:
    """A vault of this size."""
    words = Words(seed, notes)
    people = max(10, NOTES * size // 3)
    for at in range(people):
        facts = "".join(f"- {words.fact(people)} ({words.day()})\n" for _ in range(6))
        links = "".join(
            f"- [[people/person-{words.dice.randrange(people)}]] - friend\n" for _ in range(3)
        )
        text = (
            f"---\ntype: person\naliases: [P{at}]\n---\n# Person {at}\n\n## Facts\n{facts}\n##"
            f" Relationships\n{links}"
        )
        write_note(root / f"people/person-{at}.md", text)
    for at in range(NOTES * size - people):
        links = (
            f"\nSee [[people/person-{words.dice.randrange(people)}]] and"
            f" [[note-{words.dice.randrange(people)}]].\n"
        )
        task = f"\n- [ ] {words.line(3, 6)}\n" if at % 5 == 0 else ""
        folder = ("resources", "projects", "areas")[at % 3]
        write_note(root / f"{folder}/sub-{at % 40}/note-{at}.md", words.prose(at) + links + task)
    for at in range(NOTES * size // 9):
        lines = "".join(f"- {words.fact(people)}\n" for _ in range(6))
        day = f"{2025 - at // 336}-{at // 28 % 12 + 1:02}-{at % 28 + 1:02}"
        write_note(root / f"memory/{day}.md", f"# {day}\n\n{lines}")
    _write_long(root, size, words, people)


def _write_long(root: Path, size: int, words: Words, people: int) -> None:
    """The notes that are long in a large vault."""
    facts = [f"- {words.fact(people)} ({words.day()})" for _ in range(FACTS * size)]
    facts[1:3] = [f"- Person {at} likes the harbour ({TODAY}) ^fact0{at}" for at in (1, 2)]
    write_note(root / "areas/log.md", "# Log\n\n## Facts\n" + "\n".join(facts) + "\n")
    lines = [f"- {words.fact(people)}" for _ in range(FACTS * size // 2)]
    write_note(root / f"memory/{TODAY}.md", f"# {TODAY}\n\n" + "\n".join(lines) + "\n")
    for number in (1, 2):
        parts = [
            f"## Part {at}\n\n{words.line(20, 60)}.\n\n- {words.fact(people)} ({words.day()})"
            for at in range(12 * size)
        ]
        write_note(
            root / f"resources/prose-{number}.md",
            f"# Prose {number}\n\n" + "\n\n".join(parts) + "\n",
        )


def write_note(file: Path, text: str) -> None:
    """Write a note, and make the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def texts(folder: Path | None) -> list[str]:
    """The notes of a folder, in an order that is no folder's."""
    if folder is None:
        return []
    files = sorted(file for file in folder.rglob("*.md") if file.is_file())
    random.Random(1).shuffle(files)
    return [file.read_text("utf-8", "replace") for file in files]


class Place(NamedTuple):
    """A vault and an environment that knows nothing of the person."""

    vault: Path
    env: dict[str, str]

    def run(self, words: Sequence[str]) -> tuple[float, str]:
        """The CPU seconds of a command, and what went wrong, "" for nothing."""
        command = [str(Path(sys.executable).parent / "aurelius"), *words]
        asked = json.dumps(PROMPT | {"cwd": str(self.vault)}) if words[0] == "hook" else ""
        began = _children()
        try:
            done = subprocess.run(
                command,
                env=self.env,
                cwd=self.vault,
                input=asked,
                capture_output=True,
                text=True,
                check=False,
                timeout=MOST_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return _children() - began, "too long"
        wrong = done.returncode not in {0, 1, 5}
        return (
            _children() - began,
            f"exit code {done.returncode}: {done.stderr[-200:]}" if wrong else "",
        )

    def rename(self, *, edited: bool) -> None:
        """Rename a folder by hand, and add a line to its notes."""
        old, new = (
            ("resources", "sources")
            if (self.vault / "resources").is_dir()
            else ("sources", "resources")
        )
        (self.vault / old).rename(self.vault / new)
        for file in (self.vault / new).rglob("*.md") if edited else ():
            with file.open("a", encoding="utf-8") as opened:
                opened.write("\nOne more line.\n")


def _children() -> float:
    """The CPU seconds of all children that ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(
    size: int, notes: Sequence[str], commands: Sequence[str]
) -> Iterator[tuple[float, str]]:
    """The CPU seconds of each command on a vault of this size."""
    with tempfile.TemporaryDirectory(prefix="growth-") as top:
        vault = Path(top, "vault")
        make_vault(vault, size, notes)
        env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        place = Place(
            vault, env | {"HOME": top, "AURELIUS_VAULT": str(vault), "PYTHONDONTWRITEBYTECODE": "1"}
        )
        place.run(["init", "--adopt", str(vault)])
        if commands[0] != "index":
            place.run(["index"])
            time.sleep(2.1)
        for command in commands:
            if sys.stderr.isatty():
                print(f"\r{size}: {command}".ljust(70), end="\r", file=sys.stderr, flush=True)
            if command.startswith("rename"):
                place.rename(edited="edit" in command)
                yield place.run(["search", "harbour"])
            else:
                yield place.run(shlex.split(command))
            if command == "index":
                time.sleep(2.1)


def measure(folder: Path | None, only: str, most: int) -> Tables:
    """The table: each command, its seconds on the vaults of each size, and how they grow from each
    to the next."""
    commands = [line for line in COMMANDS.strip().splitlines() if only in line]
    notes = texts(folder)
    sizes = [size for size in SIZES if size <= most]
    found = [list(seconds(size, notes, commands)) for size in sizes]
    heads = (
        "command",
        *(f"× {size}" for size in sizes),
        *(f"growth to × {size}" for size in sizes[1:]),
        "",
    )
    rows: list[tuple[str, ...]] = [heads]
    for at, command in enumerate(commands):
        times = [each[at][0] for each in found]
        growths = [_growth(one, other) for one, other in pairwise(times)]
        wrong = "; ".join(each[at][1] for each in found if each[at][1])
        rows.append(
            (command, *(f"{each:.2f}" for each in times), *growths, wrong.replace("\n", " "))
        )
    return [(f"CPU seconds on vaults of {', '.join(map(str, sizes))} times {NOTES} notes", rows)]


def _growth(one: float, other: float) -> str:
    """The exponent with which the time grows when the vault is ten times as large; "" where it
    hardly counts."""
    return f"{math.log10(other / one):.2f}" if other >= SHOWN else ""
