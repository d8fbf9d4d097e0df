"""Claude's memory tool, `memory_20250818`, over a vault: the six commands by which an agent keeps
files in `/memories`.

`/memories` is the vault's folder. An agent sees the notes that every other door shows it, and
nothing else: for it, a private or ignored note, a file that is no note and a link do not exist.
What it writes is checked, whole and undoable like any other change; what it deletes goes to the
archive, and a note that is renamed takes its links along.

The texts are those of Anthropic's documentation, for a path as the agent wrote it.
"""

from __future__ import annotations

import datetime
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from aurelius.ageing import usage_log
from aurelius.answers.lookup import note_bytes
from aurelius.api import plan_desk
from aurelius.compose.note_lines import NoteLines
from aurelius.memory.relevance import newer_elsewhere
from aurelius.plans.move_archive import move_all, places_in_archive
from aurelius.plans.new_note import why_left_out
from aurelius.plans.plan import Plan, carry_through
from aurelius.vault import healed, looks
from aurelius.writing.check_edit import Edit, check_name
from aurelius.writing.safe_folder import is_same, path_parts
from indexer.catalog.lists import get_key
from indexer.catalog.tiers import facts_within
from indexer.catalog.visibility import get_paths_like, is_hidden_from
from indexer.errors import AureliusError, NoteNotFoundError, UsageError
from indexer.reading.blocks import TEXT_LIMIT, decode, split_lines
from indexer.reading.path_meaning import is_archived
from indexer.rows.schema import UNSOUND
from indexer.spelling import UTF8_BOM, single_spaced

from .calls import Schema, read_arguments, schema_of, words_of_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.memory.lines import Line
    from aurelius.plans.plan import Desk
    from aurelius.vault import Vault

ROOT = "/memories"
MOST_LINES = 999_999
"""Lines of a note that are shown: their numbers are six digits wide."""
_MOST_ANSWER_LETTERS = 16_000
"""Characters of a listing, and of a note of which no lines were asked for: about 4,000 tokens."""
_MOST_NAMED_LINES = 20
"""Line numbers that an error names."""

_TEXT: Schema = {"type": "string", "minLength": 0}
_PATH: Schema = {"type": "string", "maxLength": 1_000}
_KINDS: Mapping[str, Schema] = {
    "path": _PATH,
    "old_path": _PATH,
    "new_path": _PATH,
    "view_range": {"type": "array", "items": {"type": "integer"}},
    "insert_line": {"type": "integer"},
}
TAKES = {
    "view": "path! view_range",
    "create": "path! file_text!",
    "str_replace": "path! old_str! new_str",
    "insert": "path! insert_line! insert_text!",
    "delete": "path!",
    "rename": "old_path! new_path!",
}
"""What each command takes, `!` where it has to be given."""


class _Change(NamedTuple):
    """What a command is going to do, and what is told of it."""

    plan: Plan
    told: str


class ToolAnswer(NamedTuple):
    """What the agent is told, and whether that is an error: the `content` and `is_error` of a tool
    result."""

    content: str
    is_error: bool = False


class _Refused(Exception):
    """What the agent asked is not done; the text says why."""


