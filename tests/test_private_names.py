"""Nineteen private notes beside public ones that are called much alike: whoever asks by a name of a private one, gets
no other note, changes none, and reads nothing of it.

Every place of a command line that takes the name of a note is tried, as the table of commands has them, so that a new
command is tried as well; so is every other door.
"""

from __future__ import annotations

import io
import itertools
import json
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aurelius import api
from aurelius.__main__ import run_line
from aurelius.agents.calls import CALLS, answer_call
from aurelius.agents.memory_tool import MemoryTool
from aurelius.agents.tool_forms import TOOL_FORMS
from aurelius.cli.captured import Door, open_door
from aurelius.cli.declarations import COMMANDS, GLOBAL_DEFAULTS, Command
from aurelius.cli.run import BUG, Context
from aurelius.vault import Vault
from indexer.errors import AmbiguousNameError, NoteNotFoundError
from tests.conftest import TODAY
from tests.declared import Declared, arguments_of, options_of

NAMES = (
    "Therapy",
    "Anna Karlsson",
    "Séance",
    "Debts",
    "Divorce papers",
    "Dr. Weiß",
    "O'Hara",
    "Project Moth",
    "Zürich bank",
    "C# diary",
    "Salary 2026",
    "Übelkeit",
    "Mother",
    "Night-walks",
    "The plan",
    "Test results",
    "Ivy",
    "René",
    "Will",
)
CANARY = "quetzalcoatl"
TOLD = "Told in confidence"
UNTAKEN = "nobody of that name"


def slug(name: str) -> str:
    return "-".join("".join(char if char.isalnum() else " " for char in name.lower()).split())


def notes() -> dict[str, str]:
    """The vault: of each name a private note, and one public note or three whose names nearly are that."""
    found = {"people/host.md": "# Host\n\n## Facts\n- Is at home ^host01\n"}
    for number, name in enumerate(NAMES):
        facts = "\n\n## Facts\n- {} (2026-01-02) ^{}\n\n## Tasks\n- [ ] call back\n"
        secret = f"---\nprivate: true\naliases: [Nick {number:02}]\n---\n# {name}"
        found[f"areas/x{number:02}/{slug(name)}.md"] = secret + facts.format(
            f"{CANARY} {number}", f"secr{number:02}"
        )
        public = facts.format("Likes the sea", f"rexx{number:02}")
        found[f"people/{slug(name)}-dog-rex.md"] = (
            f"---\naliases: [Nick {number:02} Berg]\n---\n# {name} dog Rex{public}"
        )
        if number % 2:  # that one alone is like the name, and stood in for it
            continue
        found[f"people/my-{slug(name)}.md"] = f"# My {name}" + facts.format(
            "Sails", f"sail{number:02}"
        )
        found[f"people/{slug(name)}e.md"] = f"# {name}e" + facts.format("Sings", f"sing{number:02}")
    return found


def exact(number: int) -> Iterator[str]:
    """Every way to say all of a private note's name."""
    name, path = NAMES[number], f"areas/x{number:02}/{slug(NAMES[number])}"
    yield from (
        name,
        f"Nick {number:02}",
        slug(name),
        name.upper(),
        f"[[{name}]]",
        f"nick-{number:02}",
    )
    yield from (
        unicodedata.normalize("NFD", name),
        f"{path}.md",
        path,
        f" {name} ",
        name.replace(" ", "-"),
    )


def sloppy(number: int) -> tuple[str, ...]:
    """Part of the name, and a slip of it."""
    name = NAMES[number]
    return name[:-1], f"{name}x", f"{name} dog", f"Nick {number}", f"{name} do", f"nicc {number:02}"


