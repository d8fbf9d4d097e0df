"""Hundreds of malformed and hostile inputs at the doors of agents; `scripts/bench hostile` has ten thousand."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest

from aurelius.writing import undo_log
from tests.daily import daily
from tests.storms.hostile import Input, drawn
from tests.storms.hostile_doors import CANARY, DOORS, Place, all_is_kept, storm

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the vault has links in it")


def test_nothing_said_at_a_door_breaks_anything() -> None:
    each = daily(80, 250)
    with tempfile.TemporaryDirectory(prefix="storm-") as top:
        found = storm(Path(top), 20_260_210, 4 * each)
    assert found.wrong == []
    assert found.asked == {"mcp": each, "memory-tool": each, "tool": each, "hook": each}


def test_a_seed_says_the_same_again_and_another_something_else() -> None:
    assert list(drawn(1, 200)) == list(drawn(1, 200)) != list(drawn(2, 200))


def test_a_line_that_an_accepted_edit_took_out_is_not_lost_however_many_edits_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_log, "MOST_UNDO_ENTRIES", 3)  # in the place of 200
    place, mark = Place(tmp_path), "mark of people/n1.md number 1"
    edits = [
        ("n1", mark, ""),
        *(("n2", "Likes tea" + "!" * at, "Likes tea" + "!" * (at + 1)) for at in range(5)),
    ]
    calls = [
        {
            "command": "str_replace",
            "path": f"/memories/people/{note}.md",
            "old_str": old,
            "new_str": new,
        }
        for note, old, new in edits
    ]
    said = [Input("memory-tool", json.dumps(each).encode()) for each in calls]
    with all_is_kept():
        assert DOORS["memory-tool"](place, said) == []
    assert mark not in (place.root / "people/n1.md").read_text()
    assert place.lost() == []
    DOORS["memory-tool"](
        place, [Input("memory-tool", json.dumps({**calls[0], "old_str": "number 0"}).encode())]
    )
    assert place.lost() == [mark], "undo itself has forgotten it by now"


def test_what_is_lost_or_changed_is_seen(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert (place.lost(), place.unwritable()) == ([], place.kept)
    (place.root / "people/n3.md").write_text("# Nothing\n")
    assert place.lost() == [f"mark of people/n3.md number {at}" for at in range(3)]
    (place.beside / "new.md").write_text(CANARY)
    (place.root / ".git/config").write_text("[core]\neditor = x\n")
    changed = {path for path, held in place.unwritable().items() if place.kept.get(path) != held}
    assert changed == {"beside/new.md", "vault/.git/config"}
