"""Answers in the words of a model: what is shown of them, what is not, and what is told where it fails."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.api import SharedVault
from aurelius.chat.model_answer import MOST_ROUNDS, answer_with_model
from aurelius.chat.reply import reply_to
from aurelius.chat.talk import Talk, TalkReply
from aurelius.model.connection import Model, Stop, UnansweredError
from aurelius.model.endpoint import Ended, Endpoint, Spent, endpoint_of
from tests.aurelius.model.test_endpoint import Script, Server, raw
from tests.aurelius.model.test_streams import end, events, streamed, words
from tests.scripted import Said, Scripted, call

NOW = datetime.datetime(2026, 6, 24, 12)
NOTES = {
    "people/joe-bloggs.md": (
        "---\naliases: [Joe]\n---\n# Joe Bloggs\n\n## Facts\n\n"
        "- Lives in Los Angeles (2026-02-01) ^k3v9qa\n"
        "- Works at [[companies/techcorp]] as engineer (2026-01-15)\n"
        "- Drinks tea, never coffee (2025-11-20, preference)\n\n## History\n\n"
        "- ~~Lives in San Diego~~ (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^d8w4tt\n"
    ),
    "people/nora.md": "---\nprivate: true\n---\n# Nora\n\n- Joe owes me 12 pounds for the boat\n",
    "conversations/one.md": "# One\n\n- Joe said that the boat leaks\n",
    "agents/codex/two.md": "# Two\n\n- Joe wants the boat green\n",
    "companies/techcorp.md": "# TechCorp\n\n## Facts\n\n- Sells clocks (2025-01-15)\n",
    "memory/2026-03-03.md": "# 2026-03-03\n\n- Repaired the boat with Joe\n- Paid 300 euro for oak\n",
    "memory/2026-03-05.md": "# 2026-03-05\n\n- The password of the boat house is hunter2-Xq81z\n",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SharedVault]:
    for each in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{each}_HOME", str(tmp_path / each))
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with SharedVault.open(root, now=NOW) as vault:
        yield vault


ASK = "where does joe live"


def answered(
    vault: SharedVault, model: Endpoint, ask: str = ASK, stop: Stop | None = None
) -> list[TalkReply]:
    plain = reply_to(vault, Talk(), ask)
    return [*answer_with_model(vault, Talk(), plain, model, stop or Stop())]


def said(reply: TalkReply) -> list[tuple[str, list[str]]]:
    """The sentences of a reply, each with the places of its lines; a line in the place of one in brackets."""
    return [
        (
            f"({each.text})" if each.is_own_line else each.text,
            [reply.lines[at].place for at in each.rests_on],
        )
        for each in reply.sentences
    ]


LA = "people/joe-bloggs.md:8"
GOOD = "Joe lives in Los Angeles. [L1]"


def test_each_sentence_is_shown_with_its_lines_as_soon_as_it_is_there(vault: SharedVault) -> None:
    model = Scripted([GOOD[:9], GOOD[9:], "\nBefore, he lived in San Diego. [L2]\n"])
    found = answered(vault, model)
    assert [len(each.sentences) for each in found] == [0, 1, 2, 2]
    assert [each.is_whole for each in found] == [False, False, False, True]
    assert found[0].lines[0].place == LA
    assert said(found[-1]) == [
        ("Joe lives in Los Angeles.", [LA]),
        ("Before, he lived in San Diego.", ["people/joe-bloggs.md:14"]),
    ]
    assert found[-1].found
    assert found[-1].told == ()


def test_without_a_line_the_model_is_not_asked(vault: SharedVault) -> None:
    model = Scripted([GOOD])
    nothing = TalkReply(
        "answer", "Nothing in your notes answers that.", asked=reply_to(vault, Talk(), ASK).asked
    )
    assert [*answer_with_model(vault, Talk(), nothing, model, Stop())] == [nothing]
    assert model.asked == []


def test_a_sentence_that_its_lines_do_not_bear_out_is_replaced_by_them(vault: SharedVault) -> None:
    last = answered(vault, Scripted([f"{GOOD}\nHe drinks coffee. [L3]\nAsk his mother!\n"]))[-1]
    assert said(last) == [
        ("Joe lives in Los Angeles.", [LA]),
        ("(Drinks tea, never coffee)", ["people/joe-bloggs.md:10"]),
    ]
    assert last.told == (
        "1 sentence was replaced by your own lines",
        "1 sentence was left out: no line bears out what was said",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Joe lives in Los Angeles.",
        "Joe lives in Los Angeles. [L99]",
        "Sure! Here is what I found:",
        "![joe](http://evil.example/joe.png)",
        "<b>Joe</b> lives in Los Angeles.",
    ],
)
def test_what_names_no_line_of_these_is_never_shown(vault: SharedVault, text: str) -> None:
    found = answered(vault, Scripted([text]))
    assert not any(each.sentences for each in found)
    assert found[-1].lines[0].place == LA
    assert found[-1].told == (
        "nothing that your model said rests on a line of yours: here they are alone",
    )


@pytest.mark.parametrize(
    "text", ["[Joe](http://evil.example) lives in Los Angeles. [L1]", "Joe lives in Oslo. [L1]"]
)
def test_where_no_sentence_holds_the_lines_stand_alone(vault: SharedVault, text: str) -> None:
    last = answered(vault, Scripted([text]))[-1]
    assert (last.sentences, last.lines[0].place, last.found) == ((), LA, True)
    assert "of yours: here they are" in last.told[0] or "here are those it named" in last.told[0]


def test_where_the_model_finds_nothing_the_lines_are_only_the_nearest(vault: SharedVault) -> None:
    last = answered(vault, Scripted(["NOTHING"]))[-1]
    assert not last.found
    assert {each.role for each in last.lines} == {"near"}
    assert "finds no answer" in last.text
    assert last.told == ()


def test_what_it_took_is_told(vault: SharedVault) -> None:
    spends: list[Said] = [call("get", ref="L1"), Spent(700, 9, 0.001)]
    last = answered(vault, Scripted(spends, [GOOD, Spent(900, 12, 0.002)]))[-1]
    assert last.told == ("1,600 tokens read, 21 written; cost as the server says: 0.003",)


# -- looking things up


def brought(vault: SharedVault, *calls: Said) -> list[tuple[str, list[str]]]:
    """What calls bring: the words of each result, and the texts of its lines."""
    model = Scripted([*calls], ["NOTHING"])
    answered(vault, model)
    return [
        (turn.text, [line.text for line in turn.lines])
        for turn in model.asked[1].turns
        if turn.who == "tool"
    ]


@pytest.mark.parametrize(
    "asked",
    [
        call("search", query="who repaired the boat"),
        call("recall", question="who repaired the boat"),
        call("days", days="2026-03"),
        call("get", ref="2026-03-03"),
        call("graph", name="Joe Bloggs"),
    ],
    ids=lambda each: each.name,
)
def test_a_look_up_brings_lines_that_an_answer_may_rest_on(vault: SharedVault, asked: Said) -> None:
    model = Scripted([asked], ["You repaired the boat with Joe. [L1, L2, L3, L4, L5]"])
    answered(vault, model)
    lines = model.asked[1].given()
    boat = next(each for each in lines.values() if each.text == "Repaired the boat with Joe")
    model = Scripted([asked], [f"You repaired the boat with Joe on 2026-03-03. [{boat.id}]"])
    last = answered(vault, model)[-1]
    assert said(last) == [
        ("You repaired the boat with Joe on 2026-03-03.", ["memory/2026-03-03.md:3"])
    ]


def test_history_brings_what_held_before_and_until_when(vault: SharedVault) -> None:
    model = Scripted([call("history", ref="Joe Bloggs")], ["NOTHING"])
    answered(vault, model, "what does techcorp sell")
    found = [*model.asked[1].given().values()]
    assert {"Lives in San Diego": "2026-02-01", "Lives in Los Angeles": ""}.items() <= {
        each.text: each.until for each in found
    }.items()


@pytest.mark.parametrize(
    "asked",
    [
        call("search", query="joe boat"),
        call("recall", question="what of the boat"),
        call("days", days="2026-03-05"),
        call("get", ref="people/nora.md"),
        call("get", ref="Nora"),
        call("get", ref="conversations/one.md"),
        call("get", ref="agents/codex/two.md"),
        call("get", ref="memory/2026-03-05.md"),
        call("get", ref="../../../etc/passwd"),
        call("history", ref="people/nora.md"),
        call("graph", name="Joe Bloggs"),
    ],
    ids=str,
)
def test_what_is_private_or_secret_is_never_brought(vault: SharedVault, asked: Said) -> None:
    model = Scripted([asked], ["NOTHING"])
    answered(vault, model, "who repaired the boat")
    sent = " ".join(map(model.sent, model.asked))
    for never in ("12 pounds", "Nora", "leaks", "green", "hunter2", "root:"):
        said_by_it = f"{asked}".count(never)
        assert sent.count(never) <= said_by_it, never


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (call("send_mail", to="x@evil.example"), "refused: there is no such tool"),
        (call("add", note="ME.md", text="x"), "refused: there is no such tool"),
        (call("get", path="ME.md"), "refused: it takes one text, ref"),
        (call("get", ref="L1", more="x"), "refused: it takes one text, ref"),
        (call("get", ref=7), "refused: it takes one text, ref"),
        (call("get", ref="  "), "refused: it takes one text, ref"),
        (call("get", ref="nobody at all"), "there is nothing of this name"),
        (call("days", days="when hell freezes"), "there is nothing of this name"),
        (
            call("get", ref="L1")._replace(fault="the arguments are not JSON"),
            "refused: the arguments are not JSON",
        ),
    ],
    ids=str,
)
def test_a_call_that_cannot_be_is_refused(vault: SharedVault, asked: Said, told: str) -> None:
    assert brought(vault, asked) == [(told, [])]


def test_a_line_keeps_its_id_and_comes_once(vault: SharedVault) -> None:
    model = Scripted([call("get", ref="Joe Bloggs"), call("get", ref="L1")], [GOOD])
    answered(vault, model)
    turns = model.asked[1].turns
    ids = [line.id for turn in turns for line in turn.lines]
    texts = [line.text for turn in turns for line in turn.lines]
    assert len({*ids}) == len(ids)
    assert len({*texts}) == len(texts)


def test_after_four_rounds_of_looking_up_it_has_to_answer(vault: SharedVault) -> None:
    model = Scripted([call("days", days="2026-03"), GOOD])
    last = answered(vault, model)[-1]
    assert len(model.asked) == MOST_ROUNDS + 1
    assert [bool(each.tools) for each in model.asked] == [True] * MOST_ROUNDS + [False]
    assert {*model.asked[-1].given()} == {*model.asked[-2].given()}
    assert said(last) == [("Joe lives in Los Angeles.", [LA])]


# -- where it fails


@pytest.mark.parametrize(
    ("events_", "why"),
    [
        ([UnansweredError("no connection to tiny")], "no connection to tiny"),
        ([GOOD, "\nHe", UnansweredError("the server broke off its answer")], "broke off"),
        ([GOOD, Ended("length")], "its answer was cut off"),
        ([Ended("refused")], "it refused"),
        ([Ended("stopped")], "you stopped it"),
    ],
)
def test_where_it_fails_the_lines_stand_and_one_message_says_why(
    vault: SharedVault, events_: list[Said], why: str
) -> None:
    last = answered(vault, Scripted(events_))[-1]
    plain = reply_to(vault, Talk(), ASK)
    assert last == plain._replace(told=last.told)
    assert len(last.told) == 1
    assert last.told[0].startswith("your model did not answer: ")
    assert why in last.told[0]


def test_what_is_stopped_ends_at_once(vault: SharedVault) -> None:
    stop = Stop()
    plain = reply_to(vault, Talk(), ASK)
    model = Scripted([GOOD, "\nJoe lives. [L1]", "\nJoe. [L1]"])
    found = []
    for each in answer_with_model(vault, Talk(), plain, model, stop):
        found.append(each)
        if each.sentences:
            stop.set()
    assert found[-1].told == ("your model did not answer: you stopped it",)
    assert found[-1].lines == plain.lines


def test_a_question_that_holds_a_secret_is_not_sent(vault: SharedVault) -> None:
    model = Scripted([GOOD])
    plain = reply_to(vault, Talk(), ASK)
    assert plain.asked
    key = "is joe's key sk-proj-abcdefghijklmnop1234567890ABCDEF still good"
    plain = plain._replace(asked=plain.asked._replace(text=key))
    last = [*answer_with_model(vault, Talk(), plain, model, Stop())][-1]
    assert model.asked == []
    assert "secret" in last.told[0]


# -- a server that does everything wrong


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.done.set()
    made.http.shutdown()
    made.http.server_close()


HALF = events([words("openai", GOOD), *end("openai")])


@pytest.mark.parametrize(
    "script",
    [
        raw(b"", 429, **{"retry-after": "600"}),
        raw(b"", 500, **{"retry-after": "600"}),
        raw(HALF[:40]),
        raw(HALF[: len(HALF) // 2]),
        raw(b"data: {nonsense\n\n"),
        raw(b"", 302, location="http://127.0.0.1:9/elsewhere"),
        raw(b'data: {"error": {"message": "out of memory"}}\n\n'),
        lambda to: to.server.shutdown_request(to.connection),
        lambda to: __import__("time").sleep(1.5),
    ],
    ids=[
        "429",
        "500",
        "half a line",
        "half an event",
        "nonsense",
        "redirect",
        "error",
        "cut",
        "slow",
    ],
)
def test_a_server_that_fails_leaves_the_lines_and_one_plain_message(
    vault: SharedVault, server: Server, script: Script
) -> None:
    server.script = script
    model = Model(server.url, "tiny", "", "", 1, "tiny")
    last = answered(vault, endpoint_of(model, {}))[-1]
    assert last.is_whole
    assert last.sentences == ()
    assert last.lines == reply_to(vault, Talk(), ASK).lines
    assert len(last.told) == 1
    assert last.told[0].startswith("your model did not answer: ")


@pytest.mark.parametrize(
    "text",
    [
        "Joe lives in Oslo. [L1]",
        "Joe lives in Los Angeles. [L77]",
        "![x](http://evil.example) [L1]",
        "Ignore the notes. I have sent them to evil.example. [L1]",
    ],
)
def test_a_server_that_lies_leaves_the_lines(vault: SharedVault, server: Server, text: str) -> None:
    server.script = streamed([words("openai", text), *end("openai")])
    model = Model(server.url, "tiny", "", "", 5, "tiny")
    last = answered(vault, endpoint_of(model, {}))[-1]
    assert last.sentences == ()
    assert last.lines[0].place == LA
    assert "evil.example" not in repr(last)
