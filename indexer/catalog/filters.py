"""Filters of a search or list: what a hit must be besides matching, and conditions on front matter."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from indexer.errors import UsageError


class Filters(NamedTuple):
    """What a hit must be besides matching; empty means any.  Dates are inclusive ISO days.

    `types` are types of facts, or with what is narrower behind a slash: `instruction/rule`, `fact/milestone`.
    `archived` is "only" for what lies in the archive, "no" for what does not; `as_of` is a day on which
    facts have to have held, whatever became of them since.
    """

    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str = ""
    where: tuple[tuple[str, str, str], ...] = ()
    since: str | None = None
    until: str | None = None
    status: str = "active"
    private: bool = False
    tiers: tuple[str, ...] = ()
    archived: str = ""
    as_of: str | None = None


def of_types(types: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The condition on table `fact` that it is of one of these types, and its values."""
    plain = tuple(each for each in types if "/" not in each)
    narrow = tuple(each for each in types if "/" in each)
    sql = f"(fact.type IN ({_marks(plain)}) OR fact.type || '/' || fact.subtype IN ({_marks(narrow)}))"
    return sql, (*plain, *narrow)


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


_DATE = r"\d{4}-\d\d(-\d\d)?"
_OPERATOR = r"(<=|>=|!=|==|=|<|>|~)"


def where(text: str) -> tuple[str, str, str]:
    """A condition on front matter: `key op value` with op one of = != < <= > >= ~, or `key` alone → ("key", "has", "").

    `key` may be dotted (`author.name`); quotes around the value are taken off.  Raises UsageError
    for anything else.
    """
    key, *rest = re.split(_OPERATOR, text, maxsplit=1)
    key = key.strip()
    if not key or (rest and not rest[1].strip()):
        raise UsageError(
            f"--where {text[:60]!r} is not a condition on front matter",
            "write key, an operator (= != < <= > >= ~) and a value: status = active, rating >= 4, author.name ~ joe; "
            "or a key alone to ask that it is there",
        )
    if not rest:
        return key, "has", ""
    value = rest[1].strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return key, "=" if rest[0] == "==" else rest[0], value


def where_holds(front_matter: Mapping[str, Any], condition: tuple[str, str, str]) -> bool:
    """Whether front matter meets a condition of `where`.

    Numbers compare as numbers where both sides are; ISO dates at the precision typed (`2026-02`
    is the whole month); all else as text without regard to case.  `~` is "contains".  Of a list any
    element will do.  `!=` is the opposite of `=`: a note without the key meets it.
    """
    key, operator, value = condition
    found = [item for item in _values(front_matter, key) if item not in (None, "")]
    if operator == "has":
        return bool(found)
    if operator == "!=":
        return not any(_compares(item, "=", value) for item in found)
    return any(_compares(item, operator, value) for item in found)


def _values(node: Any, key: str) -> Iterator[Any]:
    """What stands under a key, which may hold dots itself or name a path; lists give their elements."""
    if isinstance(node, list | tuple):
        for item in node:
            yield from _values(item, key)
    elif not key:
        yield node
    elif isinstance(node, Mapping):
        for name, item in node.items():
            if str(name).casefold() == key.casefold():
                yield from _values(item, "")
            elif key.casefold().startswith(f"{name}.".casefold()):
                yield from _values(item, key.casefold()[len(f"{name}.".casefold()) :])


def _compares(item: Any, operator: str, value: str) -> bool:
    if isinstance(item, bool):
        given = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(value.casefold())
        return operator == "=" and given is item
    left: Any = str(item).casefold()
    right: Any = value.casefold()
    if operator == "~":
        return right in left
    if _number(left) and _number(right):
        left, right = float(left), float(right)
    elif re.match(_DATE, left) and re.match(_DATE + "$", right):
        left = left[: len(right)]
    if operator == "=":
        return bool(left == right)
    if operator[0] == "<":
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))


def _number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d{1,300}(\.\d{0,300})?", text) is not None
