"""Actions of the pages on real files: shown, agreed to, refused, taken back."""

from __future__ import annotations

import datetime
import html
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from aurelius.ageing.summarize import SummaryWish
from aurelius.api import summarize
from aurelius.vault import Vault
from aurelius.web.actions import ACTIONS
from aurelius.web.diffs import diff_lines, diff_parts
from aurelius.writing.check_edit import Edit
from tests.conftest import TODAY
from tests.pages import PageResponse, Pages, served

JOE = """# Joe Bloggs

## Facts

- Lives in Lisbon (2026-01-05, status) ^joe001
- Plays chess (2026-01-02, pinned) ^joe002
- Owns a boat

- [ ] Call Joe about the boat
- [ ] Send the papers
"""
SAM = """---
private: true
---
# Sam

- Hidden words (2026-01-05) ^sam001

- [ ] Hidden task
"""
FILES = {
    "people/joe.md": JOE,
    "people/sam.md": SAM,
    "projects/boat.md": "# Boat\r\n\r\n- Sold by [[people/joe|Joe]]\r\n- See [[joe#Facts]]\r\n",
    "memory/2026-01-05.md": "# 2026-01-05\n\n- Met [[Joe Bloggs]]\n",
    "ME.md": "# Me\n\n## Facts\n\n- Likes tea (2026-01-02) ^me0001\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(tmp_path)} | {
        f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in names
    }


