"""The command that asks for a person's word: review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius import render_review
from aurelius import review as waiting
from aurelius.cli.facts import carry_out, desk
from aurelius.cli.opened import opened
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.amend import Desk
    from aurelius.command import Context


def review(args: SimpleNamespace, context: Context) -> int:
    """Show what waits for a person's word, or do what is accepted."""
    if args.action == "list" and args.number:
        raise UsageError(f"what is to be done with {args.number} is not said", "`accept` or `dismiss`, then the number")
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        found = waiting.open_matters(at)
        if args.action == "list":
            return _list(args, context, at, found)
        chosen = waiting.choose(found, args.number)
        plan = waiting.accept(at, chosen) if args.action == "accept" else waiting.dismiss(chosen)
        return carry_out(args, context, vault, plan)


def _list(args: SimpleNamespace, context: Context, at: Desk, found: list[waiting.Matter]) -> int:
    if args.json:
        context.put(render_review.json(found, args.limit))
        return 0
    context.put(render_review.text(found, args.limit))
    _tell_of_vanished(at, context)
    if not found:
        context.tell("nothing waits for your word")
    elif len(found) > args.limit:
        context.tell(f"{args.limit} of {len(found)}")
    return 0


def _tell_of_vanished(at: Desk, context: Context) -> None:
    """Tell once of the lines that somebody took out again right after they were added."""
    from aurelius import appends, edit
    from aurelius.visible import one_line

    gone = appends.vanished(at.place.state)
    for each in gone:
        context.tell(
            f"taken out of {one_line(each.path)} again: {one_line(each.data.decode('utf-8', 'replace').strip())}"
        )
    if gone:
        with edit.locked(at.place):
            appends.settle(at.place.state)
