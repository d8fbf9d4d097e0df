"""A conversation as a note in `conversations/`, written only where the person asks for it: there it
is searched only when asked for, and is no evidence for anything."""

from __future__ import annotations

from itertools import chain, count
from posixpath import basename
from typing import TYPE_CHECKING, Unpack

from aurelius import api
from aurelius.language.secret_text import find_secret
from aurelius.plans.plan import Draft
from indexer.errors import UsageError
from indexer.reading.path_meaning import CONVERSATIONS
from indexer.spelling import single_spaced

from .said import SAY_KEEP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurelius.api import Manner
    from aurelius.plans.plan import Desk, Plan, Written
    from aurelius.vault import Vault

    from .talk import Talk, TalkReply


_DAY_LETTERS = len("2026-01-31")
"""Letters of the day at the beginning of the name of a kept note."""


def keep_talk(
    vault: Vault,
    talk: Talk,
    *,
    before: str = "",
    **manner: Unpack[Manner],
) -> Written:
    """Write a conversation to a note of `conversations/`: the one where it was kept `before`, as
    long as that says nothing else, else a new one, named after the moment. UsageError where nothing
    was said yet."""
    if not talk.turns:
        raise UsageError("nothing was said yet", "ask something first")
    return api.change(vault, lambda at: _plan(at, talk, before), manner)


def _plan(at: Desk, talk: Talk, before: str) -> Plan:
    """The note, checked and written in one."""
    draft = Draft(at)
    path = before
    text = talk_text(talk, basename(path)[:_DAY_LETTERS]).encode()
    there = draft.data(path) if path else None
    if there is None or not text.startswith(there):
        path = _free_path(draft, at)
        text = talk_text(talk, at.today).encode()
    draft.put(path, text)
    draft.rows.append(f"kept {path}")
    return draft.plan(f"kept {path}", {"path": path})


def _free_path(draft: Draft, at: Desk) -> str:
    """A note of `conversations/` named after the moment that is not there yet."""
    moment = at.moment.strftime("%Y-%m-%d-%H%M%S")
    names = chain([moment], (f"{moment}-{number}" for number in count(2)))
    paths = (f"{CONVERSATIONS}/{name}.md" for name in names)
    return next(each for each in paths if draft.data(each) is None)


def talk_text(talk: Talk, day: str) -> str:
    """A conversation as Markdown, held on an ISO day."""
    rows = [f"# Conversation of {day}", ""]
    for turn in talk.turns:
        if turn.reply.command == SAY_KEEP:
            continue
        said = single_spaced(turn.said)
        if find_secret(said):
            said = "(left out: it looks like a secret)"
        rows += [f"**You:** {said}", "", *_said(turn.reply), ""]
    return "\n".join(rows)


def _said(reply: TalkReply) -> Iterator[str]:
    """What was answered: its sentence, then the lines with where they stand."""
    yield f"**Aurelius:** {reply.text}".rstrip()
    if reply.lines:
        yield ""
    for each in reply.lines:
        told = "; ".join(filter(None, (each.line.date, each.until and f"until {each.until}")))
        yield f"> {each.line.text} ({f'{told}; ' if told else ''}{each.place})"
