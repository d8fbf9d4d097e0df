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
from typing import Any, NamedTuple

from indexer.spelling import compact_json

DAY = 86400
EPOCH = 719163
"""The ordinal of 1970-01-01."""
LONGEST = 1 << 16
"""Bytes that a line may have."""
SHORTEST = 40
"""Bytes that a line must have, for an event has an id, a time, an operation and a name."""
LARGEST = 1 << 24
"""Bytes that are read of a file, which is 150,000 uses in a month."""
MARKS = {"alias": "to", "summary": "hash", "accept": "", "dismiss": "", "restore": ""}
"""Operations that say something once and for all, and the field that says it."""
LONG = 1 << 16
"""Bytes above which a file is read for speed."""
MOST_BY = 1000
MOST = 1 << 40
"""What one event may add to a score, and what a snap may hold: no sum of them is too large for a
database."""

TOO_LARGE = f"only its first {LARGEST >> 20} MiB are counted"
"""What is told of a larger one."""

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
"""What the name of a device is made of."""
SESSION = "session"
"""The operation by which the fold remembers that a use belongs to a session; no line says it by
itself."""
LONGEST_SESSION = 64
COMMAND = 5
"""Hexadecimal digits of the number that a command draws, which tells its uses from those of another
command in the same second."""
_DIGITS = frozenset("0123456789abcdef")
_SESSION = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") | LETTERS
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


class Snap(NamedTuple):
    """What a file that an earlier version compacted says of one `ref`: how many uses, when last,
    and the score; it does not name the events it stands for."""

    at: int
    id: str
    of: str
    ref: str
    uses: int
    last: int | None
    score: int
    ranked: int | None
    values: tuple[tuple[str, int], ...]


class LogLines(NamedTuple):
    """What a file, or its new part, holds: events (packed ones too), snaps of an earlier version,
    how many lines were torn, how many are of a later version, up to where it was read, and whether
    a last line without its end follows, which somebody may still be writing."""

    events: list[Event]
    snaps: list[Snap]
    torn: int
    later: int
    end: int
    cut: bool


def home_of(path: str) -> tuple[str, str] | None:
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
    if 0 < len(device) <= 64 and LETTERS.issuperset(device):
        return (device, name[:7])
    return None


def read_lines(path: str, data: bytes) -> LogLines:
    """The events of a log file, or of the file WAITING, that was read from some line's beginning
    on."""
    home = home_of(path)
    assert home is not None  # nobody reads another file
    device, month = home
    events: list[Event] = []
    snaps: list[Snap] = []
    torn = later = 0
    end = data.rfind(b"\n") + 1
    days: dict[str, int] = {}
    if device and end > LONG:
        plain = _plain_uses(device, month)
    else:
        plain = None
    for line in io.BytesIO(
        data[:end]
    ):  # one after the other: a list of them may be far larger than the file
        if plain is not None:
            use = plain(line)
        else:
            use = None
        if use is not None:
            events.append(use)
            continue
        if not line.strip():
            continue
        found = _read(line, device, month, days)
        if found is None:
            torn += 1
        elif isinstance(found, Event):
            events.append(found)
        elif isinstance(found, Snap):
            snaps.append(found)
        else:
            events += found
            later += not found
    return LogLines(events, snaps, torn, later, end, bool(data[end:].strip()))


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
            at, "use", ref.decode(), number.decode(), int(command or b"0", 16), session.decode()
        )

    return use


