"""Markdown as people's tools write it → HTML: our rules for markdown-it.

Wikilinks, embeds, tags, tasks, callouts, `==marks==`, `^ids`, formulas, bare addresses and `key::
value`, read with the patterns of `indexer/reading`. HTML in a note is text. Each block has the id
`line-N` of its first line, so that a page can be opened at a line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, newline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

from indexer.catalog.graph import means_file
from indexer.catalog.link_targets import letters
from indexer.note import Link
from indexer.reading.blocks import MAX_DEPTH, UnreadableError
from indexer.reading.facts import (
    Item,
    parse_task,
    task_mark,
)
from indexer.reading.front_matter import PROPERTY_LINE
from indexer.reading.inline import (
    TAG,
    WIKI,
    markdown_link,
    plain_inline,
    wikilink,
)
from indexer.reading.markdown import PROPERTY
from indexer.spelling import shorten

from .addresses import image_url, note_url

MAX_MARKED = 16_384
"""Characters of a line, and of a paragraph, that are read as Markdown; more is plain text."""
MAX_TOKENS = 40_000
"""Beginnings and ends of blocks in a part; a short line can fill a row of a wide table."""
MAX_CELLS = 12_000
"""Columns of a table times the lines behind its head; above it is text."""
WRAPPED = 60
"""A line of fewer characters was ended on purpose; the words of a longer one flow into the next."""
_FILE_WORDS = {".base": "a base of Obsidian", ".canvas": "a canvas of Obsidian"}
"""What a file is that has no place in the text, by its ending."""
MAX_EMBEDS = 20
"""Notes that are shown inside a part of another; further ones are links."""

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg")
"""Endings of files that are shown as pictures; an `<img>` runs no script of an SVG."""
_NOTE_ENDINGS = (".md", ".markdown")
MARKUP = re.compile(r"[\n*_`\[\\~^#<&$]|==|://|::")
"""What a text without markup has none of."""
_TERMINATORS = re.compile(r"[\n!#$&*:<=\[\\\]^_`~]")
_PAGE = re.compile(rf"!?(?:\[([^\[\]\n]{{1,1000}})\]\()?{WIKI.pattern}(?(1)\))")
_HIGHLIGHT = re.compile(r"==(?=[^\s=])([^=\n]{1,1000})(?<=\S)==")
_FORMULA = re.compile(r"\$\$([^$]{1,2000})\$\$|\$(?=[^\s$])([^$\n]{1,1000})(?<=\S)\$(?!\d)")
_FOOTNOTE = re.compile(r"\[\^[^\s\[\]]{1,200}\]")
_BARE = re.compile(r"://[^\s<>\[\]`\"|]{1,2000}")
_BEFORE_BARE = re.compile(r"(?i)(?<![A-Za-z0-9])https?$")
_ID = re.compile(r"(?:^|[ \t\n])\^([A-Za-z0-9-]{1,64})[ \t]*$")
_CALLOUT = re.compile(r"\[!([\w-]{1,30})\]([+-]?)[ \t]*([^\n]*)(?:\n|$)")
_ELSEWHERE = re.compile(r"(?i)(?:https?://|mailto:)([^/?#]*)")
_WIDTH = re.compile(r"\d{1,4}(?:x\d{1,4})?$")
_NO_LANGUAGE = re.compile(r"[^\w+#-]")

_FAMILIES = {
    **dict.fromkeys(
        "warning caution attention danger error failure fail missing bug".split(), "warning"
    ),
    **dict.fromkeys("tip hint important success check done".split(), "tip"),
}
"""The look of a callout by its name; any other looks like a note."""
_MARKS = {
    " ": "open",
    "x": "done",
    "X": "done",
    "-": "cancelled",
    "/": "in progress",
    ">": "forwarded",
    "!": "important",
    "?": "question",
}


class Target(NamedTuple):
    """What a link leads to: the path of a note or file, the note's title, which is shown for a link
    that is written as a path, and for an embed of a note the lines that are shown, without
    comments."""

    path: str
    title: str = ""
    lines: Sequence[str] = ()


FollowLink = Callable[[Link], Target | None]
"""What a link leads to; None for what is not there or not to be seen."""
Spans = Sequence[tuple[int, int]]


class ShownHeading(NamedTuple):
    """A heading of the shown part: its level on the page, its text, its anchor."""

    level: int
    text: str
    anchor: str


class Sheet:
    """What is known while a part of a note is shown, and what was met."""

    def __init__(
        self,
        links: FollowLink,
        find: Callable[[str], Spans] | None = None,
        *,
        offset: int | None = None,
        title: str = "",
    ) -> None:
        """`offset` is the number of lines above the part, None where lines get no ids; `find` gives
        the spans of words that are marked; `title` is a heading that is left out at the top."""
        self.links = links
        self.find = find
        self.offset = offset
        self.title = title
        self.headings: list[ShownHeading] = []
        self.levels: list[int] = []
        self.ids: set[str] = set()
        self.embeds = 0
        self.closing = ""
        """What ends the Markdown link that is open."""

    def claim(self, anchor: str) -> str:
        """The anchor where it is the first of its name on the page, else ""."""
        if self.offset is None or anchor in self.ids:
            return ""
        self.ids.add(anchor)
        return anchor

    def line(self, number: int) -> str:
        """The anchor of a line of the parsed text, counted from 0; "" where it has one."""
        if self.offset is None:
            return ""
        return self.claim(f"line-{self.offset + number + 1}")


def anchor_of(link: Link) -> str:
    """The anchor of the heading or block that a link names, as it stands on the note's page; "" for
    none."""
    if link.block:
        return f"block-{link.block.lower()}"
    heading = letters(link.heading.rpartition("#")[2])
    if heading:
        return f"heading-{heading}"
    return ""


@cache
def note_parser() -> MarkdownIt:
    """markdown-it with the rules of this module; what it renders needs a `Sheet` named `sheet`."""
    options = {"html": False, "xhtmlOut": False, "maxNesting": 4 * MAX_DEPTH}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False)
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.before("inline", "note_blocks", _note_blocks)
    parser.core.ruler.at("inline", _inline)
    parser.inline.terminator_re = _TERMINATORS
    rules = parser.inline.ruler
    rules.at("newline", _newline)
    rules.at("footnote_ref", _footnote)
    rules.before("text", "property", _property)
    rules.before("link", "page", _page)
    for name, rule in (("tag", _tag), ("highlight", _highlight), ("formula", _formula)):
        rules.push(name, rule)
    rules.push("bare", _bare)
    for name, show in _SHOWN.items():
        parser.add_render_rule(name, _render_rule(show))
    return parser


# -- blocks ----------------------------------------------------------------------------


def _table(
    state: StateBlock,
    first: int,
    last: int,
    silent: bool,
) -> bool:
    """A table, where no short lines could make more cells of it than there are words."""
    columns = state.src.count("|", state.bMarks[first], state.eMarks[first])
    return columns * (last - first) <= MAX_CELLS and table(state, first, last, silent)


def _note_blocks(state: StateCore) -> None:
    """Read what our tools mean with a block, before the text in it is read."""
    sheet: Sheet = state.env["sheet"]
    made: list[Token] = []
    if len(state.tokens) > MAX_TOKENS:
        raise UnreadableError
    for at, token in enumerate(state.tokens):
        if token.level > 2 * MAX_DEPTH:  # markdown-it leaves out what nests deeper than it goes
            raise UnreadableError
        made.append(token)
        if token.type == "inline":
            _read_text(state.tokens, at, sheet)
        elif token.type == "blockquote_open":
            made += _callout(state.tokens, at, sheet)
        elif "style" in token.attrs:
            token.attrs = {"class": str(token.attrs["style"]).partition(":")[2]}
        if token.map and token.type not in _AROUND:
            anchor = sheet.line(token.map[0])
            if anchor:
                token.attrSet("id", anchor)
    state.tokens = made


_AROUND = frozenset(
    "bullet_list_open ordered_list_open blockquote_open table_open thead_open tbody_open"
    " inline".split()
)
"""Blocks that begin on the line of one inside them, which has the anchor."""


def _read_text(
    tokens: Sequence[Token],
    at: int,
    sheet: Sheet,
) -> None:
    """Take the box of a task, the `^id` and an outliner's own lines out of the text of a block."""
    token = tokens[at]
    around = tokens[at - 1].type
    if "::" in token.content or ":END:" in token.content:
        lines = token.content.split("\n")
        token.content = "\n".join([line for line in lines if not PROPERTY.match(line.lstrip())])
    before = _block_id(token, sheet)
    if around == "heading_open":
        before += _heading(tokens, at, sheet)
    elif around == "paragraph_open":
        if tokens[at - 2].type == "list_item_open":
            before += _task(token, tokens[at - 2])
        _embed_alone(tokens, at)
    token.meta["before"] = before


