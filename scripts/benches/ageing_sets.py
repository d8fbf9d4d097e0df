"""Public sets of facts that change, and of lines that hold side by side: read from the files as
their makers left them.

No phrase, no value and no question here is ours, except that Wikidata's relations are put into
plain sentences (RELATIONS). The files stay outside the repository; `FOUND` says where below a
folder each is looked for.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import sys
import tomllib
import urllib.parse
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benches import ageing_edits
from benches.retrieval_sets import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parents[2]
MOST = 60
"""Edits of one vault: else one busy person is the whole set."""
CASES = ROOT / "tests" / "cases" / "newer.toml"
"""Lines and questions written by a hand that had seen neither code nor rules."""


class Line(NamedTuple):
    """A line, the day on which it was written, what somebody asks whom it answers, and whether its
    writer put it into the note of the day: None where the set does not say."""

    day: str
    text: str
    ask: str = ""
    daily: bool | None = None


class Matter(NamedTuple):
    """One thing a note tells, oldest line first: only the last holds, or with `hold` all of
    them."""

    id: str
    path: str
    title: str
    lines: tuple[Line, ...]
    hold: bool = False
    aliases: tuple[str, ...] = ()


class Matters(NamedTuple):
    """A set by its name."""

    name: str
    matters: tuple[Matter, ...]

    @property
    def hold(self) -> bool:
        """Whether nothing in it changes."""
        return all(one.hold for one in self.matters)


RELATIONS = {
    6: ("areas", "{o} is the head of the government of {s}"),
    26: ("people", "{s} is married to {o}"),
    35: ("areas", "{o} is the head of state of {s}"),
    39: ("people", "{s} holds the position of {o}"),
    54: ("people", "{s} plays for {o}"),
    102: ("people", "{s} is a member of the {o}"),
    108: ("people", "{s} works for {o}"),
    115: ("companies", "{s} plays its home games at {o}"),
    127: ("companies", "{s} is owned by {o}"),
    137: ("companies", "{s} is operated by {o}"),
    159: ("companies", "The headquarters of {s} are in {o}"),
    169: ("companies", "{o} is the chief executive of {s}"),
    286: ("companies", "{o} is the head coach of {s}"),
    371: ("areas", "{s} is presented by {o}"),
    488: ("companies", "{o} is the chair of {s}"),
    551: ("people", "{s} lives in {o}"),
    749: ("companies", "The parent company of {s} is {o}"),
    937: ("people", "{s} works in {o}"),
    1037: ("companies", "{s} is managed by {o}"),
    1448: ("areas", "The official name of {s} is {o}"),
    4791: ("areas", "{s} is commanded by {o}"),
    6087: ("people", "{s} coaches {o}"),
}
"""By the number of a relation of Wikidata that has one value at a time: where the note of its
subject lies, and how a line states it."""

_PERIOD = re.compile(
    r",?\s*\b(?:from|between|in|since|during|by|around|until"
    r"|as of)\s+(?:[A-Z][a-z]{2,8}\.?\s+)?\d{4}"
    r"(?:\s*(?:to|and|until|-|–)\s*(?:[A-Z][a-z]{2,8}\.?\s+)?\d{2,4})?\s*,?",
    re.IGNORECASE,
)
_STARTED = re.compile(r"(?:\b([A-Z][a-z]{2})[a-z]*\.?\s+)?\b(1\d{3}|20\d\d)\b")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_WHO = re.compile(r"who\s+(is|plays|hosts|owns|runs|holds|coaches|leads|represents|voices)\s+(.+)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W_]+")


def sets(folder: Path, *, only: str = "", sample: int = 0) -> list[Matters]:
    """The sets that lie below a folder and whose names hold one of the words of `only`; at most
    `sample` matters of each. SystemExit with one sentence where there are none, or where a file is
    not what it should be."""
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder}")
    words = only.split(",")
    wanted = {name: each for name, each in FOUND.items() if any(word in name for word in words)}
    found = []
    for name, (place, load) in wanted.items():
        if (folder / place).exists():
            found.append(Matters(name, _some(_loaded(load, folder / place), sample)))
    if not wanted:
        sys.exit(f"no set is named like {only}: there are {', '.join(FOUND)}")
    if not found:
        sys.exit(
            f"no set below {folder}: looked for {', '.join(place for place, _ in wanted.values())}"
        )
    return found


def cases(file: Path, *, sample: int = 0) -> list[Matters]:
    """The two halves of a file of cases: what changes, and what holds side by side."""
    if not file.is_file():
        sys.exit(f"there is no file {file}")
    matters = _loaded(_cases, file)
    halves = (
        ("changes", [one for one in matters if not one.hold]),
        ("holds", [one for one in matters if one.hold]),
    )
    return [Matters(f"{file.stem} {name}", _some(half, sample)) for name, half in halves if half]


def _loaded(load: Callable[[Path], Iterable[Matter]], place: Path) -> list[Matter]:
    try:
        found = list(load(place))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        sys.exit(
            f"{place} cannot be read as the set that it should be: {type(error).__name__}: {error}"
        )
    if not found:
        sys.exit(f"{place} holds nothing that can be asked")
    return found


def _some(matters: list[Matter], sample: int) -> tuple[Matter, ...]:
    return spread(matters, sample or len(matters))


# -- what changes ----------------------------------------------------------------------


def snapshots(folder: Path) -> Iterator[Matter]:
    """PAT-Questions: one question about the present, answered out of Wikidata in 2021, 2023 and
    2024."""
    files = [folder / year / "PAT-singlehop.json" for year in ("Dec2021", "Dec2023", "March2024")]
    told = [json.loads(file.read_text("utf-8")) for file in files]
    for question, first in told[0].items():
        kind, template = RELATIONS.get(int(first["relations"][0][1:]), ("", ""))
        values = [each[question]["text answers"][:1] for each in told if question in each]
        if template and question.rstrip("?").endswith("currently"):
            subject = first["subject"]["subLabel"]
            texts = [template.format(s=subject, o=value[0].strip()) for value in values if value]
            yield from _changing(
                f"pat {first['uniq_id']}", kind, subject, [(text, question) for text in texts]
            )


def chains(folder: Path) -> Iterator[Matter]:
    """Time-Sensitive-QA: questions that people asked about each of the values that one relation
    had; the years are taken out of them, the order of the values is kept."""
    for file in sorted(folder.glob("human_annotated_*.json")):
        for each in json.loads(file.read_text("utf-8")):
            kind, template = RELATIONS.get(int(each["type"][1:]), ("", ""))
            subject = (
                urllib.parse.unquote(each["link"].rpartition("/")[2])
                .replace("_", " ")
                .partition(" (")[0]
            )
            told = []
            for question, answers in each["questions"]:
                value = next((one["answer"] for one in answers if one.get("answer")), "")
                asked = _PERIOD.sub(" ", question).strip(" ,")
                when = _STARTED.search(question)
                if value and when and not re.search(r"\d{4}", asked):
                    month = _MONTHS.index(when[1]) + 1 if when[1] in _MONTHS else 0
                    text = template.format(s=subject, o=re.sub(r" ([,.'’)])", r"\1", value))
                    asked = re.sub(r"\s+", " ", asked).replace(" ?", "?")
                    told.append(((when[2], month), (text, asked[:1].upper() + asked[1:])))
            if template:
                ordered = [line for _, line in sorted(told, key=lambda pair: pair[0])]
                yield from _changing(f"timeqa {each['index']}", kind, subject, ordered)


def searches(folder: Path) -> Iterator[Matter]:
    """SituatedQA: questions that people typed into a search engine, and what the answer was from
    which year on.

    `who is the …` is answered by the line `X is the …`; other questions make no line without a
    writer.
    """
    known: dict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(folder.glob("temp.*.jsonl")):
        for row in file.read_text("utf-8").splitlines():
            each = json.loads(row)
            if each["date_type"] in {"start", "sampled_year"} and each["answer"]:
                known[each["question"]][str(each["date"])] = each["answer"][0]
    seen: set[tuple[str, ...]] = set()
    for question, answers in known.items():
        who = _WHO.fullmatch(question)
        values = tuple(answers[day] for day in sorted(answers, key=_year))
        if who and values not in seen:  # the same thing asked in other words
            seen.add(values)
            title = re.sub(r"^(?:the |a |an |current |new )*", "", who[2])
            told = [(f"{value} {who[1]} {who[2]}", question) for value in values]
            yield from _changing(f"situated {question}", "areas", title, told)


def chats(folder: Path) -> Iterator[Matter]:
    """LongMemEval: what somebody told an assistant about himself, and told otherwise later; of each
    message the sentence that has most of the question's words."""
    for row in (folder / "queries.jsonl").read_text("utf-8").splitlines():
        each = json.loads(row)
        if each["category"] != "knowledge-update" or len(each["lines"]) < 2:
            continue
        told, each["answer"] = [], str(each["answer"])
        for path, spans in sorted(each["lines"].items()):
            text = (folder / "vault" / path).read_text("utf-8").split("\n")[spans[0][0] - 1]
            told.append(
                (
                    Path(path).stem,
                    _sentence(text.partition("**User:**")[2], each["query"], str(each["answer"])),
                )
            )
        answer = _words(str(each["answer"]))
        if len(answer & _words(told[-1][1])) >= len(
            answer & _words(told[0][1])
        ):  # others ask what was before
            lines = tuple(Line(day, text, each["query"]) for day, text in told)
            yield Matter(each["id"], "ME.md", "Me", lines)


