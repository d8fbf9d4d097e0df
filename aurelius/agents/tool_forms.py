"""The tools of three other memories as tables: their names, parameters and defaults over our core.

A call is one JSON object with an `action`: save, search, list and index (one dispatcher,
`memory(action=…)`); store, query, reinforce, demote and update (five tools, also by their long
names, `memory_store`); search_entity, get_relationships, search_facts, search_events,
search_processes, get_instructions and done (six searches of a graph). What is refused comes back as
`error` and `hint`. A `call` is one of calls.py, as a door asks it of the daemon.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius import api
from aurelius.ageing.tiers import ages
from aurelius.answers.lookup import with_day
from aurelius.answers.references import fact_neighbourhood
from aurelius.show.facts import end_json
from aurelius.show.hits import beginnings
from aurelius.show.json_text import fact_json, hit_json, lean, mention_json
from aurelius.show.terminal import json_safe
from indexer.errors import (
    AmbiguousNameError,
    AureliusError,
    NoteNotFoundError,
    UsageError,
    hint_for_agents,
)
from indexer.note import TYPES
from indexer.reading.fact_line import parse_fact
from indexer.reading.inline import tags_in
from indexer.reading.path_meaning import is_imported
from indexer.reading.type_words import closest, filter_name, type_meaning
from indexer.search.weakness import why_empty
from indexer.spelling import compact_json

from .calls import (
    CALL_BY_NAME,
    AgentDoor,
    Given,
    Schema,
    Visit,
    answer_call,
    asked_at,
    bare_word,
    check_given,
    escape_all,
    filters_given,
    find_hits,
    object_schema,
    quote_given,
    read_object,
    tell_change,
    words_of_error,
)

if TYPE_CHECKING:
    from aurelius.answers.note_view import NoteView
    from aurelius.plans.plan import Written
    from indexer.catalog.edges import Edge
    from indexer.catalog.filters import Filters
    from indexer.search.hit import SearchResult

_MOST_MEMORIES = 100
"""Memories in one answer; more is cut with a notice."""
EXIT_REFUSED = 1
"""The exit code after JSON lines of which one was refused."""
STATED = tuple(each for each in TYPES if each not in {"event", "instruction"})
"""What a search for facts finds: everything but events and instructions, which have searches of
their own."""
_RULE_TYPES = ("instruction",)
ENTITY_EDGES = 15
ALL_EDGES = 25
"""Relationships that come with an entity, and when they are asked for."""
_MOST_EDGES = 1_000
"""Edges that are gathered."""


class Form(NamedTuple):
    """A tool: what it takes, what it does, and whether it only reads."""

    takes: Schema
    does: Callable[[Visit, Given], dict[str, Any]]
    reads: bool = True


def answer_tool_call(door: AgentDoor, text: str | bytes) -> tuple[int, str]:
    """The exit code and the JSON of the answer to a call, as it came in."""
    try:
        given = read_object(text)
        if given.get("call") in CALL_BY_NAME and "action" not in given:
            return 0, _line(answer_call(door, given["call"], given.get("arguments", {})))
        form = _form_of(given)
        if form.reads:
            told = door.asked(text if isinstance(text, str) else text.decode())
            if told is not None:
                return told[0], told[1].rstrip("\n")
        value = asked_at(door, lambda visit: _answered(visit, form, given), reads=form.reads)
    except AureliusError as error:
        message, hint = words_of_error(error)
        return error.exit_code, _line(lean(error=message, hint=hint))
    return 0, _line(escape_all(value))


def _answered(visit: Visit, form: Form, given: Given) -> dict[str, Any]:
    """What a form gives, with what is told beside it."""
    value = form.does(visit, given)
    notices = [*value.pop("notices", ()), *visit.vault.notices]
    if given.get("limit", 0) > _MOST_MEMORIES:
        notices.append(f"showing at most {_MOST_MEMORIES} memories, not {given['limit']}")
    return value | lean(notices=[*dict.fromkeys(map(hint_for_agents, notices))])


def only_reads(text: str) -> bool:
    """Whether a call writes nothing, so that another process may answer it; also where it makes no
    sense."""
    try:
        given = read_object(text)
        if given.get("call") in CALL_BY_NAME:
            return CALL_BY_NAME[given["call"]].reads
        return _form_of(given).reads
    except AureliusError:
        return True


def _line(value: object) -> str:
    return json_safe(compact_json(value))


def _form_of(given: dict[str, Any]) -> Form:
    """The tool that a call names, of which is left what it is given by its own names; UsageError
    for what is no call."""
    action = given.pop("action", None)
    if action is None:
        raise UsageError("action is missing", _one_of("", [*TOOL_FORMS]))
    name = action.removeprefix("memory_") if isinstance(action, str) else ""
    form = TOOL_FORMS.get(name)
    if form is None:
        raise UsageError(f"there is no action {quote_given(action)}", _one_of(name, [*TOOL_FORMS]))
    for other, own in OTHER_NAMES.items():
        if other in given and own in form.takes["properties"]:
            if own in given:
                raise UsageError(f"{other} and {own} mean the same", f"give only {own}")
            given[own] = given.pop(other)
    check_given(form.takes, given)
    _category(given)
    _fields(given.get("metadata", {}))
    return form


def _one_of(word: str, names: Sequence[str]) -> str:
    """The hint that names what a word may be, the nearest first."""
    near = closest(word, names)
    told = f"one of: {', '.join(names)}"
    if near:
        return f"did you mean {near}?  {told}"
    return told


# -- what each does --------------------------------------------------------------------


def _save(visit: Visit, given: Given) -> dict[str, Any]:
    """A new memory in today's daily note, with tags and fields."""
    tags = _tags(given.get("keywords", given.get("tags", ())))
    kind = _category(given)
    meta = _fields(given.get("metadata", {}))
    return _written(
        visit,
        api.add(visit.vault, "", given["content"], type=kind, tags=tags, meta=meta, person=False),
    )


