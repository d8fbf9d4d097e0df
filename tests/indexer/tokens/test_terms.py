from __future__ import annotations

import functools
import random
import runpy
import unicodedata
import weakref
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

import indexer
from indexer.tokens import terms
from indexer.tokens.terms import (
    Vocabulary,
    WordPiece,
    arabic_root,
    bigrams,
    characters,
    composed,
    emoji,
    grams,
    model_words,
    plain_spelling,
    runs,
    spaced,
    symbol,
    symbol_forms,
    symbol_spans,
    unicode_words,
)

MODEL = Path(indexer.__file__).parent / "model"
pack_vocabulary = runpy.run_path(str(MODEL.parent.parent / "scripts/packed_model.py"))[
    "pack_vocabulary"
]
TEXT = (MODEL / "vocab.txt").read_bytes()
PIECES = TEXT.decode().split("\n")


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """BERT's uncased tokeniser over the same vocabulary."""
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(
        models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@pytest.fixture
def ours() -> WordPiece:
    return WordPiece(Vocabulary(TEXT, pack_vocabulary(TEXT)))


def of(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    unknown = tokenizer.token_to_id("[UNK]")
    encoded = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    return [[number for number in one.ids if number != unknown] for one in encoded]


def is_settled(character: str) -> bool:
    """Whether every Unicode table since 3.2 says the same of a character, so that two libraries must agree."""
    kind = unicodedata.category(character)
    return kind not in {"Cn", "Cs"} and kind == unicodedata.ucd_3_2_0.category(character)


@functools.cache
def settled() -> list[str]:
    """All such characters."""
    return [character for code in range(0x110000) if is_settled(character := chr(code))]


def prose(seed: int) -> str:
    """Words of the vocabulary, whole and glued, in any case, with accents, marks and numbers between."""
    chance = random.Random(seed)
    found = []
    for _ in range(chance.randrange(1, 60)):
        word = "".join(
            chance.choice(PIECES).removeprefix("##") for _ in range(chance.choice((1, 1, 1, 2, 3)))
        )
        word = chance.choice((str, str, str.upper, str.title))(word)
        if chance.random() < 0.1:
            word = unicodedata.normalize(
                chance.choice(("NFC", "NFD")), word.replace("e", "é").replace("o", "ö")
            )
        found.append(
            word
            + chance.choice(
                ("", "", "", ",", ".", "'s", "-", "_x", "://", str(chance.randrange(9999)))
            )
        )
    return chance.choice((" ", " ", "\n", "\t", "\r\n", "  ")).join(found)


def soup(seed: int) -> str:
    chance = random.Random(seed)
    every = settled()
    near = chance.randrange(len(every) - 400)
    from_all = chance.choices(every, k=chance.randrange(1, 40))
    from_script = chance.choices(every[near : near + 400], k=chance.randrange(1, 40))
    ascii_ = [chr(chance.randrange(128)) for _ in range(chance.randrange(80))]
    mixed = from_all + from_script + ascii_
    chance.shuffle(mixed)
    return "".join(mixed)


MINI = [
    "",
    " ",
    "\n",
    "[UNK] [PAD] ##ing",
    "don't re-embed C++/C#, a.b@c.org!",
    "ΟΔΟΣ ΣΑΣ",
    "İstanbul ISPARTA ŞIŞLI",
    "ﬁne ﬂow Ⅻ ² ½ ℀",
    "東京タワーは333メートル。",
    "한국어 조각",
    "ภาษาไทย",
    "नमस्ते दुनिया",
    "e\u0301\u200d\ufeff\u00adx",
    "a\x00b\x0bc\x1cd\x85e\u2028f\u180eg",
    "\ufffd\ue000",
    "x" * 100,
    "x" * 101,
    "é" * 100 + " ok",
    "👩‍👩‍👧 ok",
    "𝕏𝖞 🄰",
    "https://example.org/a_b?c=d&e=%20#f",
    "|a|\n|---|\n|`x=1`|**y**|",
    "naïve café Ångström straße",
]


def test_gives_the_tokens_of_the_reference(reference: Tokenizer, ours: WordPiece) -> None:
    texts = [*MINI, *map(prose, range(2000)), *map(soup, range(2000))]
    for text, expected in zip(texts, of(reference, texts), strict=True):
        assert ours.ids(text) == expected, text


def test_treats_every_settled_character_as_the_reference_does(
    reference: Tokenizer, ours: WordPiece
) -> None:
    assert len(settled()) > 90_000
    spaced = [f"a{character}b {character}" for character in settled()]
    texts = ["\n".join(spaced[at : at + 50]) for at in range(0, len(spaced), 50)]
    unlike = [
        text
        for text, expected in zip(texts, of(reference, texts), strict=True)
        if ours.ids(text) != expected
    ]
    assert unlike == []


def test_a_text_is_parted_into_the_words_that_the_model_knows() -> None:
    assert model_words("Don't STOP,\tnaïve Æther_2") == [
        "don",
        "'",
        "t",
        "stop",
        ",",
        "naive",
        "æther",
        "_",
        "2",
    ]
    assert model_words("東京x") == ["東", "京", "x"]
    assert model_words("a\ud800b") == ["ab"]


def test_what_cannot_be_spelled_is_left_out(ours: WordPiece) -> None:
    assert ours.ids("☃☃☃ " + "y" * 101) == []
    assert ours.ids("the ☃☃☃ house") == ours.ids("the house")


def test_a_full_memory_changes_no_answer(monkeypatch: pytest.MonkeyPatch, ours: WordPiece) -> None:
    texts = [prose(seed) for seed in range(200)]
    expected = [ours.ids(text) for text in texts]
    monkeypatch.setattr(terms, "REMEMBERED", 50)
    small = WordPiece(Vocabulary(TEXT, pack_vocabulary(TEXT)))
    assert [small.ids(text) for text in texts] == expected
    assert len(small) <= 50


def test_long_words_are_not_remembered(ours: WordPiece) -> None:
    ours.ids("z" * 90)
    assert not ours


def test_the_probed_table_is_the_dict(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    absent = [piece + "qq" for piece in PIECES] + ["", "\n", "the\nof", "x" * 1000]
    monkeypatch.setattr(terms, "MOST_PROBES", 10**9)
    probed = Vocabulary(TEXT, pack_vocabulary(TEXT))
    assert {piece: probed.find(piece) for piece in PIECES} == numbers
    assert all(probed.find(piece) == numbers.get(piece) for piece in absent)
    monkeypatch.setattr(terms, "MOST_PROBES", 3)
    patient = Vocabulary(TEXT, pack_vocabulary(TEXT))
    assert [patient.find(piece) for piece in ("the", "thex", "of", "and", "andx")] == [
        numbers["the"],
        None,
        numbers["of"],
        numbers["and"],
        None,
    ]
    assert patient.find == patient.find.__self__.get  # type: ignore[attr-defined]  # a dict's own method by now


def test_a_piece_whose_slot_is_taken_at_the_end_of_the_table_is_found_at_its_beginning() -> None:
    last = [
        word
        for number in range(400_000)
        if crc32(word := b"w%d" % number) % terms.SLOTS == terms.SLOTS - 1
    ]
    text = b"\n".join(last[:3])
    probed = Vocabulary(text, pack_vocabulary(text))
    assert [probed.find(piece.decode()) for piece in last[:4]] == [0, 1, 2, None]


def test_the_shipped_table_belongs_to_the_shipped_vocabulary() -> None:
    assert (MODEL / "vocab.lookup").read_bytes() == pack_vocabulary(TEXT)
    assert Vocabulary(TEXT, pack_vocabulary(TEXT)).longest == max(map(len, PIECES))
    assert len(PIECES) < terms.EMPTY_SLOT


def test_a_vocabulary_is_let_go_of_at_once() -> None:
    """A daemon loads one for each pass: files that only a collection of cycles closed would be too many open ones."""
    vocabulary = Vocabulary(TEXT, pack_vocabulary(TEXT))
    vocabulary.find("the")
    gone = weakref.ref(vocabulary)
    del vocabulary
    assert gone() is None


PARTY = "\U000ff389"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Plain English, with a full stop. And a heading # here + there", ""),
        ("Zürich, naïve, café", ""),
        ("黑豹队", "黑豹 豹队 队"),
        ("队", "队"),
        ("黑豹，队", "黑豹 豹 队"),
        ("用Python写", "用 Python 写"),
        ("第3章", "第 3 章"),
        ("한국어", "한국 국어 어"),
        ("ＡＢＣ", "ABC"),
        ("ﬁne", "fine"),
        ("ไม่", "ไม่ ม่"),
        ("ที่นี่", "ที่นี่ นี่"),
        ("كِتاب", "كتاب"),
        ("الكتاب", "كتاب"),
        ("Αθήνα", "Αθηνα"),
        ("straße ışık Đà ёлка", "strasse işik dà елка"),
        ("🎉party at 500₽", "\U000ff389 party 500"),
        ("soft\u00adhyphen", "softhyphen"),
        ("i++; a+b; 1 # 2; C# and C++.", "i\ue02b\ue02b C\ue023 C\ue02b\ue02b"),
        ("C++17", "C\ue02b\ue02b17 C\ue02b\ue02b"),
        ("use .NET, not example.com or ...this", "\ue02eNET"),
        ("🎂 cake", "\U000ff382"),
        ("☕", "\U000f2615"),
        ("Ăn phở bò", "a\U000f0306n pho\U000f031b\U000f0309 bo\U000f0300"),
        ("Đi bộ", "di \U000f0111i bo\U000f0323\U000f0302"),
        ("Con cò lớn", "co\U000f0300 lo\U000f031b\U000f0301n"),
        ("À la carte dans le café Phở de la gare, près de l’école", ""),
    ],
)
def test_what_the_tokenizer_loses_is_written_out(text: str, expected: str) -> None:
    assert grams(text) == expected


def test_a_character_is_a_base_with_its_marks() -> None:
    for text in ("ที่นี่", "ខ្មែរ", "မြန်မာ", "ภาษาไทย"):
        for gram in grams(text).split():
            assert unicodedata.category(gram[0])[0] != "M"


def test_long_texts_of_one_kind_come_to_an_end() -> None:
    for text in (
        "黑" * 200_000,
        "+" * 200_000,
        "a+" * 100_000,
        "C++" * 70_000,
        ".a" * 100_000,
        "\u0301" * 100_000,
    ):
        assert isinstance(grams(text), str)


# -- its parts --------------------------------------------------------------------------------------


def test_an_emoji_and_a_symbol_have_one_stand_in_each() -> None:
    assert [emoji(char) for char in "🎉☕⌚✨a#1漢é€"] == [True] * 4 + [False] * 6
    assert symbol("🎉") == PARTY
    assert (symbol("+"), symbol("#"), symbol(".")) == ("\ue02b", "\ue023", "\ue02e")
    assert {unicodedata.category(symbol(char)) for char in "+#.🎉☕"} == {"Co"}, (
        "a kind that the tokenizer keeps"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("it's a-b_c, d/e", ["it", "s", "a", "b", "c", "d", "e"]),
        ("3.11.7", ["3", "11", "7"]),
        ("naïve café", ["naïve", "café"]),
        ("soft\u00adhyphen", ["soft\u00adhyphen"]),
        ("🎉party", [PARTY, "party"]),
        ("👍🏽", [symbol("👍")]),
        ("e\u0301t", ["e\u0301t"]),
        ("№5 ½", ["5", "½"]),
        ("\x00\t\n", []),
    ],
)
def test_a_word_ends_where_the_tokenizer_ends_it(text: str, found: list[str]) -> None:
    assert unicode_words(text) == found
    assert spaced(text).split() == found


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("tea", "tea"),
        ("e\u0301", "é"),
        ("ＡＢＣ１", "ABC1"),
        ("ﬁne", "fine"),
        ("x²", "x2"),
        ("soft\u00adhyphen", "softhyphen"),
        ("ß", "ß"),
        ("Ά", "Ά"),
    ],
)
def test_a_word_is_composed_and_keeps_its_letters(word: str, written: str) -> None:
    assert composed(word) == written


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("TEA", "TEA"),
        ("café", "café"),
        ("Straße", "Strasse"),
        ("ÆØŁĐ", "aeold"),
        ("ёлка", "елка"),
        ("ısı", "isi"),
        ("Αθήνα", "Αθηνα"),
        ("ΐ", "ι"),
        ("كِتَاب", "كتاب"),
        ("كـتاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("❤\ufe0f", "❤"),
        ("\u00ad", ""),
    ],
)
def test_all_spellings_of_a_word_share_one(word: str, written: str) -> None:
    assert plain_spelling(word) == written


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("الكتاب", "كتاب"),
        ("والكتاب", "كتاب"),
        ("بالكتاب", "كتاب"),
        ("للكتاب", "كتاب"),
        ("وكتاب", "كتاب"),
        ("أحمد", "احمد"),
        ("مدرسة", "مدرسه"),
        ("ال", "ال"),
        ("ولد", "ولد"),
        ("library", "library"),
        ("שלום", "שלום"),
        ("", ""),
    ],
)
def test_an_arabic_word_loses_article_and_conjunction_where_enough_is_left(
    word: str, stem: str
) -> None:
    assert arabic_root(word) == stem


