"""Edits that would harm a note are refused (test_edit.py has them all); the short way there is never wrong.

The words of writing: what a place allows unless somebody says otherwise, its clock, its parser.
"""

from __future__ import annotations

import io
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.agents.calls import answer_call
from aurelius.cli.captured import open_door
from aurelius.cli.run import Context
from aurelius.compose.note_lines import NoteReader
from aurelius.writing.append import append_lines
from aurelius.writing.check_edit import Applied, Edit, Place, allowed_parts, check_edits
from indexer.errors import UsageError

Aurelius = Callable[..., Any]

OUTSIDE = [
    "../x.md",
    "people/../../x.md",
    "/etc/x.md",
    "//x.md",
    "~/x.md",
    "~root/x.md",
    "a\0b.md",
    "",
    ".",
    "./..",
    "..",
    "people/..",
    "\\\\server\\x.md",
]
NO_NOTE = ["a.txt", "people", "a.md.txt", "run.sh", ".md", "a.md ", "a.mdx"]
HIDDEN = [
    ".git/x.md",
    ".git/hooks/pre-commit.md",
    ".obsidian/x.md",
    ".aurelius/x.md",
    ".aurelius/log/d/x.md",
    ".x.md",
    "people/.hidden/x.md",
    ".GIT/x.md",
    "\u200c.git/x.md",
    ".g\u200cit/x.md",
    "people/\u2060.x.md",
]
STEERING = [
    "AGENTS.md",
    "agents.md",
    "projects/x/CLAUDE.md",
    "GEMINI.md",
    "skills/SKILL.md",
    "Agents\u200b.md",
    "AGENTS.MD",
]


# Secrets

SECRET = "hunter" + "2024!"
"""What no command may write or print."""

CARD = "4012 8888 " + "8888 1881"
"""The number of no card, with a check digit that is right."""

