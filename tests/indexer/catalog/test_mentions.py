"""Mentions: which lines name a page's subject, in which order, and which pages a line names."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import apsw
import pytest

from indexer.catalog.mentions import Subjects, mentions_of
from indexer.note import Link, Settings
from indexer.refresh.refresh import refresh

MIA = "people/mia-chen.md"
TOM = "people/tom-becker.md"
PAGES = {
    MIA: "---\ntype: person\naliases: [Mimi]\n---\n# Mia Chen\n\n## Facts\n- Mia Chen paints (2026-01-01)\n",
    TOM: "# Tom Becker\n\n## Facts\n- Works with [[mia-chen]] (2026-01-05)\n",
}
Build = Callable[..., apsw.Connection]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def make(*lines: str, day: str = "2026-02-01", **more: str) -> apsw.Connection:
        """An index of the pages, a day's note with some lines, and more notes by path."""
        notes = {**PAGES, f"memory/{day}.md": "".join(f"- {line}\n" for line in lines), **more}
        for path, text in notes.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        return refresh(Settings(str(tmp_path), "", vectors=False), now=time.time())[0].db

    return make


def texts(
    db: apsw.Connection, path: str, *, private: bool = False, paths: Iterable[str] = ()
) -> list[str]:
    """What the lines say that name a page, those of some notes alone where any are given."""
    found = mentions_of(db, path, private=private)
    return [each.text for each in found if not paths or each.path in paths]


DAY = ("memory/2026-02-01.md",)


@pytest.mark.parametrize(
    "line",
    [
        "Lunch with Mia Chen",
        "lunch with mia chen",
        "Mia is vegetarian",
        "Met Mia at the fair",
        "Mia's sister called",
        "Mia’s sister called",
        "Chen called",
        "Mimi called",
        "Dr Chen called",
        "Asked [[mia-chen]] about it",
        "Asked [[people/mia-chen|her]] about it",
        "Asked [her](../people/mia-chen.md) about it",
        "**Mia**: wants the offer by Friday",
        "MIA CHEN CALLED",
    ],
)
def test_a_line_that_names_a_person(build: Build, line: str) -> None:
    assert len(texts(build(line), MIA, paths=DAY)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "lunch with mia",
        "Miami is warm",
        "Lunch with Mia Farrow",
        "Anna Chen called",
        "See https://example.com/Mia-Chen",
        "See `Mia Chen`",
        "Tagged #Mia",
        "Wrote to Mia@example.com",
        "mia_chen.txt is lost",
        "[[mia-chen]]",
        "![[mia-chen]]",
        "Mia Chen",
        "See [[Mia Chen the Elder]]",
        "{{embed [[mia-chen]]}}",
        "tags:: [[mia-chen]], art",
        "Saw [[people/tom-becker|Mia Chen]] again",
    ],
)
def test_a_line_that_does_not(build: Build, line: str) -> None:
    assert texts(build(line, "Nothing"), MIA, paths=DAY) == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Will drafts the offer", False),
        ("We will see", False),
        ("Asked Will about the offer", True),
        ("Asked [[people/will]] about the offer", True),
        ("The Will Power course", False),
        ("Done. Will call back", False),
    ],
)
def test_a_name_that_is_an_ordinary_word(build: Build, line: str, names: bool) -> None:
    db = build(line, **{"people/will.md": "# Will\n"})
    assert (texts(db, "people/will.md") == [line]) == names


def test_what_the_notes_write_in_small_letters_is_an_ordinary_word(build: Build) -> None:
    notes = {"projects/atlas.md": "# Atlas\n"}
    assert texts(build("Atlas is late", **notes), "projects/atlas.md") == ["Atlas is late"]
    db = build("Atlas is late", "bought an atlas", **notes)
    assert texts(db, "projects/atlas.md") == []
    assert texts(build("So Atlas is late", **notes), "projects/atlas.md") == ["So Atlas is late"]


def test_an_ordinary_title_of_a_note_is_named_by_links_alone(build: Build) -> None:
    db = build(
        "Read the Search page", "search for it", "See [[search]] as well", **{"notes/search.md": ""}
    )
    assert texts(db, "notes/search.md") == ["See [[search]] as well"]


def test_a_title_of_several_words_needs_its_capitals(build: Build) -> None:
    lines = ("Pull Request is open", "open a pull request", "Read the Pull Request Guide")
    db = build(*lines, **{"notes/pull-request.md": ""})
    assert texts(db, "notes/pull-request.md") == [lines[0]]


