"""Text and JSON about facts: their history, decay and tiers, and the proposals of `review`.

The grammar of the JSON is aurelius/help/json.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius.ageing.tiers import counts
from indexer.usage.tier import FLOOR

from .json_text import age, dump
from .paint import MARK, PLACE, Paint
from .text import fact_line
from .visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.ageing.decay import Decay, Upkeep
    from aurelius.ageing.reinforce import ScoreChange
    from aurelius.ageing.tiers import FactRow, NoteTiers, VaultTiers
    from aurelius.plans.review import Matter
    from aurelius.plans.tidy import Untidy
    from indexer.catalog.supersession import Step
    from indexer.note import Fact


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
        lines.append(f"{place}  {one_line(twin.other.text)}  [id:{twin.other.key}]  same as [id:{twin.kept.key}]")
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


def history_json(found: Sequence[Sequence[Step]]) -> str:
    """The answer of `history`: each chain from the oldest fact to the newest."""
    return dump(chains=[[_step_json(step) for step in chain] for chain in found])


def _step_json(step: Step) -> dict[str, Any]:
    fact = step.fact
    return {
        "id": fact.key, "path": step.path, "lines": [fact.first, fact.last], "type": fact.type, "status": step.status,
        "date": fact.date, "until": step.until, "supersededBy": step.after or None, "text": fact.text,
        "problem": step.problem,
    }  # fmt: skip


def untidy_json(found: Iterable[Untidy]) -> str:
    """The answer of `tidy --check`."""
    return dump(found=[each._asdict() for each in found])


def upkeep_json(found: Upkeep) -> str:
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


def export_json(rows: Iterable[dict[str, Any]]) -> str:
    """The answer of `export --json`."""
    return dump(facts=list(rows))


def note_tiers(found: NoteTiers, *, paint: Paint) -> str:
    """How many facts are in each tier, then a line a fact, superseded ones aside: the warmest and most used first."""
    former = sum(row.fact.status == "superseded" for row in found.facts)
    lines = [f"{paint.place(found.path)}  {paint(found.age.tier, MARK)}{_used(found.age.last, found.age.uses)}"]
    lines.append(_counted(counts(found.facts)) + (f"  (superseded {former})" if former else ""))
    active = [row for row in found.facts if row.fact.status != "superseded"]
    tiers = list(counts(()))
    active.sort(key=lambda row: (tiers.index(row.age.tier), -row.age.uses))
    lines += [
        fact_line(paint(f":{row.fact.first}", PLACE), row.fact, paint, row.age.tier) + _told(row) for row in active
    ]
    return "".join(line + "\n" for line in lines)


def vault_tiers(found: VaultTiers) -> str:
    """How many facts and notes are in each tier."""
    return f"facts  {_counted(found.facts)}\nnotes  {_counted(found.notes)}\n"


def judged(done: ScoreChange) -> str:
    """A fact's score before and after, what it is worth, and when the fact was last used."""
    last = f", last used {done.last}" if done.last else ""
    return f"{one_line(done.shown)} score {done.before} → {done.score} (×{done.weight:.2f}){last}\n"


def _counted(found: Mapping[str, int]) -> str:
    return "  ".join(f"{tier} {count}" for tier, count in found.items())


def _used(last: str | None, uses: int) -> str:
    return f"  used on {uses} {'day' if uses == 1 else 'days'}, last {last}" if last else ""


def _told(row: FactRow) -> str:
    return _used(row.age.last, row.age.uses) + (f"  score {row.score}" if row.score else "")


def note_tiers_json(found: NoteTiers) -> str:
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


def vault_tiers_json(found: VaultTiers) -> str:
    """The answer of `tiers`."""
    return dump(tiers=dict(found.facts), notes=dict(found.notes))


def judged_json(done: ScoreChange, *, dry_run: bool) -> str:
    """The answer of `reinforce` and `demote`."""
    return dump(
        id=done.id, path=done.path, before=done.before, score=done.score, weight=round(done.weight, 6),
        lastAccessed=done.last, dry_run=dry_run,
    )  # fmt: skip


_SAID = {
    "supersede": "may take the place of",
    "ask": "disagrees with",
    "captured": "would take the place of",
    "merge": "says all of",
}


def matters(found: Sequence[Matter], limit: int) -> str:
    """A paragraph for each, its number first."""
    return "\n".join(_paragraph(number, each) for number, each in enumerate(found[:limit], 1))


def _paragraph(number: int, each: Matter) -> str:
    own = _line(each.path, each.fact)
    if each.what == "archive":
        return f"{number:>3}  archive    {own}\n                worth {each.why} today: it would be put away\n"
    if each.what == "captured":
        rows = [f"{number:>3}  captured   {own}"]
        rows += [f"                would go to {one_line(each.why)}"] if each.why else []
        rows += [f"                would take the place of {_line(*each.by)}"] if each.by else []
        return "\n".join(rows) + "\n"
    assert each.by is not None  # a fact is replaced by one
    cue = f"  (“{one_line(each.why)}”)" if each.why else ""
    return f"{number:>3}  {each.what:9}  {_line(*each.by)}{cue}\n                {_SAID[each.what]} {own}\n"


def _line(path: str, fact: Fact) -> str:
    return f"{one_line(fact.text)}  {one_line(path)}:{fact.first}  [id:{fact.key}]"


def matters_json(found: Iterable[Matter], limit: int) -> str:
    """The answer of `review --json`."""
    every = list(found)
    return dump(
        matters=[
            {"number": number, "what": each.what, "key": each.key, "why": each.why,
             "fact": _about(each.path, each.fact), "by": _about(*each.by) if each.by else dict.fromkeys(_KEYS)}
            for number, each in enumerate(every[:limit], 1)
        ],
        total=len(every),
    )  # fmt: skip


_KEYS = ("id", "path", "line", "date", "text")


def _about(path: str, fact: Fact) -> dict[str, object]:
    return dict(zip(_KEYS, (fact.key, path, fact.first, fact.date, fact.text), strict=True))
