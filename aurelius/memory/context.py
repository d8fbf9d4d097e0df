"""The lines of a context: what an agent should know, in parts of a fixed order, each with a share
of the budget.

Identity, standing instructions, what is pinned or important, MEMORY.md, what the prompt is about,
the subjects in use, today and yesterday. What one part leaves of its share goes to the next, and
what is left in the end to the first that has more. Lines are whole and verbatim; the same vault,
prompt, day and budget give the same ones.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.starting_notes import is_example
from indexer.catalog.filters import Filters
from indexer.catalog.lists import (
    STANDING,
    get_always_told,
    get_daily,
    get_kind,
)
from indexer.reading.path_meaning import (
    AGENTS,
    is_archived,
    kind_of_path,
    unaccented,
)
from indexer.search.leading import answerable, memories
from indexer.search.query import SearchQuery, clean_query
from indexer.spelling import PAGE_LINK, count_twelfths, single_spaced
from indexer.usage.tier import TIERS

from .lines import (
    LONG_PARAGRAPH,
    TEXT_TYPE,
    Line,
    NoteFacts,
    beginning,
    by_line,
    cite_line,
    every_line,
    line_at,
    line_of_fact,
    may_be_given,
    statements_at,
)
from .relevance import asks, needed_lines, read_prompt, with_later_lines
from .rules import front_page, standing_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from aurelius.vault import Vault
    from indexer.note import Fact, Found
    from indexer.search.hit import Hit

    Choose = Callable[[Sequence[Line]], Sequence[Line] | None]

PROMPT_BUDGET = 800
_TAIL_TOKENS = 45
"""Tokens that a prompt gets at most, and those kept free for what tells how much was left out."""
MEMORY_LAYER_HITS = 20
HITS = 100
_NEAR_SHARE = 0.5
"""Hits of a memory layer, hits looked at for a prompt, and the share of the best one's score that
another one needs."""
_SMALL_BUDGET = 120
"""Tokens up to which there are no shares: the rules come first, with two thirds where facts are
asked for."""
_MOST_LATEST_NOTES = 300
_MOST_SUBJECTS = 10
"""Notes among which those in use are looked for, and how many of these are told."""
_AGENT_FILES = (
    "SOUL.md",
    "IDENTITY.md",
)  # who an agent is to be, in its own folder and for every one
PERSON = ("ME.md", *_AGENT_FILES, "USER.md")  # and who the person is
_BARE = re.compile(
    r"(?i)(?:\[\[[^][]*\]\]|\[[^][]*\]\(\S*\)|https?://\S+|(?<!\S)#\w\S*|redirect\b|[\W\d_]"
    r"|[a-z]\b)*+"
)
_CAPITALISED = re.compile(r"[^\W\d_a-z][\w'’-]*")
PER_PATTERN = 2
"""Lines that are told of those that are alike but for the names in them."""
_IDENTITY_PART = "Identity"
RULES_PART = "Instructions & rules"
PINNED = "Pinned & important"
FACTS = "Facts"
PLANS = "Plans"
_EVENTS_PART = "Events"
RELATIONS = "Relationships"
THINGS = "People & things"
IN_USE = "In use"
_TODAY_PART = "Today"
YESTERDAY = "Yesterday"
MEMORY_PART = "MEMORY.md"

SHARES = {
    _IDENTITY_PART: 15,
    RULES_PART: 35,
    PINNED: 8,
    MEMORY_PART: 10,
    FACTS: 30,
    PLANS: 4,
    _EVENTS_PART: 4,
    RELATIONS: 3,
    THINGS: 6,
    IN_USE: 7,
    _TODAY_PART: 7,
    YESTERDAY: 3,
}
"""The share of the budget that each part has, divided where several have one title."""
CAPS = {RULES_PART: 15, FACTS: 30, PLANS: 10, _EVENTS_PART: 15, RELATIONS: 8, THINGS: 15}
"""Lines about a prompt of each part."""
OF_TYPE = {
    "instruction": RULES_PART,
    "plan": PLANS,
    "event": _EVENTS_PART,
    "relationship": RELATIONS,
}
"""The part of each type of facts; of all others FACTS."""
GENERATED = frozenset({"summary", "now", "tl;dr", "tldr"})
"""Headings of texts that are made of facts."""
_Lines = tuple[Line, ...]


class ContextPart(NamedTuple):
    """Lines under one title."""

    title: str
    lines: _Lines


class ContextLines(NamedTuple):
    """What an agent gets: `left_out` lines did not fit, `tokens` is what the others cost as
    Markdown, about."""

    parts: tuple[ContextPart, ...]
    left_out: int
    tokens: int


Gathered = tuple[ContextPart, ...]
"""All lines that a context may have; parts may share a title."""


def build_context(
    vault: Vault,
    prompt: str = "",
    *,
    budget: int,
) -> ContextLines:
    """What an agent should know about a prompt, or without one as a session opens, within a budget
    of tokens."""
    return fit_budget(gather_context(vault, prompt), budget)


def for_opening(vault: Vault, budget: int) -> ContextLines:
    """What a session begins with: who the person is, and every standing rule."""
    return fit_budget(_once(_lasting(vault, ())), budget)


def for_prompt(
    vault: Vault,
    prompt: str,
    *,
    seen: Collection[str],
    before: Sequence[str] = (),
    budget: int,
    choose: Choose | None = None,
) -> ContextLines:
    """What a prompt needs beside what its session has `seen`; nothing is the normal answer.

    `choose` says which lines these are, given those that would come without it; None for them.
    """
    if not asks(prompt):
        return fit_budget((), budget)
    lines = needed_lines(vault, prompt, before=before, seen=seen)
    named = list(_named(vault, prompt, seen, before))
    every = [*lines, *chain.from_iterable(part.lines for part in named)]
    if (chosen := _chosen(vault, prompt, choose, every)) is not None:
        lines = list(_unseen(chosen, seen))
        named = []
    needed = [
        line._replace(text=beginning(line.text, LONG_PARAGRAPH)) for line in _settled(vault, lines)
    ]
    return fit_budget(_once([*named, *_grouped(vault, needed)]), budget)


def _chosen(
    vault: Vault, prompt: str, choose: Choose | None, found: Sequence[Line]
) -> list[Line] | None:
    """The lines that are chosen, each with the later one about the same thing; None for no
    choice."""
    lines = choose(found) if choose else None
    return None if lines is None else with_later_lines(vault, prompt, lines, ())


def named_in_prompt(
    vault: Vault, prompt: str, seen: Collection[str], before: Sequence[str]
) -> ContextLines:
    """Of `for_prompt` what takes the least time: the cards of what a prompt names."""
    return fit_budget(_once(_named(vault, prompt, seen, before)), PROMPT_BUDGET)


def _named(
    vault: Vault, prompt: str, seen: Collection[str], before: Sequence[str]
) -> Iterator[ContextPart]:
    from .cards import cards

    for card in cards(vault, read_prompt(prompt, before), before, seen):
        yield ContextPart(THINGS, tuple(_unseen(_settled(vault, card.lines), seen)))


def _unseen(lines: Iterable[Line], seen: Collection[str]) -> Iterator[Line]:
    return (line for line in lines if line.key not in seen)


def gather_context(vault: Vault, prompt: str = "", choose: Choose | None = None) -> Gathered:
    """All that a context may hold: every part with its lines in the order of their worth, each line
    once; `choose` as above."""
    about: list[tuple[Line, float]] = []
    if prompt.strip():
        about = _about(vault, prompt)
        chosen = _chosen(vault, prompt, choose, [line for line, _ in about])
        if chosen is not None:
            about = [(line, 1.0) for line in _settled(vault, chosen)]
    parts = [
        *_lasting(vault, about),
        *_grouped(vault, _varied(vault, (line for line, _ in about))),
        ContextPart(IN_USE, tuple(_in_use(vault))),
        ContextPart(_TODAY_PART, _of_day(vault, 0)),
        ContextPart(YESTERDAY, _of_day(vault, 1)),
    ]
    return _once(parts)


def _lasting(vault: Vault, about: Sequence[tuple[Line, float]]) -> list[ContextPart]:
    """What holds whatever is asked: who the person is, every standing rule, what is pinned or
    important, and MEMORY.md."""
    own = f"{AGENTS}/{vault.agent or ''}/"
    always = [
        (path, fact)
        for path, fact in get_always_told(vault.db, STANDING)
        if not (
            is_archived(path)
            or ("/" in path.removeprefix(own) and kind_of_path(path, None) in {"me", "memory"})
        )
    ]
    persons = [_identity(vault, path) for path in (*PERSON, *map(own.__add__, _AGENT_FILES))]
    if not any(persons):
        persons = [tuple(front_page(vault))]
    return [
        *(ContextPart(_IDENTITY_PART, lines) for lines in persons),
        ContextPart(RULES_PART, _standing(vault, about)),
        ContextPart(PINNED, _important(vault, always)),
        ContextPart(
            MEMORY_PART, _lines_of(vault, MEMORY_PART) + _lines_of(vault, own + MEMORY_PART)
        ),
    ]


def top_hits(vault: Vault, prompt: str) -> Gathered:
    """The lines of a memory layer: the first hits of a search, in its order."""
    found = vault.search(SearchQuery(prompt, limit=MEMORY_LAYER_HITS))
    hits = () if found.weak else memories(found.hits, clean_query(found.asked).words)
    lines = (line for line, _ in _lines_of_hits(vault, hits, None))
    return _once([ContextPart("", tuple(lines))])


def _once(parts: Iterable[ContextPart]) -> Gathered:
    """The parts that have lines, each line where it stands first, by its key or its words; none
    that was imported, said in a conversation, stands in a guide for agents, or has no words.

    What is newer than another line is labelled wherever it stands.
    """
    parts = list(parts)
    every = chain.from_iterable(part.lines for part in parts)
    newer = {line.key: line.newer_of for line in every if line.newer_of}
    seen = set[str]()
    found = []
    for part in parts:
        lines = []
        for line in part.lines:
            names = {f"{line.path} {line.key}", unaccented(single_spaced(line.text)).strip(".! ")}
            is_bare = _BARE.fullmatch(line.text) is not None
            if not (is_bare or _is_no_memory(line) or names & seen):
                lines.append(line._replace(newer_of=newer.get(line.key)))
                seen |= names
        if lines:
            found.append(ContextPart(part.title, tuple(lines)))
    return tuple(found)


def _is_no_memory(line: Line) -> bool:
    """Whether a line is for programs, was imported or said in a conversation, or is an example of
    the template."""
    return not may_be_given(line.path) or is_example(line.path, line.text)


def _identity(vault: Vault, path: str) -> _Lines:
    """The lines of a note about a person, but for its rules: what they prefer first, which an agent
    can act on."""
    lines = [line for line in _lines_of(vault, path) if line.type != "instruction"]
    return tuple(sorted(lines, key=lambda line: line.type != "preference"))


def _standing(vault: Vault, about: Sequence[tuple[Line, float]]) -> _Lines:
    """The standing rules, those nearest to the prompt first."""
    scores = {line.key: score for line, score in about}
    rules = standing_rules(vault)
    return tuple(sorted(rules, key=lambda line: -scores.get(line.key, 0.0)))


def _hot_first(vault: Vault, found: Iterable[Found]) -> list[Found]:
    """Facts by their tier, the hot ones first, then the newest; else in their order."""
    from aurelius.ageing.tiers import ages

    pairs = sorted(found, key=lambda pair: pair[1].date or "", reverse=True)
    tiers = ages(vault, (fact for _, fact in pairs))
    return sorted(pairs, key=lambda pair: TIERS.index(tiers[pair[1].key].tier))


def _important(vault: Vault, found: Sequence[Found]) -> _Lines:
    """What is pinned, or important by its own line, the most important first."""
    told = [pair for pair in found if pair[1].pinned or (pair[1].importance or 0) >= STANDING]
    ranked = sorted(_hot_first(vault, told), key=lambda pair: -(pair[1].importance or STANDING))
    return tuple(filter(None, (line_of_fact(at, fact, vault.clock) for at, fact in ranked)))


def _lines_of(vault: Vault, path: str) -> _Lines:
    """The lines of a note that stand for themselves: its facts that hold, and its text, but nothing
    that is made of facts, nor where there are facts what introduces the note."""
    found = [
        each
        for each in every_line(vault, path)
        if each[1].heading.strip().casefold() not in GENERATED
    ]
    facts = any(line.type != TEXT_TYPE for line, _ in found)
    return tuple(
        line for line, told in found if line.type != TEXT_TYPE or told.heading or not facts
    )


def _of_day(vault: Vault, before: int) -> _Lines:
    """The lines of the notes of a day, the latest first."""
    day = (vault.clock.today - timedelta(before)).isoformat()
    found: list[Line] = []
    for path in get_daily(vault.db, day, private=False):
        found += _lines_of(vault, path)
    return tuple(reversed(found))


def _in_use(vault: Vault) -> Iterator[Line]:
    """What the subjects in use are, as their summaries say it; without one their newest fact."""
    from indexer.catalog.tiers import ages_of_notes

    wanted = Filters(kinds=("area", "company", "person", "project"), archived="no")
    rows = vault.notes(wanted, sort="updated", limit=_MOST_LATEST_NOTES).notes
    tiers = ages_of_notes(vault.db, (row.path for row in rows), vault.clock, private=False)
    for row in [row for row in rows if tiers[row.path].tier == TIERS[0]][:_MOST_SUBJECTS]:
        facts = NoteFacts(vault)[row.path].values()
        lines = [
            line
            for line, told in every_line(vault, row.path)
            if told.heading.strip().casefold() in GENERATED
        ]
        fresh = [line._replace(text=text) for line in lines if (text := _holding(line.text, facts))]
        fresh = [line for line in fresh if not is_example(row.path, line.text)]
        newest = sorted(
            (fact for fact in facts if fact.date), key=lambda fact: fact.date or "", reverse=True
        )
        told = (line_of_fact(row.path, fact, vault.clock) for fact in newest[:1])
        yield from fresh or _settled(vault, with_later_lines(vault, "", [*filter(None, told)], ()))


def _about(vault: Vault, prompt: str) -> list[tuple[Line, float]]:
    """What a prompt needs, then the lines of its other hits where one holds a word of it, with
    scores, best first."""
    from indexer.catalog.supersession import replaced_chunks

    query = SearchQuery(prompt, limit=HITS)
    first = needed_lines(vault, prompt)
    found = vault.search(query)
    db = vault.db  # only now: a search may have opened another one
    told = () if found.weak else memories(found.hits, clean_query(found.asked).words)
    hits = answerable(db, told, replaced_chunks(db, private=False), query, _NEAR_SHARE)
    least = _NEAR_SHARE * max((hit.score for hit in hits), default=0.0)
    near = [hit for hit in hits if hit.score >= least]
    near.sort(key=lambda hit: (-round(hit.score, 2), TIERS.index(hit.age.tier or "warm")))
    scores = dict.fromkeys((line.key for line in first), 1.0)
    lines = {line.key: line for line in first}
    for line, score in _lines_of_hits(vault, near, clean_query(found.asked).words):
        lines.setdefault(line.key, line)
        scores.setdefault(line.key, score)
    among = [(hit.path, hit.lines[0]) for hit in found.hits]
    every = _settled(vault, with_later_lines(vault, prompt, [*lines.values()], among))
    return [(line, scores.get(line.key, 0.0)) for line in every]


def _lines_of_hits(
    vault: Vault,
    hits: Iterable[Hit],
    asked: Sequence[str] | None,
) -> Iterator[tuple[Line, float]]:
    """The lines of hits: a fact, or of other text the line that holds most of what is `asked`,
    without that all."""
    facts = NoteFacts(vault)
    for hit in hits:
        fact = facts[hit.path].get(hit.id)
        if fact is not None:
            line = line_of_fact(hit.path, fact, vault.clock)
        elif asked is None:
            text = single_spaced(hit.text)
            line = Line(
                key=f"{hit.path}:{hit.lines[0]}",
                path=hit.path,
                lines=hit.lines,
                text=text,
                date=hit.date or "",
                type=hit.type or TEXT_TYPE,
                id="",
            )
        else:
            line = _best_line(vault, hit, facts[hit.path].values(), asked)
        if line:
            older = hit.newer and f"{hit.newer.path}:{hit.newer.line}"
            yield line._replace(newer_of=hit.newer_of, newer=older or ""), hit.score


def _settled(vault: Vault, lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, each fact and each text as its note has it now; none that may not be told, nor
    what is past."""
    facts = NoteFacts(vault)
    for line in lines:
        known = facts[line.path]
        fact = known.get(line.key)
        text = line.text
        text = _holding(text, known.values())
        if fact:
            now = line_of_fact(line.path, fact, vault.clock)
        else:
            now = line._replace(text=text) if text else None
        if now:
            yield now._replace(newer_of=line.newer_of, newer=line.newer)


