"""A change of notes as the pages show it: the lines of its diff, and as what a line was before and
is after, with the words marked that are new in it."""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from aurelius.show.changes import preview

from .line_html import said_html

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from aurelius.writing.check_edit import Edit

    from .links import PageLinks
    from .markup import Spans

_KINDS = {"+": "new", "-": "gone", " ": "same"}
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LETTERS_A_PART = 30_000
_LETTERS_A_LINE = 3000
"""Letters of a diff that are shown at once, and of a line of it."""
_MOST_CHANGED = 40
"""Lines of a change that are told one by one; of more there is only the diff."""
_WORD = re.compile(r"\^?\w[\w-]*")
_HEADING = re.compile(r"#{1,6} ")
_STRUCK = re.compile(r"\s*[-*+] +~~")
_MOVED = "renamed: "
_PATHS = ("--- a/", "+++ b/")
_CALLED = {"gone": ("Removed", "Before"), "new": ("Added", "After")}
"""How a changed line is called that stands alone, and that has another in its place."""


class DiffLine(NamedTuple):
    """A line of a diff: `kind` is head, gone, new or same."""

    kind: str
    text: str


class ChangedLine(NamedTuple):
    """A line that a change takes out or puts in, or the path of the note: its kind as that of a
    DiffLine, or past where it is put in struck; how it is called, and it as HTML."""

    kind: str
    name: str
    html: Markup = Markup()


def diff_lines(edits: Sequence[Edit]) -> Iterator[DiffLine]:
    """The lines of a diff, each with what it is; a very long one is cut."""
    gone = new = 0  # lines still to come of the part that is told
    for line in preview(edits).split("\n")[:-1]:
        kind = "head"
        if gone or new:
            kind = _KINDS.get(line[:1], "head")
            gone -= kind in {"gone", "same"}
            new -= kind in {"new", "same"}
        elif found := _HUNK.match(line):
            gone, new = (int(each or 1) for each in found.groups())
        more = len(line) - _LETTERS_A_LINE
        cut = f" … ({more:,} more letters)" if more > 0 else ""
        yield DiffLine(kind, line[:_LETTERS_A_LINE] + cut)


def lines_digest(lines: Iterable[DiffLine]) -> str:
    """A name for the lines that a diff takes out and puts in, wherever they stand."""
    changed = [line for line in lines if line.kind in {"gone", "new"}]
    return sha256(repr(changed).encode()).hexdigest()


def diff_parts(lines: Iterable[DiffLine]) -> list[list[DiffLine]]:
    """The lines of a diff in parts that a page shows one at a time."""
    parts: list[list[DiffLine]] = [[]]
    letters = 0
    for line in lines:
        if letters > _LETTERS_A_PART:
            parts.append([])
            letters = 0
        parts[-1].append(line)
        letters += len(line.text) + 30
    return parts


def changed_lines(links: PageLinks, lines: Iterable[DiffLine]) -> list[ChangedLine]:
    """The lines of a diff that change, under the path of each note; none where there is nothing to
    compare, or too much."""
    found: list[ChangedLine] = []
    path = ""
    for is_changed, run in groupby(_told(lines), lambda each: each.kind in _CALLED):
        if is_changed:
            found += _compared(links, path, [*run])
            continue
        for told in _heads(run):
            path = told
            found.append(ChangedLine("head", told))
    changed = [each for each in found if each.kind != "head"]
    if not changed or len(changed) > _MOST_CHANGED:
        return []
    return found


def _told(lines: Iterable[DiffLine]) -> Iterator[DiffLine]:
    """The lines of a diff without its remarks that a line has no end."""
    for line in lines:
        if line.kind in _CALLED or not line.text.startswith("\\"):
            yield line


def _heads(run: Iterable[DiffLine]) -> Iterator[str]:
    """What the lines between changes say of the note that comes: where it moves, and its path."""
    path = ""
    for line in run:
        if line.kind != "head":
            continue
        if line.text.startswith(_MOVED):
            yield line.text
        if line.text.startswith(_PATHS):
            path = line.text[6:]
    if path:
        yield path


def _compared(
    links: PageLinks,
    path: str,
    run: Sequence[DiffLine],
) -> Iterator[ChangedLine]:
    """Lines that take the place of each other, the words marked that only one side has."""
    gone = _words(run, "gone")
    new = _words(run, "new")
    others = {
        "gone": new,
        "new": gone,
    }
    past = []
    for line in run:
        kind = line.kind
        text = _HEADING.sub("", line.text[1:], count=1)
        if kind == "new" and _STRUCK.match(text):
            html = said_html(links, path, text)
            past.append(ChangedLine("past", "Past", html))
            continue
        find = _finder(others[kind])
        html = said_html(links, path, text, find)
        if html:
            name = _CALLED[kind][bool(gone and new)]
            yield ChangedLine(kind, name, html)
    yield from past


def _words(run: Iterable[DiffLine], kind: str) -> set[str]:
    """The words of the lines of a kind."""
    found: set[str] = set()
    for line in run:
        if line.kind == kind:
            found |= {*_WORD.findall(line.text)}
    return found


def _finder(others: Collection[str]) -> Callable[[str], Spans] | None:
    """What finds the words that are not among some others; None where there are no others."""
    if not others:
        return None

    def find(text: str) -> Spans:
        words = _WORD.finditer(text)
        return [each.span() for each in words if each[0] not in others]

    return find
