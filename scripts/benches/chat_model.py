"""What a conversation answers with a model: over the committed questions, with answers that were
written by somebody who saw only the request, and kept under its hash.

It shows the pipe at its best, and says nothing about any model. A request that changed only by more
lines takes its old answer over (`--rekey`); one that changed otherwise is written out
(`--requests`), and waits to be answered: in a file beside it that ends in `.answer`, with lines as
`CALL get {"ref": "L1"}` where the model calls a tool. The next `--requests` takes it.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.api import SharedVault
from aurelius.chat.model_answer import answer_with_model
from aurelius.chat.reply import reply_to
from aurelius.chat.talk import REPLY_ANSWER, Talk
from aurelius.model.connection import Stop, UnansweredError
from aurelius.model.endpoint import Ended, ModelText
from aurelius.model.request import ToolCall, openai_body, prompt, request_hash

from .chat import CASES, LEAST_OF_LIST, find_vault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aurelius.chat.talk import TalkReply
    from aurelius.model.endpoint import ModelEvent
    from aurelius.model.request import ModelRequest, SentLine

    Table = tuple[str, list[tuple[str, ...]]]
    Waiting = tuple[str, Sequence[str]]  # the name of a case, and requests that have no answer

RECORDED = CASES / "chat" / "answers"
QUESTIONS = ("luthier", "surveyor", "second/luthier", "second/surveyor")
AUTHOR = "a careful reader who saw only the request"


class Recorded:
    """Replays the answers of a folder; `missing` are requests that have none, by their hashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.missing: dict[str, ModelRequest] = {}

    def stream(self, request: ModelRequest, stop: Stop) -> Iterator[ModelEvent]:
        """What was recorded for a request; UnansweredError where nothing was."""
        del stop
        name = request_hash(request)
        file = self.folder / f"{name}.json"
        if not file.exists():
            self.missing[name] = request
            raise UnansweredError("nothing was recorded for this request")
        kept: dict[str, Any] = json.loads(file.read_text("utf-8"))
        for line in kept["says"].splitlines(keepends=True):
            yield ModelText(line)
        for number, (tool, arguments) in enumerate(kept.get("calls", ())):
            yield ToolCall(f"c{number}", tool, arguments)
        yield Ended("done")

    def sent(self, request: ModelRequest) -> str:
        """What would leave."""
        return openai_body("recorded", request)


