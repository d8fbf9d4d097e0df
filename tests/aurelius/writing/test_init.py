"""`aurelius init`: the template is copied, nothing that is there is touched."""

from __future__ import annotations

import datetime
import io
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from aurelius.settings import config, keys
from aurelius.settings.starting_notes import template_folder
from aurelius.writing import init
from indexer.errors import UsageError
from indexer.note import NOTE_KINDS
from indexer.reading.parse import parse

DAY = datetime.date(2026, 3, 9)
ADOPT, TEMPLATE, EMPTY = init.Start(adopt=True), init.Start(template=True), init.Start(empty=True)
TREE = {
    ".aurelius/config.toml",
    ".gitattributes",
    ".gitignore",
    "AGENTS.md",
    "MEMORY.md",
    "ME.md",
    "memory/2026-03-09.md",
    "people/_index.md",
    "projects/_index.md",
}
FOLDERS = {
    "people",
    "companies",
    "projects",
    "areas",
    "resources",
    "archives",
    "memory",
    ".aurelius",
}


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def test_a_new_vault_is_the_whole_tree(tmp_path: Path) -> None:
    report = init.make_vault(str(tmp_path / "deep" / "vault"), now=DAY)
    made = files(tmp_path / "deep" / "vault")
    assert set(made) >= TREE
    assert {path.partition("/")[0] for path in made if "/" in path} == FOLDERS
    assert set(report.created) == set(made)
    assert (report.kept, report.existed, report.adopted, report.git) == ((), False, False, "")
    assert config.find_vault(None, {}, report.vault) == report.vault


def test_the_days_of_the_template_become_today(tmp_path: Path) -> None:
    init.make_vault(str(tmp_path), now=datetime.datetime(2026, 3, 9, 23, 59))
    for path, data in files(tmp_path).items():
        assert init.TEMPLATE_DAY.encode() not in data, path
    assert "- Lives in Los Angeles (2026-03-09) ^k3v9qa\n" in (
        tmp_path / "people" / "joe-bloggs.md"
    ).read_text("utf-8")


def test_a_second_init_changes_nothing_and_brings_nothing_back(tmp_path: Path) -> None:
    init.make_vault(str(tmp_path), now=DAY)
    (tmp_path / "people" / "joe-bloggs.md").unlink()
    (tmp_path / "ME.md").write_text("mine", encoding="utf-8")
    before = files(tmp_path)
    report = init.make_vault(str(tmp_path), now=DAY + datetime.timedelta(days=1))
    assert files(tmp_path) == before
    assert (report.created, report.existed) == ((), True)


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    mine = {"ME.md": b"mine", "people/joe-bloggs.md": b"", "notes.md": b"\xff\r\n"}
    for path, data in mine.items():
        (tmp_path / path).write_bytes(data)
    report = init.make_vault(str(tmp_path), TEMPLATE, now=DAY)
    made = files(tmp_path)
    assert {path: made[path] for path in mine} == mine
    assert set(report.kept) == {"ME.md", "people/joe-bloggs.md"}
    assert "people/sarah.md" in report.created


@pytest.mark.parametrize("start", [init.WHOLE_START, EMPTY])
def test_where_notes_lie_nothing_is_written_unless_said(tmp_path: Path, start: init.Start) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "note.md").write_text("mine", "utf-8")
    (tmp_path / "MEMORY.md").write_text("mine too", "utf-8")
    with pytest.raises(UsageError, match="already has 2 notes; nothing was written") as raised:
        init.make_vault(str(tmp_path), start, now=DAY)
    assert "init --adopt" in raised.value.hint
    assert "init --template" in raised.value.hint
    assert files(tmp_path) == {"deep/note.md": b"mine", "MEMORY.md": b"mine too"}


def test_the_template_goes_into_an_adopted_folder_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "ME.md").write_text("mine", "utf-8")
    init.make_vault(str(tmp_path), ADOPT, now=DAY)
    report = init.make_vault(str(tmp_path), TEMPLATE, now=DAY)
    assert (report.existed, set(report.kept)) == (True, {".aurelius/config.toml", "ME.md"})
    assert (tmp_path / "ME.md").read_text("utf-8") == "mine"
    assert "people/joe-bloggs.md" in report.created


