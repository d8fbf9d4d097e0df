"""The standing rules of a vault, wherever they are written, and who the person is where no note
says so by its name.

Nothing makes a line a rule alone: how it is said (`agreed`, `no …`, `I'd rather`), where it stands
(a heading of rules, a typed fact, a note of a day, a person or a project) and whose word it is (a
clipping or a reading is another's) are weighed together, `WEIGHTS` by the committed sessions. What
was captured and is not confirmed, quotations, code, templates and archives give none. A rule that a
later one seems to change is told by that alone, which says where the other stands: both are still
in their notes.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.starting_notes import is_example
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_kind, get_path, get_sections, with_code
from indexer.reading.path_meaning import agent_of, is_borrowed
from indexer.reading.type_words import FACT_HEADINGS, normal_heading

from .lines import (
    Line,
    beginning,
    every_line,
    line_of_fact,
    may_be_given,
    odds,
    telling_stems,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurelius.answers.days import LineOfDay
    from aurelius.vault import Vault
    from indexer.catalog.lists import SectionRow

_TYPES = ("instruction", "preference")
_WIDE = 0.5
"""The scope from which on an instruction is no matter of one person or thing."""
_LONG_NOTE = 80
_WHOLE_RULE = 40
_LONG_RULE = 240
"""Lines of a note beyond which it is an article; letters of a sentence that says all, and of a line
that is told whole."""
_MOST_SECTIONS_READ = 500
_MOST_RULE_PAGES = 40
"""Texts that are looked at for rules, and pages that are read for them."""
_MARKED = (
    '"from now on" OR "from today" OR "from here on" OR "that day" OR agreed OR decided OR decision'
    " OR rule OR instruction OR preference OR never OR always OR only OR must OR nobody OR nothing"
    " OR avoid OR don OR not OR no OR nor OR without OR please OR ask OR keep"
)
_HEADED = (
    "rule OR instruction OR preference OR convention OR guideline OR policy OR principle"
    ' OR agreement OR standard OR style OR manners OR don OR "how i" OR "how we"'
    ' OR "with me" OR "with us" OR "for me" OR "for us" OR "between me"'
)
_WORDS = (f"context : ({_HEADED})", f"text : ({_MARKED})")
"""What FTS5 is asked for."""
_FROM_NOW = r"\b(?:from|since) (?:now|today|here|then|(?:this|that) day)\b"
_CHANGES = rf"{_FROM_NOW}|\b(?:rules?:|no longer|no more|any ?more|instead)\b"
_SIGNS = {
    "lasting": rf"{_FROM_NOW}|\bno exceptions\b|\brules?:",
    "settled": r"\b(?:agreed|decided|decision|rules?|no more)\b",
    "orders": (
        r"(?:^|[,;:]\s+(?:and |so |but |or )?)(?:please )?(?:don['’]?t|do not|never|always|only|no"
        r"|not|nobody|nothing|avoid|ask|keep|say|tell|use|give|write|put|show|let)\b"
    ),
    "any": (
        r"\b(?:(?:any|every)(?:thing|body|one)?|each|all|no(?:thing|body)|(?:what|who|when)ever)\b"
    ),
    "when": r"\b(?:if|when(?:ever)?|unless|before|until)\b",
    "not": r"\b(?:not?|nor|never|nothing|nobody|without)\b|n['’]t\b",
    "you": r"\b(?:you|your)\b",
}
"""How a sentence is said that is a rule: as what lasts, as settled, as an order, of any case, on a
condition, of what is not to be; or that explains something to a reader."""
WEIGHTS = {
    "start": -4.6,
    "lasting": 3.6,
    "settled": 2.6,
    "orders": 1.5,
    "any": 1.2,
    "when": 0.85,
    "not": 1.15,
    "you": -0.9,
    "long": 1.45,
    "own": 0.55,
    "meant": 4.0,
    "company": -0.6,
    "daily": -1.2,
    "person": -0.6,
    "resource": -0.65,
}
"""What counts for a line that it is a standing rule, beside `start`: a regression over the
committed sessions and the lines of public vaults, where nobody wrote a rule."""
_RULES = -0.9
"""The odds, as a logarithm, from which on it is told as one."""
_OWN = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Ww]e|us|[Oo]ur)\b")
_QUOTED = r"[\"“”„«][^\"“”„«»]*[\"“”»]"
_BULLETS = re.compile(r"(?m)^[ \t*+-]+")
_TAIL = re.compile(r"\((?:[^()]*,\s*)?(?:instruction|preference|rule)\)\s*$")
"""How a line ends that is typed in a note which holds no facts."""
_HOW = re.compile(
    r"how (?:i|we)\b|.*\b(?:with|for|between) (?:me|us)\b|(?:[\w'’-]+ ){0,2}(?:rules|instructions"
    r"|preferences|conventions|guidelines|policies|principles|agreements?|standards|style|manners"
    r"|don['’]?ts?)$"
)
"""Headings of what somebody wants done, and how."""
_BOX = r"\[.\]\s"
_OTHERS = re.compile(
    r"(?:captured|session \d{4,6})$|(?:clipping|quote|reading|recipe|manual|letter (?:from|that)"
    r"|newsletter|excerpt|article|from (?:an?|the|my|some|work)|pasted|saved|copied|cut out|dear)s?"
    r"\b|.*\b(?:superseded|deprecated|obsolete|replaced|excerpt)\b"
)
"""How a title, heading or first line says that what follows is another's word, waits for a person
or is past."""
_FRONT_LINES = 60
_FRONT = ("about me", "about", "about this", "home", "readme", "index", "start here", "profile")
"""Notes at the top of a vault that may say whose it is."""
_SELF = re.compile(r"(?:who|about|identity|me\b|bio\b|profile)")
_FIRST_PERSON = re.compile(r"\b(?:I|I['’]m|[Mm]y|me)\b|\b(?i:notes|wiki|vault|diary|garden) of\b")


class _Place(NamedTuple):
    """Where a line stands: its note, the note's kind, and the folders, title and headings above."""

    path: str
    kind: str
    above: tuple[str, ...]

    @property
    def is_meant(self) -> bool:
        """Whether what stands there is surely what somebody wants done, and how."""
        return any(map(_is_of_rules, self.above))


