"""Which page a name in a text means: sloppy names find it, two of one name are asked about, nothing is merged."""

from __future__ import annotations

import datetime

from aurelius.memory.resolve import Mention, Pages, settle_mention
from indexer.catalog.names import Called, NoteNames

TODAY = datetime.date(2026, 2, 10)
CALLED = (
    Called("people/joe-bloggs.md", "Joe Bloggs", ("Joey",), "person", "2026-02-01"),
    Called("people/sarah-kim.md", "Sarah Kim", (), "person", None),
    Called("people/sarah-lee.md", "Sarah Lee", (), "person", None),
    Called("people/mark.md", "Mark", (), "person", None),
    Called("companies/acme.md", "Acme", (), "company", None),
    Called("people/acme.md", "Acme", (), "person", None),
    Called("projects/haus-kruger.md", "Haus Krüger", (), "project", None),
    Called("pages/design.md", "Design", (), "note", None),
    Called("archives/people/old-tim.md", "Old Tim", (), "archive", None),
)


def pages() -> Pages:
    return Pages(NoteNames(CALLED))


def mentions(text: str) -> list[Mention]:
    return pages().mentions(text, "memory/2026-02-10.md", TODAY)


def meant(text: str) -> list[str]:
    return [each.page for each in mentions(text)]


def test_a_sloppy_name_finds_no_page() -> None:
    for name in (
        "Joe Bloggs",
        "Joe",
        "joe bloggs",
        "J. Bloggs",
        "Joey",
        "Bloggs",
        "joe",
        "[[people/joe-bloggs|J]]",
        "Joe's",
    ):
        assert meant(f"{name} lives in Rome") == ["people/joe-bloggs.md"], name


def test_an_umlaut_that_is_spelt_with_two_letters_finds_no_page() -> None:
    assert meant("Krueger is delayed") == ["projects/haus-kruger.md"]


def test_two_people_of_one_first_name_are_taken_for_one() -> None:
    (found,) = mentions("Sarah lives in Rome")
    assert (found.page, set(found.asked)) == ("", {"people/sarah-kim.md", "people/sarah-lee.md"})


def test_what_else_is_spoken_of_does_not_decide_between_two() -> None:
    (found,) = mentions("Sarah lives in Rome")
    linked = {"people/sarah-lee.md": {"companies/acme.md"}}
    assert (
        settle_mention(found, {"companies/acme.md"}, lambda page: linked.get(page, set())).page
        == "people/sarah-lee.md"
    )
    assert (
        settle_mention(found, {"people/sarah-kim.md"}, lambda _: set()).page
        == "people/sarah-kim.md"
    )
    assert settle_mention(found, {"people/mark.md"}, lambda _: set()).page == ""


def test_a_person_and_a_company_of_one_name_are_merged() -> None:
    (found,) = mentions("Acme moved to Rome")
    assert (found.page, set(found.asked)) == ("", {"people/acme.md", "companies/acme.md"})


def test_a_word_amid_a_sentence_is_taken_for_a_name() -> None:
    assert meant("we talked about design and the house") == []


def test_an_archived_page_is_meant() -> None:
    assert meant("Old Tim lives in Rome") == []
