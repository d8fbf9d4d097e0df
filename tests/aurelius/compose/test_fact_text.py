"""The form of a fact line: what is made is what a person would type, and reads back as it was meant."""

from __future__ import annotations

import random

import pytest

from aurelius.compose import fact_text
from aurelius.compose.fact_text import TailParts
from indexer.errors import UsageError
from indexer.reading.fact_line import parse_fact


@pytest.mark.parametrize(
    ("text", "wishes", "line"),
    [
        ("Likes tea", {}, "- Likes tea"),
        ("Likes tea", {"id": "k3v9qa"}, "- Likes tea ^k3v9qa"),
        ("Likes tea", {"date": "2026-02-01", "id": "k3v9qa"}, "- Likes tea (2026-02-01) ^k3v9qa"),
        ("  - Likes\n tea ", {"date": "2026-02-01"}, "- Likes tea (2026-02-01)"),
        ("Likes tea (2026-01-05)", {}, "- Likes tea (2026-01-05)"),
        (
            "Tea (2026-01-05, pinned)",
            {"told": TailParts(type="preference")},
            "- Tea (2026-01-05, pinned, preference)",
        ),
        (
            "Likes tea (2026-01-05) ^abc123",
            {"told": TailParts(pinned=True)},
            "- Likes tea (2026-01-05, pinned) ^abc123",
        ),
        ("Tea (the good one)", {"date": "2026-02-01"}, "- Tea (the good one) (2026-02-01)"),
        ("Met (2026-02-01, at the office)", {}, "- Met (2026-02-01, at the office)"),
        (
            "Met (2026-02-01, at home)",
            {"told": TailParts(type="event")},
            "- Met (2026-02-01, at home, event)",
        ),
        ("Met (2026-02-01, at 8) in Rome", {}, "- Met (2026-02-01, at 8) in Rome"),
        (
            "Tea",
            {"date": "2026-02-01", "told": TailParts(type="milestone")},
            "- Tea (2026-02-01, milestone)",
        ),
        (
            "Tea",
            {
                "date": "2026-02-01",
                "told": TailParts(type="instruction/rule", part_of="a", unknown=("so",)),
            },
            "- Tea (2026-02-01, instruction/rule, part of [[a]], so)",
        ),
        ("# not a heading", {}, "- \\# not a heading"),
        ("1. not a list", {}, "- 1\\. not a list"),
        ("[ ] not a task", {}, "- \\[ ] not a task"),
        ("> not a quote", {}, "- \\> not a quote"),
    ],
)
def test_fact_line_is_written_as_its_values_say(
    text: str, wishes: dict[str, object], line: str
) -> None:
    assert fact_text.compose_fact_line(text, **wishes) == line  # type: ignore[arg-type]  # wishes are its own arguments


def test_tail_items_are_written_in_the_usual_order() -> None:
    told = TailParts(
        "decision",
        True,
        0.9,
        0.2,
        True,
        "[[memory/2026-01-20]]",
        "pgsq01",
        "a-b",
        "PostgreSQL is overkill",
        "zz",
    )
    line = fact_text.compose_fact_line(
        "Switched to SQLite", date="2026-02-10", id="sqlt01", told=told
    )
    assert line == (
        "- Switched to SQLite (2026-02-10, decision, pinned, importance 0.9, scope 0.2, inferred, from"
        " [[memory/2026-01-20]], updates ^pgsq01, contradicts ^a-b, because PostgreSQL is overkill,"
        " superseded by ^zz) ^sqlt01"
    )
    tail = parse_fact(line[2:]).tail
    assert (tail.type, tail.pinned, tail.importance, tail.scope) == ("decision", True, 0.9, 0.2)
    assert (tail.source, tail.updates, tail.because) == (
        "memory/2026-01-20",
        "pgsq01",
        "PostgreSQL is overkill",
    )


