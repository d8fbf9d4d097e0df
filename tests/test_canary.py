"""Private and ignored notes: no byte of them, nor of their names, comes out of any command, and no answer hints at one.

Two ways to look: words that only such notes hold are never printed, whatever is run; and an agent's question that names
such a word, title, alias, tag or id is answered as the same question about a word that no note holds.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.declarations import COMMANDS
from aurelius.cli.run import BUG, Context
from aurelius.vault import Vault
from indexer.live.live_index import Live
from tests.conftest import TODAY

PRIVATE = (
    "---\nprivate: true\ntitle: Quetzaltitle\naliases: [quetzalalias]\ntags: [quetzaltag]\nquetzalkey: quetzalvalue\n"
    "---\n# Quetzalhead\n\n## Facts\n- Joe drinks green quetzaltea every day (2026-01-09, preference) ^quetz1\n"
    "- Joe lives in Quetzalrome (2026-01-10, updates ^abcde2, contradicts ^abcde1) ^quetz2\n\n"
    "## Tasks\n- [ ] buy quetzalpaper \U0001f4c5 2026-02-11 #quetzaltask\n\n"
    "## Relationships\n- [[people/joe]] [[quetzalnowhere]]\n\n## Quetzalbroken\n- [x](quetzalmissing.md) \n"
)
IGNORED = (
    PRIVATE.replace("private: true\n", "").replace("uetzal", "uokka").replace("quetz", "quokk")
)
IGNORED = IGNORED.replace("Quetzal", "Quokka")
SECRET = re.compile("quetz|quokk", re.IGNORECASE)
NOTES = {
    "people/joe.md": "---\ntags: [friend]\n---\n# Joe\n\n## Facts\n"
    "- Drinks green tea (2026-01-08, preference) ^abcde1\n"
    "- Lives in Paris (2026-01-02) ^abcde2\n\n## Tasks\n- [ ] call ann\n\n## Relationships\n- [[people/ann]]\n",
    "people/ann.md": "# Ann\n\n## Facts\n- Knows Joe (2026-01-03) ^fghij1\n- Knows Joe (2026-01-03)\n",
    "memory/2026-02-10.md": "# Today\n\n- Met [[people/joe]] (2026-02-10)\n",
    "quetzaldiary/quetzalname.md": PRIVATE,
    "quokkanotes/quokkaname.md": IGNORED,
    "quokkafile.md": IGNORED,
    "quetzalbroken.md": "---\nprivate: true\nquetzalyaml: [\n---\n# Quetzal broken\n- quetzal text ^quetz1\n",
    ".aureliusignore": "quokkanotes/\n/quokkafile.md\n",
}
HOLLOW = "zyxqu"
"""Stands where a word of a hidden note stood, in no note at all."""
WITHOUT = {
    re.sub("quetz|quokk", "zyx", path): re.sub("quetz|quokk", "zyx", text, flags=re.IGNORECASE)
    for path, text in NOTES.items()
}
"""The same notes with other words in the hidden ones."""

READING = [
    "search joe",
    "search tea --explain",
    "search drinks green tea every day --mode vector",
    "search joe -n 50",
    "search lives --status all",
    "search tea --as-of 2026-01-20",
    "search joe --tier hot",
    "search joe --md",
    "search joe --jsonl",
    "search joe --paths",
    "search joe --budget 5000",
    "search nothingsuch",
    "search buy paper",
    "search joe --type preference",
    "search joe --since 2026-01-09",
    "search '' --where 'title ~ u'",
    "search joe --kind note",
    "get people/joe.md",
    "get ^abcde1",
    "get ^abcde2",
    "show joe",
    "show joe --facts",
    "show people/ann",
    "show e",
    "show u",
    "list",
    "list --sort title",
    "list --type preference",
    "list --type fact",
    "list --tier hot",
    "list --paths",
    "list --kind note",
    "context",
    "context joe",
    "context drinks tea --format layer",
    "context joe --format memory",
    "context --hook",
    "context what does joe drink --hook",
    "chat what does joe drink",
    "chat who is ann?",
    "chat what did I do in january",
    "chat open tasks",
    "chat what waits",
    "today",
    "today --path",
    "days 2000..",
    "tasks",
    "tasks --open --due 2026-12-31",
    "tags",
    "links joe",
    "links ann",
    "links joe --mentions",
    "links joe --mentions -n 1 --json",
    "links ann --mentions --all",
    "show joe --json",
    "graph joe",
    "graph ann --depth 2",
    "graph ^abcde1",
    "graph ^abcde2 --depth 2",
    "history joe",
    "history ^abcde2",
    "history ^abcde1",
    "status --tiers",
    "status --tiers joe",
    "status",
    "doctor",
    "doctor --verify",
    "config",
    "status --ageing",
    "status --ageing --all",
    "review",
    "review --limit 100",
    "export",
    "export --md",
    "undo --list",
    "daemon status",
    *(
        f"tool '{call}'"
        for call in (
            '{"action": "search", "query": "joe", "limit": 50}',
            '{"action": "query", "query": "drinks tea every day"}',
            '{"action": "list", "limit": 100}',
            '{"action": "search_entity", "name": "joe"}',
            '{"action": "get_relationships", "entity": "joe"}',
            '{"action": "search_facts", "query": "where does joe live"}',
            '{"action": "search_events", "query": "met joe"}',
            '{"action": "get_instructions"}',
        )
    ),
]
WRITING = [
    "add people/joe Drinks green tea every day",
    "add Joe lives in Rome",
    "note met Joe again",
    "chat Joe moved to Rome",
    "update ^abcde1 Drinks black tea",
    "supersede ^abcde2 Lives in Rome",
    "reinforce ^fghij1",
    "demote ^fghij1",
    "archive ^fghij1",
    "doctor --tidy --check --stamp",
    "doctor --tidy --stamp",
    "summarize",
    "summarize --all",
    "move people/joe people/joseph",
    "new person Bob",
    "review",
    "review dismiss 1",
    "undo --list",
    "undo",
    "archive --when-over 1B",
    "archive people/ann",
    "rm people/ann --yes",
    "index",
    "index --rebuild",
    "forget people/ann.md",
]
ASKED = [
    "search {word}",
    "search joe {word} --mode keyword",
    "search {word} --mode keyword --explain",
    'search "{word}"',
    "search joe -{word}",
    "search joe --tag {word}",
    "search joe --in {word}",
    "search joe --where {word}",
    "context {word}",
    "context {word} --format layer",
    "context {word} --hook",
    "get ^{word}",
    "get {word}",
    "show {word}",
    "show {word} --facts",
    "links {word}",
    "graph {word}",
    "history {word}",
    "history ^{word}",
    "status --tiers {word}",
    "list --tag {word}",
    "list --tag {word} --type preference",
    "open {word}",
    "reinforce ^{word}",
    "demote {word}",
    "update ^{word} Drinks juice",
    "supersede ^{word} Drinks juice",
    "archive {word}",
    "archive ^{word}",
    "rm {word} --yes",
    "add {word} Drinks juice",
    "add people/joe Drinks juice --updates {word} --dry-run",
    "doctor --tidy {word}",
    "status --ageing {word}",
    """tool '{{"action": "search_entity", "name": "{word}"}}'""",
    """tool '{{"action": "search_facts", "query": "tea", "entity": "{word}"}}'""",
    """tool '{{"action": "update", "id": "{word}", "content": "Drinks juice"}}'""",
    """tool '{{"action": "reinforce", "id": "{word}"}}'""",
    "add people/joe Drinks juice --because ^{word} --dry-run",
    "add people/joe Drinks juice --from {word} --dry-run",
    "summarize {word}",
    "move {word} people",
    "move people/ann {word}/there --dry-run",
]
WORDS = [
    "quetzaltitle",
    "quetzalalias",
    "quetzaltag",
    "quetzalhead",
    "quetzaltea",
    "quetz1",
    "quetz2",
    "quetzalkey",
    "quetzaltask",
    "quetzalnowhere",
    "quetzalname",
    "quokkatitle",
    "quokkaalias",
    "quokkatag",
    "quokkatea",
    "quokk1",
    "quokkakey",
    "quokkaname",
]
EVERY = 9
"""Of the words, each line meets every ninth, another line other ones."""
JSON = {name for name, command in COMMANDS.items() if "json" in command.defaults}
OTHER_FORMS = re.compile(r" --(md|jsonl|paths|path)\b")


class House:
    """A vault with hidden notes, run from cold or with the index that a daemon keeps."""

    person = True

    def __init__(self, top: Path, *, daemon: bool, notes: Mapping[str, str] = NOTES) -> None:
        self.top, self.root = top, top / "vault"
        self.env = {"HOME": str(top), "AURELIUS_INDEX": str(top / "index"), "AURELIUS_NO_USE": "1"}
        for path, text in notes.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, "utf-8")
        (self.root / ".aurelius").mkdir()
        self.live: Live | None = None
        self.run("index")
        if daemon:
            self.live = Live(
                Vault.find(None, self.env, str(self.root), now=TODAY).settings, lambda: None
            )

    def run(self, line: str) -> str:
        """All that a command prints, and its exit code."""
        out, err = io.StringIO(), io.StringIO()
        argv = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)]
        context = Context(
            str(self.root),
            self.env,
            False,
            io.StringIO(),
            out,
            err,
            TODAY,
            live=self.live,
            person=self.person,
        )
        code = run_line(argv, context)
        assert code != BUG, err.getvalue()
        return f"{out.getvalue()}{err.getvalue()}[{code}]"

    def forms(self, line: str) -> list[str]:
        """A command line as text, and as JSON where it has that."""
        as_json = line.split(maxsplit=1)[0] in JSON and not OTHER_FORMS.search(line)
        return [line, f"{line} --json"] if as_json else [line]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    made: list[House] = []

    def build(*, daemon: bool = False, notes: Mapping[str, str] = NOTES) -> House:
        made.append(House(tmp_path / str(len(made)), daemon=daemon, notes=notes))
        return made[-1]

    yield build
    for each in made:
        if each.live is not None:
            each.live.close()


def test_the_hidden_words_are_there_and_shown_only_where_they_are_asked_for(
    house: Callable[..., House],
) -> None:
    """Otherwise the other tests here see nothing."""
    vault = house()
    assert "quetzaltea" in vault.run("search quetzaltea --private")
    assert "quetzaltag" in vault.run("tags --private")
    assert "Quetzalrome" in vault.run("get quetzaldiary/quetzalname.md --private")
    assert "quetz1" in vault.run("export --json --private")
    assert "quokkatea" not in vault.run("search joe --private") + vault.run("export --md --private")


@pytest.mark.parametrize("daemon", [False, True], ids=["cold", "daemon"])
def test_no_command_prints_a_byte_of_a_private_or_ignored_note(
    daemon: bool, house: Callable[..., House]
) -> None:
    vault = house(daemon=daemon)
    told = {line: vault.run(line) for each in [*READING, *WRITING] for line in vault.forms(each)}
    assert {line: SECRET.findall(text) for line, text in told.items() if SECRET.search(text)} == {}


@pytest.mark.parametrize("daemon", [False, True], ids=["cold", "daemon"])
def test_a_word_of_a_hidden_note_is_answered_to_an_agent_as_a_word_that_no_note_holds(
    daemon: bool, house: Callable[..., House]
) -> None:
    vault, without, odd = house(daemon=daemon), house(daemon=daemon, notes=WITHOUT), list[str]()
    vault.person = without.person = False
    for turn, line in enumerate(ASKED):
        for form in vault.forms(line):
            wanted = even(vault.run(form.format(word=HOLLOW)), HOLLOW)
            for word in WORDS[turn % EVERY :: EVERY]:
                if line.startswith("search"):  # what is near to a word depends on the word
                    wanted = even(without.run(form.format(word=word)), word)
                told = even(vault.run(form.format(word=word)), word)
                odd += (
                    [f"{form.format(word=word)}: {told[:300]} instead of {wanted[:300]}"]
                    if told != wanted
                    else []
                )
    assert odd == []


def even(text: str, word: str) -> str:
    """An answer without the word it was asked about, without what every run has of its own, and without scores, which
    the number of notes that hold a word moves a little."""
    return re.sub(r'"(took_ms|generation|score)":\s*[0-9.e-]+', "", text.replace(word, "WORD"))


def test_a_note_whose_very_path_was_typed_is_said_to_be_private(
    house: Callable[..., House],
) -> None:
    vault = house()
    for path in ("quetzaldiary/quetzalname.md", "quetzaldiary/quetzalname", "quetzalbroken.md"):
        for command in ("get", "show", "links", "links --mentions"):
            told = vault.run(f"{command} {path}")
            assert "it is private: --private shows it" in told
            assert not SECRET.search(told.replace(path, ""))
    for name in ("quetzalname", "Quetzaltitle", "quetzalalias"):
        vault.person = True
        assert "it is private: --private shows it" in vault.run(f"show {name}")
        vault.person = False
        assert "private" not in vault.run(f"show {name}")
