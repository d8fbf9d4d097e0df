"""Notion: exports as HTML, or as Markdown and CSV; each page has an id of 32 digits in its name."""

from __future__ import annotations

import csv
import io
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from .html_text import MOST_HTML, PlainMeaning, html_as_markdown
from .import_reader import ImportReader
from .import_text import title_as_file_name
from .imported import Imported, ImportedFile, ImportedNote, LeftOut
from .note_parts import (
    MARKDOWN_CODE,
    StableIds,
    as_property,
    as_tag,
    as_title,
    as_typed,
    attached,
    digest_of,
    english_moment,
    shown_file,
)
from .shapes import as_line, clean_text
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "Notion"
_ID = re.compile(r"(?:^|[ -])([0-9a-f]{32})(?:_all)?(?=\.(?:md|html|csv)$|$)")
_WRAPPER = re.compile(r"(?:^|.*/)Export-[0-9a-f-]{36}/")
_ARTICLE = re.compile(rb'<article id="([0-9a-f-]{36})" class="page')
_HTML_TITLE = re.compile(r"<title>([^<]{0,2000})</title>")
_LINK = re.compile(
    r"(!?)\[((?:[^\][\n]|\[[^\][\n]*\]){0,200})\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)"
)
_BOX = re.compile(r"(?m)^([ \t]*- \[[ x]\]) +")
_ASIDE = re.compile(r"<aside>\n?((?:(?!</?aside>).)*)</aside>", re.DOTALL)
_TOGGLE = re.compile(r"</?(?:details|summary)(?: open=\"\")?>")
_PROPERTY = re.compile(r"([^:\n]{1,80}):(?: (.*))?")
_WEB = re.compile(r"(?i)[a-z][a-z0-9+.-]*:")
_CREATED = frozenset(("created", "created time", "created at", "date created"))
_UPDATED = frozenset(
    ("last edited", "last edited time", "last edited at", "updated", "last updated")
)
_TAGS = frozenset(("tags", "tag"))
_FORMULA = re.compile(r"nav|m(?:[ino]|row|table|style|text|frac|su[bp]+|under|over|underover|sqrt)")
_MOST_TABLE = 2 << 20
_ROW = '<tr class="property-row'
_BODY = '<div class="page-body">'


class _Page(NamedTuple):
    """A page of an export, as others refer to it."""

    file: SourceFile
    id: str
    title: str
    folder: str


def _claims(export: ExportFiles) -> list[SourceFile]:
    """The pages and tables, and what lies in the folder of an export with them."""
    pages = [each for each in export.files if _id_of(each)]
    tops = {found[0] for each in pages if (found := _WRAPPER.match(each.name))}
    own = {each.name for each in pages}
    rest = (each for each in export.files if each.name not in own)
    return pages + [each for each in rest if (top := _WRAPPER.match(each.name)) and top[0] in tops]


def _id_of(file: SourceFile) -> str:
    """The id of a page or a table; "" for another file."""
    ending = file.base.rpartition(".")[2].lower()
    found = _ID.search(file.base)
    if ending == "html":
        article = _ARTICLE.search(file.head())
        return article[1].decode().replace("-", "") if article else ""
    is_page = ending == "csv" or (
        ending == "md" and file.head().lstrip(b"\xef\xbb\xbf")[:2] == b"# "
    )
    return found[1] if found and is_page else ""


