"""What readers of notes share: ids, names of attached files, titles."""

from __future__ import annotations

import re
import time
from hashlib import md5, sha256
from typing import TYPE_CHECKING

from .imported import ImportedFile
from .shapes import as_line, as_moment

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

UNTITLED = "Untitled"
_MOST_TITLE = 200
_ID_LETTERS = 20
_NOT_IN_NAME = re.compile(r"[^\w-]+")
_MOST_STEM = 60
_ENDING = re.compile(r"(?<=.)\.[A-Za-z0-9]{1,8}$")
_LINE_START = re.compile(
    r"(?m)^([ \t]*)"
    r"(?:([>|+*-]|#{1,6}|={3,}|-{3,}|~{3,}|[<>|]{7})|(\d{1,9})([.)]))"
    r"(?=[ \t]|$)"
)
_MARKUP = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|<(?=[A-Za-z/!?])|`|&(?=#?\w+;)"
    r"|\[(?=\[)|\](?=[(\[:])"
    r"|(?<!\w)[*_~](?=\w)|(?<=\w)[*~]"
)
_ENGLISH = ("%B %d, %Y %I:%M %p", "%B %d, %Y")
MARKDOWN_CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.DOTALL)
"""Code in Markdown, which nothing in it changes."""

_PART_BYTES = 1 << 20


class StableIds:
    """Ids for what a source gives none, from what never changes about it; the second of two that
    are equal in this gets another one."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def of(self, *about: str) -> str:
        """The id of the next that is told by these words."""
        found = sha256("\0".join(about).encode("utf-8", "replace")).hexdigest()[:_ID_LETTERS]
        return self.unique(found)

    def unique(self, id: str) -> str:
        """The id itself, or one made from it where there is another of this name."""
        count = self._counts[id] = self._counts.get(id, 0) + 1
        return f"{id}-{count}" if count > 1 else id


def as_title(*found: object) -> str:
    """The first of these that says something, on one line."""
    lines = (as_line(each) for each in found)
    return next(filter(None, lines), UNTITLED)[:_MOST_TITLE].rstrip()


def as_tag(found: object) -> str:
    """The name of a tag, which has no space."""
    return re.sub(r"[\s,]+", "-", as_line(found).lstrip("#")).strip("-")


def as_typed(text: str, *, starts: bool = True) -> str:
    """Plain text as Markdown that shows it; `starts` where its first line begins one."""
    shown = _MARKUP.sub(r"\\\g<0>", text)
    head, gap, rest = ("", "", shown) if starts else shown.partition("\n")
    return head + gap + _LINE_START.sub(_escaped_start, rest)


def _escaped_start(found: re.Match[str]) -> str:
    indent, mark, number, point = found.groups()
    return f"{indent}\\{mark}" if mark else f"{indent}{number}\\{point}"


def as_property(found: object) -> str:
    """The name of a property: small letters, digits and `_`, a letter first; "" where it has
    none."""
    return re.sub(r"\W+", "_", as_line(found)).strip("_0123456789").lower()[:_MOST_STEM]


def english_moment(text: str) -> str:
    """A moment as programs write it in English, "March 3, 2025 9:15 AM", as ISO; "" for another
    text."""
    told = re.sub(r"(?<=\d)(?:st|nd|rd|th)(?=,)|^@|\s*\([A-Z]{2,5}\)$", "", as_line(text))
    for form in _ENGLISH:
        try:
            found = time.strptime(told, form)
        except ValueError:
            continue
        return time.strftime("%Y-%m-%dT%H:%M:%SZ" if ":" in told else "%Y-%m-%d", found)
    return as_moment(text)


class FileDigest:
    """The hashes of a file, while its bytes come in parts."""

    def __init__(self) -> None:
        self._sha = sha256()
        self._md5 = md5(usedforsecurity=False)

    def add(self, data: bytes) -> None:
        """The next bytes."""
        self._sha.update(data)
        self._md5.update(data)

    @property
    def digest(self) -> str:
        """SHA-256, as `ImportedFile.digest`."""
        return self._sha.hexdigest()

    @property
    def md5(self) -> str:
        """MD5, by which a note names a file that it shows."""
        return self._md5.hexdigest()


def attached(original: str, digest: str, opened: Callable[[], bytes]) -> ImportedFile:
    """A file under a name of letters, digits and `-` that follows from its content."""
    last = original.replace("\\", "/").rpartition("/")[2]
    told = _ENDING.search(last)
    ending = told[0].lower() if told else ".bin"
    stem = _NOT_IN_NAME.sub("-", last[: told.start()] if told else last)[:_MOST_STEM].strip("-_")
    name = "-".join(filter(None, (stem, digest[:8])))
    return ImportedFile(name + ending, digest, opened)


def digest_of(stream: IO[bytes]) -> str:
    """SHA-256 of a stream, read in parts."""
    found = FileDigest()
    while data := stream.read(_PART_BYTES):
        found.add(data)
    return found.digest


def shown_file(file: ImportedFile, words: str = "") -> str:
    """The Markdown that shows a file in a note."""
    told = re.sub(r"[\[\]\\|]", " ", as_line(words)) or file.name
    return f"![{told}](attachments/{file.name})"
