"""Tiers of facts and notes, hot, warm or cold, with the uses they follow from; judgments; and decay
of importance, with the proposals of `maintain`: what could be archived, what is said twice, and
what disagrees.

A judgment moves a fact's score: one that helped rises in the ranking, one that did not sinks. No
note is touched. Decay is pure functions at read time: looking twice changes nothing, and what is
proposed is done only when a person says so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from posixpath import basename, dirname
from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing.summary_text import is_open
from aurelius.writing.check_edit import STEERING
from indexer.catalog.graph import get_called, get_links
from indexer.catalog.link_targets import find
from indexer.catalog.lists import get_facts
from indexer.catalog.names import Names
from indexer.catalog.newer import alike, covers, newer_facts, said
from indexer.catalog.tiers import ages_of_all, ages_of_notes
from indexer.reading.fact_line import lasts
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import is_archived, kind_of_path
from indexer.search.rank import weight
from indexer.spelling import grouped
from indexer.usage.log_reader import get_usage, get_uses
from indexer.usage.tally import Uses, unpacked
from indexer.usage.tier import (
    BASE,
    FLOOR,
    PASSING,
    TIERS,
    Age,
    age_of_fact,
    importance,
    never_cold,
    tier_of_fact,
    type_now,
)

from . import usage_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import apsw

    from aurelius.vault import Vault
    from indexer.catalog.newer import Said
    from indexer.note import Fact, Found
    from indexer.usage.tally import Usage
    from indexer.usage.tier import Clock


class FactRow(NamedTuple):
    """A fact with its age and the score that reinforcing and demoting gave it."""

    fact: Fact
    age: Age
    score: int


class NoteTiers(NamedTuple):
    """A note's age and that of each of its facts."""

    path: str
    age: Age
    facts: tuple[FactRow, ...]


class VaultTiers(NamedTuple):
    """How many facts, superseded ones aside, and how many notes are in each tier."""

    facts: Mapping[str, int]
    notes: Mapping[str, int]


class ScoreChange(NamedTuple):
    """A fact's score before and after, and what the new one is worth in the ranking.

    `id` is its key, `shown` that as people write it, with a caret where it is an `^id`.
    """

    path: str
    id: str
    shown: str
    before: int
    score: int
    weight: float
    last: str | None
    text: str = ""


def ages(vault: Vault, facts: Iterable[Fact]) -> dict[str, Age]:
    """Key → age of each fact."""
    return {row.fact.key: row.age for row in _rows(vault, facts)}


def of_note(vault: Vault, name: str, *, private: bool) -> NoteTiers:
    """The tiers of one note.  NoteNotFoundError, AmbiguousNameError."""
    path = vault.resolve(name, private=private)
    facts = [fact for _, fact in get_facts(vault.db, path, private=private)]
    return NoteTiers(path, of_notes(vault, [path], private=private)[path], _rows(vault, facts))


def of_notes(vault: Vault, paths: Iterable[str], *, private: bool) -> dict[str, Age]:
    """Path → age of each of these notes, which whoever asks may see."""
    return ages_of_notes(vault.db, paths, vault.clock, private=private)


def of_vault(vault: Vault, *, private: bool) -> VaultTiers:
    """The tiers of the whole vault, counted."""
    ages, counted = ages_of_all(vault.db, vault.clock, private=private)
    found = [age.tier for age in ages.values()]
    return VaultTiers(counted, {tier: found.count(tier) for tier in TIERS})


def counts(rows: Iterable[FactRow]) -> dict[str, int]:
    """How many facts are in each tier, superseded ones aside."""
    found = [row.age.tier for row in rows if row.fact.status != "superseded"]
    return {tier: found.count(tier) for tier in TIERS}


