"""The conversations of the pages: one of each session, in memory alone, gone with it or with the
server."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurelius.chat.said import SAY_SILENCE
from aurelius.chat.talk import Talk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.chat.talk import OfferedChange, TalkQuestion, TalkTurn
    from aurelius.memory.review import Matter

MOST_TURNS = 100
_MOST_LETTERS = 200_000
"""Turns of a conversation, and letters of all that was said and cited in it, before the first are
let go."""
SAID_NO = "no"
SAID_LATER = "later"
"""What came of a change that the person said no to, and of what they leave for later."""


class TurnMark(NamedTuple):
    """What the pages know of a turn: its name in addresses; what came of the change that it
    offered, as an address tells it, "" where nothing did; when that change was shown, and the name
    of its edits; whether the person gave it other words; and the path of the note that the
    conversation was kept in, "" for none."""

    name: str
    done: str = ""
    at: str = ""
    seen: str = ""
    reworded: bool = False
    kept: str = ""


class OpenTalk(NamedTuple):
    """A conversation, and what is known of each of its turns; whether the first were let go."""

    talk: Talk = Talk()
    marks: tuple[TurnMark, ...] = ()
    is_cut: bool = False

    def with_turn(self, turn: TalkTurn, mark: TurnMark) -> OpenTalk:
        """The conversation with one more turn, the oldest let go where it is too long."""
        talk = self.talk.with_turn(*turn)
        reply = turn.reply
        if reply.matter:
            talk = talk._replace(asked=talk.asked | {reply.matter.name})
        if reply.command == SAY_SILENCE:
            talk = talk._replace(may_ask=False)
        turns = [*talk.turns]
        marks = [*self.marks, mark]
        while _is_long(turns):
            del turns[0]
            del marks[0]
        return OpenTalk(
            talk._replace(turns=tuple(turns)),
            tuple(marks),
            is_cut=self.is_cut or len(turns) < len(talk.turns),
        )

    def with_done(self, name: str, done: str) -> OpenTalk:
        """The same, where it is known what came of the turn of a name."""
        marks = list(self.marks)
        for number, each in enumerate(marks):
            if each.name == name:
                marks[number] = each._replace(done=done)
        return self._replace(marks=tuple(marks))

    def has(self, name: str) -> bool:
        """Whether there is a turn of this name."""
        return self.mark_of(name) in self.marks

    def mark_of(self, name: str) -> TurnMark:
        """What is known of the turn of a name, nothing where there is none."""
        for mark in self.marks:
            if mark.name == name:
                return mark
        return TurnMark(name)

    def with_offer(self, mark: TurnMark, proposal: OfferedChange) -> OpenTalk:
        """The same, where the turn of a mark offers another change."""
        turns = list(self.talk.turns)
        marks = list(self.marks)
        for number, (turn, each) in enumerate(self._marked):
            if each.name == mark.name:
                reply = turn.reply._replace(proposal=proposal)
                turns[number] = turn._replace(reply=reply)
                marks[number] = mark
        talk = self.talk._replace(turns=tuple(turns))
        return self._replace(talk=talk, marks=tuple(marks))

    def asked_in(self, name: str) -> TalkQuestion | None:
        """The question of the turn of a name."""
        for turn, mark in self._marked:
            if mark.name == name:
                return turn.reply.asked
        return None

    def offer_in(self, mark: TurnMark) -> OfferedChange | None:
        """The change that the turn of a mark offers, as long as nothing came of it."""
        for turn, each in self._marked:
            if each == mark and not mark.done:
                return turn.reply.proposal
        return None

    @property
    def is_open(self) -> bool:
        """Whether yes or no is wanted to the last turn."""
        return bool(self.open_offer or self.open_matter)

    @property
    def open_offer(self) -> OfferedChange | None:
        """The change that the last turn offers, as long as nothing came of it."""
        if self.marks:
            return self.offer_in(self.marks[-1])
        return None

    @property
    def open_matter(self) -> Matter | None:
        """What the last turn asks about, as long as nothing came of it."""
        last = self.talk.last
        if last is None or self.marks[-1].done:
            return None
        return last.matter

    @property
    def _marked(self) -> Iterator[tuple[TalkTurn, TurnMark]]:
        """Each turn with its mark."""
        return zip(self.talk.turns, self.marks, strict=True)


def _is_long(turns: Sequence[TalkTurn]) -> bool:
    """Whether the first of several turns is to be let go."""
    if len(turns) < 2:
        return False
    letters = sum(map(_letters, turns))
    return len(turns) > MOST_TURNS or letters > _MOST_LETTERS


def _letters(turn: TalkTurn) -> int:
    """How many letters are kept of a turn."""
    cited = sum(len(each.line.text) for each in turn.reply.lines)
    return len(turn.said) + len(turn.reply.text) + cited
