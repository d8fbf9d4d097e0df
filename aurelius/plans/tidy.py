"""Plans of `tidy`, `tasks done` and what a person says yes to: small changes of single lines.

`tidy` keeps the facts of a note in order: a copied line gets an id of its own; a fact that another
one says it `updates` is struck; with `--stamp` every fact gets an id. `tasks done` checks boxes.
What a person accepts in `review` is struck or moved.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers import references
from aurelius.compose import change
from aurelius.compose.fact_text import TailParts, with_name
from aurelius.compose.note_lines import NoteLines
from aurelius.writing.check_edit import allowed_parts
from indexer.catalog.edges import named_in
from indexer.catalog.graph import get_called, get_links
from indexer.catalog.link_targets import target_of
from indexer.catalog.lists import get_facts, get_ids
from indexer.catalog.names import NoteNames, without_ending
from indexer.catalog.supersession import Chains
from indexer.errors import (
    AmbiguousNameError,
    AureliusError,
    ConflictError,
    NoteNotFoundError,
    UsageError,
)
from indexer.reading.fact_line import MINTED
from indexer.reading.facts import task_mark
from indexer.reading.type_words import type_said
from indexer.spelling import ISO_DAY, group_pairs, shorten

from . import addressee
from . import facts as fact_plans
from .plan import Draft, Events, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from indexer.catalog.supersession import Step
    from indexer.note import Fact, Found, Note, Task

    from .plan import Desk


class Untidy(NamedTuple):
    """One thing to repair: where, a code (`duplicate-id`, `updated`, `no-id`), and what is done
    about it."""

    path: str
    line: int
    code: str
    message: str


class Tidied(NamedTuple):
    """The findings, and the plan that repairs them."""

    found: tuple[Untidy, ...]
    plan: Plan


def plan_tidy(
    desk: Desk,
    names: Sequence[str],
    *,
    stamp: bool,
) -> Tidied:
    """Findings and repairs for these notes, or for all."""
    facts = list(get_facts(desk.db, private=True, as_written=True))
    seen = {path for path, _ in get_facts(desk.db, private=desk.private)}
    chosen = {addressee.whole_named_note(desk, name) for name in names} or seen
    work = _Work(desk, seen, chosen)
    work.name_apart(facts, stamp=stamp)
    chains = Chains(facts, seen)
    for path, fact in chain.from_iterable(chains.circles()):
        if path in chosen and fact.status == "active":
            work.leave(path, fact, "these facts supersede each other in a circle")
    steps = [step for step in chains.replaced().values() if step.path in chosen]
    work.name_newer(facts, steps)
    work.write_stamps()
    for step in steps:
        work.strike(step)
    return Tidied(tuple(sorted(work.found)), work.draft.plan("tidy"))


def _linked(desk: Desk, several: Mapping[str, Sequence[Found]]) -> Counter[tuple[str, int]]:
    """How many links lead to a line by an id that several have: in its note that is the first of
    them."""
    first: dict[tuple[str, str], int] = {}
    for key, found in several.items():
        for path, fact in found:
            first.setdefault((path, key), fact.first)
    counts: Counter[tuple[str, int]] = Counter()
    if not first:
        return counts
    db = desk.db
    names = NoteNames(get_called(db, private=True))
    for source, link in get_links(db, private=True):
        block = link.block.lower()
        if block not in several:
            continue
        home = target_of(names, source, link) or ""
        line = first.get((home, block))
        if line is not None:
            counts[home, line] += 1
    return counts


def _owners(
    facts: Sequence[Found],
    several: Mapping[str, Sequence[Found]],
    linked: Counter[tuple[str, int]],
) -> dict[str, tuple[str, int]]:
    """Note and line of the one fact that keeps an id, for each id that Aurelius gave and several
    lines have.

    That is the one that most links lead to, else whose own note says what it replaced, else the
    earliest: a copied line brings none of these with it. The first by path and line is left for
    what nothing tells apart.
    """
    pointed: set[tuple[str, str]] = set()
    for path, fact in facts:
        pointed |= {(path, named) for _, named in named_in(fact)}

    def rank(path: str, fact: Fact) -> tuple[int, bool, str, str, int]:
        own = (path, fact.id) in pointed
        return (
            -linked[path, fact.first],
            not own,
            fact.date or "9",
            path,
            fact.first,
        )

    firsts = {key: min(found, key=lambda each: rank(*each)) for key, found in several.items()}
    return {key: (path, fact.first) for key, (path, fact) in firsts.items()}


def current_key(key: str, events: Events) -> str:
    """What a fact is called now: it may have been given an id a moment ago."""
    return next((to for op, ref, to in reversed(events) if op == "alias" and ref == key), key)


def strike_replaced(
    draft: Draft,
    old: Found,
    new: Found,
    *,
    done: bool = False,
) -> None:
    """The old fact struck under History, pointing at the new one; each gets an id where it has
    none. `done`: the new one is a request that is carried out with that, and is struck as well."""
    desk = draft.desk
    ids = give_ids(draft, (new, old))
    let_past(draft, old, ids[new], new[1])
    if done:
        gone = change.Gone(desk.today, "")
        draft.change(new[0], change.strike_fact, ids[new], gone, day=desk.today, proposed=True)


def give_ids(draft: Draft, facts: Sequence[Found]) -> dict[Found, str]:
    """The ids of some facts that hold, which those that have none get; all at once, because the key
    of a line without one depends on the equal lines above it."""
    desk = draft.desk
    ids: dict[Found, str] = {}
    bare: dict[str, dict[str, str]] = {path: {} for path, _ in facts}
    for path, fact in facts:
        key = current_key(fact.key, draft.events)
        there = _holding(draft, path, key)
        own = there.id or desk.new_id(
            path,
            key,
            desk.today,
            taken=ids.values(),
        )
        ids[path, fact] = own
        if own != key:
            bare[path][key] = own
    for path, keys in bare.items():
        if keys:
            draft.change(path, change.stamp_ids, keys)
            draft.events += [("alias", key, own) for key, own in keys.items()]
    return ids


def _holding(draft: Draft, path: str, key: str) -> Fact:
    """A fact that is not past in a draft.  UsageError for one that is."""
    there = draft.fact(path, key)
    if there.status == "superseded":
        raise UsageError(f'"{there.text}" was replaced a moment ago', "run `aurelius review` again")
    return there


def let_past(
    draft: Draft,
    old: Found,
    own: str,
    new: Fact,
) -> str:
    """Let a fact be past because of a newer one, which is called `own`; its id."""
    there = _holding(
        draft,
        old[0],
        current_key(old[1].key, draft.events),
    )
    if new.date and new.date >= (there.date or ""):
        since = new.date
    else:
        since = draft.desk.today
    return fact_plans.mark_superseded(draft, old[0], there, own, since)


_PAGE_LABEL = re.compile(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]: ")
"""The page that a captured line names before it says something of it."""


def unlabelled(text: str) -> str:
    """A captured line without the page that it names first."""
    return _PAGE_LABEL.sub("", text, count=1)


def promote(
    draft: Draft, captured: Found, home: str, old: Found | None, worded: str = ""
) -> list[str]:
    """A captured line moved to the note that it is about, or out from under its heading where
    `home` is ""; the fact that it takes the place of struck; `worded` stands in its place where it
    says what is `captured`. The rows."""
    desk = draft.desk
    path, fact = captured
    words = _taken_out(draft, path, fact)
    own = fact.id or _new_id(draft, path, fact)
    tail = TailParts(source=f"[[{without_ending(path)}]]" if home and not fact.source else "")
    if fact.updates:
        old = replaced_since(desk, fact.updates)
    gone = let_past(draft, old, own, fact) if old else ""
    if not fact.updates:
        tail = tail._replace(updates=gone)
    words = _in_words(words, fact, worded)
    kind = type_said(fact) if home else ""
    words = _named_at(home, words)
    target = home or path
    day = fact.date or desk.today
    fact_plans.state(draft, target, fact_plans.NewFact(words, day, kind, own, tail), captured=True)
    made = draft.fact(target, own)
    rows = [f"{target}:{made.first}  {made.text}  [id:{own}]"]
    if old:
        where, past = old
        rows.append(fact_plans.replaced_notice(past.text, made.text, where))
    return rows


def _new_id(draft: Draft, path: str, fact: Fact) -> str:
    """An id for a captured line without one, which is known by its key so far."""
    own = draft.desk.new_id(path, fact.text, draft.desk.today)
    draft.events.append(("alias", fact.key, own))
    return own


def _in_words(words: str, fact: Fact, worded: str) -> str:
    """The words of a captured line with those of a wording, if any, where they say the fact."""
    plain = unlabelled(fact.text)
    if worded and plain in words:
        return words.replace(plain, worded, 1)
    return words


def _taken_out(draft: Draft, path: str, fact: Fact) -> str:
    """The words of a captured line, which is taken out of its note. UsageError for one with nested
    lines."""
    data, item = change.remove_fact(draft.there(path), fact.key, path=path, read=draft.read)
    if "\n" in item:
        raise UsageError(f"{path}:{fact.first} has nested lines", "move them with an editor")
    draft.put(path, data)
    return item.lstrip()[1:].strip()


def _named_at(home: str, words: str) -> str:
    """The words of a captured line as the page that they are about has them: without the link to
    that page before them, but with its name."""
    label = _PAGE_LABEL.match(words)
    if not (home and label):
        return words
    if label[1] == without_ending(home):
        words = words[label.end() :]
    return with_name(words, label[2] or "")


def promoted(draft: Draft, captured: Found, old: Found) -> bool:
    """Let a captured line take the place of a fact on that one's page; False, and nothing changed,
    where it cannot."""
    before = {path: draft.data(path) for path in (captured[0], old[0])}
    count = len(draft.events)
    try:
        promote(draft, captured, old[0], old)
        draft.check({old[0]})
    except AureliusError:
        for path, data in before.items():
            draft.put(path, data)
        del draft.events[count:]
        return False
    return True


def replaced_since(desk: Desk, named: str) -> Found | None:
    """The fact that holds of those that a line says it updates: the one it names, or what replaced
    that one since."""
    try:
        there = references.resolve_fact(desk.vault, named, private=desk.private)
    except (NoteNotFoundError, AmbiguousNameError):
        return None
    newest = references.newest(desk.vault, *there, private=desk.private)
    for path, key in (newest, there):
        for _, each in get_facts(
            desk.db,
            path,
            private=desk.private,
        ):
            if each.key == key and each.status == "active":
                return path, each
    return None


class _Work:
    """What `tidy` does in one draft to the `chosen` notes, of those that may be `seen`."""

    def __init__(
        self,
        desk: Desk,
        seen: Collection[str],
        chosen: Collection[str],
    ) -> None:
        self.desk = desk
        self.draft = Draft(desk)
        self.seen = seen
        self.chosen = chosen
        self.found: list[Untidy] = []
        self._copied: set[str] = set()
        self._ids: dict[str, dict[str, str]] = {}
        self._new_ids: set[str] = set()
        self._known = get_ids(desk.db)

    def leave(
        self,
        path: str,
        fact: Fact,
        why: str,
    ) -> None:
        """Tell why a fact is left as it is."""
        self.draft.notices.append(f"{path}:{fact.first} not changed: {why}")

    def name_apart(
        self,
        facts: Sequence[Found],
        *,
        stamp: bool,
    ) -> None:
        """Let each fact have an id of its own where several have the same; with `stamp` those that
        have none, too."""
        minted = ((each[1].id, each) for each in facts if MINTED.fullmatch(each[1].id))
        several = {key: found for key, found in group_pairs(minted).items() if len(found) > 1}
        linked = _linked(self.desk, several)
        owners = _owners(facts, several, linked)
        for path, fact in facts:
            here = (path, fact.first)
            owner = owners.get(fact.id, here)
            if path not in self.chosen:
                continue
            if owner == here:
                if stamp and not fact.id:
                    self._stamp(path, fact, "no-id", "the fact has no id")
            elif linked[here]:
                self.leave(path, fact, f"links lead to its id ^{fact.id}")
            else:
                where = owner[0] if owner[0] in self.seen else "a private note"
                why = f"the id ^{fact.id} is already used in {where}"
                self._stamp(path, fact, "duplicate-id", why)

    def name_newer(
        self,
        facts: Sequence[Found],
        steps: Sequence[Step],
    ) -> None:
        """Let the facts that take the place of others have ids: what is pointed at needs a name
        that stays."""
        bare: dict[str, list[Found]] = {}
        for path, fact in facts:
            if path in self.seen and not fact.id and fact.key not in self._ids.get(path, {}):
                bare.setdefault(fact.key, []).append((path, fact))
        for step in steps:
            for path, fact in bare.pop(step.after, ()):
                why = f"the fact updates ^{step.fact.key} and has no id"
                self._stamp(path, fact, "no-id", why)

    def _stamp(
        self,
        path: str,
        fact: Fact,
        code: str,
        why: str,
    ) -> None:
        """Let a fact have an id of its own."""
        new = self.desk.new_id(
            path,
            fact.text,
            fact.key,
            taken=self._new_ids,
            known=self._known,
        )
        self._new_ids.add(new)
        if fact.key == fact.id:
            self._copied.add(fact.key)  # that name stays with the line it was copied from
        self._ids.setdefault(path, {})[fact.key] = new
        self.found.append(Untidy(path, fact.first, code, f"{why}; new id: ^{new}"))

    def write_stamps(self) -> None:
        """Put the ids into the notes; a note that cannot be written is told."""
        for path, ids in self._ids.items():
            if not self._change(path, change.stamp_ids, ids):
                self.found = [each for each in self.found if each.path != path]
                continue
            self.draft.events += [
                ("alias", key, new) for key, new in ids.items() if key not in self._copied
            ]

    def strike(self, step: Step) -> None:
        """Let a fact be past on its own line, because a newer one says that it updates it."""
        path = step.path
        key = step.fact.key
        own = self._ids.get(path, {}).get(key, key)
        by = next((ids[step.after] for ids in self._ids.values() if step.after in ids), step.after)
        day = max(step.until or self.desk.today, step.fact.date or "")
        if self._change(path, change.strike_fact, own, change.Gone(day, by)):
            what = f"^{own} is struck through, because ^{by} updates it"
            self.found.append(
                Untidy(
                    path,
                    step.fact.first,
                    "updated",
                    what,
                )
            )

    def _change(
        self,
        path: str,
        how: Callable[..., bytes],
        *what: object,
    ) -> bool:
        """Change a note; False, and told, where it cannot be written."""
        try:
            allowed_parts(path, me=self.desk.place.me)
            self.draft.change(path, how, *what)
        except AureliusError as error:
            self.draft.notices.append(f"{path} not changed: {error.message}")
            return False
        return True


# -- tasks done ------------------------------------------------------------------------

_OF_THE_PLUGIN = re.compile(
    "[\U0001f4c5\U0001f5d3\u23f3\U0001f6eb\u2795\U0001f501\u23eb"
    "\U0001f53c\U0001f53d\U0001f53a\u23ec\U0001f194\u26d4]"
)
"""A sign of the Obsidian plugin Tasks, which dates what is done:
📅 🗓 ⏳ 🛫 ➕ 🔁 ⏫ 🔼 🔽 🔺 ⏬ 🆔 ⛔."""
_FIELD = re.compile(r"\[(?:due|scheduled|start|created|repeat|priority):: ?[^\]]+\]")
"""The same as a field, as the plugin writes it for Dataview."""
_DONE_SIGN = re.compile(rf"\u2705\ufe0f? ?{ISO_DAY}")
_DONE_FIELD = re.compile(rf"\[completion:: ?{ISO_DAY}")
_REPEATS = re.compile(
    r"\U0001f501|\[repeat::|(?:SCHEDULED|DEADLINE): ?<[^>\n]{0,60}[.+]\+?\d+[hdwmy]"
)
_BEHIND = re.compile(r"(?:[ \t]+\^[A-Za-z0-9-]+)?[ \t]*\Z")
"""What stays at the end of a task's line: its block id, and spaces."""


