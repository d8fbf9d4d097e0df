"""Links: what a note links to, what links to it, and which links lead nowhere.

Links of every kind that people's tools write are understood: Obsidian's (by name from anywhere,
shortest path first; by path; by heading and ^block), Markdown's and GitHub's (relative to the note's
folder, or `/` for the vault's; `#heading-slug`), Dendron's (`[[label|dotted.name]]`) and Logseq's
(`[[namespace/name]]`, `[[Feb 1st, 2026]]`).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from .catalog import get_facts, visible
from .names import Called, Names, fold, key, without_ending
from .note import Link

if TYPE_CHECKING:
    import apsw

    from .note import Note

_JOURNAL = re.compile(r"([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4})", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ANCHOR = re.compile(r"(?:\b(?:id|name)\s*=\s*[\"']?|\{#)([^\s\"'>}]+)", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")
_REPEAT = re.compile(r"[-,]\d+$")
_LABEL = re.compile(r"(?:\]\]|\))\s+[-–—:]\s+(.+)")
_MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|ico|avif|heic|tiff?|pdf|mp[34]|m4[av]|wav|ogg|flac|webm|mov|mkv|zip|gz|tgz|7z|tar"
    r"|docx?|xlsx?|pptx?|csv|canvas|base|excalidraw|drawio)$",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"\.(?:tsv|txt|html?|json|ya?ml|toml|xml|py|[jt]sx?|sh|css|c|h|cpp|hpp|rs|go|rb|java|ipynb)$", re.IGNORECASE
)


class LinkRow(NamedTuple):
    """One end of a link, seen from the other.

    Outgoing: `path` is the note or file it leads to, or the target as written where there is none
    (or none to be seen); `line` and `label` are the link's own.  Backlink: `path` is the note that
    links here, `line` and `label` its.  `anchor` is the heading or ^block named, "" for none.
    `exists` is false when the target, its heading or its block does not exist; `problem` says which.
    """

    path: str
    line: int
    label: str
    exists: bool
    anchor: str = ""
    problem: str = ""


class Files:
    """Every file and folder of the vault that is no note, to tell whether an attachment is there.

    `listing` gives vault-relative paths and is called when the first link asks.
    """

    def __init__(self, listing: Callable[[], Iterable[str]]) -> None:
        self._listing = listing
        self._paths: dict[str, str] | None = None
        self._names: dict[str, str] = {}

    def find(self, source: str, target: str) -> str | None:
        """The file a link from note `source` leads to: by path, or by name from anywhere; None for none."""
        if self._paths is None:
            self._paths = {key(path): path for path in self._listing()}
            for path in sorted(self._paths, key=lambda path: (-path.count("/"), -len(path), path)):
                self._names[path.rpartition("/")[2]] = self._paths[path]
        for place in places(source, target):
            if place in {"", "."} or key(place) in self._paths:
                return self._paths.get(key(place), ".")
        bare = key(target.strip("/"))
        found = self._names.get(bare.rpartition("/")[2])
        return found if found and key("/" + found).endswith("/" + bare) else None


def places(source: str, target: str) -> Iterator[str]:
    """The vault paths a written path can mean, relative to the note's folder first; never above the vault."""
    folder = posixpath.dirname(source)
    if not target.startswith("/"):
        yield from _normal(posixpath.join(folder, target))
    if not target.startswith(("./", "../")):
        yield from _normal(target.lstrip("/"))


def _normal(path: str) -> Iterator[str]:
    path = posixpath.normpath(path)
    if path != ".." and not path.startswith("../"):
        yield path


def find(names: Names, source: str, target: str, style: str) -> str | None:
    """The note that `target`, written in note `source`, leads to; None where there is none.

    A wikilink is looked up by vault path before it is taken as relative to its folder, a Markdown
    link the other way round; both by the end of a path from anywhere, the nearest to the vault's
    folder first.  A wikilink may also be a title, an alias or a slug.
    """
    if target in {"", "."}:
        return source
    for written in dict.fromkeys((target, unquote(target))):
        found = _by_path(names, source, written, style) or _by_name(names, written, style)
        if found:
            return found
    return None


