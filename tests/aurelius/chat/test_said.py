"""What a typed line is taken for, by its form and by the lines that were cited before it."""

from __future__ import annotations

import pytest

from aurelius.chat.said import (
    SAID_COMMAND,
    SAID_CORRECTION,
    SAID_FOLLOW_UP,
    SAID_NOTHING,
    SAID_QUESTION,
    SAID_STATEMENT,
    SAY_CLEAR,
    SAY_HELP,
    SAY_KEEP,
    SAY_QUIT,
    SAY_SILENCE,
    SAY_UNDO,
    SAY_WAITS,
    read_said,
)

HOME = "Lives in Los Angeles"
WORK = "Works at TechCorp as an engineer"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Where do I live?", SAID_QUESTION),
        ("where did we leave the car keys", SAID_QUESTION),
        ("boiler warranty", SAID_QUESTION),
        ("Tomas Lindqvist", SAID_QUESTION),
        ("write a poem about rain", SAID_QUESTION),
        ("Ann moved to Rome", SAID_STATEMENT),
        ("had the wisdom teeth out, 240 euro", SAID_STATEMENT),
        ("wir haben das Boot verkauft", SAID_STATEMENT),
        ("you are no help at all", SAID_NOTHING),
        ("oh, I had no idea", SAID_NOTHING),
        ("if Ann moves to Rome I will cry", SAID_NOTHING),
        ("in the film Ann moves to Rome", SAID_NOTHING),
        ("what waits?", SAID_COMMAND),
        ("", SAID_NOTHING),
        ("👍", SAID_NOTHING),
    ],
)
def test_a_line_is_taken_for_what_it_is(line: str, what: str) -> None:
    assert read_said(line, ()).what == what


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("and Sarah?", SAID_FOLLOW_UP),
        ("since when", SAID_FOLLOW_UP),
        ("thanks, good to know", SAID_NOTHING),
        ("I wish he lived closer", SAID_NOTHING),
        ("no, he moved to Denver", SAID_CORRECTION),
        ("he lives in Denver these days", SAID_CORRECTION),
        ("Sarah is allergic to nuts", SAID_STATEMENT),
        ("so he lives in Denver now?", SAID_QUESTION),
    ],
)
def test_a_line_after_cited_ones_is_taken_for_what_it_is(line: str, what: str) -> None:
    said = read_said(line, (HOME,))
    assert said.what == what or {said.what, what} == {SAID_QUESTION, SAID_FOLLOW_UP}


@pytest.mark.parametrize(
    "line",
    ["no, he moved to Denver", "wrong, it was sold in April", "not Tuesday any more, Wednesday"],
)
def test_nothing_is_corrected_where_nothing_was_cited(line: str) -> None:
    assert read_said(line, ()).what != SAID_CORRECTION


def test_what_begins_with_no_corrects_what_was_cited_sooner_than_it_is_new() -> None:
    assert read_said("no, Ines has a key", ("Karl has the ladder",)).what == SAID_CORRECTION


def test_a_supposition_after_a_cited_line_changes_nothing() -> None:
    for line in ("let's say the gym cost 50, then I'd quit", "in the book he lives in Denver now"):
        said = read_said(line, ("The gym costs 39 a month", HOME))
        assert said.what in {SAID_NOTHING, SAID_QUESTION}, line


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("no, he left TechCorp", 1),
        ("the second one is wrong, he quit", 1),
        ("last one is outdated", 1),
        ("the first is wrong, he is in Denver now", 0),
        ("no, that changed in May", 0),
    ],
)
def test_a_correction_is_of_the_line_that_it_names_or_shares_words_with(
    line: str, number: int
) -> None:
    said = read_said(line, (HOME, WORK))
    assert (said.what, said.corrects) == (SAID_CORRECTION, number)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("please note that the tap drips", "the tap drips"),
        ("don't forget that the choir is off on the 24th", "the choir is off on the 24th"),
        ("thanks. also, Mia's school starts at 7:50", "Mia's school starts at 7:50"),
        ("btw the cat's chip ends in 4471", "the cat's chip ends in 4471"),
    ],
)
def test_what_leads_to_a_statement_is_not_kept(line: str, kept: str) -> None:
    said = read_said(line, ())
    assert (said.what, said.text) == (SAID_STATEMENT, kept)


def test_a_very_long_line_is_read_soon() -> None:
    line = "ok, and the next one is " * 5_000
    assert read_said(line, (HOME * 500, WORK)).text


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("show help please", SAY_HELP),
        ("how does this work?", SAY_HELP),
        ("revert my last change", SAY_UNDO),
        ("take that back", SAY_UNDO),
        ("ok goodbye", SAY_QUIT),
        ("start again", SAY_CLEAR),
        ("anything waiting for me?", SAY_WAITS),
        ("don't ask me anything", SAY_SILENCE),
        ("save our conversation", SAY_KEEP),
    ],
)
def test_a_command_is_known_in_plain_words(line: str, command: str) -> None:
    assert read_said(line, (HOME,)).command == command


@pytest.mark.parametrize(
    "line", ["how do I undo a commit", "who can help with the move", "quit my job at the bank"]
)
def test_the_word_of_a_command_in_a_sentence_is_none(line: str) -> None:
    assert read_said(line, ()).what != SAID_COMMAND
