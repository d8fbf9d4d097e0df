"""Lines as they are cited, with what each is to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.memory.lines import TEXT_TYPE, NoteFacts
from indexer.catalog.lists import get_keyed, get_titles
from indexer.reading.markdown import MARKERS
from indexer.spelling import single_spaced

from .talk import ROLE_BEFORE, ROLE_HOLDS, ROLE_NEAR, ROLE_NEWER, Cited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.memory.lines import Line
    from aurelius.vault import Vault
    from indexer.note import Fact


def cite(vault: Vault, lines: Sequence[Line], *, found: bool) -> tuple[Cited, ...]:
    """Lines as they are cited; where no answer was `found`, those that hold are only near."""
    titles = get_titles(vault.db, {line.path for line in lines}, private=False)
    keys = {line.key for line in lines if line.type != TEXT_TYPE}
    keyed = get_keyed(vault.db, keys, private=False)
    facts = {(path, fact.key): fact for path, fact in keyed}
    cited = []
    for line in lines:
        fact = facts.get((line.path, line.key))
        title = titles.get(line.path, line.path)
        cited.append(_cited(line, title, fact, found=found))
    return tuple(cited)


def _cited(line: Line, title: str, fact: Fact | None, *, found: bool) -> Cited:
    role = ROLE_HOLDS if found else ROLE_NEAR
    if line.newer_of:
        role = ROLE_NEWER
    if fact is None:
        return Cited(line, title, role)
    if fact.status == "superseded":
        role = ROLE_BEFORE
    line = line._replace(
        date=line.date or fact.date or "",
        id=line.id or fact.id,
    )
    return Cited(line, title, role, fact.until or "")


def when_it_held(vault: Vault, cited: Cited) -> str:
    """Since when a cited line holds or until when it did, in words, and until when the one did that
    it took the place of."""
    line = cited.line
    since = "it has no date"
    if line.date:
        since = f"since {line.date}"
    if cited.until:
        since += f", until {cited.until}"
    for fact in NoteFacts(vault)[line.path].values():
        if line.id and fact.superseded_by == line.id:
            since += f"; before that “{fact.text}”, until {fact.until or line.date}"
    return since


def where_it_stands(vault: Vault, cited: Cited) -> str:
    """Where a cited line stands, of which day it is, and what it was taken from and why, in
    words."""
    line = cited.line
    told = [cited.place]
    if line.date:
        told.append(f"of {line.date}")
    fact = NoteFacts(vault)[line.path].get(line.key)
    if fact and fact.source:
        told.append(f"from {fact.source}")
    if fact and fact.because:
        told.append(f"because {fact.because}")
    return ", ".join(told)


def is_as_cited(
    found: Sequence[str],
    cited: Cited,
) -> bool:
    """Whether lines of a note from a cited one on, as far as they go, still say what it said."""
    said = single_spaced(cited.line.text)
    said = said.removesuffix(" …")
    there = single_spaced(" ".join(found))
    there = MARKERS.sub("", there, count=1)
    if said in there:
        return True
    return there != "" and said.startswith(there)
