"""An export comes into the vault once, whole, undoable, and its facts wait for a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from aurelius.importing import write_import
from aurelius.importing.import_reader import ImportReader
from aurelius.importing.imported import (
    Imported,
    ImportedChat,
    ImportedFact,
    ImportedFile,
    ImportedMessage,
    ImportedNote,
    LeftOut,
)
from aurelius.importing.source_files import ExportFiles, SourceFile

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

KEY = "sk-ant-api03-" + "a1B2" * 12
MEMORIES = "resources/import/other/memories.md"
CHAT = ImportedChat(
    "c1",
    "Trip to Rome",
    "2024-03-01T10:00:00Z",
    "2024-03-02T10:00:00Z",
    (
        ImportedMessage("You", "2024-03-01T10:00:00Z", f"The key is\n{KEY}\nwill Joe come?"),
        ImportedMessage("Other", "2024-03-01T10:00:05Z", "- Lives in Rome\n```\n<!-- open"),
        ImportedMessage("You", "2024-03-01T10:00:09Z", "Fine. %% is a mark ^abc123"),
    ),
)
NOTE = ImportedNote(
    "n1", "Note: one/two", "![a](attachments/a.png)", "2023-01-01", folder="Book", tags=("x", "y z")
)
FACTS = (
    ImportedFact("m1", "Lives in Paris", "2024-01-01", subject="Joe", score=6),
    ImportedFact("m2", "Likes tea", type="preference"),
    ImportedFact("m3", "Lived in Rome", "2020-01-01", is_past=True),
    ImportedFact("m4", "Always answer in French", "2024-05-01", type="instruction", importance=0.9),
    ImportedFact("m5", f"The key is {KEY}", "2024-05-01"),
)
EVERYTHING: tuple[Imported, ...] = (
    CHAT,
    NOTE,
    ImportedFile("a.png", "d", lambda: b"\x89PNG"),
    *FACTS,
    LeftOut("a tool", "no talk"),
)


class Source:
    """A program that keeps what a test says."""

    def __init__(self) -> None:
        self.things: Sequence[Imported] = EVERYTHING

    def read(self, export: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
        return iter(self.things)


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Source:
    (tmp_path / "export.json").write_text("{}")
    made = Source()
    reader = ImportReader("other", "Other", lambda export: export.files, made.read)
    monkeypatch.setattr(write_import, "import_readers", lambda: (reader,))
    return made


@pytest.fixture
def root(vault: Vaults) -> Path:
    root = vault("empty")
    (root / "people").mkdir()
    (root / "people/joe.md").write_text("# Joe\n\n## Facts\n- Has a boat (2025-03-01) ^boat01\n")
    return root


@pytest.fixture
def ask(aurelius: Aurelius, root: Path) -> Aurelius:
    def run(*argv: object) -> Any:
        return aurelius("--vault", *map(str, (root, *argv)))

    return run


@pytest.fixture
def bring(ask: Aurelius, source: Source, tmp_path: Path) -> Callable[..., Any]:
    def run(*options: str) -> Any:
        return ask("import", tmp_path / "export.json", *options)

    return run


def tree(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".aurelius" not in path.parts
    }


def test_a_dry_run_counts_and_writes_nothing(bring: Callable[..., Any], root: Path) -> None:
    before = tree(root)
    done = bring("--dry-run")
    assert "1 conversation, 2024-03-01 (1 new)" in done.out
    assert "4 facts to review, 2020-01-01 to 2024-05-01 (4 new)" in done.out
    assert "names Joe (2)" in done.out
    assert "2 lines left out that look like secrets" in done.out
    assert "left out: 1: no talk (a tool)" in done.out
    assert tree(root) == before


def test_nothing_is_written_unasked(bring: Callable[..., Any], root: Path) -> None:
    before = tree(root)
    done = bring()
    assert done.code == 1
    assert "--yes" in done.err
    assert tree(root) == before
    assert bring("--json").code == 2


def test_each_thing_comes_with_its_date_and_source(bring: Callable[..., Any], root: Path) -> None:
    assert bring("--yes").code == 0
    chat = (root / "conversations/other/2024-03-01 Trip to Rome.md").read_text()
    assert "**You (2024-03-01 10:00):** The key is\n(left out: it looks like a secret)" in chat
    assert KEY not in chat
    note = (root / "resources/import/other/Book/Note one two.md").read_text()
    assert 'source_id: "other:n1"' in note
    assert "![a](../attachments/a.png)" in note
    assert (root / "resources/import/other/attachments/a.png").read_bytes() == b"\x89PNG"
    facts = (root / MEMORIES).read_text()
    assert "- Joe: Lives in Paris (2024-01-01, from other:m1) ^" in facts
    assert facts.index("- ~~Lived in Rome~~ (2020-01-01, from other:m3)") > facts.index("History")


def test_no_message_hides_what_is_said_after_it(
    bring: Callable[..., Any], root: Path, ask: Aurelius
) -> None:
    bring("--yes")
    chat = (root / "conversations/other/2024-03-01 Trip to Rome.md").read_text()
    assert "```\n<!-- open\n```\n\n**You" in chat
    found = ask("search", "mark", "--in", "conversations", "--json")
    assert "is a mark" in found.out
    kept = ask("doctor")
    assert "abc123" not in kept.out


def test_a_second_run_changes_no_byte(bring: Callable[..., Any], root: Path) -> None:
    bring("--yes")
    before = tree(root)
    done = bring("--yes")
    assert "nothing new" in done.err
    assert "1 there already" in done.out
    assert tree(root) == before


def test_a_moved_note_is_known_again(bring: Callable[..., Any], root: Path, ask: Aurelius) -> None:
    bring("--yes")
    assert ask("move", "Note one two", "projects/").code == 0
    before = tree(root)
    bring("--yes")
    assert tree(root) == before


def test_a_newer_export_brings_what_is_newer(
    bring: Callable[..., Any], root: Path, source: Source
) -> None:
    bring("--yes")
    more = ImportedMessage("You", "2024-03-05T10:00:00Z", "One more thing")
    source.things = (
        CHAT._replace(messages=(*CHAT.messages, more)),
        NOTE,
        FACTS[0]._replace(text="Lives in Lyon"),
        *FACTS[1:],
    )
    done = bring("--yes")
    assert "1 updated" in done.out
    assert "One more thing" in (root / "conversations/other/2024-03-01 Trip to Rome.md").read_text()
    facts = (root / MEMORIES).read_text()
    assert "Joe: Lives in Lyon (2024-01-01, from other:m1)" in facts
    assert "Paris" not in facts


def test_what_a_person_changed_stays(bring: Callable[..., Any], root: Path, source: Source) -> None:
    bring("--yes")
    path = root / "resources/import/other/Book/Note one two.md"
    path.write_text(path.read_text() + "\nMy own words.\n")
    source.things = (NOTE._replace(text="newer"),)
    before = tree(root)
    assert "1 changed by you" in bring("--yes").out
    assert tree(root) == before


def test_one_undo_takes_all_of_it_back(
    bring: Callable[..., Any],
    root: Path,
    ask: Aurelius,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(write_import, "_BATCH_EDITS", 1)
    before = tree(root)
    bring("--yes")
    listed = ask("undo", "--list", "--json")
    assert len(json.loads(listed.out)["changes"]) == 1
    assert ask("undo").code == 0
    assert tree(root) == before
    assert not (root / "conversations").exists()
    assert ask("undo").code == 5


def test_no_agent_is_told_a_fact_before_it_is_accepted(
    bring: Callable[..., Any], root: Path, ask: Aurelius
) -> None:
    bring("--yes")
    for line in (
        ("context", "where does Joe live, tea, French"),
        ("context",),
        ("recall", "where does Joe live"),
        ("show", "joe"),
    ):
        told = ask(*line).out
        assert "Paris" not in told or "proposed" in told
        assert "French" not in told or "proposed" in told
    hit = json.loads(ask("search", "Lives in Paris", "--json").out)["hits"][0]
    assert hit["status"] == "proposed"


def test_an_accepted_fact_goes_to_its_page(
    bring: Callable[..., Any], root: Path, ask: Aurelius
) -> None:
    bring("--yes")
    assert ask("review", "accept", "--all").code in {0, 5}
    assert "Paris" not in (root / "people/joe.md").read_text()
    done = ask("review", "accept", "--all-of", MEMORIES)
    assert done.code == 0
    assert (
        "- Joe: Lives in Paris (2024-01-01, from other:m1)" in (root / "people/joe.md").read_text()
    )
    assert "Likes tea" in (root / "resources/other.md").read_text()
    before = tree(root)
    bring("--yes")
    assert tree(root) == before


def test_a_refused_fact_is_not_asked_again(
    bring: Callable[..., Any], root: Path, ask: Aurelius
) -> None:
    bring("--yes")
    assert ask("review", "dismiss", "--all-of", MEMORIES).code == 0
    bring("--yes")
    assert json.loads(ask("review", "--json").out)["counts"] == {}


def test_an_imported_note_takes_no_name_from_a_page(
    bring: Callable[..., Any], root: Path, source: Source, ask: Aurelius
) -> None:
    source.things = (NOTE._replace(title="Joe"),)
    bring("--yes")
    assert ask("show", "Joe").out.startswith("Joe  people/joe.md")


def test_a_fact_of_use_ranks_higher(bring: Callable[..., Any], root: Path, ask: Aurelius) -> None:
    bring("--yes")
    log = "".join(path.read_text() for path in root.rglob(".aurelius/log/*/*.jsonl"))
    assert '"op":"reinforce"' in log
    assert '"by":6' in log


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing.zip", None, "there is no such file or folder"),
        ("plain.txt", b"hello", "no program is known"),
        ("broken.zip", b"PK\x03\x04 and no more", "damaged"),
    ],
)
def test_what_is_no_export_is_told_in_one_line(
    ask: Aurelius, root: Path, tmp_path: Path, name: str, data: bytes | None, words: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    done = ask("import", tmp_path / name)
    assert done.code == 2
    assert words in done.err


def test_the_undo_of_a_large_import_is_no_loss_to_be_confirmed(
    bring: Callable[..., Any], ask: Aurelius, source: Source
) -> None:
    source.things = [NOTE._replace(id=f"n{at}", title=f"Note {at}") for at in range(40)]
    bring("--yes")
    ask("search", "anything")
    assert ask("undo").code == 0
    assert "missing" not in ask("search", "anything").err


def test_an_export_without_anything_to_import_says_so(
    bring: Callable[..., Any], source: Source
) -> None:
    source.things = (LeftOut("a", "it is empty"),)
    assert "there is nothing in it to import" in bring("--yes").err


def test_many_facts_can_be_accepted_at_once(
    bring: Callable[..., Any], root: Path, source: Source, ask: Aurelius
) -> None:
    source.things = [
        ImportedFact(f"m{at}", f"Has been to town number {at}", "2024-01-01") for at in range(40)
    ]
    bring("--yes")
    assert ask("review", "accept", "--all-of", MEMORIES).code == 0
    assert (root / "resources/other.md").read_text().count("Has been to town") == 40