def _read(source: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    export = _Export(source.files, files)
    for page in export.pages:
        try:
            yield from export.note(page)
        except (*FILE_ERRORS, csv.Error) as error:
            yield unreadable(_TITLE, page.file.name, error)


class _Export:
    """The pages of an export by their ids, and its files by their names."""

    def __init__(self, every: Sequence[SourceFile], files: Sequence[SourceFile]) -> None:
        self.files = {each.name: each for each in every}
        self.pages: list[_Page] = []
        self._ids = StableIds()
        self._attached: dict[str, ImportedFile | LeftOut] = {}
        self.columns = {*_CREATED, *_UPDATED, *_TAGS}
        tables = {}
        for file in files:
            if key := _id_of(file):
                page = _Page(
                    file,
                    key,
                    _title_of(file),
                    _folder_of(file),
                )
                if file.base.lower().endswith(".csv"):
                    tables[key] = page  # the one with all rows has the later name
                    self.columns |= _columns(file)
                else:
                    self.pages.append(page)
        self.by_id = {each.id: each for each in self.pages}
        self.pages += [each for key, each in tables.items() if key not in self.by_id]
        self.by_id = tables | self.by_id
        self._titles = Counter(each.title.casefold() for each in self.pages)
        self.places = {(each.folder, each.title): each for each in self.pages}

    def note(self, page: _Page) -> Iterator[Imported]:
        """A page with its files."""
        reading = _Reading(self, page)
        name = page.file.base.lower()
        if name.endswith(".csv"):
            text = self._table(page)
        elif name.endswith(".html"):
            text = reading.from_html(page.file.text())
        else:
            text = reading.from_markdown(page.file.text())
        yield from reading.found
        told = reading.properties
        yield ImportedNote(
            id=self._ids.unique(page.id),
            title=page.title,
            text=text,
            created=_moment(told, _CREATED),
            updated=_moment(told, _UPDATED),
            folder=page.folder,
            tags=tuple(reading.tags),
            properties=tuple(
                (name, value)
                for key, value in told.items()
                if value != "" and (name := as_property(key)) and key.lower() not in self._own
            ),
        )

    _own = _CREATED | _UPDATED | _TAGS

    def link(self, page: _Page, words: str) -> str:
        """A link to a page, by its path where its title is not its own."""
        target = title_as_file_name(page.title, page.id)
        if self._titles[page.title.casefold()] > 1 and page.folder:
            last = page.folder.rpartition("/")[2]
            target = f"{title_as_file_name(last, 'folder')}/{target}"
        words = re.sub(r"[\][|]", " ", as_line(words))
        return f"[[{target}]]" if words in {"", target, page.title} else f"[[{target}|{words}]]"

    def attachment(self, name: str) -> ImportedFile | LeftOut:
        """A file of the export that a page shows."""
        if name not in self._attached:
            self._attached[name] = self._attachment(name)
        return self._attached[name]

    def _attachment(self, name: str) -> ImportedFile | LeftOut:
        file = self.files.get(name)
        if file is None:
            return LeftOut(name, "the export does not hold this file")
        try:
            with file.open() as stream:
                return attached(
                    unquote(file.base),
                    digest_of(stream),
                    file.whole,
                )
        except FILE_ERRORS as error:
            return unreadable("an attached file", name, error)

    def _table(self, page: _Page) -> str:
        """A table, its rows as links to their pages. ValueError for one that is too long."""
        text = io.StringIO(page.file.text(), newline="")
        rows = csv.reader(text)
        below = f"{page.folder}/{page.title}".lstrip("/")
        lines: list[str] = []
        size = 0
        for row in rows:
            cells = [as_typed(as_line(cell)) for cell in row]
            if lines and row and (found := self.places.get((below, as_line(row[0])))):
                cells[0] = self.link(found, "")
            escaped = (cell.replace("|", "\\|") for cell in cells)
            lines.append(f"| {' | '.join(escaped)} |")
            if len(lines) == 1:
                lines.append("| --- " * len(row) + "|")
            size += len(lines[-1])
            if size > _MOST_TABLE:
                raise ValueError(f"its table is longer than {_MOST_TABLE >> 20} MB")
        return "\n".join(lines)


def _title_of(file: SourceFile) -> str:
    """The title of a page: the whole one stands in it, that in its name may be cut."""
    head = file.head().decode("utf-8-sig", "replace")
    name = _ID.sub("", file.base.rpartition(".")[0])
    if file.base.lower().endswith(".html"):
        from html import unescape

        found = _HTML_TITLE.search(head)
        return as_title(unescape(found[1]) if found else "", name)
    first = ""
    if head.startswith("# "):
        first = head.split("\n", 1)[0].removeprefix("# ")
    return as_title(first, name)


def _folder_of(file: SourceFile) -> str:
    """The place of a page, without ids and what the export adds."""
    inside = _WRAPPER.sub("", file.name).rpartition("/")[0]
    return "/".join(_ID.sub("", part) for part in inside.split("/"))


def _columns(file: SourceFile) -> set[str]:
    """The names of a table's columns."""
    first = file.head().decode("utf-8-sig", "replace").partition("\n")[0]
    try:
        return {as_line(each).lower() for each in next(csv.reader([first]), [])}
    except csv.Error:
        return set()


def _moment(told: Mapping[str, object], names: frozenset[str]) -> str:
    found = (str(value) for name, value in told.items() if name.lower() in names)
    return english_moment(next(found, ""))


class _Reading(PlainMeaning):
    """A page while it is read: its properties, and the files that it shows."""

    def __init__(self, export: _Export, page: _Page) -> None:
        self._export = export
        self._page = page
        self.found: list[ImportedFile | LeftOut] = []
        self.properties: dict[str, object] = {}
        self.tags: list[str] = []

    def _keep(self, name: str, value: object) -> None:
        if name.lower() in _TAGS:
            values = value if isinstance(value, list) else str(value).split(",")
            self.tags += filter(None, map(as_tag, values))
        else:
            self.properties[as_line(name)] = value

    # -- Markdown ------------------------------------------------------------------------------

    def from_markdown(self, text: str) -> str:
        """The text of a page of Markdown, its properties apart. ValueError where it is too
        long."""
        if len(text) > MOST_HTML:
            raise ValueError(f"its text is longer than {MOST_HTML >> 20} MB")
        text = clean_text(text).partition("\n")[2].strip("\n")
        first, _, rest = text.partition("\n\n")
        lines = [_PROPERTY.fullmatch(line) for line in first.split("\n")]
        known = (each and each[1].lower() in self._export.columns for each in lines)
        if all(lines) and any(known):
            for each in filter(None, lines):
                self._keep(each[1], each[2] or "")
            text = rest
        parts = MARKDOWN_CODE.split(text)
        parts[::2] = map(self._prose, parts[::2])
        return _ASIDE.sub(_quoted, "".join(parts)).strip("\n")

    def _prose(self, text: str) -> str:
        text = _TOGGLE.sub("", _BOX.sub(r"\1 ", text))
        return _LINK.sub(self._markdown_link, text)

    def _markdown_link(self, found: re.Match[str]) -> str:
        picture, words, address = found.groups()
        return self._local(address, words, shown=bool(picture)) or found[0]

    def _local(
        self,
        address: str,
        words: str,
        *,
        shown: bool = False,
    ) -> str:
        """A link to a page or a file of the export; "" for one that leads elsewhere."""
        plain = unquote(address)
        is_web = _WEB.match(address)
        if is_web:
            plain = plain.partition("?")[0]
        key = _ID.search(plain)
        page = self._export.by_id.get(key[1]) if key else None
        if page:
            return self._export.link(page, words)
        if is_web or not address.strip("#/") or address[0] in "#/":
            return ""
        return self._file(
            plain,
            address,
            words,
            shown=shown,
        )

    def _file(
        self,
        plain: str,
        address: str,
        words: str,
        *,
        shown: bool,
    ) -> str:
        """What shows a file beside the page; "" where a link names none."""
        here = self._page.file.name.rpartition("/")[0]
        names = [posixpath.normpath(posixpath.join(here, each)) for each in (plain, address)]
        name = next(
            filter(self._export.files.get, names),
            names[0],
        )
        if not shown and "." not in posixpath.basename(name):
            return ""
        file = self._export.attachment(name)
        self.found.append(file)
        if isinstance(file, LeftOut):
            return words or name
        return shown_file(file, words)

    # -- HTML ----------------------------------------------------------------------------------

    def from_html(self, html: str) -> str:
        """The text of a page of HTML, its properties apart."""
        head, found, body = html.partition(_BODY)
        for row in head.split(_ROW)[1:]:
            kind = row.partition('"')[0].rpartition("-")[2].strip()
            name, _, rest = row.partition("<th>")[2].partition("</th>")
            value = rest.partition("<td>")[2].partition("</td>")[0]
            self._keep(
                as_line(html_as_markdown(name)),
                self._value(kind, value),
            )
        return html_as_markdown(found + body if found else html, self)

    def _value(self, kind: str, html: str) -> object:
        if kind == "checkbox":
            return "checkbox-on" in html
        values = re.findall(r'class="selected-value[^>]*>([^<]*)<', html)
        if values and kind.endswith("multi_select"):
            return [as_line(html_as_markdown(each)) for each in values]
        return as_line(html_as_markdown(html)).replace("\\", "")

    def tag(self, tag: str, attrs: Mapping[str, str]) -> str:
        """The tag that an element is read as."""
        looks = attrs.get("class", "").split()
        if _FORMULA.fullmatch(tag) or "katex-html" in looks or "page-title" in looks:
            return "drop"
        if tag == "figure" and "callout" in looks:
            return "blockquote"
        return "en-todo" if tag == "div" and "checkbox" in looks else tag

    def link(self, address: str, words: str) -> str:
        """A link to a page or a file of the export, or to the web."""
        if words.startswith("![") or address.startswith("notion.so"):
            return words
        return self._local(address, words) or super().link(address, words)

    def shown(self, tag: str, attrs: Mapping[str, str]) -> str:
        """A picture of the export, or a link to one of the web."""
        if "icon" in attrs.get("class", "").split():
            return ""
        address = attrs.get("src", "")
        return self._local(address, "", shown=True) or super().shown(tag, attrs)


def _quoted(found: re.Match[str]) -> str:
    lines = found[1].strip("\n").split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


NOTION = ImportReader("notion", _TITLE, _claims, _read)
