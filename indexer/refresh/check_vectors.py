"""Check of stored vectors: a sample compared with what model2vec itself gives, not with our own encoder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.settings import MODEL_SHA
from indexer.tokens import embed

if TYPE_CHECKING:
    import apsw

UNKNOWN = "[UNK]"
SAMPLE = 256
"""Chunks that are encoded again."""
LEAST = 0.9999
"""Cosine of a right vector with model2vec's, once that is rounded as a stored one is: they add in another order, so
that some of the numbers may differ by one (the least of 35,000 chunks of real notes was 0.99999)."""


class Sampled(NamedTuple):
    """How many vectors were looked at; the wrong ones as (path, chunk, cosine); why none could be, or ""."""

    chunks: int
    wrong: tuple[tuple[str, int, float], ...]
    why: str


def sample(db: apsw.Connection) -> Sampled:
    """Encode chunks from all over an index that was made with the shipped weights once more."""
    try:
        model = _model()
    except Exception as error:  # noqa: BLE001  # whatever the libraries make of files, versions and platforms
        return Sampled(0, (), f"vectors (model2vec cannot be used: {error})")
    rows = _rows(db)
    if not rows:
        return Sampled(0, (), "")
    import numpy as np

    stored = np.array([np.frombuffer(row[4], np.int8) for row in rows]).astype(np.float64)
    wanted = _rounded(model.encode([embed.embed_text(row[2], row[3]) for row in rows], max_length=None))
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(wanted, axis=1)
    cosines = np.divide((stored * wanted).sum(axis=1), lengths, out=np.zeros(len(rows)), where=lengths > 0)
    empty = ~stored.any(axis=1) & ~wanted.any(axis=1)  # no word of it is in the vocabulary
    wrong = [(row[0], row[1], float(cosine)) for row, cosine, none in zip(rows, cosines, empty, strict=True)
             if cosine < LEAST and not none]  # fmt: skip
    return Sampled(len(rows), tuple(wrong), "")


def _rounded(vectors: Any) -> Any:
    """Vectors as they are stored: whole numbers at a length of `embed.LENGTH`, those beyond an int8 cut off.

    The cut alone may cost a cosine of 0.005, where one number is most of a vector.
    """
    import numpy as np

    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.rint(vectors * (embed.LENGTH / lengths)).clip(-127, 127)


def shipped_are_whole() -> bool:
    """Whether the shipped weights are those that `MODEL_SHA` names."""
    from hashlib import sha256

    digest = sha256()
    try:
        for name in embed.SHIPPED[:3]:
            digest.update(_bytes(name))
    except OSError:
        return False
    return digest.hexdigest().startswith(MODEL_SHA)


def _rows(db: apsw.Connection) -> list[Any]:
    """(path, ordinal, context, text, vector) of chunks at equal distances."""
    ids = [number for (number,) in db.execute("SELECT id FROM chunk_vec WHERE length(v) = ? ORDER BY id", (embed.DIM,))]
    step = max(1, len(ids) / SAMPLE)
    chosen = [ids[int(at * step)] for at in range(min(SAMPLE, len(ids)))]
    query = (
        "SELECT note.path, chunk.ordinal, chunk.context, chunk.text, chunk_vec.v FROM chunk "
        "JOIN note ON note.id = chunk.note JOIN chunk_vec ON chunk_vec.id = chunk.id WHERE chunk.id = ?"
    )
    return [row for number in chosen for row in db.execute(query, (number,))]


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
