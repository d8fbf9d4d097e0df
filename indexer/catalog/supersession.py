"""Which facts hold today or held on another day, and what replaced those that do not.

The only definition: search, lists, history, export, summaries, tiers, review and doctor all ask
here.

A fact is past where its own line says so (under History, struck, or `superseded by ^id`), or where
another fact says that it `updates` it. A proposed fact replaces nothing and is not replaced; what
was said in a conversation replaces nothing. A fact that was replaced later has still replaced what
it updated.

- An id that several facts have means the one in the note that names it, else the only one there is.
  Where that leaves several, it means none of them: no fact is struck because of a line about
  another.
- Facts that update each other in a circle all hold, for nothing tells which is the current one, and
  `doctor` tells the circle.  A fact whose own line says that it is past is past all the same.
- What a private note says of others counts only where private notes are seen too.
- A past fact ended on the day its line gives, else on the day of what it is superseded by, else on
  the earliest day of a fact that updates it, but never before it began.  That day is its
  successor's.
- A fact that is not past holds through the last day that its line gives, and one without a date
  always did.  A past fact whose end nobody knows held on no day that can be named."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from indexer.reading.path_meaning import apart_of
from indexer.record import NamedTuple
from indexer.spelling import group_pairs

from .visibility import SET_APART, visible_sql

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import apsw

    from indexer.note import Fact


class Claim(NamedTuple):
    """What a fact's line says of itself and of others; `note` is its note, by path or by number."""

    note: str | int
    key: str
    status: str
    date: str | None
    until: str | None
    superseded_by: str | None
    updates: str | None


