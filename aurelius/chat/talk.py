"""A conversation with the notes as values: what was said, what was answered and proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing.usage_log import LEADING
from aurelius.memory.lines import TEXT_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurelius.memory.lines import Line
    from aurelius.memory.review import Matter

CARRIED_TURNS = 3
"""Turns from which a question that goes on takes names and days."""

ROLE_HOLDS = "holds"
ROLE_BEFORE = "before"
ROLE_NEWER = "newer"
ROLE_NEAR = "near"
"""What a line is to an answer: it holds, was true before, is newer about the same thing, or is only
the nearest that there is."""

REPLY_ANSWER = "answer"
REPLY_PROPOSAL = "proposal"
REPLY_REVIEW = "review"
REPLY_TOLD = "told"
"""What a reply is: lines that answer, a change to say yes to, something that waits for a decision,
or words alone."""


class Cited(NamedTuple):
    """A line that is cited: the title of its note, what it is to the answer, and until which ISO
    day it held, "" where it holds or nobody knows."""

    line: Line
    title: str
    role: str = ROLE_HOLDS
    until: str = ""

    @property
    def place(self) -> str:
        """Where it stands, `path:line`."""
        return f"{self.line.path}:{self.line.lines[0]}"


class TalkQuestion(NamedTuple):
    """A question as it is asked of the notes: with what it carries from before, the paths of the
    pages that it names, its first and last ISO day, what it carries, in words, and where it carries
    anything the words that were `said`; of a list, how many of it were shown before."""

    text: str
    names: tuple[str, ...] = ()
    days: tuple[str, str] | None = None
    carried: tuple[str, ...] = ()
    said: str = ""
    shown: int = 0


class ListPage(NamedTuple):
    """The page of the whole of a list: `tasks`, `done`, or the `timeline` at a day or month or
    `kind` of notes that `of` names."""

    name: str
    of: str = ""


class OfferedChange(NamedTuple):
    """A change that is made after a yes: `action` is add, note or supersede, a function of the API,
    `fields` are its arguments by name."""

    action: str
    fields: Mapping[str, str]


class ShownSentence(NamedTuple):
    """A sentence of the person's model that its lines bear out: its words, the places among the
    lines of the reply that it rests on, and whether it is such a line itself, in the place of a
    sentence that was not borne out."""

    text: str
    rests_on: tuple[int, ...]
    is_own_line: bool = False


class TalkReply(NamedTuple):
    """What is said to a line: the sentence that opens it, and the lines it rests on.

    `found` is False where no line surely answers; then `lines` are the nearest. `proposal` and
    `matter` are what a yes or no is wanted to, `both` is offered next where “both” is said to a
    proposal; `command` is what the door is to do. Of a list that was cut, `rest` asks for what
    comes next, and `page` has all of it. With a model, `sentences` answer, `told` is what to say
    beside them, and the reply may grow until `is_whole`.
    """

    kind: str
    text: str
    lines: tuple[Cited, ...] = ()
    asked: TalkQuestion | None = None
    found: bool = True
    proposal: OfferedChange | None = None
    both: OfferedChange | None = None
    matter: Matter | None = None
    command: str = ""
    rest: TalkQuestion | None = None
    page: ListPage | None = None
    sentences: tuple[ShownSentence, ...] = ()
    told: tuple[str, ...] = ()
    is_whole: bool = True

    @property
    def used(self) -> list[str]:
        """What the answer counts as used, as a search does: of its leading lines those that hold;
        text that is no fact is its note."""
        if self.kind != REPLY_ANSWER or not self.found:
            return []
        leading = [each.line for each in self.lines[:LEADING] if each.role == ROLE_HOLDS]
        return [line.path if line.type == TEXT_TYPE else line.key for line in leading]


class TalkTurn(NamedTuple):
    """A line that a person typed, and what was said to it."""

    said: str
    reply: TalkReply


class Talk(NamedTuple):
    """A conversation: its turns, the latest last, whether questions of the review may come in, and
    the names of those that came."""

    turns: tuple[TalkTurn, ...] = ()
    may_ask: bool = True
    asked: frozenset[str] = frozenset()

    @property
    def last(self) -> TalkReply | None:
        """What was said last."""
        if self.turns:
            return self.turns[-1].reply
        return None

    @property
    def questions(self) -> tuple[TalkQuestion, ...]:
        """The questions of the latest turns, the latest first."""
        latest = reversed(self.turns[-CARRIED_TURNS:])
        return tuple(turn.reply.asked for turn in latest if turn.reply.asked)

    def with_turn(self, said: str, reply: TalkReply) -> Talk:
        """The conversation with one more turn."""
        return self._replace(turns=(*self.turns, TalkTurn(said, reply)))
