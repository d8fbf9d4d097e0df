"""Where a text names something: whole words, told apart from ordinary words and from other names.

A name of several words of a person, company or project counts in any case, every other one where
its words have capitals. One word that is an ordinary word too, or that is a part of a name, counts
only where nothing but a name can stand: not at the beginning of a sentence, and not beside another
capital, where it is part of another name. Links, code, web addresses and tags name nothing here.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from indexer.reading.path_meaning import is_day_or_month, name_words, unaccented
from indexer.spelling import nfc
from indexer.tokens.english import CRAFT, FRAMES, GRAMMAR, IDLE, MODALS, STOP
from indexer.tokens.terms import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

_NAMES_TOO = (
    "art august autumn bill bob brook chance chase chuck cliff daisy dale dawn dean dick don drew"
    " earl ernest faith fern finance frank gene ginger grace grant guy hazel heather holly hope"
    " hunter iris ivy jack jade jay jean jewel joy june lance lily major mark max miles mint nick"
    " olive pat penny pearl pepper pierce ray reed rich rob robin rose ruby rusty sage sandy sky"
    " skip sterling stone sue summer sunny terry victor violet wade ward west winter wood young"
)
ORDINARY_WORDS = frozenset(
    (*GRAMMAR, *MODALS, *STOP, *FRAMES, *IDLE, *CRAFT.split(), *_NAMES_TOO.split())
)
"""English words that are names as well, or titles of notes."""
_TITLES = frozenset("mr mrs ms mx dr prof sir madam frau herr aunt uncle".split())
"""Words before a name that are no part of another one."""
MOST_NAME_WORDS = 8
"""Words of a name that a text is searched for."""
_LONGEST_ABBREVIATION = 4
_AROUND = 60
"""Letters before and behind a name that tell whether it is part of a longer one."""

_WORD = r"[^\W_]+(?:['’][^\W_]+)*[+#]*"
_MASKED = (
    r"!?\[\[[^\[\]\n]*\]\]"  # links are looked up, not read
    r"|!\[[^\[\]\n]*\]\([^()\n]*\)|\[[^\[\]\n]*\]\((?!https?:)[^()\n]*\)|\]\([^()\n]*\)"
    r"|\{\{[^{}\n]*\}\}|`[^`\n]*`|<[^<>\n]{1,300}>"
    r"|\b(?:https?://|www\.)\S+|(?<![^\W_])#[^\s#]+|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+"
)
_MARK = re.compile(r"[\[{`<#@]|::|://|www")
"""What every part of a line has that names nothing."""
_FENCE = re.compile(r"(?i)[ \t>]*(?:[-*+][ \t]+)?(?:```|~~~|#\+(?:begin|end)_)")
_KEYS = (
    r"(?im)^[ \t]*(?:[-*+][ \t]+)?(?:alias|aliases|tags?|type|title|id|template|icon|public)::.*$"
)
_ALONE = r"(?<![\w@#/.$-]){}(?![\w/@=-]|[.]\w)"
_BLANK = "\0"
_LAST_WORD = re.compile(rf"({_WORD})([^\w\n]*)$")
_NEXT_WORD = re.compile(rf"[ \t]({_WORD})")
_ENDS = re.compile(r"[.!?:;…。！？|→—–=>]|\s-\s")
"""What begins a sentence or a clause anew."""


class NameForm(NamedTuple):
    """One way in which a text may name a thing: its words with case and accents apart, apostrophes
    as they are.

    `exact` is its spelling where that counts, as for `AWS`; `of_entity` says whether it is of a
    person, a company or a project; `part` that it is a person's first (1) or last (2) name alone,
    0 for a whole name.
    """

    words: tuple[str, ...]
    exact: str = ""
    of_entity: bool = False
    part: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole name, and no word of a title."""
        return not self.part and bool(self.of_entity or self.exact)

    @property
    def may_follow(self) -> bool:
        """Whether a capital before it may be that of a verb that begins a sentence."""
        return self.of_entity and self.part < 2

    @property
    def bare(self) -> tuple[str, ...]:
        """Its words as those of names are compared."""
        return tuple(word.replace("'", "") for word in self.words)


class Naming(NamedTuple):
    """What names a thing: the forms of its name, and the names of others that hold one of them.

    `is_ordinary` says of a word whether people write it as an ordinary word.
    """

    forms: tuple[NameForm, ...]
    longer: frozenset[tuple[str, ...]]
    is_ordinary: Callable[[str], bool]


