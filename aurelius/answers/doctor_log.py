"""Findings of `doctor` about the usage log: unreadable lines, dates in the future, symbolic links."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.disk.walk import shown
from indexer.usage.log_line import TOO_LARGE, WAITING, home_of
from indexer.usage.log_reader import LOG, entries_of, events_of, get_newest, get_troubles

from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from indexer.settings import Settings
    from indexer.usage.tier import Clock


def of_log(db: apsw.Connection) -> Iterator[Finding]:
    """Lines of the usage log that say nothing, because a crash or a merge tore them, and files that are too large."""
    for path, torn, large in get_troubles(db):
        if torn:
            lines = "1 line" if torn == 1 else f"{torn} lines"
            yield Finding(
                f"{LOG}/{path}", 0, "torn-log", f"{lines} of the usage log cannot be read",
                "remove the lines that are not JSON; all other lines count",
            )  # fmt: skip
        if large:
            yield Finding(
                f"{LOG}/{path}", 0, "large-log", TOO_LARGE, "remove the lines that do not belong to the usage log"
            )


def of_log_times(db: apsw.Connection, settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Events of a day later than tomorrow, written while a clock was wrong."""
    for path, newest in get_newest(db).items():
        if not _is_ahead(newest, clock):
            continue
        file = settings.uses if path == WAITING else os.path.join(settings.root, LOG, path)
        ahead = [(line, at) for line, at in events_of(file, path) if _is_ahead(at, clock)]
        if ahead:
            line, at = ahead[0]
            what = f"a use is dated {clock.day_of(at)}, in the future; it counts from that day on"
            if len(ahead) > 1:
                first = f"{len(ahead)} uses are dated in the future, the first {clock.day_of(at)}"
                what = f"{first}; they count from those days on"
            yield Finding(
                "" if path == WAITING else f"{LOG}/{path}", 0 if path == WAITING else line, "log-ahead", what,
                "correct the clock of this device if it is wrong; to take a use back, remove its line",
            )  # fmt: skip


def _is_ahead(at: int, clock: Clock) -> bool:
    day = clock.day_of(at)
    return day is not None and clock.is_ahead(day)


def of_log_folder(root: str) -> Iterator[Finding]:
    """Links, pipes and the like in the place of the folders and files of the usage log."""
    for path in (os.path.dirname(LOG), LOG):
        if os.path.islink(os.path.join(root, path)):
            what = "this is a symbolic link, so uses are kept on this device only"
            yield Finding(path, 0, "log-link", what, "replace the link by a real folder")
            return
    for device in entries_of(os.path.join(root, LOG)):
        path = f"{LOG}/{device.name}"
        if not device.is_dir(follow_symlinks=False):
            yield from _of_log_entry(device, path, "folder")
            continue
        for entry in entries_of(device.path):
            if home_of(f"{device.name}/{entry.name}") is not None:
                yield from _of_log_entry(entry, f"{path}/{entry.name}", "file")


def _of_log_entry(entry: os.DirEntry[str], path: str, kind: str) -> Iterator[Finding]:
    if entry.is_symlink():
        what = "this is a symbolic link, so no use is read from it or written to it"
        yield Finding(shown(path), 0, "log-link", what, f"replace the link by a real {kind}")
    elif not entry.is_file(follow_symlinks=False):
        what = f"this is not a {kind}, so no use is read from it or written to it"
        yield Finding(shown(path), 0, "log-file", what, "remove it")