class Supersession:
    """What follows from the claims of all facts.  A fact is named by its place among the claims.

    They come in order of their notes' paths and of their lines, which decides between equals.
    """

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims = claims
        self._by_note: defaultdict[tuple[str | int, str], list[int]] = defaultdict(list)
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)
        for number, claim in enumerate(claims):
            self._by_note[claim.note, claim.key].append(number)
            self._by_key[claim.key].append(number)
        self._named: dict[int, int] = {}
        self._updaters: defaultdict[int, list[int]] = defaultdict(list)
        for number, claim in enumerate(claims):
            named = self._meant(claim, claim.superseded_by)
            if named is not None:
                self._named[number] = named
            old = self._meant(claim, claim.updates)
            if old is not None and claim.status != "proposed":
                self._updaters[old].append(number)
        for found in self._updaters.values():
            found.sort(key=lambda number: (claims[number].date or "~", number))
        self._later = dict(self._updaters)
        for number, named in self._named.items():
            self._later[number] = [named, *self._later.get(number, ())]
        self._earlier = _turned(self._later)
        self._circle = _circles(self._later, self._earlier)
        self._depths: dict[int, int] = {}

    def is_past(self, number: int) -> bool:
        """Whether something has taken a fact's place, or its line says so."""
        return self.claims[number].status == "superseded" or self.is_replaced(number)

    def is_replaced(self, number: int) -> bool:
        """Whether a fact is past by another one's word alone."""
        return self.claims[number].status == "active" and bool(self._replacing(number))

    def after(self, number: int) -> int | None:
        """What replaced a fact: what its line names, else the earliest that updates it; None for
        one that holds."""
        if not self.is_past(number):
            return None
        return self._named.get(number, next(iter(self._replacing(number)), None))

    def until(self, number: int) -> str | None:
        """The day on which a past fact ended, the last day of another; None where nobody knows."""
        claim = self.claims[number]
        if claim.until or not self.is_past(number):
            return claim.until
        if number in self._named:
            later = [self._named[number]]
        else:
            later = []
        day = next(
            (day for each in (*later, *self._replacing(number)) if (day := self.claims[each].date)),
            None,
        )
        if day is None:
            return None
        return max(day, claim.date or day)

    def held(self, number: int, day: str) -> bool:
        """Whether a fact held on an ISO day."""
        begin = self.claims[number].date
        return _held((begin, self.until(number)), day, past=self.is_past(number))

    def problem(self, number: int) -> str:
        """What is wrong with a fact's place among those before and after it; "" for nothing."""
        claim = self.claims[number]
        if claim.superseded_by and claim.superseded_by not in self._by_key:
            return f"superseded by ^{claim.superseded_by}, but no fact has that id"
        for key in (claim.superseded_by, claim.updates):
            if key and key != claim.key and key in self._by_key and self._meant(claim, key) is None:
                return f"several facts have the id ^{key}"
        if number in self._circle or claim.key in {claim.superseded_by, claim.updates}:
            return "these facts supersede each other in a circle"
        return ""

    def circles(self) -> list[list[int]]:
        """Each circle of facts that supersede each other, from its first fact on, the later behind
        the earlier."""
        alone = [
            n
            for n, claim in enumerate(self.claims)
            if claim.key in {claim.superseded_by, claim.updates}
        ]
        firsts = {self._circle[number]: number for number in sorted(self._circle, reverse=True)}
        return sorted(
            [[number] for number in alone] + [self._way_back(number) for number in firsts.values()]
        )

    def chain(self, number: int) -> list[int]:
        """A fact with all that came before and after it, the oldest first: by how far each is from
        the end of the chain, then by its day."""
        found = {number}
        waiting = [number]
        while waiting:
            at = waiting.pop()
            near = {*self._later.get(at, ()), *self._earlier.get(at, ())} - found
            found |= near
            waiting += near
        return sorted(
            found, key=lambda each: (-self._depth(each), self.claims[each].date or "", each)
        )

    def _meant(self, claim: Claim, key: str | None) -> int | None:
        """The one fact that a line means by an id; None for its own, an unknown one and one of
        several."""
        if not key or key == claim.key:
            return None
        found = self._by_note.get((claim.note, key)) or self._by_key.get(key, [])
        if len(found) == 1:
            return found[0]
        return None

    def _replacing(self, number: int) -> list[int]:
        """The facts that update one without being in a circle with it, the earliest first."""
        circle = self._circle.get(number)
        found = self._updaters.get(number, [])
        if circle is None:
            return found
        return [each for each in found if self._circle.get(each) != circle]

    def _way_back(self, start: int) -> list[int]:
        """The shortest way from a fact in a circle through later ones to itself."""
        came: dict[int, int] = {}
        waiting = [start]
        for at in waiting:
            for each in self._later[at]:
                if each not in came and self._circle.get(each) == self._circle[start]:
                    came[each] = at
                    waiting.append(each)
            if start in came:
                break
        way = [start]
        while (at := came[way[-1]]) != start:
            way.append(at)
        return [start, *reversed(way[1:])]

    def _depth(self, number: int) -> int:
        """How many facts replaced one after another since; a circle is the end of what leads into
        it."""
        way: list[int] = []
        at: int | None = number
        while at is not None and at not in self._depths and at not in self._circle:
            way.append(at)
            at = self.after(at)
        if at is None:
            depth = -1
        else:
            depth = self._depths.get(at, 0)
        for each in reversed(way):
            depth += 1
            self._depths[each] = depth
        return self._depths.get(number, 0)


def _held(span: tuple[str | None, str | None], day: str, *, past: bool) -> bool:
    """Whether a fact that began and ended on these days held on another."""
    begin, end = span
    if begin and begin > day:
        return False
    if past:
        return end is not None and end > day
    return end is None or end >= day


