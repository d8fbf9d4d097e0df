"""Checks of a vault and its index: what is wrong, where, and how to fix it.  Changes nothing.

Each check is a function that yields findings; `check` runs them all.  Codes are stable:

    of parsing        encoding nul binary size front-matter nesting conflict duplicate-id
    of links          unwritten site-link broken-link broken-heading broken-block broken-attachment ambiguous-link
    of facts          duplicate-id dangling-id cycle
    of names          ambiguous-name conflict-copy case-clash
    of files          unreadable not-indexed ignore-rules
    of the usage log  torn-log large-log log-ahead log-link log-file
    of the settings   setting
    of the index      index-memory index-place index-behind model
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.graph import get_called, get_links
from indexer.catalog.lists import get_facts, get_failed, get_problems
from indexer.catalog.names import is_conflict_copy, key, without_ending
from indexer.catalog.supersession import Chains
from indexer.disk.walk import IgnoreRules, diff, is_rule_file, may_be_note, may_hold_notes, shown, walk
from indexer.errors import ConfigError
from indexer.reading.fact_line import MINTED
from indexer.usage.log_line import TOO_LARGE, WAITING, home_of
from indexer.usage.log_reader import LOG, entries_of, events_of, get_newest, get_troubles

from .note_view import open_graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import apsw

    from aurelius.settings.config import Asked
    from indexer.catalog.graph import Broken
    from indexer.catalog.names import Called
    from indexer.note import Fact
    from indexer.rows.rows import Index
    from indexer.settings import Settings
    from indexer.usage.tier import Clock

_REFERENCE = re.compile(r"\^([A-Za-z0-9-]{1,64})")
_ENTITIES = frozenset(("person", "company", "project", "area"))
_SYNCED = re.compile(
    r"[/\\](?:dropbox|onedrive|google ?drive|icloud ?drive|mobile documents|nextcloud|owncloud|pcloud ?drive|mega"
    r"|syncthing)(?:[ (-][^/\\]*)?[/\\]",
    re.IGNORECASE,
)
_FIXES = {
    "encoding": "save the note as UTF-8",
    "nul": "save the note as UTF-8 text",
    "binary": "rename the file so that it does not end in .md, or ignore it",
    "size": "split the note",
    "front-matter": "correct the lines between the two `---`",
    "structure": "split the note, or nest fewer lists and quotes",
    "conflict": "keep one side and remove the markers",
    "duplicate-id": "remove the id from one of the two lines",
}


class Finding(NamedTuple):
    """One thing that is wrong: where (`line` 0 = the whole file; `path` "" = the vault), a stable code,
    what it is, and what to do.
    """

    path: str
    line: int
    code: str
    message: str
    fix: str


def check(
    index: Index, settings: Settings, clock: Clock, in_vain: Sequence[Asked] = (), *, private: bool
) -> tuple[Finding, ...]:
    """All that is wrong, in order of path and line; of private notes only where they may be seen."""
    db = index.db
    found = [
        *of_index(index, settings),
        *of_model(settings),
        *of_parsing(db, private=private),
        *of_files(settings.root, settings.exclude),
        *of_links(db, settings, private=private),
        *of_facts(
            list(get_facts(db, private=True, as_written=True)), {each.path for each in get_called(db, private=private)}
        ),
        *of_names(list(get_called(db, private=private))),
        *of_log(db),
        *of_log_times(db, settings, clock),
        *of_log_folder(settings.root),
        *of_settings(in_vain),
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda each: (each.path, each.line, each.code, each.message)))


def of_settings(in_vain: Sequence[Asked]) -> Iterator[Finding]:
    """Values in a file of settings that are used nowhere."""
    for each in in_vain:
        if each.why:
            told = f"{each.source}: {each.key} = {each.value!r} is not used: {each.why}"
            yield Finding("", 0, "setting", told, f"set another one, or remove it: {each.command}")


def of_log(db: apsw.Connection) -> Iterator[Finding]:
    """Lines of the usage log that say nothing, because a crash or a merge tore them, and files that are too large."""
    for path, torn, large in get_troubles(db):
        if torn:
            lines = "1 line" if torn == 1 else f"{torn} lines"
            yield Finding(
                f"{LOG}/{path}", 0, "torn-log", f"{lines} of the usage log cannot be read",
                "remove what is no line of JSON; all other lines count as they are",
            )  # fmt: skip
        if large:
            yield Finding(f"{LOG}/{path}", 0, "large-log", TOO_LARGE, "remove what is no line of the usage log")


def of_log_times(db: apsw.Connection, settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Events of a day later than tomorrow, written while a clock was wrong."""
    for path, newest in get_newest(db).items():
        if not _is_ahead(newest, clock):
            continue
        file = settings.uses if path == WAITING else os.path.join(settings.root, LOG, path)
        ahead = [(line, at) for line, at in events_of(file, path) if _is_ahead(at, clock)]
        if ahead:
            line, at = ahead[0]
            which = f"{len(ahead)} events are of days to come, the first" if len(ahead) > 1 else "an event is"
            yield Finding(
                "" if path == WAITING else f"{LOG}/{path}", 0 if path == WAITING else line, "log-ahead",
                f"{which} of {clock.day_of(at)}: it counts once, and keeps nothing hot before that day",
                "correct the clock of this device if it is wrong; to take a use back, remove its line",
            )  # fmt: skip


