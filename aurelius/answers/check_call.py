"""Whether the records that a program asks with make sense."""

from __future__ import annotations

from aurelius.settings.keys import FUSIONS, MODES
from indexer.catalog.filters import Filters, check_filters
from indexer.errors import UsageError
from indexer.search.query import SearchQuery


def check_record(record: object) -> None:
    """UsageError for filters that nothing can meet, and for a query with a mode, a fusion or a
    limit that there is not; anything else is taken."""
    if isinstance(record, Filters):
        check_filters(record)
    if not isinstance(record, SearchQuery):
        return
    check_filters(record.filters)
    if record.limit < 1:
        raise UsageError(
            f"limit must be at least 1, not {record.limit}", "see: aurelius help python"
        )
    for name, word, choices in (
        ("mode", record.mode, MODES),
        ("fusion", record.fusion, FUSIONS),
    ):
        if word not in choices:
            raise UsageError(f"{name} cannot be {word!r}", f"it is one of: {', '.join(choices)}")
