"""A language server for the notes of a vault, for editors that speak LSP: Helix, Neovim, VS Code
and others.

It completes `[[names]]` and `^ids`, shows what a link leads to and how a fact stands, goes to where
a link leads, lists what links to a note, and marks what `doctor` finds in it. Where the cursor is,
is read from the text in the editor, saved or not; what is answered comes from the index, as fresh
as the files. Private notes are not offered.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import wraps
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcServerNotInitialized
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import from_fs_path, to_fs_path

import aurelius
from aurelius.ageing import tiers
from aurelius.answers import references
from aurelius.answers.findings import HABITS
from aurelius.answers.note_view import open_graph
from aurelius.show.facts import history_text
from aurelius.show.terminal import Paint, escape_controls
from aurelius.vault import healed
from aurelius.writing.safe_folder import path_below, read_inside
from indexer.catalog.graph import get_blocks, get_called
from indexer.catalog.link_targets import find_target
from indexer.catalog.lists import get_facts, get_key
from indexer.catalog.names import name_key, without_ending
from indexer.catalog.visibility import get_keys_like
from indexer.errors import AureliusError, UsageError
from indexer.note import Fact, Link
from indexer.reading.blocks import decode, split_lines
from indexer.reading.parse import parse

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable, Iterator

    from aurelius.vault import Vault
    from indexer.catalog.graph import Graph

_MOST_COMPLETIONS = 100
"""Completions that are offered at once; more letters find the others."""

_LINK = re.compile(r"\[\[([^\[\]|#\n]*)(?:#([^\[\]|\n]*))?(?:\|[^\[\]\n]*)?\]\]")
_ID = re.compile(r"(?<![^\s(,#])\^([A-Za-z0-9-]+)")
_NAME_BEGUN = re.compile(r"\[\[([^\[\]|#]*)$")
_ID_BEGUN = re.compile(r"(?:\[\[([^\[\]|#]*)#|(?<![^\s(,]))\^([A-Za-z0-9-]*)$")


class Spot(NamedTuple):
    """A place in a note: its path in the vault, its lines as the editor has them, the cursor's row
    and column in characters, both from 0, and its line."""

    path: str
    lines: tuple[str, ...]
    row: int
    column: int
    line: str

    def under(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match of a pattern in the line that the cursor touches."""
        for match in pattern.finditer(self.line):
            if match.start() <= self.column <= match.end():
                return match
        return None


class LinkEnd(NamedTuple):
    """What a link or an id leads to: a note, or another file; of a note the `^id` or heading, ""
    for all of it."""

    path: str
    anchor: str


_MOST_MESSAGE_BYTES = 64 << 20
"""Bytes of a message from an editor."""
HEADER = 1024
"""Bytes of a line in front of one."""


class EditorStream:
    """What an editor sends. UsageError where it announces a message of more bytes than anybody
    types."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """The next line in front of a message."""
        return self._stream.readline(HEADER)

    def read(self, size: int) -> bytes:
        """A message."""
        if size > _MOST_MESSAGE_BYTES:
            hint = (
                f"it may have {_MOST_MESSAGE_BYTES:,} bytes; start the server again from the editor"
            )
            raise UsageError(f"the editor announced a message of {size:,} bytes", hint)
        return self._stream.read(size)


class _Protocol(LanguageServerProtocol):
    """The protocol, in which a request that lacks something is answered too."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if {"id", "method"} <= data.keys():
                self._send_response(data["id"], None, error.to_response_error())
            raise


