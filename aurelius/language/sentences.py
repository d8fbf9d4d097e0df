"""Where the sentences of a typed line end. Where nobody can tell, a sentence goes on, so that none
is cut.

A full stop ends a sentence behind a word that nobody abbreviates, and before a word with which a
sentence begins and which is no name.
"""

from __future__ import annotations

import pkgutil
import re
from typing import TYPE_CHECKING

from indexer.tokens.english import GRAMMAR, MODALS

if TYPE_CHECKING:
    from collections.abc import Iterator


DO = (  # verbs with which a request begins
    "add|answer|append|ask|be|block|book|build|calculate|call|change|check|choose|clean|commit"
    "|compare|compute"
    "|continue|convert|copy|correct|count|create|cut|delete|deploy|do|don'?t|do"
    " not|draft|draw|drop|explain|export"
    "|extract|find|fix|forget|format|generate?|get|give|go|help|ignore|keep|leave|let'?s|let"
    " (?:me|us)|list|mail"
    "|make|merge|move|note|open|order|pick|plot|print|pull|push|put|read|re(?:do|make|move|name"
    "|peat|phrase|place"
    "|ply|word|write)|remind|repair|run|save|say|schedule|search|send|set|shorten|show|sort|split"
    "|start|stop"
    "|suggest|summari[sz]e|swap|take|tell|test|translate|try|turn|update|use|wait|write"
)
FILL = (  # words that only fill the time before what is said
    r"(?:um+|uh+|erm?|okay|ok|right|yeah|yep|yes|well|anyway|by the (?:way|by)|btw|also|oh|so|and"
    r"|but|because|bc"
    r"|cause|then|plus|as|hm+|ah|good|great|lovely|nice|haha|k|y|fine|perfect|actually|though|cool)"
)
_REQUEST = re.compile(
    r"(?:please |can you |could you )|(?!change|open|order|set|run|note|list|move|use|test)"
    rf"(?:{DO})\b(?! (?:is|are|was|of|and)\b)"
)
"""Words with which a request begins; some of them are nouns too."""
_QUOTE = re.compile(
    r"\"[^\"\n]{3,}\"|“[^”\n]{3,}”|„[^“”\n]{3,}[“”]|«[^»\n]{3,}»|(?<!\w)'[^'\n]*\s[^'\n]*'(?!\w)"
    r"|`[^`\n]+`"
    r"|(?:https?://|www\.)\S*[^\s.,;:!?…)]"
)
_END = re.compile(
    r"(?P<sign>[.!?…]+|[:;]-?[)D(]|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?"
    r"|¤)(?P<close>[\"'”’)\]]*)\s+(?=\S)"
)
"""What may end a sentence: a sign, a smiley or a little picture, and what closes it."""
NEVER_LAST = re.compile(
    r"(?i)\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Fr|Sr|Sra|Capt|Sgt|Lt|Col|Gen|Maj|Cpl|Hon|Gov|Sen|Mme|Mlle"
    r"|Messrs|St|vs|approx"
    r"|ca|e\.g|i\.e)$"
)
"""What is behind a title or a comparison: never a sentence of its own."""
_KEEPS_STOP = re.compile(
    r"(?i)(?:\b\w|\.[a-z]+|\b(?:inc|ltd|co|corp|bros|assoc|jr|ave|rd|etc|al|mon|tues?|wed|thurs?"
    r"|fri|sat|sun)|\.)\.$"
)
"""An abbreviation with which a sentence may end: its full stop is its own."""
_SHORT_WORDS = frozenset((pkgutil.get_data(__package__, "short_words.txt") or b"").decode().split())
"""Words of up to four letters that nobody abbreviates."""
_SHORTEST = 5
"""Letters of a word that is taken for one that nobody abbreviates, unless its end says so."""
_CUT_OFF = re.compile(
    r"(?:approx|assoc|thurs|messrs|illus|[bcdfgkpqtvxz][lr]|[bcdfkpqstvxz]n|[jqv])$"
)
"""Abbreviations, and ends that no word has in English: an `l`, `r` or `n` behind such a letter."""
_AROUND = 200
"""Characters before and behind a sign that are looked at."""
_FEWEST = 3
"""Words on both sides of a full stop that ends a sentence before a small letter."""
_GRAMMAR = "|".join(sorted(GRAMMAR | MODALS))
OPENING_WORD = re.compile(
    rf"(?i)(?!(?!i)\w\b)(?:{FILL}|please|never|always|maybe|{DO}|{_GRAMMAR})(?=['’]\w|[\s,;:!?]|$)"
)
"""A word with which a sentence begins, and no name."""


def blank_quotes(text: str) -> str:
    """A line in which what is quoted is blanked, letter for letter."""
    return _QUOTE.sub(lambda found: "¤" * len(found[0]), text.replace("’", "'"))