def edits(folder: Path) -> Iterator[Matter]:
    """What people changed in their own vaults (ageing_edits.py), told by what `git log` wrote into
    files NAME.log. Nobody asked about it: the question is what the lines have in common."""
    for file in sorted(folder.glob("*.log")):
        found = list(ageing_edits.edits(file.read_text("utf-8", "replace")))
        for each in spread(found, min(len(found), MOST)):
            name = f"{file.stem} {each.path}"
            lines = tuple(Line(day, text, each.common) for day, text in each.lines)
            yield Matter(
                f"{name} {each.lines[0][1]}",
                f"areas/{_file_name(name)}.md",
                Path(each.path).stem,
                lines,
            )


def _sentence(text: str, question: str, answer: str) -> str:
    """The sentence of a message that has most of a question's words, and of its answer's."""
    wanted = _words(question) | _words(answer)
    parts = [
        part.strip()
        for part in _SENTENCE.split(text.strip())
        if len(part) > 3 and not part.endswith("?")
    ]
    return max(parts or [text.strip()], key=lambda part: len(wanted & _words(part)))


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _changing(name: str, kind: str, title: str, told: list[tuple[str, str]]) -> Iterator[Matter]:
    """A matter of these lines on days of the last years, where it has two that differ."""
    kept = [pair for at, pair in enumerate(told) if not at or pair[0] != told[at - 1][0]]
    if len(kept) > 1:
        days = _days(name, len(kept))
        lines = tuple(Line(day, text, ask) for day, (text, ask) in zip(days, kept, strict=True))
        yield Matter(name, f"{kind}/{_file_name(title)}.md", title, lines)