def test_no_job_is_switched_on_where_somebody_elses_notes_lie(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "note.md").write_text("mine", "utf-8")
    assert init.make_vault(str(tmp_path / "v"), TEMPLATE, now=DAY).summarize == "off"
    assert b"\nsummarize = " not in (tmp_path / "v" / ".aurelius" / "config.toml").read_bytes()
    assert init.make_vault(str(tmp_path / "new"), now=DAY).summarize == "weekly"


def test_an_empty_vault_has_no_examples_and_no_empty_folders(
    tmp_path: Path, aurelius: Callable[..., Any]
) -> None:
    report = init.make_vault(str(tmp_path / "v"), EMPTY, now=DAY)
    top = {".gitattributes", ".gitignore", "AGENTS.md", "MEMORY.md", "ME.md"}
    assert set(report.created) == {*top, ".aurelius/config.toml"}
    assert {each.name for each in (tmp_path / "v").iterdir()} == {*top, ".aurelius"}
    text = b"".join(files(tmp_path / "v").values()).decode()
    assert not [name for name in ("Joe", "Sarah", "TechCorp") if name in text]
    assert aurelius("doctor", cwd=tmp_path / "v").code == 0
    assert aurelius("new", "person", "Ann", cwd=tmp_path / "v").out == "made people/ann.md\n"


def test_an_init_cut_short_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = init._create

    def full(root: str, path: str, data: bytes) -> bool:
        if path == "people/sarah.md":
            raise OSError(28, "No space left on device", path)
        return create(root, path, data)

    monkeypatch.setattr(init, "_create", full)
    with pytest.raises(UsageError, match=r"people/sarah\.md: No space left on device"):
        init.make_vault(str(tmp_path), now=DAY)
    assert not (tmp_path / ".aurelius").exists()
    monkeypatch.undo()
    init.make_vault(str(tmp_path), now=DAY)
    assert set(files(tmp_path)) >= TREE | {"people/sarah.md"}


def test_a_disk_that_is_full_leaves_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.FileIO):
        def write(self, _: Any) -> int:
            raise OSError(28, "no space")

    def full(file: str, mode: str) -> io.FileIO | IO[Any]:
        return Full(file, "x") if mode == "xb" else open(file, mode)

    monkeypatch.setattr(init, "open", full, raising=False)
    with pytest.raises(UsageError, match="no space"):
        init.make_vault(str(tmp_path / "v"), now=DAY)
    assert files(tmp_path / "v") == {}
    monkeypatch.undo()
    assert not init.make_vault(str(tmp_path / "v"), now=DAY).kept


def test_a_folder_that_leads_elsewhere_or_is_a_file_is_left_alone(tmp_path: Path) -> None:
    elsewhere, vault = tmp_path / "elsewhere", tmp_path / "vault"
    elsewhere.mkdir()
    vault.mkdir()
    (vault / "people").symlink_to(elsewhere, target_is_directory=True)
    (vault / "areas").write_text("a file")
    (vault / "ME.md").symlink_to(tmp_path / "not-there.md")
    report = init.make_vault(str(vault), now=DAY)
    assert list(elsewhere.iterdir()) == []
    assert (vault / "areas").read_text() == "a file"
    assert not (tmp_path / "not-there.md").exists()
    assert {"people/sarah.md", "areas/health.md", "ME.md"} <= set(report.kept)