def judge(vault: Vault, path: str, key: str, op: str, *, dry_run: bool) -> ScoreChange:
    """Reinforce or demote the fact of that key.  ConflictError where the log cannot be written.

    To reinforce a fact is to use it as well.
    """
    uses = get_uses(vault.db, [key]).get(key, Uses())
    last = vault.clock.last_use(uses)
    if op == "reinforce":
        by = vault.config.reinforce
    else:
        by = vault.config.demote
    events: list[usage_log.Said] = [{"op": op, "ref": key, "by": by}]
    if op == "reinforce":
        events.append({"op": "use", "ref": key, "via": op})
        last = vault.clock.today
    if not dry_run:
        usage_log.append(vault, events)
    score = uses.score + (by if op == "reinforce" else -by)
    own = next(
        (fact for _, fact in get_facts(vault.db, path, private=True) if fact.key == key), None
    )
    if own and own.id:
        shown = f"^{key}"
    else:
        shown = key
    if own:
        text = own.text
    else:
        text = ""
    return ScoreChange(
        path, key, shown, uses.score, score, weight(score), last.isoformat() if last else None, text
    )


def _rows(vault: Vault, facts: Iterable[Fact]) -> tuple[FactRow, ...]:
    facts = list(facts)
    uses = get_uses(vault.db, {fact.key for fact in facts})
    known = [(fact, uses.get(fact.key, Uses())) for fact in facts]
    return tuple(
        FactRow(fact, age_of_fact(fact, each, vault.clock), each.score) for fact, each in known
    )


TELLING = 3
"""Words without which a line is no statement that could be said twice."""
_WORD = re.compile(r"[^\W\d_]+")
_SIGNS = re.compile(r"`[^`]*`|\[\[[^\[\]]*\]\]|\]\([^()]*\)|(?<!\w)#[\w/-]+|https?://\S+")


class Decay(NamedTuple):
    """A fact's importance: what it was to begin with and what it is today; `exempt` ones do not
    decay, and one that `passes` is put away in the end."""

    path: str
    fact: Fact
    base: float
    now: float
    tier: str
    exempt: bool
    passes: bool

    @property
    def below(self) -> bool:
        """Whether it is worth so little that putting it away is proposed."""
        return self.now < FLOOR and self.passes and not self.exempt


class Twins(NamedTuple):
    """Two facts of one note of which the first says all that the second says."""

    path: str
    kept: Fact
    other: Fact

    @property
    def key(self) -> str:
        """What the log knows an accepted or dismissed proposal by."""
        return f"merge:{self.kept.key}>{self.other.key}"


class Rivals(NamedTuple):
    """Facts of one matter that cannot all hold, though no line says which one does: the older ones,
    and the newest."""

    olds: tuple[Found, ...]
    new: Found

    @property
    def key(self) -> str:
        """What the log knows an accepted or dismissed question by."""
        return f"{self.olds[-1][1].key}>{self.new[1].key}"


class Upkeep(NamedTuple):
    """What there is to see: how every live fact decays, and which say the same."""

    decays: tuple[Decay, ...]
    twins: tuple[Twins, ...]


def upkeep(vault: Vault, names: Sequence[str], *, private: bool) -> Upkeep:
    """What time did to the facts of these notes, or of all; archived and past ones are done with.

    No line of a daily note is proposed for the archive or as a duplicate: it records what happened
    on that day.
    """
    db = vault.db
    days = _days(vault, private=private)
    chosen = {vault.resolve(name, private=private) for name in names}
    found = [each for each in live(vault, private=private) if not chosen or each[0] in chosen]
    usage = get_usage(db)
    clock = vault.clock
    links = _links(db)
    decays = tuple(_decay(path, fact, usage, links.get(path, 0), clock) for path, fact in found)
    decays = tuple(each._replace(passes=False) if each.path in days else each for each in decays)
    return Upkeep(decays, tuple(_twins([each for each in found if each[0] not in days])))


def twins(vault: Vault, facts: Iterable[Found], *, private: bool) -> list[Twins]:
    """Which of all facts say the same: those of `upkeep`, without what only the decay needs."""
    days = _days(vault, private=private)
    return list(
        _twins([each for each in live(vault, private=private, facts=facts) if each[0] not in days])
    )


def _days(vault: Vault, *, private: bool) -> set[str]:
    return {each.path for each in get_called(vault.db, private=private) if each.kind == "daily"}


