"""What lies beneath the vault is read there and nowhere else, whatever is swapped for a link between two steps."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from indexer.disk import beneath
from indexer.disk.read_file import file_obstacle, hash_of, read_whole
from indexer.disk.walk import IgnoreRules, Walk, list_folder, walk
from tests.conftest import Aurelius

if os.name == "posix":

    @pytest.fixture(params=[True, False], ids=["opened", "looked at"])
    def root(
        tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> Path:
        monkeypatch.setattr(beneath, "CAN_ENTER", request.param)
        root = tmp_path / "vault"
        (root / "pp" / "deep").mkdir(parents=True)
        (root / "pp" / "n.md").write_text("# Inside\n")
        (root / "pp" / "deep" / "m.md").write_text("# Inside\n")
        (tmp_path / "outside" / "deep").mkdir(parents=True)
        for name in ("n.md", "deep/m.md", "names.md"):
            (tmp_path / "outside" / name).write_text("OUTSIDE\n")
        return root

    def swap(root: Path) -> None:
        (root / "pp").rename(root / ".real")
        (root / "pp").symlink_to(root.parent / "outside")

    def test_a_note_whose_folder_became_a_link_after_the_walk_is_not_read(root: Path) -> None:
        found = walk(str(root), IgnoreRules(str(root), (), {})).found
        assert sorted(found) == ["pp/deep/m.md", "pp/n.md"]
        swap(root)
        for path in found:
            with pytest.raises(OSError, match=r"link|directory"):
                read_whole(str(root), path, was_empty=False)
            assert hash_of(str(root), path) is None
            assert file_obstacle(str(root), path)

    def test_a_note_in_the_vault_is_read(root: Path) -> None:
        found = read_whole(str(root), "pp/deep/m.md", was_empty=False)
        assert found is not None
        assert found.data == b"# Inside\n"
        (root.parent / "linked").symlink_to(root)
        assert file_obstacle(str(root.parent / "linked"), "pp/n.md") is None, (
            "the vault itself may be a link"
        )
        os.mkfifo(root / "pp" / "pipe.md")
        (root / "pp" / "link.md").symlink_to(root / "pp" / "n.md")
        for name in ("pipe.md", "link.md", "deep", "nothing.md"):
            assert hash_of(str(root), f"pp/{name}") is None

    def test_no_name_is_listed_of_a_folder_that_became_a_link(root: Path) -> None:
        swap(root)
        if not beneath.CAN_ENTER:
            return
        for folder in ("pp", "pp/deep"):
            seen = Walk({}, {}, {})
            with beneath.Descent(str(root)) as descent:
                assert list_folder(descent, folder, IgnoreRules(str(root), (), {}), seen) == []
            assert seen.found == {}

    def test_a_deep_walk_opens_each_folder_once_and_keeps_none_open(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        depth = 3 * beneath.MOST_OPEN
        expected = set()
        folder = tmp_path / "vault"
        for level in range(depth):
            (folder / "side").mkdir(parents=True)
            (folder / "side" / "n.md").write_text("x\n")
            expected.add("d/" * level + "side/n.md")
            folder /= "d"
        open_one = os.open

        def descriptors() -> int:
            return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

        before = descriptors()
        held = before
        opened = 0

        def counted(*args: Any, **options: Any) -> int:
            nonlocal opened, held
            opened += 1
            held = max(held, descriptors())
            return open_one(*args, **options)

        monkeypatch.setattr(os, "open", counted)
        root = str(tmp_path / "vault")
        assert set(walk(root, IgnoreRules(root, (), {})).found) == expected
        assert descriptors() == before
        assert held <= before + beneath.MOST_OPEN + 2
        assert opened <= 6 * depth, (
            "each folder is opened from the one above it, not from the vault's"
        )

    def test_a_folder_is_not_taken_for_one_whose_name_it_begins_with(tmp_path: Path) -> None:
        for path in ("a/b/c", "ab/c", "b"):
            (tmp_path / path).mkdir(parents=True)
        with beneath.Descent(str(tmp_path)) as descent:
            for path in ("a", "ab", "a/b", "ab/c", "a/b/c", "b", "", "a/b"):
                found = os.fstat(descent.enter(path))
                assert found.st_ino == (tmp_path / path).stat().st_ino, path

    def test_no_search_shows_what_a_swapped_folder_leads_to(
        tmp_path: Path, aurelius: Aurelius
    ) -> None:
        root, outside = tmp_path / "vault", tmp_path / "outside"
        for each in (root / "pp", root / ".aurelius", outside):
            each.mkdir(parents=True)
        (outside / "n.md").write_text("OUTSIDESECRET\n")
        stop, turns = threading.Event(), 0

        def swapping() -> None:
            nonlocal turns
            while not stop.wait(0.0005):
                (root / "pp").rename(root / ".real")
                (root / "pp").symlink_to(outside)
                stop.wait(0.0005)
                (root / "pp").unlink()
                (root / ".real").rename(root / "pp")
                turns += 1

        thread = threading.Thread(target=swapping)
        thread.start()
        try:
            shown = []
            turn = 0
            while turn < 12 or turns <= 20:
                turn += 1
                for folder in (root / "pp", root / ".real"):
                    try:
                        (folder / "n.md").write_text(f"# Turn {turn}\n")
                        break
                    except OSError:
                        continue
                (outside / "n.md").write_text("OUTSIDESECRET\n")
                done = aurelius("search", "OUTSIDESECRET", "--mode", "keyword", cwd=root)
                shown += [done.out] if "OUTSIDE" in done.out else []
        finally:
            stop.set()
            thread.join()
        assert shown == []
