"""The typer app: its help, and what it says to mistakes."""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from aurelius import __version__
from aurelius.cli import app, run
from aurelius.cli.declarations import COMMANDS, FIRST_COMMANDS
from aurelius.cli.line import run_command_line
from aurelius.cli.run import BUG, STOPPED, Context
from aurelius.cli.topics import TOPICS
from tests.declared import arguments_of, options_of


@pytest.fixture
def context(tmp_path: Path, env: dict[str, str]) -> Context:
    root = tmp_path / "vault"
    for name in ("people/ada.md", "people/bob.md", "MEMORY.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# N\n")
    (root / ".aurelius").mkdir()
    now = datetime.datetime(2026, 2, 10)
    return Context(
        str(root),
        env,
        tty=False,
        stdin=io.StringIO(),
        out=io.StringIO(),
        err=io.StringIO(),
        now=now,
    )


def ran(context: Context, *argv: str) -> tuple[int, str, str]:
    here = context._replace(out=io.StringIO(), err=io.StringIO())
    code = run_command_line(argv, here)
    assert code is not None
    return code, here.out.getvalue(), here.err.getvalue()  # type: ignore[attr-defined]  # a StringIO


# -- help ------------------------------------------------------------------------------------------------


def test_help_shows_the_commands_to_begin_with_on_one_screen(context: Context) -> None:
    code, out, err = ran(context, "--help")
    assert (code, err) == (0, "")
    assert app.APP_HELP in out
    assert len(out.splitlines()) <= 40
    assert commands_in(out, {"Commands"}) == [
        ("Commands", name, COMMANDS[name].help) for name in FIRST_COMMANDS
    ]
    assert "aurelius help --all" in out


def test_help_of_everything_lists_every_command_under_what_it_is_for(context: Context) -> None:
    code, out, _ = ran(context, "help", "--all")
    assert code == 0
    groups = dict.fromkeys(command.group for command in COMMANDS.values())
    assert commands_in(out, set(groups)) == [
        (command.group, command.name, command.help)
        for group in groups
        for command in COMMANDS.values()
        if command.group == group
    ]
    assert all(topic in out for topic in TOPICS)


def commands_in(out: str, headings: set[str]) -> list[tuple[str, str, str]]:
    """The rows below some headings: the heading, the first word and the rest."""
    at = ""
    found = []
    for line in out.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            at = line[:-1]
        elif at in headings and line.strip():
            name, text = line.split(maxsplit=1)
            found.append((at, name, text.strip()))
    return found


