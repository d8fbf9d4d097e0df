"""What of a vault a prompt needs without asking for it: mostly nothing, else a few lines.

1. `asks`: thanks, commands of a client program, `continue` and pasted output alone need nothing; of
   other prompts only the person's own words count, with the prompt before where they go on with it.
2. Beside the hits, every line is looked at of the notes that the prompt names, that `my accountant`
   may mean, and that the best hits are of.
3. `OF_LINE` gives the odds that a line helps, `OF_PROMPT` those that the prompt needs any: two
   regressions over the committed prompts; `scripts/bench injection --fit` finds them again, and
   tries them on vaults left out of that."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from math import inf, log10
from typing import TYPE_CHECKING, NamedTuple

from indexer.tokens.english import CRAFT, FRAMES, IDLE, any_of, mates

from .lines import (
    TEXT_TYPE,
    Line,
    NoteFacts,
    is_guess,
    line_at,
    line_of_fact,
    may_be_given,
    odds,
    statements_at,
    telling_stems,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from aurelius.vault import Vault
    from indexer.catalog.mentions import MentionLine
    from indexer.search.evidence import Holds
    from indexer.search.hit import Hit
    from indexer.search.recall import Links
    from indexer.search.recalled import LinkedLine

_OF_DAYS = frozenset(("daily", "me", "memory"))
"""Kinds of notes that are of nothing in particular."""
_MOST_PROMPT_LINES = 5  # lines that a prompt gets
RELEVANCE_POOL = 40
_MOST_SECTIONS = 12
"""Hits that are looked at, and among how many of the first text outside facts is."""
_MOST_PROMPT_LETTERS = 1_200  # characters of a prompt's own words that are looked for
_MOST_CORE_NOTES = 6
_MOST_NOTE_LINES = 40
"""Notes that a prompt may be about, and lines of each."""
_MOST_NEWER_LINES = 3  # later lines that are told beside a note
_MOST_COMPARED = 50  # lines whose words are compared in meaning
WIDE = 6  # lines of a text of a note that is looked at for its own sake

NEEDS = 0.1
HELPS = -0.3
_SURE_WEIGHT = 0.8
BEHIND = 2.5
"""As logarithms of odds: from which on a prompt needs something; from which on a line helps, less
by `_SURE_WEIGHT` of the prompt's where that is up to 3; and how far behind the best line at
most."""
SURELY = 1.0
AGAINST = ("general", "craft", "greets", "reworks")
"""From which odds of its best line on a prompt needs it, whatever else it says but these."""
TOLD = (
    0.6  # odds from which on a line comes to a prompt that asks for nothing and wants nothing done
)
_TOUCHES = 2
_MOST_TOUCHED = 2
"""Words that a rule shares with a prompt which it applies to, and how many such rules come."""
OF_PROMPT = {  # what counts for a prompt that it needs something, beside `start`
    "start": -0.43,
    "own": 1.53,
    "first": 0.63,
    "recalls": 1.15,
    "general": -2.80,
    "craft": -4.22,
    "greets": -3.38,
    "signs": -2.92,
    "day": 2.22,
    "definite": 2.42,
    "reworks": -3.96,
    "best": 0.20,
}
OF_LINE = {  # what counts for a line that it helps a prompt that needs something, beside `start`
    "start": -6.09,
    "score": 2.74,
    "holds": 3.64,
    "alike": 2.31,
    "near": 1.21,
    "answers": 0.38,
    "about": 2.05,
    "limits": 0.38,
    "soon": 0.76,
    "fact": 1.44,
    "relation": -2.29,
    "size": -0.48,
}


class Prompt(NamedTuple):
    """The person's own words, those before that they go on with, what is searched, and what speaks
    for a need."""

    text: str
    past: str
    query: str
    evidence: Mapping[str, float]


class Prospect(NamedTuple):
    """A line that may help, what speaks for it, and its place among the hits."""

    line: Line
    evidence: Mapping[str, float]
    place: int


_FENCE = re.compile(r"^(```|~~~).*?(?:^\1\s*$|\Z)", re.DOTALL | re.MULTILINE)
_PRINTED = (
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|at \S+ \(|\w+ ERR!|Traceback|File \"|"
    r"\w*(?:Error|Exception)\b:|[>$#]\s|\+\+\+|---|@@|(?:error|fatal|warning|info|debug)\b:"
    r"|(?:\w+: ){2})"
)  # how a line begins that a program printed, or that was quoted
_CODE = (
    r"[{};]\s*$|^\s*(?:const|let|var|def|class|import|from|return|if\s*\(|for\s*\(|print\(|</?\w+"
    r"|SELECT\b|#include)"
    r"|\w\(.*\)\s*;?$|\w+\s*=\s*\S+\(|^\s*\w+ = "
)
_THEIRS = re.compile(
    r"(?i)\b(?:user|customer) (?:says|wrote|asks): [^.!?]*|(?<=: )(['\"])(?:(?!\1).){12,}\1\W*$"
)
_COMMAND = re.compile(r"\s*[/!][a-z][\w:-]*(?:\s|$)")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OWN = "my mine our ours us we we're we've we'd we'll"
_FIRST = "i i'm i've i'd i'll me im ive"
_RECALLS = (
    r"\b(?:(?:did|do|have|had|has|was|were|what|where|when|which|why) (?:\w+ ){0,2}?(?:i|we)\b"
    r"(?! (?:do|undo|convert|make|get|write|use|fix)\b)|remind|i (?:noted|wrote|had|put|kept|made"
    r"|collected|concluded"
    r"|bookmarked|saved)|known thing|again|last (?:time|week|month|night|year)|settled?|decided?)\b"
)  # asks for what was done, said or noted before
_GENERAL = (
    r"^(?:\W*(?:please|pls|ok|now|and|can you|could you|nice|btw|hey|hi)\W+)*(?:explain|translate"
    r"|define"
    r"|how (?:do|can) (?:i|you|we)\b|how to|how (?:tall|old|far|big|deep|heavy)|who (?:was"
    r"|invented|wrote)"
    r"|what does .{1,40} (?:mean|do|stand for)\b|what(?:'?s| is| are| was)? (?:an? "
    r"|the (?:difference|capital|meaning"
    r"|best way))|what am i looking|why (?:does|is) this|rename"
    r"|convert|is it '|write (?:me )?(?:an? |some )?(?:\w+ ){0,2}(?:function|script|query|regex"
    r"|test|class|story|joke"
    r"|song|one-liner))|\b(?:haiku|limerick|poem|sonnet|joke|riddle|trivia|regex|made[- ]up|fake"
    r"|dummy|lorem|variable"
    r"|synonyms?|word for|how do you say|grammar|percent of|vs|versus)\b|\d%? of \d"
    r"|\b(?:some|\d+|five|ten) \w* ?(?:names|ideas|titles|hashtags|words|slogans)\b"
)  # asks for what everybody may know, or for something to be made from nothing
_REWORKS = (
    r"^\W*(?:(?:ok|okay|nice|good|great|and|now|please|perfect)\W+)*(?:make (?:it|that|them|this)"
    r"|now (?:in|as|with|run|do)\b|shorter|longer|simpler|put (?:it|that|both|them|this)"
    r"|turn (?:it|that)"
    r"|in (?:one|two|three) |as an? |same (?:but|in)|rewrite|rephrase|reword|use that|try again"
    r"|less|more"
    r"|say (?:it|that)|in plain|the (?:first|second|last) one|\w+[- ]ready version)"
)  # asks for what was just made in another form
_GREETS = (
    r"^\W*(?:(?:good )?(?:morning|evening|afternoon)|hi|hey|hello)\b|\b(?:thanks?|thx|cheers"
    r"|a million)\b"
)
_DAY = (
    "today tomorrow tonight yesterday monday tuesday wednesday thursday friday saturday sunday"
    " this_week next_week this_month next_month quarter january february march april june july"
    " august september october november december morning afternoon"
)
_WORDS = {"own": _OWN, "first": _FIRST, "day": _DAY}
_GOES_ON = (
    r"^\W*(?:and|also|ok|then|good|so|k|now|nice|add|put)\b|\b(?:she|he|they|her|him|them|his"
    r"|their|it|that|those|these"
    r"|this|one|ones|both|there|then)\b"
)  # speaks of what the prompt before spoke of
_WANTS = (
    r"\?|\b(?:wh(?:at|ich|om?|ose|en|ere|y)s?|hows?|please|pls|can|could|should|would|will|shall"
    r"|wants? to know|need"
    r"|wondering|for me|any(?:thing)?)\b|^\W*(?:is|are|do|does|did|has|have|was|were|am)\b|(?:^"
    r"|[.,;:]\s*|\b(?:and|to"
    r"|then|so|now|ok|okay|just|thx|thanks) )(?:add|answer|block|book|build|call|caption|change"
    r"|check|clean|create|cut"
    r"|delete|deploy|do|draft|find|fix|get|give|go|grab|help|keep|list|look|mail|make|merge|move"
    r"|open|order|pick|plan"
    r"|plot|prep|print|pull|push|put|read|re\w{2,8}|run|save|schedule|search|send|set|show|sort"
    r"|stop|suggest|take|tell"
    r"|test|text|translate|try|turn|update|use|work|write)\b"
)  # asks for something, or wants something done
_WHOSE = r"(?i)\b(?:my|our|whose|the|who)\s+([a-z'-]+(?: [a-z'-]+)?)"
_DEFINITE = "the that this those"
_SIGNS = r"[{}()<>=_`/\\$;|\"]"


def asks(prompt: str) -> bool:
    """Whether a prompt may need something of the vault: not for thanks, commands of a client
    program, `continue` and pasted output alone."""
    if _COMMAND.match(prompt):
        return False
    told = _WORD.findall(own_prompt_words(prompt).lower())
    return not all(word in IDLE for word in told)


def own_prompt_words(prompt: str) -> str:
    """What the person says in a prompt, without the code, output and quotations beside it."""
    lines = _FENCE.sub("\n", prompt[: 8 * _MOST_PROMPT_LETTERS]).split("\n")
    if len(lines) > 1:
        lines = [
            line for line in lines if not re.match(_PRINTED, line) and not re.search(_CODE, line)
        ]
    elif re.match(_PRINTED, prompt):
        return ""
    return " ".join(_THEIRS.sub("", " ".join(lines)).split())[:_MOST_PROMPT_LETTERS]


def read_prompt(prompt: str, before: Sequence[str]) -> Prompt:
    """A prompt, with those before it in its session."""
    text = own_prompt_words(prompt)
    if before and _says(_GOES_ON, text) and asks(before[-1]):
        past = own_prompt_words(before[-1])
    else:
        past = ""
    words = [*_telling(text), *_telling(past)[:12]]
    evidence = {
        **{name: float(any_of(told).search(text) is not None) for name, told in _WORDS.items()},
        "recalls": _says(_RECALLS, text),
        "general": max(_says(_GENERAL, text), _says(_GENERAL, past)),
        "craft": min(1.0, len(any_of(CRAFT).findall(f"{text} {past}")) / 2),
        "greets": _says(_GREETS, text) * ("?" not in text),
        "signs": min(1.0, 12 * len(re.findall(_SIGNS, prompt)) / max(1, len(prompt))),
        "definite": min(1.0, len(any_of(_DEFINITE).findall(text)) / 4),
        "reworks": _says(_REWORKS, text) * bool(before),
    }
    return Prompt(text, past, " ".join(words) or text, evidence)


def _says(pattern: str, text: str) -> float:
    return float(re.search(pattern, text, re.IGNORECASE) is not None)


def _telling(text: str) -> list[str]:
    from indexer.search.query import clean_query

    return [word for word in clean_query(text).words if word.replace("'", "") not in FRAMES]


def needed_lines(
    vault: Vault, prompt: str, *, before: Sequence[str] = (), seen: Collection[str] = ()
) -> list[Line]:
    """The lines that a prompt needs, in the order of a search for it: mostly none. `before` are
    earlier prompts of its session, the latest last, `seen` the keys of the lines that it was
    shown."""
    if not asks(prompt):
        return []
    asked = read_prompt(prompt, before)
    if not _telling(asked.text):
        return []
    found = list(prospects(vault, asked, before))
    ranked = sorted(
        ((odds(OF_LINE, each.evidence), each.line) for each in found), key=lambda row: -row[0]
    )
    if found:
        sure = odds(OF_PROMPT, of_all(asked, found))
    else:
        sure = 0.0
    touched = _touched(vault, asked, [each for each in found if each.line.key not in seen])
    plain = not any(asked.evidence[name] > 0.25 for name in AGAINST)
    if not found or (sure < NEEDS and not (plain and ranked[0][0] >= SURELY)):
        return touched
    least = max(HELPS - _SURE_WEIGHT * max(NEEDS, min(sure, 3.0)), ranked[0][0] - BEHIND)
    if not (asked.past or _says(_WANTS, asked.text)):
        least = max(least, TOLD)
    once = {line.key: line for value, line in ranked if value >= least and line.key not in seen}
    places = {each.line.key: each.place for each in reversed(found)}
    lines = sorted(list(once.values())[:_MOST_PROMPT_LINES], key=lambda line: places[line.key])
    lines += [line for line in touched if line not in lines]
    among = (each.line.place for each in found)
    return with_later_lines(vault, f"{asked.text} {asked.past}", lines, among, seen)


def likely_lines(
    vault: Vault, text: str, before: Sequence[str], most: int, types: tuple[str, ...] = ()
) -> list[Line]:
    """The lines that may help with a text, the likeliest first, whether it needs any or not; with
    `types` only facts of these."""
    found = prospects(vault, read_prompt(text, before), before, types)
    told = [each for each in found if not types or each.place < RELEVANCE_POOL]
    told.sort(key=lambda each: -odds(OF_LINE, each.evidence))
    return [each.line for each in told[:most]]


def with_later_lines(
    vault: Vault,
    text: str,
    lines: Sequence[Line],
    among: Iterable[tuple[str, int]],
    seen: Collection[str] = (),
    most: int = _MOST_PROMPT_LINES,
) -> list[Line]:
    """The lines that answer a text, below each of the first, `most` at most, the later line about
    the same thing that may have changed it, labelled.

    It is looked for `among` the lines at some places and in the newest mentions. One that stands
    above stays there; of one whose key was `seen` only the place is told.
    """
    from aurelius.settings.starting_notes import is_example
    from indexer.search.newer_about import newer_lines
    from indexer.search.query import SearchQuery

    given = {line.place: line for line in lines}
    query = SearchQuery(text)
    today = vault.clock.today
    first = [place for place, line in given.items() if not is_example(line.path, line.text)]
    later = newer_lines(vault.db, query, vault.model(query), today, first[:most], [*given, *among])
    labels = {line.place: line.newer_of for line in lines}
    labels |= {(newest.path, newest.line): of for newest, of in reversed(later.values())}
    told: dict[tuple[str, int], Line] = {}
    for line in lines:
        following: Line | None = line
        while following and following.place not in told:
            here = following._replace(newer_of=labels.get(following.place))
            following = None
            if here.place in later and may_be_given(later[here.place][0].path):
                newest, _ = later[here.place]
                following = given.get((newest.path, newest.line)) or _line_of_mention(newest)
                if following.key in seen:
                    here = here._replace(newer=f"{newest.path}:{newest.line}")
                    following = None
            told[here.place] = here
    return list(told.values())


def newer_elsewhere(
    vault: Vault,
    path: str,
    first: int,
    last: int,
) -> list[Line]:
    """The lines of other notes that are newer about what the facts in some lines of a note are
    about, the newest first."""
    facts = [fact for fact in NoteFacts(vault)[path].values() if first <= fact.first <= last]
    lines = filter(None, (line_of_fact(path, fact, vault.clock) for fact in facts))
    every = with_later_lines(vault, "", [*lines], (), most=_MOST_NOTE_LINES)
    found = [line for line in every if line.newer_of and line.path != path]
    return sorted(found, key=lambda line: line.date, reverse=True)[:_MOST_NEWER_LINES]


def _line_of_mention(found: MentionLine) -> Line:
    """A line that names what another one is about, as a line for an agent."""
    return Line(
        key=found.key or f"{found.path}:{found.line}",
        path=found.path,
        lines=(found.line, found.last),
        text=found.text,
        date=found.date,
        type="fact" if found.key else TEXT_TYPE,
        id="",
    )


def _touched(vault: Vault, asked: Prompt, found: Sequence[Prospect]) -> list[Line]:
    """The rules among some lines that share words with a prompt which say what it is about, those
    with the most first: also where it asks for nothing of the notes, as those about programs."""
    from .rules import is_standing_rule

    stems = telling_stems(asked.text)
    shared = [(len(stems & telling_stems(each.line.text)), each.line) for each in found]
    near = sorted((pair for pair in shared if pair[0] >= _TOUCHES), key=lambda pair: -pair[0])
    return [line for _, line in near if is_standing_rule(vault, line)][:_MOST_TOUCHED]


def of_all(asked: Prompt, found: Sequence[Prospect]) -> dict[str, float]:
    """What speaks for a prompt: what it says, and what its best line comes to."""
    return {**asked.evidence, "best": max(odds(OF_LINE, each.evidence) for each in found)}


def prospects(
    vault: Vault,
    asked: Prompt,
    before: Sequence[str],
    types: tuple[str, ...] = (),
) -> Iterator[Prospect]:
    """Every line that may help a prompt, with what speaks for it; with `types` the hits are facts
    of these."""
    from indexer.catalog.filters import Filters
    from indexer.catalog.lists import count_found
    from indexer.search.by_vectors import weights
    from indexer.search.coverage import Coverage
    from indexer.search.evidence import (
        Holds,
        answers,
        is_relation,
        limits,
        soon,
        text_likeness,
        wanted_in_answer,
    )
    from indexer.search.query import SearchQuery
    from indexer.search.recall import Links
    from indexer.search.text_content import unlinked

    filters = Filters(types=types)
    query = SearchQuery(asked.query, filters=filters, limit=RELEVANCE_POOL, explain=True)
    code = (
        asked.evidence["craft"] + asked.evidence["signs"] > 0
    )  # else what is fenced answers nothing
    hits = [
        hit
        for hit in vault.search(query).hits
        if may_be_given(hit.path) and (code or "```" not in hit.text[:9])
    ]
    hits = [hit for hit in hits if not _is_guessed(vault, hit.path, hit.id, hit.text)]
    encoder = vault.model(query)
    _, chunks = count_found(vault.db, private=True)
    subjects, about = _about(vault, asked, before, hits)
    index = vault.index()  # only now: a search may have opened another one
    question = Coverage(index, asked.query, encoder)
    holds = Holds(question)
    links = Links(index, Filters())
    near = sorted(hits, key=lambda hit: -hit.explain["raw"]["cosine"] if hit.explain else 0.0)[:10]
    found = list(_lines(vault, hits, holds, links, about))
    texts = [unlinked(line.text) for line, _ in found]
    shares = [holds.share(text) for text in texts]
    worth = [
        share + (hit.score if hit else 0.0) for share, (_, hit) in zip(shares, found, strict=True)
    ]
    best = sorted(range(len(found)), key=lambda at: -worth[at])[:_MOST_COMPARED]
    nearness = text_likeness(
        encoder, partial(weights, index.db), [asked.query, *(texts[at] for at in best)]
    )
    cosines = dict(zip(best, nearness, strict=True))
    size = log10(max(100, chunks)) - 3
    wants = wanted_in_answer(asked.text)
    today = vault.clock.today
    ranks = {path: rank for rank, path in reversed([*enumerate(about, 1)])}
    for at, (line, hit) in enumerate(found):
        yield Prospect(
            line,
            {
                "score": hit.score if hit else 0.0,
                "holds": shares[at],
                "alike": cosines.get(at, 0.0),
                "near": _nearness(hit, near),
                "answers": answers(wants, line.text),
                "about": 1 / ranks.get(line.path, inf),
                "limits": limits(line.text),
                "soon": soon(line.text, today) * (line.path in subjects),
                "fact": float(line.type != TEXT_TYPE),
                "relation": float(is_relation(line.text)),
                "size": size,
            },
            next((rank for rank, each in enumerate(hits) if _is_in(line, each)), RELEVANCE_POOL),
        )


def _nearness(hit: Hit | None, near: Sequence[Hit]) -> float:
    """How near a hit is by its embedding: one, a half, a third …, 0 for what is not among these."""
    return 1 / (1 + near.index(hit)) if hit in near else 0.0


def _is_in(line: Line, hit: Hit) -> bool:
    return line.path == hit.path and hit.lines[0] <= line.lines[0] <= hit.lines[1]


def _about(
    vault: Vault,
    asked: Prompt,
    before: Sequence[str],
    hits: Sequence[Hit],
) -> tuple[set[str], list[str]]:
    """What a prompt is surely about; and the notes that it may be about: those that it, or one
    before it, names, that `my accountant` may mean, and the best of its hits."""
    from indexer.catalog.graph import get_names
    from indexer.search.query import SearchQuery

    from .resolve import ENTITIES, Pages

    texts = [asked.text, *map(own_prompt_words, before[-3:] if asked.past else ())]
    kinds = (
        ENTITIES if "[[" not in "".join(texts) else ()
    )  # any other note is named by a link alone
    pages = Pages(get_names(vault.db, private=False, kinds=kinds))
    said = [[each.page for each in pages.mentions(text, "", vault.now.date())] for text in texts]
    whose = " ".join(
        chain(*map(mates, dict.fromkeys(_telling(" ".join(re.findall(_WHOSE, asked.text))))))
    )
    if whose:
        found = vault.search(SearchQuery(whose, mode="keyword", limit=8)).hits
    else:
        found = ()
    meant = dict.fromkeys(
        hit.path for hit in found if hit.kind not in _OF_DAYS and may_be_given(hit.path)
    )
    first = dict.fromkeys(hit.path for hit in hits[:_MOST_SECTIONS] if hit.kind not in _OF_DAYS)
    every = [path for path in (*chain(*said), *list(meant)[:2], *list(first)[:3]) if path]
    about = list(dict.fromkeys(every))[:_MOST_CORE_NOTES]
    return {*said[0], *list(meant)[:1], *about[:1]}, about


def _lines(
    vault: Vault,
    hits: Sequence[Hit],
    holds: Holds,
    links: Links,
    paths: Sequence[str],
) -> Iterator[tuple[Line, Hit | None]]:
    """The lines of the hits, and every line of some notes, each once; of a text outside facts the
    line that holds most of the question counts as the hit."""
    told: set[tuple[str, int]] = set()
    said = links.statements(hits)
    others: list[LinkedLine] = []
    beside: list[Line] = []
    for rank, hit in enumerate(hits):
        if hit.id:
            line = _line_of_hit(hit, said[rank])
        else:
            if rank >= _MOST_SECTIONS:
                continue
            facts = _facts_there(links, hit)
            lines = _own_lines(vault, hit.path, hit.lines)
            if facts or not lines:
                others += facts
                continue
            line = max(lines, key=lambda each: holds.share(each.text))
            beside += lines
        if (line.path, line.lines[0]) not in told:
            told.add((line.path, line.lines[0]))
            yield line, hit
    for path in paths:
        others += links.of_note(path)[:_MOST_NOTE_LINES]
    for line in chain(beside, _lines_linked(vault, others)):
        at_line = (line.path, line.lines[0])
        if at_line not in told:
            told.add(at_line)
            yield line, None


def _is_guessed(vault: Vault, path: str, key: str, text: str) -> bool:
    """Whether a line is a guess that nobody has accepted, which helps with nothing; few notes are
    read for that."""
    if "inferred" not in text:
        return False
    fact = NoteFacts(vault)[path].get(key)
    return fact is not None and is_guess(fact)


def _lines_linked(vault: Vault, found: Iterable[LinkedLine]) -> Iterator[Line]:
    """The lines of what notes and links brought."""
    for each in filter(_may_help, found):
        if _is_guessed(vault, each.path, each.id, each.text):
            continue
        if each.id or each.lines[0] == each.lines[1]:
            yield _linked_line(each)
        else:
            yield from _own_lines(vault, each.path, each.lines)


def _own_lines(vault: Vault, path: str, lines: tuple[int, int]) -> list[Line]:
    """What these lines of a note say outside facts, a bullet or paragraph a line."""
    found = (line_at(vault, path, {}, told) for told in statements_at(vault, path, *lines))
    return [line for line in found if line]


def _line_of_hit(hit: Hit, says: str) -> Line:
    """A fact that was found, as a line."""
    at = (hit.lines[0],) * 2
    name = hit.id * (f"^{hit.id}" in hit.text)
    return Line(
        key=hit.id, path=hit.path, lines=at, text=says, date=hit.date or "", type=hit.type, id=name
    )


def _facts_there(links: Links, hit: Hit) -> list[LinkedLine]:
    """The facts that stand in a hit."""
    span = range(hit.lines[0], hit.lines[1] + 1)
    return [each for each in links.of_note(hit.path) if each.id and each.lines[0] in span]


def _may_help(each: LinkedLine) -> bool:
    """Whether a line of a note is short, holds, and is no code."""
    if each.status != "active" or not each.text.strip() or "```" in each.text[:9]:
        return False
    return each.lines[1] - each.lines[0] < WIDE


def _linked_line(each: LinkedLine) -> Line:
    """A line that a note or a link brought."""
    name = each.id * (f"^{each.id}" in each.text)
    key = each.id or f"{each.path}:{each.lines[0]}"
    type_ = "fact" if each.id else TEXT_TYPE
    return Line(
        key=key, path=each.path, lines=each.lines, text=each.says, date="", type=type_, id=name
    )
