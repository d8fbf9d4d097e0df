"""What is used stays hot, what is judged moves, and neither touches a note.

What time does to facts is shown and proposed, never done, and the same however often it is looked at.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import io
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.__main__ import run_line
from aurelius.ageing import tiers, usage_log
from aurelius.ageing.tiers import find_upkeep
from aurelius.cli.run import Context
from aurelius.vault import Vault
from indexer.live.live_index import Live
from indexer.note import Settings

NOW = datetime.datetime(2026, 2, 10, 12)
Run = Callable[..., Any]

NOTES = {
    "projects/payments.md": "# Payments\n\n## Facts\n"
    "- Payment API HMAC signature: no trailing empty string when no body ^hmac01\n"
    "- HMAC signature notes for payment refunds ^hmac02\n"
    "- The payment form has four fields (2026-02-10)\n",
    "people/joe.md": "# Joe\n\n## Facts\n- Lives in Los Angeles (2026-02-05)\n- Plays chess (2026-01-15)\n"
    "- Had a boat in Lisbon (2024-01-01)\n- Born in Porto (2024-01-01, identity)\n",
    "archives/old.md": "# Old\n\n## Facts\n- The payment terminal was grey (2020-01-01)\n",
}


@pytest.fixture
def there(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


def hits(
    aurelius: Run, there: Path, *argv: str, now: datetime.datetime = NOW
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        aurelius("search", *argv, "--json", cwd=there, now=now).out
    )["hits"]
    return found


def notes_of(there: Path) -> dict[str, tuple[str, int]]:
    return {
        path.as_posix(): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in there.rglob("*.md")
    }


def log_of(there: Path) -> list[dict[str, Any]]:
    """What the vault's log holds, and the uses that wait on this device."""
    files = [*sorted(there.rglob("*.jsonl")), *there.parent.joinpath("home").rglob("uses.jsonl")]
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def test_every_list_and_filter_keeps_a_milestone_warm(aurelius: Run, there: Path) -> None:
    """The index, a note as it is parsed, and the export say the same of it."""
    (there / "people" / "ana.md").write_text(
        "# Ana\n\n## Facts\n- Works at a quay (2020-01-15, milestone)\n- Saw a quay (2020-01-15, event)\n"
    )
    counted = json.loads(aurelius("status", "--tiers", "ana", "--json", cwd=there, now=NOW).out)
    assert [(each["text"], each["tier"]) for each in counted["facts"]] == [
        ("Works at a quay", "warm"),
        ("Saw a quay", "cold"),
    ]
    quay = ("quay", "--no-use", "--mode", "keyword")
    found = {hit["text"].split(" (")[0]: hit["tier"] for hit in hits(aurelius, there, *quay)}
    assert found == {"- Works at a quay": "warm", "- Saw a quay": "cold"}
    (warm,) = hits(aurelius, there, *quay, "--tier", "warm")
    assert "Works" in warm["text"]
    assert "(2020-01-15, milestone)" in aurelius("export", "--md", cwd=there, now=NOW).out


KEYWORD = ("payment hmac signature", "--mode", "keyword", "--no-use", "--explain")


def test_judging_moves_a_fact_and_survives_the_index(
    aurelius: Run, there: Path, env: dict[str, str]
) -> None:
    """Order by bm25 × exp(0.2·score) × recency, and no note is touched."""
    before = notes_of(there)
    first, second = hits(aurelius, there, *KEYWORD)[:2]
    aurelius("reinforce", second["id"], cwd=there, now=NOW)
    aurelius("demote", first["id"], cwd=there, now=NOW)
    after = hits(aurelius, there, *KEYWORD)
    assert [hit["id"] for hit in after[:2]] == [second["id"], first["id"]]
    assert [round(hit["explain"]["priors"]["score"], 2) for hit in after[:2]] == [1.82, 0.82]
    assert after[0]["explain"]["priors"]["recency"] == 1.0, "it counts from the last reinforce"
    shutil.rmtree(env["AURELIUS_INDEX"])
    assert hits(aurelius, there, *KEYWORD) == after
    assert notes_of(there) == before


