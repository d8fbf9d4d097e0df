"""Roam Research: a graph as one JSON file; its pages become notes with nested lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .import_reader import ImportReader
from .imported import Imported, ImportedNote, LeftOut
from .note_parts import MARKDOWN_CODE, UNTITLED, StableIds, as_title, english_moment
from .shapes import as_line, as_list, as_moment, clean_text, dicts
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "Roam"
_OWN = re.compile(rb'"(?:create|edit)-time"\s*:|"children"\s*:\s*\[')
_STRING = re.compile(rb'"(?:string|uid)"\s*:')
_MOST_DEPTH = 40
_MOST_TEXT = 4 << 20
_MOST_SHOWN = 500
"""Letters of a block that are shown where another one refers to it."""

_MOST_STEPS = 2
_REF = re.compile(r"\(\(([\w-]{5,40})\)\)")
_ALIAS = re.compile(r"\[([^\][\n]{1,500})\]\(\(\(([\w-]{5,40})\)\)\)")
_SHOWN = r"(?:embed[a-z-]*|video|audio|pdf|iframe|youtube)"
_EMBED = re.compile(rf"\{{\{{\s*(?:\[\[)?{_SHOWN}(?:\]\])?\s*:([^{{}}]{{1,500}})\}}\}}")
_BOX = re.compile(r"\{\{\s*(?:\[\[)?(TODO|DONE)(?:\]\])?\s*\}\}[ ]?")
_HIGHLIGHT = re.compile(r"\^\^([^\^\n]+)\^\^")
_ITALIC = re.compile(r"(?<!\w)__([^_\n]+)__(?!\w)")
_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th), \d{4}")


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_graph(each)]


def _is_graph(file: SourceFile) -> bool:
    if not file.base.lower().endswith(".json"):
        return False
    head = file.head()
    is_list = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return is_list and bool(_OWN.search(head) and _STRING.search(head))


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    for file in files:
        try:
            pages = json.loads(file.text())
        except (*FILE_ERRORS, RecursionError) as error:
            yield unreadable(_TITLE, file.name, error)
            continue
        yield from _Graph(as_list(pages), ids).notes()


class _Block(NamedTuple):
    """A block that others refer to: what it says, and its page."""

    text: str
    page: str


class _Graph:
    """The pages of a file, and its blocks by their ids."""

    def __init__(self, pages: list[Any], ids: StableIds) -> None:
        self._pages = pages
        self._ids = ids
        self._blocks: dict[str, _Block] = {}
        for page in dicts(pages):
            title = as_title(page.get("title"))
            for block, _ in _outline(page):
                told = _Block(clean_text(block.get("string")), title)
                self._blocks.setdefault(as_line(block.get("uid")), told)
        self._shown = lru_cache(maxsize=4096)(self._said)

    def notes(self) -> Iterator[Imported]:
        """A note for each page that says something."""
        for page in self._pages:
            if not isinstance(page, dict) or not as_line(page.get("title")):
                yield LeftOut(UNTITLED, "it is no page")
                continue
            yield from self._note(page)

    def _note(self, page: dict[str, Any]) -> Iterator[Imported]:
        title = as_title(page.get("title"))
        lines = []
        size = 0
        updated = as_moment(page.get("edit-time"))
        for block, depth in _outline(page):
            lines += self._lines(block, depth)
            size += len(lines[-1]) if lines else 0
            updated = max(
                updated,
                as_moment(block.get("edit-time")),
            )
            if size > _MOST_TEXT:
                yield LeftOut(title, f"its text is longer than {_MOST_TEXT >> 20} MB")
                return
        if not lines:
            yield LeftOut(title, "nothing stands on it")
            return
        text = "\n".join(lines)
        if any(len(found) == 9 for found in _REF.findall(text)):
            yield LeftOut(title, "it refers to a block that the export does not hold")
        uid = as_line(page.get("uid"))
        day = english_moment(title) if _DAY.fullmatch(title) else ""
        yield ImportedNote(
            id=self._ids.unique(uid) if uid else self._ids.of(title),
            title=title,
            text=text,
            created=day or as_moment(page.get("create-time")),
            updated=updated,
        )

    def _lines(self, block: dict[str, Any], depth: int) -> list[str]:
        """A block as an item of a list."""
        string = clean_text(block.get("string"))
        text = self._markdown(string).strip("\n")
        if not text and not as_list(block.get("children")):
            return []
        box = re.match(r"\[[ x]\] ", text)
        level = block.get("heading")
        if level in {1, 2, 3} and not box:
            text = f"{'#' * level} {text}"
        indent = "  " * min(depth, _MOST_DEPTH)
        return [f"{indent}- {text}".replace("\n", f"\n{indent}  ").rstrip()]

    def _markdown(self, text: str) -> str:
        """What a block says, code in it as it is."""
        parts = MARKDOWN_CODE.split(text)
        parts[::2] = map(self._prose, parts[::2])
        parts[1::2] = map(_fenced, parts[1::2])
        return "".join(parts)

    def _prose(self, text: str) -> str:
        text = _EMBED.sub(_inside, text)
        text = _ALIAS.sub(self._alias, text)
        return _plain(_REF.sub(self._reference, text))

    def _reference(self, found: re.Match[str]) -> str:
        """What the block says to which another one refers, and the page on which it stands."""
        if found[1] not in self._blocks:
            return found[0]
        page = self._blocks[found[1]].page
        return f"{self._shown(found[1], 0)} ([[{page}]])"

    def _alias(self, found: re.Match[str]) -> str:
        block = self._blocks.get(found[2])
        if not block:
            return found[0]
        words = found[1].replace("|", " ")
        return f"[[{block.page}|{words}]]"

    def _said(self, uid: str, step: int) -> str:
        """What a block says, on one line; of those to which it refers in turn, a few."""

        def inner(found: re.Match[str]) -> str:
            if found[1] in self._blocks and step < _MOST_STEPS:
                return self._shown(found[1], step + 1)
            return found[0]

        text = self._blocks[uid].text[: _MOST_SHOWN * 2]
        text = as_line(_BOX.sub("", text))
        text = _EMBED.sub(_inside, text).replace("```", "")
        shown = _REF.sub(inner, text)
        if len(shown) > _MOST_SHOWN:
            return f"{shown[:_MOST_SHOWN]}…"
        return shown


def _outline(page: dict[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
    """The blocks of a page, each with its depth, in the order in which they stand."""
    children = dicts(page.get("children"))
    waiting = [(each, 0) for each in reversed(children)]
    while waiting:
        block, depth = waiting.pop()
        yield block, depth
        children = dicts(block.get("children"))
        waiting += [(each, depth + 1) for each in reversed(children)]


def _inside(found: re.Match[str]) -> str:
    return found[1].strip()


def _plain(text: str) -> str:
    """Roam's own marks as those of Markdown."""
    text = _BOX.sub(lambda found: "[x] " if found[1] == "DONE" else "[ ] ", text)
    text = _HIGHLIGHT.sub(r"==\1==", text)
    return _ITALIC.sub(r"*\1*", text).replace("#[[", "[[")


def _fenced(code: str) -> str:
    """Code; where it has lines of its own, its last fence too has one."""
    if "\n" in code and code.startswith("```"):
        return code[:-3].rstrip("\n") + "\n```\n"
    return code


ROAM = ImportReader("roam", _TITLE, _claims, _read)
