"""References as people type them, and the text there."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.ageing import usage_log
from aurelius.answers import references
from aurelius.answers.excerpts import Excerpt, LineRange, section_lines, take
from aurelius.answers.references import split_reference
from aurelius.vault import Vault
from indexer.catalog.lists import get_facts
from indexer.errors import AmbiguousNameError, NoteNotFoundError, UsageError
from indexer.reading.parse import parse

NOTES = {
    "people/joe.md": (
        "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01) ^rome01\n- Likes green tea with lemon\n- Twice ^same01\n"
        "## History\n- ~~Lives in Bonn~~ (2020-01-01 → 2026-01-01, superseded by ^rome01) ^bonn01\n"
    ),
    "people/ann.md": "# Ann\n\n## Facts\n- Twice ^same01\n- Sails\n",
    "private/diary.md": "---\nprivate: true\n---\n# D\n\n## Facts\n- canary ^can001\n",
}
TODAY = "2026-02-10"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


@pytest.fixture
def vault(root: Path, env: dict[str, str]) -> Iterator[Vault]:
    made = Vault.find(str(root), env, "/", now=datetime.datetime(2026, 2, 10, 12))
    yield made
    made.close()


@pytest.mark.parametrize(
    "typed", ["^rome01", "rome01", "joe#^rome01", "people/joe#^rome01", "people/joe.md#^rome01"]
)
def test_a_fact_is_meant_by_its_id_alone_or_with_its_note(typed: str, vault: Vault) -> None:
    assert references.resolve_fact(vault, typed, private=False) == ("people/joe.md", "rome01")
    assert references.is_fact(vault, typed, private=False)


def test_a_fact_without_an_id_is_meant_by_its_key(vault: Vault) -> None:
    key = next(
        fact.key for _, fact in get_facts(vault.index().db, private=False) if "green" in fact.text
    )
    assert references.resolve_fact(vault, key, private=False) == ("people/joe.md", key)
    assert references.resolve_fact(vault, f"joe#^{key}", private=False) == ("people/joe.md", key)


def test_a_fact_is_meant_by_where_it_stands(vault: Vault) -> None:
    for _, fact in get_facts(vault.index().db, "people/joe.md", private=False):
        for typed in (f"people/joe.md:{fact.first}", f"joe:{fact.last}"):
            assert references.resolve_fact(vault, typed, private=False) == (
                "people/joe.md",
                fact.key,
            )
            assert references.is_fact(vault, typed, private=False)
    with pytest.raises(NoteNotFoundError, match=r"people/joe\.md:1 is no fact"):
        references.resolve_fact(vault, "joe:1", private=False)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("nobody:3", "nobody"),
        ("^none01", r"no fact has the id \^none01"),
        ("none01", r"no fact has the id \^none01"),
        ("ann#^rome01", r"people/ann\.md has no fact \^rome01"),
        ("nobody#^rome01", "nobody"),
        ("#^none01", "no fact has the id"),
        ("^", "no fact has the id"),
    ],
)
def test_a_fact_that_is_not_there_is_said_with_what_to_do(
    typed: str, message: str, vault: Vault
) -> None:
    with pytest.raises(NoteNotFoundError, match=message) as raised:
        references.resolve_fact(vault, typed, private=False)
    assert raised.value.hint


def test_an_id_in_two_notes_is_asked_about_and_the_note_decides(vault: Vault) -> None:
    with pytest.raises(AmbiguousNameError, match=r"same01"):
        references.resolve_fact(vault, "^same01", private=False)
    assert references.resolve_fact(vault, "ann#^same01", private=False) == (
        "people/ann.md",
        "same01",
    )


def test_a_private_fact_is_there_only_for_who_may_see_it(vault: Vault) -> None:
    for typed in ("^can001", "diary#^can001"):
        with pytest.raises(NoteNotFoundError):
            references.resolve_fact(vault, typed, private=False)
        assert references.resolve_fact(vault, typed, private=True) == ("private/diary.md", "can001")
    assert not references.is_fact(vault, "can001", private=False)
    assert references.is_fact(vault, "can001", private=True)


def test_a_fact_is_found_by_the_name_it_had_before(vault: Vault) -> None:
    usage_log.append_uses(vault, [{"op": "alias", "ref": "h0123456789a", "to": "rome01"}])
    vault.refresh()
    assert references.resolve_fact(vault, "^h0123456789a", private=False) == (
        "people/joe.md",
        "rome01",
    )
    usage_log.append_uses(vault, [{"op": "alias", "ref": "hffffffffff0", "to": "gone01"}])
    vault.refresh()
    with pytest.raises(NoteNotFoundError, match=r"\^gone01"):
        references.resolve_fact(vault, "hffffffffff0", private=False)


def test_the_name_of_a_note_is_no_fact(vault: Vault) -> None:
    assert not references.is_fact(vault, "joe", private=False)
    assert references.is_fact(vault, "^whatever", private=False)


@pytest.mark.parametrize(
    ("typed", "day"), [("2026-02-01", "2026-02-01"), ("yesterday", "2026-02-09"), ("today", TODAY)]
)
def test_a_date_is_one_day(typed: str, day: str) -> None:
    assert references.resolve_day(typed, TODAY) == day


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("someday", "^date: "),
        ("2026-02", "needs a single day"),
        ("last week", "needs a single day"),
        ("0999-12-31", "is out of range"),
        ("3000-01-01", "is out of range"),
    ],
)
def test_what_is_no_day_of_a_fact_is_refused(typed: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        references.resolve_day(typed, TODAY)
    assert raised.value.hint


def test_a_reason_is_an_id_where_it_names_a_fact(vault: Vault) -> None:
    assert references.resolve_reason(vault, "rome01", private=False) == "^rome01"
    assert references.resolve_reason(vault, "^rome01", private=False) == "^rome01"
    assert references.resolve_reason(vault, "the rent rose", private=False) == "the rent rose"
    assert references.resolve_reason(vault, "can001", private=False) == "can001"
    assert references.resolve_reason(vault, "^ is a sign", private=False) == "^ is a sign"


@pytest.mark.parametrize("typed", ["^nope01", "^can001"])
def test_a_reason_that_names_no_fact_is_refused(typed: str, vault: Vault) -> None:
    """As `--updates` refuses it: the line would tell for ever of a fact that there is not."""
    with pytest.raises(NoteNotFoundError, match=rf"no fact has the id \{typed}"):
        references.resolve_reason(vault, typed, private=False)


def test_the_history_of_a_fact_is_its_chain_and_that_of_a_note_is_every_chain(
    root: Path, vault: Vault
) -> None:
    two = (
        NOTES["people/joe.md"]
        + "- ~~Likes tea~~ (2020-01-01 → 2021-01-01, superseded by ^same01) ^tea001\n"
    )
    (root / "people/joe.md").write_text(two, "utf-8")
    (chain,) = references.fact_history(vault, "rome01", private=False).chains
    assert [step.fact.key for step in chain] == ["bonn01", "rome01"]
    assert [
        step.fact.key for step in references.fact_history(vault, "^bonn01", private=False).chains[0]
    ] == [
        "bonn01",
        "rome01",
    ]
    chains = references.fact_history(vault, "joe", private=False).chains
    assert [[step.fact.key for step in chain] for chain in chains] == [
        ["bonn01", "rome01"],
        ["tea001", "same01"],
    ]
    with pytest.raises(NoteNotFoundError):
        references.fact_history(vault, "nobody", private=False)


def test_the_facts_most_like_a_text_are_named_best_first_and_no_more_than_three(
    root: Path, vault: Vault
) -> None:
    found = references.facts_like(vault, "Likes green tea with lemon (2026-02-01)", private=False)
    assert "Likes green tea with lemon" in found[0].text
    assert references.facts_like(vault, "the volcano erupted in 1883", private=False) == ()
    (root / "many.md").write_text(
        "# Many\n\n## Facts\n" + "".join(f"- Likes green tea number {n}\n" for n in range(9))
    )
    vault.refresh()
    assert (
        len(references.facts_like(vault, "Likes green tea number 3", private=False))
        == references.MOST_EARLIER_FACTS
    )


def test_what_is_like_a_text_and_private_is_not_named(vault: Vault) -> None:
    assert references.facts_like(vault, "canary", private=False) == ()
    assert [hit.id for hit in references.facts_like(vault, "canary", private=True)] == ["can001"]


TEXT = "﻿# Top\r\n## A\r\none\r\n### Inner\r\ntwo \r\n\r\n## B\n- fact\n  more ^id0001\n## A\nlast"


@pytest.mark.parametrize(
    ("reference", "ways"),
    [
        ("a.md", []),
        ("a.md:3", [("a.md", LineRange(3, 1))]),
        ("a.md:3:2", [("a.md", LineRange(3, 2))]),
        ("a b#Head ing ", [("a b", LineRange(anchor="Head ing"))]),
        ("a#^x", [("a", LineRange(anchor="^x"))]),
        ("C#", []),
        ("C# x#H", [("C", LineRange(anchor="x#H")), ("C# x", LineRange(anchor="H"))]),
        ("a:b", []),
        ("a:1:2:3", [("a:1", LineRange(2, 3))]),
        ("a:-1", []),
        ("", []),
    ],
)
def test_a_reference_is_parted_into_note_lines_and_anchor_in_every_way_it_can_be_meant(
    reference: str, ways: list[tuple[str, LineRange]]
) -> None:
    assert split_reference(reference) == ways


@pytest.mark.parametrize("reference", ["a:0", "a:1:0", "a:0:0"])
def test_lines_count_from_one(reference: str) -> None:
    with pytest.raises(UsageError):
        split_reference(reference)


@pytest.mark.parametrize(
    ("place", "span", "lines"),
    [
        (LineRange(), (1, 11), None),
        (LineRange(5), (5, 5), ["two "]),
        (LineRange(10, 99), (10, 11), ["## A", "last"]),
        (LineRange(anchor="Inner"), (4, 5), ["### Inner", "two "]),
        (LineRange(anchor="A"), (2, 5), ["## A", "one", "### Inner", "two "]),
        (LineRange(anchor="top#b"), (7, 9), ["## B", "- fact", "  more ^id0001"]),
        (LineRange(anchor="^ID0001"), (8, 9), ["- fact", "  more ^id0001"]),
    ],
)
def test_lines_and_anchors_give_exactly_their_lines_of_the_note(
    place: LineRange, span: tuple[int, int], lines: list[str] | None
) -> None:
    found = take("n.md", TEXT.encode(), place, "memory")
    assert (found.first, found.last) == span
    if lines is not None:
        assert list(found.lines) == lines


@pytest.mark.parametrize(
    "place",
    [LineRange(12), LineRange(anchor="Z"), LineRange(anchor="A#B"), LineRange(anchor="^no")],
)
def test_what_is_not_there_is_said_with_what_is(place: LineRange) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        take("n.md", TEXT.encode(), place, "memory")
    assert "n.md" in caught.value.message
    assert caught.value.hint


def test_an_empty_note_has_no_lines() -> None:
    assert take("n.md", b"", LineRange(), "memory") == Excerpt("n.md", 1, 0, (), exists=True)


def test_a_heading_of_signs_alone_matches_nothing() -> None:
    assert section_lines(parse("n.md", TEXT.encode()), "!!!") is None


def test_two_sections_of_one_name_in_a_row_are_two() -> None:
    found = take("n.md", b"# T\n## A\none\n## A\ntwo\n", LineRange(anchor="A"), "memory")
    assert found.lines == ("## A", "one")


def test_lines_of_an_ignored_day_are_told_to_be_ignored_and_those_of_an_unwritten_one_to_be_that(
    vault: Vault, root: Path
) -> None:
    (root / ".gitignore").write_text("memory/\n", "utf-8")
    (root / "memory").mkdir()
    (root / "memory/2026-02-09.md").write_text("- Rained\n", "utf-8")
    with pytest.raises(NoteNotFoundError) as raised:
        references.read_reference(vault, "memory/2026-02-09.md:1:3", private=False)
    assert "is ignored (.gitignore:1)" in raised.value.hint
    (root / ".gitignore").unlink()
    assert (
        references.read_reference(vault, "memory/2026-02-08.md:1:3", private=False).path
        == "memory/2026-02-08.md"
    )
