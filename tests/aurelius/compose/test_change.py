"""One change of one note: just the bytes and just the facts change that are meant."""

from __future__ import annotations

import difflib
import random
from collections import Counter
from collections.abc import Callable

import pytest

from aurelius.compose import change, fact_text
from indexer.errors import AureliusError, NoteNotFoundError, UsageError
from indexer.note import Fact
from indexer.reading.parse import parse
from tests.daily import daily

PATH = "people/joe.md"
TODAY = "2026-02-10"
JOE = """\
---
type:   person   # odd spacing, and a comment
aliases: ["Joe", 'J. B.']
updated: 2026-02-01
---
# Joe

## Facts
- Lives in Los Angeles (2026-02-01) ^k3v9qa
- Drinks tea (2025-11-20, preference)
  - and never coffee (2025-11-21)
- Works at a company that is
  called [[companies/techcorp]] (2026-01-15, milestone)
  ^p7x2mn

## Notes
Met in 2025.
"""


ANYWHERE = """\
# Joe

Friend.

## Notes

- bring flowers
- Allergic to walnuts (2026-01-12, laut Karin, priority high)
  - and to hazelnuts (2026-01-13, opinion)
* undated

## Milestones
- Ran ten miles

## Meetings
- Moves in May (2026-02-03, part of [[projects/move]], supersedes ^abc123)
"""


def facts(data: bytes, path: str = PATH) -> tuple[Fact, ...]:
    return parse(path, data).facts


def of(data: bytes, words: str, path: str = PATH) -> Fact:
    return next(fact for fact in facts(data, path) if words in fact.text)


def changed(old: str, new: bytes) -> tuple[list[str], list[str]]:
    """The lines that went and those that came, line ends included."""
    before, after = (
        Counter(old.splitlines(keepends=True)),
        Counter(new.decode().splitlines(keepends=True)),
    )
    return sorted((before - after).elements()), sorted((after - before).elements())


def shapes(text: str) -> list[bytes]:
    """A note as other systems and editors keep it."""
    plain = text.encode()
    return [
        plain,
        plain.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + plain,
        plain.rstrip(b"\n"),
        plain.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
        plain + b"\n\n",
    ]


LINE = "- Likes boats (2026-02-10) ^new111"


def test_add_puts_the_line_at_the_end_of_its_section() -> None:
    data = change.add_fact(JOE.encode(), LINE, "Facts", path=PATH)
    assert changed(JOE, data) == ([], [LINE + "\n"])
    assert data.decode().index("  ^p7x2mn\n" + LINE + "\n\n## Notes")


@pytest.mark.parametrize("data", shapes(JOE))
def test_every_shape_of_file_stays_as_it_is(data: bytes) -> None:
    eol = "\r\n" if b"\r\n" in data else "\r" if b"\r" in data else "\n"
    added = change.add_fact(data, LINE, "Facts", path=PATH)
    assert added == data.replace(f"^p7x2mn{eol}".encode(), f"^p7x2mn{eol}{LINE}{eol}".encode())
    key = of(data, "never").key
    updated = change.reword_fact(data, key, "and no milk", path=PATH)
    assert updated == data.replace(b"and never coffee", b"and no milk")
    assert change.stamp_ids(data, {key: "abc123"}, path=PATH) == data.replace(
        b"(2025-11-21)", b"(2025-11-21) ^abc123"
    )
    superseded = change.supersede_fact(
        data, "k3v9qa", LINE, change.Gone(TODAY, "new111"), path=PATH
    )
    assert superseded.endswith(b"Met in 2025." + data.partition(b"Met in 2025.")[2])
    assert superseded.startswith(data.partition(b"- Lives")[0])
    assert not superseded.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(
        b"\n\n\n"
    ) or data.endswith(b"\n\n\n")


def test_supersede_keeps_the_old_line_under_a_history_that_it_makes() -> None:
    data = change.supersede_fact(
        JOE.encode(), "k3v9qa", LINE, change.Gone(TODAY, "new111"), path=PATH
    )
    old = "- ~~Lives in Los Angeles~~ (2026-02-01 → 2026-02-10, superseded by ^new111) ^k3v9qa"
    assert data.decode() == JOE.replace(
        "- Lives in Los Angeles (2026-02-01) ^k3v9qa", LINE
    ).replace("## Notes", f"## History\n{old}\n\n## Notes")
    assert [fact.status for fact in facts(data)] == [
        "active",
        "active",
        "active",
        "active",
        "superseded",
    ]


