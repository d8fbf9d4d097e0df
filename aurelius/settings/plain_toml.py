"""TOML as people write settings: read by tomllib, changed by tomlkit, and the words of messages
about it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from indexer.errors import ConfigError

KeyPath = tuple[str, ...]
"""Where a value stands: the names of the tables around it and its own."""

LONGEST_TOLD = 60
"""Characters of a value that a message shows."""


def parse_toml(file: str, text: str) -> dict[str, Any]:
    """What a file of settings holds.  ConfigError, naming the line, where it is no TOML.

    A search reads its settings first, so what `aurelius init` writes is known here: importing
    tomllib takes longer than all the rest of that.
    """
    known: dict[str, dict[str, Any]] = {
        "": {},
        '[jobs]\nsummarize = "weekly"': {"jobs": {"summarize": "weekly"}},
        '[jobs]\nsummarize = "weekly"\nmaintain = "daily"': {
            "jobs": {"summarize": "weekly", "maintain": "daily"}
        },
        "[summary]\nnew = false": {"summary": {"new": False}},
    }
    said = (
        line.partition("#")[0].strip(" ") if line.isprintable() else line
        for line in text.split("\n")
    )
    live = "\n".join(filter(None, said))
    if live in known:
        return known[live]
    import re
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        why = str(error)
        found = re.search(r"at line (\d+)", why)
        if not isinstance(error, tomllib.TOMLDecodeError | RecursionError):
            why = "a number has too many digits"
        before = re.split(r"[\d_]{640,}", text)[
            0
        ]  # so many digits Python reads however it is set up
        if found:
            line = int(found[1])
        else:
            line = before.count("\n") + 1
        raise ConfigError(
            f"{file}:{line}: not valid TOML: {why}", 'a setting looks like: mode = "hybrid"'
        ) from error


def flat(tree: dict[str, Any], tables: set[str]) -> dict[str, Any]:
    """`{"search": {"limit": 5}}` as `{"search.limit": 5}`; an unknown table keeps its own name."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, dict) and (value or name in tables):
            found.update({f"{name}.{inner}": each for inner, each in value.items()})
        else:
            found[name] = value
    return found


def setting_line(text: str, name: str) -> int:
    """The line that sets `name`, or its table; TOML's parser does not say, so look for it as people
    write it."""
    name = _bare(name)
    table = ""
    nearest = 0
    for number, line in enumerate(map(_bare, text.splitlines()), 1):
        here = table + line.partition("=")[0]
        if line.startswith("["):
            here = line.lstrip("[").partition("]")[0]
            table = f"{here}."
        if here == name:
            return number
        if not nearest and name.startswith(f"{here}."):
            nearest = number
    return nearest or 1


def quote_value(value: Any, as_written: str) -> str:
    """A value as a message names it: a text in quotes, a number or a date as it was written, not as
    Python has it."""
    if isinstance(value, dict):
        shown = "a table"
    else:
        shown = " ".join(as_written.split())
    if isinstance(value, str | bool) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    ):
        shown = repr(value)
    if len(shown) <= LONGEST_TOLD:
        return shown
    return f"{shown[:LONGEST_TOLD]}…"


def _bare(name: str) -> str:
    """A name without its quotes and spaces."""
    return name.translate(dict.fromkeys(map(ord, " \t\"'")))


def toml_texts(typed: str) -> list[str] | None:
    """The texts of a TOML array, or None for what is no array of texts: `[ab]*.md` is a pattern."""
    import tomllib

    with suppress(ValueError, RecursionError):
        match tomllib.loads(f"x = [{typed}]"):
            case {"x": [[*found]]} if all(isinstance(each, str) for each in found):
                return found
    return None


# -- changing a file -------------------------------------------------------------------


