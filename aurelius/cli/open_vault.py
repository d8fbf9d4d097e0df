"""A vault opened for one command: refreshed with progress, its notices told, what was used noted,
closed; and what the options given mean for what is asked of it: the form of the output, days, and
filters of notes and facts.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

from aurelius.settings.places import WATCHED_FILE, holds, is_unattended, vault_state
from aurelius.vault import Vault, healed
from indexer.catalog.filters import Filters, Linked
from indexer.catalog.visibility import check_agent
from indexer.errors import IndexUnavailableError, UsageError
from indexer.rows.schema import UNSOUND
from indexer.spelling import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from aurelius.show.page import Page

    from .run import Context

    Agent = Callable[[SimpleNamespace, Context], str | None]


_QUIET_REFRESH_NOTES = 200
"""A refresh of fewer notes than this is over before anyone could read that it goes on."""


class _Draft(io.StringIO):
    """What an answer has put so far; flush() passes it on to where it is meant for."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def drop(self) -> None:
        """Forget what was not passed on."""
        self.seek(0)
        self.truncate()

    def flush(self) -> None:
        """Pass on what was put."""
        if self.tell():
            self._out.write(self.getvalue())
            self.drop()
        self._out.flush()


def named_agent(args: SimpleNamespace, context: Context) -> str | None:
    """The agent that a command works as, as `--agent` or AURELIUS_AGENT names it; None for the
    person.

    UsageError where that is no name: it must not work as the person then, who sees more. UsageError
    where it asks for private notes, which are the person's.
    """
    named = args.agent or context.env.get("AURELIUS_AGENT") or None
    check_agent("AURELIUS_AGENT", named)  # `--agent` was checked when it was read
    if named and getattr(args, "private", False):
        raise UsageError(
            "--private cannot go with an agent's name",
            "private notes are shown to the person alone",
        )
    return named


def any_agent(args: SimpleNamespace, context: Context) -> str:
    """The same for what is given to an agent in any case: "" for one without a name, which sees no
    agent's memory."""
    return named_agent(args, context) or ""


def no_agent(args: SimpleNamespace, context: Context) -> str:
    """The same for what writes into shared notes what others say: it sees no agent's memory,
    whoever asks."""
    named_agent(args, context)
    return ""


def answer_reading(
    args: SimpleNamespace,
    context: Context,
    answer: Callable[[Vault, Context], int | None],
    agent: Agent = named_agent,
) -> int:
    """Answer a reading command; an index that turns out to be damaged is rebuilt and asked once
    more.

    What was put before the damage was met is dropped, unless it was flushed.
    """
    draft = _Draft(context.out)

    @healed
    def attempt(vault: Vault) -> int:
        draft.drop()
        return answer(vault, context._replace(out=draft)) or 0

    with open_vault(args, context, agent=agent) as vault:
        if context.live is None:
            vault.index().map_file()
        code = attempt(vault)
        draft.flush()
    return code


def reading(
    answer: Callable[[SimpleNamespace, Context, Vault], None],
) -> Callable[[SimpleNamespace, Context], int]:
    """The run function of a command that only reads one vault."""

    def run(args: SimpleNamespace, context: Context) -> int:
        return answer_reading(args, context, lambda vault, draft: answer(args, draft, vault))

    run.__doc__ = answer.__doc__
    return run


@contextmanager
def open_vault(
    args: SimpleNamespace, context: Context, *, refresh: bool = True, agent: Agent = named_agent
) -> Iterator[Vault]:
    """The vault a command works on, its index up to date; what it has to tell is told at the
    end."""
    vault = Vault.find(
        args.vault,
        context.env,
        context.cwd,
        now=context.clock(),
        live=context.live,
        zone=context.zone,
        agent=agent(args, context),
    )
    asks = (
        named_agent if agent is no_agent else agent
    )  # who sees no agent's memory there may be the person
    vault.person = context.person and asks(args, context) is None
    progress = ProgressLine(context)
    _rejoin(vault, context)
    try:
        if refresh:
            vault.refresh(
                progress=progress if context.live is None else None
            )  # a daemon's own are not shown
            progress.close()
        yield vault
    except UNSOUND as error:
        if vault.heals(error):
            raise IndexUnavailableError(
                f"the index was damaged ({error}) and has been rebuilt",
                "see whether the change was made (`aurelius undo --list`), then run the command"
                " again",
            ) from error
        raise
    finally:
        progress.close()
        context.tell(*dict.fromkeys(vault.notices))
        vault.close()


