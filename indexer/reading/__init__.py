"""Bytes of one file → Note → Chunks; pure, no disk, no index."""
