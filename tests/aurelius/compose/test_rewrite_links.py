"""Links keep leading where they led when notes move, in the style they were written in."""

from __future__ import annotations

from functools import partial

import pytest

from aurelius.compose.rewrite_links import Move, rewrite_links
from indexer.catalog.link_targets import Files, find_target
from indexer.catalog.names import Called
from indexer.reading.parse import parse

NOTES = [
    Called("people/joe.md", "Joe Bloggs", ("Jay",), "person", None),
    Called("people/ann.md", "Ann", (), "person", None),
    Called("deep/er/joe two.md", "Joe Two", (), "note", None),
    Called("x.md", "X", (), "note", None),
]


def move(old: str, new: str, *, title: str = "") -> Move:
    was = next(each for each in NOTES if each.path == old)
    files = Files(lambda: ["img/cat.png", "people/own.png"])
    return Move(NOTES, {old: new}, [was._replace(path=new, title=title or was.title)], files=files)


def after(one: Move, source: str, text: str) -> str:
    path = one.moved.get(source, source)
    data = rewrite_links(path, text.encode(), partial(one.decide, source))
    return data.decode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[people/joe]]", "[[jobs/joseph]]"),
        ("[[joe]]", "[[joseph]]"),
        ("[[joe.md]]", "[[joseph.md]]"),
        ("[[people/joe|J. B.]]", "[[jobs/joseph|J. B.]]"),
        ("[[joe#Facts]]", "[[joseph#Facts]]"),
        ("![[people/joe#^k3v9qa]]", "![[jobs/joseph#^k3v9qa]]"),
        ("[[people/joe#Facts|his facts]]", "[[jobs/joseph#Facts|his facts]]"),
        ("| [[people/joe\\|Joe]] |", "| [[jobs/joseph\\|Joe]] |"),
        ("[Joe](people/joe.md)", "[Joe](jobs/joseph.md)"),
        ("[Joe](./people/joe.md#facts)", "[Joe](jobs/joseph.md#facts)"),
        ("[Joe](/people/joe.md)", "[Joe](/jobs/joseph.md)"),
        ("[Joe](<people/joe.md> 'his note')", "[Joe](<jobs/joseph.md> 'his note')"),
        ("[Joe](people/joe)", "[Joe](jobs/joseph)"),
        ("[j]: people/joe.md", "[j]: jobs/joseph.md"),
        ("[[Joe Bloggs]] and [[Jay]]", "[[Joe Bloggs]] and [[Jay]]"),  # names that it still has
        (
            "[[ann]] [[people/ann]] [Ann](people/ann.md)",
            "[[ann]] [[people/ann]] [Ann](people/ann.md)",
        ),
        (
            "`[[people/joe]]` and https://x.y/people/joe",
            "`[[people/joe]]` and https://x.y/people/joe",
        ),
        ("[[nobody]] [[joe two]]", "[[nobody]] [[joe two]]"),
        (
            "---\nrelated: x\n---\n\n[[joe]]\r\n[[joe]]",
            "---\nrelated: x\n---\n\n[[joseph]]\r\n[[joseph]]",
        ),
    ],
)
def test_links_to_a_note_that_moves(old: str, new: str) -> None:
    assert after(move("people/joe.md", "jobs/joseph.md"), "x.md", old) == new


@pytest.mark.parametrize(
    ("folder", "written"),
    [
        ("a\nb", "a%0Ab"),
        ("C#", "C%23"),
        ("a|b", "a%7Cb"),
        ("[x]^", "%5Bx%5D%5E"),
        ("a\u2028b", "a%E2%80%A8b"),
    ],
)
def test_a_link_stays_one_link_on_one_line_whatever_the_folder_is_called(
    folder: str, written: str
) -> None:
    there = f"{folder}/joe.md"
    one = move("people/joe.md", there)
    for text in ("[[people/joe#Facts|J]]", "[J](people/joe.md#Facts)"):
        moved = after(one, "x.md", text)
        assert written in moved
        links = parse("x.md", moved.encode()).links
        assert [find_target(one.after, "x.md", link.target, link.style) for link in links] == [
            there
        ]
        assert (links[0].heading, links[0].label) == ("Facts", "J")
        back = Move(
            [*NOTES[1:], NOTES[0]._replace(path=there)], {there: "people/joe.md"}, NOTES[:1]
        )
        assert after(back, "x.md", moved) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('up: "[[joe]]"', 'up: "[[joseph]]"'),
        ("up: '[[people/joe|Jo]]' # [[joe]]", "up: '[[jobs/joseph|Jo]]' # [[joe]]"),
        ("up: [[joe]]", "up: [[joseph]]"),
        ('up:\n  - "[[joe#Facts]]"\n  - [[joe]]', 'up:\n  - "[[joseph#Facts]]"\n  - [[joseph]]'),
        ('up: ["[[joe]]", "[[ann]]", x]', 'up: ["[[joseph]]", "[[ann]]", x]'),
        ('up: "[J](people/joe.md)"', 'up: "[J](jobs/joseph.md)"'),
        ("up: |\n  one\n  ![[joe]]", "up: |\n  one\n  ![[joseph]]"),
        ('"[[joe]]": "[[ann]]"', '"[[joe]]": "[[ann]]"'),
        (
            "tags: [[joe]] , [[ann]], #joe\nby:[[joe|J]]",
            "tags: [[joseph]] , [[ann]], #joe\nby:[[joseph|J]]",
        ),
        ('up: "\\u00e9 [[joe|\\u00e9]]"', 'up: "\\u00e9 [[joseph|\\u00e9]]"'),
    ],
)
def test_links_in_front_matter_to_a_note_that_moves(old: str, new: str) -> None:
    moved = after(
        move("people/joe.md", "jobs/joseph.md"), "x.md", f"---\r\n{old}\r\n---\r\n[[joe]]"
    )
    assert moved == f"---\r\n{new}\r\n---\r\n[[joseph]]"


