"""The commands that read notes: search, get, show, list, today, tasks, tags, links, open.

Each is `run(args, context) -> exit code`: arguments, one call of the Vault, one of render or jsonout.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING

from aurelius import render
from aurelius.cli.opened import opened
from aurelius.cli.tiers import leave
from aurelius.usagelog import leading
from indexer.ages import facts_within
from indexer.errors import IndexUnavailableError, UsageError
from indexer.query import Filters, SearchQuery, clean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from aurelius.command import Context
    from aurelius.config import Config
    from aurelius.jsonout import IndexState
    from aurelius.vault import Vault
    from indexer.catalog import NoteList
    from indexer.search import Hit, SearchResult
    from indexer.tier import Age

MOST_HITS = 100


def search(args: SimpleNamespace, context: Context) -> int:
    """Find what the notes say about something."""
    began = perf_counter()
    form = _form(args, "json", "jsonl", "paths", "md")
    filters = _filters(args, context)
    with opened(args, context) as vault:
        result = vault.search(_query(args, _relative(filters, vault.root), vault.config))
        hits, left_out = within_budget(result, args.budget)
        if form == "json":
            from aurelius import jsonout

            context.put(
                jsonout.search(
                    result, hits, left_out, _state(vault, private=args.private), (perf_counter() - began) * 1000
                )
            )
        else:
            context.put(_shown(form, result, hits, context))
            if args.budget:
                _put_truncated(form, left_out, context)
        if args.limit and args.limit > MOST_HITS:
            context.tell(f"at most {MOST_HITS} hits are given, not {args.limit}")
        context.tell(*result.notices)
        if not result.hits and form != "json":
            context.tell(*render.nothing_found(result, _state(vault, private=args.private)))
        leave(args, context, vault, leading(hits), "search")
    return 0


def get(args: SimpleNamespace, context: Context) -> int:
    """Print exact lines of a note."""
    with opened(args, context) as vault:
        excerpt = vault.read(args.reference, private=args.private)
        if args.json:
            from aurelius import jsonout

            context.put(jsonout.excerpt(excerpt))
        else:
            context.put(render.excerpt(excerpt))
            if not excerpt.last:
                context.tell(f"{excerpt.path} is {'empty' if excerpt.exists else 'not written yet'}")
        if excerpt.exists:
            keys = facts_within(vault.index().db, excerpt.path, excerpt.first, excerpt.last)
            leave(args, context, vault, keys or [excerpt.path], "get")
    return 0


def show(args: SimpleNamespace, context: Context) -> int:
    """Show a note: its summary, and what it is linked to."""
    from aurelius import tiers

    with opened(args, context) as vault:
        view = vault.note(args.note, private=args.private)
        of_facts = tiers.ages(vault, view.facts)
        of_note = tiers.of_notes(vault, [view.path])[view.path]
        if args.json:
            from aurelius import jsonout

            context.put(jsonout.note(view, of_note, of_facts))
        else:
            with_facts = args.facts or view.place is not None
            context.put(render.note(view, of_note, of_facts, with_facts=with_facts, colour=context.colour))
        leave(args, context, vault, [view.path] if view.place is None else of_facts, "show")
    return 0


def list_notes(args: SimpleNamespace, context: Context) -> int:
    """List notes, or the facts of a type."""
    form = _form(args, "json", "paths")
    filters = Filters(
        kinds=args.kind, types=args.type, tags=args.tag, private=args.private, tiers=args.tier,
        archived=args.archived or "",
    )  # fmt: skip
    with opened(args, context) as vault:
        if args.type:
            return _list_facts(args, context, vault, filters, form)
        found = vault.notes(filters, sort=args.sort, limit=_all(args.limit), offset=args.offset)
        if form == "json":
            from aurelius import jsonout

            context.put(jsonout.notes(found, args.offset, _ages(vault, found)))
        elif form == "paths":
            context.put(render.paths(row.path for row in found.notes))
        else:
            context.put(render.notes(found, _ages(vault, found), colour=context.colour))
            if found.total > len(found.notes):
                context.tell(f"{len(found.notes)} of {found.total} notes")
            elif not found.total:
                context.tell(f"none of {_many_notes(vault, args)} is like that")
    return 0


def today(args: SimpleNamespace, context: Context) -> int:
    """Print today's daily note, or where it is."""
    day = _today(context)
    with opened(args, context) as vault:
        path = vault.today(day)
        if args.path and not args.json:
            context.put(render.paths([path]))
            return 0
        excerpt = vault.read(path, private=args.private)
        if args.json:
            from aurelius import jsonout

            context.put(jsonout.today(day, excerpt))
        else:
            context.put(render.excerpt(excerpt))
            if not excerpt.last:
                context.tell(f"{path} is {'empty' if excerpt.exists else 'not written yet'}")
    return 0


