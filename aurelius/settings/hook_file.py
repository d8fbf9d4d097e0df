"""A client program's file of hooks, or of MCP servers, as text: ours put in and taken out, every other byte kept.

It belongs to the person.  It is JSON or JSON5: comments, a comma at the end of a list and keys without quotation marks
stay; what is put in is plain JSON, which each program reads.  Hooks have the form
`{"hooks": {EVENT: [{"matcher": ..., "hooks": [{"type": "command", "command": ...}]}]}}`; servers lie by name below one
or two keys.
"""

from __future__ import annotations

import json
import re
import shlex
from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    Value = dict[str, Any]

OWN_SERVER = "aurelius"
"""The name under which a client program has our MCP server."""

_TOKEN = re.compile(
    r"""(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*("(?:[^"\\\x00-\x1f]|\\.)*"|'(?:[^'\\\x00-\x1f]|\\\r?.)*'"""
    r"""|[{}\[\]:,]|[^\s{}\[\]:,"'/]+|)""",
    re.DOTALL,
)
_QUOTES = ('"', "'")
_NAME = re.compile(r"(?!\d)[\w$]+")
_ESCAPED = re.compile(r"\\(?:[ux]((?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2})|\r?\n|(.))", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*|/\*(?:(?!\*/)[^\n])*\*/[ \t]*(?=\r?\n))")
_BLANK = " \t\r\n"


def is_own(line: Any) -> bool:
    """Whether a command line of a hook is one that `install` wrote: the program anywhere, `hook EVENT`, any options.

    One with a pipe or a second command in it is the person's.
    """
    try:
        found = shlex.shlex(line if isinstance(line, str) else "", posix=True, punctuation_chars=True)
        found.whitespace_split, found.commenters = True, ""
        words = list(found)
    except ValueError:
        return False
    if words[1:2] != ["hook"] or words[0].rpartition("/")[2] not in {"aurelius", "aurelius.exe"}:
        return False
    return len(words) > 2 and not words[2].startswith("-") and not any(set(word) <= set("();<>|&") for word in words)


def checked(file: str, text: str, change: Callable[[str], str]) -> str:
    """The text changed.  ConfigError where it is no JSON, or something else in it would come to mean another thing."""
    before, after = parsed(file, text), change(text)
    if _others(before.value) != _others(parsed(file, after).value):
        raise ConfigError(f"{file}: not written: the change would reach other settings", "change it with an editor")
    return after


def own_words(file: str, text: str) -> frozenset[str]:
    """The words of `aurelius hook` that a file of hooks has.  ConfigError as above."""
    root = parsed(file, text)
    found = (event.node.items[group].node.value["hooks"][place]["command"] for event, group, place in _own(root))
    return frozenset(shlex.split(line)[2] for line in found)


def _others(value: Value) -> Value:
    """The settings without our hooks and without what is empty then."""
    hooks = {}
    for event, groups in value.get("hooks", {}).items():
        left = [{**group, "hooks": [each for each in group["hooks"] if not _is_ours(each)]} for group in groups]
        hooks[event] = [group for group in left if group["hooks"]]
    return {**value, "hooks": {event: groups for event, groups in hooks.items() if groups}}


def _is_ours(handler: Any) -> bool:
    return isinstance(handler, dict) and is_own(handler.get("command"))


def parsed(file: str, text: str) -> Node:
    """A file of hooks as a tree.  ConfigError where it is no JSON, or its hooks have not the form its program reads."""
    root = parse(file, text)
    if not isinstance(root.value, dict):
        raise ConfigError(f"{file}: it has to hold an object, {{...}}", "correct it, or rename it")
    hooks = root.value.get("hooks", {})
    events = hooks.values() if isinstance(hooks, dict) else (None,)
    groups = [each for event in events for each in (event if isinstance(event, list) else [None])]
    if not all(isinstance(each, dict) and isinstance(each.get("hooks"), list) for each in groups):
        hint = 'correct them: {"hooks": {EVENT: [{"hooks": [...]}]}}'
        raise ConfigError(f"{file}: the program cannot read the hooks in it as they are written", hint)
    return root


