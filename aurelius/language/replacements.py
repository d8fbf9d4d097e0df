"""Proposals of which fact a newer one replaces, by what the lines say.  Values in, values out.

A proposal needs the same entity and another value of one matter: the same sentence with another
value, a matter that has one value at a time, or an old value that the newer line names as past.
Where no cue says which of two lines holds, the proposal is a question. Nothing here changes
anything: a proposal is for a person to accept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from posixpath import commonprefix
from typing import NamedTuple

from indexer.catalog.newer import Stated, alike, are_apart, exchanged, said
from indexer.note import Fact
from indexer.reading.path_meaning import MONTHS, WEEKDAYS
from indexer.tokens.english import LINK, stem

from .change_cues import OTHERS, SINGLE, Words, is_change, is_single, names_sense, read

MOSTLY = 0.6
"""The share of the words for what is gone that the older line must hold to be meant."""
PLAIN = 4
"""Telling words of a line that names no value and still can hardly mean anything else."""
MOST = 200
"""Earlier facts of one topic that are compared."""
PER_PATTERN = 2
"""Lines that are told of those that are alike but for the names in them."""
_NAME = re.compile(r"[^\W\d_a-z][\w'’-]*")
_LIKES = re.compile(
    r"(?i)\b(?:prefers?|preferred|likes?|loves?|enjoys?|hates?|dislikes?|favou?rite)\b"
)


_MANY = OTHERS | frozenset(
    map(stem, ("hobby", "pet", "language", "allergy", "member", "child", "skill", "interest"))
)
"""Of what there is more than one: `Friend is Ann` and `Friend is Bo` are two friends."""


_UNITS = frozenset(
    map(
        stem,
        (
            "euros",
            "dollars",
            "pounds",
            "percent",
            "hour",
            "day",
            "week",
            "month",
            "year",
            "am",
            "pm",
        ),
    )
)
"""Words that lines of many matters share."""


BLANK = Fact(
    "",
    "",
    "",
    "fact",
    "active",
    None,
    None,
    "line",
    (),
    0,
    0,
    0.0,
    None,
    False,
    False,
    False,
    "",
    "",
    "",
    "",
    "",
    "",
    (),
    (),
)
"""A fact that says nothing, to make a line of that is in no note."""


class Proposal(NamedTuple):
    """`new` may take the place of `old`.

    `action` is `supersede`, or `ask` where nothing says which of the two holds; `cue` is the phrase
    that says something changed, "" with `ask`; `score` orders proposals for one new fact.
    """

    old: Fact
    new: Fact
    action: str
    cue: str
    score: float

    @property
    def key(self) -> str:
        """What the log knows an accepted or dismissed proposal by."""
        return f"{self.old.key}>{self.new.key}"


def propose(old: Iterable[Fact], new: Fact) -> Proposal | None:
    """The one of the older facts of the same entity that a new one most likely replaces, or None.

    Facts that are superseded, newer or tied to the new one by hand already are passed over.
    """
    return _best((one for one in old if _may(one, new)), new)


def proposals(facts: Sequence[Fact]) -> list[Proposal]:
    """What may have been replaced among the facts of one entity: each by the nearest that came
    later.

    Undated facts count as older than dated ones, equals as they stand; so nothing ever replaces
    what came after it.
    """
    order = sorted(
        (at for at, fact in enumerate(facts) if fact.status == "active"),
        key=lambda at: (facts[at].date or "", at),
    )
    about: dict[str, list[int]] = {}
    alike_: dict[tuple[object, ...], list[int]] = {}
    found: dict[str, Proposal] = {}
    for place, at in enumerate(order):
        words = read(facts[at].text)
        topics = _topics(words)
        near = set().union(*(about.get(topic, ())[-MOST:] for topic in topics))
        if not words.cue:  # without one a line meets only what it gives another value or denies
            near &= {
                earlier for key in _disputes(words, new=True) for earlier in alike_.get(key, ())
            }
        for key in _disputes(words, new=False):
            alike_.setdefault(key, []).append(place)
        rivals = [facts[order[each]] for each in sorted(near)]
        made = _best(
            [one for one in rivals if one.key not in found and _may(one, facts[at])], facts[at]
        )
        if made is not None:
            found[made.old.key] = made
        for topic in topics:
            about.setdefault(topic, []).append(place)
    return list(found.values())


def _best(rivals: Iterable[Fact], new: Fact) -> Proposal | None:
    best: Proposal | None = None
    for one in rivals:
        found = judge(one.text, new.text)
        if found and (
            best is None or (found[1], one.date or "") >= (best.score, best.old.date or "")
        ):
            action, score, cue = found
            best = Proposal(one, new, action, cue, score)
    return best


def _topics(words: Words) -> set[str]:
    """What a line shares with every other that it could replace or be replaced by."""
    return {
        *words.content,
        *(f" {sense}" for sense in words.senses | words.loose),
        f" {words.label}:",
    } - {" :"}


def _disputes(words: Words, *, new: bool) -> set[tuple[object, ...]]:
    """What two lines share at least where `_against` finds something: as `new`, or as one that was
    there before."""
    content = frozenset(words.content)
    bare = frozenset(_bare(words))
    rest: object = bare if words.kinds else len(bare)
    found: set[tuple[object, ...]] = {("words", content), ("but one", words.content[:-1])}
    found |= {("sense", sense, words.kinds, rest) for sense in words.senses & SINGLE}
    if words.label:
        found |= {("label", words.label)}
    else:
        found |= set()
    head = words.content[:1]
    if new or words.never:
        found |= {("never", head)}
    else:
        found |= set()
    if not new or words.never:
        found |= {("denied", head)}
    else:
        found |= set()
    return found


def judge(old: str, new: str) -> tuple[str, float, str] | None:
    """What a newer line does to an older one: (`supersede` or `ask`, score, cue), or None for
    nothing."""
    a = read(old)
    b = read(new)
    if b.aside or b.others ^ a.others:
        return None
    if b.cue and not _other_subject(a, b):
        score = _changed(a, b)
    else:
        score = 0.0
    found = ("supersede", score, b.cue) if score else _against(a, b)
    if found is None or hold_together(old, new) or _named_apart(a, b):
        return None
    if said(old).about != said(new).about or alike(old, new):  # seldom asked
        return None
    return found


def hold_together(old: str, new: str) -> bool:
    """True if two lines say what somebody likes, and of different things: one may like both."""
    likes = [_LIKES.search(text) for text in (old, new)]
    ends = [{*read(found.string[found.end() :]).content} for found in likes if found]
    return len(ends) > 1 and not ends[0] & ends[1]


def _named_apart(a: Words, b: Words) -> bool:
    """True if two lines are of two things of one sort: `Error E-4012 means …`, `Chapter 4 needs
    …`."""
    if (
        len(a.content) < 4
        or len(b.content) < 4
        or a.content[0] != b.content[0]
        or a.content[1] == b.content[1]
    ):
        return False
    if (a.subject and a.subject == b.subject) or names_sense(
        a.content[0]
    ):  # `Rent is 880 euros`, `Charges 95 euros`
        return False
    one = a.content[1]
    other = b.content[1]
    return _numbers(one) and _numbers(other) and one not in b.gone


def _other_subject(a: Words, b: Words) -> bool:
    """True if two lines say one thing of two: `Amara joined the data team`, `Felix joined the data
    team`."""
    one = a.content[:3]
    other = b.content[:3]
    return (
        len(one) == len(other) == 3 and one[0] != other[0] and one[1:] == other[1:] and not b.strong
    )


def _numbers(word: str) -> bool:
    return word[-1].isdigit() and not any(sign in word for sign in "$€£:")


def _changed(a: Words, b: Words) -> float:
    """How surely a line that speaks of a change speaks of this one: it names the old value, or the
    matter has one value at a time; 0 where it does neither."""
    there = frozenset(a.content)
    here = frozenset(b.content)
    shared = frozenset(filter(str.isalpha, there & here)) - _UNITS
    if (
        not (here - there or b.gone) or b.gone & b.values - there
    ):  # it says of another value that it is past
        return 0.0
    if _names_it(a, b, shared):
        if _is_one_matter(a, b, shared):
            return 2.5
        return 1.5
    is_done = (a.past or a.done) and not a.cue  # what happened is not replaced by what came later
    if is_done or (a.kinds and b.kinds and not a.kinds & b.kinds):
        return 0.0
    is_short = len(here - there) < PLAIN
    return float((b.strong or bool(b.kinds) or is_short) and _is_one_matter(a, b, shared))


def _names_it(a: Words, b: Words, shared: Collection[str]) -> bool:
    """True if a line names an older one's value as past; a number alone may be of anything."""
    gone = b.gone & {*a.content}
    is_told = bool(gone) and len(gone) >= MOSTLY * len(b.gone) and (bool(a.cue) or not a.negative)
    return is_told and (bool(shared) or not all(map(_numbers, gone)))


