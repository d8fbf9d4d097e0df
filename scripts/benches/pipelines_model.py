"""What a model chooses for prompts, and what it keeps of conversations, by recorded answers.

They were written by somebody who saw only the requests, as those of the chat: they show the pipe at
its best, and say nothing about any model. It is a sample: every third prompt of each vault of
tests/cases/hooks, in its session, where the rules choose for the others; and the first ten
conversations of each file of tests/cases/conversations. A request without an answer counts as
missing, and is done by the rules, as where no model answers in time.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.model.chosen_lines import choose_lines
from aurelius.model.connection import Stop, UnansweredError
from aurelius.model.endpoint import whole_answer
from aurelius.model.named_sentences import name_sentences
from aurelius.model.request import request_hash

from . import conversations, injection
from .chat import CASES
from .chat_model import Recorded, rekey, write_requests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurelius.memory.context import Choose
    from aurelius.memory.conversation import KeptLine
    from aurelius.model.request import ModelRequest
    from aurelius.vault import Vault

    from .chat_model import Table

RECORDED = CASES / "pipelines" / "answers"
EACH = 3
CONVERSATIONS = 10
"""Of so many prompts one is asked about, and conversations of each file."""


class Asker:
    """Asks for recorded answers; `asked` are the requests of each case by their hashes, and
    `missing` those that have none."""

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.asked: dict[str, list[str]] = {}
        self.missing: dict[str, list[str]] = {}

    def ask(self, case: str, request: ModelRequest) -> str:
        """The answer to a request of a case, "" where there is none."""
        name = request_hash(request)
        self.asked.setdefault(case, []).append(name)
        try:
            return whole_answer(self.recorded, request, Stop())
        except UnansweredError:
            self.missing.setdefault(case, []).append(name)
            return ""


class Piped(NamedTuple):
    """What came of it: what prompts got, and conversations with what is kept of each."""

    prompts: list[injection.Given]
    talks: list[tuple[dict[str, Any], Sequence[KeptLine]]]

    def known(self, asker: Asker) -> Piped:
        """Of these the ones that every request has an answer of."""
        return Piped(
            [each for each in self.prompts if each.case.id not in asker.missing],
            [each for each in self.talks if each[0]["id"] not in asker.missing],
        )

    @property
    def figures(self) -> tuple[int, int, int, int]:
        """The lines that are needed and those of them that were given; the prompts that need
        none and those of them that got some."""
        needless = [each for each in self.prompts if not each.case.need]
        return (
            sum(len(each.case.need) for each in self.prompts),
            sum(each.met for each in self.prompts),
            len(needless),
            sum(bool(each.lines) for each in needless),
        )


def piped(asker: Asker, home: Path) -> Piped:
    """The sample, with what the recorded answers make of it."""
    with ExitStack() as stack:
        opened = injection.opened_all(CASES / "hooks", None, home, stack)
        prompts = [each for cases, vault in opened for each in _prompts(cases, vault, asker)]
    return Piped(prompts, [*_talks(asker, home)])


def _prompts(cases: injection.Cases, vault: Vault, asker: Asker) -> Iterator[injection.Given]:
    sample = {each.id for each in cases.cases[::EACH]}

    def choosing(case: injection.Case, before: Sequence[str]) -> Choose | None:
        if case.id not in sample:
            return None
        return partial(choose_lines, partial(asker.ask, case.id), vault, case.prompt, before)

    begin = injection.opening(vault)
    given = injection.asked(vault, cases.vault, cases.cases, begin=begin, choosing=choosing)
    return (each for each in given if each.case.id in sample)


def _talks(asker: Asker, home: Path) -> Iterator[tuple[dict[str, Any], Sequence[KeptLine]]]:
    files = sorted((CASES / "conversations").glob("*.toml"))
    for _, cases in groupby(conversations.cases(files), lambda each: each[1]["id"][:3]):
        for _, told, vault in islice(cases, CONVERSATIONS):
            judge = partial(name_sentences, partial(asker.ask, told["id"]))
            yield told, conversations.kept(told, vault, home / told["id"], judge)


def measure(home: Path, requests: Path | None, *, takes_over: bool, show: bool) -> list[Table]:
    """The tables: what was given and kept of all, and of those that have every answer."""
    asker = Asker(Recorded(RECORDED))
    found = piped(asker, home)
    waiting = [*asker.missing.items()]
    if takes_over:
        print(f"{rekey(waiting, asker.recorded)} answers were taken over")
    if requests:
        write_requests(waiting, asker.recorded, requests)
    if show:
        injection.tell(found.prompts)
        print("\n".join(conversations.lines(conversations.score(found.talks))))
    asked = sum(map(len, asker.asked.values()))
    missing = sum(map(len, asker.missing.values()))
    print(f"{asked} requests, {missing} without an answer")
    head = (
        "",
        "needed",
        "given",
        "without need",
        "got some",
        "kept",
        "precision",
        "worth",
        "recall",
    )
    known = found.known(asker)
    return [("recorded answers", [head, _row("all", found), _row("answered", known)])]


def _row(name: str, found: Piped) -> tuple[str, ...]:
    need, met, needless, some = found.figures
    score = conversations.score(found.talks)
    return (
        name,
        str(need),
        injection.share(met, need),
        str(needless),
        injection.share(some, needless),
        str(score.kept),
        f"{score.precision:.3f}",
        str(score.worth),
        f"{score.recall:.3f}",
    )
