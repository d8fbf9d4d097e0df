"""Making a vault: starting notes are copied in, and nothing that is there is touched."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.keys import RULED_KINDS
from aurelius.settings.other_apps import Adopted, Adoption
from aurelius.settings.places import VAULT_FOLDER, path_key, shell_word
from aurelius.settings.starting_notes import template_folder
from indexer.disk.walk import folders_above
from indexer.errors import UsageError
from indexer.reading.path_meaning import TOP, apart_of
from indexer.spelling import mark_of, plural

from .safe_folder import disk_path, read_inside

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurelius.settings.change_settings import SettingChange
    from aurelius.settings.config import Config

TEMPLATE_DAY = "2026-02-01"
"""Wherever the template says this date, in a name or in a text, `init` writes the day it runs."""


class InitReport(NamedTuple):
    """Result of init: vault-relative paths it `created`, and those of the template it `kept` as
    they were.

    `existed` says that the folder was a vault before; `git` is "made", "there" for a repository
    that was there already, or "" when none was asked for; `uncommitted` is why no first commit was
    made, "" where one was. `summarize` is "weekly" where the weekly summary was switched on, else
    "off". `taken` are the settings of another program that were written down, `told` what a person
    should know of the others.
    """

    vault: str
    created: tuple[str, ...]
    kept: tuple[str, ...]
    existed: bool
    adopted: bool
    git: str
    uncommitted: str = ""
    summarize: str = "off"
    taken: tuple[Adopted, ...] = ()
    told: tuple[str, ...] = ()


class Start(NamedTuple):
    """What a vault begins with: `adopt`, nothing but `.aurelius/`; `template`, the examples too
    where notes lie; `empty`, the tree without the examples."""

    adopt: bool = False
    template: bool = False
    empty: bool = False


WHOLE_START = Start()
SETTINGS = f"{VAULT_FOLDER}/config.toml"
_MOST_APP_BYTES = 256 << 10
"""Bytes of a file of settings of another program that is read."""


def make_vault(
    directory: str, start: Start = WHOLE_START, *, git: bool = False, now: datetime.date
) -> InitReport:
    """Make `directory`, an absolute path, a vault.

    Never overwrites, and leaves alone what is a vault already, where `template` alone adds what is
    missing. UsageError where that cannot be done, and where notes lie and `start` does not say what
    becomes of them.
    """
    if start.adopt and not os.path.isdir(directory):
        raise UsageError(
            f"{directory} is not a folder, so it cannot be adopted",
            "to make a new vault, leave --adopt out",
        )
    if git:
        _find_git()
    existed = os.path.isdir(os.path.join(directory, VAULT_FOLDER))
    begun = _Begun([])
    if start.template or not existed:
        begun = _begun(directory, start, f"{now:%Y-%m-%d}", existed=existed)
    created = _create_all(directory, begun.files)
    summarize = "weekly" if begun.is_weekly and SETTINGS in created else "off"
    return InitReport(
        vault=directory,
        created=tuple(created),
        kept=tuple(path for path, _ in begun.files if path not in created),
        existed=existed,
        adopted=start.adopt,
        git=_repository(directory) if git else "",
        summarize=summarize,
        taken=begun.found.taken,
        told=begun.found.told,
    )


def count_kinds(config: Config) -> dict[str, Counter[str]]:
    """How many notes of a vault are people, companies and projects, for each kind by what says
    so."""
    from indexer.disk.walk import IgnoreRules, walk
    from indexer.reading.kinds import kind_of_file

    found = {kind: Counter[str]() for kind in RULED_KINDS}
    for path in walk(config.root, IgnoreRules(config.root, config.exclude)).found:
        with suppress(OSError, UsageError):
            data = read_inside(config.root, path).data
            kind, clue = kind_of_file(path, data, config.daily, config.kinds)
            if kind in found:
                found[kind][clue] += 1
    return found


def _create_all(directory: str, files: Iterable[tuple[str, bytes]]) -> list[str]:
    """Make a folder and those of the files that are not there; their paths.  UsageError."""
    try:
        os.makedirs(directory, exist_ok=True)
        return [path for path, data in files if _create(directory, path, data)]
    except OSError as error:
        place = error.filename or directory
        raise UsageError(
            f"{place}: {error.strerror}", "choose a folder that you can write to"
        ) from error


class _Begun(NamedTuple):
    """The files that a vault begins with, whether its weekly summary is on, and the settings that
    were found there."""

    files: list[tuple[str, bytes]]
    is_weekly: bool = False
    found: Adoption = Adoption((), ())


def _begun(
    directory: str,
    start: Start,
    today: str,
    *,
    existed: bool,
) -> _Begun:
    """What a vault begins with.  UsageError where notes lie and `start` does not say what becomes
    of them."""
    files = dict(_notes(today, start))
    notes = _foreign(directory, files)
    if notes and not (existed or start.adopt or start.template):
        raise _refused(directory, len(notes))
    if not (existed or start.adopt or notes):
        return _Begun([*files.items()], is_weekly=True)
    found = Adoption((), ())
    if not existed:
        found = _found(directory, notes)
    if SETTINGS in files:
        files[SETTINGS] = _settled(files[SETTINGS], found.taken)
    return _Begun([*files.items()], found=found)


def commit_vault(done: InitReport, env: Mapping[str, str]) -> InitReport:
    """Commit what init made, where it has just made the repository; the report with what came of
    it."""
    if done.git != "made":
        return done
    if not done.created:
        return done._replace(
            uncommitted="your own notes are not committed; do that with `git add` and `git commit`"
        )
    from aurelius.settings.config import load_config

    from . import edit
    from .git import commit_changes as commit_these

    with edit.locked(edit.place_of_config(load_config(done.vault, env), env)) as place:
        changes = [(path, None, read_inside(done.vault, path).data, "") for path in done.created]
        return done._replace(
            uncommitted=commit_these(done.vault, place.state, env, changes, "a new vault")
        )


def _foreign(directory: str, own: Mapping[str, bytes]) -> list[str]:
    """The notes that lie in a folder, but for those that an init which was cut short has made."""
    from indexer.disk.walk import IgnoreRules, walk

    there = walk(directory, IgnoreRules(directory, ())).found if os.path.isdir(directory) else ()
    return [path for path in there if not _is_own(disk_path(directory, path), own.get(path))]


def _found(directory: str, notes: Sequence[str]) -> Adoption:
    """Settings of other programs in a folder; of links, pipes and too large files, only that they
    are there."""
    from aurelius.settings import other_apps

    tops = dict.fromkeys(path.partition("/")[0] for path in other_apps.APP_FILES)
    linked = [top for top in tops if os.path.islink(os.path.join(directory, top))]
    told = [f"{top}: not read, because it is a link" for top in linked]
    files: dict[str, bytes] = {}
    for path in other_apps.APP_FILES:
        if path.partition("/")[0] in linked and "/" in path:
            continue
        try:
            size = os.lstat(disk_path(directory, path)).st_size
            if size > _MOST_APP_BYTES:
                told.append(
                    f"{path}: not read, because it is larger than {_MOST_APP_BYTES >> 10} KiB"
                )
            else:
                files[path] = read_inside(directory, path).data
        except UsageError as error:
            told.append(error.message)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            told.append(f"{path}: not read: {error.strerror}")
    told += _set_apart(notes)
    told += _unread(directory)
    days = dict.fromkeys([*notes, *_ignored_days(directory)])
    found = other_apps.find_app_settings(
        files,
        days,
        lambda path: _why_not_written(directory, path),
    )
    told += _without_template(directory, found.taken)
    return found._replace(told=(*told, *found.told))


def _without_template(directory: str, taken: Sequence[Adopted]) -> Iterator[str]:
    """A line where the template of daily notes that another program's settings name is not
    there."""
    for row in taken:
        if row.key == "daily.template" and not os.path.isfile(disk_path(directory, row.value)):
            yield (
                f"{row.source}: the template {row.value} does not exist, so new daily notes begin"
                " empty"
            )


def _set_apart(notes: Sequence[str]) -> Iterator[str]:
    """A line for each folder of notes that is left out of answers."""
    counts: dict[str, int] = {}
    for path in notes:
        if name := apart_of(path):
            folder = path[: path.lower().index(name) + len(name)]
            counts[folder] = counts.get(folder, 0) + 1
    for folder, count in sorted(counts.items()):
        yield (
            f"left out of answers: {count:,} {plural('note', count)} in {folder}/;"
            f" `--in {folder}` searches and lists them"
        )


def _unread(directory: str) -> Iterator[str]:
    """A line for each kind of files that hold somebody's text and are no notes here, hidden ones
    aside."""
    from indexer.disk.walk import ENDINGS, may_hold_notes

    counts = dict.fromkeys((".txt", ".canvas", ".base"), 0)
    for _, folders, files in os.walk(directory):
        folders[:] = filter(may_hold_notes, folders)
        for name in files:
            ending = os.path.splitext(name)[1].lower()
            if name[0] != "." and ending in counts:
                counts[ending] += 1
    for ending, count in counts.items():
        if count:
            what = "file is" if count == 1 else "files are"
            yield (
                f"{count:,} {ending} {what} not read: only {' and '.join(ENDINGS)} files are notes"
            )


def _ignored_days(directory: str) -> Iterator[str]:
    """The notes that .gitignore leaves out: many keep their days out of git, which says nothing of
    where they lie."""
    from aurelius.settings.other_apps import holds_days
    from indexer.disk.walk import IgnoreRules, walk

    private = IgnoreRules(directory, ())

    class Rules(IgnoreRules):
        """What `.aureliusignore` leaves out, and of what else is left out the folders without
        days."""

        def is_ignored(self, path: str, *, folder: bool) -> bool:
            private.files = {name for name in self.files if name.endswith(".aureliusignore")}
            if private.is_ignored(path, folder=folder):
                return True
            return folder and not holds_days(path) and super().is_ignored(path, folder=True)

    yield from walk(directory, Rules(directory, (), {})).found


def _why_not_written(directory: str, path: str) -> str:
    """The reason why a note of a path may not be written, or would not be found; "" for one that
    may and would."""
    from indexer.disk.walk import may_be_walked

    from .check_edit import allowed_parts

    try:
        parts = allowed_parts(path, me=True)
    except UsageError as error:
        return error.message
    for folder in folders_above("/".join(parts)):
        if _is_blocked(disk_path(directory, folder)):
            return f"{folder} is a link or a file"
    if may_be_walked(path):
        return ""
    return "no notes are searched there"


def _is_blocked(folder: str) -> bool:
    """Whether something that is no folder, or a link, stands where a folder has to be."""
    return os.path.islink(folder) or (os.path.lexists(folder) and not os.path.isdir(folder))


def _refused(directory: str, count: int) -> UsageError:
    where = shell_word(directory)
    return UsageError(
        f"{directory} already has {count} {'note' if count == 1 else 'notes'}; nothing was written",
        f"`aurelius init --adopt {where}` adds only {VAULT_FOLDER}/, "
        f"`aurelius init --template {where}` adds the example notes too",
    )


def _is_own(file: str, data: bytes | None) -> bool:
    if data is None:
        return False
    with open(file, "rb") as stream:
        return stream.read(len(data) + 1) == data


def _notes(today: str, start: Start) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file to copy; `.aurelius/` last, so that a copy cut short is gone on
    with next time."""
    root = template_folder()
    settings = os.path.join(root, VAULT_FOLDER)
    for top in (settings,) if start.adopt else (root, settings):
        for place, folders, names in os.walk(top):
            folders[:] = sorted(
                name
                for name in folders
                if not start.empty and name not in {VAULT_FOLDER, "__pycache__"}
            )
            for name in sorted(names):
                file = os.path.join(place, name)
                with open(file, "rb") as stream:
                    data = stream.read()
                path = os.path.relpath(file, root).replace(os.sep, "/")
                yield (
                    path.replace(TEMPLATE_DAY, today),
                    data.replace(TEMPLATE_DAY.encode(), today.encode()),
                )


