"""How much each day has, which is something on exactly the days that `days` tells of; which notes changed."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from aurelius.answers.days import gather_days
from aurelius.api import SharedVault
from indexer.catalog.activity import ChangedNote, count_days, get_changed
from indexer.catalog.filters import Filters
from tests.conftest import TODAY

NOTES = {
    "memory/2026-02-09.md": "# 2026-02-09\n\n- called\n- [ ] pay him 📅 2026-02-12\n- sowed (2026-02-09)\n",
    "memory/2026-02-09-boat.md": "One paragraph.\n\nAnd another one.\n",
    "memory/2026-02-03.md": "",
    "memory/2026-02-05.md": "---\nprivate: true\n---\n- saw the doctor\n",
    "archives/2025-12-24.md": "- snow\n",
    "people/joe.md": "---\nupdated: 2026-02-01\n---\n# Joe\n\n## Facts\n- Lives in Porto (2026-02-09)\n"
    "- Works (2026-02-01)\n- Sails\n\n## History\n- ~~Lives in Rome~~ (2026-02-08)\n",
    "reading.md": "---\ncreated: 2026-02-06\nupdated: 2026-02-06\n---\n# What I read\ntext\n",
    "secret.md": "---\nprivate: true\nupdated: 2026-01-02\n---\n- [ ] hide 📅 2026-01-02\n",
    "conversations/2026-01-03.md": "- said something\n",
    "todo.md": "- [x] post ✅ 2026-02-07\n- [ ] call 📅 2026-02-08\n- [x] both 📅 2026-02-07 ✅ 2026-02-07\n",
    "people/_index.md": "- [[joe]]\n",
}


@pytest.fixture
def opened(tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> SharedVault:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "notes"
    (root / ".aurelius").mkdir(parents=True)
    for at, (path, text) in enumerate(NOTES.items()):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
        os.utime(root / path, ns=(0, 1_000_000_000 * (at + 1)))
    return SharedVault.open(root, now=TODAY)


def test_a_day_has_its_note_the_facts_pages_and_tasks_of_that_day(opened: SharedVault) -> None:
    found = count_days(opened.db, "2025-02-11", "2026-02-12", "memory", private=False)
    assert found == {
        "2025-12-24": 1,
        "2026-02-01": 1,  # a fact of it, which tells that the page carries the day
        "2026-02-03": 1,
        "2026-02-06": 1,
        "2026-02-07": 2,
        "2026-02-08": 2,
        "2026-02-09": 5,  # two list items and a task, a text, a fact elsewhere
        "2026-02-12": 1,
    }
    assert [*found] == sorted(found)


@pytest.mark.parametrize("private", [False, True])
def test_a_day_has_something_exactly_where_days_tells_of_it(
    opened: SharedVault, *, private: bool
) -> None:
    span = ("2025-02-11", "2026-02-12")
    told = gather_days(opened, *span, yearly=False, private=private)
    found = count_days(opened.db, *span, "memory", private=private)
    assert [*found] == [day.date for day in reversed(told)]
    for day in told:
        parts = [*day.notes, *day.facts, *day.pages, *day.tasks]
        assert found[day.date] >= len(parts), day


def test_a_year_is_counted_in_one_query(opened: SharedVault) -> None:
    asked: list[str] = []

    def trace(_: apsw.Cursor, sql: str, __: object) -> bool:
        asked.append(sql)
        return True

    opened.db.exec_trace = trace
    count_days(opened.db, "2025-02-11", "2026-02-10", "memory", private=False)
    assert len(asked) == 1


def test_the_notes_changed_last_come_first_and_no_private_one(opened: SharedVault) -> None:
    found, total = get_changed(opened.db, Filters(), 6_000_000_000, 2)
    assert found == [
        ChangedNote("todo.md", "Todo", "note", 10_000_000_000),
        ChangedNote("reading.md", "What I read", "note", 7_000_000_000),
    ]
    assert total == 3
    assert get_changed(opened.db, Filters(), 99_000_000_000, 2) == ([], 0)
