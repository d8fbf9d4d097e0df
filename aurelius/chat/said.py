"""What a typed line is: a question, a statement to keep, a correction of a line that was cited, a
command, or nothing that wants an answer. Pure.

Its form gives signs (`said_signs.json`): of a question, of something told, of a change of a cited
line, of talk that wants no answer. They are weighed together, with weights (`said_weights.json`)
that `scripts/bench chat --fit` finds by a logistic regression over some 6,000 typed lines. A false
statement would put words before the person that they did not mean to keep, so only what is likely
one is one.
"""

from __future__ import annotations

import json
import pkgutil
import re
from functools import cache
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.tokens.english import FRAMES, IDLE, STOP
from indexer.tokens.terms import english_stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SAID_QUESTION = "question"
SAID_FOLLOW_UP = "follow-up"
SAID_STATEMENT = "statement"
SAID_CORRECTION = "correction"
SAID_COMMAND = "command"
SAID_NOTHING = "nothing"

SAY_HELP = "help"
SAY_UNDO = "undo"
SAY_QUIT = "quit"
SAY_CLEAR = "clear"
SAY_WAITS = "waits"
SAY_SILENCE = "silence"
SAY_KEEP = "keep"

_PLEASE = r"(?:ok(?:ay)?|please|pls|now|me|just|then)"
_COMMANDS = {
    SAY_HELP: r"(?:show )?help|\?|/help|what can (?:i|you) (?:do|say|ask)|how does this work",
    SAY_UNDO: r"(?:undo|revert)(?: (?:that|it|this|(?:the|my) (?:last )?(?:one|change)))?"
    r"|take (?:that|it|this) back",
    SAY_QUIT: r"quit|exit|(?:good)?bye|:q|/quit",
    SAY_CLEAR: r"(?:clear|reset)(?: the (?:chat|conversation|screen))?|start (?:over|again|anew)"
    r"|new (?:chat|conversation)",
    SAY_WAITS: r"(?:remind (?:me )?)?what(?:'?s| is)?(?: still)? (?:waits|waiting)(?: for me)?"
    r"|anything waiting(?: for me)?|review",
    SAY_SILENCE: r"(?:stop asking|don'?t ask)(?: me)?(?: (?:again|anything|questions|any ?more))*"
    r"|no (?:more )?questions",
    SAY_KEEP: r"(?:keep|save|store) (?:this|the|our) (?:conversation|chat|talk)",
}
_COMMAND = {
    name: re.compile(rf"(?i)\W*(?:{_PLEASE}\W+)*(?:{form})(?:\W+{_PLEASE})*\W*")
    for name, form in _COMMANDS.items()
}
_YES = re.compile(
    r"(?i)\W*(?:yes|y|yeah|yep|yup|ok|okay|sure|do it|please do|right|correct|ja|s[ií]|oui)\W*"
)
_NO_ALONE = re.compile(
    r"(?i)\W*(?:no|n|nope|nah|cancel|don'?t|do not|stop|never ?mind|maybe|later|not now|leave it"
    r"|nein|non|no thanks?)\W*"
)
_KEEP_CUE = re.compile(
    r"(?i)^\W*(?:(?:ok|please|pls|great|good|and|then|thanks?|can you|could you)\W+)*(?:note"
    r"(?: down| to self)?(?: that|:)|make a (?:mental )?note(?: that|:)|take a note[,:]"
    r"|remember(?: this)?(?: that|:)|(?:keep|bear) in mind(?: that|:)|save(?: this)?(?: that|:)"
    r"|(?:don'?t|do not|never) forget(?: that|:)|write (?:this |that )?down(?: that|:)"
    r"|for the record[,:]?|fyi\b[,:]?|merk(?:e)? dir(?: bitte)?[,:]?|notiere?[,:]?"
    r"|vergiss nicht[,:]|recuerda(?: que|:)|(?:apunta|anota)(?: que|:)|note que|retiens que"
    r"|retiens ?:)\s*"
)
"""What asks to write down the rest of the line."""
_LISTED = re.compile(
    r"(?i)\W*(?:(?:all|my|the|open|done|finished|closed|completed|overdue|active)\W+)*"
    r"(?:tasks?|to-?dos?|projects|people|contacts|companies|areas)\b|\W*any(?:thing|one|body)?\b"
)
"""How a line begins that asks for a list by its name, or for any of something."""
_LEAD = re.compile(
    r"(?i)^\W*(?:(?:(?:thanks|thx|thank you|ok|okay|danke|gracias|merci|btw|by the way|oh|hey|hi"
    r"|also|ok good)\b|(?:great|good|well|right)\b(?=[,.!]))\W+(?:(?:also|and)\b\W*)*)+"
)
"""What leads to a statement and is no part of it."""
_NO = re.compile(
    r"(?i)^\W*(?:(?:hm+|oh|ah|ok|well|wait|yes|but|no|nope|nah|wrong|actually|incorrect|false|sorry"
    r"|oops|correction|nein|doch|falsch|stimmt (?:so )?nicht(?: mehr)?|non|faux|falso|ya no"
    r"|en realidad|en fait|not (?:any ?more|true|right|quite|correct)(?: any ?more)?"
    r"|(?:that|this|it)(?:'?s| is| was|(?: is|'?s)? an?)? ?(?:not (?:right|true|correct|so)"
    r"|isn'?t (?:right|true|correct)|wrong|old|outdated|out of date|changed|has changed|a typo"
    r"|no longer (?:true|right|so))(?: any ?more| now| news)?"
    r"|(?:the )?(?:first|second|third|last|1st|2nd|3rd) (?:one|line)? ?(?:is|has)"
    r" (?:wrong|outdated|old|changed|not right|no longer true)"
    r"|(?:line |number )?\d is (?:wrong|old|outdated|not right))\b[\s,.:;–—-]*)+"
)
"""How a line begins that says that a cited one does not hold."""
_WHICH = re.compile(
    r"(?i)^(?:\W*(?:no|sorry)\b)?\W*(?:the )?(first|second|third|last|1st|2nd|3rd|fourth)"
    r"(?: one| line)?\b|^\W*(?:line |number )?(\d) (?:is|has)\b"
)
_NUMBERS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3}
_GOES_ON = {"goes on", "about it", "short ?"}
"""Signs of a question that goes on with the one before."""
_SURE = 0.6
"""How likely a line has to be one that changes something, so that a change is offered."""
_NEVER = {"ends ?", "unreal", "wish", "in fiction"}
"""Signs of a line that changes nothing, as it asks or is not meant to hold."""
_WORD = re.compile(r"\d[\d.,:]*|[^\W_]+")
_TAIL = re.compile(r"\s*\(\d{4}-[^()]*\)$")
"""The day behind a cited line."""
_LONGEST = 400
"""Characters of a line that are looked at."""
_MOST_WORDS = 9
"""Words above which a line is just long."""
_LEAST_LETTERS = 3
"""Letters of a word that tells what a line is about."""


