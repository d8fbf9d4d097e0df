"""What all pages of a server share, and how a page is made: the vault opened, the page asked,
its template filled."""

from __future__ import annotations

import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.ageing import usage_log
from aurelius.vault import Vault, healed
from indexer.errors import (
    AmbiguousNameError,
    AureliusError,
    ConflictError,
    NoteNotFoundError,
    UsageError,
    VaultNotFoundError,
)

from .call import PageAnswer, PageCall
from .done import what_was_done
from .page_words import words_on_page
from .session import Sessions, form_token
from .templates import rendered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.live.live_index import Live

    PageFunction = Callable[[PageCall], PageAnswer]

_STATUSES = {
    NoteNotFoundError: HTTPStatus.NOT_FOUND,
    AmbiguousNameError: HTTPStatus.MULTIPLE_CHOICES,
    ConflictError: HTTPStatus.CONFLICT,
    UsageError: HTTPStatus.BAD_REQUEST,
    VaultNotFoundError: HTTPStatus.CONFLICT,
}
"""What a browser is told of an error, besides the page."""


NAVIGATION = (
    ("/", "Chat"),
    ("/memory", "Overview"),
    ("/memory/people", "People"),
    ("/memory/projects", "Projects"),
    ("/memory/companies", "Companies"),
    ("/memory/timeline", "Timeline"),
    ("/review", "Review"),
    ("/tasks", "Tasks"),
    ("/health", "Health"),
    ("/settings", "Settings"),
)
"""The pages that every page leads to."""


class PageHost(NamedTuple):
    """The vault at `root` as pages show it: its index as it was `opened`, the `sessions`, the
    `token` of programs, the clock; `watches` says whether somebody keeps the index equal to the
    files all the time; `tell` gets a line where a page fails."""

    root: str
    env: Mapping[str, str]
    opened: Live
    sessions: Sessions
    token: str
    watches: bool
    tell: Callable[[str], None]
    clock: Callable[[], datetime.datetime] = datetime.datetime.now

    @property
    def live(self) -> Live:
        """The index as it is kept now."""
        now = self.opened
        while now.heir:
            now = now.heir
        return now

    def open_vault(self) -> Vault:
        """The vault for one answer, as the person sees it, at the time it is now."""
        return Vault.find(self.root, self.env, self.root, now=self.clock(), live=self.live)


def answer_page(
    host: PageHost, page: PageFunction, name: str, query: Mapping[str, str], shown: Shown
) -> tuple[int, str]:
    """The HTTP status and the HTML that a page answers; an error of the person's is a page too."""
    try:
        with host.open_vault() as vault:
            answer = _asked(vault, page, name, query)
            html = fill(host, vault, answer, shown)
            if answer.uses and not shown.again:
                usage_log.record_uses(vault, answer.uses, "page")
    except AureliusError as error:
        return answer_error(host, error, shown)
    return answer.status, html


class Shown(NamedTuple):
    """To whom a page is shown: the key of the session, the address asked for, whether it is there
    already and only comes again because a file changed, the number of a change that was just made,
    and the generation of the index that it shows at least."""

    key: bytes
    path: str
    again: bool = False
    done: str = ""
    generation: int = 0

    def token(self, action: str) -> str:
        """What a form that is sent to this action carries."""
        return form_token(self.key, action)


def _asked(vault: Vault, page: PageFunction, name: str, query: Mapping[str, str]) -> PageAnswer:
    """What the page answers; a damaged index is rebuilt, and asked again."""

    @healed
    def attempt(vault: Vault) -> PageAnswer:
        return page(PageCall(vault, name, query))

    return attempt(vault)


def error_status(error: AureliusError) -> int:
    """The HTTP status that an error is."""
    kinds = (status for kind, status in _STATUSES.items() if isinstance(error, kind))
    return next(kinds, HTTPStatus.INTERNAL_SERVER_ERROR)


def answer_error(host: PageHost, error: AureliusError, shown: Shown) -> tuple[int, str]:
    """An error as a page."""
    status = error_status(error)
    title, hint = words_on_page(error)
    answer = PageAnswer("error.html", title, {"hint": hint}, status)
    return status, fill(host, None, answer, shown)


def fill(host: PageHost, vault: Vault | None, answer: PageAnswer, shown: Shown) -> str:
    """A page as HTML, with what stands around every one."""
    around: dict[str, Any] = {
        "title": answer.title,
        "nav": NAVIGATION,
        "here": shown.path,
        "watches": host.watches,
        "live": shown.generation if host.watches else "no",
        "token": shown.token,
        "today": host.clock().date().isoformat(),
        "notices": (),
        "done": None,
    }
    if vault is not None:
        around["notices"] = tuple(dict.fromkeys(vault.notices))
        around["done"] = what_was_done(vault, shown.done)
    return rendered(answer.template, {**around, **answer.values})
