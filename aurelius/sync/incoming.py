"""What comes from other devices, looked at before any of it gets into the vault: a remote may be
anybody's.
"""

from __future__ import annotations

import os
import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

from aurelius.plans.new_note import RESERVED
from aurelius.writing.git_folder import BlockedError
from indexer.disk.walk import folders_above, may_be_note

from .repository import LINK, SUBMODULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .repository import SyncGit, TreeRow

MOST_VANISHED = 50
MOST_SHARE_VANISHED = 0.2
FEW_VANISHED = 2
"""Notes that may go, by number and as a share of all, without the person being asked; a few of a
small vault may as well."""

_MARKS = re.compile(rb"(?m)^<{7,} .*\n(?:.*\n)*?={7,}\r?\n(?:.*\n)*?>{7,} ")
_GIT_NAMES = re.compile(r"(?i)(?:\.git|git~\d+)[ .]*(?::.*)?")
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_WINDOWS = re.compile(r'[<>:"|?*]|[ .]$')


def has_marks(data: bytes) -> bool:
    """Whether the marks of an unresolved merge stand in a text."""
    return b">>>>>>> " in data and bool(_MARKS.search(data))


def check_incoming(git: SyncGit, rows: Sequence[TreeRow], tree: str) -> None:
    """BlockedError where a change of this tree may not get into the vault."""
    for row in rows:
        if why := _against(git, row):
            raise BlockedError(f"{row.path!r} {why}, so nothing that came was checked out")
    there = git.files(tree)
    _check_case([row.path for row in rows if row.blob and not row.old_blob], there)
    git.refuse_filtered([row.path for row in rows if row.blob])


def check_marks(rows: Iterable[TreeRow], data: Mapping[str, bytes]) -> None:
    """BlockedError where a note that comes has the marks of an unresolved merge."""
    for row in rows:
        if row.blob and may_be_note(row.path) and has_marks(data[row.blob]):
            raise BlockedError(
                f"{row.path} comes with conflict markers in it (lines of <<<<<<< and >>>>>>>);"
                " resolve them on the device that they come from"
            )


def _against(git: SyncGit, row: TreeRow) -> str:
    """What stands against a change, "" for nothing."""
    if not row.path.startswith(git.prefix):
        return "lies outside the vault: `git pull` gets it"
    if LINK in {row.mode, row.old_mode}:
        return "is a link"
    if SUBMODULE in {row.mode, row.old_mode}:
        return "is a repository of its own"
    if not row.blob:
        return ""
    for part in row.path.split("/"):
        if why := _against_name(part):
            return why
    return ""


def _against_name(part: str) -> str:
    plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", part))
    if part in {"", ".", ".."} or _GIT_NAMES.fullmatch(plain):
        return "has a name that git or the system keeps for itself"
    if "\\" in part or not part.isprintable():
        return "has a character in its name that some systems read as another one"
    stem = part.partition(".")[0].lower()
    reserved = RESERVED.fullmatch(stem) and len(stem) in {3, 4} and stem != "me"
    if os.name == "nt" and (_WINDOWS.search(part) or reserved):
        return "has a name that Windows does not take"
    return ""


def _check_case(new: Sequence[str], there: Iterable[str]) -> None:
    """BlockedError where a new path and another one are one on systems that do not tell letters
    apart."""
    if not new:
        return
    every = {*there, *chain.from_iterable(map(folders_above, there))}
    known: dict[str, list[str]] = {}
    for path in every:
        known.setdefault(unicodedata.normalize("NFC", path).casefold(), []).append(path)
    for path in chain(new, chain.from_iterable(map(folders_above, new))):
        same = known[unicodedata.normalize("NFC", path).casefold()]
        if len(same) > 1:
            one, other = sorted(same)[:2]
            raise BlockedError(
                f"{one} and {other} differ in case or accents alone, and some devices cannot have"
                " both; rename the one that is here"
            )


def count_vanished(git: SyncGit, old: str, new: str) -> tuple[int, int]:
    """How many notes of a tree are in another no more, wherever they moved, and how many it has."""
    gone = [row for row in git.difference(old, new, moves=True) if not row.blob]
    every = sum(may_be_note(path) for path in git.files(old))
    return sum(may_be_note(row.path) for row in gone), every


def is_too_much(vanished: int, every: int) -> bool:
    """Whether so many notes would go that the person is asked first."""
    is_share = vanished > FEW_VANISHED and vanished > every * MOST_SHARE_VANISHED
    return vanished > MOST_VANISHED or is_share
