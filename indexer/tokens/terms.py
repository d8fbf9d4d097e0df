"""The words of a text, twice: as the full-text index keeps them, and as the tokens of the embedding
model.

FTS5's `unicode61` takes a Chinese sentence for one word and `C++` for the letter c.  `grams(text)`
names what it would lose, in the text's order, in words that it keeps, for a column of their own:

    scripts without spaces   黑豹队 → 黑豹 豹队 队: every two characters, then the last one alone
    words glued to them      用Python写 → 用 python 写
    symbol words             C++ C# F# .NET .gitignore C++17: each symbol becomes the private-use
                             character 0xE000 + its code
    emoji                    the private-use character 0xF0000 + the low 16 bits of its code
    Arabic                   the word without its article and conjunction, letters' forms unified
    other spellings          full-width letters, ligatures, ß æ ø ł đ ı ё, accents of Greek, vowel
                             marks and tatweel of Arabic and Hebrew, soft hyphens, decomposed
                             letters: the plain one
    Vietnamese               each word with marks, once more with a private-use character for each
                             mark: unicode61 makes one word of ma, má, mà, mả, mã and mạ
    words glued to newer     🎉party → its stand-in and party; 500₽ → 500
      emoji and signs

A character is a base with its combining marks.  Time is linear in the text.

`WordPiece` cuts as BERT's uncased word-piece tokeniser does (Devlin et al. 2019), token for token
what `tokenizers` gives for the same vocabulary: importing that library costs more than a whole cold
search may. Characters newer than Unicode 8 may fall differently, because each side uses the tables
it was built with. A dict of 29,528 pieces takes longer to build than a whole cold search may take,
so a hash table is shipped beside `vocab.txt` and probed in place. Whoever looks up many gets the
dict after all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

UNSPACED = (
    # Hangul: particles stick to words
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa1-\uffdc"
    # Han
    "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufad9"
    # Han extensions, Tangut, Nushu, old kana
    "\U00016fe0-\U00018cff\U0001aff0-\U0001b2ff\U00020000-\U0003ffff"
    # kana
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
    "\u3105-\u312f\u31a0-\u31bf\ua000-\ua48c"  # Bopomofo, Yi
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf"  # Thai, Lao
    "\u0f00\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc"  # Tibetan
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "\u1950-\u19c9\u1a20-\u1a7f\uaa80-\uaadd"  # Tai Le, New Tai Lue, Tai Tham, Tai Viet
    "\u1b00-\u1b4c\ua980-\ua9c0"  # Balinese, Javanese
)
"""Ranges of the letters and marks of scripts written without spaces; their digits are ordinary."""

_MARKS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    # Arabic vowels, tatweel
    "\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
    "\u00ad\ufe00-\ufe0f"  # soft hyphen, variation selectors
)
_COMPAT = "\u00b2\u00b3\u00b9\u2070-\u209c\ufb00-\ufdff\ufe70-\ufefc\uff10-\uff5a"
_EMOJI = "\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff"

_ARABIC = "\u0621-\u064a\u0671-\u06d3"
_ARABIC_FORMS = {ord(a): b for a, b in zip("أإآٱىةؤئ", "اااايهوي", strict=True)}
_ARABIC_PREFIX = "(?:[وف]?(?:ال|[بك]ال|لل)|و)(?=.{3})"
_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "ẞ": "ss",
        "æ": "ae",
        "Æ": "ae",
        "œ": "oe",
        "Œ": "oe",
        "ø": "o",
        "Ø": "o",
        "ł": "l",
        "Ł": "l",
        "đ": "d",
        "Đ": "d",
        "ı": "i",
        "ё": "е",
        "Ё": "е",
    }
)
"""Letters that unicode61 leaves alone and people type without their strokes."""

_TONED = "\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9"
"""Letters with a mark below or two marks, as Vietnamese has them and few others."""
_TONED_AMONG = 25
"""Among so many characters of a Vietnamese text is one of these at least; there are three."""

_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_GLUE = "\u061c\u2066-\u2069\u20ba-\u20c0"
"""Signs newer than unicode61's tables, which takes them for letters."""

# hold no marks after NFKC
_SOLID = "\u2e80-\ua4cf\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc\U00016fe0-\U0003ffff"
_ODD = UNSPACED + _MARKS + _COMPAT + _EMOJI + _ARABIC + _GREEK + _GLUE + _TONED + "ßẞæÆœŒøØłŁđĐıёЁ"

