"""The search: a form with the filters of `aurelius search`, and the same hits in the same order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius import api
from aurelius.ageing.usage_log import used_by_search
from aurelius.answers.check_call import check_record
from aurelius.answers.lookup import with_paths
from aurelius.answers.note_view import line_reader
from aurelius.settings.keys import FUSIONS, MODES, MOST_SEARCH_HITS
from aurelius.show import hits as show_hits
from indexer.errors import AureliusError, UsageError
from indexer.note import NOTE_KINDS, STATUSES, TYPES
from indexer.reading.inline import TAG
from indexer.search.query import UNASKED_FILTERS, clean_query, read_filters
from indexer.spelling import plural
from indexer.usage.tier import TIERS

from .call import PageAnswer
from .line_html import message_html, said_html
from .links import PageLinks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from aurelius.answers.note_view import LineReader, Listed
    from indexer.search.hit import Hit, SearchResult
    from indexer.search.query import SearchQuery

    from .call import PageCall

    Typed = dict[str, Any]

MOST_LISTED = 50
"""Notes or facts in a part of a list."""
_WITH_WORDS = ("as_of", "mode", "fusion", "explain")
"""What means something only where there are words to search for."""
_SEVERAL = frozenset({"kind", "type", "tag", "tier"})
"""What may be several words, with commas between."""
_TAG_WORD = re.compile(rf"(?:{TAG.pattern}|tag:[ ]?([^\s,]+))(?:\s+|$)")
_FLAG = re.compile(r"^(?:--)?[a-z_-]+: ")
"""What a message begins with that names the option which a field of the form stands for."""


class SearchField(NamedTuple):
    """A field of the form: its name in the address, which is that of the option; its label; the
    words that it may be, none for any; an example; and whether it is shown at once."""

    name: str
    label: str
    words: tuple[str, ...] = ()
    example: str = ""
    usual: bool = False

    @property
    def option(self) -> str:
        """The name of what was typed, as the core has it."""
        return {"in": "folder"}.get(self.name, self.name.replace("-", "_"))

    @property
    def is_box(self) -> bool:
        """Whether it is a box to tick."""
        return UNASKED_FILTERS.get(self.option, False) is False and not self.words

    def read(self, text: str) -> Any:
        """What was typed, as the core takes it."""
        if self.option in _SEVERAL:
            return tuple(filter(None, map(str.strip, text.split(","))))
        if UNASKED_FILTERS.get(self.option) == ():
            return (text,)
        return text


SEARCH_FIELDS = (
    SearchField(
        "in",
        "Folder or note",
        example="people",
        usual=True,
    ),
    SearchField(
        "kind",
        "Kind of note",
        NOTE_KINDS,
        usual=True,
    ),
    SearchField(
        "type",
        "Type of fact",
        TYPES,
        usual=True,
    ),
    SearchField(
        "tag",
        "Tag",
        usual=True,
    ),
    SearchField(
        "since",
        "From",
        example="last week",
        usual=True,
    ),
    SearchField(
        "until",
        "Until",
        example="today",
        usual=True,
    ),
    SearchField(
        "on",
        "Day or month",
        example="2026-02",
    ),
    SearchField(
        "as-of",
        "Facts as of",
        example="2026-02-01",
    ),
    SearchField(
        "status",
        "Facts that are",
        STATUSES,
    ),
    SearchField(
        "tier",
        "Tier of facts",
        TIERS,
    ),
    SearchField("archived", "In the archive", ("only", "no")),
    SearchField(
        "where",
        "Property",
        example="status = done",
    ),
    SearchField("linked-by", "Linked from the note"),
    SearchField("link-to", "Linking to the note"),
    SearchField("related", "Near, but not linked"),
    SearchField(
        "mode",
        "Compare",
        MODES,
    ),
    SearchField(
        "fusion",
        "Join the lists",
        FUSIONS,
    ),
    SearchField("orphan", "Only notes that none links to"),
    SearchField("recursive", "Links over any number of notes"),
    SearchField("explain", "Show how each score came about"),
)
"""The filters, in the order of the form."""


class WrongField(NamedTuple):
    """What was typed wrong: the name of its field, "" for none alone, what is wrong, what to do."""

    field: str
    message: str
    hint: Markup


class ShownHit(NamedTuple):
    """A hit as it is shown: what it is headed with, which line of the note says the most of what
    was asked for, its lines as HTML, why it is here in words."""

    hit: Hit
    title: str
    line: int
    lines: tuple[Markup, ...]
    labels: Sequence[str]
    why: str
    explained: str


def show_search(call: PageCall) -> PageAnswer:
    """The form, and what it finds; where something was typed wrong, the form that says so."""
    typed = {
        field.option: field.read(text)
        for field in SEARCH_FIELDS
        if (text := _text(call, field.name))
    }
    words, tags = _tags_first(_text(call, "q"))
    if tags:
        typed["tag"] = (*typed.get("tag", ()), *tags)
    values: dict[str, Any] = {
        "fields": SEARCH_FIELDS,
        "given": {field.name: _text(call, field.name) for field in SEARCH_FIELDS},
        "opened": any(_text(call, field.name) for field in SEARCH_FIELDS if not field.usual),
        "q": _text(call, "q"),
        "problem": None,
        "found": None,
        "listed": None,
        "told": "",
        "more": "",
    }
    uses: list[str] = []
    try:
        if words:
            uses = _search(call, words, typed, values)
        elif typed:
            _list(call, typed, values)
    except AureliusError as error:
        values["problem"] = _problem(call, words, typed, error)
        values["told"] = "Nothing was searched"
    title = f"Search: {values['q']}" if values["q"] else "Search"
    return PageAnswer("search.html", title, values, uses=tuple(uses))


def _text(call: PageCall, name: str) -> str:
    return call.query.get(name, "").strip()


def _tags_first(text: str) -> tuple[str, list[str]]:
    """A question without the tags that it begins with, and these."""
    tags = []
    while found := _TAG_WORD.match(text):
        tags.append(found[1] or found[2])
        text = text[found.end() :]
    return text, tags


def query_of(call: PageCall, words: str, typed: Typed, limit: int = 0) -> SearchQuery:
    """What is searched for: the same as a command with these words and options would."""
    vault = call.vault
    today = vault.now.date().isoformat()
    query = vault.query(
        words,
        limit,
        with_paths(read_filters(typed, today), vault),
        mode=typed.get("mode", ""),
        fusion=typed.get("fusion", ""),
        explain=bool(typed.get("explain")),
    )
    check_record(query)
    return query


def _problem(call: PageCall, words: str, typed: Typed, error: AureliusError) -> WrongField:
    """The first field that is wrong by itself, and what is wrong with it."""
    field = ""
    for each in SEARCH_FIELDS:
        if each.option in typed:
            try:
                query_of(call, words, {each.option: typed[each.option]})
                _check_words(words, {each.option})
            except AureliusError as own:
                field = each.name
                error = own
                break
    return WrongField(field, _FLAG.sub("", error.message), message_html(str(error.hint or "")))


def _check_words(words: str, options: set[str]) -> None:
    """UsageError for what means nothing without words to search for."""
    for name in _WITH_WORDS:
        if name in options and not words:
            raise UsageError("this needs words to search for", "type some into the first field")


# -- hits ------------------------------------------------------------------------------


def _search(call: PageCall, words: str, typed: Typed, values: dict[str, Any]) -> list[str]:
    """Put the hits among the values of the page; what counts as used by them."""
    query = query_of(call, words, typed, call.number("limit", 0, MOST_SEARCH_HITS))
    result = call.vault.search(query)
    notices = list(result.notices)
    if not result.hits:
        state = show_hits.index_state(call.vault, private=False)
        notices += show_hits.nothing_found(result, state)
    values["found"] = {
        "hits": tuple(_shown(call, result)),
        "weak": message_html(result.hint or "") if result.weak and result.hits else "",
        "notices": [message_html(str(each)) for each in notices],
    }
    values["told"] = _counted(len(result.hits), result.truncated)
    if result.truncated and query.limit < MOST_SEARCH_HITS:
        limit = min(2 * query.limit, MOST_SEARCH_HITS)
        values["more"] = f"{call.with_query(limit=str(limit))}#hit-{query.limit + 1}"
    return used_by_search(result.hits)


def _counted(count: int, left_out: int) -> str:
    told = f"{count:,} {plural('result', count)}"
    if left_out:
        return f"The first {told}; {left_out:,} more"
    return told


def _shown(call: PageCall, result: SearchResult) -> Iterator[ShownHit]:
    """The hits with their telling lines, the words that were asked for marked in them."""
    asked = clean_query(result.corrected or result.query.text).words
    find = show_hits.word_finder(asked)
    words = show_hits.beginnings(result)
    links = PageLinks(call.vault)
    text_of = line_reader(call.vault.root)
    held = bool(result.query.filters.as_of)
    for hit in result.hits:
        lines = show_hits.telling_lines(hit.text, words)
        title = show_hits.headed(hit) or show_hits.name(hit.title or hit.path)
        yield ShownHit(
            hit=hit,
            title=title,
            line=_telling_line(hit, find, text_of),
            lines=tuple(said_html(links, hit.path, line, find) for line in lines),
            labels=show_hits.hit_labels(hit, held=held),
            why=_why(hit, find),
            explained=show_hits.explained(hit) if hit.explain else "",
        )


def _telling_line(hit: Hit, find: show_hits.FindWords, text_of: LineReader) -> int:
    """The first line that holds the most different words of the question."""

    def held(line: int) -> int:
        text = text_of(hit.path, line)
        return len({text[start:end].casefold() for start, end in find(text)})

    first, last = hit.lines
    return max(range(first, last + 1), key=held)


def _why(hit: Hit, find: show_hits.FindWords) -> str:
    """Why a hit came up: which words of the question it has, else that it is near in meaning."""
    for where, text in (("", hit.text), ("in its heading ", " ".join((hit.title, *hit.heading)))):
        held = dict.fromkeys(text[start:end].lower() for start, end in find(text))
        if held:
            return f"{where}has {', '.join([*held][:8])}"
    return "is near in meaning"


# -- lists -----------------------------------------------------------------------------


def _list(call: PageCall, typed: Typed, values: dict[str, Any]) -> None:
    """Put the notes that the filters allow, or with a type the facts, among the values."""
    _check_words("", set(typed))
    filters = query_of(call, "", typed).filters
    part = max(call.number("part", 1, 10**6), 1)
    find = api.find_facts if filters.types else api.find_notes
    listed: Listed = find(
        call.vault,
        filters,
        limit=MOST_LISTED,
        offset=(part - 1) * MOST_LISTED,
    )
    found = listed.found
    window = call.window(found.total, MOST_LISTED)
    values["listed"] = {
        "facts": bool(filters.types),
        "rows": found.facts if filters.types else found.notes,
        "ages": listed.ages,
        "window": window,
        "notices": [f"{count:,} more in {name}" for name, count in listed.filtered.items()],
        "hint": message_html(listed.hint),
    }
    what = plural("fact" if filters.types else "note", found.total)
    values["told"] = f"{found.total:,} {what}"
