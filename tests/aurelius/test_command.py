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

from aurelius.command import BUG, UNWRITTEN, Context, execute, load, with_clock
from indexer import errors
from indexer.errors import UsageError

if TYPE_CHECKING:
    from aurelius.command import Run

ROOT = Path(__file__).resolve().parents[2]
ARGS = SimpleNamespace(now=None)


def context(**env: str) -> Context:
    return Context(os.sep, env, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=io.StringIO())


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
def test_an_error_is_one_message_a_hint_and_its_exit_code(error: type[errors.AureliusError], code: int) -> None:
    assert told(raising(error("what is wrong", "what to do"))) == (
        code,
        "aurelius: what is wrong\nhint: what to do\n",
    )
    assert told(raising(error("what is wrong"))) == (code, "aurelius: what is wrong\n")


def test_every_error_of_the_tree_has_a_code_of_the_design() -> None:
    tree = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert {getattr(each, "exit_code", None) for each in tree if each is not errors.AureliusError} == {2, 3, 4, 5, 6, 7}


def test_a_message_cannot_steer_the_terminal() -> None:
    """E8: what an error quotes may come from a file name."""
    code, err = told(raising(UsageError("no note \x1b[2J\x07", "try \u202etxt")))
    assert (code, err) == (2, "aurelius: no note \\x1b[2J\\x07\nhint: try \\u202etxt\n")


def test_a_bug_is_named_in_one_line() -> None:
    code, err = told(raising(ValueError("two\nlines")))
    assert code == BUG
    assert err.startswith("aurelius: this is a bug in Aurelius: ValueError: two lines (aurelius/test_command.py:")
    assert "Traceback" not in err
    assert "AURELIUS_DEBUG=1" in err


def test_a_bug_shows_its_traceback_when_asked() -> None:
    code, err = told(raising(ValueError("oh")), AURELIUS_DEBUG="1")
    assert code == BUG
    assert err.startswith("Traceback")
    assert "ValueError: oh" in err


def test_a_broken_installation_is_named_in_one_line() -> None:
    code, err = told(load("aurelius.cli.no_such_module:search"))
    assert code == BUG
    assert err.startswith("aurelius: this is a bug in Aurelius: ModuleNotFoundError: No module named ")
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
        "import sys\nfrom aurelius.command import Context, execute\nfrom types import SimpleNamespace\n"
        "def run(args, context):\n    for _ in range(100000): context.put('a line of text')\n    return 0\n"
        "sys.exit(execute(run, SimpleNamespace(now=None),"
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
    assert moment.astimezone(datetime.UTC) == datetime.datetime(2026, 2, 10, 9, 30, tzinfo=datetime.UTC)


def test_now_goes_before_the_environment_and_without_both_the_clock_is_real() -> None:
    assert with_clock("2026-02-10", context(AURELIUS_NOW="2020-01-01")).clock().year == 2026
    assert with_clock(None, context()).now is None
    before = datetime.datetime.now(datetime.UTC)
    assert before <= context().clock().astimezone(datetime.UTC) <= datetime.datetime.now(datetime.UTC)


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "10.2.2026", "now"])
def test_a_clock_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--now is no date"):
        with_clock(text, context())
    with pytest.raises(UsageError, match="AURELIUS_NOW is no date"):
        with_clock(None, context(AURELIUS_NOW=text))


def test_colour_needs_a_terminal_and_no_objection() -> None:
    assert context()._replace(tty=True).colour
    assert not context().colour
    assert not context(NO_COLOR="1")._replace(tty=True).colour
    assert context(NO_COLOR="")._replace(tty=True).colour
    assert not context(TERM="dumb")._replace(tty=True).colour
