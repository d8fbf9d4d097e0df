"""A vault to look around in, for the tests of the pages: people, projects, days, a private note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import TODAY
from tests.pages import Pages, served

JOE = """---
type: person
aliases: [Joseph]
tags: [friend]
updated: 2026-02-01
email: joe@example.org
---
# Joe Bloggs

## Summary

Plays **chess** and builds a [[boat]] with [[nobody yet]].

## Facts

- Lives in Lisbon (2026-01-05, status, from [[2026-02-09]], because ^joe003) ^joe001
- Plays chess (2026-01-01, pinned, importance 0.9) ^joe002
- Works at [[Techcorp]] (2026-01-02) ^joe003
- Has <b>two</b> cats

## History

- ~~Lives in Bonn~~ (2020-01-01 → 2026-01-05, superseded by ^joe001) ^joe000

## Tasks

- [ ] Call Joe 📅 2026-02-09
- [ ] Write to Joe 📅 2026-02-10
- [ ] Visit Joe 📅 2026-02-14
- [ ] Someday

## Notes

Nothing more.
"""
NOTES = {
    "people/joe-bloggs.md": JOE,
    "people/secret.md": "---\nprivate: true\n---\n# Sam\n\n## Facts\n\n- Hidden words about [[joe-bloggs]] (2026-02-09, pinned) ^hid001\n",
    "projects/boat.md": "# Boat\n\nA boat of wood. It floats.\n\n## Facts\n\n- Built by [[Joe Bloggs]] (2026-02-08, decision) ^boat01\n",
    "projects/old.md": "# Old one\n",
    "archives/projects/raft.md": "---\ntype: project\n---\n# Raft\n\nIt sank.\n",
    "companies/techcorp.md": "# Techcorp\n\nMakes things.\n",
    "memory/2026-02-09.md": "- Met [[Joe Bloggs]] at the *harbour*\n- Joe Bloggs laughed about it\n- 5 < 6\n",
    "memory/2026-02-07.md": "## Captured\n\n- Joe Bloggs is vegetarian\n",
}


@contextmanager
def looked_at(root: Path, more: Mapping[str, str] = {}) -> Iterator[Pages]:
    """The pages of this vault, with some more notes."""
    vault = root / "vault"
    (vault / ".aurelius").mkdir(parents=True, exist_ok=True)
    (vault / ".aurelius" / "config.toml").write_text("")
    for path, text in {**NOTES, **more}.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, "utf-8")
    names = ("CONFIG", "CACHE", "STATE")
    env = {"HOME": str(root)} | {f"XDG_{each}_HOME": str(root / each.lower()) for each in names}
    with served(vault, env, now=TODAY) as found:
        yield found


def part_of(text: str, heading: str) -> str:
    """The HTML from the heading with that id to the next of its level or above."""
    return text.partition(f'<h2 id="{heading}">')[2].partition("<h2")[0]
