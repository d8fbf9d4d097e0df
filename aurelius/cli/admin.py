"""The commands that look after a vault and its index: init, index, status, doctor, config, forget."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurelius import appends, jsonout, previous, render
from aurelius.cli.opened import opened
from aurelius.cli.progress import Progress
from aurelius.command import STOPPED
from aurelius.places import vault_state
from aurelius.visible import shell_word
from indexer.errors import UsageError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.command import Context
    from indexer.refresh import RefreshReport

FINDINGS = 1
"""Exit code when something is wrong with notes: findings of doctor, notes that failed."""


def init(args: SimpleNamespace, context: Context) -> int:
    """Make a vault, or make a folder of notes one."""
    from aurelius import template

    directory = os.path.normpath(os.path.join(context.cwd, os.path.expanduser(args.directory)))
    done = template.init(directory, git=args.git, adopt=args.adopt, now=context.clock().date())
    context.put(jsonout.made(done) if args.json else render.made(done))
    if done.existed:
        context.tell(f"{directory} is a vault already; nothing was changed")
    else:
        where = "" if directory == context.cwd else f" --vault {shell_word(args.directory)}"
        context.tell(f"{directory} is a vault now; to ask it something: aurelius{where} search WORDS")
    if done.kept:
        context.tell(f"left as they were: {', '.join(done.kept)}")
    return 0


def index(args: SimpleNamespace, context: Context) -> int:
    """Bring the index up to date, or build it anew."""
    progress = Progress(context, quiet=1)
    with opened(args, context, refresh=False) as vault:
        try:
            if args.rebuild:
                report = vault.rebuild(progress=progress)
            else:
                report = vault.refresh(progress=progress, accept_deletions=args.accept_deletions)
        except KeyboardInterrupt:
            context.tell("stopped; the index is sound, and `aurelius index` does what is left")
            return STOPPED
        finally:
            progress.close()
    context.put(jsonout.report(report) if args.json else render.report(report))
    return _code(report)


def status(args: SimpleNamespace, context: Context) -> int:
    """Show where vault and index are and how they do."""
    from aurelius import launch, usagelog

    with opened(args, context) as vault:
        state = vault.status()
        unlogged = usagelog.unlogged(vault)
        daemon = launch.in_short(launch.look(vault.root, context.env))
    shown = jsonout.status(state, daemon, unlogged) if args.json else render.status(state, daemon, unlogged)
    context.put(shown)
    return FINDINGS if state.failed else 0


def doctor(args: SimpleNamespace, context: Context) -> int:
    """List what is wrong in the notes, where, and the remedy; or prove that the index is what they say."""
    if args.verify or args.fix:
        return _verify(args, context)
    with opened(args, context) as vault:
        found = vault.check()
    context.put(jsonout.findings(found) if args.json else render.findings(found, colour=context.colour))
    context.tell(f"{len(found)} {'finding' if len(found) == 1 else 'findings'}" if found else "nothing is wrong")
    return FINDINGS if found else 0


def _verify(args: SimpleNamespace, context: Context) -> int:
    from aurelius.proof import prove

    if not args.verify:
        raise UsageError("--fix means something only beside --verify", "try `aurelius doctor --verify --fix`")
    progress = Progress(context, doing="verifying")
    with opened(args, context, refresh=False) as vault:
        try:
            found = prove(vault, fix=args.fix, progress=progress)
        finally:
            progress.close()
    context.put(jsonout.verification(found) if args.json else render.verification(found))
    context.tell(render.verdict(found, fixed=args.fix))
    return FINDINGS if found.differences else 0


def config(args: SimpleNamespace, context: Context) -> int:
    """Show every setting and where it comes from."""
    from aurelius.config import explain

    with opened(args, context, refresh=False) as vault:
        rows = explain(vault.config)
    context.put(jsonout.settings(rows) if args.json else render.settings(rows))
    return 0


def forget(args: SimpleNamespace, context: Context) -> int:
    """Leave no byte of a note in the index."""
    with opened(args, context, refresh=False) as vault:
        done = vault.forget(args.path)
        state = vault_state(vault.root, context.env)
    previous.forget(state, done.path)
    appends.forget(state, done.path)
    context.put(jsonout.forgotten(done) if args.json else render.forgotten(done))
    return 0


def _code(report: RefreshReport) -> int:
    return FINDINGS if report.failed else 0
