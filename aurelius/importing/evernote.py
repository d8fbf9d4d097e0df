"""Evernote: `.enex` files, one for each notebook, read in parts whatever their size.

No document type is loaded, and a file that declares entities is refused. Where a file is damaged,
reading goes on at its next note.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes
from xml.parsers import expat

from indexer.errors import UsageError

from .html_text import MOST_HTML, PlainMeaning, html_as_markdown
from .import_reader import ImportReader
from .imported import Imported, ImportedFile, ImportedNote, LeftOut
from .note_parts import FileDigest, StableIds, as_tag, as_title, as_typed, attached, shown_file
from .shapes import as_line, as_moment
from .source_files import FILE_ERRORS, MOST_WHOLE_BYTES, ExportFiles, SourceFile, unreadable

if TYPE_CHECKING:
    from typing import IO

_TITLE = "Evernote"
_PART_BYTES = 64 << 10
_MOST_TOKEN_BYTES = 8 << 20
"""Bytes between two things that the parser tells; more is a tag that no program writes."""

_MOST_TEXT = 64 << 10
_MOST_DEPTH = 50
_TOP = b"<en-export>"
_NOTE = re.compile(rb"<note[ >\r\n]")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]")
_PROPERTIES = {"source-url": "url", "author": "author", "reminder-time": "reminder"}
_NOTE_LINK = "evernote:///"
_ENCRYPTED = "(encrypted text, left out)"
_NOT_THERE = "(a file that the export does not hold)"


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_enex(each.head())]


def _is_enex(head: bytes) -> bool:
    text = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return text.startswith(b"<") and b"en-export" in text


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    for file in files:
        try:
            yield from _Enex(file, ids).notes()
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)


class _Resource:
    """A file in an export: hashed while it is read, and read again where it is written."""

    def __init__(self) -> None:
        self.digest = FileDigest()
        self.start = 0
        self.end = 0
        self.told: dict[str, str] = {}
        self._rest = b""

    def add(self, text: str) -> None:
        """The next letters of its bytes in base64."""
        data = self._rest + _NOT_BASE64.sub(b"", text.encode("ascii", "replace"))
        whole = len(data) // 4 * 4
        self._rest = data[whole:]
        self.digest.add(_decoded(data[:whole]))

    def file(self, source: SourceFile) -> ImportedFile:
        """It as a file of its own."""
        kind = self.told.get("mime", "").rpartition("/")[2]
        name = self.told.get("file-name") or f"file.{kind}"
        start = self.start
        end = self.end

        def opened() -> bytes:
            if end - start > MOST_WHOLE_BYTES * 2:
                raise ValueError(f"it is larger than {MOST_WHOLE_BYTES >> 20} MB")
            with source.open() as stream:
                stream.seek(start)
                written = stream.read(end - start)
            inner = written.partition(b">")[2].replace(b"<![CDATA[", b"").replace(b"]]>", b"")
            return _decoded(_NOT_BASE64.sub(b"", inner))

        return attached(name, self.digest.digest, opened)


def _decoded(data: bytes) -> bytes:
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        return b""


class _Note:
    """A note while it is read."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}
        self.tags: list[str] = []
        self.tasks: list[dict[str, str]] = []
        self.resources: list[_Resource] = []


