"""The house has rooms: their order, their map and their tests, kept by a machine.

The map is the two tables of `aurelius/help/architecture.md`.  Each rule is a function from sources
(path -> text) and the map to complaints, and is run over made-up sources that break it as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

import pytest

from tests.reading_sources import ROOT, Sources, imports, name_of, nodes, product

ARCHITECTURE = (ROOT / "aurelius/help/architecture.md").read_text("utf-8")
Rooms = Mapping[str, tuple[str, frozenset[str]]]
Rule = Callable[[Sources, Rooms], list[str]]

OF_THE_DISK = {"apsw", "io", "os", "shutil", "subprocess", "tempfile", "time"}
PURE = ("indexer/matter/", "indexer/reading/", "aurelius/compose/", "aurelius/language/")


def tables(text: str) -> Rooms:
    """Room -> its sentence and its modules, in the order of the map: `indexer`, `indexer/disk`, … `aurelius/cli`."""
    rooms = {}
    for package, part in zip(("indexer", "aurelius"), text.split("\n## ")[1:3], strict=True):
        for room, sentence, modules in re.findall(
            r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", part, re.MULTILINE
        ):
            if room not in {"room", "(package)"}:
                rooms[f"{package}/{room}"] = (sentence, frozenset(modules.split(", ")))
            elif room == "(package)":
                rooms[package] = (sentence, frozenset(modules.split(", ")))
    return rooms


def room_of(module: str) -> str:
    """`indexer.disk.walk` -> `indexer/disk`; `aurelius.vault` and `aurelius.__main__` have rows of their own."""
    room, _, name = module.rpartition(".")
    return f"aurelius/{name}.py" if room == "aurelius" else room.replace(".", "/")


def modules(sources: Sources) -> dict[str, str]:
    """Dotted name -> path of everything that is not an `__init__`."""
    return {name_of(path): path for path in sources if not path.endswith("__init__.py")}


# The rules


def the_map_is_the_tree(sources: Sources, rooms: Rooms) -> list[str]:
    tree: dict[str, set[str]] = {}
    for module in modules(sources):
        tree.setdefault(room_of(module), set()).add(module.rpartition(".")[2])
    complaints = []
    for room in sorted(tree.keys() | rooms.keys()):
        on_map = rooms[room][1] if room in rooms else frozenset()
        complaints += [
            f"{room}/{name} is not on the map" for name in sorted(tree.get(room, set()) - on_map)
        ]
        complaints += [
            f"{room}/{name} is on the map and nowhere else"
            for name in sorted(on_map - tree.get(room, set()))
        ]
    return complaints


def rooms_say_what_they_are(sources: Sources, rooms: Rooms) -> list[str]:
    """The `__init__` of a room is its sentence on the map, and nothing else."""
    return [
        f"{room}/__init__.py is not the sentence of the map"
        for room, (sentence, _) in rooms.items()
        if "/" in room
        and not room.endswith(".py")
        and " ".join(sources.get(f"{room}/__init__.py", "").split()) != f'"""{sentence}"""'
    ]


def imports_point_up_the_map(sources: Sources, rooms: Rooms) -> list[str]:
    """A room imports itself and rooms that stand above it in the tables: so surfaces -> aurelius -> indexer."""
    known = modules(sources)
    order = {room: number for number, room in enumerate(rooms)}
    packages = {room.replace("/", "."): room for room in order}
    packages["aurelius"] = next(room for room in order if room.startswith("aurelius"))
    complaints = set()
    for module, path in known.items():
        for name in imports(path, sources[path], lazy=True, types=True):
            room = room_of(name) if name in known else packages.get(name, "")
            if order.get(room, 0) > order.get(room_of(module), 0):
                complaints.add(f"{path} imports from {room}, which is further down the map")
    return sorted(complaints)


def pure_rooms_touch_no_disk(sources: Sources, rooms: Rooms) -> list[str]:
    """Reading, composing and language work on text and bytes alone."""
    del rooms
    return [
        f"{path} imports {name}"
        for path, text in sources.items()
        if path.startswith(PURE)
        for name in sorted(
            {name.split(".")[0] for name in imports(path, text, lazy=True, types=True)}
            & OF_THE_DISK
        )
    ]


def only_what_stays_keeps_an_index_alive(sources: Sources, rooms: Rooms) -> list[str]:
    """`indexer/live` is imported at run time by what stays, the daemon's room and the doors; by others for types
    at most."""
    del rooms
    return [
        f"{path} imports indexer.live"
        for path, text in sources.items()
        if not path.startswith(
            (
                "indexer/live/",
                "aurelius/daemon/",
                "aurelius/cli/captured.py",
                "aurelius/cli/commands/serve.py",
            )
        )
        if any(
            name.startswith("indexer.live") for name in imports(path, text, lazy=True, types=False)
        )
    ]


def a_class_name_stands_once(sources: Sources, rooms: Rooms) -> list[str]:
    del rooms
    found: dict[str, list[str]] = {}
    for path, text in sources.items():
        for node in nodes(text):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path)
    return [
        f"{name} is a class in {', '.join(paths)}"
        for name, paths in sorted(found.items())
        if len(paths) > 1
    ]


RULES: dict[Rule, Sources] = {
    the_map_is_the_tree: {"indexer/disk/other.py": ""},
    rooms_say_what_they_are: {"indexer/disk/__init__.py": '"""Something else."""'},
    imports_point_up_the_map: {
        "indexer/disk/walk.py": "def f():\n    from indexer.rows.rows import Index",
        "indexer/rows/rows.py": "",
    },
    pure_rooms_touch_no_disk: {"aurelius/compose/change.py": "def f():\n    import os"},
    only_what_stays_keeps_an_index_alive: {
        "aurelius/vault.py": "def f():\n    from indexer.live.live_index import Live"
    },
    a_class_name_stands_once: {
        "indexer/disk/walk.py": "class A: ...",
        "aurelius/vault.py": "class A: ...",
    },
}
MAP = tables(ARCHITECTURE)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps(rule: Rule) -> None:
    assert rule(product(), MAP) == []


@pytest.mark.parametrize(
    ("rule", "bad"), RULES.items(), ids=lambda each: getattr(each, "__name__", "broken")
)
def test_a_broken_rule_is_noticed(rule: Rule, bad: Sources) -> None:
    assert rule(bad, MAP)


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (
            imports_point_up_the_map,
            "indexer/rows/rows.py",
            "if TYPE_CHECKING:\n    from indexer.search.fusion import X",
        ),
        (
            imports_point_up_the_map,
            "aurelius/answers/doctor.py",
            "from aurelius.vault import Vault",
        ),
        (imports_point_up_the_map, "aurelius/vault.py", "from .plans import plan"),
        (imports_point_up_the_map, "aurelius/plans/plan.py", "import aurelius.show.text"),
        (imports_point_up_the_map, "aurelius/vault.py", "import aurelius.cli.commands.read"),
        (imports_point_up_the_map, "aurelius/vault.py", "from . import cli"),
        (imports_point_up_the_map, "aurelius/show/text.py", "from aurelius import __main__"),
        (
            imports_point_up_the_map,
            "indexer/note.py",
            "def f():\n    from aurelius.settings.config import load_config",
        ),
        (imports_point_up_the_map, "indexer/search/fusion.py", "import aurelius"),
        (pure_rooms_touch_no_disk, "indexer/reading/parse.py", "from os import path"),
    ],
)
def test_what_else_is_noticed(rule: Rule, path: str, text: str) -> None:
    assert len(rule({**dict.fromkeys(product(), ""), path: text}, MAP)) == 1
