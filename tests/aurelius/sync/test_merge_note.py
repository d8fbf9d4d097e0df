"""Two versions of a note and what both came from: one note, of which nothing is missing."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aurelius.compose.fact_text import id_of_words
from aurelius.compose.note_lines import NoteReader
from aurelius.sync.merge_note import MergedNote, merge_notes
from indexer.errors import UsageError
from tests.daily import daily

PATH = "people/joe.md"
CASES = Path(__file__).parents[2] / "cases"


def merged(base: str, ours: str, theirs: str, path: str = PATH) -> str:
    """The merged text, the same in either order."""
    return of_bytes(base.encode(), ours.encode(), theirs.encode(), path).data.decode()


def of_bytes(base: bytes, ours: bytes, theirs: bytes, path: str = PATH) -> MergedNote:
    found = merge_notes(base, ours, theirs, path, NoteReader())
    assert found == merge_notes(base, theirs, ours, path, NoteReader())
    assert b"<<<<<<<" not in found.data
    return found


class TestCasesByOthers:
    """Lines are compared without their ids and without what they contradict."""

    @staticmethod
    def bare(line: str) -> str:
        line = re.sub(r"\s*\^[A-Za-z0-9-]+$", "", line.strip())
        return re.sub(r", contradicts \^[A-Za-z0-9-]+\)", ")", line)

    @pytest.mark.parametrize("name", ["merge/open.toml", "held/merge/sealed.toml"])
    def test_every_case(self, name: str) -> None:
        wrong = []
        for case in tomllib.loads((CASES / name).read_text())["case"]:
            texts = [case.get(side, "").removeprefix("\n") for side in ("base", "ours", "theirs")]
            lines = Counter(
                map(self.bare, merged(texts[0], texts[1], texts[2], case["path"]).splitlines())
            )
            keep = [line for line in case["keep"] if lines[self.bare(line)] != 1]
            gone = [line for line in case["gone"] if lines[self.bare(line)]]
            if keep or gone:
                wrong.append((case["name"], keep, gone))
        assert not wrong


class TestFacts:
    BASE = "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01) ^aaaaaa\n- Likes tea\n\n## History\n"

    def test_both_add_one_line(self) -> None:
        ours = self.BASE.replace("tea\n", "tea\n- Has a dog\n")
        theirs = self.BASE.replace("tea\n", "tea\n- Has a cat\n")
        assert "tea\n- Has a cat\n- Has a dog\n\n" in merged(self.BASE, ours, theirs)

    def test_changed_on_both_sides_the_second_says_what_it_contradicts(self) -> None:
        ours = self.BASE.replace("Rome (2026-01-01)", "Bonn (2026-01-05)")
        theirs = self.BASE.replace("Rome (2026-01-01)", "Kiel (2026-01-02)")
        own = id_of_words("aaaaaa", "- Lives in Kiel (2026-01-02)")
        assert (
            "- Lives in Bonn (2026-01-05) ^aaaaaa\n"
            f"- Lives in Kiel (2026-01-02, contradicts ^aaaaaa) ^{own}\n"
        ) in merged(self.BASE, ours, theirs)

    def test_without_an_id_both_stand_there_and_none_is_made(self) -> None:
        ours = self.BASE.replace("Likes tea", "Likes green tea")
        theirs = self.BASE.replace("Likes tea", "Likes iced tea")
        assert "- Likes green tea\n- Likes iced tea\n" in merged(self.BASE, ours, theirs)

    def test_changed_here_and_deleted_there_it_stays_and_is_told(self) -> None:
        ours = self.BASE.replace("Likes tea", "Likes green tea")
        theirs = self.BASE.replace("- Likes tea\n", "")
        found = of_bytes(self.BASE.encode(), ours.encode(), theirs.encode())
        assert b"- Likes green tea\n" in found.data
        assert found.told == (
            "changed on one device and deleted on the other, so it stays: - Likes green tea",
        )

    def test_replaced_here_and_changed_there(self) -> None:
        past = "- ~~Lives in Rome~~ (2026-01-01 → 2026-02-01, superseded by ^bbbbbb) ^aaaaaa\n"
        ours = self.BASE.replace(
            "- Lives in Rome (2026-01-01) ^aaaaaa", "- Lives in Bonn (2026-02-01) ^bbbbbb"
        )
        ours += past
        theirs = self.BASE.replace("in Rome", "in Rome, Trastevere")
        own = id_of_words("aaaaaa", "- Lives in Rome, Trastevere (2026-01-01)")
        found = merged(self.BASE, ours, theirs)
        assert past in found
        line = f"- Lives in Rome, Trastevere (2026-01-01, contradicts ^bbbbbb) ^{own}\n"
        assert line in found
        assert found.index(line) < found.index("## History")

    def test_replaced_by_two_facts_the_second_contradicts_the_first(self) -> None:
        def side(city: str, own: str) -> str:
            text = self.BASE.replace(
                "- Lives in Rome (2026-01-01) ^aaaaaa",
                f"- Lives in {city} (2026-02-01) ^{own}",
            )
            return (
                f"{text}- ~~Lives in Rome~~ (2026-01-01 → 2026-02-01, superseded by ^{own})"
                " ^aaaaaa\n"
            )

        found = merged(self.BASE, side("Bonn", "bbbbbb"), side("Kiel", "cccccc"))
        assert "- Lives in Kiel (2026-02-01, contradicts ^bbbbbb) ^cccccc\n" in found
        assert found.count("~~Lives in Rome~~") == 1

    def test_a_heading_that_a_new_line_needs_stays(self) -> None:
        ours = self.BASE.replace("## Facts\n", "").replace("- Likes tea\n", "")
        theirs = self.BASE.replace("tea\n", "tea\n- Has a dog\n")
        assert "## Facts\n- Has a dog\n" in merged(self.BASE, ours, theirs)


class TestTasks:
    def test_the_side_that_changed_the_box_wins(self) -> None:
        base = "# T\n- [x] Count the boxes\n"
        ours = base.replace("[x]", "[ ]")
        assert merged(base, ours, f"{base}- [ ] Other\n") == f"{ours}- [ ] Other\n"

    def test_a_new_task_that_is_done_on_one_side_is_done(self) -> None:
        found = merged("# T\n", "# T\n- [ ] Read\n- a\n", "# T\n- [x] Read\n- b\n")
        assert "- [x] Read\n" in found
        assert "[ ]" not in found


class TestProperties:
    BASE = "---\ntags: [a, b]\nstatus: new # as said\nupdated: 2026-01-01\n---\n# Joe\n"

    def test_lists_are_sets_and_the_later_date_of_change_holds(self) -> None:
        ours = self.BASE.replace("a, b", "b, c").replace("01-01", "03-09")
        theirs = self.BASE.replace("a, b", "a, b, d").replace("01-01", "03-10")
        found = merged(self.BASE, ours, theirs)
        assert re.search(r"tags: \[b, (c, d|d, c)\]\n", found)
        assert "\nstatus: new # as said\nupdated: 2026-03-10\n---\n" in found

    def test_of_two_values_one_is_a_comment(self) -> None:
        ours = self.BASE.replace("new # as said", "old")
        theirs = self.BASE.replace("new # as said", "paused")
        assert "status: paused\n# status: old\n" in merged(self.BASE, ours, theirs)


def test_of_two_dated_lines_without_ids_one_says_what_it_contradicts() -> None:
    base = "# Joe\n\n## Facts\n- Lives in Rome with a dog (2026-01-01)\n"
    found = merged(base, base.replace("Rome", "Lyon"), base.replace("Rome", "Bern"))
    assert re.search(r"- Lives in Bern with a dog \(2026-01-01\) \^(\w{6})\n", found)
    own = re.search(r"Bern .* \^(\w{6})", found)
    assert own
    assert f"(2026-01-01, contradicts ^{own[1]})" in found


def test_a_day_is_in_the_order_of_its_times() -> None:
    base = "# 2026-03-02\n- 08:00 Ran\n"
    ours = f"{base}- 09:10 Called\n- 11:00 Lunch\n"
    theirs = f"{base}- 10:30 Parcel\n"
    assert merged(base, ours, theirs, "memory/2026-03-02.md") == (
        f"{base}- 09:10 Called\n- 10:30 Parcel\n- 11:00 Lunch\n"
    )


@pytest.mark.parametrize("data", [b"\xff\xfe\0\0", b"caf\xe9\n", b"a\0b\n"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError):
        merge_notes(b"# A\n", b"# A\nb\n", data, PATH, NoteReader())


WORDS = "joe likes tea coffee lives berlin paris works plays cello viola dog cat red blue".split()


class Writer:
    """Writes notes and changes them, by chance; each of its sentences stands once."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.count = 0

    def sentence(self) -> str:
        self.count += 1
        words = self.dice.choices(WORDS, k=self.dice.randint(2, 6))
        return f"{' '.join(words)} {self.count}"

    def id(self) -> str:
        return "".join(self.dice.choices("abcdefgh23456789", k=6))

    def fact(self) -> str:
        tail = f" (2026-0{self.dice.randint(1, 9)}-1{self.dice.randint(0, 9)})"
        parts = ["- ", self.sentence(), self.dice.choice([tail, tail, ""])]
        return "".join([*parts, self.dice.choice([f" ^{self.id()}", ""])])

    def task(self) -> str:
        return f"- [{self.dice.choice(' x')}] {self.sentence()}"

    def prose(self) -> str:
        return f"{self.sentence()}."

    def block(self) -> list[str]:
        code = ["", "```sh", f"run {self.sentence()}", f"# - {self.sentence()}", "```", ""]
        table = ["", "| a | b |", "|---|---|", f"| {self.sentence()} | 1 |", ""]
        nested = [self.fact(), f"  - {self.sentence()}", f"    - {self.sentence()}"]
        comment = [f"<!-- {self.sentence()} -->"]
        return self.dice.choice(
            [code, table, nested, comment, [self.fact()], [self.task()], [self.prose()]]
        )

    def note(self) -> list[str]:
        lines = []
        if self.dice.random() < 0.6:
            lines = ["---", "type: person", "tags:", "  - friend", "phone: 555", "---"]
        lines += ["# Joe", ""]
        for heading in self.dice.sample(["Facts", "Tasks", "History", "Notes"], 3):
            lines.append(f"## {heading}")
            for _ in range(self.dice.randint(0, 4)):
                lines += self.block()
            lines.append("")
        return lines

    def changed(self, lines: list[str]) -> list[str]:
        lines = [*lines]
        ways: list[Callable[[list[str], int], Any]] = [
            lambda lines, at: lines.insert(at + 1, self.fact()),
            lambda lines, at: lines.insert(at + 1, self.task()),
            lambda lines, at: lines.insert(at + 1, self.prose()),
            lambda lines, at: lines.pop(at),
            self.reworded,
            self.reworded,
            self.moved,
        ]
        for _ in range(self.dice.randint(1, 6)):
            places = [at for at, line in enumerate(lines) if self.is_plain(line)]
            if places:
                self.dice.choice(ways)(lines, self.dice.choice(places))
        return lines

    @staticmethod
    def is_plain(line: str) -> bool:
        """Whether it is a heading, a list item or prose, and no part of a larger thing."""
        return line.startswith(("## ", "- ")) or line.endswith(".")

    def moved(self, lines: list[str], at: int) -> None:
        line = lines.pop(at)
        places = [at + 1 for at, line in enumerate(lines) if self.is_plain(line)]
        lines.insert(self.dice.choice([*places, len(lines)]), line)

    def reworded(self, lines: list[str], at: int) -> None:
        line = lines[at]
        if line.startswith("- [ ]"):
            lines[at] = line.replace("[ ]", "[x]")
        elif line.endswith("."):
            lines[at] = self.prose()
        elif line.lstrip().startswith("- "):
            self.count += 1
            lines[at] = line.replace("- ", f"- so{self.count} ", 1)