def test_adopt_adds_the_mark_alone(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# A note\n")
    report = init.make_vault(str(tmp_path), ADOPT, now=DAY)
    assert report.created == (".aurelius/config.toml",)
    assert report.adopted
    assert set(files(tmp_path)) == {"note.md", ".aurelius/config.toml"}


def test_adopting_names_files_of_text_that_are_no_notes(tmp_path: Path) -> None:
    for path in (
        "a.txt",
        "b/B.TXT",
        "b/c/d.txt",
        "map.canvas",
        ".hidden/x.txt",
        ".x.txt",
        "node_modules/y.txt",
        "note.md",
        "song.mp3",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("text")
    report = init.make_vault(str(tmp_path), ADOPT, now=DAY)
    assert report.told == (
        "3 .txt files are not read: only .md and .markdown files are notes",
        "1 .canvas file is not read: only .md and .markdown files are notes",
    )


def obsidian(root: Path, **files: bytes) -> None:
    (root / ".obsidian").mkdir(parents=True)
    (root / "note.md").write_bytes(b"# A note\r\n")
    for name, data in files.items():
        (root / ".obsidian" / f"{name}.json").write_bytes(data)


def test_adopting_writes_down_what_obsidian_says_and_touches_nothing(tmp_path: Path) -> None:
    import tomllib

    obsidian(
        tmp_path,
        app=b'{"userIgnoreFilters": ["old/"]}',
        templates=b'{"folder": "T"}',
        **{"daily-notes": b'{"folder": "D", "format": "YYYY/YYYY-MM-DD", "template": "T/day"}'},
    )
    before = files(tmp_path)
    report = init.make_vault(str(tmp_path), ADOPT, now=DAY)
    made = files(tmp_path)
    text = made.pop(".aurelius/config.toml").decode()
    assert made == before
    assert tomllib.loads(text) == {
        "daily": {
            "folder": "D",
            "format": "YYYY/YYYY-MM-DD",
            "heading": False,
            "template": "T/day.md",
        },
        "index": {"exclude": ["/T/", "/old/"]},
        "templates": {"folder": "T"},
        "summary": {"new": False},
    }
    assert 'folder = "D"  # from .obsidian/daily-notes.json\n' in text
    assert {row.key for row in report.taken} == {
        "daily.folder",
        "daily.format",
        "daily.heading",
        "daily.template",
        "templates.folder",
        "index.exclude",
    }
    assert report.told == (
        ".obsidian/daily-notes.json: the template T/day.md does not exist, so new daily notes begin empty",
    )


def test_the_settings_that_are_written_down_count(tmp_path: Path, env: dict[str, str]) -> None:
    obsidian(tmp_path, **{"daily-notes": b'{"folder": "D"}', "templates": b'{"folder": "T"}'})
    init.make_vault(str(tmp_path), ADOPT, now=DAY)
    found = config.load_config(str(tmp_path), env)
    assert (found.daily, found.daily_heading, found.templates, found.exclude) == (
        "D",
        False,
        "T",
        ("/T/",),
    )


def test_links_pipes_and_heaps_are_told_and_never_followed(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "v"
    obsidian(outside, app=b'{"userIgnoreFilters": ["old/"]}')
    obsidian(root, templates=b" " * (300 << 10))
    (root / ".obsidian" / "app.json").symlink_to(outside / ".obsidian" / "app.json")
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / ".obsidian" / "daily-notes.json")
    (root / "logseq").symlink_to(outside, target_is_directory=True)
    (outside / "config.edn").write_text('{:journals-directory "x"}', "utf-8")
    report = init.make_vault(str(root), ADOPT, now=DAY)
    assert report.taken == ()
    assert len(report.told) == (4 if hasattr(os, "mkfifo") else 3)
    for name in (".obsidian/app.json", ".obsidian/templates.json", "logseq"):
        assert [line for line in report.told if name in line], name


def test_a_folder_of_settings_that_is_a_link_is_told_once(tmp_path: Path) -> None:
    named = {
        "app": b'{"userIgnoreFilters": ["x/"]}',
        "templates": b'{"folder": "T"}',
        "daily-notes": b'{"folder": "D"}',
    }
    obsidian(tmp_path / "outside", **named)
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / ".obsidian").symlink_to(
        tmp_path / "outside" / ".obsidian", target_is_directory=True
    )
    report = init.make_vault(str(tmp_path / "v"), ADOPT, now=DAY)
    assert (report.taken, report.told) == ((), (".obsidian: not read, because it is a link",))


@pytest.mark.parametrize("folder", ["elsewhere", "file", "node_modules"])
def test_a_folder_of_daily_notes_that_leads_elsewhere_is_not_taken(
    tmp_path: Path, folder: str
) -> None:
    obsidian(tmp_path / "v", **{"daily-notes": f'{{"folder": "{folder}"}}'.encode()})
    (tmp_path / "v" / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "v" / "file").write_text("", "utf-8")
    report = init.make_vault(str(tmp_path / "v"), ADOPT, now=DAY)
    assert (report.taken, len(report.told)) == ((), 1)
    assert f"daily notes are not written to {folder}: " in report.told[0]


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")


@pytest.mark.parametrize("rule", ["memory/", "memory/2026-*.md", "*.md"])
def test_days_that_git_ignores_say_where_days_are_kept(tmp_path: Path, rule: str) -> None:
    put(tmp_path, ".gitignore", f"{rule}\nbuild/\n")
    for day in range(1, 6):
        put(tmp_path, f"memory/2026-01-0{day}.md", "Met Joe\n")
        put(tmp_path, f"lessons/2026-01-0{day}.md", "Lesson\n")
        put(tmp_path, f"build/notes/2026-01-0{day}.md", "Built\n")
    assert init.make_vault(str(tmp_path), ADOPT, now=DAY).taken == ()


def test_days_that_are_kept_from_aurelius_are_not_looked_at(tmp_path: Path) -> None:
    put(tmp_path, ".aureliusignore", "journal/\n")
    for day in range(1, 6):
        put(tmp_path, f"journal/2026-01-0{day}.md", "Met Joe\n")
        put(tmp_path, f"days/2026-01-0{day}.md", "Tea\n")
    assert [row.value for row in init.make_vault(str(tmp_path), ADOPT, now=DAY).taken] == ["days"]


def test_only_a_folder_can_be_adopted_or_filled(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for missing in ("file", "nothing"):
        with pytest.raises(UsageError, match="cannot be adopted"):
            init.make_vault(str(tmp_path / missing), ADOPT, now=DAY)
    with pytest.raises(UsageError, match="file: "):
        init.make_vault(str(tmp_path / "file"), now=DAY)
    with pytest.raises(UsageError, match="file"):
        init.make_vault(str(tmp_path / "file" / "vault"), now=DAY)


def test_git_makes_a_repository_and_commits_nothing(tmp_path: Path) -> None:
    assert init.make_vault(str(tmp_path), git=True, now=DAY).git == "made"
    head = subprocess.run(
        ["git", "-C", str(tmp_path), "rev-parse", "--verify", "HEAD"], capture_output=True
    )
    assert head.returncode != 0
    assert init.make_vault(str(tmp_path), git=True, now=DAY).git == "there"


def test_the_first_commit_holds_what_init_made_and_runs_no_program(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """A hook that a person's git puts into every new repository, and a filter of their settings, are not run."""
    hooks = tmp_path / "skeleton" / "hooks"
    hooks.mkdir(parents=True)
    for name in (
        "pre-commit",
        "post-commit",
        "prepare-commit-msg",
        "reference-transaction",
        "post-index-change",
    ):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
        (hooks / name).chmod(0o755)
    (tmp_path / "attributes").write_text("*.md filter=odd\n", "utf-8")
    (Path(env["HOME"]) / ".gitconfig").write_text(
        f"[init]\n\ttemplateDir = {tmp_path}/skeleton\n[core]\n\thooksPath = {hooks}\n"
        f'[filter "odd"]\n\tclean = touch {tmp_path}/ran\n',
        "utf-8",
    )
    root = tmp_path / "vault"
    done = init.commit_vault(init.make_vault(str(root), git=True, now=DAY), env)
    assert (done.git, done.uncommitted) == ("made", "")
    git = ["git", "-C", str(root)]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True
    )
    assert set(listed.stdout.split()) == set(done.created)
    clean = subprocess.run(
        [*git, "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert clean.stdout == ""
    assert not (tmp_path / "ran").exists()
    assert init.commit_vault(init.make_vault(str(root), git=True, now=DAY), env).git == "there"


def test_the_first_commit_of_an_adopted_folder_leaves_its_notes_to_the_person(
    tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "note.md").write_text("mine", "utf-8")
    done = init.commit_vault(init.make_vault(str(tmp_path / "v"), ADOPT, git=True, now=DAY), env)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path / "v"), "ls-tree", "-r", "--name-only", "HEAD"],
        capture_output=True,
        text=True,
    )
    assert (done.uncommitted, listed.stdout) == ("", ".aurelius/config.toml\n")


def test_git_can_be_asked_for_later(tmp_path: Path) -> None:
    init.make_vault(str(tmp_path), now=DAY)
    report = init.make_vault(str(tmp_path), git=True, now=DAY)
    assert (report.git, report.existed, report.created) == ("made", True, ())


def test_without_git_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UsageError, match="--git needs git"):
        init.make_vault(str(tmp_path / "vault"), git=True, now=DAY)
    assert not (tmp_path / "vault").exists()


