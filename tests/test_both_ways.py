"""The same answers with a daemon and without: every reading command, run both ways, byte for byte."""

from __future__ import annotations

import datetime
import io
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aurelius.__main__ import run_line
from aurelius.cli import captured
from aurelius.cli.run import BUG, Context
from aurelius.daemon import client
from aurelius.daemon.client import WARM, Answer, ask_daemon
from aurelius.daemon.server import Request, Server
from aurelius.settings import places
from aurelius.vault import Vault
from indexer.live.live_index import Live

ROOT = Path(__file__).resolve().parents[1]
VAULTS = [
    "sample",
    "unicode",
    "links",
    "private",
    "tasks",
    "where",
    "superseded",
    "broken",
    "empty",
]
NOW = ["--now", "2026-02-10T12:00"]

LINES: dict[str, list[list[str]]] = {
    "sample": [
        ["search", "where", "does", "joe", "live"],
        ["search", "tea", "--json"],
        ["search", "tea", "--jsonl", "--explain", "-n3"],
        ["search", "ferry booking", "--paths", "--mode", "keyword"],
        ["search", "sailing knots", "--md", "--mode", "vector", "--fusion", "rrf"],
        ["search", '"sourdough starter"', "-bread", "--explain", "--fusion=weighted"],
        [
            "search",
            "decision",
            "--kind",
            "project",
            "--type",
            "decision",
            "--since",
            "last year",
            "--budget",
            "100",
        ],
        ["search", "meeting", "--on", "2026-02-09"],
        ["search", "zzzzqqq"],
        ["search", "zzzzqqq", "--json"],
        ["search", ""],
        ["search", "tea", "--linked-by", "home-server", "--recursive", "--explain"],
        ["search", "--linked-by", "home-server", "--format", "{path} {title}"],
        ["search", "--where", "path ~ 2026", "--on", "2026-02", "--json"],
        ["search", "tea", "--limit", "500"],
        ["search", "tea", "--json", "--md"],
        ["search", "tea", "--since", "someday"],
        ["search", "tea", "--where", "??"],
        ["recall", "where", "does", "joe", "work"],
        ["recall", "Why was the ferry booked?", "--json", "--explain", "-n", "9"],
        ["recall", "sailing", "--kind", "project", "--since", "last year", "--budget", "60"],
        ["recall", "zzzzqqq"],
        ["context"],
        ["context", "Why was the ferry booked?", "--format", "memory", "--budget", "300"],
        ["context", "sailing", "--format", "layer", "--budget", "60"],
        ["context", "where does joe work", "--json"],
        ["context", "tea", "--hook"],
        ["context", "--hook"],
        ["search", "two\nlines", "\udcff", "東京 🍋", "\x1b[2J"],
        ["get", "MEMORY.md"],
        ["get", "MEMORY.md:2:3", "--json"],
        ["get", "memory/2031-01-01.md"],
        ["get", "no such note"],
        ["get", "../outside.md"],
        ["get", "MEMORY.md#nowhere"],
        ["show", "home server"],
        ["show", "home server", "--facts"],
        ["show", "ME", "--json"],
        ["show", "e"],
        ["list"],
        ["list", "--json", "--limit", "3", "--offset", "2", "--sort", "title"],
        ["list", "--type", "preference"],
        ["list", "--type", "decision", "--json"],
        ["list", "--kind", "person", "--paths"],
        ["list", "--tag", "nobody"],
        ["list", "--related", "home-server", "--budget", "100"],
        ["tasks", "--open", "--in", "projects"],
        ["today"],
        ["today", "--path"],
        ["today", "--json"],
        ["days", "--since", "2026-01-01"],
        ["days", "--on-this-day", "--json"],
        ["tasks", "--open", "--due", "this week"],
        ["tags"],
        ["tags", "--json"],
        ["links", "home-server"],
        ["graph", "home-server", "--depth", "2"],
        ["graph", "lin41g", "--json"],
        ["links", "home-server", "--json"],
        ["tool", '{"action": "search", "query": "where does Joe live?"}'],
        ["tool", '{"action": "query", "query": "ferry booking"}', "--no-use"],
        [
            "tool",
            '{"action": "search_events", "query": "meeting", "entity": "home server", "days": 90}',
        ],
        ["tool", "no call"],
    ],
    "private": [
        ["search", "secret"],
        ["context", "secret"],
        ["search", "secret", "--private"],
        ["list"],
        ["list", "--private", "--json"],
        ["tags", "--private"],
    ],
    "links": [["links", "e"], ["links", "a"], ["show", "a"]],
    "tasks": [
        ["tasks"],
        ["tasks", "--open", "--json"],
        ["tasks", "--due", "2026-02-28"],
        ["tasks", "--due", "?"],
    ],
    "where": [
        ["search", "novel", "--where", "rating >= 4"],
        ["search", "novel", "--where", "author", "--json"],
    ],
    "superseded": [
        ["context", "lives"],
        ["search", "lives"],
        ["search", "lives", "--status", "all", "--json"],
    ],
    "unicode": [["search", "Äpfel"], ["show", "東京"], ["list", "--paths"], ["get", "emoji 🍋.md"]],
    "broken": [
        ["search", "link"],
        ["list"],
        ["get", "latin1.md"],
        ["get", "nul.md", "--json"],
        ["show", "yaml"],
    ],
    "empty": [["search", "tea"], ["today"], ["tasks"], ["list", "--json"], ["tags"]],
}


