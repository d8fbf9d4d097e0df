"""State of vault, index and daemon as text: findings, verification, status, settings, what a
refresh or `init` did."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers.findings import FINDING_HEADINGS, HABITS
from aurelius.answers.leftovers import leftovers_in_words
from aurelius.daemon.control import in_short
from indexer.errors import first_names
from indexer.spelling import plural

from .terminal import BOLD, DIM_CODE, MARK_CODE, Paint, escape_controls, lined, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from aurelius.answers.findings import Checkup, Finding
    from aurelius.answers.leftovers import Leftover
    from aurelius.answers.note_view import Status
    from aurelius.daemon.control import DaemonProcess
    from aurelius.daemon.install import InstallPlan
    from aurelius.daemon.loop import DaemonState
    from aurelius.settings.config import Asked, Setting
    from aurelius.writing.forget import ForgetReport
    from indexer.refresh.damage import Mismatch
    from indexer.refresh.refresh import RefreshReport
    from indexer.refresh.verify import Verification

SHOWN_DIFFERENCES = 20
AGENTS_NAMED = 5


def findings_text(found: Checkup, *, paint: Paint) -> str:
    """How many of each kind there are, then some of each under a heading, with what to do."""
    wide, long = (
        max((len(str(each)) for each in column), default=0)
        for column in (found.counts.values(), found.counts)
    )
    listed = {each.code for each in found.findings}
    lines = [
        f"{count:{wide}}  {paint(f'{code:{long}}', MARK_CODE)}  {FINDING_HEADINGS.get(code, code)}"
        + (
            f" (no fault; `aurelius doctor --kind {code}` lists them)"
            if code in HABITS - listed
            else ""
        )
        for code, count in found.counts.items()
    ]
    for code, rows in groupby(found.findings, key=attrgetter("code")):
        lines += ["", *_group(code, list(rows), found.counts[code], paint)]
    return lined(lines)


def _group(code: str, rows: list[Finding], total: int, paint: Paint) -> list[str]:
    """The findings of one kind; what to do once, where it is the same for all."""
    fixes = {each.fix for each in rows}
    heading = FINDING_HEADINGS.get(code, code)
    lines = [
        paint(f"{heading[0].upper()}{heading[1:]}", BOLD)
        + (f": {one_line(*fixes)}" if len(fixes) == 1 else "")
    ]
    for each in rows:
        at = one_line(each.path) + (f":{each.line}" if each.line else "")
        lines.append("  " + f"{paint.place(each.path, at)}: " * bool(at) + one_line(each.message))
        if len(fixes) > 1 and each.fix:
            lines.append(f"    {one_line(each.fix)}")
    more = total - len(rows)
    if more:
        return [*lines, paint(f"  and {more} more: aurelius doctor --kind {code} --all", DIM_CODE)]
    return lines


def checked_text(found: Checkup) -> str:
    """What was looked at, a line each."""
    rows = found.checked
    width = max(len(each.what) for each in rows)
    return "Checked\n" + "".join(
        f"  {each.what:{width}}  {one_line(each.found)}\n" for each in rows
    )


def leftovers(found: Sequence[Leftover]) -> str:
    """What earlier vaults and versions left, with its size and the command that removes it."""
    kinds = ", ".join(f"{what} ({size(count)})" for what, count in leftovers_in_words(found))
    return f"{kinds}; `aurelius doctor --fix` removes {'it' if len(found) == 1 else 'them'}"


def removed_text(found: Sequence[Leftover], *, kept: int) -> tuple[str, str]:
    """What `doctor --fix` removed, a line each, and what that comes to."""
    lines = [f"removed {one_line(each.path)}: {each.kind} ({size(each.size)})" for each in found]
    verdict = "nothing to remove"
    if found:
        verdict = f"{size(sum(each.size for each in found))} freed"
    if kept:
        verdict += f"; {kept} could not be removed: in use, or with other files inside"
    return lined(lines), verdict


def verdict_of(found: Checkup, kinds: Collection[str] = ()) -> str:
    """What `doctor` comes to, in one line; of these `kinds` alone."""
    if kinds and found.total and not found.counts:
        return f"no {' or '.join(kinds)} findings ({found.total} of other kinds)"
    if not found.faults:
        if not found.findings:
            return "nothing is wrong"
        return f"{_findings(sum(found.counts.values()))}, none of them a fault"
    if found.truncated:
        return f"{_findings(found.faults)}, {len(found.findings)} of them shown"
    return _findings(found.faults)


def _findings(count: int) -> str:
    return f"{count} {plural('finding', count)}"


def verification_text(found: Verification) -> str:
    """What `doctor --verify` found: the first differences, what is listed apart, what was
    compared."""
    lines = _differences(found.differences, "") + _differences(found.repaired, "repaired: ")
    lines += [f"failed: {one_line(path)}: {one_line(reason)}" for path, reason in found.failed]
    lines += [f"held: {one_line(path)}: its deletion is not confirmed yet" for path in found.held]
    lines += [
        f"unsettled: {one_line(path)}: it kept changing while it was checked"
        for path in found.unsettled
    ]
    lines += [f"not checked: {one_line(each)}" for each in found.unproved]
    told = [
        f"{count} {name.removesuffix('s') if count == 1 else name}"
        for name, count in found.compared
    ]
    return lined([*lines, f"compared: {', '.join(told)}  ({found.seconds:.1f} s)"])


def verdict(found: Verification, *, fixed: bool) -> str:
    """What `doctor --verify` comes to, in one line."""
    count = len(found.differences)
    told = f"{count} {plural('difference', count)} between index and files"
    if count and fixed:
        return (
            f"{told} even after a rebuild: this is a bug in Aurelius, or the disk or memory is"
            " failing"
        )
    if count:
        return f"{told}; `aurelius doctor --verify --fix` rebuilds the index"
    told = "the index matches the files"
    if found.unsettled:
        told += " (except those that kept changing)"
    if found.repaired:
        told += "; the index was rebuilt"
    return told


def settings_text(rows: Sequence[Setting]) -> str:
    """A line a setting: key, value, where it comes from."""
    values = [(row.key, setting_text(row.value), row.source) for row in rows]
    keys, width = (max((len(row[at]) for row in values), default=0) for at in (0, 1))
    return "".join(
        f"{key:{keys}} = {value:{width}}  # {one_line(source)}\n" for key, value, source in values
    )


def in_vain(asked: Iterable[Asked], key: str = "") -> list[str]:
    """What a vault asks for and may not decide, a line each with what would grant it; of one key
    where it is named."""
    return [
        f"{each.source}: {each.key} = {setting_text(each.value)} is ignored, because a vault may"
        f" not decide that; to allow it: {each.command}"
        for each in asked
        if key in {"", each.key}
    ]


def report_text(done: RefreshReport) -> str:
    """What a refresh did, on one line, and what it could not read."""
    names = ("added", "changed", "moved", "removed", "unchanged")
    counts = {name: getattr(done, name) for name in names} | {"failed": len(done.failed)}
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "no notes"
    lines = [f"{told}  ({done.seconds:.1f} s)"]
    lines += [f"failed: {one_line(path)}: {one_line(reason)}" for path, reason in done.failed]
    return lined(lines)


class Around(NamedTuple):
    """What `status` tells besides the state of vault and index.

    `daemon` says in short whether one runs, `unlogged` why uses are not written down, `jobs`
    what a daemon does here, `llm` the person's language model.
    """

    daemon: str
    unlogged: str = ""
    jobs: Sequence[str] = ()
    llm: str = ""


def status_text(state: Status, around: Around, *, verbose: bool = False) -> str:
    """The state of vault and index, a line each; `verbose` adds what is of use to whoever looks
    for a fault."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in state.kinds)
    place = one_line(state.index) or "in memory"
    hidden = f"{state.private} {plural('note', state.private)}, shown only with --private"
    problems = f"{state.problems} found while reading the notes"
    ignored = f"{state.ignored} files or folders left out by ignore rules"
    if state.ignored == 1:
        ignored = "1 file or folder left out by ignore rules"
    rows = [
        ("vault", one_line(state.vault)),
        ("notes", f"{state.notes}, {size(state.vault_bytes)}" + f": {kinds}" * bool(kinds)),
        ("facts", str(state.facts)),
        ("index", f"{_current(state.fresh)}, {size(state.index_bytes)}: {place}"),
        ("daemon", one_line(around.daemon)),
        *(("jobs", _job_told(each, around.daemon)) for each in around.jobs),
        ("llm", one_line(around.llm)),
        *(_of_the_index(state) if verbose else ()),
        ("uses", one_line(around.unlogged)),
        ("private", hidden * bool(state.private)),
        ("agents", _of_agents(state.agents)),
        ("ignored", ignored * bool(state.ignored)),
        (
            "problems",
            f"{problems}; `aurelius doctor` lists them and checks the rest" * bool(state.problems),
        ),
        *(("not used", one_line(line)) for line in in_vain(state.in_vain)),
        *_some("not current", state.differences),
        *_some("partly read", [f"{path}: {reason}" for path, reason in state.in_part]),
        *_some("failed", [f"{path}: {reason}" for path, reason in state.failed]),
    ]
    return _table([row for row in rows if row[1]])


