"""Opening a note in the person's own editor, or in Obsidian."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from indexer.errors import UsageError

if TYPE_CHECKING:
    from .run import Context

OPENER = {"darwin": ("open",), "win32": ("rundll32", "url.dll,FileProtocolHandler")}.get(sys.platform, ("xdg-open",))
"""What opens a link on this system."""

AT_LINE = {
    "+{line} {file}": ("vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak",
                       "joe", "ne", "mg", "jed", "gedit", "tilde"),
    "{file}:{line}": ("hx", "helix", "subl", "zed", "zeditor", "lite-xl", "amp"),
    "--goto {file}:{line}": ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"),
    "--line {line} {file}": ("kate", "mate", "kwrite", "pycharm", "idea"),
}  # fmt: skip
"""How editors take a line; one that is not named here gets the file alone."""


def edit(root: str, path: str, line: int, context: Context) -> int:
    """Run $VISUAL, else $EDITOR, on a note of the vault; its exit code, which is told where it is not 0.

    Never through a shell.  UsageError where neither is set or the program is not there.
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
        code = subprocess.run(command, cwd=context.cwd, env=dict(context.env), check=False).returncode
    except OSError as error:
        raise UsageError(f"cannot run {words[0]}: {error.strerror}", "set VISUAL or EDITOR to your editor") from error
    if code < 0:
        context.tell(f"{words[0]} was stopped by signal {-code}; check whether it saved {path}")
        return 128 - code
    if code:
        context.tell(f"{words[0]} ended with exit code {code}; check whether it saved {path}")
    return code


def open_in_obsidian(root: str, path: str, context: Context) -> int:
    """Open a note in Obsidian by the program that opens links here; where none does, the link is printed."""
    import shutil
    import subprocess

    from aurelius.show.terminal import encoded

    file = os.path.join(os.path.abspath(root), *path.split("/"))
    link = f"obsidian://open?path={encoded(file).replace('/', '%2F')}"
    program, *more = OPENER
    opener = shutil.which(program, path=context.env.get("PATH"))
    why = "no program on this computer opens links"
    try:
        if opener:
            why = f"{program} could not open it"
            if subprocess.run([opener, *more, link], env=dict(context.env), check=False).returncode == 0:
                return 0
    except OSError as error:
        why = f"{program} cannot be run: {error.strerror}"
    context.put(link)
    context.tell(f"not opened in Obsidian, because {why}; the link is printed instead")
    return 0


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
