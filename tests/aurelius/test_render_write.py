"""What writing commands tell a person: a line a note, a diff, a line a change, and nothing that steers a terminal."""

from __future__ import annotations

import datetime

from aurelius.edit import Edit
from aurelius.render_write import changes, preview, undoable
from aurelius.undo import Undoable

ZONE = datetime.UTC
EDITS = [Edit("a\x1b.md", None, b"x\x1b[31m\r\n"), Edit("b.md", b"x", None), Edit("d.md", b"x", b"x")]


def test_a_line_a_note() -> None:
    assert changes(EDITS) == "made a\\x1b.md\nremoved b.md\n"
    assert changes([]) == ""


def test_the_diff_steers_no_terminal() -> None:
    shown = preview(EDITS)
    assert "\x1b" not in shown
    assert "+x\\x1b[31m\n" in shown


def test_a_line_a_change() -> None:
    found = [Undoable(12, 0.0, "one\ntwo", ("a.md",), 0, ""), Undoable(3, 60.0, "x", ("a.md",), 0, "undone")]
    assert undoable(found, ZONE) == "12  1970-01-01 00:00  one\\ntwo\n 3  1970-01-01 00:01  x  (undone)\n"
    assert undoable([], ZONE) == ""
