"""What is kept of conversations of other hands: lines like tests/cases/conversations, in vaults
made for each.

A kept line is a whole sentence. It is right where it holds most of the words of a line that is
worth keeping, or that may be kept; such a line is found there. What must never be kept is looked
for in lines that hold nothing of that.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.memory.conversation import worth_keeping
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from aurelius.writing.edit import place_of_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurelius.memory.conversation import Judge, KeptLine

MOSTLY = 0.6
"""The share of words that makes one line another one's."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class Line(NamedTuple):
    """One line of a message that was kept or should have been: what it is measured by."""

    where: str
    text: str
    type: str
    about: str
    replaces: str


class Score(NamedTuple):
    """Figures of some conversations: counts, and the lines that a person looks at to see why."""

    kept: int
    right: int
    worth: int
    found: int
    types: int
    abouts: tuple[int, int]
    replaced: tuple[int, int, int]
    wrong: tuple[Line, ...]
    missed: tuple[Line, ...]
    never: tuple[Line, ...]
    others: tuple[Line, ...]
    shown: tuple[str, ...]

    @property
    def precision(self) -> float:
        """The share of kept lines that are worth it."""
        return self.right / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        """The share of lines worth keeping that were kept."""
        return self.found / self.worth if self.worth else 1.0


def cases(files: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each conversation of files: the name of its hand, itself and the vault it is held in."""
    for file in files:
        told = tomllib.loads(file.read_text("utf-8"))
        vaults = {each["name"]: each for each in told["vault"]}
        for each in told["conversation"]:
            yield f"{file.stem}/{each['vault']}", each, vaults[each["vault"]]


def made(vault: dict[str, Any], folder: Path) -> None:
    """A vault written into a folder."""
    (folder / ".aurelius").mkdir(parents=True)
    for file in vault["file"]:
        (folder / file["path"]).parent.mkdir(parents=True, exist_ok=True)
        (folder / file["path"]).write_text(file["text"].lstrip("\n"), "utf-8", newline="")


def desk(folder: Path, day: str) -> Desk:
    """The desk of a vault on that day."""
    now = datetime.datetime.fromisoformat(f"{day}T12:00:00")
    env = {
        "HOME": str(folder.parent / "home"),
        "AURELIUS_INDEX": str(folder.parent / f"{folder.name}.index"),
    }
    vault = Vault.find(str(folder), env, str(folder), now=now)
    vault.refresh()
    return Desk(vault, place_of_config(vault.config, vault.env)._replace(now=now.timestamp()), now)


def score(found: Iterable[tuple[dict[str, Any], Sequence[KeptLine]]]) -> Score:
    """The figures of conversations with what was kept of each."""
    lists: dict[str, list[Any]] = defaultdict(list)
    counts = dict.fromkeys(
        ("kept", "right", "worth", "found", "types", "of", "abouts", "replaced", "to", "false"), 0
    )
    for told, lines in found:
        turns = [each for each in told["turn"] if each["role"] == "user"]
        foreign = [each["text"] for each in told["turn"] if each["role"] != "user"]
        for number, turn in enumerate(turns):
            _judge(
                told["id"],
                turn,
                [each for each in lines if each.turn == number],
                foreign,
                counts,
                lists,
            )
    return Score(
        counts["kept"],
        counts["right"],
        counts["worth"],
        counts["found"],
        counts["types"],
        (counts["abouts"], counts["of"]),
        (counts["replaced"], counts["to"], counts["false"]),
        *(tuple(lists[name]) for name in ("wrong", "missed", "never", "others", "shown")),
    )


def _judge(
    where: str,
    turn: dict[str, Any],
    lines: Sequence[KeptLine],
    foreign: Sequence[str],
    counts: dict[str, int],
    lists: dict[str, list[Any]],
) -> None:
    """Add what one message gives to the counts."""
    wants, may = turn.get("keep", ()), turn.get("may", ())
    counts["kept"] += len(lines)
    counts["worth"] += len(wants)
    carried: dict[int, list[KeptLine]] = defaultdict(list)
    for line in lines:
        shown = Line(where, line.text, line.type, line.page, line.old)
        held = [at for at, want in enumerate(wants) if share(want["text"], line.text) >= MOSTLY]
        is_right = bool(held) or any(share(each, line.text) >= MOSTLY for each in may)
        counts["right"] += is_right
        for at in held:
            carried[at].append(line)
        lists["wrong"] += [] if is_right else [shown]
        is_never = not is_right and any(
            share(each, line.text) >= MOSTLY for each in turn.get("never", ())
        )
        lists["never"] += [shown] if is_never else []
        is_own = _runs(line.text, turn["text"])
        lists["others"] += (
            [] if is_own and not any(_runs(line.text, each) for each in foreign) else [shown]
        )
        mark = "=" if held else "~" if is_right else "!"
        asked = f" ? {line.old}" if line.old else ""
        lists["shown"].append(f"{mark} {where}  {line.type:11} {line.page}{asked}: {line.text}")
        counts["false"] += bool(line.old) and all(wants[at]["replaces"] != line.old for at in held)
    for at, want in enumerate(wants):
        _compare(where, want, carried[at], counts, lists)


def _compare(
    where: str,
    want: dict[str, Any],
    lines: Sequence[KeptLine],
    counts: dict[str, int],
    lists: dict[str, list[Any]],
) -> None:
    """Add what became of one line that is worth keeping."""
    wanted = Line(where, want["text"], want["type"], want["about"], want["replaces"])
    if share(want["text"], " ".join(line.text for line in lines)) < MOSTLY:
        lists["missed"].append(wanted)
        return
    counts["found"] += 1
    counts["types"] += any(line.type == want["type"] for line in lines)
    counts["of"] += bool(want["about"])
    counts["abouts"] += bool(want["about"]) and any(
        line.page == f"{want['about']}.md" for line in lines
    )
    counts["to"] += bool(want["replaces"])
    counts["replaced"] += bool(want["replaces"]) and any(
        line.old == want["replaces"] for line in lines
    )


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def share(one: str, other: str) -> float:
    """The share of the words of a text that stand in another one."""
    left = _words(other)
    words = _words(one)
    same = 0
    for word in words:
        if word in left:
            left.remove(word)
            same += 1
    return same / max(1, len(words))


def carries(line: str, wanted: str) -> bool:
    """Whether a kept line holds one that is worth keeping."""
    return _runs(wanted, line) or share(wanted, line) >= 0.7


def _runs(one: str, other: str) -> bool:
    """Whether the words of a text stand in another one, in a row."""
    return f" {' '.join(_words(one))} " in f" {' '.join(_words(other))} "


def run(
    files: Iterable[Path], place: Path
) -> dict[str, list[tuple[dict[str, Any], Sequence[KeptLine]]]]:
    """The conversations of files with what is kept of each, by the hand they are of; vaults go to
    `place`."""
    found: dict[str, list[tuple[dict[str, Any], Sequence[KeptLine]]]] = defaultdict(list)
    for number, (hand, told, vault) in enumerate(cases(files)):
        found[hand].append((told, kept(told, vault, place / f"{number}")))
    return found


def kept(
    told: dict[str, Any], vault: dict[str, Any], folder: Path, judge: Judge | None = None
) -> list[KeptLine]:
    """What is kept of a conversation in its vault, which is made in a folder; `judge` names
    sentences."""
    made(vault, folder)
    here = desk(folder, told["today"])
    messages = [each["text"] for each in told["turn"] if each["role"] == "user"]
    with closing(here.vault):
        return worth_keeping(here, messages, judge)


def measure(
    files: Sequence[Path], place: Path, *, show: bool = False
) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The tables: a row for each hand and one for all."""
    found = run(files, place)
    whole = score([each for rows in found.values() for each in rows])
    if show:
        print("\n".join(lines(whole)))
    head = (
        "hand",
        "conversations",
        "kept",
        "precision",
        "worth",
        "recall",
        "never",
        "of others",
        "type",
        "about",
        "replaced",
        "wrongly",
    )
    rows = [_row(hand, len(told), score(told)) for hand, told in found.items()]
    return [
        (
            "What is kept of conversations",
            [head, *rows, _row("all", sum(map(len, found.values())), whole)],
        )
    ]


def _row(name: str, count: int, found: Score) -> tuple[str, ...]:
    return (
        name,
        str(count),
        str(found.kept),
        f"{found.precision:.2f}",
        str(found.worth),
        f"{found.recall:.2f}",
        str(len(found.never)),
        str(len(found.others)),
        f"{found.types} of {found.found}",
        f"{found.abouts[0]} of {found.abouts[1]}",
        f"{found.replaced[0]} of {found.replaced[1]}",
        str(found.replaced[2]),
    )


def lines(found: Score) -> list[str]:
    """Every kept line, and those that are missing or must not be there."""
    rows = list(found.shown)
    for name in ("missed", "never", "others"):
        rows += [f"{name.upper()}  {'  '.join(each)}" for each in getattr(found, name)]
    return rows
