"""The house rules, kept by a machine: no cycles, one thing a line, who writes, who prints.

test_rooms.py has the order of rooms, test_density.py what may only get less.

Each rule is a function from sources (path -> text) to complaints, run twice: over the project, which
must give none, and over a made-up source that breaks it, which must give one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.reading_sources import (
    Sources,
    dotted,
    functions,
    identifiers,
    imports,
    name_of,
    nodes,
    product,
    prose,
    strings,
    tracked_texts,
)

Rule = Callable[[Sources], list[str]]

SURFACES = re.compile(r"aurelius/(__main__\.py|cli/)")
MOST_COMMAND = 40

SQL_WRITERS = {
    "indexer/rows/rows.py",
    "indexer/rows/schema.py",
    "indexer/catalog/visibility.py",
    "aurelius/answers/note_view.py",
}  # the last but one makes views of one connection, the last fills a file of its own
FILE_WRITERS = {
    "aurelius/importing/sqlite_tables.py": "a copy of another program's file, in a temporary folder",
    "aurelius/writing/safe_folder.py": "the names of one folder of the vault: made, moved, removed",
    "aurelius/writing/replace_file.py": "the bytes of a note, beside the note and then in its place",
    "aurelius/writing/other_programs.py": "displaced files and what is to be told of them, outside the notes",
    "aurelius/writing/append.py": "appends to a note",
    "aurelius/writing/append_journal.py": "the journal of appends, outside the vault",
    "aurelius/writing/undo_log.py": "the previous bytes of notes, outside the vault",
    "aurelius/writing/git.py": "a git folder of our own, outside the vault; leads to the person's branches and logs",
    "aurelius/sync/repository.py": "a copy of git's index for a dry run, in a git folder of our own",
    "aurelius/writing/git_folder.py": "copies what a split index is made up of there",
    "aurelius/writing/init.py": "init copies the starting notes, and never over a file",
    "aurelius/writing/own_files.py": "small files that are no notes: written whole beside their place, then put there",
    "aurelius/writing/forget.py": "adds a line to .aureliusignore, which is no note",
    "aurelius/cli/commands/doors.py": "answers a client on the stdout of the process, which is kept for it alone",
    "aurelius/answers/leftovers.py": "removes indexes and empty folders of vaults that are gone, outside every vault",
    "aurelius/cli/run.py": "a broken pipe is pointed at the null device",
    "aurelius/daemon/server.py": "makes the socket, or the file that names the port, and its folder",
    "aurelius/daemon/control.py": "makes the daemon's folder, and keeps there what a start in the background says",
    "aurelius/daemon/install.py": "writes and removes what starts the daemon at login, when the person says so",
    "aurelius/cli/commands/daemon.py": "the daemon's log",
    "aurelius/daemon/loop.py": "the daemon's folder, lock and pid",
    "aurelius/agents/deadline.py": "opens the null device",
    "aurelius/agents/session.py": "what sessions of client programs were shown, in the user's state folder",
    "aurelius/memory/apart.py": "the pipe between two processes of ours, through which one answers the other",
    "aurelius/ageing/usage_log.py": "the usage log, and the name of this device in the user's state folder",
    "indexer/rows/lock.py": "the files that are locked, beside the index",
    "indexer/rows/schema.py": "opens, replaces and sets aside index files",
    "indexer/refresh/refresh.py": "makes the index's folder and removes an index that was replaced",
}

BANNED_MODULES = {"utils", "util", "helpers", "helper", "common", "misc", "models", "base", "core"}
BANNED_SUFFIXES = (
    "Manager",
    "Service",
    "Repository",
    "Factory",
    "Provider",
    "Runner",
    "Handler",
    "Helper",
    "Util",
)

# The rules


def no_cycles(sources: Sources) -> list[str]:
    """Neither at module level, nor inside functions, nor for types."""
    modules = {name_of(path): path for path in sources if not path.endswith("__init__.py")}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        names = imports(path, sources[path], lazy=True, types=True)
        graph[module] = {name for name in names if name in modules and name != module}
    return [
        f"{module} imports itself, through {', '.join(sorted(graph[module]))}"
        for module in sorted(graph)
        if module in reached(graph, module)
    ]


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """What a module imports, itself or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def small_commands(sources: Sources) -> list[str]:
    """A command is arguments -> one call -> render."""
    return [
        f"{path}:{node.lineno} the command {node.name} has a body of {lines} lines, at most {MOST_COMMAND}"
        for path, text in sources.items()
        if path.startswith("aurelius/cli/")
        for node, lines in functions(text)
        if [each.arg for each in node.args.args] == ["args", "context"] and lines > MOST_COMMAND
    ]


