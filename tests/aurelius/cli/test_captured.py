"""What a daemon does with another process's command line: the same code, in that one's place, or nothing."""

from __future__ import annotations

import datetime
import io
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.agents import calls
from aurelius.agents.calls import CALL_BY_NAME, CALLS, answer_call
from aurelius.agents.tool_forms import answer_tool_call
from aurelius.cli import captured
from aurelius.cli import run as run_module
from aurelius.cli.captured import Door, WarmIndex, _Asked, _Written, open_door
from aurelius.cli.declarations import COMMANDS
from aurelius.cli.run import Context
from aurelius.daemon.client import WARM, Answer
from aurelius.daemon.server import Request
from aurelius.vault import Vault
from indexer.catalog.tiers import facts_within
from indexer.errors import AureliusError, UsageError
from indexer.live.live_index import Live
from indexer.note import Settings

NOW = datetime.datetime(2026, 2, 10, 12)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "a.md").write_text("# A\n\ncafé\n")
    return root


@pytest.fixture
def request_of(root: Path, env: dict[str, str]) -> Callable[..., Request]:
    def make(*argv: str, **changes: Any) -> Request:
        made = Request("run", argv, str(root), False, False, False, 0, env, lambda: b"")
        return made._replace(**changes)

    return make


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Context]:
    """The contexts that commands ran in; each of them puts and tells something and exits with 3."""
    contexts: list[Context] = []

    def run(args: object, context: Context) -> int:
        contexts.append(context)
        context.put("café \udcff")
        context.tell("beside it")
        return 3

    monkeypatch.setattr(run_module, "load_command", lambda name: run)
    return contexts


Requests = Callable[..., Request]


def test_an_answer_is_exit_code_output_and_what_was_told(
    root: Path, request_of: Requests, seen: list[Context]
) -> None:
    answer = captured.answer_request(request_of("list"), str(root))
    assert answer is not None
    assert (answer.code, answer.out, answer.err) == (
        3,
        b"caf\xc3\xa9 \\udcff\n",
        b"aurelius: beside it\n",
    )


def test_a_command_runs_in_the_place_of_who_asks(
    root: Path, request_of: Requests, seen: list[Context]
) -> None:
    request = request_of("list", out_tty=True, east=5400, cwd=str(root), env={"A": "b"})
    assert captured.answer_request(request, str(root)) is not None
    (context,) = seen
    assert (context.cwd, context.tty, context.env) == (str(root), True, {"A": "b"})
    assert context.zone is not None
    assert context.zone.utcoffset(None).total_seconds() == 5400  # type: ignore[union-attr]  # a fixed one
    assert (context.out.isatty(), context.err.isatty(), context.stdin.isatty()) == (
        True,
        False,
        False,
    )


def test_the_index_that_the_daemon_keeps_is_handed_on(
    root: Path, request_of: Requests, seen: list[Context]
) -> None:
    live: Any = object()
    captured.answer_request(request_of("list"), str(root), live)
    assert seen[0].live is live


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in WARM])
def test_a_command_that_may_write_is_left_to_the_process(
    name: str, root: Path, request_of: Requests, seen: list[Context]
) -> None:
    words = {
        "new": ["person", "x"],
        "note": ["x"],
        "update": ["a", "b"],
        "supersede": ["a", "b"],
        "move": ["a", "b"],
    }
    words |= {
        each: ["a"] for each in ("history", "open", "add", "rm", "reinforce", "demote", "forget")
    } | {
        "daemon": ["status"],
        "uninstall": ["cursor"],
    }
    assert captured.answer_request(request_of(name, *words.get(name, [])), str(root)) is None
    assert seen == []


def test_tasks_are_listed_here_and_checked_by_the_process(
    root: Path, request_of: Requests, seen: list[Context]
) -> None:
    assert captured.answer_request(request_of("tasks", "done", "a:3"), str(root)) is None
    assert seen == []
    assert captured.answer_request(request_of("tasks"), str(root)) is not None


def test_calls_that_write_and_streams_of_calls_are_left_to_the_process(
    root: Path, request_of: Requests, seen: list[Context]
) -> None:
    for call in (
        '{"action": "save", "content": "a"}',
        '{"action": "demote", "id": "a"}',
        '{"action": "index"}',
        "-",
    ):
        assert captured.answer_request(request_of("tool", call), str(root)) is None
    assert seen == []
    for call in ('{"action": "search", "query": "a"}', "no call"):
        assert captured.answer_request(request_of("tool", call), str(root)) is not None


