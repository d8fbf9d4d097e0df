"""What a person says in the chat of the pages, and what comes of it: for a form a place on the
page, for a script the turn as it grows."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing.usage_log import record_uses
from aurelius.chat.keep import keep_talk
from aurelius.chat.replies import replies
from aurelius.chat.reply import ask_again
from aurelius.chat.said import SAY_CLEAR, SAY_KEEP, SAY_UNDO, agreed
from aurelius.chat.talk import REPLY_TOLD, TalkReply, TalkTurn
from aurelius.vault import healed
from indexer.errors import AureliusError
from indexer.spelling import clipped, single_spaced

from .actions import answer_action
from .addresses import HOME
from .call import PageAnswer
from .chat_page import error_on_page, offer_now, show_turn, told_turn, turn_place, turn_url
from .deeds import do_undo
from .done import what_was_done
from .host import fill
from .links import PageLinks
from .talks import SAID_NO, OpenTalk, TurnMark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurelius.model.connection import Stop
    from aurelius.plans.plan import Written
    from aurelius.vault import Vault

    from .chat_page import ShownTurn
    from .host import PageHost, Shown

_MOST_LETTERS = 2000
"""Letters of what is said at a time."""


class SaidForm(NamedTuple):
    """A form of the chat as it was sent; `stop` is set where the person no longer waits."""

    host: PageHost
    shown: Shown
    form: Mapping[str, str]
    stop: Stop

    @property
    def text(self) -> str:
        """What was said, in one line."""
        return single_spaced(self.form.get("text", ""))

    @property
    def named(self) -> str:
        """The name of the turn that a button stands in, "" for none."""
        return self.form.get("turn", "")

    @property
    def button(self) -> str:
        """What a button does that says nothing: `alone` or `refuse`."""
        return self.form.get("do", "")

    @property
    def here(self) -> OpenTalk:
        """The conversation."""
        return self.host.sessions.talk_of(self.shown.key)

    def change(self, made: Callable[[OpenTalk], OpenTalk]) -> None:
        """Put another conversation in its place."""
        self.host.sessions.change_talk(self.shown.key, made)


def answer_form(sent: SaidForm) -> str:
    """Answer what was said; where to go on."""
    parts = list(said_parts(sent))
    return parts[-1]["place"]


def said_parts(sent: SaidForm) -> Iterator[dict[str, str]]:
    """What comes of what was said: `place` is where it stands.

    A `turn` comes as HTML, as often as there is more of it, and at the end what is `told` to those
    who hear it; what is stopped is not kept. Without both the page is another one by now.
    """
    place = _settled(sent)
    if place:
        yield {"place": place}
        return
    mark = TurnMark(token_hex(4))
    place = turn_place(mark.name)
    told = ""
    with sent.host.open_vault() as vault:
        for said in _turns(sent, vault):
            if sent.stop.is_set:
                return
            turn, mark = _obeyed(sent, vault, said, mark)
            if turn.reply.command == SAY_CLEAR:
                sent.change(lambda _: OpenTalk())
                yield {"place": HOME}
                return
            row = show_turn(PageLinks(vault), turn, mark)
            told = told_turn(row)
            yield {"place": place, "turn": _html(sent, vault, row)}
        record_uses(vault, turn.reply.used, "chat")
    sent.change(lambda here: here.with_turn(turn, mark))
    yield {"place": place, "told": told}


def _html(sent: SaidForm, vault: Vault, row: ShownTurn) -> str:
    values = {
        "row": row,
        "is_last": True,
    }
    page = PageAnswer("turn.html", "", values)
    return fill(sent.host, vault, page, sent.shown)


def _turns(sent: SaidForm, vault: Vault) -> Iterator[TalkTurn]:
    """What is said to a line, each time with all of it that is there by then."""
    letters = len(sent.text)
    said = clipped(sent.text, _MOST_LETTERS)
    asked = sent.here.asked_in(sent.named)
    if letters > _MOST_LETTERS:
        told = f"That is too long: {letters:,} letters, {_MOST_LETTERS:,} at most."
        reply = TalkReply(REPLY_TOLD, told)
        yield TalkTurn(said, reply)
        return
    try:
        if asked and sent.button == "alone":
            said = asked.said or asked.text
            reply = healed(ask_again)(vault, asked)
        else:
            for reply in replies(vault, sent.here.talk, sent.text, vault.env, sent.stop):
                yield TalkTurn(said, reply)
            return
    except AureliusError as error:
        reply = TalkReply(REPLY_TOLD, error_on_page(error))
    yield TalkTurn(said, reply)


# -- what is not answered but done -----------------------------------------------------


def _settled(sent: SaidForm) -> str:
    """Where a yes or no leads to, to the change that was offered last or to one that is named; ""
    where nothing was settled."""
    here = sent.here
    word = agreed(sent.text)
    if sent.button == "refuse" and here.has(sent.named):
        return _refused(sent, sent.named)
    proposal = here.open_offer
    if proposal is None or word is None:
        return ""
    mark = here.marks[-1]
    if sent.form.get("last", mark.name) != mark.name:  # another window offered something since
        return turn_place(mark.name)
    if not word:
        return _refused(sent, mark.name)
    if not mark.seen:
        return turn_place(mark.name)
    form = {
        **proposal.fields,
        "at": mark.at,
        "seen": mark.seen,
        "back": turn_url(mark.name),
    }
    answer = answer_action(sent.host, proposal.action, form, sent.shown)
    assert isinstance(answer, str)  # its action is there
    return answer


def _refused(sent: SaidForm, name: str) -> str:
    sent.change(lambda here: here.with_done(name, SAID_NO))
    return turn_place(name)


def _obeyed(
    sent: SaidForm,
    vault: Vault,
    turn: TalkTurn,
    mark: TurnMark,
) -> tuple[TalkTurn, TurnMark]:
    """A turn and its mark once the command that it may be was carried out, and what it offers is
    shown."""
    reply = turn.reply
    if reply.proposal:
        offer = offer_now(vault, reply.proposal, turn_url(mark.name))
        mark = mark._replace(at=offer.at, seen=offer.seen)
    act = _COMMANDS.get(reply.command)
    if act is None:
        return turn, mark
    try:
        with sent.host.sessions.turns:
            done = act(vault, sent.here)
    except AureliusError as error:
        done = None
        reply = TalkReply(REPLY_TOLD, error_on_page(error))
    if done:
        reply = reply._replace(text="")
        mark = mark._replace(done=str(done.number))
    return turn._replace(reply=reply), mark


def _undo(vault: Vault, here: OpenTalk) -> Written | None:
    """Take back the last change of a conversation that was not yet."""
    for mark in reversed(here.marks):
        told = what_was_done(vault, mark.done)
        if told and told.button == "Undo":
            return do_undo(vault, told.value, now=vault.now)
    return None


def _keep(vault: Vault, here: OpenTalk) -> Written:
    return keep_talk(vault, here.talk, now=vault.now)


_COMMANDS: Mapping[str, Callable[[Vault, OpenTalk], Written | None]] = {
    SAY_UNDO: _undo,
    SAY_KEEP: _keep,
}