def _block_id(token: Token, sheet: Sheet) -> list[Token]:
    """The anchor of the `^id` that ends a text, which is taken out of it."""
    named = _ID.search(token.content[-80:])
    if not named:
        return []
    token.content = token.content[: -len(named[0])]
    anchor = sheet.claim(f"block-{named[1].lower()}")
    return [Token("anchor", "", 0, meta={"id": anchor})]


def _embed_alone(tokens: Sequence[Token], at: int) -> None:
    """Make embeds of a paragraph of which each line is one."""
    links: list[Link | None] = []
    for line in tokens[at].content.split("\n"):
        text = line.strip()
        page = _PAGE.fullmatch(text)
        if not page or not text.startswith("!"):
            return
        links.append(wikilink(page[2], 0, embed=True))
    if all(links):
        tokens[at - 1].type = "embed"
        tokens[at - 1].meta["links"] = links
        tokens[at + 1].type = "embed_close"
        tokens[at].content = ""


def _first_line(token: Token) -> int:
    """The line of the parsed text that a block begins on, counted from 0."""
    return (token.map or [0])[0]


def _heading(
    tokens: Sequence[Token],
    at: int,
    sheet: Sheet,
) -> list[Token]:
    """Set a heading's level, at most one below the last, and give its anchor; the title is left
    out."""
    begin = tokens[at - 1]
    level = int(begin.tag[1])
    text = plain_inline(tokens[at].content)
    if at == 1 and level == 1 and text == sheet.title:
        begin.hidden = tokens[at + 1].hidden = True
        tokens[at].content = ""
        return []
    while sheet.levels and sheet.levels[-1] >= level:
        sheet.levels.pop()
    sheet.levels.append(level)
    level = min(6, len(sheet.levels) + 1)
    begin.tag = tokens[at + 1].tag = f"h{level}"
    if sheet.offset is None:
        begin.tag = tokens[at + 1].tag = "p"
        begin.attrSet("class", "heading")
    anchor = sheet.claim(f"heading-{letters(text)}")
    sheet.headings.append(ShownHeading(level, text, anchor))
    return [Token("anchor", "", 0, meta={"id": anchor})]