def _holding(text: str, facts: Collection[Fact]) -> str:
    """What still holds of a text, by the facts of its note."""
    holding = {fact.text for fact in facts if fact.status == "active"}
    past = {
        fact.text: "" for fact in facts if fact.status == "superseded" and fact.text not in holding
    }
    if not past:
        return text
    from aurelius.ageing.summary_text import corrected

    return corrected(text, past, holding)


def _best_line(
    vault: Vault,
    hit: Hit,
    facts: Collection[Fact],
    asked: Sequence[str],
) -> Line | None:
    """The line of a hit that holds the most words of what is asked; none of what is made of
    facts."""
    if hit.path.endswith("_index.md") or "".join(hit.heading[-1:]).casefold() in GENERATED:
        return None
    begun = [unaccented(word)[: max(4, len(word) - 3)] for word in asked]
    on_lines = by_line(facts)
    lines = [
        line
        for told in statements_at(vault, hit.path, *hit.lines)
        if (line := line_at(vault, hit.path, on_lines, told))
    ]
    lines = [line for line in lines if not _BARE.fullmatch(line.text)]
    return max(
        lines, key=lambda line: sum(map(unaccented(line.text).__contains__, begun)), default=None
    )


def _grouped(vault: Vault, lines: Iterable[Line]) -> Gathered:
    """The lines about a prompt by what they are, at most so many of each."""
    groups: dict[str, list[Line]] = {title: [] for title in CAPS}
    titles: dict[tuple[str, int], str] = {}
    for line in lines:
        is_text = line.type == TEXT_TYPE
        entity = is_text and get_kind(vault.db, line.path) not in {
            "note",
            "daily",
            "me",
            "memory",
        }
        title = THINGS if entity else OF_TYPE.get(line.type, FACTS)
        if line.newer_of:
            title = titles.get(line.newer_of.place, title)
        titles[line.place] = title
        if line.newer_of or len(groups[title]) < CAPS[title]:
            groups[title].append(line)
    return tuple(ContextPart(title, tuple(lines)) for title, lines in groups.items() if lines)


