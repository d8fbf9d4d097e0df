"""Two lines → same, changed, both hold or unknown, with its evidence: what everybody asks who has
two lines and wants to know whether they are of the same matter.

Many lines at once are asked about in `timeline` (which are older) and `proposals` (which replaces
which), which look only at those that have words in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from indexer.note import Fact

from .cues import is_change
from .disagreement import hold_together, judge_pair
from .proposals import propose
from .statement import line_meaning, say_alike
from .timeline import Stated, exchanged

SAME = "same"
CHANGED = "changed"
BOTH_HOLD = "both hold"
UNKNOWN = "unknown"
"""Answers; of two lines that are of no one matter nobody knows anything."""
SENTENCE = "one sentence with two values"
CUE = "the newer line says that something changed"
QUESTION = "nothing says which of two values holds"
"""What a change is seen by."""


class Verdict(NamedTuple):
    """What a newer line is to an older one: one of the answers above, and what a change is seen
    by."""

    answer: str
    evidence: str = ""

    @property
    def is_changed(self) -> bool:
        """True if the two cannot both hold."""
        return self.answer == CHANGED

    @property
    def is_other_value(self) -> bool:
        """True if the newer line is the older one's sentence with another value."""
        return self.evidence == SENTENCE


def compare_lines(old: Stated, new: Stated) -> Verdict:
    """What a newer line is to an older one; both are about the notes whose names they have."""
    if say_alike(old.text, new.text):
        return Verdict(SAME)
    if hold_together(old.text, new.text):
        return Verdict(BOTH_HOLD)
    denials = line_meaning(old.text).denials
    if denials == line_meaning(new.text).denials and exchanged(old, new):
        return Verdict(CHANGED, SENTENCE)
    judged = judge_pair(old.text, new.text)
    if judged is None:
        return Verdict(UNKNOWN)
    if judged[0] == "supersede":
        return Verdict(CHANGED, CUE)
    return Verdict(CHANGED, QUESTION)


def compare_facts(old: Fact, new: Fact, names: frozenset[str]) -> Verdict:
    """The same of two facts about a page with these names."""
    was = Stated(old.text, old.date or "", names)
    made = Stated(new.text, new.date or "", names)
    return compare_lines(was._replace(type=old.type), made)


_ASIDE = re.compile(r"^\([^()]*\)\s*")


def replaced_fact(facts: Iterable[Fact], new: Fact, names: frozenset[str]) -> Fact | None:
    """The fact of a page with these names that a line takes the place of, the newest of several."""
    day = new.date or ""
    active = (fact for fact in facts if fact.status == "active")
    rivals = [fact for fact in active if (fact.date or "") <= day]
    rivals.sort(key=lambda fact: fact.date or "", reverse=True)
    says_change = is_change(new.text)
    for one in rivals:
        is_of_day = new.type == "preference" or one.date == new.date
        if is_of_day and not says_change:
            continue
        verdict = compare_facts(one, new, names)
        if verdict.is_other_value:
            return one
    hit = propose(rivals, new)
    if hit and hit.action == "supersede":
        return hit.old
    return None


def outdates(new: Fact, old: Fact, names: frozenset[str]) -> bool:
    """True if a line about a page with these names is of one matter with that of an earlier day,
    and gives it another value; of two likings only where the newer line says that it changed."""
    was = old._replace(text=_ASIDE.sub("", old.text))
    made = new._replace(text=_ASIDE.sub("", new.text))
    verdict = compare_facts(was, made, names)
    if "preference" not in {new.type, old.type}:
        return verdict.is_changed
    if verdict.is_other_value:
        return new.type != "preference" or is_change(made.text)
    return verdict.evidence == CUE
