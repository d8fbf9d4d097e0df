"""Links rewritten when notes move: which have to change to lead where they led, and how each is
written.

A link that still finds its note stays as it is, byte for byte; one that does not keeps its style,
its heading, its block and its label.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from indexer.catalog import link_targets
from indexer.catalog.names import Called, NoteNames, name_key, without_ending
from indexer.errors import UsageError
from indexer.reading import comments, front_links, front_matter, inline
from indexer.reading.path_meaning import file_stem

from .note_lines import NoteLines, NoteReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.catalog.link_targets import Files
    from indexer.note import Link, Note
    from indexer.reading.front_matter import FrontMatter
    from indexer.reading.inline import Address

_ESCAPES = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "?": "%3F"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TITLE = re.compile(r"((?:[-*] )?title::?[ \t]+)(\"?)(.*?)(\2[ \t]*)")
_FIRST_LINES = 60
_PLACE = re.compile(r"(?<!&)#|\|")
"""What ends the target in an address; `&#40;` is a character of it."""
_PLACE_IN_ADDRESS = re.compile(r"(?<!&)#|\?")
_SIGNS = "#[]|^"
_NOT_PLAIN = re.compile(r":(?:\s|$)|\s#")
_NOT_IN_FLOW = re.compile(r"^[-?:&*!>'\"%@`\s]|:(?:\s|$)|\s#|[,{}]")


class Rewritten(NamedTuple):
    """What the target of a link is to be, and a label for one that has none and would show other
    words."""

    target: str
    label: str = ""


Decide = Callable[["Link"], Rewritten | None]
"""A link → how it has to be written; None leaves it."""


class Move:
    """Notes that move, as links see it: `moved` leads from old paths to new ones, `called` are all
    notes as they were.

    `renamed` is what the moved ones are called then. Blocks that move alone are in `blocks`: a note
    and an id, and the note that it goes to. `done` says that another program moved them before: a
    link in one of them that leads somewhere now may have been written since, and stays. In a Logseq
    graph `page_of` leads from the stem of a file to the name of its page.
    """

    def __init__(
        self,
        called: Iterable[Called],
        moved: Mapping[str, str],
        renamed: Iterable[Called] = (),
        *,
        blocks: Mapping[tuple[str, str], str] | None = None,
        files: Files | None = None,
        done: bool = False,
        page_of: Callable[[str], str] = str,
    ) -> None:
        all_ = list(called)
        self.moved = moved
        self.blocks = blocks or {}
        self.files = files
        self.done = done
        self._page_of = page_of
        self.before = NoteNames(all_)
        self.after = NoteNames([*(each for each in all_ if each.path not in moved), *renamed])

    def decide(self, source: str, link: Link) -> Rewritten | None:
        """How the target of a link in note `source`, as it was called, has to be written then; None
        as it is."""
        found = link_targets.target_of(self.before, source, link)
        here = self.moved.get(source, source)
        if self.done and source in self.moved and self._leads_now(here, link):
            return None
        if found is None:
            return self._file(source, here, link)
        wanted = self.blocks.get((found, link.block), self.moved.get(found, found))
        if link.target and self._still_leads(source, here, link, found, wanted):
            return None
        if not link.target and wanted == here:
            return None
        return Rewritten(self._written(here, link, wanted), _title_label(link, found))

    def _still_leads(
        self,
        source: str,
        here: str,
        link: Link,
        found: str,
        wanted: str,
    ) -> bool:
        """Whether a link that led from `source` to `found` leads from `here` to `wanted`, by more
        than a title."""
        only_titled = _ends(found, link.target) and not _ends(wanted, link.target)
        if only_titled or _loses_path(source, here, link, found, wanted):
            return False
        return link_targets.target_of(self.after, here, link) == wanted

    def _leads_now(self, here: str, link: Link) -> bool:
        """Whether a link leads to a note or file from where its note is now."""
        if link_targets.target_of(self.after, here, link) is not None:
            return True
        return self.files is not None and self.files.find(here, link.target, link.style) is not None

    def _written(self, here: str, link: Link, wanted: str) -> str:
        """The shortest spelling in the link's own style that leads from note `here` to `wanted`."""
        bare = without_ending(wanted)
        has_ending = link.target.lower().endswith((".md", ".markdown"))
        if link.style == "markdown":
            path = wanted if has_ending or not link.target else bare
            if link.target.startswith("/"):
                return "/" + path
            return posixpath.relpath(path, posixpath.dirname(here) or ".")
        ending = ""
        if has_ending:
            ending = wanted[len(bare) :]
        if "/" not in link.target and link.target:
            name = self._page_of(file_stem(wanted))
            if link_targets.find_target(self.after, here, name, "wiki") == wanted:
                return name + ending
        return bare + ending

    def _file(self, source: str, here: str, link: Link) -> Rewritten | None:
        """The same for a link to a file that is no note, from a note that moves."""
        if source == here or self.files is None or not link.target:
            return None
        found = self.files.find(source, link.target, link.style)
        if found is None or found == ".":
            return None
        now = self.files.find(here, link.target, link.style)
        if now == found and not _loses_path(source, here, link, found, found):
            return None
        if link.style == "wiki":
            return Rewritten(found)
        return Rewritten(posixpath.relpath(found, posixpath.dirname(here) or "."))


