"""The eight calls that an agent may make through a door: what each takes, what it asks of the core,
and how what it found is told.

A call is a function over an open vault that gives a value of the core; what is told of that is
short text for the model and, beside it, the same as a map. `private`, `force` and `person` are
never an agent's to say, so no call takes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from aurelius.ageing.usage_log import record_uses, used_by_search
from aurelius.settings.places import shell_word
from aurelius.show import hits
from aurelius.show.json_text import hit_json, lean, picked, pulled_json
from aurelius.show.terminal import Paint, escape_controls, linked_place
from aurelius.vault import healed
from indexer.catalog.filters import Filters
from indexer.catalog.tiers import facts_within
from indexer.errors import AureliusError, UsageError, hint_for_agents
from indexer.note import NOTE_KINDS, TYPES
from indexer.reading.path_meaning import is_imported
from indexer.search.query import SearchQuery
from indexer.spelling import compact_json, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from aurelius.ageing.tiers import ScoreChange
    from aurelius.answers.excerpts import Excerpt
    from aurelius.api import ContextText
    from aurelius.plans.plan import Written
    from aurelius.vault import Vault
    from indexer.search.hit import Hit, SearchResult
    from indexer.search.recalled import Recall

Gives = TypeVar("Gives")
Schema = dict[str, Any]
Given = Mapping[str, Any]


class Visit(NamedTuple):
    """A vault that is open for one call of an agent, and the session that the call belongs to."""

    vault: Vault
    session: str = ""

    def used(self, refs: Iterable[str], via: str) -> None:
        """Keep that these facts and notes were used."""
        record_uses(self.vault, refs, via, self.session)


class AgentDoor(Protocol):
    """What lets an agent into a vault."""

    def __call__(self, *, reads: bool, alone: bool = False) -> AbstractContextManager[Visit]:
        """The vault, open for one call that only `reads`, or writes; `alone` shows no agent's
        memory."""
        ...

    def asked(self, call: str) -> tuple[int, str] | None:
        """What the vault's daemon answers to a call that only reads; None where it is to be
        answered here."""
        ...


class Told(NamedTuple):
    """What is told of a value: `text` for the model, `value` the same as a map, `notices` beside
    it."""

    text: str
    value: dict[str, Any]
    notices: tuple[str, ...] = ()


class Answered(NamedTuple):
    """What became of a call: `ok`, its value, and the text for a model; refused, the text says why
    and what to do."""

    ok: bool
    value: dict[str, Any]
    text: str


class Call(NamedTuple):
    """A call: `takes` is the JSON schema of its arguments, `does` asks the core, `tells` says what
    that gave.

    `reads` is true where nothing is written.
    """

    name: str
    title: str
    description: str
    takes: Schema
    does: Callable[[Visit, Given], Any]
    tells: Callable[[Visit, Any], Told]
    reads: bool = True


MOST_NOTE_LETTERS = 16_000
_MOST_FACT_LETTERS = 4_000
"""Characters of a note in one answer, or of a text for today's note; and those of a fact."""
_USUAL_RECALL = 1_000
"""Tokens of the answers of `recall` where no budget is given."""
_OF_A_HIT = frozenset({"kind", "score", "lastAccessed", "accessCount"})
"""What of a hit an agent has no use for: its path says the kind, its place in the list how good it
is."""
_SHOWN_ID = re.compile(r"(?:\[id:|\^)([\w-]+)\]?")
_ODD = re.compile("[\0\ud800-\udfff]")


# -- what is asked of the core ---------------------------------------------------------


def search_asked(visit: Visit, given: Given) -> SearchResult:
    """The hits for a query, in the mode of the settings unless another is given, of which the
    leading ones count as used."""
    config = visit.vault.config
    query = SearchQuery(
        given["query"],
        given.get("mode", config.mode),
        config.fusion,
        filters_given(visit.vault, given),
        given.get("limit", config.limit),
    )
    result = visit.vault.search(query)
    visit.used(used_by_search(result.hits), "search")
    return result


