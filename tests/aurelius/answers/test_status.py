"""How vault and index do: counted from the index and compared with the disk at the moment of asking."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.answers.status import Status, differences, status
from aurelius.settings.config import Config
from aurelius.vault import Vault
from indexer.refresh.refresh import RefreshReport
from indexer.rows.rows import Index

NOTES = {
    "people/joe.md": "# Joe\n\n## Facts\n- Rows ^rows01\n- Sails\n",
    "MEMORY.md": "# M\n\nwords\n",
    "private/diary.md": "---\nprivate: true\n---\n# D\n",
    "hidden/a.md": "left out\n",
    ".aureliusignore": "hidden/\n",
    ".aurelius/config.toml": "[search]\nlimit = 5\n[git]\ncommit = true\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def vault(root: Path, env: dict[str, str]) -> Iterator[Vault]:
    made = Vault.find(str(root), env, "/", now=datetime.datetime(2026, 2, 10, 12))
    yield made
    made.close()


def told(vault: Vault, report: RefreshReport | None = None) -> Status:
    index = vault.index()
    return status(vault.config, index, report or vault.report or RefreshReport())


def test_what_is_in_the_index_is_counted(vault: Vault, root: Path) -> None:
    found = told(vault)
    assert (found.vault, found.notes, found.facts, found.private) == (str(root), 3, 2, 1)
    assert dict(found.kinds) == {"person": 1, "memory": 1, "note": 1}
    assert found.vault_bytes == sum(len(NOTES[path]) for path in ("people/joe.md", "MEMORY.md", "private/diary.md"))
    assert found.chunks == found.vectors >= 2
    assert (found.failed, found.differences, found.fresh) == ((), (), True)
    assert found.model
    assert found.schema > 0
    assert found.report is vault.report


def test_the_size_of_the_index_is_that_of_all_its_files(vault: Vault) -> None:
    found = told(vault)
    files = [found.index + end for end in ("", "-wal", "-shm")]
    assert os.path.exists(found.index)
    assert found.index_bytes == sum(os.path.getsize(file) for file in files if os.path.exists(file)) > 0


def test_only_settings_that_somebody_made_are_told_and_those_made_in_vain(vault: Vault) -> None:
    found = told(vault)
    assert "search.limit" in dict(found.sources)
    assert "search.mode" not in dict(found.sources)
    assert [asked.key for asked in found.in_vain] == ["git.commit"]


def test_what_is_on_the_disk_and_not_so_in_the_index_is_looked_up_now(vault: Vault, root: Path) -> None:
    index = vault.index()
    (root / "new.md").write_text("# New\n")
    (root / "MEMORY.md").write_text("# M\n\nother words and more of them\n")
    (root / "people/joe.md").unlink()
    (root / "hidden/b.md").write_text("left out\n")
    assert sorted(differences(vault.config, index)) == [
        "MEMORY.md: changed", "new.md: not indexed", "people/joe.md: gone",
    ]  # fmt: skip
    found = told(vault)
    assert len(found.differences) == 3
    assert not found.fresh


def test_an_index_whose_refresh_was_not_whole_is_not_called_fresh(vault: Vault) -> None:
    vault.index()
    assert not told(vault, RefreshReport(fresh=False)).fresh


def test_a_note_that_could_not_be_read_is_named(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aurelius.answers.status.get_failed", lambda db, *, private: (("a.md", "no"),) * private)
    assert told(vault).failed == (("a.md", "no"),)


def test_a_note_too_large_to_be_read_as_a_whole_is_named_but_for_a_private_one(
    vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.reading.decode.TEXT_LIMIT", 40)
    (root / "large.md").write_text("words\n" * 20)
    (root / "own.md").write_text("---\nprivate: true\n---\n" + "words\n" * 20)
    ((path, reason),) = told(vault).in_part
    assert (path, "2 MiB" in reason) == ("large.md", True)


def test_what_is_left_out_by_the_settings_is_no_difference(vault: Vault, root: Path) -> None:
    index: Index = vault.index()
    config: Config = vault.config
    (root / "drafts").mkdir()
    (root / "drafts" / "a.md").write_text("x\n")
    assert list(differences(config, index)) == ["drafts/a.md: not indexed"]
    assert list(differences(config._replace(exclude=("drafts/",)), index)) == []
