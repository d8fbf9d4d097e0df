"""Targets of links: which note or file a link names, and whether its heading or block is there.

Links of every kind that people's tools write are understood: Obsidian's (by name from anywhere,
shortest path first; by path; by heading and ^block), Markdown's and GitHub's (relative to the
note's folder, or `/` for the vault's; `#heading-slug`), Dendron's (`[[label|dotted.name]]`) and
Logseq's (`[[namespace/name]]`, `[[Feb 1st, 2026]]`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.note import Link
from indexer.reading.path_meaning import MONTHS, fold_name, folded_target, iso, month_of
from indexer.spelling import LETTERS_AND_DIGITS

from .names import NoteNames, name_key, without_ending

if TYPE_CHECKING:
    import apsw

    from indexer.note import Note

_JOURNAL = r"(?i)([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4})"
_ANCHOR = r"(?i)(?:\b(?:id|name)\s*=\s*[\"']?|\{#)([^\s\"'>}]+)"
_OFFSET = re.compile(r",\d+$")
_REPEAT = re.compile(r"[-,]\d+$")


class Files:
    """Every file and folder of the vault that is no note, to tell whether an attachment is there.

    `listing` gives vault-relative paths, those of folders with a `/` behind, and is called when the
    first link asks.
    """

    def __init__(self, listing: Callable[[], Iterable[str]]) -> None:
        self._listing = listing
        self._paths: dict[str, str] | None = None
        self._names: dict[str, str] = {}
        self._folders: set[str] = set()

    def find(self, source: str, target: str, style: str) -> str | None:
        """The file a link from note `source` leads to: by path, or by name from anywhere; None for
        none.

        Only a Markdown link may lead to a folder.
        """
        paths = self._listed()
        folders = self._folders if style == "wiki" else ()
        for place in possible_paths(source, target):
            if place in {"", "."} or (name_key(place) in paths and name_key(place) not in folders):
                return paths.get(name_key(place), ".")
        bare = name_key(target.strip("/"))
        found = self._names.get(posixpath.basename(bare))
        if found and name_key(found) not in folders and name_key("/" + found).endswith("/" + bare):
            return found
        return None

    def hold(self, path: str) -> bool:
        """Whether there is a file or folder at this vault path."""
        return name_key(path) in self._listed()

    def _listed(self) -> dict[str, str]:
        if self._paths is None:
            listed = list(self._listing())
            self._folders = {name_key(path.rstrip("/")) for path in listed if path.endswith("/")}
            self._paths = {name_key(path.rstrip("/")): path.rstrip("/") for path in listed}
            for path in sorted(
                self._paths,
                key=lambda path: (path not in self._folders, -path.count("/"), -len(path), path),
            ):
                self._names[posixpath.basename(path)] = self._paths[path]
        return self._paths


def possible_paths(source: str, target: str) -> Iterator[str]:
    """The vault paths a written path can mean, relative to the note's folder first; never above the
    vault."""
    folder = posixpath.dirname(source)
    if not target.startswith("/"):
        yield from _normal(posixpath.join(folder, target))
    if not target.startswith(("./", "../")):
        yield from _normal(target.lstrip("/"))


def unquoted(text: str) -> str:
    """A target with what `%20` and the like stand for."""
    if "%" not in text:
        return text
    from urllib.parse import unquote  # few links have use for it

    return unquote(text)


def _normal(path: str) -> Iterator[str]:
    path = posixpath.normpath(path)
    if path != ".." and not path.startswith("../"):
        yield path


def find_target(names: NoteNames, source: str, target: str, style: str) -> str | None:
    """The note that `target`, written in note `source`, leads to; None where there is none.

    A wikilink is looked up by vault path before it is taken as relative to its folder, a Markdown
    link the other way round; both by the end of a path from anywhere, the nearest to the vault's
    folder first.  A wikilink may also be a title, an alias or a slug.
    """
    if target in {"", "."}:
        return source
    for written in dict.fromkeys((target, unquoted(target))):
        found = _by_path(names, source, written, style) or _by_name(names, written, style)
        if found:
            return found
    return None


def _by_path(names: NoteNames, source: str, target: str, style: str) -> str | None:
    ways = list(possible_paths(source, target))
    for place in ways if style == "markdown" else ways[::-1]:
        found = _at(names, place)
        if found:
            return found
    if target.startswith(("/", "./", "../")):
        return None
    ending = names.ending_in(name_key(target).strip("/")) or names.ending_in(
        name_key(without_ending(target)).strip("/")
    )
    folder = posixpath.dirname(source)
    beside = [path for path in ending if posixpath.dirname(path) == folder]
    return next(iter(beside or ending), None)


def _at(names: NoteNames, place: str) -> str | None:
    """The note at a path, with or without its ending, exactly spelled or else with case apart."""
    if place in names.paths:
        return place
    found = names.by_path.get(name_key(place)) or names.by_path.get(name_key(without_ending(place)))
    if not found:
        return None
    return next(
        (path for path in found if without_ending(path) in {place, without_ending(place)}), found[0]
    )


def _by_name(names: NoteNames, target: str, style: str) -> str | None:
    if style == "markdown" or "\\" in target or target.startswith(("/", "./", "../")):
        return None
    for spelling in (target.replace("/", "___"), target.replace("/", "%2F"), journal(target)):
        if spelling and spelling != target:
            found = names.ending_in(name_key(spelling))
        else:
            found = []
        if found:
            return found[0]
    found = list(names.titles.get(name_key(target), ()))
    if not found and fold_name(target):
        found = list(names.folds.get(fold_name(without_ending(target)), ()))
    return min(found, key=lambda path: (path.count("/"), len(path), path), default=None)


def journal(target: str) -> str:
    """Logseq's `Feb 1st, 2026` as the file name it has, `2026_02_01`; "" for anything else."""
    match = re.fullmatch(_JOURNAL, target)
    if match:
        found = iso(match[3], str(month_of(match[1])), match[2])
    else:
        found = None
    return (found or "").replace("-", "_")


