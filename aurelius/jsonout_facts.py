"""The JSON of the commands that tell of facts; its grammar is aurelius/help/json.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius.jsonout import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

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
