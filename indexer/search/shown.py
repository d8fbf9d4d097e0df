"""What is shown of hits: the lines of each, and of a fact those nested in it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.usage.tier import Age, age_of, uses_of

from .hit import Hit

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import apsw

    from .candidate import Candidate, Ranked
    from .generated import Generated
    from .view import View

_AGE = (
    "SELECT chunk.id, subtype, lasts, usage.count, usage.used, usage.days FROM chunk JOIN fact ON"
    " fact.note = chunk.note AND fact.key = chunk.fact LEFT JOIN usage ON usage.ref = chunk.fact"
    " WHERE chunk.id IN (SELECT value FROM json_each(?))"
)
"""Of the facts that hits are: what is narrower than their type, whether they last, how often they
were used, and when last."""
CHILDREN = 2
"""Facts nested in one that its hit shows."""


def shown_hits(
    view: View,
    ranked: Sequence[Ranked],
    generated: Mapping[int, Generated],
    *,
    explain: bool,
) -> tuple[Hit, ...]:
    """The hits as they are shown; `generated` is what still holds of generated texts, `explain`
    says whether their numbers are shown too."""
    facts = [one.candidate for one in ranked if one.candidate.grain == "fact"]
    ids = str([one.id for one in facts])
    found = {row[0]: row[1:] for row in view.db.execute(_AGE, (ids,))}
    nested = children(view.db, facts, view.replaced)
    hits = []
    for one in ranked:
        row = one.candidate
        subtype, lasts, *used = found.get(row.id, (None,) * 5)
        text = row.text
        if row.id in generated:
            text = generated[row.id].text
        first = row.first
        last, text = nested.get(row.id, (row.last, text))
        if one.part:
            first = one.part.line
            last = one.part.last
            text = one.part.text
        age = Age()
        if row.fact:
            age = age_of(row.type, row.date, uses_of(*used), view.clock, lasts=bool(lasts))
        hits.append(
            Hit(
                id=row.fact,
                path=row.path,
                lines=(first, last),
                heading=tuple(filter(None, row.heading.split("\n"))),
                title=row.title,
                kind=row.kind,
                type=row.type,
                date=row.date,
                status=row.status,
                score=one.score,
                text=text,
                explain=_explained(one) if explain else None,
                age=age,
                subtype=subtype or "",
                newer=one.newer,
                newer_of=one.newer_of,
                grain=row.grain,
                also=one.also,
            )
        )
    return tuple(hits)


def _explained(one: Ranked) -> dict[str, Mapping[str, float]]:
    """The numbers that a score is made of."""
    legs = one.candidate.legs
    raw = {"bm25": legs.bm25, "cosine": legs.cosine, "note": legs.note}
    return {"raw": raw, "legs": one.legs, "priors": one.priors}


def children(
    db: apsw.Connection,
    shown: Sequence[Candidate],
    past: Collection[int],
) -> dict[int, tuple[int, str]]:
    """The text of each fact with the first that are nested in it, and the last line of them, where
    it has such.

    `shown` are all hits, which are told once; `past` were replaced.
    """
    taken = {(one.note, one.first) for one in shown}
    sql = (
        "SELECT id, first, last, text, status FROM chunk WHERE note = ? AND ordinal > (SELECT"
        " ordinal FROM chunk WHERE id = ? AND status = 'active') AND grain = 'fact' ORDER BY"
        " ordinal LIMIT ?"
    )
    found: dict[int, tuple[int, str]] = {}
    for one in shown:
        told = one.text
        rows: list[Any] = db.execute(sql, (one.note, one.id, CHILDREN)).fetchall()
        for each, first, last, inner, status in rows:
            if (
                _indented(inner) <= _indented(one.text)
                or (one.note, first) in taken
                or status != "active"
                or each in past
            ):
                break
            told += "\n" + inner
            found[one.id] = last, told
    return found


def _indented(text: str) -> int:
    """The columns before the first word or mark of a text."""
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
