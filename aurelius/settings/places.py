"""Folders and files by place: the vault, a person's folders, the state and the daemon of a vault,
its socket.

The client of the daemon asks here before anything else of Aurelius is imported, so this module
needs nothing but `os` and `sys`. Nothing is made here.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as type checkers know it; `typing` itself costs more than this whole module
if TYPE_CHECKING:
    from collections.abc import Mapping

VAULT_FOLDER = ".aurelius"
"""The folder that makes a folder of notes a vault."""

TEMPORARY = "/tmp"  # noqa: S108 what is put there lies in a folder that nobody else may enter
"""Where a socket goes whose own path would be too long; never TMPDIR, which daemon and client may
not share."""

IDENTITY_FILE = (VAULT_FOLDER, "local", "id")
"""The file in which a vault carries its own random name; git never sees it, so no pull changes
it."""

MOST_SOCKET_BYTES = 100
"""Bytes that the path of a socket may have; the system's own limit is 104 on macOS and 108 on
Linux."""

APPENDS = "appends.jsonl"
"""The journal of what was appended in the last minute, in a vault's state folder."""

WAITING_USES_FILE = "uses.jsonl"
"""What was used and is not in the vault's log yet, in a vault's state folder."""

LAST_REVIEW = "last-review"
"""The proposals as they were last shown in a terminal, a name a line, in a vault's state folder."""

SESSIONS = "sessions"
"""The folder of what sessions of agents' client programs were shown, in a vault's state folder."""

WORDINGS = "wordings.json"
LLM_FAILED = "llm-failed"
"""There too: what the person's language model has worded, and when it last failed and why."""

LAST_BUG = "last-bug.txt"
"""The traceback of the last error that was ours, in a user's state folder."""

RENAMED = "renamed.jsonl"
"""The notes that another program renamed, in a vault's state folder."""

DISPLACED = "displaced.jsonl"
WATCHED_FILE = "word.jsonl"
"""There too: the displaced files that are looked at again, and the lines that a person has still to
be told."""

UNDO = "undo"
OPEN = ".open"
"""There too: the folder of previous bytes, and the ending of a change that is under way or was cut
short."""

AGREED = "agreed"
"""The file in a vault's state folder that says: the jobs its settings ask for may run on this
device."""

HTTP_TOKEN = "http-token"  # noqa: S105 the name of a file
PAGES_FILE = "pages"
"""There too: where the pages of the vault are served on this device."""
"""There too: what a program has to send to a server of the vault on this device."""

EXTRAS = {"mcp": "mcp", "llm": "openai", "lsp": "pygls"}
"""What can be installed beside the rest, and a package of each."""

UNIX_FOLDERS = {"cache": ".cache", "config": ".config", "state": ".local/state"}
MACOS_FOLDERS = {
    "cache": "Library/Caches",
    "config": "Library/Application Support",
    "state": "Library/Application Support",
}


def vault_above(cwd: str) -> str:
    """The nearest folder at or above `cwd` that holds `.aurelius/`, or ""."""
    folder = os.path.normpath(cwd)
    while not os.path.isdir(os.path.join(folder, VAULT_FOLDER)):
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
    if os.path.isabs(folder):
        return folder
    return os.path.expanduser("~")


def client_folder(path: str, env: Mapping[str, str]) -> str:
    """A place that other programs use: below `~`, CONFIG, SUPPORT (of macOS) or APPDATA (of
    Windows)."""
    own = home(env)
    config = env.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        config = os.path.join(own, ".config")
    data = env.get("APPDATA", "")
    if not os.path.isabs(data):
        data = os.path.join(own, "AppData", "Roaming")
    folders = {
        "~": own,
        "CONFIG": config,
        "SUPPORT": os.path.join(own, MACOS_FOLDERS["config"]),
        "APPDATA": data,
    }
    first, *rest = path.split("/")
    return os.path.join(folders[first], *rest)


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
    base = env.get(f"XDG_{what.upper()}_HOME", "")
    name = env.get("HOME", "")
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
    """Where the daemon of the vault at `root` keeps its lock, socket and log, keyed by the vault's
    real path."""
    return os.path.join(user_folder("state", env), "daemon", path_key(os.path.realpath(root)))