def filters_given(vault: Vault, given: Given) -> Filters:
    """The filters that a call names.  UsageError for days that cannot be read."""
    folder = given.get("folder", "")
    if folder:
        from aurelius.writing.safe_folder import path_below

        folder = path_below(vault.root, folder)
    first = _days(vault, "since", given)[0]
    last = _days(vault, "until", given)[1]
    if first and last and first > last:
        raise UsageError(f"since {first} is later than until {last}", "swap them")
    return Filters(
        kinds=_some(given, "kind"),
        types=_some(given, "type"),
        tags=_some(given, "tag"),
        folder=folder,
        since=first,
        until=last,
        status=given.get("status", "active"),
    )


def _some(given: Given, name: str) -> tuple[str, ...]:
    """The values of a filter: one, or several."""
    found = given.get(name, ())
    if isinstance(found, str):
        return (found,)
    return tuple(found)


def _days(vault: Vault, name: str, given: Given) -> tuple[str | None, str | None]:
    """The first and the last day of words like `last week`; None where there are none."""
    if name not in given:
        return None, None
    from indexer.search.dates import dates

    try:
        return dates(given[name], vault.now.date().isoformat())
    except UsageError as error:
        raise UsageError(f"{name}: {error.message}", error.hint) from None


def _recall(visit: Visit, given: Given) -> Recall:
    """As many lines of the answers as the budget has room for as JSON, which is longer than the
    text; `truncated` counts the others."""
    from indexer.search.recall import CANDIDATES

    budget: int = given.get("budget", _USUAL_RECALL)
    whole = visit.vault.recall(SearchQuery(given["question"], limit=CANDIDATES))

    def cut(kept: Recall) -> Recall:
        left = whole.size - kept.size
        return kept._replace(found=whole.found._replace(truncated=left))

    def fits(kept: Recall) -> bool:
        told = _tell_recall(visit, cut(kept))
        return count_tokens(compact_json(told.value)) <= budget

    found = cut(hits.fit_recall(whole, hits.beginnings(whole.found), fits))
    if whole.answers and not found.answers:
        hint = "the budget is too small for one answer: give a larger one"
        found = found._replace(found=found.found._replace(hint=hint))
    visit.used(used_by_search([each.hit for each in found.answers]), "recall")
    return found


def _context(visit: Visit, given: Given) -> ContextText:
    from aurelius import api

    prompt = given.get("prompt", "")
    return api.context(visit.vault, prompt, budget=given.get("budget", 0), form="json")


def _get(visit: Visit, given: Given) -> Excerpt:
    vault = visit.vault
    found = vault.read(bare_word(given["ref"], "^"))
    if found.exists:
        keys = facts_within(vault.db, found.path, found.first, found.last)
        visit.used(keys or [found.path], "get")
    return found


def _note(visit: Visit, given: Given) -> Written:
    from aurelius import api

    return api.note(visit.vault, given["text"], person=False)


def _add(visit: Visit, given: Given) -> Written:
    from aurelius import api

    return api.add(visit.vault, given.get("note", ""), **_said(given))


def _supersede(visit: Visit, given: Given) -> Written:
    from aurelius import api

    return api.supersede(visit.vault, bare_word(given["id"]), **_said(given))


def _said(given: Given) -> dict[str, Any]:
    """What a new fact says, as the core takes it, which no person says."""
    names = {"from": "source"}
    said = {names.get(name, name): given[name] for name in given if name not in {"id", "note"}}
    return said | {"person": False}


def _feedback(visit: Visit, given: Given) -> ScoreChange:
    from aurelius import api

    return api.feedback(visit.vault, bare_word(given["id"]), helped=given["helped"], person=False)


def bare_word(value: str, mark: str = "") -> str:
    """A name of a fact as hits show it, `[id:k3v9qa]` or `^k3v9qa`, as its id behind the mark;
    other words as they are."""
    found = _SHOWN_ID.fullmatch(value.strip())
    if found:
        return mark + found[1]
    return value


# -- what is told of it ----------------------------------------------------------------


def tell_search(visit: Visit, result: SearchResult) -> Told:
    """The hits of a search."""
    words = hits.beginnings(result)
    text = "".join(hits.hits_text(result.hits, words, paint=Paint(), explain=False))
    value = {"hits": [hit_value(hit, words) for hit in result.hits]}
    return _tell_hits(visit, result, text, value, filtered=dict(result.filtered))


