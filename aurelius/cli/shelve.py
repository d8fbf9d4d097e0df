"""The commands that keep a vault in order: move, archive, tidy, maintain, export."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurelius import jsonout_facts, render_facts
from aurelius.cli.facts import carry_out, carry_through, desk
from aurelius.cli.opened import opened
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.command import Context


def move(args: SimpleNamespace, context: Context) -> int:
    """Move or rename a note and repair every link to it."""
    from aurelius import shelve

    with opened(args, context) as vault:
        at = desk(args, context, vault)
        return carry_through(args, context, vault, lambda: shelve.move(at, args.note, args.destination))


def archive(args: SimpleNamespace, context: Context) -> int:
    """Put a fact or a note away, where it is still found."""
    from aurelius import shelve, upkeep

    if bool(args.reference) == bool(args.when_over):
        raise UsageError("what is to be archived is not said", "name an ID or a NOTE, or --when-over SIZE")
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        percent = vault.config.archive_percent
        if args.when_over:
            return carry_through(args, context, vault, lambda: upkeep.when_over(at, args.when_over, percent))
        return carry_through(args, context, vault, lambda: shelve.archive(at, args.reference))


def tidy(args: SimpleNamespace, context: Context) -> int:
    """Put in order what a person would otherwise have to: copied ids, facts that others update, missing ids."""
    from aurelius import tidy as order

    with opened(args, context) as vault:
        done = order.tidy(desk(args, context, vault), args.notes, stamp=args.stamp)
        if not args.check:
            about = {"found": [each._asdict() for each in done.found]}
            rows = tuple(f"{each.path}:{each.line}  {each.message}" for each in done.found)
            return carry_out(args, context, vault, done.plan._replace(about=about, rows=rows))
        if args.json:
            context.put(jsonout_facts.untidy(done.found))
        else:
            context.put(render_facts.untidy(done.found))
            context.tell(*done.plan.notices)
    return 1 if done.found else 0


def maintain(args: SimpleNamespace, context: Context) -> int:
    """Show what time did to facts, and what could be put away or said once.  Never writes."""
    from aurelius import upkeep

    with opened(args, context) as vault:
        found = upkeep.upkeep(desk(args, context, vault), args.notes)
        if args.json:
            context.put(jsonout_facts.upkeep(found))
        else:
            context.put(render_facts.upkeep(found, every=bool(args.notes) or args.all))
    return 0


def export(args: SimpleNamespace, context: Context) -> int:
    """Print every fact as JSON or Markdown, or write an SQLite file."""
    from aurelius import export as taken

    if (args.json, args.md, bool(args.sqlite)).count(True) != 1:
        raise UsageError("in which form is not said", "choose one: --json, --md, or --sqlite FILE")
    with opened(args, context) as vault:
        if args.sqlite:
            file = os.path.join(context.cwd, args.sqlite)
            count = taken.sqlite(vault, file, private=args.private)
            context.put(f"{count} {'fact' if count == 1 else 'facts'} in {args.sqlite}")
        elif args.json:
            context.put(jsonout_facts.export(taken.rows(vault, private=args.private)))
        else:
            context.put(render_facts.safe(taken.markdown(vault, private=args.private)))
    return 0
