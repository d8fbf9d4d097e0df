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

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from math import fsum, log1p
from posixpath import basename, dirname
from typing import Any, NamedTuple

import apsw

from indexer.catalog.names import name_key, without_ending
from indexer.catalog.visibility import visible_sql
from indexer.reading.path_meaning import fold_name, is_archived, name_words
from indexer.spelling import _Key
from indexer.tokens.english import STOP
from indexer.tokens.terms import differ_in_ending

from .candidates import Scope
from .rank import RERANK, Candidate, Ranked
from .shown import says_something

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
MANY_LINKS = 32
"""Notes linking to a note that are counted: more say no more of it."""
_MOST_NOTES = 15
"""Notes that may be named by parts of their names."""

_COPIES = re.compile(r"(?i)(?<![a-z])(?:backups?|bak|old|archived?|archives|snapshots?)(?![a-z])")
"""In the path of a folder of copies."""
_MANY_ARE = re.compile(r"(?i)(?:readme|_?index|notes?|todo|log)\.")
"""A file that is called as many others are."""
_OWN = "source IN ('file', 'title', 'alias')"


class Named(NamedTuple):
    """Notes by number: how near a name of each is, 0 to 1; and those whose whole name the question
    is, the nearest to the vault's top most, with what that counts."""

    near: dict[int, float]
    whole: dict[int, float]


_TELLING_PROPERTIES = 3
"""Properties, besides what only names or classes a note, that tell something by themselves."""
_FIRST_CHUNKS = 8
"""Chunks at the beginning of a note that may stand for it."""
_HEADING_WORDS = 2
"""Words of a question that make a lone heading an answer."""
_NAMING = frozenset(("alias", "aliases", "name", "title"))
_CLASSING = (
    "tag tags type kind category categories id uuid date created updated modified cssclass"
    " cssclasses publish"
)
_CLASSES = _NAMING | frozenset(_CLASSING.split())


class _Name(NamedTuple):
    """A row of the table `name`."""

    note: int
    source: str
    text: str
    folded: str
    target: str
    grams: frozenset[str]


def named_notes(
    db: apsw.Connection,
    text: str,
    forms: Iterable[str],
    worth: Callable[[str], float],
    *,
    private: bool,
) -> Named:
    """The notes that a question names, whose `forms` are looked for in names; `worth` says how rare
    a word is.

    Private notes are not named, nor do links in them name anything, unless `private`.
    """
    spelt = name_words(text)[:32]
    if not spelt:
        return Named({}, {})
    asked = "".join(spelt)
    near: dict[int, float] = {}
    whole: set[int] = set()
    called: set[int] = set()
    labels: dict[tuple[int, str], float] = {}
    for name, value in _near_names(_names(db, spelt, forms), spelt, worth):
        if name.source == "link":
            _raise_to(labels, (name.note, name.target), value)
            continue
        _raise_to(near, name.note, value)
        if name.folded == asked and name.source != "initials":
            whole.add(name.note)
        elif value == 1.0:
            called.add(name.note)
    for note, value in _led_to(db, labels, private=private):
        _raise_to(near, note, value)
        if value == 1.0:
            called.add(note)
    for note in _hidden(db, near, private=private):
        del near[note]
        whole.discard(note)
        called.discard(note)
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


def _hidden(db: apsw.Connection, notes: Iterable[int], *, private: bool) -> set[int]:
    """Which of these notes are private, none where private ones may be seen."""
    if private:
        return set()
    sql = f"SELECT id FROM visible_note WHERE private AND id IN ({','.join(map(str, notes))})"
    return {number for (number,) in db.execute(sql)}


def link_counts(
    db: apsw.Connection,
    top: Sequence[Candidate],
    notes: Sequence[int],
    *,
    private: bool,
) -> list[Candidate]:
    """Candidates with how much other notes link to theirs, 0 to 1; `notes` are theirs, in their
    order."""
    links = in_links(db, set(notes), private=private)
    most = log1p(MANY_LINKS)
    pairs = zip(top, notes, strict=True)
    return [one._replace(linked=log1p(links[note]) / most) for one, note in pairs]


