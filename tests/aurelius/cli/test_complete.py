"""What a shell is offered, asked as typer's scripts ask: by variables of the environment."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli import complete
from aurelius.cli.declarations import COMMANDS
from aurelius.cli.run import COMPLETE, Context
from tests.declared import declared

Aurelius = Callable[..., Any]
ADA = "---\ntags: [friend]\n---\n# Ada\n\n## Facts\n- Keeps bees (2026-01-01) ^bees01\n- Reads (2026-01-01) ^read01\n"
NAMES = ("people/ada.md", "people/Bo Lee.md", "projects/bees/hive.md", "MEMORY.md")


@pytest.fixture
def root(tmp_path: Path, aurelius: Aurelius) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(ADA if name.endswith("ada.md") else "# N\n")
    return root


@pytest.fixture
def offered(root: Path, env: dict[str, str], aurelius: Aurelius) -> Callable[..., list[str]]:
    """What bash is offered behind `aurelius LINE`, over the index as it is."""
    assert aurelius("index", cwd=root).code == 0

    def ask(line: str, shell: str = "bash", cwd: Path = root, **more: str) -> list[str]:
        line = f"aurelius {line}"
        at = len(line.split()) - (not line.endswith(" "))
        asked = {
            COMPLETE: f"complete_{shell}",
            "COMP_WORDS": line,
            "COMP_CWORD": str(at),
            "_TYPER_COMPLETE_ARGS": line,
        }
        out, err = io.StringIO(), io.StringIO()
        code = run_line([], Context(str(cwd), env | asked | more, False, io.StringIO(), out, err))
        assert err.getvalue() == ""
        return (
            out.getvalue().splitlines()
            if shell != "exit" and not more
            else [str(code), *out.getvalue().splitlines()]
        )

    return ask


Ask = Callable[..., list[str]]


def test_commands_options_and_choices_are_offered(offered: Ask) -> None:
    assert offered("su") == ["supersede", "summarize"]
    assert offered("search x --mo") == ["--mode"]
    assert offered("search x --mode ") == ["hybrid", "keyword", "vector"]
    assert offered("search x --mode=k", "fish") == ["--mode=keyword"]
    assert offered("search --mode = k") == ["keyword"], "as bash parts it"
    assert offered("--vault x config s") == ["show", "set"]
    assert offered("list --kind pers") == ["person"]
    assert offered("--now 2026-01-01 lis") == ["list"]
    assert offered("search x -- --mo") == []
    assert offered("nope --mo") == []


@pytest.mark.parametrize(
    "command",
    ["show", "get", "links", "graph", "open", "doctor --tidy a", "archive", "forget", "add"],
)
def test_notes_are_offered_by_their_path(command: str, offered: Ask) -> None:
    assert offered(f"{command} people/") == ["people/Bo\\ Lee.md", "people/ada.md"]
    assert offered(f"{command} ad") == ["people/ada.md"], "or by the name alone"


def test_only_the_first_word_of_add_is_a_note(offered: Ask) -> None:
    assert offered("add ada peo") == []
    assert offered("show ada peo") == []


def test_facts_tags_folders_and_settings_are_offered(offered: Ask) -> None:
    assert offered("supersede ") == ["bees01", "read01"]
    assert offered("supersede ^b") == ["^bees01"]
    assert offered("show ^b") == offered("graph ^b") == ["^bees01"]
    assert offered("add x --updates r") == offered("add x --contradicts r") == ["read01"]
    assert offered("list --tag ") == ["friend"]
    for option in ("--linked-by", "--link-to", "--related"):
        for command in ("search", "list", "tasks"):
            assert offered(f"{command} {option} ") == offered("show ")
    assert offered("search x --in p") == [
        "people/",
        "projects/",
        "projects/bees/",
        "people/Bo\\ Lee.md",
        "people/ada.md",
        "projects/bees/hive.md",
    ]
    assert offered("move ada pr") == ["projects/", "projects/bees/"]
    assert offered("config set search.l") == ["search.limit"]
    assert offered("help se") == ["search", "serve", "settings"]


def test_zsh_and_fish_are_told_what_each_is(offered: Ask) -> None:
    assert offered("supersede ^b", "zsh") == ["""_arguments '*: :(("^bees01":"Keeps bees"))'"""]
    assert offered("supersede ^b", "fish") == ["^bees01\tKeeps bees"]
    assert offered("supersede ^b", "pwsh") == ["^bees01:::Keeps bees"]
    assert offered("show nobody", "zsh") == ["_files"]
    assert offered("show peo", "fish", _TYPER_COMPLETE_FISH_ACTION="is-args") == ["0"]
    assert offered("show nobody", "fish", _TYPER_COMPLETE_FISH_ACTION="is-args") == ["1"]


def test_a_private_note_is_offered_to_no_shell(
    root: Path, offered: Ask, aurelius: Aurelius
) -> None:
    secret = "---\nprivate: true\ntags: [hush]\n---\n# S\n\n## Facts\n- Owes money (2026-01-01) ^owes01\n"
    (root / "people/secret.md").write_text(secret)
    (root / "hidden").mkdir()
    (root / "hidden/secret.md").write_text(secret)
    assert aurelius("index", cwd=root).code == 0
    for line in (
        "show people/s",
        "show sec",
        "supersede ow",
        "show ^ow",
        "list --tag hu",
        "search x --in hid",
    ):
        assert offered(line) == []


def test_a_note_that_has_just_become_private_is_not_offered(root: Path, offered: Ask) -> None:
    (root / "people/ada.md").write_text(ADA.replace("---\n", "---\nprivate: true\n", 1))
    assert offered("show people/a") == offered("supersede b") == []
    (root / "people/ada.md").write_text(ADA + "\nMore.\n")
    assert offered("show people/a") == ["people/ada.md"]
    (root / "people/ada.md").unlink()
    assert offered("show people/a") == []


def test_completion_reads_the_index_and_does_not_refresh_it(root: Path, offered: Ask) -> None:
    (root / "people/new.md").write_text("# New\n")
    assert offered("show people/n") == []


@pytest.mark.parametrize("line", ["show ", "supersede ", "list --tag ", "search x --in "])
def test_nothing_is_said_where_there_is_no_vault_or_no_index(
    line: str, offered: Ask, tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / "none").mkdir()
    assert offered(line, cwd=tmp_path / "none") == []
    shutil.rmtree(env["AURELIUS_INDEX"])
    assert offered(line) == []


def test_nothing_is_said_where_the_index_or_the_settings_are_damaged(
    root: Path, offered: Ask, env: dict[str, str]
) -> None:
    for file in Path(env["AURELIUS_INDEX"]).rglob("*.db"):
        file.write_bytes(b"SQLite format 3\0" + b"x" * 9000)
    assert offered("show ") == []
    (root / ".aurelius/config.toml").write_text("[search\n")
    assert offered("show ") == []


def test_of_many_notes_the_folders_are_offered(
    root: Path, offered: Ask, aurelius: Aurelius
) -> None:
    for number in range(complete.MOST_OFFERS):
        (root / f"people/n{number}.md").write_text("# N\n")
    assert aurelius("index", cwd=root).code == 0
    assert offered("show ") == ["MEMORY.md", "people/", "projects/"]
    assert len(offered("show people/")) == complete.MOST_OFFERS + 2, (
        "a flat folder has nothing else to offer"
    )


ODD = [
    "$(touch ran)",
    "\\$(touch ran)",
    "`touch ran`",
    'q"; touch ran; "',
    "a'b",
    "a;touch ran",
    "n\nl",
    "x\x1b[2J",
    "!x",
]


def test_a_name_that_a_shell_would_run_is_not_run(
    root: Path, offered: Ask, aurelius: Aurelius
) -> None:
    for name in ODD:
        (root / "people" / f"{name}.md").write_text(
            f"# {name}\n\n## Facts\n- Says {name} here (2026-01-01)\n"
        )
    assert aurelius("index", cwd=root).code == 0
    shell = shutil.which("bash")
    for line in ("show people/", "supersede "):
        assert not any(
            "\x1b" in word or "\x07" in word for word in offered(line) + offered(line, "fish")
        )
        told = "\n".join(offered(line, "zsh")).removeprefix("_arguments '*: :").removesuffix("'")
        assert not set("'`$\\") & set(told)
        for word in offered(line) if shell else []:
            done = subprocess.run(
                [shell or "", "-c", f"printf %s {word}"], cwd=root, capture_output=True, check=True
            )
            assert line != "show people/" or (root / done.stdout.decode()).is_file(), word
    assert offered("show 'people/ada") == ["people/ada.md"]
    assert not (root / "ran").exists()
    assert set("'`$\\!") & set("".join(offered('show "people/'))) == set(), (
        "in quotes they could not be quoted"
    )


def test_what_is_offered_is_declared() -> None:
    offers = {each.offers for name in COMMANDS for each in declared(name)}
    assert {word for kinds in offers for word in kinds} == {
        "note",
        "notes",
        "facts",
        "tags",
        "folders",
        "settings",
        "topics",
    }
