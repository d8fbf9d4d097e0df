"""Lines of a daily note: what `note` adds, what was captured and is a fact now, and the sections of
sessions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import UsageError
from indexer.reading.blocks import TEXT_LIMIT
from indexer.spelling import UTF8_BOM

from .change import BY_HAND, open_note_lines
from .note_lines import below_title
from .placement import gap, insertion_point

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Sequence

    from indexer.note import Fact, Note

    from .note_lines import NoteReader

_BULLET = re.compile(r"[-*+](?:[ \t]+|\Z)")
_NUMBER = re.compile(r"\d{1,9}[.)][ \t]+")
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_TAB = 4
"""Columns of a tab in a text that is given."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_STEERS = re.compile(r"\x1b\[[0-?]{0,99}[ -/]{0,9}[@-~]|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)")
"""What steers a terminal, from its first character to its last: a colour, a title. Never without an
escape character: the one-character forms are also what misread quotation marks look like, with
words between them."""
_LEFT_OUT_NOTICE = "characters that are not text (control characters, invalid UTF-8) were left out"


class Addition(NamedTuple):
    """What is to be appended: an `opening` for a note that is new, the `data`, and what a person
    should know."""

    opening: bytes
    data: bytes
    notice: str = ""


def daily_line(
    text: str,
    path: str,
    before: bytes | None,
    moment: datetime.datetime,
    read: NoteReader,
    first: str | None = None,
    *,
    tabs: bool = False,
) -> Addition:
    """A text as a list item at the end of a daily note that holds `before`; UsageError for none, or
    too much.

    It stands under a heading of its own, the time, where the last one would make it a proposal or
    no fact at all. A new note begins with `first`, unless given with its date as a heading. `tabs`
    is for Logseq.
    """
    check_size(text)
    item = as_item(text, tabs=tabs)
    notices: list[str] = []
    if _CONTROL.search(text.replace("\r", "\n")):
        notices.append(_LEFT_OUT_NOTICE)
    data = item.encode()
    opening = b""
    if not before or before == UTF8_BOM:
        if first is None:
            first = f"# {moment:%Y-%m-%d}\n\n"
        before = opening = first.encode()
    why = ""
    if len(before) + len(data) > TEXT_LIMIT:
        why = (
            f"larger than {TEXT_LIMIT >> 20} MiB, so no search will find this line; split the note"
        )
    elif before and not _is_fact(path, before, data, read):
        headed = f"\n## {moment:%H:%M}\n\n".encode() + data
        if _is_fact(path, before, headed, read):
            data = headed
        else:
            why = (
                "added, but not read as a fact: maybe it begins with # like a heading, or a code"
                " block or comment above it is not closed"
            )
    if why:
        notices.insert(0, f"{path}: {why}")
    return Addition(opening, data, "; ".join(notices))


def place_of_line(added: Addition, after: bytes, facts: Iterable[Fact]) -> dict[str, object]:
    """Where a line that was added stands in its note as that is `after`, with its id where it is
    one of the `facts`."""
    last = after.count(b"\n")
    lines = added.data.split(b"\n")
    above = next((number for number, each in enumerate(lines) if each.startswith(b"-")), 0)
    first = last + 2 - len(lines) + above
    told: dict[str, object] = {"lines": [first, last]}
    for fact in facts:
        if fact.first == first:
            told.setdefault("id", fact.key)
    return told


def check_size(text: str) -> None:
    """UsageError for more text than is read of one note."""
    if len(text) > TEXT_LIMIT or len(text.encode("utf-8", "surrogatepass")) > TEXT_LIMIT:
        limit = f"{TEXT_LIMIT >> 20} MiB"
        raise UsageError(
            f"not written: the text is larger than {limit}",
            f"only the first {limit} of a note are read; split the text",
        )


def as_item(text: str, *, tabs: bool = False) -> str:
    """A text as a list item, every line of it inside; UsageError for no text.

    A bullet that the text begins with is the item's own, and lines with one as far left are items
    beside it. Other lines are nested as deep as in the text; with `tabs` as Logseq writes it, one
    for each level.
    """
    clean = _CONTROL.sub("", _STEERS.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.rstrip() for line in clean.rstrip().split("\n")]
    while lines and lines[0].strip() in {"", "-", "*", "+"}:
        lines.pop(0)
    if not lines:
        raise UsageError(
            "the text of the note is missing", "for example: aurelius note Met Joe at the fair"
        )
    return "\n".join(map(_ItemWriter(tabs=tabs).line, lines)) + "\n"


class _Item(NamedTuple):
    """An item that lines can be nested in: the columns of its bullet (-1 for none) and of its words
    in the text that was given, and what stands before lines inside it."""

    column: int
    words: int
    indent: str


