"""The plan of a new note: its first text, and the folder it goes to."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from indexer.errors import ConflictError, UsageError

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

RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]|_?index|agents|claude|skill|me|memory")
"""Names that Windows or Aurelius has taken."""


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


def path(kind: str, name: str, beside: Iterable[str]) -> str:
    """Where a new note goes: the folder that most notes of its kind are in (`beside`), else the usual one."""
    folders = Counter(each.rpartition("/")[0] for each in beside if "/" in each)
    folder = min(folders, key=lambda each: (-folders[each], each)) if folders else FOLDERS[kind]
    stem = slug(name)
    return f"{folder}/{stem}{f'-{kind}' if RESERVED.fullmatch(stem) else ''}.md"


def choose(vault: Vault, kind: str, words: Iterable[str]) -> tuple[str, str]:
    """The name and the path of a note to be begun.

    ConflictError where a note of this kind has the name, or anything the path; UsageError for no name,
    and where rules leave the path out, so that nobody would find it again.
    """
    from indexer.catalog.filters import Filters
    from indexer.catalog.graph import get_called
    from indexer.catalog.names import Names, is_archived

    name = title(words)
    beside = [row.path for row in vault.notes(Filters(kinds=(kind,))).notes]
    there = path(kind, name, (each for each in beside if not is_archived(each)))
    taken = [each for each in Names(get_called(vault.index().db, private=False)).exactly(name) if each in beside]
    taken += [there] * os.path.lexists(os.path.join(vault.root, *there.split("/")))
    if taken:
        raise ConflictError(f"{taken[0]} is there already", "nothing was written; write into it, or take another name")
    if why := why_left_out(vault.settings, there):
        raise UsageError(f"{there} {why}", "nobody would find it again")
    return name, there


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
