"""The reading rows of the numbers to reach: what refresh, search, index and installation cost.

Every figure is CPU time, children included, beside a floor measured in the same run.  Steps take
turns, each in a process of its own, so that a slow minute of the machine hits all of them; figures
are medians, and ratios those of the medians with those of the fastest runs in brackets.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Numbers = dict[str, float]

ROOT = Path(__file__).resolve().parents[2]
SHORT = 5
"""Runs of a short step for each of a long one."""


# -- steps: `python reading.py STEP VAULT FOLDER` runs one and prints its numbers as JSON --------


def notes_of(vault: str) -> Iterator[str]:
    """Every Markdown file outside dot-folders, each stat'ed: the least that a pass over a vault has
    to do."""
    pending = [vault]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(".md"):
                    entry.stat(follow_symlinks=False)
                    yield entry.path


def walk(vault: str, _: str) -> Numbers:
    """A stat walk."""
    return {"notes": sum(1 for _ in notes_of(vault))}


def floor(vault: str, folder: str) -> Numbers:
    """Read every note, hash it, and put its text into one FTS5 table in one transaction."""
    import apsw

    Path(folder).mkdir()
    db = apsw.Connection(f"{folder}/floor.db")
    db.execute("PRAGMA journal_mode=WAL").fetchall()
    db.execute("CREATE VIRTUAL TABLE note USING fts5(path, text, tokenize='porter unicode61')")
    with db:
        for path in notes_of(vault):
            data = Path(path).read_bytes()
            hashlib.sha256(data).digest()
            db.execute("INSERT INTO note VALUES(?, ?)", (path, data.decode("utf-8", "replace")))
    db.close()
    return {}


def full(vault: str, folder: str) -> Numbers:
    """A pass with vectors, whatever there is to do."""
    return one_pass(vault, folder, vectors=True)


def keyword(vault: str, folder: str) -> Numbers:
    """A pass without vectors."""
    return one_pass(vault, folder, vectors=False)


def one_pass(vault: str, folder: str, *, vectors: bool) -> Numbers:
    """`refresh` with default settings; how many notes it added and changed, and the chunks there
    are now."""
    from indexer.note import Settings
    from indexer.refresh.refresh import refresh

    index, report = refresh(Settings(vault, folder, vectors=vectors), now=time.time())
    chunks = index.db.execute("SELECT count(*) FROM chunk").get
    index.close()
    return {"added": report.added, "changed": report.changed, "chunks": int(str(chunks))}


def profile(vault: str, folder: str) -> Numbers:
    """A full pass under the profiler, whose report goes to stderr."""
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    profiler.runcall(full, vault, folder)
    pstats.Stats(profiler, stream=sys.stderr).strip_dirs().sort_stats("tottime").print_stats(25)
    return {}


def child(step: str, vault: str, folder: str) -> None:
    """Run a step; its numbers, CPU seconds, wall seconds and peak memory."""
    sys.path.insert(0, str(ROOT))
    import indexer.refresh.refresh  # noqa: F401  # what it costs to import is in the row of a cold search

    began, before = time.perf_counter(), cpu()
    found = {"walk": walk, "floor": floor, "full": full, "keyword": keyword, "profile": profile}[
        step
    ](vault, folder)
    numbers = {"cpu": cpu() - before, "wall": time.perf_counter() - began}
    print(json.dumps(found | numbers | {"peak": peak(resource.getrusage(resource.RUSAGE_SELF))}))


def cpu() -> float:
    """CPU seconds of this process and its children so far."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def peak(usage: resource.struct_rusage) -> float:
    """Peak memory in bytes."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# -- measuring -------------------------------------------------------------------------


class Place(NamedTuple):
    """Where a run works: a folder of its own, a copy of the vault, an index of it, an
    environment."""

    folder: Path
    vault: Path
    live: Path
    env: dict[str, str]

    def step(self, name: str, index: Path | None = None) -> Numbers:
        """A step in a child."""
        command = [sys.executable, __file__, name, str(self.vault), str(index or self.live)]
        return dict(
            json.loads(
                subprocess.run(command, env=self.env, stdout=subprocess.PIPE, check=True).stdout
            )
        )

    def anew(self, name: str) -> Numbers:
        """A step that makes an index, with a folder that is gone afterwards."""
        folder = self.folder / "anew"
        found = self.step(name, folder)
        shutil.rmtree(folder)
        return found

    def process(self, *command: str) -> Numbers:
        """A whole process."""
        with (self.folder / "errors").open("w+") as errors:
            started = subprocess.Popen(
                command, env=self.env, stdout=subprocess.DEVNULL, stderr=errors
            )
            _, status, usage = os.wait4(started.pid, 0)
            started.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if started.returncode:
                sys.exit(f"{' '.join(command)}: exit code {started.returncode}\n{errors.read()}")
        return {"cpu": usage.ru_utime + usage.ru_stime, "peak": peak(usage)}

    def edit(self) -> Numbers:
        """One note edited, then a pass."""
        note = self.vault / "bench-edited.md"
        with note.open("a", encoding="utf-8") as file:
            file.write(f"\n- A line written at {time.time_ns()}.\n")
        found = self.step("full")
        if found["added"] + found["changed"] != 1:
            sys.exit(f"one note was edited, and the pass found {found}")
        return found

    def settle(self) -> Numbers:
        """A pass when the edited note is old enough that its key proves something."""
        time.sleep(2.1)
        return self.step("full")


def in_turn(runs: int, steps: dict[str, Callable[[], Numbers]]) -> dict[str, list[Numbers]]:
    """Every step `runs` times, one after the other in turn."""
    found: dict[str, list[Numbers]] = {name: [] for name in steps}
    for run in range(runs):
        for name, step in steps.items():
            if sys.stderr.isatty():
                print(
                    f"\r{name}, run {run + 1} of {runs}".ljust(60),
                    end="\r",
                    file=sys.stderr,
                    flush=True,
                )
            found[name].append(step())
    return found


def measure(
    vault: Path | None, *, runs: int, profile: bool
) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The table, for a vault or for one made here."""
    with tempfile.TemporaryDirectory() as name:
        place = prepare(Path(name), vault)
        if profile:
            place.anew("profile")
        long = in_turn(
            runs, {step: partial(place.anew, step) for step in ("floor", "keyword", "full")}
        )
        first = place.step("full")
        place.edit()
        short = in_turn(runs * SHORT, short_steps(place))
        sizes = Sizes(place, first)
        title = (
            f"{vault or 'a vault made here'}: {sizes.notes:,} notes, {sizes.bytes / 1e6:.1f} MB,"
            f" {sizes.chunks:,} chunks; CPU of Python {sys.version.split()[0]}, {os.cpu_count()}"
            f" cores; medians of {runs} and {runs * SHORT} runs"
        )
        return [
            (title, [("what", "figure", "floor", "ratio", "goal", ""), *rows(long, short, sizes)])
        ]