def name_form(
    name: str,
    *,
    of_entity: bool,
    part: int = 0,
) -> NameForm | None:
    """A name as texts are searched for it; None for what names nothing by itself: a day, a number,
    a letter, a word of grammar, a sentence."""
    words = tuple(re.findall(_WORD, _plain(nfc(name))))
    if not 0 < len(words) <= MOST_NAME_WORDS or is_day_or_month(name):
        return None
    if "".join(words).isdigit():
        return None
    if len(words) > 1:
        form = NameForm(words, of_entity=of_entity)
        return None if STOP.issuperset(words) else form
    if len(words[0]) < 2 or (words[0] in STOP and not of_entity):
        return None
    return NameForm(
        words,
        exact=_abbreviation(name.strip()),
        of_entity=of_entity,
        part=part,
    )


def _abbreviation(name: str) -> str:
    """A name whose capitals count, "" for another."""
    is_short = len(name) <= _LONGEST_ABBREVIATION and name.isascii()
    return name * (is_short and name.isupper())


def parts_of(name: str) -> Iterator[tuple[str, int]]:
    """The first and the last name of a person's full name, each with what `NameForm.part` says."""
    spelt = [word for word in re.findall(_WORD, name) if word.casefold() not in _TITLES]
    if len(spelt) < 2:
        return
    for word, part in ((spelt[0], 1), (spelt[-1], 2)):
        if len(word) > 2 and word[0].isupper() and word.isalpha():
            yield word, part


def named_places(text: str, naming: Naming) -> list[int]:
    """Where in a text, with its letters composed, a thing is named, once in each line, in order."""
    plain = _plain(text)
    shown = ""
    found: dict[int, int] = {}
    lines: dict[int, str] = {}
    for form in naming.forms:
        for first, end in _spelt_at(plain, form):
            shown = shown or _without_code(text)
            begin = shown.rfind("\n", 0, first) + 1
            if begin in found:
                continue
            if begin not in lines:
                lines[begin] = readable(shown[begin:].partition("\n")[0])
            line = lines[begin]
            if _names(line, first - begin, min(end - begin, len(line)), form, naming):
                found[begin] = first
    return sorted(found.values())


def _spelt_at(plain: str, form: NameForm) -> Iterator[tuple[int, int]]:
    """Where the words of a name stand in a text that is `_plain`."""
    head = form.words[0].partition("'")[0]
    at = plain.find(head)
    while at >= 0:
        found = _pattern(form.words).match(plain, at)
        if found:
            yield found.span()
        at = plain.find(head, at + 1)


def may_name(form: NameForm, is_ordinary: Callable[[str], bool]) -> bool:
    """Whether a form names its thing anywhere: an ordinary word does so for a person, a company or
    a project alone, other notes are named like that by links."""
    if len(form.words) > 1 or form.exact or form.of_entity:
        return True
    return not is_ordinary(form.words[0])


def tells_more(line: str, naming: Naming) -> bool:
    """Whether a line says more than the name alone, or than links alone."""
    if not _MARK.search(line) and line.count(" ") >= MOST_NAME_WORDS:
        return True
    left = name_words(re.sub(_MASKED, " ", re.sub(_KEYS, "", line)))
    return bool(left) and left not in {form.bare for form in naming.forms}


def ordered(forms: Iterable[NameForm]) -> tuple[NameForm, ...]:
    """The forms of a name as they are looked for: whole names first, then the longest; the same
    words once, as they are spelled first."""
    found: dict[tuple[str, ...], NameForm] = {}
    for form in sorted(forms, key=lambda form: (form.part > 0, -len(form.words))):
        found.setdefault(form.words, form)
    return tuple(found.values())


def is_common(word: str, texts: Iterable[str]) -> bool:
    """Whether people write a word as an ordinary word: it stands in these texts in small letters at
    least once in four times."""
    text = "\n".join(texts)
    small = len(re.findall(_ALONE.format(re.escape(word)), text))
    every = len(re.findall(f"(?i){_ALONE.format(re.escape(word))}", text))
    return small * 4 >= max(every, 4)


def readable(line: str) -> str:
    """A line of the same length with a blank for each letter that names nothing: of links, code,
    web addresses, tags and properties."""
    if "::" in line:
        line = re.sub(_KEYS, _blank, line)
    if _MARK.search(line):
        line = re.sub(_MASKED, _blank, line)
    return line


def _blank(found: re.Match[str]) -> str:
    return _BLANK * len(found[0])


def _without_code(text: str) -> str:
    """A text of the same length with blanks for the lines of its fences."""
    if "```" not in text and "~~~" not in text and "#+" not in text:
        return text
    lines = []
    is_code = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        if is_code or is_fence:
            lines.append(_BLANK * len(line))
        else:
            lines.append(line)
        is_code ^= is_fence
    return "\n".join(lines)


