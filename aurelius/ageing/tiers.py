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
from indexer.catalog.link_targets import find_target
from indexer.catalog.lists import get_facts
from indexer.catalog.names import NoteNames
from indexer.catalog.newer import newer_facts
from indexer.catalog.tiers import ages_of_notes, count_tiers
from indexer.matter.cues import SINGLE, is_single, read_cues
from indexer.matter.disagreement import judge_pair
from indexer.matter.duplicate import plain_forms
from indexer.matter.statement import say_alike
from indexer.reading.fact_line import lasts
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import apart_of, is_archived
from indexer.search.fusion import reinforcement_weight
from indexer.spelling import group_pairs
from indexer.usage.log_reader import get_usage, get_uses
from indexer.usage.tally import Uses, unpack_days
from indexer.usage.tier import (
    BASE,
    LEAST_IMPORTANCE,
    PASSING,
    TIERS,
    Age,
    age_of_fact,
    importance,
    never_cold,
    type_now,
)

from . import usage_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import apsw

    from aurelius.vault import Vault
    from indexer.catalog.tiers import VaultTiers
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


def tiers_of_note(
    vault: Vault,
    name: str,
    *,
    private: bool,
) -> NoteTiers:
    """The tiers of one note.  NoteNotFoundError, AmbiguousNameError."""
    path = vault.resolve(name, private=private)
    facts = [
        fact
        for _, fact in get_facts(
            vault.db,
            path,
            private=private,
        )
    ]
    return NoteTiers(
        path,
        note_ages(
            vault,
            [path],
            private=private,
        )[path],
        _rows(vault, facts),
    )


def note_ages(
    vault: Vault,
    paths: Iterable[str],
    *,
    private: bool,
) -> dict[str, Age]:
    """Path → age of each of these notes, which whoever asks may see."""
    return ages_of_notes(vault.db, paths, vault.clock, private=private)


def tiers_of_vault(vault: Vault, *, private: bool) -> VaultTiers:
    """The tiers of the whole vault, counted."""
    return count_tiers(vault.db, vault.clock, private=private)


def counts(rows: Iterable[FactRow]) -> dict[str, int]:
    """How many facts are in each tier, superseded ones aside."""
    return _counted(row.age.tier for row in rows if row.fact.status != "superseded")


def _counted(tiers: Iterable[str]) -> dict[str, int]:
    """How often each tier is among these."""
    found = Counter(tiers)
    return {tier: found[tier] for tier in TIERS}


def judge_fact(
    vault: Vault,
    path: str,
    key: str,
    op: str,
    *,
    dry_run: bool,
) -> ScoreChange:
    """Reinforce or demote the fact of that key.  ConflictError where the log cannot be written.

    To reinforce a fact is to use it as well.
    """
    uses = get_uses(vault.db, [key]).get(key, Uses())
    last = vault.clock.last_use(uses)
    events: list[usage_log.UsageEvent] = []
    if op == "reinforce":
        by = vault.config.reinforce
        score = uses.score + by
        last = vault.clock.today
        events.append({"op": "use", "ref": key, "via": op})
    else:
        by = vault.config.demote
        score = uses.score - by
    events.insert(0, {"op": op, "ref": key, "by": by})
    if not dry_run:
        usage_log.append_uses(vault, events)
    shown = key
    text = ""
    for _, fact in get_facts(vault.db, path, private=True):
        if fact.key == key:
            text = fact.text
            shown = f"^{key}" if fact.id else key
            break
    return ScoreChange(
        path=path,
        id=key,
        shown=shown,
        before=uses.score,
        score=score,
        weight=reinforcement_weight(score),
        last=last.isoformat() if last else None,
        text=text,
    )


def _rows(vault: Vault, facts: Iterable[Fact]) -> tuple[FactRow, ...]:
    facts = list(facts)
    known = get_uses(vault.db, {fact.key for fact in facts})
    rows = []
    for fact in facts:
        uses = known.get(fact.key, Uses())
        rows.append(
            FactRow(
                fact,
                age_of_fact(
                    fact,
                    uses,
                    vault.clock,
                ),
                uses.score,
            )
        )
    return tuple(rows)


