"""How well a conversation answers, and whether it takes a line for what it is: over questions and
lines of hands that saw only the vaults.

A vault that is not in the repository is looked for in the folder that is named; without it its
questions are left out.
"""

from __future__ import annotations

import datetime
import shutil
import statistics
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.api import SharedVault
from aurelius.chat.reply import reply_to
from aurelius.chat.said import (
    SAID_COMMAND,
    SAID_CORRECTION,
    SAID_FOLLOW_UP,
    SAID_QUESTION,
    SAID_STATEMENT,
    agreed,
    read_said,
)
from aurelius.chat.talk import Talk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.chat.said import Said
    from aurelius.chat.talk import Cited, TalkReply

    Table = tuple[str, list[tuple[str, ...]]]

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"
FIRST = 3
"""Cited lines among which the answer has to stand."""
LEAST_OF_LIST = 3
"""Lines of a list that an answer has to hold, or all of a shorter one."""


class Given(NamedTuple):
    """A question of a case, and what was said to it in how many seconds."""

    vault: str
    question: dict[str, Any]
    reply: TalkReply
    seconds: float

    @property
    def is_answerable(self) -> bool:
        """Whether the notes hold an answer."""
        return bool(self.question["answerable"])

    @property
    def stands_first(self) -> bool:
        """Whether the answer stands in the first cited lines, of a list enough of it in all."""
        wanted = self.question["lines"]
        if self.question.get("list"):
            held = [any(_is_at(each, place) for each in self.reply.lines) for place in wanted]
            return sum(held) >= min(LEAST_OF_LIST, len(wanted))
        return any(_is_at(each, at) for each in self.reply.lines[:FIRST] for at in wanted)

    @property
    def says_it(self) -> bool:
        """Whether the answer stands there, or a line that has the same words for it."""
        text = " ".join(each.line.text for each in self.reply.lines[:FIRST]).casefold()
        words = self.question.get("must", ())
        return self.stands_first or any(word.casefold() in text for word in words)


def _is_at(cited: Cited, place: str) -> bool:
    """Whether a cited line is the one at `path:line`."""
    path, _, line = place.rpartition(":")
    first, last = cited.line.lines
    return cited.line.path == path and first <= int(line) <= max(first, last)


def find_vault(name: str, vaults: Path | None) -> Path | None:
    """The folder of a vault of the cases; None for one that is kept elsewhere and not named."""
    places = [CASES / "chat" / name, CASES / "hooks" / name]
    if vaults:
        places.append(vaults / name)
    return next((place for place in places if place.is_dir()), None)


def asked(folder: Path, home: Path, vaults: Path | None = None) -> Iterator[Given]:
    """Every question of a folder of cases, asked in its conversation."""
    for file in sorted(folder.glob("*.toml")):
        cases = tomllib.loads(file.read_text("utf-8"))
        if "question" not in cases:
            continue
        place = find_vault(cases["vault"], vaults)
        if place is None:
            print(f"{cases['vault']}: there is no such vault, so its questions are left out")
            continue
        copy = home / file.parent.name / file.stem
        shutil.copytree(place, copy)
        (copy / ".aurelius").mkdir(exist_ok=True)
        env = {f"XDG_{each}_HOME": str(home / each) for each in ("CONFIG", "CACHE", "STATE")}
        now = datetime.datetime.fromisoformat(f"{cases['today']}T12:00:00")
        with SharedVault.find(str(copy), env, str(copy), now=now) as vault:
            vault.index()
            yield from _asked_of(vault, cases)


def _asked_of(vault: SharedVault, cases: dict[str, Any]) -> Iterator[Given]:
    talks: dict[str, Talk] = {}
    for question in cases["question"]:
        name = question["talk"] or question["id"]
        talk = talks.get(name, Talk())
        began = time.perf_counter()
        reply = reply_to(vault, talk, question["ask"])
        seconds = time.perf_counter() - began
        talks[name] = talk.with_turn(question["ask"], reply)
        yield Given(cases["vault"], question, reply, seconds)


