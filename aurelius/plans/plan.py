"""Plan of a writing command: the notes as they will be, what to report, what the log should know;
and how it is done.

Every plan is carried out here, whoever made it: a command, the Python API, a job of the daemon, a
program's hook.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from itertools import count
from posixpath import dirname
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.ageing import usage_log
from aurelius.ageing.summary_text import (
    INDEX,
    SUMMARY_HEADING,
    Change,
    corrected,
    corrected_list,
    part_of,
    text_fingerprint,
)
from aurelius.answers.doctor_links import remember_renames
from aurelius.answers.lookup import why_ignored
from aurelius.compose.fact_text import hashed_letters, past
from aurelius.compose.note_lines import placed, plain_text, put_section, section_text
from aurelius.settings.places import vault_state
from aurelius.writing import append, check_edit, edit
from aurelius.writing.check_edit import Applied, Edit, Place
from aurelius.writing.replace_file import RUN_AGAIN
from indexer.catalog.graph import get_called, get_names
from indexer.catalog.lists import get_key, is_taken
from indexer.catalog.names import shows_facts, where_to_look
from indexer.errors import AureliusError, ConflictError, NoteNotFoundError
from indexer.reading.path_meaning import AGENTS, is_archived
from indexer.spelling import mark_of
from indexer.usage.log_reader import get_usage

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import apsw

    from aurelius.compose.daily_line import Addition
    from aurelius.compose.note_lines import NoteReader
    from aurelius.vault import Vault
    from indexer.catalog.names import Called, NoteNames
    from indexer.note import Fact, Note
    from indexer.search.hit import Hit

"""Characters of an id."""


Events = list[tuple[str, str, str]]
"""What the usage log is told: what is done, to which key, and what that becomes."""


class Plan(NamedTuple):
    """The edits of a command.

    `rows` are told on stdout, a line each, when they are made, `notices` on stderr; `about` are the
    command's own keys of the JSON; `events` are what the usage log is told, as operation, ref and
    value. `append` is the note and the line that are all there is to write, where that is so;
    `marks` are path and hash of each generated text that `kept_up` changed.
    """

    edits: Sequence[Edit]
    why: str
    rows: tuple[str, ...] = ()
    about: Mapping[str, Any] = {}
    notices: tuple[str, ...] = ()
    events: tuple[tuple[str, str, str], ...] = ()
    append: tuple[str, Addition] | None = None
    marks: tuple[tuple[str, str], ...] = ()


class SeenAnotherError(ConflictError):
    """What would be written is not what the person was shown."""


class Desk(NamedTuple):
    """What every plan is made with: the vault, where is written, the moment; `private` notes too,
    or not. `seen` is the `edits_digest` of what the person was shown: other edits are not made."""

    vault: Vault
    place: Place
    moment: datetime.datetime
    private: bool = False
    seen: str = ""

    @property
    def today(self) -> str:
        """The person's day."""
        return self.moment.date().isoformat()

    @property
    def db(self) -> apsw.Connection:
        """The connection of the vault's index, as it is now."""
        return self.vault.db

    def called(self) -> Iterator[Called]:
        """The names of every note that may be seen."""
        return get_called(self.db, private=self.private)

    def names(self) -> NoteNames:
        """What every note is called that may be seen."""
        return get_names(self.db, private=self.private)

    def day_note(self, agent: str | None) -> str:
        """The daily note of today, the shared one or the one that an agent keeps for itself."""
        if agent:
            return f"{AGENTS}/{agent}/memory/{self.today}.md"
        return self.vault.today(self.today)

    def new_id(self, *seed: str, **but: Collection[str]) -> str:
        """An id that nothing has yet, nor any of `taken`; `known` are those that something has, if
        they were read."""
        return new_id(self.db, *seed, **but)


