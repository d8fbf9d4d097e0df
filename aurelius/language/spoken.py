"""The statements in a message that somebody typed or dictated: cut out of requests, questions and what was pasted.

message → own words → sentences → clauses, told, asked, wanted or supposed → signs and embedding → log odds
"""

from __future__ import annotations

import json
import pkgutil
import re
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.reading.path_meaning import MONTHS, WEEKDAYS

from .change_cues import CHANGED, SETTLED, without_forgotten

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

LONGEST, MOST = 600, 20_000  # characters of a clause, and of a message, that are looked at


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _data(name: str) -> dict[str, Any]:
    return json.loads(pkgutil.get_data("aurelius.language", name) or b"")  # type: ignore[no-any-return]  # a file of ours


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
_WROTE = _re(
    r"(?:subject|from|to|betreff|von): |(?:on|am) .{6,80} (?:wrote|schrieb)|-{3,} ?(?:original|forwarded)|begin forward"
)
_HANDS = _of(  # what a line says that hands over a text
    r"this|here|below|following|attached|e-?mail|text|draft|logs?|errors?|output|message|letter|paragraph|version"
    r"|file|re(?:write|word|phrase)|translate|shorten|proofread|summari[sz]e|smooth|correct|check|fix|reply|says?"
)
_GIVEN = _re(  # what is behind it is somebody else's, or to be worked on
    r"\b(?:answer|translate|re(?:write|word|phrase|ply)|fix|shorten|proofread|correct|polish)\b[^:.?!]{0,40}:\s"
    r"|\b(?:user|customer|client|caller|reviewer|commenter|docs?|article|text|mail|message|letter|somebody|someone)s?"
    r" (?:just )?(?:sa(?:ys?|id)|writes?|wrote|asks?|asked|complain(?:s|ed)|reads)\s?:\s"
)
_BELOW = _re(  # a line before a text that is to be worked on
    r".*\b(?:summari[sz]e|translate|proofread|shorten|re(?:write|word|phrase)|edit|correct|explain|review)\b.*\b(?:this"
    r"|these|below|following)\b[^.?!]*[.?!]?\s*$"
)
_PRIVATE = _of(
    r"do(?:n'?t| not) (?:remember|save|store|note)|off the record|between (?:you and me|us)|keep (?:this|it) private"
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
            if asked := _GIVEN.search(row):
                return "\n".join((*lines, row[: asked.start()].strip()))
            if not _FOREIGN.match(row):
                lines.append(row[item.end() if (item := _ITEM.match(row)) else 0 :].strip())
            is_list = at + 1 < len(rows) and _ITEM.match(rows[at + 1])
            is_handed = row.rstrip().endswith(":") and not is_list and _HANDS.search(row)
            if is_handed or (row is rows[-1] and _BELOW.match(row)):
                return "\n".join(lines)
    return "\n".join(lines)


def blanked(text: str) -> str:
    """A line in which what is quoted is blanked, letter for letter."""
    return _QUOTE.sub(lambda found: "¤" * len(found[0]), text.replace("’", "'"))


# -- clauses ---------------------------------------------------------------------------------------------
_DO = (  # verbs with which a request begins
    "add|answer|append|ask|be|block|book|build|calculate|call|change|check|choose|clean|commit|compare|compute"
    "|continue|convert|copy|correct|count|create|cut|delete|deploy|do|don'?t|do not|draft|draw|drop|explain|export"
    "|extract|find|fix|forget|format|generate?|get|give|go|help|ignore|keep|leave|let'?s|let (?:me|us)|list|mail"
    "|make|merge|move|note|open|order|pick|plot|print|pull|push|put|read|re(?:do|make|move|name|peat|phrase|place"
    "|ply|word|write)|remind|repair|run|save|say|schedule|search|send|set|shorten|show|sort|split|start|stop"
    "|suggest|summari[sz]e|swap|take|tell|test|translate|try|turn|update|use|wait|write"
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
_SCOPE, _SHORT = _re(r"(?:from now on|in future|next time|in \w+ \w+)$"), _re(r"(?:never|not|no|only) [\w.-]+[\s.!]*$")
_STOP = re.compile(
    r"(?<=[!?…])[\"')\]]*\s+"
    r"|(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\bvs)(?<!\bno)(?<!\betc)(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])(?<=[\w\"')\]])\.[\"')\]]*\s+|\.\.+\s*|\n+|\s+[-–—]+\s+|\s+[:;]-?[)D(](?=\s|$)|\s*\|\s+"
)
_REMEMBER = (
    r"remember|note|save|do(?:n'?t| not) forget|never forget|(?:keep|bear) in mind|make a (?:mental )?note|note down"
    r"|for the record|note to self|merke? dir|vergiss nicht"
)
_ORDER = (  # to remember what comes next
    rf"(?:(?:can|could|will|would) you )?(?:(?:please|pls|bitte) )?(?:(?:{_REMEMBER})(?: this| that| das)?"
    rf"(?:, please)?\s*(?::|,? that\b(?! (?:is|was|one)\b)|,? dass\b)|for the record,|(?:remember|don'?t forget)"
    r"(?= (?:i|we|he|she|they)(?:'\w+)? | (?:my|our|the|his|her|their) (?:[\w'-]+ ){1,3}(?:is|are|has|have)\b))"
)
_ORDERED = _re(
    rf"(?:|.*(?<!said)(?<!says)[.!?;,]\s)\W*(?:(?:{_FILL}|hi|hey|hello|thanks|by the way)[\s,.!]+)*({_ORDER})\W*$"
)
_LEAD = _re(
    rf"(?:{_ORDER}(?=\W|$)|(?:{_REMEMBER})(?: this| that)?\s*$|(?:{_FILL}|thanks|thank you|look"
    r"|no(?=,? (?:(?:he|she|they|we|i|it)\b|(?-i:[A-Z])))|no sorry|sorry|wait|i mean"
    r"|you know(?: already)?|basically|fyi|ps|do you know|(?:please )?remember(?: that|:)?|note(?: that)?|correction"
    r"|keep in mind(?: that)?|(?:he|she|they|(?-i:[A-Z]\w+)) (?:did |just )?(?:says?|said|tells me|told me|mentioned)"
    r"(?: that)?(?= \w+)|while (?:you|we|i)'re (?:in there|at it|on it)|on (?:that|this|another) note)\b)[\s,:.!]*"
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
_MAKES = "write|add|make|make up|create|invent|generate|build|draft|imagine|tell"
_MADE_UP = "tests?|stor(?:y|ies)|examples?|fixtures?|mocks?|demo|sample|dummy|fake|scenario|poem|sketch|dialogue|joke"
_SUPPOSED = _re(  # as one may suppose, in a story, as an example or for a test, or as others claim
    r"(?:and |but |so |or )?(?:what )?(?:if|maybe|perhaps|suppose|supposing|say|assuming|imagine|let's say|pretend"
    r"|for (?:example|instance)|e\.?g|like|worst case|in case)\b|.*\b(?:if (?:i|we|you|one|they)|for example"
    r"|let's say|say at)\b|(?:in|for) (?:the|an?|my|his|her|this|that)"
    r" (?:(?!last|next)\w+ )?(?:novel|story|book|film|movie|dream|demo|example|scenario|tests?|mock|sample|dummy)"
    r"(?: data)?(?=[,:]| (?:the|an?|my|our|his|her|i|we|he|she|they)\b| (?-i:[A-Z]))"
    rf"|(?:{_MAKES}) (?:me )?(?:an? |some |the )?(?:\w+ ){{0,2}}(?:{_MADE_UP})\b|(?:(?!(?:i|we)\b)[\w']+ ){{1,4}}"
    r"(?:claim|reckon|believe|insist|swear|suspect|pretend)s\b|according to\b|rumou?r has|i(?:'ve)? (?:heard|read)\b"
)
_NOT_MEANT = _of(
    r"april fools?|(?:just|only) (?:kidding|joking)|kidding|j/?k|imaginary|just (?:this )?once|pretend"
    r"|(?:for|in) this (?:task|one|time|file|mail|draft|session|chat)"
)
_BACK = _of(
    r"scratch that|(?<!n't )(?<!not )(?<!never )forget (?:that|it|what i said)|never ?mind|no,? wait,? don'?t"
    r"|i take (?:that|it) back|ignore that"
)
_MON = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS if name != 'may')}|sept)"
_TH = r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|\w+(?:fth|ixth|nth|rth|ghth|tieth))"
_DAY = rf"(?:{'|'.join(WEEKDAYS)}|mon|tues?|wed|thur?s?|fri|sat|sun)"
DATED = _of(
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? (?:{_MON}|may)|{_MON} \d{{1,2}}|may \d{{1,2}}|(?:{_TH}) of (?:{_MON}|may)"
    rf"|the (?:{_TH})(?! time| one| thing| half| part| line)|\d{{1,2}}(?:st|nd|rd|th)|\d{{4}}-\d\d-\d\d|{_DAY} the"
    rf"|(?:from|in|on|until|till?|by|since|mid|early|late|before|after|to|of) (?:the end of )?(?:{_MON}|may)"
    r"|\d{1,2}\.\d{1,2}\.?(?!\d)|(?:in|from|until|by|since|spring|summer|autumn|winter) 20\d\d|christmas|easter"
    r"|(?:next|this) (?:month|year|spring|summer|autumn|winter)"
)
_LEFT = _re(r"\b(?:from (?:now|today)|any ?more|not?|new|then|done|up to|left|taken|took|is gone)\b|n't\b")
_SIGNS = {name: _re(pattern) for name, pattern in _data("spoken_signs.json").items()}
LIKES, _RULE = _SIGNS["likes"], _SIGNS["rule"]
_OWN = {"changed", "settled", "rule", "likes", "shift", "decided"}  # somebody's own, though it speaks of a program
_UNSURE = {"guess", "would", "handed", "letter", "question"}  # not sure, though it sounds so
_WHO = (  # of whom or what a plain statement is: somebody or something by name, mine, known
    r"^(?:(?!(?:that|this|it|there|he|she|they|you|we|what|who|no|yes|so|nice|your|only)\b)(?-i:[A-Z][\w-]+)"
    r"(?: (?:and )?(?-i:[A-Z][\w-]+))*(?:'s [\w-]+)?|(?:my|our|the|his|her|their) (?:[\w-]+ ){0,2}[\w-]+)"
)
_LASTS = (  # verbs of lasting states
    r" (?:only |mostly |usually |also |never |don't |can't )?(?:(?:live|work|prefer|like|love|hate|own|speak|play|drive"
    r"|eat|belong|report|use|run|keep|take|write|pay|support|mean|meet|deploy|manage|lead|cover|cost|open|close|turn|wear"
    r"|drink|collect|want|sit|stand)s?|teach(?:es)?|stud(?:y|ies)|has|have|had|go(?:es)?)\b"
)
_SIGNS |= {name: _re(pattern) for name, pattern in {
    "who does": _WHO + _LASTS, "i do": rf"^(?:i|we){_LASTS}", "who is": rf"{_WHO}(?: (?:is|are)|'s) (?!\w+ing\b|so\b)",
    "who is a": rf"{_WHO}(?: (?:is|are)|'s) (?:an?|the|my|our|his|her|called|from|originally)\b",
}.items()}  # fmt: skip
_LASTING = {"who does", "i do", "who is a", "mine is", "trait", "role", "life", "likes", "shift"}
_SIGNS |= {"changed": CHANGED, "settled": SETTLED, "dated": DATED}
_HANDED = _of(
    r"translat\w*|proofread|spelling|spell ?check|re(?:write|word|phrase)|shorten|tighten|caption|fix (?:this"
    r"|the grammar)|grammar|post|correct (?:this|my)|polish|tidy|text:|write (?:an?|me|the|to)|draft|make it sound"
    r"|reply (?:to|saying)|sounds?|version|say(?:s|ing)?|note|flyer|read it"
)  # what a person says who hands over a text or wants one
_LETTER = _of("dear|regards|sincerely|hi all|hello all|thank you for")
_ASIDE = _of("btw|by the way|also|oh|fyi|remember|note|keep in mind|correction|reminder|update|context|heads up")