def tasks(args: SimpleNamespace, context: Context) -> int:
    """List the tasks in all notes."""
    due = ("0001-01-01", _days("--due", args.due, context)[1]) if args.due else None
    with opened(args, context) as vault:
        rows = vault.tasks(open_only=args.open, due=due, filters=Filters(private=args.private))
        if args.json:
            from aurelius import jsonout

            context.put(jsonout.tasks(rows))
        else:
            context.put(render.tasks(rows, colour=context.colour))
            if not rows:
                context.tell(f"no such task in {_many_notes(vault, args)}")
    return 0


def tags(args: SimpleNamespace, context: Context) -> int:
    """List every tag and how many notes have it."""
    with opened(args, context) as vault:
        rows = vault.tags(private=args.private)
        if args.json:
            from aurelius import jsonout

            context.put(jsonout.tags(rows))
        else:
            context.put(render.tags(rows))
            if not rows:
                context.tell(f"none of {_many_notes(vault, args)} has a tag")
    return 0


def links(args: SimpleNamespace, context: Context) -> int:
    """List what a note links to and what links to it."""
    with opened(args, context) as vault:
        view = vault.links(args.note, private=args.private)
        if args.json:
            from aurelius import jsonout

            context.put(jsonout.links(view))
        else:
            context.put(render.links(view, colour=context.colour))
            if not (view.outgoing or view.backlinks):
                context.tell(f"{view.path} has no links, and nothing links to it")
    return 0


def open_note(args: SimpleNamespace, context: Context) -> int:
    """Open a note in the person's editor."""
    from aurelius.editor import edit

    with opened(args, context) as vault:
        place = vault.read(args.note, private=args.private)
        root = vault.root
    return edit(root, place.path, place.first if place.first > 1 else 0, context)


def within_budget(result: SearchResult, budget: int | None) -> tuple[Sequence[Hit], int]:
    """The leading hits whose tokens fit into the budget, and how many more there are."""
    hits: Sequence[Hit] = result.hits
    if budget is not None:
        spent = 0
        for count, hit in enumerate(hits):
            spent += hit.tokens
            if spent > budget:
                hits = hits[:count]
                break
    return hits, len(result.hits) - len(hits) + result.truncated


def _put_truncated(form: str, left_out: int, context: Context) -> None:
    """Say how many hits did not fit, beside an answer that programs read line by line and below any other."""
    text = render.truncated(left_out)
    if form in {"jsonl", "paths"}:
        context.tell(*text.splitlines()[1:])
    else:
        context.put(text)


def _shown(form: str, result: SearchResult, hits: Sequence[Hit], context: Context) -> str:
    if form == "jsonl":
        from aurelius import jsonout

        return jsonout.hit_lines(hits)
    if form == "paths":
        return render.paths(hit.path for hit in hits)
    if form == "md":
        return render.hits_markdown(hits)
    words = [word[: max(4, len(word) - 3)] for word in clean(result.query.text).words]  # endings may differ
    return render.hits(hits, words, colour=context.colour, explain=result.query.explain)


