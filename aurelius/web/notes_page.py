"""The page of a note: its text, its facts, and what has to do with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius import api
from aurelius.ageing.tiers import ages, note_ages
from aurelius.answers.doctor_links import later_paths
from aurelius.answers.lookup import note_bytes
from aurelius.answers.note_view import line_reader, placed_mention
from aurelius.answers.overview import bare_line
from aurelius.show.hits import shorten_around
from indexer.catalog.edges import relations
from indexer.catalog.graph import get_names
from indexer.catalog.lists import get_daily, get_days_beside, get_facts, get_titles
from indexer.catalog.mentions import mentions_of
from indexer.catalog.names import clean_name
from indexer.catalog.newer import newer_facts
from indexer.errors import AmbiguousNameError, NoteNotFoundError
from indexer.reading.blocks import decode
from indexer.reading.chunk import as_text, property_lines
from indexer.reading.inline import plain_inline
from indexer.reading.parse import parse
from indexer.spelling import group_pairs, link_names, single_spaced, storable

from .addresses import note_url
from .call import PageAnswer
from .drawings import draw_map, neighbour_rows
from .links import PageLinks
from .render import part_of_line, render_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from aurelius.answers.note_view import LineReader
    from aurelius.vault import Vault
    from indexer.catalog.edges import Relation
    from indexer.catalog.mentions import MentionLine
    from indexer.catalog.newer import Newer
    from indexer.note import Fact, Link, Note
    from indexer.usage.tier import Age

    from .call import PageCall

_LETTERS_A_PART = 24_000
"""Characters of a note that are shown at once."""
_FACTS_A_PART = 12
_LINES_A_PART = 20
"""Facts of a note, and lines of others about it, that are shown at once."""
_LETTERS_A_LINE = 400
"""Characters of such a line."""
_NOTES_ON_MAP = 30
_HEAD = 16_384
"""Bytes at the beginning of a note that its title and properties are looked for in."""
_MOST_NEAR = 10
_LINK_ALONE = re.compile(r"!?\[\[[^\[\]]*\]\]")
"""A line that says nothing but the name."""
_MOST_OTHERS = 5
"""Further lines of a note that links here which are named."""
_LONGEST_TOP = 500
"""Lines within which front matter ends, where a line of it is shown."""
_KEY = re.compile(r"""["']?([^\s"'#:-][^"':]*)["']?:(?:\s+|$)""")
_QUOTED_LINK = re.compile(r"""(["'])(\[\[[^\[\]]*\]\])\1""")
_LIST = re.compile(r"^\[(?!\[[^\[])(.*)\]$")
_HEADING = re.compile(r"#{1,6}\s+")
_SHOWN_ABOVE = frozenset(("alias", "aliases", "tag", "tags"))


class ShownFact(NamedTuple):
    """A fact on a page: its text and its source as HTML, its words alone, its age, what it has to
    do with others, and the line that makes it old."""

    path: str
    fact: Fact
    text: str
    words: str
    source: str
    age: Age
    relations: Sequence[Relation]
    newer: Newer | None


class AboutLine(NamedTuple):
    """A line of another note about this one: where it stands, its text as HTML, and which other
    lines of that note link here."""

    path: str
    line: int
    title: str
    date: str
    text: str
    others: Sequence[int] = ()


def show_note(call: PageCall) -> PageAnswer:
    """The note of a path, or of a name that means one note."""
    try:
        path = call.vault.resolve(call.name)
        return _shown(call, path)
    except AmbiguousNameError as error:
        return _near(call, error.candidates, f"{call.name} can be several notes", 300)
    except NoteNotFoundError:
        near = _near_paths(call.vault, call.name)
        return _near(call, near, f"There is no note {call.name}", 404)


