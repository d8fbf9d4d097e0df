"""Which fact a newer one replaces: proposals for a person to accept, nothing here changes anything.

A proposal needs the same entity and another value of one matter (`disagreement`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from indexer.note import Fact

from .cues import SINGLE, Words, read_cues
from .disagreement import bare_words, judge_pair
from .timeline import are_apart

_MOST_EARLIER_FACTS = 200
"""Earlier facts of one topic that are compared."""
BLANK_FACT = Fact(
    key="",
    id="",
    text="",
    type="fact",
    status="active",
    date=None,
    until=None,
    dated="line",
    heading=(),
    first=0,
    last=0,
    scope=0.0,
    importance=None,
    pinned=False,
    milestone=False,
    inferred=False,
    source="",
    linked="",
    because="",
    superseded_by="",
    updates="",
    contradicts="",
    tags=(),
    related=(),
)
"""A fact that says nothing, to make a line of that is in no note."""


class Proposal(NamedTuple):
    """`new` may take the place of `old`.

    `action` is `supersede`, or `ask` where nothing says which of the two holds; `cue` is the phrase
    that says something changed, "" with `ask`; `score` orders proposals for one new fact.
    """

    old: Fact
    new: Fact
    action: str
    cue: str
    score: float

    @property
    def key(self) -> str:
        """What the log knows an accepted or dismissed proposal by."""
        return f"{self.old.key}>{self.new.key}"


def propose(old: Iterable[Fact], new: Fact) -> Proposal | None:
    """The one of the older facts of the same entity that a new one most likely replaces, or None.

    Facts that are superseded, newer or tied to the new one by hand already are passed over.
    """
    made: list[Proposal] = []
    for one in old:
        if not _may_take_place(new, one):
            continue
        found = judge_pair(one.text, new.text)
        if found:
            action, score, cue = found
            made.append(Proposal(one, new, action, cue, score))
    made.reverse()  # of equals the last is meant
    return max(made, key=lambda each: (each.score, each.old.date or ""), default=None)


def proposals(facts: Sequence[Fact]) -> list[Proposal]:
    """What may have been replaced among the facts of one entity: each by the nearest that came
    later.

    Undated facts count as older than dated ones, equals as they stand; so nothing ever replaces
    what came after it. A line meets only those with which it shares a topic, and without a cue only
    those that it gives another value or denies.
    """
    active = (fact for fact in facts if fact.status == "active")
    order = sorted(active, key=lambda fact: fact.date or "")
    of_topic: dict[str, list[int]] = {}
    of_dispute: dict[tuple[object, ...], list[int]] = {}
    found: dict[str, Proposal] = {}
    for place, fact in enumerate(order):
        words = read_cues(fact.text)
        topics = _topics(words)
        near: set[int] = set()
        for topic in topics:
            near.update(of_topic.get(topic, ())[-_MOST_EARLIER_FACTS:])
        if not words.cue:
            disputed: set[int] = set()
            for key in _disputes(words, new=True):
                disputed.update(of_dispute.get(key, ()))
            near &= disputed
        rivals = (order[each] for each in sorted(near))
        made = propose([one for one in rivals if one.key not in found], fact)
        if made is not None:
            found[made.old.key] = made
        for key in _disputes(words, new=False):
            of_dispute.setdefault(key, []).append(place)
        for topic in topics:
            of_topic.setdefault(topic, []).append(place)
    return list(found.values())


def _topics(words: Words) -> set[str]:
    """What a line shares with every other that it could replace or be replaced by."""
    topics = {*words.content}
    for sense in words.senses | words.loose:
        topics.add(f" {sense}")
    if words.label:
        topics.add(f" {words.label}:")
    return topics


def _disputes(words: Words, *, new: bool) -> set[tuple[object, ...]]:
    """What two lines share at least where they disagree without a cue: as `new`, or as one that was
    there before."""
    bare = bare_words(words)
    head = words.content[:1]
    found: set[tuple[object, ...]] = set()
    found.add(("words", frozenset(words.content)))
    found.add(("but one", words.content[:-1]))
    for sense in words.senses & SINGLE:
        rest = frozenset(bare) if words.kinds else len(bare)
        found.add(("sense", sense, words.kinds, rest))
    if words.label:
        found.add(("label", words.label))
    if new or words.never:
        found.add(("never", head))
    if not new or words.never:
        found.add(("denied", head))
    return found


def _may_take_place(new: Fact, old: Fact) -> bool:
    """True if a fact may take another's place; one that names what it updates has been decided
    about."""
    if old.status == "superseded" or old.key == new.key or new.updates:
        return False
    if _are_under_two(old.heading, new.heading):
        return False
    if old.id and old.id == new.contradicts:
        return False
    if new.id and new.id == old.contradicts:
        return False
    return not old.date or not new.date or old.date <= new.date


def _are_under_two(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether what stands under two headings of one note is of two things."""
    if not one[1:] or not other[1:] or one[0] != other[0]:
        return False
    return are_apart(one[-1], other[-1])
