"""Storms of random edits: refresh ≡ rebuild, row for row, hit for hit.

Each seed makes a small vault and edits it as people, editors, sync tools and git do; after every few
edits the refreshed index is compared with one built from nothing.
"""

from __future__ import annotations

import datetime
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from indexer.catalog.filters import Filters
from indexer.disk.walk import is_out_of_sight
from indexer.live.live_index import Live
from indexer.note import Settings
from indexer.refresh.refresh import RefreshReport, rebuild, refresh
from indexer.rows.rows import Index
from indexer.search.hit import Hit
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.tokens.embed import Encoder, load_model
from tests.daily import daily

Pass = Callable[..., tuple[Index, RefreshReport]]
NOW = datetime.datetime(2026, 2, 10, 12)
WORDS = (
    "tea",
    "lamp",
    "harbour",
    "Joe",
    "Sarah",
    "invoice",
    "quarterly",
    "garden",
    "rust",
    "C++",
    "茶道入門",
    "東京",
    "ямайка",
    "naïve",
    "3.11.7",
    "run_id",
)
FOLDERS = ("", "people", "memory", "projects/alpha", "archives", "deep/er/est", ".hidden", "drafts")


class Storm:
    """A vault that somebody edits."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.done: list[str] = []
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True, exist_ok=True)
        for _ in range(self.random.randint(3, 12)):
            self.write()

    # -- what there is -------------------------------------------------------------------------------

    def text(self) -> bytes:
        r = self.random
        lines = []
        if r.random() < 0.4:
            front = [
                "type: person",
                "tags: [friend, tea]",
                "aliases: [J. B.]",
                "private: true",
                "date: 2026-01-05",
            ]
            lines += ["---", *r.sample(front, r.randint(1, 4)), "---"]
        for _ in range(r.randint(0, 4)):
            lines.append(
                r.choice(["# ", "## ", "### "])
                + r.choice([*WORDS, "Facts", "History", "Preferences"])
            )
            for _ in range(r.randint(0, 5)):
                words = " ".join(r.choices(WORDS, k=r.randint(1, 30)))
                lines.append(
                    r.choice(
                        ["- ", "- [ ] ", "", "- ~~", "1. ", "> ", "#tag/x ", "[[people/joe|Joe]] "]
                    )
                    + words
                )
                if r.random() < 0.3:
                    odd = ["", "```", "<<<<<<< HEAD", "=======", "- Likes tea (2026-01-02) ^k3v9qa"]
                    lines.append(
                        r.choice(
                            [
                                *odd,
                                "%%",
                                "<!-- a",
                                "b --> c",
                                "$$",
                                "x %%y%% z",
                                "- k (2026-01-03) <!-- l -->",
                            ]
                        )
                    )
        data = "\n".join(lines).encode() + r.choice([b"", b"\n"])
        mangle: Callable[[bytes], bytes] = r.choice(
            [
                bytes,
                bytes,
                bytes,
                bytes,
                bytes,
                lambda one: b"\xef\xbb\xbf" + one,
                lambda one: one.replace(b"\n", b"\r\n"),
                lambda one: one + b"caf\xe9 \x93latin\x94\n",
                lambda one: one + b"nul \x00 byte\n",
                lambda _: b"",
                lambda one: one.decode().encode("utf-16"),
            ]
        )
        return mangle(data)

    def notes(self) -> list[Path]:
        return sorted(
            path for path in self.root.rglob("*.md") if path.is_file() and not path.is_symlink()
        )

    def some(self) -> Path:
        return self.random.choice(self.notes() or [self.fresh()])

    def fresh(self) -> Path:
        names = [
            "a.md",
            "b.md",
            "Joe.md",
            "joe.md",
            "2026-02-01.md",
            "2026_02_02.md",
            "naïve é.md",
            "茶.md",
            "_index.md",
            "weird\nname.md",
            "x.markdown",
            "[a].md",
            "~$lock.md",
            "ME.md",
            "MEMORY.md",
        ]
        path = self.root / self.random.choice(FOLDERS) / self.random.choice(names)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(self.text())
        return path

    # -- what happens to it --------------------------------------------------------------------------

    def write(self) -> None:
        self.fresh().write_bytes(self.text())

    def append(self) -> None:
        with self.some().open("ab") as file:
            file.write(b"\n- " + self.random.choice(WORDS).encode() + b" more\n")

    def rewrite_in_place(self) -> None:
        path = self.some()
        data = path.read_bytes()
        path.write_bytes(
            data.replace(b"tea", b"rum") if b"tea" in data else data.replace(b"a", b"o")
        )

    def keep_mtime(self) -> None:
        path = self.some()
        before = path.stat()
        path.write_bytes(path.read_bytes()[::-1])
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def touch(self) -> None:
        os.utime(
            self.some(), (1, self.random.choice([1, 1_700_000_000, 4_000_000_000, 33_000_000_000]))
        )

    def rename_over(self) -> None:
        temporary = self.root / "save.tmp"
        temporary.write_bytes(self.text())
        temporary.replace(self.some())

    def move(self) -> None:
        old, new = (
            self.some(),
            self.root
            / self.random.choice(FOLDERS)
            / self.random.choice(["moved.md", "a.md", "b.md"]),
        )
        new.parent.mkdir(parents=True, exist_ok=True)
        old.replace(new)

    def swap(self) -> None:
        one, other = self.some(), self.some()
        one.replace(self.root / "third")
        if one != other:
            other.replace(one)
        (self.root / "third").replace(other)

    def change_case(self) -> None:
        path = self.some()
        path.replace(path.with_name(path.name.swapcase().replace(".MD", ".md")))

    def move_folder(self) -> None:
        old, new = (
            self.root / self.random.choice(FOLDERS[1:]),
            self.root / f"moved-{self.random.randint(0, 3)}",
        )
        if old.exists() and not new.exists():
            old.rename(new)

    def copy(self) -> None:
        shutil.copyfile(self.some(), self.root / f"copy-{self.random.randint(0, 3)}.md")

    def delete(self) -> None:
        self.some().unlink()

    def delete_folder(self) -> None:
        shutil.rmtree(self.root / self.random.choice(FOLDERS[1:]), ignore_errors=True)

    def recreate(self) -> None:
        path = self.some()
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)

    def ignore(self) -> None:
        folder = self.root / self.random.choice(["", "people", "projects"])
        folder.mkdir(exist_ok=True)
        lines = self.random.sample(
            ["drafts/", "*.tmp", "a.md", "!a.md", "/people", "[JM]*.md", "deep/**/b.md", "moved-*"],
            3,
        )
        (folder / self.random.choice([".gitignore", ".aureliusignore"])).write_text(
            "\n".join(lines) + "\n"
        )

    def unignore(self) -> None:
        for path in self.root.rglob(self.random.choice([".gitignore", ".aureliusignore"])):
            path.unlink()

    def link(self) -> None:
        path = self.root / f"link-{self.random.randint(0, 2)}.md"
        if not path.is_symlink():
            path.symlink_to(self.some())

    def replace_by_folder(self) -> None:
        path = self.some()
        path.unlink()
        path.mkdir()
        (path / "inside.md").write_bytes(self.text())

    def odd_names(self) -> None:
        (Path(os.fsdecode(os.fsencode(self.root) + b"/\xff\xfe.md"))).write_bytes(b"# Odd\n")
        Path(os.fsdecode(os.fsencode(self.root) + b"/\xfd")).mkdir(exist_ok=True)
        (Path(os.fsdecode(os.fsencode(self.root) + b"/\xfd/inside.md"))).write_bytes(b"# Odd\n")

    def take_rights(self) -> None:
        path = self.random.choice([self.some(), self.root / "people", self.root / "deep"])
        if path.exists():
            path.chmod(self.random.choice([0, 0o444, 0o755]))

    def edit(self, names: tuple[str, ...]) -> None:
        name = self.random.choice(names)
        self.done.append(name)
        try:
            getattr(self, name)()
        except (
            FileExistsError,
            FileNotFoundError,
            NotADirectoryError,
            IsADirectoryError,
            PermissionError,
            shutil.SameFileError,
        ):
            self.done[-1] += " in vain"


OFTEN = ("write", "append", "rewrite_in_place", "keep_mtime", "rename_over", "move", "delete")
SELDOM = (
    "touch",
    "swap",
    "change_case",
    "move_folder",
    "copy",
    "delete_folder",
    "recreate",
    "ignore",
    "unignore",
    "link",
    "replace_by_folder",
)
EDITS = (
    *OFTEN,
    *OFTEN,
    *SELDOM,
    *(("odd_names",) if os.name == "posix" and os.uname().sysname == "Linux" else ()),
)


def rows(index: Index) -> dict[str, Any]:
    """Every row of an index by table, numbers of rows replaced by what they stand for."""
    db = apsw.Connection(index.path)
    notes: dict[Any, Any] = dict(db.execute("SELECT id, path FROM note").fetchall())  # type: ignore[arg-type]  # pairs
    chunks = {
        number: (notes[note], ordinal)
        for number, note, ordinal in db.execute("SELECT id, note, ordinal FROM chunk")
    }
    found: dict[str, Any] = {
        "note": sorted((row[1:6], *row[7:]) for row in db.execute("SELECT * FROM note")),
        "chunk": sorted((chunks[row[0]], row[3:]) for row in db.execute("SELECT * FROM chunk")),
        "chunk_vec": sorted(
            (chunks[number], vector) for number, vector in db.execute("SELECT id, v FROM chunk_vec")
        ),
        "token_df": sorted(db.execute("SELECT * FROM token_df")),
        "verdict": sorted(db.execute("SELECT * FROM verdict")),
        "failed": sorted(db.execute("SELECT * FROM failed")),
    }
    for table in ("fact", "link", "tag", "task"):
        found[table] = sorted(
            (notes[row[0]], row[1:]) for row in db.execute(f"SELECT * FROM {table}")
        )
    for table, names in (("chunk_fts", chunks), ("note_fts", notes)):
        db.execute(
            f"CREATE VIRTUAL TABLE temp.{table}_terms USING fts5vocab('main', '{table}', 'instance')"
        )
        terms = db.execute(f"SELECT term, doc, col, offset FROM temp.{table}_terms").fetchall()
        found[table] = sorted(
            (term, names[number], column, place) for term, number, column, place in terms
        )
        totals = db.execute(f"SELECT block FROM {table}_data WHERE id = 1").get
        found[table + " totals"] = (
            totals.strip(b"\0") and totals
        )  # nothing yet, or nothing any more
        lengths = db.execute(f"SELECT id, sz FROM {table}_docsize").fetchall()
        found[table + " lengths"] = sorted((names[number], size) for number, size in lengths)
    db.close()
    return found


def answers(index: Index, encoder: Encoder) -> list[tuple[Hit, ...]]:
    """Hits, scores and order of a few queries in every mode."""
    found = []
    for text, mode, fusion in (
        ("tea in the garden", "hybrid", "default"),
        ("Joe invoice", "hybrid", "rrf"),
        ("lamp", "hybrid", "weighted"),
        ("quarterly", "keyword", "default"),
        ("東京", "hybrid", "default"),
        ("harbour more", "vector", "default"),
    ):
        filters = Filters((), (), (), "", (), None, None, "all", True)
        result = search(index, SearchQuery(text, mode, fusion, filters, 20, True), encoder, NOW)
        found.append(result.hits)
    return found


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


def check(
    settings: Settings, storm: Storm, encoder: Encoder, make: Pass = refresh
) -> RefreshReport:
    """A pass, a look that finds nothing more to do, and a rebuild that has the same rows and answers."""
    index, report = make(settings, now=time.time())
    again, idle = make(settings, now=time.time())
    anew, _ = rebuild(settings._replace(folder=settings.folder + "-anew"), now=time.time())
    try:
        assert report.fresh, storm.done
        assert (idle.added, idle.changed, idle.removed, idle.moved) == (0, 0, 0, 0), storm.done
        found, expected = rows(index), rows(anew)
        for table, values in expected.items():
            assert found[table] == values, (table, storm.done)
        assert answers(index, encoder) == answers(anew, encoder), storm.done
    finally:
        for each in (index, again, anew):
            each.close()
    return report


@contextmanager
def cold(_: Settings) -> Iterator[Pass]:
    """Passes without a daemon."""
    yield refresh


@contextmanager
def warm(settings: Settings) -> Iterator[Pass]:
    """Passes of a daemon, which look only where the watch saw something."""
    live = Live(settings, lambda: None)
    try:
        yield live.refresh
    finally:
        live.close()


def weather(
    top: Path,
    seed: int,
    names: tuple[str, ...],
    encoder: Encoder,
    passes: int,
    passing: Callable[[Settings], AbstractContextManager[Pass]] = cold,
) -> None:
    """One storm: an index, then `passes` times some edits and a comparison."""
    (top / "vault").mkdir()
    storm = Storm(top / "vault", seed)
    settings = Settings(
        str(storm.root), str(top / "index"), exclude=("*.skip.md",) if seed % 5 == 0 else ()
    )
    with passing(settings) as make:
        make(settings, now=time.time())[0].close()
        for _ in range(passes):
            for _ in range(storm.random.randint(1, 4)):
                storm.edit(names)
            check(settings, storm, encoder, make)


@pytest.mark.parametrize("seed", range(daily(16, 36)))
def test_refresh_equals_rebuild(tmp_path: Path, encoder: Encoder, seed: int) -> None:
    """Storms of 3 passes of 1 to 4 edits."""
    weather(tmp_path, seed, EDITS, encoder, passes=3)


@pytest.mark.parametrize("seed", range(100, 100 + daily(5, 12)))
def test_with_a_daemon_as_without(tmp_path: Path, encoder: Encoder, seed: int) -> None:
    """Storms of 8 passes by a daemon's index, of which only the first looks everywhere."""
    weather(tmp_path, seed, EDITS, encoder, passes=8, passing=warm)


