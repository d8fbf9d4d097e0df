"""Which of several hits stands: a fact for the section around it, what says something for what does
not; and how many one note may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import apsw

from indexer.reading.path_meaning import name_words
from indexer.spelling import group_pairs
from indexer.tokens.terms import differ_in_ending

from .candidate import Candidate, Ranked
from .text_content import says_something
from .view import Scope

FACT_SHARE = 0.3
"""The share of a section's BM25 that a fact in it needs to stand for it, as the words may be in
other lines."""
PER_NOTE = 3
"""The hits of one note that may stand among the first ones: more follow after the others."""
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


def fold_hits(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Drop every section hit that covers a fact hit as good by its words, and every one whose lines
    a better one has.

    The best fact a section covers takes over the section's place where that is higher.
    """
    facts = group_pairs(
        (one.candidate.path, one) for one in ranked if one.candidate.grain == "fact"
    )
    sections: dict[str, list[Candidate]] = {}
    kept: dict[int, Ranked] = {}
    for one in ranked:
        here = one.candidate
        if here.grain == "fact":
            kept.setdefault(here.id, one)
            continue
        fact = _best_within(here, facts.get(here.path, ()))
        if fact is not None:
            kept.setdefault(fact.id, one._replace(candidate=fact._replace(legs=here.legs)))
        elif not any(
            other.first <= here.first and here.last <= other.last
            for other in sections.get(here.path, ())
        ):
            sections.setdefault(here.path, []).append(here)
            kept[here.id] = one
    return [*kept.values()]


def _best_within(
    section: Candidate,
    facts: Iterable[Ranked],
) -> Candidate | None:
    """The first of some facts that lies in a section and is about as good by its words."""
    for fact in (one.candidate for one in facts):
        inside = section.first <= fact.first <= section.last
        if inside and fact.legs.bm25 >= FACT_SHARE * section.legs.bm25:
            return fact
    return None


def fold_bare(
    ranked: Sequence[Ranked],
    bare: Collection[int],
    texts: Mapping[str, Candidate],
) -> list[Ranked]:
    """Let what says something take the place of hits that do not: `bare` ones, by number.

    The best other hit of their note stands there, else what `texts` begins it with, by path.
    """
    best: dict[str, Candidate] = {}
    for one in ranked:
        if one.candidate.id not in bare:
            best.setdefault(one.candidate.path, one.candidate)
    taken: set[int] = set()
    kept: list[Ranked] = []
    for one in ranked:
        here = one.candidate
        if here.id in bare:
            text = best.get(here.path) or texts.get(here.path) or here
        else:
            text = here
        if text.id not in taken:
            taken.add(text.id)
            kept.append(
                one if text is here else one._replace(candidate=text._replace(legs=here.legs))
            )
    return kept


def group_by_note(
    ranked: Sequence[Ranked],
    limit: int,
) -> list[Ranked]:
    """The first `limit` hits, no note with more than `PER_NOTE` of them while others wait."""
    counts = Counter[str]()
    first: list[Ranked] = []
    rest: list[Ranked] = []
    for one in ranked:
        counts[one.candidate.path] += 1
        (rest if counts[one.candidate.path] > PER_NOTE else first).append(one)
    return [*first, *rest][:limit]


def openings(
    db: apsw.Connection,
    notes: Iterable[int],
    scope: Scope,
) -> list[int]:
    """What each of these notes begins with, within `scope`: the first text that says something,
    else its properties. A hit is shown by it; how a named note becomes a candidate,
    `by_names.standing_for` says."""
    within = scope.also_on("id")
    sql = (
        f"SELECT note, id, grain, text FROM chunk WHERE note IN ({','.join(map(str, notes))}) AND"
        f" ordinal < {_FIRST_CHUNKS} AND status != 'superseded'{within} ORDER BY note, grain ="
        " 'property', ordinal"
    )
    found: dict[int, int] = {}
    for note, number, grain, text in db.execute(sql, scope.values):
        if grain == "property" or _says(text, ()):
            found.setdefault(note, number)
    return list(found.values())


def is_bare(
    one: Candidate,
    asked: Sequence[str],
) -> bool:
    """Whether a chunk says nothing to a question: nothing but embeds and open boxes, a lone heading
    with at most one of its words, or properties with none of them and little besides what names or
    classes their note."""
    told = _tells if one.grain == "property" else _says
    return not told(one.text, asked)


def _says(
    text: str,
    asked: Sequence[str],
) -> bool:
    if text.startswith("#") and "\n" not in text:  # nothing below it, but it may be the answer
        spelt = name_words(text)
        return sum(_has_word(spelt, word) for word in asked) >= _HEADING_WORDS
    return says_something(text)


def _has_word(
    spelt: Iterable[str],
    asked: str,
) -> bool:
    return any(differ_in_ending(word, asked) for word in spelt)


def _tells(
    properties: str,
    asked: Iterable[str],
) -> bool:
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
