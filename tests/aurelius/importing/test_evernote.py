from __future__ import annotations

import base64
import hashlib
import random
import time
import tracemalloc
from pathlib import Path

import pytest

from aurelius.importing.evernote import EVERNOTE
from aurelius.importing.imported import Imported, ImportedFile, ImportedNote, LeftOut
from aurelius.importing.source_files import ExportFiles

PICTURE = b"\x89PNG picture " * 9000
MD5 = hashlib.md5(PICTURE).hexdigest()
TOP = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n<en-export>\n'
END = "</en-export>"


def note(title: str, body: str, more: str = "") -> str:
    return (
        f"<note><title>{title}</title><content><![CDATA[<!DOCTYPE en-note SYSTEM 'http://x'>"
        f"<en-note>{body}</en-note>]]></content><created>20240311T081500Z</created>{more}</note>\n"
    )


def resource(data: bytes, name: str, kind: str = "image/png") -> str:
    written = base64.encodebytes(data).decode()
    told = (
        f"<resource-attributes><file-name>{name}</file-name></resource-attributes>" if name else ""
    )
    return (
        f'<resource><data encoding="base64">\n{written}</data><mime>{kind}</mime>{told}</resource>'
    )


def read(folder: Path, text: str | bytes, name: str = "Book.enex") -> list[Imported]:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode() if isinstance(text, str) else text)
    with ExportFiles(str(place)) as export:
        return list(EVERNOTE.read(export, EVERNOTE.claims(export)))


def notes(found: list[Imported]) -> list[ImportedNote]:
    return [each for each in found if isinstance(each, ImportedNote)]


def test_a_note_with_all_it_has(tmp_path: Path) -> None:
    more = (
        "<updated>20250620T190000Z</updated><tag>garden plot</tag><tag>b</tag>"
        "<note-attributes><source-url>https://example.org/a</source-url></note-attributes>"
    )
    (found,) = notes(read(tmp_path, TOP + note("Plot &amp; shed", "<div>x</div>", more) + END))
    assert found[1:3] == ("Plot & shed", "x")
    assert (found.created, found.updated) == ("2024-03-11T08:15:00Z", "2025-06-20T19:00:00Z")
    assert (found.folder, found.tags) == ("Book", ("garden-plot", "b"))
    assert found.properties == (("url", "https://example.org/a"),)


def test_a_picture_is_found_by_its_hash_and_read_again(tmp_path: Path) -> None:
    body = f'a <en-media type="image/png" hash="{MD5.upper()}"/> b <en-media hash="00"/>'
    file, why, found = read(tmp_path, TOP + note("P", body, resource(PICTURE, "../x y.png")) + END)
    assert isinstance(file, ImportedFile)
    assert file.opened() == PICTURE
    assert file.digest == hashlib.sha256(PICTURE).hexdigest()
    assert "/" not in file.name
    assert why == LeftOut("P", "the export does not hold a file of it")
    assert isinstance(found, ImportedNote)
    assert found.text.startswith(f"a ![{file.name}](attachments/{file.name}) b (a file")


def test_a_file_that_stands_nowhere_is_shown_at_the_end(tmp_path: Path) -> None:
    file, found = read(
        tmp_path, TOP + note("P", "a", resource(b"%PDF", "", "application/pdf")) + END
    )
    assert isinstance(file, ImportedFile)
    assert file.name.endswith(".pdf")
    assert isinstance(found, ImportedNote)
    assert found.text == f"a\n\n![{file.name}](attachments/{file.name})"


def test_a_picture_in_its_own_address_is_a_file(tmp_path: Path) -> None:
    written = base64.b64encode(PICTURE).decode()
    body = f'<img src="data:image/png;base64,{written}"/><img src="data:image/svg+xml,%3Csvg/%3E"/>'
    first, second, found = read(tmp_path, TOP + note("P", body) + END)
    assert isinstance(first, ImportedFile)
    assert first.opened() == PICTURE
    assert isinstance(second, ImportedFile)
    assert (second.name[-4:], second.opened()) == (".svg", b"<svg/>")
    assert isinstance(found, ImportedNote)
    assert found.text == "".join(
        f"![{each.name}](attachments/{each.name})" for each in (first, second)
    )


def test_boxes_tasks_code_links_and_what_is_encrypted(tmp_path: Path) -> None:
    body = (
        '<div><en-todo checked="true"/>Buy</div>'
        '<div style="--en-task-group:true; --en-id:g-1;"></div>'
        '<div style="-en-codeblock:true;"><div>x = 1</div><div><br/></div><div>&nbsp; y</div></div>'
        '<a href="evernote:///view/1/s1/a/a/">Plot [14]_x</a> <en-crypt cipher="AES">U2Vj</en-crypt>'
    )
    tasks = (
        "<task><title>Call *me*</title><taskStatus>completed</taskStatus>"
        "<taskGroupNoteLevelID>g-1</taskGroupNoteLevelID><dueDate>20240401T000000Z</dueDate></task>"
        "<task><title>Elsewhere</title><taskStatus>open</taskStatus></task>"
    )
    why, found = read(tmp_path, TOP + note("T", body, tasks) + END)
    assert why == LeftOut("T", "an encrypted part cannot be read")
    assert isinstance(found, ImportedNote)
    assert found.text == (
        "- [x] Buy\n\n- [x] Call \\*me\\* (due 2024-04-01)\n\n```\nx = 1\n\n  y\n```\n\n"
        "[[Plot 14 _x]] (encrypted text, left out)\n\n- [ ] Elsewhere"
    )


