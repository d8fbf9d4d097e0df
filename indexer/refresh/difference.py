"""Difference between index and disk: what a pass has to do, before it does anything, and which hits
no longer hold.

Renames that another program made are told from it too: a note that is gone and a new one that says
the same, or nearly so. A pair that is wrong is worse than one that is missed: what several notes
say alike, what is too short to tell notes apart, and what has a rival nearly as like it, makes no
pair.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from posixpath import basename, dirname
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from indexer.disk.walk import (
    ChangeKey,
    Diff,
    IgnoreRules,
    Walk,
    change_key,
    check_sum,
    diff_disk,
    is_racy,
    judge_found,
    kept_verdicts,
    walk,
    walk_digest,
)
from indexer.rows.rows import Index
from indexer.spelling import group_pairs

if TYPE_CHECKING:
    import apsw

    from indexer.note import Settings

HOLD_SHARE = 0.5
HOLD_NOTES = 20
HOLD_SECONDS = 30.0
"""A pass that would drop more than this share *and* number of notes waits for a second one this
much later."""

Look = Callable[[IgnoreRules], Walk]
"""What is on disk under these rules; all of it has to be looked at anew where they do not
`trust`."""


class Difference(NamedTuple):
    """What differs between disk and index.

    `known` are the keys the index holds, empty where the walk is the one it was made from. `moves`
    are new path → old path, `hidden` the notes that a rule leaves out now, `gone` those that are no
    longer on disk, neither counting a move. `touched` are notes whose bytes are as they were and
    whose key proves it by now; `failed` cannot be read, and still cannot.
    """

    walk: Walk
    known: Mapping[str, ChangeKey]
    new: list[str]
    changed: list[str]
    gone: list[str]
    hidden: list[str]
    moves: Mapping[str, str]
    touched: list[str]
    failed: dict[str, str]
    verdicts: dict[str, bool]
    rules: str
    meta: Mapping[str, Any]
    # failures, verdicts and rules are as the index has them, and nothing waits to be purged
    settled: bool

    def held(self, now: float, *, accept: bool) -> int:
        """How many deletions have to wait for a second pass, or, where no note is left, to be
        accepted."""
        gone = len(self.gone)
        if accept or gone <= HOLD_NOTES or gone <= len(self.known) * HOLD_SHARE:
            return 0
        if not self.walk.found:  # as empty as the folder that a disk is mounted on
            return gone
        since = self.meta.get("held_since")
        if since is not None and now - float(since) >= HOLD_SECONDS:
            return 0
        return gone

    def is_work(self, held: int) -> bool:
        """Whether anything at all has to be written, while `held` deletions wait."""
        if self.new or self.changed or self.hidden or self.touched or not self.settled:
            return True
        if self.gone and not held:
            return True
        return bool(held) != ("held_since" in self.meta)


def compare(settings: Settings, index: Index, now: float, look: Look | None = None) -> Difference:
    """Walk the vault, or `look` at it, and compare with the index.

    IndexUnavailableError where the root cannot be listed.
    """
    look = look or partial(walk, settings.root)
    meta = index.get_all_meta()
    verdicts = index.get_verdicts()
    failed = index.get_failed()
    racy = index.get_racy()
    rules = IgnoreRules(settings.root, settings.exclude, verdicts, trust=True)
    on_disk = look(rules)
    text = rules_text(settings, on_disk, now)
    if text != meta.get("rules"):
        rules = IgnoreRules(settings.root, settings.exclude)
        on_disk = look(rules)
        text = rules_text(settings, on_disk, now)
    known: Mapping[str, ChangeKey] = {}
    found = Diff([], [], [])
    if {*racy, *failed} or _may_differ(on_disk, meta):
        known = index.get_keys()
        if rules.trust:
            judge_found(on_disk, rules, known)
        found = diff_disk(known, failed, on_disk)
    read_now = (*found.new, *found.changed)
    still = {**_still_failed(settings, failed, read_now), **on_disk.failed}
    changed = {path for path in found.changed if path not in still}
    touched = _settle(settings, racy, on_disk, changed, now)
    new = [path for path in found.new if path not in still]
    missing = dict.fromkeys((*found.gone, *failed))
    hidden = list(filter(rules.leaves_out, missing))
    left = set(found.gone).difference(hidden)
    moves = _moves(settings, index, known, on_disk, new, left)
    explained = {*hidden, *moves.values()}
    stored = (failed, verdicts, meta.get("rules"), "purge" in meta)
    due = (still, kept_verdicts(rules.verdicts), text, False)
    return Difference(
        walk=on_disk,
        known=known,
        new=new,
        changed=sorted(changed),
        gone=[path for path in found.gone if path not in explained],
        hidden=hidden,
        moves=moves,
        touched=touched,
        failed=still,
        verdicts=rules.verdicts,
        rules=text,
        meta=meta,
        settled=stored == due,
    )


def _may_differ(on_disk: Walk, meta: Mapping[str, Any]) -> bool:
    """Whether the disk has to be compared note by note, because it is not as it was walked last."""
    if on_disk.failed or "held_since" in meta:
        return True
    return walk_digest(on_disk.found) != meta.get("walk")


def rules_text(settings: Settings, on_disk: Walk, now: float) -> str:
    """A value that differs where the ignore rules do; a rule file whose key proves nothing yet
    counts by its bytes, one that cannot be followed by the reason.

    The rules themselves may name what is ignored, and are not kept.
    """
    rows: list[tuple[str, ChangeKey, str]] = []
    for path, key in sorted(on_disk.rules.items()):
        content = on_disk.failed.get(path, "")
        if not content and is_racy(key, int(now * 1e9)):
            from indexer.disk.read_file import hash_of

            content = (hash_of(settings.root, path) or b"").hex()
        rows.append((path, key, content))
    return check_sum(repr((rows, settings.exclude)).encode("utf-8", "surrogateescape"))


def _still_failed(
    settings: Settings, failed: Mapping[str, str], paths: Collection[str]
) -> dict[str, str]:
    """Of the notes that failed before, those that would fail in the same way again."""
    if not failed:
        return {}
    from indexer.disk.read_file import file_obstacle

    again = {}
    for path in paths:
        if path in failed and file_obstacle(settings.root, path) == failed[path]:
            again[path] = failed[path]
    return again


def _settle(
    settings: Settings, racy: Mapping[str, bytes], on_disk: Walk, changed: set[str], now: float
) -> list[str]:
    """Look into the notes whose key proved nothing.

    Adds those that changed to `changed`; those that did not and whose key proves something by now
    are the answer.
    """
    touched = []
    for path, before in racy.items():
        if path in changed or path not in on_disk.found:
            continue
        from indexer.disk.read_file import hash_of

        if hash_of(settings.root, path) != before:
            changed.add(path)
        elif not is_racy(on_disk.found[path], int(now * 1e9)):
            touched.append(path)
    return touched


def _moves(
    settings: Settings,
    index: Index,
    known: Mapping[str, ChangeKey],
    on_disk: Walk,
    new: Collection[str],
    gone: set[str],
) -> dict[str, str]:
    """New path → old path of the notes whose bytes are under another path now."""
    if not (new and gone):
        return {}
    from indexer.disk.read_file import hash_of

    sizes = {known[path][0] for path in gone} - {0}
    moves = {}
    for path in new:
        if on_disk.found[path][0] in sizes:
            digest = hash_of(settings.root, path)
            old = digest and index.get_path_of(digest, gone)
            if old:
                gone.discard(old)
                moves[path] = old
    return moves


def changed_paths(
    index: Index, root: str, paths: Collection[str], failed: Collection[str]
) -> set[str]:
    """Those of some notes whose file is no longer what the index read.

    A note that `failed` to be read passes while its size and time say that it is the same.
    """
    found = set()
    keys = index.get_keys(paths)
    for path in paths:
        known = keys.get(path)
        try:
            now = change_key(os.lstat(os.path.join(root, path)))
        except OSError:
            found.add(path)
            continue
        passes = path in failed and known and now[:2] == known[:2]
        if now != known and not passes:
            found.add(path)
    return found


def held_notice(held: int, *, empty: bool) -> str:
    """What a person is told about deletions that wait; `empty` where no note is left on disk."""
    if empty:
        until = ""
    else:
        until = f" until a check at least {HOLD_SECONDS:.0f} s from now finds the same"
    return (
        f"{held} notes ({'all' if empty else 'more than half'} of the vault) are missing from the"
        f" folder and stay in the index{until}; if they were deleted on purpose: `aurelius index"
        " --accept-deletions`"
    )


def unrecognised_notice(gone: int, new: int) -> str:
    """What a person is told where there was no time to find out which of these notes were
    renamed."""
    return (
        f"{gone} notes are gone from where they were and {new} are new, too many to find out which"
        " were renamed and edited: `aurelius move OLD NEW` repairs the links to one that was"
    )


LIKE = 0.6
"""The share of the longer note's words that both have to say, in the same order."""

