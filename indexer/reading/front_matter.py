"""Metadata at the top of a note: YAML front matter, the bold header, Logseq's page properties."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import dropwhile, islice, takewhile
from typing import Any, NamedTuple

from indexer.note import Problem

from .blocks import TEXT_LIMIT
from .inline import WIKI
from .path_meaning import iso, month_of

SIZE_LIMIT = 64 * 1024
"""Characters of front matter that are read as YAML."""

DEPTH_LIMIT = 20
"""Lists and mappings inside one another that are read as YAML."""

_FENCE = re.compile(r"-{3,}[ \t]*")
_KEY_LINE = re.compile(r"([A-Za-z_][\w .-]{0,60}?)[ \t]{0,20}:(?:[ \t]{1,20}(.{0,1000}))?$")
_ENTRY_LINE = re.compile(
    r"(?![#,\]}])(?!-[ \t])(\".{1,100}?\"|'.{1,100}?'|\S.{0,100}?)[ \t]*:(?:[ \t]+(.*))?$"
)
"""The first line of an entry that is read alone where the whole is not valid YAML: its key, and its
value."""

_BLOCK = re.compile(r"[|>][+\-\d]*")
_ITEM_LINE = re.compile(r"[ \t]*-(?:[ \t]+(.*))?$")
_MOST_LINES = 2000
"""Lines of invalid front matter of which entries are read one by one."""

_BOLD = re.compile(r"\*\*([A-Za-z][A-Za-z ]{0,30}?)(?::\*\*|\*\*[ ]?:)[ \t]{0,20}([^*|]{0,500})")
_BOLD_KEYS = frozenset(
    {
        "type",
        "kind",
        "category",
        "status",
        "created",
        "date",
        "updated",
        "last updated",
        "last modified",
        "modified",
        "aliases",
        "alias",
        "also known as",
        "tags",
        "tag",
        "private",
    }
)
DATE_KEYS = (
    "date",
    "created",
    "created_at",
    "date_created",
    "creation_date",
    "createdat",
    "created_on",
)
UPDATED_KEYS = (
    "updated",
    "last_updated",
    "updated_at",
    "modified",
    "last_modified",
    "date_modified",
    "lastmod",
    "updatedat",
)
"""Keys of the days on which a note was made and changed, as they are looked up: in lower case, with
`_` between words."""
PROPERTY_LINE = re.compile(r"(?:[-*] )?([^\W\d_][\w\u0300-\u036f-]{0,40}):: ?(.{0,1000})$")
_PROPERTY_KEYS = frozenset(
    {"title", "alias", "aliases", "tags", "tag", "type", "date", "created", "updated", "private"}
)
_TAG_LINE = re.compile(r"(?i)(tags?)[ \t]{0,20}:[ \t]{1,20}(#[^#\s].{0,998})$")
_FENCED = re.compile(r"(?:-{2,}|[–—]|\+{3}|;{3}|\{)")
"""How a first line begins that somebody may have meant as the start of front matter."""
_MARKS = r"[ \t\-\"'`?*>•+(\[]*+"
_PRIVATE = re.compile(
    rf"(?:^|[{{,\v\f\x1c-\x1e\x85\u2028\u2029]){_MARKS}(?:[!&][^\s,]{{0,80}}\s{_MARKS})*+"
    r"private[^\w\s:=-]{0,3}[ \t]{0,40}[:=]+"
    r"(?:[ \t]|[|>][+\-\d]*|[!&][^\s,]*|\n(?=[ \t:]):?)*+(.*)",
    re.MULTILINE,
)
"""The word where a key stands, and its value, on its line or indented in the next."""
_ALONE = re.compile(r"^[ \t\"'`*?]*+private[ \t\"'`*]*+$", re.MULTILINE)
"""The word alone on its line, which may have lost its value."""


class FrontMatter(NamedTuple):
    """The values at a note's top, how many of its lines are front matter, and what was wrong with
    it.

    `broken` says that it could not be read as meant, so its lines stay part of the searchable text.
    """

    values: Mapping[str, Any]
    lines: int = 0
    problems: tuple[Problem, ...] = ()
    broken: bool = False


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a note.  Never raises.

    What YAML cannot read is told and stays searchable as text. Its entries are then read one by
    one, so that a slip in one loses none of the others and never makes a private note public.
    """
    if not lines or not lines[0].startswith("---") or not _FENCE.fullmatch(lines[0]):
        return FrontMatter({})
    end = closing(lines)
    if end is None:
        return _unclosed(lines)
    inner = lines[1:end]
    source = "\n".join(inner)
    problem = _refused(source)
    if problem is None:
        values, problem = _load(source)
        if problem is None:
            return FrontMatter({**values, **_tags_taken_for_comments(values, inner)}, end + 1)
    return FrontMatter(_entries(inner), end + 1, (problem,), True)


