"""One text, told once: of the hits that say the same, one stands and names the others.

A bullet that is carried from day to day, or a note that is kept twice, would fill a list.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname
from typing import TYPE_CHECKING, Any

from indexer.note import Fact
from indexer.spelling import single_spaced

from .fusion import RERANK

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    import apsw

    from .candidate import Candidate, ChunkRow, Ranked

    Texts = tuple[str, str, str, str]

_SAID = f"json_extract(fact.detail, '$[{Fact._fields.index('text')}]')"
"""What a fact says, without its mark, date and id."""
_BEFORE = r"\n[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?|\[.\][ \t]+)"
_DATED = r"\(\d{4}-\d\d-\d\d\)"
_BEHIND = r"(?m)(?<=[^ \t\n])[ \t]+(?:\(\d{4}-\d\d-\d\d\)(?:[ \t]+\^[\w-]+)?|\^[\w-]+)[ \t]*$"
"""What stands around a line and is no part of what it says: bullet, checkbox; date, id."""
_COPIES = r"(?i)(?<![a-z])(?:backups?|bak|old|archived?|archives|snapshots?)(?![a-z])"
"""In the path of a folder of copies."""
_MANY_ARE = frozenset("readme index _index note notes todo log".split())
"""Files that are called as many others are."""


def fold_repeats(
    db: apsw.Connection,
    ranked: Sequence[Ranked],
    rows: Mapping[int, ChunkRow],
    limit: int,
) -> list[Ranked]:
    """The hits, each text once; the one that stands names the others as `also`.

    A day has no subject: what it says too is a repeat of the page, and of other days. Pages with
    two titles are about two things.
    Of those with one score a page stands before a day, and the newest day. Looked at are the first
    RERANK, or all that may be shown.
    """
    first = ranked[: max(RERANK, limit)]
    texts = _texts(db, first)
    first = [*_living(first, texts)]
    places: dict[Hashable, list[Ranked]] = {}
    pages: dict[Hashable, list[Ranked]] = {}
    for one in first:
        row = rows[one.candidate.id]
        said = _said(row, texts[row.id])
        if row.kind == "daily":
            places.setdefault(said, []).append(one)
            continue
        same = places.setdefault((said, _about(row.path, texts[row.id])), [])
        same.append(one)
        pages.setdefault(said, same)
    for said in places.keys() & pages.keys():
        pages[said].extend(places.pop(said))
    order = {one.candidate.id: at for at, one in enumerate(first)}
    for same in places.values():
        same.sort(key=lambda one: order[one.candidate.id])
    found = sorted(places.values(), key=lambda same: order[same[0].candidate.id])
    return [*map(_one_of, found), *ranked[len(first) :]]


def _one_of(same: Sequence[Ranked]) -> Ranked:
    """The hit that stands for those that say the same."""
    if len(same) == 1:
        return same[0]
    best = same[0].score
    equal = [one for one in same if round(best - one.score, 9) == 0]
    stands = min(equal, key=lambda one: _age(one.candidate))
    others = {one.candidate.id: None for one in same if one is not stands}
    return stands._replace(also=tuple(others))


def _age(one: Candidate) -> tuple[bool, float]:
    """How old a text is, a copy last; what is of no day is a page's, and stands first."""
    return _is_copy(one), -1.0 if one.days is None else one.days


def _texts(
    db: apsw.Connection,
    ranked: Sequence[Ranked],
) -> dict[int, Texts]:
    """Text, heading and title of each hit, and what it says where it is a fact."""
    numbers = ",".join([str(one.candidate.id) for one in ranked])
    sql = (
        f"SELECT chunk.id, text, heading, title, {_SAID} FROM chunk JOIN visible_note AS note ON"
        " note.id = chunk.note LEFT JOIN fact ON fact.note = chunk.note AND fact.key = chunk.fact"
        f" WHERE chunk.id IN ({numbers})"
    )
    return {number: tuple(texts) for number, *texts in db.execute(sql)}


def _said(
    row: ChunkRow,
    texts: Texts,
) -> Hashable:
    """What is the same for hits that say the same; front matter is its note's alone."""
    if row.grain == "property":
        return row.id
    told = texts[-1] or _without_marks(texts[0])
    plain = single_spaced(told).casefold()
    return plain or row.id, row.status


def _without_marks(text: str) -> str:
    """A text without what stands around its lines; a pattern is slow that may match anywhere."""
    text = re.sub(_BEFORE, "\n", f"\n{text}")
    if "^" in text or ("(" in text and re.search(_DATED, text)):
        return re.sub(_BEHIND, "", text)
    return text


def _about(
    path: str,
    texts: Texts,
) -> tuple[str, str]:
    """What a page is about: `Lives in Rome` on the pages of two people is said of both.

    A `README` or `index` is called as many others are, so it is the same only where its folder has
    the same name.
    """
    folder, _, name = path.rpartition("/")
    return texts[2], basename(folder) if name.lower().partition(".")[0] in _MANY_ARE else ""


def _living(
    ranked: Sequence[Ranked],
    texts: Mapping[int, Texts],
) -> Iterator[Ranked]:
    """The hits; of those that hold the same text below the same headings in notes of the same
    title, the one that lives stands first: not archived, not in a folder of copies, nearest to the
    vault's top, newest."""
    same: dict[tuple[Any, ...], list[Candidate]] = {}
    keys = []
    for one in ranked:
        here = one.candidate
        told = texts[here.id]
        # a copy that is named, or is of the day that is asked about, is what is meant
        keys.append((*told[:2], _about(here.path, told), *here.legs.meant))
        same.setdefault(keys[-1], []).append(here)
    for copies in same.values():
        if len(copies) > 1:
            copies.sort(key=_life, reverse=True)
    for one, key in zip(ranked, keys, strict=True):
        lives = same[key].pop()
        yield one._replace(candidate=lives._replace(legs=one.candidate.legs))


def _life(one: Candidate) -> tuple[bool, int, float]:
    """The less, the rather a text lives here and not in a copy."""
    return _is_copy(one), one.path.count("/"), float("inf") if one.days is None else one.days


def _is_copy(one: Candidate) -> bool:
    return one.archived or re.search(_COPIES, dirname(one.path)) is not None