class House:
    """The vault, and commands run in it by the person or by an agent."""

    def __init__(self, top: Path) -> None:
        self.root, self.env = (
            top / "vault",
            {"HOME": str(top), "AURELIUS_INDEX": str(top / "index"), "EDITOR": "true"},
        )
        self.texts = notes()
        for path, text in self.texts.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, "utf-8")
        (self.root / ".aurelius").mkdir()

    def run(self, argv: list[str], stdin: str = "", *, person: bool) -> tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        context = Context(
            str(self.root), self.env, False, io.StringIO(stdin), out, err, TODAY, person=person
        )
        code = run_line(argv, context)
        assert code != BUG, (argv, err.getvalue())
        return code, out.getvalue() + err.getvalue()

    def door(self) -> Door:
        """The door of agents."""
        nobody = Context(
            str(self.root), self.env, False, io.StringIO(), io.StringIO(), io.StringIO(), TODAY
        )
        return open_door(nobody, str(self.root))

    def changed(self) -> list[str]:
        """Notes that are not as they were, which are made so again."""
        there = {
            path.relative_to(self.root).as_posix(): path.read_text("utf-8")
            for path in self.root.rglob("*.md")
        }
        odd = [
            path
            for path in there.keys() | self.texts.keys()
            if there.get(path) != self.texts.get(path)
        ]
        for path in odd:
            (self.root / path).unlink(missing_ok=True)
            if path in self.texts:
                (self.root / path).write_text(self.texts[path], "utf-8")
        return odd


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("house"))


# -- every place of a command line that takes a name -----------------------------------------------------------

TEXTS = {
    "text": TOLD,
    "destination": "moved/there.md",
    "kind": "person",
    "words": TOLD,
    "query": "sea",
    "action": "",
}
LINES = {("tasks", "tasks"): "{}:8", ("open", "note"): "{}:1"}
NO_NAME = {"tag", "meta", "because", "folder", "source"}
"""What takes words, or a folder by its path."""


def takes_name(place: Declared) -> bool:
    offered = {"note", "notes", "facts"} & set(place.offers)
    return (
        bool(offered or place.value == "NOTE" or place.name == "name") and place.name not in NO_NAME
    )


def lines_of(command: Command) -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """The lines of a command in which a name can stand: a label, and the line of a name."""
    for at, argument in enumerate(arguments_of(command.name)):
        if takes_name(argument):
            form = LINES.get(
                (command.name, argument.name), "{}#^rexx01" if argument.value == "ID" else "{}"
            )
            before = [
                "done" if each.name == "action" else filled(command, each)
                for each in arguments_of(command.name)[:at]
            ]
            after = [filled(command, each) for each in arguments_of(command.name)[at + 1 :]]
            after = [TOLD] if argument.name == "words" else [each for each in after if each]
            more = ["--yes"] if "yes" in command.defaults else []
            more += {"status": ["--tiers"], "doctor": ["--tidy"]}.get(command.name, [])

            def line(
                name: str,
                form: str = form,
                before: list[str] = before,
                after: list[str] = after,
                more: list[str] = more,
            ) -> list[str]:
                return [command.name, *more, "--", *before, form.format(name), *after]

            yield f"{command.name} {argument.value}", line
    own_options = [each for each in options_of(command.name) if each.name not in GLOBAL_DEFAULTS]
    for option in filter(takes_name, own_options):
        words = [
            word for word in (filled(command, each) for each in arguments_of(command.name)) if word
        ]
        words = {"add": ["people/host", TOLD], "review": ["accept"], "tasks": []}.get(
            command.name, words
        )
        form = "{}#^rexx01" if option.value == "ID" else "{}"

        def asked(
            name: str, option: Declared = option, words: list[str] = words, form: str = form
        ) -> list[str]:
            return [command.name, f"{option.flags[0]}={form.format(name)}", "--", *words]

        yield f"{command.name} {option.flags[0]}", asked


def filled(command: Command, argument: Declared) -> str:
    """A word for an argument that is not the name."""
    if takes_name(argument):
        return "people/host#^host01" if argument.value == "ID" else "people/host"
    return TEXTS.get(argument.name, TOLD if argument.required else "")


PLACES = [(label, line) for command in COMMANDS.values() for label, line in lines_of(command)]
SLOW = {"open", "pick"}
WRITE = {
    "add",
    "supersede",
    "update",
    "move",
    "archive",
    "rm",
    "summarize",
    "doctor",
    "reinforce",
    "demote",
    "forget",
}