_LEAST_TELLING_WORDS = 3
"""Words without which a line is no statement that could be said twice."""
_WORD = re.compile(r"[^\W\d_]+")
_SIGNS = re.compile(r"`[^`]*`|\[\[[^\[\]]*\]\]|\]\([^()]*\)|(?<!\w)#[\w/-]+|https?://\S+")


class Decay(NamedTuple):
    """A fact's importance: what it was to begin with and what it is today; `exempt` ones do not
    decay, and one that `passes` is put away in the end, once it is worth less than `least`."""

    path: str
    fact: Fact
    base: float
    now: float
    tier: str
    exempt: bool
    passes: bool
    least: float = LEAST_IMPORTANCE

    @property
    def below(self) -> bool:
        """Whether it is worth so little that putting it away is proposed."""
        return self.now < self.least and self.passes and not self.exempt


class Twins(NamedTuple):
    """Two facts of one note that say the same, the older one first."""

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


def find_upkeep(
    vault: Vault,
    names: Sequence[str],
    *,
    private: bool,
) -> Upkeep:
    """What time did to the facts of these notes, or of all; archived and past ones are done with.

    No line of a daily note is proposed for the archive or as a duplicate: it records what happened
    on that day.
    """
    chosen = {vault.resolve(name, private=private) for name in names}
    found = [each for each in live(vault, private=private) if not chosen or each[0] in chosen]
    lasting = _undaily(vault, found, private=private)
    paths = {path for path, _ in lasting}
    usage = get_usage(vault.db)
    links = _links(vault.db)
    decays = []
    for path, fact in found:
        decay = _decay(path, fact, usage, links[path], vault.clock)
        decays.append(decay if path in paths else decay._replace(passes=False))
    return Upkeep(tuple(decays), tuple(_twins(lasting)))


def twins(
    vault: Vault,
    facts: Iterable[Found],
    *,
    private: bool,
) -> list[Twins]:
    """Which of all facts say the same: those of `find_upkeep`, without what only the decay
    needs."""
    return list(
        _twins(
            _undaily(
                vault,
                live(
                    vault,
                    private=private,
                    facts=facts,
                ),
                private=private,
            )
        )
    )


def _undaily(
    vault: Vault,
    facts: Iterable[Found],
    *,
    private: bool,
) -> list[Found]:
    """Those of some facts that no daily note holds."""
    days = {each.path for each in get_called(vault.db, private=private) if each.kind == "daily"}
    return [each for each in facts if each[0] not in days]


def is_settled(vault: Vault) -> bool:
    """Whether uses were counted for long enough that what was not used says something: as many days
    as facts stay warm.

    On the day on which a folder of notes is adopted nothing in it was used.
    """
    usage = get_usage(vault.db)
    clock = vault.clock
    used = [unpack_days(uses.days) for uses in (*usage.facts.values(), *usage.notes.values())]
    began = clock.day_of(min((days[0] for days in used if days), default=None))
    return began is not None and (clock.today - began).days >= clock.rules.warm_days


def live(
    vault: Vault,
    *,
    private: bool,
    facts: Iterable[Found] | None = None,
) -> Iterator[Found]:
    """The active facts of notes that are not archived; what tells agents what to do is no memory.

    `facts`, here and below, are all facts that may be seen, where somebody has read them already.
    """
    if facts is None:
        facts = get_facts(vault.db, private=private)
    for path, fact in facts:
        is_steering = basename(path).lower() in STEERING
        if fact.status == "active" and not (is_steering or is_archived(path) or apart_of(path)):
            yield path, fact


