from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aurelius.importing.chatgpt import CHATGPT
from aurelius.importing.imported import Imported, ImportedChat, ImportedFact, LeftOut
from tests.aurelius.importing.reading import CASES, of_kind, read_damaged, read_with


def message(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"author": {"role": role}, "create_time": 1743618600.5, "content": content} | more


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    names = [f"n{number}" for number in range(len(messages))]
    nodes = {
        name: {"id": name, "parent": names[number - 1] if number else None, "message": told}
        for number, (name, told) in enumerate(zip(names, messages, strict=True))
    }
    last = names[-1] if names else None
    return {"id": "c1", "title": "Bread", "current_node": last, "mapping": nodes} | more


def read(folder: Path, *conversations: Any) -> list[Imported]:
    (folder / "conversations.json").write_text(json.dumps(conversations))
    return read_with(CHATGPT, folder)


def test_the_branch_that_was_gone_on_with_is_read_and_no_other() -> None:
    chats = of_kind(read_with(CHATGPT, CASES / "chatgpt" / "one"), ImportedChat)
    texts = [each.text for each in chats[0].messages]
    assert [each.speaker for each in chats[0].messages] == ["You", "ChatGPT", "You", "ChatGPT"]
    assert texts[2] == "Is this crumb right?\n\n(file: crumb.png)"
    assert texts[3].startswith("```python\nprint(0.75 * 480)\n```\n\n```\n360.0\n```\n\nYes.")
    assert "ABANDONED" not in str(chats)


def test_hidden_messages_and_those_of_tools_are_counted_and_left_out(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        conversation(
            message("rules", "system"),
            message("searched", "assistant", recipient="web"),
            message("hidden", metadata={"is_visually_hidden_from_conversation": True}),
            message("Hello"),
        ),
    )
    assert [each.text for each in of_kind(found, ImportedChat)[0].messages] == ["Hello"]
    assert [each.why for each in of_kind(found, LeftOut)] == [
        "a message of a tool, or what a model thought",
        "a message of a tool, or what a model thought",
        "a hidden message",
    ]


def test_what_is_not_to_be_remembered_is_not_read(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        conversation(message("a"), is_do_not_remember=True),
        conversation(message("b"), is_temporary=True),
    )
    assert [each.why for each in of_kind(found, LeftOut)] == [
        "marked as not to be remembered",
        "a temporary chat",
    ]
    assert len(found) == 2


def test_what_chatgpt_was_to_remember_is_a_fact(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        conversation(message("Hi"), message("Lives in Ghent.", "assistant", recipient="bio")),
    )
    assert of_kind(found, ImportedFact) == [
        ImportedFact("n1", "Lives in Ghent.", "2025-04-02T18:30:00Z", inferred=True)
    ]


def test_a_broken_conversation_and_a_cut_end_leave_the_others(tmp_path: Path) -> None:
    whole = json.dumps([conversation(message("One"), id="a"), 7, {"mapping": []}])
    (tmp_path / "conversations.json").write_text(whole[:-1] + ', {"id": "cut", "ma')
    found = read_with(CHATGPT, tmp_path)
    assert [each.id for each in of_kind(found, ImportedChat)] == ["a"]
    assert [each.why for each in of_kind(found, LeftOut)][:2] == ["it is no conversation"] * 2
    assert "cannot be read as ChatGPT" in of_kind(found, LeftOut)[2].why


def test_a_damaged_part_beside_others_is_told() -> None:
    found = read_with(CHATGPT, CASES / "chatgpt" / "shards")
    assert of_kind(found, LeftOut)[-1].name == "conversations-002.json"
    assert len({each.id for each in of_kind(found, ImportedChat)}) == 3


def test_a_tree_of_a_hundred_thousand_messages_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, conversation(*[message("x")] * 100_000))
    assert len(of_kind(found, ImportedChat)[0].messages) == 100_000


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    data = (CASES / "chatgpt/one/conversations.json").read_bytes()
    read_damaged(CHATGPT, data, tmp_path / "conversations.json", 100)
