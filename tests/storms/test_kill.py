"""Real processes, killed at any moment or many at once: the next pass finds a good index and completes it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from indexer.note import Settings
from indexer.refresh.refresh import rebuild, refresh
from indexer.rows import schema
from indexer.rows.rows import Index
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[2]
NOTES = 80

CHILD = """
import sys, time
from indexer.refresh.refresh import rebuild, refresh
from indexer.note import Settings
import indexer.refresh.write_notes
settings = Settings(sys.argv[2], sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
index, report = {"refresh": refresh, "rebuild": rebuild}[sys.argv[1]](settings, now=time.time())
print(report.fresh, index.db.execute("SELECT count(*) FROM note").get, *report.notices, flush=True)
"""


def child(what: str, settings: Settings) -> subprocess.Popen[str]:
    """A process that has imported everything and waits for a line to begin."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", CHILD, what, settings.root, settings.folder],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def write_notes(root: Path, word: str, share: float = 1.0) -> None:
    """Notes with some facts each; only a share of them, always the same ones.

    Each is renamed into place: a reader may rightly index a note in the moment in which it has been emptied.
    """
    for number in range(int(NOTES * share)):
        path = root / f"people/{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(
            "# Note\n\n## Facts\n" + "".join(f"- {word} fact {n} of {number}\n" for n in range(12))
        )
        new.replace(path)


def contents(index: Index) -> list[object]:
    """What an index holds of each note."""
    return index.db.execute(
        "SELECT note.path, note.sha256, chunk.ordinal, chunk.text, v FROM note JOIN chunk ON chunk.note = note.id "
        "JOIN chunk_vec ON chunk_vec.id = chunk.id ORDER BY note.path, chunk.ordinal"
    ).fetchall()  # type: ignore[return-value]  # rows


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(str(tmp_path / "vault"), str(tmp_path / "index"))


def test_killed_at_any_moment(settings: Settings) -> None:
    """Kill -9 in the first build, a rebuild and a refresh, at several moments of each."""
    dice = random.Random(7)
    for trial in range(daily(6, 9)):
        what = ("refresh", "rebuild", "refresh")[trial % 3]
        if trial % 3 == 0:
            for name in os.listdir(settings.folder) if os.path.isdir(settings.folder) else ():
                os.remove(os.path.join(settings.folder, name))
        write_notes(Path(settings.root), f"trial{trial}", dice.choice([0.3, 1.0]) if trial else 1.0)
        process = child(what, settings)
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        time.sleep(dice.random() * 0.6)
        process.kill()
        process.communicate()
        index, report = refresh(settings, now=time.time())
        assert report.fresh
        assert [notice for notice in report.notices if "incomplete" not in notice] == []
        found = contents(index)
        index.close()
        assert schema.strays(settings.folder) == []
        anew, _ = rebuild(settings._replace(folder=settings.folder + "-anew"), now=time.time())
        assert found == contents(anew)
        anew.close()


def test_first_opened_by_eight_at_once(settings: Settings) -> None:
    """One of them builds, the others wait for it; none is told that anything is locked."""
    write_notes(Path(settings.root), "first")
    processes = [child("refresh", settings) for _ in range(8)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate() for process in processes]
    assert said == [(f"True {NOTES}\n", "")] * 8
    assert [name for name in os.listdir(settings.folder) if name.endswith(".db")] == [
        os.path.basename(schema.current_file(settings.folder) or "")
    ]


def test_read_while_rebuilt_and_edited(settings: Settings) -> None:
    """Readers in a loop while indexes are swapped and notes written see whole notes and no error."""
    write_notes(Path(settings.root), "before")
    refresh(settings, now=time.time())[0].close()
    stop = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not stop.is_set():
            try:
                index, _ = refresh(settings, now=time.time(), wait=30.0)
                counts = index.db.execute(
                    "SELECT count(*) FROM chunk GROUP BY note UNION SELECT count(*) FROM note"
                ).fetchall()
                bad = index.db.execute("PRAGMA quick_check").fetchall()
                index.close()
                if bad != [("ok",)] or (NOTES,) not in counts or len(counts) > 2:
                    wrong.append((bad, counts))
            except Exception as error:  # noqa: BLE001  # whatever it is, it is wrong
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(3):
        process = child("rebuild", settings)
        out, err = process.communicate("go\n")
        assert (out, err) == (f"True {NOTES}\n", "")
        write_notes(Path(settings.root), "after", 0.2)
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
