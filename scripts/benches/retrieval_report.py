"""What the rankings of a set are worth: rows of tables, each mean with its 95 % bootstrap interval.

Differences are paired: the same questions in two modes, without a mechanism, or in an earlier run.
"""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benches.own_questions import MEASURES, PLACES, marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benches.retrieval_sets import Question, Set

    Array = np.ndarray[Any, Any]

Row = tuple[str, ...]
GOALS = {
    "locomo-dev/merged": ("R@5", 0.87),
    "longmemeval-evidence-dev/session": ("R@5", 0.83),
    "scifact-dev": ("nDCG@10", 0.74),
    "cpp-docs-dev anchor": ("R@5", 0.72),
    "xquad-dev/zh": ("R@1", 0.85),
    "xquad-dev/es": ("R@1", 0.91),
}
SHORT_GOALS = {
    "file name": (0.95, 0.99),
    "alias": (0.95, 0.99),
    "property": (0.95, 0.0),
    "link text": (0.0, 0.60),
}
"""Of short questions of each category: the share whose first note is right, and that with one
within five."""
ACROSS = ("xquad-dev/es-to-en", "xquad-dev/zh-to-en")
"""Questions in one language, notes in another: reported only."""
SLACK = -0.01
"""What the lower end of the interval of hybrid less another mode may be."""
WEAK_ASKED, WEAK_NONSENSE = 0.02, 0.95
"""The goals: how many answerable questions may be called weak, and how many of those nothing
answers must be."""
EXACT = 1e-6
"""How far the terms of `--explain` may be from the score."""
WITHOUT = ", `also` left out"
"""Behind the name of a mode: judged by the note that leads each hit alone."""
ROUNDS = 2000

SCORES: Row = ("set", "n", "mode", *MEASURES, "95 % nDCG@10", "ms", "p95", "cut", "goal", "")
MARGINS: Row = ("set", "what", "n", "R@1", "95 %", "R@5", "95 %", "nDCG@10", "95 %", "goal", "")
CATEGORIES: Row = ("set", "category", "n", *MEASURES, "95 % nDCG@10", "less bm25", "95 %")
NAMES: Row = (
    "sets",
    "category",
    "n",
    "mode",
    "first",
    "95 %",
    "goal",
    "within five",
    "95 %",
    "goal",
    "",
)
RATES: Row = ("set", "n", "empty", "weak", "goal", "no such words", "weak ", "none", "goal", "")
FORMS: Row = (
    "set",
    "n",
    "question less its keywords, nDCG@10",
    "95 %",
    "hits explained",
    "worst sum",
    "",
)
LOSSES: Row = ("set", "without", "n", "R@1", "95 %", "R@5", "95 %", "nDCG@10", "95 %")


class Answer(NamedTuple):
    """What a question found: notes, best first; milliseconds; whether the time limit cut it short,
    whether the answer calls itself weak, how many hits there were, how far the worst of them is
    from the sum of its terms; and, where hits name others that say the same, the notes at each
    place."""

    paths: tuple[str, ...]
    ms: float = 0.0
    cut: bool = False
    weak: bool = False
    hits: int = 0
    off: float = 0.0
    places: tuple[tuple[str, ...], ...] = ()


def judge(questions: Sequence[Question], answers: Sequence[Answer], *, also: bool = True) -> Array:
    """MEASURES of each answerable question, float[questions, measures]: with the notes that a hit
    names `also`, or by the note that leads each hit alone."""
    pairs = zip(questions, answers, strict=True)
    return np.array(
        [
            marks(question["relevant"], ranking(found, also=also))
            for question, found in pairs
            if answerable(question)
        ]
    )


def ranking(answer: Answer, *, also: bool) -> Sequence[tuple[str, ...]]:
    """The notes at each place of an answer, those that its hits name `also` too or not."""
    return (also and answer.places) or [(path,) for path in answer.paths]


def answerable(question: Question) -> bool:
    """Whether a note answers it: the others enter no mean."""
    return bool(question.get("answerable", True))


