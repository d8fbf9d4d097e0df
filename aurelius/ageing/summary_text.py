"""The text of a summary: what a thing is, then the facts in use, most used first, each thing once,
in their own words.

Pure: the same facts, uses and day give the same bytes. Every sentence stands in a fact as it is;
what is superseded is left out, and so is what another sentence says already. Cold facts are left
out where the others say enough.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.rewrite_links import unlinkable
from indexer.matter.statement import LineMeaning, line_covers, line_meaning, line_subject
from indexer.note import Fact
from indexer.reading.chunk import length
from indexer.reading.fact_line import lasts
from indexer.reading.path_meaning import file_stem, month_of
from indexer.search.dates import MONTH
from indexer.search.generated import repeated
from indexer.search.text_content import linked_paths
from indexer.spelling import ISO_DAY, LONE_ISO_DAY, nfc, single_spaced
from indexer.usage.tally import Uses
from indexer.usage.tier import TIERS, Clock, importance, type_now

SUMMARY_HEADING = "Summary"
NOW_HEADING = "Now"
INDEX = "_index"
"""What is written: a section of a note, one of MEMORY.md, a whole note."""
MEMORY_FILE = "MEMORY.md"
LINE_WORDS = 24
"""Words that an entry of a folder's listing may have, beside its first sentence."""
LONG_WORDS = 40
"""Words after which that first sentence is cut."""
_AS_OF_PREFIX = "As of "
"""What Now begins with, before its day."""
_MOST_NAME_WORDS = 3
"""Words that a sentence that words facts may have beside theirs: the name of what they are
about."""
MOST_SENTENCES = 3
"""Sentences that a subject has among what is going on now."""

if TYPE_CHECKING:
    from indexer.catalog.lists import NoteRow

WHAT_IT_IS = ("identity", "relationship", "role", "status", "plan")
"""What comes first in a summary, whatever is used more: types of facts, and what somebody does."""

_ROLE = re.compile(
    r"(?i)(?:(?:works|working|employed|studies|studying)\s+(?:as|at|by|for|in|with)|is\s+an?)\s"
)
_DETAIL = re.compile(
    rf"\S@\S|https?://|^(?!.*{ISO_DAY})\W*(?:[^\W\d_]+\W+){{0,2}}[+(]?\d"
    r"(?:[\s()+./:-]{0,3}\d){5,}\W*$"
)
_MONTH_DAY = re.compile(
    rf"(?:\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b(?=[A-Z])(?P<month>(?i:{MONTH}))"
    r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,?\s+(?P<year>\d{4}))?(?!\w)"
)
_ENDS = re.compile(r"[.!?…。！？][\"'”’)\]*_~`]*$")
_SPACELESS = re.compile(r"[぀-ヿ㐀-鿿＀-￯]")
_SENTENCE = re.compile(
    r"(?<=[.!?…])(?<!\b\w\.)(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bSt\.)\s+|(?<=[。！？])"
)
_BARE_LINK = re.compile(
    r"(?:\[\[[^\[\]\n]{1,1000}\]\]|\[[^\[\]\n]{0,300}\]\([^()\n]{1,1000}\))(?:\s+[-–—:]\s.{0,80})?"
)
_OPENS = re.compile(
    r"#{1,6}\s|[-+*]\s|[>|<`~$%=]|:::|\[[^\[\]]{1,999}\]:|\[.\]\s|\*\*[A-Za-z ]{1,31}(?::\*\*"
    r"|\*\*\s?:)"
)
_ITEM = re.compile(r"(\n\n|\n(?=[-*] ))")
_ENTRY = re.compile(
    r"(?P<head>(?:[-*] )?(?P<link>\[\[[^\[\]\n]+\]\]|\[[^\[\]\n]*\]\(<?[^()<>\n]+>?\)))"
    r"(?: - (?P<said>.+?))?(?P<end>\s*)",
    re.DOTALL,
)
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s)")
_MARKS = re.compile(r"[*_\\]")
_NEWER = re.compile(r"(?:^|\s)Newer in [^\n]{1,200}\.$")


class Aged(NamedTuple):
    """A fact, its status all lines considered (`indexer.catalog.supersession`), and how alive it
    is."""

    fact: Fact
    tier: str
    uses: Uses = Uses()


