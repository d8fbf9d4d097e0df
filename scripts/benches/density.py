"""How much of the product a reader has to unpack: tokens by room and a line, and what is packed.

Tokens are names, operators, numbers and strings: joining or splitting lines does not change their
number.  `tests/test_density.py` compares these figures with `tests/ratchet.json`, which holds what
still breaks a rule of the house and may only get shorter; `--ratchet` writes it anew.
"""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RATCHET = ROOT / "tests/ratchet.json"

MOST_TOKENS_A_LINE = 7.6
MOST_WAYS = 10
MOST_ARGUMENTS = 7

COUNTED = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
BRANCHES = (
    ast.If
    | ast.For
    | ast.While
    | ast.ExceptHandler
    | ast.IfExp
    | ast.comprehension
    | ast.Assert
    | ast.With
    | ast.match_case
)


class Source(NamedTuple):
    """What is counted in one file."""

    tokens: int
    rows: int
    functions: int
    ways: dict[str, int]
    nested: int
    packed: int
    conditionals: int
    crowded: int
    names: tuple[str, ...]


def measured(text: str) -> Source:
    """The figures of a source text: `rows` are its lines with a token, `ways` those of each
    function with more than `MOST_WAYS`, `names` what it defines at its top for others."""
    rows: dict[int, int] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in COUNTED:
            rows[token.start[0]] = rows.get(token.start[0], 0) + 1
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    ways = {node.name: ways_of(node) for node in functions}
    return Source(
        tokens=sum(rows.values()),
        rows=len(rows),
        functions=len(functions),
        ways={name: count for name, count in ways.items() if count > MOST_WAYS},
        nested=sum(isinstance(node, COMPREHENSIONS) and is_nested(node) for node in nodes),
        packed=sum(map(is_packed, nodes)),
        conditionals=sum(isinstance(node, ast.IfExp) for node in nodes),
        crowded=sum(map(is_crowded, nodes)),
        names=tuple(public_names(tree)),
    )


def ways_of(function: ast.AST) -> int:
    """Ways through a function: one, and one for each branch, loop, comprehension and operand of
    `and` and `or`."""
    count = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
    return count


def is_nested(node: ast.AST) -> bool:
    """Whether a comprehension has two loops, or holds another comprehension in its loop."""
    loops: list[ast.comprehension] = getattr(node, "generators", [])
    within = [part for loop in loops for part in ast.walk(loop)]
    return len(loops) > 1 or any(isinstance(part, COMPREHENSIONS) for part in within)


def is_packed(node: ast.AST) -> bool:
    """Whether a statement gives several names several values: `a, b = c, d`."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Tuple)
    )


def is_crowded(node: ast.AST) -> bool:
    """Whether a statement that holds no other has several conditional expressions."""
    if not isinstance(node, ast.stmt) or hasattr(node, "body"):
        return False
    return sum(isinstance(part, ast.IfExp) for part in ast.walk(node)) > 1


def public_names(tree: ast.Module) -> Iterable[str]:
    """Classes, functions and constants at the top of a module that others may use;
    `TYPE_CHECKING`, which stands in for `typing`'s own, is none of them."""
    for node in tree.body:
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            names = []
        yield from (name for name in names if not name.startswith("_") and name != "TYPE_CHECKING")


def product() -> dict[str, Source]:
    """Path below the project -> the figures of every file of both packages."""
    paths = sorted(path for name in ("aurelius", "indexer") for path in (ROOT / name).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): measured(path.read_text("utf-8")) for path in paths}


def twice(sources: Mapping[str, Source]) -> dict[str, list[str]]:
    """Public names that several modules define -> those modules."""
    where: dict[str, list[str]] = {}
    for path, source in sources.items():
        for name in dict.fromkeys(source.names):
            where.setdefault(name, []).append(path)
    return {name: paths for name, paths in sorted(where.items()) if len(paths) > 1}


def by_ruff() -> dict[str, list[str]]:
    """Functions that ruff counts more than `MOST_WAYS` ways through (C901) or more than
    `MOST_ARGUMENTS` arguments of (PLR0913), as `path name`."""
    asked = [
        *(sys.executable, "-m", "ruff", "check", "--isolated", "--select", "C901,PLR0913"),
        *("--config", f"lint.mccabe.max-complexity={MOST_WAYS}"),
        *("--config", f"lint.pylint.max-args={MOST_ARGUMENTS}"),
        *("--output-format", "json", "aurelius", "indexer"),
    ]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {"C901": [], "PLR0913": []}
    for each in json.loads(answer.stdout):
        path = Path(each["filename"]).relative_to(ROOT)
        line = path_line(path, each["location"]["row"])
        found[each["code"]].append(f"{path.as_posix()} {line}")
    return {code: sorted(set(places)) for code, places in found.items()}


def path_line(path: Path, row: int) -> str:
    """The name of the function that begins at a line of a file."""
    words = (ROOT / path).read_text("utf-8").splitlines()[row - 1].partition("(")[0]
    return words.split()[-1]


def figures(sources: Mapping[str, Source]) -> dict[str, Any]:
    """What the ratchet holds: totals, and what breaks a rule, by file or by name."""
    rows = sum(each.rows for each in sources.values())
    functions = sum(each.functions for each in sources.values())
    dense = {path: round(each.tokens / max(each.rows, 1), 2) for path, each in sources.items()}
    ways = sum(len(each.ways) for each in sources.values())
    conditionals = sum(each.conditionals for each in sources.values())
    tokens = sum(each.tokens for each in sources.values())
    return {
        "tokens": tokens,
        "tokens a line": round(tokens / rows, 2),
        "conditional expressions a thousand lines": round(1000 * conditionals / rows, 1),
        "functions with more than ten ways, in a hundred": round(100 * ways / functions, 1),
        "files with more tokens a line than the whole may have": {
            path: figure for path, figure in dense.items() if figure > MOST_TOKENS_A_LINE
        },
        "nested comprehensions": {
            path: each.nested for path, each in sources.items() if each.nested
        },
        "a, b = c, d": {path: each.packed for path, each in sources.items() if each.packed},
        "statements with several conditional expressions": {
            path: each.crowded for path, each in sources.items() if each.crowded
        },
        "public names defined twice": sorted(twice(sources)),
        **by_ruff(),
    }


def rooms(sources: Mapping[str, Source]) -> list[tuple[str, int, int, float]]:
    """Each room with its files, tokens and tokens a line."""
    table: dict[str, list[Source]] = {}
    for path, each in sources.items():
        table.setdefault(path.rpartition("/")[0], []).append(each)
    found = []
    for room, each in table.items():
        tokens = sum(one.tokens for one in each)
        rows = sum(one.rows for one in each)
        found.append((room, len(each), tokens, round(tokens / max(rows, 1), 2)))
    return found


def tables(*, ratchet: bool) -> list[tuple[str, list[list[str]]]]:
    """What `scripts/bench density` prints: a row a room, and the whole; with `ratchet` the file
    of what still breaks a rule is written anew."""
    sources = product()
    found = figures(sources)
    if ratchet:
        RATCHET.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    by_room = [["room", "files", "tokens", "a line"]]
    by_room += [
        [name, str(files), str(tokens), str(each)] for name, files, tokens, each in rooms(sources)
    ]
    whole = [["whole", "now"]]
    for name, value in found.items():
        whole.append([name, str(value if isinstance(value, int | float) else len(value))])
    return [("tokens by room", by_room), ("the whole", whole)]
