"""The tools of three other memories as thin adapters: their names, parameters and defaults, our
command lines.

A call is one JSON object with an `action`: save, search, list and index (one dispatcher,
`memory(action=…)`); store, query, reinforce, demote and update (five tools, also by their long
names, `memory_store`); search_entity, get_relationships, search_facts, search_events,
search_processes, get_instructions and done (six searches of a graph). Each becomes a command line
of ours; what that refuses comes back as `error` and `hint`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from aurelius.show.json_text import lean
from aurelius.show.terminal import json_safe
from indexer.errors import AureliusError, UsageError
from indexer.note import TYPES
from indexer.reading.fact_line import parse_fact
from indexer.reading.inline import tags_in
from indexer.reading.path_meaning import is_imported
from indexer.reading.type_words import closest, type_meaning
from indexer.spelling import compact_json

from .calls import (
    Run,
    Schema,
    bare_word,
    escape_all,
    fault,
    for_agent,
    object_schema,
    quote_given,
    read_object,
    refused_call,
    spoken,
    undo_command,
)

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

Given = Mapping[str, Any]


class Asking:
    """Runs command lines for one call; keeps what was told beside their answers, and the highest
    exit code."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.notices: list[str] = []
        self.code = 0
        self.vault = ""

    def __call__(self, command: str, *options: str, words: Sequence[str] = ()) -> dict[str, Any]:
        """The JSON of a command; AureliusError with its words where it was refused."""
        told = self._run([command, "--json", *options, "--", *words], words[-1] if words else "")
        if not told.out:
            raise _refused(told.err, told.code)
        self.notices += [
            each for each in map(for_agent, spoken(told.err)) if each not in self.notices
        ]
        self.vault = told.vault
        self.code = max(self.code, told.code)
        value: dict[str, Any] = json.loads(told.out)
        return value


class Form(NamedTuple):
    """A tool: what it takes, what it does, and whether it only reads."""

    takes: Schema
    does: Callable[[Asking, Given], dict[str, Any]]
    reads: bool = True


def answer_tool_call(
    run: Run,
    text: str | bytes,
) -> tuple[int, str]:
    """The exit code and the JSON of the answer to a call, as it came in."""
    asking = Asking(run)
    try:
        form, given = _call(text)
        value = form.does(asking, given)
    except AureliusError as error:
        return error.exit_code, _line(lean(error=error.message, hint=error.hint))
    return asking.code, _line(escape_all({**value, **lean(notices=asking.notices)}))


def only_reads(text: str) -> bool:
    """Whether a call writes nothing, so that another process may answer it; also where it makes no
    sense."""
    try:
        return _call(text)[0].reads
    except AureliusError:
        return True


def _line(value: Mapping[str, Any]) -> str:
    return json_safe(compact_json(value))


def _call(text: str | bytes) -> tuple[Form, Given]:
    """The tool that a call names, and what it is given; UsageError for what is no call."""
    given = read_object(text)
    action = given.pop("action", None)
    if action is None:
        raise UsageError("action is missing", _one_of("", [*TOOL_FORMS]))
    name = action.removeprefix("memory_") if isinstance(action, str) else ""
    form = TOOL_FORMS.get(name)
    if form is None:
        raise UsageError(f"there is no action {quote_given(action)}", _one_of(name, [*TOOL_FORMS]))
    given = _renamed(form, given)
    if wrong := fault(form.takes, given):
        raise _refused(wrong, UsageError.exit_code)
    for name, value in given.items():
        if form.takes["properties"][name] == _TEXT and not value.strip():
            raise UsageError(f"{name} is empty", f"give a text for {name}")
    return form, given


