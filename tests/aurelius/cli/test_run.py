"""The way in without typer: it means what typer means, and imports next to nothing; errors become exit codes."""

from __future__ import annotations

import datetime
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from aurelius.cli.run import BUG, UNWRITTEN, Context, execute, load_command, with_clock
from indexer import errors
from indexer.errors import UsageError

if TYPE_CHECKING:
    from aurelius.cli.run import Run


import re
import time
from collections.abc import Callable
from typing import NamedTuple

from tests.conftest import Aurelius

ROOT = Path(__file__).resolve().parents[3]
ARGS = SimpleNamespace(now=None, ids=False)


def context(**env: str) -> Context:
    return Context(
        os.sep, env, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=io.StringIO()
    )


def raising(error: BaseException) -> Run:
    def run(args: SimpleNamespace, context: Context) -> int:
        raise error

    return run


def told(run: Run, **env: str) -> tuple[int, str]:
    here = context(**env)
    code = execute(run, ARGS, here)
    assert here.out.getvalue() == ""  # type: ignore[attr-defined]  # a StringIO
    return code, here.err.getvalue()  # type: ignore[attr-defined]  # as above


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError, 2),
        (errors.ConfigError, 3),
        (errors.VaultNotFoundError, 4),
        (errors.NoteNotFoundError, 5),
        (errors.AmbiguousNameError, 5),
        (errors.ConflictError, 6),
        (errors.IndexUnavailableError, 7),
    ],
)
def test_an_error_is_one_message_a_hint_and_its_exit_code(
    error: type[errors.AureliusError], code: int
) -> None:
    assert told(raising(error("what is wrong", "what to do"))) == (
        code,
        "aurelius: what is wrong\nhint: what to do\n",
    )
    assert told(raising(error("what is wrong"))) == (code, "aurelius: what is wrong\n")


def test_every_error_of_the_tree_has_a_code_of_the_design() -> None:
    tree = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, Exception)
    ]
    assert {
        getattr(each, "exit_code", None) for each in tree if each is not errors.AureliusError
    } == {2, 3, 4, 5, 6, 7}


def test_a_message_cannot_steer_the_terminal() -> None:
    """What an error quotes may come from a file name."""
    code, err = told(raising(UsageError("no note \x1b[2J\x07", "try \u202etxt")))
    assert (code, err) == (2, "aurelius: no note \\x1b[2J\\x07\nhint: try \\u202etxt\n")


def test_a_bug_is_named_in_one_line() -> None:
    code, err = told(raising(ValueError("two\nlines")))
    assert code == BUG
    assert err.startswith(
        "aurelius: this is a bug in Aurelius: ValueError: two lines (cli/test_run.py:"
    )
    assert "Traceback" not in err
    assert "AURELIUS_DEBUG=1" in err


def test_the_traceback_of_a_bug_is_kept_for_a_report(tmp_path: Path) -> None:
    """A race does not come again to be looked at."""
    home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    kept = tmp_path / "state/aurelius/last-bug.txt"
    for word in ("first", "second"):
        _, err = told(raising(ValueError(word)), **home)
        assert err.splitlines()[1].endswith(f"; the traceback for a report is in {kept}")
        assert f"ValueError: {word}\n" in kept.read_text()
        assert kept.stat().st_mode & 0o777 == 0o600
    assert "first" not in kept.read_text()
    kept.unlink()
    kept.mkdir()
    code, err = told(raising(ValueError("third")), **home)
    assert (code, "AURELIUS_DEBUG=1 shows the traceback" in err) == (BUG, True)


def test_a_bug_shows_its_traceback_when_asked() -> None:
    code, err = told(raising(ValueError("oh")), AURELIUS_DEBUG="1")
    assert code == BUG
    assert err.startswith("Traceback")
    assert "ValueError: oh" in err


def test_a_broken_installation_is_named_in_one_line() -> None:
    code, err = told(load_command("no_such_module:search"))
    assert code == BUG
    assert err.startswith(
        "aurelius: this is a bug in Aurelius: ModuleNotFoundError: No module named "
    )
    assert "Traceback" not in err


def test_an_interrupt_is_one_line_and_130() -> None:
    assert told(raising(KeyboardInterrupt())) == (130, "aurelius: stopped\n")


