"""TOML as people write settings: tables of words, whole numbers, true and false.

A search reads the settings before it answers, and importing tomllib costs it more than all the rest of
that.  What is not as plain as this is None here, and tomllib's to read or to refuse.
"""

from __future__ import annotations

from typing import Any

_BLANK = " \t"


def plain(text: str) -> dict[str, Any] | None:
    """What tomllib would make of a file of settings, or None where it takes tomllib to tell."""
    tree: dict[str, Any] = {}
    table = tree
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = raw.strip(_BLANK)
        if not line.replace("\t", " ").isprintable():
            return None
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            name = _named(line)
            if name is None or name in tree:
                return None
            table = tree[name] = {}
            continue
        key, _, written = line.partition("=")
        value = _value(written.strip(_BLANK))
        key = key.strip(_BLANK)
        if value is None or not _is_bare(key) or key in table:
            return None
        table[key] = value
    return tree


def _named(line: str) -> str | None:
    name, closed, rest = line[1:].partition("]")
    name = name.strip(_BLANK)
    return name if closed and _is_bare(name) and _is_comment(rest) else None


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


def _is_bare(name: str) -> bool:
    return name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def _is_comment(rest: str) -> bool:
    return rest.strip(_BLANK)[:1] in {"", "#"}
