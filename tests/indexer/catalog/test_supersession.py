"""Which facts hold, today and on another day, and the chains of what replaced what."""

from __future__ import annotations

import datetime
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.catalog import lists, supersession
from indexer.catalog.filters import Filters
from indexer.catalog.supersession import Chains, Claim, Step, Supersession
from indexer.note import Fact, Settings
from indexer.reading.parse import parse
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.hit import Hit, SearchResult
from indexer.search.query import SearchQuery
from indexer.search.search import search
from tests.daily import daily

NOW = datetime.datetime(2026, 2, 10, 12)
NOTES = {
    "people/joe.md": "# Joe\n\n## Facts\n- Joe lives in Rome (2024-03-01) ^rome01\n"
    "- Joe lives in Bonn (2020-01-01) ^bonn01\n"
    "- Joe lives by the sea\n\n## History\n"
    "- ~~Joe lives in Oslo~~ (2018-01-01 → 2020-01-01, superseded by ^bonn01) ^oslo01\n"
    "- ~~Joe lives in Lima~~ (2010-01-01)\n- ~~Joe lives in Kiev~~ (2009-01-01, superseded by ^oslo01)\n",
    "memory/2024-03-01.md": "- Joe lives in Rome from now on (2024-03-01, updates ^bonn01) ^new111\n",
    "memory/2026-01-01.md": "- Joe lives nowhere (2026-01-01, updates ^nothere) ^none11\n",
    "resources/rings.md": "## Facts\n- Joe lives in ring one (2021-01-01, updates ^ring02) ^ring01\n"
    "- Joe lives in ring two (2022-01-01, updates ^ring01) ^ring02\n"
    "- Joe lives in himself (2020-01-01, updates ^self01) ^self01\n",
    "resources/trip.md": "## Facts\n- Joe lives in a tent (2026-01-03 → 2026-01-09) ^tent01\n",
    "projects/plain.md": "# Plain\n\n**Date:** 2023-01-01\n\nWhere Joe lives is nobody's business.\n",
}


def built(root: Path, notes: dict[str, str]) -> Index:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    made, _ = refresh(Settings(str(root), "", vectors=False), now=time.time())
    return made


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    made = built(tmp_path_factory.mktemp("vault"), NOTES)
    yield made
    made.close()


def ask(index: Index, **filters: str) -> SearchResult:
    query = SearchQuery("joe lives", "keyword", filters=Filters()._replace(**filters), limit=50)  # type: ignore[arg-type]  # all of them texts
    return search(index, query, None, NOW)


def found_ids(result: SearchResult) -> set[str]:
    return {hit.id for hit in result.hits if hit.id and not hit.id.startswith("h")}


# Search and lists


def test_what_another_line_updates_is_past(index: Index) -> None:
    now = ask(index)
    assert found_ids(now) == {"rome01", "new111", "none11", "ring01", "ring02", "self01", "tent01"}
    assert (
        now.filtered["superseded"] == 6
    )  # Bonn, its section, the three of History, and History itself
    everything = {hit.id: hit.status for hit in ask(index, status="all").hits}
    assert everything["bonn01"] == everything["oslo01"] == "superseded"
    assert everything["rome01"] == "active"
    assert found_ids(ask(index, status="superseded")) == {"bonn01", "oslo01"}


def test_text_around_what_is_past_is_found_unless_it_is_nothing_but_facts(index: Index) -> None:
    past = supersession.replaced_chunks(index.db, private=False)
    rows = index.db.execute(
        "SELECT id, grain, length(text) - length(replace(text, char(10), '')) FROM chunk"
    )
    assert {(grain, breaks) for number, grain, breaks in rows if number in past} == {
        ("fact", 0),
        ("section", 2),
    }


def test_lists_say_the_same(index: Index) -> None:
    by_status = {
        status: [
            fact.id
            for _, fact in lists.list_facts(
                index.db, Filters(status=status, folder="people"), sort="path", limit=-1, offset=0
            ).facts
            if fact.id
        ]
        for status in ("active", "superseded", "all")
    }
    assert by_status == {
        "active": ["rome01"],
        "superseded": ["bonn01", "oslo01"],
        "all": ["rome01", "bonn01", "oslo01"],
    }
    facts = {fact.id: fact for _, fact in lists.get_facts(index.db, "people/joe.md", private=True)}
    assert (facts["bonn01"].status, facts["bonn01"].superseded_by, facts["bonn01"].until) == (
        "superseded",
        "new111",
        "2024-03-01",
    )
    written = {
        f.id: f
        for _, f in lists.get_facts(index.db, "people/joe.md", private=True, as_written=True)
    }
    assert written["bonn01"].status == "active"


