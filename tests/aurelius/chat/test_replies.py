"""What is said to a line with a model, where the person lets it answer."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.api import SharedVault
from aurelius.chat.replies import replies, sent_for_line
from aurelius.chat.reply import reply_to
from aurelius.chat.talk import Talk
from aurelius.model.connection import Stop, UnansweredError
from tests.aurelius.model.test_endpoint import Server
from tests.aurelius.model.test_streams import end, streamed, words

NOW = datetime.datetime(2026, 6, 24, 12)
JOE = (
    "# Joe\n\n## Facts\n\n- Lives in Los Angeles (2026-02-01) ^k3v9qa\n- Likes figs (2026-01-01)\n"
)
ASK = "where does joe live"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    made.script = streamed([words("openai", "Joe lives in Los Angeles. [L1]"), *end("openai")])
    yield made
    made.done.set()
    made.http.shutdown()
    made.http.server_close()


def opened(tmp_path: Path, patch: pytest.MonkeyPatch, settings: str) -> SharedVault:
    for each in ("CONFIG", "CACHE", "STATE"):
        patch.setenv(f"XDG_{each}_HOME", str(tmp_path / each))
    own = tmp_path / "CONFIG" / "aurelius" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(settings)
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_text(JOE)
    return SharedVault.open(root, now=NOW)


def of(server: Server, use: str) -> str:
    return f'[llm]\nendpoint = "{server.url}"\nmodel = "tiny"\nuse = [{use}]\n'


@pytest.mark.parametrize("use", ["", '"summaries", "extract", "capture"'])
def test_without_the_word_chat_the_model_is_never_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server, use: str
) -> None:
    with opened(tmp_path, monkeypatch, of(server, use)) as vault:
        assert [*replies(vault, Talk(), ASK, os.environ, Stop())] == [reply_to(vault, Talk(), ASK)]
        assert sent_for_line(vault, Talk(), ASK, os.environ) == ""
    assert server.asked == 0


def test_with_it_the_answer_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    with opened(tmp_path, monkeypatch, of(server, '"chat"')) as vault:
        found = [*replies(vault, Talk(), ASK, os.environ, Stop())]
    assert [each.is_whole for each in found] == [False, False, True]
    assert [each.text for each in found[-1].sentences] == ["Joe lives in Los Angeles."]


@pytest.mark.parametrize(
    "line", ["Joe moved to Oslo", "no, he lives in Oslo", "help", "undo", "hm"]
)
def test_only_a_question_goes_to_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server, line: str
) -> None:
    with opened(tmp_path, monkeypatch, of(server, '"chat"')) as vault:
        talk = Talk().with_turn(ASK, reply_to(vault, Talk(), ASK))
        found = [*replies(vault, talk, line, os.environ, Stop())]
        assert found == [reply_to(vault, talk, line)]
    assert server.asked == 0


def test_what_would_be_sent_is_what_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    with opened(tmp_path, monkeypatch, of(server, '"chat"')) as vault:
        talk = Talk().with_turn("what does joe like", reply_to(vault, Talk(), "what does joe like"))
        told = sent_for_line(vault, talk, ASK, os.environ)
        assert server.asked == 0
        list(replies(vault, talk, ASK, os.environ, Stop()))
    assert server.body.decode() == told
    messages = json.loads(told)["messages"]
    assert "Asked before: what does joe like" in messages[-1]["content"]
    assert "people/joe.md" not in told  # no path leaves


def test_a_model_that_cannot_be_asked_leaves_the_lines_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = '[llm]\nendpoint = "http://127.0.0.1:9/v1"\nuse = ["chat"]\n'
    with opened(tmp_path, monkeypatch, settings) as vault:
        (found,) = replies(vault, Talk(), ASK, os.environ, Stop())
        assert found.lines == reply_to(vault, Talk(), ASK).lines
        with pytest.raises(UnansweredError):
            sent_for_line(vault, Talk(), ASK, os.environ)
    assert found.told[0].startswith("your model was not asked: the model has no name")
