"""The weights by which a clause of a message is kept: fitted on messages of other hands, tested on
persons left out.

A logistic regression over the signs that `language/spoken` sees and the embedding of the clause,
held small. The weights are written into the file that it reads; the figures are of persons on whom
nothing was fitted.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benches.conversations import carries, share

from aurelius.language import spoken
from indexer.tokens import embed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

FILE = "aurelius/language/spoken_weights.json"
OFTEN = 5
"""Clauses in which a sign has to be seen to get a weight."""
RIDGE, RIDGE_OF_MEANING = 6.0, 10.0
STEPS, LETTERS = 12, 12
"""Steps of a fit, and how many letters a weight may be from `m`, which is none."""
BELIEVED = {
    "prefer": 3.0,
    "life": 2.0,
    "ordered": 3.0,
    "decided": 3.0,
    "role": 2.0,
    "shift": 1.0,
    "guess": -1.5,
    "plain short": 0.5,
    "scoped": 3.0,
    "lets": 4.5,
    "whole": 0.3,
    "whole plain": 1.5,
    "tends": 0.5,
}
"""Weights that plain words have without any message: few people say them, and those who do mean
it."""


class Message(NamedTuple):
    """A message of a person, and what of it is worth keeping, may be kept, and never is."""

    person: str
    id: str
    text: str
    keep: tuple[str, ...]
    may: tuple[str, ...]
    never: tuple[str, ...]


class Seen(NamedTuple):
    """A clause of a message as the fit sees it; `worth` is None where it does not matter."""

    message: Message
    signs: frozenset[str]
    meaning: tuple[int, ...]
    worth: bool | None


def messages(folders: Iterable[Path]) -> Iterator[Message]:
    """The messages of the files of folders, a person each, or a vault where they are turns of
    conversations."""
    for file in (file for folder in folders for file in sorted(folder.glob("*.toml"))):
        told = tomllib.loads(file.read_text("utf-8"))
        found = [(file.stem, each["id"], each) for each in told.get("message", ())]
        for talk in told.get("conversation", ()):
            turns = (each for each in talk["turn"] if each["role"] == "user")
            found += [
                (f"{file.stem}/{talk['vault']}", f"{talk['id']}.{at}", each)
                for at, each in enumerate(turns)
            ]
        for person, name, each in found:
            keep = tuple(
                one if isinstance(one, str) else one["text"] for one in each.get("keep", ())
            )
            lists = (tuple(each.get(name, ())) for name in ("may", "never"))
            yield Message(person, name, each["text"].strip("\n"), keep, *lists)


def seen(message: Message) -> Iterator[Seen]:
    """The clauses of a message."""
    encoder = embed.load_model()
    for line in spoken.own_lines(message.text).split("\n"):
        blank = spoken.blank_quotes(line)
        spans = spoken.sentence_spans(line)
        for part in (part for first, last in spans for part in spoken.clauses(blank, first, last)):
            for at, each in enumerate(part):
                text = line[each.first : each.last]
                is_kept = any(carries(text, one) or _within(text, one) for one in message.keep)
                is_open = not is_kept and any(
                    share(text, one) >= 0.6 for one in (*message.may, *message.keep)
                )
                meaning = tuple(memoryview(encoder.vector(encoder.ids(text))).cast("b"))
                signs = frozenset(spoken.clause_signs(line, blank, part, at))
                yield Seen(message, signs, meaning, None if is_open else is_kept)


def _within(text: str, wanted: str) -> bool:
    return share(text, wanted) >= 0.6 and share(wanted, text) >= 0.35


class Weights(NamedTuple):
    """What a fit found."""

    bias: float
    signs: dict[str, float]
    meaning: tuple[float, ...]

    def odds(self, each: Seen) -> float:
        """How surely a clause is worth keeping."""
        told = sum(self.signs.get(name, 0.0) for name in each.signs)
        return (
            self.bias
            + told
            + sum(one * other for one, other in zip(self.meaning, each.meaning, strict=True))
        )


def fit(rows: Sequence[Seen]) -> Weights:
    """The weights that fit these clauses."""
    rows = [each for each in rows if each.worth is not None]
    often = Counter(name for each in rows for name in each.signs)
    names = sorted(name for name, count in often.items() if count >= OFTEN or name in BELIEVED)
    signs = np.array([[name in each.signs for name in names] for each in rows], dtype=float)
    told = np.hstack(
        [signs, np.array([each.meaning for each in rows]) * 4 / 254, np.ones((len(rows), 1))]
    )
    right = np.array([each.worth for each in rows], dtype=float)
    ridge = np.array([RIDGE] * len(names) + [RIDGE_OF_MEANING] * embed.DIMENSIONS + [0.01])
    believed = np.array(
        [BELIEVED.get(name, 0.0) for name in names] + [0.0] * (embed.DIMENSIONS + 1)
    )
    found = believed.copy()
    found[-1] = math.log(right.mean() / (1 - right.mean()))
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-(told @ found)))
        slope = told.T @ (sure - right) + ridge * (found - believed) * (
            np.arange(len(found)) < len(found) - 1
        )
        curve = (told * (sure * (1 - sure) + 1e-6)[:, None]).T @ told + np.diag(ridge)
        found -= np.linalg.solve(curve, slope)
    meaning = tuple(float(each) * 4 / 254 for each in found[len(names) : -1])
    return Weights(float(found[-1]), dict(zip(names, map(float, found), strict=False)), meaning)


def left_out(rows: Sequence[Seen]) -> dict[str, Weights]:
    """For each person the weights that were fitted on all others."""
    persons = sorted({each.message.person for each in rows})
    return {one: fit([each for each in rows if each.message.person != one]) for one in persons}


def install(found: Weights) -> None:
    """Let the module use these weights."""
    most = max(map(abs, found.meaning)) or 1.0
    spoken.BIAS, spoken.SCALE = found.bias, most / LETTERS
    spoken.SIGN_WEIGHTS, spoken.MEANING = (
        found.signs,
        tuple(round(each / most * LETTERS) for each in found.meaning),
    )


def write(root: Path) -> None:
    """Write the weights that are in use into the file that the module reads."""
    signs = {
        name: round(value, 1)
        for name, value in sorted(spoken.SIGN_WEIGHTS.items())
        if abs(value) >= 0.15
    }
    made = {
        "bias": round(spoken.BIAS, 4),
        "scale": round(spoken.SCALE, 6),
        "signs": signs,
        "meaning": "".join(chr(ord("m") + each) for each in spoken.MEANING),
    }
    (root / FILE).write_text(json.dumps(made, indent=2) + "\n", "utf-8")


def figures(rows: Sequence[Seen], every: Sequence[Message]) -> list[tuple[str, ...]]:
    """For each person left out, and all, what is kept and what of it is right."""
    found = left_out(rows)
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    for person, weights in found.items():
        install(weights)
        for message in (each for each in every if each.person == person):
            add(counts[person], message)
    return [
        HEAD,
        *[row(*each) for each in counts.items()],
        row("all, each left out", [sum(each) for each in zip(*counts.values(), strict=True)]),
    ]


HEAD = ("person", "messages", "kept", "precision", "worth", "recall", "never")


def add(counts: list[int], message: Message) -> None:
    """Add what is kept of a message."""
    encoder = embed.load_model()

    def meaning(text: str) -> Any:
        return memoryview(encoder.vector(encoder.ids(text))).cast("b")

    lines = [each.text for each in spoken.spoken_statements(message.text, meaning, lambda _: 0.0)]
    worth = (*message.keep, *message.may)
    counts[0] += 1
    counts[1] += len(lines)
    counts[2] += sum(any(carries(line, one) for one in worth) for line in lines)
    counts[3] += len(message.keep)
    counts[4] += sum(any(carries(line, one) for line in lines) for one in message.keep)
    wrong = [line for line in lines if not any(carries(line, one) for one in worth)]
    counts[5] += sum(any(share(one, line) >= 0.6 for one in message.never) for line in wrong)


def row(name: str, counts: Sequence[int]) -> tuple[str, ...]:
    """The figures of a person."""
    count, kept, right, worth, found, never = counts
    return (
        name,
        str(count),
        str(kept),
        f"{right / max(1, kept):.2f}",
        str(worth),
        f"{found / max(1, worth):.2f}",
        str(never),
    )


def measure(
    folders: Sequence[Path], root: Path, *, anew: bool
) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The tables; `anew` fits the weights and writes them into the module."""
    every = list(messages(folders))
    if not anew:
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
        for each in every:
            add(counts[each.person], each)
        total = [sum(each) for each in zip(*counts.values(), strict=True)]
        return [
            (
                "What is kept of messages",
                [HEAD, *[row(*each) for each in counts.items()], row("all", total)],
            )
        ]
    rows = [one for each in every for one in seen(each)]
    told = figures(rows, every)
    install(fit(rows))
    write(root)
    return [("What is kept of messages of a person on whom nothing was fitted", told)]
