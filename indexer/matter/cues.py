"""Cues in a line: that something changed, what it is about, which values it names. Text in, values
out.

A sense (home, work, price, deadline, …) is only a hint that two lines are of one matter. Firm words
and phrases name the matter; loose ones are verbs that go with many matters and count only where
nothing firm stands in the line.

English alone: a line in another language has no cue, and so nothing is ever proposed for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import MONTH_NAME, MONTHS, WEEKDAYS
from indexer.spelling import link_names
from indexer.tokens.english import GRAMMAR
from indexer.tokens.terms import english_stem

LONGEST = 600
"""Characters of a line that are looked at."""
_WORD = re.compile(
    r"[$€£]?\d[\d.,:/-]*(?<=\d)[+%]?|[^\W\d_][^\W_]*(?:[+#]+(?=\s|$)|(?:[.'’@-][^\W_]+)*)"
)
_MARKS = re.compile(r"[*_~`\\]")
_NO = frozenset(
    (
        "not never no none nor cannot can't don't doesn't didn't isn't aren't wasn't won't without"
        " needn't mustn't shouldn't"
    ).split()
)

_CUE = re.compile(
    r"(?i)\b(?:no longer|not any ?more|any ?more|instead|rather than|these days|nowadays"
    r"|from now on|as of (?=now|this)"
    r"|actually|correction|now|(?:has |have )?changed|switch(?:ed|es)|swapped|replac(?:ed|es)"
    r"|becam?es?|moved|moves (?=to|from|in)|relocated|settled|migrated|ported|converted"
    r"|transferred|left|quit|joined"
    r"|resigned|retired|promoted|step(?:ped|s) down|t(?:ook|akes) over|handed over|gave up"
    r"|gave away|stop(?:ped|s)"
    r"|dropped|got rid of|went (?!to|out|back|on|with|there|home|through|into|for|by|and|over)"
    r"|sold|traded"
    r"|broke up|split from|divorced|died|is gone|after all"
    r"|raised|increased|lowered|reduced|cut (?:to|from|down|by|the)|doubled|halved|grew|shrank"
    r"|extended"
    r"|shortened|upgraded|bumped|rolled back|postponed|delayed|pushed|slipped|shifted"
    r"|brought forward|rescheduled"
    r"|^new(?= )|the new|down to|up to|, not|not(?= (?:the |an? )?\S+ but\b))\b"
)
_BELOW = re.compile(
    r"(?i)\b(?:who|whom|whose|that|which|because|when|while|how|why|whether|so that)\b"
)
"""What begins a clause that says something of somebody or something else: `people who lost their
jobs`."""
_NOT_VERB = re.compile(r"(?i)\b(?:his|her|their|my|our|its|your|the|an?|some) $")
"""A word before a participle that makes an adjective of it: `their extended family`."""
_STRONG = re.compile(
    r"(?i)\b(?:no longer|any ?more|instead of|rather than|these days|nowadays|from now on|actually"
    r"|correction|now"
    r"|changed|switched|replac(?:ed|es)|became|took over)\b"
)
_BESIDES = re.compile(
    r"(?i)\b(?:also|too|as well|besides|in addition|additionally|another|second|next to|both"
    r"|extra)\b"
)
_NOT_SO = re.compile(
    r"(?i)\b(?:considered|dreams?|wants?|wishes|hopes?|might|would|could|plann?(?:ed|s|ing)"
    r"|thinks?|thought"
    r"|tried|trial|once"
    r"|used to (?!be)|grew up|almost|nearly|rumou?red|if|someday|some day|one day|looking for"
    r"|applied|interviewed"
    r"|compared|benchmark|recommended|inspired|for a (?:day|week)|by chance|years ago"
    r"|last year'?s?|the old"
    r"|expected|wrote)\b"
)
OTHERS = frozenset(
    (
        "sister brother mother father parent son daughter nephew niece cousin uncle aunt"
        " grandmother grandfather wife husband neighbour neighbor friend colleague boss client"
        " competitor assistant guest cat dog vendor supplier consultant sibling landlord accountant"
    ).split()
)
"""People whom a note may name beside its subject."""
_GONE = re.compile(
    r"(?i)(?:\bno longer (?:(?:at|with|in|on|by|for|of|a|an|the|has|does|[a-z]{2,}s|[a-z]+ed)\s+)*"
    r"|\binstead of\s+|\brather than\s+|\bnot (?=\S+(?:\s\S+){0,3}\s*(?:$|[,.;]))"
    r"|\bnever (?=.*\bany ?more)"
    r"|\bfrom\s+(?!now\b)|\bleft\s+|\bquit\s+|\bgave up (?:on |being )?|\bsold (?:the )?"
    r"|\btraded\s+|\bswapped\s+"
    r"|\bdropped\s+|\bbroke up with\s+|\bsplit from\s+|\bdivorced\s+|\breplac(?:ed|es)\s+"
    r"|\bgot rid of\s+|\bclosed\s+"
    r"|\bstop(?:ped|s)\s+|\bgave (?=\S.* away)|\bwas\s+|\bold\s+|\bwent off\s+|\bstep(?:ped"
    r"|s) down as\s+|\bout of\s+"
    r"|\bnot allergic to\s+)"
    r"(?P<what>(?:[^,.;:()]|[.:](?=\w)){1,60}?)"
    r"(?=\s*(?:$|[,;()]|[.:](?:\s|$)|\b(?:to|for|and|in|on|with|by|as|now|but|so|or|after all|away"
    r"|the"
    r"|any ?more|at|these days|because|home|is)\b))"
)
_PAST = re.compile(
    r"(?!led\b|based\b|billed\b|hosted\b|deployed\b|built\b|born\b|employed\b"
    r"|married\b)(?:[a-z]{2,}ed|met|gave|ran|paid"
    r"|broke|bought|took|saw|went|read|wrote|made|had|said|told|spoke|heard|flew|got|sent|won|lost"
    r"|sat|ate|drank)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    rf"(?:[^\W\d_a-z][^\W\d_]*(?:[^\W\d_s]|'s) (?:[^\W\d_a-z][^\W\d_]* |son "
    rf"|daughter )?(?:and \w+ \w+ )?)?"
    rf"(?:recently |also |just |already |once )?(?:{_PAST.pattern})",
)
_BEFORE = re.compile(
    r"(?i)^(?P<what>[^,.;:()]{2,40}?)\s+(?:retired|resigned|left|died|stepped down|quit)\b"
)
_IS = re.compile(
    r"(?i)(?!(?:an?|one|another)\b)(?P<subject>[^\W\d][^.,;:()\d]{1,40}?)\s+is\b(?! (?:an?|to)\b)"
)
_NEVER = re.compile(r"(?i)never\b")
_RHYTHMS = frozenset("hourly daily weekly fortnightly monthly quarterly yearly annually".split())
_OF_LABEL = frozenset(map(english_stem, ("date", "number", "day", "address")))
SINGLE = frozenset(
    (
        "home work role phone email diet car status doctor deadline lead chief headquarters"
        " headcount cost contact partner wake bank budget limit carrier"
    ).split()
)
"""Senses of which there is one value at a time: two plain lines that differ cannot both hold."""

_LABELS = (
    "home address employer job role title phone mobile telephone email diet car status doctor gp"
    " deadline due launch lead owner chief ceo headquarters hq headcount price cost fee contact"
    " partner wake bank budget limit quota carrier birthday framework database hosting release"
    " version size weight height"
)
_LABEL_ENDS = frozenset(map(english_stem, _LABELS.split()))

_FIRM = (
    "home | live home wohnt vive habite",
    "work | employ",
    "role | role title position",
    "phone | phone mobile cell",
    "email | email mail inbox",
    "diet | diet eat vegan vegetarian gluten-free low-carb",
    "car | car drive",
    "doctor | doctor gp",
    "deadline | deadline due launch ship",
    "lead | lead leader led owner owned",
    "chief | ceo chief",
    "headquarters | headquarter",
    "headcount | employee staff",
    "cost | price cost charge subscription fee",
    "status | status state currently shipped cancelled blocked paused hold progress review",
    "contact | contact",
    "carrier | carrier",
    "wake | wake alarm",
    "partner | partner date dating marry married engaged relationship husband wife",
    "bank | bank account",
    "budget | budget",
    "limit | limit quota",
)
"""Matters, each with the words that surely name it."""
_PHRASES = (
    ("role", r"\bworks as\b|\b(?:job )?title\b|\btook over as\b"),
    ("home", r"\bmoved house\b|\bbased in\b|\bflat in\b"),
    ("wake", r"\b(?:gets?|got|getting) up\b"),
    ("work", r"\b(?:works?|working|job) (?:at|for)\b"),
)
_LOOSE = (
    ("home", r"\b(?:moved|relocated|settled)\b.* (?:to|in|into|over)\b|\brelocated\b"),
    ("work", r"\b(?:joined|hired|quit)\b|\bleft\b.* for\b|\bchanged jobs\b"),
    ("role", r"\b(?:promoted|became|stepped down|took over)\b"),
    ("deadline", r"\b(?:postponed|delayed|pushed|slipped|brought forward)\b"),
    ("cost", r"\b(?:a|per) month\b"),
    ("status", r"\b(?:shipped|cancelled|blocked|paused|in beta|on hold|in progress|in review)\b"),
    ("diet", r"\bwent\b"),
    ("lead", r"\bleads\b|\bhanded over\b"),
)

_SENSES: dict[str, set[str]] = {}
for _row in _FIRM:
    _sense, _, _words = _row.partition(" | ")
    for _word in _words.split():
        _SENSES.setdefault(english_stem(_word), set()).add(_sense)
_FIRM_PHRASES = tuple((sense, re.compile(pattern, re.IGNORECASE)) for sense, pattern in _PHRASES)
_LOOSE_PHRASES = tuple((sense, re.compile(pattern, re.IGNORECASE)) for sense, pattern in _LOOSE)


class Words(NamedTuple):
    """A line, taken apart.  All words are stems.

    `content` is what it says without words of grammar and cues, in order; `values` those of
    `content` that name a value: numbers, dates, names. `kinds` says of what sort the values are.
    `senses` is what the line is about, `loose` what its verbs may be about where nothing else says
    it, `label` what stands before a colon. `cue` is the phrase that says something changed (""
    where none), `strong` whether it can hardly mean anything else. `gone` is what the line says is
    no longer so. `aside` is why the line replaces nothing: it adds, wonders, or is about somebody
    else. `others` are the people it names who are not the subject, `negative` counts its negations,
    `past` says that it begins with something done. `subject` is what stands before `is` (`CEO` of
    `The CEO is …`), `never` says that something is never done. `done` is `past` whoever did it.
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
    never: bool
    done: bool