def test_one_reinforce_survives_three_demotes(aurelius: Run, there: Path) -> None:
    """A score of +3 is ×1.82, three times −1 is ×1 again, and five times −1 is ×0.37."""
    told = [json.loads(aurelius("reinforce", "hmac01", "--json", cwd=there).out)]
    told += [json.loads(aurelius("demote", "hmac01", "--json", cwd=there).out) for _ in range(8)]
    assert [(each["score"], round(each["weight"], 2)) for each in told] == [
        (3, 1.82),
        (2, 1.49),
        (1, 1.22),
        (0, 1.0),
        (-1, 0.82),
        (-2, 0.67),
        (-3, 0.55),
        (-4, 0.45),
        (-5, 0.37),
    ]
    (there / ".aurelius" / "config.toml").write_text("[rank]\nreinforce = 1\ndemote = 2\n")
    assert json.loads(aurelius("demote", "hmac01", "--json", cwd=there).out)["score"] == -7


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_no_search_changes_the_order_of_a_later_one(mode: str, aurelius: Run, there: Path) -> None:
    """Uses drive tiers alone; every score stays as it is to the last bit."""
    argv = ("payment signature", "--mode", mode, "--status", "all")
    first = hits(aurelius, there, *argv)
    for _ in range(12):
        hits(aurelius, there, *argv)
    aurelius("get", "projects/payments.md#^hmac02", cwd=there)
    later = hits(aurelius, there, *argv)
    assert [(hit["id"], hit["score"]) for hit in later] == [
        (hit["id"], hit["score"]) for hit in first
    ]
    assert [hit["tier"] for hit in later] != [hit["tier"] for hit in first]


def test_tiers_go_by_use_and_else_by_date(aurelius: Run, there: Path) -> None:
    """Hot, warm and cold; a cold fact is found, and using it makes it hot; an identity is never cold."""

    def tiers() -> dict[str, int]:
        found: dict[str, int] = json.loads(
            aurelius("status", "--tiers", "joe", "--json", cwd=there, now=NOW).out
        )["tiers"]
        return found

    assert tiers() == {"hot": 1, "warm": 2, "cold": 1}
    (cold,) = [hit for hit in hits(aurelius, there, "boat in Lisbon") if "boat" in hit["text"]]
    assert (cold["tier"], cold.get("accessCount"), cold.get("lastAccessed")) == ("cold", None, None)
    assert tiers() == {"hot": 2, "warm": 2, "cold": 0}
    (now_hot,) = [hit for hit in hits(aurelius, there, "boat in Lisbon") if "boat" in hit["text"]]
    assert (now_hot["tier"], now_hot["accessCount"], now_hot["lastAccessed"]) == (
        "hot",
        1,
        "2026-02-10",
    )
    later = hits(
        aurelius,
        there,
        "boat in Lisbon",
        "--tier",
        "cold",
        "--no-use",
        now=datetime.datetime(2026, 4, 1),
    )
    assert [hit["tier"] for hit in later] == ["cold"] * len(later)
    assert "boat" in later[0]["text"]


def test_ten_days_of_use_resist(aurelius: Run, there: Path) -> None:
    """Used on ten days, a fact is one tier warmer."""
    for day in range(10):
        aurelius(
            "get", "projects/payments.md#^hmac01", cwd=there, now=NOW + datetime.timedelta(day)
        )
    aurelius("get", "projects/payments.md#^hmac02", cwd=there, now=NOW + datetime.timedelta(9))
    later = NOW + datetime.timedelta(9 + 40)
    facts = json.loads(
        aurelius("status", "--tiers", "payments", "--json", cwd=there, now=later).out
    )["facts"]
    assert [(fact["accessCount"], fact["tier"]) for fact in facts[:2]] == [
        (10, "warm"),
        (1, "cold"),
    ]


