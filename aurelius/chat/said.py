"""What a typed line is: a question, a statement to keep, a correction of a line that was cited, a
command, or nothing that wants an answer. Pure.

A false statement would put words before the person that they did not mean to keep, so only what
reads as one is one; what is nothing else is a question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.tokens.english import IDLE

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    SAY_HELP: r"help|\?|/help|what can (?:i|you) do",
    SAY_UNDO: r"undo(?: (?:that|it|the last (?:one|change)))?",
    SAY_QUIT: r"quit|exit|bye|:q|/quit",
    SAY_CLEAR: r"clear|reset|start over|new (?:chat|conversation)",
    SAY_WAITS: r"(?:remind (?:me )?)?what(?:'?s| is)? (?:waits|waiting)(?: for me)?|review",
    SAY_SILENCE: r"(?:stop asking|don'?t ask|no (?:more )?questions)(?: again)?",
    SAY_KEEP: r"(?:keep|save) (?:this|the) (?:conversation|chat|talk)",
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
    r"(?i)^\W*(?:(?:ok|please|pls|can you|could you)\W+)*(?:note(?: down)?(?: that|:)"
    r"|remember(?: that|:)|write (?:this |that )?down(?: that|:)|for the record[,:]?|fyi\b[,:]?"
    r"|merk(?:e)? dir[:,]?|notier(?:e)?[:,]?|recuerda(?: que|:)|apunta(?: que|:)|note que"
    r"|retiens que|retiens ?:)\s*"
)
"""What asks to write down the rest of the line."""
_THANKS_CUE = re.compile(
    r"(?i)^\W*(?:(?:thanks|thx|thank you|ok|okay|great|danke|gracias|merci)\W+)+(?:also|and)?\W*"
)
_ASKS = re.compile(
    r"(?i)^\W*(?:(?:and|so|ok|well|but|hey|hi|please|pls|btw)\W+)*(?:who|whom|whose|whos|what"
    r"|whats|when|whens|where|wheres|which|wich|why|how|hows|is|are|am|was|were|do|does|did|has"
    r"|have|had|can|could|will|would|should|shall|may|must|isn'?t|aren'?t|don'?t|didn'?t|show"
    r"|list|find|search|look up|tell me|give me|compare|remind me|anything|any|i (?:can'?t|don'?t"
    r"|cannot) (?:remember|recall|know|find)|i forgot|wer|wem|wen|wessen|was|wann|wo|wohin|woher"
    r"|warum|wieso|wie|welche[rsmn]?|ist|sind|hat|habe|zeig|liste|qui|que|quoi|quand|où|ou|quel"
    r"|quelles?|quels|comment|combien|pourquoi|est-ce|c'est quoi|quién|quien|quiénes|qué"
    r"|cuándo|cuando|dónde|donde|cómo|como|cuánto|cuanto|cuál|cual|por qué)\b"
)
_ASKS_INSIDE = re.compile(
    r"(?i)\b(?:to|of|about|with|for) (?:what|whom?|which|when|where)\b"
    r"|,\s*(?:what|who|when|where|which|how|why|was|is|did)\b"
)
_GOES_ON = re.compile(
    r"(?i)^\W*(?:and|also|or|und|oder|y|et|what about|how about|same for|only|the (?:other|same)"
    r"|more|else|again|before that|after that|are you sure|says who|who (?:told|said)|why\b.{0,6}$"
    r"|since when|how (?:old|long) is (?:that|it))\b"
)
_NO = re.compile(
    r"(?i)^\W*(?:(?:no|nope|nah|wrong|actually|incorrect|false|sorry|nein|doch|falsch|stimmt nicht"
    r"(?: mehr)?|non|faux|falso|not (?:any ?more|true|right|quite)|(?:that|this|it)(?:'?s| is)"
    r" (?:not (?:right|true|correct|so)|wrong|old|outdated|out of date|no longer (?:true|right|so))"
    r"(?: any ?more| now)?|the (?:first|second|third|last|1st|2nd|3rd) (?:one|line)? ?(?:is|has)"
    r" (?:wrong|outdated|old|changed|not right)|(?:line |number )?\d is (?:wrong|old|outdated|not"
    r" right))\b[\s,.:;–—-]*)+"
)
"""How a line begins that says that a cited one does not hold."""
_WHICH = re.compile(
    r"(?i)\bthe (first|second|third|last|1st|2nd|3rd|fourth)\b|\b(?:line )?(\d) is\b"
)
_NUMBERS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3}
_OF_IT = re.compile(
    r"(?i)^\W*(?:s?he|it|they|her|his|its|their|that|er|sie|es|il|elle|él|ella)(?:'?s|'?re|'?d)?\b"
)
_NOW = re.compile(
    r"(?i)\b(?:now|these days|any ?more|no longer|currently|by now|since|instead|left|moved"
    r"|switched|changed|sold|quit|stopped|jetzt|mehr|ahora|ya no|maintenant|plus|is off"
    r"|(?:is|was) (?:cancelled|canceled|over|postponed|called off))\b"
)
_CALLED_OFF = re.compile(
    r"(?i)\b(?:is|are|was|were|been|got) (?:off|over|cancelled|canceled|postponed|called off|gone"
    r"|sold|closed)\b"
)
_UNREAL = re.compile(
    r"(?i)^\W*(?:(?:ok|so|well|but|and)\W+)*(?:if|suppose|supposing|imagine|what if|wish|maybe"
    r"|perhaps|in the (?:film|movie|book|novel|story|show|game|dream)|once upon|wenn|falls|si"
    r"|ojal[áa])\b|\b(?:i wish|i'?d (?:like|love|rather)|would be|wouldn'?t it|dunno|or not\b"
    r"|i wonder|no idea|always goes|like,? always)\b"
)
"""What is not meant to hold."""
_CHAT = re.compile(
    r"(?i)\b(?:lol|haha+|hehe|hm+|phew|wow|ugh|argh|oops|meh|lmao|omg|yay|huh|never ?mind|found it"
    r"|forget it|let me (?:think|see)|passt|vale|gracias|danke|merci|as always)\b|[:;]-?[)D(P]"
    r"|\byou(?:'?re| are| were| always| never| should| must)\b|\bare you\b"
)
_QUOTED = re.compile(r"[\"“„«].*?[\"”“»]")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TELLS = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|will|won'?t|can'?t|cannot|don'?t|does|did|got|gets|goes"
    r"|went|wants?|needs?|likes?|loves?|hates?|prefers?|lives?|works?|starts?|ends?|moves?|begins?"
    r"|paid|bought|sold|met|quit|lent|gave|told|said|says|made|took|left|lost|found|saw|ran|ate"
    r"|drank|slept|wrote|read|sent|came|became|began|broke|ist|hat|sind|liegt|wohnt|ha|est|va|vive"
    r"|habite|\w{3,}(?:ed|ped|ied))\b"
    r"|\w \w{2,}s (?:the|an?|no|not|his|her|my|our|their|its|every|it|him|them|me|us)\b"
)
"""What a statement has: a verb."""
_LEAST_WORDS = 3
"""Words of a statement."""


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
    words = _WORD.findall(line.lower())
    if all(word.replace("'", "") in IDLE for word in words) and not _GOES_ON.search(line):
        return Said(SAID_NOTHING, line)
    line = _THANKS_CUE.sub("", line) or line
    if line.endswith("?") or _ASKS.search(line) or _ASKS_INSIDE.search(line):
        return _asked(line, words, has_cited=bool(cited))
    if cited:
        found = _correction(line, cited)
        if found or (_GOES_ON.search(line) and not _CHAT.search(line)):
            return found or Said(SAID_FOLLOW_UP, line)
    return _told(line, words)


def _asked(line: str, words: Sequence[str], *, has_cited: bool) -> Said:
    """A question, or one that goes on with the one before."""
    if has_cited and (_GOES_ON.search(line) or _is_short(line, words)):
        return Said(SAID_FOLLOW_UP, line)
    return Said(SAID_QUESTION, line)


def _is_short(line: str, words: Sequence[str]) -> bool:
    """Whether a question says nothing of what it is about."""
    return len(words) <= 5 and bool(re.search(r"(?i)\b(?:s?he|it|they|that|her|him|them)\b", line))


def _correction(line: str, cited: Sequence[str]) -> Said | None:
    """What a line says instead of one that was cited; None where it corrects none."""
    if _UNREAL.search(line) or _CHAT.search(line):
        return None
    found = _NO.match(line)
    rest = line[found.end() :] if found else line
    if found and not rest and len(line.split()) < _LEAST_WORDS:
        return None
    of_it = _OF_IT.match(line) and _NOW.search(line)
    if not (found or of_it or _CALLED_OFF.search(line)):
        return None
    return Said(SAID_CORRECTION, rest, _corrected(line, rest, cited))


def _corrected(line: str, rest: str, cited: Sequence[str]) -> int:
    """The number of the cited line that is meant: the one it names, else the one with the most
    words in common, else the first."""
    if named := _WHICH.search(line):
        word = (named[1] or "").lower()
        number = len(cited) - 1 if word == "last" else _NUMBERS.get(word, int(named[2] or 1) - 1)
        return min(number, len(cited) - 1)
    said = set(_WORD.findall(rest.lower()))
    shared = [len(said & set(_WORD.findall(each.lower()))) for each in cited]
    return shared.index(max(shared))


def _told(line: str, words: Sequence[str]) -> Said:
    """A statement, where a line reads as one."""
    if _UNREAL.search(line) or _CHAT.search(line):
        return Said(SAID_NOTHING, line)
    own = _QUOTED.sub(" ", line)
    reads = len(words) >= _LEAST_WORDS and _TELLS.search(own)
    has_number = len(words) > _LEAST_WORDS and re.search(r"\d", own)
    if reads or has_number:
        return Said(SAID_STATEMENT, line)
    return Said(SAID_QUESTION, line)
