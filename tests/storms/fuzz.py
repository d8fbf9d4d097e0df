"""Inputs for whatever reads words here, drawn by a seed: what a grammar says, and the same with something wrong.

The grammars stand in `cases/fuzz.toml`.  Half of what is drawn is as its grammar says; the other half is cut, doubled,
swapped and mixed with what nobody types on purpose.  A reader may refuse what it is given only as it promises to; any
other exception, an input that takes more than LONGEST seconds of this process, and a changed file are findings.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import signal
import tomllib
import traceback
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

CASES = Path(__file__).resolve().parents[1] / "cases" / "fuzz.toml"
DEEPEST = 7
"""Steps of a sentence that stands in itself."""
LONGEST = 5.0
"""Seconds of the processor that one input may take."""
NOW = datetime(2026, 2, 10, 12)
TODAYS = [
    "0001-01-01",
    "0001-01-03",
    "1582-10-15",
    "1970-01-01",
    "2024-02-29",
    "2026-02-10",
    "2026-02-14",
    "2026-03-29",
    "2026-10-25",
    "2026-12-31",
    "9999-12-01",
    "9999-12-31",
]
"""Days of asking: the first and the last that there are, leap days, and days on which clocks are changed."""
PATHS = [
    "drafts/a.md",
    "a.md",
    "x/y/z/a-b-c-d.md",
    "drafts",
    "e\u0301/é.md",
    "a" * 200 + ".md",
    "]/[.md",
    "*/?.md",
]
ODD = [
    "\0",
    "\ud800",
    "\udcff",
    "\ufeff",
    "\u200b",
    "\u202e",
    "\u2028",
    "\x85",
    "\x0c",
    "\x1b[2J",
    "\r",
    "\n",
    "\t",
    " ",
    "٣",
    "３",
    "²",
    "½",
    "Ⅷ",
    "०",
    "𝟗",
    "é",
    "e\u0301",
    "ß",
    "İ",
    "ı",
    "ǅ",
    "ﬁ",
    "Σς",
    "🎂",
    "👩‍👩‍👧",
    "中文",
    "שלום",
    "'",
    '"',
    "’",
    "“",
    "`",
    "\\",
    "/",
    "..",
    "|",
    "#",
    "^",
    "~",
    "[[",
    "]]",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "%%",
    "$$",
    "0",
    "-0",
    "00",
    "13",
    "31",
    "99",
    "0000",
    "9999",
    "10000",
    "-1",
    "1e308",
    "NaN",
    "9" * 25,
    "9" * 5000,
    "0x1F",
    "--",
    "---",
    "-n",
    "=",
    "==",
    ":",
    ";",
    ",",
    "!",
    "?",
    "*",
    "**",
    "***",
    "_",
    "+",
    "&",
    "@",
    "%",
    "%s",
    "$(id)",
    "a" * 300,
    "( " * 60,
    "[" * 200,
    "> " * 100,
    "- " * 100,
    "`" * 99,
    "~~" * 50,
    "|" * 200,
    "e\u0301" * 100,
]
"""What breaks readers: other digits, half characters, marks of every syntax here, numbers and lines beyond measure."""

Grammar = dict[str, list[str]]
Draw = Callable[[random.Random], str]
_NAME = re.compile(r"\{(\w+)\}")


# -- what is drawn --


@cache
def grammars() -> dict[str, Grammar]:
    """Every grammar by its name."""
    return tomllib.loads(CASES.read_text("utf-8"))


def say(dice: random.Random, grammar: Grammar, name: str = "all", deep: int = 0) -> str:
    """A sentence of a grammar; where it stands in itself too deep, its first way is taken."""
    ways = grammar[name]
    way = ways[0] if deep > DEEPEST else dice.choice(ways)

    def said(found: re.Match[str]) -> str:
        return (
            say(dice, grammar, found[1], deep + 1)
            if found[1] in grammar and deep < 2 * DEEPEST
            else found[0]
        )

    return _NAME.sub(said, way)


def broken(dice: random.Random, text: str, other: str = "") -> str:
    """A text with one to four things wrong with it; `other` is what may be mixed in."""
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        at = dice.randint(0, len(text))
        end = min(len(text), at + dice.choice([1, 1, 2, 5, 20]))
        head, part, tail = text[:at], text[at:end], text[end:]
        ways: list[Callable[[str, str, str], str]] = [
            lambda head, _part, _tail: head,
            lambda _head, part, tail: part + tail,
            lambda head, _part, tail: head + tail,
            lambda head, part, tail: head + dice.choice(ODD) + part + tail,
            lambda head, _part, tail: head + dice.choice(ODD) + tail,
            lambda head, part, tail: head + part * dice.choice([2, 9, 60]) + tail,
            lambda head, part, tail: head + part[::-1] + tail,
            lambda head, part, tail: head + (part + tail).swapcase(),
            lambda head, part, tail: head + other + part + tail,
            lambda *parts: re.sub(r"\d", lambda _: dice.choice("0123456789٣९"), "".join(parts)),
            lambda *parts: "".join(parts).replace(
                " ", dice.choice(["", "  ", "\n", "\t", "\u00a0", "_"])
            ),
            lambda *parts: " ".join(sorted("".join(parts).split(" "), key=lambda _: dice.random())),
        ]
        text = dice.choice(ways)(head, part, tail)[:6000]
    return text


def drawer(name: str) -> Draw:
    """How to draw from a grammar: every second time something is wrong with what was said."""

    def draw(dice: random.Random) -> str:
        grammar = grammars()[name]
        text = say(dice, grammar)
        return text if dice.random() < 0.5 else broken(dice, text, say(dice, grammar))

    return draw


def _whole(text: str) -> str:
    """A text without half characters, which every door refuses."""
    return text.encode("utf-8", "replace").decode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# -- who reads it --


class Place:
    """A small vault with an index, and what its files and those beside it hold."""

    def __init__(self, top: Path) -> None:
        from aurelius.vault import Vault

        self.top, self.root, self.state = top, top / "vault", top / "state"
        self.env = {"HOME": str(top), "AURELIUS_INDEX": str(top / "index"), "AURELIUS_NO_USE": "1"}
        (self.root / ".aurelius").mkdir(parents=True)
        (self.state / "undo").mkdir(parents=True)
        self.write(
            "people/joe.md",
            "---\ntags: [friend]\nrating: 4\n---\n# Joe\n\n## Facts\n"
            "- Likes sencha (2026-01-10) ^abcde1\n- [ ] call 📅 2026-02-10\n\n[[projects/boat]]\n",
        )
        self.write(
            "projects/boat.md",
            "# Boat\n\n## Facts\n- Is blue (2026-02-01, decision)\n- See [[joe]]\n",
        )
        self.write("memory/2026-02-09.md", "- Met Joe for tea\n- We decided to use Stripe\n")
        self.vault = Vault.find(None, self.env, str(self.root), now=NOW)
        self.vault.refresh()
        self.before = self.files()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8")

    def files(self) -> dict[str, bytes]:
        """Every file of the vault."""
        return {
            str(path): path.read_bytes() for path in sorted(self.root.rglob("*")) if path.is_file()
        }

    def context(self) -> Any:
        """A context of commands."""
        from aurelius.cli.run import Context

        streams = io.StringIO(), io.StringIO(), io.StringIO()
        return Context(str(self.root), self.env, False, *streams, NOW)


Reader = Callable[[Place, random.Random, str], object]


class Parser(NamedTuple):
    """A reader of words: the grammar of its inputs, what reads one, and the errors that it promises for bad ones."""

    grammar: str
    read: Reader
    refuses: tuple[type[Exception], ...] = ()


def _question(_place: Place, dice: random.Random, text: str) -> None:
    from aurelius.language.dated_text import dated
    from indexer.search.asked import days_asked
    from indexer.search.query import may_name_a_day
    from indexer.search.speaker import said_by

    today = dice.choice(TODAYS)
    days = days_asked(text, today).days
    if days and days[0] > days[1]:
        raise AssertionError(f"the days {days} end before they begin")
    said_by(f"Ana: {text}\nJoe: yes", text)
    dated(text, today)
    may_name_a_day(text)


def _day_argument(_place: Place, dice: random.Random, text: str) -> None:
    from aurelius.answers.days import span_of_words
    from indexer.search.dates import dates, named_day

    today = dice.choice(TODAYS)
    named_day(text, today)
    way = dice.randrange(3)
    first, last = (
        dates(text, today)
        if way < 2
        else span_of_words([text], None, None, today, yearly=dice.random() < 0.2)
    )
    if first > last:
        raise AssertionError("a span that ends before it begins")


def _now(place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.cli.run import with_clock

    with_clock(text, place.context())


def _size(_place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.settings.sizes import size_of

    if size_of(text) < 0:
        raise AssertionError("a size below none")


def _filter(place: Place, dice: random.Random, text: str) -> None:
    from indexer.catalog.filters import Filters, parse_condition, where_holds

    text = _whole(text)
    condition = parse_condition(text)
    front = {
        "status": "active",
        "rating": 4,
        "tags": ["a", "[[joe]]"],
        "author": {"name": text},
        "due": "2026-02-10",
    }
    where_holds(front, condition)
    if dice.random() < 0.1:
        place.vault.notes(Filters(where=(condition,), tags=(text,), folder=text))


def _named_filter(place: Place, dice: random.Random, text: str) -> None:
    from aurelius.cli.app import run_typer
    from aurelius.cli.open_vault import filters_in_vault, filters_of

    option = dice.choice(
        [
            "--tag",
            "--kind",
            "--in",
            "--type",
            "--tier",
            "--status",
            "--linked-by",
            "--link-to",
            "--where",
        ]
    )

    def run(_command: object, args: Any, context: Any) -> int:
        place.vault.notes(filters_in_vault(filters_of(args, context), place.vault))
        return 0

    run_typer(["list", f"{option}={text}"], place.context(), run)


def _query(place: Place, dice: random.Random, text: str) -> None:
    from indexer.search.query import (
        asks_for_all,
        clean_query,
        may_be_said,
        verb_alone,
        word_match,
    )

    terms = clean_query(text)
    word_match(terms)
    asks_for_all(text)
    verb_alone(text)
    may_be_said(text, ["tea"])
    if dice.random() < 0.03:
        place.vault.search(text, limit=3)
        if place.vault.notices:
            raise AssertionError(place.vault.notices.pop())


def _name(place: Place, _dice: random.Random, text: str) -> None:
    place.vault.resolve(_whole(text))


def _tail(_place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.compose.fact_text import (
        escaped,
        item_parts,
        item_text,
        plain_fact_words,
        reworded,
        struck,
    )
    from indexer.errors import UsageError
    from indexer.reading import fact_line

    fact_line.parse_fact(text)
    fact_line.split_item(text)
    fact_line.fact_key("a.md", text)
    item_text(item_parts(text))
    escaped(text)
    with contextlib.suppress(UsageError):  # for what is no fact
        plain_fact_words(text)
        reworded(text, "new words")
    struck(text, date="2026-01-01", today="2026-02-10", by="abc123")


def _note(_place: Place, dice: random.Random, text: str) -> None:
    from indexer.reading.chunk import chunks
    from indexer.reading.parse import parse
    from indexer.reading.path_meaning import all_names

    path = dice.choice(
        ["people/a.md", "memory/2026-02-10.md", "ME.md", "b.md", "memory/x/2026-02-31.md"]
    )
    note = parse(path, _bytes(text))
    chunks(note)
    list(all_names(note))


def _front(_place: Place, dice: random.Random, text: str) -> None:
    from indexer.reading import front_links, front_matter

    lines = text.split("\n")
    front = front_matter.read_front_matter(lines)
    front_matter.is_top_private(lines, front)
    front_matter.header(lines, 0)
    front_links.link_properties(lines, front)
    if dice.random() < 0.2:
        _note(_place, dice, text)


def _type(_place: Place, _dice: random.Random, text: str) -> None:
    from indexer.reading import type_words
    from indexer.reading.facts import is_history_heading

    type_words.type_meaning(text)
    type_words.nearest_type_word(text, ["extra"])
    type_words.normal_heading(text)
    type_words.is_fact_heading(text)
    is_history_heading(text)


def _command(_place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.cli.plain import plain_line
    from aurelius.daemon.client import named_command

    plain_line(text.split(" "))
    named_command(text.split(" "))


def _mistyped(place: Place, _dice: random.Random, text: str) -> None:
    """What typer and we say to a line that no command can be made of; nothing is run."""
    from aurelius.cli.app import run_typer
    from aurelius.cli.complete import offers

    argv = text.split(" ")
    code = run_typer(argv, place.context(), lambda _command, _args, _context: 0)
    if code not in {0, 2}:
        raise AssertionError(f"exit code {code}")
    offers(argv[:-1], argv[-1], place.context())


def _cron(_place: Place, dice: random.Random, text: str) -> None:
    from aurelius.settings.schedule import following, parse_schedule

    fields = parse_schedule(text)
    if dice.random() < 0.05 and all(fields):
        following(text, datetime.fromisoformat(dice.choice(TODAYS[2:-2])))


def _setting(place: Place, dice: random.Random, text: str) -> None:
    from aurelius.settings.change_settings import plan_setting, planned_for_all
    from aurelius.settings.keys import KEYS

    text = _whole(text)
    name = dice.choice(KEYS).name if dice.random() < 0.95 else text
    words = text.split(" ") if dice.random() < 0.5 else [text]
    if dice.random() < 0.5:
        plan_setting(str(place.root), place.env, name, words, str(place.root))
    else:
        planned_for_all(place.env, name, words, str(place.root))


def _settings_file(place: Place, dice: random.Random, text: str) -> None:
    from aurelius.settings import config, plain_toml

    plain_toml.parse_toml("config.toml", text)
    plain_toml.setting_line(text, "search.mode")
    plain_toml.edit_toml("config.toml", text, {("search", "limit"): 7})
    plain_toml.edit_toml("config.toml", text, {("search", "mode"): None})
    if dice.random() < 0.3:
        file = place.state / "config.toml"
        file.write_bytes(_bytes(text))
        config.read_settings_file(str(file), place.env)


def _ignored(_place: Place, dice: random.Random, text: str) -> None:
    from indexer.disk.gitignore import deciding_line, opinion, parse_patterns

    steps = dice.choice(PATHS).split("/")
    opinion(parse_patterns(text), steps, folder=dice.random() < 0.5)
    deciding_line(text.split("\n"), steps, folder=False)


def _log(_place: Place, dice: random.Random, text: str) -> None:
    from indexer.usage.log_line import WAITING, pack_events, read_lines

    path = dice.choice(["lap/2026-02.jsonl", WAITING])
    found = read_lines(path, _bytes(text) + b"\n")
    if path != WAITING and found.events:
        pack_events(path, found.events)


def _journal(place: Place, dice: random.Random, text: str) -> None:
    from aurelius.writing import append_journal, undo_log

    state = str(place.state)
    (place.state / append_journal.JOURNAL).write_bytes(_bytes(text))
    for each in append_journal.read_journal(state):
        append_journal.holds_lines(each, b"- x\n")
    name = dice.choice(["00000001.done", "00000002.open", "00000003", "²", "x", "00000001.json"])
    for file in (place.state / "undo").iterdir():
        file.unlink()
    kind = dice.choice([".done", ".open"])
    (place.state / "undo" / f"{name.partition('.')[0]}{kind}").write_bytes(_bytes(text))
    (place.state / "undo" / "barred.json").write_bytes(_bytes(text))
    list(undo_log.entries(state))
    undo_log.undo_bar(state)
    undo_log.changes_about(state, "a.md")


def _hook(_place: Place, dice: random.Random, text: str) -> None:
    from aurelius.agents import hooks, session
    from aurelius.agents.deadline import HOOK_EVENTS, asked_for

    data = _bytes(text)
    event = hooks.parse_event(dice.choice([*HOOK_EVENTS]), data)
    if event is not None:
        for field in ("prompt", "cwd", "session_id", "transcript_path", "source"):
            event.text(field)
    session.session_in(data)
    session.name_in(data)
    session.may_be_secret(text)
    asked_for(text.split(" "))


class _Shut:
    """A door that lets nobody in."""

    def asked(self, call: str) -> None:
        return None

    def __call__(self, *, reads: bool, alone: bool = False) -> Any:
        from indexer.errors import UsageError

        raise UsageError("no")


def _call(_place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.agents import calls, tool_forms

    tool_forms.only_reads(text)
    door = _Shut()
    tool_forms.answer_tool_call(door, text)
    given = calls.read_object(text)
    for call in calls.CALLS:
        calls.answer_call(door, call.name, given)


def _memory(place: Place, dice: random.Random, text: str) -> None:
    import json

    from aurelius.agents.memory_tool import MemoryTool

    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        asked = text
    if isinstance(asked, dict):
        command = dice.choice(["view", text[:9], asked.get("action")])
        writes = ("create", "str_replace", "insert", "delete", "rename")
        asked["command"] = "view" if command in writes else command
    MemoryTool(place.vault, uses=False, now=NOW).call(asked)


def _answer_of_model(_place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.agents.wording import read_answer

    read_answer(text, 3)


def _request(_place: Place, dice: random.Random, text: str) -> None:
    """The head of a request: answered, whatever stands in it."""
    import asyncio

    from aurelius.loopback.http_guard import Guard

    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Any:
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    data = _bytes(text)
    path, _, query = text.partition("?")
    values = [
        b"127.0.0.1:4711",
        b"Bearer " + b"t" * 43,
        b"%d" % len(data),
        data,
        b"chunked",
        b"none",
        b"\xff",
        b"-1",
    ]
    names = [
        b"host",
        b"authorization",
        b"content-length",
        b"origin",
        b"transfer-encoding",
        b"sec-fetch-site",
        data,
    ]
    usual = [(b"host", values[0]), (b"authorization", values[1]), (b"content-length", values[2])]
    more = [(dice.choice(names), dice.choice(values)) for _ in range(dice.randrange(4))]
    scope = {
        "type": "http",
        "client": ("127.0.0.1", 1),
        "raw_path": _bytes(path),
        "path": path,
        "headers": usual + more,
        "query_string": _bytes(query),
        "method": dice.choice(["GET", "POST", "PUT", path[:5]]),
    }
    told: list[str] = []
    asyncio.run(Guard(app, 4711, "t" * 43, told.append)(scope, receive, send))
    if not sent or told:
        raise AssertionError(f"no answer: {told}")


def _transcript(place: Place, dice: random.Random, text: str) -> None:
    from aurelius.agents import transcript

    file = place.state / "transcript.jsonl"
    said = {
        "type": dice.choice(["user", "assistant", "attachment", "event_msg"]),
        "message": {"content": text},
    }
    import json

    file.write_bytes(
        _bytes(json.dumps(said, ensure_ascii=dice.random() < 0.5) + "\n" + text + "\n")
    )
    transcript.read_transcript(str(file), after=dice.choice([0, 0, 1, 10, 10**9]))
    transcript.typed_text(text)
    transcript.cited_ids([text])


def _sentence(place: Place, dice: random.Random, text: str) -> None:
    from aurelius.language import sentences, spoken
    from aurelius.language.same_words import counted_words
    from aurelius.memory import capture
    from aurelius.plans.addressee import asked_to_forget
    from indexer.matter import cues as change_cues
    from indexer.matter.disagreement import judge_pair

    own = spoken.own_lines(text)
    for line in capture.plain_sentences(text):
        capture.capture(line, line)
        capture.is_out(line)
        capture.without_lead_in(line)
    blank = sentences.blank_quotes(own)
    for first, last in sentences.sentence_spans(own):
        spoken.clauses(blank, first, last)
    change_cues.read_cues(text)
    change_cues.is_change(text)
    asked_to_forget(blank)
    counted_words(text, "joe", dice.choice([*TODAYS, ""]))
    judge_pair("Likes sencha tea", text)
    judge_pair(text, "Likes sencha tea")


def _heard(place: Place, _dice: random.Random, text: str) -> None:
    from aurelius.memory.conversation import worth_keeping
    from aurelius.plans.plan import Desk
    from aurelius.writing.edit import place_of_config

    desk = Desk(
        place.vault,
        place_of_config(place.vault.config, place.env)._replace(now=NOW.timestamp()),
        NOW,
    )
    worth_keeping(desk, [text, "Actually, no."])


def _secret(_place: Place, dice: random.Random, text: str) -> None:
    from aurelius.language.secret_text import find_secret

    find_secret(text * dice.choice([1, 1, 1, 1, 40]))


def _reference(place: Place, dice: random.Random, text: str) -> None:
    reference = dice.choice(["people/joe.md", "joe", "2026-02-09", ""]) + dice.choice(
        [":", "#", "#^", ""]
    )
    place.vault.read(reference + _whole(text))


def parsers() -> dict[str, Parser]:
    """Every reader by its name."""
    from indexer.errors import AureliusError, ConfigError, UsageError

    return {
        "questions": Parser("days", _question),
        "asked": Parser("asked", _question),
        "days": Parser("days", _day_argument, (UsageError,)),
        "clock": Parser("days", _now, (UsageError,)),
        "sizes": Parser("sizes", _size),
        "where": Parser("filters", _filter, (UsageError,)),
        "filters": Parser("filters", _named_filter, (AureliusError,)),
        "query": Parser("query", _query),
        "names": Parser("notes", _name, (AureliusError,)),
        "references": Parser("notes", _reference, (AureliusError,)),
        "tails": Parser("tails", _tail),
        "fact-lines": Parser("tails", _note),
        "front-matter": Parser("front", _front),
        "types": Parser("types", _type),
        "markdown": Parser("notes", _note),
        "commands": Parser("commands", _command, (UsageError,)),
        "mistyped": Parser("commands", _mistyped, (UsageError,)),
        "schedules": Parser("cron", _cron, (ValueError,)),
        "settings": Parser("settings", _setting, (UsageError, ConfigError)),
        "settings-file": Parser("toml", _settings_file, (ConfigError,)),
        "ignore": Parser("ignores", _ignored),
        "usage-log": Parser("log", _log),
        "journals": Parser("journal", _journal),
        "hooks": Parser("calls", _hook),
        "tools": Parser("calls", _call, (UsageError,)),
        "memory-tool": Parser("calls", _memory),
        "model": Parser("calls", _answer_of_model, (ValueError,)),
        "requests": Parser("urls", _request),
        "transcripts": Parser("speech", _transcript),
        "capture": Parser("speech", _sentence),
        "conversation": Parser("speech", _heard),
        "secrets": Parser("secrets", _secret),
    }


# -- what comes of it --


class Slow(Exception):
    """An input takes more than LONGEST seconds of the processor."""


class Found(NamedTuple):
    """Something wrong: which reader, the error and where it was raised, and the first input that showed it."""

    parser: str
    error: str
    input: str
    times: int


@contextlib.contextmanager
def watched() -> Iterator[Callable[[bool], None]]:
    """Context in which what is given sets and takes back an alarm after LONGEST seconds of the processor."""
    if not hasattr(signal, "setitimer"):
        yield lambda _on: None
        return

    def late(_signal: int, _frame: object) -> None:
        raise Slow(f"more than {LONGEST:g} s")

    def set_alarm(on: bool) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST if on else 0)

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        yield set_alarm
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def storm(place: Place, name: str, seed: int, count: int) -> list[Found]:
    """Give a reader so many inputs of a seed; what was wrong, each kind once."""
    parser = parsers()[name]
    draw, dice = drawer(parser.grammar), random.Random(f"{seed} {name}")
    found: dict[str, Found] = {}
    with watched() as alarm:
        for _ in range(count):
            text = draw(dice)
            alarm(True)
            try:
                parser.read(place, dice, text)
            except parser.refuses:
                pass
            except Exception as error:  # noqa: BLE001 this is what is looked for
                alarm(False)
                at = traceback.extract_tb(error.__traceback__)[-1]
                told = f"{type(error).__name__}: {str(error)[:80]} ({os.path.basename(at.filename)}:{at.lineno})"
                kind = f"{type(error).__name__} {at.filename}:{at.lineno}"
                first = found.get(kind, Found(name, told, ascii(text)[:300], 0))
                found[kind] = first._replace(times=first.times + 1)
            alarm(False)
    if place.files() != place.before:
        found["files"] = Found(name, "a file of the vault was changed", "", 1)
        place.before = place.files()
    return [*found.values()]
