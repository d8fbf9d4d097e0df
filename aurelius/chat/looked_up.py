"""What the person's model is given and may look up: lines of the notes, bounded, each with an id.

A tool takes one text and brings lines; none writes, and none sends anything out.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from aurelius.memory.lines import TEXT_TYPE, every_line, line_of_fact
from aurelius.model.request import ModelTurn, SentLine, Source, Tool, sendable
from aurelius.vault import healed
from indexer.catalog.filters import Filters
from indexer.errors import AureliusError
from indexer.reading.path_meaning import is_template

from .answer import answer_question
from .asking import QuestionReader
from .candidates import find_candidates
from .cited import cite
from .talk import ROLE_HOLDS, ROLE_NEAR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from aurelius.memory.lines import Line
    from aurelius.model.request import ToolCall
    from aurelius.vault import Vault
    from indexer.note import Fact

    from .talk import Cited, TalkQuestion

    _Finds = Callable[["LineDesk", str], Iterator[Line]]

_MOST_LINES = 20
_MOST_LETTERS = 300
"""Lines that a call brings, and letters of what it looks for."""
_AROUND = 8
"""Lines of a note before and after one that is looked up."""


class LineDesk:
    """The lines that a model was given, each once: as they are cited and as they were sent, by
    their ids."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.cited: dict[str, Cited] = {}
        self.sent: dict[str, SentLine] = {}
        self._hidden = _private_paths(vault)

    def give(self, lines: Iterable[Cited], most: int = _MOST_LINES) -> tuple[SentLine, ...]:
        """Give those lines that are new and may be sent, `most` at most."""
        known = {each.line.place for each in self.cited.values()}
        fresh = {
            each.line.place: each
            for each in lines
            if each.line.place not in known and not is_template(each.line.path)
        }
        chosen = [*islice(fresh.values(), most)]
        made = sendable([*map(_source, chosen)], self._hidden, after=len(self.cited))
        for at, sent in made.items():
            cited = chosen[at]
            role = ROLE_HOLDS if cited.role == ROLE_NEAR else cited.role
            self.cited[sent.id] = cited._replace(role=role)
            self.sent[sent.id] = sent._replace(until=cited.until)
        return tuple(self.sent[each.id] for each in made.values())

    def search(self, text: str, most: int) -> None:
        """Give the likeliest lines to answer a text, `most` at most."""
        self.give(_found(self.vault, self, _search, text), most)

    def look_up(self, call: ToolCall) -> ModelTurn:
        """What a call of a tool brings, or why it brings nothing."""
        tool = _LOOK_UPS.get(call.name)
        words = [each for each in call.arguments.values() if isinstance(each, str) and each.strip()]
        if call.fault or tool is None:
            told = call.fault or "there is no such tool"
        elif [*call.arguments] != [tool.takes] or not words:
            told = f"it takes one text, {tool.takes}"
        else:
            return self._looked_up(call, tool)
        return ModelTurn("tool", f"refused: {told}", answers=call.id)

    def _looked_up(self, call: ToolCall, tool: _LookUp) -> ModelTurn:
        text = call.arguments[tool.takes].strip()[:_MOST_LETTERS]
        try:
            lines = self.give(_found(self.vault, self, tool.finds, text))
        except AureliusError:  # its words may name what is never sent
            return ModelTurn("tool", "there is nothing of this name", answers=call.id)
        told = "" if lines else "no line that you do not have"
        return ModelTurn("tool", told, lines, answers=call.id)

    def placed(self, name: str) -> SentLine:
        """A line that was sent, with the path of its note, which never is."""
        return self.sent[name]._replace(place=self.cited[name].line.path)

    def asked(self, text: str) -> TalkQuestion:
        """A text as a question by itself."""
        return QuestionReader(self.vault).read(text, ())

    def place(self, text: str) -> tuple[str, int]:
        """The note that an id of a line or a name means, and the line, 0 for the whole note.
        NoteNotFoundError, AmbiguousNameError."""
        cited = self.cited.get(text.upper())
        if cited:
            return cited.line.place
        return self.vault.resolve(text), 0


def _source(cited: Cited) -> Source:
    """A line as it may be sent: it is about its note, unless that is its day."""
    line = cited.line
    about = "" if cited.title == line.date else cited.title
    return Source(about, line.text, line.date, line.path)


