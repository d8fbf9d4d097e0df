"""Whether a newer line makes an older one past, by what the two say.

The newer one does that where it gives another value: it says of the old value that it is past, or
of a matter with one value at a time that it changed. Where no cue says which of two lines holds,
that is a question.
"""

from __future__ import annotations

import re
from posixpath import commonprefix

from indexer.reading.path_meaning import WEEKDAY_NAME
from indexer.tokens.terms import english_stem

from .cues import OTHERS, SINGLE, Words, is_single, names_sense, read_cues
from .statement import line_meaning, say_alike

_LEAST_PLAIN_WORDS = 4
"""Telling words of a line that names no value and still can hardly mean anything else."""
_LIKES = re.compile(
    r"(?i)\b(?:prefers?|preferred|likes?|loves?|enjoys?|hates?|dislikes?|favou?rite)\b"
)
_MANY_NAMES = "hobby pet language allergy member child skill interest"
_MANY = OTHERS | frozenset(map(english_stem, _MANY_NAMES.split()))
"""Of what there is more than one: `Friend is Ann` and `Friend is Bo` are two friends."""
_UNIT_NAMES = "euros dollars pounds percent hour day week month year am pm"
_UNITS = frozenset(map(english_stem, _UNIT_NAMES.split()))
"""Words that lines of many matters share."""
_NO_COUNT = frozenset("$€£:")
"""Signs of money and times, of which there is one where a count may be the name of something."""


def judge_pair(old: str, new: str) -> tuple[str, float, str] | None:
    """What a newer line does to an older one: (`supersede` or `ask`, score, cue), or None for
    nothing."""
    before = read_cues(old)
    after = read_cues(new)
    if after.aside or after.others != before.others:
        return None
    found = _changed(before, after)
    if found is None:
        found = _against(before, after)
    if found is None or hold_together(old, new):
        return None
    if _named_apart(before, after):
        return None
    if line_meaning(old).about != line_meaning(new).about:  # seldom asked, as what follows
        return None
    if say_alike(old, new):
        return None
    return found


_NO_CORRECTION = (  # compiled where it is needed first
    r"(?i)\b(?:also|too|as well|either|neither|another|both|besides|again|once more|others?|still"
    r"|yesterday|today|tonight|tomorrow|at the moment|right now|(?:for|over) the"
    rf" (?:day|weekend)|(?:last|this|next) {WEEKDAY_NAME}|only (?:once|this|that)"
    r"|would|could|might)\b"
)
"""What is added to a line, or passes, corrects nothing."""


def may_correct(old: str, new: str) -> bool:
    """True if a line that is near an older one may say that this no longer holds: it is about the
    same people, adds nothing to it, and tells of no passing day."""
    if re.search(_NO_CORRECTION, new):
        return False
    if not read_cues(new).others <= read_cues(old).others:
        return False
    return not (hold_together(old, new) or say_alike(old, new))


def hold_together(old: str, new: str) -> bool:
    """True if two lines say what somebody likes, and of different things: one may like both."""
    liked: list[set[str]] = []
    for text in (old, new):
        found = _LIKES.search(text)
        if found is None:
            return False
        liked.append({*read_cues(text[found.end() :]).content})
    return liked[0].isdisjoint(liked[1])


def within(old: str, text: str) -> bool:
    """True if a line holds all words that another says."""
    words = {*line_meaning(old).words}
    return len(words) > 1 and words <= {*line_meaning(text).words}


def shares_words(old: str, new: str) -> bool:
    """True if two lines share a word that tells what they are about."""
    return bool(_shared(read_cues(old), read_cues(new)))


def _shared(old: Words, new: Words) -> set[str]:
    """The words that two lines share and that tell what they are about."""
    shared = {*old.content} & {*new.content}
    return {*filter(str.isalpha, shared)} - _UNITS


def bare_words(words: Words) -> set[str]:
    """The words of a line without its values and without the words that name its matter."""
    return {word for word in words.content if word not in words.values and not names_sense(word)}


def _named_apart(old: Words, new: Words) -> bool:
    """True if two lines are of two things of one sort: `Error E-4012 means …`, `Chapter 4 needs
    …`."""
    if len(old.content) < 4 or len(new.content) < 4:
        return False
    sort, one = old.content[:2]
    other_sort, other = new.content[:2]
    if sort != other_sort:
        return False
    if one == other:
        return False
    if names_sense(sort):  # `Charges 95 euros`
        return False
    return _is_count(one) and _is_count(other)


def _is_other_subject(old: Words, new: Words) -> bool:
    """True if two lines say one thing of two: `Amara joined the data team`, `Felix joined the data
    team`."""
    if new.strong or len(old.content) < 3:
        return False
    return old.content[:1] != new.content[:1] and old.content[1:3] == new.content[1:3]


