"""What every writing command does in the end: the edits shown or made, and told."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aurelius.ageing import usage_log
from aurelius.cli.apply_plan import (
    carry_out_and_tell,
    carry_through_and_tell,
    desk_of_args,
    place_of_args,
    tell,
)
from aurelius.cli.run import Context
from aurelius.compose.daily_line import Addition
from aurelius.plans import plan as plan_module
from aurelius.plans.plan import Desk, Plan
from aurelius.vault import Vault
from aurelius.writing.check_edit import Applied, Edit
from aurelius.writing.replace_file import RUN_AGAIN
from indexer.errors import ConflictError, UsageError

TODAY = datetime.datetime(2026, 2, 10, 12)
JOE = b"# Joe\n\n## Facts\n- Rows ^rows01\n"
MORE = JOE + b"- Sails\n"
ADD = Edit("people/joe.md", JOE, MORE)

Aurelius = Callable[..., Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_bytes(JOE)
    return root


@pytest.fixture
def context(root: Path, env: dict[str, str]) -> Context:
    return Context(
        str(root),
        env,
        tty=False,
        stdin=io.StringIO(),
        out=io.StringIO(),
        err=io.StringIO(),
        now=TODAY,
    )


@pytest.fixture
def vault(root: Path, env: dict[str, str]) -> Iterator[Vault]:
    made = Vault.find(str(root), env, "/", now=TODAY)
    yield made
    made.close()


@pytest.fixture
def at(context: Context, vault: Vault) -> Desk:
    return desk_of_args(args(), context, vault)


def args(**given: bool) -> SimpleNamespace:
    return SimpleNamespace(**{"dry_run": False, "json": False, **given})


def out(context: Context) -> str:
    return context.out.getvalue()  # type: ignore[attr-defined,no-any-return]  # a StringIO


def err(context: Context) -> str:
    return context.err.getvalue()  # type: ignore[attr-defined,no-any-return]  # as above


def joe(root: Path) -> bytes:
    return (root / "people" / "joe.md").read_bytes()


# -- where is written ------------------------------------------------------------------------------------


def test_only_force_lets_a_command_take_much_away_change_me_and_write_a_secret(
    context: Context, vault: Vault
) -> None:
    for force in (False, True):
        place = place_of_args(args(force=force), context, vault)
        assert (place.shrink, place.me, place.secrets) == (force, force, force)
    assert not place_of_args(args(), context, vault).me


def test_what_is_told_of_a_change_goes_by_the_clock_that_was_set(
    context: Context, vault: Vault
) -> None:
    later = TODAY.replace(year=2027)
    assert place_of_args(args(), context._replace(now=later), vault).now == later.timestamp()
    assert place_of_args(args(), context._replace(now=None), vault).now == vault.now.timestamp()


def test_a_plan_is_made_with_the_persons_moment_and_without_private_notes_unless_asked(
    context: Context, vault: Vault
) -> None:
    made = desk_of_args(args(), context, vault)
    assert (made.today, made.private) == ("2026-02-10", False)
    assert desk_of_args(args(private=True), context, vault).private


# -- one plan --------------------------------------------------------------------------------------------


def test_a_plan_is_written_and_told_with_its_rows_first_and_its_notices_beside(
    root: Path, context: Context, at: Desk
) -> None:
    plan = Plan([ADD], "add", ("people/joe.md:5  Sails\x1b",), notices=("see there\n",))
    assert carry_out_and_tell(args(), context, at, plan) == 0
    assert joe(root) == MORE
    assert out(context) == "people/joe.md:5  Sails\\x1b\nchanged people/joe.md\n"
    assert err(context) == "aurelius: see there\\n\n"


def test_json_has_the_keys_of_the_plan_and_no_rows(context: Context, at: Desk) -> None:
    carry_out_and_tell(
        args(json=True), context, at, Plan([ADD], "add", ("a row",), about={"id": "x"})
    )
    answer = json.loads(out(context))
    assert (answer["id"], answer["dry_run"], answer["number"]) == ("x", False, 1)
    assert answer["changes"] == [{"path": "people/joe.md", "change": "changed"}]


@pytest.mark.parametrize("form", [{}, {"json": True}])
def test_a_dry_run_shows_the_diff_and_writes_nothing(
    root: Path, context: Context, at: Desk, form: dict[str, bool]
) -> None:
    plan = Plan([ADD], "add", ("a row",), notices=("beware",), events=(("update", "rows01", ""),))
    assert carry_out_and_tell(args(dry_run=True, **form), context, at, plan) == 0
    assert joe(root) == JOE
    assert not list((root / ".aurelius").rglob("*.jsonl"))
    assert "+- Sails" in out(context)
    assert "a row" not in out(context)
    assert err(context) == "aurelius: beware\n"


def test_a_dry_run_refuses_what_would_be_refused(context: Context, at: Desk) -> None:
    day, data = "memory/2026-02-10.md", b"- \xff\n"
    for plan in (
        Plan([Edit("people/joe.md", JOE, b"# Joe\n")], "x"),
        Plan([Edit(day, None, data)], "x", append=(day, Addition(b"", data))),
    ):
        with pytest.raises(UsageError):
            carry_out_and_tell(args(dry_run=True), context, at, plan)
    assert out(context) == ""


def test_a_plan_that_changes_nothing_says_so(context: Context, at: Desk) -> None:
    assert carry_out_and_tell(args(), context, at, Plan([], "")) == 0
    assert (
        carry_out_and_tell(
            args(dry_run=True), context, at, Plan([Edit("people/joe.md", JOE, JOE)], "")
        )
        == 0
    )
    assert (out(context), err(context)) == ("", "aurelius: no changes needed\n" * 2)


def test_a_line_at_the_end_of_a_note_is_appended_whatever_else_was_appended_meanwhile(
    root: Path, context: Context, at: Desk
) -> None:
    path = "memory/2026-02-10.md"
    line = Addition(b"# Day\n\n", b"- mine\n")
    plan = Plan([Edit(path, None, b"# Day\n\n- mine\n")], "note", append=(path, line))
    (root / "memory").mkdir()
    (root / path).write_bytes(b"# Day\n\n- theirs\n")
    assert carry_out_and_tell(args(), context, at, plan) == 0
    assert (root / path).read_bytes() == b"# Day\n\n- theirs\n- mine\n"


def test_the_log_is_told_what_became_of_names(root: Path, context: Context, at: Desk) -> None:
    events = (("alias", "h1", "rows01"), ("update", "rows01", ""))
    carry_out_and_tell(args(), context, at, Plan([ADD], "add", events=events))
    lines = "".join(
        file.read_text() for file in (root / ".aurelius" / "log").rglob("*.jsonl")
    ).splitlines()
    said = [json.loads(line) for line in lines]
    assert [
        (each["op"], each["ref"], each.get("to"))
        for each in said
        if each["op"] in {"alias", "update"}
    ] == [
        ("alias", "h1", "rows01"),
        ("update", "rows01", None),
    ]


def test_a_log_that_cannot_be_written_is_told_and_the_note_is_written(
    root: Path, context: Context, at: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(vault: Vault, events: object) -> None:
        raise ConflictError("the usage log cannot be written: no space", "hint")

    monkeypatch.setattr(usage_log, "append_uses", fails)
    assert carry_out_and_tell(args(), context, at, Plan([ADD], "add")) == 0
    assert joe(root) == MORE
    assert err(context) == "aurelius: the usage log cannot be written: no space\n"


@pytest.mark.parametrize(
    "argv",
    [
        ("add", "joe", "Rows fast"),
        ("note", "Rows"),
        ("archive", "rows01"),
        (
            "doctor",
            "--tidy",
        ),
    ],
)
def test_a_command_that_writes_moves_the_uses_that_wait(
    argv: tuple[str, ...], root: Path, aurelius: Aurelius
) -> None:
    assert aurelius("get", "^rows01", cwd=root).code == 0
    log = root / ".aurelius" / "log"
    assert not list(log.rglob("*.jsonl"))
    assert aurelius(*argv, cwd=root).code == 0
    assert any("rows01" in file.read_text() for file in log.rglob("*.jsonl"))


# -- a note that changes meanwhile -----------------------------------------------------------------------


def test_a_plan_is_made_anew_from_what_stands_there_now(
    root: Path, context: Context, at: Desk
) -> None:
    made = []

    def plan() -> Plan:
        now = joe(root)
        made.append(now)
        if len(made) < 3:
            (root / "people" / "joe.md").write_bytes(now + b"- Typed\n")
        return Plan([Edit("people/joe.md", now, now + b"- Sails\n")], "add", ("a row",))

    assert carry_through_and_tell(args(), context, at, plan) == 0
    assert made == [JOE, JOE + b"- Typed\n", JOE + b"- Typed\n- Typed\n"]
    assert joe(root) == JOE + b"- Typed\n- Typed\n- Sails\n"
    assert out(context) == "a row\nchanged people/joe.md\n"


def test_a_note_that_never_rests_is_a_conflict_and_nothing_is_written(
    root: Path, context: Context, at: Desk
) -> None:
    made = []

    def plan() -> Plan:
        made.append(1)
        return Plan(
            [Edit("people/joe.md", b"other\n", b"x\n")], "add", ("a row",), notices=("beware",)
        )

    with pytest.raises(ConflictError) as raised:
        carry_through_and_tell(args(), context, at, plan)
    assert raised.value.hint == RUN_AGAIN
    assert len(made) == plan_module.MOST_PLAN_TRIES + 1
    assert joe(root) == JOE
    assert (out(context), err(context)) == ("", "")


def test_what_no_second_try_can_help_is_not_tried_again(
    root: Path, context: Context, at: Desk
) -> None:
    made = []

    def plan() -> Plan:
        made.append(1)
        raise ConflictError(
            "people/ann.md already exists", "nothing was moved; choose another name"
        )

    with pytest.raises(ConflictError, match="already exists"):
        carry_through_and_tell(args(), context, at, plan)
    assert made == [1]
    assert joe(root) == JOE


@pytest.mark.parametrize("form", [{}, {"json": True}])
def test_why_no_commit_was_made_is_told(context: Context, form: dict[str, bool]) -> None:
    assert tell(args(**form), context, [ADD], Applied(1, "no repository\n")) == 0
    assert err(context) == "aurelius: written, but not committed: no repository\\n\n"
    assert ("no repository" in out(context)) == bool(form)