def prepare(folder: Path, vault: Path | None) -> Place:
    """A copy of the vault, so that a note can be edited, and an environment that knows nothing of
    the person."""
    copy = folder / "vault"
    if vault is None:
        make_vault(copy)
    else:
        shutil.copytree(vault, copy, symlinks=True)
    env = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    env |= {"HOME": str(folder), "AURELIUS_INDEX": str(folder / "index")}
    sys.path.insert(0, str(ROOT))
    from aurelius.settings.config import index_folder, load_config

    return Place(folder, copy, Path(index_folder(load_config(str(copy), env))), env)


def short_steps(place: Place) -> dict[str, Callable[[], Numbers]]:
    """The steps that take milliseconds."""
    empty = place.folder / "empty"
    (place.folder / "nothing.py").write_text("def main():\n    return 0\n")
    empty.write_text(
        f"#!{sys.executable}\nimport sys\nfrom nothing import main\nif __name__ == '__main__':\n   "
        " sys.exit(main())\n"
    )
    empty.chmod(0o755)
    installed = Path(sys.executable).parent / "aurelius"
    aurelius = [str(installed)] if installed.exists() else [sys.executable, "-m", "aurelius"]
    place.env["PYTHONPATH"] = str(ROOT) if not installed.exists() else ""
    questions = iter(sample(place) * 1000)
    return {
        "bare": lambda: place.process(sys.executable, "-c", "pass"),
        "script": lambda: place.process(str(empty)),
        "walk": lambda: place.step("walk"),
        "none": lambda: place.step("full"),
        "one": place.edit,
        "settle": place.settle,
        "search": lambda: place.process(
            *aurelius, "--vault", str(place.vault), "search", "--", next(questions)
        ),
        "words": lambda: place.process(
            *aurelius,
            "--vault",
            str(place.vault),
            "search",
            "--mode",
            "keyword",
            "--",
            next(questions),
        ),
    }


def sample(place: Place) -> list[str]:
    """Questions for the vault: titles of notes here and there."""
    titles = []
    for path in sorted(notes_of(str(place.vault)))[::97]:
        heading = re.search(
            r"^#+ +(.+)$|^title: *(.+)$", Path(path).read_text("utf-8", "replace"), re.MULTILINE
        )
        if heading:
            titles.append("what is " + (heading[1] or heading[2]).strip("'\" "))
    return titles or ["what is this"]


class Sizes:
    """How much there is: of vault, index and installation."""

    def __init__(self, place: Place, first: Numbers) -> None:
        paths = list(notes_of(str(place.vault)))
        self.notes, self.chunks = len(paths), int(first["chunks"])
        self.bytes = sum(Path(path).stat().st_size for path in paths)
        self.index = weight(place.live)
        self.venv = weight(Path(sys.prefix))
        self.card = cards()


