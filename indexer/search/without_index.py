"""Search without an index: parses the files, newest first, and counts the words of the query in
their chunks.

Used where no index can be opened or made. It knows words, not meaning, and says so. What is ignored
or private stays out as everywhere: ignore rules are the walk's, and privacy is what the parser says
of a note.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from indexer.catalog.filters import Filters, where_holds
from indexer.catalog.visibility import clean_folder, is_hidden_from, keepers_among, within_tag
from indexer.disk.read_file import read_whole
from indexer.disk.walk import IgnoreRules, unfollowed, walk
from indexer.note import Chunk, Note
from indexer.reading.blocks import decode
from indexer.reading.chunk import chunks
from indexer.reading.parse import parse
from indexer.reading.path_meaning import is_archived, is_conversation, unaccented
from indexer.reading.type_words import narrower
from indexer.spelling import is_below

from .hit import Hit, SearchResult
from .query import LAST_DAY, NO_WORD, SearchQuery, Terms, clean_query
from .rank import Candidate, Legs, Ranked, fold_hits, group_by_note, order_hits

SEARCH_SECONDS = 10.0
"""How long the files are searched; then the answer is of those that were read, and says so."""


class _Wanted(NamedTuple):
    """The words of a query, ready to be counted."""

    words: tuple[re.Pattern[str], ...]
    barred: tuple[re.Pattern[str], ...]


def search_files(
    root: str,
    query: SearchQuery,
    *,
    exclude: Sequence[str] = (),
    daily_folder: str = "memory",
    agent: str | None = None,
) -> SearchResult:
    """Answer a query from the files alone, as far as the agent may see them.

    The mode of the answer is "scan"; its scores compare only with each other.
    IndexUnavailableError where the vault cannot be read.
    """
    until = time.monotonic() + SEARCH_SECONDS
    terms = clean_query(query.text)
    wanted = _Wanted(_patterns((*terms.words, *terms.phrases)), _patterns(terms.excluded))
    on_disk = walk(root, IgnoreRules(root, exclude))
    who = keepers_among([*on_disk.found, *on_disk.failed]) if agent == "" else agent
    seen = [path for path in on_disk.found if not is_hidden_from(path, who)]
    failed = [each for each in on_disk.failed.items() if not is_hidden_from(each[0], who)]
    notices = [*terms.notes, "no index can be used: the files were searched by words only"]
    notices += unfollowed(failed)
    notices += _ignored(query.filters)
    hits: list[Hit] = []
    ranked: list[Ranked] = []
    filtered: dict[str, int] = {}
    latest = sorted(seen, key=lambda path: (-on_disk.found[path][1], path))
    for path in latest if wanted.words else ():
        if time.monotonic() > until:
            notices.append("not all notes could be read in time: the answer is partial")
            break
        note = _note(
            root,
            path,
            query.filters,
            wanted,
            daily_folder,
        )
        for chunk, hit in _hits(note, query.filters, wanted, filtered):
            ranked.append(_ranked(len(hits), hit, chunk))
            hits.append(hit)
    kept = fold_hits(order_hits(ranked))
    shown = tuple(hits[one.candidate.id] for one in group_by_note(kept, query.limit))
    return SearchResult(
        query=query,
        mode="scan",
        fusion=query.fusion,
        hits=shown,
        filtered=filtered,
        truncated=len(kept) - len(shown),
        hint=None if shown else _hint(terms, len(latest)),
        notices=tuple(notices),
    )


def _ignored(filters: Filters) -> list[str]:
    """What is said of the options that ask for what only the index knows, if there are any."""
    links = filters.links
    asked = {
        "--tier": filters.tiers,
        "--as-of": filters.as_of,
        "--linked-by": links.linked_by,
        "--link-to": links.link_to,
        "--related": links.related,
        "--orphan": links.orphan,
    }
    options = [option for option, value in asked.items() if value]
    if not options:
        return []
    if len(options) == 1:
        return [f"{options[0]} needs the index, so it was ignored"]
    return [f"{' and '.join(options)} need the index, so they were ignored"]


def _hint(terms: Terms, notes: int) -> str:
    if not (terms.words or terms.phrases):
        return NO_WORD
    return f"none of {notes} notes matches these words: try other words"


def _note(
    root: str,
    path: str,
    filters: Filters,
    wanted: _Wanted,
    daily_folder: str,
) -> Note | None:
    """A note that holds a word of the query, may be seen and meets the filters; None for any
    other."""
    folder = clean_folder(filters.folder)
    if folder and not is_below(path, folder):
        return None
    try:
        source = read_whole(root, path, was_empty=True)
        if source is None:
            return None
        text = _plain("\n".join(decode(source.data).lines))
        if not any(word.search(text) for word in wanted.words):
            return None
        note = parse(path, source.data, daily_folder=daily_folder)
    except Exception:  # noqa: BLE001  one file that cannot be read never stops the others
        return None
    if _is_met(note, filters):
        return note
    return None


def _is_met(note: Note, filters: Filters) -> bool:
    """Whether a note meets the filters, but for those of its facts."""
    names = [tag.name for tag in note.tags]
    is_archive = is_archived(note.path)
    return all(
        (
            filters.private or not note.private,
            not filters.kinds or note.kind in filters.kinds,
            not filters.archived or is_archive == (filters.archived == "only"),
            filters.with_conversations or not is_conversation(note.path),
            all(_has_tag(names, wish) for wish in filters.tags),
            all(where_holds(note.front_matter, wish, _own(note)) for wish in filters.where),
        )
    )


def _has_tag(names: Sequence[str], wish: str) -> bool:
    return any(within_tag(name, wish) for name in names)


def _own(note: Note) -> dict[str, object]:
    """What is known of a note besides its front matter, by the names that `where` knows."""
    tags = [tag.name for tag in note.tags]
    return {
        "path": note.path,
        "title": note.title,
        "kind": note.kind,
        "date": note.date,
        "updated": note.updated,
        "tags": tags,
    }


def _hits(
    note: Note | None,
    filters: Filters,
    wanted: _Wanted,
    filtered: dict[str, int],
) -> Iterator[tuple[Chunk, Hit]]:
    """The chunks of a note that hold words of the query and meet the filters, each as a hit."""
    if note is None:
        return
    narrow = {fact.key: narrower(fact) for fact in note.facts}
    for chunk in chunks(note):
        score = _score(chunk, wanted)
        subtype = narrow.get(chunk.fact, "")
        if not score or not _is_asked_for(chunk, subtype, filters):
            continue
        if chunk.status == "superseded" and filters.status == "active":
            filtered["superseded"] = filtered.get("superseded", 0) + 1
        elif filters.status in {"active", "all", chunk.status}:
            yield (
                chunk,
                _hit(
                    note,
                    chunk,
                    subtype,
                    score,
                ),
            )


def _is_asked_for(
    chunk: Chunk,
    subtype: str,
    filters: Filters,
) -> bool:
    """Whether a chunk is of a type and of a day that are asked for."""
    if filters.types and {chunk.type, f"{chunk.type}/{subtype}"}.isdisjoint(filters.types):
        return False
    if not (filters.since or filters.until):
        return True
    return (filters.since or "0000") <= (chunk.date or "") <= (filters.until or LAST_DAY)


def _hit(
    note: Note,
    chunk: Chunk,
    subtype: str,
    score: float,
) -> Hit:
    return Hit(
        id=chunk.fact,
        path=note.path,
        lines=(chunk.first, chunk.last),
        heading=chunk.heading,
        title=note.title,
        kind=note.kind,
        type=chunk.type,
        date=chunk.date,
        status=chunk.status,
        score=score,
        text=chunk.text,
        subtype=subtype,
    )


def _ranked(
    number: int,
    hit: Hit,
    chunk: Chunk,
) -> Ranked:
    candidate = Candidate(
        id=number,
        path=hit.path,
        ordinal=chunk.ordinal,
        grain=chunk.grain,
        first=chunk.first,
        last=chunk.last,
        days=None,
        archived=is_archived(hit.path),
        importance=chunk.importance,
        legs=Legs(),
    )
    return Ranked(
        candidate,
        hit.score,
        {},
        {},
    )


def _score(chunk: Chunk, wanted: _Wanted) -> float:
    """Distinct words of the query in the chunk, with a little for each repetition and for words in
    what is above it."""
    text = _plain(chunk.text)
    above = _plain(chunk.context)
    if any(word.search(text) for word in wanted.barred):
        return 0.0
    counts = [len(word.findall(text)) for word in wanted.words]
    if not any(counts):
        return 0.0
    found = sum(1 + 0.1 * min(times - 1, 5) for times in counts if times)
    return round(found + 0.5 * sum(word.search(above) is not None for word in wanted.words), 6)


def _patterns(words: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(_plain(word).split()) for word in words if _plain(word).split())


def _pattern(parts: Sequence[str]) -> re.Pattern[str]:
    """Words as they stand in running text: whole, the last with a short ending if it is long
    (plurals, `-ing`).

    Scripts without spaces have no whole words.
    """
    spelt = r"\s+".join(map(re.escape, parts))
    if _is_latin(parts[0][0]):
        spelt = r"(?<!\w)" + spelt
    if _is_latin(parts[-1][-1]):
        ending = r"\w{0,3}" if len(parts[-1]) > 3 else ""
        spelt += ending + r"(?!\w)"
    return re.compile(spelt)


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _plain(text: str) -> str:
    """Text with case and accents apart."""
    if text.isascii():
        return text.lower()
    return unaccented(text)
