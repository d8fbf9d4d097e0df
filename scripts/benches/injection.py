"""Whether the right few lines come to a prompt unasked: prompts and needed lines of other hands,
session by session.

Each file of cases names its vault, a day, and prompts in order; a needed line is `path:line`, and a
nested list holds lines of which one is enough. A needed line counts as given where a shown line
covers it, for this prompt or earlier in its session. On its subject is a line that is needed or
helps, and one of a page that such a line stands on, but for days and what is of nothing in
particular. A stale line is alone where what the prompt needs of the notes of days was not given
with it or before. Nothing is asked of a daemon or a model, and no byte of a vault changes.
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
from aurelius.memory.relevance import asks, prospects, read_prompt
from aurelius.show.page import count_tokens
from aurelius.vault import Vault
from indexer.reading.path_meaning import day_of_path, kind_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from aurelius.memory.lines import Line

    Choosing = Callable[["Case", Sequence[str]], context.Choose | None]
    Table = tuple[str, Sequence[Sequence[str]]]

_OF_NOTHING = frozenset(("daily", "me", "memory"))
"""Kinds of notes that are of nothing in particular."""


class Case(NamedTuple):
    """A prompt: `need` are groups of places of which one of each is needed, `also` are places that
    help, `stale` those that held once."""

    id: str
    session: str
    kind: str
    prompt: str
    need: tuple[frozenset[str], ...]
    also: frozenset[str]
    stale: frozenset[str] = frozenset()

    @property
    def useful(self) -> set[str]:
        """Every place that helps."""
        return {*self.also, *(place for group in self.need for place in group)}

    def has_newer(self, there: set[str]) -> bool:
        """Whether what holds now is among some places: what is needed of a day's note, else any
        that is needed."""
        paths = {place: place.rpartition(":")[0] for group in self.need for place in group}
        of_days = [
            group for group in self.need if any(day_of_path(paths[place], "") for place in group)
        ]
        if of_days:
            return all(group & there for group in of_days)
        return any(group & there for group in self.need)

    def concerns(self, line: Line) -> bool:
        """Whether a line is on the subject of the prompt."""
        pages = {place.rpartition(":")[0] for place in self.useful}
        is_page = kind_of_path(line.path, None) not in _OF_NOTHING
        return bool(places(line) & self.useful) or (is_page and line.path in pages)


class Cases(NamedTuple):
    """The prompts about one vault, the day on which they are asked, and what a session is to begin
    with, may and must not."""

    vault: str
    today: str
    cases: tuple[Case, ...]
    opening: frozenset[str] = frozenset()
    opening_also: frozenset[str] = frozenset()
    never_opening: frozenset[str] = frozenset()


class Given(NamedTuple):
    """What a prompt got: its lines, how many groups of what it needs were given by now, how many of
    its lines help, how many were shown before, and how long it took; whether a stale line came
    alone, and how many of those groups were candidates at least."""

    vault: str
    case: Case
    lines: tuple[Line, ...]
    met: int
    helpful: int
    again: int
    seconds: float
    stale: bool = False
    reach: int = 0

    @property
    def is_off(self) -> bool:
        """Whether something came that is not on the prompt's subject."""
        return not all(map(self.case.concerns, self.lines))

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
            frozenset(each.get("stale", ())),
        )
        for each in told["prompt"]
    )
    return Cases(
        vault=told["vault"],
        today=told["today"],
        cases=tuple(cases),
        opening=frozenset(told.get("opening", ())),
        opening_also=frozenset(told.get("opening_also", ())),
        never_opening=frozenset(told.get("never_opening", ())),
    )


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
    return Vault.find(str(folder.resolve()), {"HOME": str(home)}, "/", now=now)


def opening(vault: Vault) -> tuple[Line, ...]:
    """What a session begins with."""
    return tuple(
        line
        for part in context.for_opening(vault, vault.config.hook_opening).parts
        for line in part.lines
    )


def asked(
    vault: Vault,
    name: str,
    cases: Iterable[Case],
    *,
    begin: Sequence[Line] = (),
    candidates: frozenset[str] | None = None,
    choosing: Choosing | None = None,
) -> Iterator[Given]:
    """What each prompt of a vault gets, session by session; with `candidates`, the places that a
    session may begin with, also how much of what it needs might have come; `choosing` says of each
    prompt and those before it who chooses lines."""
    sessions: dict[str, tuple[list[str], set[str], set[str]]] = {}
    for case in cases:
        covered = {place for line in begin for place in places(line)}
        before, seen, there = sessions.setdefault(
            case.session, ([], {line.key for line in begin}, covered)
        )
        began = time.perf_counter()
        choose = choosing(case, tuple(before)) if choosing else None
        lines = for_prompt(vault, case.prompt, before, seen, choose)
        took = time.perf_counter() - began
        again = (
            sum(line.key in seen for line in lines) + len(lines) - len({line.key for line in lines})
        )
        seen.update(line.key for line in lines)
        now = {place for line in lines for place in places(line)}
        there.update(now)
        met = sum(bool(group & there) for group in case.need)
        reach = met
        if candidates is not None:
            may = there | candidates | may_come(vault, case.prompt, before)
            reach = sum(bool(group & may) for group in case.need)
        before.append(case.prompt)
        yield Given(
            vault=name,
            case=case,
            lines=lines,
            met=met,
            helpful=sum(bool(places(line) & case.useful) for line in lines),
            again=again,
            seconds=took,
            stale=bool(now & case.stale) and not case.has_newer(there),
            reach=reach,
        )