@healed
def _private_paths(vault: Vault) -> frozenset[str]:
    from indexer.catalog.graph import get_secret

    return frozenset(each.path for each in get_secret(vault.db, private=False))


# -- what the tools find ---------------------------------------------------------------


@healed
def _found(vault: Vault, desk: LineDesk, finds: _Finds, text: str) -> tuple[Cited, ...]:
    """What one of the tools finds, as it is cited."""
    return cite(vault, [*islice(finds(desk, text), _MOST_LINES)], found=True)


def _search(desk: LineDesk, text: str) -> Iterator[Line]:
    found = find_candidates(desk.vault, desk.asked(text), Filters(status="all"))
    return (each.line for each in found.candidates)


def _recall(desk: LineDesk, text: str) -> Iterator[Line]:
    return (each.line for each in answer_question(desk.vault, desk.asked(text)).lines)


def _get(desk: LineDesk, text: str) -> Iterator[Line]:
    path, line = desk.place(text)
    span = (line - _AROUND, line + _AROUND) if line else (1, None)
    return _lines(desk.vault, path, *span)


def _days(desk: LineDesk, text: str) -> Iterator[Line]:
    from aurelius.answers.days import read_days
    from indexer.search.dates import dates

    vault = desk.vault
    span = dates(text, vault.clock.today.isoformat())
    rows = slice(0, _MOST_LINES)
    read = read_days(vault, span, rows, yearly=False, private=False, most=_MOST_LINES)
    for day in read.days:
        for note in day.notes:
            yield from _lines(vault, note.path)
        yield from _of_facts(vault, day.facts)


def _history(desk: LineDesk, text: str) -> Iterator[Line]:
    from aurelius.answers.references import fact_history

    cited = desk.cited.get(text.upper())
    reference = desk.place(text)[0]
    if cited and cited.line.type != TEXT_TYPE:
        reference += f"#^{cited.line.key}"
    found = fact_history(desk.vault, reference, private=False)
    for chain in found.chains:
        yield from _of_facts(desk.vault, [(step.path, step.fact) for step in chain])


def _graph(desk: LineDesk, text: str) -> Iterator[Line]:
    from indexer.catalog.mentions import mentions_of

    path, _ = desk.place(text)
    for each in mentions_of(desk.vault.db, path, private=False, limit=_MOST_LINES):
        yield from _lines(desk.vault, each.path, each.line, each.last)


def _lines(vault: Vault, path: str, first: int = 1, last: int | None = None) -> Iterator[Line]:
    """The lines of a note from one to another."""
    return (line for line, _ in every_line(vault, path, last) if line.lines[0] >= first)


def _of_facts(vault: Vault, facts: Sequence[tuple[str, Fact]]) -> Iterator[Line]:
    """Facts as lines, those too that no longer hold."""
    for path, fact in facts:
        is_over = fact.status == "superseded"
        told = fact._replace(status="active", type="fact") if is_over else fact
        line = line_of_fact(path, told, vault.clock)
        if line:
            yield line


class _LookUp(NamedTuple):
    """A tool: the name of the one text that it takes, what it does, in words, and how."""

    takes: str
    about: str
    finds: _Finds


_LOOK_UPS: Mapping[str, _LookUp] = {
    "search": _LookUp("query", "Lines that hold or mean these words.", _search),
    "recall": _LookUp("question", "The few lines that answer a question.", _recall),
    "get": _LookUp("ref", "The note of a name, or what stands around a line, by its id.", _get),
    "days": _LookUp("days", "What was in some days: 2026-03, 2026-03-01..2026-03-09.", _days),
    "history": _LookUp("ref", "What was true before: of a line, by its id, or a note.", _history),
    "graph": _LookUp("name", "Lines of other notes that name this one.", _graph),
}


def _tool(name: str, of: _LookUp) -> Tool:
    schema = {
        "type": "object",
        "properties": {of.takes: {"type": "string"}},
        "required": [of.takes],
        "additionalProperties": False,
    }
    return Tool(name, of.about, schema)


LOOK_UP_TOOLS = tuple(_tool(name, each) for name, each in _LOOK_UPS.items())
"""The tools, as a model is told of them."""
