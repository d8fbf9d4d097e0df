"""What is on disk: which paths are notes, a stat walk over them, and how it differs from the index.

A note is a regular file ending in `.md` or `.markdown` in a folder that is not hidden. Editors' and
sync tools' temporary files, `node_modules`, and whatever `.gitignore`, `.aureliusignore` and
`[index] exclude` name are not. Verdicts of the rule files are kept in the index, so a walk over an
unchanged vault compiles no pattern.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from marshal import dumps
from posixpath import basename, dirname
from stat import S_ISREG
from typing import TYPE_CHECKING
from zlib import adler32, crc32

from indexer.errors import IndexUnavailableError, error_reason
from indexer.record import NamedTuple

from .beneath import CAN_ENTER, Descent

if TYPE_CHECKING:
    from .gitignore import Pattern

RULE_FILES = (".gitignore", ".aureliusignore")
ENDINGS = (".md", ".markdown")
_TEMPORARY = (".", "~$", "~syncthing~")
_NEVER = ("node_modules", "__pycache__")
COPIES = ("/logseq/bak", "/logseq/version-files")
"""Folders where Logseq keeps older versions of the notes beside them."""
_MOST = 4 << 20


def may_be_note(name: str) -> bool:
    """Whether a file of that name is a note unless a rule says otherwise."""
    return name.lower().endswith(ENDINGS) and not name.startswith(_TEMPORARY)


def may_hold_notes(name: str) -> bool:
    """Whether a folder of that name is walked unless a rule says otherwise."""
    return not name.startswith(".") and name not in _NEVER


def folders_above(path: str) -> list[str]:
    """The folders that a path is in, the topmost first."""
    steps = path.split("/")[:-1]
    return ["/".join(steps[:depth]) for depth in range(1, len(steps) + 1)]


def may_be_walked(path: str) -> bool:
    """Whether a walk comes to a note of this path unless a rule says otherwise."""
    *folders, name = path.split("/")
    copies = any(f"/{folder}".endswith(COPIES) for folder in folders_above(path))
    return (
        may_be_note(name)
        and all(map(may_hold_notes, folders))
        and not copies
        and printable_path(path) == path
    )


VISIBLE = 0
_FILE_LEFT_OUT = 1
NOTE_LEFT_OUT = 2
"""Verdicts as they are kept: of a folder, of a folder, and of what may be a note."""


def path_number(path: str) -> int:
    """A number that stands for a path where its name must not be kept.

    Two check sums: hashlib takes longer to import than a search has. Whoever can make two paths
    with one number can write rules of their own as well.
    """
    data = path.encode("utf-8", "surrogateescape")
    return (adler32(data) & 0x7FFFFFFF) << 32 | crc32(data)


def kept_verdicts(verdicts: Mapping[str, bool]) -> dict[int, int]:
    """Verdicts by path as the index keeps them: it holds no byte of the path of an ignored note."""
    found: dict[int, int] = {}
    for path, ignored in verdicts.items():
        verdict = NOTE_LEFT_OUT if may_be_note(basename(path)) else _FILE_LEFT_OUT
        found[path_number(path)] = verdict if ignored else VISIBLE
    return found


class IgnoreRules:
    """The ignore rules of a vault, read and compiled when the first unknown path asks.

    `files` are the rule files found so far (vault-relative), `exclude` the patterns of the
    configuration; of each family the deepest rule file that has an opinion decides, as in git. One
    that cannot be followed leaves out all that it could speak of, since that might be private.
    `known` are verdicts of an earlier walk under the same rules, as they are `kept`, and `verdicts`
    those of this one, of folders and of ignored notes. With `trust`, a note without a verdict
    passes for now, as one that the index holds would: `judge` is asked later about those that it
    does not hold.
    """

    def __init__(
        self,
        root: str,
        exclude: Sequence[str],
        known: Mapping[int, int] = {},
        *,
        trust: bool = False,
    ) -> None:
        self.root = root
        self.exclude = tuple(exclude)
        self.known = known
        self._some = NOTE_LEFT_OUT in known.values()
        self.trust = trust
        self.verdicts: dict[str, bool] = {}
        self.files: set[str] = set()
        self._patterns: dict[str, list[Pattern] | None] = {}

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """Whether rules leave this path out; folders are asked before what is in them."""
        if not self.files and not self.exclude:
            return False
        verdict = None
        if folder or self._some:
            verdict = self.known.get(path_number(path))
        if verdict is not None:
            ignored = verdict != VISIBLE
        elif (self.trust and not folder) or not self._is_ruled(path):
            return False
        else:
            ignored = self._judge(path, folder=folder)
        if folder or ignored:
            self.verdicts[path] = ignored
        return ignored

    @property
    def passes_notes(self) -> bool:
        """Whether no note is ignored, for now."""
        ruled = self.files or self.exclude
        return not ruled or (self.trust and not self._some)

    def judge(self, path: str) -> bool:
        """Whether rules leave out a note that a walk with `trust` let pass."""
        ignored = self._is_ruled(path) and self._judge(path, folder=False)
        if ignored:
            self.verdicts[path] = True
        return ignored

    def leaves_out(self, path: str) -> bool:
        """Whether the walk found this path, or a folder that it is in, ignored."""
        return any(map(self.verdicts.get, (*folders_above(path), path)))

    def _is_ruled(self, path: str) -> bool:
        """Whether any rule may have an opinion: of the configuration, or of a rule file in a folder
        above.  What no rule speaks of gets no verdict that the index would keep."""
        if self.exclude:
            return True
        above = path
        while above:
            above = dirname(above)
            prefix = above and above + "/"
            if any(prefix + name in self.files for name in RULE_FILES):
                return True
        return False

    def _judge(self, path: str, *, folder: bool) -> bool:
        """Each family of rules decides for itself, so that no `.gitignore` brings back what is
        private."""
        return any(self._opinion(path, family, folder=folder) for family in ("", *RULE_FILES))

    def _opinion(self, path: str, family: str, *, folder: bool) -> bool:
        verdict = False
        steps = path.split("/")
        for depth in range(len(steps) if family else 1):
            rule_file = "/".join((*steps[:depth], family))
            if rule_file in self.files or (self.exclude and not rule_file):
                from .gitignore import opinion

                below = steps[depth:]
                patterns = self._read(rule_file)
                if patterns is None:
                    return True
                here = opinion(patterns, below, folder=folder)
                if here is not None:
                    verdict = here
        return verdict

    def _read(self, rule_file: str) -> list[Pattern] | None:
        """The patterns of a rule file, of the configuration for ""; None where they cannot be
        followed."""
        if rule_file not in self._patterns:
            from .gitignore import parse_patterns

            text: str | None = "\n".join(self.exclude)
            if rule_file:
                try:
                    text = text_of_rules(self.root, rule_file)
                except OSError:
                    text = None
            self._patterns[rule_file] = None if text is None else parse_patterns(text)
        return self._patterns[rule_file]


def rules_obstacle(root: str, rule_file: str) -> str:
    """Why the rules in a rule file cannot be followed, "" where they can."""
    try:
        text_of_rules(root, rule_file)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def is_rule_file(path: str) -> bool:
    """Whether a path is that of a rule file."""
    return basename(path) in RULE_FILES


def unfollowed(failed: Iterable[tuple[str, str]]) -> list[str]:
    """What a person is told of the rule files among what could not be read, and of what is hidden
    for them."""
    return [
        f"the ignore rules in {path} cannot be used, so no note in"
        f" {path.rpartition('/')[0] or 'this vault'} is searched or shown: {why}; make it a text"
        " file in UTF-8 that you may read, or remove it"
        for path, why in failed
        if is_rule_file(path)
    ]


def text_of_rules(root: str, rule_file: str) -> str:
    """A rule file, in UTF-8 or, where it says so, UTF-16.

    OSError where it cannot be read, for what it would say of a path nobody can guess.
    """
    place = os.path.join(root, rule_file)
    data = _bytes_of_rules(place, rule_file)
    if len(data) > _MOST:
        raise OSError(0, f"{rule_file} is larger than {_MOST >> 20} MiB")
    wide = data[:2] in {b"\xff\xfe", b"\xfe\xff"}  # as PowerShell writes it
    text = data.decode("utf-16" if wide else "utf-8-sig", "replace")
    if "\0" in text:
        raise OSError(0, f"{rule_file} is not text; save it as UTF-8")
    return text


def _bytes_of_rules(place: str, rule_file: str) -> bytes:
    """The bytes of a rule file, at most one more than it may have; a pipe is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(place, flags)
        is_file = S_ISREG(os.fstat(handle).st_mode)
        with open(handle, "rb", buffering=-1 if is_file else 0) as file:
            data = b""
            if is_file:
                data = file.read(_MOST + 1)
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
        if isinstance(error, FileNotFoundError) and os.path.islink(place):
            why = "is a broken link"
        raise OSError(error.errno, f"{rule_file} {why}") from error
    if not is_file:
        kind = "a folder" if os.path.isdir(place) else "a pipe or device"
        raise OSError(0, f"{rule_file} is {kind}")
    return data


