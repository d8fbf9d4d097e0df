"""The Python API: what a program does to a vault, in the words of the commands, which call these
very functions.

Reading is methods of `Vault`; writing is functions that take one, and a `Manner`. Each write is
checked, whole and undoable, is told to the usage log, and comes back as a value; nothing here
prints or asks. Days are ISO dates, or words like "yesterday".

All raise UsageError for what may not be written or makes no sense, NoteNotFoundError and
AmbiguousNameError for names, ConflictError where a file changed meanwhile or the disk refuses,
VaultNotFoundError for a folder that is no vault.
"""

from __future__ import annotations

import datetime
import os
from contextlib import contextmanager, suppress
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    NamedTuple,
    ParamSpec,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
)

from aurelius.plans.plan import Desk, Plan, Written, carry_through
from aurelius.settings.places import VAULT_FOLDER, shell_word, vault_state
from aurelius.vault import Vault, healed, looks
from aurelius.writing import edit
from indexer.catalog.visibility import check_agent
from indexer.errors import UsageError, VaultNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from aurelius.ageing.summarize import SummaryPlan, SummaryWish, Word
    from aurelius.ageing.tiers import ScoreChange
    from aurelius.answers.findings import CheckResult, Checkup
    from aurelius.answers.note_view import Listed
    from aurelius.answers.overview import KindPage, Overview
    from aurelius.importing.write_import import SourceReport
    from aurelius.memory.context import Choose, ContextLines, Gathered
    from aurelius.memory.review import Matter
    from aurelius.memory.upkeep import Maintained
    from aurelius.plans.facts import Wish
    from aurelius.show.health import Around
    from aurelius.sync.sync import SyncResult
    from aurelius.writing.check_edit import Applied, Edit, Place
    from aurelius.writing.undo_log import UndoEntry
    from indexer.catalog.around import NoteMap
    from indexer.catalog.filters import Filters
    from indexer.catalog.lists import TaskRow
    from indexer.note import Fact, Progress
    from indexer.refresh.refresh import RefreshReport

_P = ParamSpec("_P")
_R = TypeVar("_R")

MOST_CONTEXTS = 32
"""Contexts that a daemon keeps."""
_SECONDS_FOR_PROPOSALS = 0.03
"""Seconds that the overview waits for the proposals to be found: enough in a small vault."""
_HIT = "cache hit"


class Manner(TypedDict, total=False):
    """How a change is made, the same for all: `private` lets a name mean a private note too,
    `force` lets a change take away more than half of a note, change ME.md or write what looks like
    a secret, `me` lets it change ME.md alone, `person` is False where an agent asks, which may not
    give standing instructions, `dry_run` checks and writes nothing, and `now` is the time of the
    change, the real one unless given. `seen` is the `edits_digest` of edits that the person was
    shown: ConflictError where they would be others by now."""

    private: bool
    force: bool
    me: bool
    person: bool
    dry_run: bool
    now: datetime.datetime | None
    seen: str


class Rows(TypedDict, total=False):
    """Which rows of a list are wanted: in the order `sort`, at most `limit` (-1: all) behind the
    first `offset`."""

    sort: str
    limit: int
    offset: int


class Undone(NamedTuple):
    """A change that was taken back: its entry in the undo log, the edits that do it, what was
    applied, None after a dry run."""

    entry: UndoEntry
    edits: Sequence[Edit]
    applied: Applied | None


class Summarized(NamedTuple):
    """Summaries as they are planned, and what was applied, None after a dry run and where the
    person `declined`."""

    plan: SummaryPlan
    applied: Applied | None
    declined: bool = False


class ContextText(NamedTuple):
    """A context as a text; `notices` are what the person should know of it, `cached` whether a
    daemon had its lines, `lines` those that are shown."""

    text: str
    notices: tuple[str, ...]
    cached: str
    lines: ContextLines