def _shown(call: PageCall, path: str) -> PageAnswer:
    vault = call.vault
    data = note_bytes(vault, path, private=False)
    lines = decode(data).lines
    end = data.find(b"\n", _HEAD) + 1 or len(data)
    config = vault.config
    note = parse(path, data[:end], daily_folder=config.daily, kinds=config.kinds)
    links = PageLinks(vault)
    links.leads.learn_note(path)
    part = call.number("part", 0, len(lines))
    if not part:
        part = part_of_line(lines, call.number("line", 1, len(lines)), _LETTERS_A_PART)
    text = render_note(lines, links.of(path), title=note.title, part=part, size=_LETTERS_A_PART)
    values = {
        "note": note,
        "age": note_ages(vault, [path], private=False)[path],
        "text": text.html,
        "headings": text.headings,
        "part": part,
        "rest": text.rest,
        "before": call.with_query(part=str(part - 1), line=""),
        "after": call.with_query(part=str(part + 1), line=""),
        "tags": tuple(dict.fromkeys(tag.name for tag in note.tags)),
        "properties": _properties(note, links),
        "days_beside": _days_beside(vault, note),
        **_facts(call, path, links),
        **_about(call, note, links),
        **_around(vault, path),
    }
    return PageAnswer("note.html", note.title, values, uses=(path,))


def _properties(note: Note, links: PageLinks) -> list[tuple[str, str]]:
    """The properties that the line below the title does not tell, with their links."""
    shown = {note.kind, note.date, note.updated}
    note = note._replace(front_matter=_with_links(note.front_matter))
    return [
        (key, links.line(note.path, value))
        for key, value in property_lines(note, _as_written)[2]
        if key.lower() not in _SHOWN_ABOVE and value.lower() not in shown
    ]


def _days_beside(vault: Vault, note: Note) -> list[tuple[str, str, str]]:
    """Of the note of a day the days before and after it that have one: what each is called there,
    the day, the path of its note."""
    if note.kind != "daily" or not note.date:
        return []
    days = get_days_beside(vault.db, note.date, private=False)
    return [
        (name, day, get_daily(vault.db, day, private=False)[0])
        for name, day in zip(("Earlier", "Later"), days, strict=True)
        if day
    ]


def _as_written(value: Any) -> str:
    """A value as text, its links as they are."""
    if isinstance(value, str):
        return storable(single_spaced(value))
    return as_text(value)


def _with_links(value: Any) -> Any:
    """A value with each `[[link]]` without quotes as text: YAML takes it for a list in a list."""
    match value:
        case dict():
            return {key: _with_links(each) for key, each in value.items()}
        case [[str(name)]]:
            return f"[[{name}]]"
        case list():
            return [_with_links(each) for each in value]
    return value


# -- its facts -------------------------------------------------------------------------


def _facts(call: PageCall, path: str, links: PageLinks) -> Mapping[str, Any]:
    """A part of the facts, those that are past behind the others."""
    every = [fact for _, fact in get_facts(call.vault.db, path, private=False)]
    every.sort(key=lambda fact: fact.status == "superseded")
    window = call.window(len(every), _FACTS_A_PART, "facts")
    shown = shown_facts(call.vault, [(path, fact) for fact in every[window.rows]], links)
    newer = newer_facts(call.vault.db, path, private=False)
    by_key = {key: line for (_, key), line in newer.items()}
    found = [each._replace(newer=by_key.get(each.fact.key)) for each in shown]
    return {"facts": found, "facts_window": window}


def shown_facts(
    vault: Vault, found: Sequence[tuple[str, Fact]], links: PageLinks
) -> list[ShownFact]:
    """Facts with their notes' paths, as pages show them."""
    facts = [fact for _, fact in found]
    of_facts = ages(vault, facts)
    others = relations(vault.db, facts, private=False)
    related: list[str] = []
    for fact in facts:
        related += fact.related
    links.leads.learn(related)
    return [
        ShownFact(
            path=path,
            fact=fact,
            text=links.line(path, fact.text),
            words=plain_inline(link_names(fact.text)),
            source=links.line(path, fact.linked or fact.source),
            age=of_facts[fact.key],
            relations=others.get(fact.key, ()),
            newer=None,
        )
        for path, fact in found
    ]


# -- what others say of it ---------------------------------------------------------------


