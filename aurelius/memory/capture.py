"""What of a line is worth keeping, and of which type.  Pure: text in, values out; English alone.

A line is kept where it tells something that will still matter next month: what somebody is, has,
likes or does as a habit, what has changed, what was decided, what is planned for a day that is not
the next. Questions, tasks, quotes, secrets, guesses, moods and what only happened that day stay
where they are. In doubt nothing is kept.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from aurelius.language.sentences import sentence_spans as split_sentences
from indexer.matter.cues import CHANGED_CUES, CORRECTED, SETTLED_CUES
from indexer.matter.statement import line_meaning
from indexer.reading.facts import is_task
from indexer.reading.path_meaning import MONTH_NAME, WEEKDAY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.note import Fact, Note, Section

_MOST_SENTENCE_LETTERS = 200
"""Characters of a sentence that is looked at; what is longer is a story, not a fact."""
_LEAST_WEIGHT = 1.0
"""Weight of the signs at which a sentence is kept."""


class Captured(NamedTuple):
    """A sentence that is worth keeping: its type, and how plainly it says so, `_LEAST_WEIGHT` or
    more."""

    type: str
    worth: float


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.IGNORECASE)


_MARKS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|[~`]{1,2}")
_CLOCK = re.compile(
    r"^(?:\d{1,2}[:.]\d\d|\d{1,2} ?(?:h|am|pm|uhr))(?:\s*[-–]\s*\d{1,2}[:.]\d\d)?(?=\W)[\s:–-]*",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^(?:(?:(?:note|nb|update|news|good news|bad news|correction|actually|apparently|yes|no"
    r"|reminder|remember|again"
    r"|still)(?: that\b|[,:!])"
    r"|(?:also|btw|by the way|fyi|well|ok|okay|oh|so|and|but|plus|ps|til|today i learned"
    r"|(?:it )?turns out|turned out"
    r"|(?:i |we )?(?:just |finally )?(?:heard|learned|learnt|found out|noticed|realized|realised"
    r"|confirmed)"
    r"(?: today| from [A-Z]\w+)?)(?: that\b|[,:!]|(?=\s)))\s*)+",
    re.IGNORECASE,
)
"""What only leads to a sentence; `no` and `still` before other words are a part of what it says."""
_LINKED = re.compile(r"\[\[[^\]]*\]\]|#[\w/-]+")
_URL = re.compile(r"(?:https?://|www\.)\S+|!\[\[?[^\]]*\]\]?(?:\([^)]*\))?", re.IGNORECASE)
_MACHINE = re.compile(
    r"[\w.-]/[\w.-]+[/.]\w|\w\.(?:md|py|js|ts|json|sh|ya?ml|html|csv|txt|log)\b|\w=\w|[{}<>\\\\]"
    r"|\w\(\)|\w_\w|→|\]\("
)
"""What a program wrote, or a person about one: paths, names of files, code."""
_QUOTED = re.compile(r"^[>\"“„«‘]|^'(?=\w)|: ?[\"“„«]|\{\{|^\w+::|^\|")
_QUESTION = re.compile(
    r"\?|^(?:who|whom|whose|what|when|where|why|which|how|is|are|am|was|were|do|does|did|can|could"
    r"|should|shall|would"
    r"|will|has|have|had|anyone|anybody)\b(?!.{0,40}[:.])",
    re.IGNORECASE,
)
_GUESS = _any(
    "maybe perhaps probably possibly might seems seem seemingly supposedly allegedly apparently"
    " wonder wondering guess dreamt dreamed dream imagine pretend hypothetically hopefully hope"
    " hoping rumou?r rumou?red considering joke jokes joked joking reckons? claims? claimed swears"
    " insists someday unsure i\\s+think we\\s+think thinking\\s+(?:of|about) not\\s+sure"
    " some\\s+day one\\s+day no\\s+idea could\\s+be would fun\\s+fact novel fiction"
)
_NO_WORD = re.compile(
    r"\W*(?:https?:|www\.|(?:can(?:'?t)?|(?:do|does|is|are|could|should)(?:n'?t)?) (?:you|we|i"
    r"|they|he|she)\b)",
    re.IGNORECASE,
)
"""An address or a question where something would be told."""
_IF = re.compile(r"^(?:if|when|unless|whenever|suppose|in case)\b", re.IGNORECASE)
_TODO = re.compile(
    r"^(?:(?:i |we )?(?:need|have|ought|must|should|gotta|want|plan|got)(?: to)\b|(?:note to self"
    r"|todo|to do|to-do"
    r"|reminder|remember to|don'?t forget|follow up|next:|ask|call|email|mail|buy|get|send|check"
    r"|fix|write|read"
    r"|finish|book|order|pay|schedule|review|prepare|update|try|look|find|make|set|add|remove"
    r"|create|test|clean|pick"
    r"|bring|return|tell|go|see|do|take|talk|meet|think|learn|watch|install|move|use|run|start"
    r"|plan|work|keep|let|put"
    r"|give|start|implement|investigate|figure|research|reply|ping|text|print|renew)\b(?![-:]))"
    r"|^remind\b",
    re.IGNORECASE,
)
_SMALL = _any(
    "lol haha hehe ugh yay wow thanks thank hi hello hugs sunny rainy snores lovely adorable"
    " hilarious awesome amazing funny cute sweetest yummy delicious boring annoying tasty"
    " says\\s+hi so\\s+(?:proud|happy|sad|tired)"
)
_FIRST_MOOD = re.compile(
    r"^(?:i(?:'m| am| was)?|we(?:'re| are| were)?|my \w+) (?:feel|felt|feeling|slept|sleepy|tired"
    r"|hungry|happy|sad"
    r"|sick|glad|sorry|excited|bored|exhausted|hate .* today|love .* today)\b|^(?:feeling|tired"
    r"|sleepy|exhausted)\b",
    re.IGNORECASE,
)
_TODAY = re.compile(
    rf"\b(?:today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening|week|weekend"
    rf"|year's)|last night"
    rf"|right now|at the moment|for now|just now|in (?:\d+|an?|a few) (?:minutes?|mins?|hours?"
    rf"|days?)|(?:hours?"
    rf"|minutes?|days?) ago|later|soon|(?:next|on|this|last) {WEEKDAY_NAME}\b(?!s)|{WEEKDAY_NAME}$"
    rf"|(?:this|last"
    rf"|next) week(?:end)?"
    r"|at \d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?$|last time)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|didn't|had|went|came|called|rang|phoned|mailed|emailed|wrote|texted"
    r"|visited|met|saw|said|told"
    r"|asked|talked|spoke|discussed|ate|drank|brought|bought|sent|received|got|made|gave|took"
    r"|showed|helped|worked"
    r"|played|watched|read|ran|walked|drove|flew|swam|lost|found|forgot|broke|fixed|finished"
    r"|cooked|baked|ordered|paid"
    r"|slept|sat|stood|won|hit|laughed|cried|celebrated|attended|reviewed|tested|tried|looked"
    r"|ended|happened|cancelled"
    r"|dropped|picked|stayed|arrived|returned|missed|heard|thought|felt|knew|wanted|needed|liked"
    r"|loved|enjoyed"
    r"|[a-z]{3,}(?<!ne)(?<!spe)(?<!fe)(?<!hundr)ed)\b"
)
_EVENTLESS = re.compile(
    r"\b(?:lunch|dinner|breakfast|brunch|coffee|drinks|beers?|walk|call|phone|meeting|mtg|chat"
    r"|talk|party|movie|visit"
    r"|hike|trip|workout|dentist|appointment|standup|sync)\b(?= (?:with|w/|at|on|today|in)|:|$)"
    r"|^(?:met|saw|visited)\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\b(?:always|never|from now on|must|only ever|at all times|no exceptions"
    r"|under no circumstances|as a rule)\b"
    r"|^(?:no|don'?t|do not|only|please)\b",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"\b(?:(?:likes|(?<=i )like|loves?|hates?|enjoys?|adores?)(?! (?:this|that|it|me|us)\b)"
    r"|prefers?|preferred"
    r"|dislikes?|favou?rites?|can'?t stand|fan of|fond of|interested in|allergic|vegan|vegetarian"
    r"|pescatarian"
    r"|intolerant|does(?:n'?t| not) (?:eat|drink|like|want)|(?:not|don'?t) like|not eat(?:ing)?"
    r"|hobby|hobbies"
    r"|afraid of|scared of|obsessed with|into \w+ing|collects?|drinks? only|no mails?)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:will|'ll|won'?t|going to|gonna|plans? to|planning to|planned|intends? to|aims? to|due"
    r"|deadline|wants? to"
    r"|(?:is|are|'s|'re) (?:moving|leaving|joining|starting|getting|launching|retiring|opening"
    r"|closing|expecting"
    r"|visiting|coming back|returning|taking over|having|building))\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"\b(?:(?:from|until|till|since|by|in|on|to|before|after|end of|mid|early|late|beginning of"
    rf"|starting)\s+(?:the )?(?:end of |mid[ -]|early |late )?(?:\d{{1,2}}\.?\s+|\d{{1,2}}(?:st|nd"
    rf"|rd|th)\s+(?:of )?)?(?:{MONTH_NAME}|\d{{4}}|spring|summer|autumn|fall|winter|Q[1-4]"
    rf"|next (?:month|year|spring|summer|fall|winter))\b"
    rf"|{MONTH_NAME} \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th"
    rf"|\.)? (?:of )?{MONTH_NAME}\b"
    rf"|\d{{4}}-\d\d-\d\d"
    r"|next (?:month|year)|(?:spring|summer|autumn|fall|winter) \d{4})",
    re.IGNORECASE,
)
_HABIT = re.compile(
    rf"\b(?:every|always|never|usually|often|mostly|only|each|daily|weekly|monthly|quarterly"
    rf"|yearly|annually|twice"
    rf"|these days|nowadays|on {WEEKDAY_NAME}s|{WEEKDAY_NAME}s|mornings?|evenings?|weekends"
    rf"|full[ -]time|part[ -]time|now|new|still)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"[$€£]\s?\d|\d\s?(?:[$€£%]|k\b|m\b|euros?|dollars?|usd|eur|million|percent|kg|km|cm|sqm|mg"
    r"|mcg|people|employees"
    r"|years?|bedrooms?)|\b[\w.+-]+@[\w-]+\.\w+|\+?\d[\d ()/-]{6,}\d|\b\d{3}-\d{4}\b",
    re.IGNORECASE,
)
_ATTRIBUTE = _any(
    "birthdays? anniversary phone mobile cell number e-?mail address handle username nickname"
    " surname job employer role title position boss manager deputy assistant contact owner lead"
    " leader ceo cto cfo founder budget price cost costs fee fees rate rent salary revenue terms"
    " deadline due launch opening release version status stack framework database language"
    " languages headquarters hq office hours size weight height school class degree diet allergy"
    " visa passport lease contract wife husband partner girlfriend boyfriend fianc[ée]e? son"
    " daughter kids? children sister brother mother father mom mum dad parents cousin uncle aunt"
    " niece nephew grandmother grandfather in-law based\\s+in"
)
_STATE = re.compile(
    r"^(?:\w+ly |now |also |still |just |currently |actually |always |never |usually |really "
    r"|often )*(?:is(?:n'?t"
    r"| not)?|are(?:n'?t| not)?|has|have|isn't|'s|lives?|works?|runs?|owns?|speaks?|plays?|teaches"
    r"|studies|reports"
    r"|leads?|manages?|knows?|uses?|needs|costs?|charges|pays?|drives?|grew|comes|goes|keeps"
    r"|contains|belongs|means"
    r"|supports?|requires?|provides?|includes?|consists|rents?|trains?|sells?|makes|does(?:n'?t"
    r"| not)?|do(?:n'?t"
    r"| not)|can(?:'?t|not)?|[a-z]{3,}s)\b",
    re.IGNORECASE,
)
_DOES = re.compile(r"^(?:\w+ly |now |also |still |just |often )*[a-z]{3,}s\b(?!:)", re.IGNORECASE)
_MOMENT = re.compile(
    r"^(?:\w+ly |now |also |still |just )*(?:(?:is|are|was|'s|'re|seems?|looks?|feels?"
    r"|sounds?)\s+(?:\w+ly |so |very "
    r"|too |a bit |still |again |really |all |back )*(?:sick|ill|tired|late|early|busy|happy"
    r"|pleased|worried|sad"
    r"|angry|upset|mad|annoyed|back|here|there|away|out|home|asleep|awake|stuck|stressed|nervous"
    r"|excited|hungry|drunk"
    r"|online|offline|ready|done|right|wrong|fine|ok|okay|great|good|nice|cool|bad|weird|crazy"
    r"|amazing|awesome|funny"
    r"|expensive|cheap|difficult|easy|hard|beautiful|interesting|sorry|proud|coming|calling"
    r"|waiting|running|going on"
    r"|on the way|at|with|up|down|in town|over)\b|says?\b|thinks?\b|asks?\b(?! for)|wonders?\b"
    r"|sends?\b|calls?\b"
    r"|mentions?\b|seems?\b|looks?\b|feels?\b|sounds?\b|hopes?\b|(?:has|have) (?:a|an"
    r"|the) (?:\w+ )?(?:cold|flu|fever"
    r"|headache|migraine|meeting|call|appointment|hangover|question|point|idea|cough|bad day"
    r"|day off)\b|(?:needs?"
    r"|wants?) (?:a|an|the|some|to|me)\b|(?:has|have) (?:to\b|no (?:time|idea|money|signal"
    r"|appetite)\b)"
    r"|[a-z]+s (?:the (?:other|first|second|last) one|this|that|it|them)\b|sick\b|ill\b|off sick\b"
    r"|away\b|late\b"
    r"|tired\b|here\b|again\b|asleep\b|awake\b)",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"^(?:\w+ly |now |also |still |just |often )*(?:lives?|works?|owns?|speaks?|stud(?:y|ies)"
    r"|teach(?:es)?|runs?"
    r"|leads?|manages?|uses?|costs?|charges?|pays?|earns?|weighs?|reports|belongs?|collects?"
    r"|knows?|contains?"
    r"|supports?|requires?|provides?|sells?|rents?|drives?|trains?|handles?|looks after|eats?"
    r"|drinks?|does(?:n'?t"
    r"| not)|do(?:n'?t| not)|can(?:'?t|not)?|(?:(?:['’]s )?(?:[\w-]+ ){0,3}(?:is|are)(?:n'?t"
    r"| not)? |['’]s )(?:an?|the"
    r"|my|our|his|her|called|named|from|based|married|single|[A-Z0-9])|(?:has|have) (?:an?|no|one"
    r"|two|three|four|five"
    r"|six|seven|eight|nine|ten|\d+) )"
)
"""What somebody is or does for longer than a day, where most that stands in the present tells of a
moment."""
_LEANS = re.compile(
    r"^(?!.*\b(?:to|that|when|if|who|someone|somebody) ).*?\b(?:him|them|her(?= (?:to|in|on|at|for"
    r"|with|and)\b|[.,!?]"
    r"|$))"
)
"""Somebody whom the sentence does not name, other than whom it is about."""
_WHEN = re.compile(
    rf"{MONTH_NAME}|{WEEKDAY_NAME}|\b(?:am|pm|at|on|in|the|and|noon|midnight|o'clock|\d+(?:st|nd|rd"
    rf"|th)?)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;(]| - | – | because | since (?=he|she|they|it|I|we)| as (?=he|she|they|it|I|we)"
)
_IS_SAID = re.compile(
    r"^(?:'s |’s )?(?:[\w-]+ ){0,4}?(?:is(?:n't)?|are(?:n't)?|has)\b(?! (?:here|back|in)\b)",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"^(?:'s |’s )?(?:[a-z][\w-]+ ){0,2}[a-z][\w-]+: \S", re.IGNORECASE)
_OF_WRITER = re.compile(
    r"^(?:from now on\b|i (?:prefer|like|love|hate|dislike|enjoy|live|work (?:best|at|as|for|from)"
    r"|speak|own|never"
    r"|always|don't (?:eat|drink|like)|do not (?:eat|drink|like)|was born|grew up|am allergic"
    r"|am vegan|am vegetarian"
    r"|am an?)|i'?m (?:an? |in the |from |allergic|vegan|vegetarian|married)|my (?:name|birthday"
    r"|favou?rite|job"
    r"|address|phone|time ?zone|pronouns)\b)",
    re.IGNORECASE,
)

_KEEPS_OUT = re.compile(
    r"(?<![^\W_])(?:pass[ -]?(?:words?|codes?|phrases?|wd)|pwd|pw|(?-i:PINs?|PUK|TANs?|CVV|CVC"
    r"|OTP)|2fa|log(?:s"
    r"|ged)?[ -]?ins?|sign[ -]?in|user ?(?:name)?|pass is|credentials|creds|key ?pad|key ?safe"
    r"|lock ?box|unlocks?"
    r"|(?:seed|recovery|backup|wallet|mnemonic|12|24|twelve) (?:words?|phrases?|codes?|keys?)"
    r"|maiden name"
    r"|secret (?:number|code|question)|iban|bsn|ssn|tax id|wi-?fi|wlan|router|combination|(?:door"
    r"|gate|phone|alarm|safe"
    r"|card|entry|back ?door) code|key is (?:under|in|behind)|kennwort|passwort|geheimzahl"
    r"|zugangsdaten)(?![^\W_])",
    re.IGNORECASE,
)
"""Words for what opens something: a line with one of them is never carried, whatever else it
says."""
_LOCK = re.compile(
    r"(?<![^\W_])(?:codes?|pins?|alarm|safe|locks?|gates?|doors?|network|keys?|card|account"
    r"|secrets?|tokens?)(?![^\W_])",
    re.IGNORECASE,
)
"""Words beside which a number or a mixed word may be what opens something."""
_OPENS = re.compile(
    r"(?<![\w.,:/€$£-])#?\d{3,}[#*]?(?![\w.,:]*[\w%€$£])|(?<!\S)(?=\S*\d)(?=\S*[^\W\d_])[^\s/]{6,}"
    r"|(?<!\d)\d\d(?:[ -]\d\d){1,3}(?!\d)"
)
_PAIR = re.compile(
    r"(?<!\S)[\w.@-]{3,} ?(?:/|\||:(?! )) ?(?=[^\s/]*\d)(?=[^\s/]*[^\W\d_]{3})"
    r"(?![\w-]+\.\w{2,4}\b)[^\s/]{6,}(?!\S)"
    r"|(?<!\S)(?=\S*\d)(?=\S*[^\W\d_]{2})[^\W_]+[!$%&*?^~=+]+\w+",
)


class DayLine(NamedTuple):
    """A line of a daily note that may be carried: a list item or a line of text; `above` are the
    items and headings around it, the nearest first."""

    path: str
    day: str
    number: int
    text: str
    above: tuple[str, ...]

    @property
    def moment(self) -> date:
        """The day as a date."""
        return date.fromisoformat(self.day)


def daily_lines(note: Note, day: str) -> Iterator[DayLine]:
    """The list items of a daily note that are no tasks and not struck, and its lines of text, in
    order."""
    taken = {task.line for task in note.tasks} | set(note.silent)
    for fact in note.facts:
        taken.update(range(fact.first, fact.last + 1))
    facts = {fact.first: fact for fact in note.facts}
    rows = [
        DayLine(note.path, day, fact.first, fact.text, _above(note, fact.first, fact.heading))
        for fact in facts.values()
        if fact.status == "active" and not _is_of_elsewhere(fact)
    ]
    for section in note.sections:
        above = tuple(reversed(section.heading))
        for number in _numbers_of_text(note, section):
            text = note.shown[number - 1].strip()
            if number not in taken and text:
                rows.append(DayLine(note.path, day, number, text, above))
    return iter(sorted(rows, key=lambda each: each.number))


def _is_of_elsewhere(fact: Fact) -> bool:
    """Whether a line tells itself of which day and from where it is."""
    return bool(fact.date and fact.dated == "line" and fact.source)


def _numbers_of_text(note: Note, section: Section) -> Iterator[int]:
    """The numbers of the lines of a section that are running text."""
    for unit in section.units:
        first = note.shown[unit.first - 1].lstrip()
        is_text = not re.match(r"[#|>`~<]|[-*+] |\d+[.)] ", first)
        if unit.status == "active" and is_text:
            yield from range(unit.first, unit.last + 1)


def _above(note: Note, number: int, heading: tuple[str, ...]) -> tuple[str, ...]:
    """The items around a line, the nearest first, then its headings."""
    around = [each for each in note.parents if each.first < number <= each.last]
    return (*(each.text for each in reversed(around)), *reversed(heading))


def plain_sentences(line: str) -> list[str]:
    """The sentences of a line, without marks of emphasis and the time of day before them."""
    text = _CLOCK.sub("", " ".join(_MARKS.sub("", line).split()))
    return [text[first:last] for first, last in split_sentences(text)]


def without_lead_in(sentence: str) -> str:
    """A sentence without what only leads to it: `Turns out that`, `Correction:`, `btw`."""
    rest = _OPENERS.sub("", sentence)
    if len(rest) > 3:
        return rest
    return sentence


def is_out(line: str) -> bool:
    """True if nothing of a line is ever kept: no words of its own, a task, a quote."""
    if is_task(line) or _QUOTED.search(line) or re.search(r"(?:^|\s)\[[ xX/-]\]\s", line):
        return True
    if _MACHINE.search(line) or (
        re.search(r",\s*\[\[|\]\],", line)
        and len(re.findall(r"[^\W\d_]{2,}", _LINKED.sub(" ", line))) < 3
    ):  # what a program wrote, or a list of links
        return True
    told = _URL.sub("", line)
    return told != line and len(re.findall(r"[^\W\d_]{2,}", told)) < 4


def may_open(line: DayLine) -> bool:
    """True if a line may hold what opens a door or an account, so that it stays in its day.

    Stricter than what a note is warned of: here a false alarm leaves one line where it is.
    """
    from aurelius.language.secret_text import find_secret

    text = _URL.sub("", line.text)
    is_cued = _LOCK.search(" ".join((*line.above[:1], text)))
    return bool(
        find_secret(line.text)
        or _PAIR.search(text)
        or any(map(_KEEPS_OUT.search, (text, *line.above[:1])))
        or (is_cued and _OPENS.search(text))
    )


def capture(sentence: str, rest: str, *, acts: bool = True) -> Captured | None:
    """What a sentence is, where it is worth keeping.

    `rest` is what it says behind the name it begins with, all of it where it begins with none;
    `acts` whether that is somebody who does things, or a thing whose name other nouns may follow.
    """
    words = re.findall(r"[^\W\d_]{2,}|\d+", _LINKED.sub(" ", rest))
    if len(sentence) > _MOST_SENTENCE_LETTERS or len(words) < 2:
        return None
    if _NO_WORD.match(rest) or not re.search(r"[^\W\d_]{2,}", _WHEN.sub(" ", rest)):
        return None
    if _LEANS.search(_CLAUSE.split(rest, maxsplit=1)[0]):
        return None
    if any(form.search(sentence) for form in (_QUESTION, _GUESS, _IF, _FIRST_MOOD)):
        return None
    worth = _weigh(sentence, rest.lstrip(" ,:;–-"), acts=acts)
    if worth >= _LEAST_WEIGHT:
        return Captured(_type(sentence, rest), worth)
    return None


def is_state(rest: str) -> bool:
    """True if what stands behind a name says what it is or does."""
    return bool(_STATE.match(rest.lstrip()))


def is_verb(word: str) -> bool:
    """True if a word by itself says that something was done, or is to be done."""
    return bool(_PAST.fullmatch(word.lower()) or _TODO.fullmatch(word))


def is_of_writer(sentence: str) -> bool:
    """True if a sentence says what its writer is, likes or does as a habit."""
    return (
        bool(_OF_WRITER.match(sentence))
        and not _TODAY.search(sentence)
        and not _GUESS.search(sentence)
    )


def _weigh(sentence: str, rest: str, *, acts: bool) -> float:
    """How much speaks for keeping a sentence, less what speaks against it."""
    first = _CLAUSE.split(rest, maxsplit=1)[0]
    state = _weight_of_state(first, acts=acts)
    is_settled = bool(CHANGED_CUES.search(rest) or SETTLED_CUES.search(sentence))
    is_past = not (is_settled or state or _LIKES.search(rest)) and _PAST.search(first)
    is_labelled = bool(_LABELLED.match(first))
    weights = (
        (1.5, CHANGED_CUES.search(rest)),
        (1.2, SETTLED_CUES.search(sentence)),
        (1.0, _LIKES.search(rest)),
        (0.6, _HABIT.search(rest)),
        (1.0, CORRECTED.search(rest)),
        (0.8, _VALUE.search(rest)),
        (0.6, _RULE.search(rest)),
        (state, True),
        (1.0 if state == 1 or is_labelled else 0.4, _ATTRIBUTE.search(first)),
        (0.4, _PLANNED.search(rest)),
        (1.0, _DATED.search(rest)),
        (1.0, is_labelled and not _EVENTLESS.search(first)),
    )
    against = (
        (0.5 if is_settled else 1.2, _TODAY.search(rest)),
        (1.8, _MOMENT.match(rest)),
        (1.2, _SMALL.search(sentence)),
        (0.8, not is_settled and _EVENTLESS.search(sentence)),
        (1.2, is_past),
        (2.0, _TODO.match(rest)),
    )
    return _sum_of(weights) - _sum_of(against)


def _sum_of(weights: Sequence[tuple[float, object]]) -> float:
    """What is so, weighed."""
    total = 0.0
    for weight, is_so in weights:
        total += weight * bool(is_so)
    return total


def _weight_of_state(first: str, *, acts: bool) -> float:
    """How much a clause says what somebody or something is: 1 where it lasts, 0 for nothing."""
    if _STATE.match(first) or _IS_SAID.search(first) or (acts and _DOES.match(first)):
        return 1.0 if not acts or _LASTS.match(first) else 0.5
    return 0.0


def _type(sentence: str, rest: str) -> str:
    if SETTLED_CUES.search(sentence) or _LIKES.search(rest):
        if SETTLED_CUES.search(sentence):
            return "decision"
        return "preference"
    if re.search(r"\b(?:always|never|must|from now on)\b", rest, re.IGNORECASE):
        return "instruction"
    if _PLANNED.search(rest) and _DATED.search(rest):
        return "plan"
    return "fact"


def overlap(one: str, other: str) -> float:
    """The share of words of the shorter of two lines that the other has too."""
    first = set(line_meaning(one).words)
    second = set(line_meaning(other).words)
    return len(first & second) / max(1, min(len(first), len(second)))
