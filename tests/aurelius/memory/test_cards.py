"""Cards: what a prompt names without doubt, once a session, a changed value never without the later one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from aurelius.ageing.tiers import entities
from aurelius.memory.context import for_prompt
from aurelius.memory.relevance import prospects, read_prompt
from aurelius.vault import Vault
from indexer.search.query import SearchQuery
from indexer.spelling import count_tokens
from tests.conftest import TODAY

Build = Callable[[Mapping[str, str]], Vault]
PEOPLE = {
    "people/bram.md": "# Bram De Witte\n\n- Field assistant, two days a week\n- Paid 16 euro an hour (2025-09-01)\n"
    "- Has no licence for the van (2025-09-01)\n",
    "projects/parcelcheck.md": "# Parcelcheck\n\n- Distances are integers, never floats (2025-12-10)\n",
    "memory/2026-02-05.md": "# Day\n\n- Bram gets 18 euro an hour from March\n",
    "areas/bills.md": "# Bills\n\n- Pay by transfer (2025-01-02)\n",
}


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    made: list[Vault] = []

    def vault(notes: Mapping[str, str]) -> Vault:
        root = tmp_path / str(len(made))
        for path, text in notes.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        env = {"HOME": str(tmp_path), "AURELIUS_INDEX": str(tmp_path / f"index{len(made)}")}
        made.append(Vault.find(str(root), env, str(root), now=TODAY))
        return made[-1]

    yield vault
    for each in made:
        each.close()


def given(vault: Vault, prompt: str, before: Sequence[str] = ()) -> list[str]:
    found = for_prompt(vault, prompt, seen=(), before=before, budget=800)
    return [line.text for part in found.parts for line in part.lines]


def test_who_is_named_gets_a_card_with_what_is_newer_below(build: Build) -> None:
    lines = given(build(PEOPLE), "what do i pay bram an hour now?")
    at = lines.index("Paid 16 euro an hour")
    assert lines[at + 1] == "Bram gets 18 euro an hour from March"
    assert "Field assistant, two days a week" in lines


def test_a_changed_value_is_not_told_without_a_later_line_of_many_words(build: Build) -> None:
    late = "Bram gets 18 euro an hour, " + "and we talked about it for a long time in the van " * 9
    vault = build({**PEOPLE, "memory/2026-02-05.md": f"# Day\n\n- {late}\n"})
    lines = given(vault, "ring Bram about the van licence")
    assert "Has no licence for the van" in lines
    assert late.strip() in lines


def test_a_card_has_eighty_tokens_at_most_and_comes_once_a_session(build: Build) -> None:
    facts = "".join(f"- Was at site number {at} with the red van\n" for at in range(30))
    vault = build({**PEOPLE, "people/ann.md": f"# Ann Blake\n\n{facts}"})
    found = for_prompt(vault, "tell Ann I am late", seen=(), budget=800)
    lines = [f"- {line.text} [{line.path}:{line.lines[0]}]" for line in found.parts[0].lines]
    assert len(lines) > 2
    assert count_tokens("\n".join(lines)) <= 80
    again = given(vault, "and tell Ann I bring lunch", ["tell Ann I am late"])
    assert not [text for text in again if text.startswith("Was at site")]


def test_a_first_name_of_two_persons_names_neither(build: Build) -> None:
    vault = build({**PEOPLE, "people/bram-maes.md": "# Bram Maes\n\n- Lends me his trailer\n"})
    assert "Field assistant, two days a week" not in given(vault, "tell Bram I am late")
    assert "Field assistant, two days a week" in given(vault, "tell Bram De Witte I am late")


def test_a_person_is_no_variable_and_a_project_is_meant_by_its_name(build: Build) -> None:
    vault = build(PEOPLE)
    assert given(vault, "rename the variable bram to assistant in this python function") == []
    told = given(vault, "in the javascript fixture the user bram is an admin, fix that")
    assert "Field assistant, two days a week" not in told
    assert given(vault, "write a pytest for the overlap in parcelcheck") == [
        "Distances are integers, never floats"
    ]


def test_of_a_very_long_line_the_first_sentences_are_told(build: Build) -> None:
    rest = " ".join(f"Then came step number {at} of the move." for at in range(40))
    page = f"# Bills\n\n- The rent is paid by transfer on the first of the month. {rest}\n"
    lines = given(build({**PEOPLE, "areas/bills.md": page}), "when do I pay the rent by transfer?")
    (told,) = [text for text in lines if text.startswith("The rent is paid by transfer")]
    assert len(told) < 420
    assert told.endswith("of the move. …")


def test_nothing_private_stands_on_a_card(build: Build) -> None:
    secret = "---\nprivate: true\n---\n# Talk\n\n- Bram gets 99 euro an hour (2026-02-09)\n"
    vault = build(
        {"people/bram.md": PEOPLE["people/bram.md"], "talk.md": secret, "people/eve.md": secret}
    )
    assert not [text for text in given(vault, "what do i pay bram an hour now?") if "99" in text]
    assert given(vault, "tell Eve I am late") == []


def test_text_outside_facts_is_cited_by_its_own_line(build: Build) -> None:
    page = "# Sourdough\n\nThe house loaf has 76 percent water.\n\nThe dough rests overnight at five degrees.\n"
    vault = build({**PEOPLE, "Sourdough.md": page})
    prompt = read_prompt("how cold does our dough rest overnight?", ())
    places = {each.line.text: each.line.lines for each in prospects(vault, prompt, ())}
    assert places["The dough rests overnight at five degrees."] == (5, 5)


def test_a_rule_comes_to_a_prompt_about_programs_that_it_applies_to(build: Build) -> None:
    me = "# Me\n\n## Rules\n- Commit messages follow Conventional Commits\n- Mail in Dutch\n"
    vault = build({**PEOPLE, "ME.md": me})
    assert given(vault, "write a commit message for this git diff") == [
        "Commit messages follow Conventional Commits"
    ]


def test_a_prompt_that_asks_for_what_is_due_is_answered(build: Build) -> None:
    day = "# Day\n\n- [ ] send the invoice 📅 2026-02-12\n- [ ] call the garage 📅 2026-02-13\n"
    vault = build({**PEOPLE, "memory/2026-02-09.md": day})
    found = vault.search(SearchQuery("what is due this week?", explain=True)).hits
    assert all({"bm25", "cosine", "note"} <= (hit.explain or {})["raw"].keys() for hit in found)
    assert len(found) == 2
    assert given(vault, "what is due this week?") is not None


def test_a_project_by_a_property_is_one_to_cards_and_a_person_by_a_property_owns_facts(
    build: Build,
) -> None:
    """Neither lies in a folder that says so."""
    ruled = PEOPLE["projects/parcelcheck.md"].replace(
        "# P", "---\ncategories: [[Projects]]\n---\n# P"
    )
    person = "---\ntags: [person]\n---\n# Ada Brook\n\n- Paints boats (2026-01-02)\n"
    vault = build(
        {
            "Notes/parcelcheck.md": ruled,
            "Notes/Ada Brook.md": person,
            "memory/2026-02-05.md": "# Day\n\n## Facts\n- [[Ada Brook]] moved to Oslo\n",
        }
    )
    told = given(vault, "write a pytest for the overlap in parcelcheck")
    assert told == ["Distances are integers, never floats"]
    facts = entities(vault, private=False)["Notes/Ada Brook.md"]
    assert [fact.text for _, fact in facts] == ["Paints boats", "[[Ada Brook]] moved to Oslo"]