def for_prompt(
    vault: Vault,
    prompt: str,
    before: Sequence[str] = (),
    seen: Iterable[str] = (),
    choose: context.Choose | None = None,
) -> tuple[Line, ...]:
    """The lines that the hook gives to a prompt; `choose` as the context has it."""
    if not asks(prompt):
        return ()
    found = context.for_prompt(
        vault,
        prompt,
        seen=frozenset(seen),
        before=tuple(before),
        budget=context.PROMPT_BUDGET,
        choose=choose,
    )
    return tuple(line for part in found.parts for line in part.lines)


def may_come(vault: Vault, prompt: str, before: Sequence[str]) -> set[str]:
    """Every place that was a candidate for a prompt."""
    if not asks(prompt):
        return set()
    found = prospects(vault, read_prompt(prompt, before), before)
    return {place for each in found for place in places(each.line)}


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


def measure(
    folder: Path, vaults: Path | None, home: Path, *, show: bool, totals: bool = False
) -> list[Table]:
    """The tables: what sessions begin with, then by vault and in all, by kind, with and without
    what a session begins with; with `totals` only what all prompts got after a beginning."""
    after: list[Given] = []
    without: list[Given] = []
    begun: list[tuple[str, ...]] = []
    with ExitStack() as stack:
        for cases, vault in opened_all(folder, vaults, home, stack):
            begin = opening(vault)
            begun.append(opened_with(vault, cases, begin, show=show))
            gathered = context.gather_context(vault)
            may = frozenset(
                place for part in gathered for line in part.lines for place in places(line)
            )
            if not totals:
                without += asked(vault, cases.vault, cases.cases)
            after += asked(vault, cases.vault, cases.cases, begin=begin, candidates=may)
    if show:
        tell(after)
    if totals:
        return [
            ("what sessions begin with", [BEGUN, summed(begun)]),
            ("after a session-start", [HEAD, row("all", after)]),
        ]
    return [
        ("what sessions begin with", [BEGUN, *begun]),
        *tables(without, "in a session that began with nothing"),
        *tables(after, "after a session-start"),
    ]


BEGUN = ("", "lines", "tokens", "wanted", "given", "others", "never")
"""What a session begins with: its lines and tokens, the lines that it is to begin with and how many
of them come, how many that nobody asked for, and how many that must not come."""


def opened_with(
    vault: Vault, cases: Cases, begin: Sequence[Line], *, show: bool
) -> tuple[str, ...]:
    """What a session begins with, as numbers."""
    there = {place for line in begin for place in places(line)}
    harmless = cases.opening | cases.opening_also
    others = [line for line in begin if not places(line) & harmless]
    if show:
        print(f"\nOPENING {cases.vault}; missed: {', '.join(sorted(cases.opening - there))}")
        for line in begin:
            mark = "+" if places(line) & cases.opening else "-" if line in others else "~"
            print(f"  {mark} {shown(line)[:200]}")
    return (
        cases.vault,
        str(len(begin)),
        str(context.for_opening(vault, vault.config.hook_opening).tokens),
        str(len(cases.opening)),
        str(len(cases.opening & there)),
        str(len(others)),
        str(len(cases.never_opening & there)),
    )


def summed(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Rows of numbers added up, but for tokens, of which the most is told."""
    most = max((int(row[2]) for row in rows), default=0)
    sums = [str(sum(int(row[at]) for row in rows)) for at in range(1, len(BEGUN))]
    return ("all", sums[0], f"<= {most}", *sums[2:])


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
    "might",
    "without need",
    "got some",
    "off",
    "injected",
    "helpful",
    "on it",
    "stale alone",
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
        share(sum(each.reach for each in given), need),
        str(len(idle)),
        share(sum(bool(each.lines) for each in idle), len(idle)),
        share(sum(each.is_off for each in idle), len(idle)),
        str(lines),
        share(sum(each.helpful for each in some), lines),
        share(sum(sum(map(each.case.concerns, each.lines)) for each in some), lines),
        str(sum(each.stale for each in given)),
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
            if each.case.concerns(line) and mark == "-":
                mark = "~"
            if places(line) & each.case.stale:
                mark = "STALE"
            print(f"  {mark} {shown(line)[:200]}")
    sys.stdout.flush()
