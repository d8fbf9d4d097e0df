"""One damaged page, a lost table, a torn log of the index: every reading command answers rightly, and at once."""

from __future__ import annotations

import datetime
import io
import os
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import BUG, Context
from aurelius.vault import Vault
from indexer.live.live_index import Live
from indexer.rows import schema
from tests.daily import WHOLE

NOW = datetime.datetime(2026, 2, 10, 12)
LONG_AGO = 1_700_000_000
LINES = [
    "search sencha tea",
    "search sencha --json",
    "search sencha --jsonl",
    "search sencha --md",
    "search sencha --paths",
    "search sencha --mode keyword --json",
    "search nothingsuch",
    "search nothingsuch --json",
    "search tea --explain",
    "search tea --status all --json",
    "search tea --tier hot --json",
    "get people/joe-1.md",
    "get people/joe-1 --json",
    "get ^abcde1",
    "show people/joe-1",
    "show people/joe-1 --json",
    "show joe-1 --facts",
    "list",
    "list --json",
    "list --paths",
    "list --type fact",
    "list --type fact --json",
    "list --tag green --json",
    "list --tier hot",
    "today",
    "today --json",
    "days",
    "today --path",
    "tasks",
    "tasks --json",
    "tasks --open --due 2026-02-10",
    "tags",
    "tags --json",
    "links people/joe-1",
    "links people/joe-1 --json",
    "history people/joe-1",
    "history ^abcde1 --json",
    "status --tiers",
    "status --tiers --json",
    "status --tiers people/joe-1",
    "status --tiers people/joe-1 --json",
    "status --json",
    "doctor",
    "doctor --json",
    "status --ageing",
    "status --ageing --json",
    "review",
    "review --json",
    "export --json",
    "export --md",
]
OURS = "name NOT LIKE 'sqlite_%' AND name NOT LIKE '%fts_%'"
TIMES = re.compile(
    r'"(?:took_ms|generation|index|index_bytes|seconds|notices|added|unchanged)":(?:[\d.]+|"[^"]*"|\[.*?\])'
    r'|,?\{"what":"(?:index|leftovers)".*?\}'  # an index built anew has another name, and the damaged one is kept
    r"|^  (?:index|leftovers) .*\n|^  (?:vault|notes|search|also)( +)",
    re.MULTILINE,
)


class Place:
    """A small vault and a sound index of it, to be damaged over and over; what each line answers while it is sound."""

    def __init__(self, top: Path) -> None:
        self.top, self.root = top, top / "vault"
        self.live: Live | None = None
        for number in range(3):
            self.write(
                f"people/joe-{number}.md",
                f"---\ntags: [green]\n---\n# Joe {number}\n\n## Summary\nA friend.\n\n## Facts\n"
                f"- Likes sencha tea {number} (2026-01-10) ^abcde{number}\n"
                f"- Drinks coffee (2026-01-11, updates ^abcde{number}) ^fghij{number}\n"
                "- [ ] call #now 📅 2026-02-10\n\n"
                f"## Relationships\n- [[people/joe-{(number + 1) % 3}]]\n",
            )
        self.write("memory/2026-02-10.md", "# Today\n\n- Met [[people/joe-1]]\n")
        self.write("secret.md", "---\nprivate: true\n---\n# Secret\nhush\n")
        (self.root / ".aurelius").mkdir()
        self.run("index")
        self.run("index")
        shutil.copytree(top / "index", top / "sound")
        self.right = {line: self.run(line) for line in LINES}
        assert {code for code, _ in self.right.values()} <= {0, 1}

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        os.utime(self.root / path, (LONG_AGO, LONG_AGO))

    def run(self, line: str) -> tuple[int, str]:
        out, env = (
            io.StringIO(),
            {
                "HOME": str(self.top),
                "AURELIUS_INDEX": str(self.top / "index"),
                "AURELIUS_NO_USE": "1",
            },
        )
        code = run_line(
            line.split(),
            Context(
                str(self.root), env, False, io.StringIO(), out, io.StringIO(), NOW, live=self.live
            ),
        )
        return code, TIMES.sub("", out.getvalue())

    def file(self) -> Path:
        return Path(schema.current_file(str(next((self.top / "index").glob("vault-*")))) or "")

    def restore(self) -> Path:
        shutil.rmtree(self.top / "index")
        shutil.copytree(self.top / "sound", self.top / "index")
        return self.file()

    def objects(self) -> dict[str, int]:
        """Every table and index of ours with the page where it begins."""
        db = apsw.Connection(str(self.restore()))
        found = db.execute(
            f"SELECT name, rootpage FROM sqlite_schema WHERE rootpage AND {OURS}"
        ).fetchall()
        db.close()
        return {str(name): int(str(page)) for name, page in found}

    def wrong(self, name: str, damage: Callable[[Path], None], lines: list[str]) -> list[str]:
        """The lines that are answered otherwise than by the sound index, each on an index damaged anew."""
        wrong = []
        for line in lines:
            damage(self.restore())
            found = self.run(line)
            if found != self.right[line]:
                wrong.append(f"{name}: {line}: {found[0]} {found[1][:80]!r}")
        return wrong


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="storm-") as top:
        os.chmod(top, 0o755)  # so that another user may look
        yield Place(Path(top))


def zeroed(page: int) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with file.open("r+b") as stream:
            stream.seek((page - 1) * 4096)
            stream.write(bytes(4096))

    return damage


