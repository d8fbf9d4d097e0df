"""All facts, taken along: the same ones in each of the three forms, and no file written over."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from aurelius.ageing import usage_log
from aurelius.answers import export
from aurelius.vault import Vault
from indexer.errors import ConflictError, UsageError
from indexer.reading.parse import parse

NOTES = {
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
def vault(tmp_path: Path, env: dict[str, str]) -> Iterator[Vault]:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8")
    made = Vault.find(str(root), env, "/", now=datetime.datetime(2026, 2, 10, 12))
    yield made
    made.close()


def test_every_fact_is_a_row_in_order_of_path_and_line(vault: Vault) -> None:
    rows = list(export.rows(vault, private=False))
    assert all(tuple(row) == export.COLUMNS for row in rows)
    assert [(row["path"], row["first"]) for row in rows] == [
        ("people/ann.md", 4), ("people/joe.md", 4), ("people/joe.md", 5), ("people/joe.md", 6), ("people/joe.md", 8),
    ]  # fmt: skip
    rome = rows[1]
    assert (rome["id"], rome["text"], rome["date"], rome["importance"]) == (
        "rome01",
        "Lives in Rome",
        "2026-01-01",
        0.9,
    )
    assert (rome["uses"], rome["last_used"], rome["score"]) == (0, None, 0)
    assert (rows[2]["type"], rows[2]["tags"]) == ("preference", ("hot",))
    assert (rows[4]["status"], rows[4]["until"], rows[4]["superseded_by"]) == ("superseded", "2026-01-01", "rome01")


def test_a_private_fact_is_taken_along_only_where_that_is_said(vault: Vault) -> None:
    assert "can001" not in {row["id"] for row in export.rows(vault, private=False)}
    assert "can001" in {row["id"] for row in export.rows(vault, private=True)}
    assert "canary" not in export.markdown(vault, private=False)
    assert "canary" in export.markdown(vault, private=True)


def test_uses_are_taken_along(vault: Vault) -> None:
    vault.index()
    usage_log.use(vault, ["rome01"], "get")
    usage_log.move(vault)
    vault.refresh()
    rome = next(row for row in export.rows(vault, private=False) if row["id"] == "rome01")
    assert (rome["uses"], rome["last_used"]) == (1, "2026-02-10")


def test_markdown_is_a_line_a_fact_under_the_path_of_its_note(vault: Vault) -> None:
    assert export.markdown(vault, private=False) == (
        "## people/ann.md\n\n- Sails\n\n## people/joe.md\n\n"
        "- Lives in Rome (2026-01-01, importance 0.9, from memory/a) ^rome01\n"
        "- Likes tea #hot (2026-01-02, preference)\n"
        "- [[people/ann]] said so 🍋 (2026-01-03, pinned)\n"
        "- ~~Lived in Bonn~~ (2020-01-01 → 2026-01-01, superseded by ^rome01) ^bonn01\n"
    )


def test_a_line_of_markdown_reads_as_the_same_fact(vault: Vault) -> None:
    part = export.markdown(vault, private=False).partition("## people/joe.md\n\n")[2]
    read = parse("people/joe.md", f"# Joe\n\n## Facts\n{part}".encode()).facts
    rows = [row for row in export.rows(vault, private=False) if row["path"] == "people/joe.md"]
    same = ("text", "type", "date", "until", "importance", "pinned", "source", "superseded_by", "tags")
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
def test_where_a_fact_is_from_is_a_link_where_it_was_one(line: str, vault: Vault) -> None:
    Path(vault.root, "people", "ann.md").write_text(f"# Ann\n\n## Facts\n{line}\n- [[Ann]], [[people/ann]]\n", "utf-8")
    vault.refresh()
    made = export.markdown(vault, private=False).split("\n")[2]
    assert made == " ".join(line.split())


def test_sqlite_has_the_same_rows_with_lists_as_json(vault: Vault, tmp_path: Path) -> None:
    file = tmp_path / "facts.db"
    assert export.sqlite(vault, str(file), private=False) == 5
    db = apsw.Connection(str(file))
    found = [dict(zip(export.COLUMNS, row, strict=True)) for row in db.execute("SELECT * FROM fact")]
    db.close()
    listed = {"heading", "tags", "related", "unknown"} & set(export.COLUMNS)
    for row, wanted in zip(found, export.rows(vault, private=False), strict=True):
        assert {key: tuple(json.loads(value)) if key in listed else value for key, value in row.items()} == wanted


def test_a_file_that_is_there_is_not_written_over(vault: Vault, tmp_path: Path) -> None:
    file = tmp_path / "facts.db"
    file.write_text("mine")
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "nowhere")
    for each in (file, link):
        with pytest.raises(UsageError, match="already exists"):
            export.sqlite(vault, str(each), private=False)
    assert file.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_is_not_there_is_said(vault: Vault, tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="cannot be written") as raised:
        export.sqlite(vault, str(tmp_path / "none" / "facts.db"), private=False)
    assert raised.value.hint == "choose a file in an existing folder that you can write to"