def _is_one_matter(a: Words, b: Words, shared: Collection[str]) -> bool:
    """True if two lines are of one matter that has one value at a time, or give two numbers of the
    same thing."""
    senses = (a.senses & (b.senses | b.loose)) | (a.loose & b.senses)
    if (senses | (a.loose & b.loose if a.cue else frozenset())) & SINGLE:
        return True
    numbers = [{word for word in each.values if word[0].isdigit()} for each in (a, b)]
    return len(shared) > 1 and all(numbers) and not numbers[0] & numbers[1]


def _against(a: Words, b: Words) -> tuple[str, float, str] | None:
    """A question, where two lines say the same but for a negation, or plainly give one matter two
    values."""
    if a.negative != b.negative and (
        set(a.content) == set(b.content) or _denied(a, b) or _denied(b, a)
    ):
        return "ask", 1.0, ""
    if a.negative or b.negative or a.aside:
        return None
    if a.label and a.label == b.label and is_single(a.label):
        return "ask", 0.8, ""
    if a.kinds != b.kinds:
        return None
    rest = _bare(a), _bare(b)
    both_done = a.past and b.past  # two visits of flats are no two homes
    matter = (
        a.senses & b.senses & SINGLE
        if not (a.values <= b.values or b.values <= a.values or both_done)
        else ()
    )
    if matter and (len(rest[0]) == len(rest[1]) <= 1 if not a.kinds else rest[0] == rest[1]):
        return "ask", 0.7, ""
    if _one_blank(a, b):
        return ("ask", 0.6, "")
    return None


