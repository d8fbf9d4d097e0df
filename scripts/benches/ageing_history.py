"""A made-up history of people, projects and companies whose facts change over two years, from a
seed.

Its notes can be written as they stand on any day, with what was superseded under History as
`supersede` leaves it.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from typing import NamedTuple

from benches.ageing_phrases import Topic, filled, topics

FIRST, LAST = datetime.date(2024, 1, 8), datetime.date(2026, 1, 9)
FOLDERS = {"person": "people", "project": "projects", "company": "companies"}
COUNTS = {"person": 24, "project": 12, "company": 8}
MATTERS = 9
"""Matters that a note knows of at most."""
HEADINGS = {
    "preference": "Preferences",
    "decision": "Decisions",
    "instruction": "Rules",
    "plan": "Plans",
}
GIVEN = (
    "Joe Anna Marta Pavel Selma Ivo Nina Oscar Wilma Karim Tessa Hugo Freya Milan Greta Samir Edith"
    " Boris Laila Jonas Petra Ravi Solveig Tariq"
)
FAMILY = (
    "Bloggs Winter Falk Moreau Quist Haas Ibsen Lund Marsh Nyberg Orban Pike Rask Sorel Tull Ueda"
    " Vance Wolff Yates Zimmer Abell Brandt Crane Doyle"
)
PROJECTS = (
    "Heron Basalt Juniper Meridian Cobbler Lantern Osprey Thistle Anchor Saffron Compass Willow"
)
COMPANIES = (
    "Tallow Brothers,Glasshouse,Ironleaf,Marlin Foods,Copperfield Press,Halyard,Stonebridge,Vireo"
)


class Line(NamedTuple):
    """A fact as it was written: on which day, by what words, and its value; `id` is an `^id`."""

    day: str
    text: str
    value: str
    id: str


class Matter(NamedTuple):
    """One thing about one subject: what was so, one line after another, and what looks like it."""

    path: str
    name: str
    topic: Topic
    lines: tuple[Line, ...]
    besides: tuple[Line, ...]

    def on(self, day: str) -> Line | None:
        """The line that held on a day."""
        return next((line for line in reversed(self.lines) if line.day <= day), None)

    def until(self, line: Line) -> str:
        """The day on which a line was superseded, "" for never."""
        at = self.lines.index(line)
        return self.lines[at + 1].day if at + 1 < len(self.lines) else ""


def history(seed: int) -> list[Matter]:
    """Everything that was ever so."""
    chance = random.Random(seed)
    ids = _ids(chance)
    made: list[Matter] = []
    for of, names in _names(chance).items():
        known = [one for one in topics() if one.of == of]
        for name, path in names:
            chosen = chance.sample(known, min(len(known), MATTERS if of != "me" else len(known)))
            made += [_matter(name, path, topic, chance, ids) for topic in chosen]
    return made


def bullet(matter: Matter, line: Line, day: str) -> tuple[str, str]:
    """The heading under which a line stands on a day, and how."""
    ends = matter.until(line) if line in matter.lines else ""
    if not ends or ends > day:
        return HEADINGS.get(matter.topic.type, "Facts"), f"- {line.text} ({line.day}) ^{line.id}"
    by = matter.lines[matter.lines.index(line) + 1].id
    return "History", f"- ~~{line.text}~~ ({line.day} → {ends}, superseded by ^{by}) ^{line.id}"


def note(known: list[Matter], day: str) -> Iterator[str]:
    """The lines of a note."""
    yield f"# {known[0].name}"
    lines = [(line, one) for one in known for line in (*one.lines, *one.besides) if line.day <= day]
    parts: dict[str, list[str]] = {}
    for line, one in sorted(lines, key=lambda pair: (pair[0].day, pair[0].id)):
        heading, text = bullet(one, line, day)
        parts.setdefault(heading, []).append(text)
    for heading in sorted(parts, key=lambda each: (each == "History", each)):
        yield from ("", f"## {heading}", *parts[heading])


def _matter(
    name: str, path: str, topic: Topic, chance: random.Random, ids: Iterator[str]
) -> Matter:
    days = _days(chance, 1 if topic.many else chance.choice((1, 2, 2, 3, 4)))
    values = chance.sample(topic.values, min(len(days) + 2, len(topic.values)))
    lines = []
    for at, day in enumerate(days[: len(values) - 1]):
        phrase = chance.choice((topic.change if at else topic.state) or topic.state)
        lines.append(
            Line(
                day,
                filled(phrase, values[at], values[at - 1] if at else "", name),
                values[at],
                next(ids),
            )
        )
    aside = chance.sample(topic.alike, min(len(topic.alike), chance.randrange(3)))
    besides = [
        Line(
            day, filled(phrase, chance.choice(values[len(lines) :]), values[0], name), "", next(ids)
        )
        for phrase, day in zip(aside, _days(chance, len(aside)), strict=True)
    ]
    return Matter(path, name, topic, tuple(lines), tuple(besides))


def _days(chance: random.Random, count: int) -> list[str]:
    """Days of the two years in order, the first one early."""
    span = (LAST - FIRST).days
    found = {chance.randrange(60)}
    while len(found) < count:
        found.add(chance.randrange(60, span))
    return [(FIRST + datetime.timedelta(days=each)).isoformat() for each in sorted(found)][:count]


def _ids(chance: random.Random) -> Iterator[str]:
    seen: set[str] = set()
    while True:
        made = "".join(chance.choices("abcdefghijkmnpqrstuvwxyz23456789", k=6))
        if made not in seen:
            seen.add(made)
            yield made


def _names(chance: random.Random) -> dict[str, list[tuple[str, str]]]:
    people = [f"{one} {other}" for one, other in zip(GIVEN.split(), FAMILY.split(), strict=True)]
    names = {"person": people, "project": PROJECTS.split(), "company": COMPANIES.split(",")}
    found = {}
    for of, folder in FOLDERS.items():
        chosen = chance.sample(names[of], COUNTS[of])
        found[of] = [(name, f"{folder}/{name.lower().replace(' ', '-')}.md") for name in chosen]
    return {**found, "me": [("Me", "ME.md")]}