def is_top_private(lines: Sequence[str], front: FrontMatter | None = None) -> bool:
    """Whether a note's top says that it is private; where it is not read, whatever looks like it
    says so.

    `front` is what `read_front_matter` made of these lines, where it is known.
    """
    if front is None:
        front = read_front_matter(lines)
    if says_private(header(lines, front.lines).get("private")):
        return True
    if any(_is_key(key) and says_private(value) for key, value in front.values.items()):
        return True
    if front.broken:
        return _looks_private("\n".join(lines[1 : front.lines - 1]))
    is_open = not front.lines and bool(lines) and _FENCE.fullmatch(lines[0]) is not None
    if is_open and sum(map(len, lines)) + len(lines) > TEXT_LIMIT - SIZE_LIMIT:
        return True  # its end was cut off, so nobody knows what it says
    return _looks_private(_unread(lines, front))


def says_private(value: object) -> bool:
    """Whether a value of `private` makes a note so: in doubt it does, for a slip must not publish a
    note."""
    return value is not None and str(value).strip().lower() not in {
        "",
        "false",
        "no",
        "off",
        "0",
        "null",
        "none",
        "~",
    }


def _is_key(key: str) -> bool:
    return _plainly(key).strip().strip("_\"'`*?!.").strip() == "private"


def _plainly(text: str) -> str:
    """Text with letters of other widths and cases as the plain ones, and without what nobody
    sees."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
        text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return text.casefold()


def _unread(lines: Sequence[str], front: FrontMatter) -> str:
    """The lines at the top that somebody may have meant as front matter, and that were not read as
    such."""
    unseen = "\ufeff\u200b \t"
    rest = dropwhile(lambda line: not line.strip(unseen), islice(lines, front.lines, None))
    first = next(rest, "").lstrip(unseen)
    if not _FENCED.match(first) and (front.values or not front.lines):
        return ""
    block = takewhile(str.strip, dropwhile(lambda line: not line.strip(), rest))
    return "\n".join((first.lstrip("-–—+;"), *block))


def _looks_private(text: str) -> bool:
    """Whether unread lines hold something like `private: true`: the word where a key stands, and a
    value."""
    text = _plainly(text)
    for said in _PRIVATE.findall(text):
        value = re.split(r"\s#|[,}\]]", said, maxsplit=1)[0]
        if says_private(value.strip().strip("\"'`*;.")):
            return True
    return _ALONE.search(text) is not None


def closing(lines: Sequence[str]) -> int | None:
    """The index of the line that closes the front matter."""
    for index in range(1, len(lines)):
        line = lines[index]
        if line[:3] in ("---", "...") and (_FENCE.fullmatch(line) or line.rstrip() == "..."):
            return index
    return None


def _unclosed(lines: Sequence[str]) -> FrontMatter:
    """A first line `---` without a second: a rule, or front matter that someone is still typing."""
    if len(lines) < 2 or not _KEY_LINE.match(lines[1][:2000]):
        return FrontMatter({})
    typed = list(takewhile(str.strip, lines[1:200]))
    message = "the front matter is not closed; add a line `---` after it"
    problem = Problem(1, "front-matter", message)
    return FrontMatter(_entries(typed), 0, (problem,))


def _refused(source: str) -> Problem | None:
    """Why front matter is not read as YAML, though it may be valid: its size or depth, or aliases
    and merge keys, with which a few lines can stand for gigabytes."""
    import yaml

    why = "the front matter {}, so it is read as text"
    if len(source) > SIZE_LIMIT:
        large = why.format(f"is larger than {SIZE_LIMIT // 1024} KiB")
        return Problem(1, "front-matter", large)
    may_nest = sum(map(source.count, "[{:-?")) > DEPTH_LIMIT
    if not (may_nest or "*" in source or "<<" in source):
        return None
    depth = 0
    try:
        for event in yaml.parse(source, Loader=loader()):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH_LIMIT:
                deep = why.format(f"nests more than {DEPTH_LIMIT} deep")
                return Problem(1, "front-matter", deep)
            merge = isinstance(event, yaml.ScalarEvent) and event.value == "<<" and not event.style
            if merge or isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line  # type: ignore[union-attr]  # it comes from text
                return Problem(
                    line + 2,
                    "front-matter",
                    "YAML aliases (*) and merge keys (<<) are not supported; write the value out",
                )
    except (yaml.YAMLError, ValueError):
        pass  # the parser will say it better
    return None


_TAG = "tag:yaml.org,2002:"
_WHOLE = re.compile(r"(?:0|-?[1-9]\d{0,17})$")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,9})\.(?:0|\d{0,3}[1-9])$")
_TRUTH = re.compile(r"(?:true|True|TRUE|false|False|FALSE)$")
_NOTHING = re.compile(r"(?:~|null|Null|NULL)?$")
_READ: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    _TAG + "str": (re.compile(""), str),
    _TAG + "int": (_WHOLE, int),
    _TAG + "float": (_DECIMAL, float),
    _TAG + "bool": (_TRUTH, lambda text: text.lower() == "true"),
    _TAG + "null": (_NOTHING, lambda _: None),
}
"""How a single value of a tag is spelt, and what is read of it."""

_NUMBER = [(_TAG + "int", _WHOLE), (_TAG + "float", _DECIMAL)]
_BOOL = [(_TAG + "bool", _TRUTH)]
_NULL = [(_TAG + "null", _NOTHING)]
_RESOLVERS = (
    dict.fromkeys("-0123456789", _NUMBER)
    | dict.fromkeys("tTfF", _BOOL)
    | dict.fromkeys(("", *"~nN"), _NULL)
)
"""What a value without quotes may be besides text, by its first character, as YAML 1.2's core
schema has it.

