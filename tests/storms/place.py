"""A vault under a storm: the daemon over it as a real process, a ledger of every byte, a reader, and what proves it."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

import apsw

from aurelius.settings.places import daemon_folder, socket_path
from aurelius.vault import Vault
from indexer.note import Settings
from indexer.rows.rows import open_index
from tests.storms.savers import Saver, truncated

ROOT = Path(__file__).resolve().parents[2]
CANARY = "zanzibarite"
"""A word of three notes that no storm touches: a search for it has to find them, always."""
PACE = 0.15
"""Seconds between two searches of a reader, so that it leaves the storm the machine; six times it in a test."""

CLOCK = """
import os, time
real, where = time.time, os.environ["STORM_CLOCK"]
def shifted():
    try:
        with open(where) as file:
            return real() + float(file.read() or 0)
    except OSError:
        return real()
time.time = shifted
"""
"""Loaded by Python at the start of a daemon whose clock a storm wants to set."""


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Place:
    """A vault under a storm, with a HOME, an index and a daemon of its own."""

    def __init__(self, top: Path, *, full: bool) -> None:
        self.top, self.full = top, full
        self.root, self.home, self.aside = top / "vault", top / "home", top / "aside"
        for folder in (self.root / ".aurelius", self.home, self.aside):
            folder.mkdir(parents=True, exist_ok=True)
        self.env = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(top / "state"),
            "AURELIUS_INDEX": str(top / "index"),
            "LC_ALL": "C.UTF-8",
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(ROOT),
            "STORM_CLOCK": str(top / "clock"),
            "SYSTEMROOT": os.environ.get("SYSTEMROOT", ""),
        }
        self.ledger: dict[str, bytes] = {}
        self.daemon: subprocess.Popen[bytes] | None = None
        self.readers: list[Reader] = []
        self.away = 0
        """Odd while the vault is away, and an error is the right answer to a search."""
        self.latencies: list[float] = []
        self.said: list[str] = []
        self.wrong: list[str] = []
        """What a case found to be wrong with its own eyes."""
        self.touched = 0
        for number in range(3):
            self.write(
                f"harbour/lantern-{number}.md",
                f"# Lantern {number}\n\nA {CANARY} lantern hangs there.\n",
            )
        self.touched = 0

    def size(self, small: int, full: int) -> int:
        """How many: in a test, and at full size."""
        return full if self.full else small

    # -- what the storm does to the vault ------------------------------------------------------------

    def write(self, path: str, text: str, save: Saver = truncated) -> None:
        """Save a note the way a program does, and enter it in the ledger."""
        note, data = self.root / path, text.encode()
        note.parent.mkdir(parents=True, exist_ok=True)
        save(note, data, self.aside)
        self.enter(path, data)

    def enter(self, path: str, data: bytes) -> None:
        """The storm itself gave a note these bytes."""
        self.ledger[path] = hashlib.sha256(data).digest()
        self.touched += 1

    def remove(self, path: str) -> None:
        """Delete a note or a folder."""
        there = self.root / path
        shutil.rmtree(there) if there.is_dir() else there.unlink()
        for name in self._below(path):
            del self.ledger[name]
            self.touched += 1

    def take_away(self, path: str) -> None:
        """Move a note or a folder out of the vault: all of it is gone in the same instant."""
        (self.root / path).rename(self.aside / path.replace("/", "-"))
        for name in self._below(path):
            del self.ledger[name]
            self.touched += 1

    def move(self, old: str, new: str) -> None:
        """Rename a note or a folder."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        for name in self._below(old):
            self.ledger[new + name.removeprefix(old)] = self.ledger.pop(name)
            self.touched += 1

    def _below(self, path: str) -> list[str]:
        return [name for name in self.ledger if name == path or name.startswith(path + "/")]

    # -- the daemon -----------------------------------------------------------------------------------

    def start(self, *, within: float = 60.0, clock: bool = False, root: Path | None = None) -> None:
        """Start the daemon and wait until it answers; `clock` lets `set_clock` move its time."""
        env = dict(self.env)
        if clock:
            (self.top / "clocked").mkdir(exist_ok=True)
            (self.top / "clocked" / "sitecustomize.py").write_text(CLOCK)
            env["PYTHONPATH"] = f"{self.top / 'clocked'}{os.pathsep}{ROOT}"
        with (self.top / "daemon.txt").open("ab") as said:
            self.daemon = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "aurelius",
                    "daemon",
                    "run",
                    "--vault",
                    str(root or self.root),
                ],
                env=env,
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        self.until(self.answers, within, "the daemon does not answer")

    def answers(self) -> bool:
        """Whether somebody listens where the daemon does."""
        assert self.daemon is not None  # start() made it
        assert self.daemon.poll() is None, (
            f"the daemon ended with {self.daemon.returncode}: {self.daemon_output()}"
        )
        if not hasattr(socket, "AF_UNIX"):
            return self.command("daemon", "status").code == 0
        with socket.socket(socket.AF_UNIX) as plug:
            plug.settimeout(1.0)
            try:
                plug.connect(socket_path(daemon_folder(str(self.root), self.env)))
            except OSError:
                return False
            return True

    def set_clock(self, seconds: float) -> None:
        """Let the daemon believe that it is so much later, or earlier."""
        fresh = self.top / "clock.new"
        fresh.write_text(str(seconds))
        fresh.replace(self.top / "clock")

    def send(self, number: int) -> None:
        """Send the daemon a signal."""
        assert self.daemon is not None  # start() made it
        self.daemon.send_signal(number)

    def stop(self, number: int = signal.SIGTERM, within: float = 20.0) -> int:
        """End the daemon, by force where it does not obey; its exit code."""
        process, self.daemon = self.daemon, None
        if process is None:
            return 0
        process.send_signal(number)
        try:
            return process.wait(within)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.wrong.append(f"the daemon did not end within {within:.0f} s of signal {number}")
            return -1

    def daemon_output(self) -> str:
        """What the daemon said to its terminal and its log."""
        files = [self.top / "daemon.txt", *(self.top / "state").rglob("*.log")]
        return "\n".join(file.read_text("utf-8", "replace") for file in files if file.is_file())

    def worked(self) -> float:
        """Seconds of CPU that the daemon has used; 0 where the system does not say."""
        try:
            fields = (
                Path(f"/proc/{self.daemon.pid if self.daemon else 0}/stat")
                .read_text()
                .rpartition(")")[2]
                .split()
            )
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # -- asking -----------------------------------------------------------------------------------------

    def command(
        self, *argv: str, within: float = 60.0, root: Path | None = None, alone: bool = False
    ) -> Done:
        """Run a command line in a process of its own; it goes to the daemon where one runs, unless `alone`."""
        env = {**self.env, "XDG_STATE_HOME": str(self.top / "nobody")} if alone else self.env
        done = subprocess.run(
            [sys.executable, "-m", "aurelius", *argv, "--vault", str(root or self.root)],
            env=env,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=within,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def finds(self, word: str) -> list[str]:
        """The paths of the notes that a search finds for a word; an error counts as failed."""
        done = self.command("search", word, "--mode", "keyword", "--paths")
        if (
            done.code
            or "bug in Aurelius" in done.err
            or "index failed" in done.err
            or "left out" in done.err
        ):
            self.wrong.append(f"search {word}: {done.code} {done.err}")
        return done.out.splitlines()

    def served(self) -> int:
        """How many commands the daemon has answered."""
        told = json.loads(self.command("daemon", "status", "--json").out)
        return int(told["served"])

    @contextlib.contextmanager
    def reading(self, *, alone: bool = False) -> Iterator[Reader]:
        """A reader that searches all the while; with `alone` every other search goes without the daemon.

        A search of its own makes the index right: where the daemon is to be found out, there is none.
        """
        reader = Reader(self, alone=alone)
        self.readers.append(reader)
        with reader:
            yield reader

    @contextlib.contextmanager
    def unreachable(self) -> Iterator[None]:
        """While the vault is away, an error is the right answer."""
        self.away += 1
        try:
            yield
        finally:
            self.away += 1

    # -- waiting and proving ------------------------------------------------------------------------------

    @staticmethod
    def until(true: Callable[[], bool], within: float, why: str) -> float:
        """Wait until something holds; the seconds it took.  TimeoutError."""
        began = time.monotonic()
        while not true():
            if time.monotonic() - began > within:
                raise TimeoutError(f"{why}, {within:.0f} s later")
            time.sleep(0.01)
        return time.monotonic() - began

    @property
    def settings(self) -> Settings:
        """What the index is made from."""
        vault = Vault.find(str(self.root), self.env, "/", now=datetime.datetime(2026, 2, 10, 12))
        try:
            return vault.settings
        finally:
            vault.close()

    def rows(self) -> tuple[dict[str, bytes], int]:
        """Path → hash of the notes in the index as it is, without a pass, and its generation."""
        index = open_index(self._folder(), write=False)
        if index is None:
            return {}, 0
        try:
            rows = index.db.execute("SELECT path, sha256 FROM note").fetchall()
            return {str(path): bytes(sha) for path, sha in rows}, index.generation  # type: ignore[arg-type]  # rows
        finally:
            index.close()

    def _folder(self) -> str:
        if not hasattr(self, "_index_folder"):
            self._index_folder = self.settings.folder
        return self._index_folder

    def missing(self) -> list[str]:
        """The notes that the index has not as they were last saved, or has though they are gone."""
        try:
            rows = self.rows()[0]
        except (apsw.Error, OSError) as error:
            return [f"the index cannot be read: {error}"]
        if rows == self.ledger:
            return []
        odd = sorted(
            path
            for path in rows.keys() | self.ledger.keys()
            if rows.get(path) != self.ledger.get(path)
        )
        return [
            f"{path} ({'gone' if path not in self.ledger else 'new' if path not in rows else 'old'})"
            for path in odd
        ]

    def settle(self, within: float = 20.0) -> float:
        """Wait until the index has every last save though nobody asks; in seconds.  TimeoutError names some."""
        began = looked = time.monotonic()
        while missing := self.missing():
            now = time.monotonic()
            if now - began > within:
                raise TimeoutError(
                    f"{len(missing)} notes are not indexed as saved after {within:.0f} s: {missing[:5]}"
                )
            time.sleep(
                max(0.01, 9 * (now - looked))
            )  # whoever looks must not take the machine from the daemon
            looked = time.monotonic()
        return time.monotonic() - began

    def changed_notes(self) -> list[str]:
        """The notes whose bytes are not what the storm left."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if name.endswith(".md") and not name.startswith("."):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.root).replace(os.sep, "/")] = (
                            hashlib.sha256(file.read())
                        )
        digests = {path: each.digest() for path, each in found.items()}
        return sorted(
            path
            for path in digests.keys() | self.ledger.keys()
            if digests.get(path) != self.ledger.get(path)
        )

    def prove(self, within: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is lost, and what `verify` and the ledger say is different."""
        from indexer.refresh.verify import verify

        lost: tuple[str, ...] = ()
        try:
            self.latencies.append(self.settle(within))
        except TimeoutError:
            lost = tuple(self.missing())
        found = verify(self.settings, now=time.time())
        differences = [
            f"{each.path}: {each.part}: {each.what}"
            for each in (*found.differences, *found.repaired)
        ]
        for what, paths in (
            ("failed", found.failed),
            ("held", found.held),
            ("unsettled", found.unsettled),
        ):
            differences += [f"{what}: {path}" for path in paths]
        differences += [f"{path}: its bytes changed" for path in self.changed_notes()]
        differences += [
            line
            for line in self.daemon_output().splitlines()
            if "Traceback" in line or "bug in Aurelius" in line
        ]
        inside = sorted(os.listdir(self.root / ".aurelius"))
        differences += [
            f".aurelius holds {name}" for name in inside if name not in {"config.toml", "log"}
        ]
        return lost, tuple(differences + self.wrong)

    def close(self) -> None:
        """End everything that was started."""
        for reader in self.readers:
            reader.end()
        if self.daemon is not None:
            with contextlib.suppress(ProcessLookupError):
                self.daemon.send_signal(getattr(signal, "SIGCONT", 0))
            self.stop()


class Reader(threading.Thread):
    """Searches for the canary over and over, as a command that the daemon answers where it can."""

    def __init__(self, place: Place, *, alone: bool) -> None:
        super().__init__(daemon=True)
        self.place = place
        self.alone = alone
        self.failed: list[str] = []
        self.searches = 0
        self.slowest = 0.0
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        self._over.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        while not self._over.is_set():
            before = self.place.away
            began = time.monotonic()
            try:
                done = self.place.command(
                    "search", CANARY, "--paths", alone=self.alone and self.searches % 2 == 1
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                done = Done(-1, "", str(error))
            self.searches += 1
            self.slowest = max(self.slowest, time.monotonic() - began)
            away = before % 2 == 1 or self.place.away != before
            if wrong := self._wrong(done, away=away):
                self.failed.append(f"{wrong}: {done}")
            self._over.wait(PACE if self.place.full else 6 * PACE)

    @staticmethod
    def _wrong(done: Done, *, away: bool) -> str:
        if "Traceback" in done.err or "bug in Aurelius" in done.err:
            return "a bug"
        if done.code == 0 and done.out.count("harbour/lantern-") == 3:
            return ""
        if away:
            return "" if done.err else "an empty answer without a word"
        return "failed" if done.code else "wrongly empty"
