"""Aurelius's own small files: the name a vault carries, the agreement to its jobs, the files of
settings.

Never a note.  Each is written whole, into a new file that then takes its place, or not at all.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import (
    AGREED,
    HTTP_TOKEN,
    IDENTITY_FILE,
    LAST_REVIEW,
    LLM_FAILED,
    PAGES_FILE,
    RENAMED,
    SESSIONS,
    VAULT_FOLDER,
    WAITING_USES_FILE,
    WORDINGS,
    path_key,
    user_folder,
    vault_name,
    vault_state,
)
from indexer.errors import ConfigError, ConflictError, UsageError
from indexer.rows.lock import BusyError, UnwritableError, hold, make_private

from .safe_folder import WRITABLE, Folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from aurelius.settings.change_settings import SettingChange

NEW = ".new"
"""The ending of the temporary file of a file that is replaced."""

_SECONDS_FOR_LOCK = 10.0
"""Seconds to wait for another process that changes settings."""


@contextmanager
def or_conflict(what: str, hint: str = "nothing was changed") -> Iterator[None]:
    """Turn an error of the disk into a ConflictError that tells what could not be done, and why."""
    try:
        yield
    except OSError as error:
        raise ConflictError(f"{what}: {error.strerror}", hint) from error


def give_name(root: str, env: Mapping[str, str]) -> bool:
    """Give a vault the random name by which its state is found; whether it has one now.

    The uses that wait to be written into the vault's log go with it, and what else is kept of it.

    Not where `.aurelius/` is missing, a link, or cannot be written. Of two processes that do this
    at once one comes first, and both go by its name.
    """
    if vault_name(root):
        return True
    if not os.path.isdir(os.path.join(root, VAULT_FOLDER)):
        return False
    with (
        suppress(OSError, UsageError, ConflictError),
        Folder(root, IDENTITY_FILE[:-1], make=True) as folder,
    ):
        with suppress(FileExistsError):  # git is to leave this folder alone
            write_new(folder, ".gitignore", b"*\n", 0o644)
        make_once(
            folder,
            IDENTITY_FILE[-1],
            os.urandom(16).hex().encode() + b"\n",
            0o644,
        )
    if not vault_name(root):
        return False
    without = vault_state(root, env, named=False)
    state = vault_state(root, env)
    for kept in (
        WAITING_USES_FILE,
        RENAMED,
        LAST_REVIEW,
        SESSIONS,
        WORDINGS,
        LLM_FAILED,
        HTTP_TOKEN,
        PAGES_FILE,
    ):
        with suppress(OSError):
            os.stat(os.path.join(without, kept))
            make_private(state)
            os.replace(os.path.join(without, kept), os.path.join(state, kept))
    return True


def agree(root: str, env: Mapping[str, str]) -> None:
    """Remember on this device that the vault's own jobs may run here. ConflictError where that
    cannot be kept."""
    give_name(root, env)
    state = vault_state(root, env)
    with or_conflict(
        f"{os.path.join(state, AGREED)} cannot be written",
        "without this file, the vault's jobs do not run on this device",
    ):
        keep_in_state(state, AGREED, b"")


def secret(env: Mapping[str, str]) -> bytes:
    """The secret of this device that nobody else can read, made once; b"" where none can be
    kept."""
    state = user_folder("state", env)
    with suppress(OSError):
        if not os.path.exists(os.path.join(state, "secret")):
            make_private(state)
            with Folder(state, ()) as folder:
                make_once(folder, "secret", os.urandom(32), 0o600)
    with suppress(OSError, UsageError), Folder(state, ()) as folder:
        return (folder.data("secret") or b"")[:32]
    return b""


def write_settings(plan: SettingChange, env: Mapping[str, str]) -> None:
    """Write a file of settings as planned.

    ConflictError where it is no longer what the plan was made from, or cannot be written. The
    vault's own may not be a link, nor may what leads to it; a person's own may be one, and what it
    leads to is written.
    """
    place = plan.file if plan.vault else os.path.realpath(plan.file)
    top = plan.vault or os.path.dirname(place)
    parts = (VAULT_FOLDER,) if plan.vault else ()
    with or_conflict(f"{plan.file} cannot be written"):
        if not plan.vault and plan.after is not None:
            make_private(top)
        with (
            _alone(env),
            Folder(
                top,
                parts,
                make=bool(plan.vault),
            ) as folder,
        ):
            _swap(folder, os.path.basename(place), plan)


def _swap(folder: Folder, name: str, plan: SettingChange) -> None:
    """The new bytes in the place of the old ones, where those are what they were."""
    mode = 0o644 if plan.vault else plan.mode
    now: bytes | None = None
    found = folder.look(name)
    if found is not None:
        with open(folder.open(name, os.O_RDONLY), "rb") as stream:
            now = stream.read(len(plan.before or b"") + 1)
        mode = stat.S_IMODE(found.st_mode)
        if not mode & WRITABLE:
            raise ConflictError(
                f"{plan.file} is read-only", "make it writable, then run the command again"
            )
    if now != plan.before:
        raise ConflictError(
            f"{plan.file}: not written: it has just been changed", "nothing was written; try again"
        )
    if plan.after is None:
        folder.remove(name)
    else:
        replace_in(folder, name, plan.after, mode)


@contextmanager
def _alone(env: Mapping[str, str]) -> Iterator[None]:
    """Hold the lock under which settings are changed."""
    state = user_folder("state", env)
    make_private(state)
    with ExitStack() as held:
        try:
            held.enter_context(hold(state, "settings.lock", _SECONDS_FOR_LOCK))
        except UnwritableError as error:
            raise ConfigError(
                f"{state} cannot be written: {error}", "nothing was changed"
            ) from error
        except BusyError as error:
            raise ConfigError(
                "another process is changing settings", "nothing was written; try again"
            ) from error
        yield


# -- files of other programs -----------------------------------------------------------


class KeptFile(NamedTuple):
    """What was kept of another program's file: the hash that we left it with, what it was before,
    the folders made for it."""

    after: str
    before: bytes | None
    folders: list[str]


def _kept(file: str, env: Mapping[str, str]) -> tuple[str, str]:
    return os.path.join(user_folder("state", env), "clients"), path_key(os.path.realpath(file))


def kept_of(file: str, env: Mapping[str, str]) -> KeptFile | None:
    """What was kept of a file; None for nothing."""
    try:
        with open(os.path.join(*_kept(file, env)), "rb") as stream:
            head, _, before = stream.read().partition(b"\n")
        found = json.loads(head)
        return KeptFile(
            found["after"],
            before if found["had"] else None,
            found["folders"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_file(
    plan: SettingChange,
    after: str,
    before: bytes | None,
    env: Mapping[str, str],
) -> None:
    """Keep what a file was before a change, so that it can be put back. ConflictError where that
    cannot be."""
    state, name = _kept(plan.file, env)
    record = kept_of(plan.file, env)
    made = _missing(os.path.dirname(plan.file)) or (record.folders if record else [])
    head = {"file": plan.file, "after": after, "had": before is not None, "folders": made}
    with or_conflict(f"{state} cannot be written"):
        keep_in_state(
            state,
            name,
            json.dumps(head).encode() + b"\n" + (before or b""),
        )


def drop_kept(file: str, env: Mapping[str, str]) -> None:
    """Keep nothing of a file that is as it was again, and remove those folders made for it that are
    empty."""
    record = kept_of(file, env)
    with suppress(OSError):
        os.unlink(os.path.join(*_kept(file, env)))
    for folder in record.folders if record else []:
        with suppress(OSError):
            os.rmdir(folder)


def _missing(folder: str) -> list[str]:
    """The folders that have to be made for a file, the deepest first."""
    found = []
    while not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


# -- written whole ---------------------------------------------------------------------


def replace_file(
    path: str,
    data: bytes,
    mode: int = 0o600,
) -> None:
    """Give a file outside the notes new bytes, whole and on the disk, or leave it as it was.
    OSError.

    The new bytes are on the disk before they take the name, and the name is before this returns.
    """
    with Folder(os.path.dirname(path) or ".", ()) as folder:
        replace_in(folder, os.path.basename(path), data, mode)


def keep_in_state(state: str, name: str, data: bytes) -> None:
    """Replace a file in a vault's state folder, which is made where it is missing."""
    make_private(state)
    replace_file(os.path.join(state, name), data)


