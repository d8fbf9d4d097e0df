"""Words of a line that count, each in the form that stands for all that mean the same.

Links are spelled, dates one word, fillers gone; the tables of what means the same are in
`same_words.json`.
"""

from __future__ import annotations

import json
import pkgutil
import re
from contextlib import suppress
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.reading.markdown import spelled
from indexer.reading.path_meaning import WEEKDAYS
from indexer.tokens.terms import english_stem

from .dated_text import dated

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_BREAK = frozenset(",;:.!?()–—")
_DETERMINERS = frozenset(("a", "an", "the"))
PRESENT_FORMS = frozenset(("is", "are", "am"))
THEN = frozenset(("was", "were", "did"))
_OWN = {"his": "he", "her": "she", "its": "it", "their": "they"}
_OTHERS = {"he": "he", "him": "he", "she": "she", "hers": "she", "they": "they", "them": "they"}
_FIRST = {
    "i": "i",
    "me": "i",
    "my": "i",
    "mine": "i",
    "myself": "i",
    "we": "we",
    "us": "us",
    "our": "us",
    "ours": "us",
}


@cache
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        pkgutil.get_data("aurelius.language", "same_words.json") or b"{}"
    )
    return found


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of words."""
    return frozenset(_tables()["lists"][name].split())


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(
        _tables()["patterns"][name], 0 if name in {"token", "reason"} else re.IGNORECASE
    )


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Phrases that mean the same, each with the one that stands for it."""
    return tuple((re.compile(form, re.IGNORECASE), put) for form, put in _tables()["phrases"])


@cache
def _words() -> dict[str, str]:
    """Words that mean the same, each with the one that stands for it."""
    found: dict[str, str] = {}
    for row in _tables()["same"]:
        word, *aliases = row.split()
        for alias in aliases:
            found[alias] = word
    return found


@cache
def _past() -> frozenset[str]:
    """Forms of verbs that tell of what was, and do not end in `ed`."""
    found: set[str] = set()
    for row in _tables()["verbs"]:
        base, *forms = row.split()
        found.update(forms)
        found.discard(base)
    return frozenset(found)


@cache
def _roots() -> dict[str, str]:
    """What is made from a word, or means the same → its root."""
    of: dict[str, str] = {}
    for row in (*_tables()["verbs"], *_tables()["roots"]):
        base, *others = map(_base, row.split())
        to = of.get(base, base)
        for each in others:
            of[each] = to
    return {each: of.get(to, to) for each, to in of.items()}


def _base(word: str) -> str:
    """A stem with one letter where grammar doubles it: `planned`, `stopping`."""
    return re.sub(r"([^lsz])\1$", r"\1", english_stem(word))


@cache
def word_root(word: str) -> str:
    """What a word has in common with its forms, with what is made from it and with what means the
    same."""
    made = _base(word)
    return _roots().get(made, made)


def is_past(word: str) -> bool:
    """Whether a verb tells of what was."""
    return word in _past() or (word.endswith("ed") and not word.endswith("eed") and len(word) > 4)


class Counted(NamedTuple):
    """A word that counts: what it is (word, num, date, prep, about, i, we, us, he, she, they), its
    key, and where."""

    kind: str
    key: str
    starts: bool = False  # behind a comma or at the beginning
    be: str = ""  # the form of `be` in front of it
    owns: bool = False  # with `'s`
    owned: bool = False  # behind `his`, `her`, `its`, `their`
    named: bool = False  # written as names are
    defined: bool = False  # behind `the`, `a` or a number, or somebody's


class CountedLine(NamedTuple):
    """The words of a line that count, and what else they stand for."""

    toks: tuple[Counted, ...]
    forms: frozenset[str]  # forms of `be` and `do`
    owners: frozenset[str]  # whose: his, her …
    text: str
    known: bool = False  # whether it names the note's own subject
    past: bool = False  # whether it tells of what was


_LEAST_SHARE_OF_WORDS = 0.75
"""The share of the words of a line that a sentence has to hold to be taken for its wording."""
PRONOUNS = frozenset(("he", "she", "they"))


def counted_words(text: str, about: str, day: str, *, answer: bool = False) -> CountedLine:
    """The words of a line that count."""
    text = _plainly_worded(text, day, answer=answer)
    line = _LineReader([found[0] for found in _pattern("token").finditer(text)], about)
    for at in range(len(line.raw)):
        line.read(at)
    return CountedLine(
        toks=tuple(_units(line.toks)),
        forms=frozenset(line.forms),
        owners=frozenset(line.owners),
        text=text,
        past=any(is_past(each.key) for each in line.toks),
    )


def _plainly_worded(text: str, day: str, *, answer: bool) -> str:
    """A line with its links spelled, its days as dates, and one phrase for all that mean the
    same."""
    text = spelled(text)
    with suppress(ValueError, OverflowError):  # a day that the calendar lacks, or at its end
        text = dated(text, day)
    if not answer:
        text = _pattern("label").sub("", _pattern("filler").sub("", text))
    for form, put in _phrases():
        text = form.sub(put, text)
    return _pattern("reason").sub(r"§because \1, ", text)


