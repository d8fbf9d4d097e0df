"""Hooks as a client program calls them, while everything hangs: they end with exit code 0, and a whole answer or none.

A daemon hangs where a socket takes connections and never answers, and where a real one is stopped; an index, where a
stopped process holds it locked; the files are slow where there are thousands of folders.  Nothing here asserts a time,
but whoever waited for what hangs would wait for ever.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.agents.deadline import HOOK_EVENTS, READING_EVENTS
from aurelius.agents.session import Session, SessionLock
from aurelius.cli.run import Context
from aurelius.settings import places
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[2]
CALL = [sys.executable, "-c", "from aurelius.__main__ import main; main()"]
ASKED = {"prompt": "Where does Joe live?", "source": "startup"}
LONG = ["--deadline", "30000"]

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="there is nothing to stop a process with"
)


class Place:
    """A vault with a home of its own."""

    def __init__(self, top: str) -> None:
        self.root, self.home = Path(top) / "v", Path(top) / "h"
        shutil.copytree(ROOT / "vault_template", self.root)
        joe = (
            self.root / "people" / "joe-bloggs.md"
        )  # an example that nobody changed is told to no session
        joe.write_text(
            joe.read_text("utf-8").replace("Lives in Los Angeles", "Lives in Los Angeles again"),
            "utf-8",
        )
        (self.root / ".aurelius").mkdir(exist_ok=True)
        self.home.mkdir()
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.home),
        }

    def run(self, *argv: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*CALL, *argv],
            cwd=self.root,
            env=self.env,
            input=data,
            capture_output=True,
            timeout=120,
        )

    def begin(self, *argv: str, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*CALL, "hook", *argv],
            cwd=self.root,
            env=self.env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def hook(self, event: str, *options: str, **fields: Any) -> str:
        """What the model would read of an event."""
        data = json.dumps({"session_id": "one", **ASKED, **fields}).encode()
        done = self.run("hook", event, *options, data=data)
        assert (done.returncode, done.stderr) == (0, b"")
        return whole(done.stdout)


def whole(out: bytes) -> str:
    """The text of an answer, which is there as a whole or not at all."""
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


@pytest.fixture
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(
        prefix="h", ignore_cleanup_errors=True
    ) as top:  # work may go on after a hook
        made = Place(top)
        silent = Context(
            str(made.root), made.env, False, io.StringIO(), io.StringIO(), io.StringIO()
        )
        assert run_line(["index"], silent) == 0
        yield made


def test_a_daemon_that_takes_connections_and_never_answers(place: Place) -> None:
    path = places.socket_path(places.daemon_folder(str(place.root), place.env))
    os.makedirs(os.path.dirname(path), mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(100)
        for event in HOOK_EVENTS:
            place.hook(event)
        assert "Los Angeles" in place.hook("prompt", *LONG, session_id="patient")


def test_a_daemon_that_is_stopped(place: Place) -> None:
    assert place.run("daemon", "start").returncode == 0
    pid = int(next(place.home.rglob("pid")).read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        for event in HOOK_EVENTS:
            place.hook(event)
        assert "Los Angeles" in place.hook("prompt", *LONG, session_id="patient")
    finally:
        os.kill(pid, signal.SIGCONT)
        place.run("daemon", "stop")


def test_a_daemon_answers_and_what_it_answered_counts_as_shown(place: Place) -> None:
    cold = place.hook("prompt", *LONG, session_id="cold")
    assert place.run("daemon", "start").returncode == 0
    try:
        served = json.loads(place.run("daemon", "status", "--json").stdout)["served"]
        assert place.hook("prompt", *LONG) == cold
        assert json.loads(place.run("daemon", "status", "--json").stdout)["served"] > served
        assert place.hook("prompt", *LONG) == ""
    finally:
        place.run("daemon", "stop")
    assert place.hook("prompt", *LONG) == "", "what the daemon showed is shown again without it"


HOLD = """
import os, signal, sys, apsw
db = apsw.Connection(sys.argv[1])
db.execute("PRAGMA locking_mode = EXCLUSIVE")
db.execute("BEGIN IMMEDIATE; CREATE TABLE held (x); COMMIT; BEGIN EXCLUSIVE")
print("held", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_an_index_that_a_stopped_process_holds(place: Place) -> None:
    (index,) = [path for path in (place.home / ".cache").rglob("*.db") if path.is_file()]
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(index)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            for event in HOOK_EVENTS:
                place.hook(event)
        finally:
            os.kill(holder.pid, signal.SIGKILL)


def test_thousands_of_folders_to_look_through(place: Place) -> None:
    for number in range(2500):
        folder = place.root / "many" / f"{number:04}"
        folder.mkdir(parents=True)
        (folder / "note.md").write_text(f"# Note {number}\n")
    assert "Los Angeles" in place.hook("prompt", "--trace", *LONG)
    (trace,) = place.home.rglob("hooks.jsonl")
    assert json.loads(trace.read_text())["fresh"] is False


def test_standard_input_that_never_ends(place: Place) -> None:
    for event in HOOK_EVENTS:
        read, write = os.pipe()
        os.write(write, b'{"session_id": "one", "prompt": "Where does Joe live?"}\n')
        with place.begin(event, stdin=read) as process:
            os.close(read)
            assert process.wait(60) == 0
            assert process.stdout is not None
            assert process.stderr is not None
            assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
        os.close(write)


def test_fifty_megabytes_on_standard_input(place: Place) -> None:
    data = b'{"session_id": "one", "prompt": "' + b"where " * (50 * 1_000_000 // 6) + b'"}'
    for event in ("prompt", "post-tool"):
        done = place.run("hook", event, *LONG, data=data)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_fifty_at_once(place: Place) -> None:
    started = [place.begin("prompt") for _ in range(50)]
    for number, process in enumerate(started):
        data = json.dumps({"session_id": f"s{number}", **ASKED}).encode()
        out, err = process.communicate(data, timeout=120)
        assert (process.returncode, err) == (0, b"")
        whole(out)
    for file in place.home.rglob("sessions/*.json"):
        json.loads(file.read_text())


def test_many_at_once_in_one_session_show_no_line_twice(place: Place) -> None:
    data = json.dumps({"session_id": "one", **ASKED}).encode()
    started = [place.begin("prompt", *LONG) for _ in range(8)]
    answers = [whole(process.communicate(data, timeout=120)[0]) for process in started]
    lines = [line for answer in answers for line in answer.splitlines() if line.startswith("- ")]
    assert lines
    assert len(lines) == len(set(lines))


def test_an_answer_that_came_too_late_does_not_count_as_shown(place: Place) -> None:
    assert place.hook("prompt", "--deadline", "25") == ""
    assert "Los Angeles" in place.hook("prompt", *LONG)


def test_an_answer_that_nobody_could_read_does_not_count_as_shown(place: Place) -> None:
    out, into = os.pipe()
    os.close(out)
    with subprocess.Popen(
        [*CALL, "hook", "prompt", *LONG],
        cwd=place.root,
        env=place.env,
        stdin=subprocess.PIPE,
        stdout=into,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(into)
        assert (
            process.communicate(json.dumps({"session_id": "one", **ASKED}).encode(), 60)[1] == b""
        )
        assert process.returncode == 0
    assert "Los Angeles" in place.hook("prompt", *LONG)


def test_what_came_too_late_stands_in_the_trace(place: Place) -> None:
    """A session that another hook holds is waited for."""
    state = Session.load(places.vault_state(str(place.root), place.env), "one")
    with SessionLock(
        os.path.dirname(os.path.dirname(state.path)), state.name.removesuffix(".json"), 5.0
    ) as alone:
        assert alone.held
        assert place.hook("prompt", "--trace", "--deadline", "2000") == ""
    for _ in range(600):  # a process of its own writes it
        lines = [
            line
            for path in place.home.rglob("hooks.jsonl")
            for line in path.read_text().splitlines(keepends=True)
        ]
        if lines and lines[0].endswith("\n"):
            assert json.loads(lines[0])["why"] == "the deadline passed before there was an answer"
            return
        time.sleep(0.05)
    pytest.fail("no line of the trace tells that the deadline passed")


def test_a_hook_that_writes_goes_on_where_its_time_is_over(place: Place) -> None:
    said = {
        "type": "user",
        "message": {"role": "user", "content": "Joe moved to Seattle last week."},
    }
    transcript = place.home / "t.jsonl"
    transcript.write_text(json.dumps(said) + "\n")
    place.hook("stop", "--deadline", "10", transcript_path=str(transcript))
    for _ in range(600):
        if any("Seattle" in path.read_text() for path in (place.root / "memory").glob("*.md")):
            return
        time.sleep(0.05)
    pytest.fail("what the person said was lost with the hook's deadline")


def test_without_fork_a_process_of_its_own_writes(place: Place) -> None:
    without = [
        sys.executable,
        "-c",
        "import os; del os.fork; from aurelius.__main__ import main; main()",
    ]
    given = {
        "session_id": "one",
        "tool_name": "Read",
        "tool_input": {"file_path": "people/sarah.md"},
    }
    done = subprocess.run(
        [*without, "hook", "post-tool", *LONG],
        cwd=place.root,
        env=place.env,
        input=json.dumps(given).encode(),
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "people/sarah.md" in next(place.home.rglob("uses.jsonl")).read_text()
    done = subprocess.run(
        [*without, "hook", "prompt", *LONG],
        cwd=place.root,
        env=place.env,
        input=json.dumps(ASKED).encode(),
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Los Angeles" in whole(done.stdout)


@pytest.mark.parametrize("event", ["session-start", "prompt"])
def test_an_adopted_vault_is_indexed_behind_its_first_event_and_that_is_said(
    place: Place, event: str
) -> None:
    shutil.rmtree(place.home / ".cache")
    assert "building the index" in place.hook(event, *LONG)
    for _ in range(600):
        if "Los Angeles" in place.hook("prompt", *LONG, session_id=os.urandom(4).hex()):
            return
        time.sleep(0.1)
    pytest.fail("nobody made the index")


@pytest.mark.parametrize("daemon", [False, True])
def test_a_prompt_knows_the_notes_that_were_just_written(place: Place, daemon: bool) -> None:
    if daemon:
        assert place.run("daemon", "start").returncode == 0
    try:
        noted = ("Calliope Dunn", "Ignatz Fell")
        for name in noted:
            line = f"{name} lives in Ghent, above the harpsichord shop"
            assert place.run("note", line).returncode == 0
        names = ("Ottoline Krasny", "Bertrand Wix", "Philippa Orne", "Zebedee Marsh", "Hesper Lund")
        for name in names:
            file = place.root / "people" / f"{name.lower().replace(' ', '-')}.md"
            file.write_text(f"# {name}\n\n- Lives in Ghent, above the harpsichord shop\n")
        for name in (*names, *noted):
            asked = f"Where does {name} live now?"
            for _ in range(50):  # a busy machine may take too long to look through the files
                session = os.urandom(4).hex()
                told = place.hook("prompt", *LONG, prompt=asked, session_id=session)
                if "harpsichord shop" in told.lower():
                    break
            else:
                pytest.fail(f"the note about {name} is not known")
    finally:
        if daemon:
            place.run("daemon", "stop")


def pieces() -> Iterator[bytes]:
    """A thousand events that no client would send."""
    chance = random.Random(5)
    plain = {
        "session_id": "one",
        "transcript_path": "/none.jsonl",
        "cwd": "/",
        "prompt": "Where does Joe live?",
        "source": "compact",
        "tool_name": "Read",
        "tool_input": {"file_path": "people/sarah.md"},
        "reason": "exit",
    }
    odd: list[Any] = [
        None,
        True,
        5,
        -1e300,
        "",
        "\0",
        "\ud800",
        "../" * 50,
        "x" * 5000,
        [],
        [[]] * 9,
        {},
        {"a": {"b": []}},
        "/dev/zero",
        "/proc/self/mem",
        "^k3v9qa",
        "~",
        "//",
        "con",
        '{"',
        "\x1b[2J",
        "𝔘",
        "-" * 99,
    ]
    for number in range(daily(350, 1000)):
        fields: dict[str, Any] = dict(plain)
        for _ in range(chance.randint(0, 4)):
            fields[chance.choice([*plain, "other", "stop_hook_active", "messages"])] = (
                chance.choice(odd)
            )
        data = json.dumps(fields).encode()
        if number % 3 == 1:
            at = chance.randrange(len(data))
            data = (
                data[:at]
                + chance.randbytes(chance.randint(0, 9))
                + data[at + chance.randint(0, 9) :]
            )
        elif number % 3 == 2:
            data = data[: chance.randrange(len(data))]
        yield data


def test_hundreds_of_events_that_make_no_sense(place: Place) -> None:
    from tests.aurelius.agents.test_hooks import in_this_process

    outside = {
        path
        for path in place.home.parent.rglob("*")
        if "h" not in path.relative_to(place.home.parent).parts[:1]
    }
    chance = random.Random(7)
    for data in pieces():
        event = chance.choice(tuple(HOOK_EVENTS))
        code, out, err = in_this_process(place.root, place.env, event, data)
        assert (code, err) == (0, ""), data
        assert event in READING_EVENTS or not out, data
        whole(out.encode("utf-8", "replace"))
    written = {
        path.relative_to(place.home).parts[:3] for path in place.home.rglob("*") if path.is_file()
    }
    assert {parts[:2] for parts in written} <= {(".local", "state"), (".cache", "aurelius")}
    new = set(place.root.rglob("*")) - outside
    assert [path for path in new if ".aurelius" not in path.parts] == []
