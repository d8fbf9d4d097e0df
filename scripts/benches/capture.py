"""Whether capture keeps whole sentences, asks about what was corrected, and harms no line.

The files of a folder like tests/cases/capture, each of another hand: `messages.toml` (what is worth
keeping of single messages), `seeds.toml` (examples with the vault they were said in),
`replacements.toml` (a value of the same sentence, or a cue word alone) and `corrections.toml` (what
corrects a line in other words, or only looks like it).  Sessions that are made of grammars tell
what is struck while somebody talks.
"""

from __future__ import annotations

import difflib
import importlib
import itertools
import re
import sys
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.memory.conversation import after_turns, worth_keeping
from indexer.reading.path_meaning import MONTHS

from . import conversations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurelius.memory.conversation import KeptLine
    from aurelius.plans.plan import Desk

    Table = tuple[str, list[tuple[str, ...]]]

DAY = "2026-06-15"
"""The day of what has none."""
BEFORE = "2026-06-01"
"""The day on which what is known was said."""
KINDS = {"person": {"fact", "identity", "relationship"}, "event": {"event", "plan"}}
"""Types of the messages that are several of ours: who somebody is, and what has a date."""
ALIKE = 0.6
"""The share of words, in their order, that makes two lines one sentence with another value."""


class Turn(NamedTuple):
    """What a person typed."""

    text: str
    role: str = "user"


class Told(NamedTuple):
    """What became of one message: what was kept of it, what a person was asked, and which lines
    were struck."""

    kept: Sequence[KeptLine]
    asked: str
    struck: Sequence[str]


def plain(text: str) -> str:
    """A sentence as it is compared: spaces and case apart, without the mark that ends it."""
    return " ".join(text.replace("’", "'").split()).rstrip(".!").casefold()


def holds(line: str, wanted: str) -> bool:
    """Whether a kept line has a whole sentence in it."""
    return plain(wanted) in plain(line)


# -- vaults and what is said in them -----------------------------------------------------


class Place:
    """A folder in which each vault gets one of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count()

    def vault(self, files: Iterable[tuple[str, str]], setting: str = "") -> Path:
        """A new vault with these files; `setting` is `[capture] replace`."""
        root = self.folder / f"{next(self._numbers)}" / "vault"
        conversations.made({"file": [{"path": path, "text": text} for path, text in files]}, root)
        if setting:
            _choose(root.parent / "home", setting)
        return root


def _choose(home: Path, setting: str) -> None:
    """Let a person with this home folder choose `[capture] replace`."""
    file = home / ".config" / "aurelius" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[capture]\nreplace = "{setting}"\n', "utf-8")


def _desk(root: Path, day: str) -> Desk:
    return conversations.desk(root, day)


def say(root: Path, day: str, message: str) -> Told:
    """Let a person type a message, and the hook keep what is worth it."""
    here = _desk(root, day)
    try:
        kept = worth_keeping(here, [message])
        done = after_turns(here, [Turn(message)], "session", "stop")
    finally:
        here.vault.close()
    return Told(kept, done.action, struck_lines(root))


def struck_lines(root: Path) -> list[str]:
    """The lines of a vault that are struck."""
    found = list[str]()
    for file in sorted(root.rglob("*.md")):
        found += re.findall(r"(?m)^\s*[-*] ~~(.+?)~~", file.read_text("utf-8"))
    return found


def known_note(lines: Iterable[str]) -> tuple[str, str]:
    """A note that has these lines as facts."""
    items = "\n".join(f"- {each} ({BEFORE})" for each in dict.fromkeys(lines))
    return "MEMORY.md", f"# Memory\n\n## Facts\n\n{items}\n"


# -- what is kept --------------------------------------------------------------------------


class Kept:
    """Counts of what was kept."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.shown = list[str]()

    def add(self, each: dict[str, Any], lines: Sequence[KeptLine]) -> None:
        """Count what was kept of a message."""
        wants: list[str] = each.get("keep", [])
        for line in lines:
            is_right = any(holds(line.text, one) for one in wants)
            self.counts["lines"] += 1
            self.counts["right"] += is_right
            is_never = any(holds(line.text, one) for one in each.get("never", ()))
            self.counts["never"] += is_never
            mark = "=" if is_right else "!"
            self.shown.append(f"{mark}{'!' * is_never} {each['id']} {line.type:11} {line.text}")
        for want, kind in zip(wants, each.get("types", ()), strict=True):
            self._wanted(each["id"], want, kind, lines)

    def _wanted(self, where: str, want: str, kind: str, lines: Sequence[KeptLine]) -> None:
        """Count a sentence that is worth keeping; `kind` is its type, several with `|`."""
        self.counts["worth"] += 1
        found = [line for line in lines if holds(line.text, want)]
        self.counts["found"] += bool(found)
        kinds = {*kind.split("|"), *KINDS.get(kind, ())}
        is_typed = any(line.type in kinds for line in found)
        self.counts["typed"] += is_typed
        if not found:
            self.shown.append(f"- {where} {kind:11} {want}")
        elif not is_typed:
            self.shown.append(f"? {where} {kind:11} {want}")

    def row(self, name: str) -> tuple[str, ...]:
        """The figures as a row."""
        counts = self.counts
        return (
            name,
            str(counts["lines"]),
            f"{counts['right'] / max(1, counts['lines']):.2f}",
            str(counts["worth"]),
            f"{counts['found'] / max(1, counts['worth']):.2f}",
            f"{counts['typed']} of {counts['found']}",
            str(counts["never"]),
        )


