"""A vault opened for one command: up to date, its notices told, no answer of a damaged index, closed at the end."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import apsw
import pytest

from aurelius.ageing import usage_log
from aurelius.cli.open_vault import (
    ProgressLine,
    answer_reading,
    days_of_option,
    filters_in_vault,
    form_of,
    log_uses,
    open_vault,
    span_of_args,
    this_day,
)
from aurelius.cli.run import Context
from aurelius.settings.places import WAITING_USES_FILE, WATCHED_FILE, vault_state
from aurelius.vault import Vault
from aurelius.writing import append
from indexer.catalog.filters import Filters
from indexer.errors import ConflictError, IndexUnavailableError, UsageError, VaultNotFoundError
from indexer.live.live_index import Live

ARGS = SimpleNamespace(vault=None, no_use=False, dry_run=False, session=None, agent=None)
TODAY = datetime.datetime(2026, 2, 10, 12)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "a.md").write_text("# A\n\n## Facts\n- Rows ^rows01\n")
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


def out(context: Context) -> str:
    return context.out.getvalue()  # type: ignore[attr-defined,no-any-return]  # a StringIO


def err(context: Context) -> str:
    return context.err.getvalue()  # type: ignore[attr-defined,no-any-return]  # as above


def where(err: io.StringIO, **env: str) -> Context:
    return Context("/", env, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=err)


# -- a vault for a command -------------------------------------------------------------------------------


def test_a_vault_is_up_to_date_while_a_command_works_on_it_and_closed_behind_it(
    root: Path, context: Context
) -> None:
    for name in ("b.md", "c.md"):
        (root / name).write_text("# B\n")
        with open_vault(ARGS, context) as vault:
            assert name in vault.index().get_keys()
            assert vault.now == TODAY
            db = vault.index().db
        with pytest.raises(apsw.ConnectionClosedError):
            db.execute("SELECT 1")


def test_without_a_refresh_nothing_is_read_until_it_is_asked_for(context: Context) -> None:
    with open_vault(ARGS, context, refresh=False) as vault:
        assert vault.report is None


def test_what_is_used_while_the_vault_gets_its_name_waits_under_that_name(
    root: Path, context: Context
) -> None:
    without = Path(vault_state(str(root), context.env, named=False))
    without.mkdir(parents=True)
    (without / WATCHED_FILE).write_text(
        '"a line to tell"\n'
    )  # to be looked after, which gives the vault its name
    with open_vault(ARGS, context) as vault:
        log_uses(ARGS, context, vault, ["rows01"], "get")
    named = Path(vault_state(str(root), context.env))
    assert named != without
    assert "rows01" in (named / WAITING_USES_FILE).read_text()
    assert not (without / WAITING_USES_FILE).exists()


def test_a_vault_that_is_not_there_is_an_error(context: Context) -> None:
    with (
        pytest.raises(VaultNotFoundError),
        open_vault(SimpleNamespace(vault="nowhere", agent=None), context),
    ):
        pass


def test_each_notice_is_told_once_and_at_the_end_even_where_the_command_fails(
    context: Context,
) -> None:
    def fails(vault: Vault) -> None:
        vault.notices += ["one", "two\n", "one"]
        assert err(context) == ""
        raise ConflictError("x")

    with pytest.raises(ConflictError), open_vault(ARGS, context) as vault:
        fails(vault)
    assert err(context) == "aurelius: one\naurelius: two\\n\n"


def test_a_damaged_index_met_by_a_command_that_writes_is_built_anew_and_told(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, real = list[bool](), Vault.distrust

    def distrust(vault: Vault) -> bool:
        built.append(real(vault))
        return built[-1]

    monkeypatch.setattr(Vault, "distrust", distrust)
    with (
        pytest.raises(IndexUnavailableError, match="the index was damaged") as raised,
        open_vault(ARGS, context),
    ):
        raise apsw.CorruptError("malformed")
    assert "undo --list" in raised.value.hint
    assert built == [True]


def test_a_bug_is_not_called_a_damaged_index(context: Context) -> None:
    with pytest.raises(ZeroDivisionError), open_vault(ARGS, context):
        raise ZeroDivisionError


def test_a_command_looks_after_what_other_programs_did_only_where_no_daemon_does(
    context: Context, root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def look(place: object, *, tells: bool) -> list[str]:
        looked.append(place)
        return ["something happened"] if tells else []

    monkeypatch.setattr(append, "look_for_lost_lines", look)
    with open_vault(ARGS, context):
        assert looked == []  # nothing of ours is in question
    state = Path(vault_state(str(root), env))
    monkeypatch.setattr(
        "aurelius.cli.open_vault.is_unattended", lambda folder: folder == str(state)
    )
    with open_vault(ARGS, context):
        assert len(looked) == 1
    assert err(context) == "aurelius: something happened\n"


# -- a reading command -----------------------------------------------------------------------------------


def test_an_answer_is_passed_on_whole_with_its_exit_code(context: Context) -> None:
    def answer(vault: Vault, here: Context) -> int:
        here.put("one")
        assert out(context) == ""
        here.put("two")
        return 5

    assert answer_reading(ARGS, context, answer) == 5
    assert out(context) == "one\ntwo\n"


def test_what_was_put_before_a_damage_was_met_is_dropped_and_the_question_put_again(
    context: Context,
) -> None:
    asked = []

    def answer(vault: Vault, here: Context) -> int:
        asked.append(1)
        here.put(f"answer {len(asked)}")
        if len(asked) == 1:
            raise apsw.CorruptError("malformed")
        return 0

    assert answer_reading(ARGS, context, answer) == 0
    assert out(context) == "answer 2\n"


def test_what_was_flushed_stays(context: Context) -> None:
    asked = []

    def answer(vault: Vault, here: Context) -> int:
        asked.append(1)
        here.put("first")
        here.out.flush()
        here.put("rest")
        if len(asked) == 1:
            raise apsw.CorruptError("malformed")
        return 0

    answer_reading(ARGS, context, answer)
    assert out(context) == "first\nfirst\nrest\n"


def test_an_error_that_stays_after_the_index_is_built_anew_is_a_bug_and_prints_no_half_answer(
    context: Context,
) -> None:
    def answer(vault: Vault, here: Context) -> int:
        here.put("half")
        raise LookupError

    with pytest.raises(LookupError):
        answer_reading(ARGS, context, answer)
    assert out(context) == ""


# -- uses ------------------------------------------------------------------------------------------------


def test_uses_are_kept_once_the_answer_is_out_and_not_where_the_line_says_so(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = []

    def use(vault: Vault, refs: Sequence[str], via: str, session: str) -> None:
        kept.append((list(refs), via, flushed.count(1)))

    flushed: list[int] = []
    stream = io.StringIO()
    stream.flush = lambda: flushed.append(1)  # type: ignore[method-assign]  # to see when
    monkeypatch.setattr(usage_log, "record_uses", use)
    here = context._replace(out=stream)
    with open_vault(ARGS, here, refresh=False) as vault:
        log_uses(ARGS, here, vault, ["rows01"], "get")
        log_uses(SimpleNamespace(no_use=True, session=None), here, vault, ["rows01"], "get")
    assert kept == [(["rows01"], "get", 1)]


# -- progress --------------------------------------------------------------------------------------------


def test_progress_is_one_line_where_nobody_watches() -> None:
    err = io.StringIO()
    progress = ProgressLine(where(err), quiet=2)
    for done in range(1, 4):
        progress(done, 3)
    progress.close()
    assert err.getvalue() == "aurelius: indexing 3 notes\n"


def test_progress_of_one_note_says_note_and_what_is_done() -> None:
    err = io.StringIO()
    ProgressLine(where(err), quiet=1, doing="comparing")(1, 1)
    assert err.getvalue() == "aurelius: comparing 1 note\n"


def test_progress_of_next_to_nothing_is_not_told() -> None:
    err = io.StringIO()
    progress = ProgressLine(where(err), quiet=2)
    progress(1, 1)
    progress.close()
    assert err.getvalue() == ""


def test_progress_is_a_bar_on_a_terminal() -> None:
    err = Terminal()
    progress = ProgressLine(where(err, TERM="xterm"), quiet=1)
    for done in range(1, 4):
        progress(done, 3)
    progress.close()
    progress.close()
    assert "3/3" in err.getvalue()
    assert "\x1b[" in err.getvalue()


def test_progress_is_a_line_on_a_terminal_that_knows_no_bars() -> None:
    err = Terminal()
    ProgressLine(where(err, TERM="dumb"), quiet=1)(1, 3)
    assert err.getvalue() == "aurelius: indexing 3 notes\n"


NOON = datetime.datetime(2026, 2, 1, 12, tzinfo=datetime.UTC)
CONTEXT = cast("Any", SimpleNamespace(clock=lambda: NOON))


def given(**named: Any) -> SimpleNamespace:
    return SimpleNamespace(**({"on": None, "since": None, "until": None} | named))


def test_two_forms_at_once_are_refused() -> None:
    assert form_of(given(json=False, md=True), "json", "md") == "md"
    assert form_of(given(json=False, md=False), "json", "md") == ""
    with pytest.raises(UsageError, match="--json and --md cannot go together"):
        form_of(given(json=True, md=True), "json", "md")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ({}, (None, None)),
        ({"on": "2026-01"}, ("2026-01-01", "2026-01-31")),
        ({"since": "yesterday"}, ("2026-01-31", None)),
        ({"since": "2026-01", "until": "2026-01"}, ("2026-01-01", "2026-01-31")),
    ],
)
def test_a_span_is_from_the_first_day_named_to_the_last(
    asked: dict[str, str], meant: tuple[str, str]
) -> None:
    assert span_of_args(given(**asked), CONTEXT) == meant


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"on": "2026-01", "since": "2026"}, "--on"),
        (
            {"since": "2026-02", "until": "2026-01"},
            "--since 2026-02-01 is later than --until 2026-01-31",
        ),
        ({"since": "gestern"}, "--since: "),
    ],
)
def test_a_span_that_cannot_be_is_refused_with_its_option(asked: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        span_of_args(given(**asked), CONTEXT)


def test_words_are_days_by_the_clock_of_the_command() -> None:
    assert this_day(CONTEXT) == "2026-02-01"
    assert days_of_option("--due", "this month", CONTEXT) == ("2026-02-01", "2026-02-28")


def test_a_whole_path_is_made_one_of_the_vault(context: Context) -> None:
    with open_vault(ARGS, context) as vault:
        for folder in (f"{vault.root}/people", "people"):
            assert filters_in_vault(Filters(folder=folder), vault).folder == "people"


@pytest.mark.parametrize("in_daemon", [False, True])
def test_only_a_process_that_is_over_soon_reads_the_index_as_memory(
    context: Context, in_daemon: bool
) -> None:
    """Whoever cuts the file off ends such a process."""
    mapped: list[Any] = []

    def answer(vault: Vault, _: Context) -> None:
        mapped.append(vault.db.execute("PRAGMA mmap_size").get)

    with open_vault(ARGS, context) as vault:
        live = Live(vault.settings, lambda: None)
    try:
        answer_reading(ARGS, context._replace(live=live if in_daemon else None), answer)
    finally:
        live.close()
    assert (mapped[0] > 0) is not in_daemon
