"""Without an index the files still answer, and nothing private or ignored with them."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from indexer.catalog.filters import Filters, Linked
from indexer.disk import read_file
from indexer.disk.read_file import FileBytes
from indexer.errors import IndexUnavailableError
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.search import without_index
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.search.without_index import search_files

NOTES = {
    "people/joe.md": (
        "---\ntitle: x\ntags: [friend]\n---\n# Joe Bloggs\n\n## Facts\n- Drinks green tea every morning\n"
        "- Plays chess\n\n## History\n- Drank tea in Leeds\n\n## Notes\n```\n# no heading\ntea in code\n```\n"
    ),
    "memory/2026-02-03.md": "Tea with Ann. Café.\n\n- ~~old tea~~ (2025-01-01)\n",
    "secret.md": "---\nPrivate: yes\n---\ntea canary\n",
    "hidden/x.md": "tea canary\n",
    ".aureliusignore": "hidden/\n",
    "zh.md": "我喜欢喝绿茶。\n",
    "cpp.md": "C++ and C# differ; steam.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


def ask(root: Path, text: str, limit: int = 10, **wishes: Any) -> SearchResult:
    return search_files(
        str(root), SearchQuery(text, limit=limit, filters=Filters()._replace(**wishes))
    )


def spans(result: SearchResult) -> set[tuple[str, int, int]]:
    return {(hit.path, *hit.lines) for hit in result.hits}


def test_hits_have_true_lines_headings_and_text(root: Path) -> None:
    result = ask(root, "green tea")
    assert result.mode == "scan"
    first = result.hits[0]
    assert (first.path, first.lines, first.heading) == (
        "people/joe.md",
        (8, 8),
        ("Joe Bloggs", "Facts"),
    )
    for hit in result.hits:
        lines = (root / hit.path).read_text("utf-8").split("\n")
        assert hit.text == "\n".join(filter(None, lines[hit.lines[0] - 1 : hit.lines[1]]))
    assert any("index" in notice for notice in result.notices)


def test_more_words_rank_higher(root: Path) -> None:
    scores = [hit.score for hit in ask(root, "green tea morning").hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]


def test_nothing_private_or_ignored(root: Path) -> None:
    result = ask(root, "tea canary", status="all")
    assert result.hits
    assert "canary" not in repr(result.hits)
    assert "private" not in result.filtered
    assert "secret.md" in {hit.path for hit in ask(root, "canary", private=True).hits}
    assert "hidden/x.md" not in {hit.path for hit in ask(root, "canary", private=True).hits}


def test_superseded_text_is_counted_and_left_out(root: Path) -> None:
    result = ask(root, "tea")
    assert ("people/joe.md", 12, 12) not in spans(result)
    assert result.filtered["superseded"] == 2
    assert spans(ask(root, "tea", status="superseded")) == {
        ("people/joe.md", 12, 12),
        ("memory/2026-02-03.md", 3, 3),
    }


def test_words_are_whole_and_accents_and_scripts_do_not_matter(root: Path) -> None:
    assert "cpp.md" not in {hit.path for hit in ask(root, "tea").hits}
    assert [hit.path for hit in ask(root, "cafe").hits] == ["memory/2026-02-03.md"]
    assert [hit.path for hit in ask(root, "绿茶").hits] == ["zh.md"]
    assert [hit.path for hit in ask(root, "C++").hits] == ["cpp.md"]
    assert spans(ask(root, "mornings")) == set()
    assert ("people/joe.md", 8, 8) in spans(ask(root, "drink"))


def test_phrases_and_exclusions(root: Path) -> None:
    assert ("people/joe.md", 8, 8) in spans(ask(root, '"green tea"'))
    assert spans(ask(root, "tea -green -code")) == {("memory/2026-02-03.md", 1, 1)}


@pytest.mark.parametrize(
    ("wishes", "found"),
    [
        ({"folder": "people/"}, {"people/joe.md"}),
        ({"kinds": ("daily",)}, {"memory/2026-02-03.md"}),
        ({"tags": ("friend",)}, {"people/joe.md"}),
        ({"where": (("title", "=", "x"),)}, {"people/joe.md"}),
        ({"since": "2026-02-01", "until": "2026-02-28"}, {"memory/2026-02-03.md"}),
        ({"types": ("event",)}, set()),
    ],
)
def test_filters_hold_without_an_index_too(
    root: Path, wishes: dict[str, Any], found: set[str]
) -> None:
    assert {hit.path for hit in ask(root, "tea", **wishes).hits} == found


def test_the_limit_counts_what_it_cuts(root: Path) -> None:
    result = ask(root, "tea", limit=1)
    assert (len(result.hits), result.truncated) == (1, len(ask(root, "tea").hits) - 1)


def test_a_search_that_takes_too_long_gives_a_partial_answer_that_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(without_index, "SEARCH_SECONDS", -1.0)
    result = ask(root, "tea")
    assert result.hits == ()
    assert any("partial" in notice for notice in result.notices)


def test_a_partial_answer_is_of_the_newest_notes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for age, path in enumerate(("people/joe.md", "memory/2026-02-03.md", "zh.md", "cpp.md")):
        os.utime(root / path, (1_700_000_000 - age, 1_700_000_000 - age))
    (root / "secret.md").unlink()
    ticks = iter([0.0, 0.0, 99.0])
    monkeypatch.setattr(without_index, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    assert {hit.path for hit in ask(root, "tea").hits} == {"people/joe.md"}


@pytest.mark.parametrize("text", ["", "...", "nothingofthekind", "🙂", '"', "NEAR( * ^ : -"])
def test_an_empty_answer_says_what_to_try(root: Path, text: str) -> None:
    result = ask(root, text)
    assert result.hits == ()
    assert result.hint


def test_a_vault_that_is_not_there(root: Path) -> None:
    with pytest.raises(IndexUnavailableError):
        ask(root / "gone", "tea")


def test_what_cannot_be_read_stops_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(vault: str, path: str, *, was_empty: bool) -> FileBytes | None:
        if path == "cpp.md":
            raise PermissionError(13, "no")
        return read_file.read_whole(vault, path, was_empty=was_empty)

    monkeypatch.setattr(without_index, "read_whole", read)
    os.truncate(root / "zh.md", 0)
    assert ask(root, "tea").hits


def test_the_same_lines_are_found_as_with_an_index(root: Path, tmp_path: Path) -> None:
    index, _ = refresh(Settings(str(root), str(tmp_path / "index")), now=0.0)
    for text in ("green tea", "chess", "Leeds", "canary"):
        query = SearchQuery(text, mode="keyword", filters=Filters(status="all"))
        with_index = search(index, query, None, datetime.datetime(2026, 2, 10, 12))
        assert {
            (hit.id, hit.path, hit.lines, hit.status) for hit in ask(root, text, status="all").hits
        } == {(hit.id, hit.path, hit.lines, hit.status) for hit in with_index.hits}, text
    index.close()


def test_a_type_is_filtered_with_its_subtype_as_in_the_index(root: Path) -> None:
    now = datetime.datetime(2026, 2, 10)
    lines = (
        "a (2026-01-01, instruction/rule)",
        "b (2026-01-01, instruction)",
        "c (2026-01-01, milestone)",
        "d",
    )
    text = "# T\n\n## Facts\n\n" + "".join(f"- Zebra {line}\n" for line in lines)
    (root / "people/t.md").write_text(text, "utf-8")
    index, _ = refresh(Settings(str(root), "", vectors=False), now=now.timestamp())
    for types, found in (
        (("instruction",), [5, 6]),
        (("instruction/rule",), [5]),
        (("fact/milestone",), [7]),
        (("fact",), [7, 8]),
        (("instruction/rule", "fact/milestone"), [5, 7]),
        (("event",), []),
    ):
        query = SearchQuery("zebra", mode="keyword", filters=Filters(types=types))
        asked = search(index, query, None, now)
        assert sorted(hit.lines[0] for hit in asked.hits) == found
        scanned = search_files(str(root), query)
        assert sorted(hit.lines[0] for hit in scanned.hits) == found
        assert {hit.lines: hit.subtype for hit in scanned.hits} == {
            hit.lines: hit.subtype for hit in asked.hits
        }
    index.close()


def test_filters_that_only_the_index_knows_are_named(root: Path) -> None:
    links = Linked(linked_by=("joe",), orphan=True)
    told = ask(root, "tea", tiers=("hot",), links=links).notices
    assert "--tier and --linked-by and --orphan need the index, so they were ignored" in told
    assert (
        "--as-of needs the index, so it was ignored" in ask(root, "tea", as_of="2026-01-01").notices
    )
    assert not any("ignored" in notice for notice in ask(root, "tea", kinds=("person",)).notices)


def test_front_matter_paths_and_conversations_are_filtered_without_an_index_too(root: Path) -> None:
    (root / "conversations").mkdir()
    (root / "conversations" / "chat.md").write_text(
        "---\norg: '[[Acme]]'\n---\ntea with Acme\n", "utf-8"
    )
    chat = "conversations/chat.md"
    assert chat not in {hit.path for hit in ask(root, "tea").hits}
    assert {hit.path for hit in ask(root, "tea", folder="conversations").hits} == {chat}
    wish: dict[str, Any] = {"where": (("path", "~", "conversations"), ("org", "=", "acme"))}
    assert {hit.path for hit in ask(root, "tea", **wish).hits} == {chat}
