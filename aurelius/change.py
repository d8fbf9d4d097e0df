"""One change of one note, bytes in and bytes out: add, update, supersede, strike, stamp, remove a fact.

Every byte that is not meant to change is kept: byte order mark, line ends, indentation, front
matter, a missing final newline.  What comes out is parsed and compared with what went in; where the
facts, tasks and headings are not exactly those that were meant, UsageError is raised instead, and
the remedy is an editor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from indexer import facts, frontmatter, markdown
from indexer.errors import NoteNotFoundError, UsageError
from indexer.factline import read
from indexer.note import Fact, Note
from indexer.parse import parse

from . import form
from .lines import Lines
from .outlay import spot, spot_of_history, updated_line

Expected = Counter[tuple[object, ...]]

BY_HAND = "change it in an editor"


class Found(NamedTuple):
    """A fact and its list item, None where it is a whole note; `indent` is what stands before its words."""

    fact: Fact
    item: facts.Item | None
    indent: str


class Open(NamedTuple):
    """A note that is being changed: as it was, its `lines` as they will be, and its list items by their first lines."""

    path: str
    daily_folder: str
    note: Note
    lines: Lines
    items: Mapping[int, facts.Item]

    def find(self, key: str) -> Found:
        """The fact of a key or id.  NoteNotFoundError."""
        for fact in self.note.facts:
            if fact.key == key:
                return _found(self.note, self.items, fact)
        raise NoteNotFoundError(f"no fact of {self.path} has the key {key}", f"`aurelius show {self.path} --facts`")

    def words(self, key: str) -> str:
        """The text of a fact as it stands, with tail and id, on one line.  NoteNotFoundError."""
        return _words(self, self.find(key))

    def close(self, meant: Expected, *, headings: int = 0) -> bytes:
        """The bytes as they are now.  UsageError unless they hold just the facts that are meant."""
        data = self.lines.data()
        note = parse(self.path, data, daily_folder=self.daily_folder)
        same = [task.text for task in note.tasks] == [task.text for task in self.note.tasks]
        titles = Counter(section.heading[-1:] for section in note.sections if section.level)
        before = Counter(section.heading[-1:] for section in self.note.sections if section.level)
        if signs(note.facts) != meant or not same or (titles - before).total() != headings or before - titles:
            raise UsageError(f"{self.path}: the note would not be read as it is meant then", BY_HAND)
        return data


def opened(path: str, data: bytes, daily_folder: str = "memory") -> Open:
    """The note, ready to be changed.  UsageError where it cannot be: no text, or a merge conflict in it."""
    note = parse(path, data, daily_folder=daily_folder)
    lines = Lines(path, data)
    for problem in note.problems:
        if problem.code in {"conflict", "structure", "binary", "size"}:
            raise UsageError(f"{path} is not changed: {problem.message}", BY_HAND)
    blocks, _ = markdown.read(note.lines, frontmatter.read(note.lines).lines)
    return Open(path, daily_folder, note, lines, {item.first: item for item in facts.items(blocks, note.lines)})


def sign(fact: Fact) -> tuple[object, ...]:
    """What a fact says, wherever it stands."""
    return (
        fact.id, fact.text, fact.type, fact.status, fact.date, fact.until, fact.scope, fact.importance, fact.pinned,
        fact.inferred, fact.source, fact.because, fact.superseded_by, fact.updates, fact.contradicts,
    )  # fmt: skip


def signs(found: Sequence[Fact]) -> Expected:
    """What many facts say."""
    return Counter(map(sign, found))


def add(
    data: bytes, line: str, heading: str, *, path: str, daily_folder: str = "memory", status: str = "active"
) -> bytes:
    """The note with one more fact at the end of a section, which is made if it is missing; "" is the note's end.

    `line` is `- text …` as `form.fact_line` gives it; it gets the bullet of its neighbours.  Lines that
    follow the first are kept below it.
    """
    here = opened(path, data, daily_folder)
    first, *more = line.split("\n")
    where = spot(here.note, heading, here.lines.texts)
    words = first.removeprefix("- ")
    texts = [*where.before, where.bullet + words, *more, *where.after]
    here.lines.insert(where.line, texts)
    after = parse(path, here.lines.data(), daily_folder=daily_folder)
    new = [fact for fact in after.facts if _is_at(fact, where.line + len(where.before) + 1)]
    said = read(words)
    if not new or (new[0].text, new[0].id, new[0].status) != (said.text, said.id, status):
        raise UsageError(f"{path}: the line would not be read as a fact there: {words}", "say it in other words")
    inner = [fact for fact in after.facts if where.line < fact.first <= where.line + len(texts)]
    return here.close(signs([*here.note.facts, *inner]), headings=bool(where.made))


def update(data: bytes, key: str, text: str, *, path: str, daily_folder: str = "memory", id: str = "") -> bytes:  # noqa: A002  the grammar's own word
    """The note with one fact in other words; its date, tail and id stay, and without an id it gets `id`."""
    here = opened(path, data, daily_folder)
    found = here.find(key)
    old = _words(here, found)
    new = form.reworded(old, text)
    if id and not found.fact.id:
        new = form.written(form.wording(new)._replace(id=id))
    _say(here, found, new)
    return _closed(here, found.fact, found.fact._replace(text=read(form.plain(text)).text, id=found.fact.id or id))


def supersede(
    data: bytes,
    key: str,
    new_line: str,
    today: str,
    new_id: str,
    *,
    path: str,
    daily_folder: str = "memory",
    id: str = "",  # noqa: A002  the grammar's own word
) -> bytes:
    """The note with a new line in a fact's place and the old one struck under History, pointing at it.

    Where no History can be (a daily note, a note without headings), the old line is struck where it
    stands and the new one comes right after it.  `id` is what the old fact gets where it has none.
    """
    here = opened(path, data, daily_folder)
    found = here.find(key)
    _supersedable(path, found)
    history = spot_of_history(here.note, found.fact, here.lines.texts)
    old = _old(here, found, today, new_id, id, moved=history is not None)
    words = new_line.removeprefix("- ")
    said = read(words)
    fact = found.fact
    if history is None:
        here.lines.insert(_end(found), [found.indent + words])
        _say(here, found, old)
    else:
        texts = [*history.before, history.bullet + old, *history.after]
        ahead = history.line < fact.first  # insert what stands lower first, so that line numbers hold
        if not ahead:
            here.lines.insert(history.line, texts)
        _say(here, found, words)
        if ahead:
            here.lines.insert(history.line, texts)
    after = parse(path, here.lines.data(), daily_folder=daily_folder)
    new = next((each for each in after.facts if each.id == new_id), None)
    if new is None or (new.text, new.status) != (said.text, "active") or said.id != new_id:
        raise UsageError(f"{path}: the line would not be read as a fact there: {words}", "say it in other words")
    return _closed(here, fact, _gone(fact, today, new_id, id), new, headings=bool(history and history.made))


def strike(
    data: bytes,
    key: str,
    today: str,
    new_id: str,
    *,
    path: str,
    daily_folder: str = "memory",
    id: str = "",  # noqa: A002  as above
) -> bytes:
    """The note with a fact struck under History because of one that stands elsewhere; else struck where it stands."""
    here = opened(path, data, daily_folder)
    found = here.find(key)
    _supersedable(path, found)
    history = spot_of_history(here.note, found.fact, here.lines.texts)
    inner = found.item is not None and found.item.end > found.item.last
    if history is None or inner:  # what is nested in it stays where it is
        _say(here, found, _old(here, found, today, new_id, id, moved=False))
        return _closed(here, found.fact, _gone(found.fact, today, new_id, id))
    texts = [*history.before, history.bullet + _old(here, found, today, new_id, id, moved=True), *history.after]
    if history.line < found.fact.first:
        here.lines.remove(found.fact.first, found.fact.last)
        here.lines.insert(history.line, texts)
    else:
        here.lines.insert(history.line, texts)
        here.lines.remove(found.fact.first, found.fact.last)
    return _closed(here, found.fact, _gone(found.fact, today, new_id, id), headings=bool(history.made))


def stamp(data: bytes, key: str, id: str, *, path: str, daily_folder: str = "memory") -> bytes:  # noqa: A002  as above
    """The note with that id at the end of a fact's line, in place of one that an earlier line has."""
    for fact in parse(path, data, daily_folder=daily_folder).facts:
        if fact.key == fact.id == key:
            raise UsageError(f"{path}: the fact has an id, ^{key}", "it can be used as it is")
    return stamp_all(data, {key: id}, path=path, daily_folder=daily_folder)


