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
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import MONTHS, WEEKDAYS
from indexer.tokens.english import GRAMMAR, stem

LONGEST = 600
"""Characters of a line that are looked at."""
_WORD = re.compile(
    r"[$€£]?\d[\d.,:/-]*(?<=\d)[+%]?|[^\W\d_][^\W_]*(?:[+#]+(?=\s|$)|(?:[.'’@-][^\W_]+)*)"
)
_MARKS = re.compile(r"[*_~`\\]")
_LINK = re.compile(r"\[\[([^\]|]*)\|?([^\]]*)\]\]")
_NO_WORDS = (
    "not never no none nor cannot can't don't doesn't didn't isn't aren't wasn't won't without"
    " needn't mustn't shouldn't"
)
_NO = frozenset(_NO_WORDS.split())

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
_OTHERS_WORDS = (
    "sister brother mother father parent son daughter nephew niece cousin uncle aunt grandmother"
    " grandfather wife husband neighbour neighbor friend colleague boss client competitor assistant"
    " guest cat dog vendor supplier consultant sibling landlord accountant"
)
OTHERS = frozenset(_OTHERS_WORDS.split())
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
_RHYTHMS = frozenset(
    ("hourly", "daily", "weekly", "fortnightly", "monthly", "quarterly", "yearly", "annually")
)
_SINGLE = (
    "home work role phone email diet car status doctor deadline lead chief headquarters headcount"
    " cost contact partner wake bank budget limit carrier"
)
_OF_LABEL = frozenset(map(stem, ("date", "number", "day", "address")))
SINGLE = frozenset(_SINGLE.split())
"""Senses of which there is one value at a time: two plain lines that differ cannot both hold."""

_LABELS = (
    "home address employer job role title phone mobile telephone email diet car status doctor gp"
    " deadline due launch lead owner chief ceo headquarters hq headcount price cost fee contact"
    " partner wake bank budget limit quota carrier birthday framework database hosting release"
    " version size weight height"
)
_LABEL_ENDS = frozenset(map(stem, _LABELS.split()))

_FIRM = {
    "home": "live home wohnt vive habite",
    "work": "employ",
    "role": "role title position",
    "phone": "phone mobile cell",
    "email": "email mail inbox",
    "diet": "diet eat vegan vegetarian gluten-free low-carb",
    "car": "car drive",
    "doctor": "doctor gp",
    "deadline": "deadline due launch ship",
    "lead": "lead leader led owner owned",
    "chief": "ceo chief",
    "headquarters": "headquarter",
    "headcount": "employee staff",
    "cost": "price cost charge subscription fee",
    "status": "status state currently shipped cancelled blocked paused hold progress review",
    "contact": "contact",
    "carrier": "carrier",
    "wake": "wake alarm",
    "partner": "partner date dating marry married engaged relationship husband wife",
    "bank": "bank account",
    "budget": "budget",
    "limit": "limit quota",
}
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

_WORDS: dict[str, set[str]] = {}
for _sense, _words in _FIRM.items():
    for _word in _words.split():
        _WORDS.setdefault(stem(_word), set()).add(_sense)
_FIRM_PHRASES = tuple((sense, re.compile(pattern, re.IGNORECASE)) for sense, pattern in _PHRASES)
_LOOSE_PHRASES = tuple((sense, re.compile(pattern, re.IGNORECASE)) for sense, pattern in _LOOSE)
_ANY_PHRASE = re.compile(
    "|".join(f"(?:{pattern})" for _, pattern in (*_PHRASES, *_LOOSE)), re.IGNORECASE
)


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
    shown = _LINK.sub(
        lambda link: link[2] or link[1].rpartition("/")[2].replace("-", " ").title(), text
    )
    return (
        _MARKS.sub("", unicodedata.normalize("NFC", shown))
        .replace("’", "'")
        .replace("e-mail", "email")
    )


@lru_cache(maxsize=1 << 14)
def read(text: str) -> Words:
    """A line taken apart."""
    text = plain(text[:LONGEST])
    cue = _cue(text)
    gone = frozenset(_gone(text) if cue else ())
    content, values, kinds = _content(text, cue=bool(cue))
    found = frozenset(content)
    main = _BELOW.split(text, maxsplit=1)[0]
    of_main = _content(main)[0]
    negative = sum(word.casefold() in _NO for word in re.findall(r"[\w'’]+", text))
    return Words(
        content,
        values,
        kinds,
        *_senses(main, of_main),
        _label(text),
        cue,
        bool(_STRONG.search(text)),
        gone,
        found & OTHERS,
        _aside(text),
        negative,
        bool(_PAST.match(text)),
        _subject(text),
        bool(_NEVER.match(text)),
        bool(_DONE.match(text)),
    )


def names_sense(word: str) -> bool:
    """True if a stem names a matter, and so is no value."""
    return word in _WORDS


