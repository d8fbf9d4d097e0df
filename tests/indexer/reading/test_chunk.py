"""Note → chunks, two grains side by side."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from indexer.note import Chunk
from indexer.reading.chunk import MOST_CHUNK_WORDS, chunks, length
from indexer.reading.parse import parse


def cut(text: str, path: str = "people/joe.md") -> tuple[Chunk, ...]:
    return chunks(parse(path, text.encode()))


def test_every_fact_is_a_chunk_of_its_own() -> None:
    found = cut("# Joe\n\n## Facts\n- Lives in Rome (2026-02-01) ^abc123\n- Likes tea #green\n")
    facts = [chunk for chunk in found if chunk.grain == "fact"]
    assert [(one.first, one.last, one.fact, one.date) for one in facts] == [
        (4, 4, "abc123", "2026-02-01"),
        (5, 5, facts[1].fact, facts[1].date),
    ]
    assert facts[1].tags == "green"
    assert all(one.text.startswith("- ") for one in facts), "text stands as it does in the file"


def test_a_fact_alone_needs_no_section_beside_it() -> None:
    assert [chunk.grain for chunk in cut("# Joe\n\n## Facts\n- Lives in Rome\n")].count(
        "section"
    ) == 0


def test_superseded_facts_share_no_chunk_with_current_text() -> None:
    found = cut("# Joe\n\n## Facts\n- Lives in Rome\n- ~~Lives in Oslo~~\n- Likes tea\n")
    for chunk in found:
        assert ("Oslo" in chunk.text) == (chunk.status == "superseded"), chunk


def test_title_heading_and_date_are_the_context() -> None:
    found = cut("# Joe Bloggs\n\n## Notes\nMet in Rome.\n", "memory/2026-02-01-rome.md")
    assert found[-1].context == "Joe Bloggs > Notes > 2026-02-01"
    assert found[-1].heading == ("Joe Bloggs", "Notes")


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# Only a title\n", "---\nx: 1\n---\n", "\0", "***\n"]
)
def test_every_note_can_be_found(text: str) -> None:
    found = cut(text)
    assert found
    assert all(1 <= chunk.first <= chunk.last for chunk in found)


def test_sections_are_packed_and_overlap_by_one_unit() -> None:
    units = [f"para{number} " + "word " * 30 for number in range(9)]
    found = [
        chunk
        for chunk in cut("# T\n\n" + "\n\n".join(units) + "\n", "t.md")
        if chunk.grain == "section"
    ]
    assert all(length(chunk.text) <= MOST_CHUNK_WORDS for chunk in found)
    for one, other in pairwise(found):
        assert other.first <= one.last, "the last unit of one is the first of the next"
    assert {f"para{number}" for number in range(9)} <= {
        word for chunk in found for word in chunk.text.split()
    }


def test_a_long_unit_is_cut_where_sentences_end() -> None:
    text = " ".join(f"Sentence {number} has six words." for number in range(80))
    found = cut(f"# T\n\n{text}\n", "t.md")
    assert len(found) > 3
    assert all(chunk.text.endswith(".") and (chunk.first, chunk.last) == (3, 3) for chunk in found)


def test_scripts_without_spaces_have_a_length_too() -> None:
    assert length("two words") == 2
    assert length("茶道入門の本です") == 4
    assert len(cut("# T\n\n" + "茶道入門。" * 300 + "\n", "t.md")) > 5


def test_what_is_indexed_makes_the_hash_and_place_does_not() -> None:
    """Identity = text hash + ordinal: a line inserted at the top changes no hash below it."""
    before, after = (
        cut("# T\n\n## A\none\n\n## B\ntwo\n", "t.md"),
        cut("# T\nnew\n\n## A\none\n\n## B\ntwo\n", "t.md"),
    )
    assert {chunk.hash for chunk in before} < {chunk.hash for chunk in after}
    assert len({chunk.hash for chunk in after}) == len(after)


def test_spans_and_ordinals_are_true_of_any_note(dice: random.Random) -> None:
    words = ["tea", "Rome.", "茶道", "~~old~~", "(2026-02-01)", "^abc123", "x" * 90]
    for _ in range(150):
        lines = [
            dice.choice(
                ["# ", "## ", "- ", "- [ ] ", "", "> ", "```", "1. ", "  - ", "\t", "| a | b |"]
            )
            + " ".join(dice.choices(words, k=dice.randint(0, 80)))
            for _ in range(dice.randint(0, 25))
        ]
        note = parse("areas/t.md", "\n".join(lines).encode())
        found = chunks(note)
        assert [chunk.ordinal for chunk in found] == list(range(len(found)))
        assert [chunk.first for chunk in found] == sorted(chunk.first for chunk in found)
        for chunk in found:
            whole = "\n".join(note.lines[chunk.first - 1 : chunk.last])
            if chunk.grain != "property":
                assert all(line in whole for line in chunk.text.split("\n")), (chunk, whole)


def test_a_past_fact_is_not_carried_over_into_the_next_chunk() -> None:
    past = "".join(f"- ~~Lives in town number {number}~~\n" for number in range(6))
    now = "".join(f"- Likes drink number {number}\n" for number in range(6))
    for chunk in cut(f"# Joe\n\n## Facts\n{past}{now}"):
        assert ("town" in chunk.text) == (chunk.status == "superseded"), chunk
        assert not ("town" in chunk.text and "drink" in chunk.text), chunk


def test_each_part_of_a_long_unit_has_its_own_lines() -> None:
    lines = [f"{at:02}番目の茶道入門は静かな本です。" * 3 for at in range(40)]
    found = cut("# T\n\n" + "\n".join(lines) + "\n", "t.md")
    assert len(found) > 2
    for chunk in found:
        parts = chunk.text.split("\n")
        assert parts[0] in lines[chunk.first - 3], chunk
        assert parts[-1] in lines[chunk.last - 3], chunk


def said(text: str, path: str = "q.md") -> list[tuple[int, int, str]]:
    """The lines and the text of a note's property chunk."""
    return [(one.first, one.last, one.text) for one in cut(text, path) if one.grain == "property"]


