"""Values of other programs' JSON, as what they should be: what has another shape is empty, never an
error."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_EVER = ("1970-01-02", "9999")
_MILLIS = 1e11
_MICROS = 1e14
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z?")


def clean_text(value: Any) -> str:
    """A text, its line breaks made one kind, without control and direction characters; "" for what
    is none. Numbers are texts."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    text = str(value).encode("utf-8", "replace").decode()
    return _CONTROLS.sub("", _LINE_BREAKS.sub("\n", text))


def as_line(value: Any) -> str:
    """A text on one line."""
    return " ".join(clean_text(value).split())


def as_list(value: Any) -> list[Any]:
    """A list; [] for what is none."""
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> dict[str, Any]:
    """A mapping; {} for what is none."""
    return value if isinstance(value, dict) else {}


def dicts(value: Any) -> list[dict[str, Any]]:
    """The mappings in a list."""
    return [each for each in as_list(value) if isinstance(each, dict)]


def as_number(value: Any) -> float | None:
    """A number, also one that is written as a text; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def as_moment(value: Any) -> str:
    """A moment as ISO, to the second, or a day where it says no more; "" for what is none.

    Reads ISO, unix seconds, milliseconds and microseconds, and `20240301T100000Z`. One that names
    another zone than UTC stays the time that it was there, without the `Z`.
    """
    number = as_number(value)
    if number is not None and not re.fullmatch(r"\d{4}", str(value)):
        return _moment_of_unix(number)
    text = as_line(value)
    if found := _COMPACT.fullmatch(text):
        text = "{}-{}-{}T{}:{}:{}Z".format(*found.groups())
    try:
        if len(text) == len("2024-03-01"):
            return datetime.date.fromisoformat(text).isoformat()
        moment = datetime.datetime.fromisoformat(text)
        if moment.utcoffset():  # the day is the one that it was there
            return _written(moment.replace(tzinfo=None)).removesuffix("Z")
    except (ValueError, OverflowError):
        return ""
    return _written(moment.replace(tzinfo=None))


def _moment_of_unix(number: float) -> str:
    if number > _MICROS:
        number /= 1e6
    elif number > _MILLIS:
        number /= 1e3
    try:
        moment = datetime.datetime.fromtimestamp(number, datetime.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return ""
    return _written(moment)


def _written(moment: datetime.datetime) -> str:
    text = moment.replace(microsecond=0).isoformat() + "Z"
    if _EVER[0] <= text < _EVER[1]:
        return text
    return ""


def day_of(moment: str) -> str:
    """The day of a moment."""
    return moment[: len("2024-03-01")]