class SharedVault(Vault):
    """A vault that stays open, for the threads of a program, which take turns. Each call to it
    checks what it is given and sees the files as they are then; `notices` gathers what a person
    should be told; `agent` is who looks."""

    checks_calls = True

    def __init__(self, *args: Any, **named: Any) -> None:
        from threading import RLock

        super().__init__(*args, **named)
        self._turns = RLock()
        self._is_asked = False
        self._is_closed = False
        given = self.now
        self._clock: Callable[[], datetime.datetime] = lambda: given

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        agent: str | None = None,
        now: datetime.datetime | None = None,
    ) -> Self:
        """The vault in the folder `path`, else the one that a command would use here.
        VaultNotFoundError, ConfigError, UsageError. Each question to it sees the files as they are
        then, at the time it is then, or at `now`."""
        from aurelius.settings.config import find_vault

        check_agent("agent", agent or None)
        env = dict(os.environ)
        cwd = os.getcwd()
        root = find_vault(None if path is None else os.fspath(path), env, cwd, "Vault.open")
        # days are local days
        self = cls.find(root, env, cwd, now=now or datetime.datetime.now(), agent=agent)
        self._clock = (lambda: now) if now else datetime.datetime.now
        return self

    @contextmanager
    def _turn(self) -> Iterator[bool]:
        """What one thread does while the others wait; whether it is a part of what was asked of
        it."""
        with self._turns:
            if self._is_closed:
                raise UsageError(
                    "the vault is closed",
                    "open it again with Vault.open, or ask before it is closed",
                )
            inner = self._is_asked
            self._is_asked = True
            try:
                yield inner
            finally:
                self._is_asked = inner

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Context of one question: the clock and the files are looked at as it begins, and not
        again in it."""
        with self._turn() as inner, super().looking():
            if not inner:
                self.now = self._clock()
                self.refresh()
            yield

    def refresh(
        self, *, progress: Progress | None = None, accept_deletions: bool = False
    ) -> RefreshReport:
        """Make the index equal the files. IndexUnavailableError where the vault itself cannot be
        read."""
        with self._turn():
            return super().refresh(progress=progress, accept_deletions=accept_deletions)

    def close(self) -> None:
        """Close the vault for good, or within a question its index alone."""
        with self._turns:
            self._is_closed = self._is_closed or not self._is_asked
            super().close()


def write_place(vault: Vault, **manner: Unpack[Manner]) -> Place:
    """Where a command writes.

    VaultNotFoundError for a folder that was named and has no `.aurelius/`: a mistyped one is not
    written to.
    """
    if unknown := manner.keys() - Manner.__annotations__.keys():
        raise TypeError(f"a change has no {', '.join(sorted(unknown))}")
    if not os.path.isdir(os.path.join(vault.root, VAULT_FOLDER)):
        hint = f"to make it one: aurelius init --adopt {shell_word(vault.root)}"
        raise VaultNotFoundError(f"{vault.root} is not a vault; nothing was written", hint)
    if (
        vault.who == ""
    ):  # the index knows which agents keep a memory, in which nothing may be written
        vault.index()
    force = manner.get("force", False)
    vault.config = vault.config._replace(
        state=vault_state(vault.root, vault.env)
    )  # a first change gives it its name
    return edit.place_of_config(vault.config, vault.env)._replace(
        now=(manner.get("now") or vault.now).timestamp(),
        shrink=force,
        me=force or manner.get("me", False),
        secrets=force,
        who=vault.who,
        person=manner.get("person", True),
    )


def plan_desk(vault: Vault, **manner: Unpack[Manner]) -> Desk:
    """What a plan is made with."""
    moment = manner.get("now") or vault.now
    return Desk(
        vault,
        write_place(vault, **manner),
        moment,
        manner.get("private", False),
        manner.get("seen", ""),
    )


def change(vault: Vault, plan: Callable[[Desk], Plan], manner: Manner) -> Written:
    """Carry out a plan, made again where somebody else wrote to a note at the same time."""
    at = plan_desk(vault, **manner)
    return carry_through(at, lambda: plan(at), dry_run=manner.get("dry_run", False))


@looks
def add(
    vault: Vault,
    note: str,
    text: str,
    *,
    type: str = "",
    date: str | datetime.date = "",
    tags: Sequence[str] = (),
    meta: Sequence[str] | Mapping[str, object] = (),
    importance: float | None = None,
    pinned: bool = False,
    updates: str = "",
    contradicts: str = "",
    because: str = "",
    source: str = "",
    part_of: str = "",
    instead: Callable[[Written], bool] = lambda _: False,
    **manner: Unpack[Manner],
) -> Written:
    """Add a fact to a note, "" for today's daily note; a fact that is there already is not added,
    and a notice says so.

    `meta` is a mapping or a list of `KEY=VALUE`, `importance` a number from 0 to 1; `updates` and
    `contradicts` name facts, `part_of` a note. `instead` is asked before a fact is written that an
    `older` one may contradict: where it says True, that one is superseded.
    """
    from aurelius.answers import references
    from aurelius.plans import facts

    wish = facts.Wish(
        date=_day(date),
        type=type,
        tags=(tags,) if isinstance(tags, str) else tuple(tags),
        meta=_pairs(meta),
        importance=_importance(importance),
        pinned=pinned,
        updates=updates,
        because=because,
        source=source,
        contradicts=contradicts,
        part_of=part_of,
    )
    seen = Written((), None)
    old = ""

    def plan(at: Desk) -> Plan:
        nonlocal seen, old
        if old:
            return facts.plan_supersede(at, old, text, wish)
        made = facts.plan_add(at, note, text, wish)  # what cannot be is said before what is like it
        if seen.edits:
            return made
        older = tuple(_older(at, made, wish))
        seen = Written(made.edits, None, about=made.about, older=older)
        if older and instead(seen):
            seen = seen._replace(older=())
            old = older[0].key
            return facts.plan_supersede(at, old, text, wish)
        known = {each.key for each in older}
        alike = references.facts_like(vault, text, private=at.private)
        seen = seen._replace(near=tuple(hit for hit in alike if hit.id not in known))
        return made

    done = change(vault, plan, manner)
    return done._replace(older=seen.older, near=seen.near)


def _older(at: Desk, made: Plan, wish: Wish) -> list[Fact]:
    """The facts that a new one contradicts, unless it says itself what becomes of them."""
    from aurelius.answers import references

    if not made.edits or wish.updates or wish.contradicts:
        return []
    path, text, day = (made.about[key] for key in ("path", "text", "date"))
    return references.facts_made_old(at.vault, path, text, day or "", private=at.private)


def _day(date: str | datetime.date) -> str:
    if isinstance(date, str):
        return date
    return date.isoformat()[:10]


def _pairs(meta: Sequence[str] | Mapping[str, object]) -> tuple[str, ...]:
    if not hasattr(meta, "items"):
        return tuple(meta)
    return tuple(f"{key}={value}" for key, value in meta.items())


def _importance(value: float | None) -> float | None:
    if value is None:
        return value
    if not 0 <= value <= 1:
        raise UsageError(f"importance is a number from 0 to 1, not {value}", "for example 0.9")
    return round(value, 6)


@looks
def update(
    vault: Vault,
    fact: str,
    text: str,
    **manner: Unpack[Manner],
) -> Written:
    """Reword a fact, which `fact` names by its id; what is no longer true is for `supersede`."""
    from aurelius.plans import facts

    return change(vault, lambda at: facts.plan_update(at, fact, text), manner)


@looks
def supersede(
    vault: Vault,
    fact: str,
    text: str,
    *,
    type: str = "",
    date: str | datetime.date = "",
    importance: float | None = None,
    pinned: bool = False,
    because: str = "",
    source: str = "",
    **manner: Unpack[Manner],
) -> Written:
    """Replace a fact that is no longer true from `date` on, today unless given; it stays under
    History."""
    from aurelius.plans import facts

    wish = facts.Wish(
        date=_day(date),
        type=type,
        tags=(),
        meta=(),
        importance=_importance(importance),
        pinned=pinned,
        updates="",
        because=because,
        source=source,
    )
    return change(vault, lambda at: facts.plan_supersede(at, fact, text, wish), manner)


@looks
def pin(vault: Vault, fact: str, *, pinned: bool = True, **manner: Unpack[Manner]) -> Written:
    """Let every context tell a fact, or with `pinned` False no longer; its line says it."""
    from aurelius.plans import facts

    return change(vault, lambda at: facts.plan_pin(at, fact, pinned=pinned), manner)


@looks
def note(
    vault: Vault,
    text: str,
    **manner: Unpack[Manner],
) -> Written:
    """Add a line to the end of today's daily note, which is made where there is none."""
    from aurelius.plans import facts

    return change(vault, lambda at: facts.plan_daily_line(at, text), manner)


