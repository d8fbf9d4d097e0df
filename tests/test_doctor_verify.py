"""doctor --verify: what is told of differences, of private notes, and what a rebuild mends."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from aurelius.answers.doctor import PRIVATE_PATH, prove
from aurelius.vault import Vault

NOTES = {
    "joe.md": "# Joe\n\n## Facts\n- Likes tea ^tea001\n",
    "diary.md": "---\nprivate: true\n---\n# Diary\n\n- something of mine\n",
}


@pytest.fixture
def vault(tmp_path: Path, env: dict[str, str]) -> Iterator[Vault]:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (root / path).write_text(text)
    found = Vault.find(str(root), env, "/", now=datetime.datetime(2026, 2, 10, 12))
    found.refresh()
    yield found
    found.close()


def spoil(vault: Vault, path: str) -> None:
    """Give a note another title in the index alone."""
    at = vault.index().path
    vault.close()
    connection = apsw.Connection(at)
    connection.execute("UPDATE note SET title='Another' WHERE path=?", (path,))
    connection.close()


def test_a_sound_index_has_nothing_to_tell(vault: Vault) -> None:
    found = prove(vault, fix=False)
    assert (found.differences, found.repaired, found.failed) == ((), (), ())


def test_a_difference_is_told_and_stays_until_it_is_mended(vault: Vault) -> None:
    spoil(vault, "joe.md")
    for _ in range(2):
        assert {each.path for each in prove(vault, fix=False).differences} == {"joe.md"}
    found = prove(vault, fix=True)
    assert found.differences == ()
    assert {each.path for each in found.repaired} == {"joe.md"}
    assert prove(vault, fix=True).repaired == ()


def test_a_private_note_is_told_without_its_path(vault: Vault) -> None:
    spoil(vault, "diary.md")
    assert {each.path for each in prove(vault, fix=False).differences} == {PRIVATE_PATH}
    found = prove(vault, fix=True)
    assert {each.path for each in found.repaired} == {PRIVATE_PATH}
    assert "diary" not in repr(found)