def test_what_is_superseded_keeps_its_type_and_its_nested_lines_stay() -> None:
    key = of(JOE.encode(), "tea").key
    line = fact_text.compose_fact_line("Drinks mate", date=TODAY, id="mate01")
    data = change.supersede_fact(
        JOE.encode(), key, line, change.Gone(TODAY, "mate01", "tea001"), path=PATH
    )
    assert (
        "- Drinks mate (2026-02-10) ^mate01\n  - and never coffee (2025-11-21)\n" in data.decode()
    )
    assert of(data, "Drinks tea").type == "preference"
    assert of(data, "Drinks tea").id == "tea001"
    text = "# Joe\n\n## Preferences\n\n* Tea ^tea001\n\n## History\n"
    data = change.supersede_fact(
        text.encode(), "tea001", line, change.Gone(TODAY, "mate01"), path=PATH
    )
    assert data.decode() == (
        "# Joe\n\n## Preferences\n\n* Drinks mate (2026-02-10) ^mate01\n\n## History\n\n"
        "- ~~Tea~~ (→ 2026-02-10, preference, superseded by ^mate01) ^tea001\n"
    )


def test_a_wrapped_line_becomes_one_line() -> None:
    data = change.reword_fact(JOE.encode(), "p7x2mn", "Works at [[companies/initech]]", path=PATH)
    old = "- Works at a company that is\n  called [[companies/techcorp]] (2026-01-15, milestone)\n  ^p7x2mn\n"
    new = "- Works at [[companies/initech]] (2026-01-15, milestone) ^p7x2mn\n"
    assert data.decode() == JOE.replace(old, new)


def test_a_daily_note_is_only_added_to() -> None:
    text = "# 2026-02-01\n\n- Joe lives in Rome ^rome01\n- Tea\n"
    path = "memory/2026-02-01.md"
    data = change.supersede_fact(
        text.encode(), "rome01", LINE, change.Gone(TODAY, "new111"), path=path
    )
    old = "- ~~Joe lives in Rome~~ (2026-02-01 → 2026-02-10, superseded by ^new111) ^rome01"
    assert data.decode() == f"# 2026-02-01\n\n{old}\n{LINE}\n- Tea\n"
    assert change.add_fact(text.encode(), LINE, "", path=path).decode() == text + LINE + "\n"
    struck = change.strike_fact(text.encode(), "rome01", change.Gone(TODAY, "new111"), path=path)
    assert struck.decode() == f"# 2026-02-01\n\n{old}\n- Tea\n"


def test_a_note_without_headings_stays_without() -> None:
    text = "# Joe\n\n- Lives in Rome\n- Tea"
    data = text.encode()
    assert (
        change.add_fact(data, LINE, "", path=PATH).decode()
        == f"# Joe\n\n- Lives in Rome\n- Tea\n{LINE}\n"
    )
    with pytest.raises(UsageError, match="make other lines of the note be read differently"):
        change.add_fact(data, LINE, "Facts", path=PATH)
    data = change.supersede_fact(
        data, of(data, "Rome").key, LINE, change.Gone(TODAY, "new111", "rome01"), path=PATH
    )
    old = "- ~~Lives in Rome~~ (→ 2026-02-10, superseded by ^new111) ^rome01"
    assert data.decode() == f"# Joe\n\n{old}\n{LINE}\n- Tea"


def test_strike_moves_a_line_whose_successor_stands_elsewhere() -> None:
    data = change.strike_fact(JOE.encode(), "p7x2mn", change.Gone(TODAY, "new111"), path=PATH)
    old = (
        "- ~~Works at a company that is called [[companies/techcorp]]~~"
        " (2026-01-15 → 2026-02-10, milestone, superseded by ^new111) ^p7x2mn"
    )
    assert data.decode() == JOE.replace(
        "- Works at a company that is\n  called [[companies/techcorp]] (2026-01-15, milestone)\n  ^p7x2mn\n",
        "",
    ).replace("## Notes", f"## History\n{old}\n\n## Notes")


