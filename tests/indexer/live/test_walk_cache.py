"""The cache of a walk, and the hints that renew it."""

from __future__ import annotations

import errno
import random
import shutil
from pathlib import Path

import pytest

from indexer.disk.walk import IgnoreRules, Walk, walk
from indexer.errors import IndexUnavailableError
from indexer.live.walk_cache import Hints, PendingHints, Seen, refusal


def whole(root: Path) -> tuple[Walk, dict[str, bool]]:
    rules = IgnoreRules(str(root), (), {})
    return walk(str(root), rules), rules.verdicts


def looked(seen: Seen, folders: set[str] | None) -> tuple[Walk, dict[str, bool]]:
    rules = IgnoreRules(seen.root, (), {})
    return seen.look(rules, folders), rules.verdicts


def write(path: Path, text: str = "x\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path in (
        "a.md",
        "people/joe.md",
        "people/old/sam.md",
        "projects/x/y/z.md",
        "drafts/one.md",
        "drafts/two.md",
    ):
        write(root / path)
    write(root / ".gitignore", "drafts/two.md\n*.bak.md\n")
    return root


def test_everything_at_first(vault: Path) -> None:
    seen = Seen(str(vault))
    assert looked(seen, set()) == whole(vault)
    assert set(seen.folders) == {
        "",
        "people",
        "people/old",
        "projects",
        "projects/x",
        "projects/x/y",
        "drafts",
    }


def test_only_where_something_happened(vault: Path) -> None:
    seen = Seen(str(vault))
    before, _ = looked(seen, None)
    write(vault / "people/new.md")
    write(vault / "drafts/three.md")
    found, _ = looked(seen, {"people"})
    assert set(found.found) - set(before.found) == {"people/new.md"}
    assert looked(seen, {"drafts"}) == whole(vault)


def test_a_folder_that_is_not_known_is_found_from_above(vault: Path) -> None:
    seen = Seen(str(vault))
    looked(seen, None)
    write(vault / "areas/health/sleep.md")
    assert looked(seen, {"areas/health"}) == whole(vault)
    shutil.rmtree(vault / "projects")
    assert looked(seen, {"projects/x/y", ""}) == whole(vault)
    assert "projects/x" not in seen.folders


def test_another_folder_under_the_same_name(vault: Path) -> None:
    seen = Seen(str(vault))
    looked(seen, None)
    (vault / "projects").rename(vault / "finished")
    write(vault / "projects/x/other.md")
    assert looked(seen, None) == whole(vault)


def test_a_folder_becomes_a_file(vault: Path) -> None:
    seen = Seen(str(vault))
    looked(seen, None)
    shutil.rmtree(vault / "people")
    write(vault / "people")
    assert looked(seen, None) == whole(vault)


def test_what_is_judged_later_is_kept(vault: Path) -> None:
    """A walk with `trust` lets unknown notes pass; what the rules say of them then is taken over."""
    seen = Seen(str(vault))
    rules = IgnoreRules(str(vault), (), {}, trust=True)
    on_disk = seen.look(rules, None)
    assert "drafts/two.md" in on_disk.found
    del on_disk.found["drafts/two.md"]
    rules.verdicts["drafts/two.md"] = True
    seen.settle(on_disk, rules.verdicts)
    rules = IgnoreRules(str(vault), (), {}, trust=True)
    assert "drafts/two.md" not in seen.look(rules, {"people"}).found
    assert rules.verdicts["drafts/two.md"]


def test_a_vault_that_is_gone(vault: Path) -> None:
    seen = Seen(str(vault))
    looked(seen, None)
    vault.rename(vault.with_name("elsewhere"))
    with pytest.raises(IndexUnavailableError):
        looked(seen, {""})
    assert not seen.folders
    vault.with_name("elsewhere").rename(vault)
    assert looked(seen, set()) == whole(vault)


