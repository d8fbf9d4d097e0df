"""What comes up again and again: on several days of a month, one word beside the name of a page, as
`the Rossi invoice`.

It is counted in lines that a person wrote into daily notes, by the days of these notes; what was
captured, inferred or quoted is no evidence. Nothing is written here, and nothing is a fact before
somebody accepts it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.language.same_words import past_forms
from indexer.catalog.mentions import mentions_of
from indexer.matter.proposals import BLANK_FACT
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import MONTHS, WEEKDAYS, name_words
from indexer.spelling import link_names
from indexer.tokens.english import EMPTY_WORDS, FRAMES, GRAMMAR
from indexer.tokens.terms import english_stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.plans.plan import Desk
    from indexer.catalog.mentions import MentionLine
    from indexer.catalog.names import Called
    from indexer.note import Found

LEAST_DAYS = 3
"""Days on which something has to come up before it is proposed."""
_MOST_APART = 30
"""Days between the first and the last of them."""
_CAME_UP = "” came up on "
_QUOTED = re.compile(r"^\s*>|\[[^\[\]]+\.md:\d+\]|came up on \d")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BEFORE_NOUN = frozenset(
    "a an the this that my our his her their your new next last old first second".split()
)
_JOINTS = frozenset("of from with for about to at by".split())
_NO_TOPIC = EMPTY_WORDS | FRAMES | GRAMMAR | {*MONTHS, *WEEKDAYS} | _BEFORE_NOUN


class Recurring(NamedTuple):
    """What came up about a page: in what words, and in which lines, the oldest first, one a day."""

    page: str
    stem: str
    phrase: str
    lines: Sequence[MentionLine]

    @property
    def key(self) -> str:
        """What the log knows an accepted or dismissed proposal by."""
        return f"observation:{self.page}>{self.stem}"

    @property
    def text(self) -> str:
        """The words of the observation."""
        days = f"{len(self.lines)} days, {self.lines[0].date} to {self.lines[-1].date}"
        return f"“{self.phrase}{_CAME_UP}{days}"


def find_recurring(desk: Desk, facts: Sequence[Found]) -> list[Recurring]:
    """What comes up about the people, companies and projects of a vault and is not on their pages
    yet; `facts` are all that may be seen. What came up too long ago to matter is left out."""
    unsaid = {(path, fact.key) for path, fact in facts if fact.inferred or fact.status != "active"}
    told = defaultdict[str, set[str]](set)
    for path, fact in facts:
        if _CAME_UP in fact.text:
            told[path].update(map(english_stem, name_words(fact.text)))
    found = []
    for called in desk.called():
        if called.kind not in ENTITY_KINDS:
            continue
        lines = [
            line
            for line in mentions_of(desk.db, called.path, private=False)
            if line.kind == "daily" and (line.path, line.key) not in unsaid
        ]
        found += [
            each
            for each in _of_page(called, lines)
            if each.stem not in told[called.path] and _matters(desk, each)
        ]
    return found


def _matters(desk: Desk, each: Recurring) -> bool:
    """Whether something came up within the half-life of an observation."""
    clock = desk.vault.clock
    age = (clock.today - date.fromisoformat(each.lines[-1].date)).days
    return 0 <= age <= clock.rules.half_lives["observation"]


def _of_page(called: Called, lines: Sequence[MentionLine]) -> Iterator[Recurring]:
    if len({line.date for line in lines}) < LEAST_DAYS:
        return
    names = set(chain.from_iterable(map(name_words, called.names)))
    beside: defaultdict[str, dict[str, tuple[str, MentionLine]]] = defaultdict(dict)
    for line in sorted(lines, key=lambda each: (each.date, each.path, each.line)):
        for stem, phrase in _phrases(line.text, names):
            beside[stem].setdefault(line.date, (phrase, line))
    for stem, days in sorted(beside.items()):
        near = _latest_days(sorted(days))
        if len(near) >= LEAST_DAYS:
            yield Recurring(
                called.path,
                stem,
                days[near[0]][0],
                [days[day][1] for day in near],
            )


def _latest_days(days: Sequence[str]) -> list[str]:
    """Those of some ISO days, in order, that are within a month of the last."""
    last = date.fromisoformat(days[-1])
    return [day for day in days if (last - date.fromisoformat(day)).days < _MOST_APART]


def _phrases(text: str, names: set[str]) -> Iterator[tuple[str, str]]:
    """The nouns beside a name in a line, as stems, each with the words that it stands in: `the
    Rossi invoice`, `Ann's birthday`, `call with Ann`."""
    if _QUOTED.search(text):
        return
    text = link_names(text)
    words = list(_WORD.finditer(text))
    bare = [re.sub(r"['’]s$", "", each[0].casefold()) for each in words]
    for at in range(len(words)):
        if bare[at] not in names:
            continue
        is_last = at + 1 == len(words) or bare[at + 1] not in names
        is_first = at == 0 or bare[at - 1] not in names
        if is_last and _is_noun(bare, at + 1) and _has_noun(words, bare, at, names):
            yield english_stem(bare[at + 1]), text[words[at].start() : words[at + 1].end()]
        if is_first and at > 1 and bare[at - 1] in _JOINTS and _is_noun(bare, at - 2):
            yield english_stem(bare[at - 2]), text[words[at - 2].start() : words[at].end()]


def _has_noun(
    words: Sequence[re.Match[str]],
    bare: Sequence[str],
    at: int,
    names: set[str],
) -> bool:
    """Whether what follows a name is a noun: a possessive says so, or what stands before it."""
    if words[at][0].casefold() != bare[at]:
        return True
    while at and bare[at] in names:
        at -= 1
    return bare[at] in _BEFORE_NOUN


def _is_noun(bare: Sequence[str], at: int) -> bool:
    """Whether the word at a place may name a thing."""
    if at >= len(bare):
        return False
    word = bare[at]
    is_verb = word.endswith(("ed", "ing")) or word in past_forms()
    return len(word) > 2 and word.isalpha() and not is_verb and word not in _NO_TOPIC


def line_of_mention(line: MentionLine) -> Found:
    """A line that something rests on, as the other lines of a proposal are."""
    return line.path, BLANK_FACT._replace(text=line.text, date=line.date, first=line.line)