class Written(NamedTuple):
    """What a plan came to: its edits, with those of generated texts, and what was `applied`, None
    after a dry run.

    `rows` say what was done, `notices` what the person should know besides; `about` is the
    command's part of the JSON. `older` are facts that a new one may contradict, `near` facts that
    say something like it; `follows` are the notes whose generated text quotes what changed, and
    says it anew.
    """

    edits: Sequence[Edit]
    applied: Applied | None
    rows: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    about: Mapping[str, Any] = {}
    older: tuple[Fact, ...] = ()
    near: tuple[Hit, ...] = ()
    follows: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The note that was written, "" where there are none or several."""
        return str(self.about.get("path", ""))

    @property
    def id(self) -> str:
        """The id of the fact that was written, as the index names it; "" where none was."""
        return str(self.about.get("id", ""))

    @property
    def number(self) -> int:
        """The number that `undo` takes; 0 where nothing was written."""
        if self.applied:
            return self.applied.number
        return 0


class Draft:
    """A plan on its way: notes from what they are to what they will be, with the rows, notices and
    events of the plan; `read` parses each version of a note once."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.rows: list[str] = []
        self.notices: list[str] = []
        self.events: Events = []
        self.place = desk.place
        self.read = self.place.note_reader()
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._sources: dict[str, str] = {}

    def data(self, path: str) -> bytes | None:
        """The bytes of a note as they will be, None where there is none."""
        if path not in self._after:
            self._before[path] = self._after[path] = edit.read_note(self.place, path)
        return self._after[path]

    def there(self, path: str) -> bytes:
        """The bytes of a note that has to be there.  NoteNotFoundError."""
        data = self.data(path)
        if data is None:
            raise NoteNotFoundError(f"{path} no longer exists", where_to_look())
        return data

    def put(
        self,
        path: str,
        data: bytes | None,
        *,
        source: str = "",
    ) -> None:
        """Let a note be that; None removes it.  `source` is where a moved note comes from."""
        self.data(path)
        self._after[path] = data
        if source:
            self._sources[path] = source

    def change(self, path: str, how: Callable[..., bytes], *told: object, **more: object) -> None:
        """Let a note be what one of the changes in `compose/change.py` makes of it."""
        self.put(
            path,
            how(
                self.there(path),
                *told,
                path=path,
                read=self.read,
                **more,
            ),
        )

    def note(self, path: str) -> Note:
        """A note as it will be; one that is not there is empty."""
        return self.read(path, self.data(path) or b"")

    def fact(self, path: str, key: str) -> Fact:
        """A fact of a note as it will be.  NoteNotFoundError."""
        for fact in self.note(path).facts:
            if fact.key == key:
                return fact
        what = f"{path} no longer has the fact ^{key}"
        hint = shows_facts(path)
        raise NoteNotFoundError(what, hint)

    def check(self, paths: Collection[str]) -> None:
        """UsageError or ConflictError where one of these notes may not be written, as a hard link
        or a read-only one.

        What leaves one note for another is judged when all of it is written.
        """
        place = self.place._replace(shrink=True, secrets=True)
        edit.rehearse(place, [each for each in self.edits() if each.path in paths])

    def plan(
        self,
        why: str,
        about: Mapping[str, Any] = {},
        append: tuple[str, Addition] | None = None,
    ) -> Plan:
        """The plan that it came to."""
        notices = tuple(self.notices)
        return Plan(
            edits=self.edits(),
            why=why,
            rows=tuple(self.rows),
            about=about,
            notices=notices,
            events=tuple(self.events),
            append=append,
        )

    def edits(self) -> list[Edit]:
        """What differs."""
        return [
            Edit(
                path,
                self._before[path],
                after,
                self._sources.get(path, ""),
            )
            for path, after in self._after.items()
            if after != self._before[path]
        ]


MOST_PLAN_TRIES = 9
"""How often a plan is made again because somebody else wrote to the same note at the same time."""


def carry_through(desk: Desk, make: Callable[[], Plan], *, dry_run: bool = False) -> Written:
    """Carry out a plan; if somebody else wrote to a note at the same time, it is made again from
    the new text. ConflictError where that happens again and again."""
    for _ in range(MOST_PLAN_TRIES):
        try:
            return carry_out(desk, make(), dry_run=dry_run)
        except ConflictError as error:
            if error.hint != RUN_AGAIN:
                raise
            desk.vault.refresh()
    return carry_out(desk, make(), dry_run=dry_run)


