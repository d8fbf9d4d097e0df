"""The dates in a text in one form, by which two texts can be compared."""

from __future__ import annotations

import re
from datetime import date, timedelta

from indexer.reading.path_meaning import month_of

_MONTH_NAME = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_BEFORE = ("in", "In", "by", "By", "of", "to", "from", "since", "until", "til", "till")
_BEFORE_MONTH = "|".join(rf"(?<=\b{word} )" for word in _BEFORE)
_WRITTEN = re.compile(
    r"\b(?P<iso>\d{4}-\d\d-\d\d)\b|"
    rf"\b(?:the )?(?P<d1>\d{{1,2}})(?:st|nd|rd"
    rf"|th)?(?: of)? (?P<m1>{_MONTH_NAME})\b\.?(?:,? (?P<y1>\d{{4}}))?|"
    rf"\b(?P<m2>{_MONTH_NAME})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<y2>\d{{4}}))?|"
    rf"\b(?P<m3>{_MONTH_NAME}) (?P<y3>\d{{4}})\b|(?:{_BEFORE_MONTH}|(?!Ma))(?P<m4>{_MONTH_NAME})\b"
)
_RELATIVE = {"today": 0, "tomorrow": 1, "yesterday": -1, "tonight": 0, "last night": -1, "this": 0}


def _as_word(found: re.Match[str]) -> str:
    """A date that a text spells in one of the usual ways, as one word."""
    if found["iso"]:
        return f" §d{found['iso']} "
    month = _first_of(found, "m1", "m2", "m3", "m4")
    number = int(_first_of(found, "d1", "d2") or 0)
    year = _first_of(found, "y1", "y2", "y3") or "?"
    day = f"{number:02}" if number else "?"
    return f" §d{year}-{month_of(month):02}-{day} "


def _first_of(found: re.Match[str], *groups: str) -> str:
    """What one of these groups found, "" where none did."""
    return next(filter(None, found.group(*groups)), "")


def dated(
    text: str,
    day: str,
) -> str:
    """A text with each date as one word `§d…`, relative ones by their day where that is known;
    times in 24 hours."""
    text = _WRITTEN.sub(_as_word, text)
    text = re.sub(
        r"\b([Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Ff]rom|[Dd]uring|of|early|late) ((?:19"
        r"|20)\d\d)\b(?![-:.]\d)",
        r"\1 §d\2-?",
        text,
    )

    def near(found: re.Match[str]) -> str:
        word = found[1].lower()
        try:
            at = date.fromisoformat(day) + timedelta(_RELATIVE[word])
        except OverflowError:  # a day that no calendar has stays a word
            return found[0]
        return f" §d{at} {found[3] or 'night' * ('night' in word)} "

    if day:
        parts = "(morning|afternoon|evening|night)"
        words = "today|tomorrow|yesterday|tonight|last night"
        text = re.sub(rf"(?i)\b({words}|this(?=\s+{parts}))\b(?:\s+{parts}\b)?", near, text)
    return _CLOCK.sub(_clock, text)


_CLOCK = re.compile(r"(?i)(?<![\d:.])(\d{1,2})(?::(\d\d))?\s?([ap])\.?m\b\.?")


def _clock(found: re.Match[str]) -> str:
    """A time of the clock in 24 hours."""
    hour = int(found[1]) % 12 + 12 * (found[3].lower() == "p")
    return f"{hour}:{found[2] or '00'} "