def _task(token: Token, item: Token) -> list[Token]:
    """The box of a task, taken out of its text; none for an item that is no task."""
    text = token.content
    task = parse_task(Item(first=0, last=0, end=0, text=text, quoted=False))
    if task is None:
        return []
    token.content = text[task_mark(text)[1] :].lstrip()
    item.attrSet("class", "task")
    if task.done:
        item.attrSet("class", "task closed")
    return [Token("task", "", 0, content=task.mark)]


def _callout(
    tokens: Sequence[Token],
    at: int,
    sheet: Sheet,
) -> list[Token]:
    """Make a callout of the quote that begins at a token; its title, none for a plain quote."""
    begin = tokens[at]
    if tokens[at + 1].type != "paragraph_open":
        return []
    text = tokens[at + 2]
    found = _CALLOUT.match(text.content)
    if not found:
        return []
    close = next(each for each in tokens[at + 1 :] if each.level == begin.level)
    kind, fold, words = found.groups()
    begin.attrs = {"class": f"callout {_FAMILIES.get(kind.lower(), 'note')}"}
    begin.tag = "div"
    tag = "p"
    if fold:
        begin.tag = "details"
        tag = "summary"
    if fold == "+":
        begin.attrs["open"] = "open"
    close.tag = begin.tag
    first = _first_line(text)
    begin.attrs["id"] = sheet.line(first)
    text.content = text.content[found.end() :]
    text.map = tokens[at + 1].map = [first + 1, first + 1]
    words = words.strip() or kind.replace("-", " ").capitalize()
    return [
        Token(
            "title_open",
            tag,
            1,
            attrs={"class": "callout-title"},
            block=True,
        ),
        Token(
            "inline",
            "",
            0,
            content=words,
        ),
        Token(
            "title_close",
            tag,
            -1,
            block=True,
        ),
    ]


# -- text ------------------------------------------------------------------------------


def _inline(state: StateCore) -> None:
    """Read the text of each block; a plain one, and one that is too long, costs nothing."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        children: list[Token] = []
        if len(token.content) > MAX_MARKED or not MARKUP.search(token.content):
            children.append(Token("text", "", 0, content=token.content))
        else:
            state.env["line"] = _first_line(token)
            state.md.inline.parse(token.content, state.md, state.env, children)
        token.children = [*token.meta.get("before", ()), *children]


def _newline(state: StateInline, silent: bool) -> bool:
    """A line's end, which is kept where the line is short."""
    at = state.pos
    begin = state.src.rfind("\n", 0, at) + 1
    if not newline(state, silent):
        return False
    if not silent:
        token = state.tokens[-1]
        if at - begin < WRAPPED:
            token.type = "hardbreak"
        token.meta["line"] = state.env["line"] + state.src.count("\n", 0, at) + 1
    return True


