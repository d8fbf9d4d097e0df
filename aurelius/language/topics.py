"""Topics of common lines: home, work, price, deadline, … by the words people use for them.

A sense is only a hint that two lines are of one matter.  `firm` words and phrases name the matter, `loose` ones are
verbs that go with many matters and count only where nothing firm stands in the line.  Words are stems (`stem`).
"""

from __future__ import annotations

import re

from indexer.tokens.english import stem

_SINGLE = (
    "home work role phone email diet car status doctor deadline lead chief headquarters headcount cost contact "
    "partner wake bank budget limit carrier"
)
_OF_LABEL = frozenset(map(stem, ("date", "number", "day", "address")))
SINGLE = frozenset(_SINGLE.split())
"""Senses of which there is one value at a time: two plain lines that differ cannot both hold."""

_LABELS = (
    "home address employer job role title phone mobile telephone email diet car status doctor gp deadline due launch "
    "lead owner chief ceo headquarters hq headcount price cost fee contact partner wake bank budget limit quota "
    "carrier birthday framework database hosting release version size weight height"
)
_LABEL_ENDS = frozenset(map(stem, _LABELS.split()))

_FIRM = {
    "home": "live reside home wohnt lebt vive habite woont abita mora mieszka",
    "work": "employ employer",
    "role": "role title position",
    "phone": "phone mobile number reachable call cell",
    "email": "email mail inbox",
    "diet": "diet eat vegan vegetarian pescatarian keto paleo halal kosher gluten-free low-carb omnivore",
    "car": "car drive vehicle van",
    "drink": "drink order coffee tea espresso beer wine juice water cocoa chocolate",
    "school": "school kindergarten",
    "child": "kid child children",
    "doctor": "doctor gp dr check-up checkup physician",
    "deadline": "deadline due launch ship",
    "lead": "lead leader led owner owned",
    "chief": "ceo chief",
    "headquarters": "hq headquarter",
    "headcount": "headcount employee staff",
    "cost": "price cost charge subscription fee",
    "status": "status state currently shipped cancelled blocked paused beta hold progress review live",
    "release": "release version",
    "contact": "contact",
    "bill": "bill billing billed invoice",
    "gym": "gym workout",
    "carrier": "carrier parcel ship",
    "meeting": "meet meeting",
    "wake": "wake alarm",
    "partner": "partner date dating marry married engaged relationship husband wife spouse",
    "bank": "bank account",
    "refund": "refund return",
    "tracker": "track tracker task issue",
    "budget": "budget",
    "limit": "limit quota",
    "framework": "framework",
    "store": "database storage store data",
    "host": "host deploy",
    "smoke": "smoke smoking",
}
_PHRASES = (
    ("role", r"\bworks as\b|\b(?:job )?title\b|\btook over as (?!lead|ceo)"),
    ("headquarters", r"\bhead ?office\b"),
    ("home", r"\bmoved house\b|\bbased in\b|\bflat in\b"),
    ("headquarters", r"\bbased in\b"),
    ("wake", r"\b(?:gets?|got|getting) up\b"),
    ("contact", r"\baccount manager\b"),
    ("lead", r"\bruns the project\b|\btook over as lead\b"),
    ("chief", r"\brun by\b|\btook over as ceo\b"),
    ("framework", r"\bbuilt with\b|\bwritten in\b|\brewritten in\b|\bported\b"),
    ("host", r"\bruns on\b"),
    ("status", r"\bthe project is\b"),
    ("store", r"\bstored in\b"),
    ("work", r"\b(?:works?|working|job) (?:at|for)\b"),
)
_LOOSE = (
    ("home", r"\b(?:moved|relocated|settled)\b.* (?:to|in|into|over)\b|\brelocated\b"),
    ("headquarters", r"\b(?:moved|relocated)\b.* to\b"),
    ("work", r"\b(?:joined|hired|quit|laid off|notice)\b|\bleft\b.* for\b|\bchanged jobs\b|\boffer from\b"),
    ("role", r"\b(?:promoted|became|stepped down|took over)\b"),
    ("deadline", r"\b(?:postponed|delayed|pushed|slipped|brought forward)\b"),
    ("cost", r"\b(?:a|per) month\b"),
    ("status", r"\b(?:shipped|cancelled|blocked|paused|in beta|on hold|in progress|in review)\b"),
    ("diet", r"\bwent\b"),
    ("lead", r"\bleads\b|\bhanded over\b"),
    ("store", r"\b(?:use[sd]?|migrated|switched)\b"),
    ("release", r"\b(?:upgraded|bumped|released|rolled back)\b"),
)

_WORDS: dict[str, set[str]] = {}
for _sense, _words in _FIRM.items():
    for _word in _words.split():
        _WORDS.setdefault(stem(_word), set()).add(_sense)
_FIRM_PHRASES = tuple((sense, re.compile(pattern, re.IGNORECASE)) for sense, pattern in _PHRASES)
_LOOSE_PHRASES = tuple((sense, re.compile(pattern, re.IGNORECASE)) for sense, pattern in _LOOSE)
_ANY_PHRASE = re.compile("|".join(f"(?:{pattern})" for _, pattern in (*_PHRASES, *_LOOSE)), re.IGNORECASE)


def names_sense(word: str) -> bool:
    """True if a stem names a matter, and so is no value."""
    return word in _WORDS


def is_single(label: str) -> bool:
    """True if what stands before a colon, as stems, names something that has one value at a time: `Launch date`, not
    `Standard` or `Detail`, which any line may begin with.
    """
    words = label.split()
    return bool(words) and words[-1 - (len(words) > 1 and words[-1] in _OF_LABEL)] in _LABEL_ENDS


def senses(text: str, words: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What a line is about, firmly and else loosely."""
    firm = {sense for word in words for sense in _WORDS.get(word, ())}
    if not _ANY_PHRASE.search(text):
        return frozenset(firm), frozenset()
    firm |= {sense for sense, pattern in _FIRM_PHRASES if pattern.search(text)}
    loose = {sense for sense, pattern in _LOOSE_PHRASES if pattern.search(text)}
    return frozenset(firm), frozenset(loose)