def names_say_what(sources: Sources) -> list[str]:
    """No drawer names, no classes that end in a pattern's name."""
    complaints = [f"{path} is a drawer" for path in sources if Path(path).stem in BANNED_MODULES]
    for path, text in sources.items():
        for line, name in identifiers(text):
            if name[:1].isupper() and name.endswith(BANNED_SUFFIXES):
                complaints.append(f"{path}:{line} {name} is named after a pattern")
    return complaints


WRITING_SQL = re.compile(
    r"\b(insert\s+(or\s+\w+\s+)?into|update\s+[\w{}]+\s+set|delete\s+from|replace\s+into|"
    r"(create|drop|alter)\s+(virtual\s+|temp\s+|unique\s+)*(table|index|trigger|view)|vacuum|begin\s+immediate)\b",
    re.IGNORECASE,
)


def sql_that_writes(sources: Sources) -> list[str]:
    return [
        f"{path}:{line} writes rows"
        for path, text in sources.items()
        if path not in SQL_WRITERS
        for line, value in strings(text)
        if WRITING_SQL.search(value)
    ]


ANY_SQL = re.compile(r"\bselect\s.+\sfrom\s|\bpragma\s+\w", re.IGNORECASE | re.DOTALL)
SQL_OF_AURELIUS = {
    "aurelius/answers/note_view.py",  # the table of the file that it makes, none of the index
    "aurelius/importing/sqlite_tables.py",  # the tables of other programs' files
}


def sql_in_aurelius(sources: Sources) -> list[str]:
    """Only `indexer` knows the tables of the index: what aurelius needs of them is a function there."""
    return [
        f"{path}:{line} asks the index in SQL"
        for path, text in sources.items()
        if path.startswith("aurelius/") and path not in SQL_OF_AURELIUS
        for line, value in strings(text)
        if ANY_SQL.search(value) or WRITING_SQL.search(value)
    ]


EVERY_ROW = re.compile(
    r"\b(from|join)\s+(main\.)?(note|failed)\b|^(note|failed)\s+where\b", re.IGNORECASE
)
SEE_EVERY_ROW = ("indexer/rows/", "indexer/refresh/", "indexer/catalog/visibility.py")


def answers_read_views(sources: Sources) -> list[str]:
    """A query for an answer reads `visible_note` and `visible_failed`, which hide what an agent may
    not see; only what compares the index with the files reads the tables themselves."""
    return [
        f"{path}:{line} reads notes that nobody may be allowed to see"
        for path, text in sources.items()
        if path.startswith("indexer/") and not path.startswith(SEE_EVERY_ROW)
        for line, value in strings(text)
        if EVERY_ROW.search(value)
    ]


WRITING_CALLS = {
    "os": {
        "chmod",
        "chown",
        "ftruncate",
        "link",
        "makedirs",
        "mkdir",
        "mkfifo",
        "pwrite",
        "remove",
        "removedirs",
        "rename",
        "renames",
        "replace",
        "rmdir",
        "symlink",
        "truncate",
        "unlink",
        "utime",
        "write",
    },
    "shutil": {"copy", "copy2", "copyfile", "copytree", "move", "rmtree"},
}
WRITING_METHODS = {"write_text", "write_bytes", "touch", "symlink_to", "hardlink_to"}


