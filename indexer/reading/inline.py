"""Links, tags and plain text inside blocks, found with linear scans; code and formulas are left
alone."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple
from urllib.parse import unquote

from indexer.note import Link, Tag
from indexer.spelling import single_spaced

from .blocks import Block

LINK_LIMIT = 20_000
"""Links, and tags, that are read of one note."""

WIKI = re.compile(r"\[\[([^\[\]\n]{1,1000})\]\]")
_DESTINATION = (
    re.compile(  # possessive throughout: no part can begin with what the one before it took
        r"[ \t]{0,20}+\n?+[ \t]{0,20}+"
        r"(?:<((?:[^<>\n\\]|\\[!-~]|\\){0,2000}+)>"
        r"|((?:[^\s()<>\\]|\\[!-~]|\\){1,2000}+"
        r"(?:\((?:[^\s()<>\\]|\\[!-~]|\\){0,500}+\)(?:[^\s()<>\\]|\\[!-~]|\\){0,500}+){0,20}+))"
        r"(?:\s{1,20}+(?:\"[^\"]{0,1000}+\"|'[^']{0,1000}+'|\([^()]{0,1000}+\)))?+\s{0,20}+\)"
    )
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)([^\[\]\n]{1,999})\]:[ \t]*(?:<([^<>\n]{1,2000})>|([^\s<>]{1,2000}))",
    re.MULTILINE,
)
TAG = re.compile(  # the keycap emoji is a `#` with signs that join it
    r"#(?<![^\s(]#)(?![\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f])"
    r"([^\x00-,.:-@\[-^`{-\x7f\s\u2000-\u206f\u3000-\u303f\uff00-\uff20]{1,200})"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}:")
_WEB = ("http://", "https://")
_PLAIN_SCHEMES = "mailto: tel: data: javascript: http: https: ftp: file:".split()
_TICK = re.compile("`")
_TICKS = re.compile("`+")
_LITERAL = re.compile(r"\\.|`+|<!--|%%|\$+", re.DOTALL)
_LITERAL_KINDS = {"`": "code", "$": "formula"}
_DOLLARS = re.compile(r"\\.|(\$+)", re.DOTALL)
_LINE_BEGIN = re.compile(r"(?:[ \t]|[>*+-]|\d{1,9}[.)])*")
_NEAR = 2000
"""Characters around a mark that decide what it is."""
_FAR = 4000
"""Characters of an HTML comment that goes on beyond its block."""
_ADDRESS = re.compile(r"\S*(?:://|\]\()\S*")


class Literal(NamedTuple):
    """A part of a text that is not read as Markdown: `kind` is code, comment or formula."""

    begin: int
    end: int
    kind: str


class Inline:
    """The text of a note with its code and formulas known, so that what stands in them is passed
    over."""

    def __init__(
        self,
        text: str,
        lines: Sequence[str],
        first: int,
        blocks: Sequence[Block],
        formulas: Sequence[int] = (),
    ) -> None:
        """`text` is `lines[first - 1:]` joined, the body (line numbers are the note's), `blocks`
        its blocks.

        `formulas` are the offsets where those of several lines begin and end, flat and in order.
        """
        self.text = text
        self._formulas = formulas
        self.first = first
        self._lines = lines
        self._leaves = [block for block in blocks if block.kind not in ("item", "quote")]
        self._firsts = [block.first for block in self._leaves]
        self._spans: dict[int, list[int]] = {}
        self._raw = bytearray(len(lines) + 2)
        for block in self._leaves:
            if block.kind in ("code", "html"):
                self._raw[block.first : block.last + 1] = b"\x01" * (block.last - block.first + 1)

    def hidden(self, at: int, line: int) -> bool:
        """Whether the character at offset `at` of the text, on that line, stands in code, a formula
        or a comment."""
        if self._raw[line] or bisect_right(self._formulas, at) % 2:
            return True
        leaf = bisect_right(self._firsts, line) - 1
        if leaf < 0 or self._leaves[leaf].last < line:
            return False
        if leaf not in self._spans:
            self._spans[leaf] = self._code_spans(self._leaves[leaf])
        return bisect_right(self._spans[leaf], at) % 2 == 1

    def _code_spans(self, block: Block) -> list[int]:
        """Start and end offsets of what is literal in a block, in order; in a table it ends with
        its line."""
        parts = [(block.first, block.last)]
        if block.kind == "table":
            parts = [(line, line) for line in range(block.first, block.last + 1)]
        bounds: list[int] = []
        for first, last in parts:
            begin = self._begins[first - self.first]
            bounds += code_spans(self.text, begin, self._begins[last - self.first + 1] - 1)
        return bounds

    @cached_property
    def _begins(self) -> list[int]:
        return line_begins(self._lines[self.first - 1 :])

    def line(self, at: int) -> int:
        """The line of the note that an offset of the text is on."""
        return self.first - 1 + bisect_right(self._begins, at)


def line_begins(lines: Iterable[str]) -> list[int]:
    """The offsets of the lines of a text, and where one more would begin."""
    return [0, *accumulate(len(line) + 1 for line in lines)]


def code_spans(text: str, begin: int, end: int) -> list[int]:
    """Offsets where code spans, formulas and comments in `text[begin:end]` begin and end, flat and
    in order."""
    odd = ("<!--", "$", "``", "\\`")
    if all(text.find(mark, begin, end) < 0 for mark in odd):
        ticks = [match.start() for match in _TICK.finditer(text, begin, end)]
        ticks[1::2] = [at + 1 for at in ticks[1::2]]
        return ticks[: len(ticks) // 2 * 2]
    return list(chain.from_iterable(each[:2] for each in literals(text, begin, end)))


def literals(
    text: str,
    begin: int,
    end: int,
    limit: int | None = None,
) -> Iterator[Literal]:
    """Code spans, comments and formulas in `text[begin:end]`, which is one block, in order.

    What begins first counts. A run of backticks opens where a run of the same length follows
    (CommonMark 6.1). `limit` is how far a comment, and a formula that begins a line, may go on
    beyond the block; a `%%` that nothing closes begins one up to there, `<!--` one up to the end of
    the block.
    """
    if limit is None:
        limit = end
    runs: dict[int, list[int]] = {}
    at = begin
    while (match := _LITERAL.search(text, at, end)) is not None:
        at = match.end()
        mark = match.group()
        stop = 0
        if mark[0] == "`":
            runs = runs or _tick_runs(text, match.start(), end)
            stop = _closing_ticks(runs, match)
        elif mark == "<!--":
            stop = comment_end(text, match.start(), end, limit)
        elif mark == "%%" and _opens_comment(text, match.start()):
            closing = text.find("%%", at, limit)
            if closing < 0:
                stop = limit
            else:
                stop = closing + 2
        elif mark[0] == "$":
            stop = _formula_end(text, match, end, limit)
        if stop:
            yield Literal(match.start(), stop, _LITERAL_KINDS.get(mark[0], "comment"))
            at = stop


_DREAM = re.compile(r"<!--[ \t]*openclaw:dreaming:([\w-]+):start[ \t]*-->")
_DREAM_END = r"<!--[ \t]*openclaw:dreaming:{}:end[ \t]*-->"


def comment_end(
    text: str,
    begin: int,
    end: int,
    limit: int,
) -> int:
    """Where the comment ends that `<!--` begins at an offset: beyond its block only where no other
    begins before.

    What OpenClaw works out by itself about a day stands between two comments of its own: that is
    one comment.
    """
    dream = _DREAM.match(text, begin)
    closing = dream and re.compile(_DREAM_END.format(dream[1])).search(text, begin)
    if closing:
        return closing.end()
    stop = text.find("-->", begin + 2, max(end, min(limit, begin + _FAR))) + 3
    if stop < 3 or (stop > end and text.find("<!--", begin + 4, stop) >= 0):
        return end
    return stop


def _tick_runs(text: str, begin: int, end: int) -> dict[int, list[int]]:
    """The offsets of the runs of backticks by their length, the last first."""
    found: dict[int, list[int]] = {}
    for match in reversed(list(_TICKS.finditer(text, begin, end))):
        found.setdefault(match.end() - match.start(), []).append(match.start())
    return found


def _closing_ticks(runs: dict[int, list[int]], opened: re.Match[str]) -> int:
    """Where the code span ends that a run of backticks opens, 0 for none; linear, since earlier
    runs are dropped."""
    size = opened.end() - opened.start()
    later = runs.get(size, [])
    while later and later[-1] <= opened.start():
        later.pop()
    if later:
        return later[-1] + size
    return 0


def _opens_comment(text: str, at: int) -> bool:
    """Whether `%%` begins a comment: not in a number (`100%%`), an address (`a%20%%b`) or, unless
    its line has a second, behind a letter."""
    before = text[at - 1 : at]
    word = max(text.rfind(blank, max(0, at - _NEAR), at) for blank in "\n\t ") + 1
    if before.isdigit() or before == "%" or _ADDRESS.fullmatch(text, word, at):
        return False
    return not before.isalpha() or text.find("%%", at + 2, _line_end(text, at)) >= 0


def _line_end(text: str, at: int) -> int:
    """The end of the line at an offset, or of as much of it as is looked at."""
    stop = text.find("\n", at, at + _NEAR)
    if stop >= 0:
        return stop
    return min(at + _NEAR, len(text))


def _formula_end(
    text: str,
    opened: re.Match[str],
    end: int,
    limit: int,
) -> int:
    """Where the formula ends that `$` or `$$` begins, 0 for none.

    As in Obsidian `$` stands right before the first character and right behind the last, and no
    digit follows, so that `$5 and $6` are prices.
    """
    at = opened.end()
    size = at - opened.start()
    if size == 2:
        return _display_end(text, opened.start(), end, limit)
    if size > 2 or at >= end or text[at].isspace():
        return 0
    closing = _closing_dollars(text, at, end, 1)
    if closing < 0 or text[closing - 1].isspace() or text[closing + 1 : closing + 2].isdigit():
        return 0
    return closing + 1


def _closing_dollars(
    text: str,
    at: int,
    end: int,
    size: int,
) -> int:
    """Where so many `$`, or for one any number of them, close a formula, -1 for nowhere; escaped
    ones do not."""
    for match in _DOLLARS.finditer(text, at, end):
        if match[1] and size in (1, len(match[1])):
            return match.start()
    return -1


def _display_end(
    text: str,
    opened: int,
    end: int,
    limit: int,
) -> int:
    """Where the formula that `$$` begins ends: in its block, before a blank line where it begins a
    line, or at any later `$$` where that line has nothing else."""
    at = opened + 2
    line = text.rfind("\n", max(0, opened - _NEAR), opened) + 1
    if _LINE_BEGIN.fullmatch(text, line, opened):
        blank = text.find("\n\n", at, limit)
        alone = not text[at : _line_end(text, at)].strip()
        end = max(end, limit if alone or blank < 0 else blank)
    closing = _closing_dollars(text, at, end, 2)
    if closing >= 0 and text[at:closing].strip():
        return closing + 2
    return 0


def inline_links(inline: Inline) -> list[Link]:
    """Every link to a note or file, in order of lines; at most a little over `LINK_LIMIT` of each
    kind."""
    return sorted((each.link for each in addresses(inline)), key=lambda link: link.line)


class Address(NamedTuple):
    """A link and where its address stands in the text: what is between the brackets of a wikilink,
    or a destination."""

    begin: int
    end: int
    link: Link


def addresses(inline: Inline) -> list[Address]:
    """Every link with the place of its address, kind by kind."""
    kinds = (("[[", _wikilinks), ("](", _markdown_links), ("]:", _definitions))
    found = (islice(read(inline), LINK_LIMIT + 1) for mark, read in kinds if mark in inline.text)
    return [*chain.from_iterable(found)]


def _wikilinks(inline: Inline) -> Iterator[Address]:
    text = inline.text
    for match in WIKI.finditer(text):
        start = match.start()
        line = inline.line(start)
        embed = start > 0 and text[start - 1] == "!"
        before = start - 1 - embed
        if (before >= 0 and text[before] == "\\") or inline.hidden(start, line):
            continue
        link = wikilink(match[1], line, embed)
        if link:
            if not link.label:
                link = link._replace(label=_label_before(text, match))
            yield Address(*match.span(1), link)


def _label_before(text: str, page: re.Match[str]) -> str:
    """The label of `[label]([[page]])`, as Logseq writes it; "" where there is none."""
    start, end = page.span()
    if not (text.endswith("](", 0, start) and text.startswith(")", end)):
        return ""
    begin = opening_bracket(text, start - 2)
    if begin is None or text.endswith("\\", 0, begin):
        return ""
    return single_spaced(text[begin + 1 : start - 2])


def wikilink(inner: str, line: int, embed: bool) -> Link | None:
    """The link `[[inner]]` means: target, then `#heading` or `#^block`, then `|label`."""
    address, _, label = inner.partition("|")
    if label:
        address = address.rstrip("\\")
    if "://" in address:
        return None
    target, _, place = address.partition("#")
    target = _unescaped(target).strip()
    heading, _, block = f"#{place.strip()}".partition("#^")
    heading = heading.removeprefix("#")
    if not (target or heading or block):
        return None
    return Link(
        target=target,
        heading=heading,
        block=block,
        label=label.strip(),
        line=line,
        style="wiki",
        embed=embed,
    )


def _markdown_links(inline: Inline) -> Iterator[Address]:
    text = inline.text
    close = text.find("](")
    while close >= 0:
        match = _destination(text, close + 2)
        line = inline.line(close)
        if match and not inline.hidden(close, line):
            start = opening_bracket(text, close)
            if start is not None and not text.endswith("\\", 0, start):
                group = match.lastindex or 1
                label = single_spaced(text[start + 1 : close])
                link = markdown_link(match[group], label, line, text.endswith("!", 0, start))
                if link:
                    yield Address(*match.span(group), link)
        close = text.find("](", close + 2)


def _destination(text: str, at: int) -> re.Match[str] | None:
    """The address of a link to no page of the web, where `](` has just ended; None for another, and
    for `[label]([[page]])`, which is a link to that page."""
    page = WIKI.match(text, at)
    if text.startswith(_WEB, at) or (page and text.startswith(")", page.end())):
        return None
    return _DESTINATION.match(text, at)


def opening_bracket(text: str, close: int, pair: str = "[]") -> int | None:
    """The offset of the bracket that the one at `close` closes, at most 1,000 characters before it;
    None for none."""
    left = pair[0]
    right = pair[1]
    low = max(0, close - 1000)
    at = close
    depth = 1
    for _ in range(40):
        opened = text.rfind(left, low, at)
        closed = text.rfind(right, low, at)
        at = max(opened, closed)
        if at < 0:
            return None
        depth += 1 if at == closed else -1
        if not depth:
            return at
    return None


def _definitions(inline: Inline) -> Iterator[Address]:
    for match in _DEFINITION.finditer(inline.text):
        line = inline.line(match.start())
        if not inline.hidden(match.start(), line):
            group = match.lastindex or 2
            link = markdown_link(match[group], match[1].strip(), line, False)
            if link:
                yield Address(*match.span(group), link)


_BEFORE_LETTER = re.compile(r"\\(?=[^!-/:-@\[-`{-~])")
"""A backslash that escapes nothing: it parts folders, as on Windows."""
_ENTITY = re.compile(r"&#?\w{1,31};")


def _unescaped(target: str) -> str:
    """The target of a link without backslashes, as CommonMark says, those that part folders as
    `/`."""
    if "\\" not in target:
        return target
    return _ESCAPE.sub(r"\1", _BEFORE_LETTER.sub("/", target))


def markdown_link(
    address: str,
    label: str,
    line: int,
    embed: bool,
) -> Link | None:
    """The link an address means, or None when it leads to the web, to mail, or nowhere."""
    if address.startswith("//") or not address.strip("#") or _is_elsewhere(address):
        return None
    if "&" in address:
        address = _ENTITY.sub(lambda match: html.unescape(match[0]), address)
    address, _, place = address.partition("#")
    target = address.partition("?")[0]
    target = unquote(_unescaped(target))
    place = unquote(place)
    if not (target or place):
        return None
    if place.startswith("^"):
        return Link(
            target=target,
            heading="",
            block=place[1:],
            label=label,
            line=line,
            style="markdown",
            embed=embed,
        )
    return Link(
        target=target,
        heading=place,
        block="",
        label=label,
        line=line,
        style="markdown",
        embed=embed,
    )


def _is_elsewhere(address: str) -> bool:
    """Whether an address has a scheme, as that of a web page, and is no name of a note with a
    colon in it."""
    scheme = _SCHEME.match(address)
    if scheme is None:
        return False
    known = scheme.group().lower() in _PLAIN_SCHEMES or "://" in address
    return known or not address.partition("#")[0].lower().endswith((".md", ".markdown"))


def inline_tags(inline: Inline) -> list[Tag]:
    """Every `#tag` in the text, the first `LINK_LIMIT` and one; `#123` is a number, not a tag."""
    return [Tag(name, line) for _, name, line in islice(tags_at(inline), LINK_LIMIT + 1)]


def tags_at(inline: Inline) -> Iterator[tuple[int, str, int]]:
    """Every `#tag` in the text: the offset of its name, its name, its line."""
    for begin, name in _tags(inline.text):
        line = inline.line(begin)
        if not inline.hidden(begin, line):
            yield begin, name, line


def _tags(text: str) -> Iterator[tuple[int, str]]:
    """Every tag in a text that is all words, with the offset of its name; in a link there is
    none."""
    for match in TAG.finditer(text):
        start = match.start()
        name = match[1].strip("/")
        if name and not name.isdigit() and not _is_in_link(text, start):
            yield start + 1 + match[1].index(name), name


def _is_in_link(text: str, at: int) -> bool:
    """Whether an offset stands in `[[…]]` or in the address behind `](`."""
    near = max(0, at - _NEAR)
    if text[near:at].rstrip(" \t").endswith("]("):
        return True
    opened = text.rfind("[[", max(near, text.rfind("\n", near, at)), at)
    return opened >= 0 and text.rfind("]]", opened, at) < 0 and WIKI.match(text, opened) is not None


def tags_in(text: str) -> tuple[str, ...]:
    """The distinct tags of a short text, code spans excluded."""
    if "#" not in text:
        return ()
    bounds = code_spans(text, 0, len(text))
    found = [name for begin, name in _tags(text) if bisect_right(bounds, begin) % 2 == 0]
    return tuple(dict.fromkeys(found))


HEADING_LIMIT = 1000
"""Characters of a heading's plain text; what follows is only found as text of its line."""

_MARKED = re.compile(r"[\[\]*_`<&\\~=^]")
SHOWN_LINK = re.compile(
    r"!?\[\[([^\[\]|\n]{0,1000})(?:\|([^\[\]\n]{0,1000}))?\]\]"
    r"|!?\[([^\[\]\n]{0,1000})\](?:\((?:[^()\s]{0,1000}|\[\[[^\[\]\n]{0,1000}\]\])\)"
    r"|\[[^\[\]\n]{0,1000}\])"
)
"""A link of any kind in a short text: its page and label (wikilink), or its label (Markdown)."""
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,1000}>")
_EMPHASIS = (
    re.compile(r"(\*{1,3})(?=[^\s*])([^*]{1,1000})(?<=\S)\1(?!\*)"),
    re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]{1,1000})(?<=\S)\1(?!\w)"),
    re.compile(r"(~~|==)(?=[^\s~=])([^~=]{1,1000})(?<=\S)\1"),
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_TRAILING_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]{1,64}$")
_KEPT = re.compile(r"\x00(\d{1,4})\x00")


