"""Which paths are notes: the one place that decides what the index may hold.

A note is a regular file ending in `.md` or `.markdown` in a folder that is not hidden.  Editors' and
sync tools' temporary files, `node_modules`, and whatever `.gitignore`, `.aureliusignore` and
`[index] exclude` name are not.  Verdicts of the rule files are kept in the index, so a walk over an
unchanged vault compiles no pattern.
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathspec

RULE_FILES = (".gitignore", ".aureliusignore")
ENDINGS = (".md", ".markdown")
_TEMPORARY = (".", "~$", "~syncthing~", "#")
_NEVER = ("node_modules", "__pycache__")


def may_be_note(name: str) -> bool:
    """Whether a file of that name is a note unless a rule says otherwise."""
    return name.lower().endswith(ENDINGS) and not name.startswith(_TEMPORARY)


def may_hold_notes(name: str) -> bool:
    """Whether a folder of that name is walked unless a rule says otherwise."""
    return not name.startswith(".") and name not in _NEVER


class Rules:
    """The ignore rules of a vault, read and compiled when the first unknown path asks.

    `known` and `admitted` are verdicts of the same rules: paths judged, and notes already in the index.
    `files` are the rule files found so far (vault-relative), `exclude` the patterns of the
    configuration; of each family the deepest rule file that has an opinion decides, as in git.
    """

    def __init__(
        self, root: str, exclude: Sequence[str], known: Mapping[str, bool], admitted: Container[str] = ()
    ) -> None:
        self.root = root
        self.admitted = admitted
        self.exclude = tuple(exclude)
        self.verdicts: dict[str, bool] = dict(known)
        self.files: set[str] = set()
        self._specs: dict[str, pathspec.GitIgnoreSpec] = {}

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """Whether rules leave this path out; folders are asked before what is in them."""
        if not self.files and not self.exclude:
            return False
        known = False if path in self.admitted else self.verdicts.get(path)
        if known is None:
            known = self._judge(path + "/" if folder else path)
            if folder or known:
                self.verdicts[path] = known
        return known

    def _judge(self, path: str) -> bool:
        """Each family of rules decides for itself, so that no `.gitignore` brings back what is private."""
        return any(self._opinion(path, family) for family in ("", *RULE_FILES))

    def _opinion(self, path: str, family: str) -> bool:
        verdict = False
        parts = path.rstrip("/").split("/")
        for depth in range(len(parts) if family else 1):
            folder = "/".join(parts[:depth])
            spec = self._spec(f"{folder}/{family}" if folder else family)
            if spec is not None:
                opinion = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                verdict = verdict if opinion is None else opinion
        return verdict

    def _spec(self, rule_file: str) -> pathspec.GitIgnoreSpec | None:
        """The compiled rules of a rule file, of the configuration for ""; None where there are none."""
        if rule_file not in self.files and (rule_file or not self.exclude):
            return None
        if rule_file not in self._specs:
            import pathspec

            lines = self._lines(rule_file) if rule_file else [line for line in self.exclude if _compiles(line)]
            self._specs[rule_file] = pathspec.GitIgnoreSpec.from_lines(lines)
        return self._specs[rule_file]

    def _lines(self, path: str) -> list[str]:
        try:
            with open(os.path.join(self.root, path), encoding="utf-8-sig", errors="replace") as file:
                lines = file.read(1 << 20).splitlines()
        except OSError:
            return []
        return [line for line in lines if _compiles(line)]


def _compiles(line: str) -> bool:
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