def test_what_is_appended_after_a_fact_was_superseded_counts_as_true() -> None:
    note = b"# Kitchen\n\n## Summary\n\n## Facts\n\n- Lo paints (2026-01-15) ^lo0001\n"
    data = change.supersede_fact(
        note,
        "lo0001",
        "- Mo paints (2026-02-10) ^mo0001",
        change.Gone(TODAY, "mo0001"),
        path="projects/kitchen.md",
    )
    made = parse("projects/kitchen.md", data + b"- Fridge is ordered (2020-01-01)\n- No date\n")
    assert [fact.text for fact in made.facts if fact.status == "active"] == [
        "Mo paints",
        "Fridge is ordered",
        "No date",
    ]


def test_a_newer_fact_does_not_make_a_line_past_that_was_appended_below_history() -> None:
    head, history = (
        "# Joe\n\n## Facts\n\n- Lives in LA (2025-03-01)",
        "## History\n\n- ~~Ate meat~~ (2020-01-01 → 2025-01-01)",
    )
    line, new = "- Likes tea (2026-01-05)", "- Likes mate (2026-02-10) ^mate01"
    data = change.add_fact(
        f"{head}\n\n{history}\n{line}\n".encode(), new, "Facts", path="people/joe.md"
    )
    assert data.decode() == f"{head}\n{line}\n{new}\n\n{history}\n"


def test_a_fact_that_is_moved_to_history_keeps_the_type_its_heading_gave_it() -> None:
    note = b"# Boat\n\n## Decisions\n- Paint the hull red (2026-01-15) ^hull01\n- Sail in May (2026-01-16) ^sail01\n"
    data = change.strike_fact(note, "hull01", change.Gone(TODAY, "new111"), path="projects/boat.md")
    line = "- ~~Paint the hull red~~ (2026-01-15 \u2192 2026-02-10, decision, superseded by ^new111) ^hull01"
    assert f"## History\n{line}\n" in data.decode()
    struck = next(fact for fact in parse("projects/boat.md", data).facts if fact.id == "hull01")
    assert (struck.type, struck.status) == ("decision", "superseded")


def test_remove_hands_the_item_over_whole() -> None:
    data, item = change.remove_fact(JOE.encode(), of(JOE.encode(), "tea").key, path=PATH)
    assert item == "- Drinks tea (2025-11-20, preference)\n  - and never coffee (2025-11-21)"
    assert data.decode() == JOE.replace(item + "\n", "")
    back = change.add_fact(data, item, "Facts", path=PATH)
    assert change.sign_facts(facts(back)) == change.sign_facts(facts(JOE.encode()))


@pytest.mark.parametrize(
    ("text", "heading", "after"),
    [
        ("# A\n\n## Facts\n", "Facts", "# A\n\n## Facts\n\n{}\n"),
        ("# A\n\n## Facts\n\n## Notes\n", "Facts", "# A\n\n## Facts\n\n{}\n\n## Notes\n"),
        ("# A\n## Facts\n- a\n## Notes\n", "Facts", "# A\n## Facts\n- a\n{}\n## Notes\n"),
        ("# A\n\n## Facts\n\n1. a\n2. b\n", "Facts", "# A\n\n## Facts\n\n1. a\n2. b\n3. {}\n"),
        ("# A\n\n## Facts\n\n*   a\n", "Facts", "# A\n\n## Facts\n\n*   a\n*   {}\n"),
        ("# A\n\n## Facts\n\n- a\n\n- b\n", "Facts", "# A\n\n## Facts\n\n- a\n\n- b\n\n{}\n"),
        (
            "# A\n\n## Facts\n\n<!-- say it -->\n",
            "Facts",
            "# A\n\n## Facts\n\n<!-- say it -->\n\n{}\n",
        ),
        (
            "# A\n\n## Summary\nx\n\n## Notes\ny\n",
            "Facts",
            "# A\n\n## Summary\nx\n\n## Facts\n{}\n\n## Notes\ny\n",
        ),
        ("# A\n\nText.\n", "Facts", "# A\n\nText.\n\n## Facts\n\n{}\n"),
        ("", "Facts", "## Facts\n\n{}\n"),
        ("# A\n", "Facts", "# A\n\n## Facts\n\n{}\n"),
        ("---\ntype: person\n---\n", "Facts", "---\ntype: person\n---\n\n## Facts\n\n{}\n"),
        ("Facts\n-----\n- a\n", "facts", "Facts\n-----\n- a\n{}\n"),
    ],
)
def test_where_a_line_goes(text: str, heading: str, after: str) -> None:
    words = (
        LINE
        if after.partition("{}")[0][-2:-1] in {"", "\n"} or after.partition("{}")[0].endswith("\n")
        else LINE[2:]
    )
    assert change.add_fact(
        text.encode(), LINE, heading, path="resources/a.md"
    ).decode() == after.format(words)


