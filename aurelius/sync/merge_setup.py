"""What a clone needs so that git merges notes by `merge-file`: a driver in its settings, and the
rule in `.gitattributes` that names it.

Settings of git are those of one clone, so each device sets its own. Where the program is not there
any more, git's own merge of text is used.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from aurelius.answers.findings import Finding
from aurelius.writing.check_edit import Edit
from aurelius.writing.git_folder import MOST_SMALL_BYTES, nearest_repository, odd
from aurelius.writing.own_files import or_conflict, replace_in
from aurelius.writing.safe_folder import Folder
from indexer.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RULES = ".gitattributes"
_RULE = b"*.md merge=aurelius"
_WHY = b"# Aurelius merges notes fact by fact; without its driver git merges them as text."
_UNION = re.compile(rb"(?m)^(?!#)[^\s]*\.md[ \t](?:.*[ \t])?merge=union(?=\s|$).*$")
_OWN_REASON = b"# Two devices that write on the same day both keep their lines."
_DRIVER = re.compile(r"(?s)\[merge \"aurelius\"\][^\[]*?driver = \"?if test -x ('[^']*'|[^\s;]+)")
_HINT = "aurelius sync --setup"


def driver_line() -> str:
    """The command that git runs for a note: this very program, else git's own merge of text."""
    program = shlex.quote(sys.executable)
    return (
        f"if test -x {program}; then exec {program} -P -m aurelius merge-file %O %A %B %P; fi;"
        " exec git merge-file -q %A %O %B"
    )


def set_up_merge(root: str, env: Mapping[str, str]) -> None:
    """Name the driver in the settings of the repository around a vault. UsageError where git cannot
    do that."""
    git = shutil.which("git", path=env.get("PATH"))
    if git is None:
        raise UsageError("git was not found, so it does not merge notes", "install git")
    for key, value in (("name", "Aurelius, fact by fact"), ("driver", driver_line())):
        line = [git, "-C", root, "config", "--local", f"merge.aurelius.{key}", value]
        done = subprocess.run(line, capture_output=True, text=True, check=False, env={**env})
        if done.returncode:
            raise UsageError(
                f"{root}: git does not merge notes by facts: {done.stderr.strip()}",
                f"repair the repository, then run: {_HINT}",
            )


def with_merge_rule(rules: bytes) -> bytes:
    """The text of `.gitattributes` with our rule for notes in the place of `merge=union`; every
    other line stays."""
    if _RULE in rules.splitlines():
        return _UNION.sub(b"", rules)
    text = b"\n".join((_WHY, _RULE))
    rules = rules.replace(_OWN_REASON + b"\n", b"")
    found = _UNION.search(rules)
    if found:
        end = found.end()
        return rules[: found.start()] + text + _UNION.sub(b"", rules[end:])
    if rules and not rules.endswith(b"\n"):
        rules += b"\n"
    return rules + text + b"\n"


def offered_rules(root: str) -> Edit | None:
    """The change of `.gitattributes` by which plain git merges notes fact by fact, None where it
    says so already."""
    there = os.path.lexists(os.path.join(root, RULES))
    before = _text(os.path.join(root, RULES))
    after = with_merge_rule(before)
    if after == before or (there and not before):
        return None
    return Edit(RULES, before if there else None, after)


def write_rules(root: str, change: Edit) -> None:
    """Make that change. ConflictError where the file is no longer what the change was made from, or
    cannot be written."""
    with or_conflict(f"{RULES} cannot be written"), Folder(root, ()) as folder:
        if folder.data(RULES) != change.before:
            raise ConflictError(f"{RULES}: not written: it has just been changed", "try again")
        replace_in(folder, RULES, change.after or b"", 0o644)


def find_merge_faults(root: str) -> Iterator[Finding]:
    """What keeps git from merging the notes of a vault fact by fact, where it is in a
    repository."""
    found = nearest_repository(root)
    if found is None:
        return
    rules = _text(os.path.join(root, RULES))
    for union in _UNION.finditer(rules):
        yield Finding(
            RULES,
            rules.count(b"\n", 0, union.start()) + 1,
            "merge-union",
            "`merge=union` keeps a task both open and done, and brings back what was deleted",
            f"`{_HINT}` shows the change and asks",
        )
    settings = _text(os.path.join(found[1].common, "config")).decode("utf-8", "replace")
    driver = _DRIVER.search(settings)
    if _RULE in rules.splitlines() and not (driver and os.path.exists(driver[1].strip("'"))):
        yield Finding(
            "",
            0,
            "merge-driver",
            "git merges the notes of this clone as text, because Aurelius is not set up for that",
            _HINT,
        )


def _text(path: str) -> bytes:
    """A small file, b"" where it cannot be read."""
    if not os.path.isfile(path) or odd(path, MOST_SMALL_BYTES):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