def _varied(vault: Vault, lines: Iterable[Line]) -> list[Line]:
    """The lines without the third and later ones that are alike but for names."""
    rows = vault.notes(Filters(kinds=("person", "company", "project"))).notes
    names = set[str]()
    for row in rows:
        names.update(row.title.casefold().split())
    seen: Counter[str] = Counter()
    varied = []
    for line in lines:
        shape = pattern(line.text, names)
        seen[shape] += 1
        if seen[shape] <= PER_PATTERN or "_" not in shape or line.newer_of:
            varied.append(line)
    return varied


def pattern(text: str, names: Collection[str]) -> str:
    """A line with `_` in place of its names; the word that it begins with is one only where it is
    among `names`."""
    unlinked = re.sub(PAGE_LINK, "_", text)

    def blank(found: re.Match[str]) -> str:
        is_first = not unlinked[: found.start()].strip(" *_\"'")
        word = found[0].casefold().removesuffix("'s").removesuffix("’s")
        return found[0] if is_first and word not in names else "_"

    return re.sub(r"_(?:\s+_)+", "_", _CAPITALISED.sub(blank, unlinked)).casefold()


# -- what fits -------------------------------------------------------------------------


def fit_budget(
    gathered: Gathered,
    budget: int,
    cost: Callable[[Line], int] | None = None,
    head: bool = True,
) -> ContextLines:
    """As many whole lines as fit into a budget of tokens; `cost` is what a line costs in twelfths
    of one."""
    cost = cost or (lambda line: count_twelfths(f"- {cite_line(line)}\n"))
    costs = [[cost(line) for line in part.lines] for part in gathered]
    taken, spent = _taken(gathered, costs, 12 * budget, head=head)
    if sum(map(len, taken)) < sum(map(len, costs)):
        taken, spent = _taken(
            gathered, costs, 12 * max(budget - _TAIL_TOKENS, budget * 2 // 3), head=head
        )
    spent += _newest_taken(gathered, costs, taken, 12 * budget - spent)
    parts: dict[str, list[Line]] = {}
    for part, chosen in zip(gathered, taken, strict=True):
        lines = [part.lines[at] for at in sorted(chosen)]
        if part.title in {_IDENTITY_PART, _TODAY_PART, YESTERDAY}:
            lines.sort(key=lambda line: (line.path, line.lines))
        if lines:
            parts.setdefault(part.title, []).extend(lines)
    left = sum(map(len, costs)) - sum(map(len, taken))
    return ContextLines(
        tuple(ContextPart(title, tuple(lines)) for title, lines in parts.items()),
        left,
        -(-spent // 12),
    )


def _taken(
    parts: Sequence[ContextPart],
    costs: Sequence[Sequence[int]],
    room: int,
    *,
    head: bool,
) -> tuple[list[set[int]], int]:
    """Which lines of each part fit, and what they cost with their titles: by shares where there is
    room, then any."""
    titles = [part.title for part in parts]
    taken: list[set[int]] = [set() for _ in parts]
    titled = set[str]() if head else {*titles}
    small = room <= 12 * _SMALL_BUDGET
    spent = 0
    if not small:
        carry = 0
        for at, part_room in enumerate(_shares(titles, room)):
            share = part_room + carry
            cost = _take(parts[at], costs[at], share, taken[at], titled)
            spent += cost
            carry = share - cost
    for at in sorted(range(len(parts)), key=lambda at: titles[at] not in {RULES_PART, FACTS}):
        share = room - spent
        if small and titles[at] == RULES_PART and FACTS in titles:
            share -= room // 3
        spent += _take(parts[at], costs[at], share, taken[at], titled)
    return taken, spent


def _newest_taken(
    parts: Sequence[ContextPart],
    costs: Sequence[Sequence[int]],
    taken: Sequence[set[int]],
    room: int,
) -> int:
    """Take no line without the one that is newer about the same thing, which gets its place where
    there is no room for both; what that adds to the costs."""
    places = {}
    for at, part in enumerate(parts):
        places.update({line.place: (at, number) for number, line in enumerate(part.lines)})
    added = 0
    for at, part in enumerate(parts):
        for number, line in enumerate(part.lines):
            older = places.get(line.newer_of.place) if line.newer_of else None
            if older is None or number in taken[at] or older[1] not in taken[older[0]]:
                continue
            taken[older[0]].remove(older[1])
            added -= costs[older[0]][older[1]]
            if added + costs[at][number] <= room:
                taken[at].add(number)
                added += costs[at][number]
    return added


def _shares(titles: Sequence[str], room: int) -> list[int]:
    """How much of the room each part gets."""
    weights = [SHARES.get(title, 1) / titles.count(title) for title in titles]
    total = sum(weights)
    return [int(room * weight / total) for weight in weights]


def _take(
    part: ContextPart,
    costs: Sequence[int],
    share: int,
    taken: set[int],
    titled: set[str],
) -> int:
    """Take the lines of a part that fit into a share and were not taken; what they cost, with the
    title where that does not stand yet."""
    spent = 0
    for number, price in enumerate(costs):
        heading = 0
        if part.title not in titled:
            heading = count_twelfths(f"\n## {part.title}\n\n")
        if number not in taken and price + heading <= share - spent:
            taken.add(number)
            titled.add(part.title)
            spent += price + heading
    return spent