def _turned(later: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """The same links, each the other way round."""
    turned: defaultdict[int, list[int]] = defaultdict(list)
    for number, found in later.items():
        for each in found:
            turned[each].append(number)
    return turned


def _circles(
    later: Mapping[int, Sequence[int]], earlier: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Each fact from which later ones lead back to it, with a number that those of one circle share
    (Kosaraju)."""
    circle: dict[int, int] = {}
    placed: set[int] = set()
    for start in reversed(_finished(later)):
        if start in placed:
            continue
        placed.add(start)
        members = [start]
        for number in members:
            near = [each for each in earlier.get(number, ()) if each not in placed]
            placed.update(near)
            members += dict.fromkeys(near)
        if len(members) > 1:
            circle |= dict.fromkeys(members, start)
    return circle


def _finished(later: Mapping[int, Sequence[int]]) -> list[int]:
    """All facts that are in a chain, each behind the later ones that it leads to."""
    done: list[int] = []
    seen: set[int] = set()
    for start in later:
        if start in seen:
            continue
        walk = [(start, iter(later[start]))]
        seen.add(start)
        while walk:
            number, rest = walk[-1]
            each = next((each for each in rest if each not in seen), None)
            if each is None:
                done.append(number)
                walk.pop()
            else:
                seen.add(each)
                walk.append((each, iter(later.get(each, ()))))
    return done


def _claim(path: str, fact: Fact) -> Claim:
    """What a fact of a note claims; one in a folder set apart replaces nothing."""
    return Claim(
        note=path,
        key=fact.key,
        status=fact.status,
        date=fact.date,
        until=fact.until,
        superseded_by=fact.superseded_by,
        updates=None if apart_of(path) else fact.updates,
    )


class Step(NamedTuple):
    """A fact of a chain and its note: `status` and `until` all lines considered, `after` the key of
    what replaced it.

    `problem` says what is wrong with its place in the chain, "" for nothing.
    """

    path: str
    fact: Fact
    status: str
    until: str | None
    after: str
    problem: str = ""

    def held(self, day: str) -> bool:
        """Whether it held on an ISO day."""
        past = self.status == "superseded"
        return _held((self.fact.date, self.until), day, past=past)


class Chains:
    """All facts of a vault as chains of what replaced what; facts are given with their paths, in
    order.

    Only facts of the notes `seen` are told of, all by default; of the others it counts only that
    they are there.
    """

    def __init__(
        self, found: Iterable[tuple[str, Fact]], seen: Collection[str] | None = None
    ) -> None:
        every = list(found)
        if seen is None:
            seen = {path for path, _ in every}
        self._seen = frozenset(seen)
        self._facts = list(self._counted(every))
        self._all = Supersession([_claim(path, fact) for path, fact in self._facts])
        self._at: dict[tuple[str, str], int] = {}
        for number, (path, fact) in enumerate(self._facts):
            self._at.setdefault((path, fact.key), number)

    def _counted(self, every: Sequence[tuple[str, Fact]]) -> Iterator[tuple[str, Fact]]:
        """The facts without what hidden ones say, and without those whose key a seen one has."""
        keys = {fact.key for path, fact in every if path in self._seen}
        for path, fact in every:
            if path in self._seen:
                yield path, fact
            elif fact.key not in keys:
                yield path, fact._replace(superseded_by="", updates="")

    def chain(self, path: str, key: str) -> list[Step]:
        """The facts that came before and after one, oldest first; [] where there is no such
        fact."""
        number = self._at.get((path, key))
        if number is None:
            return []
        return self._steps(number)

    def chains(self, path: str) -> list[list[Step]]:
        """The chains of more than one fact, or of one that is past, that go through a note, in its
        order."""
        found: list[list[Step]] = []
        told: set[int] = set()
        for number, (at, _) in enumerate(self._facts):
            if at == path and number not in told:
                told.update(self._all.chain(number))
                steps = self._steps(number)
                if len(steps) > 1 or self._all.is_past(number):
                    found.append(steps)
        return found

    def replaced(self) -> dict[tuple[str, str], Step]:
        """Each fact that only another one's `updates` makes past, by its path and key."""
        found = [number for number in range(len(self._facts)) if self._all.is_replaced(number)]
        return {
            (step.path, step.fact.key): step
            for step in map(self._step, found)
            if step.path in self._seen
        }

    def circles(self) -> list[list[tuple[str, Fact]]]:
        """Each circle of facts that supersede each other, the later behind the earlier."""
        found = []
        for circle in self._all.circles():
            facts = [self._facts[number] for number in circle]
            if self._seen.issuperset(path for path, _ in facts):
                found.append(facts)
        return found

    def _steps(self, number: int) -> list[Step]:
        return [
            self._step(each)
            for each in self._all.chain(number)
            if self._facts[each][0] in self._seen
        ]

    def _step(self, number: int) -> Step:
        path, fact = self._facts[number]
        if self._all.is_past(number):
            status = "superseded"
        else:
            status = fact.status
        after = self._all.after(number)
        problem = self._all.problem(number)
        if after is not None and self._facts[after][0] not in self._seen:
            return Step(
                path=path,
                fact=fact,
                status=status,
                until=fact.until,
                after=fact.superseded_by,
                problem=problem,
            )
        if after is None:
            named = fact.superseded_by
        else:
            named = self._facts[after][1].key
        return Step(
            path=path,
            fact=fact,
            status=status,
            until=self._all.until(number),
            after=named,
            problem=problem,
        )


class Outcome(NamedTuple):
    """What other lines say of a past fact: the key of what replaced it, when it ended, and whether
    its own line says that it is past."""

    key: str
    until: str | None
    own: bool


_NAMED = (
    "SELECT updates FROM fact INDEXED BY fact_updates WHERE updates IS NOT NULL "
    "UNION SELECT key FROM fact INDEXED BY fact_updates WHERE updates IS NOT NULL "
)
# the limits keep SQLite from reading all facts in the order of their keys: ten times as long
_ENDLESS = (
    "UNION SELECT key FROM (SELECT key FROM fact WHERE status = 'superseded' AND until IS NULL {}"
    " LIMIT -1) "
)
_DOUBTFUL = (
    "UNION SELECT key FROM (SELECT key FROM fact WHERE status = 'superseded' OR until IS NOT NULL"
    " OR date > ? LIMIT -1) "
)
_ROWS = (
    "WITH RECURSIVE named(key) AS ({} UNION SELECT fact.after FROM named CROSS JOIN fact ON"
    " fact.key = named.key WHERE fact.after IS NOT NULL) SELECT fact.note, fact.key, fact.status,"
    f" fact.date, fact.until, fact.after, iif({SET_APART}, NULL, fact.updates), fact.first"
    " FROM named CROSS JOIN fact ON fact.key = named.key JOIN visible_note AS note ON note.id ="
    " fact.note WHERE"
    " {} ORDER BY note.path, fact.ordinal"
)
"""The facts that have the ids named in a first query, with all that these say replaced them."""

_CHUNKS = (
    "SELECT id FROM chunk WHERE note = ?1 AND (fact IN (SELECT value FROM json_each(?2)) OR"
    " grain != 'fact' AND EXISTS (SELECT 1 FROM fact WHERE fact.note = ?1 AND fact.first >="
    " chunk.first AND fact.last <= chunk.last AND key IN (SELECT value FROM json_each(?2))) AND"
    " length(text) - length(replace(text, char(10), '')) < (SELECT sum(one.last - one.first + 1)"
    " FROM fact one WHERE one.note = ?1 AND one.first >= chunk.first AND one.last <= chunk.last))"
)
"""The chunks of a note that hold facts with these keys, in one pass: once for each fact took a
square of their number."""
HELD_CONDITION = (
    "(chunk.grain = 'fact' OR coalesce(chunk.date, '') <= ?) AND chunk.id NOT IN (SELECT value FROM"
    " json_each(?))"
)
"""A condition on a row of table `chunk`: that it held on a day, by the values that `held_on` gives.
Text that is no fact is held to its note's date."""


def outcomes(
    db: apsw.Connection, path: str = "", *, private: bool
) -> dict[tuple[int, str], Outcome]:
    """The past facts of a note, or of all, whose lines do not say it all, by the number of their
    note and their key."""
    only = "AND note = (SELECT id FROM visible_note WHERE path = ?)" if path else ""
    ids = _NAMED + _ENDLESS.format(only)
    every, rows = _read(db, ids, *[path] * bool(path), private=private)
    found: dict[tuple[int, str], Outcome] = {}
    for number, row in enumerate(rows):
        after = every.after(number)
        own = not every.is_replaced(number)
        if after is not None:
            found.setdefault((row[0], row[1]), Outcome(rows[after][1], every.until(number), own))
    return found


def settle_fact(fact: Fact, note: int, past: Mapping[tuple[int, str], Outcome]) -> Fact:
    """A fact of that note as it is by all lines; `past` is what `outcomes` gives."""
    found = past.get((note, fact.key))
    if found is None or found.own != (fact.status == "superseded"):
        return fact
    return fact._replace(
        status="superseded", superseded_by=found.key or fact.superseded_by, until=found.until
    )


def settled_all(
    db: apsw.Connection, path: str, facts: Sequence[Fact], *, private: bool
) -> tuple[Fact, ...]:
    """The facts of a note as they are by all lines."""
    past = outcomes(db, path, private=private)
    number = db.execute("SELECT id FROM visible_note WHERE path = ?", (path,)).get
    if number is None:
        return tuple(facts)
    return tuple(settle_fact(fact, number, past) for fact in facts)


def replaced_facts(db: apsw.Connection, *, private: bool) -> frozenset[tuple[int, str]]:
    """The facts that are past by another one's word alone, by the number of their note and their
    key."""
    every, rows = _read(db, _NAMED, private=private)
    return frozenset(
        (row[0], row[1]) for number, row in enumerate(rows) if every.is_replaced(number)
    )


def replaced_chunks(db: apsw.Connection, *, private: bool) -> frozenset[int]:
    """The chunks of these facts, and the runs of lines that hold one and are nothing but facts,
    each a chunk itself."""
    found: set[int] = set()
    past = replaced_facts(db, private=private)
    for note, keys in group_pairs(past).items():
        listed = '","'.join(keys)
        rows = db.execute(_CHUNKS, (note, f'["{listed}"]'))
        found.update(number for (number,) in rows)
    return frozenset(found)


def among(ids: Collection[int]) -> str:
    """A condition on a row of table `chunk`: that it is one of these."""
    return f"chunk.id IN ({','.join(map(str, sorted(ids)))})"


def held_on(db: apsw.Connection, day: str, *, private: bool) -> tuple[str, str]:
    """The values of `HELD_CONDITION` for a day: the day, and as JSON the chunks with a fact that
    did not hold on it."""
    every, rows = _read(db, _NAMED + _DOUBTFUL, day, private=private)
    gone = group_pairs(
        (row[0], row[7]) for number, row in enumerate(rows) if not every.held(number, day)
    )
    chunks: list[str] = []
    for note, lines in gone.items():
        chunks += map(str, _holding(db, note, sorted(lines)))
    return day, f"[{','.join(chunks)}]"


def _read(
    db: apsw.Connection, ids: str, *values: str, private: bool
) -> tuple[Supersession, list[Any]]:
    """What follows from the rows of the visible facts with these ids, and the rows."""
    rows: list[Any] = db.execute(_ROWS.format(ids, visible_sql(private=private)), values).fetchall()
    return Supersession([Claim(*row[:7]) for row in rows]), rows


def _holding(db: apsw.Connection, note: int, lines: Sequence[int]) -> Iterable[int]:
    """The chunks of a note in which a fact begins in one of these lines."""
    from bisect import bisect_left, bisect_right  # most searches ask for no day

    for chunk, first, last in db.execute(
        "SELECT id, first, last FROM chunk WHERE note = ?", (note,)
    ):
        if bisect_left(lines, first) < bisect_right(lines, last):
            yield chunk