class Subject(NamedTuple):
    """A note among what is going on: its `link`, when and how often it was used, and its facts."""

    link: str
    uses: Uses
    facts: tuple[Aged, ...]


class Change(NamedTuple):
    """What a change made past in a note: each text with what took its place, and the texts of its
    facts that hold."""

    swaps: Mapping[str, str]
    holding: Collection[str] = ()


class ListedNote(NamedTuple):
    """A note in its folder's listing: its `link` and its summary, "" for none."""

    link: str
    summary: str


def link(note: NoteRow) -> str:
    """A link to a note by its path; a Markdown one where the path has letters that a wikilink
    cannot."""
    path = note.path.removesuffix(".md")
    if unlinkable(path) or path == note.path:
        name = note.title.replace("[", "(").replace("]", ")")
        return f"[{name}](<{note.path}>)"
    return f"[[{path}]]"


def part_of(path: str) -> str:
    """The part of a note that is written."""
    if file_stem(path) == INDEX:
        return INDEX
    if path == MEMORY_FILE:
        return NOW_HEADING
    return SUMMARY_HEADING


def summarise(
    facts: Sequence[Aged],
    words: int,
    clock: Clock,
    fill: float = 0.0,
) -> str:
    """The summary of a note in at most so many words; "" where none of its facts is alive or fills
    what is left."""
    return prose(
        each.fact.text
        for each in choose_summary_facts(
            facts,
            words,
            clock,
            fill,
        )
    )


def first_summary(facts: Sequence[Aged], words: int, clock: Clock) -> str:
    """The first summary of a note whose facts are all cold: the pinned, then the most important of
    them."""
    current = _current(facts)
    ranked = sorted(
        current,
        key=lambda each: (not each.fact.pinned, -_weight(each, clock), *_order(each, clock)),
    )
    return prose(each.fact.text for each in _fitting(ranked, words))


def choose_summary_facts(
    facts: Sequence[Aged],
    words: int,
    clock: Clock,
    fill: float = 0.0,
) -> list[Aged]:
    """The facts that a summary of so many words is made of: what the thing is, then hot and warm,
    most used first.

    While less than the share `fill` of the words is used, the most important cold facts follow. A
    number or an address says little by itself, and never opens a summary that has a sentence.
    """
    current = sorted(
        _current(facts), key=lambda each: (_what_it_is(each.fact, clock), *_order(each, clock))
    )
    current = [each for each in current if not is_over(each, clock)]
    alive = [each for each in current if each.tier in TIERS[:2] or is_open(each.fact, clock)]
    rest = [
        each for each in current if each not in alive and each.fact.type != "plan"
    ]  # an old plan is no news
    cold = sorted(rest, key=lambda each: _colder(each, clock))
    chosen = _fitting(alive, words)
    for at in range(len(cold)):
        if length(prose(each.fact.text for each in chosen)) >= fill * words:
            break
        chosen = _fitting([*alive, *cold[: at + 1]], words)
    return sorted(
        chosen,
        key=lambda each: (bool(_DETAIL.search(each.fact.text)), _what_it_is(each.fact, clock)),
    )


def is_open(fact: Fact, clock: Clock) -> bool:
    """Whether a day that a fact names is still to come: `Leaves at the end of April`; a plan's own
    date too."""
    return planned_for(fact) >= f"{clock.today:%Y-%m-%d}"


def planned_for(fact: Fact) -> str:
    """The last day that a fact names, of a plan its own date too; "" for none."""
    own = fact.date if fact.type == "plan" else None
    return max([own or "", *_named_days(fact)])


def is_over(aged: Aged, clock: Clock) -> bool:
    """Whether a plan names a day that is past, and was not used since."""
    if aged.fact.type != "plan" or is_open(aged.fact, clock):
        return False
    last = clock.last_use(aged.uses)
    since = max(_named_days(aged.fact), default="")
    return since != "" and (last is None or f"{last:%Y-%m-%d}" <= since)