def _about(call: PageCall, note: Note, links: PageLinks) -> Mapping[str, Any]:
    """The lines of other notes that link to it, and those that name it without a link."""
    every = links.leads.to(note.path)
    linked = [*group_pairs(every).items()][::-1]
    known = {(path, link.line) for path, link in every}
    mentions = mentions_of(call.vault.db, note.path, private=False, by_links=False)
    unlinked = [each for each in mentions if not _is_linked(each, known)]
    of_links = call.window(len(linked), _LINES_A_PART, "links")
    of_mentions = call.window(len(unlinked), _LINES_A_PART, "mentions")
    some = linked[of_links.rows]
    others = unlinked[of_mentions.rows]
    text_of = line_reader(call.vault.root)
    paths = {path for path, _ in some} | {each.path for each in others}
    titles = get_titles(call.vault.db, paths, private=False)
    placed = [placed_mention(each, text_of) for each in others]
    names = (note.title, *note.aliases)

    def sentence(path: str, said: str, words: Sequence[str]) -> str:
        around = [each.casefold() for each in words]
        return links.line(path, shorten_around(said, around, _LETTERS_A_LINE))

    def best(path: str, own: Sequence[Link]) -> AboutLine:
        rows = [(_told(text_of, path, link.line), link) for link in own[:_LINES_A_PART]]
        (_, said), link = max(rows, key=lambda row: row[0][0])
        html = ""
        if said:
            html = sentence(path, said, (link.label or "[[", "]("))
        others = sorted({each.line for each in own} - {link.line})
        return AboutLine(
            path=path,
            line=link.line,
            title=titles[path],
            date="",
            text=html,
            others=others[:_MOST_OTHERS],
        )

    def named(each: MentionLine) -> AboutLine:
        said = sentence(each.path, bare_line(each.text), names)
        return AboutLine(each.path, each.line, titles[each.path], each.date, said)

    return {
        "links": [best(path, own) for path, own in some],
        "links_window": of_links,
        "mentions": [named(each) for each in placed],
        "mentions_window": of_mentions,
    }


def _told(text_of: LineReader, path: str, line: int) -> tuple[int, str]:
    """What a line says, "" for nothing but a link, and what that is worth: a sentence more than a
    heading or a property, which is given with its key."""
    if _in_front_matter(text_of, path, line):
        return 1, _property(text_of, path, line)
    text = text_of(path, line)
    said = bare_line(text)
    if _LINK_ALONE.fullmatch(said):
        return 0, ""
    return 2 - bool(_HEADING.match(text)), said


def _in_front_matter(text_of: LineReader, path: str, line: int) -> bool:
    """Whether a line stands between the first of a note, a `---`, and the next such line."""
    if text_of(path, 1) != "---":
        return False
    top = range(2, _LONGEST_TOP)
    return line < next((at for at in top if text_of(path, at) == "---"), 0)


def _property(text_of: LineReader, path: str, line: int) -> str:
    """A property with what a line of the front matter says of it."""
    value = text_of(path, line)
    key = _KEY.match(value)
    if key:
        value = value[key.end() :]
    for above in range(line - 1, 1, -1):
        key = key or _KEY.match(text_of(path, above))
    value = _QUOTED_LINK.sub(r"\2", value.removeprefix("- "))
    value = _LIST.sub(r"\1", value)
    if key:
        return f"{key[1]}: {value}"
    return value


def _is_linked(mention: MentionLine, linked: set[tuple[str, int]]) -> bool:
    """Whether a line that names a note links to it as well."""
    lines = range(mention.line, mention.last + 1)
    return any((mention.path, line) in linked for line in lines)


def _around(vault: Vault, path: str) -> Mapping[str, Any]:
    """The notes around it, drawn and as a list."""
    found = api.neighbourhood(vault, path, most=_NOTES_ON_MAP)
    drawn = draw_map(found, "Notes around this one", note_url)
    return {"map": drawn, "neighbours": neighbour_rows(found)}


# -- where there is none -----------------------------------------------------------------


def _near(call: PageCall, paths: Sequence[str], told: str, status: int) -> PageAnswer:
    """A page that leads to the notes that may be meant."""
    titles = get_titles(call.vault.db, paths, private=False)
    return PageAnswer("near.html", told, {"near": titles, "asked": call.name}, status)


def _near_paths(vault: Vault, name: str) -> list[str]:
    """The notes of which a name may be a slip, or the path before they were moved."""
    names = get_names(vault.db, private=False)
    wanted = clean_name(name)
    last = wanted.rpartition("/")[2]
    moved = later_paths(vault.config.state, names.paths)
    found = [moved[wanted]] if wanted in moved else []
    found += names.exactly(last)
    for spelled in names.near(last):
        found += names.exactly(spelled)
    return list(dict.fromkeys(found))[:_MOST_NEAR]
