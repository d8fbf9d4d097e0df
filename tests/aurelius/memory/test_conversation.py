"""What a person said goes into today's note once, takes the place of what it makes old, and nothing else is written."""

from __future__ import annotations

import datetime
import threading
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aurelius.memory.conversation import Done, after_turns, worth_keeping
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from aurelius.writing.edit import place_of_config

Aurelius = Callable[..., Any]
RULES = """# Memory

## Rules

- All articles must score 75+ on Surfer before publishing (2026-01-10) ^surf75
- Never deploy on Fridays (2026-01-10) ^nodep1
"""
MILA = "---\ntype: person\naliases: [Mila]\n---\n# Mila Kovac\n\n## Facts\n\n- Lives in Berlin (2026-01-01) ^mb0001\n"
DAY = "memory/2026-02-10.md"
ACTUALLY = "actually, articles need 80+ on Surfer now"


class Turn(NamedTuple):
    role: str
    text: str


@pytest.fixture
def root(vault: Callable[[str], Path]) -> Path:
    there = vault("empty")
    for path, text in (("MEMORY.md", RULES), ("people/mila-kovac.md", MILA)):
        (there / path).parent.mkdir(parents=True, exist_ok=True)
        (there / path).write_text(text, "utf-8", newline="")
    return there


@pytest.fixture
def say(root: Path, env: dict[str, str]) -> Callable[..., Done]:
    def said(
        *messages: str,
        event: str = "stop",
        session: str = "abcdef1234",
        clock: str = "14:05",
        role: str = "user",
        touched: Sequence[str] = (),
    ) -> Done:
        here = desk(root, env, clock)
        try:
            return after_turns(
                here, [Turn(role, each) for each in messages], session, event, touched=touched
            )
        finally:
            here.vault.close()

    return said


def desk(root: Path, env: dict[str, str], clock: str = "14:05") -> Desk:
    now = datetime.datetime.fromisoformat(f"2026-02-10T{clock}:00")
    vault = Vault.find(str(root), env, str(root), now=now)
    vault.refresh()
    return Desk(vault, place_of_config(vault.config, vault.env)._replace(now=now.timestamp()), now)


def text(root: Path, path: str = DAY) -> str:
    return (root / path).read_text("utf-8") if (root / path).exists() else ""


def test_what_was_said_does_not_stand_under_captured(root: Path, say: Callable[..., Done]) -> None:
    say("rewrite this for Mila, she moved to Hamburg in January, and keep it short")
    line = "rewrite this for Mila, she moved to Hamburg in January, and keep it short (2026-02-10"
    assert f"## Captured\n\n- [[people/mila-kovac|Mila Kovac]]: {line}" in text(root)


def test_the_same_words_are_written_twice(root: Path, say: Callable[..., Done]) -> None:
    say(ACTUALLY)
    before = text(root)
    assert say(ACTUALLY, ACTUALLY) == Done()
    assert say(ACTUALLY, event="session-end") == Done()
    assert text(root) == before


@pytest.mark.parametrize("message", ["thanks", "what time is it?", "continue", ""])
def test_a_message_that_tells_nothing_makes_a_note(
    root: Path, say: Callable[..., Done], message: str
) -> None:
    assert say(message) == Done()
    assert not text(root)


def test_words_of_the_assistant_are_kept(root: Path, say: Callable[..., Done]) -> None:
    assert say(ACTUALLY, role="assistant") == Done()
    assert not text(root)


def test_proposing_changes_another_note_or_asks_nothing(
    root: Path, say: Callable[..., Done]
) -> None:
    done = say(ACTUALLY)
    assert text(root, "MEMORY.md") == RULES
    assert done.action == (
        'You said "actually, articles need 80+ on Surfer now"; the note says "All articles must score 75+ on Surfer '
        'before publishing" (MEMORY.md:5 ^surf75). Which is correct? `aurelius review` shows both and can replace the '
        "old one."
    )


