"""The commands that read notes: search, get, show, list, today, tasks, tags, links, open.

Each is `run(args, context) -> exit code`: arguments, one call of the Vault, one of the room show.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING

from aurelius.ageing.usage_log import leading
from aurelius.cli.open_vault import answered, log_uses, opened
from aurelius.settings.keys import MOST_HITS
from aurelius.show import text as show_text
from indexer.catalog.filters import Filters
from indexer.catalog.tiers import facts_within
from indexer.errors import IndexUnavailableError, UsageError
from indexer.search.query import SearchQuery, clean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from aurelius.answers.excerpt import Excerpt
    from aurelius.cli.run import Context
    from aurelius.settings.config import Config
    from aurelius.show.json_text import IndexState
    from aurelius.vault import Vault
    from indexer.catalog.lists import NoteList
    from indexer.search.search import Hit, SearchResult
    from indexer.usage.tier import Age


def search(args: SimpleNamespace, context: Context) -> int:
    """Find what the notes say about something."""
    began = perf_counter()
    form = _form(args, "json", "jsonl", "paths", "md")
    filters = _filters(args, context)

    def answer(vault: Vault, context: Context) -> int:
        result = _found(_query(args, _relative(filters, vault.root), vault.config), vault)
        hits, left_out = within_budget(result, args.budget)
        if form == "json":
            from aurelius.show import json_text

            state = _state(vault, private=args.private)
            context.put(json_text.search(result, hits, left_out, state, (perf_counter() - began) * 1000))
        else:
            _put_hits(form, result, hits, left_out if args.budget else None, context)
        if args.limit and args.limit > MOST_HITS:
            context.tell(f"at most {MOST_HITS} hits are given, not {args.limit}")
        context.tell(*result.notices)
        if not result.hits and form != "json":
            context.tell(*show_text.nothing_found(result, _state(vault, private=args.private)))
        log_uses(args, context, vault, leading(hits), "search")
        return 0

    return answered(args, context, answer)


def _found(query: SearchQuery, vault: Vault) -> SearchResult:
    result = vault.search(query)
    if result.hits or not query.filters.folder:
        return result
    from aurelius.answers.lookup import why_ignored

    return result._replace(hint=why_ignored(vault.root, vault.config.exclude, query.filters.folder) or result.hint)


def get(args: SimpleNamespace, context: Context) -> int:
    """Print exact lines of a note."""

    def answer(vault: Vault, context: Context) -> int:
        excerpt = vault.read(args.reference, private=args.private)
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.excerpt(excerpt))
        else:
            context.put(show_text.excerpt(excerpt))
            if not excerpt.last:
                context.tell(f"{excerpt.path} is {_why_nothing(vault, excerpt)}")
        if excerpt.exists:
            keys = facts_within(vault.index().db, excerpt.path, excerpt.first, excerpt.last)
            log_uses(args, context, vault, keys or [excerpt.path], "get")
        return 0

    return answered(args, context, answer)


def show(args: SimpleNamespace, context: Context) -> int:
    """Show a note: its summary, and what it is linked to."""
    from aurelius.ageing import tiers

    def answer(vault: Vault, context: Context) -> int:
        view = vault.note(args.note, private=args.private)
        of_facts = tiers.ages(vault, view.facts)
        of_note = tiers.of_notes(vault, [view.path])[view.path]
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.note(view, of_note, of_facts))
        else:
            with_facts = args.facts or view.place is not None
            context.put(show_text.note(view, of_note, of_facts, with_facts=with_facts, colour=context.colour))
        log_uses(args, context, vault, [view.path] if view.place is None else of_facts, "show")
        return 0

    return answered(args, context, answer)


def list_notes(args: SimpleNamespace, context: Context) -> int:
    """List notes, or the facts of a type."""
    form = _form(args, "json", "paths")
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
            context.put(show_text.paths(row.path for row in found.notes))
        else:
            context.put(show_text.notes(found, _ages(vault, found), colour=context.colour))
            if found.total > len(found.notes):
                context.tell(f"{len(found.notes)} of {found.total} notes")
            elif not found.total:
                context.tell(f"none of {_many_notes(vault, args)} is like that")
        return 0

    return answered(args, context, answer)


def today(args: SimpleNamespace, context: Context) -> int:
    """Print today's daily note, or where it is."""
    day = _today(context)

    def answer(vault: Vault, context: Context) -> int:
        path = vault.today(day)
        if args.path and not args.json:
            context.put(show_text.paths([path]))
            return 0
        excerpt = vault.read(path, private=args.private)
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.today(day, excerpt))
        else:
            context.put(show_text.excerpt(excerpt))
            if not excerpt.last:
                context.tell(f"{path} is {_why_nothing(vault, excerpt)}")
        return 0

    return answered(args, context, answer)