HEAD = ("what", "kept", "precision", "worth", "recall", "types", "never")


def read(file: Path, name: str) -> list[dict[str, Any]]:
    """The cases of a file."""
    found: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))[name]
    return found


def messages(file: Path, place: Place, files: Iterable[tuple[str, str]] = ()) -> Kept:
    """What is kept of single messages, each said on its day in a vault with these files."""
    found = Kept()
    root = place.vault([*files])
    for each in read(file, "message"):
        here = _desk(root, each.get("date", DAY))
        found.add(each, worth_keeping(here, [each["text"]]))
        here.vault.close()
    return found


def vault_of(file: Path) -> list[tuple[str, str]]:
    """The vault that a file of messages tells of."""
    return [(each["path"], each["text"]) for each in read(file, "file")]


# -- what takes the place of what, and what is asked ---------------------------------------


class Changes:
    """Counts of what became of pairs of a line that is known and what is said later."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.shown = list[str]()

    def row(self, name: str, *names: str) -> tuple[str, ...]:
        """These counts as a row."""
        return (name, *(str(self.counts[each]) for each in names))


def replacements(file: Path, place: Place) -> Changes:
    """What `"apply"` makes of pairs: the same sentence with another value, and a cue word."""
    found = Changes()
    pairs = read(file, "pair")
    note = known_note(each["known"] for each in pairs)
    for each in pairs:
        told = say(place.vault([note], "apply"), DAY, each["said"])
        is_wanted = each["label"] == "same_frame"
        is_done = any(plain(one) == plain(each["known"]) for one in told.struck)
        found.counts["same"] += is_wanted
        found.counts["other"] += not is_wanted
        found.counts["replaced"] += is_wanted and is_done
        found.counts["wrongly"] += len(told.struck) - (is_wanted and is_done)
        if is_wanted != is_done or len(told.struck) > 1:
            found.shown.append(f"{each['id']} {each['label']} {told.struck} {told.kept}")
    return found


def corrections(file: Path, place: Place, *, captured: bool) -> Changes:
    """What is asked of a person in the default setting; `captured`: what is known was said in an
    earlier session, else it stands in a note."""
    found = Changes()
    cases = read(file, "correction")
    known = list(dict.fromkeys(each["known"] for each in cases))
    for each in cases:
        if captured:
            items = "\n".join(
                f"- {one} ({BEFORE}) ^kn{number:04}" for number, one in enumerate(known)
            )
            note = (f"memory/{BEFORE}.md", f"# {BEFORE}\n\n## Captured\n\n{items}\n")
        else:
            note = known_note(known)
        told = say(place.vault([note]), DAY, each["said"])
        is_true = each["label"] == "true"
        is_asked = "Which is correct?" in told.asked
        is_of_it = is_asked and plain(each["known"]) in plain(told.asked)
        found.counts["true" if is_true else "no"] += 1
        found.counts["asked"] += is_asked
        found.counts["real"] += is_true and is_of_it
        found.counts["struck"] += len(told.struck)
        if is_true != is_of_it or (is_asked and not is_of_it):
            kept = [line.text for line in told.kept]
            found.shown.append(f"{each['id']} {each['label']} kept {kept} asked {told.asked}")
    return found


# -- sessions ------------------------------------------------------------------------------


def sessions(root: Path, place: Place, count: int, setting: str) -> Changes:
    """What is struck in sessions of the grammars, as many of all together, from fixed seeds on."""
    sys.path.insert(0, str(root))
    held = importlib.import_module("tests.test_sessions")
    found = Changes()
    grammars = sorted(held.CASES.glob("session_grammar*.py"))
    for at in range(count):
        path = grammars[at % len(grammars)]
        seed = 100_000 + at // len(grammars)
        told = held.load_grammar(path).session(seed)
        folder = place.folder / f"session{at}{setting}"
        folder.mkdir()
        one = held.Held(seed, told, folder)
        if setting:
            _choose(folder / "home", setting)
        before = set(struck_lines(one.root))
        one.hold()
        found.counts["sessions"] += 1
        found.counts["lines"] += len(one.kept)
        for path_, pair in _strikes(one.root, before):
            found.counts["struck"] += 1
            found.counts["other"] += not _is_one_sentence(*pair)
            found.shown.append(f"{path.stem} {seed} {path_}: {pair[0]} → {pair[1]}")
    return found


def _strikes(root: Path, before: set[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """The lines of a vault that were struck, with the ones that took their place."""
    for file in sorted(root.rglob("*.md")):
        text = file.read_text("utf-8")
        for old, by in re.findall(r"(?m)^\s*[-*] ~~(.+?)~~ .*superseded by \^([\w-]+)", text):
            if old in before:
                continue
            new = re.search(rf"(?m)^[-*] (.+?) \([^()]*\) \^{by}$", text)
            yield file.name, (old, new[1] if new else "")


def _is_one_sentence(old: str, new: str) -> bool:
    """Whether most words of two lines are the same, in their order, or the newer one has all that
    the older one says beside its value."""
    one, other = plain(old).split(), plain(new).split()
    if difflib.SequenceMatcher(None, one, other).ratio() >= ALIKE:
        return True
    said = re.findall(r"[a-z]{4,}", old[:1].lower() + old[1:])
    months = {month.casefold()[:3] for month in MONTHS}
    return all(word[:3] in months or word in plain(new) for word in said)


# -- tables --------------------------------------------------------------------------------


def measure(
    folder: Path, root: Path, place: Path, *, show: bool = False, count: int = 0
) -> list[Table]:
    """The tables of the files that a folder has; with `count`, of so many sessions too."""
    here = Place(place)
    shown = list[str]()
    tables = [("What is kept", _kept_rows(folder, here, shown))]
    if (file := folder / "replacements.toml").exists():
        found = replacements(file, here)
        shown += found.shown
        names = ("same", "replaced", "other", "wrongly")
        head = ("said", "same sentence", "replaced", "others", "struck wrongly")
        tables.append(('With replace = "apply"', [head, found.row("replacements", *names)]))
    if (file := folder / "corrections.toml").exists():
        rows = [("what is known stands", "true", "no", "asked", "real", "struck")]
        for name, captured in (("in a note", False), ("under Captured", True)):
            found = corrections(file, here, captured=captured)
            shown += found.shown
            rows.append(found.row(name, *rows[0][1:]))
        tables.append(("In the default setting", rows))
    if count:
        rows = [("setting", "sessions", "lines", "struck", "by another sentence")]
        for setting in ("", "apply"):
            found = sessions(root, here, count, setting)
            shown += found.shown
            rows.append(found.row(setting or "default", "sessions", "lines", "struck", "other"))
        tables.append(("Sessions", rows))
    if show:
        print("\n".join(shown))
    return tables


def _kept_rows(folder: Path, place: Place, shown: list[str]) -> list[tuple[str, ...]]:
    """The figures of messages and examples."""
    rows = [HEAD]
    if (file := folder / "messages.toml").exists():
        found = messages(file, place)
        rows.append(found.row("messages"))
        shown += found.shown
    if (file := folder / "seeds.toml").exists():
        for name, files in (("examples", vault_of(file)), ("examples, nobody known", [])):
            found = messages(file, place, files)
            rows.append(found.row(name))
            shown += found.shown
    return rows
