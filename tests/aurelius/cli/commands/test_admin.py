from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.vault import Vault

ROOT = Path(__file__).resolve().parents[4]
Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


def test_a_first_search_builds_the_index_and_says_so(aurelius: Aurelius, tmp_path: Path) -> None:
    (tmp_path / "many" / ".aurelius").mkdir(parents=True)
    for number in range(220):
        (tmp_path / "many" / f"{number}.md").write_text(
            f"# Note {number}\n\nPlain text.\n", "utf-8"
        )
    first = aurelius("search", "219", "--paths", cwd=tmp_path / "many")
    assert first.out.splitlines()[0] == "219.md"
    assert first.err == "aurelius: indexing 220 notes\n"
    assert aurelius("search", "219", "--paths", cwd=tmp_path / "many").err == ""


@pytest.mark.parametrize("line", [["index"], ["index", "--rebuild"]])
def test_an_interrupt_says_how_to_go_on(
    line: list[str], aurelius: Aurelius, vault: Vaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    there = vault("template")
    with monkeypatch.context() as patch:
        patch.setattr(Vault, "refresh", interrupted)
        patch.setattr(Vault, "rebuild", interrupted)
        done = aurelius(*line, cwd=there)
    assert (done.code, done.out) == (130, "")
    assert (
        done.err == "aurelius: stopped; the index still works, and `aurelius index` does the rest\n"
    )


def test_a_real_interrupt_leaves_a_good_index(
    env: dict[str, str], aurelius: Aurelius, tmp_path: Path
) -> None:
    vault = tmp_path / "many"
    (vault / ".aurelius").mkdir(parents=True)
    for number in range(1500):
        (vault / f"{number}.md").write_text(
            f"# Note {number}\n\n" + f"Word{number} and more text. " * 40, "utf-8"
        )
    for line in (["index"], ["index", "--rebuild"]):
        with subprocess.Popen(
            [sys.executable, "-m", "aurelius", *line],
            cwd=vault,
            env={**env, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as process:
            assert process.stderr is not None
            first = process.stderr.readline()
            assert first == "aurelius: indexing 1500 notes\n"
            process.send_signal(signal.SIGINT)
            assert process.wait() == 130
            assert process.stderr.read().startswith("aurelius: stopped; the index still works")
        assert (
            aurelius("search", "word1499", "--mode", "keyword", "--paths", cwd=vault).out
            == "1499.md\n"
        )
        assert json.loads(aurelius("status", "--json", cwd=vault).out)["differences"] == []


def test_init_takes_a_home_folder_and_the_clock(
    aurelius: Aurelius, env: dict[str, str], tmp_path: Path
) -> None:
    done = aurelius("init", "notes", "--json", cwd=tmp_path)
    assert done.code == 0
    made = json.loads(done.out)
    assert made["vault"] == str(tmp_path / "notes")
    assert "memory/2026-02-10.md" in made["created"]
    assert aurelius("today", "--path", cwd=tmp_path / "notes").out == "memory/2026-02-10.md\n"


def test_init_with_git_makes_a_repository(aurelius: Aurelius, tmp_path: Path) -> None:
    done = aurelius("init", "notes", "--git", cwd=tmp_path)
    assert done.code == 0, done.err
    assert (tmp_path / "notes" / ".git").is_dir()


def test_the_template_passes_doctor(aurelius: Aurelius, tmp_path: Path) -> None:
    aurelius("init", "notes", cwd=tmp_path)
    done = aurelius("doctor", cwd=tmp_path / "notes")
    assert (done.code, done.err) == (0, "aurelius: nothing is wrong\n")
    assert done.out.startswith(f"Checked\n  vault   {tmp_path / 'notes'} (this folder)\n  notes   ")


@pytest.mark.parametrize(
    "line", [["--verify", "--kind", "nul"], ["--fix", "--limit", "3"], ["--fix", "--all"]]
)
def test_findings_are_not_chosen_where_none_are_listed(
    aurelius: Aurelius, vault: Vaults, line: list[str]
) -> None:
    done = aurelius("doctor", *line, cwd=vault("template"))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        f"aurelius: {line[0]} lists no findings to choose from\nhint: leave out --kind"
    )


def test_deletions_of_most_notes_wait(aurelius: Aurelius, tmp_path: Path) -> None:
    """A pass that would drop more than half and more than 20 notes waits, and says so."""
    vault = tmp_path / "many"
    (vault / ".aurelius").mkdir(parents=True)
    for number in range(40):
        (vault / f"{number}.md").write_text(f"# Note {number}\n\nword{number}\n", "utf-8")
    aurelius("index", cwd=vault)
    for number in range(30):
        (vault / f"{number}.md").unlink()
    done = aurelius("index", "--json", cwd=vault)
    report = json.loads(done.out)
    assert (report["held"], report["removed"]) == (30, 0)
    assert "--accept-deletions" in done.err
    report = json.loads(aurelius("index", "--json", "--accept-deletions", cwd=vault).out)
    assert (report["held"], report["removed"]) == (0, 30)


def test_forget_leaves_no_byte(aurelius: Aurelius, vault: Vaults, tmp_path: Path) -> None:
    there = vault("superseded")
    aurelius("index", cwd=there)
    found = [
        path
        for path in (tmp_path / "index").rglob("*")
        if path.is_file() and b"Ljubljana" in path.read_bytes()
    ]
    assert found, "otherwise this test sees nothing"
    assert aurelius("forget", "people/mira.md", cwd=there).code == 0
    for path in (tmp_path / "index").rglob("*"):
        assert path.is_dir() or b"Ljubljana" not in path.read_bytes()
        assert path.is_dir() or b"ljubljana" not in path.read_bytes()


@pytest.mark.parametrize("name", ["", " ", "[[]]", "./"])
def test_what_is_to_be_forgotten_has_to_be_said(
    aurelius: Aurelius, vault: Vaults, name: str
) -> None:
    done = aurelius("forget", name, cwd=vault("template"))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("aurelius: the path of the note is missing\nhint: ")


def test_a_link_that_leads_nowhere_is_no_note(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    os.symlink("nowhere", there / "gone.md")
    assert aurelius("status", cwd=there).code == 0
    assert "gone.md" not in aurelius("list", "--paths", cwd=there).out


def damage(top: Path, sql: str) -> None:
    """Change rows of the index behind its back."""
    (path,) = top.rglob("index-*.db")
    db = apsw.Connection(str(path))
    db.execute(sql)
    db.close()


def test_verify_finds_and_fix_heals(aurelius: Aurelius, vault: Vaults, tmp_path: Path) -> None:
    there = vault("template")
    clean = aurelius("doctor", "--verify", cwd=there)
    assert (clean.code, clean.err) == (0, "aurelius: the index matches the files\n")
    damage(
        tmp_path / "index", "UPDATE fact SET detail = replace(detail, 'Los Angeles', 'Las Vegas')"
    )
    found = aurelius("doctor", "--verify", cwd=there)
    assert found.code == 1
    assert "people/joe-bloggs.md: fact 0: detail differs\n" in found.out
    assert found.err.endswith("; `aurelius doctor --verify --fix` rebuilds the index\n")
    again = json.loads(aurelius("doctor", "--verify", "--json", cwd=there).out)
    assert again["repaired"] == []
    assert {"path": "people/joe-bloggs.md", "part": "fact 0", "what": "detail differs"} in again[
        "differences"
    ]
    fixed = aurelius("doctor", "--verify", "--fix", cwd=there)
    assert fixed.code == 0
    assert "repaired: people/joe-bloggs.md: fact 0: detail differs\n" in fixed.out
    assert fixed.err == "aurelius: the index matches the files; the index was rebuilt\n"
    whole = json.loads(aurelius("doctor", "--verify", "--fix", "--json", cwd=there).out)
    assert (whole["differences"], whole["repaired"]) == ([], [])


def test_verify_shows_the_first_differences_and_json_all(
    aurelius: Aurelius, vault: Vaults, tmp_path: Path
) -> None:
    there = vault("template")
    aurelius("index", cwd=there)
    damage(tmp_path / "index", "UPDATE chunk SET grain = 'x'")
    lines = aurelius("doctor", "--verify", cwd=there).out.splitlines()
    found = json.loads(aurelius("doctor", "--verify", "--json", cwd=there).out)
    more = len(found["differences"]) - 20
    assert more > 20
    assert lines[20] == f"and {more} more, which --json lists"
    assert lines[21].startswith("compared: ")
    assert len(lines) == 22


def test_verify_tells_no_name_of_a_private_note(
    aurelius: Aurelius, vault: Vaults, tmp_path: Path
) -> None:
    there = vault("private")
    aurelius("index", cwd=there)
    damage(tmp_path / "index", "UPDATE note SET private = 0, sha256 = zeroblob(32), racy = 0")
    found = aurelius("doctor", "--verify", cwd=there)
    assert found.code == 1
    assert "(private): note: " in found.out
    private = [path for path in there.rglob("*.md") if "private: true" in path.read_text("utf-8")]
    assert private
    for path in private:
        assert path.relative_to(there).as_posix() not in found.out


def test_fix_that_does_not_help_says_so(
    aurelius: Aurelius, vault: Vaults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = vault("template")
    aurelius("index", cwd=there)
    damage(tmp_path / "index", "UPDATE chunk SET grain = 'x'")
    monkeypatch.setattr(Vault, "rebuild", lambda vault, progress: None)
    done = aurelius("doctor", "--verify", "--fix", cwd=there)
    assert done.code == 1
    assert "even after a rebuild" in done.err


def test_verify_needs_no_temporary_folder(
    aurelius: Aurelius, vault: Vaults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = vault("template")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    done = aurelius("doctor", "--verify", cwd=there)
    assert (done.code, done.err.splitlines()[-1]) == (0, "aurelius: the index matches the files")


def test_verify_of_many_notes_says_that_it_goes_on(aurelius: Aurelius, tmp_path: Path) -> None:
    (tmp_path / "many" / ".aurelius").mkdir(parents=True)
    for number in range(220):
        (tmp_path / "many" / f"{number}.md").write_text(f"# Note {number}\n", "utf-8")
    aurelius("index", cwd=tmp_path / "many")
    done = aurelius("doctor", "--verify", cwd=tmp_path / "many")
    assert done.err == "aurelius: verifying 220 notes\naurelius: the index matches the files\n"


def test_config_get_shows_one_setting(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    done = aurelius("config", "get", "search.limit", cwd=there)
    assert (done.code, done.out) == (0, "search.limit = 10  # default\n")
    told = json.loads(aurelius("config", "get", "search.limit", "--json", cwd=there).out)
    assert list(told["settings"]) == ["search.limit"]
    for words, said in (
        (["get"], "missing argument: KEY"),
        (["get", "serch.limit"], "there is no setting serch.limit"),
        (["get", "search.limit", "5"], "too many words: 5"),
    ):
        done = aurelius("config", *words, cwd=there)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
