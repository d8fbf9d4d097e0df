"""Comments are in nothing that is read of a note, and formulas hold no Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.note import Note
from indexer.reading.chunk import chunks
from indexer.reading.comments import read_uncommented
from indexer.reading.parse import parse

FACTS = "# Joe\n\n## Facts\n"


def note(text: str, path: str = "people/joe.md") -> Note:
    return parse(path, text.encode())


def told(made: Note) -> str:
    """All that a reader can be told of a note, but for its own lines."""
    return repr((made._replace(lines=()), chunks(made)))


HIDDEN = [
    "%%\n- secret one (2026-01-03) ^sec111\n\n#secret [[secret]]\n# secret\n%%",
    "%% secret %%",
    "%%secret%%",
    "%%[secret:: 12]%%",
    "%%\n```\nsecret\n%%",
    "%% secret\n\n- [ ] secret\n\nsecret %%",
    "> %% secret\n> secret %%",
    "- %% secret %%",
    "- [ ] %% secret [[secret]] #secret %%",
    "<!-- secret -->",
    "<!--\n- secret (2026-01-03)\n\n# secret\n[[secret]] #secret\n-->",
    "<!-- secret ^secret -->",
    "  <!-- secret\n\nsecret -->",
    "> <!-- secret\n> [[secret]] -->",
    "words <!-- secret\nsecret --> words",
    "words <!-- secret",
    "words %% secret %% words",
    "words%%secret%% words",
    "words <!-- secret\n\n- [ ] secret\n\nsecret -->",
    "## Heading %% secret %% here",
    "## Heading <!-- secret -->",
    "| a <!-- secret --> | b %%secret%% |\n|---|---|\n| c <!-- secret --> | d |",
]


@pytest.mark.parametrize("comment", HIDDEN)
@pytest.mark.parametrize("path", ["people/joe.md", "memory/2026-02-01.md", "notes/a.md"])
def test_a_comment_is_in_nothing_that_is_read_of_a_note(comment: str, path: str) -> None:
    text = (
        f"{FACTS}- Lives in Oslo (2026-01-02) ^aaa111\n{comment}\n\n- Works at Acme (2026-01-04)\n"
    )
    made = note(text, path)
    assert "secret" not in told(made)
    if path.startswith("people/"):
        assert [(fact.text, fact.id, fact.date) for fact in made.facts if "words" not in fact.text][
            -1:
        ] == [("Works at Acme", "", "2026-01-04")]


@pytest.mark.parametrize(
    "comment",
    ["%%\nsecret\n- secret (2026-01-03)", "%% secret\n\n# secret", "<!--\nsecret\n\n- secret"],
)
def test_what_nothing_closes_is_a_comment_to_the_end_and_told(comment: str) -> None:
    made = note(f"{FACTS}- Lives in Oslo (2026-01-02)\n\n{comment}\n")
    assert "secret" not in told(made)
    assert [(each.code, each.line) for each in made.problems] == [("comment", 6)]
    assert [fact.text for fact in made.facts] == ["Lives in Oslo"]


@pytest.mark.parametrize(
    "behind",
    [
        " <!-- id:7 -->",
        " %%[sync_id:: 12]%%",
        "\n%%\nnot for others\n%%",
        "\n%% not for others %%",
        " %% a\nb %%",
        "\n<!-- a\nb -->",
        " <!-- a --> %%b%%",
        "<!--a-->",
        " %%a%%  ",
    ],
)
@pytest.mark.parametrize("id_", ["", " ^aaa111"])
def test_a_fact_before_a_comment_keeps_its_text_tail_and_id(behind: str, id_: str) -> None:
    (fact,) = note(f"{FACTS}- Works at Acme (2026-01-04, milestone){id_}{behind}\n").facts
    assert (fact.text, fact.date, fact.milestone, fact.id) == (
        "Works at Acme",
        "2026-01-04",
        True,
        id_[2:],
    )


def test_an_id_behind_a_comment_is_the_id_of_the_fact() -> None:
    (fact,) = note(f"{FACTS}- Works %%now%% at Acme (2026-01-04) <!-- id:7 --> ^aaa111\n").facts
    assert (fact.text, fact.date, fact.id) == ("Works at Acme", "2026-01-04", "aaa111")


@pytest.mark.parametrize(
    "text",
    [
        "100%% sure, 50%% maybe",
        "see https://a.example/x%%y%%z now",
        "[a](b%20%%20c%%.md)",
        "`%% code %%` and `<!-- c -->`",
        "```\n%%\n<!-- code -->\n%%\n```",
        "    %%\n    code\n    %%",
        "a \\%% b \\%% c",
        "a%%b",
        "`<!--` begins one `-->`",
        "~~~\n%%\n~~~",
        "$a %% b %% c$",
    ],
)
def test_marks_of_comments_in_code_numbers_and_addresses_are_text(text: str) -> None:
    lines = text.split("\n")
    assert list(read_uncommented(lines).shown) == lines
    assert not note(text).problems


def test_the_markers_that_aurelius_writes_keep_their_lines() -> None:
    made = note(
        f"{FACTS}<!-- aurelius:x -->\n- Made (2026-01-02)\n<!-- /aurelius:x -->\n- Own (2026-01-03)\n"
    )
    assert [fact.text for fact in made.facts] == ["Own"]
    assert {4, 6} <= made.silent


def test_a_note_of_nothing_but_a_comment_is_read_like_an_empty_one() -> None:
    hidden, empty = note("%%\nsecret\n%%\n"), note("")
    assert [each.text for each in chunks(hidden)] == [each.text for each in chunks(empty)]


FORMULAS = [
    "$$\nM = [[eps]] \\text{ #mtag }\n- (2026-01-02)\n= c ^id1\n# h\n$$",
    "Let $f(x) = [[eps]] + 1$ and $$ g = [[eps]] #mtag $$ hold, and $[f*g](eps.md)$.",
    "- item\n  $$\n  [[eps]] #mtag\n  $$",
    "> $$\n> [[eps]] #mtag\n> $$",
    "$$ [[eps]]\n\\\\ #mtag $$",
    "$$\n[[eps]]\n\n#mtag\n$$",
    "- $x = [[eps]]$ and $ #mtag$, $y #mtag$"[:22],
    "```\n[[eps]] #mtag\n```\n~~~\n[[eps]]\n~~~\n\n    [[eps]] #mtag",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_holds_no_link_tag_id_or_heading_and_is_found(text: str) -> None:
    made = note(f"{text}\n\nreal #rtag [[real]]\n", "notes/a.md")
    assert [link.target for link in made.links] == ["real"]
    assert [tag.name for tag in made.tags] == ["rtag"]
    assert not made.blocks
    assert [section.heading for section in made.sections] == [()]
    assert "eps" in " ".join(each.text for each in chunks(made))


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6 for [[a]] #t",
        "a \\$x [[a]] #t$",
        "$ x [[a]] #t $",
        "$x [[a]] #t $",
        "$x [[a]] #t$5",
        "US$ 5 [[a]] #t or 6 US$",
        "$5 for [[a]] #t",
    ],
)
def test_prices_are_no_formulas(text: str) -> None:
    made = note(text, "notes/a.md")
    assert [link.target for link in made.links] == ["a"]
    assert [tag.name for tag in made.tags] == ["t"]


@pytest.mark.parametrize(
    "text", ["Uses $f (2026-01-02)$", "Uses `f (2026-01-02)`", "Uses $f (2026-01-02)$ (2026-03-01)"]
)
def test_a_date_in_a_formula_or_in_code_is_no_date_of_the_fact(text: str) -> None:
    (fact,) = note(f"# Joe\n\n- {text}\n").facts
    assert fact.date == ("2026-03-01" if text.endswith("01)") else None)
    assert "f (2026-01-02)" in fact.text


PIECES = st.lists(
    st.sampled_from(
        [
            "%%",
            "<!--",
            "-->",
            "$$",
            "$",
            "`",
            "```",
            "- a (2026-01-02) ^a1",
            "# h",
            "> ",
            "word",
            "#tag",
            "[[a|b]]",
            "\n",
            "\n\n",
            "    ",
            " ",
            "100%%",
            "\\",
            "| a |\n|---|\n",
        ]
    ),
    max_size=40,
).map("".join)


@given(PIECES)
def test_every_offset_without_comments_is_that_of_the_file(text: str) -> None:
    lines = text.split("\n")
    body = read_uncommented(lines)
    assert [len(line) for line in body.lines] == [len(line) for line in lines]
    assert len(body.shown) == len(lines)
    assert body.text == "\n".join(body.lines)
    assert all(
        a == b or not a.strip()
        for one, two in zip(body.lines, lines, strict=True)
        for a, b in zip(one, two, strict=True)
    )


@pytest.mark.parametrize(
    ("text", "fact", "id_", "date"),
    [
        (
            "- Plays go (2026-01-04) ^ccc333\nadded by another program",
            "Plays go added by another program",
            "ccc333",
            True,
        ),
        (
            "- Plays go (2026-01-04) ^ccc333\n  more\n  and more",
            "Plays go more and more",
            "ccc333",
            True,
        ),
        (
            "- Plays go (2026-01-04) ^ccc333\n\n  A second paragraph",
            "Plays go A second paragraph",
            "ccc333",
            True,
        ),
        ("- Plays\n  go (2026-01-04) ^ccc333\n  more", "Plays go more", "ccc333", True),
        ("- Plays go ^my-id\nmore", "Plays go more", "my-id", False),
        ("- Plays go ^ccc333\nmore ^ddd444", "Plays go ^ccc333 more", "ddd444", False),
        ("- Plays `go ^ccc333\nmore`", "Plays `go ^ccc333 more`", "", False),
    ],
)
def test_an_id_is_read_where_another_program_goes_on_in_the_next_line(
    text: str, fact: str, id_: str, date: bool
) -> None:
    (made,) = note(f"{FACTS}{text}\n").facts
    assert (made.text, made.id, made.date == "2026-01-04") == (fact, id_, date)
    if id_:
        assert [block.id for block in note(f"{FACTS}{text}\n").blocks][-1] == id_


DREAM = """# 2026-04-17

- Met Ann at the harbour
<!-- openclaw:dreaming:light:start -->
## Light Sleep

- Candidate: Ann likes boats <!-- from a talk -->
  - confidence: 0.58

```
- not closed
<!-- openclaw:dreaming:light:end -->

- Paid the mooring
"""


def test_what_an_agent_dreamt_in_a_daily_note_is_not_read() -> None:
    note = parse("memory/2026-04-17.md", DREAM.encode())
    assert [fact.text for fact in note.facts] == ["Met Ann at the harbour", "Paid the mooring"]
    assert [section.heading for section in note.sections] == [("2026-04-17",)]


def test_a_dream_that_nothing_ends_hides_nothing_but_its_own_comment() -> None:
    text = DREAM.replace("<!-- openclaw:dreaming:light:end -->\n", "").replace(
        "```\n- not closed\n", ""
    )
    note = parse("memory/2026-04-17.md", text.encode())
    assert "Paid the mooring" in [fact.text for fact in note.facts]
    assert "confidence: 0.58" in [fact.text for fact in note.facts]
