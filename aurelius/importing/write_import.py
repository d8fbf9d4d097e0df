"""An export as changes of the vault: which notes are new, which are newer, which a person changed.

The export is read once to count and once to write, one thing at a time, so that its size does not
matter. What was written is known again by its source's id: a second run changes nothing, a newer
export brings what is newer, and what a person changed since stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose import change
from aurelius.compose.fact_text import id_of_words
from aurelius.language.secret_text import find_secret
from aurelius.writing import edit
from aurelius.writing.check_edit import Edit, allowed_parts, is_attachment
from indexer.catalog.graph import get_names
from indexer.catalog.lists import get_facts, get_ids, get_properties
from indexer.errors import AureliusError, UsageError
from indexer.reading.path_meaning import CONVERSATIONS, IMPORTED, is_imported
from indexer.spelling import caseless, shorten

from . import import_text
from .imported import ImportedChat, ImportedFact, ImportedFile, ImportedNote, LeftOut
from .recognise import claimed_files, import_readers
from .shapes import day_of
from .source_files import FILE_ERRORS, ExportFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.compose.note_lines import NoteReader
    from aurelius.vault import Vault
    from aurelius.writing.check_edit import Place
    from indexer.note import Found

    from .imported import Imported
    from .recognise import Claimed

_BATCH_BYTES = 24 << 20
_BATCH_EDITS = 500
"""Bytes and notes that are written at once."""

_FACTS_A_NOTE = 2_000
_EXAMPLES = 3
"""Names of things that are told as examples."""

_NEW = "new"
_SAME = "same"
_UPDATED = "updated"
_KEPT = "changed by you"
_FACTS_NAME = "memories"


class ImportCount:
    """What came of one kind of things of a program: how many are new, the same, updated or changed
    by the person, between which days, and the first names of them."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.first = ""
        self.last = ""
        self.names: list[str] = []

    def add(self, what: str, name: str, day: str) -> None:
        """Count one thing."""
        self.counts[what] += 1
        if day:
            self.first = min(self.first or day, day)
            self.last = max(self.last, day)
        if len(self.names) < _EXAMPLES and what in {_NEW, _UPDATED}:
            self.names.append(shorten(name))

    @property
    def total(self) -> int:
        """All that was counted."""
        return self.counts.total()


class SourceReport:
    """What an import brings from one program: its conversations, notes, facts and files, the people
    of the vault that it names, the secrets that are left out, what is left out, by reason, and the
    judgments that the usage log is to be told."""

    def __init__(self, source: str, title: str) -> None:
        self.source = source
        self.title = title
        self.chats = ImportCount()
        self.notes = ImportCount()
        self.facts = ImportCount()
        self.files = ImportCount()
        self.people = Counter[str]()
        self.secrets = 0
        self.events: list[dict[str, object]] = []
        self.left_out: dict[str, list[str]] = {}
        self.left_counts = Counter[str]()

    def leave(self, each: LeftOut) -> None:
        """Count something that is left out."""
        self.left_counts[each.why] += 1
        names = self.left_out.setdefault(each.why, [])
        if len(names) < _EXAMPLES:
            names.append(shorten(each.name))

    @property
    def total(self) -> int:
        """How many things were found that can be imported."""
        return sum(each.total for each in (self.chats, self.notes, self.facts, self.files))

    @property
    def changes(self) -> int:
        """How much would be written."""
        every = (self.chats, self.notes, self.facts, self.files)
        return sum(each.counts[_NEW] + each.counts[_UPDATED] for each in every)


class _Known(NamedTuple):
    """What of this vault an import has to know: the notes by their source's id, the paths that are
    taken, ids of facts, imported facts by their source, and the people."""

    notes: dict[str, str]
    taken: set[str]
    ids: set[str]
    facts: dict[str, Found]
    people: re.Pattern[str] | None


