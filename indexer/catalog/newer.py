"""Comparing two lines: do they state the same thing, or one matter with two values, of which the
newer one holds?

Lines whose numbers, dates or negations differ are never the same, nor are two in which one word
stands for another: "Lives in Berlin" and "Lives in Munich" are two facts. One line covers another
where it has all of its words in their order, and what it has beside them is said in addition.

Lines of one matter are alike but for one run of words: the later of those two comes first. What can
hold together is no such matter: what one likes, has or visits, what happened on a day, what is
measured anew. If in doubt, it can.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.note import Fact
from indexer.reading.path_meaning import MONTHS, WEEKDAYS
from indexer.spelling import grouped
from indexer.tokens import english
from indexer.tokens.english import EMPTY, NAME, stem

from .supersession import replaced
from .visibility import visible

if TYPE_CHECKING:
    Words = tuple[str, ...]
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import apsw

_SPACED = r"0[^\W\d_]+|\d+(?:[.,:/-]\d+)*|[^\W_]+(?:['’][^\W_]+)*|[^\W_]"
_SPACELESS = _SPACED.replace(r"[^\W_]+", r"[^\W_぀-ヿ㐀-鿿가-힯฀-໿က-႟ក-៿]+")
_IS = frozenset(("is", "are", "was", "were", "am", "be", "been", "has", "have", "had"))
_ARTICLES = frozenset(("a", "an", "the", "his", "her", "their", "my", "our", "its", "already"))
_VERB = r"[^\W\d_]{2,}(?:[^s]s|ed)"
_WHOSE = re.compile(r"(?i)(?:(?P<whose>his|her|their|my|our|[^\W\d_]+['’]s)|the|an?)\s+")
_SUBJECT = r"(?:[^\W\d_]+\s+){1,2}?(?!(?:is|was|has)\b)[^\W\d_]{2,}(?<!s)s\b"
_DAY = re.compile(
    rf"\b(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in map(str.title, MONTHS))}|Sept"
    rf"|{'|'.join(map(str.title, WEEKDAYS))})(?=s?\b)"
)
LEAST = 0.5
"""The share of a line's words that another one must have to be covered by it."""


