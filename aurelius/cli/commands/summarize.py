"""`aurelius summarize`: summaries, listings and Now, written from the facts that are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.ageing import summarize as summaries
from aurelius.cli.apply_plan import place_of, tell
from aurelius.cli.open_vault import opened
from aurelius.settings.places import shell_word
from indexer.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import SimpleNamespace

    from aurelius.ageing.summarize import SummaryRow
    from aurelius.cli.run import Context

KEPT = {
    summaries.KEPT: "you wrote or changed it; to replace it: aurelius summarize --take-over",
    summaries.COLD: "all its facts are cold, so the old text stays",
    summaries.EMPTY: "it has no facts to summarize",
}
"""Why a summary stays as it is."""
NOTHING = "no fact is hot"
MOST = 3
"""How many refusals are told one by one; --all tells each."""


def summarize(args: SimpleNamespace, context: Context) -> int:
    """Rewrite the summaries of notes from the facts that are used."""
    if args.take_over and not (args.notes or args.all):
        raise UsageError(
            "--take-over needs a NOTE, or --all",
            "to see the change first: aurelius summarize --take-over NOTE --dry-run",
        )
    if args.notes and args.all:
        raise UsageError("--all and a NOTE cannot go together", "choose one")
    with opened(args, context) as vault:
        place = place_of(args, context, vault)
        plan = summaries.plan(vault, place, args.notes, every=args.all, take_over=args.take_over, private=args.private)
        if args.dry_run:
            plan, done = summaries.check(place, plan), None
        else:
            plan, done = summaries.write(vault, place, plan)
        if args.json or plan.edits or not plan.failed:
            tell(args, context, plan.edits, done, summaries=[row._asdict() for row in plan.rows])
    if not args.json:
        context.tell(*_kept(plan.rows, single=bool(args.notes) or args.all))
    return ConflictError.exit_code if plan.failed else 0


def _kept(rows: tuple[SummaryRow, ...], *, single: bool) -> Iterator[str]:
    """What was not written, and why: one by one, or counted."""
    yield from summaries.refusals(rows, 0 if single else MOST)
    for row in rows:
        if single and row.done in {summaries.KEPT, summaries.COLD, summaries.EMPTY}:
            why = NOTHING if row.part == summaries.NOW and row.done != summaries.KEPT else KEPT[row.done]
            note = f" {shell_word(row.path)}" if row.done == summaries.KEPT else ""
            yield f"{row.path} left unchanged: {why}{note}"
    if not single:
        for done, all_of in ((summaries.KEPT, False), (summaries.COLD, True)):
            count = sum(row.done == done for row in rows)
            note, its, them = (
                ("1 note", "its summary", "it") if count == 1 else (f"{count} notes", "their summaries", "them")
            )
            why = f"all {its.split()[0]} facts are cold" if all_of else f"you wrote or changed {its}"
            if count:
                yield f"{note} left unchanged: {why} (--all lists {them})"
