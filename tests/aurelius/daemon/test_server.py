"""The daemon's ear, over real sockets: it answers who may ask, and nothing that comes in harms it."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from aurelius.daemon import client, server
from aurelius.daemon.client import HELLO, Answer, ask_daemon, control_daemon, pack_texts
from aurelius.daemon.server import Request, Server
from aurelius.settings import places

UNIX = hasattr(socket, "AF_UNIX")
Reply = Callable[[Request], Answer | None]


class Place:
    """A daemon folder, and how a client asks there; `serve` listens until the test is over."""

    def __init__(self, folder: str, loopback: bool) -> None:
        self.top = folder
        self.root = os.path.join(folder, "v")
        os.makedirs(os.path.join(self.root, ".aurelius"))
        self.env = {"HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
        self.folder = places.daemon_folder(self.root, self.env)
        self.path = places.socket_path(self.folder)
        self.loopback = loopback
        self.servers: list[Server] = []

    def serve(self, answer: Reply, path: str = "") -> Server:
        made = Server(path or self.path, answer, loopback=self.loopback)
        self.servers.append(made)
        return made

    def ask(self, *argv: str, stdin: Callable[[], bytes] = bytes) -> Answer | None:
        return ask_daemon(
            argv or ("search", "tea"),
            self.env,
            self.root,
            terminals=(False, True, False),
            stdin=stdin,
        )

    def connect(self) -> socket.socket:
        """A connection of somebody who knows where, and the secrets."""
        if not self.loopback:
            link = socket.socket(socket.AF_UNIX)
            link.connect(self.path)
        else:
            port, mine, theirs = client.secrets(self.path)
            link = socket.create_connection(("127.0.0.1", port))
            link.sendall(mine)
            assert link.recv(len(theirs), socket.MSG_WAITALL) == theirs
        link.settimeout(10)
        return link


@pytest.fixture(
    params=[False, True] if UNIX else [True], ids=lambda loopback: "port" if loopback else "unix"
)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(
        client, "CONNECT", 10
    )  # a machine that is busy with other things fails no test
    monkeypatch.setattr(client, "SILENCE", 10)
    with tempfile.TemporaryDirectory(prefix="a") as folder:
        made = Place(folder, request.param)
        yield made
        for each in made.servers:
            each.close()
        assert not os.path.exists(made.path)


def hello(request: Request) -> Answer:
    return Answer(0, b"hello", b"")


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_request_is_answered(place: Place) -> None:
    made = place.serve(lambda request: Answer(5, "é".encode(), b"\x1b[1mtold"))
    answer = place.ask()
    assert answer is not None
    assert (answer.code, answer.out, answer.err) == (5, "é".encode(), b"\x1b[1mtold")
    assert made.served == 1


@pytest.mark.parametrize(
    "words",
    [
        ["tea"],
        [""],
        ["", "", "--json"],
        ["two\nlines\r\n\ttab"],
        ["\udcff\udc80", "\ud800", "nul\0", "東京 🍋 \u202e"],
        ["x" * 300_000],
        [str(number) for number in range(5000)],
    ],
    ids=lambda words: ascii(words)[:20],
)
def test_what_is_typed_arrives(words: list[str], place: Place) -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Answer:
        seen.append(request)
        return Answer(0, b"", b"")

    place.serve(answer)
    place.env |= {"odd\udcff": "\udcfe=\n", "empty": ""}
    assert place.ask("search", *words) is not None
    request = seen[0]
    assert request.what == "run"
    assert request.argv == ("search", *words)
    assert request.cwd == place.root
    assert request.env == place.env
    assert (request.out_tty, request.err_tty, request.in_tty) == (False, True, False)
    assert request.east == time.localtime().tm_gmtoff


def test_a_slow_command_is_waited_for(place: Place) -> None:
    """While it runs, there are signs of life; client.py waits for each of them anew."""
    go = threading.Event()
    place.serve(lambda request: hello(request) if go.wait(10) else None)
    with place.connect() as link:
        link.sendall(request_of("search", "tea"))
        assert read_until(link, b"...") == HELLO + b"..."
        go.set()
        assert read_until(link, b"=").strip(b".") == b"="


def test_a_large_answer_is_whole(place: Place) -> None:
    text = os.urandom(5 << 20)
    place.serve(lambda request: Answer(0, text, text[:70_000]))
    found = place.ask()
    assert found is not None
    assert (found.out, found.err) == (text, text[:70_000])


def test_what_is_not_the_daemons_to_run_is_refused(place: Place) -> None:
    place.serve(lambda request: None)
    assert place.ask() is None


def test_a_command_that_fails_fails_again_where_it_was_typed(place: Place) -> None:
    def answer(request: Request) -> Answer:
        if request.argv[0] == "search":
            raise RuntimeError("a bug")
        return hello(request)

    place.serve(answer)
    assert place.ask() is None
    assert place.ask("tags") is not None


def test_clients_are_served_at_the_same_time(place: Place) -> None:
    both = threading.Barrier(2, timeout=10)

    def answer(request: Request) -> Answer:
        both.wait()
        return Answer(0, request.argv[1].encode(), b"")

    place.serve(answer)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda word: place.ask("search", word), ["one", "two"]))
    assert [answer and answer.out for answer in answers] == [b"one", b"two"]


def test_a_client_too_many_falls_back_and_the_next_is_served(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    made = place.serve(lambda request: hello(request) if go.wait(10) else None)
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(place.ask) for _ in range(8)]
        until(lambda: made.served == 8)
        with monkeypatch.context() as patch:
            patch.setattr(client, "SILENCE", 0.05)
            assert place.ask() is None
        go.set()
        assert all(each.result() is not None for each in waiting)
    assert place.ask() is not None


class TestStandardInput:
    def test_it_is_handed_over_when_the_command_reads_it(self, place: Place) -> None:
        place.serve(lambda request: Answer(0, request.stdin().upper(), b""))
        found = place.ask(stdin=lambda: b"typed\n" * 200_000)
        assert found is not None
        assert found.out == b"TYPED\n" * 200_000

    def test_it_is_left_alone_otherwise(self, place: Place) -> None:
        def never() -> bytes:
            raise AssertionError

        place.serve(hello)
        assert place.ask(stdin=never) is not None

    def test_the_signs_of_life_go_on_afterwards(self, place: Place) -> None:
        go = threading.Event()

        def answer(request: Request) -> Answer | None:
            data = request.stdin()
            return Answer(0, data, b"") if go.wait(10) else None

        place.serve(answer)
        with place.connect() as link:
            link.sendall(request_of("search"))
            assert read_until(link, b"<").startswith(HELLO)
            time.sleep(0.15)  # somebody types
            link.sendall((4).to_bytes(8, "big") + b"slow")
            assert read_until(link, b"...") == b"..."
            go.set()
            assert read_until(link, b"slow").endswith(b"slow")

    def test_there_is_a_limit(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server, "MOST_STDIN", 10)
        place.serve(lambda request: Answer(0, request.stdin(), b""))
        assert place.ask(stdin=lambda: b"x" * 11) is None
        assert place.ask(stdin=lambda: b"x" * 10) is not None

    def test_a_client_that_dies_instead(self, place: Place) -> None:
        ended = threading.Event()

        def answer(request: Request) -> Answer:
            try:
                request.stdin()
            finally:
                ended.set()
            return hello(request)

        place.serve(answer)
        with place.connect() as link:
            link.sendall(request_of("search"))
            assert read_until(link, b"<")
        assert ended.wait(10)


def request_of(*argv: str, what: str = "run", first: bytes = HELLO) -> bytes:
    body = pack_texts([what, os.sep, "0001", "0", str(len(argv)), *argv])
    return first + len(body).to_bytes(4, "big") + body


def read_until(link: socket.socket, end: bytes) -> bytes:
    """What comes in up to `end`, or up to the end."""
    data = b""
    while not data.endswith(end) and (more := link.recv(1)):
        data += more
    return data


def body_of(*texts: str) -> bytes:
    body = pack_texts(texts)
    return HELLO + len(body).to_bytes(4, "big") + body


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"x" * 10_000,
        HELLO[:5],
        HELLO,
        HELLO + b"\0\0",
        request_of("search", "tea")[:-3],
        HELLO + (client.MOST_REQUEST_BYTES + 1).to_bytes(4, "big") + b"x" * 100_000,
        HELLO + b"\xff\xff\xff\xff",
        HELLO + b"\0\0\0\0",
        HELLO + b"\0\0\0\5\xff\xff\xff\xff\xff",
        HELLO + b"\0\0\0\5\0\0\0\1\xff",
        request_of("search", first=b"aurelius 1 0.0.1\n"),
        request_of("search", first=b"aurelius 2 0.0.1\n"),
        body_of("run", "/", "0001", "0", "5", "search"),
        body_of("run", "/", "0001", "0", "1", "search", "name"),
        body_of("run", "/", "00", "0", "1", "search"),
        body_of("run", "/", "0001", "99999999", "1", "search"),
        body_of("run", "/", "0001", "east", "one", "search"),
    ],
    ids=lambda sent: ascii(sent[:30]),
)
def test_nonsense_is_hung_up_on(sent: bytes, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what is cut off, too long, or of another version; and everybody else is served meanwhile."""
    monkeypatch.setattr(server, "SECONDS_TO_ASK", 0.1)
    made = place.serve(hello)
    with place.connect() as link:
        try:
            link.sendall(sent)
            while link.recv(1000):
                pass
        except ConnectionError:  # with what was not read any more
            pass
    assert made.served == 0
    assert place.ask() is not None