def _current(fresh: bool) -> str:
    if fresh:
        return "up to date"
    return "not up to date"


def _job_told(job: str, daemon: str) -> str:
    if daemon == "not running" and job.startswith("the daemon"):
        return f"nothing is done until `aurelius daemon start`; then {one_line(job)}"
    return one_line(job)


def _of_the_index(state: Status) -> list[tuple[str, str]]:
    """What is of use to whoever looks for a fault."""
    return [
        ("holds", f"{state.chunks} chunks, {state.vectors} vectors"),
        ("model", one_line(state.model) or "none: search is by words only"),
        ("generation", f"{state.generation}, schema {state.schema}"),
        *(("setting", f"{key} from {one_line(source)}") for key, source in state.sources),
    ]


def _table(rows: Sequence[tuple[str, str]]) -> str:
    """A line for each name and value, the values below each other."""
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}  {value}\n" for name, value in rows)


def _of_agents(found: Sequence[tuple[str, int]]) -> str:
    """The folders that agents keep as their memory, and what that means for the notes there."""
    if not found:
        return ""
    names = first_names([one_line(name) for name, _ in found], AGENTS_NAMED)
    count = sum(number for _, number in found)
    held = f"{count} {plural('note', count)} in the memory of agents ({names})"
    return f"{held}; a context has them only for that agent (`aurelius help agents`)"