def stamp_all(data: bytes, ids: Mapping[str, str], *, path: str, daily_folder: str = "memory") -> bytes:
    """The note with ids, by the keys of its facts, at the ends of their lines, in place of those they have."""
    here = opened(path, data, daily_folder)
    meant = signs(here.note.facts)
    for key, new in ids.items():
        found = here.find(key)
        number = found.item.spoken[-1] if found.item else found.fact.last
        line = here.lines.texts[number - 1]
        bare = line.rstrip()
        own = found.fact.id
        if own:
            cut = bare.rindex(f"^{own}")
            here.lines.say(number, line[:cut] + "^" + new + line[cut + len(own) + 1 :])
        else:
            here.lines.say(number, f"{bare} ^{new}{line[len(bare) :]}")
        meant = meant - signs([found.fact]) + signs([found.fact._replace(id=new)])
    return here.close(meant)


def remove(data: bytes, key: str, *, path: str, daily_folder: str = "memory") -> tuple[bytes, str]:
    """The note without a fact's list item, and that item, its words on one line, with all that is nested in it.

    Only for what goes on elsewhere: nothing of Aurelius deletes a fact.
    """
    here = opened(path, data, daily_folder)
    found = here.find(key)
    if found.item is None:
        raise UsageError(f"{path}: the note as a whole is the fact", "archive or move the note")
    first, end = found.item.first, found.item.end
    before = len(here.lines.texts)
    _say(here, found, _words(here, found))
    end -= before - len(here.lines.texts)
    taken = here.lines.texts[first - 1 : end]
    margin = len(taken[0]) - len(taken[0].lstrip(" \t"))
    item = [line[margin:] if not line[:margin].strip() else line.lstrip(" \t") for line in taken]
    here.lines.remove(first, end)
    kept = [fact for fact in here.note.facts if not first <= fact.first <= found.item.end]
    tasks = [task for task in here.note.tasks if not first <= task.line <= found.item.end]
    here = here._replace(note=here.note._replace(tasks=tuple(tasks)))
    return here.close(signs(kept)), "\n".join(item)


