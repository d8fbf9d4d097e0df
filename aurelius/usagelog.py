"""What was used and said, written down: `.aurelius/log/<device>/<YYYY-MM>.jsonl` (design §3.2).

One write a call, at the end of a file that only this device writes, so that no two devices ever change
the same one.  Uses are written where that can be done and silently not where it cannot; everything else
is written or refused.  `indexer/logline.py` reads it.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from indexer.errors import ConflictError
from indexer.logline import LETTERS, home_of, is_plain, read_lines

from .places import MARK, user_folder

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.search import Hit

    from .vault import Vault

LOG = "log"
KEPT_MONTHS = 2
"""Months before this one whose events are kept one by one."""
LEADING, SHARE = 3, 0.8
"""How many hits of a search count as used at most, and what share of the first one's score they need."""

Said = dict[str, Any]
"""An event as it is to be written, but for who and when: `op`, `ref`, and what belongs to the operation."""


def append(vault: Vault, events: Sequence[Said]) -> None:
    """Write events down.  ConflictError where that cannot be done: then none is."""
    if not events:
        return
    try:
        _append(vault, events, durable=True)
    except OSError as error:
        raise ConflictError(
            f"the usage log cannot be written: {error.strerror or error}", f"{MARK}/{LOG} must be writable"
        ) from error


def append_summaries(vault: Vault, marks: Iterable[tuple[str, str]]) -> None:
    """Write down that these texts are ours: pairs of path and hash.  ConflictError."""
    append(vault, [{"op": "summary", "ref": path, "hash": digest} for path, digest in marks])


def use(vault: Vault, refs: Iterable[str], via: str) -> None:
    """Write down that these facts and notes were used, where they were not used on this device today already.

    Never an error, and never the first thing of ours in a folder that is no vault.
    """
    if vault.env.get("AURELIUS_NO_USE") or not os.path.isdir(os.path.join(vault.root, MARK)):
        return
    import apsw

    try:
        fresh = _unused_today(vault, list(dict.fromkeys(refs)))
        if fresh:
            _append(vault, [{"op": "use", "ref": ref, "via": via} for ref in fresh], durable=False)
    except (OSError, UnicodeError, apsw.Error):  # a path that is no text is one reason of many
        return


def leading(hits: Sequence[Hit]) -> list[str]:
    """What a search counts as used: its first hit and those near it, three at most; text that is no fact is its
    note."""
    least = hits[0].score * SHARE if hits else 0.0
    return [hit.id or hit.path for hit in hits[:LEADING] if hit.score >= least]


def device(env: Mapping[str, str]) -> str:
    """The name of this device, made once and kept in the user's state folder, never in a vault.  OSError."""
    path = os.path.join(user_folder("state", env), "device")
    for _ in range(2):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                name = file.read(80).strip()
            if name and len(name) <= 40 and LETTERS.issuperset(name):
                return name
            os.unlink(path)
        except FileNotFoundError:
            pass
        _new_device(path)
    raise OSError(0, f"{path} cannot be kept")


def unlogged(vault: Vault) -> str:
    """Why uses are not written down, "" where they are."""
    top = os.path.join(vault.root, MARK)
    if vault.env.get("AURELIUS_NO_USE"):
        return "AURELIUS_NO_USE is set"
    if not os.path.isdir(top):
        return f"there is no {MARK}/ here; `aurelius init --adopt` makes one"
    folder = os.path.join(top, LOG)
    there = folder if os.path.lexists(folder) else top
    return "" if os.path.isdir(there) and os.access(there, os.W_OK) else f"{there} cannot be written"


def compact(vault: Vault) -> int:
    """Let each of this device's old months say in a line what its events add up to; how many files were rewritten.

    Nothing that counts is lost.  A month with a line that cannot be read is left as it is.
    """
    folder = os.path.join(vault.root, MARK, LOG, device(vault.env))
    now = _utc(vault)
    months = now.year * 12 + now.month - 1 - KEPT_MONTHS
    last = f"{months // 12:04}-{months % 12 + 1:02}"
    done = 0
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = f"{os.path.basename(folder)}/{name}"
        home = home_of(path)
        if home is not None and home[1] < last:
            file = os.path.join(folder, name)
            with open(file, "rb") as stream:
                data = stream.read()
            new = compacted(path, data, f"{now:%Y-%m-%dT%H:%M:%SZ}")
            if new is not None:
                _replace(file, new)
                done += 1
    return done


