"""Every command that writes, over and over, each time with something fresh; and the ledger of what it acknowledged.

What an acknowledged change put into a note is a line that stood nowhere before: in the end it stands in a note or
a conflict copy, or a later change took it out again, or the person is told that it is gone.
"""

from __future__ import annotations

import datetime
import io
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from aurelius.settings.config import load_config
from aurelius.writing import append, edit
from aurelius.writing.check_edit import Applied, Edit, Place
from aurelius.writing.other_programs import MOST_TOLD_LINES
from indexer.errors import AureliusError

NOTE, DAY, LOG = "people/joe.md", "memory/2026-02-10.md", ".aurelius/log"
NOW = datetime.datetime(2026, 2, 10, 12)
COMMANDS = (
    "new",
    "note",
    "add",
    "update",
    "supersede",
    "archive",
    "rm",
    "move",
    "move another",
    "doctor --tidy",
    "review",
    "reinforce",
    "demote",
    "summarize",
    "undo",
)
"""The commands that write, by name; `move another` moves a note that the saved one links to."""
CONFLICT = 6
"""The exit code of a change that was told not to be written."""


def target(command: str) -> str:
    """The note that a program saves while the command runs."""
    return DAY if command in {"note", "review"} else NOTE


def make_vault(top: Path, command: str, size: int) -> dict[str, str]:
    """A vault in which the command can be run so many times, each time on something fresh; its environment."""
    root = top / "vault"
    for folder in ("people", "areas", "memory", ".aurelius"):
        (root / folder).mkdir(parents=True)
    (top / "home").mkdir()
    facts, captured = ["- Keeps old maps (2026-01-02) ^maps02"], []
    for number in range(1, size + 1):
        if command == "review":
            captured.append(f"- Drew map {number} of the sea ^map{number:03}")
        elif command == "move another":
            (root / f"people/friend{number}.md").write_text(f"# Friend {number}\n")
            facts.append(f"- Knows [[people/friend{number}]] well (2026-01-01) ^map{number:03}")
        elif command not in {"apply", "new", "note", "add", "move", "doctor --tidy"}:
            facts.append(f"- Drew map {number} of the sea (2026-01-01) ^map{number:03}")
    sections = ["# Joe", "## Summary", "## History", "## Facts", *facts]
    (root / NOTE).write_text("\n\n".join(sections).replace("\n\n- ", "\n- ") + "\n")
    (root / DAY).write_text(
        "\n\n".join(["# Day", "## Captured", "\n".join(captured), "## Notes", "- The first line\n"])
    )
    return {
        "HOME": str(top / "home"),
        "AURELIUS_INDEX": str(top / "index"),
        "PATH": os.environ.get("PATH", ""),
    }


class Change(NamedTuple):
    """An acknowledged change: which bytes of which notes were replaced by which."""

    edits: tuple[Edit, ...]

    def brought(self) -> set[bytes]:
        """The lines that stood in none of its notes before, as many of each note as are watched."""
        before = _lines(each.before for each in self.edits)
        new = [
            [line for line in (each.after or b"").splitlines() if line.strip() not in before]
            for each in self.edits
        ]
        return _lines(
            line for lines in new for line in list(filter(bytes.strip, lines))[:MOST_TOLD_LINES]
        )

    def took(self) -> set[bytes]:
        """The lines that stand in none of its notes afterwards."""
        return _lines(each.before for each in self.edits) - _lines(
            each.after for each in self.edits
        )