# What the template says


def test_the_settings_of_the_template_name_every_key_with_its_default(tmp_path: Path) -> None:
    """In an adopted folder no summary is made unasked; a new vault has its summaries rewritten weekly."""
    import tomllib

    init.make_vault(str(tmp_path), ADOPT, now=DAY)
    text = (tmp_path / ".aurelius" / "config.toml").read_text("utf-8")
    assert tomllib.loads(text) == {"summary": {"new": False}}
    fresh = (Path(template_folder()) / ".aurelius" / "config.toml").read_text("utf-8")
    assert tomllib.loads(fresh) == {"jobs": {"summarize": "weekly", "maintain": "daily"}}
    assert [line for line in fresh.splitlines() if line not in text.splitlines()] == [
        next(line for line in fresh.splitlines() if "weekly summary is switched on" in line),
        "# [summary]",
        next(line for line in fresh.splitlines() if line.startswith("# new = ")),
        "[jobs]",
        next(line for line in fresh.splitlines() if line.startswith("summarize = ")),
        next(line for line in fresh.splitlines() if line.startswith("maintain = ")),
    ]
    assert "# No job is switched on here.\n" in text
    told = tomllib.loads(
        "".join(
            re.findall(
                r"^# ((?:\[|\w+ = ).*\n)",
                fresh.replace("[jobs]\nsum", "# [jobs]\n# sum"),
                re.MULTILINE,
            )
        )
    )
    flat = {f"{table}.{key}": value for table, keys in told.items() for key, value in keys.items()}
    flat["jobs.summarize"] = "off"
    flat["jobs.maintain"] = "off"
    its_own = [key for key in keys.KEYS if key.whose != keys.BY_PERSON]
    assert flat == {
        key.name: list(key.default) if key.default == () else key.default for key in its_own
    }
    for key in set(keys.KEYS) - set(its_own):
        assert key.name in text  # as what counts from the person's file alone