def _some(name: str, values: Sequence[str]) -> list[tuple[str, str]]:
    """A row for each value, and one for those that are too many to be read."""
    shown = [(name, one_line(each)) for each in values[:SHOWN_DIFFERENCES]]
    more = len(values) - len(shown)
    if more:
        return [*shown, (name, f"{more} more, which --json lists")]
    return shown


def size(count: int) -> str:
    """Bytes as people say them: 512 B, 3.4 MB."""
    if count < 1000:
        return f"{count} B"
    value = count / 1000
    for unit in ("kB", "MB"):
        if value < 1000:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


UNFORGET = "remove the line from .aureliusignore to have the note indexed again"


def forgotten_text(done: ForgetReport) -> str:
    """What `forget` did."""
    chunks = f"{done.chunks} {plural('chunk', done.chunks)}"
    lines = [f"removed {one_line(done.path)} from the index ({chunks})"]
    if done.ignored_added:
        lines.append(
            "added it to .aureliusignore, so that it stays out; the file itself is untouched"
        )
    lines.append(
        f"`aurelius undo` does not bring it back{f'; {UNFORGET}' if done.ignored_added else ''}"
    )
    return lined(lines)


def _differences(rows: Sequence[Mismatch], before: str) -> list[str]:
    told = [
        f"{one_line(each.path) or 'the index'}: {one_line(each.part)}: {one_line(each.what)}"
        for each in rows[:SHOWN_DIFFERENCES]
    ]
    if len(rows) > len(told):
        told.append(f"and {len(rows) - len(told)} more, which --json lists")
    return [before + each for each in told]


