"""A conversation at a real terminal: what is typed key by key, edited, stopped, and seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.show.terminal import columns_of, without_colours

Vaults = Callable[[str], Path]
Terminal = Callable[..., Any]
PROMPT = "> "
ASKED = "in other words: "
LEFT = ("> ", "\x04")
"""Ctrl-D at the prompt."""


@pytest.fixture
def root(vault: Vaults) -> Path:
    return vault("template")


def plain(seen: str) -> str:
    """What was seen, without colours and what a terminal is told besides."""
    return re.sub(r"\x1b\[\?2004[hl]", "", without_colours(seen)).replace("\r", "")


def stopped(text: str, prompt: str = PROMPT) -> list[tuple[str, str]]:
    """What is typed, and Ctrl-C once it is seen: then the terminal waits for keys."""
    return [(prompt, text), (text, "\x03")]


def test_ask_follow_a_citation_correct_the_fact_see_it_and_undo(
    terminal: Terminal, root: Path, aurelius: Callable[..., Any]
) -> None:
    note = root / "people/joe-bloggs.md"
    before = note.read_bytes()
    typed = [
        (PROMPT, "where does joe live\n"),
        (PROMPT, "1\n"),
        (PROMPT, "no, he lives in Lisbon now\n"),
        (ASKED, "yes\n"),
        ("takes it back", ""),
        LEFT,
    ]
    done = terminal("chat", cwd=root, typed=typed)
    seen = plain(done.seen)
    assert done.code == 0
    assert "1   Lives in Los Angeles\n    Joe Bloggs  2026-02-01  people/joe-bloggs.md:13\n" in seen
    assert ">   13  - Lives in Los Angeles (2026-02-01)\n" in seen
    assert "-- Lives in Los Angeles (2026-02-01) ^k3v9qa\n" in seen
    assert "changed people/joe-bloggs.md\n" in seen
    assert "Lisbon" in aurelius("show", "joe", "--facts", cwd=root).out
    assert aurelius("undo", cwd=root).code == 0
    assert note.read_bytes() == before
    typed[-2:] = [("takes it back", ""), (PROMPT, "undo\n"), LEFT]
    done = terminal("chat", cwd=root, typed=typed)
    assert "undid " in done.seen
    assert note.read_bytes() == before


def test_a_line_can_be_edited_and_fetched_again(terminal: Terminal, root: Path) -> None:
    typed = [(PROMPT, "where does joe lixx\x7f\x7fve\n"), (PROMPT, "\x1b[A\n"), LEFT]
    done = terminal("chat", cwd=root, typed=typed)
    assert done.seen.count("Lives in Los Angeles") == 2


def test_what_was_typed_is_in_no_file(terminal: Terminal, root: Path, env: dict[str, str]) -> None:
    typed = [(PROMPT, "where does the xylophone live\n"), LEFT]
    terminal("chat", cwd=root, typed=typed)
    files = [*root.rglob("*"), *Path(env["HOME"]).rglob("*")]
    assert not [path for path in files if path.is_file() and b"xylophone" in path.read_bytes()]


def test_control_c_clears_the_line_and_twice_ends(terminal: Terminal, root: Path) -> None:
    typed = [
        *stopped("where does ann live"),
        ("again ends", ""),
        (PROMPT, "where does joe live\n"),
        ("joe-bloggs.md:13", ""),
        *stopped("and"),
        ("again ends", ""),
        *stopped("and"),
    ]
    done = terminal("chat", cwd=root, typed=typed)
    assert done.code == 130
    assert "Traceback" not in done.seen
    assert done.seen.count("Lives in Los Angeles") == 1


def test_control_c_leaves_a_change_unwritten(terminal: Terminal, root: Path) -> None:
    typed = [
        (PROMPT, "Ann Lee moved to Rome\n"),
        *stopped("ye", ASKED),
        ("the change was not written", ""),
        (PROMPT, "yes\n"),
        LEFT,
    ]
    assert terminal("chat", cwd=root, typed=typed).code == 0
    assert not (root / "memory/2026-02-10.md").exists()


def test_both_keeps_the_line_that_the_change_would_replace(terminal: Terminal, root: Path) -> None:
    note = root / "people/joe-bloggs.md"
    typed = [
        (PROMPT, "Joe Bloggs lives in Rome\n"),
        ("yes, both, no", "both\n"),
        ("both hold?", ""),
        (ASKED, "yes\n"),
        ("takes it back", ""),
        LEFT,
    ]
    assert terminal("chat", cwd=root, typed=typed).code == 0
    text = note.read_text()
    assert "- Lives in Los Angeles (2026-02-01)" in text
    assert "- Joe Bloggs lives in Rome (2026-02-10)" in text


def test_one_question_ends_unless_a_yes_is_wanted(terminal: Terminal, root: Path) -> None:
    done = terminal("chat", "where does joe live", cwd=root)
    assert done.code == 0
    assert PROMPT not in plain(done.seen)
    done = terminal("chat", "Ann Lee moved to Rome", cwd=root, typed=[(ASKED, "yes\n")])
    assert done.code == 0
    assert "- Ann Lee moved to Rome\n" in (root / "memory/2026-02-10.md").read_text()


def test_enter_alone_asks_what_waits_and_yes_writes_it(terminal: Terminal, vault: Vaults) -> None:
    root = vault("sample")
    note = root / "people/marek-dvorak.md"
    typed = [(PROMPT, "\n"), ("or stop asking: ", "yes\n"), ("takes it back", ""), LEFT]
    assert terminal("chat", cwd=root, typed=typed).code == 0
    assert "Is going to be a father" in note.read_text()


def test_a_line_is_opened_in_the_editor(terminal: Terminal, root: Path, tmp_path: Path) -> None:
    editor = tmp_path / "vi"
    editor.write_text('#!/bin/sh\necho "opened $*"\n')
    editor.chmod(0o755)
    typed = [(PROMPT, "where does joe live\n"), (PROMPT, "o 1\n"), ("opened", ""), LEFT]
    done = terminal("chat", cwd=root, typed=typed, EDITOR=str(editor))
    assert f"opened +13 {root}/people/joe-bloggs.md" in done.seen.replace("\r\n", "")


def test_lines_are_as_wide_as_the_terminal(terminal: Terminal, root: Path) -> None:
    note = root / "people/joe-bloggs.md"
    words = " ".join(["long"] * 30)
    note.write_text(note.read_text().replace("in Los Angeles", f"in {words} Los Angeles \x1b[2J"))
    typed = [(PROMPT, "where does joe live\n"), ("joe-bloggs.md:13", ""), LEFT]
    done = terminal("chat", cwd=root, typed=typed, columns=60)
    rows = plain(done.seen).splitlines()
    assert max(map(columns_of, rows)) <= 60
    assert r"\x1b[2J" in done.seen
    assert "\x1b[2J" not in done.seen


def test_out_into_a_file_the_prompt_is_still_seen(
    terminal: Terminal, root: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    typed = [(PROMPT, "where does joe live\n"), LEFT]
    done = terminal("chat", cwd=root, typed=typed, out=out)
    assert done.code == 0
    assert "Lives in Los Angeles" in out.read_text()
    assert PROMPT not in out.read_text()


def test_what_is_carried_and_a_day_are_told_once(aurelius: Callable[..., Any], root: Path) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/2026-02-09.md").write_text("# 2026-02-09\n\n- Oiled the boat with Joe\n")
    done = aurelius("chat", cwd=root, stdin="what did I do on 9 february 2026\n")
    assert "    2026-02-09  memory/2026-02-09.md:3\n" in done.out
    done = aurelius("chat", cwd=root, stdin="where does joe live\nwhere does he work?\n")
    assert "about Joe Bloggs, as before\n" in done.out


def test_a_line_that_is_too_long_is_said_to_be(aurelius: Callable[..., Any], root: Path) -> None:
    done = aurelius("chat", cwd=root, stdin=f"where {'joe ' * 600}\n")
    assert "too long" in done.out
    assert "2,000 at most" in done.out
