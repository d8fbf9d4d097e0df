"""All there is to say of a note, and the state of vault and index.

All facts, exported: the same ones in each of the three forms, and no file written over.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.ageing import usage_log
from aurelius.answers import note_view
from aurelius.answers.note_view import (
    Status,
    differences,
    first_paragraph,
    list_files,
    open_graph,
    summary,
    vault_status,
    view,
)
from aurelius.settings.config import Config
from aurelius.vault import Vault
from indexer.errors import ConflictError, UsageError
from indexer.note import Settings
from indexer.reading.parse import parse
from indexer.refresh.refresh import RefreshReport, refresh
from indexer.rows.rows import Index


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\n## Summary\n\none\ntwo\n\n## Facts\n- x\n", "one\ntwo"),
        ("# A\n## summary\none\n### More\ntwo\n# B\nthree\n", "one\n### More\ntwo"),
        ("# A\n## Summary\n## Facts\n", ""),
        ("no heading\n", ""),
        ("```\n## Summary\nx\n```\n", ""),
    ],
)
def test_the_summary_is_what_stands_under_its_heading_up_to_the_next_of_that_level(
    text: str, found: str
) -> None:
    assert summary(parse("a.md", text.encode())) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "---\nx: 1\n---\n# A\n**Type:** Person\n\n<!-- x -->\n\n## Facts\n- x\n\n## B\none\ntwo\n\nthree",
            "one\ntwo",
        ),
        ("type:: book\nrating:: 5\n\nText.\n", "Text."),
        ("# A\n", ""),
        ("", ""),
    ],
)
def test_a_note_opens_with_its_first_paragraph_that_is_no_fact_no_property_and_no_comment(
    text: str, found: str
) -> None:
    assert first_paragraph(parse("people/a.md", text.encode())) == found


def test_every_file_and_folder_is_listed_but_gits(tmp_path: Path) -> None:
    for path in ("a.md", "pics/x.png", ".hidden/y.png", ".git/config"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    assert sorted(list_files(str(tmp_path))) == [
        ".hidden/",
        ".hidden/y.png",
        "a.md",
        "pics/",
        "pics/x.png",
    ]


def test_anchors_outside_the_index_are_read_safely(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[[b#bare]] [[b#Gone]]\n")
    (tmp_path / "b.md").write_text('<a name="bare"></a>\n')
    index, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=1_900_000_000.0)
    graph = open_graph(index.db, str(tmp_path), "memory")
    assert [row.exists for row in graph.outgoing("a.md", private=False)] == [True, False]
    (tmp_path / "b.md").unlink()
    later = open_graph(index.db, str(tmp_path), "memory")
    assert [row.exists for row in later.outgoing("a.md", private=False)] == [False, False]
    note = view(parse("a.md", b"# A\n## B\n#t #t\n"), later, private=False)
    assert ([(h.level, h.text, h.line) for h in note.headings], note.tags) == (
        [(1, "A", 1), (2, "B", 2)],
        ("t",),
    )
    facts = parse("a.md", b"# A\n## Facts\n- one\n- two\n  more\n- three\n")
    for place, there in {
        (3, 3): ["one"],
        (5, 6): ["two more", "three"],
        (4, 4): ["two more"],
    }.items():
        assert [fact.text for fact in view(facts, later, private=False, place=place).facts] == there
    told = view(
        parse("a.md", b'---\nup: "[[b|the top]]"\n---\nHello.\n\nMore.\n'), later, private=False
    )
    assert (told.properties, told.opening) == ((("up", "the top"),), "Hello.")
    assert (
        view(parse("a.md", b"Hello.\n\n## Summary\nShort.\n"), later, private=False).opening == ""
    )
    index.close()


def test_the_text_of_a_backlink_is_short_on_one_line_and_steers_no_terminal(
    aurelius: Callable[..., Any], vault: Callable[[str], Path]
) -> None:
    root = vault("empty")
    (root / "kyoto.md").write_text("# Kyoto\n")
    (root / "x.md").write_text(
        "word " * 300 + "then \x1b[31m[[kyoto]]\tthere and \u202eback " + "word " * 300 + "\n"
    )
    told = aurelius("links", "kyoto", cwd=root).out
    assert told.count("\n") == 1
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "[[kyoto]] there and" in told
    assert len(told) < 220
    [row] = json.loads(aurelius("links", "kyoto", "--json", cwd=root).out)["backlinks"]
    assert row["text"].startswith("… ")
    assert "[[kyoto]] there and" in row["text"]
    shown = aurelius("show", "kyoto", cwd=root).out
    assert "\x1b" not in shown
    assert shown.count("[[kyoto]] there and") == 1, "a line that is told as a mention is told once"


def test_links_to_a_name_that_no_note_has_yet_are_shown(
    aurelius: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "a.md").write_text('---\nauthor: "[[Ann Lee]]"\n---\nx\n')
    (tmp_path / "own.md").write_text("---\nprivate: true\n---\nBy [[Ann Lee]] and [[Tom Reed]]\n")
    done = aurelius("links", "ann lee", cwd=tmp_path)
    assert done.code == 0, done
    assert "a.md:2" in done.out
    assert "own.md" not in done.out
    assert "no note is called 'ann lee' yet" in done.err
    assert "no note is called 'Tom Reed'" in aurelius("links", "Tom Reed", cwd=tmp_path).err
    assert aurelius("links", "Tom Reed", cwd=tmp_path).code != 0


NOTES = {
    "people/joe.md": "# Joe\n\n## Facts\n- Rows ^rows01\n- Sails\n",
    "MEMORY.md": "# M\n\nwords\n",
    "private/diary.md": "---\nprivate: true\n---\n# D\n",
    "hidden/a.md": "left out\n",
    ".aureliusignore": "hidden/\n",
    ".aurelius/config.toml": "[search]\nlimit = 5\n[git]\ncommit = true\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def there(root: Path, env: dict[str, str]) -> Iterator[Vault]:
    made = Vault.find(str(root), env, "/", now=datetime.datetime(2026, 2, 10, 12))
    yield made
    made.close()


def told(there: Vault, report: RefreshReport | None = None) -> Status:
    index = there.index()
    return vault_status(there.config, index, report or there.report or RefreshReport())


def test_what_is_in_the_index_is_counted(there: Vault, root: Path) -> None:
    found = told(there)
    assert (found.vault, found.notes, found.facts, found.private) == (str(root), 3, 2, 1)
    assert dict(found.kinds) == {"person": 1, "memory": 1, "note": 1}
    assert found.vault_bytes == sum(
        len(NOTES[path]) for path in ("people/joe.md", "MEMORY.md", "private/diary.md")
    )
    assert found.chunks == found.vectors >= 2
    assert (found.failed, found.differences, found.fresh) == ((), (), True)
    assert found.model
    assert found.schema > 0
    assert found.report is there.report


def test_the_size_of_the_index_is_that_of_all_its_files(there: Vault) -> None:
    found = told(there)
    files = [found.index + end for end in ("", "-wal", "-shm")]
    assert os.path.exists(found.index)
    assert (
        found.index_bytes
        == sum(os.path.getsize(file) for file in files if os.path.exists(file))
        > 0
    )


def test_only_settings_that_somebody_made_are_told_and_those_made_in_vain(there: Vault) -> None:
    found = told(there)
    assert "search.limit" in dict(found.sources)
    assert "search.mode" not in dict(found.sources)
    assert [asked.key for asked in found.in_vain] == ["git.commit"]


def test_what_is_on_the_disk_and_not_so_in_the_index_is_looked_up_now(
    there: Vault, root: Path
) -> None:
    index = there.index()
    (root / "new.md").write_text("# New\n")
    (root / "MEMORY.md").write_text("# M\n\nother words and more of them\n")
    (root / "people/joe.md").unlink()
    (root / "hidden/b.md").write_text("left out\n")
    assert sorted(map(": ".join, differences(there.config, index))) == [
        "MEMORY.md: changed",
        "new.md: not indexed",
        "people/joe.md: gone",
    ]
    found = told(there)
    assert len(found.differences) == 3
    assert not found.fresh


def test_an_index_whose_refresh_was_not_whole_is_not_called_fresh(there: Vault) -> None:
    there.index()
    assert not told(there, RefreshReport(fresh=False)).fresh


def test_a_note_that_could_not_be_read_is_named(
    there: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aurelius.answers.note_view.get_failed", lambda db, *, private: (("a.md", "no"),) * private
    )
    assert told(there).failed == (("a.md", "no"),)


def test_a_note_too_large_to_be_read_as_a_whole_is_named_but_for_a_private_one(
    there: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.reading.blocks.TEXT_LIMIT", 40)
    (root / "large.md").write_text("words\n" * 20)
    (root / "own.md").write_text("---\nprivate: true\n---\n" + "words\n" * 20)
    ((path, reason),) = told(there).in_part
    assert (path, "2 MiB" in reason) == ("large.md", True)


def test_what_is_left_out_by_the_settings_is_no_difference(there: Vault, root: Path) -> None:
    index: Index = there.index()
    config: Config = there.config
    (root / "drafts").mkdir()
    (root / "drafts" / "a.md").write_text("x\n")
    assert list(differences(config, index)) == [("drafts/a.md", "not indexed")]
    assert list(differences(config._replace(exclude=("drafts/",)), index)) == []


EXPORTED = {
    "people/joe.md": (
        "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01, importance 0.9, from memory/a) ^rome01\n"
        "- Likes tea #hot (2026-01-02, preference)\n- [[people/ann]] said so 🍋 (2026-01-03, pinned)\n"
        "## History\n- ~~Lived in Bonn~~ (2020-01-01 → 2026-01-01, superseded by ^rome01) ^bonn01\n"
    ),
    "people/ann.md": "# Ann\n\n## Facts\n- Sails\n",
    "private/diary.md": "---\nprivate: true\n---\n# D\n\n## Facts\n- canary ^can001\n",
    "empty.md": "# Nothing\n",
}


@pytest.fixture
def opened(tmp_path: Path, env: dict[str, str]) -> Iterator[Vault]:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in EXPORTED.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    made = Vault.find(str(root), env, "/", now=datetime.datetime(2026, 2, 10, 12))
    yield made
    made.close()


def test_every_fact_is_a_row_in_order_of_path_and_line(opened: Vault) -> None:
    rows = list(note_view.export_rows(opened, private=False))
    assert all(tuple(row) == note_view.COLUMNS for row in rows)
    assert [(row["path"], row["first"]) for row in rows] == [
        ("people/ann.md", 4),
        ("people/joe.md", 4),
        ("people/joe.md", 5),
        ("people/joe.md", 6),
        ("people/joe.md", 8),
    ]
    rome = rows[1]
    assert (rome["id"], rome["text"], rome["date"], rome["importance"]) == (
        "rome01",
        "Lives in Rome",
        "2026-01-01",
        0.9,
    )
    assert (rome["uses"], rome["last_used"], rome["score"]) == (0, None, 0)
    assert (rows[2]["type"], rows[2]["tags"]) == ("preference", ("hot",))
    assert (rows[4]["status"], rows[4]["until"], rows[4]["superseded_by"]) == (
        "superseded",
        "2026-01-01",
        "rome01",
    )


def test_a_private_fact_is_taken_along_only_where_that_is_said(opened: Vault) -> None:
    assert "can001" not in {row["id"] for row in note_view.export_rows(opened, private=False)}
    assert "can001" in {row["id"] for row in note_view.export_rows(opened, private=True)}
    assert "canary" not in note_view.export_markdown(opened, private=False)
    assert "canary" in note_view.export_markdown(opened, private=True)


def test_uses_are_taken_along(opened: Vault) -> None:
    opened.index()
    usage_log.record_uses(opened, ["rome01"], "get")
    usage_log.move_waiting_uses(opened)
    opened.refresh()
    rome = next(
        row for row in note_view.export_rows(opened, private=False) if row["id"] == "rome01"
    )
    assert (rome["uses"], rome["last_used"]) == (1, "2026-02-10")


def test_markdown_is_a_line_a_fact_under_the_path_of_its_note(opened: Vault) -> None:
    assert note_view.export_markdown(opened, private=False) == (
        "## people/ann.md\n\n- Sails\n\n## people/joe.md\n\n"
        "- Lives in Rome (2026-01-01, importance 0.9, from memory/a) ^rome01\n"
        "- Likes tea #hot (2026-01-02, preference)\n"
        "- [[people/ann]] said so 🍋 (2026-01-03, pinned)\n"
        "- ~~Lived in Bonn~~ (2020-01-01 → 2026-01-01, superseded by ^rome01) ^bonn01\n"
    )


def test_a_line_of_markdown_reads_as_the_same_fact(opened: Vault) -> None:
    part = note_view.export_markdown(opened, private=False).partition("## people/joe.md\n\n")[2]
    read = parse("people/joe.md", f"# Joe\n\n## Facts\n{part}".encode()).facts
    rows = [
        row
        for row in note_view.export_rows(opened, private=False)
        if row["path"] == "people/joe.md"
    ]
    same = (
        "text",
        "type",
        "date",
        "until",
        "importance",
        "pinned",
        "source",
        "superseded_by",
        "tags",
    )
    for fact, row in zip(read, rows, strict=True):
        assert {name: getattr(fact, name) for name in same} == {name: row[name] for name in same}


@pytest.mark.parametrize(
    "line",
    [
        "- Likes tea (2026-01-02, from [[memory/2026-01-01]])",
        "- Likes [[tea]] (2026-01-02, preference, from [[memory/2026-01-01#Morning]], because it was cold)",
        "- Likes tea (2026-01-02, from memory/2026-01-01)",
        "- Likes tea (2026-01-02, from what Ann said)",
        "- Likes [[Ann]] (2026-01-02, from Ann)",
        "- ~~Likes tea~~ (2026-01-02 → 2026-02-01, from [[people/ann|Ann]], superseded by ^rome01)",
        "- Likes tea\n  in a long line (2026-01-02,\n  from [[Ann]])",
    ],
)
def test_where_a_fact_is_from_is_a_link_where_it_was_one(line: str, opened: Vault) -> None:
    Path(opened.root, "people", "ann.md").write_text(
        f"# Ann\n\n## Facts\n{line}\n- [[Ann]], [[people/ann]]\n", "utf-8"
    )
    opened.refresh()
    made = note_view.export_markdown(opened, private=False).split("\n")[2]
    assert made == " ".join(line.split())


def test_sqlite_has_the_same_rows_with_lists_as_json(opened: Vault, tmp_path: Path) -> None:
    file = tmp_path / "facts.db"
    assert note_view.export_sqlite(opened, str(file), private=False) == 5
    db = apsw.Connection(str(file))
    found = [
        dict(zip(note_view.COLUMNS, row, strict=True)) for row in db.execute("SELECT * FROM fact")
    ]
    db.close()
    listed = {"heading", "tags", "related", "unknown"} & set(note_view.COLUMNS)
    for row, wanted in zip(found, note_view.export_rows(opened, private=False), strict=True):
        assert {
            key: tuple(json.loads(value)) if key in listed else value for key, value in row.items()
        } == wanted


def test_a_file_that_is_there_is_not_written_over(opened: Vault, tmp_path: Path) -> None:
    file = tmp_path / "facts.db"
    file.write_text("mine")
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "nowhere")
    for each in (file, link):
        with pytest.raises(UsageError, match="already exists"):
            note_view.export_sqlite(opened, str(each), private=False)
    assert file.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_is_not_there_is_said(opened: Vault, tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="cannot be written") as raised:
        note_view.export_sqlite(opened, str(tmp_path / "none" / "facts.db"), private=False)
    assert raised.value.hint == "choose a file in an existing folder that you can write to"
