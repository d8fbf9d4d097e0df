"""`aurelius search` and `recall`: a query out of the arguments, one call of the Vault, the hits as
asked for."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from aurelius.ageing.usage_log import leading
from aurelius.cli.open_vault import (
    answered,
    filters_of,
    form_of,
    in_vault,
    log_time,
    log_uses,
    template_of,
)
from aurelius.settings.keys import MOST_HITS, tokens
from aurelius.show import hits as show_hits
from aurelius.show.page import MOST, fitting
from aurelius.show.terminal import one_line, paths
from indexer.catalog.filters import Filters
from indexer.errors import IndexUnavailableError, UsageError
from indexer.search.query import SearchQuery, clean
from indexer.spelling import single_spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.settings.config import Config
    from aurelius.show.hits import IndexState
    from aurelius.vault import Vault
    from indexer.search.hit import SearchResult
    from indexer.search.recalled import Recall

RECALLED = 1_000
"""Tokens of the answers of `recall` where no budget is given."""

HIT_FIELDS = (
    "path",
    "line",
    "end",
    "id",
    "heading",
    "title",
    "kind",
    "type",
    "status",
    "date",
    "tier",
    "score",
    "text",
)
"""What a template of `--format` can name of a hit."""
FORMAT = "format "
"""What a form of output begins with where a template is behind it."""


def search(args: SimpleNamespace, context: Context) -> int:
    """Find what the notes say about something; without words, list the notes that the filters
    allow."""
    began = perf_counter()
    filters = filters_of(args, context)
    if not _has_words(args, filters):
        from .lists import list_notes

        return list_notes(args, context)
    form = _form(args)

    def answer(vault: Vault, context: Context) -> int:
        result = _found(_query(args, in_vault(filters, vault), vault.config), vault)
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


def recall(args: SimpleNamespace, context: Context) -> int:
    """Answer a question with a few lines of different notes, and with what they are linked to."""
    from indexer.search.recall import CANDIDATES, MOST

    began = perf_counter()
    if not " ".join(args.query).strip():
        raise UsageError("missing argument: QUESTION", "aurelius recall --help shows what there is")
    filters = filters_of(args, context)

    def answer(vault: Vault, context: Context) -> int:
        query = SearchQuery(
            " ".join(args.query),
            filters=in_vault(filters, vault),
            limit=CANDIDATES,
            explain=args.explain,
        )
        whole = vault.recall(query, most=min(args.limit or MOST, MOST))
        kept = _put_recalled(args, whole, vault, context, began)
        if args.limit and args.limit > MOST:
            context.tell(
                f"showing at most {MOST} answers, not {args.limit}: `aurelius search` shows more"
            )
        context.tell(*whole.found.notices)
        if not (whole.answers or args.json):
            context.tell(*show_hits.nothing_found(whole.found, _state(vault, private=args.private)))
        log_uses(args, context, vault, leading([each.hit for each in kept.answers]), "recall")
        return 0

    return answered(args, context, answer)


def _put_recalled(
    args: SimpleNamespace, whole: Recall, vault: Vault, context: Context, began: float
) -> Recall:
    """Print as many lines of the answers as fit into the budget; those."""
    asked = clean(whole.found.query.text).words
    words = _beginnings(whole.found)
    paint = context.paint(vault.root)
    took = (perf_counter() - began) * 1000

    def text(kept: Recall) -> str:
        left_out = whole.size - kept.size
        if args.json:
            from aurelius.show import json_text

            return (
                json_text.recall(kept, words, left_out, _state(vault, private=args.private), took)
                + "\n"
            )
        if whole.found.weak and whole.found.hint and kept.answers:
            weak = f"{one_line(whole.found.hint)}\n\n"
        else:
            weak = ""
        told = weak + show_hits.recalled(
            kept.answers, words, paint=paint, explain=args.explain, asked=asked
        )
        return told + show_hits.truncated(left_out)

    budget = args.budget or RECALLED
    sizes = range(whole.size, -1, -1)

    def fits(kept: Recall) -> bool:
        return tokens(_plain([text(kept)], context)[0]) <= budget

    fit = next((n for n in sizes if fits(whole.first(n))), 0)
    if fit:
        kept = whole.first(fit)
    else:
        kept = _first_cut(whole, words, fits)
    if whole.answers and not kept.answers:
        need = tokens(_plain([text(whole.first(1))], context)[0])
        hint = f"the budget is too small for one answer: --budget {-(-need // 100) * 100}"
        whole = whole._replace(found=whole.found._replace(hint=hint))
        kept = whole.first(0)
        if not args.json:
            context.tell(hint)
    context.put(text(kept), indent=None if args.json else 4)
    return kept


def _first_cut(whole: Recall, words: Sequence[str], fits: Callable[[Recall], bool]) -> Recall:
    """The first answer with as much of its text as fits; no answer where not even its place
    does."""
    first = whole.first(1)
    if not first.answers:
        return first
    answer = first.answers[0]
    text = single_spaced(answer.hit.text)

    def cut(most: int) -> Recall:
        hit = answer.hit._replace(text=show_hits.shortened(text, words, most) if most else "…")
        return first._replace(answers=(answer._replace(hit=hit),))

    if fits(cut(0)):
        return cut(_longest(lambda most: fits(cut(most)), len(text)))
    return whole.first(0)


def _longest(fits: Callable[[int], bool], most: int) -> int:
    """How many characters fit, at most so many; none always do."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle):
            least = middle
        else:
            most = middle - 1
    return least


