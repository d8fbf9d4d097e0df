"""Moving and archiving: nothing is lost, every link still leads, what was private stays unseen."""

from __future__ import annotations

import datetime
import json
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.compose import change
from aurelius.plans import move_archive
from indexer.errors import UsageError
from indexer.reading import parse as parsing
from indexer.reading.parse import parse
from indexer.search import fusion
from indexer.search.candidate import Candidate
from indexer.usage.tally import Uses
from indexer.usage.tier import Clock

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


def facts(root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*.md")):
        note = parse(path.relative_to(root).as_posix(), path.read_bytes())
        for fact in note.facts:  # a relationship without a date is as new as its note
            date = "" if fact.type == "relationship" else fact.date
            found.append(f"{fact.text} {fact.status} {date} {fact.type}")
    return sorted(found)


def test_a_fact_that_is_archived_is_the_same_fact(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    before = facts(root)
    ids = [
        each["id"]
        for each in json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
        if each["path"].startswith(("people/", "memory/2025")) and each["status"] != "proposed"
    ]
    refused = 0
    for key in ids[::9]:
        done = aurelius("archive", key, cwd=root)
        refused += done.code != 0
    assert refused <= 1
    assert facts(root) == before
    assert aurelius("doctor", cwd=root).code == 0


@pytest.mark.parametrize("own", ["40_Archives", "04-archives", "Archive"])
def test_the_archive_that_a_vault_has_is_used_though_it_holds_no_note(
    aurelius: Aurelius, vault: Vaults, own: str
) -> None:
    root = vault("empty")
    (root / own).mkdir()
    for name in "abcd":
        (root / f"{name}.md").write_text(
            f"# {name}\n\n## Facts\n- Has a red door (2026-01-01) ^door0{name}\n"
        )
    for line in (
        ("archive", "a"),
        ("rm", "b", "--yes"),
        ("move", "c", "archives/"),
        ("archive", "^door0d"),
    ):
        done = aurelius(*line, cwd=root)
        assert done.code == 0, done
    assert {each.name for each in (root / own).iterdir()} == {"a.md", "b.md", "c.md", "d.md"}
    assert not (root / "archives").exists()


def test_an_archive_with_notes_is_used_before_an_empty_one_and_an_ignored_one_never(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    for folder in ("01 Archive", "02 Archive", "Archived"):
        (root / folder).mkdir()
    (root / ".aureliusignore").write_text("01*/\n")
    for path in ("Archived/old.md", "a.md", "b.md"):
        (root / path).write_text("x\n")
    assert aurelius("archive", "a", cwd=root).code == 0
    (root / "Archived" / "old.md").unlink()
    (root / "Archived" / "a.md").unlink()
    assert aurelius("move", "b", "archives", cwd=root).code == 0
    assert (root / "02 Archive" / "b.md").exists()


@pytest.mark.parametrize(
    "line",
    [
        "archive joe",
        "archive ^rome01",
        "archive --when-over 10B",
        "move joe archives/",
        "rm joe --yes",
    ],
)
def test_nothing_is_put_away_where_no_search_would_find_it(
    aurelius: Aurelius, vault: Vaults, line: str
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    (root / "people/joe.md").write_text(
        "# Joe\n\n## Facts\n- Lives in Rome (2020-01-01) ^rome01\n- Rows\n"
    )
    (root / ".aureliusignore").write_text("archives/\n")
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    done = aurelius(*line.split(), cwd=root)
    assert (done.code, done.out) == (2, "")
    assert re.search(r"archives/\S*joe.md would be ignored .*\nhint: .*change that rule", done.err)
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_a_note_is_put_away_again_and_again_and_none_is_lost(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    for number, line in enumerate(["archive joe", "rm joe --yes", "archive joe", "rm joe --yes"]):
        (root / "people/joe.md").write_text(f"# Joe {number}\n")
        assert aurelius(*line.split(), cwd=root).code == 0
        assert not (root / "people/joe.md").exists()
    there = {
        each.relative_to(root / "archives").as_posix(): each.read_text()
        for each in root.rglob("*.md")
    }
    assert there == {
        "joe.md": "# Joe 0\n",
        "people/joe.md": "# Joe 1\n",
        "people/joe-2.md": "# Joe 2\n",
        "people/joe-3.md": "# Joe 3\n",
    }


def test_what_is_nested_goes_along(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    text = "# Joe\n\n## Preferences\n* Likes tea (2026-01-01) ^tea001\n"
    text += "  - green (2026-01-01)\n  - hot (2026-01-01)\n* Rum\n"
    (root / "people" / "joe.md").write_text(text)
    (root / "x.md").write_text("See [[joe#^tea001]] and [it](people/joe.md#^tea001).\n")
    assert aurelius("archive", "tea001", cwd=root).code == 0
    assert (root / "people" / "joe.md").read_text() == "# Joe\n\n## Preferences\n* Rum\n"
    assert (root / "archives" / "joe.md").read_text() == (
        "# Joe\n\nFrom [[people/joe]].\n\n## Facts\n\n"
        "- Likes tea (2026-01-01, preference) ^tea001\n  - green (2026-01-01)\n  - hot (2026-01-01)\n"
    )
    assert (
        root / "x.md"
    ).read_text() == "See [[archives/joe#^tea001]] and [it](archives/joe.md#^tea001).\n"
    done = aurelius("show", "joe", cwd=root)
    assert "people/joe.md" in done.out, "the note that is in use keeps its name"


def test_a_fact_takes_along_the_date_of_its_note(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "memory").mkdir()
    (root / "memory" / "2026-01-05.md").write_text("- Rain\n- ~~Snow~~ ^snow01\n")
    key = json.loads(aurelius("export", "--json", cwd=root).out)["facts"][0]["id"]
    assert aurelius("archive", key, cwd=root).code == 0
    assert aurelius("archive", "snow01", cwd=root).code == 0
    text = (root / "archives" / "2026-01-05.md").read_text()
    assert "- Rain (2026-01-05) ^" in text
    assert "## History\n\n- ~~Snow~~ (2026-01-05) ^snow01" in text


def test_only_what_matters_least_goes_and_what_never_grows_cold_stays(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    lines = [f"- Fact number {at} ({2000 + at}-01-01)" for at in range(20)]
    lines += [
        "- Old but pinned (1999-01-01, pinned)",
        "- Old but liked (1999-01-01, preference)",
        "- Praised (1999-01-01) ^prais1",
    ]
    (root / "people" / "joe.md").write_text("# Joe\n\n## Facts\n" + "\n".join(lines) + "\n")
    (root / ".aurelius" / "config.toml").write_text("[archive]\npercent = 10\n")
    aurelius("reinforce", "prais1", cwd=root)
    aurelius("reinforce", "prais1", cwd=root)
    done = json.loads(aurelius("archive", "--when-over", "1B", "--json", cwd=root).out)
    assert [each["to"] for each in done["archived"]] == ["archives/joe.md"] * 3
    kept = (root / "people" / "joe.md").read_text()
    assert [at for at in range(20) if f"Fact number {at} " not in kept] == [0, 1, 2]
    assert done["bytes"] > done["limit"] == 1


def test_many_facts_are_put_away_with_a_few_readings_and_those_that_cannot_be_stay(
    aurelius: Aurelius, vault: Vaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    facts = [
        f"- Fact number {at} was told ({2000 + at % 20}-01-{at % 28 + 1:02}, event)"
        for at in range(200)
    ]
    facts[40] += "\n  - with a line below it (2001-01-01)"
    add_all = change.add_all

    def refusing(data: bytes, items: list[str], *args: Any, **options: Any) -> bytes:
        if any("number 60 " in item for item in items):
            raise UsageError("this line would be read as another fact")
        return add_all(data, items, *args, **options)

    monkeypatch.setattr(change, "add_all", refusing)
    (root / "people" / "joe.md").write_text("# Joe\n\n## Facts\n" + "\n".join(facts) + "\n")
    (root / ".aurelius" / "config.toml").write_text("[archive]\npercent = 25\n")
    assert aurelius("search", "fact", cwd=root).code == 0
    readings = 0
    parse = parsing.parse

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal readings
        readings += 1
        return parse(*args, **options)

    monkeypatch.setattr(parsing, "parse", counted)
    archived = aurelius("archive", "--when-over", "1B", "--json", cwd=root)
    assert (archived.code, archived.err) == (0, "")
    done = json.loads(archived.out)
    assert readings <= 80
    kept = (root / "people" / "joe.md").read_text()
    gone = (root / "archives" / "joe.md").read_text()
    assert len(done["archived"]) == 50
    for at in range(200):
        assert (f"Fact number {at} " in kept) != (f"Fact number {at} " in gone), at
    assert [at for at in range(0, 200, 20) if f"Fact number {at} " in kept] == [40, 60]


@pytest.mark.parametrize("together", [True, False])
def test_equal_lines_are_put_away_under_ids_of_their_own(
    aurelius: Aurelius, vault: Vaults, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    lines = ["- Saw the comet (2001-01-01, event)"] * 3 + ["- Went to Ely (2025-01-01, event)"] * 2
    (root / "people" / "joe.md").write_text("# Joe\n\n## Facts\n" + "\n".join(lines) + "\n")
    (root / ".aurelius" / "config.toml").write_text("[archive]\npercent = 40\n")
    add_all = change.add_all

    def refusing(data: bytes, items: list[str], *args: Any, **options: Any) -> bytes:
        if len(items) > 1:
            raise UsageError("these lines would be read as other facts")
        return add_all(data, items, *args, **options)

    if not together:
        monkeypatch.setattr(change, "add_all", refusing)
    done = aurelius("archive", "--when-over", "1B", cwd=root)
    assert (done.code, done.err) == (0, "")
    kept = (root / "people" / "joe.md").read_text()
    gone = (root / "archives" / "joe.md").read_text()
    assert kept.count("\n- ") + gone.count("\n- ") == 5
    assert len(set(re.findall(r"\^(\w+)", gone))) == gone.count("\n- ") >= 1 + together


def test_a_birthday_and_what_holds_of_somebody_are_put_away_after_duplicates_and_events(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    lines = (
        "Birthday is on 14 May (1999-01-01)",
        "Lives in Bath (2001-01-01)",
        "Works at TechCorp (2001-01-01)",
        "Phone: 555-0142 (2001-01-01)",
        "Saw the comet (2020-01-01, event)",
        "Lives in Ely (2000-01-01)",
        "Plays the cello (2002-01-01)",
        "Budget of the kitchen is 18,000 euros (2025-01-01)",
        "Budget of the kitchen is 18,000 euros (2025-02-01)",
    )
    (root / "people" / "joe.md").write_text(
        "# Joe\n\n## Facts\n" + "".join(f"- {line}\n" for line in lines)
    )
    (root / ".aurelius" / "config.toml").write_text("[archive]\npercent = 44\n")
    done = aurelius("archive", "--when-over", "1B", cwd=root)
    assert done.code == 0
    kept = (root / "people" / "joe.md").read_text()
    gone = ["Saw the comet", "Lives in Ely", "Plays the cello"]
    assert [line for line in gone if line in kept] == []
    assert kept.count("Budget of the kitchen") == 1
    assert all(word in kept for word in ("Birthday", "Bath", "TechCorp", "555-0142"))


@pytest.mark.parametrize("uses", [Uses(), Uses(score=7), Uses(score=-40, ranked=1.77e9)])
@pytest.mark.parametrize("tail", ["", " (2025-11-01)", " (2030-01-01)"])
def test_what_matters_least_goes_by_the_same_factors_as_a_search_by_keyword(
    uses: Uses, tail: str
) -> None:
    fact = parse("people/joe.md", f"## Facts\n- Rows{tail} ^rows01\n".encode()).facts[0]
    clock = Clock(datetime.date(2026, 2, 10), zone=datetime.UTC)
    day = clock.day_of(uses.ranked) or (
        datetime.date.fromisoformat(fact.date) if fact.date else None
    )
    days = None if day is None else (clock.today - day).days
    one = Candidate(1, "a.md", 0, "fact", 2, 2, days=days, score=uses.score)
    factors = fusion.priors(one, mode="keyword")
    assert move_archive.fact_worth(fact, uses, clock) == math.prod(factors.values())


def test_a_note_moves_with_its_links_but_private_ones_are_left(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "a.md").write_text("# A\n\n- x\n")
    (root / "b.md").write_text("[[a]]\n")
    (root / "secret.md").write_text("---\nprivate: true\n---\n[[a]]\n")
    done = aurelius("move", "a", "sub/new name", cwd=root)
    assert (root / "sub" / "new name.md").read_text() == "# A\n\n- x\n"
    assert (root / "b.md").read_text() == "[[new name]]\n"
    assert (root / "secret.md").read_text() == "---\nprivate: true\n---\n[[a]]\n"
    assert "secret" not in done.out
    assert "1 private note are not repaired" in done.err
    assert aurelius("undo", cwd=root).code == 0
    assert (root / "a.md").read_text() == "# A\n\n- x\n"
    assert aurelius("move", "a", "sub/new name", "--private", cwd=root).code == 0
    assert "[[new name]]" in (root / "secret.md").read_text()


def test_nothing_is_overwritten_or_hidden_by_a_move(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("sample")
    (root / ".aureliusignore").write_text("drafts/\n")
    for destination, code in (
        ("people/li-wei.md", 2),
        ("drafts/x", 2),
        ("AGENTS.md", 2),
        ("/elsewhere/x", 2),
        (".", 0),
    ):
        assert aurelius("move", "ruth-adler", destination, cwd=root).code == code, destination
    assert (root / "ruth-adler.md").exists()


@pytest.mark.parametrize(
    ("there", "why"),
    [
        ("a\nb.md", "a line end"),
        ("a\nb/", "a line end"),
        ("a\tb.md", "control character"),
        ("C# notes.md", "has # in"),
        ("a[b]|^.md", "has [ ] | ^ in"),
        ("x#/joe.md", "has # in"),
        ("../", "out of the vault"),
        ("..", "out of the vault"),
        ("people/../x.md", "out of the vault"),
        ("/", "is an absolute path"),
        ("node_modules/", "never indexed"),
        ("people/node_modules/x.md", "never indexed"),
        (".x/", "hidden"),
        ("logseq/bak/", "never indexed"),
        ("logseq/version-files/x.md", "never indexed"),
    ],
)
def test_a_note_never_moves_where_no_link_or_search_would_find_it(
    aurelius: Aurelius, vault: Vaults, there: str, why: str
) -> None:
    root = vault("template")
    before = sorted(root.rglob("*"))
    for more in (["--dry-run"], []):
        done = aurelius("move", "joe bloggs", there, *more, cwd=root)
        assert (done.code, done.out) == (2, "")
        assert why in done.err
        assert len(done.err.splitlines()) == 2
    assert sorted(root.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_note_keeps_a_name_that_it_has_already_and_its_links_lead_to_it(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    (root / "C#").mkdir()
    (root / "people" / "n\nl.md").write_text("# Nl\n")
    (root / "people" / "ann.md").write_text("# Ann\n")
    (root / "x.md").write_text("[n](people/n%0Al.md) [[people/n%0Al]] [[people/ann]]\n")
    assert aurelius("archive", "Nl", cwd=root).code == 0
    assert (root / "archives" / "n\nl.md").read_text() == "# Nl\n"
    assert aurelius("move", "ann", "C#/", cwd=root).code == 0
    assert (root / "x.md").read_text() == "[n](archives/n%0Al.md) [[archives/n%0Al]] [[C%23/ann]]\n"
    assert aurelius("doctor", cwd=root).code == 0


def test_what_would_be_no_fact_elsewhere_is_told(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "memory").mkdir()
    (root / "memory" / "2026-02-01.md").write_text("- Met Joe\n")
    done = aurelius("move", "2026-02-01", "old/met", cwd=root)
    assert done.code == 2
    assert "1 fact would be lost\nhint: these lines would not be facts there" in done.err
    assert aurelius("move", "2026-02-01", "old/met", "--force", cwd=root).code == 0
    assert (root / "old" / "met.md").read_text() == "- Met Joe\n"


def test_a_note_that_is_written_where_another_is_moved_to_stays_what_it_is(
    aurelius: Aurelius, vault: Vaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_text("# Joe\n\n## Facts\n- Likes tea (2026-01-01)\n")
    newer = "# Joe\n\n## Facts\n" + "".join(f"- Fact {n} (2026-01-01)\n" for n in range(4))
    target = move_archive._target

    def meanwhile(desk: Any, path: str, destination: str) -> str:
        found = target(desk, path, destination)
        (root / "archives").mkdir()
        (root / "archives" / "joe.md").write_text(newer)
        return found

    monkeypatch.setattr(move_archive, "_target", meanwhile)
    done = aurelius("move", "joe", "archives/joe.md", cwd=root)
    assert (done.code, "would be lost" in done.err) == (2, False), done
    assert "archives/joe.md already exists" in done.err
    assert (root / "archives" / "joe.md").read_text() == newer
    assert (root / "people" / "joe.md").exists()
