"""Difference between index and disk: what a pass has to do, before it does anything, and which hits no longer hold.

Renames that another program made are told from it too: a note that is gone and a new one that says the same, or
nearly so.  A pair that is wrong is worse than one that is missed: what several notes say alike, what is too short
to tell notes apart, and what has a rival nearly as like it, makes no pair.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.disk.walk import Diff, IgnoreRules, Key, Walk, check_sum, diff, digest, is_racy, judge, kept, key_of, walk
from indexer.rows.rows import Index

if TYPE_CHECKING:
    import apsw

    from indexer.note import Settings

HOLD_SHARE, HOLD_NOTES, HOLD_SECONDS = 0.5, 20, 30.0
"""A pass that would drop more than this share *and* number of notes waits for a second one this much later."""

Look = Callable[[IgnoreRules], Walk]
"""What is on disk under these rules; all of it has to be looked at anew where they do not `trust`."""


class Difference(NamedTuple):
    """What differs between disk and index.

    `known` are the keys the index holds, empty where the walk is the one it was made from.  `moves`
    are new path → old path, `hidden` the notes that a rule leaves out now, `gone` those that are no
    longer on disk, neither counting a move.  `touched` are notes whose bytes are as they were and whose
    key proves it by now; `failed` cannot be read, and still cannot.
    """

    walk: Walk
    known: Mapping[str, Key]
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
    settled: bool  # failures, verdicts and rules are as the index has them, and nothing waits to be purged

    def held(self, now: float, *, accept: bool) -> int:
        """How many deletions have to wait for a second pass, or, where no note is left, to be accepted."""
        gone = len(self.gone)
        if accept or gone <= HOLD_NOTES or gone <= len(self.known) * HOLD_SHARE:
            return 0
        if not self.walk.found:  # as empty as the folder that a disk is mounted on
            return gone
        since = self.meta.get("held_since")
        return 0 if since is not None and now - float(since) >= HOLD_SECONDS else gone

    def is_work(self, held: int) -> bool:
        """Whether anything at all has to be written, while `held` deletions wait."""
        if self.new or self.changed or self.hidden or self.touched or not self.settled:
            return True
        return (bool(self.gone) and not held) or bool(held) != ("held_since" in self.meta)


def compare(settings: Settings, index: Index, now: float, look: Look | None = None) -> Difference:
    """Walk the vault, or `look` at it, and compare with the index.

    IndexUnavailableError where the root cannot be listed.
    """
    look = look or partial(walk, settings.root)
    meta, verdicts, failed, racy = index.get_all_meta(), index.get_verdicts(), index.get_failed(), index.get_racy()
    rules = IgnoreRules(settings.root, settings.exclude, verdicts, trust=True)
    on_disk = look(rules)
    text = rules_text(settings, on_disk, now)
    if text != meta.get("rules"):
        rules = IgnoreRules(settings.root, settings.exclude, {})
        on_disk = look(rules)
        text = rules_text(settings, on_disk, now)
    known: Mapping[str, Key] = {}
    found = Diff([], [], [])
    if racy or failed or on_disk.failed or "held_since" in meta or digest(on_disk.found) != meta.get("walk"):
        known = index.get_keys()
        if rules.trust:
            judge(on_disk, rules, known)
        found = diff(known, failed, on_disk)
    still = {**_still_failed(settings, failed, (*found.new, *found.changed)), **on_disk.failed}
    changed = {path for path in found.changed if path not in still}
    touched = _settle(settings, racy, on_disk, changed, now)
    new = [path for path in found.new if path not in still]
    hidden = [path for path in dict.fromkeys((*found.gone, *failed)) if rules.leaves_out(path)]
    moves = _moves(settings, index, known, on_disk, new, set(found.gone).difference(hidden))
    gone = [path for path in found.gone if path not in hidden and path not in moves.values()]
    settled = still == failed and kept(rules.verdicts) == verdicts and text == meta.get("rules") and "purge" not in meta
    return Difference(
        on_disk, known, new, sorted(changed), gone, hidden, moves, touched, still, rules.verdicts, text, meta, settled
    )


def rules_text(settings: Settings, on_disk: Walk, now: float) -> str:
    """A value that differs where the ignore rules do; a rule file whose key proves nothing yet counts by its bytes.

    The rules themselves may name what is ignored, and are not kept.
    """
    rows: list[tuple[str, Key, str]] = []
    for path, key in sorted(on_disk.rules.items()):
        content = ""
        if is_racy(key, int(now * 1e9)):
            from indexer.disk.read_file import hash_of

            content = (hash_of(settings.root, path) or b"").hex()
        rows.append((path, key, content))
    return check_sum(repr((rows, settings.exclude)).encode("utf-8", "surrogateescape"))


def _still_failed(settings: Settings, failed: Mapping[str, str], paths: Collection[str]) -> dict[str, str]:
    """Of the notes that failed before, those that would fail in the same way again."""
    if not failed:
        return {}
    from indexer.disk.read_file import obstacle

    again = [path for path in paths if path in failed]
    return {path: failed[path] for path in again if obstacle(settings.root, path) == failed[path]}


def _settle(settings: Settings, racy: Mapping[str, bytes], on_disk: Walk, changed: set[str], now: float) -> list[str]:
    """Look into the notes whose key proved nothing.

    Adds those that changed to `changed`; those that did not and whose key proves something by now are
    the answer.
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
    settings: Settings, index: Index, known: Mapping[str, Key], on_disk: Walk, new: Collection[str], gone: set[str]
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
            old = index.get_path_of(digest, gone) if digest is not None else None
            if old is not None:
                gone.discard(old)
                moves[path] = old
    return moves