def test_what_properties_say_is_a_chunk_in_words_a_reader_understands() -> None:
    text = """---
title: Q
aliases: [Quartz, "S. Lindqvist"]
status: quartzite
up: "[[places/Kyoto|the trip]]"
by: [[Ann Lee]]
where: "[[places/old town#Gate]] and [the map](maps/map.md)"
empty:
none: []
private: false
done: true
config:
  pods:
    - name: x
    - name: y
created: 1652204558781
isbn13: 9780201483406
day: 2026-02-01
about: >
  two
  lines
---
Text.
"""
    expected = """aliases: Quartz, S. Lindqvist
status: quartzite
up: the trip
by: Ann Lee
where: old town and the map
done: true
config.pods.name: x
config.pods.name: y
created: 2022-05-10
isbn13: 9780201483406
day: 2026-02-01
about: two lines"""
    assert said(text) == [(1, 22, expected)]
    (chunk, _) = cut(text, "q.md")
    assert (chunk.heading, chunk.context, chunk.status, chunk.fact) == (
        (),
        "Q > 2022-05-10",
        "active",
        "",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Jane\n\n**Type:** Person\n**Tags:** #friend\n\nText.\n",
            [(3, 4, "type: Person\ntags: #friend")],
        ),
        ("type:: book\nrating:: 5\n\n- text\n", [(1, 2, "type: book\nrating: 5")]),
        ("---\nx: 1\n---\n# Jane\n**Type:** Person\n", [(1, 5, "x: 1\ntype: Person")]),
        ("---\ntitle: T\nprivate: true\n---\ntext\n", []),
        ("**Type:** Project\n**Updated:** 2026-02-01\n\ntext\n", []),
        (
            "---\nid: neebzkx6yxb2\ncreated: 1652204558781\nrun: d1cb9c55-5a4f-40c0-9908-9285cb78a50a\n---\ntext\n",
            [],
        ),
        ("---\nage: 7\n---\ntext\n", [(1, 3, "age: 7")]),
        ("---\nseen: 20260201\nmodified: '1652204558781'\n---\ntext\n", []),
        ("---\ntype: gadget\nid: a1\n---\ntext\n", [(1, 4, "type: gadget\nid: a1")]),
        (
            "**Type:** Project\n**Updated:** 2026-02-01\n",
            [(1, 2, "type: Project\nupdated: 2026-02-01")],
        ),
        ("---\nx: [\n---\ntext\n", []),
        ("---\nx: 1\n\ntext\n", []),
        ("text\n", []),
        ("", [(1, 1, "name: Q")]),
        ("---\ntitle: The Only Word\n---\n", [(1, 3, "title: The Only Word")]),
    ],
)
def test_the_properties_of_a_note(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert said(text) == expected


def test_half_a_surrogate_pair_is_replaced_in_a_property() -> None:
    note = parse("q.md", b"---\nx: 1\n---\n")
    assert chunks(note._replace(front_matter={"x": "\ud83d y"}))[0].text == "x: ? y"


@pytest.mark.parametrize(
    "text", ["", "\n\n", "---\nx:\n---\n", "---\ntitle: T\n---\n\n", "**Type:**\n"]
)
def test_no_chunk_is_without_text(text: str) -> None:
    assert all(chunk.text.strip() for chunk in cut(text))


MEETING = """\
# Tom Reed

## Facts
- Meeting with the plumber (2026-04-30)
  - quote is 900 euros
    - half of it in advance
- Likes tea
"""


def test_a_nested_fact_is_found_by_what_it_is_nested_in() -> None:
    found = {chunk.text.strip(): chunk for chunk in cut(MEETING) if chunk.grain == "fact"}
    above = ("Tom Reed", "Facts", "Meeting with the plumber (2026-04-30)")
    assert found["- quote is 900 euros"].heading == above
    assert found["- half of it in advance"].heading == (*above, "quote is 900 euros")
    assert found["- Likes tea"].heading == above[:2]
    for name, chunk in found.items():
        assert ("plumber" in chunk.context) == (len(chunk.heading) > 2), (
            name,
            "and so it is embedded",
        )


def test_a_nested_fact_is_indexed_anew_when_what_it_is_nested_in_changes() -> None:
    before, after = cut(MEETING), cut(MEETING.replace("plumber", "painter"))
    same = {chunk.hash for chunk in before} & {chunk.hash for chunk in after}
    assert [chunk.text for chunk in before if chunk.hash in same] == ["- Likes tea"]


def test_a_long_list_is_cut_with_what_each_part_is_nested_in() -> None:
    lines = [f"\t- point {number} " + "word " * 20 for number in range(30)]
    found = cut("- # Plan\n- The whole list\n" + "\n".join(lines) + "\n- last\n", "notes/n.md")
    parts = [
        chunk
        for chunk in found
        if chunk.first > 3 and "point" in chunk.text and "last" not in chunk.text
    ]
    assert len(parts) > 2
    assert {chunk.heading for chunk in parts} == {("The whole list",)}


def test_of_many_and_long_parents_the_outermost_and_the_nearest_are_told() -> None:
    lines = [
        "  " * depth + f"- [ ] level {depth} of **the** [[outline|list]] " + "on and on " * 9
        for depth in range(6)
    ]
    deepest = cut("# T\n" + "\n".join([*lines, "            - Deepest"]), "memory/2026-02-01.md")[
        -1
    ]
    assert [part.split(" of ")[0] for part in deepest.heading[1:]] == [
        "level 0",
        "level 4",
        "level 5",
    ]
    assert all(
        "of the list on" in part and part.endswith(" …") and len(part) <= 62
        for part in deepest.heading[1:]
    )


def test_a_bullet_under_a_heading_in_a_list_has_the_heading_and_the_bullets_below_it() -> None:
    found = cut(
        "- outer\n\t- ## Facts\n\t\t- a parent\n\t\t\t- a child\n\t\t- ### More\n\t\t- beside More\n",
        "notes/n.md",
    )
    assert {chunk.text.strip(): chunk.heading for chunk in found if chunk.grain == "fact"} == {
        "- a parent": ("Facts",),
        "- a child": ("Facts", "a parent"),
        "- beside More": ("Facts",),
    }


SILENT = """\
# Log

<!-- One line each: what I did -->

- Fixed the kestrel
  collapsed:: true
  id:: 692d8283-7f1d-44cf-81b0-bb25c469a64e
- card-last-interval:: 4
-
- <!-- a hint -->

***

said::done is a word, `id:: here`, and <!-- nothing --> too

```
id:: in code
<!-- in code -->
```

## Notes

## Invoice 4711 was paid

## Thoughts
"""


@pytest.mark.parametrize("path", ["notes/log.md", "memory/2026-02-01.md"])
def test_what_says_nothing_is_in_no_chunk(path: str) -> None:
    found = cut(SILENT, path)
    text = "\n".join(chunk.text for chunk in found)
    for silent in (
        "One line each",
        "collapsed::",
        "692d8283",
        "card-last",
        "hint",
        "nothing",
        "***",
        "Notes",
        "Thoughts",
    ):
        assert silent not in text, silent
    for said in (
        "Fixed the kestrel",
        "said::done",
        "and too",
        "id:: in code",
        "<!-- in code -->",
        "Invoice 4711",
    ):
        assert said in text, said
    assert all(line.strip("- \t") for chunk in found for line in chunk.text.split("\n") if line), (
        "no bare bullets"
    )
    assert all(chunk.text.strip() for chunk in found)
    kestrel = next(chunk for chunk in found if "kestrel" in chunk.text)
    assert kestrel.first == 5


KEPT = """## So

\t- Press the kestrel
\t  logseq.order-list-type:: number
\t  ```
\t  id:: in code
\t  ```
\t- Query the quokka
\t  heading:: true

- Look at the emu
  heading:: true
    -
- Feed the wombat
  :LOGBOOK:
  CLOCK: [2021-09-01 Wed 15:15]
  - State "DONE" from "TODO"
  :END:
  collapsed:: true
  #+BEGIN_COMMENT
  one remark

  - another remark
  #+END_COMMENT
  and the dingo
- :LOGBOOK: is a word
  :LOGBOOK:
  not closed
  #+END_COMMENT
- the end
"""


@pytest.mark.parametrize("path", ["notes/log.md", "memory/2026-02-01.md"])
def test_what_an_outliner_keeps_for_itself_is_in_no_chunk(path: str) -> None:
    found = cut(KEPT, path)
    text = "\n".join(chunk.text for chunk in found)
    for silent in (
        "order-list",
        "heading::",
        "CLOCK",
        "State",
        "collapsed",
        "BEGIN_COMMENT",
        "remark",
        ":END:",
    ):
        assert silent not in text, silent
    for said in (
        "kestrel",
        "id:: in code",
        "quokka",
        "emu",
        "wombat",
        "dingo",
        "is a word",
        "not closed",
        "the end",
    ):
        assert said in text, said
    assert not any("heading::" in " ".join(chunk.heading) for chunk in found)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "title:: Page embed\ntype:: [[Feature]]\nalias:: transclusion\ntags::\n\n- how it works\n",
            [("property", "type: Feature\nalias: transclusion"), ("section", "- how it works")],
        ),
        (
            "alias:: transclusion\nhow it works\n",
            [("property", "alias: transclusion"), ("section", "how it works")],
        ),
        ("alias:: transclusion\n", [("property", "alias: transclusion")]),
        ("type:: person\n\ntext\n", [("section", "text")]),
        ("type:: person\n", [("property", "type: person")]),
        ("title:: The Only Word\n", [("section", "title:: The Only Word")]),
        ("text\n\nalias:: so\n", [("section", "text\nalias:: so")]),
    ],
)
def test_what_the_properties_of_a_page_say_comes_once(
    text: str, texts: list[tuple[str, str]]
) -> None:
    assert [(chunk.grain, chunk.text) for chunk in cut(text, "pages/Q.md")] == texts