class _ItemWriter:
    """Writes the lines of a text, one after another, as those of a list; the first is an item."""

    def __init__(self, *, tabs: bool) -> None:
        self._tabs = tabs
        self._around: list[_Item] = []
        """The items that the next line may be nested in, the one in the note first."""
        self._fence = ""
        self._margin = 0
        """What opened the code that the next line is in, "" for none, and the columns before it."""

    def line(self, line: str) -> str:
        """A line of the text as one of the list."""
        words = line.lstrip(" \t")
        if self._fence:
            return self._code(line, words)
        column = len(line[: len(line) - len(words)].expandtabs(_TAB))
        mark = self._mark(words)
        if words:
            self._leave(column)
        rest = words.removeprefix(mark)
        inner = column + len(words) - len(rest)
        fence = _FENCE.match(rest)
        if fence:
            self._fence = fence[0]
            self._margin = inner
        if mark and self._around and not self._is_beside(mark, column):
            return self._nested(words, rest, column, inner)
        if mark or not self._around:
            self._around = [_Item(column, inner, "  ") if mark else _Item(-1, 0, "  ")]
            return f"- {rest}".rstrip()
        return self._inside(line, self._around[-1].words)

    def _code(self, line: str, words: str) -> str:
        """A line of code, which may be the one that closes it."""
        if words.startswith(self._fence) and set(words) == {self._fence[0]}:
            self._fence = ""
        return self._inside(line, self._margin)

    def _leave(self, column: int) -> None:
        """Leave the items that a line which begins at a column is not in."""
        while len(self._around) > 1 and self._around[-1].column >= column:
            self._around.pop()

    def _mark(self, words: str) -> str:
        """The bullet that words begin with, or in an item the number, "" for none."""
        mark = _BULLET.match(words)
        if not mark and self._around and not self._tabs:
            mark = _NUMBER.match(words)
        return mark[0] if mark else ""

    def _is_beside(self, mark: str, column: int) -> bool:
        """Whether a bullet is as far left as the first one, so that its item stands beside that."""
        return mark[0] in "-*+" and self._around[0].column >= column

    def _nested(
        self,
        words: str,
        rest: str,
        column: int,
        inner: int,
    ) -> str:
        """The first line of an item in the one before."""
        if self._tabs:
            indent = "\t" * len(self._around)
            self._around.append(_Item(column, inner, indent + "  "))
            return f"{indent}- {rest}".rstrip()
        indent = self._around[-1].indent
        self._around.append(_Item(column, inner, indent + " " * (inner - column)))
        return indent + words

    def _inside(self, line: str, columns: int) -> str:
        """A line below the last item: `columns` of its indent become that item's indent. A blank
        line becomes empty."""
        if not line.strip(" \t"):
            return ""
        return self._around[-1].indent + _without(line, columns)


def _without(line: str, columns: int) -> str:
    """A line with so much less before its words, where there is so much."""
    at = column = 0
    while column < columns and line[at : at + 1] in {" ", "\t"}:
        if line[at] == "\t":
            column += _TAB - column % _TAB
        else:
            column += 1
        at += 1
    return " " * (column - columns) + line[at:]


def _is_fact(
    path: str,
    before: bytes,
    data: bytes,
    read: NoteReader,
) -> bool:
    """Whether what is appended would be read as one more fact that holds, or as a task."""
    end = b"" if before.endswith((b"\n", b"\r")) else b"\n"
    old = read(path, before)
    new = read(path, before + end + data)
    active = [sum(fact.status == "active" for fact in note.facts) for note in (old, new)]
    return active[1] > active[0] or len(new.tasks) > len(old.tasks)


# -- what was captured and is a fact now -----------------------------------------------


def told_of_day(
    data: bytes,
    text: str,
    own: str,
    *,
    path: str,
    read: NoteReader,
) -> bytes:
    """A daily note with one more fact, called `own`, behind what stands above its headings: it
    tells of no hour.

    UsageError where it would not be read as a fact there, or others would be read differently.
    """
    here = open_note_lines(path, data, read)
    below = below_title(here.note)
    size = below[0].first - 1 if below else len(here.lines.texts)
    top = open_note_lines(path, b"".join(data.splitlines(keepends=True)[:size]), read)
    where = insertion_point(top.note, "", top.lines.texts, top.body.blocks)
    words = text.removeprefix("- ")
    here.lines.insert(
        where.line, [*where.before, where.bullet + words, *gap(where.line, here.lines.texts)]
    )
    made = next(
        (fact for fact in here.after().facts if fact.id == own and fact.status == "active"), None
    )
    if made is None:
        raise UsageError(
            f"{path}: not written: this line would not be read as a fact: {text}", BY_HAND
        )
    return here.close(here.note.facts, [made])


# -- sessions --------------------------------------------------------------------------

_TOUCHED = re.compile(r"Files touched(?: in session (\S{1,8}))?: (.+)")


def free_heading(note: Note, moment: datetime.datetime) -> str:
    """The heading of a session's section that no other section of the note has: its time, to the
    second if need be."""
    taken = [section.heading[-1:] for section in note.sections]
    plain = moment.strftime("Session %H:%M")
    if (plain,) not in taken:
        return plain
    return moment.strftime("Session %H:%M:%S")


def with_session(
    data: bytes,
    heading: str,
    own: str,
    touched: Sequence[str],
    summary: str = "",
) -> bytes:
    """A daily note with a section for a session at its end: its summary, and on one line the files
    that were touched in it, which is called `own`."""
    text = f"## {heading}\n\n"
    if summary:
        text += f"In short: {summary}\n\n"
    if touched:
        session = f" in session {own}" if own else ""
        text += f"Files touched{session}: {', '.join(touched)}\n"
    if b"\r\n" in data:
        text = text.replace("\n", "\r\n")
    end = b""
    if data and not data.endswith(b"\n\n"):
        end = b"\n" if data.endswith(b"\n") else b"\n\n"
    return data + end + text.encode()


def files_touched(note: Note, own: str) -> set[str]:
    """The files that a daily note says were touched in a session, which is called `own`."""
    files: set[str] = set()
    for line in note.lines:
        match = _TOUCHED.fullmatch(line.strip())
        if match and match[1] == own:
            files.update(match[2].split(", "))
    return files
