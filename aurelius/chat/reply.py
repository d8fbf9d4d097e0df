"""What is said to a line that a person types: the one way into a conversation, for every door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurelius import api
from aurelius.memory.context import PERSON
from aurelius.memory.conversation import worth_keeping
from aurelius.memory.lines import TEXT_TYPE
from aurelius.vault import looks
from indexer.catalog.lists import get_titles
from indexer.errors import AureliusError
from indexer.reading.path_meaning import day_of_path

from .answer import answer_question
from .asking import QuestionReader
from .cited import when_it_held, where_it_stands
from .propose import (
    carry_out_proposal,
    correct_line,
    corrected_text,
    day_of_change,
    keep_line,
    says_both,
)
from .said import (
    SAID_COMMAND,
    SAID_CORRECTION,
    SAID_NOTHING,
    SAID_STATEMENT,
    SAY_CLEAR,
    SAY_HELP,
    SAY_KEEP,
    SAY_QUIT,
    SAY_SILENCE,
    SAY_UNDO,
    SAY_WAITS,
    read_said,
)
from .talk import (
    REPLY_PROPOSAL,
    REPLY_REVIEW,
    REPLY_TOLD,
    ROLE_BEFORE,
    ROLE_NEAR,
    TalkReply,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurelius.memory.conversation import KeptLine
    from aurelius.memory.review import Matter
    from aurelius.vault import Vault

    from .said import Said
    from .talk import Cited, OfferedChange, Talk, TalkQuestion

_HELP_TEXT = (
    "Ask what your notes know: “where does Joe live?”, “what did I do in March?”, “open tasks about"
    " the garden”. Go on with “and Sarah?”. Say what is new (“Ann moved to Rome”), or what is wrong"
    " with a line (“no, he moved to Denver”): you see the change first. Or say undo, what waits,"
    " stop asking, clear, keep this conversation."
)
_OF_PERSON = re.compile(r"(?i)\W*(?:i|i'?m|i'?ve|my|we|our)\b")
"""How a line begins that is about the person."""
_MORE = re.compile(r"(?i)\W*(?:(?:show|and|the) )*(?:me )?(?:more|next|rest|others)\W*")
_ASKS_DAY = re.compile(
    r"(?i)\W*(?:and )?(?:since when(?: is that)?|until when|when was (?:that|this|it)"
    r"|how long is that)\W*"
)
_ASKS_SOURCE = re.compile(
    r"(?i)\W*(?:and )?(?:why|how do you know(?: that)?|who (?:said|says|told)(?: (?:you|me))?"
    r"(?: (?:that|so|this|it))?|says who|where (?:does|did) (?:that|this|it) come from)\W*"
)
"""How a question is asked of the line that was cited, and not of the notes."""
_OF_SOMEBODY = re.compile(r"(?i)\W*(?:s?he|they)\b")
"""How a line begins that does not say who it is about."""
_TOLD_BY_DOOR = {
    SAY_UNDO: "There is nothing to undo here.",
    SAY_QUIT: "Goodbye.",
    SAY_CLEAR: "We begin anew.",
    SAY_KEEP: "This conversation cannot be kept here.",
    SAY_SILENCE: "I ask nothing more in this conversation.",
}
"""What is said to commands that a door carries out."""


@looks
def reply_to(vault: Vault, talk: Talk, text: str) -> TalkReply:
    """What is said to a line. A door adds both to the conversation (`Talk.with_turn`), and carries
    out commands: `TalkReply.command` names them.

    Nothing is written: a change is a proposal, for `carry_out_proposal`.
    """
    last = talk.last
    cited: tuple[Cited, ...] = ()
    if last:
        goes_on = _goes_on(vault, last, text)
        if goes_on:
            return goes_on
        cited = last.lines
    said = read_said(text, [each.line.text for each in cited])
    answer = _ANSWERS.get(said.what, _question)
    return answer(vault, talk, said)


def _goes_on(vault: Vault, last: TalkReply, text: str) -> TalkReply | None:
    """What is said to a line that goes on with what was said last; None for another."""
    if last.both and says_both(text):
        return _proposed(vault, last.both, "Write this beside it, so that both hold?")
    if _MORE.fullmatch(text):
        if last.rest:
            return answer_question(vault, last.rest)
        if last.page or last.lines:
            return TalkReply(REPLY_TOLD, "That was all of them.")
    if not last.lines:
        return None
    first = last.lines[0]
    if _ASKS_DAY.fullmatch(text):
        return _told_of(last, f"“{first.line.text}”: {when_it_held(vault, first)}.")
    if _ASKS_SOURCE.fullmatch(text):
        return _told_of(last, f"“{first.line.text}” stands in {where_it_stands(vault, first)}.")
    return None


def _told_of(last: TalkReply, text: str) -> TalkReply:
    """What is said of the line that was cited first, which stays the one that is spoken of."""
    return TalkReply(REPLY_TOLD, text, last.lines[:1], found=last.found)


def _question(vault: Vault, talk: Talk, said: Said) -> TalkReply:
    """The lines that answer a question, and a sentence that opens them."""
    asked = QuestionReader(vault).read(said.text, talk.questions)
    reply = answer_question(vault, asked)
    return reply._replace(text=reply.text or _opening(reply, asked))


@looks
def ask_again(vault: Vault, asked: TalkQuestion) -> TalkReply:
    """The answer to a question by itself, without what it carried."""
    alone = QuestionReader(vault).read(asked.said or asked.text, ())
    reply = answer_question(vault, alone)
    return reply._replace(text=reply.text or _opening(reply, alone))


def _opening(reply: TalkReply, asked: TalkQuestion) -> str:
    """The sentence above the lines, "" where they stand for themselves."""
    if reply.found:
        return ""
    searched = f" I looked for: {asked.text.rstrip(' ?.')}." if asked.carried else ""
    if reply.lines:
        return f"No line surely answers that.{searched} The nearest:"
    return f"Nothing in your notes answers that.{searched}"


# -- changes ---------------------------------------------------------------------------


def _statement(vault: Vault, talk: Talk, said: Said) -> TalkReply:
    """A new line, shown where it would be written: on the page that it is surely about, else in
    today's note; where it may be another value of a fact, in the place of that."""
    del talk
    found = worth_keeping(api.plan_desk(vault), [said.text])
    kept = found[0] if len(found) == 1 else None
    page = kept.page if kept and _is_page(kept.page) else ""
    is_unnamed = _OF_PERSON.match(said.text) or _OF_SOMEBODY.match(said.text)
    if is_unnamed or not _names(vault, said.text, page):
        page = ""
    added = keep_line(said.text, page)
    if kept and kept.found and kept.found[1].status == "active":
        path, fact = kept.found
        day, told = _since(vault, said.text, fact.date or "")
        proposal = correct_line(path, fact.key, said.text, day)
        told = (
            f"Your notes say “{fact.text}” ({path}:{fact.first}). Put this in its place? Or say"
            f" “both” where both hold.{told}"
        )
        reply = _proposed(vault, proposal, told)
        if reply.proposal:
            return reply._replace(both=added)
    where = page or "today's note"
    return _proposed(vault, added, f"Write this in {where}?{_alike(vault, kept)}")


