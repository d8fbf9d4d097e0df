"""Writer of the usage log: uses and judgments, in `.aurelius/log/<device>/<YYYY-MM>.jsonl`.

What a person says (a judgment, a name that changed, a decision on a proposal) is written there at
once, or refused. Uses are first kept in the user's state folder, where they count at once, so that
reading leaves a git tree clean; the next command that writes moves them. Each file is only ever
written by one device, by one write at its end, so that no two devices change the same one.
`indexer/usage/log_line.py` has the format.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aurelius.settings.places import (
    VAULT_FOLDER,
    WAITING_USES_FILE,
    user_folder,
    vault_state,
)
from indexer.disk.beneath import UNMOVED
from indexer.errors import AureliusError, ConflictError, UsageError
from indexer.rows.lock import BusyError, hold, make_private
from indexer.spelling import compact_json
from indexer.usage.log_line import (
    COMMAND,
    DEVICE_LETTERS,
    MOST_LOG_FILE_BYTES,
    MOST_LOG_LINE_BYTES,
    TOO_LARGE,
    WAITING,
    format_log_time,
    is_unescaped,
    log_file_home,
    pack_events,
    read_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.vault import Vault
    from aurelius.writing.safe_folder import Folder
    from indexer.search.hit import Hit
    from indexer.usage.tally import Usage

LOG_FOLDER = "log"
KEPT_MONTHS = 2
"""Months before this one whose events are kept one by one."""
LEADING = 3
_LEAST_SHARE_OF_FIRST = 0.8
"""How many hits of a search count as used at most, and what share of the first one's score they
need."""
_LOCK_FILE = "uses.lock"
"""Held in the vault's state folder by whoever writes uses or the log."""
_SECONDS_FOR_LOCK = 5.0
WAIT_FOR_USES = 0.2
"""Seconds to wait for it: a person's word has to be written, a use may go."""

UsageEvent = dict[str, Any]
"""An event as it is to be written, but for who and when: `op`, `ref`, and what belongs to the
operation."""


