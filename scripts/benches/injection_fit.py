"""The weights of what a prompt needs, found again: two logistic regressions, and what the same
rules give on sessions and on vaults that they were not fitted on.

The first is over the lines of the prompts that need something: whether a line helps. The second is
over all prompts: whether one needs anything. Both are held small (L2).
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from benches import injection

from aurelius.memory import relevance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benches.injection import Case, Cases, Given, Table

    from aurelius.memory.lines import Line
    from aurelius.memory.relevance import Prompt, Prospect
    from aurelius.vault import Vault

    Weights = dict[str, float]

SMALL = 3.0
"""How small the weights are held."""
NEED = 2.0
"""How often a needed line counts beside one that only helps."""


class Seen(NamedTuple):
    """A prompt with its evidence, and its lines with theirs."""

    vault: str
    case: Case
    asked: Prompt
    prospects: tuple[Prospect, ...]


def regression(rows: Sequence[tuple[Mapping[str, float], bool, float]]) -> Weights:
    """The weights with which the evidence of some rows says best which of them hold; each row
    counts by its last."""
    names = list(rows[0][0])
    table = np.array([[evidence[name] for name in names] for evidence, _, _ in rows])
    holds, counts = (
        np.array([float(held) for _, held, _ in rows]),
        np.array([count for _, _, count in rows]),
    )
    middle, spread = table.mean(0), table.std(0) + 1e-6
    scaled = np.c_[np.ones(len(table)), (table - middle) / spread]
    weights = np.zeros(scaled.shape[1])
    kept = SMALL * np.r_[0.0, np.ones(len(names))]
    for _ in range(60):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (counts * (chance - holds)) + kept * weights
        bend = (scaled.T * (counts * chance * (1 - chance))) @ scaled + np.diag(kept + 1e-9)
        weights -= np.linalg.solve(bend, slope)
    plain = weights[1:] / spread
    return {
        "start": float(weights[0] - plain @ middle),
        **dict(zip(names, map(float, plain), strict=True)),
    }


def of_lines(seen: Iterable[Seen], begin: Mapping[str, frozenset[str]]) -> Weights:
    """The weights of the evidence of lines; those that a session begins with do not count."""
    rows = []
    for each in seen:
        need = {place for group in each.case.need for place in group}
        for prospect in each.prospects if need else ():
            places = injection.places(prospect.line)
            if not places & begin[each.vault]:
                helps = bool(places & each.case.useful)
                rows.append((prospect.evidence, helps, NEED if places & need else 1.0))
    return regression(rows)


def of_prompts(seen: Iterable[Seen], lines: Weights) -> Weights:
    """The weights of the evidence of prompts, with what these weights make of their best lines."""
    with using({}, lines):
        return regression(
            [
                (relevance.of_all(each.asked, each.prospects), bool(each.case.need), 1.0)
                for each in seen
                if each.prospects
            ]
        )


@contextmanager
def using(prompts: Weights, lines: Weights) -> Iterator[None]:
    """Other weights for a while."""
    kept = relevance.OF_PROMPT, relevance.OF_LINE
    relevance.OF_PROMPT, relevance.OF_LINE = prompts, lines
    try:
        yield
    finally:
        relevance.OF_PROMPT, relevance.OF_LINE = kept


def read(vault: Vault, cases: Cases) -> Iterator[Seen]:
    """The prompts of a vault that are looked up, with all evidence."""
    sessions: dict[str, list[str]] = {}
    for case in cases.cases:
        before = sessions.setdefault(case.session, [])
        if relevance.asks(case.prompt):
            asked = relevance.read_prompt(case.prompt, before)
            yield Seen(cases.vault, case, asked, tuple(relevance.prospects(vault, asked, before)))
        before.append(case.prompt)


def measure(folder: Path, vaults: Path | None, home: Path, *, show: bool) -> list[Table]:
    """The weights fitted on all prompts, and what these give, and those that other sessions or
    other vaults give."""
    with ExitStack() as stack:
        opened = list(injection.opened_all(folder, vaults, home, stack))
        begin = {cases.vault: injection.opening(vault) for cases, vault in opened}
        places = {
            name: frozenset(p for line in lines for p in injection.places(line))
            for name, lines in begin.items()
        }
        seen = [each for cases, vault in opened for each in read(vault, cases)]
        fitted = weights_of(seen, places)
        for name, weights in zip(("OF_PROMPT", "OF_LINE"), fitted, strict=True):
            print(
                f"{name} ="
                f" {{{', '.join(f'{key!r}: {value:.2f}' for key, value in weights.items())}}}"
            )
        found: list[Table] = []
        for title, part in (
            ("fitted on all", lambda _: ""),
            ("each fifth of the sessions by the weights of the others", fifth),
            ("each vault by the weights of the others", lambda key: key[0]),
        ):
            given = list(_tried(opened, begin, seen, places, part))
            found += injection.tables(given, title)
            if show:
                injection.tell(given)
        return found


def fifth(key: tuple[str, str]) -> str:
    """Which fifth of the sessions one is in."""
    return str(crc32("/".join(key).encode()) % 5)


def weights_of(
    seen: Sequence[Seen], places: Mapping[str, frozenset[str]]
) -> tuple[Weights, Weights]:
    """The weights of prompts and of lines."""
    lines = of_lines(seen, places)
    return of_prompts(seen, lines), lines


def _tried(
    opened: Sequence[tuple[Cases, Vault]],
    begin: Mapping[str, tuple[Line, ...]],
    seen: Sequence[Seen],
    places: Mapping[str, frozenset[str]],
    part: Callable[[tuple[str, str]], str],
) -> Iterator[Given]:
    """What prompts get by weights that were fitted on the other parts; on all where there is but
    one part."""
    parts = {
        (each.vault, each.case.session): part((each.vault, each.case.session)) for each in seen
    }
    for name in sorted({*parts.values()}):
        rest = [each for each in seen if not name or parts[each.vault, each.case.session] != name]
        with using(*weights_of(rest, places)):
            for cases, vault in opened:
                mine = [case for case in cases.cases if part((cases.vault, case.session)) == name]
                yield from injection.asked(vault, cases.vault, mine, begin=begin[cases.vault])
