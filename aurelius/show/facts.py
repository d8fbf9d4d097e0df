"""Text and JSON about facts: their history, decay and tiers, and the proposals of `review`.

The grammar of the JSON is aurelius/help/json.md.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from aurelius.ageing.tiers import counts
from indexer.spelling import plural
from indexer.usage.tally import is_note

from .json_text import age_json, dump, fact_at, lean, picked
from .terminal import MARK_CODE, PLACE, Paint, columns_of, lined, one_line
from .text import fact_row, related

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.ageing.tiers import (
        Decay,
        FactRow,
        NoteTiers,
        ScoreChange,
        Twins,
        Upkeep,
    )
    from aurelius.answers.references import History, Neighbourhood
    from aurelius.memory.review import Matter
    from aurelius.plans.tidy import Untidy
    from indexer.catalog.edges import Edge, Relation
    from indexer.catalog.supersession import Step
    from indexer.catalog.tiers import VaultTiers
    from indexer.note import Fact

    Related = Mapping[str, Sequence[Relation]]


def history_text(found: History, paint: Paint) -> str:
    """Each chain from the oldest fact to the newest, a line a fact, an empty line between
    chains."""
    return "\n".join(
        "".join(_step(step, found.relations, paint) for step in chain) for chain in found.chains
    )


def _step(
    step: Step,
    known: Related,
    paint: Paint,
) -> str:
    fact = step.fact
    days = f"{fact.date or '?':10} → {step.until or ('now' if step.status == 'active' else '?'):10}"
    more = (f"  ({step.problem})" if step.problem else "") + related(known.get(fact.key, ()))
    place = f"{one_line(step.path)}:{fact.first}"
    told = "  ".join(filter(None, [days, one_line(fact.text), place, paint.id(fact.key)]))
    return f"{told}{more}\n"


def neighbourhood_text(found: Neighbourhood, paint: Paint) -> str:
    """A fact or note, then a line for each edge, deeper ones further in: its type, → or, where the
    other says it, ←, and what is there."""
    widths: dict[int, int] = {}
    for depth, edge in found.branches:
        widths[depth] = max(widths.get(depth, 0), columns_of(one_line(edge.type)))
    way = [found.start.path]
    lines = [_end(found.start, found.start.path, paint)]
    for depth, edge in found.branches:
        type_ = one_line(edge.type)
        pad = " " * (widths[depth] - columns_of(type_))
        arrow = "→" if edge.forward else "←"
        lines.append(
            f"{'  ' * depth}{paint(type_, MARK_CODE)}{pad}  {arrow}"
            f" {_end(edge, way[depth - 1], paint)}"
        )
        way[depth:] = [edge.path]
    return lined(lines)


def _end(edge: Edge, near: str, paint: Paint) -> str:
    """A fact, with its place where it is in another note than `near`; a note; a line of a note; or
    words."""
    text = one_line(edge.text)
    if not edge.target:
        return text
    if is_note(edge.target):
        if edge.line:
            return f"{paint.at(edge.path, edge.line)}  {text}"
        return f"{paint.place(edge.path)} {edge.kind} {text}"
    ended = edge.status
    if ended == "superseded" and edge.until:
        ended = f"superseded {edge.until}"
    parts = [paint(f"^{one_line(edge.target)}", MARK_CODE), edge.kind, edge.date or "", text]
    told = " ".join(part for part in parts if part) + (f" ({ended})" if ended != "active" else "")
    return told + (f"  {paint.at(edge.path, edge.line)}" if edge.path != near else "")


def neighbourhood_json(found: Neighbourhood, *, every: bool) -> str:
    """The answer of `graph`."""
    return dump(
        every=every,
        start=end_json(found.start),
        edges=[
            {
                "depth": depth,
                **picked(edge, "source", "type", "forward"),
                "weight": round(edge.weight, 3),
                "target": end_json(edge),
            }
            for depth, edge in found.branches
        ],
    )


def end_json(edge: Edge) -> dict[str, Any]:
    """What an edge leads to: words, a note, a line of a note, or a fact."""
    if not edge.target:
        return {"text": edge.text}
    place = {"path": edge.path, **lean(line=edge.line)}
    if is_note(edge.target):
        return {**place, "kind": edge.kind, "text": edge.text}
    return {
        "id": edge.target,
        **place,
        "type": edge.kind,
        **picked(edge, "status", "date", "until", "text"),
    }


def untidy(found: Iterable[Untidy]) -> str:
    """A line for each thing that is to be put in order."""
    return "".join(
        f"{one_line(each.path)}:{each.line}  {one_line(each.message)}\n" for each in found
    )


SCREENFUL = 20
"""Rows of an answer that is read rather than looked through."""


def upkeep_text(found: Upkeep, *, facts: bool, every: bool) -> str:
    """How many facts there are, which could be archived and which say the same; of those a
    screenful unless `every` row is asked for.

    `facts` lists also those that stay.
    """
    rows = [_decay(each) for each in found.decays if facts or each.below]
    for twin in found.twins:
        place = f"{one_line(twin.path)}:{twin.other.first}"
        same = f"{one_line(twin.kept.text)} [id:{twin.kept.key}]"
        rows.append(
            f"duplicate  {one_line(twin.other.text)}  {place}  [id:{twin.other.key}]  says the same"
            f" as {same}"
        )
    counted = upkeep_counts(found)
    twins = f"{counted['duplicates']:,} {plural('duplicate', counted['duplicates'])}"
    told = f"{counted['exempt']:,} never age, {counted['below']:,} could be archived, {twins}"
    lines = [f"{counted['facts']:,} {plural('fact', counted['facts'])}: {told}", *rows]
    if not every and len(rows) > SCREENFUL:
        lines = [*lines[: SCREENFUL + 1], f"{len(rows) - SCREENFUL:,} more: --all"]
    return lined(lines)


def upkeep_counts(found: Upkeep) -> dict[str, int]:
    """How many facts there are, never age, and could be archived, and how many are said twice."""
    return {
        "facts": len(found.decays),
        "exempt": sum(each.exempt for each in found.decays),
        "below": sum(each.below for each in found.decays),
        "duplicates": len(found.twins),
    }


def _decay(each: Decay) -> str:
    now = f"{each.now:.2f}"
    base = f"{each.base:.2f}"
    change = f"importance {'fell' if each.now < each.base else 'rose'} from {base} to {now}"
    if each.exempt:
        change = f"importance stays {now}"
    elif now == base:
        change = f"importance is {now}"
    what = "archive" if each.below else "keep"
    where = f"{one_line(each.path)}:{each.fact.first}  [id:{each.fact.key}]"
    return f"{what:9}  {one_line(each.fact.text)}  {where}  {each.fact.type}, {change}"


def history_json(found: History, *, every: bool) -> str:
    """The answer of `history`: each chain from the oldest fact to the newest."""
    chains = [[_step_json(step, found.relations) for step in chain] for chain in found.chains]
    return dump(every=every, chains=chains)


def _step_json(step: Step, known: Related) -> dict[str, Any]:
    return {
        **fact_at(step.path, step.fact, "type", "date"),
        **picked(step, "status", "until", "problem"),
        "supersededBy": step.after or None,
        "text": step.fact.text,
        "relations": known.get(step.fact.key, ()),
    }


def upkeep_json(found: Upkeep, *, facts: bool, every: bool) -> str:
    """The answer of `maintain`; `facts` lists also those that stay."""
    return dump(
        every=every,
        counts=upkeep_counts(found),
        facts=[_decay_json(each) for each in found.decays if facts or each.below],
        duplicates=[_twin_json(each) for each in found.twins],
    )


def _decay_json(each: Decay) -> dict[str, Any]:
    return {
        "id": each.fact.key,
        "path": each.path,
        **picked(each.fact, "type", "date"),
        "base": each.base,
        "importance": round(each.now, 3),
        **picked(each, "tier", "exempt", "below"),
    }


def _twin_json(each: Twins) -> dict[str, Any]:
    return {
        "path": each.path,
        "id": each.kept.key,
        "text": each.kept.text,
        "other": each.other.key,
        "other_text": each.other.text,
    }


def note_tiers(found: NoteTiers, *, paint: Paint) -> str:
    """How many facts are in each tier, then a line a fact, superseded ones aside: the warmest and
    most used first."""
    former = sum(row.fact.status == "superseded" for row in found.facts)
    lines = [
        f"{paint.place(found.path)} "
        f" {paint(found.age.tier, MARK_CODE)}{_used(found.age.last, found.age.uses)}"
    ]
    lines.append(_counted(counts(found.facts)) + (f"  (superseded {former})" if former else ""))
    active = [row for row in found.facts if row.fact.status != "superseded"]
    tiers = list(counts(()))
    active.sort(key=lambda row: (tiers.index(row.age.tier), -row.age.uses))
    lines += [
        fact_row(paint(f":{row.fact.first}", PLACE), row.fact, paint, row.age.tier) + _told(row)
        for row in active
    ]
    return lined(lines)


def vault_tiers(
    found: VaultTiers,
) -> str:
    """How many facts and notes are in each tier."""
    return f"facts  {_counted(found.facts)}\nnotes  {_counted(found.notes)}\n"


def judged_text(done: ScoreChange, *, dry_run: bool) -> str:
    """The answer of `reinforce` and `demote`: the new rank of the fact, its score before and after,
    its last use."""
    higher = "higher" if done.score > done.before else "as before"
    if done.score < done.before:
        higher = "lower"
    last = f"; last used {done.last}" if done.last else ""
    told = f"would rank {higher}" if dry_run else f"ranks {higher} now"
    told += f" (score {done.score}, was {done.before})"
    return f"{told}: {one_line(done.text)}  {one_line(done.path)}  [id:{one_line(done.id)}]{last}\n"


def _counted(found: Mapping[str, int]) -> str:
    return "  ".join(f"{tier} {count}" for tier, count in found.items())


def _used(last: str | None, uses: int) -> str:
    if last:
        return f"  used on {uses} {plural('day', uses)}, last {last}"
    return ""


def _told(row: FactRow) -> str:
    return _used(row.age.last, row.age.uses) + (f"  score {row.score}" if row.score else "")


def note_tiers_json(found: NoteTiers, *, every: bool) -> str:
    """The answer of `tiers NOTE`."""
    return dump(
        every=every,
        path=found.path,
        **age_json(found.age),
        tiers=counts(found.facts),
        facts=[
            {
                "id": row.fact.key,
                "lines": [row.fact.first, row.fact.last],
                **picked(row.fact, "text", "type", "date", "status"),
                **age_json(row.age),
                "score": row.score,
            }
            for row in found.facts
        ],
    )


def judged_json(done: ScoreChange, *, dry_run: bool) -> str:
    """The answer of `reinforce` and `demote`."""
    return dump(
        **picked(done, "id", "path", "before", "score"),
        weight=round(done.weight, 6),
        lastAccessed=done.last,
        dry_run=dry_run,
    )


PROPOSALS_A_MINUTE = 10
"""Proposals that a person reads in a minute."""
PROPOSAL_WORDS = {
    "supersede": ("newer line", "newer lines"),
    "ask": ("question", "questions"),
    "carry": ("fact in a daily note", "facts in daily notes"),
    "captured": ("captured fact", "captured facts"),
    "imported": ("imported fact", "imported facts"),
    "observation": ("observation", "observations"),
    "forget": ("request to forget", "requests to forget"),
    "merge": ("duplicate", "duplicates"),
    "archive": ("fact that is rarely used", "facts that are rarely used"),
    "vanished": ("line that is gone", "lines that are gone"),
    "unsure": ("fact that is not certain", "facts that are not certain"),
}
_COMES = {"carry", "captured", "imported", "observation"}  # what would come to a page
_SAID = {
    "supersede": "may replace",
    "ask": "disagrees with",
    "merge": "repeats",
    "forget": "asks for",
}
_DONE = {
    "supersede": "strikes out the older line and keeps it as history",
    "ask": "the first of these holds, the other is kept as history; dismiss: both hold",
    "merge": "strikes out the line that repeats the other",
    "archive": "moves the line to the archive",
    "forget": "strikes out the fact and keeps it as history",
    "vanished": "puts the line back; dismiss: leaves it out",
}


def proposals_text(found: Sequence[Matter], limit: int, paint: Paint) -> str:
    """How many of each kind there are, then a paragraph for each, its number first, under the note
    it is about."""
    if not found:
        return ""
    told = counts_of_kinds(Counter(each.what for each in found))
    first = f"; the first {limit:,}:" * (limit < len(found))
    head = f"{len(found):,} {plural('proposal', len(found))}: {told}{first}\n"
    shown = found[:limit]
    width = max(len(each.short) for each in shown)
    texts = [head]
    page = ""
    for number, each in enumerate(shown, 1):
        heading = f"{one_line(each.page)}\n" * (each.page != page)
        page = each.page
        texts.append(heading + _paragraph(number, each, width, paint))
    return "\n".join(texts)


def left_counts(left: Iterable[Matter]) -> str:
    """How many of each kind `accept --all` leaves, in words; those that are not certain by
    themselves."""
    return counts_of_kinds(Counter(each.what if each.is_sure else "unsure" for each in left))


def counts_of_kinds(counts: Mapping[str, int]) -> str:
    """How many proposals of each kind there are, in words."""
    return ", ".join(
        f"{count:,} {PROPOSAL_WORDS[what][count != 1]}" for what, count in counts.items()
    )


def _paragraph(
    number: int,
    each: Matter,
    width: int,
    paint: Paint,
) -> str:
    first, *others = [*matter_lines(each, paint), f"accept: {accept_told(each)}"]
    margin = " " * (7 + width)
    rows = [f"{number:>3}  {each.short:{width}}  {first}", *(margin + row for row in others)]
    return lined(rows)


def matter_lines(each: Matter, paint: Paint) -> list[str]:
    """What is proposed: the line that it is about, and what would become of it."""
    own = _line(paint, each.path, each.fact)
    if each.gone:
        text = one_line(each.fact.text)
        return [f"{text}  was written to {one_line(each.path)} and is no longer there"]
    if each.what == "archive":
        return [own, f"rarely used (importance {each.why}): could be archived"]
    if each.what in _COMES:
        rows = [own]
        if each.why or each.carried:
            rows.append(f"would {_where(each)}")
        if each.what == "observation":
            places = (f"{one_line(path)}:{fact.first}" for path, fact in each.more)
            rows.append(f"rests on this line and {', '.join(places)}")
        if each.by:
            rows.append(f"would replace: {_line(paint, *each.by)}")
        return rows
    cue = f" (“{one_line(each.why)}”)" if each.why else ""
    older = [(each.path, each.fact), *each.more]
    rows = [f"{_SAID[each.what]}{cue}: {_line(paint, *old)}" for old in older]
    return [_line(paint, *each.by) if each.by else own, *rows]


def _where(each: Matter) -> str:
    """Where a line would go."""
    if each.carried and each.is_open:
        return f"go to one of these: {', '.join(map(one_line, each.carried.ask))}"
    if each.carried and not each.carried.page:
        return f"begin a note: {one_line(each.why)}"
    return f"go to {one_line(each.why)}"


def accept_told(each: Matter) -> str:
    """What accepting a proposal does."""
    if each.is_open:
        return "says how to add it to the one that is meant; dismiss: to none"
    if each.what not in _COMES:
        return _DONE[each.what]
    done = "adds it there"
    if each.what == "captured":
        done = "moves the line there" if each.why else "moves the line out of `## Captured`"
    elif each.what == "imported":
        done = "moves the line there"
    if each.by:
        done += " and strikes out the older one"
    if not each.is_sure:
        done += "; not certain, so --all leaves it"
    return done


def _line(
    paint: Paint,
    path: str,
    fact: Fact,
) -> str:
    key = ""
    if ":" not in fact.key:  # a line of a day is no fact yet
        key = paint.id(fact.key)
    at = f":{fact.first}" if fact.first else " (still to be written)"
    parts = [one_line(fact.text), fact.date or "", f"{one_line(path)}{at}", key]
    return "  ".join(filter(None, parts))


def matters_json(found: Sequence[Matter], limit: int, *, every: bool, **week: int) -> str:
    """The answer of `review --json`; of `maintain` with what was decided this `week`."""
    return dump(
        **week,
        every=every,
        counts=Counter(each.what for each in found),
        matters=[_matter(number, each) for number, each in enumerate(found[:limit], 1)],
        total=len(found),
    )


def _matter(number: int, matter: Matter) -> dict[str, object]:
    told = {"number": number, **picked(matter, "short", "what", "key", "why", "page")}
    told["fact"] = _about(matter.path, matter.fact)
    if matter.by:
        told["by"] = _about(*matter.by)
    told["more"] = [_about(*old) for old in matter.more]
    if matter.carried:
        told |= lean(between=matter.carried.ask)
    return told


def _about(path: str, fact: Fact) -> dict[str, object]:
    return {"id": fact.key, "path": path, "line": fact.first, "date": fact.date, "text": fact.text}
