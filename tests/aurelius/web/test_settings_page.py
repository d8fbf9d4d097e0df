"""The page of the settings: every one with its value, where it comes from and what changes it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.settings.keys import KEYS
from tests.conftest import TODAY
from tests.pages import Pages, served


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(tmp_path), "AURELIUS_LLM_KEY": "sk-proj-Zx81kQ0w3Lm92Ba7"} | {
        f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in names
    }


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "my vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text(
        '[search]\nlimit = 7\n\n[git]\ncommit = true\n\n[templates]\nfolder = "AKIAIOSFODNN7QRSTUVW"\n'
    )
    own = tmp_path / "config" / "aurelius"
    own.mkdir(parents=True)
    (own / "config.toml").write_text("[hook]\ndeadline = 400\n")
    return root


@pytest.fixture
def pages(vault: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(vault, env, now=TODAY) as found:
        yield found


def row(pages: Pages, name: str) -> str:
    """What is shown of a setting."""
    found = re.search(rf'(?s)<div id="{name}">(.*?)</div>', pages.get("/settings").text)
    assert found
    return " ".join(html.unescape(re.sub("<[^>]*>", "", found[1])).split())


def test_every_setting_is_there_with_what_it_means(pages: Pages) -> None:
    for key in KEYS:
        assert key.help.replace("`", "") in row(pages, key.name)


def test_a_setting_tells_its_value_its_default_and_where_it_stands(
    pages: Pages, tmp_path: Path
) -> None:
    told = row(pages, "search.limit")
    assert "search.limit = 7 set" in told
    assert "from the vault: .aurelius/config.toml:2 · default 10" in told
    own = row(pages, "hook.deadline")
    assert f"from {tmp_path}/config/aurelius/config.toml:2 · default 300 · only you" in own
    assert "the default · the vault may set it" in row(pages, "search.mode")


def test_the_command_that_changes_a_setting_is_whole(pages: Pages, vault: Path) -> None:
    told = row(pages, "search.limit")
    assert f"aurelius config set search.limit 7 --vault '{vault}'" in told
    assert f"aurelius config unset search.limit --vault '{vault}'" in told
    assert "unset" not in row(pages, "search.mode")


def test_what_a_vault_asks_for_in_vain_is_told(pages: Pages) -> None:
    words = pages.get("/settings").words
    assert "git.commit = true is ignored, because a vault may not decide that" in words


def test_the_groups_are_folded_but_for_those_where_something_is_set(pages: Pages) -> None:
    text = pages.get("/settings").text
    groups = re.findall(
        r'<details class="folded"( open)?>\s*<summary><h2 id="group-(\w+)">(.*?)</h2>', text
    )
    opened = {name for is_open, name, _ in groups if is_open}
    assert opened == {"search", "templates", "hook"}
    assert len(groups) == len({key.name.partition(".")[0] for key in KEYS})
    told = {name: re.sub("<[^>]*>", "", each) for _, name, each in groups}
    assert re.fullmatch(r"search \d+ settings, 1 set", told["search"])
    assert re.fullmatch(r"daily \d+ settings", told["daily"])


def test_no_key_is_shown(pages: Pages) -> None:
    answer = pages.get("/settings")
    assert "sk-proj" not in answer.text
    assert "AURELIUS_LLM_KEY is there; what is in it is never shown" in answer.words
    assert "AKIAIOSFODNN7QRSTUVW" not in answer.text
    assert 'templates.folder = "(hidden: it looks like a key)"' in row(pages, "templates.folder")


def test_nothing_can_be_changed_here(pages: Pages) -> None:
    assert 'action="/do/' not in pages.get("/settings").text