def _renamed(form: Form, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters by the names that the form has for them: `entity_id` is `entity`, `topic` is
    `query`."""
    for other, name in OTHER_NAMES.items():
        if other in given and name in form.takes["properties"]:
            if name in given:
                raise UsageError(f"{other} and {name} mean the same", f"give only {name}")
            given[name] = given.pop(other)
    return given


def _refused(
    told: str,
    code: int,
) -> AureliusError:
    """What a command refused, with its exit code."""
    message, _, hint = refused_call(told).text.partition("\nhint: ")
    error = AureliusError(message, hint)
    error.exit_code = code or UsageError.exit_code
    return error


def _save(ask: Asking, given: Given) -> dict[str, Any]:
    """A new memory in today's daily note, with tags and fields."""
    options = _of_category(given)
    options += [f"--tag={tag}" for tag in _tags(given.get("keywords", given.get("tags", ())))]
    options += _fields(given.get("metadata", {}))
    return _written(ask, ask("add", *options, words=(given["content"],)))


def _written(ask: Asking, made: Given) -> dict[str, Any]:
    """What is told of a memory that was written: itself, what is like it, and how to take it
    back."""
    back = undo_command(made["number"], ask.vault) if made["number"] else ""
    older = [*map(_memory, made.get("older", ()))]
    near = [*map(_memory, made.get("near", ()))]
    return {**_memory(made), **lean(older=older, near=near, undo=back)}


def _search(ask: Asking, given: Given) -> dict[str, Any]:
    """Memories that are like the query, in words or meaning."""
    options = [_limit(given, 20), *_of_category(given)]
    return _found(ask("search", *options, words=(given["query"],)))


def _query(ask: Asking, given: Given) -> dict[str, Any]:
    """Memories that hold words of the query, in the order that feedback and age give them."""
    return _found(ask("search", "--mode=keyword", _limit(given, 5), words=(given["query"],)))


def _found(
    found: Given,
    name: str = "memories",
) -> dict[str, Any]:
    rows = [_memory(hit) for hit in found["hits"]]
    hint = found["hint"] or ""
    if not rows:
        hint = hint or f"no {name} were found: ask with fewer words"
    cut = lean(truncated=found["truncated"], weak=found["weak"], hint=for_agent(hint))
    return {name: rows, **cut}


def _list(ask: Asking, given: Given) -> dict[str, Any]:
    """The memories of a category, or all, a page of them."""
    options = _of_category(given) or _of_types(TYPES)
    if given.get("limit", 0) > _MOST_MEMORIES:
        ask.notices.append(f"showing at most {_MOST_MEMORIES} memories, not {given['limit']}")
    options.append(f"--limit={min(given.get('limit', 20), _MOST_MEMORIES)}")
    options.append(f"--offset={given.get('offset', 0)}")
    found = ask("list", *options)
    rows = [_memory(fact) for fact in found["facts"]]
    total = found["total"]
    hint = found.get("hint") or ""
    if total and not rows and not hint:
        hint = f"offset is beyond the {total} there are"
    if not total and "category" not in given:
        hint = "nothing is kept yet: the action save keeps something"
    cut = lean(truncated=found.get("truncated"), hint=for_agent(hint))
    return {"memories": rows, "total": total, **cut}


def _index(ask: Asking, _given: Given) -> dict[str, Any]:
    """The index made anew from the notes."""
    told = ask("index", "--rebuild")
    ask.notices += [each for each in told["notices"] if each not in ask.notices]
    return {"indexed": told["added"], **lean(failed=told["failed"])}


def _judge(command: str) -> Callable[[Asking, Given], dict[str, Any]]:
    def judged(ask: Asking, given: Given) -> dict[str, Any]:
        told = ask(command, words=(bare_word("id", given["id"]),))
        return {"id": told["id"], "score": told["score"], "last_hit_at": told["lastAccessed"]}

    return judged


def _update(ask: Asking, given: Given) -> dict[str, Any]:
    """A memory in other words, with its id, date and score; its tags are the given ones, else
    stay."""
    name = bare_word("id", given["id"])
    tags = _tags(given.get("tags", ()))
    missing = [f"#{tag}" for tag in tags if tag not in tags_in(given["content"])]
    return _written(
        ask, ask("update", words=(name, " ".join((given["content"].strip(), *missing))))
    )


def _entity(ask: Asking, given: Given) -> dict[str, Any]:
    """The note about somebody or something, and what it is related to; none where no name or
    several fit."""
    try:
        note = ask("show", words=(given["name"],))
    except AureliusError as error:
        if error.exit_code != 5:
            raise
        return {"entities": [], "hint": f"{error.message}; {error.hint}"}
    edges = _edges(ask("graph", words=(note["path"],)), ENTITY_EDGES)
    about = lean(
        id=note["path"],
        name=note["title"],
        kind=note["kind"],
        aliases=note["aliases"],
        summary=note["summary"] or note["opening"],
        facts=len(note["facts"]),
    )
    return {"entities": [{**about, **edges}]}


def _relationships(ask: Asking, given: Given) -> dict[str, Any]:
    """What a note or fact has to do with others."""
    return _edges(ask("graph", words=(given["entity"],)), ALL_EDGES)


def _edges(found: Given, most: int) -> dict[str, Any]:
    """The first edges: each the label, the other end, and whether it is that one which says so."""
    rows = [_edge(edge, edge["target"]) for edge in found["edges"]]
    return {"relationships": rows[:most], **lean(truncated=len(rows[most:]))}


def _edge(edge: Given, end: Given) -> dict[str, Any]:
    """An edge; where the other end is the line of a link, its note stands for it."""
    name = end["text"]
    text = ""
    if "line" in end and "id" not in end:
        text = name
        name = end.get("path")
    told = lean(
        entity=name,
        id=end.get("id") or end.get("path"),
        kind=end.get("kind"),
        incoming=not edge["forward"],
        text=text,
    )
    return {"label": edge["type"], **told}


def _searching(
    name: str,
    types: Sequence[str],
    usual: int,
) -> Callable[[Asking, Given], dict[str, Any]]:
    """A search for facts of some types, in all notes or in that of an entity."""

    def search(ask: Asking, given: Given) -> dict[str, Any]:
        note = _note_of(ask, given)
        options = [_limit(given, usual), *_of_types(types), *_within(given, note)]
        if "query" in given:
            found = _found(ask("search", *options, words=(given["query"],)), name)
        else:
            listed = ask("list", *options)
            rows = [_memory(each) for each in listed["facts"]]
            found = {name: rows, **lean(truncated=listed.get("truncated"))}
        return {**found, **lean(newer=_newer(note, found[name]))}

    return search


def _events(ask: Asking, given: Given) -> dict[str, Any]:
    """What happened: facts that are events, and what daily notes tell, the best first."""
    options = (_limit(given, 20), *_within(given, _note_of(ask, given)))
    answers = [
        ask("search", f"--{each}", *options, words=(given["query"],))
        for each in ("type=event", "kind=daily")
    ]
    sure = [each for each in answers if not each["weak"]] or answers[:1]
    hits = []
    for each in sure:
        hits += [hit for hit in each["hits"] if hit.get("type", "fact") in {"fact", "event"}]
    hits.sort(key=lambda hit: -hit["score"])
    once = {(hit["path"], *hit["lines"]): hit for hit in hits}
    best = [*once.values()][: given.get("limit", 20)]
    beyond = sum(each["truncated"] for each in sure) + len(once) - len(best)
    return _found({**sure[0], "hits": best, "truncated": beyond}, "events")


def _note_of(ask: Asking, given: Given) -> Given:
    """The note of an entity, if one is given."""
    if "entity" not in given:
        return {}
    return ask("show", "--no-use", words=(given["entity"],))


def _newer(
    note: Given,
    rows: Sequence[Given],
) -> list[dict[str, Any]]:
    """What other notes say of an entity later than the earliest of these memories of its note."""
    first = min((row.get("created_at", "") for row in rows), default="9")
    return [
        {**_memory({**each, "lines": [each["line"]] * 2}), "newer_of": {"about": note["title"]}}
        for each in note.get("mentions", {}).get("newest", ())
        if each.get("date", "") > first
    ]


def _within(
    given: Given,
    note: Given,
) -> list[str]:
    """The options that keep a search to the note of an entity, and to the last days."""
    options = []
    if note:
        options.append(f"--in={note['path']}")
    if "days" in given:
        options.append(f"--since={given['days']} days ago")
    return options


def _done(_ask: Asking, _given: Given) -> dict[str, Any]:
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


def _limit(given: Given, usual: int) -> str:
    return f"--limit={given.get('limit', usual)}"


def _of_types(types: Sequence[str]) -> list[str]:
    """The options that keep an answer to facts of some types."""
    return [f"--type={each}" for each in types]


def _of_category(given: Given) -> list[str]:
    """The option for the type that a category names, if one is given; UsageError for a word that
    names none, with the nearest."""
    if "category" not in given:
        return []
    word: str = given["category"]
    if type_meaning(word) is None:
        raise UsageError(f"category cannot be {quote_given(word)}", _one_of(word, TYPES))
    return _of_types([word])


def _one_of(word: str, names: Sequence[str]) -> str:
    """The hint that names what a word may be, the nearest first."""
    near = closest(word, names)
    told = f"one of: {', '.join(names)}"
    if near:
        return f"did you mean {near}?  {told}"
    return told


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
        text = value if isinstance(value, str) else json.dumps(value)
        if value is not None:
            fields.append(f"--meta={name}={text}")
    return fields


_TEXT: Schema = {"type": "string"}
_WORDS: Schema = {"type": ["string", "array"], "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_ABOUT = {"entity": _TEXT, "limit": _COUNT}

OTHER_NAMES = {"entity_id": "entity", "topic": "query"}
"""What the six searches call some of their parameters, too."""

TOOL_FORMS = {
    "save": Form(
        object_schema(
            ("content",),
            content=_TEXT,
            category=_TEXT,
            keywords=_WORDS,
            metadata={"type": "object"},
        ),
        _save,
        False,
    ),
    "search": Form(
        object_schema(
            ("query",),
            query=_TEXT,
            category=_TEXT,
            limit=_COUNT,
        ),
        _search,
    ),
    "list": Form(
        object_schema(
            category=_TEXT,
            limit=_COUNT,
            offset=_COUNT | {"minimum": 0},
        ),
        _list,
    ),
    "index": Form(object_schema(), _index, False),
    "store": Form(
        object_schema(
            ("content",),
            content=_TEXT,
            tags=_WORDS,
        ),
        _save,
        False,
    ),
    "query": Form(object_schema(("query",), query=_TEXT, limit=_COUNT), _query),
    "reinforce": Form(object_schema(("id",), id=_TEXT), _judge("reinforce"), False),
    "demote": Form(object_schema(("id",), id=_TEXT), _judge("demote"), False),
    "update": Form(
        object_schema(
            ("id", "content"),
            id=_TEXT,
            content=_TEXT,
            tags=_WORDS,
        ),
        _update,
        False,
    ),
    "search_entity": Form(object_schema(("name",), name=_TEXT), _entity),
    "get_relationships": Form(object_schema(("entity",), entity=_TEXT), _relationships),
    "search_facts": Form(
        object_schema(("query",), query=_TEXT, **_ABOUT), _searching("facts", STATED, 10)
    ),
    "search_events": Form(
        object_schema(
            ("query",),
            query=_TEXT,
            **_ABOUT,
            days=_COUNT,
        ),
        _events,
    ),
    "search_processes": Form(
        object_schema(("query",), query=_TEXT, **_ABOUT), _searching("processes", _RULE_TYPES, 10)
    ),
    "get_instructions": Form(
        object_schema(query=_TEXT, **_ABOUT), _searching("instructions", _RULE_TYPES, 15)
    ),
    "done": Form(object_schema(), _done),
}
"""Every action, in the order of the three memories."""
