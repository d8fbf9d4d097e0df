"""What the options given mean: the form of the output, days, and filters of notes and facts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.catalog.filters import Filters
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.show.page import Page


def form_of(args: SimpleNamespace, *forms: str) -> str:
    """The form of output asked for, "" for text."""
    asked = [form for form in forms if getattr(args, form)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot go together", "choose one")
    return asked[0] if asked else ""


def filters_of(args: SimpleNamespace, context: Context) -> Filters:
    """The filters of `search`.  UsageError for a condition or a day that cannot be read."""
    from indexer.catalog.filters import where

    since, until = span(args, context)
    return Filters(
        kinds=args.kind,
        types=types_of(args.type),
        tags=args.tag,
        folder=args.folder or "",
        where=tuple(map(where, args.where)),
        since=since,
        until=until,
        status=args.status,
        as_of=days("--as-of", args.as_of, context)[1] if args.as_of else None,
        private=args.private,
        tiers=args.tier,
        archived=args.archived or "",
    )


def types_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Type words as filters have them."""
    if not words:
        return ()
    from indexer.reading.type_words import filter_name

    return tuple(dict.fromkeys(map(filter_name, words)))


def relative(filters: Filters, root: str) -> Filters:
    """The filters with `--in` as a path in the vault, where a whole path was typed."""
    if not os.path.isabs(filters.folder):
        return filters
    from aurelius.writing.safe_folder import below

    return filters._replace(folder=below(root, filters.folder))


def span(args: SimpleNamespace, context: Context) -> tuple[str | None, str | None]:
    """The first and the last day that `--on`, `--since` and `--until` name.  UsageError."""
    if args.on:
        if args.since or args.until:
            raise UsageError("--on cannot go with --since or --until", "use either --on, or --since and --until")
        return days("--on", args.on, context)
    since = days("--since", args.since, context)[0] if args.since else None
    until = days("--until", args.until, context)[1] if args.until else None
    if since and until and since > until:
        raise UsageError(f"--since {since} is later than --until {until}", "swap them")
    return since, until


def days(flag: str, text: str, context: Context) -> tuple[str, str]:
    """The first and the last day of words like 'last week'; UsageError that names the option `flag`."""
    from indexer.search.dates import dates

    try:
        return dates(text, this_day(context))
    except UsageError as error:
        raise UsageError(f"{flag}: {error.message}", error.hint) from None


def this_day(context: Context) -> str:
    """Today, as an ISO date, by the clock of the command."""
    return context.clock().date().isoformat()


def page_of(args: SimpleNamespace) -> Page:
    """The part of a list that `--limit`, `--offset` and `--all` ask for.  UsageError."""
    from aurelius.show.page import ROWS, Page

    if args.all and args.limit is not None:
        raise UsageError("--all and --limit cannot go together", "choose one")
    return Page(-1 if args.all else args.limit or ROWS, args.offset, args.all or args.limit is not None)
