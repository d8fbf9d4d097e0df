"""A vault that is moved away while it is looked at: no note is taken for deleted."""

from __future__ import annotations

import time
from pathlib import Path

from indexer.disk.walk import IgnoreRules, Walk, walk
from indexer.note import Settings
from indexer.refresh.refresh import refresh


def test_notes_of_a_vault_that_is_moved_away_during_a_walk_stay_in_the_index(
    tmp_path: Path,
) -> None:
    root = tmp_path / "vault"
    for number in range(9):
        (root / f"area-{number % 3}").mkdir(parents=True, exist_ok=True)
        (root / f"area-{number % 3}" / f"{number}.md").write_text(f"# Note {number}\n")
    settings = Settings(str(root), str(tmp_path / "index"))
    refresh(settings, now=time.time())[0].close()

    def look(rules: IgnoreRules) -> Walk:
        """A walk whose last folder was gone when it came there."""
        seen = walk(str(root if root.exists() else tmp_path / "away"), rules)
        for path in [path for path in seen.found if path.startswith("area-2/")]:
            del seen.found[path]
        if root.exists():
            root.rename(tmp_path / "away")
        return seen

    index, report = refresh(settings, now=time.time(), look=look)
    assert (len(index.get_keys()), report.fresh) == (9, False)
    index.close()
