"""Damage of every kind to the index: always an answer, one notice, never a traceback."""

from __future__ import annotations

import datetime
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from aurelius.vault import Vault
from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows import schema
from indexer.search.query import SearchQuery

NOW = datetime.datetime(2026, 2, 10, 12)
QUERY = SearchQuery(
    "sencha tea",
    "hybrid",
    "default",
    Filters((), (), (), "", (), None, None, "active", False),
    10,
    False,
)


class Place:
    """A vault of a few notes and a sound index of it, to be damaged over and over."""

    def __init__(self, top: Path) -> None:
        self.root, self.sound, self.index = top / "vault", top / "sound", top / "index"
        (self.root / ".aurelius").mkdir(parents=True)
        for number in range(8):
            text = "".join(
                f"- Sencha {number} steeps {n} minutes (2026-01-{10 + n}) #tea\n" for n in range(5)
            )
            (self.root / f"tea-{number}.md").write_text(
                f"---\ntags: [green]\n---\n# Tea {number}\n\n## Facts\n{text}"
            )
        vault = self.open(self.sound)
        self.right = vault.search(QUERY).hits
        self.where = Path(vault.settings.folder).relative_to(self.sound)
        vault.close()
        assert len(self.right) == 10

    def open(self, index: Path) -> Vault:
        return Vault.find(
            str(self.root), {"AURELIUS_INDEX": str(index), "HOME": str(self.root)}, "/", now=NOW
        )

    @property
    def folder(self) -> Path:
        return self.index / self.where

    def fresh_copy(self) -> Path:
        """The database file of a copy of the sound index."""
        shutil.rmtree(self.index, ignore_errors=True)
        shutil.copytree(self.sound, self.index)
        return self.file()

    def file(self) -> Path:
        return Path(schema.current_file(str(self.folder)) or "")

    def search(self) -> Vault:
        vault = self.open(self.index)
        self.hits = vault.search(QUERY).hits
        vault.close()
        return vault


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def garbage(file: Path) -> None:
    file.write_bytes(b"garbage " * 1000)


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def zero_pages(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:4096] + bytes(len(data) - 4096))


def foreign(file: Path) -> None:
    file.unlink()
    db = apsw.Connection(str(file))
    db.execute("CREATE TABLE meta(id, name); INSERT INTO meta VALUES(1, 'somebody else''s')")
    db.close()


def meta_value(name: str, value: int | str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        db = apsw.Connection(str(file))
        db.execute("UPDATE meta SET value=? WHERE key=?", (value, name))
        db.close()

    change.__name__ = f"other_{name}"
    return change


def no_pointer(file: Path) -> None:
    (file.parent / schema.POINTER).unlink()


def odd_pointer(file: Path) -> None:
    (file.parent / schema.POINTER).write_bytes(b"\xff\0../../etc/passwd")


@pytest.mark.parametrize(
    "damage",
    [
        garbage,
        truncated,
        empty,
        zero_pages,
        foreign,
        no_pointer,
        odd_pointer,
        meta_value("schema", 0),
        meta_value("parser", -1),
        meta_value("model", "another@1"),
        meta_value("daily", "journal"),
    ],
    ids=lambda damage: damage.__name__,
)
def test_a_bad_index_is_built_anew_and_told_once(
    place: Place, damage: Callable[[Path], None]
) -> None:
    damage(place.fresh_copy())
    vault = place.search()
    assert place.hits == place.right
    assert len(vault.notices) == 1, vault.notices
    assert "was rebuilt" in vault.notices[0]
    vault = place.search()
    assert (place.hits, vault.notices) == (place.right, [])
    assert schema.strays(str(place.folder)) == []


def test_flipped_bits_never_end_in_a_traceback(place: Place) -> None:
    """What cannot be noticed may be answered wrongly until a rebuild; what is noticed is put right at once."""
    dice = random.Random(3)
    noticed = 0
    for _ in range(40):
        file = place.fresh_copy()
        data = bytearray(file.read_bytes())
        for _ in range(dice.choice([1, 8, 64])):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        file.write_bytes(data)
        first = place.search()
        if first.notices:
            noticed += 1
            assert place.search().notices == [], first.notices
            assert place.hits == place.right, first.notices
    assert noticed > 5
    place.open(place.index).rebuild()
    place.search()
    assert place.hits == place.right


def test_damage_found_while_rows_are_read_is_put_right(place: Place) -> None:
    """Rows that no pass over an unchanged vault looks at: the caller says that it distrusts them."""
    file = place.fresh_copy()
    settings = place.open(place.index).settings
    index, report = refresh(settings, now=time.time(), distrust=str(file))
    assert index.path != str(file)
    assert [notice for notice in report.notices if "its rows are damaged" in notice] == list(
        report.notices
    )
    index.close()
    index, report = refresh(settings, now=time.time(), distrust=str(file))
    assert report.notices == ()
    index.close()


def test_one_index_is_kept_aside(place: Place) -> None:
    for _ in range(3):
        garbage(place.file() if place.index.exists() else place.fresh_copy())
        place.search()
    assert len(list(place.folder.glob("corrupt-*"))) == 1


def test_in_memory_nothing_can_be_damaged(place: Place) -> None:
    settings = Settings(str(place.root), "")
    index, report = refresh(settings, now=time.time())
    assert (index.folder, index.path, report.added, report.fresh) == ("", ":memory:", 8, True)
    index.close()