def _update(visit: Visit, given: Given) -> dict[str, Any]:
    """A memory in other words, with its id, date and score; its tags are the given ones, else
    stay."""
    tags = _tags(given.get("tags", ()))
    missing = [f"#{tag}" for tag in tags if tag not in tags_in(given["content"])]
    text = " ".join((given["content"].strip(), *missing))
    return _written(visit, api.update(visit.vault, bare_word(given["id"]), text, person=False))


def _written(visit: Visit, done: Written) -> dict[str, Any]:
    """What is told of a memory that was written: itself, what is like it, and how to take it
    back."""
    told = tell_change(visit, done)
    rows = {name: [*map(_memory, told.value.get(name, ()))] for name in ("older", "near")}
    undo = told.value.get("undo")
    return _memory(done.about) | lean(**rows, undo=undo, notices=told.notices)


def _judged(helped: bool) -> Callable[[Visit, Given], dict[str, Any]]:
    def judged(visit: Visit, given: Given) -> dict[str, Any]:
        key = bare_word(given["id"])
        told = api.feedback(visit.vault, key, helped=helped, person=False)
        return {"id": told.id, "score": told.score, "last_hit_at": told.last}

    return judged


def _index(visit: Visit, _given: Given) -> dict[str, Any]:
    """The index made anew from the notes."""
    done = visit.vault.rebuild()
    failed = [{"path": path, "reason": reason} for path, reason in done.failed]
    return {"indexed": done.added, **lean(failed=failed, notices=done.notices)}


def _found(found: SearchResult, name: str) -> dict[str, Any]:
    words = beginnings(found)
    rows = [_memory(hit_json(hit, words)) for hit in found.hits]
    hint = hint_for_agents(found.hint or "")
    if not rows:
        hint = hint or f"no {name} were found: ask with fewer words"
    cut = lean(truncated=found.truncated, weak=found.weak, hint=hint, notices=found.notices)
    return {name: rows, **cut}


def _list(visit: Visit, given: Given) -> dict[str, Any]:
    """The memories of a category, or all, a page of them."""
    _, filters = _within(visit, given, TYPES)
    rows, total, left = _facts(visit, filters, _count(given, 20), given.get("offset", 0))
    hint = ""
    if total and not rows:
        hint = f"offset is beyond the {total} there are"
    if not total:
        hint = why_empty(visit.vault.db, filters)
        if "category" not in given:
            hint = "nothing is kept yet: the action save keeps something"
    return {"memories": rows, "total": total, **lean(truncated=left, hint=hint)}


def _facts(
    visit: Visit, filters: Filters, limit: int, offset: int = 0
) -> tuple[list[dict[str, Any]], int, int]:
    """A page of facts as memories, how many there are, and how many stand behind the page."""
    found = visit.vault.facts(filters, limit=limit, offset=offset)
    known = ages(visit.vault, [fact for _, fact in found.facts])
    rows = [_memory(fact_json(path, fact, known[fact.key])) for path, fact in found.facts]
    return rows, found.total, max(0, found.total - offset - len(rows))