@pytest.fixture
def pages(root: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(root, env, now=TODAY) as found:
        yield found


def notes(root: Path) -> dict[str, bytes]:
    """Every note of the vault, by its path."""
    found = sorted(root.rglob("*.md"))
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def send(pages: Pages, action: str, back: str = "/memory", **fields: str) -> PageResponse:
    """Send a form of an action as a page of this session has it."""
    from aurelius.web.session import form_token

    key = next(iter(pages.host.sessions._keys.values()))
    own = {"token": form_token(key, f"/do/{action}"), "back": back}
    return pages.post(f"/do/{action}", own | fields)


def agreed(pages: Pages, shown: PageResponse, action: str) -> PageResponse:
    """Agree to what a page shows that would change."""
    assert shown.status == 200, shown.words
    forms = shown.text.partition('class="agree"')[2]
    form = PageResponse(200, {}, f'<form method="post" action="/do/{action}"{forms}').form(action)
    assert form["seen"]
    return pages.post(f"/do/{action}", form)


def undone(pages: Pages, made: PageResponse) -> PageResponse:
    """Press the button that takes back what was done."""
    told = pages.get(made.headers["location"])
    return pages.post("/do/undo", told.form("undo"))


J = "people/joe.md"
CHANGES: dict[str, tuple[str, dict[str, str], dict[str, Callable[[str], str]]]] = {
    "supersede": (
        "supersede",
        {"fact": "joe001", "text": "Lives in Porto", "date": "2026-01-09", "because": "a new job"},
        {},
    ),
    "correct": (
        "correct",
        {"fact": "joe001", "text": "Lives in Porto"},
        {},
    ),
    "reword": (
        "reword",
        {"fact": "joe001", "text": "Lives in the city of Lisbon"},
        {J: lambda text: text.replace("Lives in Lisbon", "Lives in the city of Lisbon")},
    ),
    "archive a fact": ("archive", {"reference": f"{J}#^joe001"}, {}),
    "archive a note": ("archive", {"reference": J}, {}),
    "pin": (
        "pin",
        {"fact": "joe001"},
        {J: lambda text: text.replace("2026-01-05, status", "2026-01-05, status, pinned")},
    ),
    "unpin": (
        "unpin",
        {"fact": f"{J}#^joe002"},
        {J: lambda text: text.replace("2026-01-02, pinned", "2026-01-02")},
    ),
    "rename": ("rename", {"note": J, "destination": "people/joseph.md"}, {}),
    "who the person is": (
        "reword",
        {"fact": "me0001", "text": "Likes green tea"},
        {"ME.md": lambda text: text.replace("Likes tea", "Likes green tea")},
    ),
}


SAID = {
    "supersede": 'Replaced "Lives in Lisbon" with "Lives in Porto" in people/joe.md.',
    "correct": 'Corrected "Lives in Lisbon" to "Lives in Porto" in people/joe.md.',
    "reword": 'Reworded "Lives in Lisbon" to "Lives in the city of Lisbon" in people/joe.md.',
    "archive a fact": 'Archived "Lives in Lisbon" of people/joe.md.',
    "archive a note": "Archived people/joe.md.",
    "pin": 'Pinned "Lives in Lisbon" in people/joe.md.',
    "unpin": 'Unpinned "Plays chess" in people/joe.md.',
    "rename": "Moved people/joe.md to people/joseph.md.",
    "who the person is": 'Reworded "Likes tea" to "Likes green tea" in ME.md.',
}
"""What the page after a change says of it."""


def test_a_fact_that_was_wrong_is_said_to_have_held_on_no_day(pages: Pages, root: Path) -> None:
    made = agreed(pages, send(pages, "correct", fact="joe001", text="Lives in Porto"), "correct")
    text = notes(root)[J].decode()
    new = re.search(r"- Lives in Porto \(2026-01-05, status\) \^(\w+)", text)
    assert new
    old = f"~~Lives in Lisbon~~ (2026-01-05 → 2026-01-05, status, superseded by ^{new[1]}) ^joe001"
    assert old in text.partition("## History")[2]
    page = pages.get("/fact/joe001")
    assert "true on no day" in page.words
    for day in ("2026-01-05", "2026-02-01"):
        held = pages.get(f"/fact/joe001?as_of={day}").text
        assert re.findall(r'(?s)<li class="held">.*?Lives in (\w+)', held) == ["Porto"]
    assert undone(pages, made).status == 303


def test_what_was_wrong_held_on_no_day_whatever_day_the_words_bring(
    pages: Pages, root: Path
) -> None:
    shown = send(pages, "correct", fact="joe001", text="Lives in Porto (2025-12-01)")
    agreed(pages, shown, "correct")
    text = notes(root)[J].decode()
    assert "- Lives in Porto (2025-12-01, status) ^" in text
    assert "~~Lives in Lisbon~~ (2026-01-05 → 2026-01-05, " in text


def test_what_was_wrong_in_another_days_note_is_struck_there(pages: Pages, root: Path) -> None:
    day = "memory/2026-01-05.md"
    agreed(pages, send(pages, "correct", fact=f"{day}:3", text="Met Ann"), "correct")
    after = notes(root)
    assert "~~Met [[Joe Bloggs]]~~ (2026-01-05 → 2026-01-05, " in after[day].decode()
    assert "Met Ann (2026-01-05" in after["memory/2026-02-10.md"].decode()


def test_what_was_wrong_and_had_no_date_gets_none(pages: Pages, root: Path) -> None:
    shown = send(pages, "correct", fact=f"{J}:7", text="Owns a kayak")
    agreed(pages, shown, "correct")
    text = notes(root)[J].decode()
    assert re.search(r"(?m)^- Owns a kayak \^\w+$", text)
    assert re.search(r"~~Owns a boat~~ \(2026-02-10 → 2026-02-10, superseded by \^\w+\)", text)


def test_a_summary_that_quotes_the_fact_is_said_to_follow(
    pages: Pages, root: Path, env: Mapping[str, str]
) -> None:
    text = JOE.replace("## Facts", "## Summary\n\n## Facts")
    (root / J).write_text(text)
    with Vault.find(str(root), env, str(root), now=TODAY) as vault:
        summarize(vault, [J], SummaryWish())
    shown = send(pages, "correct", fact="joe001", text="Lives in Porto")
    assert "What Aurelius wrote itself and quotes this follows: the summary of people/joe.md." in (
        shown.words
    )
    other = send(pages, "reword", fact="me0001", text="Likes green tea")
    assert "This would change" in other.words
    assert "follows:" not in other.words


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ("", "stands under Facts, without a date, as none is known"),
        ("---\nupdated: 2026-02-01\n---\n", "with the date 2026-02-01, which people/joe.md gives"),
    ],
)
def test_what_a_line_without_a_date_gets_in_the_archive_is_said_in_words(
    front: str, told: str, pages: Pages, root: Path
) -> None:
    (root / J).write_text(front + JOE)
    line = (front + JOE).split("\n").index("- Owns a boat") + 1
    shown = send(pages, "archive", reference=f"{J}:{line}")
    assert told in shown.words
    assert told not in send(pages, "archive", reference="joe001").words


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_told_after_a_change_names_the_thing(name: str, pages: Pages) -> None:
    action, fields, _ = CHANGES[name]
    made = agreed(pages, send(pages, action, **fields), action)
    assert SAID[name] in pages.get(made.headers["location"]).words
    back = undone(pages, made).headers["location"]
    assert f"Undone: {SAID[name][0].lower()}{SAID[name][1:]}" in pages.get(back).words


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_shown_then_made_then_taken_back(name: str, pages: Pages, root: Path) -> None:
    action, fields, wanted = CHANGES[name]
    before = notes(root)
    shown = send(pages, action, **fields)
    assert shown.status == 200
    assert 'class="new"' in shown.text or "renamed: " in shown.words
    assert notes(root) == before

    made = agreed(pages, shown, action)
    assert made.status == 303
    after = notes(root)
    assert after != before
    for path, change in wanted.items():
        assert after == before | {path: change(before[path].decode()).encode()}

    assert undone(pages, made).status == 303
    assert notes(root) == before


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_written_is_what_the_diff_showed(name: str, pages: Pages, root: Path) -> None:
    action, fields, _ = CHANGES[name]
    before = notes(root)
    shown = send(pages, action, **fields)
    agreed(pages, shown, action)
    after = notes(root)
    lines = [
        line.text
        for line in diff_lines(
            [
                Edit(path, before.get(path), after.get(path))
                for path in sorted(before.keys() | after.keys())
                if before.get(path) != after.get(path)
            ]
        )
    ]
    for line in lines:
        if (
            line[:1] == "+"
            and not line.startswith("+++")
            and "note" not in name
            and action != "rename"
        ):
            assert " ".join(line[1:].split()) in shown.words


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_since_it_was_shown_is_left_as_the_person_left_it(
    name: str, pages: Pages, root: Path
) -> None:
    action, fields, _ = CHANGES[name]
    shown = send(pages, action, **fields)
    path = root / ("ME.md" if name == "who the person is" else J)
    path.write_bytes(path.read_bytes() + b"\nWritten meanwhile\n")
    before = notes(root)
    answer = agreed(pages, shown, action)
    assert answer.status == 409
    assert "changed since this was shown" in answer.words or "itself is the same" in answer.words
    assert notes(root) == before


