"""Names in daily notes that no page has yet: which of them get one, and of which kind.

A page is begun for what came up on three days, and at once for family and for what is called a project.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from typing import TYPE_CHECKING

from indexer.catalog.names import fit
from indexer.reading.path_meaning import words

from .resolve import NO_NAMES, TITLES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .capture import DayLine
    from .resolve import Mention, Pages

_FAMILY = (
    "wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|sister|brother|mother|father|mum|mom|dad|cousin"
    "|uncle|aunt|niece|nephew|grand(?:mother|father|ma|pa|son|daughter)|(?:mother|father|sister|brother)-in-law"
)
_RUN = re.compile(
    r"(?:(?:Dr|Mr|Mrs|Ms|Frau|Herr|Prof)\.? )?(?:[A-Z]\. )?[A-Z][^\W\d_A-Z][^\W_]*(?: [A-Z][^\W\d_A-Z][^\W_]*){0,2}"
)
_CLOSE_BEFORE = re.compile(rf"\b(?:my|our) (?:\w+ )?(?:{_FAMILY}),? $", re.IGNORECASE)
_CLOSE_BEHIND = re.compile(rf",? (?:is |\()?(?:my|our) (?:\w+ )?(?:{_FAMILY})\b", re.IGNORECASE)
_PROJECT_BEFORE = re.compile(r"\bproject[:!,]? (?:called |named )?[\"“]?$", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"[^.;:A-Z]{0,60}?\b(?:he|she|his|her|birthday|works (?:at|for|as)|retire[sd]?|married|born|lives)\b|'s \w+ is\b"
)
_TRADE = re.compile(
    r"\b(?:GmbH|Inc|Ltd|LLC|AG|Corp|company|firm|startup|supplier|vendor|agency|orders?|invoices?|offers?|delivers?"
    r"|upfront|customers?|discount|crew|shop|contractor)\b|gives us\b|charges us\b"
)
LEAST = 0.7
"""How well part of a name has to stand for the whole (`fit`)."""
DAYS = 3
"""Days on which a name has to come up before it gets a page of its own."""


class Strangers:
    """Names in daily notes that no page has: on which days they came up, and what they seem to be."""

    def __init__(self, pages: Pages, spoken: Collection[str]) -> None:
        self.pages = pages
        self._spoken = spoken
        self._days: dict[tuple[str, ...], set[str]] = {}
        self._shown: dict[tuple[str, ...], str] = {}
        self._signs: dict[tuple[str, ...], Counter[str]] = {}
        self._small: set[str] = set()

    def meet(self, line: DayLine) -> None:
        """Note the names in a line."""
        self._small.update(re.findall(r"(?<![\w.-])[a-z]{3,}\b", line.text))
        known: list[Mention] | None = None
        for run in _RUN.finditer(line.text):
            name = tuple(word for word in words(run[0]) if word not in TITLES)
            if not name or len(name[-1]) < 3 or NO_NAMES.issuperset(name) or name[-1] in self._spoken:
                continue
            if known is None:
                known = self.pages.mentions(line.text, line.path, datetime.date.fromisoformat(line.day))
            if any(each.first < run.end() and run.start() < each.end for each in known):
                continue
            self._days.setdefault(name, set()).add(line.day)
            self._shown.setdefault(name, " ".join(word for word in run[0].split() if words(word)[0] not in TITLES))
            signs = self._signs.setdefault(name, Counter())
            before, behind = line.text[: run.start()], line.text[run.end() :]
            signs["close"] += bool(_CLOSE_BEFORE.search(before) or _CLOSE_BEHIND.match(behind))
            signs["project"] += bool(_PROJECT_BEFORE.search(before))
            signs["work"] += bool(re.match(r" project\b(?! [A-Z])", behind))
            signs["person"] += 2 * (run[0] != self._shown[name]) + bool(_SOMEBODY.match(behind))
            signs["company"] += bool(_TRADE.search(behind))
            signs["amid"] += bool(re.search(r"[\w,]\s+$", before))

    def known(self) -> Iterator[tuple[str, str]]:
        """The names that get a page, with its kind: those of family and projects at once, others after some days."""
        whole = self._whole()
        for name in sorted(self._days):
            forms = [each for each, at in whole.items() if at == name]
            if whole.get(name) != name:
                continue
            signs = sum((self._signs[each] for each in forms), Counter[str]())
            days = {day for each in forms for day in self._days[each]}
            if signs["close"]:
                yield self._shown[name], "person"
            elif signs["project"] or (signs["work"] and (signs["amid"] or len(name) > 1)):
                yield self._shown[name], "project"
            elif len(days) >= DAYS and (signs["amid"] or len(name) > 1) and (signs["person"] or signs["company"]):
                yield self._shown[name], "person" if signs["person"] >= signs["company"] else "company"

    def _whole(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Each name with the longest one that it is part of: itself where there is none or more than one."""
        longer: dict[str, set[tuple[str, ...]]] = {}
        for name in self._days:
            if len(name) > 1:
                for word in name:
                    longer.setdefault(word, set()).add(name)
        made = {}
        for name in self._days:
            fits = [each for each in longer.get(name[-1], ()) if len("".join(each)) > len("".join(name))]
            fits = [each for each in fits if fit(name, each) >= LEAST]
            fits = [each for each in fits if all(other == each or fit(other, each) >= LEAST for other in fits)]
            is_word = len(name) == 1 and name[0] in self._small
            if len(fits) == 1:
                made[name] = fits[0]
            elif not is_word:
                made[name] = name
        return made
