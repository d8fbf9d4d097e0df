"""Matters written into a vault as people may write them: with the marks of `supersede`, or without
any."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from benches.ageing_sets import Line, Matter

WAYS = {
    "marks": "on the page, the older ones under History as `supersede` leaves them",
    "page": "both on the page, dated, no marks",
    "day": "the newer ones in the notes of their days only",
    "link": "the same, with a [[link]] to the page",
    "undated": "both on the page, no dates, the newer one below",
    "as given": "each where its writer put it",
}
"""How a matter is written."""
HELD = ("page", "day")
"""How lines that hold side by side are written: nobody marks them."""


class Place(NamedTuple):
    """Where a line was written: which matter of the set, which line of it, and on which day."""

    matter: int
    line: int
    day: str


Written = dict[tuple[str, int], Place]
"""Path and number of a line of the vault → what it is."""


def ways(matters: Sequence[Matter]) -> list[str]:
    """The ways in which a set can be written."""
    told = all(line.daily is not None for one in matters for line in one.lines)
    if all(one.hold for one in matters):
        return ["as given", *HELD] if told else list(HELD)
    own = all(one.path == "ME.md" for one in matters)  # nobody links to his own note
    return [
        way for way in WAYS if not (way == "link" and own) and not (way == "as given" and not told)
    ]


def write(matters: Sequence[Matter], folder: Path, way: str) -> Written:
    """The vault of these matters; where each of their lines stands."""
    pages: dict[str, dict[str, list[tuple[str, Place]]]] = defaultdict(lambda: defaultdict(list))
    titles: dict[str, tuple[str, tuple[str, ...]]] = {}
    for number, one in enumerate(matters):
        titles.setdefault(one.path, (one.title, one.aliases))
        for at, line in enumerate(one.lines):
            path, heading, text = _bullet(one, at, way, number)
            pages[path][heading].append((text, Place(number, at, line.day)))
    written: Written = {}
    for path, parts in pages.items():
        title, aliases = titles.get(path, (path[7:-3], ()))
        rows = [*_front(aliases), f"# {title}"]
        for heading in sorted(parts, key=lambda each: (each == "History", each)):
            rows += ["", f"## {heading}"] if heading else [""]
            for text, place in sorted(parts[heading], key=lambda pair: pair[1].day):
                rows.append(f"- {text}")
                written[path, len(rows)] = place
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(rows) + "\n", "utf-8", newline="\n")
    return written


def _bullet(one: Matter, at: int, way: str, number: int) -> tuple[str, str, str]:
    """Path, heading and text of a line of a matter."""
    line = one.lines[at]
    if _in_day(one, at, way):
        return f"memory/{line.day}.md", "", _linked(one, line) if way == "link" else line.text
    if way == "undated":
        return one.path, "Facts", line.text
    if way != "marks":
        return one.path, "Facts", f"{line.text} ({line.day})"
    if at + 1 == len(one.lines):
        return one.path, "Facts", f"{line.text} ({line.day}) ^{_id(number, at)}"
    end = f"{line.day} → {one.lines[at + 1].day}, superseded by ^{_id(number, at + 1)}"
    return one.path, "History", f"~~{line.text}~~ ({end}) ^{_id(number, at)}"


def _in_day(one: Matter, at: int, way: str) -> bool:
    """Whether a line stands in the note of its day: of what changes all but the first, of what
    holds every second."""
    if way == "as given":
        return bool(one.lines[at].daily)
    return way in {"day", "link"} and (at % 2 == 1 if one.hold else at > 0)


def _linked(one: Matter, line: Line) -> str:
    """The line with a link in the place of the name, or before it."""
    link = f"[[{one.path.removesuffix('.md')}|{one.title}]]"
    named = re.sub(
        rf"(?<!\w){re.escape(one.title)}(?!\w)",
        lambda _: link,
        line.text,
        count=1,
        flags=re.IGNORECASE,
    )
    return named if named != line.text else f"{link}: {line.text}"


def _id(number: int, at: int) -> str:
    return f"m{number:x}l{at:x}"


def _front(aliases: Iterable[str]) -> list[str]:
    listed = ", ".join(aliases)
    return ["---", f"aliases: [{listed}]", "---"] if listed else []
