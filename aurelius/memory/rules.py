"""The standing rules of a vault, wherever they are written, and who the person is where no note
says so by its name.

A rule is a line that somebody typed as an instruction or a preference, that stands under a heading
of rules or on a page of them, or that says by itself that it always holds: it begins with `never`,
`always`, `only`, `no` and the like, or says `from now on`. What was captured and is not confirmed,
quotations, code, templates, clippings and archives give none; of the resources, which are other
people's matter, only what is typed. A rule that a later one seems to change is told by that alone,
which says where the other stands: both are still in their notes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.filters import Filters
from indexer.catalog.lists import STANDING, get_path, get_sections, with_code
from indexer.reading.path_meaning import agent_of, is_borrowed
from indexer.reading.type_words import FACT_HEADINGS, normal_heading

from .cards import telling_stems
from .lines import Line, every_line, line_of_fact, may_be_given

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.vault import Vault
    from indexer.catalog.lists import SectionRow

_TYPES = ("instruction", "preference")
_WIDE = 0.5
"""The scope from which on an instruction is no matter of one person or thing."""
_LONG_NOTE = 80
_LONG_RULE = 240
"""Lines of a note, and letters of a line, beyond which they are an article's."""
_MOST_SECTIONS_READ = 500
_MOST_RULE_PAGES = 40
"""Texts that are looked at for rules, and pages that are read for them."""
_MARKED = (
    '"from now on" OR "from today" OR "from here on" OR "since that day" OR never OR always OR only'
    ' OR must OR mustn OR nobody OR nothing OR avoid OR "don t" OR "do not" OR not OR no OR rule'
    ' OR instruction OR preference OR prefer OR please OR "ask before" OR "i want" OR rather'
)
_HEADED = (
    "rule OR instruction OR preference OR convention OR guideline OR policy OR principle"
    ' OR agreement OR standard OR style OR "how i" OR "how we" OR "with me" OR "with us"'
    ' OR "for me" OR "for us"'
)
_WORDS = f"text : ({_MARKED}) OR context : ({_HEADED})"
"""What FTS5 is asked for."""
_FROM_NOW = (
    r"\bfrom (?:now|here|this day|then) on\b|\bfrom today\b|\bsince (?:that|this) day\b"
    r"|\bno exceptions\b|\b(?:new |house )?rules?(?: from today)?:"
)
_CHANGES = rf"{_FROM_NOW}|\b(?:no longer|no more|any ?more|instead)\b"
_ALWAYS = r"(?:always|never|don['’]?t|do not|must|avoid)\b"
_WISHES = r"I(?:['’]d)? (?:never|always|only|prefer|rather|want|don['’]t want)\b"
_BEGINS = rf"(?:^|[.;!?]\s+)(?:(?:please )?{_ALWAYS}|{_WISHES})|^(?:prefer|please|ask before)\b"
_LIMITS = (
    r"(?:^|[.;!?]\s+(?:and )?)(?:only|no|not|nobody|no one|nothing)\b|,\s+(?:don['’]t|never)\b"
)
_OF_DAY = rf"{_FROM_NOW}|^(?:always|never)\b"
_OF_NOTE = rf"{_OF_DAY}|{_BEGINS}|{_LIMITS}"
_STRICT = r"\b(?:never|always|only|must|no|not|nobody|don['’]?t)\b"
_QUOTED = r"[\"“”„«][^\"“”„«»]*[\"“”»]"
_BULLETS = re.compile(r"(?m)^[ \t*+-]+")
_TAIL = r"\((?:[^()]*,\s*)?(?:instruction|preference|rule)\)\s*$"
"""How a line ends that is typed in a note which holds no facts."""
_BOX = r"\[.\]\s"
_HOW = re.compile(
    r"how (?:i|we)\b|.*\b(?:with|for) (?:me|us)$|(?:[\w'’-]+ ){0,2}(?:rules|instructions"
    r"|preferences|conventions|guidelines|policies|principles|agreements|standards|style)$"
)
"""Headings of what somebody wants done, and how."""
_CAPTURED = re.compile(r"captured|session \d{4}(?:\d\d)?")
_NO_RULES = frozenset(("resource", "person", "company", "project"))
"""Kinds of notes of which an unmarked line is no rule for everything."""
_FRONT_LINES = 60
_FRONT = ("about me", "about", "about this", "home", "readme", "index", "start here", "profile")
"""Notes at the top of a vault that may say whose it is."""
_SELF = re.compile(r"(?:who|about|identity|me\b|bio\b|profile)")
_FIRST_PERSON = re.compile(r"\b(?:I|I['’]m|[Mm]y|me)\b|\b(?i:notes|wiki|vault|diary|garden) of\b")


