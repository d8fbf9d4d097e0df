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
    """A line that comes with an answer; `reason` is the type of the edge that leads to it, or says
    what it is newer about."""

    reason: str
    line: LinkedLine
    is_newer: bool = False


class Recalled(NamedTuple):
    """A hit that was chosen, the words of the question that it holds by itself or by near ones, and
    what comes with it."""

    hit: Hit
    holds: tuple[str, ...]
    chain: tuple[Pulled, ...]

    @property
    def inseparable(self) -> tuple[Pulled, ...]:
        """The newer line that is shown with it, if there is one."""
        return tuple(each for each in self.chain[:1] if each.is_newer)

    @property
    def size(self) -> int:
        """How many lines it has, itself and what is inseparable from it one of them."""
        return 1 + len(self.chain) - len(self.inseparable)


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
                least = len(answer.inseparable)
                kept.append(answer._replace(chain=answer.chain[: count - 1 + least]))
            count -= answer.size
        return self._replace(answers=tuple(kept))

    @property
    def size(self) -> int:
        """How many lines it has."""
        return sum(answer.size for answer in self.answers)

    def without(
        self,
        paths: Collection[str],
    ) -> Recall:
        """The same without what stands in these notes, and without what is older than that."""
        kept: list[Recalled] = []
        for answer in self.answers:
            newer = [each.line.path for each in answer.inseparable]
            if not {answer.hit.path, *newer}.intersection(paths):
                chain = (pulled for pulled in answer.chain if pulled.line.path not in paths)
                kept.append(answer._replace(chain=tuple(chain)))
        return self._replace(answers=tuple(kept))
