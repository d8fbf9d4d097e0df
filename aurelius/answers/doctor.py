"""Checks of a vault and its index: what is wrong, where, and how to fix it.  Changes nothing.

Each check is a function that yields findings; `find_faults` runs them all. `prove` (`doctor
--verify`) compares the index with the files.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

from aurelius.answers.lookup import deciding_rule
from indexer.catalog.graph import get_called
from indexer.catalog.lists import get_counts, get_facts, get_failed, get_problems
from indexer.catalog.visibility import is_hidden_from, viewer
from indexer.disk.walk import (
    IgnoreRules,
    is_rule_file,
    may_be_note,
    may_hold_notes,
    printable_path,
    walk,
)
from indexer.errors import ConfigError
from indexer.note import HISTORY_LINE, TAIL_WORD
from indexer.reading.path_meaning import is_template
from indexer.refresh.damage import Mismatch
from indexer.refresh.verify import Verification, verify
from indexer.search.generated import stale
from indexer.spelling import plural, shorten
from indexer.usage.log_line import TOO_LARGE, WAITING
from indexer.usage.log_reader import USAGE_LOG, get_newest, get_troubles

from .doctor_links import DUPLICATE_ID, fact_id_findings, name_findings, of_links
from .findings import CheckResult, Finding
from .note_view import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import apsw

    from indexer.note import Settings
    from indexer.rows.rows import Index
    from indexer.usage.tier import Clock

    from .asked_vault import AskedVault

PRIVATE_PATH = "(private)"
"""Stands for the path of a note that is marked private."""

_SYNCED = re.compile(
    r"(?i)[/\\](?:dropbox|onedrive|google ?drive|icloud ?drive|mobile documents|nextcloud|owncloud"
    r"|pcloud ?drive|mega"
    r"|syncthing)(?:[ (-][^/\\]*)?[/\\]"
)
_FIXES = {
    "encoding": "save the note as UTF-8",
    "nul": "save the note as UTF-8 text",
    "binary": "rename the file so that it does not end in .md, or ignore it",
    "size": "split the note",
    "front-matter": "correct the lines between the two `---`",
    "structure": "split the note, or nest fewer lists and quotes",
    "comment": "close it, or remove its mark",
    "conflict": "keep one side and remove the markers",
    "duplicate-id": DUPLICATE_ID,
    HISTORY_LINE: (
        "move the line to ## Facts, or strike it if it is no longer true: `- ~~text~~ (2026-02-01)`"
    ),
    TAIL_WORD: (
        "the date of a fact can be followed by a type word, pinned, inferred, importance 0.9, scope"
        " 0.2, from, updates ^id, contradicts ^id, superseded by ^id, part of [[note]], because;"
        " write other words before the parenthesis"
    ),
}


def find_faults(
    index: Index,
    settings: Settings,
    clock: Clock,
    todays_note: str = "",
    *,
    private: bool,
) -> tuple[Finding, ...]:
    """All that is wrong, in order of path and line; of private notes only where they may be seen,
    and for an agent nothing of another's folder.  `todays_note` is a path: of the day's note, which
    may not be there."""
    db = index.db
    found = [
        *of_index(index, settings),
        *find_notes_fault(index, settings),
        *_find_daily_fault(settings, todays_note),
        *of_model(settings),
        *of_parsing(db, private=private),
        *of_files(settings.root, settings.exclude),
        *of_links(db, settings, private=private),
        *fact_id_findings(
            list(get_facts(db, private=True, as_written=True)),
            {each.path for each in get_called(db, private=private)},
        ),
        *of_generated(db, private=private),
        *name_findings(list(get_called(db, private=private))),
        *of_log(db),
        *of_log_times(db, clock),
        *of_log_folder(settings.root),
    ]
    who = viewer(db)
    seen = (
        each for each in dict.fromkeys(found) if not is_hidden_from(each.path, who)
    )  # the disk has more than the index
    return tuple(sorted(seen, key=lambda each: (each.path, each.line, each.code, each.message)))


def checked_state(
    index: Index, settings: Settings, how: str, found: Sequence[Finding]
) -> tuple[CheckResult, ...]:
    """What a search needs in order to find anything, and what else was looked at; `how` says how
    the vault was chosen, `found` is what `find_faults` found.
    """
    counts = get_counts(index.db)
    behind = next((each.message for each in found if each.code == "index-behind"), "up to date")
    has_model = all(each.code != "model" for each in found)
    meaning = "by words only"
    if has_model and (counts.vectors or not counts.chunks):
        meaning = "by words and meaning"
    return (
        CheckResult("vault", f"{settings.root} ({how})"),
        CheckResult("notes", _notes_found(counts.notes, counts.ignored)),
        CheckResult("index", f"{behind}: {index.path or 'in memory'}"),
        CheckResult("search", meaning),
        CheckResult(
            "also", "settings, embedding model, files, front matter, facts, links, names, usage log"
        ),
    )


def _notes_found(count: int, ignored: int) -> str:
    """How many notes were found, and how many files and folders rules leave out, in words."""
    notes = f"{count} found"
    if ignored:
        places = "1 file or folder"
        if ignored > 1:
            places = f"{ignored} files or folders"
        notes += f", {places} left out by ignore rules"
    if not count:
        notes += ": see above" if ignored else ": no file in the vault ends in .md"
    return notes


def find_notes_fault(index: Index, settings: Settings) -> Iterator[Finding]:
    """Why no note is found, where there are some and rules leave all of them out."""
    counts = get_counts(index.db)
    if counts.notes or not counts.ignored or get_failed(index.db, private=True):
        return
    for place, folders, files in os.walk(settings.root):
        folders[:] = sorted(each for each in folders if may_hold_notes(each))
        for name in sorted(filter(may_be_note, files)):
            path = os.path.relpath(os.path.join(place, name), settings.root).replace(os.sep, "/")
            rule = deciding_rule(settings.root, settings.exclude, path)
            if rule:
                what = f"every note is left out by ignore rules, for example {path} by {rule}"
                yield Finding(
                    "",
                    0,
                    "no-notes",
                    what,
                    f"change that rule in {rule}, then run `aurelius index`",
                )
                return


def _find_daily_fault(settings: Settings, today: str) -> Iterator[Finding]:
    """A rule that leaves out daily notes, and with them whatever is noted."""
    rule = ""
    if today:
        rule = deciding_rule(settings.root, settings.exclude, today, there=False)
    if rule:
        what = f"{today} is left out by {rule}, so nothing that is noted there is ever found"
        yield Finding(
            "",
            0,
            "daily-ignored",
            what,
            f"change that rule in {rule}, or keep daily notes elsewhere: `aurelius config set"
            " daily.folder FOLDER`",
        )


def of_generated(db: apsw.Connection, *, private: bool) -> Iterator[Finding]:
    """Summaries, listings and Now that quote what was replaced since, as after a change by hand."""
    for path, line, fact in stale(db, private=private):
        what = f'it still says "{shorten(fact)}", which was replaced'
        fix = "`aurelius summarize` rewrites it; one that you wrote: correct it with an editor"
        yield Finding(path, line, "stale-summary", what, fix)


def of_index(index: Index, settings: Settings) -> Iterator[Finding]:
    """Findings about the index: kept in memory only, in a place where it may be damaged, or out of
    date.

    One without vectors is in memory because the model cannot be loaded, which `of_model` tells.
    """
    if not index.folder:
        if index.get_meta("model"):
            yield Finding(
                "",
                0,
                "index-memory",
                f"the index is kept in memory: {settings.folder} cannot be written",
                "make that folder writable, or choose another: aurelius config set"
                " index.location DIR",
            )
        return
    root = os.path.realpath(settings.root)
    folder = os.path.realpath(index.folder)
    if (folder + os.sep).startswith(root + os.sep):
        yield _misplaced(folder, "inside the vault")
    elif _SYNCED.search(folder + os.sep):
        yield _misplaced(folder, "in a folder that is synced, where SQLite files get corrupted")
    failed = dict(get_failed(index.db, private=True))
    differ = differences(settings, index)
    behind = sum(what == "gone" or path not in failed for path, what in differ)
    if behind:
        what = f"{behind} notes differ from the index"
        if behind == 1:
            what = "1 note differs from the index"
        yield Finding("", 0, "index-behind", what, "run `aurelius index`")


def _misplaced(folder: str, where: str) -> Finding:
    fix = "choose another folder: aurelius config set index.location DIR"
    return Finding("", 0, "index-place", f"the index is {where}: {folder}", fix)


def of_model(settings: Settings) -> Iterator[Finding]:
    """A finding if the embedding model cannot be loaded."""
    from indexer.tokens.embed import load_model

    try:
        load_model(settings.model)
    except ConfigError as error:
        yield Finding("", 0, "model", error.message, error.hint)


def of_parsing(db: apsw.Connection, *, private: bool) -> Iterator[Finding]:
    """What could not be read as meant, and notes that could not be read at all; the front matter of
    a template holds what is to be filled in."""
    for path, problem in get_problems(db, private=private):
        if problem.code == "front-matter" and is_template(path):
            continue
        yield Finding(
            path,
            problem.line,
            problem.code,
            problem.message,
            _FIXES.get(problem.code, "correct the line"),
        )
    for path, reason in get_failed(db, private=private):
        code = "unreadable"
        what = "cannot be read now"
        fix = "make the file readable"
        if is_rule_file(path):
            code = "ignore-rules"
            what = "these ignore rules cannot be used, so no note in their folder is shown"
            fix = "save it as a text file in UTF-8 that you may read, or remove it"
        yield Finding(path, 0, code, f"{what}: {reason}", fix)


def of_files(root: str, exclude: tuple[str, ...]) -> Iterator[Finding]:
    """Files that look like notes and are none: links, pipes, and folders that are links."""
    rules = IgnoreRules(root, exclude)
    walk(root, rules)
    pending = [""]
    while pending:
        folder = pending.pop()
        for entry in _entries(os.path.join(root, folder)):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if may_hold_notes(entry.name) and not rules.is_ignored(path, folder=True):
                    pending.append(path)
            else:
                # nearly no file, so that rules are rarely asked
                told = list(_of_file(entry, printable_path(path)))
                if told and not rules.is_ignored(path, folder=False):
                    yield from told


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder, in order; of one that cannot be read the walk of the refresh has
    told."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _of_file(entry: os.DirEntry[str], path: str) -> Iterator[Finding]:
    what = ""
    fix = "replace the link by what it points to, or ignore it"
    if entry.is_symlink():
        if os.path.isdir(entry.path) and may_hold_notes(entry.name):
            what = "this folder is a symbolic link, and links are not followed"
        elif may_be_note(entry.name):
            what = "this note is a symbolic link, and links are not followed"
    elif may_be_note(entry.name) and not entry.is_file(follow_symlinks=False):
        what = "not a regular file (a pipe or device, for example)"
        fix = "remove it, or ignore it"
    if what:
        yield Finding(path, 0, "not-indexed", what, fix)


# -- the index against the files -------------------------------------------------------


def prove(
    vault: AskedVault, *, fix: bool, progress: Callable[[int, int], None] | None = None
) -> Verification:
    """Verify the index; with `fix`, rebuild it if it differs, and verify it once more.

    Errors are those of `indexer.refresh.verify.verify`.
    """
    found = verify(vault.settings, now=time.time(), progress=progress)
    vault.notices += found.notices
    if fix and found.differences:
        vault.rebuild(progress=progress)
        vault.close()
        again = verify(vault.settings, now=time.time(), progress=progress)
        vault.notices += again.notices
        found = again._replace(
            repaired=tuple(each for each in found.differences if each not in again.differences),
            private=found.private | again.private,
            seconds=found.seconds + again.seconds,
        )
    return _public(found)


def _public(found: Verification) -> Verification:
    """The same without the paths of private notes."""

    def name(path: str) -> str:
        if path in found.private:
            return PRIVATE_PATH
        return path

    def named(rows: tuple[Mismatch, ...]) -> tuple[Mismatch, ...]:
        return tuple(row._replace(path=name(row.path)) for row in rows)

    return found._replace(
        differences=named(found.differences),
        repaired=named(found.repaired),
        failed=tuple((name(path), reason) for path, reason in found.failed),
        held=tuple(map(name, found.held)),
        unsettled=tuple(map(name, found.unsettled)),
        private=frozenset(),
    )


def of_log(db: apsw.Connection) -> Iterator[Finding]:
    """Lines of the usage log that say nothing, because a crash or a merge tore them, and files that
    are too large."""
    for name, torn, large in get_troubles(db):
        path = f"{USAGE_LOG}/{name}"
        if torn:
            what = f"{torn} {plural('line', torn)} of the usage log cannot be read"
            fix = "remove the lines that are not JSON; all other lines count"
            yield Finding(path, 0, "torn-log", what, fix)
        if large:
            fix = "remove the lines that do not belong to the usage log"
            yield Finding(path, 0, "large-log", TOO_LARGE, fix)


def of_log_times(db: apsw.Connection, clock: Clock) -> Iterator[Finding]:
    """Files of the usage log with a use of a day later than tomorrow, written while a clock was
    wrong."""
    for name, newest in get_newest(db).items():
        day = clock.day_of(newest)
        if day is not None and clock.is_ahead(day):
            path = "" if name == WAITING else f"{USAGE_LOG}/{name}"
            what = f"a use is dated {day}, in the future; it counts from that day on"
            fix = (
                "correct the clock of this device if it is wrong; to take a use back, remove its"
                " line"
            )
            yield Finding(path, 0, "log-ahead", what, fix)


def of_log_folder(root: str) -> Iterator[Finding]:
    """A link in the place of the folder of the usage log."""
    for path in (os.path.dirname(USAGE_LOG), USAGE_LOG):
        if os.path.islink(os.path.join(root, path)):
            what = "this is a symbolic link, so uses are kept on this device only"
            yield Finding(path, 0, "log-link", what, "replace the link by a real folder")
            return