def plain(text: str) -> str:
    """A line without marks of emphasis; a link is what it shows."""
    shown = unicodedata.normalize("NFC", link_names(text))
    return _MARKS.sub("", shown).replace("’", "'").replace("e-mail", "email")


@lru_cache(maxsize=1 << 14)
def read_cues(text: str) -> Words:
    """A line taken apart."""
    text = plain(text[:LONGEST])
    cue = _cue(text)
    content, values, kinds = _content(text, without=_CUE if cue else None)
    main = _BELOW.split(text, maxsplit=1)[0]
    return Words(
        content=content,
        values=values,
        kinds=kinds,
        senses=_firm_senses(main),
        loose=_found_senses(main, _LOOSE_PHRASES),
        label=_label(text),
        cue=cue,
        strong=bool(_STRONG.search(text)),
        gone=_gone(text) if cue else frozenset(),
        others=OTHERS.intersection(content),
        aside=_aside(text),
        negative=sum(word.casefold() in _NO for word in re.findall(r"[\w'’]+", text)),
        past=bool(_PAST.match(text)),
        subject=_subject(text),
        never=bool(_NEVER.match(text)),
        done=bool(_DONE.match(text)),
    )


def names_sense(word: str) -> bool:
    """True if a stem names a matter, and so is no value."""
    return word in _SENSES


