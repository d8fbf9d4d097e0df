"""What kind of note a file is: by a property, a tag or a folder that names a kind.

It is a guess about notes that somebody else's habits made, so whoever owns them can add to it and
take from it (`KindRules`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, product
from typing import Any

from . import front_matter
from .blocks import decode
from .path_meaning import (
    FOLDER_WORDS,
    KIND_OF_WORD,
    KindClue,
    KindRules,
    bare_name,
    day_of_path,
    file_stem,
    is_borrowed,
    is_template,
    meant_word,
    place_of,
    property_key,
)

_STATED = ("type", "kind")
_CLASSES = ("notetype", "fileclass", "class", "category", "categories")
"""Properties that may name a kind, without case and signs."""

_TAGGED = ("person", "company", "project")
_HEADS = ("", "type/", "types/", "kind/", "class/", "category/", "note/", "entity/")
_TAGS = {
    head + word: FOLDER_WORDS[word]
    for head, word in product(_HEADS, FOLDER_WORDS)
    if FOLDER_WORDS[word] in _TAGGED
}
_OTHER_TAGS = frozenset(
    "moc index dashboard meeting meetings book books article articles clipping clippings podcast"
    " podcasts video videos movie movies paper papers quote quotes idea ideas daily weekly journal"
    " log template templates".split()
)
"""Tags of notes of another kind, in which a tag for a kind is what they are about."""


def kind_of_note(
    path: str,
    day: str | None,
    properties: Mapping[str, Any],
    rules: KindRules = (),
) -> KindClue:
    """The kind of a note, and what says so; `day` is `day_of_path(path)`, `properties` are those at
    its top.

    `type` and `kind` decide, then the clues of a person's settings, then properties such as
    `categories`, tags, and the folder. What a template says is of the notes that are made from it;
    a day, an archived note and a clipping stay that whatever they are tagged with; a note that is
    called as its kind, `People.md`, lists the others.
    """
    if is_template(path):
        return KindClue("note")
    named = {property_key(key): value for key, value in properties.items()}
    named["tags"] = front_matter.tag_words(named.get("tags") or named.get("tag"))
    own = dict(rules)
    stated = _only(named, _STATED, KIND_OF_WORD, own)
    if stated:
        return stated
    place = place_of(path, day, rules)
    if day or is_borrowed(path):
        return place
    found = _guess(named, own)
    if found is None:
        return place
    if found.kind == FOLDER_WORDS.get(bare_name(file_stem(path))):
        return KindClue("note")
    return found


def _guess(named: Mapping[str, Any], own: Mapping[str, str]) -> KindClue | None:
    """What clues of a person's settings say, else properties, else tags; None for nothing."""
    keys = dict.fromkeys(clue.partition(":")[0] for clue in own)
    found = _only(named, keys, {}, own) or _only(named, _CLASSES, FOLDER_WORDS, own)
    if found or _is_other(named):
        return found
    return _only(named, ("tags",), _TAGS, own)


def kind_of_file(
    path: str,
    data: bytes,
    daily_folder: str,
    rules: KindRules = (),
) -> KindClue:
    """The same of the bytes of a file, of which no more than the top is read."""
    lines, _ = decode(data)
    front = front_matter.read_front_matter(lines)
    properties = {**front_matter.header(lines, front.lines, every=True), **front.values}
    return kind_of_note(path, day_of_path(path, daily_folder), properties, rules)


def _only(
    named: Mapping[str, Any],
    keys: Iterable[str],
    words: Mapping[str, str],
    own: Mapping[str, str],
) -> KindClue | None:
    """What the first of some properties says that names one kind and no second; None for none."""
    for key in keys:
        found: dict[str, str] = {}
        for word in _values(named.get(key)):
            meant = meant_word(key, word)
            clue = f"{key}: {meant}"
            kind = own.get(clue, words.get(meant, ""))
            if kind:
                found.setdefault(kind, clue)
        if len(found) == 1:
            return KindClue(*found.popitem())
    return None


def _is_other(named: Mapping[str, Any]) -> bool:
    """Whether a note says that it is something which has no kind here, so that its tags are what it
    is about."""
    if any(_values(named.get(key)) for key in (*_STATED, *_CLASSES)):
        return True
    return not _OTHER_TAGS.isdisjoint(meant_word("tags", tag) for tag in named["tags"])


def _values(value: object) -> Collection[str]:
    """The words of a property; `[[People]]` without quotes is a list in a list for YAML."""
    if isinstance(value, list | tuple):
        return tuple(chain.from_iterable(map(_values, value)))
    return front_matter.split_words(value)