def changed_paths(index: Index, root: str, paths: Collection[str], failed: Collection[str]) -> set[str]:
    """Those of some notes whose file is no longer what the index read.

    A note that `failed` to be read passes while its size and time say that it is the same.
    """
    found = set()
    keys = index.get_keys(paths)
    for path in paths:
        known = keys.get(path)
        try:
            now = key_of(os.lstat(os.path.join(root, path)))
        except OSError:
            found.add(path)
            continue
        if now != known and not (path in failed and known and now[:2] == known[:2]):
            found.add(path)
    return found


def held_notice(held: int, *, empty: bool) -> str:
    """What a person is told about deletions that wait; `empty` where no note is left on disk."""
    until = "" if empty else f" until a check at least {HOLD_SECONDS:.0f} s from now finds the same"
    return (
        f"{held} notes ({'all' if empty else 'more than half'} of the vault) are missing from the folder and stay in "
        f"the index{until}; if they were deleted on purpose: `aurelius index --accept-deletions`"
    )


LIKE = 0.6
"""The share of the longer note's words that both have to say, in the same order."""

MARGIN = 0.15
"""How much more alike a pair has to be than any other pair with one of its notes."""

SAME_NAME = 0.5
"""What the same file name in another folder counts for, among pairs that are alike."""

FEW, FEWEST = 8, 3
"""Words that a note has to say of its own to be recognised, and where both say exactly the same."""

MOST_ROWS, COMMON = 5000, 50
"""Rows of the neighbours in a folder that are read, and notes that may have words in common to be compared for them."""

Lines = Mapping[str, Sequence[str]]
"""Path → what the note says, a line each, without headings."""

_BULLET = r"^(?:[>\s]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?"
_ID = r"\s\^[A-Za-z0-9-]{1,64}$"
_WORD = r"\w+"
_HEADER = r"\s*(?:#|\*\*[^*]{1,40}:\*\*|\*\*[^*]{1,40}\*\*:|<!--)"
_DAY = re.compile(r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}")