def rewrite_links(
    path: str,
    data: bytes,
    decide: Decide,
    pages: Mapping[str, str] | None = None,
) -> bytes:
    """A note's bytes with the links rewritten that `decide` gives another target.  UsageError.

    With `pages`, keys of old names to new ones, a tag that is one of them is rewritten too.
    """
    lines, front, reader = _read(path, data)
    body = "\n".join(lines.texts[front.lines :])
    text = _with_targets(body, inline.addresses(reader), decide)
    if text != body:
        lines.texts[front.lines :] = text.split("\n")
    _in_front(path, lines, front, decide)
    if pages:
        return _with_tags(path, lines.data(), pages)
    return lines.data()


def _read(path: str, data: bytes) -> tuple[NoteLines, FrontMatter, inline.Inline]:
    """The lines of a note, its front matter, and the text below that."""
    lines = NoteLines(path, data)
    front = front_matter.read_front_matter(lines.texts)
    body = comments.read_uncommented(lines.texts, front.lines)
    return (
        lines,
        front,
        inline.Inline(body.text, body.lines, front.lines + 1, body.blocks, body.formulas),
    )


def retitled(
    note: Note,
    data: bytes,
    title: str,
    read: NoteReader,
) -> bytes | None:
    """A note's bytes with another title in the line `title: …` or `title:: …`; None where that
    cannot be."""
    for written in (title, json.dumps(title, ensure_ascii=False)):
        lines = NoteLines(note.path, data)
        for number, text in enumerate(lines.texts[:_FIRST_LINES], 1):
            match = _TITLE.fullmatch(text)
            if match and match[3] == title_of(note):
                lines.say(number, match[1] + match[2] + written + match[4])
                break
        made = read(note.path, lines.data())
        if title_of(made) == title and len(made.problems) <= len(note.problems):
            return lines.data()
    return None


def title_of(note: Note) -> str:
    """The title that a note's properties say, "" for none."""
    said = note.front_matter.get("title")
    if isinstance(said, str | int | float) and said is not True:
        return str(said).strip()
    return ""


def _with_tags(path: str, data: bytes, pages: Mapping[str, str]) -> bytes:
    """A note's bytes with other names in its tags."""
    lines, front, body = _read(path, data)
    above = lines.texts[: front.lines]
    below = lines.texts[front.lines :]
    top = inline.Inline("\n".join(above), above, 1, ())
    lines.texts = [*_with_names(above, top, pages), *_with_names(below, body, pages)]
    if front_matter.read_front_matter(lines.texts).broken != front.broken:
        raise UsageError(
            f"{path}: not written: the new name would break its front matter",
            "change its tags by hand",
        )
    return lines.data()


def _with_names(texts: Sequence[str], reader: inline.Inline, pages: Mapping[str, str]) -> list[str]:
    """Lines with other names in their tags; a name that no tag can hold is written as a link."""
    text = "\n".join(texts)
    for begin, name, _ in reversed([*inline.tags_at(reader)]):
        new = pages.get(name_key(name))
        if new is not None:
            is_tag = inline.tags_in(f"#{new}") == (new,)
            written = new if is_tag else f"[[{_escaped(new)}]]"
            text = text[:begin] + written + text[begin + len(name) :]
    if texts:
        return text.split("\n")
    return []


def _with_targets(
    text: str,
    addresses: Iterable[Address],
    decide: Decide,
    quoted: Callable[[str], str] = str,
) -> str:
    """A text with other targets in its links; `quoted` writes them as the text around wants it."""
    for begin, end, link in sorted(addresses, reverse=True):
        wish = decide(link)
        old = text[begin:end]
        if wish is None:
            continue
        wish = wish._replace(target=quoted(wish.target), label=quoted(wish.label))
        # in a line of a table a bar inside a link is escaped
        row = text[text.rfind("\n", 0, begin) + 1 : begin].lstrip(" \t>").startswith("|")
        new = _address(old, link, wish, row=row, angled=text[begin - 1] == "<")
        text = text[:begin] + new + text[end:]
    return text