def test_the_places_that_take_a_name_are_known() -> None:
    """Where a command is new here, see that it takes names as the others do."""
    commands = {label.partition(" ")[0] for label, _ in PLACES}
    reading = {
        "search",
        "list",
        "tasks",
        "get",
        "show",
        "open",
        "links",
        "history",
        "graph",
        "status",
    }
    assert commands == WRITE | reading | {"review", "new", "recall"}


@pytest.mark.parametrize("person", [True, False], ids=["person", "agent"])
def test_the_whole_name_of_a_private_note_is_that_of_no_other(house: House, person: bool) -> None:
    turn, odd = itertools.count(), list[str]()
    for label, line in PLACES:
        if (
            label.startswith("new") and not person
        ):  # it learns of no name, and begins a note of its own
            continue
        for way in range(next(turn) % 4, 11, 4):
            number = next(turn) % len(NAMES)
            name = [*exact(number)][way]
            if label.startswith("forget") and "/" in name:  # which takes the path of any note
                continue
            code, told = house.run(line(name), person=person)
            private = "private" in told.replace(name, "")
            if code != 5 or CANARY in told or private != person or (changed := house.changed()):
                odd.append(f"{line(name)} [{code}] {told[:200]} {house.changed() or changed}")
    assert odd == []


def test_part_of_a_name_changes_nothing(house: House) -> None:
    turn, odd = itertools.count(), list[str]()
    for label, line in PLACES:
        for way in range(next(turn) % 2, 6, 2):
            number = next(turn) % len(NAMES)
            name = sloppy(number)[way]
            if label.partition(" ")[0] in {*SLOW, "new"}:
                continue
            code, told = house.run(line(name), person=True)
            if (
                CANARY in told
                or house.changed()
                or (label.partition(" ")[0] in WRITE and code != 5)
            ):
                odd.append(f"{line(name)} [{code}] {told[:200]}")
    assert odd == []


def test_words_in_front_of_a_text_that_are_a_private_name_together_go_nowhere(house: House) -> None:
    for words in (
        ["Anna", "Karlsson", TOLD],
        ["anna", "karlsson", "told", "me"],
        ["The", "plan", TOLD],
        ["Therapy"],
    ):
        code, told = house.run(["add", *words], person=True)
        assert (code, house.changed(), "it is private" in told) == (5, [], True), (words, told)


def test_a_note_of_the_same_name_is_reached_by_its_path(house: House) -> None:
    path = house.root / "people/ivy.md"
    path.write_text("# Ivy\n\n## Facts\n", "utf-8")
    try:
        for name in ("Ivy", "ivy"):
            assert house.run(["show", name], person=True)[0] == 5
            assert house.run(["add", name, TOLD], person=True)[0] == 5
        assert house.run(["add", "people/ivy", TOLD], person=True)[0] == 0
        assert TOLD in path.read_text("utf-8")
        code, told = house.run(["show", "Ivy", "--private"], person=True)
        assert (code, "2 notes" in told) == (5, True)
        assert house.run(["add", "areas/x16/ivy.md", "--private", TOLD], person=True)[0] == 0
    finally:
        path.unlink()
        house.changed()


def test_a_name_that_has_a_sign_of_a_place_is_no_place_of_another_note(house: House) -> None:
    (house.root / "people/c.md").write_text("# C\n\n## diary\n\nA public diary.\n", "utf-8")
    code, told = house.run(["get", "C# diary"], person=True)
    assert (code, "public" in told, house.changed()) == (5, False, ["people/c.md"])


def test_a_move_by_a_private_name_leaves_every_link(house: House) -> None:
    house.texts["people/host.md"] += "\nSee [[Nick 01]] and [[Therapy]].\n"
    (house.root / "people/host.md").write_text(house.texts["people/host.md"], "utf-8")
    for name in ("Nick 01", "Therapy"):
        for person in (True, False):
            code, told = house.run(["move", name, "people/therapye.md"], person=person)
            assert (code, house.changed()) == (5, []), told


