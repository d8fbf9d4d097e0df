"""TOML as people write settings: read without tomllib where it is plain, and changed a line at a time.

A search reads the settings before it answers, and importing tomllib costs it more than all the rest of
that.  What is not plain, `plain` leaves to tomllib, to read or to refuse.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from indexer.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Key = tuple[str, ...]

LONGEST_NUMBER = 640
"""Digits that Python reads as a number however it is set up."""

LONGEST_TOLD = 60
"""Characters of a value that a message shows."""

_BLANK = " \t"
_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


def parsed(file: str, text: str) -> dict[str, Any]:
    """What a file of settings holds.  ConfigError, naming the line, where it is no TOML."""
    read = plain(text)
    if read is not None:
        return read
    import re
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        why = str(error)
        found = re.search(r"at line (\d+)", why)
        line = int(found[1]) if found else text.count("\n") + 1
        if not isinstance(error, tomllib.TOMLDecodeError | RecursionError):  # Python reads no such number
            why, number = "a number has too many digits", re.search(rf"[\d_]{{{LONGEST_NUMBER},}}", text)
            line = text.count("\n", 0, number.start()) + 1 if number else line
        raise ConfigError(f"{file}:{line}: not valid TOML: {why}", 'a setting looks like: mode = "hybrid"') from error


def plain(text: str) -> dict[str, Any] | None:
    """What tomllib would make of a file of settings, or None where it takes tomllib to tell."""
    tree: dict[str, Any] = {}
    table = tree
    dotted: list[dict[str, Any]] = []  # tables made by `a.b = 1`, which alone go on so
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = raw.strip(_BLANK)
        if not line.replace("\t", " ").isprintable():
            return None
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            names, rest = _key(line[1:])
            found = _opened(tree, names) if rest[:1] == "]" and _is_comment(rest[1:]) else None
            if found is None:
                return None
            table = found
            continue
        names, rest = _key(line)
        value = _value(rest[1:].strip(_BLANK)) if rest[:1] == "=" else None
        if value is None or not _set(table, names, value, dotted):
            return None
    return tree


def _opened(tree: dict[str, Any], names: Key) -> dict[str, Any] | None:
    """The new table that a header of one or two names makes; None for any other."""
    above = tree
    if len(names) == 2:
        above = tree.setdefault(names[0], {})
        if not isinstance(above, dict):
            return None
    if len(names) > 2 or names[-1] in above:
        return None
    made: dict[str, Any] = {}
    above[names[-1]] = made
    return made


def _set(table: dict[str, Any], names: Key, value: Any, dotted: list[dict[str, Any]]) -> bool:
    """Set a key of one or two names in a table; False for any other, and for what is there already."""
    if len(names) == 2:
        if names[0] not in table:
            dotted.append(table.setdefault(names[0], {}))
        table = table[names[0]]
        if not any(table is each for each in dotted):
            return False
    if not 1 <= len(names) <= 2 or names[-1] in table:
        return False
    table[names[-1]] = value
    return True


def _key(text: str) -> tuple[Key, str]:
    """The names that a text begins with, dots between them, and what follows; no names where it is not so plain."""
    names: list[str] = []
    while True:
        text = text.lstrip(_BLANK)
        if text[:1] in {'"', "'"} and text:
            name, closed, rest = text[1:].partition(text[0])
            if not closed or "\\" in name:
                return (), ""
        else:
            rest = text.lstrip(_BARE)
            name = text[: len(text) - len(rest)]
            if not name:
                return (), ""
        names.append(name)
        text = rest.lstrip(_BLANK)
        if text[:1] != ".":
            return tuple(names), text
        text = text[1:]


def _value(written: str) -> str | int | bool | None:
    if written[:1] == '"':
        inner, closed, rest = written[1:].partition('"')
        return inner if closed and "\\" not in inner and _is_comment(rest) else None
    word = written.partition("#")[0].rstrip(_BLANK)
    if word in {"true", "false"}:
        return word == "true"
    if word.isascii() and word.isdigit() and len(word) < 19 and (word == "0" or word[0] != "0"):
        return int(word)
    return None


def _is_comment(rest: str) -> bool:
    return rest.strip(_BLANK)[:1] in {"", "#"}


def flat(tree: dict[str, Any], tables: set[str]) -> dict[str, Any]:
    """`{"search": {"limit": 5}}` as `{"search.limit": 5}`; an unknown table keeps its own name."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict) and (value or name in tables):
            found.update({f"{name}.{inner}": each for inner, each in value.items()})
        else:
            found[name] = value
    return found