WRONG = [
    ["search", "tea", "--limit", "0"],
    ["search", "tea", "--limit", "many"],
    ["search", "tea", "--mode", "keywrod"],
    ["context", "--format", "thing"],
    ["list", "--kind", "thing"],
    ["tool", '{"action": "search", "query": "\ud800", "limit": 0}'],
]
"""Lines that no command can be made of: the daemon leaves them to the process."""


class Ways:
    """Copies of the vaults, their indexes with nothing left to do, and a daemon's ear for each."""

    def __init__(self, top: Path, short: str) -> None:
        self.top = top
        self.env = {
            "HOME": str(top),
            "XDG_STATE_HOME": short,
            "AURELIUS_INDEX": str(top / "index"),
            "AURELIUS_NO_USE": "1",
            "PATH": os.environ.get("PATH", ""),
        }
        self.servers: list[Server] = []
        self.lives: list[Live] = []

    def open(self) -> None:
        """Copy, index and listen; the files are old enough for their times to prove something."""
        for name in VAULTS:
            shutil.copytree(ROOT / "tests" / "vaults" / name, self.top / name)
            (self.top / name / ".aurelius").mkdir(exist_ok=True)
        time.sleep(2.1)
        for name in VAULTS:
            self.here(name, ["index"])
            root = str(self.top / name)
            path = places.socket_path(places.daemon_folder(root, self.env))
            self.servers.append(Server(path, self.answers(root)))

    def answers(self, root: str) -> Callable[[Request], Answer | None]:
        """What the daemon of that vault answers, from the index that it keeps."""
        live = Live(
            Vault.find(root, self.env, root, now=datetime.datetime(2026, 2, 10)).settings,
            wake=lambda: None,
        )
        self.lives.append(live)
        live.turn(time.time())
        return lambda request: captured.answer_request(request, root, live)

    def close(self) -> None:
        for server in self.servers:
            server.close()
        for live in self.lives:
            live.close()

    def here(self, vault: str, argv: list[str], *, tty: bool = False, stdin: bytes = b"") -> Answer:
        """What the command does in this process, written as __main__ writes it."""
        out, err = stream(tty), stream(tty)
        context = Context(
            str(self.top / vault), self.env, tty, io.TextIOWrapper(io.BytesIO(stdin)), out, err
        )
        code = run_line(argv, context)
        return Answer(code, written(out), written(err))

    def there(
        self, vault: str, argv: list[str], *, tty: bool = False, stdin: bytes = b""
    ) -> Answer | None:
        """What it does through the socket."""
        return ask_daemon(
            argv, self.env, str(self.top / vault), terminals=(tty, tty, False), stdin=lambda: stdin
        )


