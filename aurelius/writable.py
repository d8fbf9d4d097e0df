"""What Aurelius may write: notes in a person's own folders, and nothing that steers a program (reliability F2).

Never a dot-folder (`.git`, `.obsidian`, `.aurelius`), never a file that tells agents what to do
(`AGENTS.md` and its like), and ME.md only where the person said so (design §9).
"""

from __future__ import annotations

import os
import unicodedata

from .files import inside, refused

ENDINGS = (".md", ".markdown")
STEERING = frozenset({
    "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md", "crush.md", "warp.md",
    "copilot-instructions.md", "skill.md", "hooks.md",
})  # fmt: skip
"""Notes that agents take their orders from, in lower case; a person writes them by hand."""

OWN = frozenset({"me.md", "soul.md", "identity.md", "user.md"})
"""Who the person is: written only with their word for it."""

LONGEST = 240
"""Bytes a file's name may have, so that there is room for the temporary one beside it."""


def parts(path: str, *, me: bool = False) -> tuple[str, ...]:
    """The parts of the path of a note that may be written; UsageError with the reason for any other."""
    found = inside(path, "written")
    for part in found:
        bare = _bare(part)
        if bare.startswith("."):
            raise refused(path, f"has {part} on the way, and what is hidden is not written to", "written")
        if os.name == "nt" and (part != part.rstrip(". ") or "~" in part):
            raise refused(path, f"has {part} in it, which Windows may take for another name", "written")
    name = _bare(found[-1])
    if not found[-1].casefold().endswith(ENDINGS) or name in ENDINGS:
        raise refused(path, "is no note: its name does not end in .md", "written")
    if len(os.fsencode(found[-1])) > LONGEST:
        raise refused(path, f"has a name of more than {LONGEST} bytes", "written", "take a shorter name")
    if name in STEERING:
        why = "tells agents what to do, which only a person's own editor may change"
        raise refused(path, why, "written", "change it in an editor")
    if name in OWN and not me:
        why = "says who you are, and that is changed only with your word for it"
        raise refused(
            path, why, "written", "`--force` is your word, where a command knows it; else change it in an editor"
        )
    return found


def _bare(part: str) -> str:
    """A name as a file system may see it that knows no case, composed letters or invisible characters."""
    seen = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold().rstrip(". ") if seen.strip(". ") else "."