def test_the_example_person_has_the_shape_of_the_seed() -> None:
    text = (Path(template_folder()) / "people" / "joe-bloggs.md").read_text("utf-8")
    shape = "# Joe Bloggs\n\n**Type:** Person\n**Category:** Area\n**Last Updated:** 2026-02-01\n\n## Summary\n"
    assert text.startswith(shape)
    assert re.findall(r"^## (.*)", text, re.MULTILINE) == [
        "Summary",
        "Facts",
        "Relationships",
        "History",
        "Notes",
    ]
    assert "- Lives in Los Angeles (2026-02-01)" in text
    assert "- [[companies/techcorp]] - Employer" in text


def test_the_notes_of_the_template_are_read_as_meant() -> None:
    notes = {
        path: parse(path, data)
        for path, data in files(Path(template_folder())).items()
        if path.endswith(".md")
    }
    assert [(path, note.problems) for path, note in notes.items() if note.problems] == []
    assert {note.kind for note in notes.values()} == set(NOTE_KINDS)
    assert notes["AGENTS.md"].facts == ()
    assert not any(note.facts for path, note in notes.items() if path.endswith("_index.md"))
    joe = [
        (fact.text, fact.type, fact.date, fact.status, fact.id)
        for fact in notes["people/joe-bloggs.md"].facts
    ]
    assert joe[0] == ("Lives in Los Angeles", "fact", "2026-02-01", "active", "k3v9qa")
    assert joe[-1] == ("Lives in San Diego", "fact", "2025-03-01", "superseded", "d8w4tt")
    assert notes["people/sarah.md"].aliases == ("Sarah Lindqvist", "S. Lindqvist")
    assert [task.done for task in notes["projects/make-this-vault-mine.md"].tasks] == [False] * 7