class MemoryTool:
    """The memory tool over one vault.

    `uses` says whether a note that is viewed counts as used, in which `session`; `now` is the time
    of its changes, the real one unless given. What the person should know is gathered in the
    vault's `notices`.
    """

    def __init__(
        self,
        vault: Vault,
        *,
        uses: bool = True,
        session: str = "",
        now: datetime.datetime | None = None,
    ) -> None:
        self.vault = vault
        self._uses = uses
        self._session = session
        self._now = now

    def call(self, asked: object) -> ToolAnswer:
        """Do what the input of a tool call asks for: a map with `command` and what belongs to
        it."""
        self.vault.now = self._now or datetime.datetime.now()
        try:
            command, given = _checked(asked)

            def answered(vault: Vault) -> str:
                vault.refresh()
                if command == "view":
                    return self._view(**given)
                return self._change(command, given)

            # what writes is never done again
            attempt = healed if command == "view" else looks
            return ToolAnswer(attempt(answered)(self.vault))
        except _Refused as refusal:
            return ToolAnswer(str(refusal), is_error=True)
        except AureliusError as error:
            return ToolAnswer("Error: " + "\n".join(words_of_error(error)).rstrip(), is_error=True)
        except UNSOUND as error:
            if not self.vault.heals(error):
                raise
            text = f"Error: the index was damaged ({error}) and has been rebuilt"
            hint = "see whether the change was made, then call again"
            return ToolAnswer(f"{text}\n{hint}", is_error=True)

    # -- looking -----------------------------------------------------------------------

    def _view(
        self,
        path: str,
        view_range: list[int] | None = None,
    ) -> str:
        place = _place(path)
        notes = self._notes(place)
        if place and not notes:
            raise _Refused(f"The path {path} does not exist. Please provide a valid path.")
        if notes != [place]:
            keys = self.vault.index().get_keys()
            sizes = {each.removeprefix(f"{place}/"): keys[each][0] for each in notes}
            return _listing(f"{ROOT}/{place}".rstrip("/"), sizes)
        shown, *lines = _numbered(path, self._data(place, path), view_range)
        if self._uses:
            found = facts_within(self.vault.db, place, *lines)
            usage_log.record_uses(self.vault, found or [place], "view", self._session)
        newer = newer_elsewhere(self.vault, place, *lines)
        return "\n".join([shown, *map(_newer_line, newer)])

    def _notes(self, place: str) -> list[str]:
        """The note of a path, or those of a folder, that an agent may see; [] where there is
        none."""
        db = self.vault.db
        if place and get_key(db, place, private=False) is not None:
            return [place]
        return [each.path for each in get_paths_like(db, f"{place}/" if place else "")]

    def _data(self, place: str, path: str) -> bytes:
        """The bytes of a note as they are now, if it may be seen."""
        try:
            return note_bytes(self.vault, place, private=False)
        except NoteNotFoundError:
            raise _Refused(
                f"The path {path} does not exist. Please provide a valid path."
            ) from None

    # -- writing -----------------------------------------------------------------------

    def _change(
        self,
        command: str,
        given: Mapping[str, Any],
    ) -> str:
        """Do what a command that writes asks for, and say so."""
        at = plan_desk(self.vault, person=False, now=self._now)
        answer = ""

        def plan() -> Plan:
            nonlocal answer
            made: _Change = getattr(self, f"_{command}")(at, **given)
            answer = made.told
            return made.plan

        self.vault.notices += carry_through(at, plan).notices
        return answer

    def _below(self, path: str, done: str) -> list[str]:
        """The notes of a path, of which something is `done`; the vault's folder is left alone."""
        place = _place(path)
        if not place:
            raise _Refused(f"Cannot {done} the {ROOT} directory itself")
        notes = self._notes(place)
        if not notes:
            raise _Refused(f"Error: The path {path} does not exist")
        return notes

    def _create(
        self,
        _at: Desk,
        path: str,
        file_text: str,
    ) -> _Change:
        place = _place(path)
        if self._notes(place) or not place:
            raise _Refused(f"Error: File {path} already exists")
        self._check_free(path, {"": place})
        edit = Edit(place, None, _bounded(path, b"", file_text.encode()))
        plan = Plan([edit], f"memory tool: create {place}")
        return _Change(plan, f"File created successfully at: {path}")

    def _str_replace(
        self,
        _at: Desk,
        path: str,
        old_str: str,
        new_str: str = "",
    ) -> _Change:
        place = _place(path)
        if self._notes(place) != [place]:
            raise _Refused(f"Error: The path {path} does not exist. Please provide a valid path.")
        before = self._data(place, path)
        after, first = _replaced(path, place, before, old_str, new_str)
        lines = _lines(after)
        last = min(len(lines), first + new_str.count("\n") + 2)
        rows = _clipped(_rows(lines, max(1, first - 2), last))
        edit = Edit(place, before, _bounded(path, before, after))
        plan = Plan([edit], f"memory tool: str_replace in {place}")
        told = (
            "The memory file has been edited. Here is the snippet showing the change (with line"
            " numbers):"
        )
        return _Change(plan, "\n".join([told, *rows]))

    def _insert(
        self,
        _at: Desk,
        path: str,
        insert_line: int,
        insert_text: str,
    ) -> _Change:
        place = _place(path)
        if self._notes(place) != [place]:
            raise _Refused(f"Error: The path {path} does not exist")
        before = self._data(place, path)
        lines = NoteLines(place, before)
        if not 0 <= insert_line <= len(lines.texts):
            raise _Refused(
                f"Error: Invalid `insert_line` parameter: {insert_line}. "
                f"It should be within the range of lines of the file: [0, {len(lines.texts)}]"
            )
        lines.insert(insert_line, split_lines(insert_text) or ("",))
        edit = Edit(place, before, _bounded(path, before, lines.data()))
        plan = Plan([edit], f"memory tool: insert in {place}")
        return _Change(plan, f"The file {path} has been edited.")

    def _delete(
        self,
        at: Desk,
        path: str,
    ) -> _Change:
        place = _place(path)
        notes = self._below(path, "delete")
        live = [each for each in notes if not is_archived(each)]
        moved = places_in_archive(at, live, nested=notes != [place])
        if not moved:
            raise UsageError(f"{path} is in the archive already", "nothing is deleted for good")
        why = why_left_out(self.vault.settings, *moved.values())
        if why:
            raise UsageError(f"{path} is not deleted, because its place in the archive {why}")
        plan = move_all(at, moved, f"memory tool: delete {place}")
        return _Change(plan, f"Successfully deleted {path}")

    def _rename(
        self,
        at: Desk,
        old_path: str,
        new_path: str,
    ) -> _Change:
        source = _place(old_path)
        target = _place(new_path)
        notes = self._below(old_path, "rename")
        if not target or self._notes(target):
            raise _Refused(f"Error: The destination {new_path} already exists")
        if target.startswith(f"{source}/"):
            raise _Refused(f"Error: {old_path} cannot be moved into itself")
        moved = {each: target + each[len(source) :] for each in notes}
        self._check_free(new_path, moved)
        plan = move_all(at, moved, f"memory tool: rename {source} to {target}")
        return _Change(plan, f"Successfully renamed {old_path} to {new_path}")

    def _check_free(self, path: str, moved: Mapping[str, str]) -> None:
        """Refuse notes where none may be, or where something is that the agent does not see: it is
        not told which."""
        root = self.vault.root
        for old, new in moved.items():
            check_name(root, new, old)
        taken = any(
            is_hidden_from(new, self.vault.who)
            or (_is_taken(root, new) and not is_same(f"{root}/{old}", f"{root}/{new}"))
            for old, new in moved.items()
        )
        if taken or why_left_out(self.vault.settings, *moved.values()):
            raise _Refused(f"Error: The path {path} cannot be used. Please choose another one.")