@pytest.mark.parametrize(
    ("day", "held"),
    [
        ("2009-06-01", set()),  # Kiev, which has no id
        ("2019-06-01", {"oslo01"}),
        ("2020-01-01", {"bonn01", "self01"}),
        ("2024-02-29", {"bonn01", "self01", "ring01", "ring02"}),
        ("2024-03-01", {"rome01", "new111", "self01", "ring01", "ring02"}),
        ("2026-01-02", {"rome01", "new111", "none11", "self01", "ring01", "ring02"}),
        ("2026-01-09", {"rome01", "new111", "none11", "self01", "ring01", "ring02", "tent01"}),
        ("2026-01-10", {"rome01", "new111", "none11", "self01", "ring01", "ring02"}),
    ],
)
def test_a_search_as_of_a_day_finds_what_held_on_it(index: Index, day: str, held: set[str]) -> None:
    found = ask(index, as_of=day)
    assert found_ids(found) == held
    texts = " ".join(hit.text for hit in found.hits)
    assert "by the sea" in texts  # undated, so as far as anybody knows it always held
    assert ("Kiev" in texts) == ("2009" <= day < "2018")
    assert ("nobody's business" in texts) == (day >= "2023-01-01")
    assert all(day >= (hit.date or "") for hit in found.hits)


def test_a_fact_nested_in_another_does_not_take_it_along(tmp_path: Path) -> None:
    text = (
        "## Facts\n- Joe lives in a house (2020-01-01) ^house1\n"
        "  - Joe lives upstairs (2020-01-01 → 2021-01-01) ^floor2\n"
    )
    index = built(tmp_path, {"people/joe.md": text})
    for day, lines in (("2020-06-01", {2, 3}), ("2022-06-01", {2})):
        assert {hit.lines[0] for hit in ask(index, as_of=day).hits if hit.id} == lines
    index.close()


def test_what_a_private_note_says_counts_only_where_it_may_be_seen(tmp_path: Path) -> None:
    index = built(
        tmp_path,
        {
            "people/joe.md": "## Facts\n- Joe lives in Bonn (2020-01-01) ^bonn01\n",
            "people/secret.md": "---\nprivate: true\n---\n## Facts\n- Joe fled (2025-05-05, updates ^bonn01) ^fled01\n",
        },
    )
    for private, told in (
        (True, ("superseded", "2025-05-05", "fled01")),
        (False, ("active", None, "")),
    ):
        fact = next(fact for _, fact in lists.get_facts(index.db, "people/joe.md", private=private))
        assert (fact.status, fact.until, fact.superseded_by) == told
        seen = {path for path, _ in lists.get_facts(index.db, private=private)}
        chains = Chains(lists.get_facts(index.db, private=True, as_written=True), seen)
        steps = chains.chain("people/joe.md", "bonn01")
        assert (steps[0].status, steps[0].until, steps[0].after) == told
        assert len(steps) == len(seen)
    index.close()


def test_a_chain_is_the_same_from_the_facts_around_one_as_from_all(tmp_path: Path) -> None:
    notes = NOTES | {
        "people/twin.md": "## Facts\n- Joe lives in Bonn too (2021-01-01) ^bonn01\n",
        "people/secret.md": "---\nprivate: true\n---\n## Facts\n- Joe fled (2025-05-05, updates ^rome01) ^fled01\n",
    }
    index = built(tmp_path, notes)
    every = list(lists.get_facts(index.db, private=True, as_written=True))
    for private in (False, True):
        seen = {path for path, _ in lists.get_facts(index.db, private=private)}
        whole = Chains(every, seen)
        for path, fact in every:
            keys = lists.chained_keys(index.db, [fact.key])
            near = Chains(lists.get_keyed(index.db, keys, private=True), seen)
            assert near.chain(path, fact.key) == whole.chain(path, fact.key)
    index.close()


