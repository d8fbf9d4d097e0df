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
