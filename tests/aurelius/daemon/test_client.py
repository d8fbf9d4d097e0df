"""Whatever is at the other end of the socket, the client has the whole answer or none at all."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from aurelius.cli.declarations import COMMANDS
from aurelius.daemon import client
from aurelius.daemon.client import HELLO, Answer, ask_daemon, find_root
from aurelius.daemon.server import Request, Server
from aurelius.settings import places
from aurelius.settings.config import find_vault

ROOT = Path(__file__).resolve().parents[3]
KINDS = ["unix", "port"] if hasattr(socket, "AF_UNIX") else ["port"]
SIZES = (0).to_bytes(4, "big") + (5).to_bytes(8, "big") + (0).to_bytes(8, "big")
Act = Callable[[socket.socket], None]


class Place:
    """A vault, and an environment in which its daemon's socket has a short path."""

    def __init__(self, folder: str) -> None:
        self.root = os.path.join(folder, "v")
        os.makedirs(os.path.join(self.root, ".aurelius"))
        self.env = {"HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
        self.folder = places.daemon_folder(self.root, self.env)
        self.path = places.socket_path(self.folder)

    def ask(self, *argv: str) -> Answer | None:
        return ask_daemon(argv or ("search", "tea"), self.env, self.root)


@pytest.fixture
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="a") as folder:
        yield Place(folder)


@contextmanager
def played(place: Place, kind: str, act: Act) -> Iterator[list[bytes]]:
    """A daemon that reads a request and then does what `act` does; what it was sent."""
    os.makedirs(place.folder, 0o700)
    family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
    seen: list[bytes] = []
    with socket.socket(family) as listener:
        if kind == "unix":
            listener.bind(place.path)
        else:
            listener.bind(("127.0.0.1", 0))
            Path(place.path).write_text(f"{listener.getsockname()[1]}\nmine\ntheirs\n")
        listener.listen()
        listener.settimeout(10)

        def serve() -> None:
            link, _ = listener.accept()
            with link, suppress(OSError):
                link.settimeout(10)
                if kind == "port":
                    assert link.recv(5, socket.MSG_WAITALL) == b"mine\n"
                    link.sendall(b"theirs\n")
                seen.append(link.recv(1 << 16))
                act(link)

        thread = threading.Thread(target=serve)
        thread.start()
        yield seen
        thread.join()


def says(*parts: bytes) -> Act:
    return lambda link: link.sendall(b"".join(parts))


def then_hangs(*parts: bytes) -> Act:
    def act(link: socket.socket) -> None:
        link.sendall(b"".join(parts))
        while link.recv(1000):  # until the client goes away
            pass

    return act


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "act",
    [
        then_hangs(),
        then_hangs(HELLO),
        then_hangs(HELLO, b"..."),
        then_hangs(HELLO, b"...=", SIZES, b"hel"),
        says(),
        says(HELLO),
        says(HELLO[:-3]),
        says(HELLO, b"..."),
        says(HELLO, b"...=", SIZES[:7]),
        says(HELLO, b"...=", SIZES, b"hell"),
        says(HELLO, b"-"),
        says(HELLO, b"?=", SIZES, b"hello"),
        says(HELLO, b"=", b"\xff" * 50),
        says(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        says(b"\0" * 10_000),
        says(b"aurelius 1 0.0.1\n=", SIZES, b"hello"),
        says(b"aurelius 2 ", HELLO.split()[2], b"\n=", SIZES, b"hello"),
    ],
    ids=[
        "accepts and hangs",
        "greets and hangs",
        "hangs at work",
        "hangs in the answer",
        "closes",
        "greets and dies",
        "dies in the greeting",
        "dies at work",
        "dies in the sizes",
        "dies in the answer",
        "not mine",
        "unknown frame",
        "sizes of nonsense",
        "another server",
        "no line",
        "another version",
        "another protocol",
    ],
)
def test_half_an_answer_is_none(kind: str, act: Act, place: Place) -> None:
    """A hung, dying or older daemon is noticed, and the command runs in this process."""
    with played(place, kind, act) as seen:
        assert place.ask() is None
    assert seen[0].startswith(HELLO)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with other things fails no test."""
    monkeypatch.setattr(client, "CONNECT", 10)
    monkeypatch.setattr(client, "SILENCE", 10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_answer_is_the_answer(kind: str, place: Place, patient: None) -> None:
    with played(place, kind, says(HELLO, b"..=", SIZES, b"hello", b"and more")):
        answer = place.ask()
    assert answer is not None
    assert (answer.code, answer.out, answer.err) == (0, b"hello", b"")


def test_a_daemon_that_is_at_it_for_ever_is_left(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MOST_BEATS", 3)
    with played(place, KINDS[0], says(HELLO, b"...=", SIZES, b"hello")):
        assert place.ask() is None


def test_a_stranger_at_the_port_is_told_nothing(place: Place) -> None:
    """A port that a dead daemon left may be anybody's."""
    heard: list[bytes] = []

    def serve() -> None:
        link, _ = listener.accept()
        with link:
            link.sendall(b"guess\n")
            while data := link.recv(1000):
                heard.append(data)

    os.makedirs(place.folder, 0o700)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        Path(place.path).write_text(f"{listener.getsockname()[1]}\nmine\ntheirs\n")
        thread = threading.Thread(target=serve)
        thread.start()
        assert place.ask() is None
        thread.join()
    assert heard == [b"mine\n"]