def vault_state(root: str, env: Mapping[str, str], *, named: bool = True) -> str:
    """Where the lock, the previous bytes and the append journal of the vault at `root` are kept.

    Keyed by the vault's real path and by the name it carries, so that a copy has a state of its own
    and a new vault at the path of an old one never meets the old one's. One without a name, or with
    `named=False`, goes by the number of its folder, which is the best there is.
    """
    name = (vault_name(root) if named else "") or f"folder {_number(root)}"
    return os.path.join(
        user_folder("state", env), "vaults", path_key(f"{os.path.realpath(root)}\0{name}")
    )


def vault_name(root: str) -> str:
    """The random name that the vault at `root` carries; "" where it has none."""
    try:
        handle = os.open(
            os.path.join(root, *IDENTITY_FILE), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
        )
        try:
            data = os.read(handle, 80).strip()
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return ""
    if len(data) == 32 and data.isalnum() and data.isascii():
        return data.decode("ascii")
    return ""


def is_agreed(state: str) -> bool:
    """Whether the person agreed that the jobs of the vault with this state folder run on this
    device."""
    return os.path.isfile(os.path.join(state, AGREED))


def holds(state: str, name: str) -> bool:
    """Whether a vault's state folder holds a file of that name which is not empty."""
    try:
        return os.stat(os.path.join(state, name)).st_size > 0
    except OSError:
        return False


def is_unattended(state: str) -> bool:
    """Whether a vault's state folder holds anything to look after, which
    `append.look_for_lost_lines` does: lines written lately, displaced files, a change that was cut
    short. Costs a look at two files and a folder."""
    if holds(state, APPENDS) or holds(state, DISPLACED):
        return True
    try:
        return any(name.endswith(OPEN) for name in os.listdir(os.path.join(state, UNDO)))
    except OSError:
        return False


def socket_path(folder: str) -> str:
    """Where the daemon of that daemon folder listens: in it, or below TEMPORARY where that path is
    too long."""
    path = os.path.join(folder, "socket")
    if os.name == "nt" or len(os.fsencode(path)) <= MOST_SOCKET_BYTES:
        return path
    return os.path.join(TEMPORARY, f"aurelius-{os.getuid()}-{path_key(folder)}", "socket")


def is_own_folder(folder: str) -> bool:
    """Whether a folder is one that only this user may enter: nobody else can have put into it what
    is there."""
    if os.name == "nt":  # what lies below a person's profile is theirs
        return os.path.isdir(folder)
    import stat

    try:
        found = os.lstat(folder)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def install_line(extra: str) -> str:
    """How a person installs an extra: Aurelius comes from a folder, and the extras that are there
    have to stay."""
    from importlib.util import find_spec

    names = [
        name for name, package in EXTRAS.items() if name == extra or find_spec(package) is not None
    ]
    return (
        "in the folder that Aurelius was installed from: pipx install --force"
        f" '.[{','.join(names)}]'"
    )


def shell_word(text: str) -> str:
    """The text as one word of a command line that a person may copy."""
    if os.name == "nt":
        if " " in text:
            return f'"{text}"'
        return text
    if (
        text
        and text.isascii()
        and text.replace("/", "").replace("-", "").replace(".", "").replace("_", "").isalnum()
    ):
        return text  # most are, and a search need not import what quotes the others
    import shlex

    return shlex.quote(text)


def path_key(text: str, secret: bytes = b"") -> str:
    """64 bits of a hash that nobody can aim, as 16 hex digits: two paths never share what is kept
    under them.

    With a secret, of at most 64 bytes, nobody can make it who does not know that.

    The module below hashlib is asked, whose import alone costs a search more than all the rest of
    this.
    """
    try:
        from _blake2 import blake2b
    except ImportError:  # another Python than CPython
        from hashlib import blake2b
    digest: str = blake2b(os.fsencode(text), digest_size=8, key=secret).hexdigest()
    return digest


def _number(folder: str) -> int:
    try:
        return os.stat(folder).st_ino
    except (OSError, ValueError):
        return 0