def _days(name: str, count: int) -> list[str]:
    """So many days in order, the last in 2025, as its name decides."""
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    last = datetime.date(2025, 1, 1) + datetime.timedelta(days=number % 330)
    step = 90 + number % 200
    return [
        (last - datetime.timedelta(days=step * at)).isoformat() for at in reversed(range(count))
    ]


def _file_name(title: str) -> str:
    return "-".join(_WORD.findall(title.lower()))[:60] or "note"


def _year(told: str) -> tuple[int, str]:
    found = re.search(r"\d{4}", told)
    return int(found[0]) if found else 0, told


# -- what holds side by side -----------------------------------------------------------


def observations(file: Path) -> Iterator[Matter]:
    """LoCoMo: what a dialogue tells about each speaker, session by session, and the questions it
    answers."""
    for each in json.loads(file.read_text("utf-8")):
        asked = {mark: one["question"] for one in each["qa"] for mark in one.get("evidence", ())}
        told: dict[str, list[Line]] = defaultdict(list)
        for number, session in enumerate(each["observation"].values(), 1):
            when = each["conversation"][f"session_{number}_date_time"].partition(" on ")[2]
            day = datetime.datetime.strptime(when, "%d %B, %Y").date().isoformat()  # noqa: DTZ007  # a day
            for speaker, lines in session.items():
                told[speaker] += [
                    Line(day, text, asked.pop(mark, ""))
                    for text, mark in lines
                    if isinstance(mark, str)
                ]
        for speaker, lines in told.items():
            title = f"{speaker} {each['sample_id']}"
            yield Matter(title, f"people/{_file_name(title)}.md", speaker, tuple(lines), hold=True)


