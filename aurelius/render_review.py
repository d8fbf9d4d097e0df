"""What `review` prints: what waits for a person's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.jsonout import dump
from aurelius.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.review import Matter
    from indexer.note import Fact

_SAID = {
    "supersede": "may take the place of",
    "ask": "disagrees with",
    "captured": "would take the place of",
    "merge": "says all of",
}


def text(found: Sequence[Matter], limit: int) -> str:
    """A paragraph for each, its number first."""
    return "\n".join(_paragraph(number, each) for number, each in enumerate(found[:limit], 1))


def _paragraph(number: int, each: Matter) -> str:
    own = _line(each.path, each.fact)
    if each.what == "archive":
        return f"{number:>3}  archive    {own}\n                worth {each.why} today: it would be put away\n"
    if each.what == "captured":
        rows = [f"{number:>3}  captured   {own}"]
        rows += [f"                would go to {one_line(each.why)}"] if each.why else []
        rows += [f"                would take the place of {_line(*each.by)}"] if each.by else []
        return "\n".join(rows) + "\n"
    assert each.by is not None  # a fact is replaced by one
    cue = f"  (“{one_line(each.why)}”)" if each.why else ""
    return f"{number:>3}  {each.what:9}  {_line(*each.by)}{cue}\n                {_SAID[each.what]} {own}\n"


def _line(path: str, fact: Fact) -> str:
    return f"{one_line(fact.text)}  {one_line(path)}:{fact.first}  [id:{fact.key}]"


def json(found: Iterable[Matter], limit: int) -> str:
    """The answer of `review --json`."""
    every = list(found)
    return dump(
        matters=[
            {"number": number, "what": each.what, "key": each.key, "why": each.why,
             "fact": _about(each.path, each.fact), "by": _about(*each.by) if each.by else dict.fromkeys(_KEYS)}
            for number, each in enumerate(every[:limit], 1)
        ],
        total=len(every),
    )  # fmt: skip


_KEYS = ("id", "path", "line", "date", "text")


def _about(path: str, fact: Fact) -> dict[str, object]:
    return dict(zip(_KEYS, (fact.key, path, fact.first, fact.date, fact.text), strict=True))
