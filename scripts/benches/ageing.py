"""What search, proposals and summaries make of facts that change over two years.

Every figure is of phrases that no rule was tuned on (ageing_phrases.py), in a vault made from a seed
(ageing_vault.py), asked through the public API.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benches import ageing_proposals, ageing_summaries, ageing_vault
from benches.ageing_vault import Line, Matter

from aurelius.language.change_cues import read
from aurelius.language.replacements import proposals
from aurelius.vault import Vault
from indexer.catalog.filters import Filters
from indexer.reading.parse import parse
from indexer.search.query import SearchQuery
from indexer.search.search import Hit
from indexer.tokens.english import stem

DAYS = ("2024-12-31", "2025-07-01", "2026-01-10")
"""When the vault is written and asked."""
ACCEPTED = "removed, all proposals accepted"
"""The vault without marks after somebody said yes to everything that is proposed."""
BUDGETS = (120, 30)
"""Words of a summary: as the settings have it, and so few that not everything alive has room."""
DEEP = 10
"""Hits among which an old fact has to be."""

HEADS = ("", "n", "right fact@1", "stale fact@1", "current first of its matter", "in 10", "another note@1")

Row = tuple[str, ...]
Table = tuple[str, list[Row]]


class Question(NamedTuple):
    """What is asked about a matter on a day, and what of it is wanted."""

    matter: Matter
    text: str
    day: str
    wanted: Line


class Answer(NamedTuple):
    """What came of a question: `current` the wanted fact came first, `stale` another line of its matter did,
    `first` the wanted one stands before every other line of its matter and `met` any of them was found at all,
    `place` is that of the wanted one (0: not found), `shares` whether the question has a word of it besides the
    name, `strange` whether the first hit is of another note."""

    question: Question
    current: bool
    stale: bool
    first: bool
    met: bool
    place: int
    shares: bool
    strange: bool
    said: str


def measure(
    place: Path, *, seed: int, half: str = "reported", told: Callable[[str], None] | None = None
) -> list[Table]:
    """The tables; vaults and indexes go to `place`."""
    matters = ageing_vault.history(seed, half)
    kinds: list[list[Row]] = [[HEADS], [HEADS]]
    olds: list[Row] = [("", "superseded facts", "found in 10")]
    for name, marks in (("with marks", True), ("marks removed", False), (ACCEPTED, False)):
        here = place / name.replace(" ", "-")
        now: list[Answer] = []
        for day in DAYS:
            ageing_vault.write(matters, here / day / "vault", day, marks=marks)
            if name == ACCEPTED:
                accept_all(here / day / "vault")
            now += answers(questions(matters, half, seed, day), here / day, day)
        past = answers(earlier(matters, half, seed), here / DAYS[-1], DAYS[-1], as_of=True)
        old = answers(old_ones(matters), here / DAYS[-1], DAYS[-1], status="all")
        olds.append((name, str(len(old)), share(0 < one.place <= DEEP for one in old)))
        for rows, found in zip(kinds, (now, past), strict=True):
            rows.extend(table(name, found))
        for one in (*now, *past) if told else ():
            if told and not one.current:
                told(f"{one.question.day} {one.question.text!r}: {one.said!r}, not {one.question.wanted.text!r}")
    return [
        ("What is so: asked on " + ", ".join(DAYS), kinds[0]),
        ("What was so: asked with --as-of a day before the last change", kinds[1]),
        ("What was so, by its name and value, among all", olds),
        _proposals(half),
        *_pairs(half),
        *_summaries(seed, half),
    ]


def accept_all(folder: Path) -> None:
    """Strike in every note what another line of it may have replaced, as somebody does who says yes to everything."""
    for file in folder.rglob("*.md"):
        path = file.relative_to(folder).as_posix()
        lines = file.read_text("utf-8").split("\n")
        facts = parse(path, file.read_bytes(), daily_folder="memory").facts
        for each in proposals(facts):
            old = each.old
            lines[old.first - 1] = f"- ~~{old.text}~~ ({old.date} → {each.new.date})"
        file.write_text("\n".join(lines), "utf-8", newline="\n")


def table(name: str, found: list[Answer]) -> list[Row]:
    """The figures of these answers: all, and those whose question has a word of the fact."""
    return [
        (
            label, str(len(some)), share(one.current for one in some), share(one.stale for one in some),
            share(one.first for one in some if one.met), share(0 < one.place <= DEEP for one in some),
            share(one.strange for one in some),
        )
        for label, some in (
            (name, found),
            ("  the question has a word of the fact", [one for one in found if one.shares]),
            ("  it has none", [one for one in found if not one.shares]),
        )
    ]  # fmt: skip


def questions(matters: list[Matter], half: str, seed: int, day: str) -> list[Question]:
    """One about each matter that is known on a day."""
    chance = random.Random(f"{seed} {day}")
    found = []
    for one in matters:
        wanted = one.on(day)
        phrases = one.topic.of_half(one.topic.ask, half)
        if wanted and phrases:
            found.append(Question(one, chance.choice(phrases).replace("{n}", one.name), day, wanted))
    return found


def earlier(matters: list[Matter], half: str, seed: int) -> list[Question]:
    """What was so on a day before the last change, of each matter that changed."""
    chance = random.Random(seed)
    found = []
    for one in matters:
        phrases = one.topic.of_half(one.topic.ask, half)
        if len(one.lines) > 1 and phrases:
            wanted = chance.choice(one.lines[:-1])
            first, last = (datetime.date.fromisoformat(day) for day in (wanted.day, one.until(wanted)))
            day = first + datetime.timedelta(days=chance.randrange((last - first).days))
            text = chance.choice(phrases).replace("{n}", one.name)
            found.append(Question(one, text, day.isoformat(), wanted))
    return found


def old_ones(matters: list[Matter]) -> list[Question]:
    """Each superseded value, asked for by name."""
    return [
        Question(one, f"{one.name} {line.value}", DAYS[-1], line)
        for one in matters
        for line in one.lines[:-1]
        if not one.topic.many
    ]


def answers(
    asked: Iterable[Question], folder: Path, day: str, *, status: str = "active", as_of: bool = False
) -> list[Answer]:
    """What search says to each question."""
    now = datetime.datetime.fromisoformat(f"{day}T12:00")
    home = str(folder / "home")
    env = {"HOME": home, "AURELIUS_INDEX": str(folder / "index"), "AURELIUS_NO_USE": "1"}
    vault = Vault.find(str(folder / "vault"), env, "/", now=now)
    found = []
    try:
        for one in asked:
            filters = Filters(status=status, as_of=one.day if as_of else None)
            hits = vault.search(SearchQuery(one.text, filters=filters, limit=20)).hits
            found.append(_judged(one, hits))
    finally:
        vault.close()
    return found


def _judged(question: Question, hits: Iterable[Hit]) -> Answer:
    said = [(hit.path, hit.text) for hit in hits]
    places = {line: _place(said, question.matter.path, line) for line in question.matter.lines}
    own = places.pop(question.wanted)
    others = [place for place in places.values() if place]
    words = set(read(question.text).content) - {stem(word) for word in question.matter.name.split()}
    return Answer(
        question, own == 1, 1 in others, bool(own) and all(own < other for other in others), bool(own or others), own,
        bool(words & set(read(question.wanted.text).content)), bool(said) and said[0][0] != question.matter.path,
        said[0][1] if said else "",
    )  # fmt: skip


def _place(said: list[tuple[str, str]], path: str, line: Line) -> int:
    """Where a fact stands among the hits, 0 for nowhere."""
    for at, (where, text) in enumerate(said, 1):
        if where == path and "\n" not in text.strip() and line.text in text and line.day in text:
            return at
    return 0


def share(values: Iterable[bool]) -> str:
    """The share of those that are so, to three places."""
    found = list(values)
    return f"{sum(found) / max(1, len(found)):.3f}"


def _proposals(half: str) -> Table:
    found = list(ageing_proposals.trials(half))
    rows: list[Row] = [("", "lines", "that replace", "precision", "recall")]
    for name, some in (
        ("all", found),
        ("phrases", [one for one in found if one.topic != "pairs"]),
        ("of them: topics none of whose phrases were tuned on", [one for one in found if one.unseen]),
        ("single pairs of lines", [one for one in found if one.topic == "pairs"]),
    ):
        precision, recall, wanted = ageing_proposals.rates(some)
        rows.append((name, str(len(some)), str(wanted), f"{precision:.3f}", f"{recall:.3f}"))
    return "What is proposed to replace what", rows


def _pairs(half: str) -> list[Table]:
    found = list(ageing_proposals.trials(half))
    rows: list[Row] = [("lines", "n", "asked, rightly", "asked, wrongly", "superseded, wrongly")]
    for name, kinds in (
        ("of another value, without a cue", {"bare"}),
        ("that deny an earlier one", {"against"}),
        ("look-alikes", {"alike"}),
        ("that differ, or say it again", {"differ", "repeat"}),
    ):
        some = [one for one in found if one.what in kinds]
        asked = [one for one in some if one.action == "ask"]
        rows.append((
            name, str(len(some)), share_of(sum(one.got == one.wanted for one in asked), len(some)),
            share_of(sum(one.got != one.wanted for one in asked), len(some)),
            share_of(sum(one.action == "supersede" and one.got != one.wanted for one in some), len(some)),
        ))  # fmt: skip
    same: list[Row] = [("pairs", "n", "said to say the same")]
    same += [(label, str(total), str(count)) for label, (count, total) in ageing_proposals.told_same(half).items()]
    return [("Questions, where nothing says which of two holds", rows), ("What is called a duplicate", same)]


def share_of(some: int, every: int) -> str:
    """A share, to three places."""
    return f"{some / max(1, every):.3f}"


def _summaries(seed: int, half: str) -> list[Table]:
    tables = []
    for words in BUDGETS:
        rows: list[Row] = [(
            "written on", "facts that are so", "kept", "words", "longest", "hot covered", "cold or past", "twice",
            "asked later: kept", "as many first facts",
        )]  # fmt: skip
        rows += ageing_summaries.rows(ageing_summaries.measure(seed, half, words))
        tables.append((f"Summaries of at most {words} words, all notes together", rows))
    return tables
