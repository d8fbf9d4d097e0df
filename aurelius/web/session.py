"""Sessions of the pages: a code that is used once becomes a cookie, and the cookie a token for each
form.

A code is put into the address behind `#`, which a browser sends to nobody and writes into no log;
the page sends it as a form. Nothing here is kept on the disk: when the server ends, all sessions
end.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from .talks import OpenTalk

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.datastructures import Headers

CODE_SECONDS = 60.0
"""Seconds that a code may be used within."""
MOST_WRONG_CODES = 20
"""Wrong codes after which those that wait are void."""
MOST_SESSIONS = 32
"""Sessions at a time; a new one ends the oldest."""
_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_CODE_LENGTH = 12
_DASHES = 4
"""Letters of a code between two dashes, with which it is easier to type."""


class Sessions:
    """The codes that wait and the sessions that they became, of the server on `port`.

    Browsers share cookies between the ports of a computer, so the name of the cookie has the port.
    """

    def __init__(self, port: int) -> None:
        self.cookie = f"aurelius-{port}"
        self._lock = threading.Lock()
        self._codes: dict[str, float] = {}
        self._wrong = 0
        self._keys: dict[str, bytes] = {}
        self.turns = threading.Lock()
        """Held by the one form that changes something."""
        self.kept: dict[str, Any] = {}
        """What forms were answered lately, each a KeptPage, by the name that its address has."""
        self.sent: dict[str, tuple[int, str]] = {}
        """The forms that changed something lately, each with the number of the change and where
        its answer led."""
        self._talks: dict[bytes, OpenTalk] = {}

    def new_code(self, now: float) -> str:
        """A code that is good for one session, until `now` plus CODE_SECONDS; `now` is any clock
        that only goes on, in seconds."""
        code = "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
        with self._lock:
            self._wrong = 0
            self._codes = {each: end for each, end in self._codes.items() if end > now}
            self._codes[code] = now + CODE_SECONDS
        return "-".join(code[at : at + _DASHES] for at in range(0, _CODE_LENGTH, _DASHES))

    def redeem(self, typed: str, now: float) -> str:
        """The name of a new session, the value of its cookie; "" where the code is not good (any
        more)."""
        code = "".join(letter for letter in typed.lower() if letter in _CODE_LETTERS)
        with self._lock:
            end = self._codes.pop(code, 0.0)
            if end <= now:
                self._miss()
                return ""
            name = secrets.token_urlsafe(32)
            self._keys[name] = secrets.token_bytes(32)
            for old in [*self._keys][:-MOST_SESSIONS]:
                del self._keys[old]
        return name

    def talk_of(self, key: bytes) -> OpenTalk:
        """The conversation of the session of a key."""
        with self._lock:
            return self._talks.get(key, OpenTalk())

    def change_talk(self, key: bytes, change: Callable[[OpenTalk], OpenTalk]) -> OpenTalk:
        """Put another conversation in its place; those of sessions that ended are let go."""
        with self._lock:
            here = self._talks.get(key, OpenTalk())
            made = change(here)
            self._talks[key] = made
            ended = self._talks.keys() - {*self._keys.values()}
            for old in ended:
                del self._talks[old]
        return made

    def _miss(self) -> None:
        """Count a wrong code; after many, those that wait are void."""
        self._wrong += 1
        if self._wrong >= MOST_WRONG_CODES:
            self._codes.clear()

    def key_of(self, headers: Headers) -> bytes | None:
        """The key of the session whose cookie a request carries; None for none."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        if found is None:
            return None
        with self._lock:
            return self._keys.get(found.value)


def form_token(key: bytes, action: str) -> str:
    """What a form of this session that is sent to the path `action` has to carry."""
    return hmac.new(key, action.encode(), sha256).hexdigest()[:32]


def is_form_token(key: bytes, action: str, given: str) -> bool:
    """Whether a form carries the token of its session and action."""
    return hmac.compare_digest(form_token(key, action).encode(), given.encode())
