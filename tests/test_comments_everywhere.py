"""What a person hid in a comment is in no answer of any command, and is there once the marks are gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]

NOTES = {
    "people/joe.md": "---\naliases: [Joey]\n---\n# Joe %%zebra%%\n\n## Facts\n- Lives in Oslo (2026-01-02) ^aaa111\n"
    "%%\n"
    "- Zebra salary is large (2026-01-03) ^zeb111\n- [ ] pay the zebra due 2026-02-12\n#zebra [[zebra]]\n%%\n"
    "- Works at Acme (2026-01-04) <!-- zebra:7 -->\n- Has [[ann]] as a friend (2026-01-05) %%[zebra:: 12]%%\n",
    "memory/2026-02-09.md": "- saw Joe at the harbour <!-- zebra -->\n\n<!-- the zebra\n\nwas there -->\n"
    "\nplain words\n",
    "MEMORY.md": "# Memory\n\n- Always greet Joe %% but not the zebra %%\n",
    "ME.md": "# Me\n\n- I like tea <!-- zebra -->\n",
    "people/ann.md": "# Ann\n\n## Summary\n\n## Facts\n- Plays go (2026-01-04) %%zebra%%\n",
    "long.md": "# Long\n\n"
    + "harbour words go on and on, line by line, %%zebra%% and so on\n" * 60,
}

COMMANDS = [
    ("search", "zebra"),
    ("search", "zebra salary", "--mode", "keyword"),
    ("search", "where does Joe live and work"),
    ("search", "harbour words", "--json"),
    ("show", "joe", "--facts"),
    ("show", "ann", "--json"),
    ("links", "ann", "--all"),
    ("links", "joe", "--all"),
    ("tags",),
    ("tasks",),
    ("list",),
    ("days", "--all"),
    ("history", "joe"),
    ("graph", "joe"),
    ("doctor",),
    ("context",),
    ("context", "what about Joe and the harbour"),
    ("review",),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    there = tmp_path / "vault"
    (there / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text, "utf-8")
    return there


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_tells_a_comment(
    aurelius: Aurelius, root: Path, command: tuple[str, ...]
) -> None:
    done = aurelius(*command, cwd=root)
    told = (done.out + done.err).lower()
    for word in " ".join(command).split():
        told = told.replace(word, "")
    assert "zebra" not in told
    assert "%%" not in told


def test_a_summary_has_no_comment_and_the_note_keeps_all_of_them(
    aurelius: Aurelius, root: Path
) -> None:
    for name in ("people/joe.md", "people/ann.md"):
        before = (root / name).read_text()
        assert aurelius("summarize", name, cwd=root).code == 0
        text = (root / name).read_text()
        written = text.partition("## Summary")[2].partition("## Facts")[0]
        assert written.strip()
        assert not any(mark in written.lower() for mark in ("zebra", "%%", "<!--", "(2026"))
        assert text.count("%%") == before.count("%%")
        assert text.count("zebra") == before.count("zebra")


def test_what_was_hidden_is_found_once_the_marks_are_gone(aurelius: Aurelius, root: Path) -> None:
    assert "no fact" in aurelius("get", "^zeb111", cwd=root).err
    note = root / "people/joe.md"
    note.write_text(note.read_text().replace("\n%%\n", "\n\n"), "utf-8")
    assert "Zebra salary" in aurelius("get", "^zeb111", cwd=root).out
    assert "zebra" in aurelius("tasks", cwd=root).out
    assert "#zebra" in aurelius("tags", cwd=root).out
    assert "differ" not in aurelius("doctor", "--verify", cwd=root).out


def test_a_comment_without_an_end_is_told_by_doctor(aurelius: Aurelius, root: Path) -> None:
    (root / "a.md").write_text("# A\n\nwords\n\n%% zebra\n\nmore\n", "utf-8")
    assert "a.md:5: a comment begins here and no %% closes it" in aurelius("doctor", cwd=root).out


def test_a_moved_note_keeps_its_comments_and_formulas_byte_for_byte(
    aurelius: Aurelius, root: Path
) -> None:
    kept = "%% [[joe]] %% <!-- [[joe]] --> $x = [[joe]]$ $$ [[joe]] $$ and $[f*g](people/joe.md)$ `[[joe]]`\n"
    kept += "\n%%\n[[joe]]\n%%\n\n$$\n- [[joe]] #\n\n[[joe]]\n$$\n\n<!-- [[joe]]\n\n[[joe]] -->\n"
    (root / "m.md").write_text(
        f"# M\n\n{kept}\nReal: [[joe]] [so](people/joe.md) [w](people\\joe.md)\n", "utf-8"
    )
    joe = (root / "people/joe.md").read_bytes()
    assert aurelius("move", "people/joe.md", "people/joseph.md", cwd=root).code == 0
    text = (root / "m.md").read_text()
    assert text == f"# M\n\n{kept}\nReal: [[joseph]] [so](people/joseph.md) [w](people/joseph.md)\n"
    assert (root / "people/joseph.md").read_bytes() == joe