def _read(
    line: bytes, device: str, month: str, days: dict[str, int]
) -> Event | Snap | Sequence[Event] | None:
    """An event, those that a snap holds, () for an operation of a later version, or None for a torn
    line."""
    if not SHORTEST <= len(line) <= LONGEST:
        return None
    said = _plain(line[:-1]) or _loads(line)
    if not isinstance(said, dict):
        return None
    number = said.get("e")
    time = said.get("t")
    op = said.get("op")
    ref = said.get("ref", "")
    at = seconds(time, days)
    if at is None or not (isinstance(number, str) and isinstance(op, str) and isinstance(ref, str)):
        return None
    owner, _, bits = number.rpartition("-")
    if (device and owner != device) or not bits.isalnum():
        return None
    if not device and op != "use":
        return None
    rows = said.get("events")
    if op == "snap" and isinstance(rows, list):
        return _unpacked(rows, device, month, days)
    if not _is_text(ref):
        return None
    if op == "snap":
        return _snap(said, at, month, days)
    if device and str(time)[:7] != month:
        return None
    by = said.get("by", 0)
    if MARKS.get(op):
        value = said.get(MARKS[op])
    else:
        value = ""
    if op == "use":
        by = said.get("c", "")
        value = said.get("s", "")
    return _event(at, op, ref, number, by, value)


def _event(
    at: int, op: str, ref: str, number: str, by: Any, value: Any
) -> Event | tuple[()] | None:
    if op == "use":
        if is_session(value):
            return Event(at, op, ref, number, _command(by), value)
        return Event(at, op, ref, number)
    if op == "update":
        return Event(at, op, ref, number)
    if op in {"reinforce", "demote"}:
        if type(by) is int and 0 <= by <= MOST_BY:
            return Event(at, op, ref, number, by)
        return None
    if op in MARKS:
        known = isinstance(value, str) and (not MARKS[op] or _is_text(value))
        if known:
            return Event(at, op, ref, number, 0, value if MARKS[op] else "")
        return None
    return ()


def _command(text: Any) -> int:
    """The number that a command drew, 0 for anything else."""
    known = isinstance(text, str) and len(text) == COMMAND and _DIGITS.issuperset(text)
    if known:
        return int(text, 16)
    return 0


