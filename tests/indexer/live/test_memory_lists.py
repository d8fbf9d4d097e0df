"""What is in memory says what SQL says, to the last bit."""

from __future__ import annotations

import datetime
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from indexer.catalog.filters import Filters
from indexer.live import posting_lists
from indexer.live.memory_lists import Resident
from indexer.note import Settings
from indexer.refresh.refresh import rebuild, refresh
from indexer.rows.rows import Index, open_index
from indexer.search import index_lists
from indexer.search.hit import SearchResult
from indexer.search.index_lists import HEADED, PLAIN_WEIGHTS, IndexLists, TooSlow
from indexer.search.query import SearchQuery, WordMatch, clean_query, match_expression, phrases
from indexer.search.search import search
from indexer.search.view import Scope
from indexer.tokens.embed import Encoder, load_model

NOW = datetime.datetime(2026, 2, 10, 12)
WORDS = (
    "tea",
    "lamp",
    "harbour",
    "Joe",
    "Sarah",
    "invoice",
    "quarterly",
    "garden",
    "rust",
    "C++",
    "茶道入門",
    "東京",
    "ямайка",
    "naïve",
    "3.11.7",
    "run_id",
    "well-known",
    "gardening",
    "teas",
    "🎉",
)
QUERIES = (
    "tea in the garden",
    "Joe's invoice 3.11.7",
    "lamp",
    "C++ rust",
    "東京 茶道",
    "naïve run_id",
    "wo ist der garten",
    '"tea lamp" harbour',
    '"rust invoice"',
    "tea -lamp",
    '-"joe invoice" harbour',
    "zyxomma",
    "",
    "the of and",
    "ямайка 🎉",
    "k3v9q1",
    "quarterly quarterly Sarah",
    '"C++ 東京" garden',
)
FILTERS = (
    Filters(),
    Filters(kinds=("person",)),
    Filters(folder="people"),
    Filters(tags=("x",), status="all"),
    Filters(since="2026-01-10", private=True),
    Filters(types=("fact",), status="superseded"),
    Filters(as_of="2026-01-02"),
)
WAYS = (
    ("hybrid", "default"),
    ("hybrid", "rrf"),
    ("hybrid", "weighted"),
    ("keyword", "default"),
    ("vector", "default"),
)


class Vault(NamedTuple):
    """A small vault that is edited, its settings, and dice."""

    settings: Settings
    dice: random.Random

    def path(self, name: str) -> Path:
        path = Path(self.settings.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str) -> None:
        lines = self.dice.choice(
            ["", "---\nprivate: true\n---\n", "---\ntags: [x]\ndate: 2026-01-20\n---\n"]
        )
        for at in range(self.dice.randint(1, 4)):
            lines += f"# {self.dice.choice(WORDS)}\n\n"
            lines += " ".join(self.dice.choices(WORDS, k=self.dice.randint(1, 60))) + "\n\n"
            newer = self.dice.choice(["", "", f", updates ^k3v9q{at + 1}"])
            lines += f"- {self.dice.choice(WORDS)} {self.dice.choice(WORDS)} (2026-01-0{at + 1}{newer}) ^k3v9q{at}\n"
            lines += "- ~~Likes tea~~ (2025-01-01)\n" if at == 2 else ""
        self.path(name).write_text(lines)

    def refresh(self) -> None:
        refresh(self.settings, now=time.time())[0].close()

    def open(self) -> Index:
        opened = open_index(self.settings.folder, write=False)
        assert opened is not None
        return opened


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = Vault(Settings(str(tmp_path / "vault"), str(tmp_path / "index")), random.Random(7))
    for number in range(40):
        made.write(f"{('people', 'memory', 'projects')[number % 3]}/note {number}.md")
    made.refresh()
    return made


@pytest.fixture
def index(vault: Vault) -> Iterator[Index]:
    opened = vault.open()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


def both(
    index: Index, memory: Resident, encoder: Encoder, query: SearchQuery
) -> tuple[SearchResult, SearchResult]:
    """What is answered from memory and by SQL alone, of the same moment."""
    with index.db:
        warm = search(index, query, encoder, NOW, memory=memory)
        cold = search(index, query, encoder, NOW)
    return warm, cold


def check(vault: Vault, memory: Resident, encoder: Encoder, share: float = 1.0) -> None:
    """Some of all the ways to ask, both ways."""
    index = vault.open()
    assert memory.follow(index)
    for text, (mode, fusion), filters in product(QUERIES, WAYS, FILTERS):
        if vault.dice.random() < share:
            query = SearchQuery(text, mode, fusion, filters, 20, explain=True)
            warm, cold = both(index, memory, encoder, query)
            assert warm == cold, query
    index.close()


