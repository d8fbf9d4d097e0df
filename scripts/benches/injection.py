"""Whether the right few lines come to a prompt unasked: prompts and needed lines of other hands,
session by session.

Each file of cases names its vault, a day, and prompts in order; a needed line is `path:line`, and a
nested list holds lines of which one is enough. A needed line counts as given where a shown line
covers it, for this prompt or earlier in its session. Nothing is asked of a daemon or a model, and
no byte of a vault changes.
"""

from __future__ import annotations

import datetime
import statistics
import sys
import time
import tomllib
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.memory import context
from aurelius.memory.relevance import needed_lines
from aurelius.show.page import count_tokens
from aurelius.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurelius.memory.relevance import Line

    Table = tuple[str, Sequence[Sequence[str]]]


class Case(NamedTuple):
    """A prompt: `need` are groups of places of which one of each is needed, `also` are places that
    help."""

    id: str
    session: str
    kind: str
    prompt: str
    need: tuple[frozenset[str], ...]
    also: frozenset[str]

    @property
    def useful(self) -> set[str]:
        """Every place that helps."""
        return {*self.also, *(place for group in self.need for place in group)}


class Cases(NamedTuple):
    """The prompts about one vault, and the day on which they are asked."""

    vault: str
    today: str
    cases: tuple[Case, ...]


class Given(NamedTuple):
    """What a prompt got: its lines, how many groups of what it needs were given by now, how many of
    its lines help, how many were shown before, and how long it took."""

    vault: str
    case: Case
    lines: tuple[Line, ...]
    met: int
    helpful: int
    again: int
    seconds: float

    @property
    def tokens(self) -> int:
        """About how much an agent reads of it."""
        return count_tokens("\n".join(shown(line) for line in self.lines))


def read(folder: Path) -> list[Cases]:
    """The files of cases in a folder."""
    return [
        _cases(tomllib.loads(file.read_text("utf-8"))) for file in sorted(folder.glob("*.toml"))
    ]


def _cases(told: dict[str, Any]) -> Cases:
    cases = (
        Case(
            each["id"],
            each["session"],
            "-".join(filter(None, (each["kind"], each["trap"]))),
            each["prompt"],
            tuple(frozenset([one] if isinstance(one, str) else one) for one in each["need"]),
            frozenset(each["also"]),
        )
        for each in told["prompt"]
    )
    return Cases(told["vault"], told["today"], tuple(cases))


def shown(line: Line) -> str:
    """A line about as an agent reads it."""
    about = ", ".join(
        filter(None, (line.date, f"{line.path}:{line.lines[0]}", line.id and f"^{line.id}"))
    )
    return f"- {line.text} ({about})"


def places(line: Line) -> set[str]:
    """Every line of a note that a line covers."""
    return {f"{line.path}:{number}" for number in range(line.lines[0], line.lines[1] + 1)}


def opened(folder: Path, today: str, home: Path) -> Vault:
    """A vault on a day, with its index and everything else below `home`."""
    now = datetime.datetime.fromisoformat(f"{today}T12:00:00")
    return Vault.find(str(folder), {"HOME": str(home)}, "/", now=now)


def opening(vault: Vault) -> tuple[Line, ...]:
    """What a session begins with."""
    return tuple(
        line
        for part in context.build_context(vault, budget=vault.config.hook_opening).parts
        for line in part.lines
    )


def asked(
    vault: Vault, name: str, cases: Iterable[Case], *, begin: Sequence[Line] = ()
) -> Iterator[Given]:
    """What each prompt of a vault gets, session by session."""
    sessions: dict[str, tuple[list[str], set[str], set[str]]] = {}
    for case in cases:
        covered = {place for line in begin for place in places(line)}
        before, seen, there = sessions.setdefault(
            case.session, ([], {line.key for line in begin}, covered)
        )
        began = time.perf_counter()
        lines = tuple(needed_lines(vault, case.prompt, before=tuple(before), seen=frozenset(seen)))
        took = time.perf_counter() - began
        again = (
            sum(line.key in seen for line in lines) + len(lines) - len({line.key for line in lines})
        )
        seen.update(line.key for line in lines)
        there.update(place for line in lines for place in places(line))
        met = sum(bool(group & there) for group in case.need)
        helpful = sum(bool(places(line) & case.useful) for line in lines)
        before.append(case.prompt)
        yield Given(name, case, lines, met, helpful, again, took)