@looks
def new(
    vault: Vault,
    kind: str,
    name: str,
    **manner: Unpack[Manner],
) -> Written:
    """Make a note about a subject, from the person's own template of that kind where there is one:
    `kind` is person, project, company, area or resource. UsageError where a note is called so
    already, unless `force` is given."""
    from aurelius.plans import new_note
    from aurelius.writing.check_edit import Edit

    if kind not in new_note.KIND_FOLDERS:
        raise UsageError(
            f"kind cannot be {kind!r}", f"it is one of: {', '.join(new_note.KIND_FOLDERS)}"
        )

    def plan(at: Desk) -> Plan:
        force = manner.get("force", False)
        made = new_note.begin_note(vault, kind, (name,), at.moment, force=force)
        edits = [Edit(made.path, None, made.text.encode())]
        why = f"new {kind} {made.name}"
        return Plan(edits, why, notices=made.notices, about={"path": made.path})

    return change(vault, plan, manner)


@looks
def move(
    vault: Vault,
    note: str,
    destination: str,
    **manner: Unpack[Manner],
) -> Written:
    """Move or rename a note, and repair every link to it."""
    from aurelius.plans import move_archive

    return change(vault, lambda at: move_archive.plan_move(at, note, destination), manner)


@looks
def archive(vault: Vault, reference: str, **manner: Unpack[Manner]) -> Written:
    """Move a fact or a note to the archive, where it is still found."""
    from aurelius.plans import move_archive

    return change(vault, lambda at: move_archive.plan_archive(at, reference), manner)