def _filters(args: SimpleNamespace, context: Context) -> Filters:
    from indexer.query import where

    since, until = _span(args, context)
    return Filters(
        kinds=args.kind,
        types=args.type,
        tags=args.tag,
        folder=args.folder or "",
        where=tuple(map(where, args.where)),
        since=since,
        until=until,
        status=args.status,
        as_of=_days("--as-of", args.as_of, context)[1] if args.as_of else None,
        private=args.private,
        tiers=args.tier,
        archived=args.archived or "",
    )


def _relative(filters: Filters, root: str) -> Filters:
    """The filters with `--in` as a path in the vault, where a whole path was typed."""
    if not os.path.isabs(filters.folder):
        return filters
    from aurelius.lookup import below

    return filters._replace(folder=below(root, filters.folder))


def _query(args: SimpleNamespace, filters: Filters, config: Config) -> SearchQuery:
    limit = args.limit or (MOST_HITS if args.budget else config.limit)
    return SearchQuery(
        text=" ".join(args.query),
        mode=args.mode or config.mode,
        fusion=args.fusion or config.fusion,
        filters=filters,
        limit=min(limit, MOST_HITS),
        explain=args.explain,
    )


def _span(args: SimpleNamespace, context: Context) -> tuple[str | None, str | None]:
    if args.on:
        if args.since or args.until:
            raise UsageError("--on names all its days; --since and --until cannot be added", "use one or the other")
        return _days("--on", args.on, context)
    since = _days("--since", args.since, context)[0] if args.since else None
    until = _days("--until", args.until, context)[1] if args.until else None
    if since and until and since > until:
        raise UsageError(f"--since {since} is after --until {until}", "turn them round")
    return since, until


def _days(flag: str, text: str, context: Context) -> tuple[str, str]:
    from indexer.dates import dates

    try:
        return dates(text, _today(context))
    except UsageError as error:
        raise UsageError(f"{flag}: {error.message}", error.hint) from None


def _today(context: Context) -> str:
    return context.clock().date().isoformat()


def _form(args: SimpleNamespace, *forms: str) -> str:
    """The form of output asked for, "" for text."""
    asked = [form for form in forms if getattr(args, form)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot go together", "choose one")
    return asked[0] if asked else ""


def _state(vault: Vault, *, private: bool) -> IndexState:
    from aurelius.jsonout import IndexState
    from indexer.catalog import get_counts, get_failed

    fresh = vault.report is not None and vault.report.fresh
    try:
        index = vault.index()
    except IndexUnavailableError:  # the files were scanned instead
        return IndexState(0, 0, 0, fresh, ())
    counts = get_counts(index.db)
    return IndexState(counts.notes, counts.chunks, index.generation, fresh, get_failed(index.db, private=private))


def _list_facts(args: SimpleNamespace, context: Context, vault: Vault, filters: Filters, form: str) -> int:
    from aurelius import tiers

    found = vault.facts(filters, sort=args.sort, limit=_all(args.limit), offset=args.offset)
    ages = tiers.ages(vault, (fact for _, fact in found.facts))
    if form == "json":
        from aurelius import jsonout

        context.put(jsonout.facts(found.facts, found.total, args.offset, ages))
    elif form == "paths":
        context.put(render.paths(path for path, _ in found.facts))
    else:
        context.put(render.facts(found.facts, ages, colour=context.colour))
        if found.total > len(found.facts):
            context.tell(f"{len(found.facts)} of {found.total} facts")
        elif not found.total:
            context.tell(f"no such fact in {_many_notes(vault, args)}")
    return 0


def _ages(vault: Vault, found: NoteList) -> dict[str, Age]:
    from aurelius.tiers import of_notes

    return of_notes(vault, [row.path for row in found.notes])


def _many_notes(vault: Vault, args: SimpleNamespace) -> str:
    """How many notes were looked at (P6)."""
    total = vault.notes(Filters(private=args.private), limit=0).total
    return f"{total} {'note' if total == 1 else 'notes'}"


def _all(limit: int | None) -> int:
    return -1 if limit is None else limit