def _is_taken(root: str, place: str) -> bool:
    """Whether something has a path of the vault, or a link or a file one of the folders that it is
    in."""
    steps = place.split("/")
    above = [os.path.join(root, *steps[:depth]) for depth in range(1, len(steps))]
    return os.path.lexists(os.path.join(root, *steps)) or any(
        os.path.islink(each) or not os.path.isdir(each) for each in above if os.path.lexists(each)
    )


# -- what was asked --------------------------------------------------------------------


def _checked(asked: object) -> tuple[str, dict[str, Any]]:
    """The command of a call and what it needs, each of the right kind."""
    given = asked if isinstance(asked, dict) else {}
    command = str(given.get("command"))
    if command not in TAKES:
        raise _Refused(f"Error: `command` is one of {', '.join(TAKES)}")
    takes = schema_of(TAKES[command], _KINDS, _TEXT)
    named = {name: given[name] for name in takes["properties"] if name in given}
    return command, read_arguments(takes, named)


def _place(path: str) -> str:
    """The path in the vault of a path below `/memories`; "" for the vault's folder."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise _Refused(f"Path must start with {ROOT}, got: {path}")
    below = path[len(ROOT) :]
    if ".." in re.split(r"[/\\]", unquote(below)):
        raise _Refused(f"Path {path} would escape {ROOT} directory")
    steps = [step for step in below.split("/") if step not in {"", "."}]
    if steps:
        return "/".join(path_parts("/".join(steps)))
    return ""


def _replaced(
    path: str,
    place: str,
    before: bytes,
    old: str,
    new: str,
) -> tuple[bytes, int]:
    """A note's bytes with the one place where a text stands replaced, and the line where that
    is."""
    lines = NoteLines(place, before)
    found = lines.find(old, _MOST_NAMED_LINES + 1)
    named = old if len(old) < _MOST_ANSWER_LETTERS else f"{old[:_MOST_ANSWER_LETTERS]} …"
    if not found:
        raise _Refused(
            f"No replacement was performed, old_str `{named}` did not appear verbatim in {path}."
        )
    if len(found) > 1:
        numbers = [str(line) for line, _ in found[:_MOST_NAMED_LINES]]
        if len(found) > _MOST_NAMED_LINES:
            numbers.append("…")
        raise _Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{named}` in lines:"
            f" {', '.join(numbers)}. Please ensure it is unique"
        )
    lines.replace(*found[0], old, new)
    return lines.data(), found[0][0]


def _bounded(path: str, before: bytes, after: bytes) -> bytes:
    """The bytes of a note that does not grow beyond what is read of one."""
    if len(after) > max(TEXT_LIMIT, len(before)):
        raise _Refused(
            f"Error: {path} would be larger than 2 MiB, which is the most that a note may have."
        )
    return after


# -- what is shown ---------------------------------------------------------------------


def _numbered(
    path: str,
    data: bytes,
    asked: list[int] | None,
) -> tuple[str, int, int]:
    """The lines of a note with their numbers: those that were asked for, else as many as there is
    room for; and the first and the last of them."""
    lines = _lines(data)
    count = len(lines)
    if not lines and len(data) > len(UTF8_BOM):
        raise _Refused(f"Unsupported file type for {path}")
    if count > MOST_LINES:
        raise _Refused(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
    first, last = _range(asked, count)
    rows = _rows(lines, first, last)
    if asked is None and sum(map(len, rows)) > _MOST_ANSWER_LETTERS:
        rows = _clipped(rows)
        last = len(rows)
        rows.append(
            f"[{count - last} of {count} lines are not shown; view_range [{last + 1}, -1] shows"
            " them]"
        )
    return "\n".join([f"Here's the content of {path} with line numbers:", *rows]), first, last


def _newer_line(line: Line) -> str:
    """A line of another note that is newer than one that is shown, below these."""
    where = f"{line.date}, {ROOT}/{line.path}, line {line.lines[0]}"
    return f"[{line.remarks}: {single_spaced(line.text)} ({where})]"


def _lines(data: bytes) -> Sequence[str]:
    """The lines of a note, numbered as every other answer numbers them."""
    try:
        return split_lines(data.removeprefix(UTF8_BOM).decode())
    except UnicodeDecodeError:
        return decode(data).lines


def _rows(lines: Sequence[str], first: int, last: int) -> list[str]:
    return [f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first)]


def _clipped(rows: Sequence[str]) -> list[str]:
    """As many rows, from the first on, as there is room for."""
    return [
        *rows[: bisect_right(list(accumulate(len(row) + 1 for row in rows)), _MOST_ANSWER_LETTERS)]
    ]


def _range(asked: list[int] | None, count: int) -> tuple[int, int]:
    """First and last line that a `view_range` means; all lines for none."""
    if asked is None:
        return 1, count
    if len(asked) != 2:
        raise _Refused("Error: `view_range` is [first line, last line], or [first line, -1]")
    first = max(1, asked[0])
    last = count if asked[1] == -1 else min(count, asked[1])
    if first > max(1, count) or (last < first and count):
        told = f"It should be within the range of lines of the file: [1, {count}]"
        raise _Refused(f"Error: Invalid `view_range` parameter: {asked}. {told}")
    return first, last


def _listing(shown: str, sizes: Mapping[str, int]) -> str:
    """The notes and folders of a folder, two levels deep, each with its size; that of a folder is
    what is in it."""
    totals = Counter[tuple[str, ...]]()
    for path, size in sizes.items():
        steps = tuple(path.split("/"))
        if len(steps) < 3:
            totals[steps] += size
        for depth in range(1, min(3, len(steps))):
            totals[*steps[:depth], ""] += size
    rows = {name: f"{_size(totals[name])}\t{shown}/{'/'.join(name)}" for name in sorted(totals)}
    first = sorted(rows, key=lambda name: (bool(name[-1]), len(name), name))  # folders before notes
    count = len(_clipped([rows[name] for name in first]))
    lines = [
        f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items"
        " and node_modules:",
        f"{_size(sum(sizes.values()))}\t{shown}",
    ]
    lines += [rows[name] for name in sorted(first[:count])]
    if left := len(rows) - count:
        lines.append(f"[{left} more are not listed; view one of the directories]")
    return "\n".join(lines)


def _size(count: int) -> str:
    """A number of bytes as people read it: 512B, 1.5K, 2.0M."""
    if count < 1024:
        return f"{count}B"
    size = count / 1024
    unit = "K"
    for larger in "MG":
        if size >= 1024:
            size = size / 1024
            unit = larger
    return f"{size:.1f}{unit}"
