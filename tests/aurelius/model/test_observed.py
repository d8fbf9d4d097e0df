"""What a model observes over days is proposed with its days, and is a reason for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.chat.reply import reply_to
from aurelius.chat.talk import Talk
from aurelius.memory.context import for_prompt, gather_context
from aurelius.memory.conversation import plan_observations, worth_keeping
from aurelius.memory.relevance import likely_lines
from aurelius.memory.review import accept, all_matters
from aurelius.model.observed import observations
from aurelius.model.questions import Questions
from aurelius.plans.plan import Desk, carry_out
from tests.aurelius.memory.test_conversation import ACTUALLY, MILA, desk, text
from tests.aurelius.model.test_named_sentences import Says
from tests.aurelius.model.test_questions import Fake

DAYS = {
    "memory/2026-02-06.md": "# 2026-02-06\n\n- Slept badly after the late call with Ann\n- Bought bread\n",
    "memory/2026-02-08.md": "# 2026-02-08\n\n- Slept badly, the call went on until 23:00\n- The wifi password is Quetzal9xTr0ub4dor\n\n## Captured\n\n- Ann likes quetzals (2026-02-08) ^wait01\n",
    "memory/2026-02-09.md": "---\nprivate: true\n---\n# 2026-02-09\n\n- Slept badly because of the quetzals\n",
    "agents/bob/memory/2026-02-09.md": "# 2026-02-09\n\n- Bob saw quetzals, and slept badly\n",
}
BADLY = "Sleeps badly after late calls"
OBSERVED = f"{BADLY}. [{{Slept badly after}}, {{Slept badly, the}}]"
DAY = "memory/2026-02-10.md"


@pytest.fixture
def here(vault: Any, env: dict[str, str]) -> Iterator[Desk]:
    root: Path = vault("empty")
    for path, content in DAYS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    made = desk(root, env)
    yield made
    made.vault.close()


def texts(here: Desk, answer: str) -> list[str]:
    return [each.text for each in observations(Says(answer), here)]


def written(here: Desk) -> str:
    carry_out(here, plan_observations(here, observations(Says(OBSERVED), here)))
    here.vault.refresh()
    return text(Path(here.vault.root), DAY)


def test_what_several_days_bear_out_is_proposed_with_them(here: Desk) -> None:
    note = written(here)
    assert "## Captured" in note
    assert (
        f"- {BADLY}. (2026-02-10, observation, inferred,"
        " from [[memory/2026-02-06]] and [[memory/2026-02-08]]) ^"
    ) in note


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "NOTHING",
        "I cannot help with that.",
        f"{BADLY}.",
        f"{BADLY}. [L998, L999]",
        f"{BADLY}. [{{Slept badly after}}]",
        f"{BADLY}. [{{Slept badly after}}, {{Bought bread}}]",
        "Sleeps badly because of Joe. [{Slept badly after}, {Slept badly, the}]",
        "Sleeps badly on 17 days. [{Slept badly after}, {Slept badly, the}]",
        "Sleeps badly: [see](http://evil.example). [{Slept badly after}, {Slept badly, the}]",
        "Sleeps badly. <img src=x> [{Slept badly after}, {Slept badly, the}]",
        f"Sleeps {'very ' * 60}badly. [{{Slept badly after}}, {{Slept badly, the}}]",
    ],
)
def test_what_lines_do_not_bear_out_is_not_proposed(answer: str, here: Desk) -> None:
    assert texts(here, answer) == []


def test_nothing_private_secret_proposed_or_of_agents_is_sent(here: Desk) -> None:
    says = Says("NOTHING")
    observations(says, here._replace(private=True))
    assert "until 23:00" in says.sent
    assert "quetzal" not in says.sent.casefold()


def test_one_day_alone_asks_nothing(here: Desk) -> None:
    says = Says("NOTHING")
    assert observations(says, here, "2026-02-07") == []
    assert says.asked == []


def test_a_late_model_proposes_nothing(here: Desk) -> None:
    assert observations(Questions(Fake(None), 0.05).ask, here) == []


def test_what_was_proposed_is_not_proposed_again(here: Desk) -> None:
    assert BADLY in written(here)
    assert texts(here, OBSERVED) == []


def test_a_guess_is_a_reason_for_nothing(here: Desk) -> None:
    assert BADLY in written(here)
    found = for_prompt(here.vault, "How do I sleep after late calls?", seen=(), budget=800)
    told = [line.text for part in found.parts for line in part.lines]
    told += [line.text for line in likely_lines(here.vault, "late calls", (), 40)]
    told += [line.text for part in gather_context(here.vault, "late calls") for line in part.lines]
    reply = reply_to(here.vault, Talk(), "How do I sleep after late calls?")
    told += [each.line.text for each in reply.lines]
    assert told
    assert f"{BADLY}." not in told


@pytest.mark.parametrize("inferred", ["", "inferred, "])
def test_no_question_is_asked_because_of_a_guess(inferred: str, here: Desk) -> None:
    note = Path(here.vault.root) / "memory/2026-02-07.md"
    rule = "Articles must score 75+ on Surfer before publishing"
    note.write_text(
        f"# 2026-02-07\n\n## Captured\n\n- {rule} (2026-02-07, {inferred}from a guess) ^gues01\n"
    )
    here.vault.refresh()
    (made,) = worth_keeping(here, [ACTUALLY])
    assert bool(made.found) == (not inferred)


@pytest.mark.parametrize("inferred", ["", "inferred, "])
def test_a_guess_takes_no_facts_place_and_stays_marked_once_it_is_accepted(
    inferred: str, here: Desk
) -> None:
    root = Path(here.vault.root)
    (root / "people").mkdir(exist_ok=True)
    (root / "people/mila-kovac.md").write_text(MILA)
    (root / "memory/2026-02-07.md").write_text(
        "# 2026-02-07\n\n## Captured\n\n- [[people/mila-kovac|Mila Kovac]]: Lives in Hamburg"
        f" (2026-02-07, {inferred}from a guess) ^gues01\n"
    )
    here.vault.refresh()
    (matter,) = (each for each in all_matters(here) if each.fact.id == "gues01")
    assert (matter.by is None) == bool(inferred)
    carry_out(here, accept(here, matter))
    page = text(root, "people/mila-kovac.md")
    (line,) = (line for line in page.splitlines() if "Hamburg" in line)
    assert ("inferred" in line) == bool(inferred)
    assert ("- Lives in Berlin (2026-01-01)" in page) == bool(inferred)
