"""`aurelius review`: proposals that wait for a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.apply_plan import bar_undo, carry_out, desk
from aurelius.cli.open_vault import answered, opened
from aurelius.plans import review as waiting
from aurelius.show import facts
from aurelius.show.page import clip
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.plans.plan import Desk
    from aurelius.vault import Vault


def review(args: SimpleNamespace, context: Context) -> int:
    """Show what waits for a person's word, or do what is accepted."""
    if args.action == "list" and args.number:
        raise UsageError(
            f"missing argument: what to do with proposal {args.number}",
            f"aurelius review accept {args.number}, or aurelius review dismiss {args.number}",
        )
    if args.action == "list":
        return answered(args, context, lambda vault, context: _list(args, context, vault))
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        found = waiting.open_matters(at)
        chosen = waiting.choose(found, args.number)
        plan = waiting.accept(at, chosen) if args.action == "accept" else waiting.dismiss(chosen)
        code = carry_out(args, context, at, plan)
        if args.action == "dismiss" and not args.dry_run:
            bar_undo(args, context, vault, "review dismiss")
        return code


def _list(args: SimpleNamespace, context: Context, vault: Vault) -> int:
    at = desk(args, context, vault)
    found = waiting.open_matters(at)
    limit, every = -1 if args.all else args.limit or facts.SCREENFUL, args.all or bool(args.limit)
    if args.json:
        context.put(facts.matters_json(found, limit, every=every))
        return 0
    context.put(clip(facts.matters(found, limit), every=every))
    _tell_of_vanished(at, context)
    if not found:
        context.tell("nothing to review")
    elif 0 <= limit < len(found):
        context.tell(f"{len(found) - limit:,} more: -n {10 * facts.SCREENFUL}, or --all")
    return 0


def _tell_of_vanished(at: Desk, context: Context) -> None:
    """Tell once of the lines that somebody took out again right after they were added."""
    from aurelius.show.visible import one_line
    from aurelius.writing import append, append_journal, edit

    for each in append.gone(at.place):
        context.tell(
            f"a line that was added to {one_line(each.path)} was later removed by another program, and is not restored:"
            f" {one_line(each.data.decode('utf-8', 'replace').strip())}"
        )
    if append_journal.vanished(at.place.state):
        with edit.locked(at.place) as there:
            append_journal.settle(there.state)