def writes_files(call: ast.Call) -> bool:
    """Whether a call makes, changes, moves or removes a file, as far as its words show."""
    name = dotted(call.func)
    module, _, last = name.rpartition(".")
    if name in {"open", "io.open", "codecs.open", "os.fdopen"}:
        modes = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "mode")]
        return any(
            not isinstance(mode, ast.Constant) or set(str(mode.value)) & set("wax+")
            for mode in modes
        )
    if name == "os.open":
        return any(
            flag in ast.unparse(call)
            for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC")
        )
    return last in WRITING_CALLS.get(module, WRITING_METHODS if module else ())


def files_are_written(sources: Sources) -> list[str]:
    return [
        f"{path}:{node.lineno} {dotted(node.func)} writes a file"
        for path, text in sources.items()
        if path not in FILE_WRITERS
        for node in nodes(text)
        if isinstance(node, ast.Call) and writes_files(node)
    ]


PROCESS = {
    "print",
    "input",
    "breakpoint",
    "exit",
    "quit",
    "os.getcwd",
    "os.environ",
    "os.getenv",
    "os.putenv",
    "os.chdir",
    "os.path.abspath",
    "sys.stdout",
    "sys.stderr",
    "sys.stdin",
    "sys.argv",
    "sys.exit",
    "Path.cwd",
    "Path.home",
    "logging",
    "warnings.warn",
}
PROCESS_ALLOWED = {
    ("aurelius/settings/starting_notes.py", "os.path.abspath"): "the folder of the package itself",
    (
        "aurelius/api.py",
        "os.environ",
    ): "Vault.open, by which a program opens the vault that a command would use",
    ("aurelius/api.py", "os.getcwd"): "the same",
}


def process_is_asked(sources: Sources) -> list[str]:
    """Only surfaces print, read the environment or ask where they are."""
    return [
        f"{path}:{node.lineno} {dotted(node)} belongs in a surface"
        for path, text in sources.items()
        if not SURFACES.match(path)
        for node in nodes(text)
        if isinstance(node, ast.Name | ast.Attribute)
        and dotted(node) in PROCESS
        and (path, dotted(node)) not in PROCESS_ALLOWED
    ]


MACHINE = re.compile(
    r"(?<![\w.~>}])/(?:(?:work|root|tmp|opt|private/var)/[\w.]|(?:home|Users)/(?!joe\b|you\b|me\b)\w)|[A-Z]:\\+Users\\+(?!joe\b|you\b|me\b)\w"
    r"|\bpypi\.org|\bregistry\.npmjs|\bpythonhosted\b"
)


OUTSIDE = {"tests/cases/memory_tool.toml", "tests/cases/held/chat/injected.toml"}
"""Calls for paths outside of every vault, which are to be refused."""


def machine_paths(texts: Sources) -> list[str]:
    """A tracked file names no folder of somebody's machine and no registry host."""
    return [
        f"{path}:{number} {found[0]}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if path not in OUTSIDE and (found := MACHINE.search(line))
    ]


PUT_OFF = re.compile(
    r"#.*\b(TODO|FIXME|XXX|HACK)\b|mark\.(skip|xfail)\b|pytest\.(skip|xfail|importorskip)\b"
)  # in comments alone: a task in somebody's notes may well begin with such a word
UNREASONED = re.compile(
    r"#\s*type:\s*ignore(\[[\w, -]+\])?\s*$"
    r"|#\s*noqa(?!: S608\b)(:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*)?\s*$"  # S608: SQL of our own words, every value bound
)


def put_off(texts: Sources) -> list[str]:
    """Nothing is left for later, skipped, or silenced without saying why: there, or in a comment
    on the line above."""
    complaints = []
    for path, text in texts.items():
        if not path.endswith(".py") and not path.startswith("scripts/"):
            continue
        if path == "tests/test_architecture.py" or path.startswith("tests/cases/"):
            continue
        above = ""
        for number, line in enumerate(text.splitlines(), 1):
            is_silenced = UNREASONED.search(line) and not above.startswith("#")
            if PUT_OFF.search(line) or is_silenced:
                complaints.append(f"{path}:{number} {line.strip()}")
            above = line.strip()
    return complaints