@looks
def archive_when_over(vault: Vault, size: str, **manner: Unpack[Manner]) -> Written:
    """Move the facts that are worth least to the archive, where all notes are larger than a size
    such as "100MB"."""
    from aurelius.plans import move_archive

    percent = vault.config.archive_percent
    return change(vault, lambda at: move_archive.when_over(at, size, percent), manner)


@looks
def check_boxes(
    vault: Vault,
    tasks: Sequence[str],
    *,
    said: Sequence[str] = (),
    **manner: Unpack[Manner],
) -> Written:
    """Check the boxes of tasks, each named by `PATH:LINE` or `PATH#^id`; `said` are their texts as
    they were seen, ConflictError where one says something else by now."""
    from aurelius.plans import tidy

    return change(vault, lambda at: tidy.check_off(at, tasks, said), manner)


@looks
def summarize(
    vault: Vault,
    notes: Sequence[str],
    wish: SummaryWish,
    *,
    word: Word | None = None,
    agrees: Callable[[SummaryPlan], bool] = lambda _: True,
    **manner: Unpack[Manner],
) -> Summarized:
    """Rewrite the summaries of these notes, or of all, from the facts that are used; `word` makes
    sentences of facts, `agrees` is asked before anything is written."""
    from aurelius.ageing import summarize

    place = write_place(vault, **manner)
    plan = summarize.plan_summaries(vault, place, notes, wish, word)
    if manner.get("dry_run"):
        return Summarized(summarize.check_summaries(place, plan), None)
    if not agrees(plan):
        return Summarized(plan, None, declined=True)
    return Summarized(*summarize.write_summaries(vault, place, plan))