def _named_days(fact: Fact) -> list[str]:
    """The days that the words of a fact name, of a month its last; without a year, the first since
    the fact's date."""
    found = re.findall(LONE_ISO_DAY, fact.text)
    for match in _MONTH_DAY.finditer(fact.text):
        day = _day_meant(match, fact.date or "")
        if day:
            found.append(day)
    return found


def _day_meant(match: re.Match[str], since: str) -> str:
    """The day that a match of `_MONTH_DAY` names in a fact of the date `since`; "" for none."""
    if match["year"]:
        years = [int(match["year"])]
        since = ""
    elif since:
        years = [int(since[:4]), int(since[:4]) + 1]
    else:
        return ""
    month = month_of(match["month"])
    day = int(match["before"] or match["after"] or 0)
    for year in filter(None, years):
        found = f"{year:04}-{month:02}-{day or monthrange(year, month)[1]:02}"
        if found >= since:
            return found
    return ""


def loss(old: str, new: str, holding: Collection[str]) -> float:
    """The share of the words of a summary that a new one drops though what they say still holds;
    `holding` are the texts of the facts that do."""
    lost = " ".join(text for text in holding if told_in(old, text))
    words = Counter(_plain(lost).split()) - Counter(_plain(new).split())
    return words.total() / max(1, len(_plain(old).split()))


def told_in(text: str, fact: str) -> bool:
    """Whether a generated text says a fact: word for word, or as a sentence that words it."""
    from aurelius.language.same_words import words_it  # which reads its tables

    return bool(repeated(text, fact)) or any(
        words_it(each, fact) for each in paragraph_sentences(text)
    )


def paragraph_sentences(text: str) -> list[str]:
    """The sentences of a paragraph."""
    return [each for each in _SENTENCE.split(single_spaced(text)) if each]


def prose(texts: Iterable[str]) -> str:
    """Facts as one paragraph of sentences."""
    text = ""
    for each in texts:
        sentence = single_spaced(each)
        if not _ENDS.search(sentence):
            sentence += "。" if _SPACELESS.match(sentence[-1:]) else "."
        if text and text[-1] not in "。！？":
            text += " "
        text += sentence
    return _unopened(text)


def with_newer(text: str, path: str) -> str:
    """A summary that says where newer lines are: in the day's note of this path, "" for none.

    It is no link, so that the day does not get one from each page that it names.
    """
    if text and path:
        return f"{text} {newer_sentence(path)}"
    return text


def newer_sentence(path: str) -> str:
    """What a summary ends with where a later day names what it is about."""
    return f"Newer in {path.removesuffix('.md')}."


def without_newer(text: str) -> str:
    """A summary without that."""
    return _NEWER.sub("", text)


def now(subjects: Sequence[Subject], words: int, clock: Clock) -> str:
    """What is going on today: every subject once, the most used first, with its leading facts while
    words are left.

    A subject for whose facts there is no room, or which has none that is alive, is named all the
    same.
    """
    ranked = sorted(subjects, key=_eagerness)[:words]  # a name is a word at least
    while length(_now(ranked, [()] * len(ranked))) > words:
        ranked.pop()
    chosen = [choose_summary_facts(each.facts, words, clock)[:MOST_SENTENCES] for each in ranked]
    taken: list[Sequence[Aged]] = [()] * len(ranked)
    for count in range(1, MOST_SENTENCES + 1):
        for at, facts in enumerate(chosen):
            if len(facts) >= count:
                before = taken[at]
                taken[at] = facts[:count]
                if length(_now(ranked, taken)) > words:
                    taken[at] = before
    if ranked:
        return f"{_AS_OF_PREFIX}{clock.today:%Y-%m-%d}:\n\n{_now(ranked, taken)}"
    return ""


def folder_index_text(title: str, entries: Iterable[ListedNote]) -> str:
    """The whole text of a folder's `_index.md`."""
    lines = [f"# {title}"]
    for each in entries:
        text = summary_opening(without_newer(each.summary))
        lines += [f"- {each.link} - {text}" if text else f"- {each.link}"]
    if len(lines) > 1:
        lines.insert(1, "")
    return "\n".join([*lines, ""])