def mark_updated(data: bytes, day: str, *, path: str, daily_folder: str = "memory") -> bytes:
    """The note with its `updated:` or `**Last Updated:**` at that day, where it has one (A27).

    It stays where facts have no other date; relationships, which do not age, are as new as their note.
    """
    here = opened(path, data, daily_folder)
    found = updated_line(here.lines.texts, day)
    if found is None:
        return data
    here.lines.say(*found)
    moves = here.note.date is None
    meant = [
        fact._replace(date=day) if moves and fact.dated == "note" and fact.type == "relationship" else fact
        for fact in here.note.facts
    ]
    try:
        return here.close(signs(meant))
    except UsageError:
        return data


def _found(note: Note, items: Mapping[int, facts.Item], fact: Fact) -> Found:
    """The list item that a fact is, by the line it begins on."""
    item = items.get(fact.first)
    if item is None or item.last != fact.last:
        return Found(fact, None, "")
    line = note.lines[item.first - 1]
    return Found(fact, item, line[: facts.marker(line)])


def _words(here: Open, found: Found) -> str:
    """The text of a fact as it stands, its lines joined."""
    if found.item is not None:
        return found.item.text
    return " ".join(" ".join(here.lines.texts[found.fact.first - 1 : found.fact.last]).split())


def _say(here: Open, found: Found, words: str) -> None:
    """Let a fact's lines say something else, on one line; what is nested in the item stays."""
    if found.item is None:
        first, *others = range(found.fact.first, found.fact.last + 1)
    else:
        first, *others = found.item.spoken
    line = here.lines.texts[first - 1]
    start = facts.marker(line) if found.item and first == found.item.first else len(line) - len(line.lstrip(" \t>"))
    last = here.lines.texts[(others or [first])[-1] - 1]
    here.lines.say(first, line[:start] + words + last[len(last.rstrip()) :])
    for number in reversed(others):
        here.lines.remove(number, number)


def _supersedable(path: str, found: Found) -> None:
    fact = found.fact
    if found.item is None:
        raise UsageError(
            f"{path}: the note as a whole is the fact", "write the new one as a note, then archive this one"
        )
    if fact.status == "superseded":
        by = f" by ^{fact.superseded_by}" if fact.superseded_by else ""
        raise UsageError(f"{path}: {fact.text!r} is superseded already{by}", "supersede what is so now")
    if fact.status == "proposed":
        raise UsageError(f"{path}: {fact.text!r} is only proposed", "accept it first, or dismiss it")


def _old(here: Open, found: Found, today: str, by: str, own: str, *, moved: bool) -> str:
    """The text of a fact that is superseded; its type is named where only its heading said it."""
    kind = found.fact.type if moved and found.fact.type != "fact" and not read(_words(here, found)).category else ""
    return form.struck(_words(here, found), date=found.fact.date, today=today, by=by, type=kind, id=own)


def _gone(fact: Fact, today: str, by: str, own: str) -> Fact:
    return fact._replace(status="superseded", until=today, superseded_by=by, id=fact.id or own)


def _closed(here: Open, old: Fact, *new: Fact, headings: int = 0) -> bytes:
    return here.close(signs(here.note.facts) - signs([old]) + signs(new), headings=headings)


def _end(found: Found) -> int:
    return found.item.end if found.item else found.fact.last


def _is_at(fact: Fact, line: int) -> bool:
    return fact.first <= line <= fact.last