class ModelGiven(NamedTuple):
    """A question of a case, what was said to it without the model, and with it."""

    vault: str
    question: dict[str, Any]
    plain: TalkReply
    reply: TalkReply
    missing: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether the answer is right: what stands on lines that answer, or says every word that it
        must; and where there is none, that this is said."""
        if not self.question["answerable"]:
            return not self.reply.found
        if not self.reply.found:
            return False
        rests_on = {at for each in self.reply.sentences for at in each.rests_on}
        lines = [self.reply.lines[at] for at in sorted(rests_on)] or self.reply.lines[:3]
        wanted = self.question["lines"]
        held = sum(any(_stands(line, place) for line in lines) for place in wanted)
        text = " ".join(
            [*(each.text for each in self.reply.sentences), *(each.line.text for each in lines)]
        )
        words = self.question.get("must", ())
        says = bool(words) and all(word.casefold() in text.casefold() for word in words)
        least = min(LEAST_OF_LIST, len(wanted)) if self.question.get("list") else 1
        return held >= least or says


def _stands(cited: Any, place: str) -> bool:
    path, _, line = place.rpartition(":")
    first, last = cited.line.lines
    return cited.line.path == path and first <= int(line) <= max(first, last)


def answered(folder: Path, recorded: Recorded, home: Path) -> Iterator[ModelGiven]:
    """Every question of the files of a folder, asked in its conversation."""
    for name in QUESTIONS:
        cases = tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
        place = find_vault(cases["vault"], None)
        assert place
        copy = home / name.replace("/", "-")
        shutil.copytree(place, copy)
        (copy / ".aurelius").mkdir(exist_ok=True)
        env = {f"XDG_{each}_HOME": str(home / each) for each in ("CONFIG", "CACHE", "STATE")}
        now = datetime.datetime.fromisoformat(f"{cases['today']}T12:00:00")
        with SharedVault.find(str(copy), env, str(copy), now=now) as vault:
            vault.index()
            yield from _of_vault(vault, cases, recorded)


def _of_vault(
    vault: SharedVault, cases: dict[str, Any], recorded: Recorded
) -> Iterator[ModelGiven]:
    talks: dict[str, Talk] = {}
    for question in cases["question"]:
        name = question["talk"] or question["id"]
        talk = talks.get(name, Talk())
        plain = reply = reply_to(vault, talk, question["ask"])
        before = {*recorded.missing}
        if plain.kind == REPLY_ANSWER:
            *_, reply = answer_with_model(vault, talk, plain, recorded, Stop())
        talks[name] = talk.with_turn(question["ask"], reply)
        missing = tuple(each for each in recorded.missing if each not in before)
        yield ModelGiven(cases["vault"], question, plain, reply, missing)


def write_requests(waiting: Iterable[Waiting], recorded: Recorded, folder: Path) -> None:
    """Take the answers that were written to requests, and write out those that wait for one, each
    by the name of its question and its hash: nothing else of the case."""
    folder.mkdir(parents=True, exist_ok=True)
    for question, missing in waiting:
        for name in missing:
            file = folder / f"{question}.{name}.txt"
            answer = file.with_suffix(".answer")
            if not answer.exists():
                file.write_text(prompt(recorded.missing[name]), encoding="utf-8")
                continue
            calls = []
            says = []
            for line in answer.read_text("utf-8").splitlines():
                if line.startswith("CALL "):
                    _, tool, arguments = line.split(" ", 2)
                    calls.append([tool, json.loads(arguments)])
                else:
                    says.append(line)
            request = recorded.missing[name]
            record(question, request, "\n".join(says), calls, recorded.folder)


def record(question: str, request: ModelRequest, says: str, calls: list[Any], folder: Path) -> None:
    """Keep an answer under the hash of its request, with the lines that its ids mean."""
    lines = {name: _told(line) for name, line in request.given().items()}
    kept = {"author": AUTHOR, "question": question, "lines": lines, "says": says, "calls": calls}
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{request_hash(request)}.json"
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _told(line: SentLine) -> str:
    return " | ".join((line.about, line.day, line.text))


def rekey(waiting: Iterable[Waiting], recorded: Recorded) -> int:
    """Take answers over to requests that have all lines that they rest on, under the ids that these
    have now; how many. The answers of requests that nobody asks any more are removed."""
    kept = {file: json.loads(file.read_text("utf-8")) for file in recorded.folder.glob("*.json")}
    taken = 0
    for question, missing in waiting:
        for name in missing:
            now = {_told(line): id_ for id_, line in recorded.missing[name].given().items()}
            for file, old in kept.items():
                used = {*re.findall(r"\bL\d+\b", old["says"] + json.dumps(old["calls"]))}
                if used:
                    still_holds = all(old["lines"].get(id_) in now for id_ in used)
                else:  # it says that nothing answers: of no more lines than it saw
                    still_holds = {*now} <= {*old["lines"].values()}
                if old["question"] != question or not still_holds:
                    continue
                to = {id_: now[old["lines"][id_]] for id_ in used}
                says = re.sub(
                    r"\bL\d+\b", lambda found, to=to: to.get(found[0], found[0]), old["says"]
                )
                record(question, recorded.missing[name], says, old["calls"], recorded.folder)
                file.unlink(missing_ok=True)
                taken += 1
                break
    return taken


def measure(home: Path, folder: Path, requests: Path | None, *, takes_over: bool) -> list[Table]:
    """The table: by vault, how many are right without a model and with the recorded answers, and
    what was shown of them."""
    recorded = Recorded(RECORDED)
    given = list(answered(folder, recorded, home))
    waiting = [(each.question["id"], each.missing) for each in given]
    if takes_over:
        print(f"{rekey(waiting, recorded)} answers were taken over")
    if requests:
        write_requests(waiting, recorded, requests)
    rows = [("vault", "right without", "right with", "sentences", "of them own lines", "missing")]
    names = [*dict.fromkeys(each.vault for each in given)]
    rows += [_row(name, [each for each in given if each.vault == name]) for name in names]
    for each in given:
        if not each.is_right:
            print(f"not right: {each.question['id']} {each.question['ask']} {each.reply.told}")
    return [("recorded answers", [*rows, _row("all", given)])]


def _row(name: str, given: list[ModelGiven]) -> tuple[str, ...]:
    shown = [sentence for each in given for sentence in each.reply.sentences]
    own = sum(each.is_own_line for each in shown)
    right = sum(each.is_right for each in given)
    plain = sum(each._replace(reply=each.plain).is_right for each in given)
    missing = sum(bool(each.missing) for each in given)
    return (
        name,
        f"{plain} of {len(given)}",
        f"{right} of {len(given)}",
        str(len(shown)),
        str(own),
        str(missing),
    )