_HINTS = (("+", r"\+(?<=[^\W_].)"), ("#", r"#(?<=[^\W_].)"), (".", r"\.[^\W\d_](?<![\w.)\]}]..)"))
"""Where a symbol word may be; patterns that begin with one literal character run at twice the
speed."""

_SYMBOL_WORD = (
    r"[^\W\d_][^\W_]{0,15}(?:\+\+|[+#])\d{0,4}(?![^\W_]|[+#])|\.[^\W\d_][^\W_]{1,15}(?![^\W_])"
)
_LONGEST = 16
_KEPT = ("Mn", "Mc", "Co")


@cache
def _class(ranges: str, form: str = "[{}]") -> re.Pattern[str]:
    """A character class, compiled when a text first needs it: a cold start over English text never
    does."""
    return re.compile(form.format(ranges))


class _Separators(dict[int, str]):
    """A table for `str.translate`: what unicode61 keeps stays, all else becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char.isalnum() or char == "\u00ad" or unicodedata.category(char) in _KEPT
        if not kept:
            if emoji(char):
                char = f" {symbol(char)} "
            else:
                char = " "
        self[code] = char
        return char


_TABLE = _Separators()
_TABLE.update(dict.fromkeys(range(0x1F3FB, 0x1F400), ""))  # skin tones


def emoji(char: str) -> bool:
    """Whether a character is a pictogram that searches find by its stand-in."""
    return _class(_EMOJI).match(char) is not None


def symbol(char: str) -> str:
    """The private-use character that stands for a symbol or an emoji."""
    code = ord(char)
    if code < 0x80:
        return chr(0xE000 + code)
    return chr(0xF0000 | code & 0xFFFF)


def spaced(text: str) -> str:
    """A text with a space for every character that unicode61 drops; soft hyphens kept, emoji as
    stand-ins."""
    return text.translate(_TABLE)


def unicode_words(text: str) -> list[str]:
    """The words of a text where unicode61 ends them."""
    return text.translate(_TABLE).split()


def composed(word: str) -> str:
    """A word as typed, composed, and without soft hyphens; full-width forms and ligatures taken
    apart."""
    word = unicodedata.normalize(
        "NFC", word
    )  # first: it takes Hebrew letters with points apart, of which none is left
    if not word.isascii() and _class(_COMPAT).search(word):
        word = unicodedata.normalize("NFKC", word)
    return word.replace("\u00ad", "")


def plain_spelling(word: str) -> str:
    """The one spelling of a word that all its spellings share; words of `a`–`z` and `é` are spelt
    so already."""
    word = composed(word)
    if word.isascii():
        return word
    word = _class(_MARKS).sub("", word).translate(_LETTERS)
    if _class(_GREEK).search(word):
        word = "".join(
            char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char)
        )
    return word


def is_toned(text: str) -> bool:
    """Whether a text is in a language like Vietnamese, whose words differ in their marks alone: a
    name or two of it are not."""
    if text.isascii():
        return False
    marked = _class(_TONED).findall(unicodedata.normalize("NFC", text))
    return len(marked) * _TONED_AMONG >= len(text)


def toned(word: str) -> str:
    """A word with a stand-in for each of its marks, "" for one without any.

    Measured on questions of half their words over Vietnamese paragraphs, R@1 .739 → .83 (.825 by
    one table that makes letters with one mark plain alone).
    """
    letters = unicodedata.normalize("NFD", word.lower())
    found = "".join(
        symbol(char) if unicodedata.combining(char) or char == "đ" else char for char in letters
    )
    if found == letters:
        return ""
    return found


def arabic_root(word: str) -> str:
    """An Arabic word without article and conjunction and with its letters' forms unified; other
    words as they are.

    Light stemming, measured on questions over Arabic paragraphs (ARCD): R@5 .83 → .89.
    """
    if word.isascii() or not _class(_ARABIC, "[{}]+").fullmatch(word):
        return word
    return re.sub(f"^{_ARABIC_PREFIX}", "", word.translate(_ARABIC_FORMS))


_ENDINGS = ("ation", "ings", "ing", "edly", "ied", "ies", "ed", "es", "s", "e")


@lru_cache(maxsize=16384)
def english_stem(word: str) -> str:
    """A word without its ending, so that lives, lived and living are one."""
    word = word.casefold().partition("'")[0] or word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    if word[-1:] in {"y", "i"} and len(word) > 3:
        return word[:-1]
    return word


_MOST_ENDING_LETTERS = 3
"""Letters that an ending may have."""
BEGINNING = 4
"""Letters that two words which differ in their endings begin with at least."""


def differ_in_ending(word: str, asked: str) -> bool:
    """Whether a word is the one asked for but for its ending; a short one may only have an `s` or
    `es` more."""
    if word == asked:
        return True
    if len(asked) < BEGINNING:
        return word.startswith(asked) and word[len(asked) :] in {"s", "es"}
    return abs(len(word) - len(asked)) <= _MOST_ENDING_LETTERS and word.startswith(
        asked[: max(BEGINNING, len(asked) - _MOST_ENDING_LETTERS)]
    )


def runs(text: str) -> list[str]:
    """A text cut around runs of scripts without spaces and around emoji; these are the odd
    places."""
    if text.isascii():
        return [text]
    return _class(UNSPACED, f"([{{}}]+|[{_EMOJI}])").split(text)


def characters(run: str) -> list[str]:
    """The characters of a run in their compatibility form, each with its combining marks."""
    run = unicodedata.normalize("NFKC", run)
    if _class(_SOLID, "[{}]*").fullmatch(run):
        return list(run)
    found: list[str] = []
    for char in run:
        if found and unicodedata.category(char) in _KEPT:
            found[-1] += char
        else:
            found.append(char)
    return found


def bigrams(run: str) -> list[str]:
    """Every two neighbouring characters of a run, and its last character."""
    chars = characters(run)
    return [a + b for a, b in pairwise(chars)] + chars[-1:]


def symbol_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the symbol words of a text stand: `C++17`, `C#`, `.NET`."""
    done = 0
    hints = "|".join(pattern for char, pattern in _HINTS if char in text)
    for hint in re.finditer(hints, text) if hints else ():
        start = hint.start()
        if text[start] != ".":
            floor = max(done, start - _LONGEST)
            while start > floor and text[start - 1].isalnum():
                start -= 1
        match = re.compile(_SYMBOL_WORD).match(text, start)
        if match and start >= done and not text[start - 1 : start].isalnum():
            done = match.end()
            yield start, done


