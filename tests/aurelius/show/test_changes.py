"""What writing commands tell: exactly what would change (`patch` makes the same of it), and nothing that steers a
terminal; the keys of the JSON are held to json.md by test_jsonout.py.
"""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurelius.show.changes import (
    changes_text,
    diff_text,
    kind,
    local,
    preview,
    undoable,
    undoable_json,
    written_json,
)
from aurelius.writing.check_edit import Applied, Edit
from aurelius.writing.undo import Undoable
from tests.daily import daily

ZONE = datetime.UTC
TEXTS = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "c", "é\r\n", "- x\n", "-- y\n", "+z\n"]), max_size=8
).map("".join)
ODD = [Edit("a\x1b.md", None, b"x\x1b[31m\r\n"), Edit("b.md", b"x", None), Edit("d.md", b"x", b"x")]
EDITS = [
    Edit("a.md", None, b"x\n"),
    Edit("b.md", b"x", None),
    Edit("c.md", b"x\n", b"y\n"),
    Edit("d.md", b"x", b"x"),
]


def test_lines_ends_and_names_are_shown() -> None:
    assert diff_text([Edit("a.md", b"x\ny", b"x\nz\n"), Edit("same.md", b"s", b"s")]) == (
        "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+z\n"
    )
    assert (
        diff_text([Edit("new.md", None, b"x\n")])
        == "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+x\n"
    )
    assert (
        diff_text([Edit("old.md", b"x\n", None)])
        == "--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    assert (
        diff_text([Edit("a.md", b"x\n", b"x\r\n")])
        == "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-x\n+x\r\n"
    )
    assert diff_text([Edit("a.md", b"\xff\n", b"\xffx\n")]).endswith("-\ufffd\n+\ufffdx\n")


def test_a_name_with_a_line_end_stays_on_its_line_in_a_diff() -> None:
    shown = preview([Edit("a\nb.md", b"x\n", None), Edit("n.md", None, b"y\n", "a\nb.md")])
    assert [line for line in shown.splitlines() if line.startswith(("---", "+++", "renamed"))] == [
        "renamed: a\\nb.md → n.md",
        "--- a/a\\nb.md",
        "+++ b/n.md",
    ]


def test_a_note_that_moves_is_not_shown_twice() -> None:
    text = b"".join(b"%d\n" % number for number in range(99))
    left, links = Edit("a.md", text, None), Edit("c.md", b"[[a]]\n", b"[[b]]\n")
    assert diff_text([left, Edit("x/b.md", None, text, "a.md")]) == "renamed: a.md → x/b.md\n"
    shown = diff_text([Edit("x/b.md", None, text + b"z\n", "a.md"), left, links])
    assert shown.startswith("renamed: a.md → x/b.md\n--- a/a.md\n+++ b/x/b.md\n@@ -97,3 +97,4 @@\n")
    assert shown.endswith(" 98\n+z\n--- a/c.md\n+++ b/c.md\n@@ -1 +1 @@\n-[[a]]\n+[[b]]\n")
    assert "+++ /dev/null" in diff_text([left, Edit("b.md", None, text)]), (
        "made and removed, and not said to be one note"
    )


@settings(max_examples=daily(40, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=TEXTS, after=TEXTS)
def test_git_applies_it(tmp_path: Path, before: str, after: str) -> None:
    git = shutil.which("git")
    assert git, "the suite needs git"
    if before == after or not before or not after:
        return
    note = tmp_path / "a.md"
    note.write_bytes(before.encode())
    shown = diff_text([Edit("a.md", before.encode(), after.encode())])
    subprocess.run(
        [git, "apply", "--unsafe-paths", "--whitespace=nowarn", "-"],
        cwd=tmp_path,
        input=shown.encode(),
        check=True,
    )
    assert note.read_bytes() == after.encode()


@pytest.mark.parametrize("edits", [[], [Edit("a.md", b"x", b"x")], [Edit("a.md", None, None)]])
def test_nothing_is_nothing(edits: list[Edit]) -> None:
    assert diff_text(edits) == ""


def test_a_line_a_note() -> None:
    assert changes_text(ODD) == "made a\\x1b.md\nremoved b.md\n"
    assert changes_text([]) == ""


def test_the_diff_steers_no_terminal() -> None:
    shown = preview(ODD)
    assert "\x1b" not in shown
    assert "+x\\x1b[31m\n" in shown


def test_a_line_a_change() -> None:
    found = [
        Undoable(12, 0.0, "one\ntwo", ("a.md",), 0, ""),
        Undoable(3, 60.0, "x", ("a.md",), 0, "undone"),
    ]
    assert (
        undoable(found, ZONE)
        == "12  1970-01-01 00:00  one\\ntwo\n 3  1970-01-01 00:01  x  (undone)\n"
    )
    assert undoable([], ZONE) == ""


def test_the_json_of_a_change_names_what_was_written_and_not_committed() -> None:
    found = json.loads(
        written_json(EDITS, Applied(7, "no branch is checked out"), every=True, path="a.md")
    )
    assert found == {
        "schema": 1,
        "path": "a.md",
        "dry_run": False,
        "number": 7,
        "diff": "",
        "changes": [
            {"path": "a.md", "change": "made"},
            {"path": "b.md", "change": "removed"},
            {"path": "c.md", "change": "changed"},
        ],
        "uncommitted": "no branch is checked out",
    }


def test_what_would_be_done() -> None:
    found = json.loads(written_json(EDITS, None, every=True))
    assert (found["dry_run"], found["number"], found["uncommitted"]) == (True, 0, "")
    assert "+++ b/c.md\n@@ -1 +1 @@\n-x\n+y\n" in found["diff"]


def test_kinds_of_change() -> None:
    assert [kind(edit) for edit in EDITS] == ["made", "removed", "changed", "changed"]


def test_the_list_has_times_of_the_persons_clock() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=9))
    found = json.loads(
        undoable_json([Undoable(3, 0.5, "why", ("a.md",), 2, "undone")], zone, every=True)
    )
    assert found["changes"] == [
        {
            "number": 3,
            "time": "1970-01-01T09:00:00",
            "why": "why",
            "paths": ["a.md"],
            "undoes": 2,
            "obstacle": "undone",
        }
    ]
    assert local(86400.0, zone) == "1970-01-02T09:00:00"
