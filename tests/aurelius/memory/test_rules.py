"""Standing rules: from every page, the surest first, and none that is quoted, borrowed, past or not confirmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from aurelius.memory.context import RULES_PART, for_opening
from aurelius.memory.relevance import needed_lines
from aurelius.memory.rules import front_page, standing_rules
from aurelius.settings.starting_notes import template_folder
from aurelius.vault import Vault
from tests.conftest import TODAY

Build = Callable[[Mapping[str, str]], Vault]


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


def told(vault: Vault) -> list[str]:
    return [line.text for line in standing_rules(vault)]


def test_rules_come_from_every_page_typed_headed_or_saying_so(build: Build) -> None:
    vault = build(
        {
            "areas/bills.md": "# Bills\n\n- Pay by transfer (2026-01-02, instruction)\n- Rent is 900 (2026-01-02)\n",
            "House rules.md": "# House rules\n\n## Mail\n* plain text, please\n",
            "How we work.md": "# How we work\n\nThe result first, in short sentences.\n",
            "Shop.md": "# Shop\n\nOpen at nine.\n\nNever order from Brakes again.\n",
            "journal/2026-02-08.md": "# Day\n\n* from today all mails go through Ann\n* no rain, only sun\n",
            "journal/2026-02-07.md": "# Day\n\n- Prices without tax (instruction)\n",
        }
    )
    assert set(told(vault)) == {
        "Pay by transfer",
        "plain text, please",
        "The result first, in short sentences.",
        "Never order from Brakes again.",
        "from today all mails go through Ann",
        "Prices without tax (instruction)",
    }


@pytest.mark.parametrize("title", ["Working with me", "Ground rules", "Team writing style"])
def test_a_page_of_what_somebody_wants_is_one_of_rules(build: Build, title: str) -> None:
    assert told(build({"Page.md": f"# {title}\n\n- lists over prose\n"})) == ["lists over prose"]


def test_a_rule_is_cited_by_its_own_line(build: Build) -> None:
    vault = build({"Shop.md": "# Shop\n\nOpen at nine.\n\nNever order from Brakes again.\n"})
    assert [(line.key, line.lines) for line in standing_rules(vault)] == [("Shop.md:5", (5, 5))]


@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md",
        "archives/old.md",
        "templates/client.md",
        "Clippings/rant.md",
        "conversations/2026-01-02.md",
        "resources/import/a.md",
        "resources/book.md",
        "agents/bo/rules.md",
        "people/ann.md",
    ],
)
def test_what_others_said_or_is_put_away_gives_no_rule(build: Build, path: str) -> None:
    vault = build({path: "# Page\n\n- Never eat bread on a Monday\n"})
    assert told(vault) == []


@pytest.mark.parametrize(
    "text",
    [
        "---\nprivate: true\n---\n# Page\n\n- Never eat bread\n",
        "---\nsource: https://bread.example\n---\n# Page\n\n- Never eat bread\n",
        "# Page\n\n> Never eat bread.\n",
        "# House rules\n\n> Never eat bread.\n",
        '# Page\n\n- Gwen: "never eat bread" fair\n',
        "# Page\n\n- ~~Never eat bread~~\n",
        "# Page\n\n- [ ] never eat bread\n",
        "# Page\n\n- Never eat bread\n\n```sh\nls\n```\n",
        "# Page\n\nThey were never seen again.\n",
    ],
)
def test_a_private_quoted_struck_or_technical_line_is_no_rule(build: Build, text: str) -> None:
    assert told(build({"Page.md": text})) == []


def test_what_is_captured_waits_for_a_person(build: Build) -> None:
    day = "# Day\n\n## Captured\n- Always answer in French (2026-02-10, instruction)\n- Never eat bread\n"
    assert told(build({"memory/2026-02-10.md": day})) == []


@pytest.mark.parametrize(
    "text",
    [
        "Agreed with Bo: letters to patients open with the name",
        "Nothing leaves the house before both of us have read it.",
        "Whenever somebody asks for a price they get it with the tax in it, not without.",
    ],
)
def test_what_several_words_say_together_is_a_rule(build: Build, text: str) -> None:
    assert told(build({"Work.md": f"# Work\n\nThe roof was mended in May.\n\n{text}\n"})) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "She was never late.",
        "If you want to see every tab, press the key.",
        "The flat above is empty.",
    ],
)
def test_what_is_told_or_explained_is_no_rule(build: Build, text: str) -> None:
    assert told(build({"Work.md": f"# Work\n\n{text}\n"})) == []


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("Clipping - ten habits.md", "# Ten habits"),
        ("ref/web.md", "# from some blog, hardening"),
        ("Web.md", "# Web\n\nCopied from a newsletter:"),
        ("adr/0001.md", "# Store\n\n- status: superseded by 0006"),
    ],
)
def test_a_page_that_says_it_is_of_another_or_past_gives_no_rule(
    build: Build, path: str, head: str
) -> None:
    text = f"{head}\n\n## Conventions\n\n- Never order from Brakes, whatever they offer\n"
    assert told(build({path: text})) == []


def test_of_a_long_note_only_what_has_a_heading_of_rules_counts(build: Build) -> None:
    text = "# Shop\n\n## House rules\n\n- Mail in Dutch\n\n## Story\n\n- Never order from Brakes, whatever they offer.\n"
    vault = build({"Shop.md": text + "- A sentence of the story.\n" * 90})
    assert told(vault) == ["Mail in Dutch"]


def test_a_rule_comes_with_a_programming_prompt_that_it_shares_words_with(build: Build) -> None:
    rule = "Agreed with Bo: no script deletes a backup before it was restored once"
    vault = build({"Server.md": f"# Server\n\n{rule}\n", "Shop.md": "# Shop\n\nOpen at nine.\n"})
    prompt = "write a python script that removes each backup older than a week"
    assert [line.text for line in needed_lines(vault, prompt)] == [rule]


def test_of_a_very_long_line_the_sentences_around_the_rule_are_told(build: Build) -> None:
    rule = "Never order from Brakes, whatever they offer, and never on the phone."
    text = f"{'The roof was mended in May by a man of few words. ' * 3}{rule} {'It held. ' * 20}"
    (line,) = told(build({"Shop.md": f"# Shop\n\n{text}\n"}))
    assert rule in line
    assert line[:2] == "… "
    assert line[-2:] == " …"
    assert len(line) < 250


def test_those_that_set_a_limit_go_first_then_the_newest(build: Build) -> None:
    me = "# Me\n\n## Rules\n- Mail in Dutch (2026-01-03)\n- Prices with tax (2026-01-04)\n- Never mail on Sunday (2026-01-01)\n"
    vault = build({"ME.md": me, "Shop.md": "# Shop\n\nNever order from Brakes again.\n"})
    assert told(vault) == [
        "Never mail on Sunday",
        "Prices with tax",
        "Mail in Dutch",
        "Never order from Brakes again.",
    ]


def test_a_rule_that_a_later_one_seems_to_change_is_named_by_that_one_alone(build: Build) -> None:
    vault = build(
        {
            "House rules.md": "# House rules\n\n- pictures for the page are square\n- mail in Dutch\n",
            "journal/2026-02-08.md": "# Day\n\n- from today pictures for the page are upright\n",
        }
    )
    lines = {line.text: line.said for line in standing_rules(vault)}
    assert lines == {
        "from today pictures for the page are upright": "House rules.md:3 said otherwise",
        "mail in Dutch": "",
    }


def test_of_a_rule_that_changed_twice_the_last_names_all_others(build: Build) -> None:
    vault = build(
        {
            "House rules.md": "# House rules\n\n- pictures for the page are square\n",
            "journal/2026-02-07.md": "# Day\n\n- from today pictures for the page are upright\n",
            "journal/2026-02-08.md": "# Day\n\n- from today pictures for the page are round\n",
        }
    )
    lines = {line.text: line.said for line in standing_rules(vault)}
    assert lines == {
        "from today pictures for the page are round": (
            "House rules.md:3, journal/2026-02-07.md:3 said otherwise"
        ),
    }


def test_a_front_page_says_whose_the_vault_is(build: Build) -> None:
    home = "# Home\n\nWiki of Pip Garnett.\n\n## Who is writing\n* choir director\n\n## Way in\n* the days are in journal/\n"
    vault = build({"Home.md": home})
    assert [line.text for line in front_page(vault)] == ["Wiki of Pip Garnett.", "choir director"]
    parts = {
        part.title: [line.text for line in part.lines] for part in for_opening(vault, 800).parts
    }
    assert parts == {"Identity": ["Wiki of Pip Garnett.", "choir director"]}


def test_a_session_begins_with_identity_and_rules_and_not_with_the_days(build: Build) -> None:
    vault = build(
        {
            "ME.md": "# Me\n\n## Identity\n- Is called Ada\n",
            "areas/bills.md": "# Bills\n\n- Pay by transfer (2026-01-02, instruction)\n",
            "memory/2026-02-10.md": "# Today\n\n- Called the harbour\n",
        }
    )
    parts = {
        part.title: [line.text for line in part.lines] for part in for_opening(vault, 800).parts
    }
    assert parts == {"Identity": ["Is called Ada"], RULES_PART: ["Pay by transfer"]}


def test_an_example_of_the_template_is_no_rule_however_long_it_is(build: Build) -> None:
    text = Path(template_folder(), "MEMORY.md").read_text("utf-8")
    assert not [line for line in told(build({"MEMORY.md": text})) if "Short on purpose" in line]
    own = text.replace("Short on purpose", "Never longer than a page, and short on purpose")
    assert [line for line in told(build({"MEMORY.md": own})) if "short on purpose" in line]