def _entity(visit: Visit, given: Given) -> dict[str, Any]:
    """The note about somebody or something, and what it is related to; none where no name or
    several fit."""
    try:
        note = visit.vault.note(_meant(visit, given["name"]))
    except (NoteNotFoundError, AmbiguousNameError) as error:
        return {"entities": [], "hint": "; ".join(filter(None, words_of_error(error)))}
    visit.used([note.path], "show")
    about = lean(
        id=note.path,
        name=note.title,
        kind=note.kind,
        aliases=note.aliases,
        summary=note.summary or note.opening,
        facts=len(note.facts),
    )
    return {"entities": [{**about, **_edges(visit, note.path, ENTITY_EDGES)}]}


def _meant(visit: Visit, name: str) -> str:
    """A name, with the path of its daily note where it names a day."""
    vault = visit.vault
    today = vault.now.date().isoformat()
    return with_day(vault.db, vault.config, name, today=today, private=False)


def _edges(visit: Visit, name: str, most: int) -> dict[str, Any]:
    """The first edges of a note or fact: each the label, the other end, and whether it is that one
    which says so."""
    around = fact_neighbourhood(visit.vault, name, 1, (), private=False, most=_MOST_EDGES)
    rows = [_edge(edge) for _, edge in around.branches]
    return {"relationships": rows[:most], **lean(truncated=len(rows[most:]))}


def _edge(edge: Edge) -> dict[str, Any]:
    """An edge; where the other end is the line of a link, its note stands for it."""
    end = end_json(edge)
    name = end["text"]
    text = ""
    if "line" in end and "id" not in end:
        text = name
        name = end.get("path")
    told = lean(
        entity=name,
        id=end.get("id") or end.get("path"),
        kind=end.get("kind"),
        incoming=not edge.forward,
        text=text,
    )
    return {"label": edge.type, **told}


def _searching(
    name: str, usual: int, types: tuple[str, ...] = (), mode: str = ""
) -> Callable[[Visit, Given], dict[str, Any]]:
    """A search for memories, as many as `usual` unless told: of some types, or of the category that
    is given, in all notes or in that of an entity; without a query all of them."""

    def search(visit: Visit, given: Given) -> dict[str, Any]:
        note, filters = _within(visit, given, types)
        limit = _count(given, usual)
        if "query" in given:
            found = _found(find_hits(visit, given["query"], filters, limit, mode), name)
        else:
            rows, _, left = _facts(visit, filters, limit)
            found = {name: rows, **lean(truncated=left)}
        return found | lean(newer=_newer(note, found[name]))

    return search


def _events(visit: Visit, given: Given) -> dict[str, Any]:
    """What happened: facts that are events, and what daily notes tell, the best first."""
    _, filters = _within(visit, given, ())
    limit = _count(given, 20)
    answers = [
        find_hits(visit, given["query"], each, limit)
        for each in (filters._replace(types=("event",)), filters._replace(kinds=("daily",)))
    ]
    sure = [each for each in answers if not each.weak] or answers[:1]
    every = chain.from_iterable(each.hits for each in sure)
    hits = [hit for hit in every if hit.type in {"", "fact", "event"}]
    hits.sort(key=lambda hit: -hit.score)
    once = [*{(hit.path, hit.lines): hit for hit in hits}.values()]
    beyond = sum(each.truncated for each in sure) + len(once[limit:])
    return _found(sure[0]._replace(hits=tuple(once[:limit]), truncated=beyond), "events")


def _within(visit: Visit, given: Given, types: tuple[str, ...]) -> tuple[NoteView | None, Filters]:
    """The note of an entity, if one is given, and the filters that keep a search to it, to the last
    days, and to these types or the category."""
    asked = {}
    note = None
    if "entity" in given:
        note = visit.vault.note(_meant(visit, given["entity"]))
        asked["folder"] = note.path
    if "days" in given:
        asked["since"] = f"{given['days']} days ago"
    if category := _category(given):
        types = (filter_name(category),)
    return note, filters_given(visit.vault, asked)._replace(types=types)


def _newer(note: NoteView | None, rows: Sequence[Given]) -> list[dict[str, Any]]:
    """What other notes say of an entity later than the earliest of these memories of its note."""
    if note is None:
        return []
    first = min((row.get("created_at", "") for row in rows), default="9")
    newest = [mention_json(line, (note.title, *note.aliases)) for line in note.mentioned]
    return [
        {**_memory({**each, "lines": [each["line"]] * 2}), "newer_of": {"about": note.title}}
        for each in newest
        if each.get("date", "") > first
    ]


