"""`aurelius review`: what waits is shown, accepted or dismissed by its number, lines that are gone as well."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.memory import review

Aurelius = Callable[..., Any]
JOE = "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01) ^rome01\n"
DAY = "# 2026-02-09\n\n- [[people/joe]] moved to Bonn\n\n## Captured\n- Maybe buys a boat\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in {"people/joe.md": JOE, "memory/2026-02-09.md": DAY}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".aurelius").mkdir()
    return root


def keys(aurelius: Aurelius, root: Path, *argv: str) -> list[str]:
    """The keys of what is proposed, in order."""
    return [
        each["short"]
        for each in json.loads(aurelius("review", *argv, "--json", cwd=root).out)["matters"]
    ]


def test_what_waits_is_shown_and_counted_where_not_all_of_it_is(
    aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("review", cwd=root)
    assert (done.code, done.err) == (0, "")
    head, *pages = done.out.split("\n\n")
    assert head == "2 proposals: 1 fact in a daily note, 1 captured fact"
    assert [page.split("\n")[0] for page in pages] == ["people/joe.md", "memory/2026-02-09.md"]
    found = [page.split("\n")[1].split()[:2] for page in pages]
    asked = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert [short for _, short in found] == [each["short"] for each in asked]
    done = aurelius("review", "--limit", "1", cwd=root)
    assert done.err == "aurelius: 1 more: `aurelius review -n 100`, or --all\n"
    answer = json.loads(aurelius("review", "--limit", "1", "--json", cwd=root).out)
    assert (len(answer["matters"]), answer["total"]) == (1, 2)


def test_since_a_day_is_what_its_lines_and_later_ones_say(aurelius: Aurelius, root: Path) -> None:
    (root / "memory/2026-02-03.md").write_text("# 2026-02-03\n\n- [[people/joe]] has a boat\n")
    every = keys(aurelius, root)
    later = keys(aurelius, root, "--since", "2026-02-05")
    assert set(later) < set(every)
    assert "boat\n" not in aurelius("review", "--since", "2026-02-05", cwd=root).out
    done = aurelius("review", "accept", "--all", "--since", "2026-02-05", cwd=root)
    assert "has a boat" not in (root / "people/joe.md").read_text(), done
    assert [key for key in keys(aurelius, root) if key in set(every) - set(later)]


def test_nothing_that_waits_is_said(aurelius: Aurelius, root: Path) -> None:
    (root / "memory" / "2026-02-09.md").unlink()
    done = aurelius("review", cwd=root)
    assert (done.code, done.out, done.err) == (0, "", "aurelius: nothing to review\n")
    assert json.loads(aurelius("review", "--json", cwd=root).out)["total"] == 0


def test_a_number_without_a_verb_is_not_guessed(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("review", "list", "1", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "missing argument: what to do with proposal 1" in done.err


@pytest.mark.parametrize(
    "argv", [("accept",), ("dismiss",), ("accept", "9"), ("dismiss", "nothing")]
)
def test_what_is_not_there_is_neither_accepted_nor_dismissed(
    aurelius: Aurelius, root: Path, argv: tuple[str, ...]
) -> None:
    done = aurelius("review", *argv, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert (root / "people" / "joe.md").read_text() == JOE


def test_what_is_accepted_is_written_and_no_longer_waits(aurelius: Aurelius, root: Path) -> None:
    aurelius("review", cwd=root)
    shown = aurelius("review", "accept", "1", "--dry-run", cwd=root)
    assert "+- ~~Lives in Rome~~" in shown.out
    assert (root / "people" / "joe.md").read_text() == JOE
    done = aurelius("review", "accept", "1", cwd=root)
    assert 'replaced "Lives in Rome" with "Moved to Bonn" in people/joe.md\n' in done.out
    assert "~~Lives in Rome~~" in (root / "people" / "joe.md").read_text()
    assert json.loads(aurelius("review", "--json", cwd=root).out)["total"] == 1


def test_what_is_dismissed_changes_no_note_and_does_not_come_back(
    aurelius: Aurelius, root: Path
) -> None:
    aurelius("review", cwd=root)
    done = aurelius("review", "dismiss", "2", cwd=root)
    assert done.out == "dismissed: Maybe buys a boat\n"
    assert (root / "memory" / "2026-02-09.md").read_text() == DAY
    matters = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert [each["what"] for each in matters] == ["carry"]


def test_a_number_means_what_the_person_saw_whatever_was_decided_since(
    aurelius: Aurelius, root: Path
) -> None:
    aurelius("review", cwd=root)
    assert aurelius("review", "accept", "1", cwd=root).code == 0
    aurelius(
        "review", "--json", cwd=root
    )  # what a program asks does not number a person's list anew
    done = aurelius("review", "dismiss", "2", cwd=root)
    assert (done.code, done.out) == (0, "dismissed: Maybe buys a boat\n")
    again = aurelius("review", "accept", "1", cwd=root)
    assert (again.code, again.out) == (2, "")
    assert "proposal 1 of the list as it was last shown is no longer there" in again.err


def test_a_number_outlives_an_empty_list(aurelius: Aurelius, root: Path) -> None:
    aurelius("review", cwd=root)
    assert aurelius("review", "dismissed", cwd=root).err == "aurelius: nothing was dismissed\n"
    assert aurelius("review", "accept", "1", cwd=root).code == 0


def test_a_number_does_not_move_up_to_the_next_proposal_when_one_before_it_is_gone(
    aurelius: Aurelius, root: Path
) -> None:
    (root / "memory/2026-02-09.md").write_text(DAY + "- Maybe sells the car\n")
    aurelius("review", cwd=root)
    last = keys(aurelius, root)[2]
    assert aurelius("review", "dismiss", "1", cwd=root).code == 0
    assert aurelius("review", "dismiss", "2", cwd=root).out == "dismissed: Maybe buys a boat\n"
    assert keys(aurelius, root) == [last]


def test_a_dismissal_that_the_log_could_not_tell_from_the_one_before_is_refused(
    aurelius: Aurelius, root: Path
) -> None:
    one, _ = keys(aurelius, root)
    for action, code in (("dismiss", 0), ("restore", 0), ("dismiss", 2)):
        done = aurelius("review", action, one, cwd=root)
        assert done.code == code
    assert "it was restored a moment ago" in done.err
    assert one in keys(aurelius, root)


def test_a_number_without_a_list_that_was_shown_is_refused(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("review", "accept", "1", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "no list was shown yet in which a proposal could have the number 1" in done.err
    assert (root / "people" / "joe.md").read_text() == JOE


def test_a_key_stays_the_same_when_other_proposals_go_and_ids_are_given(
    aurelius: Aurelius, root: Path
) -> None:
    one, two = keys(aurelius, root)
    assert aurelius("doctor", "--tidy", "--stamp", cwd=root).code == 0
    assert keys(aurelius, root) == [one, two]
    assert aurelius("review", "accept", one, cwd=root).code == 0
    assert keys(aurelius, root) == [two]
    assert aurelius("review", "accept", one, cwd=root).code == 2


def test_several_are_accepted_at_once_though_the_first_gives_ids_to_the_others(
    aurelius: Aurelius, root: Path
) -> None:
    (root / "people/joe.md").write_text(JOE + "- Has a boat\n- Has a boat\n")
    aurelius("review", cwd=root)
    assert aurelius("review", "accept", "1", "2", "3", cwd=root).code == 0
    assert keys(aurelius, root) == []


def test_what_the_one_before_it_settled_is_not_accepted_and_told(
    aurelius: Aurelius, root: Path
) -> None:
    (root / "people/joe.md").write_text(JOE + "- Lives in Oslo (2025-12-01)\n")
    aurelius("review", cwd=root)
    done = aurelius("review", "accept", "2", "1", cwd=root)
    assert (
        "not accepted, because it is no longer proposed: Lives in Rome / Lives in Oslo" in done.err
    )
    assert "- Lives in Oslo (2025-12-01)\n" in (root / "people/joe.md").read_text()


def test_several_as_json_are_refused_before_anything_is_written(
    aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("review", "dismiss", *keys(aurelius, root), "--json", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert len(keys(aurelius, root)) == 2


def test_what_is_dismissed_is_listed_and_can_be_proposed_again(
    aurelius: Aurelius, root: Path
) -> None:
    one, two = keys(aurelius, root)
    told = aurelius("review", "dismiss", one, two, cwd=root)
    assert told.out == "dismissed: Moved to Bonn / Lives in Rome\ndismissed: Maybe buys a boat\n"
    assert f"aurelius review restore {one} {two}" in told.err
    assert f"aurelius review restore {one} {two}" in aurelius("undo", cwd=root).err
    assert (keys(aurelius, root), keys(aurelius, root, "dismissed")) == ([], [one, two])
    assert aurelius("review", "restore", two, cwd=root).out == "proposed again: Maybe buys a boat\n"
    assert (keys(aurelius, root), keys(aurelius, root, "dismissed")) == ([two], [one])
    assert aurelius("review", "restore", two, cwd=root).code == 2


def test_a_key_that_fits_several_is_refused(
    monkeypatch: pytest.MonkeyPatch, aurelius: Aurelius, root: Path
) -> None:
    monkeypatch.setattr(review, "_name", lambda about: "kkkkk" + ("a" if "boat" in about else "b"))
    assert keys(aurelius, root) == ["kkkkkb", "kkkkka"]
    done = aurelius("review", "dismiss", "kkkk", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "several proposals have keys that begin with kkkk: kkkkkb, kkkkka" in done.err
    assert aurelius("review", "dismiss", "KKKKKA", cwd=root).out == "dismissed: Maybe buys a boat\n"


TODAY = "memory/2026-02-10.md"


@pytest.fixture
def gone(aurelius: Aurelius, root: Path) -> str:
    """A line that was noted and then taken out of its note, as the only proposal; its key."""
    (root / "memory/2026-02-09.md").unlink()
    (root / TODAY).write_text("# Day\n\n")
    assert aurelius("note", "Dentist on Tuesday at nine", cwd=root).code == 0
    (root / TODAY).write_text("# Day\n\n- by hand\n")
    os.utime(root / TODAY, (time.time() - 5,) * 2)
    done = aurelius("list", cwd=root)
    assert (
        done.err.count(
            'is no longer there: "Dentist on Tuesday at nine"; `aurelius review` puts it back'
        )
        == 1
    )
    (key,) = keys(aurelius, root)
    return key


def test_a_line_that_is_gone_is_shown_first_and_left_where_it_is(
    aurelius: Aurelius, root: Path, gone: str
) -> None:
    done = aurelius("review", cwd=root)
    assert done.code == 0
    assert done.out.split("\n")[0] == "1 proposal: 1 line that is gone"
    assert f"Dentist on Tuesday at nine  was written to {TODAY} and is no longer there" in done.out
    assert "accept: puts the line back; dismiss: leaves it out" in done.out
    assert "no longer there" not in done.err, "it is told once"
    (matter,) = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert (matter["what"], matter["short"], matter["page"]) == ("vanished", gone, TODAY)
    assert matter["fact"]["text"] == "Dentist on Tuesday at nine"
    assert (root / TODAY).read_text() == "# Day\n\n- by hand\n"


def test_a_line_that_is_gone_is_put_back_by_its_key_and_undone(
    aurelius: Aurelius, root: Path, gone: str
) -> None:
    shown = aurelius("review", "accept", gone, "--dry-run", cwd=root)
    assert "+- Dentist on Tuesday at nine" in shown.out
    assert (root / TODAY).read_text() == "# Day\n\n- by hand\n"
    done = aurelius("review", "accept", gone, cwd=root)
    assert (done.code, done.out.split("\n")[0]) == (
        0,
        f'put "Dentist on Tuesday at nine" back into {TODAY}',
    )
    assert (root / TODAY).read_text() == "# Day\n\n- by hand\n- Dentist on Tuesday at nine\n"
    assert keys(aurelius, root) == []
    assert aurelius("undo", cwd=root).code == 0
    assert (root / TODAY).read_text() == "# Day\n\n- by hand\n"
    assert "no longer there" not in aurelius("list", cwd=root).err


def test_a_line_that_came_back_by_itself_is_not_put_back_twice(
    aurelius: Aurelius, root: Path, gone: str
) -> None:
    (root / TODAY).write_text("# Day\n\n- Dentist on Tuesday at nine\n")
    done = aurelius("review", "accept", gone, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert (root / TODAY).read_text() == "# Day\n\n- Dentist on Tuesday at nine\n"


def test_a_line_that_is_gone_and_left_so_is_offered_no_more(
    aurelius: Aurelius, root: Path, gone: str
) -> None:
    done = aurelius("review", "dismiss", gone, cwd=root)
    assert done.out == "dismissed: Dentist on Tuesday at nine\n"
    assert keys(aurelius, root) == []
    assert (root / TODAY).read_text() == "# Day\n\n- by hand\n"
    assert keys(aurelius, root, "dismissed") == [gone]
    assert aurelius("review", "restore", gone, cwd=root).code == 0
    assert keys(aurelius, root) == [gone]


@pytest.mark.parametrize("several", [("--all",), ("--all-of", TODAY)])
def test_no_yes_to_several_puts_a_line_back(
    aurelius: Aurelius, root: Path, gone: str, several: tuple[str, ...]
) -> None:
    assert aurelius("review", "accept", *several, cwd=root).code == 0
    assert (root / TODAY).read_text() == "# Day\n\n- by hand\n"
    assert keys(aurelius, root) == [gone]


def test_a_line_that_is_gone_from_a_private_note_is_shown_only_where_private_ones_are(
    aurelius: Aurelius, root: Path
) -> None:
    (root / "memory/2026-02-09.md").unlink()
    (root / TODAY).write_text("---\nprivate: true\n---\n# Day\n\n")
    aurelius("note", "Secret of Anna", cwd=root)
    (root / TODAY).write_text("---\nprivate: true\n---\n# Day\n\n")
    os.utime(root / TODAY, (time.time() - 5,) * 2)
    done = aurelius("list", cwd=root)
    assert "a private note: a line written at " in done.err
    assert "Anna" not in done.err
    assert "Anna" not in aurelius("review", cwd=root).out
    assert "Secret of Anna" in aurelius("review", "--private", cwd=root).out


def test_an_agent_is_neither_told_of_a_line_that_is_gone_nor_uses_up_what_a_person_is_told(
    aurelius: Aurelius, root: Path, env: dict[str, str]
) -> None:
    (root / TODAY).write_text("# Day\n\n")
    aurelius("note", "Dentist on Tuesday at nine", cwd=root)
    (root / TODAY).write_text("# Day\n\n")
    os.utime(root / TODAY, (time.time() - 5,) * 2)
    env["AURELIUS_AGENT"] = "codex"
    assert "no longer there" not in aurelius("list", cwd=root).err
    del env["AURELIUS_AGENT"]
    assert aurelius("list", cwd=root).err.count("no longer there") == 1
    assert aurelius("list", cwd=root).err == ""


def test_a_dismissal_that_cannot_be_kept_is_not_told_as_done(
    aurelius: Aurelius, root: Path, env: dict[str, str], tmp_path: Path
) -> None:
    (key, _) = keys(aurelius, root)
    (tmp_path / "elsewhere").mkdir()
    (root / ".aurelius" / "log").symlink_to(tmp_path / "elsewhere")
    done = aurelius("review", "dismiss", key, cwd=root)
    assert (done.code, done.out) == (6, "")
    assert "leads through the symbolic link log" in done.err
    (root / ".aurelius" / "log").unlink()
    (tmp_path / "file").write_text("x")
    env["XDG_STATE_HOME"] = str(tmp_path / "file")
    done = aurelius("review", "dismiss", key, cwd=root)
    assert (done.code, done.out) == (6, "")
    assert "the usage log cannot be written" in done.err