class Clause(NamedTuple):
    """A clause of a message: where it stands in the line, and whether it is `told`, `asked`, `wanted`, `supposed`."""

    first: int
    last: int
    kind: str


def clauses(blank: str) -> Iterator[list[Clause]]:
    """The clauses of each sentence of a line, in which what is quoted is blanked."""
    ends = [(found.start(), found.end()) for found in _STOP.finditer(blank)]
    for first, last in zip((0, *(end for _, end in ends)), (*(start for start, _ in ends), len(blank)), strict=True):
        made = list(_split(blank, first, last))
        if made and not _NOT_MEANT.search(blank, first, last):
            yield made


def _split(blank: str, first: int, last: int) -> Iterator[Clause]:
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
        elif _WANTED.match(text) and not (kind == "told" and re.search(r"\binstead\b", text)):
            kind = "wanted"
        else:
            kind = "told"
        yield Clause(lead, other, kind)


def _edges(blank: str, first: int, last: int) -> list[tuple[int, int]]:
    """Where the clauses of a sentence end and begin; `Ann and I` are one subject."""
    found: list[tuple[int, int]] = []
    for each in _EDGE.finditer(blank, first, last):
        before = blank[found[-1][1] if found else first : each.start()].split()
        is_scope = _SCOPE.match(blank, found[-1][1] if found else first, each.start())
        is_short = _SHORT.match(blank, each.end(), last)
        if not (is_scope or is_short) and (len(before) > 1 or each[0].strip().casefold() != "and"):
            found.append(each.span())
    return found


