"""What the index knows, and who may see it: one condition, and a canary through every list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from indexer.catalog import lists
from indexer.catalog.filters import Filters
from indexer.errors import UsageError
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.rows.schema import is_ruled_out

NOW = 1_900_000_000.0
NOTES = {
    "people/joe.md": (
        "---\naliases: [J, Joey]\ntags: [friend, work/now]\nupdated: 2026-02-01\nrating: 4\nstate: Open\n---\n"
        "# Joe Bloggs\n\n## Facts\n- Likes tea (2026-01-05, preference) ^tea001\n- Lives here (2026-01-01)\n\n"
        "## History\n- ~~Lives there~~ (2025-01-01)\n\n- [ ] call him 📅 2026-02-12 #friend\n- [x] write\n"
    ),
    "people/sub/ann.md": "---\ntags: Friend\nrating: 10\ndone: true\n---\n# Ann\n[[joe]]\n",
    "memory/2026-02-03.md": "- [ ] buy canvas\n- saw #friend\n",
    "memory/2026-02-03-evening.md": "- slept\n",
    "broken.md": "---\na: [\n---\ntext\n",
    "secret.md": (
        "---\nprivate: true\ntags: [canary, friend]\n---\n# Canary\n- [ ] canary task\n- canary fact ^can001\n[[joe]]\n"
    ),
    "hidden/x.md": "canary in an ignored folder\n",
    ".aureliusignore": "hidden/\n/out.md\n",
    "out.md": "canary in an ignored note\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    index, report = refresh(Settings(str(root), "", vectors=False), now=NOW)
    assert report.failed == ()
    yield index
    index.close()


@pytest.fixture(scope="module")
def db(index: Index) -> apsw.Connection:
    return index.db


def paths(
    db: apsw.Connection, sort: str = "path", limit: int = -1, offset: int = 0, **wishes: Any
) -> list[str]:
    filters = Filters()._replace(**wishes)
    return [
        row.path
        for row in lists.get_notes(db, filters, sort=sort, limit=limit, offset=offset).notes
    ]


VISIBLE = [
    "broken.md",
    "memory/2026-02-03-evening.md",
    "memory/2026-02-03.md",
    "people/joe.md",
    "people/sub/ann.md",
]


def test_a_list_has_what_may_be_seen(db: apsw.Connection) -> None:
    assert paths(db) == VISIBLE
    assert paths(db, private=True) == [*VISIBLE, "secret.md"]


def test_a_row_says_what_a_note_is(db: apsw.Connection) -> None:
    row = next(
        row
        for row in lists.get_notes(db, Filters(), sort="path", limit=-1, offset=0).notes
        if "joe" in row.path
    )
    assert row == lists.NoteRow(
        "people/joe.md",
        "Joe Bloggs",
        "person",
        "2026-02-01" if row.date else None,
        "2026-02-01",
        ("friend", "work/now"),
        3,
        18,
        False,
    )


def test_windows_of_a_list_know_the_total(db: apsw.Connection) -> None:
    found = lists.get_notes(db, Filters(), sort="path", limit=2, offset=1)
    assert [row.path for row in found.notes] == VISIBLE[1:3]
    assert found.total == len(VISIBLE)


def test_a_window_may_be_larger_than_any_number_of_the_database(db: apsw.Connection) -> None:
    whole = lists.get_notes(db, Filters(), sort="path", limit=2**63, offset=0)
    assert [row.path for row in whole.notes] == VISIBLE
    behind = lists.list_facts(db, Filters(status="all"), sort="path", limit=10**30, offset=2**63)
    assert (behind.facts, behind.total > 0) == ((), True)


@pytest.mark.parametrize("sort", lists.SORTS)
def test_every_order_has_every_note(db: apsw.Connection, sort: str) -> None:
    assert sorted(paths(db, sort=sort)) == VISIBLE


def test_notes_are_listed_in_the_order_asked_for(db: apsw.Connection) -> None:
    assert paths(db, sort="date")[:2] == ["memory/2026-02-03-evening.md", "memory/2026-02-03.md"]
    assert paths(db, sort="updated")[2] == "people/joe.md"
    assert paths(db, sort="lines")[0] == "people/joe.md"
    with pytest.raises(UsageError) as caught:
        paths(db, sort="colour")
    assert "updated" in caught.value.hint


@pytest.mark.parametrize(
    ("wishes", "found"),
    [
        ({"kinds": ("person",)}, ["people/joe.md", "people/sub/ann.md"]),
        ({"kinds": ("daily", "me"), "tags": ("friend",)}, ["memory/2026-02-03.md"]),
        ({"tags": ("work",)}, ["people/joe.md"]),
        ({"tags": ("#WORK/NOW",)}, ["people/joe.md"]),
        ({"tags": ("wor",)}, []),
        ({"tags": ("friend", "work")}, ["people/joe.md"]),
        ({"folder": "people"}, ["people/joe.md", "people/sub/ann.md"]),
        ({"folder": "./people/sub/"}, ["people/sub/ann.md"]),
        ({"folder": "people/joe.md"}, ["people/joe.md"]),
        ({"folder": "peopl"}, []),
        ({"where": (("rating", ">", "4"),)}, ["people/sub/ann.md"]),
        ({"where": (("Rating", ">=", "4"),)}, ["people/joe.md", "people/sub/ann.md"]),
        ({"where": (("state", "=", "open"),)}, ["people/joe.md"]),
        ({"where": (("state", "!=", "open"),), "kinds": ("person",)}, ["people/sub/ann.md"]),
        ({"where": (("done", "has", ""),)}, ["people/sub/ann.md"]),
        ({"where": (("aliases", "~", "oey"),)}, ["people/joe.md"]),
        ({"where": (("x'; DROP TABLE note; --", "=", "'"),)}, []),
        ({"types": ("preference",)}, ["people/joe.md"]),
        ({"types": ("preference",), "status": "superseded"}, []),
        ({"types": ("preference/milestone",)}, []),
        ({"status": "superseded"}, ["people/joe.md"]),
        ({"since": "2026-02-02"}, ["memory/2026-02-03-evening.md", "memory/2026-02-03.md"]),
        ({"until": "2026-02-02"}, ["people/joe.md"]),
    ],
)
def test_a_filter_lists_the_notes_that_it_names_and_no_others(
    db: apsw.Connection, wishes: dict[str, Any], found: list[str]
) -> None:
    assert paths(db, **wishes) == found


def test_facts_of_a_type_and_status(db: apsw.Connection) -> None:
    def listed(sort: str = "path", **wishes: Any) -> list[tuple[str, str]]:
        filters = Filters()._replace(**wishes)
        return [
            (p, f.text)
            for p, f in lists.list_facts(db, filters, sort=sort, limit=-1, offset=0).facts
        ]

    assert listed(types=("preference",)) == [("people/joe.md", "Likes tea")]
    assert ("people/joe.md", "Lives there") not in listed(folder="people")
    assert listed(status="superseded") == [("people/joe.md", "Lives there")]
    assert len(listed(status="all", folder="people")) == 3
    assert [text for _, text in listed(sort="date", folder="people")] == ["Likes tea", "Lives here"]
    assert [text for _, text in listed(since="2026-01-02", folder="people")] == ["Likes tea"]
    window = lists.list_facts(db, Filters(folder="people"), sort="path", limit=1, offset=1)
    assert ([fact.text for _, fact in window.facts], window.total) == (["Lives here"], 2)


def test_each_part_of_the_facts_by_date_is_that_of_all(index: Index) -> None:
    def part(limit: int, offset: int) -> lists.FactList:
        wish = Filters(status="all")
        return lists.list_facts(index.db, wish, sort="date", limit=limit, offset=offset)

    every = part(-1, 0)
    days = [fact.date for _, fact in every.facts]
    assert len(set(days)) > 2
    for at in range(len(days) + 1):
        assert part(2, at) == every._replace(facts=every.facts[at : at + 2])


@pytest.mark.parametrize(("most", "day"), [(1, "2026-01-02"), (2, "2026-01-01"), (4, "")])
def test_the_day_from_which_on_there_are_enough_facts(most: int, day: str) -> None:
    """Those without a day come last."""
    assert lists._last_day(Counter({"2026-01-01": 2, "": 3, "2026-01-02": 1}), most) == day


def test_a_fact_comes_back_whole(db: apsw.Connection) -> None:
    fact = next(fact for _, fact in lists.get_facts(db, "people/joe.md", private=False))
    assert (fact.id, fact.key, fact.type, fact.date, fact.heading) == (
        "tea001",
        "tea001",
        "preference",
        "2026-01-05",
        ("Joe Bloggs", "Facts"),
    )
    assert fact.tags == ()


def test_tasks_are_listed_due_first_then_open_then_done(db: apsw.Connection) -> None:
    def listed(
        *, open_only: bool = False, due: tuple[str, str] | None = None, **wishes: Any
    ) -> list[str]:
        rows = lists.get_tasks(db, Filters()._replace(**wishes), open_only=open_only, due=due)
        return [f"{row.path}:{row.line}" for row in rows]

    assert listed() == ["people/joe.md:17", "memory/2026-02-03.md:1", "people/joe.md:18"], (
        "due, open, done"
    )
    assert listed(open_only=True) == ["people/joe.md:17", "memory/2026-02-03.md:1"]
    assert listed(due=("0001-01-01", "2026-02-12")) == ["people/joe.md:17"]
    assert listed(due=("2026-02-13", "2026-12-31")) == []
    assert "secret.md:6" in listed(private=True)
    assert listed(folder="memory") == ["memory/2026-02-03.md:1"]


def test_tags_are_counted_by_note_and_case_does_not_part_them(db: apsw.Connection) -> None:
    assert lists.get_tags(db, private=False) == (
        lists.TagRow("friend", 3),
        lists.TagRow("work/now", 1),
    )
    assert lists.TagRow("canary", 1) in lists.get_tags(db, private=True)


def test_a_note_is_known_by_its_whole_path_and_only_where_it_may_be_seen(
    db: apsw.Connection,
) -> None:
    assert lists.get_key(db, "people/joe.md", private=False) is not None
    assert lists.get_key(db, "nobody.md", private=False) is None
    assert lists.get_key(db, "secret.md", private=False) is None
    assert lists.get_key(db, "secret.md", private=True) is not None


def test_a_path_needs_no_ending_and_no_case_where_it_is_that_of_one_note(
    db: apsw.Connection,
) -> None:
    assert lists.get_path(db, "people/joe", private=False) == "people/joe.md"
    assert lists.get_path(db, "People/Sub/ANN", private=False) == "people/sub/ann.md"
    for name in ("joe", "people/j", "people", "people/joe.md", "nobody", "secret", ""):
        assert lists.get_path(db, name, private=False) == "", name
    assert lists.get_path(db, "secret", private=True) == "secret.md"


def test_a_path_that_two_notes_have_but_for_ending_or_case_is_that_of_neither(
    tmp_path: Path,
) -> None:
    for name in ("a.md", "a.markdown", "b.md", "Å.md", "å.markdown"):
        (tmp_path / name).write_text(f"# {name}\n", "utf-8")
    index, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=NOW)
    assert [lists.get_path(index.db, name, private=False) for name in ("a", "A", "b", "å")] == [
        "",
        "",
        "b.md",
        "",
    ]
    index.close()


def test_daily_notes_of_a_day_the_plainest_first(db: apsw.Connection) -> None:
    assert lists.get_daily(db, "2026-02-03", private=False) == (
        "memory/2026-02-03.md",
        "memory/2026-02-03-evening.md",
    )
    assert lists.get_daily(db, "2026-02-04", private=False) == ()


def test_problems_and_counts(db: apsw.Connection) -> None:
    assert [(path, problem.code) for path, problem in lists.get_problems(db, private=False)] == [
        ("broken.md", "front-matter")
    ]
    counts = lists.get_counts(db)
    assert (counts.notes, counts.private, counts.problems, counts.vectors) == (6, 1, 1, 0)
    assert dict(counts.kinds) == {"person": 2, "daily": 2, "note": 2}
    assert counts.chunks > counts.facts > 0


def test_ignored_paths_are_known_to_be_ignored(db: apsw.Connection) -> None:
    assert is_ruled_out(db, "out.md")
    assert is_ruled_out(db, "hidden/x.md")
    assert not is_ruled_out(db, "people/joe.md")


def test_no_query_shows_what_is_private_or_ignored(db: apsw.Connection) -> None:
    seen = repr(
        (
            lists.get_notes(db, Filters(), sort="path", limit=-1, offset=0),
            lists.list_facts(db, Filters(status="all"), sort="path", limit=-1, offset=0),
            lists.get_tasks(db, Filters(), open_only=False, due=None),
            lists.get_tags(db, private=False),
            list(lists.get_facts(db, private=False)),
            list(lists.get_facts(db, "secret.md", private=False)),
            list(lists.get_problems(db, private=False)),
            lists.get_failed(db, private=False),
        )
    )
    assert "joe" in seen
    assert "canary" not in seen.lower()
    assert "secret" not in seen


def test_a_failed_note_is_told_and_a_private_one_only_where_it_may_be_seen(tmp_path: Path) -> None:
    index, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=NOW)
    with index.db:
        index.db.execute("INSERT INTO note(path, private) VALUES('p.md', 1), ('q.md', 0)")
        index.put_failed({"p.md": "why", "q.md": "why", "new.md": "why"})
    assert [path for path, _ in lists.get_failed(index.db, private=False)] == ["new.md", "q.md"]
    assert [path for path, _ in lists.get_failed(index.db, private=True)] == [
        "new.md",
        "p.md",
        "q.md",
    ]
    index.close()


def test_what_another_fact_replaced_is_past_in_every_list(tmp_path: Path) -> None:
    notes = {
        "old.md": "---\ndate: 2026-03-01\n---\n## Facts\n- Likes tea (2026-01-01, preference) ^tea001\n",
        "new.md": "---\ndate: 2026-01-01\nupdated: 2026-04-01\n---\n## Facts\n"
        "- Likes coffee (2026-02-01, preference, updates ^tea001)\n- Is here (2026-02-01)\n",
    }
    for path, text in notes.items():
        (tmp_path / path).write_text(text)
    made, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=NOW)
    try:
        assert paths(made.db, types=("preference",)) == ["new.md"]
        assert paths(made.db, types=("preference",), status="superseded") == ["old.md"]
        assert paths(made.db, sort="updated") == ["new.md", "old.md"]
        wish = Filters(types=("preference",))
        found = lists.list_facts(made.db, wish, sort="path", limit=-1, offset=0)
        assert [fact.text for _, fact in found.facts] == ["Likes coffee"]
    finally:
        made.close()


def test_what_was_used_or_changed_last_comes_first(index: Index) -> None:
    with index.db:
        index.db.execute("PRAGMA query_only=0").fetchall()
        index.db.execute(
            "INSERT OR REPLACE INTO usage(ref, count, used) VALUES('people/joe.md', 1, 4000000000)"
        )
    assert paths(index.db, sort="recent")[0] == "people/joe.md"
    assert sorted(paths(index.db, sort="recent")) == VISIBLE


def test_the_lead_of_a_note_is_its_summary_its_text_or_its_first_fact(
    index: Index,
) -> None:
    every = [*VISIBLE, "secret.md", "gone.md"]
    found = lists.get_leads(index.db, every, private=False)
    assert found.keys() == set(VISIBLE)
    assert found["broken.md"].text.endswith("text")
    assert found["memory/2026-02-03-evening.md"].text == "slept"
    assert found["people/sub/ann.md"].text == "[[joe]]"
    assert all(each.changed > 0 for each in found.values())
    assert lists.get_leads(index.db, ["secret.md"], private=True).keys() == {"secret.md"}
