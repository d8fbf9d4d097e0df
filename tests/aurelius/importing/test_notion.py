from __future__ import annotations

import io
import random
import time
import zipfile
from pathlib import Path

import pytest

from aurelius.importing.imported import Imported, ImportedFile, ImportedNote, LeftOut
from aurelius.importing.notion import NOTION
from aurelius.importing.source_files import ExportFiles

A = "0123456789abcdef0123456789abcdef"
B = "11112222333344445555666677778888"
C = "aaaabbbbccccddddeeeeffff00001111"
TOP = "Export-0a0a0a0a-1111-4222-8333-444455556666/"
DASHED = "11112222-3333-4444-5555-666677778888"


def read(place: Path) -> list[Imported]:
    with ExportFiles(str(place)) as export:
        found = list(NOTION.read(export, NOTION.claims(export)))
        for each in found:
            if isinstance(each, ImportedFile):
                each.opened()
        return found


def read_files(folder: Path, files: dict[str, str]) -> list[Imported]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return read(folder)


def notes(found: list[Imported]) -> dict[str, ImportedNote]:
    return {each.title: each for each in found if isinstance(each, ImportedNote)}


def html(body: str, properties: str = "", title: str = "Page") -> str:
    return (
        f'<html><head><title>{title}</title><style>x</style></head><body><article id="{DASHED}" class="page sans">'
        f'<header><h1 class="page-title">{title}</h1><table class="properties"><tbody>{properties}</tbody></table>'
        f'</header><div class="page-body">{body}</div></article></body></html>'
    )


def test_a_page_of_markdown(tmp_path: Path) -> None:
    text = (
        "# Shop\n\nCreated: March 3, 2025 9:15 AM\nLast edited: April 1, 2025\nTags: wood, two words\n\n"
        f"See [Bench](Shop%20{A}/Bench%20{B}.md) and [x](https://e.org) and `[y](Bench%20{B}.md)`.\n\n"
        f"![plan](Shop%20{A}/plan.png) ![gone](Shop%20{A}/gone.png)\n\n"
        "- [ ]  a\n- [x]  b\n\n<aside>\n💡 c\n\nd\n\n</aside>\n\n"
        f"[odd](Shop%20{A}/100%%20done%20{C}.md)"
    )
    files = {
        f"{TOP}Shop {A}.md": text,
        f"{TOP}Shop {A}/Bench {B}.md": "# Bench\n\nNote: of beech.",
        f"{TOP}Shop {A}/100% done {C}.md": "# 100% done\n",
        f"{TOP}Shop {A}/plan.png": "picture",
    }
    found = read_files(tmp_path, files)
    file, missing = found[:2]
    assert isinstance(file, ImportedFile)
    assert missing == LeftOut(f"{TOP}Shop {A}/gone.png", "the export does not hold this file")
    note = notes(found)["Shop"]
    assert note.id == A
    assert (note.created, note.updated) == ("2025-03-03T09:15:00Z", "2025-04-01")
    assert (note.folder, note.tags) == ("", ("wood", "two-words"))
    assert note.text == (
        f"See [[Bench]] and [x](https://e.org) and `[y](Bench%20{B}.md)`.\n\n![plan](attachments/{file.name}) gone\n\n"
        "- [ ] a\n- [x] b\n\n> 💡 c\n>\n> d\n\n[[100 done|odd]]"
    )
    assert notes(found)["Bench"].folder == "Shop"
    assert notes(found)["Bench"].text == "Note: of beech."


def test_a_table_is_a_note_once_and_its_rows_are_pages(tmp_path: Path) -> None:
    files = {
        f"{TOP}Tools {C}.csv": "\ufeffName,Kind\nPlane,hand\n",
        f"{TOP}Tools {C}_all.csv": '\ufeffName,Kind\nPlane,hand\n"Saw, rip",a|b\n',
        f"{TOP}Tools/Plane {B}.md": "# Plane\n\nKind: hand\nEmpty:\n\nLoose.",
    }
    found = notes(read_files(tmp_path, files))
    assert list(found) == ["Plane", "Tools"]
    assert (
        found["Tools"].text
        == "| Name | Kind |\n| --- | --- |\n| [[Plane]] | hand |\n| Saw, rip | a\\|b |"
    )
    assert found["Plane"].properties == (("kind", "hand"),)
    assert found["Plane"].text == "Loose."


