"""Edits as values (the place that is written, the bytes of a note before and after, what was done),
and the checks before a write: only notes in a person's own folders, which stay readable, whole, and
with every fact.

A note is read before and after, which costs milliseconds; but not where whoever made the edits has
done so, so that a thousand summaries are written in seconds.

Never written: a dot-folder (`.git`, `.obsidian`, `.aurelius`), a file that tells agents what to do
(`AGENTS.md` and its like; `HEARTBEAT.md` and its like by no agent), and ME.md unless the person
allows it. Nothing here writes.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.note_lines import NoteReader
from aurelius.language.secret_text import find_secret
from aurelius.settings.places import VAULT_FOLDER, shell_word
from indexer.catalog.visibility import clean_folder, is_hidden_from
from indexer.disk.walk import ENDINGS, folders_above
from indexer.errors import ASK_THE_PERSON, Hint, UsageError
from indexer.note import ONLY_TOLD
from indexer.reading.path_meaning import is_archived, is_imported

from .safe_folder import disk_path, path_parts, refused_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.language.secret_text import Secret
    from indexer.catalog.visibility import Who
    from indexer.note import Fact, Note

STEERING = frozenset(
    {
        "agents.md",
        "agents.override.md",
        "claude.md",
        "claude.local.md",
        "gemini.md",
        "qwen.md",
        "crush.md",
        "warp.md",
        "copilot-instructions.md",
        "skill.md",
        "hooks.md",
    }
)
"""Notes that agents take their orders from, in lower case; a person writes them by hand."""

RUN = frozenset(
    {
        "heartbeat.md",
        "tools.md",
        "bootstrap.md",
        "boot.md",
        "agent.md",
        "codex.md",
        "replit.md",
        "grok.md",
    }
)
"""More of them, whose names a person's note may have as well: an agent does not write them, a
person may."""

_KEEP_ELSEWHERE = (
    "notes may reach git, other devices and agents: keep it in a password manager and note where"
)
"""What to do with a secret."""
_OWN_FILES = frozenset({"me.md", "soul.md", "identity.md", "user.md"})
"""Who the person is: written only where the person allows it."""

PRIVATE_NAME = "a private note"
"""What a private note is called where its path is not told."""

_MOST_NAME_BYTES = 240
"""Bytes a file's name may have, so that there is room for the temporary one beside it."""

HALF = 0.5
"""The share of a note that an edit may take away unasked."""

_SMALL_NOTE_BYTES = 400
"""Bytes of a note below which a share says nothing."""


def check_edits(place: Place, edits: Sequence[Edit]) -> None:
    """UsageError for edits that may not be made, whatever the files hold."""
    check_secrets(place, edits)
    moved = {edit.source for edit in edits}
    facts = 0
    for edit in edits:
        writable_parts(place, edit.path)
        refuse_anothers(edit.path, place.who)
        if not place.proven:
            facts += _facts_gained(place, edit, is_moved=edit.path in moved)
    if facts < 0 and not place.shrink:
        lost = f"{-facts} {'fact' if facts == -1 else 'facts'}"
        hint = Hint(
            "facts are not deleted: use `aurelius supersede` or `aurelius archive`",
            "facts are not deleted: `supersede` replaces one",
        )
        if any(moved):
            hint = Hint(
                "these lines would not be facts there; `aurelius archive` keeps them as facts,"
                " `--force` moves the note",
                "these lines would not be facts there",
            )
        raise UsageError(f"{edits[0].path}: not written: {lost} would be lost", hint)


def _facts_gained(place: Place, edit: Edit, *, is_moved: bool) -> int:
    """How many facts an edit adds to a note, below 0 where it takes some away. UsageError where it
    would damage the note, or is not for an agent to make."""
    read = place.note_reader()
    old = _note(read, edit.path, edit.before)
    new = _note(read, edit.path, edit.after)
    if new:
        _check_after(place, edit, old, new)
    if old and not place.shrink and not is_moved:
        _check_size(edit, old.kind)
    before, after = (len(note.facts) if note else 0 for note in (old, new))
    return after - before


