"""A vault at a glance, and its notes of one kind: exact numbers of a small vault, nothing of private notes."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from aurelius import api
from aurelius.answers.overview import lead_line
from indexer.errors import UsageError
from tests.conftest import TODAY

NOTES = {
    "people/joe.md": "---\ntags: [x]\n---\n# Joe\n\nAn old intro.\n\n## Summary\nFriend of [[people/ann-lee]]. Sails.\n\n## Facts\n"
    "- Lives in Porto (2026-02-09) ^joe001\n- Born 1980 (2020-01-01, pinned)\n- ~~Lives in Rome~~ (2026-02-08)\n",
    "people/ann-lee.md": "# Ann\n\n## Facts\n- Restores **boats** (2024-01-01)\n",
    "people/old.md": "# Old\n\nA first line\nthat goes on.\n\n- item\n",
    "archives/people/bob.md": "---\ntype: person\n---\n# Bob\n",
    "memory/2026-02-10.md": "- [ ] pay 📅 2026-02-10\n- [ ] late 📅 2026-02-01\n- [ ] later 📅 2026-02-05\n- [x] done 📅 2026-02-01\n"
    "- [ ] soon 📅 2026-02-17\n- [ ] far 📅 2026-02-18\n- met Joe\n",
    "secret.md": "---\nprivate: true\n---\n# Canary\n## Facts\n- Canary (2026-02-09, pinned)\n- [ ] canary 📅 2026-02-10\n",
    "people/secret.md": "---\nprivate: true\n---\n# Canary\n\n## Summary\nCanary.\n",
    "conversations/2026-02-09.md": "- canary said (2026-02-09, pinned)\n",
}


@pytest.fixture
def opened(tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> api.SharedVault:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "notes"
    (root / ".aurelius").mkdir(parents=True)
    for at, (path, text) in enumerate(NOTES.items()):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
        age(root / path, days=3 * at)
    return api.SharedVault.open(root, now=TODAY)


def age(file: Path, *, days: int) -> None:
    at = (TODAY - timedelta(days=days)).timestamp()
    os.utime(file, (at, at))


def test_the_overview_counts_what_may_be_seen(opened: api.SharedVault) -> None:
    found = api.overview(opened)
    assert dict(found.kinds) == {"person": 4, "daily": 1}
    assert found.types == [("fact", 5)]
    assert found.fact_tiers == {"hot": 2, "warm": 2, "cold": 1}
    assert sum(found.note_tiers.values()) == 5
    assert [fact.text for _, fact in found.pinned.first] == ["Born 1980"]
    assert found.waiting is None
    assert "anary" not in repr(found)


def test_the_overview_says_what_this_week_brought(opened: api.SharedVault) -> None:
    found = api.overview(opened, most=2)
    assert [each.path for each in found.changed.first] == ["people/joe.md", "people/ann-lee.md"]
    assert found.changed.total == 3
    assert datetime.fromtimestamp(found.changed.first[0].at / 10**9) == TODAY
    texts = [fact.text for _, fact in found.new_facts.first]
    assert (texts, found.new_facts.total) == (["met Joe", "Lives in Porto"], 2)


def test_the_overview_says_what_is_due(opened: api.SharedVault) -> None:
    due = api.overview(opened, most=1).due
    assert [each.text.split()[0] for each in due.overdue.first] == ["later"]
    assert due.overdue.total == 2
    assert [each.text.split()[0] for each in due.today.first] == ["pay"]
    assert [each.text.split()[0] for each in due.soon.first] == ["soon"]
    assert (due.today.total, due.soon.total) == (1, 1)


def test_who_stays_says_how_many_proposals_wait_and_nobody_waits_for_them(
    opened: api.SharedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aurelius.memory import known

    told: list[float] = []
    answer = known.Known((), is_all=False)

    def asked(_: object, wait: float) -> known.Known:
        told.append(wait)
        return answer

    monkeypatch.setattr(known, "known_matters", asked)
    assert api.overview(opened).waiting is None
    with opened.looking():
        monkeypatch.setattr(opened, "live", SimpleNamespace())
        assert api.overview(opened).waiting is None
        answer = known.Known((), is_all=True)
        assert api.overview(opened).waiting == 0
        monkeypatch.undo()
    assert told == [api._SECONDS_FOR_PROPOSALS] * 2


def test_the_days_of_uses_are_told(opened: api.SharedVault) -> None:
    assert api.use_days(opened, "joe001") == []
    api.feedback(opened, "^joe001", helped=True)
    assert api.use_days(opened, "joe001") == [TODAY.date()]


def test_the_notes_of_a_kind_say_what_they_are_about(opened: api.SharedVault) -> None:
    page = api.kind_page(opened, "person")
    assert [(row.note.path, row.lead, row.changed) for row in page.rows] == [
        ("people/joe.md", "Friend of Ann Lee. Sails.", "2026-02-10"),
        ("people/ann-lee.md", "Restores boats", "2026-02-07"),
        ("people/old.md", "A first line that goes on.", "2026-02-04"),
    ]
    assert (page.total, page.elsewhere) == (3, 1)
    assert [row.age.tier for row in page.rows] == ["hot", "cold", "warm"]
    assert [row.note.facts for row in page.rows] == [3, 1, 1]


def test_the_notes_of_a_kind_come_in_parts_and_archived_ones_apart(opened: api.SharedVault) -> None:
    page = api.kind_page(opened, "person", sort="title", limit=1, offset=1)
    assert [row.note.title for row in page.rows] == ["Joe"]
    assert page.total == 3
    archived = api.kind_page(opened, "person", archived=True)
    assert [row.note.title for row in archived.rows] == ["Bob"]
    assert (archived.rows[0].lead, archived.elsewhere) == ("", 3)
    with pytest.raises(UsageError):
        api.kind_page(opened, "person", sort="colour")


def test_the_neighbourhood_and_the_days_are_those_of_the_catalog(opened: api.SharedVault) -> None:
    found = api.neighbourhood(opened, "people/joe.md")
    assert [each.title for each in found.nodes] == ["Joe", "Ann"]
    assert api.neighbourhood(opened, "people/secret.md").nodes == ()
    days = api.activity(opened, "2026-02-09", "2026-02-10")
    assert days == {"2026-02-09": 1, "2026-02-10": 7}


def test_no_number_costs_more_queries_for_more_notes(opened: api.SharedVault) -> None:
    counts = []
    for more in (0, 40):
        for at in range(more):
            (Path(opened.root) / f"people/p{at}.md").write_text(
                f"# P{at}\n\n## Facts\n- Sails (2026-02-{at % 9 + 1:02})\n- [ ] do 📅 2026-02-10\n"
            )
        with opened.looking():
            asked = traced(opened)
            api.overview(opened)
            api.kind_page(opened, "person", limit=3)
            opened.db.exec_trace = None
        counts.append(len(asked))
    assert counts[0] == counts[1] < 40


def test_what_notes_say_first_is_asked_once_for_all_of_them(opened: api.SharedVault) -> None:
    with opened.looking():
        asked = traced(opened)
        assert len(api.kind_page(opened, "person").rows) == 3
    assert len([sql for sql in asked if "substr(text" in sql]) == 1


def traced(opened: api.SharedVault) -> list[str]:
    """A list that gets every statement from now on."""
    asked: list[str] = []

    def trace(_: apsw.Cursor, sql: str, __: object) -> bool:
        asked.append(sql)
        return True

    opened.db.exec_trace = trace
    return asked


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("\n\n- one\n- two", "one"),
        ("> quoted [[a/big-name|so]] `code`", "quoted so code"),
        ("One. " * 60, "One. " * 31 + "One."),
        ("x" * 400, "x" * 160 + " …"),
        ("# Title\n## Part\ntext # no heading", "text # no heading"),
        ("# Title", ""),
        ("![[Clippings.base#Author]]\n\nSaid ![[a.png]] so", "Said so"),
        ("![a b](c.png)\n- [x] call [[people/ann-lee]]", "call Ann Lee"),
        ("> [!note]- Mind\n> the gap", "Mind the gap"),
        ("```dataview\nlist\n```\n\n| [[a\\|b]] | c |\n|---|---|", "b · c"),
        ("![[Clippings.base]]", ""),
        ("<script>alert(1)</script>\n\nso <b>it</b> is", "so it is"),
    ],
)
def test_a_lead_is_one_line_in_plain_words(text: str, line: str) -> None:
    assert lead_line(text) == line
