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
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from itertools import chain, islice
from posixpath import basename
from typing import TYPE_CHECKING, Any

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
from indexer.record import NamedTuple
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

MOST_RENAMED = 2_000_000
"""Bytes of the notes that are gone or new, among which a pass finds those that were renamed."""

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

    def renamable(self, held: int) -> set[str] | None:
        """The notes that are gone, of which a new one may be the later form; None where all these
        are too much to find out."""
        if not self.new:
            return set()
        gone = {*self.moves.values(), *(() if held else self.gone)}
        keys = (*(self.known[path] for path in gone), *(self.walk.found[path] for path in self.new))
        if gone and sum(key[0] for key in keys) > MOST_RENAMED:
            return None
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

    again = (path for path in paths if path in failed)
    return {
        path: failed[path] for path in again if file_obstacle(settings.root, path) == failed[path]
    }


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
    until = f" until a check at least {HOLD_SECONDS:.0f} s from now finds the same"
    if empty:
        until = ""
    return (
        f"{held} notes ({'all' if empty else 'more than half'} of the vault) are missing from the"
        f" folder and stay in the index{until}; if they were deleted on purpose: `aurelius index"
        " --accept-deletions`"
    )


def unrecognised_notice(gone: int, new: int) -> str:
    """What a person is told where these notes are too many to find out which were renamed."""
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

MOST_COMMON_LINES = 50_000
_MOST_NEIGHBOURS = 50
"""Lines of other notes that are read, and notes that may have words in common to be compared for
them."""

LinesByPath = Mapping[str, Sequence[str]]
"""Path → what the note says, a line each, without headings."""

_MARKS = r"^(?:[>\s]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?|\s\^[A-Za-z0-9-]{1,64}$"
_HEADER = r"\s*(?:#|\*\*[^*]{1,40}:\*\*|\*\*[^*]{1,40}\*\*:|<!--)"
_DAY = r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}"


class _Told(NamedTuple):
    """A note as it is compared: its name, its own lines in order, how many words, and every three
    of them that follow each other in a line."""

    stem: str
    lines: list[str]
    words: int
    phrases: set[tuple[str, ...]]


def _told(path: str, lines: Iterable[str], common: Container[str]) -> _Told:
    """What a note says of its own: neither headings nor the lines that are `common`."""
    plain = (_plain(line) for line in lines if not re.match(_HEADER, line))
    says = sorted(line for line in plain if line and line not in common)
    words = 0
    phrases: set[tuple[str, ...]] = set()
    for line in says:
        split = line.split()
        words += len(split)
        phrases.update(tuple(split[at : at + 3]) for at in range(max(1, len(split) - 2)))
    return _Told(basename(path).rpartition(".")[0].casefold(), says, words, phrases)


def _plain(line: str) -> str:
    """A line without marks."""
    return " ".join(re.findall(r"\w+", re.sub(_MARKS, "", line).casefold()))


def pairs(gone: LinesByPath, new: LinesByPath, others: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Which of the notes that are gone is which new one; `others` are lines of the notes that
    stayed.

    Only notes that share a phrase which few have are compared.
    """
    common = set(map(_plain, islice(others, MOST_COMMON_LINES)))
    before = {path: _told(path, lines, common) for path, lines in gone.items()}
    holders: dict[tuple[str, ...], list[str]] = {}
    for path, told in before.items():
        for phrase in told.phrases:
            holders.setdefault(phrase, []).append(path)
    points: dict[tuple[str, str], float] = {}
    for now, lines in new.items():
        told = _told(now, lines, common)
        having = [holders.get(phrase, ()) for phrase in told.phrases]
        few = [each for each in having if len(each) <= _MOST_NEIGHBOURS]
        least = len(few) - (1 - LIKE) * len(having)  # as if all the others were shared
        for old, shared in Counter(chain.from_iterable(few)).items():
            if shared >= least and (like := _likeness(before[old], told)):
                points[old, now] = like
    return sorted(_surest(points))


def find_renamed(
    db: apsw.Connection, before: LinesByPath, new: Collection[str]
) -> list[tuple[str, str]]:
    """The old and the new path of each note that was renamed; `before` is what those that are gone
    said."""
    if not before:
        return []
    return pairs(before, indexed_lines(db, new), neighbours(db, {*before, *new}))


def _surest(points: Mapping[tuple[str, str], float]) -> Iterator[tuple[str, str]]:
    """The pairs that are clearly more alike than any other pair with one of their notes."""
    best = sorted(points.items(), key=lambda pair: pair[1])
    of_old = group_pairs((old, like) for (old, _), like in best)
    of_new = group_pairs((now, like) for (_, now), like in best)
    for (old, now), like in points.items():
        rivals = (*of_old[old][-2:], *of_new[now][-2:])
        if sum(like < other + _LEAST_MARGIN for other in rivals) == 2:  # itself, on both sides
            yield old, now


def _likeness(one: _Told, other: _Told) -> float:
    """How like each other two notes are, 0 for too little."""
    is_exact = one.lines == other.lines
    same_name = one.stem == other.stem
    are_days = re.fullmatch(_DAY, one.stem) and re.fullmatch(_DAY, other.stem)
    if are_days and not (is_exact or same_name):
        return 0.0
    if min(one.words, other.words) < (FEWEST if is_exact else _FEW_WORDS):
        return 0.0
    like = len(one.phrases & other.phrases) / max(len(one.phrases), len(other.phrases))
    if like >= LIKE:
        return like + SAME_NAME * same_name
    return 0.0


def indexed_lines(db: apsw.Connection, paths: Iterable[str]) -> LinesByPath:
    """What the index knows that notes say."""
    found = {}
    for path in paths:
        lines: set[tuple[int, str]] = set()
        for first, text in db.execute(f"SELECT first, text {_CHUNKS} path = ?", (path,)):
            lines.update(enumerate(text.split("\n"), first))
        found[path] = [line for _, line in sorted(lines)]
    return found


def neighbours(db: apsw.Connection, paths: Collection[str]) -> Iterator[str]:
    """Lines of the other notes in the same folders: what a template gave them tells no notes
    apart."""
    for folder in {path[: -len(basename(path))] for path in paths}:
        rows = db.execute(
            f"SELECT path, text {_CHUNKS} substr(path, 1, ?1) = ?2"
            " AND NOT instr(substr(path, ?1 + 1), '/')",
            (len(folder), folder),
        )
        for path, text in rows:
            if path not in paths:
                yield from text.split("\n")


_CHUNKS = "FROM note JOIN chunk ON note.id = chunk.note WHERE"
