"""`aurelius chat`, with what is typed on stdin; tests/test_chat_terminal.py sits at a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius import api
from aurelius.chat.propose import correct_line, keep_line
from aurelius.chat.reply import reply_to as real_reply
from aurelius.chat.talk import (
    REPLY_PROPOSAL,
    REPLY_REVIEW,
    ROLE_HOLDS,
    ROLE_NEWER,
    Cited,
    ShownSentence,
    TalkReply,
)
from aurelius.cli.commands import chat
from aurelius.memory import review
from aurelius.memory.lines import Line
from indexer.search.hit import NewerOf

Run = Callable[..., Any]
JOE = (
    "# Joe Bloggs\n\n## Facts\n- Lives in Los Angeles (2026-02-01) ^k3v9qa\n"
    "- Drinks tea (2025-11-20, preference)\n\nJoe has a boat.\n"
)
LINE = Line(
    "k3v9qa", "people/joe.md", (4, 4), "Lives in Los Angeles", "2026-02-01", "fact", "k3v9qa"
)
CITED = Cited(LINE, "Joe Bloggs")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    (root / "people/joe.md").write_text(JOE)
    return root


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets the notes answer: says({"what is typed": a reply, or a function of the vault})."""

    def let(replies: dict[str, Any]) -> None:
        def answer(vault: Any, talk: Any, text: str, *_: object) -> Iterator[TalkReply]:
            if text not in replies:
                yield real_reply(vault, talk, text)
                return
            reply: TalkReply = replies[text]
            if callable(reply):
                reply = reply(vault, talk)
            yield reply

        monkeypatch.setattr(chat, "replies", answer)

    return let


def objects(told: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in told.splitlines()]


def test_a_question_is_answered_with_the_line_and_where_it_stands(
    aurelius: Run, root: Path
) -> None:
    done = aurelius("chat", "where", "does", "Joe", "live?", cwd=root)
    assert done.code == 0
    assert "1   Lives in Los Angeles\n    Joe Bloggs  2026-02-01  people/joe.md:4\n" in done.out


def test_what_nobody_wrote_is_no_failure(aurelius: Run, root: Path) -> None:
    assert aurelius("chat", "what is the capital of Mongolia?", cwd=root).code == 0


def test_each_line_of_stdin_is_answered(aurelius: Run, root: Path) -> None:
    done = aurelius("chat", cwd=root, stdin="where does Joe live?\n\n  what does Joe drink\n")
    assert done.code == 0
    assert done.out.index("Lives in Los Angeles") < done.out.rindex("Drinks tea")
    assert ">" not in done.out, "nobody is asked who does not sit there"


def test_json_is_an_object_a_line(aurelius: Run, root: Path) -> None:
    typed = "where does Joe live?\n1\nhelp\n9\n"
    first, line, told, none = objects(aurelius("chat", "--json", cwd=root, stdin=typed).out)
    assert first["typed"] == "where does Joe live?"
    assert first["kind"] == "answer"
    assert first["lines"][0]["path"] == "people/joe.md"
    assert first["lines"][0]["lines"] == [4, 4]
    assert line["says"].splitlines()[3] == "- Lives in Los Angeles (2026-02-01) ^k3v9qa"
    assert line["shown"] == {"path": "people/joe.md", "first": 1}
    assert told["kind"] == "told"
    assert (none["kind"], none["found"]) == ("refused", False)


def test_nothing_typed_and_nobody_there_is_said(aurelius: Run, root: Path) -> None:
    for more in ([], ["--json"]):
        done = aurelius("chat", *more, cwd=root)
        assert done.code == 2
        assert "missing argument: QUESTION" in done.err


def test_what_a_line_is_stands_beside_it(
    aurelius: Run, root: Path, says: Callable[..., None]
) -> None:
    newer = LINE._replace(newer_of=NewerOf("Joe", "people/joe.md", 4), text="Moved\x1b[2J on")
    lines = (
        CITED,
        CITED._replace(role="before", until="2026-02-03"),
        CITED._replace(role="near"),
        CITED._replace(role=ROLE_NEWER, line=newer),
        CITED._replace(line=LINE._replace(said="not confirmed yet")),
    )
    says({"q": TalkReply("answer", "What holds:", lines)})
    rows = aurelius("chat", "q", cwd=root).out.splitlines()
    assert rows[0] == "What holds:"
    assert [row.partition("joe.md:4")[2] for row in rows[2::2]] == [
        "",
        "  (was true before, until 2026-02-03)",
        "  (nearest)",
        "  (newer about Joe)",
        "  (not confirmed yet)",
    ]
    assert rows[7] == r"4   Moved\x1b[2J on"


