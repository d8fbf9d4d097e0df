"""Names of notes → the note meant: a path, a file name, a title, an alias, or part of one, as
people write them.

Precise spellings win over sloppy ones. A note answers, in this order, to its path; to the end of
its path (`joe` and `people/joe` are `areas/people/joe.md`); to its title and aliases; to all of
these with case, accents, spaces and punctuation apart (`joe bloggs.`, `Joe-Bloggs`); and to part of
its name (`Joe`, `J. Bloggs`), where points for name, context and recency decide.
"""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from posixpath import basename
from typing import Any

from indexer.disk.walk import ENDINGS
from indexer.errors import (
    AmbiguousNameError,
    Hint,
    NoteNotFoundError,
    PrivateNoteError,
    first_names,
)
from indexer.reading.path_meaning import (
    agent_of,
    fold_name,
    is_agents_day,
    is_archived,
    is_imported,
    name_words,
)
from indexer.record import NamedTuple
from indexer.spelling import caseless, group_pairs

RESOLVE = 80.0
ASK = 50.0
"""Points at which a partial name is taken, and at which it is worth asking about."""

_MOST_CANDIDATES = 10
"""Candidates named in a message."""


def where_to_look() -> Hint:
    """The hint where no note is meant: what finds one."""
    return Hint(
        "`aurelius list` shows every note, `aurelius search` finds one by what it says",
        "`search` finds a note by what it says",
    )


def shows_facts(path: str) -> Hint:
    """The hint where no fact of a note was meant: what shows those that there are."""
    return Hint(f"`aurelius show {path} --facts` shows its facts", f"`get {path}` shows its facts")


"""What to do where a name is no note's."""

_CONFLICT = r"(?i)\.sync-conflict-|conflicted copy|\(conflict"


class Called(NamedTuple):
    """What a note is called; `date` is its latest ISO date or None."""

    path: str
    title: str
    aliases: tuple[str, ...]
    kind: str
    date: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Its title and its aliases."""
        return self.title, *self.aliases

    @property
    def every_name(self) -> tuple[str, ...]:
        """These, and before them the name of its file."""
        return basename(without_ending(self.path)), *self.names


class NoteMatch(NamedTuple):
    """A note that a partial name may mean, with its points of 100: name 50, context 35, recency
    15."""

    path: str
    points: float


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool made this file beside another because two devices changed that."""
    return bool(re.search(_CONFLICT, basename(path)))


def gives_way(path: str) -> bool:
    """Whether another note of the same name is meant rather than this one, which is archived,
    imported or a copy that a conflict left."""
    return is_archived(path) or is_imported(path) or is_conflict_copy(path)


def without_ending(path: str) -> str:
    """A path without `.md` or `.markdown`."""
    for ending in ENDINGS:
        if path[-len(ending) :].lower() == ending:
            return path[: -len(ending)]
    return path


def path_order(path: str) -> tuple[int, int, str]:
    """What sorts paths by how near they are to the vault's folder, and by how short."""
    return path.count("/"), len(path), path


name_key = caseless
"""A spelling of a name with case and Unicode form apart."""


def bare_key(path: str) -> str:
    """The same of a path without its ending."""
    return name_key(without_ending(path))


def is_end(path: str, bare: str) -> bool:
    """Whether a path, without its ending, is or ends in a `name_key`."""
    return f"/{bare_key(path)}".endswith(f"/{bare}")


