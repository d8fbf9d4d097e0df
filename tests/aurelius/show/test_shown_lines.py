"""The lines of a hit that are shown are those that answer: written before the rule was."""

from __future__ import annotations

import pytest

from aurelius.show import hits as show_hits

LOGO = """1. Temporarily lower the signed URL expiration to 1 minute
2. Change this:
logoUrl: uploadResult.path
logoUrl: uploadResult.url"""
COMPANY = """## Nordlicht
A company in Kiel that makes lamps.
The company has 14 people; the company is run by Ana.
Company phone: 0431 5551234
Company address: Hafenstr. 3
Tax id: DE 812 555 019
Paid by transfer within 14 days."""
DEPLOY = """To deploy the app run `make ship`.
It builds the app and pushes the app image.
Then wait for the app checks.
If a check is red, look at the log.
Undo a bad deploy with `make rollback TAG=previous`.
Tell the channel."""
DOG = """Bruno is a dog.
He likes walks by the river.
The vet is Dr. Okafor on Mill Street.
Next vaccination for Bruno: 4 May, at the vet.
Food: dry, twice a day.
He sleeps in the hall."""
MEETING = """# Weekly
Present: Ana, Tom, Mia.
The launch was talked about; the launch moves.
We talked about the launch budget too.
Decision: the price of the starter plan is 19 euros.
Open: who writes the launch mail?
Next meeting on Monday."""
RECIPE = """Pumpkin soup for four.
1 kg pumpkin, 2 onions, 1 l broth.
Fry the onions.
Add pumpkin and broth, cook 25 minutes.
Blend, add cream.
Freezes well for three months."""
ROUTER = """The router is in the hall.
Admin page of the router: 192.168.1.1
The router restarts by itself on Sundays.
Wifi for guests: name Lantern
Guest password is on the fridge
Fibre contract ends in March"""
SYNTAX = """Syntax notes.
The syntax of a loop differs by language.
Syntax errors are shown by the linter.
Nothing here on money.
Income of 2025 is in the blue folder.
Tax return: sent on 3 June."""

BETTER = [
    (LOGO, "logo upload signed URL", "1. Temporarily lower"),
    (COMPANY, "company tax id Nordlicht", "Tax id"),
    (COMPANY, "what is the tax id of the company", "Tax id"),
    (DEPLOY, "app rollback bad deploy", "Undo a bad deploy"),
    (MEETING, "launch starter plan price", "Decision:"),
    (SYNTAX, "tax return", "Tax return"),
    (SYNTAX, "tax income", "Income of 2025"),
    (ROUTER, "router guest password", "Guest password"),
    ("apple apple\nmilk\nmilk tea\nx\ny\nhoney tea milk lemon\nz", "apple lemon honey", "honey"),
    (
        "Art of the start.\nStart small, part by part.\nSmart carts.\nz\nThe art class is at 9.",
        "art class",
        "The art class",
    ),
    ("cache a\ncache b\ncache c\nd\nredis ttl is 60 s\ne\ncache f", "cache redis ttl", "redis ttl"),
    ("x " * 5 + "rent\n" + "y\n" * 4 + "rent due on 3 May\nz", "rent due", "rent due"),
]
"""A text, a question, the beginning of the line that answers."""
RIGHT = [
    (DEPLOY, "how to deploy", "To deploy the app"),
    (DOG, "when is the next vaccination of Bruno", "Next vaccination"),
    (DOG, "where does he sleep in the hall", "He sleeps"),
    (RECIPE, "does the soup freeze", "Pumpkin soup"),
    (RECIPE, "fry onions", "Fry the onions"),
    (RECIPE, "cook pumpkin broth minutes", "Add pumpkin and broth"),
    (ROUTER, "fibre contract", "Fibre contract"),
    (ROUTER, "admin page router", "Admin page"),
    (MEETING, "who was present", "Present"),
    (MEETING, "next meeting monday", "Next meeting"),
    (COMPANY, "who runs the company", "The company has"),
    ("one\ntwo", "two", "two"),
]


def words_of(question: str) -> list[str]:
    from indexer.search.query import clean_query

    return [word[: max(4, len(word) - 3)] for word in clean_query(question).words]


@pytest.mark.parametrize(("text", "question", "line"), BETTER + RIGHT)
def test_the_line_that_answers_is_shown(text: str, question: str, line: str) -> None:
    shown = show_hits.telling_lines(text, words_of(question))
    assert any(each.startswith(line) for each in shown), shown


@pytest.mark.parametrize(("text", "question", "line"), BETTER[1:])
def test_the_line_that_answers_is_in_a_short_part_too(text: str, question: str, line: str) -> None:
    long = "\n".join(each + " ." * 90 for each in text.split("\n"))
    assert f"\n{line}" in "\n" + show_hits.hit_extract(long, words_of(question)).removeprefix("… ")


def test_a_long_line_is_cut_where_most_of_the_words_are_near_to_each_other() -> None:
    line = "The lamp came. " + "It is fine. " * 40 + "The lamp repair costs 40 euros. " + "z " * 200
    assert "40 euros" in show_hits.shorten_around(line, words_of("what does the lamp repair cost"))
