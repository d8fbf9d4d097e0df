"""Links in front matter: `up: "[[Kyoto]]"`, in lists too, quoted either way or not at all, and
`[x](path.md)`.

What stands in a comment or in a key is none. Front matter that YAML cannot read, as `tags: [[a]],
[[b]]`, is plain text: every `[[…]]` outside a comment is a link; so is a line `tags: #a, [[b]]`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from . import front_matter, inline

if TYPE_CHECKING:
    import yaml

    from indexer.note import Link

    from .front_matter import FrontMatter

_PLAIN_STYLE = "text"
"""The style of front matter that YAML cannot read: nothing in it is quoted or escaped."""

BARE = "["
"""The style of `[[Kyoto]]` without quotes, which YAML takes for a list in a list."""

_NO_COMMENT = re.compile(r"\s*[^#\s]")
_TAGS_FIRST = re.compile(r"[\w .-]{1,60}:[ \t]+#[^#\s]")
"""A line `tags: #a, [[b]]`, which YAML takes for a key with a comment."""

_NO_BREAK = re.compile(r"[^\n]")


class _Scalar(NamedTuple):
    """A text of the front matter as YAML wrote it: where it begins and ends, and how it is quoted.

    Offsets count from the line after the first `---`. `style` is `"`, `'`, `|`, `>`, BARE,
    _PLAIN_STYLE, or "" for no quotes; `flow` says whether it stands in a list or mapping in
    brackets.
    """

    begin: int
    end: int
    style: str
    flow: bool


class Property(NamedTuple):
    """A value that holds links, with their addresses, whose offsets count as the value's do."""

    value: _Scalar
    addresses: tuple[inline.Address, ...]


def front_links(lines: Sequence[str], front: FrontMatter) -> list[Link]:
    """Every link of the front matter, in order of lines."""
    found: list[Link] = []
    for one in link_properties(lines, front):
        found += [each.link for each in one.addresses]
    return sorted(found, key=lambda link: link.line)


def front_source(lines: Sequence[str], front: FrontMatter) -> str:
    """The text between the two `---`."""
    return "\n".join(lines[1 : front.lines - 1])


def link_properties(lines: Sequence[str], front: FrontMatter) -> list[Property]:
    """The values that hold links, in order."""
    if front.lines < 3:
        return []
    text = front_source(lines, front)
    if front.broken:
        values = sorted(_unread(text, _NO_COMMENT))
    else:
        values = sorted([*_values(text), *_unread(text, _TAGS_FIRST)])
    reader = inline.Inline(_visible(text, values), lines, 2, ())
    begins = [value.begin for value in values]
    found: dict[_Scalar, list[inline.Address]] = {}
    for address in inline.addresses(reader):
        value = values[bisect_right(begins, address.begin) - 1]
        meant = _decoded(address, text[address.begin : address.end], value.style)
        if meant is not None and address.end <= value.end:
            found.setdefault(value, []).append(meant)
    return [Property(value, tuple(sorted(each))) for value, each in sorted(found.items())]


def _unread(text: str, only: re.Pattern[str]) -> Iterator[_Scalar]:
    """The lines that YAML cannot read and that begin so."""
    at = 0
    for line in text.split("\n"):
        if "[[" in line and only.match(line):
            yield _Scalar(at, at + len(line), _PLAIN_STYLE, False)
        at += len(line) + 1


def _values(text: str) -> Iterator[_Scalar]:
    """The texts that may hold a link: no keys, no numbers, no comments."""
    import yaml

    root = yaml.compose(text, Loader=front_matter.loader())
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        node, flow = pending.pop()
        if isinstance(node, yaml.ScalarNode):
            if node.tag.endswith(":str"):
                yield _value(node, node.style or "", flow)
        elif isinstance(node, yaml.SequenceNode) and _is_bare(node, text):
            yield _value(node, BARE, flow)
        elif node is not None:
            is_map = isinstance(node, yaml.MappingNode)
            flow = flow or bool(node.flow_style)
            pending += [(each[1] if is_map else each, flow) for each in node.value]


def _value(
    node: yaml.Node,
    style: str,
    flow: bool,
) -> _Scalar:
    return _Scalar(node.start_mark.index, node.end_mark.index, style, flow)


def _is_bare(node: yaml.SequenceNode, text: str) -> bool:
    """Whether a list is one name in two pairs of brackets, as people write links who do not think
    of YAML."""
    import yaml

    match = inline.WIKI.fullmatch(text, node.start_mark.index, node.end_mark.index)
    if match is None or len(node.value) != 1:
        return False
    inner = node.value[0].value
    name = inner[0] if len(inner) == 1 else None
    return isinstance(name, yaml.ScalarNode) and name.value == match[1].strip()


def _visible(text: str, values: Sequence[_Scalar]) -> str:
    """The text with all that is no value as spaces, so that its lines and offsets stay; code in a
    value too."""
    parts: list[str] = []
    at = 0
    for value in values:
        begin = value.begin
        end = value.end
        if value.style in {"|", ">"}:
            begin = text.find("\n", begin, end) + 1 or end
        parts += _NO_BREAK.sub(" ", text[at:begin]), text[begin:end]
        if "`" in parts[-1]:
            edges = pairwise((0, *inline.code_spans(parts[-1], 0, end - begin), end - begin))
            pieces = [parts[-1][start:stop] for start, stop in edges]
            pieces[1::2] = [_NO_BREAK.sub(" ", code) for code in pieces[1::2]]
            parts[-1] = "".join(pieces)
        at = end
    return "".join([*parts, _NO_BREAK.sub(" ", text[at:])])


def _decoded(
    address: inline.Address,
    raw: str,
    style: str,
) -> inline.Address | None:
    """The link that an address means once YAML's quoting is undone."""
    link = address.link
    written = _unquoted(raw, style)
    if written == raw:
        return address
    if link.style == "wiki":
        meant = inline.wikilink(written, link.line, link.embed)
    else:
        meant = inline.markdown_link(written, _unquoted(link.label, style), link.line, link.embed)
    if meant:
        return address._replace(link=meant)
    return None


def _unquoted(raw: str, style: str) -> str:
    if style == "'":
        return raw.replace("''", "'")
    if style != '"' or "\\" not in raw:
        return raw
    import yaml

    try:
        # the safe one
        return str(yaml.load(f'"{raw}"', Loader=front_matter.loader()))  # noqa: S506
    except yaml.YAMLError:
        return raw