def is_single(label: str) -> bool:
    """True if what stands before a colon, as stems, names something that has one value at a time:
    `Launch date`, not `Standard` or `Detail`, which any line may begin with.
    """
    words = label.split()
    if len(words) > 1 and words[-1] in _OF_LABEL:
        words.pop()
    return bool(words) and words[-1] in _LABEL_ENDS


def _cue(text: str) -> str:
    """The first phrase that says something changed, in what the line itself states."""
    for found in _CUE.finditer(text):
        if not (_BELOW.search(text, 0, found.start()) or _NOT_VERB.search(text[: found.start()])):
            return " ".join(found[0].casefold().split())
    return ""


def _gone(text: str) -> frozenset[str]:
    """The words for what is no longer so."""
    phrases = (match["what"] for match in (*_GONE.finditer(text), _BEFORE.match(text)) if match)
    return frozenset[str]().union(*map(_stems, phrases))


def _label(text: str) -> str:
    """`phone` of `Phone: 555`."""
    before, colon, after = text.partition(":")
    if colon and after[:1] == " " and len(before) < 40:
        return " ".join(map(english_stem, before.split()))
    return ""


def _subject(text: str) -> frozenset[str]:
    """`family doctor` of `The family doctor is Dr. Roth`."""
    found = _IS.match(text)
    if found:
        return _stems(found["subject"])
    return frozenset()


