"""What a question says about days and people: which days it is about, and whether it names the
speaker of a line.

Pure: the day of asking is an argument. What an expression means is read by `dates`, as for --since
and --on; here is only where a question holds one. A false day is worse than a missed one, so words
that are names, verbs or adjectives as well (`May`, `march`, `sat`) count only where the words
around them make a day of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import WEEKDAYS, unaccented

from .dates import FEAST, LONG_SPAN, MONTH, SHORT_SPAN, Span, span
from .query import SUBJECTS, AskedDays, asks_for_all, verb_alone

_DAY = timedelta(days=1)

_COUNT = (
    r"(?:\d{1,3}|an?|(?:a )?couple of|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)"
)
_WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)}|wed?n?e?n?sday)"
_NTH = r"\d\d?(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_PERIOD = r"(?:week|weekend|month|quarter|year)"
_WEEK_OF = r"(?:week (?:of|beginning|starting)(?: the)? )?"
_SHORT = tuple(name[:3] for name in WEEKDAYS)
_END = r"(?![\w-]|\.\w)"


def _pattern(text: str) -> Callable[[], re.Pattern[str]]:
    """A pattern, compiled when it is first asked for: most questions need none."""
    return cache(lambda: re.compile(text, re.IGNORECASE))


# -- the words around an expression ----------------------------------------------------

_IN = _pattern(
    r"(?:^|[^\w-])(?:in|during|since|throughout|until|till|by|from|between|early|late|mid|last"
    r"|this|next|back in"
    r"|(?:end|start|beginning|middle|half|week|weekend|days?|rest|part|month) of(?: the)?)[ -]$"
)
_ON = _pattern(
    r"(?:^|[^\w-])(?:on|since|until|till|by|from|between|of|for|last|this|next|about)(?: the)? $"
)
_NUMBERED = _pattern(
    r"(?:^|\W)(?:no|nr|number|invoice|order|ticket|issue|case|ref|room|port|version|page|chapter"
    r"|bug|id|case)\.? ?#?$"
)
"""Before what is the number of something."""
_STOPS = _pattern(
    r"\s*(?:$|[,.;:!?)\]–—]|-\s|(?:to|and|or|with|at|in|on|for|by|about|from|the|a|an|my|our|we|i"
    r"|it|is|was|were|did|do"
    r"|does|go|went|when|where|who|what|which|that|than|if|so|but|because|before|after|until"
    r"|around|of|how|until"
    r"|morning|afternoon|evening|night|lunch|noon)\b)"
)
"""After what is a day and no adjective or verb: the end, a mark, or a word that begins something
else."""
_NO_DAY_AFTER = _pattern(
    r"\s*(?:street|st\b|road|rd\b|avenue|lane|drive|square|close|court|(?:and|or) (?:her|his"
    r"|their)\b|'s child)"
)
"""After what is an address or a person."""
_BEFORE_OR_AFTER = _pattern(r"(?:^|\W)(?:before|after|until|till)(?: the)? $")
_YEAR_AFTER = _pattern(
    r"(?:^|[^\w-])(?:in|during|since|throughout|from|between|(?:the )?year|of (?:summer|spring"
    r"|winter|autumn)"
    r"|(?:from|between) \0+ (?:and|to)) $"
)
_JOINS = _pattern(r",? ?(?:and|to|until|till|through|or|-|–) ?(?:the )?")
_BESIDE = _pattern(r",? (?:the )?")
_SENTENCE = _pattern(r"(?:^|[.?!:;\n(])\s*$")
_AHEAD = _pattern(
    r"\b(?:plann?(?:ed|s|ing)?|due|deadlines?|upcoming|coming|going to|will|scheduled|have to"
    r"|has to|need to|must"
    r"|shall|should|remind|tickets?|appointments?)\b|\b(?:when|what time|where|what|who) (?:do"
    r"|does|are|is|am)\b"
    r"(?! in\b)"
)
_PAST = _pattern(r"\b(?:did|was|were|had|said|went|told|wrote|happened|last)\b")
_SET_APART = _pattern(r"https?://\S+|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|(?<!\w)‘[^’]*’(?!\w)")
"""What is no wording of the asker: web addresses, and titles and phrases in quotes."""

_RELATIVE = _pattern(
    rf"\b(?:ago|last|past|previous|this|current|next|coming|before|to(?:day|night)|yest\w+"
    rf"|tom+or+ow|{_WEEKDAY})\b"
    r"|^(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)$"
)
"""What says how far a day is from the day of asking: no text on that day holds these words for
that."""
_LEADS = _pattern(
    r"\b(?:in|on|at|during|since|throughout|until|till|by|from|between|of|for|about)(?: the)? $"
)

_SHARE = 0.5
"""What one of two people says of a conversation."""


class _Place(NamedTuple):
    """An expression in a question, the text before and after it, and the day of asking."""

    text: str
    before: str
    after: str
    today: date

    @property
    def ahead(self) -> bool:
        """Whether the sentence it stands in speaks of what is to come."""
        sentence = re.split(r"[.?!] ", self.before)[-1] + " " + re.split(r"[.?!] ", self.after)[0]
        return _AHEAD().search(sentence) is not None and _PAST().search(sentence) is None


def asked(question: str, today: str, given: tuple[str, str] | None = None) -> AskedDays:
    """What a question asked on the day `today` (ISO) asks of days; `given` are those of a filter,
    which count where it names none itself.

    Weeks run from Monday to Sunday. A day without a year is the latest up to today, and the next
    one where the question looks ahead. Of several days, the first; two that are joined (`from … to
    …`) are one span.

    Beside other words only those of a day or a week are left out: of a month or a year notes tell
    by its name, and a weekend is what was done then too (without these, R@5 on dialogue falls from
    .797 to .783).
    """
    found = _meant(question, today)
    if found is None:
        every = given is not None and asks_for_all(question)
        return AskedDays(
            given if every or (given and given[0] == given[1]) else None, question, (), every
        )
    start, end, (first, last) = found
    days = (first.isoformat(), last.isoformat())
    text = question[start:end]
    relative = _RELATIVE().search(text)
    feast = re.search(FEAST, text, re.IGNORECASE)
    rest = _LEADS().sub(" ", question[:start]) + " " + question[end:]
    if (relative or (last - first).days < LONG_SPAN) and asks_for_all(rest):
        return AskedDays(days, rest, (), all_of_it=True)
    verb = verb_alone(rest)
    is_long = (last - first).days >= SHORT_SPAN
    told = AskedDays(days, question, one=bool(verb), verb="" if is_long else verb)
    if is_long or feast or "weekend" in text.lower():
        return told
    return told._replace(rest=rest, written=() if relative else (text,))


def _meant(question: str, today: str) -> tuple[int, int, Span] | None:
    """Where the expression stands that says which days a question is about, and what it means."""
    text = _SET_APART().sub(lambda found: " " * len(found[0]), question[:1000].replace("’", "'"))
    spans = _joined(text, sorted(_found(text, date.fromisoformat(today[:10]))))
    if spans:
        return next((each for each in spans if re.search(_YEAR, text[each[0] : each[1]])), spans[0])
    return None


def _joined(text: str, found: list[tuple[int, int, Span]]) -> list[tuple[int, int, Span]]:
    """What was found, with neighbours made one where a word joins them: `from March to May
    2024`."""
    spans: list[tuple[int, int, Span]] = []
    for start, end, days in found:
        if spans:
            before = spans[-1]
        else:
            before = None
        if before is not None and _BESIDE().fullmatch(
            text, before[1], start
        ):  # `Monday, 2 February`, `Friday last week`
            spans[-1] = (before[0], end, days)
            continue
        if before is None or not _JOINS().fullmatch(text, before[1], start):
            spans.append((start, end, days))
            continue
        begin = before[0]
        first = before[2]
        if first[0] > days[0]:  # `March` of `March to May 2024` is that year's
            with suppress(ValueError, OverflowError):  # `3 to 5 May 2025` has a year of its own
                first = span(text[begin : before[1]].lower(), days[1])
        spans[-1] = (begin, end, (min(first[0], days[0]), max(first[1], days[1])))
    return spans


def _found(text: str, now: date) -> Iterator[tuple[int, int, Span]]:
    """Where each expression of a question begins and ends, and what it means."""
    for form, holds in _forms():
        for match in form.finditer(text):
            start, end = match.span()
            place = _Place(match[0], text[:start], text[end:], now)
            if not _BEFORE_OR_AFTER().search(place.before) and holds(place):
                with suppress(ValueError, OverflowError):  # a day that the calendar does not have
                    yield start, end, _meaning(place)
            text = text[:start] + "\0" * (end - start) + text[end:]


def _meaning(place: _Place) -> Span:
    """What an expression means where it stands: as --on reads it, but onwards where the question
    looks ahead."""
    text = " ".join(place.text.lower().replace(",", " ").split())
    text = re.sub(
        r"^(?:the last|past) (?=[a-z]+$)", "last 1 ", text
    )  # the month up to today, not the one before
    pair = re.match(rf"({_NTH}) ?(?:and|to|until|till|-|–) ?({_NTH})(?= .*[a-z]{{3}})", text)
    if pair:
        first, last = (_forward(place, day + text[pair.end() :]) for day in pair.groups())
        return min(first[0], last[0]), last[1]
    days = _forward(place, text)
    if text == "this weekend" and days[0] > place.today and _PAST().search(place.before):
        return span("last weekend", place.today)
    since = days[0] <= place.today and re.search(r"(?i)\bsince(?: the)? $", place.before)
    if since:
        return (days[0], place.today)
    return days


def _forward(place: _Place, text: str) -> Span:
    """As --on reads it, and the next such day where the question looks ahead and the text leaves it
    open."""
    if re.match("wed?n?e?n?sday", text):
        text = "wednesday"
    days = span(text, place.today)
    if (
        not place.ahead
        or days[1] >= place.today
        or re.search(rf"{_YEAR}|ago|last|past|previous|yesterday", text)
    ):
        return days
    later: Iterator[Span]
    if re.match(r"\d", text) and text[-2:] in {"st", "nd", "rd", "th"}:
        later = (span(text, place.today + ahead * _DAY) for ahead in range(1, 93))
    elif text[:3] in _SHORT:
        later = iter([span(f"next {text}", place.today)])
    else:
        later = (span(f"{text} {place.today.year + years}", place.today) for years in range(2))
    return next((each for each in later if each[1] >= place.today), days)


# -- whether a form is a day where it stands -------------------------------------------


def _number_of_days(place: _Place) -> bool:
    """An expression in numbers: not the number of an invoice."""
    return _NUMBERED().search(place.before) is None


def _anywhere(_place: _Place) -> bool:
    return True


def _month_day(place: _Place) -> bool:
    """`1 May`, `May 7th, 2024`: without a year where a preposition or what follows makes a day of
    it."""
    if _NO_DAY_AFTER().match(place.after):
        return False
    if re.search(rf"(?i){_YEAR}|\d(?:st|nd|rd|th)\b|^week", place.text) or _ON().search(
        place.before
    ):
        return True
    name = re.search(r"[A-Za-z]{3}", place.text)
    sure = name is not None and (name[0][0].isupper() or name[0] not in {"may", "mar", "dec"})
    return sure and _STOPS().match(place.after) is not None


def _month(place: _Place) -> bool:
    """A month alone: after `in` and alike, and not as an adjective or a person."""
    plan = place.ahead and re.search(r"(?i)\bfor $", place.before)
    if not (_IN().search(place.before) or plan) or _NO_DAY_AFTER().match(place.after):
        return False
    return place.text not in {"march", "may", "august", "mar", "dec", "jan", "sep"} or bool(
        _STOPS().match(place.after)
    )


def _weekday(place: _Place) -> bool:
    """A weekday after `on`, `since` and alike, or with nothing behind it that it could belong
    to."""
    if re.match(r"'s Child| (?:morning|afternoon|evening|night)s\b", place.after):
        return False
    if re.search(r"(?i)(?:^|\W)(?:on|since|by|from|between|and|to)(?: the)? $", place.before):
        return True
    alone = re.match(
        r"\s*(?:$|[,;:!?]|\.(?!\w)|(?:morning|afternoon|evening|night)\b)", place.after
    )
    return alone is not None and place.before.strip() != ""


def _nth(place: _Place) -> bool:
    """`on the 14th`, not the 14th of anything."""
    on = re.search(r"(?i)\b(?:on|since|by|from|of|for) (?:the )?$", place.before)
    return on is not None and (" of " in place.text or _STOPS().match(place.after) is not None)


def _year(place: _Place) -> bool:
    """A year after `in` and alike; other numbers of four digits are names of things."""
    if abs(int(place.text) - place.today.year) > 150:
        return False
    return _YEAR_AFTER().search(place.before) is not None


def _feast(place: _Place) -> bool:
    """Christmas Day 2024: with a year, or after `on`, `at`, `last`."""
    on = re.search(r"(?i)(?:^|\W)(?:on|at|since|for) $", place.before)
    return (
        on is not None or re.search(rf"(?i){_YEAR}|^(?:last|this|next)\b", place.text) is not None
    )


def _word(place: _Place) -> bool:
    """`yesterday`: with a capital inside a sentence it is a title, and so it is where it is said
    again."""
    title = place.text[0].isupper() and not _SENTENCE().search(place.before)
    return not title and not re.match(r"(?i), and tomorrow|'s? date", place.after)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Callable[[_Place], bool]], ...]:
    """The forms of expressions, compiled for the first question that may have one."""
    forms = (
        (rf"(?<![\w.-]){_YEAR}([-/_])\d\d?\1\d\d?(?![\w-]|[./]\d)", _number_of_days),
        (rf"(?<![\w./-])\d\d?([./])\d\d?\1{_YEAR}(?![\w/-]|\.\d)", _number_of_days),
        (rf"\b(?:{_YEAR}-?w\d\d|q[1-4][ -]?{_YEAR}|{_YEAR}[ -]?q[1-4])\b", _anywhere),
        (rf"(?<![\w.-]){_YEAR}-(?:0[1-9]|1[0-2])(?![\w-]|\.\d)", _number_of_days),
        (r"(?<=\bthe )(?:19|20)\d0'?s\b", _anywhere),
        (
            rf"\b{_NTH} ?(?:and|to|until|till|-|–) ?{_NTH}(?: of)? {MONTH}(?:,? {_YEAR})?{_END}",
            _month_day,
        ),
        (rf"(?<![\w.-]){_WEEK_OF}{_NTH}(?: of)? {MONTH}(?:,? {_YEAR})?{_END}", _month_day),
        (rf"\b{_WEEK_OF}{MONTH} (?:the )?{_NTH}(?:,? {_YEAR})?{_END}", _month_day),
        (rf"\b{MONTH}(?: of|,)? {_YEAR}{_END}", _anywhere),
        (rf"\b(?:(?:last|this|next) )?{FEAST}(?:,? {_YEAR})?{_END}", _feast),
        (rf"\bday before yesterday\b|\b{_COUNT} (?:day|{_PERIOD})s? ago\b(?: today\b)?", _anywhere),
        (rf"\b{_PERIOD} before last\b", _anywhere),
        (rf"\b(?:last|past|previous) {_COUNT} (?:day|{_PERIOD})s\b(?! of\b)", _anywhere),
        (rf"\b(?:the last|last|past|previous|this|current|next|coming) {_PERIOD}{_END}", _anywhere),
        (r"\b(?:this (?:morning|afternoon|evening)|tonight|last night)\b", _anywhere),
        (r"\b(?:today|yest[a-z]{2,4}day|tom+or+ow)(?![\w-]|\.\w)", _word),
        (rf"\b(?:last|this|next) (?:{_WEEKDAY}|{MONTH}){_END}", _anywhere),
        (rf"\b(?:{_WEEKDAY}|(?<=on )(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)){_END}", _weekday),
        (r"(?<=\bthe )\d\d?(?:st|nd|rd|th)\b(?: of (?:this|last|next) month\b)?", _nth),
        (rf"\b{MONTH}{_END}", _month),
        (rf"(?<![\w./-]){_YEAR}(?![\w/-]|\.\d)", _year),
    )
    return tuple((re.compile(form, re.IGNORECASE), holds) for form, holds in forms)


# -- who says a line -------------------------------------------------------------------

_LABEL = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?:\[[\d:., /TZ-]{4,25}(?:[ap]m)?\][ \t]*"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:[ap]m)?[ \t]+(?:-[ \t]+)?)?"
    r"@?(?:\*\*|__|\[\[)?(?P<name>[^\W\d_][^\n:：*_\[\]()|#<>/\\]{1,40}+)"
    r"(?:\([\d:., /-]{4,20}\))?(?:(?:\*\*|__|\]\])?[ \t]*[:：](?![:/])|[ \t]*[:：](?:\*\*"
    r"|__))(?=[ \t]*\S|\S)",
)
"""The beginning of a line that a person says: `**Ana:** …`, `Ana: …`, `- Ana: …`, `[10:32] Ana
Souza: …`."""
_LABELLED = 96
"""Letters of a line among which its label ends."""
_LABELS = (
    "note notes todo price from to cc bcc subject re date time warning tip owner author attendees"
    " status update answer question example summary decision action name title tags type source"
    " detail details"
)
_NO_NAMES = frozenset(_LABELS.split()) | frozenset(WEEKDAYS)
_COMMON = (
    "may will mark bill rose art grace hope joy faith jack rob sue pat drew dawn june april august"
    " summer rich frank guy max nick penny ray sandy skip dean duke chase hunter mason cliff heath"
    " iris lily daisy ivy olive violet ruby pearl amber crystal jade angel carol christian miles"
    " victor can do"
)
_WORDS_TOO = frozenset(_COMMON.split())
"""Names that are words as well: in a question they are a name only where a person could stand."""
_TITLES = frozenset(("dr", "mr", "mrs", "ms", "prof"))
_NOBLE = "von van de da do dos del di la le al el bin ibn y e"
_PARTICLES = frozenset(_NOBLE.split())
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_WORD_SPACED = re.compile(r"[a-z\u0370-\u052f\u0590-\u06ff\u0900-\u0dff]")
"""A letter of a script that puts spaces between words."""
_SUBJECT = re.compile(rf"(?i)\b(?:{'|'.join(sorted(SUBJECTS))})(?: (?:dr|mr|mrs|ms)\.?)? $")
"""Before a person in a question."""


def said_by(text: str, question: str) -> float:
    """How much of a text the people named in the question say, 0 to 1: 1 from half of its labelled
    lines on."""
    words = _asked_words(question[:1000])
    if not question.isascii() or any(person for _, person, _ in words):
        labels = list(_labels(text))
    else:
        labels = []
    if not labels:
        return 0.0
    named = {label: _names(label, words) for label in {label for _, label in labels}}
    spoken = whole = 0
    for at, (start, label) in enumerate(labels):
        length = (labels[at + 1][0] if at + 1 < len(labels) else len(text)) - start
        whole += length
        if named[label]:
            spoken += length
        else:
            spoken += 0
    return min(1.0, spoken / whole / _SHARE)


def _labels(text: str) -> Iterator[tuple[int, str]]:
    """Where what is said begins behind each label of a text, and the name in the label."""
    at = 0
    for line in text.split("\n"):
        if ":" in line[:_LABELLED] or "：" in line[:_LABELLED]:
            found = _LABEL.match(line)
            if found:
                yield at + found.end(), found["name"]
        at += len(line) + 1


@lru_cache(maxsize=4)
def _asked_words(question: str) -> tuple[tuple[str, bool, bool], ...]:
    """The words of a question: each folded, whether it stands as a name does, and whether with a
    capital."""
    found = []
    for match in _WORD.finditer(question):
        word = match[0]
        before = question[: match.start()]
        capital = word[0] != word[0].lower() or word[0].lower() == word[0].upper()
        folded = unaccented(re.sub(r"'s?$", "", word.replace("’", "'")))
        first = _SENTENCE().search(before) is not None
        person = _SUBJECT.search(before) is not None or (
            capital and re.search(r"['’]s?$", word) is not None
        )
        plain = capital and not first and folded not in _WORDS_TOO
        found.append((folded, person or plain, capital and not first))
    return tuple(found)


def _names(label: str, words: tuple[tuple[str, bool, bool], ...]) -> bool:
    """Whether a question names the person of a label: by one of its names, and by no other name
    beside that."""
    parts = [unaccented(part.strip(".,'")) for part in label.split()]
    parts = [part for part in parts if part not in _TITLES]
    lower = [part for part in label.split() if part[0].islower() and part not in _PARTICLES]
    if (
        not parts
        or len(parts) > 4
        or (len(parts) > 1 and lower)
        or any(part in _NO_NAMES for part in parts)
    ):
        return False
    if len(parts) == 1 and len(parts[0]) < 2:
        return False
    if not parts[0].isascii() and not _WORD_SPACED.search(parts[0]):
        return any(parts[0] in word for word, _, _ in words)
    for at, (word, named, _) in enumerate(words):
        if not named or (word not in parts and word.removesuffix("s") not in parts):
            continue
        beside = [words[near] for near in (at - 1, at + 1) if 0 <= near < len(words)]
        if len(parts) == 1 or not any(
            capital and other.removesuffix("s") not in parts and other not in _TITLES and named_too
            for other, named_too, capital in beside
        ):
            return True
    return False