if hasattr(os, "fork"):

    def test_what_cannot_be_read_is_neither_lost_nor_in_the_way(
        encoder: Encoder, as_nobody: Callable[[Callable[[], None]], None]
    ) -> None:
        """A note in `failed` keeps its last rows; every other one is as rebuilt; all is well afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            top.chmod(0o777)
            (top / "warm").mkdir()
            weather(top / "warm", 1, EDITS, encoder, passes=1)  # imports everything

            def act() -> None:
                os.umask(0)
                for seed in range(daily(5, 12)):
                    (top / f"{seed}").mkdir()
                    take_and_give_rights(top / f"{seed}", seed)

            as_nobody(act)


def take_and_give_rights(top: Path, seed: int) -> None:
    storm = Storm(top / "vault", seed)
    settings = Settings(str(storm.root), str(top / "index"))
    index, _ = refresh(settings, now=time.time())
    known = set(index.get_keys())
    index.close()
    for _ in range(storm.random.randint(2, 5)):
        storm.edit(("take_rights", "take_rights", "write", "append", "move", "delete"))
    index, report = refresh(settings, now=time.time())
    found = rows(index)
    index.close()
    index, again = rebuild(settings, now=time.time())
    expected = rows(index)
    index.close()
    assert again.failed == report.failed, storm.done
    failed = dict(report.failed)
    for table in ("note", "chunk", "chunk_vec", "fact", "link", "tag", "task"):
        seen, rebuilt = (
            [row for row in tables[table] if not is_out_of_sight(path_of(row), failed)]
            for tables in (found, expected)
        )
        assert seen == rebuilt, (table, storm.done)
    kept = {path for path in known if is_out_of_sight(path, failed)}
    assert kept <= {path_of(row) for row in found["note"]}, storm.done
    for path in (storm.root, *storm.root.rglob("*")):
        path.chmod(0o755)
    for path in storm.root.rglob("*"):
        path.chmod(0o755)
    index, report = refresh(settings, now=time.time())
    anew, _ = rebuild(settings._replace(folder=settings.folder + "-anew"), now=time.time())
    assert report.failed == ()
    assert rows(index) == rows(anew), storm.done
    index.close()
    anew.close()


def path_of(row: Any) -> str:
    """The path of the note that a row of `rows` belongs to."""
    return str(row[0] if isinstance(row[0], str) else row[0][0])


def hits(settings: Settings, word: str) -> list[str]:
    """The paths that hold a word, found as a command would find them."""
    index, _ = refresh(settings, now=time.time())
    filters = Filters((), (), (), "", (), None, None, "all", True)
    result = search(index, SearchQuery(word, "keyword", "default", filters, 100, False), None, NOW)
    index.close()
    return sorted({hit.path for hit in result.hits})


def test_text_is_found_right_after_a_save_and_gone_right_after_a_delete(tmp_path: Path) -> None:
    """Every way of saving that editors were seen to use, one after the other within one tick of the clock."""
    note = tmp_path / "vault" / "note.md"
    note.parent.mkdir()
    settings = Settings(str(note.parent), str(tmp_path / "index"), vectors=False)

    def in_place(text: str) -> None:
        note.write_text(text)

    def over(text: str) -> None:
        note.with_suffix(".tmp").write_text(text)
        note.with_suffix(".tmp").replace(note)

    def by_backup(text: str) -> None:
        if note.exists():
            note.replace(note.with_name("note.md~"))
        note.write_text(text)

    def anew(text: str) -> None:
        note.unlink(missing_ok=True)
        note.write_text(text)

    def keeping_times(text: str) -> None:
        before = note.stat()
        note.write_text(text)
        os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))

    ways = (in_place, over, by_backup, anew, keeping_times)
    words = [f"word{number}" for number in range(10, 60)]
    for number, word in enumerate(words):
        ways[number % len(ways)](f"# Note\n\n{word}\n")
        assert hits(settings, word) == ["note.md"]
        if number:
            assert hits(settings, words[number - 1]) == []
    note.unlink()
    assert hits(settings, words[-1]) == []
