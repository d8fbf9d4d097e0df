"""The days and people that a question names, on Tuesday 10 February 2026."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.search.asked import days_asked
from indexer.search.speaker import said_by

TODAY = "2026-02-10"


def asked_days(question: str, today: str) -> tuple[str, str] | None:
    return days_asked(question, today).days


ABOUT = {
    "what did I do on 2026-02-01?": ("2026-02-01", "2026-02-01"),
    "who came on 24.12.2025": ("2025-12-24", "2025-12-24"),
    "what is in the plan for W05, 2026-W05?": ("2026-01-26", "2026-02-01"),
    "what did we pay between 2019 and 2021?": ("2019-01-01", "2021-12-31"),
    "what have I read since 2024?": ("2024-01-01", "2026-02-10"),
    "what did I say from 3 to 9 April 2025": ("2025-04-03", "2025-04-09"),
    "what did we cook between Friday and Sunday?": ("2026-02-06", "2026-02-08"),
    "who came to dinner Saturday?": ("2026-02-07", "2026-02-07"),
    "what did Ana tell me on Monday morning": ("2026-02-09", "2026-02-09"),
    "where did we go over the past week": ("2026-02-04", "2026-02-10"),
    "how much did I run in the last month": ("2026-01-11", "2026-02-10"),
    "how much did I run last month": ("2026-01-01", "2026-01-31"),
    "what did I buy in the last 3 months?": ("2025-11-11", "2026-02-10"),
    "what was decided in early March?": ("2025-03-01", "2025-03-31"),
    "what is planned for June?": ("2026-06-01", "2026-06-30"),
    "what did Joanna finish last Friday on 23 January, 2022?": ("2022-01-23", "2022-01-23"),
    "what did I do on Monday, February 2?": ("2026-02-02", "2026-02-02"),
    "what did i do on monday the 3rd of february": ("2026-02-03", "2026-02-03"),
    "what did we do Monday to Wednesday last week": ("2026-02-02", "2026-02-04"),
    "what did we do last Christmas": ("2025-12-25", "2025-12-25"),
    "what did I cook over the last weekend": ("2026-02-07", "2026-02-08"),
    "where were we this past weekend?": ("2026-02-07", "2026-02-08"),
    "what happened in the last two weekends": ("2026-01-31", "2026-02-08"),
    "what did I do 4 to 30 Jan 2024 and 1 Jan 2023": ("2023-01-01", "2024-01-30"),
    "what is on the day after tomorrow": ("2026-02-12", "2026-02-12"),
    "the past couple of weekends": ("2026-01-31", "2026-02-08"),
    "what did I do on Wednesday two months ago?": ("2025-12-10", "2025-12-10"),
    "who was there on the 14th of last month?": ("2026-01-14", "2026-01-14"),
    "what is on my list for the 14th, and what is due on the 14th?": ("2026-02-14", "2026-02-14"),
}
ABOUT_NONE = [
    "",
    "what did I do before 3 June 2025?",
    "who came after the 3rd of June?",
    "what do I eat on Saturday mornings",
    "is 03/04/2025 the third of April or the fourth of March",
    "open http://example.org/2025/03/04/ for me",
    'where is "last week" quoted',
    "what is 31 February 2025",
    "what happened in the last 0 weekends",
    "what will be done in week 60 of month 13",
    "who was born 999 years before year 0000?",
    "at 2025 Main Road",
    "is the ferry on the 3rd floor",
    "how many weeks ago did I meet my aunt?",
]


@pytest.mark.parametrize("question", ABOUT)
def test_a_question_is_about_the_days_it_names(question: str) -> None:
    assert asked_days(question, TODAY) == ABOUT[question]


@pytest.mark.parametrize("question", ABOUT_NONE)
def test_a_question_without_a_day_gets_none(question: str) -> None:
    assert asked_days(question, TODAY) is None


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("what did we plant last Friday?", "what did we plant ?"),
        ("what did we pay since Monday", "what did we pay"),
        ("what did I sow two weeks ago in the garden", "what did I sow in the garden"),
        ("which roses did I cut on 3 May 2025", "which roses did I cut"),
        ("what did we pay in 2024", "what did we pay in 2024"),
        ("what did we plant last month", "what did we plant last month"),
        ("what did we eat last Christmas", "what did we eat last Christmas"),
        ("chords for Yesterday by the Beatles", "chords for Yesterday by the Beatles"),
        ('the song "Yesterday"', 'the song "Yesterday"'),
    ],
)
def test_the_words_of_a_day_are_not_searched_for_beside_others(question: str, rest: str) -> None:
    found = days_asked(question, TODAY)
    assert " ".join(found.rest.split()) == rest
    assert not found.all_of_it
    assert found.written == (("3 May 2025",) if "3 May" in question else ())


@pytest.mark.parametrize(
    "question",
    [
        "what did I do yesterday",
        "what happened last week?",
        "what did we talk about on 3 May",
        "anything new since Monday",
        "yesterday",
        "what happened on Christmas Eve",
        "Where was I last Friday evening?",
        "what went on last month",
        "what have I done this week",
        "what did we get done last week?",
        "What did I work on last week",
        "what have we been working on this month?",
        "how did I spend last weekend",
        "what have I been up to this week",
        "what did I do in the last 3 days",
        "give me a recap of yesterday",
        "what have we achieved last month",
    ],
)
def test_a_question_with_no_other_words_asks_for_all_of_its_days(question: str) -> None:
    found = days_asked(question, TODAY)
    assert found.all_of_it
    assert found.days == asked_days(question, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "what did Will do yesterday",
        'what happened last week "blue tin"',
        "what happened yesterday -poker",
        "what did I do",
        "what happened in 2024",
        "did I work last week",
        "what did I spend last week",
        "what did Ana get done last week",
        "what did I work on last week in the shed",
        "what did I finish last week",
        "what does work pay this month",
        "who did I work with last week",
        "what is the done criterion this week",
        "how did Ana spend last weekend",
        "how busy is the ferry on Monday",
    ],
)
def test_a_question_that_names_anything_else_does_not(question: str) -> None:
    assert not days_asked(question, TODAY).all_of_it


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("what did I save on 5 February 2026?", "save"),
        ("What did we read last week", "read"),
        ("what have I been reading this week", "reading"),
        ("where did I go on Friday", "go"),
        ("who did we meet with yesterday?", "meet"),
        ("everything I saved yesterday", "saved"),
        ("did I buy anything today", "buy"),
        ("what was planted on 2026-02-05", "planted"),
        ("last Friday, what else did I cook", "cook"),
        ("show me what I bookmarked on 5 February", "bookmarked"),
    ],
)
def test_a_question_that_says_no_more_than_a_verb_is_told_from_one_with_a_subject(
    question: str, verb: str
) -> None:
    found = days_asked(question, TODAY)
    assert (found.verb, found.one, found.all_of_it) == (verb, True, False)
    assert found.days == asked_days(question, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "what did Ana read last week",
        "which novel did I read last week",
        "what did I have for lunch yesterday",
        "what did I like about Paris last week",
        "what was inflation last week",
        "what was Sweden on Friday",
        "what did I pay for the boat last week",
        "what did I do yesterday",
        "what did I read",
        "reading last week",
        'what did I read last week "blue tin"',
        "when did I cook last week",
        "what will I read tomorrow",
    ],
)
def test_a_question_with_a_subject_says_more_than_a_verb(question: str) -> None:
    found = days_asked(question, TODAY)
    assert (found.verb, found.one) == ("", False)


def test_of_a_long_span_the_verb_is_no_reason_to_list_it() -> None:
    found = days_asked("what did I read last month", TODAY)
    assert (found.verb, found.one) == ("", True)


def test_days_of_a_filter_count_where_the_question_names_none() -> None:
    given = ("2026-01-01", "2026-01-07")
    assert days_asked("what did I do", TODAY, given)[:4:3] == (given, True)
    assert days_asked("what did we plant", TODAY, given).days is None
    assert days_asked("what did I do yesterday", TODAY, given).days == ("2026-02-09", "2026-02-09")


def test_this_weekend_has_been_where_it_is_asked_what_was() -> None:
    assert asked_days("what did I do this weekend", TODAY) == ("2026-02-07", "2026-02-08")
    assert asked_days("what do I do this weekend", TODAY) == ("2026-02-14", "2026-02-15")


def test_a_moment_as_today_is_its_day() -> None:
    assert asked_days("yesterday", "2026-02-10T23:59") == ("2026-02-09", "2026-02-09")


_PARTS = [
    "May",
    "march",
    "1",
    "31st",
    "2024",
    "9999",
    "0",
    "/",
    "-",
    ".",
    "on",
    "the",
    "last",
    "next",
    "ago",
    "weeks",
    "Friday",
    "since",
    "from",
    "to",
    "and",
    "of",
    "Q3",
    "29 February",
    "999 years ago",
    "christmas",
    "'",
    '"',
]


@given(
    st.lists(st.sampled_from(_PARTS) | st.text(max_size=5), max_size=12).map(" ".join),
    st.dates().map(str),
)
def test_no_text_on_any_day_is_an_error(question: str, today: str) -> None:
    found = asked_days(question, today)
    assert found is None or found[0] <= found[1]
    assert 0 <= said_by(question, question) <= 1


def test_a_question_is_read_in_a_fifth_of_a_millisecond() -> None:
    best = 1.0
    for _ in range(20):
        began = time.thread_time()
        for _ in range(20):
            asked_days("what did Ana say about the roof in the week of 3 June 2025?", TODAY)
        best = min(best, (time.thread_time() - began) / 20)
    assert best < 0.0005  # twice over, for a slow machine


def test_a_long_question_takes_no_longer_than_a_page() -> None:
    began = time.thread_time()
    asked_days("3 may 2024 and " * 20000, TODAY)
    said_by("Ana: yes\n" * 200, "what did Ana " * 20000)
    assert time.thread_time() - began < 1


def test_of_a_conversation_as_much_counts_as_the_person_says() -> None:
    text = "- **Ana:** I bought a cello yesterday, it is old.\n- **Ben:** Nice!\n"
    assert said_by(text, "what did Ana buy?") == 1
    assert 0 < said_by(text, "what did Ben buy?") < 0.6
    assert said_by(text, "what did Ana and Ben buy?") == 1
    assert said_by(text, "what did Carl buy?") == 0
    assert said_by("Ana bought a cello.", "what did Ana buy?") == 0
    assert said_by("Monday: the plumber comes", "what is on Monday?") == 0
    assert said_by("Gift idea for Mia: a dutch oven", "what did Mia want?") == 0