# -- the other doors -------------------------------------------------------------------------------------------


def test_no_call_of_an_agent_takes_another_note_for_a_private_one(house: House) -> None:
    odd = []
    for number, call in itertools.product(range(0, len(NAMES), 4), CALLS):
        name = NAMES[number]
        given: dict[str, dict[str, Any]] = {
            "add": {"note": name, "text": TOLD},
            "get": {"ref": name},
            "search": {"query": CANARY, "folder": name},
            "supersede": {"id": f"{name}#^rexx{number:02}", "text": TOLD},
            "recall": {"question": f"What of {name}?"},
            "feedback": {"id": f"{name}#^rexx{number:02}", "helped": True},
            "context": {"prompt": f"Tell of {name}"},
            "note": {"text": ""},
        }
        answered = answer_call(house.door(), call.name, given[call.name])
        told = answered.text + json.dumps(answered.value)
        found = [each for each in house.changed() if not each.startswith("memory/")]
        is_name = call.name in {"add", "get", "supersede", "feedback"}
        if (
            CANARY in told.replace(f'"{CANARY}"', "").replace(f"'{CANARY}'", "")
            or found
            or (is_name and answered.ok)
            or (call.name == "get" and "no note is called" not in told)
        ):
            odd.append(f"{call.name} {name} {told[:200]} {found}")
    assert odd == []


def test_no_form_of_the_other_memories_does(house: House) -> None:
    odd = []
    for number, (action, form) in itertools.product(range(0, len(NAMES), 4), TOOL_FORMS.items()):
        name = NAMES[number]
        fields = form.takes["properties"]
        given = {
            "name": name,
            "entity": name,
            "query": "sea",
            "id": f"secr{number:02}",
            "content": TOLD,
        }
        call = {"action": action, **{key: value for key, value in given.items() if key in fields}}
        code, told = house.run(["tool", json.dumps(call)], person=False)
        found = [each for each in house.changed() if not each.startswith("memory/")]
        is_name = {"name", "entity"} & fields.keys() or "id" in call
        if CANARY in told or found or "ikes the sea" in told * bool(is_name):
            odd.append(f"{call} [{code}] {told[:200]} {found}")
    assert odd == []


def test_no_other_door_does(house: House) -> None:
    vault = Vault.find(None, house.env, str(house.root), now=TODAY, agent="")
    with vault:
        tool = MemoryTool(vault, now=TODAY)
        for number, name in list(enumerate(NAMES))[::6]:
            for path in (
                f"/memories/{name}",
                f"/memories/{slug(name)}.md",
                f"/memories/areas/x{number:02}/{slug(name)}.md",
            ):
                for asked in (
                    {"command": "view", "path": path},
                    {"command": "delete", "path": path},
                    {"command": "insert", "path": path, "insert_line": 0, "insert_text": TOLD},
                    {"command": "str_replace", "path": path, "old_str": "sea", "new_str": TOLD},
                    {"command": "rename", "old_path": path, "new_path": "/memories/moved.md"},
                ):
                    told = tool.call(asked)
                    assert (told.is_error, CANARY in told.content, house.changed()) == (
                        True,
                        False,
                        [],
                    ), (asked, told)
    person = Vault.find(None, house.env, str(house.root), now=TODAY)
    with person:
        for name in NAMES[::3]:
            acts: tuple[Callable[..., object], ...] = (
                partial(person.resolve, name),
                partial(person.note, name),
                partial(person.links, name),
                partial(person.read, f"{name}:3"),
                partial(api.add, person, name, TOLD),
                partial(api.add, person, "people/host", TOLD, part_of=name),
            )
            for act in acts:
                with pytest.raises((NoteNotFoundError, AmbiguousNameError)):
                    act()
            assert house.changed() == []


def test_no_hook_says_anything_of_a_private_note(house: House) -> None:
    for number, name in list(enumerate(NAMES))[::3]:
        event = json.dumps({"session_id": f"s{number}", "prompt": f"What do I know about {name}?"})
        assert CANARY not in house.run(["hook", "prompt"], event, person=False)[1]
