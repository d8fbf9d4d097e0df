"""The format of the usage log: what a line says, and how the events of a month are packed into few
lines.

A file is `.aurelius/log/<device>/<YYYY-MM>.jsonl`, an event a line. An event counts in the file of
its own device and month alone, so that each has one home. Reading never raises: a line that cannot
be read, or that lacks its line end, is torn.

A compacted file holds `snap` lines, and these hold events: of uses the day and time of the last one
on each day, of each reinforce and demote its id, time and amount, of anything else when it was said
last. That is what the fold keeps of them anyway, so reading a snap and reading the lines it stands
for is the same, in any mixture: git may merge the lines of two copies that were compacted at
different times, at other events, or not at all, and what both know counts once. Sums could not be
told apart again. The size stays bounded: a fact has at most 31 uses a month, of ten bytes each.
Which session and which command a use belonged to is forgotten then: it goes by its time, like a use
that never had a session.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from indexer.record import NamedTuple
from indexer.spelling import compact_json

DAY_SECONDS = 86400
EPOCH = 719163
"""The ordinal of 1970-01-01."""
MOST_LOG_LINE_BYTES = 1 << 16
"""Bytes that a line may have."""
_LEAST_LINE_BYTES = 40
"""Bytes that a line must have, for an event has an id, a time, an operation and a name."""
MOST_LOG_FILE_BYTES = 1 << 24
"""Bytes that are read of a file, which is 150,000 uses in a month."""
MARKS = {"alias": "to", "summary": "hash", "accept": "", "dismiss": "", "restore": ""}
"""Operations that say something once and for all, and the field that says it."""
FAST_READ_BYTES = 1 << 16
"""Bytes above which a file is read for speed."""
MOST_BY = 1000
"""What one event may add to a score: no sum of them is too large for a database."""

TOO_LARGE = f"only its first {MOST_LOG_FILE_BYTES >> 20} MiB are counted"
"""What is told of a larger one."""

DEVICE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
"""What the name of a device is made of."""
SESSION_OPERATION = "session"
"""The operation by which the fold remembers that a use belongs to a session; no line says it by
itself."""
LONGEST_SESSION = 64
COMMAND = 5
"""Hexadecimal digits of the number that a command draws, which tells its uses from those of another
command in the same second."""
_DIGITS = frozenset("0123456789abcdef")
_SESSION = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") | DEVICE_LETTERS
WAITING = "*"
"""Instead of a path: the file of uses that wait on this device to be moved to the log, whatever
their month."""


class Event(NamedTuple):
    """One line of the log. `at` is unix seconds; `ref` is a fact's `^id` or hash key, or a note's
    path.

    `by` is what a reinforce adds or a demote takes away, of a use in a session the number that its
    command drew (0: not known), `value` what an alias leads to or the hash of a summary, or the
    session that a use belongs to, "" for none.
    """

    at: int
    op: str
    ref: str
    id: str
    by: int = 0
    value: str = ""


class LogLines(NamedTuple):
    """What a file, or its new part, holds: events (packed ones too), how many lines were torn, how
    many are of a later version, up to where it was read, and whether a last line without its end
    follows, which somebody may still be writing."""

    events: list[Event]
    torn: int
    later: int
    end: int
    cut: bool


def log_file_home(path: str) -> tuple[str, str] | None:
    """The device and month of a log file's name, None where it is none; both are "" for the file
    WAITING."""
    if path == WAITING:
        return "", ""
    device, _, name = path.partition("/")
    digits = name[:4] + name[5:7]
    if (
        len(name) != 13
        or name[4] != "-"
        or name[7:] != ".jsonl"
        or not (digits.isascii() and digits.isdigit())
    ):
        return None
    if 0 < len(device) <= 64 and DEVICE_LETTERS.issuperset(device):
        return (device, name[:7])
    return None


def read_lines(path: str, data: bytes) -> LogLines:
    """The events of a log file, or of the file WAITING, that was read from some line's beginning
    on."""
    home = log_file_home(path)
    assert home is not None  # nobody reads another file
    device, month = home
    events: list[Event] = []
    torn = 0
    later = 0
    end = data.rfind(b"\n") + 1
    days: dict[str, int] = {}
    plain_use: Callable[[bytes], Event | None] = _no_plain_use
    if device and end > FAST_READ_BYTES:
        plain_use = _plain_uses(device, month)
    # one line after the other: a list of them may be far larger than the file
    for line in io.BytesIO(data[:end]):
        use = plain_use(line)
        if use is not None:
            events.append(use)
        elif line.strip():
            found = _read(line, device, month, days)
            if found is None:
                torn += 1
            else:
                events += found
                later += not found
    return LogLines(events, torn, later, end, bool(data[end:].strip()))


def _no_plain_use(_: bytes) -> Event | None:
    return None


def _plain_uses(device: str, month: str) -> Callable[[bytes], Event | None]:
    """How to read lines of a long file that say what most of them say, in the words that we
    write."""
    import re  # not worth it for a short one

    pattern = re.compile(
        rf'\{{"e":"({device}-[0-9a-f]{{16}})","t":"{month}-(\d\d)T([01]\d'
        rf'|2[0-3]):([0-5]\d):([0-5]\d)Z","op":"use",'
        rf'"ref":"([\w./ -]+)","via":"\w*"(?:,"s":"([\w-]{{1,{LONGEST_SESSION}}})"'
        rf'(?:,"c":"([0-9a-f]{{{COMMAND}}})")?)?\}}\n'.encode(),
        re.ASCII,
    )
    starts = {
        f"{day:02}".encode(): seconds(f"{month}-{day:02}T00:00:00Z", {}) for day in range(100)
    }
    digits = {f"{number:02}".encode(): number for number in range(60)}

    def use(line: bytes) -> Event | None:
        found = pattern.fullmatch(line)
        if found is None:
            return None
        number, day, hours, minutes, rest, ref, session, command = found.groups(b"")
        start = starts[day]
        if start is None:
            return None
        at = start + digits[hours] * 3600 + digits[minutes] * 60 + digits[rest]
        return Event(
            at=at,
            op="use",
            ref=ref.decode(),
            id=number.decode(),
            by=int(command or b"0", 16),
            value=session.decode(),
        )

    return use


def _read(
    line: bytes,
    device: str,
    month: str,
    days: dict[str, int],
) -> Sequence[Event] | None:
    """The event of a line, or those that a snap holds; () for an operation of a later version, None
    for a torn line."""
    if not _LEAST_LINE_BYTES <= len(line) <= MOST_LOG_LINE_BYTES:
        return None
    fields = _plain(line[:-1]) or _loads(line)
    if not isinstance(fields, dict) or not _is_ours(fields, device):
        return None
    at = seconds(fields.get("t"), days)
    if at is None:
        return None
    if fields["op"] == "snap":
        rows = fields.get("events")
        if isinstance(rows, list):
            return _unpacked(rows, device, month, days)
        return ()
    if device and fields["t"][:7] != month:
        return None
    return _of_fields(fields, at)


def _of_fields(fields: dict[str, Any], at: int) -> Sequence[Event] | None:
    """The event of a line of that time, as `_event` gives it."""
    op = fields["op"]
    ref = fields.get("ref", "")
    if not _is_text(ref):
        return None
    by = fields.get("by", 0)
    value: Any = ""
    if op == "use":
        by = fields.get("c", "")
        value = fields.get("s", "")
    elif MARKS.get(op):
        value = fields.get(MARKS[op])
    return _event(at, op, ref, fields["e"], by, value)


def _is_ours(
    fields: dict[str, Any],
    device: str,
) -> bool:
    """Whether a line has an id of this device and an operation; what waits is uses alone."""
    number = fields.get("e")
    op = fields.get("op")
    if not isinstance(number, str) or not isinstance(op, str):
        return False
    owner, _, bits = number.rpartition("-")
    if device:
        return owner == device and bits.isalnum()
    return op == "use" and bits.isalnum()


def _event(
    at: int,
    op: str,
    ref: str,
    number: str,
    by: Any,
    value: Any,
) -> tuple[Event] | tuple[()] | None:
    """The event of an operation; () for one of a later version, None for what makes no sense."""
    if op == "use":
        if is_session(value):
            return (Event(at=at, op=op, ref=ref, id=number, by=_command(by), value=value),)
    elif op in {"reinforce", "demote"}:
        if type(by) is int and 0 <= by <= MOST_BY:
            return (Event(at, op, ref, number, by),)
        return None
    elif MARKS.get(op):
        if _is_text(value):
            return (Event(at=at, op=op, ref=ref, id=number, by=0, value=value),)
        return None
    elif op != "update" and op not in MARKS:
        return ()
    return (Event(at, op, ref, number),)


def _command(text: Any) -> int:
    """The number that a command drew, 0 for anything else."""
    known = isinstance(text, str) and len(text) == COMMAND and _DIGITS.issuperset(text)
    if known:
        return int(text, 16)
    return 0


def pack_events(path: str, events: Iterable[Event]) -> list[bytes]:
    """The snap lines that stand for these events of a log file, the same for the same events.

    Of a summary's hashes the last of each note stays.
    """
    import hashlib

    home = log_file_home(path)
    assert home is not None
    uses: dict[str, dict[int, int]] = {}
    judged: set[tuple[str, str, int, str, int]] = set()
    last: dict[tuple[str, str, str], int] = {}
    newest = 0
    for at, op, ref, number, by, value in events:
        newest = max(at, newest)
        if op == "use":
            days = uses.setdefault(ref, {})
            days[at // DAY_SECONDS] = max(at, days.get(at // DAY_SECONDS, at))
        elif op in {"reinforce", "demote"}:
            judged.add((op, ref, at, number.rpartition("-")[2], by))
        else:
            last[op, ref, value] = max(at, last.get((op, ref, value), at))
    rows: list[list[Any]] = []
    for ref, days in sorted(uses.items()):
        rows.append(["use", ref, " ".join(map(_short, sorted(days.values())))])
    rows += [[op, ref, _short(at), bits, by] for op, ref, at, bits, by in sorted(judged)]
    for (op, ref, value), at in sorted(_without_older_summaries(last).items()):
        row = [op, ref, _short(at)]
        if value:
            row.append(value)
        rows.append(row)
    lines = []
    for part in _parts(map(compact_json, rows)):
        bits = hashlib.sha256(part.encode()).hexdigest()[:16]
        said = (
            f'"e":"{home[0]}-{bits}","t":"{format_log_time(newest)}","op":"snap","events":[{part}]'
        )
        lines.append(f"{{{said}}}\n".encode())
    return lines


def _without_older_summaries(
    last: Mapping[tuple[str, str, str], int],
) -> dict[tuple[str, str, str], int]:
    """What was said last, with only the newest hash of each summary."""
    newest: dict[str, tuple[int, str]] = {}
    for (op, ref, value), at in last.items():
        if op == "summary":
            newest[ref] = max((at, value), newest.get(ref, (at, value)))
    return {
        (op, ref, value): at
        for (op, ref, value), at in last.items()
        if op != "summary" or newest[ref] == (at, value)
    }


def _parts(rows: Iterable[str]) -> list[str]:
    """The rows joined to texts of at most half a line's length, so that a line is never too
    long."""
    parts: list[list[str]] = [[]]
    size = 0
    for row in rows:
        size += len(row) + 1
        if size > MOST_LOG_LINE_BYTES // 8 and parts[-1]:
            parts.append([])
            size = len(row)
        parts[-1].append(row)
    return [",".join(part) for part in parts]


def _unpacked(
    rows: list[Any],
    device: str,
    month: str,
    days: dict[str, int],
) -> list[Event] | None:
    """The events of a snap, None where one of them cannot be read."""
    found: list[Event] = []
    for row in rows:
        events = _of_row(row, device, month, days)
        if events is None:
            return None
        found += events
    return found


def _judgement(op: str, rest: Sequence[Any]) -> tuple[str, Any, Any] | None:
    """The id, amount and value at the end of a row of a snap; None for an id that is none."""
    if op in {"reinforce", "demote"}:
        if len(rest) != 2 or not str(rest[0]).isalnum():
            return None
        return rest[0], rest[1], ""
    return "", 0, rest[0] if rest else ""


def _of_row(
    row: Any,
    device: str,
    month: str,
    days: dict[str, int],
) -> list[Event] | None:
    """The events of a row of a snap; None for one of a later version as well, for what we cannot
    read we would not keep."""
    if not isinstance(row, list) or not 3 <= len(row) <= 5:
        return None
    op, ref, times, *rest = row
    if not isinstance(op, str) or not isinstance(times, str) or not _is_text(ref):
        return None
    judgement = _judgement(op, rest)
    if judgement is None:
        return None
    bits, by, value = judgement
    found: list[Event] = []
    for time in times.split(" "):
        at = seconds(f"{month}-{time[:5]}:{time[5:7]}:{time[7:]}Z", days)
        if at is None:
            return None
        event = _event(at, op, ref, f"{device}-{bits}", by, value)
        if not event:
            return None
        found += event
    return found


def _short(at: int) -> str:
    return format_log_time(at)[8:].translate(str.maketrans("", "", ":Z"))


def format_log_time(at: int) -> str:
    """A moment as the log has it: `2026-02-10T09:14:02Z`."""
    from datetime import date

    hours, rest = divmod(at % DAY_SECONDS, 3600)
    return (
        f"{date.fromordinal(at // DAY_SECONDS + EPOCH)}T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"
    )


def _plain(line: bytes) -> dict[str, str] | None:
    """An object of plain texts, as the log of uses has them; None where it takes a JSON reader to
    tell."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    parts = text.split('"')
    names = (len(parts) - 1) // 4
    if (
        parts[0] != "{"
        or parts[-1] != "}"
        or len(parts) != 4 * names + 1
        or "\\" in text
        or not text.isprintable()
        or parts[2::4] != [":"] * names
        or parts[4:-1:4] != [","] * (names - 1)
    ):
        return None
    return dict(zip(parts[1::4], parts[3::4], strict=True))


