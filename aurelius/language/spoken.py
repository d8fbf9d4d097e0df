"""The statements in a message that somebody typed or dictated: cut out of requests, questions and what was pasted.

    message → the person's own words → sentences → clauses, each told, asked, wanted or supposed → the telling ones

English alone.  A clause is cut out as it stands; what a program wrote or somebody pasted is no word of the person.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.reading.path_meaning import MONTHS, WEEKDAYS

from .change_cues import CHANGED, SETTLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LONGEST, MOST, ENOUGH = 400, 20_000, 1.0
"""Characters of a clause, and of a message, that are looked at; weight of the signs at which a clause is kept."""


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _of(pattern: str) -> re.Pattern[str]:
    return _re(rf"\b(?:{pattern})\b")


# -- the person's own words --------------------------------------------------------------------------------

_BLOCK = re.compile(
    r"<(memory|memory-action-needed|system-reminder|command-[a-z]+|local-command-[a-z]+|tool[a-z_-]*"
    r"|user-[a-z-]+-hook)\b"
    r".*?(?:</\1>|\Z)|^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\2|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_QUOTE = re.compile(
    r"\"[^\"\n]{3,}\"|“[^”\n]{3,}”|„[^“”\n]{3,}[“”]|«[^»\n]{3,}»|(?<!\w)'[^'\n]*\s[^'\n]*'(?!\w)|`[^`\n]+`"
    r"|(?:https?://|www\.)\S+"
)
_FOREIGN = _re(  # a line of a program, a mail or a file
    r"\s*(?:[>|<{}\[\]#@$%]|at .*\(.*\)|File \".*\", line|Traceback\b|(?:from|to|cc|subject|date|sent|von"
    r"|betreff): |\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[+-]{3} |[\w.-]+\s*\| |[\w.]*(?:Error|Exception"
    r"|Warning|FATAL|INFO|DEBUG|WARN)\b ?:|[\w.-]+ ?= ?\S|\w+\(.*\)[;:]?$|[A-Z_]{3,}=)|^(?:\t| {2,})\S|.*[;{}]\s*$"
)
_WROTE = _re(r"(?:on|am) .{6,80} (?:wrote|schrieb.*):|-{3,} ?(?:original|forwarded) message|begin forwarded message")
_HANDS = _of(  # what a line says that hands over a text
    r"this|here|below|following|attached|e-?mail|text|draft|logs?|errors?|output|message|letter|paragraph|version"
    r"|file|re(?:write|word|phrase)|translate|shorten|proofread|summari[sz]e|smooth|correct|check|fix|reply|answer"
    r"|said|says"
)
_ADDRESS = _re(r"(?:dear|hi|hello|hey|hallo|liebe[rs]?|sehr geehrte)\b[^.?!]{0,40}[,!]?$|(?:dear|liebe[rs]?)\s")
_SIGNED = _re(r"(?:(?:with )?(?:best|kind) regards|best|regards|cheers|yours|sincerely|many thanks|lg|vg|mfg)\W*$")
_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")


def own(message: str) -> str:
    """The person's own words of a message, a line each."""
    lines = list[str]()
    for block in re.split(r"\n\s*\n", _BLOCK.sub("\n", message[:MOST])):
        rows = [row for row in block.split("\n") if row.strip()]
        is_mail = rows and (_ADDRESS.match(rows[0].strip()) or any(_SIGNED.match(row.strip()) for row in rows[-2:]))
        if is_mail and (lines or len(rows) < 2):
            break
        for at, row in enumerate(() if is_mail else rows):
            if _WROTE.match(row.strip()):
                return "\n".join(lines)
            if not _FOREIGN.match(row):
                lines.append(row[item.end() if (item := _ITEM.match(row)) else 0 :].strip())
            is_list = at + 1 < len(rows) and _ITEM.match(rows[at + 1])
            if row.rstrip().endswith(":") and not is_list and _HANDS.search(row):
                return "\n".join(lines)
    return "\n".join(lines)


def blanked(text: str) -> str:
    """A line in which what is quoted is blanked, letter for letter."""
    return _QUOTE.sub(lambda found: "¤" * len(found[0]), text.replace("’", "'"))


# -- clauses ---------------------------------------------------------------------------------------------

