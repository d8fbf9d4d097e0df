"""Text and JSON of the commands that write: a line a note, the diff of a dry run, facts like the
new one, a new vault.

The grammar of the JSON is aurelius/help/json.md.
"""

from __future__ import annotations

import datetime
import io
import os
from typing import TYPE_CHECKING, Any

from aurelius.settings.places import shell_word
from aurelius.settings.plain_toml import toml_value
from aurelius.writing.check_edit import Edit

from .json_text import by_key, dump, fact_at, picked
from .terminal import escape_controls, one_line

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurelius.settings.change_settings import SettingChange
    from aurelius.settings.config import Setting
    from aurelius.writing.check_edit import Applied
    from aurelius.writing.init import InitReport
    from aurelius.writing.undo import Undoable
    from aurelius.writing.undo_log import UndoEntry
    from indexer.note import Fact
    from indexer.search.hit import Hit

NO_END = "\\ No newline at end of file\n"


def changes_text(edits: Sequence[Edit]) -> str:
    """A line a note: what was done to it."""
    return "".join(
        f"{kind(edit)} {one_line(edit.path)}\n" for edit in edits if edit.before != edit.after
    )


def preview(edits: Sequence[Edit]) -> str:
    """The diff that `--dry-run` shows."""
    return escape_controls(diff_text(edits).replace("\r\n", "\n"))


def undoable(found: Iterable[Undoable], zone: datetime.tzinfo | None) -> str:
    """A line a change: its number, when, why, and what prevents undoing it."""
    rows = [
        (
            str(each.number),
            local(each.time, zone).replace("T", " ")[:16],
            one_line(each.why),
            one_line(each.obstacle),
        )
        for each in found
    ]
    width = max((len(row[0]) for row in rows), default=0)
    return "".join(
        f"{number:>{width}}  {time}  {why}{f'  ({no})' if no else ''}\n"
        for number, time, why, no in rows
    )


def undone_text(entry: UndoEntry, zone: datetime.tzinfo | None, *, dry_run: bool) -> str:
    """What `undo` took back, or would."""
    what = f"{entry.number}: {one_line(entry.why)} ({local(entry.time, zone)[:10]})"
    if dry_run:
        return f"would undo {what}"
    return f"undid {what}"


def contradicted(path: str, found: Sequence[Fact], text: str, *, dry_run: bool) -> list[str]:
    """A line for each fact that a new one contradicts, with the command that replaces it."""
    first = "`aurelius undo`, then "
    if dry_run:
        first = ""
    return [
        f"this may contradict {path}:{each.first}  {each.text}  [id:{each.key}]; if that is no"
        f" longer true: {first}`aurelius supersede {each.key} {shell_word(text)}`"
        for each in found
    ]


def older_json(path: str, found: Iterable[Fact]) -> list[dict[str, object]]:
    """The same for the JSON."""
    return [fact_at(path, each, "text") for each in found]


def like_it(found: Iterable[Hit]) -> list[str]:
    """A line for each fact that the vault has already and that is like a new one."""
    return [
        f"similar fact already there: {hit.path}:{hit.lines[0]}  {hit.text}  [id:{hit.id}]"
        for hit in found
    ]


def like_it_json(found: Iterable[Hit]) -> list[dict[str, object]]:
    """The same for the JSON."""
    return [picked(hit, "id", "path", "lines", "text") for hit in found]


def written_json(edits: Sequence[Edit], done: Applied | None, *, every: bool, **about: Any) -> str:
    """What edits did, or, where nothing is `done`, would do; `about` are keys of the command's
    own."""
    number = 0
    uncommitted = ""
    if done:
        number = done.number
        uncommitted = done.uncommitted
    return dump(
        every=every,
        **about,
        dry_run=done is None,
        number=number,
        changes=[
            {"path": edit.path, "change": kind(edit)} for edit in edits if edit.before != edit.after
        ],
        diff=diff_text(edits) if done is None else "",
        uncommitted=uncommitted,
    )


