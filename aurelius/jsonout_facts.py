"""The JSON of the commands that tell of facts; its grammar is aurelius/help/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius.jsonout import dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.tidy import Untidy
    from aurelius.upkeep import Upkeep
    from indexer.lineage import Step


def history(found: Sequence[Sequence[Step]]) -> str:
    """The answer of `history`: each chain from the oldest fact to the newest."""
    return dump(chains=[[_step(step) for step in chain] for chain in found])


def _step(step: Step) -> dict[str, Any]:
    fact = step.fact
    return {
        "id": fact.key, "path": step.path, "lines": [fact.first, fact.last], "type": fact.type, "status": step.status,
        "date": fact.date, "until": step.until, "supersededBy": step.after or None, "text": fact.text,
        "problem": step.problem,
    }  # fmt: skip


def untidy(found: Iterable[Untidy]) -> str:
    """The answer of `tidy --check`."""
    return dump(found=[each._asdict() for each in found])


def upkeep(found: Upkeep) -> str:
    """The answer of `maintain`."""
    return dump(
        facts=[
            {"id": each.fact.key, "path": each.path, "type": each.fact.type, "date": each.fact.date, "base": each.base,
             "importance": round(each.now, 6), "tier": each.tier, "exempt": each.exempt, "below": each.below}
            for each in found.decays
        ],
        duplicates=[
            {"path": each.path, "id": each.kept.key, "text": each.kept.text, "other": each.other.key,
             "other_text": each.other.text}
            for each in found.twins
        ],
    )  # fmt: skip


def export(rows: Iterable[dict[str, Any]]) -> str:
    """The answer of `export --json`."""
    return dump(facts=list(rows))
