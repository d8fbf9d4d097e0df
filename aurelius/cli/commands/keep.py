"""The commands that keep a vault in order: move, archive, rm, tidy, extract, maintain, export."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aurelius.answers.references import day
from aurelius.cli.apply_plan import carry_out, carry_through, desk
from aurelius.cli.open_vault import answered, opened
from aurelius.settings.places import shell_word
from aurelius.show import changes, facts
from aurelius.show.page import clip
from indexer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.plans.plan import Plan
    from aurelius.vault import Vault


def move(args: SimpleNamespace, context: Context) -> int:
    """Move or rename a note and repair every link to it."""
    from aurelius.plans import move_archive

    with opened(args, context) as vault:
        at = desk(args, context, vault)
        return carry_through(args, context, at, lambda: move_archive.move(at, args.note, args.destination))


def archive(args: SimpleNamespace, context: Context) -> int:
    """Move a fact or a note to the archive, where it is still found."""
    from aurelius.plans import move_archive

    if args.reference and args.when_over:
        raise UsageError(f"{args.reference} and --when-over cannot go together", "choose one")
    if not (args.reference or args.when_over):
        raise UsageError("missing argument: ID or NOTE", "aurelius archive NOTE, or aurelius archive --when-over 100MB")
    with opened(args, context) as vault:
        at = desk(args, context, vault)
        percent = vault.config.archive_percent
        if args.when_over:
            return carry_through(args, context, at, lambda: move_archive.when_over(at, args.when_over, percent))
        return carry_through(args, context, at, lambda: move_archive.archive(at, args.reference))


def rm(args: SimpleNamespace, context: Context) -> int:
    """Put a note or a fact away once the person agrees; nothing is deleted."""
    from aurelius.plans import move_archive

    with opened(args, context) as vault:
        at = desk(args, context, vault)
        plans = [move_archive.archive(at, args.reference)]
        moved = plans[0].about["archived"][0]
        if not (args.dry_run or args.yes or context.says_yes(_question(args.reference, plans[0], context))):
            context.tell("nothing was moved")
            return 1
        code = carry_through(
            args, context, at, lambda: plans.pop() if plans else move_archive.archive(at, args.reference)
        )
        context.tell(*([] if args.dry_run else [_way_back(moved)]))
        return code


def _question(reference: str, plan: Plan, context: Context) -> str:
    """The question before something is moved to the archive.  UsageError if there is nobody to ask."""
    moved = plan.about["archived"][0]
    what = f"the fact {reference} of {moved['from']}" if moved["id"] else moved["from"]
    if not (context.stdin.isatty() and context.err.isatty()):
        raise UsageError(
            f"rm asks before it moves {what} to {moved['to']}, and there is no terminal to ask in",
            "--yes moves it without asking; --dry-run shows what would change",
        )
    repaired = len({edit.path for edit in plan.edits} - {moved["from"], moved["to"]})
    links = f", and repair the links in {repaired} other {'note' if repaired == 1 else 'notes'}" if repaired else ""
    return f"move {what} to {moved['to']}{links}?"


def _way_back(moved: Mapping[str, Any]) -> str:
    """How to get back what was put away."""
    later = f", and later `aurelius move {shell_word(moved['to'])} {shell_word(moved['from'])}`"
    return f"moved to the archive, not deleted; to bring it back: `aurelius undo`{'' if moved['id'] else later}"


def tidy(args: SimpleNamespace, context: Context) -> int:
    """Repair copied ids, strike facts that others update, and add missing ids."""
    from aurelius.plans import tidy as order

    with opened(args, context) as vault:
        at = desk(args, context, vault)
        done = order.tidy(at, args.notes, stamp=args.stamp)
        if not args.check:
            about = {"found": [each._asdict() for each in done.found]}
            rows = tuple(f"{each.path}:{each.line}  {each.message}" for each in done.found)
            return carry_out(args, context, at, done.plan._replace(about=about, rows=rows))
        if args.json:
            context.put(facts.untidy_json(done.found, every=args.all))
        else:
            context.put(clip(facts.untidy(done.found), every=args.all))
            context.tell(*done.plan.notices, *([] if done.found else ["nothing to tidy"]))
    return 1 if done.found else 0


def extract(args: SimpleNamespace, context: Context) -> int:
    """Show the facts of daily notes that no page has yet; write those plainly said where the settings say apply."""
    from aurelius.memory import extract as engine

    with opened(args, context) as vault:
        since = day(args.since, context.clock().date().isoformat()) if args.since else ""
        at = desk(args, context, vault)
        if vault.config.capture_replace == "apply":
            return carry_through(args, context, at, lambda: engine.applied(at, since))
        found = engine.ranked(engine.waiting(at, engine.found(at, since)))
        if args.json:
            context.put(changes.carried_json(found, every=args.all))
            return 0
        context.put(clip(changes.carried(found), every=args.all))
        told = "`aurelius review` accepts or dismisses them; nothing was written" if found else "no new facts"
        context.tell(f"in daily notes: {told}" if not found else told)
        return 0


def maintain(args: SimpleNamespace, context: Context) -> int:
    """Show how facts have aged, which could be archived, and duplicates.  Never writes."""
    from aurelius.ageing import decay

    def answer(vault: Vault, context: Context) -> int:
        found = decay.upkeep(vault, args.notes, private=args.private)
        every = bool(args.notes) or args.all
        if args.json:
            context.put(facts.upkeep_json(found, facts=every, every=args.all))
        else:
            context.put(clip(facts.upkeep(found, facts=every, every=every), every=args.all))
        return 0

    return answered(args, context, answer)


def export(args: SimpleNamespace, context: Context) -> int:
    """Print every fact as JSON or Markdown, or write an SQLite file."""
    from aurelius.answers import export as taken

    asked = [f"--{form}" for form in ("json", "md", "sqlite") if getattr(args, form)]
    if len(asked) != 1:
        what = f"{' and '.join(asked)} cannot go together" if asked else "no format is given"
        raise UsageError(what, "choose one: --json, --md, or --sqlite FILE")

    def answer(vault: Vault, context: Context) -> int:
        if args.sqlite:
            file = os.path.join(context.cwd, args.sqlite)
            count = taken.sqlite(vault, file, private=args.private)
            context.put(f"wrote {count} {'fact' if count == 1 else 'facts'} to {args.sqlite}")
        elif args.json:
            context.put(facts.export_json(taken.rows(vault, private=args.private)))
        else:
            text = taken.markdown(vault, private=args.private)
            context.put(facts.safe(text))
            context.tell(*([] if text else ["no facts to export"]))
        return 0

    return answered(args, context, answer)
