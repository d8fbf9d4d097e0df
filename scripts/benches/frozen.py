"""Answers frozen before a change of shape, and compared afterwards: the same hits, lines, order and
scores, or a list of what differs.

The questions are those of the committed cases, in the vaults they belong to, and some made out of
the words of any vaults; each is asked through the command line's own `run`, at one moment.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import os
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.cli.line import run_command_line
from aurelius.cli.run import Context

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parent.parent.parent / "tests"
NOW = datetime.datetime(2026, 2, 10, 12)  # noqa: DTZ001  # local, as the vaults are
MODES = ("keyword", "vector", "hybrid")
WORDS = 5
"""Words of a line that make a question."""
LIMIT = "20"
VOLATILE = {"took_ms", "index", "generation", "hint"}
"""Keys of an answer that may differ from run to run."""


class Asked(NamedTuple):
    """A command line that is asked in a vault; `name` says of which vault it is."""

    name: str
    vault: Path
    line: tuple[str, ...]


def write_vault(folder: Path, notes: dict[str, str]) -> Path:
    """A vault of these notes, by path."""
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        os.utime(
            file, (NOW.timestamp(), NOW.timestamp())
        )  # notes without a day take that of the file
    return folder


def questions(place: Path, others: list[Path], count: int) -> Iterator[Asked]:
    """Every question, with the vault it is asked in; `others` are folders of which `count`
    questions each are made."""
    sample = TESTS / "vaults" / "sample"
    for row in (TESTS / "retrieval" / "questions.jsonl").read_text("utf-8").splitlines():
        words = json.loads(row)["query"]
        for mode in MODES:
            yield Asked("sample", sample, ("search", "--mode", mode, words))
        yield Asked("sample", sample, ("recall", words))
        yield Asked("sample", sample, ("context", words))
    for name in ("recall", "weak"):
        cases = tomllib.loads((TESTS / "cases" / f"{name}.toml").read_text("utf-8"))
        vaults = {
            each["name"]: write_vault(place / name / each["name"], each["notes"])
            for each in cases["vault"]
        }
        for case in cases["case"]:
            for command in ("search", "recall", "context"):
                yield Asked(
                    f"{name}/{case['vault']}", vaults[case["vault"]], (command, case["question"])
                )
    yield from _case_vaults(place)
    for vault in others:
        yield from _made_questions(vault, count)


def _case_vaults(place: Path) -> Iterator[Asked]:
    """What `review`, `extract`, `show` and the like make of the vaults of cases, and prompts to
    vaults."""
    folder = TESTS / "cases" / "injection"
    for file in sorted(folder.glob("*.toml")):
        vault = folder / file.stem
        for case in (
            tomllib.loads(file.read_text("utf-8")).get("case", []) if vault.is_dir() else ()
        ):
            prompt = case.get("prompt") or next((each for each in case.get("prompts", [])), "")
            if prompt:
                yield Asked(f"injection/{file.stem}", vault, ("context", prompt))
    days = tomllib.loads((TESTS / "cases" / "days.toml").read_text("utf-8"))
    notes = {each["path"]: each["text"] for each in days["file"]}
    notes |= {f"memory/{each['date']}.md": each["text"] for each in days["day"]}
    vault = write_vault(place / "days", notes)
    lines = (
        ("review",),
        ("summarize", "--dry-run"),
        ("status", "--ageing"),
    )
    for line in lines:
        yield Asked("days", vault, line)
    pairs = tomllib.loads((TESTS / "cases" / "same_or_conflict.toml").read_text("utf-8"))["case"]
    for number, case in enumerate(pairs):
        lines = f"- {case['a']} ({case['a_date']})\n- {case['b']} ({case['b_date']})\n"
        pair = write_vault(
            place / "pairs" / str(number), {case["note"]: f"# Somebody\n\n## Facts\n{lines}"}
        )
        yield Asked(f"pair {number}", pair, ("review",))
        yield Asked(f"pair {number}", pair, ("show", case["note"], "--facts"))
    newer = tomllib.loads((TESTS / "cases" / "newer.toml").read_text("utf-8"))
    for case in newer["hold"]:
        lines = f"- {case['a']} ({case['a_date']})\n- {case['b']} ({case['b_date']})\n"
        text = f"# {case['title']}\n\n## Facts\n{lines}"
        vault = write_vault(place / "hold" / case["id"], {case["page"]: text})
        yield Asked(f"hold {case['id']}", vault, ("show", case["page"], "--facts"))
        yield Asked(f"hold {case['id']}", vault, ("search", case["a"]))


def _made_questions(vault: Path, count: int) -> Iterator[Asked]:
    """Questions of some words of a line each, always the same for the same notes; and what its
    facts come to."""
    lines: dict[str, str] = {}
    for file in sorted(vault.rglob("*.md")):
        for line in file.read_text("utf-8", errors="replace").splitlines():
            words = [word for word in line.split() if word.isalpha() and len(word) > 3]
            if len(words) >= WORDS:
                text = " ".join(words[:WORDS])
                lines[hashlib.sha256(text.encode()).hexdigest()] = text
    for _, text in sorted(lines.items())[:count]:
        for command in ("search", "recall", "context"):
            yield Asked(vault.name, vault, (command, text))
    yield Asked(vault.name, vault, ("review",))


def ask(asked: Asked, home: Path) -> object:
    """What a command answers, without what differs from run to run."""
    out = io.StringIO()
    err = io.StringIO()
    env = {
        "HOME": str(home),
        "AURELIUS_INDEX": str(
            home / "index" / hashlib.sha256(str(asked.vault).encode()).hexdigest()[:12]
        ),
        "AURELIUS_NO_DAEMON": "1",
        "TZ": "UTC",
        "PATH": "",
    }
    command, *rest = asked.line
    limit = ["-n", LIMIT] if command == "search" else []
    line = [command, "--json", *limit, *rest]
    code = run_command_line(
        line, Context(str(asked.vault), env, False, io.StringIO(), out, err, NOW)
    )
    try:
        return _lasting(json.loads(out.getvalue()))
    except ValueError:
        return [
            code,
            out.getvalue().replace(str(asked.vault), "VAULT"),
            err.getvalue().replace(str(asked.vault), "V"),
        ]


def _lasting(value: Any) -> Any:
    """An answer without what differs from run to run."""
    if isinstance(value, dict):
        return {key: _lasting(each) for key, each in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_lasting(each) for each in value]
    return value


def freeze(vaults: list[Path], count: int) -> dict[str, object]:
    """Every question with its answer."""
    answers: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as top:
        place = Path(top) / "cases"
        copies = [Path(shutil.copytree(each, Path(top) / "vaults" / each.name)) for each in vaults]
        sample = Path(shutil.copytree(TESTS / "vaults" / "sample", Path(top) / "sample"))
        for asked in questions(place, copies, count):
            if asked.name == "sample":
                there = asked._replace(vault=sample)
            elif asked.name.startswith("injection/"):
                copy = Path(top) / asked.name
                if not copy.exists():
                    shutil.copytree(asked.vault, copy)
                there = asked._replace(vault=copy)
            else:
                there = asked
            (there.vault / ".aurelius").mkdir(exist_ok=True)
            answers[" ".join((asked.name, *asked.line))] = ask(there, Path(top) / "home")
    return answers


def compare(before: dict[str, object], now: dict[str, object]) -> list[tuple[str, str]]:
    """The questions whose answers differ, and how."""
    return [
        (key, _difference(before.get(key), now.get(key)))
        for key in before | now
        if before.get(key) != now.get(key)
    ]


def _difference(before: Any, now: Any, where: str = "") -> str:
    """The first place where two answers differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before | now:
            if before.get(key) != now.get(key):
                return _difference(before.get(key), now.get(key), f"{where}.{key}")
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            if pair[0] != pair[1]:
                return _difference(*pair, f"{where}[{number}]")
    return f"{where}: {str(before)[:150]} → {str(now)[:150]}"


def measure(
    vaults: list[Path], count: int, save: Path | None, against: Path | None
) -> list[tuple[str, str]]:
    """Freeze the answers of now: saved, and compared with those of before."""
    now = freeze(vaults, count)
    if save:
        save.write_text(json.dumps(now, ensure_ascii=False, sort_keys=True), "utf-8")
    before = json.loads(against.read_text("utf-8")) if against else now
    return [("questions", str(len(now))), *compare(before, now)]