def test_a_closed_pipe_is_no_error() -> None:
    assert told(raising(BrokenPipeError())) == (0, "")


def test_a_full_disk_behind_the_output_is_said() -> None:
    assert told(raising(OSError(28, "No space left on device"))) == (
        UNWRITTEN,
        "aurelius: the answer cannot be written: No space left on device\n",
    )


def test_head_may_close_the_pipe() -> None:
    """The interpreter's own last flush must not complain either."""
    script = (
        "import sys\nfrom aurelius.cli.run import Context, execute\nfrom types import SimpleNamespace\n"
        "def run(args, context):\n    for _ in range(100000): context.put('a line of text')\n    return 0\n"
        "sys.exit(execute(run, SimpleNamespace(now=None, ids=False),"
        " Context('/', {}, False, sys.stdin, sys.stdout, sys.stderr)))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-02-10", datetime.datetime(2026, 2, 10)),
        ("2026-02-10T09:30", datetime.datetime(2026, 2, 10, 9, 30)),
        (" 2026-02-10 ", datetime.datetime(2026, 2, 10)),
    ],
)
def test_now_sets_the_clock(text: str, moment: datetime.datetime) -> None:
    assert with_clock(text, context()).now == moment
    assert with_clock(None, context(AURELIUS_NOW=text)).now == moment


def test_a_time_with_a_zone_becomes_local_time() -> None:
    moment = with_clock("2026-02-10T09:30:00+00:00", context()).now
    assert moment is not None
    assert moment.tzinfo is None
    assert moment.astimezone(datetime.UTC) == datetime.datetime(
        2026, 2, 10, 9, 30, tzinfo=datetime.UTC
    )


def test_now_goes_before_the_environment_and_without_both_the_clock_is_real() -> None:
    assert with_clock("2026-02-10", context(AURELIUS_NOW="2020-01-01")).clock().year == 2026
    assert with_clock(None, context()).now is None
    before = datetime.datetime.now(datetime.UTC)
    assert (
        before <= context().clock().astimezone(datetime.UTC) <= datetime.datetime.now(datetime.UTC)
    )


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "10.2.2026", "now"])
def test_a_clock_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--now is not a date"):
        with_clock(text, context())
    with pytest.raises(UsageError, match="AURELIUS_NOW is not a date"):
        with_clock(None, context(AURELIUS_NOW=text))


def test_width_is_that_of_a_terminal_unless_the_person_says_another() -> None:
    assert context(COLUMNS="50")._replace(tty=True, columns=80).width == 50
    assert context()._replace(tty=True, columns=80).width == 80
    assert context(COLUMNS="wide")._replace(tty=True, columns=80).width == 80
    assert context(COLUMNS="50")._replace(columns=80).width == 0, "nobody looks at a pipe"


def test_colour_needs_a_terminal_and_no_objection() -> None:
    assert context()._replace(tty=True).colour
    assert not context().colour
    assert not context(NO_COLOR="1")._replace(tty=True).colour
    assert context(NO_COLOR="")._replace(tty=True).colour
    assert not context(TERM="dumb")._replace(tty=True).colour


ROOT = Path(__file__).resolve().parents[3]

SLOW = {
    "argparse",
    "asyncio",
    "click",
    "dataclasses",
    "difflib",
    "email",
    "frontmatter",
    "hashlib",
    "inspect",
    "json",
    "logging",
    "markdown_it",
    "model2vec",
    "numpy",
    "pathlib",
    "pathspec",
    "platformdirs",
    "rich",
    "shutil",
    "socket",
    "sqlite_vec",
    "subprocess",
    "tempfile",
    "textwrap",
    "tokenizers",
    "tomlkit",
    "tomllib",
    "traceback",
    "typer",
    "urllib",
    "watchdog",
    "yaml",
}
"""What a search over an unchanged vault never imports."""