def test_one_word_of_a_title_beside_another_capital_is_another_name(build: Build) -> None:
    notes = {"notes/ryan.md": "# Ryan\n"}
    db = build("I asked Ryan Randall", "Big Ryan came", "I asked Ryan about it", **notes)
    assert texts(db, "notes/ryan.md") == ["I asked Ryan about it"]


def test_a_sentence_that_goes_on_in_the_next_line_is_told_whole(build: Build) -> None:
    wrapped = (
        "It rained all day and we stayed at home until the\nevening, when at long last our very good old Mia\n"
        "Chen rang and said that she had found the\nkeys.\n\nNothing else.\n"
    )
    db = build("Nothing", **{"notes/diary.md": wrapped})
    (found,) = [each for each in mentions_of(db, MIA, private=False) if "rained" in each.text]
    assert (found.line, found.text) == (1, " ".join(wrapped.partition("\n\n")[0].split()))


def test_a_name_that_two_notes_have_is_a_mention_only_as_a_link(build: Build) -> None:
    twice = {"people/max.md": "# Max Stone\n", "projects/max.md": "# Max Stone\n"}
    db = build("Max Stone called", "Asked [[people/max]] again", **twice)
    assert texts(db, "people/max.md") == ["Asked [[people/max]] again"]
    assert texts(db, "projects/max.md") == []


def test_a_first_name_that_two_persons_have_names_neither(build: Build) -> None:
    db = build("Mia called", "Chen called", **{"people/other.md": "# Mia Lund\n"})
    assert texts(db, MIA, paths=DAY) == ["Chen called"]
    assert texts(db, "people/other.md") == []


def test_a_longer_name_of_another_note_is_no_mention_of_the_shorter(build: Build) -> None:
    notes = {"projects/atlas.md": "# Atlas\n", "projects/old.md": "# Atlas Two\n"}
    db = build("Work on Atlas Two began", "Work on Atlas ended", **notes)
    assert texts(db, "projects/atlas.md") == ["Work on Atlas ended"]
    assert texts(db, "projects/old.md") == ["Work on Atlas Two began"]


@pytest.mark.parametrize("name", ["Jose Pena", "José Peña", "JOSÉ PEÑA", "Jose\u0301 Pen\u0303a"])
def test_accents_and_their_composition_are_apart(build: Build, name: str) -> None:
    for title in ("José Peña", "Jose Pena"):
        db = build(f"{name} called", **{"people/jp.md": f"# {title}\n"})
        assert len(texts(db, "people/jp.md")) == 1


def test_a_name_in_a_script_without_spaces(build: Build) -> None:
    db = build("今日は佐藤太郎と会った", **{"people/sato.md": "# 佐藤太郎\n"})
    assert texts(db, "people/sato.md") == ["今日は佐藤太郎と会った"]


def test_the_newest_comes_first_and_of_one_day_the_later_line(build: Build) -> None:
    other = {
        "memory/2026-02-03.md": "- Mia came\n- Mia left\n",
        "projects/x.md": "# X\n\n## Facts\n- Mia signed (2026-02-02)\n- Mia read it\n",
    }
    db = build("Mia rang", **other)
    found = mentions_of(db, MIA, private=False)
    assert [(each.date, each.line, each.text) for each in found] == [
        ("2026-02-03", 2, "Mia left"),
        ("2026-02-03", 1, "Mia came"),
        ("2026-02-02", 4, "Mia signed"),
        ("2026-02-01", 1, "Mia rang"),
        ("2026-01-05", 4, "Works with [[mia-chen]]"),
        ("", 5, "Mia read it"),
    ]
    assert [each.text for each in mentions_of(db, MIA, private=False, limit=1)] == ["Mia left"]
    at = mentions_of(db, MIA, private=False, as_of="2026-02-01")
    assert [each.text for each in at] == ["Mia rang", "Works with [[mia-chen]]", "Mia read it"]
    assert all(each.key for each in found)
    assert {each.kind for each in found} == {"daily", "project", "person"}


def test_when_a_page_was_changed_is_no_date_of_its_lines(build: Build) -> None:
    page = (
        "---\nupdated: 2026-02-09\n---\n# X\n\n## Facts\n- Mia reads (2026-02-09)\n- Mia leads it\n"
    )
    db = build("Mia rang", **{"projects/x.md": page})
    found = mentions_of(db, MIA, private=False)
    assert [(each.date, each.text) for each in found][:2] == [
        ("2026-02-09", "Mia reads"),
        ("2026-02-01", "Mia rang"),
    ]
    assert [each.date for each in found if each.text == "Mia leads it"] == [""]


