"""What a session was shown is kept for it alone, readable by its person alone, small, and not for ever."""

from __future__ import annotations

import json
import os
import stat
import threading
import time
from pathlib import Path

import pytest

from aurelius.agents import session
from aurelius.agents.hook_answer import HookAnswer
from aurelius.agents.session import Session
from aurelius.settings.places import SESSIONS


def test_a_session_remembers_what_it_was_shown_and_no_other_does(tmp_path: Path) -> None:
    one = Session.load(str(tmp_path), "one")
    one.show(["k3v9qa", "people/joe.md:7"])
    one.ask("Where does Joe live?")
    one.save()
    again = Session.load(str(tmp_path), "one")
    assert (list(again.shown), again.prompts) == (
        ["k3v9qa", "people/joe.md:7"],
        ["Where does Joe live?"],
    )
    assert not Session.load(str(tmp_path), "two").shown


def test_a_forgotten_line_may_be_shown_again_and_the_rest_stays(tmp_path: Path) -> None:
    one = Session.load(str(tmp_path), "one")
    one.show(["k3v9qa"])
    one.ask("Where?")
    one.position, one.section, one.action = 77, 66, "decide"
    one.forget()
    one.save()
    again = Session.load(str(tmp_path), "one")
    assert (again.shown, again.prompts, again.position, again.section, again.action) == (
        {},
        ["Where?"],
        77,
        66,
        "decide",
    )


def test_only_the_last_prompts_are_kept_and_none_whole_that_is_long(tmp_path: Path) -> None:
    one = Session.load(str(tmp_path), "one")
    for number in range(9):
        one.ask(f"{number} " + "x" * 10_000)
    assert [prompt[:1] for prompt in one.prompts] == ["4", "5", "6", "7", "8"]
    one.save()
    assert os.path.getsize(one.path) < 12_000


def test_what_was_shown_stays_small(tmp_path: Path) -> None:
    one = Session.load(str(tmp_path), "one")
    one.show([f"{number:06}" for number in range(50_000)])
    one.save()
    assert os.path.getsize(one.path) < 50_000
    assert "049999" in Session.load(str(tmp_path), "one").shown


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    old = os.umask(0)
    try:
        one = Session.load(str(state), "one")
        one.save()
        session.trace(str(state), "{}")
    finally:
        os.umask(old)
    for path, mode in (
        (one.path, 0o600),
        (os.path.dirname(one.path), 0o700),
        (str(state), 0o700),
        (str(state / session.TRACE), 0o600),
    ):
        assert stat.S_IMODE(os.stat(path).st_mode) == mode, path


@pytest.mark.parametrize("name", ["../../escape", "a/b", "", "x" * 10_000, "\0", "é\udcff"])
def test_no_id_reaches_outside_the_folder(name: str, tmp_path: Path) -> None:
    one = Session.load(str(tmp_path / "state"), name)
    one.save()
    assert os.path.dirname(one.path) == str(tmp_path / "state" / SESSIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"shown": 5, "prompts": {"a": 1}, "position": "x"}',
        b"\xff\xfe",
        b"[" * 99_999,
    ],
)
def test_a_file_that_makes_no_sense_is_a_new_session(data: bytes, tmp_path: Path) -> None:
    one = Session.load(str(tmp_path), "one")
    os.makedirs(os.path.dirname(one.path))
    Path(one.path).write_bytes(data)
    again = Session.load(str(tmp_path), "one")
    assert (again.shown, again.prompts, again.position, again.section, again.action) == (
        {},
        [],
        0,
        0,
        "",
    )
    again.save()
    json.loads(Path(one.path).read_text())


def test_old_sessions_are_removed_when_a_new_one_begins(tmp_path: Path) -> None:
    old, young = Session.load(str(tmp_path), "old"), Session.load(str(tmp_path), "young")
    old.save()
    young.save()
    os.utime(old.path, (1, 1))
    young.save()
    assert os.path.exists(old.path), "it is looked for only once a session"
    Session.load(str(tmp_path), "new").save()
    assert not os.path.exists(old.path)
    assert os.path.exists(young.path)