def test_every_way_to_ask_gives_the_same(vault: Vault, encoder: Encoder) -> None:
    """Ids, order, scores, what was left out and why."""
    memory = Resident()
    check(vault, memory, encoder, 0.25)
    assert memory.chunks.exact
    assert memory.notes.exact


def test_a_name_that_came_or_went_counts_at_once(vault: Vault, encoder: Encoder) -> None:
    memory, path = Resident(), vault.path("people/note 0.md")
    for name, hit in (("Grey Heron", True), ("Night Heron", True), ("Grey Heron", False)):
        if hit:
            path.write_text(f"---\naliases: [{name}]\n---\nlamp\n")
            vault.refresh()
        index = vault.open()
        warm, cold = both(index, memory, encoder, SearchQuery(name, explain=True))
        assert warm == cold
        assert (
            warm.hits[0].path == "people/note 0.md"
            and "exact" in (warm.hits[0].explain or {})["legs"]
        ) == hit
        index.close()


def edits() -> dict[str, Callable[[Vault], object]]:
    """What happens to a vault."""

    def cut(vault: Vault) -> None:
        path = vault.path("people/note 0.md")
        path.write_text("\n".join(path.read_text().splitlines()[:-2]))

    def many(vault: Vault) -> None:
        for number in range(1, 30):
            vault.write(f"memory/note {number}.md")

    def all_gone(vault: Vault) -> None:
        for path in Path(vault.settings.root).rglob("*.md"):
            path.unlink()
        refresh(vault.settings, now=time.time(), accept_deletions=True)[0].close()
        vault.write("people/first.md")

    def last_then_other(vault: Vault) -> None:
        vault.write("zz.md")
        vault.refresh()
        vault.path("zz.md").unlink()
        vault.refresh()
        vault.write("zzz.md")

    def of_no_words(vault: Vault) -> None:
        vault.path("!.md").write_text("")
        vault.refresh()
        vault.path("!.md").write_text("tea lamp harbour\n")

    return {
        "a new note": lambda vault: vault.write("people/new.md"),
        "a note rewritten": lambda vault: vault.write("people/note 3.md"),
        "a line at the top": lambda vault: vault.path("memory/note 1.md").write_text(
            "lamp\n\n# Joe\n\ntea invoice\n"
        ),
        "lines cut": cut,
        "a note deleted": lambda vault: vault.path("people/note 6.md").unlink(),
        "a note moved": lambda vault: vault.path("people/note 9.md").replace(
            vault.path("projects/tea lamp.md")
        ),
        "the last note, then another": last_then_other,
        "a note without words, then with": of_no_words,
        "a note made empty": lambda vault: vault.path("memory/note 1.md").write_text(""),
        "many notes": many,
        "a rebuild": lambda vault: rebuild(vault.settings, now=time.time())[0].close(),
        "all gone but a new one": all_gone,
    }


def test_after_every_edit_it_is_the_same(vault: Vault, encoder: Encoder) -> None:
    """Whoever wrote the rows: memory learns of them by what it reads."""
    memory = Resident()
    check(vault, memory, encoder, 0.1)
    for name, edit in edits().items():
        edit(vault)
        vault.refresh()
        check(vault, memory, encoder, 0.03)
        index = vault.open()
        with index.db:
            assert (
                memory.lists(index).vectors()
                == index.db.execute("SELECT count(*) FROM chunk_vec").get
            ), name
            lengths = {
                number: int(memory.chunks.lengths[number])
                for number in memory.chunks.ids().tolist()
            }
            assert lengths.keys() == {
                number for (number,) in index.db.execute("SELECT id FROM chunk")
            }, name
            held = {number for (number,) in index.db.execute("SELECT id FROM note")}
            assert set(memory.notes.ids().tolist()) == held, name
        index.close()


EVERYWHERE = Scope("")


def any_of(*forms: str) -> WordMatch:
    return WordMatch(" OR ".join(forms), "", "", forms)


