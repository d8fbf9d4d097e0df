"""Questions that ask for a list: tasks, what was on some days, what is new since a day, two things
beside each other."""

from __future__ import annotations

import re
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING

from aurelius.memory.lines import line_at, statements_at, telling_stems
from indexer.catalog.filters import Filters
from indexer.search.asked import days_asked

from .asking import span_in_words
from .best_lines import MOST_CITED, best_lines
from .candidates import find_candidates
from .cited import cite
from .talk import REPLY_ANSWER, TalkReply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.answers.days import Day
    from aurelius.memory.lines import Line
    from aurelius.vault import Vault
    from indexer.catalog.lists import TaskRow

    from .talk import TalkQuestion

_MOST_DAYS = 62
"""Days that are read for an answer."""
_NEAR_SHARE = 0.5
"""The share of what the best task holds of a question that another one has to hold."""
_LEAST_HELD = 0.2
"""The share of a question that a line holds which is new about it."""
_TASKS = re.compile(r"(?i)\b(?:tasks?|to-?dos?|action items|open points)\b")
_DONE = re.compile(r"(?i)\b(?:done|finished|completed|closed|all)\b")
_OF_TASKS = "open due pending left"
"""Words that say which tasks are asked for, and nothing of what they are about."""
_CHANGED = re.compile(
    r"(?i)\b(?:what(?:'?s| is| has| have)?|anything|any) (?:\w+ )?(?:new|news|changed|changes"
    r"|different|happened)\b|\bnews\b|\bchanged? since\b"
)
_OF_CHANGES = "start end since"
_COMPARED = re.compile(
    r"(?i)\b(?:compare|difference between|vs\.?|versus|cheaper|dearer|better|bigger|older|sooner"
    r"|more|less)\b"
)
_JOINED = re.compile(r"(?i)\s+(?:vs\.?|versus|or|and|with|than)\s+|\s*[,/]\s*")
_COMPARING = re.compile(
    r"(?i)\b(?:compare|what(?:'?s| is)?|whats|which(?: is)?|who(?:'?s| is)?|whos|the|difference"
    r"|between|is|are)\b"
)


def list_tasks(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """The tasks that a question asks for, those that hold most of its words; None where it asks for
    none."""
    if not _TASKS.search(asked.text):
        return None
    days = days_asked(asked.text, vault.clock.today.isoformat()).days
    is_open = not _DONE.search(asked.text)
    rows = vault.tasks(open_only=is_open, due=days, filters=Filters())
    about = _TASKS.sub(" ", asked.text)
    wanted = telling_stems(about) - telling_stems(_OF_TASKS)
    shares = [_share(wanted, asked, row) for row in rows]
    best = max(shares, default=0.0)
    ranked = sorted(zip(shares, rows, strict=True), key=lambda pair: -pair[0])
    chosen = [row for share, row in ranked if share >= best * _NEAR_SHARE > 0]
    lines: list[Line] = []
    for row in chosen[:MOST_CITED]:
        lines += _lines_at(vault, row.path, row.line)
    return _list_reply(vault, asked, lines, f"{len(chosen)} tasks")


def _share(wanted: set[str], asked: TalkQuestion, row: TaskRow) -> float:
    """The share of some stems that a task holds, with the name of its note: all of them where the
    question names that note."""
    if not wanted or row.path in asked.names:
        return 1.0
    held = wanted & telling_stems(f"{row.text} {row.path}")
    return len(held) / len(wanted)


def _lines_at(vault: Vault, path: str, line: int) -> list[Line]:
    """What stands at a line of a note."""
    told = statements_at(vault, path, line, line)
    found = [line_at(vault, path, {}, each) for each in told]
    return [each for each in found if each]


def list_days(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """What was on the days that a question names; None where it asks for something else of them, or
    they have nothing."""
    named = days_asked(asked.text, vault.clock.today.isoformat())
    asks_for_days = named.all_of_it or named.one
    if not named.days or not asks_for_days or asked.names:
        return None
    reply = _list_span(vault, asked, named.days)
    if reply.lines:
        return reply
    if named.one:
        return None
    told = f"Nothing is noted for {span_in_words(named.days)}."
    return reply._replace(text=told)


def _list_span(vault: Vault, asked: TalkQuestion, days: tuple[str, str]) -> TalkReply:
    """The lines of some days, the first of each day before the second of any."""
    from aurelius.answers.days import read_days

    rows = slice(0, _MOST_DAYS)
    every = read_days(vault, days, rows, yearly=False, private=False, most=None)
    told = [list(_places_of(day)) for day in reversed(every.days)]
    in_turn = [place for place in chain(*zip_longest(*told)) if place]
    lines = islice(_lines_of(vault, in_turn), MOST_CITED)
    ordered = sorted(lines, key=lambda line: (line.date, line.place))
    return _list_reply(vault, asked, ordered, f"{len(in_turn)} lines")


def _places_of(day: Day) -> Iterator[tuple[str, int]]:
    """Where each line of a day stands."""
    for note in day.notes:
        yield from ((note.path, line.line) for line in note.lines)


def _lines_of(vault: Vault, places: Sequence[tuple[str, int]]) -> Iterator[Line]:
    for place in places:
        yield from _lines_at(vault, *place)


def list_news(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """What is new since a day about something, the newest first; None where a question asks for
    something else."""
    if not _CHANGED.search(asked.text):
        return None
    today = vault.clock.today.isoformat()
    named = days_asked(asked.text, today)
    if not named.days:
        return None
    since = named.days[0]
    about = _CHANGED.sub(" ", named.rest)
    topic = telling_stems(about) - telling_stems(_OF_CHANGES)
    if not topic and not asked.names:
        return _list_span(vault, asked, (since, today))
    found = find_candidates(vault, asked, Filters(since=since))
    lines = [each.line for each in found.candidates if each.evidence["held"] > _LEAST_HELD]
    recent = [line for line in lines if line.date >= since]
    newest = sorted(recent[:MOST_CITED], key=lambda line: line.date, reverse=True)
    return _list_reply(vault, asked, newest, f"{len(recent)} lines")


def compare_two(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """The best lines of two things, in turn; None where a question compares none."""
    if not _COMPARED.search(asked.text):
        return None
    text = _COMPARED.sub(" vs ", _COMPARING.sub(" ", asked.text))
    parts = [part.strip(" ?!.") for part in _JOINED.split(f" {text} ")]
    things = [part for part in parts if part]
    if len(things) < 2:
        return None
    found = [best_lines(vault, asked._replace(text=part, names=())) for part in things[-2:]]
    in_turn = chain(*zip_longest(*(each.lines for each in found)))
    once = {each.place: each for each in in_turn if each}
    lines = tuple(once.values())[:MOST_CITED]
    return TalkReply(REPLY_ANSWER, "", lines, asked, all(each.found for each in found))


def _list_reply(vault: Vault, asked: TalkQuestion, lines: Sequence[Line], many: str) -> TalkReply:
    """Lines as a list; `many` says how many there are in all."""
    text = ""
    if not many.startswith(f"{len(lines)} "):
        text = f"{len(lines)} of {many}:"
    cited = cite(vault, lines, found=True)
    return TalkReply(REPLY_ANSWER, text, cited, asked, bool(lines))