def scribbled(page: int) -> Callable[[Path], None]:
    """The page says that it holds what no page can."""

    def damage(file: Path) -> None:
        with file.open("r+b") as stream:
            stream.seek((page - 1) * 4096 + 20)
            stream.write(b"\xff" * 4076)

    return damage


def dropped(what: str) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        db = apsw.Connection(str(file))
        db.execute(f"DROP {what}")
        db.close()

    return damage


def cut(pages: int) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, pages * 4096 + 100)


def noise(file: Path) -> None:
    """A log beside the database that begins like one, and then is none."""
    log = Path(f"{file}-wal")
    log.write_bytes(bytes.fromhex("377f0682002de21800001000") + random.Random(5).randbytes(20_000))


APART = 11 if WHOLE else 23


def some(lines: list[str], turn: int) -> list[str]:
    """Some of the lines, others each turn, so that all meet many kinds of damage."""
    return lines[turn % APART :: APART]


def test_a_zeroed_page_of_any_table_or_index_is_answered_rightly(place: Place) -> None:
    wrong: list[str] = []
    for turn, (name, page) in enumerate(sorted(place.objects().items())):
        lines = ["search sencha --json", "status --tiers", *some(LINES, turn)]
        wrong += place.wrong(f"page {page} ({name})", zeroed(page), lines)
        wrong += place.wrong(f"scribble on {page} ({name})", scribbled(page), some(LINES, turn)[:3])
    assert wrong == []


@pytest.mark.parametrize("line", LINES)
def test_every_reading_command_survives_a_damaged_table_of_facts_and_chunks(
    place: Place, line: str
) -> None:
    pages = place.objects()
    names = ("chunk_note", "fact", "usage")
    each_day = LINES.index(line) % len(names)
    for name in names if WHOLE else names[each_day : each_day + 1]:
        assert place.wrong(name, zeroed(pages[name]), [line]) == []


def test_a_cut_file_a_lost_table_and_noise_in_the_log_are_answered_rightly(place: Place) -> None:
    kinds = {f"cut to {pages} pages": cut(pages) for pages in (1, 5, 20)}
    kinds |= {
        f"no {name}": dropped(f"TABLE {name}")
        for name in ("usage", "alias", "log_use", "failed", "verdict")
    }
    kinds |= {
        f"no {name}": dropped(f"TABLE {name}")
        for name in ("fact", "chunk", "chunk_vec", "chunk_fts", "note")
    }
    kinds |= {
        f"no {name}": dropped(f"INDEX {name}")
        for name in ("chunk_note", "fact_updates", "usage_judged")
    }
    wrong: list[str] = []
    for turn, (name, damage) in enumerate({**kinds, "noise": noise}.items()):
        wrong += place.wrong(
            name, damage, ["search sencha --json", "review --json", *some(LINES, turn)]
        )
    assert wrong == []


@pytest.fixture
def live(place: Place) -> Iterator[Callable[[], None]]:
    """Puts a daemon's index between the commands and the files, anew each time it is called."""

    def begin() -> None:
        if place.live is not None:
            place.live.close()
        env = {"HOME": str(place.top), "AURELIUS_INDEX": str(place.top / "index")}
        place.live = Live(Vault.find(None, env, str(place.root), now=NOW).settings, lambda: None)

    yield begin
    if place.live is not None:
        place.live.close()
    place.live = None


def test_a_daemon_answers_rightly_over_a_damaged_page(
    place: Place, live: Callable[[], None]
) -> None:
    wrong: list[str] = []
    for turn, (name, page) in enumerate(sorted(place.objects().items())):
        file = place.restore()
        if turn % 2:  # the damage comes while it runs
            live()
            place.run("tags")
        zeroed(page)(file)
        if not turn % 2:
            live()
        for line in ["search sencha --json", *some(LINES, turn), "search sencha --json"]:
            found = place.run(line)
            if found != place.right[line]:
                wrong.append(f"page {page} ({name}): {line}: {found[0]} {found[1][:80]!r}")
    assert wrong == []


def test_an_index_that_nobody_may_write_and_that_is_damaged_is_answered_for(
    place: Place, as_nobody: Callable[[Callable[[], None]], None]
) -> None:
    """The new index is kept elsewhere for one command; the damaged one stays, and is no reason to fail."""
    zeroed(place.objects()["chunk_note"])(place.restore())
    for each in [place.top / "index", *(place.top / "index").rglob("*")]:
        each.chmod(0o555 if each.is_dir() else 0o444)

    def ask() -> None:
        for _ in range(2):
            assert place.run("search sencha --json")[0] == 0

    as_nobody(ask)


def test_a_writing_command_over_a_damaged_index_says_so_and_the_next_one_works(
    place: Place,
) -> None:
    zeroed(place.objects()["fact"])(place.restore())
    codes = [place.run("add people/joe-1 --dry-run Likes-juice")[0] for _ in range(2)]
    assert BUG not in codes
    assert codes[1] == 0


def test_a_bug_is_met_once_more_and_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("a bug")

    place.restore()
    monkeypatch.setattr("indexer.catalog.lists.count_found", broken)
    assert place.run("search sencha --json")[0] == BUG
    monkeypatch.undo()
    assert place.run("search sencha --json") == place.right["search sencha --json"]
