"""Whether a sentence of a model says only what the lines say that it rests on, as far as their
words tell. Pure.

Every word that carries weight has to be in these lines, or one that means the same; numbers, names,
dates, units and negations exactly. What belongs together in a line stays together: a clause takes
nothing from two parts of the notes of which each says something else, and who does it to whom stays
as it was. Doubts, bounds, conditions and who said it are kept.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from aurelius.language.same_words import without_occasion, word_list, word_root
from aurelius.language.secret_text import find_secret
from indexer.reading.markdown import spelled

from .sentence_words import (
    ME,
    ToldLines,
    ToldWord,
    alike,
    by_part,
    heavy_words,
    is_day,
    like_tables,
    read_words,
    roots_of,
    shades,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .request import SentLine
    from .sentence_words import Part

MOST_SENTENCE_WORDS = 60
"""Words that one sentence may have."""
_MARKUP = re.compile(
    r"[\[\]{}<>|`*#\\^~=@?]|_\w|https?:|www\."
    r"|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]"
)
_YOU = (("your", "my"), ("yours", "mine"), ("yourself", "myself"), ("you", "I"))
_DOUBT = (
    "§may §maybe maybe probable likely think believe expect suspect hope plan want seem perhaps"
)
_UNITS = (
    "kg km mm cm mg tb gb mb gram litre metre kwh hertz degree mile percent million hour minute"
    " second day week month year"
)
_KEPT = (
    "say tell claim because if unless ignore disregard pretend only except without half twice"
    " exclude include almost both mostly first"
    " last"
)
_OF_LINE = "if unless ignore disregard pretend"
"""What counts for all of a line."""
_PAST = re.compile(
    r"(?i)\b(?:was|were|had|did|until|till|before|earlier|formerly|previously|ago|once|used to"
    r"|[a-z]{2,}ed)\b"
)
_BEING = frozenset("is are be been being was were am get gets got getting have has had".split())
_OF_ABOUT = ("of", "for", "at", "in")
"""Prepositions behind which what a line is about may be named."""
_PATIENT = ("to", "from", "for", "of")
_OPPOSITE = (
    ("from", "to"),
    ("before", "after"),
    ("until", "from"),
    ("until", "since"),
    ("above", "below"),
    ("with", "without"),
    ("§over", "§under"),
    ("§least", "§most"),
)
_FROM = ("from", "since")
_ENDS = (("by", "to"), ("by", "from"))
"""Prepositions of a number that say something else."""
_MOST_LEFT_OUT = 1 / 3
"""The share of the words of its lines that a sentence which stands for them may leave out."""
_PRONOUNS = re.compile(r"(?i)\b(?:he|she|they|it|him|her|them|his|its|their|who)\b")
_OTHERS = ("people/", "companies/")
_THIRDS = ("early beginning start", "mid middle", "late end")
"""What the days of a month are called."""


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
    answer = re.match(r"(?i)(yes|no)\b\s*[,:;.—–-]\s*", text)
    if answer:
        text = text[answer.end() :]
    said = read_words(
        _of_person(text),
        answer=True,
    )
    if not heavy_words(said):
        return "says nothing"
    told = ToldLines(lines)
    apart = (_torn, _untold)[whole]
    for rule in (_unheard, _denied, _unshaded, apart, _misattributed, _turned, _outdated):
        if fault := rule(said, told):
            return fault
    if fault := _tense_fault(text, said, told) or _unasked(said, told, ask):
        return fault
    if answer and _answers_wrongly(
        answer[1].casefold(),
        said,
        ask,
    ):
        return "says yes where the lines say no"
    return ""


def _of_person(text: str) -> str:
    """What is said to the person, as the person would say it."""
    for word, put in _YOU:
        text = re.sub(rf"(?i)\b{word}\b", put, text)
    return text


def _unheard(said: Sequence[ToldWord], told: ToldLines) -> str:
    """What the lines do not say."""
    for each in heavy_words(said):
        if each.key == "1" and each.kind == "num":
            continue
        if not (told.of(each) or told.is_about(each) or _is_known(each, told)):
            return f"says {each.key}, which the lines do not"
    return ""


def _is_known(word: ToldWord, told: ToldLines) -> bool:
    """Whether a word says when a line was noted or ended, or is the person whose notes they are."""
    if word.key == ME:
        return not all(line.place.startswith(_OTHERS) for line in told.lines)
    if word.key in roots_of("earlier before previous previously formerly"):
        return any(line.until for line in told.lines)
    days = [line.until for line in told.lines]
    if word.prep not in {"until", "before", "by"}:
        days += [line.day for line in told.lines]
    if word.kind in {"date", "num"}:
        return any(is_day(word.key, day) for day in filter(None, days))
    return any(word.key in _third(day) for day in days)


def _third(day: str) -> frozenset[str]:
    """What the part of the month is called in which a day is."""
    if not day[8:10].isdigit():
        return frozenset()
    at = min(int(day[8:10]) // 10, 2)
    return roots_of(_THIRDS[at])


def _denied(said: Sequence[ToldWord], told: ToldLines) -> str:
    """A negation that was left out, or added."""
    for words in by_part(said).values():
        always: list[bool] = []
        ever: list[bool] = []
        for each in heavy_words(words):
            found = [other.denied for other in told.of(each)]
            if found and not told.is_about(each):
                always.append(all(found))
                ever += found
        if words[0].denied:
            if {*(ever or (each.denied for each in told.words))} == {False}:
                return "denies what the lines say"
        elif True in always and words[0].key not in roots_of("because if unless"):
            return "leaves out a negation"
    return ""


def _unshaded(said: Sequence[ToldWord], told: ToldLines) -> str:
    """A doubt, a bound, a condition or a speaker that was left out."""
    keys = {each.key for each in said}
    used = told.used(said)
    lines = {line for line, _ in used}
    for each in told.words:
        of_line = each.part[0] in lines and each.key in roots_of(_OF_LINE)
        if not (of_line or each.part in used):
            continue
        if each.prep == "until" and told.left_out([each], said):
            return f"leaves out until when: {each.key}"
        if _is_firm(each.key) and not _kept(each.key) & keys:
            return f"leaves out {each.key}"
    return ""


def _is_firm(key: str) -> bool:
    return shades(key) or key in roots_of(_DOUBT) | roots_of(_KEPT)


def _kept(key: str) -> frozenset[str]:
    """The words of which one has to stand for a word."""
    if key in roots_of(_DOUBT):
        return roots_of(_DOUBT)
    return alike(key)


def _torn(said: Sequence[ToldWord], told: ToldLines) -> str:
    """Words of two parts in one clause, of which each says something else."""
    for words in by_part(said).values():
        used = told.used(words)
        left = [part for part in used if told.left_out(told.parts[part], words)]
        beside = [part for part in left if part != used[0]]
        is_lent = any(_lends(part, words, told) for part in beside)
        if is_lent or len(left) > 1:
            return "joins what the lines say apart"
    return ""


def _lends(
    part: Part,
    words: Sequence[ToldWord],
    told: ToldLines,
) -> bool:
    """Whether a clause takes from a part of a line whom or what that speaks of."""
    heavy = [
        each for each in heavy_words(told.parts[part]) if each.key != ME and not told.is_about(each)
    ]
    own = [each for each in heavy if each.kind == "name"]
    # on the page of somebody a line begins with what they do
    if part[1] or not told.lines[part[0]].place.startswith(_OTHERS):
        own += heavy[:1]
    return len(told.left_out(own, words)) < len(own)


def _untold(said: Sequence[ToldWord], told: ToldLines) -> str:
    """What is left out of lines that a sentence stands for, or stands in another order there."""
    words: list[ToldWord] = []
    for at, line in enumerate(told.lines):
        row = read_words(
            without_occasion(line.text),
            at,
            line.day,
        )
        about = told.about[at]
        if not all(_in_order(said, row, about, kind) for kind in ("name", "num")):
            return "turns round the names or numbers of a line"
        words += row
    heavy = [each for each in heavy_words(words) if not told.is_about(each)]
    left = told.left_out(words, said)
    if any(each.kind != "word" and each.key != ME for each in left):
        return "leaves out a name, a number or a date"
    if len(left) > _MOST_LEFT_OUT * len(heavy):
        return "leaves out what the lines say"
    return ""


def _in_order(
    said: Sequence[ToldWord],
    row: Sequence[ToldWord],
    about: Collection[str],
    kind: str,
) -> bool:
    """Whether the names or numbers of a line stand in a sentence as they stand there."""
    keys = [each.key for each in said]
    free = {ME, *about}
    for each in (*said, *row):
        if each.prep == "by" or each.owner:
            free.add(each.key)  # shown to be who did it or whose it is, wherever it stands
    found = [each.key for each in row if each.kind == kind and each.key in keys]
    wanted = [key for key in dict.fromkeys(found) if key not in free]
    return wanted == [key for key in dict.fromkeys(keys) if key in wanted]


def _misattributed(said: Sequence[ToldWord], told: ToldLines) -> str:
    """What is said of somebody or something else."""
    for words in by_part(said).values():
        used = told.used(words)
        for part in used:
            own = _subject(told.parts[part])
            if own and told.left_out([own], said):
                return f"leaves out of whom it is said: {own.key}"
        if fault := _of_others(words, used, told):
            return fault
    return _misnumbered(said, told)


def _subject(row: Sequence[ToldWord]) -> ToldWord | None:
    """Whom or what a part of a line speaks of, where it is plain."""
    first = row[0]
    behind = row[min(1, len(row) - 1)]
    if first.owner or (first.key == "§my" and behind.key in _kin()):
        return behind
    if first.key != ME and (first.kind == "name" or first.key in _kin()):
        return first
    return None


@cache
def _kin() -> frozenset[str]:
    """Words before the name of somebody."""
    kin = "mother father sister brother son daughter wife husband boss friend doctor aunt uncle"
    return roots_of(kin) | roots_of(" ".join(word_list("titles")))


def _of_others(
    words: Sequence[ToldWord],
    used: Collection[Part],
    told: ToldLines,
) -> str:
    """A name that the lines of the other words do not know."""
    lines = {line for line, _ in used}
    for each in words:
        known = {at for at, about in enumerate(told.about) if each.key in about}
        if each.key == ME or not (known or each.kind == "name"):
            continue
        known |= {other.part[0] for other in told.of(each)}
        if known and lines and not known & lines:
            return f"says of {each.key} what is said of another"
    return ""


def _misnumbered(said: Sequence[ToldWord], told: ToldLines) -> str:
    """A number that counts something else there."""
    for at, each in enumerate(said):
        of = _counted_by(said[at:])
        if each.kind != "num" or of is None:
            continue
        parts = {other.part for other in told.of(each)}
        others = {other.part for other in told.of(of)}
        if parts and others and not parts & others:
            return f"counts {of.key} with another number"
    return _unmeasured(said, told)


def _unmeasured(said: Sequence[ToldWord], told: ToldLines) -> str:
    """A number without its unit."""
    keys = {each.key for each in said}
    for each, behind in pairwise(told.words):
        is_measured = each.kind == "num" and behind.key in roots_of(_UNITS)
        if is_measured and each.key in keys and not alike(behind.key) & keys:
            return f"leaves out the unit of {each.key}"
    return ""


def _counted_by(words: Sequence[ToldWord]) -> ToldWord | None:
    """What the number before these words counts, behind its unit."""
    for each in heavy_words(words[1:]):
        if each.part != words[0].part:
            return None
        if each.kind == "word" and each.key not in roots_of(_UNITS):
            return each
    return None


def _turned(said: Sequence[ToldWord], told: ToldLines) -> str:
    """Who does it to whom, the other way round."""
    for words in by_part(said).values():
        for part in told.used(words):
            about = told.about[part[0]]
            stood = _as_told(
                words,
                told.parts[part],
                about,
            )
            first = heavy_words(words)[0]
            for fault in (_other_way(stood), _other_role(stood, first, about), _swapped(stood)):
                if fault:
                    return fault
    return ""


_Stood = tuple[ToldWord, ToldWord, int]
"""A word as it is said, as it is told, and where in its part of the line."""


def _as_told(
    words: Sequence[ToldWord],
    row: Sequence[ToldWord],
    about: Collection[str],
) -> list[_Stood]:
    """Words with how they stand in a part of a line; what the line is about stands before it."""
    places: dict[str, int] = {}
    for at, each in enumerate(row):
        places.setdefault(each.key, at)
    of_about = [places[key] for key in about if key in places]
    if of_about or row[0].kind != "name":
        places |= dict.fromkeys(
            about,
            min(of_about, default=-1),
        )
    found: list[_Stood] = []
    before = ""
    for each in words:
        is_more = before in about and each.key in about  # of one name the first word counts
        before = each.key
        at = places.get(each.key, len(row))
        there = each
        if 0 <= at < len(row):
            there = row[at]
        if each.key in about:
            there = _about_told(each, there, at)
        elif each.kind == "name":
            there = there._replace(kind="name")
        if at < len(row) and not is_more:
            found.append((each, there, at))
    return found


def _about_told(
    said: ToldWord,
    there: ToldWord,
    at: int,
) -> ToldWord:
    """What a line is about, as it stands there, or before it."""
    prep = there.prep
    if at < 0:
        prep = ""
    if said.prep in _OF_ABOUT:
        prep = said.prep
    return there._replace(kind="name", prep=prep)


def _other_way(stood: Sequence[_Stood]) -> str:
    """A preposition that turns what is told round."""
    for each, there, _ in stood:
        preps = (each.prep, there.prep)
        is_number = there.kind in {"num", "date"}
        is_left = is_number and there.prep == "from" and each.prep not in _FROM
        if is_left or preps in _opposites() or (is_number and preps in _ENDS):
            return f"turns round {there.prep} and {each.prep}"
    return ""


def _other_role(
    stood: Sequence[_Stood],
    first: ToldWord,
    about: Collection[str],
) -> str:
    """Somebody who does what was done by or to another."""
    for each, there, _ in stood:
        if there.kind == "word":
            continue
        if there.prep == "by" != each.prep and first.key != each.key:
            return f"says {each.key} did not do it"
        if each.key in about or each.prep:
            continue
        if there.owner and not each.owner:
            return f"makes another of what is of {each.key}"
        if first == each and there.kind == "name" and there.prep in _PATIENT:
            return f"says {each.key} did it"
    return ""


def _swapped(stood: Sequence[_Stood]) -> str:
    """Two names or numbers that stand the other way round."""
    named = [each for each in stood if each[1].kind != "word"]
    for at, one in enumerate(named):
        for two in named[at + 1 :]:
            if _is_turned(one, two):
                return f"turns round {one[0].key} and {two[0].key}"
    return ""


def _is_turned(one: _Stood, two: _Stood) -> bool:
    is_moved = _by_changed(one) or _by_changed(two)
    if two[2] == one[2]:
        return False
    if two[2] < one[2]:
        return not (is_moved or _stays(one) or _stays(two))
    is_both = one[1].kind == two[1].kind == "name"
    return is_moved and is_both and bool(two[0].prep or two[1].prep)


def _by_changed(word: _Stood) -> bool:
    """Whether a word has `by` on one side only: who did it stands elsewhere then."""
    said, told, _ = word
    return (said.prep == "by") != (told.prep == "by")


def _stays(word: _Stood) -> bool:
    """Whether what shows a word's part goes with it, wherever it stands."""
    said, told, _ = word
    if said.owner and told.owner:
        return True
    return said.prep == told.prep != ""


