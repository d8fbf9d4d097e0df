"""One question to a person's model: a scripted server and a program that do everything wrong that they can."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aurelius.model.connection import Model, UnansweredError
from aurelius.model.endpoint import MOST_REPLY_BYTES, ask_model, model_of
from aurelius.model.request import ModelRequest, ModelTurn, openai_body, prompt

ASKED = ModelRequest("word it", (ModelTurn("user", '{"lines": []}'),))
Script = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """A loopback server that answers as it is told and keeps every byte that it was sent."""

    def __init__(self) -> None:
        self.script: Script = said("hello")
        self.got = self.body = b""
        self.asked = 0
        self.done = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.got += f"{self.requestline}\n{self.headers}".encode() + body
                outer.body = body
                outer.asked += 1
                outer.script(self)

            def log_message(self, *args: object) -> None:
                """Nothing is told."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.done.set()
    made.http.shutdown()
    made.http.server_close()


def raw(data: bytes, code: int = 200, **headers: str) -> Script:
    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(code)
        for name, value in {
            "content-length": str(len(data)),
            "retry-after-ms": "1",
            **headers,
        }.items():
            to.send_header(name, value)
        to.end_headers()
        to.wfile.write(data)

    return answer


def said(text: object, **choice: object) -> Script:
    return raw(json.dumps({"choices": [{"message": {"content": text}, **choice}]}).encode())


def model(server: Server, timeout: float = 5, key: str = "") -> Model:
    return Model(server.url, "tiny", "", key, timeout, "tiny")


def test_an_answer_comes_back(server: Server) -> None:
    assert ask_model(model(server), ASKED, {}) == "hello"


def test_nothing_is_sent_but_the_question_and_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "canary-of-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Canary: canary-of-the-environment")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    ask_model(model(server, key="k3y"), ASKED, {})
    head, _, body = (
        server.got.partition(b"\n\n")
        if b"\n\n" in server.got
        else server.got.partition(b"\r\n\r\n")
    )
    names = {line.partition(b":")[0].lower() for line in head.splitlines()[1:] if b":" in line}
    assert names <= {
        b"host",
        b"connection",
        b"content-type",
        b"content-length",
        b"accept",
        b"accept-encoding",
        b"user-agent",
        b"authorization",
    }
    assert b"canary" not in server.got
    assert b"Bearer k3y" in head
    assert body == openai_body("tiny", ASKED).encode()


def slow(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.send_header("content-length", "99999")
    to.end_headers()
    with contextlib.suppress(OSError):
        for _ in range(400):
            to.wfile.write(b" ")
            to.wfile.flush()
            threading.Event().wait(0.01)


@pytest.mark.parametrize(
    ("script", "why", "timeout"),
    [
        (raw(b"not json"), "something else", 5),
        (raw(b'{"choices": [{"mess'), "something else", 5),
        (raw(b"{}"), "something else", 5),
        (raw(b"[" * 99999), "something else", 5),
        (said(""), "refused to answer", 5),
        (said(None), "refused to answer", 5),
        (said("half of", finish_reason="length"), "broke off", 5),
        (raw(b"x", 401), "does not accept the key", 5),
        (raw(b"x", 429), "takes no more questions", 5),
        (raw(b"x", 500), "answered 500", 5),
        (raw(b"x" * (MOST_REPLY_BYTES + 1)), "longer than", 5),
        (slow, "within 0 s", 0.3),
        (raw(b"<html>a login page</html>"), "something else", 5),
        (said("x", finish_reason=["length"], message={"content": 5}), "refused to answer", 5),
    ],
    ids=[
        "garbage",
        "half",
        "other",
        "deep",
        "empty",
        "none",
        "cut",
        "key",
        "busy",
        "broken",
        "huge",
        "drip",
        "page",
        "odd",
    ],
)
def test_what_is_no_answer_is_told_in_plain_words(
    server: Server, script: Script, why: str, timeout: float
) -> None:
    server.script = script
    with pytest.raises(UnansweredError, match=why):
        ask_model(model(server, timeout), ASKED, {})


def test_a_question_follows_no_redirect(server: Server) -> None:
    other = Server()
    server.script = raw(b"", 307, location=f"{other.url}/chat/completions")
    with pytest.raises(UnansweredError, match="elsewhere"):
        ask_model(model(server), ASKED, {})
    assert other.asked == 0
    other.http.shutdown()
    other.http.server_close()


@pytest.mark.parametrize("code", [307, 401, 500])
def test_what_a_refusal_says_is_never_read(server: Server, code: int) -> None:
    sent = list[int]()

    def endless(to: BaseHTTPRequestHandler) -> None:
        to.send_response(code)
        to.send_header("content-length", str(1 << 40))
        to.end_headers()
        with contextlib.suppress(OSError):
            while not server.done.is_set() and len(sent) < 400:
                to.wfile.write(b"x" * (1 << 20))
                sent.append(1)

    server.script = endless
    with pytest.raises(UnansweredError):
        ask_model(model(server, 60), ASKED, {})
    assert len(sent) < 200


@pytest.mark.parametrize(
    ("key", "why"), [("k\nX-Evil: 1", "what no key can hold"), ("ké", "what no key can hold")]
)
def test_a_key_that_cannot_be_sent_is_told_and_not_shown(key: str, why: str) -> None:
    config: Any = type("Config", (), CONFIG)
    with pytest.raises(UnansweredError, match=why) as told:
        model_of(config, {"KEY": key})
    assert key not in str(told.value)
    assert model_of(config, {"KEY": " k3y\n"}).key == "k3y"


CONFIG = {
    "llm_api": "openai",
    "llm_endpoint": "http://127.0.0.1:1/v1",
    "llm_model": "tiny",
    "llm_command": "",
    "llm_key_name": "KEY",
    "llm_timeout": 5,
}


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(UnansweredError, match="no connection"):
        ask_model(Model("http://127.0.0.1:1/v1", "tiny", "", "", 5, "tiny"), ASKED, {})


def test_a_missing_extra_is_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UnansweredError, match=r"pipx install --force '\.\[mcp,llm,lsp\]'"):
        ask_model(model(server), ASKED, {})
    assert server.asked == 0