def _by_path(names: Names, source: str, target: str, style: str) -> str | None:
    ways = list(places(source, target))
    for place in ways if style == "markdown" else ways[::-1]:
        found = _at(names, place)
        if found:
            return found
    if target.startswith(("/", "./", "../")):
        return None
    bare = key(without_ending(target)).strip("/")
    ending = names.ending_in(bare) or names.ending_in(key(target))
    folder = posixpath.dirname(source)
    beside = [path for path in ending if posixpath.dirname(path) == folder]
    return next(iter(beside or ending), None)


def _at(names: Names, place: str) -> str | None:
    """The note at a path, with or without its ending, exactly spelled or else with case apart."""
    if place in names.paths:
        return place
    found = names.by_path.get(key(place)) or names.by_path.get(key(without_ending(place)))
    if not found:
        return None
    return next((path for path in found if without_ending(path) in {place, without_ending(place)}), found[0])


def _by_name(names: Names, target: str, style: str) -> str | None:
    if style == "markdown":
        return None
    for spelling in (target.replace("/", "___"), target.replace("/", "%2F"), _journal(target)):
        found = names.ending_in(key(spelling)) if spelling and spelling != target else []
        if found:
            return found[0]
    found = list(names.titles.get(key(target), ()))
    if not found and fold(target):
        found = list(names.folds.get(fold(without_ending(target)), ()))
    return min(found, key=lambda path: (path.count("/"), len(path), path), default=None)


def _journal(target: str) -> str:
    """Logseq's `Feb 1st, 2026` as the file name it has, `2026_02_01`; "" for anything else."""
    match = _JOURNAL.fullmatch(target)
    if not match or match[1].lower() not in _MONTHS:
        return ""
    return f"{match[3]}_{_MONTHS.index(match[1].lower()) + 1:02}_{int(match[2]):02}"


def as_meant(names: Names, source: str, link: Link) -> tuple[Link, str | None]:
    """The link as its writer meant it, and the note it leads to.

    Dendron writes `[[label|name]]`, everyone else `[[name|label]]`: the second part is the name where
    it is that of a file, or begins as dotted names of files here do, and the first is no file's.
    """
    found = find(names, source, link.target, link.style)
    if link.style != "wiki" or not link.label or (found and _is_at(found, link.target)):
        return link, found
    name, _, place = link.label.partition("#")
    domain, dot, _ = key(name).partition(".")
    dotted = name.startswith("dendron://") or bool(dot and " " not in name and domain in names.domains)
    name = name.rpartition("/")[2].strip() if name.startswith("dendron://") else name.strip()
    other = _by_path(names, source, name, "wiki") if name else None
    if other is None and not dotted:
        return link, found
    label = link.target + ("#" + link.heading if link.heading else "")
    block = place[1:] if place.startswith("^") else ""
    return link._replace(target=name, label=label, heading="" if block else place, block=block), other


def _is_at(found: str, target: str) -> bool:
    """Whether a note was found by its path, not by a title that happens to be the same."""
    return ("/" + key(without_ending(found))).endswith("/" + key(without_ending(target)).lstrip("./"))


class Anchors(NamedTuple):
    """What can be linked to inside a note: the letters of its headings, its block ids, its HTML anchors."""

    headings: frozenset[str]
    blocks: frozenset[str]
    named: frozenset[str]


def anchors(note: Note) -> Anchors:
    """The anchors of a parsed note."""
    headings = {letters(part) for section in note.sections for part in section.heading}
    named = {found.lower() for line in note.lines if "=" in line or "{#" in line for found in _ANCHOR.findall(line)}
    return Anchors(frozenset(headings), frozenset(block.id.lower() for block in note.blocks), frozenset(named))


def letters(text: str) -> str:
    """A heading as any tool's link to it spells it: letters and digits alone, in lower case."""
    return "".join(_LETTERS.findall(key(text)))