def opened_all(
    folder: Path, vaults: Path | None, home: Path, stack: ExitStack
) -> Iterator[tuple[Cases, Vault]]:
    """Each file of cases with its vault; cases without one are told of and left out."""
    for each in read(folder):
        place = next(
            (at / each.vault for at in (folder, vaults) if at and (at / each.vault).is_dir()), None
        )
        if place is None:
            print(
                f"{each.vault}: there is no such vault, so its {len(each.cases)} prompts are"
                " left out"
            )
            continue
        vault = stack.enter_context(closing(opened(place, each.today, home)))
        vault.index()
        yield each, vault


def measure(folder: Path, vaults: Path | None, home: Path, *, show: bool) -> list[Table]:
    """The tables: by vault and in all, by kind, with and without what a session begins with."""
    after: list[Given] = []
    without: list[Given] = []
    with ExitStack() as stack:
        for cases, vault in opened_all(folder, vaults, home, stack):
            without += asked(vault, cases.vault, cases.cases)
            after += asked(vault, cases.vault, cases.cases, begin=opening(vault))
    if show:
        tell(after)
    return [
        *tables(without, "in a session that began with nothing"),
        *tables(after, "after a session-start"),
    ]


def tables(given: Sequence[Given], title: str) -> list[Table]:
    """What some prompts got: by vault and in all, then by kind."""
    vaults = dict.fromkeys(each.vault for each in given)
    kinds = sorted({each.case.kind for each in given})
    by_vault = [row(name, [each for each in given if each.vault == name]) for name in vaults]
    by_kind = [row(kind, [each for each in given if each.case.kind == kind]) for kind in kinds]
    return [(title, [HEAD, *by_vault, row("all", given)]), (f"{title}, by kind", [HEAD, *by_kind])]


HEAD = (
    "",
    "prompts",
    "needed lines",
    "given",
    "without need",
    "got some",
    "injected",
    "helpful",
    "median",
    "p95",
    "twice",
    "ms",
)


def row(name: str, given: Sequence[Given]) -> tuple[str, ...]:
    """What some prompts got, as numbers."""
    need = sum(len(each.case.need) for each in given)
    idle = [each for each in given if not each.case.need]
    some = [each for each in given if each.lines]
    lines = sum(len(each.lines) for each in some)
    sizes = sorted(each.tokens for each in some)
    return (
        name,
        str(len(given)),
        str(need),
        share(sum(each.met for each in given), need),
        str(len(idle)),
        share(sum(bool(each.lines) for each in idle), len(idle)),
        str(lines),
        share(sum(each.helpful for each in some), lines),
        str(statistics.median(sizes) if sizes else "-"),
        str(sizes[int(len(sizes) * 0.95)] if sizes else "-"),
        str(sum(each.again for each in given)),
        f"{1000 * statistics.median(each.seconds for each in given):.0f}",
    )


def share(part: int, whole: int) -> str:
    """A share, or nothing of nothing."""
    return f"{part / whole:.3f}" if whole else "-"


def tell(given: Iterable[Given]) -> None:
    """Print what was missed, and what came without need."""
    for each in given:
        missed = each.met < len(each.case.need)
        if missed or each.lines:
            what = "MISSED" if missed else "given" if each.case.need else "WITHOUT NEED"
            print(
                f"\n{what} {each.case.id} [{each.case.kind}]"
                f" {' '.join(each.case.prompt.split())[:160]}"
            )
            print(
                "  needs"
                f" {' + '.join(' | '.join(sorted(group)) for group in each.case.need) or 'nothing'}"
            )
        for line in each.lines:
            mark = "+" if places(line) & each.case.useful else "-"
            print(f"  {mark} {shown(line)[:200]}")
    sys.stdout.flush()
