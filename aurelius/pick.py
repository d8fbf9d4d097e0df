"""Which fact, note or day a person means by what was typed to a command that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.errors import NoteNotFoundError, UsageError

if TYPE_CHECKING:
    from .vault import Vault


def fact(vault: Vault, reference: str, *, private: bool) -> tuple[str, str]:
    """Path and key of the fact that `^id`, a key or `NOTE#^id` means.  NoteNotFoundError, AmbiguousNameError."""
    from indexer.catalog import get_facts

    from .lookup import find_fact

    db = vault.index().db
    name, mark, key = reference.rpartition("#^")
    if mark and name:
        path = vault.resolve(name, private=private)
        if any(each.key == key for _, each in get_facts(db, path, private=private)):
            return path, key
        raise NoteNotFoundError(f"{path} has no fact ^{key}", f"`aurelius show {path} --facts` shows those it has")
    key = reference.removeprefix("^")
    path = find_fact(db, key, private=private)
    if not path:
        newer = db.execute("SELECT name FROM alias WHERE ref = ?", (key,)).get  # it was given another name since
        key = newer or key
        path = find_fact(db, key, private=private) if newer else ""
    if not path:
        raise NoteNotFoundError(
            f"no fact has the id ^{key}", "`aurelius search` shows the id of each fact it finds, as [id:...]"
        )
    return path, key


def is_fact(vault: Vault, reference: str, *, private: bool) -> bool:
    """Whether a reference means a fact rather than a note."""
    from indexer.catalog import get_fact_notes

    if reference.startswith("^") or "#^" in reference:
        return True
    return bool(get_fact_notes(vault.index().db, reference, private=private))


def day(text: str, today: str) -> str:
    """The ISO day that `--date` means.  UsageError."""
    from indexer.dates import dates

    try:
        first, last = dates(text, today)
    except UsageError as error:
        raise UsageError(f"--date: {error.message}", error.hint) from None
    if first != last:
        raise UsageError(f"--date {text!r} means more than one day", "a fact begins on one day, like 2026-02-01")
    if not "1000" <= first[:4] < "3000":  # what a fact's line reads as a date
        raise UsageError(f"--date {text!r} is not between the years 1000 and 2999", "no fact can have that date")
    return first


def source(vault: Vault, name: str, *, private: bool) -> str:
    """`--from` as a tail says it: a link where it names a note, else the words."""
    from indexer.names import without_ending

    try:
        path = vault.resolve(name, private=private)
    except NoteNotFoundError:
        return name
    return f"[[{without_ending(path)}]]"


def reason(vault: Vault, text: str, *, private: bool) -> str:
    """`--because` as a tail says it: `^id` where it names a fact, else the words."""
    from indexer.catalog import get_fact_notes

    key = text.removeprefix("^")
    return f"^{key}" if get_fact_notes(vault.index().db, key, private=private) else text
