"""What a person says in the chat of the pages, and what comes of it: for a form a place on the
page, for a script the turn as it grows."""

from __future__ import annotations

import re
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

from .actions import action_of, answer_action, sent_form
from .addresses import HOME
from .call import PageAnswer
from .chat_page import error_on_page, offer_now, show_turn, told_turn, turn_place, turn_url
from .deeds import do_undo, settle
from .done import what_was_done
from .host import fill
from .links import PageLinks
from .talks import SAID_LATER, SAID_NO, OpenTalk, TurnMark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurelius.model.connection import Stop
    from aurelius.plans.plan import Written
    from aurelius.vault import Vault

    from .chat_page import ShownTurn
    from .host import PageHost, Shown

_MOST_LETTERS = 2000
"""Letters of what is said at a time."""
_KEPT_ALREADY = "This conversation is kept already: nothing was said since."
_DECISIONS = {"refuse": SAID_NO, "later": SAID_LATER}
"""What comes of a turn by the button that says so."""
_LATER = re.compile(r"(?i)\W*(?:l|later|not now|maybe)\W*")
"""What leaves a question of the review for later."""


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
        """What a button does that says nothing: `alone`, `refuse` or `later`."""
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
    if sent.button in _DECISIONS and here.has(sent.named):
        return _left(sent, sent.named, _DECISIONS[sent.button])
    if word is None or not here.is_open:
        return ""
    mark = here.marks[-1]
    if sent.form.get("last", mark.name) != mark.name:  # another window offered something since
        return turn_place(mark.name)
    if here.open_matter:
        return _answered(sent, mark, here.open_matter.name, agrees=word)
    if not word:
        return _left(sent, mark.name, SAID_NO)
    if here.open_offer and mark.seen:
        action, fields = here.open_offer
        return _done(sent, mark, action, fields)
    return turn_place(mark.name)


def _answered(sent: SaidForm, mark: TurnMark, key: str, *, agrees: bool) -> str:
    """Where yes, no or later leads to, said to a question of the review."""
    if _LATER.fullmatch(sent.text):
        return _left(sent, mark.name, SAID_LATER)
    action = "accept" if agrees else "dismiss"
    return _done(sent, mark, action, {"key": key})


def _done(
    sent: SaidForm,
    mark: TurnMark,
    action: str,
    fields: Mapping[str, str],
) -> str:
    """Where the form of a turn leads to that was agreed to in words."""
    form = {
        **fields,
        "at": mark.at,
        "seen": mark.seen,
        "back": turn_url(mark.name),
    }
    answer = answer_action(sent.host, action, form, sent.shown)
    assert isinstance(answer, str)  # its action is there
    return answer


def _left(sent: SaidForm, name: str, decided: str) -> str:
    sent.change(lambda here: here.with_done(name, decided))
    return turn_place(name)


def offered_anew(
    host: PageHost,
    action: str,
    form: Mapping[str, str],
    shown: Shown,
) -> str:
    """Where a turn stands whose change was sent in other words: it offers that from now on; "" for
    any other form."""
    here = host.sessions.talk_of(shown.key)
    back = form.get("back", "")
    mark = here.mark_of(back.removeprefix(turn_url("")))
    offered = here.offer_in(mark)
    if offered is None or offered.action != action:
        return ""
    sent = sent_form(action_of(action), form)
    if form.get("wish", "") in {"", sent.wish}:
        return ""
    fields = {**offered.fields, **sent.fields}
    proposal = offered._replace(fields=fields)
    with host.open_vault() as vault:
        offer = offer_now(vault, proposal, back)
    made = mark._replace(
        at=offer.at,
        seen=offer.seen,
        reworded=True,
    )
    host.sessions.change_talk(
        shown.key,
        lambda here: here.with_offer(made, proposal),
    )
    return turn_place(made.name)


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
        mark = _with_change(mark, reply, done)
        text = "" if mark.done else _KEPT_ALREADY
        reply = reply._replace(text=text)
    return turn._replace(reply=reply), mark


def _with_change(mark: TurnMark, reply: TalkReply, done: Written) -> TurnMark:
    """The mark of a turn whose command was carried out."""
    told = done.about.get("done") or done.number
    if told:
        mark = mark._replace(done=str(told))
    if reply.command == SAY_KEEP:
        mark = mark._replace(kept=done.path)
    return mark


def _undo(vault: Vault, here: OpenTalk) -> Written | None:
    """Take back the last change of a conversation, or no to a question, that was not yet."""
    restored = set()
    for mark in reversed(here.marks):
        told = what_was_done(vault, mark.done)
        if told is None:
            continue
        key = told.value
        if told.button == "Undo":
            return do_undo(vault, key, now=vault.now)
        if told.action == "dismiss":
            restored.add(key)
        elif told.action == "restore" and key not in restored:
            return settle(
                vault,
                key,
                word="restore",
                back="dismiss",
                now=vault.now,
            )
    return None


def _keep(vault: Vault, here: OpenTalk) -> Written:
    kept = ["", *(each.kept for each in here.marks if each.kept)]
    return keep_talk(vault, here.talk, before=kept[-1], now=vault.now)


_COMMANDS: Mapping[str, Callable[[Vault, OpenTalk], Written | None]] = {
    SAY_UNDO: _undo,
    SAY_KEEP: _keep,
}