@pytest.mark.parametrize(
    ("argv", "refs"),
    [
        (["get", "projects/payments.md#^hmac01"], {"hmac01"}),
        (["get", "^hmac01"], {"hmac01"}),
        (["get", "projects/payments.md:4:2"], {"hmac01", "hmac02"}),
        (["get", "projects/payments.md"], {"projects/payments.md"}),
        (["get", "projects/payments.md:1"], {"projects/payments.md"}),
        (["get", "memory/2031-01-01.md"], set()),
        (["show", "payments"], {"projects/payments.md"}),
        (["show", "payments", "--facts"], {"projects/payments.md"}),
        (["show", "^hmac02"], {"hmac02"}),
        (["show", "^hmac02", "--no-use"], set()),
        (["list", "--type", "fact"], set()),
        (["status", "--tiers", "payments"], set()),
        (["search", "HMAC signature refunds", "-n", "1"], {"hmac02"}),
        (["search", "qqqxyz", "--mode", "keyword"], set()),
    ],
)
def test_what_counts_as_a_use(argv: list[str], refs: set[str], aurelius: Run, there: Path) -> None:
    """Of the fact or its section; a whole note is a use of the note; lists are none."""
    aurelius(*argv, cwd=there)
    assert {said["ref"] for said in log_of(there)} == refs
    assert {said["op"] for said in log_of(there)} <= {"use"}


def test_the_environment_keeps_an_agent_from_leaving_uses(
    aurelius: Run, there: Path, env: dict[str, str]
) -> None:
    env["AURELIUS_NO_USE"] = "1"
    aurelius("search", "payment", cwd=there)
    assert log_of(there) == []
    aurelius("reinforce", "hmac01", cwd=there)
    assert {said["op"] for said in log_of(there)} == {"reinforce", "use"}, (
        "what is said is no use left by the way"
    )


def test_tier_and_archive_are_filters(aurelius: Run, there: Path) -> None:
    def texts(*argv: str) -> set[str]:
        return {
            hit["text"].partition(" (")[0]
            for hit in hits(aurelius, there, "payment", "--no-use", *argv)
        }

    assert texts("--archived", "only") == {"- The payment terminal was grey"}
    assert not texts("--archived", "only") & texts("--archived", "no")
    assert texts("--tier", "hot") == {"- The payment form has four fields"}
    assert texts("--tier", "cold", "--tier", "hot") == {
        "- The payment form has four fields",
        "- The payment terminal was grey",
    }
    listed = json.loads(aurelius("list", "--tier", "cold", "--json", cwd=there, now=NOW).out)[
        "notes"
    ]
    assert [(row["path"], row["tier"]) for row in listed] == [("archives/old.md", "cold")]
    listed = json.loads(
        aurelius("list", "--type", "fact", "--tier", "hot", "--json", cwd=there, now=NOW).out
    )["facts"]
    assert {row["tier"] for row in listed} == {"hot"}
    listed = json.loads(aurelius("list", "--archived", "only", "--json", cwd=there).out)["notes"]
    assert [row["path"] for row in listed] == ["archives/old.md"]


def test_two_people_with_the_same_notes_get_another_order(
    aurelius: Run, there: Path, tmp_path: Path
) -> None:
    """Personal without any logic for it."""
    other = tmp_path / "other"
    shutil.copytree(there, other)
    aurelius("reinforce", "hmac01", cwd=there)
    aurelius("reinforce", "hmac02", cwd=other)
    mine, yours = (hits(aurelius, root, *KEYWORD)[0]["id"] for root in (there, other))
    assert (mine, yours) == ("hmac01", "hmac02")


def test_what_is_no_fact_is_not_judged(aurelius: Run, there: Path) -> None:
    assert aurelius("reinforce", "nobody", cwd=there).code == 5
    done = aurelius("reinforce", "hmac01", "--dry-run", cwd=there)
    assert (done.code, log_of(there)) == (0, [])
    (there / ".aurelius" / "log").write_text("in the way")
    done = aurelius("demote", "hmac01", cwd=there)
    assert done.code == 6
    assert "not written, because it has log in its path, which is not a folder" in done.err