@looks
def feedback(
    vault: Vault,
    fact: str,
    *,
    helped: bool,
    private: bool = False,
    person: bool = True,
    dry_run: bool = False,
    now: datetime.datetime | None = None,
) -> ScoreChange:
    """Rank a fact higher because it helped, or lower because it did not; no note is touched, and
    `undo` does not take it back: the other one does. The person's next `undo` says so, and takes
    nothing older back instead."""
    from aurelius.ageing.tiers import judge_fact
    from aurelius.answers import references

    words = ("reinforce", "demote", "lower")
    if not helped:
        words = ("demote", "reinforce", "higher")
    op, other, how = words
    path, key = references.resolve_fact(vault, fact, private=private, whole=True)
    done = judge_fact(vault, path, key, op, dry_run=dry_run)
    if person and not dry_run:
        forbid_undo(vault, op, f"to rank it {how} again: aurelius {other} {done.shown}", now=now)
    return done


@looks
def undo(
    vault: Vault,
    number: int | None = None,
    *,
    private: bool = False,
    dry_run: bool = False,
    now: datetime.datetime | None = None,
) -> Undone:
    """Bring back, byte for byte, what was there before the last change, or before the one of this
    `number`.

    ConflictError where a note was changed since.
    """
    from aurelius.ageing import usage_log
    from aurelius.writing import undo as back

    place = write_place(vault, now=now)
    entry = back.choose_change(place, number, private=private)
    edits = back.back(place, entry)
    done = None
    if not dry_run:
        is_sure = not vault.refresh().held
        done = back.undo_change(place, entry)
        if is_sure:  # what is gone now went by the undo, however much it is
            vault.refresh(accept_deletions=True)
        usage_log.move_waiting_uses(vault)
    return Undone(entry, edits, done)


@looks
def doctor(
    vault: Vault,
    kinds: Collection[str] = (),
    limit: int | None = None,
    *,
    chosen: str = "",
    also: Sequence[CheckResult] = (),
) -> Checkup:
    """What is wrong in the notes, of these kinds or of all, and what was looked at; `limit` is how
    many findings are shown, 0 for all, `chosen` says how the vault was, `also` what a door looked
    at besides."""
    from aurelius.answers import findings
    from aurelius.answers.doctor import checked_state
    from aurelius.answers.leftovers import find_leftovers
    from aurelius.show.health import leftovers
    from aurelius.sync.merge_setup import find_merge_faults

    every = (*find_merge_faults(vault.config.root), *vault.check())
    seen = [*checked_state(vault.index(), vault.settings, chosen, every)]
    if left := find_leftovers(vault.config):
        seen.append(findings.CheckResult("leftovers", leftovers(left)))
    return findings.select(every, kinds, limit)._replace(checked=(*seen, *also))


@looks
def surroundings(vault: Vault, *, llm: str = "") -> Around:
    """What is around the index: the daemon and its jobs, whether uses are written down; `llm` is
    the person's language model in words."""
    from aurelius.ageing import usage_log
    from aurelius.daemon import control, jobs
    from aurelius.show.health import Around

    return Around(
        daemon=control.in_short(control.daemon_state(vault.root, vault.env)),
        unlogged=usage_log.unlogged(vault),
        jobs=jobs.describe_jobs(vault.config, vault.env, vault.now),
        llm=llm,
    )


class ImportResult(NamedTuple):
    """What an import brought, or would: a report for each program, the number that `undo` takes (0
    where nothing was written), and why no commit was made."""

    reports: Sequence[SourceReport]
    number: int = 0
    uncommitted: str = ""


