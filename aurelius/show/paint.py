"""Colours and links on a terminal, and how places in files are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BOLD, DIM, PLACE, MARK = "1", "2", "36", "33"
"""SGR codes of headings and of words asked for, of asides, places, and ids."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
_PROGRAMS = frozenset(("iTerm.app", "WezTerm", "vscode", "ghostty"))


class Paint(NamedTuple):
    """Wraps text in colour, or leaves it alone; where `root` names the vault's folder, paths become links."""

    on: bool = False
    root: str = ""

    def __call__(self, text: str, code: str) -> str:
        """The text in an SGR code, such as "1" for bold."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    def place(self, path: str, text: str = "") -> str:
        """A note's path, or a place in it that is written as `text`, in colour and as a link to the file."""
        shown = self(text or one_line(path), PLACE)
        return f"\x1b]8;;{file_url(self.root, path)}\x1b\\{shown}\x1b]8;;\x1b\\" if self.root else shown


def file_url(root: str, path: str) -> str:
    """The `file://` address of a note; whatever is no plain character of one is percent-encoded."""
    whole = f"{root}/{path}".replace("\\", "/") if root[1:2] == ":" else f"{root}/{path}"
    return "file://" + "/" * (not whole.startswith("/")) + encoded(whole)


def encoded(text: str) -> str:
    """The text as a part of an address: its bytes, percent-encoded but for letters, digits and `-._~/`."""
    data = text.encode("utf-8", "surrogateescape")
    return "".join(chr(each) if each in _PLAIN else f"%{each:02X}" for each in data)


def shows_links(env: Mapping[str, str]) -> bool:
    """True if a terminal is known to show links; AURELIUS_LINKS=0 or 1 decides it instead."""
    told = env.get("AURELIUS_LINKS", "")
    if told in {"0", "1"}:
        return told == "1"
    term = env.get("TERM", "")
    if env.get("NO_COLOR") or term == "dumb" or "TMUX" in env or "STY" in env or term.startswith(("screen", "tmux")):
        return False
    vte = env.get("VTE_VERSION", "")
    known = {"KITTY_WINDOW_ID", "WT_SESSION", "DOMTERM"} & env.keys() or env.get("TERM_PROGRAM") in _PROGRAMS
    return bool(known) or (vte.isdecimal() and len(vte) < 9 and int(vte) >= 5000)


def place(path: str, first: int, last: int) -> str:
    """`path:line` or `path:first-last`, which editors and terminals know how to open."""
    return f"{one_line(path)}:{first}" + (f"-{last}" if last > first else "")


def paths(found: Iterable[str]) -> str:
    """Paths, each once, one a line."""
    return "".join(one_line(path) + "\n" for path in dict.fromkeys(found))