def journal_names(day: str) -> list[str]:
    """How Logseq's links write an ISO day, in small letters: `feb 1st, 2026`, also in full, and
    without `st`."""
    from datetime import date

    at = date.fromisoformat(day)
    if 10 < at.day < 20:
        end = "th"
    else:
        end = {1: "st", 2: "nd", 3: "rd"}.get(at.day % 10, "th")
    months = (MONTHS[at.month - 1], MONTHS[at.month - 1][:3])
    return [f"{month} {at.day}{ending}, {at.year:04}" for month in months for ending in (end, "")]


def folds_of(db: apsw.Connection, path: str) -> list[str]:
    """How the links that may lead to a note are folded: as its names are, or as the day of a daily
    note is written."""
    rows: list[tuple[Any, ...]] = db.execute(
        "SELECT name.text, name.folded, note.date FROM name JOIN visible_note AS note ON note.id"
        " = name.note WHERE note.path = ? AND name.source != 'link' ORDER BY name.ordinal",
        (path,),
    ).fetchall()
    found = {fold_name(without_ending(path)), *(folded for _, folded, _ in rows)}
    found |= {folded_target(text) for text, _, _ in rows if "/" in text}
    if rows and rows[0][2]:
        found.update(map(fold_name, journal_names(rows[0][2])))
    return sorted(found)


def as_meant(names: NoteNames, source: str, link: Link) -> tuple[Link, str | None]:
    """The link as its writer meant it, and the note it leads to.

    Dendron writes `[[label|name]]`, everyone else `[[name|label]]`: the second part is the name
    where it is that of a file, or begins as dotted names of files here do, and the first is no
    file's.
    """
    found = find_target(names, source, link.target, link.style)
    if link.style != "wiki" or not link.label or (found and is_at(found, link.target)):
        return link, found
    name, _, place = link.label.partition("#")
    domain, dot, _ = name_key(name).partition(".")
    dotted = name.startswith("dendron://") or bool(
        dot and " " not in name and domain in names.domains
    )
    if name.startswith("dendron://"):
        name = posixpath.basename(name).strip()
    else:
        name = name.strip()
    if name:
        other = _by_path(names, source, name, "wiki")
    else:
        other = None
    if other is None and not dotted:
        return link, found
    label = link.target + ("#" + link.heading if link.heading else "")
    if place.startswith("^"):
        block = place[1:]
    else:
        block = ""
    return (
        link._replace(target=name, label=label, heading="" if block else place, block=block),
        other,
    )


def is_at(found: str, target: str) -> bool:
    """Whether a note was found by its path, not by a title that happens to be the same."""
    return ("/" + name_key(without_ending(found))).endswith(
        "/" + name_key(without_ending(target)).lstrip("./")
    )


HeadingPath = tuple[frozenset[str], ...]
"""A heading with those above it, the outermost first: of each the ways in which links spell it."""


class Anchors(NamedTuple):
    """What can be linked to inside a note: its headings, its block ids, its HTML anchors."""

    headings: Sequence[HeadingPath]
    blocks: frozenset[str]
    named: frozenset[str]


