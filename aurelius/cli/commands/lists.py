"""Lists of notes, facts, tasks and tags: `list`, `tasks`, `tags`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.given import days, form_of
from aurelius.cli.open_vault import answered
from aurelius.show import text as show_text
from aurelius.show.paint import paths
from indexer.catalog.filters import Filters

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.vault import Vault
    from indexer.catalog.lists import NoteList
    from indexer.usage.tier import Age


def list_notes(args: SimpleNamespace, context: Context) -> int:
    """List notes, or the facts of a type."""
    form = form_of(args, "json", "paths")
    filters = Filters(
        kinds=args.kind, types=args.type, tags=args.tag, private=args.private, tiers=args.tier,
        archived=args.archived or "",
    )  # fmt: skip

    def answer(vault: Vault, context: Context) -> int:
        if args.type:
            return _list_facts(args, context, vault, filters, form)
        found = vault.notes(filters, sort=args.sort, limit=_all(args.limit), offset=args.offset)
        if form == "json":
            from aurelius.show import json_text

            context.put(json_text.notes(found, args.offset, _ages(vault, found)))
        elif form == "paths":
            context.put(paths(row.path for row in found.notes))
        else:
            context.put(show_text.notes(found, _ages(vault, found), paint=context.paint(vault.root)))
            if found.total > len(found.notes):
                context.tell(f"{len(found.notes)} of {found.total} notes")
            elif not found.total:
                context.tell(f"none of {_many_notes(vault, args)} is like that")
        return 0

    return answered(args, context, answer)


def _list_facts(args: SimpleNamespace, context: Context, vault: Vault, filters: Filters, form: str) -> int:
    from aurelius.ageing import tiers

    found = vault.facts(filters, sort=args.sort, limit=_all(args.limit), offset=args.offset)
    ages = tiers.ages(vault, (fact for _, fact in found.facts))
    if form == "json":
        from aurelius.show import json_text

        context.put(json_text.facts(found.facts, found.total, args.offset, ages))
    elif form == "paths":
        context.put(paths(path for path, _ in found.facts))
    else:
        context.put(show_text.facts(found.facts, ages, paint=context.paint(vault.root)), indent=4)
        if found.total > len(found.facts):
            context.tell(f"{len(found.facts)} of {found.total} facts")
        elif not found.total:
            context.tell(f"no such fact in {_many_notes(vault, args)}")
    return 0


def tasks(args: SimpleNamespace, context: Context) -> int:
    """List the tasks in all notes."""
    due = ("0001-01-01", days("--due", args.due, context)[1]) if args.due else None

    def answer(vault: Vault, context: Context) -> int:
        rows = vault.tasks(open_only=args.open, due=due, filters=Filters(private=args.private))
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.tasks(rows))
        else:
            context.put(show_text.tasks(rows, paint=context.paint(vault.root)), indent=4)
            if not rows:
                context.tell(f"no such task in {_many_notes(vault, args)}")
        return 0

    return answered(args, context, answer)


def tags(args: SimpleNamespace, context: Context) -> int:
    """List every tag and how many notes have it."""

    def answer(vault: Vault, context: Context) -> int:
        rows = vault.tags(private=args.private)
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.tags(rows))
        else:
            context.put(show_text.tags(rows))
            if not rows:
                context.tell(f"none of {_many_notes(vault, args)} has a tag")
        return 0

    return answered(args, context, answer)


def _ages(vault: Vault, found: NoteList) -> dict[str, Age]:
    from aurelius.ageing.tiers import of_notes

    return of_notes(vault, [row.path for row in found.notes])


def _many_notes(vault: Vault, args: SimpleNamespace) -> str:
    """How many notes were looked at, so that an empty answer says what was searched."""
    total = vault.notes(Filters(private=args.private), limit=0).total
    return f"{total} {'note' if total == 1 else 'notes'}"


def _all(limit: int | None) -> int:
    return -1 if limit is None else limit
