"""Making a vault: starting notes are copied in, and nothing that is there is touched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import MARK
from indexer.errors import UsageError

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator

FIRST_DAY = "2026-02-01"
"""Wherever the template says this date, in a name or in a text, `init` writes the day it runs."""


class InitReport(NamedTuple):
    """What init did: vault-relative paths it `created`, and those of the template it `kept` as they were.

    `existed` says that the folder was a vault before, so that nothing was copied; `git` is "made",
    "there" for a repository that was there already, or "" when none was asked for.
    """

    vault: str
    created: tuple[str, ...]
    kept: tuple[str, ...]
    existed: bool
    adopted: bool
    git: str


def folder() -> str:
    """The template's folder: inside the package when installed from a wheel, beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "vault_template")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "vault_template")


def init(directory: str, *, git: bool = False, adopt: bool = False, now: datetime.date) -> InitReport:
    """Make `directory`, an absolute path, a vault.

    Never overwrites, never commits, and leaves alone what is a vault already.  `adopt` adds
    `.aurelius/` and nothing else to a folder that exists.  UsageError where that cannot be done.
    """
    if adopt and not os.path.isdir(directory):
        raise UsageError(f"{directory} is not a folder, so it cannot be adopted", "without --adopt a new vault is made")
    if git:
        _find_git()
    existed = os.path.isdir(os.path.join(directory, MARK))
    created: list[str] = []
    kept: list[str] = []
    if not existed:
        try:
            os.makedirs(directory, exist_ok=True)
            for path, data in _notes(f"{now:%Y-%m-%d}", adopt=adopt):
                (created if _create(directory, path, data) else kept).append(path)
        except OSError as error:
            place = error.filename or directory
            raise UsageError(f"{place}: {error.strerror}", "choose a folder that you may write to") from error
    repository = _repository(directory) if git else ""
    return InitReport(directory, tuple(created), tuple(kept), existed, adopt, repository)


def _notes(today: str, *, adopt: bool) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file to copy; `.aurelius/` last, so that a copy cut short is gone on with next time."""
    root = folder()
    settings = os.path.join(root, MARK)
    for top in (settings,) if adopt else (root, settings):
        for place, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if name not in {MARK, "__pycache__"})
            for name in sorted(names):
                file = os.path.join(place, name)
                with open(file, "rb") as stream:
                    data = stream.read()
                path = os.path.relpath(file, root).replace(os.sep, "/")
                if adopt:
                    data = data.replace(*JOBS)
                yield path.replace(FIRST_DAY, today), data.replace(FIRST_DAY.encode(), today.encode())


def _create(root: str, path: str, data: bytes) -> bool:
    """Write a new file and True, or False where something is in its place; a folder that is a link leads elsewhere."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        above = os.path.join(root, *parts[:depth])
        if os.path.islink(above) or (os.path.exists(above) and not os.path.isdir(above)):
            return False
        os.makedirs(above, exist_ok=True)
    file = os.path.join(root, *parts)
    try:
        stream = open(file, "xb")  # noqa: SIM115 only a file that this call made may be removed below
    except FileExistsError:
        return False
    try:
        with stream:
            stream.write(data)
    except OSError:
        os.unlink(file)
        raise
    return True


def _find_git() -> str:
    import shutil

    program = shutil.which("git")
    if program is None:
        raise UsageError("--git needs git, and it was not found", "install git, or leave --git out")
    return program


def _repository(root: str) -> str:
    if os.path.lexists(os.path.join(root, ".git")):
        return "there"
    import subprocess

    done = subprocess.run([_find_git(), "-C", root, "init", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(
            f"{root} is a vault, but git init failed: {done.stderr.strip()}", "make the repository by hand"
        )
    return "made"


JOBS = (b'[jobs]\nsummarize = "weekly"  ', b'# [jobs]\n# summarize = "off"   ')
"""The job that a new vault switches on, and how an adopted folder says that it is off."""
