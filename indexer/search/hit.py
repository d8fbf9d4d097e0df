"""What a search gives: hits, and the answer they are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from indexer.record import NamedTuple
from indexer.usage.tier import Age

if TYPE_CHECKING:
    from indexer.catalog.newer import Newer

    from .query import SearchQuery


class LaterLine(NamedTuple):
    """A line of a note, with its day, "" where that is not known, and what it says."""

    path: str
    line: int
    date: str
    text: str


class NewerOf(NamedTuple):
    """The hit that another one is newer than: its path and line; `about` is the title of the page
    that both are about, `others` are the next nearest lines that are newer than that hit too."""

    about: str
    path: str
    line: int
    others: tuple[LaterLine, ...] = ()

    @property
    def place(self) -> tuple[str, int]:
        """Where that hit begins."""
        return self.path, self.line

    @property
    def label(self) -> str:
        """The words beside the later line, the same wherever it is shown."""
        return f"newer about {self.about}"


class Hit(NamedTuple):
    """One search answer: a chunk with its true line span.

    `id` is the fact's key ("" for a section), `lines` first and last, `score` comparable across
    queries in the default fusion, `text` the lines as they stand in the file, `age` that of the
    fact, `subtype` what is narrower than its type, `milestone` too; `explain`, where asked for, the
    raw values, the weighted legs and the priors; `newer` a later line of its matter,
    `newer_of` the best hit, where this is a later line about the same thing that may have changed
    it; `also` where else the same is said, path and line.
    """

    id: str
    path: str
    lines: tuple[int, int]
    heading: tuple[str, ...]
    title: str
    kind: str
    type: str
    date: str | None
    status: str
    score: float
    text: str
    explain: Mapping[str, Mapping[str, float]] | None = None
    age: Age = Age()
    subtype: str = ""
    newer: Newer | None = None
    grain: str = ""
    newer_of: NewerOf | None = None
    also: tuple[tuple[str, int], ...] = ()


class SearchResult(NamedTuple):
    """The answer to a query: `mode` is the one really used, `filtered` counts what was left out by
    status among the candidates, `truncated` the candidates beyond the limit, `hint` says what to
    try. `weak`: none of them holds a word of the question, so the nearest in meaning are hits, or
    no line carries the days that alone are asked for, and `hint` says that. `asked` is what was
    searched for: the question without its days. `about` is how many of the first hits answer a
    question about a page as a whole. `corrected` is the name that was
    searched for where the question is one misspelt, "" elsewhere: then the answer is weak, and
    `hint` says that.

    Of private notes nothing is told, not even that one matches.
    """

    query: SearchQuery
    mode: str
    fusion: str
    hits: tuple[Hit, ...]
    filtered: Mapping[str, int]
    truncated: int
    hint: str | None
    notices: tuple[str, ...]
    weak: bool = False
    asked: str = ""
    about: int = 0
    corrected: str = ""
