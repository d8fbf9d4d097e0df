"""Questions that ask for a list: tasks, the notes of a kind, people of a place, what was on some
days, what is new since a day, two things beside each other."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from aurelius import api
from aurelius.memory.lines import (
    TEXT_TYPE,
    Line,
    every_line,
    line_at,
    statements_at,
    telling_stems,
)
from indexer.catalog.filters import Filters
from indexer.search.asked import days_asked, question_without_days
from indexer.search.query import EARLIEST_DAY
from indexer.spelling import single_spaced

from .asking import span_in_words
from .best_lines import MOST_CITED, best_lines
from .candidates import find_candidates
from .cited import cite
from .talk import REPLY_ANSWER, ListPage, TalkReply

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from aurelius.answers.days import Day
    from aurelius.vault import Vault
    from indexer.catalog.lists import NoteRow, TaskRow

    from .candidates import AnswerLine
    from .talk import TalkQuestion

_MOST_LISTED = 10
"""Lines of a list that are shown at a time."""
_MOST_DAYS = 62
"""Days that are read for an answer."""
_NEAR_SHARE = 0.5
"""The share of what the best task holds of a question that another one has to hold."""
_LEAST_HELD = 0.2
"""The share of a question that a line holds which is new about it."""
_TASKS = re.compile(r"(?i)\b(?:tasks?|to-?dos?|action items|open points)\b")
_STILL = re.compile(
    r"(?i)\b(?:i|we) (?:still )?(?:have|need|got) to (?:do|get done|finish)\b|\bleft to do\b"
    r"|\bstill (?:open|to do|outstanding|unfinished)\b|\bto be done\b"
)
"""What asks for tasks where some are about the matter, and else for any line."""
_DONE = re.compile(r"(?i)\b(?:done|finished|completed|closed)\b")
_EVERY = re.compile(r"(?i)\ball\b")
_DUE = re.compile(r"(?i)^\W*(?:is )?(?:what(?:'?s)?|anything)\b[^?]*?\b((?:over)?due)\b")
_OF_TASKS = "open due overdue pending left"
"""Words that say which tasks are asked for, and nothing of what they are about."""
_KIND = re.compile(r"(?i)\b(people|persons|contacts|projects|companies|areas)\b")
_KINDS = {"projects": "project", "companies": "company", "areas": "area"}
_OF_NOTES = "list active current open running know all every note page"
"""The kind of note that a word asks for, else a person, and words that say nothing more of it."""
_PEOPLE = re.compile(
    r"(?i)\b(?:people|contacts|every(?:one|body)|whom? (?:all |else )?do i know) (?:i know )?"
    r"(?:at|in|from|of) (.+?)\W*$"
)
_CHANGED = re.compile(
    r"(?i)\b(?:what(?:'?s| is| has| have)?|anything|any) (?:\w+ )?(?:new|news|changed|changes"
    r"|different|happened)\b|\bnews\b|\bchanged? since\b"
)
_RECENTLY = timedelta(days=60)
"""How long ago may be what is new, where no day is named."""
_COMPARED = re.compile(
    r"(?i)\b(?:compare|difference between|vs\.?|versus|cheaper|dearer|better|bigger|older|sooner"
    r"|more|less)\b"
)
_JOINED = re.compile(r"(?i)\s+(?:vs\.?|versus|or|and|with|than)\s+")
_LAST_THING = re.compile(r"(?i),[^,:]+$|\b(?:between|compare|is)\s+[^,:]+$|\S+$")
"""The first of two things that are compared: what stands behind a comma, else one word."""
_FIRST_THING = re.compile(r"[^,:?]+")


def list_tasks(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """The tasks that a question asks for, those that hold most of its words; None where it asks for
    none."""
    due = _DUE.search(asked.text)
    is_surely = due or _TASKS.search(asked.text)
    if not (is_surely or _STILL.search(asked.text)):
        return None
    rows = _tasks_asked(vault, asked, due)
    if due and not rows:
        return _nothing_due(vault, asked, due[1].lower())
    page = ListPage("tasks")
    if _asks_for_done(asked):
        page = ListPage("done")
    places = _places_about(vault, asked, rows)
    if not (places or is_surely):
        return None
    return _list_places(vault, asked, places, "tasks", page)


def _tasks_asked(
    vault: Vault,
    asked: TalkQuestion,
    due: re.Match[str] | None,
) -> list[TaskRow]:
    """The tasks that a question may ask for: those that are open, done, or due."""
    today = vault.clock.today
    days = days_asked(asked.text, today.isoformat()).days
    if due and due[1].lower() == "overdue":
        days = EARLIEST_DAY, str(today - timedelta(days=1))
    is_done = _asks_for_done(asked)
    open_only = not (is_done or _EVERY.search(asked.text))
    rows = vault.tasks(open_only=open_only, due=days, filters=Filters())
    return [row for row in rows if row.done >= is_done and (row.due or not due)]


def _asks_for_done(asked: TalkQuestion) -> bool:
    return bool(_DONE.search(_STILL.sub(" ", asked.text)))


def _nothing_due(
    vault: Vault,
    asked: TalkQuestion,
    what: str,
) -> TalkReply:
    """That no task is due, and what lines are near."""
    text = f"No open task is {what}"
    if asked.days:
        text += f" {span_in_words(asked.days)}"
    reply = best_lines(vault, asked)
    if reply.lines:
        text += "; lines that are near"
    return reply._replace(text=f"{text}.")


def _places_about(
    vault: Vault,
    asked: TalkQuestion,
    rows: Sequence[TaskRow],
) -> list[tuple[str, int]]:
    """Where those tasks stand that hold most of the words of a question."""
    text = days_asked(asked.text, vault.clock.today.isoformat()).rest
    about = _DONE.sub(" ", _TASKS.sub(" ", _STILL.sub(" ", text)))
    wanted = telling_stems(about) - telling_stems(_OF_TASKS)
    shares = [_share(wanted, asked, row) for row in rows]
    least = max(shares, default=0.0) * _NEAR_SHARE
    ranked = sorted(zip(shares, rows, strict=True), key=lambda pair: -pair[0])
    return [(row.path, row.line) for share, row in ranked if share >= least > 0]


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


def list_notes(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """The notes of the kind that a question asks for, each by its first line; None where it asks
    for something else of them."""
    kind = _KIND.search(asked.text)
    if kind is None or asked.names or asked.days:
        return None
    rest = _KIND.sub(" ", asked.text)
    if telling_stems(rest) - telling_stems(_OF_NOTES):
        return None
    word = kind[1].lower()
    name = _KINDS.get(word, "person")
    found = api.kind_page(vault, name, limit=_MOST_LISTED, offset=asked.shown)
    lines = [_first_line(vault, row.note) for row in found.rows]
    return _list_reply(vault, asked, lines, (found.total, word), ListPage("kind", name))


def _first_line(vault: Vault, note: NoteRow) -> Line:
    """What a note says first, or its title."""
    for line, _ in every_line(vault, note.path):
        return line
    return Line(
        key=note.path,
        path=note.path,
        lines=(1, 1),
        text=note.title,
        date="",
        type=TEXT_TYPE,
        id="",
    )


def list_people(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """The people of a place, each by the line that names it; None where a question asks for
    something else, or none is known."""
    of = _PEOPLE.search(asked.text)
    if of is None:
        return None
    wanted = telling_stems(of[1])
    about = asked._replace(text=of[1], names=())
    found = find_candidates(vault, about, Filters(kinds=("person",)))
    lines = [each.line for each in reversed(found.candidates)]
    people = {line.path: line for line in lines if wanted <= telling_stems(line.text)}
    if not (wanted and people):
        return None
    every = [*people.values()]
    part = every[asked.shown : asked.shown + _MOST_LISTED]
    return _list_reply(vault, asked, part, (len(every), "people"))


def list_days(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """What was on the days that a question names; None where it asks for something else of them, or
    they have nothing."""
    today = vault.clock.today.isoformat()
    named = days_asked(asked.text, today)
    asks_for_days = named.all_of_it or named.one
    if not named.days or not asks_for_days or asked.names:
        return None
    wanted: Collection[str] = ()
    if named.one:
        wanted = telling_stems(question_without_days(asked.text, today))
    reply = _list_span(vault, asked, named.days, wanted)
    if reply.lines:
        return reply
    if named.one:
        return None
    told = f"Nothing is noted for {span_in_words(named.days)}."
    return reply._replace(text=told)


def _list_span(
    vault: Vault, asked: TalkQuestion, days: tuple[str, str], wanted: Collection[str] = ()
) -> TalkReply:
    """The lines of some days, the first of each day before the second of any; only those with one
    of the stems that are wanted, where there are some."""
    from aurelius.answers.days import read_days

    rows = slice(0, _MOST_DAYS)
    every = read_days(vault, days, rows, yearly=False, private=False, most=None)
    told = [list(_lines_on(day)) for day in reversed(every.days)]
    in_turn = [each for each in chain(*zip_longest(*told)) if each]
    holding = [each for each in in_turn if not telling_stems(each.text).isdisjoint(wanted)]
    places = [(each.path, each.line) for each in holding or in_turn]
    day = days[0][:7]
    if days[0] == days[1]:
        day = days[0]
    reply = _list_places(vault, asked, places, "lines", ListPage("timeline", day))
    in_order = sorted(reply.lines, key=lambda each: (each.line.date, each.line.place))
    return reply._replace(lines=tuple(in_order))


class _LineOn(NamedTuple):
    """A line of a day: where it stands, and what it says."""

    path: str
    line: int
    text: str


def _lines_on(day: Day) -> Iterator[_LineOn]:
    """Each line of a day."""
    for note in day.notes:
        yield from (_LineOn(note.path, each.line, each.text) for each in note.lines)


def _lines_of(vault: Vault, places: Sequence[tuple[str, int]]) -> Iterator[Line]:
    for place in places:
        yield from _lines_at(vault, *place)


def list_news(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """What is new since a day about something, the newest first; None where a question asks for
    something else. Without a day it is what is new about the pages that it names."""
    if not _CHANGED.search(asked.text):
        return None
    today = vault.clock.today
    days = days_asked(asked.text, today.isoformat()).days
    if not days and not asked.names:
        return None
    since = (today - _RECENTLY).isoformat()
    if days:
        since = days[0]
    about = _CHANGED.sub(" ", question_without_days(asked.text, today.isoformat()))
    if not asked.names and not telling_stems(about):
        return _list_span(vault, asked, (since, today.isoformat()))
    found = find_candidates(vault, asked, Filters(since=since))
    lines = [each.line for each in found.candidates if _is_about(asked, each)]
    recent = [line for line in lines if line.date >= since]
    part = recent[asked.shown : asked.shown + _MOST_LISTED]
    newest = sorted(part, key=lambda line: line.date, reverse=True)
    return _list_reply(vault, asked, newest, (len(recent), "lines"))


def _is_about(asked: TalkQuestion, line: AnswerLine) -> bool:
    """Whether a line is about the pages that a question names, or holds enough of its words."""
    if asked.names:
        return not line.evidence["other"]
    return line.evidence["held"] > _LEAST_HELD


def compare_two(vault: Vault, asked: TalkQuestion) -> TalkReply | None:
    """The best lines of two things, in turn; None where a question compares none."""
    if not _COMPARED.search(asked.text):
        return None
    found = [
        best_lines(vault, asked._replace(text=text, names=()))
        for text in _of_each(asked.text.strip(" ?!."))
    ]
    if not found:
        return None
    in_turn = chain(*zip_longest(*(each.lines for each in found)))
    once = {each.place: each for each in in_turn if each}
    lines = tuple(once.values())[:MOST_CITED]
    return TalkReply(REPLY_ANSWER, "", lines, asked, all(each.found for each in found))


def _of_each(text: str) -> list[str]:
    """What a question that compares two things asks of each; nothing where it joins none."""
    joined = [*_JOINED.finditer(text)]
    if not joined:
        return []
    before = text[: joined[-1].start()]
    after = text[joined[-1].end() :]
    last = _LAST_THING.search(before)
    first = _FIRST_THING.match(after)
    if not last or not first:
        return []
    rest = f"{before[: last.start()]} {after[first.end() :]}"
    return [single_spaced(f"{rest} {thing[0].strip(' ,')}") for thing in (last, first)]


def _list_places(
    vault: Vault,
    asked: TalkQuestion,
    places: Sequence[tuple[str, int]],
    what: str,
    page: ListPage,
) -> TalkReply:
    """What stands at some places, of many the next ones."""
    part = places[asked.shown : asked.shown + _MOST_LISTED]
    lines = list(_lines_of(vault, part))
    return _list_reply(vault, asked, lines, (len(places), what), page)


def _list_reply(
    vault: Vault,
    asked: TalkQuestion,
    lines: Sequence[Line],
    many: tuple[int, str],
    page: ListPage | None = None,
) -> TalkReply:
    """Lines as a list; `many` says how many there are in all, and of what."""
    total, what = many
    cited = cite(vault, lines, found=True)
    reply = TalkReply(REPLY_ANSWER, "", cited, asked, bool(lines), page=page)
    end = asked.shown + _MOST_LISTED
    if end < total:
        text = f"{asked.shown + 1} to {end} of {total} {what}; “more” shows the next:"
        return reply._replace(text=text, rest=asked._replace(shown=end))
    if asked.shown:
        return reply._replace(text=f"The rest of {total} {what}:")
    return reply