def _aside(text: str) -> str:
    found = _BESIDES.search(text) or _NOT_SO.search(text)
    return found[0].casefold() if found else ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(_content(text, without=_CUE)[0])


def _content(
    text: str, *, without: re.Pattern[str] | None
) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Stems, values, and of what sort those are; `without` finds what is no part of it."""
    left = without.sub(lambda match: " " * len(match[0]), text) if without else text
    content: list[str] = []
    kinds: dict[str, str] = {}
    for at, match in enumerate(_WORD.finditer(text)):
        word = match[0]
        low = word.casefold()
        if low in GRAMMAR or low in _NO or left[match.start()] == " ":
            continue
        content.append(english_stem(word))
        kind = _kind(word, first=at == 0)
        if kind:
            kinds[f"{kind} {content[-1]}"] = kind
    values = (each.partition(" ")[2] for each in kinds)
    return tuple(content), frozenset(values), frozenset(kinds.values())


def _kind(word: str, *, first: bool) -> str:
    """What sort of value a word is, "" for none."""
    low = word.casefold()
    kinds = {
        "day": low.removesuffix("s") in WEEKDAYS,
        "date": low.removesuffix("s") in MONTHS and word[0].isupper(),
        "rhythm": low in _RHYTHMS,
        "money": word[0] in "$€£",
        "time": word[0].isdigit() and ":" in word,
        "number": word[0].isdigit(),
        "address": "@" in word,
        "name": not first and any(map(str.isupper, word)),
    }
    return next((kind for kind, is_so in kinds.items() if is_so), "")


def _firm_senses(text: str) -> frozenset[str]:
    """What a line is about for sure."""
    of_words = (_SENSES.get(word, ()) for word in _content(text, without=_CUE)[0])
    return _found_senses(text, _FIRM_PHRASES).union(*of_words)


def _found_senses(text: str, phrases: Collection[tuple[str, re.Pattern[str]]]) -> frozenset[str]:
    """What a line is about by these phrases."""
    return frozenset(sense for sense, pattern in phrases if pattern.search(text))


CHANGED_CUES = re.compile(
    r"(?i)\b(?:moved?(?= (?:\w+ )?(?:to|from|into|in|out|house|back|home)\b)|moves|moving"
    r"|relocat(?:es?|ed|ing)"
    r"|join(?:s"
    r"|ed|ing)(?! (?:us|me|in)\b)|left(?! (?:a|the|his|her|my|for|early|home|at|us|me|some)\b)"
    r"|quit|quits|resign(?:s"
    r"|ed)|retir(?:es|ed|ing)|retirement|promoted|hired|fired|laid off|became|becomes?|engaged"
    r"|married|marrying"
    r"|divorced|separated|widowed|pregnant|expecting|born|died|passed away|graduat(?:es|ed|ing)"
    r"|enrolled|adopted"
    r"|switch(?:ed|es|ing)(?= (?:\w+ ){0,2}(?:from|to|over)\b)|replac(?:es|ed|ing)|renamed"
    r"|rebranded|acquired"
    r"|acquires|merged|founded|co-founded|incorporated|launched|launches|launching|relaunch"
    r"|released|shipped|migrated"
    r"|postponed|delayed|pushed (?:to|back|out)|slipped|brought forward|rescheduled|cancell?ed"
    r"|raised|lowered"
    r"|increased|decreased|doubled|halved|change[ds](?! (?:his|her|their) mind)|grew up|studied"
    r"|diagnosed|converted"
    r"|stop(?:ped|s)(?! (?:for|by|at|in|to)\b)|gave up|gives up|no longer|any ?more|instead of"
    r"|from now on|after all"
    r"|takes? over|took over|takes? on|stepp?(?:ed|s) down|closed down|shut down|sold (?:his|her"
    r"|their|the)"
    r"|bought (?:a|an) (?:\w+ )?(?:house|flat|apartment|condo|car|boat|dog|cat|van|farm|home)"
    r"|got (?:a|an"
    r"|the) (?:\w+ )?(?:dog|cat|puppy|kitten|job|new job|offer)"
    r"|signed(?! (?:\w+ )?(?:\w+ )?(?:card|book|forms?)\b)"
    r"|accepted|approved|rejected|found (?:a|an) (?:\w+ )?(?:job|flat|apartment|house|room)"
    r"|transferred|started (?:at"
    r"|as|working|school|a)|starting (?:at|as|school)|starts? (?:at|as)|split up|broke up"
    r"|goes? (?:up|down)(?= to)"
    r"|dropped out)\b"
)
SETTLED_CUES = re.compile(
    r"(?i)\b(?:decided|decision|decides|agreed|we(?:'re| are) going with|going with|went with"
    r"|chose|chosen|settled on"
    r"|opted|approved|fixed at|signed off|we (?:will )?use|final(?:ised|ized)|after all)\b"
    r"|, not \w+|\bnot \w+ but\b"
)
"""Words for something that has become different."""
CORRECTED = re.compile(
    r"(?i)^(?:no|actually|correction)\b[,:]?|\bnow\b(?! (?:and then|that)\b)|\bthen,|\bno more\b"
    r"|\brather (?!than|\w+ly)"
)
_DECIDED = re.compile(r"(?i)(?:we |i )?(?:have |'ve )?(?:decided|agreed)\b")
_FROM = re.compile(
    r"\b(?:from|on|by|starting|as of|until) (?:the )?(?:\d{1,2}(?:st|nd|rd|th|\.)? )?"
    rf"{MONTH_NAME}\b"
)


def is_change(text: str) -> bool:
    """True if a text says that something has changed or was decided."""
    return any(cue.search(text) for cue in (CHANGED_CUES, CORRECTED, SETTLED_CUES, _FROM))


def states_decision(sentence: str) -> bool:
    """True if a sentence says that its writers decided on something that is no page's own
    matter."""
    return bool(_DECIDED.match(sentence)) and not re.search(r"\bI\b", sentence)
