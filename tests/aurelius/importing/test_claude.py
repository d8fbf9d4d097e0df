from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aurelius.importing.claude import CLAUDE
from aurelius.importing.imported import Imported, ImportedChat, ImportedFact, ImportedNote, LeftOut
from tests.aurelius.importing.reading import CASES, of_kind, read_damaged, read_with


def read(folder: Path, *values: Any) -> list[Imported]:
    (folder / "export.json").write_text(json.dumps(values))
    return read_with(CLAUDE, folder)


def test_the_newest_branch_of_a_conversation_is_read() -> None:
    chats = of_kind(read_with(CLAUDE, CASES / "claude"), ImportedChat)
    assert [len(each.messages) for each in chats] == [4, 2, 2]
    first = chats[0].messages[0]
    assert first.speaker == "You"
    assert first.text.endswith("> (hull.txt)\n>\n> Plank four is split.")
    assert chats[0].messages[1].text == "Epoxy."
    assert "ABANDONED" not in str(chats)


def test_a_conversation_without_a_name_is_named_by_its_first_words() -> None:
    chats = of_kind(read_with(CLAUDE, CASES / "claude"), ImportedChat)
    assert chats[1].title == "Name a knot."
    assert chats[1].created == "2025-06-11T23:30:00"


def test_temporary_and_empty_conversations_and_starter_projects_are_left_out() -> None:
    left = of_kind(read_with(CLAUDE, CASES / "claude"), LeftOut)
    assert sorted(each.why for each in left) == [
        "a starter project of Claude",
        "a temporary chat",
        "nothing was said in it",
    ]


def test_documents_and_instructions_of_a_project_are_notes() -> None:
    notes = of_kind(read_with(CLAUDE, CASES / "claude"), ImportedNote)
    assert [(each.folder, each.title) for each in notes] == [
        ("Boat", "plan"),
        ("Boat", "escape"),
        ("Boat", "Boat: instructions"),
    ]


def test_each_sentence_that_claude_remembers_is_a_fact() -> None:
    facts = of_kind(read_with(CLAUDE, CASES / "claude"), ImportedFact)
    assert [each.text for each in facts] == [
        "Rowan keeps a dinghy in Lymington.",
        "Rowan is left-handed.",
        "Rowan prefers metric units.",
        "The dinghy is eleven feet long.",
    ]


def test_of_a_memory_in_long_paragraphs_only_lists_are_facts(tmp_path: Path) -> None:
    text = "Word after word. " * 40 + "\n\n- Sails on Sundays"
    found = read(tmp_path, {"conversations_memory": text})
    assert [each.text for each in of_kind(found, ImportedFact)] == ["Sails on Sundays"]
    assert len(of_kind(found, ImportedNote)) == 1


def test_only_tools_and_thoughts_are_no_message(tmp_path: Path) -> None:
    blocks = [{"type": "thinking", "thinking": "Hm"}, {"type": "tool_use", "name": "x"}]
    told = {"sender": "assistant", "text": "Hm", "content": blocks}
    found = read(tmp_path, {"uuid": "c", "name": "Tools", "chat_messages": [told]})
    assert [each.why for each in of_kind(found, LeftOut)] == [
        "a message of a tool, or what a model thought",
        "nothing was said in it",
    ]


def test_messages_that_go_in_a_circle_are_read_once(tmp_path: Path) -> None:
    messages = [
        {"uuid": "a", "text": "One", "sender": "human", "parent_message_uuid": "b"},
        {"uuid": "b", "text": "Two", "sender": "assistant", "parent_message_uuid": "a"},
    ]
    found = read(tmp_path, {"uuid": "c", "name": "Round", "chat_messages": messages})
    assert [each.text for each in of_kind(found, ImportedChat)[0].messages] == ["One", "Two"]


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    for name in ("conversations", "projects", "memories"):
        data = (CASES / "claude" / f"{name}.json").read_bytes()
        read_damaged(CLAUDE, data, tmp_path / "x.json", 60)
