"""One file of settings, as it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.settings.settings_file import MOST_BYTES, bytes_of, nearest, read
from indexer.errors import ConfigError


def test_each_key_says_where_it_stands_and_what_is_told_and_not_used_says_why(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[search]\nlimit = 5\n[daily]\nfolder = '.git'\n")
    entries = read(str(file)).entries
    assert entries["search.limit"] == (5, str(file), 2, "")
    assert entries["daily.folder"][:3] == (".git", str(file), 4)
    assert entries["daily.folder"].why.startswith("daily.folder is a folder inside the vault")


def test_only_the_persons_own_file_has_tables_for_vaults(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[vaults.'/v']\nsearch.limit = 5\n")
    assert read(str(file), {}).vaults["/v"]["search.limit"].value == 5
    with pytest.raises(ConfigError, match="unknown key vaults"):
        read(str(file))


def test_no_file_is_nothing_and_a_huge_one_is_refused(tmp_path: Path) -> None:
    assert bytes_of(str(tmp_path / "none")) is None
    (tmp_path / "large").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than 256 KiB"):
        bytes_of(str(tmp_path / "large"))


def test_a_word_near_a_key_is_told() -> None:
    assert nearest("search.limt", ("search.limit", "search.mode")).startswith("did you mean search.limit?")
