"""Targets of links: which note or file a link names, and whether its heading or block is there.

Links of every kind that people's tools write are understood: Obsidian's (by name from anywhere,
shortest path first; by path; by heading and ^block), Markdown's and GitHub's (relative to the
note's folder, or `/` for the vault's; `#heading-slug`) and Logseq's (`[[namespace/name]]`, `[[Feb
1st, 2026]]`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.note import Link
from indexer.reading.path_meaning import MONTHS, fold_name, folded_target, iso, month_of
from indexer.spelling import LETTERS_AND_DIGITS

from .names import NoteNames, bare_key, name_key, path_order, without_ending

if TYPE_CHECKING:
    import apsw

    from indexer.note import Note

_JOURNAL = r"(?i)([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4})"
_ANCHOR = r"(?i)(?:\b(?:id|name)\s*=\s*[\"']?|\{#)([^\s\"'>}]+)"
_ANCHORED = ("/", "./", "../")
"""Beginnings of a target that is a path from the note's folder or the vault's, and no name."""
_REPEAT = re.compile(r"-\d+$")


class Files:
    """Every file and folder of the vault that is no note, to tell whether an attachment is there.

    `listing` gives vault-relative paths, those of folders with a `/` behind, and is called when the
    first link asks.
    """

    def __init__(self, listing: Callable[[], Iterable[str]]) -> None:
        self._listing = listing
        self._folders: set[str] = set()

    def find(self, source: str, target: str, style: str) -> str | None:
        """The file a link from note `source` leads to: by path, or by name from anywhere; None for
        none.

        Only a Markdown link may lead to a folder.
        """
        for place in possible_paths(source, target):
            if place == ".":
                return place
            if self._may_lead_to(name_key(place), style):
                return self._paths[name_key(place)]
        bare = name_key(target.strip("/"))
        key = self._names.get(posixpath.basename(bare), "")
        if f"/{key}".endswith(f"/{bare}") and self._may_lead_to(key, style):
            return self._paths[key]
        return None

    def hold(self, path: str) -> bool:
        """Whether there is a file or folder at this vault path."""
        return name_key(path) in self._paths

    def _may_lead_to(self, key: str, style: str) -> bool:
        """Whether there is a file of this key, or a folder and no wikilink."""
        if key not in self._paths:
            return False
        return style != "wiki" or key not in self._folders

    @cached_property
    def _paths(self) -> dict[str, str]:
        """Every path as it is spelled, by its key; `_folders` gets the keys of folders."""
        paths = {}
        for path in self._listing():
            plain = path.rstrip("/")
            key = name_key(plain)
            paths[key] = plain
            if path != plain:
                self._folders.add(key)
        return paths

    @cached_property
    def _names(self) -> dict[str, str]:
        """The key of the path that a bare name means: of a file first, and of the shortest."""
        keys = sorted(self._paths, key=self._precedence)
        return {posixpath.basename(key): key for key in keys}

    def _precedence(self, key: str) -> tuple[bool, int, int, str]:
        """What puts the path last that others of the same name give way to."""
        is_file = key not in self._folders
        return is_file, -key.count("/"), -len(key), key


def possible_paths(source: str, target: str) -> Iterator[str]:
    """The vault paths a written path can mean, relative to the note's folder first; never above the
    vault."""
    folder = posixpath.dirname(source)
    if not target.startswith("/"):
        yield from _normal(posixpath.join(folder, target))
    if not target.startswith(("./", "../")):
        yield from _normal(target.lstrip("/"))


def unquoted(text: str) -> str:
    """A target with what `%20` and the like stand for; as it is where that would hold a NUL, which
    no name does."""
    if "%" not in text:
        return text
    from urllib.parse import unquote  # few links have use for it

    plain = unquote(text)
    return text if "\0" in plain else plain


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
        found = _by_path(names, source, written, style)
        found = found or _by_name(names, written, style)
        if found:
            return found
    return None


def _by_path(names: NoteNames, source: str, target: str, style: str) -> str | None:
    places = list(possible_paths(source, target))
    if style != "markdown":
        places.reverse()
    for place in places:
        found = _at(names, place)
        if found:
            return found
    if target.startswith(_ANCHORED):
        return None
    whole = name_key(target).strip("/")
    bare = bare_key(target).strip("/")
    ending = names.ending_in(whole) or names.ending_in(bare)
    folder = posixpath.dirname(source)
    beside = [path for path in ending if posixpath.dirname(path) == folder]
    return next(iter(beside or ending), None)


def _at(names: NoteNames, place: str) -> str | None:
    """The note at a path, with or without its ending, exactly spelled or else with case apart."""
    if place in names.paths:
        return place
    bare = without_ending(place)
    found = names.by_path.get(name_key(place))
    found = found or names.by_path.get(name_key(bare))
    if not found:
        return None
    for path in found:
        if without_ending(path) in {place, bare}:
            return path
    return found[0]


def _by_name(names: NoteNames, target: str, style: str) -> str | None:
    if style == "markdown" or "\\" in target or target.startswith(_ANCHORED):
        return None
    others = (
        target.replace("/", "___"),
        target.replace("/", "%2F"),
        journal(target),
    )
    for spelling in others:
        if spelling in {"", target}:
            continue
        ending = names.ending_in(name_key(spelling))
        if ending:
            return ending[0]
    found = names.titles.get(name_key(target), ())
    if not found and fold_name(target):
        found = names.folds.get(fold_name(without_ending(target)), ())
    return min(found, key=path_order, default=None)


def journal(target: str) -> str:
    """Logseq's `Feb 1st, 2026` as the file name it has, `2026_02_01`; "" for anything else."""
    match = re.fullmatch(_JOURNAL, target)
    if match is None:
        return ""
    day = iso(match[3], str(month_of(match[1])), match[2])
    return (day or "").replace("-", "_")


