"""Lists of notes, facts, tasks and tags: `list`, `tasks`, `tags`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.cli.given import days, form_of, page_of, types_of
from aurelius.cli.open_vault import answered
from aurelius.show import text as show_text
from aurelius.show.page import MOST, fitting, more
from aurelius.show.terminal import paths
from indexer.catalog.filters import Filters

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.show.page import Page
    from aurelius.vault import Vault
    from indexer.catalog.lists import NoteList
    from indexer.usage.tier import Age


def list_notes(args: SimpleNamespace, context: Context) -> int:
    """List notes, or the facts of a type."""
    form = form_of(args, "json", "paths")
    filters = Filters(
        kinds=args.kind, types=types_of(args.type), tags=args.tag, private=args.private, tiers=args.tier,
        archived=args.archived or "",
    )  # fmt: skip

    page = page_of(args)

    def answer(vault: Vault, context: Context) -> int:
        if args.type:
            return _list_facts(args, context, vault, filters, form)
        found = vault.notes(filters, sort=args.sort, limit=page.limit, offset=page.offset)
        if form == "json":
            from aurelius.show import json_text

            context.put(json_text.notes(found, page, _ages(vault, found)))
        elif form == "paths":
            _put_paths([row.path for row in found.notes], found.total, page, context)
        else:
            context.put(show_text.notes(found, _ages(vault, found), page, args.sort, paint=context.paint(vault.root)))
        if not found.total and form != "json":
            context.tell(f"0 of {_many_notes(vault, args)} match")
        return 0

    return answered(args, context, answer)


def _list_facts(args: SimpleNamespace, context: Context, vault: Vault, filters: Filters, form: str) -> int:
    from aurelius.ageing import tiers

    page = page_of(args)
    found = vault.facts(filters, sort=args.sort, limit=page.limit, offset=page.offset)
    ages = tiers.ages(vault, (fact for _, fact in found.facts))
    if form == "json":
        from aurelius.show import json_text

        context.put(json_text.facts(found, page, ages))
    elif form == "paths":
        _put_paths([path for path, _ in found.facts], found.total, page, context)
    else:
        context.put(show_text.facts(found, ages, page, args.sort, paint=context.paint(vault.root)), indent=4)
    if not found.total and form != "json":
        context.tell(f"no matching facts in {_many_notes(vault, args)}")
    return 0


def _put_paths(found: list[str], total: int, page: Page, context: Context) -> None:
    """Print paths, as many as fit, and on `err` how many more there are."""
    count = len(found) if page.every else fitting((path + "\n" for path in found), MOST)
    context.put(paths(found[:count]))
    context.tell(*more(total, page.offset + count))


def tasks(args: SimpleNamespace, context: Context) -> int:
    """List the tasks in all notes."""
    due = ("0001-01-01", days("--due", args.due, context)[1]) if args.due else None
    page = page_of(args)

    def answer(vault: Vault, context: Context) -> int:
        rows = vault.tasks(open_only=args.open, due=due, filters=Filters(private=args.private))
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.tasks(rows, page))
        else:
            context.put(show_text.tasks(rows, page, paint=context.paint(vault.root)), indent=4)
            if not rows:
                context.tell(f"no matching tasks in {_many_notes(vault, args)}")
        return 0

    return answered(args, context, answer)


def tags(args: SimpleNamespace, context: Context) -> int:
    """List every tag and how many notes have it."""
    page = page_of(args)

    def answer(vault: Vault, context: Context) -> int:
        rows = vault.tags(private=args.private)
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.tags(rows, page))
        else:
            context.put(show_text.tags(rows, page))
            if not rows:
                context.tell(f"no tags in {_many_notes(vault, args)}")
        return 0

    return answered(args, context, answer)


def _ages(vault: Vault, found: NoteList) -> dict[str, Age]:
    from aurelius.ageing.tiers import of_notes

    return of_notes(vault, [row.path for row in found.notes])


def _many_notes(vault: Vault, args: SimpleNamespace) -> str:
    """How many notes were looked at, so that an empty answer says what was searched."""
    total = vault.notes(Filters(private=args.private), limit=0).total
    return f"{total:,} {'note' if total == 1 else 'notes'}"
