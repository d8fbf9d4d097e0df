"""A vault opened for one command: refreshed with progress, its notices told, closed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from aurelius.cli.progress import Progress
from aurelius.places import appends_pending
from aurelius.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import SimpleNamespace

    from aurelius.command import Context


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
    finally:
        progress.close()
        context.tell(*dict.fromkeys(vault.notices))
        vault.close()


def _rejoin(vault: Vault, context: Context) -> None:
    """Append again what an editor saved over within the last minute; a daemon does so by itself."""
    if context.live is None and appends_pending(vault.root, context.env):
        from aurelius import rejoin
        from aurelius.edit import place_of

        context.tell(*rejoin.look(place_of(vault.config, context.env)))