def _own(root: Node) -> Iterator[tuple[Member, int, int]]:
    """Our handlers: the item of the event, the number of the group in it, the number of the handler in that."""
    hooks = root.at("hooks")
    for event in hooks.items if hooks else ():
        for number, group in enumerate(event.node.items):
            handlers = group.node.at("hooks")
            for place, handler in enumerate(handlers.items if handlers else ()):
                if _is_ours(handler.node.value):
                    yield event, number, place


def with_groups(text: str, groups: Mapping[str, Value]) -> str:
    """The text in which each event has our group: put in at its end, or in the place of an older one of ours."""
    for event, group in groups.items():
        root = tree(text)
        hooks = root.at("hooks")
        there = hooks.at(event) if hooks else None
        own = next((each for each in _own(root) if each[0].key == event), None)
        if hooks is None:
            text = put_in(text, root, "hooks", {event: [group]})
        elif there is None:
            text = put_in(text, hooks, event, [group])
        elif own is None:
            text = put_in(text, there, "", group)
        else:
            text = _renewed(text, own, group)
    return _cut_out(text, groups, {})


def without_groups(text: str, before: str) -> str:
    """The text without our hooks, and without what they leave empty that was not there before."""
    kept = tree(before).value.get("hooks")
    return _cut_out(text, (), {} if kept is None else {"": None, **kept})


def _renewed(text: str, own: tuple[Member, int, int], group: Value) -> str:
    """The text with an older group of ours replaced; of one that holds others' hooks too, only our own."""
    held = own[0].node.items[own[1]].node
    handlers = held.at("hooks")
    assert handlers is not None  # it holds ours
    node, new = (held, group) if len(handlers.items) == 1 else (handlers.items[own[2]].node, group["hooks"][0])
    if node.value == new:
        return text
    return replaced(text, node, new)


def _cut_out(text: str, stays: Collection[str], kept: Mapping[str, Any]) -> str:
    """The text without our hooks, but for the first one of each event that stays."""
    while True:
        root = tree(text)
        first = {each[0].key: each for each in reversed(list(_own(root)))}
        own = [each for each in _own(root) if each[0].key not in stays or each != first[each[0].key]]
        if not own:
            return text
        (event, number, place), hooks = own[0], root.at("hooks")
        assert hooks is not None  # it holds ours
        handlers = event.node.items[number].node.at("hooks")
        assert handlers is not None
        node, at = handlers, place
        if len(handlers.items) == 1:
            node, at = event.node, number
            if len(event.node.items) == 1 and event.key not in kept:
                node, at = hooks, hooks.items.index(event)
                if len(hooks.items) == 1 and not kept:
                    node, at = root, next(at for at, each in enumerate(root.items) if each.node is hooks)
        text = cut(text, node, at)


# -- MCP servers ----------------------------------------------------------------------------------------


def is_own_server(entry: Any) -> bool:
    """Whether the entry of a server is one that `install` wrote: it runs `aurelius mcp`, with any options."""
    command, args = (entry.get("command"), entry.get("args")) if isinstance(entry, dict) else (None, None)
    words = command if isinstance(command, list) else [command, *(args if isinstance(args, list) else ())]
    names = {"aurelius", "aurelius.exe"}
    return "mcp" in words[1:] and str(words[0]).replace("\\", "/").rpartition("/")[2] in names


def with_server(file: str, text: str, keys: Sequence[str], entry: Value) -> str:
    """The text with our server below these keys; what the person added to an older entry of ours stays.

    ConfigError where it is no JSON, where another program's server has the name, or no such change can be made.
    """
    path, after = [*keys, OWN_SERVER], text
    root = node = parse(file, text)
    for at, key in enumerate(path):
        if not isinstance(node.value, dict):
            what = f"{path[at - 1]} in it" if at else "it"
            raise ConfigError(f"{file}: {what} has to hold an object, {{...}}", "correct it, or rename it")
        inner = node.at(key)
        if inner is None:
            after = put_in(text, node, key, reduce(lambda held, name: {name: held}, reversed(path[at + 1 :]), entry))
            break
        node = inner
    else:
        if not is_own_server(node.value):
            hint = "rename it there, then run the command again"
            raise ConfigError(f"{file}: the server {OWN_SERVER} in it is not ours", hint)
        new = {**node.value, **entry}
        after = text if new == node.value else replaced(text, node, new)
    if _elsewhere(parse(file, after).value, path) != _elsewhere(root.value, path):
        raise ConfigError(f"{file}: not written: the change would reach other settings", "change it with an editor")
    return after