def append_uses(vault: Vault, events: Sequence[UsageEvent]) -> None:
    """Write events down, after the uses that wait. ConflictError where that cannot be done: then
    none is."""
    if not events:
        move_waiting_uses(vault)
        return
    try:
        _append(vault, events)
    except UsageError as error:
        raise ConflictError(error.message, "replace the symbolic link by a real folder") from error
    except (OSError, BusyError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ConflictError(
            f"the usage log cannot be written: {why}",
            f"make {VAULT_FOLDER}/{LOG_FOLDER} a folder that can be written",
        ) from error


def append_summaries(vault: Vault, marks: Iterable[tuple[str, str]]) -> None:
    """Write down that these texts are ours: pairs of path and hash.  ConflictError."""
    append_uses(vault, [{"op": "summary", "ref": path, "hash": digest} for path, digest in marks])


def ours(usage: Usage) -> frozenset[str]:
    """The hashes of everything that was ever written, wherever a note has gone since, and of the
    template's."""
    return frozenset().union(*usage.summaries.values(), starting_marks())


def starting_marks() -> frozenset[str]:
    """The hashes of the summaries and listings that a new vault starts with."""
    from aurelius.ageing.summary_text import INDEX, SUMMARY_HEADING, text_fingerprint
    from aurelius.compose.note_lines import section_text
    from aurelius.settings.starting_notes import template_folder
    from indexer.reading.parse import parse
    from indexer.reading.path_meaning import file_stem

    root = template_folder()
    marks = set()
    for place, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md"):
                with open(os.path.join(place, name), "rb") as file:
                    data = file.read()
                if file_stem(name) == INDEX:
                    marks.add(text_fingerprint(data.decode()))
                elif text := section_text(parse(name, data), SUMMARY_HEADING):
                    marks.add(text_fingerprint(text))
    return frozenset(marks)


def move_waiting_uses(vault: Vault) -> None:
    """Move the uses that wait on this device to the vault's log; where that cannot be done they go
    on waiting."""
    if os.path.exists(os.path.join(vault_state(vault.root, vault.env), WAITING_USES_FILE)):
        with suppress(OSError, BusyError, UsageError):
            _append(vault, [])


def record_uses(
    vault: Vault,
    refs: Iterable[str],
    via: str,
    session: str = "",
) -> None:
    """Keep that these facts and notes were used, where they were not used today already, or not in
    this session.

    Never an error, and nothing for a folder that is no vault.
    """
    if vault.env.get("AURELIUS_NO_USE") or not os.path.isdir(
        os.path.join(vault.root, VAULT_FOLDER)
    ):
        return
    import apsw

    from indexer.rows.schema import UNSOUND

    try:
        fresh = _unused_today(vault, list(dict.fromkeys(refs)), session)
        if fresh:
            owner = device_name(vault.env)
            time = format_log_time(_seconds(vault))
            event: UsageEvent = {"op": "use", "ref": "", "via": via}
            if session:
                number = int.from_bytes(os.urandom(4), "big") % (16**COMMAND - 1) + 1
                event |= {"s": session, "c": f"{number:0{COMMAND}x}"}
            _keep(
                vault,
                b"".join(
                    usage_line(
                        owner,
                        time,
                        event | {"ref": ref},
                    )
                    for ref in fresh
                ),
            )
    except (
        OSError,
        BusyError,
        apsw.Error,
        *UNSOUND,
    ):  # a path that is no text is one reason of many
        return


def used_by_search(hits: Sequence[Hit]) -> list[str]:
    """What a search counts as used: its first hit and those near it, three at most; text that is no
    fact is its note. A later line that may have changed the first one is none: it stands there by a
    guess."""
    own = [hit for hit in hits if not hit.newer_of]
    least = own[0].score * _LEAST_SHARE_OF_FIRST if own else 0.0
    return [hit.id or hit.path for hit in own[:LEADING] if hit.score >= least]


def device_name(env: Mapping[str, str]) -> str:
    """The name of this device, made once and kept in the user's state folder, never in a vault.
    OSError."""
    path = os.path.join(user_folder("state", env), "device")
    for _ in range(2):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                name = file.read(80).strip()
            if name and len(name) <= 40 and DEVICE_LETTERS.issuperset(name):
                return name
            os.unlink(path)
        except FileNotFoundError:
            pass
        _new_device(path)
    raise OSError(0, f"{path} cannot be written")


def unlogged(vault: Vault) -> str:
    """Why uses are not written to the vault's log, and what becomes of them; "" where they are."""
    top = os.path.join(vault.root, VAULT_FOLDER)
    log = os.path.join(top, LOG_FOLDER)
    if vault.env.get("AURELIUS_NO_USE"):
        return "not recorded: AURELIUS_NO_USE is set"
    if not os.path.isdir(top):
        return (
            f"not recorded: this folder has no {VAULT_FOLDER}/; to make it: `aurelius init --adopt`"
        )
    state = _first_that_is(vault_state(vault.root, vault.env))
    if not os.access(state, os.W_OK):
        return f"not recorded: {state} cannot be written"
    for path in (top, log):
        if os.path.islink(path):
            return (
                f"recorded on this device only: {path} is a symbolic link; replace it by a real"
                " folder"
            )
    there = log if os.path.lexists(log) else top
    if not (os.path.isdir(there) and os.access(there, os.W_OK)):
        return f"recorded on this device only: {there} cannot be written"
    return ""


def oversized_log_files(vault: Vault) -> list[str]:
    """The files of the log that are too large to be counted as a whole, a line each."""
    from indexer.usage.log_reader import get_troubles

    found = [each for each in get_troubles(vault.db) if each.large]
    return [f"{VAULT_FOLDER}/{LOG_FOLDER}/{each.path}: {TOO_LARGE}" for each in found]


def compacted(path: str, data: bytes) -> bytes | None:
    """The lines that stand for all lines of a log file, or None where none would be saved or one
    cannot be read."""
    lines = read_lines(path, data)
    if lines.cut or lines.torn or lines.later or not lines.events:
        return None
    new = pack_events(path, lines.events)
    whole = b"".join(new)
    if len(whole) < len(data) and max(map(len, new)) <= MOST_LOG_LINE_BYTES:
        return whole
    return None


def usage_line(
    owner: str,
    time: str,
    said: UsageEvent,
) -> bytes:
    """An event as the log has it: who and when, then what."""
    values = {"e": f"{owner}-{os.urandom(8).hex()}", "t": time, **said}
    if all(isinstance(value, str) and is_unescaped(value) for value in values.values()):
        return (
            "{" + ",".join(f'"{key}":"{value}"' for key, value in values.items()) + "}\n"
        ).encode()

    return compact_json(values).encode() + b"\n"


def _append(vault: Vault, events: Sequence[UsageEvent]) -> None:
    """Write the uses that wait and these events to the log.

    First the lines, then the end of the waiting file: after a crash a use may be in both and counts
    once.
    """
    from aurelius.writing.safe_folder import Folder  # a search has no use for it

    owner = device_name(vault.env)
    now = format_log_time(_seconds(vault))
    state = vault_state(vault.root, vault.env)
    make_private(state)
    with hold(state, _LOCK_FILE, _SECONDS_FOR_LOCK, "another process is writing it"):
        months = _waiting(os.path.join(state, WAITING_USES_FILE), owner)
        if events:
            new = [usage_line(owner, now, each) for each in events]
            # last, so that what fails before them leaves them out
            months[now[:7]] = months.pop(now[:7], []) + new
        last = _newest_month(vault.root, now)
        with Folder(
            vault.root,
            (VAULT_FOLDER, LOG_FOLDER, owner),
            make=True,
        ) as folder:
            is_first = [
                _put(folder, f"{month}.jsonl", b"".join(lines), now)
                for month, lines in months.items()
            ]
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(state, WAITING_USES_FILE))
            if any(is_first):
                _compact(folder, owner, last)