def test_a_refused_change_that_is_the_same_says_so_once(pages: Pages, root: Path) -> None:
    shown = send(pages, "add", note="people/joe.md", text="Paints")
    path = root / "people/joe.md"
    path.write_text(path.read_text().replace("# Joe Bloggs", "# Joe Bloggs\n\nHi."))
    first = agreed(pages, shown, "add")
    assert first.status == 409
    assert "the note changed elsewhere meanwhile; the change itself is the same." in first.words
    again = pages.get(f"/shown/{[*pages.host.sessions.kept][-1]}")
    assert (again.status, "elsewhere" in again.words) == (200, False)
    assert agreed(pages, again, "add").status == 303
    path.write_text(path.read_text().replace("chess", "go"))
    shown = send(pages, "reword", fact="joe002", text="Plays well")
    path.write_text(path.read_text().replace("Plays go", "Plays cards"))
    assert "changed since this was shown" in agreed(pages, shown, "reword").words


@pytest.mark.parametrize("name", CHANGES)
def test_a_form_that_is_sent_twice_changes_nothing_twice(
    name: str, pages: Pages, root: Path
) -> None:
    action, fields, _ = CHANGES[name]
    shown = send(pages, action, **fields)
    first = agreed(pages, shown, action)
    after = notes(root)
    second = agreed(pages, shown, action)
    assert (second.status, second.headers["location"]) == (303, first.headers["location"])
    assert notes(root) == after


