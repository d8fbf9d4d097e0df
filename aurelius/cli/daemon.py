"""`aurelius daemon`: run, start, stop, status, install."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from aurelius import jsonout, render_daemon
from aurelius.cli.admin import FINDINGS
from aurelius.cli.opened import opened
from indexer.errors import UsageError, VaultNotFoundError

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.command import Context
    from aurelius.install import Plan
    from aurelius.launch import Found

FITS = {
    "json": ("start", "stop", "status"),
    "quiet": ("run",),
    "dry_run": ("install",),
    "yes": ("install",),
    "uninstall": ("install",),
}
"""Which actions an option is for."""


def daemon(args: SimpleNamespace, context: Context) -> int:
    """Run, start, stop, show or install the daemon of a vault."""
    for name, actions in FITS.items():
        if getattr(args, name) and args.action not in actions:
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"{flag} is not for `aurelius daemon {args.action}`",
                f"it is for {', '.join(actions)}; aurelius daemon --help shows what there is",
            )
    if args.dry_run and args.yes:
        raise UsageError("--dry-run and --yes contradict each other", "--dry-run shows, --yes writes")
    return ACTIONS[args.action](args, context)


def run(args: SimpleNamespace, context: Context) -> int:
    """Watch the vault from this terminal, until Ctrl-C or SIGTERM."""
    from aurelius.cli.journal import Journal
    from aurelius.cli.warm import answer
    from aurelius.daemon import run as watch
    from aurelius.places import daemon_folder

    root = _root(args, context)
    journal = Journal(daemon_folder(root, context.env), context, quiet=args.quiet)
    return watch(root, context.env, journal.path, journal, lambda request, live: answer(request, root, live))


def start(args: SimpleNamespace, context: Context) -> int:
    """Bring the index up to date, where that can be seen, and leave a daemon behind that starts warm."""
    from aurelius import launch
    from aurelius.config import load
    from aurelius.jobs import told

    root = _root(args, context)
    if launch.look(root, context.env).state is None:
        with opened(args, context):
            pass
    found, began = launch.start(root, context.env)
    context.tell("the daemon runs now" if began else "the daemon runs already; nothing was started")
    if began:
        context.tell(*told(load(root, context.env), context.env, context.clock()))
    return _show(args, context, found)


def stop(args: SimpleNamespace, context: Context) -> int:
    """Stop the daemon of this vault, wherever it was started from."""
    from aurelius import launch

    root = _root(args, context)
    pid = launch.stop(root, context.env)
    who = f"the daemon (pid {pid})" if pid else "the daemon"
    context.tell("no daemon runs for this vault" if pid is None else f"{who} is stopped")
    if args.json:
        context.put(jsonout.daemon(launch.look(root, context.env), ()))
    return 0


def status(args: SimpleNamespace, context: Context) -> int:
    """Show whether a daemon runs and how it does; 1 where something is wrong with one that runs."""
    from aurelius.launch import look

    found = look(_root(args, context), context.env)
    if found.holder is None:
        context.tell("searches are as fresh without it, and a little slower; `aurelius daemon start` starts it")
    return _show(args, context, found)


def install(args: SimpleNamespace, context: Context) -> int:
    """Show what starts the daemon at every login, and write it, or take it away, where the person says so."""
    from aurelius import install as installing
    from aurelius import launch

    found = launch.look(_root(args, context), context.env)
    words, path = launch.command(found.root), launch.search_path(context.env)
    made = installing.plan(found.root, context.env, words, found.folder, platform=sys.platform, path=path)
    now = installing.there(made)
    context.put(render_daemon.uninstallation(made, now) if args.uninstall else render_daemon.installation(made, now))
    context.tell(*made.notices)
    if args.uninstall and now:
        if _agreed(args, context, "remove it?"):
            installing.remove(made)
            context.tell(f"removed {made.file}")
    elif not args.uninstall and now != "same" and _agreed(args, context, "write it?"):
        installing.write(made, found.folder)
        context.tell(f"wrote {made.file}", *_switch(made, found))
    return 0


ACTIONS = {"run": run, "start": start, "stop": stop, "status": status, "install": install}


def _root(args: SimpleNamespace, context: Context) -> str:
    """The vault meant; one that is gone while its daemon waits for it can still be asked about and stopped."""
    from aurelius.config import find_vault
    from aurelius.launch import look
    from aurelius.places import absolute

    try:
        return find_vault(args.vault, context.env, context.cwd)
    except VaultNotFoundError:
        named = args.vault or context.env.get("AURELIUS_VAULT")
        if not named or args.action not in {"status", "stop"}:
            raise
        root = absolute(named, context.env, context.cwd)
        if look(root, context.env, patience=0).holder is None:
            raise
        return root


def _show(args: SimpleNamespace, context: Context, found: Found) -> int:
    from aurelius.launch import problems

    now = time.time()  # a heartbeat goes by the real clock
    wrong = problems(found, now)
    context.put(jsonout.daemon(found, wrong) if args.json else render_daemon.daemon(found, wrong, now))
    return FINDINGS if wrong else 0


def _agreed(args: SimpleNamespace, context: Context, question: str) -> bool:
    """Whether the person wants it: by --yes, or asked on a terminal."""
    if args.yes or args.dry_run:
        return bool(args.yes)
    if not context.tty:
        context.tell("nothing was done; --yes does it")
        return False
    context.err.write(f"aurelius: {question} [y/N] ")
    context.err.flush()
    agreed = context.stdin.readline().strip().casefold() in {"y", "yes"}
    if not agreed:
        context.tell("nothing was done")
    return agreed


def _switch(made: Plan, found: Found) -> list[str]:
    """What is left to the person: the commands, and the daemon in the way."""
    running = ["a daemon runs already; first: aurelius daemon stop"] if found.holder is not None else []
    return [*running, *(f"switch it on: {command}" for command in made.on)]