class Said(NamedTuple):
    """A typed line: what it is, the words of it that count, and for a correction the number of the
    cited line that it corrects, for a command its name."""

    what: str
    text: str
    corrects: int = 0
    command: str = ""


def agreed(text: str) -> bool | None:
    """Whether a line says yes to what is offered, or no; None where it says something else."""
    if _YES.fullmatch(text):
        return True
    if _NO_ALONE.fullmatch(text):
        return False
    return None


def read_said(text: str, cited: Sequence[str]) -> Said:
    """What a line is, after an answer that cited lines of these texts."""
    line = " ".join(text.split())
    for name, form in _COMMAND.items():
        if form.fullmatch(line):
            return Said(SAID_COMMAND, line, command=name)
    if (kept := _KEEP_CUE.match(line)) and (rest := line[kept.end() :].strip()):
        return Said(SAID_STATEMENT, rest)
    if _LISTED.match(line):
        return Said(SAID_QUESTION, line)
    return _weighed(line, cited)


def _weighed(line: str, cited: Sequence[str]) -> Said:
    """What a line is by its signs."""
    signs = _line_signs(line, cited)
    likely = _weigh_signs(signs)
    told = likely[SAID_STATEMENT] + likely[SAID_CORRECTION]
    if told >= _SURE and signs.isdisjoint(_NEVER):
        likely[SAID_CORRECTION] += bool(cited) and "no first" in signs
        return _changed(line, cited, likely)
    if likely[SAID_NOTHING] > likely[SAID_QUESTION]:
        return Said(SAID_NOTHING, line)
    if cited and signs & _GOES_ON:
        return Said(SAID_FOLLOW_UP, line)
    return Said(SAID_QUESTION, line)


