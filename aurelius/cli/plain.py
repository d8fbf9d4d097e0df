"""The plainest command lines, read without typer, whose import takes as long as a search: `search
WORDS`, `get REF`, hooks and what git asks, with flags and `--vault DIR`. Typer reads them the same,
and any other.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from .declarations import COMMANDS, Command

if TYPE_CHECKING:
    from collections.abc import Sequence

_VALUED = ("--vault", "--part")
_GIT_NAMES = 4


def plain_line(argv: Sequence[str]) -> tuple[Command, SimpleNamespace] | None:
    """The command and its args, as typer would have them; None for a line that is not plain."""
    typed: dict[str, str | bool] = {}
    words: list[str] = []
    rest = iter(argv)
    for word in rest:
        if not word.isprintable() or not word.strip():
            return None
        if word in _VALUED:
            typed[word[2:]] = next(rest, "")
        elif word.startswith("--"):
            typed[word[2:].replace("-", "_")] = True
        else:
            words.append(word)
    name, *others = words or [""]
    found = _arguments(name, others)
    if not found or not _fits(COMMANDS[name], typed):
        return None
    return COMMANDS[name], SimpleNamespace(**COMMANDS[name].defaults | typed | found)


def _fits(command: Command, typed: dict[str, str | bool]) -> bool:
    """Whether the command has these options, each typed as what it is."""
    flags = {name for name, value in command.defaults.items() if value is False}
    known = command.defaults.keys()
    return all(
        value and name in (flags if value is True else known) for name, value in typed.items()
    )


def _arguments(name: str, words: Sequence[str]) -> dict[str, str | tuple[str, ...]]:
    """The arguments of a plain command by their names; none where the line is not plain."""
    if any(word.startswith("-") for word in words):
        return {}
    if name == "search" and words:
        return {"query": tuple(words)}
    if name == "get" and len(words) == 1:
        return {"reference": words[0]}
    if name == "merge-file" and len(words) == _GIT_NAMES:
        return dict(zip(("base", "ours", "theirs", "path"), words, strict=True))
    if name == "hook" and len(words) == 1:
        from aurelius.agents.deadline import HOOK_EVENTS

        return {"event": words[0]} if words[0] in HOOK_EVENTS else {}
    return {}