def in_links(
    db: apsw.Connection,
    notes: Iterable[int],
    *,
    private: bool,
) -> dict[int, int]:
    """How many other visible notes link to each of these, by their numbers, `MANY_LINKS` at most.

    It goes by names alone, which is quick: a link counts where its target is called as the note is,
    folders apart, and a name that several notes have counts for none of them.
    """
    sql = (
        "SELECT count(*) FROM (SELECT DISTINCT link.note FROM name CROSS JOIN link ON link.folded"
        " = name.folded CROSS JOIN visible_note AS note ON note.id = link.note WHERE name.note ="
        " ?1 AND"
        f" name.source != 'link' AND link.note != ?1 AND {visible_sql(private=private)} AND NOT"
        " EXISTS (SELECT 1 FROM name other WHERE other.folded = name.folded AND other.note != ?1"
        f" AND other.source != 'link') LIMIT {MANY_LINKS})"
    )
    return {note: int(db.execute(sql, (note,)).get) for note in notes}


def named_facts(
    db: apsw.Connection,
    asked: Sequence[str],
    scope: Scope,
) -> set[int]:
    """The chunks of facts that the query names by id or key: its only word, or one with a digit in
    it.

    An id may be spelled like a word, and then a question with that word does not mean the fact.
    """
    keys = [word for word in asked if len(asked) == 1 or any(map(str.isdigit, word))]
    if not keys:
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
    """A chunk for each of these notes: that of its properties, else the first of what is not
    superseded."""
    within = scope.also_on("id")
    sql = (
        f"SELECT id, note FROM chunk WHERE note IN ({','.join(map(str, notes))}){within} "
        "ORDER BY note, status != 'superseded', grain = 'property', ordinal DESC"
    )
    return list({note: number for number, note in db.execute(sql, scope.values)}.values())


def openings(
    db: apsw.Connection,
    notes: Iterable[int],
    scope: Scope,
) -> list[int]:
    """What each of these notes begins with, within `scope`: the first text that says something,
    else its properties."""
    within = scope.also_on("id")
    sql = (
        f"SELECT note, id, grain, text FROM chunk WHERE note IN ({','.join(map(str, notes))}) AND"
        f" ordinal < {_FIRST_CHUNKS} AND status != 'superseded'{within} ORDER BY note, grain ="
        " 'property', ordinal"
    )
    found: dict[int, int] = {}
    for note, number, grain, text in db.execute(sql, scope.values):
        if note not in found and (grain == "property" or not _is_bare(grain, text, ())):
            found[note] = number
    return list(found.values())


