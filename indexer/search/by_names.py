"""Notes and facts that a question names: notes by a whole name, by words of their names, by what
links call them.

Names are the file's, the title, the aliases, their initials, and the labels of links that lead to a
note. Near is near in letters: Dice's coefficient of the trigrams of the question's words and of the
name, each word of the question worth what its rarity in the vault says, so that a name which half
of the notes hold says little; and the share of the name that the question holds, for short names in
long questions.

Measured, weight .3, on public sets (recall among five): link texts of others in documentation .670
→ .724 (letters alone .709), file names .903 → 1.0 and aliases .947 → 1.0 by the whole name;
dialogue, claims and passages unchanged. Not raised to the power, claims lose .016 nDCG; without
rarity, dialogue loses .015; names of every other candidate as well: nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import fsum, log1p
from posixpath import basename
from typing import TYPE_CHECKING, Any

import apsw

from indexer.catalog.names import name_key, without_ending
from indexer.catalog.visibility import visible_sql
from indexer.reading.path_meaning import fold_name, is_archived, name_words
from indexer.record import NamedTuple
from indexer.spelling import _Key
from indexer.tokens.english import STOP

if TYPE_CHECKING:
    from .question import Question
    from .view import Scope, View

COVERED = 0.3
"""What the share of the name counts, beside Dice with the rest."""
_LIKENESS_POWER = 1.5
"""The power of that: a few letters alike are chance."""
_LEAST_LIKENESS = 0.1
"""What is less near is not named."""
_MOST_NAME_WORDS = 6
"""Words of the question that are looked up together as a whole name."""
_COMMON_WORD_NAMES = 300
"""A word that more names hold tells none of them from the others."""
_MOST_COMPARED = 40
"""Names with words of the question whose letters are compared."""
CALLED = 0.4
"""What it counts, beside 1 to 2 for a whole name, that its initials, a link, or its name but for
`the`, `of` and alike call a note so; shared by all such notes."""
_NAME_ALIKE = 0.6
"""From here on a name may be the question's but for words such as `the`."""
_MOST_NOTES = 15
"""Notes that may be named by parts of their names."""

_OWN = "source IN ('file', 'title', 'alias')"


class Named(NamedTuple):
    """Notes by number: how near a name of each is, 0 to 1; and those whose whole name the question
    is, the nearest to the vault's top most, with what that counts."""

    near: dict[int, float]
    whole: dict[int, float]


class _Name(NamedTuple):
    """A row of the table `name`."""

    note: int
    source: str
    text: str
    folded: str
    target: str
    grams: frozenset[str]


def named_notes(
    view: View,
    question: Question,
    forms: Iterable[str],
    worth: Callable[[str], float],
) -> Named:
    """The notes that a question in the default order names, whose `forms` are looked for in names;
    `worth` says how rare a word is.

    Notes that may not be seen are not named, nor do links in them name anything.
    """
    spelt = name_words(question.query.text)[:32]
    if not spelt or not question.may_name_notes:
        return Named({}, {})
    db = view.db
    asked = "".join(spelt)
    near: dict[int, float] = {}
    whole: set[int] = set()
    called: set[int] = set()
    labels: dict[str, float] = {}
    seen = visible_sql(private=view.filters.private)
    for name, value in _near_names(_names(db, spelt, forms, seen), spelt, worth):
        if name.source == "link":
            _raise_to(labels, name.target, value)
            continue
        _raise_to(near, name.note, value)
        if name.folded == asked and name.source != "initials":
            whole.add(name.note)
        elif value == 1.0:
            called.add(name.note)
    for note, value in _led_to(db, labels, seen):
        _raise_to(near, note, value)
        if value == 1.0:
            called.add(note)
    best = sorted(near.items(), key=lambda pair: -pair[1])[:_MOST_NOTES]
    share = CALLED / max(len(called), 1)
    return Named(dict(best), {**dict.fromkeys(called, share), **_foremost(db, whole)})


