"""The repository that devices meet in: where it is, what is fetched from it and sent to it.

Its address is the only thing of the repository's settings that is used, and it is looked at first:
no remote helper, no option in an address, no folder of the vault, whose own settings might run a
program. Nothing is ever forced, and no password is asked for.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import shell_word
from aurelius.writing.git_folder import BRANCHES, BlockedError
from indexer.errors import ConflictError

if TYPE_CHECKING:
    from .repository import SyncGit

_PROTOCOLS = "https:ssh:file:git"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_HOST = re.compile(r"(?:[\w.+-]+@)?\w[\w.-]*:(?!:)[^\\]+")
"""An address as ssh has it: `person@host:path`."""
_NAME = re.compile(r"\w[\w.-]*")
_PERSONAL = (
    "USER",
    "LOGNAME",
    "SSH_AUTH_SOCK",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GIT_CONFIG_GLOBAL",
    "GIT_SSL_CAINFO",
    "SSL_CERT_FILE",
    "https_proxy",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "no_proxy",
)
_LOCAL = (
    "core.hooksPath=" + os.devnull,
    "core.fsmonitor=false",
    "core.alternateRefsCommand=true",
    "receive.autogc=false",
)
"""Settings that keep the hooks and programs of a remote from running where it is a local folder."""

_REFUSED = re.compile(
    r"could not read Username|could not read Password|[Aa]uthentication failed|Permission denied"
    r"|prompts disabled|[Hh]ost key verification|error: 40[13]"
)
_GONE = re.compile(
    r"[Cc]ould not resolve|unable to access|Connection|timed out|unreachable|does not appear"
    r"|not found|does not exist|hung up"
)
_BEHIND = re.compile(r"\[rejected\]|\[remote rejected\].*(?:lock|update ref)|fetch first")


class Remote(NamedTuple):
    """Where the devices meet: the name and address of the repository, and the branch there."""

    name: str
    address: str
    branch: str
    is_named: bool

    @property
    def ref(self) -> str:
        """The ref under which this clone knows the branch."""
        return f"refs/remotes/{self.name}/{self.branch}"

    @property
    def shown(self) -> str:
        """As a person calls it."""
        return f"{self.name}/{self.branch}"


def find_remote(git: SyncGit, ref: str) -> Remote | None:
    """The remote of a branch, None where there is none.  BlockedError for an address not to use."""
    branch = ref.removeprefix(BRANCHES)
    there = [
        name.removeprefix("remote.").removesuffix(".url")
        for name in git.settings
        if name.startswith("remote.") and name.endswith(".url")
    ]
    name = git.settings.get(f"branch.{branch}.remote", "")
    if not name and len(there) == 1:
        name = there[0]
    name = name or "origin"
    if name not in there:
        return None
    if not _NAME.fullmatch(name):
        raise BlockedError(f"the remote {name!r} has a name that sync does not use")
    merge = git.settings.get(f"branch.{branch}.merge", "")
    address = _checked(git, name, git.settings[f"remote.{name}.url"])
    return Remote(name, address, merge.removeprefix(BRANCHES) or branch, bool(merge))


def _checked(git: SyncGit, name: str, address: str) -> str:
    """An address that runs nothing; that of a folder is whole."""
    scheme = _SCHEME.fullmatch(address)
    odd = address.startswith("-") or not address.isprintable() or not address
    if scheme and scheme[1] in _PROTOCOLS.split(":") and not scheme[2].startswith("-") and not odd:
        if scheme[1] != "file":
            return address
        address = scheme[2]
    elif scheme or odd or "::" in address.partition("/")[0]:
        raise BlockedError(
            f"sync does not use the address of the remote {name}: only https, ssh, git or a folder"
        )
    elif _HOST.fullmatch(address) and not os.path.isdir(os.path.join(git.top, address)):
        return address
    folder = os.path.realpath(os.path.join(git.top, os.path.expanduser(address)))
    top = os.path.realpath(git.top)
    if os.path.commonpath([folder, top]) == top:
        raise BlockedError(f"the remote {name} lies inside the vault itself")
    return folder


def fetch(git: SyncGit, remote: Remote) -> str:
    """Get what the branch of the remote has; its commit, "" where the remote has nothing yet.

    ConflictError where it cannot be reached, or has other branches only.
    """
    wanted = f"+{BRANCHES}{remote.branch}:{remote.ref}"
    if git.is_rehearsal:
        wanted = f"{BRANCHES}{remote.branch}:refs/aurelius/rehearsal"
    how = ("--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules")
    words = ("fetch", "--quiet", *how, *_other_end(remote, "upload-pack"))
    code, told = _call(git, (*words, "--", remote.address, wanted.lstrip("+")))
    if code and "non-fast-forward" in told:
        code, told = _call(git, (*words, "--", remote.address, wanted))
    if code and "couldn't find remote ref" in told:
        return _nothing(git, remote)
    if code:
        raise _refused(git, remote, told)
    if not git.is_rehearsal:
        return git.commit_of(remote.ref)
    found = git.commit_of("refs/aurelius/rehearsal")
    git.run("update-ref", "-d", "refs/aurelius/rehearsal")
    return found


def _nothing(git: SyncGit, remote: Remote) -> str:
    """What a remote without our branch has, which is "". ConflictError where it has others."""
    words = ("ls-remote", "--heads", *_other_end(remote, "upload-pack"), "--", remote.address)
    code, told = _call(git, words)
    if code:
        raise _refused(git, remote, told)
    others = re.findall(rf"(?m)\t{BRANCHES}(\S+)$", told)
    if others and not remote.is_named:
        raise ConflictError(
            f"{remote.name} has no branch {remote.branch}, but {', '.join(others[:3])}",
            f"`git branch -m {shell_word(others[0])}` gives this device's branch that name",
        )
    return ""


def push(git: SyncGit, remote: Remote, commit: str) -> bool:
    """Send a commit; False where another device was first. ConflictError where it is refused."""
    how = ("--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--no-force")
    words = ("push", *how, "--recurse-submodules=no", *_other_end(remote, "receive-pack"))
    code, told = _call(git, (*words, "--", remote.address, f"{commit}:{BRANCHES}{remote.branch}"))
    if code and _BEHIND.search(told):
        return False
    if code:
        raise _refused(git, remote, told)
    git.run("update-ref", "-m", "aurelius: sync", remote.ref, commit)
    return True


def _other_end(remote: Remote, program: str) -> tuple[str, ...]:
    """How git is to run the other end where it is a folder of this device."""
    if not os.path.isabs(remote.address):
        return ()
    settings = " ".join(f"-c {each}" for each in _LOCAL)
    return (f"--{program}=git {settings} {program}",)


def _call(git: SyncGit, words: tuple[str, ...]) -> tuple[int, str]:
    env = {name: git.given_env[name] for name in _PERSONAL if name in git.given_env}
    ssh = git.given_env.get("GIT_SSH_COMMAND") or git.person_setting("core.sshCommand") or "ssh"
    return git.network(
        words,
        env
        | {
            "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
            "GIT_ASKPASS": "",
            "SSH_ASKPASS": "",
            "SSH_ASKPASS_REQUIRE": "never",
            "GCM_INTERACTIVE": "never",
            "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes -oConnectTimeout=30",
        },
    )


def _refused(git: SyncGit, remote: Remote, told: str) -> ConflictError:
    """The error for what the other end, or the way to it, refused."""
    said = (line for line in told.splitlines() if line.startswith(("fatal:", "error:", "!")))
    line = next(said, told.strip().partition("\n")[0]).strip()
    line = re.sub(r"//[^/@\s]*@", "//", line)
    again = "what is new here is committed; run `aurelius sync` again later"
    if _REFUSED.search(told):
        fetch_it = f"`git -C {shell_word(git.top)} fetch`"
        hint = f"sync asks for no password: log in with git itself, as by {fetch_it}"
        return ConflictError(f"{remote.name} did not let this device in: {line}", hint)
    if _GONE.search(told):
        return ConflictError(f"{remote.name} cannot be reached: {line}", again)
    return ConflictError(f"git and {remote.name} did not agree: {line}", again)