def _lead(text: str, first: int, last: int) -> int:
    while (found := _LEAD.match(text, first, last)) and found.end() > first:
        first = found.end()
    while first < last and text[first] in " ,.;:!)-":
        first += 1
    return first


def is_rule(text: str) -> bool:
    """True if a clause says how something is done from now on."""
    return bool(_RULE.search(text)) and not _SIGNS["i"].search(text)


def is_different(text: str) -> bool:
    """True if a clause says that something is no longer as it was."""
    seen = (CHANGED, _SIGNS["decided"], SETTLED, _SIGNS["now"], _SIGNS["shift"], _LEFT)
    return any(sign.search(text) for sign in seen)


def is_decided(text: str) -> bool:
    """True if a clause says what somebody decided."""
    return any(sign.search(text) for sign in (_SIGNS["decided"], SETTLED))


def signs(line: str, blank: str, sentence: Sequence[Clause], at: int) -> set[str]:
    """What there is to be seen of a clause and around it, by name."""
    here, end = sentence[at], at + 1 == len(sentence)
    text, raw = blank[here.first : here.last].strip(" .,;:!"), line[here.first : here.last]
    found = {name for name, sign in _SIGNS.items() if sign.search(text)}
    if here.kind == "told" and found & _LASTING and not found & {"fleeting", "guess", "wh", "would"}:
        found |= {"plain", "plain twice" if len(found & _LASTING) > 1 else "", "plain short" if len(text) < 40 else ""}
    found |= {f"is {here.kind}", "alone" if len(sentence) == 1 else "", "last" if end else ""}
    count, names = len(text.split()), len(re.findall(r"(?<=[a-z,] )[A-Z][\w&'-]+", raw))
    found |= {f"over {most}" for most in (3, 5, 8, 11, 14, 18, 22) if count > most} | {f"names {min(names, 2)}"}
    found |= {"capital"} if raw[:1].isupper() else set()
    found |= {"quoted"} if "¤" in text else set()
    for word, other in (("before", at - 1), ("after", at + 1)):
        if 0 <= other < len(sentence):
            beside = blank[sentence[other].first : sentence[other].last]
            found.add(f"{word} {sentence[other].kind}")
            found |= {f"{word} {name}" for name in ("changed", "guess", "rule", "dated") if _SIGNS[name].search(beside)}
    prior = blank[: here.first]
    between = blank[sentence[at - 1].last : here.first] if at else ""
    behind = "" if end else blank[here.last : sentence[at + 1].first]
    is_then = not end and sentence[at + 1].kind in {"wanted", "asked"} and re.search(r"\bso\b|,|\band\b", behind)
    found |= {name for name, so in {
        "handed": _HANDED.search(prior), "handed:": re.search(_HANDED.pattern + r"[^.?!]*:\s*$", prior, re.IGNORECASE),
        "letter": _LETTER.search(blank), "ask": is_then,
        "so": re.search(r"\bso\b", behind), "thus": re.search(r"\bso\b", between),
        "aside": _ASIDE.search(blank[max(0, here.first - 30) : here.first]),
        "answered": prior.rstrip().endswith("?"), "question": blank[: here.last].rstrip().endswith("?"),
    }.items() if so}  # fmt: skip
    return found - {""}


