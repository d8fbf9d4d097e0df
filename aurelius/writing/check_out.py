"""The files of another commit, put into the vault where each is still what was committed here.

No undo entry is kept: git has both sides. A file that somebody changed meanwhile stays as it is,
and then none is changed. What a crash cuts short is gone on with by calling this again with the
same changes: each temporary file has a name that is made of what is to be written.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from indexer.disk.walk import folders_above
from indexer.errors import ConflictError

from . import append_journal, edit, other_programs
from .replace_file import SPARE_ENDING, SPARE_PREFIX, Replacement, bytes_digest
from .safe_folder import Folder, path_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .check_edit import Place

EXECUTABLE = 0o111


class FileChange(NamedTuple):
    """One file of the vault as two commits have it; None: not there. `executable` is said of the
    second."""

    path: str
    before: bytes | None
    after: bytes | None
    executable: bool = False


def check_out(place: Place, changes: Sequence[FileChange]) -> None:
    """Give these files their new bytes, all or none.  Under the lock of the vault.

    ConflictError where one is neither as it was committed nor as it is to be, UsageError for what
    may not be written.
    """
    gone = [each.path for each in changes if each.after is None]
    with ExitStack() as opened:
        found = [*_replacements(place, changes, opened)]
        begun: list[Replacement] = []
        try:
            for each in found:
                with edit.os_errors_as_conflict(each.path):
                    begun.append(each)
                    each.compare()
                    each.stage(flush=False)
            os.sync()
            for step in (Replacement.swap, Replacement.look_again):
                for each in found:
                    with edit.os_errors_as_conflict(each.path):
                        step(each)
        except BaseException:
            for each in reversed(begun):
                with edit.os_errors_as_conflict(each.path):
                    each.back()
                    other_programs.put_by(place, each)
            raise
        for each in found:
            with edit.os_errors_as_conflict(each.path):
                each.finish()
                other_programs.put_by(place, each)
        for folder in {each.folder for each in found}:
            folder.flush()
    _make_executable(place, changes)
    above = set[str]()
    for path in gone:
        above.update(folders_above(path))
    edit.drop_empty(place.root, sorted(above))
    append_journal.forget_own_removals(
        place.state, [(each.path, each.before, each.after) for each in changes]
    )


def _replacements(
    place: Place, changes: Sequence[FileChange], opened: ExitStack
) -> Iterator[Replacement]:
    """The changes that are not made yet, with their folders open."""
    folders: dict[tuple[str, ...], Folder] = {}
    for each in changes:
        *above, name = path_parts(each.path, "written")
        parts = tuple(above)
        with edit.os_errors_as_conflict(each.path):
            try:
                if parts not in folders:
                    folder = Folder(place.root, parts, make=each.after is not None)
                    folders[parts] = opened.enter_context(folder)
            except FileNotFoundError:
                continue  # its folder is gone, and so is the file
            if replacement := _replacement(folders[parts], name, each):
                yield replacement


def _replacement(folder: Folder, name: str, change: FileChange) -> Replacement | None:
    """What puts a file's new bytes into its place, with line ends as the file has them; None where
    they are there."""
    before = change.before
    after = change.after
    digest = bytes_digest(after)
    named = bytes_digest(f"{change.path}\0{digest}".encode("utf-8", "surrogateescape"))
    spare = f"{SPARE_PREFIX}{named[:16]}{SPARE_ENDING}"
    now = folder.data(name)
    Replacement(folder, change.path, before, after, spare).clear(
        digest, was_swapped=now == after and now != before
    )
    if now == after:
        return None
    if now is not None and before is None:
        raise ConflictError(
            f"{change.path} comes from another device, and git ignores the file of that name here",
            "rename that file, then run `aurelius sync` again",
        )
    if now is not None and before != now and before == now.replace(b"\r\n", b"\n"):
        before = now
        after = after and after.replace(b"\n", b"\r\n")
    return Replacement(folder, change.path, before, after, spare)


def _make_executable(place: Place, changes: Sequence[FileChange]) -> None:
    """Let those files be programs that are programs elsewhere."""
    for each in changes:
        if each.executable and each.after is not None:
            *above, name = path_parts(each.path, "written")
            with edit.os_errors_as_conflict(each.path), Folder(place.root, above) as folder:
                handle = folder.open(name, os.O_RDONLY)
                try:
                    os.fchmod(handle, os.fstat(handle).st_mode | EXECUTABLE)
                finally:
                    os.close(handle)
