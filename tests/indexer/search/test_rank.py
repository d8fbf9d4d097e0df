"""Why one hit stands before another: values in, values out."""

from __future__ import annotations

import random
from math import exp, prod

import pytest

from indexer.search import folding, fusion
from indexer.search.candidate import Candidate, Legs, MeantLegs, Ranked
from indexer.search.generated import Generated, fold_generated, text_without_facts


def candidate(number: int = 1, **changes: object) -> Candidate:
    made = Candidate(number, f"{number}.md", 0, "section", 1, 5, days=0.0)
    return made._replace(**changes)  # type: ignore[arg-type]  # names and types as in the tests


def ranked(number: int, value: float, **changes: object) -> Ranked:
    return Ranked(candidate(number, **changes), value, {"bm25": value}, {})


def numbers(found: list[Ranked]) -> list[int]:
    return [one.candidate.id for one in found]


def test_keyword_mode_is_bm25_and_two_factors() -> None:
    """BM25 × exp(0.2·score) × 1/(1 + 0.01·days), and nothing else."""
    legs = fusion.fuse(
        Legs(bm25=3.5, cosine=0.9, note=7.0), mode="keyword", fusion="default", best_bm25=9.0
    )
    one = candidate(days=50.0, importance=1.0, archived=True, score=3.0)
    found = fusion.score(one, legs, fusion.priors(one, mode="keyword"))
    assert found.score == pytest.approx(3.5 * exp(0.6) / 1.5, abs=1e-9)
    assert set(found.priors) == {"score", "recency"}


def test_reinforcement_is_clamped() -> None:
    """The score is clamped to ±10."""
    assert fusion.priors(candidate(score=99.0), mode="keyword")["score"] == pytest.approx(exp(2))
    assert fusion.priors(candidate(score=-99.0), mode="keyword")["score"] == pytest.approx(exp(-2))


def test_rrf_is_as_published() -> None:
    """Each list adds k/(k + rank), k = 60, ranks from 1, absent adds nothing."""
    both = fusion.fuse(Legs(5, 0.5, 0, 1, 3), mode="hybrid", fusion="rrf", best_bm25=5)
    assert sum(both.values()) == pytest.approx(60 / 61 + 60 / 63)
    assert sum(
        fusion.fuse(Legs(5, 0.5, 0, 0, 3), mode="hybrid", fusion="rrf", best_bm25=5).values()
    ) == pytest.approx(60 / 63)


def test_weighted_is_as_published() -> None:
    """0.7 · vector + 0.3 · text, normalised."""
    found = fusion.fuse(Legs(bm25=2, cosine=0.5), mode="hybrid", fusion="weighted", best_bm25=8)
    assert sum(found.values()) == pytest.approx(0.7 * 0.5 + 0.3 * 0.25)
    assert fusion.fuse(Legs(cosine=0.5), mode="hybrid", fusion="weighted", best_bm25=0)["bm25"] == 0


def test_the_default_is_between_nothing_and_one(dice: random.Random) -> None:
    """Scores mean the same across queries."""
    assert sum(fusion.FUSION_WEIGHTS.values()) == pytest.approx(1.0)
    for _ in range(200):
        legs = Legs(dice.random() * 100, dice.uniform(-1, 1), dice.random() * 300)
        found = fusion.fuse(
            legs,
            mode="hybrid",
            fusion="default",
            best_bm25=100,
            maxsim=dice.random(),
            trust=dice.random(),
        )
        assert 0 <= sum(found.values()) <= 1
        more = fusion.fuse(
            legs._replace(bm25=legs.bm25 + 1), mode="hybrid", fusion="default", best_bm25=100
        )
        assert more["bm25"] > found["bm25"]


def test_vector_mode_is_cosine_and_never_less_than_nothing() -> None:
    assert fusion.fuse(Legs(9, 0.4), mode="vector", fusion="rrf", best_bm25=9) == {"vector": 0.4}
    assert fusion.fuse(Legs(9, -0.4), mode="vector", fusion="rrf", best_bm25=9) == {"vector": 0.0}


