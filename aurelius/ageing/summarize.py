"""Writing summaries: `## Summary` of notes, each folder's `_index.md`, `## Now` of MEMORY.md.

What a person typed is kept: a text is ours where it is missing or empty, where its hash is in the
log, or where it is the template's own. A summary is never replaced by nothing.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, product
from posixpath import dirname
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.note_lines import plain_text, put_section, section_text
from aurelius.language.same_words import keys
from aurelius.writing import check_edit, edit
from aurelius.writing.check_edit import Applied, Edit, Place
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_facts, get_failed, get_notes, get_summaries
from indexer.catalog.mentions import newest_day
from indexer.catalog.newer import newer_facts
from indexer.catalog.supersession import settled_all
from indexer.errors import AureliusError, ConflictError, UsageError
from indexer.reading.chunk import length
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import APART, file_stem, is_archived, title_of_path
from indexer.reading.type_words import normal_heading
from indexer.spelling import group_pairs
from indexer.usage.log_reader import get_usage
from indexer.usage.tier import age_of_fact, tier_of_note

from . import summary_text, usage_log
from .summary_text import (
    INDEX,
    MEMORY_FILE,
    NOW_HEADING,
    SUMMARY_HEADING,
    Aged,
    ListedNote,
    Subject,
    link,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aurelius.vault import Vault
    from indexer.catalog.lists import NoteRow
    from indexer.note import Fact, Note

    Word = Callable[[str, str, Sequence[Fact]], list[str] | None]

SUMMARY_WRITTEN = "written"
_SUMMARY_SAME = "unchanged"
SUMMARY_KEPT = "kept"
COLD = "cold"
SUMMARY_EMPTY = "empty"
SUMMARY_REFUSED = "refused"
"""What happens to one: rewritten, already right, left as the person wrote it, all facts cold, no
facts, or refused."""
SUMMARY_PROPOSED = "proposed"
ABSENT = "absent"
"""Or left until the person agrees: more than half of it would go, or there is none and none was
asked for."""
MOST_LOSS = 0.5
"""The share of the words of a summary that a new one may drop unasked, though they still hold."""
WHY = "summarize"


class SummaryRow(NamedTuple):
    """What becomes of one summary: of which note, which part of it, how, and for `refused` why."""

    path: str
    part: str
    done: str
    why: str = ""


class SummaryWish(NamedTuple):
    """What a person asked for: summaries of archived notes too, those that they typed replaced,
    private notes; new ones where there are none; and what would drop much of a summary written all
    the same."""

    every: bool = False
    take_over: bool = False
    private: bool = False
    new: bool = False
    sure: bool = False


class SummaryPlan(NamedTuple):
    """What is to be written: a row for each summary that was looked at, and the edits."""

    rows: tuple[SummaryRow, ...]
    edits: tuple[Edit, ...]
    marks: tuple[tuple[str, str], ...]
    """Path and hash of each text that will be ours."""
    new: tuple[str, ...] = ()
    """The notes that get one though they had none: a new section, or a whole listing."""
    failed: bool = False
    """Whether the disk, or another program, was the reason for any that was refused as it was
    written."""


def plan_summaries(
    vault: Vault,
    place: Place,
    names: Sequence[str] = (),
    wish: SummaryWish = SummaryWish(),  # noqa: B008  # a tuple of truth values
    word: Word | None = None,
) -> SummaryPlan:
    """What has to be written so that the named notes, or all, have the summary that their facts
    make.

    `word` makes sentences of the facts that were chosen, given the path and title of their note;
    without it, and where it gives None, sentences that a model made of the same facts stay.

    Without names: every note about one thing, then listings and Now; those of archived notes rest
    unless `wish.every`. What is named is asked for: it is made where there is none, however much of
    it goes. UsageError for a name that has no summary, NoteNotFoundError, AmbiguousNameError.
    """
    work = _Work(
        vault,
        place,
        wish._replace(new=True, sure=True) if names else wish,
        word,
    )
    if names:
        for path in dict.fromkeys(
            vault.resolve(
                name,
                private=wish.private,
                whole=True,
            )
            for name in names
        ):
            work.add(path)
    else:
        work.add_all(archived=wish.every)
    return SummaryPlan(
        tuple(work.rows),
        tuple(work.edits),
        tuple(work.marks),
        tuple(work.new),
    )


def write_summaries(
    vault: Vault,
    place: Place,
    plan: SummaryPlan,
) -> tuple[SummaryPlan, Applied]:
    """Carry a plan out; the plan with what was refused, and what was done.

    The hashes are logged first: a hash without its text is harmless, a text without its hash would
    be taken for a person's. ConflictError and UsageError where the only edit is refused.
    """
    if not plan.edits:
        return plan, Applied(0)
    usage_log.append_summaries(vault, plan.marks)
    proven = _proven(place)
    if len(plan.edits) == 1:
        return plan, edit.apply_edits(proven, plan.edits, WHY)
    refused: dict[str, AureliusError] = {}
    done = _apply(proven, plan.edits, refused)
    return _without_refused(plan, refused), done


def check_summaries(place: Place, plan: SummaryPlan) -> SummaryPlan:
    """The plan with what would be refused, nothing written."""
    refused: dict[str, AureliusError] = {}
    for each in plan.edits:
        try:
            check_edit.check_edits(_proven(place), [each])
        except AureliusError as error:
            refused[each.path] = error
    return _without_refused(plan, refused)


def _without_refused(plan: SummaryPlan, refused: dict[str, AureliusError]) -> SummaryPlan:
    """The plan less the edits that are refused; `refused` is path → why."""
    rows = []
    for row in plan.rows:
        told = row
        if row.path in refused and row.done == SUMMARY_WRITTEN:
            told = row._replace(done=SUMMARY_REFUSED, why=refused[row.path].message)
        rows.append(told)
    return plan._replace(
        rows=tuple(rows),
        edits=tuple(each for each in plan.edits if each.path not in refused),
        marks=tuple(pair for pair in plan.marks if pair[0] not in refused),
        failed=any(isinstance(error, ConflictError) for error in refused.values()),
    )


def refusals(rows: Sequence[SummaryRow], most: int = 0) -> list[str]:
    """Why summaries were refused, a line each; of more than `most` the first, and how many there
    are."""
    why = [row.why for row in rows if row.done == SUMMARY_REFUSED]
    if not most or len(why) <= most:
        return why
    return [*why[:most], f"{len(why) - most} more could not be written"]


def _proven(place: Place) -> Place:
    """The place for edits of which only one section differs, as `put_section` has made sure, and
    says what facts say."""
    return place._replace(proven=True)


def _apply(
    place: Place,
    edits: Sequence[Edit],
    refused: dict[str, AureliusError],
) -> Applied:
    """Make all edits but those that are refused, in as few changes as can be, so that few have to
    be undone."""
    try:
        return edit.apply_edits(place, edits, WHY)
    except (ConflictError, UsageError) as error:
        if len(edits) == 1:
            refused[edits[0].path] = error
            return Applied(0)
    half = len(edits) // 2
    first = _apply(place, edits[:half], refused)
    second = _apply(place, edits[half:], refused)
    return Applied(second.number or first.number, second.uncommitted or first.uncommitted)


class _Work:
    """One run: what the index says of every note, and what comes of it."""

    def __init__(
        self, vault: Vault, place: Place, wish: SummaryWish, word: Word | None = None
    ) -> None:
        config = vault.config
        self.word = word
        self.place = place
        self.read = place.note_reader()
        self.words = config.summary_words
        self.fill = config.summary_fill
        self.wish = wish._replace(new=wish.new or config.summary_new)
        self.private = private = wish.private
        self.db = vault.db
        self.clock = vault.clock
        self.usage = get_usage(self.db)
        self.failed = [path for path, _ in get_failed(self.db, private=True)]
        found = get_notes(
            self.db, Filters(private=True, apart=APART), sort="path", limit=-1, offset=0
        ).notes
        self.notes = {note.path: note for note in found if private or not note.private}
        self.written: dict[str, str] = {}
        self.rows: list[SummaryRow] = []
        self.edits: list[Edit] = []
        self.marks: list[tuple[str, str]] = []
        self.new: list[str] = []

    # -- what is looked at -------------------------------------------------------------

    def add_all(self, *, archived: bool) -> None:
        """Every note about one thing, the listing of every folder that has one, and Now."""
        things = [
            note
            for note in self.notes.values()
            if note.kind in ENTITY_KINDS and file_stem(note.path) != INDEX
        ]
        for note in things:
            if note.facts and (archived or not is_archived(note.path)):
                self._guarded(note.path, SUMMARY_HEADING)
        folders = {dirname(path) for path in self.notes if file_stem(path) == INDEX}
        for folder in sorted(filter(None, folders | self.shown.keys())):
            self._guarded(f"{folder}/{INDEX}.md", INDEX)
        if MEMORY_FILE in self.notes:
            self._guarded(MEMORY_FILE, NOW_HEADING)

    def add(self, path: str) -> None:
        """One note, whatever it is."""
        kind = self.notes[path].kind
        if file_stem(path) == INDEX:
            self._index(path)
        elif path == MEMORY_FILE:
            self._now(path)
        elif kind in {"daily", "me", "memory"}:
            a_day = ": a daily note" if kind == "daily" else ""
            raise UsageError(
                f"{path}{a_day} has no summary",
                "only notes about a person, project, company, area or resource have one",
            )
        else:
            self._summary(path)

    def _guarded(self, path: str, part: str) -> None:
        """One of many: what it is refused for stops no other."""
        try:
            {SUMMARY_HEADING: self._summary, INDEX: self._index, NOW_HEADING: self._now}[part](path)
        except (ConflictError, UsageError) as error:
            self.rows.append(SummaryRow(path, part, SUMMARY_REFUSED, error.message))

    # -- the three kinds ---------------------------------------------------------------

    def _summary(self, path: str) -> None:
        current = self.current.get(path)
        if current and not self.word and [self._text(path, self.aged.get(path, ()))] == current:
            self._row(path, SUMMARY_HEADING, _SUMMARY_SAME)
            return
        data = self._read(path)
        note = self.read(path, data)
        aged = self._aged(path, note.facts)  # those of the file as it is now
        text = self._text(path, aged)
        old = section_text(note, SUMMARY_HEADING)
        if not text and not old:
            text = summary_text.first_summary(aged, self.words, self.clock)
        done = self._judge_summary(old, text, aged)
        if done in {SUMMARY_WRITTEN, _SUMMARY_SAME}:
            before = old or ""
            text = self._worded(note, before, text, aged)
            is_same = summary_text.text_fingerprint(before) == summary_text.text_fingerprint(text)
            done = _SUMMARY_SAME if is_same else SUMMARY_WRITTEN
        if done == SUMMARY_WRITTEN:
            after = put_section(note, data, SUMMARY_HEADING, text, self.read)
            self.written[path] = text
            self._put(path, data, after, text, is_new=old is None)
        self._row(path, SUMMARY_HEADING, done)

    def _judge_summary(
        self,
        old: str | None,
        text: str,
        aged: Sequence[Aged],
    ) -> str:
        """What becomes of the summary of a note about one thing.  ConflictError."""
        done = self._judge(old, text)
        if not text:
            return COLD if old and aged else SUMMARY_EMPTY
        is_free = self.wish.sure or self.wish.take_over
        if (
            done == SUMMARY_WRITTEN
            and old
            and not is_free
            and self._drops(
                old,
                text,
                aged,
            )
        ):
            return SUMMARY_PROPOSED
        return done

    def _index(self, path: str) -> None:
        folder = dirname(path)
        entries = [
            ListedNote(link(note), self._summary_of(note.path))
            for note in self.shown.get(folder, ())
        ]
        text = summary_text.folder_index_text(title_of_path(folder or "vault", None), entries)
        data = edit.read_note(self.place, path)
        if data is not None and path not in self.notes:
            self._row(path, INDEX, SUMMARY_KEPT)  # an ignored or private one
            return
        old = None if data is None else plain_text(data)
        done = self._judge(old, text)
        if done == SUMMARY_WRITTEN:
            self._put(
                path,
                data,
                text.encode(),
                text,
                is_new=old is None,
            )
        self._row(path, INDEX, done)

    def _now(self, path: str) -> None:
        subjects = []
        for note in chain.from_iterable(self.shown.values()):
            aged = self.aged.get(note.path, [])
            uses = self.usage.of(note.path)
            current = _current(aged)
            tiers = [each.tier for each in current]
            is_hot = tier_of_note(tiers, uses, note.date, self.clock) == "hot"
            is_hot = is_hot or any(self._is_ahead(each.fact) for each in current)
            if is_hot and not is_archived(note.path):
                subjects.append(Subject(link(note), uses, tuple(aged)))
        text = summary_text.now(subjects, self.words, self.clock)
        data = self._read(path)
        note_now = self.read(path, data)
        old = section_text(note_now, NOW_HEADING)
        done = self._judge(old, text) if text or old else SUMMARY_EMPTY
        if done == SUMMARY_WRITTEN:
            after = put_section(note_now, data, NOW_HEADING, text, self.read)
            self._put(path, data, after, text, is_new=old is None)
        self._row(path, NOW_HEADING, done)

    # -- parts -------------------------------------------------------------------------

    @cached_property
    def shown(self) -> dict[str, list[NoteRow]]:
        """Folder → its notes about one thing, of which listings and Now may speak: never a private
        one."""
        return group_pairs(
            (dirname(note.path), note)
            for note in self.notes.values()
            if note.kind in ENTITY_KINDS and not note.private and file_stem(note.path) != INDEX
        )

    @cached_property
    def aged(self) -> dict[str, list[Aged]]:
        """Path → its facts, each with its tier, but for those of which a newer line says another
        value."""
        return group_pairs(
            (path, self._age(fact))
            for path, fact in get_facts(self.db, private=self.private)
            if (path, fact.key) not in self.newer
        )

    @cached_property
    def newer(self) -> Collection[tuple[str, str]]:
        """Path and key of the facts of which a newer line says another value today."""
        return newer_facts(
            self.db, private=self.private, as_of=f"{self.clock.today:%Y-%m-%d}"
        ).keys()

    @cached_property
    def current(self) -> dict[str, list[str]]:
        """Path → the text of its summary, as the index has it: one where it is short."""
        found: dict[str, list[str]] = {}
        for path, heading, text in get_summaries(self.db, private=True):
            words = [normal_heading(each) for each in heading]
            is_bare = (
                text.lstrip("# ").strip() == heading[-1].strip()
            )  # the heading of an empty one
            if words[-1] == "summary" and len(words) <= 2 and not is_bare:
                found.setdefault(path, []).append(text.strip())
        return found

    @cached_property
    def ours(self) -> frozenset[str]:
        """The hashes of everything that was ever written, wherever a note has gone since, and of
        the template's."""
        return usage_log.ours(self.usage)

    def _aged(
        self,
        path: str,
        facts: Sequence[Fact],
    ) -> list[Aged]:
        """Facts as they stand in a file; those that a line elsewhere says it updates are past."""
        settled = settled_all(self.db, path, facts, private=self.private)
        return [self._age(fact) for fact in settled if (path, fact.key) not in self.newer]

    def _age(self, fact: Fact) -> Aged:
        uses = self.usage.of(fact.key)
        return Aged(fact, age_of_fact(fact, uses, self.clock).tier, uses)

    def _summary_of(self, path: str) -> str:
        """The summary that a note will have."""
        return self.written.get(path) or " ".join(self.current.get(path, ())[:1])

    def _text(self, path: str, aged: Sequence[Aged]) -> str:
        """The summary of a note, with the day in which newer lines name it."""
        chosen = self._chosen(aged)
        newer = self._newer_day(path, chosen)
        if not newer:
            return summary_text.prose(each.fact.text for each in chosen)
        words = self.words - length(summary_text.newer_sentence(newer))
        told = summary_text.summarise(aged, words, self.clock, self.fill)
        return summary_text.with_newer(told, newer)

    def _chosen(self, aged: Sequence[Aged]) -> list[Aged]:
        return summary_text.choose_summary_facts(aged, self.words, self.clock, self.fill)

    def _newer_day(self, path: str, chosen: Sequence[Aged]) -> str:
        """The path of a day's note that names what a note is about later than all these facts, ""
        for none or where there are no facts."""
        if not chosen:
            return ""
        return newest_day(
            self.db,
            path,
            private=self.notes[path].private,
            after=max(each.fact.date or "" for each in chosen),
            until=f"{self.clock.today:%Y-%m-%d}",
        )

    def _worded(
        self,
        note: Note,
        old: str,
        text: str,
        aged: Sequence[Aged],
    ) -> str:
        """The chosen facts as sentences, where these are no longer than a summary may be; else in
        their own words."""
        newer = text.removeprefix(summary_text.without_newer(text))
        before = summary_text.without_newer(old)
        chosen = [each.fact for each in self._chosen(aged)]
        made = (
            self.word(
                note.path,
                note.title,
                chosen,
            )
            if self.word and chosen
            else None
        )
        if made is not None:
            said = summary_text.prose(made) + newer
            if length(said) <= max(self.words, length(text)):
                return said
            return text
        told = [fact.text for fact in chosen]
        if (
            told
            and summary_text.text_fingerprint(old) in self.ours
            and tells_only(
                before,
                told,
                note.title,
            )
        ):
            return before + newer
        return text

    def _is_ahead(self, fact: Fact) -> bool:
        """Whether a fact is a plan whose day is still to come."""
        return fact.type == "plan" and summary_text.is_open(fact, self.clock)

    def _drops(
        self,
        old: str,
        text: str,
        aged: Sequence[Aged],
    ) -> bool:
        """Whether more than half of a summary would go though it still holds. One that came with a
        new vault tells only what its note is for, and gives way to facts."""
        if summary_text.text_fingerprint(old) in usage_log.starting_marks():
            return False
        holding = [
            each.fact.text for each in _current(aged) if not summary_text.is_over(each, self.clock)
        ]
        return summary_text.loss(old, text, holding) > MOST_LOSS

    def _judge(self, old: str | None, text: str) -> str:
        """What becomes of a text. ConflictError where it would lose a line about a note that cannot
        be read."""
        old_text = old or ""
        self._refuse_unread([line for line in old_text.splitlines() if line not in text])
        if old is None and not self.wish.new:
            return ABSENT
        if not old_text.strip():
            return SUMMARY_WRITTEN
        own = summary_text.text_fingerprint(old_text)
        if own == summary_text.text_fingerprint(text):
            return _SUMMARY_SAME
        if self.wish.take_over or own in self.ours:
            return SUMMARY_WRITTEN
        return SUMMARY_KEPT

    def _refuse_unread(self, lost: Sequence[str]) -> None:
        """ConflictError where one of these lines is about a note that cannot be read."""
        for path in self.failed:
            # as `summary_text.link` writes them
            links = (f"[[{path.removesuffix('.md')}]]", f"](<{path}>)")
            if any(each in line for each, line in product(links, lost)):
                raise ConflictError(
                    f"{path} cannot be read, so what names it is left as it is",
                    "make it readable",
                )

    def _read(self, path: str) -> bytes:
        if (data := edit.read_note(self.place, path)) is None:
            raise ConflictError(f"{path} does not exist any more", "nothing was written")
        return data

    def _put(
        self, path: str, before: bytes | None, after: bytes, text: str, *, is_new: bool
    ) -> None:
        self.edits.append(Edit(path, before, after))
        self.marks.append((path, summary_text.text_fingerprint(text)))
        if is_new:
            self.new.append(path)

    def _row(
        self,
        path: str,
        part: str,
        done: str,
    ) -> None:
        self.rows.append(SummaryRow(path, part, done))


def tells_only(
    text: str,
    facts: Sequence[str],
    title: str,
) -> bool:
    """Whether a generated text says these facts in other words and, but for the name of their note,
    nothing else."""
    said = keys(". ".join(facts))
    own = summary_text.paragraph_sentences(summary_text.prose(facts))
    return sorted(summary_text.paragraph_sentences(text)) != sorted(own) and said <= keys(
        text
    ) <= said | keys(title)


def _current(aged: Sequence[Aged]) -> list[Aged]:
    return [each for each in aged if each.fact.status == "active"]