def _known(vault: Vault) -> _Known:
    db = vault.db
    called = get_names(db, private=False, kinds=["person"]).called
    names = chain.from_iterable(each.names for each in called)
    people = set(filter(None, names))
    pattern = None
    if people:
        words = "|".join(map(re.escape, sorted(people, key=len, reverse=True)))
        pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
    facts = {
        fact.source: (path, fact)
        for path, fact in get_facts(db, private=True)
        if ":" in fact.source and fact.id
    }
    return _Known(
        notes={value: path for path, value in get_properties(db, import_text.SOURCE_ID)},
        taken={caseless(path) for path in get_names(db, private=True).paths},
        ids=get_ids(db),
        facts=facts,
        people=pattern,
    )


def read_import(
    vault: Vault, place: Place, path: str, *, secrets: bool = False
) -> Iterator[SourceReport | list[Edit]]:
    """The changes that an export at `path` brings, in batches of edits, each program's followed by
    what came of it. `secrets` keeps lines that look like one. UsageError, one clear line."""
    known = _known(vault)
    with ExportFiles(path) as export:
        claimed, left = claimed_files(export, import_readers())
        if not claimed:
            raise _unknown(path, export, left)
        for number, each in enumerate(claimed):
            run = _Run(vault, place, known, each, secrets=secrets)
            yield from run.batches(export)
            for one in left if number == 0 else ():
                run.report.leave(one)
            yield run.report


def _unknown(path: str, export: ExportFiles, left: Sequence[LeftOut]) -> UsageError:
    """The error for an export that nobody reads."""
    markdown = sum(each.name.lower().endswith((".md", ".markdown")) for each in export.files)
    if markdown:
        hint = (
            f"{markdown:,} Markdown files lie there: `aurelius init --adopt` in that folder makes"
            " it a vault, or copy them into this one"
        )
    else:
        hint = "`aurelius help import` names the programs whose files can be imported"
    if not export.files and left:
        return UsageError(f"{path}: {left[0].why}", hint)
    return UsageError(f"{path}: no program is known that writes such files", hint)


