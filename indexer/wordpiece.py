"""Text → tokens, as BERT's uncased word-piece tokeniser does it (Devlin et al. 2019).

Token for token what `tokenizers` gives for the same vocabulary, in plain Python: importing that
library costs more than a whole cold search may.  Characters newer than Unicode 8 may fall differently,
because each side uses the tables it was built with.
"""

from __future__ import annotations

import re
from itertools import chain

from .vocabulary import Vocabulary

LONGEST_WORD = 100
"""A word of more characters is unknown."""
REMEMBERED = 1 << 15
"""Words kept with their tokens, about 6 MB at most."""
LONGEST_REMEMBERED = 32

_ASCII_WORD = re.compile(r"[a-z0-9]+|\S")
_HAN = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B81F), (0x2B920, 0x2CEAF),
        (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip


class WordPiece:
    """Text → token numbers by a vocabulary, longest piece first; a word it cannot spell is dropped."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._spelled = _Spelling(vocabulary)

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, in order."""
        return list(chain.from_iterable(map(self._spelled.__getitem__, words(text))))


def words(text: str) -> list[str]:
    """The words of a text: lower case, accents stripped, punctuation marks and Han characters words of their own."""
    if text.isascii():
        return _ASCII_WORD.findall(text.translate(_ASCII))
    from unicodedata import normalize

    return normalize("NFD", text).translate(_FOLDED).split()


class _Spelling(dict[str, tuple[int, ...]]):
    """Word → its tokens; filled as words are met."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> tuple[int, ...]:
        ids = tuple(self._spell(word)) if len(word) <= LONGEST_WORD else ()
        if len(word) <= LONGEST_REMEMBERED:
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = ids
        return ids

    def _spell(self, word: str) -> list[int]:
        find, longest = self._vocabulary.find, self._vocabulary.longest
        ids: list[int] = []
        rest, mark = word, 0
        while len(rest) > mark:
            piece = rest[:longest]
            while (number := find(piece)) is None:
                piece = piece[:-1]
                if len(piece) <= mark:
                    return []
            ids.append(number)
            rest, mark = "##" + rest[len(piece) :], 2
        return ids


class _Folding(dict[int, str]):
    """Code point → what stands for it among words; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        folded = _fold(chr(code))
        if len(self) < REMEMBERED:
            self[code] = folded
        return folded


def _fold(character: str) -> str:
    """A decomposed character in lower case; "" for an accent or control character; apart if it is a word of its own."""
    if character.isascii():
        if character.isalnum() or character == " ":
            return character.lower()
        if character in "\t\n\r":
            return " "
        return f" {character} " if character.isprintable() else ""
    from unicodedata import category

    kind = category(character)
    if kind in {"Mn", "Cc", "Cf", "Co", "Cs"} or character == "\ufffd":
        return ""
    if kind[0] == "Z":
        return " "
    if kind[0] == "P" or any(first <= ord(character) <= last for first, last in _HAN):
        return f" {character} "
    return character.lower()


_FOLDED = _Folding()
_ASCII = {code: _fold(chr(code)).strip() or " " if _fold(chr(code)) else None for code in range(128)}
