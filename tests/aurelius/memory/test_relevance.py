"""What a prompt needs of a vault: which prompts ask for nothing, and which lines are never given."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from aurelius.memory.relevance import asks, needed
from aurelius.vault import Vault

NOTES = {
    "people/joe.md": (
        "---\ntype: person\n---\n# Joe Bloggs\n\n## Facts\n- Birthday is 1980-05-01 ^jo01aa\n"
        "- Works at Acme as a plumber (2026-01-05) ^jo01ab\n"
    ),
    "people/ann.md": "---\ntype: person\nprivate: true\n---\n# Ann Lee\n\n## Facts\n- Ann's salary is 4,000 ^an01aa\n",
    "conversations/2026-01-02.md": "# Talk\n\nZebra parade with Joe on the quay.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    for path, text in NOTES.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text, "utf-8")
    (tmp_path / "vault" / ".aurelius").mkdir()
    now = datetime.datetime(2026, 5, 18, 12)
    return Vault.find(str(tmp_path / "vault"), {"HOME": str(tmp_path)}, "/", now=now)


@pytest.mark.parametrize(
    "prompt",
    ["", "  ", "thanks!", "thx, perfect", "/clear", "/compact now", "continue", "yes go on", "ok do it", "lol ok",
     "good morning!", "shorter please", "```\nTypeError: x is not a function\n```"],
)  # fmt: skip
def test_a_prompt_that_wants_nothing_of_the_notes_is_not_looked_up(prompt: str, vault: Vault) -> None:
    assert not asks(prompt)
    assert needed(vault, prompt) == []


@pytest.mark.parametrize(
    "prompt", ["when is joe's birthday?", "what did we say about the quay", "mail joe about monday"]
)
def test_a_question_is_looked_up(prompt: str) -> None:
    assert asks(prompt)


def test_a_line_comes_with_its_key_its_place_and_its_own_words(vault: Vault) -> None:
    (line, *_) = needed(vault, "when is joe's birthday?")
    assert line[:4] == ("jo01aa", "people/joe.md", (7, 7), "Birthday is 1980-05-01")
    assert line.id == "jo01aa"


def test_a_line_that_the_session_was_shown_does_not_come_again(vault: Vault) -> None:
    assert "jo01aa" not in {line.key for line in needed(vault, "when is joe's birthday?", seen={"jo01aa"})}


def test_private_notes_and_conversations_are_never_given(vault: Vault) -> None:
    assert not [line for line in needed(vault, "what did we say is ann's salary?") if "ann" in line.path]
    assert not [line for line in needed(vault, "when was the zebra parade on the quay") if "conversations" in line.path]
