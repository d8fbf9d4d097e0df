"""A person's own questions and the notes that answer them: read from a file, asked in their vault,
and scored."""

from __future__ import annotations

import math
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from aurelius import Vault
from indexer.errors import AmbiguousNameError, NoteNotFoundError, UsageError
from indexer.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from indexer.search.hit import Hit, SearchResult

MEASURES = ("R@1", "R@5", "R@10", "MRR@10", "nDCG@10")
PLACES = 10
"""Places of a ranking that count."""
HITS = 30
"""Hits asked for: several may be of one note."""
FORM = (
    "write QUESTION, a tab, and the path of the note that answers it; a line that begins with # is"
    " a comment"
)


class Question(NamedTuple):
    """A question, the line it stands on first, and its right answers with their lines."""

    text: str
    line: int
    wanted: tuple[tuple[str, int], ...]


class Placed(NamedTuple):
    """A question that was asked: the notes that answer it, those found at the first ten places,
    and what it took."""

    text: str
    line: int
    wanted: tuple[str, ...]
    found: tuple[tuple[str, ...], ...]
    ms: float

    @property
    def place(self) -> int:
        """The place of the first right answer, from 1; 0 where none is among the first ten."""
        wanted = set(self.wanted)
        places = enumerate(self.found, 1)
        return next((place for place, notes in places if not wanted.isdisjoint(notes)), 0)


class Score(NamedTuple):
    """How well search answered: the questions asked, in which mode, and what was wrong with answers
    given.

    `unknown` are answers that name no note, with their lines and why; a question without another is
    not asked.
    """

    asked: tuple[Placed, ...]
    mode: str
    unknown: tuple[tuple[int, str, str], ...]

    def within(self, places: int) -> int:
        """How many questions have a right answer among so many notes."""
        return sum(0 < each.place <= places for each in self.asked)

    @property
    def ms(self) -> float:
        """The median time of a question."""
        return statistics.median(each.ms for each in self.asked) if self.asked else 0.0

    @property
    def means(self) -> dict[str, float]:
        """MEASURES over all questions."""
        rows = [marks(each.wanted, each.found) for each in self.asked]
        return {
            name: statistics.fmean(row[at] for row in rows) if rows else 0.0
            for at, name in enumerate(MEASURES)
        }


class Searched(Protocol):
    """What asking needs of a vault."""

    def search(self, query: SearchQuery) -> SearchResult:
        """The hits of a query."""
        ...

    def resolve(self, name: str, *, private: bool = False) -> str:
        """The path of the note that a name means."""
        ...


def places_of(hits: Iterable[Hit], struck: Iterable[str] = ()) -> tuple[tuple[str, ...], ...]:
    """The notes at each place of a ranking, each at its best, without those that are `struck`.

    A hit names the notes that say the same (`also`): they are shown with it, so they have its
    place.
    """
    seen = set(struck)
    places = []
    for hit in hits:
        named = dict.fromkeys((hit.path, *(path for path, _ in hit.also)))
        notes = tuple(path for path in named if path not in seen)
        if notes:
            places.append(notes)
            seen.update(notes)
    return tuple(places)


def marks(relevant: Iterable[str], found: Sequence[Collection[str]]) -> tuple[float, ...]:
    """MEASURES of one ranking: the notes at each place, each of which stands in it once.

    Where two right notes share a place nDCG could pass 1: it counts as 1.
    """
    wanted = set(relevant)
    counts = [(rank, len(wanted.intersection(notes))) for rank, notes in enumerate(found, 1)]
    ranks = [rank for rank, count in counts[:PLACES] for _ in range(count)]
    recall = [sum(rank <= most for rank in ranks) / len(wanted) for most in (1, 5, 10)]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), PLACES) + 1))
    return (
        *recall,
        1 / ranks[0] if ranks else 0.0,
        min(1.0, sum(1 / math.log2(rank + 1) for rank in ranks) / ideal),
    )


def parse(data: bytes, name: str) -> tuple[Question, ...]:
    """The questions of a file; UsageError, with its line, for one that is not
    `QUESTION<TAB>PATH`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name}:{bad}: this is not UTF-8 text", "save the file as UTF-8"
        ) from error
    found: dict[str, Question] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        question, _, path = (part.strip() for part in line.partition("\t"))
        if "\t" not in line:
            raise UsageError(
                f"{name}:{number}: there is no tab between a question and a path", FORM
            )
        if not question or not path:
            raise UsageError(
                f"{name}:{number}: the {'path' if question else 'question'} is missing", FORM
            )
        if "\t" in path:
            raise UsageError(
                f"{name}:{number}: there are two tabs: give each answer its own line", FORM
            )
        earlier = found.get(question, Question(question, number, ()))
        found[question] = earlier._replace(wanted=(*earlier.wanted, (path, number)))
    if not found:
        raise UsageError(f"there is no question in {name}", FORM)
    return tuple(found.values())


def ask(vault: Searched, questions: Iterable[Question], query: SearchQuery) -> Score:
    """Ask the questions in a vault, each as `query` with its text."""
    asked: list[Placed] = []
    unknown: list[tuple[int, str, str]] = []
    mode = query.mode
    for each in questions:
        wanted = []
        for path, line in each.wanted:
            try:
                wanted.append(vault.resolve(path))
            except (AmbiguousNameError, NoteNotFoundError) as error:
                unknown.append((line, path, error.message))
        if wanted:
            began = time.perf_counter()
            result = vault.search(query._replace(text=each.text))
            took = (time.perf_counter() - began) * 1000
            found = places_of(result.hits)[:PLACES]
            asked.append(Placed(each.text, each.line, tuple(dict.fromkeys(wanted)), found, took))
            mode = result.mode
    return Score(tuple(asked), mode, tuple(unknown))


def measure(file: Path, root: Path | None, mode: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The tables of the questions of a file, asked in a vault; nothing counts as a use.

    `root` is a folder of the vault, None for the one that a command would use here. UsageError for
    a bad file.
    """
    try:
        asked = parse(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", FORM) from error
    with Vault.open(str(root) if root else None) as vault:
        score = ask(vault, asked, SearchQuery("", mode, limit=HITS))
    total = len(score.asked)
    sums: list[tuple[str, ...]] = [
        ("mode", "questions", "first", "within 5", "within 10", *MEASURES, "ms")
    ]
    means = (f"{value:.3f}" for value in score.means.values())
    within = (str(score.within(places)) for places in (1, 5, PLACES))
    sums.append((score.mode, str(total), *within, *means, f"{score.ms:.1f}"))
    missed: list[tuple[str, ...]] = [("the right note was not first", "wanted", "place", "came")]
    for each in score.asked:
        if each.place != 1:
            place = str(each.place or f"not among {PLACES}")
            came = ", ".join(first for first, *_ in each.found[:3]) or "nothing"
            missed.append(
                (f"{file.name}:{each.line}: {each.text}", " or ".join(each.wanted), place, came)
            )
    wrong: list[tuple[str, ...]] = [("an answer that names no note", "why")]
    wrong += [(f"{file.name}:{line}: {path}", why) for line, path, why in score.unknown]
    tables = [("own questions", sums), ("misses", missed), ("not asked", wrong)]
    return [(title, rows) for title, rows in tables if len(rows) > 1]