def _alike(vault: Vault, kept: KeptLine | None) -> str:
    """What to say of a name that several pages have, "" where a line has none."""
    if kept is None or len(kept.ask) < 2:
        return ""
    titles = get_titles(vault.db, {*kept.ask}, private=False)
    named = " or ".join(titles.get(path, path) for path in kept.ask)
    return f" For a page of its own, say it with the whole name: {named}."


def _names(vault: Vault, text: str, page: str) -> bool:
    """Whether a line names a page and none besides."""
    return QuestionReader(vault).read(text, ()).names[:1] == (page,)


def _is_page(path: str) -> bool:
    """Whether a note is about somebody or something, and not the person."""
    return "/" in path


def _correction(vault: Vault, talk: Talk, said: Said) -> TalkReply:
    """Another line in the place of the one that was cited, which goes to History; text that is no
    fact has no History, so the new line is noted."""
    assert talk.last
    cited = talk.last.lines[said.corrects]
    line = cited.line
    if not said.text:
        told = f"What is true instead of “{line.text}” ({cited.place})? Say “no, …”."
        return TalkReply(REPLY_TOLD, told, (cited,), found=False)
    if not _is_meant(vault, cited, said.text):
        return _statement(vault, talk, said)
    if line.type == TEXT_TYPE or not line.key:
        told = (
            f"{cited.place} is no fact that could be replaced: change it there. Write this in"
            " today's note?"
        )
        return _proposed(vault, keep_line(said.text), told)
    is_of_day = day_of_path(line.path, vault.config.daily)
    text = corrected_text(line.text, said.text, of_subject=not is_of_day)
    day, told = _since(vault, said.text, line.date)
    told = f"Put this in the place of “{line.text}” ({cited.place})?{told}"
    return _proposed(vault, correct_line(line.path, line.key, text, day), told)


