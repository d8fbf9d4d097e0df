"""Requests that no page of ours sent: each is refused, changes nothing and is told nothing of a note.

tests/cases/pages holds them, each one change away from a request that is answered; the first tests here send these right
ones, so that nothing is refused for another reason than its change.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from aurelius.loopback.http_guard import Limits
from aurelius.web.session import form_token
from aurelius.web.talks import OpenTalk
from tests.cases.pages.forged import BESIDE, FORBIDDEN, FORGED, GUESSES, LINKS, SHOWN, VAULT
from tests.cases.pages.wire import ABSENT, CLOSED, HARMLESS, REFUSED, Forged, Known, request
from tests.conftest import ROOT, TODAY
from tests.over_the_wire import Heard, exchange
from tests.pages import TOKEN, Pages, served

ACTION = "/do/note"
"""Writes a line at once, without a diff to agree to: what comes so far as to be done is seen in the vault."""
REFUSING = frozenset([*range(400, 500), 501, 505])
SECONDS_CLOSED = 0.3
SECONDS_ANSWERED = 5.0
GROUPS = 24
RIGHT = Forged("nothing is forged")


class Attacked:
    """A served vault, two sessions of it, and what its files were before."""

    def __init__(self, root: Path, pages: Pages) -> None:
        self.root = root
        self.pages = pages
        self.cookie = pages.cookie.partition("=")[2]
        pages.cookie = ""
        pages.sign_in()
        self.other_cookie = pages.cookie.partition("=")[2]
        self.used_code = pages.code()
        sessions = pages.host.sessions
        sessions.redeem(self.used_code, time.monotonic())
        self.before = self.files()

    def files(self) -> dict[str, bytes]:
        """Every file of the vault and beside it."""
        found = (each for each in self.root.parent.rglob("*") if not each.is_symlink())
        return {str(each): each.read_bytes() for each in found if each.is_file()}

    def known(self) -> Known:
        """What the requests are filled with, a code that is still good among it."""
        sessions = self.pages.host.sessions
        now = time.monotonic()
        keys = sessions._keys
        return Known(
            port=str(self.pages.port),
            cookie_name=sessions.cookie,
            cookie=self.cookie,
            other_cookie=self.other_cookie,
            token=form_token(keys[self.cookie], ACTION),
            other_token=form_token(keys[self.other_cookie], ACTION),
            other_form=form_token(keys[self.cookie], "/do/undo"),
            action=ACTION.removeprefix("/do/"),
            enter="/sign-in",
            code_field="code",
            token_field="token",
            used_code=self.used_code,
            old_code=sessions.new_code(now - 61),
            code=sessions.new_code(now),
            fields={"text": "a line of a forger's", "back": "/memory"},
        )

    def faults(self, forged: Forged) -> list[str]:
        """Sends it, and says what must not have come of it."""
        known = self.known()
        data = request(forged, known)
        is_short = forged.expect == CLOSED or forged.of == "bytes"
        heard = exchange(self.pages.port, data, SECONDS_CLOSED if is_short else SECONDS_ANSWERED)
        found = [*_told(forged, data, heard, known), *_answered(forged, heard)]
        if self.files() != self.before:
            found.append("the vault was changed")
            self.before = self.files()
        return [f"{forged.name}: {each}: {heard.data[:300]!r}" for each in found]

    def is_well(self) -> bool:
        """Whether a right request is still answered."""
        heard = exchange(self.pages.port, request(_page("/note/people/anna.md"), self.known()))
        return heard.status == 200 and SHOWN in heard.body.decode().lower()


def _page(path: str) -> Forged:
    return Forged("a page", line=f"GET {path} HTTP/1.1")


def _answered(forged: Forged, heard: Heard) -> Iterator[str]:
    status = heard.status
    if forged.expect == REFUSED and status not in REFUSING and not (heard.ended and not status):
        yield f"answered with {status}"
    if forged.expect == ABSENT and not (status in REFUSING or _leads_home(heard)):
        yield f"answered with {status}"
    if forged.expect == CLOSED and 200 <= status < 400:
        yield f"answered with {status}"
    if forged.expect == HARMLESS and (status >= 500 or not status):
        yield f"failed with {status}"
    if heard.header("access-control-allow-origin"):
        yield "other sites are let in"
    if heard.header("set-cookie"):
        yield "a session was made"


def _leads_home(heard: Heard) -> bool:
    """Whether an answer shows what names may be meant, or leads to an address of this server that the slash was
    missing of."""
    place = "".join(heard.header("location"))
    return heard.status == 300 or (heard.status == 307 and place.startswith("http://127.0.0.1:"))


def _told(forged: Forged, data: bytes, heard: Heard, known: Known) -> Iterator[str]:
    """Words that the answer holds, though the one who asked did not know them."""
    asked = data.decode("latin-1").lower()
    body = heard.data.decode("latin-1").lower()
    words = [*FORBIDDEN]
    if forged.expect in {REFUSED, CLOSED} and forged.drop != ("origin",):
        words.append(SHOWN)
    secrets = (known.cookie, known.other_cookie, known.token, known.other_token, TOKEN)
    words += [secret.lower() for secret in secrets]
    if forged.expect in {ABSENT, HARMLESS}:
        words = [*FORBIDDEN]
    yield from (f"tells {word!r}" for word in words if word in body and word not in asked)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    """One server for all these tests."""
    place = tmp_path_factory.mktemp("forged")
    root = made_vault(place / "here")
    with served(root, {"HOME": str(place / "home")}, now=TODAY) as pages:
        yield Attacked(root, pages)


def made_vault(place: Path) -> Path:
    """The vault of the cases in a new folder, and what lies beside it."""
    root = place / "vault"
    texts = {root / path: text for path, text in VAULT.items()}
    for path, text in {**texts, **{place / name: text for name, text in BESIDE.items()}}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "files/dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for name, target in LINKS.items():
        (root / name).symlink_to(target)
    return root


def test_a_right_request_gets_the_page(attacked: Attacked) -> None:
    assert attacked.is_well()
    for host in ("localhost", "127.0.0.1"):
        put = (f"Host: {host}:{attacked.pages.port}",)
        heard = exchange(attacked.pages.port, request(RIGHT._replace(put=put), attacked.known()))
        assert heard.status == 200


def test_a_right_code_makes_a_session_once(attacked: Attacked) -> None:
    known = attacked.known()
    right = request(Forged("right", of="enter"), known)
    first = exchange(attacked.pages.port, right)
    assert first.status == 303
    assert first.header("set-cookie")[0].startswith(f"{known.cookie_name}=")
    second = exchange(attacked.pages.port, right)
    assert second.status == 403
    assert not second.header("set-cookie")


def test_a_right_form_writes(attacked: Attacked) -> None:
    heard = exchange(attacked.pages.port, request(Forged("right", of="write"), attacked.known()))
    assert heard.status == 303
    now = attacked.files()
    changed = {name for name in now if now[name] != attacked.before.get(name)}
    assert any(b"a line of a forger's" in now[name] for name in changed)
    attacked.before = now


@pytest.mark.parametrize("group", range(GROUPS))
def test_forged_requests_are_refused(group: int, attacked: Attacked) -> None:
    faults = []
    for forged in FORGED[group::GROUPS]:
        faults += attacked.faults(forged)
    assert faults == []
    assert attacked.is_well()


def to_the_chat(forged: Forged, attacked: Attacked) -> tuple[Known, bytes]:
    """What a forged form is when it is sent to the chat, and what it is filled with."""
    keys = attacked.pages.host.sessions._keys
    known = attacked.known()._replace(
        token=form_token(keys[attacked.cookie], "/chat"),
        other_token=form_token(keys[attacked.other_cookie], "/chat"),
        other_form=form_token(keys[attacked.cookie], ACTION),
    )
    return known, request(forged, known).replace(ACTION.encode(), b"/chat")


def talks(attacked: Attacked) -> list[OpenTalk]:
    """What was said in both sessions."""
    sessions = attacked.pages.host.sessions
    names = (attacked.cookie, attacked.other_cookie)
    return [sessions.talk_of(sessions._keys[name]) for name in names]


def test_what_no_page_of_ours_sent_is_said_by_nobody(attacked: Attacked) -> None:
    faults = []
    refused = [each for each in FORGED if each.of == "write" and each.expect in {REFUSED, CLOSED}]
    assert len(refused) > 50
    for forged in refused:
        known, data = to_the_chat(forged, attacked)
        is_short = forged.expect == CLOSED
        heard = exchange(
            attacked.pages.port, data, SECONDS_CLOSED if is_short else SECONDS_ANSWERED
        )
        found = [*_told(forged, data, heard, known), *_answered(forged, heard)]
        faults += [f"{forged.name}: {each}: {heard.data[:300]!r}" for each in found]
        assert talks(attacked) == [OpenTalk(), OpenTalk()], forged.name
    assert faults == []
    heard = exchange(attacked.pages.port, to_the_chat(RIGHT._replace(of="write"), attacked)[1])
    assert heard.status == 303
    assert [len(each.marks) for each in talks(attacked)] == [1, 0]


def test_of_many_guesses_none_opens_and_the_code_that_waits_is_void(attacked: Attacked) -> None:
    known = attacked.known()
    for number in range(GUESSES):
        guess = Forged("guess", of="enter", form={"code": f"guess-{number}"})
        heard = exchange(attacked.pages.port, request(guess, known))
        assert heard.status == 403
        assert not heard.header("set-cookie")
    heard = exchange(attacked.pages.port, request(Forged("right", of="enter"), known))
    assert heard.status == 403


NEW_CODE = [
    "",
    "Authorization: Bearer wrong",
    "Authorization: Bearer",
    "Authorization: Basic {token}",
    "authorization: bearer {program}x",
    "X-Token: {program}",
    "Cookie: {cookie_name}={cookie}",
    "Authorization: Bearer {cookie}",
    "Authorization: Bearer {token}",
    "Authorization: Bearer {program}\r\nOrigin: http://evil.invalid",
    "Authorization: Bearer {program}\r\nOrigin: null",
    "Authorization: Bearer {program}\r\nSec-Fetch-Site: cross-site",
    "Authorization: Bearer {program}\r\nSec-Fetch-Site: same-site",
    "Authorization: Bearer {program}\r\nHost: evil.invalid",
    "Authorization: Bearer {program}\r\nAuthorization: Bearer x",
]


@pytest.mark.parametrize("header", NEW_CODE)
def test_a_new_code_is_made_for_programs_of_this_user_alone(
    header: str, attacked: Attacked
) -> None:
    lines = header.replace("{program}", TOKEN)
    host = "" if "Host:" in header else "Host: {host}\r\n"
    raw = f"POST /code HTTP/1.1\r\n{host}{lines}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    sent = raw.replace("\r\n\r\nContent", "\r\nContent").encode()
    heard = exchange(
        attacked.pages.port, request(Forged("x", of="bytes", raw=sent), attacked.known())
    )
    assert 400 <= heard.status < 500
    assert b'"code"' not in heard.data


def test_a_new_code_is_made_for_who_has_the_token(attacked: Attacked) -> None:
    raw = f"POST /code HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    heard = exchange(
        attacked.pages.port, request(Forged("x", of="bytes", raw=raw.encode()), attacked.known())
    )
    assert heard.status == 200
    assert b'"code"' in heard.data


def test_every_answer_says_what_may_be_loaded_and_by_whom(attacked: Attacked) -> None:
    targets = (
        "/",
        "/chat",
        "/memory",
        "/note/people/anna.md",
        "/nothing",
        "/static/style.css",
        "/file/files/dot.png",
        "/static/no",
        "/do/note",
    )
    for target in targets:
        for drop in ((), ("cookie",)):
            forged = _page(target)._replace(drop=drop)
            heard = exchange(attacked.pages.port, request(forged, attacked.known()))
            policy = heard.header("content-security-policy")[0]
            assert "default-src 'none'" in policy
            assert "unsafe-inline" not in policy.partition("style-src")[0]
            assert heard.header("x-content-type-options") == ["nosniff"]
            assert heard.header("cross-origin-resource-policy") == ["same-origin"]
            assert heard.header("x-frame-options") == ["DENY"]
            is_text = heard.header("content-type")[0].startswith("text/")
            assert not is_text or "charset=utf-8" in heard.header("content-type")[0]


def test_slow_and_unfinished_requests_are_ended_and_hold_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(body=1 << 16, seconds=0.4, connections=8)
    monkeypatch.setattr("aurelius.web.app.PAGE_LIMITS", limits)
    root = made_vault(tmp_path / "here")
    with served(root, {"HOME": str(tmp_path / "home")}, now=TODAY) as pages:
        attacked = Attacked(root, pages)
        known = attacked.known()
        slow = [
            Forged("half a body", of="write", length="5000"),
            Forged("no line", of="bytes"),
            Forged("half a line", of="bytes", raw=b"GET /mem"),
            Forged("half a head", of="bytes", raw=b"GET /memory HTTP/1.1\r\nHost: {host}\r\n"),
        ]
        for forged in slow:
            heard = exchange(pages.port, request(forged, known), 5.0)
            assert heard.ended, forged.name
            assert heard.status in {0, 408}, forged.name
        import socket

        idle = [socket.create_connection(("127.0.0.1", pages.port)) for _ in range(40)]
        try:
            assert attacked.is_well()
        finally:
            for each in idle:
                each.close()
        assert attacked.files() == attacked.before


@pytest.mark.skipif(
    not hasattr(os, "fork") or os.getuid() != 0, reason="only a superuser can be somebody else"
)
def test_another_user_of_this_computer_gets_nothing(
    as_nobody: Callable[[Callable[[], None]], None],
) -> None:
    place = Path(tempfile.mkdtemp(dir="/tmp"))  # a test's own folder is closed to others anyway
    place.chmod(0o755)
    try:
        root = made_vault(place / "here")
        env = {"HOME": str(place / "home"), "PATH": os.environ.get("PATH", "")}
        with _serving(root, env) as port:
            kept = [each for each in (place / "home").rglob("*") if each.is_file()]
            assert kept

            def act() -> None:
                for file in kept:
                    with pytest.raises(PermissionError):
                        file.read_bytes()
                for path in ("/", "/memory", "/note/people/anna.md", "/file/files/dot.png"):
                    raw = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
                    heard = exchange(port, raw.encode())
                    assert heard.status == 401
                    assert SHOWN.encode() not in heard.data.lower()

            as_nobody(act)
    finally:
        shutil.rmtree(place)


@contextmanager
def _serving(root: Path, env: Mapping[str, str]) -> Iterator[int]:
    """`aurelius serve` in a process of its own; its port."""
    line = [sys.executable, "-m", "aurelius", "serve", "--port=0", "--vault", str(root)]
    process = subprocess.Popen(line, env=env, cwd=ROOT, text=True, stdout=-1, stderr=-1, stdin=-3)
    with process:
        assert process.stdout
        said = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#[a-z0-9-]+$", said.strip())
        try:
            assert found, said
            yield int(found[1])
        finally:
            process.kill()
