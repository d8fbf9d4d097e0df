"""State of vault, index and daemon as text."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest

from aurelius import __version__
from aurelius.answers.findings import Finding, select
from aurelius.answers.note_view import Status
from aurelius.daemon.control import DaemonProcess
from aurelius.daemon.install import InstallPlan
from aurelius.daemon.loop import DaemonState
from aurelius.settings.config import Setting
from aurelius.show import health
from aurelius.show import health as daemon
from aurelius.show.health import Around
from aurelius.show.terminal import Paint
from indexer.refresh.refresh import RefreshReport

EVIL = "a\x1b[31m\u202eb\nc"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (45_300_000, "45.3 MB"),
        (2 * 10**12, "2000.0 GB"),
    ],
)
def test_sizes_are_said_as_people_say_them(count: int, text: str) -> None:
    assert health.size(count) == text


def test_a_report_names_what_happened_and_what_failed() -> None:
    done = RefreshReport(
        added=2, changed=1, unchanged=7, failed=(("a.md", "too odd"),), seconds=0.25
    )
    assert (
        health.report_text(done)
        == "2 added, 1 changed, 7 unchanged, 1 failed  (0.2 s)\nfailed: a.md: too odd\n"
    )
    assert health.report_text(RefreshReport()) == "no notes  (0.0 s)\n"


def test_settings_read_like_the_file_they_are_set_in() -> None:
    rows = [
        Setting("search.limit", 10, "default"),
        Setting("index.exclude", ("a/", 'b"'), "config.toml:3"),
    ]
    assert health.settings_text(rows) == (
        'search.limit  = 10             # default\nindex.exclude = ["a/", "b\\""]  # config.toml:3\n'
    )


def test_nothing_from_a_note_steers_the_terminal_in_findings_settings_and_reports() -> None:
    texts = [
        health.findings_text(select([Finding(EVIL, 1, "nul", EVIL, EVIL)]), paint=Paint()),
        health.settings_text([Setting("a.b", EVIL, EVIL)]),
        health.report_text(RefreshReport(failed=((EVIL, EVIL),))),
    ]
    for text in texts:
        assert "\\x1b[31m\\u202e" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_counts_come_first_and_the_remedy_stands_once_for_each_kind() -> None:
    rows = [
        Finding(f"{n}.md", n, "broken-link", f"link {n}", "correct the name") for n in range(1, 4)
    ]
    rows += [
        Finding("", 0, "model", "no such file", "remove it"),
        Finding("", 0, "model", "no folder", "name one"),
    ]
    rows += [Finding("z.md", 1, "unwritten", "there is no note 'x'", "write that note")]
    assert health.findings_text(select(rows, limit=4), paint=Paint()) == (
        "2  model        the embedding model cannot be loaded\n"
        "3  broken-link  links to notes that do not exist\n"
        "1  unwritten    notes that are linked to and do not exist yet"
        " (no fault; `aurelius doctor --kind unwritten` lists them)\n"
        "\n"
        "The embedding model cannot be loaded\n"
        "  no such file\n"
        "    remove it\n"
        "  no folder\n"
        "    name one\n"
        "\n"
        "Links to notes that do not exist: correct the name\n"
        "  1.md:1: link 1\n"
        "  2.md:2: link 2\n"
        "  and 1 more: aurelius doctor --kind broken-link --all\n"
    )
    assert health.verdict_of(select(rows, limit=4)) == "5 findings, 4 of them shown"
    assert health.verdict_of(select(rows[:1])) == "1 finding"
    assert health.verdict_of(select(rows[-1:])) == "nothing is wrong"
    assert (
        health.verdict_of(select(rows, ["case-clash"]), ["case-clash"])
        == "no case-clash findings (6 of other kinds)"
    )
    assert health.verdict_of(select([], ["case-clash"]), ["case-clash"]) == "nothing is wrong"
    assert health.verdict_of(select(rows[-1:], ["unwritten"])) == "1 finding, none of them a fault"


TOKYO = datetime.timezone(datetime.timedelta(hours=9))


def status_of(**values: Any) -> Status:
    blank: dict[str, Any] = dict.fromkeys(Status._fields, 0)
    texts = {
        "vault": "/v",
        "index": "/c/index.db",
        "model": "potion",
        "fresh": True,
        "report": RefreshReport(),
    }
    lists = dict.fromkeys(
        ("failed", "in_part", "kinds", "agents", "differences", "sources", "in_vain"), ()
    )
    return Status(**(blank | texts | lists | values))


def test_status_is_short_and_plain_unless_more_is_asked_for() -> None:
    state = status_of(
        notes=3, vault_bytes=1200, kinds=(("note", 3),), facts=2, sources=(("search.limit", "a:1"),)
    )
    short = health.status_text(state, Around("not running"))
    assert short == (
        "vault   /v\n"
        "notes   3, 1.2 kB: 3 note\n"
        "facts   2\n"
        "index   up to date, 0 B: /c/index.db\n"
        "daemon  not running\n"
    )
    jobs = ["the daemon will write summaries"]
    idle = health.status_text(state, Around("not running", jobs=jobs))
    assert (
        "jobs    nothing is done until `aurelius daemon start`; then the daemon will write summaries\n"
        in idle
    )
    assert "jobs    the daemon will write summaries\n" in health.status_text(
        state, Around("running", jobs=jobs)
    )
    long = health.status_text(state, Around("not running"), verbose=True)
    assert re.search(
        "^model +potion\ngeneration +0, schema 0\nsetting +search.limit from a:1\n",
        long,
        re.MULTILINE,
    )


def test_status_counts_what_doctor_lists_and_names_no_thousands() -> None:
    told = health.status_text(status_of(problems=28, differences=("x",) * 500), Around(""))
    assert (
        "28 found while reading the notes; `aurelius doctor` lists them and checks the rest" in told
    )
    assert told.endswith("\nnot current  480 more, which --json lists\n")
    assert told.count("not current") == 21


STATE = DaemonState(
    pid=4711,
    version=__version__,
    vault="notes",
    since=1000.0,
    beat=4600.0,
    watching="native",
    why="",
    folders=12,
    unwatched=0,
    backlog=0,
    last_scan=4590.0,
    scan_seconds=0.25,
    next_scan=4650.0,
    notes=1,
    generation=3,
    fresh=True,
    failed=0,
    held=0,
    passes=7,
    served=5,
    memory=64_000_000,
    log="log",
    socket="socket",
    paused="",
)
PLAN = InstallPlan(
    "unit", "/there/a.service", "[Unit]\n\x1b[31m\n", "utf-8", ("on now",), ("off now",)
)


def shown(wrong: tuple[str, ...] = (), **change: Any) -> dict[str, str]:
    state = STATE._replace(**change)
    text = daemon.daemon_text(DaemonProcess("/notes", "", 4711, state), wrong, 4600.5)
    return {line[:16].strip(): line[16:] for line in text.splitlines()}


def test_everything_a_person_asks_for_is_there() -> None:
    """Issue: heartbeat, backlog, last full scan, watcher kind, memory, the log's place."""
    assert shown() == {
        "daemon": f"running, pid 4711, version {__version__}",
        "vault": "/notes",
        "running for": "60 min",
        "heartbeat": "0.5 s ago",
        "watching": "12 folders",
        "backlog": "0 folders waiting",
        "last full scan": "10 s ago (0.25 s)",
        "next full scan": "in 50 s",
        "index": "1 note, generation 3, up to date",
        "passes": "7, 5 requests answered",
        "memory": "64.0 MB",
        "log": "log",
        "socket": "socket",
    }


