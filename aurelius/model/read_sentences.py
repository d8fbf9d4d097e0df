"""The sentences of an answer, read while it comes: each with the ids of the lines it rests on.

Pure. The model writes plain lines, a sentence and then ids in brackets: `Joe lives in Oslo. [L1]`.
A sentence is given out once its ids are there; what has none, or ids that were not given, or would
be a link, a picture or HTML, is given with its fault and never shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

REPLY_FORMAT = (
    "Write plain sentences, each on a line of its own, and behind each the id of the line that it"
    " says again, as in: Joe lives in Los Angeles. [L1]\n"
    "A sentence says one line again: its own words in their order, with its names, numbers, dates,"
    ' tense, "not", "maybe", "only" and "if". Put in who or what the line is about, say “you” where'
    " it says “I”, and leave out no more than what stands behind its last comma, or what the"
    ' question says already. Where its day counts, end with "since" and the day. Of a line that'
    ' holds no more say "was" or "until". Join nothing, conclude nothing, begin with no "yes" or'
    ' "no". No headings, lists, links or Markdown.'
    " If the lines do not answer, write only: NOTHING"
)
"""How a model is told to answer."""
NOTHING = "NOTHING"
"""What it writes where the lines do not answer."""
MOST_LETTERS = 1000
"""Characters that a sentence may have."""
_TOO_LONG = "is too long"

_ID = re.compile(r"[ ]*\[\s*([A-Za-z]{1,3}\d{1,6}(?:\s*[,;]\s*[A-Za-z]{1,3}\d{1,6})*)\s*\]")
_WHOLE = re.compile(
    rf"[^\n]*?(?:[.!?][\"”’)]*(?:{_ID.pattern}){{1,9}}[.!?]?|(?:{_ID.pattern}){{1,9}}[.!?])"
    r"(?=[ ]*(?:\n|[^\sa-z\[.!?,;(]))"
    r"|[^\n]*\n"
)
"""A sentence with its ids and what follows them, or a line to its end."""
_PEELED = re.compile(r"^\s*(?:[-*+•>]\s+|\d{1,2}[.)]\s+|#{1,6}\s+)*")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)([^*`\n]+?)(?<=\S)\1")
_LOADED = re.compile(
    r"!?\[[^\]]*\]\s*\(|!?\[\[|<[a-zA-Z/!]|\w+://|\bwww\.|\b(?:javascript|data|mailto):|&#?\w+;"
    r"|(?<!\w)\^\w|\.md:\d"
)
"""A link, a picture, HTML, the name of a line, or what a reader would make one of."""


class ReadSentence(NamedTuple):
    """A sentence as a model wrote it: its words, the ids it names, and why it cannot be shown, ""
    for nothing."""

    text: str
    ids: tuple[str, ...]
    fault: str = ""


class SentenceReader:
    """Reads an answer as it comes; `given` are the ids that it may name."""

    def __init__(self, given: Collection[str]) -> None:
        self.given = given
        self._waiting = ""
        self._skips = False

    def feed(self, text: str) -> list[ReadSentence]:
        """The sentences that these words complete."""
        found: list[ReadSentence] = []
        for start in range(0, len(text), MOST_LETTERS):
            part = text[start : start + MOST_LETTERS].replace("\r", "\n")
            self._waiting = re.sub(r"[^\S\n]+", " ", self._waiting + part)
            found += self._complete()
            if len(self._waiting) > MOST_LETTERS:
                if not self._skips:
                    found.append(ReadSentence(self._waiting[:MOST_LETTERS], (), _TOO_LONG))
                self._skips = True
                self._waiting = ""
        return found

    def end(self) -> list[ReadSentence]:
        """What the end of the answer completes; half a sentence has no ids."""
        return self.feed("\n")

    def _complete(self) -> Iterator[ReadSentence]:
        while found := _WHOLE.match(self._waiting):
            self._waiting = self._waiting[found.end() :].lstrip(" ")
            if self._skips:
                self._skips = not found[0].endswith("\n")
            elif found[0].strip():
                yield self._read(found[0])

    def _read(self, told: str) -> ReadSentence:
        """One sentence with its ids."""
        named = " ".join(_ID.findall(told)).upper()
        ids = tuple(dict.fromkeys(re.findall(r"\w+", named)))
        text = _PEELED.sub("", _ID.sub("", told))
        text = _EMPHASIS.sub(r"\2", text).strip()
        return ReadSentence(text, ids, self._fault(text, ids))

    def _fault(self, text: str, ids: Collection[str]) -> str:
        """Why a sentence cannot be shown."""
        if not ids:
            return "names no line"
        if not {*ids} <= {*self.given}:
            return "names a line that was not given"
        if len(text) > MOST_LETTERS:
            return _TOO_LONG
        if not re.search(r"\w", text):
            return "says nothing"
        return "holds a link, a picture or HTML" * bool(_LOADED.search(text))
