"""What of a vault a prompt needs without asking for it: mostly nothing, else a few lines.

1. `asks`: thanks, commands of a client program, `continue`, and pasted output alone need nothing, and nothing is looked
   for.  Of a long prompt only the person's own words count, without the code, log or mail pasted beside them.
2. The vault is searched for these words.
3. What comes is cut: by a floor, beside the best, and at a few lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing.summary_text import planned_for
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_facts
from indexer.reading.path_meaning import is_conversation
from indexer.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aurelius.vault import Vault
    from indexer.note import Fact
    from indexer.search.search import Hit
    from indexer.usage.tier import Clock

TEXT = "text"
"""The type of a line that is no fact."""
PROPOSED = "not confirmed yet"
"""What is said beside a line that waits for a person's decision."""
MOST = 6
"""Lines that a prompt gets."""
FLOOR, SHARE = 0.24, 0.6
"""The score that a line needs, and its share of the best one's."""
POOL = 20
"""Hits that are looked at."""
READ = 1_200
"""Characters of a prompt's own words that are looked for."""

_FENCE = re.compile(r"^(```|~~~).*?(?:^\1\s*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"\s*[/!][a-z][\w:-]*(?:\s|$)")
_NOTHING = (
    "ok okay k kk yes yep yeah yup sure no nope nah thanks thank thx ty cheers great perfect nice cool good lovely "
    "awesome fine right exactly correct please pls continue go on ahead do it that this lol haha of course man you so "
    "much a lot proceed next again more morning afternoon evening night hi hello hey bye everything alright with "
    "done looks lgtm works got understood sounds agreed wow super brilliant amazing excellent all and the there "
    "shorter longer simpler just try now stop wait keep going use one"
)
_SMALL = frozenset(_NOTHING.split())
"""Words of which a prompt that asks for nothing consists."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Line(NamedTuple):
    """A line of a note for an agent.

    `key` is the fact's `^id` or hash key, `path:first` for other text: what a session remembers as shown.  `text` is
    verbatim, without bullet, tail and id; `date` an ISO day or ""; `type` that of a fact, "text" for other lines; `id`
    the `^id` without the caret, "" for none; `said` what to say beside it.
    """

    key: str
    path: str
    lines: tuple[int, int]
    text: str
    date: str
    type: str
    id: str
    said: str = ""


class NoteFacts(dict[str, dict[str, "Fact"]]):
    """The facts of notes by their keys, as they are by all lines, each note read once; none of a private one."""

    def __init__(self, vault: Vault) -> None:
        super().__init__()
        self._db = vault.index().db

    def __missing__(self, path: str) -> dict[str, Fact]:
        self[path] = {fact.key: fact for _, fact in get_facts(self._db, path, private=False)}
        return self[path]


def line_of(path: str, fact: Fact, clock: Clock) -> Line | None:
    """A fact as a line, None for one that is past or only proposed as an instruction.

    A plan whose day has passed is an event.
    """
    if fact.status == "superseded" or (fact.status == "proposed" and fact.type == "instruction"):
        return None
    type_, said = fact.type, [PROPOSED] if fact.status == "proposed" else []
    day = planned_for(fact) if fact.type == "plan" else ""
    if day and day < clock.today.isoformat():
        type_ = "event"
        said.append(f"was planned for {day}, now past")
    text = " ".join(fact.text.split())
    lines = fact.first, fact.last
    return Line(fact.key, path, lines, text, fact.date or "", type_, fact.id, ", ".join(said))


def asks(prompt: str) -> bool:
    """Whether a prompt may need something of the vault: not for thanks, commands of a client program, `continue` and
    pasted output alone."""
    if _COMMAND.match(prompt):
        return False
    told = _WORD.findall(own_words(prompt).lower())
    return not all(word in _SMALL for word in told)


def own_words(prompt: str) -> str:
    """What the person says in a prompt, without pasted code."""
    return _FENCE.sub(" ", prompt)[:READ].strip()


def needed(vault: Vault, prompt: str, *, before: Sequence[str] = (), seen: Collection[str] = ()) -> list[Line]:
    """The lines that a prompt needs, best first: mostly none.  `before` are earlier prompts of its session, the latest
    last, `seen` the keys of the lines that the session was shown."""
    del before
    if not asks(prompt):
        return []
    hits = [hit for hit in vault.search(SearchQuery(own_words(prompt), filters=Filters(), limit=POOL)).hits
            if not is_conversation(hit.path)]  # fmt: skip
    floor = max(FLOOR, SHARE * max((hit.score for hit in hits), default=0.0))
    lines = [_of_hit(hit) for hit in hits if hit.score >= floor]
    once = {line.key: line for line in reversed(lines) if line.key not in seen}
    return list(reversed(once.values()))[:MOST]


_TAIL_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")


def _of_hit(hit: Hit) -> Line:
    """A hit as a line."""
    text = _TAIL_ID.sub("", _BULLET.sub("", hit.text, count=1)) if hit.id else hit.text
    own = hit.id if f"^{hit.id}" in hit.text else ""
    key = hit.id or f"{hit.path}:{hit.lines[0]}"
    return Line(key, hit.path, hit.lines, text, hit.date or "", hit.type or "text", own)