def test_without_a_command_there_is_help_and_version_is_the_version(context: Context) -> None:
    assert ran(context)[:2] == ran(context, "--help")[:2]
    assert ran(context, "--version") == (0, f"aurelius {__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_names_everything_it_takes_in_at_most_a_hundred_columns(
    name: str, context: Context
) -> None:
    code, out, err = ran(context, name, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    assert out.startswith(f"Usage: aurelius {name} ")
    words = " ".join(out.split())
    assert COMMANDS[name].help in words
    for argument in arguments_of(name):
        assert argument.value in out.splitlines()[0]
        assert " ".join(argument.help.split()) in words
    for option in options_of(name):
        assert (option.flags[0] in words) != option.hidden


def test_the_short_word_for_help_is_known_to_every_kind_of_command(context: Context) -> None:
    for words in ([], ["search"], ["config"], ["hook"]):
        assert ran(context, *words, "-h") == ran(context, *words, "--help")


def test_help_says_what_may_be_left_out_repeated_or_chosen(context: Context) -> None:
    assert ran(context, "show", "--help")[1].startswith("Usage: aurelius show NOTE [OPTIONS]\n")
    assert ran(context, "list", "--help")[1].startswith("Usage: aurelius list [WHAT] [OPTIONS]\n")
    assert ran(context, "search", "--help")[1].startswith(
        "Usage: aurelius search [QUERY]... [OPTIONS]\n"
    )
    text = " ".join(ran(context, "search", "--help")[1].split())
    assert "One of: hybrid, keyword, vector." in text
    assert "Only notes with this tag. May be repeated." in text


# -- mistakes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["serach"], "no such command 'serach'", "aurelius help --all shows what there is"),
        (["zzz"], "no such command 'zzz'", "aurelius help --all shows what there is"),
        (["due"], "no such command 'due'", "that is `aurelius tasks --due today`; "),
        (["people"], "no such command 'people'", "that is `aurelius list people`; "),
        (["search", "a", "--lmit", "3"], "--lmit", "aurelius search --help shows what there is"),
        (["search", "a", "--lmit", "3"], "--limit", ""),
        (["today", "--date"], "--date", "aurelius today --help shows what there is"),
        (["search", "a", "--limit"], "option '--limit' requires", "aurelius search --help"),
        (["--vault", "search", "--now"], "option '--now' requires", "aurelius --help"),
        (["search", "a", "--json=yes"], "option '--json' does not take a value", ""),
        (["search"], "missing argument: QUERY", "with a filter, like --tag or --where"),
        (["get", "a", "b"], "unexpected extra argument", "aurelius get --help"),
        (["new"], "missing argument 'KIND'", "aurelius new --help shows what there is"),
        (["--vault"], "option '--vault' requires", "aurelius --help shows what there is"),
        (["search", "a", "-n", "0"], "0 is less than 1", "aurelius search --help"),
        (["search", "a", "-n", "ten"], "'ten' is not a whole number", "aurelius search --help"),
        (["search", "a", "--mode", "keywrd"], "did you mean keyword?", "aurelius search --help"),
        (["daemon", "strat"], "did you mean start?", "aurelius daemon --help"),
        (["list", "--type", "xx"], "one of: fact, preference", "aurelius list --help"),
        (["tasks", "--due", ""], "--due is empty", "say what DATE is"),
        (["graph", ""], "ID|NOTE is empty", "say what ID|NOTE is"),
        (["list", "--session", "a b"], "'a b'; a session is named", "aurelius list --help"),
        (["status", "joe"], "NOTE goes only with --tiers or --ageing", "leave it out"),
        (["doctor", "--stamp"], "--stamp goes only with --tidy", "add --tidy"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_what_to_do(
    argv: list[str], message: str, hint: str, context: Context
) -> None:
    code, out, err = ran(context, *argv)
    assert (code, out) == (2, "")
    told, advice = err.splitlines()
    assert told.startswith("aurelius: ")
    assert message in told
    assert advice.startswith("hint: ")
    assert hint in advice


def test_a_word_with_a_dash_is_left_out_of_the_search(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-word` works, quoted or not."""
    seen = args_seen(monkeypatch)
    ran(context, "search", "tea", "-milk", "-n", "3")
    ran(context, "note", "-- x", "--dry-run")
    ran(context, "note", "--dry-run by two", "--dry-run")
    assert (seen[0].query, seen[0].limit) == (("tea", "-milk"), 3)
    assert (seen[1].text, seen[1].dry_run) == (("-- x",), True)
    assert (seen[2].text, seen[2].dry_run) == (("--dry-run by two",), True)


def args_seen(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """The args of the commands that would have been run from here on."""
    seen: list[SimpleNamespace] = []

    def execute(_run: object, args: SimpleNamespace, _context: object) -> int:
        seen.append(args)
        return 0

    monkeypatch.setattr(run, "execute", execute)
    return seen


@pytest.mark.parametrize(
    ("argv", "line"),
    [(["note"], "aurelius note -"), (["update", "abc 12"], "aurelius update 'abc 12' -")],
)
def test_a_text_that_is_piped_without_a_dash_is_asked_for_with_one(
    argv: list[str], line: str, context: Context
) -> None:
    told = f"to read it from stdin: {line}; aurelius {argv[0]} --help shows what there is"
    assert ran(context, *argv) == (2, "", f"aurelius: missing argument 'TEXT'\nhint: {told}\n")


def test_an_error_of_a_command_comes_out_as_it_is(context: Context) -> None:
    code, out, err = ran(context, "show", "nobody")
    assert (code, out) == (5, "")
    assert err.startswith("aurelius: ")


def test_an_exit_code_of_a_command_is_that_of_the_line(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "execute", lambda run, args, context: 7)
    assert ran(context, "list")[0] == 7


def test_a_bug_is_told_and_a_closed_pipe_is_none(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(error: Exception) -> None:
        def execute(_run: object, args: object, context: object) -> int:
            raise error

        monkeypatch.setattr(run, "execute", execute)

    fails(ValueError("oh"))
    code, _, err = ran(context, "list")
    assert code == BUG
    assert "this is a bug in Aurelius: ValueError: oh" in err
    fails(BrokenPipeError())
    assert ran(context, "list") == (0, "", "")


def test_ctrl_c_while_a_line_is_read_is_no_bug(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_ctx: object, _values: object) -> dict[str, object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "_read_values", stopped)
    code, out, err = ran(context, "list", "--limit", "3")
    assert (code, out.strip(), err.strip()) == (STOPPED, "", "aurelius: stopped")


def test_options_may_stand_before_the_command(context: Context) -> None:
    root = context.cwd
    there = context._replace(cwd="/")
    assert ran(there, "--vault", root, "list", "--paths")[1].splitlines() == [
        "MEMORY.md",
        "people/ada.md",
        "people/bob.md",
    ]
