"""The hooks and MCP servers in a client program's file: ours put in and out, other bytes kept.

It belongs to the person.  Plain JSON is changed; a file that holds more, such as comments, is left
as it is, and the person is told what to put in or take out by hand.

Hooks have the form
`{"hooks": {EVENT: [{"matcher": ..., "hooks": [{"type": "command", "command": ...}]}]}}`;
servers lie by name below one or two keys.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    Value = dict[str, Any]
    Place = tuple[str | int, ...]

OWN_SERVER = "aurelius"
"""The name under which a client program has our MCP server."""

OWN_KEY = re.compile(r"""(?<![/\w])aurelius["']?\s*:""")
"""That name as a key, also of what is no plain JSON."""

EMPTY_HOOK_FILE = "{}\n"
"""A file without settings."""

_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_STYLE = re.compile(r"""[\s"']|,(?=\s*[\]}])""")
_INNERMOST = re.compile(r"\{[^{}]+(?=\})")
_scan = json.JSONDecoder().raw_decode


def is_own(line: Any) -> bool:
    """Whether a command line of a hook is one that `install` wrote.

    That is the program anywhere, `hook EVENT` and any options.  One with a pipe or a second command
    in it is the person's.
    """
    try:
        text = line if isinstance(line, str) else ""
        found = shlex.shlex(text, posix=True, punctuation_chars=True)
        found.whitespace_split = True
        found.commenters = ""
        words = list(found)
    except ValueError:
        return False
    if words[1:2] != ["hook"] or words[0].rpartition("/")[2] not in {"aurelius", "aurelius.exe"}:
        return False
    is_plain = not any(set(word) <= set("();<>|&") for word in words)
    return is_plain and len(words) > 2 and not words[2].startswith("-")


def change_hook_file(file: str, text: str, change: Callable[[str], str]) -> str:
    """The text changed by a function that expects plain JSON.

    One that is no plain JSON is returned as it is where it has all that is wanted already.
    ConfigError where it has not: the line that is no plain JSON, and what to put in or take out.
    """
    if not text.strip():
        text = EMPTY_HOOK_FILE
    try:
        json.loads(text)
        return change(text)
    except (ValueError, RecursionError) as error:
        wanted = change(EMPTY_HOOK_FILE)
        if _has_all(text, wanted):
            return text
        where = f"{file}:{getattr(error, 'lineno', 1)}"
        why = getattr(error, "msg", str(error)).lower()
        message = f"{where}: not plain JSON ({why}), so the file was left as it is"
        raise ConfigError(message, _by_hand(text, wanted)) from None


def _has_all(text: str, wanted: str) -> bool:
    """Whether a text that is no plain JSON has the hooks, or the server, of one that is."""
    there = _STYLE.sub("", text)
    parts = _INNERMOST.findall(_STYLE.sub("", wanted))
    if not parts or own_hook_words(text) != own_hook_words(wanted):
        return False
    return all(part in there for part in parts)


def _by_hand(text: str, wanted: str) -> str:
    """What a person is to put into a text, or to take out of it where nothing is wanted."""
    editor = "with an editor, make that line plain JSON, or"
    again = "then run the command again"
    if wanted != EMPTY_HOOK_FILE:
        older = "in the place of any older part of aurelius"
        return f"{editor} put this in, {older}; {again}:\n{wanted.rstrip()}"
    lines = enumerate(text.split("\n"), 1)
    ours = ", ".join(str(number) for number, line in lines if OWN_SERVER in line)
    return f"{editor} take out what runs aurelius (line {ours}); {again}"


# -- hooks ----------------------------------------------------------------------------------------


def own_hook_words(text: str) -> frozenset[str]:
    """The words of `aurelius hook` in a file of hooks, plain JSON or not."""
    lines = (re.sub(r"\\(.)", r"\1", line) for line in _STRING.findall(text))
    return frozenset(shlex.split(line)[2] for line in lines if is_own(line))


def own_hooks(file: str, text: str) -> Iterator[Place]:
    """Where our hooks stand: a group that holds nothing else, or one command of a group.

    ConfigError where the hooks have not the form that their program reads.
    """
    for event, groups in _hooks_by_event(file, text).items():
        for number, group in enumerate(groups):
            for place, each in enumerate(group["hooks"]):
                if isinstance(each, dict) and is_own(each.get("command")):
                    path = ("hooks", event, number)
                    yield path if len(group["hooks"]) == 1 else (*path, "hooks", place)


def _hooks_by_event(file: str, text: str) -> dict[str, list[Value]]:
    """The groups of hooks by event.  ConfigError where they have not the form that their program
    reads."""
    root = json.loads(text)
    hooks = root.get("hooks", {}) if isinstance(root, dict) else None
    if isinstance(hooks, dict) and all(map(_are_groups, hooks.values())):
        return hooks
    hint = 'correct them: {"hooks": {EVENT: [{"hooks": [...]}]}}'
    what = "the program cannot read the hooks in it as they are written"
    raise ConfigError(f"{file}: {what}", hint)


def _are_groups(groups: Any) -> bool:
    return isinstance(groups, list) and all(
        isinstance(each, dict) and isinstance(each.get("hooks"), list) for each in groups
    )


def with_groups(file: str, text: str, groups: Mapping[str, Value]) -> str:
    """The text in which each event has our group, at its end or in the place of an older one."""
    first = {path[1]: path for path in reversed(list(own_hooks(file, text)))}
    hooks = json.loads(text).get("hooks", {})
    for event, group in groups.items():
        path = first.get(event) or ("hooks", event, len(hooks.get(event, ())))
        text = put_in(text, path, group if len(path) == 3 else group["hooks"][0])
    return without_groups(file, text, EMPTY_HOOK_FILE, groups)


