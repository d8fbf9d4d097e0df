"""A vault opened for one command: refreshed with progress, its notices told, what was used noted, closed."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from aurelius.settings.places import is_unattended, vault_state
from aurelius.vault import Vault, healed
from indexer.errors import IndexUnavailableError
from indexer.rows.schema import UNSOUND

from .typed_words import SESSION_RULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import SimpleNamespace
    from typing import TextIO

    from .run import Context


QUIET = 200
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


def answered(args: SimpleNamespace, context: Context, answer: Callable[[Vault, Context], int]) -> int:
    """Answer a reading command; an index that turns out to be damaged is rebuilt and asked once more.

    What was put before the damage was met is dropped, unless it was flushed.
    """
    draft = _Draft(context.out)

    @healed
    def attempt(vault: Vault) -> int:
        draft.drop()
        return answer(vault, context._replace(out=draft))

    with opened(args, context) as vault:
        code = attempt(vault)
        draft.flush()
    return code


@contextmanager
def opened(args: SimpleNamespace, context: Context, *, refresh: bool = True) -> Iterator[Vault]:
    """The vault a command works on, its index up to date; what it has to tell is told at the end."""
    vault = Vault.find(args.vault, context.env, context.cwd, now=context.clock(), live=context.live, zone=context.zone)
    progress = Progress(context)
    _rejoin(vault, context)
    try:
        if refresh:
            vault.refresh(progress=progress if context.live is None else None)  # a daemon's own are not shown
            progress.close()
        yield vault
    except UNSOUND as error:
        if vault.distrust() and isinstance(error, apsw.Error):
            raise IndexUnavailableError(
                f"the index was damaged ({error}) and has been rebuilt",
                "see whether the change was made (`aurelius undo --list`), then run the command again",
            ) from error
        raise
    finally:
        progress.close()
        context.tell(*dict.fromkeys(vault.notices))
        vault.close()


def _rejoin(vault: Vault, context: Context) -> None:
    """Look after what other programs and crashes did to changes of ours, and tell it; a daemon does so by itself."""
    if context.live is None and is_unattended(vault.config.state):
        from aurelius.writing import append
        from aurelius.writing.edit import place_of

        context.tell(*append.look(place_of(vault.config, context.env)))
        state = vault_state(vault.root, context.env)  # that may have given the vault its name
        vault.config = vault.config._replace(state=state)


def log_uses(args: SimpleNamespace, context: Context, vault: Vault, refs: Iterable[str], via: str) -> None:
    """Keep what was used, once the answer is out; nothing where `--no-use` says so."""
    if not args.no_use:
        from aurelius.ageing import usage_log

        context.out.flush()
        usage_log.use(vault, refs, via, _session(args, context))


def _session(args: SimpleNamespace, context: Context) -> str:
    """The session that a command belongs to, as `--session` or AURELIUS_SESSION names it; "" for none."""
    from indexer.usage.log_line import is_session

    named: str = args.session or context.env.get("AURELIUS_SESSION", "")
    if named and not is_session(named):
        context.tell(f"AURELIUS_SESSION is ignored: {SESSION_RULE}")
        return ""
    return named


def log_time(args: SimpleNamespace, vault: Vault, seconds: float) -> None:
    """Keep how long a search took, for `status`; nothing where `--no-use` says so."""
    if not args.no_use:
        from aurelius.ageing import usage_log

        usage_log.keep_time(vault, seconds)


def move_uses(args: SimpleNamespace, vault: Vault) -> None:
    """Let a command that writes move the uses that wait to the vault's log."""
    if not args.dry_run:
        from aurelius.ageing import usage_log

        usage_log.move(vault)


class Progress:
    """Called by refresh with (notes done, notes in all).  Says nothing where there are fewer than `quiet`."""

    def __init__(self, context: Context, *, quiet: int = QUIET, doing: str = "indexing") -> None:
        self.context = context
        self.quiet = quiet
        self.doing = doing
        self._bar: Any = None
        self._told = False

    def __call__(self, done: int, total: int) -> None:
        """Show it; the first call decides how."""
        if total < self.quiet:
            return
        if not self._told:
            self._told = True
            if self.context.err.isatty() and self.context.env.get("TERM") != "dumb":
                self._bar = _bar(self.context, total, self.doing)
            else:
                self.context.tell(f"{self.doing} {total} {'note' if total == 1 else 'notes'}")
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def _bar(context: Context, total: int, doing: str) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=context.err, no_color=bool(context.env.get("NO_COLOR")))
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TextColumn("notes"), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True)
    bar.add_task(doing, total=total)
    bar.start()
    return bar
