"""What the commands that tell of facts print for a person: history, tidy, maintain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.lineage import Step


def history(found: Sequence[Sequence[Step]]) -> str:
    """Each chain from the oldest fact to the newest, a line a fact, an empty line between chains."""
    return "\n".join("".join(map(_step, chain)) for chain in found)


def _step(step: Step) -> str:
    fact = step.fact
    days = f"{fact.date or '?':10} → {step.until or ('now' if step.status == 'active' else '?'):10}"
    more = f"  ({step.problem})" if step.problem else ""
    return f"{days}  {one_line(fact.text)}  {one_line(step.path)}:{fact.first}  [id:{fact.key}]{more}\n"
