"""What answers a question: a list where one is asked for, else the few lines that say it best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .best_lines import best_lines
from .lists import compare_two, list_days, list_news, list_notes, list_people, list_tasks

if TYPE_CHECKING:
    from aurelius.vault import Vault

    from .talk import TalkQuestion, TalkReply

_LISTS = (list_tasks, list_notes, list_people, list_days, list_news, compare_two)


def answer_question(vault: Vault, asked: TalkQuestion) -> TalkReply:
    """The lines that answer a question, each cited; where none surely does, the nearest."""
    for listed in _LISTS:
        reply = listed(vault, asked)
        if reply is not None:
            return reply
    return best_lines(vault, asked)
