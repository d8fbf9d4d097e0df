"""Bytes of a file → its lines of text.  Never raises; what had to be guessed becomes a Problem."""

from __future__ import annotations

from typing import NamedTuple

from indexer.note import Problem

TEXT_LIMIT = 2 * 1024 * 1024
"""Bytes of one note that are read as text; the rest is reported, not indexed."""

_SAMPLE = 64 * 1024
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\f\r\x1b") + b"\x7f"
_MAGIC = (b"\x89PNG", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"GIF8", b"\xff\xd8\xff", b"\x7fELF", b"SQLite format 3")


def _as_typed(byte: int) -> str:
    """The Windows-1252 character of a byte, or the Latin-1 one where Windows defines none."""
    try:
        return bytes((byte,)).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


_ESCAPED = {0xDC00 + byte: _as_typed(byte) for byte in range(0x80, 0x100)}


class Text(NamedTuple):
    """The decoded lines of a file, without line ends, and what went wrong on the way."""

    lines: tuple[str, ...]
    problems: tuple[Problem, ...]


def decode(data: bytes) -> Text:
    """The lines of a file: UTF-8 with or without BOM, UTF-16 with one, else bytes as Windows-1252 wrote them.

    Lines end at LF, CR LF or a lone CR and nowhere else.  NUL becomes a space.  Only `TEXT_LIMIT`
    bytes are read, cut after a whole line where one ends near.  A binary file has no lines.
    """
    problems: list[Problem] = []
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") and not data.startswith(b"\xff\xfe\x00\x00"):
        cut = _cut(data, problems, b"\n\x00" if data[0] == 0xFF else b"\x00\n", 2)
        text = cut.decode("utf-16", "replace")
    else:
        body = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
        cut = _cut(body, problems, b"\n", 1)
        try:
            text = cut.decode("utf-8")
        except UnicodeDecodeError as error:
            text = cut.decode("utf-8", "surrogateescape")
            if _is_binary(cut):
                return Text((), (Problem(1, "binary", "the file is not text; nothing of it is indexed"),))
            line = _line(cut[: error.start].decode("utf-8", "replace"))
            problems.append(Problem(line, "encoding", _ENCODING.format(cut[error.start], line)))
            text = text.translate(_ESCAPED)
        else:
            if b"\x00" in cut and _is_binary(cut):
                return Text((), (Problem(1, "binary", "the file is not text; nothing of it is indexed"),))
    if "\x00" in text:
        line = _line(text[: text.index("\x00")])
        problems.append(Problem(line, "nul", "NUL bytes are read as spaces; save the note as UTF-8 text"))
        text = text.replace("\x00", " ")
    lines = split_lines(text)
    last = max(1, len(lines))
    return Text(lines, tuple(problem._replace(line=problem.line or last) for problem in problems))


_ENCODING = "byte 0x{:02x} on line {} is not UTF-8, so it was read as Windows-1252; save the note as UTF-8"


def split_lines(text: str) -> tuple[str, ...]:
    """Lines as Markdown counts them; a line end at the very end of the text starts no further line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def _line(before: str) -> int:
    """The line number that follows the text `before`."""
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


def _cut(data: bytes, problems: list[Problem], end: bytes, width: int) -> bytes:
    """At most `TEXT_LIMIT` bytes, ending after a line where one ends near, else after a character."""
    if len(data) <= TEXT_LIMIT:
        return data
    stop = data.rfind(end, TEXT_LIMIT - _SAMPLE, TEXT_LIMIT) + len(end)
    if stop < len(end) or stop % width:
        stop = TEXT_LIMIT
        while width == 1 and stop > TEXT_LIMIT - 4 and data[stop] & 0xC0 == 0x80:
            stop -= 1
    problems.append(Problem(0, "size", "only the first 2 MiB of the note are indexed; split it into several notes"))
    return data[:stop]


def _is_binary(data: bytes) -> bool:
    """Whether bytes with NULs or broken UTF-8 are a picture or archive rather than oddly encoded text."""
    if data.startswith(_MAGIC):
        return True
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if b"\x00" not in sample:
        return False
    undecodable = sum(0xDC80 <= ord(c) <= 0xDCFF for c in sample[:4096].decode("utf-8", "surrogateescape"))
    return controls * 10 > len(sample) * 3 or (controls + undecodable) * 10 > min(len(sample), 4096) * 3
