"""`aurelius search` and `recall`: a query out of the arguments, one call of the Vault, the hits as
asked for."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from aurelius.ageing.usage_log import used_by_search
from aurelius.cli.open_vault import (
    answer_reading,
    filters_in_vault,
    filters_of,
    form_of,
    log_uses,
    template_of,
)
from aurelius.settings.keys import MOST_SEARCH_HITS
from aurelius.show import hits as show_hits
from aurelius.show.page import MOST_ANSWER_TOKENS, fitting
from aurelius.show.terminal import paths
from indexer.catalog.filters import Filters
from indexer.errors import UsageError
from indexer.record import NamedTuple
from indexer.search.query import SearchQuery, clean_query
from indexer.spelling import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.show.hits import IndexState
    from aurelius.vault import Vault
    from indexer.search.hit import Hit, SearchResult
    from indexer.search.recalled import Recall

RECALLED = 1_000
"""Tokens of the answers of `recall` where no budget is given."""

_FORMAT_PREFIX = "format "
"""What a form of output begins with where a template is behind it."""


def run_search(args: SimpleNamespace, context: Context) -> int:
    """Find what the notes say about something; without words, list the notes that the filters
    allow."""
    began = perf_counter()
    filters = filters_of(args, context)
    if not _has_words(args, filters):
        from .lists import run_list

        return run_list(args, context)
    form = _form(args)

    def answer(vault: Vault, context: Context) -> int:
        result = vault.search(_query(args, filters_in_vault(filters, vault), vault))
        count = _put(args, form, result, vault, context, began)
        if args.limit and args.limit > MOST_SEARCH_HITS:
            context.tell(f"showing at most {MOST_SEARCH_HITS} hits, not {args.limit}")
        context.tell(*result.notices)
        if not result.hits and form != "json":
            state = show_hits.index_state(vault, private=args.private)
            context.tell(*show_hits.nothing_found(result, state))
        log_uses(args, context, vault, used_by_search(result.hits[:count]), "search")
        return 0

    return answer_reading(args, context, answer)


def run_recall(args: SimpleNamespace, context: Context) -> int:
    """Answer a question with a few lines of different notes, and with what they are linked to."""
    from indexer.search.recall import CANDIDATES, MOST_RECALLED

    began = perf_counter()
    if not " ".join(args.query).strip():
        raise UsageError("missing argument: QUESTION", "aurelius recall --help shows what there is")
    filters = filters_of(args, context)

    def answer(vault: Vault, context: Context) -> int:
        query = SearchQuery(
            " ".join(args.query),
            filters=filters_in_vault(filters, vault),
            limit=CANDIDATES,
            explain=args.explain,
        )
        whole = vault.recall(query, most=min(args.limit or MOST_RECALLED, MOST_RECALLED))
        kept = _put_recalled(args, whole, vault, context, began)
        if args.limit and args.limit > MOST_RECALLED:
            context.tell(
                f"showing at most {MOST_RECALLED} answers, not {args.limit}: `aurelius search`"
                " shows more"
            )
        context.tell(*whole.found.notices)
        if not (whole.answers or args.json):
            state = show_hits.index_state(vault, private=args.private)
            context.tell(*show_hits.nothing_found(whole.found, state))
        log_uses(
            args, context, vault, used_by_search([each.hit for each in kept.answers]), "recall"
        )
        return 0

    return answer_reading(args, context, answer)


def _put_recalled(
    args: SimpleNamespace,
    whole: Recall,
    vault: Vault,
    context: Context,
    began: float,
) -> Recall:
    """Print as many lines of the answers as fit into the budget; those."""
    asked = clean_query(whole.found.query.text).words
    words = show_hits.beginnings(whole.found)
    paint = context.paint(vault.root)
    took = (perf_counter() - began) * 1000
    write = Writer("", context, vault.root)

    def text(kept: Recall) -> str:
        left_out = whole.size - kept.size
        if args.json:
            from aurelius.show import json_text

            return (
                json_text.recall_json(
                    kept, words, left_out, show_hits.index_state(vault, private=args.private), took
                )
                + "\n"
            )
        weak = show_hits.weak_line(whole.found) if kept.answers else ""
        told = weak + show_hits.recalled(
            kept.answers, words, paint=paint, explain=args.explain, asked=asked
        )
        return told + show_hits.truncated(left_out)

    budget = args.budget or RECALLED

    def cost(kept: Recall) -> int:
        return count_tokens(write.plain([text(kept)])[0])

    kept = show_hits.fit_recall(whole, words, lambda each: cost(each) <= budget)
    if whole.answers and not kept.answers:
        need = -(-cost(whole.first(1)) // 100) * 100
        hint = f"the budget is too small for one answer: --budget {need}"
        kept = kept._replace(found=whole.found._replace(hint=hint))
        if not args.json:
            context.tell(hint)
    context.put(text(kept), indent=None if args.json else 4)
    return kept


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
            how = "add words to search for"
            if words:
                how = "leave out the words, and notes are listed"
            raise UsageError(
                f"{flag} {'is for lists' if words else 'needs a QUERY'}",
                f"leave out {flag}, or {how}",
            )
    return words


def _form(args: SimpleNamespace) -> str:
    """The form of output asked for, "" for text; a template stands behind _FORMAT_PREFIX."""
    form = form_of(args, "json", "jsonl", "paths", "md", "format")
    if form == "format":
        from aurelius.show.template import HIT_FIELDS

        return _FORMAT_PREFIX + template_of(args, HIT_FIELDS)
    return form


def _put(
    args: SimpleNamespace,
    form: str,
    result: SearchResult,
    vault: Vault,
    context: Context,
    began: float,
) -> int:
    """Print the hits that fit, in their form; how many.

    Without a budget and a limit of its own a search has MOST tokens. What does not fit is counted
    in JSON, beside an answer that programs read line by line, and below any other.
    """
    budget = args.budget or (None if args.limit else MOST_ANSWER_TOKENS)
    state = None
    if form == "json":
        state = show_hits.index_state(vault, private=args.private)
    elif not args.budget:
        result = result._replace(truncated=0)
    write = Writer(form, context, vault.root, state, (perf_counter() - began) * 1000)

    def around(left_out: int) -> str:
        return write.whole(result, (), left_out)

    pieces = write.pieces(result)
    count, left_out = within_budget(write.plain(pieces), budget, result.truncated, around)
    told = result
    if budget and pieces and not count:
        need = count_tokens(pieces[0] + around(len(pieces) + result.truncated))
        room = budget - count_tokens(around(left_out - 1))

        def of(hit: Hit) -> list[str]:
            return write.pieces(result._replace(hits=(hit,)))

        cut = show_hits.cut_hit(
            result.hits[0],
            show_hits.beginnings(result),
            lambda hit: count_tokens("".join(write.plain(of(hit)))) <= room,
        )
        if cut:
            pieces = of(cut)
            count = 1
            left_out -= 1
        else:
            hint = f"the budget is too small for one hit: --budget {-(-need // 100) * 100}"
            if state:
                told = result._replace(hint=hint)
            else:
                context.tell(hint)
    write.put(told, pieces[:count], left_out)
    return count


def within_budget(
    pieces: Sequence[str],
    budget: int | None,
    beyond: int,
    around: Callable[[int], str],
) -> tuple[int, int]:
    """How many of the pieces fit into a budget of tokens with what stands `around` them, and how
    many hits do not.

    `beyond` are hits that there are besides; `around` says what is printed where so many are left
    out.
    """
    if budget is None or count_tokens("".join(pieces) + around(beyond)) <= budget:
        return len(pieces), beyond
    count = fitting(pieces, budget - count_tokens(around(len(pieces) + beyond)))
    return count, len(pieces) - count + beyond


class Writer(NamedTuple):
    """How hits are written: in which form, for whom, and in which vault their files are; for JSON
    also what was searched, and in how many milliseconds."""

    form: str
    context: Context
    root: str
    state: IndexState | None = None
    took: float = 0.0

    @property
    def by_line(self) -> bool:
        """Whether programs read the form line by line, so that nothing else may stand in it."""
        return self.form in {"jsonl", "paths"} or self.form.startswith(_FORMAT_PREFIX)

    def whole(self, result: SearchResult, pieces: Sequence[str], left_out: int) -> str:
        """An answer with these pieces, of which so many were left out."""
        text = "".join(pieces)
        if self.state:
            from aurelius.show import json_text

            hits = [piece[:-1] for piece in pieces]
            return json_text.search_json(result, hits, left_out, self.state, self.took) + "\n"
        if self.by_line:
            return text
        return show_hits.weak_line(result) + text + show_hits.truncated(left_out)

    def put(self, result: SearchResult, pieces: Sequence[str], left_out: int) -> None:
        """Print an answer."""
        self.context.put(self.whole(result, pieces, left_out), indent=None if self.form else 4)
        if self.by_line:
            more = show_hits.truncated(left_out)
            self.context.tell(*show_hits.weak_line(result).splitlines()[:1], *more.splitlines()[1:])

    def plain(self, pieces: Sequence[str]) -> Sequence[str]:
        """The pieces without the colours and links that only a terminal gets, which cost nothing of
        a budget."""
        if not self.context.tty:
            return pieces
        from aurelius.show.terminal import without_colours

        return [*map(without_colours, pieces)]

    def pieces(self, result: SearchResult) -> list[str]:
        """The text of each hit."""
        if self.form in {"json", "jsonl"}:
            return self._json(result)
        if self.form == "paths":
            return paths(hit.path for hit in result.hits)
        if self.form.startswith(_FORMAT_PREFIX):
            from aurelius.show.template import hits_by

            return hits_by(self.form.removeprefix(_FORMAT_PREFIX), result.hits)
        if self.form == "md":
            return show_hits.hits_markdown(result.hits)
        return show_hits.hits_text(
            result.hits,
            show_hits.beginnings(result),
            paint=self.context.paint(self.root),
            explain=result.query.explain,
            asked=clean_query(result.corrected or result.query.text).words,
            held=bool(result.query.filters.as_of),
        )

    def _json(self, result: SearchResult) -> list[str]:
        from aurelius.show import json_text

        first: dict[str, Any] = {}
        end = ","
        if self.form == "jsonl":
            first = {"schema": json_text.SCHEMA, **json_text.lean(weak=result.weak)}
            end = "\n"
        hits = json_text.hits_json(result.hits, show_hits.beginnings(result), **first)
        return [hit + end for hit in hits]


def _query(
    args: SimpleNamespace,
    filters: Filters,
    vault: Vault,
) -> SearchQuery:
    limit = args.limit or 0
    if args.budget and not limit:
        limit = MOST_SEARCH_HITS
    return vault.query(
        " ".join(args.query),
        limit,
        filters,
        mode=args.mode or "",
        fusion=args.fusion or "",
        explain=args.explain,
    )
