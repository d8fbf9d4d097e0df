"""Everything that is wrong, where, and the fix.  Looks, never touches.

Each check is a function that yields findings; `check` runs them all.  Codes are stable:

    of parsing        encoding nul binary size front-matter nesting conflict duplicate-id
    of links          unwritten site-link broken-link broken-heading broken-block broken-attachment ambiguous-link
    of facts          duplicate-id dangling-id cycle
    of names          ambiguous-name conflict-copy case-clash
    of files          unreadable not-indexed
    of the usage log  torn-log
    of the index      index-memory index-place index-behind model
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog import get_facts, get_failed, get_problems
from indexer.errors import ConfigError
from indexer.graph import get_called, get_links
from indexer.ignore import Rules, may_be_note, may_hold_notes
from indexer.logbook import LOG, get_torn
from indexer.names import is_conflict_copy, key, without_ending
from indexer.walk import diff, shown, walk

from .view import open_graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import apsw

    from indexer.graph import Broken
    from indexer.index import Index
    from indexer.names import Called
    from indexer.note import Fact
    from indexer.settings import Settings

_MINTED = re.compile(r"[a-z0-9]{6}")
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


def check(index: Index, settings: Settings, *, private: bool) -> tuple[Finding, ...]:
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
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda each: (each.path, each.line, each.code, each.message)))


def of_log(db: apsw.Connection) -> Iterator[Finding]:
    """Lines of the usage log that say nothing, because a crash or a merge tore them (requirements §12.10)."""
    for path, count in get_torn(db).items():
        lines = "1 line" if count == 1 else f"{count} lines"
        yield Finding(
            f"{LOG}/{path}", 0, "torn-log", f"{lines} of the usage log cannot be read",
            "remove what is no line of JSON; all other lines count as they are",
        )  # fmt: skip


def of_index(index: Index, settings: Settings) -> Iterator[Finding]:
    """Whether the index exists, is current, and lies where nothing else moves its file (D33)."""
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
    on_disk = walk(settings.root, Rules(settings.root, settings.exclude, {}))
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
    """Whether the embedding model loads (D33)."""
    from indexer.embed import load

    try:
        load(settings.model)
    except ConfigError as error:
        yield Finding("", 0, "model", error.message, error.hint)


def of_parsing(db: apsw.Connection, *, private: bool) -> Iterator[Finding]:
    """What could not be read as meant, and notes that could not be read at all."""
    for path, problem in get_problems(db, private=private):
        yield Finding(path, problem.line, problem.code, problem.message, _FIXES.get(problem.code, "correct the line"))
    for path, reason in get_failed(db, private=private):
        yield Finding(path, 0, "unreadable", f"not indexed as it is now: {reason}", "make it a readable file")


def of_files(root: str, exclude: tuple[str, ...]) -> Iterator[Finding]:
    """Files that look like notes and are none: links, pipes, and folders that are links."""
    rules = Rules(root, exclude, {})
    walk(root, rules)
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # the walk of the refresh has told
        for entry in listed:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if may_hold_notes(entry.name) and not rules.is_ignored(path, folder=True):
                    pending.append(path)
            elif not rules.is_ignored(path, folder=False):
                yield from _of_file(entry, shown(path))


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
    together: dict[str, list[Broken]] = {}
    for broken in graph.broken(private=private):
        if broken.code in {"unwritten", "site-link"}:
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
    return key(broken.written.partition("#")[0])


def _of_many(subject: str, links: list[Broken]) -> Finding:
    first, *others = links
    if first.code == "unwritten":
        what = f"there is no note {first.written.partition('#')[0]!r}"
    else:
        what = f"the link to {first.written!r} begins with {subject}, which the vault does not have"
    if others:
        places = ", ".join(f"{other.path}:{other.line}" for other in others[:3])
        what += f"; the same at {places}" + (f" and {len(others) - 3} more places" if len(others) > 3 else "")
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
        if _MINTED.fullmatch(fact_id) or fact_id in pointed:
            yield from _duplicates(fact_id, [each for each in found if each[0] in seen])
    for path, fact in facts:
        for verb, target in references(fact) if path in seen else ():
            if target not in places:
                what = f"{verb} ^{target}, which no fact has"
                yield Finding(path, fact.first, "dangling-id", what, "correct the id, or remove it")
    yield from _cycles([each for each in facts if each[0] in seen])


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


def _cycles(facts: list[tuple[str, Fact]]) -> Iterator[Finding]:
    after = {fact.updates: fact.id for _, fact in facts if fact.id and fact.updates and fact.status == "active"}
    after.update({fact.id: fact.superseded_by for _, fact in facts if fact.id and fact.superseded_by})
    told: set[str] = set()
    for path, fact in facts:
        chain, at = [fact.id], after.get(fact.id, "")
        while at and at not in chain and at not in told:
            chain.append(at)
            at = after.get(at, "")
        if at and at == fact.id and at not in told:
            what = "facts supersede each other: " + " → ".join(f"^{each}" for each in (*chain, at))
            yield Finding(path, fact.first, "cycle", what, "let the current one be superseded by none")
            told.update(chain)


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
