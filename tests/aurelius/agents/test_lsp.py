"""The language server as an editor meets it: a process of its own, asked by pygls' own client over its pipes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

ROOT = Path(__file__).resolve().parents[3]
NOTES = {
    "people/joe.md": "---\naliases: [Joey]\n---\n# Joe Bloggs\n\n## Summary\n\nA friend. ![x](http://load.me/x.png)\n\n"
    "## Facts\n- Lives in Rome (2026-02-01, updates ^paris1) ^rome01\n- Drinks tea (2026-01-02) ^tea001\n\n"
    "## History\n- ~~Lives in Paris~~ (2025-01-01) ^paris1\n",
    "work/joe.md": "# Another\n",
    "ann.md": "# Ann\n\n\U0001f600\u2028x [[people/joe]] and [[Joey#^tea001|tea]]\n\n## Facts\n- Likes boats\n",
    "broken.md": "# Broken\n\nsee [[people/joe#Nowhere]] and [[unwritten]]\n",
    "diary.md": "---\nprivate: true\naliases: [Quetzalcoatl]\n---\n# Quetzal diary\n\n[[people/joe]]\n\n## Facts\n"
    "- Hides a quetzal (2026-01-01) ^quetz1\n",
    "odd.md": "# Odd\n\n[[no\u202ething]]\n",
}


class Editor:
    """An editor with a server: opens texts, asks about places in them."""

    def __init__(self, root: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.root, self.loop, self.client = root, loop, LanguageClient("tests", "1")
        self.marked: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.version = 0
        self.told = lsp.ServerCapabilities()

        def mark(params: lsp.PublishDiagnosticsParams) -> None:
            self.marked.put_nowait(params)

        register: Any = self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        register(mark)

    def uri(self, path: str) -> str:
        return from_fs_path(str(self.root / path)) or ""

    def start(self, env: dict[str, str]) -> None:
        async def begin() -> None:
            line = [sys.executable, "-m", "aurelius", "lsp", "--now", "2026-02-10"]
            await self.client.start_io(line[0], *line[1:], cwd=self.root, env=env)
            told = await self.client.initialize_async(
                lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=self.uri(""))
            )
            self.told = told.capabilities
            self.client.initialized(lsp.InitializedParams())

        self.loop.run_until_complete(asyncio.wait_for(begin(), 60))

    def stop(self) -> None:
        async def end() -> None:
            await self.client.shutdown_async(None)
            self.client.exit(None)
            stop: Callable[[], Any] = self.client.stop
            await stop()

        self.loop.run_until_complete(asyncio.wait_for(end(), 60))

    def open(self, path: str, text: str | None = None) -> list[lsp.Diagnostic]:
        """Open a note, with another text than it has where one is given; what is marked in it."""
        self.version += 1
        text = (self.root / path).read_text("utf-8") if text is None else text
        item = lsp.TextDocumentItem(self.uri(path), "markdown", self.version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        told = self.loop.run_until_complete(asyncio.wait_for(self.marked.get(), 60))
        assert told.uri == self.uri(path)
        return list(told.diagnostics)

    def change(self, path: str, text: str) -> None:
        self.version += 1
        there = lsp.VersionedTextDocumentIdentifier(self.version, self.uri(path))
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(there, [whole]))

    def ask(self, what: str, path: str, line: int, character: int, **more: Any) -> Any:
        kind = {
            "completion": lsp.CompletionParams,
            "hover": lsp.HoverParams,
            "definition": lsp.DefinitionParams,
            "references": lsp.ReferenceParams,
        }[what]
        if what == "references":
            more["context"] = lsp.ReferenceContext(include_declaration=False)
        place = lsp.Position(line, character)
        params = kind(
            text_document=lsp.TextDocumentIdentifier(self.uri(path)), position=place, **more
        )
        call = getattr(self.client, f"text_document_{what}_async")
        return self.loop.run_until_complete(asyncio.wait_for(call(params), 60))

    def places(self, found: Any) -> list[tuple[str, int]]:
        every = found if isinstance(found, list | tuple) else [found] if found else []
        return [
            (each.uri.removeprefix(self.uri("") + "/"), each.range.start.line) for each in every
        ]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    top = tmp_path_factory.mktemp("lsp")
    root = top / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    (root / ".aurelius").mkdir()
    loop = asyncio.new_event_loop()
    there = Editor(root, loop)
    there.start(
        {
            "HOME": str(top),
            "AURELIUS_INDEX": str(top / "index"),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "AURELIUS_NO_DAEMON": "1",
        }
    )
    yield there
    there.stop()
    loop.close()


Complete = Callable[[str, str], list[tuple[str, str]]]


@pytest.fixture
def complete(editor: Editor) -> Complete:
    """What is offered where `|` stands in an unsaved text of a note: labels, and the line once it is taken."""

    def run(path: str, text: str) -> list[tuple[str, str]]:
        before, _, behind = text.partition("|")
        editor.open(path, before + behind)
        line = before.count("\n")
        start = before.rpartition("\n")[2]
        column = len(start.encode("utf-16-le")) // 2
        found = []
        for each in editor.ask("completion", path, line, column).items:
            edit = each.text_edit
            assert edit.range.end == lsp.Position(line, column)
            units = (start + behind.partition("\n")[0]).encode("utf-16-le")
            first, last = edit.range.start.character * 2, edit.range.end.character * 2
            made = (
                units[:first].decode("utf-16-le") + edit.new_text + units[last:].decode("utf-16-le")
            )
            found.append((each.label, made))
        return found

    return run


def test_names_and_aliases_are_completed_with_the_shortest_link(complete: Complete) -> None:
    assert complete("ann.md", "\U0001f600 see [[jo|") == [
        ("Joe Bloggs", "\U0001f600 see [[people/joe]]"),
        ("Joey", "\U0001f600 see [[people/joe|Joey]]"),
        ("joe", "\U0001f600 see [[people/joe]]"),
        ("joe", "\U0001f600 see [[work/joe]]"),
    ]
    assert complete("ann.md", "# A\n[[brok|]] end") == [
        ("Broken", "[[broken]] end"),
        ("broken", "[[broken]] end"),
    ]
    begun = [label for label, _ in complete("ann.md", "[[b|")]
    assert begun == ["Broken", "broken", "Joe Bloggs"], "names that begin with it stand first"
    assert complete("ann.md", "see [[Joe B|") == [("Joe Bloggs", "see [[people/joe]]")]
    assert complete("ann.md", "no link: jo|") == []


def test_the_server_is_asked_again_at_a_space_for_names_have_them(editor: Editor) -> None:
    told = editor.told.completion_provider
    assert told is not None
    assert set(told.trigger_characters or ()) == {"[", "^", " "}


def test_ids_are_completed(complete: Complete) -> None:
    assert complete("ann.md", "[[Joey#^|]]") == [
        ("^rome01", "[[Joey#^rome01]]"),
        ("^tea001", "[[Joey#^tea001]]"),
        ("^paris1", "[[Joey#^paris1]]"),
    ]
    assert complete("ann.md", "because ^te|") == [("^tea001", "because ^tea001")]


def test_private_notes_are_not_offered(complete: Complete, editor: Editor) -> None:
    assert (
        complete("ann.md", "[[quetz|")
        == complete("ann.md", "[[diar|")
        == complete("ann.md", "^quetz|")
        == []
    )
    editor.open("ann.md", "[[diary]] ^quetz1 [[diary#^quetz1]]")
    for column in (3, 12, 30):
        for what in ("hover", "definition"):
            assert editor.ask(what, "ann.md", 0, column) is None
    for name in (
        "Quetzal diary",
        "quetzal diary",
        "Quetzalcoatl",
        "diary.md",
        "Quetzal",
        "diry",
        "Quetzal dairy",
    ):
        editor.open("ann.md", f"[[{name}]]")
        for what in ("hover", "definition"):
            assert editor.ask(what, "ann.md", 0, 3) is None, name
    assert editor.open("diary.md") == []
    assert editor.ask("hover", "diary.md", 9, 5) is None, "nor what its own lines state"


def test_what_a_link_and_a_fact_are_is_shown(editor: Editor) -> None:
    editor.open("ann.md")
    seen = editor.ask("hover", "ann.md", 2, 8).contents
    assert seen.kind == lsp.MarkupKind.PlainText, "Markdown could load what it names"
    assert (
        seen.value
        == "Joe Bloggs (person), warm, people/joe.md\n\nA friend. ![x](http://load.me/x.png)"
    )
    tea = editor.ask("hover", "ann.md", 2, 30).contents.value
    assert tea == "fact, cold\n2026-01-02 → now         Drinks tea  people/joe.md:12  [id:tea001]"
    editor.open("people/joe.md", "a line that is not saved\n" + NOTES["people/joe.md"])
    rome = editor.ask("hover", "people/joe.md", 11, 5).contents.value.splitlines()
    assert rome[0] == "fact, warm"
    assert ["Lives in Paris" in rome[1], "Lives in Rome" in rome[2], len(rome)] == [True, True, 3]
    assert editor.ask("hover", "people/joe.md", 0, 5) is None


def test_links_and_ids_are_gone_to(editor: Editor) -> None:
    editor.open("ann.md")
    assert editor.places(editor.ask("definition", "ann.md", 2, 8)) == [("people/joe.md", 0)]
    assert editor.places(editor.ask("definition", "ann.md", 2, 30)) == [("people/joe.md", 11)]
    assert editor.places(editor.ask("definition", "ann.md", 2, 3)) == []
    editor.open("ann.md", "[[joe]] [[Joe Bloggs#History]] [[#Facts]] ^rome01 ^none\n")
    places = [
        editor.places(editor.ask("definition", "ann.md", 0, column)) for column in (12, 34, 44, 52)
    ]
    assert places == [[("people/joe.md", 13)], [("ann.md", 4)], [("people/joe.md", 10)], []]


def test_what_links_here_is_listed(editor: Editor) -> None:
    editor.open("people/joe.md")
    here = [("ann.md", 2), ("broken.md", 2)]  # a line with two links stands once
    assert editor.places(editor.ask("references", "people/joe.md", 3, 0)) == here
    editor.open("ann.md")
    assert editor.places(editor.ask("references", "ann.md", 2, 8)) == here
    assert editor.places(editor.ask("references", "ann.md", 2, 30)) == [("ann.md", 2)]


def test_what_doctor_finds_is_marked_and_gone_once_it_is_mended(editor: Editor) -> None:
    marks = editor.open("broken.md")
    assert [
        (each.code, each.severity, each.range.start.line, each.range.end.character)
        for each in marks
    ] == [
        ("broken-heading", lsp.DiagnosticSeverity.Warning, 2, 44),
        ("unwritten", lsp.DiagnosticSeverity.Information, 2, 44),
    ]
    assert "no heading 'Nowhere'\n" in marks[0].message
    assert "\u202e" not in editor.open("odd.md")[0].message, "what turns text around is shown"
    (editor.root / "broken.md").write_text("# Broken\n", "utf-8")
    try:
        assert editor.open("broken.md") == []
    finally:
        (editor.root / "broken.md").write_text(NOTES["broken.md"], "utf-8")


def test_a_text_comes_whole_and_places_are_counted_as_editors_count(editor: Editor) -> None:
    assert editor.told.position_encoding in {None, "utf-16"}
    sync = editor.told.text_document_sync
    assert isinstance(sync, lsp.TextDocumentSyncOptions)
    assert sync.change == lsp.TextDocumentSyncKind.Full, (
        "pygls applies parts to lines that are none"
    )
    editor.open("ann.md", "# Ann\n")
    editor.change("ann.md", "# Ann\n\u2028\x0c\U0001f600 [[broken]]\n")
    assert editor.places(editor.ask("definition", "ann.md", 1, 14)) == [("broken.md", 0)]
    assert editor.places(editor.ask("definition", "ann.md", 1, 4)) == []


def test_odd_places_and_files_are_answered_with_nothing(editor: Editor) -> None:
    editor.open("ann.md", "[[people/joe]] ^none")
    editor.open("../outside.md", "[[people/joe]]\n- Drinks tea (2026-01-02) ^tea001\n")
    editor.open("empty.md", "")
    for path in ("ann.md", "../outside.md", "empty.md"):
        for line, column in ((0, 9999), (9999, 9999), (0, 19), (1, 3)):
            for what in ("hover", "definition", "completion", "references"):
                editor.ask(what, path, line, column)
    assert editor.ask("hover", "empty.md", 9999, 9999) is None
    assert editor.ask("hover", "ann.md", 0, 3) is not None, "the server is still there"


def spoken(
    root: Path, *asked: dict[str, Any], after: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """What a server in a vault says to these messages, and to other bytes behind them."""
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in asked]
    env = {
        "HOME": str(root.parent),
        "AURELIUS_INDEX": str(root.parent / "index"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "AURELIUS_NO_DAEMON": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "aurelius", "lsp"],
        cwd=root,
        env=env,
        capture_output=True,
        timeout=60,
        check=False,
        input=b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in bodies)
        + after,
    )


BEGIN: dict[str, Any] = {
    "id": 1,
    "method": "initialize",
    "params": {"capabilities": {}, "processId": None, "rootUri": None},
}


def test_only_notes_of_the_vault_are_read_from_the_disk(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "note.md").write_text("# Note\n\n## Facts\n- Likes tea ^tea001\n")
    (tmp_path / "outside.md").write_text("## Facts\n- Outside ^out001\n")
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "pipe.md")
        os.mkfifo(root / "pipe")
    places = [
        root / "pipe.md",
        root / "pipe",
        root / "link.md",
        tmp_path / "outside.md",
        Path("/dev/zero"),
        root,
    ]
    asked = [BEGIN]
    for number, place in enumerate([*places, root / "note.md"], 2):
        where = {
            "textDocument": {"uri": from_fs_path(str(place))},
            "position": {"line": 3, "character": 3},
        }
        asked.append({"id": number, "method": "textDocument/hover", "params": where})
        asked.append(
            {"method": "textDocument/didSave", "params": {"textDocument": where["textDocument"]}}
        )
    done = spoken(root, *asked, {"id": 99, "method": "shutdown"}, {"method": "exit"})
    told = [
        json.loads(each[each.index(b"{") :]) for each in done.stdout.split(b"Content-Length: ")[1:]
    ]
    results = {each["id"]: each.get("result") for each in told if "id" in each}
    assert [results[number] for number in range(2, 2 + len(places))] == [None] * len(places)
    assert "Likes tea" in json.dumps(results[2 + len(places)])
    assert 99 in results


@pytest.mark.parametrize("length", [b"99999999999", b"9" * 5000], ids=["large", "endless"])
def test_a_message_longer_than_anybody_types_ends_in_one_clear_message(
    tmp_path: Path, length: bytes
) -> None:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    done = spoken(root, BEGIN, after=b"Content-Length: " + length + b"\r\n\r\n{}")
    assert b"Traceback" not in done.stderr
    if len(length) < 100:
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 2)
        assert b"aurelius: the editor announced a message of 99,999,999,999 bytes" in done.stderr
    else:
        assert done.returncode in {0, 2}


def test_a_session_ends_without_a_word_and_odd_requests_are_answered(tmp_path: Path) -> None:
    (tmp_path / ".aurelius").mkdir()
    missing = {
        "textDocument": {"uri": from_fs_path(str(tmp_path / "none.md"))},
        "position": {"line": 3, "character": 0},
    }
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "textDocument/hover", "params": missing},
        {
            "id": 2,
            "method": "initialize",
            "params": {"capabilities": {}, "processId": None, "rootUri": None},
        },
        {"id": 3, "method": "textDocument/hover", "params": missing},
        {
            "id": 4,
            "method": "textDocument/hover",
            "params": {"textDocument": missing["textDocument"]},
        },
        {"id": 5, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in asked]
    env = {
        "HOME": str(tmp_path),
        "AURELIUS_INDEX": str(tmp_path / "index"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "AURELIUS_NO_DAEMON": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "aurelius", "lsp"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        timeout=60,
        check=False,
        input=b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in bodies),
    )
    told = [
        json.loads(each[each.index(b"{") :]) for each in done.stdout.split(b"Content-Length: ")[1:]
    ]
    assert (done.returncode, done.stderr) == (0, b"")
    told = [each for each in told if "id" in each]  # what else is shown to the person
    assert [each["id"] for each in told] == [1, 2, 3, 4, 5]
    assert told[0]["error"]["code"] == -32002
    assert "data" not in told[0]["error"]
    assert (told[2]["result"], told[4]["result"]) == (None, None)
    assert told[3]["error"]["code"] == -32602