def _is_ahead(at: int, clock: Clock) -> bool:
    day = clock.day_of(at)
    return day is not None and clock.is_ahead(day)


def of_log_folder(root: str) -> Iterator[Finding]:
    """Links, pipes and the like in the place of the folders and files of the usage log."""
    for path in (os.path.dirname(LOG), LOG):
        if os.path.islink(os.path.join(root, path)):
            what = "it is a link, and nothing is written through a link: uses are kept on this device only"
            yield Finding(path, 0, "log-link", what, "put the folder itself there")
            return
    for device in entries_of(os.path.join(root, LOG)):
        path = f"{LOG}/{device.name}"
        if not device.is_dir(follow_symlinks=False):
            yield from _of_log_entry(device, path, "folder")
            continue
        for entry in entries_of(device.path):
            if home_of(f"{device.name}/{entry.name}") is not None:
                yield from _of_log_entry(entry, f"{path}/{entry.name}", "file")


def _of_log_entry(entry: os.DirEntry[str], path: str, kind: str) -> Iterator[Finding]:
    if entry.is_symlink():
        what = "it is a link, and links are not followed: what it leads to is not counted, and nothing is written there"
        yield Finding(shown(path), 0, "log-link", what, f"put the {kind} itself there")
    elif not entry.is_file(follow_symlinks=False):
        what = f"it is no {kind}: no use is read from it or written to it"
        yield Finding(shown(path), 0, "log-file", what, "remove it")


def of_index(index: Index, settings: Settings) -> Iterator[Finding]:
    """Whether the index exists, is current, and lies where nothing else moves its file."""
    if not index.folder:
        yield Finding(
            "", 0, "index-memory", f"the index is kept in memory: {settings.folder} cannot be written",
            "make that folder writable, or name another by [index] location or AURELIUS_INDEX",
        )  # fmt: skip
        return
    root = os.path.realpath(settings.root)
    folder = os.path.realpath(index.folder)
    if (folder + os.sep).startswith(root + os.sep):
        yield _misplaced(folder, "inside the vault")
    elif _SYNCED.search(folder + os.sep):
        yield _misplaced(folder, "in a folder that is synced, where SQLite files get corrupted")
    on_disk = walk(settings.root, IgnoreRules(settings.root, settings.exclude, {}))
    found = diff(index.get_keys(), {}, on_disk)
    behind = len(found.new) + len(found.changed) + len(found.gone)
    failed = index.get_failed()
    behind -= sum(path in failed for path in (*found.new, *found.changed))
    if behind:
        yield Finding("", 0, "index-behind", f"{behind} notes differ from the index", "run `aurelius index`")


def _misplaced(folder: str, where: str) -> Finding:
    fix = "name another folder by [index] location or AURELIUS_INDEX"
    return Finding("", 0, "index-place", f"the index lies {where}: {folder}", fix)


def of_model(settings: Settings) -> Iterator[Finding]:
    """Whether the embedding model loads."""
    from indexer.tokens.embed import load

    try:
        load(settings.model)
    except ConfigError as error:
        yield Finding("", 0, "model", error.message, error.hint)


