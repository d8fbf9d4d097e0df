from __future__ import annotations

import hashlib
import json
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import pytest
from model2vec import StaticModel
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from indexer.errors import ConfigError
from indexer.note import MODEL_NAME, MODEL_SHA
from indexer.tokens import embed
from indexer.tokens.embed import Encoder, embed_text, load_model, quantise

MODEL = Path(embed.__file__).parents[1] / "model"
TABLE, SCALES, VOCABULARY = (
    (MODEL / name).read_bytes() for name in ("table.i8", "scale.f32", "vocab.txt")
)
PIECES = VOCABULARY.decode().split("\n")

MINI = [
    "",
    "☃",
    "the",
    "The the THE",
    "- Lives in Los Angeles (2026-02-01) ^k3v9qa",
    "Nächste Straße: Ægir, naïve café",
    "東京タワーは333メートル",
    "`std::vector<int>` & C++/C# don't re-embed",
    "a" * 300,
    "tea " * 2000,
]


@pytest.fixture(scope="module")
def shipped() -> Encoder:
    return load_model()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped weights, de-quantised, as a folder that model2vec wrote."""
    scales = np.frombuffer(SCALES, "<f4")
    vectors = np.frombuffer(TABLE, np.int8).reshape(len(scales), -1) * scales[:, None]
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(
        models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    folder = tmp_path_factory.mktemp("models") / "potion"
    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., Path]:
    """Saves a model of five words."""

    def save(vectors: NDArray[np.float32], **more: Any) -> Path:
        words = {
            word: number for number, word in enumerate(("[UNK]", "tea", "milk", "sugar", "cup"))
        }
        tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        StaticModel(vectors, tokenizer, **more).save_pretrained(tmp_path / "tiny")
        return tmp_path / "tiny"

    return save


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("asked the network for a model")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)


def text(seed: int) -> str:
    chance = random.Random(seed)
    pieces = chance.choices(PIECES, k=chance.randrange(1, 120))
    return " ".join(piece.removeprefix("##") for piece in pieces)


def as_numbers(vector: bytes) -> NDArray[np.float64]:
    return np.frombuffer(vector, np.int8).astype(np.float64)


def cosines(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    ours, theirs = (
        each / np.linalg.norm(each, axis=1, keepdims=True)
        for each in (ours, theirs.astype(np.float64))
    )
    found: NDArray[Any] = (ours * theirs).sum(axis=1)
    return found


def stored(vectors: list[bytes]) -> NDArray[np.float64]:
    return np.array([as_numbers(vector) for vector in vectors])


def test_vectors_are_those_that_model2vec_makes(shipped: Encoder, saved: Path) -> None:
    """Before an embedding is rounded to int8, and after: rounding alone leaves a cosine of .9998."""
    texts = [text for text in [*MINI, *map(text, range(1500))] if shipped.ids(text)]
    model = StaticModel.from_pretrained(saved, max_length=None)
    ids = [shipped.ids(text) for text in texts]
    assert ids == [list(expected) for expected in model.tokenize(texts)]
    expected = model.encode(texts, max_length=None)
    scales, table = (
        np.frombuffer(SCALES, "<f4"),
        np.frombuffer(TABLE, np.int8).reshape(-1, shipped.dim),
    )
    totals = np.array([(scales[one, None] * table[one]).sum(axis=0) for one in ids])
    assert cosines(totals, expected).min() >= 0.99999
    assert cosines(stored(shipped.vectors(ids)), expected).min() >= 0.9995


def test_one_by_one_and_in_bulk_are_the_same_bytes(shipped: Encoder) -> None:
    batch = [shipped.ids(text) for text in [*MINI, *map(text, range(300))]]
    chance = random.Random(7)
    batch += [chance.choices(range(len(PIECES)), k=chance.randrange(8)) for _ in range(3000)]
    assert shipped.vectors(batch) == [shipped.vector(ids) for ids in batch]


def test_the_order_of_tokens_changes_no_byte(shipped: Encoder) -> None:
    """Sums of these scales and rows are exact, which is why bulk and single agree on every machine."""
    scales = np.frombuffer(SCALES, "<f4")
    assert (scales.astype(np.float16) == scales).all()
    assert 0 < scales.min() < scales.max() <= 1
    ids = shipped.ids(text(1))
    assert shipped.vector(ids) == shipped.vector(ids[::-1]) == shipped.vector(sorted(ids))


def test_a_number_that_is_most_of_a_vector_is_cut_off_with_numpy_as_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, scales = bytes([127, 1, 0, 129, 1, 0]), struct.pack("<2f", 1.0, 1.0)
    made = Encoder("n", 3, table, scales, lambda _: [], lambda _: {}, lambda _: 1.0)
    for token, most in ((0, 127), (1, -127)):
        with monkeypatch.context() as cold:
            cold.delitem(sys.modules, "numpy")
            assert list(memoryview(made.vector([token])).cast("b")) == [most, 2, 0]
        assert list(memoryview(made.vector([token])).cast("b")) == [most, 2, 0]


def test_no_tokens_give_zeros(shipped: Encoder) -> None:
    assert shipped.vector([]) == shipped.vector(shipped.ids("☃ ☃")) == bytes(256)
    assert shipped.vectors([[], shipped.ids("tea"), []]) == [
        bytes(256),
        shipped.vector(shipped.ids("tea")),
        bytes(256),
    ]
    assert shipped.vectors([]) == []
    assert shipped.vector(shipped.ids("tea"), [0.0]) == bytes(256)


def test_the_length_is_254_where_nothing_is_clipped(shipped: Encoder) -> None:
    vector = as_numbers(shipped.vector(shipped.ids(text(3))))
    assert np.linalg.norm(vector) == pytest.approx(254, abs=2)
    assert np.abs(vector).max() < 127


def test_a_word_of_twice_the_weight_counts_like_the_word_twice(shipped: Encoder) -> None:
    tea, milk = shipped.ids("tea milk")
    assert shipped.vector([tea, milk], [2.0, 1.0]) == shipped.vector([tea, tea, milk])
    assert shipped.vector([tea, milk], [1.0, 0.0]) == shipped.vector([tea])
    assert shipped.vector([tea, milk], [1.0, 1.0]) == shipped.vector([tea, milk])


def test_a_row_is_a_line_of_the_table(shipped: Encoder) -> None:
    assert shipped.row(0) == TABLE[:256]
    assert shipped.row(len(PIECES) - 1) == TABLE[-256:]


def test_near_words_are_near(shipped: Encoder) -> None:
    def cosine(one: str, other: str) -> float:
        a, b = (as_numbers(shipped.vector(shipped.ids(each))) for each in (one, other))
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine("the doctor prescribed medicine", "a physician gave drugs") > 0.4
    assert cosine("the doctor prescribed medicine", "stock prices fell sharply") < 0.2


def test_the_shipped_weights_are_the_ones_that_are_named(shipped: Encoder) -> None:
    assert (shipped.name, shipped.dim) == (MODEL_NAME, embed.DIMENSIONS)
    assert hashlib.sha256(TABLE + SCALES + VOCABULARY).hexdigest().startswith(MODEL_SHA)
    assert len(TABLE) == embed.DIMENSIONS * len(PIECES) == embed.DIMENSIONS * len(SCALES) // 4
    assert (
        tuple(embed.checksum((MODEL / name).read_bytes()) for name in embed.SHIPPED)
        == embed.CHECKSUMS
    )
    assert "MinishLab" in (MODEL / "NOTICE.txt").read_text("utf-8")


def test_a_query_needs_no_numpy() -> None:
    code = (
        "import sys\nfrom indexer.tokens.embed import load_model\n"
        "encoder = load_model(); ids = encoder.ids('naïve tea'); encoder.vector(ids); encoder.row(ids[0])\n"
        "print([name for name in ('numpy', 'tokenizers', 'model2vec', 'pathlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=MODEL.parent.parent, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_folder_gives_what_the_shipped_files_give(shipped: Encoder, saved: Path) -> None:
    other = load_model(str(saved))
    batch = [*MINI, *map(text, range(100)), "lone \ud800 half"]
    assert (other.name, other.dim) == ("potion", 256)
    assert [other.ids(one) for one in batch[:-1]] == [shipped.ids(one) for one in batch[:-1]]
    assert other.ids(batch[-1]) == other.ids("lone ? half")
    ids = [shipped.ids(one) for one in batch]
    assert other.vectors(ids) == shipped.vectors(ids)
    assert other.row(77) == shipped.row(77)


def test_a_model_of_another_size(tiny: Callable[..., Path]) -> None:
    vectors = np.random.default_rng(1).normal(size=(5, 64)).astype(np.float32)
    folder = tiny(vectors)
    encoder, model = load_model(f"{folder}/"), StaticModel.from_pretrained(folder)
    texts = ["tea milk", "cup of tea", "sugar", "tea " * 600]
    ids = [encoder.ids(text) for text in texts]
    assert (encoder.name, encoder.dim) == ("tiny", 64)
    assert ids[:2] == [[1, 2], [4, 1]]
    assert len(ids[3]) == 600
    assert encoder.vectors(ids) == [encoder.vector(each) for each in ids]
    assert cosines(stored(encoder.vectors(ids)), model.encode(texts, max_length=None)).min() > 0.999
    assert encoder.vector(encoder.ids("of")) == bytes(64)


def test_a_model_with_fewer_rows_than_words(tiny: Callable[..., Path]) -> None:
    vectors = np.random.default_rng(2).normal(size=(3, 64)).astype(np.float32)
    weights, mapping = np.array([1, 2, 0.5, 3, 1], np.float32), np.array([0, 1, 1, 2, 2])
    folder = tiny(vectors, weights=weights, token_mapping=mapping)
    encoder, model = load_model(str(folder)), StaticModel.from_pretrained(folder)
    texts = ["tea milk cup", "milk sugar", "sugar sugar tea"]
    assert (
        cosines(
            stored([encoder.vector(encoder.ids(one)) for one in texts]), model.encode(texts)
        ).min()
        > 0.999
    )


@pytest.mark.parametrize("size", [1e-30, 1e-4, 1.0, 1e6, 1e30])
def test_embeddings_of_any_length_keep_their_direction(size: float) -> None:
    vectors = (np.random.default_rng(3).normal(size=(6, 8)) * size).astype(np.float32)
    packed_rows, packed_scales = quantise(vectors)
    scales = np.frombuffer(packed_scales, "<f4")
    rows = np.frombuffer(packed_rows, np.int8).reshape(6, 8) * scales[:, None].astype(np.float64)
    wanted = vectors.astype(np.float64)
    assert cosines(rows, wanted).min() > 0.9999
    stretched = np.linalg.norm(rows, axis=1) / np.linalg.norm(wanted, axis=1)
    assert stretched == pytest.approx(np.full(6, stretched[0]), rel=0.01)
    assert scales.max() <= 1
    assert (scales.astype(np.float16) == scales).all()


def test_empty_rows_stay_empty() -> None:
    table, scales = quantise(np.array([[0, 0], [1, -2]], np.float32))
    assert np.frombuffer(table, np.int8).tolist()[:2] == [0, 0]
    assert np.frombuffer(scales, "<f4")[0] == 1


def test_no_such_folder(tmp_path: Path) -> None:
    """`minishlab/potion-base-8M` is a folder that is not there, not something to download."""
    for name in ("minishlab/potion-base-8M", str(tmp_path / "absent"), ""):
        with pytest.raises(ConfigError, match=r"embedding\.model: .*is not a folder") as caught:
            load_model(name)
        assert caught.value.message == f"embedding.model: {name} is not a folder"
        assert "model.safetensors" in caught.value.hint


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("x")
    with pytest.raises(ConfigError, match=r"embedding\.model: .*is not a folder"):
        load_model(str(tmp_path / "model"))


def spoil(name: str, data: bytes | None) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        if data is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(data)

    return change


@pytest.mark.parametrize(
    "change",
    [
        spoil("model.safetensors", None),
        spoil("tokenizer.json", None),
        spoil("config.json", None),
        spoil("model.safetensors", b"garbage"),
        spoil("model.safetensors", struct.pack("<Q", 1 << 60)),
        spoil("tokenizer.json", json.dumps({"model": "?"}).encode()),
        spoil("config.json", b"{"),
    ],
    ids=lambda change: str(change.__closure__[1].cell_contents),
)
def test_a_folder_without_a_model(
    tiny: Callable[..., Path], change: Callable[[Path], None]
) -> None:
    folder = tiny(np.eye(5, 4, dtype=np.float32))
    change(folder)
    with pytest.raises(ConfigError, match="no model2vec model") as caught:
        load_model(str(folder))
    assert str(folder) in caught.value.message
    assert "save_pretrained" in caught.value.hint


def test_a_model_of_no_numbers(tiny: Callable[..., Path]) -> None:
    with pytest.raises(ConfigError, match="finite"):
        load_model(str(tiny(np.full((5, 4), np.nan, np.float32))))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("where is the key", 1.0),
        ("¿Dónde está?", 1.0),
        ("Việt Nam đẹp", 0.3),
        ("上海在哪里", 0.0),
        ("где ключ", 0.0),
        ("1 + 2", 1.0),
        ("… —", 1.0),
        ("ab 上海", 0.5),
    ],
)
def test_the_shipped_model_reads_latin_letters(text: str, share: float) -> None:
    assert load_model().reads(text) == share


def test_with_numpy_as_without(shipped: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that stays gives a query the vector that a cold one gives it, whatever the weights."""
    dice = random.Random(11)
    for _ in range(100):
        ids = dice.choices(range(29_528), k=dice.randint(0, 40))
        weights = dice.choice([None, [dice.random() * 12 for _ in ids]])
        with monkeypatch.context() as cold:
            cold.delitem(sys.modules, "numpy")
            expected = shipped.vector(ids, weights)
        assert shipped.vector(ids, weights) == expected


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("- Lives in Oslo (2026-02-01) ^k3v9qa", "- Lives in Oslo"),
        (
            "- ~~Lives in Graz~~ (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^d8w4tt",
            "- Lives in Graz",
        ),
        ("- ~~Lives in Graz~~ (→ 2026-02-01)", "- Lives in Graz"),
        ("- Lives in Oslo (2026-02-01, updates ^d8w4tt)", "- Lives in Oslo"),
        (
            "- Joined (2026-02-01, milestone, because of the pay)",
            "- Joined (2026-02-01, milestone, because of the pay)",
        ),
        ("- Call it f()", "- Call it f()"),
        ("- Call it ()", "- Call it ()"),
        ("see [the site](https://a.example/x)", "see [the site "),
        ("a ~~word~~ in it", "a ~~word~~ in it"),
    ],
)
def test_addresses_ids_and_dates_of_a_fact_are_not_embedded(line: str, left: str) -> None:
    assert embed._plain(line) == left
    assert embed._plain(f"{line}\n{line}") == f"{left}\n{left}"


@pytest.mark.parametrize(
    "line", ["[" * 10**6, "[[" * 10**6, "QUJD" * 10**6, "a " * embed.MOST_EMBEDDED_LETTERS]
)
def test_of_a_line_without_end_so_much_is_embedded_and_no_more(line: str) -> None:
    assert embed_text("Pic", line) == f"Pic\n{line[: embed.MOST_EMBEDDED_LETTERS]}"
    assert len(embed_text(line, "")) == embed.MOST_EMBEDDED_LETTERS + 1


def test_a_text_as_long_as_can_be_embedded_is_embedded_whole() -> None:
    text = "tea " * (embed.MOST_EMBEDDED_LETTERS // 4)
    assert embed_text("Joe", text) == f"Joe\n{text}"


def test_the_context_is_embedded_before_the_text() -> None:
    assert embed_text("Joe > Facts", "- Tall ^abc123") == "Joe > Facts\n- Tall"