def standing_rules(vault: Vault) -> list[Line]:
    """Every standing rule, the surest first, of two that are as sure the newer."""
    rows = list(
        chain.from_iterable(get_sections(vault.db, words, _MOST_SECTIONS_READ) for words in _WORDS)
    )
    titles = {row.path: row.context.partition(" > ")[0] for row in rows}
    theirs = set[str]()
    every = chain(_written(vault, rows, titles, theirs), _typed(vault, titles))
    found = {line.key: (value, line) for value, line in every if line.path not in theirs}
    ranked = sorted(found.values(), key=lambda each: each[1].date, reverse=True)
    ranked.sort(key=lambda each: -each[0])
    return _without_changed([line for value, line in ranked if value >= _RULES])


def _without_changed(rules: list[Line]) -> list[Line]:
    """The rules without those of which a later one that says that something changed holds a third
    of the words; that one tells where each of them stands, also those that these stood for."""
    stand_for: dict[str, list[str]] = {}
    left = {rule.key: rule for rule in rules}
    for new in sorted(rules, key=lambda rule: rule.date):
        if not re.search(_CHANGES, new.text, re.IGNORECASE):
            continue
        said = telling_stems(new.text)
        for old in [old for old in left.values() if old.date < new.date]:
            words = telling_stems(old.text)
            if len(words & said) >= max(2, len(words) / 3):
                del left[old.key]
                places = [*stand_for.pop(old.key, ()), f"{old.path}:{old.lines[0]}"]
                stand_for.setdefault(new.key, []).extend(places)
    return [_with_places(rule, stand_for.get(rule.key, ())) for rule in left.values()]


def _with_places(rule: Line, places: Sequence[str]) -> Line:
    """A rule, beside it the places of those that it seems to change."""
    if not places:
        return rule
    return rule._replace(said=f"{', '.join(places)} said otherwise")


def front_page(vault: Vault) -> list[Line]:
    """What a note at the top of a vault says of the person whose it is."""
    found = []
    for name in _FRONT:
        path = get_path(vault.db, name, private=False)
        if path:
            titled = _SELF.match(name) is not None
            for line, told in every_line(vault, path, _FRONT_LINES):
                own = _SELF.match(normal_heading(told.heading)) if told.heading else titled
                if not told.aside and (own or _FIRST_PERSON.search(line.text)):
                    found.append(line)
    return found


def _may_rule(vault: Vault, place: _Place) -> bool:
    """Whether a note may give rules to whoever asks: none that is put away, or another's word."""
    own = agent_of(place.path) in {"", vault.agent or ""}
    theirs = is_borrowed(place.path) or any(map(_OTHERS.match, place.above))
    return own and not theirs and may_be_given(place.path)


def is_standing_rule(vault: Vault, line: Line) -> bool:
    """Whether a line is a standing rule, whatever stands above it."""
    place = _place(vault, line.path)
    value = odds(WEIGHTS, evidence(line.text, line.type, place))
    return value >= _RULES and _may_rule(vault, place)