@pytest.mark.parametrize(
    ("text", "wishes", "why"),
    [
        ("", {}, "text of the fact is missing"),
        ("- ", {}, "text of the fact is missing"),
        ("^k3v9qa", {}, "text of the fact is missing"),
        ("a\x1b[31mb", {}, "control characters"),
        ("a\0b", {}, "control characters"),
        ("Tea (2026-01-05)", {"date": "2026-02-01"}, "the date is given twice: 2026-01-05"),
        ("Tea ^aaaaaa", {"id": "bbbbbb"}, "the id is given twice: aaaaaa"),
        ("Tea", {"told": TailParts(pinned=True)}, "needs a date"),
        (
            "Tea",
            {"date": "2026-02-01", "told": TailParts(because="it is hot, pinned")},
            "would be read back as",
        ),
        (
            "Tea",
            {"date": "2026-02-01", "told": TailParts(source="a, b")},
            "would be read back as 'a'",
        ),
        (
            "Tea",
            {"date": "2026-02-01", "told": TailParts(type="decision, oops")},
            "there is no type of facts",
        ),
        (
            "Tea",
            {"date": "2026-02-01", "told": TailParts(because="x", superseded_by="a, b")},
            "would be read back as",
        ),
    ],
)
def test_a_fact_that_could_not_be_read_back_from_its_line_is_refused(
    text: str, wishes: dict[str, object], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        fact_text.compose_fact_line(text, **wishes)  # type: ignore[arg-type]  # wishes are its own arguments


@pytest.mark.parametrize(
    ("old", "text", "new"),
    [
        (
            "Likes tea (2026-02-01, pinned) ^k3v9qa",
            "Likes green tea",
            "Likes green tea (2026-02-01, pinned) ^k3v9qa",
        ),
        ("Likes tea", "Likes green tea", "Likes green tea"),
        ("~~Likes tea~~ (2026-02-01) ^a", "Liked tea", "~~Liked tea~~ (2026-02-01) ^a"),
        ("~~Likes tea (2026-02-01)~~", "Liked tea", "~~Liked tea~~ (2026-02-01)"),
        ("[preference] Likes tea #drink", "Likes rum", "[preference] Likes rum"),
        (
            "Met Ann (2026-02-01, at the office)",
            "Met Ann and Bob",
            "Met Ann and Bob (2026-02-01, at the office)",
        ),
        ("Met Ann (2026-02-01,  at 8 , opinion)", "Met Bob", "Met Bob (2026-02-01, at 8, opinion)"),
        (
            "Moved (2026-02-01, milestone) to Porto",
            "Moved to Porto",
            "Moved to Porto (2026-02-01, milestone)",
        ),
        ("Tea (the good one)", "Tea (the best one)", "Tea (the best one)"),
    ],
)
def test_an_update_keeps_the_tail(old: str, text: str, new: str) -> None:
    assert fact_text.reworded(old, text) == new


@pytest.mark.parametrize("text", ["Tea (2026-01-01)", "Tea ^k3v9qa", "~~Tea~~"])
def test_an_update_brings_no_tail(text: str) -> None:
    with pytest.raises(UsageError, match="an update changes only the words"):
        fact_text.reworded("Tea (2026-02-01)", text)


@pytest.mark.parametrize(
    ("old", "date", "new"),
    [
        (
            "Tea (2025-03-01) ^d8w4tt",
            "2025-03-01",
            "~~Tea~~ (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^d8w4tt",
        ),
        ("Tea", None, "~~Tea~~ (→ 2026-02-01, superseded by ^k3v9qa) ^own111"),
        (
            "Tea (2025-03-01, because a, b)",
            "2025-03-01",
            "~~Tea~~ (2025-03-01 → 2026-02-01, because a, b, superseded by ^k3v9qa) ^own111",
        ),
        (
            "About ~5 km (2025-03-01)",
            "2025-03-01",
            "About ~5 km (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^own111",
        ),
        (
            "Met (2025-03-01, at home)",
            "2025-03-01",
            "~~Met~~ (2025-03-01 → 2026-02-01, at home, superseded by ^k3v9qa) ^own111",
        ),
    ],
)
def test_superseded_line_is_struck_with_its_last_day(old: str, date: str | None, new: str) -> None:
    made = fact_text.struck(old, date=date, today="2026-02-01", by="k3v9qa", id="own111")
    assert made == new
    now, before = parse_fact(made), parse_fact(old)
    assert (now.text, now.tail.until, now.tail.superseded_by) == (
        before.text,
        "2026-02-01",
        "k3v9qa",
    )


def test_whatever_the_words_a_line_says_them_or_is_refused() -> None:
    pieces = [
        "tea",
        "(",
        ")",
        "(2026-01-02)",
        "~~",
        "~",
        "^abc123",
        "[x]",
        "`",
        "\\",
        "*",
        "#tag",
        "[[a|b]]",
        "因",
        ",",
        "because",
        "(2026-01-02, x)",
        "TODO",
        "1.",
        "- ",
        "> ",
        "pinned",
        "→",
        "👍",
    ]
    r = random.Random(7)
    made = 0
    for _ in range(3000):
        text = r.choice(["", " "]).join(r.choices(pieces, k=r.randint(1, 7)))
        told = TailParts(r.choice(["", "plan"]), r.random() < 0.2, because=r.choice(["", "of tea"]))
        try:
            line = fact_text.compose_fact_line(
                text, date=r.choice([None, "2026-01-02"]), id=r.choice(["", "k3v9qa"]), told=told
            )
            new = fact_text.reworded(line[2:], "other words")
            old = fact_text.struck(line[2:], date="2026-01-02", today="2026-02-01", by="zzzzzz")
        except UsageError:
            continue
        made += 1
        said, before = parse_fact(line[2:]), parse_fact(fact_text.plain_fact_words(text))
        assert said.text == before.text
        assert said.tail.because in {"of tea", before.tail.because}
        kept = parse_fact(new)
        assert (kept.text, kept.id, kept.tail.date) == ("other words", said.id, said.tail.date)
        assert (kept.tail.type, kept.tail.pinned, kept.tail.because) == (
            *said.tail[2:4],
            said.tail.because,
        )
        past = parse_fact(old)
        assert (past.text, past.id, past.tail.superseded_by) == (said.text, said.id, "zzzzzz")
    assert made > 1000
