"""The lines of the usage log: what an event says, and which ones a file holds (design §3.2).

A file is `.aurelius/log/<device>/<YYYY-MM>.jsonl`, an event a line.  An event counts in the file of its own
device and month alone, so that each has one home.  Reading never raises: a line that cannot be read, or
that lacks its line end, is torn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

DAY = 86400
LONGEST = 1 << 16
"""Bytes that a line may have."""
MARKS = {"alias": "to", "summary": "hash", "accept": "", "dismiss": ""}
"""Operations that say something once and for all, and the field that says it."""
LONG = 1 << 16
"""Bytes above which a file is read for speed."""
MOST_BY, MOST = 1000, 1 << 40
"""What one event may add to a score, and what a snap may hold: no sum of them is too large for a database."""

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
"""What the name of a device is made of."""


class Event(NamedTuple):
    """One line of the log.  `at` is unix seconds; `ref` is a fact's `^id` or hash key, or a note's path.

    `by` is what a reinforce adds or a demote takes away, `value` what an alias leads to or the hash of a
    summary.
    """

    at: int
    op: str
    ref: str
    id: str
    by: int = 0
    value: str = ""


class Snap(NamedTuple):
    """What a compacted file says of one `ref`: its uses and score, or with `of` a mark, each value of it and when
    it was said last."""

    at: int
    id: str
    of: str
    ref: str
    uses: int
    last: int | None
    score: int
    ranked: int | None
    values: tuple[tuple[str, int], ...]


class Lines(NamedTuple):
    """What a file, or its new part, holds: events and snaps, how many lines were torn, up to where it was read, and
    whether a last line without its end follows, which somebody may still be writing."""

    events: list[Event]
    snaps: list[Snap]
    torn: int
    end: int
    cut: bool


def home_of(path: str) -> tuple[str, str] | None:
    """The device and month of a log file's name, None where it is none."""
    device, _, name = path.partition("/")
    digits = name[:4] + name[5:7]
    if len(name) != 13 or name[4] != "-" or name[7:] != ".jsonl" or not (digits.isascii() and digits.isdigit()):
        return None
    return (device, name[:7]) if 0 < len(device) <= 64 and LETTERS.issuperset(device) else None


def read_lines(path: str, data: bytes) -> Lines:
    """The events of a log file that was read from some line's beginning on."""
    home = home_of(path)
    assert home is not None  # nobody reads another file
    device, month = home
    events: list[Event] = []
    snaps: list[Snap] = []
    torn = 0
    end = data.rfind(b"\n") + 1
    days: dict[str, int] = {}
    plain = _plain_uses(device, month) if end > LONG else None
    for line in data[:end].split(b"\n")[:-1]:
        use = plain(line) if plain is not None else None
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
        elif found:
            snaps.append(found)
    return Lines(events, snaps, torn, end, bool(data[end:].strip()))


def _plain_uses(device: str, month: str) -> Callable[[bytes], Event | None]:
    """How to read lines of a long file that say what most of them say, in the words that we write."""
    import re  # not worth it for a short one

    pattern = re.compile(
        rf'\{{"e":"({device}-[0-9a-f]{{16}})","t":"{month}-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)Z","op":"use",'
        r'"ref":"([\w./ -]+)","via":"\w*"\}'.encode(), re.ASCII
    )  # fmt: skip
    starts = {f"{day:02}".encode(): seconds(f"{month}-{day:02}T00:00:00Z", {}) for day in range(100)}

    def use(line: bytes) -> Event | None:
        found = pattern.fullmatch(line)
        if found is None:
            return None
        number, day, hours, minutes, rest, ref = found.groups()
        start = starts[day]
        if start is None:
            return None
        at = start + int(hours) * 3600 + int(minutes) * 60 + int(rest)
        return Event(at, "use", ref.decode(), number.decode())

    return use


def _read(line: bytes, device: str, month: str, days: dict[str, int]) -> Event | Snap | tuple[()] | None:
    """An event, a snap, () for an operation of a later version, or None for a torn line."""
    if len(line) > LONGEST:
        return None
    said = _plain(line) or _loads(line)
    if not isinstance(said, dict):
        return None
    number, time, op, ref = said.get("e"), said.get("t"), said.get("op"), said.get("ref")
    at = seconds(time, days)
    if at is None or not (isinstance(number, str) and isinstance(op, str) and isinstance(ref, str) and _is_text(ref)):
        return None
    owner, _, bits = number.rpartition("-")
    if owner != device or not bits.isalnum():
        return None
    if op == "snap":
        return _snap(said, at, month, days)
    if str(time)[:7] != month:
        return None
    if op in {"use", "update"}:
        return Event(at, op, ref, number)
    if op in {"reinforce", "demote"}:
        by = said.get("by", 0)
        return Event(at, op, ref, number, by) if type(by) is int and 0 <= by <= MOST_BY else None
    if op in MARKS:
        value = said.get(MARKS[op]) if MARKS[op] else ""
        known = isinstance(value, str) and (not MARKS[op] or _is_text(value))
        return Event(at, op, ref, number, 0, str(value)) if known else None
    return ()


def _plain(line: bytes) -> dict[str, str] | None:
    """An object of plain texts, as the log of uses has them; None where it takes a JSON reader to tell."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    parts = text.split('"')
    names = (len(parts) - 1) // 4
    if (
        parts[0] != "{" or parts[-1] != "}" or len(parts) != 4 * names + 1 or "\\" in text or not text.isprintable()
        or parts[2::4] != [":"] * names or parts[4:-1:4] != [","] * (names - 1)
    ):  # fmt: skip
        return None
    return dict(zip(parts[1::4], parts[3::4], strict=True))


def _loads(line: bytes) -> Any:
    import json  # a search after a search has no use for it

    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _snap(said: Mapping[str, Any], at: int, month: str, days: dict[str, int]) -> Snap | tuple[()] | None:
    of, uses, score, pairs = said.get("of", "use"), said.get("uses", 0), said.get("score", 0), said.get("values", [])
    times = [said.get(name) for name in ("last", "ranked")]
    if not (_is_count(uses) and _is_count(score) and isinstance(pairs, list) and isinstance(of, str)):
        return None
    if any(time is not None and (str(time)[:7] != month or seconds(time, days) is None) for time in times):
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
    """Unix seconds of `2026-02-10T09:14:02Z`, None for anything else; `days` remembers the days seen."""
    if not isinstance(time, str) or len(time) != 20 or not (time[10] == "T" and time[13] == time[16] == ":"):
        return None
    clock = time[11:13] + time[14:16] + time[17:19]
    if time[19] != "Z" or not (clock.isascii() and clock.isdigit()):
        return None
    start = days.get(time[:10])
    if start is None:
        from datetime import date

        try:
            start = days[time[:10]] = (date.fromisoformat(time[:10]).toordinal() - 719163) * DAY
        except ValueError:
            return None
    hours, minutes, rest = int(clock[:2]), int(clock[2:4]), int(clock[4:])
    return start + hours * 3600 + minutes * 60 + rest if hours < 24 and minutes < 60 and rest < 60 else None


def _is_count(value: Any) -> bool:
    return type(value) is int and -MOST < value < MOST


def is_plain(text: str) -> bool:
    """Whether a text stands in the log as it is, without escapes."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text


def _is_text(value: str) -> bool:
    """Whether it is a name that can stand in a database: not empty, and no half of a surrogate pair."""
    if value.isascii():
        return bool(value) and "\0" not in value
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value
