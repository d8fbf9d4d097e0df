"""Settings of a vault and of a person, for every test of this room."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.settings import places

OUTSIDE = (
    ".git/hooks",
    ".aurelius/log",
    "notes/.hidden",
    "/etc/cron.d",
    "../journal",
    "a/../../b",
    "~/notes",
    "C:\\\\a",
)
"""Folders that daily notes are never written into."""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "USERPROFILE": str(home), "XDG_CONFIG_HOME": str(home / "etc")}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault" / ".aurelius").mkdir(parents=True)
    return tmp_path / "vault"


def say(vault: Path, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    (vault / ".aurelius" / "config.toml").write_bytes(data)


def say_user(env: dict[str, str], text: str) -> str:
    file = Path(places.user_file(env))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)
