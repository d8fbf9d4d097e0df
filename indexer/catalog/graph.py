"""The links of a vault: what a note links to, what links to it, and which links lead nowhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.note import Link
from indexer.spelling import group_pairs

from .link_targets import (
    Anchors,
    Files,
    folds_of,
    link_place,
    note_anchors,
    problem_of,
    target_of,
    unquoted,
    waiting_links,
)
from .lists import get_facts
from .names import Called, NoteNames, bare_key, folded_json, name_key
from .visibility import PRIVATE_CONDITION, visible_sql

if TYPE_CHECKING:
    import apsw

    from indexer.note import Note

    from .filters import Linked

LINK_LABEL = re.compile(r"(?:\]\]|\))\s+[-–—:]\s+(.+)")
"""What stands behind a link in a fact: ` - ` and its label."""

_MEDIA = (
    r"(?i)\.(?:png|jpe?g|gif|svg|webp|bmp|ico|avif|heic|tiff?|pdf|mp[34]|m4[av]|wav|ogg|flac|webm"
    r"|mov|mkv|zip|gz|tgz|7z|tar"
    r"|docx?|xlsx?|pptx?|csv|canvas|base|excalidraw|drawio)$"
)
_TEXT = (
    r"(?i)\.(?:tsv|txt|html?|json|ya?ml|toml|xml|py|[jt]sx?|sh|css|c|h|cpp|hpp|rs|go|rb|java"
    r"|ipynb)$"
)


class LinkRow(NamedTuple):
    """One end of a link, seen from the other.

    Outgoing: `path` is the note or file it leads to, or the target as written where there is none
    (or none to be seen); `line` and `label` are the link's own. Backlink: `path` is the note that
    links here, `line` and `label` its. `anchor` is the heading or ^block named, "" for none.
    `exists` is false when the target, its heading or its block does not exist; `problem` says
    which. `text` is what stands on a backlink's line, "" where that is not known.
    """

    path: str
    line: int
    label: str
    exists: bool
    anchor: str = ""
    problem: str = ""
    text: str = ""


class Broken(NamedTuple):
    """A link that leads nowhere: the note it stands in, its line, what was written, what is
    missing, and a code.

    Codes: `unwritten` for a wikilink to a note that is not there, which many people write before
    the note; `site-link` for `/folder/…` where the vault has no such folder, as on a website;
    `broken-link`, `broken-attachment`, `broken-heading`, `broken-block`.
    """

    path: str
    line: int
    code: str
    written: str
    problem: str


class Graph:
    """The links of a vault.

    `files` finds attachments, `parsed` gives a note as it is on disk or None, for its headings and
    blocks; `text` gives what stands on a line of a note.
    """

    def __init__(
        self,
        db: apsw.Connection,
        files: Files,
        parsed: Callable[[str], Note | None],
        text: Callable[[str, int], str] = lambda _, __: "",
    ) -> None:
        self.db = db
        self.files = files
        self.parsed = parsed
        self.text = text
        self.names = NoteNames(get_called(db, private=True))
        self.shown = {each.path for each in get_called(db, private=False)}
        self._anchors: dict[str, Anchors] = {}

    def outgoing(self, path: str, *, private: bool) -> tuple[LinkRow, ...]:
        """What a visible note links to, in order of lines; a private note only as what was
        written."""
        labels = self._labels(path, private=private)
        rows = []
        for _, link in get_links(self.db, path, private=private):
            found, problem = self.follow(path, link)
            where = link.target
            if self._is_hidden(found, private=private):
                problem = ""
            elif found is not None:
                where = found
            label = link.label or labels.get(link.line, "")
            place = link_place(link)
            rows.append(
                LinkRow(
                    path=where,
                    line=link.line,
                    label=label,
                    exists=not problem,
                    anchor=place,
                    problem=problem,
                )
            )
        return tuple(rows)

    def backlinks(self, path: str, *, private: bool) -> tuple[LinkRow, ...]:
        """What links to a note from others, in order of path and line."""
        rows = []
        folds = folds_of(self.db, path)
        for source, link in get_links(self.db, folded=folds, private=private):
            if source != path == target_of(self.names, source, link):
                problem = self._missing_place(path, link)
                rows.append(self._to_here(source, link, problem))
        return tuple(rows)

    def waiting(self, name: str, *, private: bool) -> tuple[LinkRow, ...]:
        """The wikilinks of visible notes to a name that no note has yet, in order of path and
        line."""
        every = get_links(self.db, private=private)
        found = waiting_links(every, self.names, name)
        return tuple(self._to_here(path, link, "") for path, link in found)

    def _to_here(self, source: str, link: Link, problem: str) -> LinkRow:
        """A link seen from what it leads to."""
        text = self.text(source, link.line)
        place = link_place(link)
        return LinkRow(
            path=source,
            line=link.line,
            label=link.label,
            exists=not problem,
            anchor=place,
            problem=problem,
            text=text,
        )

    def broken(self, *, private: bool) -> Iterator[Broken]:
        """Every link of a visible note whose target, heading or block is not there."""
        for path, link in get_links(self.db, None, private=private):
            found, problem = self.follow(path, link)
            if problem and not self._is_hidden(found, private=private):
                place = link_place(link)
                written = link.target + ("#" + place if place else "")
                code = _code(link, found)
                if found is None and self._is_outside(link.target):
                    code = "site-link"
                yield Broken(path, link.line, code, written, problem)

    def rivals(self, source: str, link: Link) -> list[str]:
        """The notes that a bare wikilink can mean, the one taken first; none where there is no
        doubt."""
        if link.style != "wiki" or not link.target or "/" in link.target:
            return []
        found = target_of(self.names, source, link)
        every = self.names.ending_in(bare_key(link.target))
        if (
            found is None
            or found not in every
            or "/" not in found
            or posixpath.dirname(found) == posixpath.dirname(source)
        ):
            return []
        if len(every) > 1:
            return [found, *(path for path in every if path != found)]
        return []

    def follow(self, source: str, link: Link) -> tuple[str | None, str]:
        """The note or file that a link leads to, and what is missing: "" for nothing."""
        found = target_of(self.names, source, link)
        if found is not None:
            return found, self._missing_place(found, link)
        targets = [link.target, unquoted(link.target)]
        if link.style == "wiki":
            targets.append(link.target + ".md")  # a note that is on disk and not for us
        for target in dict.fromkeys(targets):
            file = self.files.find(source, target, link.style)
            if file is not None:
                return file, ""
        if means_file(link):
            return None, "no such file"
        return None, "no such note"

    def _is_outside(self, target: str) -> bool:
        """Whether a target begins with a folder that the vault does not have."""
        if not target.startswith("/"):
            return False
        folder = target.split("/")[1]
        return not self.files.hold(folder)

    def _is_hidden(self, found: str | None, *, private: bool) -> bool:
        """Whether what a link leads to is a note that is not to be seen."""
        return not private and found in self.names.paths and found not in self.shown

    def _missing_place(self, path: str, link: Link) -> str:
        if not (link.heading or link.block):
            return ""
        if path not in self._anchors:
            note = self.parsed(path)
            self._anchors[path] = note_anchors(note) if note else Anchors()
        return problem_of(link, self._anchors[path])

    def _labels(self, path: str, *, private: bool) -> dict[int, str]:
        """What stands behind ` - ` after a link in a fact, by line."""
        found = {}
        for _, fact in get_facts(self.db, path, private=private):
            label = LINK_LABEL.search(fact.text)
            if label:
                found[fact.first] = label[1].strip()
        return found


class LinkedNotes:
    """Which visible notes link to which, over one link or several; a note's links to itself are
    none.

    Links are resolved when they are first asked for.
    """

    def __init__(self, db: apsw.Connection, *, private: bool) -> None:
        self.names = NoteNames(get_called(db, private=True))
        self.shown = {each.path for each in get_called(db, private=private)}
        self._written = group_pairs(get_links(db, private=private))
        self._to: dict[str, set[str]] = {}

    def to(self, path: str) -> set[str]:
        """The notes that a note links to."""
        if path not in self._to:
            links = self._written.get(path, ())
            ends = {target_of(self.names, path, link) for link in links}
            self._to[path] = self.shown.intersection(ends) - {path}
        return self._to[path]

    def from_(self, path: str) -> set[str]:
        """The notes that link to a note, or to a name that no note has yet."""
        if path in self.names.paths:
            return self.back.get(path, set())
        found: set[str] = set()
        for at, links in self._written.items():
            pairs = ((at, link) for link in links)
            found.update(each for each, _ in waiting_links(pairs, self.names, path))
        return found

    def within(
        self,
        path: str,
        most: int,
        step: Callable[[str], set[str]],
    ) -> set[str]:
        """The notes at most so many steps (0: any number) from a note, without that."""
        found = {path}
        edge = {path}
        steps = 0
        while edge and (not most or steps < most):
            edge = set[str]().union(*map(step, edge)) - found
            found |= edge
            steps += 1
        return found - {path}

    def beside(self, path: str) -> set[str]:
        """The notes that a note has a link with, in either direction."""
        return self.to(path) | self.from_(path)

    def related(self, path: str) -> set[str]:
        """The notes that a note has no link with, in either direction, but that one note stands
        between."""
        return self.within(path, 2, self.beside) - self.beside(path)

    @cached_property
    def back(self) -> dict[str, set[str]]:
        """The notes that link to each, where any does."""
        found: dict[str, set[str]] = {}
        for path in self._written:
            for each in self.to(path):
                found.setdefault(each, set()).add(path)
        return found


def linked_as(db: apsw.Connection, links: Linked, *, private: bool) -> set[str]:
    """The visible notes that are linked with the notes that `links` names by their paths, as it
    says.

    What notes link to may be a name, too, that no note has yet.
    """
    notes = LinkedNotes(db, private=private)
    found = set(notes.shown)
    if links.orphan:
        found -= notes.back.keys()
    for path in links.linked_by:
        found &= notes.within(path, links.most, notes.to)
    for path in links.link_to:
        found &= notes.within(path, links.most, notes.from_)
    for path in links.related:
        found &= notes.related(path)
    return found


def _code(link: Link, found: str | None) -> str:
    if found is not None:
        if link.block:
            return "broken-block"
        return "broken-heading"
    if means_file(link):
        return "broken-attachment"
    if link.style == "wiki" and not link.target.startswith((".", "/")):
        return "unwritten"
    return "broken-link"


def means_file(link: Link) -> bool:
    """Whether a link means a file that is no note; `[[next.js]]` is the name of a note."""
    plain = link.style == "markdown" and re.search(_TEXT, link.target)
    return bool(plain or re.search(_MEDIA, link.target))


def get_called(
    db: apsw.Connection,
    *,
    private: bool,
    kinds: Collection[str] = (),
    paths: Collection[str] = (),
) -> Iterator[Called]:
    """The names of every visible note, or of those of some kinds or paths, in order of path."""
    where = visible_sql(private=private)
    for column, wanted in (("kind", kinds), ("path", paths)):
        if wanted:
            where += f" AND {column} IN ({', '.join('?' * len(wanted))})"
    return _called(db, where, *kinds, *paths)


def get_namesakes(db: apsw.Connection, folded: Collection[str]) -> NoteNames:
    """The notes that a link may mean of which the target is folded so, hidden ones too; initials,
    which many notes share, are no name that a link has."""
    where = (
        "id IN (SELECT note FROM name WHERE source NOT IN ('link', 'initials') AND folded IN"
        " (SELECT value FROM json_each(?)))"
    )
    return NoteNames(_called(db, where, folded_json(folded)))


def get_names(db: apsw.Connection, *, private: bool, kinds: Collection[str] = ()) -> NoteNames:
    """The same, ready to be asked; no name of a private note finds another one."""
    called = get_called(db, private=private, kinds=kinds)
    return NoteNames(called, get_secret(db, private=private))


def get_secret(db: apsw.Connection, *, private: bool) -> list[Called]:
    """The names of private notes, none where these may be seen: what nothing else is to be found
    by."""
    if private:
        return []
    return [*_called(db, PRIVATE_CONDITION)]


def _called(db: apsw.Connection, where: str, *values: str) -> Iterator[Called]:
    rows = db.execute(
        "SELECT path, title, (SELECT group_concat(value, char(10)) FROM json_each(aliases)), kind,"
        f" coalesce(updated, date) FROM visible_note AS note WHERE {where} ORDER BY path",
        values,
    )
    for path, title, aliases, kind, date in rows:
        others = tuple(aliases.split("\n")) if aliases else ()
        yield Called(path, title, others, kind, date)


def get_tagged(db: apsw.Connection, names: set[str], *, private: bool) -> list[str]:
    """The visible notes that carry one of these tags, in order; `names` are keys of names."""
    rows = db.execute(
        "SELECT DISTINCT tag.name, note.path FROM tag JOIN visible_note AS note ON note.id ="
        f" tag.note WHERE {visible_sql(private=private)}"
    )
    return sorted({path for name, path in rows if name_key(name) in names})


def get_links(
    db: apsw.Connection,
    path: str | None = None,
    *,
    folded: list[str] | None = None,
    private: bool,
) -> Iterator[tuple[str, Link]]:
    """Each link of a visible note with the note's path, in order of path and line.

    Of one note where `path` is given; with `folded` only those of which the last part of the target
    is folded so.
    """
    where = visible_sql(private=private)
    values = list[str]()
    if path is not None:
        where += " AND note.path = ?"
        values.append(path)
    if folded is not None:
        where += " AND link.folded IN (SELECT value FROM json_each(?))"
        values.append(folded_json(folded))
    rows = db.execute(
        f"SELECT note.path, target, heading, block, label, line, style, embed FROM link JOIN"
        f" visible_note AS note ON note.id = link.note WHERE {where} ORDER BY note.path,"
        " link.ordinal",
        values,
    )
    return map(_written_link, rows)


def _written_link(row: Any) -> tuple[str, Link]:
    path, *written, embed = row
    return path, Link._make((*written, bool(embed)))


def get_folders(db: apsw.Connection) -> tuple[str, ...]:
    """The folders of the vault's own folder that hold notes, in order."""
    rows = db.execute(
        "SELECT DISTINCT substr(path, 1, instr(path, '/') - 1) FROM visible_note WHERE"
        " instr(path, '/')"
    )
    return tuple(sorted(folder for (folder,) in rows))


def get_blocks(db: apsw.Connection, path: str) -> tuple[str, ...]:
    """The ids of the blocks of a note."""
    blocks = db.execute("SELECT blocks FROM visible_note WHERE path = ?", (path,)).get
    from json import loads

    return tuple(block[0] for block in loads(blocks or "[]"))