def test_a_step_of_a_chain_tells_whether_it_held_on_a_day() -> None:
    chain = Chains(facts(joe=JOE)).chain("joe.md", "bonn01")
    held = {day: [step.fact.key for step in chain if step.held(day)] for day in DAYS_OF_JOE}
    assert held == DAYS_OF_JOE


# Chains


def facts(**notes: str) -> list[tuple[str, Fact]]:
    return [
        (f"{name}.md", fact)
        for name in sorted(notes)
        for fact in parse(f"people/{name}.md", notes[name].encode()).facts
    ]


DAYS_OF_JOE = {
    "2016-01-01": [],
    "2019-01-01": ["kiev01", "oslo01"],
    "2020-01-01": ["bonn01"],
    "2024-02-29": ["bonn01"],
    "2024-03-01": ["rome01"],
    "2026-01-01": ["rome01"],
}


def ids(chain: list[Step]) -> list[str]:
    return [step.fact.key for step in chain]


JOE = """\
## Facts
- Lives in Rome (2024-03-01) ^rome01
- Likes tea ^tea001

## History
- ~~Lives in Bonn~~ (2020-01-01 → 2024-03-01, superseded by ^rome01) ^bonn01
- ~~Lives in Oslo~~ (2018-01-01 → 2020-01-01, superseded by ^bonn01) ^oslo01
- ~~Lives in Kiev~~ (2017-01-01, superseded by ^bonn01) ^kiev01
"""


def test_a_chain_goes_from_the_oldest_to_the_newest_wherever_it_is_entered() -> None:
    chains = Chains(facts(joe=JOE))
    for key in ("oslo01", "bonn01", "rome01", "kiev01"):
        chain = chains.chain("joe.md", key)
        assert ids(chain) == ["kiev01", "oslo01", "bonn01", "rome01"]
        assert [step.until for step in chain] == ["2020-01-01", "2020-01-01", "2024-03-01", None]
        assert [step.after for step in chain] == ["bonn01", "bonn01", "rome01", ""]
        assert [step.status for step in chain] == ["superseded"] * 3 + ["active"]
    assert ids(chains.chain("joe.md", "tea001")) == ["tea001"]
    assert chains.chain("joe.md", "nothere") == []
    assert [ids(chain) for chain in chains.chains("joe.md")] == [
        ["kiev01", "oslo01", "bonn01", "rome01"]
    ]


def test_a_chain_goes_through_notes_and_follows_updates() -> None:
    day = "- Joe moved to Porto (2026-01-01, updates ^rome01) ^porto1\n"
    chains = Chains(facts(joe=JOE, other="## Facts\n" + day))
    assert ids(chains.chain("joe.md", "oslo01"))[-2:] == ["rome01", "porto1"]
    assert [(path, key) for path, key in chains.replaced()] == [("joe.md", "rome01")]
    step = chains.replaced()["joe.md", "rome01"]
    assert (step.status, step.until, step.after) == ("superseded", "2026-01-01", "porto1")


def test_of_several_facts_that_update_one_the_earliest_ended_it_and_all_are_in_its_chain() -> None:
    text = "## Facts\n- Bonn (2020-01-01) ^bonn01\n- Rome (2024-01-01, updates ^bonn01) ^rome01\n"
    text += "- Oslo (2022-01-01, updates ^bonn01) ^oslo01\n- Kiev (2025-01-01, updates ^bonn01) ^kiev01\n"
    chain = Chains(facts(joe=text)).chain("joe.md", "bonn01")
    assert (chain[0].until, chain[0].after) == ("2022-01-01", "oslo01")
    assert ids(chain) == ["bonn01", "oslo01", "rome01", "kiev01"]


def test_what_a_fact_updated_stays_past_when_that_fact_is_replaced_itself() -> None:
    text = "## Facts\n- Bonn (2020-01-01) ^bonn01\n- Rome (2024-01-01, updates ^bonn01, superseded by ^oslo01) ^rome01\n"
    text += "- Oslo (2025-01-01) ^oslo01\n"
    chain = Chains(facts(joe=text)).chain("joe.md", "bonn01")
    assert [(step.fact.key, step.status, step.until) for step in chain] == [
        ("bonn01", "superseded", "2024-01-01"),
        ("rome01", "superseded", "2025-01-01"),
        ("oslo01", "active", None),
    ]


