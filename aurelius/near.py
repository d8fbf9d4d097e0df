"""What the vault says already that is like a line which is about to be written (D30: search before you save)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.factline import read
from indexer.query import Filters, SearchQuery

if TYPE_CHECKING:
    from indexer.search import Hit

    from .vault import Vault

COSINE = 0.55
"""How near a fact has to be in meaning to be worth showing before another is written."""

MOST = 3


def near(vault: Vault, text: str, *, private: bool) -> tuple[Hit, ...]:
    """The facts most like a text, best first; none where there is none alike."""
    words = read(text).text
    query = SearchQuery(words, filters=Filters(private=private), limit=4 * MOST, explain=True)
    hits = vault.search(query).hits
    return tuple(hit for hit in hits if hit.id and hit.explain and hit.explain["raw"]["cosine"] >= COSINE)[:MOST]
