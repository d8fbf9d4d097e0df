"""What tests of readers share."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import TypeVar

import apsw

from aurelius.importing.import_reader import ImportReader
from aurelius.importing.imported import Imported
from aurelius.importing.source_files import ExportFiles

Kind = TypeVar("Kind")
CASES = Path(__file__).parents[2] / "cases" / "importing"


def read_with(reader: ImportReader, place: Path) -> list[Imported]:
    """All that a reader gives of the files that it claims."""
    with ExportFiles(str(place)) as export:
        return list(reader.read(export, reader.claims(export)))


def of_kind(found: list[Imported], kind: type[Kind]) -> list[Kind]:
    return [each for each in found if isinstance(each, kind)]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes, cut off or with some of them changed."""
    if rng.random() < 0.3:
        return data[: rng.randrange(len(data) + 1)]
    changed = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def read_damaged(reader: ImportReader, data: bytes, place: Path, rounds: int) -> None:
    """Damage the bytes of one file in many ways; claimed or not, it is read and takes no time."""
    rng = random.Random(27)
    for _ in range(rounds):
        place.write_bytes(damaged(data, rng))
        start = time.monotonic()
        with ExportFiles(str(place)) as export:
            reader.claims(export)
            list(reader.read(export, export.files))
        assert time.monotonic() - start < 5


def database(script: str, place: Path) -> Path:
    """The SQLite file that a script makes."""
    db = apsw.Connection(str(place))
    db.execute(script)
    db.close()
    return place
