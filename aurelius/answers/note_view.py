"""Views of a note: the whole of it, or its links; of the whole vault: its state and its index's,
and all facts exported as rows, as Markdown or as an SQLite file. The notes stay the truth.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.compose import fact_text
from aurelius.compose.fact_text import TailParts
from aurelius.writing import safe_folder
from indexer.catalog.edges import relations
from indexer.catalog.graph import Graph, LinkRow
from indexer.catalog.link_targets import Files, find_target
from indexer.catalog.lists import get_counts, get_cut, get_facts, get_failed, get_problems
from indexer.catalog.mentions import has_subject, mentions_of
from indexer.catalog.newer import newer_facts
from indexer.catalog.supersession import settled_all
from indexer.catalog.visibility import is_hidden_from, viewer
from indexer.disk.walk import IgnoreRules, diff_disk, walk
from indexer.errors import (
    AureliusError,
    ConflictError,
    NoteNotFoundError,
    UnwrittenDayError,
    UsageError,
)
from indexer.reading.chunk import is_header, property_lines
from indexer.reading.path_meaning import file_stem
from indexer.reading.type_words import type_said
from indexer.usage.log_reader import get_usage

from .excerpts import section_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import apsw

    from aurelius.settings.config import Asked, Config
    from indexer.catalog.edges import Relation
    from indexer.catalog.mentions import MentionLine
    from indexer.catalog.newer import Newer
    from indexer.note import Fact, Note, Problem, Settings
    from indexer.refresh.refresh import RefreshReport
    from indexer.rows.rows import Index
    from indexer.usage.tier import Age

    LineReader = Callable[[str, int], str]

    from .asked_vault import AskedVault


class HeadingRow(NamedTuple):
    """A heading of a note: its level 1-6, its text and its line."""

    level: int
    text: str
    line: int


class NoteView(NamedTuple):
    """Everything there is to say of one note; `summary` is the text under `## Summary`, "" for
    none.

    `properties` are what its front matter says in words, links by their names; `opening` is the
    first paragraph of a note without a summary. `place` is the lines that were asked for, where the
    facts are only those in them.
    """

    path: str
    kind: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    date: str | None
    updated: str | None
    front_matter: Mapping[str, Any]
    summary: str
    facts: tuple[Fact, ...]
    headings: tuple[HeadingRow, ...]
    outgoing: tuple[LinkRow, ...]
    backlinks: tuple[LinkRow, ...]
    problems: tuple[Problem, ...]
    private: bool
    place: tuple[int, int] | None = None
    relations: Mapping[str, Sequence[Relation]] = {}
    """What its facts have to do with others, by their keys."""
    properties: tuple[tuple[str, str], ...] = ()
    opening: str = ""
    newer: Mapping[str, Newer] = {}
    """The later line of its matter that makes a fact old, by its key."""
    mentions: int = 0
    mentioned: tuple[MentionLine, ...] = ()
    """How many lines of other notes name it, and the newest of them."""


class LinkView(NamedTuple):
    """What a note links to and what links to it; where no note exists yet, `path` is the name that
    links have."""

    path: str
    outgoing: tuple[LinkRow, ...]
    backlinks: tuple[LinkRow, ...]
    exists: bool = True


class MentionView(NamedTuple):
    """The lines of other notes that name a note's subject, the newest first, and its names."""

    path: str
    names: tuple[str, ...]
    lines: tuple[MentionLine, ...]


class Listed(NamedTuple):
    """A list, and what is to be known of it: how old each note or fact is, how many more match in
    the folders that nobody asked for, and why nothing matches, "" where that is not known."""

    found: Any
    filtered: Mapping[str, int]
    hint: str
    ages: Mapping[str, Age] = {}


NEWEST_MENTIONS = 3
"""Lines that name a note which its view shows."""


