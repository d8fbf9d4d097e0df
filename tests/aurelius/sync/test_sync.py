"""What a sync brings, sends, tells and refuses, between devices that meet in a folder."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aurelius.writing import check_out as writing_check_out
from tests.aurelius.sync.devices import Device, first_device, meeting_place


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return meeting_place(tmp_path)


@pytest.fixture
def one(tmp_path: Path, remote: Path) -> Device:
    return first_device(tmp_path, remote)


@pytest.fixture
def two(tmp_path: Path, remote: Path, one: Device) -> Device:
    return Device(tmp_path, "two", remote)


def test_what_one_device_saves_is_on_the_other_after_both_synced(one: Device, two: Device) -> None:
    one.write("people/tom.md", "# Tom\n\n- Likes tea\n")
    assert one.sync() == "sent 1 note (1 new); up to date with origin/main"
    assert two.sync() == "received 1 note (1 new); up to date with origin/main"
    two.write("people/tom.md", "# Tom\n\n- Likes coffee\n")
    (two.vault / "people/tom.md").rename(two.vault / "people/thomas.md")
    two.write("people/ann.md", "# Ann\n")
    two.sync()
    one.sync()
    assert one.files() == two.files()
    assert not (one.vault / "people/tom.md").exists()
    assert one.git("status", "--short") == two.git("status", "--short") == ""


def test_a_second_sync_changes_nothing(one: Device) -> None:
    one.write("a.md", "# A\n")
    one.sync()
    head = one.git("rev-parse", "HEAD")
    assert one.sync() == "nothing new; up to date with origin/main"
    assert one.git("rev-parse", "HEAD") == head


def test_notes_that_both_devices_made_come_together(one: Device, two: Device) -> None:
    one.write("a.md", "# A\n")
    two.write("b.md", "# B\n")
    one.sync()
    assert two.sync() == "sent 1 note (1 new), received 1 note (1 new); up to date with origin/main"
    assert one.sync() == "received 1 note (1 new); up to date with origin/main"
    assert one.files() == two.files()


def test_the_json_counts_what_went_and_came(one: Device, two: Device) -> None:
    two.write("b.md", "# B\n")
    done = json.loads(two("sync", "--json").out)
    assert done["sent"] == {"new": 1, "changed": 0, "deleted": 0, "other": 0}
    assert done["remote"] == "origin/main"
    assert not done["dry_run"]


def test_a_dry_run_touches_no_note_no_index_and_no_branch(one: Device, two: Device) -> None:
    one.write("a.md", "# A\n")
    one.sync()
    two.write("b.md", "# B\n")
    before, head = two.files(), two.git("rev-parse", "HEAD", "origin/main")
    index = (two.vault / ".git/index").read_bytes()
    assert two.sync("--dry-run") == "would send 1 note (1 new), would receive 1 note (1 new)"
    assert two.files() == before
    assert two.git("rev-parse", "HEAD", "origin/main") == head
    assert (two.vault / ".git/index").read_bytes() == index


def test_without_a_remote_everything_is_committed_and_that_is_told(one: Device) -> None:
    one.git("remote", "remove", "origin")
    one.write("a.md", "# A\n")
    assert "there is no remote" in one.sync()
    assert one.git("status", "--short") == ""


def test_an_edit_outlives_a_deletion_and_that_is_told(one: Device, two: Device) -> None:
    one.write("a.md", "# A\n\n- First\n")
    one.sync()
    two.sync()
    (one.vault / "a.md").unlink()
    one.sync("--yes")
    two.write("a.md", "# A\n\n- First\n- Second\n")
    assert "a.md was deleted on one device and edited on another: it stays" in two("sync").out
    one.sync()
    assert one.read("a.md") == two.read("a.md") == "# A\n\n- First\n- Second\n"


def test_a_file_that_is_no_note_and_was_changed_twice_is_kept_twice(
    one: Device, two: Device
) -> None:
    one.write("map.txt", "first\n")
    one.sync()
    two.sync()
    one.write("map.txt", "second\n")
    two.write("map.txt", "third\n")
    one.sync()
    assert "map.txt was changed on two devices" in two("sync").out
    one.sync()
    assert one.files() == two.files()
    kept = {data for path, data in one.files().items() if path.startswith("map")}
    assert kept == {b"second\n", b"third\n"}


def test_a_note_that_each_device_gave_another_name_has_one_of_them(
    one: Device, two: Device
) -> None:
    text = "# Boat\n\n" + "".join(
        f"- Line {number} of the boat ^boat{number}\n" for number in range(9)
    )
    one.write("boat.md", text)
    one.sync()
    two.sync()
    (one.vault / "boat.md").rename(one.vault / "ship.md")
    (two.vault / "boat.md").rename(two.vault / "canoe.md")
    one.sync("--yes")
    two.sync("--yes")
    one.sync("--yes")
    assert one.files() == two.files()
    assert one.read("canoe.md") == text
    assert not (one.vault / "ship.md").exists()


def test_a_fact_that_was_moved_here_and_edited_there_keeps_its_id_once(
    one: Device, two: Device
) -> None:
    rest = "".join(f"- Other line {number}\n" for number in range(20))
    one.write("a.md", f"# A\n\n{rest}- The key is under the mat ^key111\n")
    one.write("b.md", "# B\n\n")
    one.sync()
    two.sync()
    one.write("a.md", f"# A\n\n{rest}")
    one.write("b.md", "# B\n\n- The key is under the mat ^key111\n")
    one.sync()
    (two.vault / "a.md").unlink()
    two.write("c.md", f"# A\n\n{rest}- The key is under the pot ^key111\n")
    two.sync("--yes")
    one.sync("--yes")
    assert one.files() == two.files()
    assert b"".join(one.files().values()).count(b"^key111") == 1


def test_many_notes_go_only_when_the_person_says_so(one: Device, two: Device) -> None:
    for number in range(10):
        one.write(f"n{number}.md", f"# N {number}\n\nText of {number}\n" * 3)
    one.sync()
    two.sync()
    for number in range(8):
        (one.vault / f"n{number}.md").unlink()
    refused = one("sync")
    assert refused.code == 2
    assert "8 of " in refused.err
    assert "aurelius sync --yes" in refused.err
    assert one.git("status", "--short").count("\n") == 8
    one.sync("--yes")
    assert two("sync").code == 2
    assert len([path for path in two.files() if path.startswith("n")]) == 10
    assert two("sync", stdin="y\n", tty=True).code == 0
    assert one.files() == two.files()


def test_two_vaults_that_have_nothing_in_common_are_not_merged(
    tmp_path: Path, one: Device, remote: Path
) -> None:
    other = Device(tmp_path, "other")
    other.vault.mkdir()
    other("init", "--git", ".")
    other.git("branch", "-M", "main")
    other.git("remote", "add", "origin", str(remote))
    before = other.files()
    done = other("sync")
    assert done.code == 6
    assert "have nothing in common" in done.err
    assert other.files() == before


def test_a_remote_that_is_gone_leaves_everything_committed(one: Device, remote: Path) -> None:
    one.write("a.md", "# A\n")
    shutil.move(remote, remote.parent / "away.git")
    done = one("sync")
    assert done.code == 6
    assert "origin cannot be reached" in done.err
    assert "sync` again later" in done.err
    shutil.move(remote.parent / "away.git", remote)
    assert one.sync() == "sent 1 note (1 new); up to date with origin/main"


def test_a_push_that_comes_second_is_joined_and_sent_again(
    one: Device, two: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aurelius.sync import remote as meeting

    real = meeting.push
    calls: list[int] = []

    def late(*given: Any) -> bool:
        if not calls:
            calls.append(1)
            two.write("b.md", "# B\n")
            two.git("add", "-A")
            two.git("commit", "-qm", "by hand")
            two.git("push", "-q")
        return real(*given)

    monkeypatch.setattr(meeting, "push", late)
    one.write("a.md", "# A\n")
    assert one.sync() == "sent 1 note (1 new), received 1 note (1 new); up to date with origin/main"
    two.sync()
    assert one.files() == two.files()


def test_a_note_that_is_edited_meanwhile_is_joined_and_never_written_over(
    one: Device, two: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    one.write("a.md", "# A\n")
    one.sync()
    two.sync()
    one.write("a.md", "# A\n\n- From one\n")
    one.sync()
    real = writing_check_out.check_out
    calls: list[int] = []

    def busy(*given: Any) -> None:
        if not calls:
            calls.append(1)
            two.write("a.md", "# A\n\n- From two\n")
        real(*given)

    monkeypatch.setattr(writing_check_out, "check_out", busy)
    two.sync()
    one.sync()
    assert one.files() == two.files()
    everything = b"".join(one.files().values())
    assert b"- From one" in everything
    assert b"- From two" in everything


@pytest.mark.parametrize("state", ["MERGE_HEAD", "rebase-merge", "BISECT_LOG", "CHERRY_PICK_HEAD"])
def test_nothing_is_done_in_the_middle_of_something_of_gits(one: Device, state: str) -> None:
    (one.vault / ".git" / state).write_text(one.git("rev-parse", "HEAD"))
    one.write("a.md", "# A\n")
    done = one("sync")
    assert done.code == 6
    assert "under way" in done.err
    assert one.git("log", "--oneline", "--", "a.md") == ""


def test_nothing_is_done_without_a_branch(one: Device) -> None:
    one.git("checkout", "-q", "--detach")
    done = one("sync")
    assert done.code == 6
    assert "detached" in done.err


def test_conflict_markers_are_not_sent(one: Device) -> None:
    one.write("a.md", "# A\n<<<<<<< HEAD\n- One\n=======\n- Two\n>>>>>>> other\n")
    done = one("sync")
    assert done.code == 6
    assert "a.md has conflict markers" in done.err
    assert one.git("log", "--oneline", "--", "a.md") == ""


def test_only_the_part_of_a_larger_repository_that_is_the_vault_is_committed(
    tmp_path: Path, remote: Path
) -> None:
    device = Device(tmp_path, "large")
    top = device.home / "work"
    device.vault = top / "notes"
    device.vault.mkdir(parents=True)
    device.git("init", "-q", str(top), cwd=top)
    (top / "code.py").write_text("print()\n")
    device.git("add", "-A", cwd=top)
    device.git("commit", "-qm", "code", cwd=top)
    device("init", "--empty", ".")
    device.git("remote", "add", "origin", str(remote))
    (top / "code.py").write_text("print(1)\n")
    device.git("add", "-A", cwd=top)
    device.write("a.md", "# A\n")
    device.sync()
    assert device.git("status", "--short", cwd=top) == "M  code.py\n"
    assert "notes/a.md" in device.git("ls-tree", "-r", "--name-only", "origin/main", cwd=top)


def test_a_change_can_be_undone_after_a_sync_that_left_its_note_alone(
    one: Device, two: Device
) -> None:
    one.write("people/tom.md", "# Tom\n\n## Facts\n")
    one("add", "people/tom", "Plays chess", "--type", "preference")
    one.sync()
    two.sync()
    two.write("b.md", "# B\n")
    two.sync()
    assert one.sync() == "received 1 note (1 new); up to date with origin/main"
    done = one("undo")
    assert done.code == 2
    assert "git has both sides" in done.err
    assert one("undo", "--number", "1").code == 0
    assert "chess" not in one.read("people/tom.md")


def test_a_link_is_not_sent_and_that_is_told(one: Device, two: Device) -> None:
    (one.vault / "link.md").symlink_to("/etc/passwd")
    assert "link.md is a link" in one("sync").out
    two.sync()
    assert "link.md" not in two.files()


def test_a_linked_working_tree_syncs_as_well(one: Device, two: Device) -> None:
    linked = one.home / "linked"
    one.git("worktree", "add", "-q", "-b", "side", str(linked))
    one.vault = linked
    one.write("a.md", "# A\n")
    done = one("sync")
    assert "has no branch side" in done.err
    one.git("config", "branch.side.remote", "origin")
    one.git("config", "branch.side.merge", "refs/heads/main")
    assert one.sync() == "sent 1 note (1 new); up to date with origin/main"
    two.sync()
    assert "a.md" in two.files()


def test_a_repository_with_long_names_syncs(tmp_path: Path) -> None:
    there = tmp_path / "long.git"
    words = ["git", "init", "-q", "--bare", "-b", "main", "--object-format=sha256", str(there)]
    subprocess.run(words, check=True)
    device = Device(tmp_path, "long")
    device.git("init", "-q", "--object-format=sha256", str(device.vault), cwd=device.home)
    device.git("remote", "add", "origin", str(there))
    device("init", "--empty", ".")
    device.sync()
    other = Device(tmp_path, "other", there)
    other.write("a.md", "# A\n")
    other.sync()
    device.sync()
    assert device.files() == other.files()


def test_a_sync_waits_for_no_other_one(one: Device) -> None:
    from aurelius.sync import sync as syncing
    from indexer.rows.lock import hold

    state = next(one.home.rglob("lock")).parent
    with hold(str(state), syncing._LOCK, 0.0):
        done = one("sync")
    assert done.code == 6
    assert "another sync" in done.err


@pytest.mark.parametrize("step", ["swap", "look_again", "finish"])
@pytest.mark.parametrize("at", [0, 2])
def test_a_sync_that_dies_is_gone_on_with(
    one: Device, two: Device, monkeypatch: pytest.MonkeyPatch, step: str, at: int
) -> None:
    from aurelius.writing.replace_file import Replacement

    for number in range(4):
        one.write(f"n{number}.md", f"# N\n\n- Before {number}\n")
    one.sync()
    two.sync()
    one.write("n0.md", "# N\n\n- After\n")
    (one.vault / "n1.md").unlink()
    one.write("n2.md", "# N\n\n- Later\n")
    one.write("new.md", "# New\n")
    one.sync("--yes")
    two.write("n3.md", "# N\n\n- Mine\n")

    class Killed(BaseException):
        pass

    real, calls = getattr(Replacement, step), []

    def dies(self: Replacement) -> None:
        calls.append(self)
        if len(calls) > at:
            raise Killed
        real(self)

    monkeypatch.setattr(Replacement, step, dies)
    monkeypatch.setattr(Replacement, "back", lambda self: None)
    monkeypatch.setattr("aurelius.sync.sync._drop_pending", lambda place: None)
    with pytest.raises(Killed):
        two("sync", "--yes")
    monkeypatch.undo()
    two.sync("--yes")
    one.sync("--yes")
    assert one.files() == two.files()
    assert sorted(path for path in two.files() if path.startswith("n")) == [
        "n0.md",
        "n2.md",
        "n3.md",
        "new.md",
    ]
    assert not list(two.vault.rglob(".aurelius-*"))


def test_setup_says_what_the_clone_has_and_plain_git_merges_from_then_on(
    one: Device, two: Device
) -> None:
    two.git("config", "--unset", "branch.main.merge")
    told = two("sync", "--setup").out
    assert "remote: origin, " in told
    assert "merging: notes fact by fact" in told
    assert two.git("config", "branch.main.merge") == "refs/heads/main\n"
    assert "merge-file" in two.git("config", "merge.aurelius.driver")


def test_a_line_that_both_devices_changed_stands_twice_and_is_asked_about(
    one: Device, two: Device
) -> None:
    text = "---\ntype: person\n---\n# Tom\n\n## Facts\n\n- Lives in {} ^abc123\n"
    one.write("people/tom.md", text.format("Rome"))
    one.sync()
    two.sync()
    one.write("people/tom.md", text.format("Paris"))
    two.write("people/tom.md", text.format("Berlin"))
    one.sync()
    done = two("sync").out.splitlines()
    assert done[0].startswith("people/tom.md: changed on both devices")
    assert "; 1 question for review; up to date with origin/main" in done[-1]
    one.sync()
    assert one.files() == two.files()
    assert "Lives in Paris" in one("review").out
    assert one("review", "dismiss", "1").code == 0
    one.sync()
    two.sync()
    assert "Lives in Paris" not in two("review").out


def test_uses_and_scores_are_the_same_on_all_devices(one: Device, two: Device) -> None:
    one.write("people/tom.md", "# Tom\n\n## Facts\n\n- Likes tea ^abc123\n")
    one.sync()
    two.sync()
    for _ in range(3):
        two("reinforce", "^abc123")
    two("search", "tea")
    two.sync()
    one.sync()
    scores = [each("status", "--tiers", "people/tom", "--json").out for each in (one, two)]
    assert scores[0] == scores[1]
    assert "abc123" in scores[0]


def test_setup_offers_the_rule_for_notes_in_the_place_of_union(one: Device) -> None:
    one.write(".gitattributes", "memory/*.md merge=union\n*.txt text\n")
    asked = one("sync", "--setup")
    assert "-memory/*.md merge=union" in asked.out
    assert "+*.md merge=aurelius" in asked.out
    assert (one.vault / ".gitattributes").read_text().startswith("memory/*.md merge=union")
    assert one("sync", "--setup", "--yes").code == 0
    assert (one.vault / ".gitattributes").read_text().endswith("*.md merge=aurelius\n*.txt text\n")
    assert "merge=" not in one("sync", "--setup").out


def test_of_two_versions_that_cannot_be_one_the_note_keeps_the_ids(
    one: Device, two: Device
) -> None:
    (one.vault / "odd.md").write_bytes(b"# Odd\n\n- Likes m\xe9lange (2026-01-01) ^abc123\n")
    one.sync()
    two.sync()
    for device, word in ((one, b"caf\xe9"), (two, b"th\xe9")):
        (device.vault / "odd.md").write_bytes(
            b"# Odd\n\n- Likes " + word + b" (2026-01-01) ^abc123\n"
        )
    one.sync()
    assert "odd (conflict " in two("sync").out
    assert b"^abc123" in (two.vault / "odd.md").read_bytes()
    (copy,) = two.vault.glob("odd (conflict *.md")
    assert b"^abc123" not in copy.read_bytes()
