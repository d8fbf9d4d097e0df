"""Vault: never stale, never silent, and nothing private or ignored through any of its methods."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from aurelius import api
from aurelius import vault as module
from aurelius.answers.excerpts import Excerpt
from aurelius.settings.places import WAITING_USES_FILE, user_folder, vault_state
from aurelius.vault import Vault
from aurelius.writing.own_files import give_name
from indexer.catalog.filters import Filters
from indexer.errors import (
    AmbiguousNameError,
    AureliusError,
    ConflictError,
    IndexUnavailableError,
    NoteNotFoundError,
    PrivateNoteError,
    UsageError,
    VaultNotFoundError,
)
from indexer.rows import schema
from indexer.rows.rows import Index
from indexer.search import search as search_module
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery

TODAY = datetime.datetime(2026, 2, 10, 12)
NOTES = {
    "people/joe-bloggs.md": (
        "---\naliases: [Joey]\ntags: [friend]\n---\n# Joe Bloggs\r\n\r\n## Summary\nA friend.\nWorks in tech.\n\n"
        "## Facts\n- Drinks green tea (2026-01-05, preference) ^tea001\n- Works at [[techcorp]]\n\n"
        "## History\n- ~~Drank coffee~~\n"
    ),
    "companies/techcorp.md": "# Techcorp\nEmploys [[Joe Bloggs]] and builds bridges.\n- [ ] visit 📅 2026-02-12\n",
    "memory/2026-02-09.md": "- met [[joe-bloggs]] for tea #tea\n",
    "C# notes.md": "# Sharp\n## Setup\ninstall it\n",
    "private/diary.md": (
        "---\nprivate: true\naliases: [Canary Alias]\ntags: [canary]\n---\n# Canary Diary\n## Facts\n"
        "- canary fact ^can001\n- [ ] canary task\n\n[[joe-bloggs]] canary link\n[[nowhere canary]]\n"
    ),
    "points.md": "see [[diary]] and [[people/joe-bloggs]]\n",
    "hidden/secret.md": "canary of an ignored note, tea\n",
    ".aureliusignore": "hidden/\n",
}


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text.encode())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        write(root, path, text)
    return root


@pytest.fixture
def opened(root: Path, env: dict[str, str]) -> Iterator[Callable[[], Vault]]:
    made: list[Vault] = []

    def make() -> Vault:
        made.append(Vault.find(str(root), env, "/", now=TODAY))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def vault(opened: Callable[[], Vault]) -> Vault:
    return opened()


def paths(vault: Vault, text: str, mode: str = "hybrid", **wishes: object) -> list[str]:
    query = SearchQuery(text, mode=mode, filters=Filters()._replace(**wishes))  # type: ignore[arg-type]  # test values
    return [hit.path for hit in vault.search(query).hits]


class TestSearch:
    def test_it_answers_and_is_fresh(self, vault: Vault) -> None:
        assert paths(vault, "green tea")[0] == "people/joe-bloggs.md"
        assert vault.report is not None
        assert vault.report.fresh

    def test_the_ages_and_ranks_of_answers_go_by_the_now_that_was_set_last(
        self, vault: Vault, root: Path
    ) -> None:
        write(root, "memory/2026-02-09.md", "- 12:00 saw a walrus\n")
        scores = []
        for day in (TODAY, TODAY + datetime.timedelta(days=300)):
            vault.now = day
            assert vault.clock.today == day.date()
            scores.append(vault.search(SearchQuery("walrus")).hits[0].score)
        assert scores[0] > scores[1]

    def test_an_edit_between_index_and_answer_is_never_shown_stale(
        self, vault: Vault, root: Path
    ) -> None:
        vault.index()
        write(root, "companies/techcorp.md", "# Techcorp\nEmploys nobody, and digs tunnels.\n")
        result = vault.search(SearchQuery("techcorp employs builds bridges tunnels"))
        text = "\n".join(hit.text for hit in result.hits)
        assert "tunnels" in text
        assert "bridges" not in text

    def test_a_note_that_was_deleted_meanwhile_gives_no_hit(self, vault: Vault, root: Path) -> None:
        vault.index()
        (root / "companies/techcorp.md").unlink()
        assert "companies/techcorp.md" not in paths(vault, "bridges techcorp")

    def test_a_note_that_keeps_changing_is_left_out_and_the_answer_not_fresh(
        self, vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, rounds = search_module.search, []

        def searched(*args: object, **named: object) -> object:
            rounds.append(1)
            found = real(*args, **named)  # type: ignore[arg-type]  # passed on as they came
            write(
                root,
                "companies/techcorp.md",
                f"# Techcorp\nbridges {len(rounds)}{'x' * len(rounds)}\n",
            )
            return found

        monkeypatch.setattr(search_module, "search", searched)
        result = vault.search(SearchQuery("bridges"))
        assert len(rounds) == module.SEARCH_ROUNDS + 1  # the last for what may stand in its place
        assert "companies/techcorp.md" not in [hit.path for hit in result.hits]
        assert any("left out" in notice for notice in result.notices)
        assert vault.report is not None
        assert not vault.report.fresh

    def test_hits_further_down_take_the_places_of_notes_that_are_gone(
        self, vault: Vault, root: Path
    ) -> None:
        for number in range(60):
            write(root, f"heap/{number}.md", "green tea, green tea and green tea\n")
        vault.index()
        for number in range(60):
            (root / f"heap/{number}.md").unlink()
        vault.refresh()
        result = vault.search(SearchQuery("green tea", limit=1))
        assert [hit.path for hit in result.hits] == ["people/joe-bloggs.md"]
        assert vault.report is not None
        assert not vault.report.fresh

    def test_a_note_that_turns_private_before_the_answer_is_not_shown(
        self, vault: Vault, root: Path
    ) -> None:
        vault.index()
        write(root, "companies/techcorp.md", "---\nprivate: true\n---\n# Techcorp\nbridges\n")
        assert "companies/techcorp.md" not in paths(vault, "bridges techcorp")

    def test_without_an_index_the_files_answer(
        self, vault: Vault, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: object, **__: object) -> None:
            raise apsw.CantOpenError("no")

        monkeypatch.setattr(vault, "_pass", broken)
        result = vault.search(SearchQuery("green tea"))
        assert (result.mode, result.hits[0].path) == ("keyword", "people/joe-bloggs.md")
        assert "canary" not in repr(result.hits)
        assert any("cannot create the index" in notice for notice in vault.notices)
        assert any("no index can be used" in notice for notice in vault.notices)
        assert "people/joe-bloggs.md" in [row.path for row in vault.notes(Filters()).notes]

    @pytest.mark.parametrize("error", [apsw.CorruptError, apsw.IOError, apsw.BusyError])
    def test_an_index_that_fails_while_asked_is_replaced_by_the_files(
        self, vault: Vault, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error]
    ) -> None:
        ask = search_module.search

        def broken(index: Index, *given: Any, **more: Any) -> SearchResult:
            if index.path != ":memory:":
                raise error("malformed")
            return ask(index, *given, **more)

        vault.index()
        with monkeypatch.context() as patch:
            patch.setattr(search_module, "search", broken)
            result = vault.search(SearchQuery("green tea"))
        assert (result.mode, result.hits[0].path) == ("keyword", "people/joe-bloggs.md")
        assert any("malformed" in notice for notice in vault.notices)
        vault.refresh()
        assert vault.search(SearchQuery("green tea")).mode == "hybrid"

    @pytest.mark.parametrize("error", [apsw.SQLError, apsw.BindingsError, TypeError])
    def test_a_mistake_in_what_is_asked_of_the_index_is_raised(
        self, vault: Vault, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
    ) -> None:
        def wrong(index: Index, *_: Any, **__: Any) -> SearchResult:
            if index.path != ":memory:":
                raise error("no such column: lastly")
            raise AssertionError("nothing may stand in for it")

        monkeypatch.setattr(search_module, "search", wrong)
        with pytest.raises(error, match="no such column"):
            vault.search(SearchQuery("green tea"))

    def test_a_mistake_in_what_fills_the_index_is_raised(
        self, vault: Vault, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def wrong(*_: object, **__: object) -> None:
            raise apsw.SQLError("no such column: lastly")

        monkeypatch.setattr(vault, "_pass", wrong)
        with pytest.raises(apsw.SQLError):
            vault.search(SearchQuery("green tea"))

    def test_a_model_that_is_gone_leaves_the_words(
        self, opened: Callable[[], Vault], root: Path, env: dict[str, str]
    ) -> None:
        write(
            Path(user_folder("config", env)),
            "config.toml",
            '[embedding]\nmodel = "/nowhere/model"\n',
        )
        vault = opened()
        result = vault.search(SearchQuery("green tea"))
        assert (result.mode, result.hits[0].path) == ("keyword", "people/joe-bloggs.md")
        assert any("/nowhere/model" in notice for notice in vault.notices)

    def test_another_model_decides_what_is_near(
        self, opened: Callable[[], Vault], root: Path, env: dict[str, str], tmp_path: Path
    ) -> None:
        """For this one apfel and obst mean the same."""
        from model2vec import StaticModel
        from tokenizers import Tokenizer, models, pre_tokenizers

        words = {word: number for number, word in enumerate(("[UNK]", "apfel", "obst", "rad"))}
        tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        vectors = np.array([[0, 0], [1, 0], [1, 0], [0, 1]], np.float32)
        StaticModel(vectors, tokenizer).save_pretrained(tmp_path / "tiny")
        write(
            Path(user_folder("config", env)),
            "config.toml",
            f'[embedding]\nmodel = "{tmp_path / "tiny"}"\n',
        )
        write(root, "a.md", "apfel\n")
        write(root, "b.md", "rad\n")
        found = opened().search(SearchQuery("obst", mode="vector"))
        assert (found.mode, [hit.path for hit in found.hits]) == ("vector", ["a.md"])

    def test_a_vault_that_is_gone(self, vault: Vault, root: Path, env: dict[str, str]) -> None:
        root.rename(root.parent / "elsewhere")
        with pytest.raises(IndexUnavailableError):
            vault.search(SearchQuery("tea"))
        with pytest.raises(VaultNotFoundError):
            Vault.find(str(root), env, "/", now=TODAY)


class TestNames:
    @pytest.mark.parametrize(
        "name",
        ["Joe", "joe bloggs.", "J. Bloggs", "joey", "people/joe-bloggs.md", "[[joe-bloggs]]"],
    )
    def test_a_name_that_is_typed_carelessly_finds_its_note(self, vault: Vault, name: str) -> None:
        assert vault.resolve(name) == "people/joe-bloggs.md"

    def test_a_whole_path_into_the_vault(self, vault: Vault, root: Path) -> None:
        assert vault.resolve(str(root / "people" / "joe-bloggs.md")) == "people/joe-bloggs.md"

    def test_a_path_without_its_ending_is_found_by_it_alone(
        self, vault: Vault, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "aurelius.answers.lookup.resolve",
            lambda *_, **__: pytest.fail("every name was looked at"),
        )
        for name in ("people/joe-bloggs", "People/Joe-Bloggs", "people/joe-bloggs.md"):
            assert vault.resolve(name) == "people/joe-bloggs.md"

    def test_two_notes_of_one_path_without_their_endings_ask(
        self, vault: Vault, root: Path
    ) -> None:
        write(root, "people/joe-bloggs.markdown", "# Another\n")
        with pytest.raises(AmbiguousNameError):
            vault.resolve("people/joe-bloggs")

    def test_a_private_note_takes_no_path_from_a_visible_one(
        self, vault: Vault, root: Path
    ) -> None:
        write(root, "people/joe-bloggs.markdown", "---\nprivate: true\n---\n# Another\n")
        assert vault.resolve("people/joe-bloggs.md") == "people/joe-bloggs.md"
        with pytest.raises(PrivateNoteError):
            vault.resolve("people/joe-bloggs")
        with pytest.raises(AmbiguousNameError):
            vault.resolve("people/joe-bloggs", private=True)

    def test_two_joes_ask(self, vault: Vault, root: Path) -> None:
        write(root, "people/joe-smith.md", "# Joe Smith\n")
        with pytest.raises(AmbiguousNameError) as caught:
            vault.resolve("Joe")
        assert caught.value.candidates == ("people/joe-bloggs.md", "people/joe-smith.md")

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("hidden/secret.md", "ignored"),
            ("hidden/secret", "ignored"),
            ("private/diary.md", "private"),
            ("Canary Alias", "private"),
            ("people", "folder"),
            ("nobody at all", "aurelius list"),
            ("../x.md", "leads out of the vault"),
            (".aureliusignore", "not a note"),
            ("techcrop", "techcorp"),
        ],
    )
    def test_why_there_is_no_such_note(self, vault: Vault, name: str, hint: str) -> None:
        with pytest.raises(NoteNotFoundError) as caught:
            vault.resolve(name)
        assert hint in caught.value.hint.lower()

    def test_a_private_note_has_a_name_where_it_may_be_seen(self, vault: Vault) -> None:
        assert vault.resolve("Canary Alias", private=True) == "private/diary.md"


class TestRead:
    @pytest.mark.parametrize(
        ("reference", "span", "first"),
        [
            ("people/joe-bloggs.md", (1, 16), "---"),
            ("Joe", (1, 16), "---"),
            ("people/joe-bloggs.md:5", (5, 5), "# Joe Bloggs"),
            ("joe bloggs:5:3", (5, 7), "# Joe Bloggs"),
            ("joe:14:99", (14, 16), ""),
            ("joe#Facts", (11, 13), "## Facts"),
            ("joe-bloggs#facts", (11, 13), "## Facts"),
            ("joe#Joe Bloggs#History", (15, 16), "## History"),
            ("joe#^tea001", (12, 12), "- Drinks green tea (2026-01-05, preference) ^tea001"),
            ("C# notes", (1, 3), "# Sharp"),
            ("C# notes.md#Setup", (2, 3), "## Setup"),
            ("C# notes:3", (3, 3), "install it"),
        ],
    )
    def test_a_reference_gives_exactly_its_lines(
        self, vault: Vault, reference: str, span: tuple[int, int], first: str
    ) -> None:
        found = vault.read(reference)
        assert ((found.first, found.last), found.lines[0]) == (span, first)
        assert len(found.lines) == found.last - found.first + 1

    @pytest.mark.parametrize(
        "name", ["memory/2026-02-10.md", "memory/2026-02-10", "2026-02-10", "2026-02-10.md"]
    )
    def test_a_daily_note_that_is_not_written_is_empty(self, vault: Vault, name: str) -> None:
        assert vault.read(name) == Excerpt("memory/2026-02-10.md", 1, 0, (), exists=False)

    @pytest.mark.parametrize(
        "reference",
        [
            "nobody",
            "joe:17",
            "joe#Nothing",
            "joe#^nope",
            "hidden/secret.md",
            "private/diary.md",
            "hidden/secret.md:1",
            "private/diary#Canary Diary",
            "private/diary.md#^can001",
            "notes/2026-02-30.md",
            "",
        ],
    )
    def test_what_is_not_there_or_not_to_be_seen(self, vault: Vault, reference: str) -> None:
        with pytest.raises(NoteNotFoundError) as caught:
            vault.read(reference)
        assert "canary fact" not in caught.value.message + caught.value.hint

    @pytest.mark.parametrize("reference", ["joe:0", "joe:1:0", "../2026-02-10.md"])
    def test_a_reference_that_means_no_lines_is_refused(self, vault: Vault, reference: str) -> None:
        with pytest.raises(UsageError):
            vault.read(reference)

    @pytest.mark.parametrize(
        "path", ["/etc/passwd", "~/x.md", "../outside.md", "people/../../outside.md", "a\0b.md"]
    )
    def test_no_path_reads_a_file_outside_the_vault(
        self, vault: Vault, root: Path, path: str
    ) -> None:
        write(root.parent, "outside.md", "outside canary\n")
        with pytest.raises(AureliusError):
            vault.read(path)

    def test_a_note_that_becomes_a_link_is_not_followed(self, vault: Vault, root: Path) -> None:
        vault.index()
        write(root.parent, "outside.md", "outside canary\n")
        (root / "companies/techcorp.md").unlink()
        os.symlink(root.parent / "outside.md", root / "companies/techcorp.md")
        with pytest.raises(AureliusError):
            vault.read("companies/techcorp.md")

    def test_text_is_as_it_is_now(self, vault: Vault, root: Path) -> None:
        vault.index()
        write(root, "companies/techcorp.md", "new text\n")
        assert vault.read("companies/techcorp.md").lines == ("new text",)

    def test_a_note_that_turned_private_or_ignored_is_not_read(
        self, vault: Vault, root: Path
    ) -> None:
        vault.index()
        write(root, "companies/techcorp.md", "---\nprivate: true\n---\ncanary\n")
        with pytest.raises(NoteNotFoundError):
            vault.read("companies/techcorp.md")
        assert vault.read("companies/techcorp.md", private=True).lines[-1] == "canary"


class TestNote:
    def test_a_view_has_everything(self, vault: Vault) -> None:
        view = vault.note("Joe")
        assert (view.path, view.kind, view.title, view.aliases) == (
            "people/joe-bloggs.md",
            "person",
            "Joe Bloggs",
            ("Joey",),
        )
        assert view.summary == "A friend.\nWorks in tech."
        assert [fact.text for fact in view.facts] == [
            "Drinks green tea",
            "Works at [[techcorp]]",
            "Drank coffee",
        ]
        assert [(h.level, h.text, h.line) for h in view.headings][:2] == [
            (1, "Joe Bloggs", 5),
            (2, "Summary", 7),
        ]
        assert [row.path for row in view.outgoing] == ["companies/techcorp.md"]
        assert [row.path for row in view.backlinks] == [
            "companies/techcorp.md",
            "memory/2026-02-09.md",
            "points.md",
        ]
        assert not view.private

    def test_links_both_ways(self, vault: Vault) -> None:
        view = vault.links("points")
        assert [(row.path, row.exists) for row in view.outgoing] == [
            ("diary", True),
            ("people/joe-bloggs.md", True),
        ]
        assert vault.links("points", private=True).outgoing[0].path == "private/diary.md"
        assert [row.path for row in vault.links("joe", private=True).backlinks][
            -1
        ] == "private/diary.md"

    def test_the_note_of_a_day_is_found_whatever_its_name_is_like(
        self, vault: Vault, root: Path
    ) -> None:
        assert vault.today("2026-02-09") == "memory/2026-02-09.md"
        assert vault.today("2026-02-10") == "memory/2026-02-10.md"
        write(root, "journals/2026_02_11.md", "- x\n")
        vault.refresh()
        assert vault.today("2026-02-11") == "journals/2026_02_11.md"


class TestCare:
    def test_a_refresh_after_the_vault_got_its_name_goes_by_the_state_of_that_name(
        self, vault: Vault, root: Path, env: dict[str, str]
    ) -> None:
        vault.refresh()
        before = vault.settings.uses
        assert give_name(str(root), env)
        vault.refresh()
        assert (
            vault.settings.uses
            == os.path.join(vault_state(str(root), env), WAITING_USES_FILE)
            != before
        )

    def test_the_status_counts_what_is_in_the_vault_and_what_differs(
        self, vault: Vault, root: Path
    ) -> None:
        state = vault.status()
        assert (state.notes, state.private, state.ignored, state.fresh) == (6, 1, 1, True)
        assert state.vectors == state.chunks > state.facts > 0
        assert state.index_bytes > 0
        assert state.differences == ()
        write(root, "new.md", "x\n")
        later = vault.status()
        assert (later.differences, later.fresh) == (("new.md: not indexed",), False)

    def test_lost_rows_are_seen(self, vault: Vault) -> None:
        index = vault.index()
        db = apsw.Connection(index.path)
        db.execute("DELETE FROM note WHERE path = 'points.md'")
        db.close()
        assert vault.status().differences == ("points.md: not indexed",)

    def test_rebuild_gives_the_same_answer(self, vault: Vault) -> None:
        before = vault.search(SearchQuery("green tea")).hits
        assert vault.rebuild().added == 6
        assert vault.search(SearchQuery("green tea")).hits == before

    def test_forget_leaves_no_byte_and_the_note_stays_out(self, vault: Vault, root: Path) -> None:
        write(root, "pin.md", "the pin is zebra9981\n")
        assert "pin.md" in paths(vault, "zebra9981")
        report = vault.forget("pin.md")
        assert (report.path, report.ignored_added) == ("pin.md", True)
        assert report.chunks > 0
        held = b"".join(
            file.read_bytes() for file in Path(vault.index_folder).rglob("*") if file.is_file()
        )
        assert b"zebra9981" not in held
        assert "pin.md" not in paths(vault, "zebra9981")
        assert (root / "pin.md").exists()
        assert (root / ".aureliusignore").read_text() == "hidden/\n/pin.md\n"
        assert vault.forget("pin.md").ignored_added is False

    def test_forget_counts_what_a_daemon_was_the_first_to_take_out(
        self, vault: Vault, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from aurelius.writing import forget
        from indexer.refresh.refresh import refresh

        ignore = forget.ignore

        def outrun(folder: str, path: str) -> None:
            ignore(folder, path)
            refresh(vault.settings, now=time.time())[0].close()

        monkeypatch.setattr(forget, "ignore", outrun)
        write(root, "pin.md", "the pin is zebra9981\n")
        assert "pin.md" in paths(vault, "zebra9981")
        assert vault.forget("pin.md").chunks == 1

    def test_a_note_that_is_gone_already_can_be_forgotten(self, vault: Vault, root: Path) -> None:
        vault.index()
        (root / "points.md").unlink()
        report = vault.forget("points.md")
        assert report.chunks > 0
        assert not report.ignored_added
        with pytest.raises(NoteNotFoundError):
            vault.forget("points.md")

    def test_where_it_cannot_be_kept_out_nothing_is_forgotten(
        self, vault: Vault, root: Path
    ) -> None:
        vault.index()
        (root / ".aureliusignore").unlink()
        (root / ".aureliusignore").mkdir()
        with pytest.raises(ConflictError):
            vault.forget("points.md")
        (root / ".aureliusignore").rmdir()
        vault.refresh()
        assert "points.md" in paths(vault, "diary bloggs see", mode="keyword")

    def test_a_vault_can_be_closed_twice_and_used_again(self, vault: Vault) -> None:
        vault.index()
        vault.close()
        vault.close()
        assert isinstance(vault.index(), Index)


def test_what_is_private_or_ignored_comes_through_no_method(vault: Vault) -> None:
    """What is private or ignored is in no answer, whichever way one asks."""
    every = Filters(status="all")
    answers: list[object] = [
        vault.search(SearchQuery(text, mode=mode, filters=every)).hits
        for text in ("canary", "canary diary fact task", "ignored note", "can001", "tea", "diary")
        for mode in ("hybrid", "keyword", "vector")
    ]
    answers += [
        [vault.notes(every, sort=sort) for sort in ("path", "date", "changed")],
        vault.notes(Filters(tags=("canary",))),
        vault.notes(Filters(folder="private")),
        vault.facts(every),
        vault.tasks(filters=every),
        vault.tags(),
        [vault.note(name) for name in ("joe", "techcorp", "points", "C# notes", "2026-02-09")],
        [vault.links(name) for name in ("joe", "techcorp", "points", "C# notes", "2026-02-09")],
        [vault.read(name) for name in ("joe", "points")],
        vault.today("2026-02-09"),
        vault.check(),
        vault.status(),
        vault.notices,
    ]
    for name in (
        "diary",
        "private/diary.md",
        "Canary",
        "canary diary",
        "secret",
        "hidden/secret.md",
    ):
        for ask in (vault.read, vault.note, vault.links, vault.resolve):
            with pytest.raises(NoteNotFoundError) as caught:
                ask(name)
            answers.append(
                (caught.value.message.replace(name, ""), caught.value.hint.replace(name, ""))
            )
    for answer in answers:
        assert "canary" not in repr(answer).lower(), answer
        assert "private/diary" not in repr(answer), answer
        assert "hidden/secret" not in repr(answer), answer


def test_and_it_is_there_for_who_may_see_it(vault: Vault) -> None:
    allowed = Filters(private=True)
    assert "private/diary.md" in paths(vault, "canary diary", private=True)
    assert "private/diary.md" in [row.path for row in vault.notes(allowed).notes]
    assert any(path == "private/diary.md" for path, _ in vault.facts(allowed).facts)
    assert any(task.path == "private/diary.md" for task in vault.tasks(filters=allowed))
    assert "canary" in [tag.name for tag in vault.tags(private=True)]
    assert vault.note("diary", private=True).private
    assert vault.read("diary#^can001", private=True).lines == ("- canary fact ^can001",)
    assert any(found.path == "private/diary.md" for found in vault.check(private=True))


# -- rows that make no sense ------------------------------------------------------------------------------------


@pytest.fixture
def one_note(tmp_path: Path) -> Vault:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "joe.md").write_text(
        "---\nstate: open\n---\n# Joe\n\n- [ ] call #now\n- Likes [[tea]]\n"
    )
    env = {"AURELIUS_INDEX": str(tmp_path / "index")}
    vault = Vault.find(str(root), env, str(tmp_path), now=TODAY)
    vault.index()
    vault.close()
    return vault


def damage(vault: Vault, sql: str) -> None:
    path = vault.index().path
    vault.close()
    db = apsw.Connection(path)
    db.execute(sql)
    db.close()


def test_a_list_by_damaged_front_matter_is_right(one_note: Vault) -> None:
    damage(one_note, "UPDATE note SET front = '{'")
    found = one_note.notes(Filters(where=(("state", "=", "open"),)))
    assert [note.path for note in found.notes] == ["joe.md"]
    assert any("so it was rebuilt" in notice for notice in one_note.notices)


@pytest.mark.parametrize("table", ["tag", "task", "link", "chunk"])
def test_every_question_survives_a_lost_table(one_note: Vault, table: str) -> None:
    damage(one_note, f"DROP TABLE {table}")
    assert [tag.name for tag in one_note.tags()] == ["now"]
    assert [task.line for task in one_note.tasks(filters=Filters())] == [6]
    assert [row.path for row in one_note.links("joe").outgoing] == ["tea"]
    assert [hit.path for hit in one_note.search(SearchQuery("tea")).hits] == ["joe.md"]
    assert one_note.status().notes == 1


def test_a_bug_is_not_hidden(one_note: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr("indexer.catalog.lists.get_tags", broken)
    with pytest.raises(TypeError, match="a bug"):
        one_note.tags()


def test_an_index_that_another_process_has_locked_whole_is_waited_for_once(
    opened: Callable[[], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened()
    first.refresh()
    first.close()
    path = schema.current_file(first.index_folder)
    waits: list[str] = []
    connect = schema.connect

    def counted(path: str, *, write: bool) -> apsw.Connection:
        waits.append(path)
        return connect(path, write=write)

    monkeypatch.setattr(schema, "BUSY_MS", 30)
    with closing(
        apsw.Connection(str(path))
    ) as stopped:  # as a process that was stopped while it closed the database
        stopped.execute(
            "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE meta SET value=value"
        ).fetchall()
        monkeypatch.setattr(schema, "connect", counted)
        vault = opened()
        found = vault.search(SearchQuery("builds bridges"))
        assert [hit.path for hit in found.hits] == ["companies/techcorp.md"]
        assert vault.index().path == ":memory:"
    waits = [path for path in waits if path != ":memory:"]
    assert waits == [path]
    assert vault.notices[0] == schema.LOCKED


def test_a_question_sees_the_rows_in_one_state(root: Path, opened: Callable[[], Vault]) -> None:
    """Another program may take a note out of the index between two looks at it: that is no damage."""
    one, other = opened(), opened()

    def lists() -> list[str]:
        return [row.path for row in one.notes(Filters()).notes]

    before = lists()
    with one.looking():
        assert lists() == before
        (root / "points.md").unlink()
        other.refresh()
        assert lists() == before
        with one.looking():
            assert lists() == before
        assert lists() == before
    assert lists() == [path for path in before if path != "points.md"]


def test_a_note_that_goes_while_it_is_asked_about_does_not_make_the_index_look_damaged(
    root: Path, opened: Callable[[], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, other = opened(), opened()
    for number in range(3):
        write(root, f"people/p{number}.md", f"# P{number}\n\n## Summary\nWorks on tea {number}.\n")
    listed = Vault.notes

    def gone_after(asked: Vault, *args: Any, **named: Any) -> Any:
        found = listed(asked, *args, **named)
        if "area" in args[0].kinds:  # those in use
            (root / "people/p1.md").unlink()
            other.refresh()
        return found

    monkeypatch.setattr(Vault, "notes", gone_after)
    assert "people/p0.md" in api.context(vault, "tea").text
    assert vault.notices == []
    assert not (root / "people/p1.md").exists()


def test_an_index_that_another_took_the_place_of_answers_whoever_holds_it(
    root: Path, opened: Callable[[], Vault]
) -> None:
    vault = opened()
    held = vault.index()
    write(root, "points.md", "# New\n")
    vault.again({"points.md"})
    assert vault.index() is not held
    assert held.get_keys().keys() == vault.index().get_keys().keys()
    vault.close()
    with pytest.raises(apsw.ConnectionClosedError):
        held.get_keys()