class Rounds:
    """One command on one vault, round after round; `runs` counts them, `ours` is what was acknowledged."""

    def __init__(self, root: Path, env: dict[str, str], command: str) -> None:
        self.root = root
        self.env = env
        self.command = command
        self.runs = 0
        self.ours: list[Change] = []
        self.marks: list[str] = []
        """What has to stand in the vault or to be told, where no bytes of a note are replaced."""
        self._fresh = 1
        self._away = ""

    def place(self) -> Place:
        """Where is written; the first change gives a vault a name, and so another state folder."""
        return edit.place_of_config(load_config(str(self.root), self.env), self.env)

    @property
    def made(self) -> int:
        """How many changes were acknowledged."""
        return len(self.ours) + len(self.marks)

    def run(self) -> bool:
        """One more round; whether it made a change that was acknowledged."""
        self.runs += 1
        before = self.made
        with self._recorded():
            (self._apply if self.command == "apply" else self._command)()
        return self.made > before

    def _apply(self) -> None:
        before = edit.read_note(self.place(), NOTE) or b""
        try:
            edit.apply_edits(
                self.place(), [Edit(NOTE, before, before + b"- ours%d\n" % self.runs)], "a line"
            )
        except AureliusError:
            return

    def _command(self) -> None:
        word, key = f"ours{self.runs}", f"map{self._fresh:03}"
        words: dict[str, Callable[[], Sequence[str]]] = {
            "new": lambda: ("new", "person", word),
            "note": lambda: ("note", f"Saw {word} boats"),
            "add": lambda: ("add", NOTE, f"Owns {word} boats"),
            "update": lambda: ("update", key, f"Drew map {word} of the sea"),
            "supersede": lambda: ("supersede", key, f"Keeps {word} maps"),
            "archive": lambda: ("archive", key),
            "rm": lambda: ("rm", key, "--yes"),
            "move": self._there_and_back,
            "move another": lambda: ("move", f"people/friend{self._fresh}.md", "areas"),
            "doctor --tidy": lambda: ("doctor", "--tidy", "--stamp"),
            "review": lambda: ("review", "accept", f"keep:{key}"),
            "reinforce": lambda: ("reinforce", key),
            "demote": lambda: ("demote", key),
            "summarize": lambda: ("summarize", NOTE),
            "undo": lambda: ("undo",) if self._away else ("archive", key),
        }
        if self.command == "summarize":
            self._line("reinforce", key)  # which brings that fact into the summary
        argv = words[self.command]()
        done = self._line(*argv)
        self._fresh += done != CONFLICT and argv != ("undo",)
        if self.command == "undo":
            self._away = "" if done or self._away else key
        if done:
            return
        if self.command == "move":
            self._away = "" if self._away else argv[2]
        elif self.command == "note":
            self.marks.append(argv[1])
        elif self.command in {"reinforce", "demote"}:
            self.marks.append(f'"op":"{self.command}","ref":"{key}"')

    def _line(self, *argv: str) -> int:
        """One command line; its exit code."""
        out, err = io.StringIO(), io.StringIO()
        return run_line(
            argv, Context(str(self.root), self.env, False, io.StringIO(), out, err, NOW)
        )

    def _there_and_back(self) -> Sequence[str]:
        """The note to a path that none had, and from there back, unless a program made it anew meanwhile."""
        if self._away and not (self.root / NOTE).exists():
            return "move", self._away, NOTE
        self._away = ""
        return "move", NOTE, f"areas/joe{self.runs}.md"

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        """Keep every change of notes that was acknowledged."""
        real = edit.apply_edits

        def apply(place: Place, edits: Sequence[Edit], why: str, *, undoes: int = 0) -> Applied:
            done = real(place, edits, why, undoes=undoes)
            if done.number:
                self.ours.append(Change(tuple(edits)))
            return done

        with mock.patch.object(edit, "apply_edits", apply):
            yield

    # -- in the end ------------------------------------------------------------------------------------

    def lost(self, theirs: Sequence[str]) -> tuple[str, ...]:
        """What of their saves and of the acknowledged changes is nowhere, when everybody is done."""
        place = self.place()
        for _ in range(3):  # what is gone is told, what was written elsewhere is looked at
            append.look_for_lost_lines(place, time.time() + 3.0)
        told = _lines(each.data for each in append.lost_lines(place, private=True))
        there = _lines(path.read_bytes() for path in self.root.rglob("*.md"))
        text = b"\n".join(there | told)
        found = [
            f"theirs: {word}" for word in theirs if not any(_says(line, word) for line in there)
        ]
        for number, change in enumerate(self.ours):
            later: set[bytes] = set().union(*(each.took() for each in self.ours[number + 1 :]))
            found += [
                f"ours: {line.decode()}"
                for line in sorted(change.brought() - later)
                if line not in text
            ]
        text += b"".join(path.read_bytes() for path in (self.root / LOG).rglob("*.jsonl"))
        return (*found, *(f"ours: {mark}" for mark in self.marks if mark.encode() not in text))


def _says(line: bytes, word: str) -> bool:
    """Whether a line is that save of theirs, whatever was put at its end since."""
    return re.match(rb"- %s\b" % word.encode(), line) is not None


def _lines(texts: Iterator[bytes | None] | Sequence[bytes]) -> set[bytes]:
    return {line.strip() for text in texts for line in (text or b"").splitlines() if line.strip()}
