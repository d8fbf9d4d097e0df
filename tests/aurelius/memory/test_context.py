"""What an agent is given: parts in a fixed order, none starved, whole lines, each once, nothing that is past."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from aurelius.memory import context as module
from aurelius.memory.context import (
    CAPS,
    FACTS,
    PINNED,
    RULES_PART,
    SHARES,
    ContextLines,
    ContextPart,
    build_context,
    fit_budget,
    for_prompt,
    pattern,
)
from aurelius.memory.lines import Line, cite_line
from aurelius.vault import Vault
from indexer.search.query import SearchQuery
from tests.conftest import TODAY

ME = "# Me\n\nHow I am.\n\n## Identity\n- Is called Ada (2026-01-01) ^name01\n\n"
ME += "## Rules\n- Never deploy on Fridays ^rule01\n"
NOTES = {
    "ME.md": ME,
    "SOUL.md": "# Soul\n\nBe brief. Be kind.\n",
    "MEMORY.md": "# Memory\n\n## Decisions\n- Notes are plain files (2026-01-02) ^plain1\n\n"
    "## Now\n- [[joe]] - Old line.\n",
    "people/joe.md": "# Joe\n\n## Summary\nPaints boats. Lives in Rome.\n\n## Facts\n"
    "- Paints boats (2026-02-09) ^boat01\n- Is allergic to nuts (2025-02-01, pinned) ^nuts01\n"
    "- Visits Lisbon on 2026-02-01 (2026-01-05, plan) ^trip01\n"
    "- Visits Oslo in March (2026-01-05, plan) ^trip02\n\n"
    "## History\n- ~~Lives in Rome~~ (2025-01-01 → 2026-01-01, superseded by ^boat01) ^rome01\n",
    "memory/2026-02-10.md": "# Today\n\n- Called the harbour\n\n## Captured\n"
    "- Always answer in French (2026-02-10, instruction)\n- The mast is broken\n",
    "memory/2026-02-09.md": "# Yesterday\n\n- Bought paint\n",
}
Build = Callable[..., Vault]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    made: list[Vault] = []

    def vault(notes: Mapping[str, str] = NOTES) -> Vault:
        root = tmp_path / str(len(made))
        for path, text in notes.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        (root / ".aurelius").mkdir()
        env = {"HOME": str(tmp_path), "AURELIUS_INDEX": str(tmp_path / f"index{len(made)}")}
        made.append(Vault.find(str(root), env, str(root), now=TODAY))
        return made[-1]

    yield vault
    for each in made:
        each.close()


def texts(found: ContextLines) -> dict[str, list[str]]:
    return {part.title: [line.text for line in part.lines] for part in found.parts}


def test_the_parts_stand_in_their_order_with_their_lines(build: Build) -> None:
    found = build_context(build(), "who paints boats", budget=2000)
    assert texts(found) == {
        "Identity": ["Is called Ada", "Be brief. Be kind."],
        RULES_PART: ["Never deploy on Fridays"],
        PINNED: ["Is allergic to nuts"],
        "MEMORY.md": ["Notes are plain files"],
        FACTS: ["Paints boats"],
        "Today": ["Called the harbour", "The mast is broken"],
        "Yesterday": ["Bought paint"],
    }
    assert found.left_out == 0


def test_a_proposed_instruction_is_in_no_context_and_other_proposals_are_labelled(
    build: Build,
) -> None:
    vault = build()
    for found in (
        build_context(vault, budget=4000),
        build_context(vault, "answer in French about the mast", budget=4000),
    ):
        told = [line for part in found.parts for line in part.lines]
        assert not any("French" in line.text for line in told)
        assert [line.said for line in told if "mast" in line.text] == ["not confirmed yet"]


def test_a_plan_whose_day_has_passed_is_an_event_and_another_stays_a_plan(build: Build) -> None:
    found = build_context(build(), "visits Lisbon Oslo", budget=2000)
    lines = {
        line.id: (part.title, line.type, line.said) for part in found.parts for line in part.lines
    }
    assert lines["trip01"] == ("Events", "event", "was planned for 2026-02-01, now past")
    assert lines["trip02"] == ("Plans", "plan", "")


def test_what_is_past_stands_in_no_part_not_even_in_a_summary(build: Build) -> None:
    vault = build()
    for prompt in ("", "Joe lives in Rome", "Rome"):
        found = build_context(vault, prompt, budget=5000)
        assert "Rome" not in " ".join(line.text for part in found.parts for line in part.lines), (
            prompt
        )
        assert "Old line" not in str(found)


def test_a_line_is_cited_with_its_day_its_id_and_its_place(build: Build) -> None:
    found = build_context(build(), budget=2000)
    lines = {line.key: cite_line(line) for part in found.parts for line in part.lines}
    assert lines["name01"] == "Is called Ada (2026-01-01) ^name01 [ME.md:6]"
    assert lines["rule01"] == "Never deploy on Fridays ^rule01 [ME.md:9]"
    assert lines["SOUL.md:3"] == "Be brief. Be kind. [SOUL.md:3]"


def test_no_part_starves_the_others(build: Build) -> None:
    many = "# Me\n\n## Identity\n" + "".join(
        f"- Knows the song number {at} by heart\n" for at in range(200)
    )
    vault = build({**NOTES, "ME.md": many})
    found = texts(build_context(vault, "who paints boats", budget=400))
    assert found[FACTS] == ["Paints boats"]
    assert found["Today"]
    assert found["MEMORY.md"] == ["Notes are plain files"]
    assert len(found["Identity"]) > 5, "what the others leave goes to it"


def line(at: int, text: str) -> Line:
    return Line(f"key{at}", "a.md", (at, at), text, "", "fact", "")


def test_what_does_not_fit_is_counted_and_no_line_is_cut() -> None:
    lines = tuple(line(at, "word " * 20) for at in range(10))
    found = fit_budget((ContextPart(FACTS, lines),), 100)
    kept = [each for part in found.parts for each in part.lines]
    assert 0 < len(kept) < 10
    assert found.left_out == 10 - len(kept)
    assert set(kept) <= set(lines)
    assert found.tokens <= 100
    assert fit_budget((ContextPart(FACTS, lines),), 5) == ContextLines((), 10, 0)


def test_a_line_that_is_too_long_does_not_keep_the_next_one_out() -> None:
    found = fit_budget((ContextPart(FACTS, (line(1, "x" * 4000), line(2, "short"))),), 100)
    assert texts(found) == {FACTS: ["short"]}
    assert found.left_out == 1


def test_a_small_budget_tells_the_rules_before_anything_else() -> None:
    short, rules = (
        line(1, "Made in May"),
        (line(2, "Ask before a note is deleted"), line(3, "Show both sides of it")),
    )
    parts = (
        ContextPart("Identity", (short,)),
        ContextPart(RULES_PART, rules),
        ContextPart("Today", (short,)),
    )
    for budget in (25, 40, 60, 80):
        found = texts(fit_budget(parts, budget))
        assert RULES_PART in found, budget
        assert set(found) == {RULES_PART} or len(found[RULES_PART]) == 2 or budget < 40, budget
    asked = (
        ContextPart(RULES_PART, tuple(line(at, "Ask before a note is deleted") for at in range(9))),
        ContextPart(FACTS, (line(10, "Paints boats"),)),
    )
    assert {RULES_PART, FACTS} == set(texts(fit_budget(asked, 80))), (
        "what was asked for is told beside them"
    )


def test_lines_alike_but_for_names_are_told_twice_at_most(build: Build) -> None:
    names = ("Ada", "Bob", "Cem", "Dan")
    people = {f"people/{name}.md": f"# {name}\n" for name in names}
    lines = "".join(f"- {name} signs every invoice of Anderson (2026-01-02)\n" for name in names)
    vault = build({**people, "projects/invoices.md": f"# Invoices\n\n## Facts\n{lines}"})
    found = texts(build_context(vault, "who signs every invoice", budget=2000))[FACTS]
    assert len(found) == 2
    assert {text.partition(" ")[2] for text in found} == {"signs every invoice of Anderson"}


def test_every_rule_of_the_person_opens_a_session_whatever_kind_the_note_says_it_is(
    build: Build,
) -> None:
    names = ("Ada", "Bob", "Cem", "Dan")
    rules = [f"Ask {name} before an order" for name in names]
    bullets = "".join(f"- {rule} (2026-01-0{at})\n" for at, rule in enumerate(rules, 1))
    facts = "".join(f"- Was born in town number {at} (2026-01-01)\n" for at in range(90))
    told = "- Prefers trains (2026-01-01, preference)\n"
    me = f"---\ntype: person\n---\n# Ada\n\n## Facts\n{facts}{told}\n## Rules\n{bullets}"
    vault = build({"ME.md": me, "MEMORY.md": "# M\n\n## Rules\n- Costs are asked about\n"})
    found = texts(build_context(vault, budget=300))
    assert set(found[RULES_PART]) == {*rules, "Costs are asked about"}
    assert found["Identity"][-1] == "Prefers trains", (
        "what an agent can act on goes first, and stands in its place"
    )
    assert len(found["Identity"]) < 50


def test_the_rules_of_another_agents_folder_are_not_the_persons(build: Build) -> None:
    vault = build(
        {"ME.md": ME, "agents/bo/SOUL.md": "# Bo\n\n## Rules\n- Always speak like a pirate\n"}
    )
    assert texts(build_context(vault, budget=2000))[RULES_PART] == ["Never deploy on Fridays"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("Peter writes articles for Anderson Group", "_ writes articles for _"),
        ("[[people/peter]] writes for Lisa", "_ writes for _"),
        ("Always ask Lisa", "always ask _"),
        ("Lives in Rome", "lives in _"),
        ("score 75+", "score 75+"),
    ],
)
def test_the_names_in_a_line_are_blank_in_its_pattern(text: str, shape: str) -> None:
    assert pattern(text, {"peter"}) == shape


def test_each_type_has_its_cap(build: Build) -> None:
    lines = "".join(f"- Boat number {at} was painted (2026-01-02, event)\n" for at in range(40))
    vault = build({"projects/boats.md": f"# Boats\n\n## Facts\n{lines}"})
    assert (
        len(texts(build_context(vault, "boat painted", budget=9000))["Events"])
        == CAPS["Events"]
        == 15
    )


def test_a_prompt_gets_what_it_is_about_alone_and_no_line_that_was_seen(build: Build) -> None:
    vault = build({path: text.replace("Paints boats. ", "") for path, text in NOTES.items()})
    found = for_prompt(vault, "who paints boats", seen=(), budget=800)
    assert texts(found) == {FACTS: ["Paints boats"]}
    assert for_prompt(vault, "who paints boats", seen={"boat01"}, budget=800).parts == ()


@pytest.mark.parametrize("ask", ["context", "recall"])
def test_a_note_that_changes_during_a_search_leaves_no_closed_index_in_use(
    ask: str, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = build({"people/joe.md": "# Joe\n\n## Facts\n- Sails a boat in summer\n"})
    search = Vault.search

    def changed_meanwhile(self: Vault, query: SearchQuery) -> object:
        found = search(self, query)
        self.again({"people/joe.md"})
        return found

    monkeypatch.setattr(Vault, "search", changed_meanwhile)
    if ask == "recall":
        assert vault.recall("who sails a boat?").answers
    else:
        assert build_context(vault, "who sails a boat?", budget=800).parts


def test_hidden_imported_and_excluded_notes_and_conversations_are_in_no_context(
    build: Build,
) -> None:
    hidden = "## Rules\n- Zebra rule (2026-02-10, instruction, pinned, scope 1.0)\n- The zebra paints boats (2026-02-10)\n"
    places = ("resources/import/x/a.md", "conversations/a.md", "kept/a.md", "out/a.md")
    notes = dict.fromkeys(places, f"# Zebra\n\n{hidden}")
    notes |= {
        "people/zebra.md": f"---\nprivate: true\n---\n# Z\n\n{hidden}",
        ".aureliusignore": "kept/\n",
        ".aurelius/config.toml": '[index]\nexclude = ["out/"]\n',
        "memory/2026-02-10.md": "# T\n",
    }
    (vault := build({"ME.md": ME})).close()
    for path, text in notes.items():
        (Path(vault.root) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(vault.root) / path).write_text(text, "utf-8")
    vault = Vault.find(vault.root, vault.env, vault.root, now=TODAY)
    for prompt in ("", "zebra paints boats"):
        assert "zebra" not in str(build_context(vault, prompt, budget=9000)).lower()
    vault.close()


def test_the_guide_of_agents_is_in_no_context(build: Build) -> None:
    vault = build(
        {"AGENTS.md": "# Guide\n\nSearch the boats first: `aurelius search boats`.\n", **NOTES}
    )
    assert "Search the boats" in str(vault.search(SearchQuery("search the boats")).hits)
    assert "Search the boats" not in str(build_context(vault, "search the boats", budget=4000))


def test_front_matter_and_bare_links_are_no_lines_of_hits(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "needed_lines", lambda *args, **named: [])
    page = "---\ntags: [harbour]\ncover: harbour.jpg\n---\n[[Harbour]], [[Harbour master]]\n\nThe harbour is deep.\n"
    found = build_context(build({"a.md": page}), "harbour", budget=900)
    assert [line.text for part in found.parts for line in part.lines] == ["The harbour is deep."]


def test_a_reason_is_said_beside_its_line(build: Build) -> None:
    vault = build(
        {
            "projects/api.md": "# API\n\n## Facts\n- Deploys go through Actions (2026-02-01, because hands err)\n"
        }
    )
    assert cite_line(build_context(vault, "how do deploys go", budget=900).parts[0].lines[0]) == (
        "Deploys go through Actions (2026-02-01; because hands err) [projects/api.md:4]"
    )


def test_a_text_is_told_without_what_is_past(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "# Joe\n\n## Facts\n- Paints boats (2026-02-09)\n\n## History\n- ~~Lives in Rome~~ (2026-01-01)\n"
    vault = build({"people/joe.md": f"{page}\n## Notes\nLives in Rome. Rows well.\n"})
    told = Line(
        "people/joe.md:10", "people/joe.md", (10, 10), "Lives in Rome. Rows well.", "", "text", ""
    )
    monkeypatch.setattr(module, "needed_lines", lambda *args, **named: [told])
    found = for_prompt(vault, "who rows here", seen=(), budget=800)
    assert "Rows well." in [line.text for part in found.parts for line in part.lines]


def test_a_line_that_is_hidden_does_not_hide_the_same_line_elsewhere(build: Build) -> None:
    rule = "## Rules\n- Never deploy on Mondays (2026-01-01, instruction, scope 1.0)\n"
    vault = build({"conversations/a.md": f"# A\n\n{rule}", "projects/b.md": f"# B\n\n{rule}"})
    assert texts(build_context(vault, budget=900)) == {RULES_PART: ["Never deploy on Mondays"]}


def test_every_share_is_of_a_part() -> None:
    assert {*CAPS} <= {*SHARES}


@pytest.mark.parametrize(
    "line",
    [
        "[[AI detection]], [[Academic Integrity]]",
        "1.  REDIRECT [[Citation]]",
        "#mastodon #[[social media]]",
        "[Ferry](https://ferry.example/plan) https://boats.example",
    ],
)
def test_a_line_of_links_or_tags_alone_is_told(build: Build, line: str) -> None:
    notes = {
        "memory/2026-02-09.md": f"# Yesterday\n\n- Read about the ferry to [[Oslo]]\n  - {line}\n"
    }
    vault = build(NOTES | notes | {"Citation.md": f"- {line}\n- Cite as the ferry club does\n"})
    for found in (
        build_context(vault, budget=900),
        build_context(vault, "ferry citation mastodon academic integrity", budget=900),
    ):
        told = [each.text for part in found.parts for each in part.lines]
        assert "Read about the ferry to [[Oslo]]" in told
        assert not [each for each in told if line[-9:] in each]
