"""The notes of a kind and the facts of a type: in parts, in an order, archived ones apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.aurelius.web.looking import looked_at
from tests.pages import Pages

MANY = {
    f"people/p{number:03}.md": f"# Person {number:03}\n\nSays {number}. More.\n"
    for number in range(60)
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    with looked_at(tmp_path_factory.mktemp("kinds"), MANY) as found:
        yield found


def people(text: str) -> list[str]:
    return re.findall(r'<p><a href="/note/people/(\w+)\.md">', text)


def test_a_long_list_comes_in_parts_that_lead_to_each_other(pages: Pages) -> None:
    first = pages.get("/memory/people?sort=title")
    assert "61 notes" in first.words
    assert "1 to 50 of 61" in first.words
    assert 'href="?sort=title&amp;part=2"' in first.text
    second = pages.get("/memory/people?sort=title&part=2")
    assert people(second.text)[-1] == "p059"
    assert not set(people(first.text)) & set(people(second.text))
    assert pages.get("/memory/people?part=99999999999").status == 200
    assert "51 to 61 of 61" in pages.get("/memory/people?part=9999999").words


def test_a_note_of_a_list_tells_what_it_says_first_and_how_alive_it_is(pages: Pages) -> None:
    words = pages.get("/memory/projects").words
    assert "Boat A boat of wood. It floats." in words
    assert "· 1 fact" in words


def test_an_order_is_chosen_and_kept(pages: Pages) -> None:
    text = pages.get("/memory/people?sort=title").text
    assert '<option value="title" selected>' in text
    assert people(text)[:2] == ["p000", "p001"]
    assert pages.get("/memory/people?sort=nonsense").status == 200


def test_archived_projects_stand_under_a_heading_of_their_own(pages: Pages) -> None:
    text = pages.get("/memory/projects").text
    assert text.index("Old one") < text.index("<h2>Archived") < text.index("Raft")
    archived = pages.get("/memory/projects?show=archived")
    assert "Raft" in archived.words
    assert "Boat" not in archived.words


def test_a_kind_without_notes_says_how_one_is_made(pages: Pages) -> None:
    words = pages.get("/memory/areas").words
    assert 'aurelius new area "Name"' in words
    assert "type: area" in words


@pytest.mark.parametrize("name", ["person", "people"])
def test_a_kind_is_named_by_one_or_by_many(name: str, pages: Pages) -> None:
    assert "<h1>People</h1>" in pages.get(f"/memory/{name}").text


def test_what_is_no_kind_and_no_type_is_not_there(pages: Pages) -> None:
    missing = pages.get("/memory/nonsense")
    assert missing.status == 404
    assert '<a href="/memory/people">people</a>' in missing.text
    assert pages.get("/memory/facts?type=nonsense").status == 404


def test_no_private_note_or_fact_is_listed(pages: Pages) -> None:
    for path in ("/memory/people?sort=title&part=2", "/memory/facts", "/memory/person"):
        assert "Hidden" not in pages.get(path).text
        assert "secret" not in pages.get(path).text


def test_facts_of_a_type_are_listed_with_where_they_stand(pages: Pages) -> None:
    answer = pages.get("/memory/facts?type=decision")
    assert "Built by Joe Bloggs" in answer.words
    assert "Plays chess" not in answer.words
    assert 'href="/note/projects/boat.md#line-7"' in answer.text
    assert 'href="/fact/projects/boat.md%23%5Eboat01"' in answer.text