@pytest.fixture
def warm(there: Path, env: dict[str, str], tmp_path: Path) -> Iterator[Run]:
    """The same commands in a daemon's process."""
    aurelius_index = Path(env["AURELIUS_INDEX"])
    from aurelius.settings import config

    folder = config.index_folder(config.load_config(str(there), env))
    assert Path(folder).is_relative_to(aurelius_index)
    live = Live(Settings(str(there), folder), lambda: None)

    def run(*argv: str) -> str:
        out = io.StringIO()
        context = Context(
            str(there), env, False, io.StringIO(), out, io.StringIO(), NOW, None, live
        )
        assert run_line(argv, context) == 0
        return out.getvalue()

    live.refresh(Settings(str(there), folder), now=time.time())[0].close()
    yield run
    live.close()


def test_a_daemon_answers_the_same(warm: Run, aurelius: Run, there: Path) -> None:
    """Warm and cold, before and after: the same hits, scores and tiers; a use of one is known to the other at once."""

    def same(*argv: str) -> list[dict[str, Any]]:
        answers = [json.loads(run("search", *argv, "--json", "--no-use")) for run in (warm, cold)]
        assert answers[0]["hits"] == answers[1]["hits"]
        found: list[dict[str, Any]] = answers[0]["hits"]
        return found

    def cold(*argv: str) -> str:
        out: str = aurelius(*argv, cwd=there, now=NOW).out
        return out

    before = same("payment signature")
    cold("reinforce", before[1]["id"] or "hmac01")
    assert same("payment signature") != before
    warm("get", "projects/payments.md#^hmac02")
    assert {hit["id"]: hit["tier"] for hit in same("payment signature")}["hmac02"] == "hot"
    for tier in ("hot", "warm", "cold"):
        same("payment", "--tier", tier)
    cold("get", "projects/payments.md:6")
    warm("demote", "hmac02")
    assert {hit["tier"] for hit in same("payment", "--tier", "hot")} == {"hot"}
    same("payment signature", "--mode", "keyword")


def test_doctor_and_status_tell_of_the_log(aurelius: Run, there: Path, env: dict[str, str]) -> None:
    """A torn line is told of, and so is a log that cannot be written."""
    aurelius("get", "^hmac01", cwd=there)
    assert json.loads(aurelius("status", "--json", cwd=there).out)["unlogged"] == ""
    assert "uses" not in aurelius("status", cwd=there).out
    aurelius("note", "so that the use is moved to the log", cwd=there)
    (log,) = there.rglob("*.jsonl")
    log.write_bytes(log.read_bytes() + b"<<<<<<< HEAD\n")
    done = aurelius("doctor", "--json", cwd=there)
    (finding,) = [each for each in json.loads(done.out)["findings"] if each["code"] == "torn-log"]
    assert finding["path"] == log.relative_to(there).as_posix()
    assert finding["message"] == "1 line of the usage log cannot be read"
    env["AURELIUS_NO_USE"] = "1"
    assert "uses    not recorded: AURELIUS_NO_USE is set\n" in aurelius("status", cwd=there).out
    del env["AURELIUS_NO_USE"]
    shutil.rmtree(there / ".aurelius")
    told = json.loads(aurelius("status", "--vault", str(there), "--json", cwd=there).out)[
        "unlogged"
    ]
    assert (
        told == "not recorded: this folder has no .aurelius/; to make it: `aurelius init --adopt`"
    )
    (there / ".aurelius").mkdir()
    (there / ".aurelius" / "log").write_text("in the way")
    told = json.loads(aurelius("status", "--json", cwd=there).out)["unlogged"]
    assert told == f"recorded on this device only: {there / '.aurelius' / 'log'} cannot be written"


def test_doctor_and_status_tell_of_a_log_file_that_is_too_large(aurelius: Run, there: Path) -> None:
    log = there / ".aurelius" / "log" / "lap7" / "2026-02.jsonl"
    log.parent.mkdir(parents=True)
    with log.open("wb") as file:
        file.truncate(3 << 30)
    told = "only its first 16 MiB are counted"
    assert f".aurelius/log/lap7/2026-02.jsonl: {told}" in aurelius("status", cwd=there).err
    findings = json.loads(aurelius("doctor", "--json", cwd=there).out)["findings"]
    assert [
        (each["path"], each["message"]) for each in findings if each["code"] == "large-log"
    ] == [(".aurelius/log/lap7/2026-02.jsonl", told)]


