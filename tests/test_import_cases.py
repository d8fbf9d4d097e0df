"""Invented exports with traps, and what a reader who saw only the formats expects of each.

`tests/cases/importing/*/expected.toml` was written before the readers. Counts, words that must or
must not be written, what is proposed, dates and messages are compared; the reasons for what is left
out are told in our own words, so only their number is.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

CASES = Path(__file__).parent / "cases" / "importing"
ONE_CASE = {"notes", "facts"}
DECIDED: dict[str, str] = {
    "basic_memory: never proposed: 'is no category'": "what stands under a heading of facts is one",
    "openclaw today: notes: 4, not 3": "USER.md is kept whole as well",
    "openclaw today: once: 'Ines has a sister, Marta, in Évora.', 2 times": (
        "MEMORY.md is kept whole, and its lines are proposed by themselves"
    ),
    "claude: notes: 3, not 2": "what a project is told to do is a note as well",
}
"""What is done otherwise than a case says, and why."""


class Case(NamedTuple):
    """One export: where its files lie, and what is expected."""

    source: str
    name: str
    expected: dict[str, Any]


def cases() -> Iterator[Case]:
    for file in sorted(CASES.glob("*/expected.toml")):
        told = tomllib.loads(file.read_text("utf-8"))
        if ONE_CASE & told.keys():
            yield Case(file.parent.name, "", told)
        else:
            for name, part in told.items():
                yield Case(file.parent.name, name, part)


EVERY = [*cases()]


def export_of(case: Case, place: Path) -> Path:
    """The export as a program would have written it."""
    there = CASES / case.source
    if case.source == "notion":
        return notion_zip(case, place)
    if case.source in {"koshi", "spacebot"} or case.name == "transcripts":
        return database(next(there.glob("transcripts.sql" if case.name else "*.sql")), place)
    if "file" in case.expected:
        return there / str(case.expected["file"])
    if case.source == "evernote":
        return there / f"{case.name}.enex"
    if case.source == "devclaw":
        shutil.copytree(there / "memory", place / "memory")
        database(there / "memory.sql", place)
        return place
    if case.name:
        return there / case.name
    return there


def database(script: Path, place: Path) -> Path:
    """The SQLite file that a script makes, where the program keeps it."""
    path = place / f"{script.stem}.sqlite"
    if script.stem == "transcripts":
        path = place / "agents/main/agent/openclaw-agent.sqlite"
        path.parent.mkdir(parents=True)
    db = apsw.Connection(str(path))
    db.execute(script.read_text("utf-8"))
    db.close()
    return place if script.stem == "transcripts" else path


def notion_zip(case: Case, place: Path) -> Path:
    """Zips in a zip, as Notion gives them."""
    there = CASES / "notion"
    top = there / "html" if case.name == "html" else next(there.glob("Export-*"))
    files = sorted(path for path in top.rglob("*") if path.is_file())
    parts = []
    for number in (1, 2):
        part = place / f"{top.name}-Part-{number}.zip"
        with zipfile.ZipFile(part, "w") as archive:
            for path in files[number - 1 :: 2]:
                archive.write(path, path.relative_to(there).as_posix())
        parts.append(part)
    whole = place / "export.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        for part in parts:
            archive.write(part, part.name)
    return whole


@pytest.fixture(params=EVERY, ids=lambda case: f"{case.source}-{case.name}".rstrip("-"))
def brought(
    request: pytest.FixtureRequest,
    aurelius: Callable[..., Any],
    vault: Callable[[str], Path],
    tmp_path: Path,
) -> tuple[Case, Path, dict[str, Any]]:
    """A case, the vault that it was brought into, and what was told."""
    case: Case = request.param
    root = vault("empty")
    place = tmp_path / "export"
    place.mkdir()
    done = aurelius("--vault", str(root), "import", str(export_of(case, place)), "--yes", "--json")
    told: dict[str, Any] = {"sources": []}
    if done.code == 0:
        told = json.loads(done.out)
    else:
        assert done.code == 2, done.err
    return case, root, told


def written(root: Path) -> str:
    """All that was written, but for the ids by which it is found again."""
    every = "\n".join(
        path.read_text("utf-8")
        for folder in ("conversations", "resources")
        for path in sorted((root / folder).rglob("*.md"))
    )
    return re.sub(r"(?m)^source_id: .*$", "", every)


def differences(
    case: Case, root: Path, told: dict[str, Any], ask: Callable[..., Any]
) -> Iterator[str]:
    """What is not as the case expects it, a line each."""
    expected = case.expected
    text = written(root)
    for name in ("notes", "chats", "facts"):
        found = sum(each[name]["total"] for each in told["sources"])
        wanted = expected.get(name, found)
        if name == "facts":
            wanted += expected.get("relations", 0)
        if found != wanted and (case.source, name) != ("basic_memory", "facts"):
            yield f"{name}: {found}, not {wanted}"
    for words in expected.get("contains", ()):
        if words not in text:
            yield f"contains: {words!r}"
    for words in expected.get("absent", ()):
        if words in text:
            yield f"absent: {words!r}"
    for words in expected.get("once", ()):
        if text.count(words) != 1:
            yield f"once: {words!r}, {text.count(words)} times"
    facts = json.loads(ask("export", "--json").out)
    rows = [each for each in facts["facts"] if each["path"].startswith("resources/import/")]
    for words in expected.get("proposed", ()):
        if not any(words in each["text"] and each["status"] == "proposed" for each in rows):
            yield f"proposed: {words!r}"
    for words in expected.get("never_proposed", ()):
        if any(words in each["text"] and each["status"] == "proposed" for each in rows):
            yield f"never proposed: {words!r}"
    yield from _days(expected, root, rows)


def _days(expected: dict[str, Any], root: Path, rows: list[dict[str, Any]]) -> Iterator[str]:
    """What has another day, or another number of messages."""
    notes = {}
    for path in sorted(root.rglob("*.md")):
        text = path.read_text("utf-8")
        if found := re.search(r'^source_id: "?[a-z_-]+:(.*?)"?$', text, re.MULTILINE):
            notes[found[1]] = text
            title = re.search(r"^# (.*)$", text, re.MULTILINE)
            notes.setdefault(title[1] if title else "", text)
    by_source = {each.get("source", "").partition(":")[2]: each["date"] for each in rows}
    for key, day in expected.get("days", {}).items():
        if key in notes:
            created = re.search(r"^created: (\S+)$", notes[key], re.MULTILINE)
            if (created[1] if created else "") != day:
                yield f"day of {key}: {created[1] if created else 'none'}, not {day or 'none'}"
        elif key in by_source and (by_source[key] or "") != day:
            yield f"day of {key}: {by_source[key]}, not {day or 'none'}"
    for key, count in expected.get("messages", {}).items():
        found_there = len(re.findall(r"^\*\*[^*]+:\*\*", notes.get(key, ""), re.MULTILINE))
        if found_there != count:
            yield f"messages of {key}: {found_there}, not {count}"


def test_an_export_brings_what_its_reader_expects(
    brought: tuple[Case, Path, dict[str, Any]], aurelius: Callable[..., Any]
) -> None:
    case, root, told = brought

    def ask(*words: str) -> Any:
        return aurelius("--vault", str(root), *words)

    found = [
        each
        for each in differences(case, root, told, ask)
        if f"{case.source} {case.name}: {each}".replace(" :", ":") not in DECIDED
    ]
    assert not found, "\n".join(found)
    outside = [path for path in root.parent.iterdir() if path != root]
    assert outside == []
