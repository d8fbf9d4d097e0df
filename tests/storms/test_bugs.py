"""A bug is told as one and leaves the index where it is, whichever door it is met through; only damage is healed."""

from __future__ import annotations

import datetime
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.__main__ import run_line
from aurelius.agents.memory_tool import MemoryTool
from aurelius.api import SharedVault
from aurelius.cli.run import BUG, Context
from aurelius.vault import Vault
from indexer.catalog.filters import Filters
from indexer.live.live_index import Live
from indexer.note import Settings
from indexer.refresh.damage import is_damaged
from indexer.refresh.refresh import refresh
from indexer.rows import schema

NOW = datetime.datetime(2026, 2, 10, 12)
LONG_AGO = 1_700_000_000
ERRORS = [
    KeyError("weekend"),
    ValueError("bad"),
    TypeError("bad"),
    IndexError("bad"),
    OverflowError("big"),
]
BUGS = [
    ("indexer.search.asked.days_asked", "search last-week sencha"),
    ("indexer.search.search.search", "search sencha"),
    ("indexer.catalog.lists.get_notes", "list"),
    ("indexer.catalog.lists.get_tasks", "tasks"),
    ("indexer.catalog.lists.list_facts", "list --type fact"),
    ("aurelius.answers.references.read_reference", "get people/joe"),
    ("aurelius.answers.note_view.view", "show people/joe"),
    ("aurelius.answers.doctor.find_faults", "doctor"),
    ("aurelius.plans.facts.plan_add", "add people/joe Likes-juice"),
]
"""A function that is broken, and a command that meets it."""
VAULTS = sorted(path for path in (Path(__file__).parents[1] / "vaults").iterdir() if path.is_dir())


class Place:
    """A small vault with a sound index, and what that index is."""

    def __init__(self, top: Path) -> None:
        self.top, self.root = top, top / "vault"
        self.env = {"HOME": str(top), "AURELIUS_INDEX": str(top / "index"), "AURELIUS_NO_USE": "1"}
        self.live: Live | None = None
        (self.root / "people").mkdir(parents=True)
        (self.root / ".aurelius").mkdir()
        self.note = self.root / "people/joe.md"
        self.note.write_text("# Joe\n\n## Facts\n- Likes sencha (2026-01-10) ^abcde1\n- [ ] call\n")
        os.utime(self.note, (LONG_AGO, LONG_AGO))
        for _ in range(2):
            assert self.run("index")[0] == 0

    def run(self, line: str) -> tuple[int, str]:
        """The exit code of a command, and what it told."""
        err = io.StringIO()
        words = [word.replace("-", " ") if word == "last-week" else word for word in line.split()]
        context = Context(
            str(self.root), self.env, False, io.StringIO(), io.StringIO(), err, NOW, live=self.live
        )
        return run_line(words, context), err.getvalue()

    def index(self) -> tuple[str, int, int, list[str]]:
        """The live database, its inode and generation, and all that lies beside it."""
        path = schema.current_file(str(next((self.top / "index").glob("vault-*")))) or ""
        db = schema.connect(path, write=False)
        generation = db.execute("SELECT value FROM meta WHERE key = 'generation'").get
        db.close()
        beside = sorted(name for name in os.listdir(os.path.dirname(path)) if name.endswith(".db"))
        return path, os.stat(path).st_ino, generation, beside


@pytest.fixture
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="storm-") as top:
        yield Place(Path(top))


def plant(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception) -> list[str]:
    """Break a function; what gathers there is how often it was met."""
    met: list[str] = []

    def broken(*_: object, **__: object) -> Any:
        met.append(name)
        raise error

    monkeypatch.setattr(name, broken)
    return met


@pytest.mark.parametrize(("name", "line"), BUGS, ids=[line for _, line in BUGS])
@pytest.mark.parametrize("door", ["command", "daemon"])
def test_a_bug_in_any_command_is_told_and_the_index_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch, name: str, line: str, door: str
) -> None:
    if door == "daemon":
        settings = Vault.find(None, place.env, str(place.root), now=NOW).settings
        place.live = Live(settings, lambda: None)
    try:
        assert place.run("tags")[0] == 0
        before = place.index()
        for error in ERRORS:
            with monkeypatch.context() as broken:
                met = plant(broken, name, error)
                code, told = place.run(line)
            assert (code, met) == (BUG, [name]), told
            assert "this is a bug in Aurelius" in told
            assert "rebuilt" not in told
            assert place.index() == before
        assert place.run(line)[0] != BUG
    finally:
        if place.live is not None:
            place.live.close()