def of_parsing(db: apsw.Connection, *, private: bool) -> Iterator[Finding]:
    """What could not be read as meant, and notes that could not be read at all."""
    for path, problem in get_problems(db, private=private):
        yield Finding(path, problem.line, problem.code, problem.message, _FIXES.get(problem.code, "correct the line"))
    for path, reason in get_failed(db, private=private):
        if is_rule_file(path):
            yield Finding(
                path, 0, "ignore-rules", f"its rules are not followed: {reason}", "make it a text file in UTF-8"
            )
        else:
            yield Finding(path, 0, "unreadable", f"not indexed as it is now: {reason}", "make it a readable file")


def of_files(root: str, exclude: tuple[str, ...]) -> Iterator[Finding]:
    """Files that look like notes and are none: links, pipes, and folders that are links."""
    rules = IgnoreRules(root, exclude, {})
    walk(root, rules)
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as found:
                listed = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue  # the walk of the refresh has told
        for entry in listed:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if may_hold_notes(entry.name) and not _is_left_out(rules, path, folder=True):
                    pending.append(path)
            elif not _is_left_out(rules, path, folder=False):
                yield from _of_file(entry, shown(path))


def _is_left_out(rules: IgnoreRules, path: str, *, folder: bool) -> bool:
    """Whether rules leave a path out, or may do so: nothing is said of it where they cannot be read."""
    try:
        return rules.is_ignored(path, folder=folder)
    except OSError:
        return True


def _of_file(entry: os.DirEntry[str], path: str) -> Iterator[Finding]:
    if entry.is_symlink():
        if _is_folder(entry) and may_hold_notes(entry.name):
            yield Finding(path, 0, "not-indexed", "the folder is a link, and links are not followed", _PUT_HERE)
        elif may_be_note(entry.name):
            yield Finding(path, 0, "not-indexed", "the note is a link, and links are not followed", _PUT_HERE)
    elif may_be_note(entry.name) and not entry.is_file(follow_symlinks=False):
        yield Finding(path, 0, "not-indexed", "it is no regular file", "remove it, or ignore it")


_PUT_HERE = "move what it leads to into the vault, or ignore the link"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return stat.S_ISDIR(entry.stat().st_mode)
    except OSError:
        return False


def of_links(db: apsw.Connection, settings: Settings, *, private: bool) -> Iterator[Finding]:
    """Links whose note, heading, block or file is not there, and bare names that several notes answer to."""
    graph = open_graph(db, settings.root, settings.daily_folder)
    every = tuple(graph.broken(private=private))
    unwritten = {_subject(each) for each in every if each.code == "unwritten"}
    together: dict[str, list[Broken]] = {}
    for broken in every:
        same = broken.code == "broken-link" and _subject(broken) in unwritten
        if same or broken.code in {"unwritten", "site-link"}:
            together.setdefault(_subject(broken), []).append(broken)
            continue
        what = f"the link to {broken.written!r} leads nowhere: {broken.problem}"
        yield Finding(broken.path, broken.line, broken.code, what, _LINK_FIXES[broken.code])
    for subject, links in together.items():
        yield _of_many(subject, links)
    for path, link in get_links(db, private=private):
        rivals = graph.rivals(path, link)
        if rivals:
            first, *others = rivals
            what = f"{link.target!r} is the name of {len(rivals)} notes; taken as {first}, not {others[0]}"
            yield Finding(path, link.line, "ambiguous-link", what, "write the path of the one you mean")


def _subject(broken: Broken) -> str:
    """What links that are told together have in common: the note that is missing, or the folder they begin with."""
    if broken.code == "site-link":
        return "/" + broken.written.split("/")[1].partition("#")[0]
    return key(without_ending(broken.written.partition("#")[0]))


def _of_many(subject: str, links: list[Broken]) -> Finding:
    first, *others = sorted(links, key=lambda each: each.code == "broken-link")
    if first.code == "unwritten":
        what = f"there is no note {first.written.partition('#')[0]!r}"
    else:
        what = f"the link to {first.written!r} begins with {subject}, which the vault does not have"
    places = list(dict.fromkeys(f"{each.path}:{each.line}" for each in (first, *others)))[1:]
    if places:
        more = f" and {len(places) - 3} more places" if len(places) > 3 else ""
        what += f"; the same at {', '.join(places[:3])}{more}"
    return Finding(first.path, first.line, first.code, what, _LINK_FIXES[first.code])


