"""Every error Aurelius raises on purpose, for both packages.

    AureliusError               exit  when
    ├─ UsageError                 2   a flag, value or query that means nothing
    ├─ ConfigError                3   an unknown key or a bad value in config.toml
    ├─ VaultNotFoundError         4   no vault here
    ├─ NoteNotFoundError          5   no note (or heading, or block) of that name
    │  ├─ UnwrittenDayError       5   the daily note of that day is not written yet
    │  └─ PrivateNoteError        5   a private note has that very name
    ├─ AmbiguousNameError         5   several notes of that name
    ├─ ConflictError              6   the file changed meanwhile, or another daemon has the vault
    └─ IndexUnavailableError      7   not even the files can be read

Libraries raise these; only the surfaces print them.  Anything else that escapes is a bug.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class Hint(str):
    """What to do, as a person at a shell is told it; `for_agents` says it to an agent, which has no
    shell and no leave for what only the person may allow.

    A hint that names no command is a plain text, the same for both.
    """

    __slots__ = ("for_agents",)

    for_agents: str

    def __new__(cls, text: str, for_agents: str = "") -> Self:
        """The hint for a person, and the one for an agent, "" where there is nothing that it can
        do."""
        made = super().__new__(cls, text)
        made.for_agents = for_agents
        return made


def hint_for_agents(hint: str) -> str:
    """What an agent is told where a person is given this hint."""
    return hint.for_agents if isinstance(hint, Hint) else hint


ASK_THE_PERSON = "only the person can allow it: ask them"
"""What an agent is told where a person may use `--force`."""


class AureliusError(Exception):
    """Something a person can put right: `message` says what and where, `hint` what to do."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AureliusError):
    """A flag, value or query that means nothing."""

    exit_code = 2


class ConfigError(AureliusError):
    """An unknown key or a bad value in a config file."""

    exit_code = 3


class VaultNotFoundError(AureliusError):
    """No vault at the place named, nor above the working directory."""

    exit_code = 4


class NoteNotFoundError(AureliusError):
    """No note, heading or block of that name."""

    exit_code = 5


class UnwrittenDayError(NoteNotFoundError):
    """The daily note of a day that nobody has written yet; `path` is where it would be."""

    def __init__(self, message: str, hint: str = "", path: str = "") -> None:
        super().__init__(message, hint)
        self.path = path


class PrivateNoteError(NoteNotFoundError):
    """A private note has that very name: no other note is meant by it."""


class AmbiguousNameError(AureliusError):
    """Several notes answer to that name; `candidates` are their paths."""

    exit_code = 5

    def __init__(self, message: str, hint: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.candidates = candidates


class ConflictError(AureliusError):
    """Somebody else was first: the file changed since it was read, or another daemon has the vault.

    Nothing was written.
    """

    exit_code = 6


class IndexUnavailableError(AureliusError):
    """The vault itself cannot be read, so nothing can be answered."""

    exit_code = 7


def first_names(names: list[str], most: int) -> str:
    """The first so many of some names, and how many more there are."""
    more = ""
    if len(names) > most:
        more = f" and {len(names) - most} more"
    return ", ".join(names[:most]) + more


def error_reason(error: OSError) -> str:
    """Why a file could not be read, in words."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