def problem_of(link: Link, there: Anchors) -> str:
    """Why the heading or block that a link names is not in the note it leads to; "" where it is."""
    if link.block:
        return "" if link.block.lower() in there.blocks else f"no block ^{link.block}"
    place = link.heading.strip()
    if not place or place.startswith(":~:") or place.lower() in {*there.named, "top"}:
        return ""
    for part in place.split("#"):
        name = part.strip().rstrip(":")  # Dendron: `#from,1:#to`, `:#*`
        wanted = {letters(name), letters(_REPEAT.sub("", name))}
        if name not in {"", "*"} and not wanted & there.headings and name.lower() not in there.named:
            return f"no heading {name!r}"
    return ""


class Broken(NamedTuple):
    """A link that leads nowhere: the note it stands in, its line, what was written, what is missing, and a code.

    Codes: `unwritten` for a wikilink to a note that is not there, which many people write before the
    note; `broken-link`, `broken-attachment`, `broken-heading`, `broken-block`.
    """

    path: str
    line: int
    code: str
    written: str
    problem: str


class Graph:
    """The links of a vault.

    `files` finds attachments, `parsed` gives a note as it is on disk or None; both are asked only
    where the index does not know.
    """

    def __init__(self, db: apsw.Connection, files: Files, parsed: Callable[[str], Note | None]) -> None:
        self.db = db
        self.files = files
        self.parsed = parsed
        self.names = Names(get_called(db, private=True))
        self.shown = {each.path for each in get_called(db, private=False)}
        self._anchors: dict[str, Anchors] = {}
        self._parsed: set[str] = set()

    def outgoing(self, path: str, *, private: bool) -> tuple[LinkRow, ...]:
        """What a visible note links to, in order of lines; a private note only as what was written."""
        labels = self._labels(path, private=private)
        rows = []
        for _, link in get_links(self.db, path, private=private):
            meant, found, problem = self.follow(path, link)
            hidden = found is not None and not private and found in self.names.paths and found not in self.shown
            where = meant.target if found is None or hidden else found
            label = meant.label or labels.get(meant.line, "")
            rows.append(
                LinkRow(where, meant.line, label, hidden or not problem, place_of(meant), problem * (not hidden))
            )
        return tuple(rows)

    def backlinks(self, path: str, *, private: bool) -> tuple[LinkRow, ...]:
        """What links to a note from others, in order of path and line."""
        called = next(each for each in self.names.called if each.path == path)
        wanted = {fold(each) for each in (path, without_ending(path), called.title, *called.aliases)}
        stem = fold(without_ending(path).rpartition("/")[2])
        rows = []
        for source, link in get_links(self.db, None, private=private):
            if source != path and any(self._may_mean(text, stem, wanted) for text in (link.target, link.label)):
                meant, found = as_meant(self.names, source, link)
                if found == path:
                    problem = self._missing_place(path, meant)
                    rows.append(LinkRow(source, meant.line, meant.label, not problem, place_of(meant), problem))
        return tuple(rows)

    def broken(self, *, private: bool) -> Iterator[Broken]:
        """Every link of a visible note whose target, heading or block is not there."""
        for path, link in get_links(self.db, None, private=private):
            meant, found, problem = self.follow(path, link)
            hidden = found in self.names.paths and found not in self.shown and not private
            if problem and not hidden:
                place = place_of(meant)
                written = meant.target + ("#" + place if place else "")
                yield Broken(path, meant.line, _code(meant, found), written, problem)

    def rivals(self, source: str, link: Link) -> list[str]:
        """The notes that a bare wikilink can mean, the one taken first; none where there is no doubt."""
        if link.style != "wiki" or not link.target or "/" in link.target:
            return []
        meant, found = as_meant(self.names, source, link)
        every = self.names.ending_in(key(without_ending(meant.target)))
        if found not in every or "/" not in found or posixpath.dirname(found) == posixpath.dirname(source):
            return []
        return [found, *(path for path in every if path != found)] if len(every) > 1 else []

    def follow(self, source: str, link: Link) -> tuple[Link, str | None, str]:
        """The link as meant, the note or file it leads to, and what is missing: "" for nothing."""
        meant, found = as_meant(self.names, source, link)
        if found is not None:
            return meant, found, self._missing_place(found, meant)
        for target in dict.fromkeys((link.target, unquote(link.target))):
            file = self.files.find(source, target)
            if file is not None:
                return link, file, ""
        return meant, None, "no such file" if _is_file(meant) else "no such note"

    def _missing_place(self, path: str, link: Link) -> str:
        if not (link.heading or link.block):
            return ""
        if path not in self._anchors:
            self._anchors[path] = known_anchors(self.db, path)
        problem = problem_of(link, self._anchors[path])
        if problem and path not in self._parsed:
            self._parsed.add(path)
            note = self.parsed(path)
            if note is not None:
                self._anchors[path] = anchors(note)
                problem = problem_of(link, self._anchors[path])
        return problem

    def _labels(self, path: str, *, private: bool) -> dict[int, str]:
        """What stands behind ` - ` after a link in a fact (A30), by line."""
        found = {}
        for _, fact in get_facts(self.db, path, private=private):
            label = _LABEL.search(fact.text)
            if label:
                found[fact.first] = label[1].strip()
        return found

    def _may_mean(self, text: str, stem: str, wanted: set[str]) -> bool:
        last = without_ending(text.partition("#")[0].rpartition("/")[2])
        folded = fold(last)
        return folded == stem or folded in wanted or fold(text) in wanted or "%" in text or bool(_journal(text))


