"""What hostile inputs do at the four doors: answered each, without a traceback, a lost byte or a private word.

Nothing may be changed beside the vault, nor in it what is no note that an agent may see.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from aurelius.__main__ import run_line
from aurelius.agents.deadline import READING_EVENTS
from aurelius.cli.run import Context
from aurelius.writing import undo_log
from tests.storms.hostile import NOTES, Input, drawn

ROOT = Path(__file__).resolve().parents[2]
CANARY = "quokkaparsnip"
"""A word of the private note, of the ignored one and of the file outside: no answer may hold it."""
FOR_EVER = 1 << 60
SERVER = f"""
from aurelius.__main__ import main
from aurelius.writing import undo_log
undo_log.MOST_UNDO_ENTRIES = undo_log.MOST_UNDO_BYTES = {FOR_EVER}
main()
"""
"""The program in a process of its own, in which `all_is_kept`."""
NEVER = ("Traceback (most recent call last)", "bug in Aurelius")


@contextmanager
def all_is_kept() -> Iterator[None]:
    """Let undo keep every change, and not only the latest 200: what an accepted edit takes out of a note stands there
    then, however many follow, and a line that stands nowhere was lost."""
    before = undo_log.MOST_UNDO_ENTRIES, undo_log.MOST_UNDO_BYTES
    undo_log.MOST_UNDO_ENTRIES = undo_log.MOST_UNDO_BYTES = FOR_EVER
    try:
        yield
    finally:
        undo_log.MOST_UNDO_ENTRIES, undo_log.MOST_UNDO_BYTES = before


class Storm(NamedTuple):
    """What came of it: what was wrong, and how much was asked at each door."""

    wrong: list[str]
    asked: dict[str, int]


class Place:
    """A vault with notes to lose, what an agent may not see in it, and a folder beside it."""

    def __init__(self, top: Path) -> None:
        self.top, self.root, self.beside = top, top / "vault", top / "beside"
        self.env = {
            "HOME": str(top / "home"),
            "PATH": os.environ.get("PATH", ""),
            "AURELIUS_INDEX": str(top / "index"),
            "AURELIUS_NO_DAEMON": "1",
            "AURELIUS_NOW": "2026-02-10T12:00",
            "TMPDIR": str(top / "temporary"),
        }
        for folder in ("home", "temporary", "vault/.aurelius", "vault/.git/hooks"):
            (top / folder).mkdir(parents=True)
        self.put("beside/letter.md", f"# Letter\n\n{CANARY} outside\n")
        self.lines: list[bytes] = []
        for number in range(NOTES):
            self.note(
                f"people/n{number}.md",
                f"# Note {number}\n\n## Facts\n\n- Likes tea (2026-01-01) ^fact{number:02}",
            )
        for path in (
            "ME.md",
            "MEMORY.md",
            "AGENTS.md",
            "agents/other/notes.md",
            "memory/2026-02-10.md",
        ):
            self.note(path, f"# {path}")
        self.note(
            "secret/diary.md",
            f"---\nprivate: true\n---\n# Diary\n\n## Facts\n\n- {CANARY} (2026-01-01) ^quiet1",
        )
        self.note("hidden/plan.md", f"# Plan\n\n{CANARY} hidden")
        self.put("vault/.aureliusignore", "hidden/\n")
        self.put("vault/.git/config", "[core]\n")
        (self.root / "way-out").symlink_to(self.beside)
        (self.root / "letter.md").symlink_to(self.beside / "letter.md")
        (self.root / "loop").symlink_to(self.root)
        self.kept = self.unwritable()

    def put(self, path: str, text: str) -> None:
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_bytes(text.encode())

    def note(self, path: str, text: str) -> None:
        """A note with lines that stand nowhere else."""
        marks = [f"mark of {path} number {at}" for at in range(3)]
        self.lines += [mark.encode() for mark in marks]
        self.put(f"vault/{path}", "\n".join([text, "", *marks, ""]))

    def unwritable(self) -> dict[str, bytes | str]:
        """Everything that no door may change: what is beside the vault, and in it whatever is no visible note."""
        found: dict[str, bytes | str] = {}
        for folder, folders, names in os.walk(self.top):
            here = os.path.relpath(folder, self.top)
            if here == ".":
                folders[:] = [name for name in folders if name in {"vault", "beside"}]
            for name in (*folders, *names):
                path = os.path.join(folder, name)
                told = os.path.normpath(os.path.join(here, name))
                if os.path.islink(path):
                    found[told] = os.readlink(path)
                elif os.path.isfile(path) and (
                    not name.lower().endswith(".md") or told.split(os.sep)[0] == "beside"
                ):
                    found[told] = Path(path).read_bytes()
        for told in ("vault/secret/diary.md", "vault/hidden/plan.md"):
            found[told] = (self.top / told).read_bytes() if (self.top / told).exists() else "gone"
        return {
            path: held
            for path, held in found.items()
            if not path.startswith(os.path.join("vault", ".aurelius"))
        }

    def lost(self) -> list[str]:
        """The lines that stood in notes before and stand nowhere now: not in the vault, nor in what undo keeps."""
        held = b"\n".join(
            path.read_bytes()
            for folder in (self.root, self.top / "home")
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        )
        return [line.decode() for line in self.lines if line not in held]

    def context(self, data: bytes) -> Context:
        return Context(
            str(self.root),
            self.env,
            False,
            io.TextIOWrapper(io.BytesIO(data)),
            io.StringIO(),
            io.StringIO(),
        )


def storm(top: Path, seed: int, count: int) -> Storm:
    """Say everything at its door, and judge."""
    place = Place(top)
    inputs = list(drawn(seed, count))
    wrong: list[str] = []
    for door, judged in DOORS.items():
        mine = [each for each in inputs if each.door == door]
        with all_is_kept():
            wrong += [f"{door}: {line}" for line in judged(place, mine)]
        wrong += [f"{door}: lost: {line}" for line in place.lost()]
        now = place.unwritable()
        wrong += [
            f"{door}: changed: {path}"
            for path in sorted(now.keys() | place.kept.keys())
            if now.get(path) != place.kept.get(path)
        ]
    return Storm(wrong, {door: sum(each.door == door for each in inputs) for door in DOORS})


def _told(what: str, out: str, err: str) -> list[str]:
    """What no stream may hold."""
    found = [f"{what}: {mark}" for mark in NEVER for text in (out, err) if mark in text]
    return found + [
        f"{what}: a private word in {text[:200]!r}" for text in (out, err) if CANARY in text
    ]


def _lines_at(name: str, *words: str) -> Callable[[Place, list[Input]], list[str]]:
    """A door that answers each line by one."""

    def judged(place: Place, inputs: list[Input]) -> list[str]:
        context = place.context(b"".join(each.data + b"\n" for each in inputs))
        code = run_line([name, *words], context)
        out, err = context.out.getvalue(), context.err.getvalue()  # type: ignore[attr-defined]  # StringIO
        answers = out.split("\n")[:-1]
        wrong = [] if code in {0, 1} else [f"it ended with {code}: {err[-300:]}"]
        if len(answers) != len(inputs):
            wrong.append(f"{len(inputs)} lines have {len(answers)} answers")
        for each, answer in zip(inputs, answers, strict=False):
            wrong += _told(repr(each.data[:300]), answer, "")
            if not isinstance(json.loads(answer), dict):
                wrong.append(f"{each.data[:300]!r}: the answer is no object: {answer[:200]}")
        return wrong + _told("stderr", "", err)

    return judged


def _hooks(place: Place, inputs: list[Input]) -> list[str]:
    wrong = []
    for each in inputs:
        context = place.context(each.data)
        code = run_line(["hook", each.event], context)
        out, err = context.out.getvalue(), context.err.getvalue()  # type: ignore[attr-defined]  # StringIO
        what = f"{each.event} {each.data[:300]!r}"
        if (code, err) != (0, ""):
            wrong.append(f"{what}: {code} {err[-300:]}")
        if out and (each.event not in READING_EVENTS or not isinstance(json.loads(out), dict)):
            wrong.append(f"{what}: answered {out[:200]}")
        wrong += _told(what, out, err)
    return wrong


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "storm", "version": "1"},
}
FIRST = 10**9
"""The numbers of our own pings begin here: after each input one, which shows that the protocol is in step."""


def _mcp(place: Place, inputs: list[Input]) -> list[str]:
    begin = [
        {"jsonrpc": "2.0", "id": FIRST - 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    lines = [json.dumps(each).encode() for each in begin]
    for at, each in enumerate(inputs):
        lines += [
            each.data,
            json.dumps({"jsonrpc": "2.0", "id": FIRST + at, "method": "ping"}).encode(),
        ]
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, "mcp"],
        cwd=place.root,
        env={**place.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        said: list[bytes] = []
        assert process.stderr is not None
        hears = threading.Thread(target=lambda: said.extend(process.stderr or []))
        hears.start()
        out = _talk(process, lines)
        hears.join()
    err = b"".join(said).decode("utf-8", "replace")
    wrong = [] if process.returncode == 0 else [f"it ended with {process.returncode}: {err[-500:]}"]
    asked = {each.number: each.data for each in inputs}
    answers: dict[Any, int] = {}
    for line in out:
        number = json.loads(line).get("id")
        answers[number] = answers.get(number, 0) + 1
        wrong += _told(f"{asked.get(number, b'')[:300]!r}", line.decode(), "")
    for at, each in enumerate(inputs):
        if answers.get(FIRST + at) != 1:
            wrong.append(f"out of step after {each.data[:300]!r}")
        if each.number and answers.get(each.number) is None:
            wrong.append(f"not answered: {each.data[:300]!r}")
    return wrong + _told("stderr", "", err)


def _talk(process: subprocess.Popen[bytes], lines: list[bytes]) -> list[bytes]:
    """Everything that a server answers to these lines, which another thread says."""
    assert process.stdin is not None
    assert process.stdout is not None
    into = process.stdin

    def say() -> None:
        try:
            for line in lines:
                into.write(line + b"\n")
            into.close()
        except BrokenPipeError:  # it ended: what is missing tells
            pass

    says = threading.Thread(target=say)
    says.start()
    out = list(process.stdout)
    says.join()
    process.wait()
    return out


DOORS: dict[str, Callable[[Place, list[Input]], list[str]]] = {
    "mcp": _mcp,
    "memory-tool": _lines_at("memory-tool"),
    "tool": _lines_at("tool", "-"),
    "hook": _hooks,
}
