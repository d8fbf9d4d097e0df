"""Devices that edit one vault apart from each other for weeks, and what has to be true when they meet.

Every line that is written has a word of its own, so that it is known which ones somebody deleted on purpose, and
which ones have to be somewhere in the end: in a note, in its history, in a second version of it.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.aurelius.sync.devices import Device, first_device, meeting_place

PEOPLE = ("tom", "ann", "mia", "raj", "zoe", "kim", "lev", "ida")
WORD = re.compile(r"\bw\d{5}\b")
ID = re.compile(r"(?m)[ \t]\^([A-Za-z0-9-]+)[ \t]*$")
MARK = re.compile(r"(?m)^(?:<{7,} .*|={7,}|>{7,} .*)\n")
NOTE = """---
type: person
tags: [friend]
---

# {title}

## Facts

- {title} lives in a small town {word} ^{id}

## Tasks

- [ ] Call {title} about the boat {task}

## Notes

A paragraph about {title} that stands here from the beginning {prose}
"""


def _is_first(name: str, seen: set[str]) -> bool:
    """Whether a name comes for the first time."""
    is_first = name not in seen
    seen.add(name)
    return is_first


class Apart:
    """Three devices, one of which has only plain git, and the words that somebody deleted."""

    def __init__(self, base: Path, dice: random.Random, third: str = "plain") -> None:
        self.dice = dice
        self.written = 0
        self.gone: set[str] = set()
        self.told: Counter[str] = Counter()
        remote = meeting_place(base)
        first = first_device(base, remote)
        for name in PEOPLE:
            self._new_note(first, f"people/{name}.md", name.title())
        first.sync()
        others = [Device(base, name, remote) for name in ("two", third)]
        self.devices = [first, *others]

    # -- edits -------------------------------------------------------------------------

    def word(self) -> str:
        """A word that stands nowhere else."""
        self.written += 1
        return f"w{self.written:05}"

    def edit(self, device: Device) -> None:
        """One edit of some kind."""
        doing = self.dice.choices(
            [
                self._add_line,
                self._edit_line,
                self._delete_line,
                self._tick,
                self._tag,
                self._rename,
                self._delete_note,
                self._make_note,
                self._add_fact,
                self._supersede,
                self._judge,
            ],
            weights=[20, 20, 8, 8, 6, 2, 2, 3, 4, 3, 2],
        )[0]
        device.later(hours=self.dice.choice([1, 5, 30, 200]))
        self.told[doing.__name__.strip("_")] += 1
        doing(device)

    def _notes(self, device: Device) -> list[str]:
        there = sorted(device.vault.glob("people/*.md"))
        return [f"people/{file.name}" for file in there if not file.name.startswith("_")]

    def _new_note(self, device: Device, path: str, title: str) -> None:
        device.write(
            path,
            NOTE.format(
                title=title, word=self.word(), task=self.word(), prose=self.word(), id=self._id()
            ),
        )

    def _id(self) -> str:
        return "".join(self.dice.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=6))

    def _some(self, device: Device) -> tuple[str, list[str]]:
        path = self.dice.choice(self._notes(device))
        return path, device.read(path).splitlines(keepends=True)

    def _lines(self, lines: list[str], *marks: str) -> list[int]:
        """The numbers of the lines that have a word of ours, and one of these marks."""
        return [
            number
            for number, line in enumerate(lines)
            if WORD.search(line) and (not marks or line.lstrip().startswith(marks))
        ]

    def _add_line(self, device: Device) -> None:
        path, lines = self._some(device)
        at = self.dice.choice(self._lines(lines) or [len(lines) - 1])
        mark = self.dice.choice(["- ", "- ", "- [ ] ", ""])
        new = f"{mark}Something about the garden and the sea {self.word()}\n"
        if mark == "- ":
            new = f"{new.rstrip()} ^{self._id()}\n"
        lines.insert(at + 1, new if mark else f"\n{new}\n")
        device.write(path, "".join(lines))

    def _edit_line(self, device: Device) -> None:
        path, lines = self._some(device)
        if not (there := self._lines(lines)):
            return
        at = self.dice.choice(there)
        anchor = ID.search(lines[at])
        text = ID.sub("", lines[at].rstrip("\n"))
        lines[at] = f"{text} and {self.word()}{anchor[0] if anchor else ''}\n"
        device.write(path, "".join(lines))

    def _delete_line(self, device: Device) -> None:
        path, lines = self._some(device)
        if there := self._lines(lines, "- "):
            at = self.dice.choice(there)
            self.gone |= {*WORD.findall(lines[at])}
            del lines[at]
            device.write(path, "".join(lines))

    def _tick(self, device: Device) -> None:
        path, lines = self._some(device)
        if there := self._lines(lines, "- [ ]"):
            at = self.dice.choice(there)
            lines[at] = lines[at].replace("[ ]", "[x]", 1)
            device.write(path, "".join(lines))

    def _tag(self, device: Device) -> None:
        path, lines = self._some(device)
        for at, line in enumerate(lines):
            if line.startswith("tags: ["):
                lines[at] = line.rstrip().rstrip("]") + f", t{self.written}]\n"
                device.write(path, "".join(lines))
                return

    def _rename(self, device: Device) -> None:
        path = self.dice.choice(self._notes(device))
        (device.vault / path).rename(device.vault / f"people/n{self.word()}.md")

    def _delete_note(self, device: Device) -> None:
        notes = self._notes(device)
        if len(notes) > 4:
            path = self.dice.choice(notes)
            self.gone |= {*WORD.findall(device.read(path))}
            (device.vault / path).unlink()

    def _make_note(self, device: Device) -> None:
        word = self.word()
        self._new_note(device, f"people/m{word}.md", f"Made {word}")

    def _add_fact(self, device: Device) -> None:
        path = self.dice.choice(self._notes(device))
        device("add", path, f"Collects stamps of {self.word()}", "--force")

    def _supersede(self, device: Device) -> None:
        _path, lines = self._some(device)
        there = [lines[at] for at in self._lines(lines, "- ") if ID.search(lines[at])]
        if there:
            known = ID.search(self.dice.choice(there))
            assert known
            device("supersede", f"^{known[1]}", f"Now it is {self.word()}", "--force")

    def _judge(self, device: Device) -> None:
        _path, lines = self._some(device)
        there = [lines[at] for at in self._lines(lines, "- ") if ID.search(lines[at])]
        if there:
            known = ID.search(self.dice.choice(there))
            assert known
            device(self.dice.choice(["reinforce", "demote"]), f"^{known[1]}")

    # -- meeting -----------------------------------------------------------------------

    def meet(self, device: Device) -> None:
        """Bring a device and the remote together, in the way that this one does it."""
        if device.name == "plain":
            self._meet_by_hand(device)
            return
        if self.dice.random() < 0.2:
            self._pull_plainly(device)
        done = device("sync", "--yes")
        assert done.code == 0, done.out + done.err
        self.told["lines told"] += max(0, done.out.count("\n") - 1)

    def _pull_plainly(self, device: Device) -> None:
        """As somebody does who forgets about sync; a conflict is called off."""
        device.git("add", "-A")
        device.git("commit", "-q", "-m", "by hand", fails=True)
        device.git("pull", "-q", "--no-rebase", "--no-edit", fails=True)
        if (device.vault / ".git/MERGE_HEAD").exists():
            device.git("merge", "--abort")
            self.told["pulls called off"] += 1

    def _meet_by_hand(self, device: Device) -> None:
        """Plain git without a driver: its text merge, and a person who keeps both sides."""
        device.git("add", "-A")
        device.git("commit", "-q", "-m", "by hand", fails=True)
        for _ in range(5):
            device.git("pull", "-q", "--no-rebase", "--no-edit", fails=True)
            self._resolve(device)
            device.git("push", "-q", "origin", "main", fails=True)
            device.git("fetch", "-q")
            if device.git("rev-parse", "HEAD") == device.git("rev-parse", "origin/main"):
                return

    def _resolve(self, device: Device) -> None:
        """Settle a conflict of plain git as somebody careful does: both sides stay, and an id stands once."""
        if not (device.vault / ".git/MERGE_HEAD").exists():
            return
        listed = device.git("diff", "-z", "--name-only", "--diff-filter=U")
        for path in filter(None, listed.split("\0")):
            self.told["resolved by hand"] += 1
            sides = [device.git("show", f":{stage}:{path}", fails=True) for stage in (2, 3)]
            have = {*sides[0].splitlines()}
            more = [
                line for line in sides[1].splitlines() if line not in have and WORD.search(line)
            ]
            lines = [*sides[0].splitlines(), *more] if sides[0] else sides[1].splitlines()
            if lines:
                device.write(path, "".join(f"{line}\n" for line in lines))
        seen: set[str] = set()
        for path in self._notes(device):
            text = MARK.sub("", device.read(path))
            clean = ID.sub(lambda found: found[0] if _is_first(found[1], seen) else "", text)
            if clean != device.read(path):
                device.write(path, clean)
        device.git("add", "-A")
        device.git("commit", "-q", "--no-edit")

    def gather(self) -> None:
        """Let all of them meet until nothing is new."""
        latest = max(device.now for device in self.devices)
        for device in self.devices:
            device.now = latest
        for _ in range(3):
            for device in self.devices:
                self.meet(device)

    # -- what has to be true -----------------------------------------------------------

    def check(self) -> list[str]:
        """What is wrong now that all have met, a line each."""
        found = []
        states = [device.files() for device in self.devices]
        for device, state in zip(self.devices[1:], states[1:], strict=True):
            other = states[0]
            if state != other:
                differ = [
                    path
                    for path in state.keys() | other.keys()
                    if state.get(path) != other.get(path)
                ]
                found.append(f"{device.name} differs: {sorted(differ)[:5]}")
        texts = {path: data.decode() for path, data in states[0].items() if path.endswith(".md")}
        found += [f"{path} has marks" for path, text in texts.items() if "<<<<<<< " in text]
        ids = Counter(name for text in texts.values() for name in ID.findall(text))
        found += [f"^{name} stands {count} times" for name, count in ids.items() if count > 1]
        there = {*WORD.findall("\n".join([*texts, *texts.values()]))}
        every = {f"w{number:05}" for number in range(1, self.written + 1)}
        missing = sorted(every - there - self.gone - self._never())
        if missing:
            found.append(f"{len(missing)} of {self.written} lines are lost: {missing[:8]}")
        tiers = [
            json.loads(device("status", "--tiers", "--json").out)["tiers"]
            for device in self.devices
        ]
        if any(each != tiers[0] for each in tiers):
            found.append(f"tiers differ: {tiers}")
        return found

    def _never(self) -> set[str]:
        """Words that no commit has: a command refused to write them, or they named a note."""
        log = self.devices[0].git("log", "-p", "--no-renames", "--format=", "-m", "--", "*.md")
        return {f"w{number:05}" for number in range(1, self.written + 1)} - {*WORD.findall(log)}


def play(
    base: Path,
    dice: random.Random,
    edits: int,
    third: str = "plain",
    say: Callable[[str], object] = lambda _: None,
) -> Apart:
    """Let three devices edit apart, now and then meet, and in the end all meet."""
    apart = Apart(base, dice, third)
    for number in range(edits):
        device = dice.choice(apart.devices)
        apart.edit(device)
        if dice.random() < 0.06:
            apart.meet(device)
        if number % 500 == 499:
            say(f"{number + 1} edits")
    apart.gather()
    return apart
