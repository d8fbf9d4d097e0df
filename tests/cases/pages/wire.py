"""How a forged request is written down, and the bytes that come of it.

A record says what it changes in a request that would be answered: so what refuses it is that one change.  `read` is
`GET /memory`, `write` is an action's form, `enter` hands in the one-time code, each complete and right but for the change;
`bytes` is sent as it stands.  In every text, `{name}` of one of Known's fields stands for its value.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

REFUSED = "refused"
"""A status from 400 to 499, 501 or 505, or the connection is closed; nothing is changed, nothing of a note is told."""
CLOSED = "closed"
"""No good answer within the time: it is refused or cut off, and nothing is changed meanwhile."""
HARMLESS = "harmless"
"""Any answer, as it is a request that a person's browser could send; nothing is changed, and the next one is answered."""
ABSENT = "absent"
"""404 (or 400): the session is right and the address leads nowhere; nothing is told of what lies there."""


class Known(NamedTuple):
    """What the test knows of the running server; all but the first is what a forger does not have."""

    port: str
    cookie_name: str
    cookie: str
    other_cookie: str
    token: str
    other_token: str
    other_form: str
    action: str
    enter: str
    code_field: str
    token_field: str
    code: str
    used_code: str
    old_code: str
    fields: dict[str, str]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"


class Forged(NamedTuple):
    """A request in which one thing is wrong: `of` is what it is made of, the rest are its changes, `expect` what must come."""

    name: str
    of: str = "read"
    line: str = ""
    drop: tuple[str, ...] = ()
    put: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    form: dict[str, str | None] | None = None
    twice: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    length: str | None = None
    raw: bytes = b""
    tail: bytes = b""
    expect: str = REFUSED


def filled(text: str, known: Known) -> str:
    """The text with what the test knows in it."""
    for name in (*known._fields, "host"):
        value = getattr(known, name)
        if isinstance(value, str):
            text = text.replace("{" + name + "}", value)
    return text


def request(forged: Forged, known: Known) -> bytes:
    """The bytes of the request, as they go over the wire."""
    if forged.of == "bytes":
        return filled(forged.raw.decode("latin-1"), known).encode("latin-1") + forged.tail
    lines, form = _base(forged.of, known)
    body = _body(forged, form, known)
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    gone = {name.lower() for name in forged.drop}
    gone |= {line.partition(":")[0].lower() for line in forged.put}
    if forged.length is not None:
        gone.add("content-length")
    kept = [line for line in lines[1:] if line.partition(":")[0].lower() not in gone]
    if forged.length:
        kept.append(f"Content-Length: {forged.length}")
    first = filled(forged.line, known) or lines[0]
    head = [first, *kept, *(filled(line, known) for line in (*forged.put, *forged.more))]
    return "\r\n".join(head).encode("latin-1", "replace") + b"\r\n\r\n" + (body or b"") + forged.tail


def _base(of: str, known: Known) -> tuple[list[str], dict[str, str] | None]:
    usual = [f"Host: {known.host}", "Sec-Fetch-Site: same-origin", "Accept: text/html", "Connection: close"]
    cookie = f"Cookie: {known.cookie_name}={known.cookie}"
    written = [f"Origin: http://{known.host}", "Content-Type: application/x-www-form-urlencoded"]
    if of == "read":
        return ["GET /memory HTTP/1.1", *usual, cookie], None
    if of == "write":
        form = {**known.fields, known.token_field: known.token}
        return [f"POST /do/{known.action} HTTP/1.1", *usual, cookie, *written], form
    return [f"POST {known.enter} HTTP/1.1", *usual, *written], {known.code_field: known.code}


def _body(forged: Forged, form: dict[str, str] | None, known: Known) -> bytes | None:
    if forged.body is not None:
        return filled(forged.body.decode("latin-1"), known).encode("latin-1")
    if form is None:
        return None
    changed: dict[str, str | None] = {**form}
    for name, value in (forged.form or {}).items():
        changed[filled(name, known)] = value
    pairs = [(name, value) for name, value in changed.items() if value is not None]
    pairs += [(filled(name, known), value) for name, value in forged.twice]
    return "&".join(f"{quote(name)}={quote(filled(value, known))}" for name, value in pairs).encode()