class _Enex:
    """One file: what its parser says, as notes."""

    def __init__(self, source: SourceFile, ids: StableIds) -> None:
        self._source = source
        self._ids = ids
        self._done: list[_Note] = []
        self._is_refused = False
        self._begin(0)

    def _begin(self, at: int) -> None:
        """A parser for what begins at a byte of the file."""
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        told = (
            ("StartElement", self._start),
            ("EndElement", self._end),
            ("CharacterData", self._data),
            ("EntityDecl", _refuse),
        )
        for name, called in told:
            setattr(parser, f"{name}Handler", called)
        self._at = at
        self._tags: list[str] = []
        self._parts: list[str] = []
        self._size = 0
        self._note: _Note | None = None

    def notes(self) -> Iterator[Imported]:
        """What is in the file."""
        with self._source.open() as stream:
            for problem in self._fed(stream):
                for note in self._done:
                    yield from self._imported(note)
                self._done.clear()
                if problem:
                    title = as_title(self._note.told.get("title")) if self._note else ""
                    yield LeftOut(title or self._source.name, problem)

    def _fed(self, stream: IO[bytes]) -> Iterator[str]:
        """Give the parser one part after another; what is wrong, "" after each part that is
        right."""
        read = 0
        while data := stream.read(_PART_BYTES):
            read += len(data)
            problem = self._feed(data)
            yield problem
            while problem and not self._is_refused:
                data, read = self._next_note(stream, data, read)
                self._begin(read - len(data) - len(_TOP))
                problem = self._feed(_TOP + data) if data else ""
                yield problem
                if not data:
                    return
            if self._is_refused:
                return
            if read - self._at - self._parser.CurrentByteIndex > _MOST_TOKEN_BYTES:
                yield "a part of it is longer than any program writes"
                return
        yield self._feed(b"", is_last=True) and "it ends in the middle of a note"

    def _feed(self, data: bytes, *, is_last: bool = False) -> str:
        try:
            self._parser.Parse(data, is_last)
        except expat.ExpatError as error:
            return f"it is damaged: {expat.ErrorString(error.code)}"
        except (LookupError, ValueError, UsageError) as error:
            self._is_refused = True
            return str(error)
        return ""

    def _next_note(self, stream: IO[bytes], data: bytes, read: int) -> tuple[bytes, int]:
        """What is left of a part from its next note on, and how much was read; b"" at the end."""
        start = read - len(data)
        skipped = max(0, self._at + self._parser.ErrorByteIndex + 1 - start)
        data = data[skipped:]
        while not (found := _NOTE.search(data)):
            more = stream.read(_PART_BYTES)
            read += len(more)
            if not more:
                return b"", read
            data = data[-len("<note ") :] + more
        return data[found.start() :], read

    # -- what the parser says ------------------------------------------------------------------

    def _start(self, tag: str, _: object) -> None:
        self._tags.append(tag)
        self._parts.clear()
        self._size = 0
        if len(self._tags) > _MOST_DEPTH:
            raise UsageError("it is nested deeper than any program writes")
        if tag == "note":
            self._note = _Note()
        elif self._note and tag == "resource":
            self._note.resources.append(_Resource())
        elif self._note and tag == "task":
            self._note.tasks.append({})
        elif tag == "data" and (resource := self._resource()):
            resource.start = self._at + self._parser.CurrentByteIndex

    def _resource(self) -> _Resource | None:
        if self._note and "resource" in self._tags and self._note.resources:
            return self._note.resources[-1]
        return None

    def _data(self, text: str) -> None:
        tag = self._tags[-1]
        resource = self._resource()
        if resource and tag == "data":
            resource.add(text)
            return
        self._size += len(text)
        if self._size <= (MOST_HTML + 1 if tag == "content" else _MOST_TEXT):
            self._parts.append(text)

    def _end(self, tag: str) -> None:
        resource = self._resource()
        self._tags.pop()
        note = self._note
        if note is None:
            return
        text = "".join(self._parts)
        self._parts.clear()
        if tag == "note":
            self._done.append(note)
            self._note = None
        elif resource and tag == "data":
            resource.end = self._at + self._parser.CurrentByteIndex
        elif resource:
            resource.told.setdefault(tag, text)
        elif "task" in self._tags and note.tasks:
            note.tasks[-1].setdefault(tag, text)
        elif tag == "tag":
            note.tags.append(as_tag(text))
        else:
            note.told.setdefault(tag, "" if self._size > MOST_HTML else text)
            note.told.setdefault(f"{tag} is long", "yes" * (self._size > MOST_HTML))

    # -- what a note is ------------------------------------------------------------------------

    def _imported(self, note: _Note) -> Iterator[Imported]:
        told = note.told
        title = as_title(told.get("title"))
        if told.get("content is long"):
            yield LeftOut(title, f"its text is longer than {MOST_HTML >> 20} MB")
            return
        meaning = _Meaning(note, self._source)
        text = html_as_markdown(told.get("content", ""), meaning)
        yield from meaning.files.values()
        for why in sorted(meaning.problems):
            yield LeftOut(title, why)
        properties = ((name, as_line(told.get(tag))) for tag, name in _PROPERTIES.items())
        created = as_moment(told.get("created"))
        yield ImportedNote(
            id=self._ids.of(title, created),
            title=title,
            text="\n\n".join(filter(None, (text, *meaning.rest()))),
            created=created,
            updated=as_moment(told.get("updated")),
            folder=self._source.name.removesuffix(".enex"),
            tags=tuple(dict.fromkeys(filter(None, note.tags))),
            properties=tuple((name, value) for name, value in properties if value),
        )