def judged(found: Collection[str], meaning: Sequence[int]) -> float:
    """The log odds that a clause with these signs and this embedding is worth keeping."""
    return BIAS + sum(WEIGHTS.get(name, 0.0) for name in found) + SCALE * float(sum(map(mul, MEANING, meaning)))


def told(
    message: str, meaning: Callable[[str], Sequence[int]], more: Callable[[str], float]
) -> Iterator[tuple[str, str]]:
    """The clauses of a message that are worth keeping, as they were said, each with what was said before it.

    `meaning` is the embedding of a clause, `more` how much more it is worth as it is of a matter that is known.
    """
    before = ""
    for line in () if _PRIVATE.search(message) else own(message).split("\n"):
        blank = without_forgotten(blanked(line))
        taken_back = max((each.end() for each in _BACK.finditer(blank)), default=0)
        blank = " " * taken_back + blank[taken_back:]
        for sentence in clauses(blank):
            for first, last in _kept(line, blank, sentence, meaning, more):
                yield _TRAIL.sub("", line[first:last].rstrip("? ")), f"{before}\n{line[:first]}"
        before += f"\n{line}"


def _is_ordered(blank: str, here: Clause, last: int) -> bool:
    """True if what comes before a clause asks to remember it; `Remember that we met?` asks something else."""
    found = _ORDERED.match(blank[: here.first])
    return bool(found and (" you " in found[1] or not blank[here.first : last].rstrip().endswith("?")))


