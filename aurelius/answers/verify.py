"""`doctor --verify`: whether the index is what the files say, and a rebuild where it is not."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from indexer.refresh.verify import Mismatch, Verification, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from .references import OpenVault

PRIVATE = "(private)"
"""Stands for the path of a note that is marked private."""


def prove(vault: OpenVault, *, fix: bool, progress: Callable[[int, int], None] | None = None) -> Verification:
    """Verify the index; with `fix`, rebuild it if it differs, and verify it once more.

    Errors are those of `indexer.refresh.verify.verify`.
    """
    found = verify(vault.settings, now=time.time(), progress=progress)
    vault.notices += found.notices
    if fix and found.differences:
        vault.rebuild(progress=progress)
        vault.close()
        again = verify(vault.settings, now=time.time(), progress=progress)
        vault.notices += again.notices
        found = again._replace(
            repaired=tuple(each for each in found.differences if each not in again.differences),
            private=found.private | again.private,
            seconds=found.seconds + again.seconds,
        )
    return _public(found)


def _public(found: Verification) -> Verification:
    """The same without the paths of private notes."""

    def name(path: str) -> str:
        return PRIVATE if path in found.private else path

    def named(rows: tuple[Mismatch, ...]) -> tuple[Mismatch, ...]:
        return tuple(row._replace(path=name(row.path)) for row in rows)

    return found._replace(
        differences=named(found.differences), repaired=named(found.repaired),
        failed=tuple((name(path), reason) for path, reason in found.failed),
        held=tuple(map(name, found.held)), unsettled=tuple(map(name, found.unsettled)), private=frozenset(),
    )  # fmt: skip
