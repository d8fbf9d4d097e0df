"""Writes are whole or not at all, checked, and lose nothing."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurelius.settings.places import UNDO
from aurelius.writing import edit, other_programs, undo_log
from aurelius.writing.check_edit import Edit, Place
from aurelius.writing.edit import apply_edits, read_note
from aurelius.writing.replace_file import bytes_digest, old_name
from aurelius.writing.safe_folder import Folder
from aurelius.writing.undo import choose_change, undo_change
from indexer.errors import AureliusError, ConflictError, UsageError
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[3]
JOE = (
    b"---\r\ntype: person\r\n# mine\r\ntags: [ a,b ]\r\n---\r\n"
    b"# Joe\r\n\r\n## Facts\r\n\r\n- Likes tea\t(2026-01-01)\r\n- Lives in Rome  "
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault" / "people").mkdir(parents=True)
    (tmp_path / "vault" / "people" / "joe.md").write_bytes(JOE)
    return Place(str(tmp_path / "vault"), str(tmp_path / "state"))


def files(place: Place) -> dict[str, bytes]:
    """Every file of the vault."""
    found = {}
    for folder, _, names in os.walk(place.root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, place.root).replace(os.sep, "/")] = file.read()
    return found


def added(place: Place, line: bytes = b"\r\n- New (2026-02-02)") -> Edit:
    before = read_note(place, "people/joe.md")
    return Edit("people/joe.md", before, (before or b"") + line)


# -- what it does ----------------------------------------------------------------------------------------


def test_a_change_is_made_and_can_be_undone(place: Place) -> None:
    done = apply_edits(place, [added(place), Edit("areas/new/tea.md", None, b"# Tea\n")], "a test")
    assert files(place) == {
        "people/joe.md": JOE + b"\r\n- New (2026-02-02)",
        "areas/new/tea.md": b"# Tea\n",
    }
    assert done.number == 1
    undo_change(place, choose_change(place))
    assert files(place) == {"people/joe.md": JOE}


def test_nothing_to_change_changes_nothing(place: Place) -> None:
    assert (
        apply_edits(
            place, [Edit("people/joe.md", JOE, JOE), Edit("x.md", None, None)], "a test"
        ).number
        == 0
    )
    assert not os.path.exists(place.state)


def test_a_note_that_changed_is_a_conflict_and_nothing_is_written(place: Place) -> None:
    """The error names the note."""
    edits = [Edit("a.md", None, b"# A\n"), Edit("people/joe.md", b"old", b"new")]
    with pytest.raises(
        ConflictError, match=r"^people/joe\.md: not written: it changed since it was read$"
    ) as caught:
        apply_edits(place, edits, "a test")
    assert caught.value.exit_code == 6
    assert files(place) == {"people/joe.md": JOE}
    assert not list(undo_log.entries(place.state))


@pytest.mark.parametrize("path", ["people/gone.md", "gone/x.md"])
def test_a_note_that_is_gone_is_a_conflict(place: Place, path: str) -> None:
    assert read_note(place, path) is None
    with pytest.raises(ConflictError, match="does not exist any more"):
        apply_edits(place, [Edit(path, b"old", b"new")], "a test")


def test_a_note_moves_with_its_mode_and_over_nothing(place: Place) -> None:
    os.chmod(os.path.join(place.root, "people/joe.md"), 0o600)
    move = [Edit("people/joe.md", JOE, None), Edit("archives/joe.md", None, JOE, "people/joe.md")]
    apply_edits(place, move, "move joe")
    assert files(place) == {"archives/joe.md": JOE}
    assert os.stat(os.path.join(place.root, "archives/joe.md")).st_mode & 0o777 == 0o600
    undo_change(place, choose_change(place))
    assert files(place) == {"people/joe.md": JOE}
    assert os.stat(os.path.join(place.root, "people/joe.md")).st_mode & 0o777 == 0o600
    Path(place.root, "archives").mkdir()
    Path(place.root, "archives/joe.md").write_bytes(b"there")
    with pytest.raises(ConflictError):
        apply_edits(place, move, "move joe")
    assert files(place) == {"people/joe.md": JOE, "archives/joe.md": b"there"}


def folders(place: Place) -> list[str]:
    """Every folder of the vault."""
    return sorted(
        path.relative_to(place.root).as_posix()
        for path in Path(place.root).rglob("*")
        if path.is_dir()
    )


def test_a_refused_change_leaves_no_folder_that_it_made(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(place.root, "mine").mkdir()
    before = folders(place)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("stage", "swap", "look_again"):
        monkeypatch.setattr(f"aurelius.writing.replace_file.Replacement.{name}", full)
        moved = [
            Edit("people/joe.md", JOE, None),
            Edit("mine/z/y/joe.md", None, JOE, "people/joe.md"),
        ]
        for edits in (moved, [Edit("mine/a.md", None, b"# A\n"), Edit("w/a.md", None, b"# A\n")]):
            with pytest.raises(ConflictError, match="No space left"):
                apply_edits(place, edits, "a test")
        assert folders(place) == before
        monkeypatch.undo()


def test_a_folder_of_a_change_cut_short_goes_with_it_and_one_that_holds_anything_stays(
    place: Place,
) -> None:
    for name in ("z/y", "w"):
        Path(place.root, name).mkdir(parents=True)
    Path(place.root, "w", "mine.txt").write_bytes(b"x")
    note = undo_log.KeptNote("z/y/a.md", None, bytes_digest(b"1"), ".aurelius-a.md.tmp")
    undo_log.keep_undo(place.state, 0.0, "cut short", [note], folders=["z", "z/y", "w", "../state"])
    with edit.locked(place):
        pass
    assert folders(place) == ["people", "w"]
    assert os.path.isdir(place.state)


# -- what it refuses -------------------------------------------------------------------------------------


REFUSED = [
    (JOE, JOE.replace(b"---\r\n# Joe", b"--\r\n# Joe"), "properties|front matter"),
    (JOE, JOE.replace(b"type: person\r\n", b""), "would be lost: type"),
    (JOE, JOE + b"\r\n<<<<<<< ours\r\na\r\n=======\r\nb\r\n>>>>>>> theirs\r\n", "not written"),
    (JOE, JOE.replace(b"- Likes tea\t(2026-01-01)\r\n", b""), "1 fact would be lost"),
    (
        b"# A\n\n## Facts\n\n- x ^aaaaaa\n- y\n",
        b"# A\n\n## Facts\n\n- x ^aaaaaa\n- y ^aaaaaa\n",
        "aaaaaa",
    ),
    (b"caf\xe9\n", b"caf\xe9 au lait\n", "not UTF-8"),
    ("# Tea\n".encode("utf-16"), b"# Tea\n", "not UTF-8"),
    (b"# Tea\n", b"caf\xe9\n", "not UTF-8"),
    (b"# Tea\n" + b"word " * 200, b"# Tea\n" + b"word " * 50, "more than half"),
    (b"# Tea\n" + b"word " * 200, None, "more than half"),
]


@pytest.mark.parametrize(("before", "after", "why"), REFUSED)
def test_an_edit_that_would_harm_a_note_is_refused(
    place: Place, before: bytes, after: bytes | None, why: str
) -> None:
    Path(place.root, "people/joe.md").write_bytes(before)
    with pytest.raises(UsageError, match=why):
        apply_edits(place, [Edit("people/joe.md", before, after)], "a test")
    assert files(place) == {"people/joe.md": before}


def test_a_large_cut_is_made_where_it_is_asked_for(place: Place) -> None:
    long = b"# Tea\n" + b"word " * 200
    Path(place.root, "people/joe.md").write_bytes(long)
    apply_edits(place._replace(shrink=True), [Edit("people/joe.md", long, b"# Tea\n")], "a test")
    assert files(place) == {"people/joe.md": b"# Tea\n"}


def test_facts_may_go_from_one_note_to_another(place: Place) -> None:
    """Facts are counted over the whole change, not note by note."""
    line = b"- Likes tea\t(2026-01-01)\r\n"
    apply_edits(
        place,
        [
            Edit("people/joe.md", JOE, JOE.replace(line, b"")),
            Edit("archives/joe.md", None, b"# Joe\n\n## Facts\n\n" + line),
        ],
        "archive",
    )
    assert line in files(place)["archives/joe.md"]


def test_a_note_that_is_broken_already_can_be_mended_and_added_to(place: Place) -> None:
    broken = b"---\ntype: [\n---\n# Joe\n\n## Facts\n\n- a\n- b\n- b ^aaaaaa\n- c ^aaaaaa\n"
    Path(place.root, "people/joe.md").write_bytes(broken)
    apply_edits(place, [Edit("people/joe.md", broken, broken + b"- d\n")], "a test")
    assert files(place) == {"people/joe.md": broken + b"- d\n"}


def test_two_notes_of_one_file_are_refused(place: Place) -> None:
    os.link(os.path.join(place.root, "people/joe.md"), os.path.join(place.root, "people/too.md"))
    with pytest.raises(UsageError, match="second name"):
        apply_edits(place, [added(place)], "a test")


def test_what_is_no_file_is_neither_read_nor_waited_for(place: Place) -> None:
    os.mkfifo(os.path.join(place.root, "people/pipe.md"))
    os.symlink("joe.md", os.path.join(place.root, "people/link.md"))
    for path in ("people/pipe.md", "people/link.md"):
        with pytest.raises(UsageError):
            read_note(place, path)
        with pytest.raises(UsageError):
            apply_edits(place, [Edit(path, JOE, JOE + b"\r\n- x\r\n")], "a test")
        with pytest.raises(UsageError):
            apply_edits(place, [Edit(path, None, b"# New\n")], "a test")


def test_a_state_folder_that_cannot_be_is_told(place: Place, tmp_path: Path) -> None:
    """Without a lock and the previous bytes nothing is written."""
    (tmp_path / "state").write_bytes(b"no folder")
    with pytest.raises(ConflictError, match="cannot be written"):
        apply_edits(place, [added(place)], "a test")
    assert files(place) == {"people/joe.md": JOE}


def test_a_lock_that_is_held_is_waited_for_and_then_told(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit, "SECONDS_FOR_NOTES_LOCK", 0.05)
    with edit.locked(place), pytest.raises(ConflictError, match="another process"):
        apply_edits(place, [added(place)], "a test")


# -- when the disk fails or the power does ---------------------------------------------------------------

STEPS = ["open", "write", "fsync", "replace", "rename", "unlink", "link", "fchmod"]


class Nth:
    """Does something at the Nth call of any of STEPS, and of the two special ways to rename."""

    def __init__(self, at: int, act: Callable[[], None]) -> None:
        self.left = at
        self.act = act
        self.real = {name: getattr(os, name) for name in STEPS}
        self.special = Folder._special

    def __enter__(self) -> None:
        for name, real in self.real.items():
            setattr(os, name, self.counted(real))
        Folder._special = self.counted(self.special)  # type: ignore[method-assign]  # for the length of a test

    def __exit__(self, *_: object) -> None:
        for name, real in self.real.items():
            setattr(os, name, real)
        Folder._special = self.special  # type: ignore[method-assign]  # as above

    def counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                self.act()
            return real(*args, **named)

        return call


def no_room() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def three(place: Place) -> list[Edit]:
    """A change that makes a note, changes one and removes one."""
    Path(place.root, "people/old.md").write_bytes(b"# Old\n")
    return [
        added(place),
        Edit("people/old.md", b"# Old\n", None),
        Edit("new/old.md", None, b"# Old\n", "people/old.md"),
    ]


@pytest.mark.parametrize("exchange", [True, False])
def test_a_disk_that_fails_at_any_step_leaves_all_or_nothing(
    place: Place, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever call fails, the notes are as before or as after, and no temporary file is left."""
    if not exchange:
        monkeypatch.setattr(Folder, "_special", lambda *_: False)
    failed = 0
    for at in range(1, 400):
        edits = three(place)
        before = files(place)
        nth = Nth(at, no_room)
        try:
            with nth:
                apply_edits(place, edits, "a test")
        except AureliusError:
            failed += 1
            with edit.locked(place):
                pass  # what could not be taken back at once
            assert files(place) == before
        else:
            undo_change(place, choose_change(place))
            assert files(place) == before
            if nth.left > 0:
                break
        apply_edits(place, [Edit("sweep.md", None, b"x")], "what is left is swept")
        undo_change(place, choose_change(place))
        assert files(place) == before
    assert failed > 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that can be ended at any step")
