"""Two commits joined into one tree, in the object store, and what is told of it.

git finds which files moved and which only one side changed; a note that both changed is merged
fact by fact. Where one side deleted what the other edited, the edit stays; where two versions
cannot be one, both are kept. The result is the same whichever of the two devices makes it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.writing.git_folder import BlockedError
from indexer.catalog.names import is_conflict_copy
from indexer.disk.walk import may_be_note
from indexer.errors import UsageError

from .merge_note import merge_notes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .repository import SyncGit

    Row = tuple[str, str]
    Rows = dict[str, Row | None]

_MOVED_APART = "CONFLICT (rename/rename)"
_FILE_FOLDER = "CONFLICT (file/directory)"
_ID = re.compile(rb"(?m)[ \t]+\^([A-Za-z0-9-]+)[ \t]*\r?$")


class Joined(NamedTuple):
    """A tree of both sides, and what the person is told of it."""

    tree: str
    told: tuple[str, ...] = ()


def join(git: SyncGit, ours: str, theirs: str) -> Joined:
    """The tree of two commits. BlockedError where they have nothing in common, or cannot be one."""
    words = ("merge-tree", "--write-tree", "-z", "--messages", ours, theirs)
    how = ("-c", "merge.directoryRenames=false", "-c", "merge.renameLimit=20000")
    done = git.call((*how, *words))
    if done.returncode not in {0, 1}:
        raise BlockedError(_failed(done.stderr))
    tree, _, rest = os.fsdecode(done.stdout).partition("\0")
    if rest.startswith("\0"):
        left = ""
        messages = rest[1:]
    else:
        left, _, messages = rest.partition("\0\0")
    told: list[str] = []
    rows: Rows = {}
    found = _by_path(left)
    for kind, paths in _messages(messages):
        if kind == _FILE_FOLDER:
            raise BlockedError(f"{paths[0]} is a file on one device and a folder on another")
        if kind == _MOVED_APART and len(paths) == 3:
            told.append(_join_moved(git, (ours, theirs), paths, rows))
            for path in paths:
                found.pop(path, None)
    for path, stages in found.items():
        told += _join_file(git, path, stages, rows)
    tree = git.tree_with(tree, rows)
    again = dict(_without_second_ids(git, ours, theirs, tree, told))
    return Joined(git.tree_with(tree, again), tuple(filter(None, told)))


def _failed(complaint: bytes) -> str:
    said = complaint.decode("utf-8", "replace").strip()
    if "unrelated histories" in said:
        return (
            "this vault and the remote have nothing in common, so they are not merged; clone the"
            " remote into a new folder, and move the notes of this vault into it"
        )
    return f"git merge-tree failed: {said.partition(chr(10))[0]}"


def _by_path(left: str) -> dict[str, dict[int, Row]]:
    """The versions of each path that git left: the common one (1), ours (2) and theirs (3)."""
    found: dict[str, dict[int, Row]] = {}
    for row in filter(None, left.split("\0")):
        about, _, path = row.partition("\t")
        mode, blob, stage = about.split()
        found.setdefault(path, {})[int(stage)] = (mode, blob)
    return found


def _messages(text: str) -> Iterator[tuple[str, list[str]]]:
    """Kind and paths of what git says of a merge."""
    cells = text.split("\0")
    at = 0
    while at < len(cells) and cells[at].isdecimal():
        count = int(cells[at])
        paths = cells[at + 1 : at + 1 + count]
        yield cells[at + 1 + count], paths
        at += count + 3


def _join_file(
    git: SyncGit,
    path: str,
    stages: dict[int, Row],
    rows: Rows,
) -> Iterator[str]:
    """Settle one path that git left."""
    ours = stages.get(2)
    theirs = stages.get(3)
    if ours and theirs:
        yield from _join_versions(git, path, stages, rows)
        return
    stays = ours or theirs
    rows[path] = stays
    if stays and 1 in stages:
        yield f"{path} was deleted on one device and edited on another: it stays"


def _join_moved(
    git: SyncGit,
    sides: tuple[str, str],
    paths: list[str],
    rows: Rows,
) -> str:
    """Settle a file that each side gave another name: it keeps the first of the two."""
    old, *new = paths
    base = git.run("merge-base", *sides)
    stages: dict[int, Row] = {}
    places = (
        (base, old),
        (sides[0], new[0]),
        (sides[1], new[1]),
    )
    for stage, (commit, path) in enumerate(places, 1):
        row = git.row(commit, path)
        if row:
            stages[stage] = row
    rows[old] = None
    rows[max(new)] = None
    told = [*_join_file(git, min(new), stages, rows)]
    said = f"{old} was moved to {min(new)} on one device and to {max(new)} on another"
    return "; ".join([f"{said}: it is {min(new)} now", *told])


def _join_versions(
    git: SyncGit,
    path: str,
    stages: dict[int, Row],
    rows: Rows,
) -> Iterator[str]:
    """Merge a note that both sides have; of any other file keep both versions."""
    ours, theirs = (stages[stage] for stage in (2, 3))
    if ours[1] == theirs[1]:
        rows[path] = max(ours, theirs)
        return
    if may_be_note(path):
        data = git.blobs(row[1] for row in stages.values())
        base = data[stages[1][1]] if 1 in stages else b""
        with suppress(UsageError):
            merged = merge_notes(
                base,
                data[ours[1]],
                data[theirs[1]],
                path,
                git.read,
            )
            rows[path] = (max(ours, theirs)[0], git.keep_blob(merged.data))
            yield from (f"{path}: {line}" for line in merged.told)
            return
    first, second = sorted((ours, theirs), key=lambda row: row[1])
    copy = _copy_name(path, second[1])
    rows |= {path: first, copy: second}
    yield f"{path} was changed on two devices: the other version is {copy}"


def _copy_name(path: str, blob: str) -> str:
    """The name of a second version, which every device makes the same."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    return f"{folder}{slash}{stem} (conflict {blob[:8]}){dot}{ending}"