def test_a_vault_that_is_another_one_is_left_to_the_process(
    root: Path, request_of: Requests, seen: list[Context], tmp_path: Path
) -> None:
    (tmp_path / "other" / ".aurelius").mkdir(parents=True)
    assert (
        captured.answer_request(request_of("list", cwd=str(tmp_path / "other")), str(root)) is None
    )
    assert (
        captured.answer_request(request_of("list", "--vault", str(tmp_path / "other")), str(root))
        is None
    )
    assert (
        captured.answer_request(request_of("list", "--vault", str(tmp_path / "none")), str(root))
        is None
    )
    assert seen == []
    (tmp_path / "link").symlink_to(root, target_is_directory=True)
    assert (
        captured.answer_request(request_of("list", cwd=str(tmp_path / "link")), str(root))
        is not None
    )


@pytest.mark.parametrize(
    ("now", "is_run"),
    [
        ("2026-02-10", True),
        ("2026-02-10T12:00", True),
        ("2026-02-10T12:00Z", False),
        ("2026-02-10T12:00z", False),
        ("2026-02-10T12:00+02:00", False),
        (" 2026-02-10T12:00-02:00", False),
    ],
)
def test_a_clock_that_names_a_zone_is_left_to_the_process(
    now: str,
    is_run: bool,
    root: Path,
    request_of: Requests,
    seen: list[Context],
    env: dict[str, str],
) -> None:
    """What that time is in the person's own zone, only their process knows."""
    for request in (
        request_of("list", "--now", now),
        request_of("list", env=env | {"AURELIUS_NOW": now}),
    ):
        assert (captured.answer_request(request, str(root)) is not None) == is_run


@pytest.mark.parametrize(
    "argv", [(), ("--help",), ("list", "--nonsense"), ("get",), ("serach", "tea")]
)
def test_what_is_no_plain_command_line_is_left_to_the_process(
    argv: tuple[str, ...], root: Path, request_of: Requests
) -> None:
    assert captured.answer_request(request_of(*argv), str(root)) is None


def test_a_value_that_is_wrong_is_left_to_the_process(root: Path, request_of: Requests) -> None:
    assert (
        captured.answer_request(request_of("search", "tea", "--limit", "many"), str(root)) is None
    )


def test_standard_input_is_fetched_once_and_only_when_it_is_read() -> None:
    fetched = []

    def fetch() -> bytes:
        fetched.append(1)
        return "Äpfel\nand pears".encode()

    stdin = io.TextIOWrapper(io.BufferedReader(_Asked(fetch, tty=True)), encoding="utf-8")
    assert stdin.isatty()
    assert fetched == []
    assert stdin.readline() == "Äpfel\n"
    assert stdin.read() == "and pears"
    assert stdin.read() == ""
    assert fetched == [1]


def test_what_cannot_be_fetched_is_an_error_of_reading() -> None:
    def fetch() -> bytes:
        raise OSError(os.strerror(5))

    with pytest.raises(OSError, match=r"\w"):
        io.BufferedReader(_Asked(fetch, tty=False)).read()


def test_line_ends_are_left_as_they_are_put() -> None:
    written = _Written(tty=False)
    written.write("a\nb\r\nc\r")
    assert written.bytes() == b"a\nb\r\nc\r"


def door_of(root: Path, env: dict[str, str], **more: Any) -> Door:
    told = Context(str(root), env, True, io.StringIO(), io.StringIO(), io.StringIO(), columns=80)
    return open_door(told._replace(**more), str(root), session="abc")


def test_a_door_opens_for_nobody_at_a_terminal_and_for_no_person(
    root: Path, env: dict[str, str]
) -> None:
    err = io.StringIO()
    (root / "sub" / ".gitignore").mkdir(parents=True)
    with door_of(root, env, now=NOW, err=err)(reads=True) as visit:
        assert (visit.vault.root, visit.vault.now, visit.session) == (str(root), NOW, "abc")
        assert not visit.vault.person
        assert "cannot be used" in visit.vault.notices[0]
    assert err.getvalue() == "", "what is told goes into the answer"


