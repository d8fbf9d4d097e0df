"""The tools of three other memories as a table: their names, parameters and defaults over our core.

A call is one JSON object with an `action`: save, search, list and index; store, query, reinforce,
demote and update, also as `memory_store` and so on; six searches of a graph, and done. What is
refused comes back as `error` and `hint`. A `call` is one of calls.py, as a door asks it of the
daemon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from aurelius import api
from aurelius.ageing.tiers import ages
from aurelius.answers.references import fact_neighbourhood
from aurelius.show.facts import end_json
from aurelius.show.json_text import fact_json, lean, mention_json
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
from indexer.reading.type_words import filter_name, type_meaning
from indexer.spelling import compact_json

from . import calls
from .calls import AgentDoor, Given, Schema, Told, Visit

Does = Callable[[Visit, Given], Told]

_MOST_MEMORIES = 100
"""Memories in one answer; more is cut with a notice."""
EXIT_REFUSED = 1
"""The exit code after JSON lines of which one was refused."""
STATED = tuple(each for each in TYPES if each not in {"event", "instruction"})
"""What a search for facts finds: everything but events and instructions, which have searches of
their own."""
_RULES = "instruction"
_MOST_EDGES = 1_000
"""Edges that are gathered."""


class Form(NamedTuple):
    """A tool: what it takes, what is usual, what it does, what it calls the rows that it finds,
    and whether it only reads."""

    takes: Schema
    usual: Given
    does: Does
    rows: str
    reads: bool


def answer_tool_call(door: AgentDoor, text: str | bytes) -> tuple[int, str]:
    """The exit code and the JSON of the answer to a call, as it came in."""
    try:
        asked = calls.read_object(text)
        if call := _call_of(asked):
            return 0, _line(calls.answer_call(door, call.name, asked.get("arguments", {})))
        form, given = _form_of(asked)
        there = door.asked(compact_json(asked)) if form.reads else None
        if there is not None:
            return there[0], there[1].rstrip("\n")
        value = calls.asked_at(door, lambda visit: _answer(visit, form, given), reads=form.reads)
    except AureliusError as error:
        message, hint = calls.words_of_error(error)
        return error.exit_code, _line(lean(error=message, hint=hint))
    return 0, _line(calls.escape_all(value))


def only_reads(text: str) -> bool:
    """Whether a call writes nothing, so that another process may answer it; also where it makes no
    sense."""
    try:
        asked = calls.read_object(text)
        return (_call_of(asked) or _form_of(asked)[0]).reads
    except AureliusError:
        return True


def _call_of(asked: Given) -> calls.Call | None:
    return calls.CALL_BY_NAME.get(str(asked.get("call")))


def _line(value: object) -> str:
    return json_safe(compact_json(value))


def _form_of(asked: Given) -> tuple[Form, Given]:
    """The tool that a call names, and what it is given; UsageError for what is no call."""
    given = {name: asked[name] for name in asked if name != "action"}
    name = str(asked.get("action"))
    form = TOOL_FORMS.get(name.removeprefix("memory_"))
    if form is None:
        raise UsageError(f"there is no action {name:.60}", f"one of: {', '.join(TOOL_FORMS)}")
    calls.check_given(form.takes, given)
    kind = given.get("category", "fact")
    if type_meaning(kind) is None:
        raise UsageError(f"there is no category {kind:.60}", f"one of: {', '.join(TYPES)}")
    return form, {**form.usual, **given}


def _answer(visit: Visit, form: Form, given: Given) -> dict[str, Any]:
    """What a form gives, in the words of the other memories."""
    asked = {}
    for name, each in given.items():
        asked[_NAMES.get(name, name)] = _VALUES[name](each) if name in _VALUES else each
    told = form.does(visit, asked)
    value = {form.rows if name == "hits" else name: each for name, each in told.value.items()}
    if value.get(form.rows) == []:
        value.setdefault("hint", f"there are no such {form.rows}: ask for less")
    notices = [hint_for_agents(each) for each in (*told.notices, *visit.vault.notices)]
    if given.get("limit", 0) > _MOST_MEMORIES:
        notices.append(f"showing at most {_MOST_MEMORIES} memories, not {given['limit']}")
    return {**_renamed(value), **lean(notices=[*dict.fromkeys(notices)])}


# -- what is given, and what is told --------------------------------------------------


_NAMES: Mapping[str, str] = {
    "content": "text",
    "category": "type",
    "keywords": "tags",
    "metadata": "meta",
    "days": "since",
    "created_at": "date",
    "last_hit_at": "lastAccessed",
}
"""What the other memories call something, and what we call it."""
_OTHER_NAMES: Mapping[str, str] = {own: name for name, own in _NAMES.items()}
_BULLET = re.compile(r"\s*[-*+] ")


def _tags(given: str | list[str]) -> list[str]:
    """Keywords as tags: a list, or a text with commas; one of several words is joined by dashes."""
    words = given.split(",") if isinstance(given, str) else given
    tags = ("-".join(word.replace("#", " ").split()) for word in words)
    return [*dict.fromkeys(filter(None, tags))]


_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "category": filter_name,
    "days": "{} days ago".format,
    "id": calls.bare_word,
    "keywords": _tags,
    "limit": lambda count: min(count, _MOST_MEMORIES),
    "metadata": lambda rows: {name: each for name, each in rows.items() if each is not None},
    "tags": _tags,
}
"""What the core is given for what they are given."""


def _renamed(value: Any) -> Any:
    """What is told, with the names of the other memories; of a fact the words without bullet, tail
    and id."""
    if isinstance(value, list):
        return [*map(_renamed, value)]
    if not isinstance(value, dict):
        return value
    told: dict[str, Any] = {
        _OTHER_NAMES.get(str(name), name): _renamed(each) for name, each in value.items()
    }
    if "id" in told and "content" in told:
        first, newline, rest = told["content"].partition("\n")
        words = _BULLET.sub("", first, count=1)
        told["content"] = (parse_fact(words).text or words) + newline + rest
    return told


# -- what is done ----------------------------------------------------------------------


def _add(visit: Visit, asked: Given) -> Told:
    done = api.add(visit.vault, "", **asked, person=False)
    return calls.tell_change(visit, done)


def _judge(visit: Visit, asked: Given) -> Told:
    helped = asked["helped"]
    done = api.feedback(visit.vault, asked["id"], helped=helped, person=False)
    return Told("", {"id": done.id, "score": done.score, "lastAccessed": done.last})


def _update(visit: Visit, asked: Given) -> Told:
    """A memory in other words, with its id, date and score; its tags are the given ones, else
    stay."""
    text = asked["text"].strip()
    missing = [f" #{tag}" for tag in asked.get("tags", ()) if tag not in tags_in(text)]
    words = text + "".join(missing)
    done = api.update(visit.vault, asked["id"], words, person=False)
    return calls.tell_change(visit, done)


def _index(visit: Visit, _asked: Given) -> Told:
    """The index made anew from the notes."""
    done = visit.vault.rebuild()
    return Told("", {"indexed": done.added}, done.notices)


def _find(visit: Visit, asked: Given) -> Told:
    """Memories, for a query the best, else a page of all; of the note of an entity with what other
    notes say of that later than the earliest of them."""
    if "entity" not in asked:
        return _search(visit, asked)
    note = visit.vault.note(asked["entity"])
    told = _search(visit, {**asked, "folder": note.path})
    first = min((row.get("date", "") for row in told.value["hits"]), default="9")
    newest = [mention_json(line, (note.title, *note.aliases)) for line in note.mentioned]
    about = {"newer_of": {"about": note.title}}
    later = [each | about for each in newest if each.get("date", "") > first]
    return told._replace(value=told.value | lean(newer=later))


def _search(visit: Visit, asked: Given) -> Told:
    """Memories for a query, the best first; as events also what daily notes tell."""
    if "query" not in asked:
        return _list(visit, asked)
    if "among" not in asked:
        return calls.tell_search(visit, calls.search_asked(visit, asked))
    found = calls.search_asked(visit, {**asked, "limit": asked["among"]})
    hits = [hit for hit in found.hits if hit.type == "event" or hit.kind == "daily"]
    left = max(0, len(hits) - asked["limit"])
    first = tuple(hits[: asked["limit"]])
    return calls.tell_search(visit, found._replace(hits=first, truncated=left))


def _list(visit: Visit, asked: Given) -> Told:
    filters = calls.filters_given(visit.vault, asked)
    at = asked.get("offset", 0)
    found = visit.vault.facts(filters, limit=asked["limit"], offset=at)
    known = ages(visit.vault, [fact for _, fact in found.facts])
    rows = [fact_json(path, fact, known[fact.key]) for path, fact in found.facts]
    left = max(0, found.total - at - len(rows))
    return Told("", {"hits": rows, "total": found.total, **lean(truncated=left)})


def _entity(visit: Visit, asked: Given) -> Told:
    """The note about somebody or something, and what it is related to; none where no name or
    several fit."""
    try:
        note = visit.vault.note(asked["name"])
    except (NoteNotFoundError, AmbiguousNameError) as error:
        return Told("", {"hits": [], "hint": "; ".join(calls.words_of_error(error))})
    visit.used([note.path], "show")
    about = lean(aliases=note.aliases, summary=note.summary or note.opening)
    edges = _edges(visit, {**asked, "entity": note.path}).value
    row = {"id": note.path, "name": note.title, "kind": note.kind, **about}
    return Told("", {"hits": [row | {"relationships": edges.pop("hits"), **edges}]})


def _edges(visit: Visit, asked: Given) -> Told:
    """The first edges of a note or fact: each the label, the other end, and whether it is that one
    which says so."""
    name = asked["entity"]
    around = fact_neighbourhood(visit.vault, name, 1, (), private=False, most=_MOST_EDGES)
    rows = [
        {"label": edge.type, **lean(incoming=not edge.forward), **end_json(edge)}
        for _, edge in around.branches
    ]
    most = asked["limit"]
    return Told("", {"hits": rows[:most], **lean(truncated=len(rows[most:]))})


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
    "offset": {"type": "integer", "minimum": 0},
}
"""Parameters that are no text."""


def _form(takes: str, does: Does, rows: str = "", *, reads: bool = True, **usual: Any) -> Form:
    """A form by the names of its parameters, those with a `!` required."""
    return Form(calls.schema_of(takes, _KINDS, _TEXT), usual, does, rows, reads)


TOOL_FORMS: Mapping[str, Form] = {
    "save": _form(
        "content! category keywords metadata",
        _add,
        reads=False,
    ),
    "search": _form(
        "query! category limit",
        _find,
        "memories",
        limit=20,
    ),
    "list": _form(
        "category limit offset",
        _find,
        "memories",
        limit=20,
    ),
    "index": _form("", _index, reads=False),
    "store": _form(
        "content! tags",
        _add,
        reads=False,
    ),
    "query": _form(
        "query! limit",
        _find,
        "memories",
        limit=5,
        mode="keyword",
    ),
    "reinforce": _form(
        "id!",
        _judge,
        reads=False,
        helped=True,
    ),
    "demote": _form(
        "id!",
        _judge,
        reads=False,
        helped=False,
    ),
    "update": _form(
        "id! content! tags",
        _update,
        reads=False,
    ),
    "search_entity": _form(
        "name!",
        _entity,
        "entities",
        limit=15,
    ),
    "get_relationships": _form(
        "entity!",
        _edges,
        "relationships",
        limit=25,
    ),
    "search_facts": _form(
        "query! entity limit",
        _find,
        "facts",
        limit=10,
        type=STATED,
    ),
    "search_events": _form(
        "query! entity limit days",
        _find,
        "events",
        limit=20,
        among=100,
    ),
    "search_processes": _form(
        "query! entity limit",
        _find,
        "processes",
        limit=10,
        type=_RULES,
    ),
    "get_instructions": _form(
        "query entity limit",
        _find,
        "instructions",
        limit=15,
        type=_RULES,
    ),
    "done": _form("", lambda _visit, _asked: Told("", {"done": True})),
}
"""Every action, in the order of the three memories: its parameters, what it does, the name of its
rows, and what is usual."""
