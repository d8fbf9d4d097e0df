"""Text of `aurelius daemon`: the state of a daemon, and the login service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.daemon.control import in_short

from .health import size
from .terminal import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.daemon.control import DaemonProcess
    from aurelius.daemon.install import InstallPlan
    from aurelius.daemon.loop import DaemonState


def daemon(found: DaemonProcess, wrong: Sequence[str], now: float) -> str:
    """A daemon as it is, a line each; `wrong` is what launch.problems says, `now` the unix time."""
    rows = [("daemon", one_line(in_short(found))), ("vault", one_line(found.root))]
    if found.state is not None:
        rows += _rows(found.state, now)
    rows += [("problem", one_line(each)) for each in wrong]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}  {value}\n" for name, value in rows)


def _rows(state: DaemonState, now: float) -> list[tuple[str, str]]:
    folders = f"{state.folders} {'folder' if state.folders == 1 else 'folders'}"
    watched = folders if state.watching == "native" else "by scanning all folders"
    if state.unwatched:
        watched += (
            f", {state.unwatched} more by scanning"
            if state.watching == "native"
            else f", {state.unwatched} not watched"
        )
    notes = f"{state.notes} {'note' if state.notes == 1 else 'notes'}, generation {state.generation}"
    last = f"{ago(now - state.last_scan)} ({state.scan_seconds:.2f} s)" if state.last_scan else "none yet"
    rows = [
        ("running for", span(now - state.since)),
        ("heartbeat", ago(now - state.beat)),
        ("watching", watched),
        ("backlog", f"{state.backlog} {'folder' if state.backlog == 1 else 'folders'} waiting"),
        ("last full scan", last),
        ("next full scan", f"in {span(state.next_scan - now)}" if state.next_scan > now else "now"),
        ("index", f"{notes}, {'up to date' if state.fresh else 'not up to date'}"),
    ]
    counts = {"failed": state.failed, "held": state.held}
    rows += [(name, f"{count}; `aurelius status` says more") for name, count in counts.items() if count]
    return [
        *rows,
        ("passes", f"{state.passes}, {state.served} requests answered"),
        ("memory", size(state.memory) if state.memory else "unknown"),
        ("log", one_line(state.log)),
        ("socket", one_line(state.socket)),
    ]


def span(seconds: float) -> str:
    """A time as people say it: 0.3 s, 12 s, 5 min, 3 h, 2 days."""
    seconds = max(0.0, seconds)
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, length, most in (("s", 1, 120), ("min", 60, 120 * 60), ("h", 3600, 48 * 3600)):
        if seconds < most:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def ago(seconds: float) -> str:
    """How long something has been over."""
    return f"{span(seconds)} ago"


def installation(made: InstallPlan, there: str) -> str:
    """The login service: its text, its file, how to switch it on and off; `there` is what the file holds now."""
    file = one_line(made.file)
    head = {
        "": f"{made.kind}, to be written to {file}:",
        "other": f"{made.kind}, which would replace the text in {file}:",
        "same": f"{made.kind}, already in {file}:",
    }[there]
    return "\n".join([
        head, "", _indented(made.text), "",
        "to switch it on:", *(f"  {one_line(each)}" for each in made.on),
        "to switch it off:", *(f"  {one_line(each)}" for each in made.off),
    ])  # fmt: skip


def uninstallation(made: InstallPlan, there: str) -> str:
    """What would be taken away, and how it is switched off first."""
    if not there:
        return f"nothing is installed: {one_line(made.file)} does not exist"
    changed = ", which was changed after it was written" if there == "other" else ""
    return "\n".join([
        f"{made.kind} to be removed: {one_line(made.file)}{changed}",
        "to switch it off first:", *(f"  {one_line(each)}" for each in made.off),
    ])  # fmt: skip


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in visible(text).splitlines())