def test_runs_of_scripts_without_spaces_and_emoji_stand_at_odd_places() -> None:
    assert runs("plain text") == ["plain text"]
    assert runs("用Python写") == ["", "用", "Python", "写", ""]
    assert runs("é🎉é") == ["é", "🎉", "é"]
    assert runs("第3章")[1::2] == ["第", "章"]


def test_a_character_keeps_its_marks_and_loses_its_width() -> None:
    assert characters("") == []
    assert characters("黑豹") == ["黑", "豹"]
    assert characters("ที่นี่") == ["ที่", "นี่"]
    assert characters("ｶﾞ") == ["ガ"]
    assert characters("\u0e34") == ["\u0e34"], "a mark that follows nothing stands for itself"
    assert bigrams("黑豹队") == ["黑豹", "豹队", "队"]
    assert bigrams("") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("C++ and C#, F# or C++17", ["C++", "C#", "F#", "C++17"]),
        ("use .NET and .gitignore", [".NET", ".gitignore"]),
        ("a+b i++; ++i x+++", ["i++"]),
        ("1 + 2 #tag # 3#", []),
        ("example.com a.b ...this (.x) .a", []),
        ("C+++", []),
        ("x" * 17 + "++", []),
        ("C++x", []),
        ("", []),
        (".NET.NET", [".NET"]),
        ("日本C++語", []),
        ("C#/.NET", ["C#", ".NET"]),
    ],
)
def test_symbol_words_are_found_where_they_stand(text: str, found: list[str]) -> None:
    spans = list(symbol_spans(text))
    assert [text[start:end] for start, end in spans] == found
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_symbol_word_is_written_once_more_without_its_number() -> None:
    assert symbol_forms("C++") == ["C\ue02b\ue02b"]
    assert symbol_forms("C++17") == ["C\ue02b\ue02b17", "C\ue02b\ue02b"]
    assert symbol_forms(".net4") == ["\ue02enet4"]


# -- of any text ------------------------------------------------------------------------------------


@given(
    st.text(
        st.characters().filter(
            lambda char: unicodedata.ucd_3_2_0.category(char) not in {"Cn", "Cs"}
        ),
        max_size=60,
    )
)
def test_the_tokenizer_loses_nothing_of_what_is_written_out(text: str) -> None:
    """Each word of it, of characters as old as the tokenizer's tables, is at least one token."""
    db = apsw.Connection(":memory:")
    options = "tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\""
    db.execute(
        f"CREATE VIRTUAL TABLE t USING fts5(x, {options}); CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)"
    )
    found = grams(text).split()
    db.executemany("INSERT INTO t VALUES (?)", [(word,) for word in found])
    assert db.execute("SELECT count(DISTINCT doc) FROM v").get == len(found)
    db.close()


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_plain_english_costs_nothing_but_its_symbol_words(text: str) -> None:
    assert grams(text) == " ".join(
        form for a, b in symbol_spans(text) for form in symbol_forms(text[a:b])
    )
