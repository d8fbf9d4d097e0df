"""About whom or what a sentence is: the pages that the names in it mean, with points of 100.

Name 50, how well the words stand for a page's name; context 35, whether only one page can be meant,
or what else the day speaks of decides between several; recency 15, how near the page's own date is.
From `RESOLVE` points on a page is taken, from `ASK` on a person is asked, below that it is a new
name. A person and a company of one name never merge.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.link_targets import find_target
from indexer.catalog.names import (
    ASK,
    RESOLVE,
    date_nearness,
    is_conflict_copy,
    name_fit,
    without_ending,
)
from indexer.reading.path_meaning import (
    MONTHS,
    WEEKDAYS,
    file_stem,
    folder_of_kind,
    is_archived,
    name_words,
)
from indexer.tokens.english import STOP

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from indexer.catalog.names import Called, NoteNames

    from .capture import DayLine

ENTITIES = frozenset({"person", "company", "project", "area"})
"""Kinds of notes that part of their name, or a name in small letters, may mean."""
_THINGS = ENTITIES - {"person"}
CONTEXT = 35.0
"""Points for a page that alone can be meant, or that what else is spoken of speaks for."""
_SHORT_SENTENCE_WORDS = 16
"""Words of a sentence that is about the one thing which it names somewhere."""
_MOST_PAGES = 4
"""Pages between which a person is asked to choose; among more, a word is no name."""
_MOST_NAME_WORDS = 6
"""Words of a name in a text."""
_TOKEN = re.compile(
    r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]|[^\W_]+(?:[-&.'’+#][^\W_]+)*[+#]*\.?"
)
NAME_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "frau", "herr", "sir", "madam"))
NO_NAMES = STOP | frozenset(
    (*MONTHS, *WEEKDAYS, "today", "note", "notes", "project", "area", "company", "team", "new")
)
_PRONOUN = r"(?i)(?P<who>he|she|they|it|his|her|their|its)(?P<short>'s|’s|'ll|’ll|'re|'d)?\s+"
_REPORTED = (
    r"(?i)\s*(?:just )?(?:rang|called|mailed|e-?mailed|wrote|texted|said|says|told (?:me|us)"
    r"|mentioned|confirmed"
    r"|reports?|announced|again)\b(?: (?:me|us|today|again))?(?: that\b|[:,]|\.)?\s+"
    r"(?=(?:he|she|they|it|his|her|their)\b)"
)
_SAYS = (
    r"\s*(?:\w+ )?(?:said|says|told|tells|mentioned|thinks|thought|heard|wrote"
    r"|writes)\b.*\b(?:\w+s|will|can)\b"
)
_MET = r"(?i)(?:[\w-]+ ){0,3}(?:with|w/|from|to)\s+$"
_APART = r"\s*[,:–-]\s+"
_ABOUT = r"(?i)\b(?:of|for|at|on|in|with|from)(?: (?:the|our))? $"
_BEFORE = r"(?i)(?:the|(?:my|our)(?: [\w-]+){0,2})\s+"
_ASIDE = r"^\s*(?:\([^()]*\)|,[^,]{3,40},)(?=\s)"
_ALONE = (
    r"(?:['’]s)?(?::| (?:\([^()]*\) )?(?!(?:and|or|nor|but|with|who|whom|whose|which|of|in|at|from"
    r"|plus|as)\b)[a-z])"
)
"""What stands behind a name where the rest is a sentence without it: a verb, and no second subject
or aside."""
_JOINED = r"(?i)\s*(?:and|&|\+)\s+$"


class Mention(NamedTuple):
    """A name in a text, from `first` to `end`, and the pages it may mean with their points, best
    first.

    `whole`: it is a link, or a page's whole name.
    """

    first: int
    end: int
    pages: tuple[tuple[str, float], ...]
    whole: bool = False

    @property
    def page(self) -> str:
        """The page that is meant, "" where that is not certain."""
        if self.pages and self.pages[0][1] >= RESOLVE:
            return self.pages[0][0]
        return ""

    @property
    def asked(self) -> tuple[str, ...]:
        """The pages between which a person has to choose."""
        if self.page:
            return ()
        found = tuple(path for path, points in self.pages if points >= ASK)
        if len(found) <= _MOST_PAGES:
            return found
        return ()


class Pages:
    """The pages of a vault by their names."""

    def __init__(self, names: NoteNames) -> None:
        self.names = names
        self.kinds: dict[str, str] = {}
        self.entities: set[str] = set()
        self._heads: set[str] = set()
        self._whole: dict[tuple[str, ...], list[Called]] = {}
        self._part: dict[str, dict[str, Called]] = {}
        self.called = names.paths
        for each in names.called:
            if (
                each.kind in {"daily", "me", "memory", "archive"}
                or is_archived(each.path)
                or is_conflict_copy(each.path)
            ):
                continue
            self.kinds[each.path] = each.kind
            if not _is_entity(each):  # others are meant by links alone
                continue
            self.entities.add(each.path)
            for name in _spelt(each):
                self._learn(each, name)

    def _learn(
        self,
        each: Called,
        name: tuple[str, ...],
    ) -> None:
        if len(name) > _MOST_NAME_WORDS or all(word.isdigit() for word in name):
            return
        told = self._whole.setdefault(name, [])
        if each not in told:
            told.append(each)
        self._heads.update((name[0], name[0][0]))
        for word in name:
            if len(word) > 2 and word not in NO_NAMES and not word.isdigit():
                self._part.setdefault(word, {})[each.path] = each

    def known_as(self, page: str) -> frozenset[str]:
        """The words that name a page, none for a page that is not there."""
        from indexer.matter.timeline import (
            names_of_note,  # who asks only what a name means does not need it
        )

        each = self.called.get(page)
        if each:
            return names_of_note(each.title, page, each.aliases)
        return frozenset()

    def mentions(
        self,
        text: str,
        source: str,
        today: datetime.date,
    ) -> list[Mention]:
        """The names in a text of a note, in order; where names overlap, the longest."""
        tokens = list(_TOKEN.finditer(text))
        spelt = [token[0].replace("’", "'").removesuffix("'s").rstrip(".'") for token in tokens]
        found: list[Mention] = []
        at = 0
        while at < len(tokens):
            made = self._linked(tokens[at], source) or self._named(text, tokens, spelt, at, today)
            if made:
                found.append(made)
                while at < len(tokens) and tokens[at].start() < made.end:
                    at += 1
            else:
                at += 1
        return found

    def _linked(
        self,
        token: re.Match[str],
        source: str,
    ) -> Mention | None:
        if token[1] is None:
            return None
        path = find_target(self.names, source, token[1].partition("#")[0].strip(), "wiki")
        pages = ((path, 100.0),) if path in self.kinds else ()
        return Mention(*token.span(), pages, whole=True)

    def _named(
        self,
        text: str,
        tokens: Sequence[re.Match[str]],
        spelt: Sequence[str],
        at: int,
        today: datetime.date,
    ) -> Mention | None:
        """The longest name that begins with a word."""
        first = tokens[at].start()
        head = name_words(spelt[at])[:1]
        if not head or not self._may_begin(head[0]):
            return None
        for count in range(min(_MOST_NAME_WORDS, len(tokens) - at), 0, -1):
            run = tokens[at : at + count]
            if any(each[1] is not None for each in run) or not _is_run(text, run):
                continue
            name = tuple(chain.from_iterable(map(name_words, spelt[at : at + count])))
            for asked, end in _forms(name, run[-1]):
                if made := self._meant(text[first:end], asked, first, end, today):
                    return made
        return None

    def _may_begin(self, word: str) -> bool:
        """Whether a name, or a title before one, may begin with a word."""
        known = (self._heads, self._part, NAME_TITLES)
        return any(word in each or word.removesuffix("s") in each for each in known)

    def _meant(
        self,
        shown: str,
        asked: tuple[str, ...],
        first: int,
        end: int,
        today: datetime.date,
    ) -> Mention | None:
        is_name = shown[:1].isupper() or shown[:1].isdigit()
        is_titled = asked[0] in NAME_TITLES
        bare = asked[is_titled:]
        if not self._may_name(bare):
            return None
        whole = self._whole.get(bare, [])
        if whole:
            return Mention(first, end, self._points(whole, 1.0, today), whole=True)
        if not is_name and first:
            return None
        values: dict[Called, float] = {}
        for each in self._candidates(bare):
            values[each] = max(name_fit(bare, name) for name in _spelt(each))
        best = max(values.values(), default=0.0)
        if best < 0.7:
            return None
        near = [each for each, value in values.items() if value >= 0.7 and value > best - 0.15]
        return Mention(first, end, self._points(near, best, today))

    def _may_name(self, bare: tuple[str, ...]) -> bool:
        """False for words that name nothing by themselves, and for what is private."""
        if not bare or self.names.is_private(" ".join(bare)):
            return False
        return len(bare) > 1 or (len(bare[0]) > 1 and bare[0] not in NO_NAMES)

    def _candidates(self, asked: tuple[str, ...]) -> list[Called]:
        first, *others = [self._part.get(word, {}) for word in asked if len(word) > 1] or [{}]
        paths = set(first).intersection(*others)
        return [first[path] for path in first if path in paths]

    @staticmethod
    def _points(
        found: Sequence[Called],
        value: float,
        today: datetime.date,
    ) -> tuple[tuple[str, float], ...]:
        if len(found) == 1:  # when its page was written to does not decide whether it is meant
            return ((found[0].path, max(RESOLVE, round(50 * value + CONTEXT, 1))),)
        rows: dict[str, float] = {}
        for each in found:
            nearness = date_nearness(each.date, today)
            rows[each.path] = round(50 * value + 15 * nearness, 1)
        return _best_first([*rows.items()])


def settle_mention(
    mention: Mention,
    around: Collection[str],
    near: Callable[[str], Collection[str]],
) -> Mention:
    """A name with what else is spoken of: the one of its pages that this names, or is linked with,
    is meant.

    `near` gives the pages that a page is linked with.
    """
    if mention.page:
        return mention
    paths = [path for path, _ in mention.pages]
    told = [path for path in paths if path in around]
    told = told or [path for path in paths if not {*near(path)}.isdisjoint(around)]
    if len(told) != 1:
        return mention
    rows = [(path, points + CONTEXT * (path == told[0])) for path, points in mention.pages]
    return mention._replace(pages=_best_first(rows))


def _best_first(rows: list[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(rows, key=lambda row: (-row[1], row[0])))


def _is_entity(each: Called) -> bool:
    """True if a note is the page of its subject, and none of many papers that lie in the folder of
    one."""
    folder = folder_of_kind(each.path, each.kind)
    above, _, name = without_ending(each.path).removeprefix(folder + "/").rpartition("/")
    return each.kind in ENTITIES and (not folder or above in {"", name}) and name[:1] != "_"


def _spelt(each: Called) -> Iterator[tuple[str, ...]]:
    """The names of a note as words; with the two letters that stand for an umlaut as well."""
    for name in dict.fromkeys((each.title, file_stem(each.path), *each.aliases)):
        yield name_words(name)
        wide = name.lower().translate(_UMLAUTS)
        if wide != name.lower():
            yield name_words(wide)


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa"})


def _is_run(text: str, run: Sequence[re.Match[str]]) -> bool:
    """True if only spaces stand between some words."""
    return all(not text[one.end() : other.start()].strip(" ") for one, other in pairwise(run))


def _forms(name: tuple[str, ...], last: re.Match[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """A name as it stands, and without the `s` of somebody who leaves out the apostrophe; each with
    its end."""
    text = last[0].replace("’", "'")
    end = last.end()
    if text.endswith("'s"):
        end -= 2
    elif text.endswith((".", "'")) and len(text) > 3:
        end -= 1
    yield name, end
    if len(name[-1]) > 3 and name[-1].endswith("s") and not text.endswith("'s"):
        yield (*name[:-1], name[-1][:-1]), last.end() - 1


def _joined_names(sentence: str, names: Sequence[Mention]) -> list[Mention]:
    """The first name of a sentence, and those that are joined to it: `Ann and Bob`."""
    found = [names[0]]
    for one, other in pairwise(names):
        if not re.fullmatch(_JOINED, sentence[one.end : other.first]):
            break
        found.append(other)
    return found


class Topic(NamedTuple):
    """What a sentence is about: the pages, the words for them, and what it says behind their name.

    `told` is the part of it that tells something; `sure` where it says itself what it is about;
    `ask` are the pages between which a person has to choose.
    """

    pages: tuple[str, ...]
    text: str
    rest: str
    told: str
    sure: bool = True
    ask: tuple[str, ...] = ()


class Topics:
    """What sentences are about: the page whose name they begin with, or that was spoken of just
    before."""

    def __init__(
        self,
        pages: Pages,
        facts: Mapping[str, Sequence[str]],
    ) -> None:
        from aurelius.compose.fact_text import (
            begun,
            without_leading_name,
        )  # who asks only what a name means needs neither

        self._begun = begun
        self._without = without_leading_name
        self.pages = pages
        self._kinds = pages.kinds
        own = {path: rows for path, rows in facts.items() if path in pages.entities}
        self.spoken = _spoken_of(own, self._kinds)
        self._own, self.owner = _owner_of(facts)

    def of(
        self,
        sentence: str,
        names: Sequence[Mention],
        last: tuple[str, ...],
        line: DayLine,
    ) -> Topic | None:
        """What a sentence with these names is about, None for nothing; `last` are the pages spoken
        of just before."""
        from . import capture

        if names:
            lead = names[0]
            before = sentence[: lead.first]
            if lead.first == 0 or re.fullmatch(_BEFORE, before):
                return self._led(sentence, names, last)
            apart = re.match(_APART, sentence[lead.end :])
            if apart and re.fullmatch(_MET, before):
                return self._met(sentence[lead.end + apart.end() :], lead)
        pronoun = re.match(_PRONOUN, sentence)
        if pronoun:
            return self._meant(sentence, pronoun, last)
        after, inner = self._behind_label(sentence, line)
        if inner:
            return self._led(after, inner, last)
        if capture.is_of_writer(sentence):
            return self._if_there(Topic(("ME.md",), sentence, sentence, sentence, sure=False))
        return self._by_word(sentence) or self._by_name(sentence, names, line)

    def _if_there(self, topic: Topic) -> Topic | None:
        """The same, None where the vault has no such page."""
        if topic.pages[0] in self.pages.called:
            return topic
        return None

    def _whole(
        self,
        page: str,
        sentence: str,
    ) -> Topic:
        """A sentence that is about a page as it stands."""
        return Topic((page,), self._begun(sentence), sentence, sentence)

    def _met(
        self,
        rest: str,
        lead: Mention,
    ) -> Topic | None:
        """What is told behind `Call with Ann:`."""
        is_told = len(rest.split()) > 2 and not rest.lower().startswith(("we ", "i "))
        if self._is_plain(lead) and is_told:
            return self._whole(lead.page, rest)
        return None

    def _behind_label(
        self,
        sentence: str,
        line: DayLine,
    ) -> tuple[str, list[Mention]]:
        """What stands behind a label, and its names where it begins with one."""
        label, _, after = sentence.partition(": ")
        if len(label.split()) <= 5 and after:
            inner = self._mentions(after, line)
            if inner and inner[0].first == 0 and inner[0].page:
                return after, inner
        return after, []

    def _by_word(self, sentence: str) -> Topic | None:
        """A sentence that begins with a word that one page alone speaks of, or with the name of
        whoever the notes are of."""
        from . import capture

        matter = self.spoken.get(first_word(sentence), "")
        if matter:
            return self._whole(matter, sentence)
        named = self.owner.match(sentence)
        if named and capture.is_state(sentence[named.end() :]):
            return Topic((self._own,), sentence, sentence[named.end() :], sentence, sure=False)
        return None

    def _by_name(
        self,
        sentence: str,
        names: Sequence[Mention],
        line: DayLine,
    ) -> Topic | None:
        """A sentence by the thing it names; a decision that names nothing is of MEMORY.md."""
        from indexer.matter.cues import (
            states_decision,
        )  # imported only here: looking up a name needs none of it

        if not names and states_decision(sentence):
            return self._if_there(self._whole("MEMORY.md", sentence))
        things = [each for each in names if self._kinds.get(each.page) in _THINGS]
        if len(things) == 1 and len(sentence.split()) <= _SHORT_SENTENCE_WORDS:
            before = sentence[: things[0].first]
            if re.search(_ABOUT, before) or len(before.split()) < 3:
                return self._whole(things[0].page, sentence)
        return self._inherited(sentence, line)

    def around(self, line: DayLine) -> set[str]:
        """The pages that the items and headings around a line surely name."""
        found = set[str]()
        for text in line.above:
            found.update(each.page for each in self._mentions(text, line))
        return found - {""}

    def _mentions(
        self,
        text: str,
        line: DayLine,
    ) -> list[Mention]:
        return self.pages.mentions(text, line.path, line.moment)

    def _led(
        self,
        sentence: str,
        names: Sequence[Mention],
        last: tuple[str, ...],
    ) -> Topic | None:
        """A sentence that begins with a name."""
        from . import capture

        lead = names[0]
        rest = sentence[lead.end :]
        if lead.asked:
            return Topic((), sentence, rest, sentence, ask=lead.asked)
        if not lead.page or not (self._is_plain(lead) or capture.is_state(rest)):
            return None
        told = re.match(_REPORTED, rest)
        if told and {*last} <= {lead.page}:  # else it may be told of whoever was spoken of before
            told_text = rest[told.end() :]
            return self._meant(told_text, re.match(_PRONOUN, told_text), (lead.page,))
        if told or re.match(_SAYS, rest):
            return None
        joined = _joined_names(sentence, names)
        text = self._without_name(sentence, joined)
        pages = dict.fromkeys(each.page for each in joined if each.page)
        rest = re.sub(_ASIDE, "", sentence[joined[-1].end :])
        return Topic(tuple(pages), text, rest, sentence, self._is_plain(lead))

    def _without_name(
        self,
        sentence: str,
        names: Sequence[Mention],
    ) -> str:
        """A sentence without the name it begins with, where that is one and the rest a sentence."""
        first, end, *_ = names[0]
        is_led = len(names) == 1 and len(sentence[:first].split()) < 2
        if is_led and re.match(_ALONE, sentence[end:]):
            return self._without(sentence, end)
        return sentence

    def _meant(
        self,
        sentence: str,
        pronoun: re.Match[str] | None,
        last: tuple[str, ...],
    ) -> Topic | None:
        """A sentence that begins with a word for whoever was spoken of just before."""
        if pronoun is None or not last:
            return None
        who = pronoun["who"].lower()
        rest = sentence[pronoun.end() :]
        if len(last) > 1:
            if who in {"he", "she", "his", "her"}:
                return Topic((), sentence, rest, sentence, ask=last)
            return None
        if who in {"it", "its"}:  # it may be anything
            return None
        if pronoun["short"]:
            return Topic(last, self._begun(sentence), f"is {rest}", sentence)
        text = sentence
        if re.match(_ALONE, f" {rest}"):
            text = rest
        return Topic(last, self._begun(text), rest, sentence)

    def _inherited(
        self,
        sentence: str,
        line: DayLine,
    ) -> Topic | None:
        """A sentence below an item or a heading that names a page."""
        for each in line.above:
            found = [one for one in self._mentions(each, line) if one.page in self.pages.entities]
            if len(found) == 1 and (found[0].whole or found[0].first == 0):
                return self._whole(found[0].page, sentence)
        return None

    def _is_plain(self, mention: Mention) -> bool:
        return mention.page in self.pages.entities


_HELD = (
    r"(?:\b(?:is|are|by|with|from)|:) (?:(?:the|an?|Dr|Mr|Mrs|Ms|Frau"
    r"|Herr)\.? )*([A-Z][^\W\d_]{3,})"
)
"""Somebody or something that a fact names as what it is."""


def _spoken_of(facts: Mapping[str, Sequence[str]], kinds: Mapping[str, str]) -> dict[str, str]:
    """Words that one page alone speaks of: whom a thing's page names, and what facts of an area
    begin with."""
    told: dict[str, set[str]] = {}
    for path, rows in facts.items():
        if kinds.get(path) not in _THINGS:
            continue
        for text in rows:
            named = [found[1] for found in re.finditer(_HELD, text)]
            if kinds.get(path) == "area":
                named.append(first_word(text))
            for word in named:
                told.setdefault(word.casefold(), set()).add(path)
    return {
        word: next(iter(paths)) for word, paths in told.items() if len(paths) == 1 and len(word) > 3
    }


_NAMED = r"(?i)\W*(?:name|what to call (?:them|him|her)|goes by)\W+(.+)"


def _owner_of(facts: Mapping[str, Sequence[str]]) -> tuple[str, re.Pattern[str]]:
    """The page about whoever the notes are of, and what a sentence about them begins with: `Name:
    Ann Bell (AB)`."""
    path, told = _named_owner(facts)
    names = re.findall(r"\b[A-Z][^\W\d_]+\b", told)[:4]
    return path, re.compile(rf"(?:{'|'.join(names) or '(?!)'})(?:['’]s)?(?= )")


def _named_owner(facts: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """The page that names whoever the notes are of, and the name; both empty where none does."""
    for path in ("USER.md", "ME.md"):
        for found in (re.match(_NAMED, text) for text in facts.get(path, ())):
            if found:
                return path, re.split(r"[|;]", found[1])[0]
    return "", ""


def first_word(text: str) -> str:
    """The first word of a text that is no title or article, with case apart."""
    for word in name_words(text[:80]):
        if word not in NAME_TITLES and word not in STOP:
            return word
    return ""