def edit_toml(file: str, text: str, values: dict[KeyPath, Any]) -> str:
    """The text of a file with values set, each under its names, or taken out where they are None.

    Every other byte stays, but for the header of a table in which nothing stands then. What is new
    stands behind the last value of its table, or in a new table at the end. ConfigError where that
    is not possible.
    """
    import tomlkit

    wanted = _leaves(parse_toml(file, text))
    end = _line_end(text)
    changed = text.replace(end, "\n")
    before = changed
    by_hand = ""
    for names, value in values.items():
        places = [place for place in wanted if place[: len(names)] == names]
        for place in places:
            del wanted[place]
        if value is not None:
            wanted[names] = tomlkit.item(value).unwrap()
            by_hand = _changed(by_hand, names, value)
            places = []
        for place in (*places, names):
            with suppress(Exception):  # what did not come about, whyever, is seen below
                changed = _changed(changed, place, value)
    made = [changed]
    if by_hand:
        made = [_added_below(before, by_hand), changed]
    for each in made:
        if _holds_just(file, each, wanted):
            return each.replace("\n", end)
    raise ConfigError(
        f"{file}: not written: other lines than those of {', '.join(map('.'.join, values))} would"
        " have to change",
        f"change it with an editor:\n{by_hand}".rstrip(":\n"),
    )


def _added_below(text: str, added: str) -> str:
    """The text with what is added at its end, a blank line between the two."""
    if not text:
        return added
    return text.removesuffix("\n") + "\n\n" + added


def _line_end(text: str) -> str:
    """What each line of a text ends with, where all end alike."""
    if 0 < text.count("\n") == text.count("\r\n"):
        return "\r\n"
    return "\n"


def _holds_just(file: str, text: str, wanted: dict[KeyPath, Any]) -> bool:
    """Whether a text is TOML with these values and no others."""
    with suppress(ConfigError):
        return _leaves(parse_toml(file, text)) == wanted
    return False


def _leaves(tree: dict[str, Any], above: KeyPath = ()) -> dict[KeyPath, Any]:
    """Every value in a tree of tables, by its names."""
    found: dict[KeyPath, Any] = {}
    for name, value in tree.items():
        names = (*above, name)
        if isinstance(value, dict):
            found |= _leaves(value, names)
        else:
            found |= {names: value}
    return found


def _changed(
    text: str,
    names: KeyPath,
    value: Any,
) -> str:
    """The text with one value set, or taken out where it is None, with the tables around it that
    are empty then."""
    import tomlkit

    file = tomlkit.parse(text)
    if file.as_string() != text:
        raise ValueError(text)
    table: Any = file
    left = names
    while len(left) > 1 and left[0] in table:
        table = table[left[0]]
        left = left[1:]
    if value is None:
        del table[left[0]]
        if isinstance(table, tomlkit.items.Table) and not table.as_string().strip():
            return _changed(text, names[:-1], None)
        return _with_comments(text, file.as_string())
    if left[0] in table or isinstance(table, tomlkit.container.OutOfOrderTableProxy):
        table[left[0]] = value
    elif table is file:
        depth = min(len(names) - 1, 2)
        header = tomlkit.key(names[:depth]).as_string()
        return f"{text}[{header}]\n{tomlkit.key(names[depth:]).as_string()} = {toml_value(value)}\n"
    else:
        _append_above_comments(table, left, value)
    return file.as_string()


def _append_above_comments(table: Any, names: KeyPath, value: Any) -> None:
    """Put a value behind the last one of a table, not behind the comments that follow it."""
    import tomlkit

    body = table.value.body
    below = []
    while body and not body[-1][0]:
        below.append(body.pop())
    table.append(tomlkit.key(names), value)
    body.extend(reversed(below))


def _with_comments(text: str, left: str) -> str:
    """What is left of a text, with the comments below a table that was taken out: they may tell of
    what follows.

    Without the blank line above a table at the end, so that one that was added leaves no trace.
    """
    import re
    from os.path import commonprefix

    texts = [each.splitlines(True) for each in (text, left)]
    above = "".join(commonprefix(texts))  # noqa: RUF071  of lines, not of letters
    rest = text[len(above) :]
    if not rest.lstrip().startswith("["):  # a value alone
        return left
    end = len(text) - len(left)
    below = re.findall(r"(?m)(?:^[ \t]*(?:#.*)?\n?)*\Z", rest[:end])[0].lstrip("\n") + rest[end:]
    if not below:
        above = re.sub(r"\n\n\Z", "\n", above)
    return f"{above}{below}"


def toml_value(value: Any) -> str:
    """A value as TOML has it."""
    import tomlkit

    return str(tomlkit.item(value).as_string())