def is_single(label: str) -> bool:
    """True if what stands before a colon, as stems, names something that has one value at a time:
    `Launch date`, not `Standard` or `Detail`, which any line may begin with.
    """
    words = label.split()
    return bool(words) and words[-1 - (len(words) > 1 and words[-1] in _OF_LABEL)] in _LABEL_ENDS


def _cue(text: str) -> str:
    """The first phrase that says something changed, in what the line itself states."""
    for found in _CUE.finditer(text):
        if not (_BELOW.search(text, 0, found.start()) or _NOT_VERB.search(text[: found.start()])):
            return " ".join(found[0].casefold().split())
    return ""


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
    if colon and after[:1] == " " and len(before) < 40:
        return " ".join(map(stem, before.split()))
    return ""


def _subject(text: str) -> frozenset[str]:
    """`family doctor` of `The family doctor is Dr. Roth`."""
    found = _IS.match(text)
    if found:
        return frozenset(_content(found["subject"])[0])
    return frozenset()


def _aside(text: str) -> str:
    for pattern in (_BESIDES, _NOT_SO):
        found = pattern.search(text)
        if found:
            return found[0].casefold()
    return ""


def _content(
    text: str, *, cue: bool = True
) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Stems, values, and of what sort those are."""
    if cue:
        quiet = _CUE.sub(lambda match: " " * len(match[0]), text)
    else:
        quiet = text
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
    if not first and (word[0].isupper() or any(map(str.isupper, word))):
        return "name"
    return ""


def _senses(text: str, content: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What a line is about, firmly and else loosely; `content` are its stems."""
    firm = {sense for word in content for sense in _WORDS.get(word, ())}
    if not _ANY_PHRASE.search(text):
        return frozenset(firm), frozenset()
    firm |= {sense for sense, pattern in _FIRM_PHRASES if pattern.search(text)}
    loose = {sense for sense, pattern in _LOOSE_PHRASES if pattern.search(text)}
    return frozenset(firm), frozenset(loose)


_LONG_MONTHS = [name.title() for name in MONTHS if name != "may"]
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _LONG_MONTHS)
_MONTH = rf"(?:{_MONTH}|Sept|May)"
CHANGED = re.compile(
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
SETTLED = re.compile(
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
    rf"\b(?:from|on|by|starting|as of|until) (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th|\.)? )?{_MONTH}\b"
)


def is_change(text: str) -> bool:
    """True if a text says that something has changed or was decided."""
    return any(cue.search(text) for cue in (CHANGED, CORRECTED, SETTLED, _FROM))


def is_decided(sentence: str) -> bool:
    """True if a sentence says that its writers decided on something that is no page's own
    matter."""
    return bool(_DECIDED.match(sentence)) and not re.search(r"\bI\b", sentence)


_UNTRUE = r"(?:'s| is)(?: not|n't| no longer) true(?: any ?more)?"
_FORGETS = re.compile(
    r"(?i)(?:\b(?:forget|unlearn|disregard)(?: about)?(?: the (?:fact"
    r"|thing))? that (?=(?-i:[A-Z\[])|(?:i|i'?m"
    r"|you|he|she"
    r"|it|we|they|my|our|his|her|their|the|an?|there)\b)|\bforget (?:about|everything|all|my|our"
    r"|his|her|(?-i:[A-Z]))"
    r"|\b(?:forget|ignore|disregard|drop|scratch|delete|erase) (?:about )?(?:the (?:fact|bit|part"
    r"|thing) (?:that|about)"
    r"|(?:what|that|everything|all|the thing) i (?:just )?(?:said|told you|wrote"
    r"|mentioned) (?:about|on|that)\b)"
    r"|\b(?:stop|quit) (?:reminding|telling) me\b|\b(?:don't|not|no need to) (?:remind me"
    r"|remember) (?:that|of|about)\b"
    rf"|\b(?:it|that){_UNTRUE} that\b)"
    r"(?:(?!(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?](?:\s|$)|[;\n]|,? but |, (?:he|she|it|we"
    r"|they|i|my|our)\b).)*"
    rf"|(?:(?:(?<=[.!?] )|^)[^.!?;\n]*[,:;.?!]? )?(?:it|that|this){_UNTRUE}(?=\W|$)"
    rf"|(?:(?<=[.!?] )|^)that [^.!?;\n]*{_UNTRUE}(?=\W|$)"
)
_KEEPS = re.compile(
    r"(?i)(?:n't|\b(?:not|never|dont|i|we|you'll|i'll|(?<!you )to|always))\s+(?:ever\s+)?$"
)


def without_forgotten(text: str) -> str:
    """A text in which what somebody asks to forget, or takes back, is blanked, letter for
    letter."""
    return _FORGETS.sub(
        lambda found: found[0] if _KEEPS.search(text[: found.start()]) else " " * len(found[0]),
        text,
    )