A number is only what would be written again as it was typed: 01234, 1.10, 1_000, 0o17 and 1e3 stay
text. Dates, times and words such as yes and off are text too.
"""


@cache
def loader() -> Any:
    """YAML's safe loader, the quick one where it is built in, with values as YAML 1.2 reads
    them."""
    import yaml

    # one of two
    class CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers = _RESOLVERS

        def construct_document(self, node: Any) -> Any:
            return _value(node)

    return CoreLoader


def _value(node: Any) -> Any:
    """What a node of YAML holds, as JSON knows it: keys are text as typed. Of one that stands there
    twice the last counts, of `private` the one that makes a note so.

    ConstructorError for a value that is not what its tag says, for any tag of another kind, and for
    a key that is a list or mapping.
    """
    if node.tag == _TAG + "seq" and node.id == "sequence":
        return [_value(item) for item in node.value]
    if node.tag == _TAG + "map" and node.id == "mapping":
        pairs = [(_key(key), _value(item)) for key, item in node.value]
        found = dict(pairs)
        if len(found) < len(pairs):
            found.update(pair for pair in pairs if _is_key(pair[0]) and says_private(pair[1]))
        return found
    pattern, read_as = _READ.get(node.tag, (None, str))
    if node.id != "scalar" or pattern is None or not pattern.match(node.value):
        raise _refusal(node, f"the value does not fit its tag {node.tag}")
    return read_as(node.value)


def _key(node: Any) -> str:
    if node.id != "scalar":
        raise _refusal(node, "a key is a list or mapping")
    return str(node.value)


def _refusal(node: Any, reason: str) -> Exception:
    from yaml.constructor import ConstructorError

    return ConstructorError(None, None, reason, node.start_mark)


def _load(source: str) -> tuple[dict[str, Any], Problem | None]:
    """The values of front matter, or why they cannot be read."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    try:
        loaded = YAMLHandler().load(source, Loader=loader())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        reason = getattr(error, "problem", None) or "cannot be read"
        line = (mark.line if mark else 0) + 2
        return {}, Problem(line, "front-matter", f"the front matter is not valid YAML: {reason}")
    if loaded is None:
        return {}, None
    if not isinstance(loaded, dict):
        return {}, Problem(
            2, "front-matter", "the front matter is not a list of `key: value` lines"
        )
    return loaded, None