def note_anchors(note: Note) -> Anchors:
    """The anchors of a parsed note."""
    named = {
        found.lower()
        for line in note.shown
        if "=" in line or "{#" in line
        for found in re.findall(_ANCHOR, line)
    }
    headings = [path for _, path in _headings(note)]
    return Anchors(headings, frozenset(block.id.lower() for block in note.blocks), frozenset(named))


def heading_path(headings: Iterable[str]) -> HeadingPath:
    """Headings as the index has them, the outermost first."""
    return tuple([frozenset((letters(each),)) for each in headings])


def find_heading(note: Note, place: str) -> int | None:
    """The number of the section that a link names by its heading, `A`, `A#B`, `a-slug` or
    `a-slug-1`; None for none.

    Of several the first whose text is just so, else the first; `-1` means the second.
    """
    headings = _headings(note)
    for repeats in (False, True):
        wanted = _parts(place, repeats=repeats)
        found = [
            at
            for at, path in headings
            if wanted and path[-1] & wanted[-1] and leads_to(path[:-1], wanted[:-1])
        ]
        if found and repeats:
            number = int(re.findall(r"\d+$", place)[0])
            if number < len(found):
                return found[number]
            return found[0]
        same = [
            at
            for at in found
            if name_key(note.sections[at].heading[-1]) == name_key(place.rpartition("#")[2].strip())
        ]
        if found:
            return (same or found)[0]
        if not _REPEAT.search(place):
            break
    return None


def _headings(note: Note) -> list[tuple[int, HeadingPath]]:
    """The sections that have a heading, by number, each with its path.

    Obsidian spells a heading as it is written, without `# | ^ : %% [[ ]]`; others as it is read.
    """
    from indexer.reading.markdown import BULLETS  # few links need a parsed note

    found: list[tuple[int, HeadingPath]] = []
    known: dict[tuple[str, ...], HeadingPath] = {(): ()}
    for at, section in enumerate(note.sections):
        if not section.level:
            continue
        written = note.shown[section.first - 1].lstrip(BULLETS)
        spellings = {letters(section.heading[-1])}
        if written.startswith("#"):
            spellings.add(letters(written.strip("# \t")))
        above = known.get(section.heading[:-1]) or heading_path(section.heading[:-1])
        path = known[section.heading] = (*above, frozenset(spellings))
        found.append((at, path))
    return found


def letters(text: str) -> str:
    """A heading as any tool's link to it spells it: letters and digits alone, in lower case; all of
    one without any."""
    text = name_key(text)
    return "".join(LETTERS_AND_DIGITS.findall(text)) or "".join(text.replace("\ufe0f", "").split())


def leads_to(path: HeadingPath, wanted: Sequence[frozenset[str]]) -> bool:
    """Whether these headings follow each other in a path, others between them or not."""
    rest = iter(path)
    return all(any(part & each for each in rest) for part in wanted)


def _parts(place: str, *, repeats: bool) -> list[frozenset[str]]:
    """The headings that a link names, as they may be spelled; with `repeats` without the number of
    a second one."""
    names = [
        part.strip().rstrip(":") for part in place.split("#")
    ]  # Dendron: `#from,1:#to`, `#:#*`
    names = [name for name in names if name not in {"", "*"}]
    return [frozenset((letters(_REPEAT.sub("", name) if repeats else name),)) for name in names]


def problem_of(link: Link, there: Anchors) -> str:
    """Why the heading or block that a link names is not in the note it leads to; "" where it is."""
    if link.block:
        if link.block.lower() in there.blocks:
            return ""
        return f"no block ^{link.block}"
    place = link.heading.strip()
    if not place or place.startswith(":~:") or place.lower() in {*there.named, "top"}:
        return ""
    if any(_is_there(_parts(place, repeats=repeats), there) for repeats in (False, True)):
        return ""
    missing = (
        name for name in place.split("#") if not _is_there(_parts(name, repeats=True), there)
    )
    return f"no heading {_OFFSET.sub('', next(missing, place).strip().rstrip(':'))!r}"


def _is_there(wanted: Sequence[frozenset[str]], there: Anchors) -> bool:
    return not wanted or any(leads_to(path, wanted) for path in there.headings)


def link_place(link: Link) -> str:
    """The heading or ^block that a link names, "" for none."""
    if link.block:
        return "^" + link.block
    return link.heading


def waiting_links(
    links: Iterable[tuple[str, Link]], names: NoteNames, name: str
) -> Iterator[tuple[str, Link]]:
    """Those wikilinks, each with its note's path, that are to a name that no note has yet."""
    for path, link in links:
        if (
            link.style == "wiki"
            and name_key(link.target) == name_key(name)
            and as_meant(names, path, link)[1] is None
        ):
            yield path, link
