"""The few lines that answer a question best, with the later line about the same matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurelius.memory.lines import telling_stems
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_titles

from .candidates import find_candidates
from .cited import cite
from .talk import REPLY_ANSWER, TalkReply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.memory.lines import Line
    from aurelius.vault import Vault

    from .candidates import AnswerLine, FoundLines
    from .talk import TalkQuestion

MOST_CITED = 5
"""Lines of an answer."""
_MOST_NEAREST = 3
"""Lines that are shown where none answers."""
_BEHIND = 3.0
"""How far behind the best line one may be, as logarithms of odds."""
_LEAST_SHARED = 0.2
"""The share of a line's words that a later line of the same matter has."""
_LEAST_ODDS = -0.2
"""From where on the best line is taken for an answer, as a logarithm of odds: over the committed
questions, nine in ten that the notes do not answer stay below."""
_BEFORE = re.compile(
    r"(?i)\bbefore(?: (?:that|then|this|now))?\W*$"
    r"|\b(?:previous(?:ly)?|formerly|former|used to|earlier|originally|at first|in the past"
    r"|was it called)\b"
)
_THEN = re.compile(r"(?i)\b(?:was|were|did|had|been|as of|back)\b")


def best_lines(vault: Vault, asked: TalkQuestion) -> TalkReply:
    """The likeliest lines and those near them; where none surely answers, the nearest."""
    filters = _filters_of(vault, asked)
    found = find_candidates(vault, asked, filters)
    if not found.candidates:
        return TalkReply(REPLY_ANSWER, "", asked=asked, found=False)
    is_found = _is_answer(found.candidates[0])
    lines = _near_best(found)
    if not is_found:
        lines = lines[:_MOST_NEAREST]
    if filters.hides_past:
        lines = _with_later(vault, asked, lines, [each.line for each in found.candidates])
    cited = cite(vault, lines, found=is_found)
    return TalkReply(REPLY_ANSWER, "", cited, asked, is_found)


def _near_best(found: FoundLines) -> list[Line]:
    """The best line and those that are not far behind it."""
    least = found.candidates[0].odds - _BEHIND
    first = found.candidates[:MOST_CITED]
    return [each.line for each in first if each.odds >= least]


def _is_answer(best: AnswerLine) -> bool:
    """Whether the best candidate answers and is not only near: never where it is about another page
    than those that are named."""
    return best.odds > _LEAST_ODDS and not best.evidence["other"]


def _filters_of(vault: Vault, asked: TalkQuestion) -> Filters:
    """Which lines may answer: those that held on the day that is asked about, or that no longer
    hold."""
    today = vault.clock.today.isoformat()
    is_past = asked.days is not None and asked.days[1] < today
    if asked.days and is_past and _THEN.search(asked.text):
        return Filters(as_of=asked.days[1])
    if _BEFORE.search(asked.said or asked.text):
        return Filters(status="all")
    return Filters()


def _with_later(
    vault: Vault, asked: TalkQuestion, lines: list[Line], among: Sequence[Line]
) -> list[Line]:
    """Lines with the later one about the matter of the first, among some, in the second place."""
    later = _later_line(vault, asked, lines[0], among)
    if later is None or later.place in {line.place for line in lines[:2]}:
        return lines
    others = [line for line in lines[1:] if line.place != later.place]
    return [lines[0], later, *others][:MOST_CITED]


def _later_line(
    vault: Vault, asked: TalkQuestion, line: Line, among: Sequence[Line]
) -> Line | None:
    """The later line about the same matter as one that answers: of those of its page, or that name
    it, the one with the most of its words, names apart."""
    from indexer.search.hit import NewerOf

    if not line.date:
        return None
    titles = get_titles(vault.db, {line.path, *asked.names}, private=False)
    own = telling_stems(line.text) - telling_stems(" ".join(titles.values()))
    best = None
    most = _LEAST_SHARED
    of_page = telling_stems(titles.get(line.path, ""))
    for each in among:
        words = telling_stems(each.text)
        is_same = each.path == line.path or not of_page.isdisjoint(words)
        share = len(own & words) / max(1, len(own))
        if is_same and each.date > line.date and share > most:
            best = each
            most = share
    if best is None:
        return None
    about = titles.get(line.path, line.path)
    return best._replace(newer_of=NewerOf(about, *line.place))
