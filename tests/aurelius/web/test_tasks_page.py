"""The page of tasks on real files: by their days, filtered, ticked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.aurelius.web.test_actions import env, notes, undone
from tests.conftest import TODAY
from tests.pages import PageResponse, Pages, served

__all__ = ["env"]

FILES = {
    "projects/boat.md": "# Boat\n\n- [ ] Paint it 📅 2026-02-09\n- [ ] Sail 📅 2026-02-10\n"
    "- [ ] Buy a mast 📅 2026-02-17\n- [ ] Sell it 📅 2026-02-18\n- [x] Wash it\n"
    "- [-] Burn it\n- [ ] Ask [[Joe]] <script>alert(1)</script>\n",
    "areas/home.md": "# Home\n\n- [ ] Sweep\n",
    "people/sam.md": "---\nprivate: true\n---\n# Sam\n\n- [ ] Hidden task 📅 2026-02-10\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def pages(root: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(root, env, now=TODAY) as found:
        yield found


def test_open_tasks_stand_under_their_days(pages: Pages) -> None:
    page = pages.get("/tasks")
    parts = [
        ("Overdue", "Paint it"),
        ("Today", "Sail"),
        ("In the next seven days", "Buy a mast"),
        ("Later", "Sell it"),
        ("Without a day", "Sweep"),
    ]
    places = [page.text.index(f"> {name}".strip("> ") + " <span") for name, _ in parts]
    assert places == sorted(places)
    for at, (_, text) in zip(places, parts, strict=True):
        assert at < page.text.index(text, at)
    assert "Wash it" not in page.words
    assert "Burn it" not in page.words
    assert "<script>alert" not in page.text
    assert "/note/projects/boat.md#line-3" in page.text


def test_no_task_of_a_private_note_is_shown(pages: Pages) -> None:
    for query in ("", "?show=done", "?q=hidden", "?in=people"):
        assert "Hidden" not in pages.get(f"/tasks{query}").text
    assert "1 overdue, 1 today" in pages.get("/tasks").words


def test_tasks_are_filtered_by_folder_and_words_and_done_ones_on_demand(pages: Pages) -> None:
    shown = pages.get("/tasks?in=areas").words
    assert "Sweep" in shown
    assert "Sail" not in shown
    shown = pages.get("/tasks?q=BOAT+sail").words
    assert "Sail" in shown
    assert "Sweep" not in shown
    done = pages.get("/tasks?show=done").words
    assert "Wash it" in done
    assert "given up" in done
    assert "Sail" not in done
    assert "No open tasks fit." in pages.get("/tasks?q=nosuch").words
    assert pages.get("/tasks?in=../..").status in {200, 400}


def test_a_task_is_ticked_from_the_page_and_taken_back(pages: Pages, root: Path) -> None:
    before = notes(root)
    page = pages.get("/tasks?in=areas")
    made = pages.post("/do/tick", page.form("tick"))
    assert made.headers["location"] == "/tasks?in=areas&done=1"
    assert notes(root) == before | {"areas/home.md": b"# Home\n\n- [x] Sweep\n"}
    told = pages.get(made.headers["location"]).words
    assert 'Ticked "Sweep" in areas/home.md:3.' in told
    undone(pages, made)
    assert notes(root) == before


def test_a_task_that_moved_since_the_page_was_loaded_is_not_ticked(
    pages: Pages, root: Path
) -> None:
    form = pages.get("/tasks?in=areas").form("tick")
    (root / "areas/home.md").write_text("# Home\n\n- [ ] Dust\n- [ ] Sweep\n")
    before = notes(root)
    answer = pages.post("/do/tick", form)
    assert answer.status == 409
    assert "another line by now" in answer.words
    assert notes(root) == before


def test_many_tasks_come_in_parts(root: Path, env: Mapping[str, str]) -> None:
    lines = "".join(f"- [ ] Task {number:04} of many\n" for number in range(1200))
    (root / "areas/many.md").write_text(f"# Many\n\n{lines}")
    with served(root, env, now=TODAY) as pages:
        page = pages.get("/tasks?q=many")
        assert len(page.text) < 100_000
        assert "1200 tasks" in page.words
        assert "Task 0049" in page.words
        assert "Task 0050" not in page.words
        second: PageResponse = pages.get("/tasks?q=many&part=2")
        assert "Task 0050" in second.words