def test_a_bug_in_the_library_is_raised_and_the_index_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place.top))
    monkeypatch.setenv("AURELIUS_INDEX", str(place.top / "index"))
    before = place.index()
    with SharedVault.open(place.root, now=NOW) as vault:
        for name, ask in (
            ("indexer.search.asked.parse_span", lambda: vault.search("last week")),
            ("indexer.search.recall.recall", lambda: vault.recall("sencha")),
            ("indexer.catalog.lists.get_notes", lambda: vault.notes(Filters())),
            ("aurelius.answers.references.read_reference", lambda: vault.read("people/joe")),
        ):
            with monkeypatch.context() as broken:
                met = plant(broken, name, KeyError("bug"))
                with pytest.raises(KeyError):
                    ask()
            assert met == [name]
        assert not [notice for notice in vault.notices if "rebuilt" in notice]
        assert vault.search("sencha").hits
    assert place.index() == before


def test_a_bug_in_the_memory_tool_is_raised_and_the_index_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.index()
    with Vault.find(None, place.env, str(place.root), now=NOW) as vault:
        tool = MemoryTool(vault, now=NOW)
        for name, asked in (
            (
                "aurelius.agents.memory_tool.facts_within",
                {"command": "view", "path": "/memories/people/joe.md"},
            ),
            (
                "aurelius.agents.memory_tool.Edit",
                {
                    "command": "str_replace",
                    "path": "/memories/people/joe.md",
                    "old_str": "sencha",
                    "new_str": "tea",
                },
            ),
        ):
            with monkeypatch.context() as broken:
                met = plant(broken, name, KeyError("bug"))
                with pytest.raises(KeyError):
                    tool.call(asked)
            assert met == [name]
    assert place.index() == before


def test_a_bug_while_files_are_compared_leaves_the_index(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.index()
    place.note.write_text("# Joe\n\n- Likes oolong\n")
    for error in ERRORS:
        with monkeypatch.context() as broken:
            plant(broken, "indexer.refresh.refresh.compare", error)
            code, told = place.run("search oolong")
        assert code == BUG, told
        assert place.index() == before
    assert place.run("search oolong")[0] == 0
    assert place.index()[0] == before[0]


def test_sql_of_ours_that_is_wrong_is_no_damage(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.index()
    plant(monkeypatch, "indexer.search.search.search", apsw.SQLError('near "FORM": syntax error'))
    assert place.run("search sencha")[0] == BUG
    plant(monkeypatch, "indexer.catalog.lists.get_notes", apsw.SQLError("no such column: x"))
    assert place.run("list")[0] == BUG
    assert place.index() == before


@pytest.mark.parametrize("vault", VAULTS, ids=lambda path: path.name)
def test_no_sound_index_is_called_damaged(vault: Path, tmp_path: Path) -> None:
    index, _ = refresh(Settings(str(vault), str(tmp_path)), now=NOW.timestamp())
    path = index.path
    index.close()
    assert not is_damaged(path, ValueError("a bug"))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE note SET aliases = '['",
        "UPDATE note SET front = NULL",
        "UPDATE fact SET detail = '[]'",
        "UPDATE fact SET date = '2026-02-30'",
        "UPDATE chunk SET date = 'x'",
        "UPDATE chunk SET tokens = x'ff'",
        "UPDATE token_df SET chunks = chunks + 1",
        "DELETE FROM note",
        "DROP TABLE usage",
        "DROP INDEX fact_key",
        "DELETE FROM chunk_vec WHERE id = 1; INSERT INTO chunk_vec VALUES(1, x'00')",
    ],
)
def test_rows_that_make_no_sense_are_damage(place: Place, damage: str) -> None:
    path = place.index()[0]
    db = apsw.Connection(path)
    db.execute(damage)
    db.close()
    assert is_damaged(path, ValueError("what is read makes no sense"))
