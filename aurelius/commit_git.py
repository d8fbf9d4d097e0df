"""Committing what Aurelius wrote into the vault's git repository, and nothing else (reliability I1, I2).

A repository's own settings can run programs: hooks, filters, monitors, signers.  So a commit is put together from
plumbing that runs none: blobs without filters, an index of our own, a tree, a commit, and a branch
that is moved only from where it was.  A note is committed only where the person's own version of it
was committed already, so that their changes stay theirs.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence

    Change = tuple[str, bytes | None, bytes | None]

QUIET = (
    "core.fsmonitor=false", "core.hooksPath=" + os.devnull, "core.untrackedCache=false", "protocol.allow=never",
    "core.sshCommand=false", "credential.helper=", "gc.auto=0", "maintenance.auto=false", "commit.gpgSign=false",
    "core.pager=cat", "core.splitIndex=false", "submodule.recurse=false",
)  # fmt: skip
"""Settings that keep a repository's own from running anything."""

STATES = {
    "MERGE_HEAD": "a merge is under way",
    "rebase-merge": "a rebase is under way", "rebase-apply": "a rebase is under way",
    "CHERRY_PICK_HEAD": "a cherry-pick is under way", "REVERT_HEAD": "a revert is under way",
    "BISECT_LOG": "a bisect is under way", "sequencer": "a cherry-pick or revert is under way",
    "index.lock": "another git is at work", "HEAD.lock": "another git is at work",
}  # fmt: skip
"""What lies in the git folder while a commit of ours would be in the way."""

NOBODY = ("-c", "user.name=Aurelius", "-c", "user.email=aurelius@localhost")
SECONDS = 30
NEWLINE = "\n"
FORMS = ("filter", "working-tree-encoding", "ident", "text", "eol")
"""Attributes that let git store another form of a file than its own."""


class _Refused(Exception):
    """No commit is made, and why."""


def commit(root: str, state: str, env: Mapping[str, str], changes: Sequence[Change], why: str) -> str:
    """Commit these changes, made already, with `why` as the message; "" or why no commit was made.

    A change is a path with its bytes before and after.  Never raises for what git or the repository is like.
    """
    import subprocess

    try:
        return _Git(root, state, env).commit(changes, why)
    except _Refused as refusal:
        return str(refusal)
    except FileNotFoundError:
        return "git was not found"
    except subprocess.TimeoutExpired:
        return f"git took more than {SECONDS} s"
    except OSError as error:
        return f"git cannot be run: {error.strerror}"