@lru_cache(maxsize=256)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """What finds these words, one after the other, in a text that is `_plain`."""
    spelt = r"(?:[ \t_.&'-]{1,3}|\n)".join(map(re.escape, words)).replace("'", "'?")
    begin = r"(?<![^\W_])(?<![^\W_][_'-])(?<![@#/\\.~$])" * (len(runs(words[0])) == 1)
    end = r"(?![^\W_]|[+#=\\/@]|[-_.][^\W_]|\(\))" * (len(runs(words[-1])) == 1)
    return re.compile(f"{begin}{spelt}{end}")


def _plain(text: str) -> str:
    """A composed text with case and accents apart, letter for letter."""
    return text.lower() if text.isascii() else text.translate(_LETTERS)


class _PlainLetters(dict[int, str]):
    """A table for `str.translate`: a letter without its case and accent, where that is one."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = "'" if char == "’" else unaccented(char)
        if len(plain) != 1:
            plain = char.lower()[:1]
        self[code] = plain
        return plain


_LETTERS = _PlainLetters()


def _names(
    text: str,
    first: int,
    end: int,
    form: NameForm,
    naming: Naming,
) -> bool:
    """Whether words that spell a name are one where they stand."""
    shown = text[first:end]
    if _BLANK in shown or not shown.endswith(form.exact):
        return False
    if naming.longer and _is_within(text, first, end, naming.longer):
        return False
    if len(runs(shown)) > 1:
        return True
    if len(form.words) == 1:
        return _has_capital(shown) and _stands_alone(text, first, end, form, naming)
    return form.of_entity or _has_capitals(shown, _capital_behind(text, end))


def _has_capitals(shown: str, behind: bool) -> bool:
    """Whether the telling words of a name have capitals, and the word behind it has none."""
    telling = (word for word in re.findall(_WORD, shown) if word.casefold() not in STOP)
    return not behind and all(map(_has_capital, telling))


def _capital_behind(text: str, end: int) -> bool:
    """Whether a word of another name stands right behind a name."""
    found = _NEXT_WORD.match(text, end)
    return found is not None and _is_capital(found[1])


def _has_capital(word: str) -> bool:
    return any(char.isupper() or char.isdigit() for char in word) or not word.upper().isupper()


def _is_within(
    text: str,
    first: int,
    end: int,
    longer: Collection[tuple[str, ...]],
) -> bool:
    """Whether the name stands within a longer one of another thing."""
    own = name_words(text[first:end])
    before = name_words(text[max(0, first - _AROUND) : first].rpartition("\n")[2])[-3:]
    after = name_words(text[end : end + _AROUND].partition("\n")[0])[:3]
    for left in range(len(before) + 1):
        for right in range(len(after) + 1):
            if left + right and (*before[len(before) - left :], *own, *after[:right]) in longer:
                return True
    return False


def _stands_alone(
    text: str,
    first: int,
    end: int,
    form: NameForm,
    naming: Naming,
) -> bool:
    """Whether one word is a name by itself: no ordinary word that begins a sentence, and no part of
    another name."""
    if not may_name(form, naming.is_ordinary):
        return False
    is_ordinary = partial(naming.is_ordinary, form.words[0])  # which may have to look
    if form.is_whole and not is_ordinary():
        return True
    if _capital_behind(text, end):
        return False
    is_first, before = _word_before(text, first)
    if not before:
        return not (is_first and is_ordinary())
    if _is_capital(before):  # `Met Tom`, but `Ann Becker`
        return is_first and form.may_follow
    return True


def _word_before(text: str, first: int) -> tuple[bool, str]:
    """Whether a sentence begins with a word or with the one before it, and that word, where nothing
    but a space is between."""
    begin = text.rfind("\n", 0, first) + 1
    found = _LAST_WORD.search(text, max(begin, first - _AROUND), first)
    if found is None or _ENDS.search(found[2]) or found[1].isdigit():
        return True, ""
    if found[2].strip(" \t*_\"'“„(["):
        return False, ""
    earlier = _LAST_WORD.search(text, max(begin, found.start() - _AROUND), found.start())
    return earlier is None or bool(_ENDS.search(earlier[2])), found[1]


def _is_capital(word: str) -> bool:
    """Whether a word may be part of the name beside it."""
    folded = word.casefold().replace("’", "'")
    if not word[:1].isupper() or folded in _TITLES or folded.partition("'")[0] in STOP:
        return False
    return not is_day_or_month(f"{word} 1")
