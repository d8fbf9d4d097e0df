"""What became of facts: the chains of what replaced what (A20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog import get_facts
from indexer.lineage import Lineage, Step

from . import pick

if TYPE_CHECKING:
    from .vault import Vault


def history(vault: Vault, reference: str, *, private: bool) -> list[list[Step]]:
    """The chain of a fact, or every chain of a note, each from the oldest fact to the newest.

    NoteNotFoundError, AmbiguousNameError.
    """
    lineage = Lineage(get_facts(vault.index().db, private=private, as_written=True))
    if pick.is_fact(vault, reference, private=private):
        return [lineage.chain(*pick.fact(vault, reference, private=private))]
    return lineage.chains(vault.resolve(reference, private=private))
