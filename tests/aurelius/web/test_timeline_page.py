"""The page of days: what `aurelius days` tells, a year as a picture and as a table, other years."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import TODAY
from tests.pages import Pages, served

NOTES = {
    "memory/2026-02-10.md": "# Tuesday\n\n- Called [[people/joe]] about <b>boats</b>\n\n## Home\n\n- Painted\n  - the door\n",
    "memory/2026-02-03.md": "- Bought paint\n",
    "memory/2025-02-10.md": "- Snow in Oslo\n",
    "memory/2026-01-15.md": "---\nprivate: true\n---\n- Saw the doctor\n",
    "people/joe.md": "# Joe\n\n## Facts\n\n- Lives in Porto (2026-02-03) ^joe001\n",
    "todo.md": "# Lists\n\n- [ ] call Ann 📅 2026-02-10\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(tmp_path)} | {
        f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in names
    }


@pytest.fixture
def pages(vault: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(vault, env, now=TODAY) as found:
        yield found


def days(pages: Pages, query: str) -> list[str]:
    """The days that a page shows, in their order."""
    return re.findall(r' id="day-([^"]*)"', pages.get(f"/memory/timeline{query}").text)


def test_the_last_week_is_shown_and_this_day_in_other_years(pages: Pages) -> None:
    assert days(pages, "") == ["2026-02-10", "2025-02-10"]
    words = pages.get("/memory/timeline").words
    assert "Days from 2026-02-04 to 2026-02-10" in words
    assert "On this day 2025-02-10 Monday" in words


def test_a_day_has_its_lines_and_what_is_of_it_elsewhere(pages: Pages) -> None:
    answer = pages.get("/memory/timeline?day=2026-02-10")
    assert (
        'Called <a href="/note/people/joe.md">Joe</a> about &lt;b&gt;boats&lt;/b&gt;' in answer.text
    )
    assert '<a href="/note/memory/2026-02-10.md">' in answer.text
    assert 'href="/note/memory/2026-02-10.md#line-3"' in answer.text
    assert re.search(r'<li class="deep-1">the door', answer.text)
    assert "Home" in answer.words
    assert "due: call Ann" in answer.words
    assert 'href="/note/todo.md#line-3"' in answer.text
    other = pages.get("/memory/timeline?day=2026-02-03")
    assert "Lives in Porto people/joe.md:5" in other.words


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?day=2026-02", ["2026-02-10", "2026-02-03"]),
        ("?day=last week", ["2026-02-03"]),
        ("?from=2025-01-01&until=2026-02-03", ["2026-02-03", "2025-02-10"]),
        ("?day=10 february&years=yes", ["2026-02-10", "2025-02-10"]),
        ("?day=2026-02-05", ["2026-02-05"]),
    ],
)
def test_days_are_named_by_words_months_spans_and_years(
    pages: Pages, query: str, shown: list[str]
) -> None:
    assert days(pages, query) == shown


def test_a_day_without_anything_names_the_last_one_before(pages: Pages) -> None:
    answer = pages.get("/memory/timeline?day=2026-02-02")
    assert "Nothing is known of this day. The last day before: 2025-02-10" in answer.words


def test_steps_lead_to_days_that_have_something(pages: Pages) -> None:
    answer = pages.get("/memory/timeline?day=2026-02-03")
    steps = re.findall(r'<a href="([^"]*)" rel="(?:prev|next)"', answer.text)
    assert steps == ["/memory/timeline?day=2025-02-10", "/memory/timeline?day=2026-02-10"]
    month = pages.get("/memory/timeline?day=2025-11")
    steps = re.findall(r'<a href="([^"]*)" rel="(?:prev|next)"', month.text)
    assert steps == ["/memory/timeline?day=2025-02", "/memory/timeline?day=2026-02"]
    month = pages.get("/memory/timeline?day=2026-02")
    assert "February 2026" in month.words


@pytest.mark.parametrize(
    "query",
    ["?day=0001-01-01", "?day=9999-12-31", "?day=9999-12", "?from=0500-01-01&until=1999-12-31"],
)
def test_the_first_and_the_last_days_of_all_are_days_too(pages: Pages, query: str) -> None:
    assert pages.get(f"/memory/timeline{query}").status == 200


@pytest.mark.parametrize(
    ("query", "rel"),
    [
        ("?day=2026-02-10", "prev"),
        ("?day=2025-02-10", "next"),
        ("?day=2025-02", "next"),
        ("?from=2026-02-01&until=2026-02-10", "prev"),
        ("?from=1990-01-01&until=1990-01-07", "next"),
    ],
)
def test_steps_end_with_the_first_and_the_last_day_that_has_something(
    pages: Pages, query: str, rel: str
) -> None:
    text = pages.get(f"/memory/timeline{query}").text
    assert re.findall(r'rel="(prev|next)"', text) == [rel]


def test_steps_lead_to_days_to_come(pages: Pages, vault: Path) -> None:
    (vault / "todo.md").write_text("- [ ] far 📅 2026-04-01\n- [ ] later 📅 2026-05-01\n")
    text = pages.get("/memory/timeline?day=2026-05-01").text
    assert re.findall(r'day=([^"]*)" rel="(?:prev|next)"', text) == ["2026-04-01"]


def test_the_same_month_of_two_years_is_no_month(pages: Pages) -> None:
    answer = pages.get("/memory/timeline?from=2025-02-11&until=2026-02-28")
    assert "day=2024-01-25..2025-02-10" in answer.text


def test_the_picture_has_a_twin_in_words(pages: Pages) -> None:
    answer = pages.get("/memory/timeline")
    assert answer.text.count("<svg") == 1
    twin = answer.text.partition('<ul aria-label="Months from 2025-02-11 to 2026-02-10">')[2]
    assert 'day=2026-02">2026-02</a>: 2 days, 6 lines, facts and tasks' in twin
    assert "<li>3 February: 2</li><li>10 February: 4</li>" in twin
    assert '<svg class="drawing days"' in answer.text
    assert 'aria-hidden="true" aria-labelledby="days-title"' in answer.text


def test_what_names_no_day_is_told_beside_the_field(pages: Pages) -> None:
    answer = pages.get("/memory/timeline?day=blah")
    assert answer.status == 200
    assert 'aria-describedby="wrong"' in answer.text
    assert "'blah' is not a date" in html.unescape(answer.words)
    assert "2026-02-10" in answer.words, "and the usual days are shown"


def test_many_days_come_in_parts(pages: Pages, vault: Path) -> None:
    for number in range(1, 29):
        (vault / f"memory/2024-02-{number:02}.md").write_text("- a day\n")
    answer = pages.get("/memory/timeline?day=2024-02")
    assert len(days(pages, "?day=2024-02")) == 7
    after = re.search(r'<a href="([^"]*)" rel="next">Next days', answer.text)
    assert after
    assert days(pages, html.unescape(after[1]))[0] == "2024-02-21"


def test_private_days_are_not_known(pages: Pages) -> None:
    for query in ("?day=2026-01-15", "?day=2026-01", "?from=2026-01-01", ""):
        answer = pages.get(f"/memory/timeline{query}")
        assert "doctor" not in answer.text
        assert "memory/2026-01-15.md" not in answer.text
        assert "2026-01-15: " not in answer.text


def test_no_line_is_too_long_for_a_page(pages: Pages, vault: Path) -> None:
    long = "hawser " * 2_000
    text = f"# Of {long[:5_000]}\n\n## Facts\n\n- A {long} (2026-02-10)\n"
    for number in range(30):
        (vault / f"people/long{number}.md").write_text(text)
    for query in ("day=2026-02-10",):
        assert len(pages.get(f"/memory/timeline?{query}").text) < 100_000