def journal_names(day: str) -> list[str]:
    """How Logseq's links write an ISO day, in small letters: `feb 1st, 2026`, also in full, and
    without `st`."""
    from datetime import date

    at = date.fromisoformat(day)
    if 10 < at.day < 20:
        ending = "th"
    else:
        ending = {1: "st", 2: "nd", 3: "rd"}.get(at.day % 10, "th")
    name = MONTHS[at.month - 1]
    written = []
    for month in (name, name[:3]):
        written.append(f"{month} {at.day}{ending}, {at.year:04}")
        written.append(f"{month} {at.day}, {at.year:04}")
    return written


def folds_of(db: apsw.Connection, path: str) -> list[str]:
    """How the links that may lead to a note are folded: as its names are, or as the day of a daily
    note is written."""
    rows: list[tuple[Any, ...]] = db.execute(
        "SELECT name.text, name.folded, note.date FROM name JOIN visible_note AS note ON note.id"
        " = name.note WHERE note.path = ? AND name.source NOT IN ('link', 'initials') ORDER BY"
        " name.ordinal",
        (path,),
    ).fetchall()
    folds = {fold_name(without_ending(path))}
    for text, folded, _ in rows:
        folds.add(folded)
        if "/" in text:
            folds.add(folded_target(text))
    if rows and rows[0][2]:
        folds.update(map(fold_name, journal_names(rows[0][2])))
    return sorted(folds)


def target_of(names: NoteNames, source: str, link: Link) -> str | None:
    """The note that a link written in note `source` leads to; None where there is none."""
    return find_target(names, source, link.target, link.style)


Spellings = frozenset[str]
"""The ways in which links spell a heading."""

HeadingPath = tuple[Spellings, ...]
"""A heading with those above it, the outermost first."""


class Anchors(NamedTuple):
    """What can be linked to inside a note: its headings, its block ids, its HTML anchors."""

    headings: Sequence[HeadingPath] = ()
    blocks: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


