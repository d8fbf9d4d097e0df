"""Making a vault: starting notes are copied in, and nothing that is there is touched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import MARK, shell_word
from indexer.errors import UsageError

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterator, Mapping

FIRST_DAY = "2026-02-01"
"""Wherever the template says this date, in a name or in a text, `init` writes the day it runs."""


class InitReport(NamedTuple):
    """What init did: vault-relative paths it `created`, and those of the template it `kept` as they were.

    `existed` says that the folder was a vault before; `git` is "made", "there" for a repository that was there
    already, or "" when none was asked for; `uncommitted` is why no first commit was made, "" where one was.
    `summarize` is "weekly" where the weekly summary was switched on, else "off".
    """

    vault: str
    created: tuple[str, ...]
    kept: tuple[str, ...]
    existed: bool
    adopted: bool
    git: str
    uncommitted: str = ""
    summarize: str = "off"


class Start(NamedTuple):
    """What a vault begins with: `adopt`, nothing but `.aurelius/`; `template`, the examples too where notes lie;
    `empty`, the tree without the examples."""

    adopt: bool = False
    template: bool = False
    empty: bool = False


WHOLE = Start()
SETTINGS = f"{MARK}/config.toml"


def folder() -> str:
    """The template's folder: inside the package when installed from a wheel, beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "vault_template")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), "vault_template")


def init(directory: str, start: Start = WHOLE, *, git: bool = False, now: datetime.date) -> InitReport:
    """Make `directory`, an absolute path, a vault.

    Never overwrites, and leaves alone what is a vault already, where `template` alone adds what is missing.
    UsageError where that cannot be done, and where notes lie and `start` does not say what becomes of them.
    """
    if start.adopt and not os.path.isdir(directory):
        raise UsageError(f"{directory} is not a folder, so it cannot be adopted", "without --adopt a new vault is made")
    if git:
        _find_git()
    existed = os.path.isdir(os.path.join(directory, MARK))
    created: list[str] = []
    kept: list[str] = []
    weekly = False
    if not existed or start.template:
        files = list(_notes(f"{now:%Y-%m-%d}", start))
        count = _count_notes(directory, dict(files))
        if count and not (existed or start.adopt or start.template):
            raise _refused(directory, count)
        weekly = not (existed or start.adopt or count)
        if not weekly:
            files = [(path, _without_jobs(data) if path == SETTINGS else data) for path, data in files]
        try:
            os.makedirs(directory, exist_ok=True)
            for path, data in files:
                (created if _create(directory, path, data) else kept).append(path)
        except OSError as error:
            place = error.filename or directory
            raise UsageError(f"{place}: {error.strerror}", "choose a folder that you may write to") from error
    repository = _repository(directory) if git else ""
    is_on = weekly and SETTINGS in created
    return InitReport(
        directory, tuple(created), tuple(kept), existed, start.adopt, repository,
        summarize="weekly" if is_on else "off",
    )  # fmt: skip


def commit(done: InitReport, env: Mapping[str, str]) -> InitReport:
    """Commit what init made, where it has just made the repository; the report with what came of it."""
    if done.git != "made":
        return done
    if not done.created:
        return done._replace(uncommitted="the notes are yours to commit (git add, git commit)")
    from aurelius.settings.config import load

    from . import edit, safe_folder
    from .git import commit as commit_these

    with edit.locked(edit.place_of(load(done.vault, env), env)) as place:
        changes = [(path, None, safe_folder.read(done.vault, path).data, "") for path in done.created]
        return done._replace(uncommitted=commit_these(done.vault, place.state, env, changes, "a new vault"))


def _count_notes(directory: str, own: Mapping[str, bytes]) -> int:
    """How many notes lie in a folder, but for those that an init which was cut short has made."""
    from indexer.disk.walk import IgnoreRules, walk

    there = walk(directory, IgnoreRules(directory, (), {})).found if os.path.isdir(directory) else {}
    return sum(not _is_own(os.path.join(directory, *path.split("/")), own.get(path)) for path in there)


def _refused(directory: str, count: int) -> UsageError:
    where = shell_word(directory)
    return UsageError(
        f"{directory} already holds {count} {'note' if count == 1 else 'notes'}; nothing was written",
        f"`aurelius init --adopt {where}` adds {MARK}/ alone, "
        f"`aurelius init --template {where}` adds the example notes too",
    )


def _is_own(file: str, data: bytes | None) -> bool:
    if data is None:
        return False
    with open(file, "rb") as stream:
        return stream.read(len(data) + 1) == data


def _notes(today: str, start: Start) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file to copy; `.aurelius/` last, so that a copy cut short is gone on with next time."""
    root = folder()
    settings = os.path.join(root, MARK)
    for top in (settings,) if start.adopt else (root, settings):
        for place, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if not start.empty and name not in {MARK, "__pycache__"})
            for name in sorted(names):
                file = os.path.join(place, name)
                with open(file, "rb") as stream:
                    data = stream.read()
                path = os.path.relpath(file, root).replace(os.sep, "/")
                yield path.replace(FIRST_DAY, today), data.replace(FIRST_DAY.encode(), today.encode())


def _without_jobs(settings: bytes) -> bytes:
    """The template's settings with no job switched on, as a folder has them whose notes somebody else made."""
    for new, adopted in JOBS:
        settings = settings.replace(new, adopted)
    return settings


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


JOBS = (
    (b'[jobs]\nsummarize = "weekly"  ', b'# [jobs]\n# summarize = "off"   '),
    (
        b"# The weekly summary is switched on here: it is written while the daemon runs (`aurelius daemon start`).\n",
        b"# No job is switched on here.\n",
    ),
)
"""The job that a new vault switches on and what it says of it, and how a folder of notes says that it is off."""
