"""Which reader reads a note, and what is done when none may."""

from __future__ import annotations

import pytest

from indexer.note import Note
from indexer.reading import markdown
from indexer.reading.blocks import MAX_DEPTH, Block, UnreadableError, plain_paragraphs
from indexer.reading.markdown import from_markdown_it, read_blocks, spelled
from indexer.reading.parse import parse


def test_markdown_it_is_not_asked_about_plain_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_arguments: object) -> list[Block]:
        pytest.fail("markdown-it was asked")

    monkeypatch.setattr(markdown, "from_markdown_it", asked)
    assert read_blocks(["# A", "", "- b"])[1] == ()


def test_markdown_it_reads_what_the_scanner_leaves_to_it() -> None:
    found, problems = read_blocks([">\t- a", "", "[a", "b]: c", "", "text"])
    assert [(block.kind, block.first, block.last) for block in found] == [
        ("quote", 1, 1),
        ("item", 1, 1),
        ("paragraph", 1, 1),
        ("paragraph", 6, 6),
    ]
    assert problems == ()


@pytest.mark.parametrize("lines", [["> " * 50 + "x", "", "# A"], ["- " * 50 + "x", "", "# A"]])
def test_deep_nesting_is_told_and_read_as_paragraphs(lines: list[str]) -> None:
    found, problems = read_blocks(["---", "---", *lines], 2)
    assert [(block.kind, block.first, block.last) for block in found] == [
        ("paragraph", 3, 3),
        ("paragraph", 5, 5),
    ]
    assert [(problem.line, problem.code) for problem in problems] == [(3, "structure")]


def test_markdown_it_refuses_what_would_take_it_long() -> None:
    for lines in (["a"] * 60_000, ["> " * 30 + "x"] * 3_000, [" " * 60 + "x"] * 3_000):
        with pytest.raises(UnreadableError):
            from_markdown_it(lines)


def test_where_markdown_it_itself_fails_the_text_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def parse(self, _text: str) -> None:
            raise IndexError

    monkeypatch.setattr(markdown, "_reader", Broken)
    found, problems = read_blocks([">\ta"])
    assert [block.kind for block in found] == ["paragraph"]
    assert [problem.code for problem in problems] == ["structure"]


def test_depth_counts_quotes_and_items() -> None:
    found, _ = read_blocks(["> - a", ">   > b"])
    assert [(block.kind, block.depth, block.quoted) for block in found] == [
        ("quote", 0, False),
        ("item", 1, True),
        ("paragraph", 2, True),
        ("quote", 2, True),
        ("paragraph", 3, True),
    ]
    assert read_blocks(["> " * MAX_DEPTH + "x"])[1] == ()


def test_plain_text_is_parted_into_paragraphs_at_empty_lines() -> None:
    assert [
        (block.first, block.last) for block in plain_paragraphs(["", "a", "- b", " ", "c"], 10)
    ] == [
        (12, 13),
        (15, 15),
    ]
    assert plain_paragraphs([], 0) == plain_paragraphs(["", " "], 0) == []


def note(text: str) -> Note:
    return parse("people/joe.md", text.encode())


TORN = """# Joe

## Facts
- kept
<<<<<<< HEAD
- ours
=======
- theirs
>>>>>>> other branch
- also kept
"""


def test_a_conflict_is_told_and_gives_no_facts() -> None:
    made = note(TORN)
    assert [(problem.line, problem.code) for problem in made.problems] == [(5, "conflict")]
    assert "5-9" in made.problems[0].message
    assert [fact.text for fact in made.facts] == ["kept", "also kept"]


def test_its_text_stays_and_its_middle_underlines_nothing() -> None:
    made = note("Text\n<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n")
    assert [section.heading for section in made.sections] == [()]
    covered = {line for unit in made.sections[0].units for line in range(unit.first, unit.last + 1)}
    assert covered == {1, 2, 3, 4, 5, 6}


def test_several_conflicts_and_none() -> None:
    assert len(note(TORN + TORN).problems) == 2
    for text in (
        "<<<<<<< a\nx\n",
        "=======\n",
        ">>>>>>> b\n",
        "<<<<<<< a\n>>>>>>> b\n",
        "a <<<<<<< b\n=======\n>>>>>>> c",
    ):
        assert note(text).problems == ()


def test_one_shown_in_a_code_block_is_none() -> None:
    made = note(f"```\n{TORN}```\n\n## Facts\n- a")
    assert made.problems == ()
    assert [fact.text for fact in made.facts] == ["a"]


def test_very_many_are_told_a_few_times() -> None:
    assert len(note(TORN * 100).problems) == 20


def test_a_line_that_only_begins_like_the_middle_of_a_conflict_is_none() -> None:
    torn = ["<<<<<<< ours", "a", "=======", "b", ">>>>>>> theirs"]
    assert markdown.conflicts(torn, 0, []) == [markdown.Conflict(1, 3, 5)]
    torn[2] = "======= so"
    assert markdown.conflicts(torn, 0, []) == []


def test_markdown_it_takes_no_list_item_for_a_quote() -> None:
    assert [block.quoted for block in from_markdown_it(["- a", "  - b", "", "> c"])] == [
        False
    ] * 5 + [True]


def test_a_line_is_spelled_out_without_its_marks() -> None:
    assert (
        spelled("**Met** [[people/joe-bloggs|Joe]] and [Ann](people/ann.md)") == "Met Joe and Ann"
    )
    assert spelled("A face ![](face.png) and [ ](x.md)") == "A face and"
