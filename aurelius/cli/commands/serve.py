"""`aurelius serve`: the pages of a vault, in its daemon's process or in one of their own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aurelius.daemon.client import PAGES_REQUEST, Answer, control_daemon
from aurelius.settings.config import find_vault
from aurelius.settings.places import daemon_folder, vault_state
from aurelius.show import json_text
from aurelius.web.found_pages import find_pages
from indexer.errors import AureliusError, ConflictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import SimpleNamespace

    from aurelius.cli.run import Context
    from aurelius.web.found_pages import PagesFound
    from indexer.live.live_index import Live


_PORTS = (1024, 65536)
_WHICH_PORTS = "choose one from 1024 to 65535, or 0 for any free one"


def run_serve(args: SimpleNamespace, context: Context) -> int:
    """Tell where the pages are, and serve them here where nobody does yet."""
    root = find_vault(args.vault, context.env, context.cwd)
    state = vault_state(root, context.env)
    if args.port and not _PORTS[0] <= args.port < _PORTS[1]:
        raise UsageError(f"port {args.port} cannot be used", _WHICH_PORTS)
    found = find_pages(state)
    if found is not None and args.port not in {None, 0, found.port}:
        context.tell(f"the pages are served on port {found.port} already; --port changes nothing")
    found = found or _from_daemon(root, context, state, args.port)
    if found is not None:
        return _tell_where(found, args, context)
    return _serve_here(root, args, context, state)


def _from_daemon(root: str, context: Context, state: str, port: int | None) -> PagesFound | None:
    """The pages as the daemon of this vault serves them, asked to begin; None where none runs."""
    told = "" if port is None else str(port)
    answer = control_daemon(daemon_folder(root, context.env), PAGES_REQUEST, told)
    if answer is None:
        return None
    if answer:
        raise ConflictError(answer.decode(), "choose another port with --port")
    return find_pages(state)


def serve_beside(
    argv: Sequence[str],
    root: str,
    env: Mapping[str, str],
    live: Live,
    tell: Callable[[str], None],
) -> Answer:
    """Serve the pages in a thread of the daemon, on the port in `argv` where one is named; an
    answer with what went wrong, nothing for nothing."""
    from aurelius.web.serving import PageSite, build_page_server, serve_in_thread

    told = next(iter(argv), "")
    port = int(told) if told.isdecimal() else None
    try:
        site = PageSite(root, env, vault_state(root, env), tell)
        made = build_page_server(site, live, port, watches=True)
    except AureliusError as error:
        return Answer(1, error.message.encode(), b"")
    serve_in_thread(made)
    tell(f"serving the pages on port {made.port}")
    return Answer(0, b"", b"")


def _serve_here(root: str, args: SimpleNamespace, context: Context, state: str) -> int:
    """Serve the pages in this process until Ctrl-C."""
    from aurelius.vault import Vault
    from aurelius.web.serving import PageSite, build_page_server, serve_in_thread
    from indexer.live.live_index import Live

    settings = Vault.find(args.vault, context.env, context.cwd, now=context.clock()).settings
    live = Live(settings, lambda: None)
    site = PageSite(root, context.env, state, context.tell)
    made = build_page_server(site, live, args.port, watches=False)
    serve_in_thread(made)
    found = find_pages(state)
    if found is None:
        raise AureliusError("the pages do not answer", "run it again")
    _tell_where(found, args, context)
    context.tell(
        "the pages show the files as they are when you load them, until Ctrl-C; with a daemon"
        " (`aurelius daemon start`) they follow every change"
    )
    try:
        while not made.server.should_exit:
            time.sleep(0.2)
    finally:
        made.server.should_exit = True
        live.close()
    return 0


def _tell_where(found: PagesFound, args: SimpleNamespace, context: Context) -> int:
    """Say where the pages are, and open them where that is asked for."""
    if args.json:
        context.put(json_text.dump(**found._asdict(), url=found.url))
    else:
        context.put(found.url)
    context.out.flush()
    context.tell(f"the address is good once, for a minute; to type it by hand: {found.code}")
    if args.open:
        import webbrowser

        if not webbrowser.open(found.url):
            context.tell("no browser could be opened: copy the address into one")
    return 0
