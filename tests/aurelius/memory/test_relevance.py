"""What a prompt needs of a vault: which prompts ask for nothing, and which lines are never given."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from aurelius.memory import relevance
from aurelius.memory.relevance import asks, needed_lines, own_prompt_words
from aurelius.vault import Vault

NOTES = {
    "people/joe.md": (
        "---\ntype: person\n---\n# Joe Bloggs\n\n## Facts\n- Birthday is 1980-05-01 ^jo01aa\n"
        "- Works at Acme as a plumber (2026-01-05) ^jo01ab\n"
    ),
    "people/eve.md": (
        "---\ntype: person\n---\n# Eve Stone\n\n## Facts\n- Birthday is 1990-02-03 ^ev01aa\n"
        "- Our accountant since 2020 ^ev01ab\n- Phone 0570-555-0142 ^ev01ac\n"
    ),
    "resources/accounts.md": "# Accounts\n\n```sql\nUPDATE accountant SET phone = '0570-000-0000';\n```\n",
    "AGENTS.md": "# How to work\n\nThe birthday of Joe is asked of the notes.\n",
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
    [
        "",
        "  ",
        "thanks!",
        "thx, perfect",
        "/clear",
        "/compact now",
        "continue",
        "yes go on",
        "ok do it",
        "lol ok",
        "good morning!",
        "shorter please",
        "```\nTypeError: x is not a function\n```",
    ],
)
def test_a_prompt_that_wants_nothing_of_the_notes_is_not_looked_up(
    prompt: str, vault: Vault
) -> None:
    assert not asks(prompt)
    assert needed_lines(vault, prompt) == []


@pytest.mark.parametrize(
    "prompt", ["when is joe's birthday?", "what did we say about the quay", "mail joe about monday"]
)
def test_a_question_is_looked_up(prompt: str) -> None:
    assert asks(prompt)


def test_a_line_comes_with_its_key_its_place_and_its_own_words(vault: Vault) -> None:
    (line, *_) = needed_lines(vault, "when is joe's birthday?")
    assert line[:4] == ("jo01aa", "people/joe.md", (7, 7), "Birthday is 1980-05-01")
    assert line.id == "jo01aa"


def test_a_line_that_the_session_was_shown_does_not_come_again(vault: Vault) -> None:
    assert "jo01aa" not in {
        line.key for line in needed_lines(vault, "when is joe's birthday?", seen={"jo01aa"})
    }


def test_private_notes_and_conversations_are_never_given(vault: Vault) -> None:
    assert not [
        line
        for line in needed_lines(vault, "what did we say is ann's salary?")
        if "ann" in line.path
    ]
    assert not [
        line
        for line in needed_lines(vault, "when was the zebra parade on the quay")
        if "conversations" in line.path
    ]


def test_only_the_words_of_the_person_are_looked_up_beside_what_was_pasted() -> None:
    log = "2026-02-22T08:14:01Z nginx[812]: GET /healthz\nTypeError: x is not a function\nwhat did we say about this?"
    assert own_prompt_words(log) == "what did we say about this?"
    assert own_prompt_words("```\nconst joe = 1;\n```\nrename it") == "rename it"
    assert (
        own_prompt_words("def f(x):\n    return g(x)\nwhy does joe use this")
        == "why does joe use this"
    )


def test_a_name_without_a_question_about_it_needs_nothing(vault: Vault) -> None:
    assert needed_lines(vault, "write a haiku about Joe Bloggs") == []
    assert needed_lines(vault, "rename the variable joe to person in this function") == []


def test_a_prompt_that_goes_on_is_about_whom_the_one_before_was(vault: Vault) -> None:
    assert "ev01ac" not in {line.key for line in needed_lines(vault, "and what is her number?")}
    found = needed_lines(
        vault, "and what is her number?", before=["when is the birthday of Eve Stone?"]
    )
    assert "ev01ac" in {line.key for line in found}


def test_a_role_finds_the_person_who_has_it(vault: Vault) -> None:
    assert "ev01ac" in {
        line.key for line in needed_lines(vault, "what is the phone number of our accountant?")
    }


def test_neither_the_guide_of_agents_nor_fenced_code_answers_a_question_about_people(
    vault: Vault,
) -> None:
    prompts = ("when is joe's birthday?", "what is the phone number of our accountant?")
    paths = {line.path for prompt in prompts for line in needed_lines(vault, prompt)}
    assert not paths & {"AGENTS.md", "resources/accounts.md"}


@pytest.mark.parametrize(
    ("prompt", "path"),
    [
        ("what stands in [[resources/accounts]]?", "resources/accounts.md"),
        ("how old is Joe?", "people/joe.md"),
    ],
)
def test_a_prompt_names_pages_by_their_names_and_any_note_by_a_link(
    prompt: str, path: str, vault: Vault
) -> None:
    named, *_ = relevance._about(vault, relevance.read_prompt(prompt, ()), (), [])
    assert path in named


def test_a_greeting_that_asks_nothing_speaks_against_a_need() -> None:
    assert relevance.read_prompt("morning! the coffee machine is dead", ()).evidence["greets"] == 1
    assert relevance.read_prompt("morning! when does joe come?", ()).evidence["greets"] == 0
    assert relevance.OF_PROMPT["greets"] < 0 < relevance.OF_PROMPT["best"]


def test_a_line_of_the_same_meaning_is_nearer_than_another(vault: Vault) -> None:
    found = relevance.prospects(
        vault, relevance.read_prompt("what is our telephone number for the accountant", ()), ()
    )
    near = {each.line.key: each.evidence["alike"] for each in found}
    assert near["ev01ac"] > near["ev01aa"]


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("The user says: I hate the new menu. How do I answer?", "The . How do I answer?"),
        ("Write a mail to Sam: 'I am leaving the choir on Friday.'", "Write a mail to Sam:"),
        ("My plan: it's Sam's boat that we paint", "My plan: it's Sam's boat that we paint"),
        ("what did the user say about the menu?", "what did the user say about the menu?"),
    ],
)
def test_what_others_say_or_a_text_to_be_sent_is_looked_for(prompt: str, wanted: str) -> None:
    assert own_prompt_words(prompt) == wanted
