"""What waits for the person's decision: what each proposal would do, the lines that it is about,
and the forms that decide; nothing is chosen beforehand."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from aurelius import api
from aurelius.memory.known import known_matters
from aurelius.memory.review import plain_proposals
from aurelius.show.facts import PROPOSAL_WORDS, accept_told, counts_of_kinds
from indexer.catalog.lists import get_key

from .call import PageAnswer
from .links import PageLinks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.memory.review import Matter
    from indexer.note import Fact, Found

    from .call import PageCall

_ROWS_A_PART = 20
_SIDES = {
    "supersede": ("Newer", "Older"),
    "ask": ("This", "Or this"),
    "merge": ("Stays", "Says the same"),
    "forget": ("Asked", "To be past"),
    "carry": ("Told", "Older"),
    "captured": ("Captured", "Older"),
    "imported": ("Imported", ""),
    "observation": ("Came up", "Rests on"),
    "archive": ("Rarely used", ""),
    "vanished": ("Gone from its note", ""),
}
"""How the lines of a proposal are called: the one that would hold or that it is about, and those
that would be past."""
_COMES = ("carry", "captured", "imported", "observation")


class MatterSide(NamedTuple):
    """A line of a proposal: what it is there, where it stands, and its text as HTML."""

    name: str
    path: str
    fact: Fact
    html: str


class ShownMatter(NamedTuple):
    """A proposal as the page shows it: its kind in words, its lines, why it is asked, what
    accepting it does, and the pages to choose from where it asks which one it is about."""

    matter: Matter
    kind: str
    sides: Sequence[MatterSide]
    why: str
    does: str
    choices: Sequence[str]


class MatterGroup(NamedTuple):
    """The proposals about one page: its path, or the name of one that is still to be begun."""

    page: str
    is_there: bool
    rows: Sequence[ShownMatter]
    plain: int


def show_review(call: PageCall) -> PageAnswer:
    """The proposals page by page, or those that were dismissed."""
    vault = call.vault
    dismissed = call.query.get("dismissed") == "1"
    known = known_matters(api.plan_desk(vault), dismissed=dismissed)
    plain, _ = plain_proposals(known.matters, of_note=False)
    window = call.window(len(known.matters), _ROWS_A_PART)
    values = {
        "dismissed": dismissed,
        "window": window,
        "counts": counts_of_kinds(Counter(each.what for each in known.matters)),
        "is_all": known.is_all,
        "why": known.why,
        "plain": 0 if dismissed else len(plain),
        "groups": list(_groups(call, known.matters[window.rows])),
    }
    title = "Dismissed" if dismissed else "Review"
    return PageAnswer("review.html", title, values)


def _groups(call: PageCall, matters: Sequence[Matter]) -> Iterator[MatterGroup]:
    """Proposals under the pages that they are about."""
    links = PageLinks(call.vault)
    for page, rows in groupby(matters, attrgetter("page")):
        own = list(rows)
        yield MatterGroup(
            page=page,
            is_there=get_key(call.vault.db, page, private=False) is not None,
            rows=[shown_matter(links, each) for each in own],
            plain=len(plain_proposals(own, of_note=True)[0]),
        )


def shown_matter(links: PageLinks, matter: Matter) -> ShownMatter:
    """A proposal with its lines as HTML."""
    first, other = _SIDES[matter.what]
    sides = [
        MatterSide(name, path, fact, links.line(path, fact.text))
        for name, (path, fact) in _named_sides(matter, first, other)
    ]
    choices = matter.carried.ask if matter.carried and matter.is_open else ()
    does = "" if choices else accept_told(matter).partition("; not certain")[0]
    kind = PROPOSAL_WORDS[matter.what][0]
    return ShownMatter(
        matter=matter,
        kind=kind,
        sides=sides,
        why=_why(matter),
        does=does,
        choices=choices,
    )


def _named_sides(matter: Matter, first: str, other: str) -> Iterator[tuple[str, Found]]:
    """The lines of a proposal, the one that would hold first."""
    own = (matter.path, matter.fact)
    if matter.what in _COMES or matter.by is None:
        yield first, own
        for old in (matter.by, *matter.more):
            if old:
                yield other, old
        return
    yield first, matter.by
    for old in (own, *matter.more):
        yield other, old


def _why(matter: Matter) -> str:
    """Why a proposal is made, in words."""
    told = {
        "supersede": "Both are about the same, and the newer one may replace the older.",
        "ask": "The two do not agree. Which one holds?",
        "merge": "The one says nothing that the other does not.",
        "forget": "A line asks for this to be forgotten.",
        "archive": f"It is rarely used: its importance fell to {matter.why}.",
        "observation": "It came up on several days.",
        "vanished": "Aurelius wrote it, and it is no longer there.",
    }
    if matter.what == "supersede" and matter.why:
        return f"The newer line says “{matter.why}”, so it may replace the older one."
    if matter.what in told:
        return told[matter.what]
    if matter.is_open:
        return "Which page is it about?"
    if matter.carried and not matter.carried.page:
        return f"It would begin a page about {matter.why}."
    if matter.why:
        return "This page does not say it yet."
    return "It waits under “Captured”."
