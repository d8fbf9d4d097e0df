from __future__ import annotations

import random
import unicodedata
import weakref
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

import indexer
from indexer import vocabulary, wordpiece
from indexer.vocabulary import Vocabulary, pack
from indexer.wordpiece import WordPiece, words

MODEL = Path(indexer.__file__).parent / "model"
TEXT = (MODEL / "vocab.txt").read_bytes()
PIECES = TEXT.decode().split("\n")


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """BERT's uncased tokeniser over the same vocabulary."""
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@pytest.fixture
def ours() -> WordPiece:
    return WordPiece(Vocabulary(TEXT, pack(TEXT)))


def of(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    unknown = tokenizer.token_to_id("[UNK]")
    encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    return [[number for number in one.ids if number != unknown] for one in encoded]


def is_settled(character: str) -> bool:
    """Whether every Unicode table since 3.2 says the same of a character, so that two libraries must agree."""
    kind = unicodedata.category(character)
    return kind not in {"Cn", "Cs"} and kind == unicodedata.ucd_3_2_0.category(character)


SETTLED = [character for code in range(0x110000) if is_settled(character := chr(code))]


def prose(seed: int) -> str:
    """Words of the vocabulary, whole and glued, in any case, with accents, marks and numbers between."""
    chance = random.Random(seed)
    found = []
    for _ in range(chance.randrange(1, 60)):
        word = "".join(chance.choice(PIECES).removeprefix("##") for _ in range(chance.choice((1, 1, 1, 2, 3))))
        word = chance.choice((str, str, str.upper, str.title))(word)
        if chance.random() < 0.1:
            word = unicodedata.normalize(chance.choice(("NFC", "NFD")), word.replace("e", "é").replace("o", "ö"))
        found.append(word + chance.choice(("", "", "", ",", ".", "'s", "-", "_x", "://", str(chance.randrange(9999)))))
    return chance.choice((" ", " ", "\n", "\t", "\r\n", "  ")).join(found)


def soup(seed: int) -> str:
    chance = random.Random(seed)
    near = chance.randrange(len(SETTLED) - 400)
    from_all = chance.choices(SETTLED, k=chance.randrange(1, 40))
    from_script = chance.choices(SETTLED[near : near + 400], k=chance.randrange(1, 40))
    ascii_ = [chr(chance.randrange(128)) for _ in range(chance.randrange(80))]
    mixed = from_all + from_script + ascii_
    chance.shuffle(mixed)
    return "".join(mixed)


MINI = [
    "", " ", "\n", "[UNK] [PAD] ##ing", "don't re-embed C++/C#, a.b@c.org!", "ΟΔΟΣ ΣΑΣ", "İstanbul ISPARTA ŞIŞLI",
    "ﬁne ﬂow Ⅻ ² ½ ℀", "東京タワーは333メートル。", "한국어 조각", "ภาษาไทย", "नमस्ते दुनिया",
    "e\u0301\u200d\ufeff\u00adx", "a\x00b\x0bc\x1cd\x85e\u2028f\u180eg", "\ufffd\ue000", "x" * 100, "x" * 101,
    "é" * 100 + " ok", "👩‍👩‍👧 ok", "𝕏𝖞 🄰", "https://example.org/a_b?c=d&e=%20#f", "|a|\n|---|\n|`x=1`|**y**|",
    "naïve café Ångström straße",
]  # fmt: skip


def test_gives_the_tokens_of_the_reference(reference: Tokenizer, ours: WordPiece) -> None:
    texts = [*MINI, *map(prose, range(2000)), *map(soup, range(2000))]
    for text, expected in zip(texts, of(reference, texts), strict=True):
        assert ours.ids(text) == expected, text


def test_treats_every_settled_character_as_the_reference_does(reference: Tokenizer, ours: WordPiece) -> None:
    assert len(SETTLED) > 90_000
    spaced = [f"a{character}b {character}" for character in SETTLED]
    texts = ["\n".join(spaced[at : at + 50]) for at in range(0, len(spaced), 50)]
    unlike = [text for text, expected in zip(texts, of(reference, texts), strict=True) if ours.ids(text) != expected]
    assert unlike == []


def test_words() -> None:
    assert words("Don't STOP,\tnaïve Æther_2") == ["don", "'", "t", "stop", ",", "naive", "æther", "_", "2"]
    assert words("東京x") == ["東", "京", "x"]
    assert words("a\ud800b") == ["ab"]


def test_what_cannot_be_spelled_is_left_out(ours: WordPiece) -> None:
    assert ours.ids("☃☃☃ " + "y" * 101) == []
    assert ours.ids("the ☃☃☃ house") == ours.ids("the house")


def test_a_full_memory_changes_no_answer(monkeypatch: pytest.MonkeyPatch, ours: WordPiece) -> None:
    texts = [prose(seed) for seed in range(200)]
    expected = [ours.ids(text) for text in texts]
    monkeypatch.setattr(wordpiece, "REMEMBERED", 50)
    small = WordPiece(Vocabulary(TEXT, pack(TEXT)))
    assert [small.ids(text) for text in texts] == expected
    assert len(small._spelled) <= 50


def test_long_words_are_not_remembered(ours: WordPiece) -> None:
    ours.ids("z" * 90)
    assert not ours._spelled


def test_the_probed_table_is_the_dict(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    absent = [piece + "qq" for piece in PIECES] + ["", "\n", "the\nof", "x" * 1000]
    monkeypatch.setattr(vocabulary, "PATIENCE", 10**9)
    probed = Vocabulary(TEXT, pack(TEXT))
    assert {piece: probed.find(piece) for piece in PIECES} == numbers
    assert all(probed.find(piece) == numbers.get(piece) for piece in absent)
    monkeypatch.setattr(vocabulary, "PATIENCE", 3)
    patient = Vocabulary(TEXT, pack(TEXT))
    assert [patient.find(piece) for piece in ("the", "thex", "of", "and", "andx")] == [
        numbers["the"], None, numbers["of"], numbers["and"], None,
    ]  # fmt: skip
    assert patient.find == patient.find.__self__.get  # type: ignore[attr-defined]  # a dict's own method by now


def test_the_shipped_table_belongs_to_the_shipped_vocabulary() -> None:
    assert (MODEL / "vocab.lookup").read_bytes() == pack(TEXT)
    assert Vocabulary(TEXT, pack(TEXT)).longest == max(map(len, PIECES))
    assert len(PIECES) < vocabulary.EMPTY


def test_a_vocabulary_is_let_go_of_at_once() -> None:
    """A daemon loads one for each pass: files that only a collection of cycles closed would be too many open ones."""
    vocabulary = Vocabulary(TEXT, pack(TEXT))
    vocabulary.find("the")
    gone = weakref.ref(vocabulary)
    del vocabulary
    assert gone() is None