def test_what_is_out_of_the_ordinary_is_told() -> None:
    assert (
        shown(watching="scanning", unwatched=3)["watching"]
        == "by scanning all folders, 3 not watched"
    )
    assert shown(unwatched=3)["watching"] == "12 folders, 3 more by scanning"
    assert shown(fresh=False, notes=2)["index"] == "2 notes, generation 3, not up to date"
    assert shown(last_scan=0.0, next_scan=0.0, memory=0)["last full scan"] == "none yet"
    assert shown(next_scan=0.0)["next full scan"] == "now"
    assert shown(memory=0)["memory"] == "unknown"
    assert shown(failed=2)["failed"] == "2; `aurelius status` says more"
    assert shown(held=9)["held"] == "9; `aurelius status` says more"
    assert shown(("no watches are left",))["problem"] == "no watches are left"


def test_what_a_daemon_tells_steers_no_terminal() -> None:
    text = daemon.daemon_text(
        DaemonProcess(
            "/no\x1btes\n", "", 1, STATE._replace(version="\x1b[2J", log="\x1b", socket="\n")
        ),
        ("\x07",),
        5000,
    )
    assert text.isprintable() or not set(text) - {"\n"} & {chr(code) for code in range(32)} - {"\n"}
    assert "\x1b" not in text
    assert "\x1b" not in daemon.installation(PLAN, "")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0.0 s"),
        (0.31, "0.3 s"),
        (9.94, "9.9 s"),
        (10, "10 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7199, "120 min"),
        (7200, "2 h"),
        (172799, "48 h"),
        (172800, "2 days"),
        (8640000, "100 days"),
    ],
)
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert daemon.duration_text(seconds) == said


def test_an_installation_is_shown_whole() -> None:
    assert daemon.installation(PLAN, "").splitlines() == [
        "unit, to be written to /there/a.service:",
        "",
        "  [Unit]",
        "  \\x1b[31m",
        "",
        "to switch it on:",
        "  on now",
        "to switch it off:",
        "  off now",
    ]
    assert "would replace the text in /there/a.service" in daemon.installation(PLAN, "other")
    assert "already in /there/a.service" in daemon.installation(PLAN, "same")


def test_what_is_taken_away_is_shown() -> None:
    assert daemon.uninstallation(PLAN, "same").splitlines() == [
        "unit to be removed: /there/a.service",
        "to switch it off first:",
        "  off now",
    ]
    assert "changed after it was written" in daemon.uninstallation(PLAN, "other")
    assert (
        daemon.uninstallation(PLAN, "") == "nothing is installed: /there/a.service does not exist"
    )


def test_status_names_the_folders_of_agents_and_what_that_means() -> None:
    one = health.status_text(status_of(agents=(("nightly", 1),)), Around("not running"))
    assert (
        "agents  1 note in the memory of agents (nightly); a context has them only for that agent"
        in one
    )
    many = health.status_text(
        status_of(agents=tuple((f"a{n}", 2) for n in range(7))), Around("not running")
    )
    assert "14 notes in the memory of agents (a0, a1, a2, a3, a4 and 2 more)" in many
    assert "agents" not in health.status_text(status_of(), Around("not running"))
