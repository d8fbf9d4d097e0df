"""A sentence that states something is kept whole, as it was said; what somebody asks, supposes or pastes is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aurelius.language.spoken import own_lines, spoken_statements
from indexer.tokens import embed


def kept(message: str) -> list[str]:
    encoder = embed.load_model()

    def meaning(text: str) -> Sequence[int]:
        return memoryview(encoder.vector(encoder.ids(text))).cast("b")

    return [each.text for each in spoken_statements(message, meaning, lambda _: 0.0)]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (
            "rewrite this for Dana, she's moved to Pelz as head of ops, and keep it short",
            ["rewrite this for Dana, she's moved to Pelz as head of ops, and keep it short"],
        ),
        (
            "can you draft the list um Tom's going down to four days from the first of april so put nobody on it",
            [
                "can you draft the list um Tom's going down to four days from the first of april so put nobody on it"
            ],
        ),
        (
            "Never send mails for me, drafts only. And what is the weather?",
            ["Never send mails for me, drafts only"],
        ),
        (
            "Ann and I are flying to Oslo on the 2nd of May.",
            ["Ann and I are flying to Oslo on the 2nd of May"],
        ),
        (
            "- we moved to postgres in March\n- shorten the readme",
            ["we moved to postgres in March"],
        ),
    ],
)
def test_a_sentence_that_states_something_is_lost_or_cut(message: str, wanted: list[str]) -> None:
    assert kept(message) == wanted


@pytest.mark.parametrize(
    "message",
    [
        "thanks",
        "what if we moved to postgres in March?",
        "if I charged 800 a day from May",
        "say we hire someone in June",
        "did we move to postgres in March?",
        "maybe we move to postgres in March",
        "I've decided to buy a yacht on the 1st of April, just kidding",
        "do the same in French on Monday the 3rd, no wait, don't",
        "keep it short and print it",
        "for example the launch is on 3 March",
    ],
)
def test_something_is_kept_of_a_message_that_tells_nothing(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "look:\n```\nwe moved to postgres in March\n```\nwhat now?",
        "```\nwe moved to postgres in March",
        "> we moved to postgres in March\n\nshorten it",
        "please smooth this out:\n\nWe moved to postgres in March. We never use npm.",
        "rewrite\n\nHi Dana,\nwe moved to postgres in March\nBest,\nTom",
        "reply\n\nOn Mon, 2 March 2026 Dana wrote:\nwe moved to postgres in March",
        '<memory id="1">\nwe moved to postgres in March\n</memory>\nthanks',
        "<command-name>/clear</command-name>",
        "2026-03-01 10:00:00 we moved to postgres in March",
        "app_1 | we moved to postgres in March",
        'a text like "we moved to postgres in March"',
    ],
)
def test_words_that_were_pasted_or_quoted_are_kept(message: str) -> None:
    assert not any("postgres" in text.replace("¤", "") for text in kept(message) if '"' not in text)


def test_a_list_behind_a_colon_is_taken_for_a_pasted_text() -> None:
    assert own_lines("two things here:\n- one\n- two") == "two things here:\none\ntwo"


@pytest.mark.parametrize(
    "message",
    [
        "Sarah is allergic to peanuts.",
        "Joe's phone number is 0171 2345678",
        "Anna is the new CTO of Pelz",
    ],
)
def test_nothing_is_kept_of_a_short_plain_statement(message: str) -> None:
    encoder = embed.load_model()
    found = spoken_statements(
        message, lambda text: memoryview(encoder.vector(encoder.ids(text))).cast("b"), lambda _: 0.0
    )
    assert [each.text for each in found] == [message.rstrip(".")]


@pytest.mark.parametrize(
    "message", ["The kiln is broken", "the build is red again", "I'm tired", "Marek is late."]
)
def test_a_passing_state_is_kept(message: str) -> None:
    encoder = embed.load_model()
    assert not list(
        spoken_statements(
            message,
            lambda text: memoryview(encoder.vector(encoder.ids(text))).cast("b"),
            lambda _: 0.0,
        )
    )


@pytest.mark.parametrize(
    "message",
    [
        "Forget that I hate caraway.",
        "Please forget that my dentist is Dr. Wouters",
        "Forget that Joe drinks tea",
        "Stop reminding me that Joe lives in Seattle",
        "ok, you can forget about the fact that my wife is called Ines",
        "Joe lives in Seattle, that's not true any more",
        "It's not true any more that I work at Initech",
        "That Joe lives in Seattle is no longer true.",
        "I want you to forget that my daughter goes to Elm School",
        "Ignore what I said about my sister being allergic to nuts",
    ],
)
def test_what_a_person_asks_to_forget_is_kept(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Don't forget that I hate caraway", "I hate caraway"),
        ("Please never forget that my son is allergic to nuts", "my son is allergic to nuts"),
        ("Forget that Joe drinks tea. My dentist is Dr. Wouters", "My dentist is Dr. Wouters"),
        ("That's not true any more, Joe lives in Rome now", "Joe lives in Rome now"),
        ("Forget that, I hate caraway", "I hate caraway"),
    ],
)
def test_what_is_told_beside_a_request_to_forget_is_lost(message: str, wanted: str) -> None:
    (found,) = kept(message)
    assert found.endswith(wanted)


@pytest.mark.parametrize(
    "message",
    [
        "Remember that the meter number is QX-5512.",
        "Please remember: the spare key hangs behind the freezer",
        "Remember this: the lift needs a code after eight.",
        "Please note that parcels go to the shop next door.",
        "Don't forget: the pump is under the sink",
        "Don't forget that Ruth owes me twelve euros.",
        "Merk dir: der Zähler hängt im Keller.",
        "Can you remember that the valve is in the hall?",
        "Remember: the fuses are in the cellar and the torch is in the hall.",
    ],
)
def test_an_order_to_remember_something_is_not_followed(message: str) -> None:
    assert kept(message) == [message.removesuffix(".")]


@pytest.mark.parametrize(
    "message",
    [
        "Remember that we went to Rome?",
        "Do you remember that the valve is in the hall?",
        "Remember to call the plumber.",
        "Remember when we talked about it?",
        "Tom said, please remember that the keys are with him.",
        "Do not remember this: the pump is under the sink",
        "Remember that.",
    ],
)
def test_a_question_a_task_or_what_others_said_is_kept_as_if_it_was_ordered(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "Could you summarise the article below?\n\nI live in Lyon and work as a cook, says Jean, 31.",
        "Translate this text.\n\nMy name is Kim and I live in Oslo.",
        "The customer wrote: I love my new lamp. What do I say?",
        "A user says: I hate the new menu. How do I answer?",
    ],
)
def test_what_somebody_else_wrote_is_kept(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "I get a KeyError in the second loop, I have tried everything.",
        "My scripts live in tools/ and my notes in docs/.",
        "The component lives in footer.tsx, make it blue",
        "Our build takes ten minutes and it uses Python 3.8",
    ],
)
def test_what_is_said_of_a_program_is_kept(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    "message",
    ["I prefer pathlib to os.path in my scripts/", "We never commit to docs/ without a review"],
)
def test_a_taste_or_a_rule_is_lost_because_it_is_of_a_program(message: str) -> None:
    assert kept(message)


@pytest.mark.parametrize(
    "message",
    [
        "Write a test where Ina lives in Bern.",
        "Add a unit test: Ina lives in Bern.",
        "For the demo data, Ina works at Globex.",
        "In the novel, Ina moved to Bern.",
        "My neighbour claims Ina lives in Bern now.",
        "According to the paper Ina moved to Bern.",
    ],
)
def test_a_story_an_example_or_a_rumour_is_kept(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    "message", ["In my book club we meet on Mondays", "My book club meets on Mondays"]
)
def test_what_only_has_a_word_of_stories_is_lost(message: str) -> None:
    assert kept(message) == [message]


@pytest.mark.parametrize(
    "message",
    [
        "I am allergic to celery",
        "We sold the van and bought a trailer",
        "Our dog is called Bolt and he needs a walk at 7 am",
        "The talk in Graz is on 3 May and I'm giving it",
        "my new camera is a Pentax",
    ],
)
def test_what_lasts_is_lost_or_half_of_it_is_cut_away(message: str) -> None:
    assert kept(message) == [message]


@pytest.mark.parametrize(
    "message",
    [
        "I might be allergic to celery",
        "I bought a coffee",
        "I'm vegan. Just kidding!",
        "We sold the van hopefully",
    ],
)
def test_a_guess_a_purchase_of_the_day_or_a_joke_is_kept(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "For Client Brightwell, always check the medical references.",
        "We decided to launch on 1 May because the fair is that week.",
        "When writing for Anderson, always use British spelling so that nobody has to ask.",
        "In the Brightwell project, never use stock photos since the readers are nurses.",
        "We moved to Postgres 16 at Moss & Co. in March, i.e. before the audit.",
        "We never deploy on a Friday - my back hurts otherwise.",
    ],
)
def test_a_condition_or_a_reason_is_cut(message: str) -> None:
    assert kept(message) == [message.removesuffix(".")]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (
            "We moved to Postgres in March. We never use npm.",
            ["We moved to Postgres in March", "We never use npm"],
        ),
        (
            "we moved to postgres in March. we never use npm",
            ["we moved to postgres in March", "we never use npm"],
        ),
        (
            "We moved to postgres in March because the old one was\ntoo slow on big files.",
            ["We moved to postgres in March because the old one was too slow on big files"],
        ),
        (
            "We moved to postgres in March :)\nWe never use npm",
            ["We moved to postgres in March :)", "We never use npm"],
        ),
        (
            "We moved to Tideway Inc. in May. We never use npm.",
            ["We moved to Tideway Inc. in May", "We never use npm"],
        ),
        (
            "- we moved to postgres in March because\n  the fair is that week\n- we never use npm",
            ["we moved to postgres in March because the fair is that week", "we never use npm"],
        ),
    ],
)
def test_two_sentences_are_one_line_or_one_is_two(message: str, wanted: list[str]) -> None:
    assert kept(message) == wanted


@pytest.mark.parametrize(
    "message",
    [
        "We moved to postgres in March\nMira Okafor asked for it. We never use npm on it.",
        "Always remember this for the notes:\n- one\n- two",
        "Have we decided anything about the fair?",
    ],
)
def test_what_may_be_half_a_sentence_or_is_asked_is_kept(message: str) -> None:
    assert not {"We moved to postgres in March", "Mira Okafor asked for it"} & {*kept(message)}
    assert not any(each.endswith((":", "?")) for each in kept(message))