@pytest.mark.parametrize(
    ("front", "written"),
    [
        ('up: "[[joe]]"', 'up: "[[it\'s \\"a\\": b, {c}]]"'),
        ("up: '[[joe]]'", "up: '[[it''s \"a\": b, {c}]]'"),
        ("up: [[joe]]", 'up: "[[it\'s \\"a\\": b, {c}]]"'),
        ("up: [[[joe]], x]", 'up: ["[[it\'s \\"a\\": b, {c}]]", x]'),
        (
            "up: see [[joe]] \\ [[joe]]",
            'up: "see [[it\'s \\"a\\": b, {c}]] \\\\ [[it\'s \\"a\\": b, {c}]]"',
        ),
        ("up: >\n  [[joe]]", 'up: >\n  [[it\'s "a": b, {c}]]'),
    ],
)
def test_front_matter_stays_valid_whatever_a_note_is_called_now(front: str, written: str) -> None:
    name = 'it\'s "a": b, {c}'
    moved = after(move("people/joe.md", f"people/{name}.md"), "x.md", f"---\n{front}\n---\n")
    assert moved == f"---\n{written}\n---\n"
    note = parse("x.md", moved.encode())
    assert {link.target for link in note.links} == {name}
    assert not note.problems


@pytest.mark.parametrize("name", ["@home", "- x", "!a", "*a", "'a", "a:", "%a"])
def test_a_bare_link_in_front_matter_gets_quotes_where_yaml_needs_them(name: str) -> None:
    moved = after(move("people/joe.md", f"people/{name}.md"), "x.md", "---\nup: [[joe]]\n---\n")
    assert moved == f'---\nup: "[[{name}]]"\n---\n'
    assert [link.target for link in parse("x.md", moved.encode()).links] == [name]


def test_a_title_that_is_gone_stays_the_word_that_is_shown() -> None:
    renamed = move("people/joe.md", "people/joseph.md", title="Joseph")
    assert after(renamed, "x.md", "[[Joe Bloggs]]") == "[[joseph|Joe Bloggs]]"
    assert after(renamed, "x.md", "| [[Joe Bloggs]] |") == "| [[joseph\\|Joe Bloggs]] |"


def test_links_in_the_note_that_moves() -> None:
    deeper = move("people/joe.md", "archives/old/joe.md")
    for old, new in [
        ("[Ann](ann.md)", "[Ann](../../people/ann.md)"),
        (
            "[[ann]] [[people/ann]] [[#Facts]] [x](#facts)",
            "[[ann]] [[people/ann]] [[#Facts]] [x](#facts)",
        ),
        ("![cat](../img/cat.png) ![[cat.png]]", "![cat](../../img/cat.png) ![[cat.png]]"),
        ("![own](own.png) ![[own.png]]", "![own](../../people/own.png) ![[own.png]]"),
        ("[two](<../deep/er/joe two.md>)", "[two](<../../deep/er/joe two.md>)"),
        ("[two](../deep/er/joe%20two.md)", "[two](../../deep/er/joe%20two.md)"),
    ]:
        assert after(deeper, "people/joe.md", old) == new


def test_a_name_that_would_mean_another_note_becomes_a_path() -> None:
    clash = move("people/joe.md", "deep/er/x.md")
    assert after(clash, "people/ann.md", "[[joe]] [[x]]") == "[[deep/er/x]] [[x]]"


def test_a_block_that_moves_alone_takes_its_links() -> None:
    shelf = Called("archives/joe.md", "Joe Bloggs", (), "archive", None)
    one = Move(NOTES, {}, [shelf], blocks={("people/joe.md", "k3v9qa"): "archives/joe.md"})
    text = "[[people/joe#^k3v9qa]] [[people/joe#^other1]] [[people/joe]] [k](people/joe.md#^k3v9qa)"
    assert after(one, "x.md", text) == (
        "[[archives/joe#^k3v9qa]] [[people/joe#^other1]] [[people/joe]] [k](archives/joe.md#^k3v9qa)"
    )
    assert (
        after(one, "people/joe.md", "[[#^k3v9qa]] [[#^other1]]")
        == "[[archives/joe#^k3v9qa]] [[#^other1]]"
    )


def test_words_of_a_link_that_look_like_a_name_stay() -> None:
    assert (
        after(move("people/joe.md", "jobs/joseph.md"), "x.md", "[[not written|joe]]")
        == "[[not written|joe]]"
    )