def test_a_yes_in_review_leaves_the_old_fact(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    say(ACTUALLY, "Mila wrote. She moved to Hamburg in January.")
    assert aurelius("review", "accept", "--all", cwd=root).code == 0
    assert "- ~~All articles must score 75+" in text(root, "MEMORY.md")
    told = "(2026-02-10, instruction, from [[memory/2026-02-10]], updates ^surf75)"
    assert f"- actually, articles need 80+ on Surfer now {told}" in text(root, "MEMORY.md")
    assert "- Mila Kovac moved to Hamburg in January (2026-02-10" in text(
        root, "people/mila-kovac.md"
    )
    assert "- ~~Lives in Berlin~~" in text(root, "people/mila-kovac.md")


def test_apply_does_not_replace_at_once_or_is_not_one_step_back(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    aurelius("config", "set", "capture.replace", "apply", cwd=root)
    assert say("All articles must score 80+ on Surfer before publishing.").action.startswith(
        'I replaced "All articles must score 75+'
    )
    told = aurelius("history", "surf75", cwd=root).out
    assert "80+" in told
    assert "updates ^surf75" in told
    assert aurelius("undo", cwd=root).code == 0
    assert text(root, "MEMORY.md") == RULES
    assert not text(root)


@pytest.mark.parametrize("setting", ["propose", "apply"])
def test_two_lines_that_disagree_without_a_cue_are_no_question(
    root: Path, say: Callable[..., Done], aurelius: Aurelius, setting: str
) -> None:
    aurelius("config", "set", "capture.replace", setting, cwd=root)
    done = say("Always deploy on Fridays")
    assert done.action == (
        'You said "Always deploy on Fridays"; the note says "Never deploy on Fridays" (MEMORY.md:6 ^nodep1). '
        "Which is correct? `aurelius review` shows both and can replace the old one."
    )
    assert text(root, "MEMORY.md") == RULES


def test_apply_replaces_a_line_by_another_sentence(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    aurelius("config", "set", "capture.replace", "apply", cwd=root)
    assert say(ACTUALLY).action.startswith('You said "actually')
    assert text(root, "MEMORY.md") == RULES


def test_of_two_values_that_wait_one_is_taken_by_a_yes_to_everything(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    say(ACTUALLY)
    say("actually, articles need 85+ on Surfer now")
    assert "0 of 2 proposals accepted" in aurelius("review", "accept", "--all", cwd=root).err
    assert text(root, "MEMORY.md") == RULES


@pytest.mark.parametrize(
    "message",
    [
        "the password is Biscuit underscore 2019 bang from May",
        "from now on use the key sk_live_51NzQ8aTf0wXr3JkPq7Lm2Vd9",
    ],
)
def test_a_secret_is_written(root: Path, say: Callable[..., Done], message: str) -> None:
    assert say(message) == Done()
    assert not text(root)


def test_a_session_does_not_get_its_section_with_what_is_new(
    root: Path, say: Callable[..., Done]
) -> None:
    say("we decided to launch on 3 March", event="pre-compact", touched=["a.py", "b.md"])
    assert text(root).endswith(
        "## Session 14:05\n\nFiles touched in session cdef1234: a.py, b.md\n\n"
        "- we decided to launch on 3 March (2026-02-10, decision) " + text(root).rpartition(" ")[2]
    )
    before = text(root)
    assert (
        say("we decided to launch on 3 March", event="session-end", clock="15:00", touched=["a.py"])
        == Done()
    )
    assert text(root) == before
    say("we never ship on the 13th", event="session-end", clock="16:00", touched=["a.py", "c.py"])
    assert "## Session 16:00\n\nFiles touched in session cdef1234: c.py\n\n- we never ship" in text(
        root
    )


def test_a_section_of_a_session_is_its_time_and_what_was_said(
    root: Path, say: Callable[..., Done]
) -> None:
    say("we decided to launch on 3 March", event="session-end")
    say("we never ship on the 13th", event="session-end", session="other", clock="15:00")
    heads = (
        "## Session 14:05\n\n- we decided to launch on 3 March (2026-02-10, decision) ^",
        "\n\n## Session 15:00\n\n- we",
    )
    assert all(head in text(root) for head in heads)
    assert "[[" not in text(root)


def test_each_session_tells_its_files_once(root: Path, say: Callable[..., Done]) -> None:
    say(event="session-end", touched=["a.py"])
    say(event="session-end", session="other", clock="15:00", touched=["a.py"])
    say(event="session-end", clock="16:00", touched=["a.py"])
    assert text(root).count("a.py") == 2


def test_files_that_the_day_before_told_of_the_session_are_not_told_again(
    root: Path, say: Callable[..., Done]
) -> None:
    (root / "memory").mkdir()
    (root / "memory/2026-02-09.md").write_text(
        "## Session 23:50\n\nFiles touched in session cdef1234: a.py\n", "utf-8"
    )
    assert say(event="session-end", touched=["a.py"]) == Done()
    assert not text(root)


def test_what_a_session_decided_holds_before_anybody_said_yes(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    say("we decided to launch on 3 March", event="session-end")
    assert "(2026-02-10, decision, proposed" in aurelius("list", "--type", "decision", cwd=root).out
    assert "launch" in aurelius("review", cwd=root).out


def test_two_hooks_at_once_write_a_line_twice_or_lose_one(root: Path, env: dict[str, str]) -> None:
    failed: list[BaseException] = []

    def run(*messages: str) -> None:
        here = desk(root, env)
        try:
            after_turns(here, [Turn("user", each) for each in messages], "s", "stop")
        except BaseException as error:  # noqa: BLE001  told below
            failed.append(error)
        finally:
            here.vault.close()

    threads = [
        threading.Thread(target=run, args=(ACTUALLY, f"we never ship on the {at}th"))
        for at in (11, 12, 13)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    assert text(root).count("80+") == 1, text(root)
    assert all(f"the {at}th" in text(root) for at in (11, 12, 13)), text(root)


def test_what_is_known_already_is_kept_once_more(root: Path, env: dict[str, str]) -> None:
    here = desk(root, env)
    assert worth_keeping(here, ["never deploy on Fridays", "Mila lives in Berlin now"]) == []
    here.vault.close()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("never send mails for me, drafts only", "instruction"),
        ("we decided to close the shop", "decision"),
        ("I'm a nurse at the clinic in Leeds now", "identity"),
        ("Mila prefers tea and never drinks coffee", "preference"),
        ("we will move in on 30 May", "plan"),
        ("the deadline is the 3rd of March", "event"),
        ("harbor has moved to postgres 16 since last week", "fact"),
        ("My wife Lena is allergic to penicillin", "fact"),
    ],
)
def test_a_statement_has_another_type(
    root: Path, env: dict[str, str], text: str, wanted: str
) -> None:
    here = desk(root, env)
    assert [each.type for each in worth_keeping(here, [text])] == [wanted]
    here.vault.close()


SHOP = (
    "---\ntype: project\n---\n# Billing API\n\n## Facts\n\n- Uses npm (2026-01-01, instruction) ^npm001\n"
    "- Runs on Postgres 15 (2026-01-01) ^pg0001\n"
)


def test_apply_leaves_the_same_sentence_with_another_value_or_replaces_by_a_cue(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    aurelius("config", "set", "capture.replace", "apply", cwd=root)
    (root / "projects").mkdir()
    (root / "projects/billing-api.md").write_text(SHOP, "utf-8")
    say("Billing API runs on Postgres 17.")
    say("From now on use pnpm in the billing API, never npm.")
    page = text(root, "projects/billing-api.md")
    assert "- Billing API runs on Postgres 17 (" in page, page
    assert "~~Runs on Postgres 15~~" in page, page
    assert "- Uses npm (2026-01-01, instruction) ^npm001" in page


def test_a_correction_strikes_the_line_that_it_may_correct(
    root: Path, say: Callable[..., Done]
) -> None:
    say("From this month on my accountant is Budi Santoso.")
    before = text(root)
    say("Correction: the accountant is Rina, not Budi.")
    assert text(root).startswith(before.rstrip("\n"))
    assert "- Correction: the accountant is Rina, not Budi (" in text(root)


def test_two_captured_lines_that_disagree_are_not_asked_about(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    say("Our launch is on 3 March.")
    say("Our launch is on 9 March.")
    listed = aurelius("review", cwd=root).out
    assert "would replace" in listed, listed
    assert "not certain" in listed
    assert "0 of 1 " not in aurelius("review", "accept", "--all", cwd=root).err
    assert "~~" not in text(root)


def test_what_the_person_says_of_themselves_is_about_somebody_else(
    root: Path, env: dict[str, str]
) -> None:
    (root / "people/mila-kovac.md").write_text(
        MILA + "- Works for Portland Movers in May (2026-01-01)\n", "utf-8"
    )
    here = desk(root, env)
    assert [
        each.page for each in worth_keeping(here, ["Mila wrote. I'm moving to Portland in May."])
    ] == [""]
    assert worth_keeping(here, ["No, they raised it to 1,350 EUR."]) == []
    here.vault.close()


RIET = (
    "---\ntype: person\n---\n# Riet\n\n## Facts\n\n- Lives in Zutphen (2026-01-01) ^rt0001\n"
    "- Mobile is 06-1234, answers only before eight and after four (2026-01-01) ^rt0002\n"
)


def test_two_statements_about_one_fact_lose_what_was_said_beside_them(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    aurelius("config", "set", "capture.replace", "apply", cwd=root)
    (root / "people/riet.md").write_text(RIET, "utf-8")
    say("Riet lives in Olst now", "I decided to buy a new kiln", "No, Riet lives in Bathmen now")
    assert all(each in text(root) for each in ("Olst", "new kiln", "No, Riet lives in Bathmen now"))
    assert text(root, "people/riet.md") == RIET
    say("Riet lives in Deventer now")
    assert "- Riet lives in Deventer now" in text(root, "people/riet.md")


def test_a_fact_that_says_more_is_lost_with_its_value(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    aurelius("config", "set", "capture.replace", "apply", cwd=root)
    (root / "people/riet.md").write_text(RIET, "utf-8")
    say("Riet has a new mobile number since last week, it is 06-9999 now")
    assert "- Mobile is 06-1234, answers only before eight and after four (" in text(
        root, "people/riet.md"
    )


@pytest.mark.parametrize(
    "message",
    [
        "Answer this mail: Hi Judith, I now live at Kerkstraat 1, Olst since March. Kind regards, Riet",
        "Subject: new address\nFrom: Riet\nI have moved to Olst in March",
        "off the record, Mila moved to Paris in May",
        "please do not save this. Mila moved to Paris in May",
        "in this file we always use tabs from now on",
        "let's pretend I moved to Paris in May",
    ],
)
def test_what_the_person_did_not_say_or_forbids_is_kept(
    root: Path, say: Callable[..., Done], message: str
) -> None:
    assert say(message) == Done()
    assert not text(root)


@pytest.mark.parametrize(
    ("path", "fact", "message"),
    [
        (
            "archives/weekly/2026-W03.md",
            "Call with the plumber at 8 am",
            "Call me at 9 am from now on, not 8",
        ),
        (
            "backups/areas/shop.md",
            "The shop rent is 1200 euros",
            "The shop rent is 1300 euros now, not 1200",
        ),
        (
            "areas/health.md",
            "Needs eight hours in bed",
            "Piet Vos charges 95 euros an hour, not 8 hours flat",
        ),
    ],
)
def test_an_archived_note_a_backup_or_a_page_of_something_else_takes_what_was_said(
    root: Path, env: dict[str, str], path: str, fact: str, message: str
) -> None:
    (root / path).parent.mkdir(parents=True)
    (root / path).write_text(f"# Notes\n\n## Facts\n\n- {fact} (2026-01-01)\n", "utf-8")
    here = desk(root, env)
    assert [(each.page, each.found) for each in worth_keeping(here, [message])] == [("", None)]
    here.vault.close()


def test_all_is_said_yes_to_though_a_line_does_not_say_where_it_belongs(
    root: Path, say: Callable[..., Done], aurelius: Aurelius
) -> None:
    (root / "areas").mkdir()
    oven = "- Rents the oven from Debag for 310 euros a month (2026-01-01) ^oven01"
    (root / "areas/finances.md").write_text(f"# Finances\n\n## Facts\n\n{oven}\n", "utf-8")
    say(
        "My sister's rent is 900 euros a month now, not 850.",
        "Mila pays 700 euros a month. She lives in Bremen now.",
    )
    done = aurelius("review", "accept", "--all", cwd=root)
    assert "left: 1 " in done.err, done.err
    assert oven in text(root, "areas/finances.md")
    page = text(root, "people/mila-kovac.md")
    assert "- Mila Kovac lives in Bremen now (2026-02-10" in page
    assert "- ~~Lives in Berlin~~" in page


FORGET = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "cases" / "forget.toml").read_text("utf-8")
)


@pytest.fixture
def full(vault: Callable[[str], Path]) -> Path:
    there = vault("empty")
    for file in FORGET["file"]:
        (there / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        (there / file["path"]).write_text(file["text"].lstrip("\n"), "utf-8", newline="")
    return there


def test_a_request_to_forget_means_another_fact_or_none(full: Path, env: dict[str, str]) -> None:
    here = desk(full, env)
    wrong = []
    for case in FORGET["case"]:
        asked = [each for each in worth_keeping(here, [case["says"]]) if each.type == "forget"]
        means = [each.found[1].text for each in asked if each.found]
        pages = {each.page for each in asked}
        if sorted(means) != sorted(case.get("means", ())) or not pages <= {
            case.get("page", *pages)
        }:
            wrong.append((case["says"], means, pages))
    here.vault.close()
    assert wrong == []


@pytest.fixture
def ask(full: Path, env: dict[str, str]) -> Callable[..., Done]:
    def said(*messages: str, role: str = "user") -> Done:
        here = desk(full, env)
        try:
            return after_turns(here, [Turn(role, each) for each in messages], "abcdef1234", "stop")
        finally:
            here.vault.close()

    return said


def test_what_is_asked_to_be_forgotten_is_no_proposal_or_is_done_unasked(
    full: Path, ask: Callable[..., Done], aurelius: Aurelius
) -> None:
    before = text(full, "people/joe-bloggs.md")
    done = ask("You can forget Joe's phone number now", "Forget that I hate caraway")
    assert text(full, "people/joe-bloggs.md") == before
    assert done.action == (
        'You asked to forget "Phone: 555 0199" (people/joe-bloggs.md:10 ^joe002); `aurelius review` lets it be past.\n'
        'You asked to forget "Hates caraway" (ME.md:5 ^cara01); `aurelius review` lets it be past.'
    )
    assert (
        "- [[people/joe-bloggs|Joe Bloggs]]: Forget: Phone: 555 0199 (2026-02-10, updates ^joe002) ^"
        in text(full)
    )
    assert "2 proposals: 2 requests to forget\n" in aurelius("review", cwd=full).out
    assert ask("You can forget Joe's phone number now", "Forget that I hate caraway") == Done(
        (), done.action
    )


def test_a_yes_to_a_request_to_forget_deletes_the_fact_or_leaves_it_found(
    full: Path, ask: Callable[..., Done], aurelius: Aurelius
) -> None:
    ask(
        "You can forget Joe's phone number now",
        "Forget that I hate caraway",
        "That I work at Initech is not true any more",
    )
    day, joe, me = text(full), text(full, "people/joe-bloggs.md"), text(full, "ME.md")
    done = aurelius("review", "accept", "--all", cwd=full)
    assert "1 of 3 proposals accepted" in done.err  # who the person is, is asked line by line
    assert "- ~~Phone: 555 0199~~ (2025-03-01 → 2026-02-10, superseded by ^" in text(
        full, "people/joe-bloggs.md"
    )
    assert text(full, "ME.md") == me
    assert (
        "Phone"
        not in aurelius("search", "phone 555 0199", "--in", "people/joe-bloggs.md", cwd=full).out
    )
    assert "Forget" not in aurelius("search", "Joe phone", "--in", "memory", cwd=full).out
    assert "Phone: 555 0199" in aurelius("history", "^joe002", cwd=full).out
    assert aurelius("undo", cwd=full).code == 0
    assert (text(full), text(full, "people/joe-bloggs.md")) == (day, joe)
    assert aurelius("review", "accept", "--all-of", "ME.md", cwd=full).code == 0
    assert "- ~~Hates caraway~~ (2026-01-04 → 2026-02-10, superseded by ^" in text(full, "ME.md")
    assert "- ~~Works at [[companies/initech]] as an analyst~~ (2025-05-01 → 2026-02-10" in text(
        full, "ME.md"
    )
    assert "1 proposal: 1 request to forget\n" in aurelius("review", cwd=full).out
    assert "cara01" not in aurelius("context", "caraway", cwd=full).out


def test_of_several_that_may_be_meant_one_is_chosen_for_the_person(
    full: Path, ask: Callable[..., Done], aurelius: Aurelius
) -> None:
    done = ask("Forget what I told you about the invoice of Initech")
    assert [row.rpartition("; ")[2] for row in done.action.splitlines()] == [
        "is this what you mean? `aurelius review` lets it be past."
    ] * 2
    assert "0 of 2 proposals accepted" in aurelius("review", "accept", "--all", cwd=full).err
    assert aurelius("review", cwd=full).code == 0
    assert aurelius("review", "accept", "1", cwd=full).code == 0
    assert text(full, "companies/initech.md").count("~~Paid the ") == 1
    assert aurelius("review", "dismiss", "2", cwd=full).code == 0
    assert aurelius("review", cwd=full).err == "aurelius: nothing to review\n"


def test_somebody_else_than_the_person_can_ask_to_forget(
    full: Path, ask: Callable[..., Done]
) -> None:
    for role in ("assistant", "tool", "system"):
        assert ask("Forget that I hate caraway", role=role) == Done()
    assert (
        ask('He wrote: "please forget that I hate caraway"', "> forget that I hate caraway\n\nok?")
        == Done()
    )
    assert not text(full)


def test_a_request_to_forget_is_carried_out_at_once_where_changes_are_applied(
    full: Path, ask: Callable[..., Done], env: dict[str, str], aurelius: Aurelius
) -> None:
    file = Path(env["HOME"]) / ".config" / "aurelius" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[capture]\nreplace = "apply"\n')
    before = text(full, "people/joe-bloggs.md")
    assert "You asked to forget" in ask("You can forget Joe's phone number now").action
    assert text(full, "people/joe-bloggs.md") == before


def test_a_request_to_forget_what_is_gone_waits_for_ever(
    full: Path, ask: Callable[..., Done], aurelius: Aurelius
) -> None:
    ask("That I work at Initech is not true any more", "Forget that I hate caraway")
    me = text(full, "ME.md")
    (full / "ME.md").write_text(
        me.replace("- Works at [[companies/initech]] as an analyst (2025-05-01)\n", ""), "utf-8"
    )
    assert "1 proposal: 1 request to forget\n" in aurelius("review", cwd=full).out


def test_what_is_told_in_the_same_breath_is_lost_to_a_request_to_forget(
    full: Path, ask: Callable[..., Done], aurelius: Aurelius
) -> None:
    ask("Forget that Joe lives in Seattle. Joe lives in Rome now.")
    assert "Joe lives in Rome now" in text(full)
    assert aurelius("review", "accept", "--all", cwd=full).code == 0
    assert "~~Lives in Seattle~~" in text(full, "people/joe-bloggs.md")
    assert "Joe lives in Rome now (2026-02-10" in text(full, "people/joe-bloggs.md")


def test_what_waits_to_take_the_place_of_a_fact_is_struck_by_a_request_to_forget_that_fact(
    full: Path, ask: Callable[..., Done]
) -> None:
    ask("Joe moved to Rome, he lives in Rome now")
    before = text(full)
    ask("Forget that Joe lives in Seattle")
    assert text(full).startswith(before.rstrip("\n"))


def test_what_is_mine_is_filed_under_what_the_question_before_it_was_about(
    full: Path, ask: Callable[..., Done]
) -> None:
    ask("When is the deadline of the website? My doctor is Dr Amsel.")
    assert "- My doctor is Dr Amsel (2026-02-10" in text(full)


def test_a_sentence_loses_its_condition_its_reason_or_its_day(
    root: Path, say: Callable[..., Done]
) -> None:
    say(
        "For the mill, always send the draft on Thursday, because the fair is that week.",
        "We decided to print the menu on linen. Paper is overkill for ten menus.",
        "The audit of the mill is due next Friday.",
        "We shipped the boxes to Oban on 2024-01-15.",
    )
    kept = text(root)
    assert (
        "- For the mill, always send the draft on Thursday, because the fair is that week (" in kept
    )
    assert "- Paper is overkill for ten menus (" in kept
    assert "due next Friday (next Friday: 2026-02-13) (2026-02-10, plan)" in kept
    assert "- We shipped the boxes to Oban on 2024-01-15 (2024-01-15, event)" in kept


def test_what_was_said_in_an_earlier_session_is_not_asked_about_or_struck(
    root: Path, say: Callable[..., Done]
) -> None:
    say("Rosa works at the town mill.")
    before = text(root)
    done = say("Rosa left the mill, she is at the bank these days.", session="other")
    assert "Rosa works at the town mill" in done.action
    assert text(root).startswith(before.rstrip("\n"))
    assert say("Actually, we decided to buy flour in Ghent.", session="third").action == ""


def test_the_same_sentence_with_another_value_strikes_a_line_that_nobody_let_it(
    root: Path, say: Callable[..., Done]
) -> None:
    done = say("All articles must score 80+ on Surfer before publishing.")
    assert "Which is correct?" in done.action
    assert text(root, "MEMORY.md") == RULES
