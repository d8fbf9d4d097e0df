from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from aurelius.importing.imported import Imported, ImportedNote, LeftOut
from aurelius.importing.roam import ROAM
from aurelius.importing.source_files import ExportFiles


def block(string: str, *children: Any, uid: str = "", **more: Any) -> dict[str, Any]:
    return {
        "string": string,
        "uid": uid or f"u{abs(hash(string)) % 10**8:08}",
        "children": list(children),
    } | more


def page(title: str, *children: Any, **more: Any) -> dict[str, Any]:
    return {
        "title": title,
        "uid": title[:9],
        "create-time": 1751349600000,
        "children": list(children),
    } | more


def read(folder: Path, *pages: Any) -> list[Imported]:
    return read_text(folder, json.dumps(pages).encode())


def read_text(folder: Path, data: bytes) -> list[Imported]:
    place = folder / "graph.json"
    place.write_bytes(data)
    with ExportFiles(str(place)) as export:
        return list(ROAM.read(export, ROAM.claims(export)))


def text(folder: Path, *children: Any) -> str:
    source = page(
        "Source", block("**Two** cylinder", block("below", uid="below0001"), uid="source001")
    )
    found = read(folder, page("Boat", *children), source)
    (note,) = (each for each in found if isinstance(each, ImportedNote) and each.title == "Boat")
    return note.text


@pytest.mark.parametrize(
    ("string", "line"),
    [
        ("Builder:: [[Ada]]", "- Builder:: [[Ada]]"),
        ("{{[[TODO]]}} a", "- [ ] a"),
        ("{{DONE}} a", "- [x] a"),
        ("^^a^^ __b__ c__d__e", "- ==a== *b* c__d__e"),
        ("x ((source001))", "- x **Two** cylinder ([[Source]])"),
        ("[y|z](((source001)))", "- [[Source|y z]]"),
        ("{{[[embed]]: ((below0001))}}", "- below ([[Source]])"),
        ("{{embed: [[Source]]}}", "- [[Source]]"),
        ("{{[[video]]: https://e.org/v }}", "- https://e.org/v"),
        ("((nowhere01)) ((an aside))", "- ((nowhere01)) ((an aside))"),
        ("a `^^((source001))^^`", "- a `^^((source001))^^`"),
        ("```py\na\n  ^^b^^```", "- ```py\n  a\n    ^^b^^\n  ```"),
        ("a\nb", "- a\n  b"),
        ("#[[narrow boat]] #c", "- [[narrow boat]] #c"),
    ],
)
def test_a_block(tmp_path: Path, string: str, line: str) -> None:
    assert text(tmp_path, block(string)) == line


def test_an_outline_with_headings(tmp_path: Path) -> None:
    found = text(tmp_path, block("A", block("B", block("C")), heading=2), block(""), block("D"))
    assert found == "- ## A\n  - B\n    - C\n- D"


def test_dates(tmp_path: Path) -> None:
    day = page("July 1st, 2025", block("x") | {"edit-time": 1751436000000})
    (note,) = read(tmp_path, day)
    assert isinstance(note, ImportedNote)
    assert note[:2] == ("July 1st,", "July 1st, 2025")
    assert (note.created, note.updated) == ("2025-07-01", "2025-07-02T06:00:00Z")
    (other,) = read(tmp_path, page("Smarch 41st, 2025", block("x")))
    assert isinstance(other, ImportedNote)
    assert other.created == "2025-07-01T06:00:00Z"


def test_what_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, page("Empty"), 7, {"children": []}, page("A", block("((nowhere01))")))
    assert found[:4] == [
        LeftOut("Empty", "nothing stands on it"),
        LeftOut("Untitled", "it is no page"),
        LeftOut("Untitled", "it is no page"),
        LeftOut("A", "it refers to a block that the export does not hold"),
    ]


def test_blocks_that_name_each_other_end(tmp_path: Path) -> None:
    found = text(
        tmp_path,
        block("a ((bbbbbbbbb))", uid="aaaaaaaaa"),
        block("b ((aaaaaaaaa))", uid="bbbbbbbbb"),
    )
    assert found.count("\n") == 1
    assert len(found) < 300


def test_much_deep_and_large(tmp_path: Path) -> None:
    begin = time.perf_counter()
    deep = b'[{"title": "a", "uid": "b", "children": [' + b'{"string": "x", "children": [' * 100_000
    assert [type(each) for each in read_text(tmp_path, deep)] == [LeftOut]
    nested = block("end")
    for _ in range(150):
        nested = block("x" * 100, nested)
    (note,) = read(tmp_path, page("A", nested))
    assert isinstance(note, ImportedNote)
    assert note.text.count("\n") == 150
    refs = [block("((aaaaaaaaa))" * 1000, uid="aaaaaaaaa") for _ in range(40)]
    assert [type(each) for each in read(tmp_path, page("A", *refs))] == [LeftOut]
    assert time.perf_counter() - begin < 20


def test_damaged_bytes_never_raise(tmp_path: Path) -> None:
    pages = [
        page("A", block("{{TODO}} a ((u00000001))", block("b"))),
        page("July 1st, 2025", block("c")),
    ]
    whole = json.dumps(pages).encode()
    odd = [b"null", b"[]", b"{}", b"1e999", b'"\\ud800"', b"-5", b"[[]]", b"true"]
    chance = random.Random(27)
    for _ in range(300):
        data = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        data[chance.randrange(len(data) or 1) :][:1] = bytes((chance.randrange(256),))
        read_text(tmp_path, bytes(data))
        found = list(json.dumps(pages).split(": "))
        place = chance.randrange(1, len(found))
        found[place] = (
            chance.choice(odd).decode()
            + "," * found[place].endswith('"')
            + found[place][found[place].rfind(",") :]
        )
        read_text(tmp_path, ": ".join(found).encode())


def test_other_json_is_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"title": "x", "create_time": 1, "mapping": {}}]')
    (tmp_path / "b.json").write_text('{"children": [{"string": "x"}]}')
    with ExportFiles(str(tmp_path)) as export:
        assert ROAM.claims(export) == []
