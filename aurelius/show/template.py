"""What `--format` prints: a line for each note, fact or hit, by a template like `{path}:{line}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.errors import UsageError
from indexer.spelling import single_spaced

from .json_text import picked
from .terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.answers.note_view import Listed
    from indexer.search.hit import Hit

NOTE_FIELDS = (
    "path",
    "line",
    "title",
    "kind",
    "date",
    "updated",
    "tags",
    "facts",
    "lines",
    "tier",
)
"""What a template can name of a note."""
FACT_FIELDS = (
    "path",
    "line",
    "end",
    "id",
    "type",
    "status",
    "date",
    "tier",
    "text",
)
"""What a template can name of a fact."""
HIT_FIELDS = (
    "path",
    "line",
    "end",
    "id",
    "heading",
    "title",
    "kind",
    "type",
    "status",
    "date",
    "tier",
    "score",
    "text",
)
"""What a template can name of a hit."""

_PART = re.compile(r"\{\{|\}\}|\{[^{}]*\}|\\[tn\\]|[{}]")
_ESCAPED = {
    "{{": "{",
    "}}": "}",
    "\\t": "\t",
    "\\n": "\n",
    "\\\\": "\\",
}


def template(text: str, fields: Sequence[str]) -> str:
    """A template of `--format` whose fields are all known.  UsageError."""
    for each in _PART.findall(text):
        if each in _ESCAPED or each[1:-1] in fields:
            continue
        what = f"has no field {each}"
        if len(each) == 1:
            what = f"has {each} alone; a brace itself is written {each * 2}"
        known = ", ".join(f"{{{name}}}" for name in fields)
        raise UsageError(f"--format {what}", f"fields: {known}")
    return text


def fill_row(template: str, values: Mapping[str, object]) -> str:
    """The template with these values, each on one line, and a new line behind it."""

    def put(found: re.Match[str]) -> str:
        part = found[0]
        if part in _ESCAPED:
            return _ESCAPED[part]
        return one_line(single_spaced(_said(values[part[1:-1]])))

    text = _PART.sub(put, template)
    return text.removesuffix("\n") + "\n"


def _said(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def notes_by(template: str, listed: Listed) -> list[str]:
    """Notes by a template, a text each."""
    texts = []
    for row in listed.found.notes:
        values = row._asdict()
        values["line"] = 1
        values["tier"] = listed.ages[row.path].tier
        texts.append(fill_row(template, values))
    return texts


def facts_by(template: str, listed: Listed) -> list[str]:
    """Facts by a template, a text each."""
    texts = []
    for path, fact in listed.found.facts:
        values = picked(fact, "type", "status", "date", "text")
        values |= {"path": path, "line": fact.first, "end": fact.last}
        values |= {"id": fact.key, "tier": listed.ages[fact.key].tier}
        texts.append(fill_row(template, values))
    return texts


def hits_by(template: str, found: Iterable[Hit]) -> list[str]:
    """Search hits by a template, a text each."""
    texts = []
    for hit in found:
        values = hit._asdict()
        values["line"], values["end"] = hit.lines
        values["heading"] = " › ".join(hit.heading)
        values["tier"] = hit.age.tier
        texts.append(fill_row(template, values))
    return texts