def _refuse(*_: object) -> None:
    raise UsageError("it declares entities, which no export of Evernote does")


class _Meaning(PlainMeaning):
    """What the HTML of a note means: boxes, files, code, tasks, links to other notes."""

    def __init__(self, note: _Note, source: SourceFile) -> None:
        files = {each.digest.md5: each.file(source) for each in note.resources}
        self.files = files
        self.problems: set[str] = set()
        self._unshown = dict(files)
        self._tasks: dict[str, list[str]] = {}
        for task in sorted(note.tasks, key=lambda each: each.get("sortWeight", "")):
            group = task.get("taskGroupNoteLevelID", "")
            self._tasks.setdefault(group, []).append(_task(task))

    def tag(self, tag: str, attrs: Mapping[str, str]) -> str:
        """The tag that an element is read as."""
        style = attrs.get("style", "")
        if "-en-codeblock" in style:
            return "pre"
        if tag == "en-crypt" or "--en-task-group" in style:
            return "en-media"
        return "body" if tag == "en-note" else tag

    def link(self, address: str, words: str) -> str:
        """A link to another note by its title, which is what the words are."""
        if not address.startswith(_NOTE_LINK):
            return super().link(address, words)
        title = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", words)
        if not title or title.startswith(_NOTE_LINK):
            return address
        return f"[[{' '.join(re.sub(r'[][|#^]', ' ', title).split())}]]"

    def shown(self, tag: str, attrs: Mapping[str, str]) -> str:
        """A file, tasks, or what stands in the place of encrypted text."""
        if "cipher" in attrs or "hint" in attrs:
            self.problems.add("an encrypted part cannot be read")
            return _ENCRYPTED
        group = re.search(r"--en-id:\s*([\w-]+)", attrs.get("style", ""))
        if group and group[1] in self._tasks:
            return "\n\n" + "\n".join(self._tasks.pop(group[1])) + "\n\n"
        if tag == "img":
            return self._picture(attrs) or super().shown(tag, attrs)
        if file := self.files.get(attrs.get("hash", "").lower()):
            self._unshown.pop(attrs["hash"].lower(), None)
            return shown_file(file)
        self.problems.add("the export does not hold a file of it")
        return _NOT_THERE

    def _picture(self, attrs: Mapping[str, str]) -> str:
        """A picture that is written out in its own address; "" for one of the web."""
        kind, found, written = attrs.get("src", "").partition(",")
        if not (found and kind.startswith("data:image/")):
            return ""
        data = unquote_to_bytes(written)
        data = _decoded(_NOT_BASE64.sub(b"", data)) if kind.endswith(";base64") else data
        ending = re.split(r"[/+;]", kind)[1]
        file = attached(f"picture.{ending}", sha256(data).hexdigest(), lambda: data)
        self.files[file.digest] = file
        return shown_file(file, attrs.get("alt", ""))

    def rest(self) -> list[str]:
        """Tasks and files that stand nowhere in the text."""
        tasks = ["\n".join(each) for each in self._tasks.values()]
        return tasks + [shown_file(each) for each in self._unshown.values()]


def _task(told: Mapping[str, str]) -> str:
    box = "x" if told.get("taskStatus") == "completed" else " "
    due = as_moment(told.get("dueDate"))[:10]
    return f"- [{box}] {as_typed(as_line(told.get('title')))}{f' (due {due})' if due else ''}"


EVERNOTE = ImportReader("evernote", _TITLE, _claims, _read)
