"""A conversation: answers with their lines, questions that go on, changes that wait for a yes."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius import api
from aurelius.api import SharedVault
from aurelius.chat.asking import asks_something
from aurelius.chat.cited import is_as_cited
from aurelius.chat.keep import keep_talk
from aurelius.chat.propose import (
    carry_out_proposal,
    correct_line,
    corrected_text,
    day_of_change,
    in_other_words,
)
from aurelius.chat.reply import ask_again, ask_review, reply_to
from aurelius.chat.said import agreed, read_said
from aurelius.chat.talk import (
    ROLE_BEFORE,
    ROLE_NEAR,
    ROLE_NEWER,
    ListPage,
    Talk,
    TalkReply,
)
from indexer.errors import ConflictError, UsageError

NOW = datetime.datetime(2026, 6, 24, 12)
NOTES = {
    "people/joe-bloggs.md": (
        "---\naliases: [Joe]\n---\n# Joe Bloggs\n\n## Facts\n\n"
        "- Lives in Los Angeles (2026-02-01) ^k3v9qa\n"
        "- Works at [[companies/techcorp]] as engineer (2026-01-15)\n"
        "- Drinks tea, never coffee (2025-11-20, preference)\n\n## History\n\n"
        "- ~~Lives in San Diego~~ (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^d8w4tt\n"
    ),
    "people/sarah-lind.md": (
        "# Sarah Lind\n\n## Facts\n\n- Lives in Malmö (2024-05-01)\n"
        "- Birthday is on 14 May (2025-05-14)\n"
    ),
    "companies/techcorp.md": "# TechCorp\n\n## Facts\n\n- Sells clocks (2025-01-15)\n",
    "memory/2026-03-03.md": "# 2026-03-03\n\n- Repaired the boat with Sarah\n- Paid 300 euro for oak\n",
    "memory/2026-06-20.md": "# 2026-06-20\n\n- Joe drinks coffee now, two cups a day\n",
    "projects/garden.md": "# Garden\n\n- [ ] Buy seeds for the garden\n- [x] Dig the bed\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for each in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{each}_HOME", str(tmp_path / each))
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def vault(root: Path) -> Iterator[SharedVault]:
    with SharedVault.open(root, now=NOW) as vault:
        yield vault


def talked(vault: SharedVault, *lines: str) -> tuple[TalkReply, Talk]:
    """The last reply of a conversation, and the conversation with it."""
    talk = Talk()
    reply = None
    for line in lines:
        with vault.looking():
            reply = reply_to(vault, talk, line)
        talk = talk.with_turn(line, reply)
    assert reply
    return reply, talk


def places(reply: TalkReply) -> list[str]:
    return [each.place for each in reply.lines]


# -- answers


def test_a_question_is_answered_by_the_line_that_says_it(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does joe live")
    assert reply.found
    assert places(reply)[0] == "people/joe-bloggs.md:8"
    assert reply.lines[0].line.date == "2026-02-01"


def test_what_held_on_a_day_is_told_with_the_day_on_which_it_ended(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where did joe live in may 2025")
    first = reply.lines[0]
    assert (first.place, first.role, first.until) == (
        "people/joe-bloggs.md:14",
        ROLE_BEFORE,
        "2026-02-01",
    )


def test_what_was_before_is_among_the_lines_of_a_question_that_goes_on(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does joe live", "and before that?")
    assert "people/joe-bloggs.md:14" in places(reply)


def test_a_later_line_about_the_same_matter_stands_second(vault: SharedVault) -> None:
    reply, _ = talked(vault, "does joe drink coffee")
    roles = {each.place: each.role for each in reply.lines}
    assert roles.get("memory/2026-06-20.md:3") == ROLE_NEWER or places(reply)[0] == (
        "memory/2026-06-20.md:3"
    )


def test_what_no_line_says_is_told_with_the_nearest(vault: SharedVault) -> None:
    reply, _ = talked(vault, "what is joe's shoe size")
    assert not reply.found
    assert "No line surely answers that" in reply.text
    assert {each.role for each in reply.lines} <= {ROLE_NEAR, ROLE_NEWER}


def test_a_line_about_somebody_else_does_not_answer(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does sarah work")
    assert not reply.found


def test_a_vault_that_has_nothing_near_says_so(vault: SharedVault) -> None:
    reply, _ = talked(vault, "zzqx vlorp")
    assert not reply.found
    assert reply.text


def test_days_are_told_by_the_lines_of_their_notes(vault: SharedVault) -> None:
    reply, _ = talked(vault, "what did i do in march")
    assert places(reply) == ["memory/2026-03-03.md:3", "memory/2026-03-03.md:4"]


def test_open_tasks_are_those_of_the_matter_that_are_not_done(vault: SharedVault) -> None:
    reply, _ = talked(vault, "open tasks about the garden")
    assert places(reply) == ["projects/garden.md:3"]


def test_done_tasks_are_those_that_are_done(vault: SharedVault) -> None:
    reply, _ = talked(vault, "done tasks")
    assert places(reply) == ["projects/garden.md:4"]
    assert reply.page == ListPage("done")


def test_what_is_due_is_told_in_the_order_of_its_days(vault: SharedVault, root: Path) -> None:
    rows = ("Late 📅 2026-06-20", "Soon 📅 2026-06-26", "First 📅 2026-06-25", "Some day")
    text = "".join(f"- [ ] {row}\n" for row in rows)
    (root / "projects/boat.md").write_text(f"# Boat\n\n{text}", encoding="utf-8")
    vault.refresh()
    reply, _ = talked(vault, "what is due?")
    assert places(reply) == [f"projects/boat.md:{line}" for line in (3, 5, 4)]
    reply, _ = talked(vault, "where does joe live", "what's overdue")
    assert places(reply) == ["projects/boat.md:3"]
    reply, _ = talked(vault, "where does joe live", "what's due this week?")
    assert reply.asked
    assert reply.asked.carried == ()
    assert len(reply.lines) == 2


def test_where_nothing_is_due_that_is_said(vault: SharedVault) -> None:
    reply, _ = talked(vault, "what is due this week?")
    assert reply.text.startswith("No open task is due 2026-06-22 to 2026-06-28")


@pytest.mark.parametrize(
    ("question", "paths", "kind"),
    [
        ("which projects do I have?", {"projects/garden.md"}, "project"),
        ("list people", {"people/joe-bloggs.md", "people/sarah-lind.md"}, "person"),
    ],
)
def test_the_notes_of_a_kind_are_listed_each_once(
    vault: SharedVault, question: str, paths: set[str], kind: str
) -> None:
    reply, _ = talked(vault, question)
    assert {each.line.path for each in reply.lines} == paths
    assert reply.page == ListPage("kind", kind)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("people at TechCorp", "people/joe-bloggs.md:9"),
        ("who do I know in Malmö", "people/sarah-lind.md:5"),
    ],
)
def test_the_people_of_a_place_are_those_whose_lines_name_it(
    vault: SharedVault, question: str, place: str
) -> None:
    reply, _ = talked(vault, question)
    assert places(reply) == [place]


def test_more_shows_what_was_cut_of_a_list_until_all_was_shown(
    vault: SharedVault, root: Path
) -> None:
    text = "".join(f"- [ ] Oil plank {number}\n" for number in range(24))
    (root / "projects/boat.md").write_text(f"# Boat\n\n{text}", encoding="utf-8")
    vault.refresh()
    asked = ("open tasks about planks", "more", "show me more", "more")
    replies = [talked(vault, *asked[: number + 1])[0] for number in range(4)]
    assert [each.text for each in replies] == [
        "1 to 10 of 24 tasks; “more” shows the next:",
        "11 to 20 of 24 tasks; “more” shows the next:",
        "The rest of 24 tasks:",
        "That was all of them.",
    ]
    shown = [place for each in replies for place in places(each)]
    assert shown == [f"projects/boat.md:{line}" for line in range(3, 27)]


def test_no_sentence_stands_without_a_line(vault: SharedVault) -> None:
    for line in ("where does joe live", "who works at techcorp", "what did i pay for oak"):
        reply, _ = talked(vault, line)
        assert reply.lines
        assert reply.text == ""


# -- questions that go on


def test_another_name_asks_the_same_again_and_says_so(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does joe live", "and sarah?")
    assert places(reply)[0] == "people/sarah-lind.md:5"
    assert reply.asked
    assert "sarah" in reply.asked.carried[0]


def test_a_pronoun_takes_the_name_of_the_last_questions(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does joe live", "thanks", "where does he work?")
    assert places(reply)[0] == "people/joe-bloggs.md:9"
    assert reply.asked
    assert reply.asked.carried == ("Joe Bloggs",)


def test_what_was_carried_can_be_left_out(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does joe live", "and when is her birthday?")
    assert reply.asked
    alone = ask_again(vault, reply.asked).asked
    assert alone
    assert alone.names == ()


def test_items_of_a_list_answer_by_what_stands_above_them(vault: SharedVault, root: Path) -> None:
    (root / "memory" / "2026-04-02.md").write_text(
        "# 2026-04-02\n\n- Rang the plumber\n- Characters of the play\n\t- Maddie\n\t- Leo\n",
        encoding="utf-8",
    )
    reply = reply_to(vault, Talk(), "who are the characters of the play")
    assert {"Maddie", "Leo"} <= {each.line.text for each in reply.lines}
    assert not any("plumber" in each.line.text for each in reply.lines)
    assert {each.line.said for each in reply.lines if each.line.text == "Leo"} == {
        "under “Characters of the play”"
    }


def test_each_of_two_things_is_asked_with_what_the_question_asks(
    vault: SharedVault, root: Path
) -> None:
    (root / "memory" / "2026-04-02.md").write_text(
        "# 2026-04-02\n\n- Oak costs 90 euro a plank\n- Teak costs 140 euro a plank\n"
        "- Teak smells of leather\n- Oak came late\n",
        encoding="utf-8",
    )
    reply = reply_to(vault, Talk(), "what costs more, oak or teak?")
    texts = [each.line.text for each in reply.lines[:2]]
    assert sorted(texts) == ["Oak costs 90 euro a plank", "Teak costs 140 euro a plank"]


def test_what_is_left_to_do_is_the_tasks_of_the_matter_or_else_any_line(vault: SharedVault) -> None:
    reply = reply_to(vault, Talk(), "what do I still have to do in the garden?")
    assert [each.line.text for each in reply.lines] == ["[ ] Buy seeds for the garden"]
    reply = reply_to(vault, Talk(), "what do I still have to do about the boat?")
    assert reply.lines[0].line.text == "Repaired the boat with Sarah"


def test_what_is_new_about_a_page_is_asked_without_a_day_too(vault: SharedVault) -> None:
    reply = reply_to(vault, Talk(), "what's new with joe?")
    assert [each.line.text for each in reply.lines] == ["Joe drinks coffee now, two cups a day"]
    assert reply_to(vault, Talk(), "what is new since 1 june?").found


def test_days_are_told_by_the_lines_that_hold_what_was_done(vault: SharedVault) -> None:
    reply = reply_to(vault, Talk(), "what did I repair in March 2026?")
    assert [each.line.text for each in reply.lines] == ["Repaired the boat with Sarah"]


def test_a_question_with_a_name_of_its_own_carries_nothing(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does joe live", "when is sarah's birthday")
    assert reply.asked
    assert reply.asked.carried == ()


@pytest.mark.parametrize("asked", ["since when?", "when was that?"])
def test_when_is_asked_of_the_line_that_was_cited(vault: SharedVault, asked: str) -> None:
    reply, talk = talked(vault, "where does joe live", asked)
    assert places(reply) == ["people/joe-bloggs.md:8"]
    assert reply.text == (
        "“Lives in Los Angeles”: since 2026-02-01; before that “Lives in San Diego”, until"
        " 2026-02-01."
    )
    again = reply_to(vault, talk, "who said that?")
    assert "stands in people/joe-bloggs.md:8, of 2026-02-01" in again.text


def test_the_source_of_a_line_is_told_with_its_reason(vault: SharedVault, root: Path) -> None:
    note = root / "people/sarah-lind.md"
    tail = "(2024-05-01, because of the harbour, from [[memory/2026-03-03]])"
    text = note.read_text(encoding="utf-8").replace("(2024-05-01)", tail)
    note.write_text(text, encoding="utf-8")
    vault.refresh()
    reply, _ = talked(vault, "where does sarah live", "why?")
    assert "people/sarah-lind.md:5, of 2024-05-01, from memory/2026-03-03" in reply.text
    assert "because" in reply.text


# -- changes


def test_nothing_is_written_before_the_yes(vault: SharedVault, root: Path) -> None:
    before = {path: (root / path).read_bytes() for path in NOTES}
    talked(vault, "where does joe live", "no, he moved to denver", "ann bought a boat", "undo")
    assert {path: (root / path).read_bytes() for path in NOTES} == before
    assert sorted(each.name for each in root.rglob("*.md")) == sorted(
        Path(path).name for path in NOTES
    )


def test_a_correction_replaces_the_very_line_that_was_cited(vault: SharedVault, root: Path) -> None:
    reply, _ = talked(vault, "where does joe live", "no, he moved to denver in may")
    assert reply.proposal
    done = carry_out_proposal(vault, reply.proposal)
    text = (root / "people/joe-bloggs.md").read_text(encoding="utf-8")
    assert "- Lives in denver (2026-05-01" in text
    assert "~~Lives in Los Angeles~~ (2026-02-01 → 2026-05-01" in text
    api.undo(vault, done.number)
    assert (root / "people/joe-bloggs.md").read_text(encoding="utf-8") == NOTES[
        "people/joe-bloggs.md"
    ]


def test_a_change_that_was_shown_is_refused_when_the_note_changed(
    vault: SharedVault, root: Path
) -> None:
    from aurelius.plans.plan import edits_digest

    reply, _ = talked(vault, "where does joe live", "no, he moved to denver")
    assert reply.proposal
    seen = edits_digest(carry_out_proposal(vault, reply.proposal, dry_run=True).edits)
    note = root / "people/joe-bloggs.md"
    note.write_text(note.read_text(encoding="utf-8") + "\nA line.\n", encoding="utf-8")
    with pytest.raises(ConflictError):
        carry_out_proposal(vault, reply.proposal, seen=seen)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("where does sarah work", "that's not right, she works at Zoega now"),
        ("where does joe live", "no, I moved to Lund last week"),
        ("where did joe live in may 2025", "no, he moved to Denver"),
    ],
)
def test_what_is_only_near_past_or_about_another_is_not_replaced(
    vault: SharedVault, question: str, said: str
) -> None:
    reply, _ = talked(vault, question, said)
    assert reply.proposal is None or reply.proposal.action != "supersede"


def test_a_correction_that_names_somebody_else_replaces_what_is_said_of_them(
    vault: SharedVault,
) -> None:
    reply, _ = talked(vault, "where does joe live", "no, sarah moved to Ystad")
    assert reply.proposal
    assert reply.proposal.fields["fact"].startswith("people/sarah-lind.md#^")


@pytest.mark.parametrize("said", ["no, that is wrong", "no, 1 is wrong"])
def test_a_line_that_is_only_said_to_be_wrong_is_asked_about(vault: SharedVault, said: str) -> None:
    reply, _ = talked(vault, "where does joe live", said)
    assert reply.proposal is None
    assert "What is true instead of “Lives in Los Angeles”" in reply.text


def test_other_days_ask_the_same_again(vault: SharedVault) -> None:
    reply, _ = talked(vault, "what did i do in february", "what about march?")
    assert places(reply) == ["memory/2026-03-03.md:3", "memory/2026-03-03.md:4"]


def test_days_of_which_nothing_is_noted_are_told(vault: SharedVault) -> None:
    reply, _ = talked(vault, "what happened on 2 january 2026")
    assert reply.text == "Nothing is noted for 2026-01-02."
    assert not reply.found


@pytest.mark.parametrize(
    ("text", "yes"),
    [("ok", True), ("yes.", True), ("nope", False), ("maybe", False), ("oak", None)],
)
def test_a_yes_and_a_no_have_many_words(text: str, yes: bool | None) -> None:
    assert agreed(text) is yes


def test_other_words_for_a_change_bring_their_own_day() -> None:
    offer = correct_line("people/joe.md", "abc", "Lives in Denver", "2026-05-01")
    other = in_other_words(offer, "Lives in Kiruna since april 2026", "2026-06-24")
    assert other.fields["date"] == "2026-04-01"


def test_a_secret_is_left_out_of_what_is_kept(vault: SharedVault, root: Path) -> None:
    _, talk = talked(vault, "where does joe live", "My password is hunter2secret!Xq9")
    text = (root / keep_talk(vault, talk).path).read_text(encoding="utf-8")
    assert "hunter2" not in text
    assert "left out" in text


def test_a_statement_is_offered_for_the_page_or_the_day(vault: SharedVault) -> None:
    reply, _ = talked(vault, "note that the spare key is with mrs okafor")
    assert reply.proposal
    assert reply.proposal.fields["text"] == "the spare key is with mrs okafor"
    assert "today's note" in reply.text


def test_what_a_fact_says_otherwise_is_replaced_or_both_are_kept(vault: SharedVault) -> None:
    reply, _ = talked(vault, "Sarah Lind lives in Ystad since 1 june 2026")
    assert reply.proposal
    assert reply.proposal.action == "supersede"
    assert reply.proposal.fields["date"] == "2026-06-01"
    assert "“Lives in Malmö” (people/sarah-lind.md:5)" in reply.text
    both, _ = talked(vault, "Sarah Lind lives in Ystad since 1 june 2026", "both hold")
    assert both.proposal
    assert both.proposal.action == "add"
    assert both.proposal.fields["note"] == "people/sarah-lind.md"


def test_both_is_no_answer_where_nothing_is_replaced(vault: SharedVault) -> None:
    reply, _ = talked(vault, "note that the spare key is with mrs okafor", "both")
    assert reply.proposal is None


def test_a_line_of_a_day_keeps_the_word_for_its_subject() -> None:
    said = "the rent is 10 500 kr since July"
    assert corrected_text("Rent 10 200 kr a month", said) == f"T{said[1:]}"
    assert corrected_text("Joe has a boat", "he has a car now", of_subject=False) == (
        "He has a car now"
    )


def test_a_line_that_does_not_say_who_it_is_about_goes_on_no_page(vault: SharedVault) -> None:
    reply, _ = talked(vault, "where does sarah work", "no, she moved to TechCorp")
    assert reply.proposal
    assert reply.proposal.fields.get("note", "") == ""
    assert "today's note" in reply.text


def test_a_line_that_holds_a_secret_is_not_offered(vault: SharedVault) -> None:
    reply, _ = talked(vault, "remember: my password is hunter2hunter2Xq9")
    assert reply.proposal is None
    assert "cannot be written" in reply.text


def test_text_that_is_no_fact_is_not_replaced(vault: SharedVault) -> None:
    reply, _ = talked(vault, "open tasks about the garden", "wrong, that was done in may")
    assert reply.proposal
    assert reply.proposal.action == "note"
    assert "is no fact" in reply.text


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        ("Lives in Los Angeles", "he moved to denver in may", "Lives in denver"),
        (
            "Gym membership costs 39 pounds a month",
            "its 45 now",
            "Gym membership costs 45 pounds a month",
        ),
        ("Birthday is on 14 May", "her birthday is the 15th", "Birthday is on 15 May"),
        ("Inspection booked for 30 October", "november 2", "Inspection booked for november 2"),
        ("Lives in Los Angeles", "denver", "Lives in denver"),
        ("Rent 10 200 kr a month", "it's 10 500 kr", "Rent 10 500 kr a month"),
        ("Drinks tea, never coffee", "he drinks coffee these days", "Drinks coffee these days"),
    ],
)
def test_a_value_stands_where_the_old_one_did(old: str, said: str, new: str) -> None:
    assert corrected_text(old, said) == new


def test_a_day_that_is_not_over_is_no_day_of_a_change() -> None:
    assert day_of_change("he moved in may", "2026-06-24") == "2026-05-01"
    assert day_of_change("he moves tomorrow", "2026-06-24") == ""
    assert day_of_change("he moved", "2026-06-24") == ""


# -- what else is said


def test_thanks_want_nothing(vault: SharedVault) -> None:
    reply, _ = talked(vault, "thanks")
    assert (reply.kind, reply.lines, reply.proposal) == ("told", (), None)


@pytest.mark.parametrize("line", ["help", "undo", "clear", "quit", "stop asking"])
def test_a_command_is_named_for_the_door(vault: SharedVault, line: str) -> None:
    reply, _ = talked(vault, line)
    assert reply.command


def test_what_waits_comes_one_by_one_and_once(vault: SharedVault, root: Path) -> None:
    note = root / "memory/2026-06-24.md"
    note.write_text("# 2026-06-24\n\n## Captured\n\n- Sarah prefers oak\n", encoding="utf-8")
    reply, talk = talked(vault, "what waits")
    assert reply.matter
    came = talk._replace(asked=frozenset(each.name for each in api.waiting_matters(vault)))
    assert ask_review(vault, came) is None
    again = reply_to(vault, came, "what waits")
    assert again.matter
    assert again.matter.name == reply.matter.name


# -- conversations that are kept


def test_a_conversation_is_kept_only_on_request_and_is_no_evidence(
    vault: SharedVault, root: Path
) -> None:
    _, talk = talked(vault, "where does joe live")
    assert not (root / "conversations").exists()
    done = keep_talk(vault, talk)
    text = (root / done.path).read_text(encoding="utf-8")
    assert "**You:** where does joe live" in text
    assert "people/joe-bloggs.md:8" in text
    reply, _ = talked(vault, "where does joe live")
    assert not any(place.startswith("conversations/") for place in places(reply))


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("where is it?", True),
        ("what does she do", True),
        ("10 600 kr", False),
        ("Malmö, Limhamn", False),
    ],
)
def test_a_name_or_a_value_asks_nothing(text: str, is_question: bool) -> None:
    assert asks_something(read_said(text, ())) == is_question


def test_two_conversations_of_one_second_are_two_notes(vault: SharedVault, root: Path) -> None:
    talk = Talk().with_turn("where does joe live", reply_to(vault, Talk(), "where does joe live"))
    keep_talk(vault, talk, now=NOW)
    (first,) = (root / "conversations").glob("*.md")
    first.write_text("mine\n", encoding="utf-8")
    keep_talk(vault, talk, now=NOW)
    assert len([*(root / "conversations").glob("*.md")]) == 2
    assert first.read_text("utf-8") == "mine\n"


def test_a_name_that_two_pages_have_is_told(vault: SharedVault, root: Path) -> None:
    for path, title in (("people/ann-berg.md", "Ann Berg"), ("people/ann-cole.md", "Ann Cole")):
        (root / path).write_text(f"# {title}\n\n- Friend (2026-01-01)\n", encoding="utf-8")
    reply = reply_to(vault, Talk(), "Ann moved to Rome")
    assert reply.proposal
    assert reply.text.startswith("Write this in today's note?")
    assert "Ann Berg" in reply.text
    assert "Ann Cole" in reply.text


def test_an_empty_conversation_is_not_kept(vault: SharedVault) -> None:
    with pytest.raises(UsageError):
        keep_talk(vault, Talk())


# -- lines as they are cited


@pytest.mark.parametrize(
    ("found", "is_same"),
    [
        (["- Repaired the boat with Sarah (today)", "- Another"], True),
        (["- [x] Repaired the boat"], False),
        (["Repaired the boat"], True),
        (["- the"], False),
        ([""], False),
    ],
)
def test_a_cited_line_is_known_in_its_note_as_far_as_that_is_read(
    vault: SharedVault, found: list[str], is_same: bool
) -> None:
    reply, _ = talked(vault, "what did i do in march")
    assert is_as_cited(found, reply.lines[0]) is is_same
