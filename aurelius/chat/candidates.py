"""The lines that may answer a question, each with what speaks for it.

They are every line of the hits of a search, of the pages that the question names, and of other
notes that name these pages.
"""

from __future__ import annotations

import re
from datetime import date
from functools import partial
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from aurelius.memory.lines import (
    NoteFacts,
    by_line,
    is_guess,
    line_at,
    line_of_fact,
    odds,
    statements_at,
)
from indexer.catalog.filters import Filters
from indexer.reading.path_meaning import name_words
from indexer.search.generated import generated_kind
from indexer.spelling import single_spaced
from indexer.tokens.english import FRAMES, STOP

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from aurelius.memory.lines import Line
    from aurelius.vault import Vault
    from indexer.note import Fact
    from indexer.search.hit import Hit, SearchResult
    from indexer.tokens.embed import Encoder

    from .talk import TalkQuestion

MOST_ANSWER_HITS = 50
_MOST_NOTE_LINES = 60
_MOST_MENTIONS = 30
_MOST_ROWS = 60
"""Hits that are looked at, lines of each page that is named, lines elsewhere that name it, and rows
of a table."""
_MOST_ABOVE = 80
"""Letters of a list item that count for those nested under it."""
_HALF_RECENT_DAYS = 90
"""Days after which a line is half as recent as one of today."""
_UNDATED = 0.3
"""How recent a line without a date is."""
_LINKS = re.compile(r"https?://\S+|#\S+")
OF_CANDIDATE = {
    "start": -7.5,
    "place": 0.5,
    "score": 1.2,
    "held": 4.4,
    "alike": 2.4,
    "answers": 1.4,
    "recent": 3.6,
    "other": -1.0,
}
"""What counts for a line that it answers, as logarithms of odds, beside `start`: its place among
the hits, its score beside the best one's; the share of the question that it holds with what stands
above it; its nearness in meaning; that it holds a time, a sum … where one is asked for; how recent
it is; that it is about another page than those that are named. A regression over the committed
questions."""


class AnswerLine(NamedTuple):
    """A line that may answer, what speaks for it, and that as a logarithm of odds."""

    line: Line
    evidence: Mapping[str, float]
    odds: float


class FoundLines(NamedTuple):
    """The candidates of a question, the likeliest first, and the search that they come from."""

    result: SearchResult
    candidates: Sequence[AnswerLine]


class _Brought(NamedTuple):
    """A line with what stands above it, and the hit that brought it with its place among the hits;
    none for a line of a page that the question names."""

    line: Line
    around: str
    rank: int
    hit: Hit | None

    @property
    def place(self) -> float:
        """1 for the first hit, a half for the second …, 0 for what no hit brought."""
        if self.hit is None:
            return 0.0
        return 1 / (1 + self.rank)

    @property
    def score(self) -> float:
        """The score of its hit."""
        if self.hit is None:
            return 0.0
        return self.hit.score