class NoteNames:
    """The names of notes, ready to be asked. The sloppy spellings are worked out when first needed.

    Notes that are `hidden` are never found; their names are kept so that no other note is found by
    them.
    """

    def __init__(self, called: Iterable[Called], hidden: Sequence[Called] = ()) -> None:
        self.called = tuple(called)
        self._hidden = NoteNames(hidden) if hidden else None
        self.paths = {each.path: each for each in self.called}
        self._near: dict[str, list[str]] = {}
        bare = [(bare_key(path), path) for path in self.paths]
        self.by_path = group_pairs(bare)
        self.by_stem = group_pairs((basename(place), path) for place, path in bare)

    def kind(self, path: str) -> str:
        """The kind of a note, "" where it is not one of these."""
        found = self.paths.get(path)
        return found.kind if found else ""

    def resolve(self, name: str, *, today: datetime.date, path_only: bool = False) -> str:
        """The path of the note that `name` means; with `path_only` by its path or the end of it
        alone.

        AmbiguousNameError with the candidates where several are meant equally, NoteNotFoundError
        with the nearest names where none is, PrivateNoteError where `is_private`.
        """
        wanted = clean_name(name)
        if self.is_private(wanted):
            raise PrivateNoteError(f"no note is called {name!r}", where_to_look())
        if path_only:
            found = self._by_path(wanted)
        else:
            found = self.exactly(wanted) or self._likely(name, today)
        if not found:
            raise NoteNotFoundError(f"no note is called {name!r}", self._nearest(wanted))
        if len(found) == 1:
            return found[0]
        raise AmbiguousNameError(
            f"{name!r} can mean {len(found)} notes: {first_names(found, _MOST_CANDIDATES)}",
            "give the path of the one you mean",
            candidates=tuple(found),
        )

    def _likely(self, name: str, today: datetime.date) -> list[str]:
        """The notes that part of a name may mean, one where it is clear enough.

        NoteNotFoundError where one alone may be meant, but not clearly.
        """
        ranked = self.partly(clean_name(name), today=today)
        if ranked and ranked[0].points >= RESOLVE:
            return [ranked[0].path]
        likely = [each.path for each in ranked if each.points >= ASK]
        if len(likely) == 1:
            raise NoteNotFoundError(f"no note is called {name!r}", f"did you mean {likely[0]}?")
        return likely

    def is_private(self, name: str) -> bool:
        """Whether this is the whole name of a hidden note: then no other note is meant by it, but
        one of that path."""
        if self._hidden is None or name in self.paths or name.startswith("^"):
            return False
        bare = bare_key(name)
        if ("/" in name or bare != name_key(name)) and bare in self.by_path:
            return bare in self._hidden.by_path
        return bool(self._hidden.exactly(name))

    def exactly(self, name: str) -> list[str]:
        """The notes whose whole name it is, by the most precise spelling that any note answers to.

        Where current notes answer, archived ones of the same name and conflict copies do not. None
        by a name that `is_private`; so it is with parts of a name below.
        """
        if self.is_private(name):
            return []
        if found := self._by_path(name):
            return found
        alike: Sequence[str] = ()
        if fold_name(name):
            alike = self.folds.get(fold_name(without_ending(name)), alike)
        return self._current(self.titles.get(name_key(name), alike))

    def having(self, name: str) -> list[str]:
        """The notes of which every word of a name is a whole word of one of their names, but for
        daily notes; archived ones if no other is."""
        name = clean_name(name)
        asked = set(name_words(name))
        if not asked or self.is_private(name):
            return []
        found = []
        for each in self.called:
            if each.kind == "daily" or is_conflict_copy(each.path):
                continue
            if any(asked.issubset(name_words(name)) for name in each.every_name):
                found.append(each.path)
        current = [path for path in found if not gives_way(path)]
        return current or found

    def _by_path(self, name: str) -> list[str]:
        """The notes whose path it is, else the end of it."""
        if name in self.paths:
            return [name]
        whole = name_key(name)
        bare = bare_key(name)
        found = self.by_path.get(whole) or self.by_path.get(bare)
        found = found or self.ending_in(whole) or self.ending_in(bare)
        return self._current(found)

    def ending_in(self, bare: str) -> list[str]:
        """Notes whose path, without ending, is or ends in `bare` (a `name_key`): shortest path
        first as in Obsidian, but archived ones and the days of agents last, so that archiving a few
        lines of a note never takes its links.
        """
        found = self.by_stem.get(basename(bare), [])
        if "/" in bare:
            agents = bare.split("/")
            found = [
                path
                for path in found
                if is_end(path, bare)
                and (not is_agents_day(path) or name_key(agent_of(path)) in agents)
            ]
        if len(found) < 2:
            return list(found)

        def order(path: str) -> tuple[Any, ...]:
            is_last = gives_way(path) or is_agents_day(path)
            return is_last, path_order(path)

        return sorted(found, key=order)

    @cached_property
    def titles(self) -> Mapping[str, Sequence[str]]:
        """Notes by the keys of their titles and aliases."""
        return self._called_by(lambda each: map(name_key, each.names))

    @cached_property
    def folds(self) -> Mapping[str, Sequence[str]]:
        """Notes by the folds of all their names."""

        def spelled(each: Called) -> Iterable[str]:
            return map(fold_name, (without_ending(each.path), *each.every_name))

        return self._called_by(spelled)

    def _called_by(self, spelled: Callable[[Called], Iterable[str]]) -> dict[str, list[str]]:
        """Notes by their names, as `spelled` spells them."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for each in self.called:
            for name in dict.fromkeys(spelled(each)):
                found[name].append(each.path)
        return found

    def partly(self, name: str, *, today: datetime.date) -> list[NoteMatch]:
        """Notes that `name` is part of, best first.

        Name, 50: how well the words fit (`name_fit`). Context, 35: there is no conversation to look
        at here, only the other notes, so it is how clearly the note stands before the next best
        one. Recency, 15: 1/(1 + days/100) of the note's own date, the middle where it has none;
        uses do not count, so that what was read last takes no name from another note. Daily notes
        have no partial names.
        """
        asked = name_words(name)
        if not asked or self.is_private(name):
            return []
        fits = {}
        for each in self.called:
            fit = self._best_fit(asked, each)
            if fit:
                fits[each] = fit
        ranked = sorted(fits, key=lambda each: (-fits[each], each.path))
        current = set(self._current([each.path for each in ranked]))
        ranked = [each for each in ranked if each.path in current]
        found = []
        for each in ranked[:100]:
            others = [other for other in ranked[:2] if other is not each]
            rival = max(map(fits.__getitem__, others), default=0.0)
            lead = fits[each] - rival
            context = min(1.0, max(0.0, lead) / 0.2)
            recency = date_nearness(each.date, today)
            points = 50 * fits[each] + 35 * context + 15 * recency
            found.append(NoteMatch(each.path, points))
        return sorted(found, key=lambda each: (-each.points, each.path))

    def _best_fit(self, asked: tuple[str, ...], called: Called) -> float:
        """How well the words asked for stand for a name of a note; a daily note has none."""
        if called.kind == "daily":
            return 0.0
        best = 0.0
        for name in called.every_name:
            if _may_hold(name, asked[0]):
                fit = name_fit(asked, name_words(name))
                best = max(best, fit)
        return best

    def _current(self, found: Sequence[str]) -> list[str]:
        """Without the notes that give way and the days of agents, where something else remains."""
        if len(found) < 2:
            return list(found)
        live = [path for path in found if not gives_way(path)]
        others = [path for path in live if not is_agents_day(path)]
        return others or live or list(found)

    def _nearest(self, name: str) -> str:
        if near := self.near(name):
            return "did you mean " + " or ".join(near) + "?"
        return where_to_look()

    def near(self, name: str) -> list[str]:
        """Spellings of up to three notes that a name may be a slip of, nearest first."""
        if name not in self._near:
            self._near[name] = self._spelled_like(name)
        return self._near[name]

    def _spelled_like(self, name: str) -> list[str]:
        import difflib

        known = {}
        for stem, paths in self.by_stem.items():
            known[stem] = paths[0], without_ending(paths[0])
        for each in self.called:
            for spelling in each.names:
                known[name_key(spelling)] = each.path, spelling
        wanted = bare_key(name)
        others = _may_be_near(wanted, known)
        found = difflib.get_close_matches(wanted, others, 3, _NEAR)
        once = dict(known[each] for each in reversed(found))
        return list(reversed(once.values()))


_NEAR = 0.6
"""How alike a name is that another may be a slip of, 0 to 1, as `difflib` counts."""
_ODD = re.compile(r'["\\\x00-\x1f]')
"""What stands otherwise in JSON."""


def folded_json(names: Iterable[str]) -> str:
    """Folded names as a JSON list: `json` itself takes long to import, and they have letters and
    digits alone, but for those that have none of these, which are as they were written."""
    every = tuple(names)
    listed = '","'.join(every)
    if _ODD.search("".join(every)):
        from json import dumps

        return dumps(every)
    return f'["{listed}"]' if listed else "[]"


def clean_name(name: str) -> str:
    """A name without what people put around it: spaces, `[[…]]` and its label, a leading `./`."""
    name = name.strip()
    if name.startswith("[[") and name.endswith("]]"):
        name = name[2:-2].partition("|")[0].strip()
    name = name.replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    return name.lstrip("/")


def name_fit(asked: tuple[str, ...], name: tuple[str, ...]) -> float:
    """How well part of a name stands for the whole, 0 to 1.

    Every word asked for must stand in the name, in order: whole, as an initial (`j` for `joe`) or
    as its beginning (`rob` for `robert`).  Best where the name begins with it; less with every word
    of the name beyond two that nobody asked for (a meeting's title is not a person).
    """
    at = 0
    worth = 1.0
    first = 0
    for order, word in enumerate(asked):
        while at < len(name) and not _stands(word, name[at]):
            at += 1
        if at == len(name):
            return 0.0
        if order == 0:
            first = at
        if word != name[at]:
            if len(word) > 1 or len(asked) > 1:
                worth -= 0.05
            else:
                worth -= 0.4
        at += 1
    if first:
        worth -= 0.1
    more = len(name) - len(asked) - 2
    return max(0.0, worth - 0.1 * max(0, more))


def _may_hold(name: str, word: str) -> bool:
    """Whether one of the words of a name may begin with a word: told soon, and never wrongly no."""
    return word in name.lower() or "'" in name or not name.isascii()


def _may_be_near(wanted: str, names: Iterable[str]) -> list[str]:
    """The names of which enough letters are those of another to be near it, in whatever order:
    few, which are worth a closer look."""
    size = len(wanted)
    letters = wanted.encode()

    def may_be(name: str) -> bool:
        same = len(name)
        if name.isascii():
            other = name.encode().translate(None, letters)
            same -= len(other)
        return 2 * min(size, same) >= _NEAR * (size + len(name))

    return list(filter(may_be, names))


def _stands(word: str, whole: str) -> bool:
    if word == whole:
        return True
    return len(word) != 2 and whole.startswith(word)


def date_nearness(date: str | None, today: datetime.date) -> float:
    """How near a date is to today, 1 for today, the middle where there is none."""
    if date is None:
        return 0.5
    try:
        day = datetime.date.fromisoformat(date[:10])
    except ValueError:
        return 0.5
    days = (today - day).days
    return 1 / (1 + max(0, days) / 100)
