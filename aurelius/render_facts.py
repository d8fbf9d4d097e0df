"""What the commands that tell of facts print for a person: history, tidy, maintain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.upkeep import FLOOR
from aurelius.visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.tidy import Untidy
    from aurelius.upkeep import Decay, Upkeep
    from indexer.lineage import Step


def history(found: Sequence[Sequence[Step]]) -> str:
    """Each chain from the oldest fact to the newest, a line a fact, an empty line between chains."""
    return "\n".join("".join(map(_step, chain)) for chain in found)


def _step(step: Step) -> str:
    fact = step.fact
    days = f"{fact.date or '?':10} → {step.until or ('now' if step.status == 'active' else '?'):10}"
    more = f"  ({step.problem})" if step.problem else ""
    return f"{days}  {one_line(fact.text)}  {one_line(step.path)}:{fact.first}  [id:{fact.key}]{more}\n"


def untidy(found: Iterable[Untidy]) -> str:
    """A line for each thing that is to be put in order."""
    return "".join(f"{one_line(each.path)}:{each.line}  {one_line(each.message)}\n" for each in found)


def upkeep(found: Upkeep, *, every: bool) -> str:
    """What decayed, what would be put away, which lines say the same, and how many of each."""
    lines = [_decay(each) for each in found.decays if every or each.below]
    for twin in found.twins:
        place = f"{one_line(twin.path)}:{twin.other.first}"
        lines.append(f"{place}  {one_line(twin.other.text)}  [id:{twin.other.key}]  said by [id:{twin.kept.key}] too")
    below = sum(each.below for each in found.decays)
    exempt = sum(each.exempt for each in found.decays)
    lines.append(
        f"facts {len(found.decays)}, exempt {exempt}, would be archived {below};"
        f" duplicates {len(found.twins)} proposed, 0 merged"
    )
    return "\n".join(lines) + "\n"


def _decay(each: Decay) -> str:
    change = "exempt" if each.exempt else f"from {each.base:.2f}"
    more = f", below the floor of {FLOOR:.2f}: would be archived" if each.below else ""
    where = f"{one_line(each.path)}:{each.fact.first}  [id:{each.fact.key}]"
    return f"{each.now:.2f} {change}{more}  {each.fact.type}  {one_line(each.fact.text)}  {where}"


def safe(text: str) -> str:
    """Text of notes as a terminal may show it."""
    return visible(text)