def check_off(desk: Desk, references: Sequence[str], said: Sequence[str] = ()) -> Plan:
    """Plan of `tasks done`: the boxes of these tasks checked, `TODO` made `DONE`, every other byte
    as it was. `said` are the texts of the tasks as they were seen, where they were: ConflictError
    where another line stands there now.

    The day is put behind the words where the line has a sign of the Obsidian plugin Tasks, which
    does so. UsageError for a line that is no open task.
    """
    draft = Draft(desk)
    told = list[dict[str, object]]()
    texts = dict(zip(references, said, strict=False))
    places = {_task_place(desk, each): texts.get(each, "") for each in references}
    for place, text in places.items():
        path, line = place
        done = _check_box(
            draft,
            path,
            line,
            text,
        )
        draft.rows.append(f"{path}:{line}  [x] {done.text}")
        told.append({"path": path, "line": line, "text": done.text, "done": True})
        if _REPEATS.search(done.text):
            draft.notices.append(
                f"{path}:{line} is a task that repeats: it is done, and the next one was not"
                " written"
            )
    why = f"ticked {len(told)} tasks"
    if len(told) == 1:
        why = f'ticked "{shorten(text or done.text)}" in {path}:{line}'
    return draft.plan(why, {"tasks": told})


def _task_place(desk: Desk, reference: str) -> tuple[str, int]:
    """Note and line of the task that `PATH:LINE` or `PATH#^id` means. UsageError for a whole note
    or several lines."""
    found = references.read_reference(desk.vault, reference, private=desk.private, whole=True)
    if found.last > found.first or not found.last:
        raise UsageError(
            f"{reference} is not one line: name the line of the task",
            f"as in {found.path}:{max(found.first, 3)}; `aurelius tasks --open` shows the line of"
            " each",
        )
    return found.path, found.first