def _in_front(
    path: str,
    lines: NoteLines,
    front: FrontMatter,
    decide: Decide,
) -> None:
    """The same in the front matter, which stays what it was but for the targets."""
    found = front_links.link_properties(lines.texts, front)
    before = front_links.front_source(lines.texts, front)
    text = before
    for each in reversed(found):
        value = each.value
        raw = text[value.begin : value.end]
        text = text[: value.begin] + _with_values(raw, each, decide) + text[value.end :]
    if text == before:
        return
    lines.texts[1 : front.lines - 1] = text.split("\n")
    again = front_matter.read_front_matter(lines.texts)
    wanted = sum(len(each.addresses) for each in found)
    if again.broken != front.broken or len(front_links.front_links(lines.texts, again)) != wanted:
        raise UsageError(
            f"{path}: not written: the new name would break a link in its front matter",
            "put that link in quotes",
        )


def _with_values(raw: str, old: front_links.Property, decide: Decide) -> str:
    """A value of the front matter with other targets in its links, in quotes where it needs them
    now."""
    value = old.value
    addresses = [
        each._replace(begin=each.begin - value.begin, end=each.end - value.begin)
        for each in old.addresses
    ]
    written = _with_targets(raw, addresses, decide, _QUOTED.get(value.style, str))
    if written == raw or value.style not in {"", front_links.BARE}:
        return written
    inner = written
    if written.startswith("[["):
        inner = written.replace("[[", "").replace("]]", "")
    odd = _NOT_IN_FLOW if value.flow or value.style else _NOT_PLAIN
    if odd.search(inner):
        return '"' + _QUOTED['"'](written) + '"'
    return written


_QUOTED: Mapping[str, Callable[[str], str]] = {
    "'": lambda text: text.replace("'", "''"),
    '"': lambda text: text.replace("\\", "\\\\").replace('"', '\\"'),
}
"""How a text is written between the quotes of YAML."""


def _address(
    old: str,
    link: Link,
    wish: Rewritten,
    *,
    row: bool,
    angled: bool,
) -> str:
    """The address of a link with another target; heading, block and label stay as they are
    written."""
    target, label = wish
    if link.style == "wiki":
        cut = len(_PLACE.split(old, maxsplit=1)[0])
        if old[:cut].endswith("\\"):
            cut -= 1
        if label:
            label = ("\\|" if row else "|") + label
        return _escaped(target) + old[cut:] + label
    rest = old[len(_PLACE_IN_ADDRESS.split(old, maxsplit=1)[0]) :]
    plain = ""
    if angled:  # angle brackets hold these as they are
        plain = " ()"
    safe = {ord(char): code for char, code in _ESCAPES.items() if char not in plain}
    return _escaped(target.replace("%", "%25")).translate(safe) + rest


def unlinkable(name: str) -> str:
    """What a name has that no link `[[name]]` can hold as it is, in words; "" for nothing."""
    found: list[str] = []
    if _CONTROL.search(name):
        found.append("a line end or another control character")
    signs = [sign for sign in _SIGNS if sign in name]
    if signs:
        found.append(" ".join(signs))
    return " and ".join(found)


def _escaped(target: str) -> str:
    return "".join(quote(char) if unlinkable(char) else char for char in target)


def _title_label(link: Link, found: str) -> str:
    """The label that a wikilink to the note `found` gets to read as before: the title that it names
    the note by, "" where it names its path or has a label."""
    is_bare = link.style == "wiki" and not link.label
    return link.target if is_bare and not _ends(found, link.target) else ""


def _ends(path: str, target: str) -> bool:
    """Whether a note is called so by its path, as every tool sees it, rather than by its title."""
    whole = "/" + name_key(without_ending(path))
    return any(
        whole.endswith("/" + name_key(without_ending(each))) for each in (target, unquote(target))
    )


def _leads(source: str, link: Link, found: str) -> bool:
    """Whether a Markdown link leads to a note or file by its path alone, as every tool reads it."""
    if link.target.startswith("/"):
        return True
    place = posixpath.normpath(posixpath.join(posixpath.dirname(source), link.target))
    return name_key(without_ending(place)) == name_key(without_ending(found))


def _loses_path(
    source: str,
    here: str,
    link: Link,
    found: str,
    wanted: str,
) -> bool:
    """Whether a Markdown link led by its path from `source` to `found`, and does not from `here` to
    `wanted`."""
    is_path = link.style == "markdown" and _leads(source, link, found)
    return is_path and not _leads(here, link, wanted)
