from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.importing.imported import ImportedChat, ImportedFact, ImportedNote, LeftOut
from aurelius.importing.openclaw import OPENCLAW_WORKSPACE
from tests.aurelius.importing.reading import CASES, database, of_kind, read_damaged, read_with

TODAY = CASES / "openclaw" / "today"
SCRIPT = (CASES / "openclaw" / "transcripts.sql").read_text("utf-8")
OWN = "# SOUL.md\n\nBe kind.\n"


def test_notes_of_a_workspace_come_without_what_dreaming_wrote() -> None:
    notes = {each.id: each for each in of_kind(read_with(OPENCLAW_WORKSPACE, TODAY), ImportedNote)}
    day = notes["memory/2026-03-05.md"]
    assert day.created == "2026-03-05"
    assert day.text.endswith("- Paid 80 euros in cash\n\n- Evening: Marta rang")
    assert not any("Candidate" in each.text or "<!--" in each.text for each in notes.values())


def test_facts_keep_their_importance_day_and_whether_they_hold() -> None:
    facts = {
        each.text: each for each in of_kind(read_with(OPENCLAW_WORKSPACE, TODAY), ImportedFact)
    }
    assert facts["The boiler is serviced every October."].importance == 0.7
    assert facts["Write dates as day, month, year"].created == "2026-03-04"
    assert facts["Call me before nine"].is_past


def test_the_last_branch_of_a_session_is_a_chat_and_a_job_is_none() -> None:
    found = read_with(OPENCLAW_WORKSPACE, TODAY)
    (chat,) = of_kind(found, ImportedChat)
    assert [each.text for each in chat.messages] == [
        "Where did I put the lease?",
        "In the blue folder.",
        "Thanks.",
    ]
    assert "a run of the agent's own jobs" in [each.why for each in of_kind(found, LeftOut)]


def test_a_dream_without_an_end_takes_nothing_with_it(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text(OWN)
    (tmp_path / "AGENTS.md").write_text("x")
    text = "- Before\n<!-- openclaw:dreaming:rem:start -->\n- Candidate: x\n- After\n"
    (tmp_path / "MEMORY.md").write_text(text)
    facts = of_kind(read_with(OPENCLAW_WORKSPACE, tmp_path), ImportedFact)
    assert [each.text for each in facts] == ["Before", "After"]


def test_an_older_root_and_the_folder_itself_are_known() -> None:
    assert (
        len(of_kind(read_with(OPENCLAW_WORKSPACE, CASES / "openclaw" / "clawd"), ImportedNote)) == 2
    )
    assert len(of_kind(read_with(OPENCLAW_WORKSPACE, TODAY / "workspace"), ImportedNote)) == 4


@pytest.mark.parametrize(("version", "told"), [(20, 0), (99, 1)])
def test_a_database_is_read_in_the_order_of_its_events(
    tmp_path: Path, version: int, told: int
) -> None:
    script = SCRIPT.replace("'agent', 20", f"'agent', {version}")
    found = read_with(OPENCLAW_WORKSPACE, database(script, tmp_path / "openclaw-agent.sqlite"))
    (chat,) = of_kind(found, ImportedChat)
    assert [each.text for each in chat.messages] == ["When is low tide?", "At four."]
    assert sum("newer OpenClaw" in each.why for each in of_kind(found, LeftOut)) == told


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    session = next((TODAY / "agents/main/sessions").glob("*1.jsonl")).read_bytes()
    read_damaged(OPENCLAW_WORKSPACE, session, tmp_path / "a.jsonl", 80)
    for name in ("MEMORY.md", "USER.md"):
        data = (TODAY / "workspace" / name).read_bytes()
        read_damaged(OPENCLAW_WORKSPACE, data, tmp_path / name, 80)
    data = database(SCRIPT, tmp_path / "t.db").read_bytes()
    read_damaged(OPENCLAW_WORKSPACE, data, tmp_path / "broken.db", 80)
