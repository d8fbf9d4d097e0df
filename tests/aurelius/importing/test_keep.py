from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aurelius.importing.imported import Imported, ImportedFile, ImportedNote, LeftOut
from aurelius.importing.keep import GOOGLE_KEEP
from aurelius.importing.source_files import ExportFiles

NOTE = {
    "color": "BLUE",
    "isTrashed": False,
    "isPinned": True,
    "isArchived": True,
    "textContent": "Line one\n\n<b>two</b>",
    "title": "A\nnote",
    "userEditedTimestampUsec": 1690866236591000,
    "createdTimestampUsec": 1690514572858000,
    "labels": [{"name": "home"}, {"name": ""}, 7],
    "annotations": [
        {"source": "WEBLINK", "title": "A [page]", "url": "https://example.org/a (b)"},
        {"source": "WEBLINK", "title": "x", "url": "javascript:alert(1)"},
    ],
}


def read(folder: Path, **notes: Any) -> list[Imported]:
    place = folder / "Takeout" / "Keep"
    place.mkdir(parents=True, exist_ok=True)
    for name, note in notes.items():
        data = note if isinstance(note, str) else json.dumps(note)
        (place / f"{name}.json").write_text(data)
        (place / f"{name}.html").write_text("<html>the same</html>")
    with ExportFiles(str(folder)) as export:
        return list(GOOGLE_KEEP.read(export, GOOGLE_KEEP.claims(export)))


def one(folder: Path, **changes: Any) -> ImportedNote:
    (found,) = (each for each in read(folder, a=NOTE | changes) if isinstance(each, ImportedNote))
    return found


def test_a_note_with_all_it_has(tmp_path: Path) -> None:
    note = one(tmp_path)
    assert note.title == "A note"
    assert note.text == "Line one\n\n\\<b>two\\</b>\n\n[A  page ](<https://example.org/a (b)>)"
    assert (note.created, note.updated) == ("2023-07-28T03:22:52Z", "2023-08-01T05:03:56Z")
    assert note.tags == ("home",)
    assert note.properties == (("pinned", True), ("archived", True))


def test_a_list_is_tasks(tmp_path: Path) -> None:
    items = [{"text": "milk", "isChecked": True}, {"text": "two\nlines", "isChecked": False}, 3]
    note = one(tmp_path, listContent=items, textContent="", annotations=[])
    assert note.text == "- [x] milk\n- [ ] two lines"


def test_what_is_typed_stays_text(tmp_path: Path) -> None:
    typed = "# a\n- [ ] b\n1. c\n> d\n```\n*e* 2*3 f_g [[h]] \\* &lt; C# a-b\n---"
    shown = "\\# a\n\\- [ ] b\n1\\. c\n\\> d\n\\`\\`\\`\n\\*e\\* 2\\*3 f_g \\[[h]] \\\\* \\&lt; C# a-b\n\\---"
    assert one(tmp_path, textContent=typed, annotations=[]).text == shown


def test_a_note_without_a_title_has_its_first_words(tmp_path: Path) -> None:
    assert one(tmp_path, title="").title == "Line one"
    assert one(tmp_path, title="", textContent="").title == "a"


def test_what_is_in_the_trash_stays_there(tmp_path: Path) -> None:
    assert read(tmp_path, a=NOTE | {"isTrashed": True}) == [LeftOut("A note", "it is in the trash")]


def test_a_picture_is_found_under_its_other_ending(tmp_path: Path) -> None:
    place = tmp_path / "Takeout" / "Keep"
    place.mkdir(parents=True)
    (place / "a b.1.jpg").write_bytes(b"\xff\xd8 picture")
    shown = [{"filePath": "a b.1.jpeg", "mimetype": "image/jpeg"}, {"filePath": "../../x.png"}]
    file, missing, note = read(tmp_path, a=NOTE | {"attachments": shown})
    assert isinstance(file, ImportedFile)
    assert file.name.startswith("a-b-1-")
    assert file.opened() == b"\xff\xd8 picture"
    assert missing == LeftOut("../../x.png", "the export does not hold this file")
    assert isinstance(note, ImportedNote)
    assert note.text.endswith(f"![{file.name}](attachments/{file.name})")


def test_broken_files_leave_the_others(tmp_path: Path) -> None:
    broken = json.dumps(NOTE)[:-1]
    deep = '{"isTrashed": ' + "[" * 200_000
    found = read(tmp_path, a=broken, b=deep, c=NOTE, d={"isTrashed": {}, "title": [], "labels": 1})
    kinds = [type(each).__name__ for each in found]
    assert kinds == ["LeftOut", "LeftOut", "ImportedNote", "ImportedNote"]


def test_an_id_follows_from_when_it_was_made(tmp_path: Path) -> None:
    first = one(tmp_path)
    assert one(tmp_path, title="Other", textContent="new").id == first.id
    assert one(tmp_path, createdTimestampUsec=1).id != first.id


def test_other_json_is_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"title": "x"}')
    (tmp_path / "b.json").write_text('[{"isTrashed": 1}]')
    with ExportFiles(str(tmp_path)) as export:
        assert GOOGLE_KEEP.claims(export) == []
