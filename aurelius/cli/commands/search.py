"""`aurelius search`: a query out of the arguments, one call of the Vault, the hits in the form asked for."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from aurelius.ageing.usage_log import leading
from aurelius.cli.given import filters_of, form_of, relative
from aurelius.cli.open_vault import answered, log_time, log_uses
from aurelius.settings.keys import MOST_HITS
from aurelius.show import hits as show_hits
from aurelius.show.paint import paths
from indexer.errors import IndexUnavailableError
from indexer.search.query import SearchQuery, clean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.settings.config import Config
    from aurelius.show.json_text import IndexState
    from aurelius.vault import Vault
    from indexer.catalog.filters import Filters
    from indexer.search.search import Hit, SearchResult


def search(args: SimpleNamespace, context: Context) -> int:
    """Find what the notes say about something."""
    began = perf_counter()
    form = form_of(args, "json", "jsonl", "paths", "md")
    filters = filters_of(args, context)

    def answer(vault: Vault, context: Context) -> int:
        result = _found(_query(args, relative(filters, vault.root), vault.config), vault)
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
            context.tell(*show_hits.nothing_found(result, _state(vault, private=args.private)))
        took = perf_counter() - began
        log_uses(args, context, vault, leading(hits), "search")
        log_time(args, vault, took)
        return 0

    return answered(args, context, answer)


def _found(query: SearchQuery, vault: Vault) -> SearchResult:
    result = vault.search(query)
    if result.hits or not query.filters.folder:
        return result
    from aurelius.answers.lookup import why_ignored

    return result._replace(hint=why_ignored(vault.root, vault.config.exclude, query.filters.folder) or result.hint)


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
    text = show_hits.truncated(left_out)
    if form in {"jsonl", "paths"}:
        context.tell(*text.splitlines()[1:])
    else:
        context.put(text)


def _shown(form: str, result: SearchResult, hits: Sequence[Hit], context: Context) -> str:
    if form == "jsonl":
        from aurelius.show import json_text

        return json_text.hit_lines(hits)
    if form == "paths":
        return paths(hit.path for hit in hits)
    if form == "md":
        return show_hits.hits_markdown(hits)
    words = [word[: max(4, len(word) - 3)] for word in clean(result.query.text).words]  # endings may differ
    return show_hits.hits(hits, words, colour=context.colour, explain=result.query.explain)


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
