from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Aurelius = Callable[..., Any]


def test_a_note_of_many_facts_is_told_in_part_and_whole_where_that_is_asked_for(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    there = vault("empty")
    facts = "".join(f"- Tried tea number {number} and liked its taste (2026-02-01)\n" for number in range(400))
    (there / "teas.md").write_text(f"# Teas\n\n## Facts\n{facts}", "utf-8")
    short = aurelius("tiers", "teas", cwd=there).out.splitlines()
    assert len(short) < 300
    assert short[-1] == f"{402 - len(short) + 1} more lines: --all shows them"
    assert len(aurelius("tiers", "teas", "--all", cwd=there).out.splitlines()) == 402
    answer = json.loads(aurelius("tiers", "teas", "--json", cwd=there).out)
    assert answer["truncated"] == {"facts": 400 - len(answer["facts"])}
    assert len(json.loads(aurelius("tiers", "teas", "--json", "--all", cwd=there).out)["facts"]) == 400


def test_what_helped_comes_first_in_the_next_search_and_what_did_not_comes_last(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    there = vault("empty")
    for name in ("ada", "bob", "cem"):
        (there / f"{name}.md").write_text(f"# {name}\n\n## Facts\n- Repairs boats (2026-02-01) ^{name}01\n", "utf-8")

    def order(*options: str) -> list[str]:
        done = aurelius("search", "who mends boats?", "--json", "--no-use", *options, cwd=there)
        return [hit["id"] for hit in json.loads(done.out)["hits"]]

    assert order() == ["ada01", "bob01", "cem01"]
    aurelius("reinforce", "cem01", cwd=there)
    aurelius("demote", "ada01", cwd=there)
    for options in ((), ("--mode", "keyword"), ("--mode", "vector"), ("--fusion", "rrf"), ("--fusion", "weighted")):
        assert order(*options) == ["cem01", "bob01", "ada01"], options