MOST_COLUMNS = 100


def lines_are_short(sources: Sources) -> list[str]:
    """At most 100 columns, and the formatter passes nothing over."""
    return [
        f"{path}:{number} {len(line)} columns"
        for path, text in sources.items()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > MOST_COLUMNS or "# fmt:" in line
    ]


PAPER = re.compile(
    r"\b(?:[Dd]esign|[Rr]eliability|[Rr]equirements?|[Rr]esearch) §|§ ?\d|\b[Rr](?:equirement|eliability)s? [A-Z]-?\d"
    r"|\b[Ii]ssue (?:item )?\d|\b[PT]-[A-Z]\d?\b"
    r"|(?<![\w\[%/.\\-])(?!C[01]\b)[A-FIKO-PR-T]\d{1,2}\b(?!:\d)"  # C0 and C1 are the control characters
)


def no_paper_outside_is_named(texts: Sources) -> list[str]:
    """A reason stands in a sentence, not as the number of a paper that the repository does not hold."""
    return [
        f"{path}:{number} {found[0]}"
        for path, text in texts.items()
        if path.endswith((".py", ".md", ".txt")) or path.startswith("scripts/")
        if PAPER.search(text)
        for number, line in prose(path, text)
        if (found := PAPER.search(line))
    ]


DEADLINE = re.compile(r"\bsettings\([^()]*\bdeadline=")


def no_test_has_a_deadline(texts: Sources) -> list[str]:
    """One profile, loaded in tests/conftest.py, lets every example take as long as it takes."""
    profile = texts.get("tests/conftest.py", "")
    loaded = "deadline=None" in profile and "load_profile(" in profile
    return [
        f"{path} {'sets a deadline of its own' if loaded else 'has examples with a deadline'}"
        for path, text in texts.items()
        if path.startswith("tests/")
        and path.endswith(".py")
        and path not in {"tests/conftest.py", "tests/test_architecture.py"}
        if DEADLINE.search(text) or ("@given(" in text and not loaded)
    ]


HELP = {
    "aurelius/agents/calls.py",
    "aurelius/agents/mcp.py",
    "aurelius/agents/memory_tool.py",
    "aurelius/cli/app.py",
    "aurelius/cli/declarations.py",
    "aurelius/cli/options.py",
    "aurelius/importing/basic_memory.py",
    "aurelius/importing/keep.py",
    "aurelius/memory/context.py",
}
TALKING = ("aurelius/web/", "aurelius/chat/")
"""Rooms that speak in sentences."""
SENTENCE = re.compile(r"[A-Z][a-z]* [^\n]*[a-z]|[a-z][^\n]* [^\n]*[a-z)]\.")


def one_voice(sources: Sources) -> list[str]:
    """What a person is told begins small and ends without a full stop; help texts are sentences, and titles titles."""
    complaints = []
    for path, text in sources.items():
        parts = {
            id(part)
            for node in nodes(text)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        docs = {id(node.value) for node in nodes(text) if isinstance(node, ast.Expr)}
        for node in nodes(text) if path not in HELP and not path.startswith(TALKING) else ():
            if isinstance(node, ast.JoinedStr):
                whole = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "x"
                    for part in node.values
                )
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and not {id(node)} & (parts | docs)
            ):
                whole = node.value
            else:
                continue
            if SENTENCE.fullmatch(whole):
                complaints.append(f"{path}:{node.lineno} {whole}")
    return complaints


MOST_BY_POSITION = 5


def records_by_keyword(sources: Sources) -> list[str]:
    """A record of more fields than a reader counts is built with the names of its fields."""
    large = {
        node.name
        for text in sources.values()
        for node in nodes(text)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("NamedTuple") for base in node.bases)
        and sum(isinstance(line, ast.AnnAssign) for line in node.body) > MOST_BY_POSITION
    }
    complaints = []
    for path, text in sources.items():
        for node in nodes(text):
            if not isinstance(node, ast.Call) or len(node.args) <= MOST_BY_POSITION:
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in large:
                complaints.append(f"{path}:{node.lineno} {name} by position")
    return complaints