def test_what_cannot_be_changed_is_refused() -> None:
    for data, why in [
        (b"# Joe\n\n## Facts\n- caf\xe9\n", "UTF-8"),
        ("# Joe\n\n## Facts\n- a\n".encode("utf-16"), "UTF-8"),
        (b"## Facts\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n", "merge conflict"),
        (b"# Joe\n\n## Facts\n```\n- a\n", "would not be read"),
        (b"# Joe\n" + b"x" * (2 << 20), "2 MiB"),
    ]:
        with pytest.raises(UsageError, match=why):
            change.add_fact(data, LINE, "Facts", path=PATH)
    with pytest.raises(NoteNotFoundError, match="no fact"):
        change.reword_fact(JOE.encode(), "nothere", "x", path=PATH)
    with pytest.raises(UsageError, match="would not be read"):
        change.add_fact(JOE.encode(), "- TODO buy milk", "Facts", path=PATH)
    gone = change.supersede_fact(
        JOE.encode(), "k3v9qa", LINE, change.Gone(TODAY, "new111"), path=PATH
    )
    with pytest.raises(UsageError, match="was already replaced by \\^new111"):
        change.supersede_fact(gone, "k3v9qa", LINE, change.Gone(TODAY, "new222"), path=PATH)


def test_a_second_line_with_the_same_id_gets_its_own() -> None:
    text = "## Facts\n- Tea ^k3v9qa\n- Rum ^k3v9qa \n"
    data = change.stamp_ids(text.encode(), {of(text.encode(), "Rum").key: "abc123"}, path=PATH)
    assert data.decode() == "## Facts\n- Tea ^k3v9qa\n- Rum ^abc123 \n"


def test_a_note_that_is_one_fact_can_be_reworded() -> None:
    text = "---\ncategory: preference\ncreated_at: 2026-01-02\n---\n\nLikes tea.\n"
    key = of(text.encode(), "tea").key
    assert change.reword_fact(text.encode(), key, "Likes rum.", path=PATH).decode() == text.replace(
        "tea", "rum"
    )
    assert b"Likes tea. ^abc123\n" in change.stamp_ids(text.encode(), {key: "abc123"}, path=PATH)
    with pytest.raises(UsageError, match="the whole note is this fact"):
        change.remove_fact(text.encode(), key, path=PATH)
    with pytest.raises(UsageError, match="the whole note is this fact"):
        change.strike_fact(text.encode(), key, change.Gone(TODAY, "b"), path=PATH)


def test_a_fact_and_one_that_is_nested_in_it_are_not_taken_out_at_once() -> None:
    data = b"# Joe\n\n## Facts\n- Likes tea ^tea001\n  - green ^gre001\n- Rum ^rum001\n"
    with pytest.raises(UsageError, match=r"people/joe\.md:4 holds another fact"):
        change.remove_all(data, ["gre001", "tea001"], path=PATH)
    left, items = change.remove_all(data, ["rum001", "tea001"], path=PATH)
    assert left == b"# Joe\n\n## Facts\n"
    assert items == {"rum001": "- Rum ^rum001", "tea001": "- Likes tea ^tea001\n  - green ^gre001"}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("---\nupdated: 2026-02-01\n---\n", "---\nupdated: 2026-02-10\n---\n"),
        (
            '---\nlast_updated:  "2026-02-01" # by me\n---\n',
            '---\nlast_updated:  "2026-02-10" # by me\n---\n',
        ),
        (
            "# J\n\n**Type:** X\n**Last Updated:** 2026-02-01\n",
            "# J\n\n**Type:** X\n**Last Updated:** 2026-02-10\n",
        ),
        ("---\nupdated: 2026-03-01\n---\n", None),
        ("---\nupdated: 2026-02-01T10:00:00\n---\n", None),
        ("---\ncreated: 2026-02-01\n---\n", None),
        ("updated: 2026-02-01\n", None),
        ("---\nupdated: 2026-02-01\n---\n## Facts\n- Tea\n", None),  # Tea is dated by it
        (
            "---\nupdated: 2026-02-01\n---\n## Facts\n- Tea (2026-01-01)\n## Relationships\n- [[people/ann]] - Sister\n",
            "---\nupdated: 2026-02-10\n---\n## Facts\n- Tea (2026-01-01)\n## Relationships\n- [[people/ann]] - Sister\n",
        ),
        (
            "---\ncreated: 2026-01-01\nupdated: 2026-02-01\n---\n## Facts\n- Tea\n",
            "---\ncreated: 2026-01-01\nupdated: 2026-02-10\n---\n## Facts\n- Tea\n",
        ),
    ],
)
def test_the_day_of_the_last_update(text: str, after: str | None) -> None:
    made = change.add_fact(text.encode(), "- Rum (2026-01-09)", "Facts", path=PATH, day=TODAY)
    assert made == change.add_fact(
        (text if after is None else after).encode(), "- Rum (2026-01-09)", "Facts", path=PATH
    )