def _check_after(place: Place, edit: Edit, old: Note | None, new: Note) -> None:
    """UsageError where an edit would damage a note, or make it one that an agent may not make."""
    is_agents = not (place.person or edit.source)
    if old or is_agents:
        _check_problems(edit.path, old, new)
    if new.private and is_agents and not (old and old.private):
        hint = "leave `private` out: what is private is not shown to agents"
        raise UsageError(f"{edit.path}: not written: only the person makes a note private", hint)


def check_standing(place: Place, edits: Sequence[Edit]) -> None:
    """UsageError where an instruction that always applies would come or go, or anything else that
    every context tells would come: an agent may not do that by itself."""
    from indexer.catalog.lists import is_standing

    read = place.note_reader()
    pairs = [
        [_facts(read, edit.path, data) for data in (edit.before, edit.after)] for edit in edits
    ]
    told: set[str] = set()
    for old, _ in pairs:
        told |= _always_told(old)
    for edit, facts in zip(edits, pairs, strict=True):
        rules = ({fact.text for fact in each if is_standing(fact)} for each in facts)
        for text in sorted(set.symmetric_difference(*rules)):
            raise UsageError(
                f"{edit.path}: not written: {text!r} is an instruction that always applies",
                "ask the person: only they add, replace or remove such a line, at a terminal or in"
                " an editor",
            )
        for text in sorted(_always_told(facts[1]) - told):
            raise UsageError(
                f"{edit.path}: not written: {text!r} would be told to agents whatever they are"
                " asked, because it is pinned or has an importance of 0.8 or more",
                "write it without that, or ask the person: only they do so, at a terminal or in an"
                " editor",
            )


def _always_told(facts: Iterable[Fact]) -> set[str]:
    """The texts of the facts that every context tells because their own line is pinned or so
    important."""
    from indexer.catalog.lists import STANDING

    return {
        fact.text
        for fact in facts
        if fact.status == "active" and (fact.pinned or (fact.importance or 0.0) >= STANDING)
    }


def _facts(read: NoteReader, path: str, data: bytes | None) -> tuple[Fact, ...]:
    """The facts of a note; none of an archived one, which no context tells."""
    note = _note(read, path, data)
    if note and not is_archived(path):
        return tuple(note.facts)
    return ()


def check_secrets(place: Place, edits: Sequence[Edit]) -> None:
    """UsageError where lines that are added hold a likely secret which stood in none of these notes
    before."""
    if place.secrets or place.proven:
        return
    before = b"\n".join(edit.before or b"" for edit in edits).decode("utf-8", "replace")
    for edit in edits:
        if edit.after is not None and not edit.source:
            _check_lines(edit.path, edit.before or b"", edit.after, before)


def _check_lines(path: str, old: bytes, new: bytes, before: str) -> None:
    """UsageError where a line that is new in a note holds a secret which was not there `before`."""
    there = set(old.split(b"\n"))
    for number, line in enumerate(new.split(b"\n"), 1):
        if line in there:
            continue
        found = _new_secret(line.decode("utf-8", "replace"), before)
        if found:
            raise UsageError(
                f"{_named(path, found.text)}:{number}: not written: it looks like {found.what}",
                Hint(
                    f"{_KEEP_ELSEWHERE}; `--force` writes it anyway",
                    f"{_KEEP_ELSEWHERE}; {ASK_THE_PERSON}",
                ),
            )


def _new_secret(line: str, before: str) -> Secret | None:
    """The first secret of a line that is not in the text."""
    while (found := find_secret(line)) and re.search(
        rf"(?<!\w){re.escape(found.text)}(?!\w)", before
    ):
        line = line.replace(found.text, " ", 1)
    return found


def _named(path: str, secret: str) -> str:
    """A note's path as a message may have it: one that is called by the secret is only named by its
    folder."""
    letters, name = (re.sub(r"[\W_]", "", text).casefold() for text in (secret, path))
    if letters in name:
        return f"{path.rpartition('/')[0]}/…"
    return path


def _note(read: NoteReader, path: str, data: bytes | None) -> Note | None:
    """The note that these bytes are; UsageError where they are no text that can be edited."""
    if data is None or is_attachment(path):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            f"{path}: not written: it is not UTF-8 text", "save it as UTF-8, then it can be edited"
        ) from None
    found = read(path, data)
    if any(problem.code == "binary" for problem in found.problems):
        raise UsageError(f"{path}: not written: it is not text")
    return found


