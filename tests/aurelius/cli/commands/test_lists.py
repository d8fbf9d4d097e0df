from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


def test_a_page_of_a_list_says_how_many_there_are(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    every = aurelius("list", "--paths", cwd=there).out.splitlines()
    page = aurelius("list", "--paths", "--limit", "2", "--offset", "1", cwd=there).out.splitlines()
    assert page == every[1:3]
    assert json.loads(aurelius("list", "--json", "--limit", "2", cwd=there).out)["total"] == len(every)


def test_facts_of_a_type_are_listed_with_their_notes(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    done = aurelius("list", "--type", "fact", cwd=there)
    assert "people/joe-bloggs.md:13  [id:k3v9qa]  Lives in Los Angeles" in done.out
    assert "people/joe-bloggs.md\n" in aurelius("list", "--type", "fact", "--paths", cwd=there).out


def test_a_list_of_nothing_says_how_many_notes_were_looked_at(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    for command in (["list", "--tag", "zzz"], ["list", "--type", "identity", "--tag", "zzz"]):
        done = aurelius(*command, cwd=there)
        assert (done.code, done.out) == (0, "")
        assert "14 notes" in done.err


def test_tasks_open_says_nothing_of_tasks_that_are_done(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "a.md").write_text("- [ ] one\n- [x] two\n")
    assert aurelius("tasks", "--open", cwd=root).out.splitlines()[0] == "1 open"
    assert aurelius("tasks", cwd=root).out.splitlines()[0] == "1 open, 1 done"
