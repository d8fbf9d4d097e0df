"""English words as every rule about lines takes them: their stems, and which of them carry no content."""

from __future__ import annotations

_STOP = (
    "a about after all also am an and any are as at be because been before being but by can could did do does doing "
    "don during each few for from get had has have having he her here hers him himself his how i if in "
    "into is isn it its itself just let ll me more most my myself of on once only or other our ours out own "
    "re she should so some such than that the their theirs them themselves then there these they this "
    "those through to too until up us ve very was wasn we were what when where which while who whom whose why "
    "will with would you your yours yourself didn doesn aren weren hasn haven hadn wouldn couldn shouldn"
)
STOP = frozenset(_STOP.split())
"""English words that carry a question's grammar, not its content: they carry no weight."""
MODALS = frozenset({"may", "might", "must", "should"})
"""Verbs that make a line a rule or a guess; `May` is a month as well."""
_SHADES = "again always down good off over per quite really shall since still"
GRAMMAR = (STOP - MODALS) | frozenset(_SHADES.split())
"""Words that say nothing of what a line is about: those that a search leaves out, and those that only shade a line.
Not modal verbs, which lines of one matter often share."""
_TELLING = (
    "about after again all always because before by down during each few from good how if into let more most off "
    "once only other over own per since still than then through to until up what when where while why"
)
EMPTY = (GRAMMAR | MODALS) - frozenset(_TELLING.split())
"""Words in which two lines may differ and yet state the same: when, how much and which way are no such words."""

_ENDINGS = ("ation", "ings", "ing", "edly", "ied", "ies", "ed", "es", "s", "e")


def stem(word: str) -> str:
    """A word without its ending, so that lives, lived and living are one."""
    word = word.casefold().partition("'")[0] or word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    return word[:-1] if word[-1:] in {"y", "i"} and len(word) > 3 else word
