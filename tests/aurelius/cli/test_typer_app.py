"""The typer app: help from our tables, mistakes in our words."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

import pytest

from aurelius import __version__
from aurelius.cli import typer_app
from aurelius.cli.options import COMMAND_BY_NAME, COMMANDS, FIRST_COMMANDS, TOPICS
from aurelius.cli.run import BUG, Context
from aurelius.cli.typed_words import GLOBAL, Command


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
    code = typer_app.run_typer(argv, here)
    return code, here.out.getvalue(), here.err.getvalue()  # type: ignore[attr-defined]  # a StringIO


# -- help ------------------------------------------------------------------------------------------------


def test_help_shows_the_commands_to_begin_with_on_one_screen(context: Context) -> None:
    code, out, err = ran(context, "--help")
    assert (code, err) == (0, "")
    assert typer_app.APP_HELP in out
    assert len(out.splitlines()) <= 40
    assert commands_in(out, {"Commands"}) == [
        ("Commands", name, COMMAND_BY_NAME[name].help) for name in FIRST_COMMANDS
    ]
    assert "aurelius help --all" in out


def test_help_of_everything_lists_every_command_under_what_it_is_for(context: Context) -> None:
    here = context._replace(out=io.StringIO(), err=io.StringIO())
    assert typer_app.run_typer(["--help"], here, whole=True) == 0
    out = here.out.getvalue()  # type: ignore[attr-defined]  # a StringIO
    groups = dict.fromkeys(command.group for command in COMMANDS)
    assert commands_in(out, set(groups)) == [
        (command.group, command.name, command.help)
        for group in groups
        for command in COMMANDS
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


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_help_of_a_command_names_everything_it_takes_in_at_most_a_hundred_columns(
    command: Command, context: Context
) -> None:
    code, out, err = ran(context, command.name, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    assert out.startswith(f"Usage: aurelius {command.name} ")
    words = " ".join(out.split())
    assert command.help in words
    for argument in command.arguments:
        assert argument.value in out.splitlines()[0]
        assert " ".join(argument.help.split()) in words
    for option in command.options + GLOBAL:
        assert (option.flags[0] in words) != option.hidden


def test_the_short_word_for_help_is_known_to_every_kind_of_command(context: Context) -> None:
    for words in ([], ["search"], ["config"], ["hook"]):
        assert ran(context, *words, "-h") == ran(context, *words, "--help")


def test_help_says_what_may_be_left_out_repeated_or_chosen(context: Context) -> None:
    assert ran(context, "show", "--help")[1].startswith("Usage: aurelius show NOTE [OPTIONS]\n")
    assert ran(context, "tiers", "--help")[1].startswith("Usage: aurelius tiers [NOTE] [OPTIONS]\n")
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
        (
            ["serach"],
            "no such command 'serach'",
            "did you mean search or extract?  aurelius help --all shows what there is",
        ),
        (
            ["nope"],
            "no such command 'nope'",
            "did you mean open or note?  aurelius help --all shows what there is",
        ),
        (["zzz"], "no such command 'zzz'", "aurelius help --all shows what there is"),
        (
            ["due"],
            "no such command 'due'",
            "that is `aurelius tasks --due today`; aurelius help --all shows what there is",
        ),
        (
            ["people"],
            "no such command 'people'",
            "that is `aurelius list people`; aurelius help --all shows what there is",
        ),
        (
            ["search", "a", "--lmit", "3"],
            "no such option: --lmit",
            "did you mean --limit?  aurelius search --help shows what there is",
        ),
        (
            ["tags", "--on", "yesterday"],
            "no such option: --on",
            "aurelius tags --help shows what there is",
        ),
        (
            ["today", "--date"],
            "no such option: --date",
            "aurelius today --help shows what there is",
        ),
        (["get", "a", "--all"], "no such option: --all", "aurelius get --help shows what there is"),
        (
            ["list", "--jsno"],
            "no such option: --jsno",
            "did you mean --json?  aurelius list --help shows what there is",
        ),
        (
            ["search", "a", "--limit"],
            "--limit needs a value",
            "aurelius search --help shows what there is",
        ),
        (
            ["--now", "2026-02-10", "list", "-n"],
            "-n needs a value",
            "aurelius list --help shows what there is",
        ),
        (
            ["search", "a", "--json=yes"],
            "--json takes no value",
            "aurelius search --help shows what there is",
        ),
        (
            ["--vault", "search", "--now"],
            "--now needs a value",
            "aurelius --help shows what there is",
        ),
        (
            ["search"],
            "missing argument: QUERY",
            "aurelius search --help shows what there is; with a filter, like --tag or --where, notes are listed",
        ),
        (["get", "a", "b"], "too many words: b", "aurelius get --help shows what there is"),
        (
            ["new"],
            "missing argument: KIND",
            "one of: person, company, project, area, resource; aurelius new --help shows what there is",
        ),
        (["--vault"], "--vault needs a value", "aurelius --help shows what there is"),
    ],
)
def test_a_mistake_is_told_in_our_words_with_what_to_do(
    argv: list[str], message: str, hint: str, context: Context
) -> None:
    assert ran(context, *argv) == (2, "", f"aurelius: {message}\nhint: {hint}\n")


@pytest.mark.parametrize(
    ("argv", "line"),
    [(["note"], "aurelius note -"), (["update", "abc 12"], "aurelius update 'abc 12' -")],
)
def test_a_text_that_is_piped_without_a_dash_is_asked_for_with_one(
    argv: list[str], line: str, context: Context
) -> None:
    told = f"to read it from stdin: {line}; aurelius {argv[0]} --help shows what there is"
    assert ran(context, *argv) == (2, "", f"aurelius: missing argument: TEXT\nhint: {told}\n")


def test_an_empty_value_is_refused_as_it_is_without_typer(context: Context) -> None:
    assert ran(context, "tasks", "--due", "")[0] == 2


def test_an_error_of_a_command_comes_out_as_it_does_without_typer(context: Context) -> None:
    code, out, err = ran(context, "show", "nobody")
    assert (code, out) == (5, "")
    assert err.startswith("aurelius: ")


def test_an_exit_code_of_a_command_is_that_of_the_line(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typer_app, "execute", lambda run, args, context: 7)
    assert ran(context, "list")[0] == 7


def test_a_bug_is_told_and_a_closed_pipe_is_none(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(error: Exception) -> None:
        def execute(run: object, args: object, context: object) -> int:
            raise error

        monkeypatch.setattr(typer_app, "execute", execute)

    fails(ValueError("oh"))
    code, _, err = ran(context, "list")
    assert code == BUG
    assert "this is a bug in Aurelius: ValueError: oh" in err
    fails(BrokenPipeError())
    assert ran(context, "list") == (0, "", "")


def test_options_may_stand_before_the_command(context: Context) -> None:
    root = context.cwd
    there = context._replace(cwd="/")
    assert ran(there, "--vault", root, "list", "--paths")[1].splitlines() == [
        "MEMORY.md",
        "people/ada.md",
        "people/bob.md",
    ]
