"""The page of a fact: its chain, which of it held on a day, and what it has to do with others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.aurelius.web.looking import looked_at, part_of
from tests.pages import Pages

MORE = {
    "people/twin.md": "# Twin\n\n## Facts\n\n- Twice (2026-01-01) ^two001\n",
    "people/steps.md": "# Steps\n\n## Facts\n\n"
    + "".join(
        f"- Step {number} (20{10 + number // 12}-{number % 12 + 1:02}-01"
        + (f", updates ^step{number - 1:02}" if number else "")
        + f") ^step{number:02}\n"
        for number in range(80)
    ),
    "people/other.md": "# Other\n\n## Facts\n\n- Twice elsewhere (2026-01-01) ^two001\n",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    with looked_at(tmp_path_factory.mktemp("facts"), MORE) as found:
        yield found


def chain(text: str) -> str:
    return part_of(text, "chain")


def test_a_chain_goes_from_the_oldest_to_the_newest_with_days(pages: Pages) -> None:
    part = chain(pages.get("/fact/joe001").text)
    assert part.index("Lives in Bonn") < part.index("Lives in Lisbon")
    words = " ".join(re.sub(r"<[^>]*>", " ", part).split())
    assert "superseded · from 2020-01-01 · until 2026-01-05" in words
    assert "holds · from 2026-01-05" in words


@pytest.mark.parametrize(
    ("day", "held"), [("2021-01-01", "Bonn"), ("2026-01-05", "Lisbon"), ("2019-01-01", "")]
)
def test_a_day_says_which_of_a_chain_held(day: str, held: str, pages: Pages) -> None:
    part = chain(pages.get(f"/fact/joe001?as_of={day}").text)
    rows = re.findall(r"(?s)<li class=\"held\">(.*?)</li>", part)
    assert [held in row for row in rows] == [True] * bool(held)
    assert pages.get("/fact/joe001?as_of=nonsense").status == 200


def test_its_reason_its_source_and_its_uses_are_told(pages: Pages) -> None:
    answer = pages.get("/fact/joe001")
    assert "because Works at Techcorp" in answer.words
    assert 'href="/note/memory/2026-02-09.md"' in answer.text
    assert "Used on 1 day, last on 2026-02-10" in pages.get("/fact/joe001").words
    assert "led to Lives in Lisbon" in pages.get("/fact/joe003").words


def test_it_can_be_changed(pages: Pages) -> None:
    answer = pages.get("/fact/joe001")
    for action in ("supersede", "reword", "archive", "pin"):
        assert answer.form(action)["token"]
    assert 'action="/do/supersede"' not in pages.get("/fact/joe000").text


def test_an_id_that_several_notes_have_leads_to_each(pages: Pages) -> None:
    answer = pages.get("/fact/two001")
    assert answer.status == 300
    links = re.findall(r'<a href="(/fact/people/[^"]+)"', answer.text)
    assert len(links) == 2
    assert {pages.get(each).status for each in links} == {200}


def test_a_private_fact_is_like_one_that_is_not_there(pages: Pages) -> None:
    there = pages.get("/fact/hid001")
    gone = pages.get("/fact/hid00x")
    assert there.status == gone.status == 404
    assert there.text.replace("hid001", "hid00x") == gone.text
    by_note = pages.get("/fact/people/secret.md%23^hid001")
    assert by_note.status == 404
    assert "private" not in by_note.words


def test_a_long_chain_comes_in_parts_and_opens_where_the_fact_is(pages: Pages) -> None:
    first = pages.get("/fact/step00")
    assert ">Step 0<" in chain(first.text)
    assert "1 to 50 of 80" in first.words
    last = pages.get("/fact/step79")
    assert "51 to 80 of 80" in last.words
    asked = pages.get("/fact/step79?as_of=2010-02-01")
    assert '<li class="held">' in asked.text
    assert "1 to 50 of 80" in asked.words
