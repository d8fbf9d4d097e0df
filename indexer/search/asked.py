"""Which days a question is about.

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
from functools import cache
from typing import NamedTuple

from indexer.reading.path_meaning import WEEKDAYS
from indexer.spelling import single_spaced

from .dates import FEAST, LONG_SPAN, MONTH, SHORT_SPAN, Span, parse_span
from .query import (
    EARLIEST_DAY,
    LAST_DAY,
    AskedFor,
    AskedTasks,
    asks_for_all,
    clean_query,
    may_ask_for_tasks,
    verb_alone,
)

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


# -- the words around an expression ----------------------------------------------------

_IN = (
    r"(?i)(?:^|[^\w-])(?:in|during|since|throughout|until|till|by|from|between|early|late|mid|last"
    r"|this|next|back in"
    r"|(?:end|start|beginning|middle|half|week|weekend|days?|rest|part|month) of(?: the)?)[ -]$"
)
_ON = (
    r"(?i)(?:^|[^\w-])(?:on|since|until|till|by|from|between|of|for|last|this|next|about)"
    r"(?: the)? $"
)
_STOPS = (
    r"(?i)\s*(?:$|[,.;:!?)\]–—]|-\s|(?:to|and|or|with|at|in|on|for|by|about|from|the|a|an|my|our"
    r"|we|i|it|is|was|were|did|do"
    r"|does|go|went|when|where|who|what|which|that|than|if|so|but|because|before|after|until"
    r"|around|of|how|until"
    r"|morning|afternoon|evening|night|lunch|noon)\b)"
)
"""After what is a day and no adjective or verb: the end, a mark, or a word that begins something
else."""
_BEFORE_OR_AFTER = r"(?i)(?:^|\W)(?:before|after|until|till)(?: the)? $"
_YEAR_AFTER = (
    r"(?i)(?:^|[^\w-])(?:in|during|since|throughout|from|between|(?:the )?year|of (?:summer|spring"
    r"|winter|autumn)|(?:start|beginning) of"
    r"|(?:from|between) \0+ (?:and|to)) $"
)
_JOINS = r"(?i),? ?(?:and|to|until|till|through|or|-|–) ?(?:the )?"
_BESIDE = r"(?i),? (?:of |on )?(?:the )?"
_SENTENCE = r"(?i)(?:^|[.?!:;\n(])\s*$"
_AHEAD = (
    r"(?i)\b(?:plann?(?:ed|s|ing)?|due|deadlines?|upcoming|coming|going to|will|scheduled|have to"
    r"|has to|needs? to|must"
    r"|shall|should|remind|tickets?|appointments?)\b|\b(?:when|what time|where|what|who) (?:do"
    r"|does|are|is|am)\b"
    r"(?! in\b)"
)
_SINCE = r"(?i)\bsince(?: the)? $"
_PAST = r"(?i)\b(?:did|was|were|had|said|went|told|wrote|happened|last)\b"
_SET_APART = r"(?i)https?://\S+|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|(?<!\w)‘[^’]*’(?!\w)"
"""What is no wording of the asker: web addresses, and titles and phrases in quotes."""

_RELATIVE = (
    rf"(?i)\b(?:ago|last|past|previous|this|current|next|coming|before|to(?:day|night)|yest\w+"
    rf"|tom+or+ow|{_WEEKDAY})\b"
    r"|^(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)$"
)
"""What says how far a day is from the day of asking: no text on that day holds these words for
that."""
_LEADS = (
    r"(?i)\b(?:in|on|at|during|since|throughout|until|till|by|from|between|of|for|about)(?: the)? "
    r"(?:(?:start|beginning) of (?:the )?)?$"
)


class _Place(NamedTuple):
    """An expression in a question, the text before and after it, and the day of asking."""

    text: str
    before: str
    after: str
    today: date

    @property
    def ahead(self) -> bool:
        """Whether the sentence it stands in speaks of what is to come: what was `since` a day does
        not."""
        if re.search(_SINCE, self.before):
            return False
        sentence = re.split(r"[.?!] ", self.before)[-1] + " " + re.split(r"[.?!] ", self.after)[0]
        return re.search(_AHEAD, sentence) is not None


def days_asked(
    question: str,
    today: str,
    given: tuple[str, str] | None = None,
) -> AskedFor:
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
        asked = _of_filter(question, given)
        return asked._replace(tasks=_tasks_asked(question, today, given))
    start, end, (first, last) = found
    days = (first.isoformat(), last.isoformat())
    text = question[start:end]
    relative = re.search(_RELATIVE, text)
    rest = _apart_from(question, start, end)
    more = (last - first).days
    tasks = _tasks_asked(rest, today, _by(question[:start], days))
    if tasks:
        return AskedFor(days, rest, tasks=tasks)
    if (relative or more < LONG_SPAN) and asks_for_all(rest):
        return AskedFor(days, rest, all_of_it=True)
    verb = verb_alone(rest)
    told = AskedFor(days, question, one=bool(verb))
    if more >= SHORT_SPAN:
        return told
    told = told._replace(verb=verb)
    if "weekend" in text.lower() or re.search(FEAST, text, re.IGNORECASE):
        return told
    return told._replace(rest=rest, written=() if relative else (text,))


def question_without_days(question: str, today: str) -> str:
    """A question without what says which days it is about; `today` is the day (ISO) of asking."""
    found = _meant(question, today)
    if found is None:
        return question
    start, end, _ = found
    return _apart_from(question, start, end)


def _apart_from(question: str, start: int, end: int) -> str:
    """A question without an expression of days and the words that lead to it."""
    return re.sub(_LEADS, " ", question[:start]) + " " + question[end:]


_TASKS = r"(?:tasks|to[ -]?dos?(?: list)?|deadlines|action items|things to do)"
_STATE = r"(?P<state{}>open|overdue|due|outstanding|pending|unfinished|upcoming|still open|left)"
_ASKING = (
    r"(?:please )?(?:(?:show|list|tell|give)(?: me| us)? )?(?:what(?:'s|s| is| are)? |which "
    r"|(?:do|have) (?:i|we)(?: have| got)? |(?:is|are) there )?"
)
_TASKS_ASKED = (
    # which open tasks do I have for Mia
    rf"(?i){_ASKING}(?:any |all |every |my |our |the )*(?:{_STATE.format(1)} )*{_TASKS}"
    r"(?: (?:are|is|fall|falls|do|have|i|we|that|there|still|now|currently|got))*"
    rf"(?: {_STATE.format(2)})?(?: coming up)?"
    r"(?: (?:about|for|on|of|with|in|regarding) (?P<about>.+))?",
    # what is due, what is planned
    rf"(?i){_ASKING}(?:(?:anything|everything|all|something) )?(?:that is |that's |is |are |i have"
    r" |we have )?(?:still |else |already )*(?P<state3>due|overdue|still open|left to do|planned"
    r"|scheduled|coming up)(?: for (?:me|us))?",
    r"(?i)(?:is|are) (?:anything|something|any of it) (?P<state4>due|overdue|planned|scheduled)",
    # what do I have to do, what have I got planned
    r"(?i)what (?:do|must|should|have) (?:i|we) (?:still )?(?:(?:have to|need to|got to|must"
    r"|should) )?(?:do|get done|finish)",
    r"(?i)what (?:do|have) (?:i|we) (?:have |got )?(?P<state5>planned|scheduled|coming up)",
    r"(?i)what (?:(?:still )?(?:needs to|has to|must) be|is to be) done",
)
"""Questions for a list of tasks and plans, without their days."""
_AHEAD_ONLY = frozenset({"planned", "scheduled", "coming up", "upcoming"})


def _by(
    before: str,
    days: tuple[str, str],
) -> tuple[str, str]:
    """The days that are meant behind this text: `by Friday` is until then."""
    if re.search(r"(?i)\bby(?: the)? $", before):
        return EARLIEST_DAY, days[1]
    return days


def _tasks_asked(
    text: str,
    today: str,
    days: tuple[str, str] | None,
) -> AskedTasks | None:
    """The tasks that a question asks for whose days are these, taken out of it; None where it asks
    for no list of them."""
    bare = single_spaced(text[:200]).strip(" .,;:!?")
    if " " not in bare or not may_ask_for_tasks(bare):
        return None
    for form in _TASKS_ASKED:
        found = re.fullmatch(form, bare)
        if found:
            return _tasks(found, today, days)
    return None


def _tasks(
    found: re.Match[str],
    today: str,
    days: tuple[str, str] | None,
) -> AskedTasks | None:
    """The tasks that a question of one of these forms asks for."""
    said = found.groupdict()
    about = said.pop("about", None)
    states = set(filter(None, said.values()))
    words = clean_query(about or "").words
    if "overdue" in states:
        days = (EARLIEST_DAY, (date.fromisoformat(today[:10]) - _DAY).isoformat())
    elif days is None and states & _AHEAD_ONLY:
        days = (today[:10], LAST_DAY)
    if days is None:
        return AskedTasks(about=words)
    plans = "about" not in found.groupdict() and days[0] > EARLIEST_DAY
    return AskedTasks(*days, about=words, plans=plans)


def _of_filter(
    question: str,
    given: tuple[str, str] | None,
) -> AskedFor:
    """What a question that names no day asks of the days of a filter."""
    every = given is not None and asks_for_all(question)
    if given and (every or given[0] == given[1]):
        return AskedFor(given, question, all_of_it=every)
    return AskedFor(None, question)


def _meant(
    question: str,
    today: str,
) -> tuple[int, int, Span] | None:
    """Where the expression stands that says which days a question is about, and what it means."""
    text = re.sub(_SET_APART, lambda found: " " * len(found[0]), question[:1000].replace("’", "'"))
    now = date.fromisoformat(today[:10])
    spans = _joined(text, sorted(_found(text, now)), now)
    of_year = [each for each in spans if re.search(_YEAR, text[each[0] : each[1]])]
    return next(iter(of_year or spans), None)


def _joined(
    text: str,
    found: list[tuple[int, int, Span]],
    now: date,
) -> list[tuple[int, int, Span]]:
    """What was found, with neighbours made one where a word joins them: `from March to May
    2024`. Those side by side are read as one where that means something, else the second counts."""
    spans: list[tuple[int, int, Span]] = []
    for start, end, days in found:
        if not spans:
            spans.append((start, end, days))
            continue
        begin, before, first = spans[-1]
        if re.fullmatch(_BESIDE, text[before:start]):  # `Monday, 2 February`, `Friday last week`
            try:
                spans[-1] = (begin, end, parse_span(text[begin:end], now))
            except (ValueError, OverflowError):
                spans[-1] = (begin, end, days)
        elif not re.fullmatch(_JOINS, text[before:start]):
            spans.append((start, end, days))
        else:
            if first[0] > days[0]:  # `March` of `March to May 2024` is that year's
                with suppress(ValueError, OverflowError):  # `3 to 5 May 2025` has a year of its own
                    first = parse_span(text[begin:before].lower(), days[1])
            spans[-1] = (begin, end, (min(first[0], days[0]), max(first[1], days[1])))
    return spans


def _found(
    text: str,
    now: date,
) -> Iterator[tuple[int, int, Span]]:
    """Where each expression of a question begins and ends, and what it means."""
    for form, holds in _forms():
        for match in form.finditer(text):
            start, end = match.span()
            place = _Place(match[0], text[:start], text[end:], now)
            if not re.search(_BEFORE_OR_AFTER, place.before) and holds(place):
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
    if text == "this weekend" and days[0] > place.today and re.search(_PAST, place.before):
        return parse_span("last weekend", place.today)
    since = days[0] <= place.today and re.search(r"(?i)\bsince(?: the)? $", place.before)
    if since:
        return (days[0], place.today)
    return days


def _forward(
    place: _Place,
    text: str,
) -> Span:
    """As --on reads it, and the next such day where the question looks ahead and the text leaves it
    open."""
    if re.match("wed?n?e?n?sday", text):
        text = "wednesday"
    days = parse_span(text, place.today)
    if (
        not place.ahead
        or days[1] >= place.today
        or re.search(rf"{_YEAR}|ago|last|past|previous|yesterday", text)
    ):
        return days
    later = _later(text, place.today)
    return next((each for each in later if each[1] >= place.today), days)


def _later(
    text: str,
    today: date,
) -> Iterator[Span]:
    """What a text that names a day of each month, week or year may mean from a day on."""
    if text[0].isdigit() and text[-2:] in {"st", "nd", "rd", "th"}:
        for ahead in range(1, 93):
            yield parse_span(text, today + ahead * _DAY)
    elif text[:3] in _SHORT:
        yield parse_span(f"next {text}", today)
    else:
        for year in (today.year, today.year + 1):
            yield parse_span(f"{text} {year}", today)


# -- whether a form is a day where it stands -------------------------------------------


def _anywhere(_place: _Place) -> bool:
    return True


def _time_ahead(place: _Place) -> bool:
    """`in two weeks`: from now where the question looks ahead, else a length of time."""
    return place.ahead and re.match(_STOPS, place.after) is not None


def _month_day(place: _Place) -> bool:
    """`1 May`, `May 7th, 2024`: without a year where a preposition or what follows makes a day of
    it."""
    if re.search(rf"(?i){_YEAR}|\d(?:st|nd|rd|th)\b|^week", place.text) or re.search(
        _ON, place.before
    ):
        return True
    name = re.search(r"[A-Za-z]{3}", place.text)
    sure = name is not None and (name[0][0].isupper() or name[0] not in {"may", "mar", "dec"})
    return sure and re.match(_STOPS, place.after) is not None


def _month(place: _Place) -> bool:
    """A month alone: after `in` and alike, and not as an adjective or a person."""
    plan = place.ahead and re.search(r"(?i)\bfor $", place.before)
    if not (re.search(_IN, place.before) or plan):
        return False
    return place.text not in {"march", "may", "august", "mar", "dec", "jan", "sep"} or bool(
        re.match(_STOPS, place.after)
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
    if re.match(rf"{_BESIDE}\0|{_JOINS[4:]}{_WEEKDAY}{_BESIDE[4:]}\0", place.after):
        return True  # `Friday three weeks ago`, `Monday to Friday last week`
    if place.before.endswith("\0 ") and re.match(_STOPS, place.after):  # `a week ago Friday`
        return True
    return alone is not None and place.before.strip() != ""


def _nth(place: _Place) -> bool:
    """`on the 14th`, not the 14th of anything."""
    on = re.search(r"(?i)\b(?:on|since|by|from|of|for) (?:the )?$", place.before)
    return on is not None and (" of " in place.text or re.match(_STOPS, place.after) is not None)


def _year(place: _Place) -> bool:
    """A year after `in` and alike; other numbers of four digits are names of things."""
    return re.search(_YEAR_AFTER, place.before) is not None


def _word(place: _Place) -> bool:
    """`yesterday`: with a capital inside a sentence it is a title, and so it is where it is said
    again."""
    return not place.text[0].isupper() or re.search(_SENTENCE, place.before) is not None


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Callable[[_Place], bool]], ...]:
    """The forms of expressions, compiled for the first question that may have one."""
    forms = (
        (rf"(?<![\w.-]){_YEAR}([-/_])\d\d?\1\d\d?(?![\w-]|[./]\d)", _anywhere),
        (rf"(?<![\w./-])\d\d?([./])\d\d?\1{_YEAR}(?![\w/-]|\.\d)", _anywhere),
        (rf"\b(?:{_YEAR}-?w\d\d|q[1-4][ -]?{_YEAR}|{_YEAR}[ -]?q[1-4])\b", _anywhere),
        (rf"(?<![\w.-]){_YEAR}-(?:0[1-9]|1[0-2])(?![\w-]|\.\d)", _anywhere),
        (r"(?<=\bthe )(?:19|20)\d0'?s\b", _anywhere),
        (
            rf"\b{_NTH} ?(?:and|to|until|till|-|–) ?{_NTH}(?: of)? {MONTH}(?:,? {_YEAR})?{_END}",
            _month_day,
        ),
        (rf"(?<![\w.-]){_WEEK_OF}{_NTH}(?: of)? {MONTH}(?:,? {_YEAR})?{_END}", _month_day),
        (rf"\b{_WEEK_OF}{MONTH} (?:the )?{_NTH}(?:,? {_YEAR})?{_END}", _month_day),
        (rf"\b{MONTH}(?: of|,)? {_YEAR}{_END}", _anywhere),
        (rf"\b(?:(?:last|this|next) )?{FEAST}(?:,? {_YEAR})?{_END}", _anywhere),
        (r"\bday before yesterday\b|\bday after tom+or+ow\b", _anywhere),
        (rf"\b{_COUNT} (?:day|{_PERIOD})s? ago\b(?: today\b)?", _anywhere),
        (rf"\bin {_COUNT} (?:day|{_PERIOD})s?{_END}", _time_ahead),
        (rf"\b(?:{_PERIOD}|{_WEEKDAY}) before last\b|\b{_COUNT} {_WEEKDAY}s ago\b", _anywhere),
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