def summary_opening(summary: str) -> str:
    """The leading sentences of a summary, as many as fit on a line of a listing."""
    text = single_spaced(summary)
    told = paragraph_sentences(text)
    if not told:
        return ""
    if length(told[0]) > LONG_WORDS:
        return " ".join(told[0].split()[:LINE_WORDS])[: LONG_WORDS * 12].rstrip(",;:") + " …"
    count = 1
    while count < len(told) and length(" ".join(told[: count + 1])) <= LINE_WORDS:
        count += 1
    end = 0
    for each in told[:count]:  # as it stands, with whatever is between the sentences
        end = text.index(each, end) + len(each)
    return text[:end]


def corrected(text: str, swaps: Mapping[str, str], holding: Collection[str] = ()) -> str:
    """A generated text with what is past replaced by what took its place; `swaps` leads from one to
    the other. A sentence that says what is past in more words goes with it, unless it is one of the
    facts `holding`."""
    for old, new in swaps.items():
        if not repeated(text, old):
            text = _reworded(text, old, new, holding)
            continue
        left = ""
        rest = text
        while span := repeated(rest, old):
            if not new or repeated(left + rest[span[1] :], new):
                told = ""
            else:
                told = prose([new])
            end = rest[: span[1]].rstrip()
            left += rest[: span[0]] + (told + rest[len(end) : span[1]] if told else "")
            rest = rest[span[1] :]
        text = left + rest
    if not without_newer(text).strip():
        return ""
    return text.strip()


def corrected_list(text: str, changes: Mapping[str, Change], left: Collection[str]) -> str:
    """A listing or Now with the same done for each note that it links to; `left` are notes that no
    longer belong."""
    first, *rest = _ITEM.split(text)
    found = ""
    gap = ""
    for between, item in zip(["", *rest[::2]], [first, *rest[1::2]], strict=True):
        entry = _ENTRY.fullmatch(item)
        if entry:
            path = "".join(linked_paths(entry["link"])[-1:])
        else:
            path = ""
        gap = max(gap, between, key=len)  # of what goes, the larger stays
        if path in left or not (
            told := _entry(
                item,
                entry,
                path,
                changes,
                left,
            )
        ):
            continue
        found += (gap if found else "") + told
        gap = ""
    if found.startswith(_AS_OF_PREFIX) and not linked_paths(found):
        return ""  # a day with nothing behind it
    end = "\n" if text.endswith("\n") else ""
    return found.rstrip("\n") + end


def _entry(
    item: str,
    entry: re.Match[str] | None,
    path: str,
    changes: Mapping[str, Change],
    left: Collection[str],
) -> str:
    """An item of a listing or Now, corrected; the names at the end of Now are several in one."""
    if entry is None:
        return ", ".join(each for each in item.split(", ") if not {*linked_paths(each)} & {*left})
    if path not in changes or not entry["said"]:
        return item
    told = corrected(entry["said"], *changes[path])
    if told:
        told = f" - {told}"
    return f"{entry['head']}{told}{entry['end']}"


def _reworded(
    text: str,
    old: str,
    new: str,
    holding: Collection[str],
) -> str:
    """The same where words are before or behind what is past, or a model worded it."""
    from aurelius.language.same_words import keys, words_it

    for sentence in _SENTENCE.split(text):
        worded = (
            words_it(sentence, old)
            and len(keys(sentence) - keys(" ".join((old, *holding)))) <= _MOST_NAME_WORDS
        )
        if not (worded or _quotes(sentence, old)) or any(
            repeated(sentence, each) for each in holding
        ):
            continue
        told = [each for each in sorted(holding) if worded and words_it(sentence, each)]
        said = _said_instead(text, new, told)
        return text.replace(sentence, prose(said), 1).replace("  ", " ").strip()
    return text


def _said_instead(text: str, new: str, told: Sequence[str]) -> list[str]:
    """What takes the place of a sentence, unless its text says it elsewhere: the new words, and
    what the sentence `told` besides and still holds."""
    left = [each for each in told if each != new and not repeated(text, each)]
    if new and not repeated(text, new):
        opening = summary_opening(prose([new]))
        return [opening, *left]
    return left