def _waiting(file: str, owner: str) -> dict[str, list[bytes]]:
    """The lines that wait, by month; those of a former name of this device are left out."""
    months: dict[str, list[bytes]] = {}
    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST_LOG_FILE_BYTES)
    except FileNotFoundError:
        return months
    for raw in data.splitlines(keepends=True):
        for event in read_lines(WAITING, raw).events:
            if event.id.rpartition("-")[0] == owner:
                month = format_log_time(event.at)[:7]
                months.setdefault(month, []).append(raw)
    return dict(sorted(months.items()))


def _put(
    folder: Folder,
    name: str,
    data: bytes,
    now: str,
) -> bool:
    """Write lines to the end of a file, down to the disk; whether they are its first ones of that
    day."""
    handle = folder.open(
        name,
        os.O_RDWR | os.O_APPEND | os.O_CREAT,
        0o644,
    )
    try:
        found = os.fstat(handle)
        _write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    if not found.st_size:
        folder.flush()
    return not found.st_size or format_log_time(int(found.st_mtime))[:10] != now[:10]


def _keep(vault: Vault, data: bytes) -> None:
    """Write lines to the file of uses that wait; it holds at most what is read of it."""
    state = vault.config.state
    make_private(state)
    with hold(state, _LOCK_FILE, WAIT_FOR_USES):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | UNMOVED
        handle = os.open(
            os.path.join(state, WAITING_USES_FILE),
            flags,
            0o600,
        )
        try:
            if os.fstat(handle).st_size + len(data) < MOST_LOG_FILE_BYTES:
                _write(handle, data)
        finally:
            os.close(handle)


def _write(handle: int, data: bytes) -> None:
    """One write at the end of an open file, on a line of its own.  OSError."""
    size = os.fstat(handle).st_size
    if size:
        os.lseek(handle, size - 1, os.SEEK_SET)
        if os.read(handle, 1) != b"\n":  # a line was cut off: it ends here, alone
            data = b"\n" + data
    if os.write(handle, data) != len(data):
        raise OSError(0, "the disk is full")


def _newest_month(root: str, now: str) -> str:
    """The month of the newest event that any device has logged, at most this one: a clock may be
    ahead."""
    from indexer.usage.log_reader import list_log_files

    return min(
        now[:7], max((path.partition("/")[2][:7] for path in list_log_files(root)), default=now[:7])
    )


def _compact(folder: Folder, owner: str, last: str) -> None:
    """Pack each month of this device that is older than two, seen from the month `last`. Under the
    lock."""
    from aurelius.writing.own_files import replace_in, sweep_temporary  # needed once a day

    names = sorted(os.listdir(folder.path))
    sweep_temporary(folder.path, names)
    months = int(last[:4]) * 12 + int(last[5:]) - 1 - KEPT_MONTHS
    first_kept = f"{months // 12:04}-{months % 12 + 1:02}"
    for name in names:
        path = f"{owner}/{name}"
        home = log_file_home(path)
        if home is not None and home[1] < first_kept:
            with os.fdopen(folder.open(name, os.O_RDONLY), "rb") as stream:
                data = stream.read(MOST_LOG_FILE_BYTES + 1)
                mode = os.fstat(stream.fileno()).st_mode & 0o777
            new = compacted(path, data) if len(data) <= MOST_LOG_FILE_BYTES else None
            if new is not None:
                replace_in(folder, name, new, mode)


def _unused_today(
    vault: Vault,
    refs: list[str],
    session: str,
) -> list[str]:
    """Those that the index does not know to be used today, in this session: a day counts once, and
    so need not be said twice."""
    from indexer.usage.log_reader import used_on

    try:
        known = used_on(vault.db, refs, _seconds(vault), session)
    except AureliusError:  # the files were scanned: there is no index
        return refs
    return [ref for ref in refs if ref not in known]


def _first_that_is(path: str) -> str:
    """The nearest folder at or above a path that is there."""
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


def _new_device(path: str) -> None:
    """Make up a name for this device, unless another process just did."""
    import platform

    node = os.uname().nodename if hasattr(os, "uname") else platform.node()
    letters = filter(DEVICE_LETTERS.__contains__, node.lower().partition(".")[0])
    short = "".join(letters).strip("-")[:12]
    make_private(os.path.dirname(path))
    with suppress(FileExistsError), open(path, "x", encoding="ascii") as file:
        file.write(f"{short or 'device'}-{os.urandom(2).hex()}\n")


def _seconds(vault: Vault) -> int:
    """The vault's clock in unix seconds."""
    now = vault.now
    if vault.zone is not None:
        now = now.replace(tzinfo=vault.zone)
    return int(now.timestamp())
