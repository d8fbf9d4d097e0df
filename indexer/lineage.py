"""What replaced what: chains of facts, followed forward and back in time (A20).  Values in, values out.

A fact is past where its own line says so, or where a fact that is not past itself `updates` it.  Ids
that nothing has, that two facts have, or that lead in a circle end a chain; none makes it loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .note import Fact


class Step(NamedTuple):
    """A fact of a chain and its note: `status` and `until` all things considered, `after` the key of what replaced it.

    `problem` says what is wrong with its place in the chain, "" for nothing.
    """

    path: str
    fact: Fact
    status: str
    until: str | None
    after: str
    problem: str = ""


class Lineage:
    """All facts of a vault by what replaced them; facts are given with their paths, in the order of these."""

    def __init__(self, found: Iterable[tuple[str, Fact]]) -> None:
        self._facts: list[tuple[str, Fact]] = list(found)
        self._at: dict[str, list[int]] = {}
        for number, (_, fact) in enumerate(self._facts):
            self._at.setdefault(fact.key, []).append(number)
        self._updated: dict[str, int] = {}
        for number, (_, fact) in enumerate(self._facts):
            if fact.updates and fact.status == "active" and fact.updates != fact.key:
                self._updated[fact.updates] = number
        self._before: dict[int, list[int]] = {}
        for number in range(len(self._facts)):
            after = self._next(number)
            if after is not None:
                self._before.setdefault(after, []).append(number)

    def step(self, number: int) -> Step:
        """A fact as it is with all others considered."""
        path, fact = self._facts[number]
        after = self._next(number)
        past = fact.status == "superseded" or after is not None
        until = fact.until or (self._facts[after][1].date if past and after is not None else None)
        named = self._facts[after][1].key if after is not None else fact.superseded_by
        status = "superseded" if past else fact.status
        return Step(path, fact, status, until, named if past else "", self._problem(number))

    def chain(self, path: str, key: str) -> list[Step]:
        """The facts that came before and after one, oldest first; [] where there is no such fact."""
        start = next((number for number in self._at.get(key, ()) if self._facts[number][0] == path), None)
        if start is None:
            return []
        last = start
        seen = {start}
        while (after := self._next(last)) is not None and after not in seen:
            seen.add(after)
            last = after
        found = {last}
        queue = [last]
        while queue:
            for before in self._before.get(queue.pop(), ()):
                if before not in found:
                    found.add(before)
                    queue.append(before)
        found |= seen
        return [self.step(number) for number in sorted(found, key=self._order)]

    def chains(self, path: str) -> list[list[Step]]:
        """The chains of more than one fact, or of one that is past, that go through a note, in its order."""
        found: list[list[Step]] = []
        told: set[tuple[str, str]] = set()
        for number, (at, fact) in enumerate(self._facts):
            if at != path or (at, fact.key) in told:
                continue
            if self._next(number) is None and number not in self._before and fact.status != "superseded":
                continue
            chain = self.chain(path, fact.key)
            told.update((step.path, step.fact.key) for step in chain)
            found.append(chain)
        return found

    def replaced(self) -> dict[tuple[str, str], Step]:
        """Each fact that only another one's `updates` makes past, by its path and key."""
        found: dict[tuple[str, str], Step] = {}
        for key in self._updated:
            for number in self._at.get(key, ())[:1]:
                path, fact = self._facts[number]
                if fact.status == "active":
                    found[path, fact.key] = self.step(number)
        return found

    def _next(self, number: int) -> int | None:
        """What replaced a fact: what its line names, else what says that it updates it."""
        fact = self._facts[number][1]
        found = self._at.get(fact.superseded_by, ()) if fact.superseded_by else ()
        if found and found[0] != number:
            return found[0]
        updater = self._updated.get(fact.key)
        return None if updater is None or updater == number or self._at[fact.key][0] != number else updater

    def _problem(self, number: int) -> str:
        fact = self._facts[number][1]
        if fact.superseded_by and fact.superseded_by not in self._at:
            return f"superseded by ^{fact.superseded_by}, which no fact has"
        if fact.superseded_by and len(self._at[fact.superseded_by]) > 1:
            return f"^{fact.superseded_by} stands on several facts"
        seen = {number}
        at = number
        while (after := self._next(at)) is not None:
            if after == number:
                return "the facts supersede each other in a circle"
            if after in seen:
                break
            seen.add(after)
            at = after
        return ""

    def _order(self, number: int) -> tuple[int, str, int]:
        """The oldest first: by how far a fact is from the end of its chain, then by its day."""
        steps, at, seen = 0, number, {number}
        while (after := self._next(at)) is not None and after not in seen:
            seen.add(after)
            at = after
            steps += 1
        return -steps, self._facts[number][1].date or "", number
