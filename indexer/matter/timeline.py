"""Lines of one matter with two values, of which the newer one holds.

Lines of one matter are alike but for one run of words, and the words around it say how many values
there are at a time. What can hold together is no such matter: what one likes, has or visits, what
happened on a day, what is measured anew. If in doubt, it can.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations, pairwise
from posixpath import commonprefix
from typing import TYPE_CHECKING, NamedTuple

from indexer.reading.path_meaning import MONTH_NAME, WEEKDAY_NAME, unaccented
from indexer.spelling import group_pairs, link_names
from indexer.tokens.english import EMPTY_WORDS
from indexer.tokens.terms import english_stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Words = tuple[str, ...]
    _Keys = dict[int, set[object]]
    """What each of some lines, by their places, may share with others."""
    _Pairs = dict[int, dict[int, bool]]
    """Lines by their places → those of the same matter, and whether that has one value."""

FILLERS = frozenset(
    (
        "a an the now currently today presently nowadays just actually recently lately finally new"
    ).split()
)
"""Words that shade a line and are no part of what it states."""
_SUBJECT_WORDS = frozenset("i he she it they we you his her its their my our your".split())
BE = frozenset("is are am was were be been being became become".split())
ADDED = frozenset("also too either neither another both other".split())
"""Words with which a line adds something."""
DENIED = frozenset("not no never none without dont don't doesnt doesn't cannot can't".split())
PLACED = frozenset("in at for to with by from on as of near under into within through".split())
"""Words after which a place, a time or a part stands, of which a line has one."""
_MANY = (
    "like love enjoy hate dislike adore read "
    "watch visit speak know meet met have has own "
    "get buy bring try eat drink cook bake play "
    "collect learn study want need wish hope "
    "dream recommend mention say tell think feel "
    "believe discuss talk ask help support follow "
    "grow plan listen subscribe volunteer belong "
    "travel go come attend join sing dance write "
    "paint make build take give send see hear "
    "hobby interest interested fan friend member "
    "child children kid son daughter brother "
    "sister sibling cousin pet cat dog allergy "
    "allergic skill language fluent book film "
    "movie song part aunt uncle nephew niece "
    "colleague include contain feature involve "
    "mean remember miss admire respect trust fear "
    "worry care consider suggest offer share sell "
    "ship teach train practise practice some also "
    "another too owe passionate curious proud "
    "grateful thankful appreciate emphasize "
    "emphasise forward excite inspire fascinate"
)
_STATES = (
    "live reside work based located employed "
    "headquartered stay cost weigh earn pay "
    "charge drive head lead captain coach married "
    "date prefer run"
)
ONE = frozenset(
    (
        "favourite favorite main primary current best "
        "only preferred latest next oldest youngest "
        "usual official default native maiden"
    ).split()
)
"""Words with which a matter has one value, whatever its noun."""
MEASURES = frozenset(
    (
        "weight weighs weigh weighed sleep slept "
        "steps pulse temperature pressure mood "
        "glucose bpm mmhg kg lbs km miles ml kcal "
        "calories reps pushups meter odometer mileage"
    ).split()
)
"""What is measured anew each day."""
_OPENING_WORDS = frozenset("how why what when where who which breakfast lunch dinner".split())
"""Words with which a question or a title begins, which states nothing, or what is had anew each
day."""
WENT = frozenset(
    (
        "went ran met saw read bought ate had took "
        "made flew got gave left came sold told said "
        "won lost sent spent drove swam slept wrote "
        "sang began broke chose did drank fell felt "
        "forgot grew heard held kept knew led paid "
        "rode rose spoke taught thought threw woke "
        "wore built caught fought found sat stood"
    ).split()
)
"""Past forms without -ed: a line with one tells what happened."""
NUMBERS = frozenset(
    (
        "one two three four five six seven eight nine "
        "ten eleven twelve fifteen twenty thirty "
        "forty fifty once twice"
    ).split()
)

_MANY_OBJECT_STEMS = frozenset(map(english_stem, _MANY.split()))
"""Stems of verbs and nouns that take several objects at a time: none of them makes another one
old."""
ONE_PLACE = frozenset(
    (english_stem(one), other)
    for one, other in (("play", "for"), ("play", "home"), ("train", "at"), ("study", "at"))
)
"""Stems of such verbs with the word behind them that makes them have one."""
FOND = frozenset("interested involved loved liked excited inspired fascinated".split())
"""Participles that count as such verbs."""
_STATE_STEMS = frozenset(map(english_stem, _STATES.split()))
"""Stems of verbs that have one object at a time."""

_DATED = rf"(?:\d|last|this|next|today|yesterday|now\b|{MONTH_NAME}[a-z]*\b|{WEEKDAY_NAME})"
_ASIDE = (  # as those below a text: compiled where it is needed first
    r"(?i)\s*[,;(–—-]?\s*\b(?:(?:instead of|rather than|and no longer|no longer) [^.;]{1,80}$|"
    r"not [^.;]{1,40} any ?more|not [^.;,]{1,40} but\b|"
    rf"(?:as of|since|from|until|starting|effective) {_DATED}[^.;,]{{0,20}}$)|"
    r"\s*\((?:was|were|formerly|previously|before)\b[^()]*\)"
)
"""What a line says of the value that went before, or since when it holds."""
_NOW = r"(?i)(?<!is)(?<!are) now (?=[$€£]?\d)"
"""What stands for `is` before a number: `budget now 21,000`."""
_SPELT = r"[$€£]?\d+(?:[.,:/-]\d+)*%?|[^\W_]+(?:'[^\W\d_]{2,})?"
NAME_MARK = "\0"
"""What stands for a name of the note that a line is compared with."""
SUBJECT_LABEL = re.compile(r"^([^:\n]{1,40}):\s+")
_NAMED = r"(?:\[\[)?[^\W\d_a-z]\w(?!.*(?:#\w|://))"
_PASSING = (
    rf"(?i)\b(?:(?:last|next|this) (?:week|weekend|month|year|night|evening|morning"
    rf"|{WEEKDAY_NAME})|yesterday|tonight|tomorrow)\b"
)
_THE = r"(?i)\b(?:\w+s|became)\s+(?:\w+\s+)?(?:the|our|my|his|her|its|their)\s|['’]s\s"
_SAYS_NOTHING = EMPTY_WORDS | PLACED | BE | _SUBJECT_WORDS
_BEFORE_PARTICIPLES = BE | {"has", "have"}
_NO_VALUE = BE | {NAME_MARK, "he", "she", "we", "they", "too"}
"""Words with which a run is a statement of its own, or says that something is added."""
_LONGEST = 6
_SHORT = 4
"""Words of a run in which two lines differ: at most, or twice as many where they share more than a
word, and in a plain value."""
_FEW = 60
"""Lines with a word in common that are compared; what more of them have is no matter of its own."""
_NOBODY = frozenset[str]()
"""The names of the note that a line of a day alone is about."""


def names_of_note(title: str, path: str, aliases: Iterable[str] = ()) -> frozenset[str]:
    """The names of a note as `Stated` has them: title, file name and aliases, with case, accents
    and signs apart."""
    file = path.rpartition("/")[2].rpartition(".")[0]
    spelled = (title, file.replace("-", " "), *aliases)
    names = (" ".join(compared_words(name)) for name in spelled)
    return frozenset(filter(None, names))


# -- the words of a line -----------------------------------------------------------------


@lru_cache(maxsize=4096)
def compared_words(text: str) -> Words:
    """The words of a line as they are compared: those before a colon as a subject, asides and
    emphasis left out."""
    plain = link_names(text).replace("’", "'")
    plain = re.sub(_ASIDE, "", plain)
    plain = plain.strip("*_ ")
    plain = SUBJECT_LABEL.sub(r"\1 is ", plain, count=1)
    plain = re.sub(_NOW, " is ", plain, count=1)
    plain = unaccented(plain).replace("'s ", " ")
    words = re.findall(_SPELT, plain)
    telling = (word for word in words if word not in FILLERS)
    return tuple("is" if word in {"are", "am"} else word for word in telling)


def bare_stem(word: str) -> str:
    """A word without its ending, but for past forms, which tell of another time."""
    if word.endswith("ed"):
        return word
    return english_stem(word)


def tells(word: str) -> bool:
    """Whether a word says what a line is about."""
    return word not in _SAYS_NOTHING


def _do_tell(words: Words) -> bool:
    """Whether one of these words says what a line is about."""
    return any(map(tells, words))


def _is_number(word: str) -> bool:
    """Whether a word is a number, in digits or not."""
    return word[-1:].isdigit() or word[:1].isdigit() or word in NUMBERS


def _is_passing(text: str) -> bool:
    """Whether a line is about a day or a week that it names as seen from its own day: yesterday,
    next month."""
    return bool(re.search(_PASSING, text))


def _is_of_somebody(text: str) -> bool:
    """Whether a line begins with a name and says of it what has one object at a time: `Joe lives in
    Rome`."""
    if not re.match(_NAMED, text):
        return False
    words = compared_words(text)[1:4]
    return not ONE.isdisjoint(words) or not _STATE_STEMS.isdisjoint(map(english_stem, words))


def _has_happened(frame: Words) -> bool:
    """Whether a line tells what happened on a day: its verb is a past form, and no participle."""
    for before, word in pairwise(("", *frame)):
        if before in _BEFORE_PARTICIPLES:
            continue
        if word in WENT:
            return True
        if len(word) > 4 and word.endswith("ed") and word not in ONE:
            return True
    return False


def mark_names(words: Words, names: frozenset[str]) -> Words:
    """The words of a line, with `NAME_MARK` where one of these names stands."""
    parts = _parts(names)
    if parts.keys().isdisjoint(words):
        return words
    line: list[str] = []
    at = 0
    while at < len(words):
        possible = parts.get(words[at], ())
        here = (name for name in possible if words[at : at + len(name)] == name)
        name = next(here, ())
        if name:
            line.append(NAME_MARK)
            at += len(name)
        else:
            line.append(words[at])
            at += 1
    return tuple(line)


def _unnamed(words: Words) -> Words:
    """The words of a line without what it is about: names, pronouns, and the verb behind them."""
    left: list[str] = []
    for word, following in pairwise((*words, "")):
        if word != NAME_MARK and (word, following) != ("of", NAME_MARK):
            left.append(word)
    while left and left[0] in _SUBJECT_WORDS:
        del left[0]
    is_participle = left[1:2] and left[1].endswith("ed")
    if left[:1] == ["is"] and not is_participle:
        del left[0]
    return tuple(left)


@lru_cache(maxsize=256)
def _parts(names: frozenset[str]) -> dict[str, list[Words]]:
    """The words of names by the first of each, the longest first."""
    longest = sorted(names, key=len, reverse=True)
    split = (tuple(name.split()) for name in longest)
    return group_pairs((name[0], name) for name in split)


# -- one run of words in which two lines differ ----------------------------------------------


class Exchange(NamedTuple):
    """Two lines that differ in one run of words: what stands before and behind it, and both
    runs."""

    before: Words
    after: Words
    runs: tuple[Words, Words]

    @property
    def frame(self) -> Words:
        """The words that both lines have."""
        return *self.before, *self.after

    @property
    def longest(self) -> int:
        """The words of the longer run."""
        return max(map(len, self.runs))


class _Form(NamedTuple):
    """A line as it is compared with another: its words, and the same without their endings."""

    words: Words
    bare: Words


def _exchange(old: _Form, new: _Form, least: int) -> Exchange | None:
    """How two lines differ; None where that is in more than one run of words, or they share fewer
    telling words than `least`, or a run has a verb that says what something is."""
    found = _differing(old, new)
    run, other = found.runs
    if not run or not other:
        return None
    shared = sum(map(_is_telling, found.frame))
    if found.after == ("is", NAME_MARK):
        shared += 1
    most = _LONGEST * min(shared, 2)
    if shared < least:
        return None
    if found.longest > most:
        return None
    if not _NO_VALUE.isdisjoint(run + other):
        return None
    if shared > 1 or _telling_stems(run).isdisjoint(_telling_stems(other)):
        return found
    return None


def _differing(old: _Form, new: _Form) -> Exchange:
    """What two lines have in common at both ends, and what is between."""
    before = len(commonprefix((old.bare, new.bare)))
    after = len(commonprefix((old.bare[::-1], new.bare[::-1])))
    after = min(
        after,
        len(old.words) - before,
        len(new.words) - before,
    )
    end = len(old.words) - after
    new_end = len(new.words) - after
    runs = old.words[before:end], new.words[before:new_end]
    return Exchange(before=old.words[:before], after=old.words[end:], runs=runs)


def _is_telling(word: str) -> bool:
    """Whether two lines that share a word have more in common than the name of a note."""
    return word != NAME_MARK and tells(word)


def _telling_stems(words: Words) -> set[str]:
    """The stems of the words that say what a line is about."""
    return {*map(bare_stem, filter(tells, words))}


def _one_value(differing: Exchange, *, label: bool, counted: bool) -> bool | None:
    """Whether what is said in these words around a value has one value: True where it surely has,
    None for no."""
    frame = differing.frame
    if _has_happened(frame):
        return None
    if not _OPENING_WORDS.isdisjoint(differing.before[:1]):
        return None
    if not ONE.isdisjoint(frame):
        return True
    stems = _present_stems(frame)
    has_one_place = not ONE_PLACE.isdisjoint(pairwise(map(english_stem, frame)))
    if not has_one_place and not _MANY_OBJECT_STEMS.isdisjoint(stems):
        return (counted and differing.longest == 1) or None
    is_lasting = has_one_place or not _STATE_STEMS.isdisjoint(stems)
    return _one_value_there(
        differing,
        label=label,
        counted=counted,
        is_lasting=is_lasting,
    )


def _one_value_there(
    differing: Exchange,
    *,
    label: bool,
    counted: bool,
    is_lasting: bool,
) -> bool | None:
    """The same by what stands right before the value: a form of `be`, or a place or a time."""
    before = differing.before
    hinge = _hinge(before)
    if not BE.isdisjoint(before[hinge : hinge + 1]):
        if differing.longest > _SHORT:
            return None if label else False
        return not label and _do_tell(before)
    if is_lasting:
        return True
    if hinge < len(before) or counted or _do_tell(differing.after):
        return False
    return None


def _present_stems(frame: Words) -> set[str]:
    """The stems of what is no past form."""
    present = (word for word in frame if not word.endswith("ed") or word in FOND)
    return {*map(english_stem, present)}


def _hinge(before: Words) -> int:
    """The place of the last word that says what something is, or after which a place or a time
    stands; the number of words where there is none."""
    for at in reversed(range(len(before))):
        if before[at] in BE or before[at] in PLACED:
            return at
    return len(before)


def _other_subject(old: str, new: str, differing: Exchange) -> bool | None:
    """The same of lines that differ in their first words: where only one at a time can be what
    follows."""
    after = differing.after
    only = after == ("is", NAME_MARK)
    if not only and len(after) > 1:
        only = bool(re.search(_THE, old) and re.search(_THE, new))
    alone = differing.longest == 1 and sum(map(tells, after)) > 1
    if not (only or alone) or differing.longest > _SHORT:
        return None
    if _takes_many(after):
        return None
    return only and NAME_MARK in after


def _takes_many(after: Words) -> bool:
    """Whether what is said of somebody may be said of others too: `is one of the developers`."""
    if not _MANY_OBJECT_STEMS.isdisjoint(map(english_stem, after)):
        return True
    return _has_happened(after) or ("one", "of") in pairwise(after)


# -- two lines, and many ---------------------------------------------------------------------


class Stated(NamedTuple):
    """A line as the rule of newer lines sees it: a fact's text without its tail.

    `date` is its ISO day, "" for none; `names` are the names of the note it stands in
    (`names_of_note`), empty for a day's line; `daily` says that it stands in a daily note; `type`
    is the type of the fact; `under` its path and heading.
    """

    text: str
    date: str
    names: frozenset[str] = frozenset()
    daily: bool = False
    type: str = "fact"
    under: tuple[str, str] = ("", "")


def exchanged(old: Stated, new: Stated) -> bool:
    """True if two lines are of one matter, alike but for one run of words, and cannot both hold."""
    lines = old, new
    return any(_one_matter(lines, pair) is not None for pair in _near(lines))


def keeps_frame(old: Stated, new: Stated) -> bool:
    """True if two lines that exchange a value say the same around it: it stands behind what is
    said, or before `is`, and nothing beside it is left out."""
    for pair in _near((old, new)):
        for one, other in zip(pair.old, pair.new, strict=True):
            differing = one and other and _exchange(one, other, 1)
            if differing and _is_around(differing):
                return True
    return False


def _is_around(differing: Exchange) -> bool:
    """Whether what two lines have in common is what is said of a value."""
    one, other = map(len, differing.runs)
    led = [word for word in differing.before if word != NAME_MARK and word not in _SUBJECT_WORDS]
    is_said = bool(led) or not BE.isdisjoint(differing.after[:1])
    return is_said and abs(one - other) < 2


def is_one_frame(old: str, new: str) -> bool:
    """True if two lines are one sentence with another value, long enough that nobody means two
    matters by it: the value is a number, a day or a time, or stands at the end."""
    one = _form(compared_words(old))
    other = _form(compared_words(new))
    differing = one and other and _exchange(one, other, 2)
    if not differing or differing.longest > _SHORT or _has_happened(differing.frame):
        return False
    if not ADDED.isdisjoint(differing.frame + differing.runs[1]):
        return False
    if all(any(map(_is_number, run)) for run in differing.runs):
        return MEASURES.isdisjoint(differing.before) and not _numbers_a_thing(differing)
    said = differing.frame + differing.runs[1]
    return DENIED.isdisjoint(said) and _has_one_value(old, differing)


def _has_one_value(old: str, differing: Exchange) -> bool:
    """The same where the values are no numbers: a day, or what stands behind enough words and is
    no name inside the sentence."""
    led = tuple(filter(tells, differing.before))
    if _takes_many(led[-1:]):
        return False
    if all(any(map(_is_day, run)) for run in differing.runs):
        return bool(led)
    one, other = map(len, differing.runs)
    if abs(one - other) > 1 or all(_is_named(old, (word,)) for word in led):
        return False
    is_inside = sum(map(tells, differing.after)) > 1
    return len(led) > 1 and not (is_inside and _is_named(old, differing.runs[0]))


def _numbers_a_thing(differing: Exchange) -> bool:
    """Whether two numbers are the names of two things: `Room 4 seats ten`."""
    before = differing.before
    if before[:1] and before[0] in _SUBJECT_WORDS:
        return False
    is_led = sum(map(tells, before)) == 1 and tells(before[-1])
    return not before or (is_led and differing.runs[0][0].isdigit() and _do_tell(differing.after))


def _is_day(word: str) -> bool:
    """Whether a word is a weekday or a month."""
    return bool(re.fullmatch(rf"(?i)(?:{MONTH_NAME}|{WEEKDAY_NAME})s?", word))


def _is_named(text: str, run: Words) -> bool:
    """Whether a run of words is a name in a line: it begins with a capital there."""
    return bool(re.search(rf"\b{re.escape(run[0].capitalize())}\b", text))


def outdated_lines(lines: Sequence[Stated], of: int | None = None) -> dict[int, int]:
    """The place of each line that a newer line of the same matter outdates → the place of the
    newest line.

    Three or more different values, or two on one day, may all be true, so none of them counts as
    outdated. Matters that have one value at a time, such as where somebody lives, are the
    exception. `of` is the place of the one line whose matter is asked for, all by default.
    """
    pairs: _Pairs = {}
    for (one, other), single in _matters(lines, of):
        pairs.setdefault(one, {})[other] = single
        pairs.setdefault(other, {})[one] = single
    newest_of: dict[int, int] = {}
    for group in _groups(pairs):
        dated = [one for one in group if lines[one].date]
        if not dated:
            continue
        newest = max(dated, key=lambda one: (lines[one].date, -one))
        if all(pairs[newest].values()) or _is_in_turn(lines, group, pairs):
            last = lines[newest].date
            older = (one for one in dated if lines[one].date < last)
            newest_of |= dict.fromkeys(older, newest)
    return newest_of


def _matters(lines: Sequence[Stated], of: int | None) -> Iterator[tuple[tuple[int, int], bool]]:
    """The places of the pairs that are of one matter, and whether it surely has one value at a
    time.

    With `of` only those that lead there from that place, over others: of a long note few have to be
    looked at.
    """
    near = list(_near(lines))
    answers: dict[int, bool | None] = {}
    if of is None:
        for at, pair in enumerate(near):
            answers[at] = _one_matter(lines, pair)
    else:
        answers = _leading_to(of, lines, near)
    for at, answer in sorted(answers.items()):
        if answer is not None:
            yield near[at].places, answer


def _leading_to(of: int, lines: Sequence[Stated], near: Sequence[_Pair]) -> dict[int, bool | None]:
    """The answers about the pairs that are linked to a place by matters."""
    of_place: dict[int, list[int]] = {}
    for at, pair in enumerate(near):
        for place in pair.places:
            of_place.setdefault(place, []).append(at)
    answers: dict[int, bool | None] = {}
    waiting = [of]
    for place in waiting:
        for at in of_place.pop(place, ()):
            if at in answers:
                continue
            answers[at] = _one_matter(lines, near[at])
            if answers[at] is not None:
                waiting += near[at].places
    return answers


class _Pair(NamedTuple):
    """Two lines that may be of one matter: their places, the names of the note that both are about,
    and the forms of each."""

    places: tuple[int, int]
    names: frozenset[str]
    old: _Forms
    new: _Forms


class _Forms(NamedTuple):
    """A line as it stands, and without what it is about; None where that tells nothing."""

    whole: _Form | None
    rest: _Form | None

    def ends(self) -> set[object]:
        """The first and the last word of each form."""
        found: set[object] = set()
        for which, form in enumerate(self):
            if form:
                found.add(("first", form.bare[0], which))
                found.add(("last", form.bare[-1], which))
        return found


def _forms(words: Words, names: frozenset[str]) -> _Forms:
    """The forms of a line about a note with these names, or of one of a day alone where there are
    none."""
    line = mark_names(words, names)
    if not names:
        return _Forms(_form(line), None)
    rest = _form(_unnamed(line))
    if NAME_MARK in line:
        return _Forms(_form(line), rest)
    return _Forms(None, rest)


def _form(words: Words) -> _Form | None:
    """The form of these words, None where there are none."""
    if words:
        return _Form(words, tuple(map(bare_stem, words)))
    return None


def _near(lines: Sequence[Stated]) -> Iterator[_Pair]:
    """The pairs of lines that share a telling word and begin or end alike: lines of one note with
    each other and with those of days that name it; those of days alone where they share two words
    at either end."""
    words = [compared_words(line.text) for line in lines]
    of_note = group_pairs((line.names, at) for at, line in enumerate(lines))
    of_days = of_note.pop(_NOBODY, [])
    together: list[_Keys] = []
    for names, own in of_note.items():
        naming = [at for at in of_days if NAME_MARK in mark_names(words[at], names)]
        forms: dict[int, _Forms] = {}
        ends: _Keys = {}
        telling: _Keys = {}
        for at in own + naming:
            forms[at] = _forms(words[at], names)
            ends[at] = forms[at].ends()
            telling[at] = {*_telling_stems(words[at])}
            telling[at].add(words[at][-1:])
        few = _few(telling)
        together.append({at: keys & few.keys() for at, keys in telling.items()})
        for one, other in _sharing(few, ends):
            yield _Pair(places=(one, other), names=names, old=forms[one], new=forms[other])
    yield from _near_in_days(lines, words, together)


def _near_in_days(
    lines: Sequence[Stated],
    words: Sequence[Words],
    together: Sequence[_Keys],
) -> Iterator[_Pair]:
    """The pairs that share two words at either end, of which one at least is of a day; `together`
    are the words that lines about one note share, which are paired already."""
    edges: _Keys = {}
    for at, each in enumerate(words):
        edges[at] = {
            ("first", each[:2]),
            ("last", each[-2:]),
        }
    for one, other in _sharing(_few(edges), edges):
        is_of_notes = lines[one].names and lines[other].names
        is_paired = any(keys.get(one, set()) & keys.get(other, set()) for keys in together)
        if not (is_of_notes or is_paired):
            old = _forms(words[one], _NOBODY)
            new = _forms(words[other], _NOBODY)
            yield _Pair(places=(one, other), names=_NOBODY, old=old, new=new)


def _few(keys: _Keys) -> dict[object, list[int]]:
    """The places that have each key, in order, where these are several and not many."""
    having: dict[object, list[int]] = {}
    for at, own in sorted(keys.items()):
        for key in own:
            having.setdefault(key, []).append(at)
    return {key: places for key, places in having.items() if 1 < len(places) <= _FEW}


def _sharing(few: Mapping[object, Sequence[int]], ends: _Keys) -> list[tuple[int, int]]:
    """The pairs of places that are together somewhere and have an end in common."""
    found: set[tuple[int, int]] = set()
    for places in few.values():
        having: dict[object, list[int]] = {}
        for at in places:
            for end in ends[at]:
                having.setdefault(end, []).append(at)
        for together in having.values():
            found.update(combinations(together, 2))
    return sorted(found)


def _groups(pairs: _Pairs) -> Iterator[list[int]]:
    """The places of lines that are of one matter."""
    seen: set[int] = set()
    for start in pairs:
        if start in seen:
            continue
        group = [start]
        seen.add(start)
        for one in group:
            more = sorted(pairs[one].keys() - seen)
            group += more
            seen.update(more)
        yield group


def _is_in_turn(lines: Sequence[Stated], group: Sequence[int], pairs: _Pairs) -> bool:
    """Whether a matter has two values, on different days."""
    values: list[int] = []
    for one in group:
        if len(values) < 3 and pairs[one].keys() >= {*values}:
            values.append(one)
    if len(values) != 2:
        return False
    of_day: dict[str, int] = {}
    for one in group:
        other = of_day.setdefault(lines[one].date, one)
        if other in pairs[one]:
            return False
    return True


def are_apart(one: str, other: str) -> bool:
    """Whether what stands under two headings of a note is of two things: `Cost: 5` on two cards."""
    if not one or not other:
        return False
    if one == other:
        return False
    from indexer.reading.type_words import is_fact_heading  # few lines come to this

    return not is_fact_heading(one) and not is_fact_heading(other)


def _one_matter(lines: Sequence[Stated], pair: _Pair) -> bool | None:
    """Whether two lines are of one matter with two values: True where it surely has one at a time,
    None for no.

    Both are about the note with the pair's names, or where there are none about what both say they
    are: lines of days alone about somebody whom they name.
    """
    old, new = (lines[at] for at in pair.places)
    if not _may_be_one_matter(old, new, pair.names):
        return None
    least = 1 if pair.names else 2
    for one, other in zip(pair.old, pair.new, strict=True):
        if one is None or other is None:
            continue
        differing = _exchange(one, other, least)
        if differing is None:
            continue
        single = _single(old, new, differing)
        if single is not None:
            return single
    return None


def _may_be_one_matter(old: Stated, new: Stated, names: frozenset[str]) -> bool:
    """False for lines under two headings of a note, and for those of days that do not say of whom
    they are."""
    if old.under[0] == new.under[0] and are_apart(old.under[1], new.under[1]):
        return False
    if names or old.names or new.names:
        return True
    return _is_of_somebody(old.text) and _is_of_somebody(new.text)


def _single(old: Stated, new: Stated, differing: Exchange) -> bool | None:
    """The same of lines that are alike but for these runs, by the words around them."""
    before = differing.before
    numbers = [tuple(filter(_is_number, run)) for run in differing.runs]
    counted = all(numbers)
    is_same_number = counted and numbers[0] == numbers[1]  # `22 pounds` and `22 or so`
    if is_same_number:
        return None
    if not _may_replace(old, new, differing, counted=counted):
        return None
    is_led = before and _do_tell(differing.after)
    if not is_led and not _do_tell(before):
        return _other_subject(old.text, new.text, differing)
    labels = [SUBJECT_LABEL.match(line.text) for line in (old, new)]
    if old.daily and new.daily and all(labels):
        return None
    return _one_value(differing, label=bool(labels[0]), counted=counted)


def _may_replace(old: Stated, new: Stated, differing: Exchange, *, counted: bool) -> bool:
    """False where both hold, each of its own day: what happened, is measured or passes."""
    if "event" in {old.type, new.type}:
        return False
    if _is_passing(old.text) and _is_passing(new.text):
        return False
    frame = differing.frame
    if counted:
        frame += differing.runs[0]
    if not MEASURES.isdisjoint(frame):
        return False
    is_count_of_day = counted and old.daily and new.daily
    return not is_count_of_day or not BE.isdisjoint(frame)
