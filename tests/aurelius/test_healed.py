"""Rows that make no sense are not a reason to fail (A48, reliability B3)."""

from __future__ import annotations

import datetime
from pathlib import Path

import apsw
import pytest

from aurelius.vault import Vault
from indexer.query import Filters, SearchQuery

NOW = datetime.datetime(2026, 2, 10, 12)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "joe.md").write_text("---\nstate: open\n---\n# Joe\n\n- [ ] call #now\n- Likes [[tea]]\n")
    env = {"AURELIUS_INDEX": str(tmp_path / "index")}
    vault = Vault.find(str(root), env, str(tmp_path), now=NOW)
    vault.index()
    vault.close()
    return vault


def damage(vault: Vault, sql: str) -> None:
    path = vault.index().path
    vault.close()
    db = apsw.Connection(path)
    db.execute(sql)
    db.close()


def test_a_list_by_damaged_front_matter_is_right(vault: Vault) -> None:
    damage(vault, "UPDATE note SET front = '{'")
    found = vault.notes(Filters(where=(("state", "=", "open"),)))
    assert [note.path for note in found.notes] == ["joe.md"]
    assert any("built anew" in notice for notice in vault.notices)


@pytest.mark.parametrize("table", ["tag", "task", "link", "chunk"])
def test_every_question_survives_a_lost_table(vault: Vault, table: str) -> None:
    damage(vault, f"DROP TABLE {table}")
    assert [tag.name for tag in vault.tags()] == ["now"]
    assert [task.line for task in vault.tasks(filters=Filters())] == [6]
    assert [row.path for row in vault.links("joe").outgoing] == ["tea"]
    assert [hit.path for hit in vault.search(SearchQuery("tea")).hits] == ["joe.md"]
    assert vault.status().notes == 1


def test_a_bug_is_not_hidden(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr("indexer.catalog.get_tags", broken)
    with pytest.raises(TypeError, match="a bug"):
        vault.tags()
