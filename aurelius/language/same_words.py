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
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.reading.markdown import spelled
from indexer.reading.path_meaning import WEEKDAYS
from indexer.search.dates import dated
from indexer.tokens.terms import english_stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

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
_SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "bn": 1e9, "billion": 1e9}


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
    one: bool = False  # behind `a`, `an` or a number
    owns: bool = False  # with `'s`
    owned: bool = False  # behind `his`, `her`, `its`, `their`
    named: bool = False  # written as names are
    defined: bool = False  # behind `the`, or somebody's


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
    text = spelled(text)
    with suppress(ValueError, OverflowError):  # a day that the calendar lacks, or at its end
        text = dated(text, day)
    if not answer:
        text = _pattern("mended").sub(
            _mended, _pattern("label").sub("", _pattern("filler").sub("", text))
        )
    for form, put in _phrases():
        text = form.sub(put, text)
    text = _pattern("reason").sub(r"§because \1, ", text)
    own = [
        word
        for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", about.casefold())
        if word not in _DETERMINERS
    ]
    if about.casefold() != "me":
        names = {word for word in own if word not in word_list("titles")}
    else:
        names = set()
    raw = [found[0] for found in _pattern("token").finditer(text)]
    toks: list[Counted] = []
    forms = set[str]()
    owners = set[str]()
    starts = True
    be = ""
    one = False
    owned = False
    defined = False
    for at, word in enumerate(raw):
        low = re.sub(r"'s?$", "", word.casefold())
        if low in _BREAK or not low or low in "'\"“”„«»":
            starts = starts or low in _BREAK
            continue
        if low in _OWN:
            owners.add(_OWN[low])
            owned = defined = True
            continue
        if low in word_list("empty"):
            forms |= {low} & (PRESENT_FORMS | THEN)
            if low in PRESENT_FORMS | THEN | {"be"}:
                be = low
            one = low in {"a", "an"}
            defined = low == "the"
            continue
        if toks:
            last = toks[-1]
        else:
            last = None
        follows = next(
            (re.sub(r"'s?$", "", each.casefold()) for each in raw[at + 1 :] if each != "."), ""
        )
        owns = word.casefold() != low and not (
            is_past(follows) or (follows.endswith("ing") and len(follows) > 5)
        )
        titled = low in own and (
            follows in names or (last is not None and last.kind == "about" and not starts)
        )
        if low in names or (low in word_list("titles") and titled):
            if not (last and last.kind == "about" and not starts) and not _other_name(raw, at, own):
                toks.append(
                    Counted("about", own[0] if own[0] == "project" else "", starts, be, one, owns)
                )
            elif last and last.kind == "about":
                toks[-1] = last._replace(owns=owns)
            else:
                toks.append(Counted("word", low, starts, be, one))
        else:
            toks += _tok(low, starts, be, one, toks)
        toks[-1] = toks[-1]._replace(owned=owned, named=word[:1].isupper(), defined=defined or one)
        starts = False
        one = toks[-1].kind == "num"
        owned = False
        defined = False
        if toks[-1].key not in {"§not", "§nolonger"}:
            be = ""
    past = any(is_past(each.key) for each in toks)
    return CountedLine(tuple(_units(toks)), frozenset(forms), frozenset(owners), text, past=past)


def _mended(found: re.Match[str]) -> str:
    """What stands of a word and its correction, where both are of one kind."""

    def kind(word: str) -> str:
        low = word.casefold().strip(".!")
        if (
            low[:1].isdigit()
            or low.startswith("§d")
            or (low in _words() and _words()[low].isdigit())
        ):
            return "number"
        if _words().get(low, low) in WEEKDAYS:
            return "day"
        if word[:1].isupper():
            return "name"
        return ""

    if kind(found[1]) == kind(found[2]) != "":
        return found[2]
    return found[0]


def _tok(low: str, starts: bool, be: str, one: bool, before: list[Counted]) -> Iterator[Counted]:
    """One word."""
    if low in _FIRST:
        yield Counted(_FIRST[low], "", starts, be)
    elif low in _OTHERS:
        yield Counted(_OTHERS[low], "", starts, be)
    elif low.startswith("§d"):
        yield Counted("date", low[2:], starts, be)
    elif low[0].isdigit():
        yield Counted(
            "num" if low not in _words() else "word",
            _words().get(low, low.replace(",", "")),
            starts,
            be,
        )
    elif (
        low in _SCALES
        and before
        and before[-1].kind == "num"
        and _float(before[-1].key) is not None
        and not starts
    ):
        last = before.pop()
        yield last._replace(key=f"{float(last.key) * _SCALES[low]:.0f}")
    elif low in word_list("preps"):
        yield Counted("prep", low, starts, be)
    else:
        joined = low.replace("-", "").replace("'", "")
        word = _words().get(joined, joined)
        yield Counted("num" if word.isdigit() else "word", word, starts, be, one)


