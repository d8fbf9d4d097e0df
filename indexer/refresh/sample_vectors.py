"""A sample of the vectors, encoded once more with model2vec itself: our own encoder is not its own
judge."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from indexer.tokens import embed

from .compare_rows import Odd

if TYPE_CHECKING:
    import apsw

UNKNOWN = "[UNK]"
SAMPLE = 256
"""Chunks that are encoded again."""
LEAST = 0.9999
"""Cosine of a right vector with model2vec's, once that is rounded as a stored one is: they add in
another order (the least of 35,000 chunks of real notes was 0.99999)."""


def judge_sample(db: apsw.Connection) -> tuple[int, list[tuple[str, Odd]]]:
    """How many chunks of an index made with the shipped weights were encoded again, and which
    differ.

    ImportError and whatever else the libraries raise where model2vec cannot be used.
    """
    import numpy as np

    rows = _rows(db)
    if not rows:
        return 0, []
    texts = [embed.embed_text(context, text) for _, _, context, text, _ in rows]
    stored = np.array([np.frombuffer(row[4], np.int8) for row in rows]).astype(np.float64)
    wanted = _rounded(_model().encode(texts, max_length=None))
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(wanted, axis=1)
    cosines = (stored * wanted).sum(axis=1) / np.maximum(lengths, 1)
    is_empty = ~stored.any(axis=1) & ~wanted.any(axis=1)  # no word of it is in the vocabulary
    return len(rows), [
        (
            row[0],
            Odd(f"chunk {row[1]}", f"its vector differs from model2vec's (cosine {cosine:.4f})"),
        )
        for row, cosine in zip(rows, np.where(is_empty, 1, cosines), strict=True)
        if cosine < LEAST
    ]


def _rows(db: apsw.Connection) -> list[Any]:
    """(path, ordinal, context, text, vector) of chunks at equal distances."""
    query = (
        "SELECT note.path, chunk.ordinal, chunk.context, chunk.text, v FROM chunk_vec "
        "JOIN chunk USING (id) JOIN note ON note.id = chunk.note "
        "WHERE length(v) = ?1 AND chunk_vec.id % (SELECT 1 + count(*) / ?2 FROM chunk_vec) = 0"
    )
    return list(db.execute(query, (embed.DIM, SAMPLE)))


def _rounded(vectors: Any) -> Any:
    """Vectors as they are stored: whole numbers at a length of `embed.LENGTH`, cut off at an
    int8."""
    import numpy as np

    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.rint(vectors * (embed.LENGTH / lengths)).clip(-127, 127)


def _model() -> Any:
    """model2vec's own model of the shipped weights."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    table, scales, vocabulary = (_bytes(name) for name in embed.SHIPPED[:3])
    lengths = np.frombuffer(scales, "<f4")
    vectors = np.frombuffer(table, np.int8).reshape(len(lengths), -1) * lengths[:, None]
    words = {word: number for number, word in enumerate(vocabulary.decode().split("\n"))}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token=UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return StaticModel(vectors, tokenizer, max_length=None)


def _bytes(name: str) -> bytes:
    with open(os.path.join(embed.FOLDER, name), "rb") as file:
        return file.read()
