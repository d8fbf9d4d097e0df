"""What a sentence that is kept is: its type, and the days that it names as seen from its own.

Pure: text and a day in, values out; English alone.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING

from aurelius.language import spoken
from indexer.reading.path_meaning import MONTH_NAME, WEEKDAY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

WHO_I_AM = re.compile(
    r"(?i)^i(?:'m| am) (?:an? |the (?!only|one)|from )|\b(?:passport|nationality|my name)\b"
)
"""Words by which somebody says who they are."""
_ANY_MORE = re.compile(r"(?i)\b(?:any|no) ?more\b")
_WILL = re.compile(
    r"(?i)\b(?:will|shall|going (?:to|live)|flying|fly to|com(?:es|ing)|takes? over|leaves|leaving"
    r"|moving|due|(?:is|are) to be|starts?|back the|move in|workshop|meeting)\b|'ll\b|^it'?s the "
)
_EVENT = re.compile(
    r"(?i)(?:\b(?:is|are)|'s) (?:on |at )?(?:the |\d)|\b(?:last day|turning|deadline|takes place"
    r"|first time|moved to|postponed|brought forward|from \d)\b"
)
_DONE = re.compile(
    r"(?i)\b(?:\w{2,}[^e]ed|met|went|ran|came|left|paid|sent|sold|bought|began|broke|took|made|gave"
    r"|got|had|saw|lost|won)\b"
)
_REJECTED = re.compile(r"(?i)\b(?:i|we)\b.* (?:rejected|ruled out|turned down)\b")
_CHOSE = re.compile(r"(?i)\b(?:decid|agreed|settled|i take|shall not|instead|going with|let'?s)")
_OUGHT = re.compile(
    r"(?:(?i:all|every|each|any|no|the|our)\b[^,.;]*? |(?i:[\w-]+s) |[a-z][^,.;]*? )"
    r"(?<!\bi )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\byou )"
    r"(?:must|ha(?:s|ve) to|needs? to)\b"
)
"""What things must be or do, rather than somebody."""
_TENDS = re.compile(r"(?i)\b(?:tends? to|keeps \w+ing)\b")
_DAYS = rf"(?:{WEEKDAY_NAME})"
_FROM_TODAY = re.compile(
    rf"(?i)\b(?:yesterday|(?:the )?day after tomorrow|tomorrow|tonight"
    rf"|(?:on|by|until|till|next|last|this) {_DAYS}"
    rf"|a week on {_DAYS}|{_DAYS} week|in \w+ days|\w+ days ago)\b"
)
_WRITTEN = re.compile(
    rf"(?i)\b(?:\d{{4}}-\d\d-\d\d|{MONTH_NAME} \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH_NAME})\b(?: \d{{4}}\b)?"
)
_AHEAD = re.compile(r"(?i)\b(?:to|for|until|till|by|before|due) (?:the )?$")
"""What stands before a day that is still to come, whatever was done about it."""
_WEEK = timedelta(7)


def is_order(text: str) -> bool:
    """Whether a statement says how something is to be done, rather than that it ended."""
    plain = _ANY_MORE.sub("", text)
    return spoken.is_rule(plain) or spoken.orders_something(plain) or bool(_OUGHT.match(plain))


def sentence_type(text: str) -> str:
    """The type of a statement."""
    is_dated = spoken.DATED.search(text) or _FROM_TODAY.search(text)
    is_day = is_dated and not _CHOSE.search(text)
    is_exact = is_day and (_WRITTEN.search(text) or _FROM_TODAY.search(text))
    told = {
        "decision": spoken.lets(text) or _REJECTED.search(text),
        "instruction": is_order(text),
        "preference": spoken.LIKES.search(text),
        "plan": is_day and _WILL.search(text),
        "event": (is_day and _EVENT.search(text)) or (is_exact and _DONE.search(text)),
        "chosen": spoken.clause_decides(_ANY_MORE.sub("", text)),
        "identity": WHO_I_AM.search(text),
        "observation": _TENDS.search(text),
    }
    found = next((name for name, so in told.items() if so), "fact")
    return found.replace("chosen", "decision")


def day_of_event(text: str, today: str) -> str:
    """The day on which it happened what a sentence tells, "" where it does not name one day that
    is past."""
    found = {day for _, day in _days(_WRITTEN, text, today)}
    found.update(day for _, day in _days(_FROM_TODAY, text, today))
    past = [day for day in found if day <= today]
    return past[0] if len(found) == len(past) == 1 else ""


def with_days(text: str, today: str) -> str:
    """A sentence as it was said, and behind it the days that it names as seen from today; a
    weekday alone may be that of each week."""
    told = [
        f"{words}: {day}"
        for words, day in _days(_FROM_TODAY, text, today)
        if not re.match(r"(?i)(?:on|by|until|till) ", words)
    ]
    if told:
        return f"{text} ({', '.join(dict.fromkeys(told))})"
    return text


def without_days(text: str) -> str:
    """A kept line without the days that `with_days` wrote behind it."""
    return re.sub(r" \((?:[\w ]+: \d{4}-\d\d-\d\d(?:, )?)+\)$", "", text)


def _days(form: re.Pattern[str], text: str, today: str) -> Iterator[tuple[str, str]]:
    """The words of a sentence that name one day, as they stand, with that day."""
    for found in form.finditer(text):
        with suppress(ValueError, OverflowError):
            is_past = _DONE.search(text) and not _AHEAD.search(text[: found.start()])
            first, last = _span(found[0].lower(), date.fromisoformat(today), is_past=bool(is_past))
            if first == last:
                yield found[0], first.isoformat()


def _span(words: str, today: date, *, is_past: bool) -> tuple[date, date]:
    """The first and the last day that some words mean; a weekday alone and a day without a year
    are the next one, unless something has happened.  ValueError."""
    from indexer.search.dates import parse_span  # few sentences name a day

    week = re.fullmatch(r"(?:a week on (\w+)|(\w+) week)", words)
    if week:
        first, last = parse_span(f"next {week[1] or week[2]}", today)
        return first + _WEEK, last + _WEEK
    words = re.sub(r"^(?:by|until|till) ", "next ", words)
    if is_past:
        return parse_span(words, today)
    words = re.sub(r"^on ", "next ", words)
    first, last = parse_span(words, today)
    if last < today and not re.search(r"\d{4}|ago|last|yester", words):
        return parse_span(words, today + 52 * _WEEK)
    return first, last
