"""aurelius writes the vault and shows answers; what reads the vault and writes the index is indexer."""

from __future__ import annotations

__version__ = "0.1.0"
