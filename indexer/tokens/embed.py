"""Tokens → embedding: the mean of static token vectors, as model2vec does it, kept in int8.

A token's vector is its int8 row times its scale.  Scales are float16 numbers of at most 1 and rows
are whole numbers, so sums are exact in float64 in whatever order they are taken: one text in plain
Python and a thousand through numpy give the same bytes.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any

from indexer.errors import ConfigError, error_reason
from indexer.note import MODEL_NAME
from indexer.spelling import ISO_DAY

from .maxsim import Near, Neighbours, computed
from .terms import (
    Vocabulary,
    WordPiece,
    is_toned,
    toned,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

MODEL_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "model")
"""Where the shipped weights lie."""
DIMENSIONS = 256
"""Dimensions of the shipped weights."""
SHIPPED = ("table.i8", "scale.f32", "vocab.txt", "vocab.lookup", "near.bin")
"""The files of the shipped weights."""
CHECKSUMS = (0xF3A85648, 0x1219A916, 0x04300463, 0xC4C0D385, 0xFA7DE975)
"""`checksum` of each of them."""
_PIECE_BYTES = 4096
PIECES = 64
"""Bytes that a checksum looks at together, and how many of these it spreads over a large file."""
EMBEDDING_LENGTH = 254
"""Length of a stored embedding: its numbers, rarely above half a unit, fill an int8."""
_TEXTS_AT_A_TIME = 256
"""Texts embedded together."""
MOST_EMBEDDED_LETTERS = 20_000
"""Characters of a chunk's text, and of its context, that are embedded: a hundred times what a chunk
mostly has. A picture pasted as letters, or any line of a megabyte without a blank, is found by its
words alone behind that."""
FEW_TOKENS = 4_000
"""Tokens that are embedded without numpy sooner than numpy is imported."""


class Encoder:
    """A static embedding model: `name`, and `dim` numbers an embedding.

    `ids` gives the tokens of a text, in order; what the vocabulary cannot spell is left out. `near`
    gives a token's nearest others with their cosines, for MaxSim. `reads` says how much of a text's
    letters the model was made for, 0 to 1: what it says of the rest means nothing.
    """

    def __init__(
        self,
        name: str,
        dim: int,
        table: bytes | mmap.mmap,
        scales: bytes | mmap.mmap,
        ids: Callable[[str], list[int]],
        near: Near,
        reads: Callable[[str], float],
    ) -> None:
        self.name = name
        self.dim = dim
        self.ids = ids
        self.near = near
        self.reads = reads
        self._rows = memoryview(table).cast("b")
        self._scales = memoryview(scales).cast("f")

    def row(self, token: int) -> bytes:
        """One token's vector without its scale: int8[dim]."""
        return self._rows[token * self.dim : (token + 1) * self.dim].tobytes()

    def vector(self, ids: Sequence[int], weights: Sequence[float] | None = None) -> bytes:
        """The embedding of a text by its tokens, each counted by its weight: int8[dim] of 254 × the
        unit vector.

        All zero for no tokens. Without numpy where it is not there yet: one query in a process that
        has just begun.
        """
        scales = [
            self._scales[token] * (1 if weights is None else weights[at])
            for at, token in enumerate(ids)
        ]
        if "numpy" in sys.modules:
            return self._vector_by_numpy(ids, scales)
        total = [0.0] * self.dim
        for token, scale in zip(ids, scales, strict=True):
            row = self._rows[token * self.dim : (token + 1) * self.dim]
            total = [have + scale * more for have, more in zip(total, row, strict=True)]
        square = 0.0
        for number in total:  # one by one, as numpy's cumulative sum: sum() would round otherwise
            square += number * number
        if not square:
            return bytes(self.dim)
        stretch = EMBEDDING_LENGTH / sqrt(square)
        return bytes([max(-127, min(127, round(number * stretch))) & 0xFF for number in total])

    def _vector_by_numpy(self, ids: Sequence[int], scales: Sequence[float]) -> bytes:
        """The same bytes: a cumulative sum adds one by one, in order."""
        import numpy as np

        if not ids:
            return bytes(self.dim)
        rows = np.frombuffer(self._rows, np.int8).reshape(-1, self.dim)[list(ids)]
        totals = np.cumsum(rows * np.array(scales)[:, None], axis=0)[-1:]
        return _int8(totals).tobytes()

    def vectors(self, batch: Sequence[Sequence[int]]) -> list[bytes]:
        """`vector` of each, byte for byte, in bulk."""
        import numpy as np

        table = np.frombuffer(self._rows, np.int8).reshape(-1, self.dim)
        scales = np.asarray(self._scales, np.float64)
        found: list[bytes] = []
        for start in range(0, len(batch), _TEXTS_AT_A_TIME):
            texts = batch[start : start + _TEXTS_AT_A_TIME]
            totals = np.zeros((len(texts), self.dim))
            for at, ids in enumerate(texts):
                if ids:  # einsum, because BLAS would start its threads for this little
                    tokens = np.array(ids)
                    totals[at] = np.einsum(
                        "i,ij->j", scales.take(tokens), table.take(tokens, axis=0)
                    )
            found += [row.tobytes() for row in _int8(totals)]
        return found