def sentence_spans(line: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a line begin and end, in characters; in doubt whether one ends, it
    goes on."""
    blank = blank_quotes(line)
    first = 0
    for found in _END.finditer(blank):
        before = blank[max(first, found.start() - _AROUND) : found.start()]
        if _ends(line, before, found, has_capital=blank[first].isupper()):
            yield first, found.end("close")
            first = found.end()
    if first < len(blank):
        yield first, len(blank)


def _ends(line: str, before: str, found: re.Match[str], *, has_capital: bool) -> bool:
    """Whether a sentence, with or without a capital at its beginning, ends with a sign found behind
    that much of it."""
    after = line[found.end() : found.end() + _AROUND]
    sign = found["sign"]
    latest = re.split(r"[.!?…]\s", before)[-1]
    if sign == "¤":  # what is quoted ends with it
        return after[:1].isupper() and line[found.start() - 1] in ".!?"
    if not re.match(r"\w|[\"'“‘„«(\[¤€$£@#*_`]", after):  # nothing begins there: a dash, a smiley
        return False
    if after[:1].islower() and _asks_after(sign, before, latest, after):
        return True
    if after[:1].islower():  # so begins a sentence of who types no capitals
        is_apart = not (has_capital or found["close"])
        return is_apart and _ends_before_small(sign, before, latest, after)
    return _ends_before_capital(found, before, latest, after)


def _asks_after(sign: str, before: str, latest: str, after: str) -> bool:
    """Whether a request begins behind a full stop of a whole sentence, though it is written
    small."""
    is_word = sign == "." and re.search(r"[^\W\d_]{4}$", before) and not NEVER_LAST.search(before)
    is_long = len(latest.split()) >= _FEWEST and len(re.findall(r"\w+", after)) >= _FEWEST
    return bool(is_word and is_long and _REQUEST.match(after) and not _is_name(before))


def _ends_before_capital(found: re.Match[str], before: str, latest: str, after: str) -> bool:
    """The same where nothing small follows."""
    sign = found["sign"]
    if sign in {"…", "..", "..."}:
        return len(latest.split()) >= _FEWEST
    has_opening = bool(OPENING_WORD.match(after))
    if found["close"] or sign != ".":  # `Yahoo! Mail`
        return bool(found["close"]) or has_opening or not _is_name(before)
    if NEVER_LAST.search(before) or not re.search(r"[^\W\d_]{2}", latest):
        return False
    return has_opening or is_ordinary(before)


def _ends_before_small(sign: str, before: str, latest: str, after: str) -> bool:
    """The same before a small letter: both sentences are long there, and nothing else is meant."""
    beside = [latest, *re.findall(r"^([^.!?…]*)[.!?…]", after if sign == "." else "")]
    if any(len(each.split()) < _FEWEST for each in beside):
        return False
    if sign == ".":
        return is_ordinary(before)
    return sign[-1] in "!?" and bool(OPENING_WORD.match(after)) and not _is_name(before)


def is_ordinary(text: str) -> bool:
    """Whether the last word of a text is one that nobody abbreviates, so that a full stop behind it
    ends a sentence."""
    *prior, last = text.split() or [""]
    if not last[-1:].isalnum():  # a bracket or a quotation mark closes there
        return bool(last)
    word = last.lstrip("([{\"'“‘„*_-–—").replace("’", "'")
    if re.search(r"\d|[/@:_]|\.\w\w+$", word):
        return not re.fullmatch(r"\d{1,2}(?:\.\d{1,2})?", word)  # `3. Mai`, `30.6. im Büro`
    part = re.split(r"['-](?=\w{3})", word)[-1]
    plain = part.casefold()
    if NEVER_LAST.search(part) or len(part) < 2 or "." in part:
        return False
    if len(plain) >= _SHORTEST:
        return not _CUT_OFF.search(plain) and bool(re.search(r"[aeiouyäöü]|[^\x00-\x7f]", plain))
    return part.isupper() or _is_short_word(plain, "".join(prior[-1:]), text)


def _is_short_word(word: str, prior: str, text: str) -> bool:
    """Whether a short word is one: no name, no unit and no part of `Dr. med. vet.`, that is."""
    if word not in GRAMMAR | _SHORT_WORDS or _is_name(text) or prior.endswith("."):
        return False
    return not prior[-1:].isdigit() or len(word) == _SHORTEST - 1


def _is_name(text: str) -> bool:
    """Whether the last word of a text looks like a name: a capital within a sentence."""
    return bool(
        re.search(r"\w\W+[^\W\d_a-z][^\W\d_]*[^\W\d_A-Z]$", re.split(r"[.!?…]\s", text)[-1])
    )


def trim_sentence(sentence: str) -> str:
    """A sentence as a line has it: without the spaces around it, and without a full stop that only
    ends it."""
    text = sentence.strip()
    is_stop = (
        text.endswith(".") and not _KEEPS_STOP.search(text) and not NEVER_LAST.search(text[:-1])
    )
    if is_stop:
        return text[:-1]
    return text
