"""The last rung of search (A48): no index, only files.  Reads every note and counts the words of the query.

Used where no index can be opened or made, and where one is missing under a deadline.  It knows words,
not meaning, and says so.  What is ignored or private stays out here as everywhere: ignore rules are
the walk's, and a note whose top says `private` in any spelling is not read further.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .decode import decode
from .ignore import Rules
from .kind import day_of_path, kind_of_path, title_of_path
from .query import Filters, SearchQuery, Terms, clean
from .scope import says_private
from .search import Hit, SearchResult, tokens
from .source import read
from .walk import walk

if TYPE_CHECKING:
    from .note import Note

BLOCK = 40
"""Lines of a hit at most: a longer paragraph is cut."""

EACH = 3
"""Hits of one note at most."""

HEAD = 200
"""Lines at a note's top in which `private` is looked for."""

_PRIVATE = re.compile(
    r"\s{0,8}(?:[-*] )?(?:\*\*)?[\"']?private[\"']?(?:\*\*)?\s{0,8}::?(?:\*\*)?\s{0,8}[\"']?([^\s\"'#]*)", re.IGNORECASE
)
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_STRUCK = re.compile(r"\s*(?:[-*+]\s+)?~~[^~]+~~\s*(?:\([^()]*\)\s*)?(?:\^[\w-]+\s*)?$")


class Piece(NamedTuple):
    """A paragraph or list item of a note: its lines, text, heading path, and whether it is superseded."""

    first: int
    last: int
    text: str
    heading: tuple[str, ...]
    superseded: bool


class _Wanted(NamedTuple):
    """The words of a query, ready to be counted."""

    words: tuple[re.Pattern[str], ...]
    barred: tuple[re.Pattern[str], ...]


def scan(
    root: str, query: SearchQuery, *, exclude: Sequence[str] = (), daily_folder: str = "memory",
    deadline: float | None = None,
) -> SearchResult:  # fmt: skip
    """Answer a query from the files alone, within `deadline` seconds where one is given.

    The mode of the answer is "scan"; its scores compare only with each other.
    IndexUnavailableError where the vault cannot be read.
    """
    until = None if deadline is None else time.monotonic() + deadline
    terms = clean(query.text)
    wanted = _Wanted(_patterns((*terms.words, *terms.phrases)), _patterns(terms.excluded))
    on_disk = walk(root, Rules(root, exclude, {}))
    latest = sorted(on_disk.found, key=lambda path: (-on_disk.found[path][1], path))
    notices = [*terms.notes, "there is no index to ask: the files were searched for the words alone"]
    if query.filters.tiers or query.filters.as_of:
        notices.append("tiers, and what held on a day, are known to the index alone: that filter was left out")
    hits: list[Hit] = []
    filtered: dict[str, int] = {}
    for path in latest if wanted.words else ():
        if until is not None and time.monotonic() > until:
            notices.append("time ran out before every note was read: the answer is partial")
            break
        lines = _visible_lines(root, path, query.filters, filtered, daily_folder)
        hits += _hits(path, lines, query.filters, wanted, filtered, daily_folder)
    hits.sort(key=lambda hit: (-hit.score, hit.path, hit.lines))
    shown = tuple(hits[: query.limit])
    hint = None if shown else _hint(terms, len(latest))
    return SearchResult(query, "scan", query.fusion, shown, filtered, len(hits) - len(shown), hint, tuple(notices))


def _hint(terms: Terms, notes: int) -> str:
    if not (terms.words or terms.phrases):
        return "the query holds no word to search for: type a word or a question"
    return f"none of {notes} notes holds one of these words: try other words"


def _visible_lines(
    root: str, path: str, filters: Filters, filtered: dict[str, int], daily_folder: str
) -> Sequence[str]:
    """The lines of a note that may be seen and that the filters allow; none of any other, or of an unreadable one."""
    from .scope import clean_folder

    folder = clean_folder(filters.folder)
    if folder and path not in {folder, folder + ".md"} and not path.startswith(folder + "/"):
        return ()
    try:
        source = read(root, path, was_empty=True)
    except OSError:
        return ()
    if source is None:
        return ()
    lines = decode(source.data).lines
    if is_private(lines) and not filters.private:
        filtered["private"] = filtered.get("private", 0) + 1
        return ()
    asked = (filters.kinds, filters.types, filters.tags, filters.where, filters.since, filters.until, filters.archived)
    if not any(asked):
        return lines
    from .parse import parse

    return lines if _meets(parse(path, source.data, daily_folder=daily_folder), filters) else ()


def is_private(lines: Sequence[str]) -> bool:
    """Whether a note's top says it is private; in doubt it is."""
    for line in lines[:HEAD]:
        match = _PRIVATE.match(line[:200])
        if match and says_private(match[1]):
            return True
    return False


