"""A personal vault, made up: the notes of one person over some years, most of them daily notes that
name people, projects and each other."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from .growth import Words, write_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LAST_DAY = datetime.date(2026, 2, 10)
_TYPES = ("", "", "decision", "preference", "event", "plan", "observation")


def make_personal_vault(root: Path, notes: int = 3400, days: int = 1440, seed: int = 7) -> None:
    """A vault of so many notes, so many of which are those of the last days, a twentieth left out
    here and there; one in forty of the others is private."""
    for path, text in personal_notes(notes, days, seed):
        write_note(root / path, text)


def personal_notes(notes: int, days: int, seed: int) -> Iterator[tuple[str, str]]:
    """The path and the text of each note."""
    words = Words(seed, ())
    dice = words.dice
    pages = notes - days
    people = pages // 3
    for number, day in enumerate(_days(days, dice.random)):
        named = [f"[[people/person-{dice.randrange(people)}]]" for _ in range(2)]
        lines = [f"- {words.line()} {each}" for each in named]
        lines += [f"- {words.fact(people)}" for _ in range(dice.randrange(6))]
        if number % 3 == 0:
            due = day + datetime.timedelta(dice.randrange(30))
            lines.append(f"- [ ] {words.line(3, 6)} 📅 {due}")
        text = "\n".join(lines)
        yield f"memory/{day}.md", f"# {day}\n\n{text}\n"
    for at in range(people):
        facts = "\n".join(
            f"- {words.fact(people)} ({words.day()}{_tail(dice.choice(_TYPES))})" for _ in range(5)
        )
        friend = f"- [[people/person-{dice.randrange(people)}]] - friend"
        yield (
            f"people/person-{at}.md",
            f"---\ntype: person\n---\n# Person {at}\n\n## Summary\n{words.line()}.\n\n"
            f"## Facts\n{facts}\n\n## Relationships\n{friend}\n",
        )
    for at in range(pages - people):
        folder = ("resources", "projects", "areas", "archives")[at % 4]
        private = "---\nprivate: true\n---\n" * (at % 40 == 0)
        friend = f"[[people/person-{dice.randrange(people)}]]"
        links = f"See {friend} and [[note-{dice.randrange(at + 1)}]]."
        yield f"{folder}/note-{at}.md", f"{private}{words.prose(at)}\n{links}\n"


def _tail(word: str) -> str:
    if word:
        return f", {word}"
    return ""


def _days(count: int, chance: Callable[[], float]) -> Iterator[datetime.date]:
    """So many days up to the last, the newest first, one in twenty left out."""
    day = LAST_DAY
    while count:
        if chance() > 0.05:
            count -= 1
            yield day
        day -= datetime.timedelta(1)
