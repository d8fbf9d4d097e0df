"""Every verb is an edit that a person could have typed: done by editor and by command, the vault is the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aurelius.answers.findings import FINDING_HEADINGS

Aurelius = Callable[..., Any]
JOE = "people/joe.md"
TODAY = "memory/2026-02-10.md"
START = {
    JOE: """\
---
type: person
updated: 2026-02-01
---
# Joe

## Facts
- Lives in Los Angeles (2026-02-01) ^k3v9qa
- Drinks tea (2025-11-20, preference) ^tea001

## Notes
See [[projects/boat]].
""",
    "projects/boat.md": """\
# Boat

## Facts

- Belongs to [[joe|Joe Bloggs]] (2026-01-02) ^boat01
- Painted (2025-01-01)
""",
    "memory/2026-02-01.md": "- Met [[people/joe#Facts]], who likes ![[people/joe#^tea001]]\n- Rain ^rain01\n",
}


class Verb(NamedTuple):
    """What is run, and what a person would have typed: path → (old text, new text); None for a note that goes."""

    argv: tuple[str, ...]
    typed: dict[str, tuple[str, str] | str | None]


VIOLIN = "- Plays the violin #music (2026-02-10, event, because of his mother) ^ID1"
BELONGS = (
    "- ~~Belongs to [[joe|Joe Bloggs]]~~ (2026-01-02 → 2026-02-10, superseded by ^ID1) ^boat01"
)
LIVES = "- ~~Lives in Los Angeles~~ (2026-02-01 → 2026-02-10, superseded by ^ID1) ^k3v9qa"
TEA = "- Drinks tea (2025-11-20, preference) ^tea001"
UPDATED = ("updated: 2026-02-01", "updated: 2026-02-10")
VERBS = {
    "add": Verb(
        (
            "add",
            "joe",
            "Plays the violin",
            "--type",
            "event",
            "--because",
            "of his mother",
            "--tag",
            "music",
        ),
        {JOE: ("^tea001\n", f"^tea001\n{VIOLIN}\n")},
    ),
    "add with its id and date": Verb(
        ("add", "joe", "- Plays chess (2026-02-03, pinned) ^chess1"),
        {JOE: ("^tea001\n", "^tea001\n- Plays chess (2026-02-03, pinned) ^chess1\n")},
    ),
    "add to today": Verb(("add", "Likes rum"), {TODAY: "# 2026-02-10\n\n- Likes rum ^ID1\n"}),
    "add what updates": Verb(
        ("add", "boat", "Sold to Ann", "--updates", "boat01"),
        {
            "projects/boat.md": (
                "## Facts\n\n- Belongs to [[joe|Joe Bloggs]] (2026-01-02) ^boat01\n- Painted (2025-01-01)\n",
                (
                    f"## History\n\n{BELONGS}\n\n## Facts\n\n- Painted (2025-01-01)\n"
                    "- Sold to Ann (2026-02-10, updates ^boat01) ^ID1\n"
                ),
            )
        },
    ),
    "note": Verb(("note", "Likes rum"), {TODAY: "# 2026-02-10\n\n- Likes rum\n"}),
    "update": Verb(
        ("update", "tea001", "Drinks green tea"), {JOE: ("Drinks tea", "Drinks green tea")}
    ),
    "supersede": Verb(
        ("supersede", "k3v9qa", "Lives in Porto"),
        {
            JOE: (
                "- Lives in Los Angeles (2026-02-01) ^k3v9qa\n",
                "- Lives in Porto (2026-02-10) ^ID1\n",
            ),
            "": ("\n## Notes", f"\n## History\n{LIVES}\n\n## Notes"),
        },
    ),
    "supersede a line of another day": Verb(
        ("supersede", "rain01", "Snow"),
        {
            "memory/2026-02-01.md": (
                "- Rain ^rain01\n",
                "- ~~Rain~~ (2026-02-01 → 2026-02-10, superseded by ^ID1) ^rain01\n",
            ),
            TODAY: "# 2026-02-10\n\n- Snow ^ID1\n",
        },
    ),
    "archive a fact": Verb(
        ("archive", "tea001"),
        {
            JOE: ("- Drinks tea (2025-11-20, preference) ^tea001\n", ""),
            "archives/joe.md": f"# Joe\n\nFrom [[people/joe]].\n\n## Facts\n\n{TEA}\n",
            "memory/2026-02-01.md": ("![[people/joe#^tea001]]", "![[archives/joe#^tea001]]"),
        },
    ),
    "archive a note": Verb(
        ("archive", "boat"),
        {
            "projects/boat.md": None,
            "archives/boat.md": START["projects/boat.md"],
            JOE: ("[[projects/boat]]", "[[archives/boat]]"),
        },
    ),
    "move": Verb(
        ("move", "people/joe", "people/joseph"),
        {
            JOE: None,
            "people/joseph.md": START[JOE],
            "projects/boat.md": ("[[joe|Joe Bloggs]]", "[[joseph|Joe Bloggs]]"),
            "memory/2026-02-01.md": (
                "[[people/joe#Facts]], who likes ![[people/joe#^tea001]]",
                "[[people/joseph#Facts]], who likes ![[people/joseph#^tea001]]",
            ),
        },
    ),
    "doctor": Verb(
        ("doctor", "--tidy", "boat", "--stamp"),
        {"projects/boat.md": ("- Painted (2025-01-01)\n", "- Painted (2025-01-01) ^ID1\n")},
    ),
    "status": Verb(("status", "--ageing"), {}),
    "history": Verb(("history", "joe"), {}),
}


def files(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(root.rglob("*.md"))
        if ".aurelius" not in path.parts
    }


@pytest.fixture
def there(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in START.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, "utf-8", newline="")
    return root


def by_editor(verb: Verb) -> dict[str, str]:
    """The vault after what a person typed."""
    after = dict(START)
    at = ""
    for path, change in verb.typed.items():
        at = path or at
        if change is None:
            del after[at]
        elif isinstance(change, str):
            after[at] = change
        else:
            assert after[at].count(change[0]) == 1, change
            after[at] = after[at].replace(*change)
    if JOE in verb.typed and (
        verb.argv[0] in {"add", "update", "supersede"} or "tea001" in verb.argv
    ):
        after[JOE] = after[JOE].replace(*UPDATED)
    return after


@pytest.mark.parametrize("name", VERBS)
def test_a_command_does_what_a_hand_would(name: str, there: Path, aurelius: Aurelius) -> None:
    verb = VERBS[name]
    dry = aurelius(*verb.argv, "--dry-run", cwd=there) if verb.argv[0] != "history" else None
    assert files(there) == START, "a dry run writes nothing"
    done = aurelius(*verb.argv, cwd=there)
    assert done.code == 0, done.err
    now = files(there)
    found = {each for text in now.values() for each in re.findall(r"\^([a-z0-9]{6})\b", text)}
    new = found - set(re.findall(r"\^([a-z0-9]{6})\b", "".join(START.values()))) - {"chess1"}
    assert len(new) <= 1
    assert now == {
        path: text.replace("ID1", next(iter(new), "ID1")) for path, text in by_editor(verb).items()
    }
    if dry and verb.typed:
        added = [
            line[1:]
            for line in dry.out.splitlines()
            if line.startswith("+") and not line.startswith("+++")
        ]
        assert set(added) <= {line for text in now.values() for line in text.splitlines()}, (
            "what was shown is done"
        )
        assert aurelius("undo", cwd=there).code == 0
        assert files(there) == START, "and undone"


KINDS = [word for code in FINDING_HEADINGS for word in ("--kind", code)]
"""Every kind of finding, and no word of where vault and index are."""


def test_what_was_typed_is_known_as_what_was_commanded(
    there: Path, aurelius: Aurelius, tmp_path: Path
) -> None:
    """The index sees no difference either."""
    aurelius("supersede", "k3v9qa", "Lives in Porto", cwd=there)
    other = tmp_path / "typed"
    (other / ".aurelius").mkdir(parents=True)
    for path, text in files(there).items():
        (other / path).parent.mkdir(exist_ok=True)
        (other / path).write_text(text, "utf-8", newline="")
    for argv in (
        ("history", "joe"),
        ("show", "joe", "--facts"),
        ("export", "--md"),
        ("doctor", *KINDS),
    ):
        one, two = (aurelius(*argv, "--vault", str(root), cwd=root) for root in (there, other))
        assert (one.code, one.out) == (two.code, two.out)