def without_server(text: str, keys: Sequence[str], before: str) -> str:
    """The text without our server, and without what it leaves empty that was not there before."""
    path = [*keys, OWN_SERVER]
    while True:
        chain = [tree(text)]
        while len(chain) <= len(path) and (inner := chain[-1].at(path[len(chain) - 1])):
            chain.append(inner)
        if len(chain) <= len(path) or not is_own_server(chain[-1].value):
            return text
        depth = len(path) - 1
        while depth and len(chain[depth].items) == 1 and not _has(tree(before), path[:depth]):
            depth -= 1
        at = next(at for at, each in enumerate(chain[depth].items) if each.node is chain[depth + 1])
        text = cut(text, chain[depth], at)


def _has(node: Node | None, path: Sequence[str]) -> bool:
    for key in path:
        node = node.at(key) if node else None
    return node is not None


def _elsewhere(value: Any, path: Sequence[str]) -> Any:
    """The settings without what lies at a path, and without what is empty then."""
    if not path or not isinstance(value, dict):
        return None if not path else value
    inner = _elsewhere(value.get(path[0]), path[1:])
    return {**{key: each for key, each in value.items() if key != path[0]}, **({path[0]: inner} if inner else {})}


# -- JSON as text ---------------------------------------------------------------------------------------


class Member(NamedTuple):
    """A value in an object or a list: its key, where it begins, and where the comma after it is, -1 for none."""

    key: str
    start: int
    node: Node
    comma: int


class Node(NamedTuple):
    """A value of a JSON text: where it stands, what it says, and what it holds."""

    start: int
    end: int
    value: Any
    items: tuple[Member, ...] = ()

    def at(self, key: str) -> Node | None:
        """The value of a key of an object, the last where it is there twice."""
        return next((each.node for each in reversed(self.items) if each.key == key), None)


def parse(file: str, text: str) -> Node:
    """A file of JSON or JSON5 as a tree.  ConfigError, naming the line, where it is none."""
    try:
        root, at = _value(text, 0)
        if _next(text, at)[0]:
            raise _OddError(at, "something follows its end")
    except (_OddError, RecursionError) as error:
        at, wrong = error.args if isinstance(error, _OddError) else (0, "it is nested too deep")
        where = f"{file}:{text.count(chr(10), 0, at) + 1}"
        raise ConfigError(
            f"{where}: not valid JSON: {wrong}", "correct that line, then run the command again"
        ) from None
    return root


class _OddError(Exception):
    """Where a text is no JSON, and why."""


def _next(text: str, at: int) -> tuple[str, int, int]:
    found = _TOKEN.match(text, at)
    assert found is not None  # it matches nothing, too
    return found[1], found.start(1), found.end(1)


def tree(text: str) -> Node:
    """A text that was parsed before, as a tree."""
    return _value(text, 0)[0]


