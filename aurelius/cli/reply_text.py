"""What is said in a conversation at a terminal, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius.chat.talk import ROLE_BEFORE, ROLE_HOLDS, ROLE_NEAR, ROLE_NEWER
from aurelius.show.hits import JSON_CHARACTERS
from aurelius.show.json_text import lean, picked
from aurelius.show.terminal import DIM_CODE, MARK_CODE, escape_controls, lined, one_line
from indexer.spelling import clipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurelius.answers.excerpts import Excerpt
    from aurelius.chat.talk import Cited, ShownSentence, TalkReply
    from aurelius.show.terminal import Paint

_ROLES = {
    ROLE_HOLDS: "",
    ROLE_BEFORE: "was true before",
    ROLE_NEWER: "newer",
    ROLE_NEAR: "nearest",
}
_MARGIN = 4
"""Columns before the words of a cited line."""


def reply_text(reply: TalkReply, paint: Paint, first: int = 1) -> str:
    """A reply: what it carried, its sentence, and its lines, numbered from `first`."""
    rows = []
    if reply.asked and reply.asked.carried:
        carried = one_line(", ".join(reply.asked.carried))
        rows.append(paint(f"about {carried}, as before", DIM_CODE))
    if reply.text:
        rows.append(escape_controls(reply.text))
    for number, each in enumerate(reply.lines, first):
        rows.extend(_cited_rows(number, each, paint))
    rows += [paint(one_line(each), DIM_CODE) for each in reply.told]
    return lined(rows)


def sentence_text(sentence: ShownSentence) -> str:
    """A sentence of a model, with the numbers of the lines that it rests on."""
    numbers = ", ".join(str(at + 1) for at in sentence.rests_on)
    return f"{escape_controls(sentence.text)} [{numbers}]\n"


def _cited_rows(
    number: int,
    cited: Cited,
    paint: Paint,
) -> Iterator[str]:
    """A cited line: its words, then whose they are, of which day, where, and what it is there."""
    line = cited.line
    text = clipped(one_line(line.text), JSON_CHARACTERS)
    yield paint(f"{number:<{_MARGIN}}", MARK_CODE) + text
    told = [
        one_line(cited.title),
        line.date,
        paint.at(*line.place),
    ]
    if cited.title == line.date:
        del told[0]  # of a daily note its day says it
    if aside := _aside(cited):
        told.append(f"({one_line(aside)})")
    yield " " * _MARGIN + "  ".join(filter(None, told))


def _aside(cited: Cited) -> str:
    """What a line is to the answer, and all that is said beside it."""
    told = [_ROLES[cited.role]]
    if cited.line.newer_of:
        told = []  # what is said beside it tells that
    if cited.until:
        told.append(f"until {cited.until}")
    told.append(cited.line.remarks)
    return ", ".join(filter(None, told))


def around_text(
    found: Excerpt,
    cited: Cited,
    paint: Paint,
) -> str:
    """The lines of a note around a cited one, which is marked."""
    place = paint.at(*cited.line.place)
    rows = [f"{one_line(cited.title)}  {place}"]
    first, last = cited.line.lines
    for number, line in enumerate(found.lines, found.first):
        mark = " "
        if first <= number <= last:
            mark = ">"
        shown = paint(f"{number:>4}", MARK_CODE)
        text = paint.line(one_line(line))
        rows.append(f"{mark} {shown}  {text}")
    return lined(rows)


def reply_values(
    typed: str,
    reply: TalkReply,
    first: int = 1,
) -> dict[str, Any]:
    """A reply for JSON, with the line that it answers."""
    told = {
        "typed": typed,
        "kind": reply.kind,
        "says": reply.text,
        "found": reply.found,
    }
    if asked := reply.asked:
        told["asked"] = asked.text
        told |= lean(carried=asked.carried)
    if reply.sentences:
        told["sentences"] = [_sentence_values(each) for each in reply.sentences]
    told |= lean(told=reply.told)
    told["lines"] = [_cited_values(number, each) for number, each in enumerate(reply.lines, first)]
    return told


def _sentence_values(sentence: ShownSentence) -> dict[str, Any]:
    numbers = [at + 1 for at in sentence.rests_on]
    return {"text": sentence.text, "lines": numbers, "own_line": sentence.is_own_line}


def _cited_values(number: int, cited: Cited) -> dict[str, Any]:
    line = cited.line
    return {
        "number": number,
        **picked(cited, "role", "title"),
        **picked(line, "path", "lines", "text"),
        **lean(
            id=line.id,
            date=line.date,
            until=cited.until,
            remarks=line.remarks,
        ),
    }
