"""Where sentences end: in doubt one goes on, so that none is cut in its middle."""

from __future__ import annotations

import pytest

from aurelius.language import spoken
from aurelius.language.sentences import sentence_spans, trim_sentence


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Grant wrote vol. 2 (2nd ed., cf. Nov.) of it.",
        "The boat costs at most $900 (incl. VAT) because of the keel.",
        "T. S. Imrie is interim CFO at E. & J. Tarrant.",
        "Gebr. Aumann was founded in Trondheim in 1987.",
        "It is on Tuesdays now rather than Sun. evenings.",
        "The goats belong to Dr. med. vet. Hoyer and they bite.",
        "The workshop is at Hafenstr. 9 behind the pier.",
        "The doorbell is on the left (see p. 4), not by the gate.",
        "N.B. I take the early train.",
        "Well… I take the early train.",
        "The rent is 210 a month, heating incl. P.S. My number changed in May.",
        "The station runs on Joomla! 5 since March.",
        "Samuel grew up in Westward Ho! in a house by the sea.",
        "The laptop is an old 11 in. one with a new disk.",
        "Our agency is called “Why Not?” and sits in Oslo.",
        "He has no more (no more!) – otherwise he would say so.",
        "We met at 9 a.m. Berlin time.",
    ],
)
def test_a_sentence_is_cut_at_a_mark_within_it(text: str) -> None:
    assert [text[first:last] for first, last in sentence_spans(text)] == [text]


@pytest.mark.parametrize(
    "parts",
    [
        ["I saw it.", "Tom lives in Lisbon."],
        ["We moved to Tideway Inc.", "They close at six."],
        ["The office opens at 8 a.m.", "The bakery opens at 7."],
        ["Thanks!", "Tom lives in Lisbon."],
        ["Is that so?", "Never send mails for me."],
        ["The plan is at https://wiki.example/plan.html.", "I keep it short."],
        ["He said “no.”", "The talk is over."],
        ["we moved to postgres in march.", "the old one was too slow."],
        ["Great 🎉", "The tests pass."],
        ["The key is in the shed (left of the door).", "Bram has the other."],
    ],
)
def test_two_sentences_are_taken_for_one(parts: list[str]) -> None:
    text = " ".join(parts)
    assert [text[first:last] for first, last in sentence_spans(text)] == parts


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (["I wonder about Ltd. firms. E. &", "J. Tarrant is one of them now."], 1),
        (["I never liked it at all. Not quite:", "Quillfeather no longer deals here."], 1),
        (["Ann's favourite film is “Mr. Hulot's", "Holiday”"], 1),
        (["my dentist moved to lisbon", "my bank is in porto now"], 2),
        (["The fair is in May.", "Tom lives in Lisbon since the spring."], 2),
    ],
)
def test_a_broken_line_is_cut_or_two_lines_are_one(rows: list[str], wanted: int) -> None:
    assert len(spoken.own_lines("\n".join(rows)).split("\n")) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (" Tom lives in Lisbon. ", "Tom lives in Lisbon"),
        ("It is Postgres 17.", "It is Postgres 17"),
        ("The accountant is Budi.", "The accountant is Budi"),
        ("We left Tideway Inc.", "We left Tideway Inc."),
        ("It opens at 8 a.m.", "It opens at 8 a.m."),
        ("And so on...", "And so on..."),
    ],
)
def test_the_full_stop_of_an_abbreviation_is_lost_or_another_is_kept(
    text: str, wanted: str
) -> None:
    assert trim_sentence(text) == wanted