def line_of(text: str, name: str) -> int:
    """The line that sets `name`, or its table; TOML's parser does not say, so look for it as people write it."""
    name = _bare(name)
    table, nearest = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        start = line.lstrip()
        is_header = start.startswith("[")
        left = _bare(start.lstrip("[").partition("]")[0] if is_header else line.partition("=")[0])
        table = left if is_header else table
        here = left if is_header or not table else f"{table}.{left}"
        if here == name:
            return number
        if not nearest and name.startswith(f"{here}."):
            nearest = number
    return nearest or 1


def told(value: Any, as_written: str) -> str:
    """A value as a message names it: a text in quotes, a number or a date as it was written, not as Python has it."""
    shown = "a table" if isinstance(value, dict) else " ".join(as_written.split())
    if isinstance(value, str | bool) or (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        shown = repr(value)
    return shown if len(shown) <= LONGEST_TOLD else f"{shown[:LONGEST_TOLD]}…"


def value_in(text: str, line: int) -> str:
    """What stands behind the equals sign of a line, without its comment."""
    return text.splitlines()[line - 1].partition("=")[2].partition("#")[0].strip(_BLANK)


def _bare(name: str) -> str:
    """A name without its quotes and spaces."""
    return "".join(name.split()).replace('"', "").replace("'", "")


# -- changing one line -----------------------------------------------------------------------------------


def assigned(text: str, target: Key, value: Any) -> str | None:
    """The text with one key set, every other byte kept; None where no change of a single line does that.

    Each way is tried, and only one after which the file says what it said before, and the new value, is taken.
    """
    import tomllib

    wanted = tomllib.loads(text)
    inner = wanted
    for name in target[:-1]:
        inner = inner.setdefault(name, {})
        if not isinstance(inner, dict):
            return None
    inner[target[-1]] = list(value) if isinstance(value, tuple) else value
    for lines in _ways(text.split("\n"), target, written(value), "\r" if "\r\n" in text else ""):
        changed = "\n".join(lines)
        try:
            if tomllib.loads(changed) == wanted:
                return changed
        except ValueError:
            continue
    return None


def removed(text: str, target: Key) -> str | None:
    """The text with one key no longer set, every other line kept but the header of a table that holds nothing then.

    None where no lines alone say it.
    """
    import tomllib

    wanted = inner = tomllib.loads(text)
    for name in target[:-1]:
        inner = inner.get(name, {})
    if target[-1] not in inner:
        return text
    del inner[target[-1]]
    lines = text.split("\n")
    for at in [at for at, _, whole in _places(lines)[0] if whole == target]:
        for end in range(at + 1, len(lines) + 1):  # a list may go on below
            left = [*lines[:at], *lines[end:]]
            for changed in map("\n".join, (_without_empty_table(left, at), left)):
                with suppress(ValueError):
                    if _pruned(tomllib.loads(changed)) == _pruned(wanted):
                        return changed
    return None


def with_table(text: str, names: Key, values: dict[str, Any]) -> str | None:
    """The text with these values in a table, the one there is or a new one at its end; None where no lines say it."""
    import tomllib

    inner: Any = tomllib.loads(text)
    for name in names:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if inner is not None:
        changed: str | None = text
        for key, value in values.items():
            changed = assigned(changed, (*names, key), value) if changed is not None else None
        return changed
    end = "\r\n" if "\r\n" in text else "\n"
    head = text if not text or text.endswith("\n") else text + end
    lines = [f"[{_dotted(names)}]", *(f"{key} = {written(value)}" for key, value in values.items()), ""]
    changed = head + (end if head.strip() else "") + end.join(lines)
    with suppress(ValueError):
        if _pruned(_lacking(tomllib.loads(changed), names)) == _pruned(tomllib.loads(text)):
            return changed
    return None


def without_table(text: str, names: Key) -> str | None:
    """The text without a table and those in it, every other line kept; None where no lines alone say it."""
    import tomllib

    wanted, lines = _pruned(_lacking(tomllib.loads(text), names)), text.split("\n")
    while (at := next((at for at, table in _places(lines)[1] if table[: len(names)] == names), None)) is not None:
        end = next((each for each in range(at + 1, len(lines)) if lines[each].lstrip()[:1] == "["), len(lines))
        while end > at + 1 and lines[end - 1].strip()[:1] in {"", "#"}:
            end -= 1
        left = [*lines[: at + 1], *lines[end:]]
        shorter = _without_empty_table(left, at + 1)
        lines = [*left[:at], *left[at + 1 :]] if shorter == left else shorter
    with suppress(ValueError):
        if _pruned(tomllib.loads("\n".join(lines))) == wanted:
            return "\n".join(lines)
    return None


def _lacking(tree: dict[str, Any], names: Key) -> dict[str, Any]:
    """What a file holds without the table of that name."""
    if names[0] not in tree or not isinstance(tree[names[0]], dict):
        return tree
    inner = _lacking(tree[names[0]], names[1:]) if names[1:] else {}
    return {**tree, names[0]: inner}


def _without_empty_table(lines: list[str], at: int) -> list[str]:
    """The lines without the header above a place, and its blank lines, where nothing stands below it, as if it had
    never been added."""
    headers = [header for header, _ in _places(lines)[1]]
    header = max((each for each in headers if each < at), default=None)
    if header is None:
        return lines
    end = min((each for each in headers if each >= at), default=len(lines))
    if any(line.strip() for line in lines[header + 1 : end]):
        return lines
    if end < len(lines):
        return [*lines[:header], *lines[end:]]
    gap = header > 0 and not lines[header - 1].strip()
    return [*lines[: header - gap], *lines[max(header + 1, len(lines) - 1) :]]


def _pruned(tree: dict[str, Any]) -> dict[str, Any]:
    """Without tables that hold nothing."""
    found = {name: _pruned(each) if isinstance(each, dict) else each for name, each in tree.items()}
    return {name: each for name, each in found.items() if each != {}}


def listed(typed: str) -> list[str] | None:
    """The texts of a TOML array, or None for what is no array of texts: `[ab]*.md` is a pattern."""
    if not typed.lstrip().startswith("["):
        return None
    import tomllib

    with suppress(ValueError, RecursionError):
        found = tomllib.loads(f"x = {typed}")
        if found.keys() == {"x"} and isinstance(found["x"], list) and all(isinstance(one, str) for one in found["x"]):
            return found["x"]
    return None


def _ways(lines: list[str], target: Key, value: str, end: str) -> Iterator[list[str]]:
    """The lines with one changed or added, the likeliest way first."""
    keys, headers = _places(lines)
    for at, _, whole in keys:
        if whole == target and (line := _with_value(lines[at], value)) is not None:
            yield [*lines[:at], line, *lines[at + 1 :]]
    beside = [(at, table) for at, table, whole in keys if whole[:-1] == target[:-1]]
    below = sorted(
        (header for header in headers if target[: len(header[1])] == header[1]), key=lambda each: len(each[1])
    )
    for at, table in [*beside[::-1], *below[::-1]]:
        new = f"{_dotted(target[len(table) :])} = {value}{end}"
        yield [*lines[: at + 1], new, *lines[at + 1 :]]
    depth = len(target) - 2 if len(target) > 2 else 1
    header = f"[{_dotted(target[:depth])}]"
    last = [] if lines[-1] == "" else [lines[-1] + end]
    head = [*lines[:-1], *last]
    gap = [end] if head and head[-1].strip() else []
    yield [*head, *gap, f"{header}{end}", f"{_dotted(target[depth:])} = {value}{end}", ""]


def _places(lines: Sequence[str]) -> tuple[list[tuple[int, Key, Key]], list[tuple[int, Key]]]:
    """Where keys are set, each with its table and its whole name, and where tables begin."""
    keys, headers = [], []
    table: Key | None = ()
    for at, raw in enumerate(lines):
        line = raw.strip()
        if line[:1] == "[":
            names, rest = _key(line[1:])
            table = names if rest[:1] == "]" else None  # a list of tables, or something odd
            if table:
                headers.append((at, table))
        elif table is not None:
            names, rest = _key(line)
            if rest[:1] == "=":
                keys.append((at, table, table + names))
    return keys, headers


def _with_value(line: str, value: str) -> str | None:
    """The line that sets a key with another value, its comment kept; None where its value goes on below."""
    import tomllib

    end = "\r" if line.endswith("\r") else ""
    _, rest = _key(line)
    left = line[: len(line) - len(rest) + 1]
    rest = rest[1:].removesuffix("\r")
    for at in [*(at for at, letter in enumerate(rest) if letter == "#"), len(rest)]:
        old = rest[:at]
        try:
            tomllib.loads(f"x ={old}")
        except ValueError:
            continue
        space = old[: len(old) - len(old.lstrip(_BLANK))]
        return f"{left}{space}{value}{old[len(old.rstrip(_BLANK)) :]}{rest[at:]}{end}"
    return None


def written(value: Any) -> str:
    """A value as TOML has it."""
    import json

    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written, value))}]"
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f") if isinstance(value, str) else text


def _dotted(names: Key) -> str:
    return ".".join(name if name and not name.strip(_BARE) else written(name) for name in names)