def _since(vault: Vault, text: str, before: str) -> tuple[str, str]:
    """The day since when a line is true that takes the place of one which holds since the day
    `before`, and what to say of it."""
    day = day_of_change(text, vault.clock.today.isoformat())
    if "" < day < before:
        return "", f" That line holds since {before}, so this one holds since today."
    return day, ""


def _is_meant(vault: Vault, cited: Cited, text: str) -> bool:
    """Whether a correction can be about a line: not where that is only near, was replaced already,
    or is about somebody else than the correction names."""
    if cited.role in {ROLE_NEAR, ROLE_BEFORE}:
        return False
    path = cited.line.path
    if _OF_PERSON.match(text):
        return path in PERSON
    names = QuestionReader(vault).read(text, ()).names
    return not names or path in names or cited.line.type == TEXT_TYPE


def _proposed(vault: Vault, proposal: OfferedChange, told: str) -> TalkReply:
    """A proposal, or why it cannot be written."""
    try:
        carry_out_proposal(vault, proposal, dry_run=True, me=True)
    except AureliusError as error:
        return TalkReply(REPLY_TOLD, f"That cannot be written: {error.message}.")
    return TalkReply(REPLY_PROPOSAL, told, proposal=proposal)


# -- what else is said -----------------------------------------------------------------


def _command(vault: Vault, talk: Talk, said: Said) -> TalkReply:
    if said.command == SAY_HELP:
        return TalkReply(REPLY_TOLD, _HELP_TEXT, command=said.command)
    if said.command == SAY_WAITS:
        found = ask_review(vault, talk) or ask_review(vault, talk._replace(asked=frozenset()))
        return found or TalkReply(REPLY_TOLD, "Nothing waits for your decision.")
    return TalkReply(REPLY_TOLD, _TOLD_BY_DOOR[said.command], command=said.command)


def _nothing(vault: Vault, talk: Talk, said: Said) -> TalkReply:
    """A question of the review in the pause, at most one a turn, where these may come and a process
    knows them already: looking for them takes seconds in a large vault."""
    del said
    was_asked = talk.last is not None and talk.last.kind == REPLY_REVIEW
    asked = None
    if vault.live and talk.may_ask and talk.turns and not was_asked:
        asked = ask_review(vault, talk)
    return asked or TalkReply(REPLY_TOLD, "Ask me something, or say “help”.")


def ask_review(vault: Vault, talk: Talk) -> TalkReply | None:
    """The next question of the review that did not come up in this conversation; None where nothing
    waits."""
    matters = [
        each
        for each in api.waiting_matters(vault)
        if each.name not in talk.asked and each.what != "imported"
    ]
    if not matters:
        return None
    more = f" ({len(matters)} wait)" if len(matters) > 1 else ""
    return TalkReply(REPLY_REVIEW, f"{_matter_in_words(matters[0])}{more}", matter=matters[0])


def _matter_in_words(matter: Matter) -> str:
    from aurelius.memory.review import lines

    return f"{_WANTED.get(matter.what, 'This waits for you')}: {lines(matter)}"


_WANTED = {
    "supersede": "Does the second of these take the place of the first",
    "ask": "Which of these holds",
    "carry": "Shall this line go on its page",
    "captured": "Shall this be kept",
    "imported": "Shall this imported line be kept",
    "observation": "Shall this be noted",
    "archive": "Shall this be archived",
}
_ANSWERS: Mapping[str, Callable[[Vault, Talk, Said], TalkReply]] = {
    SAID_STATEMENT: _statement,
    SAID_CORRECTION: _correction,
    SAID_COMMAND: _command,
    SAID_NOTHING: _nothing,
}