# -- the walk --------------------------------------------------------------------------

ChangeKey = tuple[int, int, int, int]
"""What a stat said of a file: size, mtime_ns, ctime_ns, inode (the last two 0 on Windows)."""

RACY_NS = 2_000_000_000
"""A file written less than this before it was read may be written again without its key
changing."""

_WINDOWS = sys.platform == "win32"
_FITS = (1 << 63) - 1
"""What an SQLite number holds: inodes of some file systems, and years after 2262, are longer."""


class Walk(NamedTuple):
    """What a walk saw.

    Every note with its key, the folders (with `/` at the end) and notes that could not be read with
    the reason, and the rule files with their keys.
    """

    found: dict[str, ChangeKey]
    failed: dict[str, str]
    rules: dict[str, ChangeKey]


class Diff(NamedTuple):
    """How the disk differs from the index: paths to read, paths that are gone."""

    new: list[str]
    changed: list[str]
    gone: list[str]


def change_key(stat: os.stat_result) -> ChangeKey:
    """The change key of a file: size, mtime, ctime, inode; on Windows the first two."""
    if _WINDOWS:
        return stat.st_size, stat.st_mtime_ns & _FITS, 0, 0
    return stat.st_size, stat.st_mtime_ns & _FITS, stat.st_ctime_ns & _FITS, stat.st_ino & _FITS


