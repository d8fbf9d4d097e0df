"""HTML as Markdown, without any HTML left in it.

Read once from beginning to end, without a tree: whatever it holds, it takes time and memory by its
length. Scripts and styles are dropped; a picture of the web stays a link.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Protocol

from .note_parts import as_typed
from .shapes import as_line, clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_HTML = 4 << 20
"""Letters of the HTML of one note."""

MOST_NESTED = 60
"""Elements inside of each other that are told apart."""

_WIDE = frozenset("p h1 h2 h3 h4 h5 h6 ul ol blockquote pre table figure dl math-block".split())
_NARROW = frozenset(
    "div li tr section article header footer main aside nav details summary figcaption dt dd form"
    " address center fieldset body html caption tbody thead tfoot".split()
)
_VOID = frozenset("br hr img input en-media en-todo meta link col wbr source area base".split())
_DROPPED = frozenset(
    "drop script style head svg noscript template object iframe select textarea button".split()
)
_RAW = frozenset(("pre", "code", "annotation"))
_CLOSED_BY = {
    "li": {"li", "p"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th", "p"},
    "th": {"td", "th", "p"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
}
_MARKS = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "s": "~~",
    "del": "~~",
    "strike": "~~",
    "mark": "==",
}
_STYLES = (
    (re.compile(r"font-weight:\s*(?:bold|[6-9]00)"), "**"),
    (re.compile(r"font-style:\s*italic"), "*"),
    (re.compile(r"line-through"), "~~"),
    (re.compile(r"--?(?:en|evernote)-highlight"), "=="),
)
_LINE = "\x04"  # a block begins or ends here
_BLANK = "\x03"  # a line of code that says nothing, and stays
_BOXES = {False: "\x01", True: "\x02"}
_ENDS = re.compile(r" ++(?=[\x04\n])")
_RUN = re.compile(r"[\x04\n]+")
_BOX = re.compile(r"(?m)^([ >]*)(?:[-*] |\d+\. )?([\x01\x02]) *")
_SPACES = re.compile(r"\s+")
_NO_ELEMENT = re.compile(r"<[!?][^<>]*>|\]\]>")
_NO_TAG = re.compile(r"""<(?!/?[A-Za-z](?:[^<>"']++|"[^"]*+"|'[^']*+')*+>)""")
_ADDRESS = re.compile(r"(?i)(?!javascript:|vbscript:|data:)[a-z][a-z0-9+.-]*:.")
_MOST_COLUMNS = 200


class HtmlMeaning(Protocol):
    """What elements mean in the HTML of one program."""

    def tag(self, tag: str, attrs: Mapping[str, str]) -> str:
        """The tag that an element is read as; "drop" for none of it."""

    def link(self, address: str, words: str) -> str:
        """The Markdown of a link."""

    def shown(self, tag: str, attrs: Mapping[str, str]) -> str:
        """The Markdown of a picture or a file."""


class PlainMeaning:
    """HTML as it is on the web."""

    def tag(self, tag: str, _: Mapping[str, str]) -> str:
        """The tag itself."""
        return tag

    def link(self, address: str, words: str) -> str:
        """A link to the web; the words alone where it leads elsewhere."""
        return link_to(address, words)

    def shown(self, tag: str, attrs: Mapping[str, str]) -> str:
        """A link to a picture of the web."""
        return link_to(attrs.get("src", ""), as_typed(attrs.get("alt", "") or tag))


def link_to(address: str, words: str) -> str:
    """A Markdown link, by words that are Markdown; these alone where the address is none, or runs
    something."""
    address = "".join(address.split())
    if not _ADDRESS.match(address):
        return words
    if not words or words == as_typed(address):
        return address
    if address in words:
        return words
    for odd in "()<>":
        address = address.replace(odd, f"%{ord(odd):02X}")
    return f"[{words}]({address})"


def html_as_markdown(html: str, meaning: HtmlMeaning | None = None) -> str:
    """HTML as Markdown. ValueError where it is longer than MOST_HTML."""
    if len(html) > MOST_HTML:
        raise ValueError(f"its text is longer than {MOST_HTML >> 20} MB")
    reading = _Reading(meaning or PlainMeaning())
    reading.feed(_only_elements(clean_text(html)))
    reading.close()
    return reading.text()


def _only_elements(html: str) -> str:
    """HTML without comments and declarations, and with every `<` that begins no whole tag as text:
    what is left can be parsed in one go."""
    first, *others = html.split("<!--")
    html = first + "".join(part.partition("-->")[2] for part in others)
    return _NO_TAG.sub("&lt;", _NO_ELEMENT.sub("", html.replace("<![CDATA[", "")))


class _Element:
    """An element that is open, with the Markdown of what is in it."""

    def __init__(self, tag: str, attrs: Mapping[str, str]) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parts: list[str] = []
        self.number = 0
        self.marker = "- "
        self.rows: list[list[str]] = []


class _Reading(HTMLParser):
    def __init__(self, meaning: HtmlMeaning) -> None:
        super().__init__()
        self._meaning = meaning
        self._open = [_Element("", {})]
        self._dropped = ""  # the tag of what is left out, until it ends
        self._depth = 0
        self._code = 0
        self._fresh = True  # at the beginning of a line
        self._spaced = True

    def text(self) -> str:
        while len(self._open) > 1:
            self._close()
        found = _BOX.sub(_task, _settled(self._open[0].parts))
        for box in _BOXES.values():
            found = found.replace(box, "")
        return found.replace(_BLANK, "")

    # -- what the parser says ------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if self._dropped and tag != "body":
            self._depth += tag == self._dropped
            return
        self._dropped = ""
        kind = self._meaning.tag(tag, told)
        if kind in _VOID:
            self._add_void(kind, told)
        if tag in _VOID:
            return
        if kind in _DROPPED or kind in _VOID:
            self._dropped = tag
            self._depth = 1
        else:
            self._begin(tag, kind, told)

    def _begin(
        self,
        tag: str,
        kind: str,
        attrs: dict[str, str],
    ) -> None:
        """An element that holds others; one too deep is read as what it lies in."""
        while self._open[-1].tag in _CLOSED_BY.get(kind, ()):
            self._close()
        if self._open[-1].tag == "p" and kind in _WIDE:
            self._close()
        if len(self._open) >= MOST_NESTED:
            return
        if kind in _WIDE or kind in _NARROW:
            self._fresh = True
        self._code += kind in _RAW
        element = _Element(kind, attrs)
        attrs[""] = tag
        if kind == "li" and "--en-checked:" in attrs.get("style", ""):
            element.parts.append(_BOXES["--en-checked:true" in attrs["style"]])
        self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self._dropped:
            self._depth -= tag == self._dropped
            self._dropped *= self._depth > 0
            return
        for depth in range(len(self._open) - 1, 0, -1):
            element = self._open[depth]
            if element.attrs[""] == tag:
                while len(self._open) > depth:
                    self._close()
                return
            if element.tag in {"td", "th", "table"} and tag not in {"table", "tr", "td", "th"}:
                return

    def handle_data(self, data: str) -> None:
        element = self._open[-1]
        if self._dropped or element.tag in {"ul", "ol", "table", "tr", "math"}:
            return
        if self._code:
            self._add_code(data)
            return
        text = _SPACES.sub(" ", data)
        if self._spaced or self._fresh:
            text = text.removeprefix(" ")
        if text:
            element.parts.append(as_typed(text, starts=self._fresh))
            self._fresh = False
            self._spaced = text.endswith(" ")

    # -- what is written -----------------------------------------------------------------------

    def _add_code(self, data: str) -> None:
        is_between = data.isspace() and "\n" in data
        if is_between and self._open[-1].attrs.get("") == "div":
            return
        self._open[-1].parts.append(data.replace("\xa0", " "))
        self._fresh = self._spaced = False

    def _add_void(self, kind: str, attrs: dict[str, str]) -> None:
        parts = self._open[-1].parts
        if kind == "br":
            parts.append("\n")
            self._fresh = True
        elif kind == "hr":
            parts.append("\n\n---\n\n")
            self._fresh = True
        elif kind == "en-todo" or attrs.get("type") == "checkbox":
            parts.append(_LINE * (not self._fresh) + _BOXES[_is_checked(attrs)])
            self._fresh = True
        elif kind in {"img", "en-media"}:
            parts.append(self._meaning.shown(kind, attrs))
            self._fresh = self._spaced = False

    def _close(self) -> None:
        """Write the last open element into the one in which it lies."""
        element = self._open.pop()
        tag = element.tag
        self._code -= tag in _RAW
        inner = "".join(element.parts)
        parts = self._open[-1].parts
        if self._code and tag != "pre":
            ends = tag in _NARROW and not inner.endswith("\n")
            parts.append(inner + "\n" * ends)
        elif tag in _WIDE or tag in _NARROW or tag in {"td", "th"}:
            self._fresh = True
            self._add_block(element, inner)
        else:
            parts.append(self._inline(element, inner))

    def _inline(self, element: _Element, inner: str) -> str:
        tag = element.tag
        if tag == "code":
            return _code_words(inner)
        if tag == "a":
            words = as_line(inner.replace(_LINE, " "))
            return self._meaning.link(element.attrs.get("href", ""), words)
        if tag == "annotation":
            return f"${as_line(inner)}$" if inner.strip() else ""
        found = [_MARKS[tag]] if tag in _MARKS else _marks_of_style(element)
        for mark in found:
            inner = _marked(inner, mark)
        return inner

    def _add_block(self, element: _Element, inner: str) -> None:
        parent = self._open[-1]
        tag = element.tag
        if tag == "pre":
            parent.parts.append(_fenced(inner.replace(_LINE, ""), _language(element)))
        elif tag in {"td", "th"} and parent.tag == "tr":
            self._add_cell(parent, element, _settled(element.parts))
        elif tag == "tr":
            self._add_row(element)
        elif tag == "table":
            parent.parts.append(f"\n\n{_table(element)}\n\n")
        elif tag == "li":
            self._add_item(parent, _settled(element.parts))
        else:
            self._add_other(parent, tag, inner)

    def _add_other(
        self,
        parent: _Element,
        tag: str,
        inner: str,
    ) -> None:
        """A paragraph, a heading, a list, a quote, or a line."""
        text = _settled([inner])
        wide = "\n\n"
        if tag in {"ul", "ol"} and parent.tag in {"ul", "ol"}:
            parent.parts.append(_LINE + _indented(text, len(parent.marker)) + _LINE)
        elif tag in {"ul", "ol"} and self._is_in_item():
            parent.parts.append(_LINE + text + _LINE)
        elif tag in _NARROW:
            edges = [wide * inner.startswith(wide), wide * inner.endswith(wide)]
            parent.parts += [edges[0] or _LINE, text, edges[1] or _LINE] if text else [wide]
        elif text:
            parent.parts.append(f"\n\n{_headed(tag, text)}\n\n")

    def _is_in_item(self) -> bool:
        return any(each.tag == "li" for each in self._open)

    def _add_item(self, parent: _Element, text: str) -> None:
        if parent.tag == "ol":
            start = parent.attrs.get("start", "")
            first = int(start) if re.fullmatch(r"[0-9]{1,6}", start) else 1
            parent.marker = f"{first + parent.number}. "
        parent.number += 1
        indent = len(parent.marker)
        parent.parts.append(_LINE + parent.marker + _indented(text, indent)[indent:] + _LINE)

    def _add_cell(self, row: _Element, cell: _Element, text: str) -> None:
        if not row.rows:
            row.rows.append([])
        span = cell.attrs.get("colspan", "")
        more = int(span) - 1 if re.fullmatch(r"[1-9][0-9]?", span) else 0
        if len(row.rows[0]) < _MOST_COLUMNS:
            row.rows[0] += [text, *[""] * more]
        else:
            row.rows[0][-1] += _LINE + text

    def _add_row(self, row: _Element) -> None:
        """A row is one of its table, wherever in it that stands."""
        for element in reversed(self._open):
            if element.tag == "table":
                element.rows += row.rows
                element.parts += row.parts
                return
        self._open[-1].parts += [_LINE, *(" ".join(cells) for cells in row.rows), _LINE]


def _settled(parts: list[str]) -> str:
    """The Markdown of a block: its lines without spaces at their ends, and at most one blank."""
    text = _ENDS.sub("", "".join(parts))
    return _RUN.sub(_gap, text).strip(" \n")


def _gap(found: re.Match[str]) -> str:
    run = found[0]
    is_wide = run.count("\n") > 1 or (run[0] == run[-1] == _LINE and "\n" in run)
    return "\n\n" if is_wide else "\n"


def _task(found: re.Match[str]) -> str:
    box = "x" if found[2] == _BOXES[True] else " "
    return f"{found[1]}- [{box}] "


def _is_checked(attrs: Mapping[str, str]) -> bool:
    is_on = "checkbox-on" in attrs.get("class", "").split()
    return is_on or attrs.get("checked", "false").lower() != "false"


def _marks_of_style(element: _Element) -> list[str]:
    if element.tag not in {"span", "font"}:
        return []
    style = element.attrs.get("style", "")[:500]
    return [mark for looks, mark in _STYLES if looks.search(style)]


def _marked(inner: str, mark: str) -> str:
    """Words in bold and the like, each line of them by itself."""
    if _LINE in inner or mark in inner:
        return inner
    return "\n".join(_marked_line(line, mark) for line in inner.split("\n"))


def _marked_line(line: str, mark: str) -> str:
    words = line.strip(" \x01\x02")
    if not words:
        return line
    before, _, after = line.partition(words)
    return f"{before}{mark}{words}{mark}{after}"


def _code_words(inner: str) -> str:
    words = as_line(inner.replace(_LINE, " "))
    if not words:
        return ""
    ticks = "`" * (_longest(words, "`") + 1)
    gap = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{ticks}{gap}{words}{gap}{ticks}"


def _longest(text: str, letter: str) -> int:
    return max(map(len, re.findall(f"{letter}+", text)), default=0)


def _language(element: _Element) -> str:
    told = f"{element.attrs.get('class', '')} {element.attrs.get('style', '')}"
    found = re.search(r"(?:language-|syntaxLanguage:\s*)([A-Za-z0-9+#-]{1,30})", told)
    return found[1].lower() if found else ""


def _fenced(inner: str, language: str) -> str:
    lines = [line.rstrip() or _BLANK for line in inner.strip("\n").split("\n")]
    fence = "`" * max(3, _longest(inner, "`") + 1)
    return "\n\n" + "\n".join((fence + language, *lines, fence)) + "\n\n"


def _headed(tag: str, text: str) -> str:
    if tag == "blockquote":
        return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
    if re.fullmatch(r"h[1-6]", tag):
        return f"{'#' * int(tag[1])} {as_line(text)}"
    return text


def _indented(text: str, count: int) -> str:
    return "\n".join(" " * count * bool(line) + line for line in text.split("\n"))


def _table(element: _Element) -> str:
    """A table; one of a single column is only there for looks, and is read as its blocks."""
    rows = element.rows
    width = max(map(len, rows), default=0)
    before = _settled(element.parts)
    if width < 2:
        return "\n\n".join(filter(None, (before, *("\n".join(row) for row in rows))))
    cells = [[as_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    cells[0] += [""] * (width - len(cells[0]))
    cells.insert(1, ["---"] * width)
    lines = (f"| {' | '.join(row)} |" for row in cells)
    return (before + "\n\n" + "\n".join(lines)).strip("\n")