def _other_name(raw: Sequence[str], at: int, own: Collection[str]) -> bool:
    """Whether a word of the note's name stands in the name of somebody else."""

    def foreign(word: str, *, first: bool) -> bool:
        low = re.sub(r"'s?$", "", word.casefold())
        return (
            word[:1].isupper()
            and not word[1:].isupper()
            and not first
            and low not in own
            and low not in word_list("titles") | word_list("times") | _FIRST.keys()
        )

    before = at > 0 and foreign(raw[at - 1], first=at == 1 or raw[at - 2] in _BREAK)
    return before or (
        at + 1 < len(raw) and "'" not in raw[at][-2:] and foreign(raw[at + 1], first=False)
    )


def _units(toks: Sequence[Counted]) -> list[Counted]:
    """The words with each unit behind its number, and given to both numbers of `from 85 to 92
    euros`."""
    found: list[Counted] = []
    waiting = None
    for at, each in enumerate(toks):
        ahead = (
            each.key in {"§eur", "§gbp", "§usd", "chf"}
            and at + 1 < len(toks)
            and toks[at + 1].kind == "num"
        )
        if ahead and not (found and found[-1].kind == "num" and not each.starts):
            waiting = each
            continue
        found.append(each._replace(starts=each.starts or waiting.starts) if waiting else each)
        if waiting:
            found.append(waiting._replace(starts=False))
            waiting = None
    for at in range(len(found) - 2, 0, -1):
        if (
            found[at].kind == "prep"
            and found[at].key in {"to", "of"}
            and found[at + 1].kind == "num"
        ):
            if at + 2 < len(found) and found[at + 2].key in word_list("units"):
                right = found[at + 2]
            else:
                right = None
            if found[at - 1].key in word_list("units"):
                left = found[at - 1]
            else:
                left = None
            if right and found[at - 1].kind == "num":
                found.insert(at, right)
            elif left and not right and found[at - 2].kind == "num":
                found.insert(at + 2, left)
    return found


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
    for each, follows in zip_longest(line.toks, line.toks[1:]):
        new = new or each.starts
        ends = each.kind == "prep" and (follows is None or follows.starts)
        if ends:
            tok = each._replace(kind="word")
        else:
            tok = each
        if tok.kind in own:
            selves.append(
                (
                    len(found),
                    tok.owns or (preps <= {"of", "for", "at"} and bool(preps)),
                    new and not preps,
                )
            )
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
    at = next((at for at, each in enumerate(source) if each.kind in PRONOUNS), 0)
    near = next(
        (
            each
            for each in reversed(source[:at])
            if each.kind == "about" or (each.kind == "word" and each.named)
        ),
        None,
    )
    if source:
        is_own = source[at].kind in PRONOUNS and (near is None or near.kind == "about")
    else:
        is_own = False
    return frozenset({"about", *([source[at].kind] if is_own else [])})


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
    if one.kind == "date":
        return False
    if one.kind == "num":
        return (
            one.key.lstrip("0") != ""
            and ":" not in one.key + two.key
            and one.key[0] != "0" != two.key[0]
            and _float(one.key) == _float(two.key) is not None
        )
    if two.kind != "word":
        return False
    a = one.key
    b = two.key
    if "§" in a + b or word_root(a) != word_root(b):
        return False
    if is_past(a) != is_past(b):
        return two.be in PRESENT_FORMS and not is_past(a)
    return a.endswith("s") == b.endswith("s") or not (
        one.one or two.one or one.defined or two.defined
    )


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


def _float(text: str) -> float | None:
    if re.fullmatch(r"\d+(?:\.\d+)?", text, re.ASCII) and len(text) < 300:
        return float(text)
    return None


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
    if not a or not b or a == b:
        return not a or a == b or is_time(one.tok) or one.tok.kind == "num"
    return any(a | b <= {*each.split()} for each in ("in on at", "of for", "of in at"))
