"""The JSON of `tiers`, `reinforce` and `demote`.  Its grammar is aurelius/help/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.jsonout import age, dump
from aurelius.tiers import counts

if TYPE_CHECKING:
    from aurelius.judge import Judged
    from aurelius.tiers import NoteTiers, VaultTiers


def note(found: NoteTiers) -> str:
    """The answer of `tiers NOTE`."""
    return dump(
        path=found.path,
        **age(found.age),
        tiers=counts(found.facts),
        facts=[
            {
                "id": row.fact.key, "lines": [row.fact.first, row.fact.last], "text": row.fact.text,
                "type": row.fact.type, "date": row.fact.date, "status": row.fact.status, **age(row.age),
                "score": row.score,
            }
            for row in found.facts
        ],
    )  # fmt: skip


def vault(found: VaultTiers) -> str:
    """The answer of `tiers`."""
    return dump(tiers=dict(found.facts), notes=dict(found.notes))


def judged(done: Judged, *, dry_run: bool) -> str:
    """The answer of `reinforce` and `demote`."""
    return dump(
        id=done.id, path=done.path, before=done.before, score=done.score, weight=round(done.weight, 6),
        lastAccessed=done.last, dry_run=dry_run,
    )  # fmt: skip
