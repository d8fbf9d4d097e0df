"""What a sync did, as text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.spelling import plural

from .json_text import dump
from .terminal import one_line

if TYPE_CHECKING:
    from aurelius.sync.sync import SyncResult, Traffic


def sync_told(done: SyncResult, *, dry_run: bool) -> str:
    """What is to be told of a sync, and in the last line what went and came."""
    lines = [one_line(each) for each in done.told]
    if not done.remote:
        lines.append("committed; there is no remote, so nothing was sent (`aurelius help devices`)")
        return "".join(f"{line}\n" for line in lines)
    parts = []
    words = ("sent", "received")
    if dry_run:
        words = ("would send", "would receive")
    for word, traffic in zip(words, (done.sent, done.received), strict=True):
        if told := _counted(traffic):
            parts.append(f"{word} {told}")
    ends = [", ".join(parts) or "nothing new"]
    if done.questions:
        ends.append(f"{done.questions:,} {plural('question', done.questions)} for review")
    if not dry_run:
        ends.append(f"up to date with {one_line(done.remote)}")
    parts = ["; ".join(ends)]
    return "".join(f"{line}\n" for line in (*lines, *parts))


def _counted(traffic: Traffic) -> str:
    """How many notes went one way, and what they were."""
    kinds = ((traffic.changed, "changed"), (traffic.new, "new"), (traffic.deleted, "deleted"))
    told = ""
    if traffic.notes:
        shown = ", ".join(f"{count:,} {word}" for count, word in kinds if count)
        told = f"{traffic.notes:,} {plural('note', traffic.notes)} ({shown})"
    if traffic.other:
        others = f"{traffic.other:,} other {plural('file', traffic.other)}"
        told = " and ".join(filter(None, (told, others)))
    return told


def sync_json(done: SyncResult, *, dry_run: bool) -> str:
    """The same for programs."""
    return dump(
        remote=done.remote or None,
        sent=done.sent._asdict(),
        received=done.received._asdict(),
        told=[*done.told],
        questions=done.questions,
        dry_run=dry_run,
    )
