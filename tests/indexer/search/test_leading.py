"""What programs keep for themselves leads no answer, unless the question asks for it."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterator, Sequence
from math import isclose, prod
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.hit import Hit, SearchResult
from indexer.search.leading import is_asked_for, memories
from indexer.search.query import SearchQuery
from indexer.search.recall import recall
from indexer.search.search import search
from indexer.tokens.embed import load_model

NOW = datetime.datetime(2026, 6, 1, 12)
NOTES = {
    "AGENTS.md": "# Agents\n\nSearch the vault before you answer. Write to the vault what lasts.\n",
    "skills/notes/SKILL.md": "# Vault skill\n\nHow to search the vault.\n",
    "resources/backup.md": "# Backup\n\nThe vault is copied to the shelf disk each night.\n",
    "resources/dates.md": "---\ntype: date\ndate: 2026-01-02\n---\n# Sorting\n\nWhat type of fruit a date is.\n",
    "resources/stripe.md": "---\ncategory: fact\nkeywords: [stripe, authentication]\n---\n# Stripe\n\nInvoices.\n",
    "resources/login.md": "# Login\n\nAuthentication is by a JWT in a cookie.\n",
    "resources/fern.md": "---\ncolour: turquoise\n---\n# Fern\n\nStands in the hall.\n",
    "memory/dreaming/light/2026-02-03.md": "# Light\n\n- The greenhouse project\n- confidence: 0.58\n",
    "memory/2026-02-03.md": "- Talked about glass for the greenhouse, a project of the spring\n",
    "people/joe.md": "# Joe\n\n## Facts\n- Works as a plumber (2026-01-01)\n",
    "people/tom.md": "# Tom\n\n## Facts\n- Changed his work to carpentry (2026-01-01)\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (Path(root) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(root) / path).write_text(text, encoding="utf-8")
    made, _ = refresh(Settings(str(root), ""), now=time.time())
    yield made
    made.close()


def ask(
    index: Index, text: str, is_example: Callable[[str, str], bool] | None = None
) -> Sequence[Hit]:
    query = SearchQuery(text, explain=True)
    return search(index, query, load_model(), NOW, is_example=is_example).hits


def test_a_guide_for_agents_stands_behind_a_note_that_answers(index: Index) -> None:
    paths = [hit.path for hit in ask(index, "vault search")]
    assert paths[0] == "resources/backup.md"
    assert {"AGENTS.md", "skills/notes/SKILL.md"} <= {*paths}


def test_a_guide_leads_where_it_is_asked_for_by_its_name(index: Index) -> None:
    assert ask(index, "AGENTS.md")[0].path == "AGENTS.md"


Asked = Callable[..., SearchResult]


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    """Asks a question of a vault of these notes, all of which may be called examples."""
    made = []

    def answer(question: str, notes: dict[str, str], **asking: Any) -> SearchResult:
        for path, text in notes.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")
        index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
        made.append(index)
        examples = asking.pop("examples", ())
        query = SearchQuery(question, **asking)
        return search(index, query, load_model(), NOW, is_example=lambda path, _: path in examples)

    yield answer
    for index in made:
        index.close()


GUIDE = {
    "AGENTS.md": "# Agents\n\nUse what fits. Cite the path and the line. Search first.\n\n"
    "- Never write a password, a key or a card number.\n\n"
    "- Stay silent in group chats.\n"
}
OWN = {
    "areas/bikes.md": "# Bikes\n\nThe rear tyre of the bike was changed in March.\n",
    "people/mia.md": "# Mia\n\nPaints and swims on Mondays.\n",
}


@pytest.mark.parametrize(
    "question",
    ["saddle fitting for the horse", "secret phrase for the router", "who rides a motorcycle"],
)
@pytest.mark.parametrize("examples", [(), tuple(OWN)])
def test_a_guide_stands_behind_every_note_of_a_weak_answer_an_example_too(
    asked: Asked, question: str, examples: tuple[str, ...]
) -> None:
    found = asked(question, GUIDE | OWN, examples=examples)
    assert found.weak
    assert found.hits[0].path in OWN
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_word_that_a_guide_alone_holds_does_not_make_it_the_answer(asked: Asked) -> None:
    found = asked("who fits a saddle", GUIDE | OWN)
    assert found.weak
    assert found.hint == "no note holds 'saddle'; nearest in meaning:"
    assert found.hits[0].path in OWN


def test_a_guide_that_alone_holds_every_word_of_the_question_is_the_answer(asked: Asked) -> None:
    found = asked("when to stay silent in group chats", GUIDE | OWN)
    assert not found.weak
    assert [hit.path for hit in found.hits] == ["AGENTS.md"]


def test_the_one_note_of_a_weak_answer_leads_though_a_guide_fills_the_list(asked: Asked) -> None:
    lines = "\n\n".join(
        f"## Step {at}\n\nA rider on a bike, a cyclist on a bicycle, part {at}" for at in range(9)
    )
    found = asked("who rides a motorcycle", {"AGENTS.md": f"# Agents\n\n{lines}\n"} | OWN)
    assert found.weak
    assert [hit.path in OWN for hit in found.hits] == [True, False, False, False, False]


@pytest.mark.parametrize(
    ("question", "asking"),
    [
        ("AGENTS.md", {}),
        ("what does agents.md say about group chats", {}),
        ("group chats", {"filters": Filters(folder="AGENTS.md")}),
        ("group chats", {"mode": "keyword"}),
        ("group chats", {"fusion": "rrf"}),
    ],
)
def test_a_guide_leads_where_it_is_named_alone_or_in_a_published_order(
    asked: Asked, question: str, asking: dict[str, Any]
) -> None:
    own = {"areas/words.md": "# Words\n\nWhat people say and write.\n"}
    found = asked(question, GUIDE | OWN | own, **asking)
    assert not found.weak
    assert found.hits[0].path == "AGENTS.md"


def test_a_note_of_a_person_that_answers_keeps_its_place_beside_a_guide(asked: Asked) -> None:
    own = {"areas/chats.md": "# Family\n\nThe group chats of the family are silent at night.\n"}
    found = asked("when are group chats silent", GUIDE | OWN | own)
    assert not found.weak
    assert [hit.path for hit in found.hits][:2] == ["areas/chats.md", "AGENTS.md"]
    assert found.hits[1].explain is None


GRAPH = {
    "pages/Zotero.md": "# Zotero\n\nImports articles.\n\n## Block\n\n- type:: [[Reference command]]\n"
    "  tags:: citation, library\n",
    "journals/2026_02_01.md": "## Log\n\n- tags:: citation style\n\n## Evening\n\n- Went home\n",
    "pages/styles.md": "# Styles\n\nA citation of a library book names the year, the place and who printed"
    " it; one style is Harvard, and there is no command for it.\n",
    "pages/health.md": "# Health\n\nBlood type: A positive, says the citation in the file.\n",
}


@pytest.mark.parametrize("question", ["style tags", "tags of the library", "type of a command"])
def test_a_property_of_a_block_leads_no_answer_and_is_no_memory(
    asked: Asked, question: str
) -> None:
    found = asked(question, GRAPH, limit=50)
    assert found.hits[0].path in {"pages/styles.md", "pages/health.md"}
    held = [hit for hit in found.hits if "tags::" in hit.text]
    assert held, "it is still found"
    assert not [hit for hit in memories(found.hits, question.split()) if "tags::" in hit.text]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("style tags::", "journals/2026_02_01.md"),
        ("what holds the word reference", "pages/Zotero.md"),
        ("what is my blood type", "pages/health.md"),
        ("which style is Harvard", "pages/styles.md"),
    ],
)
def test_a_property_leads_where_it_is_typed_or_all_there_is_and_text_as_ever(
    asked: Asked, question: str, first: str
) -> None:
    assert asked(question, GRAPH).hits[0].path == first


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what type of date", "resources/dates.md"),
        ("how does authentication work", "resources/login.md"),
    ],
)
def test_a_row_of_bookkeeping_stands_behind_the_text_that_answers(
    index: Index, question: str, first: str
) -> None:
    hits = ask(index, question)
    assert (hits[0].path, hits[0].grain == "property") == (first, False)


@pytest.mark.parametrize("question", ["what type of date", "how does authentication work", "fruit"])
def test_front_matter_that_nobody_asked_for_is_no_hit(index: Index, question: str) -> None:
    assert not [hit.path for hit in ask(index, question) if hit.grain == "property"]


def test_front_matter_is_no_hit_where_nothing_else_is_there_either(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntype: date\ncreated: 2026-01-02\n---\n", "utf-8")
    made, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    found = search(made, SearchQuery("what type of date"), load_model(), NOW)
    made.close()
    assert not found.hits
    assert found.hint


def test_a_note_that_is_all_front_matter_is_found_by_a_value(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntype: [Parks, Shrines]\nrating: 7\n---\n", "utf-8")
    made, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    found = {asked: bool(ask(made, asked)) for asked in ("shrines", "what type of shrine")}
    made.close()
    assert found == {"shrines": True, "what type of shrine": False}


@pytest.mark.parametrize("question", ["turquoise", "what colour"])
def test_a_property_is_found_by_its_key_and_by_its_value(index: Index, question: str) -> None:
    assert ask(index, question)[0].path == "resources/fern.md"


def test_what_an_agent_dreamt_is_no_daily_note_and_leads_nothing(index: Index) -> None:
    hits = ask(index, "greenhouse project")
    assert hits[0].path == "memory/2026-02-03.md"
    kinds = dict(index.db.execute("SELECT path, kind FROM note WHERE path LIKE 'memory/%'"))
    assert kinds == {"memory/2026-02-03.md": "daily", "memory/dreaming/light/2026-02-03.md": "note"}
    facts = index.db.execute(
        "SELECT count(*) FROM fact JOIN note ON note.id = note WHERE path LIKE '%dreaming%'"
    ).get
    assert facts == 0


def test_what_an_agent_dreamt_is_left_out_told_and_found_where_it_is_asked_for(
    index: Index,
) -> None:
    for mode in ("hybrid", "keyword"):
        found = search(index, SearchQuery("greenhouse project", mode=mode), load_model(), NOW)
        assert "memory/dreaming/light/2026-02-03.md" not in [hit.path for hit in found.hits]
        assert found.filtered["memory/dreaming"] == 1
        told = "left out: 1 in memory/dreaming/; `--in memory/dreaming` searches there"
        assert told in found.notices
    there = SearchQuery("greenhouse project", filters=Filters(folder="memory/dreaming"))
    hits = search(index, there, load_model(), NOW).hits
    assert {hit.path for hit in hits} == {"memory/dreaming/light/2026-02-03.md"}


def test_an_example_leads_only_where_its_note_is_named(index: Index) -> None:
    question = "who does work as a plumber"
    assert ask(index, question)[0].path == "people/joe.md"

    def is_example(path: str, text: str) -> bool:
        assert "plumber" in text or path != "people/joe.md"
        return path == "people/joe.md"

    assert ask(index, question, is_example)[0].path == "people/tom.md"
    assert ask(index, "does joe work as a plumber", is_example)[0].path == "people/joe.md"


@pytest.mark.parametrize("question", ["vault search", "what type of date", "greenhouse project"])
def test_the_terms_of_a_moved_hit_still_make_its_score(index: Index, question: str) -> None:
    hits = ask(index, question)
    scores = [round(hit.score, 9) for hit in hits]
    assert scores == sorted(scores, reverse=True)
    for hit in hits:
        assert hit.explain is not None
        assert isclose(
            hit.score,
            sum(hit.explain["legs"].values()) * prod(hit.explain["priors"].values()),
            abs_tol=1e-6,
        )


def test_recall_tells_no_guide_no_dream_and_no_bookkeeping(index: Index) -> None:
    for question in ("vault search", "what type of date", "greenhouse project"):
        found = search(index, SearchQuery(question, limit=50), load_model(), NOW)
        told = recall(index, found, load_model()).answers
        assert told
        assert all("AGENTS" not in one.hit.path and "dreaming" not in one.hit.path for one in told)
        assert all(one.hit.grain != "property" for one in told)


def test_a_property_that_is_asked_for_is_a_memory(index: Index) -> None:
    hits = search(index, SearchQuery("turquoise"), load_model(), NOW).hits
    assert [hit.path for hit in memories(hits, ["turquoise"])][:1] == ["resources/fern.md"]
    assert not any(hit.grain == "property" for hit in memories(hits, ["blue"]))


@pytest.mark.parametrize(
    ("properties", "words", "asked"),
    [
        ("owner: Ann Lee", ["ann"], True),
        ("owner: Ann Lee", ["owners"], True),
        ("type: book\ncreated: 2026-01-02", ["book"], False),
        ("created-at: 2026-01-02\nrating: 7", ["created"], False),
        ("type: book\nrating: 7", ["rating"], True),
        ("tags: work, home", ["work"], False),
        ("", ["work"], False),
    ],
)
def test_bookkeeping_is_never_asked_for(properties: str, words: list[str], asked: bool) -> None:
    assert is_asked_for(properties, words) is asked