def told_by(data: bytes) -> set[str]:
    """The lines of a note without id, box and what they contradict."""
    found = set()
    for line in data.decode().splitlines():
        bare = TestCasesByOthers.bare(line)
        found.add(re.sub(r"^- \[.\] ", "- ", bare))
    return found - {""}


def test_in_any_order_nothing_is_lost_and_nothing_twice(dice: Random) -> None:
    """Either order gives the same bytes; merged again it stays; every line that the other side did
    not take out is there, and no id twice."""
    reader = NoteReader()
    for _ in range(daily(60, 600)):
        writer = Writer(dice)
        lines = writer.note()
        eol = dice.choice(["\n", "\r\n"])
        texts = [lines, writer.changed(lines), writer.changed(lines)]
        base, ours, theirs = ((eol.join(each) + dice.choice([eol, ""])).encode() for each in texts)
        found = of_bytes(base, ours, theirs).data
        before, mine, yours = map(told_by, (base, ours, theirs))
        needed = (mine - before) | (yours - before) | (mine & yours)
        assert not needed - told_by(found), (base, ours, theirs)
        ids = Counter(re.findall(r"\^([a-z0-9]{6})\r?$", found.decode(), re.MULTILINE))
        assert max(ids.values(), default=0) < 2, (base, ours, theirs)
        for one, other in ((ours, theirs), (theirs, ours)):
            assert merge_notes(base, one, one, PATH, reader).data == one
            assert merge_notes(base, base, one, PATH, reader).data == one
            assert merge_notes(one, found, one, PATH, reader).data == found
            assert merge_notes(one, one, found, PATH, reader).data == found
            assert merge_notes(base, found, other, PATH, reader).data
