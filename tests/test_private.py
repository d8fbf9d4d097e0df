"""What makes a note private: every spelling of `private: true` at its top, and nothing that only mentions the word;
and what a private note changes in an answer that leaves it out: nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.reading.blocks import decode
from indexer.reading.front_matter import is_top_private, says_private
from indexer.reading.parse import parse

Aurelius = Callable[..., Any]

ROOT = Path(__file__).resolve().parents[1]
LONG = "".join(f"key{number}: {'x' * 60}\n" for number in range(1200))
DEEP = "deep: " + "[" * 30 + "]" * 30 + "\n"

READ = [
    "private: true",
    "Private: True",
    "PRIVATE: TRUE",
    "private: yes",
    "private: on",
    "private: 1",
    "private: y",
    "private: 'true'",
    '"private": true',
    "'private': \"yes\"",
    "private:   true",
    "private: maybe",
    "private:\n  true",
    "private: [true]",
    "private: {a: b}",
    "private: !!bool true",
    "private: !!str true",
    "!!str private: true",
    "? private\n: true",
    "{private: true}",
    '{"private": true, "title": "x"}',
    "{title: x, private: yes}",
    "private: true # or not",
    "private: 2030-01-01",
    "private: |\n  true",
    "private: >-\n  yes",
    "Private : true",
    "private: true\nprivate: false",
    "private: false\nprivate: true",
    "{private: true, private: false}",
    '"priv\\u0061te": true',
    "ｐｒｉｖａｔｅ: true",
    "\u200bprivate: true",
    "private?: true",
    '"private ": true',
]
UNREAD = [
    "\tprivate: true",
    "title: x\n\tprivate: true",
    " title: x\nprivate: true",
    "title: a: b\nprivate: true",
    "private:true",
    "private：true",
    "private = true",
    "title: [\nprivate: true",
    "- private: true\n- title: x: y",
    "private: true\n  bad: a: b",
    "a: *b\nprivate: true",
    "a: &b 1\nc: *b\nprivate: yes",
    "<<: x\nPrivate: on",
    LONG + "private: true",
    "private: true\n" + LONG,
    LONG + "\tprivate: true",
    DEEP + "private: true",
    DEEP + "? private\n: true",
    "a: !!python/x y\nprivate: true",
    "private: !secret true",
    "private: !secret\n  true",
    "private: @true",
    "private: `true`",
    "{title: x, private: true",
    "x: y: z\n{ private: true }",
    "private",
    "a: [\n\"private\" : 'yes',",
    "a: b: c\nprivate:\n  true",
    "a: b: c\n  * private: true",
    "  private: true\n a: b",
    "a: 2026-02-30\nprivate: true",
    "a: \x01\nprivate: true",
    "%YAML 1.2\nprivate: true",
    "private: true\x85title: x: y",
]
WHOLE = {
    "CR alone": b"---\rprivate: true\r---\rtext",
    "CR LF": b"---\r\nprivate: true\r\n---\r\ntext",
    "BOM": b"\xef\xbb\xbf---\nprivate: true\n---\n",
    "two BOMs": b"\xef\xbb\xbf\xef\xbb\xbf---\nprivate: true\n---\n",
    "UTF-16": "---\nprivate: true\n---\n".encode("utf-16"),
    "UTF-16, other order": b"\xfe\xff" + "---\nprivate: true\n---\n".encode("utf-16-be"),
    "not UTF-8": b"---\ntitle: caf\xe9\nprivate: true\n---\n",
    "NUL": b"---\nprivate:\x00true\n---\n",
    "not closed": b"---\nprivate: true\n\ntext",
    "not closed, a tab": b"---\n\tprivate: true\ntext\n",
    "not closed, a remark first": b"---\n# mine\nprivate: true\n\ntext",
    "not closed, an empty line first": b"---\n\nprivate: true\n\ntext",
    "closed by dots": b"---\nprivate: true\n...\ntext",
    "an empty line before": b"\n---\nprivate: true\n---\n",
    "a space before": b" ---\nprivate: true\n---\n",
    "two dashes": b"--\nprivate: true\n--\n",
    "a long dash": "—\nprivate: true\n—\n".encode(),
    "four dashes": b"----\nprivate: true\n----\n",
    "a name after the dashes": b"--- yaml\nprivate: true\n---\n",
    "one line": b"--- private: true ---\ntext",
    "TOML": b"+++\nprivate = true\n+++\n",
    "JSON": b'{"private": true}\n\ntext',
    "JSON of many lines": b'{\n  "title": "x",\n  "private": true\n}\n',
    "a second one": b"---\na: b\n---\n---\nprivate: true\n---\n",
    "an empty one before": b"---\n---\nprivate: true\n\ntext",
    "bold": b"# T\n\n**Private:** true\n",
    "Logseq": b"private:: true\n\n- text",
    "Logseq, a bullet": b"- private:: true\n- text",
    "shown and hidden": b"---\nprivate: false\n---\nprivate:: true\n",
    "cut in the middle": b"---\n" + b"key: x\n" * 400_000 + b"private: true\n---\n",
}


@pytest.mark.parametrize("spelling", READ + UNREAD)
def test_a_note_whose_front_matter_says_private_is_private(spelling: str) -> None:
    for text in (f"---\n{spelling}\n---\ntext\n", f"---\ntitle: x\n{spelling}\n---\ntext\n"):
        if spelling[0] in "{%-" and "title" in text[:12]:
            continue  # a whole mapping, which nothing stands before
        assert is_top_private(decode(text.encode()).lines), text[:300]
        assert parse("a.md", text.encode()).private


@pytest.mark.parametrize("name", WHOLE)
def test_a_note_that_says_private_in_another_form_is_private(name: str) -> None:
    assert is_top_private(decode(WHOLE[name]).lines)
    assert parse("a.md", WHOLE[name]).private


@pytest.mark.parametrize(
    "spelling",
    [
        "private: false",
        "private: no",
        "private: off",
        "private: 0",
        "private:",
        "private: null",
        "private: 'false'",
        "private: ''",
        "private: false # no",
        "title: private",
        "title: 'Private: a memoir'",
        "privateer: true",
        "my private: true",
        "private-notes: true",
        "tags: [private]",
        "tags:\n  - private",
        "visibility: private",
        "repository:\n  private: true",
        "text: |\n  private: true",
        "note: is private: no",
        "title: a: b\ntags: [private]",
        "title: Private: equity",
        "a: b: c\nprivate: false",
        "a: b: c\nprivate: 'no' # really",
        "a: b: c\nprivateer: true",
        "a: b: c\ntags:\n  - private",
        LONG + "private: no",
        DEEP + "title: my private: thoughts",
        "a: [\nprivate_key: x",
    ],
)
def test_a_note_that_only_mentions_the_word_is_not_private(spelling: str) -> None:
    assert not is_top_private(decode(f"---\n{spelling}\n---\ntext\n".encode()).lines)


@pytest.mark.parametrize(
    "text",
    [
        "private: true",
        "Private: a word\n\ntext",
        "# Private: mine\n\nprivate: true\n",
        "---\ntitle: x\n---\nprivate: true\n",
        "---\ntitle: x\n---\n\n```\n---\nprivate: true\n---\n```\n",
        "text\n\n---\n\nprivate: true\n",
        "- private: true\n- x\n",
        "```yaml\n---\nprivate: true\n---\n```\n",
        "* * *\n\nThe private: sector\n",
        "---\n\nA private matter.\n\nprivate: true\n",
    ],
)
def test_a_note_whose_text_speaks_of_private_is_not_private(text: str) -> None:
    assert not is_top_private(decode(text.encode()).lines)


def test_no_note_of_this_project_is_private_by_mistake() -> None:
    meant = ("/private/", "secret", "diary", "hidden")
    for path in ROOT.rglob("*.md"):
        if not {".venv", ".git", "node_modules"} & set(path.parts) and not any(
            each in f"/{path}" for each in meant
        ):
            lines = decode(path.read_bytes()).lines
            said = [
                line for line in lines[:40] if line.lower().lstrip("*- ").startswith("private:")
            ]
            assert not is_top_private(lines) or said, path


@pytest.mark.parametrize(
    "text",
    ["private " * 250_000, "{" * 1_000_000 + "private", "private:\n" * 200_000, "- " * 900_000],
)
def test_long_text_is_looked_through_once(text: str) -> None:
    assert is_top_private(decode(f"---\n{text}\nprivate: true\n---\n".encode()).lines)


@pytest.mark.parametrize(
    ("value", "private"),
    [(None, False), ("", False), ("~", False), (False, False), (0, False), ([], True), ("x", True)],
)
def test_a_value_in_doubt_says_private(value: object, private: bool) -> None:
    assert says_private(value) is private


# -- what a private note changes in an answer that leaves it out ------------------------------------------------

PRIVATE = "---\nprivate: true\n---\n"
PUBLIC = {
    "people/joe.md": "# Joe\n\n## Facts\n- Drinks green tea (2026-01-08, preference) ^abcde1\n",
    "animals.md": "# Animals\n\nThe kangaroo and the wallaby are marsupials of Australia.\n",
    "zoo.md": "# Zoo\n\nWe saw a small koala in the zoo, and a wombat.\n",
    "boat.md": "# Boat\n\nThe sails of the boat were mended in spring.\n",
    **{
        f"plain/{n}.md": f"# Plain {n}\n\nThe bill of month {n} was paid at the bank.\n"
        for n in range(9)
    },
}
QUESTIONS = [
    "quokka",
    "quokka --mode vector",
    "quokka --mode keyword",
    "kangaroo quokka --mode keyword",
    "quokka --in people",
    "quokka --status all",
]
OF_MORE = ["quokka diary", "where does the quokka live", "kangaroo quokka"]
"""Of such the order of the hits may move: how rare each word is, is counted in all notes."""


WHY = re.compile(r'nothing found.*|no note holds.*?:|no hit holds.*?:|"weak":\w+|"hint":.*')
"""What is said of an answer: whether something was found, and whether that is weak."""


def written(root: Path, notes: dict[str, str]) -> Path:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    (root / ".aurelius").mkdir(exist_ok=True)
    return root


def without_figures(told: Any) -> str:
    """An answer without its scores, which the counts of all notes move a little, and what every run has of its own."""
    text = re.sub(r'"(took_ms|generation|score|vault)":\s*[^,}]+', "", told.out + told.err)
    return re.sub(r"\b0\.\d+", "SCORE", re.sub(r"\S+\.db\b", "INDEX", text))


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("command", ["search", "recall"])
def test_no_answer_tells_which_words_a_private_note_holds(
    command: str, form: tuple[str, ...], aurelius: Aurelius, tmp_path: Path
) -> None:
    text = PRIVATE + "# {0}\n\nThe {0} of the diary. {0} again and the {0}.\n"
    with_it, without = text.format("quokka"), text.format("tractor")
    there = written(
        tmp_path / "one", {**PUBLIC, "mine/quokka.md": with_it, "mine/other.md": with_it}
    )
    gone = written(
        tmp_path / "two", {**PUBLIC, "mine/tractor.md": without, "mine/other.md": without}
    )
    odd = []
    for question in [*QUESTIONS, *OF_MORE]:
        if command == "recall" and "--mode" in question:
            continue
        argv = (command, *question.split(), *form)
        told, wanted = (without_figures(aurelius(*argv, cwd=root)) for root in (there, gone))
        if question in OF_MORE:
            told, wanted = (str(WHY.findall(each)) for each in (told, wanted))
        odd += [(question, told, wanted)] if told != wanted else []
    assert odd == []


def test_a_private_note_of_the_name_that_is_asked_for_takes_nothing_from_public_notes(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    names = {"a/sails plan.md": "# Sails plan\n\nMend them.\n"}
    more = {f"b/{n}/sails plan.md": PRIVATE + "# Sails plan\n\nSell it.\n" for n in range(6)}
    other = {f"b/{n}/other.md": PRIVATE + "# Other\n\nSell it.\n" for n in range(6)}
    there, gone = (
        written(tmp_path / "one", {**PUBLIC, **names, **more}),
        written(tmp_path / "two", {**PUBLIC, **names, **other}),
    )
    for question in ("sails plan", "what is the sails plan"):
        legs = []
        for root in (there, gone):
            hits = json.loads(aurelius("search", question, "--json", "--explain", cwd=root).out)[
                "hits"
            ]
            told = [(hit["path"], hit["explain"]["legs"]) for hit in hits]
            legs.append([(path, each.get("name"), each.get("exact")) for path, each in told])
        assert legs[0] == legs[1]


@pytest.mark.parametrize("private", [False, True])
def test_a_search_counts_the_notes_that_could_be_found(
    private: bool, aurelius: Aurelius, tmp_path: Path
) -> None:
    vault = written(tmp_path / "vault", {**PUBLIC, "mine.md": PRIVATE + "# Mine\n\nMy text.\n"})
    more = ["--private"] if private else []
    count = len(PUBLIC) + private
    assert (
        f"nothing found in {count} notes"
        in aurelius("search", "--mode", "keyword", "zzyzx", *more, cwd=vault).err
    )
    for command in ("search", "recall"):
        told = json.loads(aurelius(command, "tea", "--json", *more, cwd=vault).out)["index"]
        assert told["notes"] == count
        assert told["chunks"] == count


UPDATED = {
    "joe.md": "# Joe\n\n## Facts\n- Lives in Paris near the river (2026-01-02) ^k3v9qa\n",
    "mine.md": PRIVATE
    + "# Mine\n\n## Facts\n- Joe moved to Rome (2026-01-10, updates ^k3v9qa) ^prv777\n",
}
READ_ABOUT = [
    "search Paris river",
    "search lives Paris --as-of 2026-01-20",
    "recall where does Joe live near the river",
    "graph ^k3v9qa",
    "history ^k3v9qa",
    "history joe",
    "show joe",
    "list --type fact",
    "list --tier hot",
    "list --status superseded",
    "export --md",
    "status --tiers joe",
    "review",
    "doctor",
    "doctor --tidy --check",
]


def test_what_a_private_note_says_of_a_public_fact_counts_only_with_private(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    silent = {**UPDATED, "mine.md": UPDATED["mine.md"].replace("updates ^k3v9qa", "decision")}
    there, gone = written(tmp_path / "one", UPDATED), written(tmp_path / "two", silent)
    for question in READ_ABOUT:
        told, wanted = (
            without_figures(aurelius(*question.split(), cwd=root)) for root in (there, gone)
        )
        assert told.replace(str(there), str(gone)) == wanted, question
        assert "prv777" not in told, question
    assert "^k3v9qa" in aurelius("search", "Paris river", cwd=there).out
    assert (
        "k3v9qa"
        not in aurelius(
            "search", "Paris river", "--private", "--mode", "keyword", "--paths", cwd=there
        ).out
    )
    assert "prv777" in aurelius("history", "^k3v9qa", "--private", cwd=there).out


def test_tidy_and_summarize_write_nothing_of_a_private_fact_into_a_public_note(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    vault = written(tmp_path / "vault", UPDATED)
    aurelius("doctor", "--tidy", cwd=vault)
    assert (vault / "joe.md").read_text("utf-8") == UPDATED["joe.md"]
    aurelius("summarize", "joe", cwd=vault)
    assert (vault / "joe.md").read_text("utf-8").count("Paris") == 2, (
        "the summary has the fact that holds"
    )
    assert "prv777" not in (vault / "joe.md").read_text("utf-8")
    aurelius("doctor", "--tidy", "--private", cwd=vault)
    assert "superseded by ^prv777" in (vault / "joe.md").read_text("utf-8")


def test_a_fact_whose_own_line_says_that_a_private_one_replaced_it_is_past(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    own = "# Joe\n\n## History\n- ~~Lives in Paris near the river~~ (2026-01-02, superseded by ^prv777) ^k3v9qa\n"
    vault = written(tmp_path / "vault", {**UPDATED, "joe.md": own})
    assert "k3v9qa" not in aurelius("search", "Paris river", cwd=vault).out
    assert "superseded" in aurelius("graph", "^k3v9qa", cwd=vault).out
    assert "no fact has that id" not in aurelius("history", "^k3v9qa", cwd=vault).out


def test_a_copy_of_an_id_in_a_private_note_leaves_public_facts_replaced(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    newer = "# New\n\n## Facts\n- Joe lives in Oslo (2026-01-20, updates ^k3v9qa) ^n3wer1\n"
    copied = PRIVATE + "# Mine\n\n## Facts\n- Lives in Paris near the river (2026-01-02) ^k3v9qa\n"
    vault = written(tmp_path / "vault", {**UPDATED, "new.md": newer, "mine.md": copied})
    assert "k3v9qa" not in aurelius("search", "Paris river", "--mode", "keyword", cwd=vault).out
    assert "n3wer1" in aurelius("history", "^k3v9qa", cwd=vault).out


SECRETS = {
    "people/joe.md": "---\naliases: [Joseph]\n---\n# Joe Bloggs\n\nText.\n",
    "secretlog.md": PRIVATE + "# Secret log\n\nText.\n",
    "secretdir/zorbonly.md": PRIVATE + "# Zorb only\n\nText.\n",
    "people/zorblax-quimby.md": PRIVATE + "# Zorblax Quimby\n\nText.\n",
}


@pytest.mark.parametrize(
    "name",
    [
        "secret",
        "secretlog",
        "Secret log",
        "zorblx",
        "zorbonly",
        "Zorblax",
        "Zorblax Quimby",
        "zorblax-quimby",
    ],
)
def test_forget_takes_and_names_a_private_note_by_its_exact_path_alone(
    name: str, aurelius: Aurelius, tmp_path: Path
) -> None:
    vault = written(tmp_path / "vault", SECRETS)
    told = aurelius("forget", name, cwd=vault)
    assert told.code == 5
    assert not (vault / ".aureliusignore").exists()
    assert not re.search(
        r"zorbonly|quimby|secretlog", told.err.replace(name, "").replace(name + ".md", "")
    )
    listed = aurelius("list", "--private", "--paths", cwd=vault).out.split()
    assert sorted(listed) == sorted(SECRETS)


@pytest.mark.parametrize("name", ["people/joe.md", "people/joe", "joe", "Joe Bloggs", "Joseph"])
def test_forget_takes_the_whole_name_of_a_visible_note(
    name: str, aurelius: Aurelius, tmp_path: Path
) -> None:
    vault = written(tmp_path / "vault", SECRETS)
    assert aurelius("forget", name, cwd=vault).code == 0
    assert (vault / ".aureliusignore").read_text("utf-8") == "/people/joe.md\n"


@pytest.mark.parametrize("name", ["blo", "Joe B", "Bloggs"])
def test_forget_asks_where_only_a_part_of_a_name_is_given(
    name: str, aurelius: Aurelius, tmp_path: Path
) -> None:
    vault = written(tmp_path / "vault", SECRETS)
    told = aurelius("forget", name, cwd=vault)
    assert (told.code, "people/joe.md" in told.err) == (5, True)
    assert not (vault / ".aureliusignore").exists()


def test_a_private_note_is_forgotten_by_its_exact_path(aurelius: Aurelius, tmp_path: Path) -> None:
    vault = written(tmp_path / "vault", SECRETS)
    assert aurelius("forget", "secretlog.md", cwd=vault).code == 0
    assert "secretlog.md" not in aurelius("list", "--private", "--paths", cwd=vault).out
