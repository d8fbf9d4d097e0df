"""The answers to a question as `recall` gives them: hits, each with the lines that its links
bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from .hit import Hit, SearchResult

    Place = tuple[str, tuple[int, int]]


class LinkedLine(NamedTuple):
    """A chunk that a link leads to; `says` is a fact without its date, id and mark, other text is
    `text` itself."""

    id: str
    path: str
    lines: tuple[int, int]
    text: str
    says: str
    status: str

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.path, self.lines


class Pulled(NamedTuple):
    """A line that comes with an answer; `reason` is the type of the edge that leads to it."""

    reason: str
    line: LinkedLine


class Recalled(NamedTuple):
    """A hit that was chosen, the words of the question that it holds by itself or by near ones, and
    what comes with it."""

    hit: Hit
    holds: tuple[str, ...]
    chain: tuple[Pulled, ...]


class Recall(NamedTuple):
    """The answers to a question; `found` is what they were chosen from, `lacks` are words that no
    note holds, nor an answer a near one."""

    found: SearchResult
    answers: tuple[Recalled, ...]
    lacks: tuple[str, ...] = ()

    @property
    def paths(self) -> set[str]:
        """The notes that stand in it."""
        paths: set[str] = set()
        for answer in self.answers:
            paths.add(answer.hit.path)
            paths.update(pulled.line.path for pulled in answer.chain)
        return paths

    def first(
        self,
        count: int,
    ) -> Recall:
        """Only so many lines of it: answers and what comes with them, in their order."""
        kept: list[Recalled] = []
        for answer in self.answers:
            if count > 0:
                kept.append(answer._replace(chain=answer.chain[: count - 1]))
            count -= 1 + len(answer.chain)
        return self._replace(answers=tuple(kept))

    @property
    def size(self) -> int:
        """How many lines it has."""
        return sum(1 + len(answer.chain) for answer in self.answers)

    def without(
        self,
        paths: Collection[str],
    ) -> Recall:
        """The same without what stands in these notes."""
        kept: list[Recalled] = []
        for answer in self.answers:
            if answer.hit.path not in paths:
                chain = (pulled for pulled in answer.chain if pulled.line.path not in paths)
                kept.append(answer._replace(chain=tuple(chain)))
        return self._replace(answers=tuple(kept))
