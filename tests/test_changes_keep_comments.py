"""A change of a fact keeps every byte of the comments around it, and the fact stays what it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.compose import change
from indexer.errors import UsageError
from indexer.reading.parse import parse

PATH = "people/joe.md"
HEAD = "# Joe\n\n## Facts\n"


def facts(data: bytes) -> list[tuple[str, str, str]]:
    return [(fact.text, fact.id, fact.status) for fact in parse(PATH, data).facts]


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (
            "- Works (2026-01-04) ^aaa111 <!-- id:7 -->",
            "- Rests (2026-01-04) <!-- id:7 --> ^aaa111",
        ),
        (
            "- Works (2026-01-04) <!-- id:7 --> ^aaa111",
            "- Rests (2026-01-04) <!-- id:7 --> ^aaa111",
        ),
        (
            "- Works (2026-01-04) %%[sync_id:: 12]%% ^aaa111  ",
            "- Rests (2026-01-04) %%[sync_id:: 12]%% ^aaa111  ",
        ),
        ("- %%x%% Works (2026-01-04) ^aaa111", "- %%x%% Rests (2026-01-04) ^aaa111"),
        ("- Works %%x%% here (2026-01-04) ^aaa111", "- Rests (2026-01-04) %%x%% ^aaa111"),
        (
            "- Works (2026-01-04) ^aaa111\n%%\n- no (2026-01-01)\n%%",
            "- Rests (2026-01-04) ^aaa111\n%%\n- no (2026-01-01)\n%%",
        ),
        ("- Works (2026-01-04) ^aaa111 %% a\nb %%", "- Rests (2026-01-04) ^aaa111 %% a\nb %%"),
        ("- Works\n  %%x%%\n  here (2026-01-04) ^aaa111", "- Rests (2026-01-04) ^aaa111\n  %%x%%"),
        ("- Works\n  here %%x%% (2026-01-04) ^aaa111", "- Rests (2026-01-04) ^aaa111\n  %%x%%"),
    ],
)
def test_an_update_keeps_the_comments_of_its_line(line: str, after: str) -> None:
    data = f"{HEAD}{line}\n- Other (2026-01-01)\n".encode()
    made = change.reword_fact(data, "aaa111", "Rests", path=PATH)
    assert made.decode() == f"{HEAD}{after}\n- Other (2026-01-01)\n"
    assert facts(made) == [("Rests", "aaa111", "active"), ("Other", "", "active")]


def test_supersede_keeps_the_comment_on_the_line_and_strikes_the_old_one_without_it() -> None:
    data = f"{HEAD}- Works (2026-01-04) ^aaa111 <!-- id:7 -->\n".encode()
    made = change.supersede_fact(
        data,
        "aaa111",
        "- Rests (2026-02-01) ^bbb222",
        change.Gone("2026-02-01", "bbb222"),
        path=PATH,
    ).decode()
    assert "- Rests (2026-02-01) <!-- id:7 --> ^bbb222\n" in made
    assert made.count("<!-- id:7 -->") == 1
    assert "~~Works~~" in made


def test_a_struck_line_takes_its_comment_along_to_history() -> None:
    data = f"{HEAD}- Works (2026-01-04) ^aaa111 %%k%%\n\n## History\n".encode()
    made = change.strike_fact(
        data, "aaa111", change.Gone("2026-02-01", "bbb222"), path=PATH
    ).decode()
    assert made.endswith("superseded by ^bbb222) %%k%% ^aaa111\n")
    assert made.count("%%k%%") == 1


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("- Works (2026-01-04) <!-- id:7 -->", "- Works (2026-01-04) <!-- id:7 --> ^aaa111"),
        ("- Works (2026-01-04) %% a\nb %%", "- Works (2026-01-04) ^aaa111 %% a\nb %%"),
        ("- Works (2026-01-04)\n%%\nb\n%%", "- Works (2026-01-04) ^aaa111\n%%\nb\n%%"),
    ],
)
def test_an_id_ends_the_line_unless_a_comment_goes_on_from_it(line: str, after: str) -> None:
    data = f"{HEAD}{line}\n".encode()
    (fact,) = parse(PATH, data).facts
    assert change.stamp_ids(data, {fact.key: "aaa111"}, path=PATH).decode() == f"{HEAD}{after}\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "- Works (2026-01-04) %% a\nb %%\n",
            "- Works (2026-01-04) %% a\nb %%\n- New (2026-02-01)\n",
        ),
        (
            "- Works (2026-01-04)\n%%\n- no\n%%\n",
            "- Works (2026-01-04)\n- New (2026-02-01)\n%%\n- no\n%%\n",
        ),
        ("<!-- say\nit -->\n", "<!-- say\nit -->\n\n- New (2026-02-01)\n"),
    ],
)
def test_a_new_line_is_never_put_into_a_comment(text: str, after: str) -> None:
    made = change.add_fact(f"{HEAD}{text}".encode(), "- New (2026-02-01)", "Facts", path=PATH)
    assert made.decode() == f"{HEAD}{after}"


LINES = st.lists(
    st.sampled_from(
        [
            "- A{} (2026-01-0{}) ^id{}",
            "- B{} %%c%% (2026-01-0{})",
            "- C{} (2026-01-0{}) <!-- x -->",
            "%%",
            "<!-- a",
            "b -->",
            "word {}",
            "",
            "  more {}",
            "- D{}\n  on %%c%%\n  and on (2026-01-0{})",
            "$$",
            "- $x (2026-01-0{})$",
        ]
    ),
    max_size=14,
).map(
    lambda lines: (
        HEAD
        + "\n".join(line.replace("{}", str(at % 9 + 1)) for at, line in enumerate(lines))
        + "\n"
    )
)


@given(LINES, st.integers(0, 5), st.sampled_from(["update", "supersede", "strike", "stamp", "add"]))
def test_a_change_leaves_all_other_facts_and_every_comment(text: str, at: int, how: str) -> None:
    data = text.encode()
    before = parse(PATH, data).facts
    if not before:
        return
    fact = before[at % len(before)]
    try:
        if how == "update":
            made = change.reword_fact(data, fact.key, "Rests", path=PATH)
        elif how == "supersede":
            made = change.supersede_fact(
                data,
                fact.key,
                "- Rests (2026-02-01) ^new999",
                change.Gone("2026-02-01", "new999"),
                path=PATH,
            )
        elif how == "strike":
            made = change.strike_fact(
                data, fact.key, change.Gone("2026-02-01", "new999"), path=PATH
            )
        elif how == "add":
            made = change.add_fact(data, "- New (2026-02-01)", "Facts", path=PATH)
        else:
            made = change.stamp_ids(data, {fact.key: "new999"}, path=PATH)
    except UsageError:
        return
    rest = {(each.text, each.date) for each in before if each is not fact}
    assert rest <= {(each.text, each.date) for each in parse(PATH, made).facts}
    for mark in ("%%", "<!--"):
        assert made.count(mark.encode()) == data.count(mark.encode())
    known = re.compile(rb"%%c%%|<!-- x -->")
    assert len(known.findall(made)) == len(known.findall(data))


def test_a_formula_on_the_lines_after_a_fact_is_none_of_its_words_and_stays() -> None:
    data = f"{HEAD}- Works (2026-01-04) ^aaa111\n$$\n- x %%c%%\n= [[y]]\n$$\n- Other (2026-01-01)\n".encode()
    assert facts(data) == [("Works", "aaa111", "active"), ("Other", "", "active")]
    assert change.reword_fact(data, "aaa111", "Rests", path=PATH) == data.replace(
        b"Works", b"Rests"
    )
