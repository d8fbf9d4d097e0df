"""What every reader of another program's files is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .imported import Imported
from .source_files import ExportFiles, SourceFile


class ImportReader(NamedTuple):
    """Reads what one program keeps.

    `source` is its name in ids and folders, in small letters; `title` is what a person calls it,
    "Google Keep". `claims` names those of the files that it reads, by their content, each once;
    `read` reads them.
    What is broken in a file is given as `LeftOut`, and the rest is read all the same.
    """

    source: str
    title: str
    claims: Callable[[ExportFiles], Sequence[SourceFile]]
    read: Callable[[ExportFiles, Sequence[SourceFile]], Iterator[Imported]]
