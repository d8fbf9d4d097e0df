"""`aurelius search`: a query out of the arguments, one call of the Vault, the hits in the form asked for."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from aurelius.ageing.usage_log import leading
from aurelius.cli.given import filters_of, form_of, relative
from aurelius.cli.open_vault import answered, log_time, log_uses
from aurelius.settings.keys import MOST_HITS
from aurelius.show import hits as show_hits
from aurelius.show.page import MOST, fitting, tokens
from aurelius.show.paint import paths
from indexer.errors import IndexUnavailableError
from indexer.search.query import SearchQuery, clean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.settings.config import Config
    from aurelius.show.json_text import IndexState
    from aurelius.vault import Vault
    from indexer.catalog.filters import Filters
    from indexer.search.search import SearchResult


def search(args: SimpleNamespace, context: Context) -> int:
    """Find what the notes say about something."""
    began = perf_counter()
    form = form_of(args, "json", "jsonl", "paths", "md")
    filters = filters_of(args, context)

    def answer(vault: Vault, context: Context) -> int:
        result = _found(_query(args, relative(filters, vault.root), vault.config), vault)
        count = _put(args, form, result, vault, context, began)
        if args.limit and args.limit > MOST_HITS:
            context.tell(f"showing at most {MOST_HITS} hits, not {args.limit}")
        context.tell(*result.notices)
        if not result.hits and form != "json":
            context.tell(*show_hits.nothing_found(result, _state(vault, private=args.private)))
        took = perf_counter() - began
        log_uses(args, context, vault, leading(result.hits[:count]), "search")
        log_time(args, vault, took)
        return 0

    return answered(args, context, answer)


def _found(query: SearchQuery, vault: Vault) -> SearchResult:
    result = vault.search(query)
    if result.hits or not query.filters.folder:
        return result
    from aurelius.answers.lookup import why_ignored

    return result._replace(hint=why_ignored(vault.config, query.filters.folder) or result.hint)


def _put(args: SimpleNamespace, form: str, result: SearchResult, vault: Vault, context: Context, began: float) -> int:
    """Print the hits that fit, in their form; how many.

    Without a budget and a limit of its own a search has MOST tokens.
    """
    budget = args.budget or (None if args.limit else MOST)
    pieces = _pieces(form, result, context, vault.root)
    if form != "json":
        return _put_hits(form, pieces, budget, result.truncated if args.budget else 0, context)
    from aurelius.show import json_text

    state, took = _state(vault, private=args.private), (perf_counter() - began) * 1000
    count, left_out = within_budget(
        pieces, budget, result.truncated, lambda n: json_text.search(result, (), n, state, took) + "\n"
    )
    context.put(json_text.search(result, [piece[:-1] for piece in pieces[:count]], left_out, state, took))
    return count


def within_budget(
    pieces: Sequence[str], budget: int | None, beyond: int, around: Callable[[int], str]
) -> tuple[int, int]:
    """How many of the pieces fit into a budget of tokens with what stands `around` them, and how many hits do not.

    `beyond` are hits that there are besides; `around` says what is printed where so many are left out.
    """
    if budget is None or tokens("".join(pieces) + around(beyond)) <= budget:
        return len(pieces), beyond
    count = fitting(pieces, budget - tokens(around(len(pieces) + beyond)))
    return count, len(pieces) - count + beyond


def _put_hits(form: str, pieces: Sequence[str], budget: int | None, beyond: int, context: Context) -> int:
    """The hits that fit, in their form; how many.

    What does not fit is counted beside an answer that programs read line by line and below any other.
    """
    by_line = form in {"jsonl", "paths"}
    counted = _plain(pieces, context)
    count, left_out = within_budget(counted, budget, beyond, lambda n: "" if by_line else show_hits.truncated(n))
    context.put("".join(pieces[:count]), indent=None if form else 4)
    text = show_hits.truncated(left_out)
    if by_line:
        context.tell(*text.splitlines()[1:])
    else:
        context.put(text)
    return count


def _plain(pieces: Sequence[str], context: Context) -> Sequence[str]:
    """The pieces without the colours and links that only a terminal gets, which cost nothing of a budget."""
    if not context.tty:
        return pieces
    from aurelius.show.columns import plain

    return [*map(plain, pieces)]


def _pieces(form: str, result: SearchResult, context: Context, root: str) -> list[str]:
    """The printed text of each hit, in the requested form."""
    asked = clean(result.query.text).words
    words = [word[: max(4, len(word) - 3)] for word in asked]  # endings may differ
    if form in {"json", "jsonl"}:
        from aurelius.show import json_text

        if form == "json":
            return [piece + "," for piece in json_text.hits(result.hits, words)]
        return [piece + "\n" for piece in json_text.hits(result.hits, words, schema=json_text.SCHEMA)]
    if form == "paths":
        seen = {hit.path: place for place, hit in reversed([*enumerate(result.hits)])}
        return [paths([hit.path]) if seen[hit.path] == place else "" for place, hit in enumerate(result.hits)]
    if form == "md":
        return show_hits.hits_markdown(result.hits)
    held = bool(result.query.filters.as_of)
    explain, paint = result.query.explain, context.paint(root)
    return show_hits.hits(result.hits, words, paint=paint, explain=explain, asked=asked, held=held)


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
