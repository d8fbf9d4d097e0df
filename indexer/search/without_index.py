"""Search without an index: parses the files, newest first, and counts the words of the query in
their chunks.

Used where no index can be opened or made. It knows words, not meaning, and says so. What is ignored
or private stays out as everywhere: ignore rules are the walk's, and privacy is what the parser says
of a note.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from indexer.catalog.filters import Filters, where_holds
from indexer.catalog.visibility import clean_folder, is_hidden, keepers_among, within_tag
from indexer.disk.read_file import read
from indexer.disk.walk import IgnoreRules, unfollowed, walk
from indexer.note import Chunk, Note
from indexer.reading.blocks import decode
from indexer.reading.chunk import chunks
from indexer.reading.parse import parse
from indexer.reading.path_meaning import is_archived, is_conversation
from indexer.reading.type_words import narrower
from indexer.spelling import is_below

from .hit import Hit, SearchResult
from .query import NO_WORD, SearchQuery, Terms, clean
from .rank import Candidate, Legs, Ranked, fold, group, order

SECONDS = 10.0
"""How long the files are searched; then the answer is of those that were read, and says so."""


class _Wanted(NamedTuple):
    """The words of a query, ready to be counted."""

    words: tuple[re.Pattern[str], ...]
    barred: tuple[re.Pattern[str], ...]


def scan(
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
    until = time.monotonic() + SECONDS
    terms = clean(query.text)
    wanted = _Wanted(_patterns((*terms.words, *terms.phrases)), _patterns(terms.excluded))
    on_disk = walk(root, IgnoreRules(root, exclude))
    who = keepers_among([*on_disk.found, *on_disk.failed]) if agent == "" else agent
    seen = [path for path in on_disk.found if not is_hidden(path, who)]
    latest = sorted(seen, key=lambda path: (-on_disk.found[path][1], path))
    notices = [*terms.notes, "no index can be used: the files were searched by words only"]
    notices += unfollowed([each for each in on_disk.failed.items() if not is_hidden(each[0], who)])
    if ignored := _ignored(query.filters):
        if len(ignored) > 1:
            verb = "need"
        else:
            verb = "needs"
        if len(ignored) > 1:
            were = "they were"
        else:
            were = "it was"
        notices.append(f"{' and '.join(ignored)} {verb} the index, so {were} ignored")
    hits: dict[int, Hit] = {}
    ranked: list[Ranked] = []
    filtered: dict[str, int] = {}
    numbers = count()
    for path in latest if wanted.words else ():
        if time.monotonic() > until:
            notices.append("not all notes could be read in time: the answer is partial")
            break
        note = _note(root, path, query.filters, wanted, daily_folder)
        for hit, one in _hits(note, query.filters, wanted, filtered, numbers) if note else ():
            hits[one.candidate.id] = hit
            ranked.append(one)
    kept = fold(order(ranked))
    shown = tuple(hits[one.candidate.id] for one in group(kept, query.limit))
    if shown:
        hint = None
    else:
        hint = _hint(terms, len(latest))
    return SearchResult(
        query, "scan", query.fusion, shown, filtered, len(kept) - len(shown), hint, tuple(notices)
    )


def _ignored(filters: Filters) -> list[str]:
    """The options that ask for what only the index knows."""
    links = filters.links
    asked = {
        "--tier": filters.tiers,
        "--as-of": filters.as_of,
        "--linked-by": links.linked_by,
        "--link-to": links.link_to,
        "--related": links.related,
        "--orphan": links.orphan,
    }
    return [option for option, value in asked.items() if value]


def _hint(terms: Terms, notes: int) -> str:
    if not (terms.words or terms.phrases):
        return NO_WORD
    return f"none of {notes} notes matches these words: try other words"


def _note(
    root: str, path: str, filters: Filters, wanted: _Wanted, daily_folder: str
) -> Note | None:
    """A note that holds a word of the query, may be seen and meets the filters; None for any
    other."""
    folder = clean_folder(filters.folder)
    if folder and not is_below(path, folder):
        return None
    try:
        source = read(root, path, was_empty=True)
        if source:
            text = _plain("\n".join(decode(source.data).lines))
        else:
            text = ""
        if source is None or not any(word.search(text) for word in wanted.words):
            return None
        note = parse(path, source.data, daily_folder=daily_folder)
    except Exception:  # noqa: BLE001  one file that cannot be read never stops the others
        return None
    if note.private and not filters.private:
        return None
    met = (
        (not filters.kinds or note.kind in filters.kinds)
        and (not filters.archived or is_archived(note.path) == (filters.archived == "only"))
        and all(any(within_tag(tag.name, wish) for tag in note.tags) for wish in filters.tags)
        and (filters.with_conversations or not is_conversation(note.path))
        and all(where_holds(note.front_matter, wish, _own(note)) for wish in filters.where)
    )
    if met:
        return note
    return None


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
    note: Note, filters: Filters, wanted: _Wanted, filtered: dict[str, int], numbers: Iterator[int]
) -> Iterator[tuple[Hit, Ranked]]:
    """The chunks of a note that hold words of the query, each with a number of its own."""
    since = filters.since or "0000"
    until = filters.until or "9999-12-31"
    types = set(filters.types)
    narrow = {fact.key: narrower(fact) for fact in note.facts}
    for chunk in chunks(note):
        score = _score(chunk, wanted)
        if not score or (
            types and types.isdisjoint((chunk.type, f"{chunk.type}/{narrow.get(chunk.fact, '')}"))
        ):
            continue
        if (filters.since or filters.until) and not since <= (chunk.date or "") <= until:
            continue
        if chunk.status == "superseded" and filters.status == "active":
            filtered["superseded"] = filtered.get("superseded", 0) + 1
        elif filters.status not in {"superseded", "proposed"} or chunk.status == filters.status:
            hit = Hit(
                chunk.fact,
                note.path,
                (chunk.first, chunk.last),
                chunk.heading,
                note.title,
                note.kind,
                chunk.type,
                chunk.date,
                chunk.status,
                score,
                chunk.text,
                subtype=narrow.get(chunk.fact, ""),
            )
            yield hit, _ranked(next(numbers), note, chunk, score)


def _ranked(number: int, note: Note, chunk: Chunk, score: float) -> Ranked:
    where = (chunk.ordinal, chunk.grain, chunk.first, chunk.last)
    candidate = Candidate(
        number, note.path, *where, None, is_archived(note.path), chunk.importance, Legs()
    )
    return Ranked(candidate, score, {}, {})


def _score(chunk: Chunk, wanted: _Wanted) -> float:
    """Distinct words of the query in the chunk, with a little for each repetition and for words in
    what is above it."""
    text = _plain(chunk.text)
    above = _plain(chunk.context)
    if any(word.search(text) for word in wanted.barred):
        return 0.0
    counts = [len(word.findall(text)) for word in wanted.words]
    found = sum(1 + 0.1 * min(times - 1, 5) for times in counts if times)
    if found:
        return round(found + 0.5 * sum(1 for word in wanted.words if word.search(above)), 6)
    return 0.0


def _patterns(words: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(_plain(word).split()) for word in words if _plain(word).split())


def _pattern(parts: Sequence[str]) -> re.Pattern[str]:
    """Words as they stand in running text: whole, the last with a short ending if it is long
    (plurals, `-ing`).

    Scripts without spaces have no whole words.
    """
    first = parts[0]
    last = parts[-1]
    if first[0].isascii() and first[0].isalnum():
        front = r"(?<!\w)"
    else:
        front = ""
    if len(last) > 3:
        ending = r"\w{0,3}"
    else:
        ending = ""
    if last[-1].isascii() and last[-1].isalnum():
        back = ending + r"(?!\w)"
    else:
        back = ""
    return re.compile(front + r"\s+".join(map(re.escape, parts)) + back)


def _plain(text: str) -> str:
    """Text with case and accents apart."""
    if text.isascii():
        return text.lower()
    return "".join(
        char
        for char in unicodedata.normalize("NFD", text.casefold())
        if not "\u0300" <= char <= "\u036f"
    )