def pairs(gone: Lines, new: Lines, others: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Which of the notes that are gone is which new one; `others` are lines of the notes that stayed."""
    common = set(map(_plain, others))
    old_says, new_says = ({path: _says(lines, common) for path, lines in each.items()} for each in (gone, new))
    points = {pair: like for pair in _candidates(old_says, new_says) if (like := _likeness(pair, old_says, new_says))}
    best: dict[str, list[float]] = {}
    for (old, now), like in points.items():
        best.setdefault("-" + old, []).append(like)
        best.setdefault("+" + now, []).append(like)
    return sorted(
        (old, now)
        for (old, now), like in points.items()
        if all(sum(like < other + MARGIN for other in best[side]) == 1 for side in ("-" + old, "+" + now))
    )


def _likeness(
    pair: tuple[str, str], old_says: Mapping[str, Sequence[str]], new_says: Mapping[str, Sequence[str]]
) -> float:
    """How like each other two notes are, 0 for too little."""
    old, now = pair
    one, other = old_says[old], new_says[now]
    count = min(sum(len(line.split()) for line in each) for each in (one, other))
    exact = sorted(one) == sorted(other)
    stems = [path.rpartition("/")[2].rpartition(".")[0].casefold() for path in pair]
    same_name = stems[0] == stems[1]
    days = not same_name and all(map(_DAY.fullmatch, stems))
    if count < (FEWEST if exact else FEW) or (days and not exact):
        return 0.0
    first, second = set(_runs(one)), set(_runs(other))
    like = len(first & second) / max(len(first), len(second))
    return like + SAME_NAME * same_name if like >= LIKE else 0.0


def _candidates(old_says: Mapping[str, Sequence[str]], new_says: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Pairs that share words which few notes have."""
    holders: dict[str, list[str]] = {}
    for path, lines in old_says.items():
        for run in set(_runs(lines)):
            holders.setdefault(run, []).append(path)
    rare = {run: paths for run, paths in holders.items() if len(paths) <= COMMON}
    return {(old, now) for now, lines in new_says.items() for run in set(_runs(lines)) for old in rare.get(run, ())}


def _says(lines: Iterable[str], common: Collection[str]) -> tuple[str, ...]:
    """What a note says of its own, without marks: neither headings nor lines that other notes have too."""
    plain = (_plain(line) for line in lines if not re.match(_HEADER, line))
    return tuple(line for line in plain if line and line not in common)


def _plain(line: str) -> str:
    return " ".join(re.findall(_WORD, re.sub(_ID, "", re.sub(_BULLET, "", line)).casefold()))


def _runs(lines: Iterable[str]) -> Iterator[str]:
    """Every three words that follow each other in a line, or the whole of a shorter one."""
    for line in lines:
        words = line.split()
        for at in range(max(1, len(words) - 2)):
            yield " ".join(words[at : at + 3])


def lines_of(db: apsw.Connection, paths: Collection[str]) -> Lines:
    """What the index knows that notes say."""
    return {path: tuple(_lines(db, path)) for path in paths}


def _lines(db: apsw.Connection, path: str) -> Iterator[str]:
    rows = db.execute(
        "SELECT first, text FROM chunk WHERE note = (SELECT id FROM note WHERE path = ?) ORDER BY ordinal", (path,)
    )
    found = Counter((first + at, line) for first, text in rows for at, line in enumerate(text.split("\n")))
    return (line for _, line in sorted(found))


def neighbours(db: apsw.Connection, paths: Collection[str]) -> Iterator[str]:
    """Lines of the other notes in the same folders: what a template gave them tells no notes apart."""
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        where, values = "instr(path, '/') = 0", tuple[str, ...]()
        if folder:
            where, values = "path > ? AND path < ?", (folder + "/", folder + "0")  # 0 comes after /
        rows = db.execute(
            f"SELECT path, text FROM chunk JOIN note ON note.id = chunk.note WHERE {where} LIMIT {MOST_ROWS}",  # noqa: S608
            values,
        )
        for path, text in rows:
            if path not in paths and path.rpartition("/")[0] == folder:
                yield from text.split("\n")