def _quotes(sentence: str, old: str) -> bool:
    """Whether a sentence has all words of a fact in a row, or as many as `summary_opening` has left
    of it."""
    said = _plain(sentence)
    is_cut = sentence.endswith(" …") and f"{_plain(old)} ".startswith(f"{said} ")
    return is_cut or f" {_plain(old)} " in f" {said} "


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def text_fingerprint(text: str) -> str:
    """The hash that says whether a text is still as it was written: equal when wrapped or
    emphasised otherwise."""
    plain = " ".join(_MARKS.sub("", nfc(text)).split())
    return sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _current(facts: Sequence[Aged]) -> list[Aged]:
    """The facts that are so now and say something by themselves."""
    return [
        each
        for each in facts
        if each.fact.status == "active" and not _BARE_LINK.fullmatch(each.fact.text)
    ]


def _order(aged: Aged, clock: Clock) -> tuple[object, ...]:
    """Hot before warm, much used before little, then the latest use, the most important and the
    newest."""
    fact = aged.fact
    uses = aged.uses
    return (
        TIERS.index(aged.tier),
        -uses.count,
        -(uses.last or 0),
        -_weight(aged, clock),
        -int((fact.date or "0").replace("-", "")),
        fact.first,
        fact.key,
    )


def _what_it_is(fact: Fact, clock: Clock) -> int:
    """How far in front a fact belongs: who or what it is about, to whom it belongs, what it does,
    how it is, what is planned until its day; the others behind."""
    if is_open(fact, clock):
        kind = "plan"
    else:
        kind = type_now(fact.type, fact.date, clock.today)
    if kind == "relationship" or (
        kind == "fact" and not line_meaning(fact.text).opens and line_subject(fact.text)
    ):
        return WHAT_IT_IS.index("relationship")
    if fact.milestone or (kind == "fact" and _ROLE.match(fact.text)):
        return WHAT_IT_IS.index("role")
    if kind in WHAT_IT_IS:
        return WHAT_IT_IS.index(kind)
    return len(WHAT_IT_IS)


def _colder(aged: Aged, clock: Clock) -> tuple[object, ...]:
    """The pinned, what the thing is, then the most important; numbers and addresses last."""
    fact = aged.fact
    first = _what_it_is(fact, clock)
    return (
        not fact.pinned,
        bool(_DETAIL.search(fact.text)),
        first,
        -_weight(aged, clock),
        *_order(aged, clock),
    )


def _weight(aged: Aged, clock: Clock) -> float:
    fact = aged.fact
    return round(
        importance(
            fact.type,
            fact.importance,
            fact.date,
            aged.uses,
            0,
            clock,
            lasts=lasts(fact),
        ),
        6,
    )


def _fitting(ranked: Sequence[Aged], words: int) -> list[Aged]:
    """The first of them that fit into so many words; of two that say the same, the one that says
    more."""
    chosen: list[tuple[Aged, LineMeaning]] = []
    for each in ranked:
        own = line_meaning(each.fact.text)
        if any(line_covers(there, own) for _, there in chosen):
            continue
        covered = [at for at, (_, there) in enumerate(chosen) if line_covers(own, there)]
        trial = [pair for at, pair in enumerate(chosen) if at not in covered]
        trial.insert(covered[0] if covered else len(trial), (each, own))
        if length(prose(one.fact.text for one, _ in trial)) <= words:
            chosen = trial
    return [each for each, _ in chosen]


def _unopened(text: str) -> str:
    """A paragraph that Markdown takes for one, whatever its first fact begins with."""
    if _OPENS.match(text):
        return "\\" + text
    if _NUMBERED.match(text):
        return _NUMBERED.sub(r"\1\\\2", text, count=1)
    return text


def _eagerness(subject: Subject) -> tuple[object, ...]:
    uses = [subject.uses, *(each.uses for each in subject.facts)]
    return (-sum(each.count for each in uses), -max(each.last or 0 for each in uses), subject.link)


def _now(subjects: Sequence[Subject], taken: Sequence[Sequence[Aged]]) -> str:
    lines = []
    bare = []
    for subject, facts in zip(subjects, taken, strict=True):
        if facts:
            lines.append(f"{subject.link} - {prose(each.fact.text for each in facts)}")
        else:
            bare.append(subject.link)
    if bare:
        lines.append(", ".join(bare))
    return "\n\n".join(lines)