class _Lines:
    """The lines that were gathered, each once, with the hit that brought it."""

    def __init__(self, vault: Vault, filters: Filters) -> None:
        self.vault = vault
        self.filters = filters
        self.facts = NoteFacts(vault)
        self.past: set[tuple[str, str]] = set()
        self.found: dict[tuple[str, int], _Brought] = {}

    def gather(self, hits: Sequence[Hit], names: Sequence[str]) -> None:
        """Gather the lines of hits, and of pages and what names them."""
        from indexer.catalog.lists import get_keyed
        from indexer.catalog.mentions import mentions_of

        keys = [hit.id for hit in hits if hit.id]
        keyed = get_keyed(self.vault.db, keys, private=False)
        facts = {(path, fact.key): fact for path, fact in keyed}
        for rank, hit in enumerate(hits):
            fact = facts.get((hit.path, hit.id))
            if fact is None:
                self._take(hit.path, hit.lines, rank, hit)
            elif self._may_answer(fact) and not generated_kind(hit.path, "".join(hit.heading[-1:])):
                self._put(self._line_of(hit.path, fact), rank, hit, hit.heading)
        for path in names:
            self._take(path, (1, None), -1, None)
            if self.filters.hides_past:
                naming = mentions_of(self.vault.db, path, private=False, limit=_MOST_MENTIONS)
                for each in naming:
                    self._take(each.path, (each.line, each.line), -1, None)

    def _take(self, path: str, span: tuple[int, int | None], rank: int, hit: Hit | None) -> None:
        facts = by_line(self.facts[path].values())
        told = statements_at(self.vault, path, *span)
        for each in islice(told, _MOST_NOTE_LINES):
            fact = facts.get(each.line)
            heading = each.heading or "".join(hit.heading[-1:] if hit else ())
            if generated_kind(path, heading) or not self._may_answer(fact):
                continue
            if fact is None:
                self._put(line_at(self.vault, path, facts, each), rank, hit, (heading, *each.above))
            elif fact.first == each.line:
                self._put(self._line_of(path, fact), rank, hit, (heading, *each.above))

    def _put(self, line: Line | None, rank: int, hit: Hit | None, above: Sequence[str]) -> None:
        """Keep a line, of a table each of its rows, that is not there yet."""
        if line is None:
            return
        told = [each[:_MOST_ABOVE] for each in above if each]
        for row in self._rows(line):
            said = row
            if not _says_something(row):
                if not told:
                    continue
                said = row._replace(said=f"under “{told[-1]}”")
            self.found.setdefault(row.place, _Brought(said, " ".join(told), rank, hit))

    def _line_of(self, path: str, fact: Fact) -> Line | None:
        """A fact as a line, one that no longer holds too."""
        clock = self.vault.clock
        if fact.status == "superseded":
            self.past.add((path, fact.key))
            fact = fact._replace(status="active", type="fact")
        return line_of_fact(path, fact, clock)

    def _rows(self, line: Line) -> Iterator[Line]:
        """A line, or of a table each of its rows."""
        if not line.text.startswith("|"):
            yield line
            return
        first = line.lines[0]
        rows = self.vault.read(f"{line.path}:{first}-{first + _MOST_ROWS}").lines
        for number, row in enumerate(takewhile(lambda row: row.startswith("|"), rows), first):
            if number > first and re.search(r"\w", row):
                words = single_spaced(row.strip("| "))
                place = (number, number)
                yield line._replace(key=f"{line.path}:{number}", lines=place, text=words)

    def _may_answer(self, fact: Fact | None) -> bool:
        """Whether the filters leave a fact, and it is no guess."""
        if fact is None:
            return True
        if is_guess(fact):
            return False
        if self.filters.hides_past:
            return fact.status != "superseded"
        day = self.filters.as_of
        if not day:
            return True
        is_over = fact.status == "superseded" and (fact.until or "") <= day
        return not is_over and (fact.date or "") <= day


def _says_something(line: Line) -> bool:
    """Whether a line is more than a link, a tag or one word."""
    return len(_LINKS.sub(" ", line.text).split()) > 1


def find_candidates(vault: Vault, asked: TalkQuestion, filters: Filters) -> FoundLines:
    """The lines that may answer a question, of those that `filters` leave."""
    from indexer.search.query import SearchQuery

    query = SearchQuery(asked.text, filters=filters, limit=MOST_ANSWER_HITS)
    result = vault.search(query)
    lines = _Lines(vault, filters)
    lines.gather(result.hits, asked.names)
    made = _weighed(lines, asked, vault.model(query))
    return FoundLines(result, sorted(made, key=lambda each: -each.odds))