def personas(file: Path) -> Iterator[Matter]:
    """Multi-Session Chat: what people wrote about somebody whom they were to play."""
    number = 0
    for part in json.loads(file.read_text("utf-8")).values():
        for pair in part:
            for speaker in ("Speaker 1", "Speaker 2"):
                number += 1
                days = _days(f"persona {number}", len(pair[speaker]))
                lines = (
                    Line(day, text, text) for day, text in zip(days, pair[speaker], strict=True)
                )
                yield Matter(
                    f"persona {number}",
                    f"people/person-{number}.md",
                    f"Person {number}",
                    tuple(lines),
                    True,
                )


def lists(folder: Path) -> Iterator[Matter]:
    """Vaults as people keep them: the items of one list stood in one note at one time."""
    for file in sorted(file for file in folder.glob("**/*.md") if file.is_file()):
        title, items = file.stem, defaultdict[int, list[str]](list)
        section = 0
        for row in file.read_text("utf-8", "replace").splitlines():
            section += row.startswith("#") or not row.strip()
            item = ageing_edits.ITEM.fullmatch(row)
            if item and not row[:1].isspace():
                items[section].append(item[1].strip())
        for number, texts in items.items():
            if 2 <= len(texts) <= 12:
                name = f"{file.relative_to(folder)} {number}"
                days = _days(name, len(texts))
                lines = tuple(Line(day, text, text) for day, text in zip(days, texts, strict=True))
                yield Matter(name, f"areas/{_file_name(name)}.md", title, lines, hold=True)


FOUND: dict[str, tuple[str, Callable[[Path], Iterable[Matter]]]] = {
    "pat": ("PAT-Questions/PAT-data", snapshots),
    "timeqa": ("Time-Sensitive-QA/dataset", chains),
    "situated": ("SituatedQA/data/qa_data", searches),
    "edits": ("histories", edits),
    "longmemeval": ("longmemeval-evidence-dev/daily", chats),
    "locomo": ("LoCoMo/data/locomo10.json", observations),
    "personas": ("LoCoMo/data/msc_personas_all.json", personas),
    "lists": ("vaults", lists),
}
"""Each set: where below the folder it lies, as its repository names its files, and how it is
read."""


def _cases(file: Path) -> Iterator[Matter]:
    read = tomllib.loads(file.read_text("utf-8"))
    for each in read.get("change", ()):
        old = Line(
            each["old_date"], each["old"], each.get("asof_question", each["question"]), False
        )
        new = Line(each["new_date"], each["new"], each["question"], each["new_in"] == "day")
        yield Matter(
            each["id"], each["page"], each["title"], (old, new), aliases=tuple(each["aliases"])
        )
    for each in read.get("hold", ()):
        told = [
            Line(each[f"{one}_date"], each[one], each[one], each[f"{one}_in"] == "day")
            for one in "ab"
        ]
        lines = tuple(sorted(told, key=lambda line: line.day))
        yield Matter(each["id"], each["page"], each["title"], lines, hold=True)