def _is_count(word: str) -> bool:
    """Whether a word is a number that may be a part of a name: no money, no time."""
    return word[-1].isdigit() and _NO_COUNT.isdisjoint(word)


def _changed(old: Words, new: Words) -> tuple[str, float, str] | None:
    """What a line that speaks of a change does to this one, if it names the old value, or the
    matter has one value at a time."""
    if not new.cue or _is_other_subject(old, new):
        return None
    there = {*old.content}
    added = {*new.content} - there
    if not added and not new.gone:
        return None
    score = 0.0
    if _names_it(old, new):
        score = 1.5
    elif not _may_be_replaced(old, new, len(added)):
        return None
    if _is_one_matter(old, new):
        score += 1.0
    if score:
        return "supersede", score, new.cue
    return None


def _may_be_replaced(old: Words, new: Words, added: int) -> bool:
    """False where a line that does not name the older one as past hardly means it; `added` counts
    the words that it has beside that one's."""
    if not old.cue and (old.past or old.done):  # what happened is replaced by nothing later
        return False
    if old.kinds and new.kinds and old.kinds.isdisjoint(new.kinds):
        return False
    return new.strong or bool(new.kinds) or added < _LEAST_PLAIN_WORDS


def _names_it(old: Words, new: Words) -> bool:
    """True if a line names an older one's value as past; a number alone may be of anything."""
    gone = new.gone.intersection(old.content)
    if not gone:
        return False
    if old.negative and not old.cue:
        return False
    if _shared(old, new):
        return True
    return not all(map(_is_count, gone))


def _is_one_matter(old: Words, new: Words) -> bool:
    """True if two lines are of one matter that has one value at a time, or give two numbers of the
    same thing."""
    senses = old.senses & (new.senses | new.loose)
    if old.cue:
        senses |= old.loose & new.loose
    if senses & SINGLE:
        return True
    was = _numbers(old)
    made = _numbers(new)
    if not was or not made:
        return False
    if was & made:
        return False
    return len(_shared(old, new)) > 1


def _numbers(words: Words) -> set[str]:
    """The values of a line that begin with a digit."""
    return {word for word in words.values if word[0].isdigit()}


def _against(old: Words, new: Words) -> tuple[str, float, str] | None:
    """A question, where two lines say the same but for a negation, or plainly give one matter two
    values."""
    score = 0.0
    is_denied = old.negative != new.negative and _is_denied(old, new)
    if is_denied:
        score = 1.0
    elif old.negative or new.negative:
        return None
    elif old.label == new.label and is_single(old.label):
        score = 0.8
    elif old.kinds != new.kinds:
        return None
    elif _has_two_values(old, new):
        score = 0.7
    elif _is_one_blank(old, new):
        score = 0.6
    if score:
        return "ask", score, ""
    return None


def _has_two_values(old: Words, new: Words) -> bool:
    """True if two lines give a matter that has one value at a time two of them, and say nothing
    else."""
    if old.values <= new.values:
        return False
    if new.values <= old.values:
        return False
    if old.past and new.past:  # two visits of flats are no two homes
        return False
    if not old.senses & new.senses & SINGLE:
        return False
    rest = bare_words(old)
    new_rest = bare_words(new)
    if old.kinds:
        return rest == new_rest
    return len(rest) == len(new_rest) < 2


def _is_denied(old: Words, new: Words) -> bool:
    """True if two lines have the same words, or one says never, and the other that it is done in
    some way: `Drinks three cups of coffee a day`."""
    words = {*old.content}
    new_words = {*new.content}
    if words == new_words:
        return True
    if old.content[:1] != new.content[:1]:
        return False
    is_old_never = old.never and len(old.content) > 1 and words <= new_words
    is_new_never = new.never and len(new.content) > 1 and new_words <= words
    return is_old_never or is_new_never


def _is_one_blank(old: Words, new: Words) -> bool:
    """True if two lines are one sentence about a state with a name or a word of time exchanged, at
    the end or for what is said to be somebody; numbers are the matter of `timeline`, which knows of
    measurements.
    """
    if old.past or new.past:
        return False
    if old.subject != new.subject or old.subject & _MANY:
        return False
    if any(map(_is_count, old.content[1:2])):
        return False
    start = len(commonprefix((old.content, new.content)))
    if not _ends_with_value(old, start) or not _ends_with_value(new, start):
        return False
    return start > 1 or 0 < len(old.subject) <= start


def _ends_with_value(words: Words, start: int) -> bool:
    """Whether one word follows the first ones of a line, a name or a word of time."""
    run = words.content[start:]
    if len(run) != 1:
        return False
    if _is_count(run[0]):
        return False
    return run[0] in words.values