def vault_made(done: InitReport) -> str:
    """A line for each file that `init` made, and for each setting that it found and wrote down."""
    lines = [f"made {one_line(path)}\n" for path in done.created]
    lines += [
        f"set {row.key} = {one_line(toml_value(row.value))}  # from {one_line(row.source)}\n"
        for row in done.taken
    ]
    return "".join(lines)


def vault_told(done: InitReport, option: str) -> list[str]:
    """What a person should know of a vault that `init` made; `option` names it to a command that is
    run elsewhere."""
    if done.existed and not done.created:
        told = [f"{done.vault} is already a vault; nothing was changed"]
    elif done.existed:
        told = [f"{done.vault} is already a vault; missing example notes were added"]
    else:
        told = [f"{done.vault} is now a vault; to search it: aurelius{option} search WORDS"]
        if done.summarize == "weekly":
            told.append(
                "weekly summaries are written only while the daemon runs; to start it:"
                f" aurelius{option} daemon start"
            )
    told += done.told
    if any(row.key == "index.exclude" for row in done.taken):
        told.append(
            "files matching index.exclude are not searched; to search them too:"
            f" aurelius{option} config unset index.exclude"
        )
    if done.git:
        told.append(f"git: {_git_told(done)}")
    if done.kept and done.created:
        told.append(f"already there, left unchanged: {', '.join(done.kept)}")
    return told


def kinds_told(found: Mapping[str, Counter[str]], option: str) -> Iterator[str]:
    """A line for each kind of which an adopted vault has notes, with what says so, and how that is
    changed."""
    for kind, clues in found.items():
        shown = [f"{one_line(clue)} {count:,}" for clue, count in clues.most_common(_MOST_CLUES)]
        if len(clues) > _MOST_CLUES:
            shown.append("others")
        if clues:
            yield f"{_PLURALS[kind]}: {clues.total():,} ({', '.join(shown)})"
    how = f"aurelius{option} config set kinds.person 'folder: CRM'"
    if any(found.values()):
        yield f"to change what counts, for example: {how} '!tags: people'"
    else:
        yield f"no notes are people, companies or projects; to say which are, for example: {how}"


_PLURALS = {"person": "people", "company": "companies", "project": "projects"}
_MOST_CLUES = 5
"""Clues of a kind that are told."""


def _git_told(done: InitReport) -> str:
    if done.git != "made":
        return "already a repository; nothing was committed"
    if done.uncommitted:
        return f"made a repository without a commit: {done.uncommitted}"
    return "made a repository and committed only these files"


HOLDS = {
    "propose": "captures and asks",
    "apply": "captures and replaces at once",
    "off": "captures nothing",
}
"""What a client does with what the person says, by the word of `--capture`."""


def client_rows(rows: Iterable[tuple[str, str, bool, tuple[str, ...], str]]) -> str:
    """A line a client program of agents: its name, what it has of ours, or whether it was used
    here, and its folder."""
    told = []
    for name, folder, there, has, capture in rows:
        shown = list(has)
        if capture:
            shown = [*(each for each in has if each != "capture"), HOLDS[capture]]
        without = "not installed" if there else "not used here"
        told.append((name, ", ".join(shown) or without, folder))
    width = max([24, *(len(has) for _, has, _ in told)])
    return "".join(f"{name:<14} {has:<{width}} {one_line(folder)}\n" for name, has, folder in told)


def clients_json(rows: Iterable[tuple[str, str, bool, tuple[str, ...], str]]) -> str:
    """The same for programs."""
    names = ("client", "folder", "used", "installed", "capture")
    return dump(clients=[dict(zip(names, row, strict=True)) for row in rows])


def hooks_json(
    rows: Iterable[Setting],
    failed: Mapping[str, Mapping[str, str]],
    late: Mapping[str, tuple[int, int]],
    kept: tuple[int, str],
    *,
    daemon: bool,
) -> str:
    """The answer of `hook status`; `late` says of an event how many of the last ones were too late,
    of how many."""
    return dump(
        settings=by_key(rows),
        daemon=daemon,
        failures=list(failed.values()),
        prompts=late["prompt"][1],
        late=late["prompt"][0],
        starts=late["session-start"][1],
        late_starts=late["session-start"][0],
        sessions=kept[0],
        trace=kept[1],
    )