class Said(NamedTuple):
    """What a line says: its telling words in order, its numbers and its negations, sorted;
    `ordered`: order matters.

    `about` is who it is about, where that is somebody else; `opens` whether it begins with an
    article or a possessive. `joints` say for each word what stands before it: only a space or a
    sign (`GLUED`), a form of `be` or `have` after which something is said of what stood before
    (`SAID_OF`), or other small words and signs (`APART`).
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    denials: tuple[str, ...]
    ordered: bool
    about: str = ""
    opens: bool = False
    joints: tuple[int, ...] = ()


APART, GLUED, SAID_OF = range(3)


def about(text: str) -> str:
    """Who a line is about who is not the note's own person: `daughter` of `His daughter lives in
    Rome`, else ""."""
    whose = _WHOSE.match(text)
    if whose:
        rest = text[whose.end() :]
    else:
        rest = text
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", rest[:80])[: 3 if whose else 1]]
    person = next((word for word in words if word in english.PEOPLE), "")
    if person or whose is None or whose["whose"] is None:
        return person
    subject = re.match(_SUBJECT, rest)
    if subject:
        return subject[0].rpartition(" ")[0].casefold()
    return ""


@lru_cache(maxsize=4096)
def said(text: str) -> Said:
    """The telling parts of a line; emphasis, case, links and word endings aside."""
    plain = english.LINK.sub(
        lambda found: found[2] or found[1].rpartition("/")[2].replace("-", " "), text
    )
    plain = _DAY.sub(lambda found: f"0{found[0]}", plain)  # a date is never a word among others
    plain = (
        unicodedata.normalize("NFKC", plain).casefold().replace("’", "'").replace("e-mail", "email")
    )
    places = list(_word(plain).finditer(plain))
    found = [place[0] for place in places]
    numbers = sorted(word for word in found if word[0].isdigit())
    denials = sorted(
        "not" if word.endswith("n't") else word
        for word in found
        if word in english.NOT or word.endswith("n't")
    )
    telling = [place for place in places if _tells(place[0])]
    words = tuple(stem(place[0]) for place in telling)
    ends = [0, *(place.end() for place in telling)]
    joints = [
        _joint(plain[end : place.start()], place[0])
        for end, place in zip(ends, telling, strict=False)
    ]
    ordered = any(word in english.ORDERED for word in found)
    return Said(
        words,
        tuple(numbers),
        tuple(denials),
        ordered,
        about(text),
        bool(_WHOSE.match(text)),
        tuple(joints),
    )


def _word(text: str) -> re.Pattern[str]:
    """What is a word in a text: the pattern for scripts without spaces takes long to compile, and
    few texts need it."""
    plain = text.isascii() or not any(char >= "\u0e00" and char.isalnum() for char in text)
    return re.compile(_SPACED if plain else _SPACELESS)


def _tells(word: str) -> bool:
    return (
        word not in EMPTY
        and word not in english.NOT
        and not word[0].isdigit()
        and not word.endswith("n't")
    )


def _joint(between: str, word: str) -> int:
    """How a word is joined to the telling word before it; a verb is said of what stands right
    before it."""
    small = _word(between).findall(between)
    if small:
        if not {*small}.isdisjoint(_IS) and {*small} <= _IS | _ARTICLES:
            return SAID_OF
        return APART
    if word in english.BEGINS or (between.strip() and " " in between):
        return APART
    if between.strip():
        return GLUED
    if re.fullmatch(_VERB, word):
        return SAID_OF
    return GLUED


def covers(one: Said, other: Said) -> bool:
    """True if the first line says all that the second says, and little beside it."""
    if (one.numbers, one.denials, one.about) != (other.numbers, other.denials, other.about):
        return False
    if not other.words:
        return not one.words
    if len(other.words) < LEAST * len(one.words) or (len(other.words) == 1 and len(one.words) > 1):
        return False
    if (
        one.opens
        and not other.opens
        and other.words[0] in one.words[1:]
        and one.words[0] not in other.words
    ):
        return False  # a subject stands before the verb: `The plumber lives in Rome`
    if len(one.words) == len(other.words):
        if one.ordered or other.ordered:
            return one.words == other.words
        return sorted(one.words) == sorted(other.words)
    return _holds(one, other.words)


def _holds(one: Said, words: tuple[str, ...]) -> bool:
    """True if a line has these words in this order, and what it has beside them changes none of
    them.

    That is who it is about, before the first, or something more behind a small word or a sign:
    `Works at TechCorp, as engineer`. A word right beside another one makes another thing of it:
    `Rear admiral`, `Belize City`.
    """
    rest = list(words)
    before = False  # is the word before this one beside what the other line says?
    for word, joint in zip(one.words, one.joints, strict=True):
        more = not rest or word != rest[0]
        leads = len(rest) == len(words)
        if more and not leads and joint == GLUED and not before:
            return False
        if not more and before and joint != (SAID_OF if leads else APART):
            return False
        if not more:
            rest.pop(0)
        before = more
    return not rest


def alike(one: str, other: str) -> bool:
    """True if either of two lines covers the other."""
    first = said(one)
    second = said(other)
    return covers(first, second) or covers(second, first)


# -- one matter with two values --------------------------------------------------------


class Stated(NamedTuple):
    """A line as the rule of newer lines sees it: a fact's text without its tail.

    `date` is its ISO day, "" for none; `names` are the names of the note it stands in (`called`),
    empty for a day's line; `daily` says that it stands in a daily note; `type` is the type of the
    fact; `under` its path and heading.
    """

    text: str
    date: str
    names: frozenset[str] = frozenset()
    daily: bool = False
    type: str = "fact"
    under: tuple[str, str] = ("", "")


class Newer(NamedTuple):
    """The newer line of a matter: where it stands, its key, its day and what it says."""

    path: str
    line: int
    key: str
    date: str
    text: str

    def told(self) -> dict[str, str | int]:
        """What programs are told of it."""
        return {"id": self.key, "path": self.path, "line": self.line, "date": self.date}


_TEXT = Fact._fields.index("text")
_UNDER = f"json_extract(detail, '$[{Fact._fields.index('heading')}][#-1]')"
_FEW = 60
"""Lines with a word in common that are compared; what more of them have is no matter of its own."""


def called(title: str, path: str, aliases: Iterable[str] = ()) -> frozenset[str]:
    """The names of a note as `Stated` has them: title, file name and aliases, with case, accents
    and signs apart."""
    file = path.rpartition("/")[2].rpartition(".")[0]
    return frozenset(
        filter(
            None,
            (" ".join(english.told(name)) for name in (title, file.replace("-", " "), *aliases)),
        )
    )


def exchanged(old: Stated, new: Stated) -> bool:
    """True if two lines are of one matter, alike but for one run of words, and cannot both hold."""
    return any(True for _ in _matters((old, new), None))


def outdated(lines: Sequence[Stated], of: int | None = None) -> dict[int, int]:
    """The place of each line that a newer line of the same matter outdates → the place of the
    newest line.

    Three or more different values, or two on one day, may all be true, so none of them counts as
    outdated. Matters that have one value at a time, such as where somebody lives, are the
    exception. `of` is the place of the one line whose matter is asked for, all by default.
    """
    pairs: dict[int, dict[int, bool]] = {}
    for (one, other), single in _matters(lines, of):
        pairs.setdefault(one, {})[other] = single
        pairs.setdefault(other, {})[one] = single
    found: dict[int, int] = {}
    for group in _groups(pairs):
        newest = max(
            (one for one in group if lines[one].date),
            key=lambda one: (lines[one].date, -one),
            default=-1,
        )
        if newest >= 0 and (all(pairs[newest].values()) or _in_turn(lines, group, pairs)):
            older = (one for one in group if "" < lines[one].date < lines[newest].date)
            found |= dict.fromkeys(older, newest)
    return found


def _matters(lines: Sequence[Stated], of: int | None) -> Iterator[tuple[tuple[int, int], bool]]:
    """The places of the pairs that are of one matter, and whether it surely has one value at a
    time.

    With `of` only those that lead there from that place, over others: of a long note few have to be
    looked at.
    """
    near = list(_near(lines))
    single: dict[int, bool | None] = {}
    if of is None:
        single = {at: _one_matter(lines, pair) for at, pair in enumerate(near)}
    else:
        having = grouped((place, at) for at, pair in enumerate(near) for place in pair.places)
        waiting = [of]
        for place in waiting:
            for at in having.pop(place, ()):
                if at not in single:
                    single[at] = _one_matter(lines, near[at])
                    if single[at] is not None:
                        waiting += near[at].places
                    else:
                        waiting += ()
    for at, pair in enumerate(near):
        found = single.get(at)
        if found is not None:
            yield pair.places, found


class _Form(NamedTuple):
    """A line as it is compared with another: its words, and the same without their endings."""

    words: Words
    bare: Words


class _Pair(NamedTuple):
    """Two lines that may be of one matter: their places, the names of the note that both are about,
    and their forms, first as they stand and then without what they are about, None where a form
    tells nothing."""

    places: tuple[int, int]
    names: frozenset[str]
    forms: tuple[Sequence[_Form | None], Sequence[_Form | None]]


def _forms(told: Words, names: frozenset[str]) -> tuple[_Form | None, _Form | None]:
    """The forms of a line about a note with these names, or of one of a day alone where there are
    none."""
    line = english.named(told, names)
    if names:
        rest = english.unnamed(line)
    else:
        rest = ()
    if not names or NAME in line:
        whole = line
    else:
        whole = ()
    one, other = (
        _Form(words, tuple(map(english.bare, words))) if words else None for words in (whole, rest)
    )
    return one, other


def _near(lines: Sequence[Stated]) -> Iterator[_Pair]:
    """The pairs of lines that share a telling word and begin or end alike: lines of one note with
    each other and with those of days that name it; those of days alone where they share two words
    at either end."""
    told = [english.told(line.text) for line in lines]
    days = [at for at, line in enumerate(lines) if not line.names]
    shared: list[Mapping[int, AbstractSet[Any]]] = []
    for names in dict.fromkeys(line.names for line in lines if line.names):
        about = [at for at, line in enumerate(lines) if line.names == names]
        about += [at for at in days if NAME in english.named(told[at], names)]
        words = {
            at: {*map(english.bare, filter(english.tells, told[at])), told[at][-1:]} for at in about
        }
        forms = {at: _forms(told[at], names) for at in about}
        ends = {
            at: {
                (way, form.bare[way and -1], which)
                for which, form in enumerate(each)
                if form
                for way in (0, 1)
            }
            for at, each in forms.items()
        }
        few = _few(words)
        shared.append({at: few.keys() & each for at, each in words.items()})
        for one, other in _sharing(few, ends):
            yield _Pair((one, other), names, (forms[one], forms[other]))
    edges = {at: {(0, each[:2]), (1, each[-2:])} for at, each in enumerate(told)}
    none = frozenset[str]()
    for one, other in _sharing(_few(edges), edges):
        of_note = lines[one].names and lines[other].names
        if not of_note and all(
            each.get(one, none).isdisjoint(each.get(other, none)) for each in shared
        ):
            yield _Pair((one, other), none, (_forms(told[one], none), _forms(told[other], none)))


def _few(keys: Mapping[int, Collection[Any]]) -> dict[Any, list[int]]:
    """The places that have each key, in order, where these are several and not many."""
    having = grouped((key, at) for at, each in sorted(keys.items()) for key in each)
    return {key: places for key, places in having.items() if 1 < len(places) <= _FEW}


def _sharing(
    few: Mapping[Any, Sequence[int]], ends: Mapping[int, Collection[Any]]
) -> list[tuple[int, int]]:
    """The pairs of places that are together somewhere and have an end in common."""
    found: set[tuple[int, int]] = set()
    for places in few.values():
        for each in grouped((end, at) for at in places for end in ends[at]).values():
            found.update(combinations(each, 2))
    return sorted(found)


def _groups(pairs: Mapping[int, Mapping[int, bool]]) -> Iterator[list[int]]:
    """The places of lines that are of one matter."""
    seen: set[int] = set()
    for start in pairs:
        if start not in seen:
            group = [start]
            seen.add(start)
            for one in group:
                group += (more := sorted(pairs[one].keys() - seen))
                seen.update(more)
            yield group


def _in_turn(
    lines: Sequence[Stated], group: Sequence[int], pairs: Mapping[int, Mapping[int, bool]]
) -> bool:
    """Whether a matter has two values, on different days."""
    values: list[int] = []
    for one in group:
        if len(values) < 3 and all(other in pairs[one] for other in values):
            values.append(one)
    days: dict[str, int] = {}
    return len(values) == 2 and not any(
        days.setdefault(lines[one].date, one) in pairs[one] for one in group
    )


def are_apart(one: str, other: str) -> bool:
    """Whether what stands under two headings of a note is of two things: `Cost: 5` on two cards."""
    if not one or not other or one == other:
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
    if old.under[0] == new.under[0] and are_apart(old.under[1], new.under[1]):
        return None
    for one, other in zip(*pair.forms, strict=True):
        if one is None or other is None:
            continue
        if pair.names:
            least = 1
        else:
            least = 2
        runs = english.exchange(one.words, other.words, (one.bare, other.bare), least=least)
        if runs is not None and (single := _single(old, new, *runs)) is not None:
            of_days = not (pair.names or old.names or new.names)
            if not of_days or (english.of_somebody(old.text) and english.of_somebody(new.text)):
                return single
            return None
    return None


def _single(
    old: Stated, new: Stated, before: Words, after: Words, runs: tuple[Words, Words]
) -> bool | None:
    """The same of lines that are alike but for these runs, by the words around them."""
    numbers = [
        list(filter(english.is_number, run)) for run in runs
    ]  # `22 pounds` and `22 or so` are one value
    counted = all(numbers)
    both = old.daily and new.daily
    frame = *before, *after, *(runs[0] if counted else ())
    if "event" in {old.type, new.type} or english.measured(
        old.text, frame, counted=counted, days=both
    ):
        return None
    if (counted and numbers[0] == numbers[1]) or (
        english.passing(old.text) and english.passing(new.text)
    ):
        return None
    if not any(map(english.tells, before)) and not (before and any(map(english.tells, after))):
        return english.other_subject(old.text, new.text, after, runs)
    if both and english.LABEL.match(old.text) and english.LABEL.match(new.text):
        return None
    return english.one_value(
        before, after, runs, label=bool(english.LABEL.match(old.text)), counted=counted
    )


def names_of(db: apsw.Connection, notes: Iterable[int]) -> dict[int, frozenset[str]]:
    """The names of these notes: what each is called, and a person's first name where no other
    person has it."""
    ids = ",".join(map(str, notes))
    found = {}
    given = "(SELECT group_concat(value, char(10)) FROM json_each(aliases))"
    sql = (
        f"SELECT id, path, kind, title, {given} FROM visible_note AS note WHERE kind != 'daily'"
        f" AND id IN ({ids})"
        " ORDER BY path"
    )
    persons: Any = db.execute("SELECT title FROM visible_note WHERE kind = 'person'")
    given_to = Counter(title.partition(" ")[0].lower() for (title,) in persons)
    for note, path, kind, title, aliases in db.execute(sql):
        if kind == "person":
            first = (english.told(title) or ("",))[0]
        else:
            first = ""
        found[note] = called(
            title, path, (*(aliases or "").split("\n"), *[first] * (given_to[first] == 1))
        )
    return found


def newer_facts(
    db: apsw.Connection, path: str = "", *, private: bool, as_of: str = ""
) -> dict[tuple[str, str], Newer]:
    """The active facts of a note, or of all but days, that a newer line of their matter makes old,
    by path and key.

    The newer one stands in the same note, or in a day's note that names it; lines after `as_of` do
    not count.
    """
    past = replaced(db, private=private)
    found: dict[tuple[str, str], Newer] = {}
    which = f"kind != 'daily' AND {visible(private=private)}" + " AND path = ?" * bool(path)
    rows: list[Any] = db.execute(
        f"SELECT id FROM visible_note AS note WHERE {which} ORDER BY path", [path] * bool(path)
    ).fetchall()
    for note, names in names_of(db, [number for (number,) in rows]).items():
        seen = f"{visible(private=private)} AND (?2 = '' OR fact.date <= ?2)"
        lines = [*_facts(db, f"fact.note = ?1 AND {seen}", (note, as_of), names, past)]
        if names and any(line.date for _, line in lines):
            asked = " OR ".join(f'"{name}"' for name in sorted(names))
            named = (
                "note.kind = 'daily' AND chunk.id IN (SELECT rowid FROM chunk_fts WHERE text"
                " MATCH ?1)"
            )
            lines += _facts(db, f"{seen} AND {named}", (asked, as_of), frozenset(), past)
        for old, new in outdated([line for _, line in lines]).items():
            if lines[old][1].names:
                found[lines[old][0].path, lines[old][0].key] = lines[new][0]
    return found


def stated(db: apsw.Connection, chunks: Sequence[int]) -> list[tuple[int, Newer, Stated]]:
    """The chunks of dated facts among these, in their order, as places and as lines."""
    sql = (
        "SELECT chunk.id, chunk.note, path, fact.first, fact.key, fact.date, json_extract(detail,"
        f" '$[{_TEXT}]'), fact.type, kind = 'daily', {_UNDER} FROM chunk JOIN visible_note AS"
        " note ON note.id ="
        " chunk.note JOIN fact ON fact.note = chunk.note AND fact.key = chunk.fact WHERE chunk.id"
        f" IN ({','.join(map(str, chunks))}) AND fact.date > ''"
    )
    rows: list[Any] = sorted(db.execute(sql), key=lambda row: chunks.index(row[0]))
    names = names_of(db, {row[1] for row in rows if not row[8]})
    return [
        (
            chunk,
            Newer(path, line, key, date, text),
            Stated(
                text, date, names.get(note, frozenset()), bool(daily), type_, (path, heading or "")
            ),
        )
        for chunk, note, path, line, key, date, text, type_, daily, heading in rows
    ]


def _facts(
    db: apsw.Connection,
    where: str,
    values: Sequence[Any],
    names: frozenset[str],
    past: Collection[tuple[int, str]],
) -> Iterator[tuple[Newer, Stated]]:
    """The active facts for which a condition holds, as places and as lines."""
    chunk = "JOIN chunk ON chunk.note = fact.note AND chunk.fact = fact.key " * ("chunk." in where)
    sql = (
        "SELECT fact.note, path, fact.first, fact.key, coalesce(fact.date, ''),"
        f" json_extract(detail, '$[{_TEXT}]'), fact.type, note.kind = 'daily', {_UNDER} FROM fact"
        f" JOIN visible_note AS note ON note.id = fact.note {chunk}WHERE fact.status = 'active'"
        f" AND {where}"
    )
    for note, path, first, key, date, text, type_, daily, heading in db.execute(sql, values):
        if (note, key) not in past:
            line = Stated(text, date, names, bool(daily), type_, (path, heading or ""))
            yield Newer(path, first, key, date, text), line