def _denied(no: Words, yes: Words) -> bool:
    """True if a line says never, and the other one that it is done in some way: `Drinks three cups
    of coffee a day`."""
    return (
        no.never
        and len(no.content) > 1
        and no.content[:1] == yes.content[:1]
        and {*no.content} <= {*yes.content}
    )


def _one_blank(a: Words, b: Words) -> bool:
    """True if two lines are one sentence about a state with a name or a word of time exchanged, at
    the end or for what is said to be somebody; numbers are the matter of `indexer.catalog.newer`,
    which knows of measurements.
    """
    if (
        a.past
        or b.past
        or a.subject != b.subject
        or a.subject & _MANY
        or a.label
        or any(map(_numbers, a.content[1:2]))
    ):
        return False
    start = len(commonprefix((a.content, b.content)))
    one = a.content[start:]
    other = b.content[start:]
    if len(one) != 1 or len(other) != 1 or not ({*one} <= a.values and {*other} <= b.values):
        return False
    return not (_numbers(one[0]) or _numbers(other[0])) and (
        0 < len(a.subject) <= start or start > 1
    )


def _bare(words: Words) -> set[str]:
    """The words of a line without its values and without the words that name its matter."""
    return {word for word in words.content if word not in words.values and not names_sense(word)}


def _may(old: Fact, new: Fact) -> bool:
    """True if a fact may take another's place; one that names what it updates has been decided
    about."""
    if old.status == "superseded" or old.key == new.key or new.updates:
        return False
    below = old.heading[1:] and new.heading[1:] and old.heading[0] == new.heading[0]  # of one note
    if below and are_apart(old.heading[-1], new.heading[-1]):
        return False
    return not _tied(old, new) and not _later(old, new)