def view(
    note: Note, graph: Graph, *, private: bool, place: tuple[int, int] | None = None
) -> NoteView:
    """The view of a parsed note with its links; of its facts those at `place`, where any are."""
    facts = settled_all(graph.db, note.path, note.facts, private=private)
    facts = tuple(_resolved(note.path, fact, graph, private=private) for fact in facts)
    there = _facts_at(facts, place)
    shown = there or facts
    headings = (
        HeadingRow(each.level, each.heading[-1], each.first) for each in note.sections if each.level
    )
    told = summary(note)
    first = ""
    if not (told or there):
        first = first_paragraph(note)
    newer = {
        key: line for (_, key), line in newer_facts(graph.db, note.path, private=private).items()
    }
    mentions = mentions_of(graph.db, note.path, private=private)
    return NoteView(
        path=note.path,
        kind=note.kind,
        title=note.title,
        aliases=note.aliases,
        tags=tuple(dict.fromkeys(tag.name for tag in note.tags)),
        date=note.date,
        updated=note.updated,
        front_matter=note.front_matter,
        summary=told,
        facts=shown,
        headings=tuple(headings),
        outgoing=graph.outgoing(note.path, private=private),
        backlinks=graph.backlinks(note.path, private=private),
        problems=note.problems,
        private=note.private,
        place=place if there else None,
        relations=relations(graph.db, shown, private=private),
        properties=tuple(property_lines(note)[2]),
        opening=first,
        newer=newer,
        mentions=len(mentions),
        mentioned=tuple(placed_mention(line, graph.text) for line in mentions[:NEWEST_MENTIONS]),
    )


def _facts_at(facts: Sequence[Fact], place: tuple[int, int] | None) -> tuple[Fact, ...]:
    """The facts that stand on these lines, or on some of them."""
    first, last = place or (0, 0)
    return tuple(fact for fact in facts if fact.first <= last and fact.last >= first)


def _resolved(path: str, fact: Fact, graph: Graph, *, private: bool) -> Fact:
    """A fact whose related notes are paths, where they are notes that may be seen; others stay as
    written."""
    found = [find_target(graph.names, path, target, "wiki") for target in fact.related]
    shown = graph.names.paths if private else graph.shown
    pairs = zip(found, fact.related, strict=True)
    return fact._replace(
        related=tuple(
            dict.fromkeys(each if each and each in shown else target for each, target in pairs)
        )
    )


def link_view(meant: Callable[[], str], name: str, graph: Graph, *, private: bool) -> LinkView:
    """The links of the visible note that is meant, both ways; where none is, those that wait for a
    note of that name.

    NoteNotFoundError where there are none, AmbiguousNameError.
    """
    try:
        path = meant()
    except NoteNotFoundError as error:
        if isinstance(error, UnwrittenDayError):
            name = file_stem(error.path)
        waiting = graph.waiting(name, private=private)
        if not waiting:
            raise
        return LinkView(name, (), waiting, exists=False)
    return LinkView(
        path, graph.outgoing(path, private=private), graph.backlinks(path, private=private)
    )


def mention_view(path: str, graph: Graph, *, private: bool) -> MentionView:
    """The lines that name the subject of a note.  UsageError for a note that is about no one
    thing."""
    called = graph.names.paths[path]
    if not has_subject(path, called.kind):
        raise UsageError(
            f"{path} is about no one thing that a line could name",
            f"`aurelius links {path}` shows the links to it",
        )
    lines = mentions_of(graph.db, path, private=private)
    return MentionView(
        path, called.names, tuple(placed_mention(line, graph.text) for line in lines)
    )


def placed_mention(line: MentionLine, text_of: LineReader) -> MentionLine:
    """A mention with the line that it stands on, where the index has only the text it is in."""
    begin = line.text.partition(" ")[0]
    for at in range(line.line, line.last + 1):
        text = text_of(line.path, at)
        if begin in text and (text in line.text or line.text in text):
            return line._replace(line=at, last=at)
    return line


def summary(note: Note) -> str:
    """The text under the heading Summary, "" for none."""
    span = section_lines(note, "Summary")
    if span:
        return "\n".join(note.shown[span[0] : span[1]]).strip()
    return ""


