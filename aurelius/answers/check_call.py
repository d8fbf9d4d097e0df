"""Whether what a program asks with makes sense: the arguments of a call against its annotations."""

from __future__ import annotations

import datetime
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aurelius.settings.keys import FUSIONS, MODES
from indexer.catalog.filters import Filters, Linked, check_day, check_filters
from indexer.errors import UsageError
from indexer.search.query import SearchQuery
from indexer.spelling import storable

RECORDS = (Filters, Linked, SearchQuery)
"""Records that a call takes, whose fields are checked as its arguments are."""
HINT = "see: aurelius help python"


FORMS: Mapping[str, tuple[str, type | tuple[type, ...]]] = {
    "None": ("", type(None)),
    "str": ("text", str),
    "bool": ("a bool", bool),
    "int": ("a whole number", int),
    "float": ("a number", (int, float)),
    "Sequence[str]": ("a list of texts", (list, tuple, set)),
    "tuple[str, ...]": ("a tuple of texts", (list, tuple, set)),
    "tuple[str, str]": ("two texts", (list, tuple)),
    "tuple[tuple[str, str, str], ...]": ("a tuple of (key, operator, value)", (list, tuple)),
    "Filters": ("Filters", Filters),
    "Linked": ("a Linked", Linked),
    "SearchQuery": ("a SearchQuery", SearchQuery),
    "Mapping[str, object]": ("a mapping", Mapping),
    "os.PathLike[str]": ("a path", os.PathLike),
    "datetime.date": ("a datetime.date", datetime.date),
    "datetime.datetime": ("a datetime.datetime", datetime.datetime),
}
"""What each part of an annotation asks for: in words, and as classes.

By their spelling: what annotations name is mostly imported for type checkers alone, so nothing can
evaluate them as the program runs."""


def _fits(
    value: Any,
    part: str,
) -> bool:
    """Whether a value is what a part of an annotation asks for; a bool is no number."""
    _, classes = FORMS[part]
    if isinstance(value, bool):
        return classes is bool
    return isinstance(value, classes) and _is_sound(value)


def _is_sound(value: Any) -> bool:
    """False for half of a character, as JSON can name one, and for a list of other things than
    texts, or lists of texts."""
    if isinstance(value, str):
        return storable(value) == value
    if isinstance(value, list | tuple | set) and not isinstance(value, RECORDS):
        return all(isinstance(each, str | list | tuple) and _is_sound(each) for each in value)
    return True


def check_call(
    call: Callable[..., object],
    args: Sequence[object],
    named: Mapping[str, object],
) -> None:
    """UsageError for an argument that is not what a call says that it takes."""
    signature = inspect.signature(call)
    for name, value in signature.bind(*args, **named).arguments.items():
        _check_value(name, value, str(signature.parameters[name].annotation))
        if name == "most":
            at_least(name, value, 1)
        if name == "offset":
            at_least(name, value, 0)
        if name == "due":
            for day in value or ():
                check_day(name, day)


def at_least(
    name: str,
    value: int,
    least: int,
) -> None:
    """UsageError for a number that is too small."""
    if value < least:
        raise UsageError(f"{name} must be at least {least}, not {value}", HINT)


def _check_value(
    name: str,
    value: Any,
    annotation: str,
) -> None:
    parts = annotation.split(" | ")
    if not FORMS.keys() >= set(parts):  # a function, which is called or not
        return
    if not any(_fits(value, part) for part in parts):
        words = " or ".join(filter(None, (FORMS[part][0] for part in parts)))
        raise UsageError(f"{name} is {words}, not {repr(value)[:60]}", HINT)
    if isinstance(value, RECORDS):
        _check_record(value)


def _check_record(record: Filters | Linked | SearchQuery) -> None:
    for field, annotation in inspect.get_annotations(type(record)).items():
        _check_value(field, getattr(record, field), annotation.__forward_arg__)
    if isinstance(record, Filters):
        check_filters(record)
    if isinstance(record, SearchQuery):
        at_least("limit", record.limit, 1)
        _check_choice("mode", record.mode, MODES)
        _check_choice("fusion", record.fusion, FUSIONS)


def _check_choice(
    name: str,
    word: str,
    choices: Sequence[str],
) -> None:
    if word not in choices:
        raise UsageError(f"{name} cannot be {word!r}", f"it is one of: {', '.join(choices)}")