OVER_SOURCES: dict[Rule, Sources] = {
    no_cycles: {
        "indexer/a.py": "from . import b",
        "indexer/b.py": "def f():\n    from indexer.a import x",
    },
    small_commands: {
        "aurelius/cli/a.py": "def f(args, context):\n" + "    x = 1\n" * (MOST_COMMAND + 1)
    },
    lines_are_short: {"indexer/a.py": "x = " + "1" * MOST_COLUMNS},
    names_say_what: {"indexer/a.py": "class NoteManager: pass"},
    sql_that_writes: {"aurelius/a.py": "q = f'DELETE  FROM {table}'"},
    sql_in_aurelius: {"aurelius/a.py": "db.execute('SELECT path, size FROM note')"},
    answers_read_views: {
        "indexer/search/a.py": "q = 'SELECT id FROM chunk JOIN' ' note ON note.id = 1'"
    },
    files_are_written: {"aurelius/a.py": "open(path, mode='ab')"},
    process_is_asked: {"aurelius/a.py": "import os\ndef f():\n    return os.environ['HOME']"},
    records_by_keyword: {
        "indexer/a.py": "class A(NamedTuple):\n"
        + "".join(f"    x{number}: int\n" for number in range(6))
        + "A(1, 2, 3, 4, 5, 6)"
    },
    one_voice: {"indexer/a.py": "raise UsageError('The index is gone')"},
}
OVER_TEXTS: dict[Rule, Sources] = {
    machine_paths: {"README.md": "see /ho" + "me/bob/notes"},
    put_off: {"indexer/a.py": "x = 1  # TO" + "DO later"},
    no_paper_outside_is_named: {"indexer/a.py": '"""A walk (de' + 'sign §4)."""'},
    no_test_has_a_deadline: {"tests/test_a.py": "@given(text())\ndef test_a(text): pass"},
}


@pytest.mark.parametrize("rule", OVER_SOURCES, ids=lambda rule: rule.__name__)
def test_the_sources_keep(rule: Rule) -> None:
    assert len(product()) > 10
    assert rule(product()) == []


@pytest.mark.parametrize("rule", OVER_TEXTS, ids=lambda rule: rule.__name__)
def test_every_tracked_file_keeps(rule: Rule) -> None:
    assert "pyproject.toml" in tracked_texts()
    assert rule(tracked_texts()) == []


@pytest.mark.parametrize(
    ("rule", "bad"),
    [*OVER_SOURCES.items(), *OVER_TEXTS.items()],
    ids=lambda each: getattr(each, "__name__", "broken"),
)
def test_a_rule_that_is_broken_complains(rule: Rule, bad: Sources) -> None:
    assert len(rule(bad)) >= 1


