"""add, update and supersede as plans: which words are a change of the world, what is refused, what the log is told."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.api import pin
from aurelius.plans.facts import Wish, _words, differs
from aurelius.vault import Vault
from indexer.errors import UsageError

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


@pytest.mark.parametrize(
    ("old", "new", "is_told"),
    [
        ("Lives in Rome", "Lives in the centre of Rome", False),
        ("Charges 38 euros", "Asks 38 euros", False),
        ("Charges 38 euros", "Charges 41 euros", True),
        ("Dinner is at Lupo", "Dinner on 20 May is at Lupo", True),
        ("Starts on 2026-02-01", "Starts on 2026-02-03", True),
        ("Works at Initech", "Works at Hooli", True),
        ("Works there", "Works for Echo and Park", True),
        ("Works for Echo and Park", "Works for Echo", True),
        ("Charges 38 euros", "Charges 38 euros, 38 in summer", True),
        ("Works at [[companies/initech]]", "Works at [[companies/hooli]]", True),
        ("Eats meat", "Does not eat meat", True),
    ],
)
def test_an_update_that_says_something_else_is_told(old: str, new: str, *, is_told: bool) -> None:
    assert differs(old, new) == is_told


def events(root: Path) -> list[tuple[str, str, str]]:
    lines = [
        line
        for path in sorted((root / ".aurelius" / "log").rglob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    return [
        (each["op"], each["ref"], each.get("to", ""))
        for each in map(json.loads, lines)
        if each["op"] != "use"
    ]


def test_the_log_learns_the_new_name_of_a_fact_that_was_bare(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("sample")
    found = json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
    old = next(each["id"] for each in found if each["text"].startswith("Works from Brno"))
    done = json.loads(
        aurelius("update", old, "Works from Brno, an hour ahead", "--json", cwd=root).out
    )
    assert done["id"] != old
    assert events(root) == [("alias", old, done["id"]), ("update", done["id"], "")]
    again = aurelius(
        "supersede", old, "Works from Olomouc", "--json", cwd=root
    )  # by the name it had when it was bare
    assert again.code == 0, again.err
    assert json.loads(again.out)["superseded"]["id"] == done["id"]


@pytest.mark.parametrize(
    "line", ["- Plays **Go** (2026-01-02) ^pla001", "- Plays **Go** (2026-01-02)", "- Plays **Go**"]
)
def test_an_update_with_the_same_words_writes_nothing_and_says_so(
    line: str, aurelius: Aurelius, tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    note = tmp_path / "joe.md"
    note.write_text(f"# Joe\n\n## Facts\n\n{line}\n")
    key = json.loads(aurelius("export", "--json", cwd=tmp_path).out)["facts"][0]["id"]
    before = note.read_bytes()
    for more in ((), ("--dry-run",), ("--json",)):
        done = aurelius("update", key, "Plays **Go**", *more, cwd=tmp_path)
        assert (done.code, "aurelius: no change: the fact already says that\n" in done.err) == (
            0,
            True,
        ), done.err
        assert note.read_bytes() == before
    assert json.loads(done.out)["id"] == key
    assert not (tmp_path / ".aurelius" / "log").exists()
    assert aurelius("update", key, "Plays Go", cwd=tmp_path).code == 0
    assert "- Plays Go" in note.read_text(), "the emphasis is a change"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("Tagged line two", "- Tagged line two #alpha #beta (2026-01-02) ^pla001"),
        ("Tagged line two #gamma", "- Tagged line two #gamma (2026-01-02) ^pla001"),
    ],
)
def test_an_update_keeps_the_tags_unless_it_brings_others(
    words: str, line: str, aurelius: Aurelius, tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    note = tmp_path / "joe.md"
    note.write_text("# Joe\n\n## Facts\n\n- Tagged line one #alpha #beta (2026-01-02) ^pla001\n")
    assert aurelius("update", "pla001", words, cwd=tmp_path).code == 0
    assert line in note.read_text().splitlines()


@pytest.mark.parametrize(
    "text",
    [
        "Train 14:05 - 16:20 to York",
        "Score 3 - 1",
        "a * b = c",
        "x + y",
        "2026 - a year",
        "a -- b",
        "-- x",
        "Ring the bell - twice",
        "<!-- hidden -->",
        "<b>so</b> - and so",
        "<https://a.b> - so",
        "1. one - two",
    ],
)
def test_a_fact_says_what_was_typed(text: str, aurelius: Aurelius, tmp_path: Path) -> None:
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "people").mkdir()
    note = tmp_path / "people" / "joe.md"

    def facts() -> list[str]:
        return [
            each["text"]
            for each in json.loads(aurelius("export", "--json", cwd=tmp_path).out)["facts"]
        ]

    for argv in (["add", "joe", text], ["update", "pla001", text], ["supersede", "pla001", text]):
        note.write_text("# Joe\n\n## Facts\n\n- Plays Go (2026-01-02) ^pla001\n")
        done = aurelius(*argv, cwd=tmp_path)
        assert done.code == 0, done.err
        assert text in facts(), argv
        assert text in note.read_text().replace("\\", "")


def test_a_fact_is_not_replaced_by_itself(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Rows (2026-01-01) ^rows01\n")
    before = (root / "joe.md").read_bytes()
    done = aurelius("supersede", "rows01", "Rows", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert '"Rows" is what the fact says already' in done.err
    assert (root / "joe.md").read_bytes() == before
    assert aurelius("supersede", "rows01", "Rows", "--date", "2026-02-01", cwd=root).code == 0, (
        "since another day"
    )


def test_what_is_superseded_hands_down_what_it_was(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    aurelius(
        "add",
        "Ruth Adler",
        "Wants letters, not calls",
        "--type",
        "preference",
        "--pin",
        "--importance",
        "0.8",
        cwd=root,
    )
    old = json.loads(aurelius("search", "letters not calls", "--json", "-n", "1", cwd=root).out)[
        "hits"
    ][0]["id"]
    new = json.loads(aurelius("supersede", old, "Wants calls, not letters", "--json", cwd=root).out)
    line = aurelius("get", f"^{new['id']}", cwd=root).out
    assert "(2026-02-10, preference, pinned, importance 0.8)" in line
    assert new["superseded"]["type"] == "preference"


def test_a_milestone_stays_one_when_it_is_superseded_but_not_as_an_event(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("sample")
    made = json.loads(
        aurelius(
            "add", "Ruth Adler", "Leads the harbour (2025-01-15, milestone)", "--json", cwd=root
        ).out
    )
    new = json.loads(aurelius("supersede", made["id"], "Leads the ferries", "--json", cwd=root).out)
    assert "(2026-02-10, milestone)" in aurelius("get", f"^{new['id']}", cwd=root).out
    last = json.loads(
        aurelius(
            "supersede", new["id"], "Left the ferries", "--type", "event", "--json", cwd=root
        ).out
    )
    assert "milestone" not in aurelius("get", f"^{last['id']}", cwd=root).out


def test_private_notes_are_written_to_only_where_that_is_said(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("private")
    before = (root / "diary.md").read_bytes()
    assert aurelius("add", "diary", "Slept badly", cwd=root).code == 5
    assert (root / "diary.md").read_bytes() == before
    assert aurelius("add", "diary", "Slept badly", "--private", cwd=root).code == 0
    assert b"Slept badly" in (root / "diary.md").read_bytes()


def test_who_the_person_is_changes_only_by_their_word(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    assert aurelius("add", "me", "Likes tea", cwd=root).code == 2
    assert aurelius("add", "me", "Likes tea", "--force", cwd=root).code == 0


def test_a_proposal_is_not_superseded(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    facts = json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
    key = next(each["id"] for each in facts if each["status"] == "proposed")
    done = aurelius("supersede", key, "Something else", cwd=root)
    assert (done.code, "is a proposal that is not decided yet" in done.err) == (2, True)


def test_two_notes_with_the_same_id_are_asked_about(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    (root / "people" / "copy.md").write_text("# Copy\n\n## Facts\n- Lives far away ^lin41g\n")
    done = aurelius("supersede", "lin41g", "Lives here", cwd=root)
    assert done.code == 5
    assert "is used in 2 notes" in done.err
    assert aurelius("supersede", "copy#^lin41g", "Lives here", cwd=root).code == 0
    assert aurelius("doctor", "--tidy", cwd=root).code == 0
    assert "duplicate-id" not in aurelius("doctor", cwd=root).out


def test_a_fact_says_where_it_is_from_and_why(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    argv = (
        "add",
        "Ruth Adler",
        "Moved the boat",
        "--from",
        "boat-restoration",
        "--because",
        "lin41g",
        "--json",
    )
    new = json.loads(aurelius(*argv, cwd=root).out)
    assert (
        aurelius("get", f"^{new['id']}", cwd=root)
        .out.strip()
        .endswith(f"(2026-02-10, from [[projects/boat-restoration]], because ^lin41g) ^{new['id']}")
    )
    assert aurelius("doctor", cwd=root).code == 0


def test_a_fact_that_was_just_corrected_is_alive_and_in_the_summary_of_the_day(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    note = root / "people/ada.md"
    note.write_text(
        "# Ada\n\n## Summary\n\n## Facts\n\n- Phone is 555-01 (2020-01-01) ^pho001\n- Likes tea (2020-01-01)\n"
    )
    assert (
        json.loads(aurelius("status", "--tiers", "ada", "--json", cwd=root).out)["facts"][0]["tier"]
        == "cold"
    )
    assert aurelius("update", "^pho001", "Phone is 555-02", cwd=root).code == 0
    told = json.loads(aurelius("status", "--tiers", "ada", "--json", cwd=root).out)["facts"][0]
    assert (told["tier"], told["lastAccessed"], told["accessCount"]) == ("hot", "2026-02-10", 1)
    assert aurelius("summarize", "ada", cwd=root).code == 0
    assert "## Summary\n\nPhone is 555-02." in note.read_text()


@pytest.mark.parametrize(("old", "by"), [("sco075", "sco080"), ("sco080", "sco090")])
@pytest.mark.parametrize(
    "command", [("add", "resources/rules", "Score is 95", "--updates"), ("supersede",)]
)
def test_nothing_takes_the_place_of_a_past_fact_and_the_current_one_is_named(
    command: tuple[str, ...], old: str, by: str, aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "resources").mkdir()
    note = root / "resources/rules.md"
    note.write_text(
        "# Scores\n\n## Facts\n\n- Score is 90 (2026-01-05, updates ^sco080) ^sco090\n\n## History\n\n"
        "- ~~Score is 75~~ (2025-01-01 → 2025-06-01, superseded by ^sco080) ^sco075\n"
        "- Score is 80 (2025-06-01) ^sco080\n"
    )
    before = note.read_text()
    done = aurelius(
        *command, f"^{old}", *(["Score is 95"] if command == ("supersede",) else []), cwd=root
    )
    assert (done.code, note.read_text()) == (2, before)
    assert f"was already replaced by ^{by}\n" in done.err
    assert "hint: the current fact is ^sco090: name that one instead\n" in done.err


@pytest.mark.parametrize(
    ("there", "typed"),
    [
        ("Allergic to shellfish", "Joe is allergic to shellfish"),
        ("Joe Bloggs is allergic to shellfish", "allergic to shellfish"),
        ("Allergic to shellfish", "Allergic to **shellfish**"),
    ],
)
def test_what_a_note_says_already_is_not_written_again_with_or_without_the_name(
    aurelius: Aurelius, vault: Vaults, there: str, typed: str
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    note = root / "people/joe.md"
    note.write_text(f"# Joe Bloggs\n\n## Facts\n\n- {there} (2026-01-05)\n")
    before = note.read_text()
    done = aurelius("add", "joe", typed, cwd=root)
    assert (done.code, note.read_text()) == (0, before)
    assert f"this fact is already there: people/joe.md:5  {there}" in done.err
    assert aurelius("add", "joe", "Ann is allergic to shellfish", cwd=root).code == 0
    assert note.read_text() != before


@pytest.mark.parametrize("tag", ["c++", "~~x~~", '"', "x.y", "2026", "`x`", "two words", "x/", ""])
def test_a_tag_that_would_not_be_read_back_is_refused(tag: str) -> None:
    with pytest.raises(UsageError) as caught:
        _words("Likes tea", Wish(tags=(tag,)))
    assert caught.value.message == f"{tag!r} would not be read as a tag"
    assert "letters" in caught.value.hint


@pytest.mark.parametrize("tag", ["work", "#work/urgent", "\N{LEMON}", "über", "2026-w1", "a_b"])
def test_a_tag_that_is_one_is_written(tag: str) -> None:
    assert _words("Likes tea", Wish(tags=(tag,))) == f"Likes tea #{tag.removeprefix('#')}"


PINS = [
    ("- Plays chess", "- Plays chess (2026-02-01, pinned)"),
    ("- Plays chess ^joe002", "- Plays chess (2026-02-01, pinned) ^joe002"),
    (
        "- Lives in Lisbon (2026-01-05, status) ^joe001",
        "- Lives in Lisbon (2026-01-05, status, pinned) ^joe001",
    ),
    (
        "1. [preference] Tea (2026-01-05, from [[a]], because ^joe009)",
        "1. [preference] Tea (2026-01-05, from [[a]], because ^joe009, pinned)",
    ),
]


@pytest.mark.parametrize(("line", "pinned"), PINS)
def test_a_fact_is_pinned_and_unpinned_in_its_line_alone(
    line: str, pinned: str, tmp_path: Path
) -> None:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    note = root / "people" / "joe.md"
    note.parent.mkdir()
    before = f"# Joe\r\n\r\n## Facts\r\n\r\n{line}\r\n- Owns a boat\r\n"
    note.write_bytes(before.encode())
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    now = datetime.datetime(2026, 2, 1, 12)
    with Vault.find(str(root), env, str(root), now=now) as vault:
        key = vault.note("people/joe.md").facts[0].key
        done = pin(vault, key)
        assert done.path == "people/joe.md"
        assert note.read_bytes().decode() == before.replace(line, pinned)
        assert ("the line gets the date" in " ".join(done.notices)) == ("2026" not in line)
        vault.refresh()
        assert vault.note("people/joe.md").facts[0].pinned
        assert not pin(vault, key).edits
        pin(vault, key, pinned=False)
        vault.refresh()
        left = vault.note("people/joe.md").facts[0]
        assert (left.key, left.pinned) == (key, False)
    if "2026" in line:
        assert note.read_bytes().decode() == before


def test_what_no_longer_holds_is_not_pinned(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "joe.md").write_text("# Joe\n\n## History\n\n- ~~Plays chess (2026-01-01)~~ ^joe002\n")
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    now = datetime.datetime(2026, 2, 1, 12)
    with (
        Vault.find(str(root), env, str(root), now=now) as vault,
        pytest.raises(UsageError, match="superseded"),
    ):
        pin(vault, "joe002")