def living(db: apsw.Connection, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The hits; of those that hold the same text below the same headings in notes of the same
    title, the one that lives stands first: not archived, not in a folder of copies, nearest to the
    vault's top, newest.

    A `README` or `index` is called as many others are, so it is the same only where its folder has
    the same name.
    """
    numbers = ",".join([str(one.candidate.id) for one in ranked[:RERANK]])
    sql = (
        "SELECT chunk.id, text, heading, title FROM chunk JOIN visible_note AS note ON note.id ="
        " note WHERE"
        f" chunk.id IN ({numbers})"
    )
    texts = {number: texts for number, *texts in db.execute(sql)}
    same: dict[tuple[Any, ...], list[int]] = {}
    for at, one in enumerate(ranked[:RERANK]):
        folder, _, name = one.candidate.path.rpartition("/")
        whose = basename(folder) if _MANY_ARE.match(name) else ""
        meant = one.candidate.legs[5:]
        # a copy that is named, or is of the day that is asked about, is what is meant
        same.setdefault((*texts[one.candidate.id], whose, *meant), []).append(at)
    kept = list(ranked)
    for places in filter(lambda places: len(places) > 1, same.values()):
        by_life = sorted(places, key=lambda at: _life(ranked[at].candidate))
        for at, by in zip(places, by_life, strict=True):
            here = ranked[at]
            lives = ranked[by].candidate._replace(legs=here.candidate.legs)
            kept[at] = here._replace(candidate=lives)
    return kept


def _life(one: Candidate) -> tuple[bool, int, float]:
    """The less, the rather a text lives here and not in a copy."""
    is_copy = one.archived or _COPIES.search(dirname(one.path)) is not None
    return is_copy, one.path.count("/"), float("inf") if one.days is None else one.days


def bare_rows(
    db: apsw.Connection,
    rows: Sequence[int],
    asked: Sequence[str],
) -> set[int]:
    """Those of these chunks that say nothing to a question: nothing but embeds and open boxes, a
    lone heading with at most one of its words, or properties with none of them and little besides
    what names or classes their note."""
    sql = f"SELECT id, grain, text FROM chunk WHERE id IN ({','.join(map(str, rows))})"
    return {number for number, grain, text in db.execute(sql) if _is_bare(grain, text, asked)}


def _is_bare(
    grain: str,
    text: str,
    asked: Sequence[str],
) -> bool:
    if grain == "property":
        return not _tells(text, asked)
    if text.startswith("#") and "\n" not in text:  # nothing below it, but it may be the answer
        spelt = name_words(text)
        return sum(_has_word(spelt, word) for word in asked) < _HEADING_WORDS
    return not says_something(text)


def _has_word(spelt: Iterable[str], asked: str) -> bool:
    return any(differ_in_ending(word, asked) for word in spelt)


def _tells(properties: str, asked: Iterable[str]) -> bool:
    """Whether properties tell something, or hold a word that was asked for; that they name the note
    so is no news."""
    keys = [(line.partition(":")[0].casefold(), line) for line in properties.split("\n")]
    if sum(name not in _CLASSES for name, _ in keys) >= _TELLING_PROPERTIES:
        return True
    own: set[str] = set()
    for name, line in keys:
        if name not in _NAMING:
            own.update(name_words(line))
    return any(_has_word(own, word) for word in asked)


def _names(
    db: apsw.Connection,
    spelt: Sequence[str],
    forms: Iterable[str],
) -> list[_Name]:
    """The names that may be meant: those the question holds whole, and the most telling with words
    of it."""
    keys = {"".join(spelt)}
    for start in range(len(spelt)):
        for end in range(start + 1, min(len(spelt), start + _MOST_NAME_WORDS) + 1):
            if not STOP.issuperset(spelt[start:end]):
                keys.add("".join(spelt[start:end]))
    whole = _read(db, f"folded IN ({','.join('?' * len(keys))})", tuple(keys))
    ids = _with_words(db, forms)
    pairs = ",".join([f"({number >> 20},{number & 0xFFFFF})" for number in ids])
    some = _read(db, f"(note, ordinal) IN (VALUES {pairs})") if ids else {}
    found = {number: some[number] for number in ids if number in some}
    return list((found | whole).values())


def _read(
    db: apsw.Connection,
    where: str,
    values: Sequence[str] = (),
) -> dict[int, _Name]:
    """Names by number; a day's name has no trigrams, being no word of a question."""
    sql = f"SELECT note << 20 | ordinal, note, source, text, folded, target FROM name WHERE {where}"
    names = {}
    for number, note, source, text, folded, target in db.execute(sql, values):
        grams: frozenset[str] = frozenset()
        if folded and not folded.isdigit():
            grams = grams.union(*map(_cut, name_words(text)))
        names[number] = _Name(
            note=note, source=source, text=text, folded=folded, target=target, grams=grams
        )
    return names


def _with_words(db: apsw.Connection, forms: Iterable[str]) -> list[int]:
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


def _nearness(
    spelt: Sequence[str], worth: Callable[[str], float]
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
    labels: dict[tuple[int, str], float],
    *,
    private: bool,
) -> list[tuple[int, float]]:
    """The notes that links in these notes with these targets lead to, by the name or the end of the
    path they spell; those in private notes only where `private`."""
    hidden = _hidden(db, {note for note, _ in labels}, private=private)
    wanted: dict[str, list[tuple[str, float]]] = {}
    for (note, target), value in labels.items():
        if note not in hidden:
            place = name_key(without_ending(target.partition("#")[0].replace("%20", " ").strip()))
            place = place.lstrip("./")
            wanted.setdefault(fold_name(basename(place)), []).append((place, value))
    wanted.pop("", None)
    sql = (
        "SELECT folded, name.note, source, path FROM name JOIN visible_note AS note ON note.id ="
        " name.note "
        f"WHERE folded IN ({','.join('?' * len(wanted))}) AND {_OWN}"
    )
    found = []
    for folded, note, source, path in db.execute(sql, tuple(wanted)) if wanted else ():
        file = "/" + name_key(without_ending(path))
        for place, value in wanted[folded]:
            if "/" not in place or (source == "file" and file.endswith("/" + place)):
                found.append((note, value))
    return found


def _foremost(db: apsw.Connection, notes: Iterable[int]) -> dict[int, float]:
    """Notes of one name, each with its share: archived ones last, then the nearest to the vault's
    top first."""
    sql = f"SELECT id, path FROM visible_note WHERE id IN ({','.join(map(str, notes))})"
    rows: list[Any] = db.execute(sql).fetchall() if notes else []
    rows.sort(key=lambda row: (is_archived(row[1]), row[1].count("/"), len(row[1]), row[1]))
    return {note: 1 + 1 / (1 + place) for place, (note, _) in enumerate(rows)}