def first_paragraph(note: Note) -> str:
    """The first paragraph of a note: what is no fact, no comment and no property."""
    _, last, said = property_lines(note)
    facts = {fact.first for fact in note.facts}
    for unit in chain.from_iterable(section.units for section in note.sections):
        told = unit.first in facts or is_header(note, unit) or (bool(said) and unit.last <= last)
        text = "\n".join(note.shown[unit.first - 1 : unit.last]).strip()
        if text and not told:
            return text
    return ""


def open_graph(db: apsw.Connection, root: str, daily_folder: str) -> Graph:
    """The links of the vault; files and headings that the index does not know are looked up on
    disk."""

    def parsed(path: str) -> Note | None:
        from indexer.reading.parse import parse

        try:
            return parse(path, safe_folder.read_inside(root, path).data, daily_folder=daily_folder)
        except (OSError, AureliusError):
            return None

    return Graph(db, Files(lambda: list_files(root)), parsed, line_reader(root))


def line_reader(root: str) -> LineReader:
    """What gives the text of a line of a note, by path and number, without comments; "" where there
    is none. Each note is read once."""

    @cache
    def lines(path: str) -> tuple[str, ...]:
        from indexer.reading.blocks import decode
        from indexer.reading.comments import without_comments

        try:
            return tuple(without_comments(decode(safe_folder.read_inside(root, path).data).lines))
        except (OSError, AureliusError):
            return ()

    return lambda path, line: "".join(lines(path)[max(line - 1, 0) : line]).strip()