def replace_in(
    folder: Folder,
    name: str,
    data: bytes,
    mode: int,
) -> None:
    """Replace a file in an open folder, whole and on the disk."""
    spare = f".{name}.{os.urandom(4).hex()}{NEW}"
    try:
        write_new(folder, spare, data, mode)
        folder.replace(name, spare)
    except BaseException:
        with suppress(OSError):
            folder.remove(spare)
        raise
    folder.flush()


def write_new(
    folder: Folder,
    name: str,
    data: bytes,
    mode: int,
) -> None:
    """Make a file that is not there yet, with its bytes on the disk.  FileExistsError, OSError."""
    with open(
        folder.open(
            name,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL,
            mode,
        ),
        "wb",
    ) as file:
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def make_once(
    folder: Folder,
    name: str,
    data: bytes,
    mode: int,
) -> None:
    """Make a file whole and on the disk; of several processes that do so the first one's stays.
    OSError."""
    spare = f".{name}.{os.urandom(4).hex()}{NEW}"
    write_new(folder, spare, data, mode)
    try:
        folder.move(spare, name)
    except FileExistsError:
        folder.remove(spare)
    folder.flush()


def sweep_temporary(folder: str, names: Collection[str]) -> None:
    """Remove what a crash left of these files as they were to be replaced; by whoever alone may
    replace them."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.endswith(NEW) and name[1:].rsplit(".", 2)[0] in names:
                os.unlink(os.path.join(folder, name))