def weight(folder: Path) -> int:
    """The bytes of all files below a folder but .pyc."""
    return sum(
        path.lstat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    )


def cards() -> int:
    """The bytes of Aurelius and of every package it needs, and those need, without .pyc."""
    own = sum(weight(ROOT / name) for name in ("aurelius", "indexer", "vault_template"))
    pending, seen, total = ["aurelius-vault"], set[str](), own
    while pending:
        name = re.sub(r"[-_.]+", "-", pending.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # not for this platform
        if name != "aurelius-vault":
            files = [Path(str(file.locate())) for file in found.files or []]
            total += sum(
                file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc"
            )
        needs = [line for line in found.requires or [] if "extra ==" not in line]
        pending += [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in needs]
    return total


# -- the table -------------------------------------------------------------------------


def rows(
    long: dict[str, list[Numbers]], short: dict[str, list[Numbers]], sizes: Sizes
) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    took = {name: [run["cpu"] for run in found] for name, found in (long | short).items()}
    cold = [search - walked for search, walked in zip(took["search"], took["walk"], strict=True)]
    cold_words = [
        search - walked for search, walked in zip(took["words"], took["walk"], strict=True)
    ]
    most = 6 + 4 * max(0.0, (sizes.chunks - 10_000) / 90_000)
    yield row("full refresh, without vectors", took["keyword"], took["floor"], 10)
    yield row("full refresh, with vectors", took["full"], took["floor"], 18)
    yield row("no-change refresh, beside a stat walk", took["none"], took["walk"], 1.5)
    yield row("one-file refresh, beside a stat walk", took["one"], took["walk"])
    yield row("cold search, less the stat walk, beside bare", cold, took["bare"], most)
    yield row("cold search by keyword alone, the same", cold_words, took["bare"])
    yield row("an empty console script, beside bare", took["script"], took["bare"])
    yield amount("full refresh, wall", statistics.median(run["wall"] for run in long["full"]), "s")
    yield amount("index, beside the vault", sizes.index / 1e6, "MB", sizes.bytes / 1e6)
    yield amount(
        "peak memory of a full refresh", max(run["peak"] for run in long["full"]) / 1e6, "MB"
    )
    yield amount("peak memory of a search", max(run["peak"] for run in short["search"]) / 1e6, "MB")
    yield amount("installed: this environment", sizes.venv / 1e6, "MB")
    yield amount("installed: Aurelius and what it needs", sizes.card / 1e6, "MB", goal=160)


def row(
    what: str, found: list[float], beside: list[float], goal: float | None = None
) -> tuple[str, ...]:
    """A row of times."""
    ratio, best = statistics.median(found) / statistics.median(beside), min(found) / min(beside)
    judged = (
        ("", "") if goal is None else (f"≤ {goal:.3g} ×", "met" if ratio <= goal else "not met")
    )
    return (what, seconds(found), seconds(beside), f"{ratio:.2f} × ({best:.2f})", *judged)


def seconds(found: list[float]) -> str:
    """The median of some times."""
    middle = statistics.median(found)
    return f"{middle:.2f} s" if middle >= 1 else f"{middle * 1000:.1f} ms"


def amount(
    what: str, found: float, unit: str, beside: float = 0, goal: float = 0
) -> tuple[str, ...]:
    """A row of one figure."""
    judged = (f"≤ {goal:.0f} {unit}", "met" if found <= goal else "not met") if goal else ("", "")
    ratio = f"{found / beside:.2f} ×" if beside else ""
    return (what, f"{found:.1f} {unit}", f"{beside:.1f} {unit}" if beside else "", ratio, *judged)


def make_vault(folder: Path, notes: int = 2000) -> None:
    """A vault of made-up notes: common words often, links, bullets, and a daily note in three."""
    chance = random.Random(1)
    pieces = (ROOT / "indexer" / "model" / "vocab.txt").read_text("utf-8").split("\n")
    words = [piece for piece in pieces if piece.isalpha() and len(piece) > 2][:9000]
    weights = [1 / (rank + 3) for rank in range(len(words))]

    def text(count: int) -> str:
        return " ".join(chance.choices(words, weights, k=count)).capitalize() + "."

    for number in range(notes):
        daily = number % 3 == 0
        day = f"{2020 + number // 336 % 6}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}"
        path = folder / (
            f"memory/{day}.md" if daily else f"resources/{number % 20}/{words[number]}-{number}.md"
        )
        parts = [f"# {day if daily else words[number]}"]
        for _ in range(chance.randrange(1, 8)):
            parts += [
                f"## {text(3)}",
                text(80),
                f"See [[{words[chance.randrange(notes)]}]]. {text(60)}",
            ]
            parts += ["\n".join(f"- {text(12)}" for _ in range(chance.randrange(6)))]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", "utf-8")


if __name__ == "__main__":
    child(*sys.argv[1:])
