"""tidy: copied ids parted, what was updated struck, ids for all; no word changes, and then nothing is left to do."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.api import check_boxes
from aurelius.vault import Vault
from indexer.errors import ConflictError

Aurelius = Callable[..., Any]

NOTES = {
    "people/ann.md": "# Ann\n\n## Facts\n- Lives in Rome ^home01\n- Paints ^home01\n- Sings ^my-own-name\n",
    "people/bob.md": "# Bob\n\n## Facts\n- Lives in Bonn ^home01\n- Sings ^my-own-name\n"
    "- Likes tea (2025-01-01) ^tea001\n",
    "memory/2026-02-01.md": "- Bob likes rum now (updates ^tea001)\n- Bob likes rum (2026-01-31, updates ^tea001)\n",
    "latin.md": "## Facts\n- caf\u00e9\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    there = tmp_path / "vault"
    (there / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_bytes(text.encode("latin-1" if path == "latin.md" else "utf-8"))
    return there


def found(done: Any) -> list[tuple[str, int, str]]:
    return [(each["path"], each["line"], each["code"]) for each in json.loads(done.out)["found"]]


def test_what_is_not_in_order_is_found_and_put_right_once(aurelius: Aurelius, root: Path) -> None:
    check = aurelius("doctor", "--tidy", "--check", "--json", cwd=root)
    assert check.code == 1
    assert found(check) == [
        ("memory/2026-02-01.md", 2, "no-id"),
        ("people/ann.md", 5, "duplicate-id"),
        ("people/bob.md", 4, "duplicate-id"),
        ("people/bob.md", 6, "updated"),
    ]
    assert found(aurelius("doctor", "--tidy", "--json", cwd=root)) == found(check)
    ann, bob = (root / "people" / name for name in ("ann.md", "bob.md"))
    lines = ann.read_text().splitlines()
    assert lines[3:4] + lines[5:] == ["- Lives in Rome ^home01", "- Sings ^my-own-name"]
    assert lines[4].startswith("- Paints ^")
    day = (root / "memory" / "2026-02-01.md").read_text().splitlines()
    assert day[0] == "- Bob likes rum now (updates ^tea001)", "without a date it is no tail"
    new = day[1].rpartition("^")[2]
    assert (
        f"## History\n- ~~Likes tea~~ (2025-01-01 → 2026-01-31, superseded by ^{new}) ^tea001\n"
        in bob.read_text()
    )
    again = aurelius("doctor", "--tidy", "--check", cwd=root)
    assert (again.code, again.out) == (0, "")


COPIED = "- Lives in Oslo (2026-01-01) ^k3v9qa\n"


@pytest.mark.parametrize(
    "original",
    [
        f"# Joe\n\n## Facts\n{COPIED}\n## History\n- ~~In Rome~~ (2025-02-03 → 2026-01-01, superseded by ^k3v9qa)\n",
        "# Joe\n\n## Facts\n- Lives in Oslo (2025-03-04) ^k3v9qa\n",
    ],
    ids=["its note says what it replaced", "it is earlier"],
)
def test_the_copy_of_a_line_gets_the_new_id_wherever_it_stands(
    aurelius: Aurelius, root: Path, original: str
) -> None:
    (root / "people/joe.md").write_text(original)
    (root / "areas").mkdir()
    (root / "areas/health.md").write_text(f"# Health\n\n## Facts\n{COPIED}")
    told = [
        each
        for each in json.loads(aurelius("doctor", "--tidy", "--json", cwd=root).out)["found"]
        if "k3v9qa" in str(each)
    ]
    assert [(each["path"], each["line"]) for each in told] == [("areas/health.md", 4)]
    assert "the id ^k3v9qa is already used in people/joe.md" in told[0]["message"]
    assert (root / "people/joe.md").read_text() == original


def test_tidy_does_not_name_the_private_note_that_has_an_id(aurelius: Aurelius, root: Path) -> None:
    (root / "areas").mkdir()
    (root / "areas/secret.md").write_text(
        "---\nprivate: true\n---\n## Facts\n- Likes tea (2024-01-01) ^tea001\n"
    )
    done = aurelius("doctor", "--tidy", "--check", cwd=root)
    assert "the id ^tea001 is already used in a private note" in done.out
    assert "secret" not in done.out + done.err


def test_every_fact_can_have_an_id(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("doctor", "--tidy", "--stamp", cwd=root)
    assert "latin.md not changed: latin.md: not written: the note is not UTF-8 text" in done.err
    facts = json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
    bare = [each["path"] for each in facts if each["id"].startswith("h") and len(each["id"]) == 12]
    assert bare == ["latin.md"]
    assert len({each["id"] for each in facts}) == len(facts) - 1, (
        "only the anchor of one's own is there twice"
    )
    assert aurelius("undo", cwd=root).code == 0
    assert (root / "people" / "ann.md").read_text() == NOTES["people/ann.md"]


def test_one_note_can_be_tidied_alone(aurelius: Aurelius, root: Path) -> None:
    assert found(aurelius("doctor", "--tidy", "ann", "--json", cwd=root)) == [
        ("people/ann.md", 5, "duplicate-id")
    ]
    assert (root / "people" / "bob.md").read_text() == NOTES["people/bob.md"]


def test_a_circle_is_told_and_left_as_it_is(aurelius: Aurelius, root: Path) -> None:
    """Two facts that update each other would both be past, and nothing would be so now."""
    text = "# Cid\n\n## Facts\n- One (2026-01-01, updates ^two002) ^one001\n- Two (2026-01-02, updates ^one001) ^two002\n"
    (root / "people" / "cid.md").write_text(text)
    done = aurelius("doctor", "--tidy", "cid", cwd=root)
    assert done.code == 0
    assert "people/cid.md:4 not changed: these facts supersede each other in a circle" in done.err
    assert (root / "people" / "cid.md").read_text() == text


def test_who_the_person_is_keeps_no_other_note_from_being_put_in_order(
    aurelius: Aurelius, root: Path
) -> None:
    me = "# Me\n\n## Preferences\n- Short answers\n"
    (root / "ME.md").write_text(me)
    done = aurelius("doctor", "--tidy", "--stamp", "--json", cwd=root)
    assert done.code == 0
    assert "ME.md not changed: ME.md: not written" in done.err
    assert "ME.md" not in {path for path, _, _ in found(done)}
    assert "people/bob.md" in {path for path, _, _ in found(done)}
    assert (root / "ME.md").read_text() == me
    assert aurelius("doctor", "--tidy", "--stamp", "--force", cwd=root).code == 0
    assert (root / "ME.md").read_text().startswith("# Me\n\n## Preferences\n- Short answers ^")


class TestTasksDone:
    """`tasks done` on 2026-02-10."""

    @pytest.mark.parametrize(
        ("line", "checked"),
        [
            ("- [ ] sow peas", "- [x] sow peas"),
            ("  12) [ ] sow peas  ", "  12) [x] sow peas  "),
            ("> * [/] sow [[peas]] ^p1", "> * [x] sow [[peas]] ^p1"),
            ("\t- TODO sow peas", "\t- DONE sow peas"),
            ("- IN-PROGRESS [#A] sow peas", "- DONE [#A] sow peas"),
            ("- [ ] sow peas 📅 2026-03-01 ^p1", "- [x] sow peas 📅 2026-03-01 ✅ 2026-02-10 ^p1"),
            ("- [ ] sow peas ⏫", "- [x] sow peas ⏫ ✅ 2026-02-10"),
            (
                "- [ ] sow [due:: 2026-03-01]",
                "- [x] sow [due:: 2026-03-01] [completion:: 2026-02-10]",
            ),
            ("- [ ] sow (due 2026-03-01)", "- [x] sow (due 2026-03-01)"),
            ("- LATER sow peas 📅 2026-03-01", "- DONE sow peas 📅 2026-03-01"),
        ],
    )
    @pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
    def test_one_box_is_checked_and_no_other_byte_changes(
        self, line: str, checked: str, end: bytes, aurelius: Aurelius, tmp_path: Path
    ) -> None:
        (tmp_path / ".aurelius").mkdir()
        eol = end or b"\n"
        head = b"\xef\xbb\xbf# Garden" + eol + b"- [ ] other" + eol + b"1. first" + eol
        tail = (end + b"- TODO more" + eol + b"\ttext") if end else b""
        (tmp_path / "garden.md").write_bytes(head + line.encode() + tail)
        done = aurelius("tasks", "done", "garden:4", cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert (tmp_path / "garden.md").read_bytes() == head + checked.encode() + tail
        assert aurelius("undo", cwd=tmp_path).code == 0
        assert (tmp_path / "garden.md").read_bytes() == head + line.encode() + tail

    @pytest.fixture
    def there(self, tmp_path: Path) -> Path:
        (tmp_path / ".aurelius").mkdir()
        (tmp_path / "garden.md").write_text(
            "# Garden\n- [ ] sow\n- [x] dig\n- [-] fly\ntext\n\n- [ ] water 🔁 every day\n```\n- [ ] code\n```\n",
            "utf-8",
        )
        (tmp_path / "ME.md").write_text("- [ ] sleep\n", "utf-8")
        (tmp_path / "diary.md").write_text("---\nprivate: true\n---\n- [ ] canary\n", "utf-8")
        return tmp_path

    @pytest.mark.parametrize(
        ("words", "code", "told"),
        [
            ("garden:3", 2, "garden.md:3 is already done: dig"),
            ("garden:4", 2, "garden.md:4 is already canceled: fly"),
            ("garden:5", 2, "garden.md:5 is not a task: text"),
            ("garden:6", 2, "garden.md:6 is not a task: "),
            ("garden:9", 2, "garden.md:9 is not a task: - [ ] code"),
            ("garden:5", 2, "`aurelius tasks --open` shows"),
            ("garden:2 garden:3", 2, "garden.md:3 is already done"),
            ("garden", 2, "garden is not one line"),
            ("garden:2:2", 2, "garden:2:2 is not one line"),
            ("garden:99", 5, "garden.md has no line 99"),
            ("nosuch:1", 5, "no note is called 'nosuch'"),
            ("diary:4", 5, "no note is called 'diary'"),
            ("yesterday:1", 2, "yesterday:1 is not one line"),
            ("ME:1", 2, "ME.md: not written, because it says who you are"),
            ("", 2, "missing argument: PATH:LINE"),
            ("garden:2 --open", 2, "--open cannot go with done"),
            ("garden:2 --offset 3", 2, "--offset cannot go with done"),
        ],
    )
    def test_what_is_no_open_task_is_refused_in_one_sentence(
        self, words: str, code: int, told: str, aurelius: Aurelius, there: Path
    ) -> None:
        before = {path.name: path.read_bytes() for path in there.glob("*.md")}
        done = aurelius("tasks", "done", *words.split(), cwd=there)
        assert (done.code, done.out) == (code, "")
        assert told in done.err
        assert {path.name: path.read_bytes() for path in there.glob("*.md")} == before

    def test_a_task_of_any_length_can_be_checked(self, aurelius: Aurelius, there: Path) -> None:
        for words in range(100, 125):
            text = (
                f"- [ ] a{' word' * words}\n  **Steps:**\n  1. first{' word' * 30}\n  2. second\n"
            )
            (there / f"n{words}.md").write_text(text, "utf-8")
        done = aurelius("tasks", "done", *(f"n{words}:1" for words in range(100, 125)), cwd=there)
        assert (done.code, done.err) == (0, "")

    def test_several_are_one_change_and_one_that_repeats_is_told(
        self, aurelius: Aurelius, there: Path
    ) -> None:
        before = (there / "garden.md").read_text("utf-8")
        done = aurelius("tasks", "done", "garden:2", "garden:7", "garden:2", cwd=there)
        assert done.out.splitlines() == [
            "garden.md:2  [x] sow",
            "garden.md:7  [x] water 🔁 every day ✅ 2026-02-10",
            "changed garden.md",
        ]
        assert (
            "garden.md:7 is a task that repeats: it is done, and the next one was not written"
            in done.err
        )
        assert (
            aurelius("tasks", "done", "diary:4", "--private", "--dry-run", cwd=there).out.count(
                "+- [x] canary"
            )
            == 1
        )
        aurelius("undo", cwd=there)
        assert (there / "garden.md").read_text("utf-8") == before


@pytest.mark.parametrize(
    ("notes", "kept"),
    [
        (
            {
                "people/a.md": "# A\n\n## Facts\n- Sings (2026-01-01) ^abc123\n",
                "people/b.md": "# B\n\n## Facts\n- Sings (2026-01-02) ^abc123\n",
                "l.md": "see [[b#^abc123]]\n",
            },
            ("people/b.md", 4),
        ),
        (
            {
                "people/a.md": "# A\n\n## Facts\n- Sings (2026-01-05) ^abc123\n- Paints (2026-01-02) ^abc123\n"
                "- As [so](#^abc123) (2026-01-03)\n"
            },
            ("people/a.md", 4),
        ),
        (
            {
                "people/a.md": "# A\n\n## Facts\n- Sings (2026-01-05) ^abc123\n",
                "people/b.md": "# B\n\n## Facts\n- Sings (2026-01-02) ^abc123\n",
            },
            ("people/b.md", 4),
        ),
    ],
)
def test_the_line_that_links_lead_to_keeps_its_id(
    aurelius: Aurelius, tmp_path: Path, notes: dict[str, str], kept: tuple[str, int]
) -> None:
    (tmp_path / ".aurelius").mkdir()
    for path, text in notes.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert aurelius("doctor", "--tidy", cwd=tmp_path).code == 0
    lines = [
        (path, number)
        for path in notes
        for number, line in enumerate((tmp_path / path).read_text().splitlines(), 1)
        if line.endswith("^abc123")
    ]
    assert lines == [kept]


def test_two_lines_that_links_lead_to_both_keep_their_id_and_that_is_told(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(
            f"# {name}\n\n## Facts\n- Sings (2026-01-01) ^abc123\n- [[{name}#^abc123]]\n"
        )
    before = (tmp_path / "b.md").read_text()
    done = aurelius("doctor", "--tidy", cwd=tmp_path)
    assert "b.md:4 not changed: links lead to its id ^abc123" in done.out + done.err
    assert (tmp_path / "b.md").read_text() == before


def test_a_task_that_moved_since_it_was_seen_is_not_ticked(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    note = root / "garden.md"
    note.write_text("# Garden\n\n- [ ] Dig\n- [ ] Sow\n")
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    now = datetime.datetime(2026, 2, 1, 12)
    with Vault.find(str(root), env, str(root), now=now) as vault:
        for place, said in (("garden.md:3", "Sow"), ("garden.md:1", "Sow"), ("garden.md:4", "So")):
            with pytest.raises(ConflictError, match="another line by now"):
                check_boxes(vault, [place], said=[said])
        check_boxes(vault, ["garden.md:4"], said=["Sow"])
    assert note.read_text() == "# Garden\n\n- [ ] Dig\n- [x] Sow\n"