def test_a_client_without_a_daemon_gets_nothing_whatever_was_left_behind(place: Place) -> None:
    assert place.ask() is None
    os.makedirs(place.folder, 0o700)
    assert place.ask() is None
    for left in (b"", b"not a port\n", b"1\nmine\ntheirs\n", b"99999999\na\nb\n", b"\xff\xfe\0"):
        Path(place.path).write_bytes(left)
        assert place.ask() is None
    os.unlink(place.path)
    os.mkdir(place.path)
    assert place.ask() is None


if hasattr(socket, "AF_UNIX"):

    def test_a_socket_of_a_killed_daemon(place: Place) -> None:
        os.makedirs(place.folder, 0o700)
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(place.path)
        assert place.ask() is None

    def test_a_folder_that_others_may_enter_is_not_trusted(place: Place, patient: None) -> None:
        """What the environment holds is not for everybody."""
        server = Server(place.path, lambda request: Answer(0, b"", b""))
        try:
            assert place.ask() is not None
            os.chmod(place.folder, 0o755)
            assert place.ask() is None
        finally:
            server.close()


@pytest.fixture
def asked(place: Place, patient: None) -> Iterator[list[tuple[str, ...]]]:
    """The command lines that reach a daemon of the place."""
    lines: list[tuple[str, ...]] = []

    def answer(request: Request) -> Answer:
        lines.append(request.argv)
        return Answer(0, b"", b"")

    server = Server(place.path, answer)
    yield lines
    server.close()


def test_the_names_are_those_of_the_warm_commands() -> None:
    assert set(client.WARM) <= COMMANDS.keys()


def test_only_reading_commands_are_asked_for(place: Place, asked: list[tuple[str, ...]]) -> None:
    for name in COMMANDS:
        assert (place.ask(name) is not None) == (name in client.WARM)
    assert sorted(line[0] for line in asked) == sorted(client.WARM)
    for argv in (
        [],
        ["--help"],
        ["--version"],
        ["serach", "tea"],
        ["--json", "search"],
        ["--vault"],
        ["--", "search"],
    ):
        assert ask_daemon(argv, place.env, place.root) is None


@pytest.mark.parametrize("name", ["AURELIUS_NO_DAEMON", "AURELIUS_DEBUG"])
def test_the_environment_can_say_no(name: str, place: Place, asked: list[tuple[str, ...]]) -> None:
    place.env[name] = "1"
    assert place.ask() is None
    assert asked == []