_DO = (  # verbs with which a request begins
    "add|answer|append|ask|attach|be|block|book|bring|build|calculate|call|cc|change|check|choose|clean|colou?r"
    "|commit|compare|compute|continue|convert|copy|correct|count|create|cut|delete|deploy|do|don'?t|do not|draft"
    "|draw|drop|explain|export|extract|fetch|find|fix|forget|format|generate?|get|give|go|have|help|highlight"
    "|ignore|include|insert|install|introduce|keep|leave|let'?s|let (?:me|us)|list|look|mail|make|mention|merge"
    "|move|note|open|order|park|parse|paste|pick|plot|print|proofread|propose|pull|push|put|read|re(?:do|make|move"
    "|name|peat|phrase|place|ply|word|write)|remind|repair|rip|round|run|save|say|schedule|search|send|set|shall we"
    "|shorten|show|skip|soften|sort|split|start|stop|suggest|sum|summari[sz]e|swap|take|tell|test|translate|try"
    "|turn|undo|update|use|wait|word|write"
)
_ASKS = (
    "whom?|whose|(?:what|when|where|who|how)(?:'?s)?|why|which|is|are|am|was|were|do|does|did|can|could|should"
    "|shall|would|will|have you|has|any idea|anyone|isn't|aren't|don't you|doesn't|won't|wasn't"
)
_SUBJECT = (
    r"(?:he|she|they|we|i|it|you|that|there|this|who|nobody|everybody|everyone|people)(?:'(?:s|re|ve|m|ll"
    r"|d))?(?= [a-z])|(?:its|im|ive|theyre|hes|shes|thats)\b(?= )|(?-i:[A-Z][\w-]+)(?:'s| (?:is|was|has|wants"
    r"|starts|left|will)\b)|(?:the|my|our|his|her|their) (?:[\w'-]+ ){1,3}(?:is|are|was|were|has|have|goes|gets"
    r"|will|won't|isn't|wants?)\b"
)
_STARTS = rf"(?:(?:{_SUBJECT})|(?:please|never|always|from now on|no|only|if|maybe|perhaps|unless|{_DO}|{_ASKS})\b)"
_FILL = (
    r"(?:um+|uh+|erm?|okay|ok|right|yeah|yep|yes|well|anyway|by the (?:way|by)|btw|also|oh|so|and|but|because|bc"
    r"|cause|then|plus|as|hm+|ah|good|great|lovely|nice|haha|k|y|fine|perfect|actually|though|cool)"
)
_AFTER = (  # words after which a pronoun goes on with the clause
    "if whether what how when where why who which that than think say said says hope guess know as so unless before "
    "after until till while because since and or but decided tell sure already shall will can do did should are is "
    "asked maybe perhaps probably"
)
_GOES_ON = "".join(f"(?<!\\b{word})" for word in _AFTER.split())
_EDGE = _re(  # behind a sign, a joining word or a filler, or before a pronoun
    rf"(?:[,:;]\s+(?:{_FILL}[,\s]+)*|\s+(?:{_FILL}[,\s]+)+|\s*\(|\)\s*)(?={_STARTS}|[\w'-]+ (?:always|never)\b)"
    rf"|\s+(?:and|so|but) um+\s+|{_GOES_ON}"
    r"\s+(?=(?:he|she|they|we|i)(?:'(?:s|re|ve|m|ll|d))?\s|(?:it|that|there)'s\s|(?:can|could|would|will) you\s"
    r"|so yeah\b)"
)
_STOP = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+|\s+[-–—]\s+|\s+[:;]-?[)D(](?=\s|$)|(?<=\w):\s+(?=(?:we|i|they)\b)")
_LEAD = _re(
    rf"(?:{_FILL}|thanks|thank you|no(?= (?:he|she|they|we|i|it)\b)|no sorry|sorry|wait|you know(?: already)?"
    rf"|i mean|look|listen|basically|honestly|fyi|ps"
    r"|do you know|note|correction|(?:he|she|they|(?-i:[A-Z]\w+)) (?:did |just )?(?:says?|said|tells me|told me"
    r"|mentioned)(?: that)?(?= \w+)|while (?:you|we|i)'re (?:in there|at it|on it)|on (?:that|this"
    r"|another) note)\b[\s,:.!]*"
)
_TRAIL = _re(
    r"[\s,;:.!]+(?:um+|uh+|so|and|okay|ok|anyway|right|you know|because|but|please|pls|thanks|thank you"
    r"|bless (?:him|her))?[\s,;:.!]*$|,? right\?$"
)
_ASKED = _re(rf"(?:{_ASKS})\b(?!,)|.*\b(?:is|are) (?:when|what|who|where|how)\b")
_WANTED = _re(
    rf"(?:please|pls|{_DO}|i need|i want|i'd (?:like|want)|i would (?:like|want)|would you|could you)\b(?! (?:is"
    rf"|are|was|goes)\b)"
)
_DECIDES = _re(r"let'?s (?:go with|use|take|stick|do) (?:.* )?(?:not|instead|with)\b")
_SUPPOSED = _re(
    r"(?:and |but |so |or )?(?:what )?(?:if|suppose|supposing|say|assuming|imagine|let's say|pretend|for (?:example"
    r"|instance)|e\.?g|like|worst case|in case)\b|.*\b(?:if (?:i|we|you|one|they)|for example|let's say|say at)\b"
)
_GUESS = _of(
    r"maybe|perhaps|might|probably|possibly|i (?:think|guess|suppose|reckon|wonder)|not sure|unsure|idk|no idea"
    r"|who knows|whatever|at some point|some ?day|one day|hope|hopefully|wish|would|could|just an idea|dream"
    r"|thinking (?:of|about)|talking about|i(?:'d| would)? (?:rather )?fancy|i (?:should|must|dare) say|never tell"
    r"|not tell|whether|seems?|apparently|supposedly|as if|rumou?r|considering|toying|tempted|tired|weary|knackered"
    r"|exhausted|shattered|nervous|stupid|silly me|cry|happy|sad|glad|slept|hungry|astonished|dear me|horrible"
    r"|starving|cheerful|weird|strange|annoying|fussing|thank heaven|hear the end|goodness|gracious|i confess"
    r"|fed up|hate (?:this|my|it)|headache"
)
_JOKE = _of(r"april fools?|(?:just|only) (?:kidding|joking)|kidding|j/?k|haha|lol|imaginary")
_BACK = _of(
    r"scratch that|forget (?:that|it|what i said)|never ?mind|no,? wait,? don'?t|i take (?:that|it) back|ignore that"
)
_RULE = _re(
    r"\b(?:from (?:now|today) on|from (?:today|now)|as a rule|(?:the|a) rule|policy|(?:for the|in) future"
    r"|(?:for )?next time|going forward|every time|whenever|any ?more|at all times|in (?:any|every|all)(?:thing"
    r"| [a-z]+)|with me|for every(?:body|one)|never (?:again|ever)|the (?:minimum|maximum|limit)|without asking)\b"
    r"|^(?:(?:please|we|nobody|(?:we|you) must|\w+s) )?(?:always|never|must never|don't ever|only ever)\b(?! mind)"
    r"|\bwe (?:never|always|must|mustn't|don't|do not)\b(?! (?:know|have|need|think|see|get|want))|^nobody \w+s?\b"
    r"|\byou (?:must|may never|mustn't)\b"
    r"|(?<!\bi )(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\bas )(?<!\byou )\balways\b(?! \w+s\b| been| was)|, always$"
    r"|\b(?:up to|at most|at least|no more than)\b.*\b(?:can|may|must|needs?)\b|^no [\w-]+ (?:before|without|unless"
    r"|on|in|of|after|over)\b|^only (?!the\b)\w+"
)
_MON = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS if name != 'may')}|sept)"
_TH = (
    r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|tenth|eleventh"
    r"|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth"
)
_DAY = rf"(?:{'|'.join(WEEKDAYS)}|mon|tues?|wed|thur?s?|fri|sat|sun)"
DATED = _of(
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? (?:{_MON}|may)|{_MON} \d{{1,2}}|may \d{{1,2}}|(?:{_TH})(?: of (?:{_MON}"
    rf"|may))|the (?:{_TH})(?! time| one| thing| half| letter| part| line| row)|\d{{1,2}}(?:st|nd|rd|th)|(?:from|in"
    rf"|on|until|till?|by|since|mid|early|late|before|after|to|(?:begin|beginning|start|end"
    rf"|middle) of) (?:the end of )?(?:{_MON}|may)|\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.?(?!\d)|(?:in|from|until"
    rf"|by|since|spring|summer|autumn|winter) 20\d\d|may to \w+|{_DAY} the"
    r"|(?:next|this) (?:month|year|spring|summer|autumn|winter)|christmas|easter|new year|whitsun"
)
_HABIT = _of(
    rf"(?:{'|'.join(WEEKDAYS)})s|every (?:\w+ )?(?:{_DAY}|day|week|month|year|morning|evening)|(?:once|twice) a \w+"
    rf"|(?:{'|'.join(WEEKDAYS)}) (?:mornings?|evenings?|afternoons?)|\w+ a (?:week|month)"
)
_NOW = _of(r"now|these days|nowadays|still|since|for good|as of|instead")
_LEFT = _re(
    r"\b(?:from (?:now|today)|any ?more|not?|new|then|done|up to|left|switch\w*|taken|took|moved|is gone)\b|n't\b"
)
_SO_NOW = _re(r"^(?:i|we|he|she|they|it's all|(?-i:[A-Z]\w+))\b.*\bnow$|\bnow (?:\w+ )?\d|\d+\D{0,20} now\b")
_NEW = _of(
    r"moved? (?:[\w'.-]+ ){0,5}(?:to|into|from|out|in with|house)|taken over|(?:going|gone|goes|went|back) (?:down"
    r"|up|off) (?:to|from)|gone off|handed in|(?:kick|throw|rip)(?:ed|ing|n|ped|ping)? \w+ out|(?:is|are|has) gone"
    r"|upgraded|(?:switch|swap|chang)\w* (?:\w+ ){0,3}(?:to|from|for)|pushed|joined|\w+ (?:has )?left(?! (?:over|to"
    r"|side))|not \w+ing|registered|sign(?:ed|s) up|booked|bought|won't be|(?:is|are|'s|'re|am|'m) now|has a new"
    r"|ha(?:s|ve|d) been (?:made|moved|given|named|offered)|g(?:iven|ave) up|t(?:aken|ook) up|(?:is|are|'s|'re"
    r"|'m) (?:buying|selling|leaving|expecting|getting|joining|opening|closing|moving)|turn(?:s|ing) \w+"
    r"|starts? (?:on|in|at|as)|last day|appointed|elected|extended|got (?:the|a new|rid of) \w+|dropp?(?:ed|ing)"
    r"|no longer|any ?more"
)
_SET = _of(
    r"(?:i|we)(?:'ve| have)? (?:decided|agreed|chosen|settled)|it is decided|we(?:'re| are| will|'ll"
    r"| shall)? (?:now )?(?:going to|go with|go for|take|use|do|stick|stay|say(?:ing)?|clos\w+|shut|begin|change"
    r"|switch)|i(?:'ll| will)? take|i shall not|we shall|(?:is|are) to be \w+|stays? at|final (?:decision|answer)"
    r"|myself until|then for|let'?s (?:go with|use|take|stick)|\w+ not \w+$"
)
_SOON = _of(
    r"i(?:'ve)? (?:must|have to|got to|need to)|(?<!from )(?<!as of )today|tonight|tomorrow|yesterday"
    r"|this (?:morning|afternoon|evening)|right now|at the moment|just now|in the evening|again$|already"
    r"|in an? (?:minute|moment|sec|hour)|later|at once|just this once|for this one|in this (?:one|mail|draft|text)"
)
_WORK = _of(  # what somebody speaks of who works on a text or a program
    r"errors?|columns?|quer(?:y|ies)|regex|scripts?|functions?|syntax|branch|diff|line \d+|docstring|join|cast"
    r"|paragraphs?|sentences?|bullets?|template|subject line|wording|heading|(?:the )?(?:first|last|second"
    r"|third) (?:one|line|letter|part)|packages|tests?|button|cell"
)
_VERB = _re(r"\b(?:i|we|he|she|they|it|its|is|are|will|has|have|\w{2,}s|fly)\b|'(?:s|re|ll|m|ve)\b")
_WAS = _re(r"^(?:\w+ ){0,3}(?:was|were)\b")
_SELF = _re(
    r"\b(?:allergic|vegan|vegetarian|intolerant)\b|\b(?:is|are) called\b|\b(?:name|birthday) is\b|\bi(?:'m"
    r"| am) (?:an?|the|from|allergic|married|vegan|vegetarian)\b|\bi (?:live|work|travel|drink|eat|speak|own|prefer"
    r"|like|love|hate|(?:never|always) (?!said|did|was|had|meant)|can't|cannot|don't|do not|have joined|play|sing"
    r"|wear|take)\b|\bmy \w+ is\b"
)
LIKES = _re(
    r"\b(?:prefers?|likes?|loves?|hates?|can't (?:stand|read|bear)|wants? (?:no|two|only|everything)|gone off"
    r"|allergic|vegan|vegetarian|favou?rite|is into|'s into|drink my|afraid|doesn't (?:eat|drink|like|want))\b"
)


class _Clause(NamedTuple):
    """A clause of a message: where it stands in the line, and whether it is `told`, `asked`, `wanted`, `supposed`."""

    first: int
    last: int
    kind: str


def _clauses(blank: str) -> Iterator[list[_Clause]]:
    """The clauses of each sentence of a line, in which what is quoted is blanked."""
    ends = [(found.start(), found.end()) for found in _STOP.finditer(blank)]
    for first, last in zip((0, *(end for _, end in ends)), (*(start for start, _ in ends), len(blank)), strict=True):
        made = list(_split(blank, first, last))
        if made and not _JOKE.search(blank, first, last):
            yield made


def _split(blank: str, first: int, last: int) -> Iterator[_Clause]:
    """The clauses of a sentence."""
    is_question = blank[first:last].rstrip().endswith("?") and not re.search(r"\bright\?$", blank[first:last].rstrip())
    is_rule = bool(_RULE.search(blank, first, last))
    edges, kind = _edges(blank, first, last), ""
    for one, other in zip((first, *(end for _, end in edges)), (*(start for start, _ in edges), last), strict=True):
        lead = _lead(blank, one, other)
        text = blank[lead:other]
        if not re.search(r"\w", text):
            continue
        asks = bool(_ASKED.match(text)) and (is_question or kind != "told" or text[:3].casefold() in {"how", "why"})
        if not is_rule and (kind == "supposed" or _SUPPOSED.match(text)):
            kind = "supposed"
        elif _RULE.search(text) and not is_question:
            kind = "told"
        elif asks or (is_question and other == last):
            kind = "asked"
        elif _WANTED.match(text) and not (_DECIDES.match(text) or (kind == "told" and re.search(r"\binstead\b", text))):
            kind = "wanted"
        else:
            kind = "told"
        yield _Clause(lead, other, kind)


def _edges(blank: str, first: int, last: int) -> list[tuple[int, int]]:
    """Where the clauses of a sentence end and begin; `Ann and I` are one subject."""
    found: list[tuple[int, int]] = []
    for each in _EDGE.finditer(blank, first, last):
        before = blank[found[-1][1] if found else first : each.start()].split()
        if len(before) > 1 or each[0].strip().casefold() != "and":
            found.append(each.span())
    return found


def _lead(text: str, first: int, last: int) -> int:
    while (found := _LEAD.match(text, first, last)) and found.end() > first:
        first = found.end()
    while first < last and text[first] in " ,.;:!)-":
        first += 1
    return first


def worth(text: str) -> float:
    """How much speaks for keeping a clause that is told, less what speaks against it."""
    text = text.rstrip(" .,;:!")
    count = len(re.findall(r"[^\W\d_]{2,}|\d+", text))
    is_new, is_set = bool(_NEW.search(text) or CHANGED.search(text)), is_decided(text)
    is_rule = bool(_RULE.search(text))
    is_firm, is_liked = is_new or is_set or is_rule, bool(LIKES.search(text))
    if len(text) > LONGEST or count < (2 if is_firm else 3) or not (is_firm or _VERB.search(text)):
        return 0.0
    for_it = (
        1.1 * is_new + 1.1 * is_set + 1.1 * is_rule + bool(DATED.search(text)) + 0.6 * bool(_HABIT.search(text))
        + 0.5 * bool(_NOW.search(text)) + 0.5 * bool(_SO_NOW.search(text)) + bool(_SELF.search(text)) + 0.5 * is_liked
    )  # fmt: skip
    against = (
        4.0 * bool(_GUESS.search(text)) + 0.8 * (not is_rule and bool(_WORK.search(text)))
        + 0.6 * bool(_WAS.search(text))
        + (0.3 if is_firm else 1.0) * bool(_SOON.search(text))
    )  # fmt: skip
    return for_it - against


def is_rule(text: str) -> bool:
    """True if a clause says how something is done from now on."""
    return bool(_RULE.search(text)) and not _SELF.search(text)


def is_different(text: str) -> bool:
    """True if a clause says that something is no longer as it was."""
    return any(sign.search(text) for sign in (_NEW, CHANGED, _SET, SETTLED, _NOW, _LEFT))


def is_decided(text: str) -> bool:
    """True if a clause says what somebody decided."""
    return any(sign.search(text) for sign in (_SET, SETTLED))


def told(message: str, more: Callable[[str], float]) -> Iterator[tuple[str, str]]:
    """The clauses of a message that are worth keeping, as they were said, each with what was said before it.

    `more` says how much more a clause is worth, as it is of a matter that is known.
    """
    before = ""
    for line in own(message).split("\n"):
        blank = blanked(line)
        taken_back = max((each.end() for each in _BACK.finditer(blank)), default=0)
        blank = " " * taken_back + blank[taken_back:]
        for sentence in _clauses(blank):
            for first, last in _runs(blank, sentence, more):
                yield _TRAIL.sub("", line[first:last]), f"{before}\n{line[:first]}"
        before += f"\n{line}"


def _runs(blank: str, sentence: Sequence[_Clause], more: Callable[[str], float]) -> Iterator[tuple[int, int]]:
    """Where the worthy clauses of a sentence stand, each with those beside it that belong to it."""
    worthy = []
    for each in sentence:
        text = blank[each.first : each.last]
        weight = worth(text) if each.kind == "told" else 0.0
        worthy.append(weight >= ENOUGH or (weight > 0 and weight + more(text) >= ENOUGH))
    at = 0
    while at < len(sentence):
        first = at
        at += 1
        if worthy[first]:
            while first and not worthy[first - 1] and _leans(blank, sentence[first - 1], sentence[first]):
                first -= 1
                worthy[first] = True
            while at < len(sentence) and _follows(blank, sentence[at - 1], sentence[at], worthy=worthy[at]):
                at += 1
            yield sentence[first].first, sentence[at - 1].last


_SEPARATE = _re(r"\b(?:also|btw|by the way|anyway|plus|oh)\b(?!,\s*$)")
_JOINED = _re(r"^[,;][,\s]*(?:ah|oh|um+|no)?[,\s]*$|,\s*$|\b(?:because|bc|so)\b")
_CONDITION = _re(r"(?:if|when|whenever|as soon as)\b")
_WHO = _re(r"(?:it|that|they|he|she|there|this|we|i)\b")


def _quiet(text: str) -> bool:
    """True if nothing in a clause speaks against keeping it."""
    return not any(sign.search(text) for sign in (_GUESS, _SOON, _WORK))


def _beside(blank: str, before: _Clause, here: _Clause) -> tuple[str, str, str]:
    return blank[before.first : before.last], blank[before.last : here.first], blank[here.first : here.last]


def _leans(blank: str, before: _Clause, here: _Clause) -> bool:
    """True if a clause says something of what the clause before it names."""
    prior, between, text = _beside(blank, before, here)
    if before.kind != "told" or not _quiet(prior) or re.search(r"\balso\b", between):
        return False
    is_topic = not between.strip() and len(prior.split()) < 6 and not _VERB.search(prior)
    if is_topic or _CONDITION.match(prior) or re.match(r"(?:it|that)\b", text, re.IGNORECASE):
        return True
    return bool(re.search(r"[,;:]|\band\b", between) and _WHO.match(text)) and len(prior.split()) > 1


def _follows(blank: str, before: _Clause, here: _Clause, *, worthy: bool) -> bool:
    """True if a clause goes on with what the clause before it says."""
    prior, between, text = _beside(blank, before, here)
    if here.kind != "told" or _SEPARATE.search(between) or here.last - before.first > LONGEST:
        return False
    same = _WHO.match(text), _WHO.match(prior)
    if worthy and re.search(r"\b(?:so|but|and)\b", between):
        return bool(same[0] and same[1] and same[0][0].casefold() == same[1][0].casefold())
    return (worthy or _quiet(text)) and bool(
        re.search(r"^[,;][,\s]*(?:ah|oh|um+|no)?[,\s]*$|,\s*$|\b(?:because|bc|so)\b", between)
    )