class Line(NamedTuple):
    """A typed line of a case, and what it was taken for."""

    case: dict[str, Any]
    said: Said

    @property
    def is_right(self) -> bool:
        """Whether it was taken for what it is: a question that goes on is a question too."""
        what = self.case["what"]
        if {what, self.said.what} == {SAID_QUESTION, SAID_FOLLOW_UP}:
            return True
        if what == SAID_COMMAND and agreed(self.case["say"]) is not None:
            return True  # a yes or a no, for the door that offered something
        if what == SAID_CORRECTION and self.said.corrects != self.case.get("corrects", 0):
            return False
        if what == SAID_STATEMENT and self.case["keep"].lower() not in self.said.text.lower():
            return False
        return bool(self.said.what == what)

    @property
    def does_harm(self) -> bool:
        """Whether a change would be proposed where nothing is to be changed."""
        changes = (SAID_STATEMENT, SAID_CORRECTION)
        is_change = self.said.what in changes
        return is_change and self.case["what"] not in changes


def said(file: Path) -> list[Line]:
    """Every typed line of a file of cases."""
    found = []
    for case in tomllib.loads(file.read_text("utf-8"))["said"]:
        cited = [each.partition(": ")[2].removeprefix("- ") for each in case["cited"]]
        found.append(Line(case, read_said(case["say"], cited)))
    return found


def measure(home: Path, vaults: Path | None, *, held: bool, show: bool) -> list[Table]:
    """The tables: questions by vault, and typed lines by what they are; `held` asks those that are
    kept apart."""
    folders = [CASES / "held" / "chat"] if held else [CASES / "chat", CASES / "chat" / "second"]
    given = [each for folder in folders for each in asked(folder, home, vaults)]
    names = [*dict.fromkeys(each.vault for each in given)]
    rows: list[tuple[str, ...]] = [
        ("vault", "answer in first three", "same words", "but called unsure", "rightly unsure")
    ]
    rows += [_row(name, [each for each in given if each.vault == name]) for name in names]
    rows.append(_row("all", given))
    every = sorted(each.seconds for each in given)
    times: list[tuple[str, ...]] = [
        ("p50", "p95"),
        (_ms(statistics.median(every)), _ms(every[len(every) * 95 // 100])),
    ]
    lines = [line for folder in folders for line in said(folder / "said.toml")]
    if show:
        _show(given, lines)
    return [("questions", rows), ("milliseconds", times), ("typed lines", _line_rows(lines))]


def _row(name: str, given: Sequence[Given]) -> tuple[str, ...]:
    known = [each for each in given if each.is_answerable]
    unknown = [each for each in given if not each.is_answerable]
    return (
        name,
        _of(sum(each.stands_first for each in known), known),
        _of(sum(each.says_it for each in known), known),
        _of(sum(not each.reply.found for each in known), known),
        _of(sum(not each.reply.found for each in unknown), unknown),
    )


def _line_rows(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    kinds = Counter(each.case["what"] for each in lines)
    rows: list[tuple[str, ...]] = [("what", "right", "harm")]
    for kind in kinds:
        own = [each for each in lines if each.case["what"] == kind]
        right = sum(each.is_right for each in own)
        rows.append((kind, _of(right, own), str(sum(each.does_harm for each in own))))
    return rows


def _of(count: int, every: Sequence[object]) -> str:
    return f"{count} of {len(every)}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}"


def _show(given: Sequence[Given], lines: Sequence[Line]) -> None:
    """Print what went wrong."""
    for each in given:
        if each.is_answerable and not each.stands_first:
            print(f"missed: {each.question['ask']} {[one.place for one in each.reply.lines]}")
        elif not each.is_answerable and each.reply.found:
            print(f"sure: {each.question['ask']} {[one.place for one in each.reply.lines]}")
    for line in lines:
        if not line.is_right:
            print(f"{line.case['what']} taken for {line.said.what}: {line.case['say']}")
