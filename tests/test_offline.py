"""Nothing leaves the machine: no command opens a socket to anything but the daemon of its own vault."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINES = [
    ["index", "--rebuild"],
    ["search", "who repairs ships?"],
    ["search", "who repairs ships?", "--mode", "vector", "--json"],
    ["note", "Met Ann Lee"],
    ["new", "person", "Ann Lee"],
    ["add", "ann", "Restores wooden boats"],
    ["show", "ann"],
    ["summarize"],
    ["review"],
    ["status", "--ageing"],
    ["status"],
    ["doctor"],
    ["doctor", "--verify", "--fix"],
    ["daemon", "status"],
    ["export", "--json"],
    ["undo"],
    ["help", "search"],
]
WATCHED = """
import os, runpy, socket, sys

def watch(event, args):
    if event == "socket.__new__":
        is_ours = args[1] == socket.AF_UNIX
    elif event.startswith("socket.") and isinstance(args[0], socket.socket):
        is_ours = args[0].family == socket.AF_UNIX
    else:
        is_ours = not event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser."))
    if not is_ours:
        os.write(2, f"left the machine: {event}\\n".encode())

sys.addaudithook(watch)
"""
RUN = f"""{WATCHED}
for line in {LINES}:
    child = os.fork()
    if not child:
        sys.argv = ["aurelius", *line]
        runpy.run_module("aurelius", run_name="__main__", alter_sys=True)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 1), (line, code)
"""
pytestmark = pytest.mark.skipif(
    not hasattr(socket, "AF_UNIX"), reason="a daemon is asked through a port here"
)


def said(code: str, cwd: Path, env: dict[str, str]) -> str:
    """What a process of its own told on stderr."""
    env = {**env, "PYTHONPATH": str(ROOT), "AURELIUS_NOW": "2026-02-10T12:00"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stderr


def test_no_command_asks_the_network(tmp_path: Path, env: dict[str, str]) -> None:
    there = tmp_path / "vault"
    shutil.copytree(ROOT / "vault_template", there)
    assert "left the machine" not in said(RUN, cwd=there, env=env)


@pytest.mark.parametrize(
    "line",
    [
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.getaddrinfo('127.0.0.1', 1)",
        "sys.audit('urllib.Request', 'http://localhost', None, {}, 'GET')",
    ],
)
def test_what_asks_the_network_is_seen(line: str, tmp_path: Path, env: dict[str, str]) -> None:
    assert "left the machine" in said(WATCHED + line, cwd=tmp_path, env=env)