def test_a_number_shows_the_line_in_its_note(aurelius: Run, root: Path) -> None:
    done = aurelius("chat", cwd=root, stdin="where does Joe live?\n1\n")
    assert ">    4  - Lives in Los Angeles (2026-02-01) ^k3v9qa\n" in done.out
    assert "     3  ## Facts\n" in done.out
    assert "     7  Joe has a boat.\n" in done.out
    assert "changed" not in done.err


def test_a_line_that_was_changed_since_is_said_to_be(
    aurelius: Run, root: Path, says: Callable[..., None]
) -> None:
    gone = LINE._replace(text="Lives in Lima")
    says({"q": TalkReply("answer", "", (CITED._replace(line=gone),))})
    done = aurelius("chat", cwd=root, stdin="q\n1\n")
    assert "the note was changed since: this line is not as it was cited" in done.err


def test_an_editor_is_opened_for_who_sits_there_alone(aurelius: Run, root: Path) -> None:
    done = aurelius("chat", cwd=root, stdin="where does Joe live?\no 1\n")
    assert "aurelius open people/joe.md:4" in done.err


# -- changes ---------------------------------------------------------------------------


def test_a_correction_is_shown_then_written_then_taken_back(
    aurelius: Run, root: Path, says: Callable[..., None]
) -> None:
    change = TalkReply(
        REPLY_PROPOSAL,
        "Instead?",
        proposal=correct_line("people/joe.md", "k3v9qa", "Lives in Lima"),
    )
    says({"no, Lima": change})
    done = aurelius("chat", cwd=root, stdin="no, Lima\n")
    assert "+- Lives in Lima (2026-02-10)" in done.out
    assert "the change was not written" in done.err
    assert (root / "people/joe.md").read_text() == JOE
    done = aurelius("chat", cwd=root, stdin="no, Lima\nyes\n")
    assert "changed people/joe.md" in done.out
    assert "- ~~Lives in Los Angeles~~ (2026-02-01" in (root / "people/joe.md").read_text()
    done = aurelius("chat", cwd=root, stdin="undo\n")
    assert "nothing to undo here" in done.out, "it was another conversation"
    assert aurelius("undo", cwd=root).code == 0
    done = aurelius("chat", "--json", cwd=root, stdin="no, Lima\nyes\nundo\nundo\n")
    shown, written, undone, nothing = objects(done.out)
    assert shown["kind"] == "proposal"
    assert shown["dry_run"] is True
    assert "-- Lives in Los Angeles" in shown["diff"]
    assert (written["typed"], written["dry_run"]) == ("yes", False)
    assert written["number"]
    assert undone["changes"] == [{"path": "people/joe.md", "change": "changed"}]
    assert "nothing to undo" in nothing["says"]
    assert (root / "people/joe.md").read_text() == JOE


@pytest.mark.parametrize("answer", ["no", "N.", "where does Joe live?", "help", "undo"])
def test_without_a_yes_nothing_is_written(
    answer: str, aurelius: Run, root: Path, says: Callable[..., None]
) -> None:
    change = TalkReply(REPLY_PROPOSAL, "", proposal=keep_line("Ann moved to Rome"))
    says(
        {
            "Ann moved to Rome": change,
            "where does Joe live?": TalkReply("answer", "There.", (CITED,)),
        }
    )
    aurelius("chat", cwd=root, stdin=f"Ann moved to Rome\n{answer}\nyes\n")
    assert not (root / "memory").exists()


def test_other_words_are_shown_before_they_are_written(
    aurelius: Run, root: Path, says: Callable[..., None]
) -> None:
    says({"Ann moved": TalkReply(REPLY_PROPOSAL, "", proposal=keep_line("Ann moved"))})
    done = aurelius("chat", cwd=root, stdin="Ann moved\nAnn moved to Rome\nyes\n")
    assert done.out.count("+- Ann moved to Rome\n") == 1
    assert "- Ann moved to Rome\n" in (root / "memory/2026-02-10.md").read_text()