def _check_box(draft: Draft, path: str, line: int, said: str) -> Task:
    """Check the box in a line of a note that is being changed. UsageError where there is no open
    task, ConflictError where it is another one than was `said`."""
    allowed_parts(path, me=draft.place.me)
    data = draft.there(path)
    before = draft.read(path, data)
    _must_be_open(before, line, said)
    lines = NoteLines(path, data)
    lines.say(
        line,
        _checked(
            lines.texts[line - 1],
            draft.desk.today,
        ),
    )
    after = draft.read(path, lines.data())
    done = next((task for task in after.tasks if task.line == line and task.mark == "x"), None)
    if done is None or _beside(before, line) != _beside(after, line):
        raise UsageError(
            f"{path}:{line}: not written: the change would make other lines of the note be read"
            " differently",
            change.BY_HAND,
        )
    draft.put(path, lines.data())
    return done


def _beside(note: Note, line: int) -> object:
    """What a note holds besides the task in a line: other tasks, facts, headings."""
    sections = [(each.heading, each.level, each.first, each.last) for each in note.sections]
    return [task for task in note.tasks if task.line != line], note.facts, sections


def _must_be_open(note: Note, line: int, said: str) -> None:
    """UsageError for a line of a note that is no open task, with the lines that are; ConflictError
    for a task that says something else than was seen there."""
    task = next((task for task in note.tasks if task.line == line), None)
    if said and said != (task and task.text):
        raise ConflictError(
            f"nothing was ticked: {note.path}:{line} is another line by now",
            "look at the list again",
        )
    if task is not None and not task.done:
        return
    hint = "`aurelius tasks --open` shows the line of each open task"
    if task is not None:
        what = "canceled" if task.mark == "-" else "done"
        raise UsageError(f"{note.path}:{line} is already {what}: {task.text[:120]}", hint)
    text = "".join(note.lines[line - 1 : line]).strip()
    raise UsageError(f"{note.path}:{line} is not a task: {text[:120]}", hint)


def _checked(line: str, day: str) -> str:
    """The first line of an open task as one that is done."""
    start, end = task_mark(line)
    if line[start] != "[":
        return f"{line[:start]}DONE{line[end:]}"
    line = f"{line[:start]}[x]{line[end:]}"
    if _DONE_SIGN.search(line) or _DONE_FIELD.search(line):
        return line
    if _OF_THE_PLUGIN.search(line):
        stamp = f" ✅ {day}"
    elif _FIELD.search(line):
        stamp = f" [completion:: {day}]"
    else:
        return line
    at = _BEHIND.search(line, end).start()  # type: ignore[union-attr]  # it fits every end
    return line[:at] + stamp + line[at:]
