"""The eight calls that an agent may make through a door: what each takes and answers, and the
command line it becomes.

A door is a command line: a call is checked here, becomes one line of ours with `--json`, and is run
by whoever opened the door, with the same code as in a shell. Words of an agent never become an
option: values stand behind an equals sign, other words behind `--`; `--private` and `--force` are a
person's and never given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from aurelius.settings.places import shell_word
from aurelius.show.terminal import escape_controls
from indexer.errors import UsageError
from indexer.note import NOTE_KINDS, TYPES
from indexer.reading.path_meaning import is_imported
from indexer.spelling import compact_json

Schema = dict[str, Any]


class CommandAnswer(NamedTuple):
    """What a command line answered: its exit code, and what it wrote; `vault` is where a writing
    one was run."""

    code: int
    out: str
    err: str
    vault: str = ""


Run = Callable[[Sequence[str], str], CommandAnswer]
"""What runs a command line, the words behind the program's name, with a text on its standard
input."""


class Answered(NamedTuple):
    """What became of a call: `ok`, its value, and the text for a model; refused, the text says why
    and what to do."""

    ok: bool
    value: dict[str, Any]
    text: str


class Call(NamedTuple):
    """A call: `takes` and `gives` are the JSON schemas of its arguments and its answer.

    `words` names the arguments that stand as words of `command`, `options` those that are its
    options. `reads` is true where nothing is written, `again` where doing it twice does no more
    than once.
    """

    name: str
    title: str
    description: str
    command: str
    words: tuple[str, ...]
    options: Mapping[str, str]
    takes: Schema
    gives: Schema
    reads: bool = True
    again: bool = True


def object_schema(required: Sequence[str] = (), /, **properties: Schema) -> Schema:
    """The schema of a call's arguments: those `required`, and no other than these."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


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