def test_a_page_of_html(tmp_path: Path) -> None:
    row = '<tr class="property-row property-row-{}"><th><span class="icon"></span>{}</th><td>{}</td></tr>'
    tags = '<span class="selected-value x">home office</span><span class="selected-value">b</span>'
    properties = (
        row.format("multi_select", "Tags", tags)
        + row.format("checkbox", "Sold?", '<div class="checkbox checkbox-on"></div>')
        + row.format("created_time", "Created", "<time>@March 9, 2025 8:00 AM</time>")
        + row.format("number", "1. Price (USD): #", "$1,234.56")
    )
    body = (
        '<ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span>Heat</span></li></ul>'
        '<ul class="toggle"><li><details open=""><summary>More</summary><p>in</p></details></li></ul>'
        '<figure class="callout"><div><span class="icon">💡</span></div><div>tip</div></figure>'
        '<figure class="equation"><span class="katex-mathml"><math><semantics><mrow>x2</mrow>'
        '<annotation encoding="application/x-tex">x^2 \\\\ y</annotation></semantics></math></span>'
        '<span class="katex-html">x2</span></figure>'
        '<div class="column-list"><div class="column"><p>left</p></div><div class="column"><p>right</p></div></div>'
        '<figure class="image"><a href="Page%20x/a%20b.png"><img src="Page%20x/a%20b.png"/></a></figure>'
        '<a href="notion.soundefined">gone</a>'
    )
    title = "A long title, cut &amp; whole"
    (tmp_path / "Page x").mkdir()
    (tmp_path / "Page x" / "a b.png").write_bytes(b"picture")
    file, note = read_files(tmp_path, {f"A long ti {B}.html": html(body, properties, title)})
    assert isinstance(file, ImportedFile)
    assert isinstance(note, ImportedNote)
    assert (note.id, note.title, note.created) == (
        B,
        "A long title, cut & whole",
        "2025-03-09T08:00:00Z",
    )
    assert note.tags == ("home-office", "b")
    assert note.properties == (("sold", True), ("price_usd", "$1,234.56"))
    assert note.text == (
        "- [x] Heat\n\n- More\n\n  in\n\n> 💡\n> tip\n\n$x^2 \\\\ y$\n\nleft\n\nright\n\n"
        f"![{file.name}](attachments/{file.name})\n\ngone"
    )


def test_two_pages_of_one_title_are_linked_by_their_folders(tmp_path: Path) -> None:
    files = {
        f"a/Same {A}.md": "# Same\n",
        f"b/Same {B}.md": "# Same\n",
        f"Top {C}.md": f"# Top\n\n[Same](a/Same%20{A}.md) [Same](b/Same%20{B}.md)",
    }
    assert notes(read_files(tmp_path, files))["Top"].text == "[[a/Same]] [[b/Same]]"


def packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def test_parts_that_are_zips_in_a_zip(tmp_path: Path) -> None:
    first = packed({f"{TOP}One {A}.md": f"# One\n\n[Two](Two%20{B}.md)".encode()})
    second = packed({f"{TOP}Two {B}.md": b"# Two\n"})
    whole = packed({"Export-x-Part-1.zip": first, "Export-x-Part-2.zip": second})
    (tmp_path / "export.zip").write_bytes(whole)
    found = notes(read(tmp_path / "export.zip"))
    assert list(found) == ["One", "Two"]
    assert found["One"].text == "[[Two]]"


def test_no_name_leads_out_of_the_export(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "in").mkdir()
    text = "# A\n\n![x](../secret.png) ![y](/etc/passwd) ![z](file:///etc/passwd)"
    found = read_files(tmp_path / "in", {f"A {A}.md": text})
    assert not [each for each in found if isinstance(each, ImportedFile)]


@pytest.mark.parametrize("kind", ["md", "html", "csv"])
def test_damaged_bytes_never_raise(tmp_path: Path, kind: str) -> None:
    whole = {
        "md": f"# A\n\nTags: b\n\n[x](B%20{B}.md) ![y](z.png) <aside>\nq\n</aside> `c`",
        "html": html(
            '<p>a <a href="z.png">b</a></p>', '<tr class="property-row x"><th>a</th><td>b</td></tr>'
        ),
        "csv": 'Name,"a\nb",c\n1,2\n',
    }[kind].encode()
    (tmp_path / "z.png").write_bytes(b"z")
    chance = random.Random(27)
    for _ in range(150):
        data = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(3):
            data[chance.randrange(len(data) or 1) :][:1] = bytes((chance.randrange(256),))
            data.insert(chance.randrange(len(data) + 1), chance.choice(b'\0"<>[]()%&|\n`\xff'))
        (tmp_path / f"A {A}.{kind}").write_bytes(data)
        read(tmp_path)


@pytest.mark.parametrize(
    "part",
    [
        "[",
        "[a]",
        "[](",
        "[a](b ",
        "<aside>",
        "```",
        "`",
        "<details>",
        "a: b\n",
        "- [ ]  ",
        "![x](z.png)",
    ],
)
def test_hostile_pages_take_time_by_their_length(tmp_path: Path, part: str) -> None:
    begin = time.perf_counter()
    text = part * (200_000 // len(part))
    read_files(
        tmp_path,
        {
            f"A {A}.md": f"# A\n\n{text}",
            f"B {B}.html": html(text, f'{text}<tr class="property-row'),
        },
    )
    assert time.perf_counter() - begin < 10
    (tmp_path / f"A {A}.md").write_text("# A\n\n" + "x" * 5_000_000)
    assert any(
        isinstance(each, LeftOut) and "longer than 4 MB" in each.why for each in read(tmp_path)
    )


def test_other_files_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# A")
    (tmp_path / f"B {B}.md").write_text("no title")
    (tmp_path / "page.html").write_text("<article>x</article>")
    with ExportFiles(str(tmp_path)) as export:
        assert NOTION.claims(export) == []
