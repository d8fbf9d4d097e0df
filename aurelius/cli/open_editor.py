"""Opening a note in the person's own editor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.errors import UsageError

if TYPE_CHECKING:
    from .run import Context

AT_LINE = {
    "+{line} {file}": ("vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak",
                       "joe", "ne", "mg", "jed", "gedit", "tilde"),
    "{file}:{line}": ("hx", "helix", "subl", "zed", "zeditor", "lite-xl", "amp"),
    "--goto {file}:{line}": ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"),
    "--line {line} {file}": ("kate", "mate", "kwrite", "pycharm", "idea"),
}  # fmt: skip
"""How editors take a line; one that is not named here gets the file alone."""


def edit(root: str, path: str, line: int, context: Context) -> int:
    """Run $VISUAL, else $EDITOR, on a note of the vault; its exit code.  Never through a shell.

    UsageError where neither is set or the program is not there.
    """
    import shlex
    import subprocess

    try:
        words = shlex.split(editor(context).replace("\\", "\\\\" if os.name == "nt" else "\\"))
    except ValueError as error:
        what = str(error).lower()
        raise UsageError(f"VISUAL or EDITOR cannot be read: {what}", "quote it as a shell would") from error
    command = words + arguments(words[0], os.path.join(root, *path.split("/")), line)
    try:
        return subprocess.run(command, cwd=context.cwd, env=dict(context.env), check=False).returncode
    except OSError as error:
        raise UsageError(f"cannot run {words[0]}: {error.strerror}", "set VISUAL or EDITOR to your editor") from error


def editor(context: Context) -> str:
    """The editor's command line as the person set it."""
    for name in ("VISUAL", "EDITOR"):
        if context.env.get(name, "").strip():
            return context.env[name]
    raise UsageError("no editor is set", "set VISUAL or EDITOR, for example: export EDITOR=nano")


def arguments(program: str, file: str, line: int) -> list[str]:
    """What to add to the editor's command line so that it shows the file at the line (0 = anywhere)."""
    name = os.path.basename(program).casefold().removesuffix(".exe").removesuffix(".cmd")
    if line:
        for form, names in AT_LINE.items():
            if name in names:
                return [part.format(file=file, line=line) for part in form.split()]
    return [file]