# -- an id stands once -----------------------------------------------------------------


def _without_second_ids(
    git: SyncGit, ours: str, theirs: str, tree: str, told: list[str]
) -> Iterator[tuple[str, Row]]:
    """Notes in which a line loses the id that another one has as well, where neither side had it
    twice: it was moved on one device and edited on the other. It stays where it was moved to."""
    now = _ids_of(git, tree)
    twice = {name for name, count in _counted(now).items() if count > 1}
    if not twice:
        return
    for side in (ours, theirs):
        twice -= {name for name, count in _counted(_ids_of(git, side)).items() if count > 1}
    old = set(_ids_of(git, git.run("merge-base", ours, theirs)))
    places = sorted(each for each in now if each[1] in twice)
    claims = sorted(places, key=lambda place: _claim(place, old))
    kept = {name: path for path, name in claims}
    every = git.files(tree)
    for path in dict.fromkeys(path for path, _ in places):
        mode, blob = every[path]
        data = git.blobs([blob])[blob]
        seen = {name.encode() for name in twice if kept[name] != path}
        text = _with_ids_once(data, {name.encode() for name in twice}, seen)
        if text != data:
            told.append(f"{path}: a line there lost its id, which the same line elsewhere has")
            yield path, (mode, git.keep_blob(text))


def _claim(place: tuple[str, str], old: Collection[tuple[str, str]]) -> tuple[bool, bool]:
    """How good the claim of a place to its id is: a copy of a conflict has the least, where a line
    was moved to the best."""
    return not is_conflict_copy(place[0]), place not in old


def _with_ids_once(data: bytes, twice: set[bytes], seen: set[bytes]) -> bytes:
    """A note without those of these ids that were seen already."""

    def once(match: re.Match[bytes]) -> bytes:
        name = match[1]
        if name in twice & seen:
            return match[0][match.end(1) - match.start() :]
        seen.add(name)
        return match[0]

    return _ID.sub(once, data)


def _counted(found: list[tuple[str, str]]) -> Counter[str]:
    return Counter(name for _, name in found)


def _ids_of(git: SyncGit, tree: str) -> list[tuple[str, str]]:
    """The note and the name of every id of a fact in a tree, as often as it stands there."""
    words = ("grep", "-z", "-o", "-I", "-E", "[ \t]\\^[A-Za-z0-9-]+[ \t\r]*$", tree)
    found = []
    for row in os.fsdecode(git.call(words).stdout).splitlines():
        place, _, name = row.partition("\0")
        path = place.partition(":")[2]
        if may_be_note(path):
            found.append((path, name.strip().lstrip("^")))
    return found