def test_a_trace_is_begun_anew_where_it_grows_too_large(tmp_path: Path) -> None:
    for number in range(25):
        session.trace(str(tmp_path), f"{number} " + "x" * 100_000)
    assert os.path.getsize(tmp_path / session.TRACE) <= session.LARGEST_TRACE + 100_010
    assert (tmp_path / session.OLD_TRACE).read_text().startswith("10 ")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_state_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    Session.load(str(tmp_path / "state"), "one").save()
    session.trace(str(tmp_path / "state"), "{}")


def test_hooks_of_one_session_come_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "v" / ".aurelius").mkdir(parents=True)
    env = {"HOME": str(tmp_path)}
    state = session.state_of(str(tmp_path / "v"), env)
    name = session.name_in(b'{"x": 1, "session_id" : "one", "prompt": "session_id"}')
    seen: list[str] = []

    def second() -> None:
        with session.SessionLock(state, name, 20.0):
            seen.append("second")

    with session.SessionLock(state, name, 20.0):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.1)
        with session.SessionLock(state, session.name_in(b'{"session_id": "other"}'), 0.0):
            seen.append("other")
        one = Session.load(state, "one")
        answer = HookAnswer()
        answer.session_file = one.name
        answer.session = one.text()
        answer.traced = "line"
        session.keep_answer(state, answer)
        seen.append("first")
    thread.join(20)
    assert seen == ["other", "first", "second"]
    assert os.path.exists(one.path)
    assert (Path(state) / session.TRACE).read_text() == "line\n"


def test_what_another_hook_kept_meanwhile_is_not_lost(tmp_path: Path) -> None:
    slow, quick = Session.load(str(tmp_path), "one"), Session.load(str(tmp_path), "one")
    quick.show(["k3v9qa"])
    quick.save()
    slow.amend(str(tmp_path), ["p7x2mn"], position=77, action="decide")
    again = Session.load(str(tmp_path), "one")
    assert (list(again.shown), again.position, again.action) == (["k3v9qa", "p7x2mn"], 77, "decide")


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b'{"session_id"', b'{"session_id": 5}', b'{"session_id": ""}', b"\xff" * 99],
)
def test_without_a_session_nobody_waits(data: bytes, tmp_path: Path) -> None:
    with (
        session.SessionLock(str(tmp_path), session.name_in(data), 0.0),
        session.SessionLock("", "one", 0.0),
    ):
        assert list(tmp_path.iterdir()) == []


def test_a_failure_that_is_kept_removes_nothing_beside_it(tmp_path: Path) -> None:
    beside = tmp_path / "undo"
    beside.write_text("kept for good")
    os.utime(beside, (0, 0))
    session.failed(
        str(tmp_path),
        "writes",
        "2026-02-10T12:00:00",
        "stop",
        "one",
        "the disk is full",
        "free some",
    )
    assert beside.exists()
    assert session.hook_troubles(str(tmp_path)) == [
        "the hook stop failed at 2026-02-10 12:00:00 in session one: the disk is full; free some"
    ]
    session.worked(str(tmp_path), "writes")
    assert (session.hook_troubles(str(tmp_path)), beside.exists()) == ([], True)


@pytest.mark.parametrize(
    "prompt", ["the password is Hunter22", "use sk-ant-api03-" + "Ab3" * 20, "my API key: foo"]
)
def test_a_prompt_that_may_hold_a_secret_is_not_remembered(prompt: str, tmp_path: Path) -> None:
    one = Session.load(str(tmp_path), "one")
    one.ask("Where does Joe live?")
    one.ask(prompt)
    one.ask("Call him at 3 pm")
    assert one.prompts == ["Where does Joe live?", "Call him at 3 pm"]


def test_the_index_is_not_made_anew_for_every_hook_of_a_busy_machine(tmp_path: Path) -> None:
    state = str(tmp_path / "state" / "v")
    assert session.may_refresh(state)
    assert not session.may_refresh(state)
    long_ago = time.time() - session.SECONDS_BETWEEN_REFRESHES - 1
    os.utime(Path(state) / session.REFRESHED, (long_ago, long_ago))
    assert session.may_refresh(state)
