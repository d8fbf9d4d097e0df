"""The plan of a new note: its first text, and the folder it goes to."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.rewrite_links import unlinkable
from indexer.catalog.names import Names, is_archived, key
from indexer.errors import UsageError
from indexer.reading.path_meaning import folder_of_kind, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurelius.vault import Vault
    from indexer.settings import Settings

FOLDERS = {"person": "people", "company": "companies", "project": "projects", "area": "areas", "resource": "resources"}
"""Kinds of notes that can be begun by name, and the folder that each is in unless the vault has another."""

SECTIONS = {"resource": ("Summary", "Facts", "Notes")}
USUAL = ("Summary", "Facts", "Relationships", "Notes")

LONGEST = 120
"""Letters of a name that its file has."""

MOST_BYTES = 200
"""Bytes of a name that its file has; 255 is what most systems take."""

RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]|_?index|agents|claude|skill|me|memory")
"""Names that Windows or Aurelius has taken."""

_PLAIN = re.compile(r"[^\W\d_][\w .'&+-]*")
_WORDS_OF_YAML = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_HEAD = re.compile(r"\A(---[ \t]*\n)(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_ALIASES = re.compile(r"^aliases:(.*)\n", re.MULTILINE)


def start(kind: str, name: str, today: str) -> str:
    """The text of a new note, in the shape of the template's."""
    category = "Project" if kind == "project" else "Resource" if kind == "resource" else "Area"
    head = f"# {name}\n\n**Type:** {kind.capitalize()}\n**Category:** {category}\n**Last Updated:** {today}\n"
    return head + "".join(f"\n## {section}\n" for section in SECTIONS.get(kind, USUAL))


def title(words: Iterable[str]) -> str:
    """The name that was typed, as one line of text; UsageError for none."""
    name = "".join(char for char in " ".join(words) if unicodedata.category(char)[0] != "C" or char.isspace())
    name = " ".join(name.split()).strip("# ")
    if not slug(name):
        raise UsageError("a note needs a name", "for example: aurelius new person Joe Bloggs")
    return name


def slug(name: str) -> str:
    """A name as a file has it: `Joe Bloggs` → joe-bloggs; letters of every script stay."""
    text = unicodedata.normalize("NFC", name.replace("'", "").replace("’", "")).casefold()
    kept = "".join(char if unicodedata.category(char)[0] in "LNM" or char in "+#" else " " for char in text)
    return "-".join(kept.replace("#", " sharp").replace("+", " plus").split())[:LONGEST].strip("-")


def folder_for(kind: str, beside: Iterable[str], folders: Iterable[str] = ()) -> str:
    """The folder of a new note: the topmost one named for its kind that most notes of the kind (`beside`) are in.

    Where none is, the one that most of them are in, else one of `folders` that is named for the kind, else the usual.
    """
    paths = [each for each in beside if "/" in each]
    for found in ((folder_of_kind(each, kind) for each in paths), (each.rpartition("/")[0] for each in paths)):
        counts = Counter(filter(None, found))
        if counts:
            return min(counts, key=lambda each: (-counts[each], each.count("/"), each))
    return next((each for each in sorted(folders) if folder_of_kind(f"{each}/x.md", kind)), FOLDERS[kind])


def stem_for(kind: str, name: str, neighbours: Iterable[str]) -> str:
    """The file name of a new note, without `.md`: its title where most of the neighbours are named so, else a slug."""
    named = [each for each in map(stem, neighbours) if not RESERVED.fullmatch(each.casefold())]
    titled = sum(each != slug(each) for each in named) * 2 > len(named)
    found = unicodedata.normalize("NFC", name) if titled and _is_file_name(name) else slug(name)
    return f"{slug(name)}-{kind}" if RESERVED.fullmatch(found.casefold()) else found


def _is_file_name(name: str) -> bool:
    """Whether every system takes a title as the name of a file, and a link can lead to it."""
    is_odd = set(name) & set('\\/:*?"<>|') or name[:1] in {".", "_", "~"} or name[-1:] in {".", " "}
    return not (is_odd or unlinkable(name)) and len(name) <= LONGEST and len(name.encode()) <= MOST_BYTES