def test_lines_below_a_heading_or_an_item_that_is_the_name(build: Build) -> None:
    notes = {
        "memory/2026-02-02.md": "## Mia\n\n- wants the offer\n- will call\n\n## Garden\n\n- is wet\n",
        "memory/2026-02-03.md": "- [[mia-chen]]\n  - has a dog\n- rain\n",
        "memory/2026-02-04.md": "## Mia Chen\n\nShe came late.\n\n    x = Dog()\n",
        "memory/2026-02-05.md": "## Lunch with Mia\n\n- was good\n",
    }
    db = build("Nothing", **notes)
    assert texts(db, MIA, paths=notes) == [
        "She came late.",
        "has a dog",
        "will call",
        "wants the offer",
    ]
    number = db.execute("SELECT id FROM chunk WHERE text LIKE '%will call%' AND grain = 'fact'").get
    assert Subjects(db, private=False).of_chunks([number]) == {number: (MIA,)}


def test_what_is_past_generated_or_for_programs_is_no_mention(build: Build) -> None:
    others = {
        "projects/x.md": "# X\n\n## Summary\nMia leads it.\n\n## Facts\n- ~~Mia leads it~~ (2026-01-01)\n"
        "- Ann leads it, not Mia (2026-01-02, updates ^old111)\n- Mia led it (2026-01-01) ^old111\n",
        "people/_index.md": "- [[mia-chen]] - Mia paints\n",
        "conversations/one.md": "Mia said so\n",
        "AGENTS.md": "Ask Mia first\n",
        "templates/call.md": "Call with Mia about it\n",
        "memory/dreaming/2026-02-01.md": "- Mia recurs\n",
        "MEMORY.md": "## Now\nAs of today: Mia paints\n",
        "archives/mia-chen.md": "# Mia Chen\n\n- Mia Chen lived in Rome\n",
        "notes/code.md": "Look:\n\n```\nMia = 1\n```\n\nand Mia looked\n",
    }
    db = build("Nothing", **others)
    assert [each.text for each in mentions_of(db, MIA, private=False)] == [
        "Works with [[mia-chen]]",
        "Ann leads it, not Mia",
        "and Mia looked",
    ] or texts(db, MIA)[0] == "Works with [[mia-chen]]"
    assert sorted(texts(db, MIA)) == sorted(
        ["Works with [[mia-chen]]", "Ann leads it, not Mia", "and Mia looked"]
    )


def test_a_line_that_stands_twice_in_a_note_is_told_once(build: Build) -> None:
    assert texts(build("Mia rang", "Mia rang", "Tom rang"), MIA, paths=DAY) == ["Mia rang"]


def test_what_is_private_is_told_only_where_private_notes_are_seen(build: Build) -> None:
    secret = {
        "people/ada.md": "---\nprivate: true\n---\n# Ada Quill\n",
        "memory/2026-02-02.md": "---\nprivate: true\n---\n- Mia cried\n",
    }
    db = build("Ada Quill and Mia rang", **secret)
    assert texts(db, "people/ada.md") == []
    assert texts(db, "people/ada.md", private=True) == ["Ada Quill and Mia rang"]
    assert "Mia cried" not in texts(db, MIA)
    assert "Mia cried" in texts(db, MIA, private=True)
    chunks = [
        number
        for (number,) in db.execute(
            "SELECT id FROM chunk WHERE note IN (SELECT id FROM note WHERE kind = 'daily')"
        )
    ]
    seen = Subjects(db, private=False).of_chunks(chunks)
    assert {*seen.values()} == {(MIA,)}
    assert ("people/ada.md", MIA) in Subjects(db, private=True).of_chunks(chunks).values()


@pytest.mark.parametrize("path", ["memory/2026-02-01.md", "AGENTS.md", "templates/x.md", "none.md"])
def test_what_is_about_no_one_thing_has_no_mentions(build: Build, path: str) -> None:
    db = build(
        "See [[AGENTS]] and [[x]] and [[2026-02-01]]", **{"AGENTS.md": "", "templates/x.md": ""}
    )
    assert mentions_of(db, path, private=True) == []


def test_of_links_that_begin_alike_each_is_in_its_own_line(build: Build) -> None:
    wrote = "Wrote to [[people/ann-marie|her]].\n\nWrote to [[people/ann|her]].\n"
    db = build("Nothing", **{"people/ann.md": "# Ann\n", "notes/diary.md": wrote})
    found = mentions_of(db, "people/ann.md", private=False)
    assert [(each.line, each.text) for each in found] == [(3, "Wrote to [[people/ann|her]].")]


