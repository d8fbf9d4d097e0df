from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.search.query import SearchQuery
from indexer.search.search import Hit, SearchResult

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


def hit(tokens: int) -> Hit:
    return Hit("", "a.md", (1, 1), (), "A", "note", "", None, "active", 1.0, "text", tokens)


@pytest.mark.parametrize(
    ("budget", "kept", "left_out"), [(None, 3, 4), (60, 3, 4), (59, 2, 5), (30, 2, 5), (29, 1, 6), (9, 0, 7)]
)
def test_a_budget_keeps_whole_hits(budget: int | None, kept: int, left_out: int) -> None:
    """What did not fit is counted."""
    from aurelius.cli.commands.search import within_budget

    hits = (hit(10), hit(20), hit(30))
    result = SearchResult(SearchQuery("tea"), "hybrid", "default", hits, {}, 4, None, ())
    assert (len(within_budget(result, budget)[0]), within_budget(result, budget)[1]) == (kept, left_out)


def test_a_budget_without_a_limit_looks_further_than_ten(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    few = aurelius("search", "joe", "--jsonl", cwd=there).out.count("\n")
    many = aurelius("search", "joe", "--jsonl", "--budget", "100000", cwd=there).out.count("\n")
    assert few == 10 < many


def test_a_search_in_an_ignored_folder_says_by_which_rule(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    (root / "drafts").mkdir()
    (root / "drafts" / "x.md").write_text("# X\n")
    (root / ".aureliusignore").write_text("# mine\ndrafts/\n")
    told = "drafts is ignored (.aureliusignore:2), so it is neither searched nor shown"
    assert told in aurelius("search", "tea", "--in", "drafts", cwd=root).err
    assert json.loads(aurelius("search", "tea", "--in", "drafts", "--json", cwd=root).out)["hint"] == told
    assert "no note is at nowhere" in aurelius("search", "tea", "--in", "nowhere", cwd=root).err


def test_a_search_finds_what_was_saved_a_moment_ago(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    aurelius("index", cwd=there)
    note = there / "people" / "sarah.md"
    for word in ("marmalade", "periscope"):
        note.write_text(note.read_text("utf-8") + f"- Likes {word}\n", "utf-8")
        assert word in aurelius("search", word, "--mode", "keyword", cwd=there).out
    note.unlink()
    assert aurelius("search", "periscope", "--mode", "keyword", cwd=there).out == ""


def test_the_limit_and_mode_of_the_settings_hold_until_the_line_says_otherwise(
    aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("template")
    (there / ".aurelius" / "config.toml").write_text('[search]\nlimit = 2\nmode = "keyword"\nfusion = "rrf"\n', "utf-8")
    answer = json.loads(aurelius("search", "joe", "--json", cwd=there).out)
    assert (len(answer["hits"]), answer["mode"], answer["fusion"]) == (2, "keyword", "rrf")
    answer = json.loads(
        aurelius("search", "joe", "--json", "-n", "3", "--mode", "hybrid", "--fusion", "weighted", cwd=there).out
    )
    assert (len(answer["hits"]), answer["mode"], answer["fusion"]) == (3, "hybrid", "weighted")