def import_from(vault: Vault, path: str, **manner: Unpack[Manner]) -> ImportResult:
    """Bring what another program keeps, in the export at `path`, into the vault: notes and
    conversations as they were, facts as proposals; with `dry_run` only say what would come.

    Notes are written in parts, and `undo` takes all of them back at once. UsageError where the path
    is no export of a program that is known.
    """
    from aurelius.ageing import usage_log
    from aurelius.importing.write_import import SourceReport, read_import
    from aurelius.writing.check_edit import Applied

    place = write_place(vault, **manner)
    vault.refresh()
    reports = []
    applied = [Applied(0)]
    name = os.path.basename(path.rstrip(os.sep))
    group = os.urandom(8).hex()
    for each in read_import(vault, place, path, secrets=place.secrets):
        if isinstance(each, SourceReport):
            reports.append(each)
        elif not manner.get("dry_run", False):
            proven = place._replace(proven=True)
            applied.append(edit.apply_edits(proven, each, f"imported {name}", group=group))
    if applied[-1].number:
        scores: list[usage_log.UsageEvent] = []
        for report in reports:
            scores += report.events
        usage_log.append_uses(vault, scores)
    why = next((each.uncommitted for each in applied if each.uncommitted), "")
    return ImportResult(reports, applied[-1].number, why)


def offered_merge_rules(vault: Vault) -> Edit | None:
    """The change of `.gitattributes` that `sync --setup` offers, None where none is needed."""
    from aurelius.sync.merge_setup import offered_rules

    return offered_rules(vault.root)


def write_merge_rules(vault: Vault, change: Edit) -> None:
    """Make the change that was offered. ConflictError where the file changed meanwhile."""
    from aurelius.sync.merge_setup import write_rules

    write_rules(vault.root, change)


def sync(
    vault: Vault,
    agrees: Callable[[str], bool],
    *,
    setup: bool = False,
    **manner: Unpack[Manner],
) -> SyncResult:
    """Bring the vault and its git remote to the same state: commit, fetch, merge, look, check out,
    push.

    `agrees` is asked, in words, before many notes would go; `setup` sets the clone up as well.
    ConflictError where git, the remote or a file stands against it, UsageError where the person
    does not agree.
    """
    from aurelius.ageing import usage_log
    from aurelius.sync.sync import Sync, sync_vault

    place = write_place(vault, **manner)
    dry_run = manner.get("dry_run", False)
    if not dry_run:
        usage_log.move_waiting_uses(vault)
    why = f"sync from {usage_log.device_name(vault.env)}"
    done = sync_vault(Sync(place, why, agrees, dry_run, setup))
    if done.before and not dry_run:
        how = f"git has both sides: `git diff {done.before[:9]} HEAD` shows what came"
        forbid_undo(vault, "sync", how, now=manner.get("now"))
        # the person agreed where many went
        vault.refresh(accept_deletions=bool(done.received.deleted))
    if done.joined and done.told and not dry_run:
        asked = (each.path for each in waiting_matters(vault) if each.what == "ask")
        paths = {line.partition(": ")[0] for line in done.told}
        done = done._replace(questions=sum(path in paths for path in asked))
    return done


def forbid_undo(
    vault: Vault, why: str, remedy: str = "", *, now: datetime.datetime | None = None
) -> None:
    """Let `undo` know that the last command was one that it cannot take back, so that it takes no
    other one back."""
    from aurelius.writing import undo_log

    place = write_place(vault, now=now)
    undo_log.log_undo_bar(place.state, place.time(), why, remedy)


@looks
def find_notes(vault: Vault, filters: Filters, **page: Unpack[Rows]) -> Listed:
    """The notes that match, a `NoteList`."""
    from aurelius.ageing.tiers import note_ages
    from aurelius.answers.note_view import Listed

    found = vault.notes(filters, **page)
    ages = note_ages(vault, [row.path for row in found.notes], private=filters.private)
    about = _of_list(vault, filters, lambda more: vault.notes(more, limit=0).total, found.total)
    return Listed(found, *about, ages)


@looks
def find_facts(vault: Vault, filters: Filters, **page: Unpack[Rows]) -> Listed:
    """The facts that match, a `FactList`."""
    from aurelius.ageing.tiers import ages
    from aurelius.answers.note_view import Listed

    found = vault.facts(filters, **page)
    of_facts = ages(vault, (fact for _, fact in found.facts))
    about = _of_list(vault, filters, lambda more: vault.facts(more, limit=0).total, found.total)
    return Listed(found, *about, of_facts)