def test_what_memory_can_say_is_not_asked_of_sql(
    index: Index, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = Resident().lists(index)
    vector = encoder.vector(encoder.ids("tea in the garden"))
    for name in ("best", "note_scores", "nearest", "cosines", "vectors"):
        monkeypatch.setattr(IndexLists, name, lambda *_: 1 / 0)
    match = any_of('"tea"', '"joe"')
    assert lists.vectors() > 0
    assert lists.nearest(vector, 10, match, EVERYWHERE)
    assert lists.cosines(vector, [1, 2])
    assert lists.best(match, 10, PLAIN_WEIGHTS, EVERYWHERE, 9.0)[1]
    assert lists.note_scores(match, 9.0)


def test_the_sum_of_phrases_is_fts5s(index: Index) -> None:
    """BM25 of an OR is the sum of each phrase's own, in their order: words, beginnings, compounds, grams, weights."""
    memory, dice = Resident(), random.Random(3)
    for _ in range(150):
        text = " ".join(dice.choices([*WORDS, "the", "der", "zyx"], k=dice.randint(1, 9)))
        terms = clean_query(text, stop=bool(dice.getrandbits(1)))
        forms = [form for form in phrases(terms) if form[0] != "("]
        for weights in (PLAIN_WEIGHTS, HEADED):
            found = memory.lists(index).best(any_of(*forms), 10, weights, EVERYWHERE, 9.0)
            cold = IndexLists(index).best(any_of(*forms), 10, weights, EVERYWHERE, 9.0)
            assert (found[0], sorted(found[1])) == (cold[0], sorted(cold[1])), text
        cold_notes = IndexLists(index).note_scores(any_of(*forms), 9.0)
        assert memory.lists(index).note_scores(any_of(*forms), 9.0) == cold_notes, text


def test_neighbours_and_cosines_are_the_same(index: Index, encoder: Encoder) -> None:
    lists = Resident().lists(index)
    ids = [number for (number,) in index.db.execute("SELECT id FROM chunk_vec")]
    for text in ("tea in the garden", "harbour", "C++"):
        vector = encoder.vector(encoder.ids(text))
        for limit in (1, 10, 100, 10_000):
            warm = lists.nearest(vector, limit, any_of(""), EVERYWHERE)
            cold = IndexLists(index).nearest(vector, limit, any_of(""), EVERYWHERE)
            assert set(warm) == set(cold)
        third = Scope("SELECT id FROM chunk WHERE id % ? = 0", (3,))
        assert set(lists.nearest(vector, 10, any_of(""), third)) == set(
            IndexLists(index).nearest(vector, 10, any_of(""), third)
        )
        cosines = IndexLists(index).cosines(vector, [*ids, 10**6])
        assert lists.cosines(vector, [*ids, 10**6]) == cosines
    cosines = IndexLists(index).cosines(bytes(256), ids[:3])
    assert lists.cosines(bytes(256), ids[:3]) == cosines


def test_more_equals_than_can_be_told_apart_are_left_to_sql(vault: Vault, encoder: Encoder) -> None:
    """Which of them come first is a question of paths."""
    for number in range(400):
        vault.path(f"same/{(number * 7) % 400}.md").write_text(
            "# Same\n\nThe very same words stand here.\n"
        )
    vault.refresh()
    index, memory = vault.open(), Resident()
    vector = encoder.vector(encoder.ids("Same: The very same words stand here."))
    warm_ids = memory.lists(index).nearest(vector, 100, any_of(""), EVERYWHERE)
    assert warm_ids == IndexLists(index).nearest(vector, 100, any_of(""), EVERYWHERE)
    for mode in ("hybrid", "keyword", "vector"):
        warm, cold = both(
            index, memory, encoder, SearchQuery("very same words", mode, explain=True)
        )
        assert warm == cold
    index.close()


def test_more_than_are_ranked(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_lists, "DEPTH", 15)
    memory, forms = Resident(), phrases(clean_query("tea joe lamp"))
    warm = memory.lists(index).best(any_of(*forms), 5, PLAIN_WEIGHTS, EVERYWHERE, 9.0)
    cold = IndexLists(index).best(any_of(*forms), 5, PLAIN_WEIGHTS, EVERYWHERE, 9.0)
    assert (warm[0], sorted(warm[1])) == (cold[0], sorted(cold[1]))
    notes = IndexLists(index).note_scores(any_of(*forms), 9.0)
    assert memory.lists(index).note_scores(any_of(*forms), 9.0) == notes


def test_one_who_reads_the_past_is_left_to_sql(vault: Vault, encoder: Encoder) -> None:
    memory, old, new = Resident(), vault.open(), vault.open()
    with old.db:
        assert memory.follow(old)
        vault.write("people/new.md")
        vault.refresh()
        assert memory.follow(new)
        assert not memory.follow(old)
        warm, cold = both(old, memory, encoder, SearchQuery("tea garden", explain=True))
        assert warm == cold
        assert memory.follow(new)
    assert memory.follow(old)
    old.close()
    new.close()


def test_a_step_that_failed_halfway_is_made_anew(
    vault: Vault, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, index = Resident(), vault.open()
    assert memory.follow(index)
    vault.write("people/new.md")
    vault.refresh()
    with monkeypatch.context() as broken:
        broken.setattr(memory, "_step", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.follow(index)
    index.close()
    check(vault, memory, encoder, 0.1)


def test_several_threads_while_somebody_writes(vault: Vault, encoder: Encoder) -> None:
    """Each asks with its own connection, and every answer is of one moment."""
    memory = Resident()
    wrong: list[object] = []
    done = threading.Event()

    def ask(seed: int) -> None:
        dice, index = random.Random(seed), vault.open()
        try:
            while not done.is_set():
                mode, fusion = dice.choice(WAYS)
                query = SearchQuery(dice.choice(QUERIES), mode, fusion, explain=True)
                warm, cold = both(index, memory, encoder, query)
                if warm != cold:
                    wrong.append(query)
        except BaseException as error:  # noqa: BLE001  # a thread's error has to reach the test
            wrong.append(error)
        finally:
            index.close()

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for number in range(15):
        vault.write(f"people/note {number * 3}.md")
        vault.refresh()
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_takes_too_long_is_left_to_sql(
    index: Index, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time is bounded; a list that is too long is not tried again, the others are there next time."""
    memory = Resident()
    tried: list[float] = []

    @contextmanager
    def over(_: object, seconds: float) -> Iterator[None]:
        tried.append(seconds)
        yield
        raise TooSlow

    with monkeypatch.context() as slow:
        slow.setattr(posting_lists, "deadline", over)
        for _ in range(2):
            match = any_of('"tea"', '"joe"')
            warm_words = memory.lists(index).best(match, 10, PLAIN_WEIGHTS, EVERYWHERE, 9.0)
            cold_words = IndexLists(index).best(match, 10, PLAIN_WEIGHTS, EVERYWHERE, 9.0)
            assert warm_words == cold_words
        assert tried == [posting_lists.LIST_SECONDS]
        warm, cold = both(index, memory, encoder, SearchQuery("tea joe", explain=True))
        assert warm == cold
    monkeypatch.setattr(posting_lists, "SECONDS_A_LIST", -1.0)
    assert memory.chunks.scores(index.db, ['"lamp"', '"joe"'], PLAIN_WEIGHTS) is None


def test_a_machine_that_adds_otherwise_than_fts5_asks_sql(
    index: Index, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where FTS5 was compiled to multiply and add in one step, the last bit differs."""
    parts = posting_lists.Postings._parts
    monkeypatch.setattr(
        posting_lists.Postings, "_parts", lambda *given: parts(*given) * (1 + 2**-52)
    )
    memory = Resident()
    warm, cold = both(index, memory, encoder, SearchQuery("tea joe garden", explain=True))
    assert warm == cold
    assert not memory.chunks.exact


def test_what_is_not_kept(tmp_path: Path, index: Index, encoder: Encoder) -> None:
    """An index that is in memory already, or whose numbers may be used twice, has nothing to gain."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("# Tea\n\nTea.\n")
    made, _ = refresh(Settings(str(tmp_path / "other"), ""), now=time.time())
    memory = Resident()
    assert not memory.follow(made)
    warm, cold = both(made, memory, encoder, SearchQuery("tea", explain=True))
    assert warm == cold
    assert warm.hits
    made.close()
    writing = open_index(index.folder, write=True)
    assert writing is not None
    writing.put_meta("next_chunk", None)
    writing.close()
    assert not memory.follow(index)


def test_an_index_without_vectors(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    vault = Vault(settings, random.Random(1))
    vault.write("a.md")
    vault.refresh()
    index, memory = vault.open(), Resident()
    lists = memory.lists(index)
    assert lists.vectors() == 0
    assert lists.nearest(bytes([1] * 256), 5, any_of(""), EVERYWHERE) == []
    assert lists.cosines(bytes([1] * 256), [1]) == {}
    match = any_of(match_expression(clean_query("tea")))
    assert lists.best(match, 5, PLAIN_WEIGHTS, EVERYWHERE, 9.0)
    index.close()