def _changed(line: str, cited: Sequence[str], likely: Mapping[str, float]) -> Said:
    """What a line says that is new, or instead of one that was cited."""
    if likely[SAID_STATEMENT] >= likely[SAID_CORRECTION]:
        return Said(SAID_STATEMENT, _LEAD.sub("", line) or line)
    found = _NO.match(line)
    rest = line[found.end() :] if found else line
    return Said(SAID_CORRECTION, rest, _corrected(line, cited))


def _corrected(line: str, cited: Sequence[str]) -> int:
    """The number of the cited line that is meant: the one it names, else the one with the most
    words in common, else the first."""
    if named := _WHICH.search(line):
        word = (named[1] or "").lower()
        number = len(cited) - 1 if word == "last" else _NUMBERS.get(word, int(named[2] or 1) - 1)
        return min(max(number, 0), len(cited) - 1)
    said = _telling_words(line)
    shared = [len(said & _telling_words(each)) for each in cited]
    return shared.index(max(shared))


# -- signs -----------------------------------------------------------------------------


@cache
def _data(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pkgutil.get_data("aurelius.chat", name) or b"")
    return found


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """The pattern of each sign, with its parts filled in."""
    data = _data("said_signs.json")
    found = {}
    for name, form in data["signs"].items():
        parts = (data["parts"].get(each, each) for each in re.split(r"<([A-Z]+)>", form))
        found[name] = re.compile("".join(parts))
    return found


def _plain(line: str) -> str:
    """A line in small letters without apostrophes: many leave them out."""
    small = re.sub(r"['’`]", "", line[:_LONGEST].lower())
    return " ".join(small.replace("-", " ").split())


def _telling_words(line: str) -> set[str]:
    """The stems of the words that tell what a line is about."""
    words = _WORD.findall(_plain(_TAIL.sub("", line)))
    return {english_stem(word) for word in words if _tells(word)}


def _tells(word: str) -> bool:
    if word in STOP or word[0].isdigit():
        return False
    return len(word) >= _LEAST_LETTERS


def _line_signs(line: str, cited: Sequence[str]) -> set[str]:
    """The names of the signs in a line that is typed after lines of these texts were cited."""
    plain = _plain(line)
    words = _WORD.findall(plain)
    found = {name for name, form in _forms().items() if form.search(plain)}
    found.add(f"words {min(len(words), _MOST_WORDS)}")
    if IDLE.issuperset(words):
        found.add("idle")
    if (STOP | IDLE | FRAMES).isdisjoint(words):
        found.add("content")
    if cited:
        found |= set(_beside(line, frozenset(found), cited))
    found.update(f"first {word}" for word in words[:1])
    found.update(f"word {word}" for word in words)
    return found


def _beside(line: str, found: frozenset[str], cited: Sequence[str]) -> Iterator[str]:
    """The signs of a line as they count beside cited ones, and what it has in common with these."""
    yield "cited"
    for name in found:
        yield f"cited {name}"
    own = _telling_words(line)
    shared = [len(own & _telling_words(each)) for each in cited]
    yield f"cited shares {min(max(shared), 2)}"
    for name in found & {"number", "day"}:
        if any(_has(name, each) for each in cited):
            yield f"cited has {name}"


def _has(name: str, cited: str) -> bool:
    return bool(_forms()[name].search(_plain(_TAIL.sub("", cited))))


def _weigh_signs(found: set[str]) -> dict[str, float]:
    """How likely a line with these signs is of each kind, 0 to 1."""
    data = _data("said_weights.json")
    rows = [row for name, row in data["weights"].items() if name in found]
    odds = dict[str, float]()
    for kind, *weights in zip(data["kinds"], data["bias"], *rows, strict=True):
        odds[kind] = exp(sum(weights) / data["scale"])
    if "cited" not in found:
        odds["correction"] = 0.0
    every = sum(odds.values())
    return {kind: part / every for kind, part in odds.items()}