def hit_value(hit: Hit, words: Sequence[str]) -> dict[str, Any]:
    """A hit as an agent gets it; what was imported, and nobody has confirmed, says so."""
    told = {name: each for name, each in hit_json(hit, words).items() if name not in _OF_A_HIT}
    return told | lean(imported=is_imported(hit.path))


def _tell_recall(visit: Visit, found: Recall) -> Told:
    result = found.found
    words = hits.beginnings(result)
    answers = []
    for answer in found.answers:
        chain = [pulled_json(each, words) for each in answer.chain]
        answers.append(hit_value(answer.hit, words) | lean(why=answer.holds, chain=chain))
    text = hits.recalled(found.answers, words, paint=Paint(), explain=False)
    text += hits.truncated(result.truncated)
    return _tell_hits(visit, result, text, {"answers": answers}, lacks=found.lacks)


def _tell_hits(
    visit: Visit, result: SearchResult, text: str, value: dict[str, Any], **more: object
) -> Told:
    """Hits with what a search says of them all; without any, why there is none."""
    if value.get("hits") or value.get("answers"):
        text = hits.weak_line(result) + text
    else:
        state = hits.index_state(visit.vault, private=False)
        text += "\n".join(map(hint_for_agents, hits.nothing_found(result, state)))
    about = picked(result, "truncated", "corrected", "weak")
    value |= lean(**more, **about, hint=hint_for_agents(result.hint or ""))
    return Told(text, value, result.notices)


def _tell_context(_visit: Visit, found: ContextText) -> Told:
    from aurelius.show.context import as_reply, parts_json

    value = {"parts": parts_json(found.lines), **lean(truncated=found.lines.left_out)}
    return Told(as_reply(found.lines) or "nothing to tell", value, found.notices)


def _tell_get(visit: Visit, found: Excerpt) -> Told:
    if not found.last:
        from aurelius.answers.lookup import why_no_lines

        why = f"{found.path} is {why_no_lines(visit.vault.root, found)}"
        value = {"path": found.path, "lines": [1, 0], "text": ""}
        return Told("", value | ({} if found.exists else {"exists": False}), (why,))
    kept, hint = cut_excerpt(found, MOST_NOTE_LETTERS)
    value = {"path": kept.path, "lines": [kept.first, kept.last], "text": "\n".join(kept.lines)}
    text = f"{linked_place(kept.path, kept.first, kept.last)}\n{value['text']}"
    return Told(text, value | lean(truncated=found.last - kept.last), (hint,) * bool(hint))


def cut_excerpt(found: Excerpt, most: int) -> tuple[Excerpt, str]:
    """The lines that were found, as many as have so many characters, and what to ask for the
    rest."""
    text = "\n".join(found.lines)
    if len(text) <= most:
        return found, ""
    lines = text[:most].rpartition("\n")[0]
    kept = (lines or text[:most]).split("\n")
    end = found.first + len(kept) - 1
    hints = []
    if not lines:
        hints.append(f"line {end} is too long: only its first {most:,} characters are here")
    if end < found.last:
        hints.append(f"the rest: get {found.path}:{end + 1}:{found.last - end}")
    return found._replace(lines=tuple(kept), last=end), "; ".join(hints)


def tell_change(visit: Visit, done: Written) -> Told:
    """Where it stands, what it may contradict or is like, and how the person takes it back."""
    from aurelius.show.changes import kind, like_it_json, older_json

    older = older_json(done.path, done.older)
    near = like_it_json(done.near) if done.edits else []
    changes = [
        {"path": each.path, "change": kind(each)}
        for each in done.edits
        if each.before != each.after and each.path != done.path
    ]
    undo = undo_command(done.number, visit.vault.root)
    about = lean(older=older, near=near, changes=changes, undo=undo)
    rows = [("written: ", done.about)] * bool(done.edits)
    rows += [("`supersede` it where it is no longer true: ", each) for each in older]
    rows += [("like it: ", each) for each in near]
    rows += [(f"{each['change']}: ", each) for each in changes]
    lines = [head + _row(each) for head, each in rows]
    lines += [f"the person takes it back with `{undo}`"] * bool(undo)
    notices = done.notices
    if done.applied and done.applied.uncommitted:
        notices = (*notices, f"written, but not committed: {done.applied.uncommitted}")
    return Told("\n".join(lines), lean(**done.about) | about, notices)