def test_one_that_trickles_does_not_hold_a_place(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SECONDS_TO_ASK", 0.1)
    made = place.serve(hello)
    with place.connect() as link:
        try:
            for byte in request_of("search", "tea" * 1000):
                link.sendall(bytes([byte]))
                time.sleep(0.01)
        except ConnectionError:
            pass
    assert made.served == 0


@pytest.mark.parametrize("how", ["at once", "with the request sent", "at work", "in the answer"])
def test_a_client_that_vanishes_harms_nobody(how: str, place: Place) -> None:
    begun, go = threading.Event(), threading.Event()

    def answer(request: Request) -> Answer:
        begun.set()
        go.wait(10)
        return Answer(0, b"x" * (1 << 20), b"")

    made = place.serve(answer)
    with place.connect() as link:
        if how != "at once":
            link.sendall(request_of("search", "tea"))
        if how in {"at work", "in the answer"}:
            assert begun.wait(10)
        if how == "in the answer":
            go.set()
            assert read_until(link, b"=")
    go.set()
    assert place.ask() is not None
    until(lambda: not made._connections)


def test_a_client_that_looks_away_is_left(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SECONDS_TO_READ", 0.1)
    made = place.serve(lambda request: Answer(0, b"x" * (16 << 20), b""))
    with place.connect() as link:
        link.sendall(request_of("search", "tea"))
        until(lambda: made.served == 1)
        until(lambda: not made._connections)


class TestControl:
    def test_words_for_the_daemon_itself(self, place: Place) -> None:
        place.serve(lambda request: Answer(0, request.what.encode(), b""))
        assert control_daemon(place.folder, "status") == b"status"
        assert control_daemon(place.folder, "stop") == b"stop"

    def test_another_version_may_be_stopped_but_not_asked(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.serve(lambda request: Answer(0, request.what.encode(), b""))
        monkeypatch.setattr(client, "HELLO", b"aurelius 1 0.0.1\n")
        assert control_daemon(place.folder, "stop") == b"stop"
        assert place.ask() is None

    def test_asking_where_no_daemon_is_gives_nothing(self, place: Place) -> None:
        assert control_daemon(place.folder, "status") is None


class TestClose:
    def test_what_runs_is_finished(self, place: Place) -> None:
        begun = threading.Event()

        def answer(request: Request) -> Answer:
            begun.set()
            time.sleep(0.1)
            return hello(request)

        made = place.serve(answer)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(place.ask)
            assert begun.wait(10)
            made.close()
            found = asked.result()
        assert found is not None
        assert found.out == b"hello"
        assert place.ask() is None
        made.close()

    def test_what_hangs_is_left_behind(self, place: Place) -> None:
        begun, go = threading.Event(), threading.Event()

        def answer(request: Request) -> Answer:
            begun.set()
            go.wait(10)
            return hello(request)

        made = place.serve(answer)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(place.ask)
            assert begun.wait(10)
            made.close(wait=0.05)
            assert asked.result() is None
            go.set()
        until(lambda: not made._connections)

    def test_a_reader_of_standard_input_is_woken(self, place: Place) -> None:
        made = place.serve(lambda request: Answer(0, request.stdin(), b""))
        with place.connect() as link:
            link.sendall(request_of("search"))
            assert read_until(link, b"<")
            made.close(wait=0.05)
        until(lambda: not made._connections)

    def test_the_socket_of_another_is_left_alone(self, place: Place) -> None:
        first = place.serve(hello)
        second = place.serve(hello)
        first.close()
        assert place.ask() is not None
        second.close()


class TestListening:
    def test_what_a_killed_daemon_left_is_replaced(self, place: Place) -> None:
        os.makedirs(place.folder, 0o700)
        Path(place.path).write_text("1\nold\nold\n")
        (Path(place.folder) / "log").write_text("kept")
        place.serve(hello)
        assert place.ask() is not None
        assert (Path(place.folder) / "log").read_text() == "kept"

    def test_a_place_that_cannot_be_written_is_an_os_error(self, place: Place) -> None:
        (Path(place.top) / "file").touch()
        place.env["XDG_STATE_HOME"] = str(Path(place.top) / "file")
        with pytest.raises(OSError, match="file"):
            place.serve(hello, places.socket_path(places.daemon_folder(place.root, place.env)))
        assert place.ask() is None

    def test_a_home_with_a_long_name(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(places, "TEMPORARY", place.top)
        place.env["XDG_STATE_HOME"] = os.path.join(place.top, "x" * 150)
        path = places.socket_path(places.daemon_folder(place.root, place.env))
        assert path.startswith(os.path.join(place.top, "aurelius-")) == UNIX
        made = place.serve(hello, path)
        assert place.ask() is not None
        made.close()
        assert not os.path.exists(path)
        assert os.path.exists(os.path.dirname(path)) != UNIX, (
            "the folder was made for the socket alone"
        )

    def test_a_port_wants_the_secret(self, place: Place) -> None:
        if place.loopback:
            made = place.serve(hello)
            port = client.secrets(place.path)[0]
            with socket.create_connection(("127.0.0.1", port)) as link:
                link.settimeout(10)
                link.sendall(b"guess\n" + request_of("search"))
                with suppress(ConnectionError):
                    assert link.recv(100) == b""
            assert made.served == 0


if UNIX:

    def test_nobody_else_may_look_in(place: Place) -> None:
        """The socket's mode is 0600, whatever the umask is, and its folder's 0700."""
        before = os.umask(0)
        try:
            place.serve(hello)
        finally:
            os.umask(before)
        assert stat.S_IMODE(os.stat(place.path).st_mode) == 0o600
        for folder in (place.folder, os.path.dirname(place.folder)):
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700

    def test_a_folder_that_was_open_is_closed(place: Place) -> None:
        os.makedirs(place.folder, 0o755)
        place.serve(hello)
        assert stat.S_IMODE(os.stat(place.folder).st_mode) == 0o700
        assert place.ask() is not None

    def test_a_folder_that_somebody_else_made_is_refused(
        place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        os.makedirs(os.path.join(place.top, "theirs"), 0o700)
        os.makedirs(os.path.dirname(place.folder))
        os.symlink(os.path.join(place.top, "theirs"), place.folder)
        with pytest.raises(PermissionError):
            place.serve(hello)
        os.unlink(place.folder)
        os.mkdir(place.folder, 0o700)
        monkeypatch.setattr(server, "is_own_folder", lambda folder: False)
        with pytest.raises(PermissionError):
            place.serve(hello)

    def test_another_user_is_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        made = place.serve(hello)
        if not place.loopback:
            monkeypatch.setattr(server, "_is_mine", lambda link: False)
            assert place.ask() is None
            assert made.served == 0

    def test_connection_of_another_user_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
        one, other = socket.socketpair()
        with one, other:
            assert server._is_mine(one)
            theirs = os.getuid() + 1
            monkeypatch.setattr(os, "getuid", lambda: theirs)
            assert server._is_mine(one) != hasattr(socket, "SO_PEERCRED")