def test_doctor_finds_nothing_wrong_in_a_new_vault(
    aurelius: Callable[..., Any], tmp_path: Path
) -> None:
    assert aurelius("init", "vault", cwd=tmp_path).code == 0
    done = aurelius("doctor", "--json", cwd=tmp_path / "vault")
    assert (done.code, json.loads(done.out)["findings"]) == (0, [])


def test_every_wikilink_of_the_template_leads_to_a_note() -> None:
    root = Path(template_folder())
    for path, data in files(root).items():
        plain = re.sub(r"`[^`\n]*`", "", data.decode()) if path.endswith(".md") else ""
        for target in re.findall(r"\[\[([^\]|#]+)", plain):
            if target not in {"people/first-last", "note"}:
                assert (root / f"{target}.md").is_file(), f"{path}: {target}"


def test_every_command_of_the_guide_works(tmp_path: Path, aurelius: Callable[..., Any]) -> None:
    root = tmp_path / "v"
    init.make_vault(str(root), now=datetime.date(2026, 2, 10))
    text = (root / "AGENTS.md").read_text("utf-8")
    shown = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    lines = re.findall(r"^aurelius .*", shown, re.MULTILINE) + re.findall(
        r"`(aurelius [^`]*)`", text
    )
    names = {"PATH": "people/joe-bloggs.md", "NAME": "people/joe-bloggs", "ID": "k3v9qa"}
    for line in lines:
        words = shlex.split(
            re.sub(r"\b(PATH|NAME|ID)\b", lambda each: names[each[0]], line), comments=True
        )
        done = aurelius(*words[1:], cwd=root)
        assert done.code == 0, (line, done.err)
        assert done.out or line.split()[1] in {"context", "days", "review"}, line
    wanted = {
        "search",
        "get",
        "show",
        "list",
        "tasks",
        "history",
        "note",
        "add",
        "update",
        "supersede",
        "new",
        "undo",
    }
    wanted |= {"summarize", "reinforce", "demote", "context", "recall", "days", "review"}
    assert {line.split()[1] for line in lines} >= wanted
    assert len(text.encode()) < 2048, "an agent reads all of it at the start of each session"
    assert "up to three times" in text
    assert "--budget" in text


def test_the_lines_and_the_files_that_the_guide_shows_are_so() -> None:
    root = Path(template_folder())
    text = (root / "AGENTS.md").read_text("utf-8")
    shown = "".join(re.findall(r"^```markdown\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    found = parse("people/a.md", f"# A\n\n## Facts\n\n{shown}".encode()).facts
    assert [
        (fact.id, fact.type, fact.date, fact.until, fact.status, fact.superseded_by)
        for fact in found
    ] == [
        ("w4n1zz", "fact", "2026-01-10", None, "active", ""),
        ("", "decision", "2025-10-02", None, "active", ""),
        ("", "fact", "2025-09-30", "2026-01-10", "superseded", "w4n1zz"),
    ]
    first = text.partition("## Read first\n")[2].partition("\n## ")[0]
    named = re.findall(r"`([^`]+)`", first)
    assert named[:3] == ["ME.md", "MEMORY.md", "memory/YYYY-MM-DD.md"]
    for name in named:
        assert (root / name.replace("YYYY-MM-DD", init.TEMPLATE_DAY)).exists(), name


def test_no_file_of_the_template_has_odd_line_ends() -> None:
    root = Path(template_folder())
    assert os.path.basename(root) == "vault_template"
    for path, data in files(root).items():
        assert data.endswith(b"\n"), path
        assert b"\r" not in data, path