@looks
def find_tasks(
    vault: Vault,
    filters: Filters,
    *,
    open_only: bool = False,
    due: tuple[str, str] | None = None,
) -> Listed:
    """The tasks that match, a tuple of `TaskRow`; `due` is a first and a last day."""
    from aurelius.answers.note_view import Listed

    def tasks(filters: Filters) -> tuple[TaskRow, ...]:
        return vault.tasks(open_only=open_only, due=due, filters=filters)

    found = tasks(filters)
    return Listed(found, *_of_list(vault, filters, lambda more: len(tasks(more)), len(found)))


def _of_list(
    vault: Vault, filters: Filters, count: Callable[[Filters], int], total: int
) -> tuple[dict[str, int], str]:
    """How many more there are in each folder that is left out of answers, and why there is nothing
    at all."""
    from aurelius.answers.lookup import why_ignored
    from indexer.catalog.lists import get_apart
    from indexer.search.weakness import why_empty

    apart = get_apart(vault.db, private=filters.private)
    filtered = {each: count(filters._replace(apart=(each,))) - total for each in apart}
    hint = ""
    if not total:
        hint = filters.folder and why_ignored(vault.config, filters.folder)
        hint = hint or why_empty(vault.db, filters)
    return {folder: left for folder, left in filtered.items() if left}, hint


@healed
def overview(vault: Vault, *, most: int = 8) -> Overview:
    """The vault at a glance: counts, tiers, what this week brought, what is due, what waits; the
    first `most` of each list."""
    from aurelius.answers.overview import gather_overview
    from aurelius.memory.known import known_matters

    found = gather_overview(vault, most)
    if vault.live is None:  # looking for what waits takes seconds in a large vault
        return found
    with suppress(VaultNotFoundError):
        known = known_matters(plan_desk(vault), wait=_SECONDS_FOR_PROPOSALS)
        if known.matters or known.is_all:
            return found._replace(waiting=len(known.matters))
    return found


@healed
def activity(vault: Vault, first_day: str, last_day: str) -> Mapping[str, int]:
    """How much each day of a span has, in order, of those that have anything."""
    from indexer.catalog.activity import count_days

    return count_days(
        vault.db,
        first_day,
        last_day,
        vault.config.daily,
        private=False,
    )


@healed
def neighbourhood(vault: Vault, path: str, *, most: int = 60) -> NoteMap:
    """The notes at most two links from a note, `most` with itself, and the links between them; none
    for a note that is not there, or is private."""
    from indexer.catalog.around import notes_around

    return notes_around(
        vault.db,
        path,
        most,
        private=False,
    )


@healed
def kind_page(vault: Vault, kind: str, *, archived: bool = False, **page: Unpack[Rows]) -> KindPage:
    """A part of the notes of a kind, each with what it says first, those used or changed last
    first."""
    from aurelius.answers.overview import list_kind

    rows = {"sort": "recent", "limit": 50, "offset": 0} | page
    return list_kind(vault, kind, archived=archived, **rows)


@healed
def use_days(vault: Vault, ref: str) -> list[datetime.date]:
    """The last days on which a fact was used, by its key, or a note, by its path; the oldest
    first."""
    from indexer.usage.log_reader import get_uses
    from indexer.usage.tally import Uses, unpack_days

    uses = get_uses(vault.db, [ref]).get(ref, Uses())
    days = map(vault.clock.day_of, unpack_days(uses.days))
    return [day for day in days if day is not None]


@looks
def waiting_matters(vault: Vault) -> Sequence[Matter]:
    """What waits for the person's decision; a process that stays keeps it, and looks for it anew
    where something changed, without letting anybody wait for long."""
    from aurelius.memory.known import known_matters

    return tuple(known_matters(plan_desk(vault)).matters)


@looks
def maintain(vault: Vault, *, private: bool = False) -> Maintained:
    """What time brought, as proposals that a person decides about, and what was decided since
    Monday. Nothing is written."""
    from aurelius.memory.upkeep import maintained

    return maintained(plan_desk(vault, private=private))


