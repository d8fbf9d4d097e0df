"""A thousand malformed and hostile inputs at the doors of agents; `scripts/bench hostile` has ten thousand."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.storms.hostile import drawn
from tests.storms.hostile_doors import CANARY, Place, storm

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the vault has links in it")


def test_nothing_said_at_a_door_breaks_anything() -> None:
    with tempfile.TemporaryDirectory(prefix="storm-") as top:
        found = storm(Path(top), 20_260_210, 1_000)
    assert found.wrong == []
    assert found.asked == {"mcp": 250, "memory-tool": 250, "tool": 250, "hook": 250}


def test_a_seed_says_the_same_again_and_another_something_else() -> None:
    assert list(drawn(1, 200)) == list(drawn(1, 200)) != list(drawn(2, 200))


def test_what_is_lost_or_changed_is_seen(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert (place.lost(), place.unwritable()) == ([], place.kept)
    (place.root / "people/n3.md").write_text("# Nothing\n")
    assert place.lost() == [f"mark of people/n3.md number {at}" for at in range(3)]
    (place.beside / "new.md").write_text(CANARY)
    (place.root / ".git/config").write_text("[core]\neditor = x\n")
    changed = {path for path, held in place.unwritable().items() if place.kept.get(path) != held}
    assert changed == {"beside/new.md", "vault/.git/config"}
