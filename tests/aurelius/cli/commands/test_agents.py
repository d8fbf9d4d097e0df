"""`aurelius context`, `install`, `uninstall`, `agents`.

Context: each form, its budget, what a hook would add, and the same bytes each time.  The others: what is shown, what
is asked, and what is written only then.
"""

from __future__ import annotations

import datetime
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.commands.agents import run_install
from aurelius.cli.run import Context
from aurelius.settings.starting_notes import template_folder
from aurelius.vault import Vault
from indexer.live.live_index import Live
from indexer.spelling import count_tokens
from tests.conftest import ROOT, TODAY

Aurelius = Callable[..., Any]
NOTES = {
    "ME.md": "# Me\n\n## Rules\n- Answers are short ^rule01\n",
    "people/joe.md": "# Joe\n\n## Facts\n- Paints boats (2026-02-08) ^boat01\n- Lives in Rome (2026-02-09) ^rome01\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".aurelius").mkdir()
    return root


def test_each_form_has_the_lines(aurelius: Aurelius, root: Path) -> None:
    for form in ("md", "memory", "json", "layer"):
        done = aurelius("context", "who paints boats", "--format", form, cwd=root)
        assert (done.code, done.err) == (0, "")
        assert "Paints boats" in done.out
        assert ("Answers are short" in done.out) == (form != "layer")
    assert json.loads(done_json(aurelius, root, "--json"))["parts"]
    assert aurelius("context", "--json", "--format", "layer", cwd=root).code == 2


def done_json(aurelius: Aurelius, root: Path, *argv: str) -> str:
    out: str = aurelius("context", *argv, cwd=root).out
    return out


def test_all_that_is_printed_fits_into_the_budget(aurelius: Aurelius, root: Path) -> None:
    many = "".join(f"- Painted boat number {at} in blue (2026-01-{at:02})\n" for at in range(1, 29))
    (root / "projects").mkdir()
    (root / "projects" / "boats.md").write_text(f"# Boats\n\n## Facts\n{many}")
    for form in ("md", "memory", "json", "layer"):
        for budget in (120, 150, 400):
            done = aurelius(
                "context", "painted boat blue", "--format", form, "--budget", str(budget), cwd=root
            )
            assert count_tokens(done.out) <= budget, (form, budget, done.out)
            assert "blue" in done.out, (form, budget)


def test_the_setting_is_the_budget_where_none_is_named(aurelius: Aurelius, root: Path) -> None:
    (root / ".aurelius" / "config.toml").write_text("[context]\nbudget = 60\n")
    assert count_tokens(aurelius("context", "joe", cwd=root).out) <= 60


def test_a_hook_at_the_start_of_a_session_adds_what_it_opens_with(
    aurelius: Aurelius, root: Path
) -> None:
    out = aurelius("context", "--hook", cwd=root).out
    assert out.startswith('<memory id="')
    assert "Answers are short" in out


def test_a_hook_before_a_prompt_adds_what_it_is_about(aurelius: Aurelius, root: Path) -> None:
    out = aurelius("context", "who paints boats", "--hook", cwd=root).out
    assert "Paints boats" in out
    assert aurelius("context", "quantum gravity", "--hook", cwd=root).out == ""


@pytest.mark.parametrize("prompt", ["", "who paints boats", "thanks", "quantum gravity"])
def test_what_is_printed_is_what_a_hook_adds(aurelius: Aurelius, root: Path, prompt: str) -> None:
    assert (
        aurelius("config", "set", "hook.deadline", "60000", cwd=root).code
        == aurelius("index", cwd=root).code
        == 0
    )
    event = json.dumps({"session_id": "s1", "prompt": prompt, "source": "startup"})
    said = aurelius("hook", "prompt" if prompt else "session-start", cwd=root, stdin=event).out
    added = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
    assert (
        aurelius("context", *[prompt] * bool(prompt), "--hook", cwd=root).out.strip()
        == added.strip()
    )
    assert bool(added) == (prompt in {"", "who paints boats"})


def test_nothing_to_tell_is_said(aurelius: Aurelius, tmp_path: Path) -> None:
    (tmp_path / "empty" / ".aurelius").mkdir(parents=True)
    done = aurelius("context", cwd=tmp_path / "empty")
    assert (done.code, done.out) == (0, "")
    assert "nothing to tell" in done.err


@pytest.mark.parametrize("form", ["md", "memory", "json", "layer"])
def test_a_budget_too_small_for_a_line_is_said(form: str, aurelius: Aurelius, root: Path) -> None:
    for budget in ("1", "2"):
        done = aurelius("context", "--budget", budget, "--format", form, cwd=root)
        assert (done.code, "short" in done.out) == (0, False)
        assert f"no line fits into {budget} tokens as {form}; try --budget 200" in done.err
    assert aurelius("context", "--budget", "200", "--format", form, cwd=root).err == ""


@pytest.mark.parametrize("option", [["--json"], ["--format", "layer"]])
def test_what_a_hook_adds_has_no_other_form(
    option: list[str], aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("context", "--hook", *option, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "--hook prints what a hook adds" in done.err


def test_the_secret_of_a_fence_is_nobody_elses(
    aurelius: Aurelius, root: Path, tmp_path: Path
) -> None:
    first = aurelius("context", "--format", "memory", cwd=root).out
    assert aurelius("context", "--format", "memory", cwd=root).out == first
    (kept,) = tmp_path.rglob("secret")
    assert kept.stat().st_mode & 0o077 == 0
    kept.unlink()
    assert (
        aurelius("context", "--format", "memory", cwd=root).out.splitlines()[0]
        != first.splitlines()[0]
    )


# The same bytes, and what a daemon keeps

CHANGED = "cache miss (the day, the uses or a setting changed)"


@pytest.fixture
def live(aurelius: Aurelius, root: Path, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Runs `context` with the index that a daemon keeps."""
    env = {"HOME": str(tmp_path), "AURELIUS_INDEX": str(tmp_path / "index"), "AURELIUS_NO_USE": "1"}
    settings = Vault.find(str(root), env, str(root), now=TODAY).settings
    kept = Live(settings, lambda: None)

    def run(*argv: str, now: datetime.datetime = TODAY) -> tuple[str, str]:
        out, err = io.StringIO(), io.StringIO()
        context = Context(str(root), env, False, io.StringIO(), out, err, now, live=kept)
        assert run_line(["context", *argv], context) == 0, err.getvalue()
        return out.getvalue(), err.getvalue().strip().removeprefix("aurelius: ")

    yield run
    kept.close()


def test_a_daemon_keeps_a_context_until_a_note_changes(
    live: Callable[..., Any], root: Path
) -> None:
    first, told = live("who paints boats", "--stats")
    assert told == "cache miss (not asked before)"
    assert live("who  paints boats ", "--stats") == (first, "cache hit"), (
        "blanks make no other prompt"
    )
    assert (
        live("who paints boats", "--stats", "--format", "layer")[1]
        == "cache miss (not asked before)"
    )
    assert live("--stats")[1] == "cache miss (not asked before)"
    with (root / "people" / "joe.md").open("a") as file:
        file.write("- Paints his boats blue (2026-02-09)\n")
    text, told = live("who paints boats", "--stats")
    assert re.fullmatch(r"cache miss \(index \d+ → \d+\)", told)
    assert "blue" in text
    assert live("who paints boats", "--stats") == (text, "cache hit")


def test_another_day_and_another_setting_are_no_hit(live: Callable[..., Any], root: Path) -> None:
    with (root / "people" / "joe.md").open("a") as file:
        file.write("- Visits Oslo (2026-02-10, plan) ^oslo01\n")
    text, _ = live("visits oslo")
    assert "now past" not in text
    text, told = live("visits oslo", "--stats", now=TODAY + datetime.timedelta(1))
    assert (told, "was planned for 2026-02-10, now past" in text) == (
        CHANGED,
        True,
    )
    (root / ".aurelius" / "config.toml").write_text("[tiers]\nhot_days = 1\n")
    assert "cache miss" in live("visits oslo", "--stats", now=TODAY + datetime.timedelta(1))[1]
    (root / ".aurelius" / "config.toml").write_text("[tiers]\nhot_days = 2\n")
    told = live("visits oslo", "--stats", now=TODAY + datetime.timedelta(1))[1]
    assert told == CHANGED


def test_a_use_is_no_hit(live: Callable[..., Any], aurelius: Aurelius, root: Path) -> None:
    live("who paints boats")
    assert live("who paints boats", "--stats")[1] == "cache hit"
    assert aurelius("reinforce", "boat01", cwd=root).code == 0
    assert live("who paints boats", "--stats")[1] == CHANGED


def test_without_a_daemon_nothing_is_kept_and_that_is_said(aurelius: Aurelius, root: Path) -> None:
    assert (
        aurelius("context", "--stats", cwd=root).err
        == "aurelius: cache miss (no daemon keeps answers)\n"
    )


FORMS = [
    [],
    ["who paints boats"],
    ["who paints boats", "--format", "layer"],
    ["joe", "--hook"],
    ["--format", "memory"],
]


@pytest.mark.parametrize("argv", FORMS, ids=lambda argv: " ".join(argv) or "alone")
def test_the_same_vault_prompt_and_day_give_the_same_bytes(
    aurelius: Aurelius, live: Callable[..., Any], root: Path, argv: list[str]
) -> None:
    first = aurelius("context", *argv, cwd=root).out
    assert first
    assert aurelius("index", "--rebuild", cwd=root).code == 0
    assert aurelius("context", *argv, cwd=root).out == first
    for _ in range(3):  # uses of today, of facts that are hot already
        assert (
            aurelius("get", "^rome01", cwd=root).code
            == aurelius("search", "Rome", cwd=root).code
            == 0
        )
    assert aurelius("context", *argv, cwd=root).out == first
    told, _ = live(*argv)
    assert told.splitlines()[1:] == first.splitlines()[1:], "but for the fence of another home"
    assert live(*argv)[0] == told


def test_the_seed_of_hashes_changes_no_byte(root: Path, tmp_path: Path) -> None:
    for name in map("person{}".format, range(12)):
        (root / "people" / f"{name}.md").write_text(
            f"# {name}\n\n## Facts\n- Paints boats with Joe and {name} (2026-02-09)\n"
        )
    env = {
        **os.environ,
        "HOME": str(tmp_path),
        "AURELIUS_NO_DAEMON": "1",
        "AURELIUS_NOW": "2026-02-10",
    }
    found = set()
    for seed in ("0", "1", "2"):
        argv = [sys.executable, "-m", "aurelius", "context", "who paints boats", "--budget", "400"]
        done = subprocess.run(
            argv,
            cwd=root,
            env={**env, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert "Paints boats" in found.pop()


# -- client programs -------------------------------------------------------------------------------------

Run = Callable[..., Any]
TEXT = (Path(template_folder()) / "AGENTS.md").read_text("utf-8")


@pytest.fixture
def settings(env: dict[str, str]) -> Path:
    os.mkdir(os.path.join(env["HOME"], ".claude"))
    return Path(env["HOME"], ".claude", "settings.json")


def test_nobody_is_asked_so_it_is_shown_and_not_written(
    aurelius: Run, vault: Run, settings: Path
) -> None:
    done = aurelius("install", "claude-code", cwd=vault("template"))
    assert (done.code, settings.exists()) == (2, False)
    assert '+            "timeout": 10' in done.out
    assert "private notes never do" in done.err, "where the lines go is said before consent"
    assert "add --yes to write it" in done.err


def test_a_dry_run_asks_nothing_and_writes_nothing(
    aurelius: Run, vault: Run, settings: Path
) -> None:
    done = aurelius("install", "claude-code", "--dry-run", "--json", cwd=vault("template"))
    assert (done.code, settings.exists()) == (0, False)
    assert json.loads(done.out)["changes"] == [{"path": str(settings), "change": "made"}]


def test_it_is_written_with_consent_and_put_back(aurelius: Run, vault: Run, settings: Path) -> None:
    settings.write_text('{"model": "opus"}\n', "utf-8")
    place = vault("template")
    done = aurelius("install", "claude-code", "--yes", cwd=place)
    assert (done.code, f"aurelius daemon install --vault {place}" in done.err) == (0, True)
    line = json.loads(settings.read_text("utf-8"))["hooks"]["UserPromptSubmit"][0]["hooks"][0][
        "command"
    ]
    assert line.endswith(f"aurelius hook prompt --vault {place}")
    assert os.path.isabs(line.split()[0])
    assert "hooks, captures and asks" in aurelius("install", cwd=place).out
    assert "nothing to change" in aurelius("install", "claude-code", cwd=place).err
    assert aurelius("uninstall", "claude-code", "--yes", cwd=place).code == 0
    assert settings.read_text("utf-8") == '{"model": "opus"}\n'


def test_the_first_session_after_an_installation_has_an_index(
    aurelius: Run, vault: Run, settings: Path
) -> None:
    place = vault("template")
    with (place / "ME.md").open("a", encoding="utf-8") as file:
        file.write("- Answers in French, please\n")
    aurelius("install", "claude-code", "--yes", cwd=place)
    done = aurelius(
        "hook", "session-start", cwd=place, stdin='{"session_id": "one", "source": "startup"}'
    )
    assert "Answers in French" in done.out


def test_the_answer_of_what_to_capture_is_set(aurelius: Run, vault: Run, settings: Path) -> None:
    place = vault("template")
    assert aurelius("install", "claude-code", "--capture", "apply", "--yes", cwd=place).code == 0
    assert '"apply"' in aurelius("config", cwd=place).out
    assert aurelius("install", "claude-code", "--capture", "off", "--yes", cwd=place).code == 0
    assert "Stop" not in settings.read_text("utf-8")
    again = aurelius("install", "claude-code", "--yes", cwd=place).err
    assert again.startswith("aurelius: nothing to change")
    assert "Claude Code captures nothing" in again
    assert "hooks, captures nothing" in aurelius("install", cwd=place).out


def test_lines_are_written_into_the_vault_of_whoever_was_not_told_before_the_yes(
    aurelius: Run, vault: Run, settings: Path
) -> None:
    place = vault("template")
    told = "written, sentence by sentence, into the vault's daily note"
    for capture, wanted in (
        ("propose", "no other line"),
        ("apply", "takes its place"),
        ("off", ""),
    ):
        done = aurelius("install", "claude-code", "--capture", capture, "--dry-run", cwd=place)
        assert (told in done.err) == bool(wanted), done.err
        assert wanted in done.err


def test_consent_to_replace_at_once_ends_with_the_hooks(
    aurelius: Run, vault: Run, settings: Path
) -> None:
    place = vault("template")
    done = aurelius("install", "claude-code", "--capture", "apply", "--yes", cwd=place)
    assert "Claude Code captures and replaces at once" in done.err
    assert (
        "captures and replaces at once"
        in aurelius("install", "claude-code", "--yes", cwd=place).err
    )
    assert (
        json.loads(aurelius("install", "--json", cwd=place).out)["clients"][0]["capture"] == "apply"
    )
    assert aurelius("uninstall", "claude-code", "--yes", cwd=place).code == 0
    assert (
        "Claude Code captures and asks"
        in aurelius("install", "claude-code", "--yes", cwd=place).err
    )
    assert '"apply"' not in aurelius("config", cwd=place).out


def test_without_notes_about_the_person_it_is_said_what_to_write(
    aurelius: Run, settings: Path, adopted: Path
) -> None:
    done = aurelius("install", "claude-code", "--yes", cwd=adopted)
    assert f"write who you are and your rules into {adopted / 'ME.md'}" in done.err
    (adopted / "ME.md").write_text("# Me\n")
    assert (
        "write who you are"
        not in aurelius("install", "claude-code", "--yes", "--skill", cwd=adopted).err
    )


def test_the_person_is_asked_what_to_capture_and_for_consent(
    terminal: Run, vault: Run, settings: Path
) -> None:
    place = vault("template")
    typed = [("[propose]", "off\n"), ("write it?", "y\n"), ("each login, too?", "\n")]
    assert terminal("install", "claude-code", cwd=place, typed=typed).code == 0
    assert "UserPromptSubmit" in settings.read_text("utf-8")
    assert "Stop" not in settings.read_text("utf-8")
    seen = terminal("uninstall", "claude-code", cwd=place, typed=[("[y/N]", "n\n")])
    assert (seen.code, settings.exists()) == (0, True)


def test_what_a_client_cannot_do_is_said(aurelius: Run, vault: Run, env: dict[str, str]) -> None:
    os.mkdir(os.path.join(env["HOME"], ".cursor"))
    done = aurelius("install", "cursor", "--capture", "apply", "--yes", cwd=vault("template"))
    assert (done.code, "cannot keep what you say to it" in done.err) == (2, True)
    done = aurelius("install", "--yes")
    assert (done.code, "--yes needs a client" in done.err) == (2, True)


@pytest.mark.parametrize("text", ['{"hooks": null}', '{"hooks": [}'])
def test_a_file_that_no_program_could_read_is_told_and_the_others_are_listed(
    text: str, aurelius: Run, vault: Run, settings: Path, env: dict[str, str]
) -> None:
    settings.write_text(text)
    os.mkdir(os.path.join(env["HOME"], ".cursor"))
    Path(env["HOME"], ".cursor", "mcp.json").write_text(
        '{"mcpServers": {"aurelius": {"command": "aurelius", "args": 5}}}'
    )
    place = vault("template")
    for given in ([], ["--json"]):
        done = aurelius("install", *given, cwd=place)
        assert (done.code, str(settings) in done.err) == (0, True)
        assert "claude-code" in done.out
        assert "cursor" in done.out


def test_a_project_has_hooks_of_its_own(aurelius: Run, vault: Run, tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    args = ("claude-code", "--project", str(tmp_path / "repo"), "--yes")
    assert aurelius("install", *args, cwd=vault("template")).code == 0
    assert (tmp_path / "repo/.claude/settings.json").is_file()
    assert aurelius("uninstall", *args, cwd=tmp_path).code == 0
    assert list((tmp_path / "repo").rglob("*")) == []


def test_the_guide_is_printed_with_the_vaults_own_days(aurelius: Run, vault: Run) -> None:
    place = vault("template")
    assert aurelius("agents", cwd=place).out == TEXT
    config = place / ".aurelius/config.toml"
    config.write_text('[daily]\nfolder = "Journal"\nformat = "YYYY_MM_DD"\n', "utf-8")
    assert "`Journal/YYYY_MM_DD.md`" in aurelius("agents", cwd=place).out


@pytest.fixture
def adopted(tmp_path: Path) -> Path:
    (tmp_path / "notes/.aurelius").mkdir(parents=True)
    (tmp_path / "notes/a.md").write_text("# A\n", "utf-8")
    return tmp_path / "notes"


def test_an_adopted_vault_gets_the_guide_and_loses_it_again(aurelius: Run, adopted: Path) -> None:
    before = {path.name for path in adopted.iterdir()}
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    assert TEXT in (adopted / "AGENTS.md").read_text("utf-8")
    assert "nothing was written" in aurelius("agents", "--write", cwd=adopted).err
    assert aurelius("agents", "--remove", cwd=adopted).code == 0
    assert {path.name for path in adopted.iterdir()} == before


@pytest.mark.parametrize("mine", ["# Mine\n\nBe kind.", "\ufeff# Mine\r\nBe kind.", "\n", "a\n\n"])
def test_the_persons_own_words_come_back_as_they_ended(
    mine: str, aurelius: Run, adopted: Path
) -> None:
    file, config = adopted / "AGENTS.md", adopted / ".aurelius/config.toml"
    file.write_bytes(mine.encode())
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    config.write_text('[daily]\nfolder = "Journal"\n', "utf-8")
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    assert b"Journal/" in file.read_bytes()
    assert aurelius("agents", "--remove", cwd=adopted).code == 0
    assert file.exists() is bool(mine.strip())
    assert not mine.strip() or file.read_bytes() == mine.encode()


@pytest.mark.parametrize(
    "mine", ["# Mine\n\nBe kind.\n", "\ufeff# Mine\r\n\r\nBe kind.\r\n", "- one\n\n\n"]
)
def test_the_persons_own_words_stay_byte_for_byte(mine: str, aurelius: Run, adopted: Path) -> None:
    file = adopted / "AGENTS.md"
    file.write_bytes(mine.encode())
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    now = file.read_bytes()
    assert now.startswith(mine.encode())
    assert now.count(b"\r\n") in (0, now.count(b"\n"))
    file.write_bytes(now + b"\nBelow.\n")
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    assert file.read_bytes() == now + b"\nBelow.\n"
    assert aurelius("agents", "--remove", cwd=adopted).code == 0
    assert file.read_bytes() == mine.encode() + b"\nBelow.\n"


def test_an_older_part_is_brought_up_to_date_and_a_changed_one_is_left(
    aurelius: Run, adopted: Path
) -> None:
    file = adopted / "AGENTS.md"
    file.write_bytes(b"# Mine\n\n")
    config = adopted / ".aurelius/config.toml"
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    config.write_text('[daily]\nfolder = "Journal"\n', "utf-8")
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    text = file.read_text("utf-8")
    assert "Journal/YYYY-MM-DD.md" in text
    assert text.count("# How to use this vault") == 1
    file.write_text(text.replace("The loop", "My loop"), "utf-8")
    for option in ("--write", "--remove"):
        done = aurelius("agents", option, cwd=adopted)
        assert (
            done.code,
            "AGENTS.md:4: what stands between the marks was changed" in done.err,
        ) == (2, True)
    assert "My loop" in file.read_text("utf-8")


def test_a_guide_without_marks_is_not_doubled(aurelius: Run, vault: Run) -> None:
    place = vault("template")
    assert "nothing was written" in aurelius("agents", "--write", cwd=place).err
    (place / "AGENTS.md").write_text(TEXT + "\nMine.\n", "utf-8")
    done = aurelius("agents", "--write", cwd=place)
    assert (done.code, "without the marks" in done.err) == (2, True)
    assert (place / "AGENTS.md").read_text("utf-8") == TEXT + "\nMine.\n"


def test_undo_says_how_the_guide_is_taken_back(aurelius: Run, adopted: Path) -> None:
    assert aurelius("agents", "--write", cwd=adopted).code == 0
    done = aurelius("undo", cwd=adopted)
    assert (done.code, "aurelius agents --remove" in done.err) == (2, True)


def test_whoever_has_a_note_for_claude_code_hears_how_it_leads_to_the_guide(
    aurelius: Run, adopted: Path
) -> None:
    assert "CLAUDE.md" not in aurelius("agents", "--write", cwd=adopted).err
    (adopted / "CLAUDE.md").write_text("# Mine\n", "utf-8")
    assert (
        "add this line to CLAUDE.md: @AGENTS.md" in aurelius("agents", "--write", cwd=adopted).err
    )
    (adopted / "CLAUDE.md").write_text("# Mine\n\n@AGENTS.md\n", "utf-8")
    assert "CLAUDE.md" not in aurelius("agents", "--write", cwd=adopted).err


def test_a_linked_guide_is_refused(aurelius: Run, adopted: Path, tmp_path: Path) -> None:
    (tmp_path / "else.md").write_text("x\n", "utf-8")
    (adopted / "AGENTS.md").symlink_to(tmp_path / "else.md")
    done = aurelius("agents", "--write", cwd=adopted)
    assert (done.code, "AGENTS.md is a link" in done.err) == (2, True)
    assert (tmp_path / "else.md").read_text("utf-8") == "x\n"


def test_hooks_are_switched_off_for_one_vault_or_for_all(
    aurelius: Run, vault: Run, env: dict[str, str], tmp_path: Path
) -> None:
    one, two, outside = vault("template"), vault("links"), tmp_path / "outside"
    outside.mkdir()

    def enabled(root: Path) -> bool:
        return bool(
            json.loads(aurelius("hook", "status", "--json", cwd=root).out)["settings"][
                "hook.enabled"
            ]["value"]
        )

    done = aurelius("hook", "off", cwd=one)
    assert (done.code, enabled(one), enabled(two)) == (0, False, True)
    assert "aurelius hook off --all" in done.err
    assert aurelius("hook", "on", cwd=one).code == 0
    done = aurelius("hook", "off", cwd=outside)
    assert (done.code, enabled(two)) == (0, False)
    assert f"{one} has a setting of its own: aurelius hook off --vault {one}" in done.err
    assert aurelius("hook", "on", "--all", cwd=two).code == 0
    assert (enabled(one), enabled(two)) == (True, True)
    assert json.loads(aurelius("hook", "off", "--json", cwd=two).out)["value"] is False
    assert json.loads(aurelius("hook", "on", "--all", "--json", cwd=two).out)["value"] is True


@pytest.fixture
def cursor(env: dict[str, str]) -> Path:
    os.mkdir(os.path.join(env["HOME"], ".cursor"))
    return Path(env["HOME"], ".cursor", "mcp.json")


def test_a_program_without_hooks_gets_the_server_and_gives_it_back(
    aurelius: Run, vault: Run, cursor: Path
) -> None:
    place = vault("template")
    shown = aurelius("install", "cursor", cwd=place)
    assert (shown.code, cursor.exists()) == (2, False)
    assert "private notes never do" in shown.err, "what goes to the model is said before consent"
    assert aurelius("install", "cursor", "--yes", cwd=place).code == 0
    server = json.loads(cursor.read_text("utf-8"))["mcpServers"]["aurelius"]
    assert server["args"] == ["mcp", "--vault", str(place)]
    assert os.path.isabs(server["command"])
    row = next(
        line
        for line in aurelius("install", cwd=place).out.splitlines()
        if line.startswith("cursor")
    )
    assert row.split()[1:3] == ["mcp,", "skill"]
    assert "nothing to change" in aurelius("install", "cursor", cwd=place).err
    assert aurelius("uninstall", "cursor", "--yes", cwd=place).code == 0
    assert not cursor.exists()


def test_a_file_with_a_comment_is_left_and_the_person_told_what_to_do(
    aurelius: Run, vault: Run, cursor: Path
) -> None:
    place = vault("template")
    text = '{\n  "mcpServers": {},  // none yet\n}\n'
    cursor.write_text(text, "utf-8")
    done = aurelius("install", "cursor", "--yes", cwd=place)
    assert (done.code, cursor.read_text("utf-8")) == (3, text)
    message, hint, *lines = done.err.splitlines()
    assert message.startswith(f"aurelius: {cursor}:2: not plain JSON (")
    assert message.endswith("so the file was left as it is")
    assert hint.startswith("hint: with an editor, ")
    snippet = json.loads("\n".join(lines))
    assert snippet["mcpServers"]["aurelius"]["args"] == ["mcp", "--vault", str(place)]

    text = text.replace("{}", json.dumps(snippet["mcpServers"], indent=2))
    cursor.write_text(text, "utf-8")
    assert aurelius("install", "cursor", "--yes", cwd=place).code == 0
    assert (cursor.parent / "skills/aurelius/SKILL.md").exists(), (
        "the rest is written when that was put in"
    )
    row = next(
        line
        for line in aurelius("install", cwd=place).out.splitlines()
        if line.startswith("cursor")
    )
    assert row.split()[1:3] == ["mcp,", "skill"]
    done = aurelius("uninstall", "cursor", "--yes", cwd=place)
    assert (done.code, cursor.read_text("utf-8")) == (3, text)
    assert "take out what runs aurelius (line 3, " in done.err


def test_what_is_to_be_put_in_by_hand_is_not_wrapped(
    terminal: Run, vault: Run, settings: Path
) -> None:
    settings.write_text("{} // mine\n", "utf-8")
    done = terminal("install", "claude-code", "--yes", cwd=vault("template"))
    assert done.code == 3
    said = done.seen.replace("\r", "")
    hooks = json.loads(said[said.index("\n{") :])["hooks"]
    assert max(len(each[0]["hooks"][0]["command"]) for each in hooks.values()) > 80


def test_a_program_with_hooks_gets_the_server_when_asked_and_keeps_it(
    aurelius: Run, vault: Run, settings: Path, env: dict[str, str]
) -> None:
    place, file = vault("template"), Path(env["HOME"], ".claude.json")
    aurelius("install", "claude-code", "--yes", cwd=place)
    assert not file.exists()
    done = aurelius("install", "claude-code", "--mcp", "--yes", "--agent", "Kim", cwd=place)
    assert done.code == 0
    assert json.loads(file.read_text("utf-8"))["mcpServers"]["aurelius"]["args"][3:] == [
        "--agent=Kim"
    ]
    written = file.read_text("utf-8")
    file.write_text(written.replace("--agent=Kim", "--agent=Ann"), "utf-8")
    aurelius("install", "claude-code", "--capture", "off", "--yes", "--agent", "Kim", cwd=place)
    assert file.read_text("utf-8") == written, "it is renewed with the hooks"
    assert aurelius("uninstall", "claude-code", "--yes", cwd=place).code == 0
    assert "aurelius" not in (file.read_text("utf-8") if file.exists() else "")


def test_without_the_packages_of_mcp_nothing_is_written_that_could_not_start(
    aurelius: Run, vault: Run, cursor: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, found = vault("template"), importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "mcp" else found(name, *more),
    )
    os.makedirs(os.path.join(env["HOME"], ".codeium", "windsurf"))
    for words in (["windsurf"], ["cursor", "--mcp"]):
        done = aurelius("install", *words, "--yes", cwd=place)
        assert (done.code, "pipx install --force '.[mcp" in done.err) == (3, True)
    done = aurelius("install", "cursor", "--yes", cwd=place)
    assert (done.code, cursor.exists()) == (0, False)
    assert "so Cursor gets the skill alone" in done.err
    assert "gets MCP" not in done.err
    assert (cursor.parent / "skills/aurelius/SKILL.md").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["windsurf", "--project", "."], "Windsurf has no settings for one project"),
        (["openclaw", "--project", ".", "--mcp"], "OpenClaw keeps no MCP servers for one project"),
        (["zed", "--skill", "--project", "."], "Zed reads no skills"),
        (["list", "--mcp"], "--mcp needs a client"),
    ],
)
def test_what_a_program_cannot_have_is_said(
    words: list[str], told: str, aurelius: Run, vault: Run
) -> None:
    done = aurelius("install", *words, "--yes", cwd=vault("template"))
    assert (done.code, told in done.err) == (2, True)


def services(env: dict[str, str]) -> list[Path]:
    return list(Path(env["HOME"]).rglob("aurelius-*.service"))


@pytest.mark.skipif(sys.platform != "linux", reason="a systemd unit")
@pytest.mark.parametrize(("answer", "count"), [("y\n", 1), ("\n", 0)])
def test_the_daemon_is_offered_before_anything_is_written(
    answer: str, count: int, terminal: Run, vault: Run, settings: Path, env: dict[str, str]
) -> None:
    place = vault("template")
    typed = [("which?", "\n"), ("write it?", "y\n"), ("each login, too?", answer)]
    done = terminal("install", "claude-code", cwd=place, typed=typed)
    assert done.code == 0
    told = " ".join(done.seen.split())
    assert told.index("a daemon, started at each login") < told.index("write it?")
    assert told.index("each login, too?") < told.index("wrote ")
    assert settings.exists()
    assert len(services(env)) == count
    assert ("to switch it on: systemctl" in told) == bool(count)


@pytest.mark.skipif(sys.platform != "linux", reason="a systemd unit")
@pytest.mark.parametrize(("wanted", "count"), [(None, 0), (False, 0), (True, 1)])
def test_a_program_that_says_yes_gets_the_daemon_only_by_name(
    wanted: bool | None, count: int, vault: Run, settings: Path, env: dict[str, str]
) -> None:
    named = {"capture": None, "mcp": False, "skill": False, "project": None, "agent": None}
    args = SimpleNamespace(
        client="claude-code",
        vault=None,
        yes=True,
        dry_run=False,
        json=False,
        daemon=wanted,
        **named,
    )
    out, err = io.StringIO(), io.StringIO()
    here = Context(str(vault("template")), env, False, io.StringIO(), out, err, TODAY)
    assert run_install(args, here) == 0
    assert settings.exists()
    assert len(services(env)) == count
    assert ("a daemon, started at each login" in err.getvalue()) == (wanted is not False)
