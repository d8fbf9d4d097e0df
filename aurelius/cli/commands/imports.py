"""The command that brings in what other programs keep: import."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurelius import api
from aurelius.cli.apply_plan import as_asked
from aurelius.cli.open_vault import no_agent, open_vault
from aurelius.show import imports
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.api import ImportResult
    from aurelius.cli.run import Context

_DECLINED = 1
_LARGE_BYTES = 32 << 20
"""Bytes of an export from which on it is said that reading takes time."""


def run_import(args: SimpleNamespace, context: Context) -> int:
    """Show what an export holds, and write it if the person agrees."""
    if args.json and not (args.yes or args.dry_run):
        raise UsageError(
            "with --json, import does not ask", "add --yes, or --dry-run to see what would come"
        )
    path = os.path.normpath(os.path.join(context.cwd, os.path.expanduser(args.path)))
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size >= _LARGE_BYTES:
        context.tell(f"reading {size >> 20:,} MB; this may take minutes")
    with open_vault(args, context, agent=no_agent) as vault:
        how = as_asked(args, context)
        if not args.yes:
            would = api.import_from(vault, path, **{**how, "dry_run": True})
            _show(args, context, would, done=False)
            if args.dry_run or not any(each.changes for each in would.reports):
                return 0
            if not _agreed_to(context):
                return _DECLINED
        done = api.import_from(vault, path, **how)
        if args.yes:
            _show(args, context, done, done=True)
        if done.number:
            context.tell(f"imported; `aurelius undo --number {done.number}` takes it all back")
            if any(each.facts.counts["new"] for each in done.reports):
                context.tell("`aurelius review` lists the facts that you can accept or dismiss")
        if done.uncommitted:
            context.tell(f"written, but not committed: {done.uncommitted}")
    return 0


def _show(args: SimpleNamespace, context: Context, found: ImportResult, *, done: bool) -> None:
    if args.json:
        context.put(imports.import_json(found.reports, found.number, dry_run=not done))
        return
    context.put(imports.import_told(found.reports, done=done))
    if not any(each.total for each in found.reports):
        context.tell("there is nothing in it to import")
    elif not any(each.changes for each in found.reports):
        context.tell("nothing new: all of it is here already")


def _agreed_to(context: Context) -> bool:
    """Ask the person whether to import what was shown."""
    if context.tty and context.says_yes("import it?"):
        return True
    context.tell("nothing was written; to import it without being asked: --yes")
    return False