def tasks(args: SimpleNamespace, context: Context) -> int:
    """List the tasks in all notes."""
    due = ("0001-01-01", _days("--due", args.due, context)[1]) if args.due else None

    def answer(vault: Vault, context: Context) -> int:
        rows = vault.tasks(open_only=args.open, due=due, filters=Filters(private=args.private))
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.tasks(rows))
        else:
            context.put(show_text.tasks(rows, colour=context.colour))
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


def links(args: SimpleNamespace, context: Context) -> int:
    """List what a note links to and what links to it."""

    def answer(vault: Vault, context: Context) -> int:
        view = vault.links(args.note, private=args.private)
        if args.json:
            from aurelius.show import json_text

            context.put(json_text.links(view))
        else:
            context.put(show_text.links(view, colour=context.colour))
            if not (view.outgoing or view.backlinks):
                context.tell(f"{view.path} has no links, and nothing links to it")
        return 0

    return answered(args, context, answer)


def open_note(args: SimpleNamespace, context: Context) -> int:
    """Open a note in the person's editor."""
    from aurelius.cli.open_editor import edit

    with opened(args, context) as vault:
        place = vault.read(args.note, private=args.private)
    return edit(vault.root, place.path, place.first if place.first > 1 else 0, context)


def _why_nothing(vault: Vault, excerpt: Excerpt) -> str:
    """What a note is of which there is no line to print."""
    if not excerpt.exists:
        return "not written yet"
    try:
        size = os.path.getsize(os.path.join(vault.root, excerpt.path))
    except OSError:  # gone in this moment
        size = 0
    return "not text, so there are no lines to print" if size else "empty"


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


def _put_hits(form: str, result: SearchResult, hits: Sequence[Hit], left_out: int | None, context: Context) -> None:
    """The hits in their form; how many did not fit, where a budget was given, stands beside an answer that programs
    read line by line and below any other.
    """
    context.put(_shown(form, result, hits, context))
    if left_out is None:
        return
    text = show_text.truncated(left_out)
    if form in {"jsonl", "paths"}:
        context.tell(*text.splitlines()[1:])
    else:
        context.put(text)


def _shown(form: str, result: SearchResult, hits: Sequence[Hit], context: Context) -> str:
    if form == "jsonl":
        from aurelius.show import json_text

        return json_text.hit_lines(hits)
    if form == "paths":
        return show_text.paths(hit.path for hit in hits)
    if form == "md":
        return show_text.hits_markdown(hits)
    words = [word[: max(4, len(word) - 3)] for word in clean(result.query.text).words]  # endings may differ
    return show_text.hits(hits, words, colour=context.colour, explain=result.query.explain)


def _filters(args: SimpleNamespace, context: Context) -> Filters:
    from indexer.catalog.filters import where

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
    from aurelius.writing.safe_folder import below

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
    from indexer.search.dates import dates

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
    from aurelius.show.json_text import IndexState
    from indexer.catalog.lists import get_counts, get_failed

    fresh = vault.report is not None and vault.report.fresh
    try:
        index = vault.index()
    except IndexUnavailableError:  # the files were scanned instead
        return IndexState(0, 0, 0, fresh, ())
    counts = get_counts(index.db)
    return IndexState(counts.notes, counts.chunks, index.generation, fresh, get_failed(index.db, private=private))


def _list_facts(args: SimpleNamespace, context: Context, vault: Vault, filters: Filters, form: str) -> int:
    from aurelius.ageing import tiers

    found = vault.facts(filters, sort=args.sort, limit=_all(args.limit), offset=args.offset)
    ages = tiers.ages(vault, (fact for _, fact in found.facts))
    if form == "json":
        from aurelius.show import json_text

        context.put(json_text.facts(found.facts, found.total, args.offset, ages))
    elif form == "paths":
        context.put(show_text.paths(path for path, _ in found.facts))
    else:
        context.put(show_text.facts(found.facts, ages, colour=context.colour))
        if found.total > len(found.facts):
            context.tell(f"{len(found.facts)} of {found.total} facts")
        elif not found.total:
            context.tell(f"no such fact in {_many_notes(vault, args)}")
    return 0


def _ages(vault: Vault, found: NoteList) -> dict[str, Age]:
    from aurelius.ageing.tiers import of_notes

    return of_notes(vault, [row.path for row in found.notes])


def _many_notes(vault: Vault, args: SimpleNamespace) -> str:
    """How many notes were looked at, so that an empty answer says what was searched."""
    total = vault.notes(Filters(private=args.private), limit=0).total
    return f"{total} {'note' if total == 1 else 'notes'}"


def _all(limit: int | None) -> int:
    return -1 if limit is None else limit
