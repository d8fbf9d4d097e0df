"""`aurelius daemon`: run, start, stop, status, install; and the log that a running one writes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from aurelius.cli.captured import answer_request
from aurelius.cli.open_vault import open_vault
from aurelius.cli.run import STOPPED
from aurelius.daemon import control
from aurelius.daemon import install as installing
from aurelius.daemon.client import PAGES_REQUEST
from aurelius.daemon.control import daemon_state, problems
from aurelius.daemon.jobs import describe_jobs
from aurelius.daemon.loop import run_loop as watch
from aurelius.settings.config import find_vault, load_config
from aurelius.settings.places import absolute, daemon_folder
from aurelius.settings.plain_toml import toml_value
from aurelius.show import health as show_daemon
from aurelius.show import json_text
from aurelius.show.terminal import one_line
from aurelius.writing.own_files import agree
from indexer.errors import UsageError, VaultNotFoundError

from .admin import FINDINGS

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.daemon.client import Answer
    from aurelius.daemon.control import DaemonProcess
    from aurelius.daemon.install import InstallPlan
    from aurelius.daemon.server import Request
    from indexer.live.live_index import Live

FITS = {
    "json": ("start", "stop", "status"),
    "quiet": ("run",),
    "dry_run": ("install",),
    "yes": ("install", "start"),
    "uninstall": ("install",),
}
"""Which actions an option is for."""
MOST_LOG_BYTES = 1 << 20
"""Bytes after which a log is renamed to `log.1`, replacing the one before, and a new one starts."""


def run_daemon(args: SimpleNamespace, context: Context) -> int:
    """Run, start, stop, show or install the daemon of a vault."""
    for name, actions in FITS.items():
        if getattr(args, name) and args.action not in actions:
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"`aurelius daemon {args.action}` does not take {flag}",
                f"{flag} is for: {', '.join(f'aurelius daemon {each}' for each in actions)}",
            )
    if args.dry_run and args.yes:
        raise UsageError("--dry-run and --yes cannot go together", "--dry-run shows, --yes writes")
    return ACTION_FUNCTIONS[args.action](args, context)


def _daemon_run(args: SimpleNamespace, context: Context) -> int:
    """Watch the vault from this terminal, until Ctrl-C or SIGTERM."""
    root = _root(args, context)
    journal = Journal(daemon_folder(root, context.env), context, quiet=args.quiet)

    def reply(request: Request, live: Live) -> Answer | None:
        if request.what == PAGES_REQUEST:
            from .serve import serve_beside

            return serve_beside(request.argv, root, context.env, live, journal)
        return answer_request(request, root, live)

    ended = watch(root, context.env, journal.path, journal, reply)
    if ended == signal.SIGINT:
        return STOPPED
    return 0


def _daemon_start(args: SimpleNamespace, context: Context) -> int:
    """Bring the index up to date, where that can be seen, and leave a daemon behind that starts
    warm."""
    root = _root(args, context)
    agreed = _agreed_to_jobs(args, context, root)
    if control.daemon_state(root, context.env).state is None:
        with open_vault(args, context):
            pass
    found, began = control.start_daemon(root, context.env)
    context.tell(
        "started the daemon" if began else "the daemon was already running; nothing was started"
    )
    if began or agreed:
        context.tell(*describe_jobs(load_config(root, context.env), context.env, context.clock()))
    return _show(args, context, found)


def _daemon_stop(args: SimpleNamespace, context: Context) -> int:
    """Stop the daemon of this vault, wherever it was started from."""
    root = _root(args, context)
    pid = control.stop_daemon(root, context.env)
    who = "the daemon"
    if pid:
        who = f"the daemon (pid {pid})"
    context.tell("no daemon is running for this vault" if pid is None else f"stopped {who}")
    if args.json:
        context.put(json_text.daemon_json(control.daemon_state(root, context.env), ()))
    return 0


def _daemon_status(args: SimpleNamespace, context: Context) -> int:
    """Show whether a daemon is running, and its state; exit code 1 if it has a problem."""
    found = daemon_state(_root(args, context), context.env)
    if found.holder is None:
        context.tell(
            "searches are just as fresh without it, only a little slower; to start it: aurelius"
            " daemon start"
        )
    return _show(args, context, found)


def _daemon_install(args: SimpleNamespace, context: Context) -> int:
    """Show the login service of the daemon; write or remove it if the person agrees."""
    found = control.daemon_state(_root(args, context), context.env)
    made = installing.service_of(found.root, context.env)
    now = installing.there(made)
    context.put(
        show_daemon.uninstallation(made, now)
        if args.uninstall
        else show_daemon.installation(made, now)
    )
    context.tell(*made.notices)
    if args.uninstall and now:
        if _agreed(args, context, "remove it?"):
            installing.remove_service(made)
            context.tell(f"removed {made.file}")
    elif not args.uninstall and now != "same" and _agreed(args, context, "write it?"):
        installing.write_service(made, found.folder)
        context.tell(f"wrote {made.file}", *_switch(made, found))
    return 0


ACTION_FUNCTIONS = {
    "run": _daemon_run,
    "start": _daemon_start,
    "stop": _daemon_stop,
    "status": _daemon_status,
    "install": _daemon_install,
}


def _root(args: SimpleNamespace, context: Context) -> str:
    """The folder of the vault. It need not exist any more: the daemon of a vault that is gone can
    still be asked for its state and stopped."""
    try:
        return find_vault(args.vault, context.env, context.cwd)
    except VaultNotFoundError:
        named = args.vault or context.env.get("AURELIUS_VAULT")
        if not named or args.action not in {"status", "stop"}:
            raise
        root = absolute(named, context.env, context.cwd)
        if daemon_state(root, context.env, patience=0).holder is None:
            raise
        return root


def _show(args: SimpleNamespace, context: Context, found: DaemonProcess) -> int:

    now = time.time()  # a heartbeat goes by the real clock
    wrong = problems(found, now)
    context.put(
        json_text.daemon_json(found, wrong)
        if args.json
        else show_daemon.daemon_text(found, wrong, now)
    )
    if wrong:
        return FINDINGS
    return 0


def _agreed_to_jobs(args: SimpleNamespace, context: Context, root: str) -> bool:
    """Ask the person to allow the jobs of the vault's settings; True if they agree now, by --yes or
    on a terminal."""
    asked = [
        each for each in load_config(root, context.env).in_vain if each.key.startswith("jobs.")
    ]
    if not any(each.key != "jobs.device" for each in asked) or not (args.yes or context.tty):
        return False
    context.tell(
        *(
            f"the vault's settings ask for {each.key} = {toml_value(each.value)} ({each.source})"
            for each in asked
        )
    )
    if not args.yes and not context.says_yes("allow these jobs to run on this device?"):
        return False
    agree(root, context.env)
    return True


def _agreed(args: SimpleNamespace, context: Context, question: str) -> bool:
    """Ask the person; True if they agree, by --yes or on a terminal."""
    if args.yes or args.dry_run:
        return bool(args.yes)
    if not context.tty:
        context.tell("nothing was done; add --yes to do it without asking")
        return False
    agreed = context.says_yes(question)
    if not agreed:
        context.tell("nothing was done")
    return agreed


def _switch(made: InstallPlan, found: DaemonProcess) -> list[str]:
    """Commands that the person still has to run, and a running daemon that has to be stopped
    first."""
    running = []
    if found.holder is not None:
        running = ["a daemon is already running; stop it first: aurelius daemon stop"]
    return [*running, *(f"to switch it on: {command}" for command in made.on)]


class Journal:
    """Writes one line to the log and the terminal; write errors are ignored, such as those of a
    full disk."""

    def __init__(self, folder: str, context: Context, *, quiet: bool = False) -> None:
        self.path = os.path.join(folder, "log")
        self._context = context
        self._quiet = quiet

    def __call__(self, line: str) -> None:
        """Tell it, with the time in the log; quietly to the log alone."""
        if not self._quiet:
            with suppress(OSError, ValueError):
                self._context.tell(line)
                self._context.err.flush()
        with suppress(OSError):
            self._write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {one_line(line)}\n")

    def _write(self, line: str) -> None:
        with open(self.path, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(line)
            full = stream.tell() > MOST_LOG_BYTES
        if full:
            os.replace(self.path, self.path + ".1")