def test_a_note_with_underlined_headings_and_no_empty_lines_gets_none() -> None:
    text = "Joe\n===\nA friend.\nNotes\n-----\nMet in 2025.\n"
    made = change.add_fact(text.encode(), "- Rum (2026-01-09)", "Facts", path=PATH)
    assert b"## Facts\n- Rum (2026-01-09)\n" in made
    airy = change.add_fact(
        text.replace("=\n", "=\n\n").replace("-\n", "-\n\n").encode(), "- Rum", "Facts", path="a.md"
    )
    assert b"## Facts\n\n- Rum\n" in airy


# Whatever the note is

_WORDS = (
    "tea",
    "Joe",
    "lives in Rome",
    "[[a|b]]",
    "`x`",
    "#tag",
    "(the good one)",
    "因此",
    "~5 km",
    "a\\*b",
)
_LINES = (
    "```",
    "~~~",
    "<div>",
    "> quoted",
    "| a | b |",
    "---",
    "===",
    "    code",
    "[x]: y",
    "",
    "",
    "",
    "text",
    "**b**",
    "<!-- c -->",
    "  id:: 1",
    "\tTab",
    "- [ ] do it",
    "* * *",
    "-",
    "1.",
    "text  ",
    "\\",
)


def some_note(r: random.Random) -> bytes:
    lines: list[str] = []
    if r.random() < 0.4:
        front = [
            "type: person  # x",
            "tags: [a, 'b']",
            "updated: 2026-01-05",
            "k: &a 1",
            'q: "2"',
            "date: 2026-01-01",
        ]
        lines += ["---", *r.sample(front, r.randint(0, 5)), "---"]
    for _ in range(r.randint(1, 5)):
        heads = (
            "# Joe",
            "## Facts",
            "## Preferences",
            "## History",
            "## Notes",
            "## Summary",
            "### Facts",
            "## Tasks",
        )
        lines += [r.choice(heads)] + [""] * r.randint(0, 1)
        for _ in range(r.randint(0, 5)):
            text = r.choice(["", "", "  ", "    ", "> "]) + r.choice(
                ["- ", "- ", "- ", "* ", "1. ", "- - ", "-\t"]
            )
            text += " ".join(r.choices(_WORDS, k=r.randint(1, 3)))
            text += r.choice(
                [
                    "",
                    " (2026-01-02)",
                    " (2026-01-02, plan)",
                    "\n  wrapped",
                    "\n\n  more",
                    "\n```\ncode\n```",
                ]
            )
            text += r.choice(["", "", f" ^id{r.randint(0, 5)}", " ~~x~~", "  "])
            lines += text.split("\n")
            lines += [r.choice(_LINES)] if r.random() < 0.3 else []
    data = "\n".join(lines).encode()
    mangle: Callable[[bytes], bytes] = r.choice(
        [
            lambda one: one + b"\n",
            bytes,
            lambda one: one.replace(b"\n", b"\r\n"),
            lambda one: b"\xef\xbb\xbf" + one,
        ]
    )
    return mangle(data)


def lost(old: bytes, new: bytes) -> int:
    """How many lines with text of the old bytes are not in the new ones, in their order and with their ends."""
    old, new = old.removeprefix(b"\xef\xbb\xbf"), new.removeprefix(b"\xef\xbb\xbf")
    before, after = (
        data.removesuffix(b"\n").removesuffix(b"\r").splitlines(keepends=True)
        for data in (old, new)
    )
    before[-1:] = [
        line.rstrip(b"\r\n") for line in before[-1:]
    ]  # a last line may get an end, or lose it
    matcher = difflib.SequenceMatcher(
        None, [line.rstrip() for line in before], [line.rstrip() for line in after], False
    )
    same = {
        at for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)
    }
    return sum(bool(line.strip()) for at, line in enumerate(before) if at not in same)