@pytest.mark.parametrize("days", [None, -5.0, 0.0, 30.0, 3650.0])
def test_recency_is_damped_in_hybrid_mode(days: float | None) -> None:
    assert 0.85 <= fusion.priors(candidate(days=days), mode="hybrid")["recency"] <= 1.0


def test_a_score_is_the_sum_times_the_product() -> None:
    """Legs and priors give the score, exact to 1e-6."""
    one = candidate(days=10.0, importance=0.8, archived=True, score=1.0)
    found = fusion.score(one, {"bm25": 0.2, "vector": 0.1}, fusion.priors(one, mode="hybrid"))
    assert found.score == pytest.approx(0.3 * prod(found.priors.values()), abs=1e-12)
    assert set(found.priors) == {"score", "recency", "importance", "archive"}


def test_equals_stand_in_order_of_path_and_place() -> None:
    found = [
        ranked(3, 1.0, path="b.md"),
        ranked(1, 1.0, path="a.md", ordinal=2),
        ranked(2, 1.0 + 1e-12, path="a.md", ordinal=3),
        ranked(4, 2.0, path="z.md"),
    ]
    for seed in range(5):
        random.Random(seed).shuffle(found)
        assert numbers(fusion.order_hits(found)) == [4, 1, 2, 3]


def test_a_section_is_folded_into_the_fact_it_covers() -> None:
    fact = ranked(2, 0.5, path="a.md", grain="fact", first=3, last=3)
    section = ranked(1, 0.9, path="a.md", first=1, last=5)
    found = folding.fold_hits([section, fact])
    assert [(one.candidate.id, one.score) for one in found] == [(2, 0.9)], "in the section's place"
    assert numbers(folding.fold_hits([fact._replace(score=1.5), section])) == [2]
    assert numbers(
        folding.fold_hits([section, fact._replace(candidate=fact.candidate._replace(path="b.md"))])
    ) == [1, 2]


def test_a_section_whose_words_stand_beside_its_facts_is_a_hit_of_its_own() -> None:
    """`Sold out by eleven.` above `- Otto got promoted`: the words that were asked for are not in the bullet."""
    section = ranked(1, 2.0, path="a.md", first=1, last=3, legs=Legs(bm25=4.0))
    fact = ranked(2, 1.0, path="a.md", grain="fact", first=2, last=2, legs=Legs(cosine=0.3))
    assert numbers(folding.fold_hits([section, fact])) == [1, 2]
    told = fact._replace(candidate=fact.candidate._replace(legs=Legs(bm25=2.0)))
    assert numbers(folding.fold_hits([section, told])) == [2]


def test_a_section_within_a_better_one_is_dropped() -> None:
    found = folding.fold_hits(
        [
            ranked(1, 0.9, path="a.md", first=1, last=9),
            ranked(2, 0.8, path="a.md", first=3, last=5),
            ranked(3, 0.7, path="a.md", first=8, last=12),
            ranked(4, 0.6, path="b.md", first=3, last=5),
        ]
    )
    assert numbers(found) == [1, 3, 4]


def test_one_note_cannot_flood_the_list() -> None:
    found = [
        ranked(number, 1 - number / 100, path="a.md" if number < 8 else "b.md")
        for number in range(10)
    ]
    assert numbers(folding.group_by_note(found, 6)) == [0, 1, 2, 8, 9, 3]
    assert numbers(folding.group_by_note(found, 100)) == [0, 1, 2, 8, 9, 3, 4, 5, 6, 7]
    assert folding.group_by_note(found, 0) == []


