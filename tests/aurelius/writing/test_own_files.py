"""What a vault keeps of its own outside it belongs to that vault alone; the agreement to its jobs; settings files."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.ageing import usage_log
from aurelius.cli.run import Context
from aurelius.loopback import http_guard
from aurelius.settings import places
from aurelius.writing import own_files

Run = Callable[..., Any]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "v" / ".aurelius").mkdir(parents=True)
    return tmp_path / "v"


def emptied(place: Path) -> None:
    """Everything in a folder removed, not the folder: a file system may give a new one the same number."""
    for each in place.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()


@pytest.mark.parametrize("adopted", [False, True])
def test_a_new_vault_at_an_old_path_gets_nothing_of_the_old_one(
    aurelius: Run, tmp_path: Path, adopted: bool
) -> None:
    place = tmp_path / "w"
    assert aurelius("init", str(place)).code == 0
    assert aurelius("note", "Met Ann at the fair", cwd=place).code == 0
    emptied(place)
    if adopted:
        assert aurelius("init", "--adopt", str(place)).code == 0
    else:
        assert aurelius("init", str(place)).code == 0
    done = aurelius("today", cwd=place)
    assert "Ann" not in done.out + done.err
    assert "Ann" not in "".join(path.read_text("utf-8") for path in place.rglob("*.md"))
    listed = aurelius("undo", "--list", cwd=place)
    assert "Ann" not in listed.out
    assert not listed.out


def test_a_vault_put_back_from_a_copy_keeps_what_can_be_undone(
    aurelius: Run, tmp_path: Path
) -> None:
    place = tmp_path / "w"
    aurelius("init", str(place))
    aurelius("note", "Met Ann at the fair", cwd=place)
    place.rename(tmp_path / "kept")
    shutil.copytree(tmp_path / "kept", place)
    assert "Met Ann" in aurelius("undo", "--dry-run", cwd=place).out
    shutil.rmtree(place)
    aurelius("init", str(place))  # another vault for a while, as a disk mounted at the same path
    assert not aurelius("undo", "--list", cwd=place).out
    shutil.rmtree(place)
    (tmp_path / "kept").rename(place)
    assert aurelius("undo", "--list", cwd=place).out


def test_a_copy_of_a_vault_has_a_state_of_its_own(aurelius: Run, tmp_path: Path) -> None:
    place = tmp_path / "w"
    aurelius("init", str(place))
    aurelius("note", "Met Ann at the fair", cwd=place)
    shutil.copytree(place, tmp_path / "copy")
    assert not aurelius("undo", "--list", cwd=tmp_path / "copy").out
    assert aurelius("undo", "--list", cwd=place).out


def test_git_never_sees_the_name_and_never_takes_it_away(aurelius: Run, tmp_path: Path) -> None:
    place = tmp_path / "w"
    aurelius("init", str(place))
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(place)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "all"], check=True)
    listed = subprocess.run(
        [*git, "ls-files", ".aurelius"], check=True, capture_output=True, text=True
    ).stdout
    assert "local" not in listed
    name = places.vault_name(str(place))
    assert name
    subprocess.run([*git, "clean", "-fdq"], check=True)
    subprocess.run([*git, "stash", "-uq"], check=False)
    subprocess.run([*git, "reset", "--hard", "-q"], check=True)
    assert places.vault_name(str(place)) == name


def test_a_vault_without_a_name_gets_one_with_its_first_change_and_not_before(
    aurelius: Run, place: Path, env: dict[str, str]
) -> None:
    (place / "a.md").write_text("# A\n")
    for words in (
        ["search", "a"],
        ["note", "x", "--dry-run"],
        ["undo", "--list"],
        ["review"],
        ["status"],
    ):
        aurelius(*words, cwd=place)
    assert not places.vault_name(str(place))
    assert aurelius("note", "x", cwd=place).code == 0
    assert places.vault_name(str(place))
    assert (place / ".aurelius" / "local" / ".gitignore").read_bytes() == b"*\n"
    assert Path(places.vault_state(str(place), env), "undo").is_dir()
    assert not Path(places.vault_state(str(place), env, named=False), "undo").exists()
    assert aurelius("undo", cwd=place).code == 0


def test_uses_that_waited_before_a_vault_had_a_name_are_not_lost(
    aurelius: Run, place: Path, env: dict[str, str]
) -> None:
    (place / "a.md").write_text("# A\n\n## Facts\n\n- Drinks tea (2026-02-01) ^k3v9qa\n")
    assert aurelius("get", "^k3v9qa", cwd=place).code == 0
    waiting = Path(places.vault_state(str(place), env, named=False), places.WAITING_USES_FILE)
    assert waiting.exists()
    assert aurelius("note", "x", cwd=place).code == 0
    assert not waiting.exists()
    assert (
        json.loads(aurelius("show", "a", "--no-use", "--json", cwd=place).out)["facts"][0][
            "accessCount"
        ]
        == 1
    )


def test_a_token_from_before_a_vault_had_a_name_stays_the_token(
    place: Path, env: dict[str, str]
) -> None:
    token = http_guard.token_in(places.vault_state(str(place), env))
    assert own_files.give_name(str(place), env)
    assert http_guard.token_in(places.vault_state(str(place), env)) == token


def test_a_folder_that_is_no_vault_is_not_made_one_by_a_note(aurelius: Run, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert aurelius("--vault", str(tmp_path / "plain"), "note", "x").code == 4
    assert not list((tmp_path / "plain").iterdir())


@pytest.mark.parametrize("link", [".aurelius", ".aurelius/local", ".aurelius/local/id"])
def test_a_name_is_never_written_through_a_link(
    place: Path, tmp_path: Path, env: dict[str, str], link: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    there = place / link
    if link == ".aurelius":
        there.rmdir()
    there.parent.mkdir(exist_ok=True)
    there.symlink_to(elsewhere / "id" if link.endswith("id") else elsewhere)
    assert not own_files.give_name(str(place), env)
    assert list(elsewhere.iterdir()) == []


def test_many_that_name_a_vault_at_once_agree(place: Path, env: dict[str, str]) -> None:
    def name(_: int) -> str:
        assert own_files.give_name(str(place), env)
        return places.vault_name(str(place))

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(name, range(32)))) == 1
    assert sorted(path.name for path in (place / ".aurelius" / "local").iterdir()) == [
        ".gitignore",
        "id",
    ]


@pytest.mark.parametrize("data", [b"", b"short", b"x" * 33, b"\xff" * 32, b"../../" + b"x" * 26])
def test_what_is_no_name_is_none(place: Path, data: bytes) -> None:
    (place / ".aurelius" / "local").mkdir()
    (place / ".aurelius" / "local" / "id").write_bytes(data)
    assert places.vault_name(str(place)) == ""


if hasattr(os, "mkfifo"):

    def test_a_pipe_in_place_of_the_name_is_not_waited_for(place: Path) -> None:
        (place / ".aurelius" / "local").mkdir()
        os.mkfifo(place / ".aurelius" / "local" / "id")
        assert places.vault_name(str(place)) == ""


if hasattr(os, "fork"):

    def test_a_vault_whose_own_folder_cannot_be_written_works(
        aurelius: Run, place: Path, tmp_path: Path, as_nobody: Callable[[Callable[[], None]], None]
    ) -> None:
        (tmp_path / "first" / ".aurelius").mkdir(parents=True)
        aurelius(
            "note", "x", cwd=tmp_path / "first"
        )  # what is imported on the way is readable to us alone
        aurelius("undo", cwd=tmp_path / "first")
        for path in [tmp_path, *tmp_path.rglob("*")]:
            os.chmod(path, 0o777)
        for parent in tmp_path.parents:
            if parent.name.startswith(("pytest-", "popen-")):
                os.chmod(parent, 0o755)
        os.chmod(place / ".aurelius", 0o555)

        def act() -> None:
            assert aurelius("note", "x", cwd=place).code == 0
            assert aurelius("undo", cwd=place).code == 0
            assert not places.vault_name(str(place))

        as_nobody(act)


# A vault that came from somebody else

GREEDY = """\
[index]
location = "{foreign}"
[embedding]
model = "{foreign}/model"
[git]
commit = true
[capture]
replace = "apply"
[archive]
max_size = "1B"
percent = 100
[jobs]
device = "{device}"
summarize = "weekly"
archive = "* * * * *"
"""


@pytest.fixture
def downloaded(tmp_path: Path, env: dict[str, str]) -> Path:
    """A vault with a git repository and a file of settings that asks for everything."""
    del env["AURELIUS_INDEX"]
    there, foreign = tmp_path / "downloaded", tmp_path / "foreign"
    (there / ".aurelius" / "local").mkdir(parents=True)
    (there / ".aurelius" / "local" / "id").write_text("0" * 32)
    foreign.mkdir()
    text = GREEDY.format(foreign=foreign, device=usage_log.device_name(env))
    (there / ".aurelius" / "config.toml").write_text(text)
    (there / "a.md").write_text("# A\n\n## Facts\n\n- Drinks tea (2026-02-01)\n")
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(there)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "theirs"]):
        subprocess.run([*git, *words], check=True)
    return there


def commits(place: Path) -> int:
    done = subprocess.run(
        ["git", "-C", str(place), "rev-list", "--count", "HEAD"], capture_output=True, check=True
    )
    return int(done.stdout)


def test_a_vault_from_elsewhere_writes_nothing_outside_and_commits_nothing(
    aurelius: Run, downloaded: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    for line in ("search tea", "note x", "add a jam", "status", "doctor", "daemon status"):
        assert aurelius(*line.split(), cwd=downloaded).code == 0, line
    assert list((tmp_path / "foreign").iterdir()) == []
    assert commits(downloaded) == 1
    home = Path(env["HOME"])
    made = {path.relative_to(home).parts[:2] for path in home.rglob("*") if path.is_file()}
    assert made <= {(".cache", "aurelius"), (".local", "state")}
    assert "potion" in aurelius("status", "--verbose", cwd=downloaded).out


def test_status_and_config_name_what_a_vault_asks_for_in_vain_and_what_grants_it(
    aurelius: Run, downloaded: Path, tmp_path: Path
) -> None:
    shown = aurelius("status", cwd=downloaded).out
    told = json.loads(aurelius("status", "--json", cwd=downloaded).out)["in_vain"]
    assert [each["key"] for each in told] == [
        "index.location",
        "embedding.model",
        "jobs.device",
        "jobs.summarize",
        "jobs.archive",
        "capture.replace",
        "git.commit",
    ]
    config = aurelius("config", cwd=downloaded)
    assert json.loads(aurelius("config", "--json", cwd=downloaded).out)["in_vain"] == told
    for each in told:
        assert each["command"] in shown
        assert each["command"] in config.err
    for command in dict.fromkeys(
        each["command"] for each in told if "config set" in each["command"]
    ):
        assert aurelius(*shlex.split(command)[1:], cwd=tmp_path).code == 0, command
    left = json.loads(aurelius("config", "--json", cwd=downloaded).out)["in_vain"]
    assert {each["key"] for each in left} == {"jobs.device", "jobs.summarize", "jobs.archive"}
    assert aurelius("note", "granted", cwd=downloaded).code == 0
    assert commits(downloaded) == 2


def test_a_hidden_folder_of_daily_notes_is_refused_with_the_line_that_names_it(
    aurelius: Run, tmp_path: Path
) -> None:
    place = tmp_path / "w"
    aurelius("init", str(place))
    own = place / ".aurelius" / "config.toml"
    own.write_text('[daily]\nfolder = ".aurelius/log"\n')
    before = {path: path.read_bytes() for path in place.rglob("*.md")}
    done = aurelius("note", "a line", cwd=place)
    assert (done.code, f"{own}:2: daily.folder cannot be '.aurelius/log'" in done.err) == (3, True)
    assert {path: path.read_bytes() for path in place.rglob("*.md")} == before


def test_a_setting_is_set_where_its_word_counts(
    aurelius: Run, tmp_path: Path, env: dict[str, str]
) -> None:
    del env["AURELIUS_INDEX"]
    place = tmp_path / "w"
    aurelius("init", str(place))
    own, persons = place / ".aurelius" / "config.toml", Path(places.user_file(env))
    before = own.read_text()
    done = aurelius("config", "set", "search.limit", "5", cwd=place)
    assert (done.code, done.err) == (0, f"aurelius: wrote {own}\n")
    assert done.out.startswith(f"search.limit = 5  # {own}:")
    assert own.read_text() == before + "\n[search]\nlimit = 5\n"
    assert not persons.exists()
    told = json.loads(aurelius("config", "set", "git.commit", "true", "--json", cwd=place).out)
    assert told == {
        "schema": 1,
        "key": "git.commit",
        "value": True,
        "source": f"{persons}:2",
        "file": str(persons),
    }
    assert (
        aurelius("config", "set", "git.commit", "true", cwd=place).err
        == f"aurelius: {persons} already has that value\n"
    )
    done = aurelius("config", "unset", "search.limit", cwd=place)
    assert (done.code, done.out, done.err) == (
        0,
        "search.limit = 10  # default\n",
        f"aurelius: wrote {own}\n",
    )
    assert own.read_text() == before
    again = aurelius("config", "unset", "search.limit", cwd=place)
    assert (again.code, again.err) == (0, f"aurelius: {own} does not set search.limit\n")
    assert aurelius("config", "unset", cwd=place).code == 2
    assert aurelius("config", "unset", "search.limit", "5", cwd=place).code == 2
    env["AURELIUS_INDEX"] = str(tmp_path / "elsewhere")
    done = aurelius("config", "set", "index.location", str(tmp_path), cwd=place)
    assert done.err.endswith("AURELIUS_INDEX comes before that file, so its value is used\n")
    assert aurelius("config", "set", "search.limit", cwd=place).code == 2
    assert aurelius("config", "set", cwd=place).code == 2
    assert aurelius("config", "search.limit", cwd=place).code == 2


def test_the_daemon_asks_on_a_terminal_before_it_does_the_jobs_of_another(
    downloaded: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from aurelius.daemon import control

    monkeypatch.setattr(
        control,
        "start_daemon",
        lambda *_: (control.DaemonProcess(str(downloaded), "", None, None), True),
    )
    for answer, agreed in (("\n", False), ("n\n", False), ("y\n", True)):
        err = io.StringIO()
        context = Context(str(downloaded), env, True, io.StringIO(answer), io.StringIO(), err)
        run_line(["daemon", "start"], context)
        assert "allow these jobs to run on this device? [y/N]" in err.getvalue()
        assert places.is_agreed(places.vault_state(str(downloaded), env)) == agreed
        assert (
            "the daemon will write the least important facts to the archive" in err.getvalue()
        ) == agreed
        assert ("but not allowed on this device" in err.getvalue()) != agreed
    err = io.StringIO()
    run_line(["daemon", "start"], context._replace(stdin=io.StringIO(), err=err))
    assert "[y/N]" not in err.getvalue()


def test_the_maker_of_a_vault_is_not_asked(
    aurelius: Run, tmp_path: Path, env: dict[str, str]
) -> None:
    aurelius("init", str(tmp_path / "w"))
    assert places.is_agreed(places.vault_state(str(tmp_path / "w"), env))
    assert aurelius("config", cwd=tmp_path / "w").err == ""
    aurelius("init", str(tmp_path / "w"))  # of a vault that is there, nobody is the maker
    shutil.copytree(tmp_path / "w", tmp_path / "theirs")
    aurelius("init", str(tmp_path / "theirs"))
    assert not places.is_agreed(places.vault_state(str(tmp_path / "theirs"), env))


def test_what_a_crash_left_of_a_file_that_was_to_be_replaced_is_swept(tmp_path: Path) -> None:
    for name in (".a.jsonl.0123abcd.new", ".b.jsonl.0123abcd.new", "a.jsonl", "a.new"):
        (tmp_path / name).touch()
    own_files.replace_file(str(tmp_path / "a.jsonl"), b"1")
    own_files.sweep_temporary(str(tmp_path), {"a.jsonl"})
    assert sorted(os.listdir(tmp_path)) == [".b.jsonl.0123abcd.new", "a.jsonl", "a.new"]
