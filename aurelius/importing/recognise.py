"""Which program an export is from, told by what is in its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .imported import LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .import_reader import ImportReader
    from .source_files import ExportFiles, SourceFile

NOT_RECOGNISED = "no program that Aurelius knows writes such a file"
_ATTACHED = (
    ".png .jpg .jpeg .gif .webp .heic .bmp .svg .tif .tiff .pdf .mp3 .m4a .wav .ogg .mp4 .mov .webm"
    " .dat .doc .docx .xls .xlsx .ppt .pptx .css .js .html .zip .ds_store"
)
_ATTACHMENTS = tuple(_ATTACHED.split())
"""Endings of files that belong to what others tell, and are not counted by themselves."""


class Claimed(NamedTuple):
    """The files of an export that one reader reads."""

    reader: ImportReader
    files: tuple[SourceFile, ...]


def import_readers() -> tuple[ImportReader, ...]:
    """Every reader, in the order in which they are asked: what only one program can have written
    first."""
    from .basic_memory import BASIC_MEMORY
    from .chatgpt import CHATGPT
    from .claude import CLAUDE
    from .devclaw import DEVCLAW
    from .evernote import EVERNOTE
    from .items_json import ITEMS_JSON
    from .keep import GOOGLE_KEEP
    from .koshi import KOSHI
    from .mcp_memory import MCP_MEMORY
    from .mem0 import MEM0
    from .notion import NOTION
    from .openclaw import OPENCLAW_WORKSPACE
    from .roam import ROAM
    from .spacebot import SPACEBOT

    memories = (KOSHI, SPACEBOT, DEVCLAW, ITEMS_JSON, MCP_MEMORY, MEM0, BASIC_MEMORY)
    return (CHATGPT, CLAUDE, OPENCLAW_WORKSPACE, *memories, EVERNOTE, GOOGLE_KEEP, ROAM, NOTION)


def claimed_files(
    export: ExportFiles, readers: Sequence[ImportReader]
) -> tuple[list[Claimed], list[LeftOut]]:
    """What each reader reads of an export, and what is left."""
    found = []
    taken: set[str] = set()
    for reader in readers:
        files = tuple(each for each in reader.claims(export) if each.name not in taken)
        taken.update(each.name for each in files)
        if files:
            found.append(Claimed(reader, files))
    left = [*export.left_out]
    left += [
        LeftOut(each.name, NOT_RECOGNISED)
        for each in export.files
        if each.name not in taken and not (found and each.name.lower().endswith(_ATTACHMENTS))
    ]
    return found, left