@pytest.mark.parametrize(
    ("rule", "path", "line"),
    [
        (names_say_what, "indexer/utils.py", ""),
        (
            sql_that_writes,
            "indexer/search/search.py",
            "q = 'insert or replace into note values(?)'",
        ),
        (sql_that_writes, "indexer/search/search.py", "q = 'CREATE VIRTUAL TABLE x USING fts5(y)'"),
        (sql_in_aurelius, "aurelius/cli/a.py", "q = f'select 1\\nfrom {table} LIMIT 1'"),
        (answers_read_views, "indexer/live/a.py", "q = f'select {name} from main.failed'"),
        (answers_read_views, "indexer/catalog/a.py", "hidden = 'note WHERE private'"),
        (files_are_written, "indexer/a.py", "import os; os.unlink(path)"),
        (files_are_written, "indexer/a.py", "path.write_text('x')"),
        (files_are_written, "indexer/a.py", "import os; os.open(path, os.O_RDONLY | os.O_CREAT)"),
        (files_are_written, "indexer/a.py", "open(path, mode)"),
        (process_is_asked, "indexer/a.py", "print('x')"),
        (process_is_asked, "aurelius/show/text.py", "import sys; sys.stdout.write('x')"),
        (one_voice, "aurelius/vault.py", "tell(f'{count} notes are gone.')"),
        (put_off, "tests/a.py", "@pytest.mark" + ".skip"),
        (put_off, "indexer/a.py", "x = f()  # type: " + "ignore[arg-type]"),
        (put_off, "indexer/a.py", "import os  # no" + "qa: F401"),
        (machine_paths, "scripts/a", "cd /wo" + "rk/main"),
        (no_paper_outside_is_named, "aurelius/vault.py", "# the newest stays (R" + "9)"),
        (
            no_paper_outside_is_named,
            "aurelius/vault.py",
            "raise UsageError('no such day: P" + "6')",
        ),
        (no_paper_outside_is_named, "tests/test_a.py", '"""A' + '5, A10: nothing is silent."""'),
        (no_paper_outside_is_named, "tests/test_a.py", "assert x, 'K" + "23: counted'"),
        (no_paper_outside_is_named, "tests/test_a.py", "x = 1  # D" + "33"),
        (no_paper_outside_is_named, "tests/transcripts/a.txt", "# an answer says so (P" + "6)"),
        (no_paper_outside_is_named, "scripts/a", "# see is" + "sue 4"),
        (no_paper_outside_is_named, "README.md", "as requirement A" + "18 has it"),
        (no_paper_outside_is_named, "indexer/a.py", "# what is hot stays (P" + "-K)"),
    ],
)
def test_what_else_is_noticed(rule: Rule, path: str, line: str) -> None:
    assert len(rule({path: line})) == 1


@pytest.mark.parametrize(
    ("rule", "path", "line"),
    [
        (sql_that_writes, "indexer/search/search.py", "q = 'SELECT path FROM note'"),
        (
            sql_that_writes,
            "indexer/search/search.py",
            "def f():\n    '''Never says delete from.'''",
        ),
        (sql_in_aurelius, "indexer/a.py", "q = 'SELECT path FROM note'"),
        (sql_in_aurelius, "aurelius/a.py", "tell('select a note')"),
        (answers_read_views, "indexer/rows/rows.py", "q = 'SELECT path FROM note'"),
        (answers_read_views, "indexer/catalog/a.py", "q = 'SELECT rowid FROM note_fts'"),
        (answers_read_views, "indexer/catalog/a.py", "q = 'SELECT path FROM visible_note AS note'"),
        (files_are_written, "indexer/a.py", "open(path, 'rb')"),
        (process_is_asked, "aurelius/cli/run.py", "print('x')"),
        (one_voice, "indexer/a.py", "tell('NUL bytes are read as spaces')"),
        (put_off, "indexer/a.py", "x = f()  # type: ignore[arg-type] the stub is wrong"),
        (machine_paths, "README.md", "cd ~/vault/notes"),
        (
            no_paper_outside_is_named,
            "indexer/a.py",
            "HEX = '[a-fA-F0-9]'  # BM25, SHA256, UTF-8, C0 controls, Q1 2026",
        ),
        (
            no_paper_outside_is_named,
            "indexer/a.py",
            "import os  # noqa: S608  # a condition of our own",
        ),
        (
            no_paper_outside_is_named,
            "tests/test_a.py",
            "day = '2026-02-01T12:00'; note = 'on A4 paper (B12)'",
        ),
        (no_paper_outside_is_named, "tests/transcripts/a.txt", "$ aurelius add 'B12 is low'"),
    ],
)
def test_what_is_allowed(rule: Rule, path: str, line: str) -> None:
    assert rule({path: line}) == []


def test_the_exceptions_are_still_needed() -> None:
    for path in FILE_WRITERS:
        assert any(
            isinstance(node, ast.Call) and writes_files(node) for node in nodes(product()[path])
        )
    for path in SQL_WRITERS:
        assert any(WRITING_SQL.search(value) for _, value in strings(product()[path]))
    for path, name in PROCESS_ALLOWED:
        assert any(dotted(node) == name for node in nodes(product()[path]))