def test_a_fact_that_came_back_holds() -> None:
    text = "## Facts\n- Bonn (2020-01-01) ^bonn01\n- Rome (2024-01-01, updates ^bonn01, superseded by ^bonn01) ^rome01\n"
    statuses = {
        step.fact.key: step.status for step in Chains(facts(joe=text)).chain("joe.md", "bonn01")
    }
    assert statuses == {"bonn01": "active", "rome01": "superseded"}


def test_a_captured_line_that_waits_replaces_nothing() -> None:
    day = "## Captured\n- Moved to Porto (2026-01-01, updates ^rome01) ^porto1\n"
    found = facts(joe=JOE) + [
        ("day.md", fact) for fact in parse("memory/2026-01-01.md", day.encode()).facts
    ]
    assert [fact.status for path, fact in found if path == "day.md"] == ["proposed"]
    assert Chains(found).replaced() == {}


def test_a_fact_outside_a_circle_ends_the_one_that_it_updates() -> None:
    text = "## Facts\n- a (2021-01-01, updates ^bbbbb1) ^aaaaa1\n- b (2022-01-01, updates ^aaaaa1) ^bbbbb1\n"
    text += "- c (2023-01-01, updates ^bbbbb1) ^ccccc1\n"
    chains = Chains(facts(joe=text))
    assert {key for _, key in chains.replaced()} == {"bbbbb1"}
    assert [[fact.key for _, fact in circle] for circle in chains.circles()] == [
        ["aaaaa1", "bbbbb1"]
    ]


def test_a_circle_of_both_kinds_of_marks_is_found_once() -> None:
    text = "## Facts\n- a (2020-01-01, superseded by ^bbbbb1, updates ^ccccc1) ^aaaaa1\n"
    text += "- b (2020-01-01, updates ^aaaaa1, superseded by ^ccccc1) ^bbbbb1\n- c (2020-01-01, updates ^bbbbb1) ^ccccc1\n"
    circles = Chains(facts(joe=text)).circles()
    assert [[fact.key for _, fact in circle] for circle in circles] == [
        ["aaaaa1", "bbbbb1", "ccccc1"]
    ]


def test_what_is_wrong_with_a_chain_is_told() -> None:
    text = "## Facts\n- a (2020-01-01, superseded by ^gone01) ^aaaaa1\n- b (2020-01-01, superseded by ^ccccc1) ^bbbbb1\n"
    text += "- c (2021-01-01, superseded by ^bbbbb1) ^ccccc1\n- d (2021-01-01, superseded by ^ddddd1) ^ddddd1\n"
    text += "- e (2020-01-01, superseded by ^twice1) ^eeeee1\n"
    twice = {"one": "## Facts\n- f ^twice1\n", "two": "## Facts\n- g ^twice1\n"}
    chains = Chains(facts(joe=text, **twice))
    assert (
        chains.chain("joe.md", "aaaaa1")[0].problem
        == "superseded by ^gone01, but no fact has that id"
    )
    assert {step.problem for step in chains.chain("joe.md", "bbbbb1")} == {
        "these facts supersede each other in a circle"
    }
    assert ids(chains.chain("joe.md", "ddddd1")) == ["ddddd1"]
    assert chains.chain("joe.md", "eeeee1")[0].problem == "several facts have the id ^twice1"
    assert (
        Chains(facts(joe=text + "- h ^twice1\n", **twice)).chain("joe.md", "eeeee1")[0].after
        == "twice1"
    )