def test_what_a_question_means_counts_in_the_default_order_alone() -> None:
    plain = Legs(bm25=5, cosine=0.5, note=9, bm25_rank=1, vector_rank=3)
    shares = dict(zip(MeantLegs._fields, (0.5, 1.0, 2.0) * len(MeantLegs._fields), strict=False))
    meant = plain._replace(meant=MeantLegs(**shares))
    for mode, fused in (
        ("keyword", "default"),
        ("vector", "default"),
        ("hybrid", "rrf"),
        ("hybrid", "weighted"),
    ):
        one, other = (
            fusion.fuse(legs, mode=mode, fusion=fused, best_bm25=9) for legs in (plain, meant)
        )
        assert one == other, (mode, fusion)
    told = fusion.fuse(meant, mode="hybrid", fusion="default", best_bm25=9)
    more = sum(told.values()) - sum(
        fusion.fuse(plain, mode="hybrid", fusion="default", best_bm25=9).values()
    )
    assert all(fusion.MEANT.values())
    assert {name: told[name] for name in MeantLegs._fields} == {
        name: share * fusion.MEANT[name] for name, share in shares.items()
    }
    assert more == pytest.approx(sum(told[name] for name in fusion.MEANT))


def test_the_foremost_are_those_that_come_first_without_maxsim(dice: random.Random) -> None:
    for trust in (1.0, 0.4):
        candidates = [
            Candidate(
                number,
                f"{number % 7}.md",
                number,
                "section",
                1,
                2,
                days=dice.choice([None, 0, 40, 900]),
                archived=dice.random() < 0.2,
                importance=dice.choice([None, 0.0, 0.9]),
                legs=Legs(
                    dice.choice([0.0, 3.0, 9.5]),
                    dice.random() - 0.2,
                    dice.choice([0.0, 12.0]),
                    0,
                    0,
                    MeantLegs(
                        *(dice.choice([0.0, 0.0, 0.0, 0.0, 0.5, 1.0]) for _ in MeantLegs._fields),
                    ),
                ),
            )
            for number in range(80)
        ]
        whole = fusion.order_hits(
            fusion.score(
                one,
                fusion.fuse(one.legs, mode="hybrid", fusion="default", best_bm25=9.5, trust=trust),
                fusion.priors(one, mode="hybrid"),
            )
            for one in candidates
        )
        assert fusion.foremost(candidates, 25, trust=trust) == [one.candidate for one in whole[:25]]


@pytest.mark.parametrize(
    ("text", "fact", "left"),
    [
        ("Lives in Oslo. Works as a baker.", "Lives in Oslo", "Works as a baker."),
        ("Works as a baker. **Lives** in Oslo.", "lives in Oslo", "Works as a baker."),
        ("Lives in Oslo with Ann. Works.", "Lives in Oslo", "Lives in Oslo with Ann. Works."),
        ("He says: no. Never lives in Oslo.", "lives in Oslo", "He says: no. Never lives in Oslo."),
        (
            "[[people/tom]] - Moving to Porto.\n\n[[b]] - x.",
            "Moving to Porto",
            "[[people/tom]]\n\n[[b]] - x.",
        ),
        ("住在东京。喜欢茶。", "住在东京", "喜欢茶。"),
        ("Oslo. Oslo.", "Oslo", ""),
        ("Text.", "...", "Text."),
    ],
)
def test_a_generated_text_loses_just_the_sentences_of_a_fact(
    text: str, fact: str, left: str
) -> None:
    assert text_without_facts(text, [fact]) == left


def test_a_generated_text_stands_below_all_facts_that_it_repeats_and_is_gone_where_nothing_is_left() -> (
    None
):
    found = [ranked(number, 1.0 - number / 10) for number in range(6)]
    made = {
        0: Generated("a. b.", frozenset({1, 3, 99})),
        2: Generated("", frozenset(), cut=True),
        4: Generated("z", frozenset({1})),
    }
    filtered = {"superseded": 1}
    assert numbers(fold_generated(found, made, filtered)) == [1, 3, 0, 4, 5]
    assert filtered == {"superseded": 2}
    assert fold_generated(found, {}, filtered) == found