def _without_s(word: str) -> str:
    """A word in small letters, without `'s`."""
    return re.sub(r"'s?$", "", word.casefold())


class _LineReader:
    """Takes the words of a line one by one; what does not count says something of the next that
    does."""

    def __init__(self, raw: Sequence[str], about: str) -> None:
        folded = about.casefold()
        words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", folded)
        self.raw = raw
        self.low = list(map(_without_s, raw))
        self.own = [word for word in words if word not in _DETERMINERS]
        self.names = frozenset[str]()
        if folded != "me":
            self.names = frozenset(self.own) - word_list("titles")
        self.toks: list[Counted] = []
        self.forms = set[str]()
        self.owners = set[str]()
        self.starts = True
        self.be = ""
        self.one = self.owned = self.defined = False

    def read(self, at: int) -> None:
        """Take the word at this place."""
        low = self.low[at]
        if low in _BREAK:
            self.starts = True
        elif low in _OWN:
            self.owners.add(_OWN[low])
            self.owned = self.defined = True
        elif low in word_list("empty"):
            self._read_form(low)
        elif low and low not in "'\"“”„«»":
            self._count(at)

    def _read_form(self, low: str) -> None:
        """Take a word that says nothing by itself: an article, a form of `be` or `do`."""
        self.forms |= {low} & (PRESENT_FORMS | THEN)
        if low in PRESENT_FORMS | THEN | {"be"}:
            self.be = low
        self.one = low in {"a", "an"}
        self.defined = low == "the"

    def _count(self, at: int) -> None:
        """Take a word that counts."""
        low = self.low[at]
        if self._is_of_subject(at):
            self._name_subject(at)
        else:
            self._add(*_tok(low))
        self.toks[-1] = self.toks[-1]._replace(
            owned=self.owned,
            named=self.raw[at][:1].isupper(),
            defined=self.defined or self.one,
        )
        self.one = self.toks[-1].kind == "num"
        self.starts = self.owned = self.defined = False
        if self.toks[-1].key not in {"§not", "§nolonger"}:
            self.be = ""

    def _add(self, kind: str, key: str, *, owns: bool = False) -> None:
        self.toks.append(Counted(kind, key, self.starts, self.be, owns))

    def _follows(self, at: int) -> str:
        """The word behind a place."""
        return next((each for each in self.low[at + 1 :] if each != "."), "")

    def _is_of_subject(self, at: int) -> bool:
        """Whether a word is of the note's name; a title is where it stands beside that."""
        low = self.low[at]
        if low in self.names:
            return True
        if low not in self.own or low not in word_list("titles"):
            return False
        return self._follows(at) in self.names or self._is_behind_subject()

    def _is_behind_subject(self) -> bool:
        """Whether the word before names the note's subject, in the same part of the line."""
        return bool(self.toks) and self.toks[-1].kind == "about" and not self.starts

    def _name_subject(self, at: int) -> None:
        """Take a word of the note's name: all in a row are one, and in the name of somebody else
        it is a word as others are."""
        follows = self._follows(at)
        is_verb = is_past(follows) or (follows.endswith("ing") and len(follows) > 5)
        owns = self.raw[at].casefold() != self.low[at] and not is_verb
        if not (self._is_behind_subject() or _other_name(self.raw, at, self.own)):
            key = "project" if self.own[0] == "project" else ""
            self._add("about", key, owns=owns)
        elif self.toks and self.toks[-1].kind == "about":
            self.toks[-1] = self.toks[-1]._replace(owns=owns)
        else:
            self._add("word", self.low[at])


def _tok(low: str) -> tuple[str, str]:
    """The kind of a word, and its key."""
    pronoun = _FIRST.get(low) or _OTHERS.get(low)
    if pronoun:
        return pronoun, ""
    if low.startswith("§d"):
        return "date", low[2:]
    if low[0].isdigit():
        if low in _words():
            return "word", _words()[low]
        return "num", low.replace(",", "")
    if low in word_list("preps"):
        return "prep", low
    joined = low.replace("-", "").replace("'", "")
    word = _words().get(joined, joined)
    if word.isdigit():
        return "num", word
    return "word", word


def _other_name(raw: Sequence[str], at: int, own: Collection[str]) -> bool:
    """Whether a word of the note's name stands in the name of somebody else."""

    def foreign(word: str, *, first: bool) -> bool:
        return (
            word[:1].isupper()
            and not word[1:].isupper()
            and not first
            and _without_s(word) not in own
            and _without_s(word) not in word_list("titles") | word_list("times") | _FIRST.keys()
        )

    before = at > 0 and foreign(raw[at - 1], first=at == 1 or raw[at - 2] in _BREAK)
    return before or (
        at + 1 < len(raw) and "'" not in raw[at][-2:] and foreign(raw[at + 1], first=False)
    )


def _units(toks: Sequence[Counted]) -> list[Counted]:
    """The words with each unit behind its number."""
    found: list[Counted] = []
    for each in toks:
        if _is_unit_of(found, each):
            unit = found.pop()
            found.append(each._replace(starts=each.starts or unit.starts))
            found.append(unit._replace(starts=False))
        else:
            found.append(each)
    return found