def symbol_forms(word: str) -> list[str]:
    """A symbol word with stand-ins for its symbols, and once more without a trailing number: C++17,
    C++."""
    word = "".join(symbol(char) if char in "+#." else char for char in word)
    base = word
    if word[0] != symbol("."):
        base = word.rstrip("0123456789")
    return list(dict.fromkeys((word, base)))


def grams(text: str) -> str:
    """What unicode61 would lose of a text, as words it keeps, separated by spaces; mostly
    nothing."""
    if text.isascii() and text.replace(" ", "").isalnum():
        return ""  # most names
    found: list[str] = []
    for start, end in symbol_spans(text):
        found += symbol_forms(text[start:end])
    if _is_odd(text):
        glued = _glued(text)
        with_tones = is_toned(text)
        for word in unicode_words(text):
            if not word.isascii():
                found += _forms(word, is_glued=word in glued)
                if with_tones:
                    found.append(toned(word))
            elif word in glued:
                found.append(word)
    return " ".join(filter(None, found))


def _is_odd(text: str) -> bool:
    """Whether unicode61 may lose anything but symbol words of a text."""
    if text.isascii():
        return False
    return bool(_class(_ODD).search(text)) or not unicodedata.is_normalized("NFC", text)


def _glued(text: str) -> set[str]:
    """The words that unicode61 does not find, because a sign or emoji is glued to them."""
    glue = _class(_GLUE + _EMOJI)
    found: set[str] = set()
    if glue.search(text):
        for piece in filter(glue.search, text.split()):
            found.update(unicode_words(piece))
    return found


def _forms(word: str, *, is_glued: bool) -> list[str]:
    """What unicode61 would lose of a word that is not all ASCII."""
    parts = runs(word)
    if len(parts) > 1:
        found: list[str] = []
        for number, part in enumerate(parts):
            if number % 2:
                found += bigrams(part)
            elif part:
                found.append(plain_spelling(part))
        return found
    if word[0] >= "\U000f0000":
        return [word]
    spelt = plain_spelling(word)
    return [form for form in dict.fromkeys((spelt, arabic_root(spelt))) if is_glued or form != word]


# -- as the tokens of the model --------------------------------------------------------

