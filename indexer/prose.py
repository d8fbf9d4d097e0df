"""The text an embedding is made of."""

from __future__ import annotations

import re


def embed_text(context: str, text: str) -> str:
    """What is embedded of a chunk: its context as a prefix, then its text without addresses and marks."""
    return f"{context}\n{plain(text)}"


_ADDRESS = re.compile(r"\]\([^()\s]{0,2000}\)|https?://[^\s<>\])]{1,2000}")
_TAIL_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]{1,64}[ \t]*$", re.MULTILINE)


def plain(text: str) -> str:
    """Text without link addresses and block ids, which carry no meaning an embedding could hold."""
    if "](" in text or "://" in text:
        text = _ADDRESS.sub(" ", text)
    return _TAIL_ID.sub("", text) if "^" in text else text