def carry_out(desk: Desk, plan: Plan, *, dry_run: bool = False) -> Written:
    """Make the edits of a plan and of the generated texts that quote what it makes past, or only
    check them; a notice names each new note that rules leave out, and that nobody will find.

    UsageError for what may not be written, ConflictError where a note changed or the disk refuses.
    """
    done = None
    wanted = plan.edits
    place = desk.place
    notices = []
    plan = kept_up(desk, plan)
    if desk.seen and desk.seen != edits_digest(plan.edits):
        raise SeenAnotherError(
            "not written: the notes changed since this was shown", "look at the change again"
        )
    if not place.person:
        check_edit.check_standing(place, wanted)
    if plan.marks:  # what a command may do to a note is asked of its own edits
        check_edit.check_edits(place, wanted)
        place = place._replace(proven=True)
    if dry_run:
        (check_edit.check_edits if plan.append else edit.rehearse)(place, plan.edits)
    else:
        done = _apply(desk.vault, place, plan)
        notices = _log(desk.vault, plan)
    notices += plan.notices
    notices += check_edit.of_inner_vaults(place.root, plan.edits)
    new = (each.path for each in plan.edits if get_key(desk.db, each.path, private=True) is None)
    notices += filter(None, (why_ignored(desk.vault.config, path, there=False) for path in new))
    rows = placed(
        plan.rows,
        {} if plan.append else {each.path: each.after for each in plan.edits},
        place.note_reader(),
    )
    follows = tuple(path for path, _ in plan.marks)
    return Written(
        plan.edits,
        done,
        tuple(rows),
        tuple(notices),
        plan.about,
        follows=follows,
    )


def edits_digest(edits: Sequence[Edit]) -> str:
    """A name for exactly these edits, in hexadecimal: the paths, and the bytes before and after."""
    digest = sha256()
    for each in edits:
        digest.update(repr(each).encode())
    return digest.hexdigest()


def _apply(vault: Vault, place: Place, plan: Plan) -> Applied:
    """Write what a plan says: one line at the end of a note, where that is all, else the edits.

    The usage log is told first which texts will be ours: else they would be taken for a person's.
    Which notes moved is kept, for links that lead to the old path and for renames that follow.
    """
    if plan.marks:
        usage_log.append_summaries(vault, plan.marks)
    if plan.append:
        path, line = plan.append
        return append.append_lines(place, path, line.data, opening=line.opening, why=plan.why)
    done = edit.apply_edits(place, plan.edits, plan.why)
    moved = [(edit.source, edit.path) for edit in plan.edits if edit.source]
    if moved:
        remember_renames(vault_state(vault.root, vault.env), moved)
        vault.refresh()  # what another program renames next is told from what is there now
    return done


def _log(vault: Vault, plan: Plan) -> list[str]:
    """Tell the usage log what became of names, and move the uses that wait; the notes are written
    all the same, and why the log was not is returned.

    ConflictError where it is all that there was to write, and cannot be.
    """
    events: list[usage_log.UsageEvent] = []
    for op, ref, to in plan.events:
        event = {"op": op, "ref": ref}
        if to:
            event["to"] = to
        elif op == "use":
            event["via"] = "update"
        events.append(event)
    try:
        usage_log.append_uses(vault, events)
    except AureliusError as error:
        if not plan.edits:
            raise
        return [error.message]
    return []


def kept_up(desk: Desk, plan: Plan) -> Plan:
    """The plan with every generated text brought up to date: no Summary, listing or Now of ours
    quotes what is past once it is carried out.

    Whoever carries out a plan asks here first. A text that a person wrote stays, and a notice names
    it.
    """
    moved = {each.source: each.path for each in plan.edits if each.source}
    was = {each.path: each.before for each in plan.edits}
    read = desk.place.note_reader()
    changes = {}
    if not plan.append:
        changes = _changes(read, plan, was)
    if not changes and not moved:
        return plan
    edits = {each.path: each for each in plan.edits}
    own = usage_log.ours(get_usage(desk.db))
    made = _Generated(
        place=desk.place,
        read=read,
        edits=edits,
        was=was,
        changes=changes,
        moved=moved,
        own=own,
        marks=[],
        notices=[],
    )
    listings = (each.path for each in desk.called() if part_of(each.path) != SUMMARY_HEADING)
    for path in dict.fromkeys([*edits, *listings]):
        # a note that cannot be written stays as it is, and search leaves such words out
        with suppress(AureliusError):
            made.bring(path)
    notices = (*plan.notices, *made.notices)
    return plan._replace(edits=list(edits.values()), marks=tuple(made.marks), notices=notices)