def is_settled(vault: Vault) -> bool:
    """Whether uses were counted for long enough that what was not used says something: as many days
    as facts stay warm.

    On the day on which a folder of notes is adopted nothing in it was used.
    """
    usage = get_usage(vault.db)
    clock = vault.clock
    firsts = [
        days[0]
        for uses in (*usage.facts.values(), *usage.notes.values())
        if (days := unpacked(uses.days))
    ]
    began = clock.day_of(min(firsts, default=None))
    return began is not None and (clock.today - began).days >= clock.rules.warm_days


def live(vault: Vault, *, private: bool, facts: Iterable[Found] | None = None) -> Iterator[Found]:
    """The active facts of notes that are not archived; what tells agents what to do is no memory.

    `facts`, here and below, are all facts that may be seen, where somebody has read them already.
    """
    for path, fact in get_facts(vault.db, private=private) if facts is None else facts:
        if (
            fact.status == "active"
            and not is_archived(path)
            and basename(path).lower() not in STEERING
        ):
            yield path, fact


def entities(
    vault: Vault, *, private: bool, facts: Iterable[Found] | None = None
) -> dict[str, list[Found]]:
    """The live facts of each note; those of another note that link to an entity are that entity's.

    A day is no entity: what else its note tells is what happened, and replaces nothing.
    """
    names = Names(get_called(vault.db, private=private))
    found: dict[str, list[Found]] = {}
    known = dict[tuple[str, str], str]()
    for path, fact in live(vault, private=private, facts=facts):
        home = home_of(names, path, fact, known)
        if home or fact.dated != "name":
            found.setdefault(home or path, []).append((path, fact))
    return found


def home_of(
    names: Names, path: str, fact: Fact, known: dict[tuple[str, str], str] | None = None
) -> str:
    """The entity that a fact of another note is about, "" where it is its note's own.

    `known` keeps where links lead, by the folder of their note, which is all that they depend on.
    """
    if not fact.related or kind_of_path(path, None) in ENTITY_KINDS:
        return ""
    if known is None:
        known = {}
    for at in ((dirname(path), target) for target in fact.related):
        if at not in known:
            home = find(names, path, at[1], "wiki")
            if home and kind_of_path(home, None) in ENTITY_KINDS:
                known[at] = home
            else:
                known[at] = ""
        if known[at]:
            return known[at]
    return ""


def rivals(
    vault: Vault, *, private: bool, facts: Iterable[Found] | None = None
) -> Iterator[Rivals]:
    """The lines of one matter of which the newer makes the older old, and no line says so.

    One that names a line that it updates leaves the others of the matter to be asked about.
    """
    known = {
        (path, fact.key): (path, fact) for path, fact in live(vault, private=private, facts=facts)
    }
    found: defaultdict[tuple[str, str], list[Found]] = defaultdict(list)
    for old, new in newer_facts(vault.db, private=private).items():
        by = known.get((new.path, new.key))
        told = by and by[1].contradicts and by[1].contradicts == old[1]
        if old in known and by and not told:
            found[new.path, new.key].append(known[old])
    for at, olds in found.items():
        yield Rivals(tuple(sorted(olds, key=_age)), known[at])


def spared(vault: Vault, *, private: bool) -> dict[tuple[str, str], int]:
    """In which turn each live fact, by path and key, is put away where the notes grow too large.

    First what is said twice, then what a newer line makes old, what only happened, all else; and
    last what holds of the thing a note is about, as where somebody lives or when a birthday is.
    """
    found = list(live(vault, private=private))
    today = vault.clock.today
    turns: dict[tuple[str, str], int] = {}
    for path, fact in found:
        passes = type_now(fact.type, fact.date, today) in PASSING
        if passes:
            turns[path, fact.key] = 2
        elif _holds(fact):
            turns[path, fact.key] = 4
        else:
            turns[path, fact.key] = 3
    turns |= dict.fromkeys(newer_facts(vault.db, private=private), 1)
    turns |= {(twins.path, twins.other.key): 0 for twins in _twins(found)}
    return turns


def _holds(fact: Fact) -> bool:
    """Whether a fact says what holds of a thing, of which there is one: a home, a job, a phone, a
    birthday."""
    from aurelius.language.change_cues import SINGLE, is_single
    from aurelius.language.change_cues import read as taken_apart

    words = taken_apart(fact.text)
    holds = words.subject or words.senses & SINGLE or (words.label and is_single(words.label))
    return bool(holds) and not words.past