class _Rule(NamedTuple):
    """A line, and how sure it is that it always holds: 0 for the most."""

    rank: int
    line: Line


def standing_rules(vault: Vault) -> list[Line]:
    """Every standing rule: those of the person's own pages and those for everything first, then
    what is typed or stands under a heading of rules, then what only says so itself; of each those
    with `never`, `always`, `only` and `must` first, then the newest."""
    found = [*_typed(vault), *_written(vault)]
    once = {rule.line.key: rule for rule in reversed(found) if _may_rule(vault, rule.line.path)}
    ranked = sorted(once.values(), key=lambda rule: rule.line.date, reverse=True)
    ranked.sort(key=lambda rule: (rule.rank, not _is_strict(rule.line.text)))
    return _without_changed([rule.line for rule in ranked])


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


def _may_rule(vault: Vault, path: str) -> bool:
    """Whether a note may give rules to whoever asks."""
    own = agent_of(path) in {"", vault.agent or ""}
    return own and may_be_given(path) and not is_borrowed(path)


def _is_strict(text: str) -> bool:
    return re.search(_STRICT, text, re.IGNORECASE) is not None


def _typed(vault: Vault) -> Iterator[_Rule]:
    """The facts that are instructions or preferences, but for those of one person or thing."""
    for path, fact in vault.facts(Filters(types=_TYPES)).facts:
        line = line_of_fact(path, fact, vault.clock)
        if line and fact.scope >= _WIDE:
            yield _Rule(int(fact.scope < STANDING), line)


def _written(vault: Vault) -> Iterator[_Rule]:
    """The lines that are rules by their heading or by what they say."""
    pages: dict[str, list[SectionRow]] = {}
    for row in get_sections(vault.db, _WORDS, _MOST_SECTIONS_READ):
        if _may_rule(vault, row.path) and _may_hold(row):
            pages.setdefault(row.path, []).append(row)
    headed = [path for path in pages if any(map(_is_headed, pages[path]))]
    code = with_code(vault.db, pages.keys() - headed)  # what explains a program is no rule
    others = [path for path in pages if path not in code and path not in headed]
    for path in [*headed, *others][:_MOST_RULE_PAGES]:
        spans = [(row, range(row.first, row.last + 1)) for row in pages[path]]
        for line, told in every_line(vault, path):
            rows = [row for row, span in spans if told.line in span]
            if not rows or told.aside or line.said or re.match(_BOX, line.text):
                continue
            if _is_headed(rows[0]) or re.search(_TAIL, line.text):
                yield _Rule(1, line)
            elif _says_so(rows[0].kind, line.text):
                yield _Rule(2, line)


def _may_hold(row: SectionRow) -> bool:
    """Whether a text may hold a rule."""
    headings = map(normal_heading, row.context.split(" > "))
    if row.kind in _NO_RULES or any(map(_CAPTURED.fullmatch, headings)):
        return False
    if _is_headed(row):
        return True
    if row.size > _LONG_NOTE or "```" in row.text:
        return False
    return re.search(rf"(?im){_TAIL}|{_OF_NOTE}", _BULLETS.sub("", row.text)) is not None


def _is_headed(row: SectionRow) -> bool:
    """Whether a text stands under a heading of rules, or on a page of them."""
    for heading in row.context.split(" > "):
        plain = normal_heading(heading)
        meant = FACT_HEADINGS.get(plain)
        if _HOW.match(plain) and not plain.startswith("how to"):
            return True
        if meant and meant.type in _TYPES and "how" not in plain:
            return True
    return False


def _says_so(kind: str, text: str) -> bool:
    """Whether a line says of itself that it always holds; a day's note tells much that was so once,
    so there it has to say from when on, or begin with `always` or `never`."""
    if len(text) > _LONG_RULE:
        return False
    text = _BULLETS.sub("", text)
    wanted = _OF_DAY if kind == "daily" else _OF_NOTE
    says = re.search(wanted, text, re.IGNORECASE)  # most do not
    return says is not None and bool(re.search(wanted, re.sub(_QUOTED, "", text), re.IGNORECASE))