def _is_unit_of(before: Sequence[Counted], each: Counted) -> bool:
    """Whether the last of the words before a number is its unit."""
    if each.kind != "num" or not before or before[-1].key not in {"§eur", "§gbp", "§usd", "chf"}:
        return False
    return len(before) < 2 or before[-2].kind != "num" or before[-1].starts


def is_time(each: Counted) -> bool:
    """Whether a word tells when."""
    at = each.key
    return (
        each.kind == "date"
        or at in WEEKDAYS
        or at in word_list("times")
        or at.startswith("§per")
        or (each.kind == "num" and ":" in at)
    )


def without_occasion(text: str, about: str, day: str) -> list[CountedLine]:
    """A line without the occasion on which it was noted; none where it names none."""
    occasion = _pattern("occasion").match(text)
    known = any(each.kind == "about" for each in counted_words(text, about, day).toks)
    if occasion:
        return [counted_words(text[occasion.end() :], about, day)._replace(known=known)]
    return []


def words_it(sentence: str, line: str) -> bool:
    """Whether a sentence says a line in other words, as far as the words that count tell."""
    said = keys(line)
    return bool(said) and len(said & keys(sentence)) >= _LEAST_SHARE_OF_WORDS * len(said)


def keys(text: str) -> set[str]:
    """The words of a text that say something, without their order."""
    return {
        word_root(each.key)
        for each in counted_words(text, "", "").toks
        if each.kind in {"word", "num", "date"}
    }


class WordPlace(NamedTuple):
    """A word of a line that says something, the prepositions in front of it, and the place it has
    in its line."""

    tok: Counted
    preps: frozenset[str]
    line: int
    own: bool  # behind the note's own subject
    new: bool  # begins a clause


def line_items(
    line: CountedLine, at: int, own: Collection[str]
) -> tuple[list[WordPlace], list[tuple[int, bool, bool]]]:
    """The words of a line, and where its own subject stands: in front of which, as an owner, as a
    subject."""
    found: list[WordPlace] = []
    selves: list[tuple[int, bool, bool]] = []
    preps: set[str] = set()
    new = True
    self_before = False
    for tok in line.toks:
        new = new or tok.starts
        if tok.kind in own:
            owns = tok.owns or (preps <= {"of", "for", "at"} and bool(preps))
            selves.append((len(found), owns, new and not preps))
            self_before = True
        elif tok.kind == "prep":
            preps.add(tok.key)
        elif tok.kind == "word" and tok.key in word_list("light"):
            continue
        else:
            found.append(WordPlace(tok, frozenset(preps), at, self_before, new))
            preps = set()
            new = False
            self_before = False
    return found, selves


def subject_words(source: Sequence[Counted]) -> frozenset[str]:
    """The words of a line that mean the note's own subject: its name, and the first pronoun if no
    one else is near."""
    near = "about"
    for each in source:
        if each.kind in PRONOUNS and near == "about":
            return frozenset({"about", each.kind})
        if each.kind in PRONOUNS:
            break
        if each.kind == "about" or (each.kind == "word" and each.named):
            near = each.kind
    return frozenset({"about"})


def same_word(one: Counted, two: Counted, day: str) -> bool:
    """Whether a word of the answer says what a word of the line says."""
    if {one.key, two.key} == {"1", "one"}:
        return True
    if one.key in WEEKDAYS and two.kind == "date":
        return _is_that_day(one.key, two.key, day)
    if one.kind != two.kind:
        return False
    if one.key == two.key:
        return True
    return one.kind == "word" and _is_same_root(one, two)


def _is_same_root(one: Counted, two: Counted) -> bool:
    """Whether two words have one root, and tell of the same time and number."""
    a = one.key
    b = two.key
    if "§" in a + b or word_root(a) != word_root(b):
        return False
    if is_past(a) != is_past(b):
        return two.be in PRESENT_FORMS and not is_past(a)
    return a.endswith("s") == b.endswith("s") or not (one.defined or two.defined)


def _is_that_day(name: str, told: str, day: str) -> bool:
    """Whether a date is the day of this name within a week of the day of the line."""
    try:
        at = date.fromisoformat(told)
        now = date.fromisoformat(day.lstrip("<"))
    except ValueError:
        return False
    return (
        at.weekday() == WEEKDAYS.index(name)
        and 0 < (now - at if day[0] == "<" else at - now).days <= 7
    )


def is_name(each: WordPlace) -> bool:
    """Whether a word is the name of somebody or something."""
    return (
        each.tok.kind == "word" and each.tok.named and not each.new and each.tok.key not in WEEKDAYS
    )


def preps_hold(one: WordPlace, two: WordPlace) -> bool:
    """Whether the prepositions in front of a word say the same."""
    kept = word_list("kept")
    a = one.preps
    b = two.preps
    if a & kept != b & kept:
        return one.tok.kind in {"date", "num"} and not a and b == {"from"}
    a = a - kept
    b = b - kept
    if not a or a == b:
        return True
    if not b:
        return is_time(one.tok) or one.tok.kind == "num"
    return any(a | b <= {*each.split()} for each in ("in on at", "of for", "of in at"))
