"""Visibility of private notes: the one condition on notes that every query carries; folders and tags as typed.

An ignored note has no rows; a private one is visible only where it is asked for.  Search,
graph and every list build on `visible`.
"""

from __future__ import annotations


def visible(*, private: bool) -> str:
    """The condition on table `note` that every query of every door carries."""
    return "1" if private else "note.private = 0"


def clean_folder(folder: str) -> str:
    """A folder as a person writes it (`./people/`) as the index has it (`people`); "" is the whole vault."""
    return "/".join(part for part in folder.replace("\\", "/").split("/") if part not in {"", "."})


def within_tag(name: str, wanted: str) -> bool:
    """Whether a tag is the one wanted or nested in it (`work/urgent` in `work`), case apart."""
    name, wanted = name.casefold(), wanted.casefold().lstrip("#").rstrip("/")
    return name == wanted or name.startswith(wanted + "/")