def _meets(note: Note, filters: Filters) -> bool:
    from .query import where_holds
    from .scope import within_tag

    in_span = (filters.since or "0000") <= (note.date or "") <= (filters.until or "9999-12-31")
    return (
        (in_span or not (filters.since or filters.until))
        and (not filters.kinds or note.kind in filters.kinds)
        and (not filters.archived or (note.kind == "archive") == (filters.archived == "only"))
        and (not filters.types or any(fact.type in filters.types for fact in note.facts))
        and all(any(within_tag(tag.name, wish) for tag in note.tags) for wish in filters.tags)
        and all(where_holds(note.front_matter, wish) for wish in filters.where)
    )


def _hits(
    path: str, lines: Sequence[str], filters: Filters, wanted: _Wanted, filtered: dict[str, int], daily_folder: str
) -> list[Hit]:
    whole = _plain("\n".join(lines))
    if not any(word.search(whole) for word in wanted.words):
        return []
    day = day_of_path(path, daily_folder)
    title, kind = title_of_path(path, day), kind_of_path(path, day)
    found = []
    for piece in pieces(lines):
        score = _score(piece, title, wanted)
        if score and piece.superseded and filters.status == "active":
            filtered["superseded"] = filtered.get("superseded", 0) + 1
        elif score and (filters.status != "superseded" or piece.superseded):
            status = "superseded" if piece.superseded else "active"
            span = (piece.first, piece.last)
            found.append(
                Hit("", path, span, piece.heading, title, kind, "", day, status, score, piece.text, tokens(piece.text))
            )
    return sorted(found, key=lambda hit: (-hit.score, hit.lines))[:EACH]


def _score(piece: Piece, title: str, wanted: _Wanted) -> float:
    """Distinct words of the query in the piece, with a little for each repetition and for words in what is above it."""
    text, above = _plain(piece.text), _plain(" ".join((title, *piece.heading)))
    if any(word.search(text) for word in wanted.barred):
        return 0.0
    counts = [len(word.findall(text)) for word in wanted.words]
    found = sum(1 + 0.1 * min(count - 1, 5) for count in counts if count)
    return round(found + 0.5 * sum(1 for word in wanted.words if word.search(above)), 6) if found else 0.0


def pieces(lines: Sequence[str]) -> Iterator[Piece]:
    """A note's paragraphs and list items, front matter left out, each with the headings above it."""
    heading: list[tuple[int, str]] = []
    start = _after_front_matter(lines)
    fenced = False
    for number in range(start, len(lines) + 1):
        line = lines[number] if number < len(lines) else ""
        fenced ^= bool(_FENCE.match(line[:200]))
        found = None if fenced else _HEADING.match(line[:500])
        item = not fenced and bool(_ITEM.match(line[:200]))
        if (not line.strip() or found or item or number - start >= BLOCK) and number > start:
            if any(each.strip() for each in lines[start:number]):
                yield _piece(lines, start, number, tuple(text for _, text in heading))
            start = number
        if found:
            level = len(found[1])
            heading = [*(each for each in heading if each[0] < level), (level, found[2].rstrip("# \t"))]
        if found or not line.strip():
            start = number + 1


def _piece(lines: Sequence[str], start: int, stop: int, heading: tuple[str, ...]) -> Piece:
    past = bool(heading) and heading[-1].strip().lower() == "history"
    superseded = past or bool(_STRUCK.match(lines[start][:2000])) or "superseded by ^" in lines[start]
    return Piece(start + 1, stop, "\n".join(lines[start:stop]), heading, superseded)


def _after_front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    ends = (number + 1 for number in range(1, min(len(lines), 2000)) if lines[number].rstrip() in {"---", "..."})
    return next(ends, 0)


def _patterns(words: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(_plain(word).split()) for word in words if _plain(word).split())


def _pattern(parts: Sequence[str]) -> re.Pattern[str]:
    """Words as they stand in running text: whole, the last with a short ending if it is long (plurals, `-ing`).

    Scripts without spaces have no whole words.
    """
    first, last = parts[0], parts[-1]
    front = r"(?<!\w)" if first[0].isascii() and first[0].isalnum() else ""
    ending = r"\w{0,3}" if len(last) > 3 else ""
    back = ending + r"(?!\w)" if last[-1].isascii() and last[-1].isalnum() else ""
    return re.compile(front + r"\s+".join(map(re.escape, parts)) + back)


def _plain(text: str) -> str:
    """Text with case and accents apart."""
    if text.isascii():
        return text.lower()
    return "".join(char for char in unicodedata.normalize("NFD", text.casefold()) if not "\u0300" <= char <= "\u036f")
