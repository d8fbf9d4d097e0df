"""Which sentences are worth keeping: what will matter next month, and nothing that belongs to its day alone."""

from __future__ import annotations

import pytest

from aurelius.memory.capture import (
    DayLine,
    capture,
    is_of_writer,
    is_out,
    may_open,
    plain_sentences,
    without_lead_in,
)


def kept(rest: str) -> bool:
    return capture(f"Joe {rest}", f" {rest}") is not None


@pytest.mark.parametrize(
    "rest",
    [
        "lives in Santa Monica",
        "moved to Boston last week",
        "is allergic to peanuts",
        "works at Initech now",
        "prefers trains to planes",
        "has two kids",
        "is getting married in June",
        "no longer drinks coffee",
        "charges 120 euros an hour",
        "retires at the end of August",
        "can't eat nuts any more",
        "drinks tea without milk",
        "has two sons, Ed and Will",
        "works nights now, Monday to Thursday",
        "got the job at the council",
        "wants to be called Liz from now on",
        "'s deputy is Liz Roth",
    ],
)
def test_what_lasts_is_not_kept(rest: str) -> None:
    assert kept(rest)


@pytest.mark.parametrize(
    "rest",
    [
        "came by for lunch",
        "is sick today",
        "has a cold",
        "was late again",
        "called about the boat",
        "maybe moves to Boston",
        "says hi",
        "is coming for dinner tonight",
        "looked tired",
        "sings to her",
        "prefers the other one",
        "has to leave now",
        "has no time",
        "at nine, with the cat asleep on her",
        "has also referred her to a specialist",
        "has been up all night",
        "keeps humming the same tune",
        "sits by the window and watches the birds",
        "plays cards with me till ten",
        "has lost her glasses again",
        "is pleased with the new curtains",
        "loves this weather",
        "took it like a captain",
        "stopped for petrol on the way",
        "joined us for the pudding",
        "switched the lights off",
        "changed her mind about the tiles",
        "on 11 July, 7 pm.",
    ],
)
def test_what_belongs_to_its_day_is_kept(rest: str) -> None:
    assert not kept(rest)


@pytest.mark.parametrize(
    "text", ["Does Joe live in Boston?", "why does Joe live there", "If Joe moves, we sell"]
)
def test_a_question_or_a_condition_is_kept(text: str) -> None:
    assert capture(text, text) is None


@pytest.mark.parametrize(
    "line",
    [
        "[ ] call Joe about the boat",
        "TODO ask Joe where he lives",
        "> Joe lives in Boston",
        '"Joe lives in Boston" was the headline',
        "https://example.org/joe-lives-in-boston",
        "location:: Boston",
    ],
)
def test_a_task_a_quote_or_a_link_may_be_kept(line: str) -> None:
    assert is_out(line)


def test_a_plain_line_is_out() -> None:
    assert not is_out("Joe lives in Boston, see https://example.org")


def test_sentences_are_cut_at_abbreviations_or_not_at_all() -> None:
    assert plain_sentences("09:15 Dr. Roth rang. **She** retires in June.") == [
        "Dr. Roth rang.",
        "She retires in June.",
    ]


@pytest.mark.parametrize(
    "text",
    ["Turns out Joe lives in Boston", "Correction: Joe lives in Boston", "btw Joe lives in Boston"],
)
def test_what_only_leads_to_a_sentence_stays_before_it(text: str) -> None:
    assert without_lead_in(text) == "Joe lives in Boston"


def test_the_type_of_a_sentence_is_lost() -> None:
    types = {
        "prefers tea": "preference",
        "will move to Rome in June": "plan",
        "decided to sell the boat": "decision",
        "lives in Rome": "fact",
    }
    assert {rest: getattr(capture(f"Joe {rest}", rest), "type", "") for rest in types} == types


def test_moods_of_the_writer_say_who_they_are() -> None:
    assert is_of_writer("I prefer trains to planes")
    assert not is_of_writer("I hate the phone today")
    assert not is_of_writer("I felt old")


@pytest.mark.parametrize(
    "line",
    [
        "Login for the tennis club site, annab / Garden42",
        "portal for the club: annab:Seagull88",
        "Joe's key safe code is 2580",
        "the code's 4417#",
        "the code for Joe's back door is 2580",
        "the router has admin / Giga-7781",
        "PIN of the petrol card 3391",
        "TAN 338122",
        "Wi-Fi at Joe's: key 9Fj2-kkP0-3Xza",
        "the recovery words are apple bear cat dog",
        "Joe's wifi is Rosebud77",
        "user anna pass Tulip!99",
        "the username is joe, pass is sunflower",
        "the passphrase is blue horse walks home",
        "the gate opens with 2244",
        "the phone code is two two four four",
        "Joe's mother's maiden name is Smith",
        "Wi-Fi is JoeNet/sunflower",
        "the card 4111 1111 1111 1111 is Joe's",
    ],
)
def test_what_opens_a_door_or_an_account_leaves_its_day(line: str) -> None:
    assert may_open(DayLine("", "2026-02-10", 1, line, ()))


@pytest.mark.parametrize(
    "line",
    [
        "Joe charges 120 euros an hour",
        "Joe's number is 0177 4400291",
        "the lease ends on 2026-12-31",
        "Main St 12",
    ],
)
def test_a_plain_number_is_taken_for_what_opens_a_door(line: str) -> None:
    assert not may_open(DayLine("", "2026-02-10", 1, line, ()))