def without_groups(
    file: str,
    text: str,
    before: str,
    stays: Collection[str] = (),
) -> str:
    """The text without our hooks, but for the first one of each event that stays."""
    while True:
        left = set(stays)
        gone = None
        for path in own_hooks(file, text):
            if path[1] not in left:
                gone = path
            left.discard(path[1])
        if gone is None:
            return text
        text = without_value(text, gone, before)


# -- MCP servers ----------------------------------------------------------------------------------


def is_own_server(entry: Any) -> bool:
    """Whether the entry of a server is one of ours: it runs `aurelius mcp`, with any options."""
    if not isinstance(entry, dict):
        return False
    words = entry.get("command")
    if not isinstance(words, list):
        args = entry.get("args")
        if isinstance(args, list):
            words = [words, *args]
        else:
            words = [words]
    names = {"aurelius", "aurelius.exe"}
    return "mcp" in words[1:] and str(words[0]).replace("\\", "/").rpartition("/")[2] in names


def with_server(
    file: str,
    text: str,
    keys: Sequence[str],
    entry: Value,
) -> str:
    """The text with our server below these keys; what the person added to an older entry stays.

    ConfigError where another program's server has the name, or there is no place for one.
    """
    path = (*keys, OWN_SERVER)
    *above, last = _walk(text, path)
    if len(above) < len(path):
        if not isinstance(last.value, dict):
            what = "it"
            if above:
                what = f"{last.key} in it"
            message = f"{file}: {what} has to hold an object, {{...}}"
            raise ConfigError(message, "correct it, or rename it")
    elif is_own_server(last.value):
        entry = {**last.value, **entry}
    else:
        hint = "rename it there, then run the command again"
        raise ConfigError(f"{file}: the server {OWN_SERVER} in it is not ours", hint)
    return put_in(text, path, entry)


# -- plain JSON as text ---------------------------------------------------------------------------


class Node(NamedTuple):
    """A value of a JSON text: its key or number, which begins at `begin`, and where it stands."""

    key: str | int
    begin: int
    start: int
    end: int
    value: Any


def _next(text: str, at: int) -> int:
    """Where the next token but a comma or colon begins."""
    while text[at] in " \t\r\n,:":
        at += 1
    return at


def _items(text: str, node: Node) -> list[Node]:
    """What an object or a list holds.

    ValueError for a key that stands twice: without one the other would count.
    """
    found: list[Node] = []
    at = _next(text, node.start + 1)
    while text[at] not in "}]":
        begin = at
        key: str | int = len(found)
        if isinstance(node.value, dict):
            key, at = _scan(text, at)
            at = _next(text, at)
        value, end = _scan(text, at)
        found.append(Node(key, begin, at, end, value))
        at = _next(text, end)
    if len(found) > len(node.value):
        raise json.JSONDecodeError("a key stands twice", text, node.start)
    return found


def _walk(text: str, path: Place) -> list[Node]:
    """The whole of a text, then what it has on a path, each in the one before."""
    start = len(text) - len(text.lstrip())
    value, end = _scan(text, start)
    found = [Node("", start, start, end, value)]
    for key in path:
        held = []
        if isinstance(found[-1].value, dict | list):
            held = _items(text, found[-1])
        inner = [each for each in held if each.key == key]
        if not inner:
            break
        found += inner
    return found


def put_in(text: str, path: Place, value: Any) -> str:
    """The text with a value at a path: for the one there, or at the end of what is to hold it."""
    chain = _walk(text, path)
    node = chain[-1]
    missing = path[len(chain) - 1 :]
    if not missing and node.value == value:
        return text
    if not missing:
        new = _written(text, value, _new_line(text, node.start))
        return text[: node.start] + new + text[node.end :]
    for key in reversed(missing[1:]):
        if isinstance(key, str):
            value = {key: value}
        else:
            value = [value]
    held = _items(text, node)
    if held:
        end = held[-1].end
        head = text[:end] + ","
        first = held[0].begin
        line = " "
        if "\n" in text[node.start : first]:
            line = _new_line(text, first)
        tail = text[end:]
    else:
        head = text[: node.start + 1]
        tail = _new_line(text, node.start)
        line = tail and tail + _unit(text)
        tail += text[node.end - 1 :]
    name = ""
    if isinstance(missing[0], str):
        name = f"{json.dumps(missing[0], ensure_ascii=False)}: "
    return f"{head}{line}{name}{_written(text, value, line)}{tail}"


def without_value(text: str, path: Place, before: str) -> str:
    """The text without the value at a path, and what it leaves empty that was not there before."""
    chain = _walk(text, path)
    if len(chain) <= len(path):
        return text
    at = len(path)
    while at > 1 and len(chain[at - 1].value) == 1 and len(_walk(before, path[: at - 1])) < at:
        at -= 1
    node = chain[at - 1]
    item = chain[at]
    held = _items(text, node)
    at = held.index(item)
    if at:
        start = held[at - 1].end
    else:
        start = node.start + 1
    end = item.end
    if len(held) == 1:
        end = node.end - 1
    elif not at:
        start = item.begin
        end = held[1].begin
    return text[:start] + text[end:]


def _written(text: str, value: Any, line: str) -> str:
    """A value as it is written in a text, each of its lines after a new `line`; else one line."""
    indent = None
    if "\n" in line:
        indent = _unit(text)
    return json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", line)


def _new_line(text: str, at: int) -> str:
    """The end of a line and the blanks that a place's begins with; "" where a text is one line."""
    if "\n" not in text.strip() and json.loads(text):
        return ""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return ("\r\n" if "\r\n" in text else "\n") + line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """What a text is indented by."""
    found = re.search(r"\n([ \t]+)\S", text)
    if found:
        return found[1]
    return "  "
