"""What readers of conversations share: turns, fences, and the branch that was gone on with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .imported import ImportedChat, ImportedMessage, LeftOut
from .note_parts import as_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

YOU = "You"
NOTHING_SAID = "nothing was said in it"
WITHOUT_ID = "a conversation without a name"
BY_TOOLS = "a message of a tool, or what a model thought"
_MOST_CHAT = 64 << 20
_TITLE_LETTERS = 80
_TICKS = re.compile(r"`{3,}")


def fenced_code(text: str, language: str = "") -> str:
    """A text as a block of code."""
    longest = max(map(len, _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{re.sub(r'[^a-z0-9+#-]', '', language.lower())}\n{text}\n{ticks}"


def quoted(text: str) -> str:
    """A text as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def branch(parents: Mapping[str, str], last: str) -> list[str]:
    """The ids from the first to `last`, each the parent of the next; a circle is cut."""
    found: dict[str, None] = {}
    while last in parents and last not in found:
        found[last] = None
        last = parents[last]
    return [*found][::-1]


def newest_leaf(parents: Mapping[str, str], moments: Mapping[str, str]) -> str:
    """The id, of those that are nobody's parent, that came last; "" for none."""
    inner = set(parents.values())
    leaves = [each for each in parents if each not in inner]
    places = {each: place for place, each in enumerate(leaves)}
    return max(leaves, key=lambda each: (moments.get(each, ""), places[each]), default="")


def joined_turns(messages: Iterable[ImportedMessage]) -> tuple[ImportedMessage, ...]:
    """The messages, those that another than the person wrote one after the other as one."""
    turns: list[ImportedMessage] = []
    parts: list[str] = []
    for each in messages:
        if turns and each.speaker != YOU and turns[-1].speaker == each.speaker:
            parts.append(each.text)
            continue
        if parts:
            turns[-1] = turns[-1]._replace(text="\n\n".join(parts))
        turns.append(each)
        parts = [each.text]
    if turns:
        turns[-1] = turns[-1]._replace(text="\n\n".join(parts))
    return tuple(turns)


def told_chat(
    id: str,
    title: object,
    created: str,
    updated: str,
    messages: tuple[ImportedMessage, ...],
) -> ImportedChat | LeftOut:
    """A conversation, named by its first words where it has no title."""
    if not messages:
        return LeftOut(as_title(title, id), NOTHING_SAID)
    if sum(len(each.text) for each in messages) > _MOST_CHAT:
        return LeftOut(as_title(title, id), f"its text is longer than {_MOST_CHAT >> 20} MB")
    told = as_title(title, messages[0].text[:_TITLE_LETTERS])
    return ImportedChat(id, told, created or messages[0].at, updated, messages)
