"""Which paths are notes: the one place that decides what the index may hold.

A note is a regular file ending in `.md` or `.markdown` in a folder that is not hidden.  Editors' and
sync tools' temporary files, `node_modules`, and whatever `.gitignore`, `.aureliusignore` and
`[index] exclude` name are not.  Verdicts of the rule files are kept in the index, so a walk over an
unchanged vault compiles no pattern.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

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


class Rules:
    """The ignore rules of a vault, read and compiled when the first unknown path asks.

    `files` are the rule files found so far (vault-relative), `exclude` the patterns of the
    configuration; of each family the deepest rule file that has an opinion decides, as in git.
    `known` are verdicts of an earlier walk under the same rules, and `verdicts` those of this one, of
    folders and of ignored notes.  With `trust`, a note without a verdict passes for now, as one that
    the index holds would: `judge` is asked later about those that it does not hold.
    """

    def __init__(self, root: str, exclude: Sequence[str], known: Mapping[str, bool], *, trust: bool = False) -> None:
        self.root = root
        self.exclude = tuple(exclude)
        self.known = known
        self.trust = trust
        self.verdicts: dict[str, bool] = {}
        self.files: set[str] = set()
        self._patterns: dict[str, list[Pattern]] = {}

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """Whether rules leave this path out; folders are asked before what is in them.

        OSError where a rule file that would say so cannot be read.
        """
        if not self.files and not self.exclude:
            return False
        ignored = self.known.get(path)
        if ignored is None:
            if (self.trust and not folder) or not self._is_ruled(path):
                return False
            ignored = self._judge(path, folder=folder)
        if folder or ignored:
            self.verdicts[path] = ignored
        return ignored

    def judge(self, path: str) -> bool:
        """Whether rules leave out a note that a walk with `trust` let pass.  OSError as in `is_ignored`."""
        ignored = self._is_ruled(path) and self._judge(path, folder=False)
        if ignored:
            self.verdicts[path] = True
        return ignored

    def leaves_out(self, path: str) -> bool:
        """Whether the walk found this path, or a folder that it is in, ignored."""
        steps = path.split("/")
        return any(self.verdicts.get("/".join(steps[: depth + 1])) for depth in range(len(steps)))

    def _is_ruled(self, path: str) -> bool:
        """Whether any rule may have an opinion: of the configuration, or of a rule file in a folder above."""
        above = path
        while above and not self.exclude:
            above = above.rpartition("/")[0]
            prefix = above + "/" if above else ""
            if any(prefix + name in self.files for name in RULE_FILES):
                return True
        return bool(self.exclude)

    def _judge(self, path: str, *, folder: bool) -> bool:
        """Each family of rules decides for itself, so that no `.gitignore` brings back what is private."""
        return any(self._opinion(path, family, folder=folder) for family in ("", *RULE_FILES))

    def _opinion(self, path: str, family: str, *, folder: bool) -> bool:
        from .gitignore import opinion

        verdict = False
        steps = path.split("/")
        for depth in range(len(steps) if family else 1):
            rule_file = "/".join((*steps[:depth], family))
            if rule_file in self.files or (self.exclude and not rule_file):
                here = opinion(self._read(rule_file), steps[depth:], folder=folder)
                verdict = verdict if here is None else here
        return verdict

    def _read(self, rule_file: str) -> list[Pattern]:
        """The patterns of a rule file, of the configuration for ""."""
        if rule_file not in self._patterns:
            from .gitignore import patterns

            text = _text(self.root, rule_file) if rule_file else "\n".join(self.exclude)
            self._patterns[rule_file] = patterns(text)
        return self._patterns[rule_file]


def _text(root: str, rule_file: str) -> str:
    """A rule file; OSError where it cannot be read, for what it would say of a path nobody can guess."""
    try:
        with open(os.path.join(root, rule_file), encoding="utf-8-sig", errors="replace", newline="") as file:
            text = file.read(_MOST + 1)
    except OSError as error:
        raise OSError(error.errno, f"the rules in {rule_file} cannot be read: {error.strerror}") from error
    if len(text) > _MOST:
        raise OSError(0, f"the rules in {rule_file} are longer than {_MOST >> 20} MiB")
    return text
