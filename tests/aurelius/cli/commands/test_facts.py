"""The commands that write notes and facts."""

from __future__ import annotations

import datetime
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from aurelius.settings.places import vault_state
from aurelius.writing import append_journal, edit
from aurelius.writing.check_edit import Applied, Edit, Place

Aurelius = Callable[..., Any]
JOE = "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01) ^rome01\n- Tea (2026-01-01) ^tea001\n"


@pytest.fixture
def joe(tmp_path: Path) -> Path:
    note = tmp_path / "vault" / "people" / "joe.md"
    note.parent.mkdir(parents=True)
    (tmp_path / "vault" / ".aurelius").mkdir()
    note.write_text(JOE)
    return note


def meddle(monkeypatch: pytest.MonkeyPatch, note: Path, times: int) -> None:
    """Let an editor save the note, with one more line each time, just before it is written."""
    real, count = edit.apply_edits, 0

    def apply(place: Place, edits: Sequence[Edit], why: str, *, undoes: int = 0) -> Applied:
        nonlocal count
        if count < times:
            count += 1
            note.write_text(note.read_text() + f"- Typed {count}\n")
        return real(place, edits, why, undoes=undoes)

    monkeypatch.setattr(edit, "apply_edits", apply)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("add", "joe", "Rows"), "- Rows (2026-02-10)"),
        (("update", "tea001", "Green tea"), "- Green tea (2026-01-01) ^tea001"),
        (("supersede", "rome01", "Lives in Bonn"), "- Lives in Bonn (2026-02-10)"),
        (("archive", "tea001"), "- Typed 2"),
        (("move", "joe", "people/joseph"), "- Typed 2"),
    ],
)
def test_a_note_that_changes_meanwhile_is_read_again(
    argv: tuple[str, ...],
    words: str,
    joe: Path,
    aurelius: Aurelius,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meddle(monkeypatch, joe, 2)
    done = aurelius(*argv, cwd=joe.parent)
    assert done.code == 0, done.err
    text = (joe if joe.exists() else joe.with_name("joseph.md")).read_text()
    assert words in text
    assert "- Typed 1\n- Typed 2\n" in text
    assert done.out.count("joe") >= 1


@pytest.mark.parametrize(
    "argv", [("add", "joe", "Rows"), ("update", "tea001", "Green tea"), ("archive", "tea001")]
)
def test_a_dry_run_refuses_what_would_be_refused(
    aurelius: Aurelius, joe: Path, argv: tuple[str, ...]
) -> None:
    joe.chmod(0o444)
    dry, real = (
        aurelius(argv[0], *flags, *argv[1:], cwd=joe.parent.parent) for flags in (["--dry-run"], [])
    )
    assert (dry.code, dry.err) == (real.code, real.err)
    assert dry.code == 2
    assert "read-only\nhint: make it writable" in dry.err
    assert joe.read_text() == JOE
    joe.chmod(0o644)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_date_that_no_line_can_hold_is_named(aurelius: Aurelius, joe: Path, day: str) -> None:
    done = aurelius("add", "joe", "Rows", "--date", day, cwd=joe.parent)
    assert done.code == 2
    assert f"date {day!r} is out of range" in done.err
    for now in (day, f"{day}T00:00+05:00", f"{day}T23:59-05:00"):
        assert "is out of range" in aurelius("add", "joe", "Rows", "--now", now, cwd=joe.parent).err
    assert joe.read_text() == JOE


def test_the_words_of_a_superseded_fact_are_not_changed(aurelius: Aurelius, joe: Path) -> None:
    assert aurelius("supersede", "rome01", "Lives in Bonn", cwd=joe.parent).code == 0
    before = joe.read_bytes()
    done = aurelius("update", "^rome01", "Lives in Paris", cwd=joe.parent)
    assert done.code == 2
    assert "is a superseded fact, so its words are not changed" in done.err
    assert "`aurelius history rome01` shows what replaced it" in done.err
    assert joe.read_bytes() == before


def test_a_note_does_not_move_to_nowhere(aurelius: Aurelius, joe: Path) -> None:
    done = aurelius("move", "joe", "", cwd=joe.parent)
    assert done.code == 2
    assert "missing argument: DEST" in done.err
    assert joe.read_text() == JOE


def test_outcomes_are_told_in_plain_words(aurelius: Aurelius, vault: Callable[[str], Path]) -> None:
    root = vault("template")
    told = aurelius("reinforce", "k3v9qa", cwd=root).out
    assert told.startswith(
        "ranks higher now (score 3, was 0): Lives in Los Angeles  people/joe-bloggs.md  [id:k3v9qa]"
    )
    assert aurelius("demote", "k3v9qa", cwd=root).out.startswith("ranks lower now (score 2, was 3)")
    done = aurelius("get", "^nope12", cwd=root)
    assert (done.code, done.err.splitlines()[0]) == (5, "aurelius: no fact has the id ^nope12")
    then = aurelius("search", "San Diego", "--as-of", "2025-05-02", "-n", "1", cwd=root).out
    assert "2025-03-01  held then, superseded since  " in then


def test_a_note_of_a_vault_inside_the_vault_is_not_written_without_a_word(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    root = vault("empty")
    for path in ("inner/.aurelius", "inner/people", "people"):
        (root / path).mkdir(parents=True)
    for path in ("inner/people/zed.md", "people/bo.md"):
        (root / path).write_text("# X\n\n## Facts\n")
    told = aurelius("add", "inner/people/zed", "Plays go", cwd=root).err
    assert (
        "inner is a vault of its own: its own `aurelius undo` does not know of this change" in told
    )
    assert "aurelius --vault inner" in told
    assert "vault of its own" not in aurelius("add", "people/bo", "Keeps bees", cwd=root).err


@pytest.mark.parametrize("name", ["ann", "lee", "people/ann-lee", "ann-lee.md"])
def test_a_name_without_a_text_does_not_become_a_fact_of_today(
    aurelius: Aurelius, vault: Callable[[str], Path], name: str
) -> None:
    root = vault("empty")
    (root / "people").mkdir(parents=True)
    (root / "people/ann-lee.md").write_text("---\naliases: [Ann]\n---\n# Ann Lee\n\n## Facts\n")
    before = sorted(path for path in root.rglob("*.md"))
    told = aurelius("add", name, cwd=root)
    assert told.code == 2
    assert "missing argument: the fact about Ann Lee (people/ann-lee.md)" in told.err
    assert f'aurelius add {name} "Likes tea"' in told.err
    assert sorted(path for path in root.rglob("*.md")) == before
    assert aurelius("add", "Rained", cwd=root).code == 0
    assert aurelius("note", name, cwd=root).code == 0


# -- what a new fact contradicts ---------------------------------------------------------------------------

HOMES = "# Joe\n\n## Facts\n- Lives in Santa Monica (2026-01-01) ^mon1ca\n- Painter is Ana (2026-01-01) ^ana001\n"


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    (tmp_path / "v/people").mkdir(parents=True)
    (tmp_path / "v/.aurelius").mkdir()
    (tmp_path / "v/people/joe.md").write_text(HOMES)
    return tmp_path / "v"


@pytest.mark.parametrize(
    ("text", "old"),
    [("Lives in Boston", "mon1ca"), ("Moved to Boston", "mon1ca"), ("Painter is Luis", "ana001")],
)
def test_what_a_new_fact_contradicts_is_told_with_the_command_that_replaces_it(
    aurelius: Aurelius, homes: Path, text: str, old: str
) -> None:
    done = aurelius("add", "joe", text, cwd=homes)
    assert done.code == 0
    assert "this may contradict people/joe.md:" in done.err
    assert f"`aurelius undo`, then `aurelius supersede {old} '{text}'`" in done.err
    assert f"- {text} (" in (homes / "people/joe.md").read_text(), "it is written all the same"
    assert aurelius("undo", cwd=homes).code == 0
    shown = aurelius("add", "joe", text, "--dry-run", cwd=homes)
    assert f"no longer true: `aurelius supersede {old} '{text}'`" in shown.err


@pytest.mark.parametrize(
    "text", ["Likes chess", "Visited Boston", "Lives in Santa Monica near the pier"]
)
def test_nothing_is_told_of_a_fact_that_holds_beside_the_others(
    aurelius: Aurelius, homes: Path, text: str
) -> None:
    assert "may contradict" not in aurelius("add", "joe", text, cwd=homes).err


def test_a_fact_that_names_what_it_updates_contradicts_nothing_else(
    aurelius: Aurelius, homes: Path
) -> None:
    done = aurelius("add", "joe", "Lives in Boston", "--updates", "ana001", cwd=homes)
    assert (done.code, "may contradict" in done.err) == (0, False)


def test_a_program_is_told_what_a_new_fact_contradicts(aurelius: Aurelius, homes: Path) -> None:
    answer = json.loads(aurelius("add", "joe", "Lives in Boston", "--json", cwd=homes).out)
    assert [(each["id"], each["text"]) for each in answer["older"]] == [
        ("mon1ca", "Lives in Santa Monica")
    ]


ROOT = Path(__file__).resolve().parents[4]
DAY = "memory/2026-02-10.md"

Vaults = Callable[[str], Path]


def aged(path: Path) -> None:
    """As if the note had been saved a while ago."""
    long_ago = time.time() - 5
    os.utime(path, (long_ago, long_ago))


def files(root: Path) -> dict[str, bytes]:
    """Every file, but for those that are Aurelius's own and no note."""
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if not name.startswith(".aurelius/local/")
    }


def test_every_change_is_undone_to_the_byte(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("template")
    before = files(root)
    for argv in (
        ["new", "project", "Sea", "trip"],
        ["note", "one"],
        ["note", "- two\nlines"],
        ["new", "area", "Tea"],
    ):
        assert aurelius(*argv, cwd=root).code == 0
    assert files(root) != before
    for _ in range(4):
        assert aurelius("undo", cwd=root).code == 0
    assert files(root) == before
    assert aurelius("undo", cwd=root).code == 5


@pytest.mark.parametrize(
    "argv",
    [
        ["new", "person", "Ada"],
        ["note", "one"],
        ["undo"],
        ["undo", "--number", "1"],
        ["undo", "--list"],
    ],
)
def test_a_dry_run_writes_nothing(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str], argv: list[str]
) -> None:
    root = vault("template")
    assert aurelius("note", "zero", cwd=root).code == 0
    state = Path(vault_state(str(root), env))
    before = files(root), files(state)
    for form in ([], ["--json"]):
        assert aurelius(*argv, "--dry-run", *form, cwd=root).code == 0
    assert (files(root), files(state)) == before


def test_a_note_is_found_at_once(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("template")
    aurelius("note", "the quokka was asleep", cwd=root)
    found = json.loads(aurelius("search", "quokka", "--json", cwd=root).out)["hits"]
    assert [hit["path"] for hit in found][:1] == [DAY]
    assert aurelius("tasks", "--open", cwd=root).code == 0
    aurelius("note", "[ ] feed the quokka", cwd=root)
    assert "feed the quokka" in aurelius("tasks", "--open", cwd=root).out


WITH_MARKS_INSIDE = [
    "Train 14:05 - 16:20 to York",
    "Score 3 - 1",
    "a * b = c",
    "x + y",
    "2026 - a year",
    "a -- b",
    "-- x",
    "-- x -- y",
    "TODO ring the bell - twice",
    "<!-- hidden --> or - not",
    "<b>so</b> - and so",
]


@pytest.mark.parametrize("text", WITH_MARKS_INSIDE)
def test_a_text_is_written_as_it_was_typed_or_came_from_stdin(
    text: str, env: dict[str, str], vault: Vaults
) -> None:
    root = vault("template")
    words = [text] if "--" in text else text.split(" ")
    for argv, given in (([text], ""), (words, ""), (["-"], f"{text}\n")):
        out, err = io.StringIO(), io.StringIO()
        context = Context(
            str(root), env, False, io.StringIO(given), out, err, datetime.datetime(2026, 2, 10)
        )
        assert run_line(("note", *argv), context) == 0, err.getvalue()
    written = (root / DAY).read_text("utf-8").splitlines()
    assert [line for line in written if line and line[0] != "#"] == [f"- {text}"] * 3


def test_a_bullet_without_text_is_refused_and_nothing_is_written(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("template")
    done = aurelius("note", "- ", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "the text of the note is missing" in done.err
    assert not (root / DAY).exists()


def test_lines_nested_in_a_note_are_blocks_of_a_logseq_graph(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    for name in ("logseq", "journals", "pages", ".aurelius"):
        (tmp_path / name).mkdir()
    (tmp_path / "logseq" / "config.edn").write_text("{}")
    (tmp_path / "journals" / "2026_02_09.md").write_text("- early\n")
    (tmp_path / "journals" / "2026_02_10.md").write_text("- early")
    assert aurelius("note", "Said:\n  - quote\n    - deep", cwd=tmp_path).code == 0
    assert (
        tmp_path / "journals" / "2026_02_10.md"
    ).read_text() == "- early\n- Said:\n\t- quote\n\t\t- deep\n"


def test_the_day_is_the_persons(aurelius: Aurelius, vault: Vaults) -> None:
    """The day of the local clock, also an hour before midnight."""
    root = vault("template")
    aurelius("note", "late", cwd=root, now=datetime.datetime(2026, 3, 1, 23, 59))
    assert (root / "memory/2026-03-01.md").read_text("utf-8") == "# 2026-03-01\n\n- late\n"


def test_an_existing_daily_note_is_used_whatever_it_is_called(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("template")
    (root / "memory" / "2026_02_10.md").write_text("- early\n")
    aurelius("note", "late", cwd=root)
    assert (root / "memory" / "2026_02_10.md").read_text() == "- early\n- late\n"


def test_the_next_command_tells_once_what_an_editor_erased_and_writes_nothing(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str]
) -> None:
    """Without a daemon."""
    root = vault("template")
    (root / DAY).write_text("# Day\n\n")
    aurelius("note", "from the agent", cwd=root)
    (root / DAY).write_text("# Day\n\n- by the editor\n")
    aged(root / DAY)
    done = aurelius("search", "agent", "--paths", "--mode", "keyword", cwd=root)
    assert (
        done.err.count(
            ' is no longer there: "from the agent"; `aurelius review` puts it back or leaves it'
        )
        == 1
    )
    assert "no longer there" not in aurelius("list", cwd=root).err
    assert (root / DAY).read_text() == "# Day\n\n- by the editor\n"
    assert not append_journal.read_journal(vault_state(str(root), env))


def test_forget_leaves_no_previous_bytes(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str]
) -> None:
    root = vault("template")
    aurelius("note", "zanzibar secret", cwd=root)
    aurelius("note", "other", cwd=root)
    state = Path(vault_state(str(root), env))
    assert any(b"zanzibar" in data for data in files(state).values())
    assert aurelius("forget", DAY, cwd=root).code == 0
    assert not any(b"zanzibar" in data for data in files(state).values())


def test_a_text_without_end_is_not_read_to_its_end(env: dict[str, str], vault: Vaults) -> None:
    root = vault("template")
    given: list[int] = []

    class Endless(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            assert size is not None
            assert size > 0, "it never ends"
            given.append(size)
            return "y " * (size // 2 + 1)

    out, err = io.StringIO(), io.StringIO()
    code = run_line(
        ("note", "-"),
        Context(str(root), env, False, Endless(), out, err, datetime.datetime(2026, 2, 10)),
    )
    assert (code, out.getvalue()) == (2, "")
    assert "larger than 2 MiB" in err.getvalue()
    assert len(given) == 1
    assert not (root / DAY).exists()


@pytest.mark.parametrize("argv", [("undo",), ("undo", "--list"), ("forget", "people/sarah.md")])
def test_a_state_folder_that_cannot_be_is_told_and_nothing_is_written(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str], tmp_path: Path, argv: tuple[str, ...]
) -> None:
    root = vault("template")
    (tmp_path / "file").write_text("x")
    env["XDG_STATE_HOME"] = str(tmp_path / "file")
    done = aurelius(*argv, cwd=root)
    assert (done.code, done.out) == (6, "")
    assert "undo cannot be read" in done.err
    assert not (root / ".aureliusignore").exists()


def test_writes_are_commits_where_that_is_wanted(
    aurelius: Aurelius, vault: Vaults, env: dict[str, str]
) -> None:
    root = vault("template")
    assert aurelius("config", "set", "git.commit", "true", cwd=root).code == 0
    done = aurelius("note", "one", cwd=root)
    assert (done.code, done.err) == (
        0,
        "aurelius: written, but not committed: the vault is not a git repository\n",
    )
    subprocess.run(["git", "init", "-q"], cwd=root, env=env, check=True)
    done = aurelius("new", "person", "Ada", cwd=root)
    assert (done.code, done.err) == (0, "")
    shown = subprocess.run(
        ["git", "log", "--name-only", "--format=%s"],
        cwd=root,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split("\n") == ["new person Ada", "", "people/ada.md", ""]
    done = aurelius("note", "two", "--json", cwd=root)
    assert json.loads(done.out)["uncommitted"] == f"git does not know {DAY} yet"


def test_with_a_daemon_the_next_command_tells_what_an_editor_erased(
    vault: Vaults, env: dict[str, str], aurelius: Aurelius, tmp_path: Path
) -> None:
    root = vault("template")
    words = [sys.executable, "-m", "aurelius"]
    here = env | {"PYTHONPATH": str(ROOT)}
    told = (tmp_path / "told").open("w")
    process = subprocess.Popen(
        [*words, "daemon", "run", "--vault", str(root)],
        env=here,
        stdin=subprocess.DEVNULL,
        stderr=told,
    )
    try:
        aurelius("note", "from the agent", cwd=root)
        (root / DAY).write_text("- by the editor\n")
        until = time.monotonic() + 30
        while not append_journal.read_journal(
            vault_state(str(root), env), append_journal.VANISHED
        ):  # the daemon has looked
            assert time.monotonic() < until, (tmp_path / "told").read_text()
            time.sleep(0.1)
        done = subprocess.run(
            [*words, "list"], cwd=root, env=here, capture_output=True, text=True, check=True
        )
        assert done.stderr.count(' is no longer there: "from the agent"; ') == 1
        done = subprocess.run(
            [*words, "list"], cwd=root, env=here, capture_output=True, text=True, check=True
        )
        assert "no longer there" not in done.stderr
        assert (root / DAY).read_text() == "- by the editor\n"
    finally:
        process.terminate()
        process.wait(timeout=30)
        told.close()
    assert process.returncode == 0, (tmp_path / "told").read_text()


def test_undo_says_what_it_undid_and_which_notes(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("template")
    aurelius("add", "joe bloggs", "Plays the cello", cwd=root)
    done = aurelius("undo", "--dry-run", cwd=root)
    assert "would undo 1: add to people/joe-bloggs.md: Plays the cello (2026-02-10)" in done.err
    done = aurelius("undo", cwd=root)
    told = "undid 1: add to people/joe-bloggs.md: Plays the cello (2026-02-10)\nchanged people/joe-bloggs.md\n"
    assert (done.code, done.out) == (0, told)


def test_undo_lists_what_was_done_in_plain_words(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("template")
    fact = json.loads(
        aurelius("add", "joe bloggs", "Budget is 18,000 euros", "--json", cwd=root).out
    )["id"]
    newer = json.loads(
        aurelius("supersede", fact, "Budget is 21,000 euros", "--json", cwd=root).out
    )["id"]
    aurelius("update", newer, "The budget is 21,000 euros", cwd=root)
    listed = [line.split("  ")[2] for line in aurelius("undo", "--list", cwd=root).out.splitlines()]
    assert listed == [
        'reworded "Budget is 21,000 euros" to "The budget is 21,000 euros" in people/joe-bloggs.md',
        'replaced "Budget is 18,000 euros" with "Budget is 21,000 euros" in people/joe-bloggs.md',
        "add to people/joe-bloggs.md: Budget is 18,000 euros",
    ]


@pytest.mark.parametrize("now", ["private: true", "private: false"])
def test_undo_tells_nothing_of_a_private_note(aurelius: Aurelius, vault: Vaults, now: str) -> None:
    root = vault("template")
    path = root / "people/zelda.md"
    path.write_text(
        "---\nprivate: true\n---\n# Zelda\n\n## Facts\n- Healed from zebrafish ^zzpr1v\n"
    )
    assert aurelius("add", "people/zelda", "Likes zinnias", "--private", cwd=root).code == 0
    assert aurelius("update", "zzpr1v", "Healed by zebrafish", "--private", cwd=root).code == 0
    path.write_text(path.read_text().replace("private: true", now))
    told = [
        aurelius("undo", *more, cwd=root)
        for more in (["--list"], ["--list", "--json"], ["--dry-run"])
    ]
    path.write_text(path.read_text().replace(now, "private: true"))
    told += [aurelius("undo", *more, cwd=root) for more in (["--dry-run"], ["--dry-run", "--json"])]
    with_words = [
        aurelius("undo", *more, "--private", cwd=root) for more in (["--list"], ["--dry-run"])
    ]
    assert all("zebrafish" in done.out + done.err for done in with_words)
    told += [aurelius("forget", "people/sarah.md", cwd=root), aurelius("undo", cwd=root)]
    told += [
        aurelius("undo", "--number", "2", cwd=root),
        aurelius("undo", "--number", "1", "--json", cwd=root),
    ]
    assert [done.code for done in told[3:]] == [0, 0, 0, 2, 0, 0]
    for done in told:
        said = (done.out + done.err).casefold()
        assert not [word for word in ("zebrafish", "zinnias", "zelda") if word in said]
    assert [line.split("  ")[2] for line in told[0].out.splitlines()] == ["a private note"] * 2
    assert path.read_text().endswith("- Healed from zebrafish ^zzpr1v\n")


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["forget", "people/sarah.md"], "forget"),
        (["reinforce", "^p7x2mn"], "reinforce"),
        (["demote", "^p7x2mn"], "demote"),
        (["config", "set", "search.limit", "5"], "config set"),
    ],
)
def test_undo_after_what_cannot_be_undone_changes_nothing_and_says_so(
    aurelius: Aurelius, vault: Vaults, argv: list[str], named: str
) -> None:
    root = vault("template")
    aurelius("add", "joe bloggs", "Plays the cello", cwd=root)
    assert aurelius(*argv, cwd=root).code == 0
    before = files(root)
    done = aurelius("undo", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert f"the last command ({named}) cannot be undone; nothing was changed" in done.err
    assert (
        "`aurelius undo --number 1` undoes the change before it: add to people/joe-bloggs.md"
        in done.err
    )
    assert files(root) == before
    assert (
        f"the last command ({named}) cannot be undone" in aurelius("undo", "--list", cwd=root).err
    )
    assert aurelius("undo", "--number", "1", cwd=root).code == 0


def test_forget_says_how_the_note_comes_back(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("template")
    done = aurelius("forget", "people/sarah.md", cwd=root)
    told = "`aurelius undo` does not bring it back; remove the line from .aureliusignore to have the note indexed again"
    assert told in done.out
    assert told.partition("; ")[2] in aurelius("undo", cwd=root).err
    (root / ".aureliusignore").unlink()
    assert "people/sarah.md" in aurelius("list", "--paths", cwd=root).out


def test_a_line_noted_a_moment_ago_and_replaced_does_not_come_back(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("template")
    assert aurelius("note", "Sarah's dinner is at Lupo", cwd=root).code == 0
    found = json.loads(
        aurelius("search", "Sarah's dinner Lupo", "-n", "1", "--json", cwd=root).out
    )["hits"][0]
    assert aurelius("supersede", found["id"], "Sarah's dinner is at Nonna", cwd=root).code == 0
    (note,) = (path for path in (root / "memory").iterdir() if b"Lupo" in path.read_bytes())
    before = note.read_bytes()
    aged(note)
    done = aurelius("search", "Sarah's dinner", cwd=root)
    assert (done.err, note.read_bytes()) == ("", before)


@pytest.mark.parametrize("by", ["--vault", "AURELIUS_VAULT"])
def test_nothing_is_written_to_a_folder_that_is_not_a_vault(
    aurelius: Aurelius,
    tmp_path: Path,
    env: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    by: str,
) -> None:
    there = tmp_path / "mistyped"
    there.mkdir()
    (there / "joe.md").write_text("# Joe\n")
    named = ["--vault", str(there)] if by == "--vault" else []
    if not named:
        monkeypatch.setitem(env, by, str(there))
    before = files(there)
    for argv in (
        ["note", "stray"],
        ["add", "stray"],
        ["new", "person", "Ada"],
        ["rm", "joe", "--yes"],
        ["summarize"],
    ):
        done = aurelius(*argv, *named)
        assert (done.code, done.out) == (4, ""), argv
        assert f"{there} is not a vault; nothing was written" in done.err
        assert f"to make it one: aurelius init --adopt {there}" in done.err
    assert files(there) == before
    assert aurelius("get", "joe", *named).code == 0
