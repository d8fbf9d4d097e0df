"""Readers of the project's own source text, shared by the tests of its architecture and of its rooms."""

from __future__ import annotations

import ast
import functools
import io
import subprocess
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Sources = Mapping[str, str]
"""Path below the project -> text."""


def tracked() -> list[str]:
    """Every file under version control, or every file where there is no git."""
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True)
    if done.returncode == 0:
        return [path for path in done.stdout.splitlines() if (ROOT / path).is_file()]
    skip = {".venv", "__pycache__", ".git"}
    return [
        p.relative_to(ROOT).as_posix()
        for p in ROOT.rglob("*")
        if p.is_file() and not skip & set(p.parts)
    ]


@functools.cache
def product() -> Sources:
    """The Python of both packages."""
    paths = [path for package in ("aurelius", "indexer") for path in (ROOT / package).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


@functools.cache
def tracked_texts() -> Sources:
    """Every text that is tracked, the weights, the pictures and the stand-in vaults aside."""
    aside = ("indexer/model/", "tests/vaults/", "scripts/pictures/")
    return {
        path: (ROOT / path).read_text("utf-8") for path in tracked() if not path.startswith(aside)
    }


@functools.cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def name_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@functools.cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Every node of a source, as `ast.walk` gives them."""
    return tuple(ast.walk(parsed(text)))


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def statements(tree: ast.AST, *, lazy: bool, types: bool) -> Iterator[ast.AST]:
    """Every statement below `tree`; `lazy` goes into functions, `types` into `if TYPE_CHECKING:`."""
    waiting = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.expr) or (is_for_types(node) and not types):
                continue
            yield node
            if lazy or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                waiting.append(node)


@functools.cache
def imports(path: str, text: str, *, lazy: bool, types: bool) -> tuple[str, ...]:
    """The dotted names a module imports; relative ones resolved, `from a import b` as both a and a.b."""
    package = (
        name_of(path).split(".") if path.endswith("__init__.py") else name_of(path).split(".")[:-1]
    )
    found: list[str] = []
    for node in statements(parsed(text), lazy=lazy, types=types):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            found += [start, *(f"{start}.{alias.name}" for alias in node.names)]
    return tuple(found)


def functions(text: str) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
    """Every function with the number of lines of its body, docstring not counted."""
    for node in nodes(text):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            yield node, (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def identifiers(text: str) -> Iterator[tuple[int, str]]:
    """Every name that a module gives: modules, classes, functions, arguments, variables, attributes."""
    for node in nodes(text):
        match node:
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                yield node.lineno, name
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                yield node.lineno, name


def strings(text: str) -> Iterator[tuple[int, str]]:
    """Every string and f-string that is not a docstring, f-string values left out."""
    docs = {
        id(node.value)
        for node in nodes(text)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes(text):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def dotted(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def prose(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Each line that a person reads as prose: of tests, what is no data."""
    if path.startswith("tests/") and not path.endswith(".py"):
        yield from (
            (number, line)
            for number, line in enumerate(text.splitlines(), 1)
            if line.startswith("#")
        )
        return
    if not path.endswith(".py") or not path.startswith("tests/"):
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in nodes(text):
        said = (
            node.value
            if isinstance(node, ast.Expr)
            else node.msg
            if isinstance(node, ast.Assert)
            else None
        )
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            yield from enumerate(said.value.splitlines(), said.lineno)