_LINK_FIXES = {
    "unwritten": "write that note, or correct the name",
    "site-link": "write the whole web address, if it is one",
    "broken-link": "correct the name, or write that note",
    "broken-heading": "correct the heading, or write it in that note",
    "broken-block": "correct the id, or put it behind the line you mean",
    "broken-attachment": "correct the path, or put the file there",
}


def of_facts(facts: list[tuple[str, Fact]], seen: set[str]) -> Iterator[Finding]:
    """Ids that two notes use, ids that nothing has, and facts that supersede each other in a circle.

    `facts` are all there are, `seen` the notes that may be spoken of.
    """
    places: dict[str, list[tuple[str, Fact]]] = {}
    for path, fact in facts:
        places.setdefault(fact.key, []).append((path, fact))
        if fact.id and fact.id != fact.key:
            places.setdefault(fact.id, []).append((path, fact))
    pointed = {target for _, fact in facts for _, target in references(fact)}
    for fact_id, found in places.items():
        if MINTED.fullmatch(fact_id) or fact_id in pointed:
            yield from _duplicates(fact_id, [each for each in found if each[0] in seen])
    for path, fact in facts:
        for verb, target in references(fact) if path in seen else ():
            if target not in places:
                what = f"{verb} ^{target}, which no fact has"
                yield Finding(path, fact.first, "dangling-id", what, "correct the id, or remove it")
    for circle in Chains(facts, seen).circles():
        ids = " → ".join(f"^{fact.key}" for _, fact in (*circle, circle[0]))
        what, (path, fact) = f"facts supersede each other: {ids}", circle[0]
        yield Finding(path, fact.first, "cycle", what, "let the current one be superseded by none")


def references(fact: Fact) -> Iterator[tuple[str, str]]:
    """What a fact says of other facts, by their ids."""
    for verb, target in (
        ("superseded by", fact.superseded_by), ("updates", fact.updates), ("contradicts", fact.contradicts),
    ):  # fmt: skip
        if target:
            yield verb, target
    for target in _REFERENCE.findall(fact.because):
        yield "because", target


def _duplicates(fact_id: str, found: list[tuple[str, Fact]]) -> Iterator[Finding]:
    for path, fact in found[1:]:
        if path != found[0][0]:  # in one note, parsing tells
            where = f"{found[0][0]}:{found[0][1].first}"
            yield Finding(path, fact.first, "duplicate-id", f"^{fact_id} is also at {where}", _FIXES["duplicate-id"])


def of_names(called: list[Called]) -> Iterator[Finding]:
    """Names that two notes answer to, copies that a sync tool made, and paths that differ in case alone."""
    yield from _shared_names(called)
    paths: dict[str, str] = {}
    for each in called:
        if is_conflict_copy(each.path):
            what = "a sync tool put this beside the note because two devices changed it"
            yield Finding(each.path, 0, "conflict-copy", what, "merge what is missing into the note, delete the copy")
        other = paths.setdefault(key(each.path), each.path)
        if other != each.path:
            what = f"{other} is the same path but for case or the form of accents; on many systems one hides the other"
            yield Finding(each.path, 0, "case-clash", what, "rename one")


def _shared_names(called: Iterable[Called]) -> Iterator[Finding]:
    """An alias that is another note's name, and titles that two people, companies, projects or areas share."""
    live = [each for each in called if each.kind not in {"archive", "daily"} and not is_conflict_copy(each.path)]
    names: dict[str, list[Called]] = {}
    for each in live:
        stem = without_ending(each.path).rpartition("/")[2]
        for name in dict.fromkeys(map(key, (stem, each.title, *each.aliases))):
            names.setdefault(name, []).append(each)
    for name, found in names.items():
        for each in found[1:]:
            shared = [other for other in found if other is not each]
            alias = name in map(key, each.aliases) or any(name in map(key, other.aliases) for other in shared)
            if alias or (each.kind in _ENTITIES and any(other.kind in _ENTITIES for other in shared)):
                others = ", ".join(other.path for other in shared[:3])
                what = f"{name!r} is also a name of {others}"
                yield Finding(each.path, 0, "ambiguous-name", what, "give one another title or alias")