def test_a_note_that_changed_since_is_shown_again(
    aurelius: Run, root: Path, says: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    says(
        {
            "no, Lima": TalkReply(
                REPLY_PROPOSAL,
                "",
                proposal=correct_line("people/joe.md", "k3v9qa", "Lives in Lima"),
            )
        }
    )
    note = root / "people/joe.md"
    real = chat._Conversation.hear

    def hear(self: Any, line: str) -> None:
        if line.startswith("yes") and "Rows" not in note.read_text():
            note.write_text(f"{JOE}- Rows\n")
        real(self, line)

    monkeypatch.setattr(chat._Conversation, "hear", hear)
    done = aurelius("chat", cwd=root, stdin="no, Lima\nyes\n")
    assert "not written: the notes changed since this was shown" in done.err
    assert note.read_text() == f"{JOE}- Rows\n"
    note.write_text(JOE)
    aurelius("chat", cwd=root, stdin="no, Lima\nyes\nyes\n")
    assert "- Rows\n" in note.read_text()
    assert "Lives in Lima" in note.read_text()


# -- questions of the review -----------------------------------------------------------


@pytest.fixture
def asks(root: Path, says: Callable[..., None]) -> None:
    """A conversation in which every answer asks whether a captured line may stay."""
    (root / "memory").mkdir()
    (root / "memory/2026-02-09.md").write_text(
        "# 2026-02-09\n\n## Captured\n- Prefers rowing to sailing (2026-02-09, preference)\n"
    )

    def ask(vault: Any, talk: Any) -> TalkReply:
        matters = [
            each
            for each in review.open_matters(api.plan_desk(vault))
            if each.name not in talk.asked
        ]
        if not (matters and talk.may_ask):
            return TalkReply("told", "nothing waits")
        return TalkReply(REPLY_REVIEW, "While you are here:", matter=matters[0])

    says({"hi": ask, "more": ask})


def test_a_question_of_the_review_is_decided(asks: None, aurelius: Run, root: Path) -> None:
    told = aurelius("chat", cwd=root, stdin="hi\n").out
    assert "While you are here:\nPrefers rowing to sailing" in told
    assert "yes: moves the line" in told
    first, done, later = objects(aurelius("chat", "--json", cwd=root, stdin="hi\nno\nhi\n").out)
    assert first["matter"][0].startswith("Prefers rowing")
    assert done["key"]
    assert later["says"] == "nothing waits"
    assert "nothing to review" in aurelius("review", cwd=root).err


def test_yes_to_it_is_one_change_that_undo_takes_back(
    asks: None, aurelius: Run, root: Path
) -> None:
    before = (root / "memory/2026-02-09.md").read_text()
    done = aurelius("chat", cwd=root, stdin="hi\nyes\n")
    assert (root / "memory/2026-02-09.md").read_text() != before
    assert "takes it back" in done.err
    aurelius("undo", cwd=root)
    aurelius("chat", cwd=root, stdin="hi\nyes\nundo\n")
    assert (root / "memory/2026-02-09.md").read_text() == before


def test_undo_takes_back_what_was_dismissed(asks: None, aurelius: Run, root: Path) -> None:
    done = aurelius("chat", cwd=root, stdin="hi\nno\nundo\n")
    assert "It waits again." in done.out
    assert "1 proposal" in aurelius("review", cwd=root).out


def test_undo_of_an_open_change_only_drops_it(aurelius: Run, root: Path) -> None:
    typed = "where does Joe live?\nno, Lima\nyes\nnote: Joe rows\nundo\n"
    done = aurelius("chat", cwd=root, stdin=typed)
    assert "again takes back the last change" in done.err
    assert "Lives in Lima" in (root / "people/joe.md").read_text()
    aurelius("undo", cwd=root)
    aurelius("chat", cwd=root, stdin=f"{typed}undo\n")
    assert "Lives in Lima" not in (root / "people/joe.md").read_text()


def test_later_and_stop_asking_decide_nothing(asks: None, aurelius: Run, root: Path) -> None:
    assert "nothing waits" in aurelius("chat", cwd=root, stdin="hi\nlater\nmore\n").out
    assert "nothing waits" in aurelius("chat", cwd=root, stdin="stop asking\nmore\n").out
    assert "1 proposal" in aurelius("review", cwd=root).out


# -- uses, commands --------------------------------------------------------------------


def uses(aurelius: Run, root: Path) -> int:
    found = json.loads(aurelius("show", "joe", "--json", "--no-use", cwd=root).out)
    return int(found["facts"][0]["accessCount"])


def test_the_lines_of_an_answer_count_as_used(aurelius: Run, root: Path) -> None:
    aurelius("chat", "where does Joe live?", "--no-use", cwd=root)
    assert uses(aurelius, root) == 0
    aurelius("chat", "where does Joe live?", cwd=root)
    assert uses(aurelius, root) == 1


def test_what_is_near_or_was_true_before_is_no_use() -> None:
    text = CITED._replace(line=LINE._replace(type="text", key="people/joe.md:7"))
    past = CITED._replace(role="before")
    assert TalkReply("answer", "", (CITED, past, text, CITED)).used == ["k3v9qa", "people/joe.md"]
    assert TalkReply("answer", "", (CITED._replace(role="near"),), found=False).used == []
    assert CITED.role == ROLE_HOLDS


def test_a_conversation_is_kept_only_where_that_is_said(aurelius: Run, root: Path) -> None:
    typed = "where does Joe live?\n"
    aurelius("chat", cwd=root, stdin=typed)
    assert not (root / "conversations").exists()
    done = aurelius("chat", cwd=root, stdin=f"{typed}keep this conversation\n")
    (kept,) = (root / "conversations").iterdir()
    assert f"made conversations/{kept.name}" in done.out
    assert "Lives in Los Angeles" in kept.read_text()
    aurelius("chat", cwd=root, stdin=f"{typed}keep this conversation\nundo\n")
    assert [*(root / "conversations").iterdir()] == [kept]
    kept.unlink()
    again = f"{typed}keep this conversation\n"
    aurelius("chat", cwd=root, stdin=f"{again}{again}")
    (once,) = (root / "conversations").iterdir()
    assert once.read_text().count("**You:** where does Joe live?") == 2


def test_quit_ends_and_clear_forgets(aurelius: Run, root: Path) -> None:
    typed = "where does Joe live?\nclear\n1\nquit\nwhere does Joe live?\n"
    done = aurelius("chat", cwd=root, stdin=typed)
    assert done.code == 0
    assert done.out.count("Lives in Los Angeles") == 1
    assert "no line 1 was cited" in done.err


def test_a_mistake_does_not_end_the_conversation(
    aurelius: Run, root: Path, says: Callable[..., None]
) -> None:
    nobody = TalkReply(REPLY_PROPOSAL, "", proposal=keep_line("Rows", "people/nobody.md"))
    says({"a": nobody, "b": TalkReply("told", "still here")})
    done = aurelius("chat", cwd=root, stdin="a\nb\n")
    assert "was changed or moved meanwhile" in done.err
    assert done.out == "\nstill here\n\n"


def test_what_would_be_sent_is_printed_and_not_sent(aurelius: Run, root: Path) -> None:
    done = aurelius("chat", "--dry-run", "where does Joe live?", cwd=root)
    assert done.out == ""
    assert "nothing would be sent" in done.err
    for key, value in (("llm.use", "chat"), ("llm.endpoint", "http://127.0.0.1:9/v1")):
        assert aurelius("config", "set", key, value, cwd=root).code == 0
    assert aurelius("config", "set", "llm.model", "small", cwd=root).code == 0
    done = aurelius("chat", "--dry-run", "where does Joe live?", cwd=root)
    assert "Lives in Los Angeles" in done.out
    assert '"model"' in done.out


def test_the_parts_of_an_answer_come_as_they_are_there(
    aurelius: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = []

    first = ShownSentence("He lives there.", (0,))
    second = ShownSentence("And drinks tea.", (0, 1))

    def parts(self: Any, stop: Any) -> Any:
        stops.append(stop)
        yield TalkReply("answer", "", (CITED,), sentences=(first,), is_whole=False)
        if self.typed == "b":
            raise KeyboardInterrupt
        told = ("2 sentences",)
        yield TalkReply("answer", "", (CITED, CITED), sentences=(first, second), told=told)

    monkeypatch.setattr(chat._Conversation, "_parts", parts)
    rows = aurelius("chat", cwd=root, stdin="a\n").out.splitlines()
    assert rows[:2] == ["He lives there. [1]", "And drinks tea. [1, 2]"]
    assert [row[:1] for row in rows if row[1:4] == "   " and row[:1] != " "] == ["1", "2"]
    assert "2 sentences" in rows
    done = aurelius("chat", cwd=root, stdin="b\n1\n")
    assert [each.is_set for each in stops] == [False, True]
    assert "He lives there." in done.out
    assert ">    4  - Lives in Los Angeles" in done.out, "what was shown can be looked at"
    assert "Traceback" not in done.err
    assert "stopped" in done.err
    assert aurelius("chat", cwd=root, stdin="b\nb\n").code == 0