def program(tmp_path: Path, source: str, timeout: float = 10) -> Model:
    file = tmp_path / "model.py"
    file.write_text(source)
    return Model(
        "", "", f"'{sys.executable}' -S '{file}' '$(touch no)'", "", timeout, "the program"
    )


def test_a_program_reads_the_question_and_prints_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = program(tmp_path, "import sys; print(sys.stdin.read(), sys.argv[1])")
    assert ask_model(made, ASKED, {}).split() == [*prompt(ASKED).split(), "$(touch", "no)"]
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("source", "why", "timeout"),
    [
        ("raise SystemExit(3)", "exit code 3", 10),
        ("", "printed nothing", 10),
        (f"print('x' * {MOST_REPLY_BYTES + 9})", "longer than", 10),
        ("while True: pass", "within 0 s", 0.3),
    ],
    ids=["fails", "silent", "huge", "stuck"],
)
def test_a_program_without_an_answer_is_told(
    tmp_path: Path, source: str, why: str, timeout: float
) -> None:
    with pytest.raises(UnansweredError, match=why):
        ask_model(program(tmp_path, source, timeout), ASKED, {})


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(UnansweredError, match="cannot be run"):
        ask_model(Model("", "", "/nowhere/model", "", 5, "the program"), ASKED, {})


def test_the_question_of_a_dry_run_is_the_one_that_is_sent(server: Server) -> None:
    asked = ModelRequest(
        "word it", (ModelTurn("user", "“Zürich”\u2028 \\ / </script> \x7f \U0001f600"),)
    )
    ask_model(model(server)._replace(name="tiny ü/8b"), asked, {})
    assert server.body == openai_body("tiny ü/8b", asked).encode()


@pytest.mark.parametrize("name", ["endpoint", "model", "command"])
def test_a_setting_that_holds_a_key_is_never_used(name: str) -> None:
    secret = {
        f"llm_{name}": "http://127.0.0.1:1/sk-proj-aB3dE5gH7jK9mN1pQ3sT5vW7",
        "llm_key_name": "KEY",
    }
    other = {"llm_endpoint": ""} if name == "command" else {}
    config: Any = type("Config", (), {**CONFIG, **other, **secret})
    with pytest.raises(UnansweredError, match=f"{name} holds a key"):
        model_of(config, {})


@pytest.mark.skipif(os.name != "posix", reason="groups of processes")
def test_what_a_stuck_program_started_ends_with_it(tmp_path: Path) -> None:
    child = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    source = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {child!r}])"
    with pytest.raises(UnansweredError, match="within"):
        ask_model(program(tmp_path, source, 3), ASKED, {})
    pid = int((tmp_path / "pid").read_text())
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            break
        threading.Event().wait(0.05)
    else:
        pytest.fail("what the program had started still runs")