def test_a_long_chain_and_a_long_circle_take_no_recursion() -> None:
    count = 5000
    line = [
        Claim("x.md", f"{at}", "active", "2020-01-01", None, None, f"{at - 1}")
        for at in range(count)
    ]
    every = Supersession(line)
    assert every.chain(count // 2) == list(range(count))
    assert sum(map(every.is_past, range(count))) == count - 1
    ring = Supersession([line[0]._replace(updates=f"{count - 1}"), *line[1:]])
    assert [len(circle) for circle in ring.circles()] == [count]
    assert not any(map(ring.is_past, range(count)))


# Every door, over vaults that nobody would write


DAYS = ["2020-01-01", "2020-01-02", "2021-01-01", "2022-01-01"]
KEYS = [f"fact{at:02}" for at in range(6)]
NAMED = st.sampled_from([*KEYS, "nothere"])


@st.composite
def bullets(draw: st.DrawFn) -> str:
    words = f"Line {draw(st.integers(0, 99))}"
    tail = [draw(st.sampled_from(DAYS))]
    if draw(st.integers(0, 3)) == 0:
        tail[0] += f" → {draw(st.sampled_from(DAYS))}"
    for verb in ("updates", "superseded by"):
        if draw(st.integers(0, 2)) == 0:
            tail += [f"{verb} ^{draw(NAMED)}"]
    words = f"~~{words}~~" if draw(st.integers(0, 6)) == 0 else words
    date = f" ({', '.join(tail)})" if draw(st.integers(0, 5)) else ""
    return f"- {words}{date} ^{draw(st.sampled_from(KEYS))}\n"


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    notes = {}
    for name in ("people/joe.md", "projects/boat.md", "memory/2021-06-01.md"):
        text = "".join(draw(st.lists(bullets(), max_size=5)))
        past = "".join(draw(st.lists(bullets(), max_size=2)))
        notes[name] = f"# N\n\n## Facts\n{text}\n## History\n{past}"
    return notes


def meant(claims: list[Claim], claim: Claim, key: str | None) -> int | None:
    """What an id means, said in another way than the module says it."""
    there = [at for at, one in enumerate(claims) if one.key == key]
    own = [at for at in there if claims[at].note == claim.note]
    found = own or there
    return found[0] if len(found) == 1 and claims[found[0]].key != claim.key else None


def naively_past(claims: list[Claim], number: int) -> bool:
    later: dict[int, set[int]] = {at: set() for at in range(len(claims))}
    updates = [
        meant(claims, one, one.updates) if one.status != "proposed" else None for one in claims
    ]
    for at, one in enumerate(claims):
        if updates[at] is not None:
            later[updates[at]].add(at)  # type: ignore[index]  # just looked at
        if (named := meant(claims, one, one.superseded_by)) is not None:
            later[at].add(named)

    def leads(start: int, end: int) -> bool:
        seen, waiting = {start}, [start]
        while waiting:
            near = later[waiting.pop()] - seen
            seen |= near
            waiting += near
        return end in seen

    by_others = any(old == number and not leads(at, number) for at, old in enumerate(updates))
    return claims[number].status == "superseded" or (
        claims[number].status == "active" and by_others
    )


def places(hits: Iterable[Hit]) -> set[tuple[str, int]]:
    """Where facts are found, those that say the same too."""
    facts = [hit for hit in hits if hit.id]
    return {place for hit in facts for place in ((hit.path, hit.lines[0]), *hit.also)}


@settings(max_examples=daily(40, 100))
@given(vaults(), st.sampled_from([*DAYS, "2019-12-31", "2020-06-01", "2025-01-01"]))
def test_rows_and_facts_give_the_same_answer(notes: dict[str, str], day: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = built(Path(folder), notes)
        written = list(lists.get_facts(index.db, private=True, as_written=True))
        claims = [
            Claim(p, f.key, f.status, f.date, f.until, f.superseded_by, f.updates)
            for p, f in written
        ]
        every = Supersession(claims)
        past = [every.is_past(number) for number in range(len(claims))]
        assert past == [naively_past(claims, number) for number in range(len(claims))]

        settled = [fact for _, fact in lists.get_facts(index.db, private=True)]
        assert [fact.status == "superseded" for fact in settled] == past
        names = [(one.note, one.key) for one in claims]
        unique = [number for number, name in enumerate(names) if names.count(name) == 1]
        assert all(settled[number].until == every.until(number) for number in unique)
        for number, claim in enumerate(claims):
            if past[number] and not claim.until and claim.date:
                assert (every.until(number) or claim.date) >= claim.date

        held = {(p, f.first) for number, (p, f) in enumerate(written) if every.held(number, day)}
        hits = search(
            index, SearchQuery("line", "keyword", filters=Filters(as_of=day), limit=99), None, NOW
        ).hits
        assert places(hits) == held
        now = search(index, SearchQuery("line", "keyword", limit=99), None, NOW).hits
        assert places(now) == {
            (p, f.first) for number, (p, f) in enumerate(written) if not past[number]
        }
        for path in notes:
            for step in (step for chain in Chains(written).chains(path) for step in chain):
                assert (step.status == "superseded") == past[written.index((step.path, step.fact))]
        index.close()