def test_the_pages_that_a_line_is_about(build: Build) -> None:
    db = build("Tom asked Mia for it", "It rained", "Asked [[people/tom-becker|him]] and Mimi")
    rows = {
        number: subjects
        for number, text in db.execute("SELECT id, text FROM chunk WHERE grain = 'fact'")
        if (subjects := Subjects(db, private=False).of_chunks([number]).get(number))
        or "rained" in text
    }
    told = {
        db.execute("SELECT text FROM chunk WHERE id = ?", (at,)).get: of for at, of in rows.items()
    }
    assert told == {
        "- Tom asked Mia for it": (TOM, MIA),
        "- It rained": None,
        "- Asked [[people/tom-becker|him]] and Mimi": (TOM, MIA),
        "- Mia Chen paints (2026-01-01)": (MIA,),
        "- Works with [[mia-chen]] (2026-01-05)": (TOM,),
    }


def test_it_is_the_same_however_the_index_came_about(build: Build, tmp_path: Path) -> None:
    settings = Settings(str(tmp_path), str(tmp_path / "index"), vectors=False)
    build("Mia rang", "Will Tom come?")
    refresh(settings, now=time.time())[0].close()
    build("Mia rang", "Will Tom come?", **{"people/tom-lund.md": "# Tom Lund\n", TOM: "# Tom B\n"})
    changed = refresh(settings, now=time.time())[0].db
    anew = refresh(Settings(str(tmp_path), "", vectors=False), now=time.time())[0].db
    for path in (MIA, TOM, "people/tom-lund.md"):

        def told(db: apsw.Connection, path: str = path) -> list[tuple[object, ...]]:
            return [each._replace(chunk=0) for each in mentions_of(db, path, private=True)]

        assert told(changed) == told(anew)


def test_a_line_that_links_to_a_page_many_times_is_looked_at_once(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indexer.catalog import mentions

    db = build("Tea with " + "[[mia-chen]] " * 300)
    asked: list[str] = []
    holds = mentions._holds

    def counted(text: str, link: Link) -> bool:
        asked.append(text)
        return holds(text, link)

    monkeypatch.setattr(mentions, "_holds", counted)
    assert mentions_of(db, MIA, private=False)
    assert len(asked) < 20


def many_persons(count: int) -> dict[str, str]:
    return {f"people/person-{at}.md": f"# Person {at}\n" for at in range(count)}


@pytest.mark.parametrize("line", ["Person 7 met Person 9", "No Person was there"])
def test_a_word_that_stands_in_many_names_costs_no_more_than_in_few(
    build: Build, line: str
) -> None:
    steps: list[int] = []
    named: list[list[str]] = []
    for count in (20, 200):
        db = build(line, **many_persons(count))
        steps.append(0)

        def step() -> bool:
            steps[-1] += 1
            return False

        db.set_progress_handler(step, 1)
        named.append(Subjects(db, private=False).asked(line))
    assert steps[1] < 1.5 * steps[0]
    assert named[0] == named[1]
    assert named[1] == [f"people/person-{at}.md" for at in (7, 9) if "7" in line]


@pytest.mark.parametrize(
    ("called", "named"),
    [
        (["ada"], "ada"),
        (["ada", "ida"], None),
        (["ada", "ida (conflicted copy)"], "ada"),
        (["ida (conflicted copy)"], "ida (conflicted copy)"),
        (["ada (conflicted copy)", "ida (conflicted copy)"], None),
    ],
)
def test_a_last_name_is_that_of_the_only_person_who_does_not_stand_back(
    build: Build, called: list[str], named: str | None
) -> None:
    pages = {f"people/{each}.md": f"# {each[:3].title()} Voss\n" for each in called}
    subjects = Subjects(build("It rained", **pages), private=False)
    assert subjects.asked("We saw Voss there") == ([f"people/{named}.md"] if named else [])


def test_a_note_of_many_links_is_read_line_by_line(build: Build) -> None:
    text = "".join(
        f"## Part {number}\n\nLunch {number} in [[summer|it]] today.\n\nNothing {number}.\n\n"
        for number in range(120)
    )
    db = build(**{"log.md": text, "resources/summer.md": "# Summer\n"})
    lines = mentions_of(db, "resources/summer.md", private=False)
    assert [each.line for each in lines] == [3 + 6 * number for number in reversed(range(120))]
    assert all(each.text.startswith("Lunch") for each in lines)
