"""How often what is proposed is right: each phrase of a half is put to the facts of a made-up note."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from benches.ageing_phrases import PAIRS, Topic, number, pairs, topics

from aurelius.language.replacements import propose
from indexer.catalog.newer import alike
from indexer.note import Fact

DRAWS = 4
"""How often each phrase is tried, each time with other values in another note."""
BESIDES = 8
"""Other facts of the note."""


class Trial(NamedTuple):
    """A new line put to the facts of a note: what it was, which fact it replaces (-1: none), what was proposed."""

    what: str
    topic: str
    unseen: bool
    old: str
    new: str
    wanted: int
    got: int
    action: str
    named: str


def fact(text: str, at: int, date: str) -> Fact:
    """A fact of those words."""
    return Fact(
        f"f{at}", "", text, "fact", "active", date, None, "line", (), at, at, 0.2, None, False, False, False, "", False,
        "", "", "", "", (), (),
    )  # fmt: skip


def filled(phrase: str, value: str, before: str, name: str) -> str:
    """A phrase with its values."""
    return phrase.replace("{b}", value).replace("{a}", before).replace("{n}", name)


def note(topic: Topic | None, chance: random.Random, half: str, kind: str) -> tuple[list[Fact], int, list[str]]:
    """The facts of a note, which of them is of the topic, and three values of that: before, now, another."""
    others = [one for one in topics() if one.of == kind and (topic is None or one.name != topic.name)]
    lines = []
    for one in chance.sample(others, min(BESIDES, len(others))):
        phrases = one.of_half(one.state, half) or one.state
        lines.append(filled(chance.choice(phrases), chance.choice(one.values), "", "Joe"))
    if topic is None:
        return [fact(text, at, "2025-01-05") for at, text in enumerate(lines)], -1, []
    values = chance.sample(topic.values, 3)
    states = topic.of_half(topic.state, half) or list(topic.state)
    changes = topic.of_half(topic.change, half) if not topic.many else []
    phrase = chance.choice(changes if changes and chance.random() < 0.3 else states)
    place = chance.randrange(len(lines) + 1)
    lines.insert(place, filled(phrase, values[1], values[0], "Joe"))
    return [fact(text, at, "2025-01-05") for at, text in enumerate(lines)], place, values


def trials(half: str) -> Iterator[Trial]:
    """Every change and every look-alike of the half, and its pairs."""
    for topic in topics():
        bare = () if topic.many else topic.state
        for what, phrases in (("change", topic.change), ("alike", topic.alike), ("bare", bare)):
            for phrase in topic.of_half(phrases, half):
                for draw in range(DRAWS):
                    chance = random.Random(number(f"{phrase} {draw}"))
                    facts, place, values = note(topic, chance, half, topic.of)
                    line = filled(phrase, values[2], values[1], "Joe")
                    yield tried(what, topic.name, facts, line, -1 if what == "alike" else place, unseen=topic.unseen)
    for label, one, other in pairs(half):
        for draw in range(DRAWS):
            chance = random.Random(number(f"{one} {other} {draw}"))
            facts, _, _ = note(None, chance, half, chance.choice(("person", "project", "company")))
            place = chance.randrange(len(facts) + 1)
            facts = [fact(each.text, at, "2025-01-05") for at, each in enumerate(facts)]
            facts.insert(place, fact(one, 99, "2025-01-05"))
            yield tried(label, "pairs", facts, other, place if label in {"replace", "against"} else -1, unseen=False)


def tried(what: str, topic: str, facts: list[Fact], line: str, wanted: int, *, unseen: bool) -> Trial:
    """What is proposed for a new line."""
    made = propose(facts, fact(line, 100, "2026-01-05"))
    got = facts.index(made.old) if made else -1
    old = facts[wanted].text if wanted >= 0 else ""
    return Trial(
        what, topic, unseen, old, line, wanted, got, made.action if made else "", made.old.text if made else ""
    )


def rates(found: list[Trial]) -> tuple[float, float, int]:
    """Precision and recall of `supersede`, and how many lines replace something."""
    made = [one for one in found if one.action == "supersede"]
    right = sum(one.got == one.wanted and one.what in {"change", "replace"} for one in made)
    wanted = sum(one.what in {"change", "replace"} for one in found)
    # a plain line of another value is a question, and no mistake where it is proposed
    wrong = sum(one.got != one.wanted for one in made)
    return right / max(1, right + wrong), right / max(1, wanted), wanted


def told_same(half: str) -> dict[str, tuple[int, int]]:
    """Of each label of pairs: how many are said to say the same, and how many there are."""
    counts = {label: [0, 0] for label in PAIRS}
    for label, one, other in pairs(half):
        counts[label][0] += alike(one, other)
        counts[label][1] += 1
    return {label: (same, total) for label, (same, total) in counts.items()}