_LEAST_MARGIN = 0.15
"""How much more alike a pair has to be than any other pair with one of its notes."""

SAME_NAME = 0.5
"""What the same file name in another folder counts for, among pairs that are alike."""

_FEW_WORDS = 8
FEWEST = 3
"""Words that a note has to say of its own to be recognised, and where both say exactly the same."""

MOST_ROWS = 5000
_MOST_NEIGHBOURS = 50
"""Rows of the neighbours in a folder that are read, and notes that may have words in common to be
compared for them."""

RECOGNISING = 0.5
"""Seconds that a pass may take to recognise renamed notes; after that it does without."""

LinesByPath = Mapping[str, Sequence[str]]
"""Path → what the note says, a line each, without headings."""

_BULLET = r"^(?:[>\s]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?"
_ID = r"\s\^[A-Za-z0-9-]{1,64}$"
_WORD = r"\w+"
_HEADER = r"\s*(?:#|\*\*[^*]{1,40}:\*\*|\*\*[^*]{1,40}\*\*:|<!--)"
_DAY = re.compile(r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}")


class TookTooLongError(Exception):
    """Recognising renamed notes would take longer than is allowed."""


class Allowance:
    """Seconds that a job may take, spent in pieces: each is a `with`, and the time between them is
    free.

    `clock` gives the time in seconds: that of this thread's own work, so that other programs cost
    it nothing.
    """

    def __init__(
        self, seconds: float = RECOGNISING, clock: Callable[[], float] = time.thread_time
    ) -> None:
        self._clock = clock
        self._left = seconds
        self._end = 0.0

    def __enter__(self) -> Self:
        self._end = self._clock() + self._left
        return self

    def __exit__(self, *_: object) -> None:
        self._left = self._end - self._clock()

    def check(self) -> None:
        """TookTooLongError where the time is over."""
        if self._clock() > self._end:
            raise TookTooLongError