def _settled(text: bytes, taken: Sequence[Adopted]) -> bytes:
    """The template's settings with no job switched on, as a folder has them whose notes somebody
    else made, and with what was found in the settings of another program."""
    from aurelius.settings.plain_toml import toml_value

    for new, adopted in ADOPTED:
        text = text.replace(new, adopted)
    rows = {row.key: row for row in taken}
    lines = text.decode().split("\n")
    header = 0
    table = ""
    for at, line in enumerate(lines):
        if line.startswith("# ["):
            header = at
            table = line[3:].rstrip("]")
        key = line.removeprefix("# ").partition(" = ")[0]
        if row := rows.get(f"{table}.{key}"):
            lines[header] = f"[{table}]"
            lines[at] = f"{key} = {toml_value(row.value)}  # from {row.source}"
    return "\n".join(lines).encode()


def _create(root: str, path: str, data: bytes) -> bool:
    """Write a new file and True, or False where something is in its place; a folder that is a link
    leads elsewhere."""
    for folder in folders_above(path):
        above = disk_path(root, folder)
        if _is_blocked(above):
            return False
        os.makedirs(above, exist_ok=True)
    file = disk_path(root, path)
    try:
        # only a file that this call made may be removed below
        stream = open(file, "xb")  # noqa: SIM115
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

    done = subprocess.run(
        [_find_git(), "-C", root, "init", "--quiet"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise UsageError(
            f"{root} is a vault, but git init failed: {done.stderr.strip()}",
            "make the repository yourself: git init",
        )
    return "made"


# -- the guide in a vault --------------------------------------------------------------

GUIDE = "AGENTS.md"
"""The note that tells an agent how to use a vault."""

_PART_BEGIN = "<!-- aurelius: begin"
END = "<!-- aurelius: end -->"
"""The marks around our part of a person's own GUIDE; the first also has a hash of what stands
between them."""


def guide_text(config: Config) -> str:
    """The guide for a vault, with its own daily notes."""
    with open(os.path.join(template_folder(), GUIDE), encoding="utf-8") as file:
        text = file.read()
    if config.daily == TOP:
        place = ""
    else:
        place = f"{config.daily}/"
    return text.replace("memory/YYYY-MM-DD.md", f"{place}{config.daily_format}.md")


def guide_plan(
    root: str,
    text: str,
    *,
    remove: bool = False,
) -> list[SettingChange]:
    """The change that puts the guide into a vault, brings our part up to date, or takes it out;
    none for no change.

    UsageError where the person's own words would be lost.
    """
    from aurelius.settings.change_settings import SettingChange
    from aurelius.settings.config import decoded, settings_bytes

    file = os.path.join(root, GUIDE)
    if os.path.islink(file):
        raise UsageError(
            f"{GUIDE} is a link, so nothing was written", "replace the link by a file of its own"
        )
    before = settings_bytes(file)
    data = before or b""
    old = decoded(file, data)
    start, stop = _marked(old)
    if not remove and start < 0:
        _refuse_unmarked(old, text)
    if remove:
        new = _without_guide(old, text, start, stop)
    else:
        new = _with_guide(old, text, start, stop)
    mark = mark_of(before)
    after = None if remove and not new.strip() else mark + new.encode()
    if after == before:
        return []
    return [SettingChange(file, "", before, after, 0o644)]


def _refuse_unmarked(old: str, text: str) -> None:
    """UsageError for a file with a guide that we did not mark as ours, and that is another one."""
    if text.partition("\n")[0] in old.splitlines() and old.replace("\r\n", "\n") != text:
        raise UsageError(
            f"{GUIDE} has a guide of this kind, without the marks of `aurelius agents --write`;"
            " nothing was written",
            f"rename {GUIDE}, run the command again, and copy over what is yours",
        )


def _without_guide(
    old: str,
    text: str,
    start: int,
    stop: int,
) -> str:
    """A file without the guide, which stands between these places, -1 for none; the person's own
    last line ends as it did."""
    if old.replace("\r\n", "\n") == text:
        return ""
    if start < 0:
        return old
    end = _line_end(old)
    is_open = not old[:stop].endswith("\n")
    return old[:start].removesuffix(end * (1 + is_open)) + old[stop:]


def _with_guide(
    old: str,
    text: str,
    start: int,
    stop: int,
) -> str:
    """A file with the guide between marks, in the place of an older one or at the end."""
    if old.replace("\r\n", "\n") == text:
        return old
    end = _line_end(old)
    part = (
        f"{_PART_BEGIN} {_hash(text)} (`aurelius agents --write` rewrites this part)"
        f" -->\n{text}{END}\n"
    )
    part = part.replace("\n", end)
    before = old if start < 0 else old[:stop]
    if before and not before.endswith("\n"):  # as the person's own last line ended
        part = part.removesuffix(end)
    if start >= 0:
        return old[:start] + part + old[stop:]
    if not old:
        return part
    return old + end * (1 if old.endswith("\n") else 2) + part


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def guide_told(root: str) -> list[str]:
    """What a person should know of the guide: Claude Code reads a note of its own, which may lead
    to it."""
    from aurelius.settings.config import settings_bytes

    own = settings_bytes(os.path.join(root, "CLAUDE.md"))
    if own is None or f"@{GUIDE}".encode() in own:
        return []
    return [f"to let Claude Code read {GUIDE} too, add this line to CLAUDE.md: @{GUIDE}"]


def _marked(text: str) -> tuple[int, int]:
    """Where our part begins and ends, (-1, -1) for none. UsageError where somebody wrote between
    the marks."""
    start = text.find(_PART_BEGIN)
    if start < 0:
        return -1, -1
    stop = text.find(END, start)
    inner = text[text.find("\n", start) + 1 : stop].replace("\r\n", "\n")
    if stop < 0 or text[start + len(_PART_BEGIN) :].split(maxsplit=1)[:1] != [_hash(inner)]:
        line = text.count("\n", 0, start) + 1
        raise UsageError(
            f"{GUIDE}:{line}: what stands between the marks was changed; nothing was written",
            "move your own words outside the marks, or remove both marks, then run the command"
            " again",
        )
    line = text.find("\n", stop)
    return start, len(text) if line < 0 else line + 1


def _hash(text: str) -> str:
    return path_key(text)[:8]


ADOPTED = (
    (b"# [summary]\n", b"[summary]\n"),
    (b"# new = true              # whether", b"new = false               # whether"),
    (b'[jobs]\nsummarize = "weekly"  ', b'# [jobs]\n# summarize = "off"   '),
    (b'maintain = "daily"        #', b'# maintain = "off"        #'),
    (
        (
            b"# The weekly summary is switched on here: it is written while the daemon runs"
            b" (`aurelius daemon start`).\n"
        ),
        b"# No job is switched on here.\n",
    ),
)
"""What a new vault's settings say, and what those of an adopted folder say: no job is on, and no
summary is new."""