def _tied(old: Fact, new: Fact) -> bool:
    return (bool(old.id) and old.id == new.contradicts) or (
        bool(new.id) and old.contradicts == new.id
    )


def _later(old: Fact, new: Fact) -> bool:
    return bool(old.date and new.date) and str(old.date) > str(new.date)


# -- lines of days ---------------------------------------------------------------------

_ASIDE = re.compile(r"^\([^()]*\)\s*")


def older(facts: Iterable[Fact], new: Fact, names: frozenset[str]) -> Fact | None:
    """The fact of a page with these names that a line takes the place of, the newest of several."""
    day = new.date or ""
    rivals = [fact for fact in facts if fact.status == "active" and (fact.date or "") <= day]
    rivals.sort(key=lambda fact: fact.date or "", reverse=True)
    same = (one for one in rivals if is_same_frame(one, new, names) and _is_change_of(one, new))
    hit = propose(rivals, new)
    return next(same, hit.old if hit and hit.action == "supersede" else None)


def _is_change_of(old: Fact, new: Fact) -> bool:
    return is_change(new.text) or (new.type != "preference" and old.date != new.date)


def is_same_frame(old: Fact, new: Fact, names: frozenset[str]) -> bool:
    """True if two lines are one sentence with two values that cannot both hold; `never` is no
    value."""
    if said(old.text).denials != said(new.text).denials or hold_together(old.text, new.text):
        return False
    day = new.date or ""
    return exchanged(
        Stated(old.text, old.date or "", names, False, old.type), Stated(new.text, day, names)
    )


def is_rival(old: Fact, new: Fact, names: frozenset[str]) -> bool:
    """True if a line of a page with these names may not hold beside an older one: what a person is
    asked about."""
    return is_same_frame(old, new, names) or judge(old.text, new.text) is not None


def is_changed(old: str, new: str, *, led: bool) -> bool:
    """True if a line says itself that an older one is past; `led`: it begins with the name of what
    both are about, without which they have to share a telling word."""
    found = judge(old, new)
    shared = {*read(old).content} & {*read(new).content} - _UNITS
    return bool(found and found[0] == "supersede" and (led or any(map(str.isalpha, shared))))


def outdates(new: Fact, old: Fact, names: frozenset[str]) -> bool:
    """True if a line about a page with these names is of one matter with that of an earlier day,
    and gives it another value."""
    was = old._replace(text=_ASIDE.sub("", old.text), updates="")
    made = new._replace(text=_ASIDE.sub("", new.text), updates="", contradicts="")
    is_asked = "preference" not in {new.type, old.type} and judge(was.text, made.text) is not None
    return is_asked or older([was], made, names) is not None


def within(old: str, text: str) -> bool:
    """True if a line holds all words that another says."""
    words = {*said(old).words}
    return len(words) > 1 and words <= {*said(text).words}


def varied(texts: Iterable[str], names: Collection[str]) -> list[int]:
    """Which of these lines, by their places, are not the third or a later one that is alike but for
    the names in it."""
    seen: Counter[str] = Counter()
    found = []
    for at, text in enumerate(texts):
        shape = pattern(text, names)
        seen[shape] += 1
        if seen[shape] <= PER_PATTERN or "_" not in shape:
            found.append(at)
    return found


def pattern(text: str, names: Collection[str]) -> str:
    """A line with `_` in place of its names; the word that it begins with is one only where it is
    among `names`."""
    told = LINK.sub("_", text)

    def blank(found: re.Match[str]) -> str:
        begins = not told[: found.start()].strip(" *_\"'")
        word = found[0].casefold().removesuffix("'s").removesuffix("’s")
        if begins and word not in names:
            return found[0]
        return "_"

    return re.sub(r"_(?:\s+_)+", "_", _NAME.sub(blank, told)).casefold()


