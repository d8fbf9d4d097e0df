"""The sentences of a message that state something worth keeping, whole, among requests, questions
and what was pasted.

message → own words → sentences → clauses, told, asked, wanted or supposed → signs and embedding →
log odds
"""

from __future__ import annotations

import json
import pkgutil
import re
from itertools import pairwise
from math import exp
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.matter.cues import CHANGED_CUES, SETTLED_CUES
from indexer.reading.path_meaning import MONTH_NAME, WEEKDAYS

from .sentences import (
    DO,
    FILL,
    NEVER_LAST,
    OPENING_WORD,
    blank_quotes,
    is_ordinary,
    sentence_spans,
    trim_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

_MOST_CLAUSE_LETTERS = 600
"""Characters of a clause that is looked at."""
LONGEST_SENTENCE = 1_000
"""Characters of a sentence that is kept."""
_MOST_MESSAGE_LETTERS = 20_000
"""Characters of a message that are looked at."""


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _data(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(pkgutil.get_data("aurelius.language", name) or b"")
    return data


def _of(pattern: str) -> re.Pattern[str]:
    return _re(rf"\b(?:{pattern})\b")


# -- the person's own words ------------------------------------------------------------
_BLOCK = re.compile(
    r"<(memory|memory-action-needed|system-reminder|command-[a-z]+|local-command-[a-z]+"
    r"|tool[a-z_-]*"
    r"|user-[a-z-]+-hook)\b"
    r".*?(?:</\1>|\Z)|^[ \t]*(`{3,}|~{3,}|\"{3}).*?(?:^[ \t]*\2|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_FOREIGN = _re(  # a line of a program, a mail or a file
    r"\s*(?:[>|<{}\[\]]|[#@$%](?!\d)|at .*\(.*\)|File \".*\", line|Traceback\b|(?:from|to|cc"
    r"|subject|date|sent|von"
    r"|betreff): |\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[+-]{3} |[\w.-]+\s*\| "
    r"|[\w.]*(?:Error|Exception"
    r"|Warning|FATAL|INFO|DEBUG|WARN)\b ?:|[\w.-]+ ?= ?\S|\w+\(.*\)[;:]?$|[A-Z_]{3,}=)|^(?:\t"
    r"| {2,})\S|.*[{}]\s*$"
    r"|(?:\S+ ){0,2}\S*;\s*$|.*[=(\[{].*;\s*$"
)
_WROTE = _re(
    r"(?:subject|from|to|betreff|von): |(?:on|am) .{6,80} (?:wrote|schrieb)|-{3,} ?(?:original"
    r"|forwarded)|begin forward"
)
_HANDS = _of(  # what a line says that hands over a text
    r"this|here|below|following|attached|e-?mail|text|draft|logs?|errors?|output|message|letter"
    r"|paragraph|version"
    r"|file|re(?:write|word|phrase)|translate|shorten|proofread|summari[sz]e|smooth|correct|check"
    r"|fix|reply|says?"
)
_GIVEN = _re(  # what is behind it is somebody else's, or to be worked on
    r"\b(?:answer|translate|re(?:write|word|phrase|ply)|fix|shorten|proofread|correct"
    r"|polish)\b[^:.?!]{0,40}:\s"
    r"|\b(?:user|customer|client|caller|reviewer|commenter|docs?|article|text|mail|message|letter"
    r"|somebody|someone)s?"
    r" (?:just )?(?:sa(?:ys?|id)|writes?|wrote|asks?|asked|complain(?:s|ed)|reads)\s?:\s"
)
_BELOW = _re(  # a line before a text that is to be worked on
    r".*\b(?:summari[sz]e|translate|proofread|shorten|re(?:write|word|phrase)|edit|correct|explain"
    r"|review)\b.*\b(?:this"
    r"|these|below|following)\b[^.?!]*[.?!]?\s*$"
)
_PRIVATE = _of(
    r"do(?:n'?t| not) (?:remember|save|store|note)|off the record|between (?:you and me|us)"
    r"|keep (?:this|it) private"
)
_ADDRESS = _re(
    r"(?:dear|hi|hello|hey|hallo)\b[^.?!]{0,40}[,!]?$|(?:dear|liebe[rs]?|sehr geehrte[rs]?)\s"
)
_SIGNED = _re(
    r"(?:(?:with )?(?:best|kind) regards|best|regards|cheers|yours|sincerely|many thanks|lg|vg"
    r"|mfg)\W*$"
)
_ITEM = re.compile(r"\s*(?:[-*+•–]|\d+[.)]|\(?[a-zA-Z\d]{1,2}\))\s+(?:\[[ xX-]\]\s)?")
_HANGS = _re(
    r"(?:[,&–—]|\b(?:an?|the|my|our|his|their|its|of|for|with|at|to|from|by|and|or|but|because"
    r"|since|if|unless|until"
    r"|while|which|who|whose|whether|as|than|in|on|into|under|during))$"
)
"""Words with which no sentence ends."""
_JOINS = _of(
    r"because|since|as|and|but|or|so that|which|who|whose|while|unless|until|till|if|when|where"
    r"|than|instead|not"
    r"|with|for|at|from|of|to|by|into|under|during|after|before|rather|plus|whether"
    r"|is|are|was|were|has|have|had"
)
"""Words with which a sentence goes on, rather than begins, where it is written small."""
_BEGINS = _re(rf"(?:(?:can|could|will|would) you|i|please|by the way|btw|also|oh|{DO})\b")
"""Words with which what is asked of an agent begins, or what somebody says of themselves."""
_UNCLOSED = re.compile(
    r"“[^”]*$|„[^“”]*$|^[^\"]*\"(?:[^\"]*\"[^\"]*\")*[^\"]*$|(?<![:;-])\([^()]*$"
)
"""A quotation or a bracket that the line does not close."""
_WIDEST = 100
"""Characters of a row that an editor breaks, at most."""
_FEW = 4
"""Words of a line that is too short to be a part of a broken one: `ok`."""


def own_lines(message: str) -> str:
    """The person's own words of a message, a line each; one that was broken over several is one
    again."""
    lines = list[str]()
    for block in re.split(r"\n\s*\n", _BLOCK.sub("\n", message[:_MOST_MESSAGE_LETTERS])):
        rows = [row for row in block.split("\n") if row.strip()]
        is_mail = _is_mail(rows)
        if is_mail and (lines or len(rows) < 2):
            break
        kept, is_handed = _kept_rows([] if is_mail else rows)
        lines += kept
        if is_handed:
            break
    return "\n".join(lines)


def _is_mail(rows: Sequence[str]) -> bool:
    """Whether a block begins or ends as a letter does."""
    if rows and _ADDRESS.match(rows[0].strip()):
        return True
    return any(_SIGNED.match(row.strip()) for row in rows[-2:])


class _Line(NamedTuple):
    """The last line of a block: its text, whether it is a list item, and whether it is left out."""

    text: str
    is_item: bool = False
    is_out: bool = False


class _Typed(NamedTuple):
    """How a block was typed: whether with marks that end sentences, and whether each row was filled
    before the next."""

    has_ends: bool
    is_wrapped: bool


def _kept_rows(rows: Sequence[str]) -> tuple[list[str], bool]:
    """The lines of a block that are the person's own, and whether what follows was handed over."""
    kept = list[str]()
    last = _Line("")
    typed = _Typed(any(_has_end(row) for row in rows), _is_wrapped(rows))
    for at, row in enumerate(rows):
        if _WROTE.match(row.strip()):
            return kept, True
        if asked := _GIVEN.search(row):
            ends = [last for _, last in sentence_spans(row) if last <= asked.start()]
            return [*kept, row[: max(ends, default=0)].strip()], True
        last = _taken(kept, last, row, typed)
        if _is_handed(rows, at):
            return kept, True
    return kept, False


def _taken(kept: list[str], last: _Line, row: str, typed: _Typed) -> _Line:
    """Add a row of a block to its lines, or to the last of them where that goes on in it; what is
    the last one then."""
    item = _ITEM.match(row)
    is_inside = not item and last.is_item and row.startswith("  ")
    if _FOREIGN.match(row) and not is_inside:
        return last
    text = row[item.end() if item else 0 :].strip()
    is_begun = item or is_inside or not last.text
    goes_on = is_inside if is_begun else _goes_on(last.text, text, typed)
    return _added(kept, last, text, goes_on)._replace(is_item=bool(item) or is_inside)


def _added(kept: list[str], last: _Line, text: str, goes_on: bool | None) -> _Line:
    """The last line once a row was added to the lines."""
    is_out = last.is_out if goes_on else goes_on is None
    if is_out:
        kept[-1] = ""
    elif goes_on:
        text = f"{kept.pop()} {text}"
    kept.append("" if is_out else text)
    return _Line(text, is_out=is_out)


def _has_end(row: str) -> bool:
    """Whether a row has a mark that ends a sentence, within it or at its end."""
    text = row.strip()
    within = [text[:last] for _, last in sentence_spans(text)][:-1]
    return (
        text.endswith("!")
        or text != trim_sentence(text)
        or any(each[-1] in ".!?" for each in within)
    )


def _is_wrapped(rows: Sequence[str]) -> bool:
    """Whether no row of a block had room for the first word of the next, as where an editor broke
    the lines; of rows wider than any editor makes them nobody did."""
    width = max(map(len, rows), default=0)
    return width <= _WIDEST and all(
        len(one) + 1 + len(other.split()[0]) > width for one, other in pairwise(rows)
    )


def _is_handed(rows: Sequence[str], at: int) -> bool:
    """Whether a row of a block says that what is below it is somebody else's, or to be worked
    on."""
    row = rows[at]
    if at + 1 < len(rows):
        below = rows[at + 1]
    else:
        below = ""
    goes_on = _ITEM.match(below) or below[:1].islower()
    if row.rstrip().endswith(":") and not goes_on and _HANDS.search(row):
        return True
    return not below and bool(_BELOW.match(row))


def _goes_on(line: str, text: str, typed: _Typed) -> bool | None:
    """Whether a line goes on in the text below it; None where nobody can tell, so that neither is
    kept.

    Most people who break a line end a sentence with it; who types full stops and left one out did
    not.
    """
    if _is_unfinished(line):
        return True
    if _is_doubtful(line):
        return (typed.has_ends and typed.is_wrapped) or not text[:1].isupper()
    if re.search(r"[.!?…][\"'”’)\]]*$", line):
        return text[:1].islower() and _is_open(line, text, typed)
    is_short = len(line.split()) < _FEW and not typed.is_wrapped
    if is_short or not re.search(r"[\w\"'”’)\]-]$", line):
        return False
    return _goes_on_unended(line, text, typed)


def _is_unfinished(line: str) -> bool:
    """Whether a line surely goes on: it ends with a word that ends nothing, or closes no quote."""
    if _HANGS.search(line) or NEVER_LAST.search(line.removesuffix(".")):
        return True
    return bool(_UNCLOSED.search(line))


def _is_doubtful(line: str) -> bool:
    """Whether a line ends with a colon, or with a full stop that may be an abbreviation's own."""
    return line[-1] in ":;" or (line[-1] == "." and not is_ordinary(line[:-1]))


def _is_open(line: str, text: str, typed: _Typed) -> bool:
    """Whether a sentence may go on behind the mark that a line ends with."""
    spans = sentence_spans(f"{line} {text}")
    is_open = typed.is_wrapped and all(last != len(line) for _, last in spans)
    return is_open or line[-1] not in ".!?…"


def _goes_on_unended(line: str, text: str, typed: _Typed) -> bool | None:
    """The same of a line without a mark at its end."""
    if text[:1].isupper():
        is_doubtful = typed.has_ends and not OPENING_WORD.match(text)
        return (typed.has_ends and typed.is_wrapped) or (None if is_doubtful else False)
    if typed.has_ends or _JOINS.match(text):
        return True
    if not OPENING_WORD.match(text) or (typed.is_wrapped and not _BEGINS.match(text)):
        return line[:1].isupper() or None
    return False


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


# -- clauses ---------------------------------------------------------------------------
_ASKS = (
    "whom?|whose|(?:what|when|where|who|how)(?:'?s)?|why|which|is|are|am|was|were|do|does|did|can"
    "|could|should|shall|would|will|have"
    " you|has|any idea|anyone|isn't|aren't|don't you|doesn't|won't|wasn't"
)
_SUBJECT = (
    r"(?:he|she|they|we|i|it|you|that|there|this|who|nobody|everybody|everyone|people)(?:'(?:s|re"
    r"|ve|m|ll"
    r"|d))?(?= [a-z])|(?:its|im|ive|theyre|hes|shes|thats)\b(?= )|(?-i:[A-Z][\w-]+)(?:'s| (?:is"
    r"|was|has|wants"
    r"|starts|left|will)\b)|(?:the|my|our|his|her|their) (?:[\w'-]+ ){1,3}(?:is|are|was|were|has"
    r"|have|goes|gets"
    r"|will|won't|isn't|wants?)\b"
)
_STARTS = (
    rf"(?:(?:{_SUBJECT})|(?:please|never|always|from now on|no|only|if|maybe|perhaps|unless|{DO}"
    rf"|{_ASKS})\b)"
)
_AFTER = (  # words after which a pronoun goes on with the clause
    "if whether what how when where why who which that than think say said says hope guess know as"
    " so unless before after until till while because since and or but decided tell sure already"
    " shall will can do did should are is asked maybe perhaps probably"
)
_GOES_ON = "".join(f"(?<!\\b{word})" for word in _AFTER.split())
_EDGE = _re(  # behind a sign, a joining word or a filler, or before a pronoun
    rf"(?:[,:;]\s+(?:{FILL}[,\s]+)*|(?<!\s)\s+(?:{FILL}[,\s]+)+|(?:(?<!\s)\s+)?\(|\)\s*)"
    rf"(?={_STARTS}|[\w'-]+ (?:always|never)\b)|(?<!\s)\s+(?:and|so|but) um+\s+|(?<!\s){_GOES_ON}"
    r"\s+(?=(?:he|she|they|we|i)(?:'(?:s|re|ve|m|ll|d))?\s|(?:it|that|there)'s\s|(?:can|could"
    r"|would|will) you\s"
    r"|so yeah\b)"
)
_SCOPE = _re(r"(?:from now on|in future|next time|in \w+ \w+)$")
_SHORT = _re(r"(?:never|not|no|only) [\w.-]+[\s.!]*$")
_STOP = re.compile(
    r"(?<=[!?…])[\"')\]]*\s+"
    r"|(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\bvs)(?<!\bno)(?<!\betc)"
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])(?<=[\w\"')\]])\.[\"')\]]*\s+|\.\.+\s*|\n+"
    r"|(?<!\s)\s+(?:[-–—]+\s+|[:;]-?[)D(](?=\s|$))|(?:(?<!\s)\s+)?\|\s+"
)
_REMEMBER = (
    r"remember|note|save|do(?:n'?t| not) forget|never forget|(?:keep|bear) in mind"
    r"|make a (?:mental )?note|note down"
    r"|for the record|note to self|merke? dir|vergiss nicht"
)
_ORDER = (  # to remember what comes next
    rf"(?:(?:can|could|will|would) you )?(?:(?:please|pls|bitte) )?(?:(?:{_REMEMBER})(?: this"
    rf"| that| das)?"
    rf"(?:, please)?\s*(?::|,? that\b(?! (?:is|was|one)\b)|,? dass\b)|for the record,|(?:remember"
    rf"|don'?t forget)"
    r"(?= (?:i|we|he|she|they)(?:'\w+)? | (?:my|our|the|his|her|their) (?:[\w'-]+ ){1,3}(?:is|are"
    r"|has|have)\b))"
)
_ORDERED = _re(
    rf"(?:|.*(?<!said)(?<!says)[.!?;,]\s)\W*(?:(?:{FILL}|hi|hey|hello|thanks"
    rf"|by the way)[\s,.!]+)*({_ORDER})\W*$"
)
_ASKS_TO_KEEP = _re(_ORDER)
_OWN_WORD = re.compile(r"\w+")
_LEAD = _re(
    rf"(?:{_ORDER}(?=\W|$)|(?:{_REMEMBER})(?: this| that)?\s*$|(?:{FILL}|thanks|thank you|look"
    r"|no(?=,? (?:(?:he|she|they|we|i|it)\b|(?-i:[A-Z])))|no sorry|sorry|wait|i mean"
    r"|you know(?: already)?|basically|fyi|ps|do you know|(?:please )?remember(?: that|:)?"
    r"|note(?: that)?|correction"
    r"|keep in mind(?: that)?|(?:he|she|they|(?-i:[A-Z]\w+)) (?:did |just )?(?:says?|said|tells me"
    r"|told me|mentioned)"
    r"(?: that)?(?= \w+)|while (?:you|we|i)'re (?:in there|at it|on it)|on (?:that|this"
    r"|another) note)\b)[\s,:.!]*"
)
_TRAIL = _re(
    r"[\s,;:.!]+(?:um+|uh+|so|and|okay|ok|anyway|right|you know|because|but|please|pls|thanks"
    r"|thank you"
    r"|bless (?:him|her))?[\s,;:.!]*$|,? right\?$"
)
_ASKED = _re(rf"(?:{_ASKS})\b(?!,)|.*\b(?:is|are) (?:when|what|who|where|how)\b")
_WANTED = _re(
    rf"(?:please|pls|{DO}|i need|i want|i'd (?:like|want)|i would (?:like|want)|would you"
    rf"|could you)\b(?! (?:is"
    rf"|are|was|goes)\b)"
)
_MAKES = "write|add|make|make up|create|invent|generate|build|draft|imagine|tell"
_MADE_UP = (
    "tests?|stor(?:y|ies)|examples?|fixtures?|mocks?|demo|sample|dummy|fake|scenario|poem|sketch"
    "|dialogue|joke"
)
_SUPPOSED = _re(  # as one may suppose, in a story, as an example or for a test, or as others claim
    r"(?:and |but |so |or )?(?:what )?(?:if|maybe|perhaps|suppose|supposing|say|assuming|imagine"
    r"|let's say|pretend"
    r"|for (?:example|instance)|e\.?g|like|worst case|in case)\b|.*\b(?:if (?:i|we|you|one|they)"
    r"|for example"
    r"|let's say|say at)\b|(?:in|for) (?:the|an?|my|his|her|this|that)"
    r" (?:(?!last|next)\w+ )?(?:novel|story|book|film|movie|dream|demo|example|scenario|tests?"
    r"|mock|sample|dummy)"
    r"(?: data)?(?=[,:]| (?:the|an?|my|our|his|her|i|we|he|she|they)\b| (?-i:[A-Z]))"
    rf"|(?:{_MAKES}) (?:me )?(?:an? |some |the )?(?:\w+ ){{0,2}}(?:{_MADE_UP})\b|(?:(?!(?:i"
    rf"|we)\b)[\w']+ ){{1,4}}"
    r"(?:claim|reckon|believe|insist|swear|suspect|pretend)s\b|according to\b|rumou?r has"
    r"|i(?:'ve)? (?:heard|read)\b"
)
_UNREAL = _re(  # nobody says that it comes
    r"\b(?:would|could|might|had|were|wonder|suppose|supposing|imagine|say|pretend|maybe|perhaps"
    r"|for example|let'?s say|how|what|who|why|which|whether|dunno|(?:know|see"
    r"|sure|asks?|asked|check|me|only) if|if (?:[\w']+ ){1,3}?\w+ed)\b|'d\b"
)
_NOT_MEANT = _of(
    r"april fools?|(?:just|only) (?:kidding|joking)|kidding|j/?k|imaginary|just (?:this )?once"
    r"|pretend"
    r"|(?:just|only) for (?:today|now|this)|for (?:today|now|this \w+) only"
    r"|(?:for|in) this (?:task|one|time|file|mail|draft|session|chat)"
)
_BACK = _of(
    r"scratch that|(?<!n't )(?<!not )(?<!never )forget (?:that|it|what i said)|never ?mind"
    r"|no,? wait,? don'?t"
    r"|i take (?:that|it) back|ignore that"
)
_TH = r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|\w+(?:fth|ixth|nth|rth|ghth|tieth))"
_DAY = rf"(?:{'|'.join(WEEKDAYS)}|mon|tues?|wed|thur?s?|fri|sat|sun)"
DATED = _of(
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? {MONTH_NAME}|{MONTH_NAME} \d{{1,2}}"
    rf"|(?:{_TH}) of {MONTH_NAME}"
    rf"|the (?:{_TH})(?! time| one| thing| half| part| line)|\d{{1,2}}(?:st|nd|rd|th)"
    rf"|\d{{4}}-\d\d-\d\d|{_DAY} the"
    rf"|(?:from|in|on|until|till?|by|since|mid|early|late|before|after|to"
    rf"|of) (?:the end of )?{MONTH_NAME}"
    r"|\d{1,2}\.\d{1,2}\.?(?!\d)|(?:in|from|until|by|since|spring|summer|autumn|winter) 20\d\d"
    r"|christmas|easter"
    r"|(?:next|this) (?:month|year|spring|summer|autumn|winter)"
)
_SIGNS = {name: _re(pattern) for name, pattern in _data("spoken_signs.json").items()}
LIKES = _SIGNS["likes"]
_RULE = _SIGNS["rule"]
_OWN = {
    "changed",
    "settled",
    "rule",
    "likes",
    "shift",
    "decided",
}  # somebody's own, though it speaks of a program
_UNSURE = {"guess", "would", "handed", "letter", "question"}  # not sure, though it sounds so
_WHO = (  # of whom or what a plain statement is: somebody or something by name, mine, known
    r"^(?:(?!(?:that|this|it|there|he|she|they|you|we|what|who|no|yes|so|nice|your"
    r"|only)\b)(?-i:[A-Z][\w-]+)"
    r"(?: (?:and )?(?-i:[A-Z][\w-]+))*(?:'s [\w-]+)?|(?:my|our|the|his|her"
    r"|their) (?:[\w-]+ ){0,2}[\w-]+)"
)
_LASTS = (  # verbs of lasting states
    r" (?:only |mostly |usually |also |never |don't |can't )?(?:(?:live|work|prefer|like|love|hate"
    r"|own|speak|play|drive"
    r"|eat|belong|report|use|run|keep|take|write|pay|support|mean|meet|deploy|manage|lead|cover"
    r"|cost|open|close|turn|wear"
    r"|drink|collect|want|sit|stand)s?|teach(?:es)?|stud(?:y|ies)|has|have|had|go(?:es)?)\b"
)
_SIGNS |= {
    name: _re(pattern)
    for name, pattern in {
        "who does": _WHO + _LASTS,
        "i do": rf"^(?:i|we){_LASTS}",
        "who is": rf"{_WHO}(?: (?:is|are)|'s) (?!\w+ing\b|so\b)",
        "who is a": (
            rf"{_WHO}(?: (?:is|are)|'s) (?:an?|the|my|our|his|her|called|from|originally)\b"
        ),
    }.items()
}
_LASTING = {"who does", "i do", "who is a", "mine is", "trait", "role", "life", "likes", "shift"}
_SIGNS |= {"changed": CHANGED_CUES, "settled": SETTLED_CUES, "dated": DATED}
_HANDED = _of(
    r"translat\w*|proofread|spelling|spell ?check|re(?:write|word|phrase)|shorten|tighten|caption"
    r"|fix (?:this"
    r"|the grammar)|grammar|post|correct (?:this|my)|polish|tidy|text:|write (?:an?|me|the|to)"
    r"|draft|make it sound"
    r"|reply (?:to|saying)|sounds?|version|say(?:s|ing)?|note|flyer|read it"
)  # what a person says who hands over a text or wants one
_LETTER = _of("dear|regards|sincerely|hi all|hello all|thank you for")
_SCOPED = _re(  # what holds in some cases alone: a rule for them
    r"(?:and |but |so )?(?:for|in|with|on|when(?:ever)?|if|before|after)\b(?! (?:this|that|now)\b)"
    r".*\b(?:always|never|don'?t|do not|must|please|no|only|needs?|i want|we want)\b"
)
_FOR_GOOD = _of(r"always|never|don'?t|do not|must|please|i want|we want")
_MADE = _re(
    r"(?:please )?(?:use|write|give|keep|make|put|send|call|show|avoid|stick)\b"
    r"|.*[,;:] (?:so |and )?(?:please )?(?:don'?t|do not|never|always)\b(?! (?:know|think|have"
    r"|need|like|want|mind))"
)
_ASIDE = _of(
    "btw|by the way|also|oh|fyi|remember|note|keep in"
    " mind|correction|reminder|update|context|heads up"
)


class Clause(NamedTuple):
    """A clause of a message: where it stands in the line, and whether it is `told`, `asked`,
    `wanted`, `supposed`."""

    first: int
    last: int
    kind: str


def clauses(blank: str, first: int, last: int) -> list[list[Clause]]:
    """The clauses of each part of a sentence, in which what is quoted is blanked; none where it is
    not meant."""
    if _NOT_MEANT.search(blank, first, last):
        return []
    ends = [(found.start(), found.end()) for found in _STOP.finditer(blank, first, last)]
    starts = (first, *(end for _, end in ends))
    parts = zip(starts, (*(start for start, _ in ends), last), strict=True)
    return [made for one, other in parts if (made := list(_split(blank, one, other)))]


def _split(blank: str, first: int, last: int) -> Iterator[Clause]:
    """The clauses of a sentence."""
    text = blank[first:last].rstrip()
    asks = bool(re.search(r"(?<!\bright)\?$", text))
    is_real = bool(_RULE.search(blank, first, last) or _is_condition(text, asks=asks))
    edges = _edges(blank, first, last)
    starts = (first, *(end for _, end in edges))
    kind = ""
    for one, other in zip(starts, (*(start for start, _ in edges), last), strict=True):
        lead = _lead(blank, one, other)
        text = blank[lead:other]
        if not re.search(r"\w", text):
            continue
        if not is_real and (kind == "supposed" or _SUPPOSED.match(text)):
            kind = "supposed"
        elif asks and other == last:
            kind = "asked"
        else:
            kind = _kind(text, kind, asks=asks)
        yield Clause(lead, other, kind)


def _is_condition(text: str, *, asks: bool) -> bool:
    """Whether what a sentence supposes is a case that comes, in which something is so."""
    return bool(re.search(r"(?i)\bif\b", text)) and not (asks or _UNREAL.search(text))


def _kind(text: str, before: str, *, asks: bool) -> str:
    """Whether a clause is told, asked or wanted; `before` is the kind of the one before it, `asks`
    says that its sentence is a question."""
    if _RULE.search(text) and not asks:
        return "told"
    may_ask = asks or before != "told" or text[:3].casefold() in {"how", "why"}
    if may_ask and _ASKED.match(text):
        return "asked"
    is_instead = before == "told" and re.search(r"\binstead\b", text)
    return "wanted" if _WANTED.match(text) and not is_instead else "told"


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


def without_lead(text: str) -> str:
    """A sentence without what only leads to it: `By the way,`, `Remember that`."""
    return text[_lead(text, 0, len(text)) :] or text


def is_rule(text: str) -> bool:
    """True if a clause says how something is done from now on."""
    return bool(_RULE.search(text)) and not _SIGNS["i"].search(text)


def orders_something(text: str) -> bool:
    """True if a clause says what is wanted in some cases, or of all that is to be made."""
    return bool(_SCOPED.match(text) and _FOR_GOOD.search(text)) or bool(_MADE.match(text))


def lets(text: str) -> bool:
    """True if a clause is a choice that somebody proposes for both: `Let's switch to SQLite`."""
    return bool(_SIGNS["lets"].search(text))


def clause_decides(text: str) -> bool:
    """True if a clause says what somebody decided."""
    signs = _SIGNS["decided"], _SIGNS["lets"], SETTLED_CUES
    return any(sign.search(text) for sign in signs)


def clause_signs(line: str, blank: str, sentence: Sequence[Clause], at: int) -> set[str]:
    """What there is to be seen of a clause and around it, by name."""
    here = sentence[at]
    text = blank[here.first : here.last].strip(" .,;:!")
    raw = line[here.first : here.last]
    found = {name for name, sign in _SIGNS.items() if sign.search(text)}
    lasting = len(found & _LASTING)
    if here.kind != "told" or found & {"fleeting", "guess", "wh", "would"}:
        lasting = 0
    words = len(text.split())
    names = len(re.findall(r"(?<=[a-z,] )[A-Z][\w&'-]+", raw))
    found |= {f"over {most}" for most in (3, 5, 8, 11, 14, 18, 22) if words > most}
    found |= {f"is {here.kind}", f"names {min(names, 2)}"}
    found |= _signs_beside(blank, sentence, at - 1, "before")
    found |= _signs_beside(blank, sentence, at + 1, "after")
    signs = {
        "plain": lasting,
        "plain twice": lasting > 1,
        "plain short": lasting and len(text) < 40,
        "alone": len(sentence) == 1,
        "last": at + 1 == len(sentence),
        "capital": raw[:1].isupper(),
        "whole": _is_whole(blank, here),
        "whole plain": lasting and _is_whole(blank, here),
        "scoped": here.kind != "asked"
        and any(_SCOPED.match(blank, at, here.last) for at in {sentence[0].first, here.first}),
        "quoted": "¤" in text,
        **_signs_around(blank, sentence, at),
    }
    return found | {name for name, is_so in signs.items() if is_so}


def _is_whole(blank: str, here: Clause) -> bool:
    """Whether a clause is all that a line says."""
    return not re.search(r"\w", blank[: here.first] + blank[here.last :])


def _signs_beside(blank: str, sentence: Sequence[Clause], at: int, word: str) -> set[str]:
    """What there is to be seen of the clause before or after another, if there is one."""
    if not 0 <= at < len(sentence):
        return set()
    beside = blank[sentence[at].first : sentence[at].last]
    names = [each for each in ("changed", "guess", "rule", "dated") if _SIGNS[each].search(beside)]
    return {f"{word} {name}" for name in (sentence[at].kind, *names)}


def _signs_around(blank: str, sentence: Sequence[Clause], at: int) -> dict[str, object]:
    """What a clause stands behind and in front of, by name; what is not so is empty."""
    here = sentence[at]
    prior = blank[: here.first]
    between = blank[sentence[at - 1].last : here.first] if at else ""
    behind = kind = ""
    if at + 1 < len(sentence):
        behind = blank[here.last : sentence[at + 1].first]
        kind = sentence[at + 1].kind
    return {
        "handed": _HANDED.search(prior),
        "handed:": re.search(_HANDED.pattern + r"[^.?!]*:\s*$", prior, re.IGNORECASE),
        "letter": _LETTER.search(blank),
        "ask": kind in {"wanted", "asked"} and re.search(r"\bso\b|,|\band\b", behind),
        "so": re.search(r"\bso\b", behind),
        "thus": re.search(r"\bso\b", between),
        "aside": _ASIDE.search(blank[max(0, here.first - 30) : here.first]),
        "answered": prior.rstrip().endswith("?"),
        "question": blank[: here.last].rstrip().endswith("?"),
    }


def _log_odds(found: Collection[str], meaning: Sequence[int]) -> float:
    """The log odds that a clause with these signs and this embedding is worth keeping."""
    return (
        BIAS
        + sum(SIGN_WEIGHTS.get(name, 0.0) for name in found)
        + SCALE * float(sum(map(mul, MEANING, meaning)))
    )


class Statement(NamedTuple):
    """A sentence that states something: whole, as it was said; `core` is the part that says it;
    `before` what was said before that part."""

    text: str
    core: str
    before: str


class _Said(NamedTuple):
    """A clause of a sentence, its place in its part, the log odds that it is worth keeping, and
    whether its words are sure."""

    clause: Clause
    at: int
    odds: float
    sure: bool


def spoken_statements(
    message: str,
    meaning: Callable[[str], Sequence[int]],
    more: Callable[[str], float],
    claims: Callable[[str], Collection[str]] = lambda _: (),
) -> Iterator[Statement]:
    """The sentences of a message that are worth keeping.

    `meaning` is the embedding of a clause, `more` how much more it is worth as it is of a matter
    that is known; `claims` are the kinds of clauses of a sentence that are worth it as it may not
    hold beside what is known.
    """
    before = ""
    for line, blank in _typed_lines(message):
        is_settled = False
        for first, last in sentence_spans(line):
            text = trim_sentence(line[first:last])
            said = list[_Said]()
            for part in clauses(blank, first, last):
                said += _weighed(line, blank, part, meaning, more)
            kept = _worth(said, follows=is_settled) or _claimed(line, blank, said, claims)
            plain = without_lead(text)
            is_settled = bool(kept) and (is_rule(plain) or clause_decides(plain))
            if kept and last - first <= LONGEST_SENTENCE and not text.endswith(":"):
                begin, end = _core(blank, said, kept)
                core = _TRAIL.sub("", line[begin:end])
                yield Statement(text, core, f"{before}\n{line[:begin]}")
        before += f"\n{line}"


def _typed_lines(message: str) -> Iterator[tuple[str, str]]:
    """The person's own lines of a message that is not private, and each without what is quoted, to
    be forgotten or taken back, letter for letter."""
    for line in () if _PRIVATE.search(message) else own_lines(message).split("\n"):
        blank = without_forgotten(blank_quotes(line))
        taken_back = max((each.end() for each in _BACK.finditer(blank)), default=0)
        yield line, " " * taken_back + blank[taken_back:]


def whole_sentences(message: str) -> Iterator[Statement]:
    """Every sentence that a message states in the person's own words, whatever it is worth."""
    before = ""
    for line, blank in _typed_lines(message):
        for first, last in sentence_spans(line):
            text = trim_sentence(line[first:last])
            own = len(_OWN_WORD.findall(blank, first, last))
            is_own = own > 1 and 2 * own > len(_OWN_WORD.findall(text))
            if is_own and last - first <= LONGEST_SENTENCE and text[-1:] not in {":", "?"}:
                yield Statement(text, without_lead(text), f"{before}\n{line[:first]}")
        before += f"\n{line}"


def is_ordered_kept(text: str) -> bool:
    """True if a sentence asks that it be remembered."""
    return bool(_ASKS_TO_KEEP.match(text))


def _worth(said: Sequence[_Said], *, follows: bool) -> list[_Said]:
    """The clauses of a sentence that are worth keeping: by themselves, together, or as the reason
    of what the sentence before them settles, which it `follows`."""
    kept = [each for each in said if each.odds >= _LEAST_LOG_ODDS]
    told = [each for each in said if each.clause.kind == "told"]
    kept = kept or _together(told)
    if kept or not (follows and told == said and told):
        return kept
    is_reason = max(each.odds for each in said) > _LEAST_OF_REASON
    return told if is_reason and all(each.sure for each in said) else []


def _together(told: Sequence[_Said]) -> list[_Said]:
    """The likely clauses of a sentence, where one of them rather is worth keeping than none."""
    likely = [each for each in told if each.odds > _LEAST_TOGETHER]
    doubt = 1.0
    for each in likely:
        doubt /= 1 + exp(each.odds)
    return likely if doubt <= 1 / (1 + exp(_LEAST_LOG_ODDS)) else []


def _claimed(
    line: str, blank: str, said: Sequence[_Said], claims: Callable[[str], Collection[str]]
) -> list[_Said]:
    """The clauses of a sentence that may not hold beside what is known, where it asks and supposes
    nothing."""
    if not said or any(_is_out(blank, each.clause) for each in said):
        return []
    told = [each for each in said if each.clause.kind == "told"]
    is_likely = any(each.odds > _LEAST_CLAIM for each in told)
    if is_likely and "told" in claims(line[told[0].clause.first : told[-1].clause.last]):
        return told
    if "wanted" in claims(line[said[0].clause.first : said[-1].clause.last]):
        return [*said]
    return []


def _core(blank: str, said: Sequence[_Said], kept: Sequence[_Said]) -> tuple[int, int]:
    """Where a sentence begins and ends to state something: as a whole if each clause is a
    statement, else from the clauses of the same kind before the first that is kept."""
    if all(each.clause.kind == "told" for each in said):
        kept = said
    at = said.index(kept[0])
    while kept[0].at and at and said[at].at and said[at - 1].clause.kind == said[at].clause.kind:
        at -= 1
    first = said[at].clause if kept[0].clause.kind == "told" else kept[0].clause
    end = kept[-1].clause.last
    return _lead(blank, first.first, end), end


def _is_ordered(blank: str, here: Clause, last: int) -> bool:
    """True if what comes before a clause asks to remember it; `Remember that we met?` asks
    something else."""
    found = _ORDERED.match(blank[: here.first])
    return bool(
        found and (" you " in found[1] or not blank[here.first : last].rstrip().endswith("?"))
    )


def _weighed(
    line: str,
    blank: str,
    part: Sequence[Clause],
    meaning: Callable[[str], Sequence[int]],
    more: Callable[[str], float],
) -> Iterator[_Said]:
    """The clauses of a part of a sentence with the odds that they are worth keeping."""
    is_program = is_ordered = False
    for at, each in enumerate(part):
        text = line[each.first : each.last]
        seen = clause_signs(line, blank, part, at)
        # what speaks of a program is nothing to keep, and so is the rest of the sentence
        is_program |= "program" in seen and _OWN.isdisjoint(seen)
        is_ordered = _is_ordered(blank, each, part[-1].last) or (each.kind == "told" and is_ordered)
        odds = _NEVER
        if is_ordered:
            odds = _SURE
        elif not (is_program or _is_out(blank, each)):
            odds = _odds(text, blank, seen, meaning, more)
        yield _Said(each, at, odds, _UNSURE.isdisjoint(seen))


def _is_out(blank: str, here: Clause) -> bool:
    """Whether a clause is never kept, unless somebody asks for it: a question, a quotation."""
    length = here.last - here.first
    is_quoted = 2 * blank[here.first : here.last].count("¤") > length
    return here.kind in {"supposed", "asked"} or length > _MOST_CLAUSE_LETTERS or is_quoted


def _odds(
    text: str,
    blank: str,
    seen: Collection[str],
    meaning: Callable[[str], Sequence[int]],
    more: Callable[[str], float],
) -> float:
    """The log odds that a clause with these signs is worth keeping; where they are low, with what
    its matter adds to them."""
    is_sure = {"surely", "is told"} <= {*seen} and _UNSURE.isdisjoint(seen)
    if is_sure and not _NOT_MEANT.search(blank):
        return _SURE
    odds = _log_odds(seen, meaning(text))
    if -2 < odds < _LEAST_LOG_ODDS:
        odds += more(text)
    return odds


# -- weights, as `scripts/benches/conversations_fit.py` finds them ---------------------
_LEAST_LOG_ODDS = 0.0
"""Log odds at which a clause is worth keeping."""
_LEAST_TOGETHER = -1.5
"""Log odds of the clauses of a sentence that are worth it together."""
_LEAST_OF_REASON = -2.0
"""Log odds of a sentence that gives the reason of the one before it."""
_LEAST_CLAIM = -3.2
"""Log odds of what may not hold beside something that is known."""
_SURE = 9.0
_NEVER = -9.0
_FITTED = _data("spoken_weights.json")
BIAS = float(_FITTED["bias"])
SCALE = float(_FITTED["scale"])
SIGN_WEIGHTS: dict[str, float] = _FITTED["signs"]
MEANING = tuple(
    ord(letter) - ord("m") for letter in _FITTED["meaning"]
)  # each as far from `m` as its worth in SCALEs