def pack(path: str, events: Iterable[Event]) -> list[bytes]:
    """The snap lines that stand for these events of a log file, the same for the same events.

    Of a summary's hashes the last of each note stays.
    """
    import hashlib

    home = home_of(path)
    assert home is not None
    uses: dict[str, dict[int, int]] = {}
    judged: set[tuple[str, str, int, str, int]] = set()
    last: dict[tuple[str, str, str], int] = {}
    for at, op, ref, number, by, value in events:
        if op == "use":
            days = uses.setdefault(ref, {})
            days[at // DAY] = max(at, days.get(at // DAY, at))
        elif op in {"reinforce", "demote"}:
            judged.add((op, ref, at, number.rpartition("-")[2], by))
        else:
            last[op, ref, value] = max(at, last.get((op, ref, value), at))
    newest: dict[str, tuple[int, str]] = {}
    for (op, ref, value), at in last.items():
        if op == "summary":
            newest[ref] = max((at, value), newest.get(ref, (at, value)))
    rows: list[list[Any]] = [
        ["use", ref, " ".join(_short(at) for _, at in sorted(days.items()))]
        for ref, days in sorted(uses.items())
    ]
    rows += [[op, ref, _short(at), bits, by] for op, ref, at, bits, by in sorted(judged)]
    rows += [
        [op, ref, _short(at), *([value] if value else [])]
        for (op, ref, value), at in sorted(last.items())
        if op != "summary" or newest[ref] == (at, value)
    ]
    time = written(
        max(
            [
                *(max(days.values()) for days in uses.values()),
                *(row[2] for row in judged),
                *last.values(),
            ]
        )
    )
    lines = []
    for part in _parts([compact_json(row) for row in rows]):
        bits = hashlib.sha256(part.encode()).hexdigest()[:16]
        lines.append(
            f'{{"e":"{home[0]}-{bits}","t":"{time}","op":"snap","events":[{part}]}}\n'.encode()
        )
    return lines


def _parts(rows: Iterable[str]) -> list[str]:
    """The rows joined to texts of at most half a line's length, so that a line is never too
    long."""
    parts: list[list[str]] = [[]]
    size = 0
    for row in rows:
        size += len(row) + 1
        if size > LONGEST // 8 and parts[-1]:
            parts.append([])
            size = len(row)
        parts[-1].append(row)
    return [",".join(part) for part in parts]


def _unpacked(rows: list[Any], device: str, month: str, days: dict[str, int]) -> list[Event] | None:
    """The events of a snap, None where one of them cannot be read."""
    found: list[Event] = []
    for row in rows:
        if not (
            isinstance(row, list)
            and 3 <= len(row) <= 5
            and all(isinstance(each, str) for each in row[:3])
        ):
            return None
        op, ref, times, *rest = row
        judges = op in {"reinforce", "demote"}
        if not _is_text(ref) or (judges and not (len(rest) == 2 and str(rest[0]).isalnum())):
            return None
        if judges:
            bits, by = rest
        else:
            bits = ""
            by = 0
        for time in times.split(" "):
            at = seconds(f"{month}-{time[:5]}:{time[5:7]}:{time[7:]}Z", days)
            event = at is not None and _event(
                at, op, ref, f"{device}-{bits}", by, rest[0] if rest else ""
            )
            if not event:  # one of a later version as well: what we cannot read we would not keep
                return None
            found.append(event)
    return found


def _short(at: int) -> str:
    return written(at)[8:].translate(str.maketrans("", "", ":Z"))


def written(at: int) -> str:
    """A moment as the log has it: `2026-02-10T09:14:02Z`."""
    from datetime import date

    hours, rest = divmod(at % DAY, 3600)
    return f"{date.fromordinal(at // DAY + EPOCH)}T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"


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


def _snap(
    said: Mapping[str, Any], at: int, month: str, days: dict[str, int]
) -> Snap | tuple[()] | None:
    of = said.get("of", "use")
    uses = said.get("uses", 0)
    score = said.get("score", 0)
    pairs = said.get("values", [])
    times = [said.get(name) for name in ("last", "ranked")]
    if not (
        _is_count(uses) and _is_count(score) and isinstance(pairs, list) and isinstance(of, str)
    ):
        return None
    if any(
        time is not None and (str(time)[:7] != month or seconds(time, days) is None)
        for time in times
    ):
        return None
    values = []
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
            return None
        said_at = seconds(pair[1], days)
        if said_at is None or not (_is_text(pair[0]) or not MARKS.get(of)):
            return None
        values.append((pair[0], said_at))
    if of != "use" and of not in MARKS:
        return ()
    last, ranked = (seconds(time, days) for time in times)
    return Snap(at, said["e"], of, said["ref"], uses, last, score, ranked, tuple(sorted(values)))


def seconds(time: Any, days: dict[str, int]) -> int | None:
    """Unix seconds of `2026-02-10T09:14:02Z`, None for anything else; `days` remembers the days
    seen."""
    if (
        not isinstance(time, str)
        or len(time) != 20
        or not (time[10] == "T" and time[13] == time[16] == ":")
    ):
        return None
    clock = time[11:13] + time[14:16] + time[17:19]
    if time[19] != "Z" or not (clock.isascii() and clock.isdigit()):
        return None
    start = days.get(time[:10])
    if start is None:
        from datetime import date

        try:
            start = days[time[:10]] = (date.fromisoformat(time[:10]).toordinal() - EPOCH) * DAY
        except ValueError:
            return None
    hours = int(clock[:2])
    minutes = int(clock[2:4])
    rest = int(clock[4:])
    if hours < 24 and minutes < 60 and rest < 60:
        return start + hours * 3600 + minutes * 60 + rest
    return None


def is_session(value: Any) -> bool:
    """Whether this can be the name of a session: letters, digits, `-` and `_`, 64 at most."""
    return (
        isinstance(value, str) and 0 < len(value) <= LONGEST_SESSION and _SESSION.issuperset(value)
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and -MOST < value < MOST


def is_plain(text: str) -> bool:
    """Whether a text stands in the log as it is, without escapes."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def _is_text(value: str) -> bool:
    """True for a name that is valid UTF-8, not empty and without NUL."""
    if value.isascii():
        return bool(value) and "\0" not in value
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value
