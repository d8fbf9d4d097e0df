from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from aurelius.cli.open_editor import arguments, edit, editor
from aurelius.cli.run import Context
from indexer.errors import UsageError


def context(**env: str) -> Context:
    return Context("/", env, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=io.StringIO())


@pytest.mark.parametrize(
    ("program", "line", "words"),
    [
        ("vim", 3, ["+3", "a b.md"]),
        ("/usr/bin/nvim", 3, ["+3", "a b.md"]),
        ("nano", 3, ["+3", "a b.md"]),
        ("emacsclient", 3, ["+3", "a b.md"]),
        ("hx", 3, ["a b.md:3"]),
        ("subl", 3, ["a b.md:3"]),
        ("code", 3, ["--goto", "a b.md:3"]),
        ("Code.exe", 3, ["--goto", "a b.md:3"]),
        ("kate", 3, ["--line", "3", "a b.md"]),
        ("notepad", 3, ["a b.md"]),
        ("vim", 0, ["a b.md"]),
    ],
)
def test_editors_are_told_the_line_in_their_own_way(program: str, line: int, words: list[str]) -> None:
    assert arguments(program, "a b.md", line) == words


def test_visual_goes_before_editor() -> None:
    assert editor(context(VISUAL="code --wait", EDITOR="vi")) == "code --wait"
    assert editor(context(VISUAL=" ", EDITOR="vi")) == "vi"
    with pytest.raises(UsageError, match="no editor is set") as caught:
        editor(context())
    assert "EDITOR" in caught.value.hint


def test_an_editor_is_run_without_a_shell(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = f"import sys; open({str(seen)!r}, 'w').write(repr(sys.argv[1:])); sys.exit(3)"
    here = context(EDITOR=f'"{sys.executable}" -c "{script}" "$(echo no)" ;')._replace(cwd=str(tmp_path))
    assert edit(str(tmp_path), "people/a;b $x.md", 0, here) == 3
    assert seen.read_text("utf-8") == repr(["$(echo no)", ";", str(tmp_path / "people" / "a;b $x.md")])


@pytest.mark.parametrize("command", ["no-such-editor", '"unbalanced'])
def test_an_editor_that_is_none_is_said(command: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        edit(str(tmp_path), "a.md", 0, context(EDITOR=command)._replace(cwd=str(tmp_path)))
    assert caught.value.hint