def imported(*argv: str, env: dict[str, str], cwd: Path) -> set[str]:
    """The modules a run of the command line imports, by -X importtime."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "aurelius", *argv],
        cwd=cwd,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {
        found[1].strip()
        for found in re.finditer(r"^import time:\s+\d+ \|\s+\d+ \|(.*)$", done.stderr, re.MULTILINE)
    }


class Settled(NamedTuple):
    """A vault whose index has nothing left to do."""

    vault: Path
    env: dict[str, str]


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Settled:
    """The template with ignore rules, indexed when its files were old enough for their times to prove something."""
    top = tmp_path_factory.mktemp("settled")
    env = {"HOME": str(top), "AURELIUS_INDEX": str(top / "index")}
    imported("init", "vault", env=env, cwd=top)
    time.sleep(2.1)
    imported("index", env=env, cwd=top / "vault")
    return Settled(top / "vault", env)


@pytest.mark.parametrize(
    "argv",
    [
        ("search", "where", "does", "joe", "live"),
        ("search", "--paths", "--private", "joe"),
        ("search", "--explain", "--md", "joe"),
    ],
    ids=" ".join,
)
def test_a_search_over_an_unchanged_vault_starts_cold(
    argv: tuple[str, ...], settled: Settled
) -> None:
    modules = imported(*argv, env=settled.env, cwd=settled.vault)
    assert "indexer.search.search" in modules, "otherwise this test sees nothing"
    assert {name for name in modules if name.split(".")[0] in SLOW} == set()


def test_json_costs_only_json(settled: Settled) -> None:
    modules = imported("search", "joe", "--json", env=settled.env, cwd=settled.vault)
    assert {name.split(".")[0] for name in modules} & SLOW == {"json"}


def test_help_loads_no_numpy(settled: Settled) -> None:
    modules = imported("--help", env=settled.env, cwd=settled.vault)
    assert "typer" in modules
    assert {name.split(".")[0] for name in modules} & {
        "numpy",
        "model2vec",
        "markdown_it",
        "yaml",
        "apsw",
    } == set()


@pytest.mark.parametrize("half", ["\ud800", "a\udfff", "--vault=\ud83d", "-n\udbff"])
@pytest.mark.parametrize(
    "line", [["search"], ["note"], ["get"], [], ["search", "--json", "tea", "--in"]]
)
def test_half_a_character_in_the_command_line_is_told_in_one_line(
    aurelius: Aurelius, line: list[str], half: str
) -> None:
    done = aurelius(*line, half)
    assert (done.code, done.out) == (2, "")
    assert "contains a broken character" in done.err
    assert len(done.err.splitlines()) == 2, "what is wrong, and a hint"
    done.err.encode()


@pytest.mark.parametrize(
    "line", [["search"], ["get"], ["show"], ["--vault"], ["search", "x", "--in"]]
)
def test_a_byte_that_is_no_text_in_the_command_line_is_no_bug(
    aurelius: Aurelius, line: list[str]
) -> None:
    assert aurelius(*line, "\udcff\udc80").code in {0, 2, 4, 5}


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (
            ("config", "set", "tiers.hot_days", "-1"),
            2,
            "tiers.hot_days cannot be -1\nhint: tiers.hot_days is a whole",
        ),
        (("note", "-5", "outside"), 0, ""),
        (
            ("search", "tea", "-5"),
            2,
            "no such option: -5",
        ),  # more likely a limit than a word to leave out
        (("note", "--lst"), 2, "no such option: --lst"),
    ],
)
def test_a_number_below_zero_is_no_option(
    argv: tuple[str, ...], code: int, words: str, vault: Callable[[str], Path], aurelius: Aurelius
) -> None:
    done = aurelius(*argv, cwd=vault("sample"))
    assert (done.code, words in done.err) == (code, True), done.err


@pytest.mark.parametrize("words", [("undo", "--list"), ("undo --list",)])
def test_a_section_named_like_an_option_is_found_quoted_or_not(
    words: tuple[str, ...], aurelius: Aurelius, tmp_path: Path
) -> None:
    done = aurelius("help", "json", *words, cwd=tmp_path)
    assert (done.code, done.out.partition("\n")[0]) == (0, "## undo --list"), done.err
    for flag in ("--help", "-h"):
        assert aurelius("help", flag, cwd=tmp_path).out.startswith("Usage: aurelius help ")
    assert "no topic or command '--nonsense'" in aurelius("help", "--nonsense", cwd=tmp_path).err