class Terminal(io.BytesIO):
    """A file that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def stream(tty: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        Terminal() if tty else io.BytesIO(),
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
    )


def written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="a") as short:
        patch.setattr(
            client, "CONNECT", 10
        )  # a machine that is busy with other things fails no test
        patch.setattr(client, "SILENCE", 10)
        made = Ways(tmp_path_factory.mktemp("ways"), short)
        try:
            made.open()
            yield made
        finally:
            made.close()


def same(
    ways: Ways, vault: str, argv: list[str], *, tty: bool = False, stdin: bytes = b""
) -> Answer:
    """What is answered both ways."""
    here, there = (
        ways.here(vault, argv, tty=tty, stdin=stdin),
        ways.there(vault, argv, tty=tty, stdin=stdin),
    )
    assert there is not None, "the daemon would not"
    assert here.code != BUG, here.err
    assert (there.code, timeless(there.out), there.err) == (here.code, timeless(here.out), here.err)
    return here


def timeless(out: bytes) -> bytes:
    return re.sub(rb'"took_ms":[0-9.e-]+', b'"took_ms":0', out)


def test_every_warm_command_is_run() -> None:
    assert {argv[0] for lines in LINES.values() for argv in lines} | {"hook"} == set(WARM), (
        "hooks: below"
    )
    assert sum(map(len, LINES.values())) > 40


@pytest.mark.parametrize(
    ("vault", "argv"),
    [(vault, argv) for vault, lines in LINES.items() for argv in lines],
    ids=lambda each: ascii(" ".join(each))[1:-1] if isinstance(each, list) else each,
)
def test_the_answer_is_the_same(vault: str, argv: list[str], ways: Ways) -> None:
    same(ways, vault, [*NOW, *argv])


@pytest.mark.parametrize("argv", WRONG, ids=lambda each: ascii(" ".join(each))[1:-1])
def test_a_line_that_is_wrong_is_told_by_the_process(argv: list[str], ways: Ways) -> None:
    assert ways.there("sample", argv) is None
    assert ways.here("sample", argv).code == 2


@pytest.mark.parametrize(
    ("vault", "event", "fields", "told"),
    [
        ("sample", "session-start", {"source": "startup"}, True),
        ("sample", "prompt", {"prompt": "Which tea do I like best?"}, True),
        ("sample", "prompt", {"prompt": "thanks"}, False),
        ("private", "prompt", {"prompt": "What is my secret?"}, False),
        ("empty", "prompt", {"prompt": "Which tea do I like best?"}, False),
    ],
)
def test_a_hook_says_the_same(
    vault: str, event: str, fields: dict[str, str], told: bool, ways: Ways
) -> None:
    found = same(ways, vault, [*NOW, "hook", event], stdin=json.dumps(fields).encode())
    assert (b"<memory" in found.out) == told


def test_so_it_is_in_a_terminal(ways: Ways) -> None:
    ways.env["TERM"] = "xterm"
    try:
        for argv in (["search", "tea"], ["list"], ["show", "home server"]):
            assert b"\x1b[" in same(ways, "sample", [*NOW, *argv], tty=True).out
        ways.env["NO_COLOR"] = "1"
        assert b"\x1b[" not in same(ways, "sample", [*NOW, "search", "tea"], tty=True).out
    finally:
        del ways.env["TERM"]
        ways.env.pop("NO_COLOR", None)


def test_something_was_compared(ways: Ways) -> None:
    assert same(ways, "sample", [*NOW, "search", "tea", "--paths"]).out.count(b".md\n") > 2
    assert same(ways, "sample", [*NOW, "show", "no such note"]).code == 5
    assert same(ways, "sample", ["search", "tea", "--now", "yesterday"]).err.startswith(
        b"aurelius: --now is not a"
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["search", "--help"],
        ["search", "tea", "--lmit", "3"],
        ["today", "--now", "2026-02-10T12:00+02:00"],
        ["today", "--now", "2026-02-10T12:00Z"],
        ["list", "--vault", "../unicode", "--vault", "../nowhere"],
    ],
    ids=" ".join,
)
def test_what_only_the_process_itself_can_do_is_left_to_it(argv: list[str], ways: Ways) -> None:
    """Help, mistakes, a clock whose zone follows rules of that process, and no such vault."""
    assert ways.there("sample", argv) is None


def test_a_daemon_runs_nothing_for_another_vault(ways: Ways) -> None:
    """The client may think that `--vault` names the vault where it does not; the daemon looks again."""
    same(ways, "links", ["list", "--vault", str(ways.top / "sample"), "--paths"])
    assert (
        ways.there("links", ["list", "--tag", "--vault", "--vault", str(ways.top / "sample")])
        is None
    )
    assert ways.there("sample", ["search", "--in", "--vault", str(ways.top / "links")]) is None


def test_shell_completion_is_left_to_the_process(ways: Ways) -> None:
    ways.env["_AURELIUS_COMPLETE"] = "complete_bash"
    try:
        assert ways.there("sample", ["list"]) is None
    finally:
        del ways.env["_AURELIUS_COMPLETE"]


def test_a_link_to_a_vault_is_the_vault(ways: Ways) -> None:
    (ways.top / "link").symlink_to(ways.top / "links", target_is_directory=True)
    same(ways, "link", ["list"])


def request(**changes: object) -> Request:
    made = Request(
        "run", ("today", "--path"), os.sep, False, False, False, 0, {}, lambda: b"typed\nlines\n"
    )
    return made._replace(**changes)  # type: ignore[arg-type]  # names of fields


@pytest.mark.parametrize("east", [-12 * 3600, 0, 14 * 3600])
def test_today_is_the_persons_day(east: int, ways: Ways) -> None:
    """The daemon's clock may be in another zone, having been started before a journey."""
    root = str(ways.top / "sample")
    zone = datetime.timezone(datetime.timedelta(seconds=east))
    before = datetime.datetime.now(zone).date().isoformat()
    answer = captured.answer_request(request(cwd=root, env=ways.env, east=east), root)
    after = datetime.datetime.now(zone).date().isoformat()
    assert answer is not None
    assert answer.out.decode() in {f"memory/{before}.md\n", f"memory/{after}.md\n"}


def test_standard_input_is_fetched_when_a_command_reads_it(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []

    def fetch() -> bytes:
        fetched.append(1)
        return "Äpfel\nand pears\n".encode()

    def run(args: object, context: Context) -> int:
        before = len(fetched)
        context.put(
            f"{before} {context.stdin.isatty()} {context.stdin.readline()!r} {context.stdin.read()!r}"
        )
        return 0

    monkeypatch.setattr("aurelius.cli.run.load_command", lambda name: run)
    root = str(ways.top / "sample")
    answer = captured.answer_request(
        request(cwd=root, env=ways.env, stdin=fetch, in_tty=True), root
    )
    assert answer is not None
    assert answer.out.decode() == "0 True 'Äpfel\\n' 'and pears\\n'\n"
    assert fetched == [1]