def parted(facts: Iterable[Found]) -> Iterator[Rivals]:
    """The facts that replaced one and the same fact, as on two devices, and hold side by side."""
    facts = [each for each in facts if each[1].id]
    holding = {fact.id: (path, fact) for path, fact in facts if fact.status == "active"}
    later: defaultdict[str, set[str]] = defaultdict(set)
    for _, fact in facts:
        if fact.updates:
            later[fact.updates].add(fact.id)
        if fact.superseded_by:
            later[fact.id].add(fact.superseded_by)
    for ids in later.values():
        order = sorted((holding[each] for each in ids & holding.keys()), key=_age)
        others = tuple(each for each in order[:-1] if not alike(each[1].text, order[-1][1].text))
        if others:
            yield Rivals(others, order[-1])


def _age(each: Found) -> tuple[str, str, int]:
    return each[1].date or "", each[0], each[1].first


def _decay(path: str, fact: Fact, usage: Usage, links: int, clock: Clock) -> Decay:
    uses = usage.of(fact.key)
    kind = type_now(fact.type, fact.date, clock.today)
    if fact.importance is None:
        base = BASE.get(kind, BASE["fact"])
    else:
        base = fact.importance
    now = importance(fact.type, fact.importance, fact.date, uses, links, clock, lasts=lasts(fact))
    exempt = never_cold(fact.type, fact.date, clock.today, lasts=lasts(fact))
    passes = (
        kind in PASSING and not is_open(fact, clock) and not (kind == "status" and _holds(fact))
    )
    return Decay(path, fact, base, now, tier_of_fact(fact, uses, clock), exempt, passes)


def _links(db: apsw.Connection) -> dict[str, int]:
    """How many links lead to each note."""
    names = Names(get_called(db, private=True))
    known: dict[tuple[str, str, str], str | None] = {}
    counts = Counter[str]()
    for source, link in get_links(db, private=True):
        folder = dirname(source)
        asked = (folder, link.target, link.style)
        if asked not in known:
            if link.target:
                known[asked] = find(names, source, link.target, link.style)
            else:
                known[asked] = None
        found = known[asked]
        if found is not None and found != source:
            counts[found] += 1
    return counts


def _is_telling(text: str) -> bool:
    """Whether a line says enough to be the same as another one: words beside its links, tags and
    code."""
    return len(_WORD.findall(_SIGNS.sub(" ", text))) >= TELLING


def _twins(found: Sequence[Found]) -> Iterator[Twins]:
    """What is said twice in a note under one heading; a line of a word or two, of links or of code
    says too little.

    A newer line that leaves something out may say that this no longer holds, and stays.
    """
    notes = grouped(((path, fact.heading), fact) for path, fact in found if _is_telling(fact.text))
    for (path, _), facts in notes.items():
        told = [said(fact.text) for fact in facts]
        near = _holding(told)
        gone: set[int] = set()
        for one in range(len(facts)):
            for other in near(told[one]) if one not in gone else ():
                if one == other or {one, other} & gone or not covers(told[one], told[other]):
                    continue
                if (facts[other].date or "") <= (facts[one].date or "9") or covers(
                    told[other], told[one]
                ):
                    gone.add(other)
                    yield Twins(path, facts[one], facts[other])


def _holding(told: Sequence[Said]) -> Callable[[Said], list[int]]:
    """A function that gives the places of these lines, in order, of which a line may hold all
    words.

    Each line is kept under the word of it that the fewest have, so that a line meets few that it
    does not cover.
    """
    common = Counter(word for line in told for word in {*line.words})
    kept: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, line in enumerate(told):
        rarest = min(line.words, key=lambda word: (common[word], word), default="")
        kept[rarest, line.numbers, line.denials, line.about].append(at)

    def held(line: Said) -> list[int]:
        rest = line.numbers, line.denials, line.about
        return sorted(at for word in {*line.words, ""} for at in kept.get((word, *rest), ()))

    return held