@cache
def _opposites() -> frozenset[tuple[str, str]]:
    back = [(two, one) for one, two in _OPPOSITE]
    return frozenset((*_OPPOSITE, *back))


def _outdated(said: Sequence[ToldWord], told: ToldLines) -> str:
    """The day of a line as that of what it says, where it says another."""
    for words in by_part(said).values():
        dates = [each for each in words if each.kind == "date"]
        if all(told.of(each) for each in dates):
            continue
        own: list[ToldWord] = []
        for part in told.used(words):
            own += [each for each in told.parts[part] if each.kind == "date"]
        if own and len(told.left_out(own, dates)) == len(own):
            return "dates it by the day of the note"
    return ""


def _tense_fault(
    text: str,
    said: Sequence[ToldWord],
    told: ToldLines,
) -> str:
    """Whether what is to come, or is so, is told as done, or the other way round."""
    if any(line.until for line in told.lines):
        return _over_fault(text, said, told)
    is_dated = any(each.kind == "date" and not told.of(each) for each in said)
    forms = _tenses(told.lines)
    words = _bare_words(text)
    for at, word in enumerate(words):
        were = forms.get(word_root(word), set())
        before = {*words[max(0, at - 2) : at]}
        if were == {True} and word.endswith("s"):
            return f"tells as so what was: {word}"
        if were != {False} or is_dated or before & _BEING:
            continue
        if _is_past(word):
            return f"tells as done what is not: {word}"
    return ""


