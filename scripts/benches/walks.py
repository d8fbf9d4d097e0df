"""What one cold `search` and one `add` walk through: modules of ours whose functions are called,
and calls.

Each runs in a process of its own on a copy of the starting vault whose index is built and
unchanged. What runs while a module is imported does not count, nor do class bodies.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TODAY = "2026-02-10"
WALKS = {
    "search": ("search", "where does Joe live"),
    "add": ("add", "people/joe-bloggs", "Plays the cello on Sundays"),
}
MOST = {"search": 32, "add": 40}
"""Modules each may walk through."""
SETTLED = 2.1
"""Seconds until a file's time and size prove that it is as it was read: an index built before looks
at it again."""
MOST_PARSES = 2
"""How often `add` may parse one note."""


class Walked(NamedTuple):
    """What a command went through: function → calls by module, and notes that were parsed, each
    time."""

    calls: dict[str, dict[str, int]]
    parsed: list[str]


_CHILD = """
import collections, json, sys
sys.path.insert(0, {root!r})
calls = collections.defaultdict(collections.Counter)
parsed = []
importing = 0
packages = tuple({root!r} + "/" + name + "/" for name in ("aurelius", "indexer"))

def noticed(frame, event, _):
    global importing
    code = frame.f_code
    if event not in ("call", "return") or not code.co_filename.startswith(packages):
        return
    if code.co_name == "<module>":
        importing += 1 if event == "call" else -1
    elif event == "call" and not importing and code.co_flags & 1:
        module = code.co_filename[len({root!r}) + 1 : -3]
        calls[module][code.co_qualname] += 1
        is_parser = module.startswith("indexer/") and module.endswith("/parse")
        if is_parser and code.co_qualname == "parse":
            parsed.append(frame.f_locals["path"])

from aurelius.__main__ import main
sys.argv = ["aurelius", *{words!r}]
sys.setprofile(noticed)
try:
    main()
except SystemExit as end:
    code = end.code
else:
    code = 0
sys.setprofile(None)
with open({told!r}, "w") as file:
    json.dump({{"calls": calls, "parsed": parsed, "code": code}}, file)
"""


def walk(vault: Path, *words: str) -> Walked:
    """Run one command on a vault and see where it goes."""
    told = vault.parent / "told.json"
    home = {
        name: str(vault.parent / name.lower())
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
    }
    own = {
        "AURELIUS_DEBUG": "1",
        "XDG_RUNTIME_DIR": home["XDG_STATE_HOME"],
        "AURELIUS_VAULT": str(vault),
        "AURELIUS_NOW": TODAY,
    }
    done = subprocess.run(
        [sys.executable, "-c", _CHILD.format(root=str(ROOT), words=words, told=str(told))],
        cwd=vault,
        env={**os.environ, **home, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Any] = (
        json.loads(told.read_text("utf-8")) if told.exists() else {"code": "nothing"}
    )
    if found["code"] not in {0, None}:
        raise SystemExit(
            f"`aurelius {' '.join(words)}` ended with {found['code']}:\n{done.stdout}{done.stderr}"
        )
    told.unlink()
    return Walked(found["calls"], found["parsed"])


def walks(folder: Path) -> dict[str, Walked]:
    """What each command walks through, on a copy of the starting vault whose index is built and up
    to date."""
    vaults = {name: folder / name / "vault" for name in WALKS}
    for vault in vaults.values():
        shutil.copytree(ROOT / "vault_template", vault)
    time.sleep(SETTLED)
    found = {}
    for name, vault in vaults.items():
        walk(vault, "index")
        walk(vault, "search", "warm")  # whatever only the first search of a vault does
        walk(vault, "index")  # what that search used is counted
        found[name] = walk(vault, *WALKS[name])
    return found


def measure(place: Path) -> tuple[list[tuple[str, list[tuple[str, ...]]]], bool]:
    """Tables of what each command walks through, and whether one goes further than it may."""
    found = walks(place)
    table: list[tuple[str, ...]] = [
        ("walk", "modules", "at most", "functions", "calls", "one note parsed", "at most")
    ]
    for name, each in found.items():
        calls = [count for functions in each.calls.values() for count in functions.values()]
        counts = (len(each.calls), MOST[name], len(calls), sum(calls), parses(each))
        table.append((name, *map(str, counts), str(MOST_PARSES) if name == "add" else "—"))
    longest: list[tuple[str, ...]] = [("module", *found)]
    longest += [
        (module, *(str(sum(each.calls.get(module, {}).values())) for each in found.values()))
        for module in sorted({module for each in found.values() for module in each.calls})
    ]
    too_far = (
        any(len(each.calls) > MOST[name] for name, each in found.items())
        or parses(found["add"]) > MOST_PARSES
    )
    return [("walks of a cold command", table), ("calls in each module", longest)], too_far


def parses(each: Walked) -> int:
    """How often the note that was parsed most often was parsed."""
    return max((each.parsed.count(path) for path in each.parsed), default=0)
