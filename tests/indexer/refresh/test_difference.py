"""Difference between index and disk, and renames told from it."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.disk.walk import ChangeKey, IgnoreRules, Walk
from indexer.errors import IndexUnavailableError
from indexer.note import Settings
from indexer.refresh.difference import (
    HOLD_NOTES,
    HOLD_SECONDS,
    Difference,
    changed_paths,
    compare,
    held_notice,
    pairs,
    rules_text,
)
from indexer.refresh.refresh import refresh
from indexer.rows import schema
from indexer.rows.rows import Index, open_index

LATER = 100.0
"""Seconds after which the time of a file proves something."""


class Vault:
    """A vault with an index, and the two compared."""

    def __init__(self, top: Path) -> None:
        self.root = top / "vault"
        self.root.mkdir()
        self.settings = Settings(str(self.root), str(top / "index"), vectors=False)
        self.write("joe.md", "# Joe\n\nwords of joe\n")
        self.write("people/ann.md", "# Ann\n\nwords of ann\n")
        self.write("drafts/x.md", "a draft")
        self.write(".aureliusignore", "drafts/\n")
        self.index = self.fresh()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8")

    def fresh(self, after: float = LATER, **asked: Any) -> Index:
        """Make the index equal the files, and open it."""
        refresh(self.settings, now=time.time() + after, **asked)[0].close()
        found = open_index(self.settings.folder, write=True)
        assert found is not None
        return found

    def compare(self, **given: Any) -> Difference:
        return compare(self.settings, self.index, time.time() + LATER, **given)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.index.close()


def difference(known: int, gone: int, found: int = 1, **meta: Any) -> Difference:
    keys: dict[str, ChangeKey] = {
        f"{number}.md": (1, 1, 1, 1) for number in range(max(known, found))
    }
    on_disk = Walk(dict(list(keys.items())[:found]), {}, {})
    paths = [f"gone {number}.md" for number in range(gone)]
    return Difference(
        on_disk, dict(list(keys.items())[:known]), [], [], paths, [], {}, [], {}, {}, "", meta, True
    )


def test_an_index_equal_to_the_disk_is_no_work_and_its_keys_are_not_even_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Index, "get_keys", lambda *_: pytest.fail("the walk is the one it was made from")
    )
    found = vault.compare()
    assert (found.new, found.changed, found.gone, found.hidden, found.touched) == (
        [],
        [],
        [],
        [],
        [],
    )
    assert (found.moves, found.failed, found.known, found.settled) == ({}, {}, {}, True)
    assert sorted(found.walk.found) == ["joe.md", "people/ann.md"]
    assert not found.is_work(0)


def test_new_changed_gone_and_moved_notes_are_told_apart(vault: Vault) -> None:
    vault.write("b.md", "new")
    vault.write("a.md", "new too")
    vault.write("joe.md", "# Joe\n\nother words\n")
    (vault.root / "people/ann.md").rename(vault.root / "people/anna.md")
    found = vault.compare()
    assert (found.new, found.changed, found.gone) == (
        ["a.md", "b.md", "people/anna.md"],
        ["joe.md"],
        [],
    )
    assert found.moves == {"people/anna.md": "people/ann.md"}
    assert sorted(found.known) == ["joe.md", "people/ann.md"]
    (vault.root / "people/anna.md").unlink()
    found = vault.compare()
    assert (found.gone, found.moves, found.is_work(0)) == (["people/ann.md"], {}, True)


def test_a_note_of_the_same_size_with_other_bytes_did_not_move(vault: Vault) -> None:
    (vault.root / "people/ann.md").unlink()
    vault.write("people/bob.md", "# Bob\n\nwords of bob\n")
    found = vault.compare()
    assert (found.new, found.gone, found.moves) == (["people/bob.md"], ["people/ann.md"], {})


def test_two_copies_of_a_note_that_is_gone_are_one_move_and_a_new_note(vault: Vault) -> None:
    text = (vault.root / "joe.md").read_text()
    (vault.root / "joe.md").unlink()
    vault.write("one.md", text)
    vault.write("two.md", text)
    found = vault.compare()
    assert found.moves == {"one.md": "joe.md"}
    assert (found.new, found.gone) == (["one.md", "two.md"], [])


def test_a_note_that_a_rule_leaves_out_is_hidden_and_neither_gone_nor_moved(vault: Vault) -> None:
    vault.write(".aureliusignore", "drafts/\npeople/\n")
    vault.write("copy.md", (vault.root / "people/ann.md").read_text())
    found = vault.compare()
    assert (found.hidden, found.gone, found.moves, found.new) == (
        ["people/ann.md"],
        [],
        {},
        ["copy.md"],
    )
    assert not found.settled
    (vault.root / "people/ann.md").unlink()
    assert vault.compare().hidden == ["people/ann.md"], "though it is no longer on disk"


def test_a_note_whose_rule_goes_is_new(vault: Vault) -> None:
    (vault.root / ".aureliusignore").unlink()
    assert vault.compare().new == ["drafts/x.md"]


def test_bytes_that_changed_though_the_key_did_not_are_seen(vault: Vault) -> None:
    """A note saved twice within one tick of the clock is looked into, until its time proves something."""
    vault.index.db.execute("UPDATE note SET racy = 1 WHERE path = 'joe.md'")
    found = vault.compare()
    assert (found.touched, found.changed) == (["joe.md"], [])
    assert found.is_work(0)
    vault.index.db.execute("UPDATE note SET sha256 = zeroblob(32) WHERE path = 'joe.md'")
    found = vault.compare()
    assert (found.touched, found.changed) == ([], ["joe.md"])
    vault.index.db.execute("UPDATE note SET sha256 = zeroblob(32), racy = 0 WHERE path = 'joe.md'")
    assert vault.compare().changed == [], "a key that proves something is believed"


def test_a_note_just_written_is_not_settled_yet(vault: Vault) -> None:
    vault.write("joe.md", "# Joe\n\nother\n")
    vault.index.close()
    vault.index = vault.fresh(after=0.0)
    found = compare(vault.settings, vault.index, time.time())
    assert (found.touched, found.changed) == ([], [])


def test_a_note_that_still_fails_is_not_tried_again(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.index.put_failed({"joe.md": "permission denied", "gone.md": "permission denied"})
    assert vault.compare().changed == ["joe.md"], "it can be read now"
    monkeypatch.setattr(
        "indexer.disk.read_file.file_obstacle", lambda _root, _path: "permission denied"
    )
    found = vault.compare()
    assert (found.changed, found.failed) == ([], {"joe.md": "permission denied"})
    assert not found.settled, "the other failure is over"
    monkeypatch.setattr(
        "indexer.disk.read_file.file_obstacle", lambda _root, _path: "input/output error"
    )
    assert vault.compare().changed == ["joe.md"], "it fails otherwise now"


def test_a_note_that_failed_passes_as_the_same_by_size_and_time_alone(vault: Vault) -> None:
    root = str(vault.root)
    assert changed_paths(vault.index, root, ["joe.md"], ["joe.md"]) == set()
    vault.index.db.execute("UPDATE note SET ctime_ns = 1 WHERE path = 'joe.md'")
    assert changed_paths(vault.index, root, ["joe.md"], ["joe.md"]) == set()
    assert changed_paths(vault.index, root, ["joe.md"], []) == {"joe.md"}
    vault.index.db.execute("UPDATE note SET mtime_ns = 1 WHERE path = 'joe.md'")
    assert changed_paths(vault.index, root, ["joe.md"], ["joe.md"]) == {"joe.md"}


def test_a_folder_that_cannot_be_listed_hides_its_notes_and_deletes_none(vault: Vault) -> None:
    def look(_: IgnoreRules) -> Walk:
        key: ChangeKey = vault.index.get_keys()["joe.md"]
        return Walk({"joe.md": key}, rules={}, failed={"people/": "permission denied"})

    found = vault.compare(look=look)
    assert (found.gone, found.failed) == ([], {"people/": "permission denied"})


def test_a_vault_that_cannot_be_listed_is_an_error(vault: Vault) -> None:
    vault.root.rename(vault.root.parent / "elsewhere")
    with pytest.raises(IndexUnavailableError):
        vault.compare()


def test_a_rule_that_changed_is_looked_at_anew_without_trust(vault: Vault) -> None:
    looks: list[bool] = []
    on_disk = vault.compare().walk

    def look(rules: IgnoreRules) -> Walk:
        looks.append(rules.trust)
        return Walk(dict(on_disk.found), rules={".aureliusignore": (1, 1, 1, 1)}, failed={})

    vault.compare(look=look)
    assert looks == [True, False]


def test_rules_differ_where_a_rule_file_or_an_excluded_folder_does(vault: Vault) -> None:
    on_disk, now = vault.compare().walk, time.time() + LATER
    text = rules_text(vault.settings, on_disk, now)
    assert rules_text(vault.settings, on_disk, now + 5) == text
    assert "drafts" not in text, "the rules themselves may name what is ignored"
    assert rules_text(vault.settings._replace(exclude=("x/",)), on_disk, now) != text
    stat = (vault.root / ".aureliusignore").stat()
    just = stat.st_mtime + 0.1
    before = rules_text(vault.settings, on_disk, just)
    (vault.root / ".aureliusignore").write_text("people\n")
    os.utime(vault.root / ".aureliusignore", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert rules_text(vault.settings, on_disk, just) != before, (
        "its bytes count while its time proves nothing"
    )
    assert rules_text(vault.settings, on_disk, now) == text, "after that its key counts"


@pytest.mark.parametrize(
    ("known", "gone", "found", "held"),
    [
        (100, HOLD_NOTES, 1, 0),
        (100, HOLD_NOTES + 1, 1, 0),
        (100, 50, 1, 0),
        (100, 51, 1, 51),
        (HOLD_NOTES + 1, HOLD_NOTES + 1, 0, HOLD_NOTES + 1),
        (HOLD_NOTES, HOLD_NOTES, 0, 0),
    ],
)
def test_more_than_half_of_the_vault_and_more_than_a_few_notes_wait(
    known: int, gone: int, found: int, held: int
) -> None:
    made = difference(known, gone, found)
    assert made.held(1000.0, accept=False) == held
    assert made.held(1000.0, accept=True) == 0


def test_deletions_wait_for_a_second_pass_and_for_ever_where_no_note_is_left() -> None:
    made = difference(60, 50, held_since=1000.0)
    assert made.held(1000.0 + HOLD_SECONDS - 1, accept=False) == 50
    assert made.held(1000.0 + HOLD_SECONDS, accept=False) == 0
    empty = difference(60, 60, found=0, held_since=1000.0)
    assert empty.held(9e9, accept=False) == 60
    assert empty.held(9e9, accept=True) == 0


def test_deletions_that_wait_are_work_once_to_say_since_when() -> None:
    assert difference(60, 50).is_work(50)
    assert not difference(60, 50, held_since=1000.0).is_work(50)
    assert difference(60, 50, held_since=1000.0).is_work(0)
    assert difference(60, 0, held_since=1000.0).is_work(0), "they came back"
    assert not difference(60, 0).is_work(0)
    assert difference(60, 0)._replace(settled=False).is_work(0)


def test_what_waits_is_told_with_the_way_to_accept_it() -> None:
    told = held_notice(50, empty=False)
    assert told.startswith("50 notes (more than half of the vault) are missing from the folder")
    assert f"{HOLD_SECONDS:.0f} s" in told
    empty = held_notice(3, empty=True)
    assert empty.startswith("3 notes (all of the vault) are missing")
    assert " s from now" not in empty, "waiting alone does not help there"
    assert told.endswith("`aurelius index --accept-deletions`") == empty.endswith(
        "`aurelius index --accept-deletions`"
    )


def test_what_is_to_be_purged_is_work(vault: Vault) -> None:
    vault.index.put_meta("purge", "rows")
    found = vault.compare()
    assert not found.settled
    assert found.is_work(0)
    assert schema.current_file(vault.settings.folder) is not None


CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "renames.toml").read_text("utf-8"))[
    "case"
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_a_rename_is_told_from_what_is_none(case: dict[str, Any]) -> None:
    before, after = (
        {each["path"]: each["text"].splitlines() for each in case[when]}
        for when in ("before", "after")
    )
    gone = {path: text for path, text in before.items() if path not in after}
    new = {path: text for path, text in after.items() if path not in before}
    others = [line for path, text in after.items() if path in before for line in text]
    assert pairs(gone, new, others) == [tuple(each) for each in case["renamed"]]


LINES = [
    "- Plays the cello in an orchestra",
    "- Works as a nurse at the hospital",
    "- Met her at the climbing hall",
]


def test_half_a_note_with_other_words_is_another_note() -> None:
    half = [*LINES[:2], "- Sells honey on the market", "- Has a dog that is called Bruno"]
    assert pairs({"a.md": LINES}, {"b.md": half}) == []


def test_a_few_words_tell_no_notes_apart() -> None:
    assert pairs({"a.md": ["- Paid"]}, {"b.md": ["- Paid"]}) == []
    assert pairs({"a.md": ["- Call the plumber", "- x"]}, {"b.md": ["- Call the plumber"]}) == []


def test_lines_of_a_template_that_a_neighbour_has_too_tell_no_notes_apart() -> None:
    old, new = [*LINES, "- ran far"], [*LINES, "- read much"]
    assert pairs({"a.md": old}, {"b.md": new}) == [("a.md", "b.md")]
    assert pairs({"a.md": old}, {"b.md": new}, LINES) == []


def test_two_days_are_no_rename_unless_every_word_is_the_same() -> None:
    old, new = {"memory/2026-01-03.md": LINES}, {"memory/2026-02-18.md": [*LINES, "- x"]}
    assert pairs(old, new) == []
    assert pairs(old, {"memory/2026-02-18.md": LINES}) == [
        ("memory/2026-01-03.md", "memory/2026-02-18.md")
    ]


def test_a_note_of_the_same_name_elsewhere_comes_before_one_that_is_as_like_it() -> None:
    gone, new = {"x/a.md": LINES, "x/b.md": LINES}, {"y/a.md": LINES, "y/b.md": LINES}
    assert pairs(gone, new) == [("x/a.md", "y/a.md"), ("x/b.md", "y/b.md")]
