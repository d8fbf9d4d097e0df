"""Imported conversations, notes and facts as the text of notes; values in, text out."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.fact_text import TailParts, compose_fact_line, id_of_words
from aurelius.language.secret_text import find_secret
from indexer.spelling import single_spaced

from .shapes import day_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .imported import ImportedChat, ImportedFact, ImportedMessage, ImportedNote

SOURCE_ID = "source_id"
"""The property by which an imported note is found again, wherever it was moved."""

DIGEST = "source_text"
"""The property that tells whether somebody changed an imported note and whether an export is newer:
a hash of its other bytes, and one of what it was made from."""

_HIDDEN_LINE = "(left out: it looks like a secret)"

_DIGEST_LINE = re.compile(rf"^{DIGEST}: ([0-9a-f]{{16}})-([0-9a-f]{{16}})\n", re.MULTILINE)
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\\/:*?\"<>|#^\[\]%]+")
_WINDOWS = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$")
_MOST_NAME_BYTES = 120
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_BLOCK = re.compile(r"[ ]{0,3}(?:[-+*>|#`~]|\d{1,9}[.)])")
_MINUTES = len("2024-03-01T10:00")
_BLOCK_ID = re.compile(r"(?m)(^|[ \t])\^(?=[A-Za-z0-9-]{1,64}[ \t]*$)")

_TORN = re.compile(r"(?m)^<{7}(?=[ ]|$)")
"""Where the sides of a merge would begin."""


class ImportedText(NamedTuple):
    """The text of a note, and how many of its lines were left out because they look like
    secrets."""

    text: str
    secrets: int


def imported_chat_text(chat: ImportedChat, source: str, *, secrets: bool) -> ImportedText:
    """A conversation as a note: who said what, when; `secrets` keeps what looks like one."""
    found = [_message(each, secrets=secrets) for each in chat.messages]
    body = "\n\n".join(each.text for each in found)
    return ImportedText(
        _note(source, chat, body, [], export_digest(chat, secrets=secrets)),
        sum(each.secrets for each in found),
    )


def _message(message: ImportedMessage, *, secrets: bool) -> ImportedText:
    """One message under its speaker, so that nothing in it goes on in the next."""
    at = message.at[:_MINUTES].replace("T", " ")
    who = f"**{message.speaker}{f' ({at})' if at else ''}:**"
    text = message.text.strip("\n")
    count = 0
    if not secrets:
        text, count = _without_secrets(text)
    text = _contained(text)
    gap = "\n\n" if _BLOCK.match(text) else " "
    return ImportedText(f"{who}{gap}{text}", count)


def _contained(text: str) -> str:
    """Text of others, so that no comment or fence in it hides what stands behind it."""
    lines = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        lines.append(line if fence or found else _plain(line))
    if fence:
        lines.append(fence)
    return "\n".join(lines)


def _plain(line: str) -> str:
    """A line outside of code: no comment begins in it, and it ends in no id."""
    shown = line.replace("<!--", "&lt;!--").replace("%%", "%\\%")
    return _BLOCK_ID.sub(r"\1\\^", shown)


def imported_note_text(
    note: ImportedNote, source: str, depth: int, *, secrets: bool
) -> ImportedText:
    """An imported note; it lies `depth` folders below the one of its program, whose attachments it
    shows."""
    text = note.text.strip("\n").replace("](attachments/", "](" + "../" * depth + "attachments/")
    more = [*(("tags", list(note.tags)) for _ in note.tags[:1]), *note.properties]
    count = 0
    if not secrets:
        text, count = _without_secrets(text)
    text = _TORN.sub(r"\\\g<0>", _BLOCK_ID.sub(r"\1\\^", text))
    made_from = export_digest(note, secrets=secrets)
    return ImportedText(_note(source, note, text, more, made_from), count)


def _note(
    source: str,
    what: ImportedChat | ImportedNote,
    body: str,
    more: Iterable[tuple[str, object]],
    made_from: str,
) -> str:
    """The whole note: its properties, its title, its text."""
    told: dict[str, object] = {"title": what.title}
    if what.created:
        told["created"] = day_of(what.created)
    if what.updated:
        told["updated"] = day_of(what.updated)
    told["source"] = source
    told[SOURCE_ID] = f"{source}:{what.id}"
    for name, value in more:
        told.setdefault(name, value)
    head = "".join(f"{name}: {_yaml(value)}\n" for name, value in told.items())
    text = f"---\n{head}---\n# {what.title}\n\n{body}\n"
    line = f"{DIGEST}: {text_digest(text)}-{made_from}\n"
    return text.replace("---\n#", f"{line}---\n#", 1)


def _yaml(value: object) -> str:
    """A value of front matter on one line: JSON is YAML."""
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", value):
        if not re.fullmatch(r"(?i)[\d._-]+|true|false|yes|no|on|off|null|\d+e\d+", value):
            return value
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return value
    return json.dumps(value, ensure_ascii=False)


def _without_secrets(text: str) -> tuple[str, int]:
    """A text without its lines that look like a secret, and how many they are."""
    count = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if find_secret(line):
            lines[number] = _HIDDEN_LINE
            count += 1
    return "\n".join(lines), count


def text_digest(text: str) -> str:
    """A hash of an imported note, whatever hashes it tells itself."""
    return _hash(_DIGEST_LINE.sub("", text, count=1))


def told_digests(text: str) -> tuple[str, str]:
    """The hashes that an imported note tells, of itself and of what it was made from, "" for
    none."""
    found = _DIGEST_LINE.search(text)
    return (found[1], found[2]) if found else ("", "")


def export_digest(what: ImportedChat | ImportedNote, *, secrets: bool) -> str:
    """A hash of what an imported note is made from."""
    return _hash(repr((what, secrets)))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def title_as_file_name(title: str, fallback: str) -> str:
    """A title as the name of a file on every system, and of a link, without an ending."""
    name = single_spaced(_NOT_IN_NAMES.sub(" ", title)).strip(" .")
    while len(name.encode()) > _MOST_NAME_BYTES:
        name = name[:-1].rstrip(" .")
    if not name or _WINDOWS.match(name):
        return f"{name} {fallback}".strip()
    return name


def imported_fact_words(fact: ImportedFact) -> str:
    """What a fact says, with the name of what it is about before it, on one line."""
    words = single_spaced(fact.text)
    named = fact.subject and fact.subject.casefold() not in words.casefold()
    return f"{single_spaced(fact.subject)}: {words}" if named else words


def imported_fact_id(fact: ImportedFact, source: str) -> str:
    """The id of an imported fact: another one where a newer export has other words for it."""
    return id_of_words(source, fact.id, imported_fact_words(fact))


def imported_fact_line(fact: ImportedFact, source: str, updates: str = "") -> str:
    """The line of an imported fact; it has a tail only where the source has a date. UsageError
    where its words would be read as something else."""
    own = imported_fact_id(fact, source)
    words = imported_fact_words(fact)
    day = day_of(fact.created)
    if fact.is_past:
        words = f"~~{words}~~"
    if not day:
        return compose_fact_line(words, id=own)
    told = TailParts(
        type=fact.type if fact.type != "fact" else "",
        pinned=fact.pinned,
        importance=fact.importance,
        inferred=fact.inferred,
        source=source_of_fact(fact, source),
        updates=updates,
    )
    return compose_fact_line(words, date=day, id=own, told=told)


def source_of_fact(fact: ImportedFact, source: str) -> str:
    """The source of a fact as its tail names it."""
    return f"{source}:{re.sub(r'[^A-Za-z0-9_.-]+', '-', fact.id)[:60].strip('-')}"


def imported_facts_text(title: str, source: str, *, past: bool) -> str:
    """A new note for imported facts, without any yet; with a place for `past` ones."""
    head = f"---\ntitle: {_yaml(title)}\nsource: {source}\n---\n# {title}\n\n## Facts\n"
    return head + "\n## History\n" * past