def _done(_visit: Visit, _given: Given) -> dict[str, Any]:
    """Nothing: the one who asks has found enough."""
    return {"done": True}


def _memory(row: Given) -> dict[str, Any]:
    """A hit or a fact as the other memories have it: its words without bullet, tail and id."""
    told = lean(
        id=row.get("id"),
        category=row.get("type"),
        subtype=row.get("subtype"),
        content=_words(row),
        created_at=row.get("date"),
        last_hit_at=row.get("lastAccessed"),
        status=row.get("status"),
        newer=row.get("newer"),
        newer_of=row.get("newer_of"),
        cut=row.get("cut"),
        imported=is_imported(row["path"]),
    )
    return {**told, "path": row["path"], "lines": row["lines"]}


def _words(row: Given) -> str:
    """What a row says; of a fact without what `created_at` and `id` tell."""
    text: str = row["text"]
    if not row.get("id"):
        return text
    first, newline, rest = text.partition("\n")
    words = first.lstrip()
    if words[:2] in {"- ", "* ", "+ "}:
        words = words[2:]
    return (parse_fact(words).text or words) + newline + rest


# -- what is given ---------------------------------------------------------------------


def _count(given: Given, usual: int) -> int:
    return min(int(given.get("limit", usual)), _MOST_MEMORIES)


def _category(given: Given) -> str:
    """The type word that a category is, "" where none is given; UsageError for a word that names no
    type, with the nearest."""
    word = str(given.get("category", "")).strip().lower()
    if word and type_meaning(word) is None:
        told = f"category cannot be {quote_given(given['category'])}"
        raise UsageError(told, _one_of(word, TYPES))
    return word


def _tags(given: str | Sequence[str]) -> list[str]:
    """Keywords as tags: a list, or a text with commas; one of several words is joined by dashes."""
    words = given.split(",") if isinstance(given, str) else given
    tags = ("-".join(word.strip().removeprefix("#").split()) for word in words if word.strip())
    return list(dict.fromkeys(tags))


def _fields(given: Mapping[str, Any]) -> list[str]:
    """Metadata as fields of a line, without those that are null."""
    fields = []
    for name, value in given.items():
        if "=" in name or not isinstance(value, str | int | float | None):
            told = f"metadata: {quote_given(name)} cannot be {quote_given(value)}"
            raise UsageError(told, "a name has no '=' in it, and a value is a text or a number")
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            fields.append(f"{name}={text}")
    return fields


# -- the table -------------------------------------------------------------------------

_TEXT: Schema = {"type": "string"}
_WORDS: Schema = {"type": ["string", "array"], "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_KINDS: Mapping[str, Schema] = {
    "keywords": _WORDS,
    "tags": _WORDS,
    "metadata": {"type": "object"},
    "limit": _COUNT,
    "days": _COUNT,
    "offset": _COUNT | {"minimum": 0},
}
"""Parameters that are no text."""
OTHER_NAMES = {"entity_id": "entity", "topic": "query"}
"""What the six searches call some of their parameters, too."""


def _form(
    takes: str, does: Callable[[Visit, Given], dict[str, Any]], *, reads: bool = True
) -> Form:
    """A form by the names of its parameters, those with a `!` required."""
    names = takes.split()
    required = [each[:-1] for each in names if each.endswith("!")]
    kinds = {each.rstrip("!"): _KINDS.get(each, _TEXT) for each in names}
    return Form(object_schema(required, **kinds), does, reads)


TOOL_FORMS: Mapping[str, Form] = {
    "save": _form("content! category keywords metadata", _save, reads=False),
    "search": _form("query! category limit", _searching("memories", 20)),
    "list": _form("category limit offset", _list),
    "index": _form("", _index, reads=False),
    "store": _form("content! tags", _save, reads=False),
    "query": _form("query! limit", _searching("memories", 5, mode="keyword")),
    "reinforce": _form("id!", _judged(True), reads=False),
    "demote": _form("id!", _judged(False), reads=False),
    "update": _form("id! content! tags", _update, reads=False),
    "search_entity": _form("name!", _entity),
    "get_relationships": _form(
        "entity!", lambda visit, given: _edges(visit, given["entity"], ALL_EDGES)
    ),
    "search_facts": _form("query! entity limit", _searching("facts", 10, STATED)),
    "search_events": _form("query! entity limit days", _events),
    "search_processes": _form("query! entity limit", _searching("processes", 10, _RULE_TYPES)),
    "get_instructions": _form("query entity limit", _searching("instructions", 15, _RULE_TYPES)),
    "done": _form("", _done),
}
"""Every action, in the order of the three memories."""
