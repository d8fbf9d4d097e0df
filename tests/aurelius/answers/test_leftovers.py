"""Of what is wrong as much is shown as can be read at once, and some of every kind.

What vaults that are gone left behind is found and removed, and nothing that anybody could miss.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.answers.doctor_links import _LINK_FIXES
from aurelius.answers.findings import (
    FINDING_HEADINGS,
    HABITS,
    MOST_FINDINGS,
    Finding,
    select,
)
from aurelius.answers.leftovers import (
    BROKEN,
    GONE,
    find_leftovers,
    remove_leftovers,
)
from aurelius.settings.config import load_config
from aurelius.show import json_text
from indexer.rows.lock import BUILD, hold
from tests.reading_sources import parsed, product

Aurelius = Callable[..., Any]
NOW = time.time()


@pytest.fixture
def there(aurelius: Aurelius, tmp_path: Path) -> Path:
    """A vault with an index, and one that was removed after it had one."""
    for name in ("kept", "gone"):
        (tmp_path / name / ".aurelius").mkdir(parents=True)
        (tmp_path / name / "a.md").write_text("# A\n")
        assert aurelius("index", cwd=tmp_path / name).code == 0
    shutil.rmtree(tmp_path / "gone")
    return tmp_path / "kept"


def found(root: Path, env: dict[str, str]) -> list[tuple[str, str]]:
    return [
        (each.kind, os.path.basename(each.path))
        for each in find_leftovers(load_config(str(root), env))
    ]


def kinds(root: Path, env: dict[str, str]) -> list[str]:
    return sorted(kind for kind, _ in found(root, env))


def aged(path: Path, days: float) -> None:
    for each in (*path.rglob("*"), path):
        os.utime(each, (NOW - days * 86_400, NOW - days * 86_400), follow_symlinks=False)


def only(folder: Path, begin: str) -> Path:
    (one,) = folder.glob(f"{begin}-*")
    return one


def test_the_index_of_a_vault_that_is_gone_is_named_and_removed(
    there: Path, aurelius: Aurelius, tmp_path: Path
) -> None:
    before = aurelius("doctor", cwd=there)
    assert before.code == 0
    assert "leftovers  1 index of a vault that no longer exists (" in before.out
    assert "`aurelius doctor --fix` removes it\n" in before.out
    gone = only(tmp_path / "index", "gone")
    done = aurelius("doctor", "--fix", cwd=there)
    assert (done.code, done.out.partition(" (")[0]) == (
        0,
        f"removed {gone}: index of a vault that no longer exists",
    )
    assert done.err.endswith(" freed\n")
    assert not gone.exists()
    assert aurelius("status", "--json", cwd=there).out.count('"generation":1,') == 1, (
        "the vault's own is as it was"
    )
    assert "leftovers" not in aurelius("doctor", cwd=there).out
    assert aurelius("doctor", "--fix", cwd=there).err == "aurelius: nothing to remove\n"


def test_json_says_what_was_removed(there: Path, aurelius: Aurelius, tmp_path: Path) -> None:
    told = json.loads(aurelius("doctor", "--fix", "--json", cwd=there).out)
    assert [each["what"] for each in told["removed"]] == [GONE]
    assert told["bytes"] == told["removed"][0]["bytes"] > 10_000
    assert told["kept"] == 0


def test_an_index_that_a_process_has_locked_stays(
    there: Path, env: dict[str, str], tmp_path: Path
) -> None:
    gone = only(tmp_path / "index", "gone")
    rows = find_leftovers(load_config(str(there), env))
    with hold(str(gone), BUILD, 0.0):
        assert remove_leftovers(rows) == ()
        assert len(os.listdir(gone)) > 2
    assert [each.kind for each in remove_leftovers(rows)] == [GONE]


def test_a_vault_that_came_back_keeps_its_index(
    there: Path, env: dict[str, str], tmp_path: Path
) -> None:
    rows = find_leftovers(load_config(str(there), env))
    (tmp_path / "gone").mkdir()
    assert remove_leftovers(rows) == ()
    assert only(tmp_path / "index", "gone").is_dir()
    assert found(there, env) == []


def test_files_of_others_are_never_touched(
    there: Path, env: dict[str, str], tmp_path: Path
) -> None:
    gone, index = only(tmp_path / "index", "gone"), tmp_path / "index"
    (gone / "diary.txt").write_text("mine")
    (index / "photos-0123456789abcdef").mkdir()
    (index / "photos-0123456789abcdef" / "a.jpg").write_text("mine")
    (index / "notes-01234567").mkdir()
    os.symlink(gone, index / "link-0123456789abcdef")
    aged(index, 400)
    assert found(there, env) == [(GONE, gone.name)]
    assert remove_leftovers(find_leftovers(load_config(str(there), env))) == ()
    assert os.listdir(gone) == ["diary.txt"]
    assert (index / "photos-0123456789abcdef" / "a.jpg").read_text() == "mine"


def test_indexes_of_other_vaults_stay_while_these_are_there(
    there: Path, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "gone").mkdir()
    aged(tmp_path / "index", 4000)
    assert found(there, env) == []


def test_damaged_indexes_that_were_set_aside_go_and_the_living_one_stays(
    there: Path, env: dict[str, str], tmp_path: Path
) -> None:
    kept = only(tmp_path / "index", "kept")
    before = sorted(os.listdir(kept))
    (kept / "corrupt-1900000000.db").write_bytes(b"x" * 100)
    assert kinds(there, env) == sorted([BROKEN, GONE])
    assert len(remove_leftovers(find_leftovers(load_config(str(there), env)))) == 2
    assert sorted(os.listdir(kept)) == before


def made(code: str, count: int, message: str = "it is wrong") -> list[Finding]:
    return [Finding(f"{code}/{number}.md", 1, code, message, "mend it") for number in range(count)]


def test_every_kind_is_shown_where_one_of_them_has_thousands() -> None:
    found = select([*made("broken-link", 5000), *made("conflict", 1), *made("nul", 3)])
    assert found.counts == {"nul": 3, "conflict": 1, "broken-link": 5000}
    assert [each.code for each in found.findings] == ["nul"] * 3 + ["conflict"] + [
        "broken-link"
    ] * (MOST_FINDINGS - 4)
    assert found.truncated == 5004 - MOST_FINDINGS


@pytest.mark.parametrize("long", [1, 200, 2_000, 20_000])
def test_the_answer_can_be_read_by_an_agent_whatever_the_findings_say(long: int) -> None:
    rows = [each for code in FINDING_HEADINGS for each in made(code, 100, "word " * (long // 5))]
    found = select(rows)
    assert len(json_text.record_json(found)) < 16_000
    assert found.truncated == len([each for each in rows if each.code not in HABITS]) - len(
        found.findings
    )


def test_one_finding_too_long_to_be_shown_does_not_hide_the_others() -> None:
    long, short = made("conflict", 1, "word " * 10_000), made("nul", 2)
    assert select([*long, *short]).findings == tuple(short)


def test_a_number_and_all_are_followed() -> None:
    rows = [*made("conflict", 50), *made("broken-link", 500, "word " * 1000)]
    assert len(select(rows, limit=100).findings) == 100
    assert (len(select(rows, limit=0).findings), select(rows, limit=0).truncated) == (550, 0)
    assert (len(select(rows, limit=1).findings), select(rows, limit=1).truncated) == (1, 549)


def test_only_the_kinds_that_are_asked_for_are_shown_and_counted() -> None:
    found = select([*made("conflict", 2), *made("nul", 1)], ["nul"])
    assert [each.code for each in found.findings] == ["nul"]
    assert (found.counts, found.truncated, found.faults) == ({"nul": 1}, 0, 1)
    assert not select(made("conflict", 2), ["nul"]).faults


def test_links_to_notes_not_written_yet_are_counted_listed_on_request_and_no_fault() -> None:
    rows = made("unwritten", 9)
    found = select(rows)
    assert (found.counts, found.findings, found.truncated, found.faults) == (
        {"unwritten": 9},
        (),
        0,
        False,
    )
    asked = select(rows, ["unwritten"])
    assert (len(asked.findings), asked.faults) == (9, False)
    assert select([*rows, *made("nul", 1)]).faults


def test_two_findings_that_are_equal_in_all_but_the_line_are_both_shown() -> None:
    rows = [each._replace(path="a.md", line=line) for line, each in enumerate(made("nul", 3))]
    assert select(rows).findings == tuple(rows)


def test_every_code_has_a_heading() -> None:
    codes = set(_LINK_FIXES)
    for path, text in product().items():
        if path.startswith(("aurelius/answers/doctor", "indexer/reading/")):
            for node in ast.walk(parsed(text)):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in PLACES
                ):
                    code = node.args[PLACES[node.func.id]]
                    codes |= (
                        {code.value}
                        if isinstance(code, ast.Constant) and isinstance(code.value, str)
                        else set()
                    )
    assert {"conflict", "duplicate-id", "log-link", "not-indexed"} < codes
    assert codes - FINDING_HEADINGS.keys() == set()


PLACES = {"Finding": 2, "Problem": 1}
"""Which argument of each is a code."""


def test_json_has_the_counts_and_what_is_not_shown() -> None:
    told = json.loads(
        json_text.record_json(select([*made("nul", 2), *made("unwritten", 1)], limit=1))
    )
    assert (told["counts"], len(told["findings"]), told["truncated"]) == (
        {"nul": 2, "unwritten": 1},
        1,
        1,
    )