def test_a_crash_at_any_step_leaves_all_or_nothing(place: Place) -> None:
    """Ended at every step in turn; the next write finds whole notes and no temporary file."""
    crashed = 0
    for at in range(1, 400):
        edits = three(place)
        before = files(place)
        if ended_at(at, functools.partial(apply_edits, place, edits, "a test")):
            break
        crashed += 1
        with edit.locked(place):
            pass  # recovers
        now = files(place)
        assert now in (before, {"people/joe.md": edits[0].after, "new/old.md": b"# Old\n"})
        assert not undo_log.unfinished(place.state)
        if now != before:
            undo_change(place, choose_change(place))
            assert files(place) == before
    assert crashed > 20


def ended_at(at: int, act: Callable[[], object]) -> bool:
    """Do something in a child that ends at its Nth step; whether it came through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of other tests that do nothing here
        child = os.fork()
    if not child:
        try:
            with Nth(at, lambda: os._exit(9)):
                act()
            os._exit(0)
        except BaseException:  # noqa: BLE001  # the parent has to hear of it
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 0


def test_a_save_displaced_at_the_moment_of_a_crash_is_kept(place: Place) -> None:
    apply_edits(place, [added(place)], "a test")
    (entry,) = undo_log.entries(place.state)
    spare = ".aurelius-0123456789abcdef.tmp"
    Path(place.root, "people", spare).write_bytes(b"# Joe\n\ntheir save\n")
    note = entry.notes[0]._replace(spare=spare)
    undo_log.keep_undo(place.state, 0.0, "cut short", [note])
    with edit.locked(place):
        pass
    found = files(place)
    assert found.pop("people/joe.md") == JOE + b"\r\n- New (2026-02-02)"
    ((name, data),) = found.items()
    assert name.startswith("people/joe (conflict ")
    assert data == b"# Joe\n\ntheir save\n"
    assert [word for word in other_programs.take_lines(place.state) if name in word]


def test_a_change_of_two_notes_of_which_one_can_no_longer_be_made_is_taken_back(
    place: Place,
) -> None:
    """The second note keeps its text, and the first gets its old one again."""
    Path(place.root, "a.md").write_bytes(b"2")
    Path(place.root, "b.md").write_bytes(b"1")
    notes = [
        undo_log.KeptNote(name, b"1", bytes_digest(b"2"), f".aurelius-{name}.tmp")
        for name in ("a.md", "b.md")
    ]
    undo_log.keep_undo(place.state, 0.0, "cut short", notes)
    with edit.locked(place):
        pass
    assert files(place) == {"people/joe.md": JOE, "a.md": b"1", "b.md": b"1"}


def test_a_change_cut_short_after_the_old_bytes_got_a_second_name_leaves_no_file_beside_the_note(
    place: Place,
) -> None:
    spare = ".aurelius-0123456789abcdef.tmp"
    Path(place.root, "people", spare).write_bytes(b"2")
    os.link(Path(place.root, "people/joe.md"), Path(place.root, "people", old_name(spare)))
    notes = [
        undo_log.KeptNote("people/joe.md", JOE, bytes_digest(b"2"), spare),
        undo_log.KeptNote("a.md", None, bytes_digest(b"3")),
    ]
    Path(place.root, "a.md").write_bytes(b"3")
    undo_log.keep_undo(place.state, 0.0, "cut short", notes)
    with edit.locked(place):
        pass
    assert files(place) == {"people/joe.md": JOE}, "taken back, as it was not whole"


def test_what_a_crash_left_beside_a_journal_goes_with_the_next_command(place: Place) -> None:
    os.makedirs(place.state)
    left = Path(place.state, ".appends.jsonl.0123abcd.new")
    left.write_bytes(b"half")
    with edit.locked(place):
        pass
    assert not left.exists()


def test_an_entry_torn_by_a_crash_is_no_obstacle(place: Place) -> None:
    os.makedirs(os.path.join(place.state, UNDO))
    Path(place.state, UNDO, "00000001.open").write_bytes(b'{"notes": [{"pa')
    apply_edits(place, [added(place)], "a test")
    assert [entry.number for entry in undo_log.entries(place.state)] == [1]


# -- many at once ----------------------------------------------------------------------------------------

WRITERS, EDITS = 4, 15
WRITER = """
import sys
from aurelius.writing.edit import apply_edits, read_note
from aurelius.writing.check_edit import Edit, Place
from indexer.errors import ConflictError
root, state, name, edits = sys.argv[1:]
place = Place(root, state)
made = conflicts = 0
while made < int(edits):
    before = read_note(place, "people/joe.md")
    try:
        apply_edits(place, [Edit("people/joe.md", before, before + f"\\r\\n- {name} said {made}".encode())], "a test")
        made += 1
    except ConflictError:
        conflicts += 1
