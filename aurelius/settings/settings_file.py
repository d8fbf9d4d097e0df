"""One file of settings: its bytes, its text, and what it says by dotted name.

Whose word counts, config.py decides.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from indexer.errors import ConfigError

from .keys import KEYS, VAULT, Key, Unfit
from .places import absolute
from .plain_toml import flat, line_of, parsed

MOST_BYTES = 256 << 10
"""Bytes that a file of settings may have."""

BOM = b"\xef\xbb\xbf"
VAULTS = "vaults"
"""The table of the person's file that holds a table for each vault, named by its path."""


class Entry(NamedTuple):
    """One key of a file: its value and where it stands; `why` it is told and not used, "" for one that is."""

    value: Any
    file: str
    line: int
    why: str = ""


class File(NamedTuple):
    """What one file of settings holds, by dotted name; the same of each vault's table in it, by its path there."""

    entries: dict[str, Entry]
    vaults: dict[str, dict[str, Entry]]


def read(file: str, env: Mapping[str, str] | None = None) -> File:
    """What one file sets; nothing where it does not exist.  With `env` it is the person's own."""
    text = _decoded(file, bytes_of(file) or b"")
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        return File({}, {})
    tree = parsed(file, text)
    tables = tree.pop(VAULTS, {}) if env is not None else {}
    known = {key.name: key for key in (*KEYS, VAULT) if env is not None or key is not VAULT}
    vaults: dict[str, dict[str, Entry]] = {}
    for path, table in tables.items() if isinstance(tables, dict) else [("", tables)]:
        name = f"{VAULTS}.{path}" if path else VAULTS
        where = absolute(path, env or {}, "")
        if not isinstance(table, dict) or not os.path.isabs(where):
            hint = f'[{VAULTS}."/path/to/vault"] is a table of settings for one vault, named by its whole path'
            raise ConfigError(f"{file}:{line_of(text, name)}: {name} is no such table", hint)
        vaults[path] = _entries(file, text, table, {key.name: key for key in KEYS}, f"{name}.")
    return File(_entries(file, text, tree, known), vaults)


def bytes_of(file: str) -> bytes | None:
    """The bytes of a file of settings, None where there is none; never waits, never reads more than it may hold."""
    import stat

    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
                raise ConfigError(f"{file}: not a regular file", "make it one, or remove it")
            with open(handle, "rb", closefd=False) as stream:
                data = stream.read(MOST_BYTES + 1) if found.st_size <= MOST_BYTES else b""
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}", "the file of settings must be readable") from error
    if max(found.st_size, len(data)) > MOST_BYTES:
        raise ConfigError(f"{file}: larger than {MOST_BYTES >> 10} KiB", "settings are a few lines: remove the rest")
    return data


def _decoded(file: str, data: bytes) -> str:
    """The bytes of a file of settings as text.  ConfigError for what is not UTF-8."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\0" in data:
        raise ConfigError(f"{file}: not UTF-8 text, but UTF-16 or no text at all", "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 text (byte {error.start})", "save it as UTF-8") from error


def _entries(file: str, text: str, tree: dict[str, Any], known: Mapping[str, Key], table: str = "") -> dict[str, Entry]:
    """The settings of a file, or of one vault's table in it, by dotted name.  ConfigError for an unknown or bad one."""
    entries = {}
    for name, value in flat(tree, {key.partition(".")[0] for key in known if "." in key}).items():
        line = line_of(text, f"{table}{name}")
        if name not in known:
            raise ConfigError(f"{file}:{line}: unknown key {name}", nearest(name, tuple(known)))
        try:
            entries[name] = Entry(known[name].read(value), file, line)
        except Unfit as error:
            entries[name] = Entry(value, file, line, f"{name} is {error}")
        except ValueError as error:
            raise ConfigError(f"{file}:{line}: {name} cannot be {value!r}", f"{name} is {error}") from error
    return entries


def nearest(name: str, known: tuple[str, ...]) -> str:
    """A hint for a key that there is not: the nearest one, and all of them."""
    import difflib

    last = {key: key.rpartition(".")[2] for key in known}
    near = difflib.get_close_matches(name, known, 1, 0.7) or [
        key for key, word in last.items() if difflib.get_close_matches(name.rpartition(".")[2], [word], 1, 0.7)
    ]
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}the keys are {', '.join(known)}"