def _footnote(state: StateInline, silent: bool) -> bool:
    """A footnote's mark; the plugin's own rule would look for its end in all of the text."""
    return bool(_FOOTNOTE.match(state.src, state.pos)) and footnote_ref(state, silent)


def _property(state: StateInline, silent: bool) -> bool:
    """The key of a line `key:: value`, which begins a line on the page too."""
    if silent or state.pending or state.src.find("::", state.pos, state.pos + 60) < 0:
        return False
    if state.tokens and state.tokens[-1].type not in {"hardbreak", "softbreak"}:
        return False
    line = state.src[state.pos : state.pos + 2000].partition("\n")[0]
    found = PROPERTY_LINE.match(line)
    if not found or not line.startswith(found[1]):
        return False
    for before in state.tokens[-1:]:
        before.type = "hardbreak"
    state.push("property", "", 0).content = found[1]
    state.pos += len(found[1]) + 2
    return True


def _page(state: StateInline, silent: bool) -> bool:
    """`[[a link]]`, `![[an embed]]` and `[words]([[a link]])`; none in the words of another."""
    if state.src[state.pos] not in "![" or state.linkLevel:
        return False
    found = _PAGE.match(state.src, state.pos)
    link = found and wikilink(found[2], 0, found[0][0] == "!")
    if not found or not link:
        return False
    if not silent:
        words = found[1] or link.label
        state.push("page", "", 0).meta["link"] = link._replace(label=words)
    state.pos = found.end()
    return True