def _check_problems(path: str, old: Note | None, new: Note) -> None:
    """UsageError where a note that was sound, or new, would not be: its front matter broken, an id
    there twice, merge marks."""
    known = {"size", *ONLY_TOLD}
    if old:
        known |= {problem.code for problem in old.problems}
    for problem in new.problems:
        if problem.code not in known:
            raise UsageError(
                f"{path}:{problem.line}: not written: it would cause this problem:"
                f" {problem.message}"
            )
    if old and (lost := old.front_matter.keys() - new.front_matter.keys()):
        raise UsageError(
            f"{path}: not written: these properties of its front matter would be lost:"
            f" {', '.join(sorted(lost))}"
        )


def _check_size(edit: Edit, kind: str) -> None:
    """UsageError where more than half of a note about one thing, or of MEMORY.md, would go."""
    from indexer.reading.facts import ENTITY_KINDS

    size = len(edit.before or b"")
    left = len(edit.after or b"")
    if is_imported(edit.path):  # what is accepted leaves it
        return
    if size > _SMALL_NOTE_BYTES and left < size * HALF and kind in {*ENTITY_KINDS, "memory", "me"}:
        raise UsageError(
            f"{edit.path}: not written: more than half of the note would be removed ({size} →"
            f" {left} bytes)",
            Hint("`--force` does it anyway; `aurelius undo` brings the text back", ASK_THE_PERSON),
        )


def allowed_parts(path: str, *, me: bool = False) -> tuple[str, ...]:
    """The parts of the path of a note that may be written; UsageError with the reason for any
    other."""
    found = path_parts(path, "written")
    for part in found:
        bare = _bare(part)
        if bare.startswith("."):
            raise refused_path(path, f"has the hidden name {part} in its path", "written")
        if os.name == "nt" and (part != part.rstrip(". ") or "~" in part):
            raise refused_path(
                path, f"has {part} in its path, which is not a safe name on Windows", "written"
            )
    _check_own_name(path, found[-1], me=me)
    return found


ATTACHED = frozenset(
    ".png .jpg .jpeg .gif .webp .heic .bmp .tif .tiff .pdf .txt .csv .mp3 .m4a .wav .ogg .mp4 .mov"
    " .webm .doc .docx .xls .xlsx .ppt .pptx .odt .ods .zip .bin".split()
)
"""Endings of files that an import may bring along with its notes."""


def is_attachment(path: str) -> bool:
    """Whether a path is that of a file which an imported note shows."""
    folder, _, name = path.rpartition("/")
    ending = os.path.splitext(name)[1].lower()
    return is_imported(path) and folder.endswith("/attachments") and ending in ATTACHED


def _check_own_name(path: str, last: str, *, me: bool) -> None:
    """UsageError for a path whose last part is no note, or one that steers agents."""
    name = _bare(last)
    if is_attachment(path) and len(os.fsencode(last)) <= _MOST_NAME_BYTES:
        return
    if not last.casefold().endswith(ENDINGS) or name in ENDINGS:
        raise refused_path(path, "is not a note: its name does not end in .md", "written")
    if len(os.fsencode(last)) > _MOST_NAME_BYTES:
        raise refused_path(
            path,
            f"has a name of more than {_MOST_NAME_BYTES} bytes",
            "written",
            "choose a shorter name",
        )
    if name in STEERING:
        why = "is read by agents as instructions, and only you may change it"
        raise refused_path(path, why, "written", "change it with an editor")
    if name in _OWN_FILES and not me:
        why = "says who you are, and is changed only when you ask for it"
        raise refused_path(
            path,
            why,
            "written",
            Hint(
                "add `--force` if the command has it, or change the file with an editor",
                ASK_THE_PERSON,
            ),
        )


def writable_parts(place: Place, path: str) -> tuple[str, ...]:
    """The parts of the path of a note that whoever writes in this place may write; UsageError for
    any other."""
    found = allowed_parts(path, me=place.me)
    if is_attachment(path) and (place.who or not place.person):
        raise refused_path(path, "is no note", "written")
    if _bare(found[-1]) in RUN and (place.who or not place.person):
        why = "is read by agents as instructions, and only the person may change it"
        raise refused_path(
            path, why, "written", "ask the person: they change it at a terminal or in an editor"
        )
    return found


