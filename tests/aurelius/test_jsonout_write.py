"""The JSON of writing commands tells what was done or would be; its keys are held to json.md by test_jsonout.py."""

from __future__ import annotations

import datetime
import json

from aurelius.edit import Applied, Edit
from aurelius.jsonout_write import kind, local, undoable, written
from aurelius.undo import Undoable

EDITS = [Edit("a.md", None, b"x\n"), Edit("b.md", b"x", None), Edit("c.md", b"x\n", b"y\n"), Edit("d.md", b"x", b"x")]


def test_what_was_done() -> None:
    found = json.loads(written(EDITS, Applied(7, "no branch is checked out"), path="a.md"))
    assert found == {
        "schema": 1, "path": "a.md", "dry_run": False, "number": 7, "diff": "",
        "changes": [{"path": "a.md", "change": "made"}, {"path": "b.md", "change": "removed"},
                    {"path": "c.md", "change": "changed"}],
        "uncommitted": "no branch is checked out",
    }  # fmt: skip


def test_what_would_be_done() -> None:
    found = json.loads(written(EDITS, None))
    assert (found["dry_run"], found["number"], found["uncommitted"]) == (True, 0, "")
    assert "+++ b/c.md\n@@ -1 +1 @@\n-x\n+y\n" in found["diff"]


def test_kinds_of_change() -> None:
    assert [kind(edit) for edit in EDITS] == ["made", "removed", "changed", "changed"]


def test_the_list_has_times_of_the_persons_clock() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=9))
    found = json.loads(undoable([Undoable(3, 0.5, "why", ("a.md",), 2, "undone")], zone))
    assert found["changes"] == [
        {"number": 3, "time": "1970-01-01T09:00:00", "why": "why", "paths": ["a.md"], "undoes": 2, "obstacle": "undone"}
    ]
    assert local(86400.0, zone) == "1970-01-02T09:00:00"