class _Told(NamedTuple):
    """A note as it is compared: its name, its own lines in order, how many words, and the hashes of
    its phrases."""

    stem: str
    lines: list[str]
    words: int
    phrases: frozenset[int]


class _Line(NamedTuple):
    """A line without marks, "" for a heading; how many words it has, and the hashes of its
    phrases."""

    plain: str
    words: int
    phrases: tuple[int, ...]


class _Cutter:
    """Notes cut into phrases: each line once, as most lines stand in the old note and in the new
    one."""

    def __init__(self, others: Iterable[str], time_left: Allowance) -> None:
        self._marks = re.compile(f"{_BULLET}|{_ID}")
        self._header = re.compile(_HEADER)
        self._word = re.compile(_WORD)
        self._lines: dict[str, _Line] = {}
        self._time_left = time_left
        self._common: set[str] = set()
        for line in others:
            time_left.check()
            self._common.add(self._plain(line))

    def cut(self, path: str, lines: Iterable[str]) -> _Told:
        """What a note says of its own: neither headings nor lines that other notes have too."""
        every = map(self._line, lines)
        says = [line for line in every if line.plain and line.plain not in self._common]
        self._time_left.check()
        stem = basename(path).rpartition(".")[0].casefold()
        phrases = frozenset(chain.from_iterable(line.phrases for line in says))
        return _Told(
            stem=stem,
            lines=sorted(line.plain for line in says),
            words=sum(line.words for line in says),
            phrases=phrases,
        )

    def cut_all(self, notes: LinesByPath) -> dict[str, _Told]:
        """What several notes say of their own."""
        return {path: self.cut(path, lines) for path, lines in notes.items()}

    def _line(self, line: str) -> _Line:
        found = self._lines.get(line)
        if found is None:
            if self._header.match(line):
                plain = ""
            else:
                plain = self._plain(line)
            words = plain.split()
            found = self._lines[line] = _Line(plain, len(words), _phrases(words))
        return found

    def _plain(self, line: str) -> str:
        text = self._marks.sub("", line).casefold()
        return " ".join(self._word.findall(text))


def _phrases(words: Sequence[str]) -> tuple[int, ...]:
    """Every three words that follow each other in a line, or the whole of a shorter one, hashed."""
    if len(words) < 3:
        return (hash(tuple(words)),)
    threes = zip(words, words[1:], words[2:], strict=False)
    return tuple(map(hash, threes))


def pairs(
    gone: LinesByPath,
    new: LinesByPath,
    others: Iterable[str] = (),
    allowed: Allowance | None = None,
) -> list[tuple[str, str]]:
    """Which of the notes that are gone is which new one; `others` are lines of the notes that
    stayed.

    TookTooLongError where it takes longer than is `allowed`: a pair is only sure once all were
    compared.
    """
    with allowed or Allowance() as time_left:
        cutter = _Cutter(others, time_left)
        before = cutter.cut_all(gone)
        after = cutter.cut_all(new)
        points: dict[tuple[str, str], float] = {}
        for old, now in _candidates(before, after, time_left):
            time_left.check()
            if like := _likeness(before[old], after[now]):
                points[old, now] = like
    return sorted(_surest(points))


