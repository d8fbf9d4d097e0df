"""One text, told once: of the hits that say the same, one stands and names the others.

A bullet that is carried from day to day, or a note that is kept twice, would fill a list.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from indexer.note import Fact
from indexer.spelling import single_spaced

from .fusion import RERANK

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import apsw

    from .candidate import Candidate, Ranked

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
    limit: int,
) -> list[Ranked]:
    """The hits, each text once; the one that stands names the others as `also`.

    A day has no subject: what it says too is a repeat of the page, and of other days. Pages with
    two titles are about two things.
    Of those with one score a page stands before a day, and the newest day. Looked at are the first
    RERANK, or all that may be shown.
    """
    first = ranked[: max(RERANK, limit)]
    facts = _facts(db, first)
    places: dict[Hashable, list[Ranked]] = {}
    pages: dict[Hashable, list[Ranked]] = {}
    for one in first:
        here = one.candidate
        said = _said(here, facts.get(here.id, ""))
        if here.kind == "daily":
            places.setdefault(said, []).append(one)
            continue
        same = places.setdefault((said, _about(here)), [])
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
    others = (one.candidate for one in same if one is not stands)
    return stands._replace(
        also=tuple((one.path, one.first) for one in others),
    )


def _age(one: Candidate) -> tuple[bool, float, int]:
    """How old a text is, a copy last; what is of no day is a page's, and stands first; of equals
    the one nearest to the vault's top."""
    days = -1.0 if one.days is None else one.days
    return _is_copy(one), days, one.path.count("/")


def _facts(
    db: apsw.Connection,
    ranked: Sequence[Ranked],
) -> dict[int, str]:
    """What each hit says that is a fact."""
    numbers = ",".join([str(one.candidate.id) for one in ranked])
    sql = (
        f"SELECT chunk.id, {_SAID} FROM chunk JOIN fact ON fact.note = chunk.note AND fact.key ="
        f" chunk.fact WHERE chunk.id IN ({numbers})"
    )
    return dict(db.execute(sql))


def _said(
    one: Candidate,
    fact: str,
) -> Hashable:
    """What is the same for hits that say the same, `fact` what one says without its marks; front
    matter is its note's alone."""
    if one.grain == "property":
        return one.id
    plain = single_spaced(fact or _without_marks(one.text)).casefold()
    return plain or one.id, one.status


def _without_marks(text: str) -> str:
    """A text without what stands around its lines; a pattern is slow that may match anywhere."""
    text = re.sub(_BEFORE, "\n", f"\n{text}")
    if "^" in text or ("(" in text and re.search(_DATED, text)):
        return re.sub(_BEHIND, "", text)
    return text


def _about(one: Candidate) -> tuple[str, str]:
    """What a page is about: `Lives in Rome` on the pages of two people is said of both.

    A `README` or `index` is called as many others are, so it is the same only where its folder has
    the same name.
    """
    folder, _, name = one.path.rpartition("/")
    return one.title, basename(folder) if name.lower().partition(".")[0] in _MANY_ARE else ""


def _is_copy(one: Candidate) -> bool:
    return one.archived or re.search(_COPIES, dirname(one.path)) is not None
