from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.spelling import count_tokens

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


@pytest.mark.parametrize(
    ("budget", "kept", "left_out"),
    [(None, 3, 4), (72, 3, 4), (71, 2, 5), (42, 2, 5), (41, 1, 6), (9, 0, 7)],
)
def test_a_budget_keeps_whole_hits(budget: int | None, kept: int, left_out: int) -> None:
    """What did not fit is counted, and the line that says so is paid for."""
    from aurelius.cli.commands.search import within_budget

    pieces = ["x" * 40, "x" * 80, "x" * 120]
    assert within_budget(pieces, budget, 4, lambda count: "." * 48 if count else "") == (
        kept,
        left_out,
    )


@pytest.mark.parametrize(
    "form", ["", "--json", "--jsonl", "--md", "--paths", "--explain", "--format={path} {text}"]
)
def test_a_budget_bounds_all_that_is_printed(form: str, aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    counts = []
    for budget in (60, 200, 700, 1500):
        done = aurelius("search", "joe", "--budget", str(budget), *filter(None, [form]), cwd=there)
        assert count_tokens(done.out) <= budget or "budget is too small" in done.out, (form, budget)
        counts.append(done.out.count("path") + done.out.count(".md"))
    assert counts == sorted(counts), "more tokens, more hits"
    assert counts[0] < counts[-1] or form == "--paths"


@pytest.mark.parametrize("form", ["", "--json", "--jsonl", "--md", "--explain"])
def test_a_hit_longer_than_the_budget_is_cut_to_it(
    form: str, aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("empty")
    for number in range(3):
        text = "Boats lie in the harbour. " * 60
        (there / f"{number}.md").write_text(f"# River {number}\n\n{text}\n", "utf-8")
    more = ["boats", *filter(None, [form]), "--no-use"]
    whole = count_tokens(aurelius("search", *more, "-n", "1", cwd=there).out)
    for less in (8, 12, 20):
        done = aurelius("search", *more, "--budget", str(whole - less), cwd=there)
        assert count_tokens(done.out) <= whole - less
        assert "Boats" in done.out
        assert "…" in done.out
    small = aurelius("search", *more, "--budget", "10", cwd=there)
    told = json.loads(small.out)["hint"] if form == "--json" else small.err
    found = re.search(r"the budget is too small for one hit: --budget (\d+)", told)
    assert found
    again = aurelius("search", *more, "--budget", found[1], cwd=there)
    assert "Boats" in again.out
    assert "too small" not in again.out + again.err


def test_the_json_of_hits_is_at_most_twice_their_text(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    (there / "long.md").write_text(
        "# Long\n\n" + "The joe river lives and works in what we plan. " * 60, "utf-8"
    )
    plain = whole = 0
    for words in (
        "joe",
        "where does sarah work",
        "what is planned",
        "standard of the house",
        "friend",
        "river",
    ):
        plain += len(aurelius("search", words, "--no-use", cwd=there).out)
        answer = json.loads(aurelius("search", words, "--no-use", "--json", cwd=there).out)
        whole += len(json.dumps(answer["hits"], ensure_ascii=False, separators=(",", ":")))
    assert whole <= 2 * plain


def test_a_search_stays_small_where_texts_and_headings_are_huge(
    aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("empty")
    for number in range(12):
        word = f"tea{number} "
        (there / f"{number}.md").write_text(
            f"# {word * 400}\n\n## {word * 300}\n\n```\ntea {word * 4000}\n```\n", "utf-8"
        )
    for form in ([], ["--json"], ["--jsonl"], ["--md"], ["--explain"]):
        done = aurelius("search", "tea", *form, cwd=there)
        assert 0 < len(done.out) <= 16_000, form
        assert "tea" in done.out


def test_a_hit_leaves_out_what_its_other_keys_say(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("empty")
    (there / "own.md").write_text("---\ntitle: Zanzibar\n---\n## Plans\n\nDrink oolong.\n", "utf-8")
    (there / "sencha.md").write_text("Drink sencha.\n", "utf-8")
    hits = {}
    for word in ("oolong", "sencha"):
        answer = json.loads(aurelius("search", word, "--mode", "keyword", "--json", cwd=there).out)
        hits[word] = answer["hits"][0]
    assert (hits["oolong"]["title"], hits["oolong"]["heading"][0]) == ("Zanzibar", "Plans")
    assert list(hits["sencha"]) == ["path", "lines", "kind", "score", "text"]


def test_a_budget_without_a_limit_looks_further_than_ten(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    few = aurelius("search", "joe", "--jsonl", cwd=there).out.count("\n")
    many = aurelius("search", "joe", "--jsonl", "--budget", "100000", cwd=there).out.count("\n")
    assert few == 10 < many


def test_a_search_in_an_ignored_folder_says_by_which_rule(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("sample")
    (root / "drafts").mkdir()
    (root / "drafts" / "x.md").write_text("# X\n")
    (root / ".aureliusignore").write_text("# mine\ndrafts/\n")
    told = "drafts is ignored (.aureliusignore:2), so it is neither searched nor shown"
    assert told in aurelius("search", "tea", "--in", "drafts", cwd=root).err
    assert (
        json.loads(aurelius("search", "tea", "--in", "drafts", "--json", cwd=root).out)["hint"]
        == told
    )
    assert (
        "there is no note at nowhere" in aurelius("search", "tea", "--in", "nowhere", cwd=root).err
    )


def test_a_search_finds_what_was_saved_a_moment_ago(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    aurelius("index", cwd=there)
    note = there / "people" / "sarah.md"
    for word in ("marmalade", "periscope"):
        note.write_text(note.read_text("utf-8") + f"- Likes {word}\n", "utf-8")
        assert word in aurelius("search", word, "--mode", "keyword", cwd=there).out
    note.unlink()
    assert aurelius("search", "periscope", "--mode", "keyword", cwd=there).out == ""


def test_the_limit_and_mode_of_the_settings_hold_until_the_line_says_otherwise(
    aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("template")
    (there / ".aurelius" / "config.toml").write_text(
        '[search]\nlimit = 2\nmode = "keyword"\nfusion = "rrf"\n', "utf-8"
    )
    answer = json.loads(aurelius("search", "joe", "--json", cwd=there).out)
    assert (len(answer["hits"]), answer["mode"], answer["fusion"]) == (2, "keyword", "rrf")
    answer = json.loads(
        aurelius(
            "search",
            "joe",
            "--json",
            "-n",
            "3",
            "--mode",
            "hybrid",
            "--fusion",
            "weighted",
            cwd=there,
        ).out
    )
    assert (len(answer["hits"]), answer["mode"], answer["fusion"]) == (3, "hybrid", "weighted")


BOAT = "# Boat\n\n## Facts\n- Ferry ticket was booked for Friday (2026-02-01, because ^calm01) ^ferr01\n"
HOTEL = "# Hotel\n\n## Facts\n- Room costs ninety crowns a night (2026-02-01) ^room01\n- Breakfast is early (2026-02-01)\n"
WEATHER = "# Weather\n\n## Facts\n- Sea is calm that day (2026-02-01) ^calm01\n"


@pytest.fixture
def journey(vault: Vaults) -> Path:
    there = vault("empty")
    (there / ".aurelius").mkdir(exist_ok=True)
    for name, text in (("boat", BOAT), ("hotel", HOTEL), ("weather", WEATHER)):
        (there / f"{name}.md").write_text(text, "utf-8")
    return there


def brought(aurelius: Aurelius, there: Path, question: str, *extra: str) -> list[tuple[str, str]]:
    answers = json.loads(aurelius("recall", question, "--json", "--no-use", *extra, cwd=there).out)[
        "answers"
    ]
    return [(each["reason"], each["id"]) for answer in answers for each in answer["chain"]]


def test_facts_used_in_one_session_are_recalled_together_where_the_question_asks(
    aurelius: Aurelius, journey: Path
) -> None:
    question = "which room did we take with the ferry ticket"
    assert ("related", "room01") not in brought(aurelius, journey, question, "-n", "1")
    for at, key in enumerate(("ferr01", "room01")):
        aurelius("get", key, "--session", "s1", "--now", f"2026-02-10T09:0{at}", cwd=journey)
    assert ("related", "room01") in brought(aurelius, journey, question, "-n", "1")
    assert brought(aurelius, journey, "when is the ferry ticket booked") == [("because", "calm01")]
    printed = aurelius("recall", question, "-n", "1", "--no-use", cwd=journey).out
    assert "  related: Room costs ninety crowns a night (^room01)  hotel.md:4" in printed


@pytest.mark.parametrize(
    "clock", ["09:00", "09:0{}"], ids=["a clock that stands still", "a moving clock"]
)
def test_facts_used_together_in_several_sessions_are_related_and_found_as_before(
    clock: str, aurelius: Aurelius, journey: Path
) -> None:
    def found() -> list[tuple[str, float]]:
        hits = json.loads(
            aurelius("search", "ferry ticket", "--json", "--no-use", cwd=journey).out
        )["hits"]
        return [(hit["id"], hit["score"]) for hit in hits]

    before = found()
    for day in range(10, 13):
        for at, key in enumerate(("^ferr01", "^room01")):
            aurelius(
                "get",
                key,
                "--session",
                f"s{day}",
                "--now",
                f"2026-02-{day}T{clock.format(at)}",
                cwd=journey,
            )
        aurelius(
            "search",
            "sea calm breakfast",
            "--session",
            f"t{day}",
            "--now",
            f"2026-02-{day}T11:00",
            cwd=journey,
        )
    shown = json.loads(aurelius("graph", "ferr01", "--type", "related", "--json", cwd=journey).out)[
        "edges"
    ]
    assert [(edge["target"].get("id"), round(edge["weight"], 1)) for edge in shown] == [
        ("room01", 0.5)
    ]
    assert ("related", "room01") in brought(
        aurelius, journey, "which room with the ferry ticket", "-n", "1"
    )
    assert found() == before
    assert (
        json.loads(aurelius("graph", "calm01", "--type", "related", "--json", cwd=journey).out)[
            "edges"
        ]
        == []
    )


def test_an_answer_is_used_and_what_comes_with_it_is_not(aurelius: Aurelius, journey: Path) -> None:
    aurelius("recall", "ferry ticket", "--now", "2026-02-10", cwd=journey)
    used = {
        name: json.loads(
            aurelius("status", "--tiers", name, "--json", "--now", "2026-02-11", cwd=journey).out
        )["facts"][0]
        for name in ("boat", "weather")
    }
    assert (used["boat"]["accessCount"], used["weather"]["accessCount"]) == (1, 0)


@pytest.mark.parametrize("form", ["", "--json", "--explain"])
def test_a_budget_bounds_a_recall(form: str, aurelius: Aurelius, journey: Path) -> None:
    counts = []
    for budget in (10, 40, 150, 400, 1000):
        done = aurelius(
            "recall",
            "ferry ticket",
            "--no-use",
            "--budget",
            str(budget),
            *filter(None, [form]),
            cwd=journey,
        )
        assert count_tokens(done.out) <= budget or "budget is too small" in done.out + done.err, (
            form,
            budget,
        )
        counts.append(done.out.count("boat.md") + done.out.count("weather.md"))
    assert (counts, counts[0], counts[-1]) == (sorted(counts), 0, 2), "more tokens, more lines"


@pytest.mark.parametrize("form", ["", "--json", "--explain"])
def test_the_first_answer_is_cut_where_it_does_not_fit_the_budget_as_a_whole(
    form: str, aurelius: Aurelius, journey: Path
) -> None:
    (journey / "boat.md").write_text(
        "# Boat\n\n" + "A ferry ticket costs more in summer than in spring. " * 40, "utf-8"
    )
    done = aurelius(
        "recall", "ferry ticket", "--no-use", "--budget", "100", *filter(None, [form]), cwd=journey
    )
    assert count_tokens(done.out) <= 100
    assert "A ferry ticket costs" in done.out
    assert "too small" not in done.out + done.err


def test_at_most_five_are_recalled_and_nothing_where_nothing_is_near(
    aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("template")
    for name in ("anna", "bella", "clara", "doris", "edda", "freya", "greta"):
        (there / f"{name}.md").write_text(
            f"# Ferry {name}\n\n## Facts\n- Sails on to {name} (2026-02-01)\n", "utf-8"
        )
    many = aurelius("recall", "ferry sails", "-n", "9", "--json", "--no-use", cwd=there)
    paths = [each["path"] for each in json.loads(many.out)["answers"]]
    assert len(paths) == 5
    assert len(set(paths)) == len(paths), "one for each note"
    assert "showing at most 5 answers, not 9" in many.err
    none = aurelius("recall", "zzzzqqq", "--no-use", cwd=there)
    assert (none.code, none.out) == (0, "")
    assert "nothing found" in none.err


def test_a_recall_without_a_question_is_refused(aurelius: Aurelius, journey: Path) -> None:
    for empty in ("", "  "):
        done = aurelius("recall", empty, cwd=journey)
        assert (done.code, done.out) == (2, "")
        assert "missing argument: QUESTION" in done.err


def test_the_filters_of_search_choose_the_answers_alone(aurelius: Aurelius, journey: Path) -> None:
    assert brought(aurelius, journey, "ferry ticket", "--in", "boat.md") == [("because", "calm01")]
    there = json.loads(
        aurelius("recall", "ferry", "--json", "--in", "weather.md", cwd=journey).out
    )["answers"]
    assert {each["path"] for each in there} == {"weather.md"}
    later = json.loads(
        aurelius("recall", "ferry ticket", "--json", "--since", "2026-02-02", cwd=journey).out
    )
    assert later["answers"] == []