def _entries(lines: Sequence[str]) -> dict[str, Any]:
    """The values of a front matter that is not valid YAML as a whole: each top-level entry read
    alone.

    What is not valid alone either is text as typed. Of a key that stands there twice the first
    counts.
    """
    entries: list[tuple[re.Match[str], list[str]]] = []
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip(" "))]
    for line in (each.removeprefix(margin) for each in lines[:_MOST_LINES]):
        if match := _ENTRY_LINE.match(line[:2000]):
            entries.append((match, []))
        if entries:
            entries[-1][1].append(line)
    values: dict[str, Any] = {}
    for match, entry in entries:
        source = "\n".join(entry)
        found = {}
        if not _refused(source):
            found = _load(source)[0]
        found = found or _as_typed(match, entry[1:])
        for key, value in {**found, **_tags_taken_for_comments(found, entry)}.items():
            values.setdefault(key, value)
    return values


def _as_typed(match: re.Match[str], below: Sequence[str]) -> dict[str, Any]:
    """The value of an entry that YAML cannot read: the text behind the key, or the lines `below`
    with `- ` as a list."""
    key = _without_quotes(match[1])
    value = (match[2] or "").strip()
    if value and not _BLOCK.fullmatch(value):
        return {key: _without_quotes(value)}
    items = [
        _without_quotes((item[1] or "").strip())
        for line in below
        if (item := _ITEM_LINE.match(line[:2000]))
    ]
    if items:
        return {key: items}
    return {}


def _without_quotes(text: str) -> str:
    """A text without the quotes or brackets around it, also where a bracket is not closed; those of
    a link stay."""
    if text.startswith("[") and not text.startswith("[["):
        return text[1:].removesuffix("]")
    if len(text) > 1 and text[0] + text[-1] in {'""', "''"}:
        return text[1:-1]
    return text