def test_reading_leaves_a_git_tree_clean_and_the_next_writing_command_moves_the_uses(
    aurelius: Run, there: Path
) -> None:
    def git(*argv: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *argv], cwd=there, check=True, timeout=60, capture_output=True, text=True
        )
        return done.stdout

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    aurelius("search", "payment hmac", cwd=there)
    aurelius("show", "joe", cwd=there)
    aurelius("get", "^hmac02", cwd=there)
    assert git("status", "--porcelain", "--untracked-files=all") == ""
    count = {fact["id"]: fact["accessCount"] for fact in _facts(aurelius, there)}
    assert count["hmac02"] == 1
    for argv in (
        ["note", "a line"],
        ["new", "person", "Ada"],
        ["add", "joe", "Likes rye bread"],
        ["undo"],
    ):
        aurelius("get", "^hmac01", cwd=there)
        assert aurelius(*argv, cwd=there).code == 0
        assert not list(there.parent.joinpath("home").rglob("uses.jsonl")), argv
        assert {said["ref"] for said in log_of(there)} >= {"hmac01", "hmac02", "people/joe.md"}
    assert {fact["id"]: fact["accessCount"] for fact in _facts(aurelius, there)} == {
        **count,
        "hmac01": 1,
    }


def _facts(aurelius: Run, there: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        aurelius("status", "--tiers", "payments", "--json", cwd=there, now=NOW).out
    )["facts"]
    return found


def test_what_is_passed_over_in_memory_is_never_what_was_judged(
    warm: Run, aurelius: Run, there: Path
) -> None:
    """A daemon leaves out most candidates before it reads their rows, but none that reinforcing brings to the front."""
    for note in range(4):
        facts = "".join(
            f"- Drinks {'tea ' * (1 + at % 3)}with guest {note}{at:02} ^g{note}a{at:02}\n"
            for at in range(60)
        )
        (there / "people" / f"guest{note}.md").write_text(f"# Guests {note}\n\n## Facts\n{facts}")
    (there / "people" / "late.md").write_text(
        "# Late\n\n## Facts\n- Some words more and tea (2001-01-01) ^late01\n"
    )

    def found(run: Callable[..., str]) -> list[Any]:
        hits: list[Any] = json.loads(
            run("search", "tea with guest", "-n", "40", "--json", "--no-use")
        )["hits"]
        return hits

    def cold(*argv: str) -> str:
        out: str = aurelius(*argv, cwd=there, now=NOW).out
        return out

    before = found(cold)
    assert found(warm) == before
    assert "late01" not in {hit.get("id") for hit in before}
    for _ in range(4):
        cold("reinforce", "late01")
    for _ in range(5):
        warm("demote", before[0]["id"])
    after = found(cold)
    assert found(warm) == after
    assert after != before


def test_facts_are_counted_by_tier_and_past_ones_are_not(there: Path, env: dict[str, str]) -> None:
    (there / "people" / "joe.md").write_text(
        "## Facts\n- Lives here (2026-02-09) ^here01\n- ~~Lived there~~ (2026-02-08)\n- Sang (2020-01-01)\n"
    )
    vault = Vault.find(str(there), env, str(there), now=NOW)
    with contextlib.closing(vault):
        usage_log.record_uses(vault, ["people/joe.md"], "show")
        vault.refresh()
        found = tiers.tiers_of_note(vault, "joe", private=False)
        assert (found.age.tier, found.age.uses) == ("hot", 1)
        assert tiers.counts(found.facts) == {"hot": 1, "warm": 0, "cold": 1}
        assert tiers.tiers_of_vault(vault, private=False).facts["hot"] == 2


Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