def interval(values: Array) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean."""
    chance = np.random.default_rng(7)
    means = [values[chance.integers(0, len(values), len(values))].mean() for _ in range(ROUNDS)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def between(values: Array, form: str = ".3f") -> str:
    """An interval as it is printed."""
    low, high = interval(values)
    return f"{low:{form}} to {high:{form}}"


def both_ways(questions: Sequence[Question], answers: Sequence[Answer]) -> dict[str, Array]:
    """`judge` with what hits name `also`, under ""; and without, under a word for that, where it is
    not the same."""
    ways = {"": judge(questions, answers), WITHOUT: judge(questions, answers, also=False)}
    if np.array_equal(*ways.values()):
        del ways[WITHOUT]
    return ways


def score_rows(of: Set, mode: str, answers: Sequence[Answer]) -> list[Row]:
    """A set in one mode: a row, and another where what hits name `also` makes a difference."""
    ways = both_ways(of.questions, answers)
    rows = [score_row(of, mode, judged, answers) for judged in ways.values()]
    return [(row[0], row[1], mode + way, *row[3:]) for row, way in zip(rows, ways, strict=True)]


def score_row(of: Set, mode: str, judged: Array, answers: Sequence[Answer]) -> Row:
    """A set in one mode, as it was judged."""
    means = dict(zip(MEASURES, judged.mean(axis=0), strict=True))
    goal = GOALS.get(of.name) if mode == "hybrid" else None
    told_goal = (f"{goal[0]} ≥ {goal[1]:.2f}", met(means[goal[0]] >= goal[1])) if goal else ("", "")
    times = [answer.ms for answer in answers]
    took = (
        f"{statistics.median(times):.1f}",
        f"{np.percentile(times, 95):.1f}",
        str(sum(one.cut for one in answers)),
    )
    figures = (f"{means[name]:.3f}" for name in MEASURES)
    return (of.name, str(len(judged)), mode, *figures, between(judged[:, -1]), *took, *told_goal)


def met(reached: bool) -> str:
    """The word for a goal."""
    return "met" if reached else "not met"


def margin_rows(of: Set, judged: Mapping[str, Array]) -> list[Row]:
    """Hybrid beside the yardstick and beside the better leg."""
    leg = max(("keyword", "vector"), key=lambda mode: float(judged[mode][:, -1].mean()))
    return [
        margin_row(of.name, f"hybrid less {mode}", judged["hybrid"] - judged[mode])
        for mode in ("bm25", leg)
    ]


def margin_row(name: str, other: str, less: Array) -> Row:
    """A paired difference in three measures, and whether it may be a loss."""
    low, _ = interval(less[:, -1])
    goal = ("reported only", "") if name in ACROSS else (f"≥ {SLACK}", met(low >= SLACK))
    return (name, other, *difference(less), *goal)


def difference(less: Array) -> Row:
    """How many questions, and R@1, R@5 and nDCG@10 of a paired difference with their intervals."""
    cells = [
        cell
        for at in (0, 1, 4)
        for cell in (f"{less[:, at].mean():+.3f}", between(less[:, at], "+.3f"))
    ]
    return (str(len(less)), *cells)


def category_rows(of: Set, judged: Mapping[str, Array]) -> list[Row]:
    """Each category of a set in the default mode, and beside the yardstick."""
    kinds = np.array([str(each.get("category") or "") for each in of.questions if answerable(each)])
    rows = []
    for kind in sorted(set(kinds)):
        ours, less = (
            judged["hybrid"][kinds == kind],
            (judged["hybrid"] - judged["bm25"])[kinds == kind],
        )
        figures = (f"{value:.3f}" for value in ours.mean(axis=0))
        last = (f"{less[:, -1].mean():+.3f}", between(less[:, -1], "+.3f"))
        rows.append((of.name, kind, str(len(ours)), *figures, between(ours[:, -1]), *last))
    return rows


def name_rows(family: str, parts: Sequence[tuple[Set, Mapping[str, Array]]]) -> list[Row]:
    """Short questions over the vaults of a family: whether the first note is right, and one of the
    first five."""
    rows = []
    for kind, (first_goal, five_goal) in SHORT_GOALS.items():
        for mode in ("bm25", "hybrid"):
            marked = [
                judged[mode][
                    [each["category"] == kind for each in of.questions if answerable(each)]
                ]
                for of, judged in parts
            ]
            best = np.concatenate([part[:, MEASURES.index("MRR@10")] for part in marked])
            if len(best):
                first, five = (best == 1).astype(float), (best >= 1 / 5).astype(float)
                told = [
                    f"≥ {goal:.2f}" if goal and mode == "hybrid" else ""
                    for goal in (first_goal, five_goal)
                ]
                reached = (
                    met(first.mean() >= first_goal and five.mean() >= five_goal)
                    if mode == "hybrid"
                    else ""
                )
                cells = (
                    f"{first.mean():.3f}",
                    between(first),
                    told[0],
                    f"{five.mean():.3f}",
                    between(five),
                    told[1],
                )
                rows.append((family, kind, str(len(best)), mode, *cells, reached))
    return rows


def rate_row(of: Set, asked: Sequence[Answer], nonsense: Sequence[Answer]) -> Row:
    """How many answers are empty or call themselves weak, of questions with and without an
    answer."""
    known = [answer for each, answer in zip(of.questions, asked, strict=True) if answerable(each)]
    weak = sum(answer.weak for answer in known) / len(known)
    called = sum(answer.weak for answer in nonsense) / len(nonsense)
    none = sum(not answer.hits for answer in nonsense) / len(nonsense)
    empty = sum(not answer.hits for answer in known) / len(known)
    silent = sum(answer.weak or not answer.hits for answer in nonsense) / len(nonsense)
    reached = (
        met(empty == 0 and weak <= WEAK_ASKED and silent >= WEAK_NONSENSE)
        if of.name not in ACROSS
        else ""
    )
    shares = (f"{empty:.1%}", f"{weak:.1%}", f"≤ {WEAK_ASKED:.0%}")
    others = (
        str(len(nonsense)),
        f"{called:.1%}",
        f"{none:.1%}",
        f"≥ {WEAK_NONSENSE:.0%} weak or none",
    )
    return (of.name, str(len(known)), *shares, *others, reached)


def form_row(
    of: Set, asked: Sequence[Answer], keywords: Sequence[Answer], explained: Sequence[Answer]
) -> Row:
    """Questions as asked beside their words alone; and whether the terms of every hit add up to its
    score."""
    less = (judge(of.questions, asked) - judge(of.questions, keywords))[:, -1]
    worst = max(answer.off for answer in explained)
    hits = str(sum(answer.hits for answer in explained))
    reached = met(interval(less)[0] >= SLACK and worst <= EXACT)
    return (
        of.name,
        str(len(less)),
        f"{less.mean():+.3f}",
        between(less, "+.3f"),
        hits,
        f"{worst:.0e}",
        reached,
    )


# -- earlier results -------------------------------------------------------------------


def save(path: Path, of: Set, ranked: Mapping[str, Sequence[Answer]]) -> None:
    """Keep what each question of a set found; other sets of the file stay."""
    kept = load(path) if path.exists() else {}
    ids = [str(question["id"]) for question in of.questions]
    kept[of.name] = {
        mode: {number: _kept(answer) for number, answer in zip(ids, answers, strict=True)}
        for mode, answers in ranked.items()
    }
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=0) + "\n", "utf-8")


def _kept(answer: Answer) -> list[str | tuple[str, ...]]:
    """The first places of an answer: a note, or several."""
    places = ranking(answer, also=True)[:PLACES]
    return [notes if len(notes) > 1 else notes[0] for notes in places]


def _answer(kept: Sequence[str | Sequence[str]]) -> Answer:
    """An answer out of the places that `save` kept."""
    places = tuple((notes,) if isinstance(notes, str) else tuple(notes) for notes in kept)
    return Answer(tuple(notes[0] for notes in places), places=places)


def load(path: Path) -> dict[str, Any]:
    """What `save` kept: set → mode → question → places, each a note or several."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def against_rows(
    of: Set, ranked: Mapping[str, Sequence[Answer]], earlier: Mapping[str, Any]
) -> list[Row]:
    """Each mode beside itself in an earlier run, over the questions both were asked; nothing where
    there are none."""
    rows = []
    for mode, then in earlier.get(of.name, {}).items():
        pairs = zip(of.questions, ranked.get(mode, ()), strict=False)
        both = [(question, now) for question, now in pairs if str(question["id"]) in then]
        questions = [question for question, _ in both]
        if mode != "bm25" and any(map(answerable, questions)):
            before = [_answer(then[str(question["id"])]) for question in questions]
            for way, judged in both_ways(questions, [now for _, now in both]).items():
                less = judged - judge(questions, before, also=not way)
                rows.append(margin_row(of.name, f"{mode}{way} less its earlier run", less))
    return rows