def _int8(totals: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Each row at the length of a stored embedding."""
    import numpy as np

    squares = np.cumsum(totals * totals, axis=1)[:, -1]  # adds one by one
    squares[squares == 0] = np.inf
    stretched: np.ndarray[Any, Any] = np.rint(
        totals * (EMBEDDING_LENGTH / np.sqrt(squares))[:, None]
    )
    return stretched.clip(-127, 127).astype(np.int8)


def load_model(folder: str | None = None) -> Encoder:
    """The shipped model, or the model2vec model in a folder; ConfigError where there is none."""
    if folder is not None:
        return _load_folder(folder, model_stamp(folder))
    table, scales, text, lookup, near = map(_shipped, SHIPPED, CHECKSUMS)
    tokens = len(scales) // 4
    return Encoder(
        name=MODEL_NAME,
        dim=DIMENSIONS,
        table=table,
        scales=scales,
        ids=WordPiece(Vocabulary(text, lookup)).ids,
        near=Neighbours(near, tokens),
        reads=latin,
    )


def words_alone(error: ConfigError) -> str:
    """What a person is told where no model can be loaded."""
    return f"{error.message}; searching by words only; {error.hint}"


def model_stamp(folder: str) -> str:
    """What changes when a model in a folder does, by sizes and times of its files; "" where there
    is none."""
    try:
        parts = [os.stat(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
    except OSError:
        return ""
    return "-".join(f"{part.st_size}.{part.st_mtime_ns}" for part in parts)


def embed_text(context: str, text: str) -> str:
    """What is embedded of a chunk: its context as a prefix, then its text without addresses and
    marks, both cut at `MOST_EMBEDDED_LETTERS`."""
    return f"{context[:MOST_EMBEDDED_LETTERS]}\n{_plain(text[:MOST_EMBEDDED_LETTERS])}"


_ADDRESS = r"\]\([^()\s]{0,2000}\)|https?://[^\s<>\])]{1,2000}"
_TAIL_ID = r"(?m)[ \t]\^[A-Za-z0-9-]{1,64}[ \t]*$"
_REF = r"(?:superseded by|replaced by|updates|supersedes|replaces|contradicts) \^[A-Za-z0-9-]{1,64}"
_TAIL = rf"(?m)[ \t]\((?=[\d→ ])(?:{ISO_DAY})?(?: ?→ ?{ISO_DAY})?(?:, {_REF}){{0,3}}\)[ \t]*$"
_STRUCK = r"(?m)^([ \t]*[-*+] )~~(.{1,4000})~~[ \t]*$"


def _plain(text: str) -> str:
    """Text without link addresses, block ids, and the tail of a fact that only says when and in
    whose place.

    None of that carries a meaning an embedding could hold, and a past fact is as near to a question
    as it was (measured: right at first 0.74 instead of 0.42 of the questions about a day in the
    past).
    """
    if "](" in text or "://" in text:
        text = re.sub(_ADDRESS, " ", text)
    if "^" in text:
        text = re.sub(_TAIL_ID, "", text)
    if "-" in text and ")" in text:
        text = re.sub(_TAIL, "", text)
    if "~~" in text:
        return re.sub(_STRUCK, r"\1\2", text)
    return text


def latin(text: str) -> float:
    """The share of a text's letters that are Latin, with or without accents: others are spelled
    letter by letter. A word that differs from others in its tones is read without them, so it is
    not read."""
    if text.isascii():
        return 1.0
    with_tones = is_toned(text)
    every = 0
    ours = 0
    for word in text.split():
        letters = list(filter(str.isalpha, word))
        every += len(letters)
        if with_tones and toned(word):
            continue
        ours += sum(letter < "\u0250" for letter in letters)
        ours += sum("\u1e00" <= letter < "\u1f00" for letter in letters)
    if not every:
        return 1.0
    return ours / every


def checksum(data: bytes | mmap.mmap) -> int:
    """A number that tells weights that were cut off or written over from whole ones, in a
    thousandth of a second.

    Of a small file every byte counts, of a large one pieces from all over it.
    """
    from zlib import crc32

    found = len(data)
    for at in range(0, len(data), max(_PIECE_BYTES, len(data) // PIECES)):
        found = crc32(data[at : at + _PIECE_BYTES], found)
    return crc32(data[-_PIECE_BYTES:], found)


def _shipped(name: str, wanted: int) -> mmap.mmap:
    """A file of the shipped weights.  ConfigError where it is gone or damaged."""
    path = os.path.join(MODEL_FOLDER, name)
    try:
        with open(path, "rb") as file:
            found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if checksum(found) == wanted:
            return found
        why = "it is damaged"
    except OSError as error:
        why = error_reason(error)
    except ValueError:  # nothing can be mapped of an empty file
        why = "it is empty"
    raise ConfigError(f"the embedding model cannot be read: {path}: {why}", "reinstall aurelius")


@lru_cache(maxsize=1)
def _load_folder(folder: str, _: str) -> Encoder:
    """The model in a folder, read once for each stamp.  ConfigError."""
    if not os.path.isdir(folder):  # model2vec would take it for a model's name and ask the network
        raise ConfigError(
            f"embedding.model: {folder} is not a folder",
            "set it to a folder with model.safetensors, tokenizer.json and config.json, or remove"
            " it: `aurelius config unset embedding.model`",
        )
    from model2vec import StaticModel

    try:
        model = StaticModel.from_pretrained(folder, force_download=False)
        vectors = model.embedding.astype("float32")
        if model.token_mapping is not None:
            vectors = vectors[model.token_mapping]
        if model.weights is not None:
            vectors = vectors * model.weights[:, None]
        table, scales = quantise(vectors)
    except Exception as error:  # whatever the libraries make of odd files
        raise ConfigError(
            f"{folder}: no model2vec model can be loaded from it: {error}",
            "it needs model.safetensors, tokenizer.json and config.json as model2vec's"
            " save_pretrained writes them",
        ) from error
    tokenizer = model.tokenizer
    unknown = model.unk_token_id
    tokenizer.no_truncation()

    def ids(text: str) -> list[int]:
        whole = text.encode("utf-8", "replace").decode()  # no half characters
        return [
            token
            for token in tokenizer.encode(whole, add_special_tokens=False).ids
            if token != unknown
        ]

    dim = vectors.shape[1]
    return Encoder(
        name=os.path.basename(folder.rstrip("/\\")),
        dim=dim,
        table=table,
        scales=scales,
        ids=ids,
        near=computed(table, dim),
        reads=lambda _: 1.0,
    )


def quantise(vectors: np.ndarray[Any, Any]) -> tuple[bytes, bytes]:
    """Token vectors, float32[tokens, dim], as an int8 table and float32 scales, a row each;
    ValueError for no such.

    A scale is a float16 number of at most 1.  An embedding is a direction, so vectors that are too
    long or short for that are first stretched alike.
    """
    import numpy as np

    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        raise ValueError("its embeddings are not a table of finite numbers")
    largest = float(np.abs(vectors).max()) / 127
    exponent = int(np.frexp(largest)[1])
    if not -6 <= exponent <= 0:
        vectors = np.ldexp(vectors, -exponent)
    scales = (np.abs(vectors).max(axis=1) / 127).astype(np.float16).astype("<f4")
    scales[scales == 0] = 1
    return (
        np.rint(vectors / scales[:, None]).clip(-127, 127).astype(np.int8).tobytes(),
        scales.tobytes(),
    )