@pytest.mark.parametrize("text", ["# Thoughts\n", "## A\n## B\n", "- ## Later\n"])
def test_a_heading_that_is_all_a_note_has_is_found(text: str) -> None:
    found = cut(text, "notes/n.md")
    assert [chunk.text for chunk in found] == [text.split("\n", maxsplit=1)[0]]


def test_how_a_drawing_is_opened_says_nothing() -> None:
    text = (
        "---\nexcalidraw-plugin: parsed\n---\n==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of"
        " this document. ⚠== You can decompress Drawing data with the command palette.\n\n"
        "# Excalidraw Data\n\n## Text Elements\nHarbour plan ^a1b2c3d4\n\nEXCALIDRAW is a program\n"
    )
    told = "\n".join(chunk.text for chunk in chunks(parse("drawing.md", text.encode())))
    assert "Harbour plan" in told
    assert "EXCALIDRAW is a program" in told
    assert "palette" not in told


def test_lines_of_a_part_of_a_long_list_are_true_where_silent_lines_were_left_out() -> None:
    lines = [
        f"- item {number} says. " + "Some more words here. " * 5 + "\n  id:: 1"
        for number in range(3)
    ]
    text = "- top\n  id:: 2\n" + "\n".join(
        f"\t{line}" for each in lines for line in each.split("\n")
    )
    note = parse(
        "notes/n.md", ("x " * 200 + "\n  id:: 7\n  " + "y. " * 200 + "\n\n" + text).encode()
    )
    for chunk in chunks(note):
        parts = chunk.text.split("\n")
        assert parts[0] in note.lines[chunk.first - 1], chunk
        assert parts[-1] in note.lines[chunk.last - 1], chunk
        assert "id::" not in chunk.text