LONGEST_WORD = 100
"""A word of more characters is unknown."""
REMEMBERED = 1 << 15
"""Words kept with their tokens, about 6 MB at most."""
LONGEST_REMEMBERED = 32
SLOTS = 1 << 16
"""Slots of the hash table, each the number of a piece or `EMPTY_SLOT`."""
EMPTY_SLOT = 0xFFFF
MOST_PROBES = 12_000
"""Probes that cost about as much as building the dict."""

_ASCII_WORD = re.compile(r"[a-z0-9]+|\S")
_HAN = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def model_words(text: str) -> list[str]:
    """The words of a text: lower case, accents stripped, punctuation marks and Han characters words
    of their own."""
    if text.isascii():
        return _ASCII_WORD.findall(text.translate(_ASCII))
    return unicodedata.normalize("NFD", text).translate(_FOLDED).split()


class Vocabulary:
    """Piece → its number. `text` is `vocab.txt`, one piece a line; `lookup` is its table, as
    scripts/packed_model.py makes it: slots as uint16, a piece's is its CRC-32 modulo `SLOTS`, or
    the next free one; then as uint32 the characters of the longest piece, and the byte each line
    starts at."""

    def __init__(self, text: bytes | mmap, lookup: bytes | mmap) -> None:
        self._text = text
        self._slots = memoryview(lookup)[: 2 * SLOTS].cast("H")
        self.longest, *_ = memoryview(lookup)[2 * SLOTS : 2 * SLOTS + 4].cast("I")
        self._starts = memoryview(lookup)[2 * SLOTS + 4 :].cast("I")
        self._probes = 0
        self._numbers: dict[str, int] | None = None

    @property
    def find(self) -> Callable[[str], int | None]:
        """What tells the number of a piece, or None; not kept, so that the files are let go of with
        the last user."""
        if self._numbers is None:
            return self._probe
        return self._numbers.get

    def pieces(self) -> list[str]:
        """All pieces in the order of their numbers."""
        return bytes(self._text).decode().split("\n")

    def _probe(self, piece: str) -> int | None:
        self._probes += 1
        if self._probes == MOST_PROBES:
            self._numbers = {word: number for number, word in enumerate(self.pieces())}
            return self._numbers.get(piece)
        key = piece.encode()
        slot = crc32(key) % SLOTS
        while (number := self._slots[slot]) != EMPTY_SLOT:
            if self._text[self._starts[number] : self._starts[number + 1] - 1] == key:
                return number
            slot = (slot + 1) % SLOTS
        return None


class WordPiece(dict[str, tuple[int, ...]]):
    """Text → token numbers by a vocabulary, longest piece first; a word it cannot spell is
    dropped. Words that were met are kept with their tokens."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, in order."""
        return list(chain.from_iterable(map(self.__getitem__, model_words(text))))

    def __missing__(self, word: str) -> tuple[int, ...]:
        ids: tuple[int, ...] = ()
        if len(word) <= LONGEST_WORD:
            ids = tuple(self._spell(word))
        if len(word) <= LONGEST_REMEMBERED:
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = ids
        return ids

    def _spell(self, word: str) -> list[int]:
        find = self._vocabulary.find
        longest = self._vocabulary.longest
        ids: list[int] = []
        rest = word
        mark = 0
        while len(rest) > mark:
            piece = rest[:longest]
            while (number := find(piece)) is None:
                piece = piece[:-1]
                if len(piece) <= mark:
                    return []
            ids.append(number)
            rest = "##" + rest[len(piece) :]
            mark = 2
        return ids


class _Folding(dict[int, str]):
    """Code point → what stands for it among words; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        folded = _fold(chr(code))
        if len(self) < REMEMBERED:
            self[code] = folded
        return folded


def _fold(character: str) -> str:
    """A decomposed character in lower case; "" for an accent or control character; apart if it is a
    word of its own."""
    if character in "\t\n\r":
        return " "
    kind = unicodedata.category(character)
    if kind in {"Mn", "Cc", "Cf", "Co", "Cs"} or character == "\ufffd":
        return ""
    if kind[0] == "Z":
        return " "
    is_mark = kind[0] == "P" or (character.isascii() and not character.isalnum())
    if is_mark or any(first <= ord(character) <= last for first, last in _HAN):
        return f" {character} "
    return character.lower()


_FOLDED = _Folding()
_ASCII: dict[int, str | None] = dict.fromkeys(range(128))
"""What stands for an ASCII character where marks end words anyway, None for nothing."""
for _code in range(128):
    if _fold(chr(_code)):
        _ASCII[_code] = _fold(chr(_code)).strip() or " "