def compacted(path: str, data: bytes, now: str) -> bytes | None:
    """The lines that stand for all lines of a log file, or None where it is compact or has a line we cannot read."""
    from indexer.usage import Tally

    lines = read_lines(path, data)
    count = sum(1 for line in data.split(b"\n") if line.strip())
    if not lines.events or lines.cut or count != len(lines.events) + len(lines.snaps):
        return None
    owner = path.partition("/")[0]
    if lines.snaps:  # a merge brought back what they stand for
        kept = [line for line in data.split(b"\n") if b'"snap"' in line and read_lines(path, line + b"\n").snaps]
        return b"\n".join(dict.fromkeys(kept)) + b"\n"
    tally = Tally()
    tally.add(lines.events)
    said: list[Said] = []
    for ref, row in sorted(tally.rows.items()):
        times = {"last": row.last, "ranked": row.ranked}
        known = {name: _written(at) for name, at in times.items() if at is not None}
        said.append({"op": "snap", "ref": ref, "uses": row.count, "score": row.score, **known})
    marks: dict[tuple[str, str], list[list[str]]] = {}
    for (op, ref, value), at in sorted(tally.marks.items()):
        marks.setdefault((op, ref), []).append([value, _written(at)])
    said += [{"op": "snap", "of": op, "ref": ref, "values": values} for (op, ref), values in marks.items()]
    return b"".join(line(owner, now, each) for each in said)


def line(owner: str, time: str, said: Said) -> bytes:
    """An event as the log has it: who and when, then what."""
    values = {"e": f"{owner}-{os.urandom(8).hex()}", "t": time, **said}
    if all(isinstance(value, str) and is_plain(value) for value in values.values()):
        return ("{" + ",".join(f'"{key}":"{value}"' for key, value in values.items()) + "}\n").encode()
    import json  # uses do without it

    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _append(vault: Vault, events: Sequence[Said], *, durable: bool) -> None:
    owner, now = device(vault.env), _utc(vault)
    folder = os.path.join(vault.root, MARK, LOG, owner)
    if os.path.islink(folder) or os.path.islink(os.path.dirname(folder)):
        raise OSError(errno.ELOOP, "its folder is a link, which may lead out of the vault")
    for each in (os.path.join(vault.root, MARK), os.path.dirname(folder), folder):
        with suppress(FileExistsError):  # never the vault itself, which may have been moved away in this moment
            os.mkdir(each)
    time = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    data = b"".join(line(owner, time, each) for each in events)
    path = os.path.join(folder, f"{now:%Y-%m}.jsonl")
    begun = os.path.exists(path)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o644)
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":  # a line was cut off: it ends here, alone
                data = b"\n" + data
        if os.write(handle, data) != len(data):
            raise OSError(0, "the disk is full")
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)
    if not begun:
        compact(vault)


def _unused_today(vault: Vault, refs: list[str]) -> list[str]:
    """Those that the index does not know to be used today: a day counts once, and so need not be said twice."""
    from indexer.errors import AureliusError
    from indexer.logbook import used_since

    now = _utc(vault)
    start = now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    try:
        known = used_since(vault.index().db, device(vault.env), refs, start)
    except AureliusError:  # the files were scanned: there is no index
        return refs
    return [ref for ref in refs if ref not in known]


def _new_device(path: str) -> None:
    """Make up a name for this device, unless another process just did."""
    import platform

    node = os.uname().nodename if hasattr(os, "uname") else platform.node()
    short = "".join(letter for letter in node.lower().partition(".")[0] if letter in LETTERS).strip("-")[:12]
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with suppress(FileExistsError), open(path, "x", encoding="ascii") as file:
        file.write(f"{short or 'device'}-{os.urandom(2).hex()}\n")


def _replace(path: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _utc(vault: Vault) -> datetime.datetime:
    """The vault's clock in UTC."""
    import datetime

    now = vault.now if vault.zone is None else vault.now.replace(tzinfo=vault.zone)
    return now.astimezone(datetime.UTC)


def _written(at: float) -> str:
    import datetime

    return f"{datetime.datetime.fromtimestamp(at, datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
