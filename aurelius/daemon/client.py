"""Client of the daemon: sends it one command line, before anything else is imported.

Whatever goes wrong, nobody listening, an older daemon, one that hangs or dies or talks nonsense,
the answer is None and the command runs in this process; nothing is printed before the whole answer
is here. A connection is a line that says who is there and what follows, one request, and frames
that answer it:

    client aurelius 1 0.1.0 ⏎ length ×4, then texts: length ×4, UTF-8 (lone surrogates as they are)
    server   aurelius 1 0.1.0 ⏎   `.` it still runs   `-` not mine   `<` send what stdin holds
                                  `=` exit code ×4, lengths of stdout and stderr ×8 each, both

The texts are what is asked, the working directory, three tty facts, seconds east of UTC, how many
words, the words, and names and values of the environment.  Where there are no Unix sockets, a file
holds a port on the loopback interface and two secrets; each side shows one before it says more.
"""

from __future__ import annotations

import os
import time

from aurelius import __version__
from aurelius.settings.places import (
    absolute,
    daemon_folder,
    home_vault,
    is_own_folder,
    socket_path,
    user_file,
    vault_above,
)

TYPE_CHECKING = False  # as type checkers know it; `typing` itself costs more than asking the daemon
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Mapping, Sequence

    Terminals = tuple[bool, bool, bool]

WARM = (
    "search",
    "recall",
    "context",
    "get",
    "show",
    "list",
    "today",
    "days",
    "tasks",
    "tags",
    "links",
    "graph",
    "hook",
    "tool",
)
"""The commands that may be asked for: those that only read."""

_VALUED = ("--vault", "--now", "--session", "--agent", "--deadline", "--part")

PAGES_REQUEST = "pages"
"""What a daemon is asked that is to serve the pages, on the port that is told with it."""

PROTOCOL = "aurelius 1"
HELLO = f"{PROTOCOL} {__version__}\n".encode()
"""What each side says first; a daemon of another version is left alone."""

CONNECT = 0.02
SILENCE = 0.2
"""Seconds to wait for a connection, and for the next frame of a daemon that still runs the
command."""

MOST_BEATS = 600
"""Frames of a daemon that is still at it, 50 ms apart, after which this process does the work
itself."""

SECONDS_TO_READ = 10.0
"""Seconds that either side may take to read what the other has to say in full."""

MOST_REQUEST_BYTES = 1 << 20
"""Bytes a request may have."""

BEAT = b"."
NOT_MINE = b"-"
STDIN = b"<"
ANSWER_KIND = b"="


class Answer:
    """What a command did: its exit code, and what it wrote as UTF-8."""

    __slots__ = ("code", "err", "out")

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.out = out
        self.err = err


class Incoming:
    """Bytes that come in over a connection, in the pieces asked for; EOFError where it ends or
    makes no sense."""

    __slots__ = ("_data", "link")

    def __init__(self, link: socket) -> None:
        self.link = link
        self._data = bytearray()

    def line(self) -> bytes:
        """The next line, its end included."""
        while b"\n" not in self._data:
            if len(self._data) > 200:
                raise EOFError
            self.more()
        return self.take(self._data.index(b"\n") + 1)

    def take(self, count: int) -> bytes:
        """The next so many bytes."""
        while len(self._data) < count:
            self.more()
        taken = bytes(self._data[:count])
        del self._data[:count]
        return taken

    def number(self, width: int) -> int:
        """The next number."""
        return int.from_bytes(self.take(width), "big")

    def more(self) -> None:
        """Wait for what comes next, as long as the socket's timeout allows."""
        data = self.link.recv(1 << 16)
        if not data:
            raise EOFError
        self._data += data


def ask_daemon(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    *,
    terminals: Terminals = (False, False, False),
    stdin: Callable[[], bytes] = bytes,
    person: bool = True,
) -> Answer | None:
    """The answer of the vault's daemon to the command line `argv`; None where this process has to
    run it.

    `terminals` says whether standard output, error and input are terminals, `stdin` is called when
    the command reads its standard input, and `person` is false where an agent asks through a door.
    """
    if env.get("AURELIUS_NO_DAEMON") or env.get("AURELIUS_DEBUG"):
        return None
    try:
        root = find_root(argv, env, cwd)
        if root is None:
            return None
        path = socket_path(daemon_folder(root, env))
        facts = "".join(f"{fact:d}" for fact in (*terminals, person))
        texts = ["run", cwd, facts, str(time.localtime().tm_gmtoff), str(len(argv)), *argv]
        for variable in env.items():
            texts += variable
        return _sent(path, texts, stdin)
    except Exception:  # noqa: BLE001 whatever it is, this process can do without
        return None