def _has_words(args: SimpleNamespace, filters: Filters) -> bool:
    """Whether there is a query. UsageError where there are no filters either, and for options of
    the other kind."""
    words = bool(" ".join(args.query).strip())
    if not words and filters._replace(private=False, status="active", as_of=None) == Filters():
        hint = (
            "aurelius search --help shows what there is; with a filter, like --tag or --where,"
            " notes are listed"
        )
        raise UsageError("missing argument: QUERY", hint)
    others = (
        ("sort", "offset", "all")
        if words
        else ("as_of", "mode", "fusion", "explain", "jsonl", "md")
    )
    for name in others:
        if getattr(args, name):
            flag = f"--{name.replace('_', '-')}"
            if words:
                how = "leave out the words, and notes are listed"
            else:
                how = "add words to search for"
            raise UsageError(
                f"{flag} {'is for lists' if words else 'needs a QUERY'}",
                f"leave out {flag}, or {how}",
            )
    return words


def _form(args: SimpleNamespace) -> str:
    """The form of output asked for, "" for text; a template stands behind FORMAT."""
    form = form_of(args, "json", "jsonl", "paths", "md", "format")
    if form == "format":
        return FORMAT + template_of(args, HIT_FIELDS)
    return form


def _found(query: SearchQuery, vault: Vault) -> SearchResult:
    result = vault.search(query)
    if result.hits or not query.filters.folder:
        return result
    from aurelius.answers.lookup import why_ignored

    return result._replace(hint=why_ignored(vault.config, query.filters.folder) or result.hint)


def _put(
    args: SimpleNamespace,
    form: str,
    result: SearchResult,
    vault: Vault,
    context: Context,
    began: float,
) -> int:
    """Print the hits that fit, in their form; how many.

    Without a budget and a limit of its own a search has MOST tokens.
    """
    budget = args.budget or (None if args.limit else MOST)
    pieces = _pieces(form, result, context, vault.root)
    if form != "json":
        if args.budget:
            told = result
        else:
            told = result._replace(truncated=0)
        return _put_hits(form, pieces, budget, told, context, vault.root)
    from aurelius.show import json_text

    state = _state(vault, private=args.private)
    took = (perf_counter() - began) * 1000

    def around(count: int) -> str:
        return json_text.search(result, (), count, state, took) + "\n"

    count, left_out = within_budget(pieces, budget, result.truncated, around)
    if budget and pieces and not count:
        pieces = _one_cut(form, result, context, vault.root, budget, around)
        count = len(pieces)
        left_out = left_out - len(pieces)
        if not count:
            result = result._replace(hint=_too_small(form, result, context, vault.root, around))
    context.put(
        json_text.search(result, [piece[:-1] for piece in pieces[:count]], left_out, state, took)
    )
    return count


def within_budget(
    pieces: Sequence[str], budget: int | None, beyond: int, around: Callable[[int], str]
) -> tuple[int, int]:
    """How many of the pieces fit into a budget of tokens with what stands `around` them, and how
    many hits do not.

    `beyond` are hits that there are besides; `around` says what is printed where so many are left
    out.
    """
    if budget is None or tokens("".join(pieces) + around(beyond)) <= budget:
        return len(pieces), beyond
    count = fitting(pieces, budget - tokens(around(len(pieces) + beyond)))
    return count, len(pieces) - count + beyond


