from __future__ import annotations

import datetime
import re
from typing import Any

import pytest

from aurelius.answers.finding import Finding, select
from aurelius.answers.status import Status
from aurelius.settings.config import Setting
from aurelius.show import health
from aurelius.show.terminal import Paint
from indexer.refresh.refresh import RefreshReport

EVIL = "a\x1b[31m\u202eb\nc"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (45_300_000, "45.3 MB"), (2 * 10**12, "2000.0 GB")],
)
def test_sizes_are_said_as_people_say_them(count: int, text: str) -> None:
    assert health.size(count) == text


def test_a_report_names_what_happened_and_what_failed() -> None:
    done = RefreshReport(added=2, changed=1, unchanged=7, failed=(("a.md", "too odd"),), seconds=0.25)
    assert health.report(done) == "2 added, 1 changed, 7 unchanged, 1 failed  (0.2 s)\nfailed: a.md: too odd\n"
    assert health.report(RefreshReport()) == "no notes  (0.0 s)\n"


def test_settings_read_like_the_file_they_are_set_in() -> None:
    rows = [Setting("search.limit", 10, "default"), Setting("index.exclude", ("a/", 'b"'), "config.toml:3")]
    assert health.settings(rows) == (
        'search.limit  = 10             # default\nindex.exclude = ["a/", "b\\""]  # config.toml:3\n'
    )


def test_nothing_from_a_note_steers_the_terminal_in_findings_settings_and_reports() -> None:
    texts = [
        health.findings(select([Finding(EVIL, 1, "nul", EVIL, EVIL)]), paint=Paint()),
        health.settings([Setting("a.b", EVIL, EVIL)]),
        health.report(RefreshReport(failed=((EVIL, EVIL),))),
    ]
    for text in texts:
        assert "\\x1b[31m\\u202e" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_counts_come_first_and_the_remedy_stands_once_for_each_kind() -> None:
    rows = [Finding(f"{n}.md", n, "broken-link", f"link {n}", "correct the name") for n in range(1, 4)]
    rows += [Finding("", 0, "model", "no such file", "remove it"), Finding("", 0, "model", "no folder", "name one")]
    rows += [Finding("z.md", 1, "unwritten", "there is no note 'x'", "write that note")]
    assert health.findings(select(rows, limit=4), paint=Paint()) == (
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
        health.verdict_of(select(rows, ["case-clash"]), ["case-clash"], 5)
        == "no case-clash findings (5 of other kinds)"
    )
    assert health.verdict_of(select([], ["case-clash"]), ["case-clash"], 0) == "nothing is wrong"
    assert health.verdict_of(select(rows[-1:], ["unwritten"])) == "1 finding, none of them a fault"


TOKYO = datetime.timezone(datetime.timedelta(hours=9))


def status_of(**values: Any) -> Status:
    blank: dict[str, Any] = dict.fromkeys(Status._fields, 0)
    texts = {"vault": "/v", "index": "/c/index.db", "model": "potion", "fresh": True, "report": RefreshReport()}
    lists = dict.fromkeys(("failed", "in_part", "kinds", "differences", "sources", "in_vain"), ())
    return Status(**(blank | texts | lists | values))


def test_status_is_short_and_plain_unless_more_is_asked_for() -> None:
    state = status_of(notes=3, vault_bytes=1200, kinds=(("note", 3),), facts=2, sources=(("search.limit", "a:1"),))
    short = health.status(state, "not running", "", (43.4, "2026-02-10T22:14:02Z"), TOKYO)
    assert short == (
        "vault        /v\n"
        "notes        3, 1.2 kB: 3 note\n"
        "facts        2\n"
        "index        up to date, 0 B: /c/index.db\n"
        "daemon       not running\n"
        "last search  43 ms, 2026-02-11 07:14\n"
    )
    jobs = ["the daemon will write summaries"]
    idle = health.status(state, "not running", "", None, TOKYO, jobs)
    assert "jobs    nothing is done until `aurelius daemon start`; then the daemon will write summaries\n" in idle
    assert "jobs    the daemon will write summaries\n" in health.status(state, "running", "", None, TOKYO, jobs)
    assert "last search  43 ms, sometime\n" in health.status(state, "not running", "", (43.4, "sometime"), TOKYO)
    long = health.status(state, "not running", "", None, TOKYO, verbose=True)
    assert "last search" not in long
    assert re.search("^model +potion\ngeneration +0, schema 0\nsetting +search.limit from a:1\n", long, re.MULTILINE)


def test_status_counts_what_doctor_lists_and_names_no_thousands() -> None:
    told = health.status(status_of(problems=28, differences=("x",) * 500), "", "", None, TOKYO)
    assert "28 found while reading the notes; `aurelius doctor` lists them and checks the rest" in told
    assert told.endswith("\nnot current  480 more, which --json lists\n")
    assert told.count("not current") == 21
