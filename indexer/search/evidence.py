"""What speaks for it that a line helps with a question: words of it, a nearness in meaning, a day
that is soon, a time or a sum where one is asked for."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING

from indexer.reading.path_meaning import unaccented
from indexer.spelling import ISO_DAY
from indexer.tokens.english import any_of, word_matters

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import date

    from indexer.tokens.embed import Encoder

    from .coverage import Coverage

_TIMES = (
    r"\d{4}-\d\d|\d\d?:\d\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february"
    r"|march|april|may|june"
    r"|july|august|september|october|november|december|days?|weeks?|months?|hours?|morning|evening"
    r"|night|before|after"
    r"|until|by the|daily|weekly)\b"
)
_SUMS = (
    r"[$€£¥]\s?\d|\d\s?(?:euros?|eur|usd|dollars?|pounds?|gbp|kr|sek|nok|dkk|chf|zł|pln|yen|yuan"
    r"|rupees?|percent|%|k\b)|\bfree\b"
    r"|half the price|\bprice\b"
)
_WHEN = (
    "when whens what_day which_day what_time what_date how_long by_when until_when deadline due"
    " latest how_late how_early how_soon too_late"
)
_LIMITS = (
    "never no not only must cannot can't may until except unless without allergic away leave closed"
    " at_least at_most before instead always need needs want wants prefer prefers hate hates love"
    " loves"
)
_MOST_TEXT_TOKENS = 24
"""Tokens of a text whose vectors are added up."""
_SOON_DAYS = 35
"""Days from now on that are soon."""
KIN = 0.6
"""How much a line holds of a word where it only speaks of the same matter of everyday life."""
_RELATION = re.compile(r"\s*(?:[-*] )?\[\[[^\]]*\]\]\s*[-–—]")
_TOLD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@cache
def _wants() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """What a question may ask for, and what an answer holds then: a time, a sum, a phone number, a
    link, a number."""
    asked = (
        (_WHEN, _TIMES),
        (
            "how_much cost costs price pay paid charge budget fee earn earns salary comes_to rate",
            _SUMS,
        ),
        ("birthday bday born", r"birthday|born|\d{4}-\d\d"),
        ("password login code pin passcode", r"code|password|login|\bpin\b|key|\d{3,}"),
        ("who whom", r"(?-i:(?<=[a-z,;:] )[A-Z][a-z]+)|\[\["),
        ("mail_address email_address e-mail_address", "@"),
        ("postcode eircode zip_code", r"(?-i:\b[A-Z]{1,2}\d)|\b\d{4,5}\b"),
        ("phone number mobile call ring reach text", r"\+?\d[\d -]{6,}\d"),
        ("how_old", r"\byears?\b|\bage|born|\d\d"),
        ("link url site website page where_was", r"https?://|www\."),
        (
            "how_many how_big how_fast how_tall how_hot size weight what_temperature hex work_out",
            r"\d",
        ),
    )
    return tuple((any_of(words), re.compile(held, re.IGNORECASE)) for words, held in asked)


class Holds:
    """How much texts hold of a question's words: by themselves, by near ones, or by what they speak
    of."""

    def __init__(
        self,
        question: Coverage,
    ) -> None:
        self.question = question
        self.matters = [word_matters(word) for word in question.words]

    def share(
        self,
        text: str,
    ) -> float:
        """The share of the question that a text holds, by weight."""
        said = frozenset().union(*map(word_matters, set(_TOLD.findall(unaccented(text).lower()))))
        held = self.question.held(self.question.bag(text))
        pairs = zip(held, self.matters, strict=True)
        return self.question.weighed(
            max(value, KIN) if own & said else value for value, own in pairs
        )


def text_likeness(
    encoder: Encoder | None,
    weigh: Callable[[Collection[int]], Mapping[int, float]],
    texts: Sequence[str],
) -> list[float]:
    """How near each text but the first comes to that in meaning: the cosine of their words, the
    rarer the more."""
    if encoder is None:
        return [0.0] * (len(texts) - 1)
    from indexer.tokens.embed import EMBEDDING_LENGTH

    every = [encoder.ids(text)[:_MOST_TEXT_TOKENS] for text in texts]
    told = weigh({*chain(*every)})
    first, *others = (
        memoryview(encoder.vector(ids, [told[each] for each in ids])).cast("b") for ids in every
    )
    return [sum(map(mul, first, other)) / EMBEDDING_LENGTH**2 for other in others]


def is_relation(text: str) -> bool:
    """Whether a line says who somebody is to another: `[[companies/acme]] - Employer`."""
    return _RELATION.match(text) is not None


def limits(text: str) -> float:
    """1 where a line sets limits to whoever does something for somebody, or with something, else
    0."""
    return float(any_of(_LIMITS).search(text) is not None)


def soon(
    text: str,
    today: date,
) -> float:
    """1 where a day or a span of days that a text names is not over and begins within `_SOON_DAYS`
    days, else 0."""
    days = re.findall(rf"\b{ISO_DAY}\b", text)
    ahead = (today + timedelta(_SOON_DAYS)).isoformat()
    return float(bool(days) and max(days) >= today.isoformat() and min(days) <= ahead)


def wanted_in_answer(question: str) -> tuple[re.Pattern[str], ...]:
    """What an answer to a question has to hold, any of these: a time, a sum, a phone number, a
    link, a number."""
    return tuple(held for asked, held in _wants() if asked.search(question))


def answers(
    wants: Sequence[re.Pattern[str]],
    text: str,
) -> float:
    """1 where a text holds what is wanted, -1 where it does not, 0 where nothing such is wanted."""
    if wants:
        if any(held.search(text) for held in wants):
            return 1.0
        return -1.0
    return 0.0