def list_files(root: str) -> Iterator[str]:
    """Every file of the vault, and every folder with a `/` behind; git's own are left out, links
    not followed."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        for name in (*(f"{each}/" for each in folders), *names):
            yield name if below == "." else f"{below}/{name}"


class Status(NamedTuple):
    """The state of vault and index.

    Sizes are in bytes; `problems` are those of reading notes, which `doctor` lists; `kinds` counts
    notes by kind, `agents` those in each folder that an agent keeps as its memory; `differences` is
    what is on disk and not in the index or the other way round, looked up now; `in_part` are notes
    too large to be read whole, but for private ones; `sources` are the settings that are not
    defaults, with where they came from, `in_vain` what the vault asks for and may not decide;
    `report` is the refresh just made.
    """

    vault: str
    index: str  # type: ignore[assignment]  # nobody counts the fields of a status
    index_bytes: int
    vault_bytes: int
    notes: int
    chunks: int
    facts: int
    vectors: int
    generation: int
    fresh: bool
    model: str
    schema: int
    failed: tuple[tuple[str, str], ...]
    in_part: tuple[tuple[str, str], ...]
    problems: int
    kinds: tuple[tuple[str, int], ...]
    ignored: int
    private: int
    agents: tuple[tuple[str, int], ...]
    differences: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    in_vain: tuple[Asked, ...]
    report: RefreshReport


def vault_status(config: Config, index: Index, report: RefreshReport) -> Status:
    """The state of a vault and its index, both looked at now: a stored flag may be out of date."""
    counts = get_counts(index.db)
    differ = tuple(map(": ".join, differences(config, index)))
    return Status(
        vault=config.root,
        index=index.path,
        index_bytes=_size(index.path),
        vault_bytes=counts.note_bytes,
        notes=counts.notes,
        chunks=counts.chunks,
        facts=counts.facts,
        vectors=counts.vectors,
        generation=index.generation,
        fresh=report.fresh and not differ,
        model=str(index.get_meta("model") or ""),
        schema=int(index.get_meta("schema") or 0),
        failed=get_failed(index.db, private=True),
        in_part=get_cut(index.db, private=False),
        problems=sum(1 for _ in get_problems(index.db, private=False)),
        kinds=counts.kinds,
        ignored=counts.ignored,
        private=counts.private,
        agents=counts.agents,
        differences=differ,
        sources=tuple(
            (key, source) for key, source in config.sources.items() if source != "default"
        ),
        in_vain=config.in_vain,
        report=report,
    )


def differences(config: Config | Settings, index: Index) -> Iterator[tuple[str, str]]:
    """Each path that a walk over the disk finds and the index does not have so, and how they
    differ."""
    on_disk = walk(config.root, IgnoreRules(config.root, config.exclude))
    found = diff_disk(index.get_keys(), {}, on_disk)
    for what, paths in (
        ("not indexed", found.new),
        ("changed", found.changed),
        ("gone", found.gone),
    ):
        yield from ((path, what) for path in paths if not is_hidden_from(path, viewer(index.db)))


def _size(path: str) -> int:
    return sum(
        os.path.getsize(path + end) for end in ("", "-wal", "-shm") if os.path.exists(path + end)
    )


COLUMNS = (
    "id",
    "path",
    "first",
    "last",
    "heading",
    "text",
    "type",
    "status",
    "date",
    "until",
    "scope",
    "importance",
    "pinned",
    "milestone",
    "inferred",
    "source",
    "because",
    "superseded_by",
    "updates",
    "contradicts",
    "tags",
    "related",
    "uses",
    "last_used",
    "score",
    "subtype",
    "part_of",
    "unknown",
)
"""The columns of each fact, in this order."""

_TABLE = f"CREATE TABLE fact({', '.join(COLUMNS)})"
_ROW = f"INSERT INTO fact VALUES({', '.join('?' * len(COLUMNS))})"


def export_rows(vault: AskedVault, *, private: bool) -> Iterator[dict[str, Any]]:
    """Every fact, in order of path and line, all things considered."""
    db = vault.db
    usage = get_usage(db)
    for path, fact in get_facts(db, private=private):
        uses = usage.of(fact.key)
        values = {
            "id": fact.key,
            "path": path,
            "uses": uses.count,
            "score": uses.score,
            "last_used": str(vault.clock.last_use(uses) or "") or None,
        }
        yield {name: values[name] if name in values else getattr(fact, name) for name in COLUMNS}


def export_markdown(vault: AskedVault, *, private: bool) -> str:
    """Every fact as a line of Markdown, under the path of its note."""
    parts: list[str] = []
    at = ""
    for path, fact in get_facts(vault.db, private=private):
        if path != at:
            parts.append(f"\n## {path}\n\n" if at else f"## {path}\n\n")
            at = path
        parts.append(_exported(fact) + "\n")
    return "".join(parts)


def export_sqlite(vault: AskedVault, file: str, *, private: bool) -> int:
    """Every fact as a row of table `fact` in a new SQLite file; how many.

    UsageError for a file that is there, ConflictError for one that cannot be written.
    """
    import json

    import apsw

    if os.path.lexists(file):
        raise UsageError(f"{file} already exists", "nothing was written; choose another name")
    values = [
        tuple(
            json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
            for value in row.values()
        )
        for row in export_rows(vault, private=private)
    ]
    try:
        db = apsw.Connection(file)
        try:
            with db:
                db.execute(_TABLE)
                db.executemany(_ROW, values)
        finally:
            db.close()
    except apsw.Error as error:
        raise ConflictError(
            f"{file} cannot be written: {error}",
            "choose a file in an existing folder that you can write to",
        ) from error
    return len(values)


def _exported(fact: Fact) -> str:
    told = TailParts(
        type=type_said(fact),
        pinned=fact.pinned,
        importance=fact.importance,
        scope=None,
        inferred=fact.inferred,
        source=fact_text.source_of(fact),
        updates=fact.updates,
        contradicts=fact.contradicts,
        because=fact.because,
        superseded_by=fact.superseded_by,
        part_of=fact.part_of,
        unknown=fact.unknown,
    )
    days = fact_text.span_of(fact.date, fact.until)
    past = fact.status == "superseded"
    words = fact_text.Wording(fact.text, days, fact_text.items_of_tail(told), fact.id, struck=past)
    return "- " + fact_text.item_text(words)
