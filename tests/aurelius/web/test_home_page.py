"""The first page: what there is, what changed, what is due, and what waits."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from aurelius import api
from aurelius.vault import Vault
from tests.aurelius.web.looking import looked_at, part_of
from tests.conftest import TODAY
from tests.pages import Pages


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    with looked_at(tmp_path_factory.mktemp("home")) as found:
        yield found


def test_notes_and_facts_are_counted_and_lead_to_their_lists(pages: Pages) -> None:
    text = pages.get("/memory").text
    assert re.search(r"<h2[^>]*>7 notes</h2>", text)
    assert re.search(r"<h2[^>]*>9 facts</h2>", text)
    assert '<a href="/memory/projects">projects</a> <span class="quiet">3</span>' in text
    assert '<a href="/memory/people">people</a> <span class="quiet">1</span>' in text
    assert '<a href="/memory/facts?type=decision">decision</a>' in text
    assert pages.get("/memory/facts?type=decision").status == 200


def test_tiers_are_a_picture_with_the_same_in_words(pages: Pages) -> None:
    part = part_of(pages.get("/memory").text, "tiers")
    assert '<svg class="drawing tiers"' in part
    assert "hot" in part.partition("<dl")[2]


def test_tasks_that_are_due_stand_by_their_days_and_can_be_ticked(pages: Pages) -> None:
    part = part_of(pages.get("/memory").text, "due")
    places = [part.index(each) for each in ("Overdue", "Call Joe", "Today", "Write to", "Visit")]
    assert places == sorted(places)
    assert "Someday" not in part
    assert part.count('action="/do/tick"') == 3


def test_what_changed_this_week_leads_to_it(pages: Pages) -> None:
    part = part_of(pages.get("/memory").text, "week")
    assert 'href="/note/projects/boat.md#line-7"' in part
    assert "Built by" in part


def test_a_pinned_fact_is_shown_and_no_private_one(pages: Pages) -> None:
    text = pages.get("/memory").text
    assert "Plays chess" in part_of(text, "pinned")
    assert "Hidden words" not in text


def test_a_line_for_today_is_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("today")
    with looked_at(root) as pages:
        assert pages.act("/memory", "note", text="Saw a heron").status == 303
    assert "Saw a heron" in (root / "vault/memory/2026-02-10.md").read_text()


def test_what_waits_is_counted_where_somebody_has_counted_it(pages: Pages) -> None:
    before = part_of(pages.get("/memory").text, "waiting")
    assert "ecide" in before
    host = pages.host
    with Vault.find(host.root, host.env, host.root, now=TODAY, live=host.live) as vault:
        count = len(api.waiting_matters(vault))
    part = part_of(pages.get("/memory").text, "waiting")
    assert count
    assert f"{count} proposal" in part
    assert "Joe Bloggs is vegetarian" in part


def test_links_of_one_note_have_names_that_differ_and_counts_say_what_they_count(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    facts = "".join(f"- Sees boat {number} (2026-02-09, pinned)\n" for number in range(12))
    tasks = "".join(f"- [ ] Row {number} 📅 2026-02-09\n" for number in range(3))
    root = tmp_path_factory.mktemp("many")
    with looked_at(root, {"people/ann.md": f"# Ann\n\n## Facts\n\n{facts}\n{tasks}"}) as pages:
        text = pages.get("/memory").text
        every = pages.get("/memory/facts").text
        hits = pages.get("/memory/search?q=boat&in=people/ann.md").text
    places = re.findall(r">(people/ann\.md[^<]*)</a>", text)
    assert len(places) > 10
    assert len({*re.findall(r'href="(/note/people/ann\.md#[^"]*)"', text)}) == len({*places})
    listed = re.findall(r">(people/ann\.md[^<]*)</a>", every)
    assert len({*listed}) == len(listed) == 12
    names = re.findall(r"<h2><a[^>]*>(.*?)</a></h2>", hits)
    assert len({*names}) == len(names) > 3
    assert ">8 of 13 facts</span>" in part_of(text, "pinned")
    assert ">4 tasks</span>" in part_of(text, "due")