def _tenses(lines: Sequence[SentLine]) -> dict[str, set[bool]]:
    """The root of each word of lines → whether it stands there as the past of a verb, or not."""
    forms: dict[str, set[bool]] = {}
    for line in lines:
        for word in _bare_words(line.text):
            forms.setdefault(word_root(word), set()).add(_is_past(word))
    return forms


def _over_fault(
    text: str,
    said: Sequence[ToldWord],
    told: ToldLines,
) -> str:
    """Whether what holds no more is told as if it did."""
    is_over = any(told.lines[line].until for line, _ in told.used(said))
    if is_over and not _PAST.search(text):
        return "says that what is over still holds"
    return ""


def _bare_words(text: str) -> list[str]:
    return re.findall(
        r"[^\W\d_]+",
        text.casefold(),
    )


def _is_past(word: str) -> bool:
    """Whether a word looks like the past of a verb."""
    if len(word) > 4 and word.endswith("ed"):
        return True
    return word in like_tables()["past"].split()


def _unasked(
    said: Sequence[ToldWord],
    told: ToldLines,
    ask: str,
) -> str:
    """A sentence without a name that answers a question which names somebody else."""
    asked = {each.key for each in read_words(ask)}
    if not asked or any(map(told.is_about, said)) or _PRONOUNS.search(ask):
        return ""
    lines = {line for line, _ in told.used(said)}
    others = [line for line in lines if told.lines[line].place.startswith(_OTHERS)]
    if others and not any(told.about[line] & asked for line in others):
        return "does not say of whom"
    return ""


