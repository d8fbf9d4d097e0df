"""Other programs that save a note while Aurelius changes it: nothing that either wrote is lost without a word."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aurelius.settings.config import load_config
from aurelius.settings.places import is_unattended
from aurelius.writing import append, append_journal, edit, other_programs, replace_file, undo_log
from aurelius.writing.check_edit import Edit, Place
from aurelius.writing.edit import apply_edits, read_note
from aurelius.writing.replace_file import Replacement
from aurelius.writing.safe_folder import Folder, lease_file, special_rename
from indexer.errors import ConflictError
from tests.conftest import Aurelius

JOE = b"# Joe\n\n## Facts\n\n- Likes tea (2026-01-01)\n"
NEW = b"- Likes coffee (2026-02-02)\n"
PATH = "people/joe.md"

linux = pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
unsettled = pytest.mark.unsettled


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault" / "people").mkdir(parents=True)
    (tmp_path / "vault" / PATH).write_bytes(JOE)
    return Place(str(tmp_path / "vault"), str(tmp_path / "state"))


def rest(place: Place) -> float:
    """Seconds that the note is still waited for."""
    with Folder(place.root, ["people"]) as folder:
        return other_programs._wait(place, folder, Edit(PATH, note(place).read_bytes(), b""))


@pytest.fixture
def no_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without leases, or a note that belongs to somebody else."""
    for module in (replace_file, other_programs):
        monkeypatch.setattr(module, "lease_file", lambda _: None)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_programs, "SECONDS_FOR_OPEN_FILE", 0.1)
    monkeypatch.setattr(replace_file, "SECONDS_FOR_SWAP", 0.02)


def note(place: Place) -> Path:
    return Path(place.root, PATH)


def names(place: Place) -> list[str]:
    """Every file of the vault."""
    found = (
        os.path.relpath(os.path.join(at, name), place.root)
        for at, _, here in os.walk(place.root)
        for name in here
    )
    return sorted(name.replace(os.sep, "/") for name in found)


def copies(place: Place) -> list[bytes]:
    """What the conflict copies hold."""
    return [Path(place.root, name).read_bytes() for name in names(place) if "(conflict " in name]


def change(place: Place, before: bytes = JOE) -> None:
    apply_edits(place, [Edit(PATH, before, before + NEW)], "a test")


# -- a program that has the note open ----------------------------------------------------------------------


@linux
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("flags", [os.O_WRONLY | os.O_APPEND, os.O_RDWR, os.O_WRONLY | os.O_TRUNC])
def test_a_note_that_a_program_holds_open_for_writing_is_not_replaced(
    place: Place, flags: int
) -> None:
    held = os.open(note(place), flags)
    try:
        before = note(place).read_bytes()
        with pytest.raises(ConflictError, match="another program has it open for writing"):
            change(place, before)
        os.write(held, b"- line b\n")
    finally:
        os.close(held)
    assert b"- line b\n" in note(place).read_bytes()
    assert names(place) == [PATH]
    change(place, note(place).read_bytes())
    assert note(place).read_bytes().endswith(NEW)


@linux
def test_a_program_that_is_done_soon_is_waited_for(place: Place) -> None:
    held = os.open(note(place), os.O_WRONLY | os.O_APPEND)
    timer = threading.Timer(0.1, os.close, [held])
    timer.start()
    change(place)
    timer.join()
    assert note(place).read_bytes() == JOE + NEW


@linux
def test_a_program_that_only_reads_the_note_is_no_obstacle(place: Place) -> None:
    with note(place).open("rb"):
        change(place)
    assert note(place).read_bytes() == JOE + NEW