def test_what_was_taken_back_can_be_agreed_to_again(pages: Pages, root: Path) -> None:
    before = notes(root)
    shown = send(pages, "pin", fact="joe001")
    made = agreed(pages, shown, "pin")
    after = notes(root)
    undone(pages, made)
    assert notes(root) == before
    agreed(pages, shown, "pin")
    assert notes(root) == after


def test_a_line_for_today_is_added_at_once_and_only_once(pages: Pages, root: Path) -> None:
    before = notes(root)
    fields = {"text": "Bought a saw", "once": "a1"}
    made = send(pages, "note", **fields)
    today = f"memory/{TODAY:%Y-%m-%d}.md"
    assert "Bought a saw" in (root / today).read_text()
    assert send(pages, "note", **fields).headers["location"] == made.headers["location"]
    assert (root / today).read_text().count("Bought a saw") == 1
    send(pages, "note", **(fields | {"once": "a2"}))
    assert (root / today).read_text().count("Bought a saw") == 2
    undone(pages, made)
    assert (root / today).read_text().count("Bought a saw") == 1
    assert before.items() <= notes(root).items()


def test_a_change_of_a_note_that_was_edited_since_is_not_undone(pages: Pages, root: Path) -> None:
    made = agreed(pages, send(pages, "pin", fact="joe001"), "pin")
    path = root / J
    path.write_bytes(path.read_bytes() + b"- Likes soup\n")
    before = notes(root)
    answer = undone(pages, made)
    assert answer.status == 409
    assert f"{J} was changed after that, so nothing was undone" in answer.words
    assert notes(root) == before


def test_after_a_rename_one_is_on_the_page_of_the_new_path_and_back_again(pages: Pages) -> None:
    shown = send(pages, "rename", f"/note/{J}", note=J, destination="people/old")
    made = agreed(pages, shown, "rename")
    assert made.headers["location"].startswith("/note/people/old.md?done=")
    told = pages.get(made.headers["location"])
    assert (told.status, "Joe Bloggs" in told.words) == (200, True)
    back = pages.post("/do/undo", told.form("undo"))
    assert back.headers["location"].startswith(f"/note/{J}?done=")


def test_links_are_repaired_and_the_line_ends_of_each_note_stay(pages: Pages, root: Path) -> None:
    shown = send(pages, "rename", note=J, destination="people/joseph.md")
    assert "2 notes" in shown.words
    agreed(pages, shown, "rename")
    boat = (root / "projects/boat.md").read_bytes()
    assert (
        boat
        == FILES["projects/boat.md"]
        .replace("people/joe|", "people/joseph|")
        .replace("[[joe#", "[[joseph#")
        .encode()
    )


PRIVATE = [
    ("supersede", {"fact": "sam001", "text": "Known words"}),
    ("reword", {"fact": "people/sam.md#^sam001", "text": "Known words"}),
    ("pin", {"fact": "sam001"}),
    ("unpin", {"fact": "people/sam.md:6"}),
    ("archive", {"reference": "sam001"}),
    ("archive", {"reference": "people/sam.md"}),
    ("tick", {"task": "people/sam.md:8", "line": "Hidden task"}),
    ("rename", {"note": "people/sam.md", "destination": "people/max.md"}),
    ("rename", {"note": "Sam", "destination": "people/max.md"}),
    ("accept", {"key": "sam001"}),
    ("dismiss", {"key": "keep:sam001"}),
]


@pytest.mark.parametrize(("action", "fields"), PRIVATE)
@pytest.mark.parametrize("seen", ["", "0" * 64])
def test_what_is_private_is_out_of_reach(
    action: str, fields: dict[str, str], seen: str, pages: Pages, root: Path
) -> None:
    before = notes(root)
    answer = send(pages, action, seen=seen, **fields)
    assert answer.status in {400, 404}
    assert "Hidden" not in answer.words.replace("Hidden task", "", "line" in fields)
    assert notes(root) == before