def _gives(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": [*properties]}


_MOST_NOTE_LETTERS = 16_000
_MOST_FACT_LETTERS = 4_000
"""Characters of a note in one answer, or of a text for today's note; and those of a fact."""
_LIST: Schema = {"type": "array", "items": {"type": "object"}}
_LINES: Schema = {"type": "array", "items": {"type": "integer"}}
_ID = _text("The fact's id, as hits show it")
_DAY = _text("YYYY-MM-DD, or words like 'last week'")
_MADE = _gives(path=_text())
_TYPE: Schema = {"type": "string", "enum": [*TYPES]}

CALLS: tuple[Call, ...] = (
    Call(
        name="search",
        title="Search the notes",
        description="Find what the notes say: hits in the notes' own words, with path and lines.",
        command="search",
        words=("query",),
        options={
            "limit": "--limit",
            "folder": "--in",
            "kind": "--kind",
            "type": "--type",
            "tag": "--tag",
            "since": "--since",
            "until": "--until",
            "status": "--status",
        },
        takes=object_schema(
            ("query",),
            query=_text("Words or a question"),
            limit=_number(1, 100, "Default 10"),
            folder=_text("Only below this folder, or this note"),
            kind={"type": "string", "enum": [*NOTE_KINDS]},
            type=_TYPE,
            tag=_text(),
            since=_DAY,
            until=_text(),
            status={"type": "string", "enum": ["active", "superseded", "proposed", "all"]},
        ),
        gives=_gives(hits=_LIST),
    ),
    Call(
        name="recall",
        title="Answer from the notes",
        description=(
            "Answer a question with the few lines that matter, and what they are linked to."
        ),
        command="recall",
        words=("question",),
        options={"budget": "--budget"},
        takes=object_schema(
            ("question",), question=_text(), budget=_number(200, 20_000, "Tokens, default 1000")
        ),
        gives=_gives(answers=_LIST),
    ),
    Call(
        name="context",
        title="What to know first",
        description=(
            "What to know before answering: who the person is, their rules, and lines about the"
            " prompt."
        ),
        command="context",
        words=("prompt",),
        options={"budget": "--budget"},
        takes=object_schema(
            prompt=_text("What was asked"), budget=_number(200, 20_000, "Tokens, default 2000")
        ),
        gives=_gives(parts=_LIST),
    ),
    Call(
        name="get",
        title="Read exact lines",
        description=(
            "Exact lines of a note: PATH, PATH:LINE, PATH:LINE:COUNT, PATH#heading, or a fact's id."
        ),
        command="get",
        words=("ref",),
        options={},
        takes=object_schema(("ref",), ref=_text()),
        gives=_gives(path=_text(), lines=_LINES, text=_text()),
    ),
    Call(
        name="note",
        title="Write in today's note",
        description="Add a line to today's daily note.",
        command="note",
        words=("text",),
        options={},
        takes=object_schema(("text",), text=_text("", _MOST_NOTE_LETTERS)),
        gives=_MADE,
        reads=False,
        again=False,
    ),
    Call(
        name="add",
        title="Add a fact",
        description=(
            "Add a lasting fact, one short sentence, to the note that it is about; without a"
            " note, to today's."
        ),
        command="add",
        words=("note", "text"),
        options={
            "type": "--type",
            "date": "--date",
            "importance": "--importance",
            "because": "--because",
            "from": "--from",
        },
        takes=object_schema(
            ("text",),
            text=_text("", _MOST_FACT_LETTERS),
            note=_text("Its path or name"),
            type=_TYPE,
            date=_text("The day it became true, YYYY-MM-DD"),
            importance=_number(0, 0.7, kind="number"),
            because=_text("The reason, or the id of the fact that is"),
            **{"from": _text("Where it comes from")},
        ),
        gives=_MADE,
        reads=False,
    ),
    Call(
        name="supersede",
        title="Replace a fact",
        description="Replace a fact that is no longer true; the old one is kept under History.",
        command="supersede",
        words=("id", "text"),
        options={"date": "--date", "because": "--because", "from": "--from"},
        takes=object_schema(
            ("id", "text"),
            id=_ID,
            text=_text("What is true now", _MOST_FACT_LETTERS),
            date=_text("The day it became true, YYYY-MM-DD"),
            because=_text("The reason"),
            **{"from": _text("Where it comes from")},
        ),
        gives=_MADE,
        reads=False,
        again=False,
    ),
    Call(
        name="feedback",
        title="Say whether a fact helped",
        description="Rank a fact higher because it helped, or lower because it did not.",
        command="reinforce",
        words=("id",),
        options={},
        takes=object_schema(("id", "helped"), id=_ID, helped={"type": "boolean"}),
        gives=_MADE,
        reads=False,
        again=False,
    ),
)
"""Every call, in the order in which they are offered."""

FOR_PEOPLE = frozenset(
    {
        "schema",
        "query",
        "question",
        "prompt",
        "budget",
        "mode",
        "fusion",
        "took_ms",
        "index",
        "dry_run",
        "diff",
        "uncommitted",
        "number",
        "weight",
    }
)
"""Keys of an answer that an agent asked itself, or has no use for; what is wrong with the index is
told in words."""
OF_A_HIT = frozenset({"kind", "score", "lastAccessed", "accessCount"})
"""The same of a hit: its path says the kind, its place in the list how good it is."""
_ESCAPED = re.compile(r"\\[ubfr]")
"""What JSON text holds where one of its texts has a character that steers."""
_SHOWN_ID = re.compile(r"(?:\[id:|\^)([\w-]+)\]?")
_FOR_AGENTS = tuple(
    (re.compile(pattern), ours)
    for pattern, ours in (
        (r"`aurelius list` shows every note, (?=`aurelius search`)", ""),
        (r"`aurelius list` shows every note", "`search` finds notes by their words"),
        (
            r"`aurelius new \w+ .*` creates that note",
            "without a note it goes into today's; the person makes new ones",
        ),
        (r"`aurelius show (\S+) --facts` shows its facts", r"`get \1` shows its facts"),
        (r"\baurelius (?=(?:search|recall|context|get|note|add|supersede)\b)", ""),
        (r"(?<![\w-])--in\b", "folder"),
        (
            r"(?<![\w-])--(?=(?:kind|type|tag|since|until|date|limit|status|budget|importance"
            r"|because|from)\b)",
            "",
        ),
    )
)
"""What commands call their words, and what a call has instead. The last pattern repeats names of
parameters in CALLS: a new one that a hint may name belongs in both."""
_NO_VALUES: tuple[object, ...] = (None, False, 0, "", [], {})

CALL_BY_NAME = {call.name: call for call in CALLS}


def answer_call(run: Run, name: str, arguments: Mapping[str, Any]) -> Answered:
    """The answer to a call.  KeyError where there is none of this name."""
    call = CALL_BY_NAME[name]
    arguments = _as_meant(call.takes, arguments)
    wrong = fault(call.takes, arguments)
    if wrong:
        return refused_call(wrong)
    # the text is read from standard input where it is "-"
    told = run(call_command_line(call, arguments), arguments.get("text", ""))
    if told.code:
        return refused_call(told.err)
    value = json.loads(told.out)
    if _ESCAPED.search(told.out):
        value = escape_all(value)
    value = _slim(call, value, told)
    if name == "get":
        value = cut_found_lines(value, _MOST_NOTE_LETTERS)
    return Answered(True, value, compact_json(value))


def call_command_line(call: Call, arguments: Mapping[str, Any]) -> list[str]:
    """The command line of a call whose arguments are as they should be."""
    command = "demote" if arguments.get("helped") is False else call.command
    options = [
        f"{option}={arguments[name]}" for name, option in call.options.items() if name in arguments
    ]
    words = (bare_word(name, arguments[name]) for name in call.words if name in arguments)
    return [command, "--json", *options, "--", *words]


def _as_meant(schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without those that are null, and with a whole number that was written as
    2.0."""
    meant = {
        name: value
        for name, value in arguments.items()
        if value is not None or name in schema["required"]
    }
    for name, value in meant.items():
        kind = schema["properties"].get(name, {}).get("type")
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            meant[name] = int(value)
    return meant


def bare_word(name: str, value: str) -> str:
    """A word of a command line; an id as it is shown, `[id:k3v9qa]` or `^k3v9qa`, is that id."""
    if name not in {"id", "ref"} or not (found := _SHOWN_ID.fullmatch(value.strip())):
        return value
    return f"^{found[1]}" if name == "ref" else found[1]


def cut_found_lines(value: dict[str, Any], most: int) -> dict[str, Any]:
    """The lines that `get` found, as many as have so many characters, with what to ask for the
    rest."""
    text = value["text"]
    if len(text) <= most:
        return value
    lines = text[:most].rpartition("\n")[0]
    kept = lines or text[:most]
    first, last = value["lines"]
    end = first + kept.count("\n")
    hints = []
    if not lines:
        hints.append(f"line {end} is too long: only its first {most:,} characters are here")
    if end < last:
        hints.append(f"the rest: get {value['path']}:{end + 1}:{last - end}")
    left = {"truncated": last - end, "hint": "; ".join(hints)}
    return {**value, "text": kept, "lines": [first, end], **left}


def undo_command(number: int, vault: str) -> str:
    """The command that takes a change back, for the person: an agent has no tool for it."""
    named = f"--vault {shell_word(vault)} " if vault else ""
    return f"aurelius {named}undo --number {number}"


def _slim(call: Call, value: dict[str, Any], told: CommandAnswer) -> dict[str, Any]:
    """The JSON of a command without what an agent has no use for, and with what was told beside
    it."""
    slim = {name: each for name, each in value.items() if name not in FOR_PEOPLE}
    slim = _filled(slim, call.gives["required"])
    for name in {"hits", "answers", "parts"} & value.keys():
        slim[name] = [_hit(each) for each in value[name]]
    if value.get("changes") == [{"path": value.get("path"), "change": "changed"}]:
        del slim["changes"]
    if value.get("number"):
        slim["undo"] = undo_command(value["number"], told.vault)
    for name in slim.keys() & {"hint", "more"}:
        slim[name] = for_agent(slim[name])
    if told.err:
        slim["notices"] = escape_all([for_agent(each) for each in spoken(told.err)])
    return slim


def _filled(value: dict[str, Any], needed: Sequence[str] = ()) -> dict[str, Any]:
    """What is not empty of a value, and what is needed of it."""
    return {name: each for name, each in value.items() if name in needed or each not in _NO_VALUES}


def _hit(value: dict[str, Any]) -> dict[str, Any]:
    """A hit as an agent gets it; what was imported, and nobody has confirmed, says so."""
    slim = _filled({name: each for name, each in value.items() if name not in OF_A_HIT})
    if is_imported(str(value.get("path"))):
        slim["imported"] = True
    return slim


def escape_all(value: Any) -> Any:
    """Text with what could steer a terminal or turn its order made visible; the same in all of a
    list or map."""
    if isinstance(value, str):
        return escape_controls(value.replace("\r\n", "\n"))
    if isinstance(value, list):
        return [escape_all(each) for each in value]
    if isinstance(value, dict):
        return {name: escape_all(each) for name, each in value.items()}
    return value


def refused_call(message: str) -> Answered:
    """The answer to a call that was refused: what was wrong, and what to do, as a command tells
    it."""
    lines = (for_agent(each, quotes=not each.startswith("hint: ")) for each in spoken(message))
    text = escape_controls("\n".join(lines))
    return Answered(False, {"error": text}, text)


def for_agent(line: str, *, quotes: bool = False) -> str:
    """A line for an agent, who has no person's leave: what it can do itself, and whom to ask for
    the rest. A line that `quotes` what the agent said keeps it.

    A private note is told of as one that does not exist; commands and options get the names that
    its calls have.
    """
    if "--private" in line and not quotes:
        from indexer.catalog.names import WHERE_TO_LOOK

        line = f"hint: {WHERE_TO_LOOK}"
    for pattern, ours in _FOR_AGENTS:
        line = pattern.sub(ours, line)
    if "--force" not in line or quotes:
        return line.removesuffix(":")
    rest = [part for part in line.split("; ") if "--force" not in part] or [
        "hint: nothing was written"
    ]
    return "; ".join([*rest, "only the person can allow it: ask them"])


def spoken(text: str) -> list[str]:
    """The lines that a command told beside its answer."""
    return [each.removeprefix("aurelius: ") for each in text.split("\n") if each]


def fault(schema: Schema, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments of a call, in words; "" for nothing."""
    properties = schema["properties"]
    for name in schema["required"]:
        if name not in arguments:
            return f"{name} is missing\nhint: it takes {', '.join(properties)}"
    for name, value in arguments.items():
        if name not in properties:
            names = ", ".join(properties) or "nothing"
            return f"there is no {quote_given(name)} here\nhint: it takes {names}"
        wrong = _wrong(properties[name], value)
        if wrong:
            return f"{name} {wrong}"
        if isinstance(value, str) and not value.strip() and name in schema["required"]:
            return f"{name} is empty\nhint: give a text for {name}"
    return ""


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
        return f"may have {most:,} characters, not {len(value):,}\nhint: write less at once"
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