def entities(
    vault: Vault, *, private: bool, facts: Iterable[Found] | None = None
) -> dict[str, list[Found]]:
    """The live facts of each note; those of another note that link to an entity are that entity's.

    A day is no entity: what else its note tells is what happened, and replaces nothing.
    """
    names = NoteNames(get_called(vault.db, private=private))
    found: dict[str, list[Found]] = {}
    known = dict[tuple[str, str], str]()
    for path, fact in live(vault, private=private, facts=facts):
        home = fact_subject(names, path, fact, known)
        if home or fact.dated != "name":
            found.setdefault(home or path, []).append((path, fact))
    return found


def fact_subject(
    names: NoteNames, path: str, fact: Fact, known: dict[tuple[str, str], str] | None = None
) -> str:
    """The entity that a fact of another note is about, "" where it is its note's own.

    `known` keeps where links lead, by the folder of their note, which is all that they depend on.
    """
    if names.kind(path) in ENTITY_KINDS:
        return ""
    if known is None:
        known = {}
    for target in fact.related:
        asked = (dirname(path), target)
        if asked not in known:
            home = find_target(names, path, target, "wiki") or ""
            is_entity = names.kind(home) in ENTITY_KINDS
            known[asked] = home if is_entity else ""
        if known[asked]:
            return known[asked]
    return ""


def rivals(
    vault: Vault, *, private: bool, facts: Iterable[Found] | None = None
) -> Iterator[Rivals]:
    """The lines of one matter of which the newer makes the older old, and no line says so.

    One that names a line that it updates leaves the others of the matter to be asked about.
    """
    known = {
        (path, fact.key): (path, fact)
        for path, fact in live(
            vault,
            private=private,
            facts=facts,
        )
    }
    found: defaultdict[Found, list[Found]] = defaultdict(list)
    for old, newer in newer_facts(vault.db, private=private).items():
        new = known.get((newer.path, newer.key))
        if new and old in known and new[1].contradicts != old[1]:
            found[new].append(known[old])
    for new, olds in found.items():
        yield Rivals(tuple(sorted(olds, key=_age)), new)


def spared(vault: Vault, *, private: bool) -> dict[tuple[str, str], int]:
    """In which turn each live fact, by path and key, is put away where the notes grow too large.

    First what is said twice, then what a newer line makes old, what only happened, all else; and
    last what holds of the thing a note is about, as where somebody lives or when a birthday is.
    """
    found = list(live(vault, private=private))
    today = vault.clock.today
    turns: dict[tuple[str, str], int] = {}
    for path, fact in found:
        if type_now(fact.type, fact.date, today) in PASSING:
            turn = 2
        elif _holds(fact):
            turn = 4
        else:
            turn = 3
        turns[path, fact.key] = turn
    turns |= dict.fromkeys(newer_facts(vault.db, private=private), 1)
    turns |= {(twins.path, twins.other.key): 0 for twins in _twins(found)}
    return turns


def _holds(fact: Fact) -> bool:
    """Whether a fact says what holds of a thing, of which there is one: a home, a job, a phone, a
    birthday."""
    words = read_cues(fact.text)
    holds = words.subject or words.senses & SINGLE or (words.label and is_single(words.label))
    return bool(holds) and not words.past


def parted(facts: Iterable[Found]) -> Iterator[Rivals]:
    """The facts that replaced one and the same fact, as on two devices, and hold side by side; and
    those of which one says that it contradicts another, whatever their words."""
    holding: dict[str, Found] = {}
    later: defaultdict[str, set[str]] = defaultdict(set)
    against: defaultdict[str, set[str]] = defaultdict(set)
    for path, fact in facts:
        if not fact.id:
            continue
        if fact.status == "active":
            holding[fact.id] = (path, fact)
        if fact.updates:
            later[fact.updates].add(fact.id)
        if fact.superseded_by:
            later[fact.id].add(fact.superseded_by)
        if fact.contradicts:
            against[fact.contradicts].add(fact.id)
    for first, ids in against.items():
        order = _in_order(holding, ids)
        if order and first in holding:
            yield Rivals((*order[:-1], holding[first]), order[-1])
    yield from _replaced_twice(holding, later.values())


