"""Status of the vault and its index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.lists import get_counts, get_cut, get_failed, get_problems
from indexer.disk.walk import IgnoreRules, diff, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurelius.settings.config import Asked, Config
    from indexer.refresh.refresh import RefreshReport
    from indexer.rows.rows import Index


class Status(NamedTuple):
    """The state of vault and index.

    Sizes are in bytes; `problems` are those of reading notes, which `doctor` lists; `kinds` counts notes by
    kind; `differences` is what is on disk and not in the index or the other way round, looked up now; `in_part`
    are notes too large to be read whole, but for private ones; `sources` are the settings that are not defaults,
    with where they came from, `in_vain` what the vault asks for and may not decide; `report` is the refresh
    just made.
    """

    vault: str
    index: str  # type: ignore[assignment]  # nobody counts the fields of a status
    index_bytes: int
    vault_bytes: int
    notes: int
    chunks: int
    facts: int
    vectors: int
    generation: int
    fresh: bool
    model: str
    schema: int
    failed: tuple[tuple[str, str], ...]
    in_part: tuple[tuple[str, str], ...]
    problems: int
    kinds: tuple[tuple[str, int], ...]
    ignored: int
    private: int
    differences: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    in_vain: tuple[Asked, ...]
    report: RefreshReport


def status(config: Config, index: Index, report: RefreshReport) -> Status:
    """The state of a vault and its index, both looked at now: a stored flag may be out of date."""
    counts = get_counts(index.db)
    differ = tuple(differences(config, index))
    return Status(
        config.root, index.path, _size(index.path), counts.note_bytes, counts.notes, counts.chunks, counts.facts,
        counts.vectors, index.generation, report.fresh and not differ, str(index.get_meta("model") or ""),
        int(index.get_meta("schema") or 0), get_failed(index.db, private=True), get_cut(index.db, private=False),
        sum(1 for _ in get_problems(index.db, private=False)), counts.kinds, counts.ignored, counts.private, differ,
        tuple((key, source) for key, source in config.sources.items() if source != "default"), config.in_vain, report,
    )  # fmt: skip


def differences(config: Config, index: Index) -> Iterator[str]:
    """What a walk over the disk finds that the index does not have so, a line each."""
    on_disk = walk(config.root, IgnoreRules(config.root, config.exclude, {}))
    found = diff(index.get_keys(), {}, on_disk)
    for what, paths in (("not indexed", found.new), ("changed", found.changed), ("gone", found.gone)):
        yield from (f"{path}: {what}" for path in paths)


def _size(path: str) -> int:
    return sum(os.path.getsize(path + end) for end in ("", "-wal", "-shm") if os.path.exists(path + end))
