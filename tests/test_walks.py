"""How far one cold command goes: modules of ours that it walks through, and all that it loads. Both may shrink,
and must not grow silently."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.settings.places import APPENDS, DISPLACED, OPEN, UNDO, vault_state

ROOT = Path(__file__).resolve().parents[1]
REACHED = {"search": 66, "add": 101}
"""Modules that each goes through today; one is what records are made of."""

LOADED = ROOT / "tests/loaded.json"
"""Modules of ours that each of COLD may load, by its name."""

COLD = {
    "search": ["search", "where does Joe live"],
    "hook": ["hook", "prompt", "--part", "answer"],
}
EVENT = {"session_id": "one", "prompt": "Where does Joe live?"}

SLOW = {
    "asyncio",
    "click",
    "dataclasses",
    "difflib",
    "frontmatter",
    "inspect",
    "markdown_it",
    "model2vec",
    "numpy",
    "pathlib",
    "pathspec",
    "platformdirs",
    "rich",
    "subprocess",
    "tokenizers",
    "tomlkit",
    "tomllib",
    "typer",
    "watchdog",
    "yaml",
}
"""Packages that take longer to import than such a command takes to answer."""

SETTLED = 2.1
"""Seconds until the time of a file proves that it is as it was read."""

CHILD = """
import io, os, sys
from aurelius.__main__ import run_line
from aurelius.cli.run import Context

*words, event = sys.argv[1:]
out = io.StringIO()
code = run_line(words, Context(os.getcwd(), os.environ, False, io.StringIO(event), out, out))
loaded = sorted(sys.modules)
import json
print(json.dumps([code, out.getvalue(), loaded]))
"""


def test_a_cold_command_goes_through_no_more_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    walks = importlib.import_module("benches.walks")

    found = walks.walks(tmp_path)
    assert found.keys() == REACHED.keys()
    told = {name: sorted(each.calls) for name, each in found.items()}
    assert {
        name: len(each.calls) for name, each in found.items() if len(each.calls) > REACHED[name]
    } == {}, told
    assert found["search"].calls["aurelius/settings/places"]["vault_state"] == 1, (
        "where its state lies, found out once"
    )
    assert walks.parses(found["search"]) == 0
    assert 0 < walks.parses(found["add"]) <= walks.MOST_PARSES


SEARCH = """
import os, sys
sys.path.insert(0, {root!r})
from aurelius.__main__ import main

def ended(code):
    print(*sorted(name for name in sys.modules if name.startswith("aurelius.writing")), file=sys.stderr)
    sys.stderr.flush()
    os.kill(os.getpid(), 9)

os._exit = ended
sys.argv = ["aurelius", "search", "where does Joe live"]
main()
"""
"""A search that says last of all which modules of the writing room it has loaded."""


def test_a_search_loads_the_writing_room_only_where_something_waits_for_it(
    tmp_path: Path, env: dict[str, str]
) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(ROOT / "vault_template", vault)

    def loaded() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", SEARCH.format(root=str(ROOT))],
            cwd=vault,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Los Angeles" in done.stdout
        return done.stderr.split()

    loaded()  # this makes the index
    assert loaded() == []
    for waiting in (APPENDS, DISPLACED, f"{UNDO}/00000001{OPEN}"):
        # a first look gives the vault its name, and its state another place
        left = Path(vault_state(str(vault), env), waiting)
        left.parent.mkdir(exist_ok=True)
        left.write_text("\n")
        assert "aurelius.writing.append" in loaded()
        left.unlink(missing_ok=True)
        assert loaded() == []


@pytest.mark.parametrize("name", COLD)
def test_a_cold_command_loads_no_other_modules(
    name: str, vault: Callable[[str], Path], env: dict[str, str], update: bool
) -> None:
    """`pytest tests/test_walks.py --update` writes the list anew, after modules were renamed, or one more was
    wanted; no update lets in a slow package."""
    root = vault("template")
    joe = root / "people" / "joe-bloggs.md"  # an example that nobody changed is told to no session
    joe.write_text(joe.read_text("utf-8").replace("Lives in Los Angeles", "Lives in Oslo"), "utf-8")
    time.sleep(SETTLED)
    for words in (["index"], COLD[name], ["index"]):  # what only the first time does; what it used
        run(root, env, words)
    answer, loaded = run(root, env, COLD[name])
    assert "Lives in Oslo" in answer
    slow = SLOW & {each.partition(".")[0] for each in loaded}
    assert slow == set(), f"{name} loads slow packages"
    ours = [each for each in loaded if each.partition(".")[0] in {"aurelius", "indexer"}]
    known = json.loads(LOADED.read_text("utf-8"))
    if update:
        known[name] = ours
        LOADED.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    new = sorted(set(ours) - set(known[name]))
    assert new == [], f"{name} did not load this before: {', '.join(new)}"


def run(root: Path, env: dict[str, str], words: list[str]) -> tuple[str, list[str]]:
    """What a command line answers in a process of its own, and the modules that were loaded then."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *words, json.dumps(EVENT)],
        cwd=root,
        env={**env, "PYTHONPATH": str(ROOT), "AURELIUS_NO_DAEMON": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    code, answer, loaded = json.loads(done.stdout)
    assert code == 0, answer
    return answer, loaded