def setting_text(value: object) -> str:
    """A value as TOML has it, on one line."""
    if isinstance(value, str):
        return '"' + one_line(value).replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(map(setting_text, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def daemon_text(found: DaemonProcess, wrong: Sequence[str], now: float) -> str:
    """A daemon as it is, a line each; `wrong` is what launch.problems says, `now` the unix time."""
    rows = [("daemon", one_line(in_short(found))), ("vault", one_line(found.root))]
    if found.state is not None:
        rows += _rows(found.state, now)
    return _table([*rows, *(("problem", one_line(each)) for each in wrong)])


def _rows(state: DaemonState, now: float) -> list[tuple[str, str]]:
    last = "none yet"
    if state.last_scan:
        last = f"{duration_text(now - state.last_scan)} ago ({state.scan_seconds:.2f} s)"
    soon = "now"
    if state.next_scan > now:
        soon = f"in {duration_text(state.next_scan - now)}"
    notes = f"{state.notes} {plural('note', state.notes)}, generation {state.generation}"
    counts = {"failed": state.failed, "held": state.held}
    return [
        ("running for", duration_text(now - state.since)),
        ("heartbeat", f"{duration_text(now - state.beat)} ago"),
        ("watching", _watched(state)),
        ("backlog", f"{state.backlog} {plural('folder', state.backlog)} waiting"),
        ("last full scan", last),
        ("next full scan", soon),
        ("index", f"{notes}, {_current(state.fresh)}"),
        *(
            (name, f"{count}; `aurelius status` says more")
            for name, count in counts.items()
            if count
        ),
        ("passes", f"{state.passes}, {state.served} requests answered"),
        ("memory", size(state.memory) if state.memory else "unknown"),
        ("log", one_line(state.log)),
        ("socket", one_line(state.socket)),
    ]


def _watched(state: DaemonState) -> str:
    """How many folders are watched, and how."""
    if state.watching != "native":
        left = f", {state.unwatched} not watched" if state.unwatched else ""
        return f"by scanning all folders{left}"
    left = f", {state.unwatched} more by scanning" if state.unwatched else ""
    return f"{state.folders} {plural('folder', state.folders)}{left}"


def duration_text(seconds: float) -> str:
    """A time as people say it: 0.3 s, 12 s, 5 min, 3 h, 2 days."""
    seconds = max(0.0, seconds)
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, length, most in (("s", 1, 120), ("min", 60, 120 * 60), ("h", 3600, 48 * 3600)):
        if seconds < most:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def installation(made: InstallPlan, there: str) -> str:
    """The login service: its text, its file, how to switch it on and off; `there` is what the file
    holds now."""
    head = {
        "": "to be written to",
        "other": "which would replace the text in",
        "same": "already in",
    }[there]
    return (
        f"{made.kind}, {head} {one_line(made.file)}:\n\n{_indented(made.text)}\n\n"
        f"to switch it on:\n{_commands(made.on)}to switch it off:\n{_commands(made.off)}"
    )


def uninstallation(made: InstallPlan, there: str) -> str:
    """What would be taken away, and how it is switched off first."""
    file = one_line(made.file)
    if not there:
        return f"nothing is installed: {file} does not exist"
    changed = ", which was changed after it was written" * (there == "other")
    return (
        f"{made.kind} to be removed: {file}{changed}\n"
        f"to switch it off first:\n{_commands(made.off)}"
    )


def _commands(lines: Iterable[str]) -> str:
    return lined(f"  {one_line(each)}" for each in lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in escape_controls(text).splitlines())