def _rejoin(vault: Vault, context: Context) -> None:
    """Look after what other programs and crashes did to changes of ours, and tell it to a person;
    an agent is told nothing, as it may be about a private note."""
    state = vault.config.state
    is_due = context.live is None and is_unattended(state)  # a daemon looks by itself
    if is_due or (vault.person and holds(state, WATCHED_FILE)):
        from aurelius.writing import append
        from aurelius.writing.edit import place_of_config

        context.tell(
            *append.look_for_lost_lines(
                place_of_config(vault.config, context.env), tells=vault.person
            )
        )
        state = vault_state(vault.root, context.env)  # that may have given the vault its name
        vault.config = vault.config._replace(state=state)


def log_uses(
    args: SimpleNamespace, context: Context, vault: Vault, refs: Iterable[str], via: str
) -> None:
    """Keep what was used, once the answer is out; nothing where `--no-use` says so."""
    if not args.no_use:
        from aurelius.ageing import usage_log

        context.out.flush()
        usage_log.record_uses(vault, refs, via, session_of(args, context))


def session_of(args: SimpleNamespace, context: Context) -> str:
    """The session that a command belongs to, as `--session` or AURELIUS_SESSION names it; "" for
    none."""
    from indexer.usage.log_line import SESSION_RULE, is_session

    named: str = args.session or context.env.get("AURELIUS_SESSION", "")
    if named and not is_session(named):
        context.tell(f"AURELIUS_SESSION is ignored: {SESSION_RULE}")
        return ""
    return named


class ProgressLine:
    """Called by refresh with (notes done, notes in all). Says nothing where there are fewer than
    `quiet`."""

    def __init__(
        self, context: Context, *, quiet: int = _QUIET_REFRESH_NOTES, doing: str = "indexing"
    ) -> None:
        self.context = context
        self.quiet = quiet
        self.doing = doing
        self._told = False
        self._counts = context.err.isatty() and context.env.get("TERM") != "dumb"

    def __call__(self, done: int, total: int) -> None:
        """Show it: as a line that counts on a terminal, elsewhere once."""
        if total < self.quiet:
            return
        if self._counts:
            self.context.err.write(f"\r{self.doing} notes: {done}/{total}")
        elif not self._told:
            self.context.tell(f"{self.doing} {total} {plural('note', total)}")
        self._told = True

    def close(self) -> None:
        """Take the line that counts away."""
        if self._counts and self._told:
            self.context.err.write("\r\x1b[K")
        self._told = False


# -- what the options given mean: the form of the output, days, and filters of notes and facts


def form_of(args: SimpleNamespace, *forms: str) -> str:
    """The form of output asked for, "" for text."""
    asked = [form for form in forms if getattr(args, form)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot go together", "choose one")
    return "".join(asked)


def filters_of(args: SimpleNamespace, context: Context) -> Filters:
    """The filters of a command that searches or lists. UsageError for a condition or a day that
    cannot be read."""
    from indexer.search.query import read_filters

    return read_filters(vars(args), this_day(context))


def filters_in_vault(filters: Filters, vault: Vault) -> Filters:
    """The filters as this vault means them.  NoteNotFoundError, AmbiguousNameError for a name of a
    note."""
    if filters.links == Linked() and not os.path.isabs(filters.folder):
        return filters  # as nearly always, and the lookup of names is slow to import
    from aurelius.answers.lookup import with_paths

    return with_paths(filters, vault)


def template_of(args: SimpleNamespace, fields: Sequence[str]) -> str:
    """What `--format` asks for, "" for nothing.  UsageError for a field that there is not."""
    if not args.format:
        return ""
    from aurelius.show.template import template

    return template(args.format, fields)


def span_of_args(args: SimpleNamespace, context: Context) -> tuple[str | None, str | None]:
    """The first and the last day that `--on`, `--since` and `--until` name.  UsageError."""
    from indexer.search.query import read_span

    return read_span(vars(args), this_day(context))


def days_of_option(flag: str, text: str, context: Context) -> tuple[str, str]:
    """The first and the last day of words like 'last week'; UsageError that names the option
    `flag`."""
    from indexer.search.query import read_days_named

    return read_days_named(flag, text, this_day(context))


def this_day(context: Context) -> str:
    """Today, as an ISO date, by the clock of the command."""
    return context.clock().date().isoformat()


def page_of(args: SimpleNamespace) -> Page:
    """The part of a list that `--limit`, `--offset` and `--all` ask for.  UsageError."""
    from aurelius.show.page import MOST_ANSWER_TOKENS, MOST_LIST_ROWS, Page

    if args.all and args.limit is not None:
        raise UsageError("--all and --limit cannot go together", "choose one")
    budget = getattr(args, "budget", None)
    limit = args.limit or (-1 if args.all or budget else MOST_LIST_ROWS)
    return Page(
        limit,
        args.offset,
        not budget and (args.all or args.limit is not None),
        budget or MOST_ANSWER_TOKENS,
    )
