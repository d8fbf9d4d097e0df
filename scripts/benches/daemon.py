"""The daemon's rows of the numbers to reach: warm search, save to searchable, a burst, rest.

Everything is measured from outside: the installed script as a process, the index through a
connection of its own, the daemon's CPU time, memory and writes as the system tells them (Linux).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Table = tuple[str, list[tuple[str, ...]]]

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 60.0


class Bench:
    """A copy of a vault with a daemon, and a home of its own."""

    def __init__(self, source: Path, place: Path) -> None:
        self.vault = place / "vault"
        self.index = place / "index"
        self.env = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("AURELIUS", "PYTHON", "XDG"))
            },
            "HOME": str(place / "home"),
            "AURELIUS_INDEX": str(self.index),
            "AURELIUS_VAULT": str(self.vault),
        }
        (place / "home").mkdir()
        shutil.copytree(source, self.vault, symlinks=True)
        (self.vault / ".aurelius").mkdir(exist_ok=True)
        self.script = Path(sysconfig.get_path("scripts")) / "aurelius"
        self.empty = self._empty_script(place)
        self.notes = sorted(path for path in self.vault.rglob("*.md") if path.is_file())

    def _empty_script(self, place: Path) -> Path:
        """The installed script again, of a package that does nothing."""
        text = self.script.read_text().replace("aurelius.__main__", "empty_package")
        (place / "empty_package.py").write_text("def main():\n    return 0\n")
        path = place / "empty"
        path.write_text(text)
        path.chmod(0o755)
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", str(place / "empty_package.py")], check=True
        )
        return path

    def run(self, *words: str, **more: str) -> tuple[float, str]:
        """Wall seconds of the installed script, and what it printed."""
        began = time.perf_counter()
        done = subprocess.run(
            [self.script, *words],
            env={**self.env, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.perf_counter() - began
        if done.returncode:
            raise SystemExit(f"aurelius {' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return took, done.stdout

    def run_empty(self) -> float:
        """Wall seconds of the script that does nothing."""
        began = time.perf_counter()
        subprocess.run([self.empty], env=self.env, capture_output=True, check=True)
        return time.perf_counter() - began

    @contextlib.contextmanager
    def daemon(self) -> Iterator[int]:
        """A daemon; its pid."""
        self.run("daemon", "start")
        try:
            yield self.state()["pid"]
        finally:
            self.run("daemon", "stop")

    def state(self) -> dict[str, int]:
        """What the daemon tells of itself."""
        from aurelius.daemon.client import control_daemon
        from aurelius.settings.places import daemon_folder

        found: dict[str, int] = json.loads(
            control_daemon(daemon_folder(str(self.vault), self.env), "status") or b"{}"
        )
        return found

    def connection(self) -> Any:
        """The live index, read past the daemon."""
        import apsw

        (folder,) = self.index.iterdir()
        name = (folder / "current").read_text().splitlines()[0]
        return apsw.Connection(str(folder / name), flags=apsw.SQLITE_OPEN_READONLY)


def measure(source: Path | None, questions: Path | None, *, runs: int, rest: float) -> list[Table]:
    """All rows, on a copy of `source` or on a made vault."""
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        if source is None:
            source = Path(place) / "made"
            _make(source)
        bench = Bench(source, Path(place))
        asked = _questions(questions, bench)
        with bench.daemon() as pid:
            chunks = bench.connection().execute("SELECT count(*) FROM chunk").get
            title = f"daemon: {len(bench.notes)} notes, {chunks} chunks"
            rows = [("what", "figure", "goal"), *_at_rest(bench, pid, rest)]
            rows += _warm(bench, asked, runs)
            rows += _saves(bench, 60)
            rows += _burst(bench, Path(place))
            rows += _events(bench, pid)
    return [(title, rows)]


def _warm(bench: Bench, questions: Sequence[str], runs: int) -> list[tuple[str, ...]]:
    """The installed script beside one that does nothing, in turns; and what the daemon says its
    work took."""
    for question in questions[:3]:
        bench.run("search", question)
    ours: list[float] = []
    empty: list[float] = []
    cold: list[float] = []
    server: list[float] = []
    failed = 0
    for question in (list(questions) * runs)[:runs]:
        empty.append(bench.run_empty())
        ours.append(bench.run("search", "--", question)[0])
    for number in range(max(100, runs)):
        told = json.loads(
            bench.run("search", "--json", "--", questions[number % len(questions)])[1]
        )
        server.append(told["took_ms"])
        failed += not told["index"]["fresh"]
    for question in (list(questions) * 20)[:20]:
        cold += [bench.run("search", "--", question, AURELIUS_NO_DAEMON="1")[0]]
    ratio = statistics.median(ours) / statistics.median(empty)
    return [
        (
            "warm search, wall of the installed script",
            f"{_ms(ours)} ms beside {_ms(empty)} ms: {ratio:.2f} ×",
            "≤ 1.5 ×",
        ),
        ("the same, p95", f"{_ms(ours, 0.95)} ms beside {_ms(empty, 0.95)} ms", ""),
        ("without the daemon", f"{_ms(cold)} ms", ""),
        (
            "server time, p50 (p95)",
            f"{_at(server, 0.5):.1f} ms ({_at(server, 0.95):.1f})",
            "≤ 3 at 10k, ≤ 20 at 100k",
        ),
        ("answers that were not fresh", str(failed), "0"),
    ]


def _saves(bench: Bench, count: int) -> list[tuple[str, ...]]:
    """Seconds from a save to its row in the index, with nobody asking."""
    dice = random.Random(5)
    took = []
    db = bench.connection()
    for number in range(count):
        time.sleep(0.3 + dice.random() * 0.7)
        path, word = dice.choice(bench.notes), f"zq{number}xv"
        text = path.read_text(errors="surrogateescape") + f"\n{word}\n"
        began = time.perf_counter()
        match number % 3:
            case 0:
                path.write_text(text, errors="surrogateescape")
            case 1:
                beside = path.with_name(path.name + ".new")
                beside.write_text(text, errors="surrogateescape")
                os.replace(beside, path)
            case _:
                with path.open("a") as file:
                    file.write(f"\n{word}\n")
        while not db.execute("SELECT 1 FROM chunk_fts WHERE chunk_fts MATCH ?", (word,)).fetchall():
            if time.perf_counter() - began > DEADLINE:
                raise SystemExit(f"{path} was saved and never found")
            time.sleep(0.004)
        took.append(time.perf_counter() - began)
    return [
        (
            "save to searchable, p50 (p95, longest)",
            f"{_at(took, 0.5):.3f} s ({_at(took, 0.95):.3f}, {max(took):.3f})",
            "≤ 0.3 (0.6)",
        )
    ]


def _burst(bench: Bench, place: Path) -> list[tuple[str, ...]]:
    """Many files at once, beside a plain refresh of the same files."""
    some = bench.notes[:2000]
    copy = place / "plain"
    shutil.copytree(bench.vault, copy, symlinks=True)
    env = {
        "AURELIUS_INDEX": str(place / "plain-index"),
        "AURELIUS_VAULT": str(copy),
        "AURELIUS_NO_DAEMON": "1",
    }
    bench.run("index", **env)
    for path in some:
        _append(copy / path.relative_to(bench.vault), "burstword")
    plain, _ = bench.run("index", **env)
    db = bench.connection()
    began = time.perf_counter()
    for path in some:
        _append(path, "burstword")
    wrote = time.perf_counter() - began
    sql = (
        "SELECT count(DISTINCT note) FROM chunk_fts JOIN chunk ON chunk.id = chunk_fts.rowid "
        "WHERE chunk_fts MATCH 'burstword'"
    )
    while db.execute(sql).get < len(some):
        if time.perf_counter() - began > 10 * DEADLINE:
            raise SystemExit("a burst was never found whole")
        time.sleep(0.02)
    took = time.perf_counter() - began
    return [
        (
            f"a burst of {len(some)} files, first write to last found",
            f"{took:.2f} s ({wrote:.2f} s of writing) beside {plain:.2f} s: {took / plain:.2f} ×",
            "≤ 1.5 ×",
        )
    ]


def _append(path: Path, word: str) -> None:
    with path.open("a") as file:
        file.write(f"\n{word}\n")


def _at_rest(bench: Bench, pid: int, seconds: float) -> list[tuple[str, ...]]:
    """CPU, memory and writes of a daemon nobody asks anything."""
    time.sleep(8)  # until it has put the index in order
    before, wrote, stamps = _cpu(pid), _written(pid), _stamps(bench)
    time.sleep(seconds)
    share = (_cpu(pid) - before) / seconds
    changed = [path for path, stamp in _stamps(bench).items() if stamps.get(path) != stamp]
    return [
        (f"at rest for {seconds:.0f} s, share of a core", f"{share * 100:.2f} %", "≤ 0.3 %"),
        ("memory at rest", f"{_memory(pid)} MB", "≤ 120 MB at 10k notes"),
        (
            "bytes written, files of vault and index changed",
            f"{_written(pid) - wrote}, {len(changed)}",
            "0, 0",
        ),
    ]


def _events(bench: Bench, pid: int) -> list[tuple[str, ...]]:
    """Memory after a hundred thousand events."""
    before = _memory(pid)
    some = bench.notes[:200]
    for number in range(100_000):
        os.utime(some[number % len(some)])
    deadline = time.monotonic() + DEADLINE
    while bench.state()["backlog"] and time.monotonic() < deadline:
        time.sleep(0.5)
    time.sleep(6)
    return [("memory before and after 100,000 events", f"{before} and {_memory(pid)} MB", "flat")]


def _make(place: Path) -> None:
    """A vault of some 3,000 notes."""
    from benches import reading

    reading.make_vault(place)


def _questions(file: Path | None, bench: Bench) -> list[str]:
    """Questions to ask: of an evaluation set, else headings of the vault's own notes."""
    if file is not None:
        with file.open(encoding="utf-8") as lines:
            found = [json.loads(line)["query"] for line in lines]
    else:
        texts = [
            path.read_text(errors="replace").split()
            for path in bench.notes[:: max(1, len(bench.notes) // 300)]
        ]
        found = [" ".join(words[len(words) // 2 :][:6]) for words in texts if len(words) > 12]
    random.Random(3).shuffle(found)
    return [text for text in found if text.strip()][:400]


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def _written(pid: int) -> int:
    lines = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(lines["write_bytes"])


def _stamps(bench: Bench) -> dict[str, tuple[int, int]]:
    found = {}
    for place in (bench.vault, bench.index):
        for path in place.rglob("*"):
            stat = path.lstat()
            found[str(path)] = (stat.st_size, stat.st_mtime_ns)
    return found


def _at(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def _ms(values: Sequence[float], share: float = 0.5) -> str:
    return f"{_at(values, share) * 1000:.1f}"