def _value(text: str, at: int) -> tuple[Node, int]:
    """The value that begins at the next token, and where it ends."""
    word, start, end = _next(text, at)
    if word not in ("{", "["):
        try:
            return Node(start, end, _scalar(word)), end
        except ValueError:
            raise _OddError(start, f"{word!r} is no value" if word else "a value is missing") from None
    items: list[Member] = []
    closing = "}" if word == "{" else "]"
    at = end
    while True:
        following, begin, end = _next(text, at)
        if following == closing:
            break
        if items and items[-1].comma < 0:
            raise _OddError(begin, f"a comma or {closing} is missing")
        key = ""
        if closing == "}":
            colon, _, after = _next(text, end)
            bare = _NAME.fullmatch(following)
            if colon != ":" or not (bare or following[:1] in _QUOTES):
                raise _OddError(begin, "a key and a colon are missing")
            key, end = following if bare else _scalar(following), after
        node, at = _value(text, end if closing == "}" else begin)
        comma, place, after = _next(text, at)
        items.append(Member(key, begin, node, place if comma == "," else -1))
        at = after if comma == "," else at
    values = [each.node.value for each in items]
    held = dict(zip((each.key for each in items), values, strict=True)) if closing == "}" else values
    return Node(start, end, held, tuple(items)), end


def _scalar(word: str) -> Any:
    """What a word says, also where only JSON5 knows it.  ValueError for one that says nothing."""
    with suppress(ValueError):
        return json.loads(word)
    if word[:1] in _QUOTES:
        return _ESCAPED.sub(lambda it: chr(int(it[1], 16)) if it[1] else _ESCAPES.get(it[2], it[2] or ""), word[1:-1])
    return int(word, 16) if "x" in word.lower() else float(word)


# -- changed --------------------------------------------------------------------------------------------


def put_in(text: str, node: Node, key: str, value: Any) -> str:
    """The text with a value at the end of an object, under a key, or of a list, whose key is ""."""
    new = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    end = "\r\n" if "\r\n" in text else "\n"
    if not node.items:
        head = text[: node.end - 1].rstrip(_BLANK)
        line, base = (end, _indent(text, node.start)) if _is_spread(text) else ("", "")
        deep = base + _unit(text) if line else ""
        return f"{head}{line}{deep}{new}{written(text, value, deep)}{line}{base}{text[node.end - 1 :]}"
    last, first = node.items[-1], node.items[0]
    trails = last.comma >= 0
    at = last.comma + 1 if trails else last.node.end
    rest = _REST_OF_LINE.match(text, at)
    place = rest.end() if rest else at
    lead = text[node.start + 1 : first.start]
    deep = _indent(text, first.start)
    gap = f"{end}{deep}" if "\n" in lead or rest else (" " if len(node.items) == 1 or " " in lead else "") or " "
    new += written(text, value, deep) if "\n" in lead else json.dumps(value, ensure_ascii=False)
    return f"{text[:at]}{'' if trails else ','}{text[at:place]}{gap}{new}{',' if trails else ''}{text[place:]}"


def replaced(text: str, node: Node, value: Any) -> str:
    """The text with another value in the place of one."""
    return text[: node.start] + written(text, value, _indent(text, node.start)) + text[node.end :]


def cut(text: str, node: Node, at: int) -> str:
    """The text without one item of an object or a list, its comma and the blanks before it."""
    item = node.items[at]
    end = item.comma + 1 if item.comma >= 0 else item.node.end
    start = len(text[: item.start].rstrip(_BLANK))
    if len(node.items) == 1 and not (text[node.start + 1 : start] + text[end : node.end - 1]).strip(_BLANK):
        start, end = node.start + 1, node.end - 1
    follows = text[end:].lstrip(" \t")[:1] not in {"\r", "\n"}
    if follows and "//" in text[text.rfind("\n", 0, start) + 1 : start]:  # a comment there would take that in
        start = item.start
    left = text[:start] + text[end:]
    if at and at == len(node.items) - 1 and item.comma < 0:
        comma = node.items[at - 1].comma
        left = left[:comma] + left[comma + 1 :]
    return left


def written(text: str, value: Any, deep: str) -> str:
    """A value as it is written in a text, its first line already `deep` in it; in one line where the text is one."""
    if not _is_spread(text):
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return ("\r\n" if "\r\n" in text else "\n").join([lines[0], *(deep + line for line in lines[1:])])


def _is_spread(text: str) -> bool:
    """Whether a text has a line for each value; an empty one is to have."""
    return "\n" in text.strip(_BLANK) or not text.strip(_BLANK)[1:-1].strip(_BLANK)


def _unit(text: str) -> str:
    """What a text is indented by."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