def _replaced_twice(
    holding: Mapping[str, Found],
    later: Iterable[set[str]],
) -> Iterator[Rivals]:
    """Of the facts that replaced one and the same, those that say something else than the
    newest."""
    for ids in later:
        order = _in_order(holding, ids)
        if order:
            *olds, new = order
            others = [old for old in olds if not say_alike(old[1].text, new[1].text)]
            if others:
                yield Rivals(tuple(others), new)


def _in_order(holding: Mapping[str, Found], ids: set[str]) -> list[Found]:
    """Those of these facts that hold, the oldest first."""
    found = [holding[each] for each in ids & holding.keys()]
    return sorted(found, key=_age)


def _age(each: Found) -> tuple[str, str, int]:
    return each[1].date or "", each[0], each[1].first


def _decay(
    path: str,
    fact: Fact,
    usage: Usage,
    links: int,
    clock: Clock,
) -> Decay:
    uses = usage.of(fact.key)
    stays = lasts(fact)
    kind = type_now(fact.type, fact.date, clock.today)
    base = fact.importance
    if base is None:
        base = BASE.get(kind, BASE["fact"])
    is_state = kind == "status" and _holds(fact)
    return Decay(
        path=path,
        fact=fact,
        base=base,
        now=importance(
            fact.type,
            fact.importance,
            fact.date,
            uses,
            links,
            clock,
            lasts=stays,
        ),
        tier=age_of_fact(fact, uses, clock).tier,
        exempt=never_cold(
            fact.type,
            fact.date,
            clock.today,
            lasts=stays,
        ),
        passes=kind in PASSING and not is_open(fact, clock) and not is_state,
        least=clock.rules.least,
    )


def _links(db: apsw.Connection) -> Counter[str]:
    """How many links of other notes lead to each note."""
    names = NoteNames(get_called(db, private=True))
    known: dict[tuple[str, str, str], str | None] = {}
    counts = Counter[str]()
    for source, link in get_links(db, private=True):
        asked = (dirname(source), link.target, link.style)
        if link.target and asked not in known:
            known[asked] = find_target(names, source, link.target, link.style)
        found = known.get(asked)
        if found and found != source:
            counts[found] += 1
    return counts


def _is_telling(text: str) -> bool:
    """Whether a line says enough to be the same as another one: words beside its links, tags and
    code."""
    return len(_WORD.findall(_SIGNS.sub(" ", text))) >= _LEAST_TELLING_WORDS


def _twins(found: Sequence[Found]) -> Iterator[Twins]:
    """What is said twice in a note under one heading; a line of a word or two, of links or of code
    says too little."""
    telling = [(path, fact) for path, fact in found if _is_telling(fact.text)]
    notes = group_pairs(((path, fact.heading), fact) for path, fact in telling)
    for (path, _), facts in notes.items():
        for kept, other in _said_twice(facts):
            yield Twins(path, kept, other)


def _said_twice(facts: Sequence[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Pairs of these facts that say the same, the older one first; each is second once.

    What happened on two days, or what changed between them, is not the same.
    """
    known: dict[object, Fact] = {}
    order = sorted(facts, key=lambda each: each.date or "9")
    for at, fact in enumerate(order):
        day = (_is_of_its_day(fact) and fact.date) or ""
        forms = sorted((*form, day) for form in plain_forms(fact.text))
        kept = next((known[form] for form in forms if form in known), None)
        if kept is None:
            known.update(dict.fromkeys(forms, fact))
        elif not fact.updates and not _changed_between(kept, order[:at]):
            yield kept, fact


def _is_of_its_day(fact: Fact) -> bool:
    """Whether a fact happened on its day, and may do so again on another."""
    if fact.type in {"event", "observation", "plan"}:
        return True
    words = read_cues(fact.text)
    return words.past or words.done


def _changed_between(kept: Fact, later: Sequence[Fact]) -> bool:
    """Whether one of these lines gives the matter of an older one another value."""
    return any(
        judge_pair(kept.text, each.text) for each in later if (each.date or "") >= (kept.date or "")
    )
