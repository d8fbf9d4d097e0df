"""A person edits today's note right after a line was noted, in four ways: what they left is what stands, to the byte.

Of an edit nothing is said; of a line that they took out once, and `review` offers it.  The clock is moved by dating
the line and the note back.  A few of each here; `scripts/bench storms --case edited` does sixty, half beside a daemon.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from aurelius.settings.places import vault_state
from aurelius.writing import append_journal

ROOT = Path(__file__).resolve().parents[2]
DAY = "memory/2026-02-10.md"
OTHER = "people/doc.md"
NOW = datetime.datetime(2026, 2, 10, 12)
LINE = b"- Dentist on Tusday at nine\n"
BEFORE = b"# Day\n\n- The first line\n"
Change = Callable[[bytes], bytes]


def typo(data: bytes) -> bytes:
    """One letter more."""
    return data.replace(b"Tusday", b"Tuesday")


def longer(data: bytes) -> bytes:
    """More behind it, and the slip mended."""
    return typo(data).replace(b"nine\n", b"nine, bring the card\n")


def struck(data: bytes) -> bytes:
    """Done with."""
    return data.replace(LINE, b"- ~~Dentist on Tusday at nine~~\n")


def deleted(data: bytes) -> bytes:
    """Taken out."""
    return data.replace(LINE, b"")


def moved(data: bytes) -> bytes:
    """To the top of the note."""
    return LINE + data.replace(LINE, b"")


CHANGES: dict[str, Change] = {
    "typo fixed": typo,
    "made longer": longer,
    "struck": struck,
    "deleted": deleted,
    "moved up": moved,
    "moved to another note": deleted,
    "note renamed": lambda data: data,
}
VIM = {
    "typo fixed": "%s/Tusday/Tuesday/",
    "made longer": "%s/Tusday at nine/Tuesday at nine, bring the card/",
    "struck": "%s/- \\(Dentist.*\\)/- \\~\\~\\1\\~\\~/",
    "deleted": "g/Tusday/d",
    "moved up": "g/Tusday/m0",
    "moved to another note": "g/Tusday/d",
}
SED = {
    "typo fixed": "s/Tusday/Tuesday/",
    "made longer": "s/Tusday at nine/Tuesday at nine, bring the card/",
    "struck": "s/- \\(Dentist.*\\)/- ~~\\1~~/",
    "deleted": "/Tusday/d",
    "moved to another note": "/Tusday/d",
}
WAYS = ("vim", "sed", "rename", "in place")
WAITS = (0.2, 1.0, 10.0, 25.0, 50.0)
SIXTY = 60


class Run(NamedTuple):
    """One person at one note: what they do to the line, with what, and how many seconds after it was noted."""

    change: str
    way: str
    after: float
    beside_daemon: bool = False


def runs() -> Iterator[Run]:
    """Sixty of them: every change in every way, soon and late, half of them beside a daemon."""
    names = [(change, way) for change in CHANGES for way in WAYS]
    for number in range(SIXTY):
        change, way = names[number % len(names)]
        yield Run(change, way, WAITS[number % len(WAITS)], number >= SIXTY // 2)


def save(note: Path, run: Run) -> None:
    """Save the note with the change made."""
    if run.way == "vim" and run.change in VIM:
        words = ["vim", "-u", "NONE", "-es", "-c", VIM[run.change], "-c", "wq", note.name]
        subprocess.run(
            words,
            cwd=note.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=30,
        )
    elif run.way == "sed" and run.change in SED:
        subprocess.run(["sed", "-i", SED[run.change], str(note)], check=True)
    elif run.way == "rename":
        note.with_suffix(".md~").write_bytes(CHANGES[run.change](note.read_bytes()))
        os.replace(note.with_suffix(".md~"), note)
    else:
        note.write_bytes(CHANGES[run.change](note.read_bytes()))


class Person:
    """A person with a vault; `command` is one command line of theirs."""

    def __init__(self, top: Path) -> None:
        self.root = top / "vault"
        for path, data in {DAY: BEFORE, OTHER: b"# Doc\n", ".aurelius/config.toml": b""}.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(data)
        home = top / "home"
        home.mkdir()
        self.env = {
            "HOME": str(home),
            "AURELIUS_INDEX": str(top / "index"),
            "PATH": os.environ.get("PATH", ""),
        }

    def command(self, *argv: str, given: str = "") -> tuple[str, str]:
        """What it puts and what it tells; `given` is what it reads."""
        out, err = io.StringIO(), io.StringIO()
        code = run_line(
            argv, Context(str(self.root), self.env, False, io.StringIO(given), out, err, NOW)
        )
        assert code == 0, err.getvalue()
        return out.getvalue(), err.getvalue()

    def date_back(self, seconds: float) -> None:
        """Let it be so much later than it is."""
        state = vault_state(str(self.root), self.env)
        lines = [
            each._replace(time=each.time - seconds) for each in append_journal.read_journal(state)
        ]
        append_journal.rewrite_lines(state, append_journal.JOURNAL, lines)
        then = time.time() - seconds
        os.utime(self.root / DAY, (then, then))

    def notes(self) -> dict[str, bytes]:
        """Every note as it is."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in self.root.rglob("*.md")
        }

    def offered(self) -> list[str]:
        """The lines that `review` would put back."""
        found = json.loads(self.command("review", "--all", "--json")[0])["matters"]
        return [each["fact"]["text"] for each in found if each["what"] == "vanished"]

    @contextmanager
    def daemon(self) -> Iterator[None]:
        """While a daemon runs."""
        words = [sys.executable, "-m", "aurelius", "daemon", "run", "--vault", str(self.root)]
        env = self.env | {"PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            words,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            time.sleep(2.0)  # it is about to watch
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


def edit_after_note(top: Path, run: Run) -> list[str]:
    """Note a line, edit the note, run two commands: everything that is not as it should be."""
    person = Person(top)
    if not run.beside_daemon:
        return _edit_after_note(person, run)
    with person.daemon():
        return _edit_after_note(person, run)


def _edit_after_note(person: Person, run: Run) -> list[str]:
    person.command("note", "Dentist on Tusday at nine")
    if run.after <= 1:
        time.sleep(run.after)
    else:
        person.date_back(run.after)
    note = person.root / DAY
    if run.change == "note renamed":
        note.rename(person.root / "people/dentist.md")
        person.command("note", "Another line")
    else:
        save(note, run)
    if run.change == "moved to another note":
        with (person.root / OTHER).open("ab") as file:
            file.write(LINE)
    left = person.notes()
    if run.beside_daemon:
        time.sleep(2.5)
    elif note.exists():  # the save is over by then
        os.utime(note, (time.time() - 0.5,) * 2)
    said = "".join(person.command("list")[1] for _ in range(2))
    wrong = [
        f"{path} is {data!r}" for path, data in person.notes().items() if left.get(path) != data
    ]
    wrong += [f"{path} is gone" for path in left.keys() - person.notes().keys()]
    wanted = ["Dentist on Tusday at nine"] if run.change == "deleted" else []
    if said.count("no longer there") != len(wanted):
        wrong.append(f"told: {said!r}")
    if person.offered() != wanted:
        wrong.append(f"offered: {person.offered()}")
    return wrong


def marked(change: str, way: str, after: float) -> Any:
    """A run, which needs its program."""
    is_lacking = way in {"vim", "sed"} and shutil.which(way) is None
    mark = pytest.mark.skipif(is_lacking, reason=f"{way} is not installed here")
    return pytest.param(
        Run(change, way, after), marks=mark, id=f"{change} by {way} after {after:.1f} s"
    )


SOON = [
    marked("typo fixed", way, after)
    for way, after in zip(WAYS, (50.0, 0.2, 10.0, 25.0), strict=True)
] + [
    marked(change, way, after)
    for change in CHANGES
    if change != "typo fixed"
    for way, after in (("vim", 10.0), ("in place", 0.2))
]
"""Some of each, for the suite."""


@pytest.mark.parametrize("run", SOON)
def test_what_a_person_left_is_what_stands(tmp_path: Path, run: Run) -> None:
    assert edit_after_note(tmp_path, run) == []


def test_what_a_person_left_beside_a_daemon_is_what_stands(tmp_path: Path) -> None:
    person = Person(tmp_path)
    with person.daemon():
        for change in ("typo fixed", "deleted"):
            assert _edit_after_note(person, Run(change, "rename", 10.0, True)) == []


def asked(command: str, **words: str) -> tuple[tuple[str, ...], str]:
    """A command of the memory tool."""
    return ("memory-tool",), json.dumps({"command": command, **words})


OURS = {
    "move": (("move", DAY, "people/foo.md"), ""),
    "archive": (("archive", DAY), ""),
    "undo": (("undo",), ""),
    "rename": asked("rename", old_path=f"/memories/{DAY}", new_path="/memories/people/foo.md"),
    "str_replace": asked(
        "str_replace", path=f"/memories/{DAY}", old_str="zebraX line", new_str="zebraX changed"
    ),
}


@pytest.mark.parametrize("what", OURS)
def test_a_line_that_a_command_moved_or_took_out_is_there_once_at_most_and_not_told(
    tmp_path: Path, what: str
) -> None:
    person = Person(tmp_path)
    person.command("note", "zebraX line")
    argv, given = OURS[what]
    person.command(*argv, given=given)
    person.command("note", "yakY line")
    person.date_back(5)
    assert "no longer there" not in person.command("list")[1] + person.command("list")[1]
    assert b"".join(person.notes().values()).count(b"zebraX") == (0 if what == "undo" else 1)
    assert person.offered() == []


def test_a_line_deleted_twice_stays_deleted_and_is_told_once(tmp_path: Path) -> None:
    person = Person(tmp_path)
    note = person.root / DAY
    person.command("note", "Dentist on Tusday at nine")
    said = ""
    for _ in range(2):
        note.write_bytes(deleted(note.read_bytes()))
        os.utime(note, (time.time() - 5,) * 2)
        said += person.command("list")[1] + person.command("search", "dentist")[1]
        assert note.read_bytes() == BEFORE
    assert said.count("no longer there") == 1


@pytest.mark.parametrize(
    "argv", [("search", "dentist"), ("show", DAY), ("list",), ("review",), ("context",)]
)
def test_a_command_that_reads_writes_no_note_whatever_is_gone(
    tmp_path: Path, argv: tuple[str, ...]
) -> None:
    person = Person(tmp_path)
    note = person.root / DAY
    person.command("note", "Dentist on Tusday at nine")
    note.write_bytes(BEFORE)
    os.utime(note, (time.time() - 5,) * 2)
    left, when = person.notes(), note.stat().st_mtime_ns
    person.command(*argv)
    assert (person.notes(), note.stat().st_mtime_ns) == (left, when)