def _changes(read: NoteReader, plan: Plan, was: Mapping[str, bytes | None]) -> dict[str, Change]:
    """What a plan makes past, by path; nothing for notes of which all that held still holds. `was`
    are the notes before it."""
    aliases = {ref: to for op, ref, to in plan.events if op == "alias"}
    sources = {each.source for each in plan.edits}
    found = {}
    for each in plan.edits:
        before = was.get(each.source or each.path)
        if not before or each.path in sources:
            continue  # of a note that moved, what it said stands elsewhere now
        after = read(each.path, each.after or b"").facts
        gone = past(read(each.path, before).facts, after, aliases)
        if gone:
            holding = {fact.text for fact in after if fact.status == "active"}
            found[each.path] = Change(gone, holding)
    return found


class _Generated(NamedTuple):
    """The generated texts of a vault as a plan leaves them: its edits, what notes were before, what
    is past in them, the notes that moved, and the hashes of texts of ours."""

    place: Place
    read: NoteReader
    edits: dict[str, Edit]
    was: Mapping[str, bytes | None]
    changes: Mapping[str, Change]
    moved: Mapping[str, str]
    own: Collection[str]
    marks: list[tuple[str, str]]
    notices: list[str]

    def bring(self, path: str) -> None:
        """Let the generated text of a note no longer quote what is past."""
        there = self.edits.get(path)
        if there is None:
            now = edit.read_note(self.place, path)
            there = Edit(path, now, now)
        old = self._text(path, there.after)
        if there.after is None or not old:
            return
        new = self._corrected(path, old)
        before = self.was.get(there.source) if there.source else there.before
        first = self._text(path, before)
        if text_fingerprint(first) not in self.own:
            if new != old:
                self.notices.append(
                    f"{path} still quotes what is past, because you wrote or changed that text"
                )
            return
        if new != old:
            made = there._replace(after=self._put(path, there.after, new))
            if path not in self.edits:
                edit.rehearse(self.place._replace(proven=True), [made])
            self.edits[path] = made
        if new != first:
            self.marks.append((path, text_fingerprint(new)))

    def _text(self, path: str, data: bytes | None) -> str:
        """The generated text in these bytes of a note, "" where it has none."""
        if data is None:
            return ""
        if part_of(path) == INDEX:
            return plain_text(data)
        return section_text(self.read(path, data), part_of(path)) or ""

    def _put(self, path: str, data: bytes, text: str) -> bytes:
        if part_of(path) == INDEX:
            return mark_of(data) + text.encode()
        return put_section(self.read(path, data), data, part_of(path), text, self.read)

    def _corrected(self, path: str, text: str) -> str:
        part = part_of(path)
        if part == SUMMARY_HEADING:
            if path in self.changes:
                return corrected(text, *self.changes[path])
            return text
        left = set(filter(is_archived, self.moved.values()))
        if part == INDEX:
            left = {new for new in self.moved.values() if dirname(new) != dirname(path)}
        return corrected_list(text, self.changes, left)


def new_id(
    db: apsw.Connection,
    *seed: str,
    taken: Collection[str] = (),
    known: Collection[str] | None = None,
) -> str:
    """A new id that no fact and no block of the vault has, nor any of `taken`; it holds a letter
    and a digit.

    It follows from the note, the words and the day, so that a dry run shows the very one that is
    written afterwards, and two devices that say the same thing on one day give it the same name.
    """
    for turn in count():
        found = hashed_letters(*seed, str(turn))
        if found.isalpha() or found.isdigit() or found in taken:
            continue
        if not (is_taken(db, found) if known is None else found in known):
            return found
    raise AssertionError  # there is always another one