def _for_an_agent(
    function: Callable[Concatenate[Vault, _P], _R],
) -> Callable[Concatenate[Vault, _P], _R]:
    """A function of the API whose answer is for an agent: where the Vault is the person's, for one
    without a name."""

    @wraps(function)
    def called(vault: Vault, /, *args: _P.args, **named: _P.kwargs) -> _R:
        if vault.agent is not None:
            return function(vault, *args, **named)
        vault.close()  # whoever looks has an index of their own
        vault.agent = ""
        try:
            return function(vault, *args, **named)
        finally:
            vault.close()
            vault.agent = vault.who = None

    return called


@looks
@_for_an_agent
def context(
    vault: Vault, prompt: str = "", *, budget: int = 0, form: str = "memory"
) -> ContextText:
    """What an agent should know: who the person is, their rules, and lines about the prompt; never
    of private notes.

    What agents keep as their memory is told to no other one, nor to one without a name. `budget` is
    in tokens, 0 for that of the settings. Forms: `memory` fences the lines as information and no
    orders, `md` is Markdown, `layer` bullets under one heading, `json` for programs.
    """
    return chosen_context(vault, prompt, None, budget=budget, form=form)


def chosen_context(
    vault: Vault, prompt: str, choose: Choose | None, *, budget: int = 0, form: str = "memory"
) -> ContextText:
    """A context, in which `choose` says which lines the prompt needs, given those that would come;
    None for these."""
    from aurelius.show.context import in_form

    if budget < 0:
        raise UsageError(
            f"budget is {budget}", "a budget is a number of tokens, 0 for that of the settings"
        )
    found, cached = _gathered(vault, prompt, choose, layer=form == "layer")
    text, notices, lines = in_form(
        vault, found, form, prompt, budget or vault.config.context_budget
    )
    return ContextText(text, tuple(notices), cached, lines)


def _gathered(
    vault: Vault, prompt: str, choose: Choose | None = None, *, layer: bool
) -> tuple[Gathered, str]:
    """The lines of a context, which a daemon keeps until the index, the day, the uses or a setting
    changes; and whether it had them."""
    from aurelius.memory.context import gather_context, top_hits

    prompt = " ".join(prompt.split())
    if choose:
        return gather_context(vault, prompt, choose), "cache miss (a model chose)"
    make = top_hits if layer and prompt else gather_context
    name = (make.__name__, prompt, vault.agent)
    found, told = _find_kept(vault, name)
    if told != _HIT:
        found = make(vault, prompt)
    _keep_answer(vault, name, found)  # what was asked for last goes last
    return found, told


def _find_kept(vault: Vault, name: tuple[str | None, ...]) -> tuple[Any, str]:
    """The answer that a daemon keeps under a name until the index, the day, the uses or a setting
    changes, None where it keeps none; and why that is."""
    index = vault.index()
    if vault.live is None:
        return None, "cache miss (no daemon keeps answers)"
    generation = index.generation
    before, had = vault.live.kept.get(name, (0, None))
    if not before:
        return None, "cache miss (not asked before)"
    if before != generation or had is None:
        return None, f"cache miss (index {before} → {generation})"
    if had[0] != _state_of_answers(vault):
        return None, "cache miss (the day, the uses or a setting changed)"
    return had[1], _HIT


def _keep_answer(vault: Vault, name: tuple[str | None, ...], found: object) -> None:
    """Let a daemon keep an answer."""
    if vault.live is None:
        return
    kept = vault.live.kept
    kept.pop(name, None)
    kept[name] = vault.index().generation, (_state_of_answers(vault), found)
    for old in [*kept][:-MOST_CONTEXTS]:
        kept.pop(old, None)


def _state_of_answers(vault: Vault) -> tuple[object, ...]:
    from indexer.catalog.tiers import tiers_stamp

    return (
        vault.clock,
        repr(vault.config),
        tiers_stamp(vault.db, vault.clock),
    )
