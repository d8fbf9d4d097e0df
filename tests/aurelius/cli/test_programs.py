"""The person's own programs."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.cli.programs import OPENER, edit, open_in_obsidian
from aurelius.cli.run import Context
from aurelius.settings.editors import editor_arguments, editor_set
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
def test_editors_are_told_the_line_in_their_own_way(
    program: str, line: int, words: list[str]
) -> None:
    assert editor_arguments(program, "a b.md", line) == words


def test_visual_goes_before_editor() -> None:
    assert editor_set({"VISUAL": "code --wait", "EDITOR": "vi"}) == "code --wait"
    assert editor_set({"VISUAL": " ", "EDITOR": "vi"}) == "vi"
    with pytest.raises(UsageError, match="no editor is set") as caught:
        editor_set({})
    assert "EDITOR" in caught.value.hint


def test_an_editor_is_run_without_a_shell(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = f"import sys; open({str(seen)!r}, 'w').write(repr(sys.argv[1:])); sys.exit(3)"
    here = context(EDITOR=f'"{sys.executable}" -c "{script}" "$(echo no)" ;')._replace(
        cwd=str(tmp_path)
    )
    assert edit(str(tmp_path), "people/a;b $x.md", 0, here) == 3
    assert seen.read_text("utf-8") == repr(
        ["$(echo no)", ";", str(tmp_path / "people" / "a;b $x.md")]
    )


def test_an_editor_that_fails_is_told_with_its_exit_code(tmp_path: Path) -> None:
    here = context(EDITOR=f'"{sys.executable}" -c "import sys; sys.exit(3)"')._replace(
        cwd=str(tmp_path)
    )
    assert edit(str(tmp_path), "a.md", 0, here) == 3
    assert here.err.getvalue() == (  # type: ignore[attr-defined]  # a StringIO
        f"aurelius: {sys.executable} ended with exit code 3; check whether it saved a.md\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="no signals")
def test_an_editor_that_is_killed_is_told_with_the_signal(tmp_path: Path) -> None:
    here = context(EDITOR=f'"{sys.executable}" -c "import os; os.kill(os.getpid(), 9)"')._replace(
        cwd=str(tmp_path)
    )
    assert edit(str(tmp_path), "a.md", 0, here) == 137
    assert "was stopped by signal 9" in here.err.getvalue()  # type: ignore[attr-defined]  # as above


# -- obsidian --------------------------------------------------------------------------------------------


LINK = "obsidian://open?path={root}%2Fpeople%2Fa%20b%26c%3Fd%23%C3%BC%22%27.md"
NAME = "people/a b&c?d#ü\"'.md"


@pytest.fixture
def opener(tmp_path: Path) -> Callable[[int], str]:
    """What opens links: it writes down what it is given, and ends with that exit code; the folder it lies in."""

    def make(code: int) -> str:
        script = tmp_path / OPENER[0]
        script.write_text(
            f"#!{sys.executable}\nimport sys\n"
            f"open({str(tmp_path / 'given')!r}, 'w').write(repr(sys.argv[1:]))\nsys.exit({code})\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(tmp_path)

    return make


@pytest.mark.skipif(os.name == "nt", reason="a script of Unix")
def test_obsidian_is_opened_with_the_whole_path_encoded(
    tmp_path: Path, opener: Callable[[int], str]
) -> None:
    here = context(PATH=opener(0))
    assert open_in_obsidian("/my vault", NAME, here) == 0
    assert (tmp_path / "given").read_text() == repr([LINK.format(root="%2Fmy%20vault")])
    assert here.out.getvalue() == here.err.getvalue() == ""  # type: ignore[attr-defined]  # as above


@pytest.mark.skipif(os.name == "nt", reason="a script of Unix")
def test_the_link_is_printed_where_nothing_opens_it(
    tmp_path: Path, opener: Callable[[int], str]
) -> None:
    for path, why in (
        (opener(4), f"{OPENER[0]} could not open it"),
        ("/none", "no program on this computer opens links"),
    ):
        here = context(PATH=path)
        assert open_in_obsidian("/v", NAME, here) == 0
        assert here.out.getvalue() == LINK.format(root="%2Fv") + "\n"  # type: ignore[attr-defined]  # as above
        assert why in here.err.getvalue()  # type: ignore[attr-defined]  # as above


@pytest.mark.parametrize("command", ["no-such-editor", '"unbalanced'])
def test_an_editor_that_is_none_is_said(command: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        edit(str(tmp_path), "a.md", 0, context(EDITOR=command)._replace(cwd=str(tmp_path)))
    assert caught.value.hint