def _row(told: Mapping[str, Any]) -> str:
    """A line of a note with its place and id."""
    place = told["path"]
    if "lines" in told:
        place = linked_place(place, *told["lines"])
    name = f"[id:{told.get('id')}]" * bool(told.get("id"))
    return "  ".join(filter(None, (place, name, told.get("text"))))


def _tell_feedback(_visit: Visit, done: ScoreChange) -> Told:
    value = {"id": done.id, "path": done.path, "before": done.before, "score": done.score}
    text = f"{done.shown} in {done.path}: score {done.before} → {done.score}"
    return Told(text, value | lean(lastAccessed=done.last))


def undo_command(number: int, vault: str) -> str:
    """The command that takes a change back, for the person: an agent has no call for it; "" where
    nothing was changed."""
    if not number:
        return ""
    return f"aurelius --vault {shell_word(vault)} undo --number {number}"


# -- the table -------------------------------------------------------------------------


def object_schema(required: Sequence[str] = (), /, **properties: Schema) -> Schema:
    """The schema of a call's arguments: those `required`, and no other than these."""
    needed = {"required": [*required]} if required else {}
    return {"type": "object", "properties": properties, **needed}


def schema_of(takes: str, kinds: Mapping[str, Schema], usual: Schema) -> Schema:
    """The schema of arguments by their names, those with a `!` required: each of its kind, else of
    the usual one."""
    names = takes.split()
    required = [name[:-1] for name in names if name.endswith("!")]
    every = [name.removesuffix("!") for name in names]
    return object_schema(required, **{name: kinds.get(name, usual) for name in every})


def _text(description: str = "", most: int = 0) -> Schema:
    schema: Schema = {"type": "string"}
    if description:
        schema["description"] = description
    if most:
        schema["maxLength"] = most
    return schema


def _number(least: float, most: float, description: str = "", kind: str = "integer") -> Schema:
    limits = {"type": kind, "minimum": least, "maximum": most}
    return limits | ({"description": description} if description else {})


_ID = _text("As hits show it")
_SINCE = _text("YYYY-MM-DD: true since")
_TYPE: Schema = {"type": "string", "enum": [*TYPES]}
_FACT = _text("", _MOST_FACT_LETTERS)

CALLS: tuple[Call, ...] = (
    Call(
        name="search",
        title="Search notes",
        description="Find what the notes say: hits in their own words, with path and lines.",
        takes=object_schema(
            ("query",),
            query=_text("Words or a question"),
            limit=_number(1, 100, "Default 10"),
            folder=_text("A folder or note to search in"),
            kind={"type": "string", "enum": [*NOTE_KINDS]},
            type=_TYPE,
            tag=_text(),
            since=_text("YYYY-MM-DD, or 'last week'"),
            until=_text(),
            status={"type": "string", "enum": ["active", "superseded", "proposed", "all"]},
        ),
        does=search_asked,
        tells=tell_search,
    ),
    Call(
        name="recall",
        title="Answer from notes",
        description="Answer a question with the few lines that matter.",
        takes=object_schema(
            ("question",), question=_text(), budget=_number(200, 20_000, "Tokens, default 1000")
        ),
        does=_recall,
        tells=_tell_recall,
    ),
    Call(
        name="context",
        title="What to know first",
        description="Who the person is, their rules, and lines about the prompt.",
        takes=object_schema(prompt=_text(), budget=_number(200, 20_000, "Tokens, default 2000")),
        does=_context,
        tells=_tell_context,
    ),
    Call(
        name="get",
        title="Read exact lines",
        description=(
            "Exact lines of a note: PATH, PATH:LINE, PATH:LINE:COUNT, PATH#heading, or a fact's id."
        ),
        takes=object_schema(("ref",), ref=_text()),
        does=_get,
        tells=_tell_get,
    ),
    Call(
        name="note",
        title="Write today's note",
        description="Add a line to today's daily note.",
        takes=object_schema(("text",), text=_text("", MOST_NOTE_LETTERS)),
        does=_note,
        tells=tell_change,
        reads=False,
    ),
    Call(
        name="add",
        title="Add fact",
        description=(
            "Add a lasting fact, one short sentence, to the note it is about; without a note,"
            " to today's."
        ),
        takes=object_schema(
            ("text",),
            text=_FACT,
            note=_text("Its path or name"),
            type=_TYPE,
            date=_SINCE,
            importance=_number(0, 0.7, kind="number"),
            because=_text("The reason, or its fact's id"),
            **{"from": _text("Its source")},
        ),
        does=_add,
        tells=tell_change,
        reads=False,
    ),
    Call(
        name="supersede",
        title="Replace fact",
        description="Replace a fact that is no longer true; the old one stays under History.",
        takes=object_schema(
            ("id", "text"),
            id=_ID,
            text=_FACT,
            date=_SINCE,
            because=_text(),
            **{"from": _text()},
        ),
        does=_supersede,
        tells=tell_change,
        reads=False,
    ),
    Call(
        name="feedback",
        title="Rate fact",
        description="Rank a fact higher because it helped, or lower.",
        takes=object_schema(("id", "helped"), id=_ID, helped={"type": "boolean"}),
        does=_feedback,
        tells=_tell_feedback,
        reads=False,
    ),
)
"""Every call, in the order in which they are offered."""