def plain_inline(text: str) -> str:
    """A heading's text as a reader sees it: links by their label, no marks, no block id, no HTML
    tags."""
    text = text[:HEADING_LIMIT]
    if not _MARKED.search(text):
        return text
    text = _TRAILING_ID.sub("", text)
    kept: list[str] = []
    if any(mark in text for mark in ("`", "\\", "<!--", "$")):
        text = _set_aside(text, kept)
    text = SHOWN_LINK.sub(lambda link: link[2] or link[1] or link[3] or "", text)
    text = _HTML_TAG.sub("", text)
    for marks in _EMPHASIS:
        text = marks.sub(r"\2", text)
    text = html.unescape(text)
    if kept:
        text = _KEPT.sub(lambda number: kept[int(number[1])], text)
    return single_spaced(text)


def _set_aside(text: str, kept: list[str]) -> str:
    """The text with code spans and escaped characters replaced by their number in `kept`; comments
    vanish."""

    def aside(words: str) -> str:
        kept.append(words)
        return f"\0{len(kept) - 1}\0"

    parts: list[str] = []
    edges = pairwise((0, *code_spans(text, 0, len(text)), len(text)))
    for number, (begin, end) in enumerate(edges):
        words = text[begin:end]
        if not number % 2:
            parts.append(_ESCAPE.sub(lambda match: aside(match[1]), words))
        elif words[0] in "`$":
            parts.append(aside(words.strip("`").strip()))
    return "".join(parts)