def place_of(link: Link) -> str:
    """The heading or ^block that a link names, "" for none."""
    return "^" + link.block if link.block else link.heading


def known_anchors(db: apsw.Connection, path: str) -> Anchors:
    """The anchors of a note that the index knows: headings with text below them, and blocks."""
    headings, blocks = get_anchors(db, path)
    return Anchors(frozenset(map(letters, headings)), frozenset(block.lower() for block in blocks), frozenset())


def _code(link: Link, found: str | None) -> str:
    if found is not None:
        return "broken-block" if link.block else "broken-heading"
    if _is_file(link):
        return "broken-attachment"
    return "unwritten" if link.style == "wiki" and not link.target.startswith((".", "/")) else "broken-link"


def _is_file(link: Link) -> bool:
    """Whether a link means a file that is no note; `[[next.js]]` is the name of a note."""
    plain = link.style == "markdown" and _TEXT.search(link.target)
    return bool(plain or _MEDIA.search(link.target))


def get_called(db: apsw.Connection, *, private: bool) -> Iterator[Called]:
    """The names of every visible note, in order of path."""
    rows = db.execute(
        "SELECT path, title, aliases, kind, coalesce(updated, date) FROM note"  # noqa: S608
        f" WHERE {visible(private=private)} ORDER BY path"
    )
    for path, title, aliases, kind, date in rows:
        yield Called(path, title, () if aliases == "[]" else tuple(map(str, json.loads(aliases))), kind, date)


def get_links(db: apsw.Connection, path: str | None = None, *, private: bool) -> Iterator[tuple[str, Link]]:
    """Each link of a visible note with the note's path, of one note or of all, in order of path and line."""
    only, values = ("", ()) if path is None else (" AND note.path = ?", (path,))
    rows = db.execute(
        "SELECT note.path, target, heading, block, label, line, style, embed"  # noqa: S608
        " FROM link JOIN note ON note.id = link.note"
        f" WHERE {visible(private=private)}{only} ORDER BY note.path, link.ordinal",
        values,
    )
    return ((row[0], Link._make((*row[1:7], bool(row[7])))) for row in rows)


def get_anchors(db: apsw.Connection, path: str) -> tuple[set[str], tuple[str, ...]]:
    """The headings of a note that have text below them, and its block ids."""
    rows = db.execute("SELECT DISTINCT heading FROM chunk WHERE note = (SELECT id FROM note WHERE path = ?)", (path,))
    headings = {part for (heading,) in rows for part in heading.split("\n")}
    blocks = db.execute("SELECT blocks FROM note WHERE path = ?", (path,)).get
    return headings, tuple(block[0] for block in json.loads(blocks or "[]"))
