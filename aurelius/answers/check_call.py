"""Whether what a program asks with makes sense: the arguments of a call against its annotations."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from aurelius.settings.keys import FUSIONS, MODES
from indexer.catalog.filters import Filters, Linked, check, check_day
from indexer.errors import UsageError
from indexer.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RECORDS = (Filters, Linked, SearchQuery)
"""Records that a call takes, whose fields are checked as its arguments are."""
HINT = "see: aurelius help python"


def _is_text(value: Any) -> bool:
    """True for a text; half of a character, as JSON can name one, is none."""
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple | set) and all(map(_is_text, value))


def _is_conditions(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        _is_texts(each) and len(each) == 3 for each in value
    )


FORMS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "None": ("", lambda value: value is None),
    "str": ("text", _is_text),
    "bool": ("a bool", lambda value: isinstance(value, bool)),
    "int": ("a whole number", lambda value: type(value) is int),
    "float": ("a number", lambda value: type(value) in {int, float}),
    "Sequence[str]": ("a list of texts", _is_texts),
    "tuple[str, ...]": ("a tuple of texts", _is_texts),
    "tuple[str, str]": ("two texts", lambda value: _is_texts(value) and len(value) == 2),
    "tuple[tuple[str, str, str], ...]": ("a tuple of (key, operator, value)", _is_conditions),
    "Filters": ("Filters", lambda value: isinstance(value, Filters)),
    "Linked": ("a Linked", lambda value: isinstance(value, Linked)),
    "SearchQuery": ("a SearchQuery", lambda value: isinstance(value, SearchQuery)),
    "Mapping[str, object]": ("a mapping", lambda value: hasattr(value, "items")),
    "os.PathLike[str]": ("a path", lambda value: hasattr(value, "__fspath__")),
    "datetime.date": ("a datetime.date", lambda value: hasattr(value, "year")),
    "datetime.datetime": ("a datetime.datetime", lambda value: hasattr(value, "timestamp")),
}
"""What each part of an annotation asks for in words, and whether a value is that.

By their spelling: what annotations name is mostly imported for type checkers alone, so nothing can
evaluate them as the program runs."""


def check_call(
    call: Callable[..., object], args: Sequence[object], named: Mapping[str, object]
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


def at_least(name: str, value: int, least: int) -> None:
    """UsageError for a number that is too small."""
    if value < least:
        raise UsageError(f"{name} must be at least {least}, not {value}", HINT)


def _check_value(name: str, value: Any, annotation: str) -> None:
    parts = annotation.split(" | ")
    if not FORMS.keys() >= set(parts):  # a function, which is called or not
        return
    if not any(FORMS[part][1](value) for part in parts):
        words = " or ".join(FORMS[part][0] for part in parts if part != "None")
        raise UsageError(f"{name} is {words}, not {repr(value)[:60]}", HINT)
    if isinstance(value, RECORDS):
        _check_record(value)


def _check_record(record: Filters | Linked | SearchQuery) -> None:
    for field, annotation in inspect.get_annotations(type(record)).items():
        _check_value(field, getattr(record, field), annotation.__forward_arg__)
    if isinstance(record, Filters):
        check(record)
    if isinstance(record, SearchQuery):
        at_least("limit", record.limit, 1)
        _check_choice("mode", record.mode, MODES)
        _check_choice("fusion", record.fusion, FUSIONS)


def _check_choice(name: str, word: str, choices: Sequence[str]) -> None:
    if word not in choices:
        raise UsageError(f"{name} cannot be {word!r}", f"it is one of: {', '.join(choices)}")