OLD = "winter" + "77#x"
"""What a person has typed into a note."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    note = tmp_path / "vault" / "people" / "joe.md"
    note.parent.mkdir(parents=True)
    (tmp_path / "vault" / ".aurelius").mkdir()
    facts = (
        "- Drinks tea (2026-01-01) ^tea001",
        f"- Typed password: {OLD} (2026-01-01) ^old001",
        "- Rows",
    )
    note.write_text("\n".join(("# Joe", "", "## Facts", *facts, "")))
    return tmp_path / "vault"


def everything(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


@pytest.mark.parametrize("flags", [(), ("--dry-run",), ("--json",)])
@pytest.mark.parametrize(
    "argv",
    [
        ("add", "joe", "wifi password: {}"),
        ("add", "wifi password: {}"),
        ("add", "joe", "Rows", "--meta", "password={}"),
        ("note", "wifi password: {}"),
        ("update", "tea001", "The wifi password is {}"),
        ("supersede", "tea001", "The wifi password is {}"),
        ("new", "person", "Joe password: {}"),
    ],
)
def test_a_secret_is_written_by_no_command_and_printed_by_none(
    argv: tuple[str, ...], flags: tuple[str, ...], vault: Path, tmp_path: Path, aurelius: Aurelius
) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    done = aurelius(*(word.format(SECRET) for word in argv), *flags, cwd=vault)
    assert done.code == 2
    assert "looks like a password" in done.err
    assert "password manager" in done.err
    assert "--force" in done.err
    assert SECRET not in done.out + done.err
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
    assert SECRET.encode() not in everything(tmp_path)


@pytest.mark.parametrize(
    "argv",
    [
        ("add", "joe", "Pays with {}"),
        ("note", "The card is {}"),
        ("supersede", "tea001", "Pays with {}"),
    ],
)
def test_the_number_of_a_card_is_written_by_no_command(
    argv: tuple[str, ...], vault: Path, tmp_path: Path, aurelius: Aurelius
) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    done = aurelius(*(word.format(CARD) for word in argv), cwd=vault)
    assert done.code == 2
    assert "looks like the number of a payment card" in done.err
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
    assert CARD.encode() not in everything(tmp_path)
    assert aurelius(*(word.format(CARD) for word in argv), "--force", cwd=vault).code == 0


@pytest.mark.parametrize(
    "argv",
    [
        ("add", "joe", "wifi pw: {}"),
        ("note", "wifi password: {}"),
        ("update", "tea001", "My pw is {}"),
    ],
)
def test_a_person_may_write_a_secret_all_the_same(
    argv: tuple[str, ...], vault: Path, aurelius: Aurelius
) -> None:
    done = aurelius(*(word.format(SECRET) for word in argv), "--force", cwd=vault)
    assert done.code == 0, done.err
    assert SECRET in "".join(path.read_text() for path in vault.rglob("*.md"))


@pytest.mark.parametrize(
    "argv",
    [
        ("archive", "old001"),
        ("archive", "joe"),
        ("move", "joe", "people/joseph"),
        ("doctor", "--tidy", "--stamp"),
        ("supersede", "old001", "The password was changed"),
        ("summarize", "joe"),
        ("summarize",),
        ("add", "joe", "The Stripe API key is stored in the vault under stripe_api_key"),
        ("note", "The Stripe API key is stored in the vault under stripe_api_key"),
    ],
)
def test_a_line_that_is_there_already_may_be_moved(
    argv: tuple[str, ...], vault: Path, aurelius: Aurelius
) -> None:
    done = aurelius(*argv, cwd=vault)
    assert done.code == 0, done.err
    assert OLD in "".join(path.read_text() for path in vault.rglob("*.md"))
    undone = aurelius("undo", cwd=vault)
    assert undone.code == 0, undone.err


def test_a_new_secret_beside_an_old_one_is_refused() -> None:
    line = b"- password: " + SECRET.encode()
    other = b" and api_key: " + SECRET[::-1].encode()
    with pytest.raises(UsageError, match=r"^a\.md:3: "):
        check_edits(
            Place("", ""),
            [Edit("a.md", b"# A\n\n" + line + b"\n", b"# A\n\n" + line + other + b"\n")],
        )


def test_an_edit_may_take_away_half_of_a_note_and_no_more() -> None:
    note = b"# Joe\n\n## Notes\n\n" + b"- [ ] a task to do\n" * 60
    half = len(note) // 2
    note = note[: 2 * half]
    check_edits(Place("", ""), [Edit("people/joe.md", note, note[:half])])
    with pytest.raises(UsageError, match="more than half of the note would be removed"):
        check_edits(Place("", ""), [Edit("people/joe.md", note, note[: half - 1])])


def test_a_fact_with_a_word_that_no_tail_has_is_written() -> None:
    note = b"# Joe\n\n## Facts\n\n- Likes tea\n"
    check_edits(
        Place("", ""), [Edit("people/joe.md", note, note + b"- Met Ann (2026-02-01, at home)\n")]
    )


def test_a_secret_is_refused_with_its_line() -> None:
    edits = [
        Edit("a.md", b"# A\n\none\n", b"# A\n\none\ntwo\npassword: " + SECRET.encode() + b"\n")
    ]
    with pytest.raises(
        UsageError, match=r"^a\.md:5: not written: it looks like a password or key$"
    ):
        check_edits(Place("", ""), edits)
    check_edits(Place("", "", secrets=True), edits)
    check_edits(
        Place("", ""),
        [
            Edit(
                "a.md",
                edits[0].after,
                b"# A\n\none\ntwo\n- password: " + SECRET.encode() + b" (old)\n",
            )
        ],
    )


@pytest.mark.parametrize("path", [*OUTSIDE, *NO_NOTE, *HIDDEN, *STEERING])
def test_a_path_that_leads_elsewhere_is_not_written(path: str) -> None:
    with pytest.raises(UsageError) as caught:
        allowed_parts(path, me=True)
    assert "not written" in caught.value.message
    assert "\0" not in caught.value.message


@pytest.mark.parametrize(
    "path",
    ["people/joe.md", "a.md", "Über uns/Ж.MD", "x.markdown", "a..b.md", "memory/2026-02-10.md"],
)
def test_the_path_of_a_note_is_allowed(path: str) -> None:
    assert "/".join(allowed_parts(path)) == path


@pytest.mark.parametrize("path", ["ME.md", "me.md", "SOUL.md", "x/USER.md", "IDENTITY.md"])
def test_who_the_person_is_wants_their_word(path: str) -> None:
    with pytest.raises(UsageError, match="only when you ask"):
        allowed_parts(path)
    assert allowed_parts(path, me=True)


def test_a_name_leaves_room_for_a_temporary_one() -> None:
    assert allowed_parts("x" * 237 + ".md")
    with pytest.raises(UsageError, match="240 bytes"):
        allowed_parts("x" * 238 + ".md")


ROOT = Path(__file__).resolve().parents[3]


def test_a_place_allows_nothing_unless_that_is_said() -> None:
    place = Place("/vault", "/state")
    assert [place.shrink, place.me, place.commit, place.secrets] == [False] * 4
    assert place.daily == "memory"
    assert place.env is None


def test_the_time_of_a_change_is_the_one_that_was_set_else_the_real_one() -> None:
    assert Place("/vault", "/state", now=12.5).time() == 12.5
    before = time.time()
    assert before <= Place("/vault", "/state").time() <= time.time()


def test_a_place_with_a_parser_hands_out_that_one_so_that_nothing_is_parsed_twice() -> None:
    reader = NoteReader()
    assert Place("/vault", "/state", reader=reader).note_reader() is reader


def test_a_place_without_a_parser_makes_one_for_its_folder_of_daily_notes() -> None:
    place = Place("/vault", "/state", "field")
    assert place.note_reader().daily_folder == "field"
    assert place.note_reader() is not place.note_reader()


def test_an_edit_comes_from_nowhere_and_a_change_has_no_complaint_unless_that_is_said() -> None:
    assert Edit("a.md", None, b"x").source == ""
    assert Applied(3).uncommitted == ""


def test_whoever_makes_edits_need_not_import_what_carries_them_out() -> None:
    script = "import sys, aurelius.writing.check_edit; print(*sorted(x for x in sys.modules if 'writing.' in x))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["aurelius.writing.check_edit", "aurelius.writing.safe_folder"]


@pytest.mark.parametrize(
    "path", ["HEARTBEAT.md", "tools.md", "skills/x/TOOLS.md", "BOOTSTRAP.md", "Boot\u200b.MD"]
)
def test_a_file_that_programs_obey_is_written_by_a_person_and_by_no_agent(
    path: str, tmp_path: Path
) -> None:
    there, edit = (
        Place(str(tmp_path / "vault"), str(tmp_path / "state")),
        Edit(path, b"# A\n\nold\n", b"# A\n\nnew\n"),
    )
    (tmp_path / "vault").mkdir()
    check_edits(there, [edit])
    for agent in (there._replace(person=False), there._replace(who="bot")):
        for each in (edit, edit._replace(before=None), edit._replace(after=None)):
            with pytest.raises(UsageError, match="read by agents as instructions"):
                check_edits(agent, [each])
        with pytest.raises(UsageError, match="read by agents as instructions"):
            append_lines(agent, path, b"- new\n")
    assert not [*(tmp_path / "vault").iterdir()]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("add", {"note": "TOOLS", "text": "Use it"}),
        ("add", {"note": "x/TOOLS.md", "text": "Use it"}),
        ("supersede", {"id": "abcde1", "text": "New"}),
    ],
)
def test_a_door_writes_no_file_that_programs_obey(
    name: str, given: dict[str, str], env: dict[str, str], tmp_path: Path
) -> None:
    root = tmp_path / "vault"
    for path, text in (
        ("TOOLS.md", "# T\n\n## Facts\n- Saw ^abcde1\n"),
        ("x/TOOLS.md", ""),
        (".aurelius/config.toml", ""),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    before = [each.read_bytes() for each in sorted(root.glob("**/*.md"))]
    door = open_door(Context(str(root), env, False, io.StringIO(), io.StringIO(), io.StringIO()))
    told = answer_call(door, name, given)
    assert not told.ok
    assert "read by agents as instructions" in told.text
    assert [each.read_bytes() for each in sorted(root.glob("**/*.md"))] == before


def test_a_note_called_by_the_secret_is_named_by_its_folder_alone() -> None:
    added = b"# A\n\nThe password is " + SECRET.encode() + b"\n"
    for path in (f"people/{SECRET}.md", f"people/the-{SECRET.title().replace('2', '-2')}.md"):
        with pytest.raises(UsageError, match=r"^people/…:3: not written") as told:
            check_edits(Place("", ""), [Edit(path, b"# A\n", added)])
        assert "hunter" not in f"{told.value} {told.value.hint}".casefold()
