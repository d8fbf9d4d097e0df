"""What a server of pages does before anybody asks, and after the last one did."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aurelius.memory import apart, known
from aurelius.vault import Vault
from aurelius.web import serving
from indexer.live.live_index import Live
from tests.aurelius.web.test_actions import env
from tests.conftest import TODAY
from tests.pages import served

__all__ = ["env"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "today.md").write_text("# Today\n\nWhat happens today\n")
    return root


def _tree(root: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in root.rglob("*") if each.is_file()}


def test_what_pages_need_is_loaded_for_nobody(root: Path, env: dict[str, str]) -> None:
    """Proposals are looked for, and no use is written down."""
    before = _tree(root)
    with served(root, env, now=TODAY) as pages:
        serving.warm_up(pages.host)
        looking = known._KEEPERS[pages.host.live]._looking
        assert looking
        looking.join(30)
        assert "Nothing to decide" in pages.get("/memory").words
    assert _tree(root) == before


def test_a_vault_that_cannot_be_shown_is_told_to_who_asks(root: Path, env: dict[str, str]) -> None:
    with served(root, env, now=TODAY) as pages:
        shutil.rmtree(root)
        serving.warm_up(pages.host)
        assert pages.get("/memory").status == 409


def test_pages_follow_an_index_that_is_kept_in_another_folder(
    root: Path, env: dict[str, str]
) -> None:
    with served(root, env, now=TODAY) as pages:
        first = pages.host.live
        pages.get("/memory")
        there = env | {"AURELIUS_INDEX": str(root.parent / "elsewhere")}
        settings = Vault.find(str(root), there, str(root), now=TODAY).settings
        first.heir = Live(settings, lambda: None)
        first.close()
        env.update(there)
        assert "today.md" in pages.get("/memory/search?q=happens").text
        assert pages.host.live.passes == 1
        assert pages.host.live.state().notes == 1
        pages.host.live.close()


def test_the_end_of_a_server_ends_the_processes_that_answer_it(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(serving, "end_processes", lambda: ended.append(1))
    with served(root, env, now=TODAY) as pages:
        site = serving.PageSite(str(root), env, str(root.parent / "state"), print)
        made = serving.build_page_server(site, pages.host.live, 0, watches=False)
        made.server.should_exit = True
        made.run()
    assert ended == [1]
    assert not apart._GOING_ON