CALL_BY_NAME = {call.name: call for call in CALLS}


def answer_call(door: AgentDoor, name: str, arguments: Given) -> Answered:
    """The answer to a call.  KeyError where there is none of this name."""
    call = CALL_BY_NAME[name]
    try:
        arguments = read_arguments(call.takes, arguments)
        if call.reads:
            told = door.asked(compact_json({"call": name, "arguments": arguments}))
            if told is not None:
                return Answered(*json.loads(told[1]))
        return _answer(door, call, arguments)
    except AureliusError as error:
        text = escape_controls("\nhint: ".join(filter(None, words_of_error(error))))
        return Answered(False, {"error": text}, text)


def _answer(door: AgentDoor, call: Call, arguments: Given) -> Answered:
    def tell(visit: Visit) -> Answered:
        told = call.tells(visit, call.does(visit, arguments))
        every = dict.fromkeys((*told.notices, *visit.vault.notices))
        notices = [hint_for_agents(each) for each in every]
        text = "\n".join([*filter(None, [told.text.rstrip("\n")]), *notices])
        value = escape_all({**told.value, **lean(notices=notices)})
        return Answered(True, value, escape_all(text))

    return asked_at(door, tell, reads=call.reads)


def asked_at(
    door: AgentDoor, ask: Callable[[Visit], Gives], *, reads: bool, alone: bool = False
) -> Gives:
    """What a visit to the vault gives; one that only reads is asked again where the index turned
    out to be damaged."""
    with door(reads=reads, alone=alone) as visit:
        if not reads:
            return ask(visit)

        def again(_: Vault) -> Gives:
            return ask(visit)

        return healed(again)(visit.vault)


def words_of_error(error: AureliusError) -> tuple[str, str]:
    """What an agent is told of an error: what is wrong, and what it can do."""
    return error.message, hint_for_agents(error.hint)


