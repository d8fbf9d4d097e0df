"""Whether a sentence of a model says only what the lines say that it rests on. Pure.

A sentence falls into clauses, and each has to say one line again: the same words in the same order,
with the same prepositions, negations, bounds, tenses and owners. It may name what the line is
about, move a phrase of time to the front, say when the line was noted, and leave out whole parts
at the end of the line that change nothing, or what the question said already.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from aurelius.language.same_words import without_occasion, word_list
from aurelius.language.secret_text import find_secret
from indexer.reading.markdown import spelled

from .sentence_words import (
    ABOUT,
    COLON,
    ME,
    OTHER,
    SAID_IS,
    SAID_WAS,
    SaidWord,
    ending_of,
    is_day,
    is_listed,
    read_words,
    same_root,
    stands_alike,
)
from .told_ways import Way, all_ways, is_time, may_be_done, part_ends

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .request import SentLine
    from .told_ways import Row

MOST_SENTENCE_WORDS = 60
"""Words that one sentence may have."""
_MARKUP = re.compile(
    r"[\[\]{}<>|`*#\\^~=@?]|_\w|https?:|www\."
    r"|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]"
)
_YOU = (("your", "my"), ("yours", "mine"), ("yourself", "myself"), ("you", "I"))
_AND = "(?:and|but|while|und|et|y)"
_CLAUSE = re.compile(rf"(?i)[;,.—–]\s+(?:{_AND}\s)?|\s{_AND}\s")
_BOX = re.compile(r"^\[.\] | \|")
_NOTED = re.compile(r"(?i),? as noted (?:in|on)\b|\bas of\b")
_QUOTED = re.compile(r"(?i)^my notes? says?(?: that)? ")
_NOW = re.compile(r"(?i)\bnow\b,?")
_MANY = re.compile(r"\b(?:[Tt]hey|I|[Ww]e)\b")
_EARLIER = re.compile(r"(?i)\b(?:earlier|before(?: that)?|previously|formerly)\b,?(?! \d| [A-Z])")
_SINCE = ("since", "from")
_UNTIL = ("until", "to", "before")
_IN = ("in", "on")
_PRONOUNS = tuple(
    re.compile(rf"(?i)\b(?:{words})\b")
    for words in ("he|him|his", "she|her|hers", "they|them|their|theirs")
)
_OWNERS = re.compile(r"(?i)\b(?:his|her|its|their)\b")
_CONCLUDES = frozenset("so plus just both either therefore thus hence".split())
_AT = ("", "in", "on", "at")
_SUBJECTS = (ABOUT, ME, OTHER, "§my")
_OTHERS = ("people/", "companies/")


def sentence_fault(
    sentence: str,
    lines: Sequence[SentLine],
    ask: str = "",
    *,
    whole: bool = False,
) -> str:
    """Why a sentence is not what these lines say, "" where it is; `ask` is what it answers. One
    that stands for the lines has to tell the `whole` of them."""
    text = sentence.strip()
    if fault := _text_fault(text, lines):
        return fault
    for word, put in _YOU:
        text = re.sub(rf"(?i)\b{word}\b", put, text)
    text = _QUOTED.sub("", text)
    told = [
        _ToldLine(
            line,
            lines,
            ask,
            is_whole=whole,
        )
        for line in lines
    ]
    clauses = _Clauses(
        text,
        told,
        is_whole=whole,
    )
    return "says what no line says in these words" * (not clauses.stand())


class _Clauses:
    """The clauses of a sentence, and the lines that they may rest on."""

    def __init__(
        self,
        text: str,
        told: Sequence[_ToldLine],
        *,
        is_whole: bool,
    ) -> None:
        cuts = [(each.start(), each.end()) for each in _CLAUSE.finditer(text)]
        self._text = text
        self._starts = [0, *(end for _, end in cuts)]
        self._ends = [*(start for start, _ in cuts), len(text)]
        self._told = told
        self._is_whole = is_whole

    def stand(
        self,
        at: int = 0,
        before: _Subject | None = None,
        used: Collection[int] = (),
    ) -> bool:
        """Whether all clauses from here on rest on lines."""
        if at == len(self._starts):
            return not self._is_whole or len(used) == len(self._told)
        for end in range(len(self._ends), at, -1):
            clause = self._text[self._starts[at] : self._ends[end - 1]]
            for number, told in enumerate(self._told):
                if number in used and self._is_whole:
                    continue
                subject = told.said_by(clause, before)
                if subject and self.stand(end, subject, {*used, number}):
                    return True
        return False


class _Subject(NamedTuple):
    """What the line of a clause is about, and whether that, or the person, is who does it."""

    about: str
    does_it: bool


class _ToldLine:
    """A line, and all the ways to say it again."""

    def __init__(
        self,
        line: SentLine,
        lines: Sequence[SentLine],
        ask: str,
        *,
        is_whole: bool,
    ) -> None:
        self._line = line
        self._is_of_other = line.place.startswith(_OTHERS)
        self._is_of_other |= not line.place and line.about.casefold() not in {"", "me"}
        self._ask = read_words(ask, line)
        names = _bare(line.about)
        names |= {f"{each}s" for each in names}
        asked_of = not self._ask or not names.isdisjoint(_bare(ask))
        self._must_name = len({each.about for each in lines}) > 1
        self._must_name |= self._is_of_other and not asked_of
        self._has_older = any(each.until for each in lines) and not line.until
        others = [read_words(each.text, each) for each in lines if each != line]
        asked = self._ask
        for other in others:
            asked = [word for word in asked if _has(other, word)]
        text = _BOX.sub("", line.text)
        texts = dict.fromkeys((text, without_occasion(text)))
        self._rows = [tuple(read_words(each, line)) for each in texts]
        self._ways: list[Way] = []
        for row in self._rows:
            self._ways += all_ways(
                row,
                asked,
                is_of_other=self._is_of_other,
                is_whole=is_whole,
            )

    def said_by(
        self,
        clause: str,
        before: _Subject | None,
    ) -> _Subject | None:
        """Whom a clause speaks of that says this line again; None where it says anything else."""
        if "?" in self._line.text or not _are_owners_kept(clause, self._line.text):
            return None
        reading = _Reading(
            clause,
            self._line,
            has_older=self._has_older,
        )
        if self._must_name and not (before or reading.names_about):
            return None
        for way in self._ways:
            if reading.says(way.words) and self._may_follow(way, before, reading):
                return _Subject(self._line.about, way.does_it)
        return None

    def _may_follow(
        self,
        way: Way,
        before: _Subject | None,
        reading: _Reading,
    ) -> bool:
        """Whether a clause without a subject of its own speaks of whom the one before speaks of."""
        if before is None or reading.names_about or way.words[0].key == ME:
            return True
        if self._is_of_other and before.about != self._line.about:
            return False
        return before.does_it or not (way.does_it or may_be_done(way.words[0]))


class _Reading:
    """A clause as it is read beside a line."""

    def __init__(
        self,
        clause: str,
        line: SentLine,
        *,
        has_older: bool,
    ) -> None:
        self._line = line
        self._is_over = bool(line.until)
        clause, noted = _NOTED.subn(" on ", clause)
        if self._is_over:
            clause = _EARLIER.sub("", clause)
        elif has_older:
            clause = _NOW.sub("", clause)
        words = read_words(clause, line, answer=True)
        self._is_dated = any(map(is_time, read_words(line.text, line)))
        self._are_many = bool(_MANY.search(clause))
        self.names_about = any(each.key == ABOUT for each in words)
        self._was = any(map(_is_past, words))
        self._is_noted = bool(noted)
        self._words = self._undated(words)

    def _undated(self, words: list[SaidWord]) -> list[SaidWord]:
        """Words without the days of the line."""
        found = [each for each in words if each.kind != "date" or not self._is_of_line(each)]
        self._is_noted |= len(found) < len(words)
        return found

    def _is_of_line(self, word: SaidWord) -> bool:
        """Whether a date says when a line was noted, or when it ended."""
        if self._is_over and word.prep in _UNTIL:
            return is_day(word.key, self._line.until)
        if not is_day(word.key, self._line.day):
            return False
        if word.prep in _SINCE:
            return self._is_over or not (self._was or self._is_dated)
        return word.prep in _IN and not self._is_dated and (self._was or self._is_noted)

    def says(self, told: Row) -> bool:
        """Whether the clause says these words."""
        if len(self._words) != len(told) or (self._is_over and not self._was):
            return False
        pairs = [*zip(self._words, told, strict=True)]
        if not all(stands_alike(*each) and _is_one(*each) for each in pairs):
            return False
        ends = [0, *part_ends(told), len(told)]
        return all(self._is_then(pairs[one:two]) for one, two in pairwise(ends))

    def _is_then(self, pairs: Sequence[tuple[SaidWord, SaidWord]]) -> bool:
        """Whether a part is told of the time of which it is said."""
        may = _forms_of_be([each for _, each in pairs])
        denied = False
        for said, told in pairs:
            is_so = self._is_so(said, told, may)
            if not (is_so and self._fits(said, told, denied=denied)):
                return False
            denied = is_listed(told.key, "no")
        return True

    def _fits(
        self,
        said: SaidWord,
        told: SaidWord,
        *,
        denied: bool,
    ) -> bool:
        """Whether a verb stands in the same time."""
        form = ending_of(said.key)
        was = ending_of(told.key)
        if told.kind == "done":
            return form == "past"
        if form == was or {form, was} == {"s", "ing"} or told.kind != "word":
            return True
        if form == "past":
            lasts = self._is_noted and is_listed(told.key, "lasting")
            return self._is_over or lasts
        is_plain = not form and was == "s" and self._are_many
        return is_plain or (denied and {form, was} == {"", "s"})

    def _is_so(
        self,
        said: SaidWord,
        told: SaidWord,
        may: Collection[str],
    ) -> bool:
        """Whether a form of `be` stands in the time of the line."""
        being = said.being
        is_free = told.being in {"", COLON}
        if being == SAID_IS and self._is_over:
            return False
        if being in {told.being, COLON} or (told.being == COLON and being in {"", SAID_IS}):
            return True
        if being == SAID_WAS and (self._is_noted or self._is_over):
            return True
        if being == SAID_WAS:
            return is_free and SAID_WAS in may and _is_past(told)
        return being in may or (being == "" and told.being == SAID_IS)


def _forms_of_be(told: Sequence[SaidWord]) -> list[str]:
    """What a sentence may put into a part of a line that has no `is` of its own."""
    times = [each.prep in _AT for each in told if is_time(each)]
    own = [each for each in told if each.key not in _SUBJECTS]
    past = [each for each in own if _is_past(each)]
    found = [SAID_WAS] * (bool(past) and all(times))
    is_open = not past or (past[0] != own[0] and not any(times))
    if is_open and not any(each.being for each in told):
        found.append(SAID_IS)
    return found


def _has(row: Sequence[SaidWord], word: SaidWord) -> bool:
    return any(same_root(word.key, each.key) for each in row)


def _is_past(word: SaidWord) -> bool:
    return word.being == SAID_WAS or ending_of(word.key) == "past"


def _is_one(said: SaidWord, told: SaidWord) -> bool:
    """Whether a word says what one of a line says."""
    if "date" in {said.kind, told.kind}:
        return said.kind == told.kind and _is_date(said, told)
    if "num" in {said.kind, told.kind}:
        return said.key == told.key
    return same_root(said.key, told.key)


def _is_date(said: SaidWord, told: SaidWord) -> bool:
    """Whether a date is one that is told, or less of it where it bounds nothing."""
    if said.key == told.key:
        return True
    return said.prep in {"", "in", "on"} and is_day(said.key, told.key)


def _are_owners_kept(clause: str, line: str) -> bool:
    """Whether the pronouns of a clause fit those of its line."""
    for form in _PRONOUNS:
        told = any(each.search(line) for each in _PRONOUNS)
        if told and form.search(clause) and not form.search(line):
            return False
    added = _OWNERS.search(clause)
    return not added or bool(_OWNERS.search(line)) or added.start() == 0


def _text_fault(text: str, lines: Sequence[SentLine]) -> str:
    """What is wrong with a sentence whatever its words mean, "" for nothing."""
    if not text or "\n" in text or len(text.split()) > MOST_SENTENCE_WORDS:
        return "empty, or too long"
    told = "".join(spelled(line.text) for line in lines)
    if _has_marks(text, told):
        return "holds marks that are not in the lines"
    if find_secret(text):
        return "looks like a secret"
    words = _bare(text)
    if words & word_list("relative"):
        return "says a day that only its line knows"
    if words & _CONCLUDES - _bare(told):
        return "concludes what the lines do not"
    return ""


def _bare(text: str) -> set[str]:
    return {*re.findall(r"[\w'-]+", text.casefold())}


def _has_marks(text: str, lines: str) -> bool:
    """Whether a text has marks that steer a reader and that its lines do not have."""
    marks = {match[0] for match in _MARKUP.finditer(text)}
    is_item = re.match(r"[-+>•]\s|\d+[.)]\s", text)
    is_html = re.search(r"(?i)<[a-z/!]", text)
    return bool(is_item or is_html or marks - {*lines})
