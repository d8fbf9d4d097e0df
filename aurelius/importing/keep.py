"""Google Keep: a folder of JSON files, one for each note, as Google Takeout gives it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .import_reader import ImportReader
from .imported import Imported, ImportedFile, ImportedNote, LeftOut
from .note_parts import StableIds, as_tag, as_title, as_typed, attached, digest_of, shown_file
from .shapes import as_dict, as_line, as_list, as_moment, clean_text, dicts
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "Google Keep"
_OWN = re.compile(rb'"(?:isTrashed|userEditedTimestampUsec)"\s*:')
_ANY = re.compile(_OWN.pattern + rb'|"(?:textContent|listContent)"\s*:')
_FLAGS = (("isPinned", "pinned"), ("isArchived", "archived"))
_BESIDE = (".html", ".txt", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".3gp", ".amr", ".m4a")
"""What lies beside the notes and belongs to them."""


def _claims(export: ExportFiles) -> list[SourceFile]:
    """The notes, also those of which only a part is left, then what belongs to them."""
    found = [each for each in export.files if _is_json(each) and _OWN.search(each.head())]
    folders = {_folder(each) for each in found}
    near = [each for each in export.files if _folder(each) in folders]
    found = [each for each in near if _is_json(each) and _ANY.search(each.head())]
    found += [each for each in near if each.name.lower().endswith(_BESIDE)]
    return found


def _is_json(file: SourceFile) -> bool:
    is_named = file.base.lower().endswith(".json")
    return is_named and file.head().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _folder(file: SourceFile) -> str:
    return file.name.rpartition("/")[0]


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    stems = {each.name.rpartition(".")[0]: each for each in files if not _is_json(each)}
    named = {each.name: each for each in files}
    named |= {f"{stem}.": stems[stem] for stem in stems}
    ids = StableIds()
    for file in filter(_is_json, files):
        try:
            note = json.loads(file.text())
        except (*FILE_ERRORS, RecursionError) as error:
            yield unreadable(_TITLE, file.name, error)
            continue
        yield from _one(
            file,
            as_dict(note),
            named,
            ids,
        )


def _one(
    file: SourceFile,
    note: dict[str, Any],
    named: dict[str, SourceFile],
    ids: StableIds,
) -> Iterator[Imported]:
    """A note with its files, or why it is left out."""
    created = as_moment(note.get("createdTimestampUsec"))
    text = _text(note)
    stem = file.base.removesuffix(".json")
    title = as_title(
        note.get("title"),
        *text.split("\n"),
        stem,
    )
    if note.get("isTrashed") is True:
        yield LeftOut(title, "it is in the trash")
        return
    shown = []
    for each in dicts(note.get("attachments")):
        path = as_line(each.get("filePath"))
        found = _attachment(file, path, named)
        if isinstance(found, ImportedFile):
            shown.append(shown_file(found))
        yield found
    labels = [as_tag(each.get("name")) for each in dicts(note.get("labels"))]
    own = title
    if created:
        own = as_line(note.get("createdTimestampUsec"))
    parts = (text, *_links(note), *shown)
    yield ImportedNote(
        id=ids.of(own),
        title=title,
        text="\n\n".join(filter(None, parts)),
        created=created,
        updated=as_moment(note.get("userEditedTimestampUsec")),
        tags=tuple(filter(None, labels)),
        properties=tuple((name, True) for key, name in _FLAGS if note.get(key) is True),
    )


def _text(note: dict[str, Any]) -> str:
    """The text of a note, or its list as tasks."""
    tasks = "\n".join(map(_task, dicts(note.get("listContent"))))
    typed = clean_text(note.get("textContent"))
    text = as_typed(typed.strip("\n"))
    return "\n\n".join(filter(None, (text, tasks)))


def _task(item: dict[str, Any]) -> str:
    box = "x" if item.get("isChecked") is True else " "
    text = as_line(item.get("text"))
    return f"- [{box}] {as_typed(text)}"


def _links(note: dict[str, Any]) -> list[str]:
    """The pages of the web that a note is about, which its text does not name."""
    text = clean_text(note.get("textContent"))
    found = []
    for each in dicts(as_list(note.get("annotations"))):
        address = as_line(each.get("url"))
        is_web = address.startswith(("http://", "https://"))
        if is_web and address not in text:
            title = as_line(each.get("title"))
            words = re.sub(r"[\[\]\\]", " ", title) or address
            found.append(f"[{words}](<{address}>)")
    return found


def _attachment(
    file: SourceFile,
    name: str,
    named: dict[str, SourceFile],
) -> ImportedFile | LeftOut:
    """A file of a note; it may lie there with another ending than the note says."""
    folder = _folder(file)
    place = f"{folder}/{name}".lstrip("/")
    found = named.get(place) or named.get(f"{place.rpartition('.')[0]}.")
    if found is None:
        return LeftOut(name, "the export does not hold this file")
    try:
        with found.open() as stream:
            digest = digest_of(stream)
    except FILE_ERRORS as error:
        return unreadable("an attached file", name, error)
    return attached(found.base, digest, found.whole)


GOOGLE_KEEP = ImportReader("keep", _TITLE, _claims, _read)