def _kept(
    line: str, blank: str, sentence: Sequence[Clause], meaning: Callable[[str], Sequence[int]],
    more: Callable[[str], float]) -> Iterator[tuple[int, int]]:  # fmt: skip
    """Where the clauses of a sentence stand that are worth keeping, each with those beside it that belong to it."""
    odds, is_program, says_on = list[float](), False, set[int]()
    for at, each in enumerate(sentence):
        text, seen, is_told = line[each.first : each.last], signs(line, blank, sentence, at), each.kind == "told"
        is_program = is_program or ("program" in seen and not seen & _OWN)  # and so is the rest of the sentence
        is_quoted = 2 * blank[each.first : each.last].count("¤") > len(text)
        is_out = each.kind == "supposed" or len(text) > LONGEST or is_quoted or is_program
        sure = -9.0 if is_out else judged(seen, meaning(text))
        if is_told and not is_out and "surely" in seen and not seen & _UNSURE and not _NOT_MEANT.search(blank):
            sure = max(sure, SURE)
        is_ordered = _is_ordered(blank, each, sentence[-1].last) or (is_told and ORDERED in odds[-1:])
        odds.append(ORDERED if is_ordered else sure + more(text) if -2 < sure < SURE else sure)
        is_and = at and blank[sentence[at - 1].last : each.first].strip(" ,").casefold() == "and"
        says_on |= {at} if is_told and (odds[-1] >= BESIDE or (is_and and "says on" in seen and not is_out)) else set()
    at = 0
    while at < len(sentence):
        first, at = at, at + 1
        if odds[first] >= SURE:
            while first and BESIDE <= odds[first - 1] < SURE and sentence[first - 1].kind == "told":
                first -= 1
            while at < len(sentence) and (odds[at] >= SURE or at in says_on):
                at += 1
            yield sentence[first].first, sentence[at - 1].last


# -- weights, as `scripts/benches/conversations_fit.py` finds them ---------------------------------------
SURE, BESIDE, ORDERED = 0.0, -2.8, 99.0  # log odds at which a clause is kept, and at which it goes with one beside it
_FITTED = _data("spoken_weights.json")
BIAS, SCALE = float(_FITTED["bias"]), float(_FITTED["scale"])
WEIGHTS: dict[str, float] = _FITTED["signs"]
MEANING = tuple(ord(letter) - ord("m") for letter in _FITTED["meaning"])  # each as far from `m` as its worth in SCALEs