def _typed(vault: Vault, titles: Mapping[str, str]) -> Iterator[tuple[float, Line]]:
    """The facts that are instructions or preferences, with their odds, but for those of one person
    or thing."""
    for path, fact in vault.facts(Filters(types=_TYPES)).facts:
        line = line_of_fact(path, fact, vault.clock)
        place = _place(vault, path, titles.get(path, ""))
        if line and fact.scope >= _WIDE and _may_rule(vault, place):
            yield odds(WEIGHTS, evidence(line.text, line.type, place)), line


def _written(
    vault: Vault, rows: Sequence[SectionRow], titles: Mapping[str, str], theirs: set[str]
) -> Iterator[tuple[float, Line]]:
    """The other lines, with their odds, of the notes that are likeliest to hold a rule; to `theirs`
    are added those whose first line says that they are another's."""
    likely: dict[str, float] = {}
    articles = set[str]()
    code = with_code(vault.db, {row.path for row in rows})
    for row in rows:
        place = _place(vault, row.path, *row.context.split(" > "))
        if row.size > _LONG_NOTE or row.path in code:
            articles.add(row.path)
        if (place.is_meant or row.path not in articles) and _may_rule(vault, place):
            for text in _BULLETS.sub("", row.text).splitlines():
                value = odds(WEIGHTS, evidence(text, "", place))
                likely[row.path] = max(value, likely.get(row.path, value))
    for path in sorted(likely, key=lambda path: -likely[path])[:_MOST_RULE_PAGES]:
        lines = list(every_line(vault, path)) if likely[path] >= _RULES else []
        if lines and _OTHERS.match(lines[0][0].text.lower()):
            theirs.add(path)
        yield from _on_page(vault, lines, titles[path], is_article=path in articles)


def _on_page(
    vault: Vault, lines: Iterable[tuple[Line, LineOfDay]], title: str, *, is_article: bool
) -> Iterator[tuple[float, Line]]:
    """Some lines of a note, with their odds, but for those that are typed as rules; of a long one,
    or one that explains a program, those under a heading of rules."""
    for line, told in lines:
        place = _place(vault, line.path, title, told.heading)
        is_out = told.aside or line.said or line.type in _TYPES or re.match(_BOX, line.text)
        if is_out or is_example(line.path, line.text):
            continue
        if (place.is_meant or not is_article) and _may_rule(vault, place):
            value = odds(WEIGHTS, evidence(line.text, line.type, place))
            yield value, line._replace(text=_ruling(line.text))


def _ruling(text: str) -> str:
    """A line, a very long one from the sentence on that most surely is the rule."""
    best = max(_sentences(text), key=lambda each: odds(WEIGHTS, _signs(each)))
    rest = text[text.index(best) :]
    if len(text) <= _LONG_RULE or rest == text:
        return beginning(text, _LONG_RULE)
    return f"… {beginning(rest, _LONG_RULE)}"


def _place(vault: Vault, path: str, *headings: str) -> _Place:
    """Where a line stands that is below some headings of a note."""
    parts = path.removesuffix(".md").replace("-", " ").split("/")
    above = tuple(map(normal_heading, (*parts, *headings)))
    return _Place(path, get_kind(vault.db, path), above)


@cache
def _is_of_rules(heading: str) -> bool:
    """Whether what stands under a heading is what somebody wants done, and how."""
    meant = FACT_HEADINGS.get(heading)
    typed = meant is not None and meant.type in _TYPES and "how" not in heading
    return not heading.startswith("how to") and (typed or _HOW.match(heading) is not None)


def evidence(text: str, type_: str, place: _Place) -> dict[str, float]:
    """What speaks for a line, and against it, that it is a standing rule."""
    is_typed = type_ in _TYPES or _TAIL.search(text) is not None
    return {
        **max(map(_signs, _sentences(text)), key=partial(odds, WEIGHTS)),
        "own": float(_OWN.search(text) is not None),
        "meant": float(is_typed or place.is_meant),
        place.kind: 1.0,
    }


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?…])\s+(?=\S)", text)


def _signs(sentence: str) -> dict[str, float]:
    """What a sentence says of itself."""
    plain = re.sub(_QUOTED, "", sentence)
    signs = {
        name: float(re.search(pattern, plain, re.IGNORECASE) is not None)
        for name, pattern in _SIGNS.items()
    }
    return {**signs, "long": min(1.0, len(plain) / _WHOLE_RULE)}
