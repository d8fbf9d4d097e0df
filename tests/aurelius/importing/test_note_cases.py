"""Invented exports with their traps are read as their `expected.toml` says."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from aurelius.importing.evernote import EVERNOTE
from aurelius.importing.import_reader import ImportReader
from aurelius.importing.imported import ImportedFile, ImportedNote, LeftOut
from aurelius.importing.keep import GOOGLE_KEEP
from aurelius.importing.notion import NOTION
from aurelius.importing.roam import ROAM
from aurelius.importing.source_files import ExportFiles

CASES = Path(__file__).parents[2] / "cases" / "importing"


def packed_parts(folder: Path, to: Path) -> Path:
    """Half of an export in one zip, half in another, both in a third."""
    files = sorted(path for path in folder.glob("Export-*/**/*") if path.is_file())
    parts = [to / "Export-x-Part-1.zip", to / "Export-x-Part-2.zip"]
    for number, part in enumerate(parts):
        with zipfile.ZipFile(part, "w") as archive:
            for path in files[number::2]:
                archive.write(path, path.relative_to(folder))
    with zipfile.ZipFile(to / "export.zip", "w") as archive:
        for part in parts:
            archive.write(part, part.name)
    return to / "export.zip"


@pytest.mark.parametrize(
    ("reader", "name", "inside"),
    [
        (EVERNOTE, "allotment", "allotment.enex"),
        (EVERNOTE, "bomb", "bomb.enex"),
        (EVERNOTE, "cut", "cut.enex"),
        (GOOGLE_KEEP, "", "Takeout"),
        (ROAM, "", "graph.json"),
        (NOTION, "html", "html"),
        (NOTION, "markdown", ""),
    ],
)
def test_an_export(reader: ImportReader, name: str, inside: str, tmp_path: Path) -> None:
    folder = CASES / reader.source
    told = tomllib.loads((folder / "expected.toml").read_text())
    told = told[name] if name else told
    place = folder / inside if inside else packed_parts(folder, tmp_path)
    with ExportFiles(str(place)) as export:
        found = list(reader.read(export, reader.claims(export)))
        again = list(reader.read(export, reader.claims(export)))
        files = {each.name: each.opened() for each in found if isinstance(each, ImportedFile)}
    assert [each[:2] for each in again] == [each[:2] for each in found]
    notes = [each for each in found if isinstance(each, ImportedNote)]
    assert len(notes) == told.get("notes")
    assert len(files) == told.get("attachments", 0)
    assert len({each.id for each in notes}) == len(notes)
    text = "\n".join(f"{each.title}\n{each.text}\n{each.properties}" for each in notes)
    for words in told.get("contains", ()):
        assert words in text
    for words in told.get("absent", ()):
        assert words not in text
    about_notes(notes, told)
    left = [each for each in found if isinstance(each, LeftOut)]
    assert len(left) >= len(told.get("skipped", ())) + len(told.get("told", ())) * (
        reader is not EVERNOTE
    )
    assert all(each.name and each.why for each in left)


def about_notes(notes: list[ImportedNote], told: dict[str, Any]) -> None:
    by_title = {each.title: each for each in notes}
    if "titles" in told:
        assert sorted(told["titles"]) == sorted(each.title for each in notes)
    for title, day in told.get("days", {}).items():
        assert by_title[title].created[:10] == day
    for title, day in told.get("updated", {}).items():
        assert by_title[title].updated[:10] == day
    for title, tags in told.get("tags", {}).items():
        assert list(by_title[title].tags) == tags
    for title, links in told.get("links", {}).items():
        for link in [links] if isinstance(links, str) else links:
            assert f"[[{link.replace('%', '')}]]" in by_title[title].text
    for title, count in told.get("rows", {}).items():
        assert by_title[title].text.count("\n") == count + 1
    for title in told.get("archived", ()):
        assert ("archived", True) in by_title[title].properties
