"""How much of an answer is printed: what a text costs in tokens, and which rows of a list fit.

Where nobody asks for more, no answer but that of `get` and `export` costs more than
MOST_ANSWER_TOKENS tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.record import NamedTuple
from indexer.spelling import clipped, compact_json, count_tokens, count_twelfths, plural

from .terminal import lined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_ANSWER_TOKENS = 4_000
"""Tokens of an answer where nobody asked for more: 16,000 ASCII characters."""
MOST_LIST_ROWS = 50
"""Rows of a list where nobody asked for more."""
_LONG_LINE_LETTERS = 300
"""Characters of a line or of a text in a list that are shown where not all fits."""
INSIDE = 10
"""Entries of a list inside an entry of a list that are shown where not all fits."""
LEFT_OUT_TOKENS = 60
"""Tokens kept free for the line that tells how much was left out."""


class Page(NamedTuple):
    """The part of a list that is asked for: at most `limit` rows (-1: all) behind the first
    `offset`.

    `every` says that somebody asked for so many, however long they are; `room` is the tokens that
    they may cost.
    """

    limit: int
    offset: int
    every: bool
    room: int = MOST_ANSWER_TOKENS

    @property
    def rows(self) -> slice:
        """Which rows of a list are asked for."""
        if self.limit < 0:
            return slice(self.offset, None)
        return slice(self.offset, self.offset + self.limit)

    @property
    def bounded(self) -> bool:
        """Whether somebody asked for so many tokens."""
        return self.room != MOST_ANSWER_TOKENS


def fitting(pieces: Iterable[str], room: int) -> int:
    """How many of the pieces, from the first on, cost no more than `room` tokens together."""
    spent = count = 0
    for piece in pieces:
        spent += count_twelfths(piece)
        if spent > 12 * room:
            break
        count += 1
    return count


def _shorten_line(line: str) -> str:
    """The line, cut where it is longer than _LONG_LINE_LETTERS; a painted one stays whole, for a
    terminal has room and a pager."""
    if "\x1b" in line:
        return line
    return clipped(line, _LONG_LINE_LETTERS)


def clip(
    text: str, *, every: bool, room: int = MOST_ANSWER_TOKENS, how: str = "--all shows them"
) -> str:
    """The text, or where it costs more than `room` tokens its first lines, and below them how many
    more there are."""
    if every or count_tokens(text) <= room:
        return text
    lines = [_shorten_line(line) + "\n" for line in text.splitlines()]
    count = fitting(lines, room - LEFT_OUT_TOKENS)
    left = len(lines) - count
    if left:
        more = f"{left:,} more {plural('line', left)}: {how}\n"
    else:
        more = f"long lines are cut: {how}\n"
    return "".join(lines[:count]) + more


def list_text(
    counts: str,
    rows: Sequence[str],
    total: int,
    page: Page,
    order: str,
) -> str:
    """A list as text: how many there are, a line each, as many as fit, and what shows the
    others."""
    lines = [row + "\n" for row in (rows if page.every else map(_shorten_line, rows))]

    def around(count: int) -> tuple[str, str]:
        last = page.offset + count
        if not page.offset:
            which = f"the first {last:,}"
        else:
            which = f"number {page.offset + 1:,} to {last:,}"
        head = ""
        if total:
            head = f"{_shorten_line(counts)}{f'; {which} by {order}:' if count < total else ''}\n"
        return head, lined(more(total, last, page))

    count = len(lines)
    if not page.every and count_tokens("".join(lines).join(around(count))) > page.room:
        count = fitting(lines, page.room - count_tokens("".join(around(max(0, count - 1)))))
    return "".join(lines[:count]).join(around(count))


def more(total: int, last: int, page: Page) -> list[str]:
    """How many rows there are behind the `last` one that is shown, and what shows them."""
    if last >= total:
        return []
    if page.bounded:
        return [f"{total - last:,} more: a larger --budget shows them"]
    if total > 4 * MOST_LIST_ROWS > last:
        next_ = f"-n {4 * MOST_LIST_ROWS}, or "
    elif total > 4 * MOST_LIST_ROWS:
        next_ = f"--offset {last}, or "
    else:
        next_ = ""
    return [f"{total - last:,} more: {next_}--all"]


def bounded(
    values: dict[str, Any], room: int = MOST_ANSWER_TOKENS
) -> tuple[dict[str, Any], dict[str, int]]:
    """The values of an answer, cut so that their JSON costs no more than `room` tokens, and how
    many entries of a list or map, or characters of a text, were left out of each.

    What is short stays whole, and what is long shares the room that is left.
    """
    if _cost(values) <= room:
        return values, {}
    slim = {key: value if isinstance(value, str) else _slim(value) for key, value in values.items()}
    costs = {key: _cost(value) for key, value in slim.items()}
    left = room - 2 * LEFT_OUT_TOKENS - sum(len(key) + 4 for key in slim) // 4
    kept = {}
    missing = {}
    for place, key in enumerate(sorted(costs, key=costs.__getitem__)):
        kept[key] = _part(slim[key], left // (len(costs) - place))
        left -= _cost(kept[key])
        if isinstance(slim[key], list | tuple | dict | str) and len(kept[key]) < len(slim[key]):
            missing[key] = len(slim[key]) - len(kept[key])
    return {key: kept[key] for key in values}, missing


def _slim(value: Any, depth: int = 0) -> Any:
    """A value whose long texts and inner lists are cut."""
    if isinstance(value, str):
        return _shorten_line(value)
    if isinstance(value, dict):
        return {key: _slim(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_slim(each, depth + 1) for each in (value[:INSIDE] if depth else value)]
    return value


def _part(value: Any, room: int) -> Any:
    """The leading part of a list, map or text that costs no more than `room` tokens."""
    if _cost(value) <= room:
        return value
    if isinstance(value, str):
        while value and _cost(value) > room:
            value = value[: min(len(value) - 1, max(0, int(len(value) * room / _cost(value))))]
        return value
    if isinstance(value, dict):
        pairs = list(value.items())
        return dict(pairs[: fitting((_json(pair) for pair in pairs), room)])
    if isinstance(value, list | tuple):
        return value[: fitting((_json(each) + "," for each in value), room)]
    return value


def _cost(value: Any) -> int:
    return count_tokens(_json(value))


def _json(value: Any) -> str:
    return compact_json(value, default=str)
