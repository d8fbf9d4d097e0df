"""`Büro` typed in one composition of its letters finds what is written in the other, and opens the file on disk."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]

FORMS = ("NFC", "NFD")
PLAN = """---
tags: [größe]
aliases: [Große Lösung]
ort: Zürich
höhe: 42
---
# Plän

Text #prüfen zum Thema quaggaword

## Straße Süd

- [ ] Tür öffnen
- See [[Žofie]]
"""


def other(form: str) -> str:
    return FORMS[1 - FORMS.index(form)]


def as_form(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]  # one of two


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """How what is on disk is composed."""
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path, form: str) -> Path:
    root = tmp_path / "vault"
    notes = {
        "Büro/plän.md": PLAN,
        "people/žofie.md": "# Žofie\n",
        "other.md": "[[Büro/plän#Straße Süd]]\n",
    }
    for path, text in notes.items():
        there = root / as_form(form, path)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(as_form(form, text), "utf-8")
    (root / ".aurelius").mkdir()
    return root


@pytest.mark.parametrize(
    "args",
    [
        ("--in", "Büro"),
        ("--in", "./Büro/"),
        ("--in", "Büro/plän"),
        ("--in", "Büro/plän.md"),
        ("--tag", "größe"),
        ("--tag", "#GRÖSSE"),
        ("--tag", "prüfen"),
        ("--where", "ort = Zürich"),
        ("--where", "ort ~ üri"),
        ("--where", "tags = größe"),
        ("--where", "höhe = 42"),
        ("--where", "path ~ Büro"),
        ("--where", "title = Plän"),
        ("--linked-by", "other"),
        ("--link-to", "Žofie"),
    ],
    ids=" ".join,
)
def test_a_filter_finds_a_note_however_either_is_composed(
    aurelius: Aurelius, root: Path, form: str, args: tuple[str, str]
) -> None:
    plan = as_form(form, "Büro/plän.md")
    for typed in FORMS:
        option, value = args
        asked = (option, as_form(typed, value), "--paths")
        assert plan in aurelius("list", *asked, cwd=root).out.split("\n")
        assert plan in aurelius("search", "quaggaword", *asked, cwd=root).out.split("\n")
        if option != "--linked-by":
            assert "Tür" in as_form("NFC", aurelius("tasks", *asked[:2], cwd=root).out)
    assert (root / plan).is_file()


@pytest.mark.parametrize(
    "name", ["Büro/plän", "Büro/plän.md", "plän", "Große Lösung", "grosse lösung"]
)
def test_a_name_finds_its_note_however_either_is_composed(
    aurelius: Aurelius, root: Path, form: str, name: str
) -> None:
    for command in ("show", "get", "links"):
        done = aurelius(command, as_form(other(form), name), cwd=root)
        assert done.code == 0, done.err


TALK = "# Talk\n\n- **Žofie:** I drive to Brno\n- **Jörg:** I drive to Brno\n"


@pytest.mark.parametrize(
    "args",
    [
        ("search", "where does Žofie drive?"),
        ("search", '"große Lösung"'),
        ("search", "Brno -Jörg"),
        ("search", "--mode", "keyword", "Žofie"),
        ("search", "open tasks about the Tür"),
        ("recall", "what do I know about Žofie"),
        ("show", "--no-use", "Žofie"),
        ("links", "plän"),
        ("list", "--kind", "person", "--where", "title = Žofie"),
        ("list", "--where", "höhe"),
        ("list", "--tag", "größe", "--in", "Büro", "--linked-by", "other"),
    ],
    ids=" ".join,
)
def test_an_answer_is_the_same_however_the_question_is_composed(
    aurelius: Aurelius, root: Path, form: str, args: tuple[str, ...]
) -> None:
    (root / "talk.md").write_text(as_form(form, TALK), "utf-8")
    aurelius("index", cwd=root)
    told = [aurelius(*(as_form(each, arg) for arg in args), cwd=root) for each in FORMS]
    one, two = (as_form("NFC", each.out + each.err) for each in told)
    assert one == two
    assert not any(each.code for each in told)


def test_a_heading_is_found_however_either_is_composed(
    aurelius: Aurelius, root: Path, form: str
) -> None:
    done = aurelius("get", as_form(other(form), "Büro/plän#Straße Süd"), cwd=root)
    assert done.code == 0, done.err
    (root / "new.md").write_text(as_form(other(form), "[[Büro/plän#Straße Süd]]\n"), "utf-8")
    assert "new.md" not in aurelius("doctor", cwd=root).out
    assert "new.md" in aurelius("links", as_form(other(form), "plän"), cwd=root).out


def test_one_tag_in_two_compositions_is_one(aurelius: Aurelius, root: Path, form: str) -> None:
    (root / "b.md").write_text(as_form(other(form), "#größe\n"), "utf-8")
    told = [line for line in aurelius("tags", cwd=root).out.split("\n") if "#gr" in line]
    assert len(told) == 1
    assert "2" in told[0]


@pytest.mark.parametrize(
    ("rules", "hidden"),
    [
        ("/Büro/", True),
        ("Büro", True),
        ("B?ro/", True),
        ("B[ü]ro/", True),
        ("/Bü*/", True),
        ("*üro", True),
        ("Büro/plän.md", True),
        ("**/plän.md", True),
        ("*ä*.md", True),
        ("/*\n!/Büro/\n!/.aurelius*", False),
    ],
)
@pytest.mark.parametrize("kept", [".aureliusignore", ".gitignore", "index.exclude"])
def test_a_rule_leaves_a_note_out_however_either_is_composed(
    aurelius: Aurelius, root: Path, form: str, rules: str, hidden: bool, kept: str
) -> None:
    for typed in FORMS:
        text = as_form(typed, rules)
        if kept == "index.exclude":
            assert aurelius("config", "set", kept, *text.split("\n"), cwd=root).code == 0
        else:
            (root / kept).write_text(text + "\n", "utf-8")
        told = aurelius("search", "--mode", "keyword", "quaggaword", "--paths", cwd=root)
        assert ("pl" in told.out) is not hidden
    (root / ".gitignore").unlink(missing_ok=True)


def test_a_pattern_that_names_the_bare_letter_hides_as_it_does_for_git(
    aurelius: Aurelius, root: Path
) -> None:
    """`Bu*` matches the decomposed name alone: what git leaves out stays out."""
    (root / ".aureliusignore").write_text("Bu*\n", "utf-8")
    told = aurelius("search", "--mode", "keyword", "quaggaword", "--paths", cwd=root)
    decomposed = "Bu\u0308ro" in os.listdir(root)
    assert ("pl" in told.out) is not decomposed


@pytest.mark.parametrize("name", ["plän", "Büro/plän.md"])
def test_a_note_moves_into_the_folder_that_is_there(
    aurelius: Aurelius, root: Path, form: str, name: str
) -> None:
    done = aurelius("move", as_form(other(form), "žofie"), as_form(other(form), "Büro/"), cwd=root)
    assert done.code == 0, done.err
    assert sorted(each.name for each in root.iterdir() if each.name.startswith("B")) == [
        as_form(form, "Büro")
    ]
    moved = as_form(form, "Büro/žofie.md")
    assert (root / moved).is_file()
    done = aurelius("archive", as_form(other(form), name), cwd=root)
    assert done.code == 0, done.err
    assert not (root / as_form(form, "Büro/plän.md")).exists()


def test_a_private_note_stays_private_however_its_name_is_composed(
    aurelius: Aurelius, root: Path, form: str
) -> None:
    secret = root / as_form(form, "Büro/plän.md")
    secret.write_text(as_form(form, PLAN.replace("ort:", "private: true\nort:")), "utf-8")
    for name in ("plän", "Büro/plän.md", "Große Lösung"):
        told = aurelius("tool", "get", as_form(other(form), name), cwd=root)
        assert "quaggaword" not in told.out
    for path in ("Büro/plän", "Büro/plän.md"):
        told = aurelius("show", as_form(other(form), path), cwd=root)
        assert "it is private: --private shows it" in told.err
    assert (
        aurelius("forget", as_form(other(form), "Büro/plän.md"), "--force", cwd=root).out.count(
            "quagga"
        )
        == 0
    )


def test_a_template_and_a_new_note_are_found_however_they_are_composed(
    aurelius: Aurelius, root: Path, form: str
) -> None:
    done = aurelius("new", "person", as_form(other(form), "Žofie"), cwd=root)
    assert sorted(os.listdir(root / "people")) == [as_form(form, "žofie.md")], done.err


def test_settings_that_name_a_folder_lead_to_the_one_that_is_there(
    aurelius: Aurelius, root: Path, form: str
) -> None:
    typed = other(form)
    (root / as_form(form, "Vorlagen für")).mkdir()
    (root / as_form(form, "Vorlagen für") / "person.md").write_text(
        "# {{title}}\n\nfrom the template\n"
    )
    (root / as_form(form, "Tägebuch")).mkdir()
    for key, value in (("templates.folder", "Vorlagen für"), ("daily.folder", "Tägebuch")):
        assert aurelius("config", "set", key, as_form(typed, value), cwd=root).code == 0
    assert aurelius("new", "person", "Ann Lee", cwd=root).code == 0
    assert "from the template" in (root / "people" / "ann-lee.md").read_text()
    assert aurelius("note", "Tea is bought", cwd=root).code == 0
    assert (root / as_form(form, "Tägebuch") / "2026-02-10.md").is_file()
