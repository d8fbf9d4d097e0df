"""Type words: what a word in a tail, a `[category]`, a property, a filter or a heading says a fact
is.

A word may bring a subtype behind a slash, `instruction/tool_usage`; which ones there are is not
fixed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from indexer.note import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.note import Fact


_NOISE = re.compile(r"[^\w\s;-]|\s\(.{0,200}$")


class Meaning(NamedTuple):
    """What a type word says: one of TYPES, a subtype or "", and whether it is a milestone, which
    never goes cold."""

    type: str
    subtype: str = ""
    milestone: bool = False


MILESTONE = "milestone"
"""Names a fact, not an event, and one that stays: it never goes cold."""

ALIASES = {
    "fact": "milestone context definitional semantic detail info entity",
    "preference": "opinion pref like dislike",
    "decision": "choice",
    "instruction": "rule process tool_usage how-to howto procedure procedural guideline",
    "event": "action episodic meeting happening",
    "observation": "insight lesson learning pattern idea note",
    "plan": "goal todo intention",
    "status": "state",
    "relationship": "relation edge",
}
"""The other words for each type, those of most use first."""

_TYPE_OF = {
    **{word: word for word in TYPES},
    **{word + "s": word for word in TYPES if word not in ("status", "identity")},
    "milestones": "fact",
    "opinions": "preference",
    "rules": "instruction",
    "goals": "plan",
    "todos": "plan",
    "processes": "instruction",
}
for _type, _aliases in ALIASES.items():
    _TYPE_OF |= dict.fromkeys(_aliases.split(), _type)
_SUBTYPE = re.compile(r"[a-z][a-z0-9_-]{0,40}")

_HEADINGS = {
    "fact": (
        "facts|fact|key facts|known facts|quick facts|fun facts|good to know|things to know"
        "|things to remember|what i know"
    ),
    "preference": (
        "preferences|preference|likes|dislikes|likes and dislikes|tastes|favorites|favourites"
        "|opinions|opinion|views|beliefs"
    ),
    "decision": "decisions|decision|key decisions|decision log|decisions made",
    "instruction": (
        "rules|rule|instructions|instruction|standing instructions|how-to|how-tos|howto|how to"
        "|guidelines|conventions|house rules|working agreements|policies"
    ),
    "identity": "identity|who i am|about me",
    "event": "timeline|events|event|key dates|important dates|key events",
    "observation": "observations|observation|insights|learnings|lessons|lessons learned|patterns",
    "plan": "plans|plan|goals|goal|next steps|roadmap|intentions",
    "status": "status|current status|state|current state",
    "relationship": "relationships|relationship|relations|connections",
}
_NEAR_HEADINGS = {
    "fact": "context",
    "instruction": "process|processes|procedure|procedures|tool usage",
}
"""Headings of facts only in a note about one thing, a daily note, ME.md and MEMORY.md: articles
have them too."""

_MILESTONES = ("milestones", "milestone", "key milestones")


def _by_heading(found: dict[str, str]) -> dict[str, Meaning]:
    made: dict[str, Meaning] = {}
    for type_, words in found.items():
        made |= dict.fromkeys(words.split("|"), Meaning(type_))
    return made


FACT_HEADINGS = {**_by_heading(_HEADINGS), **dict.fromkeys(_MILESTONES, Meaning("fact", "", True))}
"""The headings under which every list item is a fact, as `facts.normal_heading` spells them."""

OWN_HEADINGS = FACT_HEADINGS | _by_heading(_NEAR_HEADINGS)
"""The same in notes that keep facts: those about one thing, daily notes, ME.md and MEMORY.md."""


def type_meaning(word: str) -> Meaning | None:
    """What a type word says, by its own name or an alias, with a subtype or without; None for any
    other word."""
    name, slash, subtype = word.strip().lower().partition("/")
    type_ = _TYPE_OF.get(name)
    if type_ is None or (slash and not _SUBTYPE.fullmatch(subtype)):
        return None
    return Meaning(
        type_, subtype, type_ == "fact" and MILESTONE in (name.removesuffix("s"), subtype)
    )


def narrower(found: Meaning | Fact) -> str:
    """What there is of a fact besides its type: its subtype, `milestone`, or ""."""
    return found.subtype or (MILESTONE if found.milestone else "")


def filter_name(word: str) -> str:
    """A type word as filters have it, the type and what is narrower: `rule` is instruction,
    `milestone` fact/milestone.

    Any other word stays as it is.
    """
    found = type_meaning(word)
    if found:
        return "/".join(filter(None, (found.type, narrower(found))))
    return word


def word_of(found: Meaning | Fact) -> str:
    """The word that says this in a tail: `milestone`, `instruction/rule`, `decision`."""
    if found.subtype:
        return f"{found.type}/{found.subtype}"
    if found.milestone:
        return MILESTONE
    return found.type


def type_said(fact: Fact) -> str:
    """The word for the type of a fact, "" for a plain fact."""
    word = word_of(fact)
    if word == "fact":
        return ""
    return word


def nearest_type_word(word: str, others: Iterable[str] = ()) -> str:
    """The type word, or one of some others, that is spelled most like a word, or ""."""
    name, slash, subtype = word.strip().lower().partition("/")
    found = closest(name, (*_TYPE_OF, *others))
    if found:
        return found + slash + subtype
    return ""


def closest(word: str, words: Sequence[str]) -> str:
    """The one of some words that is spelled most like a word, or ""."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), words, 1, 0.75)), "")


@lru_cache(maxsize=4096)
def normal_heading(heading: str) -> str:
    """A heading as the lists of fact headings spell it: no case, emoji, marks or trailing
    parenthesis."""
    return " ".join(_NOISE.sub("", heading.lower().replace("&", "and")).split())


def is_fact_heading(heading: str) -> bool:
    """Whether a heading names a type of facts in every note."""
    return normal_heading(heading) in FACT_HEADINGS