SPACEBOT = """\
# Spacebot

## Facts
- Called Orbit (2026-01-05, identity) ^name01
- Deployed the prototype (2026-01-05, event) ^dep001
- Uses SQLite for all of its data (2026-01-05) ^sqlt01
- Is using SQLite for all of its data (2026-01-05) ^sqlt02
- Keeps 3 copies (2026-01-05) ^copy03
- Keeps 4 copies (2026-01-05) ^copy04
- Does not run at night (2026-01-05) ^night1
- Runs at night (2026-01-05) ^night2
- Pinned and forgotten (2020-01-05, event, pinned) ^pinn01
- Born on 5 May 1983 (2011-01-05) ^born01
- Chose SQLite over files (2011-01-05, decision) ^chos01
"""


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    (there / "projects").mkdir()
    (there / "projects" / "spacebot.md").write_text(SPACEBOT)
    return there


def test_decay_is_a_function_of_the_day(aurelius: Aurelius, root: Path) -> None:
    argv = ("status", "--ageing", "--all", "--json", "--now", "2027-03-20")
    first = aurelius(*argv, cwd=root)
    assert aurelius(*argv, cwd=root).out == first.out, "looking twice compounds nothing"
    assert (root / "projects" / "spacebot.md").read_text() == SPACEBOT
    facts = {each["id"]: each for each in json.loads(first.out)["facts"]}
    assert (facts["name01"]["importance"], facts["name01"]["exempt"]) == (1.0, True)
    assert (facts["dep001"]["base"], facts["dep001"]["below"]) == (0.4, True)
    assert round(facts["dep001"]["importance"], 2) == 0.01  # 439 days at a half-life of 90
    assert (facts["pinn01"]["importance"], facts["pinn01"]["below"]) == (0.4, False)
    assert facts["born01"]["importance"] < 0.1, "an old fact comes last, and stays"
    assert [key for key, each in facts.items() if each["below"]] == ["dep001"]


def test_only_lines_that_say_the_same_are_proposed(aurelius: Aurelius, root: Path) -> None:
    """Numbers and negations part lines however like they are."""
    found = json.loads(aurelius("status", "--ageing", "--json", cwd=root).out)["duplicates"]
    assert [(each["id"], each["other"]) for each in found] == [("sqlt01", "sqlt02")]
    shown = aurelius("status", "--ageing", "--all", cwd=root).out
    assert shown.startswith("11 facts: 2 never age, 0 could be archived, 1 duplicate\n")
    assert "identity, importance stays 1.00" in shown


def test_an_export_holds_every_fact(aurelius: Aurelius, root: Path) -> None:
    (root / "more.md").write_text(
        "## Facts\n- Uses Postgres (2027-01-01, updates ^sqlt01) #db ^post01\n"
    )
    facts = json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
    assert [each["id"] for each in facts][:2] == ["post01", "name01"]
    past = next(each for each in facts if each["id"] == "sqlt01")
    assert (past["status"], past["until"], past["superseded_by"]) == (
        "superseded",
        "2027-01-01",
        "post01",
    )
    assert aurelius("export", "--sqlite", "all.db", cwd=root).code == 0
    db = apsw.Connection(str(root / "all.db"))
    rows = db.execute("SELECT id, text, status, tags FROM fact ORDER BY path, first").fetchall()
    db.close()
    assert rows == [
        (each["id"], each["text"], each["status"], json.dumps(each["tags"])) for each in facts
    ]
    text = aurelius("export", "--md", cwd=root).out
    assert "## more.md\n\n- Uses Postgres #db (2027-01-01, updates ^sqlt01) ^post01\n" in text
    assert aurelius("export", "--json", "--md", cwd=root).code == 2
    assert aurelius("export", "--sqlite", "nowhere/all.db", cwd=root).code == 6