def file_identity(path: str, *, follow: bool = False) -> tuple[int, int] | None:
    """Which file or folder has a path now, links followed or not; None where there is none that can
    be looked at."""
    try:
        found = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_racy(key: ChangeKey, now_ns: int) -> bool:
    """Whether a file of this key, read at `now_ns`, may yet change without its key changing."""
    return max(key[1], key[2]) > now_ns - RACY_NS


def walk(root: str, rules: IgnoreRules) -> Walk:
    """Stat every note below `root`; links are not followed. IndexUnavailableError if the root
    cannot be listed."""
    result = Walk({}, {}, {})
    pending = [""]
    with Descent(root) as descent:
        while pending:
            pending += list_folder(descent, pending.pop(), rules, result)
    return result


def list_folder(
    descent: Descent,
    folder: str,
    rules: IgnoreRules,
    result: Walk,
) -> list[str]:
    """Stat the notes of one folder into `result`; the folders below it that are walked too.

    IndexUnavailableError if the root cannot be listed.
    """
    try:
        place = descent.enter(folder) if CAN_ENTER else os.path.join(descent.root, folder)
        with os.scandir(place) as entries:
            listed = list(entries)
    except OSError as error:
        if not folder:
            raise IndexUnavailableError(
                f"the vault {descent.root} cannot be read: {error.strerror or error}",
                "check that the folder exists and that you may read it",
            ) from error
        if not isinstance(error, FileNotFoundError):  # it was there a moment ago
            result.failed[folder + "/"] = error_reason(error)
        return []
    prefix = folder and folder + "/"
    for entry in listed:
        if entry.name in RULE_FILES:
            _find_rules(prefix + entry.name, entry, rules, result)
    return _list(prefix, listed, rules, result)