def test_a_change_changes_what_it_names_and_nothing_else() -> None:
    r = random.Random(11)
    done: Counter[str] = Counter()
    for _ in range(daily(400, 900)):
        data = some_note(r)
        path = r.choice([PATH, "memory/2026-02-01.md", "MEMORY.md", "x.md"])
        before = facts(data, path)
        eols = {b"\r\n" in data, b"\n" in data.replace(b"\r\n", b"")}
        if not before:
            continue
        before_fact = r.choice(before)
        key = before_fact.key
        verb = r.choice(["add", "update", "supersede", "strike", "stamp", "remove"])
        try:
            new = act(verb, data, key, path, r)
        except AureliusError:
            continue
        done[verb] += 1
        after = facts(new, path)
        gone = change.sign_facts(before) - change.sign_facts(after)
        assert gone.total() <= {"add": 0, "remove": 9}.get(verb, 1), (verb, data, new)
        assert (
            len(after) == len(before) + {"add": 1, "supersede": 1}.get(verb, 0) or verb == "remove"
        ), (verb, data)
        named = 0 if verb == "add" else before_fact.last - before_fact.first + 1
        moved = sum(fact.status == "active" and "History" in fact.heading for fact in before)
        assert verb == "remove" or lost(data, new) <= named + moved, (verb, data, new)
        assert new.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
        if len(eols) == 2 or b"\n" not in data:
            continue
        assert (b"\r\n" in new) == (b"\r\n" in data)
        assert new.endswith((b"\n", b"\r")) == data.endswith((b"\n", b"\r")), (verb, data, new)
    assert min(done.values()) > daily(11, 25)
    assert len(done) == 6


def act(verb: str, data: bytes, key: str, path: str, r: random.Random) -> bytes:
    if verb == "add":
        return change.add_fact(
            data, LINE, r.choice(["Facts", "", "Preferences", "Plans"]), path=path
        )
    if verb == "update":
        return change.reword_fact(data, key, "other words", path=path, id="own111")
    if verb == "supersede":
        return change.supersede_fact(
            data, key, LINE, change.Gone(TODAY, "new111", "own111"), path=path
        )
    if verb == "strike":
        return change.strike_fact(data, key, change.Gone(TODAY, "new111", "own111"), path=path)
    if verb == "stamp":
        return change.stamp_ids(data, {key: "own111"}, path=path)
    new, item = change.remove_fact(data, key, path=path)
    assert len(facts(new, path)) < len(facts(data, path))
    assert item.strip()
    return new


@pytest.mark.parametrize("words", ["Allergic", "hazelnuts", "Ran ten", "Moves in"])
def test_a_fact_under_any_heading_is_written_like_one_under_facts(words: str) -> None:
    for data in shapes(ANYWHERE):
        old = of(data, words)
        others = {fact.text for fact in facts(data)} - {old.text}
        stamped = change.stamp_ids(data, {old.key: "own111"}, path=PATH)
        new_line = fact_text.compose_fact_line("Something new", date=TODAY, id="new111")
        for made in (
            change.reword_fact(stamped, "own111", "Other words", path=PATH),
            change.supersede_fact(
                stamped, "own111", new_line, change.Gone(TODAY, "new111"), path=PATH
            ),
            change.strike_fact(stamped, "own111", change.Gone(TODAY, "new111"), path=PATH),
            change.add_fact(stamped, new_line, "Facts", path=PATH),
        ):
            found = {fact.id: fact for fact in facts(made)}
            now = found["own111"]
            assert others <= {fact.text for fact in facts(made)}
            assert (now.type, now.milestone, now.unknown) == (old.type, old.milestone, old.unknown)
            assert all(item.encode() in made for item in old.unknown)
            assert {b"bring flowers", b"undated"} <= {
                line.strip(b"-* \r") for line in made.splitlines()
            }
        if "Allergic" not in words:  # another fact is nested in that one
            rest, item = change.remove_fact(stamped, "own111", path=PATH)
            assert {fact.text for fact in facts(rest)} == others
            assert old.text in item