def test_a_change_of_a_private_note_is_neither_told_nor_undone(
    pages: Pages, root: Path, env: Mapping[str, str]
) -> None:
    from aurelius.api import update

    with Vault.find(str(root), env, str(root), now=TODAY) as vault:
        number = update(vault, "sam001", "Other words", private=True).number
    before = notes(root)
    assert 'role="status"' not in pages.get(f"/memory?done={number}").text.partition("<footer")[0]
    answer = send(pages, "undo", number=str(number))
    assert answer.status == 404
    assert notes(root) == before


@pytest.mark.parametrize("name", [each.name for each in ACTIONS])
def test_nothing_is_changed_by_looking(name: str, pages: Pages, root: Path) -> None:
    before = notes(root)
    assert pages.get(f"/do/{name}?fact=joe001&text=x&reference=joe001").status in {404, 405}
    assert pages.ask("HEAD", f"/do/{name}", b"", {}).status in {404, 405}
    assert notes(root) == before


WRONG = [
    ("supersede", {"fact": "joe001", "text": ""}, "the text of the fact is missing"),
    ("supersede", {"fact": "joe001", "text": "x", "date": "2025-01-01"}, "is dated 2026-01-05"),
    ("supersede", {"fact": "joe001", "text": "x", "date": "soon"}, "date"),
    ("reword", {"fact": "joe001", "text": "Has\na boat"}, "line break"),
    ("reword", {"fact": "joe001", "text": "x" * 2001}, "too long"),
    (
        "reword",
        {"fact": "joe001", "text": "Token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
        "looks like",
    ),
    ("note", {"text": "", "once": "1"}, "text"),
    ("note", {"text": "one\r\ntwo", "once": "1"}, "line break"),
    ("rename", {"note": J, "destination": "projects/boat.md"}, "already exists"),
    ("rename", {"note": J, "destination": "../../joe.md"}, "it leads out"),
]


@pytest.mark.parametrize(("action", "fields", "told"), WRONG)
def test_a_wrong_field_comes_back_with_one_message_and_the_form_as_it_was_filled_in(
    action: str, fields: dict[str, str], told: str, pages: Pages, root: Path
) -> None:
    before = notes(root)
    answer = send(pages, action, "/review", **fields)
    assert answer.status in {400, 409}
    assert told.lower() in answer.words.lower()
    assert answer.text.count('role="alert"') == 1
    form = answer.form(action)
    assert form["back"] == "/review"
    for name in ("text", "destination"):
        if value := fields.get(name):
            sent = value.strip().replace("\r\n", "\n")
            assert f'name="{name}" value="{sent}"' in answer.text
    assert notes(root) == before


def test_an_error_that_no_form_can_mend_has_no_button_that_leads_to_it_again(
    pages: Pages,
) -> None:
    answer = send(pages, "accept", back="/review", key="nosuchkey")
    assert "Look at what is proposed now" in answer.words
    assert '<a href="/review">Look at what is proposed now</a>' in answer.text
    assert "Leave it as it is" not in answer.words
    assert 'action="/do/' not in answer.text.partition("<main")[2]
    gone = send(pages, "tick", back="/tasks", task=f"{J}:9", line="Send the papers")
    assert "another line by now" in gone.words
    assert '<a href="/tasks">Look at the tasks as they are now</a>' in gone.text
    assert 'action="/do/' not in gone.text.partition("<main")[2]
    typed = send(pages, "reword", back="/fact/joe001", fact="joe001", text="")
    assert '<a href="/fact/joe001">Leave it as it is</a>' in typed.text


@pytest.mark.parametrize("name", [each.name for each in ACTIONS if each.name != "accept-plain"])
def test_a_form_without_fields_is_an_error_of_the_person_not_of_the_server(
    name: str, pages: Pages, root: Path
) -> None:
    before = notes(root)
    assert send(pages, name).status in {400, 404}
    assert send(pages, name, seen="x", at="x", part="x").status in {400, 404, 409}
    assert notes(root) == before


def test_a_fact_that_is_not_there_is_told(pages: Pages) -> None:
    answer = send(pages, "reword", fact="nosuch", text="x")
    assert answer.status == 404
    assert "No fact has the id ^nosuch" in answer.words
    assert "The search above finds facts by their words" in answer.words


def test_a_long_diff_is_shown_in_parts_and_agreed_to_as_a_whole(pages: Pages, root: Path) -> None:
    before = {}
    for number in range(150):
        name = f"projects/p{number:03}.md"
        text = "\n".join(f"Line {each} with [[people/joe]] in it" for each in range(9))
        (root / name).write_text(text)
        before[name] = text
    shown = send(pages, "rename", note=J, destination="people/joseph.md")
    assert len(shown.text) < 100_000
    of = re.search(r"Part 1 of (\d+)", shown.words)
    assert of
    assert int(of[1]) > 3
    assert '<a href="?part=2" rel="next">' in shown.text
    name = shown.form("rename")["shown"]
    second = pages.get(f"/shown/{name}?part=2")
    assert f"Part 2 of {of[1]}" in second.words
    assert second.form("rename")["at"] == shown.form("rename")["at"]
    assert second.text.partition("<pre")[2] != shown.text.partition("<pre")[2]
    agreed(pages, second, "rename")
    for name, text in before.items():
        assert (root / name).read_text() == text.replace("people/joe", "people/joseph")


def test_what_a_form_would_change_has_an_address_of_its_own(pages: Pages, root: Path) -> None:
    before = notes(root)
    shown = send(pages, "supersede", fact="joe001", text="Lives in Porto", date="2026-01-09")
    address = f"/shown/{shown.form('supersede')['shown']}"
    again = pages.get(address)
    assert again.status == 200
    assert again.form("supersede") == shown.form("supersede")
    made = agreed(pages, again, "supersede")
    assert pages.get(address).headers["location"] == made.headers["location"]
    undone(pages, made)
    assert notes(root) == before
    assert "Replace it" in pages.get(address).words
    assert notes(root) == before


def test_what_is_shown_is_for_the_session_that_asked(pages: Pages, root: Path) -> None:
    shown = send(pages, "pin", fact="joe001")
    address = f"/shown/{shown.form('pin')['shown']}"
    own, pages.cookie = pages.cookie, ""
    assert pages.get(address).status == 401
    pages.sign_in()
    other = pages.get(address)
    assert other.status == 404
    assert "Lisbon" not in other.words
    pages.cookie = own
    assert pages.get(address).status == 200
    assert pages.get("/shown/no").status == 404


def test_what_is_shown_long_ago_is_forgotten(pages: Pages) -> None:
    shown = send(pages, "pin", fact="joe001")
    for _ in range(100):
        send(pages, "unpin", fact="joe002")
    assert pages.get(f"/shown/{shown.form('pin')['shown']}").status == 404


def test_lines_of_a_diff_that_look_like_its_heads_are_lines() -> None:
    edits = [Edit("a.md", b"-- one\n@@ x\nsame\n", b"++ two\n@@ y\nsame\n")]
    found = [(each.kind, each.text) for each in diff_lines(edits)]
    assert found[3:] == [
        ("gone", "--- one"),
        ("gone", "-@@ x"),
        ("new", "+++ two"),
        ("new", "+@@ y"),
        ("same", " same"),
    ]
    assert {kind for kind, _ in found[:3]} == {"head"}


def test_a_huge_line_is_cut_in_the_diff() -> None:
    found = diff_parts(diff_lines([Edit("a.md", b"", b"x" * 500_000)]))
    assert sum(len(line.text) for part in found for line in part) < 5000


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_edited_between_showing_and_agreeing_nothing_of_it_is_lost(
    seed: int, pages: Pages, root: Path
) -> None:
    """Each line that somebody wrote meanwhile is there afterwards; where it is refused, every byte
    is as it was left."""
    chance = random.Random(seed)
    for turn in range(6):
        action, fields, _ = CHANGES[chance.choice([*CHANGES])]
        before = notes(root)
        shown = send(pages, action, **fields)
        if 'class="agree"' not in shown.text:  # what it is about is no longer so
            assert notes(root) == before
            continue
        path = root / chance.choice([*before])
        is_edited = chance.random() < 0.6
        mark = f"Written meanwhile {turn}"
        if is_edited:
            lines = path.read_text().split("\n")
            lines.insert(chance.randrange(1, len(lines)), mark)
            path.write_text("\n".join(lines))
        left = notes(root)
        answer = agreed(pages, shown, action)
        assert answer.status in {303, 409, 400, 404}
        if answer.status != 303:
            assert notes(root) == left
            continue
        if is_edited:
            assert any(mark.encode() in data for data in notes(root).values())
        if chance.random() < 0.5:
            assert undone(pages, answer).status == 303
            assert notes(root) == left


def test_a_shown_change_keeps_its_time_for_an_hour(root: Path, env: Mapping[str, str]) -> None:
    late = datetime.datetime(2026, 2, 1, 23, 59, 30)
    with served(root, env, now=late) as pages:
        shown = send(pages, "supersede", fact="joe001", text="Lives in Porto")
    with served(root, env, now=late + datetime.timedelta(minutes=1)) as pages:
        fields = shown.form("supersede")
        fields.pop("token")
        assert send(pages, "supersede", **fields).status == 303
    assert "(2026-02-01, status)" in (root / J).read_text()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An editor with a window that writes down how it was started."""
    made = tmp_path / "bin" / "code"
    made.parent.mkdir()
    made.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\n" "$@" > "{tmp_path}/started.part"\n'
        f'mv "{tmp_path}/started.part" "{tmp_path}/started"\n'
    )
    made.chmod(0o755)
    return made


def started(tmp_path: Path) -> list[str]:
    """How the editor was started; it is waited for."""
    for _ in range(200):
        if (tmp_path / "started").exists():
            return (tmp_path / "started").read_text().splitlines()
        time.sleep(0.02)
    raise AssertionError("no editor was started")


def test_a_line_opens_in_an_editor_with_a_window(
    root: Path, env: dict[str, str], program: Path, tmp_path: Path
) -> None:
    odd = root / "people" / "$(touch x); -n 'a b'.md"
    odd.write_text("# Odd\n\n- [ ] One\n")
    more = {"VISUAL": f"{program} --wait", "DISPLAY": ":0", "PATH": os.environ["PATH"]}
    with served(root, env | more, now=TODAY) as pages:
        answer = send(pages, "open", place="people/$(touch x); -n 'a b'.md:3")
        told = pages.get(answer.headers["location"]).words
        assert "people/$(touch x); -n 'a b'.md opens in your editor." in told
        assert started(tmp_path) == ["--wait", "--goto", f"{odd}:3"]


SHOWN = [
    ("nano", "nano +3 ", "needs a terminal"),
    ("code", "", "needs a terminal"),
    ("emacs -nw", "emacs -nw +3 ", "needs a terminal"),
    ("bin/own-editor -x", "bin/own-editor -x ", "needs a terminal"),
    ("'code", "", "cannot be read"),
    ("", "", "No editor is set"),
]


@pytest.mark.parametrize(("editor", "command", "why"), SHOWN)
def test_of_any_other_editor_the_command_is_shown(
    editor: str,
    command: str,
    why: str,
    root: Path,
    env: dict[str, str],
    program: Path,
    tmp_path: Path,
) -> None:
    for name in ("nano", "emacs"):
        program.with_name(name).symlink_to(program)
    more = {"EDITOR": editor, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    if editor != "code":
        more["DISPLAY"] = ":0"
    (root / ".obsidian").mkdir()
    with served(root, env | more, now=TODAY) as pages:
        answer = send(pages, "open", "/tasks", place=f"{J}:3")
    assert answer.status == 200
    assert why in answer.words
    assert f"{command}{root}/{J}" in answer.words or not command
    link = str(root / J).replace("/", "%2F")
    assert f'href="obsidian://open?path={link}"' in answer.text
    assert 'href="/tasks"' in answer.text
    time.sleep(0.1)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    "place", ["people/sam.md:7", "sam001", "nosuch.md", "../vault/ME.md", "/etc/passwd", ""]
)
def test_nothing_but_a_note_that_may_be_seen_is_opened(
    place: str, root: Path, env: dict[str, str], program: Path, tmp_path: Path
) -> None:
    more = {"VISUAL": str(program), "DISPLAY": ":0", "PATH": os.environ["PATH"]}
    with served(root, env | more, now=TODAY) as pages:
        assert send(pages, "open", place=place).status in {400, 404}
    time.sleep(0.1)
    assert not (tmp_path / "started").exists()


def test_what_two_clicks_send_at_the_same_time_is_done_once(pages: Pages, root: Path) -> None:
    fields = {"text": "Bought a saw", "once": "a1"}
    shown = send(pages, "supersede", fact="joe001", text="Lives in Porto")
    answers: list[PageResponse] = []

    def click() -> None:
        answers.append(send(pages, "note", **fields))
        answers.append(agreed(pages, shown, "supersede"))

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()
    assert {each.status for each in answers} == {303}
    assert len({each.headers["location"] for each in answers}) == 2
    assert (root / f"memory/{TODAY:%Y-%m-%d}.md").read_text().count("Bought a saw") == 1
    assert (root / J).read_text().count("Lives in Porto") == 1


def test_what_stands_in_notes_and_fields_is_text_on_the_page_that_shows_a_change(
    pages: Pages,
) -> None:
    words = 'Likes <script>alert(1)</script> "tea"'
    for answer in (
        send(pages, "reword", fact="joe001", text=words),
        send(pages, "supersede", fact="joe001", text=words, date="2025-01-01"),
        send(pages, "rename", note=J, destination="people/<script>alert(1)</script>.md"),
    ):
        assert "<script>alert" not in answer.text
        assert "<script>alert(1)" in answer.words or "&lt;script&gt;" in answer.text


def rows_of(page: PageResponse) -> list[tuple[str, str]]:
    """What a page says of each line that would change: how it is called, and its text with the marks."""
    found = re.findall(
        r'(?s)<li class="(?:gone|new|past)"><span class="quiet">(\w+).*?</span></span> <span>(.*?)</span></li>',
        page.text,
    )
    return [(name, html.unescape(told)) for name, told in found]


def test_a_change_is_shown_as_before_and_after_with_the_other_words_marked(pages: Pages) -> None:
    shown = send(pages, "reword", fact="joe001", text="Lives in Lisboa")
    assert rows_of(shown) == [
        ("Before", "Lives in <mark>Lisbon</mark> (2026-01-05, status)"),
        ("After", "Lives in <mark>Lisboa</mark> (2026-01-05, status)"),
    ]
    assert shown.text.index("<summary>The same as a diff</summary>") < shown.text.index("<pre")


def test_what_is_past_after_a_change_and_what_is_only_added_are_called_so(
    pages: Pages, root: Path
) -> None:
    shown = send(pages, "supersede", fact="joe001", text="Lives in Porto")
    names = [name for name, _ in rows_of(shown)]
    assert names.count("Past") == 1
    assert ("Past", "<s>Lives in Lisbon</s>") in [(each, t[:22]) for each, t in rows_of(shown)]
    added = rows_of(send(pages, "add", note="ME.md", text="Likes cake <b>much</b>"))
    assert [name for name, _ in added] == ["Added"]
    assert "<mark>" not in added[0][1]


def test_what_moves_is_told_with_the_links_that_follow_it(pages: Pages) -> None:
    shown = send(pages, "rename", note=J, destination="people/joseph.md")
    assert '<li class="head">renamed: people/joe.md → people/joseph.md</li>' in shown.text
    assert len(rows_of(shown)) == 4


def test_what_only_moves_is_told_as_a_diff(pages: Pages) -> None:
    shown = send(pages, "rename", note="ME.md", destination="people/sea.md")
    assert rows_of(shown) == []
    assert "renamed: " in shown.words
    assert "The same as a diff" not in shown.words
