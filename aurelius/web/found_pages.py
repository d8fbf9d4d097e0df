"""Pages that are served already: found by what their server keeps in the state folder, and asked
for another code.

Whoever only asks where the pages are imports this, and nothing of what makes them.
"""

from __future__ import annotations

import json
import os
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple

from aurelius.settings.places import PAGES_FILE

PAGES_ADDRESS = "127.0.0.1"
_SECONDS_TO_ASK = 3.0
_MOST_ANSWER_BYTES = 4096


class PagesFound(NamedTuple):
    """Pages that are served: the port, a code that opens them once, whether they follow the
    files."""

    port: int
    code: str
    live: bool

    @property
    def url(self) -> str:
        """The address that opens them; what stands behind `#` is sent to nobody."""
        return f"http://{PAGES_ADDRESS}:{self.port}/#{self.code}"


def find_pages(state: str) -> PagesFound | None:
    """The pages of the vault with this state folder, with a new code; None where nobody serves
    them."""
    try:
        with open(os.path.join(state, PAGES_FILE), encoding="utf-8") as file:
            kept = json.load(file)
        return ask_for_code(int(kept["port"]), str(kept["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask_for_code(port: int, token: str) -> PagesFound | None:
    """A new code of the pages on a port; None where nobody answers there who knows the token."""
    link = HTTPConnection(PAGES_ADDRESS, port, timeout=_SECONDS_TO_ASK)
    try:
        link.request("POST", "/code", headers={"authorization": f"Bearer {token}"})
        answer = link.getresponse()
        told = json.loads(answer.read(_MOST_ANSWER_BYTES))
        return PagesFound(port, str(told["code"]), bool(told["live"]))
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        link.close()