def _tags_taken_for_comments(values: Mapping[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """The values of `tags: #a, #b`, which YAML takes for a key with a comment."""
    found: dict[str, Any] = {}
    for line in lines:
        match = _TAG_LINE.match(line[:2000])
        if match and values.get(match[1], "") is None:
            found.setdefault(match[1], match[2].strip())
    return found


def header(
    lines: Sequence[str],
    start: int,
    *,
    every: bool = False,
) -> dict[str, Any]:
    """The bold header (`**Type:** Person`) under the title, or Logseq's `key:: value` lines at the
    top.

    `start` is the number of front matter lines; with `every`, keys without a meaning for Aurelius
    come too. Keys come in lower case with `_` for spaces; several links with commas between them
    are a list.
    """
    values: dict[str, Any] = {}
    for _, key, value, known in header_lines(lines, start):
        if known or every:
            links = [link[0] for link in WIKI.finditer(value)]
            only = len(links) > 1 and not WIKI.sub("", value).strip(", \t")
            values.setdefault(key, links if only else value)
    return values


def header_lines(lines: Sequence[str], start: int) -> Iterator[tuple[int, str, str, bool]]:
    """What the lines of `header` say: line, key, value, and whether it is a key that Aurelius
    reads."""
    titled = False
    for number, line in enumerate(lines[start : start + 40], start + 1):
        text = line.strip()
        if not text:
            continue
        values = _header_values(text)
        is_title = not titled and text.startswith("# ")
        if values is None and not is_title and not set(text) <= {"=", "-"}:
            return
        for key, value, known in values or ():
            yield number, key, value, known
        titled = True


def _header_values(text: str) -> list[tuple[str, str, bool]] | None:
    """Keys and values that a line of a header gives, each with whether Aurelius reads the key; None
    where it is no such line."""
    if text.startswith("**"):
        return _bold_values(text)
    match = "::" in text[:60] and PROPERTY_LINE.match(text[:2000])
    if not match:
        return None
    key = match[1].lower()
    value = match[2].strip()
    if not value:
        return []
    return [(key, value, key in _PROPERTY_KEYS)]


def _bold_values(text: str) -> list[tuple[str, str, bool]] | None:
    """The same for a line of the bold header: `**Type:** Person · **Status:** active`, whose first
    key has to be one that Aurelius reads; others are passed over."""
    pairs = _BOLD.findall(text[:2000])
    if not pairs or pairs[0][0].lower() not in _BOLD_KEYS:
        return None
    found: list[tuple[str, str, bool]] = []
    for key, words in pairs:
        value = words.strip().strip("·,;").strip()
        if value and key.lower() in _BOLD_KEYS:
            found.append((key.lower().replace(" ", "_"), value, True))
    return found


_ISO = re.compile(r"\[{0,2}(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_LONG = re.compile(
    r"([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})|(\d{1,2})(?:st|nd|rd"
    r"|th)? ([A-Za-z]{3,9})\.?,? (\d{4})"
)


def parse_day(value: object) -> str | None:
    """The ISO date a value means: ISO with or without time, `2026/2/1`, `February 1, 2026`, `1 Feb
    2026`, epoch ms."""
    if type(value) is int:
        if 10**11 < value < 10**13:
            return datetime.datetime.fromtimestamp(value / 1000, datetime.UTC).date().isoformat()
        value = str(value)
    if not isinstance(value, str):
        return None
    text = value.strip().strip("\"'")
    match = _ISO.match(text)
    if match:
        return iso(*match.groups())
    if text.isdigit() and text.isascii():
        if len(text) == 13:
            return parse_day(int(text))
        if len(text) == 8:
            return iso(text[:4], text[4:6], text[6:])
        return None
    if long := _LONG.match(text.lstrip("[")):
        month = str(month_of(long[1] or long[5]))
        return iso(long[3] or long[6], month, long[2] or long[4])
    return None


def split_words(value: object) -> tuple[str, ...]:
    """A list, or comma separated text, as distinct non-empty strings; `[[x]]` and quotes are taken
    off."""
    parts: Sequence[object] = (value,)
    if value is None:
        return ()
    if isinstance(value, str):
        parts = value.split(",")
    elif isinstance(value, list | tuple):
        parts = value
    elif isinstance(value, bool | dict):
        parts = ()
    found: dict[str, None] = {}
    for part in parts:
        if not isinstance(part, dict | list | None):
            text = str(part).lower() if isinstance(part, bool) else str(part)
            text = text.strip().strip("\"'").removeprefix("[[").removesuffix("]]").strip()
            found[text] = None
    return tuple(filter(None, found))


def tag_words(value: object) -> list[str]:
    """The tags of a property: a list, or text with commas or spaces between them, without their
    signs."""
    parts = value
    if isinstance(value, str) and "," not in value and "[[" not in value:
        parts = value.split()
    found = []
    for word in split_words(parts):
        bare = word.removeprefix("#")
        bare = bare.removeprefix("[[")
        found.append(bare.strip("/"))
    return found