def _answers_wrongly(
    answer: str,
    said: Sequence[ToldWord],
    ask: str,
) -> bool:
    """Whether a `yes` goes against what follows it."""
    if answer == "no" or any(each.denied for each in read_words(ask)):
        return False
    return any(each.denied for each in said)


def _text_fault(text: str, lines: Sequence[SentLine]) -> str:
    """What is wrong with a sentence whatever its words mean, "" for nothing."""
    if not text or "\n" in text or len(text.split()) > MOST_SENTENCE_WORDS:
        return "empty, or too long"
    if _has_marks(
        text,
        "".join(spelled(line.text) for line in lines),
    ):
        return "holds marks that are not in the lines"
    if find_secret(text):
        return "looks like a secret"
    if {
        *re.findall(
            r"[\w'-]+",
            text.casefold(),
        )
    } & word_list("relative"):
        return "says a day that only its line knows"
    return ""


def _has_marks(text: str, lines: str) -> bool:
    """Whether a text has marks that steer a reader and that its lines do not have."""
    marks = {match[0] for match in _MARKUP.finditer(text)}
    is_item = re.match(r"[-+>•]\s|\d+[.)]\s", text)
    is_html = re.search(r"(?i)<[a-z/!]", text)
    return bool(is_item or is_html or marks - {*lines})
