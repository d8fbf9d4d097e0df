"""The process itself: what a daemon answered goes out as if the command had run here."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aurelius import __main__
from aurelius.daemon.client import Answer
from aurelius.daemon.server import Request, Server
from aurelius.settings import places

ROOT = Path(__file__).resolve().parents[2]


PATIENT = (
    "from aurelius.daemon import client; client.CONNECT = client.SILENCE = 10; "
    "from aurelius.__main__ import main; main()"
)
"""What the installed script does, on a machine that may be busy with other things."""


class Place:
    """A vault whose daemon answers what a test wants."""

    def __init__(self, folder: str) -> None:
        self.root = os.path.join(folder, "v")
        os.makedirs(os.path.join(self.root, ".aurelius"))
        names = {
            "HOME": folder,
            "XDG_STATE_HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "AURELIUS_INDEX": folder + "/i",
        }
        self.env = os.environ | names | {"PYTHONPATH": str(ROOT)}
        self.server: Server | None = None

    def serve(self, answer: Callable[[Request], Answer | None]) -> None:
        self.server = Server(places.socket_path(places.daemon_folder(self.root, self.env)), answer)

    def start(
        self, *argv: str, stdout: int = subprocess.PIPE, stdin: int = subprocess.PIPE
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", PATIENT, *argv],
            cwd=self.root,
            env=self.env,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )


@pytest.fixture
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="a") as folder:
        made = Place(folder)
        yield made
        if made.server is not None:
            made.server.close()


def test_the_answer_goes_out_with_its_exit_code(place: Place) -> None:
    place.serve(lambda request: Answer(5, "Äpfel 🍋\n\\udcff\n".encode(), b"aurelius: told\n"))
    with place.start("show", "tea") as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (
        5,
        "Äpfel 🍋\n\\udcff\n".encode(),
        b"aurelius: told\n",
    )


def test_standard_input_goes_to_the_daemon_when_asked_for(place: Place) -> None:
    place.serve(lambda request: Answer(0, request.stdin().upper(), f"{request.in_tty}".encode()))
    with place.start("search", "tea") as process:
        out, err = process.communicate(b"typed\n" * 100_000)
    assert (process.returncode, out, err) == (0, b"TYPED\n" * 100_000, b"False")


def test_standard_input_that_a_dying_daemon_took_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"typed\n"), encoding="utf-8"))
    taken = __main__._Stdin()
    assert taken.stream() is sys.stdin
    assert taken.read() == b"typed\n"
    assert taken.read() == b"typed\n"
    assert taken.stream().read() == "typed\n"
    assert not taken.isatty()


def test_without_standard_input_there_is_nothing_to_hand_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    taken = __main__._Stdin()
    assert not taken.isatty()
    assert taken.read() == b""
    assert taken.stream().read() == ""


def test_a_daemon_that_gives_up_leaves_the_command_to_the_process(place: Place) -> None:
    (Path(place.root) / "tea.md").write_text("# Tea\n\nSteep sencha for one minute.\n")
    place.serve(lambda request: None)
    with place.start("get", "tea.md") as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, b"# Tea\n\nSteep sencha for one minute.\n", b"")
    assert place.server is not None
    assert place.server.served == 1


def test_head_may_close_the_pipe(place: Place) -> None:
    place.serve(lambda request: Answer(0, b"a line of text\n" * 1_000_000, b""))
    with place.start("search", "tea") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


if os.path.exists("/dev/full"):

    @pytest.mark.parametrize("times", [1, 100_000])
    def test_a_full_disk_is_said(times: int, place: Place) -> None:
        place.serve(lambda request: Answer(0, b"text\n" * times, b""))
        full = os.open("/dev/full", os.O_WRONLY)
        try:
            with place.start("search", "tea", stdout=full) as process:
                err = process.communicate()[1]
        finally:
            os.close(full)
        assert (process.returncode, err) == (
            74,
            b"aurelius: the answer cannot be written: No space left on device\n",
        )


if os.name != "nt":

    def test_ctrl_c_stops_the_waiting(place: Place) -> None:
        begun, go = threading.Event(), threading.Event()

        def answer(request: Request) -> Answer | None:
            begun.set()
            go.wait(10)
            return None

        place.serve(answer)
        with place.start("search", "tea") as process:
            assert begun.wait(10)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        go.set()
        assert (process.returncode, out, err) == (130, b"", b"aurelius: stopped\n")

    def test_a_closed_output_swallows(place: Place) -> None:
        place.serve(lambda request: Answer(4, b"text", b"told\n"))
        done = subprocess.run(
            ["sh", "-c", '"$0" -c "$1" search tea <&- >&-', sys.executable, PATIENT],
            cwd=place.root,
            env=place.env,
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (4, b"told\n")