def with_alias(text: str, name: str) -> str:
    """The text of a new note with a name among its aliases, unless it has aliases."""
    item = (
        name if _PLAIN.fullmatch(name) and name.lower() not in _WORDS_OF_YAML else json.dumps(name, ensure_ascii=False)
    )
    line = f"aliases: [{item}]\n"
    head = _HEAD.match(text)
    if not head:
        return f"---\n{line}---\n{text}"
    if found := _ALIASES.search(text, 0, head.end()):
        has_some = found[1].strip(" []") or text[found.end() :].lstrip(" \t").startswith("- ")
        return text if has_some else text[: found.start()] + line + text[found.end() :]
    return text[: head.end(1)] + line + text[head.end(1) :]


class Begun(NamedTuple):
    """A note to be begun: its title, its path, its text."""

    name: str
    path: str
    text: str


def begin(vault: Vault, kind: str, words: Iterable[str], today: str, *, force: bool = False) -> Begun:
    """A new note of a kind; `force` makes it where another note is called so.

    An alias makes links by its name reach it in programs that go by the file's name.
    """
    name, there = choose(vault, kind, words, force=force)
    text = start(kind, name, today)
    return Begun(name, there, text if key(stem(there)) == key(name) else with_alias(text, name))


def choose(vault: Vault, kind: str, words: Iterable[str], *, force: bool = False) -> tuple[str, str]:
    """The name and the path of a note to be begun.

    UsageError where a note has the name, unless `force` is given, or anything the path, for no name, and where rules
    leave the path out, so that nobody would find it again.
    """
    from indexer.catalog.filters import Filters
    from indexer.catalog.graph import get_called

    name = title(words)
    called = [each for each in get_called(vault.index().db, private=False) if stem(each.path) != "_index"]
    of_kind = [row.path for row in vault.notes(Filters(kinds=(kind,))).notes if not is_archived(row.path)]
    folder = folder_for(kind, of_kind, _folders(vault.root))
    current = [each.path for each in called if each.kind != "daily" and not is_archived(each.path)]
    beside = [each for each in current if each.rpartition("/")[0] == folder]
    there = f"{folder}/{stem_for(kind, name, beside or current)}.md"
    if os.path.lexists(os.path.join(vault.root, *there.split("/"))):
        raise UsageError(f"{there} is there already", "nothing was written; write into it, or take another name")
    if not force:
        _check_name(name, there, Names(called))
    if why := why_left_out(vault.settings, there):
        raise UsageError(f"{there} {why}", "nobody would find it again")
    return name, there


def _check_name(name: str, there: str, names: Names) -> None:
    """UsageError where a note has the name of one that is to be begun."""
    taken = names.exactly(name)
    if taken:
        kind = next(each.kind for each in names.called if each.path == taken[0])
        raise UsageError(
            f"{taken[0]} ({kind}) is called {name!r} already",
            f"nothing was written; write into it, take another name, or make {there} beside it with --force",
        )


def _folders(root: str) -> list[str]:
    """The folders at the top of a vault."""
    with os.scandir(root) as entries:
        return [each.name for each in entries if each.is_dir(follow_symlinks=False)]


def why_left_out(settings: Settings, note: str) -> str:
    """Why no search would find a note of this path, which is not there yet; "" where one would."""
    from indexer.disk.walk import may_be_walked

    if not may_be_walked(note):
        return "would not be found: no notes are looked for there"
    ruled = _is_ruled_out(settings, note)
    return "would be ignored (.gitignore, .aureliusignore or [index] exclude)" if ruled else ""


def _is_ruled_out(settings: Settings, note: str) -> bool:
    from indexer.disk.walk import IgnoreRules, walk

    rules = IgnoreRules(settings.root, settings.exclude, {})
    walk(settings.root, rules)  # this finds the files with rules
    steps = note.split("/")
    folders = ("/".join(steps[:depth]) for depth in range(1, len(steps)))
    try:
        return any(rules.is_ignored(folder, folder=True) for folder in folders) or rules.is_ignored(note, folder=False)
    except OSError:  # rules that cannot be read may leave it out
        return True
