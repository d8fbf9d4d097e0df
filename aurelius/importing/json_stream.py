"""The values in a JSON file that may be larger than memory, one at a time."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from .source_files import FILE_ERRORS, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .imported import LeftOut
    from .source_files import SourceFile

MOST_VALUE_BYTES = 256 << 20
"""Bytes of one value of the list; in a longer one reading stops."""

_BOM = b"\xef\xbb\xbf"


class _Bounded:
    """A stream that has an end to how much is read since `begun` was last called."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = MOST_VALUE_BYTES
        self._head = stream.read(len(_BOM)).removeprefix(_BOM)

    def begun(self) -> None:
        """Another value begins."""
        self._left = MOST_VALUE_BYTES

    def read(self, size: int = -1) -> bytes:
        """The next bytes. ValueError where one value is too long."""
        if size == 0:
            return b""
        data = self._head or self._stream.read(size)
        self._head = b""
        self._left -= len(data)
        if self._left < 0:
            raise ValueError(f"one part is larger than {MOST_VALUE_BYTES >> 20} MB")
        return data


def json_values(file: SourceFile, title: str) -> Iterator[Any | LeftOut]:
    """The values of the list in a file, or the one value that it is; where it is damaged the last
    is a `LeftOut`, `title` being the program's name."""
    import ijson

    is_list = file.head().removeprefix(_BOM).lstrip().startswith(b"[")
    try:
        with file.open() as stream:
            bounded = _Bounded(stream)
            for value in ijson.items(bounded, "item" if is_list else "", use_float=True):
                yield value
                bounded.begun()
    except (*FILE_ERRORS, ijson.JSONError, RecursionError, MemoryError) as error:
        yield unreadable(title, file.name, error)