def _find_rules(
    path: str,
    entry: os.DirEntry[str],
    rules: IgnoreRules,
    result: Walk,
) -> None:
    """Note a rule file and its key; one whose rules cannot be followed is among what failed."""
    try:
        result.rules[path] = change_key(entry.stat())
    except OSError as error:
        if (
            isinstance(error, FileNotFoundError) and not entry.is_symlink()
        ):  # it was there a moment ago
            return
        result.rules[path] = (0, 0, 0, 0)
    why = rules_obstacle(rules.root, path)
    if why:
        result.failed[path] = why
    rules.files.add(path)


def _list(
    prefix: str,
    listed: list[os.DirEntry[str]],
    rules: IgnoreRules,
    result: Walk,
) -> list[str]:
    """Stat the notes among the entries of a folder; the folders that are walked too."""
    below: list[str] = []
    found = result.found
    passes = rules.passes_notes
    for entry in listed:
        name = entry.name
        # a call saved for most
        is_note = (name.endswith(".md") and name[0] not in ".~") or may_be_note(name)
        path = prefix + name
        try:
            if is_note and entry.is_file(follow_symlinks=False):
                path.isascii() or path.encode("utf-8")
                if passes or not rules.is_ignored(path, folder=False):
                    found[path] = change_key(entry.stat(follow_symlinks=False))
            elif may_hold_notes(name) and _is_walked(entry, path, rules):
                below.append(path)
        except (UnicodeEncodeError, OSError) as error:
            _note_failure(path, error, result)
    return below


def _note_failure(path: str, error: UnicodeEncodeError | OSError, result: Walk) -> None:
    """Note why an entry could not be looked at; one that has just gone is none that failed."""
    if isinstance(error, UnicodeEncodeError):
        result.failed[printable_path(path)] = "its name is not UTF-8: rename it"
    elif not isinstance(error, FileNotFoundError):
        result.failed[path] = error_reason(error)


def _is_walked(entry: os.DirEntry[str], path: str, rules: IgnoreRules) -> bool:
    """Whether an entry is a folder that is neither a copy nor ignored.

    UnicodeEncodeError for a name that is not UTF-8, OSError where it cannot be looked at.
    """
    if not entry.is_dir(follow_symlinks=False):
        return False
    path.encode("utf-8")
    return not f"/{path}".endswith(COPIES) and not rules.is_ignored(path, folder=True)


def judge_found(on_disk: Walk, rules: IgnoreRules, known: Container[str]) -> None:
    """Ask the rules about the notes that a walk with `trust` let pass and that are not `known`;
    drops the ignored."""
    if not (rules.files or rules.exclude):
        return
    for path in [path for path in on_disk.found if path not in known]:
        if rules.judge(path):
            del on_disk.found[path]


def diff_disk(known: Mapping[str, ChangeKey], failed: Mapping[str, str], on_disk: Walk) -> Diff:
    """Compare the index with the disk: what is new, changed, and gone.

    A note that could not be stat-ed, or is below a folder that could not be listed, is not gone.
    """
    new = []
    changed = []
    for path, key in on_disk.found.items():
        before = known.get(path)
        if before is None:
            new.append(path)
        elif before != key or path in failed:
            changed.append(path)
    gone = [
        path
        for path in known.keys() - on_disk.found.keys()
        if not is_out_of_sight(path, on_disk.failed)
    ]
    return Diff(sorted(new), sorted(changed), sorted(gone))


def is_out_of_sight(path: str, failed: Mapping[str, str]) -> bool:
    """Whether a walk that failed at these paths could not see this one."""
    if not failed:
        return False
    above = folders_above(path)
    places = [path, *above, *(folder + "/" for folder in above)]
    return any(place in failed for place in places)


def walk_digest(found: Mapping[str, ChangeKey]) -> str:
    """One value for all keys of a walk, in the order of the walk, that differs where one of them
    does.

    Two check sums, because hashlib takes longer to import than they to run.
    """
    return check_sum(dumps(dict(found), 2))


def check_sum(data: bytes) -> str:
    """A value that differs where the data does."""
    return f"{len(data)} {crc32(data)} {adler32(data)}"


def printable_path(path: str) -> str:
    r"""A path that can be stored and printed: bytes that are not UTF-8 as `\xff`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