class _Git:
    """Git in one vault, by plumbing alone; paths are relative to the vault, which may lie in a larger repository."""

    def __init__(self, root: str, state: str, env: Mapping[str, str]) -> None:
        self._root = root
        self._index = os.path.join(state, "git-index")
        kept = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "XDG_CONFIG_HOME", "APPDATA", "TMPDIR", "TEMP")
        self._env = {name: env[name] for name in kept if name in env}
        self._env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
                      "GIT_NO_REPLACE_OBJECTS": "1", "GIT_LITERAL_PATHSPECS": "1"}  # fmt: skip

    def commit(self, changes: Sequence[Change], why: str) -> str:
        """Commit the changes that are ours alone; "" or what stands against the others.  _Refused."""
        folder = self._text("rev-parse", "--absolute-git-dir", fails="the vault is no git repository")
        self._check_state(folder)
        self._text("symbolic-ref", "--quiet", "HEAD", fails="no branch is checked out")
        head = self._try("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        against = self._against(changes, head)
        ours = [change for change in changes if change[0] not in against]
        if ours:
            rows = self._rows(ours, head)
            new = self._made(head, rows, why)
            was = head or "0" * len(new)
            told = f"aurelius: {why.partition(NEWLINE)[0]}"
            self._text("update-ref", "-m", told, "HEAD", new, was, fails="the branch was moved meanwhile")
            self._run("update-index", "-z", "--index-info", given=rows, fails="committed, but git's index is locked")
        if len(against) > 1:
            return f"{next(iter(against.values()))}; so it is with {len(against) - 1} more"
        return next(iter(against.values()), "")

    def _check_state(self, folder: str) -> None:
        for name, told in STATES.items():
            if os.path.lexists(os.path.join(folder, name)):
                raise _Refused(told)

    # -- what stands against it ----------------------------------------------------------------------

    def _against(self, changes: Sequence[Change], head: str) -> dict[str, str]:
        """Why a note cannot be committed, for each that cannot."""
        paths = [path for path, _, _ in changes]
        self._committed = self._listed("ls-tree", "-z", head, "--", *paths) if head else {}
        staged = self._listed("ls-files", "-z", "--stage", "--", *paths)
        found = {
            path: why
            for path, before, after in changes
            if (why := self._mine(path, before, after) or _staged(path, self._committed.get(path), staged.get(path)))
        }
        new = [path for path, before, _ in changes if before is None and path not in found]
        return found | (self._unwanted(new) if new else {})

    def _mine(self, path: str, before: bytes | None, after: bytes | None) -> str:
        """Why the last version of a note is not what was committed, "" where it is."""
        if "\n" in path:
            return f"{path!r} has a line end in its name"
        if after is not None and any(mark in b"\n" + after for mark in (b"\n<<<<<<< ", b"\n>>>>>>> ")):
            return f"{path} holds conflict markers"
        committed = self._committed.get(path)
        if before is None:
            return f"{path} is gone from your files, and that is not committed" if committed else ""
        if committed is None:
            return f"{path} was never committed"
        if committed[1] != _blob(before, len(committed[1])):
            return f"{path} has changes of yours that are not committed"
        return ""

    def _unwanted(self, paths: Sequence[str]) -> dict[str, str]:
        """New notes that git is to ignore, or to store in another form than the file's."""
        given = os.fsencode("".join(f"./{path}\0" for path in paths))
        literal = {"GIT_LITERAL_PATHSPECS": "0"}  # which this one command refuses
        done = self._call(("check-ignore", "-z", "--stdin", "--no-index"), given, literal)
        if done.returncode not in {0, 1}:
            raise _Refused("git does not say what it ignores")
        ignored = [path.removeprefix("./") for path in os.fsdecode(done.stdout).split("\0") if path]
        found = {path: f"{path} is ignored by git" for path in ignored}
        told = os.fsdecode(self._run("check-attr", "-z", "--stdin", *FORMS, given=given)).split("\0")
        for name, value in zip(told[0::3], told[2::3], strict=False):
            if value not in {"unspecified", "unset"}:
                path = name.removeprefix("./")
                found[path] = f"{path} is to be filtered by git, and a filter could run anything"
        return found

    def _listed(self, *words: str) -> dict[str, tuple[str, str, str]]:
        """Mode, blob and stage or kind of each path that git lists."""
        found = {}
        for row in os.fsdecode(self._run(*words)).split("\0"):
            about, tab, path = row.partition("\t")
            if tab:
                mode, *rest = about.split()
                tree = rest[0] == "blob"
                found[path] = (mode, rest[1], "0") if tree else (mode, rest[0], rest[1])
        return found

    # -- making it -----------------------------------------------------------------------------------

    def _rows(self, ours: Sequence[Change], head: str) -> bytes:
        """What an index is told of our notes; their blobs are written."""
        prefix = self._text("rev-parse", "--show-prefix")
        form = len(head) or len(self._text("hash-object", "--stdin", given=b""))
        there = [(path, after) for path, _, after in ours if after is not None]
        given = os.fsencode("".join(f"{prefix}{path}\n" for path, _ in there))
        blobs = self._text("hash-object", "-w", "--no-filters", "--stdin-paths", given=given).split()
        if blobs != [_blob(after, form) for _, after in there]:
            raise _Refused("a note was changed again meanwhile")
        modes = {path: row[0] for path, row in self._committed.items()}
        rows = [
            f"{modes.get(path, '100644')} {blob}\t{prefix}{path}\0"
            for (path, _), blob in zip(there, blobs, strict=True)
        ]
        rows += [f"0 {'0' * form}\t{prefix}{path}\0" for path, _, after in ours if after is None]
        return os.fsencode("".join(rows))

    def _made(self, head: str, rows: bytes, why: str) -> str:
        """The commit of HEAD's tree with these rows in it; it is on no branch yet."""
        own = {"GIT_INDEX_FILE": self._index}
        try:
            self._run("read-tree", head or "--empty", extra=own)
            self._run("update-index", "-z", "--index-info", given=rows, extra=own)
            tree = self._text("write-tree", extra=own)
        finally:
            with suppress(OSError):
                os.unlink(self._index)
        parent = ("-p", head) if head else ()
        known = self._call(("var", "GIT_COMMITTER_IDENT"), None, None).returncode == 0
        return self._text(*(() if known else NOBODY), "commit-tree", tree, *parent, "-m", why)

    # -- running it ----------------------------------------------------------------------------------

    def _text(
        self, *words: str, given: bytes | None = None, fails: str = "", extra: Mapping[str, str] | None = None
    ) -> str:
        """What git prints; _Refused with `fails`, else with what it complained of."""
        return os.fsdecode(self._run(*words, given=given, fails=fails, extra=extra)).strip("\n")

    def _try(self, *words: str) -> str:
        """What git prints, "" where it fails."""
        try:
            return self._text(*words)
        except _Refused:
            return ""

    def _run(
        self, *words: str, given: bytes | None = None, fails: str = "", extra: Mapping[str, str] | None = None
    ) -> bytes:
        done = self._call(words, given, extra)
        if done.returncode:
            complaint = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise _Refused(fails or f"git {words[0]} failed: {complaint or done.returncode}")
        return done.stdout

    def _call(
        self, words: Sequence[str], given: bytes | None, extra: Mapping[str, str] | None
    ) -> subprocess.CompletedProcess[bytes]:
        import shutil
        import subprocess

        program = shutil.which("git", path=self._env.get("PATH"))
        if program is None:
            raise FileNotFoundError
        settings = [part for setting in QUIET for part in ("-c", setting)]
        return subprocess.run(
            [program, *settings, *words], cwd=self._root, env=self._env | dict(extra or {}), capture_output=True,
            input=given or b"", timeout=SECONDS, check=False,
        )  # fmt: skip


def _staged(path: str, committed: tuple[str, str, str] | None, staged: tuple[str, str, str] | None) -> str:
    """Why the person's own index has something else of a note than the last commit, "" where it has not."""
    if staged is not None and staged[2] != "0":
        return f"{path} is in a merge that is not resolved"
    if (committed and committed[:2]) != (staged and staged[:2]):
        return f"{path} has changes of yours that are staged"
    return ""


def _blob(data: bytes, form: int) -> str:
    """The name of bytes as a git blob; `form` is how many hex digits names have in the repository."""
    import hashlib

    whole = b"blob %d\0" % len(data) + data
    return hashlib.sha256(whole).hexdigest() if form == 64 else hashlib.sha1(whole, usedforsecurity=False).hexdigest()