def _near_names(
    names: Iterable[_Name],
    spelt: Sequence[str],
    worth: Callable[[str], float],
) -> Iterator[tuple[_Name, float]]:
    """The names that are near to the words of a question, each with how near; 1 is the same but
    for words such as `the`."""
    asked = "".join(spelt)
    content = _content(spelt) or list(spelt)
    near_to = _nearness(content, worth)
    for name in names:
        value = 1.0 if name.folded == asked else near_to(name.grams)
        if value >= _NAME_ALIKE and _content(name_words(name.text)) == content:
            value = 1.0
        if value >= _LEAST_LIKENESS:
            yield name, value


def _content(spelt: Iterable[str]) -> list[str]:
    return [word for word in spelt if word not in STOP]


def _raise_to(
    values: dict[_Key, float],
    key: _Key,
    value: float,
) -> None:
    """Keep the higher of two values of a thing."""
    values[key] = max(values.get(key, 0.0), value)


def named_facts(
    db: apsw.Connection,
    question: Question,
    scope: Scope,
) -> set[int]:
    """The chunks of facts that a question in the default order names by id or key: its only word,
    or one with a digit in it.

    An id may be spelled like a word, and then a question with that word does not mean the fact.
    """
    asked = question.words
    keys = [word for word in asked if len(asked) == 1 or any(map(str.isdigit, word))]
    if not keys or not question.is_default:
        return set()
    within = scope.also_on("chunk.id")
    sql = (
        "SELECT chunk.id FROM fact JOIN chunk ON chunk.note = fact.note AND chunk.fact = fact.key "
        f"WHERE fact.key IN ({','.join('?' * len(keys))}){within}"
    )
    return {number for (number,) in db.execute(sql, (*keys, *scope.values))}


def standing_for(
    db: apsw.Connection,
    notes: Iterable[int],
    scope: Scope,
) -> list[int]:
    """The chunk by which each of these notes becomes a candidate: that of its properties, else the
    first of what is not superseded. What it is shown by instead, `folding.openings` says."""
    within = scope.also_on("id")
    sql = (
        f"SELECT note, id FROM chunk WHERE note IN ({','.join(map(str, notes))}){within} "
        "ORDER BY note, status = 'superseded', grain != 'property', ordinal"
    )
    found: dict[int, int] = {}
    for note, number in db.execute(sql, scope.values):
        found.setdefault(note, number)
    return [*found.values()]


def _names(
    db: apsw.Connection,
    spelt: Sequence[str],
    forms: Iterable[str],
    seen: str,
) -> list[_Name]:
    """The names that may be meant, in notes that may be seen: those the question holds whole, and
    the most telling with words of it."""
    keys = {"".join(spelt)}
    for start in range(len(spelt)):
        for end in range(start + 1, min(len(spelt), start + _MOST_NAME_WORDS) + 1):
            if not STOP.issuperset(spelt[start:end]):
                keys.add("".join(spelt[start:end]))
    whole = _read(db, f"{seen} AND folded IN ({','.join('?' * len(keys))})", tuple(keys))
    ids = _with_words(db, forms)
    pairs = ",".join([f"({number >> 20},{number & 0xFFFFF})" for number in ids])
    some = _read(db, f"{seen} AND (name.note, ordinal) IN (VALUES {pairs})") if ids else {}
    found = {number: some[number] for number in ids if number in some}
    return list((found | whole).values())


def _read(
    db: apsw.Connection,
    where: str,
    values: Sequence[str] = (),
) -> dict[int, _Name]:
    """Names by number; a day's name has no trigrams, being no word of a question."""
    sql = (
        "SELECT name.note << 20 | ordinal, name.note, source, text, folded, target FROM name JOIN"
        f" visible_note AS note ON note.id = name.note WHERE {where}"
    )
    names = {}
    for number, note, source, text, folded, target in db.execute(sql, values):
        is_word = folded and not folded.isdigit()
        grams = _cut_all(text) if is_word else frozenset[str]()
        names[number] = _Name(
            note=note, source=source, text=text, folded=folded, target=target, grams=grams
        )
    return names