def test_alone_a_door_shows_no_agents_memory_whoever_asks(root: Path, env: dict[str, str]) -> None:
    for name, seen in (("", None), ("ada", "ada")):
        opened = open_door(
            Context(str(root), env, False, io.StringIO(), io.StringIO(), io.StringIO()),
            agent=name,
        )
        with opened(reads=True) as visit:
            assert visit.vault.agent == seen
        with opened(reads=True, alone=True) as visit:
            assert (visit.vault.agent, visit.vault.person) == ("", False)


def test_what_goes_wrong_behind_a_door_is_an_error_that_can_be_told(
    root: Path, env: dict[str, str]
) -> None:
    for reads in (True, False):
        with (
            pytest.raises(AureliusError, match="bug in Aurelius: ZeroDivisionError") as told,
            door_of(root, env)(reads=reads) as visit,
        ):
            raise ZeroDivisionError(visit)
        assert told.value.exit_code == run_module.BUG
        assert "last-bug.txt" in told.value.hint
        with pytest.raises(UsageError, match="no such"), door_of(root, env)(reads=reads):
            raise UsageError("no such thing")


@pytest.mark.parametrize("by_daemon", [False, True])
def test_a_door_tells_of_a_private_note_what_it_tells_of_none(
    by_daemon: bool,
    root: Path,
    env: dict[str, str],
    request_of: Requests,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (root / "secret.md").write_text("---\nprivate: true\n---\n# S\n")
    asked: list[Answer | None] = []
    live = Live(Vault.find(str(root), env, str(root), now=NOW).settings, wake=lambda: None)
    live.turn(time.time())

    def ask(argv: list[str], *_: object, person: bool = True, **__: object) -> Answer | None:
        asked.append(
            captured.answer_request(request_of(*argv, person=person), str(root), live)
            if by_daemon
            else None
        )
        return asked[-1]

    monkeypatch.setattr(captured, "ask_daemon", ask)
    context = Context(str(root), env, False, io.StringIO(), io.StringIO(), io.StringIO())
    for there, none in (("secret", "sacred"), ("secret.md", "sacred.md")):
        told = [answer_call(open_door(context), "get", {"ref": name}) for name in (there, none)]
        assert told[0].text.replace(there, none) == told[1].text != ""
        assert not told[0].ok
    assert (len(asked), None in asked) == (4, not by_daemon)
    live.close()
    person = captured.answer_request(request_of("get", "secret"), str(root))
    assert person is not None
    assert b"--private shows it" in person.err


def test_one_call_of_a_door_writes_at_a_time(root: Path, env: dict[str, str]) -> None:
    inside, most = 0, 0
    opened = door_of(root, env)

    def write() -> None:
        nonlocal inside, most
        with opened(reads=False):
            inside += 1
            most = max(most, inside)
            time.sleep(0.005)
            inside -= 1

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_closed_door_ends_the_running_write_and_begins_no_other(
    root: Path, env: dict[str, str]
) -> None:
    begun, go, told = threading.Event(), threading.Event(), list[str]()
    opened = door_of(root, env)

    def write() -> None:
        try:
            with opened(reads=False):
                begun.set()
                go.wait(20)
            told.append("written")
        except AureliusError as error:
            told.append(error.message)

    threads = [threading.Thread(target=write) for _ in range(4)]
    threads[0].start()
    begun.wait(20)
    for thread in threads[1:]:
        thread.start()
    opened.close(0)
    go.set()
    for thread in threads:
        thread.join()
    refused = "not written: the server is ending"
    assert sorted(told) == [refused, refused, refused, "written"]
    opened.close(1)  # nobody writes any more
    late = threading.Thread(target=write, daemon=True)
    late.start()
    late.join(5)
    assert told.count(refused) == 4, "one that comes later hears it too"


def test_what_a_daemon_answers_is_the_answer_of_a_door(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def ask(argv: list[str], *_: object, **__: object) -> Answer:
        asked.append(argv)
        return Answer(0, b'[true,{"hits":[]},"found"]\n', b"")

    monkeypatch.setattr(captured, "ask_daemon", ask)
    opened = door_of(root, env)
    assert answer_call(opened, "search", {"query": "tea"}) == (True, {"hits": []}, "found")
    assert answer_call(door_of(root, env, now=NOW), "search", {"query": "tea"}).text != "found", (
        "its clock is the real one"
    )
    assert answer_call(opened, "note", {"text": "tea"}).text != "found", "it only reads"
    call = '{"call":"search","arguments":{"query":"tea"}}'
    assert asked == [[f"--vault={root}", "--session=abc", "tool", "--", call]]


def test_a_tool_of_another_memory_that_writes_is_asked_of_no_daemon(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captured, "ask_daemon", lambda *_, **__: Answer(0, b'{"found": 1}\n', b""))
    opened = door_of(root, env)
    found = '{"found": 1}'
    for call in ('{"action": "query", "query": "tea"}', b'{"action": "query", "query": "tea"}'):
        assert answer_tool_call(opened, call) == (0, found)
    code, told = answer_tool_call(opened, '{"action": "store", "content": "Likes tea"}')
    assert (code, "Likes tea" in told) == (0, True)


def test_a_call_that_reads_is_answered_where_the_index_turns_out_to_be_damaged(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = [facts_within]

    def damaged(*given: Any) -> Any:
        if len(rest) == 1:
            rest.append(facts_within)
            raise apsw.CorruptError("malformed")
        return rest[0](*given)

    monkeypatch.setattr(calls, "facts_within", damaged)
    told = answer_call(door_of(root, env, now=NOW), "get", {"ref": "a.md"})
    assert (told.ok, told.value["text"]) == (True, "# A\n\ncafé")
    assert len(rest) == 2


@pytest.mark.parametrize("name", [call.name for call in CALLS if call.reads])
def test_a_call_has_the_same_answer_through_the_daemon(
    name: str,
    root: Path,
    env: dict[str, str],
    request_of: Requests,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (root / "b.md").write_text("# B\n\n## Facts\n- Sells café \x1b[1m au lait ^abcde1\n")
    env = env | {"AURELIUS_NOW": NOW.isoformat(), "AURELIUS_NO_USE": "1"}
    given = {"query": "café", "question": "who sells café?", "prompt": "café", "ref": "^abcde1"}
    names = CALL_BY_NAME[name].takes["properties"]
    arguments = {each: given[each] for each in given if each in names}
    live = Live(Vault.find(str(root), env, str(root), now=NOW).settings, wake=lambda: None)
    live.turn(time.time())

    def ask(argv: list[str], *_: object, person: bool, **__: object) -> Answer | None:
        return captured.answer_request(request_of(*argv, person=person, env=env), str(root), live)

    here = answer_call(door_of(root, env, now=NOW), name, arguments)
    monkeypatch.setattr(captured, "ask_daemon", ask)
    there = answer_call(door_of(root, env), name, arguments)
    live.close()
    assert here.ok, here.text
    assert "café" in here.text
    assert there == here


def until(found: Callable[[], object]) -> object:
    """What there is at last."""
    for _ in range(2_000):
        if there := found():
            return there
        time.sleep(0.005)
    return None


def test_an_index_is_kept_while_somebody_asks_and_given_up_after_a_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captured, "SECONDS_ALONE", 0.0)
    monkeypatch.setattr(captured, "SECONDS_A_LOOK", 0.01)
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("# A\n")
    warm = WarmIndex(lambda: Settings(str(tmp_path / "vault"), str(tmp_path / "index")))
    assert warm.take() is None
    assert not vars(warm)["_thread"], "the first answer has the processor to itself"
    warm.begin()
    live = until(warm.take)
    assert isinstance(live, Live)
    assert live.state().notes == 1
    monkeypatch.setattr(captured, "SECONDS_UNTIL_IDLE", 0.0)
    thread = warm._thread
    assert thread is not None
    thread.join(20)
    assert not thread.is_alive()


def test_where_no_index_can_be_kept_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured, "SECONDS_ALONE", 0.0)

    def broken() -> Settings:
        raise OSError

    warm = WarmIndex(broken)
    warm.begin()
    assert until(lambda: warm._thread is None)
    assert warm.take() is None


def test_one_index_is_kept_however_many_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captured, "SECONDS_ALONE", 0.0)
    asked, go = list[int](), threading.Event()

    def settings() -> Settings:
        asked.append(1)
        go.wait(20)
        raise OSError

    warm = WarmIndex(settings)
    warm.begin()
    first = warm._thread
    for _ in range(5):
        warm.begin()
    assert warm._thread is first
    go.set()
    assert until(lambda: warm._thread is None)
    assert len(asked) == 1
