"""After a move every link leads where it led, and no byte that is not part of a link is another one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from aurelius.compose.rewrite_links import Move, rewrite_links
from indexer.catalog.link_targets import target_of
from indexer.catalog.names import Called, NoteNames, without_ending
from indexer.reading import front_links, front_matter, inline, markdown
from indexer.reading.parse import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.note import Note

STEMS = (
    "joe",
    "Ann Lee",
    "it's",
    'say "x"',
    "a: b",
    "a, {b}",
    "50% off",
    "Zoë (x)",
    "2026-02-01",
    "@home",
    "- x",
)
FOLDERS = ("", "people/", "deep/er/", "C & D/")
BODY = (
    "[[{stem}]]",
    "[[{bare}]]",
    "![[{bare}#^k3v9qa]]",
    "[[{bare}#Facts|words]]",
    "[[{stem}.md]]",
    "[x]({path})",
    "[x](<{raw}> 'title')",
    "[x](/{path}#facts)",
    "| [[{bare}\\|w]] |",
    "[r]: <{raw}>",
    "`[[{stem}]]`",
    "[[{title}]]",
)
FRONT = (
    'p{n}: "[[{dq}]]"',
    "p{n}: '[[{sq}|w]]'",
    'p{n}:\n  - "[[{dq}#Facts]]"\n  - plain',
    'p{n}: [one, "[[{dq}]]"]',
    'p{n}: "[x]({path_dq})"',
    "p{n}: |\n  text\n  [[{bare}]]",
    "p{n}: 'x' # [[{bare}]]",
    "p{n}: see [[joe]] there",
    "p{n}: [[joe]]",
    'p{n}: {{a: "[[{dq}]]"}}',
)

paths = st.builds("{}{}.md".format, st.sampled_from(FOLDERS), st.sampled_from(STEMS))
picks = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=4)


def spelled(form: str, path: str, source: str, number: int) -> str:
    bare = without_ending(path)
    link = "".join(
        {" ": "%20", "(": "%28", ")": "%29", "%": "%25"}.get(char, char) for char in path
    )
    there = ("../" * source.count("/")) + link if not form.startswith("[x](/") else link
    raw = ("../" * source.count("/")) + path.replace("%", "%25")
    double, single = bare.replace('"', '\\"'), bare.replace("'", "''")
    return form.format(
        stem=bare.rpartition("/")[2],
        bare=bare,
        path=there,
        raw=raw,
        dq=double,
        sq=single,
        n=number,
        path_dq=there.replace('"', '\\"'),
        title=f"Title of {bare.rpartition('/')[2]}",
    )


def vault(
    chosen: list[str], wants: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]
) -> dict[str, bytes]:
    notes = {}
    for path, (front, body) in zip(chosen, wants, strict=False):
        head = [
            spelled(FRONT[a % len(FRONT)], chosen[b % len(chosen)], path, n)
            for n, (a, b) in enumerate(front)
        ]
        text = [spelled(BODY[a % len(BODY)], chosen[b % len(chosen)], path, 0) for a, b in body]
        title = [
            f"title: 'Title of {without_ending(path).rpartition('/')[2].replace(chr(39), chr(39) * 2)}'"
        ]
        notes[path] = "\r\n".join(
            ["---", *title, *head, "---", *(f"{each}\n" for each in text)]
        ).encode()
    return notes


def called(notes: Mapping[str, Note]) -> list[Called]:
    return [
        Called(path, note.title, note.aliases, note.kind, note.date) for path, note in notes.items()
    ]


def bones(data: bytes) -> tuple[str, str]:
    """A note without the addresses of its links, and without the quotes that a name may need in front matter."""
    lines = data.decode().split("\n")
    front = front_matter.read_front_matter([line.rstrip("\r") for line in lines])
    text = "\n".join(lines[front.lines :])
    blocks, _ = markdown.read_blocks(lines, front.lines)
    for begin, end, link in sorted(
        inline.addresses(inline.Inline(text, lines, front.lines + 1, blocks)), reverse=True
    ):
        text = text[:begin] + link.heading + link.block + text[end:]
    head = front_links.front_source(lines, front)
    for value, addresses in reversed(front_links.link_properties(lines, front)):
        for begin, end, link in reversed(addresses):
            head = head[:begin] + link.heading + link.block + head[end:]
        quoted = head[value.begin : value.begin + 1] == '"'
        head = (
            head
            if quoted or value.style not in {"", front_links.BARE}
            else head.replace("see [[]]", '"see [[]]')
        )
    return head.replace('"', ""), text


@given(
    st.lists(paths, min_size=2, max_size=5, unique_by=str.casefold),
    st.lists(st.tuples(picks, picks), min_size=5, max_size=5),
    paths,
)
def test_a_link_leads_where_it_led_after_a_move(
    chosen: list[str], wants: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]], new: str
) -> None:
    if new.casefold() in map(str.casefold, chosen):
        return
    old = chosen[0]
    data = vault(chosen, wants)
    before = {path: parse(path, each) for path, each in data.items()}
    assert not any(note.problems for note in before.values())
    renamed = [each for each in called({new: parse(new, data[old])}) if each.path == new]
    move = Move(called(before), {old: new}, renamed)
    moved = {
        (new if path == old else path): rewrite_links(path, each, partial(move.decide, path))
        for path, each in data.items()
    }
    after = {path: parse(path, each) for path, each in moved.items()}
    names, now = NoteNames(called(before)), NoteNames(called(after))
    for path, note in before.items():
        here = new if path == old else path
        led = [target_of(names, path, link) for link in note.links]
        leads = [target_of(now, here, link) for link in after[here].links]
        assert [new if each == old else each for each in led if each] == [
            each for each, was in zip(leads, led, strict=True) if was
        ], (data[path], moved[here])
        assert bones(data[path]) == bones(moved[here]), (data[path], moved[here])
        assert not after[here].problems
