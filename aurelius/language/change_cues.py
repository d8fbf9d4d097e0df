"""Cues in a line: that something changed, what it is about, which values it names.  Text in, values out.

English alone: a line in another language has no cue, and so nothing is ever proposed for it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import MONTHS, WEEKDAYS
from indexer.tokens.english import GRAMMAR, stem

from .topics import senses

LONGEST = 600
"""Characters of a line that are looked at."""
_WORD = re.compile(r"[$€£]?\d[\d.,:/-]*(?<=\d)[+%]?|[^\W\d_][^\W_]*(?:[+#]+(?=\s|$)|(?:[.'’@-][^\W_]+)*)")
_MARKS = re.compile(r"[*_~`\\]")
_LINK = re.compile(r"\[\[([^\]|]*)\|?([^\]]*)\]\]")
_NO_WORDS = (
    "not never no none nor cannot can't don't doesn't didn't isn't aren't wasn't won't without needn't mustn't "
    "shouldn't"
)
_NO = frozenset(_NO_WORDS.split())

_CUE = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|instead|rather than|these days|nowadays|from now on|as of (?=now|this)"
    r"|actually|correction|now|(?:has |have )?changed|changes|switch(?:ed|es)|swapped|replac(?:ed|es)|becam?es?"
    r"|moved|moves|relocated|settled|migrated|ported|rewritten|converted|transferred|left|quit|joined|hired by|resigned"
    r"|retired|promoted|step(?:ped|s) down|t(?:ook|akes) over|handed over|gave up|gave away|stop(?:ped|s)|dropped"
    r"|got rid of|goes from"
    r"|went (?!to|out|back|on|with|there|home|through|into|for|by|and|over)|turned (?!down|out)|sold|traded"
    r"|broke up|split from|divorced|closed the account|died"
    r"|forgot|lost|is gone|after all|from \w+ (?:\w+ )?on\b(?! )|was [^,;()]{2,30}(?=\))"
    r"|raised|increased|lowered|reduced|cut (?:to|from|down|by|the)|doubled|halved|grew|shrank|extended"
    r"|shortened|upgraded|bumped"
    r"|rolled back"
    r"|released|rewrote|postponed|delayed|pushed|slipped|shifted|brought forward|rescheduled"
    r"|^new(?= )|the new|new (?=\w+(?: \w+)?:)|was \S+ before|down to|up to"
    r"|started at|laid off|, not)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:no longer|any ?more|instead of|rather than|these days|nowadays|from now on|actually|correction|now"
    r"|changed|switched|replac(?:ed|es)|became|took over)\b",
    re.IGNORECASE,
)
_BESIDES = re.compile(
    r"\b(?:also|too|as well|besides|in addition|additionally|another|second|next to|both|extra)\b", re.IGNORECASE
)
_NOT_SO = re.compile(
    r"\b(?:considered|dreams?|wants?|wishes|hopes?|might|would|could|plann?(?:ed|s|ing)|thinks?|thought|tried|trial|once"
    r"|used to (?!be)|grew up|almost|nearly|rumou?red|if|someday|some day|one day|looking for|applied|interviewed"
    r"|compared|benchmark|recommended|inspired|for a (?:day|week)|by chance|years ago|last year'?s?|the old"
    r"|expected|wrote)\b",
    re.IGNORECASE,
)
_OTHERS_WORDS = (
    "sister brother mother father parent son daughter nephew niece cousin uncle aunt grandmother grandfather wife "
    "husband neighbour neighbor friend colleague boss client competitor assistant guest cat dog vendor supplier "
    "consultant sibling landlord accountant"
)
OTHERS = frozenset(_OTHERS_WORDS.split())
"""People whom a note may name beside its subject."""
_GONE = re.compile(
    r"(?:\bno longer (?:(?:at|with|in|on|a|an|the|due|led by|run by|wants?|drinks?|eats?|trains? on|reads?|uses?"
    r"|lives? in|works? (?:at|for)|speaks?|does|has|goes to|ships? with|billed|hosted on|built with|based in"
    r"|keeps? notes in|up at|a team of|a patient of|meets? on|rents?|to)\s+)*"
    r"|\binstead of\s+|\brather than\s+|\bnot (?=\S+(?:\s\S+){0,3}\s*(?:$|[,.;]))|\bnever (?=.*\bany ?more)"
    r"|\bfrom\s+(?!now\b)|\bleft\s+|\bquit\s+|\bgave up (?:on |being )?|\bsold (?:the )?|\btraded\s+|\bswapped\s+"
    r"|\bdropped\s+|\bbroke up with\s+|\bsplit from\s+|\bdivorced\s+|\breplac(?:ed|es)\s+|\bgot rid of\s+|\bclosed\s+"
    r"|\bstop(?:ped|s)\s+|\bgave (?=\S.* away)|\bforgot (?:most )?|\bwas (?!laid)|\bold\s+|\bmoved off\s+|\bwent off\s+"
    r"|\bstep(?:ped|s) down as\s+|\blaid off by\s+|\bout of\s+|\bafter leaving\s+|\bnotice at\s+"
    r"|\bover (?=.*these days)|\bnot allergic to\s+)"
    r"(?P<what>(?:[^,.;:()]|[.:](?=\w)){1,60}?)"
    r"(?=\s*(?:$|[,;()]|[.:](?:\s|$)|\b(?:to|for|and|in|on|with|by|as|now|but|so|or|after all|away|the"
    r"|any ?more|at|these days|because|home|is)\b))",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?!led\b|based\b|billed\b|hosted\b|deployed\b|built\b|born\b|employed\b|married\b)(?:[a-z]{2,}ed|met|gave|ran|paid"
    r"|broke|bought|took|saw|went|read|wrote|made|had|said|told|spoke|heard|flew|got|sent|won|lost|sat|ate|drank)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"^(?P<what>[^,.;:()]{2,40}?)\s+(?:retired|resigned|left|died|stepped down|quit)\b", re.IGNORECASE)

_IS = re.compile(
    r"(?!(?:an?|one|another)\b)(?P<subject>[^\W\d][^.,;:()\d]{1,40}?)\s+is\b(?! (?:an?|to)\b)", re.IGNORECASE
)
_TOGETHER = re.compile(r"\bwith\b")
_NEVER = re.compile(r"never\b", re.IGNORECASE)
_RHYTHMS = frozenset(("hourly", "daily", "weekly", "fortnightly", "monthly", "quarterly", "yearly", "annually"))


class Words(NamedTuple):
    """A line, taken apart.  All words are stems.

    `content` is what it says without words of grammar and cues, in order; `values` those of `content` that name a
    value: numbers, dates, names.  `kinds` says of what sort the values are.  `senses` is what the line is about,
    `loose` what its verbs may be about where nothing else says it, `label` what stands before a colon.
    `cue` is the phrase that says something changed ("" where none), `strong` whether it can hardly mean anything else.
    `gone` is what the line says is no longer so.  `aside` is why the line replaces nothing: it adds, wonders, or
    is about somebody else.  `others` are the people it names who are not the subject, `negative` counts its
    negations, `past` says that it begins with something done.  `subject` is what stands before `is` (`CEO` of
    `The CEO is …`), `together` says that something is done with somebody, `never` that it is never done.
    """

    content: tuple[str, ...]
    values: frozenset[str]
    kinds: frozenset[str]
    senses: frozenset[str]
    loose: frozenset[str]
    label: str
    cue: str
    strong: bool
    gone: frozenset[str]
    others: frozenset[str]
    aside: str
    negative: int
    past: bool
    subject: frozenset[str]
    together: bool
    never: bool


def plain(text: str) -> str:
    """A line without marks of emphasis; a link is what it shows."""
    shown = _LINK.sub(lambda link: link[2] or link[1].rpartition("/")[2].replace("-", " ").title(), text)
    return _MARKS.sub("", unicodedata.normalize("NFC", shown)).replace("’", "'").replace("e-mail", "email")


@lru_cache(maxsize=1 << 14)
def read(text: str) -> Words:
    """A line taken apart."""
    text = plain(text[:LONGEST])
    cue = _cue(text)
    gone = frozenset(_gone(text) if cue else ())
    content, values, kinds = _content(text, cue=bool(cue))
    found = frozenset(content)
    negative = sum(word.casefold() in _NO for word in re.findall(r"[\w'’]+", text))
    return Words(
        content, values, kinds, *senses(text, found), _label(text), cue,
        bool(_STRONG.search(text)), gone, found & OTHERS, _aside(text), negative, bool(_PAST.match(text)),
        _subject(text), bool(_TOGETHER.search(text)), bool(_NEVER.match(text)),
    )  # fmt: skip


def _cue(text: str) -> str:
    found = _CUE.search(text)
    return " ".join(found[0].casefold().split()) if found else ""


def _gone(text: str) -> list[str]:
    """The words for what is no longer so."""
    found = [match["what"] for match in _GONE.finditer(text)]
    before = _BEFORE.match(text)
    if before:
        found.append(before["what"])
    return [word for part in found for word in _content(part)[0]]


def _label(text: str) -> str:
    """`phone` of `Phone: 555`."""
    before, colon, after = text.partition(":")
    return " ".join(map(stem, before.split())) if colon and after[:1] == " " and len(before) < 40 else ""


def _subject(text: str) -> frozenset[str]:
    """`family doctor` of `The family doctor is Dr. Roth`."""
    found = _IS.match(text)
    return frozenset(_content(found["subject"])[0]) if found else frozenset()


def _aside(text: str) -> str:
    for pattern in (_BESIDES, _NOT_SO):
        found = pattern.search(text)
        if found:
            return found[0].casefold()
    return ""


def _content(text: str, *, cue: bool = True) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Stems, values, and of what sort those are."""
    quiet = _CUE.sub(lambda match: " " * len(match[0]), text) if cue else text
    content: list[str] = []
    values: set[str] = set()
    kinds: set[str] = set()
    for at, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        low = word.casefold()
        if low not in GRAMMAR and low not in _NO and quiet[match.start()] != " ":
            root = stem(word)
            kind = _kind(word, first=at == 0)
            content.append(root)
            if kind:
                values.add(root)
                kinds.add(kind)
    return tuple(content), frozenset(values), frozenset(kinds)


def _kind(word: str, *, first: bool) -> str:
    """What sort of value a word is, "" for none."""
    low = word.casefold().removesuffix("s")
    if low in WEEKDAYS:
        return "day"
    if low in MONTHS and word[0].isupper():
        return "date"
    if word.casefold() in _RHYTHMS:
        return "rhythm"
    if word[0] in "$€£":
        return "money"
    if ":" in word and word[0].isdigit():
        return "time"
    if word[0].isdigit():
        return "number"
    if "@" in word:
        return "address"
    return "name" if not first and (word[0].isupper() or any(map(str.isupper, word))) else ""
