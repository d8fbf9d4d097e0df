"""The answers of `tiers`, `reinforce` and `demote` as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aurelius.render import MARK, PLACE, Paint, fact_line
from aurelius.tiers import counts
from aurelius.visible import one_line

if TYPE_CHECKING:
    from aurelius.judge import Judged
    from aurelius.tiers import FactRow, NoteTiers, VaultTiers


def note(found: NoteTiers, *, colour: bool) -> str:
    """How many facts are in each tier, then a line a fact, superseded ones aside: the warmest and most used first."""
    paint = Paint(colour)
    former = sum(row.fact.status == "superseded" for row in found.facts)
    lines = [
        f"{paint(one_line(found.path), PLACE)}  {paint(found.age.tier, MARK)}{_used(found.age.last, found.age.uses)}"
    ]
    lines.append(_counted(counts(found.facts)) + (f"  (superseded {former})" if former else ""))
    active = [row for row in found.facts if row.fact.status != "superseded"]
    tiers = list(counts(()))
    active.sort(key=lambda row: (tiers.index(row.age.tier), -row.age.uses))
    lines += [fact_line(f":{row.fact.first}", row.fact, paint, row.age.tier) + _told(row) for row in active]
    return "".join(line + "\n" for line in lines)


def vault(found: VaultTiers) -> str:
    """How many facts and notes are in each tier."""
    return f"facts  {_counted(found.facts)}\nnotes  {_counted(found.notes)}\n"


def judged(done: Judged) -> str:
    """A fact's score before and after, what it is worth, and when the fact was last used."""
    last = f", last used {done.last}" if done.last else ""
    return f"{one_line(done.shown)} score {done.before} → {done.score} (×{done.weight:.2f}){last}\n"


def _counted(found: Mapping[str, int]) -> str:
    return "  ".join(f"{tier} {count}" for tier, count in found.items())


def _used(last: str | None, uses: int) -> str:
    return f"  used on {uses} {'day' if uses == 1 else 'days'}, last {last}" if last else ""


def _told(row: FactRow) -> str:
    return _used(row.age.last, row.age.uses) + (f"  score {row.score}" if row.score else "")
