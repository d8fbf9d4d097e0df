"""What an import costs: a large export is made, brought in as a person would, and once more.

The export is a zip of ChatGPT conversations in one file and of files that are no text; the peak of
memory is that of the process of the command.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    Tables = list[tuple[str, list[tuple[str, ...]]]]

MESSAGES = 16
ASSET_BYTES = 64 << 20
WORDS = (
    "the a of to and garden invoice server train water Rome review budget plan meeting python tea"
    " Joe Sarah week question answer because after list code file table night project"
).split()
HEADS = ("import", "seconds", "peak MB", "notes")


class Ran(NamedTuple):
    """What a command took: seconds, megabytes at its peak, and what it printed."""

    seconds: float
    megabytes: float
    out: str


def measure(megabytes: int, text: int, seed: int = 7) -> Tables:
    """The table of an export of so many megabytes, of which `text` are conversations."""
    with tempfile.TemporaryDirectory(prefix="imports-") as top:
        export = Path(top, "export.zip")
        count = make_export(export, megabytes << 20, text << 20, seed)
        vault = Path(top, "vault")
        env = {
            **{name: value for name, value in os.environ.items() if name in {"PATH", "LANG"}},
            "HOME": str(Path(top, "home")),
            "AURELIUS_VAULT": str(vault),
        }
        Path(top, "home").mkdir()
        run(env, "init", "--empty", str(vault))
        rows = [HEADS]
        for name, words in (
            ("dry run", ("--dry-run",)),
            ("first", ("--yes",)),
            ("again", ("--yes",)),
        ):
            done = run(env, "import", str(export), *words)
            told = re.search(r"([\d,]+) conversations?", done.out)
            assert told, done.out
            assert int(told[1].replace(",", "")) == count, done.out
            notes = sum(1 for _ in Path(vault, "conversations").rglob("*.md"))
            rows.append((name, f"{done.seconds:.1f}", f"{done.megabytes:.0f}", f"{notes:,}"))
        size = export.stat().st_size >> 20
        return [(f"Import: a zip of {size:,} MB, {count:,} conversations of {text:,} MB", rows)]


def run(env: dict[str, str], *words: str) -> Ran:
    """The installed command, with its peak of memory."""
    script = Path(sysconfig.get_path("scripts"), "aurelius")
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(script), *words], env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"aurelius {' '.join(words)}: exit {process.returncode}")
    return Ran(time.perf_counter() - began, usage.ru_maxrss / 1024, out)


def make_export(path: Path, size: int, text: int, seed: int) -> int:
    """Write a zip of that many bytes, `text` of them conversations; how many these are."""
    draw = random.Random(seed)
    count = 0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        with archive.open("conversations.json", "w", force_zip64=True) as stream:
            written = stream.write(b"[")
            while written < text:
                each = json.dumps(conversation(draw, count)).encode()
                written += stream.write((b"," if count else b"") + each)
                count += 1
            stream.write(b"]")
        for number in range(max(0, size - text) // ASSET_BYTES):
            archive.writestr(f"file-{number:04}.dat", draw.randbytes(ASSET_BYTES))
    return count


def conversation(draw: random.Random, number: int) -> dict[str, object]:
    """One conversation as the export has it."""
    at = 1_700_000_000.0 + number * 3600
    nodes: dict[str, object] = {}
    parent = None
    for turn, words in enumerate(sentences(draw)):
        key = f"{number:06}-{turn:02}"
        nodes[key] = {
            "id": key,
            "parent": parent,
            "children": [f"{number:06}-{turn + 1:02}"] if turn + 1 < MESSAGES else [],
            "message": {
                "id": key,
                "author": {"role": "assistant" if turn % 2 else "user"},
                "create_time": at + turn,
                "content": {"content_type": "text", "parts": [words]},
                "recipient": "all",
            },
        }
        parent = key
    return {
        "id": f"conversation-{number}",
        "title": " ".join(draw.choices(WORDS, k=4)),
        "create_time": at,
        "update_time": at + MESSAGES,
        "mapping": nodes,
        "current_node": parent,
    }


def sentences(draw: random.Random) -> Iterator[str]:
    """What is said in a conversation."""
    for _ in range(MESSAGES):
        paragraphs = (" ".join(draw.choices(WORDS, k=60)) for _ in range(draw.randint(1, 5)))
        yield "\n\n".join(f"{each.capitalize()}." for each in paragraphs)