@pytest.mark.parametrize("seed", range(6))
def test_the_same_as_a_walk_whatever_happened(
    tmp_path: Path, seed: int, dice: random.Random
) -> None:
    """Random changes, each told as the watch would tell it: the same notes, rules and verdicts in the same order."""
    root = tmp_path / "vault"
    root.mkdir()
    seen = Seen(str(root))
    names = ["a", "b", "c"]
    for _ in range(60):
        folders: set[str] = set()
        has_moved = False
        for _ in range(dice.randint(1, 5)):
            folder = "/".join(dice.choices(names, k=dice.randint(0, 3)))
            here = root / folder
            match dice.randint(0, 4):
                case 0 | 1:
                    for depth in range(
                        folder.count("/") + bool(folder)
                    ):  # each folder that is made is told of
                        made = "/".join(folder.split("/")[: depth + 1])
                        if not (root / made).is_dir():
                            (root / made).mkdir()
                            has_moved = True
                    write(here / f"{dice.choice(names)}.md", "x" * dice.randint(0, 9))
                    folders.add(folder)
                case 2 if here.is_dir() and folder:
                    shutil.rmtree(here)
                    has_moved = True
                case 3 if here.is_dir() and folder:
                    there = root / f"{dice.choice(names)}-{dice.randint(0, 3)}"
                    if not there.exists():
                        here.rename(there)
                        has_moved = True
                case _ if here.is_dir():
                    write(here / ".gitignore", f"{dice.choice(names)}.md\n{dice.choice(names)}/\n")
                    folders.add(folder)
                    seen = Seen(str(root))  # other rules: everything is looked at anew
        told = None if has_moved else folders
        assert [list(looked(seen, told)[0].found.items())] == [list(whole(root)[0].found.items())]
        assert looked(seen, set())[1] == whole(root)[1]


def found(calls: list[str] | None = None) -> PendingHints:
    told = calls if calls is not None else []
    return PendingHints(lambda: told.append("woken"))


def test_what_is_given_is_forgotten() -> None:
    gathered = found()
    gathered.folder("a")
    assert gathered.give() == Hints(frozenset({"a"}), "")
    assert gathered.give() == Hints(frozenset(), "")


@pytest.mark.parametrize(
    "name", ["a.md", "A.MARKDOWN", ".gitignore", ".aureliusignore", "\udcff.md"]
)
def test_a_note_or_a_rule_file_is_a_hint(name: str) -> None:
    gathered = found()
    gathered.file("people", name)
    assert gathered.give().folders == {"people"}


@pytest.mark.parametrize(
    "name",
    [
        ".a.md.swp",
        "4913",
        "a.md~",
        "#a.md#",
        ".#a.md",
        "sedXY12ab",
        ".goutputstream-AB",
        "a.md.tmp.12.3",
        "a.txt",
    ],
)
def test_what_savers_leave_beside_a_note_is_none(name: str) -> None:
    gathered = found()
    gathered.file("people", name)
    assert gathered.give() == Hints(frozenset(), "")


def test_of_several_alarms_the_first_is_told() -> None:
    gathered = found()
    gathered.folder("a")
    gathered.alarm("one")
    gathered.alarm("two")
    gathered.folder("b")
    assert gathered.give() == Hints(frozenset({"b"}), "one")


def test_nobody_is_woken_for_nothing() -> None:
    calls: list[str] = []
    gathered = found(calls)
    gathered.wake()
    assert calls == []
    gathered.folder("")
    gathered.wake()
    assert calls == ["woken"]


def test_whoever_is_woken_may_fail() -> None:
    def fail() -> None:
        raise ValueError("no")

    gathered = PendingHints(fail)
    gathered.folder("a")
    gathered.wake()
    assert gathered.give().alarm == "a change could not be reported: no"


def test_a_refusal_says_what_to_do() -> None:
    assert "raise fs.inotify.max_user_instances" in refusal(OSError(errno.EMFILE, "Too many"))
    assert "(function not implemented)" in refusal(
        OSError(errno.ENOSYS, "Function not implemented")
    )
