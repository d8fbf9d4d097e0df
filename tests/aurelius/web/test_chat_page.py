"""The chat of the pages: what is asked is answered with its lines, a change is offered before it is made, and a
conversation is one session's own."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from aurelius.chat import reply as engine
from aurelius.chat.talk import REPLY_TOLD, Talk, TalkReply, TalkTurn
from aurelius.model.connection import Stop
from aurelius.vault import Vault
from aurelius.web import saying
from aurelius.web.host import Shown
from aurelius.web.saying import SaidForm, said_parts
from aurelius.web.talks import MOST_TURNS, OpenTalk, TurnMark
from indexer.errors import UsageError
from tests.aurelius.web.looking import looked_at
from tests.pages import PageResponse, Pages

JOE = "people/joe-bloggs.md"


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with looked_at(tmp_path) as found:
        yield found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "vault"


def form_of(pages: Pages, **fields: str) -> dict[str, str]:
    """The form of the chat, filled in."""
    found = re.search(r'(?s)action="/chat".*?name="token" value="(\w+)"', pages.get("/").text)
    assert found
    return {"token": found[1], **fields}


def say(pages: Pages, text: str, **fields: str) -> PageResponse:
    """Say a line as a browser without scripts does; the page that it leads to."""
    answer = pages.post("/chat", form_of(pages, text=text, **fields))
    assert answer.status == 303, answer.words
    return follow(pages, answer)


def follow(pages: Pages, answer: PageResponse) -> PageResponse:
    """The page that an answer leads to in the end."""
    while answer.status == 303:
        answer = pages.get(answer.headers["location"].partition("#")[0])
    return answer


def heard(pages: Pages, text: str) -> list[dict[str, str]]:
    """The parts of an answer as a script gets them."""
    own = {
        "origin": pages.url,
        "content-type": "application/x-www-form-urlencoded",
        "x-aurelius-parts": "1",
    }
    answer = pages.ask("POST", "/chat", urlencode(form_of(pages, text=text)).encode(), own)
    assert answer.status == 200
    return [json.loads(line) for line in answer.text.splitlines()]


def turns(page: PageResponse) -> list[str]:
    """The turns of the page as HTML."""
    return re.split(r'<li id="turn-\w+" tabindex="-1">', page.text)[1:]


def name_of_last(page: PageResponse) -> str:
    names: list[str] = re.findall(r'<li id="turn-(\w+)"', page.text)
    return names[-1]


def offer(page: PageResponse) -> tuple[str, dict[str, str]]:
    """The form of the last change that is offered: its action and all of its fields."""
    found = re.findall(
        r'(?s)<div class="offer">.*?<form method="post" action="(/do/\w+)"(.*?)</form>', page.text
    )
    path, inputs = found[-1]
    pairs = re.findall(r'<input[^>]*name="(\w+)"[^>]*?value="([^"]*)"', inputs)
    pairs += [
        (name, value) for value, name in re.findall(r'value="([^"]*)"[^>]*name="(\w+)"', inputs)
    ]
    return path, {name: html.unescape(value) for name, value in pairs}


def test_the_first_page_is_the_chat(pages: Pages) -> None:
    page = pages.get("/")
    assert page.status == 200
    assert '<a href="/" aria-current="page">Chat</a>' in page.text
    assert turns(page) == []


def test_an_answer_cites_its_lines_with_their_role_day_and_place(pages: Pages) -> None:
    page = say(pages, "Where does Joe live?")
    [turn] = turns(page)
    assert "Where does Joe live?" in turn
    assert "<p>Lives in Lisbon</p>" in turn
    assert '<strong>Holds</strong> · <time datetime="2026-01-05">' in turn
    assert f'<a href="/note/{JOE}#line-16">Joe Bloggs' in turn


def test_a_question_that_goes_on_says_what_it_carries_and_is_asked_without_it(pages: Pages) -> None:
    say(pages, "Where does Joe live?")
    page = say(pages, "and where does he work?")
    assert "About Joe Bloggs" in turns(page)[-1]
    alone = say(pages, "", do="alone", turn=name_of_last(page))
    last = turns(alone)[-1]
    assert "and where does he work?" in last
    assert "as before" not in last


def test_what_is_new_is_offered_and_written_after_a_yes(pages: Pages, root: Path) -> None:
    page = say(pages, "Note: the harbour is closed on Mondays")
    path, fields = offer(page)
    day = root / "memory/2026-02-10.md"
    assert not day.exists()
    assert "+- the harbour is closed on Mondays" in html.unescape(page.text)
    done = follow(pages, pages.post(path, fields))
    assert "the harbour is closed on Mondays" in day.read_text()
    last = turns(done)[-1]
    assert "Undo" in last
    assert "Yes, write it" not in last
    assert 'class="done"' not in done.text  # it stands in the turn, not above the page
    undone = follow(pages, pages.post("/do/undo", done.form("undo")))
    assert not day.exists()
    assert "Undone" in turns(undone)[-1]


def test_a_line_that_was_cited_is_corrected_in_its_place(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    page = say(pages, "no, he moved to Porto")
    path, fields = offer(page)
    assert path == "/do/supersede"
    follow(pages, pages.post(path, fields))
    text = (root / JOE).read_text()
    assert re.search(r"- .*Porto \(2026-02-10", text)
    assert "~~Lives in Lisbon~~" in text
    first = turns(pages.get("/"))[0]
    assert "This was replaced since." in first


def test_a_cited_fact_has_forms_that_correct_it_and_lead_back_to_its_turn(pages: Pages) -> None:
    page = say(pages, "Where does Joe live?")
    form = page.form("correct")
    assert form["fact"] == f"{JOE}#^joe001"
    shown = pages.post("/do/correct", {**form, "text": "Lives in Porto"})
    done = pages.post("/do/correct", shown.form("correct"))
    assert done.headers["location"].startswith(f"/?turn={name_of_last(page)}&done=")
    assert "Corrected" in turns(follow(pages, done))[-1]


def test_yes_and_no_may_be_typed(pages: Pages, root: Path) -> None:
    day = root / "memory/2026-02-10.md"
    say(pages, "Note: the harbour is closed")
    page = say(pages, "no")
    assert "Not written." in turns(page)[-1]
    assert not day.exists()
    say(pages, "Note: the harbour is open")
    page = say(pages, "Yes.")
    assert len(turns(page)) == 2
    assert "the harbour is open" in day.read_text()


def test_a_typed_yes_is_to_the_change_that_was_shown(pages: Pages, root: Path) -> None:
    day = root / "memory/2026-02-10.md"
    say(pages, "Note: the harbour is open")
    day.write_text("- Another line\n")
    answer = pages.post("/chat", form_of(pages, text="yes"))
    assert "harbour" not in day.read_text()
    assert "changed" in answer.words


def test_a_typed_yes_is_to_nothing_that_another_window_offered(pages: Pages, root: Path) -> None:
    first = name_of_last(say(pages, "Note: the harbour is open"))
    say(pages, "Note: the ferry is late")
    pages.post("/chat", form_of(pages, text="yes", last=first))
    assert not (root / "memory/2026-02-10.md").exists()
    last = name_of_last(pages.get("/"))
    pages.post("/chat", form_of(pages, text="yes", last=last))
    assert "ferry" in (root / "memory/2026-02-10.md").read_text()


def test_no_is_a_button_too(pages: Pages, root: Path) -> None:
    page = say(pages, "Note: the harbour is closed")
    page = say(pages, "", do="refuse", turn=name_of_last(page))
    assert "Not written." in turns(page)[-1]
    assert "Yes, write it" not in page.text
    assert not (root / "memory/2026-02-10.md").exists()


def test_other_words_for_what_is_offered_are_shown_before_they_are_written(
    pages: Pages, root: Path
) -> None:
    path, fields = offer(say(pages, "Note: the harbour is closed"))
    answer = pages.post(path, {**fields, "text": "The harbour is shut"})
    day = root / "memory/2026-02-10.md"
    assert not day.exists()
    assert answer.headers["location"].startswith("/#turn-")
    shown = follow(pages, answer)
    assert "It is not written yet" in turns(shown)[-1]
    path, fields = offer(shown)
    assert fields["text"] == "The harbour is shut"
    follow(pages, pages.post(path, fields))
    assert day.read_text().endswith("- The harbour is shut\n")


def test_a_typed_yes_is_to_the_words_that_a_change_has_by_now(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    path, fields = offer(say(pages, "no, he moved to Porto"))
    follow(pages, pages.post(path, {**fields, "text": "Lives in Braga", "date": "2026-02-01"}))
    assert "Braga" not in (root / JOE).read_text()
    say(pages, "yes")
    assert re.search(r"- Lives in Braga \(2026-02-01", (root / JOE).read_text())


def test_words_that_cannot_be_written_are_said_in_the_turn(pages: Pages, root: Path) -> None:
    path, fields = offer(say(pages, "Note: the harbour is closed"))
    answer = pages.post(path, {**fields, "text": "My password is hunter2hunter2"})
    last = turns(follow(pages, answer))[-1]
    assert "not written: it looks like a password" in last
    assert not (root / "memory/2026-02-10.md").exists()


def test_a_change_that_would_be_another_one_by_now_is_not_made(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    path, fields = offer(say(pages, "no, he moved to Porto"))
    (root / JOE).write_text((root / JOE).read_text().replace("Plays chess (", "Plays go ("))
    answer = pages.post(path, fields)
    assert answer.status == 409
    assert "Porto" not in (root / JOE).read_text()


def test_a_change_that_can_no_longer_be_made_says_why_and_does_not_draw_the_eye(
    pages: Pages, root: Path
) -> None:
    say(pages, "Where does Joe live?")
    say(pages, "no, he moved to Porto")
    text = (root / JOE).read_text()
    (root / JOE).write_text(text.replace(" ^joe001\n", " ^joe009\n"))
    page = pages.get("/")
    assert "Yes, write it" not in page.text
    assert "joe001" in turns(page)[1]
    assert (
        'class="wrong"' not in page.text
    )  # what has this class gets the focus, whenever it is shown


def test_a_line_that_changed_since_it_was_cited_says_so(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    before = (root / JOE).read_text()
    assert "since" not in turns(pages.get("/"))[0].replace("True since", "")
    (root / JOE).write_text(before.replace("Lives in Lisbon", "Lives in Lisbon, by the river"))
    assert "changed since, to “Lives in Lisbon, by the river”" in turns(pages.get("/"))[0]
    (root / JOE).write_text(
        before.replace("- Lives in Lisbon", "- Sleeps in Lisbon").replace(" ^joe001\n", "\n")
    )
    assert "not there any more" in turns(pages.get("/"))[0]
    (root / JOE).write_text(before)
    assert "since" not in turns(pages.get("/"))[0].replace("True since", "")


def test_a_cited_line_moves_with_its_note_and_is_hidden_where_that_is_private(
    pages: Pages, root: Path
) -> None:
    say(pages, "Where does Joe live?")
    before = (root / JOE).read_text()
    (root / JOE).write_text(before.replace("## Facts\n", "## Facts\n\n"))
    assert f"/note/{JOE}#line-17" in turns(pages.get("/"))[0]
    (root / JOE).write_text(before.replace("type: person", "type: person\nprivate: true"))
    turn = turns(pages.get("/"))[0]
    assert "Lisbon" not in turn
    assert "not there any more" in turn


def test_what_waits_is_asked_one_at_a_time_until_one_says_stop(pages: Pages) -> None:
    page = say(pages, "what waits")
    assert "/do/accept" in turns(page)[-1]
    done = follow(pages, pages.post("/do/dismiss", page.form("dismiss")))
    last = turns(done)[-1]
    assert "Dismissed" in last
    assert "Take it back" in last
    assert "/do/accept" not in last
    assert "Nothing waits" in turns(say(pages, "what waits"))[-1]
    say(pages, "stop asking")
    key = next(iter(pages.host.sessions._keys.values()))
    talk = pages.host.sessions.talk_of(key).talk
    assert len(talk.asked) == 1
    assert not talk.may_ask


def test_what_waits_can_wait_longer(pages: Pages) -> None:
    page = say(pages, "what waits")
    page = say(pages, "", do="later", turn=name_of_last(page))
    last = turns(page)[-1]
    assert "/do/accept" not in last
    assert 'It waits: decide it in the <a href="/review">' in last
    assert "/do/accept" in pages.get("/review").text


def test_a_question_of_the_review_is_answered_in_words(pages: Pages) -> None:
    say(pages, "what waits")
    page = say(pages, "later")
    assert len(turns(page)) == 1
    assert "It waits" in turns(page)[-1]
    say(pages, "start over")
    say(pages, "what waits")
    assert "Dismissed" in turns(say(pages, "no"))[-1]
    assert "/do/accept" not in pages.get("/review").text
    page = say(pages, "undo")
    assert "Restored" in turns(page)[-1]
    assert "/do/accept" in pages.get("/review").text
    assert "nothing to undo" in turns(say(pages, "undo"))[-1]


def test_yes_to_a_question_of_the_review_shows_the_change_first(pages: Pages) -> None:
    say(pages, "what waits")
    answer = pages.post("/chat", form_of(pages, text="yes"))
    assert "This would change" in answer.words
    done = follow(pages, pages.post("/do/accept", answer.form("accept")))
    assert "Undo" in turns(done)[-1]


def test_undo_takes_back_the_last_change_of_the_conversation(pages: Pages, root: Path) -> None:
    assert "nothing to undo" in turns(say(pages, "undo"))[-1]
    say(pages, "Note: the harbour is open")
    say(pages, "yes")
    page = say(pages, "undo")
    assert "Undone" in turns(page)[-1]
    assert not (root / "memory/2026-02-10.md").exists()
    assert "nothing to undo" in turns(say(pages, "undo"))[-1]


def test_what_answers_counts_as_used(pages: Pages) -> None:
    say(pages, "Where does Joe live?")
    assert "Used on 1 day" in pages.get("/fact/joe001").words
    assert "Not used yet" in pages.get("/fact/joe002").words


def test_it_is_kept_nowhere_unless_one_says_so(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    assert not (root / "conversations").exists()
    page = say(pages, "keep this conversation")
    [kept] = (root / "conversations").iterdir()
    assert "Where does Joe live?" in kept.read_text()
    assert "Undo" in turns(page)[-1]


def test_what_is_kept_twice_is_one_note_that_goes_on(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    page = say(pages, "keep this conversation")
    [kept] = (root / "conversations").iterdir()
    assert f'href="/note/conversations/{kept.name}"' in turns(page)[-1]
    assert pages.get(f"/note/conversations/{kept.name}").status == 200
    before = kept.read_text()
    page = say(pages, "keep this conversation")
    assert "kept already" in turns(page)[-1]
    assert f'href="/note/conversations/{kept.name}"' in turns(page)[-1]
    assert kept.read_text() == before
    say(pages, "and since when?")
    page = say(pages, "keep this conversation")
    assert [*(root / "conversations").iterdir()] == [kept]
    assert kept.read_text().startswith(before)
    assert "and since when?" in kept.read_text()
    assert "keep this" not in kept.read_text()
    say(pages, "undo")
    assert kept.read_text() == before


def test_a_kept_note_that_the_person_changed_stays_as_it_is(pages: Pages, root: Path) -> None:
    say(pages, "Where does Joe live?")
    say(pages, "keep this conversation")
    [kept] = (root / "conversations").iterdir()
    own = kept.read_text().replace("Conversation", "Talk")
    kept.write_text(own)
    say(pages, "and since when?")
    say(pages, "keep this conversation")
    [new] = {*(root / "conversations").iterdir()} - {kept}
    assert "and since when?" in new.read_text()
    assert kept.read_text() == own


def test_one_can_start_over(pages: Pages) -> None:
    say(pages, "Where does Joe live?")
    assert turns(say(pages, "start over")) == []


def test_a_conversation_is_one_sessions_own(pages: Pages) -> None:
    say(pages, "Where does Joe live?")
    first = pages.cookie
    pages.sign_in()
    assert turns(pages.get("/")) == []
    pages.cookie = first
    assert len(turns(pages.get("/"))) == 1


def test_what_is_too_long_is_not_answered(pages: Pages) -> None:
    [turn] = turns(say(pages, "word " * 1000))
    assert "too long: 4,999 letters, 2,000 at most" in turn


def test_a_script_gets_the_turn_and_a_text_to_be_heard_once(pages: Pages) -> None:
    part, last = heard(pages, "Where does Joe live?")
    assert "told" not in part
    assert last["told"].count("Lives in Lisbon") == 1
    assert "<" not in last["told"]
    [turn] = turns(pages.get("/"))
    assert part["turn"].partition(">")[2].strip() == turn.partition("</ol>")[0].strip()


def test_a_script_is_led_elsewhere_where_nothing_is_answered(pages: Pages) -> None:
    say(pages, "Note: the harbour is open")
    [part] = heard(pages, "yes")
    assert part["place"].startswith("/?turn=")
    assert "turn" not in part


def one(answer: Callable[..., TalkReply]) -> Callable[..., Iterator[TalkReply]]:
    """Replies that are one, and whole."""

    def replies(vault: Vault, talk: Talk, text: str, *_: object) -> Iterator[TalkReply]:
        yield answer(vault, talk, text)

    return replies


def test_what_is_stopped_is_not_kept_and_nothing_more_is_made(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    stop = Stop()

    def answer(_: Vault, __: Talk, text: str) -> TalkReply:
        asked.append(text)
        stop.set()
        return TalkReply(REPLY_TOLD, "Never shown")

    monkeypatch.setattr(saying, "replies", one(answer))
    sessions = pages.host.sessions
    key = next(iter(sessions._keys.values()))
    sent = SaidForm(pages.host, Shown(key, "/chat"), {"text": "What?"}, stop)
    assert list(said_parts(sent)) == []
    assert asked == ["What?"]
    assert sessions.talk_of(key) == OpenTalk()


def test_a_failure_of_an_answer_is_a_turn(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(*_: object) -> TalkReply:
        raise UsageError("the day cannot be read", "write it as 2026-02-10")

    monkeypatch.setattr(saying, "replies", one(answer))
    [turn] = turns(say(pages, "What?"))
    assert "<p>The day cannot be read. " in turn


def test_a_form_that_is_not_of_this_session_says_nothing(pages: Pages) -> None:
    form = form_of(pages, text="Where does Joe live?")
    assert pages.post("/chat", {**form, "token": "x"}).status == 403
    assert (
        pages.post("/chat", {**form, "token": pages.get("/memory").form("note")["token"]}).status
        == 403
    )
    own = {"content-type": "application/x-www-form-urlencoded"}
    assert pages.ask("POST", "/chat", urlencode(form).encode(), own).status == 403
    assert pages.ask("GET", "/chat", b"", {}).status == 404
    pages.cookie = ""
    assert pages.post("/chat", form).status == 401
    pages.sign_in()
    assert turns(pages.get("/")) == []


def test_a_conversation_has_an_end() -> None:
    here = OpenTalk()
    for number in range(MOST_TURNS + 3):
        here = here.with_turn(
            TalkTurn(f"said {number}", TalkReply(REPLY_TOLD, "")), TurnMark(str(number))
        )
    assert len(here.talk.turns) == len(here.marks) == MOST_TURNS
    assert (here.talk.turns[0].said, here.marks[0].name) == ("said 3", "3")
    assert here.is_cut
    here = here.with_turn(TalkTurn("x" * 300_000, TalkReply(REPLY_TOLD, "")), TurnMark("last"))
    assert [each.name for each in here.marks] == ["last"]


def test_a_long_conversation_is_shown_in_parts(pages: Pages) -> None:
    for number in range(10):
        say(pages, f"help {number}" if number else "help")
    page = pages.get("/")
    assert 'href="?part=1" rel="prev"' in page.text
    assert len(turns(pages.get("/?part=1"))) == 8
    assert len(page.text) < 100_000


def test_a_hostile_line_stays_text(tmp_path: Path) -> None:
    line = "- Zorblax <script>pwned()</script> ![x](http://evil.example/x.png) <img src=x onerror=pwned()>"
    with looked_at(
        tmp_path, {"people/zorblax.md": f"# Zorblax\n\n## Facts\n\n{line} (2026-02-01) ^zor001\n"}
    ) as pages:
        page = say(pages, "What is Zorblax?<script>pwned()</script>")
    assert "Zorblax" in turns(page)[0]
    assert "<script>p" not in page.text
    assert "<img" not in page.text


def test_an_engine_is_asked_with_the_conversation_so_far(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[tuple[str, ...]] = []

    def answer(vault: Vault, talk: Talk, text: str) -> TalkReply:
        known.append(tuple(each.said for each in talk.turns))
        return engine.reply_to(vault, talk, text)

    monkeypatch.setattr(saying, "replies", one(answer))
    say(pages, "Where does Joe live?")
    say(pages, "and since when?")
    assert known == [(), ("Where does Joe live?",)]


def test_a_cited_line_tells_its_day_once_and_a_heading_that_says_something(tmp_path: Path) -> None:
    house = "# House\n\n## Cellar\n\n- The pump is a Zorblax (2026-01-03) ^zor001\n\n## Facts\n\n- The roof is a Frobnitz (2026-01-04) ^fro001\n"
    notes = {"projects/house.md": house, "memory/2026-02-05.md": "- The Quuxel came\n"}
    with looked_at(tmp_path, notes) as pages:
        [pump] = turns(say(pages, "What is the Zorblax?"))
        roof = turns(say(pages, "What is the Frobnitz?"))[-1]
        came = turns(say(pages, "When did the Quuxel come?"))[-1]
    assert "</a> › Cellar ·" in pump or "</a> › Cellar<" in pump
    assert "›" not in roof
    meta = came.partition("<strong>")[2].partition("</p>")[0]
    assert meta.count(">2026-02-05<") == 1


def test_a_list_that_is_cut_leads_to_the_page_that_has_all(tmp_path: Path) -> None:
    tasks = "".join(f"- [ ] Paint plank {number}\n" for number in range(12))
    lines = "".join(f"- Plank {number} came\n" for number in range(12))
    notes = {"projects/boat.md": f"# Boat\n\n{tasks}", "memory/2026-02-05.md": lines}
    with looked_at(tmp_path, notes) as pages:
        every = turns(say(pages, "Which tasks are open?"))[-1]
        days = turns(say(pages, "What did I do last week?"))[-1]
        alone = turns(say(pages, "Where does Joe live?"))[-1]
    assert '<a href="/tasks">All tasks</a>' in every
    found = re.search(r'<a href="(/memory/timeline[^"]*)">All of these days</a>', days)
    assert found
    assert html.unescape(found[1]) == "/memory/timeline?from=2026-02-02&until=2026-02-08"
    assert "All " not in alone


def test_two_notes_with_one_title_are_told_apart_and_the_persons_own_is_theirs(
    tmp_path: Path,
) -> None:
    notes = {
        "people/ann-1.md": "# Ann\n\n- The Zorblax is hers (2026-02-01)\n",
        "people/ann-2.md": "# Ann\n\n- The Zorblax is loved (2026-02-01)\n",
        "ME.md": "# Me\n\n## Facts\n\n- The Frobnitz is mine (2026-02-01)\n",
    }
    with looked_at(tmp_path, notes) as pages:
        turn = turns(say(pages, "Who has the Zorblax?"))[-1]
        mine = turns(say(pages, "Who has the Frobnitz?"))[-1]
        note = pages.get("/note/ME.md").text
    assert "Ann (people/ann-1.md)" in turn
    assert "Ann (people/ann-2.md)" in turn
    assert ">You<" in mine
    assert "<h1>You</h1>" in note


def test_the_latest_part_of_a_conversation_is_full(pages: Pages) -> None:
    for number in range(9):
        say(pages, f"help {number}" if number else "help")
    page = pages.get("/")
    assert len(turns(page)) == 8
    assert "2 to 9 of 9 turns" in page.words