def hooks_told(late: Mapping[str, tuple[int, int]], kept: tuple[int, str]) -> list[str]:
    """Whether answers come in time, and what is remembered of sessions, a line each."""
    told = [
        "no prompt was sent yet",
        "no session was begun yet",
        "no session is remembered",
        "nothing is traced yet",
    ]
    missed, count = late["prompt"]
    if count:
        told[0] = f"{missed} of the last {count} prompts got no answer in time"
    missed, count = late["session-start"]
    if count:
        told[1] = (
            f"{missed} of the last {count} sessions began without their opening lines, because the"
            " hook was too late"
        )
    sessions, trace = kept
    if sessions:
        told[2] = f"sessions remembered for 30 days: {sessions}"
    if trace:
        told[3] = f"the trace is in {trace}"
    return told


def files_diff(plans: Iterable[SettingChange]) -> str:
    """The diff of files of settings."""
    return preview([Edit(plan.file.lstrip("/"), plan.before, plan.after) for plan in plans])


def client_json(client: str, plans: Sequence[SettingChange], *, done: bool) -> str:
    """What `install` and `uninstall` did to the files of a client, or would do."""
    edits = [Edit(plan.file, plan.before, plan.after) for plan in plans]
    return dump(
        client=client,
        dry_run=not done,
        changes=[{"path": edit.path, "change": kind(edit)} for edit in edits],
        diff="" if done else diff_text(edits),
    )


def kind(edit: Edit) -> str:
    """What an edit does to a note: made, changed or removed."""
    if edit.before is None:
        return "made"
    if edit.after is None:
        return "removed"
    return "changed"


def undoable_json(found: Iterable[Undoable], zone: datetime.tzinfo | None, *, every: bool) -> str:
    """The answer of `undo --list`, newest first."""
    return dump(
        every=every,
        changes=[
            {
                "number": each.number,
                "time": local(each.time, zone),
                **picked(each, "why", "paths", "undoes", "obstacle"),
            }
            for each in found
        ],
    )


def local(time: float, zone: datetime.tzinfo | None) -> str:
    """A time of a person's own clock, to the second."""
    return (
        datetime.datetime.fromtimestamp(time, zone)
        .replace(tzinfo=None)
        .isoformat(timespec="seconds")
    )


def diff_text(edits: Iterable[Edit]) -> str:
    """The edits as git writes them, `a/` before and `b/` after; what is no UTF-8 has its bytes
    replaced.

    A note that moves is one line, `renamed: A → B`, and what changes in it besides.
    """
    all_ = [edit for edit in edits if edit.before != edit.after]
    left = {edit.path: edit.before for edit in all_ if edit.after is None}
    moves = {edit.source for edit in all_ if edit.source in left and edit.before is None}
    return "".join(
        _diff(edit, left[edit.source] if edit.source in moves else None)
        for edit in all_
        if not (edit.path in moves and edit.after is None)
    )


def _diff(edit: Edit, moved: bytes | None) -> str:
    """What an edit changes; `moved` are the bytes of a note that it gives another path."""
    import difflib

    before = edit.before if moved is None else moved
    old = new = os.devnull.replace("\\", "/")
    if before is not None:
        old = f"a/{one_line(edit.source or edit.path)}"
    if edit.after is not None:
        new = f"b/{one_line(edit.path)}"
    if moved is None:
        head = ""
    else:
        head = f"renamed: {one_line(edit.source)} → {one_line(edit.path)}\n"
    lines = difflib.unified_diff(_lines(before), _lines(edit.after), old, new)
    return head + "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Lines with their ends; a carriage return stays in its line, where a change of line ends
    shows."""
    return list(io.StringIO((data or b"").decode("utf-8", "replace"), newline="\n"))
