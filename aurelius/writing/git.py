"""Git in the vault: commits of nothing but what Aurelius wrote.

A repository's own settings can run programs: hooks, filters, monitors, signers. So they are only
ever read, by commands that run none of them; what is written, the person's index too, is written in
a git folder of our own, without settings, that leads to the repository's objects. A note is
committed only where the person's own version of it was committed already, so that their changes
stay theirs.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import TYPE_CHECKING, Self

from indexer.errors import error_reason

from . import git_folder
from .git_folder import BlockedError, GitFolder, blob_name

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence

    Change = tuple[str, bytes | None, bytes | None, str]
    Row = tuple[str, str, str]

_QUIET_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=" + os.devnull,
    "core.untrackedCache=false",
    "protocol.allow=never",
    "core.sshCommand=false",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "core.pager=cat",
    "core.splitIndex=false",
    "submodule.recurse=false",
    "core.checkStat=default",
    "core.trustctime=true",
    "core.attributesFile=" + os.devnull,
)
"""Settings that keep a repository's own from running anything, and from naming a file of rules that
has no end."""

NOBODY = ("Aurelius", "aurelius@localhost")
_GIT_SECONDS = 30
NONE = "the vault is not a git repository"
_MEANWHILE = "another git command is running, or made a commit at the same time"
NEWLINE = "\n"
_STORED_FORMS = ("filter", "working-tree-encoding", "ident", "text", "eol")
"""Attributes that let git store another form of a file than its own."""

_WHO = re.compile(r"(.+) <(.*)> \d+ [+-]\d{4}")


def commit_changes(
    root: str, state: str, env: Mapping[str, str], changes: Sequence[Change], why: str
) -> str:
    """Commit these changes, made already, with `why` as the message; "" or why no commit was made.

    A change is a path with its bytes before and after, and the path that it was moved from. Under
    the lock of the vault, in whose folder `state` the git folder of our own is made. Never raises
    for what git or the repository is like.
    """
    import subprocess

    try:
        with VaultGit(root, state, env) as git:
            return git.commit(changes, why)
    except BlockedError as refusal:
        return str(refusal)
    except subprocess.TimeoutExpired:
        return f"git took more than {_GIT_SECONDS} s"
    except OSError as error:
        return f"{error.filename or 'git cannot be run'}: {error_reason(error)}"


class VaultGit:
    """Git in one vault, by plumbing alone; the vault may lie in a larger repository.

    `_theirs` runs a command that only reads, with the repository's settings; `_run` and its like
    run one in our own git folder, where there are none.
    """

    _seconds = _GIT_SECONDS

    def __init__(
        self,
        root: str,
        state: str,
        env: Mapping[str, str],
    ) -> None:
        self._root = root
        self._own = os.path.join(state, "git")
        kept = (
            "PATH",
            "HOME",
            "USERPROFILE",
            "SYSTEMROOT",
            "XDG_CONFIG_HOME",
            "APPDATA",
            "TMPDIR",
            "TEMP",
        )
        self._env = {name: env[name] for name in kept if name in env}
        self._env |= {
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_ALLOW_PROTOCOL": "none",
        }
        self._quiet: tuple[str, ...] = _QUIET_SETTINGS
        self._who: dict[str, str] = {}

    def __enter__(self) -> Self:
        """Find the repository, and make a git folder of our own for its objects.  BlockedError."""
        try:
            self._enter()
        except BaseException:
            self._clear()
            raise
        return self

    def _enter(self) -> None:
        found = git_folder.nearest_repository(self._root)
        if found is None:
            raise BlockedError(NONE)
        top, at = found
        git_folder.check_git_folder(at)
        if os.path.dirname(top) != top:
            self._env["GIT_CEILING_DIRECTORIES"] = os.path.dirname(top)
        asked = (
            "--absolute-git-dir",
            "--git-common-dir",
            "--show-toplevel",
            "--show-prefix",
            "--show-object-format",
        )
        told = self._theirs("rev-parse", *asked, fails=NONE).split(NEWLINE)
        if len(told) != len(asked):
            raise BlockedError("git did not tell where its folder is")
        folder, common, self._top, self._prefix, form = told
        self._at = GitFolder(folder, os.path.normpath(os.path.join(self._root, common)))
        self._index = os.path.join(folder, "index")
        if form == "sha256":
            self._form = 64
        else:
            self._form = 40
        words = ("config", "--get-regexp", r"^core\.(worktree|sharedrepository)$")
        rows = os.fsdecode(self._call(words).stdout).splitlines()
        settings = dict(row.partition(" ")[::2] for row in rows)
        self._leads_back("core.worktree" in settings)
        shared = settings.get("core.sharedrepository", "")
        if shared.isalnum():
            self._quiet += (f"core.sharedRepository={shared}",)
        self._make_own(form)

    def __exit__(self, *_: object) -> None:
        self._clear()

    def _leads_back(self, named: bool) -> None:
        """BlockedError where the vault's `.git` would have us write into the repository of
        something else."""
        own = os.path.join(os.path.realpath(self._top), ".git")
        if not os.path.samefile(os.path.join(self._top, self._prefix), self._root):
            raise BlockedError(
                "git's repository belongs to another folder (git setting core.worktree)"
            )
        folder, common = map(os.path.realpath, self._at)
        is_there = os.path.isdir(own) and not os.path.islink(own)
        if folder == common and (named or is_there):
            return
        back = git_folder.text(os.path.join(folder, "gitdir"))  # as a linked working tree has it
        worktrees = os.path.join(common, "worktrees")
        if os.path.realpath(back) != own or os.path.dirname(folder) != worktrees:
            why = "the vault's .git points to a repository of another folder"
            raise BlockedError(f"{why}; if it is yours: `git config core.worktree {self._top}`")

    def _make_own(self, form: str) -> None:
        """A git folder without settings, attributes and hooks."""
        self._clear()
        for name in ("objects", "refs"):
            os.makedirs(os.path.join(self._own, name), mode=0o700)
        for name, text in self._own_files(form).items():
            path = os.path.join(self._own, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        git_folder.copy_shared(self._at.folder, self._own)

    def _own_files(self, form: str) -> dict[str, str]:
        """What our own git folder holds, by name; `form` is how the repository names objects."""
        config = "[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n"
        if form == "sha256":
            config = config.replace("= 0", "= 1") + "[extensions]\n\tobjectFormat = sha256\n"
        return {"HEAD": "ref: refs/heads/none\n", "config": config}

    def _clear(self) -> None:
        import shutil

        shutil.rmtree(self._own, ignore_errors=True)

    def commit(self, changes: Sequence[Change], why: str) -> str:
        """Commit the changes that are ours alone; "" or what stands against the others.
        BlockedError."""
        ref, head = self._branch()
        against = self._against(changes, head)
        ours = [change for change in changes if change[0] not in against]
        if ours:
            self._identify()
            rows = self._rows(ours)
            new = self._made(head, rows, why)
            self._advance(ref, head, new, why)
            self._run(
                "update-index",
                "-z",
                "--index-info",
                given=rows,
                index=self._index,
                fails="committed, but git's index is locked, so `git status` shows an older state",
            )
        reasons = list(dict.fromkeys(against.values()))  # both halves of a move have the same
        if len(reasons) > 1:
            return f"{reasons[0]} (and {len(reasons) - 1} more)"
        return "".join(reasons)

    def _branch(self) -> tuple[str, str]:
        """The branch that is checked out, and its commit, "" where there is none yet.
        BlockedError."""
        if told := git_folder.under_way(self._at):
            raise BlockedError(told)
        ref = self._theirs("symbolic-ref", "--quiet", "HEAD", fails=git_folder.DETACHED)
        git_folder.check_head(self._at, ref)
        asked = ("rev-parse", "--verify", "--quiet", "HEAD")
        return ref, os.fsdecode(self._call(asked).stdout).strip()

    def _advance(self, ref: str, head: str, new: str, why: str) -> None:
        """Move the branch that HEAD is at from one commit ("" for none yet) to the next, with the
        same locks and logs as git; BlockedError, and nothing moved."""
        self._lead_to_branches()
        self._run("symbolic-ref", "HEAD", ref)
        if git_folder.text(os.path.join(self._at.folder, "HEAD")) != f"ref: {ref}":
            raise BlockedError(_MEANWHILE)
        told = f"aurelius: {why.partition(NEWLINE)[0]}"
        words = ("--create-reflog", "-m", told, ref, new, head or "0" * self._form)
        self._run("update-ref", *words, fails=_MEANWHILE)

    def _lead_to_branches(self) -> None:
        """Let our own git folder lead to the branches and logs, but to no hooks and settings."""
        if os.path.islink(os.path.join(self._own, "refs")):
            return
        common, logs = (os.path.join(at, "logs") for at in (self._at.common, self._own))
        os.rmdir(os.path.join(self._own, "refs"))
        os.makedirs(logs)
        os.makedirs(os.path.join(common, "refs"), exist_ok=True)
        os.makedirs(os.path.join(self._at.folder, "logs"), exist_ok=True)
        for to, name in (
            (os.path.join(self._at.common, "refs"), "refs"),
            (os.path.join(self._at.common, "packed-refs"), "packed-refs"),
            (os.path.join(common, "refs"), "logs/refs"),
            (os.path.join(self._at.folder, "logs", "HEAD"), "logs/HEAD"),
        ):
            os.symlink(to, os.path.join(self._own, name))

    # -- what stands against it --------------------------------------------------------

    def _against(self, changes: Sequence[Change], head: str) -> dict[str, str]:
        """Reasons why notes cannot be committed, one for each; of a move both halves can, or
        none."""
        paths = [change[0] for change in changes]
        full = [self._prefix + path for path in paths]
        self._committed = (
            self._listed(
                "ls-tree",
                "-z",
                head,
                "--",
                *full,
            )
            if head
            else {}
        )
        staged = self._listed("ls-files", "-z", "--stage", "--", *full)
        found = self._unclean(changes, staged)
        new = [path for path, before, _, _ in changes if before is None and path not in found]
        moved = {path: source for path, _, _, source in changes if source in paths}
        ruled = [self._prefix + path for path in (*new, *moved.values())]
        git_folder.look_at_rules(self._top, ruled)
        ignored = self._ignored(new)
        found |= self._filtered([path for path in new if path not in ignored], moved)
        _spread_over_moves(found, moved)
        return {path: f"{path} is ignored by git" for path in ignored} | found

    def _unclean(self, changes: Sequence[Change], staged: Mapping[str, Row]) -> dict[str, str]:
        """Notes of which the person has not committed their own last version, and why it is so."""
        found = {}
        for path, before, after, _ in changes:
            why = self._mine(path, before, after)
            why = why or _staged(path, self._committed.get(path), staged.get(path))
            if why:
                found[path] = why
        return found

    def _mine(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
    ) -> str:
        """The reason why the last version of a note is not what was committed, "" where it is."""
        if NEWLINE in path:
            return f"{path!r} has a line break in its name"
        if re.search(rb"(?m)^(?:<{7}|>{7}) ", after or b""):
            return f"{path} has conflict markers in it"
        committed = self._committed.get(path)
        if before is None:
            if committed:
                return f"{path} was deleted, and that is not committed"
            return ""
        if committed is None:
            return f"git does not know {path} yet"
        if committed[1] != blob_name(before, len(committed[1])):
            return f"{path} has uncommitted changes of your own"
        return ""

    def _ignored(self, paths: Sequence[str]) -> list[str]:
        """New notes that git is to ignore."""
        literal = self._env | {"GIT_LITERAL_PATHSPECS": "0"}  # which this one command refuses
        done = self._call(("check-ignore", "-z", "--stdin", "--no-index"), _given(paths), literal)
        if done.returncode not in {0, 1}:
            raise BlockedError("git did not tell which notes it ignores")
        return [path.removeprefix("./") for path in os.fsdecode(done.stdout).split("\0") if path]

    def _filtered(self, new: Sequence[str], moved: Mapping[str, str]) -> dict[str, str]:
        """New notes that git is to store in another form than the file's.

        A note that was moved is none where git was to do the same at its old path: what it stored
        there was the file.
        """
        given = _given([*new, *(moved[path] for path in new if path in moved)])
        told = self._theirs(
            "check-attr",
            "-z",
            "--stdin",
            *_STORED_FORMS,
            given=given,
        ).split("\0")
        forms: dict[str, dict[str, str]] = {}
        for name, form, value in zip(
            told[0::3],
            told[1::3],
            told[2::3],
            strict=False,
        ):
            if value not in {"unspecified", "unset"}:
                forms.setdefault(name.removeprefix("./"), {})[form] = value
        return {
            path: f"a git filter or attribute applies to {path}, and Aurelius runs no filters"
            for path in new
            if path in forms and forms[path] != forms.get(moved.get(path, ""))
        }

    def _listed(self, *words: str) -> dict[str, Row]:
        """Mode, blob and stage or kind of each path of the vault that git lists."""
        found = {}
        for row in os.fsdecode(self._run(*words, index=self._index)).split("\0")[:-1]:
            about, _, path = row.partition("\t")
            mode, *rest = about.split()
            if rest[0] == "blob":  # a row of a tree
                rest = [rest[1], "0"]
            found[path.removeprefix(self._prefix)] = (mode, rest[0], rest[1])
        return found

    # -- making it ---------------------------------------------------------------------

    def _identify(self) -> None:
        """Let the commit be the person's, as the repository's settings name them."""
        for who in ("AUTHOR", "COMMITTER"):
            done = self._call(("var", f"GIT_{who}_IDENT"))
            named = _WHO.fullmatch(os.fsdecode(done.stdout).strip())
            name, mail = NOBODY
            if done.returncode == 0 and named:
                name, mail = named.groups()
            self._who |= {f"GIT_{who}_NAME": name, f"GIT_{who}_EMAIL": mail}

    def _rows(self, ours: Sequence[Change]) -> bytes:
        """Rows of the index for our notes; their blobs are written."""
        there = [(path, after) for path, _, after, _ in ours if after is not None]
        given = os.fsencode("".join(f"./{self._prefix}{path}\n" for path, _ in there))
        blobs = self._text(
            "hash-object", "-w", "--no-filters", "--stdin-paths", given=given
        ).split()
        if blobs != [blob_name(after, self._form) for _, after in there]:
            raise BlockedError("a note changed again before it was committed")
        modes = {path: row[0] for path, row in self._committed.items()}
        rows = [
            f"{modes.get(path, '100644')} {blob}\t{self._prefix}{path}\0"
            for (path, _), blob in zip(there, blobs, strict=True)
        ]
        rows += [
            f"0 {'0' * self._form}\t{self._prefix}{path}\0"
            for path, _, after, _ in ours
            if after is None
        ]
        return os.fsencode("".join(rows))

    def _made(self, head: str, rows: bytes, why: str) -> str:
        """The commit of HEAD's tree with these rows in it; it is on no branch yet."""
        self._run("read-tree", head or "--empty")
        self._run("update-index", "-z", "--index-info", given=rows)
        tree = self._text("write-tree", "--missing-ok")  # a partial clone has not every blob
        parent = ("-p", head) if head else ()
        return self._text("commit-tree", tree, *parent, "-m", why)

    # -- running it --------------------------------------------------------------------

    def _theirs(self, *words: str, given: bytes = b"", fails: str = "") -> str:
        """Output of a command that only reads, run with the settings of the repository."""
        done = self._call(words, given)
        return os.fsdecode(_checked(words[0], done, fails)).removesuffix(NEWLINE)

    def _text(self, *words: str, given: bytes = b"") -> str:
        """Output of git in our own folder.  BlockedError with git's own complaint."""
        return os.fsdecode(self._run(*words, given=given)).strip(NEWLINE)

    def _run(self, *words: str, given: bytes = b"", fails: str = "", index: str = "") -> bytes:
        """Run git in our own folder, on an index of our own or the person's."""
        done = self._call(words, given, self._own_env(index), self._top)
        return _checked(words[0], done, fails)

    def _own_env(self, index: str = "") -> dict[str, str]:
        """The environment of a command in our own folder."""
        return (
            self._env
            | self._who
            | {
                "HOME": self._own,
                "XDG_CONFIG_HOME": self._own,
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_ATTR_NOSYSTEM": "1",
                "GIT_DIR": self._own,
                "GIT_WORK_TREE": self._top,
                "GIT_OBJECT_DIRECTORY": os.path.join(self._at.common, "objects"),
                "GIT_INDEX_FILE": index or os.path.join(self._own, "index"),
            }
        )

    def _call(
        self,
        words: Sequence[str],
        given: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str = "",
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git, in the vault's folder and with no other environment than ours unless those are
        given."""
        import shutil
        import subprocess

        program = shutil.which("git", path=self._env.get("PATH"))
        if program is None:
            raise BlockedError("git was not found")
        settings = chain.from_iterable(("-c", setting) for setting in self._quiet)
        return subprocess.run(
            [program, "--no-pager", *settings, *words],
            cwd=cwd or self._root,
            env=env or self._env,
            capture_output=True,
            input=given,
            timeout=self._seconds,
            check=False,
        )


def _spread_over_moves(found: dict[str, str], moved: Mapping[str, str]) -> None:
    """Give a reason against one half of a move to the other half too; `moved`: new paths -> old."""
    for path, source in moved.items():
        one = found.get(source) or found.get(path)
        if one:
            why = f"{one}, so its move from {source} to {path} is not committed"
            found |= {path: why, source: why}


def _checked(name: str, done: subprocess.CompletedProcess[bytes], fails: str) -> bytes:
    """Output of git; BlockedError with `fails`, else with git's own complaint."""
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise BlockedError(fails or f"git {name} failed: {complaint or done.returncode}")
    return done.stdout


def _given(paths: Sequence[str]) -> bytes:
    """Paths of the vault as a command takes them on its input."""
    return os.fsencode("".join(f"./{path}\0" for path in paths))


def _staged(path: str, committed: Row | None, staged: Row | None) -> str:
    """The reason why the index differs from the last commit about a note, "" where it does not."""
    if staged is not None and staged[2] != "0":
        return f"{path} has an unresolved merge"
    if (committed and committed[:2]) != (staged and staged[:2]):
        return f"{path} has staged changes of your own"
    return ""
