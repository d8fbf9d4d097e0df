"""What a command has worded by a model, and what it does with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.agents import llm, wording
from aurelius.model.request import Source
from aurelius.settings.places import WORDINGS
from tests.aurelius.model.test_endpoint import CONFIG, Script, Server, raw, said


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.done.set()
    made.http.shutdown()
    made.http.server_close()


def worder(tmp_path: Path, server: Server, **other: object) -> llm.Worder:
    settings = {
        **CONFIG,
        "llm_endpoint": server.url,
        "llm_use": ["capture"],
        "state": str(tmp_path),
        **other,
    }
    config: Any = type("Config", (), settings)
    return llm.Worder(config, {}, (), {}, "2026-03-04")


LINES = [
    Source("Marta", "Lives in Oslo", "", "a.md"),
    Source("Tom", "Owes Ann 50 euros", "", "b.md"),
]


def worded(*texts: str) -> Script:
    return said(
        json.dumps({"sentences": [{"uses": [at], "text": text} for at, text in enumerate(texts)]})
    )


def test_what_was_worded_before_is_judged_again_and_belongs_to_its_model(
    tmp_path: Path, server: Server
) -> None:
    server.script = worded("Marta lives in Oslo.", "Tom owes Ann 50 euros.")
    first = worder(tmp_path, server)
    assert first.lines(wording.SUMMARY_WORDING, LINES) == [
        "Marta lives in Oslo.",
        "Tom owes Ann 50 euros.",
    ]
    kept = json.dumps(first._fresh)
    (tmp_path / WORDINGS).write_text(kept.replace("lives in Oslo", "lives in Rome"))
    assert worder(tmp_path, server).lines(wording.SUMMARY_WORDING, LINES) == [
        "Lives in Oslo",
        "Tom owes Ann 50 euros.",
    ]
    assert server.asked == 1
    worder(tmp_path, server, llm_model="another").lines(wording.SUMMARY_WORDING, LINES)
    assert server.asked == 2


def test_a_model_that_failed_is_not_asked_again_in_one_run(tmp_path: Path, server: Server) -> None:
    server.script = raw(b"no json")
    run = worder(tmp_path, server)
    for line in LINES:
        assert run.lines(wording.SUMMARY_WORDING, [line]) == [line.text]
    assert server.asked == 1


def test_one_run_asks_no_more_than_it_may(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm, "MOST_QUESTIONS", 1)
    server.script = worded("Marta lives in Oslo.")
    run = worder(tmp_path, server)
    assert [run.lines(wording.SUMMARY_WORDING, [line]) for line in LINES] == [
        ["Marta lives in Oslo."],
        ["Owes Ann 50 euros"],
    ]
    assert server.asked == 1
