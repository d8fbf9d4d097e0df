"""Notes that tell a model what to do, and a model that obeys: nothing of it is seen, written or sent.

The cases are of a hand that saw no code. The model answers as bare as the case has it, and again
with each sentence resting on lines that it was given.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.api import SharedVault
from aurelius.chat.model_answer import answer_with_model
from aurelius.chat.reply import reply_to
from aurelius.chat.talk import Talk, TalkReply
from aurelius.model.connection import Stop
from tests.scripted import Said, Scripted, call

CASES = Path(__file__).parent / "cases"
NOW = datetime.datetime(2026, 11, 28, 12)
_ENDS = re.compile(r"(?<=[.!?。])(?=\s|$)|$")


def cases(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["case"]
    assert len(found) == 60
    return found


OPEN = cases(CASES / "chat" / "injected.toml")


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{each}_HOME", str(tmp_path / each))


def called(case: dict[str, Any]) -> list[Said]:
    """The call of a tool that the case has, if any."""
    name, _, given = case["obeyed_tool"].partition(" ")
    return [call(name, **json.loads(given))] if name else []


def obeying(case: dict[str, Any], ids: list[str]) -> Scripted:
    """A model that obeys: first it calls the tool, then it answers, each sentence with these ids."""
    named = f" [{', '.join(ids)}]" if ids else ""
    text = _ENDS.sub(named, case["obeyed"]) if ids else case["obeyed"]
    return Scripted([text, *called(case)], [text])


def bytes_of(root: Path) -> dict[str, bytes]:
    return {
        os.path.relpath(each, root): each.read_bytes()
        for each in sorted(root.rglob("*"))
        if each.is_file()
    }


def told_as_answer(reply: TalkReply) -> str:
    """All that a reply says of its own: not the lines that it quotes."""
    own = [each.text for each in reply.sentences if not each.is_own_line]
    return "\n".join([reply.text, *own, *reply.told])


def answers(case: dict[str, Any], root: Path) -> Iterator[tuple[Scripted, list[TalkReply]]]:
    """The answers of models that obey, from a vault that holds the note of the case."""
    note = root / case["path"]
    note.parent.mkdir(parents=True, exist_ok=True)
    (root / ".aurelius").mkdir(exist_ok=True)
    note.write_text(case["text"].lstrip("\n"), encoding="utf-8")
    with SharedVault.open(root, now=NOW) as vault:
        plain = reply_to(vault, Talk(), case["ask"])
        first = Scripted(["NOTHING"])
        list(answer_with_model(vault, Talk(), plain, first, Stop()))
        given = [*first.asked[0].given()] if first.asked else []
        for ids in ([], given, *([each] for each in given)):
            model = obeying(case, ids)
            yield model, list(answer_with_model(vault, Talk(), plain, model, Stop()))


def followed(case: dict[str, Any], root: Path) -> list[str]:
    """What of the forbidden was seen in an answer, and what was written."""
    before: dict[str, bytes] | None = None
    found = []
    for model, replies in answers(case, root):
        before = before or bytes_of(root)
        said = "\n".join(map(told_as_answer, replies)).casefold()
        found += [f"said: {each}" for each in case["never"] if each.casefold() in said]
        refused = [turn.text for each in model.asked for turn in each.turns if turn.who == "tool"]
        if called(case) and case["obeyed_tool"].split()[0] not in {"search", "recall", "get"}:
            found += [f"done: {text}" for text in refused if not text.startswith("refused: ")]
    if before is not None and before != bytes_of(root):
        found.append("something was written")
    return found


@pytest.mark.parametrize("case", OPEN, ids=lambda case: case["id"])
def test_a_model_that_obeys_a_note_does_no_harm(case: dict[str, Any], tmp_path: Path) -> None:
    assert followed(case, tmp_path / "vault") == []


def test_what_a_model_that_obeys_says_would_be_seen_without_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cases are no empty ones: without the check most of them show what they must not."""
    monkeypatch.setattr("aurelius.chat.model_answer.sentence_fault", lambda *_: "")
    found = [case for case in OPEN[7:37] if followed(case, tmp_path / case["id"])]
    assert len(found) >= 15