def note_anchors(note: Note) -> Anchors:
    """The anchors of a parsed note."""
    named: set[str] = set()
    for line in note.shown:
        if "=" in line or "{#" in line:
            named.update(map(str.lower, re.findall(_ANCHOR, line)))
    headings = [path for _, path in _headings(note)]
    blocks = frozenset(block.id.lower() for block in note.blocks)
    return Anchors(headings, blocks, frozenset(named))


def heading_path(headings: Iterable[str]) -> HeadingPath:
    """Headings as the index has them, the outermost first."""
    spelled = map(letters, headings)
    return tuple([frozenset((each,)) for each in spelled])


def find_heading(note: Note, place: str) -> int | None:
    """The number of the section that a link names by its heading, `A`, `A#B`, `a-slug` or
    `a-slug-1`; None for none.

    Of several the first whose text is just so, else the first; `-1` means the second.
    """
    headings = _headings(note)
    found = _headed(headings, _parts(place, repeats=False))
    if found:
        last = name_key(place.rpartition("#")[2].strip())
        for at in found:
            if name_key(note.sections[at].heading[-1]) == last:
                return at
        return found[0]
    repeat = _REPEAT.search(place)
    if repeat is None:
        return None
    found = _headed(headings, _parts(place, repeats=True))
    number = int(repeat[0][1:])
    if number < len(found):
        return found[number]
    return next(iter(found), None)


def _headed(headings: Iterable[tuple[int, HeadingPath]], wanted: HeadingPath) -> list[int]:
    """The numbers of the sections whose heading is the last one wanted, the others above it."""
    if not wanted:
        return []
    *above, last = wanted
    return [at for at, path in headings if path[-1] & last and leads_to(path[:-1], above)]


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
        outer = section.heading[:-1]
        above = known.get(outer) or heading_path(outer)
        path = known[section.heading] = (*above, frozenset(spellings))
        found.append((at, path))
    return found


def letters(text: str) -> str:
    """A heading as any tool's link to it spells it: letters and digits alone, in lower case; all of
    one without any."""
    text = name_key(text)
    plain = "".join(LETTERS_AND_DIGITS.findall(text))
    if plain:
        return plain
    text = text.replace("\ufe0f", "")
    return "".join(text.split())


def leads_to(path: HeadingPath, wanted: Iterable[Spellings]) -> bool:
    """Whether these headings follow each other in a path, others between them or not."""
    rest = iter(path)
    return all(any(part & each for each in rest) for part in wanted)


def _parts(place: str, *, repeats: bool) -> HeadingPath:
    """The headings that a link names, as they may be spelled; with `repeats` without the number of
    a second one."""
    names = [part.strip().rstrip(":") for part in place.split("#")]
    names = [name for name in names if name]
    if repeats:
        names = [_REPEAT.sub("", name) for name in names]
    return heading_path(names)


def problem_of(link: Link, there: Anchors) -> str:
    """Why the heading or block that a link names is not in the note it leads to; "" where it is."""
    if link.block:
        if link.block.lower() in there.blocks:
            return ""
        return f"no block ^{link.block}"
    place = link.heading.strip()
    if not place or place.startswith(":~:"):
        return ""
    if place.lower() in {*there.named, "top"}:
        return ""
    for repeats in (False, True):
        if _is_there(_parts(place, repeats=repeats), there):
            return ""
    # all of it where only their order is wrong
    lacking = [
        name for name in place.split("#") if not _is_there(_parts(name, repeats=True), there)
    ]
    missing = next(iter(lacking), place).strip().rstrip(":")
    return f"no heading {missing!r}"


def _is_there(wanted: HeadingPath, there: Anchors) -> bool:
    if not wanted:
        return True
    return any(leads_to(path, wanted) for path in there.headings)


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
            and target_of(names, path, link) is None
        ):
            yield path, link
