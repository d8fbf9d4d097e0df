"""What the options given mean: the form of the output, days, and filters of notes and facts."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING

from indexer.catalog.filters import Filters, Linked
from indexer.errors import IndexUnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.cli.run import Context
    from aurelius.show.page import Page
    from aurelius.vault import Vault

UNASKED = {"type": (), "tier": (), "status": "active", "as_of": None, "since": None, "until": None, "on": None}
"""Filters that only some commands have, as they are where nobody asks for them."""


def form_of(args: SimpleNamespace, *forms: str) -> str:
    """The form of output asked for, "" for text."""
    asked = [form for form in forms if getattr(args, form)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot go together", "choose one")
    return asked[0] if asked else ""


def filters_of(args: SimpleNamespace, context: Context) -> Filters:
    """The filters of a command that searches or lists.  UsageError for a condition or a day that cannot be read."""
    from indexer.catalog.filters import where

    args = SimpleNamespace(**UNASKED | vars(args))
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
        links=_links(args),
    )


def _links(args: SimpleNamespace) -> Linked:
    walks = bool(args.linked_by or args.link_to)
    if (args.recursive or args.max_distance) and not walks:
        flag, more = ("--recursive", "") if args.recursive else ("--max-distance", f" {args.max_distance}")
        raise UsageError(f"{flag} needs --linked-by or --link-to", f"for example --linked-by joe {flag}{more}")
    most = args.max_distance or (0 if args.recursive else 1)
    return Linked(args.linked_by, args.link_to, args.related, args.orphan, most)


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


def in_vault(filters: Filters, vault: Vault) -> Filters:
    """The filters as this vault means them: `--in` as a path in it, and the notes that are linked as they say.

    NoteNotFoundError, AmbiguousNameError for a name of a note.
    """
    filters = relative(filters, vault.root)
    if filters.links == Linked():
        return filters
    from aurelius.answers.lookup import with_paths

    try:
        db = vault.index().db
    except IndexUnavailableError:  # the files are searched instead, and that says what it cannot do
        return filters
    return with_paths(filters, db, lambda name: vault.resolve(name, private=filters.private))


def template_of(args: SimpleNamespace, fields: Sequence[str]) -> str:
    """What `--format` asks for, "" for nothing.  UsageError for a field that there is not."""
    if not args.format:
        return ""
    from aurelius.show.text import template

    return template(args.format, fields)


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
    from aurelius.show.page import MOST, ROWS, Page

    if args.all and args.limit is not None:
        raise UsageError("--all and --limit cannot go together", "choose one")
    budget = getattr(args, "budget", None)
    limit = args.limit or (-1 if args.all or budget else ROWS)
    return Page(limit, args.offset, not budget and (args.all or args.limit is not None), budget or MOST)
