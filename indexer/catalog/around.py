"""The notes around a note: those it has a link with, and those that these have, as far as a picture
has room for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from indexer.reading.path_meaning import fold_name

from .graph import get_links, get_namesakes
from .link_targets import find_target, folds_of, journal, unquoted
from .names import folded_json, without_ending
from .visibility import LISTING, SET_APART, visible_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

MOST_FOLLOWED = 30
"""Links that are followed from a note of the first step: the first ones in it, and those to it
where there are no more."""
_MOST_BROUGHT = 3
"""Notes of the second step that one note alone brings."""


class MapNode(NamedTuple):
    """A note on a map, and how many links it is away from the one in the middle."""

    path: str
    title: str
    kind: str
    steps: int


class NoteMap(NamedTuple):
    """A note and those around it, itself first, and the links between them as places of the two
    notes: from, to. `left_out` is how many that it has a link with have no room."""

    nodes: tuple[MapNode, ...]
    edges: tuple[tuple[int, int], ...]
    left_out: int


def notes_around(
    db: apsw.Connection,
    path: str,
    most: int,
    *,
    private: bool,
) -> NoteMap:
    """The notes at most two links from a note, `most` with itself: first those that it has most
    links with, then those that most of these know.

    Listings of folders, which link to all that lies there, are no notes here; neither is what lies
    in folders set apart.
    """
    pairs = _linked_pairs(
        db,
        path,
        private=private,
    )
    ends = chain.from_iterable(pairs)
    named = _named(
        db,
        {path, *ends},
        private=private,
    )
    if path not in named:
        return NoteMap((), (), 0)
    weights = Counter(chain.from_iterable(pairs))
    beside = [each for each in _heaviest(weights) if each in named and each != path]
    near = beside[: most - 1]
    known = defaultdict[str, set[str]](set)
    for each in near:
        own = _linked_pairs(
            db,
            each,
            private=private,
            most=MOST_FOLLOWED,
        )
        pairs += own
        for other in {*chain.from_iterable(own)} - {path, *near}:
            known[other].add(each)
    named |= _named(
        db,
        known,
        private=private,
    )
    far = _second_step(known, named)[: most - 1 - len(near)]
    steps = {path: 0}
    steps |= dict.fromkeys(near, 1)
    steps |= dict.fromkeys(far, 2)
    nodes = tuple(MapNode(each, *named[each], step) for each, step in steps.items())
    return NoteMap(nodes, _edges(steps, pairs), len(beside) - len(near))


def _edges(
    paths: Iterable[str],
    pairs: Iterable[tuple[str, str]],
) -> tuple[tuple[int, int], ...]:
    """The pairs whose notes are both among these, as their places."""
    places = {path: at for at, path in enumerate(paths)}
    found = {
        (places[source], places[target])
        for source, target in pairs
        if source in places and target in places
    }
    return tuple(sorted(found))


def _heaviest(weights: Counter[str]) -> list[str]:
    return sorted(
        weights,
        key=lambda each: (-weights[each], each),
    )


def _second_step(
    known: dict[str, set[str]],
    named: dict[str, tuple[str, str]],
) -> list[str]:
    """The notes that others lead to, those first that most do; of those that one alone leads to, a
    few of each."""
    weights = Counter(
        {each: len(by) for each, by in known.items() if each in named},
    )
    brought = Counter[str]()
    chosen = []
    for each in _heaviest(weights):
        if weights[each] == 1:
            (by,) = known[each]
            brought[by] += 1
            if brought[by] > _MOST_BROUGHT:
                continue
        chosen.append(each)
    return chosen


def _linked_pairs(
    db: apsw.Connection,
    path: str,
    *,
    private: bool,
    most: int = 0,
) -> list[tuple[str, str]]:
    """The links of a note and those to it, each as the paths of both notes; with `most` the first
    links of it, and those to it only where there are no more."""
    own = get_links(
        db,
        path,
        private=private,
    )
    links = [*islice(own, most or None)]
    folds = folds_of(db, path)
    if not most or _count_links(db, folds, most + 1) <= most:
        links += get_links(
            db,
            folded=folds,
            private=private,
        )
    targets = {link.target for _, link in links}
    names = get_namesakes(db, {*folds, *folds_of_targets(targets)})
    pairs = []
    end_of = cache(partial(find_target, names))
    for source, link in links:
        target = end_of(source, link.target, link.style)
        if target and source != target and path in {source, target}:
            pairs.append((source, target))
    return pairs


def _count_links(
    db: apsw.Connection,
    folds: Sequence[str],
    most: int,
) -> int:
    """How many links may lead to a note, at most so many."""
    rows = db.execute(
        "SELECT 1 FROM link WHERE folded IN (SELECT value FROM json_each(?)) LIMIT ?",
        (folded_json(folds), most),
    )
    return len(rows.fetchall())


def folds_of_targets(targets: Iterable[str]) -> set[str]:
    """How the notes that links with these targets may mean are folded."""
    found = set[str]()
    for target in targets:
        bare = without_ending(target)
        for name in (
            target,
            bare,
            bare.rpartition("/")[2],
            unquoted(target),
            journal(target),
        ):
            found.add(fold_name(name))
    return found - {""}


def _named(
    db: apsw.Connection,
    paths: Iterable[str],
    *,
    private: bool,
) -> dict[str, tuple[str, str]]:
    """Title and kind of those of some notes that may stand on a map, by their paths."""
    from json import dumps

    rows = db.execute(
        "SELECT path, title, kind FROM visible_note AS note WHERE path IN (SELECT value FROM"
        f" json_each(?)) AND {visible_sql(private=private)} AND NOT {SET_APART} AND NOT {LISTING}",
        (dumps(sorted(paths)),),
    )
    return {path: (title, kind) for path, title, kind in rows}