def _loads(line: bytes) -> Any:
    import json  # a search after a search has no use for it

    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def seconds(
    time: Any,
    days: dict[str, int],
) -> int | None:
    """Unix seconds of `2026-02-10T09:14:02Z`, None for anything else; `days` remembers the days
    seen."""
    if not isinstance(time, str) or len(time) != 20:
        return None
    within = _since_midnight(time)
    if within is None:
        return None
    day = time[:10]
    if day not in days:
        from datetime import date

        try:
            days[day] = (date.fromisoformat(day).toordinal() - EPOCH) * DAY_SECONDS
        except ValueError:
            return None
    return days[day] + within


def _since_midnight(time: str) -> int | None:
    """The seconds of its day at such a time, None where it is none."""
    clock = time[11:13] + time[14:16] + time[17:19]
    is_clock = clock.isascii() and clock.isdigit()
    if not is_clock or time[10] + time[13] + time[16] + time[19] != "T::Z":
        return None
    hours = int(clock[:2])
    minutes = int(clock[2:4])
    rest = int(clock[4:])
    if hours < 24 and minutes < 60 and rest < 60:
        return hours * 3600 + minutes * 60 + rest
    return None


SESSION_RULE = "a session is named by letters, digits, - and _, 64 at most"


def is_session(value: Any) -> bool:
    """Whether this can be the name of a session: letters, digits, `-` and `_`, 64 at most."""
    return (
        isinstance(value, str) and 0 < len(value) <= LONGEST_SESSION and _SESSION.issuperset(value)
    )


def is_unescaped(text: str) -> bool:
    """Whether a text stands in the log as it is, without escapes."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def _is_text(value: Any) -> bool:
    """True for a name that is valid UTF-8, not empty and without NUL."""
    if not isinstance(value, str) or not value or "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