def _surest(points: Mapping[tuple[str, str], float]) -> Iterator[tuple[str, str]]:
    """The pairs that are clearly more alike than any other pair with one of their notes."""
    best = sorted(points.items(), key=lambda pair: pair[1])
    of_old = group_pairs((old, like) for (old, _), like in best)
    of_new = group_pairs((now, like) for (_, now), like in best)
    for (old, now), like in points.items():
        sides = of_old[old], of_new[now]
        if all(_leads(side, like) for side in sides):
            yield old, now


def _leads(side: Sequence[float], like: float) -> bool:
    """Whether a pair is the best of a note's, by a margin; the best comes last."""
    if side[-1] != like:
        return False
    return not any(like < other + _LEAST_MARGIN for other in side[-2:-1])


def _likeness(one: _Told, other: _Told) -> float:
    """How like each other two notes are, 0 for too little."""
    sizes = len(one.phrases), len(other.phrases)
    if not min(sizes) or min(sizes) / max(sizes) < LIKE:
        return 0.0
    exact = one.lines == other.lines
    same_name = one.stem == other.stem
    if not exact and not same_name and _DAY.fullmatch(one.stem) and _DAY.fullmatch(other.stem):
        return 0.0
    least = FEWEST if exact else _FEW_WORDS
    if min(one.words, other.words) < least:
        return 0.0
    like = len(one.phrases & other.phrases) / max(sizes)
    if like >= LIKE:
        return like + SAME_NAME * same_name
    return 0.0


def _candidates(
    before: Mapping[str, _Told], after: Mapping[str, _Told], time_left: Allowance
) -> set[tuple[str, str]]:
    """Pairs that share a phrase which few notes have, among the rarest phrases of each.

    Two notes that share the needed part of their phrases share one of the rarest: of n phrases
    sorted by how rare they are, the first that both have is no later than after all that the other
    may lack. So only these are looked at.
    """
    holders: Counter[int] = Counter()
    for each in before.values():
        holders.update(each.phrases)
    rare = sorted(
        (phrase for phrase, count in holders.items() if count <= _MOST_NEIGHBOURS),
        key=holders.__getitem__,
    )
    rank = {phrase: at for at, phrase in enumerate(rare)}  # the same order for all
    having: dict[int, list[str]] = {}
    for path, each in before.items():
        time_left.check()
        for number in _rarest(each, rank, holders):
            having.setdefault(number, []).append(path)
    found: set[tuple[str, str]] = set()
    for path, each in after.items():
        time_left.check()
        for number in _rarest(each, rank, holders):
            found.update((old, path) for old in having.get(number, ()))
    return found


def _rarest(note: _Told, rank: Mapping[int, int], holders: Mapping[int, int]) -> list[int]:
    """Those of a note's phrases of which it has to share one with any note that is like it, as
    places in `rank`."""
    known = note.phrases & holders.keys()
    most = (
        len(known) - int(LIKE * len(note.phrases)) + 1
    )  # a phrase that no old note has is the rarest of all
    places = sorted(rank[phrase] for phrase in known & rank.keys())
    return places[: max(0, most)]


def indexed_lines(db: apsw.Connection, paths: Collection[str], allowed: Allowance) -> LinesByPath:
    """What the index knows that notes say. TookTooLongError where reading it takes longer than is
    `allowed`."""
    found = {}
    with allowed:
        for path in paths:
            allowed.check()
            found[path] = tuple(_lines(db, path))
    return found


def _lines(db: apsw.Connection, path: str) -> Iterator[str]:
    rows = db.execute(
        "SELECT first, text FROM chunk WHERE note = (SELECT id FROM note WHERE path = ?) ORDER BY"
        " ordinal",
        (path,),
    )
    found: set[tuple[int, str]] = set()
    for first, text in rows:
        found.update(enumerate(text.split("\n"), first))
    return (line for _, line in sorted(found))


def neighbours(db: apsw.Connection, paths: Collection[str]) -> Iterator[str]:
    """Lines of the other notes in the same folders: what a template gave them tells no notes
    apart."""
    for folder in sorted({dirname(path) for path in paths}):
        where = "instr(path, '/') = 0"
        values = tuple[str, ...]()
        if folder:
            where = "path > ? AND path < ?"
            values = (folder + "/", folder + "0")  # 0 comes after /
        rows = db.execute(
            f"SELECT path, text FROM chunk JOIN note ON note.id = chunk.note WHERE {where} LIMIT"
            f" {MOST_ROWS}",
            values,
        )
        for path, text in rows:
            if path not in paths and dirname(path) == folder:
                yield from text.split("\n")