def _with_words(
    db: apsw.Connection,
    forms: Iterable[str],
) -> list[int]:
    """The names that hold rare words of the question: at most `_MOST_COMPARED` and equals, by how
    rare and how many."""
    points: dict[int, float] = {}
    for form in forms:
        sql = "SELECT rowid FROM name_fts WHERE name_fts MATCH ? LIMIT ?"
        found = [number for (number,) in db.execute(sql, (form, _COMMON_WORD_NAMES + 1))]
        if len(found) <= _COMMON_WORD_NAMES:
            rarity = 1 / (1 + log1p(len(found)))
            for number in found:
                points[number] = points.get(number, 0.0) + rarity
    if len(points) <= _MOST_COMPARED:
        return list(points)
    edge = sorted(points.values(), reverse=True)[_MOST_COMPARED - 1]
    best = [number for number, value in points.items() if value >= edge]
    if len(best) <= 2 * _MOST_COMPARED:
        return best
    return [number for number in best if points[number] > edge]


@lru_cache(maxsize=4096)
def _cut(word: str) -> frozenset[str]:
    """The trigrams of a word; names share many words, and many questions meet the same names."""
    padded = f" {word} "
    return frozenset([padded[at : at + 3] for at in range(len(word))])


@lru_cache(maxsize=1024)
def _cut_all(text: str) -> frozenset[str]:
    """The trigrams of a name."""
    return frozenset().union(*map(_cut, name_words(text)))


def _nearness(
    spelt: Sequence[str],
    worth: Callable[[str], float],
) -> Callable[[frozenset[str]], float]:
    """How near a name with some trigrams is to the words of a question, 0 to 1; each of its own has
    the worth of its word, 1 for the rarest."""
    values = [worth(word) for word in spelt]
    most = max(values) or 1.0
    question: dict[str, float] = {}
    for word, value in zip(spelt, values, strict=True):
        for gram in _cut(word):
            _raise_to(question, gram, value / most)
    asked = frozenset(question)
    total = fsum(question.values())

    def near(own: frozenset[str]) -> float:
        both = asked & own
        if not both or not total:
            return 0.0
        value = fsum([question[gram] for gram in both])  # the same in whatever order
        return float(
            ((1 - COVERED) * (2 * value / (len(own) + total)) + COVERED * value / len(own))
            ** _LIKENESS_POWER
        )

    return near


def _led_to(
    db: apsw.Connection,
    labels: Mapping[str, float],
    seen: str,
) -> list[tuple[int, float]]:
    """The notes that may be seen and that links with these targets lead to, by the
    name or the end of the path they spell."""
    wanted: dict[str, list[tuple[str, float]]] = {}
    for target, value in labels.items():
        place = name_key(without_ending(target.partition("#")[0].replace("%20", " ").strip()))
        place = place.lstrip("./")
        wanted.setdefault(fold_name(basename(place)), []).append((place, value))
    wanted.pop("", None)
    sql = (
        "SELECT folded, name.note, source, path FROM name JOIN visible_note AS note ON note.id ="
        " name.note "
        f"WHERE {seen} AND folded IN ({','.join('?' * len(wanted))}) AND {_OWN}"
    )
    found = []
    for folded, note, source, path in db.execute(sql, tuple(wanted)) if wanted else ():
        file = "/" + name_key(without_ending(path))
        for place, value in wanted[folded]:
            if "/" not in place or (source == "file" and file.endswith("/" + place)):
                found.append((note, value))
    return found


def _foremost(
    db: apsw.Connection,
    notes: Iterable[int],
) -> dict[int, float]:
    """Notes of one name, each with its share: archived ones last, then the nearest to the vault's
    top first."""
    sql = f"SELECT id, path FROM visible_note WHERE id IN ({','.join(map(str, notes))})"
    rows: list[Any] = db.execute(sql).fetchall() if notes else []
    rows.sort(key=lambda row: (is_archived(row[1]), row[1].count("/"), len(row[1]), row[1]))
    return {note: 1 + 1 / (1 + place) for place, (note, _) in enumerate(rows)}
