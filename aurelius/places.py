"""Where things are: the vault, a person's folders, the daemon of a vault and its socket (design §3, §4).

The client of the daemon asks here before anything else of Aurelius is imported, so this module needs
nothing but `os` and `sys`.  Nothing is made here.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as type checkers know it; `typing` itself costs more than this whole module
if TYPE_CHECKING:
    from collections.abc import Mapping

MARK = ".aurelius"
"""The folder that makes a folder of notes a vault."""

TEMPORARY = "/tmp"  # noqa: S108 what is put there lies in a folder that nobody else may enter
"""Where a socket goes whose own path would be too long; never TMPDIR, which daemon and client may not share."""

LONGEST = 100
"""Bytes that the path of a socket may have; the system's own limit is 104 on macOS and 108 on Linux."""

APPENDS = "appends.jsonl"
"""The journal of what was appended in the last minute, in a vault's state folder."""

UNIX_FOLDERS = {"cache": ".cache", "config": ".config", "state": ".local/state"}
MACOS_FOLDERS = {
    "cache": "Library/Caches",
    "config": "Library/Application Support",
    "state": "Library/Application Support",
}


def vault_above(cwd: str) -> str:
    """The nearest folder at or above `cwd` that holds `.aurelius/`, or ""."""
    folder = os.path.normpath(cwd)
    while not os.path.isdir(os.path.join(folder, MARK)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def home_vault(env: Mapping[str, str]) -> str:
    """`~/aurelius`, which is the vault where no other is named and it holds `.aurelius/`."""
    return os.path.join(home(env), "aurelius")


def home(env: Mapping[str, str]) -> str:
    """A person's own folder."""
    folder = env.get("USERPROFILE" if sys.platform == "win32" else "HOME", "")
    return folder if os.path.isabs(folder) else os.path.expanduser("~")


def absolute(path: str, env: Mapping[str, str], base: str) -> str:
    """A path as a person writes it, `~` and all, relative to `base`; symlinks stay."""
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        path = home(env) + path[1:]
    return os.path.normpath(os.path.join(base, path))


def user_file(env: Mapping[str, str]) -> str:
    """The user's own config file, whether or not it exists."""
    return os.path.join(user_folder("config", env), "config.toml")


def user_folder(what: str, env: Mapping[str, str]) -> str:
    """Aurelius's folder for `what` ("cache", "config" or "state"), as platformdirs finds it.

    platformdirs itself is imported only where the plain folders of Linux and macOS do not apply.
    """
    base, name = env.get(f"XDG_{what.upper()}_HOME", ""), env.get("HOME", "")
    if sys.platform == "darwin" and not base and os.path.isabs(name):
        return os.path.join(name, MACOS_FOLDERS[what], "aurelius")
    if sys.platform == "linux" and "ANDROID_DATA" not in env:
        if not os.path.isabs(base) and os.path.isabs(name):
            base = os.path.join(name, UNIX_FOLDERS[what])
        if os.path.isabs(base):
            return os.path.join(base, "aurelius")
    import platformdirs

    find = {
        "cache": platformdirs.user_cache_dir,
        "config": platformdirs.user_config_dir,
        "state": platformdirs.user_state_dir,
    }
    return find[what]("aurelius", appauthor=False)


def daemon_folder(root: str, env: Mapping[str, str]) -> str:
    """Where the daemon of the vault at `root` keeps its lock, socket and log, keyed by the vault's real path."""
    return os.path.join(user_folder("state", env), "daemon", _key(os.path.realpath(root)))


def vault_state(root: str, env: Mapping[str, str]) -> str:
    """Where the lock, the previous bytes and the append journal of the vault at `root` are kept."""
    return os.path.join(user_folder("state", env), "vaults", _key(os.path.realpath(root)))


def appends_pending(root: str, env: Mapping[str, str]) -> bool:
    """Whether lines were appended lately that are to be looked after (rejoin.py); costs a look at one file."""
    try:
        return os.stat(os.path.join(vault_state(root, env), APPENDS)).st_size > 0
    except OSError:
        return False


def socket_path(folder: str) -> str:
    """Where the daemon of that daemon folder listens: in it, or below TEMPORARY where that path is too long."""
    path = os.path.join(folder, "socket")
    if os.name == "nt" or len(os.fsencode(path)) <= LONGEST:
        return path
    return os.path.join(TEMPORARY, f"aurelius-{os.getuid()}-{_key(folder)}", "socket")


def is_private(folder: str) -> bool:
    """Whether a folder is one that only this user may enter: nobody else can have put into it what is there."""
    if os.name == "nt":  # what lies below a person's profile is theirs
        return os.path.isdir(folder)
    import stat

    try:
        found = os.lstat(folder)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _key(path: str) -> str:
    import zlib

    return f"{zlib.crc32(os.fsencode(path)):08x}"