def test_notes_of_one_name_and_time_are_two(tmp_path: Path) -> None:
    text = TOP + note("T", "a") + note("T", "b") + END
    first, second = notes(read(tmp_path, text))
    assert first.id != second.id
    assert [each.id for each in notes(read(tmp_path, text))] == [first.id, second.id]
    assert notes(read(tmp_path, TOP + note("T", "new") + END, "Other.enex"))[0].id == first.id


def test_a_broken_note_leaves_the_others(tmp_path: Path) -> None:
    broken = note("B", "x").replace("<created>", "<created>\x00<oops></created>")
    text = TOP + note("A", "a") + broken * 2 + note("C", "c", resource(PICTURE, "x.png")) + END
    found = read(tmp_path, text)
    assert [each.title for each in notes(found)] == ["A", "C"]
    left = [each for each in found if isinstance(each, LeftOut)]
    assert [each.name for each in left] == ["B", "B"]
    assert left[0].why.startswith("it is damaged")
    (file,) = (each for each in found if isinstance(each, ImportedFile))
    assert file.opened() == PICTURE


def test_a_file_that_ends_too_soon(tmp_path: Path) -> None:
    text = TOP + note("A", "a") + note("Cut", "words")[:80]
    first, last = read(tmp_path, text)
    assert isinstance(first, ImportedNote)
    assert last == LeftOut("Cut", "it ends in the middle of a note")


def test_entities_are_refused(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    bomb = f'<!DOCTYPE en-export [<!ENTITY e0 "ha">{levels}]><en-export>{note("&e12;", "x")}{END}'
    assert read(tmp_path, bomb) == [
        LeftOut("Book.enex", "it declares entities, which no export of Evernote does")
    ]
    outside = bomb.replace('"ha"', 'SYSTEM "file:///etc/passwd"')
    assert read(tmp_path, outside) == read(tmp_path, bomb)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f'{TOP}<note a="{"x" * 12_000_000}">{END}', "longer than any program writes"),
        (TOP + "<note>" * 100_000, "nested deeper"),
        (f"{TOP}<note><title>{'<b>' * 1000}{END}", "nested deeper"),
        (f"{TOP}{note('A', 'x' * 5_000_000)}{END}", "longer than 4 MB"),
    ],
    ids=["attribute", "notes", "depth", "text"],
)
def test_what_no_program_writes_is_refused(tmp_path: Path, text: str, why: str) -> None:
    begin = time.perf_counter()
    (found,) = read(tmp_path, text)
    assert isinstance(found, LeftOut)
    assert why in found.why
    assert time.perf_counter() - begin < 20


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    large = note("L", "x", resource(b"0123456789abcdef" * 500_000, "a.bin"))
    text = TOP + large * 3 + END
    (tmp_path / "a.enex").write_text(text)
    with ExportFiles(str(tmp_path)) as export:
        tracemalloc.start()
        count = len(list(EVERNOTE.read(export, EVERNOTE.claims(export))))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert count == 6
    assert most < 5_000_000 < len(text) / 5


def test_other_encodings(tmp_path: Path) -> None:
    text = TOP.replace("UTF-8", "UTF-16") + note("Ä", "ö", resource(b"abc", "a.txt")) + END
    file, found = read(tmp_path, text.encode("utf-16"))
    assert isinstance(file, ImportedFile)
    assert file.opened() == b"abc"
    assert isinstance(found, ImportedNote)
    assert found.title == "Ä"


def test_damaged_bytes_never_raise(tmp_path: Path) -> None:
    body = f'<div>a <en-media hash="{hashlib.md5(b"abc").hexdigest()}"/></div>'
    whole = (
        TOP + note("A", body, resource(b"abc", "a.png")) + note("B", "<b>x</b>") + END
    ).encode()
    chance = random.Random(27)
    for _ in range(300):
        data = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.5 else whole)
        for _ in range(chance.randrange(1, 4) * bool(data)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        for each in read(tmp_path, bytes(data)):
            if isinstance(each, ImportedFile):
                each.opened()


def test_other_files_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "a.enex").write_text("about <en-export>")
    (tmp_path / "b.enex").write_text("<html>")
    with ExportFiles(str(tmp_path)) as export:
        assert EVERNOTE.claims(export) == []