@pytest.mark.parametrize(("hours", "tier"), [(9, "hot"), (0, "warm")])
def test_the_day_of_a_use_is_the_persons_own(
    root: Path, env: dict[str, str], hours: int, tier: str
) -> None:
    """Used at eight in the evening in Greenwich, eight days ago there and seven in Tokyo."""
    log = root / ".aurelius" / "log" / "dev1"
    log.mkdir(parents=True)
    event = {
        "e": "dev1-1122334455667788",
        "t": "2026-02-02T20:00:00Z",
        "op": "use",
        "ref": "sqlt01",
        "via": "show",
    }
    (log / "2026-02.jsonl").write_text(json.dumps(event) + "\n")
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    vault = Vault.find(str(root), env, str(root), now=datetime.datetime(2026, 2, 10, 12), zone=zone)
    try:
        found = find_upkeep(vault, (), private=False)
        assert {each.fact.key: each.tier for each in found.decays}["sqlt01"] == tier
    finally:
        vault.close()


def opened(root: Path, env: dict[str, str]) -> Vault:
    return Vault.find(str(root), env, str(root), now=datetime.datetime(2026, 2, 10, 12))


def test_what_is_pinned_is_never_proposed_however_little_it_matters(
    root: Path, env: dict[str, str]
) -> None:
    said = "## Facts\n- Rained (2026-01-05, event, importance 0.05{}) ^rain0{}\n"
    (root / "rain.md").write_text(said.format("", 1) + said.format(", pinned", 2))
    with contextlib.closing(opened(root, env)) as vault:
        decays = {
            each.fact.key: each for each in find_upkeep(vault, ["rain"], private=False).decays
        }
    assert (decays["rain01"].below, decays["rain02"].below) == (True, False)


@pytest.mark.parametrize(
    ("setting", "below"), [("event = 10", True), ("floor = 0.4", True), ("", False)]
)
def test_a_vault_may_set_how_fast_facts_lose_importance(
    root: Path, env: dict[str, str], setting: str, below: bool
) -> None:
    (root / "rain.md").write_text("## Facts\n- Rained (2026-01-05, event) ^rain01\n")
    (root / ".aurelius" / "config.toml").write_text(f"[decay]\n{setting}\n")
    with contextlib.closing(opened(root, env)) as vault:
        (decay,) = find_upkeep(vault, ["rain"], private=False).decays
        assert decay.below == below


def test_of_facts_that_say_the_same_the_first_is_kept(root: Path, env: dict[str, str]) -> None:
    (root / "tea.md").write_text(
        "## Facts\n- Likes green tea ^teaa01\n- Likes green tea ^teaa02\n- Green tea he likes\n"
    )
    with contextlib.closing(opened(root, env)) as vault:
        twins = find_upkeep(vault, ["tea"], private=False).twins
    assert twins
    assert {each.kept.key for each in twins} == {"teaa01"}


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Lives in Ely (2020-01-01)",
            "Lives in Bath (2022-01-01)",
            "Lives in Ely (2024-01-01)",
        ),
        ("Saw the comet (2020-01-01)", "Saw the comet (2024-01-01)"),
        ("The choir meets (2020-01-01, event)", "The choir meets (2024-01-01, event)"),
    ],
)
def test_what_happened_twice_or_changed_between_is_said_once_each(
    root: Path, env: dict[str, str], lines: tuple[str, ...]
) -> None:
    (root / "ann.md").write_text("## Facts\n" + "".join(f"- {line}\n" for line in lines))
    with contextlib.closing(opened(root, env)) as vault:
        assert find_upkeep(vault, ["ann"], private=False).twins == ()


def test_links_count_for_the_note_they_lead_to_and_not_within_a_note(
    root: Path, env: dict[str, str]
) -> None:
    for folder in ("a", "b"):
        (root / folder).mkdir()
        (root / folder / "x.md").write_text(
            f"## Facts\n- Said in {folder} (2026-02-10) ^said0{folder}\n\n[self](x.md)\n"
        )
        (root / folder / "from.md").write_text("[there](x.md)\n" * (1 if folder == "a" else 3))
    with contextlib.closing(opened(root, env)) as vault:
        now = {
            each.fact.key: each.now
            for each in find_upkeep(vault, ["a/x.md", "b/x.md"], private=False).decays
        }
    assert {key: round(value, 2) for key, value in now.items()} == {"said0a": 0.62, "said0b": 0.64}
