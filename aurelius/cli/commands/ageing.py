"""The commands about the age of facts: tiers, reinforce, demote, and summarize, which writes from those in use."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aurelius.ageing import summarize as summaries
from aurelius.ageing.summary_text import INDEX, NOW, SUMMARY, part_of
from aurelius.cli.apply_plan import bar_undo, place_of, tell
from aurelius.cli.open_vault import answered, opened
from aurelius.settings.places import shell_word
from indexer.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import SimpleNamespace

    from aurelius.ageing.summarize import SummaryPlan, SummaryRow
    from aurelius.cli.run import Context
    from aurelius.vault import Vault

KEPT = {
    summaries.KEPT: "you wrote or changed it; to replace it: aurelius summarize --take-over",
    summaries.COLD: "all its facts are cold, so the old text stays",
    summaries.EMPTY: "it has no facts to summarize",
    summaries.PROPOSED: "more than half of its words would go; to write it all the same: aurelius summarize",
}
"""Why a summary stays as it is."""
NOTHING = "no fact is hot"
DECLINED = 1
"""Exit code where a person was asked and did not say yes."""
MOST = 3
"""How many refusals are told one by one; --all tells each."""


def tiers(args: SimpleNamespace, context: Context) -> int:
    """Show the tiers of the facts of a note, or count those of the vault."""
    from aurelius.ageing import tiers as found
    from aurelius.show import facts, page

    def answer(vault: Vault, context: Context) -> int:
        if args.note:
            of_note = found.of_note(vault, args.note, private=args.private)
            text = page.clip(facts.note_tiers(of_note, paint=context.paint(vault.root)), every=args.all)
            shown = facts.note_tiers_json(of_note, every=args.all) if args.json else text
        else:
            of_vault = found.of_vault(vault, private=args.private)
            shown = facts.vault_tiers_json(of_vault) if args.json else facts.vault_tiers(of_vault)
        context.put(shown, indent=None if args.json else 4)
        return 0

    return answered(args, context, answer)


def reinforce(args: SimpleNamespace, context: Context) -> int:
    """Rank a fact higher because it helped."""
    return _judge(args, context, "reinforce")


def demote(args: SimpleNamespace, context: Context) -> int:
    """Rank a fact lower because it did not help."""
    return _judge(args, context, "demote")


def _judge(args: SimpleNamespace, context: Context, op: str) -> int:
    from aurelius.ageing.tiers import judge
    from aurelius.answers import references
    from aurelius.show import facts

    with opened(args, context) as vault:
        path, key = references.fact(vault, args.fact, private=args.private)
        done = judge(vault, path, key, op, dry_run=args.dry_run)
        if not args.dry_run:
            other = "demote" if op == "reinforce" else "reinforce"
            bar_undo(
                args,
                context,
                vault,
                op,
                f"to rank it {'lower' if op == 'reinforce' else 'higher'} again: aurelius {other} {done.shown}",
            )
        context.put(
            facts.judged_json(done, dry_run=args.dry_run) if args.json else facts.judged(done, dry_run=args.dry_run)
        )
        if args.dry_run and not args.json:
            context.tell("nothing was written: --dry-run")
    return 0


def summarize(args: SimpleNamespace, context: Context) -> int:
    """Rewrite the summaries of notes from the facts that are used."""
    if args.take_over and not (args.notes or args.all):
        raise UsageError(
            "--take-over needs a NOTE, or --all",
            "to see the change first: aurelius summarize --take-over NOTE --dry-run",
        )
    if args.notes and args.all:
        raise UsageError("--all and a NOTE cannot go together", "choose one")
    wish = summaries.SummaryWish(args.all, args.take_over, args.private, args.new, args.yes)
    with opened(args, context) as vault:
        place = place_of(args, context, vault)
        plan = summaries.plan(vault, place, args.notes, wish)
        if args.dry_run:
            plan, done = summaries.check(place, plan), None
        elif args.new and not _agreed_to_new(args, context, plan):
            return DECLINED
        else:
            plan, done = summaries.write(vault, place, plan)
        if args.json or plan.edits or not plan.failed:
            tell(args, context, plan.edits, done, summaries=[row._asdict() for row in plan.rows])
    if not args.json:
        context.tell(*_kept(plan.rows, single=bool(args.notes) or args.all))
    return ConflictError.exit_code if plan.failed else 0


def _agreed_to_new(args: SimpleNamespace, context: Context, plan: SummaryPlan) -> bool:
    """Say how many new files and sections a plan makes, and ask; True if the person agrees, or none is new."""
    if args.yes or not plan.new:
        return True
    if args.json:
        raise UsageError("with --json, --new does not ask", "add --yes, or --dry-run to see the changes")
    context.tell(f"this makes {_new_ones(part_of(path) for path in plan.new)}")
    if context.tty and context.says_yes("make them?"):
        return True
    context.tell("nothing was written; to see the changes: --dry-run; to make them without being asked: --yes")
    return False


def _new_ones(parts: Iterable[str]) -> str:
    """How many of each there are, in words."""
    count = Counter(parts)
    names = ((INDEX, "_index.md file"), (SUMMARY, "`## Summary`"), (NOW, "`## Now`"))
    return " and ".join(
        f"{count[part]} new {name}{'s' * (count[part] > 1 and part == INDEX)}" for part, name in names if count[part]
    )


def _kept(rows: tuple[SummaryRow, ...], *, single: bool) -> Iterator[str]:
    """What was not written, and why: one by one, or counted."""
    yield from summaries.refusals(rows, 0 if single else MOST)
    for row in rows:
        if single and row.done in KEPT:
            why = NOTHING if row.part == NOW and row.done != summaries.KEPT else KEPT[row.done]
            note = f" {shell_word(row.path)}" if row.done in {summaries.KEPT, summaries.PROPOSED} else ""
            yield f"{row.path} left unchanged: {why}{note}"
    if not single:
        for done in (summaries.KEPT, summaries.COLD, summaries.PROPOSED):
            count = sum(row.done == done for row in rows)
            note, its, it = ("1 note", "its", "it") if count == 1 else (f"{count} notes", "their", "them")
            summary = "summary" if count == 1 else "summaries"
            why = {
                summaries.KEPT: f"you wrote or changed {its} {summary}",
                summaries.COLD: f"all {its} facts are cold",
                summaries.PROPOSED: f"more than half of {its} {summary} would go; --yes writes {it}",
            }[done]
            if count:
                yield f"{note} left unchanged: {why} (--all lists {it})"
    if absent := [row.part for row in rows if row.done == summaries.ABSENT]:
        yield f"not made: {_new_ones(absent)}; to make {'it' if len(absent) == 1 else 'them'}: aurelius summarize --new"
