"""Which hits are no longer in their files: every one is looked at once more before it is shown (design §4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from indexer.index import Index
    from indexer.search import Hit


def changed_paths(index: Index, root: str, hits: Iterable[Hit], failed: Collection[str]) -> set[str]:
    """The paths among the hits whose file is no longer what the index read.

    A note that `failed` to be read keeps its hits while its size and time say that it is the same.
    """
    from indexer.catalog import get_key
    from indexer.walk import key_of

    found = set()
    for path in {hit.path for hit in hits}:
        known = get_key(index.db, path, private=True)
        try:
            now = key_of(os.lstat(os.path.join(root, path)))
        except OSError:
            found.add(path)
            continue
        if now != known and not (path in failed and known and now[:2] == known[:2]):
            found.add(path)
    return found