def refuse_anothers(path: str, who: Who) -> None:
    """UsageError for a note in another agent's folder, or the folder, whether it is there or
    not."""
    place = clean_folder(path)
    if is_hidden_from(place if place.casefold().endswith(ENDINGS) else f"{place}/", who):
        raise refused_path(
            path, "is in the folder of another agent", "written", "choose another folder"
        )


def check_name(root: str, path: str, old: str = "") -> None:
    """UsageError where a note is to be made that may not be written, or under a name that no link
    could lead to.

    A note that moves keeps the names of its `old` path, and a folder that is there keeps its own.
    """
    from aurelius.compose.rewrite_links import unlinkable

    kept = set(old.split("/"))
    steps = allowed_parts(path, me=True)
    for depth, part in enumerate(steps, 1):
        if depth < len(steps) and os.path.isdir(os.path.join(root, *steps[:depth])):
            continue
        if part in kept:
            odd = ""
        else:
            odd = unlinkable(part)
        if odd:
            raise refused_path(
                path,
                f"has {odd} in its name, so no link to it would work",
                "written",
                "choose a name without it",
            )
        if depth < len(steps) and part.casefold().endswith(ENDINGS):
            raise refused_path(
                path, f"has a folder called {part}, like a note", "written", "choose another folder"
            )


def _bare(part: str) -> str:
    """A name as a file system may see it that knows no case, composed letters or invisible
    characters."""
    seen = "".join(char for char in part if unicodedata.category(char) != "Cf")
    if seen.strip(". "):
        return unicodedata.normalize("NFKC", seen).casefold().rstrip(". ")
    return "."


def is_private_text(read: NoteReader, path: str, data: bytes | None) -> bool:
    """Whether a note with these bytes is private; few have to be parsed to tell."""
    return (
        data is not None
        and (b"private" in data.lower() or b"\0" in data)
        and read(path, data).private
    )


def of_inner_vaults(root: str, edits: Sequence[Edit]) -> list[str]:
    """A line for each folder in the vault that is a vault of its own and has a note that is
    written."""
    folders = set(chain.from_iterable(folders_above(edit.path) for edit in edits))
    inner = sorted(
        folder for folder in folders if os.path.isdir(disk_path(root, f"{folder}/{VAULT_FOLDER}"))
    )
    how = "its own `aurelius undo` does not know of this change; to write there: aurelius --vault"
    return [f"{folder} is a vault of its own: {how} {shell_word(folder)}" for folder in inner]


class Place(NamedTuple):
    """The place to write: the vault, and what is allowed there.

    `root` is the vault, `state` a folder outside it for lock, undo and journal, `daily` the folder
    of daily notes. `shrink` lets an edit take away more than half of a note, or facts; `me` lets it
    change ME.md; `commit` commits it, with the programs and settings that `env` leads to; `now` is
    the time, in unix seconds, that the undo list tells, 0 for the real one. `reader` parses the
    notes, each version once, for as long as this place is used; `secrets` lets an edit add what
    looks like a secret; `proven` says that whoever made the edits has read each note before and
    after them; `who` writes, None for the person, and an agent never into a folder that is hidden
    from it; `person` is False where nobody but an agent asked, which may not give standing
    instructions.
    """

    root: str
    state: str
    daily: str = "memory"
    shrink: bool = False
    me: bool = False
    commit: bool = False
    env: Mapping[str, str] | None = None
    now: float = 0.0
    reader: NoteReader | None = None
    secrets: bool = False
    proven: bool = False
    who: Who = None
    person: bool = True

    def time(self) -> float:
        """The time of a change."""
        return self.now or time.time()

    def note_reader(self) -> NoteReader:
        """The parser of the notes: the place's own, else a new one."""
        return self.reader or NoteReader(self.daily)


class Edit(NamedTuple):
    """One note's bytes before and after; None: not there. `source` is the path a moved note comes
    from."""

    path: str
    before: bytes | None
    after: bytes | None
    source: str = ""


class Applied(NamedTuple):
    """Result of edits: the number that `undo` takes (0: nothing had to change), and why no commit
    was made."""

    number: int
    uncommitted: str = ""