print(made, conflicts)
"""


def test_writers_at_once_lose_nothing(place: Place) -> None:
    """Whoever comes second is told, and everything acknowledged is there."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, place.root, place.state, f"w{number}", str(EDITS)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    told = [process.communicate(timeout=120)[0].split() for process in started]
    assert [process.returncode for process in started] == [0] * WRITERS
    assert all(made == str(EDITS) for made, _ in told)
    lines = files(place)["people/joe.md"].splitlines()
    assert sorted(lines[-WRITERS * EDITS :]) == sorted(
        f"- w{number} said {made}".encode() for number in range(WRITERS) for made in range(EDITS)
    )
    assert files(place).keys() == {"people/joe.md"}


@pytest.mark.parametrize("saver", ["rename", "backup"])
def test_an_editor_at_work_loses_nothing_it_saved(place: Place, saver: str) -> None:
    """An editor that takes no lock and saves by renaming; whatever it saved is there in the end.

    A save that falls between comparing and swapping may stand beside the note, whole, as a conflict copy.
    """
    path = os.path.join(place.root, "people/joe.md")
    lines = [b"\r\n- theirs %d" % number for number in range(80)]
    stop = threading.Event()

    def write() -> None:
        text = JOE
        for line in lines:
            text += line
            with open(path + ".new", "wb") as file:
                file.write(text)
            if saver == "backup":
                os.replace(path, path + "~")
                os.rename(path + ".new", path)
            else:
                os.replace(path + ".new", path)
            time.sleep(0.001)
        stop.set()

    thread = threading.Thread(target=write)
    thread.start()
    made = 0
    try:
        while not stop.is_set() or not made:
            before = read_note(place, "people/joe.md")
            if before is not None:
                try:
                    apply_edits(
                        place, [Edit("people/joe.md", before, before + b"\r\n- mine")], "a test"
                    )
                    made += 1
                except ConflictError:
                    continue
    finally:
        thread.join()
    now = files(place)
    text = now.pop("people/joe.md")
    now.pop("people/joe.md~", None)
    assert [line for line in lines if line not in text] == []
    assert made
    saves = {JOE + b"".join(lines[:number]) for number in range(len(lines) + 1)}
    assert [
        name for name, data in now.items() if "(conflict " not in name or data not in saves
    ] == []


