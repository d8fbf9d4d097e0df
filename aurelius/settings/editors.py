"""The person's editor: which it is, how it takes a line, whether it has a window of its own; and
the link that opens a note in Obsidian."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from indexer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AT_LINE = {
    "+{line} {file}": (
        "vi",
        "vim",
        "nvim",
        "gvim",
        "view",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "ne",
        "mg",
        "jed",
        "gedit",
        "tilde",
    ),
    "{file}:{line}": ("hx", "helix", "subl", "zed", "zeditor", "lite-xl", "amp"),
    "--goto {file}:{line}": ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"),
    "--line {line} {file}": ("kate", "mate", "kwrite", "pycharm", "idea"),
}
"""How editors take a line; one that is not named here gets the file alone."""
_WINDOWED = frozenset(
    (
        *AT_LINE["--goto {file}:{line}"],
        *AT_LINE["--line {line} {file}"],
        *("subl", "zed", "zeditor", "lite-xl", "gvim", "gedit", "emacs", "emacsclient"),
        *("notepad", "notepad++", "mousepad", "pluma", "xed", "geany", "featherpad", "leafpad"),
        *("gnome-text-editor", "textadept", "neovide", "goneovim", "nvim-qt", "mvim", "bbedit"),
        *("ghostwriter", "typora", "marktext", "obsidian", "textedit", "cot", "nova"),
    )
)
"""Editors with a window of their own; of any other nobody knows that it needs no terminal."""
_IN_TERMINAL = frozenset(("-nw", "--no-window-system", "-t", "--tty", "-tty", "-v", "--terminal"))
"""What makes one of these start in a terminal all the same."""


def editor_set(env: Mapping[str, str]) -> str:
    """The editor's command line as the person set it."""
    for name in ("VISUAL", "EDITOR"):
        if env.get(name, "").strip():
            return env[name]
    raise UsageError("no editor is set", "set VISUAL or EDITOR, for example: export EDITOR=nano")


def editor_command(env: Mapping[str, str], file: str, line: int) -> list[str]:
    """The words of the command that opens a file in the person's editor, at a line (0 = anywhere).
    UsageError where none is set, or it cannot be read."""
    said = editor_set(env)
    try:
        words = shlex.split(said.replace("\\", "\\\\" if os.name == "nt" else "\\"))
    except ValueError as error:
        what = str(error).lower()
        raise UsageError(
            f"VISUAL or EDITOR cannot be read: {what}", "quote it as a shell would"
        ) from error
    return words + editor_arguments(words[0], file, line)


def editor_arguments(program: str, file: str, line: int) -> list[str]:
    """What to add to the editor's command line so that it shows the file at the line (0 =
    anywhere)."""
    name = _name(program)
    if line:
        for form, names in AT_LINE.items():
            if name in names:
                return [part.format(file=file, line=line) for part in form.split()]
    return [file]


def has_window(command: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether an editor is sure to need no terminal, so that a server may start it."""
    if _name(command[0]) not in _WINDOWED or _IN_TERMINAL & set(command[1:]):
        return False
    is_shown = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")
    return bool(is_shown) or sys.platform in {"darwin", "win32"}


def _name(program: str) -> str:
    """What a program is called, wherever it is."""
    return os.path.basename(program).casefold().removesuffix(".exe").removesuffix(".cmd")


def obsidian_link(file: str) -> str:
    """The address that opens a file in Obsidian."""
    from urllib.parse import quote  # slow to import, and a pager has no use for it

    return f"obsidian://open?path={quote(file, safe='-._~', errors='surrogateescape')}"
