"""Folders that refuse: each still answers, from an index of its own somewhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer.note import Settings
from indexer.refresh.refresh import RefreshReport, purge_note, rebuild, refresh

ROOT = Path(__file__).resolve().parents[2]
LATER = 100.0
AsNobody = Callable[[Callable[[], None]], None]


class Place:
    """A vault and its index, both somebody else's to whom everything may be refused."""

    def __init__(self, top: Path) -> None:
        self.vault, self.index, self.temporary = (
            top / name for name in ("vault", "index", "temporary")
        )
        for folder in (self.vault, self.index, self.temporary):
            folder.mkdir()
        self.temporary.chmod(0o777)
        for number in range(3):
            (self.vault / f"{number}.md").write_text(f"# Note {number}\n")
        self.settings = Settings(str(self.vault), str(self.index), vectors=False)
        self.go()
        (self.vault / "0.md").write_text("# Note 0\n\nchanged\n")
        self.go()

    def go(
        self, now: float = LATER, settings: Settings | None = None
    ) -> tuple[str, RefreshReport, list[str]]:
        index, report = refresh(settings or self.settings, now=time.time() + now)
        paths = sorted(index.get_keys())
        index.close()
        return index.folder, report, paths


if hasattr(os, "fork"):

    @pytest.fixture
    def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            top.chmod(0o755)
            made = Place(top)
            monkeypatch.setattr(tempfile, "tempdir", str(made.temporary))
            yield made

    def test_an_index_that_may_only_be_read_answers_as_long_as_it_is_right(
        place: Place, as_nobody: AsNobody
    ) -> None:
        """Opened immutable; once the vault differs, a temporary index answers, and one line says so."""

        def act() -> None:
            folder, report, paths = place.go()
            assert (folder, report.fresh, report.notices, len(paths)) == (
                str(place.index),
                True,
                (),
                3,
            )

        as_nobody(act)
        (place.vault / "new.md").write_text("# New\n")

        def differs() -> None:
            for _ in range(2):
                folder, report, paths = place.go()
                assert folder.startswith(str(place.temporary))
                assert (report.fresh, len(report.notices), len(paths)) == (True, 1, 4)
                assert str(place.index) in report.notices[0]

        as_nobody(differs)

    def test_a_damaged_index_that_may_only_be_read(place: Place, as_nobody: AsNobody) -> None:
        for path in place.index.glob("index-*.db"):
            path.write_bytes(b"garbage" * 1000)

        def act() -> None:
            folder, report, paths = place.go()
            assert folder.startswith(str(place.temporary))
            assert (report.fresh, len(paths)) == (True, 3)

        as_nobody(act)

    def test_nowhere_to_write_means_memory(place: Place, as_nobody: AsNobody) -> None:
        place.temporary.chmod(0o555)
        (place.vault / "new.md").write_text("# New\n")

        def act() -> None:
            folder, report, paths = place.go()
            assert (folder, report.fresh, len(report.notices), len(paths)) == ("", True, 1, 4)
            folder, report, paths = place.go(
                settings=place.settings._replace(folder=str(place.index / "none"))
            )
            assert (folder, report.fresh, len(report.notices), len(paths)) == ("", True, 1, 4)
            index, report = rebuild(place.settings, now=time.time())
            assert (index.folder, report.fresh, len(report.notices)) == ("", True, 1)

        as_nobody(act)

    def test_a_temporary_folder_of_somebody_else_is_not_trusted(
        place: Place, as_nobody: AsNobody
    ) -> None:
        """What another user could read or replace holds no notes."""
        there = place.temporary / "aurelius-65534" / "none"
        there.mkdir(parents=True)
        for folder in (there, there.parent):
            folder.chmod(0o777)

        def act() -> None:
            folder, report, _ = place.go(
                settings=place.settings._replace(folder=str(place.index / "none"))
            )
            assert (folder, len(report.notices)) == ("" if os.getuid() == 65534 else folder, 1)
            assert os.listdir(there) == [] or os.getuid() != 65534

        as_nobody(act)

    def test_a_folder_that_cannot_be_listed_is_no_deletion(
        place: Place, as_nobody: AsNobody
    ) -> None:
        """A permission error is not a deletion; it is named, and the rest goes on."""
        (place.vault / "deep" / "er").mkdir(parents=True)
        for number in range(30):
            (place.vault / "deep" / "er" / f"{number}.md").write_text(f"# {number}\n")
        place.go()
        for folder in (place.index, *place.index.iterdir()):
            folder.chmod(0o777)
        for mode, failed in (
            (0, ["deep/er/"]),
            (0o444, [f"deep/er/{number}.md" for number in range(30)]),
            (0o755, []),
        ):
            (place.vault / "deep" / "er").chmod(mode)
            (place.vault / f"mode{mode}.md").write_text("# Other\n")

            def act(failed: list[str] = failed) -> None:
                _, report, paths = place.go()
                assert (report.removed, report.held, report.added) == (0, 0, 1)
                assert sorted(path for path, _ in report.failed) == sorted(failed)
                assert {why for _, why in report.failed} <= {"permission denied"}
                assert len([path for path in paths if path.startswith("deep")]) == 30

            as_nobody(act)

    def test_rules_that_cannot_be_read_hide_all_that_they_may_hide(
        place: Place, as_nobody: AsNobody
    ) -> None:
        """Where nobody can say what is private, nothing is shown."""
        (place.vault / ".aureliusignore").write_text("secret.md\n")
        place.go()
        for path in (place.index, *place.index.iterdir()):
            path.chmod(0o777)
        (place.vault / "secret.md").write_text("# Secret\n")
        (place.vault / ".aureliusignore").chmod(0)

        def act() -> None:
            for _ in range(2):
                _, report, paths = place.go()
                assert paths == []
                assert (
                    ".aureliusignore",
                    ".aureliusignore cannot be read: Permission denied",
                ) in report.failed

        as_nobody(act)

    def test_forget_says_when_it_may_not(place: Place, as_nobody: AsNobody) -> None:
        from indexer.errors import IndexUnavailableError

        def act() -> None:
            with pytest.raises(IndexUnavailableError, match="not fully removed from"):
                purge_note(place.settings, "0.md")

        as_nobody(act)


def test_a_vault_on_a_read_only_mount(tmp_path: Path) -> None:
    """A vault on a read-only mount is indexed, searched and refreshed like any other."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("# Sencha\n")
    script = (
        'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && ! touch "$1/x" 2>/dev/null && '
        'exec "$3" -c "$4" "$1" "$2"'
    )
    names = [str(tmp_path / "vault"), str(tmp_path / "index"), sys.executable, MOUNTED]
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script, "sh", *names]
        if shutil.which("unshare")
        else ["false"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    if not done.stdout and (
        "unshare:" in done.stderr or "mount:" in done.stderr or not shutil.which("unshare")
    ):
        sys.stderr.write(f"No mount of our own here, so nothing was tested: {done.stderr}")
        return
    assert (done.stdout, done.stderr) == ("1 True ()\n0 True ()\n", "")


MOUNTED = """
import sys, time
from indexer.refresh.refresh import refresh
from indexer.note import Settings
for _ in range(2):
    index, report = refresh(Settings(sys.argv[1], sys.argv[2]), now=time.time() + 100)
    print(report.added, report.fresh, report.notices)
"""
