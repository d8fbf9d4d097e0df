"""`aurelius serve` in processes of their own: by itself, in a daemon, twice, and stopped by Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from tests.conftest import ROOT


class Place(NamedTuple):
    """A vault and the environment of its commands."""

    vault: Path
    env: dict[str, str]

    def begin(self, *words: str) -> subprocess.Popen[str]:
        line = [sys.executable, "-m", "aurelius", "--vault", str(self.vault), *words]
        return subprocess.Popen(line, env=self.env, cwd=ROOT, text=True, stdout=-1, stderr=-1)

    def run(self, *words: str) -> tuple[int, str, str]:
        process = self.begin(*words)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


@pytest.fixture
def place(tmp_path: Path) -> Place:
    shutil.copytree(ROOT / "tests/vaults/sample", tmp_path / "vault")
    (tmp_path / "vault/.aurelius").mkdir(exist_ok=True)
    env = {"HOME": str(tmp_path), "PATH": os.environ.get("PATH", "")}
    for each in ("CONFIG", "CACHE", "STATE"):
        env[f"XDG_{each}_HOME"] = str(tmp_path / each.lower())
    return Place(tmp_path / "vault", env)


@pytest.fixture
def daemon(place: Place) -> Iterator[None]:
    assert place.run("daemon", "start")[0] == 0
    yield
    place.run("daemon", "stop")


def opened(told: dict[str, Any]) -> int:
    """The status of the overview, after signing in with the code that was told."""
    link = HTTPConnection("127.0.0.1", told["port"], timeout=20)
    own = {
        "origin": f"http://127.0.0.1:{told['port']}",
        "content-type": "application/x-www-form-urlencoded",
    }
    link.request("POST", "/sign-in", urlencode({"code": told["code"]}), own)
    answer = link.getresponse()
    answer.read()
    cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
    link.request("GET", "/memory", headers={"cookie": cookie})
    answer = link.getresponse()
    answer.read()
    link.close()
    return answer.status


def test_without_a_daemon_it_serves_until_ctrl_c_and_a_second_one_gives_another_code(
    place: Place,
) -> None:
    process = place.begin("serve", "--json", "--port=0")
    assert process.stdout
    told = json.loads(process.stdout.readline())
    assert told["live"] is False
    assert told["url"] == f"http://127.0.0.1:{told['port']}/#{told['code']}"
    assert opened(told) == 200

    code, out, err = place.run("serve", "--json")
    again = json.loads(out)
    assert code == 0
    assert again["port"] == told["port"]
    assert again["code"] != told["code"]
    assert opened(again) == 200
    assert "good once" in err

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "Ctrl-C" in err


@pytest.mark.usefixtures("daemon")
def test_a_daemon_serves_the_pages_in_its_own_process(place: Place) -> None:
    code, out, _ = place.run("serve", "--json", "--port=0")
    told = json.loads(out)
    assert (code, told["live"]) == (0, True)
    assert opened(told) == 200
    assert place.run("daemon", "stop")[0] == 0
    with pytest.raises(OSError, match="refused"):
        opened(told)


def test_a_port_that_another_program_has_is_refused_where_it_was_named(place: Place) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, out, err = place.run("serve", f"--port={port}")
    assert (code, out) == (6, "")
    assert f"port {port} of 127.0.0.1 cannot be used" in err


@pytest.mark.usefixtures("daemon")
def test_the_same_in_the_daemon(place: Place) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, out, err = place.run("serve", f"--port={port}")
    assert (code, out) == (6, "")
    assert f"port {port} of 127.0.0.1 cannot be used" in err


def test_what_lies_in_the_state_folder_and_leads_nowhere_is_no_matter(place: Place) -> None:
    process = place.begin("serve", "--json", "--port=0")
    assert process.stdout
    process.stdout.readline()
    process.kill()
    process.communicate()
    kept = next((place.vault.parent / "state").rglob("pages"))
    assert kept.stat().st_mode & 0o077 == 0
    for junk in (kept.read_bytes(), b"", b"[]", b'{"port": "x", "token": 1}', b"\xff"):
        kept.write_bytes(junk)
        process = place.begin("serve", "--json", "--port=0")
        assert process.stdout
        assert opened(json.loads(process.stdout.readline())) == 200
        process.kill()
        process.communicate()


def test_a_folder_that_is_no_vault_is_told_in_one_line(place: Place) -> None:
    nowhere = place._replace(vault=place.vault / "nowhere")
    code, out, err = nowhere.run("serve")
    assert (code, out) == (4, "")
    assert len(err.strip().splitlines()) <= 2
    assert "Traceback" not in err


@pytest.mark.skipif(shutil.which("bash") is None, reason="the demo is written for bash")
def test_the_demo_ends_with_its_pages_where_that_is_asked_for(place: Place, tmp_path: Path) -> None:
    """What sets up `.venv` is left out here."""
    scripts = tmp_path / "checkout/scripts"
    scripts.mkdir(parents=True)
    shutil.copy(ROOT / "scripts/demo", scripts)
    (scripts / "setup").write_text(f"#!/bin/sh\necho {shlex.quote(sys.executable)}\n")
    (scripts / "setup").chmod(0o755)
    process = subprocess.Popen(
        ["bash", str(scripts / "demo"), "--serve"],
        env=place.env | {"TMPDIR": str(tmp_path)},
        text=True,
        stdout=-1,
        stderr=-2,
    )
    assert process.stdout
    found = None
    for line in process.stdout:
        found = re.match(r"http://127\.0\.0\.1:(\d+)/#([a-z0-9-]+)$", line)
        if found:
            break
    assert found
    assert opened({"port": int(found[1]), "code": found[2]}) == 200
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130


def test_the_default_port_gives_way_to_another_program(place: Place) -> None:
    blocker = socket.socket()
    try:
        blocker.bind(("127.0.0.1", 8438))
        blocker.listen()
    except OSError:
        pass  # somebody has it already, which is as good
    process = place.begin("serve", "--json")
    assert process.stdout
    told = json.loads(process.stdout.readline())
    assert told["port"] != 8438
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    process.communicate(timeout=20)
    assert time.monotonic() - began < 15
    blocker.close()