def _tag(state: StateInline, silent: bool) -> bool:
    """`#tag`."""
    found = TAG.match(state.src, state.pos)
    if not found or state.linkLevel or not found[1].strip("/") or found[1].isdigit():
        return False
    if not silent:
        state.push("tag", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _highlight(state: StateInline, silent: bool) -> bool:
    """`==marked words==`."""
    found = _HIGHLIGHT.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        end = state.posMax
        state.push("mark_open", "mark", 1)
        state.pos += 2
        state.posMax = found.end(1)
        state.md.inline.tokenize(state)
        state.posMax = end
        state.push("mark_close", "mark", -1)
    state.pos = found.end()
    return True


def _formula(state: StateInline, silent: bool) -> bool:
    """`$a formula$`, shown as it is written."""
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("formula", "", 0).content = found[1] or found[2]
    state.pos = found.end()
    return True


def _bare(state: StateInline, silent: bool) -> bool:
    """An address of the web that stands in the text as it is."""
    if silent or state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    scheme = _BEFORE_BARE.search(state.pending[-6:])
    rest = _BARE.match(state.src, state.pos, state.posMax)
    if not scheme or not rest:
        return False
    address = scheme[0] + rest[0].rstrip(".,;:!?'*_~")
    if "(" not in address:
        address = address.rstrip(").,")
    if address.endswith("://"):
        return False
    state.pending = state.pending[: -len(scheme[0])]
    state.push("link_open", "a", 1).attrs = {"href": state.md.normalizeLink(address)}
    state.push("text", "", 0).content = address
    state.push("link_close", "a", -1)
    state.pos += len(address) - len(scheme[0])
    return True


# -- tokens as HTML --------------------------------------------------------------------


def marked(text: str, spans: Spans) -> str:
    """A text as HTML, with what stands in the spans marked; they are in order and apart."""
    told: list[str] = []
    at = 0
    for begin, end in spans:
        told.append(plain_html(text[at:begin]))
        told.append(f"<mark>{plain_html(text[begin:end])}</mark>")
        at = end
    return "".join([*told, plain_html(text[at:])])


def plain_html(text: str) -> str:
    """A text as HTML that shows just it."""
    return escape(text, quote=False)


def _opening(tag: str, **attributes: str) -> str:
    """A tag with those attributes that have a value; `class_` is class, `aria_label` aria-label."""
    told = [tag]
    for name, value in attributes.items():
        if value:
            told.append(f'{name.rstrip("_").replace("_", "-")}="{escape(value)}"')
    return f"<{' '.join(told)}>"


def _anchor_html(anchor: str) -> str:
    if anchor:
        return f"{_opening('span', id=anchor)}</span>"
    return ""


def _text(token: Token, sheet: Sheet) -> str:
    if sheet.find:
        return marked(token.content, sheet.find(token.content))
    return plain_html(token.content)


def _hard_break(token: Token, sheet: Sheet) -> str:
    return f"<br>{_soft_break(token, sheet)}"


def _soft_break(token: Token, sheet: Sheet) -> str:
    """The end of a line, and the anchor of the next; behind a backslash that has none."""
    line = token.meta.get("line")
    anchor = "" if line is None else sheet.line(line)
    return f"\n{_anchor_html(anchor)}"


def _anchor(token: Token, _: Sheet) -> str:
    return _anchor_html(token.meta["id"])


def _task_box(token: Token, _: Sheet) -> str:
    """A task's box, with its mark where that says more than open or done."""
    mark = token.content
    name = _MARKS.get(mark, f"marked {mark}")
    if mark in "xX":
        return (
            _opening(
                "input",
                type="checkbox",
                checked="1",
                disabled="1",
                aria_label=name,
            )
            + " "
        )
    box = _opening(
        "input",
        type="checkbox",
        disabled="1",
        aria_label=name,
    )
    if mark == " ":
        return f"{box} "
    shown = _opening("span", class_="box", title=name, aria_hidden="true")
    return f"{box} {shown}{plain_html(mark)}</span> "


def _tag_link(token: Token, _: Sheet) -> str:
    asked = urlencode({"tag": token.content.strip("/")})
    link = _opening("a", class_="tag", href=f"/memory/search?{asked}")
    return f"{link}#{plain_html(token.content)}</a>"


def _formula_code(token: Token, _: Sheet) -> str:
    return f'<code class="formula">{plain_html(token.content)}</code>'


def _property_key(token: Token, _: Sheet) -> str:
    return f'<span class="key">{plain_html(token.content)}:</span>'


def _code(token: Token, sheet: Sheet) -> str:
    """A block of code, which may be scrolled by keyboard, with the class of its language and the
    anchors of its lines."""
    language = _NO_LANGUAGE.sub("", token.info.partition(" ")[0]).lower()
    block = _opening("pre", id=str(token.attrs.get("id", "")), tabindex="0")
    code = _opening("code", class_=language and f"language-{language}")
    first = _first_line(token) + (token.type == "fence")
    lines = []
    for number, line in enumerate(token.content.split("\n"), first):
        anchor = line and sheet.line(number)
        lines.append(f"{_anchor_html(anchor)}{plain_html(line)}")
    text = "\n".join(lines)
    return f"{block}{code}{text}</code></pre>\n"


def _table_open(token: Token, sheet: Sheet) -> str:
    line = _first_line(token) + (sheet.offset or 0) + 1
    name = f"table on line {line}"
    return (
        _opening(
            "div",
            class_="wide",
            role="group",
            tabindex="0",
            aria_label=name,
        )
        + "<table>\n"
    )


def _table_close(_: Token, __: Sheet) -> str:
    return "</table></div>\n"


def _link_open(token: Token, sheet: Sheet) -> str:
    """A Markdown link: to the web, to a note, or text where it leads elsewhere."""
    address = str(token.attrs["href"])
    link = markdown_link(address, "", 0, embed=False)
    sheet.closing = "</a>"
    if _ELSEWHERE.match(address):
        return _outward(address)
    if link:
        return _to_note(link, sheet.links(link), sheet)
    sheet.closing = "</span>"
    return _opening("span", class_="missing", title=address)


def _link_close(_: Token, sheet: Sheet) -> str:
    closing = sheet.closing
    sheet.closing = ""
    return closing


def _outward(address: str) -> str:
    """The opening tag of a link to the web."""
    return _opening(
        "a",
        class_="elsewhere",
        rel="noreferrer noopener",
        href=address,
    )


def _to_note(
    link: Link,
    target: Target | None,
    sheet: Sheet,
) -> str:
    """The opening tag of a link to a note, whose end is kept in the sheet."""
    place = quote(anchor_of(link))
    if place:
        place = f"#{place}"
    sheet.closing = "</a>"
    if place and not (link.target or target):
        return _opening("a", href=place)
    if target and target.path.endswith(_NOTE_ENDINGS):
        return _opening("a", href=f"{note_url(target.path)}{place}")
    if target and target.path.lower().endswith(IMAGES):
        return _opening("a", href=image_url(target.path))
    sheet.closing = "</span>"
    if target:
        return _opening("span", class_="file", title=target.path)
    what = "no note of this name yet"
    if means_file(link):
        what = "no such file in the vault"
    return _opening("span", class_="missing", title=what)


def _page_link(token: Token, sheet: Sheet) -> str:
    """A wikilink, or an embed inside a line: a picture of the vault, else a link."""
    return _link_html(token.meta["link"], sheet)


def _link_html(link: Link, sheet: Sheet) -> str:
    width = ""
    if link.embed and _WIDTH.match(link.label):
        width = link.label.partition("x")[0]
        link = link._replace(label="")
    target = sheet.links(link._replace(embed=False))
    words = link.label or _name(link, target)
    if link.embed and not target and means_file(link):
        return f'<span class="missing">not in the vault: {plain_html(words)}</span>'
    if link.embed and target and target.path.lower().endswith(IMAGES):
        source = image_url(target.path)
        return _opening(
            "img",
            src=source,
            alt=words,
            loading="lazy",
            width=width,
        )
    outer = sheet.closing
    opening = _to_note(link, target, sheet)
    closing = sheet.closing
    sheet.closing = outer
    if outer:  # the words of another link
        return plain_html(words)
    told = ""
    if link.embed and target and not target.path.endswith(_NOTE_ENDINGS):
        told = f" ({_FILE_WORDS.get(os.path.splitext(target.path)[1], 'a file')}, not shown here)"
    return f"{opening}{plain_html(words)}{closing}{told}"


def _name(link: Link, target: Target | None) -> str:
    """What a link without words of its own shows: what it names, a path by the note's title."""
    name = link.target.removesuffix(".md")
    if target and "/" in name:
        name = target.title or name
    place = link.heading.replace("#", " > ")
    if link.block:
        place = f"^{link.block}"
    return " > ".join(filter(None, (name, place)))


def _image(token: Token, sheet: Sheet) -> str:
    """`![words](address)`: a picture of the vault; one from elsewhere is never loaded."""
    address = str(token.attrs["src"])
    words = plain_inline(token.content)
    link = markdown_link(address, words, 0, embed=True)
    if link:
        return _link_html(link, sheet)
    web = _ELSEWHERE.match(address)
    told = shorten(address, 200)
    if words and web:
        told = f"{words} ({web[1]})"
    told = plain_html(f"image from elsewhere: {told}")
    if sheet.closing or not web:
        return f'<span class="missing">{told}</span>'
    return f"{_outward(address)}{told}</a>"


def _embeds(token: Token, sheet: Sheet) -> str:
    """The embeds that a paragraph is."""
    return "".join([_embed(link, sheet) for link in token.meta["links"]])


def _embed(link: Link, sheet: Sheet) -> str:
    """An embed on a line of its own: the lines of the note in a quote, with a link to it, or why
    they are not shown."""
    target = sheet.links(link)
    head = _link_html(link, sheet)
    if target is None or not target.path.endswith(_NOTE_ENDINGS):
        return f"<p>{head}</p>\n"
    told = ""
    if sheet.offset is None:
        told = "not shown inside another note"
    elif sheet.embeds >= MAX_EMBEDS:
        told = f"not shown here: {MAX_EMBEDS} notes are already"
    elif not target.lines:
        told = "nothing to show here"
    if told:
        return f"<p>{head} ({told})</p>\n"
    sheet.embeds += 1
    env = {"sheet": Sheet(sheet.links), "docId": f"embed{sheet.embeds}"}
    body = note_parser().render("\n".join(target.lines), env)
    return f'<blockquote class="embed"><p>{head}</p>\n{body}</blockquote>\n'


def _nothing(_: Token, __: Sheet) -> str:
    return ""


_SHOWN = {
    "text": _text,
    "hardbreak": _hard_break,
    "softbreak": _soft_break,
    "anchor": _anchor,
    "task": _task_box,
    "tag": _tag_link,
    "formula": _formula_code,
    "property": _property_key,
    "fence": _code,
    "code_block": _code,
    "table_open": _table_open,
    "table_close": _table_close,
    "link_open": _link_open,
    "link_close": _link_close,
    "page": _page_link,
    "image": _image,
    "embed": _embeds,
    "embed_close": _nothing,
}


def _render_rule(show: Callable[[Token, Sheet], str]) -> Callable[..., str]:
    """A rule of the renderer's that calls a function of ours."""

    def rule(_: Any, tokens: Sequence[Token], at: int, __: Any, env: Any) -> str:
        return show(tokens[at], env["sheet"])

    return rule