class NoteServer(LanguageServer):
    """The server: one vault, one editor.  `clock` tells the time of an answer."""

    def __init__(
        self,
        vault: Vault,
        clock: Callable[[], datetime.datetime],
    ) -> None:
        # All of a text at each change: pygls applies parts of one to lines that end where no editor
        # ends them.
        super().__init__(
            "aurelius", aurelius.__version__, lsp.TextDocumentSyncKind.Full, protocol_cls=_Protocol
        )
        self.vault = vault
        self._clock = clock
        self._graph: tuple[int, Graph | None] = (0, None)
        completes = self.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(list("[^ ")))
        completes(self._answering(self._complete))
        answers: dict[str, Callable[[Any], Any]] = {
            lsp.TEXT_DOCUMENT_HOVER: self._hover,
            lsp.TEXT_DOCUMENT_DEFINITION: self._define,
            lsp.TEXT_DOCUMENT_REFERENCES: self._refer,
            lsp.TEXT_DOCUMENT_DID_OPEN: self._check,
            lsp.TEXT_DOCUMENT_DID_SAVE: self._check,
        }
        for name, answer in answers.items():
            self.feature(name)(self._answering(answer))

    def _answering(self, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """An answer from the files as they are now; what keeps it from being given is told in the
        editor's log."""

        @wraps(answer)
        def answered(params: Any) -> Any:
            if self.protocol._workspace is None:  # noqa: SLF001  it has no other name
                raise JsonRpcServerNotInitialized("the server is not initialized yet")

            @healed
            def attempt(vault: Vault) -> Any:
                vault.now = self._clock()
                vault.refresh()
                return answer(params)

            try:
                return attempt(self.vault)
            except AureliusError as error:
                told = f"aurelius: {error.message}" + (f" ({error.hint})" if error.hint else "")
                self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, told))
                return None

        return answered

    # -- what is asked about -----------------------------------------------------------

    def _path(self, uri: str) -> str:
        """The path in the vault of an open file; a whole path for one outside."""
        folder, name = os.path.split(to_fs_path(uri) or "")
        return path_below(
            os.path.realpath(self.vault.root), os.path.join(os.path.realpath(folder), name)
        )

    def _spot(self, params: Any) -> Spot:
        uri = params.text_document.uri
        # where a last line ends, another may begin
        lines = (*(self._lines(uri) or ("",)), "")
        at = self.workspace.position_codec.position_from_client_units(lines, params.position)
        return Spot(self._path(uri), lines, at.line, at.character, lines[at.line])

    def _lines(self, uri: str) -> tuple[str, ...]:
        """The lines of a text that is open in the editor, else of a note as it is on disk; of any
        other file none."""
        if opened := self.workspace.text_documents.get(uri):
            return split_lines(opened.source)
        path = self._path(uri)
        if get_key(self.vault.db, path, private=True) is None:
            return ()
        try:
            return decode(read_inside(self.vault.root, path).data).lines
        except (AureliusError, OSError):
            return ()

    def _range(
        self,
        line: str,
        row: int,
        first: int,
        last: int,
    ) -> lsp.Range:
        """A range of a line, given by characters, as the editor counts."""
        units = self.workspace.position_codec.client_num_units
        return lsp.Range(
            lsp.Position(row, units(line[:first])), lsp.Position(row, units(line[:last]))
        )

    @property
    def graph(self) -> Graph:
        """The links of the vault, kept until the index changes."""
        index = self.vault.index()
        generation, graph = self._graph
        if graph is None or generation != index.generation or graph.db is not index.db:
            graph = open_graph(index.db, self.vault.root, self.vault.config.daily)
            self._graph = (index.generation, graph)
        return graph

    def _meant(self, spot: Spot) -> LinkEnd | None:
        """What the link or the id under the cursor leads to, if it may be seen."""
        link = spot.under(_LINK)
        if link:
            name, place = (text.rstrip("\\").strip() for text in link.groups(""))
            return self._target(spot.path, name, place)
        found = spot.under(_ID)
        if found:
            with suppress(AureliusError):  # no note has it, or several do
                return LinkEnd(self.vault.read(found[0]).path, found[0])
        return None

    def _target(
        self,
        source: str,
        name: str,
        place: str,
    ) -> LinkEnd | None:
        graph = self.graph
        if not name:
            return LinkEnd(source, place) if source in graph.shown else None
        heading = place
        block = ""
        if place.startswith("^"):
            heading = ""
            block = place[1:]
        link = Link(
            target=name, heading=heading, block=block, label="", line=1, style="wiki", embed=False
        )
        path, _ = graph.follow(source, link)
        if path is None or (path not in graph.shown and without_ending(path) != path):
            return None
        return LinkEnd(path, place)

    def _fact(self, spot: Spot) -> tuple[str, Fact] | None:
        """The fact of the line under the cursor, as the index has it."""
        data = "\n".join(spot.lines).encode("utf-8", "replace")
        config = self.vault.config
        note = parse(spot.path, data, daily_folder=config.daily, kinds=config.kinds)
        keys = [fact.key for fact in note.facts if fact.first <= spot.row + 1 <= fact.last]
        if keys:
            return self._known(spot.path, keys[-1])
        return None

    def _known(
        self,
        path: str,
        key: str,
    ) -> tuple[str, Fact] | None:
        facts = get_facts(self.vault.db, path, private=False)
        return next(((path, fact) for _, fact in facts if fact.key == key), None)

    # -- answers -----------------------------------------------------------------------

    def _complete(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        spot = self._spot(params)
        before = spot.line[: spot.column]
        end = ""
        if begun := _NAME_BEGUN.search(before):
            offers = self._names(spot.path, begun[1])
            if not spot.line.startswith("]]", spot.column):
                end = "]]"
        elif begun := _ID_BEGUN.search(before):
            offers = self._ids(spot.path, begun)
        else:
            return lsp.CompletionList(is_incomplete=False, items=[])
        part = begun.lastindex or 1
        where = self._range(spot.line, spot.row, begun.start(part), spot.column)
        items = []
        for number, (label, text, about) in enumerate(islice(offers, _MOST_COMPLETIONS)):
            item = lsp.CompletionItem(
                escape_controls(label),
                detail=escape_controls(about),
                kind=lsp.CompletionItemKind.Reference,
                sort_text=f"{number:04}",
                filter_text=begun[part],
                text_edit=lsp.TextEdit(where, text + end),
            )
            items.append(item)
        # incomplete: each letter asks anew, and so does a space
        return lsp.CompletionList(is_incomplete=True, items=items)

    def _names(
        self,
        source: str,
        typed: str,
    ) -> Iterator[tuple[str, str, str]]:
        """Names and aliases that hold what is typed, those that begin with it first: label, text of
        the link, path."""
        wanted = name_key(typed.strip())
        found = list[tuple[bool, str, str, str]]()
        for each in get_called(self.vault.db, private=False):
            stem = _stem(each.path)
            for label in dict.fromkeys([each.title or stem, stem, *each.aliases]):
                place = name_key(label).find(wanted)
                if place >= 0:
                    alias = f"|{label}" if label in each.aliases else ""
                    found.append((place > 0, label, each.path, alias))
        names = self.graph.names
        for _, label, path, alias in sorted(found):
            stem = _stem(path)
            only = names.ending_in(name_key(stem)) == [path]
            if only and find_target(names, source, stem, "wiki") == path:
                yield label, stem + alias, path
            else:
                yield label, without_ending(path) + alias, path

    def _ids(
        self,
        source: str,
        begun: re.Match[str],
    ) -> Iterator[tuple[str, str, str]]:
        """The ids of the note that a link names, or of every fact, that begin with what is
        typed."""
        db = self.vault.db
        typed = begun[2]
        if begun[1] is None:
            for each in get_keys_like(db, typed, most=_MOST_COMPLETIONS):
                known = self._known(each.path, each.text)
                if known and known[1].id:
                    yield f"^{each.text}", each.text, f"{each.about} ({each.path})"
            return
        meant = self._target(source, begun[1].strip(), "")
        if meant is None or not get_key(db, meant.path, private=False):
            return
        texts = {fact.id: fact.text for _, fact in get_facts(db, meant.path, private=False)}
        for name in get_blocks(db, meant.path):
            if name.startswith(typed):
                yield f"^{name}", name, texts.get(name, meant.path)

    def _hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        spot = self._spot(params)
        meant = self._meant(spot)
        note = ""
        known = None
        if meant is None or meant.path not in self.graph.shown:
            known = self._fact(spot)
        else:
            note = meant.path
            if meant.anchor.startswith("^"):
                known = self._known(note, meant.anchor[1:])
        if known:
            text = self._of_fact(*known)
        elif note:
            text = self._of_note(note)
        else:
            return None
        # no Markdown, which loads images
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.PlainText, text))

    def _of_fact(
        self,
        path: str,
        fact: Fact,
    ) -> str:
        age = tiers.ages(self.vault, [fact])[fact.key]
        found = references.fact_history(self.vault, f"{path}#^{fact.key}", private=False)
        head = [fact.type]
        if fact.status != "active":
            head.append(fact.status)
        head.append(age.tier)
        if age.last:
            days = "day" if age.uses == 1 else "days"
            head.append(f"used on {age.uses} {days}, last {age.last}")
        lines = history_text(found, Paint())
        return f"{', '.join(filter(None, head))}\n{lines}".rstrip()

    def _of_note(self, path: str) -> str:
        view = self.vault.note(path)
        age = tiers.note_ages(self.vault, [path], private=False)[path]
        head = ", ".join(filter(None, (f"{view.title} ({view.kind})", age.tier, path)))
        return escape_controls(f"{head}\n\n{view.summary or view.opening}".rstrip())

    def _define(self, params: lsp.DefinitionParams) -> lsp.Location | None:
        meant = self._meant(self._spot(params))
        if meant is None:
            return None
        line = 1
        if meant.anchor:
            with suppress(AureliusError):  # the note is there, and its line is not
                line = self.vault.read(f"{meant.path}#{meant.anchor}").first
        return self._location(meant.path, line)

    def _refer(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        spot = self._spot(params)
        meant = self._meant(spot) or LinkEnd(spot.path, "")
        if meant.path not in self.graph.shown:
            return []
        rows = self.graph.backlinks(meant.path, private=False)
        every = not meant.anchor.startswith("^")
        lines = dict.fromkeys(
            (row.path, row.line) for row in rows if every or row.anchor == meant.anchor
        )
        return [self._location(path, line) for path, line in lines]

    def _location(
        self,
        path: str,
        line: int,
    ) -> lsp.Location:
        uri = from_fs_path(os.path.join(self.vault.root, path)) or ""
        begin = lsp.Position(line - 1, 0)
        return lsp.Location(uri, lsp.Range(begin, begin))

    def _check(self, params: Any) -> None:
        """Mark what `doctor` finds in a note that was opened or saved."""
        uri = params.text_document.uri
        path = self._path(uri)
        lines = self._lines(uri)
        found = [each for each in self.vault.check() if each.path == path]
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, list(self._marks(found, lines)))
        )

    def _marks(
        self,
        found: Iterable[Any],
        lines: tuple[str, ...],
    ) -> Iterator[lsp.Diagnostic]:
        for each in found:
            row = max(0, min(each.line, len(lines)) - 1)
            line = lines[row] if lines else ""
            severity = lsp.DiagnosticSeverity.Warning
            if each.code in HABITS:
                severity = lsp.DiagnosticSeverity.Information
            yield lsp.Diagnostic(
                range=self._range(line, row, 0, len(line)),
                message=escape_controls(f"{each.message}\n{each.fix}".rstrip()),
                severity=severity,
                code=each.code,
                source="aurelius",
            )


def _stem(path: str) -> str:
    """The name of a note without its folder and its ending."""
    return without_ending(path).rpartition("/")[2]
