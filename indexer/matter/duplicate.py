"""Forms that lines have in common which say the same: with other words of grammar, or their
parts in another order.

Whatever may change what is said parts two forms: a name, a number, a unit, a negation, a word of
time, the tense, who does what to whom, a question, a word more or less. Lines that say the same in
quite other words have no form in common either: nothing is known of these.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain

from indexer.spelling import link_names

from .near import in_digits

_TOKEN = re.compile(
    r"https?://\S+|-?\d+(?:[.,:/-]\d+)*\+?|[^\W\d_]+(?:[+#]+(?!\w))?|'s\b|[,;.](?=\s|$)|\s[-–—]\s"
    r"|[^\w\s'\"“”‘’*_`#()\[\]:!,;.–—-]"
)
_ENDS_CLAUSE = re.compile(r"[,;.]|\s?[-–—]\s?")
_BEGIN_CLAUSE = frozenset(
    "when whenever if while because until unless although since where before after".split()
)
"""Words that begin a part of a sentence that may also stand first."""
_ARTICLES = frozenset(("a", "an", "the"))
_SHORTEST_BENT = 4
_VOWELS = re.compile("[aeiouy]+")
_LOST_E = re.compile("(?:v|[aeiou][sz])$")
_CUT = re.compile("[^aeiou][aeiouy][^aeiouwxy]$")
"""The end of a short verb that lost an `e`."""
_LISTS = frozenset(("and", "or", "/"))
_AFTER_LIST = frozenset("in on at of for with from to by about during".split())
"""Words behind which a list of two is at its end."""
_SPELT_OUT = (
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bcan(?:'t|not)\b"), "can not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\s[&+]\s"), " and "),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])"), " "),
    (re.compile(r"(?<=\d)[–—](?=\d)"), "-"),
    (re.compile(r"(?<=[$€£] )(\d+)\.00\b|(?<=[$€£])(\d+)\.00\b"), r"\1\2"),
    (re.compile(r"(?<=\d)(?:st|nd|rd|th)\b"), ""),
)


@lru_cache(maxsize=1 << 14)
def plain_forms(text: str) -> frozenset[tuple[str, ...]]:
    """The forms of a line: its words in their order, and, where it has two parts, with these in the
    other order. Two lines that have a form in common say the same."""
    plain = unicodedata.normalize("NFKC", in_digits(link_names(text)))
    plain = plain.casefold().replace("’", "'")
    for written, meant in _SPELT_OUT:
        plain = written.sub(meant, plain)
    clauses: list[list[str]] = [[]]
    for word in _TOKEN.findall(plain):
        is_sign = _ENDS_CLAUSE.fullmatch(word)
        if is_sign or word in _BEGIN_CLAUSE:
            clauses.append([])
        if not is_sign and word not in _ARTICLES:
            clauses[-1].append(word)
    parts = [_with_sorted_list(_inflected(words)) for words in clauses if words]
    found = {tuple(chain.from_iterable(parts))}
    if len(parts) == 2:
        found.add((*parts[1], *parts[0]))
    return frozenset(found - {()})


def say_the_same(one: str, other: str) -> bool:
    """True if two lines are duplicates of one another."""
    return not plain_forms(one).isdisjoint(plain_forms(other))


def _inflected(words: list[str]) -> list[str]:
    """The words by their stems and the ways in which they are bent; `is reading` as `reads`."""
    found: list[str] = []
    are_many = False
    for at, word in enumerate(words):
        is_going = words[at + 1 : at + 2] and words[at + 1].endswith("ing")
        if word in {"is", "are", "am"} and is_going:
            are_many = word != "is"
            continue
        found.append(_bent(word, are_many=are_many))
        are_many = False
    return found


def _bent(word: str, *, are_many: bool) -> str:
    """A word and how it is bent: `reads` and `reading`, `read`, or `ended`; what makes another
    word of it stays."""
    if not word.isalpha() or len(word) < _SHORTEST_BENT:
        return word
    if word.endswith("ing"):
        return _root(word[:-3]) + " s" * (not are_many)
    if word.endswith("ed"):
        return _root(word[:-2]) + " ed"
    if word.endswith("ies"):
        return f"{word[:-3]}y s"
    if word.endswith(("sses", "xes", "ches", "shes", "oes")):
        return f"{word[:-2]} s"
    if word.endswith("s") and word[-2] not in "sui":
        return f"{word[:-1]} s"
    return word


def _root(bent: str) -> str:
    """A verb without its ending: `runn` is of `run`, `bak` of `bake`, `visit` of itself."""
    is_short = len(_VOWELS.findall(bent)) == 1
    if bent[-1:] == bent[-2:-1] and (bent[-1] not in "lsfz" or not is_short):
        return bent[:-1]
    if _LOST_E.search(bent) or (is_short and _CUT.search(bent)):
        return bent + "e"
    return bent


def _with_sorted_list(words: list[str]) -> tuple[str, ...]:
    """The words of a part, where it names two things with `and` or `or` once, and no more, with
    these in one order."""
    joints = [at for at, word in enumerate(words) if word.strip() in _LISTS]
    if len(joints) != 1 or not 0 < joints[0] < len(words) - 1:
        return tuple(words)
    first = joints[0] - 1
    last = joints[0] + 2
    follows = words[last].strip() if last < len(words) else ""
    if first == 0 or not follows or follows in _AFTER_LIST:
        words[first], words[last - 1] = sorted((words[first], words[last - 1]))
    return tuple(words)