def _put_hits(
    form: str,
    pieces: Sequence[str],
    budget: int | None,
    result: SearchResult,
    context: Context,
    root: str,
) -> int:
    """The hits that fit, in their form; how many.

    What does not fit is counted beside an answer that programs read line by line and below any
    other.
    """
    by_line = form in {"jsonl", "paths"} or form.startswith(FORMAT)
    if result.weak and result.hits and result.hint:
        weak = f"{one_line(result.hint)}\n\n"
    else:
        weak = ""

    def around(count: int) -> str:
        if by_line:
            return ""
        return weak + show_hits.truncated(count)

    count, left_out = within_budget(_plain(pieces, context), budget, result.truncated, around)
    if budget and pieces and not count:
        pieces = _one_cut(form, result, context, root, budget, around)
        count = len(pieces)
        left_out = left_out - len(pieces)
        if not count:
            context.tell(_too_small(form, result, context, root, around))
    if by_line:
        context.tell(*weak.splitlines()[:1])
    else:
        context.put(weak)
    context.put("".join(pieces[:count]), indent=None if form else 4)
    text = show_hits.truncated(left_out)
    if by_line:
        context.tell(*text.splitlines()[1:])
    else:
        context.put(text)
    return count


def _one_cut(
    form: str,
    result: SearchResult,
    context: Context,
    root: str,
    budget: int,
    around: Callable[[int], str],
) -> list[str]:
    """The first hit with as much of its text as fits into the budget; nothing where not even its
    place does."""
    hit = result.hits[0]
    text = single_spaced(hit.text)
    words = _beginnings(result)
    room = budget - tokens(around(len(result.hits) - 1 + result.truncated))

    def pieces(most: int) -> list[str]:
        cut = hit._replace(text=show_hits.shortened(text, words, most) if most else "…")
        return _pieces(form, result._replace(hits=(cut,)), context, root)

    def fits(most: int) -> bool:
        return tokens("".join(_plain(pieces(most), context))) <= room

    if fits(0):
        return pieces(_longest(fits, min(len(text), 4 * budget)))
    return []


def _too_small(
    form: str, result: SearchResult, context: Context, root: str, around: Callable[[int], str]
) -> str:
    """What to ask for where not one hit fits into the budget."""
    need = tokens(
        _pieces(form, result, context, root)[0] + around(len(result.hits) + result.truncated)
    )
    return f"the budget is too small for one hit: --budget {-(-need // 100) * 100}"


def _plain(pieces: Sequence[str], context: Context) -> Sequence[str]:
    """The pieces without the colours and links that only a terminal gets, which cost nothing of a
    budget."""
    if not context.tty:
        return pieces
    from aurelius.show.terminal import plain

    return [*map(plain, pieces)]


def _pieces(form: str, result: SearchResult, context: Context, root: str) -> list[str]:
    """The printed text of each hit, in the requested form."""
    asked = clean(result.query.text).words
    words = _beginnings(result)
    if form in {"json", "jsonl"}:
        from aurelius.show import json_text

        if form == "json":
            return [piece + "," for piece in json_text.hits(result.hits, words)]
        first = {"schema": json_text.SCHEMA, **({"weak": True} if result.weak else {})}
        return [piece + "\n" for piece in json_text.hits(result.hits, words, **first)]
    if form == "paths":
        return paths(hit.path for hit in result.hits)
    if form.startswith(FORMAT):
        from aurelius.show.text import hits_by

        return hits_by(form.removeprefix(FORMAT), result.hits)
    if form == "md":
        return show_hits.hits_markdown(result.hits)
    held = bool(result.query.filters.as_of)
    explain = result.query.explain
    paint = context.paint(root)
    return show_hits.hits(result.hits, words, paint=paint, explain=explain, asked=asked, held=held)


def _beginnings(result: SearchResult) -> list[str]:
    """The words that were asked for, without endings, which may differ in a text."""
    return [word[: max(4, len(word) - 3)] for word in clean(result.query.text).words]


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
    from aurelius.show.hits import IndexState
    from indexer.catalog.lists import count_found, get_failed

    fresh = vault.report is not None and vault.report.fresh
    try:
        index = vault.index()
    except IndexUnavailableError:  # the files were scanned instead
        return IndexState(0, 0, 0, fresh, ())
    failed = get_failed(index.db, private=private)
    return IndexState(*count_found(index.db, private=private), index.generation, fresh, failed)
