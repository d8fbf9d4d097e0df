"""The repository of a vault as sync works on it: in a git folder of our own, without the settings,
hooks, filters and attributes of the repository.

Only what says how the disk works is taken over from the repository's own settings, as words that
can be nothing else. The vault's part of the repository alone is committed, by plumbing.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius.writing import git_folder
from aurelius.writing.git import VaultGit
from aurelius.writing.git_folder import BlockedError
from aurelius.writing.replace_file import SPARE_PREFIX
from indexer.disk.walk import ENDINGS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.compose.note_lines import NoteReader

OLDEST_GIT = (2, 38)
"""The first version of git that merges in its object store."""

_OF_THE_DISK = ("filemode", "symlinks", "ignorecase", "precomposeunicode")
_LINE_ENDS = {"true", "false", "input"}
_MERGE_RULES = (
    "**/.aurelius/log/**/*.jsonl merge=union\n"
    ".gitignore merge=union\n.gitattributes merge=union\n.aureliusignore merge=union\n"
) + "".join(f"*{ending} -merge\n" for ending in ENDINGS)
"""Notes are merged by us, as git leaves all three versions of those that both sides changed."""

LINK = "120000"
SUBMODULE = "160000"
_UNSENT = ("filter", "working-tree-encoding", "ident")


class TreeRow(NamedTuple):
    """What one path is in two trees; "" for a mode and a blob that are not there."""

    path: str
    old_mode: str
    mode: str
    old_blob: str
    blob: str


class SyncGit(VaultGit):
    """Git in one vault, for a sync. BlockedError from every call that fails."""

    _seconds = 600

    def __init__(
        self,
        root: str,
        state: str,
        env: Mapping[str, str],
        read: NoteReader,
    ) -> None:
        super().__init__(root, os.path.join(state, "sync"), env)
        self.settings: dict[str, str] = {}
        self.given_env = env
        self.read = read
        self.is_rehearsal = False

    @property
    def prefix(self) -> str:
        """The folder of the vault in its repository, with a slash, "" where it is the whole."""
        return self._prefix

    @property
    def top(self) -> str:
        """The folder of the repository."""
        return self._top

    def _enter(self) -> None:
        self._check_version()
        super()._enter()
        self._lead_to_branches()
        if os.path.exists(os.path.join(self._at.common, "shallow")):
            raise BlockedError("this clone is shallow: `git fetch --unshallow` gets the rest")
        if any(name.endswith((".promisor", ".partialclonefilter")) for name in self.settings):
            raise BlockedError("this clone is partial: it does not have every version of a note")
        if self.settings.get("core.sparsecheckout") == "true":
            raise BlockedError("not every file is checked out here (git sparse-checkout)")

    def _check_version(self) -> None:
        told = self._theirs("version")
        found = re.search(r"(\d+)\.(\d+)", told)
        if found and tuple(map(int, found.groups())) < OLDEST_GIT:
            least = ".".join(map(str, OLDEST_GIT))
            raise BlockedError(f"this is {told}, and sync needs {least} or newer")

    def _own_files(self, form: str) -> dict[str, str]:
        for name in ("config", "config.worktree"):
            self.settings |= self._read_settings(name)
        files = super()._own_files(form)
        rows = {
            name: self.settings[f"core.{name}"]
            for name in _OF_THE_DISK
            if self.settings.get(f"core.{name}") in {"true", "false"}
        }
        ends = self._theirs("config", "--default", "false", "--get", "core.autocrlf")
        if ends in _LINE_ENDS:
            rows["autocrlf"] = ends
        ignored = self.person_setting("core.excludesFile", path=True)
        base = self._env.get("XDG_CONFIG_HOME") or f"{self._env.get('HOME', '')}/.config"
        ignored = ignored or f"{base}/git/ignore"
        quoted = ignored.replace("\\", "\\\\").replace('"', '\\"')
        rows["excludesFile"] = f'"{quoted}"'
        rows |= {"protectNTFS": "true", "protectHFS": "true"}
        lines = "".join(f"\t{name} = {value}\n" for name, value in rows.items())
        files["config"] += f"[core]\n{lines}"
        files["info/attributes"] = _MERGE_RULES
        exclude = git_folder.text(os.path.join(self._at.common, "info", "exclude"))
        files["info/exclude"] = f"{exclude}\n{SPARE_PREFIX}*.tmp\n"
        return files

    def _read_settings(self, name: str) -> dict[str, str]:
        """A file of the repository's settings, read without what it includes."""
        folder = self._at.common if name == "config" else self._at.folder
        path = os.path.join(folder, name)
        done = self._call(("config", "--file", path, "--no-includes", "--null", "--list"))
        rows = os.fsdecode(done.stdout).split("\0")
        return dict(row.partition("\n")[::2] for row in rows if row)

    def person_setting(self, name: str, *, path: bool = False) -> str:
        """A setting of the person's own, "" where there is none."""
        kind = ("--type=path",) if path else ()
        done = self._call(("config", "--global", *kind, "--get", name))
        return os.fsdecode(done.stdout).strip()

    def run(self, *words: str, given: bytes = b"") -> str:
        """What git prints in our own folder."""
        return self._text(*words, given=given)

    def call(self, words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        """What came of a command in our own folder, whatever it says."""
        return self._call(words, b"", self._own_env(), self._top)

    def row(self, tree: str, path: str) -> tuple[str, str] | None:
        """Mode and blob of one path of a tree or commit, None where it is not there."""
        about = self.run("ls-tree", tree, "--", path).partition("\t")[0].split()
        if not about:
            return None
        return about[0], about[2]

    def branch(self) -> tuple[str, str]:
        """The branch that is checked out, as a ref, and its commit, "" where there is none yet."""
        return self._branch()

    def commit_of(self, ref: str) -> str:
        """The commit of a ref, "" where there is none."""
        try:
            return self.run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        except BlockedError:
            return ""

    def empty_tree(self) -> str:
        """The name of a tree with nothing in it."""
        return self.run("hash-object", "-w", "-t", "tree", "--stdin")

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether one commit is in the history of another."""
        words = ("merge-base", "--is-ancestor", old, new)
        return not old or (bool(new) and not self.call(words).returncode)

    def difference(
        self,
        old: str,
        new: str,
        *,
        moves: bool = False,
    ) -> list[TreeRow]:
        """What differs between two trees or commits; with `moves` without files that moved."""
        words = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev")
        how = ("-M50%", "--diff-filter=ADMT") if moves else ("--no-renames",)
        data = self._run(*words, *how, old, new)
        told = os.fsdecode(data).split("\0")
        found = []
        for about, path in zip(told[0::2], told[1::2], strict=False):
            old_mode, mode, old_blob, blob, _ = about.lstrip(":").split(" ")
            found.append(
                TreeRow(
                    path=path,
                    old_mode=old_mode.strip("0") and old_mode,
                    mode=mode.strip("0") and mode,
                    old_blob=old_blob.strip("0") and old_blob,
                    blob=blob.strip("0") and blob,
                )
            )
        return found

    def files(self, tree: str) -> dict[str, tuple[str, str]]:
        """Mode and blob of every path of a tree or commit."""
        found = {}
        told = self._run("ls-tree", "-r", "-z", tree)
        for row in os.fsdecode(told).split("\0")[:-1]:
            about, _, path = row.partition("\t")
            mode, _, blob = about.split()
            found[path] = (mode, blob)
        return found

    def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """The bytes of blobs, by name."""
        wanted = [*dict.fromkeys(filter(None, names))]
        data = self._run("cat-file", "--batch", given="\n".join([*wanted, ""]).encode())
        found = {}
        at = 0
        for _ in wanted:
            end = data.index(b"\n", at)
            name, kind, *size = data[at:end].decode().split()
            if kind != "blob":
                raise BlockedError(f"git does not have {name} as a file: {kind}")
            begin = end + 1
            end = begin + int(size[0])
            found[name] = data[begin:end]
            at = end + 1
        return found

    def keep_blob(self, data: bytes) -> str:
        """The name of a blob that is written."""
        return self.run("hash-object", "-w", "--stdin", given=data)

    def tree_with(self, tree: str, rows: Mapping[str, tuple[str, str] | None]) -> str:
        """A tree with these paths as they are to be, None: not there."""
        if not rows:
            return tree
        self._run("read-tree", tree)
        self._run("update-index", "-z", "--index-info", given=self._index_rows(rows))
        return self.run("write-tree")

    def _index_rows(self, rows: Mapping[str, tuple[str, str] | None]) -> bytes:
        none = ("0", "0" * self._form)
        return os.fsencode(
            "".join(f"{' '.join(row or none)}\t{path}\0" for path, row in rows.items())
        )

    # -- the person's files ------------------------------------------------------------

    def changed_files(self) -> tuple[list[str], list[str]]:
        """The paths of the vault that are not as they were committed or staged, and those that are
        left out because they are links or repositories of their own.

        BlockedError where a merge is unresolved, or a filter applies.
        """
        git_folder.look_at_rules(self._top, [f"{each}/x" for each in self._folders()])
        index = self._work_index()
        spec = ("--", self._prefix) if self._prefix else ()
        words = ("ls-files", "-z", "--stage", *spec)
        told = self._run(*words, index=index)
        odd = set()
        for row in os.fsdecode(told).split("\0")[:-1]:
            about, _, path = row.partition("\t")
            mode, _, stage = about.split()
            if stage != "0":
                raise BlockedError(f"{path} has an unresolved merge")
            if mode == SUBMODULE:
                odd.add(path)
        known = self._paths(index, "-m", "-d", *spec)
        new = self._paths(index, "--others", "--exclude-standard", *spec)
        out = {
            path
            for path in new
            if path.endswith("/") or os.path.islink(os.path.join(self._top, path))
        }
        changed = sorted((known | new) - out - odd)
        self.refuse_filtered(changed)
        return changed, sorted(out)

    def _folders(self) -> list[str]:
        """The folders of the vault, as paths of the repository."""
        found = []
        for place, folders, _ in os.walk(self._root):
            folders[:] = [name for name in folders if name != ".git"]
            found.append(os.path.relpath(place, self._root))
        return [os.path.normpath(f"{self._prefix}{each}") for each in found]

    def _paths(self, index: str, *words: str) -> set[str]:
        told = os.fsdecode(self._run("ls-files", "-z", *words, index=index))
        return set(told.split("\0")[:-1])

    def refuse_filtered(self, paths: Iterable[str]) -> None:
        """BlockedError where git is to store another form of one of these files than its own."""
        given = os.fsencode("".join(f"{path}\0" for path in paths))
        words = ("check-attr", "-z", "--stdin", *_UNSENT)
        told = self._run(*words, given=given)
        cells = os.fsdecode(told).split("\0")
        for path, value in zip(cells[0::3], cells[2::3], strict=False):
            if value not in {"unspecified", "unset"}:
                why = "a git filter or attribute applies to it, and Aurelius runs no filters"
                raise BlockedError(f"{path}: {why}; take it out of .gitattributes, or of git")

    def _work_index(self) -> str:
        """The person's index, or in a rehearsal a copy of it."""
        if not self.is_rehearsal:
            return self._index
        import shutil

        copy = os.path.join(self._own, "rehearsed")
        if not os.path.exists(copy) and os.path.exists(self._index):
            shutil.copy2(self._index, copy)
        return copy

    def staged_tree(self, head: str, changed: Iterable[str]) -> str:
        """The tree of a commit with these files of the vault as they are on the disk; they are
        staged."""
        index = self._work_index()
        given = os.fsencode("".join(f"{path}\0" for path in changed))
        words = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
        busy = "git's index is locked: another git command is running, or left a lock file"
        if given:
            self._run(*words, given=given, index=index, fails=busy)
        if not self._prefix:
            return os.fsdecode(self._run("write-tree", index=index)).strip()
        part = self._run("write-tree", f"--prefix={self._prefix}", index=index)
        self._run("read-tree", head or "--empty")
        there = self._paths("", "--", self._prefix)
        gone = os.fsencode("".join(f"{path}\0" for path in there))
        self._run("update-index", "-z", "--force-remove", "--stdin", given=gone)
        self._run("read-tree", f"--prefix={self._prefix}", os.fsdecode(part).strip())
        return self.run("write-tree")

    def commit_tree(
        self,
        tree: str,
        parents: Iterable[str],
        why: str,
    ) -> str:
        """A commit of a tree; it is on no branch yet."""
        if not self._who:
            self._identify()
        words: list[str] = []
        for parent in filter(None, parents):
            words += ("-p", parent)
        return self.run("commit-tree", tree, *words, "-m", why)

    def advance(
        self,
        ref: str,
        old: str,
        new: str,
        why: str,
    ) -> None:
        """Move the branch that is checked out from one commit to another."""
        self._advance(ref, old, new, why)

    def stage(self, rows: Iterable[TreeRow]) -> None:
        """Let the person's index have these files as they are in the second tree."""
        wanted = {row.path: (row.mode, row.blob) if row.blob else None for row in rows}
        fails = "synced, but git's index is locked, so `git status` shows an older state"
        given = self._index_rows(wanted)
        words = ("update-index", "-z", "--index-info")
        self._run(*words, given=given, index=self._index, fails=fails)

    def follow(self, ref: str, remote: str, branch: str) -> None:
        """Write into the repository's settings which branch of the remote a branch goes with."""
        own = f"branch.{ref.removeprefix(git_folder.BRANCHES)}"
        file = os.path.join(self._at.common, "config")
        for name, value in (("remote", remote), ("merge", f"{git_folder.BRANCHES}{branch}")):
            self._theirs("config", "--file", file, f"{own}.{name}", value)

    def network(self, words: Iterable[str], env: dict[str, str]) -> tuple[int, str]:
        """Run git with the person's own settings in our own folder: its exit code and what it
        said."""
        own = {"GIT_DIR": self._own, "GIT_WORK_TREE": self._top}
        own["GIT_OBJECT_DIRECTORY"] = os.path.join(self._at.common, "objects")
        quiet = self._quiet
        barred = ("protocol.", "core.sshCommand", "credential.")
        self._quiet = tuple(each for each in quiet if not each.startswith(barred))
        try:
            done = self._call(
                (*words,),
                b"",
                self._env | env | own,
                self._own,
            )
        finally:
            self._quiet = quiet
        return done.returncode, os.fsdecode(done.stdout + done.stderr)
