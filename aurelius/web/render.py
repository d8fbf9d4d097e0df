"""A note, or a line of one, as HTML that is safe to show.

HTML that somebody wrote is text (`markup` makes no tag of it), and what comes out passes a second
wall, which knows nothing of Markdown: tags, attributes, classes and addresses that are not on its
list are dropped. A note is shown in parts, cut between blocks.
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Iterator,
    Sequence,
)
from functools import cache
from itertools import islice
from typing import NamedTuple

import nh3

from aurelius.show.terminal import escape_controls
from indexer.catalog.link_targets import find_heading
from indexer.note import Link, Note
from indexer.reading.blocks import (
    Block,
    UnreadableError,
    split_lines,
)
from indexer.reading.comments import (
    Readable,
    read_uncommented,
    without_comments,
)
from indexer.reading.front_matter import read_front_matter
from indexer.reading.markdown import check_work
from indexer.reading.outline import extent
from indexer.spelling import clipped

from .markup import (
    MARKUP,
    MAX_MARKED,
    FollowLink,
    Sheet,
    ShownHeading,
    Spans,
    note_parser,
    plain_html,
)

PART = 32_768
"""Characters of a note that are shown at once, about: with their tags 80 kB of a page at most."""
EMBEDDED_LINES = 40
"""Lines of a note that are shown inside another."""
_NO_SUCH_PLACE = ("*This note has no such heading or block.*",)
_SHORT = 48
"""Characters that a line counts for at least: many short ones cost as much as words."""
_STUMBLES = (UnreadableError, LookupError, RuntimeError, ValueError, TypeError)
"""What markdown-it may raise: it runs off the end of some odd texts."""
_DEFINITION = re.compile(r" {0,3}\[[^\[\]]{1,200}\]:[ \t]*\S")
_MAX_DEFINITIONS = 500


class Rendered(NamedTuple):
    """A part of a note as HTML, whether there is more behind it, and its headings."""

    html: str
    rest: bool
    headings: tuple[ShownHeading, ...]


def render_note(
    lines: Sequence[str],
    links: FollowLink,
    *,
    title: str = "",
    part: int = 1,
    size: int = PART,
) -> Rendered:
    """A part of a note, counted from 1; a part behind the last is empty.

    `lines` are the note's own, as `decode` gives them, front matter and comments included; `title`
    is what the page is headed with: a first heading of the same words is left out. `size` is how
    many characters a part has, about. Never raises for any text.
    """
    begin = read_front_matter(lines).lines
    piece = _Piece((), begin, begin)
    for _ in range(min(part, len(lines) + 1)):
        piece = _next_piece(lines, piece, size)
    if part > 1:
        title = ""
    sheet = Sheet(links, offset=piece.begin, title=title)
    shown = list(piece.shown)
    if begin < piece.begin or piece.end < len(lines):
        shown += ["", *_definitions(lines, piece)]
    html = _render(shown, sheet)
    return Rendered(html, piece.end < len(lines), tuple(sheet.headings))


def part_of_line(lines: Sequence[str], line: int, size: int = PART) -> int:
    """The part that shows a line of a note, counted from 1; the last one of a line behind it."""
    begin = read_front_matter(lines).lines
    piece = _next_piece(lines, _Piece((), begin, begin), size)
    part = 1
    while piece.end < min(line, len(lines)) and part < len(lines):
        piece = _next_piece(lines, piece, size)
        part += 1
    return part


def render_line(text: str, links: FollowLink, find: Callable[[str], Spans] | None = None) -> str:
    """One line of a note as HTML for a list or a sentence; `find` gives the spans of words that are
    marked."""
    if not (find or MARKUP.search(text) or "%%" in text):
        return escape_controls(plain_html(clipped(text, MAX_MARKED)))
    if "%%" in text or "<!--" in text:
        text = " ".join(without_comments(split_lines(text)))
    text = clipped(text, MAX_MARKED)
    env = {"sheet": Sheet(links, find)}
    try:
        html = note_parser().renderInline(text, env)
    except _STUMBLES:
        html = plain_html(text)
    return _walled(html)


def embedded_lines(note: Note, link: Link) -> Sequence[str]:
    """The lines that an embed of a note shows: those of the block or heading it names, else all, at
    most EMBEDDED_LINES; where the note has no such place, words that say so."""
    first = read_front_matter(note.lines).lines + 1
    last = len(note.lines)
    if link.block:
        named = [each for each in note.blocks if each.id.lower() == link.block.lower()]
        if not named:
            return _NO_SUCH_PLACE
        first = named[0].first
        last = named[0].last
    elif link.heading:
        at = find_heading(note, link.heading)
        if at is None:
            return _NO_SUCH_PLACE
        first = note.sections[at].first
        last = extent(note.sections, at)
    shown = [clipped(line, 1000) for line in note.shown[first - 1 : last]]
    if len(shown) > EMBEDDED_LINES:
        return [*shown[:EMBEDDED_LINES], "", "…"]
    return shown


# -- parts -----------------------------------------------------------------------------


class _Piece(NamedTuple):
    """Lines `begin` to `end` of a note (from 0, `end` left out), as they are shown: without
    comments.

    `head` is what the next piece begins with where a block goes on in it: the mark of its code, the
    head of its table.
    """

    shown: Sequence[str]
    begin: int
    end: int
    head: Sequence[str] = ()


def _next_piece(
    lines: Sequence[str],
    last: _Piece,
    size: int,
) -> _Piece:
    """The piece behind another, cut before a block near its size."""
    head = last.head
    far = _reach(lines, last.end, size + size // 4)
    window = [clipped(line, MAX_MARKED) for line in (*head, *lines[last.end : far])]
    begin = last.end - len(head)
    is_last = far == len(lines)
    if is_last and not any("%%" in line or "<!--" in line for line in window):
        return _Piece(window, begin, far)
    body = read_uncommented(window)
    if is_last:
        return _Piece(_uncommented(body, window), begin, far)
    near = _reach(lines, last.end, size) - begin
    cut = _cut(body, near)
    if cut:
        return _Piece(body.shown[:cut], begin, begin + cut)
    head = _head(body.blocks, window)
    return _Piece(_uncommented(body, window), begin, far, head)


def _uncommented(body: Readable, lines: Sequence[str]) -> Sequence[str]:
    """The lines without comments; one that nothing closes is shown, so that nothing is missing
    without a word."""
    if not _goes_on(body):
        return body.shown
    first = body.wide[-1][0]
    ends_so = lines[-1].rstrip().endswith(("%%", "-->"))
    if ends_so or "".join(body.shown[first:]).strip():
        return body.shown
    return [*body.shown[: first - 1], *lines[first - 1 :]]


def _goes_on(body: Readable) -> bool:
    """Whether a comment reaches the end."""
    return bool(body.wide) and body.wide[-1][1] >= len(body.shown) - 1


def _cut(body: Readable, near: int) -> int:
    """The lines above the block that the next piece begins with: the outermost behind `near`, else
    a comment that goes on beyond the end; 0 for no such place."""
    hidden: set[int] = set()
    for first, last in body.wide:
        hidden.update(range(first + 1, last + 1))
    behind = (block for block in body.blocks if block.first > near)
    firsts = [(block.depth, block.first) for block in behind if block.first not in hidden]
    if firsts:
        return min(firsts)[1] - 1
    if _goes_on(body):
        return body.wide[-1][0] - 1
    return 0


def _reach(
    lines: Sequence[str],
    begin: int,
    size: int,
) -> int:
    """The end of the lines from `begin` on that have that many characters, at least one line."""
    count = 0
    for number in range(begin, len(lines)):
        count += min(max(len(lines[number]), _SHORT), MAX_MARKED)
        if count >= size:
            return number + 1
    return len(lines)


def _head(blocks: Sequence[Block], lines: Sequence[str]) -> Sequence[str]:
    """What the block that ends the lines is begun with."""
    if not blocks or blocks[-1].last < len(lines):
        return ()
    last = blocks[-1]
    if last.kind == "table":
        return lines[last.first - 1 : last.first + 1]
    if last.kind == "code" and lines[last.first - 1].lstrip(" \t>-*+").startswith(("```", "~~~")):
        return lines[last.first - 1 : last.first]
    return ()


def _definitions(lines: Sequence[str], piece: _Piece) -> Iterator[str]:
    """The lines outside a piece that say where its references and footnotes lead."""
    others = (*lines[: piece.begin], *lines[piece.end :])
    found = (line[:2000] for line in others if "]:" in line[:210] and _DEFINITION.match(line))
    for line in islice(found, _MAX_DEFINITIONS):
        yield from (line, "")


def _render(lines: Sequence[str], sheet: Sheet) -> str:
    """Lines as HTML; what nests too deep, or what markdown-it stumbles over, as it is written."""
    text = "\n".join(lines)
    try:
        check_work(lines)
        html = note_parser().render(text, {"sheet": sheet})
    except _STUMBLES:
        sheet.headings.clear()  # nothing has their anchors
        html = f'<pre class="plain" tabindex="0">{plain_html(text)}</pre>'
    return _walled(html)


# -- the wall --------------------------------------------------------------------------

TAGS = frozenset(
    "a blockquote br code del details div em h2 h3 h4 h5 h6 hr img input li mark ol p pre s section"
    " span strong summary sup table tbody td th thead tr ul".split()
)
"""Every tag that a note may have on a page."""
ATTRIBUTES = {
    "*": {"id", "class"},
    "a": {"href", "rel"},
    "code": set(),
    "details": {"open"},
    "div": {"aria-label", "role", "tabindex"},
    "img": {"src", "alt", "loading", "width"},
    "input": {"type", "disabled", "checked", "aria-label"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"title", "aria-hidden"},
}
"""The attributes that a tag may have, those of all under `*`."""
SCHEMES = frozenset({"http", "https", "mailto"})
"""Where a link may lead beside the pages themselves."""
_VALUES = {
    "aria-hidden": "true",
    "class": (
        "(?:callout(?: (?:note|tip|warning)|-title)|box|center|elsewhere|embed|file|footnote"
        r"[\w-]{0,20}|formula|heading|key|language-[\w+#-]{0,100}|left|missing|plain|right|tag"
        "|task(?: closed)?|wide)"
    ),
    "id": r"(?:line|block|heading)-\S{1,1000}|fn(?:ref)?(?:-embed\d+-)?\d+(?::\d+)?",
    "loading": "lazy",
    "rel": "noreferrer noopener",
    "role": "group",
    "src": r"/file/[^/\\].*",
    "start": r"\d{1,9}",
    "tabindex": "0",
    "type": "checkbox",
    "width": r"\d{1,4}",
}
"""What the value of an attribute may be, where not anything."""
_OWN = re.compile(r"#\S+|/(?:note|file)/[^/\\].*|/memory/search\?tag=[\w%+.~-]*")
"""The addresses of these pages that a note may lead to."""


def _walled(html: str) -> str:
    """What of the HTML may be shown; characters that steer what is around them are made visible."""
    return escape_controls(_wall().clean(html))


@cache
def _wall() -> nh3.Cleaner:
    allowed = {name: re.compile(pattern) for name, pattern in _VALUES.items()}

    def value_of(_: str, name: str, value: str) -> str | None:
        if name in allowed and not allowed[name].fullmatch(value):
            return None
        return value

    def own(address: str) -> str | None:
        if _OWN.fullmatch(address):
            return address
        return None

    return nh3.Cleaner(
        tags=set(TAGS),
        attributes=ATTRIBUTES,
        attribute_filter=value_of,
        link_rel=None,
        url_schemes=set(SCHEMES),
        url_relative=own,
    )
