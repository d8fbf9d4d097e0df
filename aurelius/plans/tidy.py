"""Plan of `tidy`: the small repairs that keep the facts of a note in order.

A copied line gets an id of its own; a fact that another one says it `updates` is struck; with
`--stamp` every fact gets an id.  Words are never changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose import change
from aurelius.writing.check_edit import allowed_parts
from aurelius.writing.undo import written_in
from indexer.catalog.edges import named_in
from indexer.catalog.lists import get_facts
from indexer.catalog.supersession import Chains
from indexer.errors import AureliusError
from indexer.reading.fact_line import MINTED

from .plan import Draft, Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.supersession import Step
    from indexer.note import Fact

    from .plan import Desk


class Untidy(NamedTuple):
    """One thing to repair: where, a code (`duplicate-id`, `updated`, `no-id`), and what is done about it."""

    path: str
    line: int
    code: str
    message: str


class Tidied(NamedTuple):
    """The findings, and the plan that repairs them."""

    found: tuple[Untidy, ...]
    plan: Plan


def tidy(desk: Desk, names: Sequence[str], *, stamp: bool) -> Tidied:
    """Findings and repairs for these notes, or for all."""
    vault = desk.vault
    facts = list(get_facts(vault.index().db, private=True, as_written=True))
    seen = {path for path, _ in get_facts(vault.index().db, private=desk.private)}
    chosen = {vault.resolve(name, private=desk.private) for name in names} or seen
    work = _Work(desk)
    owners = _owners(desk, facts)
    for path, fact in facts:
        owner = owners.get(fact.id, (path, fact.first))
        if path in chosen and owner != (path, fact.first):
            where = owner[0] if owner[0] in seen else "a private note"
            work.stamp(path, fact, "duplicate-id", f"the id ^{fact.id} is already used in {where}")
        elif stamp and path in chosen and not fact.id:
            work.stamp(path, fact, "no-id", "the fact has no id")
    chains = Chains(facts, seen)
    for path, fact in (each for circle in chains.circles() for each in circle):
        if path in chosen and fact.status == "active":
            work.notices.append(f"{path}:{fact.first} not changed: these facts supersede each other in a circle")
    steps = [step for step in chains.replaced().values() if step.path in chosen]
    bare = {
        (path, fact.key): (path, fact)
        for path, fact in facts
        if path in seen and not fact.id and fact.key not in work.named
    }
    for step in steps:
        for at in [at for at in bare if at[1] == step.after]:  # what is pointed at needs a name that stays
            work.stamp(*bare.pop(at), "no-id", f"the fact updates ^{step.fact.key} and has no id")
    work.write_stamps()
    for step in steps:
        work.strike(step)
    edits = work.draft.edits()
    plan = Plan(edits, "tidy", notices=tuple(work.notices), events=tuple(work.events))
    return Tidied(tuple(sorted(work.found)), plan)


def _owners(desk: Desk, facts: Sequence[tuple[str, Fact]]) -> dict[str, tuple[str, int]]:
    """Note and line of the one fact that keeps an id, for each id that Aurelius gave and several lines have.

    That is the one whose own note says what it replaced, else one that Aurelius wrote there, else the earliest: a
    copied line brings none of these with it.  The first by path and line is left for what nothing tells apart.
    """
    places: dict[str, list[tuple[str, Fact]]] = {}
    for path, fact in facts:
        if fact.id and MINTED.fullmatch(fact.id):
            places.setdefault(fact.id, []).append((path, fact))
    several = {key: found for key, found in places.items() if len(found) > 1}
    if not several:
        return {}
    pointed = {(path, named) for path, fact in facts for _, named in named_in(fact)}
    wrote = written_in(desk.place, several)

    def rank(path: str, fact: Fact) -> tuple[bool, bool, str, str, int]:
        own = (path, fact.id) in pointed
        return not own, wrote.get(fact.id) != path, fact.date or "9", path, fact.first

    firsts = {key: min(found, key=lambda each: rank(*each)) for key, found in several.items()}
    return {key: (path, fact.first) for key, (path, fact) in firsts.items()}


class _Work:
    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.draft = Draft(desk.place)
        self.found: list[Untidy] = []
        self.notices: list[str] = []
        self.events: list[tuple[str, str, str]] = []
        self.named: set[str] = set()
        self._copied: set[str] = set()
        self._ids: dict[str, dict[str, str]] = {}
        self._new_ids: set[str] = set()

    def stamp(self, path: str, fact: Fact, code: str, why: str) -> None:
        """Let a fact have an id of its own."""
        new = self.desk.new_id(path, fact.text, fact.key, taken=self._new_ids)
        self._new_ids.add(new)
        if fact.key == fact.id:
            self._copied.add(fact.key)  # that name stays with the line it was copied from
        self.named.add(fact.key)
        self._ids.setdefault(path, {})[fact.key] = new
        self.found.append(Untidy(path, fact.first, code, f"{why}; new id: ^{new}"))

    def write_stamps(self) -> None:
        """Put the ids into the notes; a note that cannot be written is told."""
        for path, ids in self._ids.items():
            try:
                data = change.stamp_all(self._there(path), ids, path=path, read=self.draft.read)
            except AureliusError as error:
                self.notices.append(f"{path} not changed: {error.message}")
                self.found = [each for each in self.found if each.path != path]
                continue
            self.draft.put(path, data)
            self.events += [("alias", key, new) for key, new in ids.items() if key not in self._copied]

    def strike(self, step: Step) -> None:
        """Let a fact be past on its own line, because a newer one says that it updates it."""
        path, key = step.path, step.fact.key
        try:
            own = next(iter(self._ids.get(path, {}).get(each, each) for each in (key,)))
            day = max(step.until or self.desk.today, step.fact.date or "")
            by = self._id_of(step.after)
            data = change.strike(self._there(path), own, day, by, path=path, read=self.draft.read)
        except AureliusError as error:
            self.notices.append(f"{path} not changed: {error.message}")
            return
        self.draft.put(path, data)
        self.found.append(
            Untidy(path, step.fact.first, "updated", f"^{own} is struck through, because ^{by} updates it")
        )

    def _there(self, path: str) -> bytes:
        """The bytes of a note that may be written.  UsageError for one that may not, NoteNotFoundError."""
        allowed_parts(path, me=self.desk.place.me)
        return self.draft.there(path)

    def _id_of(self, key: str) -> str:
        return next((ids[key] for ids in self._ids.values() if key in ids), key)