# -- what is said in a conversation ----------------------------------------------------

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_SPELT = {word: at for at, word in enumerate(_ONES.split(), 1)}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: at * 10 for at, word in enumerate(_DECADES.split(), 2)}
_NUMBER = re.compile(
    rf"(?i)\b(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{'|'.join(list(_SPELT)[:9])})(?![a-z]))?"
    rf"|(?P<ones>{'|'.join(_SPELT)}))\b"
    r"(?: (?P<many>hundred|thousand))?"
)
_THOUSAND = re.compile(r"(?i)(?<=\d) thousand\b|(?<=\d)k\b")
_SHARED = frozenset(
    map(
        stem,
        (
            "client",
            "works",
            "week",
            "month",
            "years",
            "today",
            "good",
            "people",
            "thing",
            "time",
            "wants",
            "need",
            "gets",
            "comes",
            "goes",
            "make",
            "still",
            "now",
            "first",
            "last",
            "new",
            "old",
            *MONTHS,
            *(name[:3] for name in MONTHS),
        ),
    )
)
"""Stems that are said of too many matters to tell one by."""


def in_digits(text: str) -> str:
    """A text with numbers that are spelt out in digits: `twenty six` as 26, `five hundred` as
    500."""

    def number(found: re.Match[str]) -> str:
        value = _TENS.get((found["tens"] or "").casefold(), 0)
        value += _SPELT.get((found["unit"] or found["ones"] or "").casefold(), 0)
        return str(
            value * {"hundred": 100, "thousand": 1000}.get((found["many"] or "").casefold(), 1)
        )

    return _THOUSAND.sub("000", _NUMBER.sub(number, text))


class Matters:
    """The facts of pages by what they are about, to find those that a line speaks of."""

    def __init__(self, facts: Mapping[str, Sequence[Fact]], titles: Mapping[str, str]) -> None:
        self._facts = [
            (path, fact) for path, rows in facts.items() for fact in rows if fact.status == "active"
        ]
        self._stems = [_matter(fact.text) for _, fact in self._facts]
        self._titles = {path: _matter(title) for path, title in titles.items()}
        self._common = Counter(word for words in self._stems for word in words)

    def near(self, text: str) -> list[tuple[float, str, Fact]]:
        """The facts that share telling words with a line, with how much these tell, the nearest
        first."""
        said_here = _matter(text)
        found = []
        for (path, fact), words in zip(self._facts, self._stems, strict=True):
            title = self._titles.get(path, frozenset())
            shared = (
                said_here & words - title
            )  # the name of a page is in what is said of all its matters
            if shared:
                score = sum(1 / max(1, self._common[word]) ** 0.5 for word in shared)
                found.append((score + 0.3 * bool(said_here & title), path, fact))
        return sorted(found, key=lambda each: (-each[0], each[1], each[2].first))


def _matter(text: str) -> frozenset[str]:
    """The stems of a line that tell what it is about, with numbers in digits."""
    return frozenset(
        word.replace(",", "")
        for word in read(in_digits(text)).content
        if len(word) > 2 and word not in _SHARED
    )


_ENDS = re.compile(
    r"(?i)(?:\bno|\bnot|n't|\bfrom|\binstead of|\brather than|\bkick\w*|\bdropp?\w*|\bleft"
    r"|\bwas)\s+(?:the |an? "
    r"|any )?([\w-]+)(?: ([\w-]+))?"
    r"|([\w-]+) (?:(?:is|are|has|have) )?(?:gone|left|no longer|any ?more|retired|out)\b"
)
_VALUE = re.compile(rf"(?i)\d+(?:[.,]\d+)*|\b(?:{'|'.join((*MONTHS, *WEEKDAYS))})")


def plainly(old: str, new: str) -> bool:
    """True if a line says what of an older one of its matter is past, or gives it another number or
    day."""
    ends = {stem(word) for found in _ENDS.finditer(new) for word in found.groups() if word}
    values = [{each.casefold() for each in _VALUE.findall(in_digits(text))} for text in (old, new)]
    return bool(ends & _matter(old)) or (all(values) and not values[0] <= values[1])
