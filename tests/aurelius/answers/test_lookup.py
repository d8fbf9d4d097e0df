"""The note that a name means, or why there is none."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.answers import lookup
from aurelius.answers.lookup import daily_note, deciding_rule
from aurelius.settings.config import load_config
from aurelius.writing.forget import in_index
from aurelius.writing.safe_folder import path_below
from indexer.disk.walk import IgnoreRules, walk
from indexer.errors import NoteNotFoundError
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index

TODAY = datetime.date(2026, 2, 10)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path in ("people/joe.md", "drafts/x.md", "out.md", "plain.txt", "private.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("---\nprivate: true\n---\n" if path == "private.md" else "x\n")
    (root / ".gitignore").write_text("drafts/\n")
    (root / ".aureliusignore").write_text("out.md\n")
    return root


@pytest.fixture
def index(root: Path, tmp_path: Path) -> Iterator[Index]:
    index, _ = refresh(
        Settings(str(root), str(tmp_path / "index"), vectors=False), now=1_900_000_000.0
    )
    yield index
    index.close()


def resolve(
    db: apsw.Connection,
    root: str,
    name: str,
    exclude: tuple[str, ...] = (),
    *,
    private: bool,
    today: datetime.date,
) -> str:
    config = load_config(root, {"HOME": root})
    at = {**config.sources, "index.exclude": f"{root}/.aurelius/config.toml:2"}
    return lookup.resolve(
        db, config._replace(exclude=exclude, sources=at), name, private=private, today=today
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("out", "ignored"),
        ("out.md", "ignored"),
        ("drafts/x", "ignored"),
        ("private", "--private"),
        ("plain.txt", "not a note"),
        ("people", "folder"),
        ("a/../../x", "out of the vault"),
        ("j0e", "did you mean Joe?"),
        ("zzz", "aurelius list"),
        ("", "aurelius list"),
    ],
)
def test_a_name_that_is_not_found_says_why_and_what_to_do(
    index: Index, root: Path, name: str, hint: str
) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        resolve(index.db, str(root), name, private=False, today=TODAY)
    assert hint in caught.value.hint
    assert name in caught.value.message


def test_a_path_out_of_the_vault_is_repeated_as_it_was_typed(index: Index, root: Path) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        resolve(index.db, str(root), "../README.md", private=False, today=TODAY)
    assert caught.value.hint.startswith("../README.md: not read")


def test_a_path_that_is_left_out_names_the_rule_and_no_index_is_asked(
    index: Index, root: Path
) -> None:
    """What was ignored after the last look is told as well."""
    (root / "people" / ".gitignore").write_text("*.tmp.md\n!kept.tmp.md\n")
    for path in ("people/a.tmp.md", "people/kept.tmp.md", "drafts/deep/y.md", "old.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")
    told = {}
    for name in (
        "drafts/x",
        "drafts/deep/y.md",
        "out",
        "people/a.tmp.md",
        "people/kept.tmp.md",
        "old",
        "drafts/none",
    ):
        with pytest.raises(NoteNotFoundError) as caught:
            resolve(
                index.db, str(root), name, ("/*.md", "!out.md", "old*"), private=False, today=TODAY
            )
        told[name] = caught.value.hint.partition("(")[2].partition(")")[0]
    assert told == {
        "drafts/x": ".gitignore:1",
        "drafts/deep/y.md": ".gitignore:1",
        "out": ".aureliusignore:1",
        "people/a.tmp.md": "people/.gitignore:1",
        "people/kept.tmp.md": "",
        "old": ".aurelius/config.toml:2",
        "drafts/none": ".gitignore:1",
    }


def test_a_path_never_means_another_note_that_is_called_alike(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    for path in (
        "docs/README.md",
        "README.md",
        "ai/guardrails-ai.md",
        "docs/ai notes.md",
        "web/webflux.md",
        "b/Tom.md",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("---\naliases: [x.md, 'web/']\n---\n\nx\n")
    (root / "plain.txt").write_text("x\n")
    index, _ = refresh(
        Settings(str(root), "", ("/README.md", "/docs/ai*"), vectors=False), now=1_900_000_000.0
    )
    told = {}
    with contextlib.closing(index):
        for name in (
            "README.md",
            "ai/",
            "ai",
            f"{root}/ai/",
            "web/",
            "tom.m",
            "x.md",
            "gone/",
            "plain.txt",
            "ai.md",
        ):
            with pytest.raises(NoteNotFoundError) as caught:
                resolve(
                    index.db,
                    str(root),
                    name,
                    ("/README.md", "/docs/ai*"),
                    private=False,
                    today=TODAY,
                )
            told[name] = caught.value.hint
        for name, path in (
            ("README", "docs/README.md"),
            ("docs/readme.md", "docs/README.md"),
            ("tom.md", "b/Tom.md"),
            ("guardrails", "ai/guardrails-ai.md"),
            ("b/tom", "b/Tom.md"),
        ):
            assert (
                resolve(index.db, str(root), name, ("/README.md",), private=False, today=TODAY)
                == path
            )
    folder = "is a folder: name a note in it"
    assert told["README.md"].startswith(
        "README.md is left out by index.exclude (.aurelius/config.toml:2)"
    )
    assert told["ai/"] == told["ai"] == told[f"{root}/ai/"] == f"ai {folder}"
    assert told["web/"] == f"web {folder}"
    assert told["plain.txt"].startswith("plain.txt is a file, but not a note")


def test_names_are_those_that_may_be_seen(index: Index, root: Path) -> None:
    assert resolve(index.db, str(root), "Joe", private=False, today=TODAY) == "people/joe.md"
    assert resolve(index.db, str(root), "private", private=True, today=TODAY) == "private.md"


def test_only_a_whole_path_below_the_vault_is_shortened_to_the_vaults_own(root: Path) -> None:
    assert path_below(str(root), str(root / "people" / "joe.md")) == "people/joe.md"
    assert path_below(str(root), str(root) + "-other/x.md") == str(root) + "-other/x.md"
    assert path_below(str(root), "people/joe.md") == "people/joe.md"


def test_what_the_index_held(index: Index, tmp_path: Path) -> None:
    assert in_index(str(tmp_path / "index"), "people/joe.md")
    assert not in_index(str(tmp_path / "index"), "people/ann.md")
    assert not in_index(str(tmp_path / "none"), "people/joe.md")
    Path(index.path).write_bytes(b"garbage" * 1000)
    assert not in_index(str(tmp_path / "index"), "people/joe.md")


@pytest.mark.parametrize(
    ("there", "none"), [("people/jo", "people/jp"), ("people/jo.md", "people/jp.md"), ("zq", "zp")]
)
def test_to_an_agent_a_private_path_is_answered_like_one_that_is_not_there(
    there: str, none: str, root: Path, tmp_path: Path
) -> None:
    for path in ("people/jo.md", "zq.md"):
        (root / path).write_text("---\nprivate: true\n---\n# Jo\n")
    config = load_config(str(root), {"HOME": str(root)})
    told: dict[tuple[str, bool], str] = {}
    with closing(
        refresh(Settings(str(root), str(tmp_path / "own"), vectors=False), now=1_900_000_000.0)[0]
    ) as index:
        for name in (there, none):
            for person in (True, False):
                with pytest.raises(NoteNotFoundError) as error:
                    lookup.resolve(
                        index.db, config, name, private=False, today=TODAY, person=person
                    )
                told[name, person] = f"{error.value.message} {error.value.hint}".replace(
                    name, "NAME"
                )
    assert told[there, False] == told[none, False] == told[none, True]
    assert "--private shows it" in told[there, True], "the person is helped"


def test_a_note_that_could_not_be_read_is_not_said_to_be_none(index: Index, root: Path) -> None:
    (root / "late.md").write_text("x\n")
    for name in ("late", "late.md"):
        with pytest.raises(NoteNotFoundError) as error:
            resolve(index.db, str(root), name, private=False, today=TODAY)
        assert (
            error.value.hint
            == "late.md is there, and could not be read: `aurelius status` says why"
        )


def test_to_an_agent_a_private_day_is_one_that_nobody_wrote_yet(root: Path, tmp_path: Path) -> None:
    (root / "memory").mkdir()
    (root / "memory/2026-02-03.md").write_text("---\nprivate: true\n---\nx\n")
    config = load_config(str(root), {"HOME": str(root)})
    with closing(
        refresh(Settings(str(root), str(tmp_path / "own"), vectors=False), now=1_900_000_000.0)[0]
    ) as index:
        assert (
            lookup.unwritten_daily_note(str(root), "2026-02-03", config, None, index.db)
            == "memory/2026-02-03.md"
        )
        assert lookup.unwritten_daily_note(str(root), "2026-02-03", config) == ""


def test_a_day_has_the_note_of_the_daily_folder_else_another_and_never_a_private_one(
    tmp_path: Path,
) -> None:
    def found(*notes: str, private: str = "") -> str:
        for path in (*notes, private):
            if path:
                (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / path).write_text(
                    "---\nprivate: true\n---\n" if path == private else "x\n"
                )
        index, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=1_900_000_000.0)
        with contextlib.closing(index):
            return daily_note(
                index.db, load_config(str(tmp_path), {"HOME": str(tmp_path)}), "2026-02-10"
            )

    assert found(private="a/2026-02-10.md") == "memory/2026-02-10.md"
    assert found("j/2026-02-10.md") == "j/2026-02-10.md"
    assert found("memory/2026-02-10.md") == "memory/2026-02-10.md"


def test_a_day_is_found_by_its_date_whatever_its_note_is_called(
    aurelius: Callable[..., Any], tmp_path: Path
) -> None:
    """A note whose name says more than the date is that day's; no second one is begun beside it."""
    root = tmp_path / "v"
    (root / ".aurelius").mkdir(parents=True)
    (root / "Daily").mkdir()
    (root / ".aurelius" / "config.toml").write_text(
        '[daily]\nfolder = "Daily"\nformat = "YYYY-MM-DD dddd"\n', "utf-8"
    )
    (root / "Daily" / "2026-02-09 a Monday.md").write_text("- tea\n", "utf-8")
    assert aurelius("get", "2026-02-09", cwd=root).out == "- tea\n"
    assert (
        aurelius("today", "--path", "--now", "2026-02-09", cwd=root).out
        == "Daily/2026-02-09 a Monday.md\n"
    )
    assert (
        aurelius("get", "2026-02-10", cwd=root).err
        == "aurelius: Daily/2026-02-10 Tuesday.md is not written yet\n"
    )
    assert aurelius("note", "green", cwd=root).out == "made Daily/2026-02-10 Tuesday.md\n"
    assert aurelius("get", "2026-02-10", cwd=root).out.endswith("- green\n")


