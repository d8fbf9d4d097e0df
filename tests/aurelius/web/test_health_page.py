"""The page of a vault's health: findings with their place and remedy, what was checked, the daemon,
the index; a check that takes long."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius import api
from aurelius.memory import apart
from aurelius.web import kept_check
from tests.conftest import TODAY
from tests.pages import PageResponse, Pages, served

NOTES = {
    "people/joe.md": "# Joe\n\n## Facts\n\n- Lives in Porto (2026-01-01) ^same01\n- See [[people/nobody-<b>]]\n",
    "people/ann.md": "# Ann\n\n## Facts\n\n- Lives in Oslo (2026-01-01) ^same01\n",
    "people/secret.md": "---\nprivate: true\n---\n# Sam\n\n[[people/joe#Nowhere]]\n",
    "links.md": "# Links\n\n" + "".join(f"- [x](gone/file-{at}.pdf)\n" for at in range(60)),
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    (root / "away.md").symlink_to("people/joe.md")
    return root


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(tmp_path)} | {
        f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in names
    }


@pytest.fixture
def pages(vault: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Pages]:
    monkeypatch.setattr(kept_check, "SECONDS_FOR_CHECK", 30.0)
    with served(vault, env, now=TODAY) as found:
        yield found


def until(pages: Pages, path: str, done: Callable[[PageResponse], bool]) -> PageResponse:
    """The page as soon as it is so."""
    while True:
        answer = pages.get(path)
        if done(answer):
            return answer
        time.sleep(0.02)


def test_findings_are_grouped_with_count_place_and_remedy(pages: Pages) -> None:
    answer = pages.get("/health")
    groups = re.findall(r'<h2 id="kind-([a-z-]+)">', answer.text)
    assert groups == ["not-indexed", "duplicate-id", "broken-attachment", "unwritten"]
    assert "Ids that two facts have 1" in answer.words
    assert '<a href="/note/people/joe.md#line-5">people/joe.md:5</a>' in answer.text
    assert "What to do: run aurelius doctor --tidy" in answer.words
    assert "Notes that are linked to and do not exist yet 1, no fault" in answer.words
    assert "people/nobody-&lt;b&gt;" in answer.text
    assert "62 findings, checked 2026-02-10 12:00" in answer.words


def test_what_is_no_note_has_no_link(pages: Pages) -> None:
    answer = pages.get("/health")
    assert "<code>away.md</code>" in answer.text
    assert "/note/away.md" not in answer.text


def test_findings_that_are_alike_in_a_folder_come_once(pages: Pages, vault: Path) -> None:
    broken = "---\ncreated: {{date}}\n---\n# {{title}}\n"
    for path in ("tmpl/a.md", "tmpl/b.md", "tmpl/c.md", "more/a.md"):
        (vault / path).parent.mkdir(exist_ok=True)
        (vault / path).write_text(broken)
    words = pages.get("/health").words
    assert "Front matter that cannot be read 4 " in words
    assert re.search(r"more/a.md:2 : [^:]*: a key is a list or mapping tmpl/a", words)
    assert "mapping and 2 more in the same folder" in words
    assert "tmpl/b.md" not in words
    every = pages.get("/health?kind=front-matter").words
    assert "tmpl/b.md" in every
    assert "more in the same folder" not in every


def test_one_kind_is_shown_in_parts(pages: Pages) -> None:
    assert 'href="?kind=broken-attachment"' in pages.get("/health").text
    first = pages.get("/health?kind=broken-attachment")
    assert first.text.count("gone/file-") == 50
    assert "1 to 50 of 60" in first.words
    assert pages.get("/health?kind=broken-attachment&part=2").text.count("gone/file-") == 10
    assert pages.get("/health?kind=nothing").status == 404


def test_what_was_checked_the_daemon_and_the_index_are_told(pages: Pages, vault: Path) -> None:
    words = pages.get("/health").words
    assert f"vault {vault} (the vault of these pages)" in words
    assert "search by words and meaning" in words
    assert "daemon not running" in words
    assert "notes 3 chunks" in words
    assert "schema" in words


def test_nothing_is_told_of_private_notes(pages: Pages) -> None:
    for path in ("/health", "/health?kind=broken-heading"):
        assert "secret" not in pages.get(path).text
        assert "Nowhere" not in pages.get(path).text


def test_a_vault_without_faults_says_so(pages: Pages, vault: Path) -> None:
    for path in NOTES:
        (vault / path).unlink()
    (vault / "away.md").unlink()
    (vault / "one.md").write_text("# One\n")
    assert "Nothing is wrong in the notes, checked" in pages.get("/health").words


def test_a_check_that_takes_long_is_waited_for_beside_the_page(
    pages: Pages, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is there at once, with the findings of before, and says that they are looked for."""
    monkeypatch.setattr(kept_check, "SECONDS_FOR_CHECK", 0.0)
    gate = threading.Event()
    counts: list[int] = []

    def slow(*args: Any, **named: Any) -> Any:
        counts.append(1)
        gate.wait()
        return real(*args, **named)

    real = api.doctor
    monkeypatch.setattr(api, "doctor", slow)
    answer = pages.get("/health")
    assert "Looking through the notes;" in answer.words
    assert "daemon not running" in answer.words
    assert "data-unfinished" in answer.text
    assert pages.get("/health").status == 200
    assert len(counts) == 1, "one check at a time"
    gate.set()
    until(pages, "/health", lambda found: "data-unfinished" not in found.text)
    gate.clear()
    (vault / "new.md").write_text("# New\n\n[[people/joe#Missing]]\n")
    answer = pages.get("/health")
    assert "62 findings, checked" in answer.words
    assert "Looking through the notes again" in answer.words
    gate.set()
    until(pages, "/health", lambda found: "63 findings, checked" in found.words)


def test_asked_again_it_looks_again_but_not_for_ever(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    real = api.doctor

    def counted(*args: Any, **named: Any) -> Any:
        counts.append(1)
        return real(*args, **named)

    monkeypatch.setattr(api, "doctor", counted)
    for path in ("/health", "/health", "/health?again=yes"):
        pages.get(path)
    assert len(counts) == 1
    monkeypatch.setattr(kept_check, "SECONDS_TO_REST", 0.0)
    pages.get("/health?again=yes")
    assert len(counts) == 2


def test_a_large_vault_is_checked_in_a_process_of_its_own(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "FEW_NOTES", 0)
    monkeypatch.setattr(apart, "CODE", "import os; os._exit(3)")
    failed = "The check failed: its process ended with exit code 3. Look again"
    assert failed in pages.get("/health").words
    monkeypatch.undo()
    monkeypatch.setattr(apart, "FEW_NOTES", 0)
    monkeypatch.setattr(kept_check, "SECONDS_TO_REST", 0.0)
    pages.get("/health?again=yes")
    answer = until(pages, "/health", lambda found: "data-unfinished" not in found.text)
    assert "62 findings, checked 2026-02-10 12:00" in answer.words
    assert "Nowhere" not in answer.text