def control_daemon(folder: str, word: str, *told: str) -> bytes | None:
    """The answer of the daemon of a daemon folder, whatever its version, to `word`: "status",
    "stop", or "pages" with a port."""
    try:
        texts = [word, "", "0001", "0", str(len(told)), *told]
        answer = _sent(socket_path(folder), texts, bytes)
    except Exception:  # noqa: BLE001 as above
        return None
    return answer.out if answer else None


def split_line(argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The words of a command line, and the values of the options that may stand in front of them or
    belong to a hook; other options are words that begin with a dash."""
    words = []
    values = {}
    rest = iter(argv)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            break
        if name not in _VALUED:
            words.append(word)
        else:
            values[name] = value if equals else next(rest, "")
    return words, values


def named_command(argv: Sequence[str]) -> str:
    """The word of a line that should be its command, "" where none is named."""
    words = split_line(argv)[0]
    first = next((word for word in words if word not in {"--no-pager", "--ids"}), "")
    return "" if first.startswith("-") else first


def find_root(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> str | None:
    """The vault that a reading command line means; None for any other line, and where more has to
    be looked at.

    It need not be right for every odd line: the daemon looks again, and leaves alone what is not
    its own.
    """
    values = split_line(argv)[1]
    if named_command(argv) not in WARM or values.get("--vault") == "":
        return None
    named = values.get("--vault") or env.get("AURELIUS_VAULT")
    if named:
        return absolute(named, env, cwd)
    above = vault_above(cwd)
    if above or not os.path.exists(user_file(env)):
        return above or home_vault(env)
    from aurelius.settings.config import find_vault
    from indexer.errors import AureliusError

    try:
        return find_vault(None, env, cwd)
    except AureliusError:
        return None


def pack_texts(texts: Sequence[str]) -> bytes:
    """The texts as a request holds them."""
    packed = bytearray()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        packed += len(data).to_bytes(4, "big")
        packed += data
    return bytes(packed)


def secrets(path: str) -> tuple[int, bytes, bytes]:
    """The port and the two secrets, the client's and the server's, of a server on the loopback
    interface."""
    with open(path, encoding="ascii") as stream:
        port, mine, theirs = stream.read(200).split()
    return int(port), mine.encode() + b"\n", theirs.encode() + b"\n"


def _sent(path: str, texts: Sequence[str], stdin: Callable[[], bytes]) -> Answer | None:
    """The answer to one request; OSError, ValueError or EOFError where there is none."""
    import stat

    body = pack_texts(texts)
    kind = os.stat(path).st_mode
    if len(body) > MOST_REQUEST_BYTES or not is_own_folder(os.path.dirname(path)):
        return None
    try:
        import _socket as sockets
    except ImportError:  # another Python than CPython
        import socket as sockets  # type: ignore[no-redef]  # the same names
    plain = not stat.S_ISSOCK(kind)
    link = sockets.socket(sockets.AF_INET if plain else sockets.AF_UNIX, sockets.SOCK_STREAM)
    try:
        link.settimeout(CONNECT)
        if plain:
            port, mine, theirs = secrets(path)
            link.connect(("127.0.0.1", port))
        else:
            link.connect(path)
        link.settimeout(SILENCE)
        incoming = Incoming(link)
        if plain:
            link.sendall(mine)
            if incoming.line() != theirs:
                return None
        link.sendall(HELLO + len(body).to_bytes(4, "big") + body)
        return _answer(incoming, same=texts[0] == "run", stdin=stdin)
    finally:
        link.close()


def _answer(incoming: Incoming, *, same: bool, stdin: Callable[[], bytes]) -> Answer | None:
    """The frames of an answer, up to the last."""
    hello = incoming.line()
    if hello != HELLO and (same or not hello.startswith(PROTOCOL.encode() + b" ")):
        return None
    for _ in range(MOST_BEATS):
        kind = incoming.take(1)
        if kind == ANSWER_KIND:
            code = incoming.number(4)
            out = incoming.number(8)
            err = incoming.number(8)
            return Answer(code, incoming.take(out), incoming.take(err))
        if kind == STDIN:
            data = stdin()
            incoming.link.settimeout(SECONDS_TO_READ)
            incoming.link.sendall(len(data).to_bytes(8, "big") + data)
            incoming.link.settimeout(SILENCE)
        elif kind != BEAT:
            return None
    return None