class _Scales:
    """What a question is weighed by: its words, with and without the names in it, and what its
    answer has to hold."""

    def __init__(self, lines: _Lines, asked: TalkQuestion, encoder: Encoder | None) -> None:
        from indexer.search.coverage import Coverage
        from indexer.search.evidence import Holds, wanted_in_answer

        vault = lines.vault
        index = vault.index()
        words = _telling_words(asked, vault.clock.today.isoformat())
        self.paths = asked.names
        self.names = _names_of(vault, asked.names)
        self.whole = Holds(Coverage(index, " ".join(words), encoder))
        self.wants = wanted_in_answer(asked.text)
        self.filters = lines.filters
        self.past = lines.past
        self.day = vault.clock.today
        if self.filters.as_of:
            self.day = date.fromisoformat(self.filters.as_of)

    def weigh(self, line: Line, text: str, around: str) -> dict[str, float]:
        """What speaks for a line, whose text without links is given, and what stands above it."""
        from indexer.search.evidence import answers

        is_other = bool(self.names) and not self._is_about(line)
        return {
            "held": self.whole.share(f"{text} {around}"),
            "answers": answers(self.wants, line.text),
            "recent": self._timely(line),
            "other": float(is_other),
        }

    def _timely(self, line: Line) -> float:
        """How near a line is to the day that is asked about; where what was before is asked for,
        whether it no longer holds."""
        if self.filters.status == "all":
            return float((line.path, line.key) in self.past)
        return _recent(line.date, self.day)

    def _is_about(self, line: Line) -> bool:
        """Whether a line stands on a page that is named, or names one."""
        if line.path in self.paths:
            return True
        return any(_is_among(word, self.names) for word in name_words(line.text))


def _telling_words(asked: TalkQuestion, today: str) -> list[str]:
    """The words of a question that say what it asks for."""
    from indexer.search.asked import question_without_days
    from indexer.search.query import clean_query

    text = asked.text
    if asked.days:
        text = question_without_days(text, today)
    words = [*clean_query(text).words]
    return [word for word in words if word.replace("'", "") not in FRAMES] or words


def _is_among(word: str, names: Collection[str]) -> bool:
    """Whether a word is one of some names, or its plural or possessive form."""
    bare = word.removesuffix("'s")
    return bare in names or bare.removesuffix("s") in names


def _weighed(lines: _Lines, asked: TalkQuestion, encoder: Encoder | None) -> Iterator[AnswerLine]:
    """Lines with what speaks for each."""
    from indexer.catalog.lists import get_titles
    from indexer.search.by_vectors import weights
    from indexer.search.evidence import text_likeness
    from indexer.search.text_content import unlinked

    vault = lines.vault
    found = list(lines.found.values())
    scales = _Scales(lines, asked, encoder)
    texts = [unlinked(each.line.text) for each in found]
    weigh = partial(weights, vault.index().db)
    near = text_likeness(encoder, weigh, [asked.text, *texts])
    titles = get_titles(vault.db, {each.line.path for each in found}, private=False)
    best = max((each.score for each in found), default=0.0) or 1.0
    for each, text, likeness in zip(found, texts, near, strict=True):
        if not _says_something(each.line) and scales.whole.share(text):
            continue  # it leads to other lines, and says nothing by itself
        around = f"{each.around} {titles.get(each.line.path, '')}"
        evidence = scales.weigh(each.line, text, around)
        evidence["place"] = each.place
        evidence["score"] = each.score / best
        evidence["alike"] = likeness
        yield AnswerLine(each.line, evidence, odds(OF_CANDIDATE, evidence))


def _recent(day: str, asked: date) -> float:
    """How near a line's day is to the one that is asked about: 1 for that one, a half after
    `_HALF_RECENT_DAYS`."""
    try:
        apart = (asked - date.fromisoformat(day)).days
    except ValueError:
        return _UNDATED
    return 1 / (1 + abs(apart) / _HALF_RECENT_DAYS)


def _names_of(vault: Vault, paths: Sequence[str]) -> frozenset[str]:
    """The words of the names of some pages."""
    from indexer.catalog.graph import get_called

    found = get_called(vault.db, private=False, paths=paths) if paths else ()
    named = " ".join(" ".join(each.names) for each in found)
    return frozenset(name_words(named)) - STOP