# -- every byte ------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "---\n",
        "key:  'v' # why\n",
        "a: &x 1\n",
        "b: *x\n",
        "tags:\n  - a\n\t- b\n",
        "# Head\n",
        "## Facts\n",
        "- one\n",
        "* two\n",
        "\t- three\t(2026-01-01)\n",
        "text  \n",
        "\n",
        "\x00",
        "~~- gone~~\n",
        "```\n",
        "Ж\u2028x\n",
        "\ufeff",
        "<!-- c -->\n",
        "| a |\n",
        "\r",
        "\x0c\n",
        "e\u0301\n",
        "tail without end",
    ]
)
NOTES = st.builds(
    lambda parts, end, mark: (mark + "".join(parts)).replace("\n", end).encode(),
    st.lists(PIECES, max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
)


@settings(max_examples=daily(60, 150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=NOTES, after=NOTES)
def test_what_is_written_is_what_was_given_and_undo_is_exact(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    """No byte but those of the edit; either the exact bytes are there or nothing was touched."""
    root = Path(tempfile.mkdtemp(dir=tmp_path))
    place = Place(str(root), str(root) + "-state", shrink=True)
    (root / "x.md").write_bytes(before)
    try:
        done = apply_edits(place, [Edit("x.md", before, after)], "a test")
    except UsageError:
        assert files(place) == {"x.md": before}
        return
    assert files(place) == {"x.md": after}
    if done.number:
        undo_change(place, choose_change(place))
    assert files(place) == {"x.md": before}


def test_many_notes_at_once_are_one_change(place: Place) -> None:
    edits = [Edit(f"areas/{number}.md", None, b"# Area\n") for number in range(60)]
    assert apply_edits(place, edits, "many").number == 1
    assert len(files(place)) == 61
    undo_change(place, choose_change(place))
    assert files(place) == {"people/joe.md": JOE}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each note is flushed by itself")
def test_many_notes_are_on_the_disk_before_the_first_takes_its_name(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    monkeypatch.setattr(os, "sync", lambda: synced.append("areas/0.md" in files(place)))
    apply_edits(
        place,
        [Edit(f"areas/{number}.md", None, b"# Area\n") for number in range(edit.MANY_NOTES)],
        "many",
    )
    assert synced == [False]


def test_a_file_system_without_locks_is_told_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def hold(*_: object) -> Iterator[str]:
        yield "no locks here"

    monkeypatch.setattr(edit, "hold", hold)
    apply_edits(place, [Edit("a.md", None, b"x")], "a test")
    assert other_programs.take_lines(place.state) == ["no locks here"]
    apply_edits(place, [Edit("b.md", None, b"x")], "a test")
    assert other_programs.take_lines(place.state) == []