@linux
@pytest.mark.parametrize("flags", [os.O_WRONLY | os.O_APPEND, os.O_RDWR, os.O_WRONLY | os.O_TRUNC])
def test_a_program_that_opens_the_note_in_the_moment_of_the_swap_keeps_what_it_writes(
    place: Place, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has to wait while the note is leased, and then has the displaced file: that gets its name back."""
    real = Replacement._displace
    opened: list[int] = []
    thread = threading.Thread(target=lambda: opened.append(os.open(note(place), flags)))

    def displace(self: Replacement) -> None:
        if not opened and not thread.is_alive():
            thread.start()
            time.sleep(0.2)  # it has found the note, and waits
        real(self)

    def look_again(self: Replacement) -> None:
        thread.join()
        real_look(self)

    real_look = Replacement.look_again
    monkeypatch.setattr(Replacement, "_displace", displace)
    monkeypatch.setattr(Replacement, "look_again", look_again)
    with pytest.raises(ConflictError):
        change(place)
    os.write(opened[0], b"- line b\n")
    os.close(opened[0])
    assert b"- line b\n" in note(place).read_bytes()
    assert names(place) == [PATH]


@linux
def test_a_program_that_waits_for_the_lease_does_not_end_the_process(place: Place) -> None:
    """The kernel tells a holder of a lease by a signal, which by default ends the process."""
    code = (
        "import os, sys, threading, time\n"
        "from aurelius.writing.safe_folder import lease_file\n"
        "path = sys.argv[1]; handle = os.open(path, os.O_RDONLY); assert lease_file(handle)\n"
        "thread = threading.Thread(target=lambda: os.close(os.open(path, os.O_WRONLY))); thread.start()\n"
        "time.sleep(0.2); os.close(handle); thread.join(); print('alive')\n"
    )
    env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(note(place))], env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@linux
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs a note of somebody else")
def test_a_note_of_somebody_else_cannot_be_leased(
    place: Place, as_nobody: Callable[[Callable[[], None]], None]
) -> None:
    handle = os.open(note(place), os.O_RDONLY)
    assert lease_file(handle)

    def try_it() -> None:
        assert lease_file(os.open(path, os.O_RDONLY)) is None

    with tempfile.NamedTemporaryFile(suffix=".md") as file:
        path = file.name
        os.chmod(path, 0o644)
        as_nobody(try_it)
    os.close(handle)


# -- a note that changed a moment ago ----------------------------------------------------------------------


@unsettled
@pytest.mark.usefixtures("no_lease")
def test_a_note_emptied_a_moment_ago_is_not_taken_for_the_note(place: Place) -> None:
    """A program that empties the note, thinks, then writes it."""
    note(place).write_bytes(b"")
    timer = threading.Timer(0.5, note(place).write_bytes, [b"# Joe\n\n## Facts\n\n- rewritten\n"])
    timer.start()
    with pytest.raises(ConflictError, match="changed since it was read"):
        apply_edits(place, [Edit(PATH, b"", NEW)], "a test")
    timer.join()
    assert note(place).read_bytes() == b"# Joe\n\n## Facts\n\n- rewritten\n"


@unsettled
@pytest.mark.usefixtures("no_lease")
def test_a_note_half_written_a_moment_ago_is_not_taken_for_the_note(place: Place) -> None:
    change(place)
    note(place).write_bytes(JOE[:9])
    timer = threading.Timer(0.5, note(place).write_bytes, [JOE + b"- theirs\n"])
    timer.start()
    with pytest.raises(ConflictError, match="changed since it was read"):
        change(place, JOE[:9])
    timer.join()
    assert note(place).read_bytes() == JOE + b"- theirs\n"


@unsettled
def test_a_note_is_taken_for_half_written_below_half_of_what_it_was(place: Place) -> None:
    long = JOE + b"- a line\n" * 100
    undo_log.keep_undo(place.state, 0.0, "a test", [undo_log.KeptNote(PATH, long, "")])
    note(place).write_bytes(long[: len(long) * 6 // 10])
    assert 0 < rest(place) <= other_programs.SECONDS_SETTLED
    note(place).write_bytes(long[: len(long) * 4 // 10])
    assert rest(place) > other_programs.SECONDS_SETTLED


@unsettled
def test_a_note_saved_a_moment_ago_with_an_old_time_is_waited_for(place: Place) -> None:
    note(place).write_bytes(JOE + b"- theirs\n")
    os.utime(note(place), (0, 0))
    assert rest(place) > 0


@unsettled
def test_a_note_as_our_last_change_but_one_left_it_is_not_waited_for(place: Place) -> None:
    note(place).write_bytes(JOE + b"- theirs\n")
    assert rest(place) > 0
    for after in (JOE + b"- theirs\n", JOE + b"- begun by another process\n"):
        undo_log.keep_undo(
            place.state,
            0.0,
            "a test",
            [undo_log.KeptNote(PATH, JOE, replace_file.bytes_digest(after))],
        )
    assert rest(place) == 0


def test_a_journal_that_is_full_takes_no_more_lines(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_programs, "MOST_WATCHED_LINES", 1)
    change(place)
    watched = append_journal.read_journal(place.state)
    assert watched
    apply_edits(
        place, [Edit(PATH, JOE + NEW, JOE + NEW + b"- Likes water (2026-02-03)\n")], "a test"
    )
    assert append_journal.read_journal(place.state) == watched


@unsettled
def test_a_note_that_is_saved_again_and_again_is_a_conflict(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_programs, "SECONDS_FOR_OPEN_FILE", 0.05)
    monkeypatch.setattr(other_programs, "SHRUNK", 0.5)
    stop = threading.Event()

    def save() -> None:
        while not stop.wait(0.02):
            os.utime(note(place))

    thread = threading.Thread(target=save)
    thread.start()
    try:
        with pytest.raises(ConflictError, match="saving it right now"):
            change(place)
    finally:
        stop.set()
        thread.join()


@unsettled
def test_a_note_as_aurelius_left_it_is_not_waited_for(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(place)
    append.append_lines(place, "memory/2026-02-10.md", b"- one\n", opening=b"# Day\n\n")
    day = read_note(place, "memory/2026-02-10.md") or b""
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waited"))
    change(place, JOE + NEW)
    apply_edits(place, [Edit("memory/2026-02-10.md", day, day + b"- two\n")], "a test")


# -- a program that writes to the displaced file -----------------------------------------------------------


@pytest.fixture(params=["exchange", "replace"])
def displaced(
    request: pytest.FixtureRequest, place: Place, no_lease: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[int]:
    """A note that is changed while a program holds it open, where that cannot be seen."""
    if request.param == "replace":
        monkeypatch.setattr(Folder, "_special", lambda *_: False)
    handle = os.open(note(place), os.O_WRONLY | os.O_APPEND)
    change(place)
    yield handle
    os.close(handle)


@pytest.mark.parametrize("after", [0.3, 5.0, 59.0])
def test_what_is_written_to_a_displaced_file_becomes_a_conflict_copy(
    place: Place, displaced: int, after: float
) -> None:
    assert names(place) == [PATH], "nothing that git or search could see"
    os.write(displaced, b"- line b\n")
    assert is_unattended(place.state)
    told = append.look_for_lost_lines(place, time.time() + after)
    assert copies(place) == [JOE + b"- line b\n"]
    assert len(told) == 1
    assert told[0].startswith(
        "people/joe.md: another program saved it during a change; merge its text into the note, then delete the copy: "
    )
    assert Path(place.root, told[0].partition(" is in ")[2]).exists()
    os.write(displaced, b"- line c\n")
    assert copies(place) == [JOE + b"- line b\n- line c\n"]
    assert note(place).read_bytes() == JOE + NEW


def test_a_displaced_file_that_nobody_writes_to_is_gone_after_a_minute(
    place: Place, displaced: int
) -> None:
    assert append.look_for_lost_lines(place, time.time() + 30.0) == []
    assert os.listdir(os.path.join(place.state, other_programs.DISPLACED_FOLDER))
    assert append.look_for_lost_lines(place, time.time() + 61.0) == []
    assert not os.path.exists(os.path.join(place.state, other_programs.DISPLACED_FOLDER))
    assert names(place) == [PATH]
    assert not is_unattended(place.state)


def test_a_displaced_file_stays_on_its_file_system(
    place: Place, no_lease: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the state folder lies on another one it stays beside its note, hidden, for a minute."""
    real = Folder.send

    def send(self: Folder, name: str, to: Folder, new: str) -> None:
        if place.state in (to.path, os.path.dirname(to.path), os.path.dirname(self.path)):
            raise OSError(18, "another file system")
        real(self, name, to, new)

    monkeypatch.setattr(Folder, "send", send)
    with note(place).open("ab") as held:
        change(place)
        beside = [name for name in os.listdir(note(place).parent) if name.endswith(".tmp")]
        assert len(beside) == 1
        held.write(b"- line b\n")
    append.look_for_lost_lines(place)
    assert copies(place) == [JOE + b"- line b\n"]
    assert not [name for name in os.listdir(note(place).parent) if name.endswith(".tmp")]


def test_a_displaced_file_is_kept_where_the_clock_is_set_back_a_little(
    place: Place, displaced: int
) -> None:
    other_programs.look_at_displaced(place, time.time() - 5)
    os.write(displaced, b"- written after\n")
    other_programs.look_at_displaced(place, time.time())
    assert [data[-16:] for data in copies(place)] == [b"- written after\n"]


def test_a_displaced_file_is_not_kept_for_ever_where_the_clock_is_set_back_far(
    place: Place, displaced: int
) -> None:
    assert other_programs.look_at_displaced(place, time.time() - 3600) == []
    os.write(displaced, b"- an hour later\n")
    assert other_programs.look_at_displaced(place, time.time()) == []
    assert copies(place) == []


@linux
def test_nothing_is_kept_of_a_note_that_nobody_has_open(place: Place) -> None:
    change(place)
    assert not os.path.exists(os.path.join(place.state, other_programs.DISPLACED_FOLDER))
    assert names(place) == [PATH]


def test_the_older_of_two_saves_in_the_moment_of_the_swap_is_a_conflict_copy(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(data: bytes) -> None:
        (tmp_path / "saved").write_bytes(data)
        os.replace(tmp_path / "saved", note(place))

    real = Replacement._displace

    def displace(self: Replacement) -> None:
        save(b"# Joe\n\nfirst save\n")
        real(self)
        save(b"# Joe\n\nsecond save\n")

    monkeypatch.setattr(Replacement, "_displace", displace)
    with pytest.raises(ConflictError):
        change(place)
    assert note(place).read_bytes() == b"# Joe\n\nsecond save\n"
    assert copies(place) == [b"# Joe\n\nfirst save\n"]
    assert len(append.look_for_lost_lines(place)) == 1


@pytest.mark.skipif(special_rename() is None, reason="names cannot be exchanged here")
@pytest.mark.parametrize("saves", [3, 4, 5, 8])
def test_every_save_of_several_while_a_change_is_taken_back_is_in_the_note_or_told(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saves: int
) -> None:
    done: list[bytes] = []
    real = Folder.exchange

    def exchange(self: Folder, one: str, other: str) -> bool:
        if len(done) < saves:
            done.append(b"# Joe\n\nsave %d\n" % len(done))
            (tmp_path / "saved").write_bytes(done[-1])
            os.replace(tmp_path / "saved", note(place))
        return real(self, one, other)

    monkeypatch.setattr(Folder, "exchange", exchange)
    with pytest.raises(ConflictError):
        change(place)
    told = append.look_for_lost_lines(place, time.time() + 1.0)
    assert len(done) == min(saves, replace_file.TURNS + 1)
    assert sorted([note(place).read_bytes(), *copies(place)]) == done
    assert len(told) == len(done) - 1
    assert append.look_for_lost_lines(place, time.time() + 61.0) == []
    assert not Path(place.state, "displaced").exists()


# -- a program that saves from an old buffer ---------------------------------------------------------------


@pytest.fixture(params=["exchange", "replace"])
def saved_between(
    request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], bytes]:
    """A program saves in the moment of the swap, and reads what we wrote before that is taken back: what it read."""
    if request.param == "replace":
        monkeypatch.setattr(Folder, "_special", lambda *_: False)
    swap, back = Replacement._displace, Replacement.back
    found: list[bytes] = []

    def save() -> None:
        if request.param == "exchange":
            Path(place.root, "saved").write_bytes(JOE + b"- Their first\n")
            os.replace(Path(place.root, "saved"), note(place))
        else:
            note(place).write_bytes(JOE + b"- Their first\n")

    def displace(self: Replacement) -> None:
        save()
        swap(self)

    def read_ours(self: Replacement) -> None:
        found.append(note(place).read_bytes())
        back(self)

    monkeypatch.setattr(Replacement, "_displace", displace)
    monkeypatch.setattr(Replacement, "back", read_ours)
    monkeypatch.setattr(replace_file, "lease_file", lambda _: None)

    def act() -> bytes:
        with pytest.raises(ConflictError):
            change(place)
        monkeypatch.setattr(Replacement, "_displace", swap)
        monkeypatch.setattr(Replacement, "back", back)
        assert note(place).read_bytes() == JOE + b"- Their first\n"
        return found[0]

    return act


def test_a_save_that_was_put_back_and_saved_over_becomes_a_conflict_copy(
    place: Place, saved_between: Callable[[], bytes]
) -> None:
    read_by_them = saved_between()
    Path(place.root, "saved").write_bytes(read_by_them + b"- Their second\n")
    os.replace(Path(place.root, "saved"), note(place))
    (told,) = append.look_for_lost_lines(place, time.time() + 3)
    assert "conflict" in told
    assert copies(place) == [JOE + b"- Their first\n"]
    append.look_for_lost_lines(place, time.time() + 61)
    assert len(names(place)) == 2
    assert not Path(place.state, "displaced").exists()


def test_a_save_that_was_put_back_and_stands_leaves_nothing_after_a_minute(
    place: Place, saved_between: Callable[[], bytes]
) -> None:
    saved_between()
    assert names(place) == [PATH]
    assert append.look_for_lost_lines(place, time.time() + 3) == []
    assert list(Path(place.state, "displaced").iterdir())
    assert append.look_for_lost_lines(place, time.time() + 61) == []
    assert names(place) == [PATH]
    assert not Path(place.state, "displaced").exists()


def test_a_save_that_was_put_back_and_that_a_change_of_ours_took_lines_from_is_no_conflict(
    place: Place, saved_between: Callable[[], bytes]
) -> None:
    saved_between()
    now = note(place).read_bytes()
    apply_edits(
        place._replace(shrink=True),
        [Edit(PATH, now, now.replace(b"- Their first\n", b"- Ours\n"))],
        "a test",
    )
    assert append.look_for_lost_lines(place, time.time() + 3) == []
    assert names(place) == [PATH]


def test_a_change_that_is_saved_over_is_told_and_shown_by_review(place: Place) -> None:
    change(place)
    note(place).write_bytes(JOE + b"- theirs\n")
    (told,) = append.look_for_lost_lines(place, time.time() + 1.0)
    assert told.startswith("people/joe.md: ")
    assert [each.data for each in append.lost_lines(place)] == [NEW.strip()]
    assert note(place).read_bytes() == JOE + b"- theirs\n"
    assert append.look_for_lost_lines(place, time.time() + 2.0) == []


def test_a_line_that_was_changed_and_that_a_program_saves_as_it_was_is_told(place: Place) -> None:
    """It has its id still, and says what it said before."""
    old, new = b"- Drinks tea ^tea001\n", b"- Drinks coffee ^tea001\n"
    note(place).write_bytes(JOE + old)
    apply_edits(place, [Edit(PATH, JOE + old, JOE + new)], "a test")
    note(place).write_bytes(JOE + old + b"- theirs\n")
    (told,) = append.look_for_lost_lines(place, time.time() + 1.0)
    assert told.startswith("people/joe.md: ")
    assert [each.data for each in append.lost_lines(place)] == [new.strip()]


@pytest.mark.parametrize(
    "said", [b"- Drinks cocoa ^tea001\n", b"- ~~Drinks coffee~~ (2026-02-03) ^tea001\n"]
)
def test_a_line_that_was_changed_and_that_a_person_changes_further_is_not_told(
    place: Place, said: bytes
) -> None:
    old, new = b"- Drinks tea ^tea001\n", b"- Drinks coffee ^tea001\n"
    note(place).write_bytes(JOE + old)
    apply_edits(place, [Edit(PATH, JOE + old, JOE + new)], "a test")
    note(place).write_bytes(JOE + said)
    assert append.look_for_lost_lines(place, time.time() + 1.0) == []
    assert append.lost_lines(place) == []


def test_a_change_of_ours_that_takes_a_line_out_again_is_not_told(place: Place) -> None:
    change(place)
    apply_edits(place, [Edit(PATH, JOE + NEW, JOE + b"- Likes cocoa\n")], "another")
    assert append.look_for_lost_lines(place, time.time() + 1.0) == []
    assert append.look_for_lost_lines(place, time.time() + 61.0) == []
    assert not is_unattended(place.state)
    assert append.lost_lines(place) == []


# -- a change that was cut short ---------------------------------------------------------------------------


def cut_short(place: Place, path: str, before: bytes | None, after: bytes, spare: str) -> None:
    kept = [undo_log.KeptNote(path, before, replace_file.bytes_digest(after), spare)]
    os.makedirs(place.state, exist_ok=True)
    undo_log.keep_undo(place.state, 0.0, "add to joe", kept)


def test_a_change_cut_short_after_it_reached_the_note_is_finished_and_told(place: Place) -> None:
    """A person may have seen the line for weeks."""
    note(place).write_bytes(JOE + NEW)
    Path(place.root, "people/.aurelius-0123456789abcdef.tmp").write_bytes(JOE)
    cut_short(place, PATH, JOE, JOE + NEW, ".aurelius-0123456789abcdef.tmp")
    assert is_unattended(place.state)
    (told,) = append.look_for_lost_lines(place)
    assert told == (
        "people/joe.md: an interrupted change was completed (add to joe); to undo it: `aurelius undo --number 1`"
    )
    assert note(place).read_bytes() == JOE + NEW
    assert names(place) == [PATH]
    assert append.look_for_lost_lines(place) == []


def test_a_change_cut_short_before_it_reached_the_note_is_taken_back_and_told(place: Place) -> None:
    Path(place.root, "people/.aurelius-0123456789abcdef.tmp").write_bytes(JOE + NEW)
    cut_short(place, PATH, JOE, JOE + NEW, ".aurelius-0123456789abcdef.tmp")
    (told,) = append.look_for_lost_lines(place)
    assert told == "people/joe.md: an interrupted change was reverted (add to joe)"
    assert note(place).read_bytes() == JOE
    assert names(place) == [PATH]
    assert not is_unattended(place.state)


def test_a_change_cut_short_is_told_by_the_next_command(
    aurelius: Aurelius, env: dict[str, str], tmp_path: Path
) -> None:
    vault = tmp_path / "told"
    assert aurelius("init", str(vault)).code == 0
    assert aurelius("--vault", str(vault), "new", "person", "Ada Byron").code == 0
    place = edit.place_of_config(load_config(str(vault), env), env)
    cut_short(
        place,
        "people/ada-byron.md",
        read_note(place, "people/ada-byron.md"),
        b"never",
        ".aurelius-00.tmp",
    )
    assert (
        "an interrupted change was reverted" in aurelius("--vault", str(vault), "search", "ada").err
    )
    assert "cut short" not in aurelius("--vault", str(vault), "search", "ada").err