FILES = (
    "a.md",
    "b.md",
    "drafts/x.md",
    "drafts/keep.md",
    "in/a.md",
    "in/deep/b.md",
    "in/deep/c.md",
    "odd name.md",
)


@pytest.fixture
def ruled(tmp_path: Path) -> Path:
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n")
    return tmp_path


def test_the_last_line_of_the_deepest_file_decides_and_is_named(ruled: Path) -> None:
    (ruled / ".gitignore").write_text("# mine\n\n*.md\n!a.md\nodd*\r\n")
    (ruled / "in" / ".gitignore").write_text("!*.md\nb.md\n")
    (ruled / "in" / ".aureliusignore").write_text("deep/\n")
    told = {path: deciding_rule(str(ruled), ("/a.md",), path) for path in FILES}
    assert told == {
        "a.md": "[index] exclude",
        "b.md": ".gitignore:3",
        "drafts/x.md": ".gitignore:3",
        "drafts/keep.md": ".gitignore:3",
        "in/a.md": "",
        "in/deep/b.md": "in/.aureliusignore:1",
        "in/deep/c.md": "in/.aureliusignore:1",
        "odd name.md": ".gitignore:5",
    }
    seen = walk(str(ruled), IgnoreRules(str(ruled), ("/a.md",), {})).found
    assert {path for path, rule in told.items() if not rule} == set(seen)


def test_nobody_learns_what_is_in_a_folder_that_is_left_out(ruled: Path) -> None:
    (ruled / ".aureliusignore").write_text("drafts/\nb.md\nnone.md\n")
    told = {
        path: deciding_rule(str(ruled), (), path)
        for path in ("drafts/x.md", "drafts/none.md", "b.md", "none.md")
    }
    assert told == {
        "drafts/x.md": ".aureliusignore:1",
        "drafts/none.md": ".aureliusignore:1",
        "b.md": ".aureliusignore:2",
        "none.md": "",
    }


def test_rules_that_cannot_be_read_say_so_and_what_is_not_there_is_not_asked(ruled: Path) -> None:
    (ruled / ".gitignore").write_bytes(b"a\0b")
    assert deciding_rule(str(ruled), (), "a.md") == ".gitignore is not text; save it as UTF-8"
    assert deciding_rule(str(ruled), (), "none.md") == ""
