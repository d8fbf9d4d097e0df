"""`aurelius pick` as somebody at a terminal uses it: with fzf, with our own list, and without a terminal."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no terminal to run a command at")

Aurelius = Callable[..., Any]
Pick = Callable[..., tuple[int, str, str]]
UP, DOWN = "\x1b[A", "\x1b[B"
READY = "Esc stops"
NAMES = {"people/ada.md": "Ada Lovelace", "people/zoë.md": "Zoë Café", "projects/engine 2.md": "Engine"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for number, (path, title) in enumerate(NAMES.items()):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(f"# {title}\n\n## Facts\n- Fact of {title} (2026-01-01)\n", "utf-8")
        os.utime(root / path, (1000 - number, 1000 - number))
    return root


@pytest.fixture
def pick(terminal: Callable[..., Any], root: Path, tmp_path: Path) -> Pick:
    """Runs `aurelius pick` at a terminal where no fzf is: exit code, what it printed, what was seen beside it."""

    def run(*argv: str, typed: list[tuple[str, str]], **more: str) -> tuple[int, str, str]:
        out = tmp_path / "out"
        done = terminal("pick", *argv, cwd=root, typed=typed, out=out, **{"PATH": "/none", **more})
        return done.code, out.read_text("utf-8"), done.seen

    return run


@pytest.fixture
def fzf(tmp_path: Path) -> Callable[[str], str]:
    """An fzf that writes down what it is given and does what is said; the folder it lies in."""

    def make(then: str) -> str:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        script = folder / "fzf"
        script.write_text(
            f"#!{sys.executable}\nimport json, sys\nrows = sys.stdin.read().splitlines()\n"
            f"open({str(tmp_path / 'asked')!r}, 'w').write(json.dumps([sys.argv[1:], rows]))\n{then}\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(folder)

    return make


# -- our own list ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        (["\r"], "people/ada.md"),
        ([DOWN, "\r"], "people/zoë.md"),
        ([DOWN, DOWN, DOWN, UP, "\r"], "people/zoë.md"),
        (["3", "\r"], "projects/engine 2.md"),
        (["cafe\r"], "people/zoë.md"),
        (["ENG", "\r"], "projects/engine 2.md"),
        (["ngx", "\x7f", "\r"], "projects/engine 2.md"),
        (["xyz", "\r", "\x15", "\r"], "people/ada.md"),
    ],
)
def test_keys_choose_a_note(keys: list[str], path: str, pick: Pick) -> None:
    code, out, seen = pick(typed=[(READY, key) for key in keys])
    assert (code, out) == (0, f"{path}\n"), seen


@pytest.mark.parametrize("key", ["\x1b", "\x03", "\x04"])
def test_esc_and_ctrl_c_print_nothing(key: str, pick: Pick) -> None:
    code, out, seen = pick("ada", typed=[(READY, key)])
    assert (code, out) == (130, "")
    assert "Traceback" not in seen
    assert seen.endswith("\r\x1b[J"), "the list is taken away"


def test_a_query_begins_the_choice_and_a_fact_is_a_place(pick: Pick) -> None:
    assert pick("engine", typed=[(READY, "\r")])[1] == "projects/engine 2.md\n"
    assert pick("--facts", "lovelace", typed=[(READY, "\r")])[1] == "people/ada.md:4\n"


def test_a_simple_terminal_is_asked_for_a_number(pick: Pick) -> None:
    typed = [("narrow them: ", "people\n"), ("narrow them: ", "9\n"), ("narrow them: ", "2\n")]
    assert pick(typed=typed, TERM="dumb")[:2] == (0, "people/zoë.md\n")
    assert pick(typed=[("narrow them: ", "\n")], TERM="dumb")[:2] == (130, "")


def test_the_chosen_note_is_opened(pick: Pick, tmp_path: Path) -> None:
    script = f"import sys; open({str(tmp_path / 'edited')!r}, 'w').write(sys.argv[1])"
    code, out, _ = pick("--open", "engine", typed=[(READY, "\r")], EDITOR=f'"{sys.executable}" -c "{script}"')
    assert (code, out) == (0, "")
    assert (tmp_path / "edited").read_text() == str(tmp_path / "vault/projects/engine 2.md")


def test_a_hostile_title_cannot_steer_the_terminal(pick: Pick, root: Path) -> None:
    (root / "evil.md").write_text("# a\x1b]0;owned\x07 \u202eb\n", "utf-8")
    _, out, seen = pick("evil", typed=[(READY, "\r")])
    assert out == "evil.md\n"
    assert "\x1b]0" not in seen
    assert "\u202e" not in seen


def test_a_private_note_is_not_offered(pick: Pick, root: Path) -> None:
    (root / "secret.md").write_text("---\nprivate: true\n---\n# Hush\n")
    assert "secret" not in pick(typed=[(READY, "\x1b")])[2]
    assert pick("hush", "--private", typed=[(READY, "\r")])[1] == "secret.md\n"


# -- fzf -------------------------------------------------------------------------------------------------


def test_fzf_is_given_rows_and_a_preview_and_its_choice_is_taken(
    pick: Pick, fzf: Callable[[str], str], tmp_path: Path
) -> None:
    code, out, _ = pick("some $(words)", typed=[], PATH=fzf("print(rows[2])"))
    assert (code, out) == (0, "projects/engine 2.md\n")
    argv, rows = json.loads((tmp_path / "asked").read_text("utf-8"))
    assert rows[1] == "1\tpeople/zoë.md\tpeople/zoë.md  Zoë Café"
    assert "--query=some $(words)" in argv
    assert "--no-sort" not in argv, "a scattered match would stand before the word itself"
    preview = argv[argv.index("--preview") + 1]
    assert preview.endswith(" show --no-use -- {2}"), "fzf itself quotes what it puts there"
    assert not any(name in preview for name in NAMES)


@pytest.mark.parametrize("end", ["sys.exit(130)", "sys.exit(1)"])
def test_leaving_fzf_prints_nothing(end: str, pick: Pick, fzf: Callable[[str], str]) -> None:
    assert pick(typed=[], PATH=fzf(end))[:2] == (130, "")


def test_an_fzf_that_fails_gives_way_to_our_own_list(pick: Pick, fzf: Callable[[str], str]) -> None:
    assert pick(typed=[(READY, "\r")], PATH=fzf("sys.exit(2)"))[:2] == (0, "people/ada.md\n")


# -- no terminal -----------------------------------------------------------------------------------------


def test_without_a_terminal_there_is_nobody_to_choose(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("pick", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "aurelius: pick needs a terminal to choose at\nhint: `aurelius list --paths` prints every note's path\n"
    )


def test_nothing_to_choose_is_said(pick: Pick) -> None:
    code, out, seen = pick("--tag", "none", typed=[])
    assert (code, out) == (1, "")
    assert "no matching notes" in seen
