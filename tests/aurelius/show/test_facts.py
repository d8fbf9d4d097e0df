"""What is told of facts, as text and as JSON: every value there, and nothing of a note that steers a terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aurelius.ageing.tiers import Decay, FactRow, NoteTiers, ScoreChange, Twins, Upkeep
from aurelius.answers.references import History
from aurelius.memory.review import MATTERS, Matter
from aurelius.plans.tidy import Untidy
from aurelius.show import facts as show
from aurelius.show.terminal import Paint, escape_controls
from aurelius.writing.append_journal import pending_lines
from indexer.catalog.supersession import Step
from indexer.catalog.tiers import VaultTiers
from indexer.note import Fact
from indexer.reading.parse import parse
from indexer.usage.tier import Age

PATH = "people/joe.md"
TEXT = """\
# Joe

## Facts
- Lives in Rome (2026-01-01) ^rome01
- Likes tea (2025-01-01, preference)

## History
- ~~Lived in Bonn~~ (2020-01-01 → 2026-01-01, superseded by ^rome01) ^bonn01
"""
ROME, TEA, BONN = parse(PATH, TEXT.encode()).facts
BAD = ROME._replace(text="one\ntwo \x1b[2J\u202e")
BAD_PATH = "a\x07\n.md"
HOT = Age("hot", None, 0)


def told(text: str) -> Any:
    """The JSON of an answer without its schema number."""
    answer = json.loads(text)
    assert answer.pop("schema") == 1
    return answer


def fact(path: str, each: Fact) -> dict[str, object]:
    return {"id": each.key, "path": path, "line": each.first, "date": each.date, "text": each.text}


CHAIN = [
    Step(PATH, BONN, "superseded", "2026-01-01", "rome01"),
    Step(PATH, ROME, "active", None, ""),
]


# -- history ---------------------------------------------------------------------------------------------


def test_a_chain_is_told_from_the_oldest_to_the_newest_with_the_days_of_each() -> None:
    assert show.history_text(History([CHAIN], {}), Paint()) == (
        "2020-01-01 → 2026-01-01  Lived in Bonn  people/joe.md:8  [id:bonn01]\n"
        "2026-01-01 → now         Lives in Rome  people/joe.md:4  [id:rome01]\n"
    )


def test_an_end_that_nobody_knows_and_what_is_wrong_with_a_chain_are_told() -> None:
    step = Step(PATH, TEA, "superseded", None, "gone01", "^gone01 is nowhere")
    assert show.history_text(
        History([[step._replace(fact=TEA._replace(date=None))]], {}), Paint()
    ).startswith("?          → ?  ")
    assert show.history_text(History([[step]], {}), Paint()) == (
        f"2025-01-01 → ?           Likes tea  people/joe.md:5  [id:{TEA.key}]  (^gone01 is nowhere)\n"
    )


def test_chains_are_parted_by_an_empty_line_and_none_is_nothing() -> None:
    assert show.history_text(History([[CHAIN[0]], [CHAIN[1]]], {}), Paint()).count("\n\n") == 1
    assert show.history_text(History([], {}), Paint()) == ""


def test_the_json_of_a_history_has_every_fact_of_every_chain() -> None:
    assert told(show.history_json(History([CHAIN, []], {}), every=True)) == {
        "chains": [
            [
                {
                    "id": "bonn01",
                    "path": PATH,
                    "lines": [8, 8],
                    "type": "fact",
                    "status": "superseded",
                    "date": "2020-01-01",
                    "until": "2026-01-01",
                    "supersededBy": "rome01",
                    "text": "Lived in Bonn",
                    "problem": "",
                    "relations": [],
                },
                {
                    "id": "rome01",
                    "path": PATH,
                    "lines": [4, 4],
                    "type": "fact",
                    "status": "active",
                    "date": "2026-01-01",
                    "until": None,
                    "supersededBy": None,
                    "text": "Lives in Rome",
                    "problem": "",
                    "relations": [],
                },
            ],
            [],
        ]
    }


# -- tidy, maintain --------------------------------------------------------------------------------------


def test_what_is_untidy_is_a_line_each() -> None:
    found = [Untidy(PATH, 4, "no-id", "it gets ^a"), Untidy("b.md", 1, "duplicate-id", "twice")]
    assert show.untidy(found) == "people/joe.md:4  it gets ^a\nb.md:1  twice\n"
    assert show.untidy([]) == ""


UPKEEP = Upkeep(
    (
        Decay(PATH, ROME, 0.5, 0.4, "warm", exempt=False, passes=True),
        Decay(PATH, TEA, 0.5, 0.01, "cold", exempt=False, passes=True),
        Decay(PATH, BONN, 0.9, 0.9, "cold", exempt=True, passes=False),
    ),
    (Twins(PATH, ROME, TEA),),
)


def test_upkeep_tells_what_is_below_the_floor_what_is_said_twice_and_how_many() -> None:
    assert show.upkeep_text(UPKEEP, facts=False, every=False) == (
        "3 facts: 1 never age, 1 could be archived, 1 duplicate\n"
        f"archive    Likes tea  {PATH}:5  [id:{TEA.key}]  preference, importance fell from 0.50 to 0.01\n"
        f"duplicate  Likes tea  {PATH}:5  [id:{TEA.key}]  says the same as Lives in Rome [id:rome01]\n"
    )


def test_upkeep_tells_every_fact_where_that_is_asked_for() -> None:
    lines = show.upkeep_text(UPKEEP, facts=True, every=True).splitlines()
    assert (
        lines[1]
        == f"keep       Lives in Rome  {PATH}:4  [id:rome01]  fact, importance fell from 0.50 to 0.40"
    )
    assert (
        lines[3] == f"keep       Lived in Bonn  {PATH}:8  [id:bonn01]  fact, importance stays 0.90"
    )
    assert len(lines) == 5


def test_the_json_of_upkeep_has_every_fact_and_every_pair() -> None:
    answer = told(show.upkeep_json(UPKEEP, facts=True, every=True))
    assert answer["facts"][1] == {
        "id": TEA.key,
        "path": PATH,
        "type": "preference",
        "date": "2025-01-01",
        "base": 0.5,
        "importance": 0.01,
        "tier": "cold",
        "exempt": False,
        "below": True,
    }
    assert [each["below"] for each in answer["facts"]] == [False, True, False]
    assert answer["duplicates"] == [
        {
            "path": PATH,
            "id": "rome01",
            "text": "Lives in Rome",
            "other": TEA.key,
            "other_text": "Likes tea",
        }
    ]


# -- tiers, reinforce ------------------------------------------------------------------------------------


TIERS = NoteTiers(
    PATH,
    Age("hot", "2026-02-09", 2),
    (
        FactRow(ROME, Age("cold", None, 0), 0),
        FactRow(TEA, Age("hot", "2026-02-09", 1), 3),
        FactRow(BONN, Age("", None, 0), 0),
        FactRow(ROME._replace(key="oft001"), Age("hot", "2026-02-08", 2), 0),
    ),
)


def test_the_tiers_of_a_note_name_the_warmest_and_most_used_facts_first_and_no_past_one() -> None:
    head, counted, *lines = show.note_tiers(TIERS, paint=Paint()).splitlines()
    assert head == f"{PATH}  hot  used on 2 days, last 2026-02-09"
    assert counted == "hot 2  warm 0  cold 1  (superseded 1)"
    assert [line.partition("[id:")[2].partition("]")[0] for line in lines] == [
        "oft001",
        TEA.key,
        "rome01",
    ]
    assert lines[1].endswith(
        "Likes tea (2025-01-01, preference, hot)  used on 1 day, last 2026-02-09  score 3"
    )
    assert "used" not in lines[2]


def test_the_tiers_of_a_note_are_coloured_where_that_is_wanted() -> None:
    assert "\x1b[" not in show.note_tiers(TIERS, paint=Paint())
    assert "\x1b[" in show.note_tiers(TIERS, paint=Paint(True))


def test_the_json_of_a_notes_tiers_has_the_past_facts_too() -> None:
    answer = told(show.note_tiers_json(TIERS, every=True))
    assert (answer["path"], answer["tier"], answer["lastAccessed"], answer["accessCount"]) == (
        PATH,
        "hot",
        "2026-02-09",
        2,
    )
    assert answer["tiers"] == {"hot": 2, "warm": 0, "cold": 1}
    assert [each["status"] for each in answer["facts"]] == [
        "active",
        "active",
        "superseded",
        "active",
    ]
    assert answer["facts"][1] == {
        "id": TEA.key,
        "lines": [5, 5],
        "text": "Likes tea",
        "type": "preference",
        "date": "2025-01-01",
        "status": "active",
        "tier": "hot",
        "lastAccessed": "2026-02-09",
        "accessCount": 1,
        "score": 3,
    }


def test_the_tiers_of_a_vault_are_two_lines() -> None:
    found = VaultTiers({"hot": 1, "warm": 0, "cold": 2}, {"hot": 0, "warm": 1, "cold": 0})
    assert show.vault_tiers(found) == "facts  hot 1  warm 0  cold 2\nnotes  hot 0  warm 1  cold 0\n"


def test_a_score_is_told_before_and_after() -> None:
    done = ScoreChange(PATH, "rome01", "^rome01", 0, 3, 1.1234567, "2026-02-10", "Lives in Rome")
    line = f"ranks higher now (score 3, was 0): Lives in Rome  {PATH}  [id:rome01]"
    assert show.judged_text(done, dry_run=False) == f"{line}; last used 2026-02-10\n"
    assert show.judged_text(done._replace(last=None), dry_run=False) == f"{line}\n"
    assert show.judged_text(done._replace(before=5), dry_run=False).startswith(
        "ranks lower now (score 3, was 5)"
    )
    assert told(show.judged_json(done, dry_run=True)) == {
        "id": "rome01",
        "path": PATH,
        "before": 0,
        "score": 3,
        "weight": 1.123457,
        "lastAccessed": "2026-02-10",
        "dry_run": True,
    }


# -- review ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matter", "lines"),
    [
        (
            Matter("supersede", "k", PATH, BONN, ("d.md", ROME), "moved", "kept2345", "kept"),
            [
                "1 proposal: 1 newer line",
                "",
                "people/joe.md",
                "  1  kept  Lives in Rome  2026-01-01  d.md:4  [id:rome01]",
                "           may replace (“moved”): Lived in Bonn  2020-01-01  people/joe.md:8  [id:bonn01]",
                "           accept: strikes out the older line and keeps it as history",
            ],
        ),
        (
            Matter("ask", "k", PATH, BONN, ("d.md", ROME), "", "kept2345", "kept"),
            [
                "1 proposal: 1 question",
                "",
                "people/joe.md",
                "  1  kept  Lives in Rome  2026-01-01  d.md:4  [id:rome01]",
                "           disagrees with: Lived in Bonn  2020-01-01  people/joe.md:8  [id:bonn01]",
                "           accept: the first of these holds, the other is kept as history; dismiss: both hold",
            ],
        ),
        (
            Matter("merge", "k", PATH, BONN, (PATH, ROME), "", "kept2345", "kept"),
            [
                "1 proposal: 1 duplicate",
                "",
                "people/joe.md",
                "  1  kept  Lives in Rome  2026-01-01  people/joe.md:4  [id:rome01]",
                "           repeats: Lived in Bonn  2020-01-01  people/joe.md:8  [id:bonn01]",
                "           accept: strikes out the line that repeats the other",
            ],
        ),
        (
            Matter(
                "captured", "k", "d.md", ROME, (PATH, BONN), "people/joe.md", "kept2345", "kept"
            ),
            [
                "1 proposal: 1 captured fact",
                "",
                "people/joe.md",
                "  1  kept  Lives in Rome  2026-01-01  d.md:4  [id:rome01]",
                "           would go to people/joe.md",
                "           would replace: Lived in Bonn  2020-01-01  people/joe.md:8  [id:bonn01]",
                "           accept: moves the line there and strikes out the older one",
            ],
        ),
        (
            Matter(
                "carry",
                "k",
                "d.md",
                ROME._replace(key="carry:1"),
                (PATH, BONN),
                PATH,
                "kept2345",
                "kept",
            ),
            [
                "1 proposal: 1 fact in a daily note",
                "",
                "people/joe.md",
                "  1  kept  Lives in Rome  2026-01-01  d.md:4",
                "           would go to people/joe.md",
                "           would replace: Lived in Bonn  2020-01-01  people/joe.md:8  [id:bonn01]",
                "           accept: adds it there and strikes out the older one",
            ],
        ),
        (
            Matter("captured", "k", "d.md", ROME, None, "", "kept2345", "kept"),
            [
                "1 proposal: 1 captured fact",
                "",
                "d.md",
                "  1  kept  Lives in Rome  2026-01-01  d.md:4  [id:rome01]",
                "           accept: moves the line out of `## Captured`",
            ],
        ),
        (
            Matter("archive", "k", PATH, BONN, None, "0.01", "kept2345", "kept"),
            [
                "1 proposal: 1 fact that is rarely used",
                "",
                "people/joe.md",
                "  1  kept  Lived in Bonn  2020-01-01  people/joe.md:8  [id:bonn01]",
                "           rarely used (importance 0.01): could be archived",
                "           accept: moves the line to the archive",
            ],
        ),
    ],
    ids=lambda each: each.what if isinstance(each, Matter) else "",
)
def test_each_matter_is_a_paragraph(matter: Matter, lines: list[str]) -> None:
    assert matter.what in MATTERS
    assert show.proposals_text([matter], 10, Paint()).splitlines() == lines


def test_matters_are_numbered_parted_by_an_empty_line_and_no_more_than_asked_for() -> None:
    matter = Matter("archive", "k", PATH, BONN, None, "0.01")
    text = show.proposals_text([matter] * 5, 2, Paint())
    assert text.startswith("5 proposals: 5 facts that are rarely used; the first 2:\n")
    assert [part.split()[0] for part in text.split("\n\n")[1:]] == ["people/joe.md", "2"]
    assert show.proposals_text([], 10, Paint()) == ""


def test_the_json_of_matters_counts_all_and_names_those_asked_for() -> None:
    two = [
        Matter("supersede", "a>b", PATH, BONN, ("d.md", ROME), "moved"),
        Matter("archive", "c", PATH, BONN, None, "0.01"),
    ]
    answer = told(show.matters_json([*two, *two], 2, every=True))
    assert answer["total"] == 4
    assert answer["matters"] == [
        {
            "number": 1,
            "short": "",
            "what": "supersede",
            "key": "a>b",
            "why": "moved",
            "page": PATH,
            "fact": fact(PATH, BONN),
            "by": fact("d.md", ROME),
            "more": [],
        },
        {
            "number": 2,
            "short": "",
            "what": "archive",
            "key": "c",
            "why": "0.01",
            "page": PATH,
            "fact": fact(PATH, BONN),
            "more": [],
        },
    ]


# -- all of them -----------------------------------------------------------------------------------------


def test_nothing_from_a_note_steers_the_terminal_or_makes_a_line_of_its_own() -> None:
    texts = [
        show.history_text(History([[Step(BAD_PATH, BAD, "active", None, "")]], {}), Paint()),
        show.untidy([Untidy(BAD_PATH, 1, "no-id", "\x1b[2J\n")]),
        show.upkeep_text(
            Upkeep(
                (Decay(BAD_PATH, BAD, 1, 1, "", exempt=False, passes=False),),
                (Twins(BAD_PATH, ROME, BAD),),
            ),
            facts=True,
            every=True,
        ),
        show.note_tiers(
            NoteTiers(BAD_PATH, Age("hot", None, 0), (FactRow(BAD, Age("hot", None, 0), 0),)),
            paint=Paint(),
        ),
        show.judged_text(ScoreChange(BAD_PATH, "a", "\x1b[2J\n", 0, 1, 1, None), dry_run=False),
        *(
            show.proposals_text(
                [Matter(what, "k", BAD_PATH, BAD, (BAD_PATH, BAD), "\x1b\n")], 9, Paint()
            )
            for what in MATTERS[1:7]
        ),
        show.proposals_text(
            [
                Matter(
                    "vanished",
                    "k",
                    BAD_PATH,
                    BAD,
                    None,
                    "",
                    gone=pending_lines(BAD_PATH, b"x", b"", 0.0),
                )
            ],
            9,
            Paint(),
        ),
        show.proposals_text([Matter("archive", "k", BAD_PATH, BAD, None, "0.01")], 9, Paint()),
    ]
    for text in texts:
        assert not {"\x1b", "\x07", "\u202e"} & set(text), text
    assert [text.count("\n") for text in texts] == [1, 1, 3, 3, 1, 6, 6, 6, 7, 7, 6, 5, 6]


def test_text_of_notes_keeps_its_lines() -> None:
    assert escape_controls("## a\n\n- b\tc\n") == "## a\n\n- b\tc\n"
