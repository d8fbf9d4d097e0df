"""The newer of two lines of one matter before the older one, among the hits."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from indexer.tokens.terms import english_stem

from .fusion import RERANK, rescored

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import apsw

    from indexer.catalog.newer import Newer
    from indexer.matter.timeline import Stated

    from .candidate import Ranked

    Told = tuple[int, Newer, Stated]

ALSO = 12
"""Among how many of the first lines a later one is looked for that answers as well as the first."""
_NEAR_SHARE = 0.6
"""The share of the first one's score that the later line needs."""
AS_WELL = 0.8
"""The share of what the first one holds of the question that the later line has to hold."""


def newer_first(
    db: apsw.Connection,
    ranked: list[Ranked],
    asked: Sequence[str],
    *,
    move: bool,
    day: bool = False,
) -> list[Ranked]:
    """The hits, each that is older than another line of its matter with that one, which stands
    before it if it may `move`, and then with its score.

    Where no `day` is asked for, the first line gives its place to a later one about the same note,
    too, that holds as much of what is asked and is near in score.
    """
    told = _dated(db, ranked)
    if not told:
        return ranked
    from indexer.matter.timeline import outdated_lines

    places = outdated_lines([line for _, _, line in told])
    newer = {told[old][0]: told[new] for old, new in places.items()}
    kept = [
        one._replace(newer=newer[one.candidate.id][1]) if one.candidate.id in newer else one
        for one in ranked
    ]
    if move:
        for old, new in newer.items():
            _move_up(kept, old, new[0])
        if not day:
            for later in _also_answering(told, asked, newer, ranked)[:1]:
                _move_up(kept, told[0][0], later)
    return kept


def _dated(
    db: apsw.Connection,
    ranked: Sequence[Ranked],
) -> list[Told]:
    """The dated facts among the first hits that hold, where the hits are of several days."""
    among = [one.candidate for one in ranked[:RERANK] if one.candidate.grain == "fact"]
    among = [one for one in among if one.date]
    if len({one.date for one in among}) < 2:
        return []
    from indexer.catalog.newer import stated

    return stated(db, [one.id for one in among if one.status == "active"])


def _also_answering(
    told: Sequence[Told],
    asked: Sequence[str],
    newer: Collection[int],
    ranked: Sequence[Ranked],
) -> list[int]:
    """The later lines that answer as well as the first, near in score and with none newer."""
    scores = {one.candidate.id: one.score for one in ranked}
    least = _NEAR_SHARE * scores[told[0][0]]
    places = _answering([line for _, _, line in told[:ALSO]], asked)
    found = [told[place][0] for place in places]
    if told[0][0] in newer:
        return []
    return [later for later in found if later not in newer and scores[later] >= least]


def _move_up(
    kept: list[Ranked],
    old: int,
    new: int,
) -> None:
    """Put one hit before another that is older, with its score, if it is behind it."""
    places = {one.candidate.id: at for at, one in enumerate(kept)}
    if places[new] > places[old]:
        score = kept[places[old]].score
        kept.insert(places[old], rescored(kept.pop(places[new]), score, "newer"))


def _answering(
    lines: Sequence[Stated],
    asked: Sequence[str],
) -> list[int]:
    """The later lines that hold as much of what is asked as the first of these, which is about a
    note, by its words without the names of that note; the newest first. They are about the same
    note, or of a day and about no other."""
    from indexer.matter.timeline import NAME_MARK, compared_words, mark_names

    first = lines[0]
    wanted = _wanted(first, asked)
    others = {line.names for line in lines} - {first.names, frozenset()}
    found = []
    for place, line in enumerate(lines):
        told = compared_words(line.text)
        held = wanted & set(map(english_stem, told))
        if line.date <= first.date or len(held) < max(AS_WELL * len(wanted), 1):
            continue
        if line.names or NAME_MARK in mark_names(told, first.names):
            answers = line.names in {first.names, frozenset()}
        else:
            marked = chain.from_iterable(mark_names(told, names) for names in others)
            answers = held == wanted and NAME_MARK not in marked
        if answers:
            found.append(place)
    return sorted(found, key=lambda place: lines[place].date, reverse=True)


def _wanted(
    first: Stated,
    asked: Sequence[str],
) -> set[str]:
    """The stems of what is asked that a line about a note holds, without the names of that note.

    None where the question holds all that the line says: then that is what is asked for.
    """
    from indexer.matter.timeline import compared_words, mark_names, tells

    question = compared_words(" ".join(asked))
    told = compared_words(first.text)
    said = {english_stem(word) for word in mark_names(told, first.names) if tells(word)}
    more = said - set(map(english_stem, question))
    if not first.names or all(len(word) < 2 for word in more):
        return set()
    return {*map(english_stem, told)}.intersection(
        map(english_stem, mark_names(question, first.names))
    )