def read_arguments(schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call without those that are null, and with a whole number that was written
    as 2.0; UsageError where they are not those that it takes."""
    meant = {
        name: value
        for name, value in arguments.items()
        if value is not None or name in schema.get("required", ())
    }
    for name, value in meant.items():
        kind = schema["properties"].get(name, {}).get("type")
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            meant[name] = int(value)
    check_given(schema, meant)
    return meant


def escape_all(value: Any) -> Any:
    """Text with what could steer a terminal or turn its order made visible; the same in all of a
    list or map."""
    if isinstance(value, str):
        return escape_controls(value.replace("\r\n", "\n"))
    if isinstance(value, list | tuple):
        return [escape_all(each) for each in value]
    if isinstance(value, dict):
        return {name: escape_all(each) for name, each in value.items()}
    return value


def check_given(schema: Schema, arguments: Given) -> None:
    """UsageError where the arguments of a call are not those that it takes."""
    properties = schema["properties"]
    takes = f"it takes {', '.join(properties) or 'nothing'}"
    for name in schema.get("required", ()):
        if name not in arguments:
            raise UsageError(f"{name} is missing", takes)
    for name, value in arguments.items():
        if name not in properties:
            raise UsageError(f"there is no {quote_given(name)} here", takes)
        if wrong := _wrong(properties[name], value):
            raise UsageError(f"{name} {wrong}", "write less at once" * wrong.startswith("may"))
        may_be_blank = name == "prompt" or "minLength" in properties[name]
        if isinstance(value, str) and not value.strip() and not may_be_blank:
            raise UsageError(f"{name} is empty", f"give a text for {name}")


def _wrong(schema: Schema, value: Any) -> str:
    """What is wrong with a value, in words that follow its name; "" for nothing."""
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    kind = next((kind for kind in kinds if _is_a(kind, value)), "")
    if not kind:
        return (
            f"must be {' or '.join(JSON_TYPES[kind][0] for kind in kinds)}, not"
            f" {quote_given(value)}"
        )
    if kind == "array" and not all(_is_a(schema["items"]["type"], each) for each in value):
        return f"must be a list of texts, not {quote_given(value)}"
    if kind == "string" and len(value) > schema.get("maxLength", len(value)):
        most = schema["maxLength"]
        return f"may have {most:,} characters, not {len(value):,}"
    if kind == "string" and (odd := _ODD.search(value)):
        return f"has a character in it that no note can hold: U+{ord(odd[0]):04X}"
    return _beyond(schema, value)


def _is_a(kind: str, value: Any) -> bool:
    """Whether a value is of a kind of JSON; true and false are no numbers."""
    is_boolean = isinstance(value, bool)
    return isinstance(value, JSON_TYPES[kind][1]) and is_boolean == (kind == "boolean")


def _beyond(schema: Schema, value: Any) -> str:
    """Why a value is none of those that may be, or too small or too large, as above."""
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}, not {quote_given(value)}"
    if "minimum" not in schema or schema["minimum"] <= value <= schema.get("maximum", value):
        return ""
    limits = f"at least {schema['minimum']}"
    if "maximum" in schema:
        limits = f"from {schema['minimum']} to {schema['maximum']}"
    return f"must be {limits}, not {quote_given(value)}"


JSON_TYPES: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "string": ("a text", (str,)),
    "integer": ("a whole number", (int,)),
    "number": ("a number", (int, float)),
    "boolean": ("true or false", (bool,)),
    "array": ("a list of texts", (list,)),
    "object": ("an object", (dict,)),
}
"""What a schema calls a type: in words, and here."""


_MOST_CALL_LETTERS = 1 << 20
"""Characters, or bytes, that a call may have where it comes as a text."""
_CALL_EXAMPLE = 'for example {"action": "search", "query": "tea"}'


def read_object(
    text: str | bytes, most: int = _MOST_CALL_LETTERS, example: str = _CALL_EXAMPLE
) -> dict[str, Any]:
    """The JSON object that a text is; UsageError for anything else, for more than `most` characters
    or bytes, and for what programs understand differently. `example` is a call as it should be."""
    if len(text) > most:
        raise UsageError(f"the call is longer than {most:,} characters", "say less in one call")
    try:
        if not isinstance(text, str):
            text = text.decode()
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"the call is not JSON: {error.msg} at character {error.pos + 1}", example
        ) from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the call is not UTF-8: byte {error.start + 1} is no part of a character", example
        ) from None
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists in lists
        raise UsageError(
            "the call cannot be read: a number or its nesting is too large", example
        ) from None
    if not isinstance(value, dict):
        raise UsageError(f"the call must be a JSON object, not {quote_given(value)}", example)
    return value


def quote_given(value: object) -> str:
    """What was given, as a message shows it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return f"{value!r:.60}"


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"the call says {quote_given(twice)} twice", "say it once")
    return found


def _no_number(word: str) -> None:
    raise UsageError(
        f"the call is not JSON: there is no number {word}", "give a number, or leave it out"
    )
