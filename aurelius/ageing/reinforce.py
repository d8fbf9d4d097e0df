"""Judgments of facts: one that helped rises in the ranking, one that did not sinks; no note is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.lists import get_facts
from indexer.search.rank import weight
from indexer.usage.log_reader import get_uses
from indexer.usage.tally import Uses

from . import usage_log

if TYPE_CHECKING:
    from aurelius.vault import Vault


class ScoreChange(NamedTuple):
    """A fact's score before and after, and what the new one is worth in the ranking.

    `id` is its key, `shown` that as people write it, with a caret where it is an `^id`.
    """

    path: str
    id: str
    shown: str
    before: int
    score: int
    weight: float
    last: str | None
    text: str = ""


def judge(vault: Vault, path: str, key: str, op: str, *, dry_run: bool) -> ScoreChange:
    """Reinforce or demote the fact of that key.  ConflictError where the log cannot be written.

    To reinforce a fact is to use it as well.
    """
    uses = get_uses(vault.index().db, [key]).get(key, Uses())
    last = vault.clock.last_use(uses)
    by = vault.config.reinforce if op == "reinforce" else vault.config.demote
    events: list[usage_log.Said] = [{"op": op, "ref": key, "by": by}]
    if op == "reinforce":
        events.append({"op": "use", "ref": key, "via": op})
        last = vault.clock.today
    if not dry_run:
        usage_log.append(vault, events)
    score = uses.score + (by if op == "reinforce" else -by)
    own = next((fact for _, fact in get_facts(vault.index().db, path, private=True) if fact.key == key), None)
    shown, text = (f"^{key}" if own and own.id else key), own.text if own else ""
    return ScoreChange(path, key, shown, uses.score, score, weight(score), last.isoformat() if last else None, text)