def test_a_request_that_is_too_long_is_not_sent(place: Place, asked: list[tuple[str, ...]]) -> None:
    assert place.ask("search", "x" * client.MOST_REQUEST_BYTES) is None
    assert asked == []


class TestTheVault:
    """The client finds the vault that the command itself will find, or none."""

    @pytest.fixture
    def top(self, tmp_path: Path) -> Path:
        for name in ("here", "named", "here/named", "home/aurelius", "own"):
            (tmp_path / name / ".aurelius").mkdir(parents=True)
        (tmp_path / "here" / "sub").mkdir()
        return tmp_path

    @pytest.mark.parametrize(
        ("argv", "explicit"),
        [
            (["search", "tea"], None),
            (["--vault", "{top}/named", "search", "tea"], "{top}/named"),
            (["--vault={top}/named", "search", "tea"], "{top}/named"),
            (["--now", "2026-02-10", "search", "tea"], None),
            (["--now=2026-02-10", "--vault", "../named", "search", "tea"], "../named"),
            (["search", "tea", "--vault", "../named"], "../named"),
            (["search", "--vault=../named", "tea"], "../named"),
            (["--vault", "nowhere", "search", "tea", "--vault", "~/aurelius"], "~/aurelius"),
            (["search", "--", "tea", "--vault", "../named"], None),
        ],
    )
    @pytest.mark.parametrize("folder", ["here", "here/sub", "home"])
    @pytest.mark.parametrize("settings", [None, "# nothing\n", "vault = '../own'\n"])
    def test_it_is_the_same(
        self, argv: list[str], explicit: str | None, folder: str, settings: str | None, top: Path
    ) -> None:
        env = {"HOME": str(top / "home"), "XDG_CONFIG_HOME": str(top / "config")}
        if settings is not None:
            file = Path(places.user_file(env))
            file.parent.mkdir(parents=True)
            file.write_text(settings.replace("..", str(top)))
        argv = [word.replace("{top}", str(top)) for word in argv]
        explicit = explicit and explicit.replace("{top}", str(top))
        cwd = str(top / folder)
        assert find_root(argv, env, cwd) == find_vault(explicit, env, cwd)
        env["AURELIUS_VAULT"] = str(top / "named")
        assert find_root(argv, env, cwd) == find_vault(explicit, env, cwd)

    def test_a_bad_config_file_is_told_by_the_command(self, top: Path) -> None:
        env = {"HOME": str(top / "home"), "XDG_CONFIG_HOME": str(top / "config")}
        file = Path(places.user_file(env))
        file.parent.mkdir(parents=True)
        file.write_text("vault = [\n")
        assert find_root(["tags"], env, str(top)) is None
        assert find_root(["tags", "--vault", ""], env, str(top)) is None

    def test_a_folder_that_is_no_vault_has_no_daemon(self, place: Place) -> None:
        for vault in ("nowhere", "a\0b", "\udcff", "\ud800"):
            assert place.ask("search", "tea", "--vault", vault) is None


def test_it_imports_next_to_nothing(place: Place, asked: list[tuple[str, ...]]) -> None:
    """Before the socket was tried, nothing heavy is imported; and after an answer neither."""
    code = (
        f"import sys, os; sys.path.insert(0, {str(ROOT)!r}); before = set(sys.modules);"
        "leave = os._exit; os._exit = lambda code: (print(sorted(set(sys.modules) - before), flush=True), leave(code));"
        "sys.argv = ['aurelius', 'search', 'tea'];"
        "from aurelius.daemon import client; client.CONNECT = client.SILENCE = 10;"
        "from aurelius.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=place.root,
        env=os.environ | place.env,
        capture_output=True,
        text=True,
    )
    assert asked == [("search", "tea")], done.stderr
    allowed = {
        "__future__",
        "stat",
        "_blake2",
        "time",
        "_socket",
        "aurelius",
        "aurelius.__main__",
        "aurelius.daemon",
        "aurelius.daemon.client",
    }
    if sys.platform == "linux":
        assert set(eval(done.stdout)) <= allowed | {"aurelius.settings", "aurelius.settings.places"}