class _Run:
    """The import of what one program keeps."""

    def __init__(
        self, vault: Vault, place: Place, known: _Known, claimed: Claimed, *, secrets: bool
    ) -> None:
        self.vault = vault
        self.place = place
        self.known = known
        self.claimed = claimed
        self.secrets = secrets
        self.report = SourceReport(claimed.reader.source, claimed.reader.title)
        self._facts: list[ImportedFact] = []
        self._seen: set[str] = set()

    def batches(self, export: ExportFiles) -> Iterator[list[Edit]]:
        """All that is to be written, in parts that are written at once."""
        batch: list[Edit] = []
        size = 0
        for made in self._edits(export):
            batch.append(made)
            size += len(made.after or b"") + len(made.before or b"")
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_EDITS:
                yield batch
                batch = []
                size = 0
        if batch:
            yield batch

    def _edits(self, export: ExportFiles) -> Iterator[Edit]:
        for each in self._things(export):
            if isinstance(each, ImportedFact):
                self._keep_fact(each)
            elif isinstance(each, LeftOut):
                self.report.leave(each)
            elif isinstance(each, ImportedFile):
                yield from self._file(each)
            else:
                yield from self._text(each)
        yield from self._facts_edits()

    def _things(self, export: ExportFiles) -> Iterator[Imported]:
        """What the reader gives; where it stops at damage, that is told and the rest stays."""
        reader = self.claimed.reader
        try:
            yield from reader.read(export, self.claimed.files)
        except (*FILE_ERRORS, MemoryError, RecursionError) as error:
            told = " ".join(str(error).split())[:200] or type(error).__name__
            yield LeftOut(export.path, f"reading stopped there: {told}")

    # -- conversations and notes -----------------------------------------------------------

    def _text(self, each: ImportedChat | ImportedNote) -> Iterator[Edit]:
        """The edit that a conversation or note comes to, none where nothing is new."""
        source = self.report.source
        key = f"{source}:{each.id}"
        tally = self.report.chats if isinstance(each, ImportedChat) else self.report.notes
        day = day_of(each.created or each.updated)
        if key in self._seen:
            self.report.leave(LeftOut(each.title, "the export has it twice"))
            return
        self._seen.add(key)
        path = self.known.notes.get(key, "")
        before = edit.read_note(self.place, path) if path else None
        what = self._state(each, before)
        tally.add(what, each.title, day)
        if what in {_NEW, _UPDATED}:
            path = path or self._path(each)
            made = self._made(each, path)
            self.report.secrets += made.secrets
            self._count_people(made.text)
            yield Edit(path, before, made.text.encode())

    def _state(self, each: ImportedChat | ImportedNote, before: bytes | None) -> str:
        """Whether an imported note is new, as the export has it, older, or changed by the
        person."""
        if before is None:
            return _NEW
        text = before.decode("utf-8", "replace")
        own, made_from = import_text.told_digests(text)
        if made_from == import_text.export_digest(each, secrets=self.secrets):
            return _SAME
        if own == import_text.text_digest(text):
            return _UPDATED
        return _KEPT

    def _made(self, each: ImportedChat | ImportedNote, path: str) -> import_text.ImportedText:
        if isinstance(each, ImportedChat):
            return import_text.imported_chat_text(each, self.report.source, secrets=self.secrets)
        depth = max(0, path.count("/") - 1 - self._top.count("/"))
        return import_text.imported_note_text(each, self.report.source, depth, secrets=self.secrets)

    @property
    def _top(self) -> str:
        return f"{IMPORTED}/{self.report.source}"

    def _folder(self, each: ImportedNote) -> str:
        parts = (part for part in each.folder.split("/") if part.strip(". "))
        named = (import_text.title_as_file_name(part, "folder") for part in parts)
        return "/".join((self._top, *named))

    def _path(self, each: ImportedChat | ImportedNote) -> str:
        """A path that no other note has; of two of one name the later one's has an id."""
        own = id_of_words(self.report.source, each.id)
        if isinstance(each, ImportedChat):
            folder = f"{CONVERSATIONS}/{self.report.source}"
            name = import_text.title_as_file_name(f"{day_of(each.created)} {each.title}", own)
        else:
            folder = self._folder(each)
            name = import_text.title_as_file_name(each.title, own)
        for stem in (name, f"{name} {own}", own):
            path = f"{folder}/{stem}.md"
            if caseless(path) not in self.known.taken and _may_be_written(path):
                break
        self.known.taken.add(caseless(path))
        return path

    def _count_people(self, text: str) -> None:
        if self.known.people:
            self.report.people.update(set(self.known.people.findall(text)))

    # -- files -------------------------------------------------------------------------------

    def _file(self, each: ImportedFile) -> Iterator[Edit]:
        """The edit that makes a file which a note shows."""
        if each.name in self._seen:
            return
        self._seen.add(each.name)
        path = f"{self._top}/attachments/{each.name}"
        if not is_attachment(path):
            self.report.leave(LeftOut(each.name, "files of this kind are not kept"))
            return
        try:
            if edit.read_note(self.place, path) is not None:
                self.report.files.add(_SAME, each.name, "")
                return
            data = each.opened()
        except AureliusError as error:
            self.report.leave(LeftOut(each.name, error.message.partition(": ")[2] or error.message))
            return
        except FILE_ERRORS as error:
            self.report.leave(LeftOut(each.name, f"the file is damaged: {error}"))
            return
        self.report.files.add(_NEW, each.name, "")
        yield Edit(path, None, data)

    # -- facts -------------------------------------------------------------------------------

    def _keep_fact(self, fact: ImportedFact) -> None:
        """A fact for when all of them are known; none that says nothing or looks like a secret."""
        if not fact.text.strip():
            self.report.leave(LeftOut(fact.id, "it says nothing"))
        elif not self.secrets and find_secret(fact.text):
            self.report.secrets += 1
        else:
            self._facts.append(fact)

    def _facts_edits(self) -> Iterator[Edit]:
        """The edits of the notes that hold the program's facts."""
        new: list[ImportedFact] = []
        changed: dict[str, list[tuple[str, ImportedFact]]] = {}
        for fact in self._facts:
            key = import_text.imported_fact_id(fact, self.report.source)
            what = self._fact_state(fact, key)
            self.report.facts.add(what, import_text.imported_fact_words(fact), day_of(fact.created))
            if what == _NEW:
                self.known.ids.add(key)
                new.append(fact)
                if fact.score:
                    event = {"op": "reinforce", "ref": key, "by": fact.score}
                    self.report.events.append(event)
            elif what == _UPDATED:
                self.known.ids.add(key)
                path, old = self.known.facts[import_text.source_of_fact(fact, self.report.source)]
                changed.setdefault(path, []).append((old.key, fact))
        yield from self._fact_notes(new, changed)

    def _fact_state(self, fact: ImportedFact, key: str) -> str:
        """What is to be done about a fact: it is new, there already, or there in older words that
        nobody touched."""
        if key in self.known.ids:
            return _SAME
        there = self.known.facts.get(import_text.source_of_fact(fact, self.report.source))
        if there is None or not is_imported(there[0]):
            return _NEW
        is_untouched = there[1].id == id_of_words(self.report.source, fact.id, there[1].text)
        return _UPDATED if is_untouched else _NEW

    def _fact_notes(
        self, new: list[ImportedFact], changed: dict[str, list[tuple[str, ImportedFact]]]
    ) -> Iterator[Edit]:
        texts: dict[str, bytes] = {}
        before: dict[str, bytes | None] = {}
        again: list[ImportedFact] = []
        for path, facts in changed.items():
            before[path] = edit.read_note(self.place, path)
            data = before[path] or b""
            keys = [key for key, _ in facts]
            again += [fact for _, fact in facts]
            texts[path], _ = change.remove_all(data, keys, path=path, read=self.read)
        lines = self._lines(again + new)
        number = 1
        while any(lines):
            path = f"{self._top}/{_FACTS_NAME}{f'-{number}' if number > 1 else ''}.md"
            number += 1
            if path not in before:
                before[path] = edit.read_note(self.place, path)
                texts[path] = before[path] or b""
            room = _FACTS_A_NOTE - len(self.read(path, texts[path]).facts)
            if not texts[path]:
                texts[path] = self._new_note(past=bool(lines[1]))
            for heading, waiting in zip(("Facts", "History"), lines, strict=True):
                part = waiting[: max(0, room)]
                del waiting[: len(part)]
                room -= len(part)
                if part:
                    texts[path] = change.add_all(
                        texts[path], part, heading, path=path, read=self.read
                    )
        for path, data in texts.items():
            yield Edit(path, before[path], data)

    @property
    def read(self) -> NoteReader:
        """The parser of notes."""
        return self.place.note_reader()

    def _new_note(self, *, past: bool) -> bytes:
        """A note for the program's facts."""
        title = f"{_FACTS_NAME.capitalize()} from {self.claimed.reader.title}"
        return import_text.imported_facts_text(title, self.report.source, past=past).encode()

    def _lines(self, facts: Sequence[ImportedFact]) -> tuple[list[str], list[str]]:
        """The lines of facts that may be true, and of those that are past."""
        holding: list[str] = []
        past: list[str] = []
        ids = {
            each.id: import_text.imported_fact_id(each, self.report.source) for each in self._facts
        }
        for fact in facts:
            words = import_text.imported_fact_words(fact)
            self._count_people(words)
            try:
                line = import_text.imported_fact_line(
                    fact, self.report.source, ids.get(fact.updates, "")
                )
            except AureliusError as error:
                self.report.leave(LeftOut(words, error.message))
                continue
            (past if fact.is_past else holding).append(line)
        return holding, past


def _may_be_written(path: str) -> bool:
    try:
        allowed_parts(path)
    except AureliusError:
        return False
    return True
